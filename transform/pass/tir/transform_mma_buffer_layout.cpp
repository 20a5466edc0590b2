// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/function_target.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_transform_mma_buffer_layout {

static constexpr ir::Refusals refusals{kRefusedValue,
                                       {
                                           {.name = "mma-buffer", .message = "`{}` of scope `{}` {}"},
                                       }};
MLC_REFUSALS(tir_transform_mma_buffer_layout, refusals);

namespace {

constexpr char doc[] =
    R"(TransformMmaBufferLayout(): tiles of m16n8k8 matrix products become the registers of one thread.

    X = T.sblock_alloc_buffer((32, 16), scope="m16n8k8.matrixC")    X = T.sblock_alloc_buffer((2, 2, 2, 2), scope="local")
    X[i, j] = 0                         =>                          X[i // 16, j // 8, i % 16 // 8, j % 2] = 0
needs: the last two dimensions are constant and whole tiles: 32 x 8 of matrixA, 8 x 32 of matrixB, 16 x 8 of matrixC;
elements of matrixA and matrixB are moved by ldmatrix and mma alone.
keeps: what blocks say they read and write, in terms of the tiles.
Before blocks are lowered; after it nothing knows that the elements of a tile are spread over a warp.)";

// The last two dimensions count tiles of this size, and a thread holds so many elements of each.
struct Tile {
  std::string_view scope;
  int64_t rows, columns, held_rows, held_columns;
};
constexpr Tile tiles[] = {
    {"m16n8k8.matrixA", 32, 8, 4, 2},
    {"m16n8k8.matrixB", 8, 32, 1, 8},
    {"m16n8k8.matrixC", 16, 8, 2, 2},
};
const Tile* tile_of(const Buffer& buffer) {
  for (const Tile& tile : tiles) {
    if (tile.scope == text(buffer->buffer()->storage_scope)) return &tile;
  }
  return nullptr;
}

Error refusal(const Buffer& buffer, std::string_view why) {
  return refuse(refusals["mma-buffer"], buffer->name.c_str(), text(buffer->buffer()->storage_scope), why);
}

struct TransformMmaBuffers final : Rewriter {
  Analyzer analyzer;
  std::unordered_map<const VarNode*, Buffer> registers;

  Buffer registers_for(const Buffer& buffer, const Tile& tile) {
    const Array<Expr>& shape = buffer->buffer()->shape;
    if (shape.size() < 2) throw refusal(buffer, "has less than two dimensions");
    int64_t last = static_cast<int64_t>(shape.size()) - 1;
    auto rows = const_int(shape[last - 1]);
    auto columns = const_int(shape[last]);
    if (!rows || !columns || *rows % tile.rows != 0 || *columns % tile.columns != 0)
      throw refusal(buffer, fmt::format("is not made of tiles of {} x {}", tile.rows, tile.columns));
    Buffer next = with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) {
                              n.shape = Array<Expr>(shape.begin(), shape.end() - 2);
                              for (int64_t extent : {*rows / tile.rows, *columns / tile.columns,
                                                     tile.held_rows, tile.held_columns})
                                n.shape.push_back(int32(extent));
                              n.storage_scope = "local";
                              n.strides = {};
                              n.layout = {};
                            }));
    return registers[buffer.get()] = next;
  }

  // Where the thread that has element (i, j) of the tiles holds it.
  Array<Expr> place(const Buffer& buffer, const Array<Expr>& indices, Span span) {
    if (text(buffer->buffer()->storage_scope) != "m16n8k8.matrixC")
      throw refusal(buffer, "is accessed element by element").at(span);
    if (indices.size() != 2) throw refusal(buffer, "has more than two dimensions").at(span);
    Expr i = rewrite(indices[0]);
    Expr j = rewrite(indices[1]);
    auto at = [](const Expr& e, int64_t value) { return const_like(e, value); };
    Array<Expr> out;
    for (const Expr& index : {floordiv(i, at(i, 16)), floordiv(j, at(j, 8)),
                              floordiv(floormod(i, at(i, 16)), at(i, 8)), floormod(j, at(j, 2))})
      out.push_back(analyzer.simplify(index));
    return out;
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      auto found = registers.find(load->source.get());
      if (found != registers.end())
        return make<TensorLoadNode>(found->second, place(load->source, load->indices, e->span), e->span);
    } else if (auto* var = as<VarNode>(e)) {
      auto found = registers.find(var);
      if (found != registers.end()) return found->second;
    }
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) {
      Array<Buffer> allocated;
      bool changed = false;
      for (const Buffer& buffer : block->alloc_buffers) {
        const Tile* tile = tile_of(buffer);
        allocated.push_back(tile ? registers_for(buffer, *tile) : buffer);
        changed = changed || tile;
      }
      Stmt next = rewrite_children(s);
      if (!changed) return next;
      return with(ref(as<SBlockNode>(next)), [&](SBlockNode& n) { n.alloc_buffers = allocated; });
    }
    auto* store = as<BufferStoreNode>(s);
    auto found = store ? registers.find(store->buffer.get()) : registers.end();
    if (found == registers.end()) return rewrite_children(s);
    return make<BufferStoreNode>(found->second, rewrite(store->value),
                                 place(store->buffer, store->indices, s->span), s->span);
  }
};

}  // namespace

extern const Pass transform_mma_buffer_layout{
                                              "TransformMmaBufferLayout", "s_tir.transform",
                                              "TransformMmaBufferLayout()",
                                              doc, rewritten_by<TransformMmaBuffers>};

}  // namespace mlc::transform::pass_transform_mma_buffer_layout
