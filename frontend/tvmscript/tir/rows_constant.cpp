// SPDX-License-Identifier: Apache-2.0
// Numbers written into a text: the section that script(show_meta=True) prints.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/base64.h>

#include <cstring>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-literal",
         .meaning =
             "A constant is written as a number; only infinities and not-a-number are written as text.",
         .wrong = R"(A[0] = T.float32("one"))",
         .right = R"(A[0] = T.float32("inf"))"},
    }};
MLC_REFUSALS(tir_rows_constant, refusals);

namespace {

// I.tensor(dtype, shape, data): `data` is the base64 of the elements, row-major, lowest byte first.
Any tensor(ApiCall& call) {
  DataType dtype = dtype_arg(call, 0);
  std::vector<int64_t> shape;
  for (const Any& one : items(call.args[1], call.span_of(1))) {
    if (!script::is_int(one) || script::raw_int(one) < 0) ir::wrong_argument(call, 1, "tuple of extents");
    shape.push_back(script::raw_int(one));
  }
  String encoded = str_arg(call, 2);
  std::string_view text = view(encoded);
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  if (text.size() % 4 != 0 || text.find_first_not_of(digits) != std::string_view::npos) {
    throw ir::refuse_as(refusals["bad-literal"], "the data of a tensor must be base64").at(call.span_of(2));
  }
  ffi::Bytes bytes = ffi::Base64Decode(encoded);
  ffi::Tensor result = ir::make_tensor(shape, dtype);
  size_t size = ffi::GetDataSize(result);
  if (bytes.size() != size) {
    throw ir::refuse_as(refusals["bad-literal"], "a tensor of this shape has {} bytes, the data has {}", size,
                        bytes.size())
        .at(call.span_of(2));
  }
  if (size > 0) std::memcpy(result.data_ptr(), bytes.data(), size);
  return result;
}

constexpr ir::ApiRow constant_table[] = {
    {ir::ApiKind::kFunction, "tvm.script.ir", "tensor(dtype, shape, data)",
     "A tensor from the base64 text of its elements.", tensor},
};

}  // namespace

std::span<const ir::ApiRow> constant_rows() { return constant_table; }

}  // namespace mlc::tvmscript
