// SPDX-License-Identifier: Apache-2.0
// Where a node was written: tvm.ir.Span and `node.span`.
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/module.h"
#include "ir/core/span_node.h"

namespace mlc::tvmscript {
namespace {

using ir::SourceName;
using ir::SourceNameNode;
using ir::SpanNode;

Any make_name(ApiCall& call) { return ir::source_name(std::string(str_arg(call, 0))); }
Any make_span(ApiCall& call) {
  SourceName source;
  if (auto* given = call.args[0].as<SourceNameNode>()) {
    source = ir::ref(given);
  } else {
    source = ir::source_name(std::string(str_arg(call, 0)));
  }
  return ir::make<SpanNode>(source, int_arg(call, 1), int_arg(call, 2), int_arg(call, 3), int_arg(call, 4));
}
std::string name_text(const SourceNameNode* name) {
  return fmt::format("SourceName({}, {})", name->name.c_str(), static_cast<const void*>(name));
}

template <class N>
const N* span_self(const ApiCall& call) {
  return call.args[0].as<N>();
}

#define PLACE(owner, type)                                                     \
  {                                                                            \
    ir::ApiKind::kProperty, owner, "span", "Where it was written, or None.",   \
        +[](ApiCall& call) -> Any { return ir::span_node(span_self<type>(call)->span); } \
  }
#define NO_PLACE(owner)                                               \
  {                                                                   \
    ir::ApiKind::kProperty, owner, "span", "None: no place is kept.", \
        +[](ApiCall&) -> Any { return nullptr; }                      \
  }
#define PROPERTY(owner, name, type, doc)                                                                    \
  {                                                                                                         \
    ir::ApiKind::kProperty, owner, #name, doc, +[](ApiCall& call) -> Any { return span_self<type>(call)->name; } \
  }
constexpr ir::ApiRow span_table[] = {
    MLC_NODE_CLASS("ir", "base", "SourceName", "(name)", "The name of a text.", make_name),
    PROPERTY("mlc.ir.SourceName", name, SourceNameNode, "The name."),
    {ir::ApiKind::kMethod, "mlc.ir.SourceName", "__repr__()", "SourceName(name)",
     +[](ApiCall& call) -> Any { return String(name_text(span_self<SourceNameNode>(call))); }},
    MLC_NODE_CLASS("ir", "base", "Span", "(source_name, line, end_line, column, end_column)",
                   "A part of a text.", make_span),
    {ir::ApiKind::kProperty, "mlc.ir.Span", "source_name", "The text.",
     +[](ApiCall& call) -> Any { return span_self<SpanNode>(call)->source; }},
    PROPERTY("mlc.ir.Span", line, SpanNode, "The first line."),
    PROPERTY("mlc.ir.Span", end_line, SpanNode, "The last line."),
    PROPERTY("mlc.ir.Span", column, SpanNode, "The first column."),
    PROPERTY("mlc.ir.Span", end_column, SpanNode, "The column behind the last."),
    {ir::ApiKind::kMethod, "mlc.ir.Span", "__repr__()", "Span(SourceName(name), 1, 1, 5, 8)",
     +[](ApiCall& call) -> Any {
       auto* place = span_self<SpanNode>(call);
       return String(fmt::format("Span({}, {}, {}, {}, {})", name_text(place->source.get()), place->line,
                                 place->end_line, place->column, place->end_column));
     }},
    PLACE("mlc.ir.Expr", ir::ExprNode),
    PLACE("mlc.tirx.Stmt", ir::StmtNode),
    PLACE("mlc.tirx.PrimFunc", ir::PrimFuncNode),
    NO_PLACE("mlc.ir.Type"),
    NO_PLACE("mlc.ir.Range"),
    NO_PLACE("mlc.tirx.IterVar"),
};
#undef PLACE
#undef NO_PLACE
#undef PROPERTY

}  // namespace

std::span<const ir::ApiRow> span_rows() { return span_table; }

}  // namespace mlc::tvmscript
