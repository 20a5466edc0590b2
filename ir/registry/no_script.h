// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/registry/api_row.h"

namespace mlc::ir {

// The host where C++ runs passes, primitives and rows without a script.
struct NoScript : Host {
  Any call(const Any& callee, std::span<const Any>) override {
    throw Error("not-callable", "no script runs here that could call a `{}`", type_name(callee));
  }
  bool callable(const Any&) override { return false; }
  std::vector<std::string> parameter_names(const Any&) override { return {}; }
  std::string repr(const Any& value) override { return type_name(value); }
  void print(std::string_view) override {}
};

}  // namespace mlc::ir
