// SPDX-License-Identifier: Apache-2.0
#include "repl/session/session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

#include "frontend/print/highlight.h"
#include "frontend/syntax/parse.h"
#include "ir/core/refusal.h"
#include "repl/session/commands.h"
#include "repl/session/lowering.h"
#include "repl/session/module_diff.h"
#include "repl/session/nest_text.h"
#include "repl/session/subject.h"
#include "repl/session/ways_out.h"
#include "repl/shell/explain.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"
#include "repl/terminal/completion.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

using ir::Any;

static constexpr ir::Refusals refusals{
    "MemoryError",
    {
        {.name = "out-of-memory",
         .message = "this needs more memory than there is",
         .meaning = "A statement of a session has asked for more memory than the machine, or a limit set for "
                    "it, has. What it had "
                    "changed is taken back, and the session goes on."},
    }};
MLC_REFUSALS(session_session, refusals);

std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool is_question(std::string_view line) {
  if (!line.ends_with('?') || line.find_first_of("\n#=") != std::string_view::npos) return false;
  line.remove_suffix(1);
  return syntax::is_complete(line) == syntax::ParseStatus::kComplete;
}

namespace {

// Does the text have this name, outside of texts and comments, and not as an attribute?
bool has_name(std::string_view source, std::string_view name) {
  auto pieces = print::highlighted(source);
  for (size_t at = source.find(name); at != std::string_view::npos; at = source.find(name, at + 1)) {
    size_t end = at + name.size();
    bool alone = (at == 0 || !(name_char(source[at - 1]) || source[at - 1] == '.')) &&
                 (end == source.size() || !name_char(source[end]));
    bool covered = std::ranges::any_of(
        pieces, [&](const print::Piece& each) { return each.begin <= at && at < each.end; });
    if (alone && !covered) return true;
  }
  return false;
}

// Does the statement name `_`? In a function it is a variable of its own.
bool names_last_value(std::string_view source) {
  std::string first = first_line(std::string(source));
  for (std::string_view word : {"def ", "class ", "@", "async "})
    if (first.starts_with(word)) return false;
  return has_name(source, "_");
}

// Names that stand for modules where nothing is bound to them, which is so in mlc alone.
constexpr std::string_view kUnsaidImports[] = {"tvm", "I", "T", "R"};

// What a program says of one: `from tvm.script import tirx as T`.
std::string import_of(script::Evaluator& evaluator, std::string_view name) {
  uint32_t file = ir::SourceMap::current().add("<saved>", fmt::format("{}.__name__\n", name));
  std::string path(script::text_of(evaluator.evaluate_repl(file)));
  size_t dot = path.rfind('.');
  return dot == path.npos
             ? fmt::format("import {}\n", path)
             : fmt::format("from {} import {} as {}\n", path.substr(0, dot), path.substr(dot + 1), name);
}

// `x + 1` as `_ = x + 1`: its last statement is an expression.
std::string binding_last_value(const std::string& source) {
  uint32_t file = ir::SourceMap::current().add("<saved>", source + "\n");
  auto tree = syntax::parse_file(file);
  const auto& body = tree->module->body;
  size_t begin = body.empty() ? 0 : body.back()->span.begin;
  return source.substr(0, begin) + "_ = " + source.substr(begin);
}

// `help`, `help()` and `help(name)`, which Python's prompt has; not where the program has a `help` of its
// own. "" for the first two.
std::optional<std::string_view> asked_of_help(const script::Evaluator& evaluator, std::string_view line) {
  if (!line.starts_with("help") || evaluator.global("help") != nullptr) return std::nullopt;
  line.remove_prefix(std::string_view("help").size());
  if (line.empty()) return line;
  if (!line.starts_with('(') || !line.ends_with(')')) return std::nullopt;
  return trim(line.substr(1, line.size() - 2));
}

}  // namespace

Session::Session(SessionOptions options)
    : options_(std::move(options)), lowerings_(std::make_shared<Lowerings>()) {
  if (!options_.out) {
    options_.out = [](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    };
  }
  evaluator_.out = [this](std::string_view text) { options_.out(text); };
}

void Session::run(std::string_view input) {
  attempt([&] { run_input(input); });
}

void Session::attempt(const std::function<void()>& what) {
  try {
    what();
  } catch (const script::Evaluator::SystemExit& exit) {
    ended_ = exit.code;
  } catch (const ir::Error& error) {
    show_error(error);
  } catch (const CallError& error) {
    options_.refusal ? options_.refusal(error) : show(call_report(error, options_.colour));
  } catch (const std::bad_alloc&) {  // of a command
    show_error(ir::refuse(refusals["out-of-memory"]));
  }
}

void Session::run_input(std::string_view input) {
  std::string_view line = trim(input);
  if (line.empty()) return;
  if (line == "quit()" || line == "exit()" || line == "quit" || line == "exit") {
    ended_ = 0;  // what Python's own prompt has taught everybody to type
  } else if (std::optional<std::string_view> name = asked_of_help(evaluator_, line)) {
    name->empty() ? run_command(*this, "help") : document(*name);
  } else if (line.starts_with(':')) {
    std::string_view rest = line.substr(1);
    const Command* command = find_command(take_word(rest));
    auto run = [&] { run_command(*this, line.substr(1)); };
    command != nullptr && command->moves ? journalled(line, run) : run();
  } else if (line.starts_with('?')) {
    document(trim(line.substr(1)));
  } else if (is_question(line)) {
    document(trim(line.substr(0, line.size() - 1)));
  } else {
    ways_out_.clear();
    journalled(input, [&] { run_statements(input); });
  }
}

void Session::journalled(std::string_view input, const std::function<void()>& what) {
  begun_ = 0;
  stopped_.reset();
  Journal::Entry entry(options_.journal, input, &stopped_);
  what();
}

void Session::show_error(const ir::Error& error) {
  // The terminal has shown `^C`.
  if (options_.screen && error.first().kind == "KeyboardInterrupt") show("\n");
  if (options_.error) {
    find_ways_out(error);
    return options_.error(error);
  }
  // What is wrong is on the screen while ways out are tried.
  show(options_.compact_errors ? compact_report(error) : full_report(error, options_.colour));
  find_ways_out(error);
  if (!ways_out_.empty()) show(ways_out_text());
}

void Session::find_ways_out(const ir::Error& error) {
  ways_out_ =
      repl::ways_out(evaluator_, error, [this](const std::function<void()>& what) { return try_out(what); });
}

std::string Session::ways_out_text() const {
  if (ways_out_.empty()) return "";
  std::string text = ways_out_.size() == 1 ? "a way out that was tried:\n" : "ways out that were tried:\n";
  for (size_t i = 0; i < ways_out_.size(); ++i) text += fmt::format("  :fix {}  {}\n", i + 1, ways_out_[i]);
  return text;
}

bool Session::try_out(const std::function<void()>& what) {
  // Nothing is shown, however it ends.
  struct Silent {
    Interpreter& evaluator;
    std::function<void(std::string_view)> out = std::exchange(evaluator.out, [](std::string_view) {});
    std::function<void(std::string_view)> err = std::exchange(evaluator.err, [](std::string_view) {});
    explicit Silent(Interpreter& evaluator) : evaluator(evaluator) {}
    ~Silent() {
      evaluator.out = std::move(out);
      evaluator.err = std::move(err);
    }
  } silent(evaluator_);
  heap_.prepare();
  bool done = true;
  try {
    what();
  } catch (const ir::Error&) {
    done = false;
  } catch (const script::Evaluator::SystemExit&) {
    done = false;
  }
  take_back();
  return done;
}

uint32_t Session::add_input(std::string_view text) {
  std::string source(text);
  while (!source.empty() && (source.back() == '\n' || source.back() == ' ')) source.pop_back();
  std::string name = options_.input_name.empty() ? fmt::format("<repl>[{}]", ++inputs_) : options_.input_name;
  return ir::SourceMap::current().add(std::move(name), source + "\n");
}

void Session::run_statements(std::string_view text) {
  show_result(run_source(add_input(text)));
  keep_comments(text);
}

// Comments behind the last statement of an input, or without one, belong to no statement, and to the program
// all the same.
void Session::keep_comments(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  size_t begin = text.size();
  auto pieces = print::highlighted(text);
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    bool last = piece->end > text.find_last_not_of(" \t\r\n", begin - 1);
    std::string_view before = text.substr(0, piece->begin);
    size_t end = before.find_last_not_of(" \t");
    bool alone = end == std::string_view::npos || before[end] == '\n';
    if (piece->role != print::Role::kComment || !last || !alone) break;
    begin = piece->begin;
  }
  if (begin < text.size()) states_[at_].remarks.push_back({std::string(text.substr(begin)), 0, 0});
}

double Session::run_timed(std::string_view statements) {
  uint32_t file = add_input(statements);
  auto start = std::chrono::steady_clock::now();
  run_source(file);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

uint32_t Session::read_program(const std::string& path) {
  if (auto text = options_.journal == nullptr ? std::nullopt : options_.journal->file_again())
    return ir::SourceMap::current().add(path, *text);
  return read_source(path);
}

void Session::note_program(uint32_t file) {
  if (options_.journal != nullptr) options_.journal->note_file(ir::SourceMap::current().file(file).text);
}

void Session::load(const std::string& path) { load(path, read_program(path)); }

void Session::load(const std::string& path, uint32_t file) {
  note_program(file);
  std::erase_if(loaded_, [&](const Loaded& each) { return each.path == path; });
  loaded_.push_back({path, at_, {}});
  run_source(file, &loaded_.back());
}

bool Session::has_loaded(std::string_view path) const {
  return std::ranges::find(loaded_, path, &Loaded::path) != loaded_.end();
}

Session::Reloaded Session::reload(const std::string& path) {
  auto found = std::ranges::find(loaded_, path, &Loaded::path);
  if (found == loaded_.end())
    throw CallError{fmt::format("`{}` was not loaded in this session", path),
                    fmt::format("`:load {}`", path)};
  uint32_t file = read_program(path);
  note_program(file);
  std::vector<std::string> now;
  for (const Chunk& chunk : chunks_of(syntax::parse_file(file)->module))
    now.push_back(text_of_chunk(file, chunk));
  auto& before = found->statements;
  size_t kept = 0;
  while (kept < now.size() && kept < before.size() && now[kept] == before[kept].first) ++kept;
  size_t state = kept == 0 ? found->beginning : before[kept - 1].second;
  auto is_there = [&](size_t each) { return !states_[each].dropped && !states_[each].let_go; };
  if (!is_there(state)) {
    kept = 0;
    state = found->beginning;
  }
  if (!is_there(state))
    throw CallError{"the state in which the file was loaded is not kept any more", "`:load` it"};
  size_t gone = before.size() - kept;
  if (kept == now.size() && gone == 0) return {kept};
  go(state);
  before.resize(kept);
  run_source(file, &*found, kept);
  return {kept, now.size() - kept, gone};
}

// Each statement is a state of its own.
Any Session::run_source(uint32_t file, Loaded* loaded, size_t kept) {
  std::shared_ptr<const syntax::Tree> tree = syntax::parse_file(file);
  // __name__ and __file__ come with a program, and are no change of its first statement.
  if (loaded != nullptr || states_.size() == 1) {
    run_chunk_of(evaluator_, tree, Chunk(), loaded == nullptr);
    heap_.take();
  }
  Any value;
  std::vector<Chunk> chunks = chunks_of(tree->module);
  for (size_t i = kept; i < chunks.size(); ++i) {
    value = run_statement(tree, chunks[i], loaded != nullptr);
    if (loaded != nullptr) loaded->statements.emplace_back(text_of_chunk(file, chunks[i]), at_);
  }
  return value;
}

void Session::show_result(const Any& value) {
  if (script::is_none(value)) return;
  evaluator_.set_global("_", value);
  last_value_ = ++values_;
  (remarked_ ? states_[at_].remarks.back().shows : states_[at_].shows) = last_value_;
  options_.result ? options_.result(value) : show_value(value);
  // A `__repr__` that changes something is no part of the next statement.
  heap_.take();
}

// A statement is a step or none: what it had changed before it was refused.
void Session::take_back() {
  try {
    Heap::Delta change = heap_.take();
    heap_.exchange(change);
  } catch (const std::bad_alloc&) {  // `take` has done so
  }
}

Any Session::run_statement(const std::shared_ptr<const syntax::Tree>& tree, const Chunk& chunk,
                           bool of_file) {
  size_t number = begun_++;
  if (options_.journal != nullptr && options_.journal->was_stopped(number)) throw ir::interrupted();
  heap_.prepare();
  std::unordered_map<const ir::ffi::Object*, size_t> steps_before;
  for (const auto& [name, value] : evaluator_.globals())
    if (auto schedule = value.as<transform::Schedule>(); schedule && *schedule)
      steps_before[schedule->get()] = (*schedule)->trace->instructions.size();
  State made;
  made.parent = at_;
  made.source = text_of_chunk(tree->file, chunk);
  bool binds_last_value = std::ranges::find(chunk.names, "_") != chunk.names.end();
  if (!binds_last_value && names_last_value(made.source)) made.reads = last_value_;
  Any value;
  auto start = std::chrono::steady_clock::now();
  bool taken = false;
  try {
    try {
      transform::PassNotes notes(&made.passes);
      value = run_chunk_of(evaluator_, tree, chunk, !of_file);
    } catch (const ir::Error& error) {
      if (error.first().kind == "KeyboardInterrupt") stopped_ = number;
      throw;
    }
    made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    made.change = heap_.take();
    taken = true;
    remarked_ = made.change.empty();
    if (binds_last_value) last_value_ = 0;
    if (remarked_) {
      states_[at_].remarks.push_back({std::move(made.source), 0, made.reads});
    } else {
      made.modules = modules_now();
      for (transform::PassRun& run : made.passes) run = {run.name, frozen(run.before), frozen(run.after)};
      made.bound = heap_.names_changed(made.change);
      judge(made, steps_before);
      add_state(std::move(made));
    }
  } catch (const std::bad_alloc&) {
    taken ? heap_.exchange(made.change) : take_back();
    const ir::SourceFile& all = ir::SourceMap::current().file(tree->file);
    uint32_t begin = all.lines[chunk.first_line - 1];
    begin += static_cast<uint32_t>(all.text.substr(begin).find_first_not_of(" \n"));
    throw ir::refuse(refusals["out-of-memory"]).at({tree->file, begin, begin + 1});
  } catch (...) {
    taken ? heap_.exchange(made.change) : take_back();
    throw;
  }
  tell_not_kept();
  limit_history();
  forget_modules();
  return value;
}

// A statement behind a state that has others behind it opens a branch.
void Session::add_state(State&& made) {
  bool parts = branches_[branch_].tip != at_;
  std::string name = parts ? free_branch_name() : "";
  branches_.reserve(branches_.size() + 1);
  most_bytes_ += std::max(made.change.bytes_behind, made.change.bytes_ahead);
  states_.push_back(std::move(made));
  if (parts) open_branch(std::move(name));
  states_[at_].next = states_.size() - 1;
  at_ = states_.size() - 1;
  branches_[branch_].tip = at_;
}

std::string Session::coloured(std::string_view script) const {
  std::string text = options_.colour ? print::highlight(script) : std::string(script);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

// A schedule is its loop nest; `:show` has its module as text.
std::string Session::text_of(const Any& value) {
  if (auto schedule = value.as<transform::Schedule>(); schedule && *schedule) {
    Subject subject{"", (*schedule)->state->mod(), ""};
    std::string nests = loop_nests(subject, width_of(*this), options_.colour);
    if (!nests.empty()) return nests;
  }
  return module_in(evaluator_, value) ? coloured(script_of(evaluator_, value, options_.classic))
                                      : evaluator_.repr(value) + "\n";
}

void Session::show_value(const Any& value) {
  std::string text = text_of(value);
  if (!options_.screen) return show(text);
  auto [rows, columns] = options_.screen();
  constexpr size_t kAround = 4;  // the input, the remark, the next prompt
  size_t most = std::max(rows, kAround + 2) - kAround;
  size_t taken = 0, end = 0;
  while (end < text.size() && taken < most) {
    size_t line = text.find('\n', end) + 1;
    size_t needed = std::max<size_t>((line - end - 2 + columns) / columns, 1);
    if (taken + needed > most) {
      // The beginning of a line that is too long, up to a character's end.
      end += (most - taken) * columns;
      while ((text[end] & 0xc0) == 0x80) --end;
      break;
    }
    taken += needed;
    end = line;
  }
  if (end >= text.size()) return show(text);
  std::string shown = text.substr(0, end);
  if (!shown.ends_with('\n')) shown += '\n';
  show(fmt::format("{}{}... {} more bytes; `:show _` shows all\n", shown,
                   options_.colour ? print::kColourReset : "", text.size() - end));
}

void Session::page(std::string_view text) {
  options_.page&& options_.paged ? options_.page(text) : show(text);
}

void Session::document(std::string_view name) {
  if (name.empty())
    return show("type a name after `?`: `?print`, `?sch.split`; `:help` lists the commands\n");
  // Documentation of an expression that can be evaluated, else of whatever bears that name.
  try {
    uint32_t file = ir::SourceMap::current().add("<repl>", std::string(name) + "\n");
    Any value = evaluator_.evaluate_repl(file);
    if (auto text = explain_value(evaluator_, value)) return page(*text);
  } catch (const ir::Error&) {
  }
  page(explain_name(evaluator_, name).text);
}

std::vector<NamedModule> Session::modules_now() {
  std::vector<NamedModule> modules;
  for (const auto& [name, value] : evaluator_.globals()) {
    if (name == "_") continue;
    if (value.as<ir::PrimFuncNode>() != nullptr) {
      ir::IRModule& mod = of_functions_[script::raw_object(value)];
      if (!mod) mod = *module_in(evaluator_, value);
      modules.push_back({name, mod});
    } else if (auto mod = module_in(evaluator_, value)) {
      modules.push_back({name, frozen(*mod)});
    }
  }
  return modules;
}

ir::IRModule Session::frozen(const ir::IRModule& mod) {
  std::vector<ir::IRModule>& known = frozen_[mod->functions.get()];
  auto found = std::ranges::find_if(known, [&](const ir::IRModule& each) {
    return each->attrs.same_as(mod->attrs) && each->global_infos.same_as(mod->global_infos);
  });
  if (found != known.end()) return *found;
  return known.emplace_back(ir::make<ir::IRModuleNode>(mod->functions, mod->attrs, mod->global_infos));
}

// "sch: split i (512) -> i_0 (16), i_1 (32); Mod: new; x, y".
std::string Session::effect_of(size_t number) {
  const State& state = states_[number];
  const std::vector<NamedModule>& before = states_[state.parent].modules;
  std::vector<std::string> parts;
  std::vector<std::string> named;
  for (const NamedModule& now : state.modules) {
    auto old = std::ranges::find(before, now.name, &NamedModule::name);
    std::string change = fmt::format("{}", fmt::join(state.primitives, ", "));
    bool scheduled = std::ranges::find(state.schedules, now.name) != state.schedules.end();
    if (old == before.end()) {
      change = "new";
    } else if (!old->mod.same_as(now.mod) && !ir::structural_equal(Any(old->mod), Any(now.mod))) {
      std::string brief = diff_in_brief(*this, old->mod, now.mod);
      if (!brief.empty()) change = std::move(brief);
    } else if (!scheduled) {
      continue;
    }
    parts.push_back(fmt::format("{}: {}", now.name, change));
    named.push_back(now.name);
  }
  std::vector<std::string> names;
  for (const std::string& name : state.bound)
    if (!name.starts_with('_') && std::ranges::find(named, name) == named.end()) names.push_back(name);
  if (!names.empty()) parts.push_back(fmt::format("{}", fmt::join(names, ", ")));
  return parts.empty() ? "values changed in place" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string Session::hash_of(size_t number) const {
  const State &state = states_[number], &parent = states_[state.parent];
  if (!state.hash.empty()) return state.hash;
  auto same = [](const NamedModule& a, const NamedModule& b) {
    return a.name == b.name && a.mod.same_as(b.mod);
  };
  if (!parent.hash.empty() && std::ranges::equal(state.modules, parent.modules, same))
    return state.hash = parent.hash;
  uint64_t hash = 0xcbf29ce484222325;
  for (const NamedModule& each : state.modules) {
    hash = (hash ^ std::hash<std::string>()(each.name)) * 0x100000001b3;
    hash = (hash ^ static_cast<uint64_t>(ir::structural_hash(Any(each.mod)))) * 0x100000001b3;
  }
  return state.hash = fmt::format("{:08x}", static_cast<uint32_t>(hash ^ (hash >> 32)));
}

// The verdict on what schedules and passes have done in a step, before anything was run.
void Session::judge(State& state, const std::unordered_map<const ir::ffi::Object*, size_t>& steps_before) {
  std::string_view trusted;
  std::vector<const ir::ffi::Object*> judged;
  for (const auto& [name, value] : evaluator_.globals()) {
    auto schedule = value.as<transform::Schedule>();
    if (!schedule || !*schedule || name == "_") continue;
    auto before = steps_before.find(schedule->get());
    const auto& steps = (*schedule)->trace->instructions;
    bool first = std::ranges::find(judged, schedule->get()) == judged.end();
    bool any = false;
    for (size_t i = before == steps_before.end() ? 0 : before->second; i < steps.size(); ++i) {
      if (transform::is_pure(*steps[i].primitive)) continue;
      any = true;
      if (first) state.primitives.emplace_back(steps[i].primitive->name());
      if (trusted.empty()) trusted = transform::assumption_of(steps[i], **schedule);
    }
    judged.push_back(schedule->get());
    if (any) state.schedules.push_back(name);
  }
  if (!trusted.empty()) {
    state.verdict = fmt::format("unchecked: {}", trusted);
  } else if (!state.passes.empty()) {
    state.verdict = "unchecked until `:check` runs it";
  } else if (!state.schedules.empty()) {
    state.verdict = "proved";
  }
}

bool Session::replay(size_t state) {
  std::string source = states_[state].source;
  try {
    run_statements(source);
    return true;
  } catch (const ir::Error& error) {
    show_error(error);
    return false;
  }
}

std::vector<Remark> Session::statements() const {
  std::vector<Remark> all;
  auto add = [&](const State& state) {
    if (!state.source.empty()) all.push_back({state.source, state.shows, state.reads});
    all.insert(all.end(), state.remarks.begin(), state.remarks.end());
  };
  add(states_[0]);
  for (size_t each : path()) add(states_[each]);
  return all;
}

std::string Session::program() {
  std::string text;
  std::vector<Remark> all = statements();
  std::vector<size_t> states = path();
  for (std::string_view name : kUnsaidImports) {
    bool is_bound = std::ranges::any_of(states, [&](size_t each) {
      const std::vector<std::string>& bound = states_[each].bound;
      return std::ranges::find(bound, name) != bound.end();
    });
    if (!is_bound &&
        std::ranges::any_of(all, [&](const Remark& each) { return has_name(each.source, name); }))
      text += import_of(evaluator_, name);
  }
  for (const Remark& each : all) {
    bool is_read = each.shows != 0 && std::ranges::find(all, each.shows, &Remark::reads) != all.end();
    text += (is_read ? binding_last_value(each.source) : each.source) + "\n";
  }
  return text;
}

std::vector<std::string> Session::reading_elsewhere() const {
  std::vector<std::string> found;
  std::vector<Remark> all = statements();
  for (const Remark& each : all)
    if (each.reads != 0 && std::ranges::find(all, each.reads, &Remark::shows) == all.end())
      found.push_back(each.source);
  return found;
}

}  // namespace mlc::repl
