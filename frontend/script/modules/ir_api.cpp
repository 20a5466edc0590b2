// SPDX-License-Identifier: Apache-2.0
// tvm.ir: comparing, hashing and saving IR, for every kind of node.
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>

#include "frontend/script/core/ir_values.h"
#include "frontend/script/numpy/array.h"
#include "ir/core/expr.h"
#include "ir/core/freeze.h"
#include "ir/core/module.h"
#include "ir/relax/expr.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

const ApiRow ir_api_table[] = {
    {ApiKind::kFunction, "tvm.ir",
     "structural_equal(lhs, rhs, map_free_vars=False, skip_tensor_content=False)",
     "Are the two the same up to the names of bound variables?",
     native([](Any a, Any b, bool map_free, bool skip) {
       return ffi::StructuralEqual::Equal(ir::freeze(a), ir::freeze(b), map_free, skip);
     })},
    {ApiKind::kFunction, "tvm.ir", "structural_hash(node, map_free_vars=False, skip_tensor_content=False)",
     "A hash that is equal for structurally equal nodes.", native([](Any node, bool map_free, bool skip) {
       return static_cast<int64_t>(ffi::StructuralHash::Hash(ir::freeze(node), map_free, skip));
     })},
    {ApiKind::kFunction, "tvm.ir", "save_json(node)", "The node as JSON text.",
     native([](Any node) { return str_value(ir::save_json(ir::freeze(node))); })},
    {ApiKind::kFunction, "tvm.ir", "load_json(json_str)", "The node that save_json wrote.",
     native([](std::string text) { return ir::load_json(text); })},
    {ApiKind::kValue, "tvm_ffi", "__version__", "The version of tvm-ffi whose names these are.",
     [](ApiCall&) -> Any { return str_value("0.1.14"); }},
    {ApiKind::kValue, "tvm", "__version__", "The version of TVM whose names and printing these are.",
     [](ApiCall&) -> Any { return str_value("0.27.0"); }},
};

}  // namespace

std::span<const ir::ApiRow> ir_rows() { return ir_api_table; }

std::optional<bool> ir_truth(const Any& value) {
  if (auto* constant = value.as<ir::IntImmNode>()) return constant->value != 0;
  if (auto* equal = value.as<ir::EQNode>()) return equal->a.same_as(equal->b);
  if (auto* differ = value.as<ir::NENode>()) return !differ->a.same_as(differ->b);
  // What no operator of scalars takes is there or not, like any object.
  bool is_thing = value.as<ir::GlobalVarNode>() != nullptr || value.as<ir::BaseFuncNode>() != nullptr ||
                  value.as<ir::OpNode>() != nullptr || value.as<ir::TensorRegionNode>() != nullptr ||
                  value.as<relax::GenericConstNode>() != nullptr ||
                  value.as<relax::ShapeExprNode>() != nullptr;
  if (is_thing) return true;
  return std::nullopt;
}

}  // namespace mlc::script
