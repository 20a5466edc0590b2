// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/builder/module.h"

#include <charconv>
#include <unordered_set>

#include "frontend/script/core/value.h"
#include "frontend/syntax/parse.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/builder/template.h"
#include "frontend/tvmscript/relax/graph_module.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/relax/verify.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-definition",
         .message = "the text defines no function and no module",
         .meaning = "A text to parse defines a function or a module.",
         .wrong = R"(import tvm
tvm.script.from_source("x = 1"))",
         .right = R"(import tvm
tvm.script.from_source("@T.prim_func\ndef f():\n    pass"))"},
        {.name = "not-a-function",
         .message = "`{}` is {}, not a function: a module holds functions only",
         .help = "put it above the class"},
        {.name = "outside-ir-module",
         .message = "`I.{}` has a meaning only inside a class under `@I.ir_module`"},
        {.name = "python-function",
         .message = "`{}` is kept for CPython to run, which is not here",
         .help = "write it as `@T.prim_func`, or as a function of the script outside of the class",
         .meaning = "A module may keep functions that CPython runs beside its tensor functions; there is no "
                    "CPython here.",
         .wrong = R"(import tvm
from tvm.script import ir as I
@I.ir_module
class M:
    @I.pyfunc
    def g(self, x):
        return x)",
         .right = R"(@I.ir_module
class M:
    @T.prim_func
    def g(x: T.int32):
        T.evaluate(x))"},
        {.name = "redefined-function", .message = "the module has two functions `{}`"},
        {.name = "undecorated-class",
         .message = "`{}` is not under `@I.ir_module`",
         .meaning = "A class in a text to parse is a module and says so with `@I.ir_module`."},
        {.name = "undecorated-function",
         .message = "`{}` is not under `@T.prim_func` or `@R.function`",
         .meaning = "A function of a module is under `@T.prim_func` or `@R.function`.",
         .wrong = R"(@I.ir_module
class M:
    def f():
        pass)",
         .right = R"(@I.ir_module
class M:
    @T.prim_func
    def f():
        pass)"},
    }};
MLC_REFUSALS(builder_module, refusals);

namespace {

thread_local ModuleState* module_at_work = nullptr;

void check_keyword(const ir::Api& api, const syntax::Keyword& keyword) {
  std::vector<std::string> known;
  for (const auto& param : api.params) known.emplace_back(param.name);
  if (std::find(known.begin(), known.end(), keyword.name.str()) != known.end()) return;
  throw ir::Error("unknown-keyword", "`{}` has no argument named `{}`", api.name, keyword.name.str())
      .at(keyword.span)
      .help(ir::did_you_mean(keyword.name.str(), known));
}

class Definitions {
 public:
  Definitions(Evaluator& evaluator, script::Scope where, const Outside& outside)
      : evaluator_(evaluator), where_(where) {
    for (const auto& [name, value] : outside) names_.bind(name, value);
  }
  Decorator decorator(syntax::Seq<syntax::Expr> decorators) {
    return decorator_of(evaluator_, names_, where_, decorators);
  }
  Any evaluate(const syntax::Expr& e) { return evaluator_.evaluate(e, names_, where_); }
  Names& names() { return names_; }

 private:
  Evaluator& evaluator_;
  script::Scope where_;
  Names names_;
};

[[noreturn]] void not_in_module(std::string_view what, Span span) {
  throw ir::Error("unsupported-statement", "{} has no meaning in a module", what)
      .at(span)
      .help("a module holds functions under `@T.prim_func` and `@R.function`, `I.module_attrs(...)` and "
            "`name = function`");
}

}  // namespace

Decorator decorator_of(Evaluator& evaluator, Names& names, script::Scope where,
                       syntax::Seq<syntax::Expr> decorators) {
  if (decorators.empty()) return {};
  const syntax::Expr* last = decorators.back();
  auto* call = syntax::as<syntax::Call>(last);
  Any callee = evaluator.evaluate(call ? *call->func : *last, names, where);
  auto* fn = script::as<script::ApiFunctionNode>(callee);
  if (!fn) return {};
  Decorator result{fn->api->path(), nullptr};
  if (call) {
    Map<String, Any> arguments;
    for (const syntax::Keyword* keyword : call->keywords) {
      check_keyword(*fn->api, *keyword);
      arguments.Set(String(std::string(keyword->name.str())), evaluator.evaluate(*keyword->value, names, where));
    }
    result.arguments = arguments;
  }
  return result;
}

ModuleState* ModuleState::exchange(ModuleState* at_work) { return std::exchange(module_at_work, at_work); }

ir::GlobalVar ModuleState::add(const ir::BaseFunc& fn, std::string_view hint) {
  std::string name(hint);
  for (int i = 1; !names.insert(name).second; ++i) name = fmt::format("{}{}", hint, i);
  ir::GlobalVar global = ir::make<ir::GlobalVarNode>(String(name));
  added.emplace_back(global, fn);
  return global;
}

ModuleState& ModuleState::current(const ir::ApiCall& call) {
  if (module_at_work) return *module_at_work;
  throw ir::refuse(refusals["outside-ir-module"], call.api.name).at(call.span);
}

bool flag(const Any& arguments, const char* name, bool otherwise) {
  auto map = arguments.try_cast<Map<String, Any>>();
  if (!map) return otherwise;
  auto found = map->find(name);
  if (found == map->end()) return otherwise;
  return script::raw_int((*found).second) != 0;
}

FunctionOptions function_options(const Any& arguments) {
  return {flag(arguments, "private", false), flag(arguments, "s_tir", false),
          flag(arguments, "check_well_formed", true), flag(arguments, "persistent", false)};
}
ModuleOptions module_options(const Any& arguments) {
  return {flag(arguments, "check_well_formed", true), flag(arguments, "s_tir", false)};
}

ir::PrimFunc build_function(Evaluator& evaluator, const syntax::FunctionDef& definition,
                            const FunctionOptions& options, script::Scope where, const Outside& outside) {
  Builder builder(evaluator, where, outside);
  return builder.build(definition, options);
}

ir::IRModule build_module(Evaluator& evaluator, const syntax::ClassDef& definition,
                          const ModuleOptions& options, script::Scope where, const Outside& outside) {
  ModuleState state;
  Restore<ModuleState*> at_work(module_at_work, &state);
  diagnostics::Findings errors;
  auto attempt = [&errors](Span fallback, auto&& f) {
    try {
      f();
    } catch (const ir::Error& error) {
      errors.add(error, fallback);
    }
  };
  Definitions definitions(evaluator, where, outside);
  struct Member {
    const syntax::FunctionDef* def;
    ir::GlobalVar name;
    bool is_graph;
    FunctionOptions options;  // of a tensor function
    GraphOptions graph;       // of a function of graphs
  };
  std::vector<Member> members;
  Outside inlined;
  // Before anything else what the functions share: their types name devices of the module.
  for (const syntax::Stmt* stmt : definition.body) {
    auto* expression = syntax::as<syntax::ExprStmt>(stmt);
    if (!expression || expression->value->kind == syntax::ExprKind::kConstant) continue;
    attempt(stmt->span, [&] { definitions.evaluate(*expression->value); });
  }
  // Then all names, so that functions can call those further down.
  auto self = ir::make<script::ClassNode>(std::string(definition.name.str()));
  auto* scope = const_cast<script::ClassNode*>(self.get());
  scope->mro = {scope};
  std::unordered_set<uint32_t> defined;  // symbols
  for (const syntax::Stmt* stmt : definition.body) {
    auto* def = syntax::as<syntax::FunctionDef>(stmt);
    if (!def) continue;
    attempt(def->name_span, [&] {
      Decorator decorator = definitions.decorator(def->decorators);
      if (is_inline_decorator(decorator.path)) {
        inlined.emplace_back(
            def->name,
            make_inline(evaluator, *def, flag(decorator.arguments, "hygienic", true), where, outside));
        return;
      }
      if (decorator.path == "tvm.script.ir.pyfunc") {
        throw ir::refuse(refusals["python-function"], def->name.str()).at(def->name_span);
      }
      bool is_graph = decorator.path == kGraphFunctionPath;
      if (!is_graph && decorator.path != kPrimFuncPath) {
        throw ir::refuse(refusals["undecorated-function"], def->name.str())
            .at(def->decorators.empty() ? def->name_span : def->decorators.back()->span)
            .help("put `@T.prim_func` or `@R.function` above it, or the function above the class");
      }
      FunctionOptions one = function_options(decorator.arguments);
      one.s_tir = one.s_tir || options.s_tir;
      one.check_well_formed = options.check_well_formed;  // what the module says holds for all
      if (!defined.insert(def->name.id()).second) {
        throw ir::refuse(refusals["redefined-function"], def->name.str()).at(def->name_span);
      }
      GraphOptions graph = graph_options(decorator.arguments);
      Type type;
      try {
        if (is_graph) {
          GraphBuilder declaration(evaluator, where, outside);
          type = declaration.signature(*def, graph, relax::any_type());
        } else {
          Builder declaration(evaluator, where, outside);
          type = declaration.signature(*def);
        }
      } catch (const ir::Error&) {
        // Reported when it is built.
        type = is_graph ? relax::any_type() : Type(ir::make<ir::FuncTypeNode>(Array<Type>{}, Type(ir::void_type())));
      }
      ir::GlobalVar name = ir::make<ir::GlobalVarNode>(String(std::string(def->name.str())), type, def->name_span);
      scope->members.emplace_back(def->name, Expr(name));  // new: nothing to look for among thousands
      members.push_back({def, name, is_graph, one, graph});
      state.names.emplace(def->name.str());
    });
  }
  Outside inside = outside;
  inside.emplace_back(definition.name, Any(self));
  inside.insert(inside.end(), inlined.begin(), inlined.end());
  definitions.names().bind(definition.name, Any(self));
  Map<ir::GlobalVar, ir::BaseFunc> functions;
  size_t next = 0;
  for (const syntax::Stmt* stmt : definition.body) {
    if (auto* def = syntax::as<syntax::FunctionDef>(stmt)) {
      if (next == members.size() || members[next].def != def) continue;
      const Member& member = members[next++];
      attempt(def->name_span, [&] {
        if (!member.is_graph) {
          functions.Set(member.name,
                        ir::BaseFunc(build_function(evaluator, *def, member.options, where, inside)));
          return;
        }
        GraphOptions graph = member.graph;
        graph.check_well_formed = false;  // with the rest of the module
        relax::Function fn = build_graph(evaluator, *def, graph, where, inside);
        const_cast<ir::GlobalVarNode&>(*member.name).ty = fn->ty;  // what it returns is known now
        functions.Set(member.name, ir::BaseFunc(fn));
      });
      continue;
    }
    attempt(stmt->span, [&] {
      if (syntax::as<syntax::Pass>(stmt)) return;
      if (syntax::as<syntax::ExprStmt>(stmt)) return;  // evaluated already
      auto* assign = syntax::as<syntax::Assign>(stmt);
      auto* target =
          assign && assign->targets.size() == 1 ? syntax::as<syntax::Name>(assign->targets[0]) : nullptr;
      if (!target) not_in_module("this statement", stmt->span);
      Any value = definitions.evaluate(*assign->value);
      auto fn = ir::try_get<ir::BaseFunc>(value);
      if (!fn) {
        if (!script::is_object(value) || script::is_str(value)) {
          throw ir::refuse(refusals["not-a-function"], target->id.str(), ir::type_name(value))
              .at(assign->value->span);
        }
        // A name for the class body: `cls = Module`, `N = 4`.
        definitions.names().bind(target->id, value);
        inside.emplace_back(target->id, value);
        return;
      }
      auto* graph = fn->as<relax::FunctionNode>();
      Type type = graph ? graph->ty : Type(ir::opaque_type());
      ir::GlobalVar name = ir::make<ir::GlobalVarNode>(String(std::string(target->id.str())), type);
      scope->set(target->id, Expr(name));
      functions.Set(name, *fn);
    });
  }
  if (!errors.empty()) errors.raise();
  for (const auto& [name, fn] : state.added) functions.Set(name, fn);
  ir::IRModule mod = ir::make<ir::IRModuleNode>(functions, state.attrs, state.global_infos);
  if (options.check_well_formed) {
    for (const ir::Diagnostic& one : relax::verify(mod)) errors.add(ir::Error(std::vector{one}), definition.name_span);
    if (!errors.empty()) errors.raise();
  }
  return mod;
}

namespace {

// A text printed without its metadata section refers to strings that it does not hold. Each stands as a
// string that says so, the same one wherever the same is meant: the text reads and prints as it stands.
script::Dict omitted_metadata(std::string_view text) {
  script::Dict sections;
  for (const char* name : {"ir.StringImm", "ffi.String"}) {
    std::string reference = fmt::format("metadata[\"{}\"][", name);
    size_t count = 0;
    for (size_t at = text.find(reference); at != text.npos; at = text.find(reference, at)) {
      at += reference.size();
      size_t number = 0;
      std::from_chars(text.data() + at, text.data() + text.size(), number);
      count = std::max(count, std::min(number, text.size()) + 1);
    }
    if (count == 0) continue;
    script::List strings;
    for (size_t i = 0; i < count; ++i) {
      String left_out(fmt::format("(string {} of the metadata,\nwhich was left out)", i));
      if (std::string_view(name) == "ffi.String") {
        strings.push_back(left_out);
      } else {
        strings.push_back(Expr(ir::make<ir::StringImmNode>(left_out)));
      }
    }
    sections.Set(String(name), strings);
  }
  return sections;
}

}  // namespace

Any from_source(Evaluator& evaluator, std::string_view text, const Outside& extra,
                const ModuleOptions& options) {
  uint32_t file = ir::SourceMap::current().add("<str>", std::string(text));
  std::shared_ptr<const syntax::Tree> tree = syntax::parse_file(file);
  Evaluator::Keeper keeper(evaluator, tree);
  const auto& registry = ir::ApiRegistry::global();
  Outside names;
  auto module_value = [](std::string path) { return Any(ir::make<script::ApiModuleNode>(std::move(path))); };
  if (text.find("\nmetadata = ") == text.npos && !text.starts_with("metadata = ")) {
    if (script::Dict sections = omitted_metadata(text); !sections.empty())
      names.emplace_back(Symbol("metadata"), Any(sections));
  }
  names.insert(names.end(), extra.begin(), extra.end());
  Any result;
  for (const syntax::Stmt* stmt : tree->module->body) {
    if (auto* import = syntax::as<syntax::ImportFrom>(stmt)) {
      for (const syntax::Alias* alias : import->names) {
        std::string path = std::string(import->module) + "." + std::string(alias->name);
        Symbol bound = alias->asname ? alias->asname : alias->first;
        if (registry.is_module(path)) names.emplace_back(bound, module_value(path));
      }
      continue;
    }
    if (syntax::as<syntax::Import>(stmt)) continue;
    if (auto* expression = syntax::as<syntax::ExprStmt>(stmt);
        expression && expression->value->kind == syntax::ExprKind::kConstant) {
      continue;
    }
    Definitions definitions(evaluator, nullptr, names);
    if (auto* def = syntax::as<syntax::FunctionDef>(stmt)) {
      Decorator decorator = definitions.decorator(def->decorators);
      if (is_inline_decorator(decorator.path)) {
        bool hygienic = flag(decorator.arguments, "hygienic", true);
        names.emplace_back(def->name, make_inline(evaluator, *def, hygienic, nullptr, names));
        continue;
      }
      if (decorator.path == kGraphFunctionPath) {
        GraphOptions one = graph_options(decorator.arguments);
        one.check_well_formed = one.check_well_formed && options.check_well_formed;
        result = Expr(build_graph(evaluator, *def, one, nullptr, names));
        names.emplace_back(def->name, result);
        continue;
      }
      if (decorator.path != kPrimFuncPath) {
        throw ir::refuse(refusals["undecorated-function"], def->name.str()).at(def->name_span);
      }
      FunctionOptions one = function_options(decorator.arguments);
      one.s_tir = one.s_tir || options.s_tir;
      one.check_well_formed = one.check_well_formed && options.check_well_formed;
      result = build_function(evaluator, *def, one, nullptr, names);
      names.emplace_back(def->name, result);
      continue;
    }
    if (auto* def = syntax::as<syntax::ClassDef>(stmt)) {
      Decorator decorator = definitions.decorator(def->decorators);
      if (decorator.path != "tvm.script.ir.ir_module" && !def->decorators.empty()) {
        throw ir::refuse(refusals["undecorated-class"], def->name.str()).at(def->name_span);
      }
      ModuleOptions one = module_options(decorator.arguments);
      one.s_tir = one.s_tir || options.s_tir;
      one.check_well_formed = one.check_well_formed && options.check_well_formed;
      result = build_module(evaluator, *def, one, nullptr, names);
      names.emplace_back(def->name, result);
      continue;
    }
    if (auto* assign = syntax::as<syntax::Assign>(stmt); assign && assign->targets.size() == 1) {
      if (auto* target = syntax::as<syntax::Name>(assign->targets[0])) {
        names.emplace_back(target->id, definitions.evaluate(*assign->value));
        continue;
      }
    }
    throw ir::Error("unsupported-statement",
                    "a text to parse holds definitions under `@T.prim_func`, `@R.function` and `@I.ir_module`")
        .at(stmt->span);
  }
  if (script::is_none(result)) throw ir::refuse(refusals["no-definition"]);
  return result;
}

}  // namespace mlc::tvmscript
