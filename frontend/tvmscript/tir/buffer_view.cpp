// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/tir/buffer_view.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "frontend/script/core/ir_values.h"
#include "frontend/tvmscript/device/layout_arguments.h"
#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-view"},
        {.name = "no-layout",
         .kind = "AttributeError",
         .message = "{} needs a layout, and `{}` has none",
         .help = "buffers of schedulable functions have no layout unless `layout=` gives one",
         .meaning = "A method asks where elements lie, and the buffer does not say: give it a layout."},
        {.name = "not-a-permutation",
         .kind = "AssertionError",
         .message = "a permutation names each of the {} dimensions of `{}` once"},
    }};
MLC_REFUSALS(tir_buffer_view, refusals);

namespace {

using ir::Iter;
using ir::Layout;
using ir::TileLayout;

bool is_placed_tensor_memory(const ir::BufferTypeNode* type) {
  return std::string_view(type->storage_scope.data(), type->storage_scope.size()) == "tmem" &&
         !type->allocated_addr.empty();
}

int64_t count_of(const auto& list) { return static_cast<int64_t>(list.size()); }

[[noreturn]] void bad_view(std::string message, Span span) {
  throw ir::refuse_as(refusals["bad-view"], "{}", message).at(span);
}

// `index` along a dimension as a distance in memory: split by the extents of its iterators.
Expr group_offset(std::span<const Iter> group, const Expr& index, Span span) {
  if (group.size() == 1) return ir::mul(index, group[0]->stride);
  Expr offset;
  Expr rest = index;
  for (size_t i = 0; i < group.size(); ++i) {
    Expr inner = ir::int32(1);
    for (size_t k = i + 1; k < group.size(); ++k) {
      if (!ir::const_int(group[k]->extent))
        bad_view("a dimension of several layout iterators needs constant extents", span);
      inner = ir::mul(inner, group[k]->extent);
    }
    Expr part = ir::is_const_int(inner, 1) ? rest : ir::floordiv(rest, inner);
    if (!ir::is_const_int(inner, 1)) rest = ir::floormod(rest, inner);
    Expr term = ir::mul(part, group[i]->stride);
    offset = offset ? ir::add(offset, term) : term;
  }
  return offset ? offset : Expr(ir::int32(0));
}

// An offset may move out of a swizzle when the swizzle repeats after it.
bool commutes(const Layout& layout, const Expr& offset) {
  auto* compose = layout.as<ir::ComposeLayoutNode>();
  if (!compose || compose->swizzle_len == 0) return true;
  int64_t period = int64_t{1} << (compose->per_element + compose->atom_len + compose->swizzle_len);
  return static_cast<bool>(ir::exact_quotient(offset, ir::const_like(offset, period)));
}

// A distance in elements of tensor memory as one in its columns of 32 bits.
Expr column_offset(const ir::BufferTypeNode* type, const Expr& elements, Span span) {
  Expr bits = ir::mul(elements, ir::const_like(elements, DataType(type->dtype).bits()));
  if (Expr columns = ir::exact_quotient(bits, ir::const_like(bits, 32))) return columns;
  bad_view("a part of tensor memory must begin at a column of 32 bits", span);
}

Expr rebuilt(Builder& builder, const Buffer& buffer, Array<Expr> shape, Array<Iter> shard,
             const TileLayout& grouped, const Expr& offset, Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  Layout layout = layout_of(buffer, "a view of a part", span);
  bool placed = is_placed_tensor_memory(type);
  Map<String, Expr> inside = grouped->offset;
  bool folds = placed || commutes(layout, offset);
  if (!folds) {
    auto known = inside.find(String("m"));
    inside.Set(String("m"), known == inside.end() ? offset : ir::add((*known).second, offset));
  }
  ViewChange change{std::move(shape),
                    ir::with_tile(layout, ir::make<ir::TileLayoutNode>(shard, grouped->replica, inside))};
  if (placed) {
    change.column_offset = column_offset(type, offset, span);
  } else if (folds) {
    change.elem_offset = ir::add(type->elem_offset, offset);
  }
  return declare_view(builder, buffer, std::move(change), span);
}

// The columns of tensor memory move with the view, its lanes cannot.
void check_tensor_memory(const ir::BufferTypeNode* type, std::span<const Iter> group, const Expr& start,
                         Span span) {
  if (type->allocated_addr.empty() || ir::is_const_int(start, 0)) return;
  for (const Iter& iter : group) {
    if (std::string_view(iter->axis->name.data(), iter->axis->name.size()) == "TCol") continue;
    throw ir::refuse_as(refusals["bad-view"],
                        "a part of tensor memory can begin at another column, not at another `{}`",
                        iter->axis->name.c_str())
        .at(span);
  }
}

std::vector<std::vector<std::string>> axes_of(std::string_view side) {
  std::vector<std::vector<std::string>> groups;
  std::string text(side);
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    bool grouped = text[at] == '(';
    size_t end = grouped ? text.find(')', at) : text.find_first_of(" \t", at);
    if (end == std::string::npos) end = text.size();
    std::istringstream names(text.substr(at + (grouped ? 1 : 0), end - at - (grouped ? 1 : 0)));
    std::vector<std::string> group;
    for (std::string name; names >> name;) group.push_back(name);
    groups.push_back(group);
    at = end + (grouped ? 1 : 0);
  }
  return groups;
}

}  // namespace

Layout layout_of(const Buffer& buffer, std::string_view what, Span span) {
  if (auto layout = buffer->buffer()->layout.as<Layout>(); layout && layout->defined()) return *layout;
  throw ir::refuse(refusals["no-layout"], what, buffer->name.c_str())
      .at(span)
      .note("the buffer is declared here", buffer->span);
}

Expr declare_view(Builder& builder, const Buffer& buffer, ViewChange change, Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  DataType dtype = change.dtype.value_or(type->dtype);
  if (is_placed_tensor_memory(type)) {
    Expr address = type->allocated_addr[0];
    if (change.column_offset) address = ir::add(address, change.column_offset);
    Type view_type =
        ir::make<ir::BufferTypeNode>(dtype, type->storage_scope, change.shape, Array<Expr>{}, ir::int32(0),
                                     type->data_alignment, 1, change.layout, Array<Expr>{address});
    return builder.declare(view_type, Expr(), span);
  }
  Type view_type = ir::make<ir::BufferTypeNode>(dtype, type->storage_scope, change.shape, type->strides,
                                                change.elem_offset ? change.elem_offset : type->elem_offset,
                                                type->data_alignment, type->offset_factor, change.layout);
  return builder.declare(view_type, script::ir_attribute(Expr(buffer), "data", span)->cast<Expr>(), span);
}

Expr reshaped(Builder& builder, const Buffer& buffer, Array<Expr> shape, Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  int64_t open = -1;
  Expr known = ir::int32(1);
  for (int64_t i = 0; i < count_of(shape); ++i) {
    if (!ir::is_const_int(shape[i], -1)) {
      known = ir::mul(known, shape[i]);
    } else if (open >= 0) {
      bad_view("only one dimension can be inferred from the others", span);
    } else {
      open = i;
    }
  }
  if (open >= 0) shape.Set(open, ir::floordiv(ir::product(type->shape), known));
  return declare_view(builder, buffer, {shape, type->layout}, span);
}

Expr permuted(Builder& builder, const Buffer& buffer, std::span<const int64_t> order, Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  if (!is_permutation(order, type->shape.size())) {
    throw ir::refuse(refusals["not-a-permutation"], type->shape.size(), buffer->name.c_str()).at(span);
  }
  Array<Expr> shape;
  for (int64_t dim : order) shape.push_back(type->shape[dim]);
  Layout layout = layout_of(buffer, "`permute`", span);
  TileLayout tile = ir::permute_groups(ir::group(ir::tile_of(layout), type->shape), order);
  return declare_view(builder, buffer, {shape, ir::with_tile(layout, tile)}, span);
}

Expr picked(Builder& builder, const Buffer& buffer, int64_t dim, const Expr& index, Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  auto at = ir::const_int(index);
  auto extent = ir::const_int(type->shape[dim]);
  if (at && (*at < 0 || (extent && *at >= *extent))) {
    throw ir::Error("index-out-of-range", "index {} is outside dimension {} of `{}`, which has extent {}",
                    *at, dim, buffer->name.c_str(), extent ? std::to_string(*extent) : "that is not known")
        .at(span)
        .kind("ValueError");
  }
  ir::Grouped grouped = ir::group(ir::tile_of(layout_of(buffer, "a view of a part", span)), type->shape);
  std::vector<Iter> iters(grouped.layout->shard.begin(), grouped.layout->shard.end());
  auto first = static_cast<size_t>(grouped.separators[static_cast<size_t>(dim)]);
  auto last = static_cast<size_t>(grouped.separators[static_cast<size_t>(dim) + 1]);
  std::span<const Iter> group(iters.data() + first, last - first);
  check_tensor_memory(type, group, index, span);
  Expr offset = group_offset(group, index, span);
  Array<Expr> shape;
  for (int64_t i = 0; i < count_of(type->shape); ++i) {
    if (i != dim) shape.push_back(type->shape[i]);
  }
  Array<Iter> shard;
  for (size_t i = 0; i < iters.size(); ++i) {
    if (i < first || i >= last) shard.push_back(iters[i]);
  }
  return rebuilt(builder, buffer, shape, shard, grouped.layout, offset, span);
}

Expr narrowed(Builder& builder, const Buffer& buffer, int64_t dim, const Expr& start, const Expr& length,
              Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  auto first_index = ir::const_int(start);
  auto count = ir::const_int(length);
  auto extent = ir::const_int(type->shape[dim]);
  if ((first_index && *first_index < 0) || (count && *count < 1) ||
      (first_index && count && extent && *first_index + *count > *extent)) {
    throw ir::Error("index-out-of-range", "{} elements from {} are no part of dimension {} of `{}`",
                    count ? std::to_string(*count) : "these",
                    first_index ? std::to_string(*first_index) : "there", dim, buffer->name.c_str())
        .at(span)
        .kind("ValueError");
  }
  ir::Grouped grouped = ir::group(ir::tile_of(layout_of(buffer, "a view of a part", span)), type->shape);
  std::vector<Iter> iters(grouped.layout->shard.begin(), grouped.layout->shard.end());
  auto begin = static_cast<size_t>(grouped.separators[static_cast<size_t>(dim)]);
  auto end = static_cast<size_t>(grouped.separators[static_cast<size_t>(dim) + 1]);
  if (begin == end) bad_view("a dimension without a layout iterator cannot be cut", span);
  const Iter outer = iters[begin];
  Expr inner = ir::int32(1);
  for (size_t i = begin + 1; i < end; ++i) inner = ir::mul(inner, iters[i]->extent);
  Expr first = ir::exact_quotient(start, inner);
  Expr whole = ir::exact_quotient(length, inner);
  if (!first || !whole) {
    throw ir::refuse_as(refusals["bad-view"],
                        "dimension {} of `{}` is made of several layout iterators: a part of it must begin "
                        "and end at multiples of the inner ones",
                        dim, buffer->name.c_str())
        .at(span);
  }
  check_tensor_memory(type, std::span<const Iter>(&outer, 1), first, span);
  Array<Expr> shape = type->shape;
  shape.Set(dim, length);
  Array<Iter> shard(iters.begin(), iters.end());
  shard.Set(static_cast<int64_t>(begin), ir::make<ir::IterNode>(whole, outer->stride, outer->axis));
  return rebuilt(builder, buffer, shape, shard, grouped.layout, ir::mul(first, outer->stride), span);
}

Expr rearranged(Builder& builder, const Buffer& buffer, std::string_view pattern,
                const std::map<std::string, int64_t>& sizes, Span span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  size_t arrow = pattern.find("->");
  if (arrow == std::string_view::npos) bad_view("a pattern has two sides: \"a b -> b a\"", span);
  auto from = axes_of(pattern.substr(0, arrow));
  auto to = axes_of(pattern.substr(arrow + 2));
  if (from.size() != type->shape.size()) {
    bad_view(fmt::format("the pattern has {} dimension{}, `{}` has {}", from.size(),
                         from.size() == 1 ? "" : "s", buffer->name.c_str(), type->shape.size()),
             span);
  }
  std::map<std::string, int64_t> extents;
  for (size_t i = 0; i < from.size(); ++i) {
    auto extent = ir::const_int(type->shape[static_cast<int64_t>(i)]);
    if (!extent) bad_view(fmt::format("dimension {} of `{}` is not constant", i, buffer->name.c_str()), span);
    int64_t product = 1;
    const std::string* open = nullptr;
    for (const std::string& name : from[i]) {
      auto given = sizes.find(name);
      if (given != sizes.end()) {
        extents[name] = given->second;
        product *= given->second;
      } else if (open != nullptr) {
        bad_view(fmt::format("give the size of `{}` or of `{}`", *open, name), span);
      } else {
        open = &name;
      }
    }
    if (product <= 0 || *extent % product != 0 || (open == nullptr && product != *extent))
      bad_view(fmt::format("the sizes multiply to {}, dimension {} has extent {}", product, i, *extent),
               span);
    if (open != nullptr) extents[*open] = *extent / product;
  }
  auto flat = [](const std::vector<std::vector<std::string>>& groups) {
    std::vector<std::string> all;
    for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
    return all;
  };
  std::vector<std::string> left = flat(from), right = flat(to);
  std::vector<int64_t> order;
  for (const std::string& name : right) {
    auto found = std::find(left.begin(), left.end(), name);
    if (found == left.end()) bad_view(fmt::format("`{}` stands on the right side only", name), span);
    order.push_back(found - left.begin());
  }
  if (left.size() != right.size()) bad_view("both sides of a pattern have the same axes", span);
  Array<Expr> split, merged;
  for (const std::string& name : left) split.push_back(ir::int32(extents[name]));
  for (const auto& group : to) {
    int64_t extent = 1;
    for (const std::string& name : group) extent *= extents[name];
    merged.push_back(ir::int32(extent));
  }
  Expr view = reshaped(builder, buffer, split, span);
  view = permuted(builder, as_buffer(view), order, span);
  return reshaped(builder, as_buffer(view), merged, span);
}

}  // namespace mlc::tvmscript
