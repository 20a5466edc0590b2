// SPDX-License-Identifier: Apache-2.0
// os: folders and names of files.
#include <filesystem>

#include "frontend/script/core/importer.h"
#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"

extern char** environ;

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;
namespace fs = std::filesystem;

std::string path_argument(ApiCall& call, const Any& path) {
  return path_text(evaluator_of(call.host), path, call.span_of(0));
}
void check(ApiCall& call, const std::error_code& error, const std::string& path) {
  if (error) refuse_file(error.value(), path, call.span_of(0));
}

Any make_folder(ApiCall& call, const Any& given) {
  std::string path = path_argument(call, given);
  std::error_code error;
  if (!fs::create_directory(path, error) && !error) error = std::make_error_code(std::errc::file_exists);
  check(call, error, path);
  return nullptr;
}
Any make_folders(ApiCall& call, const Any& given, bool exist_ok) {
  std::string path = path_argument(call, given);
  std::error_code error;
  if (!fs::create_directories(path, error) && !error && !(exist_ok && fs::is_directory(path)))
    error = std::make_error_code(std::errc::file_exists);
  check(call, error, path);
  return nullptr;
}
Any list_folder(ApiCall& call, const Any& given) {
  std::string path = path_argument(call, given);
  std::error_code error;
  List names;
  fs::directory_iterator at(path, error);
  check(call, error, path);
  for (; at != fs::directory_iterator(); at.increment(error)) {
    names.push_back(str_value(at->path().filename().string()));
  }
  check(call, error, path);
  return names;
}
template <bool folder>
Any remove(ApiCall& call, const Any& given) {
  std::string path = path_argument(call, given);
  std::error_code error;
  fs::file_status status = fs::symlink_status(path, error);
  if (!error && fs::is_directory(status) != folder)
    error = std::make_error_code(folder ? std::errc::not_a_directory : std::errc::is_a_directory);
  if (!error) fs::remove(path, error);
  check(call, error, path);
  return nullptr;
}
Any rename(ApiCall& call, const Any& from, const Any& to) {
  std::string path = path_argument(call, from);
  std::error_code error;
  fs::rename(path, path_argument(call, to), error);
  check(call, error, path);
  return nullptr;
}

Any copy_file(ApiCall& call, const Any& from, const Any& to, bool times) {
  std::string source = path_argument(call, from), target = path_argument(call, to);
  std::error_code error;
  if (fs::is_directory(source)) error = std::make_error_code(std::errc::is_a_directory);
  if (!error) fs::copy_file(source, target, fs::copy_options::overwrite_existing, error);
  check(call, error, error && fs::exists(source) && !fs::is_directory(source) ? target : source);
  if (times) {
    fs::last_write_time(target, fs::last_write_time(source, error), error);
    check(call, error, target);
  }
  return nullptr;
}
Any change_folder(ApiCall& call, const Any& given) {
  std::string path = path_argument(call, given);
  std::error_code error;
  fs::current_path(path, error);
  check(call, error, path);
  return nullptr;
}

Any change_mode(ApiCall& call, const Any& given, int64_t mode) {
  std::string path = path_argument(call, given);
  std::error_code error;
  fs::permissions(path, static_cast<fs::perms>(mode & 07777), error);
  check(call, error, path);
  return nullptr;
}

// `value`: None to remove it.
Any set_variable(ApiCall& call, const Any& name, const Any& value) {
  auto text = [&](size_t i, const Any& given) {
    if (!is_str(given))
      raise("TypeError", call.span_of(i), "wrong-type", "str expected, not {}",
            type_name_of(evaluator_of(call.host), given));
    std::string result(text_of(given));
    if (result.find('\0') != std::string::npos)
      raise("ValueError", call.span_of(i), "wrong-value", "embedded null byte");
    return result;
  };
  std::string key = text(0, name);
  if (key.empty() || key.find('=') != std::string::npos)
    raise("ValueError", call.span_of(0), "wrong-value", "illegal environment variable name");
  if (is_none(value) && call.args.size() == 1) {
    unsetenv(key.c_str());
  } else {
    setenv(key.c_str(), text(1, value).c_str(), 1);
  }
  return nullptr;
}

const ir::ApiRow folders_table[] = {
    {ApiKind::kFunction, "os", "chdir(path)", "Makes a folder the current one.",
     native(calls<change_folder>)},
    {ApiKind::kFunction, "os", "chmod(path, mode)", "Says who may read, write and run a file.",
     native(calls<change_mode>)},
    {ApiKind::kFunction, "os", "mkdir(path)", "Makes a folder.", native(calls<make_folder>)},
    {ApiKind::kFunction, "os", "makedirs(name, exist_ok=False)", "Makes a folder and those above it.",
     native(calls<make_folders>)},
    {ApiKind::kFunction, "os", "listdir(path='.')", "The names in a folder.", native(calls<list_folder>)},
    {ApiKind::kFunction, "os", "rmdir(path)", "Removes an empty folder.", native(calls<remove<true>>)},
    {ApiKind::kFunction, "os", "rename(src, dst)", "Gives a file or folder another name.",
     native(calls<rename>)},
    {ApiKind::kFunction, "os", "remove(path)", "Removes a file.", native(calls<remove<false>>)},
    {ApiKind::kFunction, "os", "unlink(path)", "Removes a file.", native(calls<remove<false>>)},
    {ApiKind::kFunction, "os", "replace(src, dst)", "Gives a file or folder another name.",
     native(calls<rename>)},
    {ApiKind::kFunction, "mlc", "copy_file(src, dst, times)",
     "Copies a file with its permissions, and its times if asked: for the module shutil.",
     native(calls<copy_file>)},
    {ApiKind::kFunction, "mlc", "environment()", "The variables of the process as a dict: for os.environ.",
     native([](ApiCall& call) -> Any {
       Dict all;
       for (char** at = environ; *at != nullptr; ++at) {
         std::string_view row = *at;
         size_t sign = row.find('=');
         if (sign == std::string_view::npos) continue;
         dict_set(evaluator_of(call.host), all, str_value(row.substr(0, sign)),
                  str_value(row.substr(sign + 1)));
       }
       return all;
     })},
    {ApiKind::kFunction, "os", "putenv(name, value)",
     "Sets a variable for the process and those it starts; os.environ does so too.",
     native(calls<set_variable>)},
    {ApiKind::kFunction, "os", "unsetenv(name)", "Removes a variable of the process.",
     native([](ApiCall& call, Any name) { return set_variable(call, name, nullptr); })},
};

// tvm.testing's members are functions of the module pytest, where tests are run.
Any testing_member(ApiCall& call) {
  Evaluator& evaluator = evaluator_of(call.host);
  Any module = evaluator.state().importer->of_library("pytest");
  return evaluator.attribute(module, Symbol("testing_" + std::string(call.api.name)), call.span);
}
constexpr ir::ApiRow testing[] = {
    {ApiKind::kValue, "tvm.testing", "main", "Runs the tests of the program and exits.", testing_member},
    {ApiKind::kValue, "tvm.testing", "parameter", "A fixture that takes each of these values.",
     testing_member},
    {ApiKind::kValue, "tvm.testing", "fixture", "A value that tests ask for by the name of a parameter.",
     testing_member},
};

}  // namespace

std::span<const ir::ApiRow> folder_rows() { return folders_table; }
std::span<const ir::ApiRow> testing_rows() { return testing; }

}  // namespace mlc::script
