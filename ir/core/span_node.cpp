// SPDX-License-Identifier: Apache-2.0
#include "ir/core/span_node.h"

#include <unordered_map>

#include "ir/core/module.h"

namespace mlc::ir {

SourceName source_name(const std::string& name) {
  static thread_local std::unordered_map<std::string, SourceName> known;
  SourceName& found = known[name];
  if (!found.defined()) found = make<SourceNameNode>(String(name));
  return found;
}

Any span_node(Span span) {
  if (!span) return nullptr;
  SourceMap& map = SourceMap::current();
  const SourceFile& file = map.file(span.file);
  if (file.span_node) return *static_cast<const Any*>(file.span_node.get());
  Position begin = map.position(span.file, span.begin), end = map.position(span.file, span.end);
  auto node = make<SpanNode>(source_name(file.name), begin.line, end.line, begin.column, end.column);
  node->span = span;
  return node;
}

// Each span of a script has a file without text, whose id nodes keep.
void give_span(Any& result, const Any& given) {
  auto* node = given.as<SpanNode>();
  auto* made = result.as<ffi::Object>();
  if (node == nullptr || made == nullptr || !made->unique()) return;
  SourceMap& map = SourceMap::current();
  if (!node->span) {
    uint32_t file = map.add(std::string(node->source->name), "");
    node->span = {file, 0, 0};
    map.set_span_node(file, std::make_shared<const Any>(given));
  }
  // The node has no other owner yet.
  if (auto* expr = result.as<ExprNode>()) const_cast<ExprNode*>(expr)->span = node->span;
  if (auto* stmt = result.as<StmtNode>()) const_cast<StmtNode*>(stmt)->span = node->span;
  if (auto* function = result.as<PrimFuncNode>()) const_cast<PrimFuncNode*>(function)->span = node->span;
}

}  // namespace mlc::ir
