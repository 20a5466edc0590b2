// SPDX-License-Identifier: Apache-2.0
// Macros of graphs: bindings put in place of a call.
#include "frontend/tvmscript/builder/template.h"
#include "frontend/tvmscript/relax/graph_builder.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "macro-without-result",
         .message = "the macro `{}` does not end with `return`",
         .help = "its value is what it returns: `return value` as its last statement"},
        {.name = "endless-macro",
         .kind = "RecursionError",
         .message = "the macro `{}` calls itself without end"},
    }};
MLC_REFUSALS(relax_graph_macro, refusals);

Expr GraphBuilder::expand(InlineNode& macro, const std::vector<std::pair<script::Symbol, Any>>& values,
                          Span span) {
  std::string_view name = macro.definition->name.str();
  auto* last = macro.definition->body.size() == 0 ? nullptr
                                                  : syntax::as<syntax::Return>(macro.definition->body.back());
  if (last == nullptr || last->value == nullptr)
    throw ir::refuse(refusals["macro-without-result"], name)
        .at(span)
        .note("it is defined here", macro.definition->name_span);
  if (expansions_ > 200) throw ir::refuse(refusals["endless-macro"], name).at(span);
  Restore<int> deeper(expansions_, expansions_ + 1);
  // Its own names, in front of those it sees.
  Names outer = std::exchange(names_, Names());
  Names::Below below(outer, SIZE_MAX);
  names_.set_around(macro.hygienic ? macro.around.get() : static_cast<script::NameScope*>(&below));
  struct Leave {
    GraphBuilder& builder;
    Names& outer;
    script::Scope use;
    ~Leave() {
      builder.names_ = std::move(outer);
      builder.where_ = use;
    }
  } leave{*this, outer, where_};
  if (macro.hygienic) where_ = nullptr;
  NameFrame frame(names_);
  for (const auto& [parameter, value] : values) names_.bind(parameter, value, span);
  NameFrame body(names_);
  // Bindings of its own: they stand where the value is used, which may be within another value.
  Blocks blocks;
  Expr value;
  {
    Restore<Blocks*> own(blocks_, &blocks);
    if (dataflow_) {
      block_builder_.begin_dataflow_block();
    } else {
      begin_block();
    }
    try {
      for (const syntax::Stmt* stmt : macro.definition->body) {
        if (stmt != last) visit(stmt);
      }
      value = graph_value(evaluate(*last->value), last->value->span, "the value of a macro");
    } catch (...) {
      block_builder_.end_blocks();
      throw;
    }
    end_block();
  }
  return ir::make<relax::SeqExprNode>(blocks, value, span);
}

}  // namespace mlc::tvmscript
