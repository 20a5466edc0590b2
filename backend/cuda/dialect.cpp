// SPDX-License-Identifier: Apache-2.0
// Types, vectors, conversions and functions of CUDA C++.
#include "backend/cuda/emitter.h"
#include "backend/cuda/source.h"
#include "ir/core/error.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"
#include "ir/core/try_get.h"
#include "ir/tir/scalar_op.h"

namespace mlc::cuda_backend {

using c_backend::casted;
using c_backend::infix;
using c_backend::kEquality;
using c_backend::kProduct;
using c_backend::kShift;
using c_backend::kSum;
using c_backend::kUnary;
using ir::Error;
using ir::view;

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "too-many-threads",
         .message = "a block of this kernel has {} threads, and CUDA runs at most {} in one",
         .help = "bind loops with smaller extents to threads: split them first",
         .meaning = "No GPU of NVIDIA's takes more than 1024 threads in a block, whatever its architecture: "
                    "the launch "
                    "would fail."},
    }};
MLC_REFUSALS(cuda_dialect, refusals);

namespace {

constexpr int64_t kMostThreads = 1024;  // of a block, on all architectures

constexpr gpu_backend::Keywords words = {
    .language = "CUDA C++",
    .kernel = "extern \"C\" __global__ void ",
    .function = "__device__ __forceinline__ ",
    .shared = "__shared__",
    .global = "",
    .shared_pointer = "",
    .local_pointer = "",
    .restrict_word = "__restrict__",
    .infinity = "__int_as_float(0x7f800000)",
    .nan = "__int_as_float(0x7fffffff)",
    .long_suffix = "ll",
    .aligned = "alignas(64) ",
    .vector_arithmetic = false,
    .reserved =
        "half half2 nv_bfloat16 threadIdx blockIdx blockDim gridDim warpSize max min dim3 cudaStream_t "
        "float2 float4 int2 int4 uint uchar ushort clock clock64",
};

// Floats below 32 bits: dtype, the type, its header.
struct SmallType {
  std::string_view dtype, name, header;
};
constexpr SmallType small_types[] = {
    {"float16", "half", "cuda_fp16.h"},
    {"bfloat16", "nv_bfloat16", "cuda_bf16.h"},
    {"float8_e4m3fn", "__nv_fp8_e4m3", "cuda_fp8.h"},
    {"float8_e4m3", "__nv_fp8_e4m3", "cuda_fp8.h"},
    {"float8_e5m2", "__nv_fp8_e5m2", "cuda_fp8.h"},
    {"float8_e8m0fnu", "__nv_fp8_e8m0", "cuda_fp8.h"},
    {"float6_e2m3fn", "__nv_fp6_e2m3", "cuda_fp6.h"},
    {"float6_e3m2fn", "__nv_fp6_e3m2", "cuda_fp6.h"},
    {"float4_e2m1fn", "__nv_fp4_e2m1", "cuda_fp4.h"},
};
const SmallType* small_type(DataType dtype) {
  if (!dtype.is_floating() || dtype.bits() >= 32) return nullptr;
  for (const SmallType& row : small_types) {
    if (row.dtype == dtype.element().str()) return &row;
  }
  return nullptr;
}

bool is_half(DataType dtype) { return dtype.is_float() && dtype.bits() == 16; }

// The name of CUDA's own vector type; empty where it has none, or one that is not as wide as its lanes.
std::string native_vector(DataType dtype) {
  int lanes = dtype.lanes();
  if (is_half(dtype)) return lanes == 2 ? "half2" : "";
  if (dtype.is_bfloat16()) return lanes == 2 ? "nv_bfloat162" : "";
  if (lanes < 2 || lanes > 4 || (dtype.bits() == 64 && lanes > 2) || dtype.is_bool()) return "";
  std::string_view base;
  if (dtype.is_float()) {
    base = dtype.bits() == 32 ? "float" : "double";
  } else if (dtype.is_int() || dtype.is_uint()) {
    switch (dtype.bits()) {
      case 8:
        base = "char";
        break;
      case 16:
        base = "short";
        break;
      case 32:
        base = "int";
        break;
      case 64:
        base = "longlong";
        break;
      default:
        return "";
    }
  } else {
    return "";
  }
  return fmt::format("{}{}{}", dtype.is_uint() ? "u" : "", base, lanes);
}

constexpr char vector_class[] = R"(
// A vector, aligned to its size up to 16 bytes, and moved in words as large as that.
template <class T, int N>
struct alignas(sizeof(T) * N % 16 == 0 ? 16 : sizeof(T) * N % 8 == 0 ? 8 : sizeof(T) * N % 4 == 0 ? 4
               : sizeof(T) * N % 2 == 0 ? 2 : 1) mlc_vec {
  T v[N];
};
template <int Bytes> struct mlc_word { typedef unsigned char type; };
template <> struct mlc_word<2> { typedef unsigned short type; };
template <> struct mlc_word<4> { typedef unsigned type; };
template <> struct mlc_word<8> { typedef uint2 type; };
template <> struct mlc_word<16> { typedef uint4 type; };
template <class V>
__device__ __forceinline__ V mlc_load(const void* from) {
  typedef typename mlc_word<alignof(V)>::type word;
  V made;
  #pragma unroll
  for (int i = 0; i < (int)(sizeof(V) / sizeof(word)); ++i) {
    word one = ((const word*)from)[i];
    memcpy((char*)&made + i * sizeof(word), &one, sizeof(word));
  }
  return made;
}
template <class V>
__device__ __forceinline__ void mlc_store(void* to, V value) {
  typedef typename mlc_word<alignof(V)>::type word;
  #pragma unroll
  for (int i = 0; i < (int)(sizeof(V) / sizeof(word)); ++i) {
    word one;
    memcpy(&one, (const char*)&value + i * sizeof(word), sizeof(word));
    ((word*)to)[i] = one;
  }
}
)";

constexpr char bits_function[] = R"(
template <class To, class From>
__device__ __forceinline__ To mlc_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "types of one size");
  To made;
  memcpy(&made, &value, sizeof(made));
  return made;
}
)";

}  // namespace

CudaEmitter::CudaEmitter(const ir::IRModule& module, const ir::Target& target)
    : KernelEmitter(module, target, words) {}

std::string cuda_source(const ir::IRModule& device_functions, const ir::Target& target) {
  return CudaEmitter(device_functions, target).source();
}

std::string CudaEmitter::preamble() {
  std::string text;
  for (const std::string& header : headers_) text += fmt::format("#include <{}>\n", header);
  return text;
}

void CudaEmitter::need_bits() { need("mlc_bits", bits_function); }

// ---- types ----

std::string CudaEmitter::type(DataType dtype, ir::Span span) {
  if (dtype.is_vector()) {
    if (dtype.is_scalable()) refuse("a scalable vector", span);
    if (dtype.bits() < 8)
      throw Error("unsupported-dtype", "vectors of type {} cannot be written in CUDA C++", dtype.str())
          .at(span);
    std::string name = native_vector(dtype);
    std::string one = type(dtype.element(), span);
    if (!name.empty()) return name;
    need("mlc_vec", vector_class);
    return fmt::format("mlc_vec<{}, {}>", one, dtype.lanes());
  }
  if (dtype.is_void()) return "void";
  if (dtype.is_handle()) return "void*";
  if (dtype.is_bool() || (dtype.is_uint() && dtype.bits() == 1)) return "bool";
  if (const SmallType* small = small_type(dtype)) {
    include(small->header);
    return std::string(small->name);
  }
  if (dtype.is_float() && dtype.bits() == 32) return "float";
  if (dtype.is_float() && dtype.bits() == 64) return "double";
  bool is_signed = dtype.is_int();
  if (is_signed || dtype.is_uint()) {
    switch (dtype.bits()) {
      case 8:
        return is_signed ? "signed char" : "unsigned char";
      case 16:
        return is_signed ? "short" : "unsigned short";
      case 32:
        return is_signed ? "int" : "unsigned";
      case 64:
        return is_signed ? "long long" : "unsigned long long";
      case 128:
        return is_signed ? "__int128" : "unsigned __int128";
      default:
        break;
    }
  }
  throw Error("unsupported-dtype", "values of type {} cannot be written in CUDA C++", dtype.str()).at(span);
}

std::string CudaEmitter::parameter_type(const ir::Var& param, bool is_const) {
  const ir::TypeNode* type = param->ty.get();
  if (type->kind == ir::TypeKind::kPointer)
    type = static_cast<const ir::PointerTypeNode*>(type)->element_type.get();
  if (type->kind != ir::TypeKind::kTensorMap) return KernelEmitter::parameter_type(param, is_const);
  need("mlc_tensor_map",
       "\n// What the driver calls CUtensorMap.\nstruct alignas(64) mlc_tensor_map {\n"
       "  unsigned long long words[16];\n};\n");
  return "const __grid_constant__ mlc_tensor_map";
}

std::string CudaEmitter::lane(const std::string& vector, DataType dtype, int index) {
  if (!native_vector(dtype).empty()) return fmt::format("{}.{}", vector, "xyzw"[index]);
  return fmt::format("{}.v[{}]", vector, index);
}

std::string CudaEmitter::pack(DataType dtype, const std::vector<Text>& lanes, ir::Span span) {
  std::string all;
  for (int i = 0; i < dtype.lanes(); ++i) {
    const Text& one = lanes[lanes.size() == 1 ? 0 : static_cast<size_t>(i)];
    all += (i == 0 ? "" : ", ") + one.text;
  }
  std::string name = type(dtype, span);
  if (is_half(dtype) && dtype.lanes() == 2) return fmt::format("__halves2half2({})", all);
  if (dtype.is_bfloat16() && dtype.lanes() == 2) return fmt::format("__halves2bfloat162({})", all);
  if (!native_vector(dtype).empty()) return fmt::format("make_{}({})", name, all);
  return fmt::format("{}{{{{{}}}}}", name, all);
}

Text CudaEmitter::load_vector(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) {
  std::string name = type(dtype, span);
  if (native_vector(dtype).empty()) return {fmt::format("mlc_load<{}>({})", name, pointer.text)};
  return {fmt::format("*({}{}*){}", memory.is_const ? "const " : "", name, pointer.at_least(kUnary)), kUnary};
}

std::string CudaEmitter::store_vector(DataType dtype, const Text& pointer, const std::string& value,
                                      const Binding& memory, ir::Span span) {
  std::string name = type(dtype, span);
  if (native_vector(dtype).empty()) return fmt::format("mlc_store<{}>({}, {});", name, pointer.text, value);
  return fmt::format("*({}*){} = {};", name, pointer.at_least(kUnary), value);
}

// ---- threads, launches, memory ----

Text CudaEmitter::thread(std::string_view tag, DataType dtype, ir::Span span) {
  std::string as(type(dtype, span));
  if (tag.starts_with("threadIdx.") || tag.starts_with("blockIdx."))
    return {fmt::format("({}){}", as, tag), kUnary};
  if (tag.starts_with("clusterCtaIdx.")) {
    std::string name = fmt::format("mlc_cluster_ctaid_{}", tag.back());
    need(name, fmt::format("\n__device__ __forceinline__ unsigned {}() {{\n  unsigned made;\n"
                           "  asm(\"mov.u32 %0, %%cluster_ctaid.{};\" : \"=r\"(made));\n  return made;\n}}\n",
                           name, tag.back()));
    return {fmt::format("({}){}()", as, name), kUnary};
  }
  refuse(fmt::format("a thread `{}`", tag), span);
}

std::string CudaEmitter::launch_bounds(const ir::PrimFunc& fn) {
  auto number = [&](std::string_view key) -> std::optional<int64_t> {
    auto given = ir::attr(fn, key);
    if (!given) return std::nullopt;
    if (auto value = ir::try_get<ir::IntImm>(*given); value && *value) return (*value)->value;
    return given->try_cast<int64_t>();
  };
  fragments_.clear();
  dynamic_.clear();
  std::string text;
  auto threads = gpu_backend::block_threads(fn);
  if (threads && *threads > kMostThreads)
    throw ir::refuse(refusals["too-many-threads"], *threads, kMostThreads).at(fn->span);
  auto blocks = number("tirx.launch_bounds_min_blocks_per_sm");
  auto cluster = number("tirx.launch_bounds_max_blocks_per_cluster");
  auto excludes = [&](std::string_view message) {
    throw Error("codegen-unsupported", "{}", message).kind("InternalError+ValueError").at(fn->span);
  };
  if (cluster && !blocks)
    excludes("`launch_bounds_max_blocks_per_cluster` needs `launch_bounds_min_blocks_per_sm`");
  if (auto registers = number("tirx.max_registers")) {
    if (blocks) excludes("`max_registers` and `launch_bounds_min_blocks_per_sm` exclude each other");
    return fmt::format("__maxnreg__({}) ", *registers);  // compilers take it without bounds of a launch alone
  }
  if (threads && *threads > 1) {
    text = fmt::format("__launch_bounds__({}", *threads);
    if (blocks) text += fmt::format(", {}", *blocks);
    if (cluster) text += fmt::format(", {}", *cluster);
    text += ") ";
  }
  return text;
}

std::string CudaEmitter::barrier(std::string_view scope, ir::Span span) {
  if (scope == "shared" || scope == "shared.dyn") return "__syncthreads();";
  if (scope == "warp") return "__syncwarp();";
  refuse(fmt::format("a barrier of scope `{}`", scope), span, "kernels end where all blocks have to wait");
}

void CudaEmitter::dynamic_shared(const ir::AllocBufferNode* s) {
  dynamic_[s] = 1;
  if (dynamic_.size() > 1)
    refuse("a second piece of memory whose size the launch says", s->span,
           "MergeSharedMemoryAllocations makes one of all");
  std::string name = fresh(view(s->buffer->name));
  // Swizzled tiles and the copy engine want such an alignment.
  declare_shared(fmt::format("extern __shared__ __align__(1024) unsigned char {}[];", name), name);
  Binding made;
  made.text = {name};
  made.element = DataType::UInt(8);
  made.scope = "shared.dyn";
  bindings_[s->buffer.get()] = std::move(made);
}

// ---- numbers ----

Text CudaEmitter::cast(const Text& value, DataType from, DataType to, ir::Span span) {
  if (from == to) return value;
  if (from.is_handle() && to.is_handle()) return value;
  bool small_from = small_type(from) != nullptr;
  bool small_to = small_type(to) != nullptr;
  std::string name = type(to, span);
  if (to.is_bool()) {
    Text number = small_from ? casted("float", value) : value;
    return infix(number, "!=", {from.is_floating() ? "0.0f" : "0"}, kEquality, kShift);
  }
  bool wide16 = is_half(to) || to.is_bfloat16();
  if (small_to && (!wide16 || small_from)) {
    // By way of float32, which has all values of small formats; of larger numbers one rounding more.
    return casted(name, from.is_float() && from.bits() >= 32 ? value : casted("float", value));
  }
  if (wide16 && from.is_integral() && from.bits() < 32) return casted(name, casted("int", value));
  if (small_from && !(to.is_float() && to.bits() == 32)) return casted(name, casted("float", value));
  return casted(name, value);
}

// LowerIntrin puts `h` in front of what takes float16. CUDA has some of these; the others are computed in
// float32.
std::string CudaEmitter::function_name(const std::string& name) {
  const ir::ScalarOp* row = name.starts_with('h') ? ir::scalar_op(name.substr(1)) : nullptr;
  if (row == nullptr || (row->unary == nullptr) == (row->binary == nullptr)) return name;
  include("cuda_fp16.h");
  if (ir::has_word("hceil hcos hexp hexp10 hexp2 hfloor hlog hlog10 hlog2 hrsqrt hsin hsqrt htrunc", name))
    return name;
  bool two = row->binary != nullptr;
  Text y{"__half2float(y)"};
  std::vector<Text> args{{"__half2float(x)"}};
  if (two) args.push_back(y);
  Text made = math(row->name, args, DataType::Float(32), DataType::Float(32), {});
  std::string function = "mlc_" + name;
  return need(
      function,
      fmt::format("\n__device__ __forceinline__ half {}(half x{}) {{\n  return __float2half({});\n}}\n",
                  function, two ? ", half y" : "", made.text));
}

Text CudaEmitter::reinterpret(const Text& value, DataType from, DataType to, ir::Span span) {
  if (from == to) return value;
  std::string name = type(to, span);
  auto whole = [](DataType dtype) { return dtype.is_int() || dtype.is_uint(); };
  if (from.is_scalar() && to.is_scalar()) {
    if ((whole(from) && whole(to)) || (from.is_handle() && to.is_handle())) return casted(name, value);
    if (from.is_handle() || to.is_handle()) return casted(name, value);
    if (from.bits() == 32 && from.is_float() && whole(to))
      return {fmt::format("__float_as_{}({})", to.is_int() ? "int" : "uint", value.text)};
    if (to.bits() == 32 && to.is_float() && whole(from))
      return {fmt::format("__{}_as_float({})", from.is_int() ? "int" : "uint", value.text)};
  }
  need_bits();
  return {fmt::format("mlc_bits<{}>(({}){})", name, type(from, span), value.at_least(kUnary))};
}

Text CudaEmitter::extremum(bool is_max, const Text& a, const Text& b, DataType dtype) {
  std::string_view name = is_max ? "max" : "min";
  if (is_half(dtype) || dtype.is_bfloat16()) return {fmt::format("__h{}({}, {})", name, a.text, b.text)};
  if (small_type(dtype) != nullptr)
    return cast({fmt::format("{}((float){}, (float){})", name, a.at_least(kUnary), b.at_least(kUnary))},
                DataType::Float(32), dtype, {});
  if (!dtype.is_float() && dtype.bits() != 32) {
    std::string as = type(dtype.bits() == 64 ? dtype : DataType::Int(32), {});
    Text made{fmt::format("{}({}, {})", name, casted(as, a).text, casted(as, b).text)};
    return dtype.bits() == 64 ? made : casted(type(dtype, {}), made);
  }
  return {fmt::format("{}({}, {})", name, a.text, b.text)};
}

Text CudaEmitter::float_mod(const Text& a, const Text& b, DataType dtype) {
  return math("fmod", {a, b}, dtype, dtype, {});
}

Text CudaEmitter::math(std::string_view name, const std::vector<Text>& args, DataType dtype, DataType from,
                       ir::Span span) {
  if (name == "isnan") {
    return {
        fmt::format("isnan({})", small_type(from) != nullptr ? casted("float", args[0]).text : args[0].text)};
  }
  if (name == "popcount" || name == "clz") {
    bool wide = from.bits() > 32;
    std::string bits = type(DataType::UInt(from.bits()), span);
    std::string number =
        fmt::format("({})({}){}", wide ? "unsigned long long" : "unsigned", bits, args[0].at_least(kUnary));
    Text made{fmt::format("__{}{}({})", name == "clz" ? "clz" : "popc", wide ? "ll" : "", number)};
    if (name == "clz" && from.bits() < 32) made = {fmt::format("{} - {}", made.text, 32 - from.bits()), kSum};
    return cast(made, DataType::Int(32), dtype, span);
  }
  if (dtype.is_integral()) {
    if (name == "fabs") return {fmt::format("abs({})", args[0].text)};
    undefined(name, dtype, span);
  }
  if (small_type(dtype) != nullptr) {
    if (name == "nextafter") refuse(fmt::format("`nextafter` of {}", dtype.str()), span);
    std::vector<Text> wide;
    for (size_t i = 0; i < args.size(); ++i)
      wide.push_back(i == 1 && name == "ldexp" ? args[i] : casted("float", args[i]));
    return cast(math(name, wide, DataType::Float(32), DataType::Float(32), span), DataType::Float(32), dtype,
                span);
  }
  std::string suffix = dtype.bits() == 32 ? "f" : "";
  if (name == "sigmoid")
    return {fmt::format("1.0{0} / (1.0{0} + exp{0}(-{1}))", suffix, args[0].at_least(kUnary)), kProduct};
  if (name == "ldexp")
    return {fmt::format("ldexp{}({}, (int){})", suffix, args[0].text, args[1].at_least(kUnary))};
  std::string function(name);
  if (name == "round") function = "nearbyint";  // ties to even
  return c_backend::called(function + suffix, args);
}

}  // namespace mlc::cuda_backend
