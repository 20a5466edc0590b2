// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/store_features.h"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/analysis/store_loops.h"
#include "transform/pass/pass_object.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-thread", .message = "features of loops over threads `{}` are not known"},
    }};
MLC_REFUSALS(analysis_store_features, refusals);

namespace {

// ---- the function as its features are taken: threads bound, buffers as small as they are used ----

// Loops of one iteration count for nothing, and neither do conditions: a choice that reads no memory is a
// one.
PrimFunc without_trifles(const PrimFunc& fn) {
  std::unordered_set<const ExprNode*> unit_vars;
  auto reads = [](const Expr& e) {
    return any_below(e, [](const Expr& part) { return as<TensorLoadNode>(part) != nullptr; });
  };
  auto on_expr = [&](const Expr& e, Rewriter& on) -> Expr {
    if (as<VarNode>(e)) return unit_vars.contains(e.get()) ? const_like(e, 0) : e;
    if (auto* choice = as<SelectNode>(e)) {
      bool needed = reads(choice->condition) || reads(choice->true_value) || reads(choice->false_value);
      return needed ? e : make_const(e->dtype(), 1);
    }
    return on.rewrite_children(e);
  };
  auto on_stmt = [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* loop = as<ForNode>(s);
    bool unit = loop && is_const_int(loop->min, 0) && is_const_int(loop->extent, 1) &&
                loop->for_kind == ForKind::kSerial && loop->annotations.empty();
    if (!unit) return on.rewrite_children(s);
    unit_vars.insert(loop->loop_var.get());
    return on.rewrite(loop->body);
  };
  return with_body(fn, rewrite_with(fn->body, overloaded{on_expr, on_stmt}));
}

IRModule prepared(const IRModule& given, Host& host) {
  constexpr std::string_view kPasses[] = {"s_tir.LowerCrossThreadReduction",
                                          "s_tir.LowerInitBlock",
                                          "s_tir.PlanAndUpdateBufferAllocationLocation",
                                          "s_tir.ConvertBlocksToOpaque",
                                          "s_tir.CompactBufferAllocation",
                                          "s_tir.StmtSimplify",
                                          "s_tir.LowerAutoCopy",
                                          "s_tir.UnifyThreadBinding",
                                          "s_tir.LowerMatchBuffer",
                                          "s_tir.StmtSimplify"};
  const Any buffers_alone = true;  // there are no tensors
  IRModule mod =
      run_in_sequence(pass_object("s_tir.RemoveWeightLayoutRewriteBlock", {&buffers_alone, 1}), host, given);
  mod = map_prim_funcs(mod, without_trifles);
  for (std::string_view name : kPasses) mod = run_in_sequence(pass_object(name), host, mod);
  return mod;
}

// ---- what is computed ----

struct Operations {
  double float_mad = 0, float_add_sub = 0, float_mul = 0, float_div_mod = 0, float_cmp = 0, float_math = 0,
         float_other = 0;
  double int_mad = 0, int_add_sub = 0, int_mul = 0, int_div_mod = 0, int_cmp = 0, int_math = 0, int_other = 0;
  double on_bool = 0, select = 0;
  double floats() const {
    return float_mad + float_add_sub + float_mul + float_div_mod + float_cmp + float_math + float_other;
  }
};

Operations operations_of(const BufferStoreNode& store, int64_t times) {
  Operations found;
  auto add = [&](const Expr& e, double& of_floats, double& of_ints) {
    (e->dtype().is_float() ? of_floats : of_ints) += static_cast<double>(times);
  };
  auto count = [&](const Expr& e) {
    switch (e->kind) {
      case ExprKind::kAnd:
      case ExprKind::kOr:
      case ExprKind::kNot:
        found.on_bool += static_cast<double>(times);
        break;
      case ExprKind::kSelect:
        found.select += static_cast<double>(times);
        break;
      case ExprKind::kAdd:
      case ExprKind::kSub:
        add(e, found.float_add_sub, found.int_add_sub);
        break;
      case ExprKind::kMul:
        add(e, found.float_mul, found.int_mul);
        break;
      case ExprKind::kDiv:
      case ExprKind::kMod:
      case ExprKind::kFloorDiv:
      case ExprKind::kFloorMod:
        add(e, found.float_div_mod, found.int_div_mod);
        break;
      case ExprKind::kMin:
      case ExprKind::kMax:
      case ExprKind::kEQ:
      case ExprKind::kNE:
      case ExprKind::kLT:
      case ExprKind::kLE:
      case ExprKind::kGT:
      case ExprKind::kGE:
        add(e, found.float_cmp, found.int_cmp);
        break;
      case ExprKind::kCall: {
        auto* op = as<OpNode>(as<CallNode>(e)->op);
        if (op && op_row(op).effect <= Effect::kPure) {
          add(e, found.float_math, found.int_math);
        } else {
          add(e, found.float_other, found.int_other);
        }
        break;
      }
      default:
        break;
    }
  };
  post_order(store.value, count);
  return found;
}

// ---- rows ----

using Row = std::vector<double>;

void push_logs(Row& row, std::initializer_list<double> values) {
  for (double value : values) row.push_back(magnitude(value));
}
// One where the number is the index, zeros elsewhere.
void push_choice(Row& row, size_t choice, size_t choices) {
  for (size_t i = 0; i < choices; ++i) row.push_back(i == choice ? 1 : 0);
}

void push_loops_of_kind(Row& row, const std::vector<const ForNode*>& loops) {
  double product = loops.empty() ? 0 : 1;
  for (const ForNode* loop : loops) product *= static_cast<double>(iterations(loop));
  double length = loops.empty() ? 0 : static_cast<double>(iterations(loops.back()));
  push_logs(row, {static_cast<double>(loops.size()), product, length});
  push_choice(row, loops.empty() ? 0 : 7, 8);  // of eight places one is told: none, or anywhere
}

void push_computation(Row& row, const Operations& ops, const LoopNest& nest, bool gpu) {
  push_logs(row, {ops.float_mad, ops.float_add_sub, ops.float_mul, ops.float_div_mod, ops.float_cmp,
                  ops.float_math, ops.float_other, ops.int_mad, ops.int_add_sub, ops.int_mul, ops.int_div_mod,
                  ops.int_cmp, ops.int_math, ops.int_other, ops.on_bool, ops.select});
  push_loops_of_kind(row, nest.vectorized);
  push_loops_of_kind(row, nest.unrolled);
  push_loops_of_kind(row, nest.parallel);
  row.push_back(gpu ? 1 : 0);
  for (const auto& loops : nest.threads)
    row.push_back(magnitude(!gpu || loops.empty() ? 1 : static_cast<double>(iterations(loops.front()))));
}

void push_accesses(Row& row, const std::vector<BufferAccess>& accesses, int64_t count) {
  size_t end = row.size() + static_cast<size_t>(count) * 18;
  for (const BufferAccess& access : accesses) {
    if (row.size() == end) break;
    push_choice(row, static_cast<size_t>(access.access), 3);
    push_logs(row, {access.bytes, access.unique_bytes, access.lines, access.unique_lines});
    push_choice(row, static_cast<size_t>(access.reuse), 3);
    double reuses = access.reuse_count > 0 ? static_cast<double>(access.reuse_count) : 0.5;
    push_logs(row, {access.reuse_iterations, access.reuse_bytes, static_cast<double>(access.reuse_count),
                    access.bytes / reuses, access.unique_bytes / reuses, access.lines / reuses,
                    access.unique_lines / reuses, static_cast<double>(access.innermost_stride)});
  }
  row.resize(end, 0);
}

// Operations per byte at equal steps of the operations done, from the innermost loop out.
void push_intensity(Row& row, int64_t samples, const LoopNest& nest, const std::vector<double>& loop_bytes,
                    double operations) {
  size_t loops = nest.all.size(), end = row.size() + static_cast<size_t>(samples);
  std::vector<double> done, ratio;
  operations /= static_cast<double>(nest.product);
  for (size_t i = loops; i-- > 0;) {
    operations *= static_cast<double>(iterations(nest.all[i]));
    done.push_back(operations);
    ratio.push_back(operations / loop_bytes[i]);
  }
  size_t at = 0;
  for (int64_t i = 0; loops > 0 && operations > 0 && i < samples; ++i) {
    double wanted = static_cast<double>(i + 1) / static_cast<double>(samples) * operations;
    while (at + 1 < loops && done[at] < wanted - 1e-4) ++at;
    double value = ratio[at];
    if (at > 0) {
      double slope = (ratio[at] - ratio[at - 1]) / (done[at] - done[at - 1]);
      value = ratio[at - 1] + slope * (wanted - done[at - 1]);
    }
    row.push_back(magnitude(value));
  }
  row.resize(end, 0);
}

// ---- all stores of a function ----

int64_t unroll_step(const ForNode* loop) {
  auto found = loop->annotations.find("pragma_auto_unroll_max_step");
  return found == loop->annotations.end() ? -1 : integer_of((*found).second).value_or(-1);
}

// Where a loop of this kind is noted besides; null for serial ones.
std::vector<const ForNode*>* place_of(const ForNode* loop, LoopNest& nest) {
  switch (loop->for_kind) {
    case ForKind::kParallel:
      return &nest.parallel;
    case ForKind::kVectorized:
      return &nest.vectorized;
    case ForKind::kUnrolled:
      return &nest.unrolled;
    case ForKind::kThreadBinding: {
      constexpr std::string_view kAxes[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                            "threadIdx.x", "threadIdx.y", "threadIdx.z"};
      std::string_view tag = text(loop->thread_binding->thread_tag);
      if (tag.starts_with("vthread")) return &nest.threads[6];
      auto axis = std::ranges::find(kAxes, tag);
      if (axis != std::end(kAxes)) return &nest.threads[static_cast<size_t>(axis - std::begin(kAxes))];
      throw refuse(refusals["unknown-thread"], tag).at(loop->span);
    }
    default:
      return nullptr;
  }
}

class StoreRows final : public Walker {
 public:
  StoreRows(const PrimFunc& fn, const StoreFeatureOptions& options) : options_(options) {
    for (const Var& param : fn->params) {
      if (param->buffer()) allocate(param);
    }
    visit(fn->body);
  }
  // The rows, those of the stores met first first.
  void take(std::vector<Row>& rows) {
    for (const VarNode* buffer : order_) {
      auto& [row, product] = rows_.at(buffer);
      auto [numel, outer] = allocations_[buffer];
      double numbers[] = {static_cast<double>(numel * element_bytes(buffer)),
                          static_cast<double>(numel * outer), static_cast<double>(outer),
                          static_cast<double>(product / outer)};
      for (size_t i = 0; i < std::size(numbers); ++i) row[row.size() - 7 + i] = magnitude(numbers[i]);
      rows.push_back(std::move(row));
    }
  }

  void visit(const Expr&) override {}
  void visit(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) return add(*store);
    if (auto* block = as<SBlockNode>(s)) {
      walk_children(s);
      for (const Buffer& buffer : block->alloc_buffers) allocate(buffer);
      return;
    }
    auto* loop = as<ForNode>(s);
    if (!loop) return walk_children(s);
    int64_t product = nest_.product;
    nest_.product *= iterations(loop);
    nest_.all.push_back(loop);
    int64_t step = unroll_step(loop);
    if (step > 0) nest_.unroll_steps.push_back(step);
    auto* place = place_of(loop, nest_);
    if (place) place->push_back(loop);
    walk_children(s);
    if (place) place->pop_back();
    if (step > 0) nest_.unroll_steps.pop_back();
    nest_.all.pop_back();
    nest_.product = product;
  }

 private:
  struct Allocation {
    int64_t numel = 0, outer_product = 1;  // of buffers that no block allocates
  };
  const StoreFeatureOptions& options_;
  Analyzer analyzer_;
  LoopNest nest_;
  Touched touched_;
  std::unordered_map<const VarNode*, Allocation> allocations_;
  std::unordered_map<const VarNode*, std::pair<Row, int64_t>> rows_;  // with the iterations of the nest
  std::vector<const VarNode*> order_;

  void allocate(const Buffer& buffer) {
    int64_t numel = 1;
    for (int64_t extent : constant_shape(buffer.get(), analyzer_)) numel *= extent;
    allocations_[buffer.get()] = {numel, nest_.product};
  }

  void add(const BufferStoreNode& store) {
    if (as<IntImmNode>(store.value) || as<FloatImmNode>(store.value)) return;
    const VarNode* buffer = store.buffer.get();
    if (!rows_.contains(buffer)) order_.push_back(buffer);
    Operations ops = operations_of(store, nest_.product);
    std::vector<double> loop_bytes;  // more than int64 holds where extents are unknown
    auto accesses = buffer_accesses(store, nest_, options_.cache_line_bytes, loop_bytes, touched_, analyzer_);
    Row row;
    row.reserve(static_cast<size_t>(options_.length()));
    push_computation(row, ops, nest_, options_.gpu);
    push_accesses(row, accesses, options_.buffers_per_store);
    push_intensity(row, options_.curve_samples, nest_, loop_bytes, ops.floats());
    row.resize(row.size() + 4, 0);  // of the buffer's memory: its block is still to come
    double step = nest_.unroll_steps.empty() ? 0 : static_cast<double>(nest_.unroll_steps.back());
    push_logs(row, {static_cast<double>(nest_.product), static_cast<double>(nest_.all.size()), step});
    rows_[buffer] = {std::move(row), nest_.product};
  }
};

}  // namespace

std::vector<std::vector<double>> store_features(const IRModule& mod, const StoreFeatureOptions& options,
                                                Host& host) {
  std::vector<Row> rows;
  IRModule lowered = prepared(mod, host);
  for (const auto& [name, base] : lowered->functions) {
    if (auto fn = Any(base).as<PrimFunc>()) StoreRows(*fn, options).take(rows);
  }
  return rows;
}

std::array<double, 8> operator_kinds(const IRModule& mod) {
  constexpr std::string_view kNames[] = {
      "softmax", "max|min", "add", "batch_matmul", "matmul", "depthwiseconv2d", "conv2d_winograd", "conv2d"};
  std::array<double, 8> kinds{};
  auto note = [&](const Stmt& s, Walker& on) {
    on.walk_children(s);
    auto* block = as<SBlockNode>(s);
    if (!block) return;
    std::string name(text(block->name_hint));
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (size_t i = 0; i < kinds.size(); ++i) {
      size_t bar = kNames[i].find('|');
      bool is = name.find(kNames[i].substr(0, bar)) != name.npos ||
                (bar != kNames[i].npos && name.find(kNames[i].substr(bar + 1)) != name.npos);
      if (!is) continue;
      kinds[i] = 1;
      return;
    }
  };
  for (const auto& [name, base] : mod->functions) {
    if (auto fn = Any(base).as<PrimFunc>()) walk_with((*fn)->body, note);
  }
  return kinds;
}

}  // namespace mlc::transform
