// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/builder/names.h"

#include "frontend/diagnostics/findings.h"
#include "frontend/script/core/value.h"
#include "frontend/tvmscript/builder/frame.h"

namespace mlc::tvmscript {

const Any* Names::peek(Symbol name) const {
  int32_t at = name.id() < latest_.size() ? latest_[name.id()] : -1;
  return at < 0 ? nullptr : &entries_[at].value;
}

const Any* Names::find(Symbol name) {
  const Any* value = peek(name);
  if (value && frame<PoisonNode>(*value))
    throw ir::Error(diagnostics::kCascade, "`{}` could not be defined", name.str());
  return value || !around_ ? value : around_->find(name);
}

const Any* Names::Below::find(Symbol name) {
  size_t limit = depth_ < names_.starts_.size() ? names_.starts_[depth_] : names_.entries_.size();
  int32_t at = name.id() < names_.latest_.size() ? names_.latest_[name.id()] : -1;
  while (at >= static_cast<int32_t>(limit)) at = names_.entries_[at].hidden;
  if (at < 0) return names_.around_ ? names_.around_->find(name) : nullptr;
  const Any& value = names_.entries_[at].value;
  if (frame<PoisonNode>(value))
    throw ir::Error(diagnostics::kCascade, "`{}` could not be defined", name.str());
  return &value;
}

std::vector<std::string> Names::names() const {
  std::vector<std::string> all;
  for (const Entry& entry : entries_) all.emplace_back(entry.name.str());
  return all;
}

void Names::bind(Symbol name, Any value, Span span) {
  if (name.id() >= latest_.size()) latest_.resize(name.id() + 64, -1);
  entries_.push_back({name, std::move(value), span, latest_[name.id()]});
  latest_[name.id()] = static_cast<int32_t>(entries_.size()) - 1;
}

bool Names::in_innermost(Symbol name) const {
  int32_t at = name.id() < latest_.size() ? latest_[name.id()] : -1;
  return at >= static_cast<int32_t>(innermost_);
}

Span Names::span_of(Symbol name) const {
  int32_t at = name.id() < latest_.size() ? latest_[name.id()] : -1;
  return at < 0 ? Span{} : entries_[at].span;
}

Span Names::ended(Symbol name) const {
  auto found = ended_.find(name);
  return found == ended_.end() ? Span{} : found->second;
}

bool Names::holds(const Any& value) const {
  for (const Entry& entry : entries_) {
    if (script::is_object(entry.value) && script::raw_object(entry.value) == script::raw_object(value))
      return true;
  }
  return false;
}

void Names::release(size_t mark) {
  while (entries_.size() > mark) {
    latest_[entries_.back().name.id()] = entries_.back().hidden;
    if (entries_.back().span) ended_[entries_.back().name] = entries_.back().span;
    entries_.pop_back();
  }
}

}  // namespace mlc::tvmscript
