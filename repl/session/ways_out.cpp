// SPDX-License-Identifier: Apache-2.0
#include "repl/session/ways_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "frontend/syntax/parse.h"
#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "repl/session/session.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

using transform::SRefNode;

namespace {

constexpr size_t kMostShown = 3;
constexpr size_t kMostTried = 24;
constexpr double kMostSeconds = 0.3;  // of trying, on modules where a copy of the schedule takes long

std::string_view text_at(ir::Span span) {
  return std::string_view(ir::SourceMap::current().file(span.file).text)
      .substr(span.begin, span.end - span.begin);
}
bool inside(ir::Span inner, ir::Span outer) {
  return inner.file == outer.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

// The schedule that a name is bound to.
std::optional<transform::Schedule> schedule_of(const script::Evaluator& evaluator, const syntax::Expr* e) {
  auto* name = syntax::as<syntax::Name>(e);
  const ir::Any* value = name == nullptr ? nullptr : evaluator.global(name->id.str());
  if (value == nullptr || !script::is_object(*value)) return std::nullopt;
  auto schedule = value->as<transform::Schedule>();
  return schedule && *schedule ? schedule : std::nullopt;
}

// The innermost call of a schedule's method that the span lies in. Nothing below a lambda or a comprehension:
// these have names of their own.
const syntax::Call* refused_call(const script::Evaluator& evaluator, const syntax::Expr* e, ir::Span span) {
  if (e == nullptr || !inside(span, e->span)) return nullptr;
  auto in = [&](const syntax::Expr* below) { return refused_call(evaluator, below, span); };
  if (auto* call = syntax::as<syntax::Call>(e)) {
    for (const syntax::Expr* each : call->args)
      if (auto* found = in(each)) return found;
    for (const syntax::Keyword* each : call->keywords)
      if (auto* found = in(each->value)) return found;
    auto* method = syntax::as<syntax::Attribute>(call->func);
    if (method == nullptr) return in(call->func);
    if (auto* found = in(method->value)) return found;
    return schedule_of(evaluator, method->value) ? call : nullptr;
  }
  if (auto* part = syntax::as<syntax::Subscript>(e)) return in(part->value);
  if (auto* part = syntax::as<syntax::Attribute>(e)) return in(part->value);
  if (auto* part = syntax::as<syntax::Starred>(e)) return in(part->value);
  auto in_any = [&](const syntax::Seq<syntax::Expr>& parts) -> const syntax::Call* {
    for (const syntax::Expr* each : parts)
      if (auto* found = in(each)) return found;
    return nullptr;
  };
  if (auto* part = syntax::as<syntax::Tuple>(e)) return in_any(part->elts);
  if (auto* part = syntax::as<syntax::List>(e)) return in_any(part->elts);
  return nullptr;
}

// May it be evaluated again? Calls other than of schedules may do what cannot be taken back: draw from a
// generator, write a file. A lambda is for the step that is refused.
bool can_be_repeated(const script::Evaluator& evaluator, const syntax::Expr* e) {
  auto can = [&](const syntax::Expr* each) { return each == nullptr || can_be_repeated(evaluator, each); };
  auto all = [&](const syntax::Seq<syntax::Expr>& parts) {
    return std::all_of(parts.begin(), parts.end(), can);
  };
  if (syntax::as<syntax::Name>(e) || syntax::as<syntax::Constant>(e) || syntax::as<syntax::Lambda>(e))
    return true;
  if (auto* part = syntax::as<syntax::Attribute>(e)) return can(part->value);
  if (auto* part = syntax::as<syntax::Starred>(e)) return can(part->value);
  if (auto* part = syntax::as<syntax::Subscript>(e)) return can(part->value) && can(part->slice);
  if (auto* part = syntax::as<syntax::Slice>(e))
    return can(part->lower) && can(part->upper) && can(part->step);
  if (auto* part = syntax::as<syntax::UnaryOp>(e)) return can(part->operand);
  if (auto* part = syntax::as<syntax::BinOp>(e)) return can(part->left) && can(part->right);
  if (auto* part = syntax::as<syntax::Tuple>(e)) return all(part->elts);
  if (auto* part = syntax::as<syntax::List>(e)) return all(part->elts);
  if (auto* call = syntax::as<syntax::Call>(e)) {
    auto* method = syntax::as<syntax::Attribute>(call->func);
    if (method == nullptr || !schedule_of(evaluator, method->value) || !all(call->args)) return false;
    return std::all_of(call->keywords.begin(), call->keywords.end(),
                       [&](const syntax::Keyword* each) { return can(each->value); });
  }
  return false;
}

// The value of the statement, where all that it does is to bind it.
const syntax::Expr* value_of(const syntax::Stmt* stmt) {
  if (auto* assign = syntax::as<syntax::Assign>(stmt)) return assign->value;
  if (auto* alone = syntax::as<syntax::ExprStmt>(stmt)) return alone->value;
  return nullptr;
}

// What a handle refers to in the schedule.
void describe(RefusedCall::Argument& argument, const ir::Any& value, const transform::Schedule& schedule) {
  argument.is_loop = value.as<transform::LoopRV>().has_value();
  if (!argument.is_loop && !value.as<transform::SBlockRV>()) return;
  auto found = schedule->handles.find(script::raw_object(value));
  if (found == schedule->handles.end()) return;
  argument.stmt = found->second->stmt;
  if (!argument.stmt) argument.gone = std::string(found->second->name);
}

using TryOut = std::function<bool(const std::function<void()>&)>;

RefusedCall::Argument argument_of(script::Evaluator& evaluator, const syntax::Expr* e,
                                  const transform::Schedule& schedule, const TryOut& try_out) {
  RefusedCall::Argument argument;
  argument.text = std::string(text_at(e->span));
  if (auto* constant = syntax::as<syntax::Constant>(e)) {
    if (constant->type == syntax::Constant::Type::kStr)
      argument.value = ir::String(std::string(constant->text));
    if (constant->type == syntax::Constant::Type::kInt) argument.value = constant->integer;
  } else if (auto* name = syntax::as<syntax::Name>(e)) {
    if (const ir::Any* value = evaluator.global(name->id.str())) argument.value = *value;
    describe(argument, argument.value, schedule);
  } else if (syntax::as<syntax::Subscript>(e) || syntax::as<syntax::Call>(e)) {
    // A handle that it makes does not outlive the attempt; the loop or block that was there before does.
    try_out([&] {
      uint32_t file = ir::SourceMap::current().add("<repl>", argument.text + "\n");
      describe(argument, evaluator.evaluate_repl(file), schedule);
    });
  }
  return argument;
}

}  // namespace

std::string RefusedCall::call(std::string_view other_method, const std::vector<std::string>& texts) const {
  return fmt::format("{}.{}({})", receiver, other_method, fmt::join(texts, ", "));
}

std::string RefusedCall::with(size_t argument, const std::string& text, std::string_view other_method) const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& each = arguments[i];
    const std::string& own = i == argument ? text : each.text;
    texts.push_back(each.keyword.empty() ? own : fmt::format("{}={}", each.keyword, own));
  }
  return call(other_method, texts);
}

std::string RefusedCall::calling(std::string_view other_method) const {
  return with(arguments.size(), "", other_method);
}

std::optional<size_t> RefusedCall::loop_argument() const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_loop) return i;
  return std::nullopt;
}

std::optional<size_t> RefusedCall::block_argument() const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (block(i) != nullptr) return i;
  return std::nullopt;
}

const SRefNode* RefusedCall::loop(size_t argument) const {
  const ir::Stmt& stmt = arguments[argument].stmt;
  return stmt && arguments[argument].is_loop ? state().find(stmt.get()).get() : nullptr;
}

const SRefNode* RefusedCall::block(size_t argument) const {
  const Argument& given = arguments[argument];
  if (given.is_loop) return nullptr;
  if (given.stmt) return state().find(given.stmt.get()).get();
  auto name = given.value.try_cast<ir::String>();
  const SRefNode* found = nullptr;
  for (const SRefNode* each : blocks())
    if (name && each->name == *name) found = each;
  return found;
}

std::vector<SRefNode*> RefusedCall::places(bool loops) const {
  std::vector<SRefNode*> found;
  for (const auto& [var, function] : state().mod()->functions) {
    bool worked_on = !schedule->func_working_on || schedule->func_working_on.same_as(var);
    auto fn = ir::try_get<ir::PrimFunc>(ir::Any(function));
    if (!fn || !worked_on) continue;
    state().index(var);
    ir::walk_with((*fn)->body, [&](const ir::Stmt& s, ir::Walker& on) {
      if (loops ? ir::as<ir::ForNode>(s) != nullptr : ir::as<ir::SBlockNode>(s) != nullptr)
        if (auto sref = state().find(s.get()); sref && sref->parent != nullptr) found.push_back(sref.get());
      on.walk_children(s);
    });
  }
  return found;
}

std::string RefusedCall::text_of(const SRefNode& place) const {
  for (const auto& [name, value] : evaluator.globals()) {
    if (name == "_" || !script::is_object(value)) continue;
    auto handle = schedule->handles.find(script::raw_object(value));
    if (handle != schedule->handles.end() && handle->second->stmt.same_as(place.stmt)) return name;
  }
  std::vector<SRefNode*> all = blocks();
  auto named = [&](const SRefNode& block) {
    return std::ranges::count_if(all, [&](const SRefNode* each) { return each->name == block.name; }) == 1;
  };
  if (place.block() != nullptr) return named(place) ? fmt::format("\"{}\"", place.name.c_str()) : "";
  for (const SRefNode* block : all) {
    std::vector<SRefNode*> around = transform::loops_above(*block);
    auto at = std::ranges::find(around, &place);
    if (at == around.end() || !named(*block)) continue;
    return fmt::format("{}.get_loops(\"{}\")[{}]", receiver, block->name.c_str(), at - around.begin());
  }
  return "";
}

std::vector<std::string> ways_out(script::Evaluator& evaluator, const ir::Error& error,
                                  const TryOut& try_out) {
  std::vector<std::string> offered;
  const ir::Diagnostic& first = error.first();
  auto row = std::ranges::find(way_out_rows(), first.name, &WayOutRow::rule);
  if (row == way_out_rows().end() || !first.span) return offered;
  auto tree = syntax::parse_file(first.span.file);
  // Those before it have run, those behind it have not.
  const auto& body = tree->module->body;
  auto found =
      std::ranges::find_if(body, [&](const syntax::Stmt* each) { return inside(first.span, each->span); });
  if (found == body.end()) return offered;
  const syntax::Stmt* stmt = *found;
  const syntax::Expr* value = value_of(stmt);
  if (value == nullptr || !can_be_repeated(evaluator, value)) return offered;
  const syntax::Call* call = refused_call(evaluator, value, first.span);
  if (call == nullptr) return offered;
  auto* method = syntax::as<syntax::Attribute>(call->func);
  RefusedCall refused{.evaluator = evaluator,
                      .error = first,
                      .schedule = *schedule_of(evaluator, method->value),
                      .receiver = std::string(text_at(method->value->span)),
                      .method = std::string(method->attr.str()),
                      .arguments = {}};
  auto add = [&](const syntax::Expr* e, std::string keyword) {
    RefusedCall::Argument argument = argument_of(evaluator, e, refused.schedule, try_out);
    argument.keyword = std::move(keyword);
    argument.blamed = inside(first.span, e->span);
    refused.arguments.push_back(std::move(argument));
  };
  for (const syntax::Expr* each : call->args) add(each, "");
  for (const syntax::Keyword* each : call->keywords) add(each->value, std::string(each->name.str()));

  std::string_view text = text_at({first.span.file, stmt->span.begin, stmt->span.end});
  std::string before(text.substr(0, call->span.begin - stmt->span.begin));
  std::string after(text.substr(call->span.end - stmt->span.begin));
  auto begin = std::chrono::steady_clock::now();
  size_t tried = 0;
  for (const std::string& candidate : row->candidates(refused)) {
    size_t last = candidate.rfind("; ");
    size_t split = last == std::string::npos ? 0 : last + 2;
    std::string statement =
        candidate.substr(0, split) + before + candidate.substr(split) + std::string(trim(after));
    if (std::ranges::find(offered, statement) != offered.end() || statement == trim(text)) continue;
    if (++tried > kMostTried ||
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kMostSeconds)
      break;
    bool runs =
        try_out([&] { evaluator.evaluate_repl(ir::SourceMap::current().add("<repl>", statement + "\n")); });
    if (runs) offered.push_back(statement);
    if (offered.size() == kMostShown) break;
  }
  return offered;
}

}  // namespace mlc::repl
