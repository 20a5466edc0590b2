// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the lanes that a mask has, the masks, and sums that several threads make.
#include "backend/interp/machine.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "address-out-of-bounds", .message = "the pointer points to no known memory"},
    }};
MLC_REFUSALS(interp_compile_masked, refusals);

// base + lane < limit.
Code Compiler::lane_mask(const ir::CallNode* node) {
  return [base = integer(node->args[0]), limit = integer(node->args[1]), lanes = lane_count(node->dtype())](
             Frame& frame, Lane* out) {
    int64_t first = base(frame);
    int64_t end = limit(frame);
    for (int i = 0; i < lanes; ++i) out[i].i = first + i < end;
  };
}

Site Compiler::masked_site(const ir::CallNode* node, size_t first_index, ir::DataType value) {
  auto* buffer = ir::as<VarNode>(node->args[0]);
  size_t last = node->args.size() - 1;  // the mask
  if (buffer == nullptr || buffer->buffer() == nullptr || last <= first_index)
    unsupported(node->span, "a masked access without buffer, index and mask");
  ir::DataType element = buffer->buffer()->dtype;
  Site site{ir::ref(buffer),
            node->span,
            &number_of(element),
            1,
            view_of(buffer, node->span),
            {},
            1,
            first_index == 2,
            program_.options.observer,
            block_,
            in_kernel_ ? point(node->span, buffer) : nullptr};
  for (size_t i = first_index; i < last; ++i) {
    const Expr& index = node->args[static_cast<int64_t>(i)];
    site.indices.push_back(expr(index));
    site.lanes = lane_count(index->dtype());
  }
  int mask_lanes = lane_count(node->args[static_cast<int64_t>(last)]->dtype());
  if (site.lanes != lane_count(value) || site.lanes != mask_lanes ||
      site.indices.size() != buffer->buffer()->shape.size())
    unsupported(node->span, "a masked access whose value, index and mask have not the same lanes");
  return site;
}

// Lanes that the mask leaves out are 0.
Code Compiler::masked_load(const ir::CallNode* node) {
  return [site = masked_site(node, 1, node->dtype()), mask = expr(node->args[node->args.size() - 1])](
             Frame& frame, Lane* out) {
    Lanes chosen(site.lanes), at(site.lanes);
    mask(frame, chosen.data());
    site.locate(frame, &at.data()->i, chosen.data());
    for (int i = 0; i < site.lanes; ++i) {
      if (chosen[i].i != 0) {
        out[i] = site.number->load(site.address(frame.views[static_cast<size_t>(site.view)], at[i].i));
      } else {
        out[i] = site.number->floating ? Lane{.f = 0} : Lane{.i = 0};
      }
    }
  };
}

Code Compiler::masked_store(const ir::CallNode* node) {
  return [site = masked_site(node, 2, node->args[1]->dtype()), value = expr(node->args[1]),
          mask = expr(node->args[node->args.size() - 1])](Frame& frame, Lane* out) {
    Lanes values(site.lanes), chosen(site.lanes), at(site.lanes);
    value(frame, values.data());
    mask(frame, chosen.data());
    site.locate(frame, &at.data()->i, chosen.data());
    for (int i = 0; i < site.lanes; ++i) {
      if (chosen[i].i != 0) site.store(frame.views[static_cast<size_t>(site.view)], at[i].i, &values[i]);
    }
    out->i = 0;
  };
}

// (pointer, value): what was there before. The host has one thread.
Code Compiler::atomic_add(const ir::CallNode* node) {
  if (in_kernel_) return atomic_in_kernel(node);
  if (node->args.size() != 2 || !node->args[1]->dtype().is_scalar())
    unsupported(node->span, "`tirx.atomic_add` of anything but a pointer and a number");
  return [place = expr(node->args[0]), value = expr(node->args[1]),
          number = &number_of(node->args[1]->dtype()), span = node->span](Frame& frame, Lane* out) {
    Lane at, more;
    place(frame, &at);
    value(frame, &more);
    auto* to = reinterpret_cast<char*>(at.i);
    auto block = frame.program.heap.find(to);
    if (!block || to + number->bytes > block->end)
      throw ir::refuse(refusals["address-out-of-bounds"]).at(span);
    *out = number->load(to);
    Lane sum = number->floating ? Lane{.f = number->round(out->f + more.f)}
                                : Lane{.i = number->wrap(static_cast<int64_t>(
                                           static_cast<uint64_t>(out->i) + static_cast<uint64_t>(more.i)))};
    number->store(to, sum);
  };
}

}  // namespace mlc::interp
