// SPDX-License-Identifier: Apache-2.0
// A program that has run, and the modules it leaves behind.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "ir/core/module.h"

namespace mlc::repl {

// Runs a file as a program of its own: `__name__` is "__main__" and sys.argv is [path, arguments...].
void run_program(script::Evaluator& evaluator, const std::string& path,
                 std::vector<std::string> arguments = {});
// Runs a file for what it defines, as an import would: statements under `if __name__ == "__main__"` do not
// run. What it prints is dropped. Returns the id of its source.
uint32_t load_program(script::Evaluator& evaluator, const std::string& path);

// Does it come with mlc, as rows or as a file of stdlib?
bool is_library_module(std::string_view module);

// The statements of a program that end on the same line, with all lines since those before: `1`-based.
struct Chunk {
  size_t first_line = 0;
  size_t last_line = 0;
  std::vector<std::string> names;  // that its statements bind
  size_t first = 0, count = 0;     // of the program's statements
};
std::vector<Chunk> chunks_of(const syntax::Module* module);
// Its lines, without the last one's end.
std::string text_of_chunk(uint32_t file, const Chunk& chunk);
// Runs one chunk of a program, once. `typed`: what was typed has no __file__, and a last expression gives its
// value.
ir::Any run_chunk_of(script::Evaluator& evaluator, const std::shared_ptr<const syntax::Tree>& tree,
                     const Chunk& chunk, bool typed = false);

// A module, and what the program calls the value it comes from.
struct NamedModule {
  std::string name;
  ir::IRModule mod;
};

// The module in a script value: an IRModule, a PrimFunc, or anything with a `mod` such as a schedule.
std::optional<ir::IRModule> module_in(script::Evaluator& evaluator, const ir::Any& value);
// The module that the program of `file` bound last. Error no-module when it bound none.
NamedModule last_module(script::Evaluator& evaluator, uint32_t file);
// The module bound to `name`. Errors undefined-name, not-a-module.
NamedModule named_module(script::Evaluator& evaluator, const std::string& name);
// The module bound to `name`, or, where that is empty, the one that the program of `file` bound last.
NamedModule chosen_module(script::Evaluator& evaluator, uint32_t file, const std::string& name);

// Compiled code looks at its indices from now on, where no PassContext says otherwise.
void check_bounds(script::Evaluator& evaluator);
// The pipeline `graph` leaves tensor functions as they come out of fusion.
void leave_graphs_unscheduled(script::Evaluator& evaluator);
// The pipeline `graph` leaves out functions whose code the cache has (stdlib/pipeline/reuse.mlc).
void reuse_compiled(script::Evaluator& evaluator);
// Calls a function of `mlc.schedule` with a module and the text of a target: `cpu`, `explained`.
ir::Any schedule_by_rules(script::Evaluator& evaluator, std::string_view function, const ir::IRModule& mod,
                          const std::string& target);

// Calls a method of a script value without arguments, such as `script`.
ir::Any call_method(script::Evaluator& evaluator, const ir::Any& value, std::string_view method,
                    std::vector<ir::Any> arguments = {});
// The text of an IR value or schedule, as its `script()` gives it, or `script(dialect="classic")`.
std::string script_of(script::Evaluator& evaluator, const ir::Any& value, bool classic = false);

}  // namespace mlc::repl
