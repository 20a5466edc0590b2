// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/buffers.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "buffer-not-allocated",
         .message = "`{}` needs a buffer that a block allocates, and `{}` is none",
         .help = "cache it first, with `cache_read` or `cache_write`",
         .meaning = "The buffer is a parameter: its memory belongs to the caller.",
         .wrong = R"(sch.set_scope("shifted", 0, "local"))",
         .right = R"(sch.set_scope("double", 0, "local"))"},
    }};
extern const ir::RefusalList refusals_schedule_buffers;
const ir::RefusalList refusals_schedule_buffers = refusals;

namespace {

using BufferMap = std::unordered_map<const VarNode*, Buffer>;

Buffer changed(const Buffer& buffer, const std::function<void(BufferTypeNode&)>& change,
               const std::string& suffix) {
  auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
  change(*type);
  return make<VarNode>(String(buffer->name.c_str() + suffix), Type(BufferType(type)));
}

// The views on changed buffers change with them.
class Views final : public Walker {
 public:
  Views(BufferMap& buffers, const std::function<void(BufferTypeNode&)>& change, const std::string& suffix)
      : buffers_(buffers), change_(change), suffix_(suffix) {}
  void visit(const Expr&) override {}
  void visit(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) {
      for (const MatchBufferRegion& match : block->match_buffers) {
        if (buffers_.contains(match->source->source.get())) {
          buffers_[match->buffer.get()] = changed(match->buffer, change_, suffix_);
        }
      }
    }
    walk_children(s);
  }

 private:
  BufferMap& buffers_;
  const std::function<void(BufferTypeNode&)>& change_;
  const std::string& suffix_;
};

// Loads give the old type, stores take it.
class CastAccesses final : public Rewriter {
 public:
  explicit CastAccesses(const BufferMap& buffers) : buffers_(buffers) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    if (!load) return next;
    auto found = buffers_.find(load->source.get());
    if (found == buffers_.end()) return next;
    return make<CastNode>(e->dtype(), Expr(make<TensorLoadNode>(found->second, load->indices)));
  }
  Stmt rewrite(const Stmt& s) override {
    Stmt next = rewrite_children(s);
    auto* store = as<BufferStoreNode>(next);
    auto found = store ? buffers_.find(store->buffer.get()) : buffers_.end();
    if (found == buffers_.end()) return next;
    Expr value = make<CastNode>(found->second->buffer()->dtype, store->value);
    return make<BufferStoreNode>(found->second, value, store->indices, store->span);
  }

 private:
  const BufferMap& buffers_;
};

}  // namespace

SRefNode& allocating_block(SRefNode& block, const Buffer& buffer, std::string_view primitive, Span span) {
  for (SRefNode* up = &block; up; up = scope_of(*up)) {
    for (const Buffer& allocated : up->block()->alloc_buffers) {
      if (allocated.same_as(buffer)) return *up;
    }
  }
  throw refuse(refusals["buffer-not-allocated"], primitive, buffer->name.c_str()).at(span);
}

void change_buffer(Step& step, SRefNode& allocator, const Buffer& buffer,
                   const std::function<void(BufferTypeNode&)>& change, const std::string& suffix) {
  BufferMap buffers{{buffer.get(), changed(buffer, change, suffix)}};
  Views(buffers, change, suffix).visit(allocator.stmt);
  Stmt next = allocator.stmt;
  if (buffers[buffer.get()]->buffer()->dtype != buffer->buffer()->dtype) {
    next = CastAccesses(buffers).rewrite(next);
  }
  step.replace(allocator, replace_buffers(next, buffers));
}

}  // namespace mlc::transform
