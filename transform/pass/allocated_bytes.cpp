// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/allocated_bytes.h"

#include <algorithm>
#include <unordered_map>

#include "ir/core/visit.h"
#include "ir/core/walk_with.h"

namespace mlc::transform {
using namespace mlc::ir;  // NOLINT

std::vector<std::pair<std::string, int64_t>> allocated_bytes(const PrimFunc& fn) {
  std::unordered_map<std::string, int64_t> most;  // in TVM's order of them, which results show
  std::unordered_map<std::string, int64_t> live;
  walk_with(fn->body, [&](const Stmt& s, Walker& on) {
    if (auto* alloc = as<AllocBufferNode>(s)) {
      auto* type = alloc->buffer->buffer();
      DataType dtype = type->dtype;
      int64_t bytes = (dtype.bits() * std::max(dtype.lanes(), 1) + 7) / 8;
      for (const Expr& extent : type->shape) {
        auto constant = const_int(extent);
        bytes *= constant ? *constant : 0;  // unknown: not counted
      }
      std::string scope(type->storage_scope);
      if (scope.empty()) scope = "global";
      int64_t& known = most[scope];
      known = std::max(known, live[scope] += bytes);
      return;
    }
    auto before = live;
    on.walk_children(s);
    if (!as<SeqStmtNode>(s)) live = std::move(before);
  });
  return {most.begin(), most.end()};
}

}  // namespace mlc::transform
