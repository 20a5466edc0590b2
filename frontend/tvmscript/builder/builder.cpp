// SPDX-License-Identifier: Apache-2.0
#include "frontend/tvmscript/builder/builder.h"

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/value.h"
#include "frontend/syntax/parse.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "buffer-as-value",
         .kind = "TypeError",
         .message = "cannot store the buffer `{}`, only its elements"},
        {.name = "no-such-parameter",
         .message = "`T.match_buffer` needs a parameter of the function or a region of a buffer, not `{}`",
         .meaning = "`T.match_buffer` looks at a parameter of this function as a buffer.",
         .wrong = R"(p: T.let = A.data
C = T.match_buffer(p, (16,)))",
         .right = R"(C = T.match_buffer(h, (16,))
C[0] = 1.0)"},
        {.name = "not-at-top-of-block",
         .message = "`{}` belongs at the top of the block `{}`, not into a part of it",
         .meaning = "What describes a block (axes, regions, its condition, its init) stands at its top, "
                    "where it holds for the whole block.",
         .wrong = R"(with T.sblock("b"):
    for i in range(4):
        T.reads(A[0])
        A[0] = A[0] + 1.0)",
         .right = R"(with T.sblock("b"):
    T.reads(A[0])
    for i in range(4):
        A[0] = A[0] + 1.0)"},
        {.name = "not-at-top-of-function",
         .meaning = "Attributes of a function stand at its top.",
         .wrong = R"(if n > 0:
    T.func_attr({"k": 1}))",
         .right = R"(T.func_attr({"k": 1})
A[0] = 1.0)"},
        {.name = "outside-block",
         .kind = ir::kRefusedValue,
         .message = "`{}` belongs into a block",
         .help = "put it below `with T.sblock(\"name\"):`",
         .meaning = "Axes, regions and init describe a block.",
         .wrong = "T.reads(A[0])",
         .right = R"(with T.sblock("b"):
    T.reads(A[0])
    B[0, 0] = A[0])"},
        {.name = "outside-prim-func",
         .message = "`{}` has a meaning only inside a function under `@T.prim_func`"},
        {.name = "private-function-with-symbol",
         .message = "a private function has no `global_symbol`",
         .help = "leave out `private=True` or the attribute",
         .meaning = "A private function is not visible outside of its module and has no symbol.",
         .wrong = R"(@T.prim_func(private=True)
def f():
    T.func_attr({"global_symbol": "f"}))",
         .right = R"(@T.prim_func
def f():
    T.func_attr({"global_symbol": "g"}))"},
        {.name = "second-result",
         .message = "the builder has built something already",
         .help = "statements that belong together stand in a function, loop, block or branch",
         .meaning = "A builder builds one function, module or statement.",
         .wrong = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with IRBuilder() as ib:
    T.evaluate(1)
    T.evaluate(2))",
         .right = R"(import tvm
from tvm.script.ir_builder import IRBuilder, tirx as T, ir as I
with IRBuilder() as ib:
    T.evaluate(1))"},
        {.name = "thread-extent-mismatch",
         .message = "the thread axis `{}` has {} threads here and {} before",
         .meaning = "All launches of one thread axis have the same number of threads.",
         .wrong = R"(t = T.env_thread("threadIdx.x")
with T.launch_thread(t, 4):
    A[t] = 1.0
with T.launch_thread(t, 8):
    A[t] = 2.0)",
         .right = R"(t = T.env_thread("threadIdx.x")
with T.launch_thread(t, 8):
    A[t] = 1.0
with T.launch_thread(t, 8):
    A[t] = 2.0)"},
        {.name = "vector-index",
         .message = "only the last index may be a vector, this is index {} of `{}`",
         .meaning = "A vector of elements lies along the last dimension.",
         .wrong = "B[T.Ramp(0, 1, 4), 0] = T.Broadcast(T.float32(1), 4)",
         .right = "B[0, T.Ramp(0, 1, 4)] = T.Broadcast(T.float32(1), 4)"},
    }};
MLC_REFUSALS(builder_builder, refusals);

namespace {

// The builder that evaluates at the moment on this thread; builders nest (a function inside a script function
// that a module's body calls), each restores the one before it.
thread_local Builder* at_work = nullptr;

}  // namespace

Builder::Builder(Evaluator& evaluator, script::Scope where, const Outside& outside)
    : evaluator_(evaluator), where_(where), outer_(at_work) {
  at_work = this;
  for (const auto& [name, value] : outside) names_.bind(name, value);
  names_.open();  // parameters hide what is outside
}
Builder::~Builder() { at_work = outer_; }

Builder* Builder::current_or_null() { return at_work; }

Builder& Builder::current(const ir::ApiCall& call) {
  if (at_work) return *at_work;
  throw ir::refuse(refusals["outside-prim-func"], shown_name(call.api)).at(call.span);
}

void name_once(const ir::VarNode* var, std::string_view name) {
  if (var->name.empty()) const_cast<ir::VarNode*>(var)->name = String(std::string(name));
}

std::string shown_name(const ir::Api& api) {
  constexpr std::string_view room = "tvm.script.tirx.";
  std::string path = api.path();
  return path.starts_with(room) ? "T." + path.substr(room.size()) : path;
}

void Builder::note_ended_scope(ir::Diagnostic& found) const {
  if (found.name != "undefined-name" || !found.notes.empty()) return;
  std::string_view name = ir::SourceMap::current().text(found.span);
  if (name.empty()) return;
  if (Span place = names_.ended(Symbol(name))) {
    found.notes.push_back({fmt::format("`{}` is defined here, in a scope that has ended", name), place});
    found.help.clear();
  }
}

void Builder::emit(Stmt stmt) {
  touched_ = true;
  if (loose_ && body_ == &top_ && !top_.stmts.empty()) {
    throw ir::refuse(refusals["second-result"]).at(stmt->span);
  }
  if (body_) body_->stmts.push_back(std::move(stmt));
}

BlockState& Builder::block(const ir::ApiCall& call) {
  touched_ = true;
  if (!blocks_.empty() && blocks_.back()->depth == depth_) return *blocks_.back();
  if (!blocks_.empty()) {
    throw ir::refuse(refusals["not-at-top-of-block"], shown_name(call.api), blocks_.back()->name.c_str())
        .at(call.span)
        .note("the block begins here", blocks_.back()->span);
  }
  throw ir::refuse(refusals["outside-block"], shown_name(call.api)).at(call.span);
}
BlockState* Builder::block_or_root() { return blocks_.empty() ? &root_ : blocks_.back(); }

const Loop* Builder::loop_of(const ir::VarNode* var) const {
  for (auto it = loops_.rbegin(); it != loops_.rend(); ++it) {
    if (it->first == var) return &it->second;
  }
  return nullptr;
}

void Builder::set_attr(const ir::ApiCall& call, const String& key, const Any& value) {
  touched_ = true;
  if (loose_) require_top(call);
  Span span = call.span_of(0);
  std::string name(key.data(), key.size());
  if (name.starts_with("tir.")) name = "tirx." + name.substr(4);
  if (depth_ > 0) {
    throw ir::refuse_as(refusals["not-at-top-of-function"],
                        "`T.func_attr` belongs at the top of the function `{}`", function_)
        .at(call.span)
        .help("move it out of the loop, branch or block");
  }
  if (auto first = opened()) {
    throw ir::refuse_as(refusals["not-at-top-of-function"],
                        "`T.func_attr` comes before what the function `{}` opens", function_)
        .at(call.span)
        .note("what follows this statement is inside it", *first)
        .help("move `T.func_attr` above it");
  }
  auto [earlier, fresh] = attr_spans_.try_emplace(name, span);
  if (!fresh) {
    throw ir::Error("repeated-attribute", "the attribute `{}` of the function is set already", name)
        .at(span)
        .kind(ir::kRefusedValue)
        .note("it is set here first", earlier->second);
  }
  if (name == "global_symbol" && is_private_) {
    throw ir::refuse(refusals["private-function-with-symbol"]).at(span);
  }
  attrs_.Set(String(name), value);
}

Buffer Builder::allocate(const ir::BufferType& type, Map<String, Any> annotations, Span span) {
  Buffer buffer = ir::make<ir::VarNode>(String(), Type(type), span);
  emit(ir::make<ir::AllocBufferNode>(buffer, std::move(annotations), span));
  made_.push_back(buffer);
  return buffer;
}

Buffer Builder::declare(const Type& type, Expr data, Span span) {
  Buffer buffer = ir::make<ir::VarNode>(String(), type, span);
  emit(ir::make<ir::DeclBufferNode>(buffer, std::move(data), span));
  made_.push_back(buffer);
  return buffer;
}

Expr Builder::new_scalar(std::string_view name, DataType dtype, const String& scope, Span span) {
  // Its layout (one element, compact) tells a scalar from an array of one element: it prints as `x: T.int32`.
  Array<Expr> shape{ir::int32(1)};
  auto type = ir::make<ir::BufferTypeNode>(dtype, scope, shape, Array<Expr>{}, ir::int32(0), 64, 1,
                                           ir::default_layout(shape));
  Buffer buffer = allocate(type, {}, span);
  name_once(buffer.get(), name);
  return ir::make<ir::TensorLoadNode>(buffer, Array<Expr>{ir::int32(0)}, span);
}

void Builder::store(const Buffer& buffer, Expr value, Array<Expr> indices, Span span, Span value_span) {
  const ir::BufferTypeNode* type = buffer->buffer();
  if (indices.size() != type->shape.size()) {
    size_t rank = type->shape.size();
    throw ir::Error("wrong-number-of-indices", "`{}` has {} dimension{}, got {} ind{}", buffer->name.c_str(),
                    rank, rank == 1 ? "" : "s", indices.size(), indices.size() == 1 ? "ex" : "ices")
        .at(span)
        .kind("IndexError")
        .note("the buffer is declared here", buffer->span);
  }
  int lanes = DataType(type->dtype).lanes();
  for (int64_t i = 0; i < static_cast<int64_t>(indices.size()); ++i) {
    int own = indices[i]->dtype().lanes();
    if (own == 1) continue;
    if (i + 1 != static_cast<int64_t>(indices.size())) {
      throw ir::refuse(refusals["vector-index"], i, buffer->name.c_str()).at(span);
    }
    lanes *= own;
  }
  DataType wanted = DataType(type->dtype).with_lanes(lanes);
  DataType given = value->dtype();
  if (auto* whole = ir::as<ir::VarNode>(value); whole && whole->buffer()) {
    throw ir::refuse(refusals["buffer-as-value"], whole->name.c_str())
        .at(value_span)
        .help(fmt::format("index it: `{}[...]`", whole->name.c_str()));
  }
  if (value->ty->kind != ir::TypeKind::kPrim) {
    throw ir::Error("type-mismatch", "cannot store a {} into `{}`",
                    given.is_handle() ? "pointer" : "thing without a value", buffer->name.c_str())
        .at(value_span)
        .kind("TypeError");
  }
  if (given.lanes() != lanes) {
    throw ir::Error("type-mismatch", "cannot store `{}` into `{}`: {} lane{} against {}", given.str(),
                    buffer->name.c_str(), given.lanes(), given.lanes() == 1 ? "" : "s", lanes)
        .at(value_span)
        .kind("TypeError")
        .note("the buffer is declared here", buffer->span);
  }
  value = ir::cast(wanted, std::move(value), value_span);
  emit(ir::make<ir::BufferStoreNode>(buffer, std::move(value), std::move(indices), span));
}

void Builder::add_iter_var(const ir::ApiCall& call, IterVar iter_var, Expr binding) {
  BlockState& state = block(call);
  state.iter_vars.push_back(std::move(iter_var));
  state.iter_values.push_back(std::move(binding));
}

Var Builder::env_thread(const String& tag, DataType dtype, Span span) {
  touched_ = true;
  Var var = ir::make<ir::VarNode>(String(), Type(ir::prim_type(dtype)), span);
  env_threads_.push_back(ir::make<ir::IterVarNode>(ir::Range(), var, ir::IterType::kThreadIndex, tag));
  return var;
}
const ir::IterVarNode* Builder::env_thread_of(const ir::VarNode* var) const {
  for (const IterVar& thread : env_threads_) {
    if (thread->var.get() == var) return thread.get();
  }
  return nullptr;
}

void Builder::launch(const ir::VarNode* thread, const Expr& extent, Span span) {
  announced_.erase(thread);
  auto [earlier, fresh] = launched_.try_emplace(thread, extent, span);
  if (fresh) return;
  auto before = ir::const_int(earlier->second.first);
  auto now = ir::const_int(extent);
  if (!before || !now || *before == *now) return;
  throw ir::refuse(refusals["thread-extent-mismatch"], thread->name.c_str(), *now, *before)
      .at(span)
      .note("it is launched here first", earlier->second.second);
}

void Builder::match_parameter(const ir::VarNode* handle, const Buffer& buffer, Span span) {
  touched_ = true;
  for (int64_t i = 0; i < static_cast<int64_t>(params_.size()); ++i) {
    if (params_[i].get() != handle) continue;
    // A parameter that is a buffer becomes the other one, as if it were its address.
    if (handle->ty->kind != ir::TypeKind::kPointer && handle->buffer() == nullptr) {
      throw ir::Error("type-mismatch", "`{}` is `{}`, only a handle can become a buffer",
                      handle->name.c_str(), handle->dtype().str())
          .at(span)
          .note("the parameter is declared here", handle->span);
    }
    const ir::BufferTypeNode* type = buffer->buffer();
    for (const Expr& dim : type->shape)
      announced_.erase(ir::as<ir::VarNode>(dim));  // defined by the argument
    for (const Expr& stride : type->strides) announced_.erase(ir::as<ir::VarNode>(stride));
    announced_.erase(ir::as<ir::VarNode>(type->elem_offset));
    if (by_calls_) name_once(buffer.get(), "buffer");  // unless IRBuilder.name gives another
    params_.Set(i, buffer);
    return;
  }
  throw ir::refuse(refusals["no-such-parameter"], handle->name.c_str()).at(span);
}

Expr Builder::match_expression(std::string_view text, Span span) {
  uint32_t file = ir::SourceMap::current().add("<shape>", std::string(text));
  std::shared_ptr<const syntax::Tree> tree = syntax::parse_expression(file);
  trees_.push_back(tree);
  // Names in order of occurrence; those without a meaning become variables here.
  auto define = [this, span](const auto& self, const syntax::Expr* e) -> void {
    if (auto* name = syntax::as<syntax::Name>(e)) {
      auto early = early_.find(name->id);
      if (early != early_.end()) match_vars_.emplace(name->id, early->second);
      // A TypeVar is the parameter of its name, further right: there are no others without a variable here.
      const Any* known = names_.peek(name->id);
      if (known && !frame<TypeVarNode>(*known)) return;
      auto declared = declared_.find(name->id);
      DataType dtype = declared == declared_.end() ? DataType::Int(32) : declared->second;
      Var var = ir::make<ir::VarNode>(String(std::string(name->id.str())), Type(ir::prim_type(dtype)), span);
      match_vars_.emplace(name->id, var);
      names_.bind(name->id, Expr(var), span);
    } else if (auto* binary = syntax::as<syntax::BinOp>(e)) {
      self(self, binary->left);
      self(self, binary->right);
    } else if (auto* unary = syntax::as<syntax::UnaryOp>(e)) {
      self(self, unary->operand);
    } else if (auto* call = syntax::as<syntax::Call>(e)) {
      for (const syntax::Expr* arg : call->args) self(self, arg);
    }
  };
  define(define, tree->expression);
  Any value = evaluate(*tree->expression);
  return script::as_expr(value, span, "a dimension");
}

}  // namespace mlc::tvmscript
