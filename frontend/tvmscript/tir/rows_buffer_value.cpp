// SPDX-License-Identifier: Apache-2.0
// Buffers as values: access, addresses, and views. args[0] is the buffer.
#include <map>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/tir/buffer_view.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "ir/tir/simplified.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-access-mask",
         .message = "an access mask is made of `r` and `w`, not `{}`",
         .meaning = "A mask of an access says whether memory is read, written or both.",
         .wrong = R"(T.evaluate(A.access_ptr("x")))",
         .right = R"(T.evaluate(A.access_ptr("rw")))"},
        {.name = "bad-view",
         .meaning = "A view shows memory with another shape, and needs as many elements as the memory has."},
        {.name = "no-such-attribute",
         .kind = "AttributeError",
         .message = "a variable that is no buffer has no `{}`",
         .meaning = "Buffers have methods that other variables lack.",
         .wrong = "T.evaluate(n.vload([0]))",
         .right = "T.evaluate(A.vload([0]))"},
    }};
MLC_REFUSALS(tir_rows_buffer_value, refusals);

namespace {

constexpr std::string_view kVar = "mlc.ir.Var";

// `A.sub`, `A.tile(...)`, `A.chunk(...)`: what takes the indices in the brackets behind it.
struct SubIndexerNode final : ffi::Object {
  Buffer buffer;
  explicit SubIndexerNode(Buffer buffer) : buffer(std::move(buffer)) {}
  MLC_NODE("mlc.tvmscript.SubIndexer", SubIndexerNode, ffi::Object);
};
struct TileIndexerNode final : ffi::Object {
  Buffer buffer;
  std::vector<std::pair<int64_t, Array<Expr>>> factors;  // by dimension
  TileIndexerNode(Buffer buffer, std::vector<std::pair<int64_t, Array<Expr>>> factors)
      : buffer(std::move(buffer)), factors(std::move(factors)) {}
  MLC_NODE("mlc.tvmscript.TileIndexer", TileIndexerNode, ffi::Object);
};
struct ChunkIndexerNode final : ffi::Object {
  Buffer buffer;
  std::vector<int64_t> counts;  // 0: the dimension is left alone
  ChunkIndexerNode(Buffer buffer, std::vector<int64_t> counts)
      : buffer(std::move(buffer)), counts(std::move(counts)) {}
  MLC_NODE("mlc.tvmscript.ChunkIndexer", ChunkIndexerNode, ffi::Object);
};

Buffer buffer_self(const ApiCall& call) {
  auto* var = call.args[0].as<ir::VarNode>();
  if (var && var->buffer()) return ir::ref(var);
  throw ir::refuse(refusals["no-such-attribute"], call.api.name).at(call.span);
}
const ir::BufferTypeNode* type_of_self(const ApiCall& call) { return buffer_self(call)->buffer(); }

int64_t size_of_list(const auto& list) { return static_cast<int64_t>(list.size()); }

// ---- access ----

// The indices of an access to a vector of type `wanted` that begins at the indices given.
Array<Expr> vector_indices(const ApiCall& call, DataType wanted, std::string_view verb,
                           std::string_view place) {
  DataType own = type_of_self(call)->dtype;
  if (!(wanted.element() == own.element()) || wanted.lanes() % own.lanes() != 0) {
    throw ir::Error("type-mismatch", "cannot {} `{}` {} a buffer of `{}`", verb, wanted.str(), place,
                    own.str())
        .kind(ir::kRefusedValue)
        .at(call.span_of(2));
  }
  int lanes = wanted.lanes() / own.lanes();
  Array<Expr> begin = indices_arg(call, 1, buffer_self(call));
  if (lanes == 1 || begin.empty() || !begin.back()->dtype().is_scalar()) return begin;
  Array<Expr> indices = begin;
  int64_t last = size_of_list(begin) - 1;
  indices.Set(last, ir::make<ir::RampNode>(begin[last], ir::const_like(begin[last], 1), ir::int32(lanes)));
  return indices;
}

Any vload(ApiCall& call) {
  DataType wanted = is_given(call, 2) ? dtype_arg(call, 2) : DataType(type_of_self(call)->dtype);
  Array<Expr> indices = vector_indices(call, wanted, "load", "from");
  check_indices(buffer_self(call), indices, call.span_of(1));
  return Expr(ir::make<ir::TensorLoadNode>(buffer_self(call), indices, call.span));
}

Any vstore(ApiCall& call) {
  Expr value = expr_arg(call, 2);
  Array<Expr> indices = vector_indices(call, value->dtype(), "store", "to");
  return ir::make<ir::BufferStoreNode>(buffer_self(call), value, indices, call.span);
}

// ---- addresses ----

Expr flat_extent(const ir::BufferTypeNode* type) {
  if (type->shape.empty()) return ir::int32(1);
  if (type->strides.size() == type->shape.size()) return ir::mul(type->strides[0], type->shape[0]);
  return ir::product(type->shape);
}

// With `content_lanes`, distances count vectors; an offset then is that of the buffer alone.
Any buffer_access_ptr(ApiCall& call) {
  const ir::BufferTypeNode* type = type_of_self(call);
  int64_t mask = 0;
  if (script::is_str(call.args[1])) {
    for (char c : script::text_of(call.args[1])) {
      if (c != 'r' && c != 'w') {
        throw ir::refuse(refusals["bad-access-mask"], c).at(call.span_of(1));
      }
      mask |= c == 'r' ? 1 : 2;
    }
  } else {
    mask = int_arg(call, 1);
  }
  Expr extra = expr_arg(call, 4);
  Expr extent = ir::sub(flat_extent(type), extra);
  Expr offset = type->elem_offset ? ir::add(type->elem_offset, extra) : extra;
  Expr data = script::ir_attribute(call.args[0], "data", call.span)->cast<Expr>();
  DataType content = type->dtype;
  int64_t lanes = int_arg(call, 3);
  if (lanes > 1) {
    content = content.with_lanes(static_cast<int>(lanes));
    extent = ir::truncdiv(extent, ir::const_like(extent, lanes));
    offset = type->elem_offset ? ir::truncdiv(type->elem_offset, ir::const_like(type->elem_offset, lanes))
                               : Expr(ir::int32(0));
  }
  if (is_given(call, 5)) extent = expr_arg(call, 5);
  Type pointer = data->ty;  // typed, as what is printed reads back
  bool named = script::is_str(call.args[2]);
  if (!named || script::text_of(call.args[2]) != "handle") pointer = type_from(call.args[2], call.span_of(2));
  if (pointer->kind == ir::TypeKind::kPrim)
    pointer = ir::make<ir::PointerTypeNode>(pointer, type->storage_scope);
  Expr annotation = ir::call_op(content, "tirx.type_annotation", {});
  return Expr(ir::make<ir::CallNode>(pointer, ir::op("tirx.tvm_access_ptr"),
                                     Array<Expr>{annotation, data, offset, extent, ir::int32(mask)},
                                     Map<String, Any>{}, call.span));
}

Array<Expr> all_indices(ApiCall& call) { return indices_arg(call, 1, buffer_self(call), "AssertionError"); }

Any ptr_to(ApiCall& call) {
  const ir::BufferTypeNode* type = type_of_self(call);
  Expr load = ir::make<ir::TensorLoadNode>(buffer_self(call), all_indices(call), call.span);
  Type pointer = ir::make<ir::PointerTypeNode>(Type(ir::prim_type(type->dtype)), type->storage_scope);
  return Expr(ir::make<ir::CallNode>(pointer, ir::op("tirx.address_of"), Array<Expr>{load},
                                     Map<String, Any>{}, call.span));
}

Any offset_of(ApiCall& call) {
  const ir::BufferTypeNode* type = type_of_self(call);
  Array<Expr> indices = all_indices(call);
  bool packed = type->strides.empty();
  auto simplify = [&](const Expr& e) { return call.host.simplify(e); };
  Expr offset = ir::int32(0);
  for (int64_t i = 0; i < size_of_list(indices); ++i) {
    Expr step = packed ? indices[i] : ir::mul(indices[i], type->strides[i]);
    if (i == 0)
      offset = step;
    else
      offset =
          ir::merge_remainders(ir::add(packed ? ir::mul(offset, type->shape[i]) : offset, step), simplify);
  }
  offset = simplify(type->elem_offset ? ir::add(offset, type->elem_offset) : offset);
  return Array<Any>{Any(offset)};
}

// Where the layout puts an element, from the beginning of the buffer; known when layouts are lowered.
Expr layout_offset(ApiCall& call) {
  Expr load = ir::make<ir::TensorLoadNode>(buffer_self(call), all_indices(call), call.span);
  Expr offset = ir::call_op(DataType::Int(32), "tirx.buffer_offset", {load}, call.span);
  return bool_arg(call, 2) ? offset : ir::add(type_of_self(call)->elem_offset, offset);
}
Expr in_bytes(const Expr& elements, DataType dtype) {
  return ir::floordiv(ir::mul(elements, ir::const_like(elements, dtype.bits())), ir::const_like(elements, 8));
}

// ---- the same buffer with something changed: a variable of its own, not declared yet ----

template <class F>
Any changed(ApiCall& call, F&& change) {
  Buffer buffer = buffer_self(call);
  ir::BufferType type = ir::with(ir::ref(buffer->buffer()), change);
  return Expr(ir::make<ir::VarNode>(buffer->name, Type(type), buffer->span));
}

Any get_flattened_buffer(ApiCall& call) {
  return changed(call, [](ir::BufferTypeNode& n) {
    n.shape = Array<Expr>{flat_extent(&n)};
    n.strides = {};
    n.layout = ir::default_layout(n.shape);
  });
}
Any buffer_with_dtype(ApiCall& call) {
  DataType dtype = dtype_arg(call, 1);
  return changed(call, [&](ir::BufferTypeNode& n) { n.dtype = dtype; });
}
Any with_allocated_addr(ApiCall& call) {
  Array<Expr> address;
  for (const Any& one : items(call.args[1], call.span_of(1)))
    address.push_back(script::as_expr(one, call.span_of(1), "an address"));
  return changed(call, [&](ir::BufferTypeNode& n) { n.allocated_addr = address; });
}

// ---- views ----

Array<Expr> shape_of(ApiCall& call, size_t i) {
  Array<Expr> shape;
  for (const Any& one : items(call.args[i], call.span_of(i))) {
    auto e = script::to_expr(one);
    bool fits = e && (*e)->ty->kind == ir::TypeKind::kPrim &&
                ((*e)->dtype() == DataType::Int(32) || (*e)->dtype() == DataType::Int(64));
    if (!fits) {
      throw ir::Error("wrong-type", "a dimension of a view must be an int32 or int64, got `{}`",
                      ir::type_name(one))
          .at(call.span_of(i))
          .kind("AssertionError");
    }
    shape.push_back(*e);
  }
  return shape;
}

ir::Layout layout_arg(ApiCall& call, size_t i) {
  if (!is_given(call, i)) return {};
  if (auto layout = call.args[i].as<ir::Layout>()) return *layout;
  ir::wrong_argument(call, i, "a layout");
}

// `A.view("float16")`: the last dimension becomes longer or shorter.
Any view_as(ApiCall& call, DataType dtype) {
  Buffer buffer = buffer_self(call);
  const ir::BufferTypeNode* type = buffer->buffer();
  int own = DataType(type->dtype).bits() * DataType(type->dtype).lanes();
  int wanted = dtype.bits() * dtype.lanes();
  bool wider = wanted > own;
  int ratio = wider ? wanted / own : own / wanted;
  if ((wider ? wanted % own : own % wanted) != 0 || type->shape.empty()) {
    throw ir::refuse_as(refusals["bad-view"],
                        "`{}` cannot be seen as `{}`: neither is a multiple of the other",
                        DataType(type->dtype).str(), dtype.str())
        .at(call.span)
        .kind("AssertionError");
  }
  auto scaled = [&](const Expr& e) {
    return wider ? ir::floordiv(e, ir::const_like(e, ratio)) : ir::mul(e, ir::const_like(e, ratio));
  };
  ViewChange change{type->shape, type->layout, dtype, type->elem_offset ? scaled(type->elem_offset) : Expr()};
  change.shape.Set(size_of_list(type->shape) - 1, scaled(type->shape.back()));
  if (auto layout = type->layout.as<ir::Layout>(); layout && layout->defined())
    change.layout = wider ? ir::pack(*layout, ratio) : ir::unpack(*layout, ratio);
  return declare_view(Builder::current(call), buffer, std::move(change), call.span);
}

Any buffer_view_of(ApiCall& call) {
  auto shape = script::elements(call.args[1]);
  if (shape.size() == 1 && script::is_str(shape[0]) && !is_given(call, 2))
    return view_as(call, dtype_from(shape[0], call.span_of(1)));
  Builder& builder = Builder::current(call);
  ir::Layout layout = layout_arg(call, 2);
  Array<Expr> dims = shape_of(call, 1);
  if (!layout) return reshaped(builder, buffer_self(call), dims, call.span);
  return declare_view(builder, buffer_self(call), {dims, layout}, call.span);
}

// The memory of one thread. Without a layout of its own it is all of that memory, row by row.
Any local(ApiCall& call) {
  Buffer buffer = buffer_self(call);
  Array<Expr> shape = shape_of(call, 1);
  ir::Layout wanted = layout_arg(call, 2);
  Builder& builder = Builder::current(call);
  if (shape.empty() || !wanted) {
    ir::Layout storage = ir::storage_of(layout_of(buffer, "`local`", call.span));
    Expr extent = wanted ? ir::size_of(storage) : ir::span_of(storage);
    if (shape.empty()) {
      shape.push_back(extent);
    } else if (ir::constant_difference(ir::product(shape), extent) != 0) {
      auto has = ir::const_int(ir::product(shape));
      auto needs = ir::const_int(extent);
      throw ir::refuse_as(refusals["bad-view"], "the view has {} elements, the memory of one thread {}",
                          has ? std::to_string(*has) : "an unknown number of",
                          needs ? std::to_string(*needs) : "an unknown number")
          .at(call.span)
          .note("the buffer is declared here", buffer->span);
    }
  }
  ir::ObjectRef layout = wanted;
  if (!wanted && !builder.schedulable()) layout = ir::default_layout(shape);
  return declare_view(builder, buffer, {shape, layout}, call.span);
}

Any permute(ApiCall& call) {
  std::vector<int64_t> order;
  for (const Any& one : items(call.args[1], call.span_of(1))) {
    if (!script::is_int(one)) ir::wrong_argument(call, 1, "ints");
    order.push_back(script::raw_int(one));
  }
  return permuted(Builder::current(call), buffer_self(call), order, call.span);
}

Any rearrange(ApiCall& call) {
  std::map<std::string, int64_t> sizes;
  for (const auto& [key, value] : call.args[2].cast<Map<String, Any>>()) {
    auto e = script::to_expr(value);
    auto number = e ? ir::const_int(*e) : std::nullopt;
    if (!number) ir::wrong_argument(call, 2, "sizes of axes");
    sizes[std::string(key.data(), key.size())] = *number;
  }
  return rearranged(Builder::current(call), buffer_self(call), tvmscript::view(str_arg(call, 1)), sizes,
                    call.span);
}

int64_t dimension_of(const Buffer& buffer, int64_t dim, Span span) {
  int64_t rank = size_of_list(buffer->buffer()->shape);
  int64_t at = dim < 0 ? dim + rank : dim;
  if (at >= 0 && at < rank) return at;
  throw ir::Error("index-out-of-range", "`{}` has {} dimensions, there is no dimension {}",
                  buffer->name.c_str(), rank, dim)
      .at(span)
      .kind("ValueError");
}

std::vector<Any> indices_of(const Any& value) {
  if (!script::as<ffi::ArrayObj>(value)) return {value};
  auto all = script::elements(value);
  return {all.begin(), all.end()};
}

Expr index_from(const Any& value, Span span) { return script::as_expr(value, span, "an index"); }

// Every `step`-th index from `start` on: the dimension is split and one part of it picked.
Buffer stepped(ApiCall& call, const Buffer& buffer, int64_t dim, const script::SliceNode& slice) {
  const ir::BufferTypeNode* type = buffer->buffer();
  auto step = script::is_int(slice.step) ? std::optional(script::raw_int(slice.step)) : std::nullopt;
  auto extent = ir::const_int(type->shape[dim]);
  auto refuse = [&](std::string_view why) {
    throw ir::refuse_as(refusals["bad-view"], "{}", why).at(call.span_of(1));
  };
  if (!step || *step <= 0) refuse("the step of a slice is a positive int");
  if (!script::is_none(slice.stop)) refuse("a slice with a step has no end");
  if (!extent || *extent % *step != 0)
    refuse(fmt::format("dimension {} is not made of whole steps of {}", dim, *step));
  Expr start = script::is_none(slice.start) ? Expr(ir::int32(0)) : index_from(slice.start, call.span_of(1));
  Array<Expr> shape;
  for (int64_t i = 0; i < size_of_list(type->shape); ++i) {
    shape.push_back(i == dim ? Expr(ir::int32(*extent / *step)) : type->shape[i]);
    if (i == dim) shape.push_back(ir::int32(*step));
  }
  Builder& builder = Builder::current(call);
  Buffer split = as_buffer(reshaped(builder, buffer, shape, call.span));
  return as_buffer(picked(builder, split, dim + 1, start, call.span));
}

Any sub(ApiCall& call) {
  Buffer buffer = call.args[0].as<SubIndexerNode>()->buffer;
  std::vector<Any> indices = indices_of(call.args[1]);
  if (indices.size() > buffer->buffer()->shape.size()) {
    throw ir::Error("wrong-number-of-indices", "`{}` has {} dimensions, got {} indices", buffer->name.c_str(),
                    buffer->buffer()->shape.size(), indices.size())
        .at(call.span_of(1))
        .kind("ValueError");
  }
  Builder& builder = Builder::current(call);
  int64_t dim = 0;
  for (const Any& index : indices) {
    auto* slice = script::as<script::SliceNode>(index);
    if (!slice) {
      buffer = as_buffer(picked(builder, buffer, dim, index_from(index, call.span_of(1)), call.span));
      continue;
    }
    bool plain =
        script::is_none(slice->step) || (script::is_int(slice->step) && script::raw_int(slice->step) == 1);
    if (!plain) {
      buffer = stepped(call, buffer, dim, *slice);
    } else if (!script::is_none(slice->start) || !script::is_none(slice->stop)) {
      const Expr& extent = buffer->buffer()->shape[dim];
      Expr start =
          script::is_none(slice->start) ? Expr(ir::int32(0)) : index_from(slice->start, call.span_of(1));
      Expr stop = script::is_none(slice->stop) ? extent : index_from(slice->stop, call.span_of(1));
      buffer = as_buffer(narrowed(builder, buffer, dim, start, ir::sub(stop, start), call.span));
    }
    ++dim;
  }
  return Expr(buffer);
}

Any tile(ApiCall& call) {
  std::vector<Any> specs = items(call.args[1], call.span);
  Buffer buffer = buffer_self(call);
  if (!specs.empty() && script::is_int(specs[0])) specs = {Any(Array<Any>(specs.begin(), specs.end()))};
  std::vector<std::pair<int64_t, Array<Expr>>> factors;
  for (const Any& spec : specs) {
    auto pair = items(spec, call.span_of(1));
    if (pair.size() != 2 || !script::is_int(pair[0]))
      ir::wrong_argument(call, 1, "a dimension and its factors");
    int64_t dim = dimension_of(buffer, script::raw_int(pair[0]), call.span_of(1));
    for (const auto& [other, its] : factors) {
      if (other == dim)
        throw ir::refuse_as(refusals["bad-view"], "dimension {} is tiled twice", dim).at(call.span_of(1));
    }
    Array<Expr> its;
    for (const Any& factor : items(pair[1], call.span_of(1)))
      its.push_back(index_from(factor, call.span_of(1)));
    if (its.empty()) ir::wrong_argument(call, 1, "factors");
    factors.emplace_back(dim, its);
  }
  return ir::make<TileIndexerNode>(buffer, factors);
}

bool keeps(ApiCall& call, const Any& pick) {
  auto* slice = script::as<script::SliceNode>(pick);
  if (!slice) return false;
  if (script::is_none(slice->start) && script::is_none(slice->stop) && script::is_none(slice->step))
    return true;
  throw ir::refuse_as(refusals["bad-view"], "a factor is picked by an index or kept whole by `:`")
      .at(call.span_of(1));
}

Any pick_tile(ApiCall& call) {
  auto* indexer = call.args[0].as<TileIndexerNode>();
  std::vector<Any> picks = indices_of(call.args[1]);
  size_t wanted = 0;
  for (const auto& [dim, factors] : indexer->factors) wanted += factors.size();
  if (picks.size() != wanted) {
    throw ir::Error("wrong-number-of-indices", "{} factors, but {} ind{}", wanted, picks.size(),
                    picks.size() == 1 ? "ex" : "ices")
        .at(call.span_of(1))
        .kind("ValueError");
  }
  struct Part {
    int64_t dim;
    Array<Expr> factors;
    std::vector<Any> picks;
  };
  std::vector<Part> parts;
  size_t at = 0;
  for (const auto& [dim, factors] : indexer->factors) {
    parts.push_back({dim,
                     factors,
                     {picks.begin() + static_cast<ptrdiff_t>(at),
                      picks.begin() + static_cast<ptrdiff_t>(at + factors.size())}});
    at += factors.size();
  }
  // The last dimension first, so that the numbers of the others stay.
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.dim > b.dim; });
  Builder& builder = Builder::current(call);
  Buffer buffer = indexer->buffer;
  for (const Part& part : parts) {
    int64_t kept = 0;
    for (const Any& pick : part.picks) kept += keeps(call, pick);
    if (kept == size_of_list(part.picks)) {
      throw ir::refuse_as(refusals["bad-view"], "no factor of dimension {} is picked", part.dim)
          .at(call.span_of(1))
          .help("a reshape alone is `.view(...)`");
    }
    auto spliced = [&](const Array<Expr>& middle, int64_t replaced) {
      Array<Expr> shape;
      const auto& old = buffer->buffer()->shape;
      for (int64_t i = 0; i < part.dim; ++i) shape.push_back(old[i]);
      for (const Expr& e : middle) shape.push_back(e);
      for (int64_t i = part.dim + replaced; i < size_of_list(old); ++i) shape.push_back(old[i]);
      return shape;
    };
    buffer = as_buffer(reshaped(builder, buffer, spliced(part.factors, 1), call.span));
    for (int64_t i = size_of_list(part.picks); i-- > 0;) {
      const Any& pick = part.picks[static_cast<size_t>(i)];
      if (script::as<script::SliceNode>(pick)) continue;
      buffer = as_buffer(picked(builder, buffer, part.dim + i, index_from(pick, call.span_of(1)), call.span));
    }
    if (kept >= 2)
      buffer = as_buffer(reshaped(builder, buffer, spliced(Array<Expr>{ir::int32(-1)}, kept), call.span));
  }
  return Expr(buffer);
}

Any chunk(ApiCall& call) {
  Buffer buffer = buffer_self(call);
  std::vector<int64_t> counts;
  for (const Any& one : items(call.args[1], call.span_of(1))) {
    bool leaves = script::is_none(one);
    if (!leaves && (!script::is_int(one) || script::raw_int(one) < 1))
      ir::wrong_argument(call, 1, "None or a positive int for each dimension");
    counts.push_back(leaves ? 0 : script::raw_int(one));
  }
  if (counts.size() != buffer->buffer()->shape.size()) {
    throw ir::Error("wrong-number-of-indices", "{} entries for {} dimensions", counts.size(),
                    buffer->buffer()->shape.size())
        .at(call.span_of(1))
        .kind("ValueError");
  }
  return ir::make<ChunkIndexerNode>(buffer, counts);
}

Any pick_chunk(ApiCall& call) {
  auto* indexer = call.args[0].as<ChunkIndexerNode>();
  std::vector<Any> picks = indices_of(call.args[1]);
  if (picks.size() > indexer->counts.size()) {
    throw ir::Error("wrong-number-of-indices", "{} indices for {} dimensions", picks.size(),
                    indexer->counts.size())
        .at(call.span_of(1))
        .kind("ValueError");
  }
  for (size_t i = 0; i < picks.size(); ++i) {
    int64_t count = indexer->counts[i];
    if (count == 0) continue;
    if (script::as<script::SliceNode>(picks[i])) {
      throw ir::refuse_as(refusals["bad-view"], "dimension {} is cut in {} chunks: pick one by its index", i,
                          count)
          .at(call.span_of(1));
    }
    const Expr& extent = indexer->buffer->buffer()->shape[static_cast<int64_t>(i)];
    Expr length = ir::floordiv(extent, ir::const_like(extent, count));
    Expr pick = index_from(picks[i], call.span_of(1));
    picks[i] = ir::make<script::SliceNode>(Any(ir::mul(pick, length)),
                                           Any(ir::mul(ir::add(pick, ir::const_like(pick, 1)), length)),
                                           Any(nullptr));
  }
  return script::ir_subscript(Expr(indexer->buffer), picks, call.span,
                              [&](const Expr& e) { return call.host.simplify(e); });
}

constexpr ir::ApiRow buffer_value_table[] = {
    {ir::ApiKind::kMethod, kVar, "vload(begin, dtype=None)", "A vector of elements from `begin` on.", vload},
    {ir::ApiKind::kMethod, kVar, "vstore(begin, value)", "Stores a vector from `begin` on.", vstore},
    {ir::ApiKind::kMethod, kVar,
     "access_ptr(access_mask, ptr_type=\"handle\", content_lanes=1, offset=0, extent=None)",
     "A pointer into the buffer, with what it is used for (\"r\", \"w\", \"rw\").", buffer_access_ptr},
    {ir::ApiKind::kMethod, kVar, "ptr_to(indices)", "The address of an element.", ptr_to},
    {ir::ApiKind::kMethod, kVar, "scope()", "The storage scope.",
     +[](ApiCall& call) -> Any { return type_of_self(call)->storage_scope; }},
    {ir::ApiKind::kMethod, kVar, "offset_of(indices)",
     "The place of an element in row-major memory, as a list.", offset_of},
    {ir::ApiKind::kMethod, kVar, "elem_offset_of(indices, inner=True)", "Where the layout puts an element.",
     +[](ApiCall& call) -> Any { return layout_offset(call); }},
    {ir::ApiKind::kMethod, kVar, "byte_offset_of(indices, inner=True)",
     "Where the layout puts an element, in bytes.",
     +[](ApiCall& call) -> Any { return in_bytes(layout_offset(call), type_of_self(call)->dtype); }},
    {ir::ApiKind::kProperty, kVar, "byte_offset", "Where the buffer begins in its memory, in bytes.",
     +[](ApiCall& call) -> Any {
       return in_bytes(type_of_self(call)->elem_offset, type_of_self(call)->dtype);
     }},
    {ir::ApiKind::kMethod, kVar, "get_flattened_buffer()", "The buffer with one dimension.",
     get_flattened_buffer},
    {ir::ApiKind::kMethod, kVar, "with_dtype(dtype)", "The buffer with another data type.",
     buffer_with_dtype},
    {ir::ApiKind::kMethod, kVar, "with_allocated_addr(allocated_addr)", "The buffer at an address.",
     with_allocated_addr},
    {ir::ApiKind::kMethod, kVar, "is_scalar(alloc_or_decl=True)", "Is it a mutable scalar?",
     +[](ApiCall& call) -> Any {
       const ir::BufferTypeNode* type = type_of_self(call);
       return type->shape.size() == 1 && ir::is_const_int(type->shape[0], 1) && type->strides.empty() &&
              ir::is_default_layout(type->layout, type->shape);
     }},
    {ir::ApiKind::kMethod, kVar, "view(*shape, layout=None)",
     "The same memory under another shape, layout, or data type (`A.view(\"float16\")`).", buffer_view_of},
    {ir::ApiKind::kMethod, kVar, "local(*shape, layout=None)", "The part that is memory of one thread.",
     local},
    {ir::ApiKind::kMethod, kVar, "permute(*dims)", "The dimensions in another order.", permute},
    {ir::ApiKind::kMethod, kVar, "rearrange(pattern, **sizes)",
     "Dimensions split, ordered and merged: `A.rearrange(\"(a b) c -> b (a c)\", a=2)`.", rearrange},
    {ir::ApiKind::kProperty, kVar, "sub", "Views of parts: `A.sub[2, 4:8, ::4]`.",
     +[](ApiCall& call) -> Any { return ir::make<SubIndexerNode>(buffer_self(call)); }},
    {ir::ApiKind::kMethod, "mlc.tvmscript.SubIndexer", "__getitem__(key)", "The view of that part.", sub},
    {ir::ApiKind::kMethod, kVar, "tile(*specs)",
     "Dimensions split into factors, some of which are picked: `A.tile(0, (2, -1))[i, :]`.", tile},
    {ir::ApiKind::kMethod, "mlc.tvmscript.TileIndexer", "__getitem__(key)", "The view of the picked tile.",
     pick_tile},
    {ir::ApiKind::kMethod, kVar, "chunk(spec)",
     "Dimensions cut into equal chunks, one of which is picked: `A.chunk((2, None))[i, :]`.", chunk},
    {ir::ApiKind::kMethod, "mlc.tvmscript.ChunkIndexer", "__getitem__(key)",
     "The region of the picked chunk.", pick_chunk},
};

}  // namespace

std::span<const ir::ApiRow> buffer_value_rows() { return buffer_value_table; }

}  // namespace mlc::tvmscript
