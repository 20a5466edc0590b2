// SPDX-License-Identifier: Apache-2.0
// Functions of the graph language: signatures, blocks, bindings.
#include <algorithm>

#include "frontend/print/printer.h"
#include "ir/relax/infer.h"
#include "ir/relax/normalize.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

bool is_void(const Type& t) {
  auto* tuple = relax::as_type<TupleTypeNode>(t);
  return tuple && tuple->elements.empty();
}

}  // namespace

// A variable that nothing has defined yet. A symbolic dimension is declared where the body of its function
// begins, another variable before the current block.
void Printer::declare_graph_free(const VarNode* var) {
  bool prim = var->ty && var->ty->kind == TypeKind::kPrim;
  size_t frame = prim && head_ ? head_->frame : names_.frames().size() - 1;
  bool shown = !root_is_value_ || options_.verbose_expr;
  if (!prim && shown) name_free(var->ty);
  std::string name = names_.define_in(frame, var, view(var->name));
  if (!shown) return;
  Capture text(*this);
  indent(names_.frames()[frame].depth);
  if (prim) {
    put(name, " = ");
    new_variable(var);
  } else {
    put(name, ": ");
    type(var->ty);
  }
  put("\n");
  std::string line = text.take();
  if (prim && head_) {
    head_->text += line;
  } else {
    insert(frame, line);
  }
}

void Printer::name_free(const Type& type) {
  if (!type) return;
  const auto* tensor = relax::as_type<relax::TensorTypeNode>(type);
  auto* shape = tensor && tensor->shape ? as<relax::ShapeExprNode>(tensor->shape) : nullptr;
  if (shape) {  // most types: without a list of their variables
    for (const Expr& each : shape->values) name_free(each);
    return;
  }
  for (const Var& var : relax::symbolic_vars(type)) name_of(var.get());
}
void Printer::name_free(const Expr& e) {
  if (e->kind == ExprKind::kIntImm) return;
  if (auto* var = as<VarNode>(e)) {
    name_of(var);
  } else if (auto* tuple = as<TupleNode>(e)) {
    for (const Expr& each : tuple->elements) name_free(each);
  } else if (auto* item = as<TupleGetItemNode>(e)) {
    name_free(item->tuple_value);
  } else if (auto* function = as<GlobalVarNode>(e)) {
    Capture unused(*this);  // the alias of the module is defined by its first use
    global_var(function);
    unused.take();
  } else if (auto* call = as<CallNode>(e)) {
    if (as<VarNode>(call->op) || as<GlobalVarNode>(call->op)) name_free(call->op);
    for (const Expr& each : call->args) name_free(each);
    for (const Type& each : call->ty_args) name_free(each);
  } else if (auto* shape = as<relax::ShapeExprNode>(e)) {
    for (const Expr& each : shape->values) name_free(each);
  } else if (!is_graph_kind(e->kind)) {
    for (const Var& var : free_vars(e)) name_of(var.get());
  }
}

// The dimensions of a signature that nothing has defined yet: `n = TypeVar("n")` above the text, or above the
// function where it is nested.
void Printer::graph_type_variables(const relax::FunctionNode* fn) {
  std::unordered_set<const VarNode*> seen;
  for (const Var& param : fn->params) {
    if (relax::is_prim(param)) seen.insert(param.get());
  }
  std::vector<const VarNode*> found;
  auto collect = [&](const Type& type) {
    for (const Var& var : relax::symbolic_vars(type)) {
      if (!names_.find(var.get()) && seen.insert(var.get()).second) found.push_back(var.get());
    }
  };
  for (const Var& param : fn->params) collect(param->ty);
  collect(fn->ret_ty);
  std::stable_sort(found.begin(), found.end(),
                   [](auto* a, auto* b) { return view(a->name) < view(b->name); });
  for (const VarNode* var : found) {
    names_.define(var, view(var->name));
    type_bound_.insert(var);
  }
  if (!options_.use_pep695 || found.empty()) return;
  put("[");
  list(found, [&](const VarNode* var, int64_t) { put(*names_.find(var)); });
  put("]");
}

void Printer::graph_parameters(const relax::FunctionNode* fn) {
  for (const Var& param : fn->params) {
    if (relax::is_prim(param)) names_.define(param.get(), view(param->name));
  }
  put("(");
  list(fn->params, [&](const Var& param, int64_t i) {
    At at(*this, "params", i);
    put(names_.define(param.get(), view(param->name)));
    if (!param->ty) return;
    put(": ");
    At type_at(*this, "ty");
    type(param->ty);
  });
  put(")");
  if (!fn->ret_ty) return;
  put(" -> ");
  At at(*this, "ret_ty");
  type(fn->ret_ty);
}

void Printer::graph_function(const relax::FunctionNode* fn, std::string_view name, bool nested) {
  if (classic()) not_classic("a function of the graph language");
  Mark mark(*this, fn);
  bool graph = std::exchange(graph_, true);
  Any scope = std::exchange(scope_root_, Any(ref(fn)));
  std::unordered_set<const VarNode*> bound;
  std::swap(bound, type_bound_);

  std::vector<std::pair<String, Any>> attrs;
  bool has_symbol = false;
  for (const auto& [key, item] : fn->attrs) {
    if (view(key) == "global_symbol") {
      has_symbol = true;
      auto symbol = item.try_cast<String>();
      if (!nested && symbol && view(*symbol) == name) continue;
    }
    attrs.emplace_back(key, item);
  }
  // The header of a nested function comes before it, and is known when it has been printed.
  names_.push(nullptr, depth_, out_.size());
  size_t header = names_.frames().size() - 1;
  indent(depth_);
  put("@");
  relax_name("function");
  // A local function of a block that is printed on its own is private, as in TVM.
  bool is_private = !has_symbol && (!nested || scope.as<relax::BindingBlockNode>());
  if (!fn->is_pure || is_private)
    put("(", fn->is_pure ? "" : "pure=False", !fn->is_pure && is_private ? ", " : "",
        is_private ? "private=True" : "", ")");
  end_line();
  indent(depth_);
  put("def ", name);
  names_.push(fn, depth_ + 1, npos);
  graph_type_variables(fn);
  const auto* quoted = std::exchange(quoted_, options_.use_pep695 ? nullptr : &type_bound_);
  graph_parameters(fn);
  quoted_ = quoted;
  put(":");
  end_line();
  ++depth_;
  if (!attrs.empty()) {
    indent(depth_);
    relax_name("func_attr");
    put("(");
    At at(*this, "attrs");
    dict(std::move(attrs));
    put(")\n");
  }
  size_t function = names_.frames().size() - 1;
  names_.frames()[function].insert_at = out_.size();
  Head head{"", function, false};
  Head* outer = std::exchange(head_, &head);
  {
    At at(*this, "body");
    sequence(fn->body.get(), SeqEnd::kReturn);
  }
  head_ = outer;
  if (!head.text.empty()) insert(function, head.text);
  --depth_;

  std::vector<std::string> own;  // names of its type variables
  for (const VarNode* var : type_bound_) own.push_back(*names_.find(var));
  std::sort(own.begin(), own.end());
  names_.pop();
  if (nested) {
    bool declares = !own.empty() && !options_.use_pep695;
    Capture text(*this);
    auto lines = [&](const std::string& several) {
      for (size_t begin = 0; begin < several.size();) {
        size_t end = several.find('\n', begin);
        indent(depth_);
        put(several.substr(begin, end - begin), "\n");
        begin = end + 1;
      }
    };
    nested_type_variables_ = nested_type_variables_ || declares;
    if (nested_type_variables_ || (!type_variables_.empty() && !options_.use_pep695))
      lines("# from typing import TypeVar\n");
    lines(import_lines() + "\n");
    if (declares) {
      for (const std::string& each : own) lines(fmt::format("{} = TypeVar(\"{}\")\n", each, each));
    }
    insert(header, text.take());
  } else {
    for (const std::string& each : own) {
      if (type_variable_set_.insert(each).second) type_variables_.push_back(each);
    }
  }
  names_.pop();
  std::swap(bound, type_bound_);
  scope_root_ = std::move(scope);
  graph_ = graph;
}

void Printer::extern_function(const relax::ExternFuncNode* fn) {
  bool graph = std::exchange(graph_, true);
  relax_name("ExternFunc");
  put("(", literal(view(fn->global_symbol)));
  auto* type_of = relax::type_as<relax::FuncTypeNode>(ref(fn));
  bool usual = type_of && type_of->is_opaque() && !type_of->purity && type_of->ret &&
               type_of->ret->kind == TypeKind::kAny;
  if (!usual) {
    put(", ");
    At at(*this, "ty");
    type(fn->ty);
  }
  put(")");
  graph_ = graph;
}

void Printer::sequence(const relax::SeqExprNode* seq, SeqEnd end, const Assigned* to) {
  Mark mark(*this, seq);
  mark.spread();
  names_.push(seq, depth_, out_.size());
  for (size_t i = 0; i < seq->blocks.size(); ++i) {
    At at(*this, "blocks", static_cast<int64_t>(i));
    block(seq->blocks[i].get());
  }
  names_.innermost().insert_at = out_.size();
  name_free(seq->body);
  if (end == SeqEnd::kAssign) {
    assign(*to, "body", seq->body);
  } else {
    indent(depth_);
    if (end == SeqEnd::kReturn) put("return ");
    expr("body", seq->body);
  }
  end_line();
  names_.pop();
}

void Printer::block(const relax::BindingBlockNode* block) {
  Mark mark(*this, block);
  names_.innermost().insert_at = out_.size();
  auto bindings = [&] {
    for (size_t i = 0; i < block->bindings.size(); ++i) {
      At at(*this, "bindings", static_cast<int64_t>(i));
      binding(block->bindings[i].get());
    }
  };
  if (!block->IsInstance<relax::DataflowBlockNode>()) return bindings();
  if (tracking_) comment_above(block);
  indent(depth_);
  put("with ");
  relax_name("dataflow");
  put("():\n");
  ++depth_;
  bindings();
  indent(depth_);
  relax_name("output");
  put("(");
  bool first = true;
  for (const relax::Binding& each : block->bindings) {
    if (relax::is_dataflow(each->var)) continue;
    if (!first) put(", ");
    first = false;
    put(name_of(each->var.get()));
  }
  put(")\n");
  --depth_;
}

// Does the variable print with its type? Not where it is what call_tir was told to yield, nor, when the
// caller does not want to see all, where it follows from the value.
bool Printer::shows_type(const VarNode* var, const Expr& value) const {
  if (!var->ty) return false;
  auto* call = as<CallNode>(value);
  std::string_view op;
  if (call) {
    if (auto* known = as<OpNode>(call->op)) op = view(known->name);
  }
  bool yields = op == "relax.call_tir" || op == "relax.call_dps_packed";
  if (options_.show_all_ty && !yields) return true;
  Type inferred;
  if (yields) {
    if (call->ty_args.size() == 1) inferred = call->ty_args[0];
  } else if (!op.empty() && options_.host) {
    inferred = relax::infer_type(call, relax::InferContext(*options_.host));
  } else if (value->kind == ExprKind::kTuple || value->kind == ExprKind::kTupleGetItem ||
             value->kind == ExprKind::kVar) {
    inferred = value->ty;
  }
  return !inferred || !structural_equal(inferred, var->ty);
}

void Printer::assign(const Assigned& to, const char* attr, const Expr& value) {
  indent(depth_);
  put(*names_.find(to.var));
  if (to.typed) {
    put(": ");
    At var_at(*this, "var");
    At type_at(*this, "ty");
    type(to.var->ty);
  }
  put(" = ");
  // A tuple on the right of `=` needs no parentheses.
  At at(*this, attr);
  if (auto* tuple = as<TupleNode>(value); tuple && tuple->elements.size() > 1) {
    Mark mark(*this, tuple);
    return exprs("fields", tuple->elements);
  }
  expr(value);
}

void Printer::binding(const relax::BindingNode* b) {
  Mark mark(*this, b);
  ExprKind kind = b->value->kind;
  bool several_lines = kind == ExprKind::kIf || kind == ExprKind::kFunction || kind == ExprKind::kPrimFunc;
  if (tracking_ && several_lines) comment_above(b);
  const VarNode* var = b->var.get();
  if (auto* match = ref(b).as<relax::MatchCastNode>()) {
    if (options_.show_all_ty) name_free(var->ty);
    name_free(match->value);
    name_free(match->ty);
    indent(depth_);
    put(names_.define(var, view(var->name)));
    if (options_.show_all_ty && var->ty) {
      put(": ");
      type(var->ty);
    }
    put(" = ");
    relax_name("match_cast");
    put("(");
    expr("value", match->value);
    put(", ");
    At at(*this, "ty");
    type(match->ty);
    put(")\n");
    return comment_beside(b);
  }
  const Expr& value = b->value;
  Assigned to{var, shows_type(var, value)};
  if (auto* n = as<relax::IfNode>(value)) {
    name_free(var->ty);
    names_.define(var, view(var->name));
    At at(*this, "value");
    return branches(n, &to);
  }
  if (value->kind == ExprKind::kFunction || value->kind == ExprKind::kPrimFunc) {
    names_.define(var, view(var->name));
    At at(*this, "value");
    return nested_function(value, var);
  }
  name_free(value);
  if (options_.syntax_sugar && is_void(value->ty) && is_void(var->ty)) {
    indent(depth_);
    expr("value", value);
    // The variable is not written; where it is used it is what every value of its type is.
    Capture text(*this);
    relax_name("tuple");
    put("()");
    names_.define_as(var, text.take());
    end_line();
    return comment_beside(b);
  }
  if (to.typed) name_free(var->ty);
  names_.define(var, view(var->name));
  assign(to, "value", value);
  end_line();
  comment_beside(b);
}

void Printer::branches(const relax::IfNode* n, const Assigned* to) {
  Mark mark(*this, n);
  names_.innermost().insert_at =
      names_.innermost().insert_at == npos ? out_.size() : names_.innermost().insert_at;
  name_free(n->cond);
  indent(depth_);
  put("if ");
  expr("cond", n->cond);
  put(":\n");
  ++depth_;
  auto branch = [&](const char* attr, const relax::SeqExpr& seq) {
    At at(*this, attr);
    sequence(seq.get(), to ? SeqEnd::kAssign : SeqEnd::kValue, to);
  };
  branch("true_branch", n->true_branch);
  --depth_;
  indent(depth_);
  put("else:\n");
  ++depth_;
  branch("false_branch", n->false_branch);
  --depth_;
}

void Printer::nested_function(const Expr& fn, const VarNode* var) {
  std::string name = *names_.find(var);
  if (auto* graph = as<relax::FunctionNode>(fn)) {
    graph_function(graph, name, true);
  } else {
    graph_ = false;
    Any scope = scope_root_;
    names_.push(nullptr, depth_, out_.size());
    size_t header = names_.frames().size() - 1;
    prim_func(as<PrimFuncNode>(fn), name, nullptr);
    Capture text(*this);
    std::string imports = import_lines() + "\n";
    for (size_t begin = 0; begin < imports.size();) {
      size_t end = imports.find('\n', begin);
      indent(depth_);
      put(imports.substr(begin, end - begin), "\n");
      begin = end + 1;
    }
    insert(header, text.take());
    names_.pop();
    scope_root_ = std::move(scope);
    graph_ = true;
  }
  put("\n");
}

}  // namespace mlc::print
