// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/vectorize_loop.h"
#include "ir/core/refusal.h"
#include "ir/tir/scalar_op.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_memory.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/function_target.h"
#include "transform/pass/jumps.h"
#include "transform/pass/masked_access.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_vectorize_loop {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "vectorize-while", .message = "a `while` in the vectorized loop `{}` has no vector form"},
        {.name = "vectorize-extent",
         .message = "loop `{}` cannot be vectorized: its extent is {}",
         .help = "split the loop by a constant factor and vectorize the inner part",
         .meaning =
             "A vector has a constant number of lanes: split the loop by one, and vectorize the inner part."},
        {.name = "vectorize-range",
         .message = "loop `{}` cannot be vectorized: it does not count from 0 by 1",
         .help = "run CanonicalizeLoop first"},
    }};
MLC_REFUSALS(tir_vectorize_loop, refusals);

namespace {

constexpr char doc[] = R"(VectorizeLoop(enable_vectorize=True): vectorized loops become vector code.

    for i in T.vectorized(8):
        B[j * 8 + i] = A[j * 8 + i] * c     =>      B[j * 8:j * 8 + 8] = A[T.Ramp(j * 8, 1, 8)] * T.Broadcast(c, 8)
needs: flat buffers (FlattenBuffer); constant extents, or a constant times T.vscale() for a target that has
vectors of that kind.
keeps: the result. What has no vector form (a condition that depends on the lane, a call with effects or of a
function that TVM has for scalars alone, such as `erf`, a sum into one element) runs lane by lane in a serial loop; buffers allocated inside get room for all lanes.
With "tirx.enable_buffer_level_predication", and for scalable vectors, a condition on consecutive lanes
becomes the mask of the loads and stores under it.
After indices are flat and narrow, before loops are unrolled.)";

struct NoVectorForm {};  // thrown inside of one statement, which is then run lane by lane

// Negative for scalable vectors: -c is c * vscale.
int lanes_of(const Expr& e) { return e->dtype().lanes(); }
int wider(int a, int b) { return a < 0 || b < 0 ? std::min(a, b) : std::max(a, b); }

Expr lanes_expr(int lanes) {
  if (lanes >= 0) return int32(lanes);
  return make<MulNode>(call_op(DataType::Int(32), "tirx.vscale", {}), int32(-lanes));
}

Expr widen(const Expr& e, int lanes) {
  if (lanes_of(e) == lanes) return e;
  if (auto* same = as<BroadcastNode>(e); same && lanes_of(e) > 0 && lanes > 0 && lanes % lanes_of(e) == 0)
    return make<BroadcastNode>(same->value, lanes_expr(lanes), e->span);
  if (lanes_of(e) != 1) throw NoVectorForm();
  return make<BroadcastNode>(e, lanes_expr(lanes), e->span);
}

// Operators that vectors have as well, besides functions on numbers.
const std::unordered_set<std::string_view> vector_operators = {
    "tirx.bitwise_and",           "tirx.bitwise_not", "tirx.bitwise_or", "tirx.bitwise_xor", "tirx.likely",
    "tirx.ignore_loop_partition", "tirx.reinterpret", "tirx.shift_left", "tirx.shift_right"};
// What is so in TVM alone.
const std::unordered_set<std::string_view> vector_operators_of_tvm = {
    "tirx.call_llvm_pure_intrin", "tirx.q_multiply_shift", "tirx.q_multiply_shift_per_axis"};

// Of the call itself, whatever its arguments do.
Effect effect_of(const CallNode& call) {
  auto* op = as<OpNode>(call.op);
  return op ? op_row(op).effect : Effect::kOpaque;
}

// Does the operator work lane by lane?
bool is_elementwise(const CallNode& call, VectorCalls calls) {
  auto* op = as<OpNode>(call.op);
  if (!op) return false;
  bool as_in_tvm = calls == VectorCalls::kAsInTVM;
  std::string_view name = op_row(op).name;
  if (const ScalarOp* scalar = scalar_op(name)) return !as_in_tvm || scalar->tvm_vectors;
  return vector_operators.contains(name) || (as_in_tvm && vector_operators_of_tvm.contains(name));
}

// Expands every buffer allocated in the loop by the lanes: element e of lane v is at e * lanes + v.
struct WidenAllocations final : Rewriter {
  const Var& lane;
  int64_t lanes;
  std::unordered_map<const VarNode*, Buffer> wide;

  WidenAllocations(const Var& lane, int64_t lanes) : lane(lane), lanes(lanes) {}
  using Rewriter::rewrite;
  Expr place(const Expr& index) const {
    return add(mul(index, const_like(index, lanes)), cast(index->dtype(), lane));
  }
  Expr rewrite(const Expr& e) override {
    auto* load = as<TensorLoadNode>(e);
    auto found = load ? wide.find(load->source.get()) : wide.end();
    if (found == wide.end()) return rewrite_children(e);
    return make<TensorLoadNode>(found->second, Array<Expr>{place(rewrite(load->indices[0]))}, e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* alloc = as<AllocBufferNode>(s)) {
      Buffer buffer = with_type(alloc->buffer, with(type_of(alloc->buffer), [&](BufferTypeNode& n) {
                                  n.shape = {mul(n.shape[0], const_like(n.shape[0], lanes))};
                                }));
      wide[alloc->buffer.get()] = buffer;
      return make<AllocBufferNode>(buffer, alloc->annotations, s->span);
    }
    auto* store = as<BufferStoreNode>(s);
    auto found = store ? wide.find(store->buffer.get()) : wide.end();
    if (found == wide.end()) return rewrite_children(s);
    return make<BufferStoreNode>(found->second, rewrite(store->value),
                                 Array<Expr>{place(rewrite(store->indices[0]))}, s->span);
  }
};

// The body of one vectorized loop, all lanes at once.
class Vectorize final : public Rewriter {
 public:
  Vectorize(const ForNode& loop, const Stmt& body, BufferMemory& memory, int lanes, bool mask,
            VectorCalls calls, VectorMasks masks)
      : body_(body),
        memory_(memory),
        lane_(loop.loop_var),
        min_(loop.min),
        extent_(loop.extent),
        lanes_(lanes),
        mask_(mask),
        calls_(calls),
        masks_(masks) {}

  // The body. A definition alone, which nobody sees, is in no sequence that could go into a loop.
  Stmt whole() try { return rewrite(body_); } catch (NoVectorForm) {
    return lane_by_lane(body_);
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (var == lane_.get()) return make<RampNode>(min_, const_like(min_, 1), lanes_expr(lanes_));
      auto found = names_.find(var);
      return found == names_.end() ? e : Expr(found->second);
    }
    if (auto* op = as_binary(e)) return binary_of(*op);
    if (auto* call = as<CallNode>(e)) return call_of(*call);
    switch (e->kind) {
      case ExprKind::kCast: {
        auto* cast = as<CastNode>(e);
        Expr value = rewrite(cast->value);
        return value.same_as(cast->value)
                   ? e
                   : Expr(make<CastNode>(cast->dtype().with_lanes(lanes_of(value)), value, e->span));
      }
      case ExprKind::kSelect: {
        auto* select = as<SelectNode>(e);
        Expr condition = rewrite(select->condition);
        Expr yes = rewrite(select->true_value);
        Expr no = rewrite(select->false_value);
        int lanes = wider(lanes_of(condition), wider(lanes_of(yes), lanes_of(no)));
        return make<SelectNode>(widen(condition, lanes), widen(yes, lanes), widen(no, lanes), e->span);
      }
      case ExprKind::kLet: {
        auto* let = as<LetNode>(e);
        Expr value = rewrite(let->value);
        Var var = name_for(let->var, value);
        return make<LetNode>(var, value, rewrite(let->body), e->span);
      }
      case ExprKind::kTensorLoad: {
        auto* load = as<TensorLoadNode>(e);
        Array<Expr> indices = rewrite(load->indices);
        if (indices.same_as(load->indices)) return e;
        if (DataType(load->source->buffer()->dtype).lanes() != 1) throw NoVectorForm();
        for (size_t d = 0; d + 1 < indices.size(); ++d) {
          if (lanes_of(indices[d]) != 1) throw NoVectorForm();
        }
        return make<TensorLoadNode>(load->source, indices, e->span);
      }
      case ExprKind::kRamp:
        return ramp_of(*as<RampNode>(e));
      case ExprKind::kBroadcast:
      case ExprKind::kShuffle: {  // vectors of vectors have no form here
        Expr same = uses_lane(e) ? throw NoVectorForm() : e;
        return same;
      }
      default:
        return rewrite_children(e);
    }
  }

  Stmt rewrite(const Stmt& s) override {
    // A definition cannot go into a loop of its own: the sequence that sees it does.
    if (as<BindNode>(s) || as<AllocBufferNode>(s) || as<DeclBufferNode>(s)) return vectorized(s);
    size_t bound = bindings_.size();
    try {
      return vectorized(s);
    } catch (NoVectorForm) {
      for (; bindings_.size() > bound; bindings_.pop_back()) names_.erase(bindings_.back()->var.get());
      return lane_by_lane(s);
    }
  }

 private:
  bool uses_lane(const Expr& e) const {
    return uses_var(e, [this](const VarNode* var) { return var == lane_.get() || names_.contains(var); });
  }

  // Rows that follow each other are one row: of each lane Ramp(base, stride, 4), and consecutive bases differ
  // by 4 * stride.
  Expr ramp_of(const RampNode& ramp) {
    int each = lanes_of(ref(&ramp));
    if (!uses_lane(ref(&ramp))) return ref(&ramp);
    if (uses_lane(ramp.stride) || each < 0 || lanes_ < 0 || int64_t{each} * lanes_ > kMostLanes)
      throw NoVectorForm();
    Expr bases = rewrite(ramp.base);
    auto* first = as<RampNode>(bases);
    if (!first || lanes_of(bases) != lanes_ ||
        !Analyzer().can_prove_equal(first->stride, mul(ramp.stride, const_like(ramp.stride, each))))
      throw NoVectorForm();
    has_rows_ = true;
    return make<RampNode>(first->base, ramp.stride, lanes_expr(each * lanes_), ramp.span);
  }

  Expr binary_of(const BinaryNode& op) {
    Expr a = rewrite(op.a);
    Expr b = rewrite(op.b);
    if (a.same_as(op.a) && b.same_as(op.b)) return ref(&op);
    int lanes = wider(lanes_of(a), lanes_of(b));
    bool adds = op.kind == ExprKind::kAdd || op.kind == ExprKind::kSub;
    if (adds && as<RampNode>(a) && as<RampNode>(b) && lanes_of(a) != lanes_of(b)) throw NoVectorForm();
    for (bool second : {false, true}) {
      auto* ramp = as<RampNode>(second ? b : a);
      const Expr& scalar = second ? a : b;
      bool scales = op.kind == ExprKind::kMul;
      if (!ramp || lanes_of(scalar) != 1 || !(adds || (scales && is_positive(scalar)))) continue;
      auto combine = [&](const Expr& e) {
        return second ? build(op.kind, scalar, e) : build(op.kind, e, scalar);
      };
      Expr stride = ramp->stride;
      if (scales) stride = combine(stride);
      if (second && op.kind == ExprKind::kSub) stride = neg(stride);
      return make<RampNode>(combine(ramp->base), stride, lanes_expr(lanes), op.span);
    }
    return binary(op.kind, widen(a, lanes), widen(b, lanes), op.span);
  }

  static bool is_positive(const Expr& e) {
    auto value = const_int(e);
    return value ? *value > 0 : Analyzer().can_prove(gt(e, const_like(e, 0)));
  }

  // What is read of a texel, or all of it that is written: the last operand. All lanes are in one texel.
  Expr texel_of(const CallNode& call, bool is_store) {
    Array<Expr> args;
    for (const Expr& arg : call.args) args.push_back(rewrite(arg));
    auto last = static_cast<int64_t>(args.size()) - 1;
    for (int64_t i = 0; i < last; ++i)
      if (lanes_of(args[i]) != 1) throw NoVectorForm();
    if (is_store) {
      // TVM writes the first lane alone.
      auto bits = const_int(args[last - 1]);
      if (!bits || *bits != int64_t{lanes_} * args[last]->dtype().bits()) throw NoVectorForm();
      args.Set(last, widen(args[last], lanes_));
    }
    return with(ref(&call), [&](CallNode& n) {
      n.args = args;
      if (!is_store) n.ty = prim_type(call.dtype().with_lanes(lanes_of(args[last])));
    });
  }

  Expr call_of(const CallNode& call) {
    bool is_store = as_call_to(ref(&call), "tirx.texture2d_store") != nullptr;
    if ((is_store || as_call_to(ref(&call), "tirx.texture2d_load")) && call.args.size() == 6)
      return texel_of(call, is_store);
    bool choice = as_call_to(ref(&call), "tirx.if_then_else") != nullptr;
    if (!choice && !is_elementwise(call, calls_)) {
      // Once per lane is not once: calls with effects run lane by lane even where they ignore the lane. TVM
      // makes such a call once.
      bool repeats = calls_ == VectorCalls::kAll && effect_of(call) > Effect::kReadState;
      if (uses_lane(ref(&call)) || repeats) throw NoVectorForm();
      return ref(&call);
    }
    Array<Expr> args;
    int lanes = 1;
    for (const Expr& arg : call.args) {
      Expr next = rewrite(arg);
      if (choice && args.empty() && lanes_of(next) != 1)
        throw NoVectorForm();  // each lane decides for itself
      lanes = wider(lanes, lanes_of(next));
      args.push_back(next);
    }
    if (lanes == 1) return with(ref(&call), [&](CallNode& n) { n.args = args; });
    bool first_stays = choice || as_call_to(ref(&call), "tirx.call_llvm_pure_intrin");
    for (size_t i = first_stays ? 1 : 0; i < args.size(); ++i)
      args.Set(static_cast<int64_t>(i), widen(args[i], lanes));
    return with(ref(&call), [&](CallNode& n) {
      n.args = args;
      n.ty = prim_type(call.dtype().with_lanes(lanes));
    });
  }

  // The variable that replaces `var` where its value is a vector.
  Var name_for(const Var& var, const Expr& value) {
    if (lanes_of(value) == var->dtype().lanes()) return var;
    Var wide = make_var(var->name, value->dtype(), var->span);
    names_[var.get()] = wide;
    return wide;
  }

  Stmt vectorized(const Stmt& s) {
    if (auto* store = as<BufferStoreNode>(s)) return store_of(*store);
    if (auto* bind = as<BindNode>(s)) {
      Expr value = rewrite(bind->value);
      Var var = name_for(bind->var, value);
      if (!var.same_as(bind->var)) bindings_.push_back(ref(bind));
      return value.same_as(bind->value) ? s : Stmt(make<BindNode>(var, value, s->span));
    }
    if (auto* loop = as<ForNode>(s)) {
      Expr min = rewrite(loop->min);
      Expr extent = rewrite(loop->extent);
      if (lanes_of(min) != 1 || lanes_of(extent) != 1) throw NoVectorForm();
      Stmt body = rewrite(loop->body);
      return with(ref(loop), [&](ForNode& n) {
        n.body = body;
        // Only the outer one is a vector; TVM leaves the inner one as it is.
        if (n.for_kind == ForKind::kVectorized && calls_ == VectorCalls::kAll) n.for_kind = ForKind::kSerial;
      });
    }
    if (auto* branch = as<IfThenElseNode>(s)) {
      Expr condition = rewrite(branch->condition);
      if (lanes_of(condition) != 1) {
        bool tails = masks_ == VectorMasks::kTails;
        if ((!mask_ && !tails) || branch->else_case) throw NoVectorForm();
        bool had_rows = std::exchange(has_rows_, false);
        Stmt then_case = rewrite(branch->then_case);
        if (has_rows_) throw NoVectorForm();  // one condition for several lanes
        has_rows_ = had_rows;
        auto masked =
            tails ? with_masked_tail(then_case, condition) : with_masked_accesses(then_case, condition);
        return masked ? *masked : throw NoVectorForm();
      }
      Stmt yes = rewrite(branch->then_case);
      Stmt no = branch->else_case ? rewrite(branch->else_case) : branch->else_case;
      return make<IfThenElseNode>(condition, yes, no, s->span);
    }
    if (as<WhileNode>(s)) {
      throw refuse(refusals["vectorize-while"], lane_->name.c_str()).at(s->span);
    }
    if (auto* evaluate = as<EvaluateNode>(s)) {
      Expr value = rewrite(evaluate->value);
      return value.same_as(evaluate->value) ? s : Stmt(make<EvaluateNode>(value, s->span));
    }
    if (auto* assertion = as<AssertStmtNode>(s)) {
      if (uses_lane(assertion->condition)) throw NoVectorForm();
      return s;
    }
    return rewrite_children(s);
  }

  Stmt store_of(const BufferStoreNode& store) {
    Expr value = rewrite(store.value);
    Array<Expr> indices = rewrite(store.indices);
    if (value.same_as(store.value) && indices.same_as(store.indices)) return ref(&store);
    int index_lanes = 1;
    for (const Expr& index : indices) index_lanes = wider(index_lanes, lanes_of(index));
    if (DataType(store.buffer->buffer()->dtype).lanes() != 1) throw NoVectorForm();
    for (size_t d = 0; d + 1 < indices.size(); ++d) {
      if (lanes_of(indices[d]) != 1) throw NoVectorForm();
    }
    if (index_lanes == 1) {
      // All lanes write one element: the last one wins, and a sum into it needs every lane in order.
      bool reads_itself =
          uses_var(store.value, [&](const VarNode* var) { return var == store.buffer.get(); });
      if (reads_itself || indices.empty()) throw NoVectorForm();
      index_lanes = lanes_of(value);
      indices.Set(static_cast<int64_t>(indices.size()) - 1, widen(indices[indices.size() - 1], index_lanes));
    }
    return make<BufferStoreNode>(store.buffer, widen(value, index_lanes), indices, store.span);
  }

  // Is the value the same wherever in the loop it is computed? What the loop stores to may have changed.
  bool keeps_value(const Expr& value) {
    Effect effect = side_effect(value);
    if (effect <= Effect::kPure) return true;
    if (effect > Effect::kReadState || !only_loads(value)) return false;
    if (!written_) {
      written_.emplace();
      post_order(
          body_,
          [&](const Expr& e) {
            auto* call = as<CallNode>(e);
            writes_unknown_ |= call && effect_of(*call) > Effect::kReadState;
          },
          [&](const Stmt& s) {
            memory_.declare(s);
            if (auto* store = as<BufferStoreNode>(s)) written_->push_back(store->buffer.get());
          });
    }
    return !writes_unknown_ && std::ranges::all_of(*written_, [&](const VarNode* buffer) {
      return memory_.reads_apart(value, buffer);
    });
  }
  static bool only_loads(const Expr& value) {
    return !any_below(value, [](const Expr& part) {
      auto* call = as<CallNode>(part);
      return call && effect_of(*call) > Effect::kPure;
    });
  }

  // The statement in a serial loop over the lanes. Names whose values are vectors outside are bound again
  // inside, to the values of the lane; where these may have changed since, the loop goes around the names.
  Stmt lane_by_lane(const Stmt& s) {
    Var lane = make<VarNode>(lane_->name + "_s", lane_->ty, lane_->span);
    Array<Stmt> stmts;
    VarMap values{{lane_.get(), lane}};
    std::unordered_set<const VarNode*> needed;
    auto need = [&](const auto& tree) {
      uses_var(tree, [&](const VarNode* var) {
        if (names_.contains(var)) needed.insert(var);
        return false;
      });
    };
    need(s);
    for (size_t i = bindings_.size(); i-- > 0;) {
      if (needed.contains(bindings_[i]->var.get())) need(bindings_[i]->value);
    }
    for (const Bind& bind : bindings_) {
      if (!needed.contains(bind->var.get())) continue;
      if (!keeps_value(bind->value)) throw NoVectorForm();
      Var var = make<VarNode>(bind->var->name, bind->var->ty, bind->var->span);
      stmts.push_back(make<BindNode>(var, substitute(bind->value, values)));
      values[bind->var.get()] = var;
    }
    stmts.push_back(rewrite_with(substitute(s, values), [](const Stmt& s, Rewriter& on) -> Stmt {
      Stmt next = on.rewrite_children(s);
      auto* loop = as<ForNode>(next);
      if (!loop || loop->for_kind != ForKind::kVectorized) return next;
      return with(ref(loop), [](ForNode& n) { n.for_kind = ForKind::kSerial; });
    }));
    return make<ForNode>(lane, min_, extent_, ForKind::kSerial, seq(stmts), nullptr, Map<String, Any>{},
                         nullptr, s->span);
  }
  const Stmt& body_;
  BufferMemory& memory_;
  const Var& lane_;
  const Expr& min_;
  const Expr& extent_;
  int lanes_;
  bool mask_;  // may conditions become masks?
  VectorCalls calls_;
  VectorMasks masks_;
  std::unordered_map<const VarNode*, Var> names_;  // let and bind variables that became vectors
  std::vector<Bind> bindings_;
  std::optional<std::vector<const VarNode*>> written_;  // buffers that the body stores to, once asked for
  bool writes_unknown_ = false;                         // may a call in it write to any memory?
  bool has_rows_ = false;                               // did a ramp become a longer one?
};

// Does the processor have vectors whose length it alone knows (SVE, RISC-V's V)?
bool has_scalable_vectors(const PrimFunc& fn) {
  auto target = target_around(fn);
  if (!target || text((*target)->kind) != "llvm") return false;
  if (target_attr<bool>(*target, "feature.has_sve", false)) return true;
  std::string triple(target_attr<String>(*target, "mtriple", ""));
  std::string_view feature = triple.starts_with("aarch64") ? "+sve" : triple.starts_with("riscv") ? "+v" : "";
  for (const String& has : target_attr<Array<String>>(*target, "mattr", {})) {
    if (!feature.empty() && text(has) == feature) return true;
  }
  return false;
}

struct VectorizeLoops final : Rewriter {
  const PrimFunc& fn;
  bool enabled;
  std::optional<bool> mask;  // as configured
  VectorCalls calls;
  VectorMasks masks;
  BufferMemory memory;
  VectorizeLoops(const PrimFunc& fn, bool enabled, std::optional<bool> mask, VectorCalls calls,
                 VectorMasks masks)
      : fn(fn), enabled(enabled), mask(mask), calls(calls), masks(masks), memory(fn) {}

  // Of the loop's vectors; negative for scalable ones.
  int lanes_of_loop(const ForNode& loop) const {
    auto extent = const_int(loop.extent);
    if (extent && *extent >= 1 && *extent <= kMostLanes) return static_cast<int>(*extent);
    bool scalable = is_scalable_extent(loop.extent);
    if (scalable && has_scalable_vectors(fn))
      return lanes_of(make<RampNode>(int32(0), int32(1), loop.extent));
    throw refuse(refusals["vectorize-extent"], loop.loop_var->name.c_str(),
                 extent     ? std::to_string(*extent)
                 : scalable ? "scalable, and the target has no vectors of that kind"
                            : "not a constant")
        .at(loop.span);
  }

  using Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    memory.declare(s);
    auto* loop = as<ForNode>(s);
    if (!loop || loop->for_kind != ForKind::kVectorized) return rewrite_children(s);
    if (enabled && (!is_const_int(loop->min, 0) || (loop->step && !is_const_int(loop->step, 1)))) {
      throw refuse(refusals["vectorize-range"], loop->loop_var->name.c_str()).at(loop->span);
    }
    post_order(loop->body, nullptr, [&](const Stmt& part) {
      if (!enabled || !as<SBlockNode>(part)) return;
      throw refuse_as(pass_refusals["block-not-lowered"], "the vectorized loop `{}` has blocks in it",
                      loop->loop_var->name.c_str())
          .at(part->span)
          .help("run LowerOpaqueBlock first");
    });
    bool serial = !enabled || leaves_early(loop->body);  // lanes do not leave one by one
    int lanes = serial ? 1 : lanes_of_loop(*loop);
    // Room for all lanes has no size yet where they are scalable.
    bool allocates = any_below(loop->body, [](const Stmt& s) { return as<AllocBufferNode>(s) != nullptr; });
    if (serial || (lanes < 0 && allocates)) {
      Stmt next = rewrite_children(s);
      return with(ref(as<ForNode>(next)), [&](ForNode& n) {
        n.for_kind = ForKind::kSerial;
        if (!enabled) n.annotations = {};  // as in TVM
      });
    }
    if (lanes == 1) return rewrite(substitute(loop->body, {{loop->loop_var.get(), loop->min}}));
    Stmt body = lanes < 0 ? loop->body : WidenAllocations(loop->loop_var, lanes).rewrite(loop->body);
    return Vectorize(*loop, body, memory, lanes, mask.value_or(lanes < 0), calls, masks).whole();
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  return vectorize_loops(fn, options, VectorCalls::kAsInTVM, VectorMasks::kAsInTVM);
}

}  // namespace

extern const Pass vectorize_loop{"VectorizeLoop", "tirx.transform", "VectorizeLoop(enable_vectorize=True)",
                                 doc, apply};

}  // namespace mlc::transform::pass_vectorize_loop

namespace mlc::transform {

PrimFunc vectorize_loops(const PrimFunc& fn, const PassOptions& options, VectorCalls calls,
                         VectorMasks masks) {
  using namespace pass_vectorize_loop;
  auto mask = options.config_flag("tirx.enable_buffer_level_predication");
  return with_body(fn, VectorizeLoops(fn, options.flag(0), mask, calls, masks).rewrite(fn->body));
}

}  // namespace mlc::transform
