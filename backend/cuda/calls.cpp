// SPDX-License-Identifier: Apache-2.0
// T.cuda.*: functions of CUDA's own library, and small ones that the text defines.
#include "backend/cuda/emitter.h"
#include "ir/core/error.h"

namespace mlc::cuda_backend {

std::vector<Text> CudaEmitter::arguments(const ir::CallNode* call, size_t first) {
  std::vector<Text> made;
  for (size_t i = first; i < call->args.size(); ++i) {
    const Expr& arg = call->args[static_cast<int64_t>(i)];
    Value value = emit(arg);
    made.push_back(arg->dtype().is_vector() ? Text{whole(value, arg->span)} : value.whole);
  }
  return made;
}

std::optional<Value> CudaEmitter::device_call(const ir::CallNode* call, std::string_view name) {
  if (std::optional<Value> made = fragment_call(call, name)) return made;
  return std::nullopt;
}

Text CudaEmitter::atomic_add(const ir::CallNode* call) {
  std::vector<Text> args = arguments(call);
  return {fmt::format("atomicAdd({}, {})", args[0].text, args[1].text)};
}

}  // namespace mlc::cuda_backend
