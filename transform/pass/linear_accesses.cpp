// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/linear_accesses.h"

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/texture.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "access-outside-of-statement", .message = "`{}` is read where no statement reads"},
    }};
MLC_REFUSALS(pass_linear_accesses, refusals);

void LinearAccesses::visit(const Stmt& s) {
  if (auto* alloc = as<AllocBufferNode>(s)) {
    if (wanted_(*alloc)) allocs[alloc->buffer.get()] = {scope_.size(), alloc};
    return;
  }
  if (auto* view = as<DeclBufferNode>(s)) return roots.declare(*view);
  if (auto* attr = as<AttrStmtNode>(s)) {
    std::string_view key = text(attr->attr_key);
    bool threads = key == "thread_extent";
    if ((threads && !in_threads_) || key == "extern_scope" || key == "virtual_thread") {
      bool outside = std::exchange(in_threads_, in_threads_ || threads);
      nest(s);
      in_threads_ = outside;
      return;
    }
    // What an attribute is about is named, not accessed.
    visit(attr->value);
    return visit(attr->body);
  }
  if (as<ForNode>(s) || as<WhileNode>(s) || as<IfThenElseNode>(s) || as<AssertStmtNode>(s)) return nest(s);
  if (as<SeqStmtNode>(s)) return walk_children(s);
  // A leaf.
  scope_.emplace_back();
  walk_children(s);
  if (auto* store = as<BufferStoreNode>(s)) touch(store->buffer.get(), store->indices.size(), s->span);
  std::vector<const VarNode*> touched = std::move(scope_.back());
  scope_.pop_back();
  if (!touched.empty()) seq.push_back({s.get(), 0, std::move(touched)});
}

void LinearAccesses::visit(const Expr& e) {
  walk_children(e);
  if (auto* load = as<TensorLoadNode>(e)) touch(load->source.get(), load->indices.size(), e->span);
  if (auto* var = as<VarNode>(e); var && var->buffer()) touch(var, 0, e->span);
}

void LinearAccesses::nest(const Stmt& s) {
  scope_.emplace_back();
  auto begin = static_cast<int64_t>(seq.size());
  seq.push_back({s.get(), 0, {}});
  walk_children(s);
  auto end = static_cast<int64_t>(seq.size());
  seq.push_back({s.get(), begin - end, std::move(scope_.back())});
  scope_.pop_back();
  seq[begin].pair = end - begin;
}

void LinearAccesses::touch(const VarNode* buffer, size_t dimensions, Span span) {
  auto found = allocs.find(roots(buffer));
  if (found == allocs.end()) return;
  const Alloc& alloc = found->second;
  if (alloc.level >= scope_.size()) {
    throw refuse(refusals["access-outside-of-statement"], buffer->name.c_str()).kind("ValueError").at(span);
  }
  // Several dimensions of memory (textures) are one after FlattenBuffer for everything else.
  size_t own = alloc.stmt->buffer->buffer()->shape.size();
  if (dimensions > 0 && own != 1 && !ir::is_texture(text(alloc.stmt->buffer->buffer()->storage_scope))) {
    throw refuse(pass_refusals["buffer-not-flat"], alloc.stmt->buffer->name.c_str(), own)
        .at(span)
        .help(fmt::format("run FlattenBuffer before {}", who_));
  }
  scope_[alloc.level].push_back(found->first);
}

std::unordered_map<const StmtNode*, LifeEvents> life_events(const std::vector<LinearEntry>& seq) {
  std::unordered_map<const StmtNode*, LifeEvents> events;
  std::unordered_set<const VarNode*> seen;
  for (auto at = seq.rbegin(); at != seq.rend(); ++at) {
    for (const VarNode* buffer : at->touched) {
      if (seen.insert(buffer).second) events[at->stmt].kill.push_back(buffer);
    }
  }
  seen.clear();
  for (size_t i = 0; i < seq.size(); ++i) {
    if (seq[i].pair < 0) continue;
    const LinearEntry& entry = seq[i + seq[i].pair];
    for (const VarNode* buffer : entry.touched) {
      if (seen.insert(buffer).second) events[entry.stmt].gen.push_back(buffer);
    }
  }
  return events;
}

uint64_t constant_bits(const BufferTypeNode* type) {
  uint64_t bits = static_cast<uint64_t>(DataType(type->dtype).bits()) * DataType(type->dtype).lanes();
  for (const Expr& dim : type->shape) {
    auto size = const_int(dim);
    if (!size) return 0;
    bits *= static_cast<uint64_t>(*size);
  }
  return bits;
}

}  // namespace mlc::transform
