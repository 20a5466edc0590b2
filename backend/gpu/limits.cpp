// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/limits.h"

#include "backend/gpu/emitter.h"
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"

namespace mlc::gpu_backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "exceeds-target",
         .message = "kernel `{}` asks for {}, and the target `{}` has at most {}",
         .meaning = "A target says how many threads a block may have, how much memory they may share, and "
                    "how many parameters "
                    "a kernel may take. Where it says nothing, TVM's numbers for the kind of target hold, "
                    "which are those of "
                    "small devices."},
    }};
MLC_REFUSALS(gpu_limits, refusals);

namespace {

int64_t shared_bytes(const ir::PrimFunc& fn) {
  int64_t all = 0;
  ir::walk_with(fn->body, [&](const Stmt& s, ir::Walker& on) {
    auto* alloc = ir::as<ir::AllocBufferNode>(s);
    const ir::BufferTypeNode* type = alloc == nullptr ? nullptr : alloc->buffer->buffer();
    if (type != nullptr && ir::view(type->storage_scope) == "shared") {
      int64_t bytes = DataType(type->dtype).bytes() * DataType(type->dtype).lanes();
      for (const Expr& extent : type->shape) bytes *= ir::const_int(extent).value_or(0);
      all += bytes;
    }
    on.walk_children(s);
  });
  return all;
}

}  // namespace

void check_limits(const ir::IRModule& kernels, const ir::Target& target) {
  auto most = [&](std::string_view attr) { return ir::target_attr<int64_t>(target, attr, 0); };
  // The first of them that the kind of target has.
  std::string threads = most("max_threads_per_block") != 0 ? "max_threads_per_block" : "max_num_threads";
  for (const auto& [global, base] : kernels->functions) {
    if (!is_kernel(base)) continue;
    auto fn = ir::Any(base).cast<ir::PrimFunc>();
    auto check = [&](int64_t wanted, std::string_view attr, std::string_view of_what) {
      int64_t limit = most(attr);
      if (limit == 0 || wanted <= limit) return;
      std::string better = fmt::format(R"(tvm.target.Target({{"kind": "{}", "{}": {}}}))",
                                       ir::view(target->kind), attr, wanted);
      throw ir::refuse(refusals["exceeds-target"], ir::view(global->name_hint),
                       fmt::format("{} {}", wanted, of_what), ir::view(target->kind), limit)
          .help(fmt::format("bind loops with smaller extents, cache less, or say what the device has: `{}`",
                            better))
          .at(fn->span);
    };
    check(block_threads(fn).value_or(0), threads, "threads in a block");
    check(shared_bytes(fn), "max_shared_memory_per_block", "bytes of shared memory in a block");
    int64_t buffers = 0;
    for (const Var& param : fn->params)
      buffers += param->buffer() != nullptr || param->ty->kind == ir::TypeKind::kPointer ? 1 : 0;
    check(buffers, "max_function_args", "buffers as parameters");
  }
}

}  // namespace mlc::gpu_backend
