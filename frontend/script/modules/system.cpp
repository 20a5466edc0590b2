// SPDX-License-Identifier: Apache-2.0
// Members of sys and os that are written in the language: stdlib/python/_sys.mlc and _os.mlc.
#include "frontend/script/core/library.h"
#include "frontend/script/core/line_input.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/array.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

Any of_sys(ApiCall& call) { return library_member(call.host, "_sys", call.api.name); }
Any of_os(ApiCall& call) { return library_member(call.host, "_os", call.api.name); }

// One line of the standard input with its end; empty at the end.
Any input_line(ApiCall& call) {
  return str_value(read_line(dynamic_cast<Evaluator&>(call.host), "").value_or(""));
}
// The names of a module of the program, in order of first sight.
Any names_of(Any module) {
  auto* of = as<ModuleNode>(module);
  if (of == nullptr) raise("TypeError", {}, "wrong-type", "not a module of the program");
  List names;
  for (const ModuleNode::Slot* slot : of->bound()) names.push_back(str_value(slot->name.str()));
  return names;
}
Any has_name(Any module, Any name) {
  auto* of = as<ModuleNode>(module);
  return of != nullptr && is_str(name) && of->find(Symbol(text_of(name))) != nullptr;
}
// sys.exc_info(): the exception that is handled now.
Any handled_exception(ApiCall& call) {
  auto& evaluator = dynamic_cast<Evaluator&>(call.host);
  const std::vector<Any>& handled = evaluator.state().handled;
  if (handled.empty()) return Tuple{nullptr, nullptr, nullptr};
  Any exception = handled.back();
  return Tuple{evaluator.type_of(exception), exception, evaluator.attribute(exception, known().traceback)};
}
// clang-format off
const ir::ApiRow system_table[] = {
    {ApiKind::kValue, "sys", "version_info", "The version of Python whose rules the language follows.", of_sys},
    {ApiKind::kValue, "sys", "version", "The same as text.", of_sys},
    {ApiKind::kValue, "sys", "implementation", "What runs the program.", of_sys},
    {ApiKind::kValue, "sys", "float_info", "The limits of float.", of_sys},
    {ApiKind::kValue, "sys", "stdin", "The input.", of_sys},
    {ApiKind::kFunction, "sys", "_input_line()", "The next line of the input, for sys.stdin.", input_line},
    {ApiKind::kFunction, "sys", "_names_of(module)", "The names of a module of the program.", native(calls<names_of>)},
    {ApiKind::kFunction, "sys", "_has_name(module, name)", "Whether such a module has this name.", native(calls<has_name>)},
    {ApiKind::kFunction, "sys", "exc_info()", "Type, value and traceback of the exception that is handled now.", handled_exception},
    {ApiKind::kFunction, "sys", "intern(string)", "The string itself.", native([](std::string text) { return str_value(text); })},
    {ApiKind::kValue, "os", "walk", "The folders below one, each with the names of its folders and files.", of_os},
    {ApiKind::kValue, "os", "stat", "What the system knows of a file: stat_result.", of_os},
    {ApiKind::kValue, "os", "lstat", "The same, of a symbolic link itself.", of_os},
    {ApiKind::kValue, "os", "stat_result", "What the system knows of a file.", of_os},
    {ApiKind::kValue, "os", "environ", "The environment variables; what is set here is set for the process.", of_os},
    {ApiKind::kValue, "os", "PathLike", "What has __fspath__.", of_os},
    {ApiKind::kValue, "os", "devnull", "The file that swallows all.", [](ApiCall&) -> Any { return str_value("/dev/null"); }},
    {ApiKind::kValue, "os", "name", "The kind of system.", [](ApiCall&) -> Any { return str_value("posix"); }},
};
// clang-format on

}  // namespace

std::span<const ir::ApiRow> system_rows() { return system_table; }

}  // namespace mlc::script
