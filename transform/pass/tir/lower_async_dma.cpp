// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/int_set.h"
#include "transform/arith/iter_map.h"
#include "transform/pass/analyzing_rewriter.h"
#include "transform/pass/packed_fields.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_lower_async_dma {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "queue-not-constant", .message = "the queue of `{}` is not a number"},
    }};
MLC_REFUSALS(tir_lower_async_dma, refusals);

namespace {

constexpr char doc[] =
    R"(LowerAsyncDMA(): loops of asynchronous scopes that only copy become copies that the hardware does.

    with T.attr({"async_commit_queue_scope": 0}):           T.dma_start_group(0)
        with T.attr({"async_scope": 1}):                    with ...:
            for i in range(16):                     =>          T.dma_copy(0, T.address_of(B[0]), T.address_of(A[n]), 64, 0)
                B[i] = A[i + n]                             T.dma_end_group(0)
    with T.attr({"async_wait_queue_scope": 0}):             T.dma_wait(0, 1)
        with T.attr({"async_wait_inflight_count": 1}):      ...
            ...
needs: flat buffers; queues are numbers. A copy goes through a contiguous range of both buffers in the same order.
keeps: what is in memory once the copies have arrived. Loops that are no such copies stay.
After InjectSoftwarePipeline has marked what runs asynchronously.)";

// What a nest of loops copies.
struct Copy {
  TensorLoad to, from;
  Expr elements;
};

// How the digits of both sides are put in one order.
std::array<int64_t, 6> order(const IterSplit& digit) {
  std::array<int64_t, 6> key{};
  size_t i = 0;
  for (const Expr& part : {digit->scale, digit->extent, digit->lower_factor}) {
    auto value = const_int(part);
    key[i++] = value ? 1 : 0;
    key[i++] = value.value_or(0);
  }
  return key;
}
std::vector<IterSplit> sorted(const IterSum& sum) {
  std::vector<IterSplit> digits(sum->args.begin(), sum->args.end());
  std::stable_sort(digits.begin(), digits.end(),
                   [](const IterSplit& a, const IterSplit& b) { return order(a) < order(b); });
  return digits;
}

std::optional<Copy> copy_of(const Stmt& nest, Analyzer& analyzer) {
  std::vector<LoopRange> ranges;
  Domains domains;
  Expr elements = int32(1);
  Stmt inside = nest;
  while (auto* loop = as<ForNode>(inside)) {
    Range range = make<RangeNode>(loop->min, loop->extent);
    ranges.push_back({loop->loop_var, range});
    domains[loop->loop_var.get()] = interval_of(range, analyzer);
    elements = elements * loop->extent;
    inside = loop->body;
  }
  auto* store = as<BufferStoreNode>(inside);
  auto* load = store ? as<TensorLoadNode>(store->value) : nullptr;
  if (!load || store->indices.size() != 1 || load->indices.size() != 1) return std::nullopt;

  struct Side {
    Buffer buffer;
    Expr index;
    IterSum digits;
    Expr first;
  };
  Side sides[] = {{store->buffer, store->indices[0], {}, {}}, {load->source, load->indices[0], {}, {}}};
  for (Side& side : sides) {
    const Array<Expr>& strides = side.buffer->buffer()->strides;
    Expr place = strides.empty() ? side.index : side.index * strides[0];
    IterMapResult found =
        detect_iter_map({place}, ranges, bool_imm(true), IterMapCheck::kBijective, analyzer);
    if (!found.errors.empty() || found.indices.size() != 1) return std::nullopt;
    side.digits = found.indices[0];
    IntervalSet reach = interval_of(place, domains, analyzer);
    if (!reach->has_lower() || !reach->has_upper()) return std::nullopt;
    if (!analyzer.can_prove(eq(elements, reach->max_value - reach->min_value + 1))) return std::nullopt;
    side.first = analyzer.simplify(interval_of(side.index, domains, analyzer)->min_value);
  }
  std::vector<IterSplit> to = sorted(sides[0].digits), from = sorted(sides[1].digits);
  if (to.size() != from.size()) return std::nullopt;
  for (size_t i = 0; i < to.size(); ++i) {
    Expr a = iter_map_to_expr(IterMap(to[i]), analyzer), b = iter_map_to_expr(IterMap(from[i]), analyzer);
    if (!analyzer.can_prove(eq(a, b))) return std::nullopt;
  }
  auto at_first = [](const Side& side) { return make<TensorLoadNode>(side.buffer, Array<Expr>{side.first}); };
  return Copy{at_first(sides[0]), at_first(sides[1]), elements};
}

Expr address_of(const TensorLoad& element) {
  const BufferTypeNode* type = element->source->buffer();
  Type pointer = make<PointerTypeNode>(Type(prim_type(type->dtype)), type->storage_scope);
  return make<CallNode>(pointer, op("tirx.address_of"), Array<Expr>{element});
}
Stmt call(std::string_view name, Array<Expr> args) {
  return make<EvaluateNode>(call_op(DataType::Int(32), name, std::move(args)));
}

class Lower final : public AnalyzingRewriter {
 public:
  using Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s); loop && queue_) {
      auto copy = copy_of(s, analyzer);
      if (!copy) return AnalyzingRewriter::rewrite(s);
      used_.insert(*queue_);
      ++copies_;
      Expr bytes = copy->elements * packed_bytes(copy->from->source->buffer()->dtype);
      return call("tirx.dma_copy",
                  {int32(*queue_), address_of(copy->to), address_of(copy->from), bytes, int32(0)});
    }
    auto* attr = as<AttrStmtNode>(s);
    if (!attr) return AnalyzingRewriter::rewrite(s);
    // TVM goes through the body of an attribute twice: a wait before the copies of its queue is found where
    // another attribute is around both, and a lone copy counts as a group where an attribute is around it.
    // Without a queue, the second time finds nothing new.
    if (queue_ || seen_.insert(s.get()).second) AnalyzingRewriter::rewrite(s);
    std::string_view key = text(attr->attr_key);
    if (key == "async_wait_queue_scope") return wait(*attr, s);
    if (key == "async_commit_queue_scope") return commit(*attr, s);
    return AnalyzingRewriter::rewrite(s);
  }

 private:
  std::optional<int64_t> queue_;      // that copies go to here
  int64_t copies_ = 0;                // in the group
  std::unordered_set<int64_t> used_;  // queues with copies
  std::unordered_set<const StmtNode*> seen_;

  static int64_t number(const AttrStmtNode& attr, Span span) {
    if (auto* value = as<IntImmNode>(attr.value)) return value->value;
    throw refuse(refusals["queue-not-constant"], attr.attr_key.c_str())
        .at(attr.value->span ? attr.value->span : span);
  }
  Stmt wait(const AttrStmtNode& attr, const Stmt& s) {
    int64_t queue = number(attr, s->span);
    auto* in_flight = as<AttrStmtNode>(attr.body);
    if (!used_.contains(queue) || !in_flight || text(in_flight->attr_key) != "async_wait_inflight_count")
      return AnalyzingRewriter::rewrite(s);
    Stmt body = rewrite(in_flight->body);
    return seq({call("tirx.dma_wait", {int32(queue), in_flight->value}), body});
  }
  Stmt commit(const AttrStmtNode& attr, const Stmt& s) {
    int64_t queue = number(attr, s->span);
    queue_ = queue;
    Stmt next = AnalyzingRewriter::rewrite(s);
    if (copies_ > 1)
      next = seq(
          {call("tirx.dma_start_group", {int32(queue)}), next, call("tirx.dma_end_group", {int32(queue)})});
    copies_ = 0;
    queue_.reset();
    return next;
  }
};

}  // namespace

extern const Pass lower_async_dma{"LowerAsyncDMA", "s_tir.transform", "LowerAsyncDMA()", doc,
                                  rewritten_by<Lower>};

}  // namespace mlc::transform::pass_lower_async_dma
