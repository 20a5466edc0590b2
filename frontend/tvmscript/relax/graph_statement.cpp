// SPDX-License-Identifier: Apache-2.0
// Statements of functions of graphs.
#include <algorithm>

#include "frontend/script/core/value.h"
#include "frontend/syntax/walk.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/relax/graph_builder.h"
#include "frontend/tvmscript/relax/graph_module.h"
#include "ir/core/refusal.h"
#include "ir/relax/infer.h"
#include "ir/relax/origin.h"
#include "ir/relax/visit.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "branch-without-binding",
         .message = "the {} branch of `if` binds nothing",
         .help = "both branches end with a binding of the same name, which is the value of the `if`"},
        {.name = "branch-ends-inside",
         .message = "the last binding of the {} branch is not seen outside of its dataflow block",
         .help = "give it to `R.output`"},
        {.name = "branches-bind-differently",
         .message = "the branches of `if` end with bindings of `{}` and `{}`",
         .help = "both branches end with a binding of the same name, which is the value of the `if`"},
        {.name = "if-in-dataflow",
         .message = "a dataflow block has no branches",
         .help = "end the block before `if`"},
        {.name = "if-without-else",
         .message = "an `if` of a graph has an `else`",
         .help = "bind the same name in both branches"},
        {.name = "nested-dataflow", .message = "a dataflow block stands in no other one"},
        {.name = "nested-prim-func",
         .message = "a tensor function stands in a module, not inside a function of graphs"},
        {.name = "no-effect",
         .message = "a {} is computed and not bound",
         .help = "give it a name: `value = ...`"},
        {.name = "not-a-context",
         .kind = "TypeError",
         .message = "`with` needs `R.dataflow()`, got `{}`"},
        {.name = "not-a-statement", .kind = "TypeError", .message = "`{}` is no statement of a function of graphs"},
        {.name = "output-of-another-block",
         .message = "`{}` is not bound in this dataflow block",
         .help = "`R.output` names variables that the block binds"},
        {.name = "outside-dataflow",
         .message = "`R.output` stands in a dataflow block",
         .help = "put it at the end of a `with R.dataflow():`"},
        {.name = "private-function-with-symbol",
         .message = "a private function has no `global_symbol`",
         .help = "leave out `private=True` or the attribute"},
        {.name = "return-in-branch",
         .message = "a branch does not return",
         .help = "bind the value in both branches, and return it after the `if`"},
        {.name = "return-without-value", .message = "`return` needs a value", .help = "return `R.tuple()` for none"},
        {.name = "second-output", .message = "the dataflow block has an `R.output` already"},
        {.name = "second-return", .message = "the function has a `return` already", .help = "a function returns once, at its end"},
        {.name = "undecorated-function",
         .message = "the local function `{}` is not under `@R.function`"},
        {.name = "unsupported-statement", .message = "{} has no meaning in a function of graphs"},
    }};
MLC_REFUSALS(relax_graph_statement, refusals);

namespace {

// Writes variables of a dataflow block that are seen outside as such.
class ShowOutputs final : public relax::Rewriter {
 public:
  explicit ShowOutputs(std::unordered_map<const ir::VarNode*, Var> shown) : shown_(std::move(shown)) {}
  Expr rewrite(const Expr& e) override {
    if (e->kind != ir::ExprKind::kVar) return rewrite_children(e);
    auto found = shown_.find(static_cast<const ir::VarNode*>(e.get()));
    return found == shown_.end() ? e : Expr(found->second);
  }
  Var rewrite_def(const Var& var) override {
    auto found = shown_.find(var.get());
    return found == shown_.end() ? var : found->second;
  }

 private:
  std::unordered_map<const ir::VarNode*, Var> shown_;
};

bool calls(syntax::Seq<syntax::Stmt> stmts, Symbol name) {
  bool found = false;
  syntax::each_expr(stmts, [&](const syntax::Expr& e) {
    auto* call = syntax::as<syntax::Call>(&e);
    auto* callee = call ? syntax::as<syntax::Name>(call->func) : nullptr;
    found = found || (callee && callee->id == name);
    return !found;
  });
  return found;
}

// The name that the last statement of a branch binds, where it is plain to see.
Span last_target(syntax::Seq<syntax::Stmt> stmts) {
  const syntax::Expr* target = nullptr;
  if (auto* assign = syntax::as<syntax::Assign>(stmts.back())) target = assign->targets[0];
  if (auto* assign = syntax::as<syntax::AnnAssign>(stmts.back())) target = assign->target;
  return target && target->kind == syntax::ExprKind::kName ? target->span : Span();
}

std::string_view statement_name(syntax::StmtKind kind) {
  switch (kind) {
    case syntax::StmtKind::kFor:
      return "`for`";
    case syntax::StmtKind::kWhile:
      return "`while`";
    case syntax::StmtKind::kAugAssign:
      return "an assignment with an operator";
    case syntax::StmtKind::kAssert:
      return "`assert`";
    case syntax::StmtKind::kClassDef:
      return "a class";
    default:
      return "this statement";
  }
}

}  // namespace

void GraphBuilder::blame_use(ir::Diagnostic& found, Span within) {
  if (found.name == "undefined-name" && found.notes.empty()) {
    std::string_view name = ir::SourceMap::current().text(found.span);
    Span ended = name.empty() ? Span() : names_.ended(Symbol(name));
    if (!ended) return;
    found.notes.push_back({fmt::format("`{}` is defined here, in a block that has ended", name), ended});
    found.help = "what a dataflow block binds is seen after it by `R.output`, what a branch binds by its last binding";
    return;
  }
  if (!within || !found.span || found.span.file != within.file) return;
  if (found.span.begin >= within.begin && found.span.end <= within.end) return;
  // A variable's span is that of its definition: the error is about its use here.
  std::string_view name = ir::SourceMap::current().text(found.span);
  std::string_view text = ir::SourceMap::current().text(within);
  auto word = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  size_t colon = name.find(':');
  if (colon != name.npos) name = name.substr(0, colon);
  // Else it is an expression of a macro, which is where the error is.
  if (!std::ranges::all_of(name, word)) return;
  for (size_t at = text.find(name); !name.empty() && at != text.npos; at = text.find(name, at + 1)) {
    bool begins = at == 0 || (!word(text[at - 1]) && text[at - 1] != '.');
    bool ends = at + name.size() == text.size() || !word(text[at + name.size()]);
    // Behind `=` or a bracket: not the name that the statement binds.
    if (!begins || !ends || at == 0) continue;
    Span definition = found.span;
    found.span = {within.file, static_cast<uint32_t>(within.begin + at),
                  static_cast<uint32_t>(within.begin + at + name.size())};
    bool noted = std::any_of(found.notes.begin(), found.notes.end(),
                             [&](const ir::Note& note) { return note.span == definition; });
    if (!noted) found.notes.push_back({fmt::format("`{}` is defined here", name), definition});
    return explain_branches(found, name);
  }
}

// The two types that an `if` has lost, for an error about its value.
void GraphBuilder::explain_branches(ir::Diagnostic& found, std::string_view name) {
  const Any* value = names_.peek(Symbol(name));
  auto* var = value ? value->as<ir::VarNode>() : nullptr;
  Expr bound = var ? block_builder_.lookup(ir::ref(var)) : Expr(nullptr);
  auto* branches = bound ? ir::as<relax::IfNode>(bound) : nullptr;
  if (!branches) return;
  Type a = branches->true_branch->body->ty;
  Type b = branches->false_branch->body->ty;
  if (ir::structural_equal(a, b)) return;
  found.notes.push_back({fmt::format("the branches end with {} and {}: of the value is known what both have",
                                     relax::describe(a), relax::describe(b)),
                         branches->span});
}

void GraphBuilder::poison_outputs(syntax::Seq<syntax::Stmt> stmts) {
  for (const syntax::Stmt* stmt : stmts) {
    auto* statement = syntax::as<syntax::ExprStmt>(stmt);
    auto* call = statement ? syntax::as<syntax::Call>(statement->value) : nullptr;
    auto* callee = call ? syntax::as<syntax::Attribute>(call->func) : nullptr;
    if (!callee || callee->attr.str() != "output") continue;
    for (const syntax::Expr* output : call->args) {
      auto* name = syntax::as<syntax::Name>(output);
      if (name && !names_.peek(name->id)) poison(*name);
    }
  }
}

void GraphBuilder::visit_all(syntax::Seq<syntax::Stmt> stmts) {
  for (const syntax::Stmt* stmt : stmts) {
    bool ok = attempt(stmt->span, [&] {
      visit(stmt);
    });
    if (ok) continue;
    if (auto* assign = syntax::as<syntax::Assign>(stmt)) {
      for (const syntax::Expr* target : assign->targets) poison(*target);
    } else if (auto* assign = syntax::as<syntax::AnnAssign>(stmt)) {
      poison(*assign->target);
    } else if (auto* def = syntax::as<syntax::FunctionDef>(stmt)) {
      names_.bind(def->name, Any(ir::make<PoisonNode>()), def->name_span);
    }
  }
}

void GraphBuilder::visit(const syntax::Stmt* stmt) {
  switch (stmt->kind) {
    case syntax::StmtKind::kAssign:
      return visit_assign(*static_cast<const syntax::Assign*>(stmt));
    case syntax::StmtKind::kAnnAssign:
      return visit_ann_assign(*static_cast<const syntax::AnnAssign*>(stmt));
    case syntax::StmtKind::kWith:
      return visit_with(*static_cast<const syntax::With*>(stmt));
    case syntax::StmtKind::kIf:
      return visit_if(*static_cast<const syntax::If*>(stmt));
    case syntax::StmtKind::kReturn:
      return visit_return(*static_cast<const syntax::Return*>(stmt));
    case syntax::StmtKind::kExprStmt:
      return visit_expression(*static_cast<const syntax::ExprStmt*>(stmt));
    case syntax::StmtKind::kFunctionDef:
      return visit_definition(*static_cast<const syntax::FunctionDef*>(stmt));
    case syntax::StmtKind::kPass:
      return;
    default:
      throw ir::refuse(refusals["unsupported-statement"], statement_name(stmt->kind)).at(stmt->span);
  }
}

// ---- blocks ----

// Blocks of one kind that follow each other are one.
void GraphBuilder::end_block() {
  for (const relax::BindingBlock& block : block_builder_.end_blocks()) {
    if (blocks_->empty() || relax::is_dataflow(blocks_->back()) != relax::is_dataflow(block)) {
      blocks_->push_back(block);
      continue;
    }
    Array<relax::Binding> bindings = blocks_->back()->bindings;
    for (const relax::Binding& binding : block->bindings) bindings.push_back(binding);
    blocks_->Set(static_cast<int64_t>(blocks_->size()) - 1, relax::with_bindings(block, bindings));
  }
}

void GraphBuilder::end_dataflow(Dataflow& state) {
  std::unordered_map<const ir::VarNode*, Var> shown;
  for (const Var& var : state.outputs) {
    auto [place, fresh] = shown.try_emplace(var.get());
    if (fresh) place->second = ir::make<ir::VarNode>(var->name, var->ty, var->span);
  }
  relax::BindingBlock block = block_builder_.end_block();
  block_builder_.begin_dataflow_block();
  ShowOutputs rewriter(shown);
  if (!shown.empty()) block = rewriter.rewrite_block(block);
  for (const relax::Binding& binding : block->bindings) block_builder_.emit_normalized(binding);
  end_block();
  if (result_) result_ = rewriter.rewrite(result_);
  for (Var& var : state.outputs) var = shown.at(var.get());
}

void GraphBuilder::visit_with(const syntax::With& node) {
  if (node.items.size() != 1) throw ir::refuse(refusals["unsupported-statement"], "`with` of several things").at(node.span);
  const syntax::WithItem& item = *node.items[0];
  Any context = evaluate(*item.context_expr);
  if (!frame<DataflowFrameNode>(context))
    throw ir::refuse(refusals["not-a-context"], ir::type_name(context)).at(item.context_expr->span);
  if (item.optional_vars)
    throw ir::refuse(refusals["unsupported-statement"], "`as` of a dataflow block").at(item.optional_vars->span);
  if (dataflow_) throw ir::refuse(refusals["nested-dataflow"]).at(item.context_expr->span);
  end_block();
  block_builder_.begin_dataflow_block();
  Dataflow state;
  {
    NameFrame scope(names_);
    Restore<Dataflow*> inside(dataflow_, &state);
    visit_all(node.body);
  }
  end_dataflow(state);
  begin_block();
  for (const Var& var : state.outputs) names_.bind(Symbol(ir::view(var->name)), Expr(var), var->span);
  if (!errors_.empty()) poison_outputs(node.body);
}

void GraphBuilder::output(const ApiCall& call, const std::vector<Var>& vars) {
  if (!dataflow_) throw ir::refuse(refusals["outside-dataflow"]).at(call.span);
  if (dataflow_->output_span)
    throw ir::refuse(refusals["second-output"]).at(call.span).note("it is here", dataflow_->output_span);
  for (const Var& var : vars) {
    if (!dataflow_->emitted.contains(var.get()))
      throw ir::refuse(refusals["output-of-another-block"], ir::view(var->name)).at(call.span).note(
          "it is defined here", var->span);
    dataflow_->outputs.push_back(var);
  }
  dataflow_->output_span = call.span;
}

// ---- branches ----

relax::SeqExpr GraphBuilder::branch(syntax::Seq<syntax::Stmt> stmts, std::string_view suffix, Span place,
                                    std::string& name) {
  Blocks blocks;
  {
    Restore<Blocks*> own(blocks_, &blocks);
    Restore<int> deeper(branches_, branches_ + 1);
    NameFrame scope(names_);
    block_builder_.begin_scope({});
    begin_block();
    visit_all(stmts);
    end_block();
    block_builder_.end_scope();
  }
  if (!errors_.empty()) throw ir::Error(diagnostics::kCascade, "a branch could not be built").at(place);
  if (blocks.empty()) throw ir::refuse(refusals["branch-without-binding"], suffix).at(place);
  relax::BindingBlock last = blocks.back();
  relax::Binding binding = last->bindings.back();
  if (relax::is_dataflow(binding->var)) throw ir::refuse(refusals["branch-ends-inside"], suffix).at(binding->var->span);
  name = std::string(ir::view(binding->var->name));
  // The value of the branch is what its last binding binds, under a name that says which branch it is of.
  Array<relax::Binding> bindings(last->bindings.begin(), last->bindings.end() - 1);
  Expr value = binding->value;
  const relax::MatchCastNode* cast = relax::as_match_cast(binding);
  bool leaf = value->kind != ir::ExprKind::kCall && value->kind != ir::ExprKind::kIf &&
              value->kind != ir::ExprKind::kSeqExpr && value->kind != ir::ExprKind::kFunction &&
              value->kind != ir::ExprKind::kTupleGetItem;
  if (cast || !leaf) {
    Var var = ir::make<ir::VarNode>(String(fmt::format("{}_{}", name, suffix)), binding->var->ty, binding->var->span);
    if (cast) {
      bindings.push_back(ir::make<relax::MatchCastNode>(var, value, cast->ty, binding->span));
    } else {
      bindings.push_back(ir::make<relax::VarBindingNode>(var, value, binding->span));
    }
    value = var;
  }
  blocks.pop_back();
  if (!bindings.empty()) blocks.push_back(relax::with_bindings(last, bindings));
  return ir::make<relax::SeqExprNode>(blocks, value, place);
}

void GraphBuilder::visit_if(const syntax::If& node) {
  if (dataflow_) throw ir::refuse(refusals["if-in-dataflow"]).at(node.test->span);
  Expr condition;
  bool ok = attempt(node.test->span, [&] { condition = graph_value(evaluate(*node.test), node.test->span, "a condition"); });
  if (node.orelse.empty()) throw ir::refuse(refusals["if-without-else"]).at(node.span);
  std::string then_name, else_name;
  relax::SeqExpr then_case, else_case;
  ok = attempt(node.span, [&] { then_case = branch(node.body, "then", node.span, then_name); }) && ok;
  ok = attempt(node.span, [&] { else_case = branch(node.orelse, "else", node.span, else_name); }) && ok;
  if (!ok) {
    // What the branches would have bound follows from this error.
    for (syntax::Seq<syntax::Stmt> body : {node.body, node.orelse}) {
      if (body.empty()) continue;
      if (auto* last = syntax::as<syntax::Assign>(body.back())) poison(*last->targets[0]);
      if (auto* last = syntax::as<syntax::AnnAssign>(body.back())) poison(*last->target);
    }
    return;
  }
  if (then_name != else_name)
    throw ir::refuse(refusals["branches-bind-differently"], then_name, else_name).at(node.test->span);
  Expr value = ir::make<relax::IfNode>(condition, then_case, else_case, Type(), node.span);
  Span span = last_target(node.orelse);
  Var var = emit(value, then_name, span ? span : node.test->span);
  names_.bind(Symbol(then_name), Expr(var), var->span);
}

// ---- the rest ----

void GraphBuilder::visit_return(const syntax::Return& node) {
  if (branches_ > 0) throw ir::refuse(refusals["return-in-branch"]).at(node.span);
  if (!node.value) throw ir::refuse(refusals["return-without-value"]).at(node.span);
  if (result_) throw ir::refuse(refusals["second-return"]).at(node.span).note("it is here", result_span_);
  Expr value = graph_value(evaluate(*node.value), node.value->span, "a result");
  result_ = value->kind == ir::ExprKind::kSeqExpr ? block_builder_.normalize_operand(value)
                                                  : block_builder_.normalize(value);
  result_span_ = node.value->span;
  if (!dataflow_) return;
  for (const Var& var : relax::all_vars(result_)) {
    if (relax::is_dataflow(var)) dataflow_->outputs.push_back(var);
  }
}

void GraphBuilder::visit_expression(const syntax::ExprStmt& node) {
  auto* constant = syntax::as<syntax::Constant>(node.value);
  if (constant && constant->type == syntax::Constant::Type::kStr) return;  // a remark
  Any value = evaluate(*node.value);
  if (script::is_none(value)) return;
  auto* e = value.as<ir::ExprNode>();
  if (!e) throw ir::refuse(refusals["not-a-statement"], ir::type_name(value)).at(node.span);
  require_open(node.span);
  Expr normal = block_builder_.normalize(ir::ref(e));
  const auto* tuple = relax::type_as<ir::TupleTypeNode>(normal);
  if (!tuple || !tuple->elements.empty())
    throw ir::refuse(refusals["no-effect"], relax::kind_name(normal->ty)).at(node.span);
  emit(normal, "_", node.span);
}

void GraphBuilder::visit_definition(const syntax::FunctionDef& node) {
  Decorator decorator = decorator_of(evaluator_, names_, where_, node.decorators);
  if (decorator.path == kPrimFuncPath)
    throw ir::refuse(refusals["nested-prim-func"]).at(node.name_span).help(
        fmt::format("write `{}` beside the function, and call it with `R.call_tir`", node.name.str()));
  if (decorator.path != kGraphFunctionPath)
    throw ir::refuse(refusals["undecorated-function"], node.name.str()).at(node.name_span);
  require_open(node.name_span);
  GraphOptions options = graph_options(decorator.arguments);
  options.is_private = true;
  Var self;
  if (!names_.peek(node.name) && calls(node.body, node.name)) {
    GraphBuilder declaration(evaluator_, where_, {}, &names_);
    self = ir::make<ir::VarNode>(String(std::string(node.name.str())),
                                 Type(declaration.signature(node, GraphOptions(), ir::void_type())), node.name_span);
    names_.bind(node.name, Expr(self), node.name_span);
  }
  relax::Function fn;
  {
    GraphBuilder inner(evaluator_, where_, {}, &names_);
    fn = inner.build(node, options);
  }
  if (self) {
    block_builder_.emit_normalized(ir::make<relax::VarBindingNode>(self, fn, node.name_span));
    if (dataflow_) dataflow_->emitted.insert(self.get());
    return;
  }
  names_.bind(node.name, Expr(emit(fn, node.name.str(), node.name_span)), node.name_span);
}

void GraphBuilder::set_attr(const ApiCall& call, const String& key, const Any& value) {
  std::string name(ir::view(key));
  auto [earlier, fresh] = attr_spans_.try_emplace(name, call.span);
  if (!fresh) {
    throw ir::Error("repeated-attribute", "the attribute `{}` of the function is set already", name)
        .at(call.span)
        .note("it is set here first", earlier->second);
  }
  if (name == "global_symbol" && is_private_) throw ir::refuse(refusals["private-function-with-symbol"]).at(call.span);
  attrs_.Set(key, value);
}

}  // namespace mlc::tvmscript
