// SPDX-License-Identifier: Apache-2.0
// What threads ask of their block: who they are, fences, barriers that some of them only arrive at.
#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/ptx_call.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "assertion-failed",
         .message = "{} traps: what `T.cuda.trap_when_assert_failed` says does not hold"},
    }};
MLC_REFUSALS(gpu_compile_block, refusals);

using ir::view;

namespace {

Code no_effect() {
  return [](Frame&, Lane* out) { out->i = 0; };
}

// Special registers of a thread.
std::optional<std::function<int64_t(const Thread&)>> special_register(std::string_view name) {
  constexpr std::string_view kAxesOfRegisters = "xyz";
  size_t dot = name.find('.');
  std::string_view family = name.substr(0, dot);
  if (dot != name.npos) {
    size_t axis = kAxesOfRegisters.find(name.substr(dot + 1));
    if (axis == kAxesOfRegisters.npos) return std::nullopt;
    auto of_cluster = [axis](const Thread& thread) { return thread.block.kernel.extents[axis + kOfCluster]; };
    if (family == "tid") return [axis](const Thread& thread) { return thread.at[axis + kOfThread]; };
    if (family == "ntid")
      return [axis](const Thread& thread) { return thread.block.kernel.extents[axis + kOfThread]; };
    if (family == "ctaid") return [axis](const Thread& thread) { return thread.at[axis]; };
    if (family == "nctaid") return [axis](const Thread& thread) { return thread.block.kernel.extents[axis]; };
    if (family == "clusterid")
      return [axis, of_cluster](const Thread& thread) { return thread.at[axis] / of_cluster(thread); };
    if (family == "nclusterid")
      return [axis, of_cluster](const Thread& thread) {
        return thread.block.kernel.extents[axis] / of_cluster(thread);
      };
    if (family == "cluster_ctaid")
      return [axis](const Thread& thread) { return thread.at[axis + kOfCluster]; };
    if (family == "cluster_nctaid") return of_cluster;
    return std::nullopt;
  }
  if (family == "laneid") return [](const Thread& thread) -> int64_t { return thread.lane(); };
  if (family == "warpid") return [](const Thread& thread) -> int64_t { return thread.warp(); };
  if (family == "cluster_ctarank") return [](const Thread& thread) -> int64_t { return thread.block.rank; };
  if (family == "cluster_nctarank")
    return [](const Thread& thread) -> int64_t { return thread.block.cluster.size(); };
  return std::nullopt;
}

}  // namespace

std::function<void(Frame&, Lane)> Compiler::destination(const Expr& e, Span span) {
  if (!e) return [](Frame&, Lane) {};
  auto* load = ir::as<ir::TensorLoadNode>(e);
  if (load == nullptr || !load->dtype().is_scalar())
    unsupported(span, "an instruction whose result is no element of a buffer");
  auto site = this->site(load->source, load->indices, span, true);
  return [site](Frame& frame, Lane value) {
    Lane at;
    site->locate(frame, &at.i);
    site->store(frame.views[static_cast<size_t>(site->view)], at.i, &value);
  };
}

Code Compiler::guarded(const PtxCall& call, Code code) {
  if (!call.predicate()) return code;
  return [condition = integer(call.predicate()), code = std::move(code), span = call.span()](Frame& frame,
                                                                                             Lane* out) {
    bool does = condition(frame) != 0;
    frame.program.heap.use(span);
    out->i = 0;
    if (does) code(frame, out);
  };
}

// What tile primitives call that is written as CUDA C++: a pointer some elements further, two elements
// converted.
Code Compiler::builtin_function(const ir::CallNode* node) {
  auto* callee = ir::as<ir::StringImmNode>(node->args[0]);
  std::string_view name = callee == nullptr ? "T.cuda.func_call" : view(callee->value);
  auto refuse = [&] { unsupported(node->span, fmt::format("`{}`, whose text is CUDA C++", name)); };
  if (node->args.size() != 4) refuse();
  if (name == "tvm_builtin_pointer_offset") {
    const ir::PrimTypeNode* element = nullptr;
    if (node->args[1]->ty.defined() && node->args[1]->ty->kind == ir::TypeKind::kPointer) {
      const ir::Type& pointee =
          static_cast<const ir::PointerTypeNode*>(node->args[1]->ty.get())->element_type;
      if (pointee->kind == ir::TypeKind::kPrim) element = static_cast<const ir::PrimTypeNode*>(pointee.get());
    }
    if (element == nullptr) refuse();
    ir::DataType type(element->dtype);
    return [pointer = expr(node->args[1]), elements = integer(node->args[2]),
            bits = static_cast<int64_t>(type.bits()) * type.lanes()](Frame& frame, Lane* out) {
      pointer(frame, out);
      out->i += elements(frame) * bits / 8;
    };
  }
  constexpr std::string_view kCast = "tvm_builtin_cast_", kPair = "x2_";
  size_t middle = name.find(kPair);
  if (!name.starts_with(kCast) || middle == name.npos || !name.ends_with("x2")) refuse();
  size_t second = middle + kPair.size();
  const Number* from = &number_of(ir::DataType::parse(name.substr(kCast.size(), middle - kCast.size())));
  const Number* to = &number_of(ir::DataType::parse(name.substr(second, name.size() - 2 - second)));
  return [target = integer(node->args[1]), source = integer(node->args[2]), from, to,
          at = point(node->span, nullptr)](Frame& frame, Lane* out) {
    Thread& thread = *frame.program.heap.thread;
    auto [source_memory, first] = thread.memory_at(source(frame), 2L * from->bytes, at->span);
    auto [memory, begin] = thread.memory_at(target(frame), 2L * to->bytes, at->span);
    thread.read(*source_memory, first, 2L * from->bytes, *at);
    if (memory->scope == Block::Scope::kLocal)
      thread.store_registers(*memory, begin, 2L * to->bytes, at->span);
    thread.write(*memory, begin, 2L * to->bytes, *at);
    for (int i = 0; i < 2; ++i)
      to->store(begin + i * to->bytes, convert(*from, *to, from->load(first + i * from->bytes)));
    out->i = 0;
  };
}

Code Compiler::fence_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.ptx.fence_mbarrier_init") {
    return [order = Order::of_fence("release", "cluster")](Frame& frame, Lane* out) {
      frame.program.heap.thread->fence(order);
      frame.program.heap.thread->fence_proxy();
      out->i = 0;
    };
  }
  if (name == "tirx.ptx.fence_proxy") {
    PtxCall call(node, name);
    bool async = call.modifier("proxykind") == "async";
    return [async](Frame& frame, Lane* out) {
      if (async) frame.program.heap.thread->fence_proxy();
      out->i = 0;
    };
  }
  // They order nothing by themselves: who reads still has to know that the other has written.
  if (name == "tirx.ptx.fence") {
    PtxCall call(node, name);
    return guarded(call, [order = Order::of_fence(call.modifier("sem"), call.modifier("scope"))](Frame& frame,
                                                                                                 Lane* out) {
      frame.program.heap.thread->fence(order);
      out->i = 0;
    });
  }
  if (name == "tirx.ptx.griddepcontrol" || name == "tirx.ptx.setmaxnreg" || name == "tirx.cuda.nano_sleep" ||
      name.starts_with("tirx.ptx.cp_async_bulk_prefetch") ||
      name.starts_with("tirx.ptx.cp_async_bulk_tensor_prefetch") || name == "tirx.ptx.prefetch" ||
      name == "tirx.ptx.prefetch_tensormap")
    return no_effect();
  return nullptr;
}

Code Compiler::block_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (Code code = fence_intrinsic(node, name)) return code;
  if (name == "tirx.cuda.thread_rank")
    return [](Frame& frame, Lane* out) { out->i = frame.program.heap.thread->index; };
  if (name == "tirx.cuda.mov_sreg") {
    auto* which = ir::as<ir::StringImmNode>(node->args[1]);
    auto value = which == nullptr ? std::nullopt : special_register(view(which->value));
    if (!value)
      unsupported(node->span,
                  fmt::format("the special register `{}`", which == nullptr ? "?" : view(which->value)));
    return [value = *value](Frame& frame, Lane* out) { out->i = value(*frame.program.heap.thread); };
  }
  if (name == "tirx.cuda.trap_when_assert_failed") {
    return [condition = integer(node->args[0]), span = node->span](Frame& frame, Lane* out) {
      out->i = 0;
      if (condition(frame) == 0)
        throw ir::refuse(refusals["assertion-failed"], frame.program.heap.thread->name()).at(span);
    };
  }
  if (name == "tirx.cuda.func_call") return builtin_function(node);
  if (name == "tirx.cuda.elect_sync") {
    const Meeting* made = meeting(node->span, "T.cuda.elect_sync", false, nullptr);
    return [made](Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      thread.meet(*made, 0xFFFFFFFF, nullptr);
      out->i = thread.lane() == 0 ? 1 : 0;
    };
  }
  if (name == "tirx.ptx.elect_sync") {
    PtxCall call(node, name);
    const Meeting* made = meeting(node->span, "T.ptx.elect_sync", false, nullptr);
    return guarded(
        call, [made, mask = integer(call.one("membermask")), lane = destination(call.one("d"), node->span),
               elected = destination(call.one("p"), node->span)](Frame& frame, Lane* out) {
          Thread& thread = *frame.program.heap.thread;
          auto lanes = static_cast<uint32_t>(mask(frame));
          thread.meet(*made, lanes, nullptr);
          int first = std::countr_zero(lanes);
          lane(frame, Lane{.i = first});
          elected(frame, Lane{.i = thread.lane() == first ? 1 : 0});
          out->i = 0;
        });
  }
  if (name == "tirx.cuda.warpgroup_sync")
    return barrier(node, "T.cuda.warpgroup_sync", integer(node->args[0]),
                   [](Frame&) -> int64_t { return 4L * kWarp; });
  if (name == "tirx.ptx.bar_arrive" || name == "tirx.ptx.barrier_arrive") {
    return [id = integer(node->args[0]), count = integer(node->args[1])](Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      int64_t threads = count(frame);
      thread.arrive_at(id(frame), threads == thread.block.kernel.threads() ? 0 : threads);
      out->i = 0;
    };
  }
  return nullptr;
}

}  // namespace mlc::interp
