// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/allocated_bytes.h"

#include <algorithm>
#include <unordered_map>

#include "ir/core/visit.h"

namespace mlc::transform {
namespace {

using namespace mlc::ir;  // NOLINT

class Allocated final : public Walker {
 public:
  std::unordered_map<std::string, int64_t> most;  // in TVM's order of them, which results show
  void visit(const Stmt& s) override {
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
      int64_t& live = live_[scope];
      live += bytes;
      int64_t& known = most[scope];
      known = std::max(known, live);
      return;
    }
    auto before = live_;
    walk_children(s);
    if (!as<SeqStmtNode>(s)) live_ = std::move(before);
  }

 private:
  std::unordered_map<std::string, int64_t> live_;
};

}  // namespace

std::vector<std::pair<std::string, int64_t>> allocated_bytes(const PrimFunc& fn) {
  Allocated walker;
  walker.visit(fn->body);
  return {walker.most.begin(), walker.most.end()};
}

}  // namespace mlc::transform
