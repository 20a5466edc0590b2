// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/loop_tree.h"

#include <algorithm>

#include "ir/core/visit.h"
#include "ir/tir/op.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

namespace {

using Node = LoopTree::Node;
using Kind = LoopTree::Kind;

std::optional<double> times(std::optional<double> a, std::optional<int64_t> b) {
  if (!a || !b) return std::nullopt;
  return *a * static_cast<double>(*b);
}

class LoopTreeBuilder {
 public:
  LoopTreeBuilder(const std::string& name, const PrimFunc& fn) {
    tree.function = name;
    for (const Var& param : fn->params)
      if (param->buffer() != nullptr) add_buffer(param, true);
    // The block around a whole function says nothing but what it allocates.
    auto* realize = as<SBlockRealizeNode>(fn->body);
    if (realize != nullptr && realize->iter_values.empty() && is_const_int(realize->predicate, 1) &&
        !realize->block->init && realize->block->annotations.empty()) {
      for (const ir::Buffer& buffer : realize->block->alloc_buffers) add_buffer(buffer, false);
      add(realize->block->body);
    } else {
      add(fn->body);
    }
  }

  LoopTree tree;

 private:
  size_t add_buffer(const ir::Buffer& buffer, bool is_parameter) {
    const BufferTypeNode* type = buffer->buffer();
    LoopTree::Buffer made;
    made.buffer = buffer;
    made.name = std::string(buffer->name);
    made.is_parameter = is_parameter;
    made.scope = type->storage_scope.empty() ? "global" : std::string(type->storage_scope);
    made.elements = 1;
    for (const Expr& extent : type->shape) {
      auto number = const_int(extent);
      made.elements = made.elements && number ? std::optional(*made.elements * *number) : std::nullopt;
    }
    DataType dtype = type->dtype;
    if (made.elements) made.bytes = (*made.elements * dtype.bits() * std::max(dtype.lanes(), 1) + 7) / 8;
    tree.buffers.push_back(std::move(made));
    return tree.buffers.size() - 1;
  }

  Node& open(Kind kind, const Stmt& stmt, std::string name = "") {
    Node node;
    node.kind = kind;
    node.depth = depth_;
    node.stmt = stmt;
    node.name = std::move(name);
    node.runs = runs_;
    tree.nodes.push_back(std::move(node));
    return tree.nodes.back();
  }

  // What stands in the node that was opened last, which runs so often.
  template <class F>
  void below(std::optional<double> runs, F&& add_body) {
    auto outer = std::exchange(runs_, runs);
    ++depth_;
    size_t opened = std::exchange(open_, tree.nodes.size() - 1);
    add_body();
    open_ = opened;
    --depth_;
    runs_ = outer;
  }

  void add(const Stmt& stmt) {
    switch (stmt->kind) {
      case StmtKind::kSeqStmt:
        for (const Stmt& each : as<SeqStmtNode>(stmt)->seq) add(each);
        return;
      case StmtKind::kFor:
        return add_loop(*as<ForNode>(stmt), stmt);
      case StmtKind::kSBlockRealize:
        return add_block(*as<SBlockRealizeNode>(stmt), stmt);
      case StmtKind::kIfThenElse: {
        auto* branch = as<IfThenElseNode>(stmt);
        open(Kind::kBranch, stmt).condition = branch->condition;
        below(runs_, [&] { add(branch->then_case); });
        if (!branch->else_case) return;
        open(Kind::kElse, stmt);
        return below(runs_, [&] { add(branch->else_case); });
      }
      case StmtKind::kWhile:
        open(Kind::kWhile, stmt).condition = as<WhileNode>(stmt)->condition;
        return below(std::nullopt, [&] { add(as<WhileNode>(stmt)->body); });
      case StmtKind::kAttrStmt:
        return add_attribute(*as<AttrStmtNode>(stmt), stmt);
      case StmtKind::kAllocBuffer: {
        size_t buffer = add_buffer(as<AllocBufferNode>(stmt)->buffer, false);
        if (open_ != kFunction) tree.nodes[open_].allocates.push_back(buffer);
        return;
      }
      case StmtKind::kBufferStore:
        open(Kind::kStore, stmt, std::string(as<BufferStoreNode>(stmt)->buffer->name));
        return;
      case StmtKind::kEvaluate:
        if (!is_no_op(stmt)) open(Kind::kCall, stmt);
        return;
      default:  // bindings, views, assertions, returns: no part of a nest
        return;
    }
  }

  void add_loop(const ForNode& loop, const Stmt& stmt) {
    Node& node = open(Kind::kLoop, stmt, std::string(loop.loop_var->name));
    node.begin = loop.min;
    node.extent = loop.extent;
    node.iterations = const_int(loop.extent);
    if (loop.step) {
      auto step = const_int(loop.step);
      if (node.iterations && step && *step > 0)
        node.iterations = (*node.iterations + *step - 1) / *step;
      else
        node.iterations.reset();
    }
    node.loop_kind = loop.for_kind;
    if (loop.thread_binding) node.thread = std::string(loop.thread_binding->thread_tag);
    node.annotations = loop.annotations;
    below(times(runs_, node.iterations), [&] { add(loop.body); });
  }

  void add_attribute(const AttrStmtNode& attribute, const Stmt& stmt) {
    auto iter = attribute.node.as<IterVar>();
    bool threads = attribute.attr_key == "thread_extent" || attribute.attr_key == "virtual_thread";
    if (!threads || !iter) return add(attribute.body);
    Node& node = open(Kind::kThreads, stmt, std::string((*iter)->var->name));
    node.extent = attribute.value;
    node.iterations = const_int(attribute.value);
    node.thread = std::string((*iter)->thread_tag);
    below(times(runs_, node.iterations), [&] { add(attribute.body); });
  }

  void add_block(const SBlockRealizeNode& realize, const Stmt& stmt) {
    const SBlockNode& block = *realize.block;
    std::vector<size_t> allocated;
    for (const ir::Buffer& buffer : block.alloc_buffers) allocated.push_back(add_buffer(buffer, false));
    Node& node = open(Kind::kBlock, stmt, std::string(block.name_hint));
    node.iters = block.iter_vars;
    node.values = realize.iter_values;
    if (!is_const_int(realize.predicate, 1)) node.condition = realize.predicate;
    node.reads = block.reads;
    node.writes = block.writes;
    node.annotations = block.annotations;
    node.allocates = std::move(allocated);
    // Only what has loops or blocks of its own has more to show than the block's line.
    below(runs_, [&] {
      if (block.init && has_nest(block.init)) {
        open(Kind::kInit, block.init);
        below(runs_, [&] { add(block.init); });
      }
      if (has_nest(block.body)) add(block.body);
    });
  }

  static bool has_nest(const Stmt& body) {
    bool found = false;
    post_order(
        body, [](const Expr&) {},
        [&](const Stmt& s) {
          found = found || s->kind == StmtKind::kFor || s->kind == StmtKind::kSBlockRealize ||
                  s->kind == StmtKind::kWhile;
        });
    return found;
  }

  static constexpr size_t kFunction = SIZE_MAX;
  size_t open_ = kFunction;
  size_t depth_ = 0;
  std::optional<double> runs_ = 1;
};

}  // namespace

std::optional<size_t> LoopTree::parent_of(size_t node) const {
  for (size_t i = node; i-- > 0;)
    if (nodes[i].depth < nodes[node].depth) return i;
  return std::nullopt;
}

std::vector<std::pair<std::string, int64_t>> LoopTree::allocated() const {
  std::vector<std::pair<std::string, int64_t>> most, live;
  auto entry = [](std::vector<std::pair<std::string, int64_t>>& of, const std::string& scope) -> int64_t& {
    auto found = std::ranges::find(of, scope, &std::pair<std::string, int64_t>::first);
    return found != of.end() ? found->second : of.emplace_back(scope, 0).second;
  };
  auto take = [&](const Buffer& buffer) {
    int64_t& now = entry(live, buffer.scope) += buffer.bytes.value_or(0);
    int64_t& peak = entry(most, buffer.scope);
    peak = std::max(peak, now);
  };
  std::vector<bool> in_node(buffers.size(), false);
  for (const Node& node : nodes)
    for (size_t each : node.allocates) in_node[each] = true;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].is_parameter && !in_node[i]) take(buffers[i]);
  std::vector<const Node*> open;
  for (const Node& node : nodes) {
    for (; !open.empty() && open.back()->depth >= node.depth; open.pop_back())
      for (size_t each : open.back()->allocates)
        entry(live, buffers[each].scope) -= buffers[each].bytes.value_or(0);
    open.push_back(&node);
    for (size_t each : node.allocates) take(buffers[each]);
  }
  return most;
}

LoopTree loop_tree(const std::string& name, const PrimFunc& fn) { return LoopTreeBuilder(name, fn).tree; }

std::vector<LoopTree> loop_trees(const IRModule& mod) {
  std::vector<LoopTree> trees;
  for (const auto& [var, fn] : mod->functions)
    if (auto prim = fn.as<PrimFunc>()) trees.push_back(loop_tree(std::string(var->name_hint), *prim));
  return trees;
}

std::string kind_of(const LoopTree::Node& loop) {
  switch (loop.loop_kind) {
    case ForKind::kSerial:
      return loop.thread;
    case ForKind::kParallel:
      return "parallel";
    case ForKind::kVectorized:
      return "vectorized";
    case ForKind::kUnrolled:
      return "unrolled";
    case ForKind::kThreadBinding:
      return loop.thread;
  }
  throw InternalError(__FILE__, __LINE__, "loop of unknown kind");
}

std::string iterator_kinds(const Array<IterVar>& iters) {
  std::string letters;
  for (const IterVar& iter : iters) {
    switch (iter->iter_type) {
      case IterType::kDataPar:
        letters += 'S';
        break;
      case IterType::kCommReduce:
        letters += 'R';
        break;
      case IterType::kOrdered:
        letters += 'C';
        break;
      default:
        letters += 'O';
        break;
    }
  }
  return letters;
}

}  // namespace mlc::transform
