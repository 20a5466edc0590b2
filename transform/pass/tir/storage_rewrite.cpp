// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(StorageRewrite(): allocate outside of loops, and share memory between buffers that are never alive together.

    for i in range(n):                      B = T.alloc_buffer((32,))
        B = T.alloc_buffer((32,))   =>      for i in range(n):
        ... B ...                               ... B ...
    C = T.alloc_buffer((32,))               ... B in the place of C ...
    ... C ...
needs: flat buffers; an allocation is written before it is read.
keeps: every access. An allocation rises to the function, or to the parallel loop or thread scope around it,
as far as its size is known there. Two buffers of one scope share memory when their types and constant
sizes agree, all uses of one come before all uses of the other in the scope's sequence, and neither has its
address taken.
After vectorization, which makes allocations inside of vectorized loops larger.)";

// Where allocations may be lifted to: the function's body, and the bodies of parallel loops and threads.
struct Attach {
  std::vector<AllocBuffer> allocations;
};

struct Liveness {
  int first = -1;
  int last = -1;
  bool escapes = false;  // its address is known to somebody
};

struct Uses final : Walker {
  const std::unordered_set<const VarNode*>& of;
  std::unordered_map<const VarNode*, Liveness>& live;
  int at = 0;
  Uses(const std::unordered_set<const VarNode*>& of, std::unordered_map<const VarNode*, Liveness>& live)
      : of(of), live(live) {}

  void use(const VarNode* buffer, bool address) {
    if (!of.contains(buffer)) return;
    Liveness& l = live[buffer];
    if (l.first < 0) l.first = at;
    l.last = at;
    l.escapes |= address;
  }
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) use(var, true);
    if (auto* call = as_call_to(e, "tirx.address_of")) {
      if (auto* load = as<TensorLoadNode>(call->args[0])) use(load->source.get(), true);
    }
    walk_children(e);
  }
  void visit(const Stmt& s) override { walk_children(s); }
  void visit_buffer(const Buffer& buffer) override { use(buffer.get(), false); }
};

class Lift final : public Rewriter {
 public:
  Stmt run(const Stmt& body) { return scope(body); }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* alloc = as<AllocBufferNode>(s)) {
      if (!size_is_known(alloc->buffer)) return s;
      attach_.back().allocations.push_back(make<AllocBufferNode>(alloc->buffer, Map<String, Any>{}, s->span));
      return no_op();
    }
    if (auto* loop = as<ForNode>(s)) {
      inner_.back().insert(loop->loop_var.get());
      bool own_scope = loop->for_kind == ForKind::kParallel || loop->for_kind == ForKind::kThreadBinding;
      Stmt body = own_scope ? scope(loop->body) : rewrite(loop->body);
      return body.same_as(loop->body) ? s : Stmt(with(ref(loop), [&](ForNode& n) { n.body = body; }));
    }
    if (auto* attr = as<AttrStmtNode>(s)) {
      std::string_view key = text(attr->attr_key);
      bool own_scope = key == "thread_extent" || key == "virtual_thread";
      Stmt body = own_scope ? scope(attr->body) : rewrite(attr->body);
      return body.same_as(attr->body) ? s : Stmt(with(ref(attr), [&](AttrStmtNode& n) { n.body = body; }));
    }
    if (auto* bind = as<BindNode>(s)) inner_.back().insert(bind->var.get());
    return rewrite_children(s);
  }

 private:
  // Does the size mention nothing that is defined inside of the scope?
  bool size_is_known(const Buffer& buffer) const {
    for (const Expr& dim : buffer->buffer()->shape) {
      if (uses_var(dim, [&](const VarNode* var) { return inner_.back().contains(var); })) return false;
    }
    return true;
  }

  Stmt scope(const Stmt& body) {
    attach_.emplace_back();
    inner_.emplace_back();
    Stmt rest = rewrite(body);
    std::vector<AllocBuffer> allocations = std::move(attach_.back().allocations);
    attach_.pop_back();
    inner_.pop_back();
    if (allocations.empty()) return rest;
    return share(allocations, rest);
  }

  static bool same_memory(const BufferTypeNode& a, const BufferTypeNode& b) {
    if (!(DataType(a.dtype) == DataType(b.dtype)) || text(a.storage_scope) != text(b.storage_scope))
      return false;
    if (a.shape.size() != 1 || b.shape.size() != 1 || a.data_alignment != b.data_alignment) return false;
    auto size_a = const_int(a.shape[0]);
    auto size_b = const_int(b.shape[0]);
    return size_a && size_a == size_b;
  }

  static Stmt share(const std::vector<AllocBuffer>& allocations, const Stmt& body) {
    std::unordered_set<const VarNode*> buffers;
    for (const AllocBuffer& alloc : allocations) buffers.insert(alloc->buffer.get());
    std::unordered_map<const VarNode*, Liveness> live;
    Uses uses(buffers, live);
    if (auto* sequence = as<SeqStmtNode>(body)) {
      for (const Stmt& one : sequence->seq) {
        uses.visit(one);
        ++uses.at;
      }
    } else {
      uses.visit(body);
    }
    std::unordered_map<const VarNode*, Buffer> shared;
    std::vector<std::pair<AllocBuffer, int>> kept;  // with the last use of its memory so far
    for (const AllocBuffer& alloc : allocations) {
      const Liveness& l = live[alloc->buffer.get()];
      auto fits = [&](const auto& slot) {
        return slot.second < l.first && !l.escapes && !live[slot.first->buffer.get()].escapes &&
               same_memory(*slot.first->buffer->buffer(), *alloc->buffer->buffer());
      };
      auto slot = std::find_if(kept.begin(), kept.end(), fits);
      if (slot == kept.end()) {
        kept.emplace_back(alloc, l.last);
      } else {
        shared[alloc->buffer.get()] = slot->first->buffer;
        slot->second = l.last;
      }
    }
    Array<Stmt> stmts;
    for (const auto& [alloc, last] : kept) stmts.push_back(alloc);
    stmts.push_back(shared.empty() ? body : replace_buffers(body, shared));
    return seq(stmts);
  }

  std::vector<Attach> attach_;
  std::vector<std::unordered_set<const VarNode*>> inner_;  // variables defined inside of each scope
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) { return with_body(fn, Lift().run(fn->body)); }

}  // namespace

extern const Pass storage_rewrite{"StorageRewrite", "tirx.transform", "StorageRewrite()", doc, apply};

}  // namespace mlc::transform
