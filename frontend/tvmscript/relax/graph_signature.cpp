// SPDX-License-Identifier: Apache-2.0
// The frame of a function of graphs: its signature with the symbolic variables that it defines, its result.
#include <algorithm>
#include <cctype>

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/value.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/walk.h"
#include "frontend/tvmscript/builder/type_parameters.h"
#include "frontend/tvmscript/relax/graph_builder.h"
#include "ir/core/refusal.h"
#include "ir/relax/infer.h"
#include "ir/relax/origin.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "outside-graph", .message = "`R.{}` has a meaning only inside a function under `@R.function`"},
        {.name = "missing-annotation",
         .message = "parameter `{}` has no type",
         .help = "write its type: `R.Tensor((2, 3), \"float32\")`, or `R.Any`"},
        {.name = "missing-return",
         .message = "the function `{}` returns nothing",
         .help = "end it with `return value`"},
        {.name = "unsupported-parameter", .message = "a function of graphs has positional parameters only, no {}"},
        {.name = "duplicate-parameter", .message = "the function has two parameters `{}`"},
        {.name = "result-type-mismatch",
         .kind = "TypeError",
         .message = "{}the result is {}, but is declared as {}"},
        {.name = "quoted-dimension",
         .message = "a quoted dimension `\"{}\"` defines symbolic variables, which only a signature does",
         .help = "declare it with `{} = T.int64()` above, and write it without quotes"},
        {.name = "not-a-type",
         .kind = "TypeError",
         .message = "`{}` is no type of a value of a graph",
         .help = "write `R.Tensor(...)`, `R.Shape(...)`, `R.Tuple(...)`, `R.Callable(...)`, `R.Any` or `T.int64`"},
    }};
MLC_REFUSALS(relax_graph_signature, refusals);

namespace {

// The builder that evaluates at the moment on this thread.
thread_local GraphBuilder* at_work = nullptr;

bool is_identifier(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

GraphBuilder::GraphBuilder(Evaluator& evaluator, script::Scope where, const Outside& outside, script::NameScope* around)
    : evaluator_(evaluator), where_(where), outer_(at_work), block_builder_(evaluator) {
  at_work = this;
  names_.set_around(around);
  for (const auto& [name, value] : outside) names_.bind(name, value);
  names_.open();  // parameters hide what is outside
}
GraphBuilder::~GraphBuilder() { at_work = outer_; }

GraphBuilder* GraphBuilder::current_or_null() { return at_work; }
GraphBuilder& GraphBuilder::current(const ApiCall& call) {
  if (at_work) return *at_work;
  throw ir::refuse(refusals["outside-graph"], call.api.name).at(call.span);
}

Type type_from(ir::Host& host, const Any& value, Span span) {
  if (script::is_none(value)) return ir::void_type();
  if (!script::is_object(value) || script::is_str(value))
    throw ir::refuse(refusals["not-a-type"], ir::type_name(value)).at(span);
  if (auto* type = value.as<ir::TypeNode>()) return ir::ref(type);
  if (auto* type = frame<TypeValueNode>(value)) return type->type;
  if (auto* var = value.as<ir::VarNode>(); var && var->name.empty() && relax::is_prim(ir::ref(var))) return var->ty;
  if (script::as<script::ApiFunctionNode>(value)) return type_from(host, host.call(value, {}), span);
  throw ir::refuse(refusals["not-a-type"], ir::type_name(value)).at(span);
}

Type GraphBuilder::annotation(const syntax::Expr& written) {
  return type_from(evaluator_, evaluate(written), written.span);
}

Expr GraphBuilder::quoted_dimension(std::string_view text, Span span) {
  if (!in_signature_) {
    std::string_view name = is_identifier(text) ? text : "n";
    throw ir::refuse_as(refusals["quoted-dimension"],
                        "a quoted dimension `\"{}\"` defines symbolic variables, which only a signature does", text)
        .at(span)
        .help(fmt::format("declare it with `{0} = T.int64()` above, and write it without quotes", name));
  }
  uint32_t file = ir::SourceMap::current().add("<shape>", std::string(text));
  std::shared_ptr<const syntax::Tree> tree = syntax::parse_expression(file);
  trees_.push_back(tree);
  if (auto* name = syntax::as<syntax::Name>(tree->expression); name && !names_.in_innermost(name->id)) {
    Var var = ir::make<ir::VarNode>(String(std::string(text)), Type(ir::prim_type(DataType::Int(64))), span);
    names_.bind(name->id, Expr(var), span);
    return var;
  }
  try {
    return script::as_expr(evaluate(*tree->expression), span, "a dimension");
  } catch (ir::Error& error) {
    error.first().span = span;  // of the text, not inside of it
    throw;
  }
}

// Names in quotes are symbolic variables of the whole signature, wherever the first of them stands.
void GraphBuilder::bind_symbols(const syntax::FunctionDef& definition) {
  for (const syntax::TypeParam* param : definition.type_params) {
    attempt(param->span, [&] { check_type_parameter(*param); });
    Var var = ir::make<ir::VarNode>(String(std::string(param->name.str())),
                                    Type(ir::prim_type(DataType::Int(64))), param->span);
    names_.bind(param->name, Expr(var), param->span);
  }
  attempt(definition.name_span, [&] {
    bind_type_variables(definition, names_, [&](Symbol name) { return evaluator_.lookup(name, where_); });
  });
  std::unordered_set<uint32_t> before;  // parameters to the left
  auto define = [&](const syntax::Expr* dim) {
    auto* text = syntax::as<syntax::Constant>(dim);
    if (!text || text->type != syntax::Constant::Type::kStr || !is_identifier(text->text)) return;
    Symbol name(text->text);
    if (before.contains(name.id()) || names_.in_innermost(name)) return;
    Var var = ir::make<ir::VarNode>(String(std::string(text->text)), Type(ir::prim_type(DataType::Int(64))),
                                    text->span);
    names_.bind(name, Expr(var), text->span);
  };
  for (const syntax::Arg* arg : definition.args->args) {
    if (!arg->annotation) continue;
    syntax::each_expr(arg->annotation, [&](const syntax::Expr& e) {
      if (auto* tuple = syntax::as<syntax::Tuple>(&e)) {
        for (const syntax::Expr* element : tuple->elts) define(element);
      } else if (auto* list = syntax::as<syntax::List>(&e)) {
        for (const syntax::Expr* element : list->elts) define(element);
      }
      return true;
    });
    // `n: T.int64` is what "n" means from here on.
    if (syntax::as<syntax::Attribute>(arg->annotation)) before.insert(arg->name.id());
  }
}

void GraphBuilder::bind_parameters(const syntax::FunctionDef& definition) {
  const syntax::Arguments& args = *definition.args;
  auto unsupported = [&](std::string_view what, Span span) {
    errors_.add(ir::refuse(refusals["unsupported-parameter"], what).at(span), {});
  };
  if (args.vararg) unsupported("`*args`", args.vararg->span);
  if (args.kwarg) unsupported("`**kwargs`", args.kwarg->span);
  for (const syntax::Arg* arg : args.kwonlyargs) unsupported("keyword-only ones", arg->span);
  if (!args.defaults.empty()) unsupported("default values", args.defaults[0]->span);
  bind_symbols(definition);
  in_signature_ = true;
  std::unordered_set<uint32_t> seen;
  auto bind = [&](const syntax::Arg* arg) {
    bool ok = attempt(arg->span, [&] {
      if (!seen.insert(arg->name.id()).second)
        throw ir::refuse(refusals["duplicate-parameter"], arg->name.str()).at(arg->span);
      if (!arg->annotation) throw ir::refuse(refusals["missing-annotation"], arg->name.str()).at(arg->span);
      Type type = annotation(*arg->annotation);
      Var param = ir::make<ir::VarNode>(String(std::string(arg->name.str())), type, arg->span);
      params_.push_back(param);
      names_.bind(arg->name, Expr(param), arg->span);
    });
    if (!ok) names_.bind(arg->name, Any(ir::make<PoisonNode>()), arg->span);
  };
  for (const syntax::Arg* arg : args.posonlyargs) bind(arg);
  for (const syntax::Arg* arg : args.args) bind(arg);
  if (definition.returns)
    attempt(definition.returns->span, [&] { declared_result_ = annotation(*definition.returns); });
  in_signature_ = false;
}

relax::FuncType GraphBuilder::signature(const syntax::FunctionDef& definition, const GraphOptions& options,
                                        Type otherwise) {
  NameFrame frame(names_);
  bind_parameters(definition);
  if (!errors_.empty()) errors_.raise();
  return relax::function_type(params_, declared_result_ ? declared_result_ : std::move(otherwise), options.is_pure);
}

relax::Function GraphBuilder::build(const syntax::FunctionDef& definition, const GraphOptions& options) {
  NameFrame frame(names_);
  function_ = std::string(definition.name.str());
  is_private_ = options.is_private;
  attempt(definition.name_span, [&] { bind_parameters(definition); });
  block_builder_.begin_scope(params_);
  Blocks blocks;
  blocks_ = &blocks;
  begin_block();
  visit_all(definition.body);
  if (!result_ && errors_.empty())
    errors_.add(ir::refuse(refusals["missing-return"], function_).at(definition.name_span), {});
  if (!errors_.empty()) errors_.raise();
  Expr result = block_builder_.normalize_operand(result_);
  end_block();
  blocks_ = nullptr;
  relax::SeqExpr body = ir::make<relax::SeqExprNode>(blocks, result);
  block_builder_.end_scope();

  std::unordered_set<const ir::VarNode*> known;
  for (const Var& param : params_) {
    for (const Var& var : relax::definable_vars(param->ty)) known.insert(var.get());
  }
  relax::InferContext context = bindings();
  Type inferred = relax::erase_to_defined(
      result->ty, [&](const ir::VarNode* var) { return known.contains(var); }, context);
  Type type = inferred;
  if (declared_result_) {
    relax::Fit fit = relax::fits(declared_result_, inferred, context);
    if (fit == relax::Fit::kNever) {
      relax::Clash clash = relax::find_clash(declared_result_, inferred, context);
      ir::Error error = ir::refuse(refusals["result-type-mismatch"], clash.path, clash.given, clash.wanted)
                            .at(result_span_)
                            .note("the type is declared here", definition.returns->span);
      relax::explain_clash(error, result, declared_result_, context);
      throw error;
    }
    if (fit != relax::Fit::kAlways) type = declared_result_;
  }
  if (!is_private_ && attrs_.count("global_symbol") == 0) attrs_.Set("global_symbol", String(function_));
  return ir::make<relax::FunctionNode>(params_, body, type, options.is_pure, attrs_, definition.span);
}

}  // namespace mlc::tvmscript
