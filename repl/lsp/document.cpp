// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/document.h"

#include <algorithm>

#include "frontend/review/review.h"
#include "transform/schedule/primitive.h"

namespace mlc::lsp {

Document::Document(std::string uri, std::string text, int64_t version,
                   const std::vector<std::string>& builtins)
    : uri(std::move(uri)),
      version(version),
      text_(std::move(text)),
      builtins_(builtins),
      definitions_(builtins) {}

void Document::replace(std::optional<std::pair<Position, Position>> range, std::string_view with) {
  if (range)
    text_.replace(text_.offset(range->first), text_.offset(range->second), with);
  else
    text_ = Text(std::string(with));
  index_.reset();
  reading_.reset();
  context_.reset();
  warnings_.clear();
  definitions_read_ = false;
  refused.reset();
  published = false;
}

void Document::read() {
  if (reading_) return;
  context_ = std::make_unique<ir::Context>();
  ir::Context::Use use(*context_);
  reading_ = read_broken(text_.str(), last_);
  // A line that is half-typed binds nothing and uses nothing: warnings about the others would come and go
  // with it.
  if (reading_->problems.empty())
    warnings_ = review::warnings_of(*reading_->tree->module, builtins_, transform::handle_makers());
}

const Reading& Document::reading() {
  read();
  return *reading_;
}

const Index& Document::index() {
  read();
  if (!index_) index_.emplace(text_.str(), *reading_->tree->module);
  return *index_;
}

const Definitions& Document::definitions() {
  read();
  if (!definitions_read_) definitions_.read(text_.str(), *reading_);
  definitions_read_ = true;
  return definitions_;
}

bool Document::check(int wake) {
  definitions();
  return definitions_.build(wake);
}

std::vector<ir::Diagnostic> Document::diagnostics() {
  definitions();
  std::vector<ir::Diagnostic> all = reading_->problems;
  for (const Definitions::Part& part : definitions_.parts()) {
    if (part.built == nullptr) continue;
    for (ir::Diagnostic each : part.built->problems) {
      auto move = [&](ir::Span& span) {
        if (!span) return;
        span.begin += static_cast<uint32_t>(part.begin);
        span.end += static_cast<uint32_t>(part.begin);
      };
      if (!each.span) each.span = {1, 0, static_cast<uint32_t>(text_.line(text_.line_of(part.begin)).size())};
      move(each.span);
      for (ir::Note& note : each.notes) move(note.span);
      all.push_back(std::move(each));
    }
  }
  if (refused) all.push_back(refused->error);
  // What a definition says for certain is not warned of as well.
  size_t errors = all.size();
  for (const ir::Diagnostic& warning : warnings_) {
    bool said = std::any_of(
        all.begin(), all.begin() + static_cast<ptrdiff_t>(errors), [&](const ir::Diagnostic& error) {
          return error.span.begin == warning.span.begin && error.span.end == warning.span.end;
        });
    if (!said) all.push_back(warning);
  }
  std::ranges::stable_sort(all, {}, [](const ir::Diagnostic& each) { return each.span.begin; });
  return all;
}

const Fact* Document::value_bound_at(size_t offset, Bound which) {
  for (const Definitions::Part& part : definitions().parts()) {
    if (part.built == nullptr || offset < part.begin || offset >= part.end) continue;
    const std::vector<Fact>& values = part.built->values;
    auto [first, last] = std::ranges::equal_range(values, offset - part.begin, {}, &Fact::begin);
    if (first != last) return which == Bound::kThere ? &*first : &*std::prev(last);
  }
  return nullptr;
}

const Fact* Document::fact(const Entity& entity) {
  Fact::About about{};
  switch (entity.kind) {
    case Kind::kBuffer:
      about = Fact::About::kBuffer;
      break;
    case Kind::kLoop:
      about = Fact::About::kLoop;
      break;
    case Kind::kIterator:
      about = Fact::About::kIterator;
      break;
    default:
      return nullptr;
  }
  const Index& names = index();
  if (entity.inside == kNone) return nullptr;
  const std::string& function = names.entities[entity.inside].name;
  for (const Definitions::Part& part : definitions().parts()) {
    if (part.built == nullptr || entity.begin < part.begin || entity.begin >= part.end) continue;
    size_t before = entity.ordinal;
    for (const Fact& fact : part.built->facts) {
      if (fact.about != about || fact.name != entity.name || fact.function != function) continue;
      if (before-- == 0) return &fact;
    }
  }
  return nullptr;
}

}  // namespace mlc::lsp
