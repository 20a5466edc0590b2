// SPDX-License-Identifier: Apache-2.0
// Statements, loops, memory.
#include <algorithm>
#include <utility>

#include "backend/artefact/extents.h"
#include "backend/backend.h"
#include "backend/c/emitter.h"
#include "ir/core/error.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"

namespace mlc::c_backend {

using ir::Error;
using ir::ForKind;

namespace {

using ir::view;

constexpr int64_t kAlignment = 64;  // of what is allocated, in bytes: a line of the caches

// What is named below a statement.
std::unordered_set<const VarNode*> used_variables(const Stmt& root) {
  struct Uses final : ir::Walker {
    std::unordered_set<const VarNode*> found;
    void visit(const Expr& e) override {
      if (auto* var = ir::as<VarNode>(e)) found.insert(var);
      if (auto* load = ir::as<ir::TensorLoadNode>(e)) found.insert(load->source.get());
      walk_children(e);
    }
    void visit(const Stmt& s) override {
      auto* allocation = ir::as<ir::AllocBufferNode>(s);
      if (allocation != nullptr) {
        for (const Expr& extent : allocation->buffer->buffer()->shape) visit(extent);
      }
      walk_children(s);
    }
    void visit_buffer(const ir::Buffer& buffer) override {
      found.insert(buffer.get());
      // The scale of its indices is in the subscripts.
      for (const Expr& e : buffer->buffer()->shape) visit(e);
      for (const Expr& e : buffer->buffer()->strides) visit(e);
      if (buffer->buffer()->elem_offset) visit(buffer->buffer()->elem_offset);
    }
  } uses;
  uses.visit(root);
  return std::move(uses.found);
}

// Lanes that are picked by their number: the text has to name each.
bool picks_lanes(const Expr& root) {
  return ir::any_below(root, [](const Expr& e) {
    auto* shuffle = ir::as<ir::ShuffleNode>(e);
    return shuffle ? shuffle->indices.size() > 1 : ir::as_call_to(e, "tirx.vectorcombine") != nullptr;
  });
}

}  // namespace

// ---- text ----

void FunctionEmitter::line(std::string_view text) {
  text_.append(static_cast<size_t>(2 * indent_), ' ');
  text_ += text;
  text_ += '\n';
}

std::string FunctionEmitter::fresh(std::string_view wanted) {
  std::string base = backend::c_identifier(wanted);
  bool bad = base.empty() || (base[0] >= '0' && base[0] <= '9') || backend::is_reserved_in_c(base) ||
             has_taken_prefix(base);
  if (bad) base = "v" + base;
  auto taken = [&](const std::string& name) {
    if (is_called_by_text(name)) return true;
    return std::ranges::any_of(scopes_, [&](const Scope& scope) { return scope.names.contains(name); });
  };
  std::string name = base;
  for (int i = 1; taken(name); ++i) name = fmt::format("{}_{}", base, i);
  scopes_.back().names.insert(name);
  return name;
}

FunctionEmitter::Block::Block(FunctionEmitter& emitter, std::string_view head, bool is_loop)
    : emitter_(emitter) {
  emitter.line(std::string(head) + (head.empty() ? "{" : " {"));
  ++emitter.indent_;
  emitter.scopes_.emplace_back().is_loop = is_loop;
}
FunctionEmitter::Block::~Block() noexcept(false) {
  for (const std::string& pointer : emitter_.scopes_.back().heap)
    emitter_.line(fmt::format("free({});", pointer));
  emitter_.scopes_.pop_back();
  --emitter_.indent_;
  emitter_.line("}");
}

void FunctionEmitter::leave(std::string_view statement, size_t outermost) {
  for (size_t i = scopes_.size(); i-- > outermost;) {
    for (const std::string& pointer : scopes_[i].heap) line(fmt::format("free({});", pointer));
  }
  line(statement);
}

void FunctionEmitter::fail(std::string_view kind, std::string_view format_and_arguments) {
  leave(fmt::format("return {}({}, {});", m_.prelude("mlc_fail"), c_string(kind), format_and_arguments), 0);
}

std::string FunctionEmitter::keep(const Text& value, DataType dtype, std::string_view name, ir::Span span) {
  std::string made = fresh(name);
  line(fmt::format("const {} {} = {};", value_type(dtype, span), made, value.text));
  return made;
}

const FunctionEmitter::Binding& FunctionEmitter::binding(const VarNode* var, ir::Span span) const {
  auto found = bindings_.find(var);
  if (found != bindings_.end()) return found->second;
  throw Error("undefined-variable", "`{}` is not defined here", var->name.c_str()).at(span);
}

void FunctionEmitter::define(const VarNode* var, std::string name, bool is_size) {
  Binding made;
  made.name = std::move(name);
  made.is_size = made.nonnegative = is_size;
  bindings_[var] = std::move(made);
}

// ---- functions ----

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, const Function& function)
    : m_(module),
      function_(function),
      used_(used_variables(function.c.fn->body)),
      accumulations_(backend::accumulations(function.c.fn->body)) {
  scopes_[0].names = module.function_names();
  for (const backend::CParameter& one : function.c.parameters) {
    scopes_[0].names.insert(one.name);
    if (!one.var || one.kind == backend::CParameter::Kind::kSymbol) continue;
    Binding made;
    made.name = one.name;
    if (const ir::BufferTypeNode* type = one.var->buffer()) {
      made.element = value_type(type->dtype, one.var->span);
      made.root = one.var.get();
    }
    bindings_[one.var.get()] = std::move(made);
  }
}

// What C lets be checked of arguments; entries for tvm-ffi have checked more by then.
void FunctionEmitter::checks() {
  using Kind = backend::CParameter::Kind;
  for (const backend::CParameter& one : function_.c.parameters) {
    if (one.kind != Kind::kSymbol) continue;
    DataType dtype = one.var->dtype();
    std::string of = fmt::format("`{}` of `{}` is %lld, ", one.name, function_.c.name);
    if (m_.convention == Convention::kPlain) {
      Block block(*this, fmt::format("if ({} < 0)", one.name));
      fail("ValueError",
           fmt::format("{}, (long long){}", c_string(of + "and a size is at least 0"), one.name));
    }
    if (dtype.bits() >= 64) {
      define(one.var.get(), one.name, true);
      continue;
    }
    if (m_.convention == Convention::kPlain) {
      Block block(*this, fmt::format("if ({} > {}_MAX)", one.name,
                                     dtype.is_int() ? fmt::format("INT{}", dtype.bits())
                                                    : fmt::format("UINT{}", dtype.bits())));
      fail("ValueError",
           fmt::format("{}, (long long){}", c_string(of + fmt::format("which {} cannot hold", dtype.str())),
                       one.name));
    }
    if (!used_.contains(one.var.get())) {
      define(one.var.get(), fmt::format("(({}){})", value_type(dtype, {}), one.name), true);
      continue;
    }
    std::string narrow = fresh(one.name);
    line(fmt::format("const {0} {1} = ({0}){2};", value_type(dtype, {}), narrow, one.name));
    define(one.var.get(), narrow, true);
  }
  if (m_.convention == Convention::kPacked) return;
  for (const backend::CParameter& one : function_.c.parameters) {
    bool result = one.kind == Kind::kResult;
    if (!result && one.kind != Kind::kTensor) continue;
    std::string empty;  // only a tensor without elements may be NULL
    int64_t bytes = 1;
    if (!result) {
      const ir::BufferTypeNode* type = one.var->buffer();
      for (const Expr& extent : type->shape) {
        if (auto known = ir::const_int(extent); known && *known > 0) continue;
        empty += fmt::format(" && {} > 0", emit(extent).at_least(kShift));
      }
      bytes = DataType(type->dtype).bytes();
    }
    std::string subject = fmt::format("`{}` of `{}`", one.name, function_.c.name);
    {
      Block block(*this, fmt::format("if ({} == NULL{})", one.name, empty));
      fail("ValueError", c_string(subject + " is NULL"));
    }
    if (bytes <= 1) continue;
    Block block(*this, fmt::format("if ((uintptr_t){} % {} != 0)", one.name, bytes));
    fail("ValueError", c_string(fmt::format("{} is not aligned to {} bytes", subject, bytes)));
  }
}

std::string FunctionEmitter::body() {
  checks();
  emit(function_.c.fn->body);
  for (const std::string& pointer : scopes_[0].heap) line(fmt::format("free({});", pointer));
  line("return 0;");
  return std::move(text_);
}

// ---- statements ----

void FunctionEmitter::emit(const Stmt& s) {
  ir::dispatch(
      s, ir::overloaded{
             [&](const ir::BindNode* n) { emit_bind(n); },
             [&](const ir::AttrStmtNode* n) { emit_attr(n); },
             [&](const ir::AssertStmtNode* n) {
               std::string message;
               for (const ir::String& part : n->message_parts) message += view(part);
               std::string holds = emit(n->condition).at_least(kUnary);
               Block block(*this, fmt::format("if (!{})", holds));
               fail(view(n->error_kind), fmt::format("\"%s\", {}", c_string(message)));
             },
             [&](const ir::BufferStoreNode* n) { emit_store(n); },
             [&](const ir::AllocBufferNode* n) { allocate(n); },
             [&](const ir::DeclBufferNode* n) { emit_view(n); },
             [&](const ir::SeqStmtNode* n) {
               for (const Stmt& one : n->seq) emit(one);
             },
             [&](const ir::EvaluateNode* n) {
               if (ir::const_int(n->value)) return;
               Text value = emit(n->value);
               // What has a name already has been done.
               bool does = ir::side_effect(n->value) > ir::Effect::kReadState;
               if (does && value.text.find('(') != std::string::npos) line(value.text + ";");
             },
             [&](const ir::IfThenElseNode* n) {
               std::string condition = emit(n->condition).text;
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
               for (const std::string& pointer : scopes_.back().heap) line(fmt::format("free({});", pointer));
               scopes_.pop_back();
               --indent_;
               line("}");
             },
             [&](const ir::ForNode* n) { emit_for(n); },
             [&](const ir::WhileNode* n) {
               // The condition may need statements of its own, in each iteration.
               size_t before = text_.size();
               std::string head = text_;
               Text condition = emit(n->condition);
               bool plain = text_.size() == before;
               text_ = std::move(head);
               Block block(*this, fmt::format("while ({})", plain ? condition.text : "true"), true);
               if (!plain) {
                 std::string holds = emit(n->condition).at_least(kUnary);
                 line(fmt::format("if (!{}) break;", holds));
               }
               emit(n->body);
             },
             [&](const ir::ReturnNode* n) { emit_return(n->value, n->span); },
             [&](const ir::BreakNode* n) { leave_loop("break", n->span); },
             [&](const ir::ContinueNode* n) { leave_loop("continue", n->span); },
             [&](const ir::SBlockNode* n) { refuse("a block", n->span, "lower the module first"); },
             [&](const ir::SBlockRealizeNode* n) { refuse("a block", n->span, "lower the module first"); },
             [&](const ir::ScopeIdDefStmtNode* n) {
               refuse("a scope id", n->span, "it belongs to GPU kernels");
             },
             [&](const ir::TilePrimitiveCallNode* n) {
               refuse("a tile primitive", n->span, "it belongs to GPU kernels");
             },
         });
}

void FunctionEmitter::emit_attr(const ir::AttrStmtNode* s) {
  std::string_view key = view(s->attr_key);
  if (key == "thread_extent" || key == "virtual_thread")
    refuse("a thread binding", s->span, "bind loops to threads only for GPU targets; use `parallel` here");
  if (key != "mlc.streaming_store" && !backend::is_spent_hint(key))  // C has no words for the first
    refuse(fmt::format("the attribute `{}`", key), s->span);
  emit(s->body);
}

void FunctionEmitter::emit_bind(const ir::BindNode* s) {
  bool does = ir::side_effect(s->value) > ir::Effect::kReadState;
  if (!used_.contains(s->var.get()) && !does) return;
  DataType dtype = s->value->dtype();
  loaded_names_.bind(s->var, s->value);
  Binding made;
  if (dtype.is_vector()) {
    if (dtype.is_scalable()) refuse("a scalable vector", s->span);
    made.lanes = true;
    std::string name = fresh(view(s->var->name));
    line(fmt::format("{} {}[{}];", value_type(dtype, s->span), name, dtype.lanes()));
    for_lanes(dtype.lanes(), {s->value}, [&] {
      std::string value = emit(s->value).text;
      line(fmt::format("{}[{}] = {};", name, lane_, value));
    });
    made.name = name;
  } else {
    made.is_size = dtype.bits() >= 32 && is_size(s->value);
    made.nonnegative = nonnegative(s->value);
    Text value = emit(s->value);
    if (auto* buffer = ir::as<VarNode>(s->value); buffer != nullptr && defines(buffer))
      made.root = binding(buffer, s->span).root;
    made.name = keep(value, dtype, view(s->var->name), s->span);
    if (!used_.contains(s->var.get())) line(fmt::format("(void){};", made.name));
  }
  bindings_[s->var.get()] = std::move(made);
}

// Does an iteration end the function? Threads of a loop cannot.
bool FunctionEmitter::may_fail(const Stmt& s) const {
  bool found = false;
  ir::post_order(
      s,
      [&](const Expr& e) {
        auto* call = ir::as<ir::CallNode>(e);
        if (call == nullptr) return;
        if (ir::as<ir::GlobalVarNode>(call->op) != nullptr) found = true;
        for (std::string_view name : {"tirx.check_index", "tirx.ret", "tirx.thread_return"})
          found |= ir::as_call_to(e, name) != nullptr;
      },
      [&](const Stmt& one) {
        found |= ir::as<ir::AssertStmtNode>(one) != nullptr || ir::as<ir::ReturnNode>(one) != nullptr;
      });
  return found;
}

void FunctionEmitter::emit_for(const ir::ForNode* s) {
  if (s->for_kind == ForKind::kThreadBinding)
    refuse("a thread binding", s->span, "bind loops to threads only for GPU targets; use `parallel` here");
  if (s->for_kind == ForKind::kVectorized) refuse("a vectorized loop", s->span, "lower the module first");
  auto step = s->step ? ir::const_int(s->step) : std::optional<int64_t>(1);
  if (step && *step <= 0) refuse("a loop whose step is not positive", s->span);
  DataType dtype = s->loop_var->dtype();
  std::string type = value_type(dtype, s->span);

  // Bounds are evaluated once. Those that are made of variables, which do not change, may be in the head.
  auto once = [&](const Expr& e, std::string_view suffix) {
    bool before = std::exchange(in_index_, is_size(e));
    Text value = emit(e);
    in_index_ = before;
    if (is_size(e)) return value;
    return Text{keep(value, dtype, fmt::format("{}_{}", view(s->loop_var->name), suffix), s->span)};
  };
  Text min = once(s->min, "begin");
  Expr end = ir::is_const_int(s->min, 0) ? s->extent : ir::add(s->min, s->extent);
  Text limit = once(end, "end");
  std::string advance;
  bool parallel = s->for_kind == ForKind::kParallel && failed_.empty();
  bool in_order = parallel && may_fail(s->body);
  if (in_order) {
    line("/* In order: an iteration may end the function. */");
    parallel = false;
  }
  std::string failed;
  if (parallel) {
    bool allocates = false;
    ir::post_order(
        s->body, [](const Expr&) {},
        [&](const Stmt& one) { allocates |= ir::as<ir::AllocBufferNode>(one) != nullptr; });
    m_.prelude("mlc_parallel");
    if (allocates) {
      failed = fresh("failed");
      line(fmt::format("int {} = 0;", failed));
    }
    line("MLC_PARALLEL_FOR");
  }
  Text step_text = s->step ? once(s->step, "step") : Text{"1"};
  scopes_.emplace_back();
  std::string name = fresh(view(s->loop_var->name));
  advance =
      s->step && !ir::is_const_int(s->step, 1) ? fmt::format("{} += {}", name, step_text.text) : "++" + name;
  Binding made;
  made.name = name;
  made.is_size = true;
  made.nonnegative = nonnegative(s->min);
  bindings_[s->loop_var.get()] = made;
  auto outer = std::make_tuple(failed_, next_, parallel_scope_, next_used_);
  {
    Block block(*this,
                fmt::format("for ({} {} = {}; {} < {}; {})", type, name, min.text, name,
                            limit.at_least(kShift), advance),
                true);
    if (parallel) {
      failed_ = failed.empty() ? "0" : failed;
      next_ = m_.unique_name("next");
      parallel_scope_ = scopes_.size() - 1;
      next_used_ = false;
    }
    emit(s->body);
    if (parallel && next_used_) {
      for (const std::string& pointer : scopes_.back().heap) line(fmt::format("free({});", pointer));
      scopes_.back().heap.clear();
      line(next_ + ":;");
    }
  }
  scopes_.pop_back();
  if (parallel) std::tie(failed_, next_, parallel_scope_, next_used_) = outer;
  if (failed.empty()) return;
  // Nothing here needed it: the size was small enough for the stack.
  if (std::string mark = failed + " = 1"; text_.find(mark) == std::string::npos) {
    std::string definition = fmt::format("int {} = 0;\n", failed);
    size_t at = text_.rfind(definition);
    size_t begin = text_.rfind('\n', at) + 1;
    text_.erase(begin, at + definition.size() - begin);
    return;
  }
  Block block(*this, fmt::format("if ({})", failed));
  fail("MemoryError", c_string(fmt::format("cannot allocate memory in the loop over `{}`", name)));
}

void FunctionEmitter::leave_loop(std::string_view word, ir::Span span) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (!scopes_[i].is_loop) continue;
    if (i == parallel_scope_ && !failed_.empty() && word == "break")
      refuse("`break` out of a parallel loop", span);
    return leave(fmt::format("{};", word), i);
  }
  refuse(fmt::format("`{}` outside of a loop", word), span);
}

void FunctionEmitter::emit_return(const Expr& value, ir::Span span) {
  if (!failed_.empty()) refuse("`return` out of a parallel loop", span);
  if (value && !value->dtype().is_void() && !function_.result.is_void()) {
    Text made = emit_cast(emit(value), value->dtype(), function_.result, span);
    line(fmt::format("*{} = {};", function_.c.parameters.back().name, made.text));
  } else if (value && function_.result.is_void() && !ir::const_int(value) && !value->dtype().is_void()) {
    refuse("the return of a value from a function without a return type", span,
           "write `-> T.int32` or the like");
  }
  leave("return 0;", 0);
}

// ---- vectors ----

void FunctionEmitter::for_lanes(int lanes, const std::vector<Expr>& used, const std::function<void()>& each) {
  MLC_CHECK(lane_.empty(), "lanes inside of lanes");
  // A value with effects comes once, not once per lane.
  for (const Expr& root : used) {
    ir::post_order(root, [&](const Expr& e) {
      auto* broadcast = ir::as<ir::BroadcastNode>(e);
      if (broadcast == nullptr || ir::side_effect(broadcast->value) <= ir::Effect::kReadState) return;
      if (hoisted_.contains(broadcast)) return;
      hoisted_[broadcast] = keep(emit(broadcast->value), broadcast->value->dtype(), "value", e->span);
    });
  }
  if (std::ranges::any_of(used, picks_lanes)) {
    for (lane_number_ = 0; lane_number_ < lanes; ++lane_number_) {
      lane_ = std::to_string(lane_number_);
      each();
    }
  } else {
    scopes_.emplace_back();
    std::string name = fresh("lane");
    lane_ = name;
    Block block(*this, fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", name, lanes));
    each();
    scopes_.erase(scopes_.end() - 2);
  }
  lane_.clear();
  lane_number_ = -1;
  hoisted_.clear();
}

// Does a lane of the value read what another lane has written by then?
bool FunctionEmitter::must_be_read_first(const ir::BufferStoreNode* s) {
  bool found = false, mixes = picks_lanes(s->value);
  const Binding& target = binding(s->buffer.get(), s->span);
  Expr at = backend::flat_index(s->buffer, s->indices);
  ir::post_order(s->value, [&](const Expr& e) {
    auto* call = ir::as_call_to(e, "tirx.masked_load");
    auto* load = ir::as<ir::TensorLoadNode>(e);
    if (call != nullptr ||
        (ir::as<ir::CallNode>(e) != nullptr && ir::side_effect(e) == ir::Effect::kOpaque)) {
      found = true;
      return;
    }
    if (load == nullptr) return;
    const Binding& source = binding(load->source.get(), e->span);
    bool apart = source.root != nullptr && target.root != nullptr && source.root != target.root &&
                 (source.local || target.local || function_.noalias);
    if (apart) return;
    bool same_lane = source.root == target.root && source.element == target.element &&
                     e->dtype().lanes() == s->value->dtype().lanes() &&
                     ir::structural_equal(backend::flat_index(load->source, load->indices), at);
    // Two parameters may be one tensor, but do not overlap by halves.
    same_lane |= source.root != target.root && source.element == target.element &&
                 ir::structural_equal(backend::flat_index(load->source, load->indices), at);
    found |= mixes || !same_lane;
  });
  return found;
}

void FunctionEmitter::emit_store(const ir::BufferStoreNode* s) {
  DataType dtype = s->value->dtype();
  int lanes = dtype.lanes();
  for (const Expr& one : s->indices) {
    if (one->dtype().is_vector()) lanes = one->dtype().lanes();
  }
  if (dtype.is_scalable() || lanes < 0) refuse("a scalable vector", s->span);
  if (lanes == 1) {
    std::string value = emit(s->value).text;
    line(fmt::format("{} = {};", element(s->buffer, s->indices, 1, s->span), value));
    return;
  }
  std::vector<Expr> used{s->value};
  used.insert(used.end(), s->indices.begin(), s->indices.end());
  if (!must_be_read_first(s)) {
    for_lanes(lanes, used, [&] {
      std::string value = emit(s->value).text;
      line(fmt::format("{} = {};", element(s->buffer, s->indices, lanes, s->span), value));
    });
    return;
  }
  Block block(*this, "");
  std::string values = fresh("values");
  line(fmt::format("{} {}[{}];", value_type(dtype, s->span), values, lanes));
  for_lanes(lanes, used, [&] {
    std::string value = emit(s->value).text;
    line(fmt::format("{}[{}] = {};", values, lane_, value));
  });
  for_lanes(lanes, std::vector<Expr>(s->indices.begin(), s->indices.end()), [&] {
    line(fmt::format("{} = {}[{}];", element(s->buffer, s->indices, lanes, s->span), values, lane_));
  });
}

// masked_store(buffer, value, indices..., mask)
void FunctionEmitter::emit_masked_store(const ir::CallNode* call) {
  auto* var = call->args.empty() ? nullptr : ir::as<VarNode>(call->args[0]);
  if (var == nullptr || var->buffer() == nullptr || call->args.size() < 4)
    refuse("a masked access without buffer, index and mask", call->span);
  auto count = static_cast<int64_t>(call->args.size());
  ir::Array<Expr> indices;
  for (int64_t i = 2; i + 1 < count; ++i) indices.push_back(call->args[i]);
  const Expr& mask = call->args[count - 1];
  const Expr& value = call->args[1];
  int lanes = indices[static_cast<int64_t>(indices.size()) - 1]->dtype().lanes();
  if (lanes < 0) refuse("a scalable vector", call->span);
  if (lanes != value->dtype().lanes() || lanes != mask->dtype().lanes() || lanes == 1) {
    throw Error("codegen-unsupported",
                "a masked access of {} lanes at an index of {} with a mask of {} cannot be compiled",
                value->dtype().lanes(), lanes, mask->dtype().lanes())
        .at(call->span);
  }
  Block block(*this, "");
  std::string values = fresh("values");
  line(fmt::format("{} {}[{}];", value_type(value->dtype(), call->span), values, lanes));
  for_lanes(lanes, {value}, [&] { line(fmt::format("{}[{}] = {};", values, lane_, emit(value).text)); });
  for_lanes(lanes, {mask, indices[static_cast<int64_t>(indices.size()) - 1]}, [&] {
    Block held(*this, fmt::format("if ({})", emit(mask).text));
    line(fmt::format("{} = {}[{}];", element(ir::ref(var), indices, lanes, call->span), values, lane_));
  });
}

// ---- memory ----

void FunctionEmitter::emit_view(const ir::DeclBufferNode* s) {
  if (!s->data) refuse("memory with an address of its own", s->span, "it exists on a GPU only");
  Expr origin = s->data;
  if (auto* call = ir::as_call_to(s->data, "tirx.buffer_data")) origin = call->args[0];
  Binding made;
  made.element = value_type(s->buffer->buffer()->dtype, s->span);
  std::string element = made.element;
  std::string constant;
  if (auto* source = ir::as<VarNode>(origin)) {
    const Binding& memory = binding(source, s->span);
    made.root = memory.root;
    made.local = memory.local;
    if (!memory.element.empty() && memory.element == made.element) {  // another name for the same
      made.name = memory.name;
      bindings_[s->buffer.get()] = std::move(made);
      return;
    }
    for (const backend::CParameter& one : function_.c.parameters) {
      if (one.var && one.var.get() == memory.root && !one.writes) constant = "const ";
    }
  }
  // Another type than that which the memory was written with: C lets only such pointers look.
  element = m_.prelude("mlc_alias_$", DataType(s->buffer->buffer()->dtype).element());
  std::string data = emit(s->data).at_least(kUnary);
  if (!used_.contains(s->buffer.get())) return;
  made.name = fresh(view(s->buffer->name));
  line(fmt::format("{0}{1}* const {2} = ({0}{1}*){3};", constant, element, made.name, data));
  bindings_[s->buffer.get()] = std::move(made);
}

// Small constant sizes live on the stack, others on the heap until the statements around them end.
void FunctionEmitter::allocate(const ir::AllocBufferNode* s) {
  const ir::BufferTypeNode* type = s->buffer->buffer();
  DataType dtype = type->dtype;
  std::string element = value_type(dtype, s->span);
  Binding made;
  made.element = element;
  made.root = s->buffer.get();
  made.local = true;
  int64_t bytes = dtype.bytes() * dtype.lanes();
  Expr count = ir::int_imm(DataType::Int(64), dtype.lanes());
  for (const Expr& extent : type->shape) count = ir::mul(count, ir::cast(DataType::Int(64), extent));
  auto constant = ir::const_int(count);
  if (constant && *constant < 0) {
    throw Error("codegen-unsupported", "`{}` has a negative size", s->buffer->name.c_str()).at(s->span);
  }
  if (!used_.contains(s->buffer.get())) {
    made.name = "NULL";
    bindings_[s->buffer.get()] = std::move(made);
    return;
  }
  made.name = fresh(view(s->buffer->name));
  std::optional<int64_t> most = constant ? constant : backend::at_most(count);
  if (most && *most <= backend::kStackBytes && *most * bytes / dtype.lanes() <= backend::kStackBytes) {
    line(fmt::format("_Alignas({}) {} {}[{}];", kAlignment, element, made.name, std::max<int64_t>(1, *most)));
    bindings_[s->buffer.get()] = std::move(made);
    return;
  }
  std::string elements =
      constant ? std::to_string(*constant) : emit(backend::without_zero_divisors(count)).text;
  line(fmt::format("{}* const {} = {}(sizeof({}), {});", element, made.name, m_.prelude("mlc_allocate"),
                   element, elements));
  {
    Block block(*this, fmt::format("if ({} == NULL)", made.name));
    if (failed_.empty()) {
      fail("MemoryError",
           c_string(in_format(fmt::format("cannot allocate memory for `{}`", s->buffer->name.c_str()))));
    } else {
      m_.prelude("mlc_parallel");
      line("MLC_ATOMIC_WRITE");
      line(fmt::format("{} = 1;", failed_));
      leave(fmt::format("goto {};", next_), parallel_scope_);
      next_used_ = true;
    }
  }
  scopes_.back().heap.push_back(made.name);
  bindings_[s->buffer.get()] = std::move(made);
}

}  // namespace mlc::c_backend
