// SPDX-License-Identifier: Apache-2.0
// os.path: what POSIX says of the names of files.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"
#include "ir/core/files.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "empty-path", .meaning = "The name of a file or folder is empty."},
        {.name = "file-error", .kind = "OSError"},
    }};
MLC_REFUSALS(modules_paths, refusals);

std::string path_text(Evaluator& evaluator, const Any& value, ir::Span span) {
  const Any& plain = builtin_value_of(value);
  if (is_str(plain)) return std::string(text_of(plain));
  Any made;
  if (as<InstanceNode>(value) && evaluator.state().special(value, Symbol("__fspath__"), {}, made, span) &&
      is_str(made))
    return std::string(text_of(made));
  raise("TypeError", span, "wrong-type", "expected str, bytes or os.PathLike object, not {}",
        type_name_of(evaluator, value));
}

void refuse_file(int code, std::string_view path, ir::Span span) {
  raise_as(refusals["file-error"].as(class_of_errno(code)), span, "[Errno {}] {}: {}", code,
           std::strerror(code), quote(path));
}

namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;
namespace fs = std::filesystem;

std::string path_text(ApiCall& call, const Any& value, size_t i = 0) {
  return path_text(evaluator_of(call.host), value, call.span_of(i));
}
Any join(ApiCall& call, const Any& first, const Tuple& rest) {
  std::string path = path_text(call, first);
  for (const Any& part : rest) {
    std::string next = path_text(call, part, 1);
    if (next.starts_with('/'))
      path = next;
    else if (path.empty() || path.ends_with('/'))
      path += next;
    else
      path += "/" + next;
  }
  return str_value(path);
}

std::pair<std::string, std::string> split(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  std::string head = path.substr(0, slash + 1);
  if (head.find_first_not_of('/') != std::string::npos) {
    while (head.ends_with('/')) head.pop_back();
  }
  return {head, path.substr(slash + 1)};
}
Any split_extension(const std::string& path) {
  size_t slash = path.rfind('/');
  size_t name = slash == std::string::npos ? 0 : slash + 1;
  size_t first = path.find_first_not_of('.', name);
  size_t dot = path.rfind('.');
  if (dot == std::string::npos || first == std::string::npos || dot < first)
    return Tuple{str_value(path), str_value("")};
  return Tuple{str_value(path.substr(0, dot)), str_value(path.substr(dot))};
}

// Without `.`, `..` and doubled slashes.
std::string normal(const std::string& path) {
  if (path.starts_with("//") && !path.starts_with("///"))
    return "/" + normal(path.substr(1));  // POSIX: a root of its own
  std::string text = fs::path(path).lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text.empty() ? "." : text;
}
std::string absolute(const std::string& path) {
  return normal(path.starts_with('/') ? path : fs::current_path().string() + "/" + path);
}
Any relative(ApiCall& call, const Any& given, const Any& base) {
  std::string path = path_text(call, given);
  if (path.empty()) raise_as(refusals["empty-path"], call.span_of(0), "no path specified");
  fs::path from = absolute(is_none(base) ? "." : path_text(call, base, 1));
  return str_value(fs::path(absolute(path)).lexically_relative(from).string());
}
Any expand_user(const std::string& path) { return str_value(ir::with_home(path)); }

struct stat status_of(ApiCall& call, const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) refuse_file(errno, path, call.span_of(0));
  return status;
}
double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
// What os.stat gives: (mode, inode, device, links, user, group, bytes, read, written, changed).
Any status_fields(ApiCall& call, const Any& given, bool follow) {
  std::string path = path_text(call, given);
  struct stat s;
  if ((follow ? stat(path.c_str(), &s) : lstat(path.c_str(), &s)) != 0)
    refuse_file(errno, path, call.span_of(0));
  auto whole = [](auto value) { return static_cast<int64_t>(value); };
  return Tuple{whole(s.st_mode),   whole(s.st_ino),   whole(s.st_dev),  whole(s.st_nlink),
               whole(s.st_uid),    whole(s.st_gid),   whole(s.st_size), seconds(s.st_atim),
               seconds(s.st_mtim), seconds(s.st_ctim)};
}

using Answer = Any (*)(const std::string&);
template <Answer answer>
auto of_path() {
  return native([](ApiCall& call, Any path) { return answer(path_text(call, path)); });
}
template <bool (*ask)(fs::file_status)>
Any followed(const std::string& path) {
  std::error_code ignored;
  return ask(fs::status(path, ignored));
}

const ir::ApiRow paths_table[] = {
    {ApiKind::kFunction, "os.path", "join(path, *paths)", "The path of parts.", native(calls<join>)},
    {ApiKind::kFunction, "os.path", "basename(path)", "The last part.",
     of_path<[](const std::string& path) -> Any { return str_value(split(path).second); }>()},
    {ApiKind::kFunction, "os.path", "dirname(path)", "What is before the last part.",
     of_path<[](const std::string& path) -> Any { return str_value(split(path).first); }>()},
    {ApiKind::kFunction, "os.path", "split(path)", "The path without its last part, and that.",
     of_path<[](const std::string& path) -> Any {
       auto [head, tail] = split(path);
       return Tuple{str_value(head), str_value(tail)};
     }>()},
    {ApiKind::kFunction, "os.path", "splitext(path)", "The path without its extension, and that.",
     of_path<split_extension>()},
    {ApiKind::kFunction, "os.path", "normpath(path)", "The path without `.`, `..` and doubled slashes.",
     of_path<[](const std::string& path) -> Any { return str_value(normal(path)); }>()},
    {ApiKind::kFunction, "os.path", "abspath(path)", "The path from the root.",
     of_path<[](const std::string& path) -> Any { return str_value(absolute(path)); }>()},
    {ApiKind::kFunction, "os.path", "realpath(path)", "The path from the root, links followed.",
     of_path<[](const std::string& path) -> Any {
       std::error_code ignored;
       std::string real = fs::weakly_canonical(absolute(path), ignored).string();
       return str_value(real.empty() ? absolute(path) : real);
     }>()},
    {ApiKind::kFunction, "os.path", "relpath(path, start=None)", "The way from a folder to the path.",
     native(calls<relative>)},
    {ApiKind::kFunction, "os.path", "isabs(path)", "Does it begin at the root?",
     of_path<[](const std::string& path) -> Any { return path.starts_with('/'); }>()},
    {ApiKind::kFunction, "os.path", "expanduser(path)", "With the home folder for `~`.",
     of_path<expand_user>()},
    {ApiKind::kFunction, "os.path", "exists(path)", "Is there such a file?",
     of_path<followed<[](fs::file_status s) { return fs::exists(s); }>>()},
    {ApiKind::kFunction, "os.path", "isfile(path)", "Is it a file?",
     of_path<followed<[](fs::file_status s) { return fs::is_regular_file(s); }>>()},
    {ApiKind::kFunction, "os.path", "isdir(path)", "Is it a directory?",
     of_path<followed<[](fs::file_status s) { return fs::is_directory(s); }>>()},
    {ApiKind::kFunction, "os.path", "islink(path)", "Is it a symbolic link?",
     of_path<[](const std::string& path) -> Any {
       std::error_code ignored;
       return fs::is_symlink(path, ignored);
     }>()},
    {ApiKind::kFunction, "os.path", "lexists(path)", "Is there such a file, or a link of that name?",
     of_path<[](const std::string& path) -> Any {
       std::error_code ignored;
       return fs::exists(fs::symlink_status(path, ignored));
     }>()},
    {ApiKind::kFunction, "os.path", "samefile(f1, f2)", "Are they the same file?",
     native([](ApiCall& call, Any a, Any b) {
       std::string first = path_text(call, a);
       std::error_code error;
       bool same = fs::equivalent(first, path_text(call, b, 1), error);
       if (error) refuse_file(error.value(), first, call.span_of(0));
       return same;
     })},
    {ApiKind::kFunction, "mlc", "file_status(path, follow=True)", "The fields of os.stat.",
     native(calls<status_fields>)},
    {ApiKind::kFunction, "os.path", "getsize(filename)", "The number of bytes of a file.",
     native([](ApiCall& call, Any path) {
       return static_cast<int64_t>(status_of(call, path_text(call, path)).st_size);
     })},
    {ApiKind::kFunction, "os.path", "getmtime(filename)",
     "When the file was written last, in seconds since 1970.",
     native([](ApiCall& call, Any path) { return seconds(status_of(call, path_text(call, path)).st_mtim); })},
    {ApiKind::kValue, "os.path", "sep", "The separator of paths.",
     [](ApiCall&) -> Any { return str_value("/"); }},
    {ApiKind::kValue, "os", "pathsep", "What stands between paths in a list.",
     [](ApiCall&) -> Any { return str_value(":"); }},
    {ApiKind::kValue, "os", "curdir", "This folder.", [](ApiCall&) -> Any { return str_value("."); }},
    {ApiKind::kValue, "os", "pardir", "The folder above.", [](ApiCall&) -> Any { return str_value(".."); }},
    {ApiKind::kFunction, "os", "fspath(path)", "The path as a str.",
     of_path<[](const std::string& path) -> Any { return str_value(path); }>()},
};

}  // namespace

std::span<const ir::ApiRow> path_rows() { return paths_table; }

}  // namespace mlc::script
