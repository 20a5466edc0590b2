// SPDX-License-Identifier: Apache-2.0
// open(): files of scripts. What is read is read whole when the file is opened; what is only written goes out
// as it comes; a file opened for both is held here and written back when it is flushed or closed.
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"
#include "ir/core/inputs.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

struct FileNode final : ffi::Object {
  std::string name;
  std::string mode;
  std::string encoding = "utf-8";
  std::string errors = "strict";
  std::string newline;     // what ends a line in the file; empty where each of "\n", "\r\n", "\r" does
  bool translates = true;  // "\n" in texts for what ends a line in the file
  bool binary = false, reads = false, writes = false, appends = false;
  std::string content;  // of a file that is read: bytes, or text in UTF-8
  size_t at = 0;
  bool changed = false;
  std::FILE* out = nullptr;  // of a file that is only written
  bool closed = false;
  explicit FileNode(std::string name) : name(std::move(name)) {}
  ~FileNode() { close(); }
  FileNode(const FileNode&) = delete;
  FileNode& operator=(const FileNode&) = delete;

  bool flush() {
    if (out != nullptr) return std::fflush(out) == 0;
    if (!changed) return true;
    changed = false;
    std::ofstream file(name, std::ios::binary);
    file << content;
    return file.good();
  }
  bool close() {
    if (closed) return true;
    bool good = flush();
    if (out != nullptr) good = std::fclose(out) == 0 && good;
    out = nullptr;
    closed = true;
    return good;
  }
  MLC_NODE("mlc.script.File", FileNode, ffi::Object);
};

namespace {

FileNode& usable(ApiCall& call, const Any& self) {
  FileNode& file = *as<FileNode>(self);
  if (file.closed) raise("ValueError", call.span, "closed-file", "I/O operation on closed file.");
  return file;
}
FileNode& readable(ApiCall& call, const Any& self) {
  FileNode& file = usable(call, self);
  if (!file.reads)
    raise("UnsupportedOperation", call.span, "file-mode", "not readable: `{}` is open to write", file.name);
  return file;
}
FileNode& writable(ApiCall& call, const Any& self) {
  FileNode& file = usable(call, self);
  if (!file.writes)
    raise("UnsupportedOperation", call.span, "file-mode", "not writable: `{}` is open to read", file.name);
  return file;
}
void check_written(ApiCall& call, const FileNode& file, bool good) {
  if (!good) refuse_file(errno, file.name, call.span);
}

// "\n" for every end of a line.
std::string with_plain_ends(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') continue;
    text.push_back(raw[i] == '\r' ? '\n' : raw[i]);
  }
  return text;
}

Any take(FileNode& file, size_t end) {
  std::string_view text(file.content);
  size_t start = std::min(file.at, text.size());
  file.at = std::max(end, file.at);
  text = text.substr(start, end > start ? end - start : 0);
  if (file.binary) return ffi::Bytes(std::string(text));
  return file.translates && text.find('\r') != std::string::npos ? str_value(with_plain_ends(text))
                                                                 : str_value(text);
}
bool is_pair(const std::string& text, size_t at) {
  return text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
}
// The byte behind the line that begins at `file.at`.
size_t line_end(const FileNode& file) {
  const std::string& text = file.content;
  if (!file.binary && file.newline.empty()) {
    size_t end = text.find_first_of("\r\n", file.at);
    return end == std::string::npos ? text.size() : end + (is_pair(text, end) ? 2 : 1);
  }
  std::string_view mark = file.binary ? "\n" : std::string_view(file.newline);
  size_t end = text.find(mark, file.at);
  return end == std::string::npos ? text.size() : end + mark.size();
}
// The byte `count` characters (bytes of a binary file) behind the position; the end for None and what is
// negative.
size_t counted_end(const FileNode& file, std::optional<int64_t> count) {
  size_t size = file.content.size();
  if (!count || *count < 0) return size;
  if (file.binary) return std::min(size, file.at + static_cast<size_t>(*count));
  size_t end = file.at;
  for (int64_t left = *count; left > 0 && end < size; --left) {
    end += file.translates && is_pair(file.content, end) ? 2 : 1;
    while (end < size && (file.content[end] & 0xC0) == 0x80) ++end;
  }
  return end;
}
Any read_line(FileNode& file, std::optional<int64_t> most) {
  return take(file, std::min(line_end(file), counted_end(file, most)));
}
List read_lines(FileNode& file) {
  List lines;
  while (file.at < file.content.size()) lines.push_back(read_line(file, std::nullopt));
  return lines;
}
Any next_line(ApiCall& call, const Any& self) {
  FileNode& file = readable(call, self);
  if (file.at >= file.content.size()) {
    Evaluator& evaluator = evaluator_of(call.host);
    evaluator.state().throw_exception(evaluator.call(Any(exception_classes().at("StopIteration")), {}),
                                      call.span);
  }
  return read_line(file, std::nullopt);
}

std::string translated(std::string_view text, std::string_view mark) {
  std::string out;
  for (char c : text) {
    if (c == '\n')
      out += mark;
    else
      out += c;
  }
  return out;
}
// The bytes that stand for a value in the file; `count` is what write() returns.
std::string encoded(ApiCall& call, FileNode& file, const Any& value, int64_t& count) {
  if (file.binary) {
    if (!is_bytes(value)) {
      raise("TypeError", call.span_of(0), "wrong-type", "a bytes-like object is required, not '{}'",
            type_name_of(evaluator_of(call.host), value));
    }
    auto bytes = value.cast<ffi::Bytes>();
    count = static_cast<int64_t>(bytes.size());
    return std::string(bytes.data(), bytes.size());
  }
  const Any& plain = builtin_value_of(value);
  if (!is_str(plain)) {
    raise("TypeError", call.span_of(0), "wrong-type", "write() argument must be str, not {}",
          type_name_of(evaluator_of(call.host), value));
  }
  std::string_view text = text_of(plain);
  count = static_cast<int64_t>(utf8_length(text));
  std::string lines =
      file.newline.empty() || file.newline == "\n" ? std::string(text) : translated(text, file.newline);
  if (file.encoding == "utf-8") return lines;
  auto bytes = bytes_of_text(lines, file.encoding, file.errors, call.span_of(0)).cast<ffi::Bytes>();
  return std::string(bytes.data(), bytes.size());
}
int64_t write(ApiCall& call, const Any& self, const Any& value) {
  FileNode& file = writable(call, self);
  int64_t count = 0;
  std::string bytes = encoded(call, file, value, count);
  if (file.out != nullptr) {
    check_written(call, file, std::fwrite(bytes.data(), 1, bytes.size(), file.out) == bytes.size());
    return count;
  }
  if (file.appends) file.at = file.content.size();
  if (file.at > file.content.size()) file.content.resize(file.at, '\0');
  file.content.replace(file.at, std::min(bytes.size(), file.content.size() - file.at), bytes);
  file.at += bytes.size();
  file.changed = true;
  return count;
}
Any write_lines(ApiCall& call, const Any& self, const Any& lines) {
  for (const Any& line : evaluator_of(call.host).elements_of(lines, call.span_of(0))) write(call, self, line);
  return nullptr;
}
int64_t tell(ApiCall& call, const Any& self) {
  FileNode& file = usable(call, self);
  return file.out != nullptr ? std::ftell(file.out) : static_cast<int64_t>(file.at);
}
int64_t seek(ApiCall& call, const Any& self, int64_t offset, int64_t whence) {
  FileNode& file = usable(call, self);
  if (whence < 0 || whence > 2)
    raise("ValueError", call.span_of(1), "wrong-value", "invalid whence ({}, should be 0, 1 or 2)", whence);
  if (!file.binary && whence != 0 && offset != 0) {
    raise("UnsupportedOperation", call.span, "file-mode", "can't do nonzero {}-relative seeks in text files",
          whence == 1 ? "cur" : "end");
  }
  int64_t size = static_cast<int64_t>(file.content.size());
  if (file.out != nullptr) {
    int64_t here = std::ftell(file.out);
    std::fseek(file.out, 0, SEEK_END);
    size = std::ftell(file.out);
    std::fseek(file.out, here, SEEK_SET);
  }
  int64_t target = offset + (whence == 0 ? 0 : whence == 1 ? tell(call, self) : size);
  if (target < 0) raise("ValueError", call.span_of(0), "wrong-value", "negative seek position {}", target);
  if (file.out != nullptr)
    std::fseek(file.out, target, SEEK_SET);
  else
    file.at = static_cast<size_t>(target);
  return target;
}
int64_t truncate(ApiCall& call, const Any& self, std::optional<int64_t> size) {
  FileNode& file = writable(call, self);
  int64_t wanted = size ? *size : tell(call, self);
  if (wanted < 0) raise("ValueError", call.span, "wrong-value", "negative size value {}", wanted);
  if (file.out != nullptr) {
    check_written(call, file, file.flush());
    std::error_code failed;
    std::filesystem::resize_file(file.name, static_cast<uintmax_t>(wanted), failed);
    check_written(call, file, !failed);
  } else {
    file.content.resize(static_cast<size_t>(wanted));
    file.changed = true;
  }
  return wanted;
}
Any close(ApiCall& call, const Any& self) {
  FileNode& file = *as<FileNode>(self);
  check_written(call, file, file.close());
  return nullptr;
}

constexpr const char* kFile = "mlc.script.File";

// clang-format off
const ir::ApiRow rows[] = {
    {ApiKind::kMethod, kFile, "read(size=None)", "The rest, or that many characters (bytes of a binary file) of it.",
     native([](ApiCall& call, Any self, std::optional<int64_t> size) {
       FileNode& file = readable(call, self);
       return take(file, counted_end(file, size));
     })},
    {ApiKind::kMethod, kFile, "readline(size=None)", "The next line with its end; empty at the end of the file.",
     native([](ApiCall& call, Any self, std::optional<int64_t> size) { return read_line(readable(call, self), size); })},
    {ApiKind::kMethod, kFile, "readlines()", "The lines that are left, with their ends.",
     native([](ApiCall& call, Any self) { return read_lines(readable(call, self)); })},
    {ApiKind::kMethod, kFile, "__next__()", "The next line.",
     native([](ApiCall& call, Any self) { return next_line(call, self); })},
    {ApiKind::kMethod, kFile, "__iter__()", "The file itself: its lines.",
     native([](ApiCall& call, Any self) {
       readable(call, self);
       return self;
     })},
    {ApiKind::kMethod, kFile, "write(text)", "Writes the text, or the bytes; how many characters or bytes.",
     native([](ApiCall& call, Any self, Any text) { return write(call, self, text); })},
    {ApiKind::kMethod, kFile, "writelines(lines)", "Writes each of the texts; adds no line ends.",
     native([](ApiCall& call, Any self, Any lines) { return write_lines(call, self, lines); })},
    {ApiKind::kMethod, kFile, "flush()", "Writes what is held back.",
     native([](ApiCall& call, Any self) {
       FileNode& file = usable(call, self);
       check_written(call, file, file.flush());
     })},
    {ApiKind::kMethod, kFile, "tell()", "The position, in bytes.",
     native([](ApiCall& call, Any self) { return tell(call, self); })},
    {ApiKind::kMethod, kFile, "seek(offset, whence=0)", "Moves to a position, in bytes, from the start, here (1) or the end (2).",
     native([](ApiCall& call, Any self, int64_t offset, int64_t whence) { return seek(call, self, offset, whence); })},
    {ApiKind::kMethod, kFile, "truncate(size=None)", "Makes the file that long, by default up to the position.",
     native([](ApiCall& call, Any self, std::optional<int64_t> size) { return truncate(call, self, size); })},
    {ApiKind::kMethod, kFile, "readable()", "Can it be read?",
     native([](ApiCall& call, Any self) { return usable(call, self).reads; })},
    {ApiKind::kMethod, kFile, "writable()", "Can it be written?",
     native([](ApiCall& call, Any self) { return usable(call, self).writes; })},
    {ApiKind::kMethod, kFile, "seekable()", "Can the position be moved?",
     native([](ApiCall& call, Any self) {
       usable(call, self);
       return true;
     })},
    {ApiKind::kMethod, kFile, "isatty()", "Is it a terminal?",
     native([](ApiCall& call, Any self) {
       usable(call, self);
       return false;
     })},
    {ApiKind::kMethod, kFile, "close()", "Ends the use of the file.",
     native([](ApiCall& call, Any self) { return close(call, self); })},
    {ApiKind::kMethod, kFile, "__enter__()", "The file itself.",
     native([](ApiCall& call, Any self) {
       usable(call, self);
       return self;
     })},
    {ApiKind::kMethod, kFile, "__exit__(kind, value, traceback)", "Closes the file.",
     native([](ApiCall& call, Any self, Any, Any, Any) { return close(call, self); })},
    {ApiKind::kProperty, kFile, "name", "The path as it was given.",
     native([](Any self) { return str_value(as<FileNode>(self)->name); })},
    {ApiKind::kProperty, kFile, "mode", "How it was opened.",
     native([](Any self) { return str_value(as<FileNode>(self)->mode); })},
    {ApiKind::kProperty, kFile, "encoding", "How its texts are bytes.",
     native([](Any self) { return str_value(as<FileNode>(self)->encoding); })},
    {ApiKind::kProperty, kFile, "closed", "Has it been closed?",
     native([](Any self) { return as<FileNode>(self)->closed; })},
};
// clang-format on

// Reads the mode as CPython does: one of r, w, a, x, and any of b, t, +.
void set_mode(Evaluator& evaluator, FileNode& file, const Any& asked, ir::Span span) {
  if (!is_str(asked)) {
    raise("TypeError", span, "wrong-type", "open() argument 'mode' must be str, not {}",
          type_name_of(evaluator, asked));
  }
  file.mode = std::string(text_of(asked));
  std::string kinds;
  bool text = false, update = false;
  for (char c : file.mode) {
    bool known = std::string_view("rwaxbt+").find(c) != std::string_view::npos;
    if (!known || std::count(file.mode.begin(), file.mode.end(), c) > 1)
      raise("ValueError", span, "file-mode", "invalid mode: '{}'", file.mode);
    if (c == 'b')
      file.binary = true;
    else if (c == 't')
      text = true;
    else if (c == '+')
      update = true;
    else
      kinds += c;
  }
  if (text && file.binary) raise("ValueError", span, "file-mode", "can't have text and binary mode at once");
  if (kinds.size() != 1)
    raise("ValueError", span, "file-mode", "must have exactly one of create/read/write/append mode");
  file.reads = kinds == "r" || update;
  file.writes = kinds != "r" || update;
  file.appends = kinds == "a";
}

void set_texts(Evaluator& evaluator, FileNode& file, const Arguments& args) {
  auto given = [&](std::string_view name) -> std::optional<std::string> {
    const Any* value = args.keyword(name);
    if (value == nullptr || is_none(*value)) return std::nullopt;
    if (!is_str(*value)) {
      raise("TypeError", args.span, "wrong-type", "open() argument '{}' must be str or None, not {}", name,
            type_name_of(evaluator, *value));
    }
    if (file.binary)
      raise("ValueError", args.span, "file-mode", "binary mode doesn't take an {} argument", name);
    return std::string(text_of(*value));
  };
  if (auto encoding = given("encoding")) file.encoding = *encoding;
  if (auto errors = given("errors")) file.errors = *errors;
  bytes_of_text("", file.encoding, file.errors, args.span);  // is the encoding known?
  if (auto newline = given("newline")) {
    if (*newline != "" && *newline != "\n" && *newline != "\r" && *newline != "\r\n")
      raise("ValueError", args.span, "wrong-value", "illegal newline value: {}", quote(*newline));
    file.newline = *newline;
    file.translates = false;
  }
}

void read_content(FileNode& file, ir::Span span) {
  std::ifstream in(file.name, std::ios::binary);
  if (!in) refuse_file(errno, file.name, span);
  ir::Inputs::global().opened(file.name);
  std::string raw((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  file.content =
      file.binary ? raw : std::string(text_of(text_of_bytes(raw, file.encoding, span, file.errors)));
}

}  // namespace

Any open_file(Evaluator& evaluator, const Arguments& args) {
  const Any* keyword = args.keyword("mode");
  Any asked = args.size() > 1 ? args[1] : keyword ? *keyword : Any(str_value("r"));
  ir::Inputs::global().beyond();
  auto made = ir::make<FileNode>(path_text(evaluator, args[0], args.span_of(0)));
  FileNode& file = *const_cast<FileNode*>(made.get());
  set_mode(evaluator, file, asked, args.size() > 1 ? args.span_of(1) : args.span);
  set_texts(evaluator, file, args);
  if (file.reads && file.writes && !file.binary && file.encoding != "utf-8")
    raise("NotImplementedError", args.span, "not-supported",
          "a file to read and write has the encoding utf-8 here, not {}", quote(file.encoding));
  std::error_code ignored;
  if (std::filesystem::is_directory(file.name, ignored)) refuse_file(EISDIR, file.name, args.span_of(0));
  bool exists = std::filesystem::exists(file.name, ignored);
  bool fresh = file.mode.find_first_of("wx") != std::string::npos;
  if (file.mode.find('x') != std::string::npos && exists) refuse_file(EEXIST, file.name, args.span_of(0));
  if (file.writes) {
    // Made or emptied at once, and found writable.
    std::FILE* out = file.mode.find('r') != std::string::npos
                         ? std::fopen(file.name.c_str(), "rb+")
                         : std::fopen(file.name.c_str(), fresh ? "wb" : "ab");
    if (out == nullptr) refuse_file(errno, file.name, args.span_of(0));
    if (!file.reads) {
      file.out = out;
      return Any(made);
    }
    std::fclose(out);
  }
  if (!fresh) read_content(file, args.span_of(0));
  if (file.appends) file.at = file.content.size();
  return Any(made);
}

std::span<const ir::ApiRow> file_rows() { return rows; }

}  // namespace mlc::script
