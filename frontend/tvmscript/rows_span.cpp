// SPDX-License-Identifier: Apache-2.0
// Where a node was written: tvm.ir.Span and `node.span`.
#include "frontend/tvmscript/arguments.h"
#include "frontend/tvmscript/rows.h"
#include "ir/module.h"

namespace mlc::tvmscript {
namespace {

struct SourceNameNode final : ffi::Object {
  String name;
  explicit SourceNameNode(String name) : name(std::move(name)) {}
  MLC_NODE("mlc.ir.SourceName", SourceNameNode, ffi::Object);
};
using SourceName = ir::Ref<SourceNameNode>;

// Lines and columns are counted from one; the end is the column behind the last.
struct PlaceNode final : ffi::Object {
  SourceName source;
  int64_t line, end_line, column, end_column;
  PlaceNode(SourceName source, int64_t line, int64_t end_line, int64_t column, int64_t end_column)
      : source(std::move(source)), line(line), end_line(end_line), column(column), end_column(end_column) {}
  MLC_NODE("mlc.ir.Span", PlaceNode, ffi::Object);
};

Any place_of(Span span) {
  if (!span) return nullptr;
  ir::SourceMap& map = ir::SourceMap::global();
  ir::Position begin = map.position(span.file, span.begin), end = map.position(span.file, span.end);
  return ir::make<PlaceNode>(ir::make<SourceNameNode>(String(map.file(span.file).name)), begin.line, end.line,
                             begin.column, end.column);
}

int64_t number(const ApiCall& call, size_t i) {
  if (script::is_int(call.args[i])) return script::raw_int(call.args[i]);
  ir::wrong_argument(call, i, "int");
}
Any make_name(ApiCall& call) { return ir::make<SourceNameNode>(str_arg(call, 0)); }
Any make_place(ApiCall& call) {
  SourceName source;
  if (auto* given = call.args[0].as<SourceNameNode>()) {
    source = ir::ref(given);
  } else {
    source = ir::make<SourceNameNode>(str_arg(call, 0));
  }
  return ir::make<PlaceNode>(source, number(call, 1), number(call, 2), number(call, 3), number(call, 4));
}
std::string name_text(const SourceNameNode* name) {
  return fmt::format("SourceName({})", name->name.c_str());
}

template <class N>
const N* self(const ApiCall& call) {
  return call.args[0].as<N>();
}

#define PLACE(owner, type)                                                     \
  {                                                                            \
    ir::ApiKind::kProperty, owner, "span", "Where it was written, or None.",   \
        +[](ApiCall& call) -> Any { return place_of(self<type>(call)->span); } \
  }
#define NO_PLACE(owner)                                               \
  {                                                                   \
    ir::ApiKind::kProperty, owner, "span", "None: no place is kept.", \
        +[](ApiCall&) -> Any { return nullptr; }                      \
  }
#define PROPERTY(owner, name, type, doc)                                                                    \
  {                                                                                                         \
    ir::ApiKind::kProperty, owner, #name, doc, +[](ApiCall& call) -> Any { return self<type>(call)->name; } \
  }
constexpr ir::ApiRow rows[] = {
    {ir::ApiKind::kClass, "tvm.ir", "SourceName(name)", "The name of a text.", make_name, "mlc.ir.SourceName",
     "tvm.ir.base.SourceName"},
    PROPERTY("mlc.ir.SourceName", name, SourceNameNode, "The name."),
    {ir::ApiKind::kMethod, "mlc.ir.SourceName", "__repr__()", "SourceName(name)",
     +[](ApiCall& call) -> Any { return String(name_text(self<SourceNameNode>(call))); }},
    {ir::ApiKind::kClass, "tvm.ir", "Span(source_name, line, end_line, column, end_column)",
     "A part of a text.", make_place, "mlc.ir.Span", "tvm.ir.base.Span"},
    {ir::ApiKind::kProperty, "mlc.ir.Span", "source_name", "The text.",
     +[](ApiCall& call) -> Any { return self<PlaceNode>(call)->source; }},
    PROPERTY("mlc.ir.Span", line, PlaceNode, "The first line."),
    PROPERTY("mlc.ir.Span", end_line, PlaceNode, "The last line."),
    PROPERTY("mlc.ir.Span", column, PlaceNode, "The first column."),
    PROPERTY("mlc.ir.Span", end_column, PlaceNode, "The column behind the last."),
    {ir::ApiKind::kMethod, "mlc.ir.Span", "__repr__()", "Span(SourceName(name), 1, 1, 5, 8)",
     +[](ApiCall& call) -> Any {
       auto* place = self<PlaceNode>(call);
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

std::span<const ir::ApiRow> span_rows() { return rows; }

}  // namespace mlc::tvmscript
