// SPDX-License-Identifier: Apache-2.0
// tvm.tirx.layout: layouts as values, spelled `T.TileLayout(T.S[(8, 4):(4 @ Axis.laneid, 1)] + T.R[2:1] +
// 5)`.
#include <deque>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/device/layout_arguments.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/context.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout_algebra.h"
#include "ir/tir/linear.h"
#include "ir/tir/simplified.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-swizzle",
         .message = "a swizzle of {} bits over {} elements, {} bits apart, does not exist",
         .help = "`swizzle_len` is at most `atom_len`, and none is negative",
         .meaning = "A swizzle is three numbers of bits that fit into an address."},
        {.name = "not-a-permutation",
         .kind = "AssertionError",
         .message = "`{}` must name each of the {} dimensions once",
         .meaning = "An order of dimensions names each of them once."},
        {.name = "wrong-number-of-strides",
         .message = "{} strides for {} extents",
         .meaning = "A buffer has one stride for each dimension, or none.",
         .wrong = "C = T.match_buffer(h, (4,), strides=[4, 1])",
         .right = R"(C = T.match_buffer(h, (4, 4), strides=[4, 1])
C[0, 0] = 1.0)"},
    }};
MLC_REFUSALS(device_rows_layout, refusals);

namespace {

using ir::Iter;
using ir::Layout;
using ir::TileLayout;

constexpr std::string_view kSpec = "mlc.tvmscript.LayoutSpec";
constexpr std::string_view kOffset = "mlc.tvmscript.LayoutOffset";
constexpr std::string_view kBrackets = "mlc.tvmscript.LayoutBrackets";

// T.S and T.R: what stands in their brackets becomes a LayoutSpec.
struct BracketsNode final : ffi::Object {
  bool replica;
  explicit BracketsNode(bool replica) : replica(replica) {}
  MLC_NODE("mlc.tvmscript.LayoutBrackets", BracketsNode, ffi::Object);
};

// `4 @ Axis.laneid`, and sums of such.
struct OffsetNode final : ffi::Object {
  Map<String, Expr> terms;
  explicit OffsetNode(Map<String, Expr> terms) : terms(std::move(terms)) {}
  MLC_NODE("mlc.tvmscript.LayoutOffset", OffsetNode, ffi::Object);
};

// `T.S[...] + T.R[...] + offset`: the arguments of a TileLayout.
struct SpecNode final : ffi::Object {
  std::optional<Array<Iter>> shard;
  std::optional<Array<Iter>> replica;
  Map<String, Expr> offset;
  SpecNode() = default;
  MLC_NODE("mlc.tvmscript.LayoutSpec", SpecNode, ffi::Object);
};

Map<String, Expr> merged(Map<String, Expr> a, const Map<String, Expr>& b) {
  for (const auto& [key, value] : b) {
    auto known = a.find(key);
    a.Set(key, known == a.end() ? value : ir::add((*known).second, value));
  }
  return a;
}

// An offset in any of its forms; plain values lie on the memory axis.
std::optional<Map<String, Expr>> offset_terms(const Any& value) {
  if (auto* offset = value.as<OffsetNode>()) return offset->terms;
  if (auto e = script::to_expr(value)) return Map<String, Expr>{{String("m"), *e}};
  return std::nullopt;
}

ir::Axis axis_from(const Any& value, Span span) {
  if (auto* axis = value.as<ir::AxisNode>()) return ir::ref(axis);
  if (script::is_str(value)) return ir::axis(script::text_of(value));
  throw ir::Error("wrong-type", "expected an axis or its name, got `{}`", ir::type_name(value))
      .at(span)
      .kind("TypeError");
}

Expr integer(const Any& value, Span span, std::string_view what) {
  return integer_of(script::as_expr(value, span, what), span, what);
}

// A stride: `4`, `4 @ Axis.laneid`, `(4, "laneid")`, or the name of an axis for one step on it.
Iter iter_from(const Expr& extent, const Any& stride, Span span) {
  if (auto* offset = stride.as<OffsetNode>(); offset && offset->terms.size() == 1) {
    auto [name, value] = *offset->terms.begin();
    return ir::make<ir::IterNode>(extent, value, ir::axis(view(name)));
  }
  if (script::is_str(stride)) return ir::make<ir::IterNode>(extent, ir::int32(1), axis_from(stride, span));
  if (script::as<ffi::ArrayObj>(stride) && script::elements(stride).size() == 2) {
    auto pair = script::elements(stride);
    return ir::make<ir::IterNode>(extent, integer(pair[0], span, "a stride"), axis_from(pair[1], span));
  }
  return ir::make<ir::IterNode>(extent, integer(stride, span, "a stride"), ir::memory_axis());
}

Any brackets(ApiCall& call) {
  const Any& key = call.args[1];
  Span span = call.span_of(1);
  auto* slice = script::as<script::SliceNode>(key);
  Array<Expr> extents;
  for (const Any& extent : one_or_all(slice ? slice->start : key))
    extents.push_back(integer(extent, span, "an extent"));
  Array<Iter> iters;
  if (!slice) {
    iters = ir::default_layout(extents)->shard;
  } else {
    std::span<const Any> strides = one_or_all(slice->stop);
    if (strides.size() != extents.size()) {
      throw ir::refuse(refusals["wrong-number-of-strides"], strides.size(), extents.size()).at(span);
    }
    for (size_t i = 0; i < strides.size(); ++i)
      iters.push_back(iter_from(extents[static_cast<int64_t>(i)], strides[i], span));
  }
  auto spec = ir::make<SpecNode>();
  auto* node = const_cast<SpecNode*>(spec.get());
  (call.args[0].as<BracketsNode>()->replica ? node->replica : node->shard) = iters;
  return spec;
}

[[noreturn]] void cannot_add(ApiCall& call) {
  throw ir::Error("unsupported-operand", "`{}` cannot be added to a layout", ir::type_name(call.args[1]))
      .at(call.span)
      .kind("TypeError");
}

// Of two shards the first counts, of two replicas the last; offsets add up.
Any add_spec(ApiCall& call) {
  auto* layout_self = call.args[0].as<SpecNode>();
  auto spec = ir::make<SpecNode>(*layout_self);
  auto* node = const_cast<SpecNode*>(spec.get());
  if (auto* other = call.args[1].as<SpecNode>()) {
    if (!node->shard) node->shard = other->shard;
    if (other->replica) node->replica = other->replica;
    node->offset = merged(layout_self->offset, other->offset);
    return spec;
  }
  auto terms = offset_terms(call.args[1]);
  if (!terms) cannot_add(call);
  node->offset = merged(layout_self->offset, *terms);
  return spec;
}

Any add_offset(ApiCall& call) {
  if (call.args[1].as<SpecNode>()) {
    std::swap(call.args[0], call.args[1]);
    return add_spec(call);
  }
  auto terms = offset_terms(call.args[1]);
  if (!terms) cannot_add(call);
  return ir::make<OffsetNode>(merged(call.args[0].as<OffsetNode>()->terms, *terms));
}

Any on_axis(ApiCall& call) {
  Expr value = integer(call.args[1], call.span_of(1), "a value on an axis");
  return ir::make<OffsetNode>(Map<String, Expr>{{call.args[0].as<ir::AxisNode>()->name, value}});
}

Any tile_layout(ApiCall& call) {
  auto* spec = call.args[0].as<SpecNode>();
  if (!spec) ir::wrong_argument(call, 0, "a layout such as `T.S[8, 4]`");
  return ir::make<ir::TileLayoutNode>(spec->shard.value_or(Array<Iter>()),
                                      spec->replica.value_or(Array<Iter>()), spec->offset);
}

Array<Iter> iters_arg(ApiCall& call, size_t i) {
  Array<Iter> iters;
  for (const Any& one : items(call.args[i], call.span_of(i))) {
    auto* iter = one.as<ir::IterNode>();
    if (!iter) ir::wrong_argument(call, i, "iterators");
    iters.push_back(ir::ref(iter));
  }
  return iters;
}

Any from_iters(ApiCall& call) {
  Map<String, Expr> offset;
  auto add = [&](const auto& entries) {
    for (const auto& [key, value] : entries)
      offset.Set(axis_from(key, call.span_of(2))->name, integer(value, call.span_of(2), "an offset"));
  };
  if (auto dict = call.args[2].as<script::Dict>()) add(*dict);
  if (auto map = ir::try_get<Map<Any, Any>>(call.args[2])) add(*map);
  return ir::make<ir::TileLayoutNode>(iters_arg(call, 0), iters_arg(call, 1), offset);
}

Any offset_by_axis(ApiCall& call) {
  Map<Any, Any> offset;
  for (const auto& [name, value] : call.args[0].as<ir::TileLayoutNode>()->offset)
    offset.Set(ir::axis(view(name)), value);
  return offset;
}

Any compose_layout(ApiCall& call) {
  int64_t numbers[3];
  for (size_t i = 0; i < 3; ++i) numbers[i] = int_arg(call, i);
  auto* tile = call.args[3].as<ir::TileLayoutNode>();
  if (!tile) ir::wrong_argument(call, 3, "TileLayout");
  bool inner = bool_arg(call, 4);
  if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < numbers[1]) {
    throw ir::refuse(refusals["bad-swizzle"], numbers[1], numbers[0], numbers[2]).at(call.span);
  }
  return ir::make<ir::ComposeLayoutNode>(numbers[0], numbers[1], numbers[2], inner, ir::ref(tile));
}

Any iter(ApiCall& call) {
  return ir::make<ir::IterNode>(integer_arg(call, 0), integer_arg(call, 1),
                                axis_from(call.args[2], call.span_of(2)));
}

TileLayout tile_self(ApiCall& call) {
  if (auto* tile = call.args[0].as<ir::TileLayoutNode>()) return ir::ref(tile);
  throw ir::Error("no-attribute", "a swizzled layout has no `{}`", call.api.name)
      .at(call.span)
      .kind("AttributeError")
      .help("its `tile_layout` has");
}

std::optional<String> axis_name(ApiCall& call, size_t i) {
  if (!is_given(call, i)) return std::nullopt;
  return axis_from(call.args[i], call.span_of(i))->name;
}

// The layout divided along a shape, as it is or in its shortest form; nullopt where it does not divide.
std::optional<ir::Grouped> grouped_for(const Layout& layout, const Array<Expr>& coordinate,
                                       const Array<Expr>& shape) {
  if (coordinate.size() != shape.size()) return std::nullopt;
  for (bool shortest : {false, true}) {
    try {
      return ir::group(ir::tile_of(shortest ? ir::canonicalize(layout) : layout), shape);
    } catch (const ir::Error&) {
      continue;
    }
  }
  return std::nullopt;
}
// In a scope of the target, where threads of CUDA have one number.
Any shortest(ApiCall& call) {
  Layout layout = layout_self(call);
  const std::vector<ir::Target>& targets = ir::Context::current().targets;
  std::string_view kind = targets.empty() ? "" : ir::view(targets.back()->kind);
  bool is_cuda = kind == "cuda" || kind == "nvptx";
  return ir::canonicalize(is_cuda ? ir::join_thread_axes(layout) : layout);
}
Any apply(ApiCall& call) {
  Layout layout = layout_self(call);
  TileLayout tile = ir::tile_of(layout);
  Array<Expr> coordinate = exprs_arg(call, 1);
  if (is_given(call, 2)) {
    Array<Expr> shape = exprs_arg(call, 2);
    if (std::optional<ir::Grouped> grouped = grouped_for(layout, coordinate, shape)) {
      // Below a swizzle a dimension of one element has no coordinate but 0.
      for (int64_t i = 0; layout.as<ir::ComposeLayoutNode>() && i < static_cast<int64_t>(shape.size()); ++i) {
        if (ir::is_const_int(shape[i], 1)) coordinate.Set(i, ir::const_like(coordinate[i], 0));
      }
      coordinate = grouped_coordinate(*grouped, coordinate);
      layout = ir::with_tile(layout, grouped->layout);
    } else {
      coordinate = ir::split_coordinate(tile, ir::linear_coordinate(coordinate, shape));
    }
  } else if (coordinate.size() == 1) {
    coordinate = ir::split_coordinate(tile, coordinate[0]);
  }
  auto simplify = [&](const Expr& e) { return call.host.simplify(e); };
  auto values = ir::apply(layout, coordinate, simplify);
  Map<String, Expr> result;
  for (size_t i = values.size(); i-- > 0;)
    result.Set(values[i].first, ir::simplified(values[i].second, simplify));
  return result;
}

Any group(ApiCall& call) {
  ir::Grouped grouped = ir::group(tile_self(call), exprs_arg(call, 1));
  return Array<Any>{Any(grouped.layout), tuple_of(grouped.separators)};
}

std::vector<int64_t> ints_arg(ApiCall& call, size_t i) {
  std::vector<int64_t> all;
  for (const Any& one : items(call.args[i], call.span_of(i))) {
    if (!script::is_int(one)) ir::wrong_argument(call, i, "a list of ints");
    all.push_back(script::raw_int(one));
  }
  return all;
}

void check_permutation(ApiCall& call, size_t i, std::span<const int64_t> order, size_t size) {
  if (is_permutation(order, size)) return;
  throw ir::refuse(refusals["not-a-permutation"], call.api.params[i].name, size).at(call.span_of(i));
}

Any permute_dims(ApiCall& call) {
  TileLayout tile = tile_self(call);
  std::vector<int64_t> order = ints_arg(call, 1);
  check_permutation(call, 1, order, tile->shard.size());
  return ir::permute_iters(tile, order);
}

Any permute_by_groups(ApiCall& call) {
  TileLayout tile = tile_self(call);
  std::vector<int64_t> order = ints_arg(call, 2);
  ir::Grouped grouped{tile, ints_arg(call, 1)};
  check_permutation(call, 2, order, grouped.separators.size() - 1);
  return ir::permute_groups(grouped, order);
}

TileLayout tile_arg(ApiCall& call, size_t i) {
  if (auto* tile = call.args[i].as<ir::TileLayoutNode>()) return ir::ref(tile);
  ir::wrong_argument(call, i, "a TileLayout");
}

// A function of the layout and of the arguments, each of which has its reader.
template <auto kFunction, auto... kReaders>
Any of_layout(ApiCall& call) {
  return [&]<size_t... I>(std::index_sequence<I...>)->Any {
    return kFunction(layout_self(call), kReaders(call, I + 1)...);
  }
  (std::make_index_sequence<sizeof...(kReaders)>());
}

Any tile_to(ApiCall& call) {
  Array<Expr> wanted = exprs_arg(call, 1);
  Array<Expr> current = exprs_arg(call, 2);
  if (wanted.size() != current.size()) ir::wrong_argument(call, 2, "a shape of as many dimensions");
  Array<Expr> outer;
  for (int64_t i = 0; i < static_cast<int64_t>(wanted.size()); ++i)
    outer.push_back(ir::floordiv(wanted[i], current[i]));
  return ir::tile(layout_self(call), ir::default_layout(outer), outer, current);
}

Any slice(ApiCall& call) {
  Array<Expr> shape = exprs_arg(call, 1);
  Array<ir::Range> region;
  for (const Any& one : items(call.args[2], call.span_of(2))) {
    if (auto* range = one.as<ir::RangeNode>()) {
      region.push_back(ir::ref(range));
      continue;
    }
    std::vector<Any> ends = items(one, call.span_of(2));
    if (ends.size() != 2) ir::wrong_argument(call, 2, "pairs of a begin and an end");
    Expr begin = integer(ends[0], call.span_of(2), "a begin");
    region.push_back(
        ir::make<ir::RangeNode>(begin, ir::difference(integer(ends[1], call.span_of(2), "an end"), begin)));
  }
  if (region.size() != shape.size()) ir::wrong_argument(call, 2, "a range for each dimension");
  ir::Layout part = ir::slice(layout_self(call), shape, region);
  return part ? Any(part) : Any(nullptr);
}

std::span<const ir::ApiRow> layout_table() {
  static std::deque<std::string> text;
  static std::vector<ir::ApiRow> rows;
  if (!rows.empty()) return rows;
  using ir::ApiKind;
  auto module = [](ApiKind kind, std::string_view signature, std::string_view doc, ir::Native body,
                   std::string_view type = {}, std::string_view shown = {}) {
    rows.push_back({kind, kLayoutModule, signature, doc, body, type, shown});
    rows.push_back({kind, kT, signature, doc, body, type, shown});
  };
  module(
      ApiKind::kValue, "S", "Extents and strides of a layout: `T.S[(8, 4):(4 @ Axis.laneid, 1)]`.",
      +[](ApiCall&) -> Any { return ir::make<BracketsNode>(false); });
  module(
      ApiKind::kValue, "R", "Extents and strides of the copies of a layout: `T.R[2:1 @ Axis.warpid]`.",
      +[](ApiCall&) -> Any { return ir::make<BracketsNode>(true); });
  module(ApiKind::kClass, "TileLayout(spec)",
         "Where the elements of a buffer lie: extents, strides, copies, offset.", tile_layout,
         "mlc.tirx.TileLayout", "tvm.tirx.layout.TileLayout");
  module(ApiKind::kClass,
         "ComposeLayout(per_element, swizzle_len, atom_len, tile_layout, swizzle_inner=True)",
         "A tile layout whose addresses are permuted by xor.", compose_layout, "mlc.tirx.ComposeLayout",
         "tvm.tirx.layout.ComposeLayout");
  module(ApiKind::kClass, "Iter(extent, stride, axis)", "Steps along an axis.", iter, "mlc.tirx.Iter",
         "tvm.tirx.layout.Iter");
  for (std::string_view owner :
       {std::string_view("tvm.tirx.layout.TileLayout"), std::string_view("tvm.script.tirx.TileLayout")}) {
    rows.push_back({ApiKind::kFunction, owner, "from_iters(shard=(), replica=(), offset=None)",
                    "A layout from iterators.", from_iters});
  }
  rows.push_back({ApiKind::kClass, kLayoutModule, "Axis(*args, **kwargs)", "The axes of layouts, by name.",
                  +[](ApiCall& call) -> Any {
                    throw ir::Error("not-constructible", "an axis is not constructed, it is named")
                        .at(call.span)
                        .kind("RuntimeError")
                        .help("write `Axis.laneid` or `Axis.get(\"laneid\")`");
                  },
                  kAxis, "tvm.tirx.layout.Axis"});
  rows.push_back({ApiKind::kFunction, "tvm.tirx.layout.Axis", "get(name)", "The axis of that name.",
                  +[](ApiCall& call) -> Any { return ir::axis(view(str_arg(call, 0))); }});
  for (const ir::AxisFacts& facts : ir::axis_facts()) {
    for (std::string_view owner : {std::string_view("tvm.tirx.layout.Axis"), kLayoutModule}) {
      rows.push_back({ApiKind::kValue, owner, facts.name, "An axis.",
                      +[](ApiCall& call) -> Any { return ir::axis(call.api.name); }});
    }
  }
  auto method = [](std::string_view type, std::string_view signature, std::string_view doc, ir::Native body,
                   ApiKind kind = ApiKind::kMethod) {
    rows.push_back({kind, type, signature, doc, body});
  };
  method(kBrackets, "__getitem__(key)", "Extents, or extents and strides.", brackets);
  method(kSpec, "__add__(other)", "With more parts.", add_spec);
  method(kSpec, "__radd__(other)", "With more parts.", add_spec);
  method(kOffset, "__add__(other)", "The sum of offsets.", add_offset);
  method(kOffset, "__radd__(other)", "The sum of offsets.", add_offset);
  method(
      kAxis, "__repr__()", "The name, as a field.", +[](ApiCall& call) -> Any {
        return String(fmt::format("tirx.Axis(name=\"{}\")", call.args[0].as<ir::AxisNode>()->name.c_str()));
      });
  method(kAxis, "__rmatmul__(value)", "A value on this axis: `4 @ Axis.laneid`.", on_axis);
  method(
      kAxis, "is_thread()", "Does it count threads?",
      +[](ApiCall& call) -> Any { return ir::is_thread_axis(call.args[0].cast<ir::Axis>()); });
  method(
      kAxis, "is_memory()", "Does it count elements of memory?", +[](ApiCall& call) -> Any {
        const ir::AxisFacts* facts = ir::axis_facts(call.args[0].as<ir::AxisNode>());
        return facts && !facts->is_thread;
      });
  method(kLayout, "size(axis_name=None)", "The number of elements.", of_layout<ir::size_of, axis_name>);
  method(kLayout, "span(axis_name=None)", "One more than the largest coordinate.",
         of_layout<ir::span_of, axis_name>);
  method(kLayout, "apply(*coord, shape=None)", "The coordinates of an element, by axis.", apply);
  method(kLayout, "canonicalize()",
         "The same layout in its shortest form; under a target of CUDA with one axis of threads.", shortest);
  method(kLayout, "storage()", "The part that is memory of one thread.", of_layout<ir::storage_of>);
  method(kLayout, "unpack(num)", "Every element becomes `num` neighbours.", of_layout<ir::unpack, int_arg>);
  method(kLayout, "pack(num)", "`num` neighbours become one element.", of_layout<ir::pack, int_arg>);
  method(
      kLayout, "broadcast(num, position=-1, axis=\"m\")", "With a dimension along which nothing moves.",
      +[](ApiCall& call) -> Any {
        return ir::broadcast(layout_self(call), int_arg(call, 1), int_arg(call, 2),
                             axis_from(call.args[3], call.span_of(3)));
      });
  method(
      kLayout, "is_trivial()", "Does element i lie at address i?",
      +[](ApiCall& call) -> Any { return ir::is_trivial(ir::canonicalize(layout_self(call))); });
  method(
      kLayout, "is_swizzle()", "Is it a swizzle of plain memory?", +[](ApiCall& call) -> Any {
        auto* compose = call.args[0].as<ir::ComposeLayoutNode>();
        return compose && ir::is_trivial(compose->tile_layout);
      });
  method(kLayout, "tile(outer, outer_shape, inner_shape)", "Every element of `outer` becomes this layout.",
         of_layout<ir::tile, tile_arg, exprs_arg, exprs_arg>);
  method(kLayout, "tile_to(to_shape, current_shape)", "Repeated row by row until the shape is filled.",
         tile_to);
  method(kLayout, "direct_sum(left, left_shape, right_shape)",
         "The sum of both over the product of their shapes.",
         of_layout<ir::direct_sum, tile_arg, exprs_arg, exprs_arg>);
  rows.push_back(
      {ApiKind::kProperty, "mlc.tirx.TileLayout", "offset", "Where it begins, by axis.", offset_by_axis});
  method(kLayout, "slice(shape, region)", "The layout of a box, or None.", slice);
  method(
      kLayout, "verify_well_formed()", "Layouts are checked where they are made.", +[](ApiCall& call) -> Any {
        ir::scope_of(ir::tile_of(layout_self(call)));
        return true;
      });
  module(
      ApiKind::kClass, "Layout()", "Any layout.",
      +[](ApiCall& call) -> Any {
        throw ir::Error("not-constructible", "a layout is made by `TileLayout` or `ComposeLayout`")
            .kind("TypeError")
            .at(call.span);
      },
      kLayout, "tvm.tirx.layout.Layout");
  method(kLayout, "group(shape)", "The iterators split along a shape, and where each dimension begins.",
         group);
  method(kLayout, "permute_dims(perm)", "The iterators in another order.", permute_dims);
  method(kLayout, "permute_by_groups(seps, perm)", "Groups of iterators in another order.",
         permute_by_groups);
  module(
      ApiKind::kFunction, "wg_local_layout(cols, rows=128)", "A row for each thread of a warpgroup.",
      +[](ApiCall& call) -> Any {
        Array<Iter> shard{ir::make<ir::IterNode>(integer_arg(call, 1), ir::int32(1), ir::axis("tid_in_wg")),
                          ir::make<ir::IterNode>(integer_arg(call, 0), ir::int32(1), ir::memory_axis())};
        return ir::make<ir::TileLayoutNode>(shard);
      });
  return rows;
}

}  // namespace

std::span<const ir::ApiRow> layout_rows() { return layout_table(); }

}  // namespace mlc::tvmscript
