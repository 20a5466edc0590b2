// SPDX-License-Identifier: Apache-2.0
// Frames that are entered and left one by one: what `with` means in a script under IRBuilder, and for loops
// and branches that a decorated function opens with `with`.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/builder.h"
#include "ir/tir/arith_ops.h"

namespace mlc::tvmscript {

// ---- functions built by calls ----

void Builder::open_function(const FunctionOptions& options) {
  by_calls_ = true;
  is_private_ = options.is_private;
  schedulable_ = options.s_tir;
  if (options.persistent) attrs_.Set("tirx.persistent_kernel", true);
  body_ = &top_;
}

ir::PrimFunc Builder::close_function(Span span) {
  MLC_CHECK(open_.empty(), "frames are left in order");
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
    throw ir::Error("outside-prim-func", "`{}` belongs into a function", shown_name(call.api))
        .at(call.span)
        .help("put it below `with T.prim_func():`");
  }
  if (depth_ == 0) return;
  throw ir::Error("not-at-top-of-function", "`{}` belongs at the top of the function `{}`",
                  shown_name(call.api), function_)
      .at(call.span)
      .help("move it out of the loop, branch or block");
}

void Builder::require_no_branch(const ir::ApiCall& call) const {
  if (!body_ || !body_->is_branch) return;
  throw ir::Error("region-in-branch", "`{}` stands in a branch of an `if`", shown_name(call.api))
      .at(call.span)
      .help("all that follows it runs on the device: put it above the `if`");
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
    throw ir::Error("repeated-attribute", "the function has a name already: `{}`", function_).at(call.span);
  }
  function_ = std::string(view(name));
}

void Builder::add_parameter(const ir::ApiCall& call, const String& name, const Var& var) {
  require_top(call);
  touched_ = true;
  for (const Var& param : params_) {
    if (param.get() != var.get()) continue;
    throw ir::Error("repeated-parameter", "`{}` is a parameter already", param->name.c_str())
        .at(call.span_of(1));
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
    throw ir::Error("repeated-block-part", "the block `{}` has a second `T.init`",
                    blocks_.back()->name.c_str())
        .at(span);
  }
  if (auto* branch = frame<BranchFrameNode>(context)) {
    auto* around = open_.empty() ? nullptr : frame<IfFrameNode>(open_.back()->frame);
    const char* name = branch->is_then ? "T.Then" : "T.Else";
    if (!around) {
      throw ir::Error("branch-without-if", "`{}` belongs directly below `with T.If(condition):`", name)
          .at(span);
    }
    if (branch->is_then ? open_.back()->then_case : open_.back()->else_case) {
      throw ir::Error("repeated-branch", "this `T.If` has a second `{}`", name)
          .at(span)
          .note("it begins here", open_.back()->span);
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
    open->block.name = block->name;
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
    throw ir::Error("if-without-then", "this `T.If` has no `T.Then`")
        .at(open.span)
        .help("put `with T.Then():` below it");
  }
  if (!open.body.stmts.empty()) {
    throw ir::Error("branch-without-if", "below `T.If` stand `T.Then` and `T.Else`, and statements in these")
        .at(open.span)
        .help("put the statements below `with T.Then():`");
  }
  emit(ir::make<ir::IfThenElseNode>(frame<IfFrameNode>(open.frame)->condition, open.then_case, open.else_case,
                                    span));
}

}  // namespace mlc::tvmscript
