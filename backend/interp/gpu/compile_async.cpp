// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory, in groups (cp.async of PTX). What they copy arrives when
// their thread waits for the group: until then it is an error to touch it.
#include <cstring>

#include "backend/interp/gpu/kernel.h"
#include "ir/tir/op.h"

namespace mlc::interp {

void set_in_flight(Block& memory, char* begin, int64_t bytes, const AccessPoint* point);

void Thread::issue(Copy copy) {
  // Where it goes nobody may be busy from now on; where it comes from is read at once.
  touch(*copy.to_block, copy.to, copy.bytes + copy.zeros, Touch::kWrite, *copy.point);
  if (copy.bytes > 0) read(*copy.from_block, copy.from, copy.bytes, *copy.point);
  set_in_flight(*copy.to_block, copy.to, copy.bytes + copy.zeros, copy.point);
  issued.push_back(std::move(copy));
}

void Thread::arrive(size_t left) {
  while (copies.size() > left) {
    for (Copy& copy : copies.front()) {
      set_in_flight(*copy.to_block, copy.to, copy.bytes + copy.zeros, nullptr);
      write(*copy.to_block, copy.to, copy.bytes + copy.zeros, *copy.point);
      if (copy.bytes > 0) std::memcpy(copy.to, copy.from, static_cast<size_t>(copy.bytes));
      std::memset(copy.to + copy.bytes, 0, static_cast<size_t>(copy.zeros));
    }
    copies.erase(copies.begin());
  }
}

void Thread::arrive_copies(MBarrier& barrier, bool counts, const AccessPoint& point) {
  commit();
  for (const std::vector<Copy>& group : copies) {
    for (const Copy& copy : group) {
      set_in_flight(*copy.to_block, copy.to, copy.bytes + copy.zeros, nullptr);
      write_by(barrier.now(), *copy.to_block, copy.to, copy.bytes + copy.zeros, *copy.point);
      if (copy.bytes > 0) std::memcpy(copy.to, copy.from, static_cast<size_t>(copy.bytes));
      std::memset(copy.to + copy.bytes, 0, static_cast<size_t>(copy.zeros));
    }
  }
  copies.clear();
  Epoch done = barrier.now();
  if (counts) {
    barrier.arrive(block, done, seen, point);
  } else {  // one more arrival is expected, and it has come
    join(barrier.released, seen);
    advance(barrier.released, done.agent, done.clock);
  }
}

// The statement that a pipeline is in: what is copied below becomes a group, or a group is waited for first.
Action Compiler::async_attribute(const ir::AttrStmtNode* node) {
  std::string_view key = ir::view(node->attr_key);
  if (!in_kernel_ || (key != "async_commit_queue_scope" && key != "async_wait_inflight_count"))
    return nullptr;
  if (key == "async_commit_queue_scope") {
    return [body = stmt(node->body)](Frame& frame) {
      Flow flow = body(frame);
      frame.program.heap.thread->commit();
      return flow;
    };
  }
  return [left = integer(node->value), body = stmt(node->body)](Frame& frame) {
    frame.program.heap.thread->arrive(static_cast<size_t>(std::max<int64_t>(left(frame), 0)));
    return body(frame);
  };
}

Code Compiler::async_intrinsic(const ir::CallNode* node, std::string_view name) {
  using Integer = std::function<int64_t(Frame&)>;
  auto copy = [&](Code to, Integer to_offset, Code from, Integer from_offset, Integer bytes,
                  Integer present) -> Code {
    const AccessPoint* at = point(node->span, nullptr);
    return [=](Frame& frame, Lane* out) {
      Lane target, source;
      to(frame, &target);
      from(frame, &source);
      int64_t all = bytes(frame);
      int64_t given = present ? std::clamp<int64_t>(present(frame), 0, all) : all;
      Thread& thread = *frame.program.heap.thread;
      frame.program.heap.use(at->span);
      auto [to_block, begin] = thread.memory_at(target.i + to_offset(frame), all, at->span);
      std::shared_ptr<Block> from_block;
      char* first = nullptr;
      if (given > 0)
        std::tie(from_block, first) = thread.memory_at(source.i + from_offset(frame), given, at->span);
      thread.issue({to_block, from_block, begin, first, given, all - given, at});
      out->i = 0;
    };
  };
  Integer none = [](Frame&) -> int64_t { return 0; };
  if (name == "tirx.s_tir.cp_async_raw") {  // (to, index, from, index, bytes, condition)
    int64_t element = number_of(node->dtype()).bytes * std::max(1, node->dtype().lanes());
    auto scaled = [&](const Expr& index) -> Integer {
      return [index = integer(index), element](Frame& frame) { return index(frame) * element; };
    };
    Integer bytes = integer(node->args[4]), present;
    if (node->args.size() > 5)
      present = [condition = integer(node->args[5]), bytes](Frame& frame) -> int64_t {
        return condition(frame) != 0 ? bytes(frame) : 0;
      };
    return copy(expr(node->args[0]), scaled(node->args[1]), expr(node->args[2]), scaled(node->args[3]), bytes,
                present);
  }
  if (name == "tirx.ptx.cp_async_ca" || name == "tirx.ptx.cp_async_cg")
    return copy(expr(node->args[0]), none, expr(node->args[1]), none, integer(node->args[2]), nullptr);
  if (name == "tirx.ptx.cp_async_ca_src_size" || name == "tirx.ptx.cp_async_cg_src_size")
    return copy(expr(node->args[0]), none, expr(node->args[1]), none, integer(node->args[2]),
                integer(node->args[3]));
  if (name == "tirx.ptx.cp_async_commit_group")
    return [](Frame& frame, Lane* out) {
      frame.program.heap.thread->commit();
      out->i = 0;
    };
  if (name == "tirx.ptx.cp_async_wait_group")
    return [left = integer(node->args[0])](Frame& frame, Lane* out) {
      frame.program.heap.thread->arrive(static_cast<size_t>(left(frame)));
      out->i = 0;
    };
  if (name == "tirx.ptx.cp_async_wait_all")
    return [](Frame& frame, Lane* out) {
      Thread& thread = *frame.program.heap.thread;
      thread.commit();
      thread.arrive(0);
      out->i = 0;
    };
  if (name == "tirx.cuda.cvta_generic_to_shared")
    return [address = expr(node->args[0])](Frame& frame, Lane* out) {
      address(frame, out);
      out->i = frame.program.heap.thread->block.window_address(reinterpret_cast<char*>(out->i));
    };
  if (name == "tirx.ptx.addr")
    return [base = expr(node->args[0]), offset = integer(node->args[1])](Frame& frame, Lane* out) {
      base(frame, out);
      out->i += offset(frame);
    };
  return nullptr;
}

}  // namespace mlc::interp
