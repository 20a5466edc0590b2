// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/reshape_pattern.h"

#include <algorithm>

#include "transform/arith/iter_map.h"
#include "transform/arith/simplify.h"

namespace mlc::transform {
namespace {

// The position of an element in row-major order.
Expr flat_index(const Buffer& buffer, const Array<Expr>& indices) {
  Expr index = const_like(indices.empty() ? Expr(int32(0)) : indices[0], 0);
  for (size_t i = 0; i < indices.size(); ++i)
    index = ir::add(ir::mul(index, buffer->buffer()->shape[i]), indices[i]);
  return index;
}

class Detect {
 public:
  Detect(Buffer source, Buffer result) : source_(std::move(source)), result_(std::move(result)) {}

  bool run(const Stmt& s) {
    if (auto* loop = as<ForNode>(s)) {
      analyzer_.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      return run(loop->body);
    }
    auto* realize = as<SBlockRealizeNode>(s);
    if (!realize) return false;
    const SBlock& block = realize->block;
    for (const IterVar& iter : block->iter_vars) {
      if (iter->iter_type != IterType::kDataPar) return false;
    }
    if (as<ForNode>(block->body) || as<SBlockRealizeNode>(block->body)) return run(block->body);
    return is_copy(block);
  }

 private:
  bool is_copy(const SBlock& block) {
    auto* store = as<BufferStoreNode>(block->body);
    auto* load = store ? as<TensorLoadNode>(store->value) : nullptr;
    if (!load || !store->buffer.same_as(result_) || !load->source.same_as(source_)) return false;
    Expr read = flat_index(source_, load->indices);
    Expr written = flat_index(result_, store->indices);
    if (differ_at_a_point(block, read, written)) return false;
    for (const IterVar& iter : block->iter_vars) analyzer_.bind(iter->var, iter->dom);
    if (analyzer_.can_prove_equal(read, written)) return true;
    return same_of_position(block, read, written);
  }

  // Most copies that are no reshape, such as transpositions, differ at the first point that is tried: without proofs.
  static bool differ_at_a_point(const SBlock& block, const Expr& read, const Expr& written) {
    ir::VarMap point;
    int64_t next = 1;
    for (const IterVar& iter : block->iter_vars) {
      if (!is_const_int(iter->dom->min, 0)) return false;
      int64_t value = next++;
      if (auto extent = const_int(iter->dom->extent)) {
        if (*extent <= 0) return false;
        value = std::min(value, *extent - 1);
      }
      point[iter->var.get()] = const_like(iter->var, value);
    }
    auto add_sizes = [&](const Expr& e) {
      for (const Var& var : ir::free_vars(e)) {
        if (!var->buffer()) point.try_emplace(var.get(), const_like(var, 97 + 10 * next++));
      }
    };
    auto at_point = [&](const Expr& e) { return const_int(simplify(ir::substitute(e, point))); };
    for (const IterVar& iter : block->iter_vars) add_sizes(iter->dom->extent);
    add_sizes(read);
    add_sizes(written);
    for (const IterVar& iter : block->iter_vars) {  // is it a point of the block?
      auto extent = at_point(iter->dom->extent), value = const_int(point.at(iter->var.get()));
      if (!extent || *value >= *extent) return false;
    }
    auto x = at_point(read), y = at_point(written);
    return x && y && *x != *y;
  }

  // Both as functions of the position in the block's iteration space.
  bool same_of_position(const SBlock& block, const Expr& read, const Expr& written) {
    if (block->iter_vars.empty()) return false;
    Var position = make<VarNode>("fused", block->iter_vars[0]->var->ty);
    ir::VarMap digits;
    Expr stride = const_like(position, 1);
    for (size_t i = block->iter_vars.size(); i-- > 0;) {
      const IterVar& iter = block->iter_vars[i];
      if (!is_const_int(iter->dom->min, 0) || is_const_int(iter->dom->extent, 0)) return false;
      digits[iter->var.get()] = ir::floormod(ir::floordiv(position, stride), iter->dom->extent);
      stride = ir::mul(stride, iter->dom->extent);
    }
    Range range = make<RangeNode>(const_like(position, 0), stride);
    analyzer_.bind(position, range);
    auto simplified = [&](const Expr& index) {
      Array<Expr> one{ir::substitute(index, digits)};
      return simplify_iter_map(one, {{position, range}}, bool_imm(true), IterMapCheck::kSurjective, analyzer_)[0];
    };
    return analyzer_.can_prove_equal(simplified(read), simplified(written));
  }

  Buffer source_, result_;
  Analyzer analyzer_;
};

}  // namespace

bool has_reshape_pattern(const PrimFunc& fn) {
  std::vector<Buffer> buffers;
  for (const Var& param : fn->params) {
    if (param->buffer()) buffers.push_back(param);
  }
  return buffers.size() >= 2 && Detect(buffers.front(), buffers.back()).run(fn->body);
}

}  // namespace mlc::transform
