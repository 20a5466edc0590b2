// SPDX-License-Identifier: Apache-2.0
// All that a program can be refused, by name: the rows at the tops of the files that raise it, of every room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/core/refusal.h"

namespace mlc::repl {

// A namespace whose files refuse something, with their rows. The build lists them (cmake/registry.cmake).
struct RefusalRoom {
  std::string_view name;  // "mlc::transform"
  std::vector<const ir::RefusalList*> (*lists)();
};
const std::vector<RefusalRoom>& all_refusal_rooms();

// In order of name, each once: where several files have a row of one name, the one that explains most.
const std::vector<const ir::Refusal*>& all_refusals();
const ir::Refusal* find_refusal(std::string_view name);  // or null
std::string explain(const ir::Refusal& rule);            // as `mlc explain` prints it

// The examples of all rows, as whole programs.
struct RefusalExample {
  const ir::Refusal* rule;
  std::string wrong, right;  // right may be empty
};
std::vector<RefusalExample> refusal_examples();

}  // namespace mlc::repl
