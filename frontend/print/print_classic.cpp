// SPDX-License-Identifier: Apache-2.0
// The older dialect, as TVM 0.13 to 0.18 read and printed it. Whatever passes through Printer::tir() must be
// a name of that time; the rest of the differences stand where they are printed, behind classic().
#include <algorithm>
#include <array>

#include "frontend/print/printer.h"
#include "ir/core/refusal.h"
#include "ir/registry/classic_names.h"

namespace mlc::print {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-classic",
         .message = "the classic dialect cannot say {}",
         .help = "print it in the dialect of today: `script()`, `mlc print` without `--dialect`",
         .meaning = "TVM 0.13 to 0.18 had no words for layouts, scope ids, tile primitives, loops with a "
                    "step and later operators; a module that has them prints in the dialect of today only."},
    }};
MLC_REFUSALS(print_print_classic, refusals);

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

// clang-format off
// What `T` had then, sorted.
constexpr std::string_view names[] = {
    "Add", "And", "Broadcast", "Buffer", "Cast", "Div", "EQ", "FloorDiv", "FloorMod", "GE", "GT", "LE", "LT",
    "Let", "LetStmt", "Mul", "NE", "Not", "Or", "Ramp", "Range", "Select", "Shuffle", "Sub",
    "TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "abs", "acos", "acosh", "address_of", "alloc_buffer",
    "anylist_getitem", "anylist_resetitem", "anylist_setitem_call_cpacked", "anylist_setitem_call_packed",
    "asin", "asinh", "assume", "atan", "atan2", "atanh", "attr", "axis.opaque", "axis.reduce", "axis.remap",
    "axis.scan", "axis.spatial", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "block",
    "block_attr", "call_cpacked", "call_cpacked_lowered", "call_extern", "call_llvm_intrin",
    "call_llvm_pure_intrin", "call_packed", "call_packed_lowered", "call_pure_extern", "ceil", "clz",
    "comm_reducer", "copysign", "cos", "cosh", "decl_buffer", "dp4a", "end_profile_intrinsic", "env_thread",
    "erf", "evaluate", "exp", "exp10", "exp2", "fabs", "floor", "fmod", "func_attr", "get_active_lane_mask",
    "grid", "handle", "hypot", "if_then_else", "ignore_loop_partition", "init", "isfinite", "isinf", "isnan",
    "isnullptr", "iter_var", "launch_thread", "ldexp", "likely", "log", "log10", "log1p", "log2",
    "lookup_param", "make_filled_simdgroup_matrix", "match_buffer", "max", "min", "mma_fill", "mma_store",
    "nearbyint", "nextafter", "parallel", "popcount", "pow", "prim_func", "ptx_ldmatrix", "ptx_mma",
    "q_multiply_shift", "q_multiply_shift_per_axis", "reads", "reinterpret", "ret", "round", "rsqrt", "serial",
    "shift_left", "shift_right", "sigmoid", "simdgroup_load", "simdgroup_multiply_accumulate",
    "simdgroup_store", "sin", "sinh", "sqrt", "start_profile_intrinsic", "tan", "tanh", "target",
    "thread_binding", "trunc", "truncmod", "tvm_access_ptr", "tvm_bmma_sync", "tvm_fill_fragment",
    "tvm_load_matrix_sync", "tvm_mma_sync", "tvm_stack_alloca", "tvm_stack_make_array",
    "tvm_stack_make_shape", "tvm_storage_sync", "tvm_store_matrix_sync", "tvm_struct_get", "tvm_struct_set",
    "tvm_thread_allreduce", "tvm_thread_invariant", "tvm_throw_last_error", "tvm_tuple",
    "tvm_warp_activemask", "tvm_warp_shuffle", "tvm_warp_shuffle_down", "tvm_warp_shuffle_up",
    "type_annotation", "undef", "unroll", "vectorcombine", "vectorhigh", "vectorized", "vectorlow", "vscale",
    "where", "writes",
};
// Operators that were functions only.
constexpr std::pair<std::string_view, std::string_view> functions[] = {
    {"BitwiseAnd", "bitwise_and"}, {"BitwiseOr", "bitwise_or"},   {"BitwiseXor", "bitwise_xor"},
    {"BitwiseNot", "bitwise_not"}, {"LShift", "shift_left"},      {"RShift", "shift_right"},
    {"sblock_alloc_buffer", "alloc_buffer"},
};
// clang-format on

// float32, uint8x4, ...; T had no int4.
bool is_dtype(std::string_view name, bool in_quotes) {
  static constexpr std::string_view kinds[] = {"bfloat", "bool", "float", "int", "uint"};
  for (std::string_view kind : kinds) {
    if (!name.starts_with(kind)) continue;
    std::string_view bits = name.substr(kind.size());
    if (bits.find_first_not_of("0123456789x") != std::string_view::npos) return false;
    std::string_view width = bits.substr(0, bits.find('x'));
    return kind == "bool" || width == "8" || width == "16" || width == "32" || width == "64" ||
           (in_quotes && kind.ends_with("int"));
  }
  return false;
}

// Names of today by those of then: the table that the reader and `mlc fix` use, from right to left.
std::string_view older_name(std::string_view name) {
  static const auto* older = [] {
    constexpr std::string_view kT = "tvm.script.tirx.";
    auto* map = new std::unordered_map<std::string_view, std::string_view>(std::begin(functions),
                                                                           std::end(functions));
    for (const ClassicName& row : classic_names()) {
      if (row.kind == ClassicName::Kind::kPath && row.to.starts_with(kT))
        map->emplace(row.to.substr(kT.size()), row.from.substr(kT.size()));
    }
    return map;
  }();
  auto found = older->find(name);
  return found == older->end() ? name : found->second;
}

}  // namespace

void Printer::not_classic(const std::string& what) const { throw ir::refuse(refusals["not-classic"], what); }

std::string_view Printer::classic(std::string_view name) const {
  if (!classic()) return name;
  static_assert(std::is_sorted(std::begin(names), std::end(names)));
  std::string_view old = older_name(name);
  if (!is_dtype(old, false) && !std::binary_search(std::begin(names), std::end(names), old))
    not_classic(fmt::format("`{}.{}`", options_.tir_prefix, name));
  return old;
}

void Printer::classic_dtype(DataType dtype) const {
  std::string name = dtype.str();
  if (!is_dtype(name, true) && name != "handle" && name != "void")
    not_classic(fmt::format("the type `{}`", name));
}

// `A: T.Buffer((8, 8), "float32")` says all there is to say about the buffer.
bool Printer::is_plain_parameter(const BufferTypeNode* type) const {
  auto constant = [](const Expr& e) { return e->kind == ExprKind::kIntImm; };
  return type->strides.empty() && std::all_of(type->shape.begin(), type->shape.end(), constant) &&
         (!type->elem_offset || is_const_int(type->elem_offset, 0)) && type->data_alignment == 64 &&
         type->offset_factor == 1 && (type->storage_scope.empty() || view(type->storage_scope) == "global");
}

// What goes without saying: none in schedulable functions, row-major memory in the others.
bool Printer::is_classic_layout(const BufferTypeNode* type) const {
  if (!type->layout.defined()) return !in_function_ || schedulable_;
  return is_default_layout(type->layout, type->shape) && !(in_function_ && schedulable_);
}

// def f(var_A: T.handle, ...):
//     n = T.int32()
//     A = T.match_buffer(var_A, (n,))
void Printer::handle_parameter(const Var& param) {
  Var handle =
      make<VarNode>(String("var_" + std::string(view(param->name))), Type(prim_type(DataType::Handle())));
  put(names_.define(handle.get(), view(handle->name)), ": ");
  tir("handle");
  handles_.emplace_back(handle, param);
}
void Printer::match_parameters() {
  for (const auto& [handle, param] : std::exchange(handles_, {})) {
    line();
    put(names_.define(param.get(), view(param->name)), " = ");
    tir("match_buffer");
    put("(", *names_.find(handle.get()), ", ");
    buffer_arguments(param, {});
    put(")");
    end_line();
  }
}

}  // namespace mlc::print
