// SPDX-License-Identifier: Apache-2.0
// Second addresses of what the registry holds: names of older versions (ir/registry/classic_names.h), and
// those under which today's TVM knows one thing in several places. An alias wins only where nothing of that
// very name is registered.
#include "frontend/script/modules/classic_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/core/split_words.h"
#include "ir/registry/api.h"
#include "ir/registry/classic_names.h"

namespace mlc::script {
namespace {

struct Address {
  const char* from;
  const char* to;
};
constexpr Address addresses[] = {
    {"tvm.s_tir.schedule.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.s_tir.schedule.ScheduleState", "tvm.s_tir.ScheduleState"},
    {"tvm.s_tir.schedule.StmtSRef", "tvm.s_tir.StmtSRef"},
    {"tvm.s_tir.schedule.SBlockScope", "tvm.s_tir.SBlockScope"},
    {"tvm.s_tir.schedule.Dependency", "tvm.s_tir.Dependency"},
    {"tvm.s_tir.schedule.schedule.Schedule", "tvm.s_tir.Schedule"},
    {"tvm.tirx.build", "tvm.build"},
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
    {"tvm.ir.Attrs", "tvm.ir.DictAttrs"},
    {"tvm.tirx.Layout", "tvm.tirx.layout.Layout"},
    {"tvm.DataType", "tvm_ffi.dtype"},
    {"tvm.runtime.DataType", "tvm_ffi.dtype"},
    {"tvm.runtime.ShapeTuple", "tvm_ffi.Shape"},
    {"tvm_ffi.Tensor", "tvm.runtime.Tensor"},
    {"tvm_ffi.Module", "tvm.runtime.Module"},
    {"tvm_ffi.convert", "tvm.runtime.convert"},
    {"tvm_ffi.from_dlpack", "tvm.runtime.from_dlpack"},
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
    {"tvm.ir.base", "tvm.ir"},
    {"tvm.ir.expr", "tvm.ir"},
    {"tvm.ir.function", "tvm.ir"},
    {"tvm.ir.op", "tvm.ir"},
    {"tvm.ir.type", "tvm.ir"},
    {"tvm.tirx.buffer", "tvm.tirx"},
    {"tvm.tirx.expr", "tvm.tirx"},
    {"tvm.tirx.function", "tvm.tirx"},
    {"tvm.tirx.op", "tvm.tirx"},
    {"tvm.tirx.stmt", "tvm.tirx"},
    {"tvm.tirx.script", "tvm.script.tirx"},
    {"tvm.tirx.script.parser", "tvm.script.tirx"},
    {"tvm.tirx.script.parser.entry", "tvm.script.tirx"},
    {"tvm.tirx.script.builder", "tvm.script.ir_builder.tirx"},
    {"tvm.tirx.script.builder.tirx", "tvm.script.ir_builder.tirx"},
    {"tvm.tirx.script.builder.ir", "tvm.script.ir_builder.tirx"},
    {"tvm.tirx.script.builder.frame", "tvm.script.ir_builder.tirx"},
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
    {"tvm.tirx.exec_scope", "tvm.tirx"},
    {"tvm.tirx.tile_primitive", "tvm.tirx"},
    {"tvm.ir.supply", "tvm.ir"},
    {"tvm.runtime.module", "tvm.runtime"},
    {"tvm.runtime.params", "tvm.runtime"},
    {"tvm.runtime.executable", "tvm.runtime"},
    {"tvm.target.target", "tvm.target"},
    {"tvm.target.tag", "tvm.target"},
    {"tvm.testing.utils", "tvm.testing"},
    {"tvm.topi.utils", "tvm.topi.shapes"},
    {"tvm.support.utils", "tvm.support.files"},
    {"tvm.topi.nn.utils", "tvm.topi.nn.paddings"},
    {"tvm.topi.nn.winograd_util", "tvm.topi.nn.winograd"},
    {"tvm.topi.nn.bitserial_util", "tvm.topi.nn.bitserial"},
    {"tvm.topi.nn.bitserial_conv2d", "tvm.topi.nn.bitserial"},
    {"tvm.topi.nn.deformable_conv2d", "tvm.topi.nn.deformable"},
    {"tvm.topi.nn.depthwise_conv2d", "tvm.topi.nn"},
    {"tvm.topi.nn.conv2d_transpose", "tvm.topi.nn"},
    {"tvm.topi.nn.local_response_norm", "tvm.topi.nn"},
    {"tvm.topi.vision.nms_util", "tvm.topi.vision.all_class_nms"},
    {"tvm.topi.cpp.utils", "tvm.topi.nn.deformable"},
    {"tvm.runtime.object_generic", "tvm.runtime"},
    {"tvm.runtime._tensor", "tvm.runtime"},
    {"tvm.script.ir_builder.ir.ir", "tvm.script.ir_builder.ir"},
    {"tvm.script.ir_builder.ir.frame", "tvm.script.ir_builder.ir"},
    {"tvm.driver.build_module", "tvm.driver"},
    {"tvm.sym.analyzer", "tvm.sym"},
    {"tvm.sym.bound", "tvm.sym"},
    {"tvm.sym.int_set", "tvm.sym"},
    {"tvm.sym.iter_affine_map", "tvm.sym"},
    {"tvm.sym.pattern", "tvm.sym"},
    {"tvm_ffi.container", "tvm_ffi"},
    {"tvm_ffi.core", "tvm_ffi"},
    {"tvm_ffi.module", "tvm_ffi"},
    {"tvm_ffi.structural", "tvm_ffi"},
};

// Modules that only the files of TVM have: their package shows what stands in them. Names are separated by
// blanks.
struct Shown {
  std::string_view package;
  std::string_view modules;
};
constexpr Shown shown_by_package[] = {
    {"tvm.topi", "einsum index_put scatter_elements slice_scatter"},
    {"tvm.topi.nn",
     "batch_matmul batch_norm batch_to_space_nd bitserial_dense conv1d conv1d_transpose conv2d conv3d "
     "conv3d_transpose dense depth_to_space dilate flatten group_norm instance_norm layer_norm loss mapping "
     "pad pixel_shuffle rms_norm softmax space_to_batch_nd space_to_depth"},
    {"tvm.topi.testing",
     "adaptive_pool_python attention_python batch_matmul batch_norm batch_to_space_nd conv1d_ncw_python "
     "conv1d_transpose_ncw_python conv2d_backcward_weight_python conv2d_hwcn_python conv2d_nchw_python "
     "conv2d_nhwc_python conv2d_transpose_python conv3d_ncdhw_python conv3d_ndhwc_python "
     "conv3d_transpose_ncdhw_python correlation_nchw_python crop_and_resize_python "
     "deformable_conv2d_python dense depth_to_space depthwise_conv2d_python dilate_python gather_nd_python "
     "gather_python get_valid_counts_python grid_sample_python group_norm_python instance_norm_python "
     "l2_normalize_python layer_norm_python lrn_python lstm_python matrix_set_diag nll_loss nms_python "
     "one_hot pool_grad_python poolnd_python reorg_python resize_python rms_norm_python roi_align_python "
     "roi_pool_python searchsorted sequence_mask_python slice_axis_python softmax_python "
     "space_to_batch_nd space_to_depth strided_slice_python"},
};

// Names that TVM has in a module, and this program elsewhere: the package shows them.
struct Elsewhere {
  std::string_view module;
  std::string_view package;
  std::string_view names;
};
constexpr Elsewhere elsewhere[] = {
    {"tvm.topi.transform", "tvm.topi",
     "adv_index dyn_tile hamming_window index_tensor layout_transform matrix_set_diag sliding_window "
     "sparse_to_dense strided_set strided_slice unravel_index"},
};

// Names without a successor of the same kind, and names of TVM that do not exist here: what to do instead.
struct Removed {
  std::string_view module;
  std::string_view name;
  std::string_view now;
};
constexpr Removed removed[] = {
    {"tvm.script.tirx", "allocate",
     "it is called `T.alloc_buffer(shape, dtype, scope=...)` now, and binds a buffer: `mlc fix` rewrites it"},
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
    {"tvm", "register_object", "write a class of the script: classes of the library are closed"},
    {"tvm", "tvm_wrap_excepthook", "errors are shown as they are"},
    {"tvm_ffi", "register_object", "write a class of the script: classes of the library are closed"},
    {"tvm_ffi", "init_ffi_api", "functions are found with `tvm_ffi.get_global_func(name)`"},
    {"tvm_ffi", "use_torch_stream", "the CPU has no streams"},
    {"tvm_ffi", "use_raw_stream", "the CPU has no streams"},
    {"tvm_ffi", "StreamContext", "the CPU has no streams"},
    {"tvm.ir", "register_object", "write a class of the script: classes of the library are closed"},
    {"tvm.ir", "GenericConst", "constants of Relax functions are not available; use `tvm.tirx.const(value)`"},
    {"tvm.ir", "SourceMap", "a node says where it was written: `node.span`"},
    {"tvm.ir", "from_json_graph_str", "write `tvm.ir.load_json(text)`"},
    {"tvm.ir", "to_json_graph_str", "write `tvm.ir.save_json(node)`"},
    {"tvm.runtime", "load_static_library",
     "export and load a shared library: `tvm.runtime.load_module(path)`"},
    {"tvm.runtime", "disco", "code runs in one process"},
    {"tvm.runtime", "vm", "Relax is not available in mlc yet; compile tensor functions with `tvm.compile`"},
    {"tvm.s_tir.analysis", "get_vtcm_compaction_passes", "Hexagon is not a target here"},
    {"tvm.testing", "rpc_run", "code runs in this process: there are no remote devices"},
    {"tvm.testing", "local_run", "call the compiled function: `tvm.compile(mod)[name](...)`"},
    {"tvm.testing", "run_with_gpu_lock", "code runs on the CPU"},
    {"tvm.tirx", "TilePrimitiveCall", "tile primitives are called by name: `T.copy(...)`, `T.gemm(...)`"},
    {"tvm.tirx", "DispatchContext", "tile primitives are not lowered here"},
    {"tvm.te", "create_schedule", "write `tvm.s_tir.Schedule(tvm.te.create_prim_func([...]))`"},
};

// Names of TVM that need a part which is not here: why. Names are separated by blanks.
struct LeftOut {
  std::string_view module;
  std::string_view names;
  std::string_view why;
};
constexpr std::string_view kNoOperator =
    "this operator is not here yet: write the computation as `@T.prim_func`";
constexpr std::string_view kNoGpu = "code for GPUs does not run here";
// `*`: whatever is asked of the module, which can be imported all the same.
constexpr LeftOut left_out[] = {
    {"tvm.s_tir.meta_schedule", "*", "schedules are written, not searched for"},
    {"tvm.s_tir.dlight", "gpu adreno benchmark", kNoGpu},
    {"tvm.runtime.vm", "*", "Relax is not available in mlc yet; compile tensor functions with `tvm.compile`"},
    {"tvm.runtime.disco", "*", "code runs in one process"},
    {"tvm.support.nvcc", "*", kNoGpu},
    {"tvm.support.rocm", "*", kNoGpu},
    {"tvm.support.ndk", "*", "code is compiled for CPUs that run a shared library"},
    {"tvm.support.xcode", "*", "code is compiled for CPUs that run a shared library"},
    {"tvm.support.emcc", "*", "code is compiled for CPUs that run a shared library"},
    {"tvm.support.clang", "*", "compilers of the system are called by `tvm.support.cc`"},
    {"tvm.support.popen_pool", "*", "a script is one process: call the function"},
    {"tvm.topi", "unique sparse_reshape", kNoOperator},
    {"tvm.topi", "gpu", kNoGpu},
    {"tvm.topi", "cpp", "operators are written in the language: `tvm.topi.add` and the like"},
    {"tvm.topi.nn", "pool_grad", kNoOperator},
    {"tvm.sym", "PresburgerSet", "sets of points are intervals here: `tvm.sym.IntervalSet`"},
    {"tvm.s_tir", "backend", "schedules are written, not searched for"},
    {"tvm.target", "tag_registry", "targets and their tags are those of the program: `Target.list_kinds()`"},
    {"tvm.testing", "popen_pool install_request_hook terminate_self", "scripts start no other programs"},
    {"tvm.script", "printer register_dialect", "texts are read with `tvm.script.from_source(text)`"},
    {"tvm.tirx", "backend cuda rocm metal opencl vulkan webgpu hexagon adreno trn exec_context exec_scope",
     kNoGpu},
};

constexpr std::string_view kNoRelax =
    "Relax is not available in mlc yet: write tensor functions (`@T.prim_func`, `te`, `topi`) and compile "
    "them "
    "with `tvm.compile`";

// In, or one of, the modules of graphs?
bool is_relax(std::string_view module) {
  for (std::string_view root : {"tvm.relax", "tvm.script.relax"}) {
    if (module == root || (module.starts_with(root) && module[root.size()] == '.')) return true;
  }
  return false;
}

}  // namespace

std::string_view same_module(std::string_view path) {
  for (const Address& row : same_modules) {
    if (row.from == path) return row.to;
  }
  size_t dot = path.rfind('.');
  for (const Shown& row : shown_by_package) {
    if (dot != path.npos && path.substr(0, dot) == row.package &&
        ir::has_word(row.modules, path.substr(dot + 1)))
      return row.package;
  }
  return path;
}

std::string_view shown_in(std::string_view module, std::string_view name) {
  for (const Elsewhere& row : elsewhere) {
    if (row.module == module && ir::has_word(row.names, name)) return row.package;
  }
  return "";
}

std::string_view spelled_now(std::string_view path, std::string_view name) {
  std::string_view module = same_module(path);
  for (const Removed& row : removed) {
    if (row.name == name &&
        (row.module == module || (row.module == "tvm.script.tirx" && module == "tvm.script.tir")))
      return row.now;
  }
  for (const LeftOut& row : left_out) {
    if (row.module == module && (row.names == "*" || ir::has_word(row.names, name))) return row.why;
  }
  if (is_relax(module)) return kNoRelax;
  std::string today = ir::current_path(fmt::format("{}.{}", path, name));
  for (const ir::ClassicName& row : ir::classic_names()) {
    if (row.kind != ir::ClassicName::Kind::kRemoved || !today.starts_with(row.from)) continue;
    if (today.size() == row.from.size() || today[row.from.size()] == '.') return row.to;
  }
  return "";
}

std::string_view why_not_here(std::string_view module) {
  if (is_relax(module)) return kNoRelax;
  size_t dot = module.rfind('.');
  return dot == module.npos ? std::string_view() : spelled_now(module.substr(0, dot), module.substr(dot + 1));
}

void register_classic_names() {
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  for (const ir::ClassicName& row : ir::classic_names()) {
    if (row.kind == ir::ClassicName::Kind::kPath || row.kind == ir::ClassicName::Kind::kSynonym)
      registry.alias(std::string(row.from), std::string(row.to));
  }
  registry.alias_method("mlc.s_tir.Schedule", "get_block",
                        std::string(ir::find_classic(ir::ClassicName::Kind::kMethod, "get_block")->to));
  registry.alias_method("ffi.Module", "get_source", "inspect_source");
  registry.alias_method("ffi.Module", "imported_modules", "imports");
  for (const char* type : {"mlc.ir.IRModule", "mlc.ir.BaseFunc"})
    registry.alias_method(type, "astext", "script");
  for (const Address& row : same_modules) registry.alias(row.from, row.to);
  for (const Address& row : addresses) registry.alias(row.from, row.to);
}

}  // namespace mlc::script
