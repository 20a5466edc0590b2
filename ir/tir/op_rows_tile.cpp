// SPDX-License-Identifier: Apache-2.0
// Operators on tiles (TilePrimitiveCall): printed after the scope that works on them, `T.cta.copy`.
#include "ir/tir/op.h"

namespace mlc::ir {
namespace {

// clang-format off
#define TILE(name) {"tirx.tile." name, name, -1, Effect::kOpaque}
constexpr OpRow tile_table[] = {
    TILE("add"), TILE("binary_chain"), TILE("binary_reduce"), TILE("cast"), TILE("copy"),
    TILE("copy_async"), TILE("exp"), TILE("exp2"), TILE("fdiv"), TILE("fill"), TILE("fma"), TILE("gemm"),
    TILE("gemm_async"), TILE("log2"), TILE("max"), TILE("maximum"), TILE("memset"), TILE("min"),
    TILE("minimum"), TILE("mul"), TILE("permute_layout"), TILE("reciprocal"), TILE("reduce_negate"),
    TILE("select"), TILE("silu"), TILE("sqrt"), TILE("sub"), TILE("sum"), TILE("unary_reduce"),
    TILE("zero"),
};
#undef TILE
// clang-format on

}  // namespace

std::span<const OpRow> tile_op_rows() { return tile_table; }

}  // namespace mlc::ir
