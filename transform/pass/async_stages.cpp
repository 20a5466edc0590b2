// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/async_stages.h"

#include "ir/core/error_kinds.h"
#include "ir/core/module.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

Stmt async_attr(std::string_view key, Expr value, const Stmt& body) {
  return make<AttrStmtNode>(Any(Expr(int32(0))), String(std::string(key)), std::move(value), body);
}

void AsyncStages::produced(int stage, const SBlock& block, size_t at, const Expr& iteration,
                           const Expr& predicate, Analyzer& normalized) {
  Local& local = local_[stage];
  // Once the group has been waited for, the next write begins another one.
  if (local.groups.empty() || local.consumed) local.groups.emplace_back();
  local.groups.back().push_back(at);
  for (const TensorRegion& write : block->writes) {
    stages[stage].written.insert(write->source.get());
    group_of_[write->source.get()] = local.groups.size() - 1;
  }
  local.head = iteration;
  if (!local.predicate || normalized.can_prove(local.predicate)) {
    local.predicate = predicate;
  } else {
    // Both, as bits: so TVM joins them.
    local.predicate = normalized.simplify(bitwise_and(local.predicate, predicate));
  }
}

void AsyncStages::consumed_by(int stage, const SBlock& block) {
  for (const TensorRegion& read : block->reads) {
    for (const auto& [producer, state] : stages) {
      if (producer <= stage && state.written.contains(read->source.get())) local_[producer].consumed = true;
    }
  }
}

// How many groups may still be under way when the block begins.
Expr AsyncStages::in_flight(const EmittedBlock& block, int producer, Analyzer& normalized,
                            Analyzer& analyzer) {
  Local& local = local_[producer];
  std::vector<Expr> heads;
  if (local.groups.empty()) {
    heads.push_back(stages[producer].head);
  } else {
    std::vector<bool> counted(local.groups.size(), false);
    for (const TensorRegion& read : block.block->reads) {
      if (!stages[producer].written.contains(read->source.get())) continue;
      auto group = group_of_.find(read->source.get());
      if (group == group_of_.end() || group->second >= counted.size() || counted[group->second]) continue;
      // What comes after the block in the loop was last written in the iteration before.
      heads.push_back(local.seen.contains(read->source.get()) ? local.head : local.head - 1);
      counted[group->second] = true;
    }
  }
  Expr sum = int32(0);
  for (const Expr& head : heads) {
    if (!head || !normalized.can_prove(ge(head, const_like(head, 0)))) return int32(0);
    sum = sum + analyzer.simplify(head - block.iteration);
  }
  // Where the producer may not run in this iteration, its last group is one that must have arrived.
  bool runs = local.groups.empty() || !local.predicate || normalized.can_prove(local.predicate);
  return runs ? sum : if_then_else(local.predicate, sum, const_like(sum, 0));
}

void AsyncStages::wait(std::vector<EmittedBlock>& blocks, Analyzer& normalized, Analyzer& analyzer) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    const EmittedBlock& block = blocks[i];
    if (block.async) {
      for (const TensorRegion& write : block.block->writes)
        local_[block.stage].seen.insert(write->source.get());
    }
    int producer = -1;
    for (const TensorRegion& read : block.block->reads) {
      for (const auto& [stage, state] : stages) {
        if (stage > block.stage || !state.written.contains(read->source.get())) continue;
        if (producer != -1 && producer != stage) {
          throw refuse(pass_refusals["software-pipeline-not-possible"], producer, stage)
              .kind(kRefusedValue)
              .at(block.block->span);
        }
        producer = stage;
      }
    }
    if (producer == -1) continue;
    Expr count = in_flight(block, producer, normalized, analyzer);
    std::vector<Wait>& waits = local_[producer].waits;
    if (waits.empty() || analyzer.can_prove(lt(count, waits.back().count))) waits.push_back({i, count});
  }
  for (auto& [stage, local] : local_) {
    for (const Wait& wait : local.waits) {
      SBlock& block = blocks[wait.before].block;
      block = with(block, [&](SBlockNode& n) {
        n.body = async_attr("async_wait_queue_scope", int32(stage),
                            async_attr("async_wait_inflight_count", wait.count, n.body));
      });
    }
  }
}

std::vector<EmittedGroup> AsyncStages::grouped(const std::vector<EmittedBlock>& blocks) const {
  std::vector<int> commits(blocks.size(), -1);
  for (const auto& [stage, local] : local_) {
    for (const std::vector<size_t>& group : local.groups) {
      for (size_t j = 0; j < group.size(); ++j) {
        if (group[0] + j < commits.size()) commits[group[0] + j] = stage;
      }
    }
  }
  std::vector<EmittedGroup> result;
  for (size_t i = 0; i < blocks.size();) {
    if (commits[i] == -1) {
      result.push_back({blocks[i].block, nullptr, blocks[i].predicate});
      ++i;
      continue;
    }
    int stage = commits[i];
    const Expr& predicate = blocks[i].predicate;
    Array<Stmt> bodies;
    for (; i < blocks.size() && commits[i] == stage; ++i) {
      if (!structural_equal(predicate, blocks[i].predicate)) {
        throw refuse_as(
            pass_refusals["software-pipeline-not-possible"],
            "the loop cannot be pipelined: the statements of asynchronous stage {} run in different "
            "iterations",
            stage)
            .at(blocks[i].block->span);
      }
      bodies.push_back(blocks[i].block->body);
    }
    Stmt body = bodies.size() == 1 ? bodies[0] : Stmt(make<SeqStmtNode>(bodies));
    result.push_back({nullptr, async_attr("async_commit_queue_scope", int32(stage), body), predicate});
  }
  return result;
}

void AsyncStages::end(const Expr& extent, Analyzer& normalized) {
  for (auto& [stage, local] : local_) {
    Stage& state = stages[stage];
    bool known = local.predicate && normalized.can_prove(local.predicate) && state.head;
    state.head = known ? state.head + extent : Expr(nullptr);
  }
}

}  // namespace mlc::transform
