// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/nested_types.h"

namespace mlc::transform::pass_to_mixed_precision {
namespace {

constexpr char doc[] =
    R"(ToMixedPrecision(out_dtype="float32", fp16_input_names=None): compute products and convolutions in float16.

    y = R.matmul(x, w)      =>      lv = R.astype(x, "float16")
                                    lv1 = R.astype(w, "float16")
                                    lv2 = R.matmul(lv, lv1, out_dtype="float32")
                                    y = R.astype(lv2, "float16")
needs: graphs of float32; what is not in a dataflow block stays.
keeps: the types of results of blocks and functions. Operators say what they do (Operator::precision): products and
convolutions always take float16 and sum in `out_dtype`; elementwise functions follow their operands; the others, whose
results would suffer, keep float32. A variable that only products use is kept in float16, so each cast is done
once. Parameters of the names `fp16_input_names` are float16 from the start.
Before fusion, which puts the casts into the functions around them.)";

bool is_half(const Type& type) {
  const auto* tensor = as_type<TensorTypeNode>(type);
  return tensor && tensor->data_type() == DataType::Float(16);
}

// For each tensor in a variable: 16 when only products use it, else 32.
struct Need {
  int bits = 32;
  std::vector<Need> fields;  // of a tuple

  static Need of(const Type& type, int bits) {
    Need need;
    if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      for (const Type& field : tuple->elements) need.fields.push_back(of(field, bits));
    } else {
      need.bits = bits;
    }
    return need;
  }
  // As it is: nothing is known of the use.
  static Need as_is(const Type& type) {
    Need need = of(type, 32);
    if (is_half(type)) need.bits = 16;
    const auto* tuple = as_type<TupleTypeNode>(type);
    for (size_t i = 0; tuple && i < tuple->elements.size(); ++i) need.fields[i] = as_is(tuple->elements[i]);
    return need;
  }
  void merge(const Need& other) {
    bits = std::max(bits, other.bits);
    for (size_t i = 0; i < fields.size(); ++i) fields[i].merge(other.fields[i]);
  }
};

Precision precision_of(const CallNode* call) {
  const Operator* row = operator_of(call->op);
  return row ? row->precision : Precision::kNever;
}
bool calls_operator(const CallNode* call) { return call->op->kind == ExprKind::kOp; }

// Who uses each variable, from the end of the function to its begin.
struct CollectNeeds final : relax::Visitor {
  std::unordered_map<const VarNode*, Need> needs;

  const Need& need_of(const VarNode* var) {
    return needs.try_emplace(var, Need::as_is(var->ty)).first->second;
  }
  void require(const Expr& e, const Need& need) {
    if (auto* var = as<VarNode>(e)) {
      auto [found, added] = needs.try_emplace(var, need);
      if (!added) found->second.merge(need);
      return;
    }
    auto* tuple = as<TupleNode>(e);
    for (size_t i = 0; tuple && i < tuple->elements.size(); ++i) require(tuple->elements[i], need.fields[i]);
  }
  void require(const Expr& e, int bits) {
    if (is_tensors(e->ty)) require(e, Need::of(e->ty, bits));
  }

  void visit(const Expr& e) override {
    if (e->kind == ExprKind::kVar) return require(e, 32);
    if (auto* seq = as<SeqExprNode>(e)) {
      visit(seq->body);
      for (size_t i = seq->blocks.size(); i-- > 0;) visit_block(seq->blocks[i]);
      return;
    }
    walk_children(e);
  }
  void visit_block(const BindingBlock& block) override {
    if (!is_dataflow(block)) return;
    for (size_t i = block->bindings.size(); i-- > 0;) visit_binding(block->bindings[i]);
  }
  void visit_binding(const Binding& binding) override {
    const Expr& value = binding->value;
    auto* call = as<CallNode>(value);
    auto* tuple = as<TupleNode>(value);
    auto* item = as<TupleGetItemNode>(value);
    if (as_match_cast(binding)) return visit(value);
    if (call && calls_operator(call)) {
      int bits = precision_of(call) == Precision::kAlways ? 16 : 32;
      for (const Expr& arg : call->args) require(arg, bits);
    } else if (tuple && is_tensors(value->ty)) {
      require(value, need_of(binding->var.get()));
    } else if (item && is_tensors(item->tuple_value->ty)) {
      Need need = Need::as_is(item->tuple_value->ty);
      need.fields[static_cast<size_t>(item->index)] = need_of(binding->var.get());
      require(item->tuple_value, need);
    } else {
      visit(value);
    }
  }
};

template <class T>
bool in_half_range(const ffi::Tensor& tensor) {
  int64_t count = 1;
  for (int64_t extent : tensor.shape()) count *= extent;
  const T* values = static_cast<const T*>(tensor.data_ptr());
  constexpr double kLargestHalf = 65504;
  return std::none_of(values, values + count,
                      [](T value) { return std::abs(static_cast<double>(value)) > kLargestHalf; });
}

// Can all its values be written in float16?
bool in_half_range(const GenericConstNode* constant) {
  auto tensor = constant->tensor();
  if (!tensor) return false;
  DataType dtype = tensor->dtype();
  if (dtype == DataType::Float(16)) return true;
  if (dtype == DataType::Float(32)) return in_half_range<float>(*tensor);
  if (dtype == DataType::Float(64)) return in_half_range<double>(*tensor);
  if (dtype == DataType::Int(8)) return in_half_range<int8_t>(*tensor);
  if (dtype == DataType::Int(16)) return in_half_range<int16_t>(*tensor);
  if (dtype == DataType::Int(32)) return in_half_range<int32_t>(*tensor);
  if (dtype == DataType::Int(64)) return in_half_range<int64_t>(*tensor);
  return false;
}

bool all_half(const Array<Expr>& args) {
  return std::all_of(args.begin(), args.end(), [](const Expr& arg) {
    if (!is_tensors(arg->ty) || is_half(arg->ty)) return true;
    if (auto* constant = as<GenericConstNode>(arg)) return in_half_range(constant);
    auto* tuple = as<TupleNode>(arg);
    return tuple && all_half(tuple->elements);
  });
}

struct Lower final : Mutator {
  Lower(Host& host, const IRModule& mod, std::unordered_map<const VarNode*, Need> needs, DataType accumulator)
      : Mutator(host, mod), needs(std::move(needs)), accumulator(accumulator) {}
  std::unordered_map<const VarNode*, Need> needs;
  DataType accumulator;
  std::unordered_set<std::string> half_inputs;
  Array<Var> params;
  const DataType kHalf = DataType::Float(16), kSingle = DataType::Float(32);
  Expr wrap_param = relax::op("relax.wrap_param");

  // Values are cast back from float16 alone: with another accumulator the function returns what it computes.
  Function whole(const Function& fn) {
    Function made = rewrite_function(fn);
    if (relax::fits(made->ret_ty, made->body->ty, builder_->context()) != relax::Fit::kNever) return made;
    return ir::with(made, [&](FunctionNode& node) { node.ret_ty = made->body->ty; });
  }

  // ---- casts ----
  static bool casts(DataType dtype) { return dtype == DataType::Float(16) || dtype == DataType::Float(32); }
  Expr cast(const Expr& e, DataType to) {
    DataType from = type_as<TensorTypeNode>(e)->data_type();
    if (from == to || !casts(from)) return e;
    return make_call("relax.astype", {e}, {{String("dtype"), Any(static_cast<DLDataType>(to))}});
  }
  Expr cast_all(const Expr& e, DataType to) {
    return map_tensors(e, [&](const Expr& leaf) { return cast(leaf, to); });
  }
  // With the data types of `type`, of the same structure.
  Expr cast_like(const Expr& e, const Type& type) {
    return map_tensors(e, type, [&](const Expr& leaf, const Type& like) {
      return cast(leaf, as_type<TensorTypeNode>(like)->data_type());
    });
  }
  Expr cast_needed(const Expr& e, const Need& need) {
    if (need.fields.empty()) return need.bits == 16 ? cast(e, kHalf) : e;
    size_t i = 0;
    return map_fields(e, [&](const Expr& field) { return cast_needed(field, need.fields[i++]); });
  }

  // ---- variables ----
  // What it is kept as now.
  Expr current(const Expr& e) { return Mutator::rewrite_children(e); }
  // The variable itself, with the types it had.
  Expr rewrite(const Expr& e) override {
    if (auto* fn = as<FunctionNode>(e)) params = fn->params;
    auto* var = as<VarNode>(e);
    if (!var || mapped_.count(var) == 0) return rewrite_children(e);
    return is_tensors(var->ty) ? cast_like(current(e), var->ty) : current(e);
  }
  Var rewrite_def(const Var& var) override {
    const auto* tensor = type_as<TensorTypeNode>(Expr(var));
    if (!tensor || half_inputs.count(std::string(text(var->name))) == 0) return var;
    return copy_var(var, with(ref(tensor), [&](TensorTypeNode& n) { n.dtype = kHalf; }));
  }
  // Where only products use the variable: the copy in float16 that they share.
  void keep_half(const Var& var) {
    auto found = needs.find(var.get());
    if (found == needs.end() || !is_tensors(var->ty)) return;
    Expr now = current(var);
    Expr next = cast_needed(now, found->second);
    if (!next.same_as(now)) map_var(var, builder_->emit(next));
  }

  BindingBlock rewrite_block(const BindingBlock& block) override {
    if (!is_dataflow(block)) return Mutator::rewrite_block(block);
    Array<Var> own = params;
    std::vector<Expr> before;
    for (const Var& param : own) before.push_back(current(param));
    builder_->begin_dataflow_block();
    for (const Var& param : own) keep_half(param);
    for (const Binding& binding : block->bindings) {
      rewrite_binding(binding);
      keep_half(binding->var);
    }
    // The copies are variables of the block.
    for (size_t i = 0; i < own.size(); ++i) map_var(own[i], before[i]);
    for (const Binding& binding : block->bindings) {
      auto kept = mapped_.find(binding->var.get());
      if (kept == mapped_.end() || is_dataflow(binding->var)) continue;
      if (auto* var = as<VarNode>(kept->second); var && is_dataflow(var)) mapped_.erase(kept);
    }
    return builder_->end_block();
  }

  // ---- bindings ----
  void rewrite_binding(const Binding& binding) override {
    const Expr& value = binding->value;
    auto* call = as<CallNode>(value);
    if (!builder_->in_dataflow() || as_match_cast(binding)) return Mutator::rewrite_binding(binding);
    if (call && call->op.same_as(wrap_param)) return bind(binding, call->args[0]);
    if (call && calls_operator(call)) return bind(binding, lowered(binding, call));
    if (value->kind == ExprKind::kTuple || value->kind == ExprKind::kTupleGetItem) {
      Expr next = builder_->normalize(currents(value));
      return bind(binding, stored(binding, next));
    }
    return Mutator::rewrite_binding(binding);
  }
  Expr currents(const Expr& e) {
    if (e->kind == ExprKind::kVar) return current(e);
    if (auto* tuple = as<TupleNode>(e)) return make<TupleNode>(currents(tuple->elements), e->span);
    if (auto* item = as<TupleGetItemNode>(e))
      return make<TupleGetItemNode>(currents(item->tuple_value), item->index, e->span);
    return e;
  }
  Array<Expr> currents(const Array<Expr>& all) {
    Array<Expr> next;
    for (const Expr& e : all) next.push_back(currents(e));
    return next;
  }
  // What leaves the block has the type that it had.
  Expr stored(const Binding& binding, const Expr& value) {
    return is_dataflow(binding->var) || !is_tensors(binding->var->ty) ? value
                                                                      : cast_like(value, binding->var->ty);
  }

  Expr lowered(const Binding& binding, const CallNode* call) {
    Precision precision = precision_of(call);
    Array<Expr> args = currents(call->args);
    if (precision == Precision::kNever) {
      for (size_t i = 0; i < args.size(); ++i) {
        if (is_tensors(args[i]->ty)) args.Set(static_cast<int64_t>(i), cast_like(args[i], call->args[i]->ty));
      }
      return same(args, call->args) ? ref(call) : with_args(call, args, call->attrs);
    }
    bool always = precision == Precision::kAlways;
    DataType dtype = always || all_half(args) ? kHalf : kSingle;
    Array<Expr> casted;
    for (const Expr& arg : args) casted.push_back(is_tensors(arg->ty) ? cast_all(arg, dtype) : arg);
    Map<String, Any> attrs = call->attrs;
    if (always && attrs.count("out_dtype") != 0)
      attrs = with_entry(attrs, "out_dtype", Any(static_cast<DLDataType>(accumulator)));
    Expr next = builder_->normalize(with_args(call, casted, attrs));
    if (!is_tensors(next->ty)) return next;
    if (!is_dataflow(binding->var)) return stored(binding, next);
    return always ? cast_all(next, kHalf) : next;
  }
  static bool same(const Array<Expr>& a, const Array<Expr>& b) {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](const Expr& x, const Expr& y) { return x.same_as(y); });
  }
  // The order of attributes is that in which they are printed.
  static Map<String, Any> with_entry(const Map<String, Any>& attrs, std::string_view name, const Any& value) {
    Map<String, Any> next;
    for (const auto& [key, old] : attrs) next.Set(key, text(key) == name ? value : old);
    return next;
  }
  static Expr with_args(const CallNode* call, const Array<Expr>& args, const Map<String, Any>& attrs) {
    return make<CallNode>(Type(nullptr), call->op, args, attrs, call->span, call->ty_args);
  }
};

DataType dtype_argument(const Any& value) {
  if (auto name = value.try_cast<String>()) return DataType::parse(text(*name));
  if (auto dtype = value.as<DLDataType>()) return DataType(*dtype);
  throw Error("wrong-type", "`out_dtype` is of type `{}`, not a data type", type_name(value))
      .kind("TypeError");
}

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  DataType accumulator = dtype_argument(options.args[0]);
  CollectNeeds collect;
  collect.visit(fn);
  Lower lower(*options.host, mod, std::move(collect.needs), accumulator);
  if (options.args[1] != nullptr) {
    for (const Any& name : options.args[1].cast<Array<Any>>())
      lower.half_inputs.insert(std::string(text(name.cast<String>())));
  }
  return lower.whole(fn);
}

}  // namespace

extern const Pass to_mixed_precision = graph_pass(
    "ToMixedPrecision", "ToMixedPrecision(out_dtype='float32', fp16_input_names=None)", doc, apply);

}  // namespace mlc::transform::pass_to_mixed_precision
