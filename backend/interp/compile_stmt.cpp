// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/machine.h"
#include "ir/core/interrupt.h"
#include "ir/core/refusal.h"
#include "ir/tir/for_kind.h"
#include "ir/tir/layout.h"
#include "ir/tir/op.h"
#include "ir/tir/reduction_init.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "address-out-of-bounds", .message = "the pointer points to no known memory"},
        {.name = "assertion-failed"},
        {.name = "interpret-unsupported",
         .message = "the interpreter does not run memory that has an address of its own"},
        {.name = "loop-step-not-positive", .message = "the step of a loop is {}"},
    }};
MLC_REFUSALS(interp_compile_stmt, refusals);

namespace {

using ir::view;

Flow nothing(Frame&) { return Flow::kNext; }

// One after the other, until one leaves.
Action in_order(std::vector<Action> steps) {
  return [steps = std::move(steps)](Frame& frame) {
    for (const Action& step : steps) {
      if (Flow flow = step(frame); flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  };
}

[[noreturn]] void kernel_only(std::string_view what, Span span) {
  throw ir::Error("unsupported", "{} of the kernel dialect cannot be interpreted", what).at(span);
}

}  // namespace

int Compiler::define_slot(const ir::Var& var) {
  auto found = at_.find(var.get());
  if (found != at_.end()) return found->second;  // a variable of a loop that occurs twice
  int slot = fn_->slots;
  fn_->slots += lane_count(var->dtype());
  at_[var.get()] = slot;
  return slot;
}
int Compiler::define_view(const Buffer& buffer) {
  if (const ir::ObjectRef& layout = buffer->buffer()->layout;
      layout.defined() && !ir::is_default_layout(layout, buffer->buffer()->shape))
    unsupported(buffer->span, "buffers with a layout of their own");
  auto found = at_.find(buffer.get());
  if (found != at_.end()) return found->second;
  return at_[buffer.get()] = fn_->views++;
}
int Compiler::slot_of(const VarNode* var, Span span) const {
  auto found = at_.find(var);
  if (found == at_.end())
    throw ir::Error("undefined-variable", "`{}` is not defined here", var->name.c_str()).at(span);
  return found->second;
}
int Compiler::view_of(const VarNode* buffer, Span span) const { return slot_of(buffer, span); }

std::function<void(Frame&, View&)> Compiler::layout(const ir::BufferTypeNode* type) {
  std::vector<std::function<int64_t(Frame&)>> shape, strides;
  for (const Expr& dim : type->shape) shape.push_back(integer(dim));
  for (const Expr& stride : type->strides) strides.push_back(integer(stride));
  auto offset = type->elem_offset ? integer(type->elem_offset) : [](Frame&) -> int64_t { return 0; };
  return [shape, strides, offset](Frame& frame, View& view) {
    view.shape.clear();
    for (const auto& dim : shape) view.shape.push_back(dim(frame));
    if (strides.empty()) {
      view.strides = compact_strides(view.shape);
    } else {
      view.strides.clear();
      for (const auto& stride : strides) view.strides.push_back(stride(frame));
    }
    view.offset = offset(frame);
  };
}

std::function<void(Frame&, View&)> Compiler::pointer(const Expr& data) {
  Expr source = data;
  if (auto* call = ir::as_call_to(data, "tirx.buffer_data")) source = call->args[0];
  auto* var = ir::as<VarNode>(source);
  if (var && var->buffer()) {
    return [from = view_of(var, data->span)](Frame& frame, View& view) {
      view.block = frame.views[static_cast<size_t>(from)].block;
      view.data = frame.views[static_cast<size_t>(from)].data;
    };
  }
  return [code = expr(data), span = data->span](Frame& frame, View& view) {
    Lane address;
    code(frame, &address);
    view.data = reinterpret_cast<char*>(address.i);
    view.block = frame.program.heap.find(view.data);
    if (!view.block) throw ir::refuse(refusals["address-out-of-bounds"]).at(span);
  };
}

Action Compiler::allocate(const Buffer& buffer, bool watched) {
  if (in_kernel_) return allocate_in_kernel(buffer);
  const ir::BufferTypeNode* type = buffer->buffer();
  int64_t bytes = static_cast<int64_t>(number_of(type->dtype).bytes) * ir::DataType(type->dtype).lanes();
  auto set_layout = layout(type);
  int at = define_view(buffer);
  if (program_.options.simulate && view(type->storage_scope) != "global")
    memory_of_kernels_.emplace_back(buffer, at);
  bool track = program_.options.check_uninitialized;
  return [at, set_layout, bytes, track, watched, var = buffer.get()](Frame& frame) {
    View view;
    set_layout(frame, view);
    int64_t elements = 1;  // up to and including the last one: strides may leave gaps
    for (size_t d = 0; d < view.shape.size(); ++d) elements += (view.shape[d] - 1) * view.strides[d];
    for (int64_t dim : view.shape) elements = dim <= 0 ? 0 : elements;
    view.block = frame.program.heap.allocate(static_cast<size_t>((view.offset + elements) * bytes), track);
    view.data = view.block->begin;
    view.block->buffer = var;
    view.block->watched = watched;
    frame.views[static_cast<size_t>(at)] = std::move(view);
    return Flow::kNext;
  };
}

const VarNode* Compiler::root_of(const VarNode* buffer) const {
  auto found = views_.find(buffer);
  return found == views_.end() ? buffer : found->second;
}

// Buffers of shared memory that were merged into one (MergeSharedMemoryAllocations) count from its beginning:
// their shapes say how much each has, not where it ends.
static bool is_merged(const ir::BufferTypeNode* view_type, const VarNode* source) {
  const ir::BufferTypeNode* of = source ? source->buffer() : nullptr;
  return of && ir::DataType(of->dtype) == ir::DataType::UInt(8) && of->shape.size() == 1 &&
         view_type->shape.size() == 1 && view_type->strides.empty() &&
         ir::DataType(view_type->dtype) != ir::DataType(of->dtype) &&
         view(of->storage_scope).starts_with("shared") && of->storage_scope == view_type->storage_scope &&
         (!view_type->elem_offset || ir::is_const_int(view_type->elem_offset, 0));
}

// FlattenBuffer counts from the beginning of an argument's memory, and adds in every index where the argument
// begins in it: a tensor may be a part of a larger one.
static bool counts_from_memory(const ir::BufferTypeNode* view_type, const VarNode* source) {
  const ir::BufferTypeNode* of = source ? source->buffer() : nullptr;
  return of && of->elem_offset && !ir::is_const_int(of->elem_offset, 0) && view_type->shape.size() == 1 &&
         view_type->strides.empty() && of->dtype == view_type->dtype &&
         (!view_type->elem_offset || ir::is_const_int(view_type->elem_offset, 0));
}

Action Compiler::declare(const ir::DeclBufferNode* node) {
  // Tensor memory is reached by instructions alone: a buffer there is its address.
  if (in_kernel_ && view(node->buffer->buffer()->storage_scope) == "tmem") return nothing;
  if (!node->data) {
    throw ir::refuse(refusals["interpret-unsupported"]).at(node->span);
  }
  auto set_pointer = pointer(node->data);
  auto* of_buffer = ir::as_call_to(node->data, "tirx.buffer_data");
  Expr data = of_buffer != nullptr ? Expr(of_buffer->args[0]) : node->data;
  auto* source = ir::as<VarNode>(data);
  if (source) views_[node->buffer.get()] = root_of(source);
  bool merged = in_kernel_ && is_merged(node->buffer->buffer(), source);
  int64_t bytes =
      number_of(node->buffer->buffer()->dtype).bytes * ir::DataType(node->buffer->buffer()->dtype).lanes();
  auto set_layout = layout(node->buffer->buffer());
  int part_of = counts_from_memory(node->buffer->buffer(), source) ? view_of(source, node->span) : -1;
  int at = define_view(node->buffer);
  return [at, set_pointer, set_layout, merged, part_of, bytes, var = node->buffer.get()](Frame& frame) {
    View view;
    set_pointer(frame, view);
    set_layout(frame, view);
    if (merged && view.block) view.shape[0] = (view.block->end - view.data) / bytes;
    if (part_of >= 0) view.shape[0] += frame.views[static_cast<size_t>(part_of)].offset;
    if (Thread* thread = frame.program.heap.thread) name_memory(*thread, var, view);
    frame.views[static_cast<size_t>(at)] = std::move(view);
    return Flow::kNext;
  };
}

Action Compiler::store(const ir::BufferStoreNode* node) {
  auto site = this->site(node->buffer, node->indices, node->span, true);
  int lanes = site->lanes * site->element_lanes;
  int given = lane_count(node->value->dtype());
  MLC_CHECK(given == lanes, "{} lanes are stored to {}", given, lanes);
  return [site, lanes, value = expr(node->value)](Frame& frame) {
    Lanes values(lanes);
    value(frame, values.data());
    Lanes at(site->lanes);
    static_assert(sizeof(Lane) == sizeof(int64_t));
    site->locate(frame, &at.data()->i);
    const Lane* next = values.data();
    Unwritten& unwritten = frame.program.heap.unwritten;
    Unwritten whole = unwritten;
    for (int i = 0; i < site->lanes; ++i, next += site->element_lanes) {
      unwritten = whole;
      site->store(frame.views[static_cast<size_t>(site->view)], at[i].i, next);
    }
    return Flow::kNext;
  };
}

Action Compiler::evaluate(const ir::EvaluateNode* node) {
  if (ir::as_call_to(node->value, "tirx.break_loop")) return [](Frame&) { return Flow::kBreak; };
  if (ir::as_call_to(node->value, "tirx.continue_loop")) return [](Frame&) { return Flow::kContinue; };
  if (ir::as_call_to(node->value, "tirx.thread_return")) return [](Frame&) { return Flow::kReturn; };
  if (auto* ret = ir::as_call_to(node->value, "tirx.ret")) {
    return [value = expr(ret->args[0])](Frame& frame) {
      value(frame, &frame.result);
      return Flow::kReturn;
    };
  }
  if (node->value->kind == ir::ExprKind::kIntImm) return nothing;
  int lanes = lane_count(node->value->dtype());
  return [value = expr(node->value), lanes](Frame& frame) {
    Lanes out(lanes);
    value(frame, out.data());
    frame.program.heap.unwritten = {};
    return Flow::kNext;
  };
}

std::function<Flow(Frame&, int64_t)> Compiler::iteration(Action body, bool side_by_side) {
  if (!side_by_side || !program_.options.check_races)
    return [body = std::move(body)](Frame& frame, int64_t) { return body(frame); };
  return [body = std::move(body)](Frame& frame, int64_t loop) {
    return frame.program.heap.races.in_iteration(loop, [&] { return body(frame); });
  };
}

// Threads of a block meet at barriers, and add up one element: only those of different blocks are apart.
// Virtual threads are a loop of one thread, statement by statement: what all of them copy to the same place
// is written again, not at once.
static bool runs_apart(const ir::IterVar& thread) { return view(thread->thread_tag).starts_with("blockIdx"); }

Action Compiler::loop(const ir::ForNode* node) {
  if (node->thread_binding && is_thread_binding(node->thread_binding)) {
    if (!ir::is_const_int(node->min, 0))
      unsupported(node->span, "a loop over threads that does not begin at 0");
    return thread_axis(node->thread_binding, node->loop_var, node->extent, node->body);
  }
  auto min = integer(node->min);
  auto extent = integer(node->extent);
  auto step = node->step ? integer(node->step) : [](Frame&) -> int64_t { return 1; };
  int slot = define_slot(node->loop_var);
  loops_.push_back(node);
  std::vector<Action> inits;  // a sum over nothing is 0, not what memory held
  for (const Stmt& init : ir::inits_of_empty_reductions(loops_, [](const Expr& e) { return e; }))
    inits.push_back(stmt(init));
  bool side_by_side =
      ir::runs_side_by_side(node->for_kind) && (!node->thread_binding || runs_apart(node->thread_binding));
  auto scope = at_;
  auto body = iteration(stmt(node->body), side_by_side);
  at_ = std::move(scope);
  loops_.pop_back();
  const Number* number = &number_of(node->loop_var->dtype());
  Action run = [=, span = node->span](Frame& frame) {
    int64_t begin = min(frame);
    int64_t end = begin + extent(frame);
    int64_t by = step(frame);
    frame.program.heap.use(span);
    if (by <= 0) throw ir::refuse(refusals["loop-step-not-positive"], by).at(span);
    int64_t loop = frame.program.heap.races.loops++;
    Lane outer = frame.slots[static_cast<size_t>(slot)];  // of a loop around with the same variable
    for (int64_t i = begin; i < end; i += by) {
      ir::heed_interrupt();
      frame.slots[static_cast<size_t>(slot)].i = number->wrap(i);
      Flow flow = body(frame, loop);
      if (flow == Flow::kBreak) break;
      if (flow == Flow::kReturn) return flow;
    }
    frame.slots[static_cast<size_t>(slot)] = outer;
    return Flow::kNext;
  };
  if (inits.empty()) return run;
  inits.push_back(std::move(run));
  return in_order(inits);
}

// `with T.launch_thread("threadIdx.x", n)`: the body for every thread, one after the other.
Action Compiler::thread_extent(const ir::AttrStmtNode* node) {
  auto iter = node->node.as<ir::IterVar>();
  if (!iter) unsupported(node->span, "a number of threads without their variable");
  if (is_thread_binding(*iter)) return thread_axis(*iter, (*iter)->var, node->value, node->body);
  auto extent = integer(node->value);
  if (program_.options.simulate && view((*iter)->thread_tag).starts_with("preferredCluster"))
    return preferred_cluster(*iter, extent, node->body);
  int slot = define_slot((*iter)->var);
  return [extent, slot, body = iteration(stmt(node->body), runs_apart(*iter))](Frame& frame) {
    int64_t count = extent(frame);
    int64_t loop = frame.program.heap.races.loops++;
    for (int64_t i = 0; i < count; ++i) {
      frame.slots[static_cast<size_t>(slot)].i = i;
      body(frame, loop);  // a thread that returns ends only itself
    }
    return Flow::kNext;
  };
}

Action Compiler::match_buffer(const ir::MatchBufferRegionNode* match) {
  int source = view_of(match->source->source.get(), match->source->span);
  std::vector<std::function<int64_t(Frame&)>> mins, extents;
  for (const ir::Range& range : match->source->region) {
    mins.push_back(integer(range->min));
    extents.push_back(integer(range->extent));
  }
  int at = define_view(match->buffer);
  const ir::BufferTypeNode* type = match->buffer->buffer();
  // Variables that the pattern leaves open are bound to what the region turns out to be.
  std::vector<std::pair<int, size_t>> stride_slots, shape_slots;
  auto open = [&](const Expr& e) -> int {
    auto* var = ir::as<VarNode>(e);
    return var && !is_defined(var) ? define_slot(ir::ref(var)) : -1;
  };
  for (size_t d = 0; d < type->shape.size(); ++d) {
    if (int slot = open(type->shape[d]); slot >= 0) shape_slots.emplace_back(slot, d);
  }
  for (size_t d = 0; d < type->strides.size(); ++d) {
    if (int slot = open(type->strides[d]); slot >= 0) stride_slots.emplace_back(slot, d);
  }
  int offset_slot = type->elem_offset ? open(type->elem_offset) : -1;
  size_t rank = type->shape.size();
  size_t dropped = mins.size() - rank;  // leading dimensions of extent one
  return [=](Frame& frame) {
    const View& from = frame.views[static_cast<size_t>(source)];
    View view;
    view.block = from.block;
    view.data = from.data;
    view.offset = from.offset;
    for (size_t d = 0; d < mins.size(); ++d) {
      view.offset += mins[d](frame) * from.strides[d];
      if (d < dropped) continue;
      view.shape.push_back(extents[d](frame));
      view.strides.push_back(from.strides[d]);
    }
    for (auto [slot, d] : shape_slots) frame.slots[static_cast<size_t>(slot)].i = view.shape[d];
    for (auto [slot, d] : stride_slots) frame.slots[static_cast<size_t>(slot)].i = view.strides[d];
    if (offset_slot >= 0) frame.slots[static_cast<size_t>(offset_slot)].i = view.offset;
    frame.views[static_cast<size_t>(at)] = std::move(view);
    return Flow::kNext;
  };
}

Action Compiler::block(const ir::SBlockNode* node, std::function<bool(Frame&)> first_reduction) {
  const ir::SBlockNode* around = std::exchange(block_, node);
  std::vector<Action> steps;
  for (const Buffer& buffer : node->alloc_buffers) steps.push_back(allocate(buffer, false));
  for (const ir::MatchBufferRegion& match : node->match_buffers) steps.push_back(match_buffer(match.get()));
  if (node->init) {
    steps.push_back([first = std::move(first_reduction), init = stmt(node->init)](Frame& frame) {
      return first(frame) ? init(frame) : Flow::kNext;
    });
  }
  auto outside = std::exchange(loops_, {});
  steps.push_back(stmt(node->body));
  loops_ = std::move(outside);
  block_ = around;
  if (Observer* observer = program_.options.observer) {
    return [observer, node, body = in_order(std::move(steps))](Frame& frame) {
      observer->instance(*node);
      return body(frame);
    };
  }
  return in_order(steps);
}

Action Compiler::realize(const ir::SBlockRealizeNode* node) {
  struct Binding {
    int slot;
    std::function<int64_t(Frame&)> value;
  };
  std::vector<Binding> bindings;
  std::vector<std::pair<int, std::function<int64_t(Frame&)>>>
      reductions;  // slot and the domain's first value
  const ir::SBlock& block = node->block;
  MLC_CHECK(block->iter_vars.size() == node->iter_values.size(), "block `{}` has {} iterators and {} values",
            block->name_hint.c_str(), block->iter_vars.size(), node->iter_values.size());
  std::vector<std::function<int64_t(Frame&)>> values;
  for (const Expr& value : node->iter_values) values.push_back(integer(value));
  for (size_t i = 0; i < values.size(); ++i) {
    const ir::IterVar& iter = block->iter_vars[i];
    int slot = define_slot(iter->var);
    bindings.push_back({slot, values[i]});
    if (iter->iter_type == ir::IterType::kCommReduce) reductions.emplace_back(slot, integer(iter->dom->min));
  }
  auto first_reduction = [reductions](Frame& frame) {
    for (const auto& [slot, first] : reductions) {
      if (frame.slots[static_cast<size_t>(slot)].i != first(frame)) return false;
    }
    return true;
  };
  auto predicate = integer(node->predicate);
  return [predicate, bindings, body = this->block(block.get(), first_reduction)](Frame& frame) {
    for (const Binding& binding : bindings)
      frame.slots[static_cast<size_t>(binding.slot)].i = binding.value(frame);
    return predicate(frame) != 0 ? body(frame) : Flow::kNext;
  };
}

Action Compiler::stmt(const Stmt& s) {
  return ir::dispatch(
      s, ir::overloaded{
             [&](const ir::BindNode* node) -> Action {
               Code value = expr(node->value);
               at_.erase(node->var.get());  // it may hide one of a scope around
               int slot = define_slot(node->var);
               return [value, slot, span = node->span](Frame& frame) {
                 value(frame, &frame.slots[static_cast<size_t>(slot)]);
                 frame.program.heap.use(span);
                 return Flow::kNext;
               };
             },
             [&](const ir::AttrStmtNode* node) -> Action {
               bool thread =
                   view(node->attr_key) == "thread_extent" || view(node->attr_key) == "virtual_thread";
               if (Action async = async_attribute(node)) return async;
               return thread ? thread_extent(node) : stmt(node->body);
             },
             [&](const ir::AssertStmtNode* node) -> Action {
               std::string message;
               for (const ir::String& part : node->message_parts) message += std::string(part);
               return [condition = integer(node->condition), message, kind = std::string(node->error_kind),
                       span = node->span](Frame& frame) {
                 if (condition(frame) == 0)
                   throw ir::refuse_as(refusals["assertion-failed"], "{}", message).kind(kind).at(span);
                 return Flow::kNext;
               };
             },
             [&](const ir::BufferStoreNode* node) { return store(node); },
             [&](const ir::AllocBufferNode* node) {
               return allocate(node->buffer, program_.options.check_races);
             },
             [&](const ir::DeclBufferNode* node) { return declare(node); },
             [&](const ir::SeqStmtNode* node) -> Action {
               std::vector<Action> steps;
               for (const Stmt& step : node->seq) steps.push_back(stmt(step));
               return in_order(steps);
             },
             [&](const ir::EvaluateNode* node) { return evaluate(node); },
             [&](const ir::IfThenElseNode* node) -> Action {
               return branch(integer(node->condition), stmt(node->then_case),
                             node->else_case ? stmt(node->else_case) : Action(nothing), node->span);
             },
             [&](const ir::ForNode* node) { return loop(node); },
             [&](const ir::WhileNode* node) -> Action {
               return [condition = integer(node->condition), body = stmt(node->body),
                       span = node->span](Frame& frame) {
                 while (condition(frame) != 0) {
                   frame.program.heap.use(span);
                   ir::heed_interrupt();
                   Flow flow = body(frame);
                   if (flow == Flow::kBreak) break;
                   if (flow == Flow::kReturn) return flow;
                 }
                 return Flow::kNext;
               };
             },
             [&](const ir::ReturnNode* node) -> Action {
               if (!node->value) return [](Frame&) { return Flow::kReturn; };
               return [value = expr(node->value)](Frame& frame) {
                 value(frame, &frame.result);
                 return Flow::kReturn;
               };
             },
             [&](const ir::BreakNode*) -> Action { return [](Frame&) { return Flow::kBreak; }; },
             [&](const ir::ContinueNode*) -> Action { return [](Frame&) { return Flow::kContinue; }; },
             [&](const ir::SBlockNode* node) { return block(node, [](Frame&) { return true; }); },
             [&](const ir::SBlockRealizeNode* node) { return realize(node); },
             [&](const ir::ScopeIdDefStmtNode* node) -> Action { kernel_only("a scope id", node->span); },
             [&](const ir::TilePrimitiveCallNode* node) -> Action {
               kernel_only("a tile primitive", node->span);
             },
         });
}

}  // namespace mlc::interp
