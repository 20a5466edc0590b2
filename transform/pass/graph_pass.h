// SPDX-License-Identifier: Apache-2.0
// For passes of graphs (pass/relax) and what they share (transform/graph). What both languages call alike is
// named in full: relax::op, relax::Rewriter, relax::substitute, relax::post_order.
#pragma once

#include "ir/relax/infer.h"
#include "ir/relax/normalize.h"
#include "ir/relax/visit.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

using namespace mlc::relax;  // NOLINT: the nodes are the language of these folders

// A pass of `tvm.relax.transform` on every function of graphs, and one on a whole module.
constexpr Pass graph_pass(std::string_view name, std::string_view signature, std::string_view doc,
                          GraphPass apply) {
  return {name, "relax.transform", signature, doc, nullptr, nullptr, {}, {}, nullptr, apply};
}
constexpr Pass graph_module_pass(std::string_view name, std::string_view signature, std::string_view doc,
                                 WholePass apply) {
  return {name, "relax.transform", signature, doc, nullptr, apply};
}

// One that a sequence leaves out at level 0, as TVM's.
constexpr Pass of_first_level(Pass pass) {
  pass.level = 1;
  return pass;
}

// The nodes and types of both languages that share a name.
using relax::FuncType;
using relax::FuncTypeNode;

}  // namespace mlc::transform
