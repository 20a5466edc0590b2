// SPDX-License-Identifier: Apache-2.0
#include "repl/session/nest_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/print/print.h"
#include "repl/session/table.h"
#include "repl/terminal/glyphs.h"
#include "transform/analysis/loop_tree.h"

namespace mlc::repl {
namespace {

using transform::LoopTree;
using Kind = LoopTree::Kind;

constexpr size_t kNarrow = 100;  // columns

std::string text_of(const ir::Any& value) { return print::text_of(value); }

std::string regions(const ir::Array<ir::TensorRegion>& all) {
  std::vector<std::string> texts;
  for (const ir::TensorRegion& each : all) texts.push_back(text_of(ir::Any(each)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string first_column(const LoopTree::Node& node) {
  std::string indent(2 * (node.depth + 1), ' ');
  switch (node.kind) {
    case Kind::kLoop:
    case Kind::kThreads:
      return indent + node.name +
             (node.begin && !ir::is_const_int(node.begin, 0)
                  ? fmt::format(" from {}", text_of(ir::Any(node.begin)))
                  : "");
    case Kind::kBlock:
      return fmt::format("{}[{}]{}{}", indent, node.name, node.iters.empty() ? "" : " ",
                         transform::iterator_kinds(node.iters));
    case Kind::kInit:
      return indent + "init";
    case Kind::kBranch:
      return fmt::format("{}if {}", indent, text_of(ir::Any(node.condition)));
    case Kind::kElse:
      return indent + "else";
    case Kind::kWhile:
      return fmt::format("{}while {}", indent, text_of(ir::Any(node.condition)));
    case Kind::kStore: {
      const ir::BufferStoreNode& store = *ir::as<ir::BufferStoreNode>(node.stmt);
      std::vector<std::string> indices;
      for (const ir::Expr& index : store.indices) indices.push_back(text_of(ir::Any(index)));
      return fmt::format("{}{}[{}] = ...", indent, node.name, fmt::join(indices, ", "));
    }
    case Kind::kCall: {
      std::string text = text_of(ir::Any(ir::as<ir::EvaluateNode>(node.stmt)->value));
      return indent + text.substr(0, text.find('\n'));
    }
  }
  return indent;
}

// What else is said of a loop or block.
std::string notes(const LoopTree::Node& node) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : node.annotations)
    parts.push_back(fmt::format("{} = {}", std::string(key), text_of(value)));
  if (node.kind == Kind::kBlock && node.condition)
    parts.push_back("where " + text_of(ir::Any(node.condition)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// On a narrow screen what blocks access stands below them.
void add_nest(Table& table, const LoopTree& tree, bool narrow) {
  table.add({{tree.function, colour::kName},
             {tree.nodes.empty() ? "" : "extent", colour::kQuiet, true},
             {tree.nodes.empty() ? "" : "runs", colour::kQuiet, true},
             {""},
             {""}});
  for (const LoopTree::Node& node : tree.nodes) {
    bool is_loop = node.kind == Kind::kLoop || node.kind == Kind::kThreads;
    if (!is_loop && node.kind != Kind::kBlock) {  // a condition or an index may be long: it widens no column
      table.add({{first_column(node)}});
      continue;
    }
    std::string runs = node.runs ? count_text(*node.runs) : "";
    std::string extent = is_loop ? text_of(ir::Any(node.extent)) : "";
    if (node.iterations && is_loop) extent = count_text(static_cast<double>(*node.iterations));
    Cell last{notes(node), colour::kQuiet};
    if (node.kind == Kind::kBlock && !(node.reads.empty() && node.writes.empty())) {
      std::string accesses = fmt::format("{} <- {}", node.writes.empty() ? "nothing" : regions(node.writes),
                                         node.reads.empty() ? "nothing" : regions(node.reads));
      last = {last.text.empty() ? accesses : fmt::format("{}  {}", accesses, last.text)};
    }
    table.add({{first_column(node), is_loop ? print::Role::kPlain : colour::kBlock},
               {extent, {}, true},
               {runs, {}, true},
               {is_loop ? transform::kind_of(node) : "", colour::kKind},
               narrow && !is_loop ? Cell() : last});
    if (narrow && !is_loop && !last.text.empty())
      table.add({{std::string(2 * (node.depth + 2), ' ') + last.text}});
    for (size_t each : node.allocates) {
      const LoopTree::Buffer& buffer = tree.buffers[each];
      table.add({{fmt::format("{}{}: {} of {}", std::string(2 * (node.depth + 2), ' '), buffer.name,
                              buffer.bytes ? bytes_text(static_cast<double>(*buffer.bytes)) : "memory",
                              buffer.scope),
                  colour::kQuiet}});
    }
  }
}

void add_buffers(Table& table, const LoopTree& tree) {
  for (const LoopTree::Buffer& buffer : tree.buffers) {
    const ir::BufferTypeNode* type = buffer.buffer->buffer();
    std::vector<std::string> shape;
    for (const ir::Expr& extent : type->shape) shape.push_back(text_of(ir::Any(extent)));
    table.add({{"  " + buffer.name, colour::kName},
               {fmt::format("{}({})", ir::DataType(type->dtype).str(), fmt::join(shape, ", "))},
               {buffer.bytes ? bytes_text(static_cast<double>(*buffer.bytes)) : "?", {}, true},
               {buffer.scope, colour::kKind},
               {buffer.is_parameter ? "argument" : "allocated", colour::kQuiet}});
  }
}

}  // namespace

std::string loop_nests(const Subject& subject, size_t width, bool coloured) {
  std::string text;
  for (const auto& [name, fn] : functions_of(subject)) {
    LoopTree tree = transform::loop_tree(name, fn);
    Table nest, buffers;
    add_nest(nest, tree, width > 0 && width < kNarrow);
    add_buffers(buffers, tree);
    text += (text.empty() ? "" : "\n") + nest.text(width, coloured);
    if (!buffers.empty()) text += "buffers\n" + buffers.text(width, coloured);
    std::vector<std::string> live;
    for (const auto& [scope, bytes] : tree.allocated())
      live.push_back(fmt::format("{} of {}", bytes_text(static_cast<double>(bytes)), scope));
    if (!live.empty()) text += fmt::format("  allocated at once: {}\n", fmt::join(live, ", "));
  }
  return text;
}

}  // namespace mlc::repl
