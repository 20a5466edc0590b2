// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/container/dict.h>

#include "ir/relax/infer_layout.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/index_map.h"
#include "transform/graph/nested_types.h"

namespace mlc::transform::pass_convert_layout {

static constexpr ir::Refusals refusals{
    "ValueError+IndexError",
    {
        {.name = "layout-follows",
         .kind = "InternalError",
         .message = "`{}` takes no desired layouts: it follows its operands",
         .help = "layouts are desired for convolutions, two or three (data, weight, result), and for "
                 "image.resize2d and image.resize3d, one"},
        {.name = "layout-count",
         .kind = "IndexError+ValueError",
         .message = "layouts that are desired for `{}`: {}, not {}"},
        {.name = "desired-not-a-layout",
         .message = "\"{}\", which is desired for `{}`, is no layout",
         .help = "a layout names each axis once, such as \"NHWC\"; \"NCHW4c\" splits C by 4"},
    }};
MLC_REFUSALS(convert_layout, refusals);

namespace {

constexpr char doc[] =
    R"(ConvertLayout(desired_layouts, layout_cb=None): compute convolutions in other layouts.

    {"relax.nn.conv2d": ["NHWC", "OHWI"]}
    y = R.nn.conv2d(x, w)       =>      lv = R.permute_dims(x, axes=[0, 2, 3, 1])
    z = R.nn.relu(y)                    lv1 = R.permute_dims(w, axes=[0, 2, 3, 1])
    R.output(z)                         y = R.nn.conv2d(lv, lv1, data_layout="NHWC", kernel_layout="OHWI", ...)
                                        lv2 = R.nn.relu(y)
                                        z = R.permute_dims(lv2, axes=[0, 3, 1, 2])
needs: desired layouts of convolutions (data, weight, and the result where it is not as the data) and of image.resize2d
and resize3d (data). "NCHW4c" splits C by 4, where that divides; other convolutions stay as they are.
`layout_cb(call)` returns such a dict for one call, and is asked instead.
keeps: what a block gives. The operators between convolutions follow in the layouts of their operands, with axes
to suit; those that cannot get them as they are written. What is not in a dataflow block stays.
Before fusion and LegalizeOps; weights are permuted by LiftTransformParams or FoldConstant once.)";

using Desired = std::unordered_map<std::string, std::vector<Layout>>;

Desired desired_argument(const Any& given, std::string_view what) {
  auto wrong = [&](std::string_view wanted, const Any& value) {
    return Error("wrong-type", "{} is of type `{}`, not {}", what, type_name(value), wanted)
        .kind("TypeError");
  };
  auto dict = given.as<ffi::Dict<Any, Any>>();
  if (!dict) throw wrong("a dict from operators to layouts", given);
  Desired desired;
  for (const auto& [key, value] : *dict) {
    auto name = key.template try_cast<String>();
    if (!name) throw wrong("a dict from names of operators", given);
    std::string op_name(text(*name));
    const Operator* row = find_operator(op_name);
    if (!row) relax::op(op_name);  // refuses, with the nearest name
    auto texts = value.template try_cast<Array<Any>>();
    auto not_texts = [&](const Any& found) {
      return Error("wrong-type",
                   "what is desired for `{}` is of type `{}`, not a list of layouts, such as [\"NHWC\", "
                   "\"OHWI\"]",
                   op_name, type_name(found))
          .kind("TypeError");
    };
    if (!texts) throw not_texts(value);
    std::vector<Layout>& layouts = desired[op_name];
    for (const Any& each : *texts) {
      auto layout_text = each.try_cast<String>();
      if (!layout_text) throw not_texts(each);
      auto layout = Layout::parse(text(*layout_text));
      if (!layout) throw ir::refuse(refusals["desired-not-a-layout"], text(*layout_text), op_name);
      layouts.push_back(*layout);
    }
  }
  return desired;
}

// ---- conversions ----

// The parts of the axis of that letter in `from`, whose indices are `vars`, as the index of the whole axis.
Expr whole_index(const Layout& from, const Array<Var>& vars, char letter) {
  Expr index, inner;
  int64_t factor = from.inner_factor(letter);
  for (size_t i = 0; i < from.axes.size(); ++i) {
    if (from.axes[i].outer() != letter) continue;
    (from.axes[i].is_inner() ? inner : index) = vars[i];
  }
  if (factor == 0) return index;
  return ir::add(ir::mul(index, ir::int_imm(DataType::Int(32), factor)), inner);
}

IndexMap index_map(const Layout& from, const Layout& to) {
  Array<Var> vars;
  for (size_t i = 0; i < from.axes.size(); ++i)
    vars.push_back(make<VarNode>(String(fmt::format("i{}", i)), prim_type(DataType::Int(32))));
  Array<Expr> indices;
  for (const Layout::Axis& axis : to.axes) {
    int64_t factor = to.inner_factor(axis.outer());
    Expr divisor = ir::int_imm(DataType::Int(32), factor);
    auto same = std::find(from.axes.begin(), from.axes.end(), axis);
    if (from.inner_factor(axis.outer()) == factor)
      indices.push_back(vars[static_cast<size_t>(same - from.axes.begin())]);
    else if (Expr index = whole_index(from, vars, axis.outer()); factor == 0)
      indices.push_back(index);
    else
      indices.push_back(axis.is_inner() ? ir::floormod(index, divisor) : ir::floordiv(index, divisor));
  }
  return make<IndexMapNode>(vars, indices);
}

// The tensor, which is in layout `from`, in layout `to`.
Expr convert_tensor(const Expr& e, const Layout& from, const Layout& to) {
  std::vector<int64_t> axes;
  for (const Layout::Axis& axis : to.axes) {
    auto found = std::find(from.axes.begin(), from.axes.end(), axis);
    if (found == from.axes.end() || from.axes.size() != to.axes.size()) {
      Map<String, Any> attrs{{String("index_map"), index_map(from, to)}, {String("pad_value"), Any(nullptr)}};
      return make_call("relax.layout_transform", {e}, attrs);
    }
    axes.push_back(found - from.axes.begin());
  }
  return make_call("relax.permute_dims", {e}, {{String("axes"), ints_value(axes)}});
}

Expr convert(const Expr& e, const ValueLayout& from, const ValueLayout& to) {
  if (from == to) return e;
  if (type_as<TupleTypeNode>(e)) {
    size_t i = 0;
    return map_fields(e, [&](const Expr& field) {
      size_t k = i++;
      return convert(field, from.fields[k], to.fields[k]);
    });
  }
  return convert_tensor(e, *from.tensor, *to.tensor);
}

// Its dimensions in that layout, which splits none.
Type in_layout(const Type& type, const ValueLayout& layout) {
  if (const auto* tuple = as_type<TupleTypeNode>(type)) {
    Array<Type> fields;
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      fields.push_back(in_layout(tuple->elements[i], layout.fields[i]));
    return make<TupleTypeNode>(fields);
  }
  const auto* tensor = as_type<TensorTypeNode>(type);
  if (!tensor || !tensor->shape || tensor->shape->kind != ExprKind::kShapeExpr || !layout.tensor) return type;
  Array<Expr> old = *tensor->dims(), dims;
  for (const Layout::Axis& axis : layout.tensor->axes)
    dims.push_back(old[static_cast<size_t>(axis.name - 'A')]);
  return tensor_type(dims, tensor->data_type(), tensor->vdevice);
}

ValueLayout without_splits(const ValueLayout& layout) {
  ValueLayout next = layout;
  if (next.tensor) next.tensor = unsplit(*next.tensor);
  for (ValueLayout& field : next.fields) field = without_splits(field);
  return next;
}

// Is the rank of every tensor known?
bool ranks_known(const Expr& e) {
  const Type& type = e->ty;
  if (!is_tensors(type)) return true;
  std::function<bool(const ValueLayout&, const Type&)> known = [&](const ValueLayout& layout,
                                                                   const Type& each) {
    const auto* tuple = as_type<TupleTypeNode>(each);
    if (!tuple) return layout.tensor.has_value();
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      if (!known(layout.fields[i], tuple->elements[i])) return false;
    }
    return true;
  };
  return known(ValueLayout::initial(type), type);
}

struct Convert final : Mutator {
  Convert(Host& host, const IRModule& mod, Desired desired, Any callback)
      : Mutator(host, mod), host(host), desired(std::move(desired)), callback(std::move(callback)) {}
  Host& host;
  Desired desired;
  Any callback;
  std::unordered_map<const VarNode*, ValueLayout> layouts;  // of variables that are not as they are written

  // ---- what values are in ----
  ValueLayout layout_of(const Expr& e) const {
    if (auto* var = as<VarNode>(e)) {
      auto found = layouts.find(var);
      if (found != layouts.end()) return found->second;
    } else if (auto* tuple = as<TupleNode>(e)) {
      ValueLayout all;
      for (const Expr& field : tuple->elements) all.fields.push_back(layout_of(field));
      return all;
    }
    return ValueLayout::initial(e->ty);
  }
  Expr current(const Expr& e) { return Mutator::rewrite_children(e); }
  Expr in(const Expr& e, const ValueLayout& to) { return convert(currents(e), layout_of(e), to); }
  Expr currents(const Expr& e) {
    auto* tuple = as<TupleNode>(e);
    if (!tuple) return e->kind == ExprKind::kVar ? current(e) : e;
    return map_fields(e, [&](const Expr& field) { return currents(field); });
  }

  // A variable where no rule says otherwise.
  Expr rewrite(const Expr& e) override {
    if (e->kind == ExprKind::kVar && layouts.count(static_cast<const VarNode*>(e.get())) != 0)
      return in(e, ValueLayout::initial(e->ty));
    return rewrite_children(e);
  }

  // ---- bindings ----
  void rewrite_binding(const Binding& binding) override {
    const Expr& value = binding->value;
    if (!builder_->in_dataflow()) return Mutator::rewrite_binding(binding);
    if (const MatchCastNode* cast = as_match_cast(binding)) return rewrite_cast(binding, cast);
    if (auto* call = as<CallNode>(value); call && !is_prim(value)) return rewrite_call(binding, call);
    if (auto* tuple = as<TupleNode>(value)) return rewrite_tuple(binding, tuple);
    if (auto* item = as<TupleGetItemNode>(value)) return rewrite_item(binding, item);
    return Mutator::rewrite_binding(binding);
  }
  // `value` is in that layout; what leaves the block is as it is written.
  void bind_in(const Binding& binding, const Expr& value, const ValueLayout& layout) {
    ValueLayout initial = ValueLayout::initial(binding->var->ty);
    if (layout == initial) return bind(binding, value);
    if (is_dataflow(binding->var)) {
      bind(binding, value);
      layouts[binding->var.get()] = layout;
      return;
    }
    bind(binding, convert(builder_->emit(value), layout, initial));
  }

  void rewrite_call(const Binding& binding, const CallNode* call) {
    LayoutChoice choice = choose(call);
    Array<Expr> args;
    bool changed = !choice.attrs.same_as(call->attrs);
    for (size_t i = 0; i < call->args.size(); ++i) {
      const Expr& arg = call->args[i];
      auto replaced = std::find_if(choice.replaced.begin(), choice.replaced.end(),
                                   [&](const auto& each) { return each.first == i; });
      args.push_back(replaced != choice.replaced.end()
                         ? replaced->second
                         : in(arg, i < choice.args.size() ? choice.args[i] : ValueLayout::initial(arg->ty)));
      changed = changed || !args.back().same_as(arg);
    }
    Expr callee = rewrite(call->op);
    if (!changed && callee.same_as(call->op)) return bind_in(binding, binding->value, choice.result);
    Expr next = make<CallNode>(Type(nullptr), callee, args, choice.attrs, call->span, call->ty_args);
    bind_in(binding, builder_->normalize(next), choice.result);
  }
  LayoutChoice choose(const CallNode* call) {
    const Operator* row = operator_of(call->op);
    bool follows = row && row->layout && !call->args.empty() && is_tensors(call->args[0]->ty) &&
                   is_tensors(call->ty) && std::all_of(call->args.begin(), call->args.end(), ranks_known);
    if (!follows) return as_written(call);
    LayoutQuery query{builder_->context(), {}, nullptr};
    for (const Expr& arg : call->args) query.args.push_back(layout_of(arg));
    Desired own;
    if (callback != nullptr) {
      Any call_value(Expr(ref(call)));
      own = desired_argument(host.call(callback, {&call_value, 1}), "what `layout_cb` returns");
    }
    const Desired& wanted = callback != nullptr ? own : desired;
    auto found = wanted.find(operator_name(*row));
    if (found != wanted.end()) {
      auto [least, most] = relax::desired_layouts(*row);
      if (most == 0) throw ir::refuse(refusals["layout-follows"], found->first).at(call->span);
      size_t given = found->second.size();
      if (given < least || given > most)
        throw ir::refuse(refusals["layout-count"], found->first, least == most ? "one" : "two or three",
                         given)
            .at(call->span);
      query.desired = &found->second;
    }
    LayoutChoice choice = row->layout(call, query);
    const auto* first = type_as<TensorTypeNode>(call->args[0]);
    bool reduced = first && first->ndim != 0;
    for (size_t i = 0; i < choice.args.size(); ++i) {
      if (!is_reduced(query.args[i])) continue;
      choice.args[i] = query.args[i];
      reduced = true;
    }
    const auto* result = as_type<TensorTypeNode>(call->ty);
    if (reduced && result && result->ndim == 0) choice.result = reduced_number(call->ty);
    return choice;
  }
  // A number that a reduction leaves has a layout of its own: TVM transposes it where one as it is written is
  // wanted.
  static ValueLayout reduced_number(const Type& type) {
    ValueLayout layout = ValueLayout::initial(type);
    layout.fields.emplace_back();
    return layout;
  }
  static bool is_reduced(const ValueLayout& layout) { return layout.tensor && !layout.fields.empty(); }

  void rewrite_tuple(const Binding& binding, const TupleNode* tuple) {
    ValueLayout layout;
    for (const Expr& field : tuple->elements)
      layout.fields.push_back(is_dataflow(binding->var) ? layout_of(field) : ValueLayout::initial(field->ty));
    bind_in(binding, builder_->normalize(in(binding->value, layout)), layout);
  }
  void rewrite_item(const Binding& binding, const TupleGetItemNode* item) {
    const Expr& tuple = item->tuple_value;
    ValueLayout layout = is_dataflow(binding->var) ? layout_of(tuple) : ValueLayout::initial(tuple->ty);
    Expr next = in(tuple, layout);
    const ValueLayout& field = layout.fields[static_cast<size_t>(item->index)];
    if (next.same_as(tuple)) return bind_in(binding, binding->value, field);
    bind_in(binding, builder_->normalize(make<TupleGetItemNode>(next, item->index, item->span)), field);
  }
  void rewrite_cast(const Binding& binding, const MatchCastNode* cast) {
    ValueLayout layout = without_splits(layout_of(binding->value));
    bool follows = is_dataflow(binding->var) &&
                   ValueLayout::initial(cast->ty) == ValueLayout::initial(binding->value->ty);
    if (!follows || layout == ValueLayout::initial(binding->value->ty))
      return Mutator::rewrite_binding(binding);
    Var var = builder_->emit_match_cast(builder_->normalize_operand(in(binding->value, layout)),
                                        in_layout(cast->ty, layout));
    map_var(binding->var, var);
    layouts[binding->var.get()] = layout;
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  Desired desired = desired_argument(options.args[0], "`desired_layouts`");
  const Any& callback = options.args[1];
  if (callback != nullptr && !options.host->callable(callback)) {
    throw Error("wrong-type", "`layout_cb` is of type `{}`, not a function", type_name(callback))
        .kind("TypeError");
  }
  return Convert(*options.host, mod, std::move(desired), callback).rewrite_function(fn);
}

}  // namespace

extern const Pass convert_layout =
    graph_pass("ConvertLayout", "ConvertLayout(desired_layouts, layout_cb=None)", doc, apply);

}  // namespace mlc::transform::pass_convert_layout
