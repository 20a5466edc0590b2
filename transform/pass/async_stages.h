// SPDX-License-Identifier: Apache-2.0
// Stages of a software pipeline that run asynchronously: their writes are committed in groups, and who reads
// them waits until no more groups are under way than come after the one it needs.
#pragma once

#include <map>
#include <optional>

#include "transform/arith/analyzer.h"

namespace mlc::transform {

// A statement of the loop that is emitted, from iteration `iteration` of the original one.
struct EmittedBlock {
  int stage;
  Expr predicate;
  SBlock block;
  Expr iteration;
  bool async;
};
// What is put into the loop: a block, or the body of a group of blocks that are committed together.
struct EmittedGroup {
  SBlock block;  // null: `body`
  Stmt body;
  Expr predicate;
};

// `with T.attr({key: value}): body`
Stmt async_attr(std::string_view key, Expr value, const Stmt& body);

class AsyncStages {
 public:
  struct Stage {
    std::unordered_set<const VarNode*> written;
    Expr head = int32(-1);  // the last iteration that was committed; null when it is not known
  };
  std::map<int, Stage> stages;

  void begin() { local_.clear(); }
  // The block at position `at` writes asynchronously.
  void produced(int stage, const SBlock& block, size_t at, const Expr& iteration, const Expr& predicate,
                Analyzer& normalized);
  void consumed_by(int stage, const SBlock& block);
  void wait(std::vector<EmittedBlock>& blocks, Analyzer& normalized, Analyzer& analyzer);
  std::vector<EmittedGroup> grouped(const std::vector<EmittedBlock>& blocks) const;
  // The loop has run for `extent` iterations.
  void end(const Expr& extent, Analyzer& normalized);

 private:
  struct Wait {
    size_t before;  // this block
    Expr count;
  };
  // Of the loop that is emitted.
  struct Local {
    Expr head;       // the iteration it commits
    Expr predicate;  // of its blocks
    bool consumed = false;
    std::vector<std::vector<size_t>> groups;
    std::unordered_set<const VarNode*> seen;
    std::vector<Wait> waits;
  };
  std::map<int, Local> local_;
  std::unordered_map<const VarNode*, size_t> group_of_;  // by written buffer

  Expr in_flight(const EmittedBlock& block, int producer, Analyzer& normalized, Analyzer& analyzer);
};

}  // namespace mlc::transform
