// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_instrument_bound_checkers {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "buffer-bound-rank",
         .message = "`buffer_bound` gives {} bounds for {} indices",
         .help = "run FlattenBuffer first, or give one bound for each index"},
    }};
MLC_REFUSALS(tir_instrument_bound_checkers, refusals);

namespace {

constexpr char doc[] =
    R"(InstrumentBoundCheckers(): a store whose indices are outside is an error of the running program.

    with T.attr(A, "buffer_bound", T.tvm_tuple(n)):     =>      if 0 <= i and i < n:
        A[i] = 1                                                    A[i] = 1
                                                                else:
                                                                    assert False, "OUT OF THE BOUNDS"
needs: the attribute `buffer_bound` on a buffer gives its bounds, one for each index.
keeps: every store within bounds. Loads that the value of a store needs are checked with it; what stands under
`T.if_then_else` guards itself and is not.
After buffers are flat, where a program is to be searched for wrong indices.)";

using Bounds = std::unordered_map<const VarNode*, Array<Expr>>;

Bounds bounds_of(const Stmt& body) {
  Bounds bounds;
  post_order(body, nullptr, [&](const Stmt& s) {
    auto* attr = as<AttrStmtNode>(s);
    if (!attr || text(attr->attr_key) != "buffer_bound") return;
    auto var = attr->node.as<Var>();
    auto* tuple = as<CallNode>(attr->value);
    if (var && tuple) bounds[(*var).get()] = tuple->args;
  });
  return bounds;
}

struct Check final : Rewriter {
  Bounds bounds;
  explicit Check(Bounds bounds) : bounds(std::move(bounds)) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (as_call_to(e, "tirx.if_then_else")) guarded_ = in_store_;
    if (auto* load = as<TensorLoadNode>(e)) collect(load->source, load->indices);
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* alloc = as<AllocBufferNode>(s)) {
      auto found = bounds.find(alloc->buffer.get());
      if (found != bounds.end()) found->second = elements_of(alloc->buffer);
      return s;
    }
    auto* store = as<BufferStoreNode>(s);
    if (!store) return rewrite_children(s);
    accesses_.clear();
    guarded_ = false;
    in_store_ = true;
    rewrite_children(s);
    in_store_ = false;
    collect(store->buffer, store->indices);
    Expr condition = all_inside(*store);
    if (!condition) return s;
    Stmt outside = make<AssertStmtNode>(condition, "RuntimeError", Array<String>{"OUT OF THE BOUNDS"});
    return make<IfThenElseNode>(condition, s, outside);
  }

 private:
  bool in_store_ = false;
  bool guarded_ = false;
  std::vector<std::pair<Array<Expr>, Array<Expr>>> accesses_;  // indices and bounds
  Analyzer analyzer_;

  static Array<Expr> elements_of(const Buffer& buffer) {
    Array<Expr> shape;
    Expr lanes = int_imm(DataType::UInt(64), DataType(buffer->buffer()->dtype).lanes());
    for (const Expr& dim : buffer->buffer()->shape)
      shape.push_back(mul(lanes, cast(DataType::UInt(64), dim)));
    return shape;
  }
  void collect(const Buffer& buffer, const Array<Expr>& indices) {
    auto found = bounds.find(buffer.get());
    if (found != bounds.end() && !guarded_) accesses_.emplace_back(indices, found->second);
  }
  Expr all_inside(const BufferStoreNode& store) {
    Expr all = nullptr;
    Expr zero = int_imm(DataType::Int(64), 0);
    for (const auto& [indices, shape] : accesses_) {
      if (indices.size() != shape.size()) {
        throw refuse(refusals["buffer-bound-rank"], shape.size(), indices.size()).at(store.span);
      }
      for (size_t d = 0; d < indices.size(); ++d) {
        Expr index = indices[d];
        if (auto* ramp = as<RampNode>(index)) index = add(ramp->base, mul(ramp->stride, ramp->lanes));
        index = make<CastNode>(DataType::Int(64), analyzer_.simplify(index));
        Expr bound = make<CastNode>(DataType::Int(64), analyzer_.simplify(shape[d]));
        Expr inside = make<AndNode>(make<GENode>(index, zero), make<LTNode>(index, bound));
        all = all ? Expr(make<AndNode>(all, inside)) : inside;
      }
    }
    return all;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, Check(bounds_of(fn->body)).rewrite(fn->body));
}

}  // namespace

extern const Pass instrument_bound_checkers{"InstrumentBoundCheckers", "s_tir.transform",
                                            "InstrumentBoundCheckers()", doc, apply};

}  // namespace mlc::transform::pass_instrument_bound_checkers
