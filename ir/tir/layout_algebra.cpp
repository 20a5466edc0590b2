// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/layout_algebra.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "layout-does-not-fit"},
                                           {.name = "not-a-power-of-two",
                                            .kind = "AssertionError",
                                            .message = "a swizzled layout packs a power of two, not {}"},
                                       }};
MLC_REFUSALS(tir_layout_algebra, refusals);

namespace {

bool same(const Expr& a, const Expr& b) { return a.same_as(b) || constant_difference(a, b) == 0; }
bool is_one(const Expr& e) { return is_const_int(e, 1); }

template <class F>
TileLayout keep_iters(const TileLayout& layout, F&& keep) {
  auto filter = [&](const Array<Iter>& iters) {
    Array<Iter> kept;
    for (const Iter& iter : iters) {
      if (keep(iter->axis)) kept.push_back(iter);
    }
    return kept;
  };
  Map<String, Expr> offset;
  for (const auto& [key, value] : layout->offset) {
    if (keep(axis(view(key)))) offset.Set(key, value);
  }
  return make<TileLayoutNode>(filter(layout->shard), filter(layout->replica), offset);
}

[[noreturn]] void does_not_fit(const TileLayout& layout, const Array<Expr>& shape) {
  std::string extents, dims;
  for (const Iter& iter : layout->shard) {
    auto value = const_int(iter->extent);
    extents += (extents.empty() ? "" : ", ") + (value ? std::to_string(*value) : std::string("?"));
  }
  for (const Expr& dim : shape) {
    auto value = const_int(dim);
    dims += (dims.empty() ? "" : ", ") + (value ? std::to_string(*value) : std::string("?"));
  }
  throw ir::refuse_as(refusals["layout-does-not-fit"],
                      "a layout with extents ({}) cannot be grouped by shape ({})", extents, dims)
      .kind("InternalError")
      .help("each dimension must be made of whole iterators or of equal parts of one");
}

int64_t log2_of(int64_t count) {
  if (count <= 0 || (count & (count - 1)) != 0) {
    throw ir::refuse(refusals["not-a-power-of-two"], count);
  }
  int64_t bits = 0;
  while ((int64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace

Expr product(const Array<Expr>& extents) {
  Expr all = int32(1);
  for (const Expr& extent : extents) all = mul(all, extent);
  return all;
}

Expr widened(const Expr& e, const Expr& other) {
  if (other->dtype().bits() <= e->dtype().bits()) return e;
  auto value = const_int(e);
  return value ? Expr(int_imm(other->dtype(), *value)) : cast(other->dtype(), e);
}

Expr exact_quotient(const Expr& a, const Expr& b) {
  if (is_one(b)) return a;
  if (same(a, b)) return const_like(a, 1);
  if (auto* product = as<MulNode>(a)) {
    if (Expr part = exact_quotient(product->a, b)) return mul(part, product->b);
    if (Expr part = exact_quotient(product->b, b)) return mul(product->a, part);
  }
  LinearForm x = LinearForm::of(a);
  LinearForm y = LinearForm::of(b);
  int64_t divisor = y.constant;
  if (!y.is_constant()) {
    // One term divides one term: `n * 4` by `n * 2`.
    if (y.terms.size() != 1 || y.constant != 0 || x.terms.size() != 1 || x.constant != 0) return nullptr;
    if (!structural_equal(x.terms[0].first, y.terms[0].first)) return nullptr;
    int64_t factor = y.terms[0].second;
    if (x.terms[0].second % factor != 0) return nullptr;
    return int_imm(a->dtype(), x.terms[0].second / factor);
  }
  if (divisor == 0 || x.constant % divisor != 0) return nullptr;
  x.constant /= divisor;
  for (auto& [atom, factor] : x.terms) {
    if (factor % divisor != 0) return nullptr;
    factor /= divisor;
  }
  return x.is_constant() ? Expr(int_imm(a->dtype(), x.constant)) : x.expr();
}

TileLayout tile_of(const Layout& layout) {
  if (auto* compose = layout.as<ComposeLayoutNode>()) return compose->tile_layout;
  auto* tile = layout.as<TileLayoutNode>();
  MLC_CHECK(tile, "a layout of an unknown kind");
  return ref(tile);
}
Layout with_tile(const Layout& layout, TileLayout tile) {
  auto* compose = layout.as<ComposeLayoutNode>();
  if (!compose) return tile;
  return with(ref(compose), [&](ComposeLayoutNode& n) { n.tile_layout = std::move(tile); });
}

Layout storage_of(const Layout& layout) {
  return with_tile(layout,
                   keep_iters(tile_of(layout), [](const Axis& axis) { return !is_thread_axis(axis); }));
}

Expr size_of(const Layout& layout, const std::optional<String>& axis) {
  Expr size = int32(1);
  for (const Iter& iter : tile_of(layout)->shard) {
    if (!axis || view(iter->axis->name) == view(*axis)) size = mul(size, iter->extent);
  }
  return size;
}

Expr span_of(const Layout& layout, const std::optional<String>& axis) {
  Expr span = int32(1);
  auto counts = [&](const String& name, const AxisNode* known) {
    if (axis) return view(name) == view(*axis);
    const AxisFacts* facts = axis_facts(known);
    return facts && !facts->is_thread;
  };
  TileLayout tile = tile_of(layout);
  for (const Array<Iter>* iters : {&tile->shard, &tile->replica}) {
    for (const Iter& iter : *iters) {
      if (counts(iter->axis->name, iter->axis.get()))
        span = add(span, mul(sub(iter->extent, const_like(iter->extent, 1)), iter->stride));
    }
  }
  for (const auto& [key, value] : tile->offset) {
    if (counts(key, ir::axis(view(key)).get())) span = add(span, value);
  }
  return simplify_linear(span);
}

bool is_trivial(const Layout& layout) {
  auto* tile = layout.as<TileLayoutNode>();
  if (!tile || !tile->replica.empty()) return false;
  for (const auto& [key, value] : tile->offset) {
    if (!is_const_int(value, 0)) return false;
  }
  Expr stride = int32(1);
  for (int64_t i = static_cast<int64_t>(tile->shard.size()); i-- > 0;) {
    const Iter& iter = tile->shard[i];
    if (view(iter->axis->name) != "m") return false;
    if (!is_one(iter->extent) && !same(iter->stride, stride)) return false;
    stride = mul(stride, iter->extent);
  }
  return true;
}

Grouped group(const TileLayout& layout, const Array<Expr>& shape) {
  Grouped result;
  Array<Iter> shard;
  result.separators.push_back(0);
  int64_t dim = 0;
  Expr wanted = shape.empty() ? Expr() : shape[0];  // what the current dimension still needs
  auto close = [&] {
    result.separators.push_back(static_cast<int64_t>(shard.size()));
    if (++dim < count(shape)) wanted = shape[dim];
  };
  for (const Iter& iter : layout->shard) {
    Expr rest = iter->extent;
    while (dim < count(shape)) {
      bool used_up = is_one(rest);
      if (used_up && !is_one(wanted)) break;
      // Parts of both have the wider type.
      wanted = widened(wanted, rest);
      Expr whole = std::exchange(rest, widened(rest, wanted));
      if (Expr inner = exact_quotient(rest, wanted)) {
        // The dimension takes the outer part of what is left. One of extent one takes a part of extent one.
        shard.push_back(make<IterNode>(wanted, mul(iter->stride, inner), iter->axis));
        rest = inner;
        close();
        continue;
      }
      Expr more = exact_quotient(wanted, rest);
      if (!more) does_not_fit(layout, shape);
      shard.push_back(make<IterNode>(whole, iter->stride, iter->axis));
      wanted = more;
      rest = const_like(rest, 1);
    }
    if (!is_one(rest)) does_not_fit(layout, shape);
  }
  if (dim != count(shape)) does_not_fit(layout, shape);
  result.layout = make<TileLayoutNode>(shard, layout->replica, layout->offset);
  return result;
}

TileLayout permute_iters(const TileLayout& layout, std::span<const int64_t> order) {
  Array<Iter> shard;
  for (int64_t i : order) shard.push_back(layout->shard[i]);
  return make<TileLayoutNode>(shard, layout->replica, layout->offset);
}
TileLayout permute_groups(const Grouped& grouped, std::span<const int64_t> order) {
  std::vector<int64_t> flat;
  for (int64_t dim : order) {
    auto at = static_cast<size_t>(dim);
    for (int64_t i = grouped.separators[at]; i < grouped.separators[at + 1]; ++i) flat.push_back(i);
  }
  return permute_iters(grouped.layout, flat);
}

Layout unpack(const Layout& layout, int64_t count) {
  TileLayout tile = tile_of(layout);
  Array<Iter> shard;
  for (const Iter& iter : tile->shard)
    shard.push_back(make<IterNode>(iter->extent, iter->stride * count, iter->axis));
  shard.push_back(make<IterNode>(int32(count), int32(1), memory_axis()));
  TileLayout next = make<TileLayoutNode>(shard, tile->replica, tile->offset);
  auto* compose = layout.as<ComposeLayoutNode>();
  if (!compose) return next;
  int64_t bits = log2_of(count);
  return with(ref(compose), [&](ComposeLayoutNode& n) {
    n.per_element += bits;
    n.tile_layout = next;
  });
}

Layout pack(const Layout& layout, int64_t count) {
  TileLayout tile = tile_of(layout);
  auto refuse = [&](std::string_view why) {
    throw ir::refuse_as(refusals["layout-does-not-fit"], "a layout cannot be packed {} elements into one: {}",
                        count, why)
        .kind("AssertionError");
  };
  auto* compose = layout.as<ComposeLayoutNode>();
  int64_t bits = compose ? log2_of(count) : 0;
  if (compose && compose->per_element < bits) refuse("its swizzle permutes parts of them");
  if (tile->shard.empty()) refuse("it has no iterator");
  Iter inner = tile->shard.back();
  Expr extent = exact_quotient(inner->extent, const_like(inner->extent, count));
  if (!is_one(inner->stride)) refuse("its last iterator is not contiguous");
  if (!extent) refuse("its last iterator has another multiple of elements");
  if (is_thread_axis(inner->axis)) refuse("its last iterator runs over threads");
  Array<Iter> shard;
  for (int64_t i = 0; i + 1 < static_cast<int64_t>(tile->shard.size()); ++i) {
    const Iter& iter = tile->shard[i];
    shard.push_back(
        make<IterNode>(iter->extent, floordiv(iter->stride, const_like(iter->stride, count)), iter->axis));
  }
  shard.push_back(make<IterNode>(extent, int32(1), inner->axis));
  TileLayout next = make<TileLayoutNode>(shard, tile->replica, tile->offset);
  if (!compose) return next;
  return with(ref(compose), [&](ComposeLayoutNode& n) {
    n.per_element -= bits;
    n.tile_layout = next;
  });
}

Layout broadcast(const Layout& layout, int64_t count, int64_t position, const Axis& axis) {
  TileLayout tile = tile_of(layout);
  auto size = static_cast<int64_t>(tile->shard.size());
  int64_t at = std::clamp<int64_t>(position >= 0 ? position : size + 1 + position, 0, size);
  Array<Iter> shard(tile->shard.begin(), tile->shard.begin() + at);
  shard.push_back(make<IterNode>(int32(count), int32(0), axis));
  for (int64_t i = at; i < size; ++i) shard.push_back(tile->shard[i]);
  return with_tile(layout, make<TileLayoutNode>(shard, tile->replica, tile->offset));
}

Layout canonicalize(const Layout& layout) {
  TileLayout tile = tile_of(layout);
  std::vector<Iter> shard;
  for (const Iter& iter : tile->shard) {
    if (is_one(iter->extent)) continue;
    if (!shard.empty()) {
      const Iter& outer = shard.back();
      if (outer->axis.same_as(iter->axis) &&
          same(outer->stride, simplify_linear(mul(iter->extent, iter->stride)))) {
        shard.back() = make<IterNode>(mul(outer->extent, iter->extent), iter->stride, iter->axis);
        continue;
      }
    }
    shard.push_back(iter);
  }
  if (shard.empty() && !tile->shard.empty())
    shard.push_back(make<IterNode>(int32(1), int32(1), tile->shard[0]->axis));
  Map<String, Expr> offset;
  for (const auto& [key, value] : tile->offset) {
    if (!is_const_int(value, 0)) offset.Set(key, value);
  }
  // Copies have no order of their own.
  std::vector<Iter> replica(tile->replica.begin(), tile->replica.end());
  std::stable_sort(replica.begin(), replica.end(), [](const Iter& a, const Iter& b) {
    auto key = [](const Iter& i) {
      return std::tuple(view(i->axis->name), const_int(i->stride).value_or(INT64_MAX),
                        const_int(i->extent).value_or(INT64_MAX));
    };
    return key(a) < key(b);
  });
  TileLayout made = make<TileLayoutNode>(Array<Iter>(shard.begin(), shard.end()),
                                         Array<Iter>(replica.begin(), replica.end()), offset);
  scope_of(made);  // its threads form one chain of scopes
  return with_tile(layout, made);
}

namespace {

// The address under a swizzle: within blocks of 2^per_element elements nothing moves, of the block's number
// two fields of swizzle_len bits are xored.
Expr swizzled(const ComposeLayoutNode* layout, const Expr& address) {
  int64_t ones = (int64_t{1} << layout->swizzle_len) - 1;
  int64_t mask = layout->swizzle_inner ? ones << layout->atom_len : ones;
  Expr elements = const_like(address, int64_t{1} << layout->per_element);
  if (const_int(address)) {
    int64_t at = *const_int(address), block = at >> layout->per_element, field = block & mask;
    block ^= layout->swizzle_inner ? field >> layout->atom_len : field << layout->atom_len;
    return const_like(address,
                      (block << layout->per_element) | (at & ((int64_t{1} << layout->per_element) - 1)));
  }
  // Addresses are long; each is computed once.
  Var whole = make_var("compose_m", address->dtype()), block = make_var("compose_q", address->dtype());
  Expr field = bitwise_and(block, const_like(address, mask));
  Expr distance = const_like(address, layout->atom_len);
  Expr moved = layout->swizzle_inner ? shift_right(field, distance) : shift_left(field, distance);
  Expr number = bitwise_xor(block, moved);
  Expr base =
      layout->per_element == 0 ? number : shift_left(number, const_like(address, layout->per_element));
  Expr body = make<LetNode>(block, floordiv(whole, elements), add(base, floormod(whole, elements)));
  return make<LetNode>(whole, address, body);
}

// The most that `e`, a part of an address, can be, with 0 as the least; nothing where its form does not say
// it.
std::optional<int64_t> most_of(const Expr& e) {
  auto* mod = as<FloorModNode>(e);
  auto modulus = mod ? const_int(mod->b) : std::nullopt;
  if (modulus && *modulus > 0) return *modulus - 1;
  auto* div = as<FloorDivNode>(e);
  auto divisor = div ? const_int(div->b) : std::nullopt;
  auto most = divisor && *divisor > 0 ? most_of(div->a) : std::nullopt;
  if (most) return *most / *divisor;
  return std::nullopt;
}

// The same where every iterator steps through whole rows of 2^(per_element + atom_len) elements or stays in
// one, or divides one into steps: the row's number is then xored with the place in the row, and divisions of
// the whole address are gone. Null elsewhere.
Expr swizzled_by_rows(const ComposeLayoutNode* layout, const TileLayoutNode* tile, const Array<Expr>& parts) {
  if (!layout->swizzle_inner || layout->atom_len < layout->swizzle_len) return nullptr;
  int64_t row = int64_t{1} << (layout->per_element + layout->atom_len);
  Expr rows, place;
  int64_t most = 0, fixed = 0;  // of the place: the most that its variable part is, and the constant part
  auto add_to = [](Expr& sum, const Expr& value, int64_t scale) {
    Expr scaled = scale == 1 ? value : mul(value, const_like(value, scale));
    sum = sum ? add(sum, scaled) : scaled;
  };
  for (int64_t i = 0; i < count(parts); ++i) {
    const Iter& iter = tile->shard[i];
    if (view(iter->axis->name) != "m") continue;
    auto extent = const_int(iter->extent), stride = const_int(iter->stride);
    if (!extent || !stride || *stride < 0) return nullptr;
    if (*extent == 1) continue;
    if (auto at = const_int(parts[i])) {
      fixed += *at * *stride;
    } else if (*stride % row == 0) {
      add_to(rows, parts[i], *stride / row);
    } else if ((*extent - 1) * *stride < row) {
      add_to(place, parts[i], *stride);
      most += (*extent - 1) * *stride;
    } else if (row % *stride == 0) {
      Expr inner = const_like(parts[i], row / *stride);
      add_to(rows, floordiv(parts[i], inner), 1);
      add_to(place, floormod(parts[i], inner), *stride);
      most += row - *stride;
    } else {
      return nullptr;
    }
  }
  for (const auto& [key, value] : tile->offset) {
    if (view(key) != "m") continue;
    LinearForm sum = LinearForm::of(value);
    for (const auto& [atom, factor] : sum.terms) {
      if (factor % row == 0) {
        add_to(rows, atom, factor / row);
        continue;
      }
      auto bound = most_of(atom);
      if (!bound || factor < 0 || *bound * factor >= row) return nullptr;
      add_to(place, atom, factor);
      most += *bound * factor;
    }
    fixed += sum.constant;
  }
  if (most >= row) return nullptr;
  if (!rows && !place && fixed == 0 && parts.empty()) return nullptr;
  const Expr like = rows ? rows : place ? place : parts.empty() ? Expr(int32(0)) : parts[0];
  auto number = [&](int64_t value) -> Expr { return const_like(like, value); };
  int64_t whole = floor_div(fixed, row), ones = (int64_t{1} << layout->swizzle_len) - 1;
  fixed -= whole * row;
  // The constant part is apart from the variable one where it has no bit below it.
  if (fixed != 0 && most >= (fixed & -fixed)) return nullptr;
  place = place ? simplify_linear(place) : number(0);
  auto numbered = [&](int64_t first) {  // the rows, the first one being that
    Expr sum = rows ? rows : number(first);
    if (rows && first != 0) sum = add(sum, number(first));
    return simplify_linear(sum);
  };
  // Of the first row only the bits that are xored count.
  Expr bits = numbered(whole & ones);
  auto known = const_int(bits);
  Expr moved = known ? number((*known & ones) << layout->per_element)
                     : Expr(shift_left(bitwise_and(bits, number(ones)), number(layout->per_element)));
  rows = numbered(whole);
  Expr result = add(mul(rows, number(row)), bitwise_xor(place, moved));
  return fixed == 0 ? result : Expr(bitwise_xor(simplify_linear(result), number(fixed)));
}

}  // namespace

std::vector<std::pair<String, Expr>> apply(const Layout& layout, const Array<Expr>& parts,
                                           const Simplify& simplify) {
  TileLayout tile = tile_of(layout);
  if (parts.size() != tile->shard.size()) {
    throw Error("wrong-number-of-indices", "{} coordinate{} for a layout of {} iterator{}", parts.size(),
                parts.size() == 1 ? "" : "s", tile->shard.size(), tile->shard.size() == 1 ? "" : "s")
        .kind("InternalError")
        .help("give one linear coordinate, or `shape=`");
  }
  std::vector<std::pair<String, Expr>> result;
  auto add_to = [&](const String& name, const Expr& value) {
    for (auto& [key, sum] : result) {
      if (view(key) != view(name)) continue;
      sum = add(sum, value);
      return;
    }
    result.emplace_back(name, value);
  };
  auto* swizzle = layout.as<ComposeLayoutNode>();
  if (swizzle && swizzle->swizzle_len == 0) swizzle = nullptr;
  for (int64_t i = 0; i < count(parts); ++i) {
    const Iter& iter = tile->shard[i];
    bool stays = swizzle && is_one(iter->extent);  // counts nothing
    add_to(iter->axis->name, stays ? const_like(parts[i], 0) : mul(parts[i], iter->stride));
  }
  if (!swizzle && !tile->offset.empty()) {
    for (auto& [key, sum] : result) sum = simplified(sum, simplify);
  }
  for (const auto& [key, value] : tile->offset) add_to(key, value);
  if (swizzle) {
    for (auto& [key, value] : result) {
      if (view(key) != "m") continue;
      Expr by_rows = swizzled_by_rows(swizzle, tile.get(), parts);
      value = by_rows ? by_rows : swizzled(swizzle, value);
    }
  }
  return result;
}

Array<Expr> split_coordinate(const TileLayout& layout, const Expr& linear) {
  std::vector<Expr> parts(layout->shard.size());
  Expr rest = linear;
  for (size_t i = parts.size(); i-- > 0;) {
    const Expr& extent = layout->shard[static_cast<int64_t>(i)]->extent;
    parts[i] = i == 0 ? rest : floormod(rest, extent);
    if (i > 0) rest = floordiv(rest, extent);
  }
  return Array<Expr>(parts.begin(), parts.end());
}

Expr linear_coordinate(const Array<Expr>& coordinate, const Array<Expr>& shape) {
  if (coordinate.size() != shape.size()) {
    throw Error("wrong-number-of-indices", "{} coordinates for {} dimensions", coordinate.size(),
                shape.size());
  }
  Expr linear = int32(0);
  for (int64_t i = 0; i < count(shape); ++i) linear = add(mul(linear, shape[i]), coordinate[i]);
  return linear;
}

}  // namespace mlc::ir
