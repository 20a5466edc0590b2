// SPDX-License-Identifier: Apache-2.0
// Do the scope ids of a device region agree on how many threads, warps and blocks there are?
#pragma once

#include <span>
#include <vector>

#include "ir/core/error.h"
#include "ir/tir/stmt.h"

namespace mlc::ir {

// As many of `whole` as of `outer` times `inner`.
struct ScopeProduct {
  ScopeBinding whole, outer, inner;
};
std::span<const ScopeProduct> scope_products();
// The function that defines ids of this binding: "lane_id".
std::string_view name_of(ScopeBinding binding);

// Adds what is wrong with the scope ids in `region` to `found`.
void verify_scope_ids(const Stmt& region, std::vector<Diagnostic>& found);

}  // namespace mlc::ir
