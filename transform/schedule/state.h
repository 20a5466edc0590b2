// SPDX-License-Identifier: Apache-2.0
// A module being scheduled: the immutable IR plus, per function, its loops and blocks.
#pragma once

#include <unordered_map>

#include "ir/core/visit.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// Where a block is to be computed other than below a loop: where it is, or in its consumers. What a sampled
// location may be.
enum class Mark : uint8_t { kNone, kRoot, kInline };

struct DeclaredAccesses {
  Array<TensorRegion> reads, writes;
};

// One loop or block in the program. What handles refer to: it survives rewrites of what is around and below
// it, and knows when it is gone. Owned by the index of its function.
struct SRefNode {
  Stmt stmt;                // For or SBlock as it is now; null when it is gone
  SRefNode* parent = nullptr;  // the enclosing loop or block; null for a function's root block
  String name;              // of the loop variable or block, kept for messages
  std::string removed_by;   // the primitive that took it away
  Mark mark = Mark::kNone;  // no loop at all: `stmt` is null from the start
  // Of blocks from which a step has hidden accesses: what they declared before. Queries go by it until the block
  // around is rebuilt.
  std::shared_ptr<const DeclaredAccesses> declared;

  // Of blocks, computed when the function is first looked at and kept by loop transformations.
  bool affine_binding = false;  // iterators' values are an affine map of the loops around
  bool region_cover = true;     // all that it reads is written before by the producers in its scope
  bool stage_pipeline = true;   // as a scope: children cover their regions, only RAW and WAW dependences

  const ForNode* loop() const { return as<ForNode>(stmt); }
  const SBlockNode* block() const { return as<SBlockNode>(stmt); }
  bool alive() const { return static_cast<bool>(stmt); }
};
using SRef = std::shared_ptr<SRefNode>;

// Which block of the new program an old block became, where names do not decide it.
using BlockReuse = std::vector<std::pair<const SBlockNode*, const SBlockNode*>>;

// The loops and blocks of one function.
struct FunctionIndex {
  GlobalVar name;
  SRef root;
  std::unordered_map<const StmtNode*, SRef> srefs;
  bool hides = false;  // some sref has `declared`
};

class ScheduleState {
 public:
  explicit ScheduleState(IRModule mod) : mod_(std::move(mod)) {}
  ScheduleState(const ScheduleState&) = delete;

  const IRModule& mod() const { return mod_; }
  // The index of a function, made on first use. Errors: no-such-function, not-schedulable.
  FunctionIndex& index(const GlobalVar& name);
  PrimFunc function(const GlobalVar& name) const;
  FunctionIndex& index_of(const SRefNode& sref);
  // The SRef of a statement of an indexed function; null when it has none.
  SRef find(const StmtNode* stmt);
  SRef owner(const SRefNode* sref) { return find(sref->stmt.get()); }

  // Replaces `at` by `next`. The statements on the path to the function are copied, everything else is
  // shared; SRefs follow: loops by their variable, blocks by `reuse`, else by name. Cost: path and changed
  // part.
  void replace(SRefNode& at, const Stmt& next, const BlockReuse& reuse, std::string_view primitive);

  // The function around `place` takes `to` instead of the parameter `from`.
  void replace_param(const SRefNode& sref, const Buffer& from, const Buffer& to);

  // A copy with SRefs of its own; `moved` maps the old ones to the new.
  std::unique_ptr<ScheduleState> copy(std::unordered_map<const SRefNode*, SRef>& moved) const;

  // A refused step is run again, on a copy, when its report is shown; only then do checks look for
  // examples of what they refuse: a search that tries the next step does not wait for them.
  bool explaining = false;

 private:
  friend class ScheduleChange;  // snapshot.h
  friend class ScheduleSnapshot;
  void add_srefs(FunctionIndex& index, const Stmt& stmt, SRefNode* parent);

  IRModule mod_;
  std::unordered_map<const GlobalVarNode*, std::unique_ptr<FunctionIndex>> functions_;
};

}  // namespace mlc::transform
