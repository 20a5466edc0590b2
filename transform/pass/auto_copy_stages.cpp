// SPDX-License-Identifier: Apache-2.0
// Memory on the way of a copy: registers, fragments of tensor cores, and shared memory behind them.
#include "ir/core/walk_with.h"
#include "transform/arith/int_set.h"
#include "transform/pass/auto_copy.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {
namespace {

// How far one variable moves an index: what `//`, `%` and `*` around it make of its extent. Null: nowhere.
class Reach {
 public:
  struct Part {
    Expr value;
    int64_t extent;
  };
  std::vector<Part> parts;
  bool known = true;

  Reach(const std::unordered_map<const VarNode*, int64_t>& extents) : extents_(extents) {}

  void visit(const Expr& e) {
    if (auto* var = as<VarNode>(e)) return leaf(var);
    auto* b = as_binary(e);
    if (!b) {
      known = known && as<IntImmNode>(e);
      return;
    }
    if (b->kind == ExprKind::kAdd || b->kind == ExprKind::kSub) {
      visit(b->a);
      visit(b->b);
      return;
    }
    auto by = const_int(b->b);
    if (by &&
        (b->kind == ExprKind::kMul || b->kind == ExprKind::kFloorDiv || b->kind == ExprKind::kFloorMod)) {
      around_.push_back({b->kind, *by});
      visit(b->a);
      around_.pop_back();
      return;
    }
    known = false;
  }

 private:
  const std::unordered_map<const VarNode*, int64_t>& extents_;
  std::vector<std::pair<ExprKind, int64_t>> around_;

  void leaf(const VarNode* var) {
    auto found = extents_.find(var);
    if (!known || found == extents_.end()) return;
    Expr value = Expr(ref(var));
    // The values are multiples of end / extent below `end`.
    int64_t extent = found->second, end = extent;
    for (size_t i = around_.size(); i-- > 0;) {
      auto [kind, by] = around_[i];
      value = build(kind, value, Expr(const_like(value, by)));
      if (kind == ExprKind::kMul) {
        end *= by;
      } else if (kind == ExprKind::kFloorDiv) {
        if (end % by == 0) {
          end /= by;
          extent = std::min(extent, end);
        } else if (by % end == 0) {
          extent = end = 1;
        } else {
          known = false;
          return;
        }
      } else {
        int64_t step = end / extent;
        if (step % by == 0) {
          extent = end = 1;
        } else if (by % step == 0) {
          extent = std::min(extent, by / step);
          end = std::min(end, by);
        } else {
          known = false;
          return;
        }
      }
    }
    if (extent > 1) parts.push_back({floordiv(value, Expr(const_like(value, end / extent))), extent});
  }
};

// Where an element is in a buffer that holds what `loops` run over: by the indices, or one index
// for each loop.
struct Place {
  Array<Expr> shape, indices;
};
Place by_loops(const std::vector<For>& loops) {
  Place place;
  for (const For& loop : loops) {
    place.shape.push_back(loop->extent);
    place.indices.push_back(Expr(loop->loop_var));
  }
  return place;
}
Place by_indices(const Array<Expr>& indices, const std::vector<For>& loops) {
  std::unordered_map<const VarNode*, int64_t> extents;
  for (const For& loop : loops) {
    auto extent = const_int(loop->extent);
    if (!extent) return by_loops(loops);
    extents.emplace(loop->loop_var.get(), *extent);
  }
  Place place;
  for (const Expr& index : indices) {
    Reach reach(extents);
    reach.visit(index);
    if (!reach.known) return by_loops(loops);
    Expr at = const_like(index, 0);
    int64_t extent = 1;
    for (const auto& part : reach.parts) {
      at = at * part.extent + part.value;
      extent *= part.extent;
    }
    place.shape.push_back(const_like(index, extent));
    place.indices.push_back(at);
  }
  return place;
}

Buffer stage_of(const Buffer& buffer, DataType dtype, std::string_view scope, const Array<Expr>& shape) {
  std::string name = std::string(buffer->name) + "_" + std::string(scope);
  std::replace(name.begin(), name.end(), '.', '_');
  return new_buffer(name, dtype, scope, shape);
}

// The loops with fresh variables, and the substitution of these for the old ones.
std::vector<For> renamed(const std::vector<For>& loops, VarMap& values, bool serial) {
  std::vector<For> result;
  for (const For& loop : loops) {
    Var var = with_suffix(loop->loop_var, "_cache");
    values.emplace(loop->loop_var.get(), Expr(var));
    result.push_back(with(loop, [&](ForNode& n) {
      n.loop_var = var;
      if (serial) {
        n.for_kind = ForKind::kSerial;
        n.thread_binding = IterVar();
      }
    }));
  }
  return result;
}

Array<Expr> substituted(const Array<Expr>& exprs, const VarMap& values) {
  Array<Expr> result;
  for (const Expr& e : exprs) result.push_back(substitute(e, values));
  return result;
}

// The last two loops in tiles: the tile loops outside, the loops of a tile innermost.
CopyLoops tiled(const Stmt& body, int64_t size) {
  CopyLoops nest = copy_loops(body);
  size_t n = nest.loops.size();
  bool fits = n >= 2;
  for (size_t i = n < 2 ? n : n - 2; i < n; ++i)
    fits = fits && const_int(nest.loops[i]->extent) && *const_int(nest.loops[i]->extent) % size == 0;
  if (!fits)
    throw refuse_as(pass_refusals["auto-copy"],
                    "tensor cores copy tiles of {} by {}, which the last two loops do not count", size, size)
        .kind("InternalError")
        .at(nest.store->span);
  std::vector<For> inner, all(nest.loops.begin(), nest.loops.end() - 2);
  VarMap values;
  for (size_t i = n - 2; i < n; ++i) {
    const For& loop = nest.loops[i];
    Var tile = with_suffix(loop->loop_var, "_0"), within = with_suffix(loop->loop_var, "_1");
    values.emplace(loop->loop_var.get(), Expr(tile) * size + Expr(within));
    Expr count = const_like(loop->extent, *const_int(loop->extent) / size);
    Expr zero = const_like(loop->extent, 0), width = const_like(loop->extent, size);
    all.push_back(make<ForNode>(tile, zero, count, ForKind::kSerial, no_op()));
    inner.push_back(make<ForNode>(within, zero, width, ForKind::kSerial, no_op()));
  }
  all.insert(all.end(), inner.begin(), inner.end());
  Stmt store = substitute(Stmt(nest.store), values);
  return {all, ref(as<BufferStoreNode>(store)), {}};
}

// What the innermost two loops touch.
TensorRegion tile_of(const Buffer& buffer, const Array<Expr>& indices, const std::vector<For>& loops) {
  Analyzer analyzer;
  Domains domains;
  for (size_t i = loops.size() - 2; i < loops.size(); ++i) {
    const For& loop = loops[i];
    domains.emplace(loop->loop_var.get(), interval_of(make<RangeNode>(loop->min, loop->extent), analyzer));
  }
  Array<Range> region;
  for (const Expr& index : indices) {
    IntervalSet values = interval_of(index, domains, analyzer);
    region.push_back(
        make<RangeNode>(values->min_value, analyzer.simplify(values->max_value - values->min_value + 1)));
  }
  return make<TensorRegionNode>(buffer, region);
}

// A tile under a name of its own.
Buffer view(const Buffer& buffer, const char* name, int64_t size, const Array<Expr>& strides) {
  const BufferTypeNode* type = buffer->buffer();
  Expr offset = make_var(String(std::string(name) + "_elem_offset"), DataType::Int(32));
  Type view_type =
      make<BufferTypeNode>(type->dtype, type->storage_scope,
                           Array<Expr>{Expr(int32(size)), Expr(int32(size))}, strides, offset, 64, size);
  return make<VarNode>(String(name), view_type);
}

struct Tile {
  TensorRegion read, write;
  Buffer source, target;
};
Tile tile_between(const CopyLoops& tiles, int64_t size, bool strided_source) {
  auto* load = as<TensorLoadNode>(tiles.store->value);
  if (!load)
    throw refuse_as(pass_refusals["auto-copy"], "tensor cores copy what they read as it is")
        .at(tiles.store->span);
  Array<Expr> strides{Expr(make_var("s1", DataType::Int(32))), Expr(make_var("s0", DataType::Int(32)))};
  const Buffer& from = load->source;
  const Buffer& to = tiles.store->buffer;
  return {tile_of(from, load->indices, tiles.loops), tile_of(to, tiles.store->indices, tiles.loops),
          view(from, "src", size, strided_source ? strides : Array<Expr>{}),
          view(to, "tgt", size, strided_source ? Array<Expr>{} : strides)};
}

Stmt tile_block(const char* name, const Tile& tile, const Stmt& body) {
  SBlock block =
      make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{tile.read}, Array<TensorRegion>{tile.write},
                       String(name), body, nullptr, Array<Buffer>{},
                       Array<MatchBufferRegion>{make<MatchBufferRegionNode>(tile.source, tile.read),
                                                make<MatchBufferRegionNode>(tile.target, tile.write)});
  return make<SBlockRealizeNode>(Array<Expr>{}, Expr(bool_imm(true)), block);
}

// load_matrix_sync or store_matrix_sync of a fragment; `mode` is 1 for reads and 2 for writes.
Stmt matrix_sync(const char* name, const Buffer& fragment, const Buffer& memory, int mode,
                 const char* layout) {
  const Expr& offset = fragment->buffer()->elem_offset;
  const BufferTypeNode* type = memory->buffer();
  Expr number =
      floordiv(offset, Expr(int32(256))) + floordiv(floormod(offset, Expr(int32(256))), Expr(int32(16)));
  Expr pointer = call_op(DataType::Handle(), "tirx.tvm_access_ptr",
                         {call_op(type->dtype, "tirx.type_annotation", {}), data_of(memory),
                          type->elem_offset, type->strides[0] * 16, Expr(int32(mode))});
  return make<EvaluateNode>(
      call_op(DataType::Void(), name,
              {data_of(fragment), Expr(int32(16)), Expr(int32(16)), Expr(int32(16)), number, pointer,
               type->strides[0], Expr(make<StringImmNode>(String(layout)))}));
}

Stmt stored_tile(const CopyLoops& tiles, int64_t size) {
  Tile tile = tile_between(tiles, size, false);
  if (size == 16)
    return tile_block("wmma_store", tile,
                      matrix_sync("tirx.tvm_store_matrix_sync", tile.source, tile.target, 2, "row_major"));
  // Each thread of a warp holds two elements of 8 by 8.
  Var thread = make_var("tx", DataType::Int(32)), lane = make_var("vec", DataType::Int(32));
  Expr four = int32(4), two = int32(2), zero = int32(0), all = int32(32);
  Array<Expr> at{floordiv(Expr(thread), four), floormod(Expr(thread), four) * two + Expr(lane)};
  Stmt body = make<BufferStoreNode>(tile.target, Expr(make<TensorLoadNode>(tile.source, at)), at);
  body = make<ForNode>(lane, zero, two, ForKind::kVectorized, body);
  IterVar axis = make<IterVarNode>(make<RangeNode>(zero, all), thread, IterType::kThreadIndex, "threadIdx.x");
  return tile_block("mma_store", tile, make<AttrStmtNode>(Any(axis), "thread_extent", all, body));
}

std::vector<For> without_last_two(const std::vector<For>& loops) { return {loops.begin(), loops.end() - 2}; }

}  // namespace

MadeCopy through_registers(const Stmt& body) {
  CopyLoops nest = copy_loops(body, true);
  std::vector<For> threads, others;
  for (const For& loop : nest.loops)
    (loop->for_kind == ForKind::kThreadBinding ? threads : others).push_back(loop);
  const BufferStore& store = nest.store;
  auto* load = as<TensorLoadNode>(store->value);
  Place place = load ? by_indices(load->indices, others) : by_loops(others);
  const Buffer& target = store->buffer;
  Buffer stage = stage_of(target, target->buffer()->dtype, "local", place.shape);
  VarMap values;
  std::vector<For> before = renamed(others, values, false);
  Stmt fill =
      make<BufferStoreNode>(stage, substitute(store->value, values), substituted(place.indices, values));
  Stmt drain =
      make<BufferStoreNode>(target, Expr(make<TensorLoadNode>(stage, place.indices)), store->indices);
  return {in_loops(threads, 0,
                   seq({in_loops(before, 0, nest.guarded(fill, values)),
                        in_loops(others, 0, nest.guarded(drain))})),
          {stage}};
}

MadeCopy through_shared(const Stmt& body, int64_t size, const AutoCopy& copy) {
  CopyLoops tiles = tiled(body, size);
  // One row of tiles at a time; each warp has a part of its own.
  size_t outside = tiles.loops.size() - 3;
  std::vector<For> held;
  for (const For& loop : copy.outer) {
    if (loop->for_kind != ForKind::kThreadBinding) continue;
    std::string_view tag = text(loop->thread_binding->thread_tag);
    if (tag == "threadIdx.y" || tag == "threadIdx.z") held.push_back(loop);
  }
  held.insert(held.end(), tiles.loops.begin() + outside, tiles.loops.end());
  const TensorLoadNode* fragment = nullptr;
  post_order(tiles.store->value, [&](const Expr& e) {
    auto* load = as<TensorLoadNode>(e);
    if (load && load->source.same_as(copy.read->source)) fragment = load;
  });
  Place place = by_loops(held);
  const Buffer& source = fragment->source;
  Buffer stage = stage_of(source, source->buffer()->dtype, "shared.dyn", place.shape);

  BufferStore fill = make<BufferStoreNode>(stage, Expr(ref(fragment)), place.indices);
  std::vector<For> inside(tiles.loops.begin() + outside, tiles.loops.end());
  Stmt filled = in_loops(without_last_two(inside), 0, stored_tile({tiles.loops, fill, {}}, size));

  VarMap values;
  std::vector<For> drained = renamed(held, values, true);
  Expr old = ref(fragment), from_stage = make<TensorLoadNode>(stage, place.indices);
  Stmt drain = substitute(
      Stmt(with(tiles.store, [&](BufferStoreNode& n) { n.value = replaced(n.value, old, from_stage); })), values);
  Stmt both = seq({filled, coalesced(in_loops(drained, 0, drain), copy)});
  std::vector<For> around(tiles.loops.begin(), tiles.loops.begin() + outside);
  return {in_loops(around, 0, both), {stage}};
}

Stmt load_fragments(const Stmt& body) {
  CopyLoops tiles = tiled(body, 16);
  Tile tile = tile_between(tiles, 16, true);
  bool rows = text(tile.target->buffer()->storage_scope) == "wmma.matrix_a";
  Stmt load =
      matrix_sync("tirx.tvm_load_matrix_sync", tile.target, tile.source, 1, rows ? "row_major" : "col_major");
  return in_loops(without_last_two(tiles.loops), 0, tile_block("wmma_load", tile, load));
}

Stmt store_fragments(const Stmt& body) {
  CopyLoops tiles = tiled(body, 16);
  return in_loops(without_last_two(tiles.loops), 0, stored_tile(tiles, 16));
}

}  // namespace mlc::transform
