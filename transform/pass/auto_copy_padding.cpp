// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/auto_copy.h"

namespace mlc::transform {
namespace {

constexpr int64_t kBanks = 32;
constexpr int64_t kWarp = 32;

bool in_shared(const Buffer& buffer) {
  std::string_view scope = text(buffer->buffer()->storage_scope);
  return scope == "shared" || scope == "shared.dyn";
}

// How many threads of each axis make a warp.
std::map<std::string, int64_t> one_warp(const std::map<std::string, int64_t>& threads) {
  std::map<std::string, int64_t> result;
  int64_t sum = 1;
  for (const char* tag : {"threadIdx.x", "threadIdx.y", "threadIdx.z"}) {
    auto found = threads.find(tag);
    int64_t extent = found == threads.end() ? 1 : found->second;
    if (sum * extent >= kWarp) {
      result[tag] = kWarp / sum;
      break;
    }
    result[tag] = extent;
    sum *= extent;
  }
  return result;
}

// The values of an index while the threads of a warp run; nothing when other variables are in it.
std::vector<int64_t> values_of(const Expr& index, const std::vector<std::pair<Var, int64_t>>& threads,
                               Analyzer& analyzer) {
  std::vector<std::pair<Var, int64_t>> used;
  int64_t count = 1;
  for (const auto& [var, extent] : threads) {
    if (!uses_var(index, [&v = var](const VarNode* seen) { return seen == v.get(); })) continue;
    used.push_back({var, extent});
    count *= extent;
  }
  std::vector<int64_t> values;
  for (int64_t n = 0; n < count; ++n) {
    VarMap point;
    int64_t rest = n;
    for (const auto& [var, extent] : used) {
      point.emplace(var.get(), Expr(int_imm(var->dtype(), rest % extent)));
      rest /= extent;
    }
    auto value = const_int(analyzer.simplify(substitute(index, point)));
    if (!value) return {};
    values.push_back(*value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

class Accesses final : public Walker {
 public:
  VarMap known;  // variables that are constant: loops of one thread
  std::map<std::string, int64_t> warp;
  explicit Accesses(BankPadding& padding) : padding_(padding) {}
  using Walker::visit;

  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) return visit_loop(*loop);
    if (auto* store = as<BufferStoreNode>(s); store && in_shared(store->buffer)) {
      look(store->buffer, store->indices);
      // A vector that runs along another index than the last one needs no alignment.
      if (vector_) {
        Expr last = store->indices.back();
        Expr next = at(last, 1), here = at(last, 0);
        if (!analyzer_.can_prove_equal(next, here)) padding_.require_multiple(store->buffer, vector_extent_);
      }
    }
    if (auto* block = as<SBlockNode>(s)) visit_fragments(*block);
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e); load && load->source->buffer() && in_shared(load->source))
      look(load->source, load->indices);
    walk_children(e);
  }

 private:
  BankPadding& padding_;
  Analyzer analyzer_;
  std::vector<std::pair<Var, int64_t>> threads_;
  const VarNode* vector_ = nullptr;
  int64_t vector_extent_ = 1;

  void visit_loop(const ForNode& loop) {
    if (loop.for_kind == ForKind::kThreadBinding) {
      auto found = warp.find(std::string(loop.thread_binding->thread_tag));
      threads_.push_back({loop.loop_var, found == warp.end() ? 1 : found->second});
      return walk_children(ref(&loop));
    }
    known[loop.loop_var.get()] = loop.min;
    if (loop.for_kind == ForKind::kVectorized) {
      vector_ = loop.loop_var.get();
      vector_extent_ = const_int(loop.extent).value_or(1);
    }
    walk_children(ref(&loop));
    if (loop.for_kind == ForKind::kVectorized) vector_ = nullptr;
    known.erase(loop.loop_var.get());
  }

  Expr at(const Expr& index, int64_t lane) {
    VarMap values = known;
    values[vector_] = Expr(const_like(index, lane));
    return substitute(index, values);
  }

  void look(const Buffer& buffer, const Array<Expr>& indices) {
    BankPadding::Touched all;
    for (const Expr& index : indices) {
      all.push_back(values_of(analyzer_.simplify(substitute(index, known)), threads_, analyzer_));
      if (all.back().empty()) return;
    }
    // Threads that share the last index are not looked at, as in TVM.
    if (!uses_var(indices.back(), [&](const VarNode* var) { return is_thread(var); })) all.back().clear();
    padding_.touch(buffer, std::move(all));
  }
  bool is_thread(const VarNode* var) const {
    return std::any_of(threads_.begin(), threads_.end(),
                       [&](const auto& thread) { return thread.first.get() == var; });
  }

  // Tensor cores read and write sixteen rows at once.
  void visit_fragments(const SBlockNode& block) {
    auto* evaluate = as<EvaluateNode>(block.body);
    if (!evaluate || !(as_call_to(evaluate->value, "tirx.tvm_load_matrix_sync") ||
                       as_call_to(evaluate->value, "tirx.tvm_store_matrix_sync")))
      return;
    for (const MatchBufferRegion& match : block.match_buffers) {
      if (!in_shared(match->source->source)) continue;
      Array<Expr> first;
      for (const Range& range : match->source->region) first.push_back(range->min);
      BankPadding::Touched all;
      for (size_t i = 0; i < first.size(); ++i) {
        auto values = values_of(analyzer_.simplify(substitute(first[i], known)), threads_, analyzer_);
        if (values.empty()) return;
        if (i + 2 == first.size()) {
          std::vector<int64_t> rows;
          for (int64_t value : values)
            for (int64_t row = 0; row < 16; ++row) rows.push_back(value + row);
          values = rows;
        }
        all.push_back(values);
      }
      padding_.touch(match->source->source, std::move(all));
    }
  }
};

// The most accesses that fall on one bank, for rows with a pitch of `stride` elements.
int64_t conflicts(const std::vector<int64_t>& rows, const std::vector<int64_t>& columns, int64_t stride,
                  int64_t bits) {
  std::array<int64_t, kBanks> banks{};
  int64_t most = 0;
  for (int64_t row : rows)
    for (int64_t column : columns)
      most = std::max(most, ++banks[static_cast<size_t>((row * stride + column) * bits / 32 % kBanks)]);
  return most;
}

}  // namespace

void BankPadding::require_multiple(const Buffer& buffer, int64_t elements) {
  int64_t& multiple = multiples_.try_emplace(buffer.get(), 1).first->second;
  multiple = std::max(multiple, elements);
}

void BankPadding::look_at(const Stmt& body, const AutoCopy& copy) {
  Accesses accesses(*this);
  for (const For& loop : copy.outer) accesses.known[loop->loop_var.get()] = loop->min;
  accesses.warp = one_warp(copy.threads);

  accesses.visit(body);
}

Array<Buffer> BankPadding::padded(const Array<Buffer>& allocs) {
  Array<Buffer> result;
  for (const Buffer& buffer : allocs) {
    auto found = touched_.find(buffer.get());
    const BufferTypeNode* type = buffer->buffer();
    bool constant = found != touched_.end();
    for (const Expr& extent : type->shape) constant = constant && const_int(extent);
    if (!constant) {
      result.push_back(buffer);
      continue;
    }
    auto multiple = multiples_.find(buffer.get());
    int64_t step = multiple == multiples_.end() ? 1 : multiple->second;
    size_t n = type->shape.size();
    std::vector<int64_t> strides(n, 1);
    for (size_t i = n - 1; i-- > 0;) {
      int64_t tight = strides[i + 1] * *const_int(type->shape[i + 1]);
      int64_t fewest = INT64_MAX;
      // Waste a quarter at most.
      for (int64_t stride = tight; stride <= tight + tight / 4; stride += step) {
        int64_t sum = 0;
        for (const Touched& all : found->second) {
          const std::vector<int64_t>& last = all.back();
          std::vector<int64_t> columns = i + 2 == n || last.empty() ? last : std::vector<int64_t>{0};
          sum += conflicts(all[i], columns, stride, type->dtype.bits);
        }
        if (sum >= fewest) continue;
        fewest = sum;
        strides[i] = stride;
      }
    }
    Array<Expr> exprs;
    for (size_t i = 0; i < n; ++i) exprs.push_back(const_like(type->shape[i], strides[i]));
    auto changed = ffi::make_object<BufferTypeNode>(*type);
    changed->strides = exprs;
    Buffer next = make<VarNode>(buffer->name, Type(BufferType(changed)));
    changes_[buffer.get()] = next;
    result.push_back(next);
  }
  return result;
}

}  // namespace mlc::transform
