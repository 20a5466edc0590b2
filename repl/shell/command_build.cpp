// SPDX-License-Identifier: Apache-2.0
// `mlc build`: a program's module as a file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "backend/artefact/build_record.h"
#include "backend/artefact/cache.h"
#include "backend/artefact/write_file.h"
#include "backend/backend.h"
#include "backend/target_api.h"
#include "frontend/print/print.h"
#include "ir/core/inputs.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "repl/shell/source.h"
#include "repl/shell/stages.h"

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// What --emit says, else what the ending of -o says, else the first artefact of the target's backend.
backend::Choice chosen_artefact(const CommandLine& line, const backend::Backend& preferred) {
  if (!line.emit.empty()) return backend::choose_artefact(line.emit, preferred);
  std::string ending = fs::path(line.out).extension().string();
  auto named = [&](const backend::Backend& maker) -> const backend::Artefact* {
    auto found = std::ranges::find(maker.artefacts, ending, &backend::Artefact::ending);
    return ending.empty() || found == maker.artefacts.end() ? nullptr : &*found;
  };
  if (const backend::Artefact* own = named(preferred)) return {&preferred, own};
  for (const backend::Backend* maker : backend::all_backends()) {
    if (const backend::Artefact* found = named(*maker)) return {maker, found};
  }
  return {&preferred, &preferred.artefacts.front()};
}

// What is built, and for what.
struct Plan {
  backend::Choice choice;
  ir::Target target;
  std::string target_text;
};
// An artefact that only another backend makes is for the first target of that one, unless a target was named.
Plan plan_of(const CommandLine& line) {
  ir::Target target = target_of(line);
  const backend::Backend& preferred = backend::backend_of(target);
  backend::Choice choice = chosen_artefact(line, preferred);
  if (choice.backend == &preferred) return {choice, target, line.target};
  std::string kind(choice.backend->targets.front());
  if (line.target != backend::default_target_kind()) {
    throw CallError{fmt::format("`{}` is made for the target `{}`, and not for `{}`", choice.artefact->name,
                                kind, std::string(target->kind)),
                    fmt::format("build with `--target {}`", kind)};
  }
  return {choice, ir::parse_target(ir::Any(ir::String(kind))), kind};
}

fs::path output_path(const CommandLine& line, const backend::Artefact& kind) {
  fs::path out = line.out;
  if (out.empty()) {
    out = line.file == "-" ? "stdin" : fs::path(line.from.empty() ? line.file : line.from).stem();
    out += kind.ending;
  }
  std::error_code ignored;
  if (kind.is_folder) {
    if (!out.has_filename()) out = out.parent_path();  // `folder/`
    if (fs::exists(out, ignored) && !fs::is_directory(out, ignored)) {
      throw CallError{fmt::format("`{}` is a file, and a package is a folder", out.string()),
                      "name the folder with `-o FOLDER`"};
    }
  } else if (fs::is_directory(out, ignored)) {
    throw CallError{fmt::format("`{}` is a directory", out.string()),
                    "name the artefact with `-o FOLDER/NAME`"};
  }
  if (out.has_parent_path() && !fs::is_directory(out.parent_path(), ignored)) {
    throw CallError{fmt::format("there is no folder `{}`", out.parent_path().string()), ""};
  }
  return out;
}

// "so, a or obj": what may have a header beside it.
std::string artefacts_with_header() {
  std::vector<std::string> names;
  auto add = [&](const backend::Backend& maker) {
    for (const backend::Artefact& one : maker.artefacts) {
      bool beside = one.header != backend::Artefact::Header::kNever && !one.is_folder;
      if (beside && std::ranges::find(names, one.name) == names.end()) names.emplace_back(one.name);
    }
  };
  add(backend::default_backend());
  for (const backend::Backend* maker : backend::all_backends()) add(*maker);
  std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} or {}", fmt::join(names, ", "), last);
}

// What a C program gets beside the code; nothing where no header is wanted.
std::optional<backend::ForC> for_c(const CommandLine& line, const backend::Artefact& kind,
                                   const fs::path& out) {
  using Header = backend::Artefact::Header;
  bool package = kind.is_folder;
  if (!line.header.empty() && (package || kind.header == Header::kNever)) {
    throw CallError{fmt::format("`--header` belongs to {}{}", artefacts_with_header(),
                                package ? "; a package has its header in include/" : ""),
                    ""};
  }
  bool wanted = kind.header == Header::kAlways || !line.header.empty();
  if (!wanted && !line.c_prefix.empty())
    throw CallError{"`--c-prefix` is for the functions of a header", "add `--header FILE.h`"};
  if (!wanted) return std::nullopt;
  backend::ForC options;
  fs::path name = package ? out.filename() : out.stem();
  options.library = name.string();
  if (!package && options.library.starts_with("lib") && options.library.size() > 3)
    options.library.erase(0, 3);
  bool plain = !options.library.empty() &&
               options.library.find_first_not_of(
                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_-+.") == std::string::npos &&
               options.library[0] != '-' && options.library[0] != '.';
  if (package && !plain) {
    throw CallError{fmt::format("a package cannot be called `{}`: files of its name must be found by "
                                "compilers, pkg-config and CMake",
                                options.library),
                    "use letters, digits, `_`, `-`, `+` and `.`"};
  }
  const std::string& version = line.package_version;
  bool digits = !version.empty() && version.find_first_not_of("0123456789.") == std::string::npos &&
                version.front() != '.' && version.back() != '.' && version.find("..") == std::string::npos;
  if (!digits)
    throw CallError{fmt::format("`{}` is no version of a package", version), "a version is 1.2 or 1.2.3"};
  options.version = version;
  options.prefix = line.c_prefix;
  fs::path header =
      line.header.empty() ? out.parent_path() / (options.library + ".h") : fs::path(line.header);
  std::error_code ignored;
  if (fs::is_directory(header, ignored))
    throw CallError{fmt::format("`{}` is a directory", header.string()),
                    "name the header with `--header FILE.h`"};
  if (header.has_parent_path() && !package && !fs::is_directory(header.parent_path(), ignored))
    throw CallError{fmt::format("there is no folder `{}`", header.parent_path().string()), ""};
  if (!package &&
      (header.lexically_normal() == out.lexically_normal() || fs::equivalent(header, out, ignored)))
    throw CallError{fmt::format("the header would be `{}` as well", header.string()),
                    "give the artefact or the header another name"};
  options.header = header.string();
  return options;
}

std::string c_names(const backend::CInterface& interface) {
  std::vector<std::string> names;
  for (const backend::CFunction& one : interface.functions) names.push_back(fmt::format("`{}`", one.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// `/dev/stdout`, a pipe: what comes out stands alone there.
bool is_stream(const fs::path& path) {
  std::error_code failed;
  return !fs::is_regular_file(path, failed) && !fs::is_directory(path, failed);
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
  std::set<std::string> names;  // the map has no order of its own
  for (const auto& [var, fn] : mod->functions) names.insert(fmt::format("`{}`", std::string(var->name_hint)));
  return fmt::format("{}", fmt::join(names, ", "));
}

// What the program has read is not written over: an artefact in place of the source would be its end.
void refuse_input(const fs::path& out, const char* help) {
  if (!ir::Inputs::global().has_read(out.string())) return;
  throw CallError{fmt::format("`{}` is a file that the program is made from, so nothing is written there",
                              out.string()),
                  help};
}

void write_stage(const CommandLine& line, const transform::Pipeline& pipeline, size_t after,
                 const ir::IRModule& mod) {
  std::string head = after == 0 ? fmt::format("# before the first of the {} passes", pipeline.size())
                                : fmt::format("# after {} of the {} passes: {}", after, pipeline.size(),
                                              pipeline.pass_name(after - 1));
  fs::path path = fs::path(line.dump_folder) / (stage_name(pipeline, after) + ".mlc");
  refuse_input(path, "name another folder with `--dump-folder FOLDER`");
  write_file(path.string(),
             fmt::format("{} of the pipeline `{}`\n{}", head, line.pipeline, print::file_text(mod, {})));
}

// The module behind the last pass; stages that are asked for are written on the way.
ir::IRModule lowered(const CommandLine& line, const NamedModule& found, const ir::Target& target,
                     script::Evaluator& evaluator) {
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
  return pipeline.lower(found.mod, first, [&](size_t i, const ir::IRModule& mod) { stage(i + 1, mod); });
}

// Every text that the program was made from, the standard library's included.
void add_sources(std::vector<std::string>& parts) {
  for (const ir::SourceFile* file : ir::SourceMap::current().files()) {
    parts.push_back(file->name);
    parts.push_back(file->text);
  }
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
  bool usual = line.pipeline == "default" && line.dump.empty() && line.from.empty() && !line.no_cache;
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

int run_build(const CommandLine& line) {
  Plan plan = plan_of(line);
  const auto& [maker, artefact] = plan.choice;
  const ir::Target& target = plan.target;
  fs::path out = output_path(line, *artefact);
  std::optional<backend::ForC> header = for_c(line, *artefact, out);
  if (line.file.empty() && line.from.empty())
    throw CallError{"there is no program to build", "`mlc build FILE`, or `mlc build --from STAGE`"};

  Clock::time_point start = Clock::now();
  ir::Inputs& inputs = ir::Inputs::global();
  inputs.keep();
  Interpreter evaluator;
  if (line.check_bounds) check_bounds(evaluator);
  // A program that asks for the current target, for the size of its tiles say, gets the one it is built for.
  std::optional<backend::CurrentTarget> current;
  if (plan.target_text != backend::default_target_kind()) current.emplace(target);
  uint32_t file = load_program(evaluator, line.from.empty() ? line.file : line.from);
  current.reset();
  refuse_input(out, "name the artefact with `-o FILE`");
  if (header && !artefact->is_folder)
    refuse_input(header->header, "name the header with `--header FILE.h`");
  NamedModule found = chosen_module(evaluator, file, line.module);
  bool lines = line.debug_info.empty() ? !artefact->is_text : line.debug_info == "lines";
  std::optional<backend::BuildCache> cache = header ? std::nullopt : backend::BuildCache::of_user();
  std::optional<std::string> key = cache ? cache_key(line, found, plan, lines) : std::nullopt;
  // Only what the program itself has asked for counts, not what is read and written from here on.
  bool repeatable = key && inputs.can_be_told();
  auto report = [&] {
    std::string text = fmt::format("{}: {} of `{}` for {}, {} bytes in ", out.string(),
                                   function_names(found.mod), found.name, plan.target_text,
                                   size_on_disk(out));
    if (repeatable) {
      cache->keep_record(backend::circumstances(line.typed + 1, environ), inputs.all(),
                         out.string(), text);
    }
    return text;
  };
  if (key && cache->copy(*key, out.string())) {
    if (is_stream(out)) return 0;
    fmt::print("{}{:.0f} ms (script and cache)\n", report(), milliseconds_since(start));
    return 0;
  }
  if (line.from.empty() && line.schedule == "auto" && !maker->schedule_rules.empty()) {
    ir::Any schedule = schedule_by_rules(evaluator, maker->schedule_rules, found.mod, plan.target_text);
    found.mod = *module_in(evaluator, schedule);
  }
  double script_time = milliseconds_since(start);

  // Long code generation says what it is doing, where somebody is watching.
  bool watched = isatty(STDERR_FILENO) != 0;
  if (watched) fmt::print(stderr, "compiling `{}` ...", found.name);
  if (watched) std::fflush(stderr);
  start = Clock::now();
  ir::IRModule ready = lowered(line, found, target, evaluator);
  backend::CInterface in_c =
      maker->emit(*artefact, {ready, target, out.string(), lines, header ? &*header : nullptr,
                              [](const ir::Expr& e) { return print::text_of(e); }});
  if (!header && key) cache->keep(*key, out.string());
  double build_time = milliseconds_since(start);
  if (watched) fmt::print(stderr, "\r\x1b[K");
  if (is_stream(out)) return 0;

  fmt::print("{}{:.0f} ms (script {:.0f} ms, compilation {:.0f} ms)\n", report(), script_time + build_time,
             script_time, build_time);
  if (!header) return 0;
  fs::path where =
      artefact->is_folder ? out / "include" / (header->library + ".h") : fs::path(header->header);
  fmt::print("{}: declares {}\n", where.string(), c_names(in_c));
  return 0;
}

}  // namespace mlc::repl
