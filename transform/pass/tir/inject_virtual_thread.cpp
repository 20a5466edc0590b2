// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/convert_ssa.h"
#include "transform/pass/fold_constant_branches.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_inject_virtual_thread {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "virtual-thread-unsupported",
         .message = "virtual threads do not go around {}",
         .help = "LowerOpaqueBlock, FlattenBuffer and UnrollLoop write programs that they go around"},
    }};
MLC_REFUSALS(tir_inject_virtual_thread, refusals);

namespace {

constexpr char doc[] = R"(InjectVirtualThread(): what virtual threads do, one after the other.

    with virtual_thread(v, 2):                  for i in range(16):
        for i in range(16):             =>          B[0 * 16 + i] = A[i] + 0
            B[i] = A[i] + v                         B[1 * 16 + i] = A[i] + 1
needs: flat buffers (FlattenBuffer); loops around what depends on the thread start at 0; no `while`.
keeps: what each thread computes. Statements that do not depend on the thread run once; memory that holds other
values for each thread gets room for all of them. Fewer than 16 threads of a statement without loops are written out,
others become a loop. Threads whose tag does not begin with `vthread` share nothing.
Before loops are unrolled and memory is shared.)";

using VarSet = std::unordered_set<const VarNode*>;

[[noreturn]] void refuse(std::string_view what, Span span) {
  throw refuse(refusals["virtual-thread-unsupported"], what).kind(kRefusedValue).at(span);
}

// Buffers that a call may write: those of pointers with the mask of a write.
std::vector<const VarNode*> written_by(const Expr& e) {
  std::vector<const VarNode*> found;
  post_order(e, [&](const Expr& part) {
    auto* pointer = as_call_to(part, "tirx.tvm_access_ptr");
    if (!pointer || pointer->args.size() != 5 || (const_int(pointer->args[4]).value_or(3) & 2) == 0) return;
    for (const Var& var : free_vars(pointer->args[1])) found.push_back(var.get());
  });
  return found;
}
// Variables and buffers whose values depend on the thread.
VarSet touched_by(const Var& thread, const Stmt& body) {
  std::unordered_map<const VarNode*, std::vector<const VarNode*>> affects;
  auto record = [&](const VarNode* var, const std::vector<Expr>& from) {
    for (const Expr& e : from) {
      uses_var(e, [&](const VarNode* one) {
        affects[one].push_back(var);
        return false;
      });
    }
  };
  walk_with(body, [&](const Stmt& s, Walker& on) {
    if (auto* bind = as<BindNode>(s)) {
      record(bind->var.get(), {bind->value});
    } else if (auto* store = as<BufferStoreNode>(s)) {
      record(store->buffer.get(), {store->value});
      record(store->buffer.get(), {store->indices.begin(), store->indices.end()});
    } else if (auto* loop = as<ForNode>(s)) {
      record(loop->loop_var.get(), {loop->min, loop->extent});
    } else if (auto* alloc = as<AllocBufferNode>(s)) {
      const Array<Expr>& shape = alloc->buffer->buffer()->shape;
      record(alloc->buffer.get(), {shape.begin(), shape.end()});
    } else if (auto* evaluate = as<EvaluateNode>(s)) {
      for (const VarNode* written : written_by(evaluate->value)) record(written, {evaluate->value});
    }
    on.walk_children(s);
  });
  // What touched values flow into is touched as well.
  VarSet touched{thread.get()};
  std::vector<const VarNode*> todo{thread.get()};
  while (!todo.empty()) {
    const VarNode* var = todo.back();
    todo.pop_back();
    for (const VarNode* next : affects[var]) {
      if (touched.insert(next).second) todo.push_back(next);
    }
  }
  return touched;
}

// The body of one virtual thread, with the threads inside of it.
class Inject final : public Rewriter {
 public:
  Inject(Analyzer& analyzer, const Var& var, int64_t threads, const VarSet& touched, bool share)
      : analyzer_(analyzer), var_(var), threads_(threads), touched_(touched), share_(share) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      if (touched_.contains(var)) depends_ = true;
      return e;
    }
    if (as_call_to(e, "tirx.tvm_context_id")) {
      if (share_) return e;
      depends_ = true;
      return var_;
    }
    if (auto* pointer = as_call_to(e, "tirx.tvm_access_ptr"); pointer && pointer->args.size() == 5)
      return pointer_of(*pointer);
    if (auto* load = as<TensorLoadNode>(e)) {
      Array<Expr> indices = rewrite(load->indices);
      if (touched_.contains(load->source.get())) depends_ = true;
      auto found = own_.find(load->source.get());
      if (found == own_.end())
        return indices.same_as(load->indices) ? e
                                              : Expr(make<TensorLoadNode>(load->source, indices, e->span));
      return make<TensorLoadNode>(found->second.buffer, Array<Expr>{place(indices, found->second, e->span)},
                                  e->span);
    }
    return rewrite_children(e);
  }

  Stmt rewrite(const Stmt& s) override {
    Stmt next = statement(s);
    if (!depends_ && !each_) return next;
    if (!inside_) return threads_around(next, false);
    depends_ = each_ = false;
    return next;
  }

 private:
  struct Own {
    Buffer buffer;  // with room for all threads
    Expr stride;    // elements of one thread
  };

  Expr place(const Array<Expr>& indices, const Own& own, Span span) {
    if (indices.size() != 1) refuse("memory of more than one dimension", span);
    return analyzer_.simplify(add(indices[0], mul(var_, own.stride)));
  }
  Expr pointer_of(const CallNode& call) {
    std::vector<Var> vars = free_vars(call.args[1]);
    auto found = vars.empty() ? own_.end() : own_.find(vars[0].get());
    if (found == own_.end()) return rewrite_children(ref(&call));
    depends_ = true;
    Expr offset = rewrite(call.args[2]), extent = rewrite(call.args[3]);
    int lanes = call.args[0]->dtype().lanes();
    Expr stride =
        lanes > 1 ? truncdiv(found->second.stride, const_like(offset, lanes)) : found->second.stride;
    return with(ref(&call), [&](CallNode& n) {
      n.args.Set(1, substitute(call.args[1], {{vars[0].get(), found->second.buffer}}));
      n.args.Set(2, analyzer_.simplify(add(offset, mul(var_, stride))));
      n.args.Set(3, extent);
    });
  }

  // Does what was just rewritten depend on the thread, so that the threads go around the whole statement?
  bool starts_here() const { return depends_ && !inside_; }

  Stmt statement(const Stmt& s) {
    if (auto* store = as<BufferStoreNode>(s)) return store_of(*store);
    if (as<EvaluateNode>(s)) {
      each_ = !share_;
      return rewrite_children(s);
    }
    if (auto* attr = as<AttrStmtNode>(s)) {
      Expr value = rewrite(attr->value);
      if (starts_here()) return threads_around(s, true);
      Stmt body = rewrite(attr->body);
      if (value.same_as(attr->value) && body.same_as(attr->body)) return s;
      return make<AttrStmtNode>(attr->node, attr->attr_key, value, body, s->span);
    }
    if (auto* bind = as<BindNode>(s)) {
      Expr value = rewrite(bind->value);
      if (starts_here()) return threads_around(s, true);
      depends_ = false;
      if (value->dtype().is_int() && value->dtype().is_scalar() && side_effect(value) == Effect::kPure)
        analyzer_.bind(bind->var, value);
      return value.same_as(bind->value) ? s : Stmt(make<BindNode>(bind->var, value, s->span));
    }
    if (auto* loop = as<ForNode>(s)) {
      if (!is_const_int(loop->min, 0)) refuse("a loop that does not start at 0", s->span);
      Expr extent = rewrite(loop->extent);
      if (starts_here()) {
        Stmt next = threads_around(s, true);
        ++loops_;
        return next;
      }
      depends_ = false;
      Stmt next = updated(loop, [&](ForNode& n) {
        n.extent = extent;
        n.body = rewrite(loop->body);
      });
      ++loops_;
      return next;
    }
    if (auto* branch = as<IfThenElseNode>(s)) return branch_of(*branch);
    if (as<WhileNode>(s)) refuse("a while loop (WhileNode is not supported)", s->span);
    if (auto* sequence = as<SeqStmtNode>(s)) return sequence_of(*sequence);
    if (auto* alloc = as<AllocBufferNode>(s)) return allocation(*alloc);
    return rewrite_children(s);
  }
  Stmt store_of(const BufferStoreNode& store) {
    Expr value = rewrite(store.value);
    Array<Expr> indices = rewrite(store.indices);
    each_ = !share_;
    if (touched_.contains(store.buffer.get())) depends_ = true;
    auto found = own_.find(store.buffer.get());
    return updated(&store, [&](BufferStoreNode& n) {
      n.value = value;
      n.indices = indices;
      if (found == own_.end()) return;
      n.buffer = found->second.buffer;
      n.indices = {place(indices, found->second, store.span)};
    });
  }
  Stmt branch_of(const IfThenElseNode& branch) {
    Expr condition = rewrite(branch.condition);
    if (starts_here()) return threads_around(ref(&branch), true);
    depends_ = false;
    return updated(&branch, [&](IfThenElseNode& n) {
      n.condition = condition;
      n.then_case = rewrite(branch.then_case);
      if (!branch.else_case) return;
      int before = std::exchange(loops_, 0);
      n.else_case = rewrite(branch.else_case);
      loops_ = std::max(before, loops_);
    });
  }
  // A name that depends on the thread is seen by all that follows: that all goes into one loop.
  Stmt sequence_of(const SeqStmtNode& sequence) {
    Array<Stmt> stmts;
    bool changed = false;
    for (size_t i = 0; i < sequence.seq.size(); ++i) {
      const Stmt& one = sequence.seq[i];
      int before = std::exchange(loops_, 0);
      if (auto* bind = as<BindNode>(one); bind && !inside_) {
        rewrite(bind->value);
        if (std::exchange(depends_, false)) {
          Array<Stmt> rest(sequence.seq.begin() + static_cast<int64_t>(i), sequence.seq.end());
          stmts.push_back(threads_around(rest.size() == 1 ? rest[0] : Stmt(make<SeqStmtNode>(rest)), true));
          return seq(stmts);
        }
      }
      stmts.push_back(rewrite(one));
      loops_ = std::max(loops_, before);
      changed |= !stmts.back().same_as(one);
    }
    return changed ? seq(stmts) : Stmt(ref(&sequence));
  }
  Stmt allocation(const AllocBufferNode& alloc) {
    const Array<Expr>& given = alloc.buffer->buffer()->shape;
    Array<Expr> shape = rewrite(given);
    if (std::exchange(depends_, false)) refuse("memory whose size depends on the thread", alloc.span);
    bool own = touched_.contains(alloc.buffer.get()) || !share_;
    if (own && shape.size() != 1) refuse("memory of more than one dimension", alloc.span);
    if (!own && shape.same_as(given)) return ref(&alloc);
    Expr stride = shape[0];
    if (own) shape = {mul(stride, const_like(stride, threads_))};
    Buffer buffer =
        with_type(alloc.buffer, with(type_of(alloc.buffer), [&](BufferTypeNode& n) { n.shape = shape; }));
    if (own) own_[alloc.buffer.get()] = {buffer, stride};
    return make<AllocBufferNode>(buffer, alloc.annotations, alloc.span);
  }

  Stmt threads_around(Stmt s, bool rewrite_first) {
    depends_ = each_ = false;
    inside_ = true;
    if (rewrite_first) s = rewrite(s);
    inside_ = depends_ = false;
    constexpr int64_t kMostCopies = 16;
    if (loops_ == 0 && threads_ < kMostCopies) {
      Array<Stmt> copies;
      for (int64_t i = 0; i < threads_; ++i)
        copies.push_back(substitute(s, {{var_.get(), const_like(var_, i)}}));
      return seq(copies);
    }
    Var index = make_var(var_->name + "_s", var_->dtype());
    return make<ForNode>(index, const_like(index, 0), const_like(index, threads_), ForKind::kSerial,
                         substitute(s, {{var_.get(), index}}));
  }

  Analyzer& analyzer_;
  const Var& var_;
  int64_t threads_;
  const VarSet& touched_;
  bool share_;
  bool inside_ = false;   // of the loop over the threads
  bool depends_ = false;  // what was rewritten last depends on the thread
  bool each_ = false;     // each thread does it, whether it depends or not
  int loops_ = 0;         // in what was rewritten last
  std::unordered_map<const VarNode*, Own> own_;
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Analyzer analyzer;
  auto expression = [](const Expr& e, Rewriter& on) { return fold_constant_branch(on.rewrite_children(e)); };
  auto statement = [&](const Stmt& s, Rewriter& on) -> Stmt {
    Stmt next = on.rewrite_children(s);
    if (as<IfThenElseNode>(next)) return fold_constant_branch(next);
    auto* attr = as<AttrStmtNode>(next);
    if (!attr || text(attr->attr_key) != "virtual_thread") return next;
    auto iter = attr->node.as<IterVar>();
    auto threads = const_int(attr->value);
    if (!iter || !threads) refuse("an attribute without a thread or a constant number of them", s->span);
    VarSet touched = touched_by((*iter)->var, attr->body);
    bool share = text((*iter)->thread_tag).starts_with("vthread");
    return Inject(analyzer, (*iter)->var, *threads, touched, share).rewrite(attr->body);
  };
  return with_unique_definitions(with_body(fn, rewrite_with(fn->body, overloaded{expression, statement})));
}

}  // namespace

extern const Pass inject_virtual_thread{"InjectVirtualThread", "s_tir.transform", "InjectVirtualThread()",
                                        doc, apply};

}  // namespace mlc::transform::pass_inject_virtual_thread
