// SPDX-License-Identifier: Apache-2.0
// Spans as objects: tvm.ir.Span, what scripts make and what `node.span` returns.
#pragma once

#include "ir/core/object.h"

namespace mlc::ir {

struct SourceNameNode final : ffi::Object {
  String name;
  explicit SourceNameNode(String name) : name(std::move(name)) {}
  MLC_NODE("mlc.ir.SourceName", SourceNameNode, ffi::Object);
};
using SourceName = Ref<SourceNameNode>;
// One object per name in each thread, so that names compare by identity.
SourceName source_name(const std::string& name);

// Lines and columns are counted from one; the end is the column behind the last.
struct SpanNode final : ffi::Object {
  SourceName source;
  int64_t line, end_line, column, end_column;
  mutable Span span;  // what nodes with this span keep
  SpanNode(SourceName source, int64_t line, int64_t end_line, int64_t column, int64_t end_column)
      : source(std::move(source)), line(line), end_line(end_line), column(column), end_column(end_column) {}
  MLC_NODE("mlc.ir.Span", SpanNode, ffi::Object);
};

// The object of a span: the one that a script made, or one of the span in the text. None for no span.
Any span_node(Span span);

// The `span` argument of a constructor: a node that a call has just made and alone owns says that it
// is from there. Other results stay as they are, and `given` may be no span at all.
void give_span(Any& result, const Any& given);

}  // namespace mlc::ir
