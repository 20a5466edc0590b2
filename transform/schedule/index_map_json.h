// SPDX-License-Identifier: Apache-2.0
// Index maps in JSON traces: TVM's graph of nodes as text.
#pragma once

#include "ir/core/visit.h"
#include "ir/tir/index_map.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// `{"root_index":8,"nodes":[...],...}`; inputs of steps are written compactly, attributes indented.
// Error: trace-json, for expressions beyond scalar arithmetic and calls.
std::string index_map_json(const IndexMap& map, bool indented);
// The map that such a text holds; null where the text is no such graph.
IndexMap index_map_of_json(const String& text);

}  // namespace mlc::transform
