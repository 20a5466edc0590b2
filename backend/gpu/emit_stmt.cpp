// SPDX-License-Identifier: Apache-2.0
// Statements, loops, memory.
#include <algorithm>
#include <utility>

#include "backend/artefact/c_interface.h"
#include "backend/backend.h"
#include "backend/gpu/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/core/try_get.h"
#include "ir/tir/arith_ops.h"

namespace mlc::gpu_backend {

using c_backend::kShift;
using c_backend::kUnary;
using ir::Error;
using ir::ForKind;
using ir::view;

// ---- text ----

void KernelEmitter::line(std::string_view text) {
  text_.append(static_cast<size_t>(2 * indent_), ' ');
  text_ += text;
  text_ += '\n';
}

std::string KernelEmitter::fresh(std::string_view wanted) {
  std::string base = backend::c_identifier(wanted);
  if (base.empty() || (base[0] >= '0' && base[0] <= '9') || base.starts_with("mlc_") ||
      base.starts_with("__") || backend::is_reserved_in_c(base) || backend::in_c_library(base) ||
      ir::has_word(words_.reserved, base))
    base = "v" + base;
  auto taken = [&](const std::string& name) {
    return std::ranges::any_of(scopes_, [&](const auto& scope) { return scope.contains(name); });
  };
  std::string name = base;
  for (int i = 1; taken(name); ++i) name = fmt::format("{}_{}", base, i);
  scopes_.back().insert(name);
  return name;
}

KernelEmitter::Block::Block(KernelEmitter& emitter, std::string_view head) : emitter_(emitter) {
  emitter.line(std::string(head) + (head.empty() ? "{" : " {"));
  ++emitter.indent_;
  emitter.scopes_.emplace_back();
}
KernelEmitter::Block::~Block() noexcept(false) {
  emitter_.scopes_.pop_back();
  --emitter_.indent_;
  emitter_.line("}");
}

std::string KernelEmitter::keep(Text value, DataType dtype, std::string_view name, ir::Span span) {
  std::string made = fresh(name);
  line(constant(type(dtype, span), made, value.text));
  return made;
}

const KernelEmitter::Binding& KernelEmitter::binding(const VarNode* var, ir::Span span) const {
  auto found = bindings_.find(var);
  if (found != bindings_.end()) return found->second;
  throw Error("undefined-variable", "`{}` is not defined here", var->name.c_str()).at(span);
}

// ---- statements ----

std::string KernelEmitter::constant(const std::string& type, const std::string& name,
                                    const std::string& value) {
  return fmt::format("const {} {} = {};", type, name, value);
}

std::string KernelEmitter::variable(const std::string& type, const std::string& name,
                                    const std::string& value) {
  return fmt::format("{} {}{}{};", type, name, value.empty() ? "" : " = ", value);
}

std::string KernelEmitter::array(const std::string& type, const std::string& name, int64_t size) {
  return fmt::format("{} {}[{}];", type, name, size);
}

std::string KernelEmitter::guarded(const std::string& condition, const std::string& statement) {
  return condition.empty() ? statement : fmt::format("if ({}) {}", condition, statement);
}

std::string KernelEmitter::loop(const std::string& type, const std::string& name, const Text& begin,
                                const Text& limit, const std::string& step) {
  return fmt::format("for ({} {} = {}; {} < {}; {})", type, name, begin.text, name, limit.at_least(kShift),
                     step.empty() ? "++" + name : fmt::format("{} += {}", name, step));
}

void KernelEmitter::emit(const Stmt& s) {
  ir::dispatch(
      s,
      ir::overloaded{
          [&](const ir::BindNode* n) { emit_bind(n); },
          [&](const ir::AttrStmtNode* n) { emit_attr(n); },
          [&](const ir::AssertStmtNode* n) {
            Block block(*this, fmt::format("if (!{})", scalar(n->condition).at_least(kUnary)));
            line(trap(n->span));
          },
          [&](const ir::BufferStoreNode* n) { emit_store(n); },
          [&](const ir::AllocBufferNode* n) { allocate(n); },
          [&](const ir::DeclBufferNode* n) { emit_view(n); },
          [&](const ir::SeqStmtNode* n) {
            for (const Stmt& one : n->seq) emit(one);
          },
          [&](const ir::EvaluateNode* n) {
            if (ir::const_int(n->value)) return;
            Value value = emit(n->value);
            if (!value.whole.text.empty() && ir::side_effect(n->value) > ir::Effect::kReadState)
              line(value.whole.text + ";");
          },
          [&](const ir::IfThenElseNode* n) {
            std::string condition = scalar(n->condition).text;
            {
              Block block(*this, fmt::format("if ({})", condition));
              emit(n->then_case);
            }
            if (!n->else_case) return;
            text_.pop_back();  // `} else {` on one line
            text_ += " else {\n";
            ++indent_;
            scopes_.emplace_back();
            emit(n->else_case);
            scopes_.pop_back();
            --indent_;
            line("}");
          },
          [&](const ir::ForNode* n) { emit_for(n); },
          [&](const ir::WhileNode* n) {
            // The condition may need statements of its own, in each iteration.
            size_t before = text_.size();
            std::string head = text_;
            auto scopes = scopes_;
            Text condition = scalar(n->condition);
            bool plain = text_.size() == before;
            text_ = std::move(head);
            scopes_ = std::move(scopes);
            Block block(*this, fmt::format("while ({})", plain ? condition.text : "true"));
            if (!plain) {
              std::string holds = scalar(n->condition).at_least(kUnary);
              line(guarded("!" + holds, "break;"));
            }
            emit(n->body);
          },
          [&](const ir::ReturnNode* n) { emit_return(n->value); },
          [&](const ir::BreakNode*) { line("break;"); },
          [&](const ir::ContinueNode*) { line("continue;"); },
          [&](const ir::SBlockNode* n) { refuse("a block", n->span, "lower the module first"); },
          [&](const ir::SBlockRealizeNode* n) { refuse("a block", n->span, "lower the module first"); },
          [&](const ir::ScopeIdDefStmtNode* n) { refuse("a scope id", n->span, "lower the module first"); },
          [&](const ir::TilePrimitiveCallNode* n) {
            refuse("a tile primitive", n->span, "lower the module first");
          },
      });
}

// What a kernel returns is the host's status.
void KernelEmitter::emit_return(const Expr& value) {
  line(returns_value_ && value ? fmt::format("return {};", scalar(value).text) : "return;");
}

void KernelEmitter::emit_attr(const ir::AttrStmtNode* s) {
  std::string_view key = view(s->attr_key);
  if (device_attr(s)) return;
  if (key == "thread_extent") {
    auto iter = ir::try_get<ir::IterVar>(s->node);
    if (!iter || !*iter) refuse("a thread binding without a thread", s->span);
    const Var& var = (*iter)->var;
    std::string_view tag = view((*iter)->thread_tag);
    if (tag.empty() || tag.back() < 'x' || tag.back() > 'z')
      refuse(fmt::format("a thread `{}`", tag), s->span);
    Binding made;
    made.text = thread(tag, var->dtype(), s->span);
    made.is_size = made.nonnegative = true;
    bindings_[var.get()] = std::move(made);
  } else if (key == "virtual_thread") {
    refuse("a virtual thread", s->span, "lower the module first");
  } else if (key == "pragma_import_c") {
    auto* source = ir::as<ir::StringImmNode>(s->value);
    if (source == nullptr) refuse("`pragma_import_c` of no text", s->span);
    need(std::string(view(source->value)), std::string(view(source->value)));
  } else if (!ir::has_word("reduce_scope fragment_shape fragment_layout volatile_scope double_buffer_write "
                           "double_buffer_scope hand_threaded tirx.device_entry",
                           key) &&
             !key.starts_with("pragma_") && !backend::is_spent_hint(key)) {
    refuse(fmt::format("the attribute `{}`", key), s->span);
  }
  emit(s->body);
}

void KernelEmitter::emit_bind(const ir::BindNode* s) {
  bool does = ir::side_effect(s->value) > ir::Effect::kReadState;
  if (!used_.contains(s->var.get()) && !does) return;
  DataType dtype = s->value->dtype();
  loaded_names_.bind(s->var, s->value);
  Binding made;
  made.is_size = dtype.is_scalar() && dtype.bits() >= 32 && is_size(s->value);
  made.nonnegative = nonnegative(s->value);
  made.divisor = dtype.is_scalar() && dtype.is_integral() ? divisor(s->value) : 1;
  Value value = emit(s->value);
  if (dtype.is_void()) {
    line(value.whole.text + ";");
    return;
  }
  std::string text = whole(value, s->span);
  if (s->var->ty->kind == ir::TypeKind::kPointer || dtype.is_handle()) {
    if (!words_.pointers) refuse("a pointer", s->span);
    const Var& var = s->var;
    bool typed =
        var->ty->kind == ir::TypeKind::kPointer &&
        static_cast<const ir::PointerTypeNode*>(var->ty.get())->element_type->kind == ir::TypeKind::kPrim;
    if (typed) {
      auto* pointer = static_cast<const ir::PointerTypeNode*>(var->ty.get());
      made.element = static_cast<const ir::PrimTypeNode*>(pointer->element_type.get())->dtype;
      made.scope = std::string(pointer->storage_scope);
    }
    std::string pointer = pointer_type(made.element, made.scope, false, s->span);
    std::string name = fresh(view(var->name));
    line(fmt::format("{} const {} = ({}){};", pointer, name, pointer, Text{text, kUnary}.at_least(kUnary)));
    made.text = {name};
  } else {
    made.text = {keep({text}, dtype, view(s->var->name), s->span)};
  }
  bindings_[s->var.get()] = std::move(made);
}

void KernelEmitter::emit_for(const ir::ForNode* s) {
  if (s->for_kind == ForKind::kThreadBinding)
    refuse("a thread binding of a loop", s->span, "lower the module first");
  if (s->for_kind == ForKind::kVectorized) refuse("a vectorized loop", s->span, "lower the module first");
  if (s->for_kind == ForKind::kParallel)
    refuse("a parallel loop", s->span, "bind it to threads: `sch.bind(loop, \"threadIdx.x\")`");
  auto step = s->step ? ir::const_int(s->step) : std::optional<int64_t>(1);
  if (step && *step <= 0) refuse("a loop whose step is not positive", s->span);
  DataType dtype = s->loop_var->dtype();
  auto once = [&](const Expr& e, std::string_view suffix) {
    bool before = std::exchange(in_index_, is_size(e));
    Text value = scalar(e);
    in_index_ = before;
    if (is_size(e)) return value;
    return Text{keep(value, dtype, fmt::format("{}_{}", view(s->loop_var->name), suffix), s->span)};
  };
  Text min = once(s->min, "begin");
  Text limit = once(ir::is_const_int(s->min, 0) ? s->extent : ir::add(s->min, s->extent), "end");
  Text by = s->step ? once(s->step, "step") : Text{"1"};
  if (!words_.unroll) {
  } else if (s->for_kind == ForKind::kUnrolled) {
    line("#pragma unroll");
  } else {
    for (const auto& [key, value] : s->annotations) {
      if (view(key) == "disable_unroll") line("#pragma unroll 1");
      if (view(key) != "pragma_unroll") continue;
      auto factor = value.try_cast<int64_t>();
      if (auto number = ir::try_get<ir::IntImm>(value); number && *number) factor = (*number)->value;
      line(factor && *factor > 1 ? fmt::format("#pragma unroll {}", *factor) : "#pragma unroll");
    }
  }
  scopes_.emplace_back();
  std::string name = fresh(view(s->loop_var->name));
  std::string advance = s->step && !ir::is_const_int(s->step, 1) ? by.text : "";
  Binding made;
  made.text = {name};
  made.is_size = true;
  made.nonnegative = nonnegative(s->min);
  bindings_[s->loop_var.get()] = made;
  {
    Block block(*this, loop(type(dtype, s->span), name, min, limit, advance));
    emit(s->body);
  }
  scopes_.pop_back();
}

void KernelEmitter::emit_store(const ir::BufferStoreNode* s) {
  store(s->buffer, s->indices, s->value, Expr(nullptr), s->span);
}

// ---- memory ----

void KernelEmitter::emit_view(const ir::DeclBufferNode* s) {
  if (!s->data) return;  // tensor memory: instructions have its address, nobody its pointer
  Binding made;
  const ir::BufferTypeNode* type = s->buffer->buffer();
  // The data of another buffer, or any pointer.
  const VarNode* base = ir::as<VarNode>(s->data);
  if (auto* data = ir::as_call_to(s->data, "tirx.buffer_data")) base = ir::as<VarNode>(data->args[0]);
  if (base != nullptr) {
    made = binding(base, s->span);
  } else {
    if (!words_.pointers) refuse("a pointer", s->span);
    DataType element = type->dtype;
    std::string scope(type->storage_scope);
    std::string pointer = pointer_type(element, scope, false, s->span);
    std::string name = fresh(view(s->buffer->name));
    line(fmt::format("{} const {} = ({}){};", pointer, name, pointer, scalar(s->data).at_least(kUnary)));
    made.text = {name};
    made.element = element;
  }
  made.scope = std::string(type->storage_scope);
  made.is_size = made.nonnegative = false;
  bindings_[s->buffer.get()] = std::move(made);
}

void KernelEmitter::dynamic_shared(const ir::AllocBufferNode* s) {
  refuse("memory of a block whose size the launch says", s->span, "use the scope `shared`");
}

// At the top of the function, where every language has it.
void KernelEmitter::declare_shared(const std::string& declaration, const std::string& name) {
  scopes_.front().insert(name);
  shared_text_ += (words_.shared_outside ? "" : "  ") + declaration + "\n";
}

void KernelEmitter::allocate(const ir::AllocBufferNode* s) {
  if (device_alloc(s)) return;
  const ir::BufferTypeNode* type = s->buffer->buffer();
  std::string scope(type->storage_scope);
  bool shared = scope == "shared";
  if (scope == "shared.dyn") return dynamic_shared(s);
  if (!shared && scope != "local" && scope != "global" && !scope.empty())
    refuse(fmt::format("memory of scope `{}`", scope), s->span);
  if (scope == "global" || scope.empty())
    refuse(fmt::format("global memory that a kernel allocates (`{}`)", view(s->buffer->name)), s->span,
           "allocate it outside of the kernel, or in the scope `local` or `shared`");
  int64_t size = 1;
  for (const Expr& extent : type->shape) {
    auto known = ir::const_int(extent);
    if (!known)
      refuse(fmt::format("memory of a size that is computed (`{}`)", view(s->buffer->name)), s->span,
             "make its extent a constant");
    size *= *known;
  }
  DataType element = type->dtype;
  Binding made;
  made.element = element;
  made.scope = scope;
  if (auto found = s->annotations.find("tirx.volatile"); found != s->annotations.end()) {
    // A class has no volatile copies; barriers order its memory as well.
    made.is_volatile = element.is_scalar() && (element.bits() >= 32 || element.is_integral());
  }
  std::string name = fresh(view(s->buffer->name));
  // Vectors of what is in it are read from it; a few bytes hold none.
  std::string_view aligned = shared || size * element.bytes() * element.lanes() >= 16 ? words_.aligned : "";
  std::string declaration =
      fmt::format("{}{}", made.is_volatile && words_.pointers ? "volatile " : "",
                  array(memory_type(element, s->span), name, std::max<int64_t>(size, 1)));
  if (!shared) {
    line(fmt::format("{}{}{}", words_.local, aligned, declaration));
  } else if (words_.aligned_first) {
    declare_shared(fmt::format("{}{} {}", aligned, words_.shared, declaration), name);
  } else {
    declare_shared(fmt::format("{} {}{}", words_.shared, aligned, declaration), name);
  }
  made.text = {name};
  bindings_[s->buffer.get()] = std::move(made);
}

}  // namespace mlc::gpu_backend
