// SPDX-License-Identifier: Apache-2.0
// Launches, thread axes, memory and barriers of kernels.
#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "address-out-of-bounds",
         .kind = "IndexError",
         .message = "the pointer points to no known memory"},
        {.name = "thread-extents-differ",
         .message = "`{}` has {} threads here and {} where the kernel begins",
         .meaning = "All loops of a kernel over one axis of threads are the same threads."},
    }};
MLC_REFUSALS(gpu_compile_kernel, refusals);

using ir::view;

const AccessPoint* Compiler::point(Span span, const VarNode* buffer) {
  return &program_.points.emplace_back(AccessPoint{span, buffer});
}

const Meeting* Compiler::meeting(Span span, std::string text, bool orders_memory,
                                 std::function<void(std::span<Thread* const>)> together) {
  int order = static_cast<int>(program_.meetings.size());
  return &program_.meetings.emplace_back(
      Meeting{span, std::move(text), order, orders_memory, std::move(together)});
}

bool Compiler::is_thread_binding(const ir::IterVar& thread) const {
  return program_.options.simulate && axis_of(view(thread->thread_tag)).has_value();
}

namespace {

using Extents = std::array<std::function<int64_t(Frame&)>, kAxes>;

// The extents of all axes below a statement; of several of one axis the first.
// What is bound between two threads is known where the kernel is launched.
void each_axis(const Stmt& s, const std::function<void(int axis, const Expr& extent)>& f) {
  ir::VarMap bound;
  ir::walk_with(s, [&](const Stmt& s, ir::Walker& on) {
    if (auto* bind = ir::as<ir::BindNode>(s);
        bind != nullptr && ir::side_effect(bind->value) <= ir::Effect::kPure)
      bound[bind->var.get()] = ir::substitute(bind->value, bound);
    const auto* loop = ir::as<ir::ForNode>(s);
    const auto* attr = ir::as<ir::AttrStmtNode>(s);
    if (loop != nullptr && loop->thread_binding) {
      if (auto axis = axis_of(view(loop->thread_binding->thread_tag)))
        f(*axis, ir::substitute(loop->extent, bound));
    } else if (attr != nullptr && view(attr->attr_key) == "thread_extent") {
      auto iter = attr->node.as<ir::IterVar>();
      if (auto axis = iter ? axis_of(view((*iter)->thread_tag)) : std::nullopt)
        f(*axis, ir::substitute(attr->value, bound));
    }
    on.walk_children(s);
  });
}

// The bytes of dynamic shared memory that T.SMEMPool asks for; null: none.
Expr dynamic_bytes(const Stmt& s) {
  Expr found;
  ir::walk_with(s, [&](const Stmt& s, ir::Walker& on) {
    if (auto* attr = ir::as<ir::AttrStmtNode>(s);
        attr != nullptr && view(attr->attr_key) == "tirx.dyn_smem_bytes")
      found = attr->value;
    on.walk_children(s);
  });
  return found;
}

// Clusters of blocks that stand for all: the first and the last, which may have a rest, and others spread
// between them.
std::vector<int64_t> sample(int64_t all, int64_t count) {
  std::vector<int64_t> clusters;
  if (count <= 0 || all <= count) return clusters;
  for (int64_t i = 0; i < count; ++i) clusters.push_back(count == 1 ? 0 : i * (all - 1) / (count - 1));
  return clusters;
}

}  // namespace

Action Compiler::thread_axis(const ir::IterVar& thread, const ir::Var& var, const Expr& extent,
                             const Stmt& body) {
  int axis = *axis_of(view(thread->thread_tag));
  Span span = var->span ? var->span : body->span;
  bool launches = !std::exchange(in_kernel_, true);
  Extents extents;
  if (launches) {
    in_kernel_ = false;
    extents[static_cast<size_t>(axis)] = integer(extent);
    each_axis(body, [&](int other, const Expr& count) {
      if (auto& known = extents[static_cast<size_t>(other)]; !known) known = integer(count);
    });
    if (Expr bytes = dynamic_bytes(body)) dynamic_bytes_ = integer(bytes);
    in_kernel_ = true;
  }
  auto here = integer(extent);
  int slot = define_slot(var);
  // Memory of threads and blocks that is allocated in front of a launch is each kernel's own.
  std::vector<Action> own;
  if (launches) {
    for (const auto& [buffer, at] : memory_of_kernels_) own.push_back(allocate_in_kernel(buffer, at));
  }
  Action inner = [here, slot, axis, span, own, tag = std::string(view(thread->thread_tag)),
                  run = stmt(body)](Frame& frame) {
    const Thread& now = *frame.program.heap.thread;
    int64_t threads = now.block.kernel.extents[static_cast<size_t>(axis)];
    if (int64_t count = here(frame); count != threads)
      throw ir::refuse(refusals["thread-extents-differ"], tag, count, threads).at(span);
    frame.slots[static_cast<size_t>(slot)].i = now.at[static_cast<size_t>(axis)];
    for (const Action& allocate : own) allocate(frame);
    return run(frame);
  };
  if (!launches) return inner;
  in_kernel_ = false;
  return [extents, span, inner](Frame& frame) {
    Kernel kernel(frame.program);
    const Options& options = frame.program.options;
    for (size_t axis = 0; axis < extents.size(); ++axis)
      if (extents[axis]) kernel.extents[axis] = extents[axis](frame);
    kernel.body = inner;
    kernel.frame = &frame;
    kernel.span = span;
    kernel.seed = options.seed;
    kernel.traffic = options.traffic;
    kernel.clusters = sample(kernel.cluster_count(), options.most_blocks);
    if (kernel.traffic != nullptr) {
      int64_t run = kernel.clusters.empty()
                        ? kernel.grid()
                        : static_cast<int64_t>(kernel.clusters.size()) * kernel.cluster_size();
      std::array<int64_t, 6> of_launch{};
      std::copy_n(kernel.extents.begin(), of_launch.size(), of_launch.begin());
      kernel.traffic->launch(of_launch, kernel.cluster_size(), span, kernel.grid(), run);
    }
    kernel.run();
    return Flow::kNext;
  };
}

// The sizes of clusters that the hardware may choose instead of those of the kernel.
Action Compiler::preferred_cluster(const ir::IterVar& cluster, std::function<int64_t(Frame&)> extent,
                                   const Stmt& body) {
  int slot = define_slot(cluster->var);
  return [extent, slot, run = stmt(body), span = body->span](Frame& frame) {
    if (extent(frame) != 1) unsupported(span, "kernels with preferred sizes of clusters");
    frame.slots[static_cast<size_t>(slot)].i = 0;
    return run(frame);
  };
}

void name_memory(Thread& thread, const VarNode* buffer, const View& view) {
  if (!view.block || view.block->scope != Block::Scope::kShared) return;
  ir::DataType type = buffer->buffer()->dtype;
  int64_t bits = static_cast<int64_t>(type.bits()) * type.lanes(), elements = 1;
  for (int64_t extent : view.shape) elements *= extent;
  if (buffer->name.empty() && elements * bits <= 32) return;  // where a copy begins
  ThreadBlock* owner = owner_of(thread.block, *view.block);
  if (owner != nullptr) owner->declare(buffer, view.data + view.offset * bits / 8, elements * bits / 8);
}

Action Compiler::allocate_in_kernel(const Buffer& buffer) {
  return allocate_in_kernel(buffer, define_view(buffer));
}

Action Compiler::allocate_in_kernel(const Buffer& buffer, int at) {
  const ir::BufferTypeNode* type = buffer->buffer();
  int granule = number_of(type->dtype).bytes;
  int64_t bytes = static_cast<int64_t>(granule) * ir::DataType(type->dtype).lanes();
  auto set_layout = layout(type);
  // A pool in dynamic shared memory is allocated without a size, and what it takes is said later. What shares
  // it is aligned to 16 bytes, most often.
  bool pool = view(type->storage_scope) == "shared.dyn" && type->shape.size() == 1 &&
              ir::is_const_int(type->shape[0], 0);
  auto size = pool ? dynamic_bytes_ : nullptr;
  if (pool) granule = 16;
  return [at, set_layout, bytes, granule, size, var = buffer](Frame& frame) {
    View view;
    set_layout(frame, view);
    int64_t elements = 1;
    for (size_t d = 0; d < view.shape.size(); ++d) elements += (view.shape[d] - 1) * view.strides[d];
    for (int64_t dim : view.shape) elements = dim <= 0 ? 0 : elements;
    Thread& thread = *frame.program.heap.thread;
    int64_t all = size ? size(frame) : (view.offset + elements) * bytes;
    view.block = thread.block.memory(thread, var.get(), static_cast<size_t>(all), granule);
    view.data = view.block->begin;
    frame.views[static_cast<size_t>(at)] = std::move(view);
    return Flow::kNext;
  };
}

Action Compiler::branch(std::function<int64_t(Frame&)> condition, Action yes, Action no, Span span) {
  if (!in_kernel_) {
    return [condition = std::move(condition), yes = std::move(yes), no = std::move(no)](Frame& frame) {
      return condition(frame) != 0 ? yes(frame) : no(frame);
    };
  }
  const AccessPoint* statement = point(span, nullptr);
  return
      [condition = std::move(condition), yes = std::move(yes), no = std::move(no), statement](Frame& frame) {
        bool taken = condition(frame) != 0;
        Heap& heap = frame.program.heap;
        heap.use(statement->span);
        if (Traffic* traffic = heap.thread->block.kernel.traffic)
          traffic->branch(*heap.thread, statement, taken);
        return taken ? yes(frame) : no(frame);
      };
}

Code Compiler::barrier(const ir::CallNode* node, std::string text, std::function<int64_t(Frame&)> id,
                       std::function<int64_t(Frame&)> count) {
  const Barrier* made = &program_.barriers.emplace_back(Barrier{node->span, std::move(text)});
  return [made, id = std::move(id), count = std::move(count)](Frame& frame, Lane* out) {
    int64_t number = id ? id(frame) : 0;
    int64_t threads = count ? count(frame) : 0;
    Thread& thread = *frame.program.heap.thread;
    if (threads == thread.block.kernel.threads()) threads = 0;
    thread.wait(*made, number, threads);
    out->i = 0;
  };
}

Code Compiler::storage_sync(const ir::CallNode* node) {
  auto* scope = ir::as<ir::StringImmNode>(node->args[0]);
  if (scope == nullptr) unsupported(node->span, "a barrier without a scope");
  std::string text = fmt::format("T.tvm_storage_sync(\"{}\")", view(scope->value));
  if (scope->value == "warp") {  // of the lanes that are on the same way
    const Meeting* made = meeting(node->span, text, true, nullptr);
    return [made](Frame& frame, Lane* out) {
      frame.program.heap.thread->meet(*made, 0, nullptr);
      out->i = 0;
    };
  }
  if (!view(scope->value).starts_with("shared"))
    unsupported(node->span, fmt::format("a barrier of scope `{}`", view(scope->value)));
  return barrier(node, text, nullptr, nullptr);
}

// (pointer, value): what was there before.
Code Compiler::atomic_in_kernel(const ir::CallNode* node) {
  std::string name(view(ir::as<ir::OpNode>(node->op)->name));
  bool exchange = name == "tirx.cuda.atomic_cas";
  const Expr& value = node->args[node->args.size() - 1];
  if (node->args.size() != (exchange ? 3U : 2U) || !value->dtype().is_scalar())
    unsupported(node->span, fmt::format("`{}` of anything but a pointer and numbers", name));
  const AccessPoint* at_point = point(node->span, nullptr);
  Code expected = exchange ? expr(node->args[1]) : Code();
  return [place = expr(node->args[0]), expected, value = expr(value), number = &number_of(value->dtype()),
          at_point](Frame& frame, Lane* out) {
    Lane at, wanted, more;
    place(frame, &at);
    if (expected) expected(frame, &wanted);
    value(frame, &more);
    auto* to = reinterpret_cast<char*>(at.i);
    Heap& heap = frame.program.heap;
    heap.use(at_point->span);
    auto memory = heap.find(to);
    if (!memory || to + number->bytes > memory->end)
      throw ir::refuse(refusals["address-out-of-bounds"]).at(at_point->span);
    Thread& thread = *heap.thread;
    thread.check_written(*memory, to, number->bytes, *at_point);
    heap.use(at_point->span);
    thread.touch(*memory, to, number->bytes, Touch::kAtomic, *at_point);
    if (Traffic* traffic = thread.block.kernel.traffic)
      traffic->access(thread, *memory, to, number->bytes, Touch::kAtomic, *at_point);
    *out = number->load(to);
    thread.observe(to, Order::relaxed());
    bool fits = !expected || (number->floating ? out->f == wanted.f : out->i == wanted.i);
    if (fits) thread.publish(*memory, to, Order::relaxed(), true);
    if (expected) {
      if (fits) number->store(to, more);
      return;
    }
    number->store(to, number->floating
                          ? Lane{.f = number->round(out->f + more.f)}
                          : Lane{.i = number->wrap(static_cast<int64_t>(static_cast<uint64_t>(out->i) +
                                                                        static_cast<uint64_t>(more.i)))});
  };
}

Code Compiler::kernel_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.tvm_storage_sync") return storage_sync(node);
  if (name == "tirx.cuda.cta_sync") return barrier(node, "T.cuda.cta_sync()", nullptr, nullptr);
  if (name == "tirx.ptx.bar_sync" || name == "tirx.ptx.barrier_sync")
    return barrier(node, "T.ptx.bar.sync", integer(node->args[0]), nullptr);
  if (name == "tirx.ptx.bar_sync_count" || name == "tirx.ptx.barrier_sync_count")
    return barrier(node, "T.ptx.bar.sync", integer(node->args[0]), integer(node->args[1]));
  if (name == "tirx.cuda.atomic_add" || name == "tirx.cuda.atomic_cas") return atomic_in_kernel(node);
  if (name == "tirx.cuda.wait_until") return wait_until(node);
  if (name == "tirx.cuda.thread_fence")
    return [order = Order::of_fence("acq_rel", "gpu")](Frame& frame, Lane* out) {
      frame.program.heap.thread->fence(order);
      out->i = 0;
    };
  if (Code code = warp_intrinsic(node, name)) return code;
  if (Code code = fragment_intrinsic(node, name)) return code;
  if (Code code = block_intrinsic(node, name)) return code;
  if (Code code = cluster_intrinsic(node, name)) return code;
  if (Code code = memory_intrinsic(node, name)) return code;
  if (Code code = mbarrier_intrinsic(node, name)) return code;
  if (Code code = bulk_intrinsic(node, name)) return code;
  if (Code code = wgmma_intrinsic(node, name)) return code;
  if (Code code = tcgen05_intrinsic(node, name)) return code;
  return async_intrinsic(node, name);
}

}  // namespace mlc::interp
