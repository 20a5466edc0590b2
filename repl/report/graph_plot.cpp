// SPDX-License-Identifier: Apache-2.0
#include "repl/report/graph_plot.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/core/visit.h"
#include "repl/report/layered_layout.h"
#include "repl/session/graph_reasons.h"
#include "repl/session/graph_text.h"
#include "repl/session/line_diff.h"
#include "repl/shell/source.h"
#include "transform/graph/op_pattern.h"

namespace mlc::repl {
namespace graph_plots {
namespace {

using transform::GraphTree;
using transform::OpPattern;
using transform::Repeat;
using Kind = GraphTree::Kind;
using Nature = GraphTree::Nature;

constexpr size_t kMostBoxes = 180;  // of all graphs
constexpr size_t kMostParts = 8;    // lines of a group
constexpr double kWidth = 900, kMargin = 18, kBoxWidth = 232, kHead = 21, kLine = 16, kPad = 7;

// How a call reads its operands, or what else it is: its class of the style, and the word for it.
struct Look {
  std::string_view style, word;
};
constexpr Look kOperator{"serial", "operator"};
constexpr Look kOpaqueLook{"wrong", "opaque"};
Look look_of(OpPattern pattern) {
  switch (pattern) {
    case OpPattern::kElemWise:
      return {"b2", "elementwise"};
    case OpPattern::kBroadcast:
      return {"b0", "broadcast"};
    case OpPattern::kInjective:
      return {"b5", "injective"};
    case OpPattern::kCommReduce:
      return {"b3", "reduction"};
    case OpPattern::kOutEWiseFusable:
      return {"b1", "product"};
    case OpPattern::kTuple:
    case OpPattern::kOpaque:
      return kOpaqueLook;
  }
  return kOpaqueLook;
}

// What tensor functions are, and what operators become when they are legalised.
class Looks {
 public:
  Looks(const ir::IRModule& mod, ir::Host& host) : mod_(mod) {
    bool operators = false;
    for (const auto& [var, fn] : mod->functions) {
      if (auto tensor = ir::Any(fn).as<ir::PrimFunc>()) functions_[std::string(var->name_hint)] = look_of(transform::op_pattern(*tensor));
      operators = operators || fn.as<relax::FunctionNode>();
    }
    if (!operators) return;
    try {
      legal_ = before_fusion(mod, host);
    } catch (const ir::Error& error) {
      if (error.first().kind == "KeyboardInterrupt") throw;
      // An operator that has no legalisation: all of them are shown as operators.
    }
  }

  // Looks of the nodes of a graph.
  std::vector<Look> of(const GraphTree& tree) const {
    std::vector<Look> looks;
    std::map<std::string, Look> by_name;
    if (legal_.defined()) {
      for (const GraphTree& legal : graph_trees_of({"", legal_, ""})) {
        if (legal.function != tree.function) continue;
        for (const GraphTree::Node& node : legal.nodes) {
          if (!node.var || node.callee.empty()) continue;
          ir::GlobalVar callee = legal_->find(node.callee);
          auto fn = callee ? ir::Any(legal_->functions.at(callee)).as<ir::PrimFunc>() : std::nullopt;
          if (fn) by_name[std::string(node.var->name)] = look_of(transform::op_pattern(*fn));
        }
      }
    }
    for (const GraphTree::Node& node : tree.nodes) looks.push_back(of(node, by_name));
    return looks;
  }

 private:
  Look of(const GraphTree::Node& node, const std::map<std::string, Look>& by_name) const {
    switch (node.nature) {
      case Nature::kPlain:
        return {"none", node.kind == Kind::kIf ? "branch" : node.kind == Kind::kParam ? "parameter" : "value"};
      case Nature::kMemory:
        return {"b4", "memory"};
      case Nature::kOpaque:
        return kOpaqueLook;
      case Nature::kGraph:
        return {"thread", "graph"};
      case Nature::kTensorFunction: {
        auto found = functions_.find(node.callee);
        return found == functions_.end() ? kOpaqueLook : found->second;
      }
      case Nature::kOperator: {
        auto found = by_name.find(std::string(node.var->name));
        return found == by_name.end() ? kOperator : found->second;
      }
    }
    return kOperator;
  }

  ir::IRModule mod_, legal_ = ir::IRModule(nullptr);
  std::map<std::string, Look> functions_;
};

// The computations of a tensor function: its blocks, by their names.
std::vector<std::string> blocks_of(const ir::PrimFunc& fn) {
  std::vector<std::string> names;
  ir::post_order(fn->body, [](const ir::Expr&) {}, [&](const ir::Stmt& s) {
    auto* block = ir::as<ir::SBlockNode>(s);
    if (block && !(block->name_hint == "root")) names.emplace_back(block->name_hint);
  });
  return names;
}

struct Part {
  std::string text;
  Look look;
};
struct Drawn {
  std::string head, name, type, tip;
  Look look{};
  std::vector<Part> parts;  // of a group
  std::optional<size_t> line;
  bool fold = false;
};

// The line of each variable of a function in the program's text.
std::map<std::string, size_t> lines_of(const std::string& function, const std::vector<std::string>& program) {
  std::map<std::string, size_t> lines;
  size_t at = 0;
  while (at < program.size() && program[at].find(fmt::format("def {}(", function)) == std::string::npos) ++at;
  for (++at; at < program.size(); ++at) {
    std::string_view line = program[at];
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("def ") && program[at].starts_with("    def ")) break;
    size_t end = line.find_first_of(" :=(");
    if (end == std::string_view::npos || end == 0) continue;
    bool binds = line.substr(end).starts_with(" =") || line.substr(end).starts_with(": ");
    if (binds) lines.try_emplace(std::string(line.substr(0, end)), at + 1);
  }
  return lines;
}

class GraphDrawing {
 public:
  GraphDrawing(Svg& svg, const GraphTree& tree, const ir::IRModule& mod, const Looks& looks, const std::vector<std::string>& program,
               size_t most)
      : svg_(svg), tree_(tree), mod_(mod), looks_(looks.of(tree)), lines_(lines_of(tree.function, program)) {
    boxes(most);
    for (auto& [from, to] : joined_) layout_.edges.push_back({from, to});
    for (const Drawn& each : drawn_) layout_.boxes.push_back({kBoxWidth, height_of(each)});
    layout_.place(18, 26);
  }
  double width() const { return layout_.width; }
  size_t shown() const { return drawn_.size(); }
  bool complete() const { return complete_; }
  const std::set<std::pair<std::string_view, std::string_view>>& used() const { return used_; }

  // From `y` down, in the middle of `width`; returns where it ends.
  double draw(double y, double width) {
    svg_.text(kMargin, y + 14, tree_.function, "h2");
    svg_.text(width - kMargin, y + 14, shortened(fmt::format("returns {}", type_text(tree_.fn->ret_ty)), 70), "note", Svg::Anchor::kEnd);
    y += 30;
    double x = std::max(kMargin, (width - layout_.width) / 2);
    for (const LayeredLayout::Edge& edge : layout_.edges) draw_edge(edge, x, y);
    for (size_t i = 0; i < drawn_.size(); ++i) draw_box(drawn_[i], layout_.boxes[i], x, y);
    return y + layout_.height;
  }

 private:
  static double height_of(const Drawn& drawn) {
    return kHead + kLine + kPad + kLine * static_cast<double>(drawn.parts.size());
  }

  size_t add(Drawn drawn) {
    used_.insert({drawn.look.style, drawn.look.word});
    drawn_.push_back(std::move(drawn));
    return drawn_.size() - 1;
  }

  // Parameters that one call takes beside a value that is computed are weights: they stand in its box alone.
  bool is_weight(const GraphTree::Node& param) const {
    if (param.users.size() != 1) return param.users.empty();
    const GraphTree::Node& user = tree_.nodes[param.users[0]];
    return std::ranges::any_of(user.uses, [&](size_t used) {
      const GraphTree::Node& other = tree_.nodes[used];
      return &other != &param && (other.kind != Kind::kParam || &other < &param);
    });
  }

  void boxes(size_t most) {
    std::vector<Repeat> repeats = transform::repeats_in(tree_, plain_text);
    auto next = repeats.begin();
    std::vector<size_t> box_of(tree_.nodes.size(), kNone);
    size_t inside = kNone;  // the branch or local function that holds what is in view
    for (size_t i = 0; i < tree_.nodes.size(); ++i) {
      const GraphTree::Node& node = tree_.nodes[i];
      if (inside != kNone && node.depth <= tree_.nodes[inside].depth && node.kind != Kind::kElse) inside = kNone;
      if (inside != kNone) {
        box_of[i] = box_of[inside];
        join_uses(i, box_of);
        continue;
      }
      while (next != repeats.end() && next->begin + next->period * next->times <= i) ++next;
      bool folded = next != repeats.end() && i >= next->begin + next->period;
      if (folded && i > next->begin + next->period) {
        box_of[i] = box_of[next->begin + next->period];
        join_uses(i, box_of);
        continue;
      }
      bool binding = node.kind == Kind::kBinding || node.kind == Kind::kIf || node.kind == Kind::kFunction;
      bool result = node.kind == Kind::kResult && node.depth == 0;
      if (!binding && !result && (node.kind != Kind::kParam || is_weight(node))) continue;
      if (drawn_.size() >= most) {
        complete_ = false;
        return;
      }
      box_of[i] = folded ? add(fold_of(*next)) : result ? add({.head = "return", .name = "", .type = type_text(tree_.fn->ret_ty), .tip = "what the function returns", .look = {"none", "value"}, .parts = {}, .line = {}, .fold = false}) : add(drawn_of(i));
      join_uses(i, box_of);
      if (node.kind == Kind::kIf || node.kind == Kind::kFunction) inside = i;
    }
  }

  void join_uses(size_t node, const std::vector<size_t>& box_of) {
    for (size_t used : tree_.nodes[node].uses) {
      size_t from = box_of[used], to = box_of[node];
      if (from != kNone && to != kNone && from < to) joined_.insert({from, to});
    }
  }

  Drawn fold_of(const Repeat& repeat) const {
    size_t last = repeat.begin + repeat.period * repeat.times - 1;
    std::string end(tree_.nodes[last].var->name);
    return {.head = fmt::format("the same {} times more", repeat.times - 1),
            .name = "",
            .type = fmt::format("{} bindings, to `{}`", repeat.period * (repeat.times - 1), end),
            .tip = fmt::format("{} bindings above that say the same, {} times more; `:tree --all` shows them", repeat.period,
                               repeat.times - 1),
            .look = {"none", "value"},
            .parts = {},
            .line = {},
            .fold = true};
  }

  Drawn drawn_of(size_t i) const {
    const GraphTree::Node& node = tree_.nodes[i];
    std::string name(node.var->name), type = type_text(node.var->ty);
    Drawn drawn{.head = node.kind == Kind::kParam ? name : node.callee.empty() ? node.what : node.callee,
                .name = node.kind == Kind::kParam ? "" : name,
                .type = type,
                .tip = fmt::format("{} = {}\n{}\n{}", name, node.kind == Kind::kParam ? "a parameter" : call_text(node), type, looks_[i].word),
                .look = looks_[i],
                .parts = {},
                .line = {},
                .fold = false};
    if (node.inplace) drawn.tip += ", in place";
    if (auto line = lines_.find(name); line != lines_.end() && node.kind != Kind::kParam) drawn.line = line->second;
    if (node.kind == Kind::kIf || node.kind == Kind::kFunction) {
      size_t count = 0;
      for (size_t j = i + 1; j < tree_.nodes.size() && tree_.nodes[j].depth > node.depth; ++j)
        count += tree_.nodes[j].kind == Kind::kBinding ? 1 : 0;
      drawn.head = node.kind == Kind::kIf ? call_text(node) : "function";
      drawn.tip += fmt::format("\n{} bindings inside; `:tree` shows them", count);
    }
    drawn.parts = parts_of(node);
    return drawn;
  }

  // What a group computes: the calls of the graph that FuseOps has made, or the blocks of the function that FuseTIR has.
  std::vector<Part> parts_of(const GraphTree::Node& node) const {
    ir::GlobalVar callee = node.callee.empty() ? ir::GlobalVar(nullptr) : mod_->find(node.callee);
    if (!callee) return {};
    ir::Any fn = mod_->functions.at(callee);
    std::vector<Part> parts;
    if (auto graph = fn.as<relax::Function>(); graph && ir::has_flag(*graph, "Primitive")) {
      GraphTree body = transform::graph_tree(node.callee, *graph, mod_, plain_text);
      for (const GraphTree::Node& each : body.nodes) {
        if (each.kind != Kind::kBinding || (each.callee.empty() && each.nature == Nature::kPlain)) continue;
        ir::GlobalVar called = each.callee.empty() ? ir::GlobalVar(nullptr) : mod_->find(each.callee);
        auto tensor = called ? ir::Any(mod_->functions.at(called)).as<ir::PrimFunc>() : std::nullopt;
        parts.push_back({each.callee.empty() ? each.what : each.callee, tensor ? look_of(transform::op_pattern(*tensor)) : kOperator});
      }
    } else if (auto tensor = fn.as<ir::PrimFunc>()) {
      std::vector<std::string> blocks = blocks_of(*tensor);
      if (blocks.size() < 2) return {};
      for (std::string& block : blocks) parts.push_back({std::move(block), {"none", ""}});
    }
    if (parts.size() > kMostParts) {
      size_t left = parts.size() - kMostParts + 1;
      parts.resize(kMostParts - 1);
      parts.push_back({fmt::format("{} more", left), {"none", ""}});
    }
    return parts;
  }

  void draw_box(const Drawn& drawn, const LayeredLayout::Box& box, double left, double top) {
    double x = left + box.x, y = top + box.y;
    svg_.open(fmt::format("hit {}", drawn.look.style), {.tip = drawn.tip, .line = drawn.line, .group = fmt::format("{}.{}", tree_.function, drawn.name)});
    svg_.rect(x, y, box.width, box.height, "under", 6);
    svg_.rect(x, y, box.width, box.height, drawn.fold ? "box fold" : "box", 6);
    constexpr size_t kFits = 29;  // characters of 12 pixels, in the box
    size_t name = std::min<size_t>(characters_of(drawn.name), 10);
    svg_.text(x + 9, y + 15, shortened(drawn.head, kFits - (name == 0 ? 0 : name + 2)), "strong");
    if (name > 0) svg_.text(x + box.width - 9, y + 15, shortened(drawn.name, 10), "soft", Svg::Anchor::kEnd);
    double at = y + kHead;
    for (const Part& part : drawn.parts) {
      svg_.open(part.look.style);
      svg_.rect(x + 10, at + 3, 9, 9, "tinted", 2);
      svg_.close();
      svg_.text(x + 26, at + 12, shortened(part.text, kFits - 4));
      at += kLine;
    }
    std::string_view word = drawn.fold || drawn.look.style == "none" ? "" : drawn.look.word;
    svg_.text(x + 9, at + 12, shortened(drawn.type, 32 - (word.empty() ? 0 : word.size() + 1)), "small");
    if (!word.empty()) svg_.text(x + box.width - 9, at + 12, word, "kind", Svg::Anchor::kEnd);
    svg_.close();
  }

  void draw_edge(const LayeredLayout::Edge& edge, double left, double top) {
    std::string data = fmt::format("M{} {}", coordinate(left + edge.bends[0].x), coordinate(top + edge.bends[0].y));
    for (size_t i = 1; i < edge.bends.size(); ++i) {
      const auto &from = edge.bends[i - 1], &to = edge.bends[i];
      double middle = (from.y + to.y) / 2;
      if (from.x == to.x) {
        data += fmt::format("L{} {}", coordinate(left + to.x), coordinate(top + to.y));
      } else {
        data += fmt::format("C{} {} {} {} {} {}", coordinate(left + from.x), coordinate(top + middle), coordinate(left + to.x),
                            coordinate(top + middle), coordinate(left + to.x), coordinate(top + to.y));
      }
    }
    svg_.path(data, "edge");
  }

  static constexpr size_t kNone = static_cast<size_t>(-1);
  Svg& svg_;
  const GraphTree& tree_;
  const ir::IRModule& mod_;
  std::vector<Look> looks_;
  std::map<std::string, size_t> lines_;
  std::vector<Drawn> drawn_;
  std::set<std::pair<size_t, size_t>> joined_;
  std::set<std::pair<std::string_view, std::string_view>> used_;
  LayeredLayout layout_;
  bool complete_ = true;
};

}  // namespace
}  // namespace graph_plots

Plot graph_plot(const Subject& subject, const std::string& title, std::string program, ir::Host& host) {
  using graph_plots::GraphDrawing;
  using graph_plots::kMargin;
  std::vector<transform::GraphTree> trees = graph_trees_of(subject);
  if (trees.empty())
    throw CallError{subject.function.empty() ? fmt::format("`{}` has no graph", subject.name) : fmt::format("`{}` is no graph", subject.function),
                    "`:plot nest` draws loops"};
  if (subject.function.empty())  // groups are drawn where they are called
    std::erase_if(trees, [](const transform::GraphTree& tree) { return ir::has_flag(tree.fn, "Primitive"); });
  graph_plots::Looks looks(subject.mod, host);
  std::vector<std::string> lines = lines_of(program);
  Plot plot{.title = fmt::format("{}: graph", title),
            .caption = "A box is a call, from top to bottom: what it calls, its variable, and its result. A line leads to who "
                       "uses it. Boxes with lines inside are groups that are computed together."};
  Svg& svg = plot.drawing;
  std::vector<GraphDrawing> drawings;
  size_t left = graph_plots::kMostBoxes, missing = 0;
  double width = graph_plots::kWidth;
  std::set<std::pair<std::string_view, std::string_view>> used;
  for (const transform::GraphTree& tree : trees) {
    if (left == 0) {
      ++missing;
      continue;
    }
    drawings.emplace_back(svg, tree, subject.mod, looks, lines, left);
    left -= drawings.back().shown();
    width = std::max(width, drawings.back().width() + 2 * kMargin);
    used.insert(drawings.back().used().begin(), drawings.back().used().end());
  }
  svg.text(kMargin, 30, plot.title, "h1");
  double x = kMargin, y = 58;
  for (const auto& [style, word] : used) {
    if (style == "none") continue;
    x += svg.chip(x, y, word, style) + 8;
  }
  y += 20;
  bool complete = missing == 0;
  for (GraphDrawing& drawing : drawings) {
    y = drawing.draw(y, width) + 30;
    complete = complete && drawing.complete();
  }
  if (!complete) {
    svg.text(kMargin, y, fmt::format("The first {} boxes; `:plot graph NAME.function` draws one graph, `:tree` shows all bindings.", graph_plots::kMostBoxes), "note");
    y += 24;
  }
  svg.width = width;
  svg.height = y;
  plot.source = std::move(program);
  return plot;
}

}  // namespace mlc::repl
