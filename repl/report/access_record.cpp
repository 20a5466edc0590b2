// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

#include "backend/interp/interp.h"
#include "ir/core/walk_with.h"
#include "repl/measure/machine.h"
#include "repl/report/access.h"
#include "repl/report/reuse_distance.h"
#include "repl/shell/source.h"
#include "transform/analysis/loop_tree.h"

namespace mlc::repl {

namespace {

using transform::LoopTree;

constexpr size_t kMostWindow = 2048;                  // instances that are drawn
constexpr size_t kMostUntilThen = 20'000'000;         // accesses of others before the block runs
constexpr size_t kMostTouches = 8192;                 // of one buffer in the window
constexpr int64_t kMostArguments = int64_t{1} << 30;  // bytes

struct Enough {};

// The accesses of one block, and how long ago all that the run touched was touched.
class AccessRecorder final : public interp::Observer {
 public:
  AccessRecorder(AccessRecord& record, const LoopTree& tree, const ir::SBlockNode* block)
      : record_(record), tree_(tree), block_(block) {
    inside_.insert(block);
    ir::walk_with(block->body, [&](const ir::Stmt& s, ir::Walker& on) {
      if (const auto* inner = ir::as<ir::SBlockNode>(s)) inside_.insert(inner);
      if (const auto* inner = ir::as<ir::SBlockRealizeNode>(s)) inside_.insert(inner->block.get());
      on.walk_children(s);
    });
  }

  void instance(const ir::SBlockNode& block) override {
    if (&block != block_) return;
    if (record_.accesses >= kMostAccesses) throw Enough();
    ++record_.instances;
  }

  void access(const interp::Access& access) override {
    if (access.memory == nullptr) return;
    size_t memory = memories_.try_emplace(access.memory, memories_.size()).first->second;
    uint64_t line = static_cast<uint64_t>(memory) << 40 | static_cast<uint64_t>(access.offset / kLineBytes);
    int64_t distance = distances_.touch(line);
    if (!inside_.contains(access.block)) {
      if (record_.accesses == 0 && ++others_ > kMostUntilThen) throw Enough();
      return;
    }
    ++record_.accesses;
    BufferAccesses& buffer = buffer_of(access);
    ++(access.stores ? buffer.stores : buffer.loads);
    if (distance == ReuseDistance::kFirst) {
      ++buffer.first;
    } else {
      ++buffer.reuse[std::min<size_t>(static_cast<size_t>(std::bit_width(static_cast<uint64_t>(distance))),
                                      kReuseBins - 1)];
      for (AccessRecord::Cache& cache : record_.caches)
        cache.hits += distance < cache.bytes / kLineBytes ? 1 : 0;
    }
    if (record_.instances <= record_.window && buffer.window.size() < kMostTouches)
      buffer.window.push_back(
          {static_cast<uint32_t>(record_.instances - 1), access.stores, access.offset / access.bytes});
  }

 private:
  BufferAccesses& buffer_of(const interp::Access& access) {
    auto [found, fresh] = numbers_.try_emplace(access.memory, record_.buffers.size());
    if (fresh) {
      auto known = std::ranges::find_if(tree_.buffers,
                                        [&](const auto& each) { return each.buffer.get() == access.memory; });
      record_.buffers.push_back({.buffer = ir::ref(access.memory),
                                 .hue = static_cast<size_t>(known - tree_.buffers.begin()),
                                 .element_bytes = access.bytes,
                                 .window = {}});
    }
    return record_.buffers[found->second];
  }

  AccessRecord& record_;
  const LoopTree& tree_;
  const ir::SBlockNode* block_;
  std::unordered_set<const ir::SBlockNode*> inside_;
  ReuseDistance distances_;
  std::unordered_map<const ir::VarNode*, size_t> memories_;  // all that the run touches
  std::unordered_map<const ir::VarNode*, size_t> numbers_;   // those of the record
  size_t others_ = 0;
};

// A block of a module.
struct Found {
  size_t tree = 0, node = 0;
};

Found find_block(const std::vector<LoopTree>& trees, const std::string& wanted) {
  std::optional<Found> found;
  double most = -1;
  std::vector<std::string> names;
  for (size_t t = 0; t < trees.size(); ++t) {
    for (size_t n = 0; n < trees[t].nodes.size(); ++n) {
      const LoopTree::Node& node = trees[t].nodes[n];
      if (node.kind != LoopTree::Kind::kBlock) continue;
      names.push_back(node.name);
      if (!wanted.empty() && node.name != wanted) continue;
      // Without a name the one that runs most often; of those that run as often the innermost and last one.
      if (wanted.empty() && node.runs.value_or(0) < most) continue;
      if (wanted.empty() || !found) found = Found{t, n};
      most = node.runs.value_or(0);
    }
  }
  if (found) return *found;
  if (names.empty())
    throw CallError{"there is no block whose accesses could be shown",
                    "blocks are there until `ConvertBlocksToOpaque` and `LowerOpaqueBlock` take them away"};
  std::string near = ir::did_you_mean(wanted, names);
  throw CallError{fmt::format("there is no block `{}`", wanted),
                  near.empty() ? fmt::format("there are: {}", fmt::join(names, ", ")) : near};
}

// Loops around the node, and how many instances of it are drawn: whole runs of the innermost loops.
void describe_loops(AccessRecord& record, const LoopTree& tree, size_t node) {
  bool known = true;
  size_t whole = 1;
  for (auto at = tree.parent_of(node); at; at = tree.parent_of(*at)) {
    const LoopTree::Node& loop = tree.nodes[*at];
    if (loop.kind == LoopTree::Kind::kBlock) continue;
    bool counted =
        (loop.kind == LoopTree::Kind::kLoop || loop.kind == LoopTree::Kind::kThreads) && loop.iterations;
    known = known && counted && *loop.iterations > 0;
    if (!known) break;
    record.loops.insert(record.loops.begin(), {loop.name, *loop.iterations});
    if (whole * static_cast<size_t>(*loop.iterations) <= kMostWindow) {
      whole *= static_cast<size_t>(*loop.iterations);
    } else {
      known = false;  // further ones take no part
    }
  }
  record.window = kMostWindow / whole * whole;
  if (auto runs = tree.nodes[node].runs) {
    record.all_instances = *runs;
    record.window = std::min(record.window, static_cast<size_t>(std::max(*runs, 1.0)));
  }
}

void require_room(const ir::PrimFunc& fn, const std::string& name) {
  double bytes = 0;
  for (const ir::Var& param : fn->params) {
    const ir::BufferTypeNode* type = param->buffer();
    if (type == nullptr) continue;
    double size = ir::DataType(type->dtype).bits() * std::max(ir::DataType(type->dtype).lanes(), 1) / 8.0;
    for (const ir::Expr& extent : type->shape)
      size *= static_cast<double>(ir::const_int(extent).value_or(12));
    bytes += size;
  }
  if (bytes > kMostArguments)
    throw CallError{
        fmt::format("`{}` takes {}, which is too much to run it for its accesses", name, bytes_text(bytes)),
        "smaller shapes have the same pattern"};
}

}  // namespace

AccessRecord record_accesses(const ir::IRModule& mod, const std::string& block) {
  std::vector<LoopTree> trees = transform::loop_trees(mod);
  Found found = find_block(trees, block);
  const LoopTree& tree = trees[found.tree];
  const LoopTree::Node& node = tree.nodes[found.node];
  AccessRecord record;
  record.function = tree.function;
  record.block = node.name;
  describe_loops(record, tree, found.node);
  for (const transform::MemoryLevel& level : memory_levels())
    if (level.capacity > 0) record.caches.push_back({level.name, level.capacity});
  auto fn = ir::Any(mod->lookup(tree.function)).as<ir::PrimFunc>();
  MLC_CHECK(fn.has_value(), "`{}` has loops and is no function", tree.function);
  require_room(*fn, tree.function);
  AccessRecorder recorder(record, tree, ir::as<ir::SBlockRealizeNode>(node.stmt)->block.get());
  std::vector<ir::Any> arguments = interp::random_arguments(*fn, 1);
  interp::Options options;
  options.observer = &recorder;
  try {
    interp::run(mod, tree.function, arguments, options);
    record.whole = true;
  } catch (const Enough&) {
    if (record.accesses == 0)
      throw CallError{fmt::format("block `{}` has not run within {} accesses of what is before it",
                                  record.block, count_text(kMostUntilThen)),
                      "smaller shapes have the same pattern"};
  }
  if (record.accesses == 0)
    throw CallError{fmt::format("block `{}` touches no buffer", record.block),
                    "name another one: `:plot access BLOCK`"};
  record.window = std::min(record.window, record.instances);
  return record;
}

}  // namespace mlc::repl
