// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transform/pass/buffer_types.h"

namespace mlc::transform {

// A statement with new variables for all that are bound in it: what a second copy needs.
struct FreshBinders final : Substituter {
  using Substituter::rewrite;
  ir::Stmt rewrite(const ir::Stmt& s) override;
  ir::Buffer rewrite_buffer(const ir::Buffer& buffer) override;
  ir::Var rewrite_def(const ir::Var& var) override;
};

}  // namespace mlc::transform
