// SPDX-License-Identifier: Apache-2.0
#include "ir/core/span.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "ir/core/error.h"

namespace mlc::ir {

Span Span::cover(Span a, Span b) {
  if (!a) return b;
  if (!b || b.file != a.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

std::string_view SourceFile::line(uint32_t number) const {
  if (number == 0 || number > lines.size()) return {};
  size_t begin = lines[number - 1];
  size_t end = number < lines.size() ? lines[number] : text.size();
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r')) --end;
  return std::string_view(text).substr(begin, end - begin);
}

namespace {

thread_local SourceMap* in_use = nullptr;
std::atomic<uint32_t> last_id = 0;

}  // namespace

SourceMap::SourceMap() = default;
SourceMap::~SourceMap() = default;
SourceMap& SourceMap::current() {
  if (in_use != nullptr) return *in_use;
  static thread_local SourceMap own;
  return own;
}
SourceMap::Use::Use(SourceMap& map) : before_(std::exchange(in_use, &map)) {}
SourceMap::Use::~Use() { in_use = before_; }

uint32_t SourceMap::add(std::string name, std::string text) {
  auto file = std::make_unique<SourceFile>();
  file->name = std::move(name);
  file->text = std::move(text);
  file->lines.push_back(0);
  for (size_t i = 0; i < file->text.size(); ++i) {
    if (file->text[i] == '\n') file->lines.push_back(static_cast<uint32_t>(i + 1));
  }
  ids_.push_back(++last_id);
  files_.push_back(std::move(file));
  return ids_.back();
}

const SourceFile& SourceMap::file(uint32_t id) const {
  static const SourceFile unknown{"", "", {0}, nullptr};
  auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  return found == ids_.end() || *found != id ? unknown : *files_[static_cast<size_t>(found - ids_.begin())];
}
void SourceMap::set_span_node(uint32_t id, std::shared_ptr<const void> node) {
  auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  MLC_CHECK(found != ids_.end() && *found == id, "no source file of this session has this id");
  files_[static_cast<size_t>(found - ids_.begin())]->span_node = std::move(node);
}
std::vector<const SourceFile*> SourceMap::files() const {
  std::vector<const SourceFile*> all;
  for (const auto& file : files_) all.push_back(file.get());
  return all;
}

Position SourceMap::position(uint32_t id, uint32_t offset) const {
  const SourceFile& source = file(id);
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(source.text.size()));
  auto next = std::upper_bound(source.lines.begin(), source.lines.end(), offset);
  auto line = static_cast<uint32_t>(next - source.lines.begin());
  uint32_t column = 1;
  for (uint32_t i = source.lines[line - 1]; i < offset; ++i) {
    if ((static_cast<unsigned char>(source.text[i]) & 0xC0U) != 0x80U) ++column;  // not a UTF-8 tail
  }
  return {line, column};
}

std::string_view SourceMap::text(Span span) const {
  if (!span) return {};
  std::string_view all = file(span.file).text;
  if (span.begin > all.size()) return {};
  return all.substr(span.begin, span.end - span.begin);
}

std::string SourceMap::describe(Span span) const {
  if (!span || file(span.file).name.empty()) return "";
  Position at = position(span.file, span.begin);
  return file(span.file).name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace mlc::ir
