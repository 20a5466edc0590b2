// SPDX-License-Identifier: Apache-2.0
// `mlc build`: a program's module as a file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "backend/artefact/build_record.h"
#include "backend/artefact/cache.h"
#include "backend/artefact/write_file.h"
#include "backend/backend.h"
#include "backend/target_api.h"
#include "frontend/print/print.h"
#include "ir/core/files.h"
#include "ir/core/inputs.h"
#include "repl/shell/build_outputs.h"
#include "repl/shell/command_line.h"
#include "repl/shell/graph_build.h"
#include "repl/shell/graph_runs.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/kept_files.h"
#include "repl/shell/models.h"
#include "repl/shell/program.h"
#include "repl/shell/progress.h"
#include "repl/shell/report.h"
#include "repl/shell/show_program.h"
#include "repl/shell/source.h"
#include "repl/shell/stages.h"

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string c_names(const backend::CInterface& interface) {
  std::vector<std::string> names;
  for (const backend::CFunction& one : interface.functions) names.push_back(fmt::format("`{}`", one.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Of all files when it is a folder.
uintmax_t size_on_disk(const fs::path& path) {
  if (!fs::is_directory(path)) return fs::file_size(path);
  uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

std::string function_names(const ir::IRModule& mod) {
  std::vector<std::string> names = names_of(mod);
  for (std::string& name : names) name = fmt::format("`{}`", name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void write_stage(const CommandLine& line, const transform::Pipeline& pipeline, size_t after,
                 const ir::IRModule& mod) {
  std::string head = after == 0 ? fmt::format("# before the first of the {} passes", pipeline.size())
                                : fmt::format("# after {} of the {} passes: {}", after, pipeline.size(),
                                              pipeline.pass_name(after - 1));
  fs::path path = fs::path(line.dump_folder) / (stage_name(pipeline, after) + ".mlc");
  refuse_input(path, "name another folder with `--dump-folder FOLDER`");
  refuse_other_program(path);
  write_file(path.string(),
             fmt::format("{} of the pipeline `{}`\n{}", head, line.pipeline, print::file_text(mod, {})));
}

// The module behind the last pass; stages that are asked for are written on the way.
ir::IRModule lowered(const CommandLine& line, const NamedModule& found, const ir::Target& target,
                     script::Evaluator& evaluator, Progress& progress) {
  transform::Pipeline pipeline = pipeline_of(line, target, evaluator);
  std::vector<bool> dumped = stages_to_dump(pipeline, line.dump);
  size_t first = line.from.empty() ? 0 : passes_behind(pipeline, line.from);
  if (!line.dump.empty()) {
    std::error_code failed;
    fs::create_directories(line.dump_folder, failed);
    if (failed) throw CallError{fmt::format("`{}` cannot be made a folder", line.dump_folder), ""};
  }
  // A pass that changed nothing needs no file, unless it was asked for by name.
  const ir::IRModuleNode* last = nullptr;
  auto stage = [&](size_t after, const ir::IRModule& mod) {
    if (dumped[after] && (mod.get() != last || line.dump != "all")) write_stage(line, pipeline, after, mod);
    last = mod.get();
  };
  if (first == 0) stage(0, found.mod);
  last = found.mod.get();
  auto at = [&](size_t pass) {
    if (pass < pipeline.size())
      progress.at(fmt::format("pass {} of {}: {}", pass + 1, pipeline.size(), pipeline.pass_name(pass)));
  };
  at(first);
  return pipeline.lower(found.mod, first, [&](size_t i, const ir::IRModule& mod) {
    stage(i + 1, mod);
    at(i + 1);
  });
}

// Every text that the program was made from, the standard library's included.
void add_sources(std::vector<std::string>& parts) {
  for (const ir::SourceFile* file : ir::SourceMap::current().files()) {
    parts.push_back(file->name);
    parts.push_back(file->text);
  }
}

void check_weights_file(const CommandLine& line, bool standalone, const fs::path& out) {
  if (!standalone)
    throw CallError{
        "a library for the virtual machine holds its weights, and `--weights-file` is for what needs none",
        "add `--header FILE.h`, or `--emit a` or `exe`"};
  if (!line.weights_file.ends_with(".safetensors"))
    throw CallError{fmt::format("`{}` does not end with .safetensors", line.weights_file), ""};
  std::error_code ignored;
  if (line.weights_file == out.string() || fs::equivalent(line.weights_file, line.weights, ignored) ||
      fs::equivalent(line.weights_file, line.file, ignored))
    throw CallError{fmt::format("`{}` is a file that the build reads or writes", line.weights_file),
                    "name another one"};
}

// What the build depends on, with files that were opened; nothing where one of these is not what was read any
// more.
std::optional<std::vector<ir::Input>> files_of_build(const ir::Inputs& inputs) {
  std::vector<ir::Input> all = inputs.all();
  for (const ir::OpenedFile& file : inputs.opened_files()) {
    std::optional<std::string> content = ir::read_file(file.path);
    if (!content || ir::as_it_is(file.path) != file || static_cast<int64_t>(content->size()) != file.size)
      return std::nullopt;
    all.push_back({file.path, 'd', backend::record::digest(*content)});
  }
  return all;
}

// Where each part of the functions comes from: what line tables are made of.
std::string places(const ir::IRModule& mod) {
  std::string bytes;
  auto add = [&](ir::Span span) { bytes.append(reinterpret_cast<const char*>(&span), sizeof span); };
  std::vector<std::pair<std::string, ir::PrimFunc>> functions;
  for (const auto& [var, fn] : mod->functions) {
    if (auto prim = fn.as<ir::PrimFunc>()) functions.emplace_back(std::string(var->name_hint), *prim);
  }
  std::sort(functions.begin(), functions.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, fn] : functions) {
    add(fn->span);
    ir::post_order(
        fn->body, [&](const ir::Expr& e) { add(e->span); }, [&](const ir::Stmt& s) { add(s->span); });
  }
  return bytes;
}

// What the artefact is made of; nothing where more than that decides, or more than one file comes out.
std::optional<std::string> cache_key(const CommandLine& line, const NamedModule& found, const Plan& plan,
                                     bool lines) {
  bool own = line.pipeline == "default" || line.pipeline == "graph" || line.pipeline == "standalone";
  bool usual = own && line.dump.empty() && line.from.empty() && !line.no_cache;
  if (!usual || std::getenv("MLCPATH") != nullptr || std::getenv("MLC_STDLIB") != nullptr)
    return std::nullopt;
  std::string text = print::file_text(found.mod);
  if (text.find("Metadata omitted") != text.npos) return std::nullopt;
  char host[256] = "";
  gethostname(host, sizeof host - 1);  // a home may be that of several machines
  std::vector<std::string> parts{text, plan.target_text, line.schedule, host,
                                 fmt::format("{} {} {} {}", plan.choice.backend->name,
                                             plan.choice.artefact->name, lines, line.check_bounds)};
  if (lines) {
    parts.push_back(fs::current_path().string());
    parts.push_back(places(found.mod));
  }
  add_sources(parts);
  return backend::BuildCache::key(parts);
}

}  // namespace

namespace {

// What the command says when all is written.
struct BuildReport {
  const CommandLine& line;
  const Plan& plan;
  const NamedModule& found;
  fs::path out;

  std::string text() const {
    return fmt::format("{}: {} of `{}` for {}, {} bytes in ", visible(out.string()),
                       visible(function_names(found.mod)), visible(found.name), visible(plan.target_text),
                       size_on_disk(out));
  }
  nlohmann::ordered_json json() const {
    return {{"file", out.string()},       {"emit", plan.choice.artefact->name},
            {"module", found.name},       {"functions", names_of(found.mod)},
            {"target", plan.target_text}, {"bytes", size_on_disk(out)}};
  }
};

void tell_header(nlohmann::ordered_json* json, const fs::path& header, const backend::CInterface& in_c) {
  if (json == nullptr) {
    fmt::print("{}: declares {}\n", visible(header.string()), visible(c_names(in_c)));
    return;
  }
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const backend::CFunction& one : in_c.functions) names.push_back(one.name);
  (*json)["header"] = {{"file", header.string()}, {"functions", names}};
}

}  // namespace

int run_build(const CommandLine& given) {
  CommandLine line = given;
  Plan plan = plan_of(line);
  const auto& [maker, artefact] = plan.choice;
  const ir::Target& target = plan.target;
  StandardOutput standard_output(line, *artefact);
  fs::path out = standard_output.wanted() ? standard_output.file() : output_path(line, *artefact);
  std::optional<backend::ForC> header = for_c(line, *artefact, out);
  if (line.file.empty() && line.from.empty())
    throw CallError{"there is no program to build", "`mlc build FILE`, or `mlc build --from STAGE`"};

  if (line.no_cache) setenv("MLC_CACHE_SIZE", "0", 1);  // that of parts as well
  Clock::time_point start = Clock::now();
  ir::Inputs& inputs = ir::Inputs::global();
  inputs.keep();
  Progress progress;
  progress.at("running the program");
  Interpreter evaluator;
  if (line.check_bounds) check_bounds(evaluator);
  // A program that asks for the current target, for the size of its tiles say, gets the one it is built for.
  std::optional<backend::CurrentTarget> current;
  if (plan.target_text != backend::default_target_kind()) current.emplace(target);
  bool model = line.from.empty() && is_model_to_build(line.file);
  // Graphs that are built so need no virtual machine: their functions can be called from C.
  bool without_machine = artefact->name != "so" || header || maker->write_library == nullptr;
  NamedModule found;
  if (model) {
    progress.at("reading the model");
    found = {fs::path(line.file).stem().string(),
             model_to_build(line, evaluator, line.file, without_machine)};
  } else {
    uint32_t file = load_program(evaluator, line.from.empty() ? line.file : line.from);
    found = chosen_module(evaluator, file, line.module);
  }
  current.reset();
  // Files of a model, and of weights, which are read from here on, are compared by their digests.
  bool comparable = model || inputs.can_be_told();
  refuse_input(out, "name the artefact with `-o FILE`");
  refuse_source(out, *artefact);
  fs::path header_file = !header               ? fs::path()
                         : artefact->is_folder ? out / "include" / (header->library + ".h")
                                               : fs::path(header->header);
  if (header) {
    refuse_input(header_file, "name the header with `--header FILE.h`");
    refuse_other_header(header_file);
  }
  bool graphs = has_graphs(found.mod);
  bool standalone = graphs && without_machine;
  if (graphs && maker->device != kDLCPU)
    throw CallError{
        fmt::format("`{}` is a graph, and graphs are built for the CPU here", visible(found.name)),
        fmt::format(
            "`tvm.compile(mod, target=\"{}\")` in a program compiles it for the device, and `export_library` "
            "writes the library",
            maker->targets.front())};
  if (graphs) {
    if (!model) found.mod = graphs_to_build(line, evaluator, found.mod);
    if (standalone && !model) {
      ir::Any args[] = {found.mod};
      call_model_library(evaluator, "mlc.model.sources", "check_standalone", args);
    }
    if (line.pipeline == "default") line.pipeline = standalone ? "standalone" : "graph";
    if (!line.dispatch.empty() && std::string_view(maker->name) != "llvm")
      throw CallError{fmt::format("`--dispatch` is for code that LLVM compiles, not for `--target {}`", line.target), ""};
    if (!line.dispatch.empty()) use_dispatch(evaluator, line.dispatch);
    if (line.schedule == "none") leave_graphs_unscheduled(evaluator);
    // Not where stages are written, which have no functions that are left out.
    if (!standalone && line.dump.empty() && line.from.empty()) reuse_compiled(evaluator);
  } else if (!line.weights.empty() || !line.dims.empty() || !line.dispatch.empty()) {
    throw CallError{fmt::format("`--weights`, `--dim` and `--dispatch` are for graphs, and `{}` has none", found.name), ""};
  } else {
    refuse_values(line);
  }
  if (!line.weights_file.empty()) check_weights_file(line, standalone, out);
  bool lines = line.debug_info.empty() ? !artefact->is_text : line.debug_info == "lines";
  std::optional<backend::BuildCache> cache =
      header || !line.weights_file.empty() ? std::nullopt : backend::BuildCache::of_user();
  std::optional<std::string> key = cache ? cache_key(line, found, plan, lines) : std::nullopt;
  // What a library says of itself may change from build to build.
  if (!line.dispatch.empty()) key.reset();
  // Only what the program itself has asked for counts, not what is read and written from here on.
  bool repeatable = key && comparable && !line.json && !standard_output.wanted();
  BuildReport summary{line, plan, found, out};
  auto report = [&] {
    std::string text = summary.text();
    std::optional<std::vector<ir::Input>> files = repeatable ? files_of_build(inputs) : std::nullopt;
    if (files)
      cache->keep_record(backend::circumstances(line.typed + 1, environ), *files, out.string(), text);
    return text;
  };
  // What stands in a stream is the artefact alone.
  auto is_written = [&] {
    progress.clear();
    standard_output.write();
    return standard_output.wanted() || is_stream(out);
  };
  if (key && cache->copy(*key, out.string())) {
    if (is_written()) return 0;
    double time = milliseconds_since(start);
    if (line.json) {
      nlohmann::ordered_json json = summary.json();
      json["cached"] = true;
      json["milliseconds"] = time;
      print_event("result", json);
    } else {
      fmt::print("{}{:.0f} ms (script and cache)\n", report(), time);
    }
    return 0;
  }
  if (!graphs && line.from.empty() && line.schedule == "auto" && !maker->schedule_rules.empty()) {
    progress.at(fmt::format("scheduling `{}`", visible(found.name)));
    ir::Any schedule = schedule_by_rules(evaluator, maker->schedule_rules, found.mod, plan.target_text);
    found.mod = *module_in(evaluator, schedule);
  }
  double script_time = milliseconds_since(start);

  start = Clock::now();
  ir::IRModule ready;
  try {
    ready = lowered(line, found, target, evaluator, progress);
  } catch (ir::Error& error) {
    if (!standalone && line.dispatch.empty()) throw;
    rethrow_about_call(error);
  }
  if (!line.weights_file.empty()) {
    progress.at("writing the weights");
    std::string relative =
        fs::proximate(line.weights_file, out.parent_path().empty() ? "." : out.parent_path()).string();
    ir::Any args[] = {ready, script::str_value(line.weights_file), script::str_value(relative)};
    ready = call_model_library(evaluator, "mlc.model.weights", "move_to_file", args).cast<ir::IRModule>();
  }
  progress.at(fmt::format("compiling `{}`: {} functions", visible(found.name), ready->functions.size()));
  backend::CInterface in_c;
  if (graphs && !standalone) {
    write_graph_library(ready, *maker, target, out.string());
  } else {
    in_c = maker->emit(*artefact, {ready, target, out.string(), lines, header ? &*header : nullptr,
                                   [](const ir::Expr& e) { return print::text_of(e); }});
  }
  if (!header && key) cache->keep(*key, out.string());
  double build_time = milliseconds_since(start);
  if (is_written()) return 0;

  nlohmann::ordered_json json;
  if (line.json) {
    json = summary.json();
    json["cached"] = false;
    json["milliseconds"] = script_time + build_time;
    json["script_milliseconds"] = script_time;
  } else {
    fmt::print("{}{:.0f} ms (script {:.0f} ms, compilation {:.0f} ms)\n", report(), script_time + build_time,
               script_time, build_time);
  }
  if (!line.dispatch.empty()) {
    std::string rows, text = take_dispatch_report(evaluator, &rows);
    if (line.json) {
      json["dispatch"] = nlohmann::ordered_json::parse(rows);
    } else {
      fmt::print("{}", text);
    }
  }
  if (header) tell_header(line.json ? &json : nullptr, header_file, in_c);
  if (line.json) print_event("result", json);
  return 0;
}

}  // namespace mlc::repl
