// SPDX-License-Identifier: Apache-2.0
// Where a node was written: tvm.ir.Span and `node.span`.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/module.h"
#include "ir/registry/given_span.h"

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
  mutable Span span;  // what nodes of this place keep
  PlaceNode(SourceName source, int64_t line, int64_t end_line, int64_t column, int64_t end_column)
      : source(std::move(source)), line(line), end_line(end_line), column(column), end_column(end_column) {}
  MLC_NODE("mlc.ir.Span", PlaceNode, ffi::Object);
};

// One object per name, so that names compare by identity.
SourceName source_name(const std::string& name) {
  static std::unordered_map<std::string, SourceName> known;
  SourceName& found = known[name];
  if (!found.defined()) found = ir::make<SourceNameNode>(String(name));
  return found;
}

// Places that a script made: each stands for a file without text, whose number nodes keep.
std::unordered_map<uint32_t, ir::Ref<PlaceNode>>& made_places() {
  static std::unordered_map<uint32_t, ir::Ref<PlaceNode>> places;
  return places;
}
void give_place(Any& result, const Any& given) {
  auto* place = given.as<PlaceNode>();
  auto* made = result.as<ffi::Object>();
  if (place == nullptr || made == nullptr || !made->unique()) return;
  if (!place->span) {
    uint32_t file = ir::SourceMap::global().add(std::string(place->source->name), "");
    place->span = {file, 0, 0};
    made_places().emplace(file, ir::ref(place));
  }
  // Nobody else has the node yet.
  if (auto* expr = result.as<ir::ExprNode>()) const_cast<ir::ExprNode*>(expr)->span = place->span;
  if (auto* stmt = result.as<ir::StmtNode>()) const_cast<ir::StmtNode*>(stmt)->span = place->span;
  if (auto* function = result.as<ir::PrimFuncNode>())
    const_cast<ir::PrimFuncNode*>(function)->span = place->span;
}

Any place_of(Span span) {
  if (!span) return nullptr;
  if (auto made = made_places().find(span.file); made != made_places().end()) return made->second;
  ir::SourceMap& map = ir::SourceMap::global();
  ir::Position begin = map.position(span.file, span.begin), end = map.position(span.file, span.end);
  auto place = ir::make<PlaceNode>(source_name(map.file(span.file).name), begin.line, end.line, begin.column,
                                   end.column);
  place->span = span;
  return place;
}

int64_t number(const ApiCall& call, size_t i) {
  if (script::is_int(call.args[i])) return script::raw_int(call.args[i]);
  ir::wrong_argument(call, i, "int");
}
Any make_name(ApiCall& call) { return source_name(std::string(str_arg(call, 0))); }
Any make_place(ApiCall& call) {
  SourceName source;
  if (auto* given = call.args[0].as<SourceNameNode>()) {
    source = ir::ref(given);
  } else {
    source = source_name(std::string(str_arg(call, 0)));
  }
  return ir::make<PlaceNode>(source, number(call, 1), number(call, 2), number(call, 3), number(call, 4));
}
std::string name_text(const SourceNameNode* name) {
  return fmt::format("SourceName({}, {})", name->name.c_str(), static_cast<const void*>(name));
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

std::span<const ir::ApiRow> span_rows() {
  ir::give_places_by(give_place);
  return rows;
}

}  // namespace mlc::tvmscript
