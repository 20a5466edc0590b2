// SPDX-License-Identifier: Apache-2.0
// Members of sys and os that are written in the language: stdlib/python/_sys.mlc and _os.mlc.
#include <iostream>

#include "frontend/script/library.h"
#include "frontend/script/np_array.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

Any of_sys(ApiCall& call) { return library_member(call.host, "_sys", call.api.name); }
Any of_os(ApiCall& call) { return library_member(call.host, "_os", call.api.name); }

// One line of the standard input with its end; empty at the end.
Any input_line() {
  std::string line;
  if (!std::getline(std::cin, line)) return str_value("");
  return str_value(std::cin.eof() ? line : line + "\n");
}
// clang-format off
const ir::ApiRow rows[] = {
    {ApiKind::kValue, "sys", "version_info", "The version of Python whose rules the language follows.", of_sys},
    {ApiKind::kValue, "sys", "version", "The same as text.", of_sys},
    {ApiKind::kValue, "sys", "implementation", "What runs the program.", of_sys},
    {ApiKind::kValue, "sys", "float_info", "The limits of float.", of_sys},
    {ApiKind::kValue, "sys", "stdin", "The input.", of_sys},
    {ApiKind::kFunction, "sys", "_input_line()", "The next line of the input, for sys.stdin.", native([] { return input_line(); })},
    {ApiKind::kFunction, "sys", "intern(string)", "The string itself.", native([](std::string text) { return str_value(text); })},
    {ApiKind::kValue, "os", "walk", "The folders below one, each with the names of its folders and files.", of_os},
    {ApiKind::kValue, "os", "PathLike", "What has __fspath__.", of_os},
    {ApiKind::kValue, "os", "devnull", "The file that swallows all.", [](ApiCall&) -> Any { return str_value("/dev/null"); }},
    {ApiKind::kValue, "os", "name", "The kind of system.", [](ApiCall&) -> Any { return str_value("posix"); }},
};
// clang-format on

}  // namespace

std::span<const ir::ApiRow> system_rows() { return rows; }

}  // namespace mlc::script
