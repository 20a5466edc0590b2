// SPDX-License-Identifier: Apache-2.0
// HIP C++ as a dialect of kernels (backend/gpu), for hipcc and hiprtc: clang's own vectors with arithmetic on
// them, and its builtins for what LowerIntrin has written as LLVM's intrinsics.
#include "backend/rocm/source.h"

#include <algorithm>

#include "backend/gpu/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/tir/scalar_op.h"

namespace mlc::rocm_backend {

using c_backend::casted;
using c_backend::infix;
using c_backend::kEquality;
using c_backend::kProduct;
using c_backend::kShift;
using c_backend::kUnary;
using gpu_backend::Text;
using gpu_backend::Value;
using ir::DataType;
using ir::Error;
using ir::view;

namespace {

constexpr gpu_backend::Keywords words = {
    .language = "HIP C++",
    .kernel = "extern \"C\" __global__ void ",
    .function = "__device__ inline ",
    .shared = "__shared__",
    .global = "",
    .shared_pointer = "",
    .local_pointer = "",
    .restrict_word = "__restrict__",
    .infinity = "__builtin_inff()",
    .nan = "__builtin_nanf(\"\")",
    .long_suffix = "l",
    .aligned = "alignas(64) ",
    .vector_arithmetic = true,
    .reserved =
        "half half2 threadIdx blockIdx blockDim gridDim warpSize max min dim3 hipStream_t float2 float4 int2 "
        "int4 "
        "uint uchar ushort clock clock64",
    .aligned_first = true,
};

bool is_half(DataType dtype) { return dtype.is_float() && dtype.bits() == 16; }

constexpr char bits_function[] = R"(
template <class To, class From>
__device__ inline To mlc_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "types of one size");
  return __builtin_bit_cast(To, value);
}
)";

}  // namespace

class RocmEmitter final : public gpu_backend::KernelEmitter {
 public:
  RocmEmitter(const ir::IRModule& module, const ir::Target& target) : KernelEmitter(module, target, words) {}

 protected:
  std::string type(DataType dtype, ir::Span span) override {
    if (dtype.is_scalable()) refuse("a scalable vector", span);
    if (dtype.is_vector()) {
      // Vectors of bool are those of char; a comparison makes them lane by lane.
      DataType element = dtype.is_bool() ? DataType::Int(8) : dtype.element();
      std::string one = type(element, span);
      std::string name = fmt::format("mlc_{}x{}", element.str(), dtype.lanes());
      return need(
          name, fmt::format("typedef {} {} __attribute__((ext_vector_type({})));", one, name, dtype.lanes()));
    }
    if (dtype.is_void()) return "void";
    if (dtype.is_handle()) return "void*";
    if (dtype.is_bool() || (dtype.is_uint() && dtype.bits() == 1)) return "bool";
    if (dtype.is_float()) {
      if (dtype.bits() == 16) return "_Float16";
      if (dtype.bits() == 32) return "float";
      if (dtype.bits() == 64) return "double";
    }
    if (dtype.is_int() || dtype.is_uint()) {
      std::string sign = dtype.is_uint() ? "unsigned " : "";
      if (dtype.bits() == 8) return dtype.is_uint() ? "unsigned char" : "signed char";
      if (dtype.bits() == 16) return sign + "short";
      if (dtype.bits() == 32) return sign + "int";
      if (dtype.bits() == 64) return sign + "long";
    }
    throw Error("unsupported-dtype", "values of type {} cannot be written in HIP C++", dtype.str()).at(span);
  }
  std::string lane(const std::string& vector, DataType, int index) override {
    return fmt::format("{}[{}]", vector, index);
  }
  std::string pack(DataType dtype, const std::vector<Text>& lanes, ir::Span span) override {
    std::string all;
    for (int i = 0; i < dtype.lanes(); ++i)
      all += (i == 0 ? "" : ", ") + lanes[lanes.size() == 1 ? 0 : static_cast<size_t>(i)].text;
    return fmt::format("{}{{{}}}", type(dtype, span), all);
  }
  Text load_vector(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) override {
    return {fmt::format("*({}{}*){}", memory.is_const ? "const " : "", in_memory(dtype, span),
                        pointer.at_least(kUnary)),
            kUnary};
  }
  std::string store_vector(DataType dtype, const Text& pointer, const std::string& value, const Binding&,
                           ir::Span span) override {
    return fmt::format("*({}*){} = {};", in_memory(dtype, span), pointer.at_least(kUnary), value);
  }
  std::string in_memory(DataType dtype, ir::Span span) {
    if (dtype.lanes() == 3) refuse("a vector of 3 lanes in memory", span, "it would take the place of 4");
    return type(dtype, span);
  }

  Text thread(std::string_view tag, DataType dtype, ir::Span span) override {
    if (!tag.starts_with("threadIdx.") && !tag.starts_with("blockIdx."))
      refuse(fmt::format("a thread `{}`", tag), span);
    return casted(type(dtype, span), {std::string(tag)});
  }
  std::string launch_bounds(const ir::PrimFunc& fn) override {
    auto threads = gpu_backend::block_threads(fn);
    return threads && *threads > 1 ? fmt::format("__launch_bounds__({}) ", *threads) : "";
  }
  std::string barrier(std::string_view scope, ir::Span span) override {
    if (scope == "shared" || scope == "shared.dyn") return "__syncthreads();";
    if (scope == "warp") return "__builtin_amdgcn_wave_barrier();";
    refuse(fmt::format("a barrier of scope `{}`", scope), span, "kernels end where all blocks have to wait");
  }
  void dynamic_shared(const ir::AllocBufferNode* s) override {
    std::string name = fresh(view(s->buffer->name));
    declare_shared(fmt::format("alignas(64) extern __shared__ unsigned char {}[];", name), name);
    Binding made;
    made.text = {name};
    made.element = DataType::UInt(8);
    made.scope = "shared.dyn";
    bindings_[s->buffer.get()] = std::move(made);
  }

  Text cast(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    std::string name = type(to, span);
    if (to.is_bool()) return infix(value, "!=", {"0"}, kEquality, kShift);
    if (to.is_vector()) return {fmt::format("__builtin_convertvector({}, {})", value.text, name)};
    return casted(name, value);
  }
  Text reinterpret(const Text& value, DataType from, DataType to, ir::Span span) override {
    if (from == to) return value;
    auto whole = [](DataType dtype) { return (dtype.is_int() || dtype.is_uint()) && dtype.is_scalar(); };
    if (from.is_handle() || to.is_handle() || (whole(from) && whole(to)))
      return casted(type(to, span), value);
    need("mlc_bits", bits_function);
    return {fmt::format("mlc_bits<{}>({})", type(to, span), casted(type(from, span), value).text)};
  }
  Text extremum(bool is_max, const Text& a, const Text& b, DataType dtype) override {
    return called_on(is_max ? "__builtin_elementwise_max" : "__builtin_elementwise_min", a, b, dtype);
  }
  Text float_mod(const Text& a, const Text& b, DataType dtype) override {
    return math("fmod", {a, b}, dtype, dtype, {});
  }
  Text math(std::string_view name, const std::vector<Text>& args, DataType dtype, DataType from,
            ir::Span span) override {
    if (name == "isnan")
      return {
          fmt::format("__builtin_isnan({})", is_half(from) ? casted("float", args[0]).text : args[0].text)};
    if (name == "popcount" || name == "clz") {
      bool wide = from.bits() > 32;
      Text bits = casted(type(DataType::UInt(from.bits()), span), args[0]);
      std::string count =
          fmt::format("__{}{}({})", name == "clz" ? "clz" : "popc", wide ? "ll" : "", bits.text);
      if (name == "clz" && from.bits() < 32) count = fmt::format("({} - {})", count, 32 - from.bits());
      return casted(type(dtype, span), {count});
    }
    if (dtype.is_integral()) {
      if (name == "fabs") return {fmt::format("abs({})", args[0].text)};
      undefined(name, dtype, span);
    }
    if (is_half(dtype)) {
      if (name == "nextafter") refuse("`nextafter` of float16", span);
      std::vector<Text> wide;
      for (size_t i = 0; i < args.size(); ++i)
        wide.push_back(i == 1 && name == "ldexp" ? args[i] : casted("float", args[i]));
      return casted(type(dtype, span), math(name, wide, DataType::Float(32), DataType::Float(32), span));
    }
    std::string suffix = dtype.bits() == 32 ? "f" : "";
    if (name == "sigmoid")
      return {fmt::format("1.0{0} / (1.0{0} + exp{0}(-{1}))", suffix, args[0].at_least(kUnary)), kProduct};
    if (name == "ldexp")
      return {fmt::format("ldexp{}({}, (int){})", suffix, args[0].text, args[1].at_least(kUnary))};
    std::string function(name == "round" ? "nearbyint" : name);  // ties to even
    return c_backend::called(function + suffix, args);
  }
  std::string preamble() override { return "#include <hip/hip_runtime.h>\n\n"; }
  std::string trap(ir::Span) override { return "__builtin_trap();"; }
  std::optional<Value> device_call(const ir::CallNode* call, std::string_view name) override;
  Text atomic_add(const ir::CallNode* call) override {
    if (call->args.size() != 2) refuse("`T.atomic_add` of other than a pointer and a value", call->span);
    return {fmt::format("atomicAdd({}, {})", scalar(call->args[0]).text, scalar(call->args[1]).text)};
  }
};

// LLVM's intrinsics by their names: those of AMD's GPUs are clang's builtins, those of numbers are functions.
std::optional<Value> RocmEmitter::device_call(const ir::CallNode* call, std::string_view name) {
  bool intrinsic = name == "call_llvm_intrin" || name == "call_llvm_pure_intrin";
  if (!intrinsic && name != "call_extern" && name != "call_pure_extern") return std::nullopt;
  std::string function = text_argument(call, 0);
  constexpr std::string_view kLlvm = "llvm.", kAmd = "llvm.amdgcn.";
  if (!function.starts_with(kLlvm)) {
    if (intrinsic) refuse(fmt::format("LLVM's intrinsic `{}`", function), call->span);
    return std::nullopt;
  }
  std::vector<Value> args;
  for (size_t i = 1; i < call->args.size(); ++i) args.push_back(emit(call->args[static_cast<int64_t>(i)]));
  if (function.starts_with(kAmd)) {
    std::string builtin = "__builtin_amdgcn_" + function.substr(kAmd.size());
    std::ranges::replace(builtin, '.', '_');
    std::string all;
    for (Value& arg : args) all += (all.empty() ? "" : ", ") + whole(arg, call->span);
    return of(call->dtype(), {fmt::format("{}({})", builtin, all)});
  }
  std::string base = function.substr(kLlvm.size());
  base = base.substr(0, base.find('.'));
  if (base == "fmuladd") base = "fma";
  if (base == "ctpop") base = "popcount";
  if (base == "roundeven") base = "round";
  if (ir::scalar_op(base) == nullptr) refuse(fmt::format("LLVM's intrinsic `{}`", function), call->span);
  DataType dtype = call->dtype(), from = call->args[1]->dtype();
  return each_lane(dtype, std::move(args), [&](const std::vector<Text>& each) {
    return math(base, each, dtype.element(), from.element(), call->span);
  });
}

std::string rocm_source(const ir::IRModule& device_functions, const ir::Target& target) {
  return RocmEmitter(device_functions, target).source();
}

}  // namespace mlc::rocm_backend
