// SPDX-License-Identifier: Apache-2.0
// Models that the command line names: made ready by the library (stdlib/model), compiled here.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/module.h"
#include "ir/registry/host.h"
#include "repl/measure/graph_measure.h"
#include "repl/shell/command_line.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"

namespace mlc::repl {

// What `mlc run` takes beside programs: files of graphs, and .so, a built library of graphs.
bool is_model_file(std::string_view path);
// .onnx, and .pt2 of torch.export.
bool is_graph_file(std::string_view path);
// What `mlc build` takes beside programs: files of graphs, and .gguf, a language model.
bool is_model_to_build(std::string_view path);

// A function of the library about models. What it says of the call becomes a CallError; other errors are
// about the model, and not about the lines of the library that found them.
ir::Any call_model_library(script::Evaluator& evaluator, std::string_view module, std::string_view function,
                           std::span<const ir::Any> args);
// The error of a call where it is about the call (CallError, NotStandalone of the library).
[[noreturn]] void rethrow_about_call(ir::Error& error);
// Texts as a list of the language.
ir::Any text_list(const std::vector<std::string>& texts);
// --value where no ONNX model is read.
void refuse_values(const CommandLine& line);
// --threads for code that is compiled and run from here on. CallError for a number that is none.
void use_threads(const std::string& threads);

// --dispatch for graphs that are compiled from here on; "" for none. CallError where it cannot be understood or a
// library is not here.
void use_dispatch(script::Evaluator& evaluator, const std::string& dispatch);
// Which calls have gone where since the last time it was asked: in lines, "" where nobody has asked for a library; and
// as JSON.
std::string take_dispatch_report(script::Evaluator& evaluator, std::string* json = nullptr);

// A model ready to be compiled: its shapes are numbers.
struct Model {
  std::string name;      // as its user calls it
  std::string function;  // of `mod`
  ir::IRModule mod;
  std::vector<ir::Any> arguments;
  std::string text;  // what the arguments are, in lines
  ir::Any prepared;  // the same for the library
  std::string dispatch;  // as --dispatch says it
};
Model model_of_file(const CommandLine& line, script::Evaluator& evaluator);
Model model_of_module(const CommandLine& line, script::Evaluator& evaluator, const NamedModule& module);

// The graphs of a module, or of a model's file, as `mlc build` is to build them: with --weights and --dim.
// `standalone`: all dimensions must be numbers.
ir::IRModule graphs_to_build(const CommandLine& line, script::Evaluator& evaluator, const ir::IRModule& mod);
ir::IRModule model_to_build(const CommandLine& line, script::Evaluator& evaluator, const std::string& file,
                            bool standalone);

// Told of each pass that is behind: its name, and the module then; "" and the module before the first.
using AfterPass = std::function<void(const std::string& pass, const ir::IRModule& mod)>;
// By the pipeline `graph`, for this machine: an executable of the virtual machine.
ir::ffi::Module compile_model(const Model& model, script::Evaluator& evaluator, Progress& progress,
                              const AfterPass& after = {});

// How long they take in turn, compiled for this machine; `progress` is told what is at work.
std::vector<MeasuredGraph> measure_models(const std::vector<Model>& models, script::Evaluator& evaluator,
                                          double budget, Progress& progress);

// `mlc run` of a model, `mlc bench` of models.
int run_model(const CommandLine& line, script::Evaluator& evaluator);
int bench_models(const CommandLine& line, script::Evaluator& evaluator, const std::vector<Model>& models);

}  // namespace mlc::repl
