// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/index.h"

#include <algorithm>

#include "repl/lsp/index_builder.h"

namespace mlc::lsp {

Index::Index(std::string_view text, const syntax::Module& module) {
  IndexBuilder(*this, text).run(module);
  std::ranges::stable_sort(uses, {}, &Use::begin);
  std::ranges::stable_sort(members, {}, &Member::begin);
}

std::vector<const Use*> Index::uses_at(size_t offset) const {
  std::vector<const Use*> found;
  auto after = std::ranges::upper_bound(uses, offset, {}, &Use::begin);
  for (auto at = after; at != uses.begin();) {
    --at;
    if (at->end < offset) break;
    // Of two names that meet at the offset the one that begins there.
    if (!found.empty() && found.front()->begin != at->begin) break;
    found.push_back(&*at);
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<const Use*> Index::uses_of(uint32_t entity) const {
  std::vector<const Use*> found;
  for (const Use& use : uses)
    if (use.entity == entity) found.push_back(&use);
  return found;
}

const Use* Index::write_before(const Use& use) const {
  if (use.writes) return &use;
  const Use* found = nullptr;
  for (const Use& each : uses) {
    if (each.begin >= use.begin) break;
    if (each.entity == use.entity && each.writes) found = &each;
  }
  return found;
}

const Member* Index::member_at(size_t offset) const {
  auto after = std::ranges::upper_bound(members, offset, {}, &Member::begin);
  if (after == members.begin()) return nullptr;
  const Member& found = *std::prev(after);
  return found.end >= offset ? &found : nullptr;
}

uint32_t Index::scope_at(size_t offset) const {
  uint32_t found = 0;
  for (uint32_t i = 1; i < scopes.size(); ++i) {  // inner ones are behind those around them
    const Scope& scope = scopes[i];
    if (scope.begin <= offset && offset <= scope.end && scope.begin >= scopes[found].begin) found = i;
  }
  return found;
}

uint32_t Index::find(std::string_view name, uint32_t scope) const {
  syntax::Symbol symbol(name);
  for (uint32_t at = scope; at != kNone; at = scopes[at].outer) {
    if (scopes[at].is_class && at != scope) continue;
    auto found = scopes[at].names.find(symbol);
    if (found != scopes[at].names.end()) return found->second;
  }
  return kNone;
}

std::vector<uint32_t> Index::visible(size_t offset) const {
  std::vector<uint32_t> found;
  uint32_t inner = scope_at(offset);
  for (uint32_t at = inner; at != kNone; at = scopes[at].outer) {
    if (scopes[at].is_class && at != inner) continue;
    for (const auto& [name, entity] : scopes[at].names) {
      bool hidden = std::ranges::any_of(found, [&](uint32_t e) { return entities[e].name == name.str(); });
      if (!hidden) found.push_back(entity);
    }
  }
  return found;
}

uint32_t Index::function_of(uint32_t entity) const {
  uint32_t at = entities[entity].inside;
  while (at != kNone && !(entities[at].kind == Kind::kFunction && entities[at].is_ir))
    at = entities[at].inside;
  return at;
}

}  // namespace mlc::lsp
