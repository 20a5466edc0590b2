// SPDX-License-Identifier: Apache-2.0
// open(): files of scripts, to read or to write. What is read is read whole when the file is opened; what is
// written goes out as it comes.
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"
#include "frontend/script/types/text_points.h"
#include "ir/core/files.h"
#include "ir/core/inputs.h"
#include "ir/core/mapped_files.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "closed-file",
         .message = "I/O operation on closed file.",
         .meaning = "The file was closed, perhaps by the end of its `with`."},
        {.name = "file-mode",
         .meaning = "A file that is open to read cannot be written, nor the other way round."},
    }};
MLC_REFUSALS(modules_file, refusals);

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

struct FileNode final : ffi::Object {
  std::string name;
  std::string mode;
  std::string encoding = "utf-8";
  std::string errors = "strict";
  bool binary = false;
  std::string content;  // of a file that is read: bytes, or text in UTF-8 whose lines end with "\n"
  size_t at = 0;
  std::vector<size_t> pairs;  // where in `content` one "\n" stands for "\r\n"
  std::FILE* out = nullptr;   // of a file that is written
  bool closed = false;
  explicit FileNode(std::string name) : name(std::move(name)) {}
  ~FileNode() { close(); }
  FileNode(const FileNode&) = delete;
  FileNode& operator=(const FileNode&) = delete;

  bool reads() const { return mode.find('r') != std::string::npos; }
  bool close() {
    closed = true;
    std::FILE* file = std::exchange(out, nullptr);
    return file == nullptr || std::fclose(file) == 0;
  }
  MLC_NODE("mlc.script.File", FileNode, ffi::Object);
};

namespace {

FileNode& usable(ApiCall& call, const Any& self) {
  FileNode& file = *as<FileNode>(self);
  if (file.closed) raise(refusals["closed-file"], call.span);
  return file;
}
FileNode& readable(ApiCall& call, const Any& self) {
  FileNode& file = usable(call, self);
  if (!file.reads())
    raise_as(refusals["file-mode"].as("UnsupportedOperation"), call.span,
             "not readable: `{}` is open to write", file.name);
  return file;
}
FileNode& writable(ApiCall& call, const Any& self) {
  FileNode& file = usable(call, self);
  if (file.reads())
    raise_as(refusals["file-mode"].as("UnsupportedOperation"), call.span,
             "not writable: `{}` is open to read", file.name);
  return file;
}
void check_written(ApiCall& call, const FileNode& file, bool good) {
  if (!good) refuse_file(errno, file.name, call.span);
}

// "\n" for every end of a line.
std::string with_plain_ends(std::string_view raw, std::vector<size_t>& pairs) {
  std::string text;
  text.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') {
      pairs.push_back(text.size());
      continue;
    }
    text.push_back(raw[i] == '\r' ? '\n' : raw[i]);
  }
  return text;
}

Any take(FileNode& file, size_t end) {
  size_t start = std::min(file.at, file.content.size());
  file.at = std::max(end, file.at);
  std::string text = file.content.substr(start, end > start ? end - start : 0);
  return file.binary ? Any(ffi::Bytes(std::move(text))) : str_value(text);
}
// The byte behind the line that begins at `file.at`.
size_t line_end(const FileNode& file) {
  size_t end = file.content.find('\n', file.at);
  return end == std::string::npos ? file.content.size() : end + 1;
}
// The byte `count` characters (bytes of a binary file) behind the position; the end for None and what is
// negative.
size_t counted_end(const FileNode& file, std::optional<int64_t> count) {
  size_t size = file.content.size();
  if (!count || *count < 0) return size;
  if (file.binary) return std::min(size, file.at + static_cast<size_t>(*count));
  return advanced(file.content, file.at, *count);
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
  if (file.encoding == "utf-8") return std::string(text);
  auto bytes = bytes_of_text(text, file.encoding, file.errors, call.span_of(0)).cast<ffi::Bytes>();
  return std::string(bytes.data(), bytes.size());
}
int64_t write(ApiCall& call, const Any& self, const Any& value) {
  FileNode& file = writable(call, self);
  int64_t count = 0;
  std::string bytes = encoded(call, file, value, count);
  check_written(call, file, std::fwrite(bytes.data(), 1, bytes.size(), file.out) == bytes.size());
  return count;
}
Any write_lines(ApiCall& call, const Any& self, const Any& lines) {
  for (const Any& line : evaluator_of(call.host).elements_of(lines, call.span_of(0))) write(call, self, line);
  return nullptr;
}
int64_t tell(ApiCall& call, const Any& self) {
  FileNode& file = usable(call, self);
  if (file.out != nullptr) return std::ftell(file.out);
  auto before = std::ranges::lower_bound(file.pairs, file.at) - file.pairs.begin();
  return static_cast<int64_t>(file.at) + before;
}
int64_t seek(ApiCall& call, const Any& self, int64_t offset, int64_t whence) {
  FileNode& file = usable(call, self);
  if (whence < 0 || whence > 2)
    raise("ValueError", call.span_of(1), "wrong-value", "invalid whence ({}, should be 0, 1 or 2)", whence);
  if (!file.binary && whence != 0 && offset != 0) {
    raise_as(refusals["file-mode"].as("UnsupportedOperation"), call.span,
             "can't do nonzero {}-relative seeks in text files", whence == 1 ? "cur" : "end");
  }
  if (file.out != nullptr) {
    if (std::fseek(file.out, offset, static_cast<int>(whence)) != 0)
      refuse_file(errno, file.name, call.span_of(0));
    return std::ftell(file.out);
  }
  auto size = static_cast<int64_t>(file.content.size() + file.pairs.size());
  int64_t from = whence == 0 ? 0 : whence == 1 ? tell(call, self) : size;
  if (from + offset < 0)
    raise("ValueError", call.span_of(0), "wrong-value", "negative seek position {}", from + offset);
  file.at = static_cast<size_t>(from + offset);
  for (size_t pair : file.pairs) {
    if (pair + 1 >= file.at) break;
    --file.at;
  }
  return from + offset;
}
Any close(ApiCall& call, const Any& self) {
  FileNode& file = *as<FileNode>(self);
  check_written(call, file, file.close());
  return nullptr;
}

constexpr const char* kFile = "mlc.script.File";

// clang-format off
const ir::ApiRow file_table[] = {
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
     native(calls<next_line>)},
    {ApiKind::kMethod, kFile, "__iter__()", "The file itself: its lines.",
     native([](ApiCall& call, Any self) {
       readable(call, self);
       return self;
     })},
    {ApiKind::kMethod, kFile, "write(text)", "Writes the text, or the bytes; how many characters or bytes.",
     native(calls<write>)},
    {ApiKind::kMethod, kFile, "writelines(lines)", "Writes each of the texts; adds no line ends.",
     native(calls<write_lines>)},
    {ApiKind::kMethod, kFile, "flush()", "Writes what is held back.",
     native([](ApiCall& call, Any self) {
       FileNode& file = usable(call, self);
       check_written(call, file, file.out == nullptr || std::fflush(file.out) == 0);
     })},
    {ApiKind::kMethod, kFile, "tell()", "The position, in bytes.",
     native(calls<tell>)},
    {ApiKind::kMethod, kFile, "seek(offset, whence=0)", "Moves to a position, in bytes, from the start, here (1) or the end (2).",
     native(calls<seek>)},
    {ApiKind::kMethod, kFile, "readable()", "Can it be read?",
     native([](ApiCall& call, Any self) { return usable(call, self).reads(); })},
    {ApiKind::kMethod, kFile, "writable()", "Can it be written?",
     native([](ApiCall& call, Any self) { return !usable(call, self).reads(); })},
    {ApiKind::kMethod, kFile, "seekable()", "Can the position be moved?",
     native([](ApiCall& call, Any self) {
       usable(call, self);
       return true;
     })},
    {ApiKind::kMethod, kFile, "close()", "Ends the use of the file.",
     native(calls<close>)},
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

// One of r, w, a, x, and b or t.
void set_mode(Evaluator& evaluator, FileNode& file, const Any& asked, ir::Span span) {
  if (!is_str(asked)) {
    raise("TypeError", span, "wrong-type", "open() argument 'mode' must be str, not {}",
          type_name_of(evaluator, asked));
  }
  file.mode = std::string(text_of(asked));
  if (file.mode.find('+') != std::string::npos) {
    raise("NotImplementedError", span, "not-supported",
          "a file is open to read or to write: `{}` is left out; read it, close it and write it", file.mode);
  }
  auto count = [&](std::string_view letters) {
    return std::count_if(file.mode.begin(), file.mode.end(),
                         [&](char c) { return letters.find(c) != std::string_view::npos; });
  };
  if (count("rwaxbt") != static_cast<int64_t>(file.mode.size()) || count("bt") > 1)
    raise_as(refusals["file-mode"], span, "invalid mode: '{}'", file.mode);
  if (count("rwax") != 1)
    raise_as(refusals["file-mode"], span, "must have exactly one of create/read/write/append mode");
  file.binary = count("b") == 1;
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
      raise_as(refusals["file-mode"], args.span, "binary mode doesn't take an {} argument", name);
    return std::string(text_of(*value));
  };
  if (auto encoding = given("encoding")) file.encoding = *encoding;
  if (auto errors = given("errors")) file.errors = *errors;
  bytes_of_text("", file.encoding, file.errors, args.span);  // is the encoding known?
  if (auto newline = given("newline"); newline && *newline != "" && *newline != "\n")
    raise("NotImplementedError", args.span, "not-supported", "lines are written as they are: newline={}",
          quote(*newline));
}

void read_content(FileNode& file, ir::Span span) {
  std::ifstream in(file.name, std::ios::binary);
  if (!in) refuse_file(errno, file.name, span);
  ir::Inputs::global().opened(file.name);
  std::string raw = ir::read_whole(in);
  file.content = file.binary ? raw
                             : with_plain_ends(text_of(text_of_bytes(raw, file.encoding, span, file.errors)),
                                               file.pairs);
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
  std::error_code ignored;
  if (std::filesystem::is_directory(file.name, ignored)) refuse_file(EISDIR, file.name, args.span_of(0));
  if (file.mode.find('x') != std::string::npos && std::filesystem::exists(file.name, ignored))
    refuse_file(EEXIST, file.name, args.span_of(0));
  if (file.reads()) {
    read_content(file, args.span_of(0));
    return Any(made);
  }
  if (file.mode.find('a') == std::string::npos && !ir::release_name_of_mapped(file.name))
    refuse_file(ETXTBSY, file.name, args.span_of(0));
  file.out = std::fopen(file.name.c_str(), file.mode.find('a') != std::string::npos ? "ab" : "wb");
  if (file.out == nullptr) refuse_file(errno, file.name, args.span_of(0));
  return Any(made);
}

std::span<const ir::ApiRow> file_rows() { return file_table; }

}  // namespace mlc::script
