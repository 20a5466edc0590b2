// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/models.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "backend/backend.h"
#include "frontend/script/modules/global_functions.h"
#include "ir/core/error.h"
#include "ir/target/target.h"
#include "repl/shell/graph_build.h"
#include "repl/shell/source.h"
#include "transform/pass/pipeline.h"

namespace mlc::repl {

using ir::Any;

bool is_graph_file(std::string_view path) { return path.ends_with(".onnx") || path.ends_with(".pt2"); }
bool is_model_to_build(std::string_view path) { return is_graph_file(path) || path.ends_with(".gguf"); }
bool is_model_file(std::string_view path) { return is_graph_file(path) || path.ends_with(".so"); }

Any text_list(const std::vector<std::string>& texts) {
  script::List all;
  for (const std::string& text : texts) all.push_back(script::str_value(text));
  return all;
}

void rethrow_about_call(ir::Error& error) {
  ir::Diagnostic& first = error.first();
  constexpr std::string_view kNotStandalone = "NotStandalone: ";
  for (std::string_view kind : {std::string_view("CallError: "), kNotStandalone}) {
    if (first.name != "raised" || !first.message.starts_with(kind)) continue;
    std::string help = first.notes.empty() ? "" : first.notes.front().message;
    if (kind == kNotStandalone)
      help = "`--emit so` without a header makes a library whose graphs the virtual machine runs";
    throw CallError{first.message.substr(kind.size()), help};
  }
  throw;
}

// Not about the lines of the library that found it.
static void about_the_model(ir::Error& error) {
  ir::Diagnostic& first = error.first();
  first.span = {};
  first.calls.clear();
  for (ir::Note& note : first.notes) note.span = {};
}

Any call_model_library(script::Evaluator& evaluator, std::string_view module, std::string_view function,
                       std::span<const Any> args) {
  try {
    return evaluator.call_library(module, function, args);
  } catch (ir::Error& error) {
    about_the_model(error);
    rethrow_about_call(error);
  }
}

void refuse_values(const CommandLine& line) {
  if (!line.values.empty())
    throw CallError{"`--value` is for ONNX models, whose branches and shapes an input may decide", ""};
}

void use_threads(const std::string& threads) {
  if (threads.empty()) return;
  int count = 0;
  const char* end = threads.data() + threads.size();
  bool is_number = std::from_chars(threads.data(), end, count) == std::from_chars_result{end, std::errc()};
  if (!is_number || count < 1 || count > 1024)
    throw CallError{fmt::format("`{}` is no number of threads", threads), "`--threads 2`"};
  setenv("MLC_NUM_THREADS", threads.c_str(), 1);  // the pool reads it when it starts
}

// Has anybody asked for a library? Else the part of the library that knows them is not read.
static bool dispatch_is_used = false;

void use_dispatch(script::Evaluator& evaluator, const std::string& dispatch) {
  dispatch_is_used = dispatch_is_used || !dispatch.empty();
  if (!dispatch_is_used) return;
  Any args[] = {script::str_value(dispatch)};
  call_model_library(evaluator, "mlc.dispatch", "use", args);
}

std::string take_dispatch_report(script::Evaluator& evaluator, std::string* json) {
  if (!dispatch_is_used) return "";
  auto parts = call_model_library(evaluator, "mlc.dispatch", "take_report", {}).cast<ir::Array<Any>>();
  if (json != nullptr) *json = script::text_of(parts[1]);
  return std::string(script::text_of(parts[0]));
}

namespace {

constexpr std::string_view kSources = "mlc.model.sources";
// What stdlib/model/inputs.mlc says of a dimension that nothing has given a value.
constexpr std::string_view kDefaulted = "makes it another one";

Model model_of(std::string name, const Any& parts) {
  auto all = parts.cast<ir::Array<Any>>();
  Model model{.name = std::move(name),
              .function = std::string(script::text_of(all[2])),
              .mod = all[1].cast<ir::IRModule>(),
              .arguments = {},
              .text = std::string(script::text_of(all[4])),
              .prepared = all[0],
              .dispatch = {}};
  for (const Any& each : all[3].cast<ir::Array<Any>>()) model.arguments.push_back(each);
  return model;
}

}  // namespace

Model model_of_file(const CommandLine& line, script::Evaluator& evaluator) {
  Any args[] = {script::str_value(line.file), text_list(line.inputs), text_list(line.dims),
                text_list(line.values), line.seed};
  return model_of(std::filesystem::path(line.file).stem().string(),
                  call_model_library(evaluator, kSources, "parts_of_file", args));
}

Model model_of_module(const CommandLine& line, script::Evaluator& evaluator, const NamedModule& module) {
  refuse_values(line);
  Any args[] = {module.mod,           script::str_value(line.name),    text_list(line.inputs),
                text_list(line.dims), script::str_value(line.weights), line.seed};
  return model_of(module.name, call_model_library(evaluator, kSources, "parts_of_module", args));
}

ir::IRModule graphs_to_build(const CommandLine& line, script::Evaluator& evaluator, const ir::IRModule& mod) {
  refuse_values(line);
  if (line.weights.empty() && line.dims.empty()) return mod;
  Any args[] = {mod, script::str_value(line.weights), text_list(line.dims)};
  return call_model_library(evaluator, kSources, "graphs_to_build", args).cast<ir::IRModule>();
}

ir::IRModule model_to_build(const CommandLine& line, script::Evaluator& evaluator, const std::string& file,
                            bool standalone) {
  if (!line.weights.empty())
    throw CallError{"`--weights` is for programs: a model's file has its weights", ""};
  if (is_graph_file(file)) {
    Any args[] = {script::str_value(file), text_list(line.dims), text_list(line.values), standalone};
    return call_model_library(evaluator, kSources, "module_of_file", args).cast<ir::IRModule>();
  }
  refuse_values(line);
  if (!line.dims.empty())
    throw CallError{"`--dim` is for graphs, and a language model takes any number of tokens", ""};
  Any args[] = {script::str_value(file), standalone};
  return call_model_library(evaluator, "mlc.llm.library", "module_of_file", args).cast<ir::IRModule>();
}

ir::ffi::Module compile_model(const Model& model, script::Evaluator& evaluator, Progress& progress,
                              const AfterPass& after) {
  static const ir::Target target = ir::parse_target(Any(ir::String(backend::default_target_kind())));
  use_dispatch(evaluator, model.dispatch);
  if (!after) reuse_compiled(evaluator);
  transform::Pipeline pipeline(transform::named_pipeline(Any(ir::String("graph")), target, evaluator), target,
                               evaluator);
  auto at = [&](size_t pass) {
    if (pass < pipeline.size())
      progress.at(fmt::format("pass {} of {}: {}", pass + 1, pipeline.size(), pipeline.pass_name(pass)));
  };
  at(0);
  if (after) after("", model.mod);
  ir::IRModule lowered;
  try {
    lowered = pipeline.lower(model.mod, 0, [&](size_t i, const ir::IRModule& mod) {
      if (after) after(pipeline.pass_name(i), mod);
      at(i + 1);
    });
  } catch (ir::Error& error) {
    about_the_model(error);
    if (model.text.find(kDefaulted) != std::string::npos)
      error.first().notes.push_back(
          {"dimensions that nothing gives a value are 1: `--dim NAME=N` gives another one", {}});
    throw;
  }
  script::define_of_library(lowered, evaluator);
  progress.at(fmt::format("compiling `{}`", visible(model.name)));
  return build_graphs(lowered, backend::default_backend(), target);
}

int run_model(const CommandLine& line, script::Evaluator& evaluator) {
  use_threads(line.threads);
  Progress progress;
  std::string text;
  if (!is_graph_file(line.file)) {
    refuse_values(line);
    if (!line.dispatch.empty())
      throw CallError{"`--dispatch` is for what is compiled, and the library is built already", ""};
    if (!line.dims.empty())
      throw CallError{"`--dim` is for models whose shapes are chosen before they are compiled",
                      "the inputs say what the dimensions of a library's graph are"};
    progress.at("running the model");
    Any args[] = {script::str_value(line.file), script::str_value(line.name), text_list(line.inputs),
                  script::str_value(line.out)};
    text = script::text_of(call_model_library(evaluator, kSources, "run_library", args));
  } else {
    if (!line.name.empty() && line.name != "main")
      throw CallError{fmt::format("a model has one function, `main`, and no `{}`", line.name), ""};
    Any folder[] = {script::str_value(line.out)};
    if (!line.out.empty()) call_model_library(evaluator, "mlc.model.outputs", "check_folder", folder);
    progress.at("reading the model");
    Model model = model_of_file(line, evaluator);
    model.dispatch = line.dispatch;
    Any args[] = {model.prepared, compile_model(model, evaluator, progress), script::str_value(line.out)};
    progress.at("running the model");
    text = script::text_of(call_model_library(evaluator, kSources, "run_prepared", args));
    text = take_dispatch_report(evaluator) + text;
  }
  progress.clear();
  fmt::print("{}", text);
  return 0;
}

}  // namespace mlc::repl
