// SPDX-License-Identifier: Apache-2.0
#include "repl/report/nest.h"

#include <algorithm>
#include <cmath>

#include "frontend/print/print.h"
#include "ir/tir/op.h"
#include "repl/session/line_diff.h"
#include "repl/shell/source.h"
#include "transform/analysis/loop_tree.h"

namespace mlc::repl {

namespace {

using transform::LoopTree;
using Kind = LoopTree::Kind;

constexpr size_t kMostNodes = 200;
constexpr size_t kNone = std::string::npos;

std::string ir_text(const ir::Any& value) { return print::text_of(value); }
std::string ir_text(const ir::Expr& e) { return print::text_of(ir::Any(e)); }

// The bytes of a region, where its extents are numbers.
std::optional<double> region_bytes(const ir::TensorRegion& region) {
  ir::DataType type = region->source->buffer()->dtype;
  double bytes = type.bits() * std::max(type.lanes(), 1) / 8.0;
  for (const ir::Range& range : region->region) {
    auto extent = ir::const_int(range->extent);
    if (!extent) return std::nullopt;
    bytes *= static_cast<double>(*extent);
  }
  return bytes;
}

// For each node the line of `program` that shows it, kNone where none does. Loops are found by the order of
// the `for` lines of their function, each of which may show several (T.grid), and blocks by that of their
// `with` lines.
std::vector<size_t> lines_of_nodes(const LoopTree& tree, const std::vector<std::string>& program) {
  std::vector<size_t> loops, blocks;
  size_t at = 0;
  while (at < program.size() && program[at].find(fmt::format("def {}(", tree.function)) == kNone) ++at;
  for (++at; at < program.size(); ++at) {
    std::string_view line = program[at];
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("def ")) break;
    if (line.starts_with("for ")) {
      std::string_view targets = line.substr(0, line.find(" in "));
      loops.insert(loops.end(), static_cast<size_t>(std::ranges::count(targets, ',')) + 1, at + 1);
    } else if (line.starts_with("with T.sblock(") && !line.starts_with("with T.sblock(\"root\")")) {
      blocks.push_back(at + 1);
    }
  }
  auto count = [&](Kind kind) {
    return static_cast<size_t>(std::ranges::count(tree.nodes, kind, &LoopTree::Node::kind));
  };
  std::vector<size_t> lines(tree.nodes.size(), kNone);
  if (loops.size() != count(Kind::kLoop) || blocks.size() != count(Kind::kBlock)) return lines;
  size_t loop = 0, block = 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].kind == Kind::kLoop) lines[i] = loops[loop++];
    if (tree.nodes[i].kind == Kind::kBlock) lines[i] = blocks[block++];
  }
  return lines;
}

class NestDrawing {
 public:
  static constexpr double kWidth = 900, kMargin = 18;

  // `cost`: nothing where it cannot be counted.
  NestDrawing(Svg& svg, const LoopTree& tree, std::optional<transform::FunctionCost> cost,
              std::vector<size_t> lines, size_t most)
      : svg_(svg),
        tree_(tree),
        cost_(std::move(cost)),
        lines_(std::move(lines)),
        children_(tree.nodes.size()) {
    shown_ = std::min(most, tree.nodes.size());
    for (size_t i = 0; i < shown_; ++i) {
      auto parent = tree.parent_of(i);
      (parent ? children_[*parent] : roots_).push_back(i);
    }
  }

  size_t shown() const { return shown_; }

  // From `y` down; returns where it ends.
  double draw(double y) {
    svg_.text(kMargin, y + 14, tree_.function, "h2");
    auto allocated = tree_.allocated();
    std::string memory;
    for (const auto& [scope, bytes] : allocated)
      memory += fmt::format("{}{} {}", memory.empty() ? "allocates " : ", ",
                            bytes_text(static_cast<double>(bytes)), scope);
    svg_.text(kWidth - kMargin, y + 14, memory, "note", Svg::Anchor::kEnd);
    y = draw_buffers(y + 26);
    for (size_t root : roots_) {
      draw_node(root, kMargin, y, kWidth - 2 * kMargin);
      y += height_of(root) + kGap;
    }
    return y;
  }

 private:
  static constexpr double kHeader = 28, kRow = 20, kPad = 9, kGap = 6;
  static constexpr size_t kMostBuffers = 14;

  static std::string hue(size_t buffer) { return fmt::format("b{}", buffer % 6); }
  std::string group(size_t buffer) const { return fmt::format("{}#{}", tree_.function, buffer); }

  const transform::BufferCost* cost_of(const LoopTree::Buffer& buffer) const {
    if (!cost_) return nullptr;
    auto found = std::ranges::find_if(cost_->buffers,
                                      [&](const auto& each) { return each.buffer.same_as(buffer.buffer); });
    return found == cost_->buffers.end() ? nullptr : &*found;
  }

  double draw_buffers(double y) {
    constexpr double kShape = 150, kScope = 372, kBar = 452, kBarWidth = 130, kSize = 672, kAccessed = 770;
    double right = kWidth - 2 * kMargin - 8;
    int64_t largest = 1;
    for (const auto& buffer : tree_.buffers) largest = std::max(largest, buffer.bytes.value_or(0));
    size_t rows = std::min(tree_.buffers.size(), kMostBuffers);
    if (rows > 0) {
      auto head = [&](double x, std::string_view text, Svg::Anchor anchor) {
        svg_.text(kMargin + x, y + 10, text, "small", anchor);
      };
      head(24, "buffer", Svg::Anchor::kStart);
      head(kSize, "size", Svg::Anchor::kEnd);
      if (cost_) head(kAccessed, "accessed", Svg::Anchor::kEnd);
      if (cost_) head(right, "reuse", Svg::Anchor::kEnd);
      y += 16;
    }
    for (size_t i = 0; i < rows; ++i) {
      const LoopTree::Buffer& buffer = tree_.buffers[i];
      const transform::BufferCost* cost = cost_of(buffer);
      std::string tip =
          fmt::format("{}: {}\n{}, {}", buffer.name, shape_text(buffer.buffer),
                      buffer.is_parameter ? "parameter" : "allocated in " + buffer.scope + " memory",
                      buffer.bytes ? bytes_text(static_cast<double>(*buffer.bytes)) : "of symbolic size");
      if (cost != nullptr)
        tip += fmt::format("\nloads {}, stores {}; of {} that are different", bytes_text(cost->loads),
                           bytes_text(cost->stores), bytes_text(cost->touched));
      svg_.open("hit " + hue(i), {.tip = tip, .group = group(i)});
      svg_.rect(kMargin, y, kWidth - 2 * kMargin, kRow - 2, "bed", 4);
      svg_.rect(kMargin + 6, y + 4, 10, 10, "tinted", 2);
      svg_.text(kMargin + 24, y + 13, shortened(buffer.name, 16), "strong");
      svg_.text(kMargin + kShape, y + 13, shortened(shape_text(buffer.buffer), 29), "soft");
      svg_.text(kMargin + kScope, y + 13, buffer.is_parameter ? "parameter" : shortened(buffer.scope, 10),
                "soft");
      if (buffer.bytes) {
        double share = static_cast<double>(*buffer.bytes) / static_cast<double>(largest);
        svg_.rect(kMargin + kBar, y + 5, std::max(1.5, kBarWidth * share), 8, "bar", 2);
      }
      auto number = [&](double x, const std::string& text) {
        svg_.text(kMargin + x, y + 13, text, "", Svg::Anchor::kEnd);
      };
      number(kSize, buffer.bytes ? bytes_text(static_cast<double>(*buffer.bytes)) : "symbolic");
      if (cost != nullptr) {
        number(kAccessed, bytes_text(cost->loads + cost->stores));
        number(right, fmt::format("{}\xc3\x97", cost->reuse() < 100 ? fmt::format("{:.3g}", cost->reuse())
                                                                    : count_text(std::round(cost->reuse()))));
      }
      svg_.close();
      y += kRow;
    }
    if (rows < tree_.buffers.size()) {
      svg_.text(kMargin + 24, y + 13, fmt::format("and {} more buffers", tree_.buffers.size() - rows),
                "soft");
      y += kRow;
    }
    return y + (rows > 0 ? 8 : 0);
  }

  double height_of(size_t index) const {
    const LoopTree::Node& node = tree_.nodes[index];
    double height = kHeader + kRow * static_cast<double>(rows_of(node).size());
    for (size_t child : children_[index]) height += height_of(child) + kGap;
    return height + (!children_[index].empty() ? kPad - kGap : rows_of(node).empty() ? 0 : 3);
  }

  struct Row {
    std::string label, text;
    size_t buffer = kNone;
  };
  size_t index_of(const ir::Buffer& buffer) const {
    for (size_t i = 0; i < tree_.buffers.size(); ++i)
      if (tree_.buffers[i].buffer.get() == buffer.get()) return i;
    return kNone;
  }
  std::vector<Row> rows_of(const LoopTree::Node& node) const {
    std::vector<Row> rows;
    for (size_t each : node.allocates) {
      const LoopTree::Buffer& buffer = tree_.buffers[each];
      rows.push_back({"allocates",
                      fmt::format("{}  {}  {}", buffer.name, shape_text(buffer.buffer), buffer.scope), each});
    }
    auto add = [&](const ir::Array<ir::TensorRegion>& regions, std::string_view label) {
      for (const ir::TensorRegion& region : regions) {
        auto bytes = region_bytes(region);
        rows.push_back({std::string(label),
                        fmt::format("{}{}", ir_text(ir::Any(region)), bytes ? "  " + bytes_text(*bytes) : ""),
                        index_of(region->source)});
      }
    };
    add(node.reads, "reads");
    add(node.writes, "writes");
    return rows;
  }

  // Its class, what it says first, its name, what follows, and the chip.
  struct Header {
    std::string style, word, name, rest, chip, tip;
  };
  Header header_of(const LoopTree::Node& node) const {
    auto extent = [&] {
      return node.iterations ? count_text(static_cast<double>(*node.iterations)) : ir_text(node.extent);
    };
    std::string condition = node.condition ? ir_text(node.condition) : "";
    switch (node.kind) {
      case Kind::kLoop:
      case Kind::kThreads: {
        std::string kind = node.kind == Kind::kThreads ? node.thread : transform::kind_of(node);
        static constexpr std::string_view styles[] = {"serial", "parallel", "vectorized", "unrolled",
                                                      "thread"};
        std::string style(node.kind == Kind::kThreads ? "thread"
                                                      : styles[static_cast<size_t>(node.loop_kind)]);
        std::string tip =
            fmt::format("loop {}: {} iterations{}{}", node.name, extent(), kind.empty() ? "" : ", ", kind);
        for (const auto& [key, value] : node.annotations)
          tip += fmt::format("\n{} = {}", std::string_view(key.data(), key.size()),
                             shortened(ir_text(value), 80));
        return {style, "for", node.name, extent(), kind, tip};
      }
      case Kind::kBlock: {
        std::string tip = fmt::format("block {}", node.name);
        for (size_t i = 0; i < node.iters.size() && i < node.values.size(); ++i)
          tip += fmt::format("\n{} = {}", std::string(node.iters[i]->var->name),
                             shortened(ir_text(node.values[i]), 90));
        if (!condition.empty()) tip += fmt::format("\nwhere {}", shortened(condition, 120));
        return {"block",
                "block",
                node.name,
                condition.empty() ? "" : "where " + condition,
                transform::iterator_kinds(node.iters),
                tip};
      }
      case Kind::kInit:
        return {"branch", "init", "", "", "", "before the first step of the reduction"};
      case Kind::kBranch:
        return {"branch", "if", "", condition, "", "if " + shortened(condition, 300)};
      case Kind::kElse:
        return {"branch", "else", "", "", "", ""};
      case Kind::kWhile:
        return {"branch", "while", "", condition, "", "while " + shortened(condition, 300)};
      case Kind::kStore:
        return {"serial", "store", node.name, "", "", "a store to " + node.name + " in no block"};
      case Kind::kCall: {
        std::string text = first_line_of(node.stmt);
        return {"serial", "call", "", text, "", text};
      }
    }
    return {};
  }
  static std::string first_line_of(const ir::Stmt& stmt) {
    std::string text = print::text_of(ir::Any(stmt));
    return shortened(std::string_view(text).substr(0, text.find('\n')), 200);
  }

  void draw_node(size_t index, double x, double y, double width) {
    const LoopTree::Node& node = tree_.nodes[index];
    Header header = header_of(node);
    Svg::Meaning meaning{.tip = header.tip};
    if (lines_[index] != kNone) meaning.line = lines_[index];
    if (node.runs)
      meaning.tip += fmt::format("\nruns {} {}", count_text(*node.runs), *node.runs == 1 ? "time" : "times");
    svg_.open("hit " + header.style, meaning);
    svg_.rect(x, y, width, height_of(index), "under", 6);  // what is around would show through
    svg_.rect(x, y, width, height_of(index), "box", 6);
    double at = x + 10, baseline = y + 18;
    svg_.text(at, baseline, header.word, "tinted");
    at += mono_width(header.word) + 7;
    // The right end belongs to the count, the chip stands before it.
    double right = x + width - 10;
    std::string runs = node.runs ? fmt::format("\xc3\x97 {}", count_text(*node.runs)) : "";
    svg_.text(right, baseline, runs, "small", Svg::Anchor::kEnd);
    right -= std::max(mono_width(runs, 11), 64.0) + 10;
    size_t room = static_cast<size_t>(std::max(4.0, (right - at) / mono_width("0")));
    std::string name = shortened(header.name, room);
    svg_.text(at, baseline, name, "strong");
    at += mono_width(name) + (name.empty() ? 0 : 9);
    if (!header.chip.empty()) {
      bool fits = at + mono_width(header.chip, 11) + 12 < right;
      if (fits && node.kind == Kind::kBlock) at += svg_.chip(at, baseline - 0.5, header.chip, "ink") + 9;
    }
    double chip_width =
        header.chip.empty() || node.kind == Kind::kBlock ? 0 : mono_width(header.chip, 11) + 12;
    if (!header.rest.empty()) {
      room = static_cast<size_t>(std::max(0.0, (right - at - chip_width - 8) / mono_width("0")));
      if (room >= 3) {
        std::string rest = shortened(header.rest, room);
        svg_.text(at, baseline, rest, node.kind == Kind::kLoop || node.kind == Kind::kThreads ? "" : "soft");
        at += mono_width(rest) + 10;
      }
    }
    if (chip_width > 0 && at + chip_width < right) svg_.chip(at, baseline - 0.5, header.chip, header.style);
    double next = y + kHeader;
    for (const Row& row : rows_of(node)) {
      bool known = row.buffer != kNone;
      svg_.open(known ? "hit " + hue(row.buffer) : "hit none",
                {.tip = fmt::format("{} {}", row.label, shortened(row.text, 300)),
                 .group = known ? group(row.buffer) : ""});
      svg_.rect(x + 8, next - 3, width - 16, kRow - 2, "bed", 4);
      svg_.rect(x + 14, next + 1.5, 9, 9, "tinted", 2);
      svg_.text(x + 30, next + 10, row.label, "small");
      room = static_cast<size_t>(std::max(4.0, (width - 130) / mono_width("0")));
      svg_.text(x + 100, next + 10, shortened(row.text, room));
      svg_.close();
      next += kRow;
    }
    for (size_t child : children_[index]) {
      draw_node(child, x + kPad, next, width - 2 * kPad);
      next += height_of(child) + kGap;
    }
    svg_.close();
  }

  Svg& svg_;
  const LoopTree& tree_;
  std::optional<transform::FunctionCost> cost_;
  std::vector<size_t> lines_;
  std::vector<std::vector<size_t>> children_;
  std::vector<size_t> roots_;
  size_t shown_ = 0;
};

}  // namespace

std::optional<transform::FunctionCost> counted_cost(const ir::IRModule& mod, const std::string& function,
                                                    const std::vector<transform::MemoryLevel>& levels) {
  auto fn = ir::Any(mod->lookup(function)).as<ir::PrimFunc>();
  MLC_CHECK(fn.has_value(), "`{}` has loops and is no function of TIR", function);
  try {
    return transform::cost_of(function, *fn, levels);
  } catch (const ir::Error& error) {
    if (error.first().name != "symbolic-extent") throw;
    return std::nullopt;
  }
}

std::string shape_text(const ir::Buffer& buffer) {
  std::string dims;
  for (const ir::Expr& extent : buffer->buffer()->shape)
    dims += (dims.empty() ? "" : " \xc3\x97 ") + ir_text(extent);
  return fmt::format("{} {}", ir::DataType(buffer->buffer()->dtype).str(), dims.empty() ? "scalar" : dims);
}

Plot nest_plot(const ir::IRModule& mod, const std::string& name, std::string program) {
  std::vector<LoopTree> trees = transform::loop_trees(mod);
  if (trees.empty())
    throw CallError{fmt::format("`{}` has no function of TIR, and so no loops", name),
                    "`:show` shows what is bound"};
  Plot plot{
      .title = fmt::format("Loop nest of {}", name),
      .caption =
          "A box is a loop, a block or a branch, and holds what runs inside of it; \xc3\x97 says how often. "
          "Colours of loops: parallel, vectorized, unrolled, bound to threads; those of buffers are their "
          "own.",
      .source = std::move(program)};
  std::vector<std::string> lines = lines_of(plot.source);
  Svg& svg = plot.drawing;
  svg.width = NestDrawing::kWidth;
  double y = NestDrawing::kMargin;
  size_t left = kMostNodes, missing = 0;
  for (const LoopTree& tree : trees) {
    if (left == 0) {
      missing += tree.nodes.size();
      continue;
    }
    NestDrawing drawing(svg, tree, counted_cost(mod, tree.function, {}), lines_of_nodes(tree, lines), left);
    y = drawing.draw(y) + 14;
    left -= drawing.shown();
    missing += tree.nodes.size() - drawing.shown();
  }
  if (missing > 0) {
    svg.text(NestDrawing::kMargin, y + 8, fmt::format("{} more loops and blocks are not drawn", missing),
             "note");
    y += 24;
  }
  svg.height = y;
  return plot;
}

}  // namespace mlc::repl
