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

// A block, or a store that no block has around it, with what is around it.
struct Leaf {
  std::string name;  // "B#2" of the second B
  const Node* node = nullptr;
  std::vector<const Node*> loops;     // outermost first
  std::vector<const Node*> branches;  // and loops that run while something holds
  bool has_nest = false;              // nodes of its own below it
  const Leaf* other = nullptr;        // what it is on the other side; null: only this one has it
  std::set<std::string> reads, writes;
};

// Loops of the one nest, and those of the other that they are.
using LoopPairs = std::vector<std::pair<const Node*, const Node*>>;
using LoopGroups = std::vector<std::pair<std::vector<const Node*>, std::vector<const Node*>>>;

bool is_loop(const Node& node) { return node.kind == Kind::kLoop || node.kind == Kind::kThreads; }

std::set<std::string> buffers_of(const Array<TensorRegion>& regions) {
  std::set<std::string> names;
  for (const TensorRegion& each : regions) names.insert(std::string(each->source->name));
  return names;
}

std::vector<Leaf> leaves_of(const LoopTree& tree) {
  std::vector<Leaf> leaves;
  std::vector<const Node*> open;
  std::map<std::string, int> seen;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    while (!open.empty() && open.back()->depth >= node.depth) open.pop_back();
    if (node.kind == Kind::kBlock || node.kind == Kind::kStore) {
      Leaf& leaf = leaves.emplace_back();
      leaf.name = node.name;
      leaf.node = &node;
      if (int number = seen[node.name]++; number > 0) leaf.name += fmt::format("#{}", number + 1);
      for (const Node* each : open) {
        bool is_branch =
            each->kind == Kind::kBranch || each->kind == Kind::kElse || each->kind == Kind::kWhile;
        if (is_loop(*each)) leaf.loops.push_back(each);
        if (is_branch) leaf.branches.push_back(each);
      }
      leaf.has_nest = i + 1 < tree.nodes.size() && tree.nodes[i + 1].depth > node.depth;
      leaf.reads = buffers_of(node.reads);
      leaf.writes = buffers_of(node.writes);
    }
    open.push_back(&node);
  }
  return leaves;
}

// Leaves of one name are the same where their statements are, whatever stands between: a store that was added
// before two others is the new one. What remains is taken in order.
void pair_up(std::vector<Leaf>& before, std::vector<Leaf>& after) {
  std::map<std::string_view, std::pair<std::vector<Leaf*>, std::vector<Leaf*>>> by_name;
  for (Leaf& each : before) by_name[each.node->name].first.push_back(&each);
  for (Leaf& each : after) by_name[each.node->name].second.push_back(&each);
  for (auto& [name, sides] : by_name) {
    auto& [old, now] = sides;
    auto pair_where = [&](auto&& same) {
      size_t from = 0;  // pairs do not cross
      for (Leaf* a : old) {
        if (a->other != nullptr) {
          while (now[from++] != a->other) {
          }
          continue;
        }
        for (size_t i = from; i < now.size() && now[i]->other == nullptr; ++i) {
          if (!same(*a, *now[i])) continue;
          a->other = now[i];
          now[i]->other = a;
          from = i + 1;
          break;
        }
      }
    };
    if (old.size() > 1 || now.size() > 1) {
      std::map<const StmtNode*, Leaf*> kept;  // the very statements
      for (Leaf* each : now) kept.emplace(each->node->stmt.get(), each);
      ptrdiff_t next = 0;
      for (Leaf* a : old) {
        auto found = kept.find(a->node->stmt.get());
        if (found == kept.end() || found->second->other != nullptr) continue;
        auto at = std::find(now.begin() + next, now.end(), found->second);
        if (at == now.end()) continue;  // it would cross another pair
        a->other = found->second;
        found->second->other = a;
        next = at - now.begin() + 1;
      }
      constexpr size_t kMostCompared = 64;  // of one name: every pair may have to be looked at
      if (std::max(old.size(), now.size()) <= kMostCompared)
        pair_where([](const Leaf& a, const Leaf& b) {
          return structural_equal(Any(a.node->stmt), Any(b.node->stmt), true);
        });
    }
    pair_where([](const Leaf&, const Leaf&) { return true; });
  }
}

const VarNode* var_of(const Node& loop) {
  if (auto* node = as<ForNode>(loop.stmt)) return node->loop_var.get();
  auto iter = as<AttrStmtNode>(loop.stmt)->node.as<IterVar>();
  return iter ? (*iter)->var.get() : nullptr;
}

class Comparison {
 public:
  Comparison(const LoopTree& before, const LoopTree& after, const Text& text)
      : before_(before), after_(after), text_(text), old_(leaves_of(before)), new_(leaves_of(after)) {
    pair_up(old_, new_);
    for (const LoopTree::Buffer& each : before.buffers) old_buffers_.emplace(each.name, &each);
    for (const LoopTree::Buffer& each : after.buffers) new_buffers_.emplace(each.name, &each);
  }

  std::vector<TreeChange> run() {
    compare_block_sets();
    for (const Leaf& was : old_)
      if (was.other != nullptr) compare(was, *was.other);
    compare_buffers();
    return std::move(changes_);
  }

 private:
  // One sentence about several blocks is said once.
  void say(std::string verb, std::string what, std::string block = "", Sense sense = Sense::kChanged) {
    auto [same, is_new] = said_.try_emplace({verb, what}, changes_.size());
    if (is_new) changes_.push_back({std::move(verb), std::move(what), {}, sense});
    if (!block.empty() && said_of_.emplace(same->second, block).second)
      changes_[same->second].blocks.push_back(std::move(block));
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
    for (const Leaf& each : old_) {
      for (const std::string& buffer : each.reads) readers_[buffer].push_back(&each);
      for (const std::string& buffer : each.writes) writers_[buffer].push_back(&each);
    }
    for (const Leaf& now : new_)
      if (now.other == nullptr) made_.emplace(now.name, &now);
    for (const Leaf& was : old_)
      if (was.other == nullptr) say_gone(was);
    for (const Leaf& now : new_) {
      if (now.other != nullptr || split_off_.contains(now.name)) continue;
      std::string flow =
          now.writes.empty()
              ? ""
              : fmt::format(": {} <- {}", fmt::join(now.writes, ", "),
                            now.reads.empty() ? "nothing" : fmt::format("{}", fmt::join(now.reads, ", ")));
      if (now.node->kind == Kind::kBlock)
        say("block", fmt::format("{}{}{}", now.name, flow, under(now)), "", Sense::kAdded);
      else
        say("store", store_text(now) + under(now), "", Sense::kAdded);
    }
  }

  // "B[i] = A[i]": of several stores to a buffer its name says nothing. It is the last line of the
  // statement's text, behind what a text of its own has to say of its buffers.
  std::string store_text(const Leaf& leaf) const {
    constexpr size_t kMost = 60;
    std::string text = text_(Any(leaf.node->stmt));
    while (text.ends_with('\n')) text.pop_back();
    text.erase(0, text.rfind('\n') + 1);
    if (text.size() <= kMost) return text;
    size_t end = kMost - 4;
    while ((text[end] & 0xc0) == 0x80) --end;
    return text.substr(0, end) + " ...";
  }

  std::string under(const Leaf& leaf) const {
    return leaf.loops.empty() ? "" : fmt::format(", in {}", shown(leaf.loops));
  }

  void say_gone(const Leaf& was) {
    bool is_block = was.node->kind == Kind::kBlock;
    // Its initialisation and its update as blocks of their own.
    std::vector<std::string> parts;
    std::string prefix = was.name + "_";
    for (auto now = made_.lower_bound(prefix); now != made_.end() && now->first.starts_with(prefix); ++now)
      if (is_block && now->second->writes == was.writes) parts.push_back(now->first);
    if (parts.size() > 1) {
      std::ranges::sort(parts, {},
                        [&](const std::string& each) { return made_.at(each); });  // as in the program
      split_off_.insert(parts.begin(), parts.end());
      return say("decomposed", fmt::format("{} -> {}", was.name, fmt::join(parts, ", ")));
    }
    // A block whose buffer is gone too is computed where it was read.
    std::vector<const Leaf*> readers = those_with(readers_, was.writes, was);
    bool buffer_gone = is_block && !was.writes.empty() &&
                       std::ranges::none_of(
                           was.writes, [&](const std::string& name) { return new_buffers_.contains(name); });
    if (buffer_gone && !readers.empty()) {
      std::vector<std::string> names;
      for (const Leaf* each : readers) names.push_back(each->name);
      return say("inlined", fmt::format("{} into {}", was.name, fmt::join(names, ", ")), "", Sense::kRemoved);
    }
    // Or its results come from where they are written now: the block that it reads from.
    for (const Leaf* other : those_with(writers_, was.reads, was))
      if (is_block && other->other->writes == was.writes)
        return say("inlined", fmt::format("{} into {}, which it read from", was.name, other->name), "",
                   Sense::kRemoved);
    say(is_block ? "block" : "store", is_block ? was.name : store_text(was), "", Sense::kRemoved);
  }

  using LeavesOfBuffers = std::map<std::string, std::vector<const Leaf*>>;
  // The others of one of these buffers that are still there, in the order of the program.
  static std::vector<const Leaf*> those_with(const LeavesOfBuffers& leaves,
                                             const std::set<std::string>& buffers, const Leaf& but) {
    std::set<const Leaf*> found;  // they lie in one vector
    for (const std::string& buffer : buffers) {
      auto of_buffer = leaves.find(buffer);
      if (of_buffer == leaves.end()) continue;
      for (const Leaf* each : of_buffer->second)
        if (each != &but && each->other != nullptr) found.insert(each);
    }
    return {found.begin(), found.end()};
  }

  // ---- a block that both sides have ----

  void compare(const Leaf& was, const Leaf& now) {
    Shared from = shared_with_others(old_, was), to = shared_with_others(new_, now);
    bool moved = from.loop != to.loop && compare_place(was, now, from, to);
    bool same_nest = !moved && compare_loops(was, now);
    if (same_nest) compare_conditions(was, now);
    compare_block(was, now, same_nest);
  }

  // The innermost loop that a block has in common with another one.
  struct Shared {
    std::string loop;
    size_t depth = 0;
  };
  static size_t loops_in_common(const Leaf& a, const Leaf& b) {
    auto [end, ignored] = std::ranges::mismatch(a.loops, b.loops);
    return static_cast<size_t>(end - a.loops.begin());
  }
  // Who stands in a loop follows each other: the neighbours have most in common.
  static Shared shared_with_others(const std::vector<Leaf>& leaves, const Leaf& leaf) {
    auto at = static_cast<size_t>(&leaf - leaves.data());
    size_t depth = at > 0 ? loops_in_common(leaf, leaves[at - 1]) : 0;
    if (at + 1 < leaves.size()) depth = std::max(depth, loops_in_common(leaf, leaves[at + 1]));
    return {depth > 0 ? leaf.loops[depth - 1]->name : "", depth};
  }
  // The others in that loop.
  static std::set<std::string> others_in(const std::vector<Leaf>& leaves, const Leaf& leaf, size_t depth) {
    std::set<std::string> names;
    if (depth == 0) return names;
    auto at = static_cast<size_t>(&leaf - leaves.data());
    for (size_t i = at; i-- > 0 && loops_in_common(leaf, leaves[i]) >= depth;) names.insert(leaves[i].name);
    for (size_t i = at + 1; i < leaves.size() && loops_in_common(leaf, leaves[i]) >= depth; ++i)
      names.insert(leaves[i].name);
    return names;
  }

  // Did the block leave its nest for that of another block, or come out of it? Then its loops were made anew.
  bool compare_place(const Leaf& was, const Leaf& now, const Shared& from, const Shared& to) {
    std::set<std::string> old_others = others_in(old_, was, from.depth),
                          new_others = others_in(new_, now, to.depth);
    auto old_vars = vars_of(was), new_vars = vars_of(now);
    bool keeps_loops = std::ranges::includes(new_vars, old_vars) || std::ranges::includes(old_vars, new_vars);
    // The block that stays where it was keeps its loops, and it is the other one that came or went.
    if (keeps_loops && old_others != new_others) return false;
    if (old_others == new_others) return false;
    if (!keeps_loops && owns_nest(now, to.depth)) return false;
    std::vector<const Node*> own(now.loops.begin() + static_cast<ptrdiff_t>(to.depth), now.loops.end());
    std::string where = to.depth == 0 ? "into a nest of its own"
                                      : fmt::format("under {} of {}", to.loop, fmt::join(new_others, ", "));
    say("moved", fmt::format("{} {}{}", was.name, where,
                             own.empty() ? "" : fmt::format(", with loops {}", shown(own))));
    return true;
  }

  // Where a nest was made of other loops and blocks came into it, nobody keeps its loops: it is taken for
  // that of the first block without loops of its own below it, and the others for those that came.
  bool owns_nest(const Leaf& leaf, size_t depth) const {
    if (depth == 0) return false;
    auto shares = [&](const Leaf& other) { return &other == &leaf || loops_in_common(leaf, other) >= depth; };
    auto stays = [&](const Leaf& other) {
      auto before = std::ranges::find(old_, other.name, &Leaf::name);
      return before != old_.end() && std::ranges::includes(vars_of(other), vars_of(*before)) &&
             !before->loops.empty();
    };
    if (std::ranges::any_of(new_, [&](const Leaf& other) { return shares(other) && stays(other); }))
      return false;
    auto owner = std::ranges::find_if(
        new_, [&](const Leaf& other) { return shares(other) && other.loops.size() == depth; });
    return owner != new_.end() && &*owner == &leaf;
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

  // Are all the loops of the one those of the other?
  bool compare_loops(const Leaf& was, const Leaf& now) {
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
    return gone.empty() && made.empty();
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
    auto begin = [&](const Node& loop) { return loop.begin ? text_(Any(loop.begin)) : ""; };
    if (a.begin && b.begin && !structural_equal(Any(a.begin), Any(b.begin), true) && begin(a) != begin(b))
      say("begins", fmt::format("{}: at {} -> at {}", b.name, begin(a), begin(b)), leaf.name);
    std::string old_step = step_of(a), step = step_of(b);
    if (old_step != step) say("step", fmt::format("{}: {} -> {}", b.name, old_step, step), leaf.name);
    compare_annotations(a, b, b.name);
  }
  std::string step_of(const Node& loop) const {
    auto* node = as<ForNode>(loop.stmt);
    return node != nullptr && node->step ? text_(Any(node->step)) : "1";
  }

  // Branches around a block whose loops are the same.
  void compare_conditions(const Leaf& was, const Leaf& now) {
    if (was.branches == now.branches) return;
    auto text = [&](const Leaf& leaf) {
      std::vector<std::string> all;
      for (const Node* each : leaf.branches) {
        bool is_else = each->kind == Kind::kElse;
        const Expr& condition = is_else ? as<IfThenElseNode>(each->stmt)->condition : each->condition;
        all.push_back(fmt::format("{} {}",
                                  is_else                      ? "unless"
                                  : each->kind == Kind::kWhile ? "while"
                                                               : "where",
                                  text_(Any(condition))));
      }
      return all.empty() ? "always" : fmt::format("{}", fmt::join(all, ", "));
    };
    std::string from = text(was), to = text(now);
    if (from != to) say("guarded", fmt::format("{}: {} -> {}", was.name, from, to));
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

  void compare_block(const Leaf& was, const Leaf& now, bool same_nest) {
    if (was.node->stmt.same_as(now.node->stmt)) return;
    const std::string& name = was.name;
    bool was_block = was.node->kind == Kind::kBlock, is_block = now.node->kind == Kind::kBlock;
    if (was_block && !is_block)
      return say("lowered", fmt::format("{}: its statements stand in the loops", name));
    if (!was_block && is_block)
      return say("block", fmt::format("{}: around its statements", name), "", Sense::kAdded);
    if (!was_block) {
      if (same_nest && !structural_equal(Any(was.node->stmt), Any(now.node->stmt), true) &&
          !a_buffer_differs(stored_to(was), stored_to(now)))
        say("body", fmt::format("{}: {} -> {}", name, store_text(was), store_text(now)));
      return;
    }
    std::string from = iterator_kinds(was.node->iters), to = iterator_kinds(now.node->iters);
    auto or_none = [](const std::string& letters) { return letters.empty() ? "none" : letters; };
    if (from != to)
      say("iterators", fmt::format("{}: {} -> {}", name, or_none(from), or_none(to)));
    else if (same_nest)
      compare_values(was, now);
    compare_names(name, "reads", was.reads, now.reads);
    compare_names(name, "writes", was.writes, now.writes);
    std::string guard = condition_of(*now.node);
    if (guard != condition_of(*was.node))
      say("guarded", guard.empty() ? fmt::format("{}: in every iteration", name)
                                   : fmt::format("{}: where {}", name, guard));
    bool had_init = is_reduction(*was.node), has_init = is_reduction(*now.node);
    if (had_init != has_init)
      say("init", fmt::format("of {}", name), "", has_init ? Sense::kAdded : Sense::kRemoved);
    compare_annotations(*was.node, *now.node, name);
    bool same_buffers =
        was.reads == now.reads && was.writes == now.writes && !a_buffer_differs(was.reads, was.writes);
    const Stmt& old_body = as<SBlockRealizeNode>(was.node->stmt)->block->body;
    const Stmt& new_body = as<SBlockRealizeNode>(now.node->stmt)->block->body;
    if (same_buffers && from == to && had_init == has_init && !was.has_nest && !now.has_nest &&
        !structural_equal(Any(old_body), Any(new_body), true))
      say("body", fmt::format("of {}; `--text` shows it", name));
  }

  // What the iterators stand for, where the loops are the same.
  void compare_values(const Leaf& was, const Leaf& now) {
    std::vector<std::string> changed;
    for (size_t i = 0; i < was.node->values.size() && i < now.node->values.size(); ++i) {
      auto at = static_cast<int64_t>(i);
      if (was.node->values[at].same_as(now.node->values[at])) continue;
      std::string from = text_(Any(was.node->values[at])), to = text_(Any(now.node->values[at]));
      if (from != to)
        changed.push_back(
            fmt::format("{} = {} -> {}", std::string(now.node->iters[at]->var->name), from, to));
    }
    if (!changed.empty()) say("iterators", fmt::format("{}: {}", was.name, fmt::join(changed, ", ")));
  }

  static std::set<std::string> stored_to(const Leaf& store) { return {store.node->name}; }
  // What the buffers say of themselves stands in a line of its own.
  bool a_buffer_differs(const std::set<std::string>& some, const std::set<std::string>& others) const {
    auto differs = [&](const std::string& name) {
      auto was = old_buffers_.find(name), now = new_buffers_.find(name);
      if (was == old_buffers_.end() || now == new_buffers_.end()) return true;
      return !was->second->buffer.same_as(now->second->buffer) && shown(*was->second) != shown(*now->second);
    };
    return std::ranges::any_of(some, differs) || std::ranges::any_of(others, differs);
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
    for (const LoopTree::Buffer& was : before_.buffers) {
      auto now = new_buffers_.find(was.name);
      if (now == new_buffers_.end())
        say("buffer", fmt::format("{}: {}", was.name, shown(was)), "", Sense::kRemoved);
      else if (!was.buffer.same_as(now->second->buffer) && shown(was) != shown(*now->second))
        say("buffer", fmt::format("{}: {} -> {}", was.name, shown(was), shown(*now->second)));
    }
    for (const LoopTree::Buffer& now : after_.buffers)
      if (!old_buffers_.contains(now.name))
        say("buffer", fmt::format("{}: {}", now.name, shown(now)), "", Sense::kAdded);
  }

  const LoopTree &before_, &after_;
  const Text& text_;
  std::vector<Leaf> old_, new_;
  std::map<std::string, const LoopTree::Buffer*> old_buffers_, new_buffers_;
  LeavesOfBuffers readers_, writers_;        // before
  std::map<std::string, const Leaf*> made_;  // that only the new side has
  std::set<std::string> split_off_;
  std::vector<TreeChange> changes_;
  std::map<std::pair<std::string, std::string>, size_t> said_;  // where in them a sentence stands
  std::set<std::pair<size_t, std::string>> said_of_;
};

}  // namespace

std::vector<TreeChange> tree_diff(const LoopTree& before, const LoopTree& after, const Text& text) {
  return Comparison(before, after, text).run();
}

}  // namespace mlc::transform
