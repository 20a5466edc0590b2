// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/tree_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/core/visit.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

namespace {

using Node = LoopTree::Node;
using Kind = LoopTree::Kind;
using Text = std::function<std::string(const Any&)>;
using Sense = TreeChange::Sense;

// A block, or a store that no block has around it, with the loops around it.
struct Leaf {
  std::string name;
  const Node* node = nullptr;
  std::vector<const Node*> loops;  // outermost first
};

// Loops of the one nest, and those of the other that they are.
using LoopPairs = std::vector<std::pair<const Node*, const Node*>>;
using LoopGroups = std::vector<std::pair<std::vector<const Node*>, std::vector<const Node*>>>;

bool is_loop(const Node& node) { return node.kind == Kind::kLoop || node.kind == Kind::kThreads; }

std::vector<Leaf> leaves_of(const LoopTree& tree) {
  std::vector<Leaf> leaves;
  std::vector<const Node*> open;
  std::map<std::string, int> seen;
  for (const Node& node : tree.nodes) {
    while (!open.empty() && open.back()->depth >= node.depth) open.pop_back();
    if (node.kind == Kind::kBlock || node.kind == Kind::kStore) {
      Leaf leaf{.name = node.name, .node = &node, .loops = {}};
      if (int number = seen[node.name]++; number > 0) leaf.name += fmt::format("#{}", number + 1);
      for (const Node* each : open)
        if (is_loop(*each)) leaf.loops.push_back(each);
      leaves.push_back(std::move(leaf));
    }
    open.push_back(&node);
  }
  return leaves;
}

const Leaf* find(const std::vector<Leaf>& leaves, const std::string& name) {
  auto found = std::ranges::find(leaves, name, &Leaf::name);
  return found == leaves.end() ? nullptr : &*found;
}

const VarNode* var_of(const Node& loop) {
  if (auto* node = as<ForNode>(loop.stmt)) return node->loop_var.get();
  auto iter = as<AttrStmtNode>(loop.stmt)->node.as<IterVar>();
  return iter ? (*iter)->var.get() : nullptr;
}

std::set<std::string> buffers_of(const Array<TensorRegion>& regions) {
  std::set<std::string> names;
  for (const TensorRegion& each : regions) names.insert(std::string(each->source->name));
  return names;
}

class Comparison {
 public:
  Comparison(const LoopTree& before, const LoopTree& after, const Text& text)
      : before_(before), after_(after), text_(text), old_(leaves_of(before)), new_(leaves_of(after)) {}

  std::vector<TreeChange> run() {
    compare_block_sets();
    for (const Leaf& was : old_)
      if (const Leaf* now = find(new_, was.name)) compare(was, *now);
    compare_buffers();
    return std::move(changes_);
  }

 private:
  // One sentence about several blocks is said once.
  void say(std::string verb, std::string what, std::string block = "", Sense sense = Sense::kChanged) {
    auto same =
        std::ranges::find_if(changes_, [&](const TreeChange& c) { return c.verb == verb && c.what == what; });
    if (same == changes_.end()) {
      changes_.push_back({std::move(verb), std::move(what), {}, sense});
      same = changes_.end() - 1;
    }
    if (!block.empty() && std::ranges::find(same->blocks, block) == same->blocks.end())
      same->blocks.push_back(std::move(block));
  }

  std::string shown(const Node& loop) const {
    std::string kind = kind_of(loop);
    return fmt::format("{} ({}{}{})", loop.name, text_(Any(loop.extent)), kind.empty() ? "" : " ", kind);
  }
  std::string shown(const std::vector<const Node*>& loops) const {
    std::vector<std::string> parts;
    for (const Node* each : loops) parts.push_back(shown(*each));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  // ---- blocks that only one side has ----

  void compare_block_sets() {
    std::vector<const Leaf*> gone, made;
    for (const Leaf& was : old_)
      if (find(new_, was.name) == nullptr) gone.push_back(&was);
    for (const Leaf& now : new_)
      if (find(old_, now.name) == nullptr) made.push_back(&now);
    for (const Leaf* was : gone) say_gone(*was, made);
    for (const Leaf* now : made) {
      if (split_off_.contains(now->name)) continue;
      std::set<std::string> from = buffers_of(now->node->reads), to = buffers_of(now->node->writes);
      std::string flow =
          to.empty() ? ""
                     : fmt::format(": {} <- {}", fmt::join(to, ", "),
                                   from.empty() ? "nothing" : fmt::format("{}", fmt::join(from, ", ")));
      bool is_block = now->node->kind == Kind::kBlock;
      say(is_block ? "block" : "store", fmt::format("{}{}{}", now->name, flow, under(*now)), "",
          Sense::kAdded);
    }
  }

  std::string under(const Leaf& leaf) const {
    return leaf.loops.empty() ? "" : fmt::format(", in {}", shown(leaf.loops));
  }

  void say_gone(const Leaf& was, const std::vector<const Leaf*>& made) {
    bool is_block = was.node->kind == Kind::kBlock;
    std::set<std::string> wrote = buffers_of(was.node->writes);
    // Its initialisation and its update as blocks of their own.
    std::vector<std::string> parts;
    for (const Leaf* now : made)
      if (is_block && now->name.starts_with(was.name + "_") && buffers_of(now->node->writes) == wrote)
        parts.push_back(now->name);
    if (parts.size() > 1) {
      split_off_.insert(parts.begin(), parts.end());
      return say("decomposed", fmt::format("{} -> {}", was.name, fmt::join(parts, ", ")));
    }
    // A block whose buffer is gone too is computed where it was read.
    std::vector<std::string> readers;
    bool buffer_gone = is_block && !wrote.empty() &&
                       std::ranges::none_of(
                           after_.buffers, [&](const LoopTree::Buffer& b) { return wrote.contains(b.name); });
    for (const Leaf& other : old_) {
      std::set<std::string> read = buffers_of(other.node->reads);
      bool reads = std::ranges::any_of(wrote, [&](const std::string& name) { return read.contains(name); });
      if (&other != &was && reads && find(new_, other.name) != nullptr) readers.push_back(other.name);
    }
    if (buffer_gone && !readers.empty())
      return say("inlined", fmt::format("{} into {}", was.name, fmt::join(readers, ", ")), "",
                 Sense::kRemoved);
    // Or its results come from where they are written now: the block that it reads from.
    for (const Leaf& other : old_) {
      std::set<std::string> written = buffers_of(other.node->writes), read = buffers_of(was.node->reads);
      const Leaf* now = find(new_, other.name);
      bool feeds = std::ranges::any_of(written, [&](const std::string& name) { return read.contains(name); });
      if (is_block && &other != &was && feeds && now != nullptr && buffers_of(now->node->writes) == wrote)
        return say("inlined", fmt::format("{} into {}, which it read from", was.name, other.name), "",
                   Sense::kRemoved);
    }
    say(is_block ? "block" : "store", was.name, "", Sense::kRemoved);
  }

  // ---- a block that both sides have ----

  void compare(const Leaf& was, const Leaf& now) {
    Shared old_shared = shared_with_others(old_, was), new_shared = shared_with_others(new_, now);
    bool moved = old_shared.loop != new_shared.loop && compare_place(was, now, old_shared, new_shared);
    if (!moved) compare_loops(was, now);
    compare_block(was, now);
  }

  // The innermost loop that a block has in common with another one, by the names of the loops down to it.
  struct Shared {
    std::string loop;
    size_t depth = 0;
    std::set<std::string> with;
  };
  static Shared shared_with_others(const std::vector<Leaf>& leaves, const Leaf& leaf) {
    Shared shared;
    for (const Leaf& other : leaves) {
      if (&other == &leaf) continue;
      size_t common = 0;
      while (common < leaf.loops.size() && common < other.loops.size() &&
             leaf.loops[common] == other.loops[common])
        ++common;
      if (common > shared.depth) shared = {leaf.loops[common - 1]->name, common, {}};
      if (common == shared.depth && common > 0) shared.with.insert(other.name);
    }
    return shared;
  }

  // Did the block leave its nest for that of another block, or come out of it? Then its loops were made anew.
  bool compare_place(const Leaf& was, const Leaf& now, const Shared& from, const Shared& to) {
    auto old_vars = vars_of(was), new_vars = vars_of(now);
    bool keeps_loops = std::ranges::includes(new_vars, old_vars) || std::ranges::includes(old_vars, new_vars);
    // The block that stays where it was keeps its loops, and it is the other one that came or went.
    if (keeps_loops && from.with != to.with) return false;
    if (from.with == to.with) return false;
    std::vector<const Node*> own(now.loops.begin() + static_cast<ptrdiff_t>(to.depth), now.loops.end());
    std::string where = to.depth == 0 ? "into a nest of its own"
                                      : fmt::format("under {} of {}", to.loop, fmt::join(to.with, ", "));
    say("moved", fmt::format("{} {}{}", was.name, where,
                             own.empty() ? "" : fmt::format(", with loops {}", shown(own))));
    return true;
  }

  static std::set<const VarNode*> vars_of(const Leaf& leaf) {
    std::set<const VarNode*> vars;
    for (const Node* loop : leaf.loops) vars.insert(var_of(*loop));
    return vars;
  }

  // The same loop on both sides: the same variable, else the same name and extent. Names need not differ in a
  // nest.
  static LoopPairs same_loops(const Leaf& was, const Leaf& now) {
    LoopPairs pairs;
    auto is_taken = [&](const Node* loop) {
      return std::ranges::any_of(pairs,
                                 [&](const auto& pair) { return pair.first == loop || pair.second == loop; });
    };
    auto pair_where = [&](auto&& same) {
      for (const Node* a : was.loops)
        for (const Node* b : now.loops)
          if (!is_taken(a) && !is_taken(b) && same(*a, *b) &&
              structural_equal(Any(a->extent), Any(b->extent), true))
            pairs.emplace_back(a, b);
    };
    pair_where([](const Node& a, const Node& b) { return var_of(a) == var_of(b); });
    pair_where([](const Node& a, const Node& b) { return a.name == b.name; });
    return pairs;
  }

  void compare_loops(const Leaf& was, const Leaf& now) {
    std::vector<const Node*> gone, made;
    auto kept = same_loops(was, now);
    for (const Node* loop : was.loops)
      if (std::ranges::none_of(kept, [&](const auto& pair) { return pair.first == loop; }))
        gone.push_back(loop);
    for (const Node* loop : now.loops)
      if (std::ranges::none_of(kept, [&](const auto& pair) { return pair.second == loop; }))
        made.push_back(loop);
    LoopGroups groups = corresponding(was, now, gone, made);
    for (const auto& [from, to] : groups) say_group(was, from, to);
    for (const auto& [a, b] : kept) compare_kind(was, *a, *b);
    compare_order(was, now, kept, groups);
  }

  // Loops that are gone and loops that are new, by the iterators of the block that both are part of. A thread
  // of the graph runs from loops through iterators: its parts are the groups.
  LoopGroups corresponding(const Leaf& was, const Leaf& now, const std::vector<const Node*>& gone,
                           const std::vector<const Node*>& made) {
    size_t iters = std::min(was.node->values.size(), now.node->values.size());
    std::vector<size_t> group_of(iters);
    for (size_t i = 0; i < iters; ++i) group_of[i] = i;
    auto join_by = [&](const Leaf& leaf, const std::vector<const Node*>& loops) {
      std::vector<std::vector<size_t>> used;  // by each loop, the iterators it is part of
      for (const Node* loop : loops) {
        const VarNode* var = var_of(*loop);
        used.emplace_back();
        for (size_t i = 0; i < iters; ++i)
          if (uses_var(leaf.node->values[static_cast<int64_t>(i)],
                       [&](const VarNode* v) { return v == var; }))
            used.back().push_back(i);
        for (size_t i : used.back()) {
          size_t from = group_of[i], to = group_of[used.back().front()];
          std::ranges::replace(group_of, from, to);
        }
      }
      return used;
    };
    auto old_used = join_by(was, gone), new_used = join_by(now, made);
    std::map<size_t, std::pair<std::vector<const Node*>, std::vector<const Node*>>> by_group;
    LoopGroups groups;
    for (size_t i = 0; i < gone.size(); ++i)
      if (old_used[i].empty())
        groups.push_back({{gone[i]}, {}});
      else
        by_group[group_of[old_used[i].front()]].first.push_back(gone[i]);
    for (size_t i = 0; i < made.size(); ++i)
      if (new_used[i].empty())
        groups.push_back({{}, {made[i]}});
      else
        by_group[group_of[new_used[i].front()]].second.push_back(made[i]);
    for (auto& [number, group] : by_group) groups.push_back(std::move(group));
    return groups;
  }

  void say_group(const Leaf& leaf, const std::vector<const Node*>& from, const std::vector<const Node*>& to) {
    if (to.empty()) {
      for (const Node* each : from) {
        bool is_vector = each->loop_kind == ForKind::kVectorized,
             is_unrolled = each->loop_kind == ForKind::kUnrolled;
        say("loop",
            fmt::format("{}{}", shown(*each),
                        is_vector     ? ": made vectors of"
                        : is_unrolled ? ": unrolled"
                                      : ""),
            leaf.name, Sense::kRemoved);
      }
      return;
    }
    if (from.empty()) {
      for (const Node* each : to) say("loop", shown(*each), leaf.name, Sense::kAdded);
      return;
    }
    std::string_view verb = from.size() == 1 && to.size() > 1   ? "split"
                            : from.size() > 1 && to.size() == 1 ? "fused"
                            : from.size() == 1                  ? "replaced"
                                                                : "retiled";
    say(std::string(verb), fmt::format("{} -> {}", shown(from), shown(to)), leaf.name);
  }

  void compare_kind(const Leaf& leaf, const Node& a, const Node& b) {
    std::string from = kind_of(a), to = kind_of(b);
    if (from != to)
      say("kind",
          fmt::format("{}: {} -> {}", b.name, from.empty() ? "serial" : from, to.empty() ? "serial" : to),
          leaf.name);
    compare_annotations(a, b, b.name);
  }

  void compare_annotations(const Node& a, const Node& b, const std::string& of) {
    for (const auto& [key, value] : b.annotations) {
      auto old = a.annotations.Get(key);
      if (!old || !structural_equal(*old, value))
        say("annotated", fmt::format("{}: {} = {}", of, std::string(key), text_(value)));
    }
    for (const auto& [key, value] : a.annotations)
      if (!b.annotations.Get(key))
        say("annotation", fmt::format("{} of {}", std::string(key), of), "", Sense::kRemoved);
  }

  // The order of the loops that stay, and of the first loop of what became of the others.
  void compare_order(const Leaf& was, const Leaf& now, const LoopPairs& kept, const LoopGroups& groups) {
    std::map<const Node*, size_t> old_position;
    auto position = [&](const Node* loop) {
      return static_cast<size_t>(std::ranges::find(was.loops, loop) - was.loops.begin());
    };
    for (const auto& [a, b] : kept) old_position[b] = position(a);
    bool in_order = true;
    for (const auto& [from, to] : groups) {
      if (from.empty() || to.empty()) continue;
      for (const Node* each : to) old_position[each] = position(from.front());
    }
    size_t last = 0;
    for (const Node* loop : now.loops) {
      auto found = old_position.find(loop);
      if (found == old_position.end()) continue;
      if (found->second < last) in_order = false;
      last = std::max(last, found->second);
    }
    if (in_order) return;
    std::vector<std::string> names;
    for (const Node* loop : now.loops) names.push_back(loop->name);
    say("reordered", fmt::format("{}", fmt::join(names, ", ")), was.name);
  }

  void compare_block(const Leaf& was, const Leaf& now) {
    const std::string& name = was.name;
    bool was_block = was.node->kind == Kind::kBlock, is_block = now.node->kind == Kind::kBlock;
    if (was_block && !is_block)
      return say("lowered", fmt::format("{}: its statements stand in the loops", name));
    if (!was_block && is_block)
      return say("block", fmt::format("{}: around its statements", name), "", Sense::kAdded);
    if (!was_block) return;
    std::string from = iterator_kinds(was.node->iters), to = iterator_kinds(now.node->iters);
    auto or_none = [](const std::string& letters) { return letters.empty() ? "none" : letters; };
    if (from != to) say("iterators", fmt::format("{}: {} -> {}", name, or_none(from), or_none(to)));
    compare_names(name, "reads", buffers_of(was.node->reads), buffers_of(now.node->reads));
    compare_names(name, "writes", buffers_of(was.node->writes), buffers_of(now.node->writes));
    std::string guard = condition_of(*now.node);
    if (guard != condition_of(*was.node))
      say("guarded", guard.empty() ? fmt::format("{}: in every iteration", name)
                                   : fmt::format("{}: where {}", name, guard));
    bool had_init = is_reduction(*was.node), has_init = is_reduction(*now.node);
    if (had_init != has_init)
      say("init", fmt::format("of {}", name), "", has_init ? Sense::kAdded : Sense::kRemoved);
    compare_annotations(*was.node, *now.node, name);
  }

  std::string condition_of(const Node& block) const {
    return block.condition ? text_(Any(block.condition)) : "";
  }
  static bool is_reduction(const Node& block) { return bool(as<SBlockRealizeNode>(block.stmt)->block->init); }

  void compare_names(const std::string& block, std::string_view verb, const std::set<std::string>& from,
                     const std::set<std::string>& to) {
    std::vector<std::string> gone, made;
    std::ranges::set_difference(from, to, std::back_inserter(gone));
    std::ranges::set_difference(to, from, std::back_inserter(made));
    if (gone.empty() && made.empty()) return;
    say(std::string(verb),
        fmt::format("{}: {}{}{}", block, made.empty() ? "no more" : fmt::format("{}", fmt::join(made, ", ")),
                    gone.empty()   ? ""
                    : made.empty() ? " "
                                   : " instead of ",
                    fmt::join(gone, ", ")));
  }

  // ---- buffers ----

  std::string shown(const LoopTree::Buffer& buffer) const {
    const BufferTypeNode* type = buffer.buffer->buffer();
    std::vector<std::string> shape;
    for (const Expr& extent : type->shape) shape.push_back(text_(Any(extent)));
    return fmt::format("{}({}) {}", DataType(type->dtype).str(), fmt::join(shape, ", "), buffer.scope);
  }
  void compare_buffers() {
    auto of_name = [](const LoopTree& tree, const std::string& name) -> const LoopTree::Buffer* {
      auto found = std::ranges::find(tree.buffers, name, &LoopTree::Buffer::name);
      return found == tree.buffers.end() ? nullptr : &*found;
    };
    for (const LoopTree::Buffer& was : before_.buffers) {
      const LoopTree::Buffer* now = of_name(after_, was.name);
      if (now == nullptr)
        say("buffer", fmt::format("{}: {}", was.name, shown(was)), "", Sense::kRemoved);
      else if (shown(was) != shown(*now))
        say("buffer", fmt::format("{}: {} -> {}", was.name, shown(was), shown(*now)));
    }
    for (const LoopTree::Buffer& now : after_.buffers)
      if (of_name(before_, now.name) == nullptr)
        say("buffer", fmt::format("{}: {}", now.name, shown(now)), "", Sense::kAdded);
  }

  const LoopTree &before_, &after_;
  const Text& text_;
  std::vector<Leaf> old_, new_;
  std::set<std::string> split_off_;
  std::vector<TreeChange> changes_;
};

}  // namespace

std::vector<TreeChange> tree_diff(const LoopTree& before, const LoopTree& after, const Text& text) {
  return Comparison(before, after, text).run();
}

}  // namespace mlc::transform
