// SPDX-License-Identifier: Apache-2.0
// For passes of graphs (pass/relax) and what they share (transform/graph). What both languages call alike is named
// in full: relax::op, relax::Rewriter, relax::substitute, relax::post_order.
#pragma once

#include "ir/relax/infer.h"
#include "ir/relax/normalize.h"
#include "ir/relax/visit.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

using namespace mlc::relax;  // NOLINT: the nodes are the language of these folders

// The nodes and types of both languages that share a name.
using relax::FuncType;
using relax::FuncTypeNode;

}  // namespace mlc::transform
