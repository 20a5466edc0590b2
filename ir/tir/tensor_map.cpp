// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/tensor_map.h"

#include "ir/core/expr.h"
#include "ir/tir/op.h"

namespace mlc::ir {

// (map, dtype, rank, address, sizes, strides, box, steps, interleave, swizzle, promotion, fill[, dtype of the
// driver])
Call tensor_map_call(const CallNode& encode) {
  auto attr = [&](const char* key) { return encode.attrs.at(String(key)); };
  auto number = [&](const char* key) { return int32(attr(key).cast<int64_t>()); };
  Array<Expr> args{make<StringImmNode>(String("runtime.cuTensorMapEncodeTiled")), encode.args[0],
                   make<StringImmNode>(attr("descriptor_dtype").cast<String>()), number("rank")};
  for (size_t i = 1; i < encode.args.size(); ++i) args.push_back(encode.args[static_cast<int64_t>(i)]);
  for (const char* key : {"interleave", "swizzle", "l2_promotion", "oob_fill"}) args.push_back(number(key));
  if (attr("force_cu_dtype").cast<int64_t>() >= 0) args.push_back(number("force_cu_dtype"));
  return make<CallNode>(encode.ty, op("tirx.tvm_call_packed"), args, Map<String, Any>{}, encode.span);
}

}  // namespace mlc::ir
