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
    {"tvm.ir.IRModule", "tvm.IRModule"},
    {"tvm_ffi.Device", "tvm.runtime.Device"},
    {"tvm.driver.compile", "tvm.compile"},
    {"tvm.driver.build", "tvm.compile"},
    {"tvm.driver.IRModule", "tvm.IRModule"},
    {"tvm.driver.Executable", "tvm.runtime.Executable"},
    {"tvm.driver.Target", "tvm.target.Target"},
    {"tvm.driver.PrimFunc", "tvm.tirx.PrimFunc"},
    {"tvm.Object", "tvm_ffi.Object"},
    {"tvm.runtime.Object", "tvm_ffi.Object"},
    {"tvm.ir.Node", "tvm_ffi.Object"},
    {"tvm.ir.Object", "tvm_ffi.Object"},
    {"tvm.runtime.Scriptable", "tvm_ffi.Object"},
    {"tvm.ir.Scriptable", "tvm_ffi.Object"},
    {"tvm.ir.Array", "tvm_ffi.Array"},
    {"tvm.ir.Map", "tvm_ffi.Map"},
    {"tvm.ir.Attrs", "tvm_ffi.Map"},
    {"tvm.ir.DictAttrs", "tvm_ffi.Map"},
    {"tvm.DataType", "tvm_ffi.dtype"},
    {"tvm.runtime.DataType", "tvm_ffi.dtype"},
    {"tvm.runtime.ShapeTuple", "tvm_ffi.Shape"},
    {"tvm_ffi.Tensor", "tvm.runtime.Tensor"},
    {"tvm_ffi.Module", "tvm.runtime.Module"},
    {"tvm_ffi.convert", "tvm.runtime.convert"},
    {"tvm_ffi.device", "tvm.device"},
    {"tvm_ffi.load_module", "tvm.runtime.load_module"},
    {"tvm_ffi.system_lib", "tvm.runtime.system_lib"},
    {"tvm_ffi.structural_equal", "tvm.ir.structural_equal"},
    {"tvm_ffi.structural_hash", "tvm.ir.structural_hash"},
    {"tvm_ffi.get_first_structural_mismatch", "tvm.ir.get_first_structural_mismatch"},
    {"tvm.ir.base.assert_structural_equal", "tvm.ir.assert_structural_equal"},
    {"tvm.script.ir_module", "tvm.script.ir.ir_module"},
    {"tvm.runtime.cpu", "tvm.cpu"},
    {"tvm.runtime.device", "tvm.device"},
    {"numpy.random.mtrand", "numpy.random"},
};

// Modules whose names another module shows as well.
constexpr Address same_modules[] = {
    {"tvm.tirx.analysis.analysis", "tvm.tirx.analysis"},
    {"tvm.tirx.transform.transform", "tvm.tirx.transform"},
    {"tvm.tirx.transform.function_pass", "tvm.tirx.transform"},
    {"tvm.s_tir.transform.transform", "tvm.s_tir.transform"},
    {"tvm.s_tir.data_layout", "tvm.s_tir"},
    {"tvm.s_tir.sblock_scope", "tvm.s_tir"},
    {"tvm.s_tir.sblock_dependence_info", "tvm.s_tir"},
    {"tvm.s_tir.schedule.schedule", "tvm.s_tir.schedule"},
    {"tvm.s_tir.schedule.state", "tvm.s_tir.schedule"},
    {"tvm.s_tir.schedule.trace", "tvm.s_tir.schedule"},
    {"tvm.s_tir.schedule.instruction", "tvm.s_tir.schedule"},
    {"tvm.te.tensor", "tvm.te"},
    {"tvm.te.operation", "tvm.te"},
    {"tvm.te.tag", "tvm.te"},
    {"tvm.ir.attrs", "tvm.ir"},
    {"tvm.ir.module", "tvm.ir"},
    {"tvm.ir.transform", "tvm.transform"},
    {"tvm.ir.instrument", "tvm.instrument"},
    {"tvm.ir.global_info", "tvm.ir"},
    {"tvm.ir.supply", "tvm.ir"},
    {"tvm.runtime.module", "tvm.runtime"},
    {"tvm.runtime.params", "tvm.runtime"},
    {"tvm.runtime.executable", "tvm.runtime"},
    {"tvm.target.target", "tvm.target"},
    {"tvm.target.tag", "tvm.target"},
    {"tvm.testing.utils", "tvm.testing"},
    {"tvm.script.ir_builder.ir.ir", "tvm.script.ir_builder.ir"},
    {"tvm.script.ir_builder.ir.frame", "tvm.script.ir_builder.ir"},
    {"tvm.driver.build_module", "tvm.driver"},
};

// Names without a successor of the same kind.
struct Removed {
  std::string_view module;
  std::string_view name;
  std::string_view now;
};
constexpr Removed removed[] = {
    {"tvm.script.tirx", "allocate",
     "it is called `T.alloc_buffer(shape, dtype, scope=...)` now, and binds a buffer"},
    {"tvm.script.tirx", "allocate_const", "constants are parameters now"},
    {"tvm.script.tirx", "Allocate", "it is called `T.alloc_buffer(shape, dtype, scope=...)` now"},
    {"tvm.script.tirx", "realize", "buffers are allocated with `T.sblock_alloc_buffer(shape, dtype)` now"},
    {"tvm.script.tirx", "BufferRealize",
     "buffers are allocated with `T.sblock_alloc_buffer(shape, dtype)` now"},
    {"tvm.script.tirx", "prefetch", "it was removed in 2026"},
    {"tvm.script.tirx", "preflattened_buffer", "parameters keep their shape: `A: T.Buffer(shape, dtype)`"},
    {"tvm.script.tirx", "buffer_decl", "it is called `T.match_buffer` (parameters) or `T.decl_buffer` now"},
    {"tvm.script.tirx", "let_stmt", "write `x: T.let = value`"},
    {"tvm.script.tirx", "store", "write `A[i] = value`"},
    {"tvm.script.tirx", "load", "write `A[i]`"},
    {"tvm.script.tirx", "BufferLoad", "write `A[i]`"},
    {"tvm.script.tirx", "BufferStore", "write `A[i] = value`"},
    {"tvm.script.tirx", "SizeVar", "a size is a plain variable now: `n = T.int32()`"},
    {"tvm.script.tirx", "size_var", "a size is a plain variable now: `n = T.int32()`"},
    {"tvm.script.tirx", "set_axis_separator", "axis separators were removed in 2026"},
    {"tvm", "relay", "Relay was removed in 2024; use Relax"},
    {"tvm", "arith", "it is called `tvm.sym` now"},
    {"tvm.te", "create_schedule", "write `tvm.s_tir.Schedule(tvm.te.create_prim_func([...]))`"},
};

}  // namespace

std::string_view spelled_now(std::string_view module, std::string_view name) {
  for (const Removed& row : removed) {
    if (row.name == name &&
        (row.module == module || (row.module == "tvm.script.tirx" && module == "tvm.script.tir")))
      return row.now;
  }
  return "";
}

std::string_view same_module(std::string_view path) {
  for (const Address& row : same_modules) {
    if (row.from == path) return row.to;
  }
  return path;
}

void register_classic_names() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  for (const ir::ClassicName& row : ir::classic_names()) {
    if (row.kind == ir::ClassicName::Kind::kPath || row.kind == ir::ClassicName::Kind::kSynonym)
      registry.alias(std::string(row.from), std::string(row.to));
  }
  registry.alias_method("mlc.s_tir.Schedule", "get_block",
                        std::string(ir::find_classic(ir::ClassicName::Kind::kMethod, "get_block")->to));
  for (const Address& row : same_modules) registry.alias(row.from, row.to);
  for (const Address& row : addresses) registry.alias(row.from, row.to);
}

}  // namespace mlc::script
