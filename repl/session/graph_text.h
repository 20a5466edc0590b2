// SPDX-License-Identifier: Apache-2.0
// Graphs as text for people: bindings in columns.
#pragma once

#include <string>

#include "repl/session/subject.h"
#include "transform/analysis/graph_tree.h"

namespace mlc::repl {

struct GraphTextOptions {
  bool all = false;  // layers that repeat, too
  size_t width = 0;  // 0: nothing limits it
  bool coloured = false;
};
// The graphs that a subject is about, and what tensor functions they call; "" where it has none.
std::string graph_trees(const Subject& subject, const GraphTextOptions& options);

// Graphs of a subject in the order of their names, those that can be called from outside first.
std::vector<transform::GraphTree> graph_trees_of(const Subject& subject);

// Expressions without the types of their numbers: "n * 4".
std::string plain_text(const ir::Any& value);
// "float32(n, 8)".
std::string type_text(const ir::Type& type);
// "matmul(x, w)", "fused_matmul_relu(x, w)", "opaque name(x)".
std::string call_text(const transform::GraphTree::Node& node);

}  // namespace mlc::repl
