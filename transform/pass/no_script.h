// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/api.h"

namespace mlc::transform {

// What stands for the script where a pass calls functions that scripts call.
struct NoScript final : ir::Host {
  ir::Any call(const ir::Any&, std::span<const ir::Any>) override {
    throw ir::Error("not-callable", "a pass calls no script");
  }
  bool callable(const ir::Any&) override { return false; }
  std::vector<std::string> parameter_names(const ir::Any&) override { return {}; }
  std::string repr(const ir::Any&) override { return {}; }
  void print(std::string_view) override {}
};

}  // namespace mlc::transform
