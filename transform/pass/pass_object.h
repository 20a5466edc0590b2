// SPDX-License-Identifier: Apache-2.0
// Passes as scripts hold them (`tvm.transform.Sequential([...])`), for native code.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transform/pass/pass.h"

namespace mlc::transform {

bool is_pass(const Any& value);
// The passes of a sequence; nullopt where the value is none.
std::optional<Array<Any>> passes_of(const Any& sequence);
// "LowerOpaqueBlock".
std::string short_name(const Any& pass);
// A pass of this program by its name, with arguments by its signature: the rest has its defaults. What native
// code makes pipelines of. Error: unknown-pass.
Any pass_object(std::string_view name, std::span<const Any> args = {});
// What the pass makes of the module; the module itself where the context in force disables the pass. `host`:
// whose functions the passes of scripts are.
IRModule run_in_sequence(const Any& pass, Host& host, const IRModule& mod);

// After these a function allocates what it keeps in VTCM and no more: `get_vtcm_compaction_passes()`.
Array<Any> vtcm_compaction_passes();

// A pass that a program has called on a module, by itself or in a sequence.
struct PassRun {
  std::string name;
  IRModule before, after;
};
// Where they are noted; null: nowhere. What passes and pipelines call in turn is not.
std::vector<PassRun>*& pass_runs();
// Notes them in `runs` while it lives; null: nowhere.
struct PassNotes {
  explicit PassNotes(std::vector<PassRun>* runs) : outer(std::exchange(pass_runs(), runs)) {}
  ~PassNotes() { pass_runs() = outer; }
  PassNotes(const PassNotes&) = delete;
  std::vector<PassRun>* outer;
};

}  // namespace mlc::transform
