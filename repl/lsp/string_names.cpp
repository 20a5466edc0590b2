// SPDX-License-Identifier: Apache-2.0
// Names that calls mention: blocks, buffers and functions in the strings of a schedule's calls,
// `sch.get_sblock("C", "main")`, and parameters as keywords.
#include <algorithm>

#include "repl/lsp/index_builder.h"
#include "transform/schedule/primitive.h"

namespace mlc::lsp {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// Does a string name a buffer among the arguments of the schedule's method, behind the block?
bool names_buffer(std::string_view method) {
  const transform::Primitive* primitive = transform::find_primitive(method);
  return primitive != nullptr && std::ranges::any_of(transform::parameter_names(*primitive), [](auto name) {
           return name.find("buffer") != name.npos;
         });
}

bool is_string(const Expr* expr) {
  auto* constant = as<Constant>(expr);
  return constant != nullptr && constant->type == Constant::Type::kStr;
}

const Expr* argument(const Call& call, size_t index, std::initializer_list<std::string_view> names) {
  for (const Keyword* keyword : call.keywords)
    if (std::ranges::find(names, keyword->name.str()) != names.end()) return keyword->value;
  return index < call.args.size() ? call.args[index] : nullptr;
}

}  // namespace

std::vector<uint32_t> IndexBuilder::named(std::string_view name, Kind kind, uint32_t inside) const {
  std::vector<uint32_t> found;
  auto same = by_name_.find(Symbol(name));
  if (same == by_name_.end()) return found;
  for (uint32_t id : same->second) {
    const Entity& entity = index_.entities[id];
    if (entity.kind != kind) continue;
    bool within = inside == kNone;
    for (uint32_t at = entity.inside; at != kNone && !within; at = index_.entities[at].inside)
      within = at == inside;
    bool of_ir =
        kind == Kind::kBlock || (kind == Kind::kFunction ? entity.is_ir : index_.function_of(id) != kNone);
    if (within && of_ir) found.push_back(id);
  }
  return found;
}

ir::Span IndexBuilder::inside_quotes(const Expr* literal) const {
  if (!is_string(literal) || literal->span.end < literal->span.begin + 3) return {};
  ir::Span inner{literal->span.file, literal->span.begin + 1, literal->span.end - 1};
  std::string_view text = static_cast<const Constant*>(literal)->text;
  return text_.substr(inner.begin, inner.end - inner.begin) == text ? inner : ir::Span{};
}

void IndexBuilder::mention(const Expr* literal, const std::vector<uint32_t>& candidates) {
  ir::Span inner = inside_quotes(literal);
  for (uint32_t each : candidates) use(inner, each, false, candidates.size() == 1);
}

void IndexBuilder::resolve(const StringUse& use) {
  std::string_view method = last_word(use.call->func);
  uint32_t schedule = use.schedule;
  bool of_schedule = schedule != kNone && index_.entities[schedule].type == "Schedule";
  bool finds_block = method == "get_sblock" || method == "get_block";
  if (!of_schedule && !finds_block) return;
  uint32_t whole = of_schedule ? index_.entities[schedule].schedules : kNone;
  if (whole != kNone && !index_.entities[whole].is_ir) whole = kNone;

  const Expr* function = finds_block ? argument(*use.call, 1, {"func_name"}) : nullptr;
  uint32_t within = whole;
  if (is_string(function)) {
    // The schedule of a lone function has it under the name of `main`, which is none of the program's.
    bool alone = whole != kNone && index_.entities[whole].kind == Kind::kFunction;
    auto functions = alone ? std::vector<uint32_t>()
                           : named(static_cast<const Constant*>(function)->text, Kind::kFunction, whole);
    mention(function, functions);
    if (functions.size() == 1) within = functions[0];
  }
  if (const Expr* block = argument(*use.call, 0, {"name", "block", "sblock"}); is_string(block)) {
    std::string_view name = static_cast<const Constant*>(block)->text;
    bool takes_function = method == "work_on";
    mention(block, named(name, takes_function ? Kind::kFunction : Kind::kBlock, within));
  }
  if (!names_buffer(method)) return;
  for (const Expr* each : use.call->args.subspan(std::min<size_t>(1, use.call->args.size())))
    if (is_string(each)) mention(each, named(static_cast<const Constant*>(each)->text, Kind::kBuffer, whole));
  for (const Keyword* keyword : use.call->keywords) {
    if (keyword->name.str().find("buffer") != std::string_view::npos && is_string(keyword->value))
      mention(keyword->value,
              named(static_cast<const Constant*>(keyword->value)->text, Kind::kBuffer, whole));
  }
}

void IndexBuilder::resolve_strings() {
  for (const StringUse& use : string_uses_) resolve(use);
}

// `f(n=1)` names the parameter.
void IndexBuilder::resolve_keywords() {
  for (const auto& [call, function] : calls_) {
    for (const Keyword* keyword : call->keywords) {
      auto same = by_name_.find(keyword->name);
      if (!keyword->name || same == by_name_.end()) continue;
      for (uint32_t id : same->second) {
        const Entity& entity = index_.entities[id];
        bool parameter = entity.kind == Kind::kParameter || entity.kind == Kind::kBuffer;
        if (parameter && entity.inside == function && entity.ordinal == 0) use(keyword->name_span, id, false);
      }
    }
  }
}

}  // namespace mlc::lsp
