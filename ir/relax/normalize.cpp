// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/normalize.h"

#include <algorithm>
#include <cctype>

#include "ir/core/visit.h"
#include "ir/relax/blocks.h"
#include "ir/relax/distributed.h"
#include "ir/relax/infer.h"
#include "ir/relax/operator_call.h"
#include "ir/relax/origin.h"
#include "ir/relax/visit.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "no-block-for-binding",
         .kind = "InternalError",
         .message = "a value within another one gets a variable of its own, and no block is open for it",
         .help = "normalize it in a function: `with bb.function(...)`, or emit the inner value before"},
        {.name = "dataflow-variable-in-plain-block",
         .kind = "InternalError",
         .message = "the variable `{}` of a dataflow block is bound outside of one",
         .help = "bind a `relax.Var`"},
        {.name = "operand-count", .kind = "ValueError", .message = "`{}` takes {} operand{}, {} given"},
        {.name = "not-callable", .message = "a {} is called, which is no function"},
        {.name = "index-of-no-tuple",
         .kind = "InternalError+TypeError",
         .message = "element {} is taken of a {}, which is no tuple"},
        {.name = "tuple-index-out-of-range",
         .kind = "IndexError",
         .message = "element {} is taken of a tuple of {}",
         .help = "elements count from 0"},
        {.name = "variable-without-type",
         .kind = "InternalError+ValueError",
         .message = "the type of variable `{}` is not known"},
        {.name = "impossible-match-cast",
         .kind = "InternalError+ValueError",
         .message = "`R.match_cast` to {}: the value is {}",
         .help =
             "a cast checks what is not known before the program runs; these types have no value in common"},
        {.name = "not-a-graph-value",
         .kind = "ValueError",
         .message = "an expression of tensor code in a graph"},
    }};
MLC_REFUSALS(relax_normalize, refusals);

namespace {

// Is it a value that operands may be as it stands?
bool is_leaf(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kCall:
      return is_tensor_code(static_cast<const CallNode*>(e.get()));
    case ExprKind::kSeqExpr:
    case ExprKind::kIf:
    case ExprKind::kFunction:
    case ExprKind::kTupleGetItem:
      return false;
    default:
      return true;
  }
}

bool is_opaque(const Type& type) { return !type || type->kind == TypeKind::kOpaque; }

}  // namespace

BlockBuilder::BlockBuilder(ir::Host& host, IRModule mod) : context_(host, std::move(mod)) {}
BlockBuilder::~BlockBuilder() = default;

// ---- functions of the module ----

// Equal functions have equal keys. Of graphs, which are long and hardly ever equal, it is what they call.
static uint64_t key_of(const BaseFunc& fn) {
  auto* graph = as<FunctionNode>(fn);
  if (!graph) return ir::structural_hash(fn);
  uint64_t key = graph->params.size();
  for (const BindingBlock& block : graph->body->blocks) {
    for (const Binding& binding : block->bindings) {
      auto* call = as<CallNode>(binding->value);
      bool named = call && call->op->kind == ExprKind::kOp;
      key = key * 1099511628211U + (named ? reinterpret_cast<uintptr_t>(call->op.get()) >> 4U : 1);
    }
  }
  return key;
}

void BlockBuilder::find_functions() {
  functions_found_ = true;
  if (!context_.mod) context_.mod = make<ir::IRModuleNode>();
  for (const auto& [name, fn] : context_.mod->functions) {
    functions_[key_of(fn)].push_back(name);
    function_names_.emplace(view(name->name_hint));
  }
}
void BlockBuilder::set_module(IRModule mod) {
  context_.mod = std::move(mod);
  functions_found_ = false;
  functions_.clear();
  function_names_.clear();
  function_numbers_.clear();
}

GlobalVar BlockBuilder::add_function(const BaseFunc& fn, std::string_view hint) {
  if (!functions_found_) find_functions();
  std::vector<GlobalVar>& alike = functions_[key_of(fn)];
  for (const GlobalVar& known : alike) {
    auto found = context_.mod->functions.find(known);
    if (found != context_.mod->functions.end() && ir::structural_equal((*found).second, fn)) return known;
  }
  std::string base(hint);  // what a text can name
  std::replace_if(base.begin(), base.end(), [](unsigned char c) { return c != '_' && std::isalnum(c) == 0; }, '_');
  std::string name = base;
  for (int& i = function_numbers_[base]; !function_names_.insert(name).second;) name = fmt::format("{}{}", base, ++i);
  GlobalVar global = make<GlobalVarNode>(String(name), is_opaque(fn->ty) ? Type(ir::opaque_type()) : fn->ty);
  context_.mod = ir::with_function(context_.mod, global, fn);
  alike.push_back(global);
  return global;
}
void BlockBuilder::update_function(const GlobalVar& name, const BaseFunc& fn) {
  if (!context_.mod) context_.mod = make<ir::IRModuleNode>();
  context_.mod = ir::with_function(context_.mod, name, fn);
  if (!functions_found_) return;
  functions_[key_of(fn)].push_back(name);
  function_names_.emplace(view(name->name_hint));
}

// ---- blocks and scopes ----

void BlockBuilder::begin_block(bool dataflow) {
  Block block;
  block.dataflow = dataflow;
  blocks_.push_back(std::move(block));
}
void BlockBuilder::begin_dataflow_block() { begin_block(true); }
void BlockBuilder::begin_binding_block() { begin_block(false); }
bool BlockBuilder::in_dataflow() const { return !blocks_.empty() && blocks_.back().dataflow; }

BindingBlock BlockBuilder::end_block() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  MLC_CHECK(block.before.empty(), "a sequence of blocks is ended as one");
  if (block.dataflow) return make<DataflowBlockNode>(block.bindings);
  return make<BindingBlockNode>(block.bindings);
}

Array<BindingBlock> BlockBuilder::end_blocks() {
  close_current(blocks_.back());
  Array<BindingBlock> all = std::move(blocks_.back().before);
  blocks_.pop_back();
  return all;
}

void BlockBuilder::close_current(Block& block) {
  block.operands.clear();
  if (block.bindings.empty()) return;
  if (block.dataflow) {
    block.before.push_back(make<DataflowBlockNode>(block.bindings));
  } else {
    block.before.push_back(make<BindingBlockNode>(block.bindings));
  }
  block.bindings = {};
}

void BlockBuilder::begin_scope(const Array<Var>& params) {
  scopes_.emplace_back();
  for (const Var& param : params) {
    if (is_prim(param) && symbolic_.insert(param.get()).second) scopes_.back().push_back(param);
    for (const Var& var : definable_vars(param->ty)) {
      dimensions_.insert(var.get());
      if (symbolic_.insert(var.get()).second) scopes_.back().push_back(var);
    }
  }
}
void BlockBuilder::end_scope() {
  for (const Var& var : scopes_.back()) {
    symbolic_.erase(var.get());
    dimensions_.erase(var.get());
  }
  scopes_.pop_back();
}

// ---- bindings ----

std::string BlockBuilder::unique_name(std::string_view hint) {
  std::string base(hint);
  std::replace(base.begin(), base.end(), '.', '_');
  auto known = names_.find(base);
  if (known == names_.end()) {
    names_.emplace(base, 0);
    return base;
  }
  std::string name;
  do {
    name = base + std::to_string(++known->second);
  } while (names_.count(name) != 0);
  names_.emplace(name, 0);
  return name;
}

void BlockBuilder::append(Binding binding) {
  if (const MatchCastNode* cast = as_match_cast(binding)) {
    if (scopes_.empty()) scopes_.emplace_back();
    for (const Var& var : definable_vars(cast->ty)) {
      dimensions_.insert(var.get());
      if (symbolic_.insert(var.get()).second) scopes_.back().push_back(var);
    }
  } else {
    bound_[binding->var.get()] = binding->value;
  }
  if (blocks_.empty()) throw ir::refuse(refusals["no-block-for-binding"]).at(binding->value->span);
  blocks_.back().bindings.push_back(std::move(binding));
}

Var BlockBuilder::emit(Expr value, std::string_view hint) {
  value = normalize(value);
  bool dataflow = in_dataflow();
  if (hint.empty()) hint = dataflow ? "lv" : "gv";
  Var var = make_var(dataflow, String(unique_name(hint)), value->ty);
  append(make<VarBindingNode>(var, value, value->span));
  return var;
}
Var BlockBuilder::emit_output(Expr value, std::string_view hint) {
  value = normalize(value);
  Var var = make_var(false, String(unique_name(hint.empty() ? "gv" : hint)), value->ty);
  append(make<VarBindingNode>(var, value, value->span));
  return var;
}
Var BlockBuilder::emit_match_cast(Expr value, Type ty, std::string_view hint) {
  value = normalize_operand(value);
  if (value->ty && fits(value->ty, ty, context_) == Fit::kNever)
    throw ir::refuse(refusals["impossible-match-cast"], describe(ty), describe(value->ty)).at(value->span);
  bool dataflow = in_dataflow();
  if (hint.empty()) hint = dataflow ? "lv" : "gv";
  Var var = make_var(dataflow, String(unique_name(hint)), ty);
  append(make<MatchCastNode>(var, value, ty, value->span));
  return var;
}
void BlockBuilder::emit_normalized(Binding binding) {
  if (is_dataflow(binding->var) && !in_dataflow())
    throw ir::refuse(refusals["dataflow-variable-in-plain-block"], view(binding->var->name))
        .at(binding->span);
  if (is_opaque(binding->var->ty)) const_cast<VarNode&>(*binding->var).ty = binding->value->ty;
  append(std::move(binding));
}
Expr BlockBuilder::lookup(const Var& var) const {
  auto found = bound_.find(var.get());
  return found == bound_.end() ? Expr(nullptr) : found->second;
}

Expr InferContext::value_of(const Expr& e) const {
  Expr value = e;
  while (builder && value->kind == ExprKind::kVar) {
    Expr bound = builder->lookup(value.as<Var>().value());
    if (!bound) break;
    value = bound;
  }
  return value;
}

// ---- normal form ----

Expr BlockBuilder::normalize_operand(const Expr& e) {
  if (!blocks_.empty() && !is_leaf(e)) {
    auto known = blocks_.back().operands.find(e);
    if (known != blocks_.back().operands.end()) return known->second;
  }
  Expr value = normalize(e);
  // A sequence within another value has a name of its own, as in TVM.
  if (is_leaf(value) && e->kind != ExprKind::kSeqExpr) return value;
  Var var = emit(value);
  blocks_.back().operands[e] = var;
  return var;
}

Expr BlockBuilder::normalize(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar:
      if (!e->ty) {
        throw ir::refuse(refusals["variable-without-type"], view(static_cast<const VarNode*>(e.get())->name))
            .at(e->span);
      }
      // Nothing is in a value of the empty tuple type: it is written out, so that nothing depends on the binding.
      if (auto* tuple = type_as<TupleTypeNode>(e); tuple && tuple->elements.empty())
        return make<TupleNode>(Array<Expr>{}, e->span);
      return e;
    case ExprKind::kGlobalVar:
    case ExprKind::kOp:
    case ExprKind::kGenericConst:
    case ExprKind::kShapeExpr:
    case ExprKind::kExternFunc:
    case ExprKind::kStringImm:
      return e;
    case ExprKind::kCall:
      return normalize_call(static_cast<const CallNode*>(e.get()));
    case ExprKind::kTuple: {
      auto* tuple = static_cast<const TupleNode*>(e.get());
      Array<Expr> fields =
          map_array(tuple->elements, [this](const Expr& field) { return normalize_operand(field); });
      if (fields.same_as(tuple->elements) && !is_opaque(e->ty)) return e;
      return make<TupleNode>(fields, e->span);
    }
    case ExprKind::kTupleGetItem: {
      auto* item = static_cast<const TupleGetItemNode*>(e.get());
      Expr tuple = normalize_operand(item->tuple_value);
      if (tuple.same_as(item->tuple_value) && !is_opaque(e->ty)) return e;
      const auto* type = type_as<TupleTypeNode>(tuple);
      if (!type && tuple->ty->kind != TypeKind::kAny)
        throw ir::refuse(refusals["index-of-no-tuple"], item->index, kind_name(tuple->ty)).at(e->span);
      if (type && (item->index < 0 || item->index >= static_cast<int64_t>(type->elements.size()))) {
        throw ir::refuse(refusals["tuple-index-out-of-range"], item->index, type->elements.size()).at(e->span);
      }
      TupleGetItem made = make<TupleGetItemNode>(tuple, item->index, e->span);
      if (!type) const_cast<TupleGetItemNode&>(*made).ty = any_type();
      return made;
    }
    case ExprKind::kSeqExpr:
      if (!blocks_.empty()) return normalize_operand(splice(static_cast<const SeqExprNode*>(e.get())));
      return sequence(e, {});
    case ExprKind::kIf:
      return normalize_if(static_cast<const IfNode*>(e.get()));
    case ExprKind::kFunction:
      return normalize_function(static_cast<const FunctionNode*>(e.get()));
    default:
      if (is_prim(e)) return e;
      throw ir::refuse(refusals["not-a-graph-value"]).at(e->span);
  }
}

Expr BlockBuilder::normalize_call(const CallNode* call) {
  if (is_tensor_code(call)) return ref(call);
  Array<Expr> args = map_array(call->args, [this](const Expr& arg) { return normalize_operand(arg); });
  Expr callee = normalize_operand(call->op);
  Call next = ref(call);
  if (!callee.same_as(call->op) || !args.same_as(call->args)) {
    next = ir::with(next, [&](CallNode& n) {
      n.op = callee;
      n.args = args;
      n.ty = Type(nullptr);
    });
  }
  if (!is_opaque(next->ty)) return next;
  InferContext context = context_;
  context.builder = this;
  Type type = infer_type(next.get(), context);
  // Whoever holds the call sees its type from now on, as in TVM.
  if (next.get() == call) {
    const_cast<CallNode*>(call)->ty = type;
    return next;
  }
  return ir::with(next, [&](CallNode& n) { n.ty = type; });
}

// What inference indexes is there: calls made of an operator's object may have any number of operands.
void check_operand_count(const CallNode* call, const Operator& row) {
  auto [least, most] = operand_count(row);
  size_t given = call->args.size();
  if (given >= least && given <= most) return;
  std::string wanted = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  throw ir::refuse(refusals["operand-count"], row.short_name(), wanted, most == 1 ? "" : "s", given).at(call->span);
}

BaseFunc function_of(const IRModule& mod, const GlobalVarNode* name) {
  auto found = mod->functions.find(ref(name));
  if (found != mod->functions.end()) return (*found).second;
  GlobalVar alike = mod->find(view(name->name_hint));
  return alike ? mod->functions.at(alike) : BaseFunc(nullptr);
}

Type infer_type(const CallNode* call, const InferContext& context) {
  if (const Operator* row = operator_of(call->op)) {
    MLC_CHECK(row->infer, "operator `{}` has no inference", row->short_name());
    check_operand_count(call, *row);
    return on_mesh(call) ? infer_on_mesh(call, context) : row->infer(call, context);
  }
  Expr callee = call->op;
  Type type = callable_type(callee->ty);
  if (auto* global = as<GlobalVarNode>(callee); global && context.mod) {
    if (BaseFunc known = function_of(context.mod, global)) type = callable_type(known);
  }
  if (const auto* fn = as_type<FuncTypeNode>(type)) return infer_function_call(call, fn, context);
  if (!is_opaque(type) && type->kind != TypeKind::kAny && type->kind != TypeKind::kPackedFunc)
    throw ir::refuse(refusals["not-callable"], kind_name(type)).at(call->span);
  return any_type();
}

Expr BlockBuilder::splice(const SeqExprNode* seq) {
  for (const BindingBlock& block : seq->blocks) {
    bool dataflow = is_dataflow(block);
    bool outer = blocks_.back().dataflow;
    bool own = dataflow && !outer;  // a dataflow block among plain bindings stays one
    if (own) {
      close_current(blocks_.back());
      blocks_.back().dataflow = true;
    }
    for (const Binding& binding : block->bindings) {
      if (as_match_cast(binding)) {
        Expr value = normalize_operand(binding->value);
        emit_normalized(value.same_as(binding->value) ? binding
                                                      : Binding(make<MatchCastNode>(binding->var, value,
                                                                                    as_match_cast(binding)->ty,
                                                                                    binding->span)));
        continue;
      }
      Expr value = normalize(binding->value);
      emit_normalized(value.same_as(binding->value)
                          ? binding
                          : Binding(make<VarBindingNode>(binding->var, value, binding->span)));
    }
    if (own) {
      close_current(blocks_.back());
      blocks_.back().dataflow = false;
    }
  }
  return seq->body;
}

Array<BindingBlock> joined(const Array<BindingBlock>& blocks) {
  Array<BindingBlock> made;
  for (const BindingBlock& block : blocks) {
    if (made.empty() || is_dataflow(made.back()) != is_dataflow(block)) {
      made.push_back(block);
      continue;
    }
    Array<Binding> bindings = made.back()->bindings;
    for (const Binding& binding : block->bindings) bindings.push_back(binding);
    made.Set(static_cast<int64_t>(made.size()) - 1, with_bindings(made.back(), bindings));
  }
  return made.size() == blocks.size() ? blocks : made;
}

SeqExpr BlockBuilder::sequence(const Expr& body, const Array<Var>& params) {
  begin_scope(params);
  begin_binding_block();
  Expr value = body;
  if (auto* seq = as<SeqExprNode>(value)) value = splice(seq);
  value = normalize_operand(value);
  close_current(blocks_.back());
  Array<BindingBlock> made = joined(blocks_.back().before);
  blocks_.pop_back();
  std::vector<Var> own = scopes_.back();
  end_scope();
  auto* old = as<SeqExprNode>(body);
  if (old && value.same_as(old->body) && made.size() == old->blocks.size()) {
    bool same = true;
    for (size_t i = 0; i < made.size() && same; ++i) {
      same = is_dataflow(made[i]) == is_dataflow(old->blocks[i]) &&
             made[i]->bindings.size() == old->blocks[i]->bindings.size();
      for (size_t j = 0; same && j < made[i]->bindings.size(); ++j)
        same = made[i]->bindings[j].same_as(old->blocks[i]->bindings[j]);
    }
    if (same && !is_opaque(old->ty)) return ref(old);
  }
  return make<SeqExprNode>(made, value, body->span);
}

Expr BlockBuilder::normalize_if(const IfNode* branches) {
  Expr cond = normalize_operand(branches->cond);
  auto own = [&](const Expr& body) {
    SeqExpr made = sequence(body, {});
    // Symbolic variables that the branch defines are not seen outside of it.
    Type type = erase_to_defined(
        made->ty,
        [&](const VarNode* var) { return symbolic_.empty() || symbolic_.count(var) != 0 || scopes_.empty(); },
        context_);
    return std::pair(made, type);
  };
  auto [then_case, then_type] = own(branches->true_branch);
  auto [else_case, else_type] = own(branches->false_branch);
  if (cond.same_as(branches->cond) && then_case.same_as(branches->true_branch) &&
      else_case.same_as(branches->false_branch) && branches->ty)
    return ref(branches);
  return make<IfNode>(cond, then_case, else_case, common_type(then_type, else_type, context_), branches->span);
}

Expr BlockBuilder::normalize_function(const FunctionNode* fn) {
  SeqExpr body = sequence(fn->body, fn->params);
  if (body.same_as(fn->body) && fn->ret_ty) return ref(fn);
  Type ret = fn->ret_ty;
  // What the body tells more precisely than the declaration is said, by the function's own dimensions.
  if (!ret || fits(ret, body->body->ty, context_) == Fit::kAlways) {
    std::unordered_set<const VarNode*> known;
    if (!ret) known.insert(symbolic_.begin(), symbolic_.end());
    for (const Var& param : fn->params) {
      for (const Var& var : definable_vars(param->ty)) known.insert(var.get());
    }
    ret = erase_to_defined(body->body->ty, [&](const VarNode* var) { return known.count(var) != 0; }, context_);
  }
  return make<FunctionNode>(fn->params, body, ret, fn->is_pure, fn->attrs, fn->span);
}

Function normalize(const Function& fn, const InferContext& context) {
  BlockBuilder builder(context.host, context.mod);
  Expr next = builder.normalize(fn);
  return ref(static_cast<const FunctionNode*>(next.get()));
}
IRModule normalize(const IRModule& mod, ir::Host& host) {
  return map_functions(mod, [&](const GlobalVar&, const Function& fn) {
    return normalize(fn, InferContext(host, mod));
  });
}

}  // namespace mlc::relax
