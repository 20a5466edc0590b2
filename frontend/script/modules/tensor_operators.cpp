// SPDX-License-Identifier: Apache-2.0
// Operators between tensors: `A + B`, `2 * A`, `-A`; each row is the function of its name in
// stdlib/tvm/topi/operators.mlc.
#include "frontend/script/core/machine.h"

namespace mlc::script {

namespace {

Any tensor_operator(ir::ApiCall& call) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  if (evaluator == nullptr) throw ir::Error("unsupported", "{}", "this host runs no programs");
  const ModuleNode* module = evaluator->state().stdlib_part("tvm.topi.operators");
  const Any* function = module == nullptr ? nullptr : module->find(Symbol(call.api.name));
  MLC_CHECK(function != nullptr, "stdlib/tvm/topi/operators.mlc has no `{}`", call.api.name);
  return evaluator->call(*function, call.args, {}, call.span);
}

constexpr std::string_view kTeTensor = "mlc.te.Tensor";
using ir::ApiKind;
constexpr ir::ApiRow tensor_operators_table[] = {
    {ApiKind::kMethod, kTeTensor, "__add__(other)", "`topi.add`.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__radd__(other)", "`topi.add`.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__sub__(other)", "`topi.subtract`.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__rsub__(other)", "`topi.subtract`.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__mul__(other)", "`topi.multiply`.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__rmul__(other)", "`topi.multiply`.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__truediv__(other)", "`topi.divide`; not of integers.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__rtruediv__(other)", "`topi.divide`; not of integers.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "__neg__()", "`topi.multiply` by -1.", tensor_operator},
    {ApiKind::kMethod, kTeTensor, "astype(dtype, span=None)", "`topi.cast`.", tensor_operator},
};

}  // namespace

std::span<const ir::ApiRow> tensor_operator_rows() { return tensor_operators_table; }

}  // namespace mlc::script
