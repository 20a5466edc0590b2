// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ir/core/refusal.h"
#include "transform/pass/pass.h"
#include "transform/schedule/analysis.h"
#include "transform/schedule/reducer.h"

namespace mlc::transform::pass_lower_cross_thread_reduction {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "cross-thread-reduction-not-lowered",
         .message = "the reduction of block `{}` over threads cannot be lowered: {}"},
    }};
MLC_REFUSALS(tir_lower_cross_thread_reduction, refusals);

namespace {

constexpr char doc[] =
    R"(LowerCrossThreadReduction(): a reduction over loops bound to threads, as each thread's part and an allreduce.

    for t in T.thread_binding(32, thread="threadIdx.x"):    for t in T.thread_binding(32, thread="threadIdx.x"):
        for k in range(4):                                      in_thread_B[0] = 0
            with T.sblock("B"):                     =>          for k in range(4):
                B[i] = B[i] + A[i, k * 32 + t]                      in_thread_B[0] = in_thread_B[0] + A[i, k * 32 + t]
                                                                T.tvm_thread_allreduce(.., in_thread_B[0], .., cross_thread_B[0], t)
                                                                if t == 0: B[i] = cross_thread_B[0]
needs: the block's loops of reduction iterators are its innermost ones, bound to threadIdx only, with the block
the last one below them; its buffers are all local or none is; it is a known reduction (sum, product, min,
max, pairs of sums, argmin, argmax).
keeps: what the block computes. A block further on that reads the result and writes memory which threads share
is done by the first thread alone where no loop over these threads is around it.
On blocks, before they are lowered; LowerThreadAllreduce makes the exchange of it.)";

struct Thread {
  std::string tag;
  Expr min, extent;
};

bool is_thread(const ForNode* loop) { return static_cast<bool>(loop->thread_binding); }
std::string tag_of(const ForNode* loop) { return std::string(loop->thread_binding->thread_tag); }
bool is_local(const Buffer& buffer) { return text(buffer->buffer()->storage_scope) == "local"; }

TensorRegion first_of(const Buffer& buffer) {
  return make<TensorRegionNode>(buffer, Array<Range>{make<RangeNode>(int32(0), int32(1))});
}
Array<TensorRegion> firsts_of(const std::vector<Buffer>& buffers) {
  Array<TensorRegion> regions;
  for (const Buffer& buffer : buffers) regions.push_back(first_of(buffer));
  return regions;
}
Expr load_first(const Buffer& buffer) { return make<TensorLoadNode>(buffer, Array<Expr>{int32(0)}); }

// A block to be split, with what its parts need.
struct Task {
  const SBlockRealizeNode* realize;
  std::vector<const ForNode*> loops;  // of its reduction iterators, outermost first
  Reduction reduction;
  std::vector<Buffer> cross, inside;  // `inside` is empty where threads have one element each

  const SBlockNode* block() const { return realize->block.get(); }
  std::string name(std::string_view part) const {
    return fmt::format("{}_{}", block()->name_hint.c_str(), part);
  }
};

bool has_reduction_block(const Stmt& s) {
  return any_below(s, [](const Stmt& inner) {
    auto* block = as<SBlockNode>(inner);
    return block && std::any_of(block->iter_vars.begin(), block->iter_vars.end(),
                                [](const IterVar& iter) { return iter->iter_type == IterType::kCommReduce; });
  });
}

// The loops with the block replaced, or removed where `next` is null, without loops over threads of
// reductions: those go around all parts. Null where nothing is left.
Stmt in_thread_nest(const Stmt& s, const SBlockRealizeNode* old, const Stmt& next) {
  if (s.get() == old) return next;
  if (auto* loop = as<ForNode>(s)) {
    Stmt body = in_thread_nest(loop->body, old, next);
    if (!body || (is_thread(loop) && has_reduction_block(body))) return body;
    return with(ref(loop), [&](ForNode& n) { n.body = body; });
  }
  if (auto* sequence = as<SeqStmtNode>(s)) {
    Array<Stmt> left;
    for (const Stmt& one : sequence->seq) {
      if (Stmt kept = in_thread_nest(one, old, next)) left.push_back(kept);
    }
    return left.empty() ? Stmt(nullptr) : seq(left, s->span);
  }
  return s;
}

Stmt opaque_block(Array<TensorRegion> reads, Array<TensorRegion> writes, const std::string& name, Stmt body) {
  SBlock block = make<SBlockNode>(Array<IterVar>{}, reads, writes, String(name), body);
  return make<SBlockRealizeNode>(Array<Expr>{}, Expr(bool_imm(true)), block);
}

Stmt init_part(const Task& task) {
  Array<Stmt> stores;
  for (size_t i = 0; i < task.inside.size(); ++i)
    stores.push_back(
        make<BufferStoreNode>(task.inside[i], task.reduction.identity[i], Array<Expr>{int32(0)}));
  return opaque_block({}, firsts_of(task.inside), task.name("in_thread_init"), seq(stores));
}

Stmt in_thread_part(const Task& task) {
  Stmt next;
  if (!task.inside.empty()) {
    SBlock block = with(task.realize->block, [&](SBlockNode& n) {
      n.writes = firsts_of(task.inside);
      n.name_hint = String(task.name("in_thread"));
      auto stands_for = [&](const Buffer& buffer) -> Buffer {
        for (size_t i = 0; i < task.reduction.buffers.size(); ++i) {
          if (task.reduction.buffers[i].same_as(buffer)) return task.inside[i];
        }
        return nullptr;
      };
      auto load = [&](const Expr& e, Rewriter& on) -> Expr {
        auto* load = as<TensorLoadNode>(e);
        Buffer to = load ? stands_for(load->source) : Buffer();
        return to ? load_first(to) : on.rewrite_children(e);
      };
      auto store = [&](const Stmt& s, Rewriter& on) -> Stmt {
        auto* store = as<BufferStoreNode>(s);
        Buffer to = store ? stands_for(store->buffer) : Buffer();
        if (!to) return on.rewrite_children(s);
        return make<BufferStoreNode>(to, on.rewrite(store->value), Array<Expr>{int32(0)}, s->span);
      };
      n.body = rewrite_with(n.body, overloaded{load, store});
      n.init = nullptr;
    });
    next = with(ref(task.realize), [&](SBlockRealizeNode& n) { n.block = block; });
  }
  return in_thread_nest(ref(task.loops[0]), task.realize, next);
}

CommReducer reducer_of(const Task& task) {
  Array<Var> lhs, rhs;
  std::vector<Expr> x, y;
  for (const Expr& e : task.reduction.identity) {
    std::string at = std::to_string(x.size());
    lhs.push_back(make_var(String("x" + at), e->dtype()));
    rhs.push_back(make_var(String("y" + at), e->dtype()));
    x.emplace_back(lhs.back());
    y.emplace_back(rhs.back());
  }
  std::vector<Expr> result = task.reduction.reducer->combine(x, y);
  const std::vector<Expr>& identity = task.reduction.identity;
  return make<CommReducerNode>(lhs, rhs, Array<Expr>(result.begin(), result.end()),
                               Array<Expr>(identity.begin(), identity.end()));
}

Stmt cross_thread_part(const Task& task) {
  Array<Expr> args{int_imm(DataType::UInt(32), static_cast<int64_t>(task.cross.size()))};
  for (const Expr& rhs : task.reduction.rhs) {
    if (task.inside.empty()) args.push_back(rhs);
  }
  for (const Buffer& buffer : task.inside) args.push_back(load_first(buffer));
  args.push_back(bool_imm(true));
  for (const Buffer& buffer : task.cross) args.push_back(load_first(buffer));
  for (const ForNode* loop : task.loops) {
    if (is_thread(loop)) args.push_back(loop->loop_var);
  }
  Expr call = make<CallNode>(void_type(), op("tirx.tvm_thread_allreduce"), args);
  Stmt body =
      make<AttrStmtNode>(reducer_of(task), String("reduce_scope"), Expr(int32(0)), make<EvaluateNode>(call));
  if (!task.inside.empty())
    return opaque_block(firsts_of(task.inside), firsts_of(task.cross), task.name("cross_thread"), body);
  SBlock block = make<SBlockNode>(task.block()->iter_vars, task.block()->reads, firsts_of(task.cross),
                                  String(task.name("cross_thread")), body);
  return make<SBlockRealizeNode>(task.realize->iter_values, Expr(bool_imm(true)), block);
}

// The block's conditions on its spatial loops, and that one thread writes what all share.
Expr write_condition(const Task& task) {
  auto reduces = [&](const VarNode* var) {
    return std::any_of(task.loops.begin(), task.loops.end(),
                       [&](const ForNode* loop) { return loop->loop_var.get() == var; });
  };
  Expr condition = bool_imm(true);
  post_order(task.realize->predicate, [&](const Expr& e) {
    if (e->kind != ExprKind::kAnd) return;
    for (const Expr& part : {as_binary(e)->a, as_binary(e)->b}) {
      if (part->kind != ExprKind::kAnd && !uses_var(part, reduces)) condition = logical_and(condition, part);
    }
  });
  if (is_local(task.reduction.buffers[0])) return condition;
  for (const ForNode* loop : task.loops) {
    if (is_thread(loop))
      condition = logical_and(condition, eq(loop->loop_var, const_like(loop->loop_var, 0)));
  }
  return condition;
}

Stmt write_back_part(const Task& task) {
  Array<IterVar> iters;
  Array<Expr> values;
  VarMap renamed;
  for (size_t i = 0; i < task.block()->iter_vars.size(); ++i) {
    const IterVar& iter = task.block()->iter_vars[i];
    if (iter->iter_type == IterType::kCommReduce) continue;
    Var var = make<VarNode>(iter->var->name, iter->var->ty, iter->var->span);
    renamed[iter->var.get()] = var;
    iters.push_back(with(iter, [&](IterVarNode& n) { n.var = var; }));
    values.push_back(task.realize->iter_values[i]);
  }
  Array<Expr> indices;
  for (const Expr& index : task.reduction.indices) indices.push_back(substitute(index, renamed));
  TensorRegion old = substitute(task.block()->writes[0], renamed);
  Array<Stmt> stores;
  Array<TensorRegion> writes;
  for (size_t i = 0; i < task.cross.size(); ++i) {
    const Buffer& buffer = task.reduction.buffers[i];
    stores.push_back(make<BufferStoreNode>(buffer, load_first(task.cross[i]), indices));
    writes.push_back(make<TensorRegionNode>(buffer, old->region));
  }
  SBlock block =
      make<SBlockNode>(iters, firsts_of(task.cross), writes, String(task.name("write_back")), seq(stores));
  return make<SBlockRealizeNode>(values, write_condition(task), block);
}

Stmt taken_apart(const Task& task) {
  Array<Stmt> parts;
  if (!task.inside.empty()) parts.push_back(init_part(task));
  if (Stmt nest = in_thread_part(task)) parts.push_back(nest);
  parts.push_back(cross_thread_part(task));
  parts.push_back(write_back_part(task));
  Stmt body = seq(parts);
  for (auto at = task.loops.rbegin(); at != task.loops.rend(); ++at) {
    if (is_thread(*at)) body = with(ref(*at), [&](ForNode& n) { n.body = body; });
  }
  return body;
}

class Lower final : public Rewriter {
 public:
  explicit Lower(const PrimFunc& fn) : fn_(fn) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    around_.push_back(s.get());
    Stmt next = rewrite_one(s);
    around_.pop_back();
    return next;
  }

 private:
  const PrimFunc& fn_;
  IRModule mod_;
  std::unique_ptr<ScheduleState> state_;
  std::vector<const StmtNode*> around_;
  std::vector<const ForNode*> loops_;  // since the innermost block
  std::vector<const SBlockNode*> blocks_;
  std::unordered_map<const SBlockNode*, std::vector<Buffer>> allocations_;
  std::unordered_map<const ForNode*, Stmt> replaced_;
  std::unordered_map<const VarNode*, std::vector<Thread>> results_;  // the threads that were reduced over
  std::vector<const ForNode*> threads_;                              // all around

  // Made when the first reduction over threads is met: most functions have none.
  ScheduleState& state() {
    if (!state_) {
      mod_ = module_of(fn_);
      state_ = std::make_unique<ScheduleState>(mod_);
      state_->index((*mod_->functions.begin()).first);
    }
    return *state_;
  }

  Stmt rewrite_one(const Stmt& s) {
    if (auto* loop = as<ForNode>(s)) {
      loops_.push_back(loop);
      if (is_thread(loop)) threads_.push_back(loop);
      Stmt next = rewrite_children(s);
      if (is_thread(loop)) threads_.pop_back();
      if (threads_.empty()) results_.clear();  // another kernel has threads of its own
      loops_.pop_back();
      auto found = replaced_.find(loop);
      return found == replaced_.end() ? next : found->second;
    }
    if (auto* block = as<SBlockNode>(s)) {
      std::vector<const ForNode*> outside = std::exchange(loops_, {});
      blocks_.push_back(block);
      Stmt next = rewrite_children(s);
      blocks_.pop_back();
      loops_ = std::move(outside);
      auto found = allocations_.find(block);
      if (found == allocations_.end()) return next;
      return with(ref(as<SBlockNode>(next)), [&](SBlockNode& n) {
        for (const Buffer& buffer : found->second) n.alloc_buffers.push_back(buffer);
      });
    }
    auto* realize = as<SBlockRealizeNode>(s);
    if (!realize) return rewrite_children(s);
    std::vector<const ForNode*> reduced = reduced_by_threads(*realize);
    if (!reduced.empty()) {
      take_apart(*realize, reduced);
      return s;
    }
    return once(rewrite_children(s));
  }

  // The loops of the block's reduction iterators, where one is bound to a thread.
  std::vector<const ForNode*> reduced_by_threads(const SBlockRealizeNode& realize) {
    if (blocks_.empty()) return {};
    std::unordered_set<const VarNode*> used;
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      if (realize.block->iter_vars[i]->iter_type != IterType::kCommReduce) continue;
      for (const Var& var : free_vars(realize.iter_values[i])) used.insert(var.get());
    }
    std::vector<const ForNode*> reduced;
    bool by_threads = false;
    for (const ForNode* loop : loops_) {
      if (!used.contains(loop->loop_var.get())) continue;
      reduced.push_back(loop);
      by_threads |= is_thread(loop);
    }
    if (!by_threads) return {};
    SRef block = state().find(realize.block.get());
    SRef scope = state().find(blocks_.back());
    if (!block || !scope || !block->affine_binding || !why_not_reduction(state(), *block, *scope).empty())
      return {};
    return reduced;
  }

  [[noreturn]] static void refuse_block(const SBlockRealizeNode& realize, std::string_view why) {
    throw refuse(refusals["cross-thread-reduction-not-lowered"], realize.block->name_hint.c_str(), why)
        .at(realize.block->span);
  }

  void check(const SBlockRealizeNode& realize, const std::vector<const ForNode*>& loops) {
    size_t deepest = 0;
    for (size_t i = around_.size() - 1; i-- > 0;) {
      Stmt outer = ref(around_[i]);
      if (as<SeqStmtNode>(outer)) continue;
      if (std::find(loops.begin(), loops.end(), around_[i]) == loops.end()) break;
      ++deepest;
    }
    if (deepest != loops.size())
      refuse_block(realize, "the loops it reduces over are not the innermost around it");
    for (const ForNode* loop : loops) {
      if (is_thread(loop) && !tag_of(loop).starts_with("threadIdx"))
        refuse_block(realize, fmt::format("loop `{}` is bound to `{}`, which exchanges nothing",
                                          loop->loop_var->name.c_str(), tag_of(loop)));
    }
    bool seen = false;
    post_order(ref(loops[0]), nullptr, [&](const Stmt& s) {
      auto* other = as<SBlockRealizeNode>(s);
      if (!other) return;
      if (seen)
        refuse_block(realize, fmt::format("below loop `{}`, a block comes after it",
                                          loops[0]->loop_var->name.c_str()));
      seen = other == &realize;
    });
  }

  static std::vector<Buffer> scratch(const Reduction& reduction, std::string_view prefix) {
    std::vector<Buffer> made;
    for (const Buffer& buffer : reduction.buffers) {
      BufferType type = make<BufferTypeNode>(buffer->buffer()->dtype, String("local"), Array<Expr>{int32(1)},
                                             Array<Expr>{int32(1)}, Expr(int32(0)));
      made.push_back(make<VarNode>(String(fmt::format("{}_thread_{}", prefix, buffer->name.c_str())), type));
    }
    return made;
  }

  // A pass refuses a block for its own form, not for what a schedule requires of it.
  static Reduction reduction_here(const SRefNode& sref, Span span) {
    try {
      return reduction_of(sref, span);
    } catch (Error& error) {
      throw std::move(error).kind("ValueError");
    }
  }

  void take_apart(const SBlockRealizeNode& realize, const std::vector<const ForNode*>& loops) {
    check(realize, loops);
    SRef sref = state().find(realize.block.get());
    Task task{&realize, loops, reduction_here(*sref, realize.block->span), {}, {}};
    for (const Buffer& buffer : task.reduction.buffers) {
      if (is_local(buffer) != is_local(task.reduction.buffers[0]))
        refuse_block(realize, "some of its buffers are local and some are not");
    }
    std::vector<Thread> threads;
    for (const ForNode* loop : loops) {
      if (is_thread(loop)) threads.push_back({tag_of(loop), loop->min, loop->extent});
    }
    std::vector<Buffer>& allocated = allocations_[blocks_.back()];
    task.cross = scratch(task.reduction, "cross");
    allocated.insert(allocated.end(), task.cross.begin(), task.cross.end());
    if (threads.size() < loops.size() || !is_const_int(realize.predicate, 1)) {
      task.inside = scratch(task.reduction, "in");
      allocated.insert(allocated.end(), task.inside.begin(), task.inside.end());
    }
    for (const Buffer& buffer : task.reduction.buffers) results_[buffer.get()] = threads;
    replaced_[loops[0]] = taken_apart(task);
  }

  // What all threads would do alike in shared memory is done by the first one.
  Stmt once(const Stmt& s) {
    auto* realize = as<SBlockRealizeNode>(s);
    const SBlockNode* block = realize->block.get();
    bool shared = false;
    for (const TensorRegion& write : block->writes) shared |= !is_local(write->source);
    if (!shared || results_.empty()) return s;
    std::vector<Thread> unbound;
    for (const TensorRegion& read : block->reads) {
      auto found = results_.find(read->source.get());
      if (found == results_.end()) continue;
      for (const Thread& thread : found->second) {
        auto same = [&](const Thread& other) { return other.tag == thread.tag; };
        auto bound = [&](const ForNode* loop) { return tag_of(loop) == thread.tag; };
        if (std::any_of(threads_.begin(), threads_.end(), bound)) continue;
        if (std::none_of(unbound.begin(), unbound.end(), same)) unbound.push_back(thread);
      }
    }
    if (unbound.empty()) return s;
    std::vector<Var> vars;
    for (const Thread& thread : unbound)
      vars.push_back(make_var(String(fmt::format("t{}", thread.tag.back())), thread.extent->dtype()));
    Expr condition = realize->predicate;
    for (size_t i = unbound.size(); i-- > 0;)
      condition = logical_and(eq(vars[i], const_like(vars[i], 0)), condition);
    Stmt body = with(ref(realize), [&](SBlockRealizeNode& n) { n.predicate = condition; });
    for (size_t i = unbound.size(); i-- > 0;) {
      IterVar iter = make<IterVarNode>(Range(nullptr), make_var("", vars[i]->dtype()), IterType::kThreadIndex,
                                       String(unbound[i].tag));
      body = make<ForNode>(vars[i], unbound[i].min, unbound[i].extent, ForKind::kThreadBinding, body, iter);
    }
    return body;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  if (!as<SBlockRealizeNode>(fn->body)) return fn;
  bool threads = any_below(fn->body, [](const Stmt& s) {
    auto* loop = as<ForNode>(s);
    return loop && is_thread(loop);
  });
  if (!threads) return fn;
  return with_body(fn, Lower(fn).rewrite(fn->body));
}

}  // namespace

extern const Pass lower_cross_thread_reduction{"LowerCrossThreadReduction", "s_tir.transform",
                                               "LowerCrossThreadReduction()", doc, apply};

}  // namespace mlc::transform::pass_lower_cross_thread_reduction
