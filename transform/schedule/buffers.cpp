// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
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
MLC_REFUSALS(schedule_buffers, refusals);

namespace {

using BufferMap = std::unordered_map<const VarNode*, Buffer>;

Buffer changed(const Buffer& buffer, const std::function<void(BufferTypeNode&)>& change,
               const std::string& suffix) {
  auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
  change(*type);
  return make<VarNode>(String(buffer->name.c_str() + suffix), Type(BufferType(type)));
}

// The views on changed buffers change with them.
void change_views(const Stmt& stmt, BufferMap& buffers, const std::function<void(BufferTypeNode&)>& change,
                  const std::string& suffix) {
  walk_with(stmt, [&](const Stmt& s, Walker& on) {
    if (auto* block = as<SBlockNode>(s)) {
      for (const MatchBufferRegion& match : block->match_buffers) {
        if (buffers.contains(match->source->source.get())) {
          buffers[match->buffer.get()] = changed(match->buffer, change, suffix);
        }
      }
    }
    on.walk_children(s);
  });
}

}  // namespace

Stmt use_copy(const Stmt& stmt, const Buffer& buffer, const Buffer& copy) {
  BufferMap buffers{{buffer.get(), copy}};
  const String& scope = copy->buffer()->storage_scope;
  if (scope != buffer->buffer()->storage_scope)
    change_views(stmt, buffers, [&](BufferTypeNode& view) { view.storage_scope = scope; }, "");
  return replace_buffers(stmt, buffers);
}

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
  change_views(allocator.stmt, buffers, change, suffix);
  Stmt next = allocator.stmt;
  if (buffers[buffer.get()]->buffer()->dtype != buffer->buffer()->dtype) {
    // Loads have the old type, and stores take it.
    auto load = [&](const Expr& e, Rewriter& on) -> Expr {
      Expr next = on.rewrite_children(e);
      auto* load = as<TensorLoadNode>(next);
      if (!load) return next;
      auto found = buffers.find(load->source.get());
      if (found == buffers.end()) return next;
      return make<CastNode>(e->dtype(), Expr(make<TensorLoadNode>(found->second, load->indices)));
    };
    auto store = [&](const Stmt& s, Rewriter& on) -> Stmt {
      Stmt next = on.rewrite_children(s);
      auto* store = as<BufferStoreNode>(next);
      auto found = store ? buffers.find(store->buffer.get()) : buffers.end();
      if (found == buffers.end()) return next;
      Expr value = make<CastNode>(found->second->buffer()->dtype, store->value);
      return make<BufferStoreNode>(found->second, value, store->indices, store->span);
    };
    next = rewrite_with(next, overloaded{load, store});
  }
  step.replace(allocator, replace_buffers(next, buffers));
}

}  // namespace mlc::transform
