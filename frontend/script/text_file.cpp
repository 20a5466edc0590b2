// SPDX-License-Identifier: Apache-2.0
// open(): text files of scripts. A file is read whole when it is opened; line ends become "\n", as in Python.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontend/script/machine.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

struct TextFileNode final : ffi::Object {
  std::string name;
  std::string mode;
  std::string content;  // what is read
  size_t at = 0;
  std::ofstream out;  // open in the modes that write
  bool closed = false;
  TextFileNode(std::string name, std::string mode) : name(std::move(name)), mode(std::move(mode)) {}
  MLC_NODE("mlc.script.TextFile", TextFileNode, ffi::Object);
};

namespace {

TextFileNode& usable(ApiCall& call, const Any& self) {
  TextFileNode& file = *as<TextFileNode>(self);
  if (file.closed) raise("ValueError", call.span, "closed-file", "I/O operation on closed file");
  return file;
}
TextFileNode& readable(ApiCall& call, const Any& self) {
  TextFileNode& file = usable(call, self);
  if (file.mode != "r")
    raise("OSError", call.span, "file-mode", "not readable: `{}` is open to write", file.name);
  return file;
}
TextFileNode& writable(ApiCall& call, const Any& self) {
  TextFileNode& file = usable(call, self);
  if (file.mode == "r")
    raise("OSError", call.span, "file-mode", "not writable: `{}` is open to read", file.name);
  return file;
}

Any take(TextFileNode& file, size_t end) {
  Any text = str_value(std::string_view(file.content).substr(file.at, end - file.at));
  file.at = end;
  return text;
}
Any read_line(TextFileNode& file) {
  size_t end = file.content.find('\n', file.at);
  return take(file, end == std::string::npos ? file.content.size() : end + 1);
}
Any read(ApiCall& call, const Any& self, std::optional<int64_t> count) {
  TextFileNode& file = readable(call, self);
  if (!count || *count < 0) return take(file, file.content.size());
  size_t end = file.at;  // characters, not bytes
  for (int64_t left = *count; left > 0 && end < file.content.size(); --left) {
    ++end;
    while (end < file.content.size() && (file.content[end] & 0xC0) == 0x80) ++end;
  }
  return take(file, end);
}
List read_lines(ApiCall& call, const Any& self) {
  TextFileNode& file = readable(call, self);
  List lines;
  while (file.at < file.content.size()) lines.push_back(read_line(file));
  return lines;
}
Any close(const Any& self) {
  TextFileNode& file = *as<TextFileNode>(self);
  if (file.out.is_open()) file.out.close();
  file.closed = true;
  return nullptr;
}

constexpr const char* kFile = "mlc.script.TextFile";

// clang-format off
const ir::ApiRow rows[] = {
    {ApiKind::kMethod, kFile, "read(size=None)", "The rest of the text, or that many characters of it.",
     native([](ApiCall& call, Any self, std::optional<int64_t> size) { return read(call, self, size); })},
    {ApiKind::kMethod, kFile, "readline()", "The next line with its end; empty at the end of the file.",
     native([](ApiCall& call, Any self) { return read_line(readable(call, self)); })},
    {ApiKind::kMethod, kFile, "readlines()", "The lines that are left, with their ends.",
     native([](ApiCall& call, Any self) { return read_lines(call, self); })},
    {ApiKind::kMethod, kFile, "__iter__()", "The lines.",
     native([](ApiCall& call, Any self) { return read_lines(call, self); })},
    {ApiKind::kMethod, kFile, "write(text)", "Writes the text; the number of its characters.",
     native([](ApiCall& call, Any self, std::string text) {
       writable(call, self).out << text;
       return static_cast<int64_t>(utf8_length(text));
     })},
    {ApiKind::kMethod, kFile, "flush()", "Writes what is held back.",
     native([](ApiCall& call, Any self) { usable(call, self).out.flush(); })},
    {ApiKind::kMethod, kFile, "close()", "Ends the use of the file.", native([](Any self) { return close(self); })},
    {ApiKind::kMethod, kFile, "__enter__()", "The file itself.",
     native([](ApiCall& call, Any self) {
       usable(call, self);
       return self;
     })},
    {ApiKind::kMethod, kFile, "__exit__(kind, value, traceback)", "Closes the file.",
     native([](Any self, Any, Any, Any) { return close(self); })},
    {ApiKind::kProperty, kFile, "name", "The path as it was given.",
     native([](Any self) { return str_value(as<TextFileNode>(self)->name); })},
    {ApiKind::kProperty, kFile, "mode", "How it was opened.",
     native([](Any self) { return str_value(as<TextFileNode>(self)->mode); })},
    {ApiKind::kProperty, kFile, "closed", "Has it been closed?",
     native([](Any self) { return as<TextFileNode>(self)->closed; })},
};
// clang-format on

std::string content_of(std::ifstream& in) {
  std::string raw((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (raw.find('\r') == std::string::npos) return raw;
  std::string text;
  text.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') continue;
    text.push_back(raw[i] == '\r' ? '\n' : raw[i]);
  }
  return text;
}

}  // namespace

Any open_text_file(Evaluator& evaluator, const Arguments& args) {
  if (!is_str(args[0])) {
    raise("TypeError", args.span_of(0), "wrong-type", "the path of a file is a str, not {}",
          type_name_of(evaluator, args[0]));
  }
  const Any* keyword = args.keyword("mode");
  Any asked = args.size() > 1 ? args[1] : keyword ? *keyword : Any(str_value("r"));
  std::string path(text_of(args[0]));
  std::string mode = is_str(asked) ? std::string(text_of(asked)) : std::string();
  std::erase(mode, 't');
  if (mode != "r" && mode != "w" && mode != "a" && mode != "x") {
    raise("ValueError", args.size() > 1 ? args.span_of(1) : args.span, "file-mode",
          "files are opened as text with mode 'r', 'w', 'a' or 'x', not {}", evaluator.repr(asked));
  }
  auto file = ir::make<TextFileNode>(path, mode);
  auto* node = const_cast<TextFileNode*>(file.get());
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    raise("IsADirectoryError", args.span_of(0), "not-a-file", "`{}` is a directory", path);
  }
  bool exists = std::filesystem::exists(path, ignored);
  if (mode == "r") {
    std::ifstream in(path, std::ios::binary);
    if (!in) raise("FileNotFoundError", args.span_of(0), "file-not-found", "cannot read `{}`", path);
    node->content = content_of(in);
    return Any(file);
  }
  if (mode == "x" && exists) {
    raise("FileExistsError", args.span_of(0), "file-exists", "`{}` is there already", path);
  }
  node->out.open(path, mode == "a" ? std::ios::binary | std::ios::app : std::ios::binary);
  if (!node->out) raise("PermissionError", args.span_of(0), "not-writable", "cannot write `{}`", path);
  return Any(file);
}

std::span<const ir::ApiRow> text_file_rows() { return rows; }

}  // namespace mlc::script
