// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_roots.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_thread_sync {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "barrier-not-possible",
         .message = "`{}` of scope `{}` is read in a condition, before which no barrier can stand"},
    }};
MLC_REFUSALS(tir_thread_sync, refusals);

namespace {

constexpr char doc[] =
    R"(ThreadSync(storage_scope): barriers between accesses of different threads to memory that they share.

    B[tx] = A[tx]                       B[tx] = A[tx]
    C[tx] = B[15 - tx]          =>      T.tvm_storage_sync("shared")
                                        C[tx] = B[15 - tx]
needs: memory of the scope is not read in conditions, and no barrier has to stand below one.
keeps: what a thread computes alone. A write and a read of one buffer need a barrier in between, in the next
iteration of a loop, too, unless they are at the same index and that depends on the innermost thread. What is
written by a `double_buffer_write` is not read before the next iteration. Below `async_wait_queue_scope` a
barrier of "shared" comes first.
Where all threads of a kernel are, after memory is planned.)";

enum class Kind : uint8_t { kRead, kWrite, kSync };

struct Access {
  Kind kind;
  const VarNode* buffer = nullptr;
  Array<Expr> indices;              // empty where it is more than one element
  const VarNode* thread = nullptr;  // the innermost one
  bool double_buffer_write = false;
};
struct Entry {
  const StmtNode* stmt;
  std::vector<Access> accesses;
};

class Planner final : public Walker {
 public:
  std::unordered_set<const StmtNode*> before;  // a barrier goes before these

  explicit Planner(std::string_view scope) : scope_(scope) { entries_.emplace_back(); }

  void visit(const Stmt& s) override {
    if (auto* view = as<DeclBufferNode>(s)) return roots_.declare(*view);
    if (as<BufferStoreNode>(s) || as<EvaluateNode>(s) || as<BindNode>(s)) return leaf(s);
    if (auto* attr = as<AttrStmtNode>(s)) return attribute(*attr, s);
    if (auto* loop = as<ForNode>(s)) {
      return nest(s, loop, nullptr, [&] { walk_children(s); });
    }
    if (auto* branch = as<IfThenElseNode>(s))
      return conditional(s, branch->condition, {branch->then_case, branch->else_case});
    if (auto* loop = as<WhileNode>(s)) return conditional(s, loop->condition, {loop->body});
    walk_children(s);
  }

  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) access(Kind::kRead, load->source.get(), load->indices, e->span);
    if (auto* call = as_call_to(e, "tirx.address_of")) {
      if (auto* load = as<TensorLoadNode>(call->args[0])) {
        for (const Expr& index : load->indices) visit(index);
        return;
      }
    }
    if (auto* call = as_call_to(e, "tirx.tvm_access_ptr")) {
      auto* buffer = buffer_of_data(call->args[1]);
      int64_t mask = const_int(call->args[4]).value_or(0);
      Array<Expr> index;
      if (is_const_int(call->args[3], 1)) index = {call->args[2]};
      if (buffer && (mask & 1)) access(Kind::kRead, buffer, index, e->span);
      if (buffer && (mask & 2)) access(Kind::kWrite, buffer, index, e->span);
    }
    if (auto* call = as_call_to(e, "tirx.tvm_storage_sync")) {
      auto* scope = as<StringImmNode>(call->args[0]);
      if (scope && text(scope->value) != "warp" && in_leaf_) accesses_.push_back({Kind::kSync, nullptr, {}});
      return;
    }
    walk_children(e);
  }

 private:
  std::string_view scope_;
  BufferRoots roots_;
  std::vector<const VarNode*> threads_;
  bool in_kernel_ = false;
  bool in_leaf_ = false;
  int conditions_ = 0;
  const VarNode* double_buffer_ = nullptr;
  std::vector<Access> accesses_;             // of the statement
  std::vector<std::vector<Entry>> entries_;  // of the statements around, by nesting

  void conditional(const Stmt& s, const Expr& condition, std::initializer_list<Stmt> bodies) {
    bool uniform = as_call_to(condition, "tirx.tvm_thread_invariant") != nullptr;
    conditions_ += !uniform;
    visit(condition);
    Entry entry{s.get(), {}};
    for (const Stmt& body : bodies) {
      if (!body) continue;
      for (Access& access : summary([&] { visit(body); }, nullptr))
        entry.accesses.push_back(std::move(access));
    }
    entries_.back().push_back(std::move(entry));
    conditions_ -= !uniform;
  }
  void leaf(const Stmt& s) {
    in_leaf_ = true;
    if (auto* store = as<BufferStoreNode>(s))
      access(Kind::kWrite, store->buffer.get(), store->indices, s->span);
    walk_children(s);
    if (!accesses_.empty() || as<BufferStoreNode>(s))
      entries_.back().push_back({s.get(), std::move(accesses_)});
    accesses_.clear();
    in_leaf_ = false;
  }

  void access(Kind kind, const VarNode* buffer, const Array<Expr>& indices, Span span) {
    if (!in_kernel_ || text(buffer->buffer()->storage_scope) != scope_) return;
    if (!in_leaf_) {
      throw refuse(refusals["barrier-not-possible"], buffer->name.c_str(), scope_).at(span);
    }
    accesses_.push_back({kind, roots_(buffer), indices, threads_.empty() ? nullptr : threads_.back()});
  }

  template <class F>
  std::vector<Access> summary(F&& inside, const ForNode* loop) {
    entries_.emplace_back();
    inside();
    std::vector<Access> result = summarize(entries_.back(), loop);
    entries_.pop_back();
    return result;
  }
  template <class F>
  void nest(const Stmt& s, const ForNode* loop, const VarNode* doubled, F&& inside) {
    Entry entry{s.get(), summary(inside, loop)};
    for (Access& access : entry.accesses) {
      access.double_buffer_write |= doubled && access.kind == Kind::kWrite && access.buffer == doubled;
      // An index that the loop moves is more than one element from outside.
      if (loop && std::any_of(access.indices.begin(), access.indices.end(), [&](const Expr& index) {
            return uses_var(index, [&](const VarNode* var) { return var == loop->loop_var.get(); });
          })) {
        access.indices = {};
      }
    }
    if (!entry.accesses.empty()) entries_.back().push_back(std::move(entry));
  }

  void attribute(const AttrStmtNode& attr, const Stmt& s) {
    std::string_view key = text(attr.attr_key);
    if (key == "hand_threaded") return;
    if (key == "double_buffer_write") {
      auto node = attr.node.as<Expr>();
      auto* buffer = node ? buffer_of_data(*node) : nullptr;
      return nest(s, nullptr, buffer ? roots_(buffer) : nullptr, [&] { walk_children(s); });
    }
    IterVar thread = launched_thread(s);
    if (!thread) return walk_children(s);
    threads_.push_back(thread->var.get());
    if (std::exchange(in_kernel_, true)) {
      walk_children(s);
    } else {
      summary([&] { walk_children(s); }, nullptr);  // the end of a kernel is a barrier
      in_kernel_ = false;
    }
    threads_.pop_back();
  }

  static bool conflict(const Access& prev, const Access& next, bool next_iteration) {
    if (prev.buffer != next.buffer) return false;
    bool same = !prev.indices.empty() && prev.indices.size() == next.indices.size();
    auto moves = [&](const Expr& index) {
      return !next.thread || uses_var(index, [&](const VarNode* var) { return var == next.thread; });
    };
    for (size_t i = 0; same && i < prev.indices.size(); ++i) {
      same = prev.indices[i]->dtype().is_scalar() && structural_equal(prev.indices[i], next.indices[i]) &&
             moves(prev.indices[i]);
    }
    if (same) return false;
    return !(prev.double_buffer_write && next.kind == Kind::kRead && !next_iteration);
  }
  static bool conflict(const std::vector<Access>& prev, const Access& next, bool next_iteration) {
    return std::any_of(prev.begin(), prev.end(),
                       [&](const Access& access) { return conflict(access, next, next_iteration); });
  }

  // Since the last barrier.
  struct Open {
    std::vector<Access> reads, writes;
    void clear() {
      reads.clear();
      writes.clear();
    }
    // Must a barrier come before the statement?
    bool conflicts(const Entry& entry, bool next_iteration) {
      for (const Access& access : entry.accesses) {
        if (access.kind == Kind::kSync) clear();
        if (access.kind == Kind::kRead && conflict(writes, access, next_iteration)) return true;
        if (access.kind == Kind::kWrite && conflict(reads, access, next_iteration)) return true;
      }
      return false;
    }
    void add(const Entry& entry) {
      for (const Access& access : entry.accesses) {
        if (access.kind == Kind::kSync) clear();
        if (access.kind == Kind::kRead) reads.push_back(access);
        if (access.kind == Kind::kWrite) writes.push_back(access);
      }
    }
  };

  void put_before(const StmtNode* stmt) {
    if (conditions_ > 0) {
      throw refuse_as(refusals["barrier-not-possible"],
                      "a barrier of scope `{}` would stand below a condition", scope_)
          .at(stmt->span);
    }
    before.insert(stmt);
  }

  // Inserts the barriers of a sequence, and returns what is unsynchronised at its beginning and end.
  std::vector<Access> summarize(std::vector<Entry>& entries, const ForNode* loop) {
    if (scope_ == "shared.dyn") {  // all of it is one memory
      const VarNode* first = nullptr;
      for (Entry& entry : entries) {
        for (Access& access : entry.accesses) {
          if (access.kind == Kind::kSync) continue;
          if (!first) first = access.buffer;
          access.buffer = first;
        }
      }
    }
    Open open;
    for (const Entry& entry : entries) {
      if (before.contains(entry.stmt)) open.clear();
      if (open.conflicts(entry, false)) {
        open.clear();
        put_before(entry.stmt);
      }
      open.add(entry);
    }
    for (const Entry& entry : entries) {
      if (!loop || before.contains(entry.stmt) || (open.reads.empty() && open.writes.empty())) break;
      if (!open.conflicts(entry, true)) continue;
      put_before(entry.stmt);
      break;
    }
    std::vector<Access> head, tail;
    bool synced = false;
    auto sync = [&] {
      if (synced) {
        tail.clear();
      } else {
        head.push_back({Kind::kSync, nullptr, {}});
      }
      synced = true;
    };
    for (const Entry& entry : entries) {
      if (before.contains(entry.stmt)) sync();
      for (const Access& access : entry.accesses) {
        if (access.kind == Kind::kSync) {
          sync();
        } else {
          (synced ? tail : head).push_back(access);
        }
      }
    }
    head.insert(head.end(), tail.begin(), tail.end());
    for (Access& access : head) access.double_buffer_write &= loop == nullptr;
    return head;
  }
};

Stmt barrier(std::string_view scope) {
  return make<EvaluateNode>(call_op(DataType::Int(32), "tirx.tvm_storage_sync",
                                    {make<StringImmNode>(String(std::string(scope)))}));
}

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  auto scope = options.args[0].try_cast<String>();
  if (!scope)
    throw refuse_as(pass_refusals["wrong-type"], "the storage scope of ThreadSync is a string");
  std::string_view name = text(*scope);
  Stmt body = name != "shared" ? fn->body : rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* attr = as<AttrStmtNode>(s);
    auto* inner =
        attr && text(attr->attr_key) == "async_wait_queue_scope" ? as<AttrStmtNode>(attr->body) : nullptr;
    if (!inner || text(inner->attr_key) != "async_wait_inflight_count") return on.rewrite_children(s);
    Stmt count = with(ref(inner), [&](AttrStmtNode& n) { n.body = seq({barrier(name), n.body}); });
    return with(ref(attr), [&](AttrStmtNode& n) { n.body = count; });
  });
  Planner planner(name);
  planner.visit(body);
  if (planner.before.empty()) return with_body(fn, body);
  return with_body(fn, rewrite_with(body, [&](const Stmt& s, Rewriter& on) {
                     Stmt next = on.rewrite_children(s);
                     return planner.before.contains(s.get()) ? seq({barrier(name), next}) : next;
                   }));
}

}  // namespace

extern const Pass thread_sync{"ThreadSync", "s_tir.transform", "ThreadSync(storage_scope)", doc, apply};

}  // namespace mlc::transform::pass_thread_sync
