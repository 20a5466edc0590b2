// SPDX-License-Identifier: Apache-2.0
// The frame of a function: its signature, and what is put around its body at the end.
#include "frontend/script/core/value.h"
#include "frontend/syntax/walk.h"
#include "frontend/tvmscript/builder/builder.h"
#include "frontend/tvmscript/builder/frame.h"
#include "frontend/tvmscript/builder/type_parameters.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/verify.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-parameter-type",
         .kind = "TypeError",
         .message = "`{}` is annotated with `{}`, which is no type of a parameter",
         .meaning = "A parameter is a buffer, a pointer or a number, and says so with a name of `T`.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(n: int):
    T.evaluate(0))",
         .right = R"(@T.prim_func(s_tir=True)
def f(n: T.int32):
    T.evaluate(n))"},
        {.name = "bad-return-type",
         .kind = "TypeError",
         .message = "`{}` is not a type",
         .meaning = "The type of a result is a name of `T`, or None.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(n: T.int32) -> "x":
    return n)",
         .right = R"(@T.prim_func(s_tir=True)
def f(n: T.int32) -> T.int32:
    return n)"},
        {.name = "missing-annotation",
         .message = "parameter `{}` has no type",
         .meaning = "Every parameter says its type.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(n):
    T.evaluate(0))",
         .right = R"(@T.prim_func(s_tir=True)
def f(n: T.int32):
    T.evaluate(n))"},
        {.name = "unsupported-parameter",
         .message = "a prim_func has positional parameters only, no {}",
         .meaning = "A compiled function is called with all its arguments, by position.",
         .wrong = R"(@T.prim_func(s_tir=True)
def f(n: T.int32 = 3):
    T.evaluate(n))",
         .right = R"(@T.prim_func(s_tir=True)
def f(n: T.int32):
    T.evaluate(n))"},
    }};
MLC_REFUSALS(tir_build_function, refusals);

namespace {

// Does some `with` below open a block? Decides the dialect of a bare @T.prim_func before it is built.
bool opens_block(syntax::Seq<syntax::Stmt> stmts) {
  static const Symbol block("block");
  static const Symbol sblock("sblock");
  for (const syntax::Stmt* stmt : stmts) {
    if (auto* with = syntax::as<syntax::With>(stmt)) {
      for (const syntax::WithItem* item : std::span(with->items)) {
        auto* call = syntax::as<syntax::Call>(item->context_expr);
        auto* attribute = call ? syntax::as<syntax::Attribute>(call->func) : nullptr;
        if (attribute && (attribute->attr == block || attribute->attr == sblock)) return true;
      }
      if (opens_block(with->body)) return true;
    } else if (auto* loop = syntax::as<syntax::For>(stmt)) {
      if (opens_block(loop->body)) return true;
    } else if (auto* loop = syntax::as<syntax::While>(stmt)) {
      if (opens_block(loop->body)) return true;
    } else if (auto* branch = syntax::as<syntax::If>(stmt)) {
      if (opens_block(branch->body) || opens_block(branch->orelse)) return true;
    }
  }
  return false;
}

// T.func_attr({"s_tir": True}): a function of the older dialect without blocks that is schedulable.
bool says_schedulable(syntax::Seq<syntax::Stmt> stmts) {
  static const Symbol func_attr("func_attr");
  for (const syntax::Stmt* stmt : stmts) {
    auto* expression = syntax::as<syntax::ExprStmt>(stmt);
    auto* call = expression ? syntax::as<syntax::Call>(expression->value) : nullptr;
    auto* attribute = call ? syntax::as<syntax::Attribute>(call->func) : nullptr;
    if (!attribute || attribute->attr != func_attr || call->args.size() != 1) continue;
    auto* dict = syntax::as<syntax::Dict>(call->args[0]);
    if (!dict) continue;
    for (const syntax::Expr* key : dict->keys) {
      auto* text = key ? syntax::as<syntax::Constant>(key) : nullptr;
      if (text && text->type == syntax::Constant::Type::kStr && text->text == "s_tir") return true;
    }
  }
  return false;
}

// The data type of `T.int64` as an annotation, without evaluating it.
std::optional<DataType> scalar_annotation(const syntax::Expr* annotation) {
  auto* attribute = syntax::as<syntax::Attribute>(annotation);
  if (!attribute) return std::nullopt;
  std::string_view name = attribute->attr.str();
  if (name.empty() || name == "handle" || name == "Buffer") return std::nullopt;
  try {
    return DataType::parse(name == "boolean" ? "bool" : name);
  } catch (const ir::Error&) {
    return std::nullopt;
  }
}

ir::Error unsupported_parameter(std::string_view what, Span span) {
  return ir::refuse(refusals["unsupported-parameter"], what).at(span);
}

bool is_root_realize(const Stmt& body) {
  auto* realize = ir::as<ir::SBlockRealizeNode>(body);
  return realize && realize->block->iter_vars.empty();
}

// A block without its realization is no schedulable one: it asks for no root.
bool contains_block(const Stmt& body) {
  bool found = false;
  ir::walk_with(body, [&](const Stmt& s, ir::Walker& on) {
    found = found || s->kind == ir::StmtKind::kSBlockRealize;
    if (!found) on.walk_children(s);
  });
  return found;
}

}  // namespace

Any Builder::evaluate_annotation(const syntax::Expr& annotation) {
  Any value;
  // `T.Buffer[(128, 128), "float32"]`: the subscript form of the call.
  if (auto* subscript = syntax::as<syntax::Subscript>(&annotation)) {
    Any base = evaluate(*subscript->value);
    if (script::as<script::ApiFunctionNode>(base)) {
      std::vector<Any> args;
      std::vector<Span> spans;
      if (auto* tuple = syntax::as<syntax::Tuple>(subscript->slice)) {
        for (const syntax::Expr* element : tuple->elts) {
          args.push_back(evaluate(*element));
          spans.push_back(element->span);
        }
      } else {
        args.push_back(evaluate(*subscript->slice));
        spans.push_back(subscript->slice->span);
      }
      // `T.Buffer[128, "float32"]`, `T.Buffer[(128, 128)]`, `T.Buffer[128, 128]` (float32)
      bool all_numbers = args.size() > 1 && std::none_of(args.begin(), args.end(), [](const Any& arg) {
                           return script::is_str(arg) || script::as<ffi::ArrayObj>(arg);
                         });
      if (all_numbers) {
        Any shape = Array<Any>(args.begin(), args.end());
        args = {shape};
        spans = {subscript->slice->span};
      }
      return evaluator_.call(base, args, {}, annotation.span, spans);
    }
  }
  // `T.Buffer(("n", n * 2), ...)`: a quoted dimension defines its names for those after it.
  if (auto* call = syntax::as<syntax::Call>(&annotation); call && in_signature_ && !call->args.empty()) {
    if (auto* shape = syntax::as<syntax::Tuple>(call->args[0])) {
      for (const syntax::Expr* dim : shape->elts) {
        auto* text = syntax::as<syntax::Constant>(dim);
        if (text && text->type == syntax::Constant::Type::kStr) match_expression(text->text, text->span);
      }
    }
  }
  value = evaluate(annotation);
  if (script::as<script::ApiFunctionNode>(value)) return evaluator_.call(value, {}, {}, annotation.span);
  return value;
}

Var Builder::parameter_from(const Any& annotation, const syntax::Arg& arg) {
  auto* var = annotation.as<ir::VarNode>();
  if (!var || !var->name.empty()) {
    std::string_view text = ir::SourceMap::current().text(arg.annotation->span);
    std::string_view meant = text == "int"     ? "T.int32"
                             : text == "float" ? "T.float32"
                             : text == "bool"  ? "T.bool"
                                               : "";
    throw ir::refuse(refusals["bad-parameter-type"], arg.name.str(), text)
        .at(arg.annotation->span)
        .help(!meant.empty()
                  ? fmt::format("write `{}: {}`", arg.name.str(), meant)
                  : "write `T.Buffer((...), \"float32\")`, `T.handle` or a type such as `T.int32`");
  }
  auto match = match_vars_.find(arg.name);
  if (match != match_vars_.end()) {
    if (!(match->second->dtype() == var->dtype()) || var->ty->kind != ir::TypeKind::kPrim) {
      throw ir::Error("type-mismatch", "`{}` is `{}` here and `{}` in a shape", arg.name.str(),
                      var->dtype().str(), match->second->dtype().str())
          .at(arg.annotation->span)
          .note("the shape is here", match->second->span);
    }
    return match->second;
  }
  auto early = early_.find(arg.name);
  if (early != early_.end()) return early->second;
  auto* node = const_cast<ir::VarNode*>(var);
  node->span = arg.span;
  name_once(var, arg.name.str());
  return ir::ref(var);
}

namespace {

// A type that a parameter without one could have, by how the body uses it.
std::string fitting_type(Symbol parameter, const syntax::FunctionDef& definition) {
  size_t dimensions = 0;  // of a buffer
  bool pointer = false;
  bool used = false;
  auto is_it = [&](const syntax::Expr* e) {
    auto* name = syntax::as<syntax::Name>(e);
    return name && name->id == parameter;
  };
  syntax::each_expr(definition.body, [&](const syntax::Expr& e) {
    if (auto* subscript = syntax::as<syntax::Subscript>(&e); subscript && is_it(subscript->value)) {
      auto* tuple = syntax::as<syntax::Tuple>(subscript->slice);
      dimensions = std::max(dimensions, tuple ? tuple->elts.size() : size_t{1});
    }
    auto* call = syntax::as<syntax::Call>(&e);
    auto* callee = call ? syntax::as<syntax::Attribute>(call->func) : nullptr;
    if (callee && callee->attr.str() == "match_buffer" && !call->args.empty())
      pointer = pointer || is_it(call->args[0]);
    used = used || is_it(&e);
    return true;
  });
  if (pointer) return "T.handle";
  if (!used) return "T.int32` or another type of `T";
  if (dimensions == 0) return "T.int32";
  std::string shape = dimensions == 1 ? "n," : "m, n";
  for (size_t i = 2; i < dimensions; ++i) shape += fmt::format(", k{}", i - 1);
  return fmt::format("T.Buffer(({}), \"float32\")", shape);
}

}  // namespace

void Builder::bind_parameters(const syntax::FunctionDef& definition) {
  const syntax::Arguments& args = *definition.args;
  if (args.vararg) errors_.add(unsupported_parameter("`*args`", args.vararg->span), {});
  if (args.kwarg) errors_.add(unsupported_parameter("`**kwargs`", args.kwarg->span), {});
  for (const syntax::Arg* arg : args.kwonlyargs) {
    if (!fixed_.contains(arg->name)) errors_.add(unsupported_parameter("keyword-only ones", arg->span), {});
  }
  if (!args.defaults.empty() && fixed_.empty())
    errors_.add(unsupported_parameter("default values", args.defaults[0]->span), {});
  for (const syntax::TypeParam* param : definition.type_params) {
    attempt(param->span, [&] { check_type_parameter(*param); });
    Var var = ir::make<ir::VarNode>(String(std::string(param->name.str())),
                                    Type(ir::prim_type(DataType::Int(64))), param->span);
    names_.bind(param->name, Expr(var), param->span);
  }
  attempt(definition.name_span, [&] {
    bind_type_variables(definition, names_, [&](Symbol name) { return evaluator_.lookup(name, where_); });
  });
  for (const syntax::Arg* arg : args.args) {
    auto dtype = scalar_annotation(arg->annotation);
    if (!dtype) continue;
    declared_.emplace(arg->name, *dtype);
    // A buffer further left may have it as a stride or offset, if the name means nothing else.
    if (names_.peek(arg->name) || evaluator_.lookup(arg->name, where_)) continue;
    Var var =
        ir::make<ir::VarNode>(String(std::string(arg->name.str())), Type(ir::prim_type(*dtype)), arg->span);
    early_.emplace(arg->name, var);
    names_.bind(arg->name, Expr(var), arg->span);
  }
  in_signature_ = true;
  auto bind = [this, &definition](const syntax::Arg* arg) {
    if (fixed_.contains(arg->name)) return;
    bool ok = attempt(arg->span, [&] {
      if (!arg->annotation) {
        throw ir::refuse(refusals["missing-annotation"], arg->name.str())
            .at(arg->span)
            .help(fmt::format("write `{}: {}`", arg->name.str(), fitting_type(arg->name, definition)));
      }
      Var param = parameter_from(evaluate_annotation(*arg->annotation), *arg);
      params_.push_back(param);
      if (!names_.in_innermost(arg->name)) names_.bind(arg->name, Expr(param), arg->span);
    });
    if (!ok) names_.bind(arg->name, Any(ir::make<PoisonNode>()), arg->span);
  };
  for (const syntax::Arg* arg : args.posonlyargs) bind(arg);
  for (const syntax::Arg* arg : args.args) bind(arg);
  in_signature_ = false;
}

Type Builder::return_type_from(const syntax::Expr& annotation) {
  Any value = evaluate_annotation(annotation);
  if (script::is_none(value)) return ir::void_type();
  if (auto* type = frame<TypeValueNode>(value)) return type->type;
  if (auto* expr = value.as<ir::ExprNode>()) return expr->ty;
  throw ir::refuse(refusals["bad-return-type"], ir::type_name(value)).at(annotation.span);
}

ir::FuncType Builder::signature(const syntax::FunctionDef& definition) {
  NameFrame frame(names_);
  bind_parameters(definition);
  if (definition.returns)
    attempt(definition.returns->span, [&] { ret_type_ = return_type_from(*definition.returns); });
  Array<Type> types;
  for (const Var& param : params_) types.push_back(param->ty);
  return ir::make<ir::FuncTypeNode>(types, ret_type_ ? ret_type_ : Type(ir::void_type()));
}

Stmt Builder::finish_body(Stmt body) {
  bool s_tir = attrs_.count("s_tir") != 0;
  if (!s_tir) return body;
  bool needs_root = !root_.alloc_buffers.empty() || !root_.match_buffers.empty();
  if (!needs_root && is_root_realize(body)) {
    // A root block that is written out: regions of a root block are left empty.
    auto* realize = ir::as<ir::SBlockRealizeNode>(body);
    auto found = std::find_if(detected_.begin(), detected_.end(),
                              [&](const Detected& one) { return one.block == realize->block.get(); });
    if (found == detected_.end()) return body;
    return ir::with(ir::ref(realize), [&](ir::SBlockRealizeNode& changed) {
      changed.block = ir::with(changed.block, [&](ir::SBlockNode& root) {
        if (found->reads) root.reads = {};
        if (found->writes) root.writes = {};
      });
    });
  }
  if (!needs_root && !contains_block(body)) return body;
  auto block = ir::make<ir::SBlockNode>(Array<IterVar>{}, Array<ir::TensorRegion>{},
                                        Array<ir::TensorRegion>{}, "root", std::move(body), Stmt(),
                                        root_.alloc_buffers, root_.match_buffers, root_.annotations);
  return ir::make<ir::SBlockRealizeNode>(Array<Expr>{}, ir::bool_imm(true), block);
}

ir::PrimFunc Builder::build(const syntax::FunctionDef& definition, const FunctionOptions& options) {
  NameFrame frame(names_);
  function_ = std::string(definition.name.str());
  is_private_ = options.is_private;
  has_blocks_ = opens_block(definition.body) || says_schedulable(definition.body);
  classic_ = has_blocks_ && !options.s_tir;
  if (!is_private_) attrs_.Set("global_symbol", String(function_));
  bool s_tir = options.s_tir || has_blocks_;
  schedulable_ = s_tir;
  attempt(definition.name_span, [&] { bind_parameters(definition); });
  if (definition.returns)
    attempt(definition.returns->span, [&] { ret_type_ = return_type_from(*definition.returns); });
  Stmt body;
  {
    Body top;
    body_ = &top;
    visit_all(definition.body);
    body = close_body(top);
    body_ = nullptr;
  }
  if (s_tir || !root_.alloc_buffers.empty()) attrs_.Set("s_tir", true);
  if (options.persistent) attrs_.Set("tirx.persistent_kernel", true);
  if (!errors_.empty()) errors_.raise();
  body = finish_body(std::move(body));
  ir::PrimFunc fn = ir::make<ir::PrimFuncNode>(params_, ret_type_ ? ret_type_ : Type(ir::void_type()),
                                               std::move(body), attrs_, definition.span);
  if (options.check_well_formed) {
    std::vector<ir::Diagnostic> warnings;
    if (!attempt(definition.name_span, [&] { warnings = ir::verify(fn); })) errors_.raise();
    for (const ir::Diagnostic& warning : warnings) evaluator_.warn(warning);
  }
  return fn;
}

}  // namespace mlc::tvmscript
