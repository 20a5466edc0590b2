// SPDX-License-Identifier: Apache-2.0
// Second addresses of what the registry holds: names of older versions (ir/classic_names.h), and those under
// which today's TVM knows one thing in several places. An alias wins only where nothing of that very name is
// registered.
#include "frontend/script/classic_names.h"

#include "ir/api.h"
#include "ir/classic_names.h"

namespace mlc::script {
namespace {

struct Address {
  const char* from;
  const char* to;
};
constexpr Address addresses[] = {
    {"tvm.s_tir.schedule.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.s_tir.schedule.schedule.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.tirx.build", "tvm.compile"},
    {"tvm.ir.module.IRModule", "tvm.IRModule"},
    {"tvm.ir.IRModule", "tvm.IRModule"},
    {"tvm_ffi.structural_equal", "tvm.ir.structural_equal"},
    {"tvm_ffi.structural_hash", "tvm.ir.structural_hash"},
    {"tvm_ffi.get_first_structural_mismatch", "tvm.ir.get_first_structural_mismatch"},
    {"tvm.ir.base.assert_structural_equal", "tvm.ir.assert_structural_equal"},
    {"tvm.runtime.cpu", "tvm.cpu"},
    {"tvm.runtime.device", "tvm.device"},
    {"tvm.target.target.Target", "tvm.target.Target"},
    {"numpy.random.mtrand", "numpy.random"},
};

}  // namespace

void register_classic_names() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  for (const ir::ClassicName& row : ir::classic_names()) {
    if (row.kind == ir::ClassicName::Kind::kPath) registry.alias(std::string(row.from), std::string(row.to));
  }
  registry.alias_method("mlc.s_tir.Schedule", "get_block",
                        std::string(ir::find_classic(ir::ClassicName::Kind::kMethod, "get_block")->to));
  for (const Address& row : addresses) registry.alias(row.from, row.to);
}

}  // namespace mlc::script
