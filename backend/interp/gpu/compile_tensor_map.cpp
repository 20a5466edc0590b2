// SPDX-License-Identifier: Apache-2.0
// Tensor maps: room for one on the host's stack, and the call of the runtime that fills it.
#include <cstring>

#include "backend/interp/gpu/tensor_map.h"
#include "backend/interp/machine.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-tensor-map",
         .message = "no tensor map can be made: {}",
         .meaning = "Bulk copies of boxes ask for sizes and strides that the hardware can count."},
    }};
MLC_REFUSALS(gpu_compile_tensor_map, refusals);

using ir::view;

namespace {

template <class... Args>
void require(bool holds, Span span, fmt::format_string<Args...> why, Args&&... args) {
  if (!holds)
    throw ir::refuse(refusals["bad-tensor-map"], fmt::format(why, std::forward<Args>(args)...)).at(span);
}

}  // namespace

// ("runtime.cuTensorMapEncodeTiled", map, dtype, rank, address, sizes, strides, box, steps, interleave,
// swizzle, promotion, fill[, type of the driver]): sizes and what follows begin with the innermost dimension,
// whose stride is left out.
Code Compiler::encode_tensor_map(const ir::CallNode* node) {
  auto* dtype = ir::as<ir::StringImmNode>(node->args[2]);
  auto rank = ir::const_int(node->args[3]);
  if (dtype == nullptr || !rank || *rank < 1 || *rank > 5)
    unsupported(node->span, "a tensor map of no constant type and rank");
  auto dims = static_cast<size_t>(*rank);
  if (node->args.size() < 4 * dims + 8) unsupported(node->span, "a tensor map with so few arguments");
  ir::DataType element = ir::DataType::parse(view(dtype->value));
  size_t at = 4;
  auto next = [&] { return integer(node->args[static_cast<int64_t>(at++)]); };
  auto several = [&](size_t count) {
    std::vector<std::function<int64_t(Frame&)>> all;
    for (size_t i = 0; i < count; ++i) all.push_back(next());
    return all;
  };
  auto address = next();
  auto sizes = several(dims), strides = several(dims - 1), box = several(dims), steps = several(dims);
  auto interleave = next(), swizzle = next(), promotion = next(), fill = next();
  return [=, map = integer(node->args[1]), span = node->span](Frame& frame, Lane* out) {
    TensorMap made{};
    made.magic = TensorMap::kMagic;
    made.dtype = element;
    made.rank = static_cast<uint8_t>(dims);
    made.data = reinterpret_cast<char*>(address(frame));
    int64_t bits = element.bits();
    require(reinterpret_cast<uintptr_t>(made.data) % 16 == 0, span, "the tensor is not aligned to 16 bytes");
    for (size_t i = 0; i < dims; ++i) {
      int64_t extent = sizes[i](frame), of_box = box[i](frame), step = steps[i](frame);
      require(extent >= 1 && extent <= int64_t{1} << 32, span, "the size of dimension {} is {}", i, extent);
      require(of_box >= 1 && of_box <= 256, span, "the box in dimension {} is {}, not 1 to 256", i, of_box);
      require(step >= 1 && step <= 8, span, "the step in dimension {} is {}, not 1 to 8", i, step);
      made.sizes[i] = extent;
      made.box[i] = static_cast<uint16_t>(of_box);
      made.steps[i] = static_cast<uint8_t>(step);
      if (i + 1 == dims) continue;
      int64_t stride = strides[i](frame);
      require(stride >= 0 && stride < int64_t{1} << 40 && stride % 16 == 0, span,
              "the stride of dimension {} is {} bytes, no multiple of 16", i + 1, stride);
      made.strides[i] = stride;
    }
    int64_t mode = swizzle(frame), row = made.box[0] * bits / 8;
    require(mode >= 0 && mode <= 3, span, "the swizzle is {}, not 0 to 3", mode);
    require(row % 16 == 0, span, "a row of the box is {} bytes, no multiple of 16", row);
    require(mode == 0 || row <= 16 << mode, span,
            "a row of the box is {} bytes, more than the {} of the swizzle", row, 16 << mode);
    if (interleave(frame) != 0) unsupported(span, "tensor maps of interleaved tensors");
    promotion(frame);
    made.swizzle = static_cast<uint8_t>(mode);
    made.fill = static_cast<uint8_t>(fill(frame));
    auto* to = reinterpret_cast<char*>(map(frame));
    auto memory = frame.program.heap.find(to);
    require(memory && to + ir::kTensorMapBytes <= memory->end, span,
            "the room for it has fewer than {} bytes", ir::kTensorMapBytes);
    std::memcpy(to, &made, sizeof(made));
    out->i = 0;
  };
}

Code Compiler::tensor_map_intrinsic(const ir::CallNode* node, std::string_view name) {
  if (name == "tirx.tensormap_encode_tiled") return encode_tensor_map(ir::tensor_map_call(*node).get());
  if (name == "tirx.tvm_call_packed") {
    auto* callee = ir::as<ir::StringImmNode>(node->args[0]);
    if (callee == nullptr || view(callee->value) != "runtime.cuTensorMapEncodeTiled" || node->args.size() < 4)
      return nullptr;
    return encode_tensor_map(node);
  }
  if (name == "tirx.tvm_stack_alloca") {
    auto* what = ir::as<ir::StringImmNode>(node->args[0]);
    auto count = ir::const_int(node->args[1]);
    if (what == nullptr || view(what->value) != "tensormap" || !count || *count < 1) return nullptr;
    // One place for each statement: what a call leaves there, kernels of this call have read.
    auto room = std::make_shared<std::shared_ptr<Block>>();
    return [room, bytes = static_cast<size_t>(*count * ir::kTensorMapBytes)](Frame& frame, Lane* out) {
      if (!*room) *room = frame.program.heap.allocate(bytes, false);
      out->i = reinterpret_cast<int64_t>((*room)->begin);
    };
  }
  return nullptr;
}

}  // namespace mlc::interp
