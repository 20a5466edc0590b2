// SPDX-License-Identifier: Apache-2.0
// Second addresses of what the registry holds: names of older versions (ir/registry/classic_names.h), and
// those under which today's TVM knows one thing in several places. An alias wins only where nothing of that
// very name is registered.
#include "frontend/script/modules/classic_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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
    {"tvm.driver.build", "tvm.compile"},
    {"tvm.ir.Node", "tvm_ffi.Object"},
    {"tvm.runtime.Scriptable", "tvm_ffi.Object"},
    {"tvm.ir.Scriptable", "tvm_ffi.Object"},
    {"tvm.DataType", "tvm_ffi.dtype"},
    {"tvm.runtime.DataType", "tvm_ffi.dtype"},
    {"tvm.runtime.ShapeTuple", "tvm_ffi.Shape"},
    {"numpy.random.mtrand", "numpy.random"},
};

// Names that TVM has in a module, and this program in a package. Names are separated by blanks.
struct Elsewhere {
  std::string_view module;
  std::string_view package;
  std::string_view names;
};
constexpr Elsewhere same_names[] = {
    {"tvm.s_tir.schedule", "tvm.s_tir", "Schedule ScheduleState StmtSRef SBlockScope Dependency"},
    {"tvm.s_tir.schedule.schedule", "tvm.s_tir", "Schedule"},
    {"tvm.tirx", "tvm", "build"},
    {"tvm.ir", "tvm", "IRModule"},
    {"tvm_ffi", "tvm.runtime", "Device Tensor Module convert from_dlpack load_module system_lib"},
    {"tvm.driver", "tvm", "compile IRModule"},
    {"tvm.driver", "tvm.runtime", "Executable"},
    {"tvm.driver", "tvm.target", "Target"},
    {"tvm.driver", "tvm.tirx", "PrimFunc"},
    {"tvm", "tvm_ffi", "Object"},
    {"tvm.runtime", "tvm_ffi", "Object"},
    {"tvm.ir", "tvm_ffi", "Object Array Map"},
    {"tvm.tirx", "tvm.tirx.layout", "Layout"},
    {"tvm_ffi", "tvm", "device"},
    {"tvm_ffi", "tvm.ir", "structural_equal structural_hash get_first_structural_mismatch"},
    {"tvm.ir.base", "tvm.ir", "assert_structural_equal"},
    {"tvm.script", "tvm.script.ir", "ir_module"},
    {"tvm.runtime", "tvm", "cpu device"},
    {"tvm.script.relax", "tvm.relax.op.builtin", "stop_lift_params"},
    {"tvm.script.relax", "tvm.relax", "ShapeExpr TupleGetItem"},
};

// Modules whose names another module shows as well: packages with such modules of theirs, and the others.
struct Shown {
  std::string_view package;
  std::string_view modules;
};
constexpr Shown parts[] = {
    {"tvm.ir", "base expr function op type attrs module global_info supply"},
    {"tvm.tirx", "buffer expr function op stmt exec_scope tile_primitive type"},
    {"tvm.tirx.analysis", "analysis"},
    {"tvm.tirx.transform", "transform function_pass"},
    {"tvm.s_tir.transform", "transform"},
    {"tvm.s_tir.backend.adreno", "pipeline"},
    {"tvm.s_tir", "data_layout sblock_scope sblock_dependence_info"},
    {"tvm.s_tir.schedule", "schedule state trace instruction"},
    {"tvm.s_tir.dlight.analysis", "common_analysis gemv"},
    {"tvm.s_tir.dlight.base", "common_schedules schedule_rule transform utils"},
    {"tvm.s_tir.dlight.cpu", "base gemv reduction"},
    {"tvm.te", "tensor operation tag"},
    {"tvm.runtime", "module params executable object_generic _tensor"},
    {"tvm.target", "target tag"},
    {"tvm.testing", "utils"},
    {"tvm.topi.nn", "depthwise_conv2d conv2d_transpose local_response_norm"},
    {"tvm.script.ir_builder.ir", "ir frame"},
    {"tvm.driver", "build_module"},
    {"tvm.sym", "analyzer bound int_set iter_affine_map pattern"},
    {"tvm_ffi", "container core module structural"},
    {"tvm.relax.analysis", "analysis"},
    {"tvm.relax.backend", "dispatch_sampling dispatch_sort_scan"},
    {"tvm.relax.backend.adreno", "pipeline"},
    {"tvm.relax.backend.cpu_generic", "pipeline"},
    {"tvm.relax.backend.cuda", "pipeline"},
    {"tvm.relax.backend.gpu_generic", "pipeline"},
    {"tvm.relax.backend.rocm", "pipeline"},
    {"tvm.relax.distributed", "global_info type"},
    {"tvm.relax.transform.legalize_ops.adreno", "convolution"},
    {"tvm.relax.distributed.transform", "transform"},
    {"tvm.relax.op",
     "base binary create datatype index linear_algebra manipulate mask qdq sampling search set sorting "
     "statistical ternary unary"},
    {"tvm.relax.op.builtin", "builtin"},
    {"tvm.relax.op.ccl", "ccl"},
    {"tvm.relax.op.distributed", "distributed"},
    {"tvm.relax.op.grad", "grad"},
    {"tvm.relax.op.image", "image"},
    {"tvm.relax.op.memory", "memory"},
    {"tvm.relax.op.nn", "nn"},
    {"tvm.relax.op.vision", "nms"},
    {"tvm.relax.op.vm", "vm"},
    {"tvm.relax.transform",
     "attach_external_modules fold_batch_norm_to_conv2d_for_inference ipc_allreduce_rewrite "
     "lazy_transform_params lower_gpu_ipc_alloc_storage transform"},
};
constexpr Address same_modules[] = {
    {"tvm.tirx.script", "tvm.script.tirx"},
    {"tvm.tirx.operator.tile_primitive.common", "tvm.tirx.operator.tile_primitive.kinds"},
    {"tvm.backend.cuda.tile_primitive.common", "tvm.backend.cuda.tile_primitive.operand_regions"},
    {"tvm.backend.cuda.tile_primitive.exec_scope_utils", "tvm.backend.cuda.tile_primitive.chosen_threads"},
    {"tvm.tirx.script.parser", "tvm.script.tirx"},
    {"tvm.tirx.script.parser.entry", "tvm.script.tirx"},
    {"tvm.tirx.script.builder", "tvm.script.ir_builder.tirx"},
    {"tvm.tirx.script.builder.tirx", "tvm.script.ir_builder.tirx"},
    {"tvm.tirx.script.builder.ir", "tvm.script.ir_builder.tirx"},
    {"tvm.tirx.script.builder.frame", "tvm.script.ir_builder.tirx"},
    {"tvm.ir.transform", "tvm.transform"},
    {"tvm.ir.instrument", "tvm.instrument"},
    {"tvm.topi.utils", "tvm.topi.shapes"},
    {"tvm.support.utils", "tvm.support.files"},
    {"tvm.ir.utils", "tvm.ir.derived_object"},
    {"tvm.s_tir.meta_schedule.utils", "tvm.s_tir.meta_schedule.search_options"},
    {"tvm.s_tir.meta_schedule.post_optimization.utils", "tvm.s_tir.meta_schedule.post_optimization.records"},
    {"tvm.s_tir.dlight.adreno.utils", "tvm.s_tir.dlight.adreno.single_blocks"},
    {"tvm.s_tir.meta_schedule.runner.utils", "tvm.s_tir.meta_schedule.runner.evaluate"},
    {"tvm.topi.nn.utils", "tvm.topi.nn.paddings"},
    {"tvm.topi.nn.winograd_util", "tvm.topi.nn.winograd"},
    {"tvm.topi.nn.bitserial_util", "tvm.topi.nn.bitserial"},
    {"tvm.topi.nn.bitserial_conv2d", "tvm.topi.nn.bitserial"},
    {"tvm.topi.nn.deformable_conv2d", "tvm.topi.nn.deformable"},
    {"tvm.topi.vision.nms_util", "tvm.topi.vision.all_class_nms"},
    {"tvm.topi.cpp.utils", "tvm.topi.cpp.shapes"},
    {"tvm.relax.training.utils", "tvm.relax.training.append_loss"},
    {"tvm.relax.script", "tvm.script.relax"},
    {"tvm.relax.script.parser", "tvm.script.relax"},
    {"tvm.relax.script.parser.entry", "tvm.script.relax"},
    {"tvm.script.parser.relax", "tvm.script.relax"},
    {"tvm.relax.script.builder", "tvm.script.ir_builder.relax"},
    {"tvm.relax.script.builder.ir", "tvm.script.ir_builder.relax"},
    {"tvm.relax.vm", "tvm.runtime.vm"},
    {"tvm.relax.utils", "tvm.relax.conversions"},
    {"tvm.relax.backend.utils", "tvm.relax.backend.matches"},
    {"tvm.relax.transform.legalize_ops.common", "tvm.relax.transform.legalize_ops"},
};

// Modules that only the files of TVM have: their package shows what stands in them.
constexpr Shown shown_by_package[] = {
    {"tvm.relax.op.memory", "view"},
    {"tvm.relax.op.vision", "multibox_transform_loc roi_align roi_pool"},
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

// The same of texts of the library: the package shows them.
constexpr Elsewhere elsewhere[] = {
    {"tvm.relax.transform.fast_math", "tvm.relax.transform", "FastMathTransform"},
    {"tvm.relax.transform.fuse_transpose_matmul", "tvm.relax.transform", "FuseTransposeMatmul"},
    {"tvm.relax.transform.optimize_layout_transform", "tvm.relax.transform", "OptimizeLayoutTransform"},
    {"tvm.relax.transform.remove_redundant_reshape", "tvm.relax.transform", "RemoveRedundantReshape"},
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
    {"tvm.script.tirx", "Allocate", "it is called `T.alloc_buffer(shape, dtype, scope=...)` now"},
    {"tvm.script.tirx", "BufferRealize",
     "buffers are allocated with `T.sblock_alloc_buffer(shape, dtype)` now"},
    {"tvm.script.tirx", "let_stmt", "write `x: T.let = value`"},
    {"tvm.script.tirx", "BufferStore", "write `A[i] = value`"},
    {"tvm.script.tirx", "set_axis_separator", "axis separators were removed in 2026"},
    {"tvm", "register_object", "write a class of the script: classes of the library are closed"},
    {"tvm", "tvm_wrap_excepthook", "errors are shown as they are"},
    {"tvm_ffi", "register_object", "write a class of the script: classes of the library are closed"},
    {"tvm_ffi", "init_ffi_api", "functions are found with `tvm_ffi.get_global_func(name)`"},
    {"tvm_ffi", "use_torch_stream", "the CPU has no streams"},
    {"tvm_ffi", "use_raw_stream", "the CPU has no streams"},
    {"tvm_ffi", "StreamContext", "the CPU has no streams"},
    {"tvm.ir", "register_object", "write a class of the script: classes of the library are closed"},
    {"tvm.ir", "SourceMap", "a node says where it was written: `node.span`"},
    {"tvm.ir", "from_json_graph_str", "write `tvm.ir.load_json(text)`"},
    {"tvm.ir", "to_json_graph_str", "write `tvm.ir.save_json(node)`"},
    {"tvm.runtime", "load_static_library",
     "export and load a shared library: `tvm.runtime.load_module(path)`"},
    {"tvm.testing", "rpc_run", "code runs in this process: there are no remote devices"},
    {"tvm.testing", "local_run", "call the compiled function: `tvm.compile(mod)[name](...)`"},
};

// Names of TVM that need a part which is not here: why. Names are separated by blanks.
struct LeftOut {
  std::string_view module;
  std::string_view names;
  std::string_view why;
};
constexpr std::string_view kNoOperator =
    "this operator is not here yet: write the computation as `@T.prim_func`";
constexpr std::string_view kNoTorch =
    "it needs torch, which is not here: write the network with `tvm.relax.frontend.nn`";
constexpr std::string_view kTorchFiles =
    "of torch its files alone are read: `torch.export.load` and `torch.load`; run the rest where torch is, "
    "and bring the model with `torch.export.save`";
constexpr std::string_view kNoLibrary =
    "the library that it calls is not here: operators are computed by tensor functions";
// `*`: whatever is asked of the module, which can be imported all the same.
constexpr LeftOut left_out[] = {
    {"tvm.relax", "BasePyModule base_py_module relax_to_pyfunc_converter", kNoTorch},
    {"tvm.relax.frontend.torch",
     "base_fx_graph_translator dynamo exported_program_translator fx_translator ExportedProgramImporter",
     "operators are converted by the functions of `tvm.relax.frontend.torch`: `docs/torch.md` says where"},
    {"torch", "*", kTorchFiles},
    {"torch.export", "*", kTorchFiles},
    {"tvm.relax.frontend", "stablehlo",
     "it needs jaxlib, which is not here: write the network with `tvm.relax.frontend.nn`"},
    {"tvm.relax.frontend", "tflite",
     "it needs the package tflite, which is not here: write the network with `tvm.relax.frontend.nn`"},
    {"tvm.relax.frontend.nn", "torch TorchModule", kNoTorch},
    {"tvm.relax.backend.cuda", "flashinfer", kNoLibrary},
    {"tvm.s_tir.dlight", "benchmark", "functions are timed by `mlc bench` and by `time_evaluator`"},
    {"tvm.contrib.cudnn", "*", kNoLibrary},
    {"tvm.contrib.nnpack", "*", kNoLibrary},
    {"tvm.support.nvcc", "*", "NVRTC compiles for NVIDIA's GPUs: `mlc build --emit cubin` (`docs/gpu.md`)"},
    {"tvm.support.rocm", "*", "no compiler for AMD's GPUs is called: texts of kernels are written for them"},
    {"tvm.support.ndk", "*", "code is compiled for CPUs that run a shared library"},
    {"tvm.support.xcode", "*", "code is compiled for CPUs that run a shared library"},
    {"tvm.support.emcc", "*", "code is compiled for CPUs that run a shared library"},
    {"tvm.support.clang", "*", "compilers of the system are called by `tvm.support.cc`"},
    {"tvm.topi", "unique sparse_reshape", kNoOperator},
    {"tvm.topi.gpu", "argsort_thrust scan_thrust sort_thrust topk_thrust", "Thrust is CUDA's"},
    {"tvm.sym", "PresburgerSet", "sets of points are intervals here: `tvm.sym.IntervalSet`"},
    {"tvm.s_tir.dlight.adreno.single_blocks", "get_texture_storage", "a block has no schedule"},
    {"tvm.target", "tag_registry", "targets and their tags are those of the program: `Target.list_kinds()`"},
    {"tvm.testing", "popen_pool install_request_hook terminate_self", "scripts start no other programs"},
    {"tvm.script", "register_dialect", "texts are read with `tvm.script.from_source(text)`"},
    {"tvm.tirx", "backend rocm opencl vulkan webgpu hexagon adreno", "what is of one target is in `tvm.backend`"},
};

}  // namespace

std::string_view same_module(std::string_view path) {
  for (const Address& row : same_modules) {
    if (row.from == path) return row.to;
  }
  size_t dot = path.rfind('.');
  if (dot == path.npos) return path;
  for (std::span<const Shown> rows :
       {std::span<const Shown>(parts), std::span<const Shown>(shown_by_package)}) {
    for (const Shown& row : rows)
      if (path.substr(0, dot) == row.package && ir::has_word(row.modules, path.substr(dot + 1)))
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
  std::string today = ir::current_path(fmt::format("{}.{}", path, name));
  for (const ir::ClassicName& row : ir::classic_names()) {
    if (row.kind != ir::ClassicName::Kind::kRemoved || !today.starts_with(row.from)) continue;
    if (today.size() == row.from.size() || today[row.from.size()] == '.') return row.to;
  }
  return "";
}

std::string_view why_not_here(std::string_view module) {
  for (size_t dot = module.rfind('.'); dot != module.npos; dot = module.rfind('.')) {
    std::string_view package = module.substr(0, dot);
    std::string_view why = spelled_now(package, module.substr(dot + 1));
    if (!why.empty()) return why;
    module = package;
  }
  return "";
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
  for (const Shown& row : parts) {
    ir::each_word(row.modules, [&](std::string_view name) {
      registry.alias(fmt::format("{}.{}", row.package, name), std::string(row.package));
    });
  }
  for (const Elsewhere& row : same_names) {
    ir::each_word(row.names, [&](std::string_view name) {
      registry.alias(fmt::format("{}.{}", row.module, name), fmt::format("{}.{}", row.package, name));
    });
  }
  for (const Address& row : addresses) registry.alias(row.from, row.to);
}

}  // namespace mlc::script
