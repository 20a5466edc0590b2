// SPDX-License-Identifier: Apache-2.0
#include "repl/session/surroundings.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "frontend/script/modules/global_functions.h"
#include "frontend/script/modules/traceback.h"
#include "transform/schedule/tensor_intrin.h"

extern char** environ;

namespace mlc::repl {

namespace {

bool same_object(const ir::Any& a, const ir::Any& b) { return std::memcmp(&a, &b, sizeof(ir::Any)) == 0; }
bool same_function(const std::optional<ir::ffi::Function>& a, const std::optional<ir::ffi::Function>& b) {
  return a && b ? a->same_as(*b) : a.has_value() == b.has_value();
}

bool is_of_library(const ir::Any& intrinsic) {
  auto* node = intrinsic.as<transform::TensorIntrinNode>();
  return node == nullptr || !node->desc->span || script::stands_in_library(node->desc->span);
}

std::vector<std::string> variables_now() {
  std::vector<std::string> rows;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) rows.emplace_back(*at);
  return rows;
}

std::string folder_now() {
  char path[4096];
  return getcwd(path, sizeof path) == nullptr ? "" : path;
}

std::string name_of(const std::string& row) { return row.substr(0, row.find('=')); }

void put_back_variables(script::Evaluator& evaluator, const std::vector<std::string>& held) {
  for (const std::string& row : variables_now()) unsetenv(name_of(row).c_str());
  for (const std::string& row : held)
    if (size_t sign = row.find('='); sign != std::string::npos)
      setenv(row.substr(0, sign).c_str(), row.c_str() + sign + 1, 1);
  evaluator.call_library("_os", "_read_environment", {});  // os.environ has the variables in a dict
}

}  // namespace

Surroundings Surroundings::now() {
  Surroundings made;
  for (const script::GlobalFunction& each : script::functions_of_programs())
    if (!same_function(each.now, each.before)) made.functions[each.name] = each.now;
  const ir::Context& context = ir::Context::current();
  for (const auto& [name, intrinsic] : context.tensor_intrins)
    if (!is_of_library(intrinsic)) made.tensor_intrins[name] = intrinsic;
  made.target_tags = context.target_tags;
  made.targets = context.targets;
  made.pass_contexts = context.pass_contexts;
  made.solver = context.solver;
  made.variables = variables_now();
  made.folder = folder_now();
  return made;
}

bool same(const Surroundings& a, const Surroundings& b) {
  auto same_row = [](const auto& x, const auto& y) {
    if (x.first != y.first) return false;
    if constexpr (std::is_same_v<std::decay_t<decltype(x.second)>, ir::Any>) {
      return same_object(x.second, y.second);
    } else {
      return same_function(x.second, y.second);
    }
  };
  return std::ranges::equal(a.functions, b.functions, same_row) &&
         std::ranges::equal(a.tensor_intrins, b.tensor_intrins, same_row) && a.target_tags == b.target_tags &&
         std::ranges::equal(a.targets, b.targets,
                            [](const auto& x, const auto& y) { return x.same_as(y); }) &&
         std::ranges::equal(a.pass_contexts, b.pass_contexts, same_object) && a.solver == b.solver &&
         a.variables == b.variables && a.folder == b.folder;
}

void put_back(script::Evaluator& evaluator, const Surroundings& held) {
  for (const script::GlobalFunction& each : script::functions_of_programs()) {
    auto found = held.functions.find(each.name);
    // One that is not there is what it was before any program registered it.
    const auto& wanted = found == held.functions.end() ? each.before : found->second;
    if (!same_function(each.now, wanted)) script::set_global_function(each.name, wanted);
  }
  ir::Context& context = ir::Context::current();
  std::erase_if(context.tensor_intrins, [](const auto& row) { return !is_of_library(row.second); });
  for (const auto& [name, intrinsic] : held.tensor_intrins) context.tensor_intrins[name] = intrinsic;
  context.target_tags = held.target_tags;
  context.targets = held.targets;
  context.pass_contexts = held.pass_contexts;
  context.solver = held.solver;
  if (held.variables != variables_now()) put_back_variables(evaluator, held.variables);
  // A folder that is gone cannot be gone back to.
  if (!held.folder.empty() && held.folder != folder_now()) [[maybe_unused]]
    int status = chdir(held.folder.c_str());
}

}  // namespace mlc::repl
