// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "ir/core/walk_with.h"
#include "transform/analysis/store_loops.h"

namespace mlc::transform {

namespace {

// Sizes that nothing bounds run over: they wrap around.
int64_t wrapping_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t wrapping_count(int64_t low, int64_t high) {
  return static_cast<int64_t>(static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1);
}

// What of a variable an index is a multiple of, as far as its first product and sum tell.
class Coefficient final : public Walker {
 public:
  explicit Coefficient(const VarNode* var) : var_(var) {}
  int64_t of(const Expr& index) {
    visit(index);
    return !seen_ ? 0 : multiplied_ || added_ ? value_ : 1;
  }
  void visit(const Expr& e) override {
    walk_children(e);
    if (e.get() == static_cast<const ExprNode*>(var_)) {
      seen_ = true;
      value_ = 2;  // inside of an expression that is no product and no sum
    }
    if (!seen_) return;
    if (e->kind == ExprKind::kAdd && !multiplied_) {
      added_ = true;
      value_ = 1;
    }
    if (e->kind != ExprKind::kMul || added_) return;
    auto* product = as_binary(e);
    auto* factor = as<IntImmNode>(product->a);
    if (!factor) factor = as<IntImmNode>(product->b);
    if (!factor) return;
    multiplied_ = true;
    value_ = factor->value;
  }

 private:
  const VarNode* var_;
  bool seen_ = false, multiplied_ = false, added_ = false;
  int64_t value_ = 0;
};

// The store's buffer first, then those that its value reads. One that is both read and written is met once:
// what follows says nothing new.
std::vector<BufferAccess> accesses_of(const BufferStoreNode& store) {
  std::vector<BufferAccess> all;
  auto touch = [&](const VarNode* buffer, const Array<Expr>& indices, AccessKind access) {
    auto known = std::ranges::find(all, buffer, &BufferAccess::buffer);
    if (known == all.end()) {
      all.push_back({buffer, access, {&indices}});
      return;
    }
    if (known->access == AccessKind::kWrite) known->access = AccessKind::kReadWrite;
    if (known->access != AccessKind::kReadWrite) known->indices.push_back(&indices);
  };
  touch(store.buffer.get(), store.indices, AccessKind::kWrite);
  post_order(store.value, [&](const Expr& e) {
    if (auto* load = as<TensorLoadNode>(e)) touch(load->source.get(), load->indices, AccessKind::kRead);
  });
  return all;
}

// TVM's analyzer, once told that a loop stands at its first value, goes on to take it for a multiple of that
// when it varies: `i % 4` stays what it is at first. So do features. The loops stand still here.
Expr without_remainders(const Expr& index, Analyzer& analyzer) {
  auto is_remainder = [](const Expr& e) {
    return e->kind == ExprKind::kFloorMod || e->kind == ExprKind::kMod;
  };
  if (!any_below(index, is_remainder)) return index;
  return rewrite_with(index, [&](const Expr& e, Rewriter& on) -> Expr {
    if (!is_remainder(e)) return on.rewrite_children(e);
    ModularSet residue = analyzer.modular_set(as_binary(e)->a);
    auto divisor = const_int(as_binary(e)->b);
    if (residue.coeff != 0 || !divisor || *divisor <= 0) return on.rewrite_children(e);
    return const_like(e, (residue.base % *divisor + *divisor) % *divisor);
  });
}

// The box around all accesses of a buffer; returns its elements.
int64_t set_shape(BufferAccess& access, Analyzer& analyzer) {
  int64_t numel = 1;
  size_t dims = access.bounded.front().size();
  access.shape.assign(dims, 0);
  for (size_t i = 0; i < dims; ++i) {
    int64_t low = ConstIntBound::kPosInf, high = ConstIntBound::kNegInf;
    for (const std::vector<Expr>& indices : access.bounded) {
      ConstIntBound bound = analyzer.const_int_bound(indices[i]);
      low = std::min(low, bound.min);
      high = std::max(high, bound.max);
    }
    access.shape[i] = wrapping_count(low, high);
    numel = wrapping_product(numel, access.shape[i]);
  }
  return std::max<int64_t>(numel, 0);
}

// Loops vary from the inner ones out: what each touches while those around it stand still. TVM's analyzer
// goes on to take a loop that varies for a multiple of what its first value is, so that `i % 4` is zero: so
// do features.
void set_regions(std::vector<BufferAccess>& all, const LoopNest& nest, std::vector<double>& loop_bytes,
                 Touched& touched, Analyzer& analyzer) {
  size_t loops = nest.all.size();
  loop_bytes.assign(loops, 0);
  for (const ForNode* loop : nest.all) {
    ModularSet first = analyzer.modular_set(loop->min);
    analyzer.bind(loop->loop_var, analyzer.const_int_bound(loop->min));
    analyzer.bind(loop->loop_var, first);
  }
  for (BufferAccess& access : all) {
    for (const Array<Expr>* indices : access.indices) {
      auto& bounded = access.bounded.emplace_back();
      for (const Expr& index : *indices) bounded.push_back(without_remainders(index, analyzer));
    }
  }
  if (loops == 0) {
    for (BufferAccess& access : all) set_shape(access, analyzer);
    return;
  }
  for (BufferAccess& access : all) access.loop_numel.assign(loops, 0);
  for (size_t i = loops; i-- > 0;) {
    const ForNode* loop = nest.all[i];
    ModularSet first = analyzer.modular_set(loop->min);
    analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    analyzer.bind(loop->loop_var, first);
    Numels& below = touched[loop];
    for (BufferAccess& access : all) {
      int64_t numel = set_shape(access, analyzer);
      access.loop_numel[i] = numel;
      loop_bytes[i] += static_cast<double>(numel) * static_cast<double>(element_bytes(access.buffer));
      below[access.buffer].push_back(numel);
    }
  }
}

// The distance in elements between what two iterations of the loop access; zero where the loop is in no
// index.
int64_t stride_of(const BufferAccess& access, const std::vector<int64_t>& strides, const VarNode* loop_var) {
  int64_t least = INT64_MAX;
  for (const Array<Expr>* indices : access.indices) {
    for (size_t i = strides.size(); i-- > 0;) {
      int64_t coefficient = Coefficient(loop_var).of((*indices)[i]);
      if (coefficient == 0) continue;
      least = std::min(least, std::abs(coefficient) * strides[i]);
      break;
    }
  }
  return least == INT64_MAX ? 0 : least;
}

void set_strides(BufferAccess& access, const LoopNest& nest, Analyzer& analyzer) {
  std::vector<int64_t> shape = constant_shape(access.buffer, analyzer);
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  for (size_t i = shape.size(); i-- > 0;) {
    if (access.shape[i] != shape[i]) continue;
    access.continuous_bytes = shape[i] * element_bytes(access.buffer);
    break;
  }
  size_t loops = nest.all.size(), inner = 0;  // loops that stay at one place
  for (; inner < loops; ++inner) {
    access.min_stride = stride_of(access, strides, nest.all[loops - 1 - inner]->loop_var.get());
    if (access.min_stride != 0) break;
  }
  access.innermost_stride = inner == 0 ? access.min_stride : 0;
  for (size_t i = loops - inner; i < loops; ++i) access.unstrided_iterations *= iterations(nest.all[i]);
}

double bytes_of(const Numels& numels) {
  double bytes = 0;
  for (const auto& [buffer, counts] : numels)
    bytes += static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}) *
                                 element_bytes(buffer));
  return bytes;
}

// The innermost loop that comes back to the same elements, or that this store shares with an earlier one of
// the buffer.
void set_reuse(BufferAccess& access, const LoopNest& nest, int64_t innermost_bytes, const Touched& touched) {
  std::unordered_set<const ExprNode*> vars;
  for (const Array<Expr>* indices : access.indices) {
    for (const Expr& index : *indices) {
      post_order(index, [&](const Expr& e) {
        if (as<VarNode>(e)) vars.insert(e.get());
      });
    }
  }
  double inside = 1;
  for (size_t i = nest.all.size(); i-- > 0;) {
    const ForNode* loop = nest.all[i];
    if (!vars.contains(loop->loop_var.get())) {
      access.reuse = Reuse::kLoopRead;
      access.reuse_count = iterations(loop);
      access.reuse_iterations = inside;
      bool innermost = i + 1 == nest.all.size();
      access.reuse_bytes =
          innermost ? static_cast<double>(innermost_bytes) : bytes_of(touched.at(nest.all[i + 1]));
      return;
    }
    const Numels& below = touched.at(loop);
    const std::vector<int64_t>& counts = below.at(access.buffer);
    if (counts.size() >= 2) {
      auto extent = static_cast<double>(iterations(loop));
      access.reuse = Reuse::kSerialReadWrite;
      access.reuse_count = static_cast<int64_t>(counts.size()) - 1;
      access.reuse_iterations = static_cast<double>(*std::ranges::min_element(counts)) / extent;
      access.reuse_bytes = bytes_of(below) / extent;
      return;
    }
    inside *= static_cast<double>(iterations(loop));
  }
}

void set_sizes(BufferAccess& access, const LoopNest& nest, int64_t cache_line_bytes) {
  int64_t element = element_bytes(access.buffer);
  access.bytes = static_cast<double>(element * nest.product);
  if (nest.all.empty()) {
    access.unique_bytes = access.lines = access.unique_lines = 1;
    return;
  }
  access.unique_bytes = static_cast<double>(access.loop_numel.front()) * static_cast<double>(element);
  double part = static_cast<double>(access.min_stride * element) / static_cast<double>(cache_line_bytes);
  access.lines = std::max(1.0, static_cast<double>(nest.product) /
                                   static_cast<double>(access.unstrided_iterations) * std::min(1.0, part));
  access.unique_lines = std::max(
      1.0, access.unique_bytes / static_cast<double>(std::min(cache_line_bytes, access.continuous_bytes)));
}

}  // namespace

std::vector<int64_t> constant_shape(const VarNode* buffer, Analyzer& analyzer) {
  std::vector<int64_t> shape;
  for (const Expr& extent : buffer->buffer()->shape) {
    if (auto* constant = as<IntImmNode>(extent)) {
      shape.push_back(constant->value);
      continue;
    }
    int64_t most = analyzer.const_int_bound(extent).max;
    shape.push_back(most >= 0 && most < ConstIntBound::kPosInf ? most : 1);
  }
  return shape;
}

std::vector<BufferAccess> buffer_accesses(const BufferStoreNode& store, const LoopNest& nest,
                                          int64_t cache_line_bytes, std::vector<double>& loop_bytes,
                                          Touched& touched, Analyzer& analyzer) {
  std::vector<BufferAccess> all = accesses_of(store);
  set_regions(all, nest, loop_bytes, touched, analyzer);
  int64_t innermost_bytes = 0;  // one element of each buffer
  for (const BufferAccess& access : all) innermost_bytes += element_bytes(access.buffer);
  for (BufferAccess& access : all) {
    set_strides(access, nest, analyzer);
    set_reuse(access, nest, innermost_bytes, touched);
    set_sizes(access, nest, cache_line_bytes);
  }
  std::ranges::stable_sort(all, [](const BufferAccess& a, const BufferAccess& b) {
    if (a.lines != b.lines) return a.lines > b.lines;
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return std::string_view(a.buffer->name.data(), a.buffer->name.size()) <
           std::string_view(b.buffer->name.data(), b.buffer->name.size());
  });
  return all;
}

}  // namespace mlc::transform
