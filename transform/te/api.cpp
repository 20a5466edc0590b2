// SPDX-License-Identifier: Apache-2.0
// tvm.te: the names that scripts use.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include <array>
#include <cmath>

#include "ir/core/error_kinds.h"
#include "ir/core/freeze.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/api.h"
#include "ir/relax/expr.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/reduce.h"
#include "ir/tir/scalar_op.h"
#include "transform/register_api.h"
#include "transform/te/create_prim_func.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "negative-extent",
         .message = "an extent must not be negative, got {}",
         .meaning = "A dimension has no negative extent.",
         .wrong = R"(from tvm import te
te.placeholder((-8,)))",
         .right = R"(from tvm import te
te.placeholder((8,)))"},
        {.name = "te-combiner"},
        {.name = "te-nested-tag",
         .message = "an operation in a tag scope takes the tag of the scope, not one of its own"},
        {.name = "te-partial-index",
         .message = "the function returned a tensor with indices missing: it has {} dimensions, {} given"},
        {.name = "te-too-many-indices",
         .kind = "TypeError+ValueError",
         .message = "the function takes {} ind{}, the shape has {} dimension{}",
         .meaning = "The function of a `te.compute` takes one index for each dimension of the shape.",
         .wrong = R"(from tvm import te
A = te.placeholder((8,))
te.compute((8,), lambda i, j: A[i]))",
         .right = R"(from tvm import te
A = te.placeholder((8,))
te.compute((8,), lambda i: A[i]))"},
        {.name = "te-varargs-names",
         .kind = "RuntimeError+ValueError",
         .message = "{} names for {} remaining dimensions"},
    }};
MLC_REFUSALS(te_api, refusals);

using namespace te;  // NOLINT: this is the face of that folder

namespace {

constexpr std::string_view kTe = "tvm.te";

// A number, an expression, or an iterator's variable; null for anything else.
Expr expr_of(const Any& value) {
  if (auto e = ir::try_get<Expr>(value)) return *e;
  if (auto iter = ir::try_get<IterVar>(value)) return (*iter)->var;
  if (auto flag = value.as<bool>()) return bool_imm(*flag);
  if (auto number = value.as<int64_t>()) {
    bool narrow = *number >= INT32_MIN && *number <= INT32_MAX;
    return int_imm(DataType::Int(narrow ? 32 : 64), *number);
  }
  if (auto number = value.as<double>()) return make<FloatImmNode>(DataType::Float(32), *number);
  return nullptr;
}
Expr expect_expr(const ApiCall& call, const Any& value, size_t argument, std::string_view wanted_for) {
  Expr e = expr_of(value);
  if (e && e->ty && e->ty->kind == TypeKind::kPrim) return e;
  throw Error("wrong-type", "{} must be an expression, got `{}`", wanted_for, type_name(value))
      .kind(value == nullptr ? ir::kNothingGiven : "TypeError")
      .at(call.span_of(argument));
}

Array<Expr> shape_of(const ApiCall& call, const Any& value, size_t argument) {
  Array<Expr> shape;
  if (ir::try_get<Expr>(value) || value.as<int64_t>()) {
    shape.push_back(expect_expr(call, value, argument, "an extent"));
    return shape;
  }
  auto list = elements(value);
  if (!list) wrong_argument(call, argument, "tuple of extents");
  for (const Any& one : *list) {
    auto number = one.as<double>();
    if (number && !(std::isfinite(*number) && *number == std::trunc(*number))) {
      throw Error("wrong-type", "an extent must be an integer, this one is {}", *number)
          .kind(ir::kRefusedType)
          .at(call.span_of(argument));
    }
    Expr extent =
        number ? Expr(int32(static_cast<int64_t>(*number))) : expect_expr(call, one, argument, "an extent");
    if (!extent->dtype().is_int() && !extent->dtype().is_uint()) {
      throw Error("wrong-type", "an extent must be an integer, this one is `{}`", extent->dtype().str())
          .kind(ir::kRefusedType)
          .at(call.span_of(argument));
    }
    if (auto known = const_int(extent); known && *known < 0) {
      throw refuse(refusals["negative-extent"], *known).at(call.span_of(argument));
    }
    shape.push_back(extent);
  }
  return shape;
}

DataType dtype_of(const ApiCall& call, const Any& value, size_t argument) {
  if (auto text = value.as<String>()) return DataType::parse(view(*text));
  if (auto dtype = value.as<DLDataType>()) return *dtype;
  if (auto type = ir::try_get<PrimType>(value)) return (*type)->dtype;
  wrong_argument(call, argument, "str");
}

// ---- tensors ----

Any load(const ApiCall& call, const Tensor& tensor, const Array<Any>& indices, size_t argument) {
  Array<Expr> shape = tensor->shape();
  if (indices.size() > shape.size()) {
    throw Error("wrong-number-of-indices", "the tensor `{}` has {} dimension{}, got {} indices",
                tensor->name(), shape.size(), shape.size() == 1 ? "" : "s", indices.size())
        .kind("ValueError+InternalError")
        .at(call.span);
  }
  Array<Expr> at;
  for (size_t i = 0; i < indices.size(); ++i) {
    auto k = static_cast<int64_t>(i);
    Expr index = expect_expr(call, indices[k], argument, "an index");
    if (!index->dtype().is_int() && !index->dtype().is_uint()) {
      throw Error("index-not-integer", "an index must be an integer, this one is `{}`", index->dtype().str())
          .kind(ir::kRefusedType)
          .at(call.span);
    }
    auto known = const_int(index);
    auto extent = const_int(shape[k]);
    if (known && extent && (*known < 0 || *known >= *extent)) {
      throw Error("index-out-of-range", "index {} is outside dimension {} of `{}`, which has extent {}",
                  *known, i, tensor->name(), *extent)
          .kind("IndexError")
          .at(call.span);
    }
    at.push_back(index);
  }
  if (at.size() < shape.size()) return make<TensorSliceNode>(tensor, at);
  return Expr(make<TensorLoadNode>(tensor->buffer, at, call.span));
}

Array<Any> index_list(const Any& value) { return elements(value).value_or(Array<Any>{value}); }

Any tensor_getitem(ApiCall& call) {
  return load(call, call.args[0].cast<Tensor>(), index_list(call.args[1]), 1);
}
Any tensor_call(ApiCall& call) {
  Tensor tensor = call.args[0].cast<Tensor>();
  auto indices = call.args[1].cast<Array<Any>>();
  if (indices.size() != tensor->shape().size()) {
    throw Error("wrong-number-of-indices", "the tensor `{}` has {} dimension{}, got {} ind{}", tensor->name(),
                tensor->shape().size(), tensor->shape().size() == 1 ? "" : "s", indices.size(),
                indices.size() == 1 ? "ex" : "ices")
        .kind("ValueError+InternalError")
        .at(call.span);
  }
  return load(call, tensor, indices, 1);
}
Any slice_getitem(ApiCall& call) {
  auto slice = call.args[0].cast<TensorSlice>();
  Array<Any> all;
  for (const Expr& one : slice->indices) all.push_back(one);
  for (const Any& one : index_list(call.args[1])) all.push_back(one);
  return load(call, slice->tensor, all, 1);
}
// ---- definitions ----

Any placeholder(ApiCall& call) {
  DataType dtype = call.args[1] == nullptr ? DataType::Float(32) : dtype_of(call, call.args[1], 1);
  String name = detail::argument<String>(call, 2);
  return make<TensorNode>(make<PlaceholderOpNode>(name, shape_of(call, call.args[0], 0), dtype), 0);
}

// Names of the indices that fcompute takes, for a result of `rank` dimensions: its parameters; those of a
// `*rest` are i0, i1, ... or `varargs_names`. With fewer parameters the result has fewer dimensions.
std::vector<std::string> index_names(ApiCall& call, size_t rank) {
  std::vector<std::string> names = call.host.parameter_names(call.args[1]);
  bool open = names.empty();
  if (!names.empty() && names.back().starts_with('*')) {
    names.pop_back();
    open = true;
  }
  if (names.size() > rank) {
    throw refuse(refusals["te-too-many-indices"], names.size(), names.size() == 1 ? "ex" : "ices", rank,
                 rank == 1 ? "" : "s")
        .at(call.span_of(1));
  }
  if (!open) return names;
  size_t rest = rank - names.size();
  if (call.args[5] != nullptr) {
    auto given = elements(call.args[5]);
    if (!given) wrong_argument(call, 5, "list");
    if (given->size() != rest) {
      throw refuse(refusals["te-varargs-names"], given->size(), rest).at(call.span_of(5));
    }
    for (const Any& one : *given) names.emplace_back(one.cast<String>());
    return names;
  }
  for (size_t i = 0; i < rest; ++i) names.push_back(fmt::format("i{}", i));
  return names;
}

// A tensor by its extents and the names of its axes; arguments 1.. of the call are fcompute, name, tag,
// attrs. `typed`: axes begin at a zero of the type of their extent.
Any compute_over(ApiCall& call, const Array<Expr>& shape, const std::vector<std::string>& names, bool typed) {
  Array<IterVar> axis;
  std::vector<Any> points;
  size_t at = 0;
  for (const std::string& name : names) {
    const Expr& extent = shape[static_cast<int64_t>(at++)];
    Var var = make_var(String(name), extent->dtype());
    Expr begin = typed ? int_imm(extent->dtype(), 0) : int32(0);
    axis.push_back(make<IterVarNode>(make<RangeNode>(begin, extent), var, IterType::kDataPar));
    points.emplace_back(Expr(var));
  }
  Any result = call.host.call(call.args[1], points);
  Array<Expr> body;
  for (const Any& one : index_list(result)) {
    if (one == nullptr) {
      throw Error("wrong-type", "what the function returns must be an expression, got None")
          .kind("ValueError+TypeError")
          .at(call.span_of(1));
    }
    if (auto* slice = one.as<TensorSliceNode>()) {
      throw refuse(refusals["te-partial-index"], slice->tensor->shape().size(), slice->indices.size())
          .at(call.span_of(1));
    }
    body.push_back(expect_expr(call, one, 1, "what the function returns"));
  }
  if (body.empty())
    throw Error("wrong-type", "the function returned no value").kind("TypeError").at(call.span_of(1));
  Map<String, Any> attrs;
  if (call.args[4] != nullptr) {
    for (const auto& [key, value] : detail::argument<Map<Any, Any>>(call, 4))
      attrs.Set(key.cast<String>(), freeze(value));
  }
  auto tag = detail::argument<String>(call, 3);
  if (std::string_view around = call.api.row.owner == kTe ? current_tag() : ""; !around.empty()) {
    if (!tag.empty()) throw refuse(refusals["te-nested-tag"]).at(call.span);
    tag = String(std::string(around));
  }
  ComputeOp op = make_compute(detail::argument<String>(call, 2), tag, attrs, axis, body, call.span);
  if (body.size() == 1) return make<TensorNode>(op, 0);
  Array<Any> outputs;
  for (size_t i = 0; i < body.size(); ++i) outputs.push_back(make<TensorNode>(op, static_cast<int64_t>(i)));
  return outputs;
}

Any compute(ApiCall& call) {
  if (auto* whole = call.args[0].as<relax::ShapeExprNode>())
    call.args[0] = whole->values;  // of a graph's tensor
  Array<Expr> shape = shape_of(call, call.args[0], 0);
  if (!call.host.callable(call.args[1])) wrong_argument(call, 1, "function");
  return compute_over(call, shape, index_names(call, shape.size()), false);
}

Any define(ApiCall& call) {
  Array<Expr> shape = shape_of(call, call.args[0], 0);
  if (!call.host.callable(call.args[1])) wrong_argument(call, 1, "function");
  std::vector<std::string> names;
  for (size_t i = 0; i < shape.size(); ++i) names.push_back(fmt::format("ax{}", i));
  return compute_over(call, shape, names, true);
}

Any reduce_axis(ApiCall& call) {
  Range dom;
  if (auto range = ir::try_get<Range>(call.args[0])) {
    dom = *range;
  } else {
    auto ends = elements(call.args[0]);
    if (!ends || ends->size() != 2) wrong_argument(call, 0, "tuple of begin and end");
    Expr begin = expect_expr(call, (*ends)[0], 0, "the begin of an axis");
    Expr end = expect_expr(call, (*ends)[1], 0, "the end of an axis");
    dom = make<RangeNode>(begin, is_const_int(begin, 0) ? end : sub(end, begin, call.span_of(0)));
  }
  if (!dom->extent->dtype().is_int() && !dom->extent->dtype().is_uint()) {
    throw Error("wrong-type", "an axis goes over integers, not `{}`", dom->extent->dtype().str())
        .kind(ir::kRefusedType)
        .at(call.span_of(0));
  }
  Var var = make_var(detail::argument<String>(call, 1), dom->extent->dtype());
  return make<IterVarNode>(dom, var, IterType::kCommReduce, detail::argument<String>(call, 2));
}

Any variable(ApiCall& call) {
  return Expr(make_var(detail::argument<String>(call, 0), dtype_of(call, call.args[1], 1), call.span));
}

// ---- reductions ----

Array<IterVar> axes_of(const ApiCall& call, const Any& value) {
  Array<IterVar> axes;
  for (const Any& one : index_list(value)) {
    auto iter = ir::try_get<IterVar>(one);
    if (!iter) wrong_argument(call, 1, "reduce_axis");
    ir::expect_reduce_axis(*iter, call.span_of(1));
    axes.push_back(*iter);
  }
  return axes;
}

Array<Expr> initial_values(const ApiCall& call, const Any& init) {
  Array<Expr> start;
  if (init == nullptr) return start;
  for (const Any& one : index_list(init)) start.push_back(expect_expr(call, one, 3, "the initial value"));
  return start;
}
Expr condition_of(const ApiCall& call, const Any& where) {
  return where == nullptr ? bool_imm(true) : expect_expr(call, where, 2, "the condition");
}

using Identity = Expr (*)(DataType, Span);
Expr zero(DataType dtype, Span) { return make_const(dtype, 0); }

template <Combine combine, Identity identity>
Any builtin_reduction(ApiCall& call) {
  Expr source = expect_expr(call, call.args[0], 0, "what is reduced");
  bool over_axes = ir::try_get<IterVar>(call.args[1]) || elements(call.args[1]);
  if (!over_axes) {
    Expr result = combine(source, expect_expr(call, call.args[1], 1, "an operand"), call.span);
    for (size_t i : {2, 3}) {
      if (call.args[i] == nullptr) continue;
      result = combine(result, expect_expr(call, call.args[i], i, "an operand"), call.span);
    }
    return result;
  }
  Expr condition = condition_of(call, call.args[2]);
  return ir::reduce_over(combine, identity(source->dtype(), {}), source, axes_of(call, call.args[1]),
                         condition, initial_values(call, call.args[3]), call.span);
}

Any comm_reducer(ApiCall& call) {
  if (!call.host.callable(call.args[0])) wrong_argument(call, 0, "function");
  if (!call.host.callable(call.args[1])) wrong_argument(call, 1, "function");
  return make<ReducerNode>(call.args[0], call.args[1], detail::argument<String>(call, 2));
}

// reducer(expr, axis, where=None, init=None): args[0] is the reducer.
Any reducer_call(ApiCall& call) {
  auto reducer = call.args[0].cast<Reducer>();
  // Values instead of axes are combined as they are: `larger(a, b)`.
  if (Expr second = ir::try_get<IterVar>(call.args[2]) ? nullptr : expr_of(call.args[2])) {
    Any both = call.host.call(reducer->combine, std::vector<Any>{call.args[1], second});
    if (call.args[3] == nullptr) return both;
    return call.host.call(reducer->combine, std::vector<Any>{both, call.args[3]});
  }
  auto several = elements(call.args[1]);
  Array<Expr> sources;
  for (const Any& one : index_list(call.args[1]))
    sources.push_back(expect_expr(call, one, 1, "what is reduced"));
  if (sources.empty()) wrong_argument(call, 1, "expression");
  std::vector<std::string> names = call.host.parameter_names(reducer->combine);
  if (names.size() != 2) {
    throw refuse_as(refusals["te-combiner"], "a combiner takes two values, this function takes {}",
                    names.size())
        .at(call.span);
  }
  Array<Var> lhs;
  Array<Var> rhs;
  Array<Any> left;
  Array<Any> right;
  std::vector<Any> dtypes;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Type& type = sources[static_cast<int64_t>(i)]->ty;
    std::string suffix = several ? fmt::format("_{}", i) : "";
    lhs.push_back(make<VarNode>(String(names[0] + suffix), type));
    rhs.push_back(make<VarNode>(String(names[1] + suffix), type));
    left.push_back(lhs.back());
    right.push_back(rhs.back());
    dtypes.emplace_back(String(sources[static_cast<int64_t>(i)]->dtype().str()));
  }
  std::vector<Any> operands = several ? std::vector<Any>{left, right} : std::vector<Any>{left[0], right[0]};
  auto values = [&](const Any& result, std::string_view what) {
    Array<Expr> out;
    for (const Any& one : index_list(result)) out.push_back(expect_expr(call, one, 1, what));
    if (out.size() != sources.size()) {
      throw refuse_as(refusals["te-combiner"], "{} gives {} values for {} that are reduced", what, out.size(),
                      sources.size())
          .at(call.span);
    }
    Array<Expr> typed;
    for (size_t i = 0; i < out.size(); ++i) {
      auto k = static_cast<int64_t>(i);
      typed.push_back(cast(sources[k]->dtype(), out[k]));
    }
    return typed;
  };
  Array<Expr> result = values(call.host.call(reducer->combine, operands), "the combiner");
  Array<Expr> identity = values(call.host.call(reducer->identity, dtypes), "the identity");
  CommReducer combiner = make<CommReducerNode>(lhs, rhs, result, identity);
  Expr condition = condition_of(call, call.args[3]);
  Array<IterVar> axes = axes_of(call, call.args[2]);
  Array<Expr> start = initial_values(call, call.args[4]);
  Array<Any> outputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    outputs.push_back(Expr(
        make<ReduceNode>(combiner, sources, start, axes, condition, static_cast<int64_t>(i), call.span)));
  }
  return outputs.size() == 1 ? outputs[0] : Any(outputs);
}

// ---- functions ----

Any make_prim_func(ApiCall& call) {
  PrimFunc fn = create_prim_func(index_list(call.args[0]), call.span_of(0));
  if (call.args[1] == nullptr) return fn;
  DataType type = dtype_of(call, call.args[1], 1);
  if (!type.is_int() || !type.is_scalar()) {
    throw Error("wrong-type", "`index_dtype_override` must be an integer type, not `{}`", type.str())
        .kind("TypeError")
        .at(call.span_of(1));
  }
  return with_index_type(fn, type);
}

template <class Node, auto Read>
Any property(ApiCall& call) {
  return Any(Read(*call.args[0].cast<Ref<Node>>().get()));
}

bool same_output(const ApiCall& call) {
  auto* own = call.args[0].as<TensorNode>();
  auto* other = call.args[1].as<TensorNode>();
  return other != nullptr && other->op.same_as(own->op) && other->value_index == own->value_index;
}

constexpr std::string_view kTensor = "mlc.te.Tensor";
constexpr std::string_view kOperation = "mlc.te.Operation";
constexpr std::string_view kComputeOp = "mlc.te.ComputeOp";

constexpr ApiRow api_table[] = {
    {ApiKind::kFunction, kTe, "placeholder(shape, dtype=None, name='placeholder')",
     "A tensor that is an argument.\n\n    A = te.placeholder((128, 64), name=\"A\")", placeholder},
    {ApiKind::kFunction, kTe,
     "compute(shape, fcompute, name='compute', tag='', attrs=None, varargs_names=None)",
     "A tensor by what one element of it is.\n\n    C = te.compute((128,), lambda i: A[i] + B[i], "
     "name=\"C\")\n\n"
     "A tuple of values makes a tuple of tensors.",
     compute},
    {ApiKind::kFunction, "mlc.te", "define(shape, fcompute, name='tensor', tag='injective', attrs=None)",
     "A tensor by what one element of it is; its axes are ax0, ax1, ..., each of the type of its extent.\n\n"
     "    B = mlc.te.define(A.shape, lambda *i: A(*i) + 1)",
     define},
    {ApiKind::kFunction, kTe, "reduce_axis(dom, name='rv', thread_tag='', span=None)",
     "An axis to reduce over: (begin, end).\n\n    k = te.reduce_axis((0, 64), name=\"k\")", reduce_axis},
    {ApiKind::kFunction, kTe, "var(name='tindex', dtype='int32', span=None)",
     "An unknown number, such as a dimension.", variable},
    {ApiKind::kFunction, kTe, "size_var(name='size', dtype='int32', span=None)",
     "An unknown number that is not negative.", variable},
    {ApiKind::kFunction, kTe, "sum(expr, axis, where=None, init=None)", "The sum over axes.",
     builtin_reduction<ir::add, zero>},
    {ApiKind::kFunction, kTe, "min(expr, axis, where=None, init=None)",
     "The least value over axes; of two values, the smaller.", builtin_reduction<ir::min, ir::max_value>},
    {ApiKind::kFunction, kTe, "max(expr, axis, where=None, init=None)",
     "The largest value over axes; of two values, the larger.", builtin_reduction<ir::max, ir::min_value>},
    {ApiKind::kFunction, kTe, "comm_reducer(fcombine, fidentity, name='reduce')",
     "A reduction of one's own, from how two values combine and from what combining starts.\n\n"
     "    product = te.comm_reducer(lambda x, y: x * y, lambda t: tvm.tirx.const(1, t))\n"
     "    P = te.compute((n,), lambda i: product(A[i, k], axis=k))",
     comm_reducer},
    {ApiKind::kFunction, kTe, "create_prim_func(ops, index_dtype_override=None)",
     "The function that computes tensors, ready to be scheduled.\n\n"
     "    func = te.create_prim_func([A, B, C])\n\n"
     "`index_dtype_override`: the type of shapes, loops and indices, such as \"int64\".",
     make_prim_func},
    {ApiKind::kClass, kTe, "Tensor()", "A tensor made by placeholder or compute.",
     +[](ApiCall& call) -> Any {
       throw Error("not-constructible", "a tensor is made by `te.placeholder` or `te.compute`").at(call.span);
     },
     kTensor, "tvm.te.tensor.Tensor"},
    {ApiKind::kMethod, kTensor, "__getitem__(indices)", "An element, or with indices missing a slice.",
     tensor_getitem},
    {ApiKind::kMethod, kTensor, "__call__(*indices)", "An element.", tensor_call},
    {ApiKind::kProperty, kTensor, "shape", "The extents.", field<&TensorNode::shape>},
    {ApiKind::kProperty, kTensor, "ndim", "The number of dimensions.",
     property<TensorNode, [](auto& t) { return static_cast<int64_t>(t.shape().size()); }>},
    {ApiKind::kProperty, kTensor, "dtype", "The type of an element.",
     property<TensorNode, [](auto& t) { return ir::prim_type(t.dtype()); }>},
    {ApiKind::kProperty, kTensor, "name", "The name.",
     property<TensorNode, [](auto& t) { return String(t.name()); }>},
    {ApiKind::kProperty, kTensor, "op", "What computes it.", field<&TensorNode::op>},
    {ApiKind::kMethod, kTensor, "__eq__(other)", "Is it the same output of the same operation?",
     +[](ApiCall& call) -> Any { return same_output(call); }},
    {ApiKind::kMethod, kTensor, "__ne__(other)", "Is it another output, or of another operation?",
     +[](ApiCall& call) -> Any { return !same_output(call); }},
    {ApiKind::kMethod, kTensor, "__hash__()", "That of what computes it and which output it is.",
     property<TensorNode,
              [](auto& t) {
                return static_cast<int64_t>(reinterpret_cast<uintptr_t>(t.op.get()) >> 4) + t.value_index;
              }>},
    {ApiKind::kProperty, kTensor, "value_index", "Which output of its operation it is.",
     field<&TensorNode::value_index>},
    {ApiKind::kProperty, "mlc.te.TensorSlice", "dtype", "The type of an element.",
     property<TensorSliceNode, [](auto& s) { return ir::prim_type(s.tensor->dtype()); }>},
    {ApiKind::kMethod, "mlc.te.TensorSlice", "__getitem__(indices)",
     "An element, or with indices missing a slice.", slice_getitem},
    {ApiKind::kProperty, "mlc.te.Reducer", "__name__", "That of every reducer.",
     +[](ApiCall&) -> Any { return String("reducer"); }},
    {ApiKind::kMethod, "mlc.te.Reducer", "__call__(expr, axis, where=None, init=None)",
     "The reduction over axes.", reducer_call},
    {ApiKind::kProperty, kOperation, "name", "The name.", field<&OperationNode::name>},
    {ApiKind::kProperty, kOperation, "tag", "The tag.", field<&OperationNode::tag>},
    {ApiKind::kProperty, kOperation, "attrs", "The attributes.", field<&OperationNode::attrs>},
    {ApiKind::kProperty, kOperation, "num_outputs", "How many tensors it makes.",
     property<OperationNode, [](auto& o) { return static_cast<int64_t>(o.num_outputs()); }>},
    {ApiKind::kProperty, kOperation, "input_tensors", "The tensors it reads.",
     field<&OperationNode::input_tensors>},
    {ApiKind::kMethod, kOperation, "output(index)", "One of its tensors.",
     +[](ApiCall& call) -> Any {
       auto op = call.args[0].cast<Operation>();
       auto index = detail::argument<int64_t>(call, 1);
       if (index < 0 || index >= static_cast<int64_t>(op->num_outputs())) {
         throw Error("index-out-of-range", "`{}` has {} outputs", op->name.c_str(), op->num_outputs())
             .kind("InternalError+IndexError")
             .at(call.span_of(1));
       }
       return make<TensorNode>(op, index);
     }},
    {ApiKind::kProperty, kComputeOp, "axis", "The axes of the result.", field<&ComputeOpNode::axis>},
    {ApiKind::kProperty, kComputeOp, "reduce_axis", "The axes that are reduced.",
     field<&ComputeOpNode::reduce_axis>},
    {ApiKind::kProperty, kComputeOp, "body", "The values.", field<&ComputeOpNode::body>},
};

// Functions on expressions that te shares with tirx, besides those of the table of scalar intrinsics.
constexpr std::array shared_names = std::to_array<std::string_view>(
    {"any", "all", "min_value", "max_value", "abs", "power", "if_then_else", "isfinite", "isinf", "div",
     "indexdiv", "indexmod", "truncdiv", "truncmod", "floordiv", "floormod", "const", "logaddexp"});

}  // namespace

void register_te_api() {
  ApiRegistry& registry = ApiRegistry::global();
  registry.add(api_table);
  auto share = [&](std::string_view name) {
    registry.alias(fmt::format("tvm.te.{}", name), fmt::format("tvm.tirx.{}", name));
  };
  for (std::string_view name : shared_names) share(name);
  for (const ScalarOp& op : scalar_ops()) {
    if (op.in_te) share(op.name);
  }
  registry.alias("tvm.te.tensor.Tensor", "tvm.te.Tensor");
}

}  // namespace mlc::transform
