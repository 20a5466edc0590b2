// SPDX-License-Identifier: Apache-2.0
// The ids that a kernel counts its clusters, blocks, warps and threads by, as coordinates of launched
// threads.
#pragma once

#include <map>

#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

// The threads that a kernel is launched with, found from what its body says of extents: those of one binding
// are the products or quotients of two others (cta -> thread is cta -> warp times warp -> thread).
class ScopeIds {
 public:
  explicit ScopeIds(const Stmt& body);

  // What is launched, outermost first.
  const std::vector<IterVar>& launched() const { return launched_; }
  // The launched thread of this tag ("threadIdx.x"); null without one.
  IterVar find(std::string_view tag) const;
  // The warp of a thread in its block, under the tag "warp_id_in_cta".
  IterVar warp() const;
  // The extent of a binding, over all its dimensions; null where nothing says it.
  Expr extent(ScopeBinding binding) const;
  // Ids that lowering has added: their extents agree with those known, or complete them.
  void learn_from(const Stmt& body);
  // `body` inside of the launch; every id is bound to its coordinate in front of it, wherever it was defined.
  Stmt launch(const Stmt& body) const;

 private:
  struct Known {
    Array<Expr> extents;  // by dimension; empty where it was found from others
    Array<Expr> preferred;
    Expr fused;
  };
  std::map<ScopeBinding, Known> known_;
  std::vector<IterVar> launched_;
  Var warp_;
  Analyzer analyzer_;

  void gather(const Stmt& body);
  void close();
  bool learn(ScopeBinding binding, const Expr& fused);
  void launch_dimensions(ScopeBinding binding, std::string_view tag, bool preferred, size_t from, size_t to);
  Expr thread() const;
  Expr coordinate(ScopeBinding binding, size_t dimension) const;
};

}  // namespace mlc::transform
