// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/program.h"

#include <algorithm>
#include <filesystem>

#include "frontend/script/core/run_statements.h"
#include "frontend/script/core/stdlib.h"
#include "frontend/syntax/parse.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "repl/shell/source.h"

namespace mlc::repl {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "empty-file",
         .message = "`{}` is empty",
         .help = "define a module with `@I.ir_module` or `@T.prim_func`",
         .meaning = "The file has no text."},
        {.name = "no-module",
         .message = "`{}` binds no module, function or schedule",
         .help = "define one with `@I.ir_module` or `@T.prim_func`; what stands under `if __name__ == "
                 "\"__main__\"` runs only with `mlc run`",
         .meaning = "The commands that show and build a module take the last one that the program binds."},
        {.name = "not-a-module",
         .kind = "TypeError",
         .message = "`{}` is {}, not a module, function or schedule",
         .meaning = "`--module` names an IRModule, a function or a schedule."},
        {.name = "undefined-name",
         .kind = "NameError",
         .message = "the program binds no name `{}`",
         .meaning = "The name has no meaning here: it is misspelt, or its loop, branch or block has ended.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(4):
        A[i] = 1.0
    A[i] = 2.0)",
         .right = R"(@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(4):
        A[i] = 1.0
        A[i] = 2.0)"},
    }};
MLC_REFUSALS(shell_program, refusals);

using ir::Any;

void run_program(script::Evaluator& evaluator, const std::string& path, std::vector<std::string> arguments) {
  uint32_t file = read_source(path);
  arguments.insert(arguments.begin(), path);
  evaluator.argv = std::move(arguments);
  evaluator.run_source(file);
}

uint32_t load_program(script::Evaluator& evaluator, const std::string& path) {
  uint32_t file = read_source(path);
  evaluator.argv = {path};
  std::string name = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
  evaluator.set_global("__name__", Any(ir::String(name)));
  auto out = std::move(evaluator.out);
  evaluator.out = [](std::string_view) {};
  auto err = evaluator.err;
  evaluator.err = [&err](std::string_view text) {
    ir::Inputs::global().beyond();  // somebody is told something
    err(text);
  };
  try {
    evaluator.run_source(file);
  } catch (const script::Evaluator::SystemExit&) {
    // A program may end itself early; what it has bound by then counts.
  }
  evaluator.out = std::move(out);
  evaluator.err = std::move(err);
  return file;
}

std::optional<ir::IRModule> module_in(script::Evaluator& evaluator, const Any& value) {
  if (script::is_none(value)) return std::nullopt;  // which converts to a reference to nothing
  if (auto mod = value.as<ir::IRModule>()) return *mod;
  if (auto fn = value.as<ir::PrimFunc>()) return ir::module_of(*fn);
  if (!script::is_object(value)) return std::nullopt;
  Any inner;
  if (ir::ApiRegistry::global().method(value.type_index(), "mod") == nullptr) return std::nullopt;
  if (!evaluator.find_attribute(value, syntax::Symbol("mod"), inner)) return std::nullopt;
  if (auto mod = inner.as<ir::IRModule>(); mod && *mod) return *mod;
  return std::nullopt;
}

namespace {

// Appends the names that the statements bind at the top level, in order of text.
void bound_names(syntax::Seq<syntax::Stmt> body, std::vector<std::string>& names);

void bound_names(const syntax::Expr* target, std::vector<std::string>& names) {
  if (auto name = syntax::as<syntax::Name>(target)) names.emplace_back(name->id.str());
  if (auto tuple = syntax::as<syntax::Tuple>(target)) {
    for (const syntax::Expr* element : tuple->elts) bound_names(element, names);
  }
  if (auto list = syntax::as<syntax::List>(target)) {
    for (const syntax::Expr* element : list->elts) bound_names(element, names);
  }
}

void bound_names(const syntax::Stmt* stmt, std::vector<std::string>& names) {
  using namespace syntax;
  if (auto fn = as<FunctionDef>(stmt)) names.emplace_back(fn->name.str());
  if (auto cls = as<ClassDef>(stmt)) names.emplace_back(cls->name.str());
  if (auto assign = as<Assign>(stmt)) {
    for (const Expr* target : assign->targets) bound_names(target, names);
  }
  if (auto assign = as<AnnAssign>(stmt)) bound_names(assign->target, names);
  if (auto import = as<ImportFrom>(stmt)) {
    for (const Alias* alias : import->names) {
      names.emplace_back(alias->asname ? std::string(alias->asname.str()) : std::string(alias->name));
    }
  }
  if (auto loop = as<For>(stmt)) {
    bound_names(loop->target, names);
    bound_names(loop->body, names);
    bound_names(loop->orelse, names);
  }
  if (auto loop = as<While>(stmt)) bound_names(loop->body, names);
  if (auto branch = as<If>(stmt)) {
    bound_names(branch->body, names);
    bound_names(branch->orelse, names);
  }
  if (auto with = as<With>(stmt)) bound_names(with->body, names);
  if (auto attempt = as<Try>(stmt)) {
    bound_names(attempt->body, names);
    bound_names(attempt->orelse, names);
    bound_names(attempt->finalbody, names);
  }
}

void bound_names(syntax::Seq<syntax::Stmt> body, std::vector<std::string>& names) {
  for (const syntax::Stmt* stmt : body) bound_names(stmt, names);
}

}  // namespace

std::vector<Chunk> chunks_of(const syntax::Module* module) {
  std::vector<Chunk> chunks;
  size_t next = 1, at = 0;
  for (const syntax::Stmt* stmt : module->body) {
    uint32_t end = stmt->span.end > stmt->span.begin ? stmt->span.end - 1 : stmt->span.end;
    size_t last = ir::SourceMap::current().position(stmt->span.file, end).line;
    if (chunks.empty() || chunks.back().last_line < last) {
      chunks.push_back({next, last, {}, at, 0});
      next = last + 1;
    }
    ++at;
    ++chunks.back().count;
    bound_names(stmt, chunks.back().names);
  }
  return chunks;
}

std::string text_of_chunk(uint32_t file, const Chunk& chunk) {
  const ir::SourceFile& whole = ir::SourceMap::current().file(file);
  std::string text;
  for (size_t line = chunk.first_line; line <= chunk.last_line; ++line)
    text.append(line == chunk.first_line ? "" : "\n").append(whole.line(static_cast<uint32_t>(line)));
  return text;
}

bool is_library_module(std::string_view module) {
  auto first_part = [](std::string_view path) { return path.substr(0, path.find('.')); };
  return ir::ApiRegistry::global().is_module(first_part(module)) ||
         std::ranges::any_of(script::stdlib_modules(),
                             [&](std::string_view each) { return first_part(each) == first_part(module); });
}

Any run_chunk_of(script::Evaluator& evaluator, const std::shared_ptr<const syntax::Tree>& tree,
                 const Chunk& chunk, bool typed) {
  return script::run_statements(evaluator, tree, tree->module->body.subspan(chunk.first, chunk.count), typed);
}

NamedModule last_module(script::Evaluator& evaluator, uint32_t file) {
  std::vector<std::string> names;
  bound_names(syntax::parse_file(file)->module->body, names);
  for (size_t i = names.size(); i > 0; --i) {
    const Any* value = evaluator.global(names[i - 1]);
    if (value == nullptr) continue;
    if (auto mod = module_in(evaluator, *value)) return {names[i - 1], *mod};
  }
  const ir::SourceFile& source = ir::SourceMap::current().file(file);
  if (source.text.find_first_not_of(" \t\r\n\f") == std::string::npos) {
    throw ir::refuse(refusals["empty-file"], source.name);
  }
  throw ir::refuse(refusals["no-module"], source.name);
}

NamedModule named_module(script::Evaluator& evaluator, const std::string& name) {
  const Any* value = evaluator.global(name);
  if (value == nullptr) {
    std::vector<std::string> names;
    for (const auto& [other, bound] : evaluator.globals()) {
      if (module_in(evaluator, bound)) names.push_back(other);
    }
    throw ir::refuse(refusals["undefined-name"], name).help(ir::did_you_mean(name, names));
  }
  auto mod = module_in(evaluator, *value);
  if (!mod) {
    throw ir::refuse(refusals["not-a-module"], name, ir::type_name(*value));
  }
  return {name, *mod};
}

Any call_method(script::Evaluator& evaluator, const Any& value, std::string_view method,
                std::vector<Any> arguments) {
  return evaluator.call(evaluator.attribute(value, syntax::Symbol(method)), arguments);
}

std::string script_of(script::Evaluator& evaluator, const Any& value, bool classic) {
  auto mod = module_in(evaluator, value);
  Any script =
      evaluator.attribute(mod && !value.as<ir::PrimFunc>() ? Any(*mod) : value, syntax::Symbol("script"));
  std::pair<std::string_view, Any> dialect{"dialect", Any(ir::String("classic"))};
  return std::string(evaluator.call(script, {}, {&dialect, classic ? 1u : 0u}, {}).cast<ir::String>());
}

NamedModule chosen_module(script::Evaluator& evaluator, uint32_t file, const std::string& name) {
  return name.empty() ? last_module(evaluator, file) : named_module(evaluator, name);
}

void check_bounds(script::Evaluator& evaluator) {
  ir::Any option[] = {ir::String("mlc.check_bounds"), true};
  evaluator.call_library("mlc.pipeline.cpu", "always", option);
}

void leave_graphs_unscheduled(script::Evaluator& evaluator) {
  ir::Any option[] = {ir::String("mlc.schedule"), false};
  evaluator.call_library("mlc.pipeline.cpu", "always", option);
}

void reuse_compiled(script::Evaluator& evaluator) {
  ir::Any option[] = {ir::String("mlc.reuse"), true};
  evaluator.call_library("mlc.pipeline.cpu", "always", option);
}

ir::Any schedule_by_rules(script::Evaluator& evaluator, std::string_view function, const ir::IRModule& mod,
                          const std::string& target) {
  uint32_t file = ir::SourceMap::current().add(
      "<mlc.schedule>", fmt::format("import mlc.schedule as _rules\n_rules.{}\n", function));
  ir::Any arguments[] = {mod, ir::String(target)};
  return evaluator.call(evaluator.evaluate_repl(file), arguments);
}

}  // namespace mlc::repl
