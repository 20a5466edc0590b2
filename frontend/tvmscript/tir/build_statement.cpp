// SPDX-License-Identifier: Apache-2.0
// Statements of a decorated function: control flow, blocks, and expressions that stand alone.
#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/value.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/builder.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"
#include "ir/tir/region.h"
#include "ir/tir/simplified.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "assert-without-message",
         .message = "`assert` in a prim_func needs a message",
         .help = "write `assert condition, \"what is wrong\"`",
         .meaning = "An assert of a function is checked when the compiled code runs; its message is all that "
                    "a person sees then.",
         .wrong = "assert n > 0",
         .right = R"(assert n > 0, "n must be positive")"},
        {.name = "no-effect",
         .meaning = "The statement adds nothing to the function. What the script computes while the function "
                    "is read stays in the script.",
         .wrong = "None",
         .right = "T.evaluate(n)"},
        {.name = "not-a-condition",
         .meaning = "A condition is a comparison or a bool.",
         .wrong = R"(if A:
    A[0] = 1.0)",
         .right = R"(if A[0] > 0.0:
    A[0] = 1.0)"},
        {.name = "not-a-context",
         .kind = "TypeError",
         .message = "a prim_func cannot use `{}` in `with`",
         .help = "use `T.sblock`, `T.init`, `T.attr` or `T.launch_thread`",
         .meaning = "`with` opens blocks, attributes and threads in a function.",
         .wrong = R"(with n:
    A[0] = 1.0)",
         .right = R"(with T.sblock("b"):
    A[0] = 1.0)"},
        {.name = "not-a-loop",
         .kind = "TypeError",
         .meaning = "A loop of the compiled function counts: it runs over `range` or a loop of `T`.",
         .wrong = R"(for i in [1, 2]:
    A[i] = 1.0)",
         .right = R"(for i in range(1, 3):
    A[i] = 1.0)"},
        {.name = "return-without-value",
         .message = "`return` in a prim_func needs a value",
         .meaning = "A function ends at its last statement; `return` gives a value.",
         .wrong = "return",
         .right = "return n"},
        {.name = "undetectable-access",
         .message = "the block `{}` passes on the address of `{}`, so its regions cannot be found",
         .help = "write `T.reads(...)` and `T.writes(...)`",
         .meaning = "The address of a buffer leaves the block, so what the block reads and writes cannot be "
                    "found. Write it down.",
         .wrong = R"(with T.sblock("b"):
    T.evaluate(T.call_extern("int32", "g", A.data))
A[0] = 1.0)",
         .right = R"(with T.sblock("b"):
    T.reads(A[0:16])
    T.writes(A[0:16])
    T.evaluate(T.call_extern("int32", "g", A.data)))"},
    }};
MLC_REFUSALS(tir_build_statement, refusals);

namespace {

[[noreturn]] void not_in_prim_func(std::string_view what, Span span) {
  throw ir::Error("unsupported-statement", "{} has no meaning in a prim_func", what).at(span);
}

// `T.evaluate(0)` is how nothing is spelled: dropped beside other statements. Other constants stay.
bool is_nothing(const Stmt& stmt) {
  auto* evaluate = ir::as<ir::EvaluateNode>(stmt);
  auto* value = evaluate ? ir::as<ir::IntImmNode>(evaluate->value) : nullptr;
  return value && value->value == 0 && !value->dtype().is_bool();
}

Stmt in_sequence(const std::vector<Stmt>& stmts) {
  Array<Stmt> flat;
  auto add = [&flat](const auto& self, const Stmt& stmt) -> void {
    if (auto* nested = ir::as<ir::SeqStmtNode>(stmt)) {
      for (const Stmt& one : nested->seq) self(self, one);
    } else if (!is_nothing(stmt)) {
      flat.push_back(stmt);
    }
  };
  for (const Stmt& stmt : stmts) add(add, stmt);
  if (flat.empty()) return stmts.size() == 1 ? stmts[0] : ir::no_op();
  if (flat.size() == 1) return flat[0];
  return ir::make<ir::SeqStmtNode>(std::move(flat));
}

}  // namespace

// ---- bodies ----

Stmt Builder::wrap(std::vector<Stmt> inner, const AttrFrameNode::Entry& entry, Span span) {
  Stmt body = in_sequence(inner);
  return ir::make<ir::AttrStmtNode>(entry.node, entry.key, entry.value, std::move(body), span);
}

Stmt Builder::close_body(Body& body) {
  while (!body.wrappers.empty()) {
    Body::Wrapper wrapper = std::move(body.wrappers.back());
    body.wrappers.pop_back();
    std::vector<Stmt> inner(body.stmts.begin() + static_cast<ptrdiff_t>(wrapper.begin), body.stmts.end());
    body.stmts.resize(wrapper.begin);
    body.stmts.push_back(wrap(std::move(inner), wrapper.entry, wrapper.span));
  }
  return in_sequence(body.stmts);
}

Stmt Builder::build_body(syntax::Seq<syntax::Stmt> stmts, bool is_branch) {
  Body inner;
  inner.is_branch = is_branch;
  Restore<Body*> scope(body_, &inner);
  Restore<size_t> deeper(depth_, depth_ + 1);
  visit_all(stmts);
  return close_body(inner);
}

void Builder::visit_all(syntax::Seq<syntax::Stmt> stmts) {
  for (const syntax::Stmt* stmt : stmts) {
    attempt(stmt->span, [&] { visit(stmt); });
  }
}

void Builder::visit(const syntax::Stmt* stmt) {
  switch (stmt->kind) {
    case syntax::StmtKind::kAssign:
      return visit_assign(static_cast<const syntax::Assign&>(*stmt));
    case syntax::StmtKind::kAugAssign:
      return visit_aug_assign(static_cast<const syntax::AugAssign&>(*stmt));
    case syntax::StmtKind::kAnnAssign:
      return visit_ann_assign(static_cast<const syntax::AnnAssign&>(*stmt));
    case syntax::StmtKind::kFor:
      return visit_for(static_cast<const syntax::For&>(*stmt));
    case syntax::StmtKind::kWhile:
      return visit_while(static_cast<const syntax::While&>(*stmt));
    case syntax::StmtKind::kIf:
      return visit_if(static_cast<const syntax::If&>(*stmt));
    case syntax::StmtKind::kWith:
      return visit_with(static_cast<const syntax::With&>(*stmt), 0);
    case syntax::StmtKind::kReturn:
      return visit_return(static_cast<const syntax::Return&>(*stmt));
    case syntax::StmtKind::kAssert:
      return visit_assert(static_cast<const syntax::Assert&>(*stmt));
    case syntax::StmtKind::kExprStmt:
      return visit_expression(static_cast<const syntax::ExprStmt&>(*stmt));
    case syntax::StmtKind::kPass:
      return emit(ir::make<ir::EvaluateNode>(ir::int32(0), stmt->span));
    case syntax::StmtKind::kBreak:
      return emit(ir::make<ir::EvaluateNode>(ir::call_op(DataType::Void(), "tirx.break_loop", {}, stmt->span),
                                             stmt->span));
    case syntax::StmtKind::kContinue:
      return emit(ir::make<ir::EvaluateNode>(
          ir::call_op(DataType::Void(), "tirx.continue_loop", {}, stmt->span), stmt->span));
    case syntax::StmtKind::kFunctionDef:
      return visit_definition(static_cast<const syntax::FunctionDef&>(*stmt));
    case syntax::StmtKind::kClassDef:
      not_in_prim_func("a class", stmt->span);
    case syntax::StmtKind::kDelete:
      not_in_prim_func("`del`", stmt->span);
    case syntax::StmtKind::kRaise:
      not_in_prim_func("`raise`", stmt->span);
    case syntax::StmtKind::kTry:
      not_in_prim_func("`try`", stmt->span);
    case syntax::StmtKind::kImport:
    case syntax::StmtKind::kImportFrom:
      not_in_prim_func("`import`", stmt->span);
    case syntax::StmtKind::kGlobal:
      not_in_prim_func("`global`", stmt->span);
    case syntax::StmtKind::kNonlocal:
      not_in_prim_func("`nonlocal`", stmt->span);
  }
}

// ---- loops ----

Ref<ForFrameNode> Builder::range_loop(const syntax::Call& call) {
  std::vector<Expr> bounds;
  constexpr const char* what = "a bound of a loop";
  for (const syntax::Expr* arg : call.args)
    bounds.push_back(script::as_expr(evaluate(*arg), arg->span, what));
  if (bounds.empty() || bounds.size() > 3 || !call.keywords.empty()) {
    throw ir::Error("wrong-arguments", "`range` takes one to three bounds, got {}", bounds.size())
        .at(call.span)
        .kind("TypeError");
  }
  for (size_t i = 0; i < bounds.size(); ++i) integer_of(bounds[i], call.args[i]->span, what);
  // From 0, which is of 32 bits.
  if (bounds.size() == 1 && bounds[0]->dtype().bits() < 32) bounds.insert(bounds.begin(), ir::int32(0));
  bounds.resize(3);
  auto frame = ir::make<ForFrameNode>();
  const_cast<ForFrameNode*>(frame.get())
      ->loops.push_back(loop_over(bounds[0], bounds[1], bounds[2], call.span,
                                  [&](const Expr& e) { return evaluator_.simplify(e); }));
  return frame;
}

// A variable may be used above its definition: lowering puts the pragmas of a loop into attributes around it,
// and some schedules of TVM leave an iterator behind in statements that they move. It prints as
//   i = T.int32()
//   T.attr(i, "pragma_unroll_explicit", 1)
//   for i in range(4):
// and both names are one variable. The variable that such a line made for the definition of `name`, or null.
Var Builder::announced(Symbol name, const Type& type) {
  if (announced_.empty()) return {};
  const Any* known = names_.peek(name);
  auto* var = known ? known->as<ir::VarNode>() : nullptr;
  if (!var || !announced_.contains(var) || !ir::structural_equal(Any(var->ty), Any(type))) return {};
  announced_.erase(var);
  return ir::ref(var);
}

void Builder::visit_for(const syntax::For& node) {
  static const Symbol range_name("range");
  if (!node.orelse.empty()) {
    throw ir::Error("unsupported-statement", "`for ... else` has no meaning in a prim_func")
        .at(node.orelse[0]->span)
        .help(
            "a loop of a prim_func that is not left by `break` runs to its end: put the statements after it");
  }
  NameFrame scope(names_);
  Any iter;
  const syntax::Expr* target = node.target;
  bool header_ok = attempt(node.iter->span, [&] {
    auto* call = syntax::as<syntax::Call>(node.iter);
    auto* callee = call ? syntax::as<syntax::Name>(call->func) : nullptr;
    if (callee && callee->id == range_name && !names_.peek(range_name)) {
      iter = range_loop(*call);
    } else {
      iter = evaluate(*node.iter);
    }
    if (frame<ForFrameNode>(iter)) return;
    auto* number = iter.as<ir::ExprNode>();
    bool counts = script::is_int(iter) || (number && number->dtype().is_int());
    auto* buffer = iter.as<ir::VarNode>();
    if (buffer && buffer->buffer()) {
      throw ir::refuse_as(refusals["not-a-loop"], "a prim_func cannot iterate over a buffer")
          .at(node.iter->span)
          .help(fmt::format("count its elements: `range({}.shape[0])`",
                            ir::SourceMap::current().text(node.iter->span)));
    }
    throw ir::refuse_as(refusals["not-a-loop"], "a prim_func cannot iterate over `{}`", ir::type_name(iter))
        .at(node.iter->span)
        .help(counts ? fmt::format("write `range({})`", ir::SourceMap::current().text(node.iter->span))
                     : "use `range`, `T.serial`, `T.grid`, `T.parallel`, `T.vectorized`, `T.unroll` or "
                       "`T.thread_binding`");
  });
  if (!header_ok) {
    poison(*target);
    build_body(node.body);
    return;
  }
  const ForFrameNode& loop_frame = *frame<ForFrameNode>(iter);
  size_t count = loop_frame.loops.size();
  std::vector<Var> vars;
  Array<Any> values;
  auto* tuple = syntax::as<syntax::Tuple>(target);
  std::vector<const syntax::Name*> known(count);  // names of loop variables that are announced
  for (size_t i = 0; i < count; ++i) {
    const Type& type = loop_frame.loops[i].extent->ty;
    auto* name = syntax::as<syntax::Name>(tuple && i < tuple->elts.size() ? tuple->elts[i] : target);
    Var earlier = name ? announced(name->id, type) : Var();
    if (earlier) known[i] = name;
    vars.push_back(earlier ? earlier : Var(ir::make<ir::VarNode>(String(), type, target->span)));
    // The names are bound below: an announced variable has a name already.
    values.push_back(Expr(earlier ? Var(ir::make<ir::VarNode>(String(), type, target->span)) : vars[i]));
  }
  Any value = count == 1 ? values[0] : Any(values);
  if (!attempt(target->span, [&] { assign(*target, value, nullptr, target->span); })) poison(*target);
  for (size_t i = 0; i < count; ++i) {
    if (known[i]) names_.bind(known[i]->id, Expr(vars[i]), known[i]->span);
  }
  size_t outer_loops = loops_.size();
  for (size_t i = 0; i < count; ++i) loops_.emplace_back(vars[i].get(), loop_frame.loops[i]);
  Stmt body = build_body(node.body);
  loops_.resize(outer_loops);
  emit(close_loops(loop_frame, vars, std::move(body), node.span));
}

Stmt Builder::close_loops(const ForFrameNode& frame, const std::vector<Var>& vars, Stmt body, Span span) {
  for (size_t i = frame.loops.size(); i-- > 0;) {
    const Loop& loop = frame.loops[i];
    IterVar thread;
    if (frame.kind == ir::ForKind::kThreadBinding) {
      Var iter_var = ir::make<ir::VarNode>(String("iter"), loop.extent->ty);
      thread = ir::make<ir::IterVarNode>(ir::Range(), iter_var, ir::IterType::kThreadIndex, frame.thread);
    }
    body = ir::make<ir::ForNode>(vars[i], loop.min, loop.extent, frame.kind, std::move(body), thread,
                                 frame.annotations, loop.step, span);
  }
  return body;
}

Expr Builder::condition(const Any& value, Span span, std::string_view where) {
  auto e = script::to_expr(value, span);
  if (auto* var = e ? ir::as<ir::VarNode>(*e) : nullptr; var && var->buffer()) {
    throw ir::refuse_as(refusals["not-a-condition"], "the condition of `{}` must be a bool, `{}` is a buffer",
                        where, var->name.c_str())
        .at(span)
        .note("the buffer is declared here", var->span)
        .help(fmt::format("compare an element: `{}[...] > 0`", var->name.c_str()));
  }
  if (e && (*e)->ty->kind == ir::TypeKind::kPrim) return *e;
  throw ir::refuse_as(refusals["not-a-condition"], "the condition of `{}` must be a bool, got `{}`", where,
                      ir::type_name(value))
      .at(span);
}

void Builder::visit_while(const syntax::While& node) {
  if (!node.orelse.empty()) {
    throw ir::Error("unsupported-statement", "`while ... else` has no meaning in a prim_func")
        .at(node.orelse[0]->span);
  }
  Expr condition;
  attempt(node.test->span,
          [&] { condition = this->condition(evaluate(*node.test), node.test->span, "while"); });
  NameFrame scope(names_);
  Stmt body = build_body(node.body);
  if (condition) emit(ir::make<ir::WhileNode>(condition, std::move(body), node.span));
}

void Builder::visit_if(const syntax::If& node) {
  Any test;
  if (!attempt(node.test->span, [&] { test = evaluate(*node.test); })) {
    NameFrame scope(names_);
    build_body(node.body);
    build_body(node.orelse);
    return;
  }
  if (script::is_bool(test)) {
    // Known now: the branch taken is as if it stood here alone.
    visit_all(script::raw_int(test) != 0 ? node.body : node.orelse);
    touched_ = true;
    return;
  }
  if (!script::is_ir_value(test)) {
    throw ir::refuse_as(refusals["not-a-condition"], "the condition of `if` must be a bool, got `{}`",
                        ir::type_name(test))
        .at(node.test->span);
  }
  Expr condition = this->condition(test, node.test->span, "if");
  Stmt then_case, else_case;
  {
    NameFrame scope(names_);
    then_case = build_body(node.body, true);
  }
  if (!node.orelse.empty()) {
    NameFrame scope(names_);
    else_case = build_body(node.orelse, true);
  }
  emit(ir::make<ir::IfThenElseNode>(condition, std::move(then_case), std::move(else_case), node.span));
}

// ---- with ----

void Builder::visit_with(const syntax::With& node, size_t item) {
  if (item == node.items.size()) {
    visit_all(node.body);
    return;
  }
  const syntax::WithItem& with = *node.items[item];
  NameFrame scope(names_);
  Any context;
  if (!attempt(with.context_expr->span, [&] { context = evaluate(*with.context_expr); })) {
    if (with.optional_vars) poison(*with.optional_vars);
    BlockState unknown;  // so that T.reads, T.axis, ... below do not complain
    unknown.depth = depth_ + 1;
    std::vector<BlockState*> inside = blocks_;
    inside.push_back(&unknown);
    Body nowhere;
    Restore<std::vector<BlockState*>> blocks(blocks_, std::move(inside));
    Restore<Body*> body(body_, &nowhere);
    Restore<size_t> deeper(depth_, depth_ + 1);
    return visit_with(node, item + 1);
  }
  bool is_block = frame<BlockFrameNode>(context), is_init = frame<InitFrameNode>(context);
  auto* attrs = frame<AttrFrameNode>(context);
  if (with.optional_vars && (is_block || is_init || (attrs && !attrs->bound))) {
    throw ir::Error("unsupported-statement", "{} binds no name with `as`",
                    is_block  ? "a block"
                    : is_init ? "`T.init`"
                              : "`T.attr`")
        .at(with.optional_vars->span)
        .help(is_block ? "define its iterators in the body: `vi = T.axis.spatial(n, i)`" : "");
  }
  if (is_opening(context)) {
    Any value = enter(context, with.context_expr->span);
    try {
      if (with.optional_vars) assign(*with.optional_vars, value, nullptr, with.optional_vars->span);
      visit_with(node, item + 1);
    } catch (const ir::Error&) {
      abandon();
      throw;
    }
    if (errors_.empty()) return leave(node.span);
    return abandon();  // half a body is not worth more errors
  }
  // `with T.LetStmt(value) as x:` of older texts: what the statement before binds.
  auto* bound = context.as<ir::VarNode>();
  auto* last =
      bound != nullptr && !body_->stmts.empty() ? ir::as<ir::BindNode>(body_->stmts.back()) : nullptr;
  if (last != nullptr && last->var.get() == bound) {
    if (with.optional_vars) assign(*with.optional_vars, context, nullptr, with.optional_vars->span);
    return visit_with(node, item + 1);
  }
  // An object of the script that opens frames of its own.
  Span span = with.context_expr->span;
  Any enter, exit;
  if (!evaluator_.find_attribute(context, Symbol("__enter__"), enter) ||
      !evaluator_.find_attribute(context, Symbol("__exit__"), exit))
    throw ir::refuse(refusals["not-a-context"], ir::type_name(context)).at(span);
  Any value = evaluator_.call(enter, {}, {}, span);
  try {
    if (with.optional_vars) assign(*with.optional_vars, value, nullptr, with.optional_vars->span);
    visit_with(node, item + 1);
  } catch (const ir::Error& error) {
    const Any* type = evaluator_.lookup(Symbol("RuntimeError"), nullptr);
    const Any words[] = {script::str_value(error.what())};
    const Any failed[] = {*type, evaluator_.call(*type, words), Any(nullptr)};
    evaluator_.call(exit, failed, {}, span);
    throw;
  }
  const Any nothing[] = {Any(nullptr), Any(nullptr), Any(nullptr)};
  evaluator_.call(exit, nothing, {}, span);
}

void Builder::close_block(BlockState& state, Stmt body, Span span) {
  bool detect_reads = !state.reads;
  bool detect_writes = !state.writes;
  if (by_calls_ && !schedulable_ && (detect_reads || detect_writes)) {
    // Regions are found when a function is complete, in schedulable functions only: the block asks for it.
    state.annotations.Set(
        "tirx.script_parsing_detect_access",
        Expr(ir::int_imm(DataType::Int(64), (detect_reads ? 1 : 0) | (detect_writes ? 2 : 0))));
    detect_reads = detect_writes = false;
  }
  auto block =
      ir::make<ir::SBlockNode>(state.iter_vars, state.reads.value_or(Array<ir::TensorRegion>{}),
                               state.writes.value_or(Array<ir::TensorRegion>{}), state.name, std::move(body),
                               state.init, state.alloc_buffers, state.match_buffers, state.annotations, span);
  if (detect_reads || detect_writes) {
    auto simplify = [&](const Expr& e) { return evaluator_.simplify(e); };
    ir::AccessRegions found = ir::detect_access_regions(block, simplify);
    if (!found.opaque.empty()) {
      throw ir::refuse(refusals["undetectable-access"], state.name.c_str(), found.opaque[0]->name.c_str())
          .at(state.span);
    }
    block = ir::with(block, [&](ir::SBlockNode& changed) {
      if (detect_reads) changed.reads = found.reads;
      if (detect_writes) changed.writes = found.writes;
    });
    detected_.push_back({block.get(), detect_reads, detect_writes});
  }
  if (state.no_realize) {
    emit(block);
    return;
  }
  Expr predicate = state.predicate ? state.predicate : Expr(ir::bool_imm(true));
  emit(ir::make<ir::SBlockRealizeNode>(state.iter_values, predicate, block, span));
}

void Builder::enter_flat(const AttrFrameNode& frame, Span span) {
  touched_ = true;
  if (!body_) return;
  for (const AttrFrameNode::Entry& entry : frame.entries) {
    body_->wrappers.push_back({body_->stmts.size(), entry, span});
  }
}

// ---- the rest ----

void Builder::visit_return(const syntax::Return& node) {
  if (!node.value) {
    throw ir::refuse(refusals["return-without-value"]).at(node.span);
  }
  Any value = evaluate(*node.value);
  Expr result = script::is_str(value)
                    ? Expr(ir::make<ir::StringImmNode>(value.cast<String>(), node.value->span))
                    : script::as_expr(value, node.value->span, "a result");
  if (ret_type_ && ret_type_->kind == ir::TypeKind::kPrim) {
    DataType wanted = static_cast<const ir::PrimTypeNode*>(ret_type_.get())->dtype;
    bool is_constant = !script::is_object(value);
    if (is_constant) result = ir::cast(wanted, result, node.value->span);
    if (result->ty->kind != ir::TypeKind::kPrim || !(result->dtype() == wanted)) {
      throw ir::Error("type-mismatch", "the function returns `{}`, this value is `{}`", wanted.str(),
                      result->dtype().str())
          .at(node.value->span)
          .kind("TypeError")
          .help(fmt::format("convert it: `T.{}(...)`", wanted.str()));
    }
  }
  emit(ir::make<ir::ReturnNode>(std::move(result), node.span));
}

void Builder::visit_assert(const syntax::Assert& node) {
  Expr condition = this->condition(evaluate(*node.test), node.test->span, "assert");
  if (!condition->dtype().is_bool()) {
    throw ir::refuse_as(refusals["not-a-condition"], "the condition of `assert` must be a bool, got `{}`",
                        condition->dtype().str())
        .at(node.test->span)
        .help(fmt::format("compare it: `{} != 0`", ir::SourceMap::current().text(node.test->span)));
  }
  if (!node.msg) {
    throw ir::refuse(refusals["assert-without-message"]).at(node.span);
  }
  Any message = evaluate(*node.msg);
  String kind = "RuntimeError";
  Array<String> parts;
  auto add = [&](const Any& part) {
    if (auto* text = part.as<ir::StringImmNode>()) {
      parts.push_back(text->value);
    } else if (script::is_str(part)) {
      parts.push_back(part.cast<String>());
    } else {
      throw ir::Error("wrong-type", "the message of `assert` is a str or `(kind, [str, ...])`, got `{}`",
                      ir::type_name(part))
          .at(node.msg->span)
          .kind("TypeError");
    }
  };
  auto* pair = message.as<ffi::ArrayObj>();
  if (pair && pair->size() == 2 && script::is_str(pair->at(0))) {
    kind = pair->at(0).cast<String>();
    if (!is_list(pair->at(1))) {
      add(pair->at(1));
    } else {
      for (const Any& part : script::elements(pair->at(1))) add(part);
    }
  } else {
    add(message);
  }
  emit(ir::make<ir::AssertStmtNode>(condition, kind, parts, node.span));
}

void Builder::visit_expression(const syntax::ExprStmt& node) {
  if (auto* constant = syntax::as<syntax::Constant>(node.value)) {
    if (constant->type == syntax::Constant::Type::kStr) return;  // a docstring or a remark
    if (constant->type == syntax::Constant::Type::kEllipsis) {
      throw ir::refuse_as(refusals["no-effect"], "`...` is no statement of a prim_func")
          .at(node.span)
          .help("write `pass`");
    }
  }
  touched_ = false;
  Any value = evaluate(*node.value);
  if (auto* attrs = frame<AttrFrameNode>(value)) return enter_flat(*attrs, node.span);
  if (script::is_none(value)) {
    // A call may do something now, such as `names.append(...)` on a list of the script; one of two may be
    // none.
    if (touched_ || node.value->kind == syntax::ExprKind::kCall ||
        node.value->kind == syntax::ExprKind::kIfExp)
      return;
    throw ir::refuse_as(refusals["no-effect"], "this builds nothing: its value is None")
        .at(node.value->span)
        .help("a prim_func runs later; only `T.*` calls and expressions of its variables become part of it");
  }
  if (script::is_str(value)) return;
  if (auto stmt = ir::try_get<Stmt>(value)) return emit(*stmt);
  if (value.as<ir::VarNode>()) return;
  if (auto* region = value.as<ir::TensorRegionNode>()) {
    throw ir::Error("region-as-value", "a region of `{}` is no statement", region->source->name.c_str())
        .at(node.value->span)
        .kind("TypeError");
  }
  if (auto expr = script::to_expr(value, node.value->span)) {
    // T.ret(x): the older spelling of `return x`.
    const Expr& inner = *expr;
    if (auto* ret = ir::as_call_to(inner, "tirx.ret"); ret && ret->args.size() == 1) {
      return emit(ir::make<ir::ReturnNode>(ret->args[0], node.span));
    }
    return emit(ir::make<ir::EvaluateNode>(*expr, node.span));
  }
  if (frame<AssertFrameNode>(value)) return;
  if (auto* list = value.as<ffi::ArrayObj>(); list && touched_)
    return;  // several names at once, all used elsewhere
  if (frame<ForFrameNode>(value) || frame<BlockFrameNode>(value) || frame<InitFrameNode>(value)) {
    throw ir::refuse_as(refusals["no-effect"], "this opens a loop or block, but nothing is put into it")
        .at(node.value->span)
        .help(frame<ForFrameNode>(value) ? "write `for i in ...:`" : "write `with ...:`");
  }
  throw ir::refuse_as(refusals["no-effect"], "`{}` is no statement of a prim_func", ir::type_name(value))
      .at(node.value->span)
      .kind("TypeError");
}

}  // namespace mlc::tvmscript
