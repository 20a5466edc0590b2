// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/registry/api.h"

namespace mlc::ir {

// What stands for the script where C++ calls functions that scripts call.
struct NoScript final : Host {
  Any call(const Any&, std::span<const Any>) override {
    throw Error("not-callable", "passes and lowering call no functions of a script");
  }
  bool callable(const Any&) override { return false; }
  std::vector<std::string> parameter_names(const Any&) override { return {}; }
  std::string repr(const Any& value) override { return type_name(value); }
  void print(std::string_view) override {}
};

}  // namespace mlc::ir
