// SPDX-License-Identifier: Apache-2.0
#include "ir/core/span.h"

#include <algorithm>

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

SourceMap& SourceMap::global() {
  static SourceMap map;
  return map;
}

uint32_t SourceMap::add(std::string name, std::string text) {
  auto file = std::make_unique<SourceFile>();
  file->name = std::move(name);
  file->text = std::move(text);
  file->lines.push_back(0);
  for (size_t i = 0; i < file->text.size(); ++i) {
    if (file->text[i] == '\n') file->lines.push_back(static_cast<uint32_t>(i + 1));
  }
  files_.push_back(std::move(file));
  return static_cast<uint32_t>(files_.size());
}

const SourceFile& SourceMap::file(uint32_t id) const {
  MLC_CHECK(id >= 1 && id <= files_.size(), "no source file has this id");
  return *files_[id - 1];
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
  if (!span) return "";
  Position at = position(span.file, span.begin);
  return file(span.file).name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace mlc::ir
