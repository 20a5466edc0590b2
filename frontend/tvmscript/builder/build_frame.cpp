// SPDX-License-Identifier: Apache-2.0
// Frames that are entered and left one by one: what `with` means in a script under IRBuilder, and for loops
// and branches that a decorated function opens with `with`.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/builder.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "branch-without-if",
         .meaning = "`T.Then` and `T.Else` are the parts of a `T.If`, and hold its statements.",
         .wrong = R"(with T.Then():
    T.evaluate(n))",
         .right = R"(with T.If(n > 0):
    with T.Then():
        T.evaluate(n))"},
        {.name = "frame-left-open",
         .message = "the function ends while {} frame{} below it {} open",
         .help = "enter frames with `with`",
         .meaning = "A frame that was entered is left before the function around it ends."},
        {.name = "if-without-then",
         .kind = ir::kRefusedValue,
         .message = "this `T.If` has no `T.Then`",
         .help = "put `with T.Then():` below it",
         .meaning = "A branch by calls needs `T.Then`; `T.Else` may be missing.",
         .wrong = R"(with T.If(n > 0):
    pass)",
         .right = R"(with T.If(n > 0):
    with T.Then():
        T.evaluate(n))"},
        {.name = "not-at-top-of-function",
         .message = "`{}` belongs at the top of the function `{}`",
         .help = "move it out of the loop, branch or block"},
        {.name = "outside-prim-func",
         .message = "`{}` belongs into a function",
         .help = "put it below `with T.prim_func():`",
         .meaning = "Loops, blocks and stores are parts of a function under `@T.prim_func`.",
         .wrong = R"(import tvm
from tvm.script import tirx as T
T.evaluate(0))",
         .right = R"(with T.sblock("b"):
    A[0] = 1.0)"},
        {.name = "region-in-branch",
         .message = "`{}` stands in a branch of an `if`",
         .help = "all that follows it runs on the device: put it above the `if`",
         .meaning = "`T.device_entry()` opens a region that reaches to the end of the function, so one "
                    "branch of an `if` cannot hold it.",
         .wrong = R"(if n > 0:
    T.device_entry()
    bx = T.cta_id([4]))",
         .right = R"(T.device_entry()
bx = T.cta_id([4])
if n > 0:
    A[bx] = 1.0)"},
        {.name = "repeated-block-part",
         .kind = ir::kRefusedValue,
         .message = "the block `{}` has a second `T.init`",
         .meaning = "A block has one of each: T.reads, T.writes, T.where, T.init.",
         .wrong = R"(with T.sblock("b"):
    T.reads(A[0])
    T.reads(A[1])
    B[0, 0] = A[0] + A[1])",
         .right = R"(with T.sblock("b"):
    T.reads(A[0], A[1])
    B[0, 0] = A[0] + A[1])"},
        {.name = "repeated-branch",
         .message = "this `T.If` has a second `{}`",
         .meaning = "A branch has one `T.Then` and at most one `T.Else`.",
         .wrong = R"(with T.If(n > 0):
    with T.Then():
        T.evaluate(n)
    with T.Then():
        T.evaluate(n))",
         .right = R"(with T.If(n > 0):
    with T.Then():
        T.evaluate(n)
    with T.Else():
        T.evaluate(n))"},
        {.name = "repeated-parameter",
         .message = "`{}` is a parameter already",
         .meaning = "A variable is a parameter once."},
    }};
MLC_REFUSALS(builder_build_frame, refusals);

// ---- functions built by calls ----

void Builder::open_function(const FunctionOptions& options) {
  by_calls_ = true;
  is_private_ = options.is_private;
  schedulable_ = options.s_tir;
  if (options.persistent) attrs_.Set("tirx.persistent_kernel", true);
  body_ = &top_;
}

ir::PrimFunc Builder::close_function(Span span) {
  if (size_t open = open_.size())
    throw ir::refuse(refusals["frame-left-open"], open, open == 1 ? "" : "s", open == 1 ? "is" : "are")
        .at(span);
  Stmt body = close_body(top_);
  body_ = nullptr;
  if (!is_private_ && !function_.empty()) attrs_.Set("global_symbol", String(function_));
  if (schedulable_) attrs_.Set("s_tir", true);
  body = finish_body(std::move(body));
  return ir::make<ir::PrimFuncNode>(params_, ret_type_ ? ret_type_ : Type(ir::void_type()), std::move(body),
                                    attrs_, span);
}

void Builder::open_loose() {
  by_calls_ = true;
  loose_ = true;
  body_ = &top_;
}

Stmt Builder::loose_statement() const { return top_.stmts.empty() ? Stmt() : top_.stmts.front(); }

void Builder::require_top(const ir::ApiCall& call) const {
  if (loose_) {
    throw ir::refuse(refusals["outside-prim-func"], shown_name(call.api)).at(call.span);
  }
  if (depth_ == 0) return;
  throw ir::refuse(refusals["not-at-top-of-function"], shown_name(call.api), function_).at(call.span);
}

void Builder::require_no_branch(const ir::ApiCall& call) const {
  if (!body_ || !body_->is_branch) return;
  throw ir::refuse(refusals["region-in-branch"], shown_name(call.api)).at(call.span);
}

std::optional<Span> Builder::opened() const {
  std::optional<Span> first;
  if (!body_) return first;
  if (!body_->wrappers.empty()) first = body_->wrappers.front().span;
  for (const Stmt& stmt : body_->stmts) {
    if (stmt->kind != ir::StmtKind::kDeclBuffer) continue;
    return first && first->begin < stmt->span.begin ? first : stmt->span;
  }
  return first;
}

void Builder::set_name(const ir::ApiCall& call, const String& name) {
  require_top(call);
  touched_ = true;
  if (!by_calls_ || !function_.empty()) {
    throw ir::Error("repeated-attribute", "the function has a name already: `{}`", function_)
        .at(call.span)
        .kind(ir::kRefusedValue);
  }
  function_ = std::string(view(name));
}

void Builder::add_parameter(const ir::ApiCall& call, const String& name, const Var& var) {
  require_top(call);
  touched_ = true;
  for (const Var& param : params_) {
    if (param.get() != var.get()) continue;
    throw ir::refuse(refusals["repeated-parameter"], param->name.c_str()).at(call.span_of(1));
  }
  const_cast<ir::VarNode*>(var.get())->name = name;
  params_.push_back(var);
}

// ---- frames ----

bool Builder::is_opening(const Any& value) {
  return frame<ForFrameNode>(value) || frame<BlockFrameNode>(value) || frame<InitFrameNode>(value) ||
         frame<AttrFrameNode>(value) || frame<IfFrameNode>(value) || frame<BranchFrameNode>(value) ||
         frame<WhileFrameNode>(value) || frame<AssertFrameNode>(value);
}

Any Builder::enter(const Any& context, Span span) {
  if (frame<InitFrameNode>(context) && blocks_.back()->init) {  // that there is a block, T.init has checked
    throw ir::refuse(refusals["repeated-block-part"], blocks_.back()->name.c_str()).at(span);
  }
  if (auto* branch = frame<BranchFrameNode>(context)) {
    auto* around = open_.empty() ? nullptr : frame<IfFrameNode>(open_.back()->frame);
    const char* name = branch->is_then ? "T.Then" : "T.Else";
    if (!around) {
      throw ir::refuse_as(refusals["branch-without-if"],
                          "`{}` belongs directly below `with T.If(condition):`", name)
          .at(span);
    }
    if (branch->is_then ? open_.back()->then_case : open_.back()->else_case) {
      throw ir::refuse(refusals["repeated-branch"], name).at(span).note("it begins here", open_.back()->span);
    }
  }
  touched_ = true;
  auto open = std::make_unique<Open>();
  open->frame = context;
  open->span = span;
  open->around = body_;
  open->loops = loops_.size();
  Any bound;
  // An assertion has no body of its own: what is below it stands behind it.
  if (!frame<AssertFrameNode>(context)) {
    body_ = &open->body;
    body_->is_branch = frame<BranchFrameNode>(context) != nullptr;
    ++depth_;
  }
  if (auto* block = frame<BlockFrameNode>(context)) {
    open->block.name = block_suffix_.empty() || block->name.empty()
                           ? block->name
                           : String(std::string(block->name) + block_suffix_);
    open->block.no_realize = block->no_realize;
    open->block.span = span;
    open->block.depth = depth_;
    blocks_.push_back(&open->block);
  } else if (auto* loop = frame<ForFrameNode>(context)) {
    Array<Any> values;
    for (const Loop& one : loop->loops) {
      open->vars.push_back(ir::make<ir::VarNode>(String(), one.extent->ty, span));
      loops_.emplace_back(open->vars.back().get(), one);
      values.push_back(Expr(open->vars.back()));
    }
    bound = values.size() == 1 ? values[0] : Any(values);
  } else if (auto* attrs = frame<AttrFrameNode>(context)) {
    if (attrs->bound) bound = Expr(attrs->bound);
  }
  open_.push_back(std::move(open));
  return bound;
}

bool Builder::is_innermost(const Any& context) const {
  return !open_.empty() && script::raw_object(open_.back()->frame) == script::raw_object(context);
}

void Builder::abandon() {
  Open& open = *open_.back();
  if (!frame<AssertFrameNode>(open.frame)) --depth_;
  body_ = open.around;
  loops_.resize(open.loops);
  if (frame<BlockFrameNode>(open.frame)) blocks_.pop_back();
  if (frame<InitFrameNode>(open.frame)) blocks_.back()->init = ir::no_op();  // it has had one
  open_.pop_back();
}

void Builder::leave(Span span) {
  std::unique_ptr<Open> open = std::move(open_.back());
  open_.back() = nullptr;
  open_.pop_back();
  const Any& context = open->frame;
  if (frame<AssertFrameNode>(context)) return;
  --depth_;
  body_ = open->around;
  loops_.resize(open->loops);
  if (frame<BlockFrameNode>(context)) blocks_.pop_back();
  if (frame<IfFrameNode>(context)) return close_if(*open, span);
  Stmt body = close_body(open->body);
  if (auto* loop = frame<ForFrameNode>(context)) {
    emit(close_loops(*loop, open->vars, std::move(body), span));
  } else if (frame<BlockFrameNode>(context)) {
    close_block(open->block, std::move(body), span);
  } else if (frame<InitFrameNode>(context)) {
    blocks_.back()->init = std::move(body);
  } else if (auto* attrs = frame<AttrFrameNode>(context)) {
    for (size_t i = attrs->entries.size(); i-- > 0;) body = wrap({body}, attrs->entries[i], span);
    emit(std::move(body));
  } else if (auto* branch = frame<BranchFrameNode>(context)) {
    (branch->is_then ? open_.back()->then_case : open_.back()->else_case) = std::move(body);
  } else if (auto* loop = frame<WhileFrameNode>(context)) {
    emit(ir::make<ir::WhileNode>(loop->condition, std::move(body), span));
  }
}

void Builder::close_if(const Open& open, Span span) {
  if (!open.then_case) {
    throw ir::refuse(refusals["if-without-then"]).at(open.span);
  }
  if (!open.body.stmts.empty()) {
    throw ir::refuse_as(refusals["branch-without-if"],
                        "below `T.If` stand `T.Then` and `T.Else`, and statements in these")
        .at(open.span)
        .help("put the statements below `with T.Then():`");
  }
  emit(ir::make<ir::IfThenElseNode>(frame<IfFrameNode>(open.frame)->condition, open.then_case, open.else_case,
                                    span));
}

}  // namespace mlc::tvmscript
