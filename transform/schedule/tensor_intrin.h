// SPDX-License-Identifier: Apache-2.0
// Tensor intrinsics: what an instruction of the hardware computes, as a function to recognise and a function to run.
#pragma once

#include "transform/schedule/primitive.h"

namespace mlc::transform {

struct TensorIntrinNode final : ffi::Object {
  PrimFunc desc;  // the computation, as loops and blocks
  PrimFunc impl;  // what stands for it: the same parameters, one block

  TensorIntrinNode(PrimFunc desc, PrimFunc impl) : desc(std::move(desc)), impl(std::move(impl)) {}
  MLC_NODE("mlc.s_tir.TensorIntrin", TensorIntrinNode, ffi::Object);
};
using TensorIntrin = Ref<TensorIntrinNode>;

// The intrinsic of that name. Error: no-such-intrinsic.
TensorIntrin find_intrinsic(const std::string& name, Host& host, Span span);

std::vector<std::string> intrinsic_names();  // of those that are registered

// The block that is a function's whole body; null when it is something else.
const SBlockRealizeNode* only_block(const PrimFunc& fn);

// The function with variables of its own; indices of `index_bits` bits.
PrimFunc renewed(const PrimFunc& fn, int index_bits);

// Where the buffers of a description are in the program it was found in.
struct IntrinMatch {
  std::unordered_map<const VarNode*, Buffer> buffers;                  // by buffer of the description
  std::unordered_map<const VarNode*, std::vector<Expr>> first_points;  // by buffer of the program
};
// Finds the description in a block. Error: tensorize-mismatch, with the first difference.
IntrinMatch match_intrinsic(const SBlockRealize& realize, const TensorIntrin& intrin, const std::string& name,
                            Span span);

}  // namespace mlc::transform
