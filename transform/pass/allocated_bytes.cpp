// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/allocated_bytes.h"

#include <algorithm>
#include <unordered_map>

#include "ir/visit.h"

namespace mlc::transform {
namespace {

using namespace mlc::ir;  // NOLINT

class Allocated final : public Walker {
 public:
  std::vector<std::pair<std::string, int64_t>> most;
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
      auto known =
          std::find_if(most.begin(), most.end(), [&](const auto& one) { return one.first == scope; });
      if (known == most.end()) known = most.insert(most.end(), {scope, 0});
      known->second = std::max(known->second, live);
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
  return walker.most;
}

}  // namespace mlc::transform
