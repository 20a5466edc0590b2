// SPDX-License-Identifier: Apache-2.0
// What the rows of layouts share.
#pragma once
#include "frontend/tvmscript/builder/arguments.h"
#include "ir/tir/layout.h"

namespace mlc::tvmscript {

inline constexpr std::string_view kLayoutModule = "tvm.tirx.layout";
inline constexpr std::string_view kAxis = "mlc.tirx.Axis";
inline constexpr std::string_view kLayout = "mlc.tirx.Layout";

inline ir::Layout layout_self(const ir::ApiCall& call) { return call.args[0].cast<ir::Layout>(); }

inline ffi::Any tuple_of(std::span<const int64_t> numbers) {
  ffi::Array<ffi::Any> all;
  for (int64_t n : numbers) all.push_back(n);
  return all;
}

}  // namespace mlc::tvmscript
