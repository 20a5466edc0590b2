// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/builder/template.h"
#include "frontend/tvmscript/relax/graph_builder.h"

#include "frontend/script/core/value.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "endless-expansion",
         .message = "`{}` expands into itself without an end",
         .meaning = "An inlined function whose statements call it again has no end."},
        {.name = "not-a-decorator",
         .kind = "TypeError+ValueError",
         .message = "`T.{}` is for definitions that follow it: write it as a decorator",
         .meaning = "The name works on the definition below it.",
         .wrong = R"(import tvm
tvm.script.tirx.prim_func(lambda x: x))",
         .right = R"(@T.prim_func
def f():
    pass)"},
        {.name = "not-a-function",
         .message = "`@T.{}` stands above a function",
         .meaning = "A module holds functions. Numbers and names of the script stand above it.",
         .wrong = R"(@I.ir_module
class M:
    N = 4)",
         .right = R"(import tvm
N = 4
from tvm.script import ir as I

@I.ir_module
class M:
    pass)"},
        {.name = "outside-prim-func", .message = "`{}` belongs to another prim_func"},
        {.name = "unsupported-parameter",
         .message = "`T.constexpr` is the annotation of a parameter under `@T.jit`"},
    }};
MLC_REFUSALS(builder_template, refusals);

namespace {

// Calls `f(arg, default)` for each parameter that can be given by name; the default is null where there is
// none.
template <class F>
void each_parameter(const syntax::Arguments& args, F&& f) {
  size_t positional = args.posonlyargs.size() + args.args.size();
  size_t first_default = positional - args.defaults.size();
  for (size_t i = 0; i < positional; ++i) {
    const syntax::Arg* arg =
        i < args.posonlyargs.size() ? args.posonlyargs[i] : args.args[i - args.posonlyargs.size()];
    f(arg, i < first_default ? nullptr : args.defaults[i - first_default]);
  }
  for (size_t i = 0; i < args.kwonlyargs.size(); ++i) f(args.kwonlyargs[i], args.kw_defaults[i]);
}

// A scope of nothing: expressions are evaluated where the definition stands.
class Empty final : public script::NameScope {
 public:
  const Any* find(Symbol) override { return nullptr; }
};

// What a definition in a text or class sees: names of its own, then those around the text or class.
class Around final : public script::NameScope {
 public:
  Around(const Outside& outside, script::Scope where) : outside_(outside), rest_(script::capture(where)) {}
  const Any* find(Symbol name) override {
    for (size_t i = outside_.size(); i-- > 0;) {
      if (outside_[i].first == name) return &outside_[i].second;
    }
    return rest_->find(name);
  }

 private:
  Outside outside_;
  std::shared_ptr<script::NameScope> rest_;
};

// The name that an annotation ends with: `constexpr` of `T.constexpr`.
std::string_view annotation_name(const syntax::Expr* annotation) {
  if (auto* call = syntax::as<syntax::Call>(annotation)) annotation = call->func;
  if (auto* subscript = syntax::as<syntax::Subscript>(annotation)) annotation = subscript->value;
  if (auto* attribute = syntax::as<syntax::Attribute>(annotation)) return attribute->attr.str();
  if (auto* name = syntax::as<syntax::Name>(annotation)) return name->id.str();
  return {};
}

const syntax::FunctionDef& function_of(const syntax::Stmt& definition, std::string_view decorator) {
  if (auto* def = syntax::as<syntax::FunctionDef>(&definition)) return *def;
  throw ir::refuse(refusals["not-a-function"], decorator).at(definition.span);
}

Any inline_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any&, script::Scope where) {
  return make_inline(evaluator, function_of(definition, "inline"), true, where);
}
Any macro_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments,
               script::Scope where) {
  return make_inline(evaluator, function_of(definition, "macro"), flag(arguments, "hygienic", true), where);
}

Any graph_macro_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments,
                     script::Scope where) {
  Any made =
      make_inline(evaluator, function_of(definition, "macro"), flag(arguments, "hygienic", true), where);
  const_cast<InlineNode&>(*made.as<InlineNode>()).graph = true;
  return made;
}

Any jit_hook(Evaluator& evaluator, const syntax::Stmt& definition, const Any& arguments,
             script::Scope where) {
  const syntax::FunctionDef& def = function_of(definition, "jit");
  FunctionOptions options;
  options.is_private = flag(arguments, "private", false);
  options.s_tir = flag(arguments, "is_stir", false);
  options.check_well_formed = flag(arguments, "check_well_formed", true);
  auto made = ir::make<JitNode>(&def, options);
  auto& jit = const_cast<JitNode&>(*made);
  jit.around = script::capture(where);
  Empty nothing;
  each_parameter(*def.args, [&](const syntax::Arg* arg, const syntax::Expr* otherwise) {
    std::string_view name = arg->annotation ? annotation_name(arg->annotation) : std::string_view();
    if (name == "constexpr") {
      jit.constants.push_back(arg->name);
      if (otherwise) jit.defaults.emplace_back(arg->name, evaluator.evaluate(*otherwise, nothing, where));
    } else if (name == "Optional") {
      jit.optional.push_back(arg->name);
    }
  });
  return made;
}

Any call_inline(ApiCall& call) {
  auto& inlined = const_cast<InlineNode&>(*call.args[0].as<InlineNode>());
  std::vector<std::pair<std::string, Any>> keywords;
  for (const auto& [key, value] : call.args[2].cast<Map<String, Any>>())
    keywords.emplace_back(std::string(key), value);
  auto given = script::elements(call.args[1]);
  if (inlined.graph)
    return GraphBuilder::current(call).expand(inlined, inline_arguments(inlined, given, keywords, call.span),
                                              call.span);
  Builder::current(call).expand(inlined, given, keywords, call.span);
  return nullptr;
}

bool contains(const std::vector<Symbol>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](Symbol one) { return one.str() == name; });
}

// k.specialize(N=4, B=None)
Any specialize_jit(ApiCall& call) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  if (!evaluator) throw ir::Error("unsupported", "this host cannot build functions").at(call.span);
  auto& jit = const_cast<JitNode&>(*call.args[0].as<JitNode>());
  std::string_view function = jit.definition->name.str();
  auto given = call.args[1].cast<Map<String, Any>>();
  std::vector<std::string> known;
  for (Symbol name : jit.constants) known.emplace_back(name.str());
  for (Symbol name : jit.optional) known.emplace_back(name.str());
  for (const auto& [key, value] : given) {
    std::string_view name = view(key);
    bool constant = contains(jit.constants, name);
    if (!constant && !contains(jit.optional, name)) {
      throw ir::Error("unknown-keyword", "`{}.specialize` has no argument named `{}`", function, name)
          .at(call.span)
          .kind("TypeError")
          .help(ir::did_you_mean(name, known));
    }
    if (!constant && !script::is_none(value)) {
      throw ir::Error("wrong-type", "`{}` is optional: it can be left out with None, nothing else", name)
          .at(call.span)
          .kind("TypeError");
    }
  }
  Outside fixed;
  std::vector<Any> key;
  for (Symbol name : jit.constants) {
    const Any* value = nullptr;
    for (const auto& [one, otherwise] : jit.defaults) value = one == name ? &otherwise : value;
    auto found = given.find(String(std::string(name.str())));
    Any chosen = found != given.end() ? (*found).second : value ? *value : Any(nullptr);
    if (found == given.end() && !value) {
      throw ir::Error("missing-argument", "`{}.specialize` needs a value for `{}`", function, name.str())
          .at(call.span)
          .kind("TypeError");
    }
    fixed.emplace_back(name, chosen);
    key.push_back(chosen);
  }
  for (Symbol name : jit.optional) {
    bool absent = given.count(String(std::string(name.str()))) != 0;
    if (absent) fixed.emplace_back(name, Any(nullptr));
    key.push_back(absent);
  }
  for (const auto& [values, fn] : jit.made) {
    bool same = true;
    for (size_t i = 0; i < key.size(); ++i) same = same && evaluator->equal(values[i], key[i]);
    if (same) return fn;
  }
  Builder builder(*evaluator, nullptr);
  builder.fix(fixed, jit.around.get());
  ir::PrimFunc made = builder.build(*jit.definition, jit.options);
  jit.made.emplace_back(key, made);
  return made;
}

// T.Optional(annotation): the annotation itself; `specialize` may take the parameter away.
Any optional(ApiCall& call) {
  const Any& inner = call.args[0];
  return script::as<script::ApiFunctionNode>(inner) ? call.host.call(inner, {}) : inner;
}

Any template_decorator_only(ApiCall& call) {
  throw ir::refuse(refusals["not-a-decorator"], call.api.name).at(call.span);
}
Any annotation_only(ApiCall& call) { throw ir::refuse(refusals["unsupported-parameter"]).at(call.span); }

constexpr ir::ApiRow template_table[] = {
    {ir::ApiKind::kFunction, kT, "inline()",
     "The statements of the function that follows are put in place of its calls.", template_decorator_only},
    {ir::ApiKind::kFunction, kT, "macro(hygienic=True)",
     "As `T.inline`; not hygienic, names are those at the call.", template_decorator_only},
    {ir::ApiKind::kFunction, "tvm.script.relax", "macro(hygienic=True)",
     "The bindings of the function that follows are put in place of its calls in graphs, its result is their "
     "value; not "
     "hygienic, names are those at the call.",
     template_decorator_only},
    {ir::ApiKind::kFunction, kT,
     "jit(private=False, check_well_formed=True, is_stir=False, persistent=False)",
     "The function that follows is built by `specialize`, with values for its `T.constexpr` parameters.",
     template_decorator_only},
    {ir::ApiKind::kFunction, kT, "constexpr()", "As annotation under `@T.jit`: known when it is specialized.",
     annotation_only},
    {ir::ApiKind::kFunction, kT, "Optional(annotation)",
     "As annotation under `@T.jit`: a parameter that `specialize` may take away.", optional},
    {ir::ApiKind::kMethod, "mlc.tvmscript.inline", "__call__(*args, **kwargs)", "Puts the statements here.",
     call_inline},
    {ir::ApiKind::kMethod, "mlc.tvmscript.inline", "__get__(instance, owner=None)",
     "As a member of a class it is a method.",
     +[](ApiCall& call) -> Any { return ir::make<script::BoundMethodNode>(call.args[1], call.args[0]); }},
    {ir::ApiKind::kMethod, "mlc.tvmscript.TIRJit", "specialize(**kwargs)",
     "The function for these values; made once for each.", specialize_jit},
};

}  // namespace

bool is_inline_decorator(std::string_view path) {
  return path == "tvm.script.tirx.inline" || path == "tvm.script.tirx.macro";
}

Any make_inline(Evaluator& evaluator, const syntax::FunctionDef& definition, bool hygienic,
                script::Scope where, const Outside& outside) {
  auto made = ir::make<InlineNode>(&definition, hygienic);
  auto& inlined = const_cast<InlineNode&>(*made);
  inlined.around = std::make_shared<Around>(outside, where);
  each_parameter(*definition.args, [&](const syntax::Arg* arg, const syntax::Expr* otherwise) {
    if (otherwise)
      inlined.defaults.emplace_back(arg->name, evaluator.evaluate(*otherwise, *inlined.around, where));
  });
  return made;
}

// ---- in a prim_func ----

void Builder::fix(const Outside& values, script::NameScope* around) {
  names_.set_around(around);
  for (const auto& [name, value] : values) {
    names_.bind(name, value);
    fixed_.insert(name);
  }
}

// A nested definition: only those whose statements are inlined have a meaning.
void Builder::visit_definition(const syntax::FunctionDef& node) {
  const syntax::Expr* last = node.decorators.empty() ? nullptr : node.decorators.back();
  auto* call = last ? syntax::as<syntax::Call>(last) : nullptr;
  Any callee = last ? evaluate(call ? *call->func : *last) : Any(nullptr);
  auto* api = script::as<script::ApiFunctionNode>(callee);
  if (!api || !is_inline_decorator(api->api->path())) {
    throw ir::Error("unsupported-statement", "a nested function has no meaning in a prim_func")
        .at(node.name_span)
        .help("put `@T.inline` above it to have its statements in place of its calls");
  }
  bool hygienic = true;
  if (call) {
    for (const syntax::Keyword* keyword : call->keywords) {
      if (keyword->name.str() == "hygienic") hygienic = evaluator_.truth(evaluate(*keyword->value));
    }
  }
  auto made = ir::make<InlineNode>(&node, hygienic);
  auto& inlined = const_cast<InlineNode&>(*made);
  inlined.owner = this;
  inlined.home = names_.id();
  inlined.depth = names_.depth();
  each_parameter(*node.args, [&](const syntax::Arg* arg, const syntax::Expr* otherwise) {
    if (otherwise) inlined.defaults.emplace_back(arg->name, evaluate(*otherwise));
  });
  names_.bind(node.name, Any(made), node.name_span);
}

std::vector<std::pair<Symbol, Any>> inline_arguments(const InlineNode& inlined, std::span<const Any> given,
                                                     std::span<const std::pair<std::string, Any>> keywords,
                                                     Span span) {
  const syntax::Arguments& args = *inlined.definition->args;
  std::string_view name = inlined.definition->name.str();
  std::vector<std::pair<Symbol, Any>> values;
  size_t positional = args.posonlyargs.size() + args.args.size();
  size_t next = 0;
  std::vector<bool> used(keywords.size());
  each_parameter(args, [&](const syntax::Arg* arg, const syntax::Expr*) {
    if (next < positional && next < given.size()) {
      values.emplace_back(arg->name, given[next++]);
      return;
    }
    ++next;
    for (size_t k = 0; k < keywords.size(); ++k) {
      if (keywords[k].first != arg->name.str()) continue;
      used[k] = true;
      values.emplace_back(arg->name, keywords[k].second);
      return;
    }
    for (const auto& [one, otherwise] : inlined.defaults) {
      if (one != arg->name) continue;
      values.emplace_back(arg->name, otherwise);
      return;
    }
    throw ir::Error("missing-argument", "`{}` needs an argument `{}`", name, arg->name.str())
        .at(span)
        .kind("TypeError")
        .note("it is defined here", inlined.definition->name_span);
  });
  if (given.size() > positional) {
    if (!args.vararg) {
      throw ir::Error("too-many-arguments", "`{}` takes {} positional arguments, got {}", name, positional,
                      given.size())
          .at(span)
          .kind("TypeError")
          .note("it is defined here", inlined.definition->name_span);
    }
  }
  if (args.vararg) {
    Array<Any> rest;
    for (size_t i = positional; i < given.size(); ++i) rest.push_back(given[i]);
    values.emplace_back(args.vararg->name, rest);
  }
  script::Dict more;
  for (size_t k = 0; k < keywords.size(); ++k) {
    if (used[k]) continue;
    if (!args.kwarg) {
      throw ir::Error("unknown-keyword", "`{}` has no argument named `{}`", name, keywords[k].first)
          .at(span)
          .kind("TypeError")
          .note("it is defined here", inlined.definition->name_span);
    }
    more.Set(script::str_value(keywords[k].first), keywords[k].second);
  }
  if (args.kwarg) values.emplace_back(args.kwarg->name, more);
  return values;
}

void Builder::expand(InlineNode& inlined, std::span<const Any> given,
                     std::span<const std::pair<std::string, Any>> keywords, Span span) {
  if (inlined.owner && inlined.owner != this) {
    throw ir::refuse(refusals["outside-prim-func"], inlined.definition->name.str()).at(span);
  }
  std::string_view name = inlined.definition->name.str();
  std::vector<std::pair<Symbol, Any>> values = inline_arguments(inlined, given, keywords, span);
  if (++expansions_ > 200) {
    expansions_ = 0;
    throw ir::refuse(refusals["endless-expansion"], name).at(span);
  }
  // Its own names, in front of those it sees.
  Names inner;
  Names outer = std::exchange(names_, std::move(inner));
  // What it sees may be further out than its use: it can be handed to functions that are inlined in their
  // turn.
  const Names* seen = &outer;
  for (const Names* names : suspended_) {
    if (inlined.owner && inlined.hygienic && names->id() == inlined.home) seen = names;
  }
  Names::Below below(*seen, inlined.owner && inlined.hygienic ? inlined.depth : SIZE_MAX);
  suspended_.push_back(&outer);
  bool sees_use = inlined.owner || !inlined.hygienic;
  names_.set_around(sees_use ? static_cast<script::NameScope*>(&below) : inlined.around.get());
  script::Scope use = where_;
  if (!sees_use) where_ = nullptr;
  std::string suffix = inlined.uses == 0 ? "" : fmt::format("_{}", inlined.uses);
  ++inlined.uses;
  std::string outer_suffix = std::exchange(block_suffix_, suffix);
  struct Leave {
    Builder& builder;
    Names& outer;
    script::Scope use;
    std::string& suffix;
    ~Leave() {
      builder.names_ = std::move(outer);
      builder.where_ = use;
      builder.block_suffix_ = suffix;
      builder.suspended_.pop_back();
      --builder.expansions_;
    }
  } leave{*this, outer, use, outer_suffix};
  NameFrame frame(names_);
  for (const auto& [parameter, value] : values) names_.bind(parameter, value, span);
  NameFrame body(names_);
  visit_all(inlined.definition->body);
  touched_ = true;
}

std::span<const ir::ApiRow> template_rows() { return template_table; }

void register_template_hooks() {
  script::register_definition_hook("tvm.script.tirx.inline", inline_hook);
  script::register_definition_hook("tvm.script.tirx.macro", macro_hook);
  script::register_definition_hook("tvm.script.tirx.jit", jit_hook);
  script::register_definition_hook("tvm.script.relax.macro", graph_macro_hook);
}

}  // namespace mlc::tvmscript
