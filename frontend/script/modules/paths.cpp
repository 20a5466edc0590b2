// SPDX-License-Identifier: Apache-2.0
// os.path: what POSIX says of the names of files.
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"

namespace mlc::script {

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
  std::string_view kind = code == ENOENT                    ? "FileNotFoundError"
                          : code == EEXIST                  ? "FileExistsError"
                          : code == ENOTDIR                 ? "NotADirectoryError"
                          : code == EISDIR                  ? "IsADirectoryError"
                          : code == EACCES || code == EPERM ? "PermissionError"
                                                            : "OSError";
  raise(kind, span, "file-error", "[Errno {}] {}: {}", code, std::strerror(code), quote(path));
}

namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;
namespace fs = std::filesystem;
using Parts = std::vector<std::string>;

std::string path_text(ApiCall& call, const Any& value, size_t i = 0) {
  return path_text(evaluator_of(call.host), value, call.span_of(i));
}
Parts path_texts(ApiCall& call, const Any& paths) {
  Parts all;
  for (const Any& path : evaluator_of(call.host).elements_of(paths, call.span_of(0)))
    all.push_back(path_text(call, path));
  return all;
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

Parts components(std::string_view path) {
  Parts parts;
  while (!path.empty()) {
    size_t slash = std::min(path.find('/'), path.size());
    if (slash != 0 && path.substr(0, slash) != ".") parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}
std::string joined(const Parts& parts, std::string_view start) {
  std::string text(start);
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : "/") + parts[i];
  return text;
}
// Without `.`, `..` and doubled slashes; two leading slashes are kept, as POSIX wants.
std::string normal(const std::string& path) {
  if (path.empty()) return ".";
  std::string_view root = !path.starts_with('/')                               ? ""
                          : path.starts_with("//") && !path.starts_with("///") ? "//"
                                                                               : "/";
  Parts kept;
  for (std::string& part : components(path)) {
    if (part != ".." || (root.empty() && kept.empty()) || (!kept.empty() && kept.back() == "..")) {
      kept.push_back(std::move(part));
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  std::string text = joined(kept, root);
  return text.empty() ? "." : text;
}
std::string absolute(const std::string& path) {
  return normal(path.starts_with('/') ? path : fs::current_path().string() + "/" + path);
}
Any relative(ApiCall& call, const Any& given, const Any& base) {
  std::string path = path_text(call, given);
  if (path.empty()) raise("ValueError", call.span_of(0), "empty-path", "no path specified");
  Parts from = components(absolute(is_none(base) ? "." : path_text(call, base, 1)));
  Parts to = components(absolute(path));
  size_t same = 0;
  while (same < from.size() && same < to.size() && from[same] == to[same]) ++same;
  Parts parts(from.size() - same, "..");
  parts.insert(parts.end(), to.begin() + static_cast<int64_t>(same), to.end());
  return str_value(parts.empty() ? "." : joined(parts, ""));
}
Any common_path(ApiCall& call, const Any& paths) {
  Parts all = path_texts(call, paths);
  if (all.empty())
    raise("ValueError", call.span_of(0), "empty-path", "commonpath() arg is an empty sequence");
  bool rooted = all[0].starts_with('/');
  Parts common = components(all[0]);
  for (const std::string& path : all) {
    if (path.starts_with('/') != rooted)
      raise("ValueError", call.span_of(0), "mixed-paths", "Can't mix absolute and relative paths");
    Parts parts = components(path);
    size_t same = 0;
    while (same < common.size() && same < parts.size() && common[same] == parts[same]) ++same;
    common.resize(same);
  }
  return str_value(joined(common, rooted ? "/" : ""));
}
Any common_prefix(ApiCall& call, const Any& paths) {
  Parts all = path_texts(call, paths);
  if (all.empty()) return str_value("");
  std::string_view common = all[0];
  for (const std::string& path : all) {
    size_t same = 0;
    while (same < common.size() && same < path.size() && common[same] == path[same]) ++same;
    common = common.substr(0, same);
  }
  return str_value(common);
}

// `~` and `~name` at the start.
Any expand_user(const std::string& path) {
  if (!path.starts_with('~')) return str_value(path);
  size_t slash = std::min(path.find('/'), path.size());
  std::string name = path.substr(1, slash - 1), home;
  const char* own = std::getenv("HOME");
  if (name.empty() && own != nullptr) {
    home = own;
  } else {
    struct passwd* entry = name.empty() ? getpwuid(getuid()) : getpwnam(name.c_str());
    if (entry == nullptr) return str_value(path);
    home = entry->pw_dir;
  }
  while (home.ends_with('/')) home.pop_back();
  std::string text = home + path.substr(slash);
  return str_value(text.empty() ? "/" : text);
}
// `$name` and `${name}`; those that are not set stay.
Any expand_variables(const std::string& path) {
  std::string text;
  for (size_t i = 0; i < path.size();) {
    bool braces = path.compare(i, 2, "${") == 0;
    size_t begin = i + (braces ? 2 : 1), end = begin;
    while (
        end < path.size() &&
        (braces ? path[end] != '}' : std::isalnum(static_cast<unsigned char>(path[end])) || path[end] == '_'))
      ++end;
    bool named = path[i] == '$' && end > begin && (!braces || end < path.size());
    const char* value = named ? std::getenv(path.substr(begin, end - begin).c_str()) : nullptr;
    if (value == nullptr) {
      text += path[i++];
      continue;
    }
    text += value;
    i = end + (braces ? 1 : 0);
  }
  return str_value(text);
}

struct stat status_of(ApiCall& call, const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) refuse_file(errno, path, call.span_of(0));
  return status;
}
// What os.stat gives: (mode, inode, device, links, user, group, bytes, read, written, changed).
Any status_fields(ApiCall& call, const Any& given, bool follow) {
  std::string path = path_text(call, given);
  struct stat s;
  if ((follow ? stat(path.c_str(), &s) : lstat(path.c_str(), &s)) != 0)
    refuse_file(errno, path, call.span_of(0));
  auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  auto whole = [](auto value) { return static_cast<int64_t>(value); };
  return Tuple{whole(s.st_mode),   whole(s.st_ino),   whole(s.st_dev),  whole(s.st_nlink),
               whole(s.st_uid),    whole(s.st_gid),   whole(s.st_size), seconds(s.st_atim),
               seconds(s.st_mtim), seconds(s.st_ctim)};
}
double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
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

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "os.path", "join(path, *paths)", "The path of parts.",
     native([](ApiCall& call, Any first, Tuple rest) { return join(call, first, rest); })},
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
    {ApiKind::kFunction, "os.path", "splitdrive(path)", "The drive, which is empty here, and the path.",
     of_path<[](const std::string& path) -> Any {
       return Tuple{str_value(""), str_value(path)};
     }>()},
    {ApiKind::kFunction, "os.path", "normcase(path)", "The path itself.",
     of_path<[](const std::string& path) -> Any { return str_value(path); }>()},
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
     native([](ApiCall& call, Any path, Any start) { return relative(call, path, start); })},
    {ApiKind::kFunction, "os.path", "isabs(path)", "Does it begin at the root?",
     of_path<[](const std::string& path) -> Any { return path.starts_with('/'); }>()},
    {ApiKind::kFunction, "os.path", "commonpath(paths)", "The longest path above all of them.",
     native([](ApiCall& call, Any paths) { return common_path(call, paths); })},
    {ApiKind::kFunction, "os.path", "commonprefix(list)", "What all of them begin with, letter by letter.",
     native([](ApiCall& call, Any paths) { return common_prefix(call, paths); })},
    {ApiKind::kFunction, "os.path", "expanduser(path)", "With the home folder for `~`.",
     of_path<expand_user>()},
    {ApiKind::kFunction, "os.path", "expandvars(path)", "With environment variables for `$name`.",
     of_path<expand_variables>()},
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
       struct stat first = status_of(call, path_text(call, a)),
                   second = status_of(call, path_text(call, b, 1));
       return first.st_ino == second.st_ino && first.st_dev == second.st_dev;
     })},
    {ApiKind::kFunction, "mlc", "file_status(path, follow=True)", "The fields of os.stat.",
     native([](ApiCall& call, Any path, bool follow) { return status_fields(call, path, follow); })},
    {ApiKind::kFunction, "os.path", "getsize(filename)", "The number of bytes of a file.",
     native([](ApiCall& call, Any path) {
       return static_cast<int64_t>(status_of(call, path_text(call, path)).st_size);
     })},
    {ApiKind::kFunction, "os.path", "getmtime(filename)",
     "When the file was written last, in seconds since 1970.",
     native([](ApiCall& call, Any path) { return seconds(status_of(call, path_text(call, path)).st_mtim); })},
    {ApiKind::kFunction, "os.path", "getatime(filename)",
     "When the file was read last, in seconds since 1970.",
     native([](ApiCall& call, Any path) { return seconds(status_of(call, path_text(call, path)).st_atim); })},
    {ApiKind::kFunction, "os.path", "getctime(filename)",
     "When the file's entry was changed last, in seconds since 1970.",
     native([](ApiCall& call, Any path) { return seconds(status_of(call, path_text(call, path)).st_ctim); })},
    {ApiKind::kValue, "os.path", "sep", "The separator of paths.",
     [](ApiCall&) -> Any { return str_value("/"); }},
    {ApiKind::kValue, "os.path", "curdir", "This folder.", [](ApiCall&) -> Any { return str_value("."); }},
    {ApiKind::kValue, "os.path", "pardir", "The folder above.",
     [](ApiCall&) -> Any { return str_value(".."); }},
    {ApiKind::kValue, "os.path", "extsep", "What begins an extension.",
     [](ApiCall&) -> Any { return str_value("."); }},
    {ApiKind::kValue, "os.path", "pathsep", "What stands between paths in a list.",
     [](ApiCall&) -> Any { return str_value(":"); }},
    {ApiKind::kValue, "os", "pathsep", "What stands between paths in a list.",
     [](ApiCall&) -> Any { return str_value(":"); }},
    {ApiKind::kValue, "os", "curdir", "This folder.", [](ApiCall&) -> Any { return str_value("."); }},
    {ApiKind::kValue, "os", "pardir", "The folder above.", [](ApiCall&) -> Any { return str_value(".."); }},
    {ApiKind::kFunction, "os", "fspath(path)", "The path as a str.",
     of_path<[](const std::string& path) -> Any { return str_value(path); }>()},
};

}  // namespace

std::span<const ir::ApiRow> path_rows() { return rows; }

}  // namespace mlc::script
