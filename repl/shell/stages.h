// SPDX-License-Identifier: Apache-2.0
// The stages of a pipeline as files: numbered programs, from each of which a build can go on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/target/target.h"
#include "repl/shell/command_line.h"
#include "repl/shell/program.h"
#include "transform/pass/pipeline.h"

namespace mlc::repl {

// What --pipeline names. CallError for one that neither mlc nor the program has.
transform::Pipeline pipeline_of(const CommandLine& line, const ir::Target& target,
                                script::Evaluator& evaluator);

// "08-lower_opaque_block": the module after pass 8, counted from 1; "00-input" before the first.
std::string stage_name(const transform::Pipeline& pipeline, size_t after);

// The stages that a word names: a pass by its name or as a stage's file has it ("LowerOpaqueBlock", "lower_opaque_block",
// "08-lower_opaque_block"), "input". CallError for a pass that the pipeline does not have.
std::vector<size_t> stages_named(const transform::Pipeline& pipeline, std::string_view word);

// Which stages `--dump` asks for: "all", or names of passes and "input", separated by commas. CallError for a
// pass that the pipeline does not have.
std::vector<bool> stages_to_dump(const transform::Pipeline& pipeline, const std::string& asked);

// How many passes of the pipeline a file of that name has behind it. CallError where the name says something
// else than the pipeline.
size_t passes_behind(const transform::Pipeline& pipeline, const std::string& path);

}  // namespace mlc::repl
