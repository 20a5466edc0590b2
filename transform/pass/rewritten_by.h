// SPDX-License-Identifier: Apache-2.0
// The function of a pass that is one rewriter of bodies.
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// The rewriter may want to see the function first. kKept: the buffers of its parameters stay as they are.
enum class Params : uint8_t { kRewritten, kKept };

template <class R, Params params = Params::kRewritten>
PrimFunc rewritten_by(const PrimFunc& fn, const PassOptions&) {
  auto run = [&](R rewriter) {
    if constexpr (params == Params::kKept) rewriter.keep_params(fn);
    return with_body(fn, rewriter.rewrite(fn->body));
  };
  if constexpr (std::is_constructible_v<R, const PrimFunc&>)
    return run(R(fn));
  else
    return run(R());
}

}  // namespace mlc::transform
