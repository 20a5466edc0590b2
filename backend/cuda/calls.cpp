// SPDX-License-Identifier: Apache-2.0
// T.cuda.*: functions of CUDA's own library, and small ones that the text defines.
#include <algorithm>

#include "backend/artefact/extents.h"
#include "backend/c/emitter.h"
#include "backend/cuda/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"

namespace mlc::cuda_backend {

using c_backend::kPrimary;
using c_backend::kUnary;
using ir::Error;
using ir::view;

namespace {

// An operator that is one expression: `$0` and on are its arguments, as the types that a cast in the text
// says. `header` is included; `needs` is a function of the prelude below.
struct Row {
  std::string_view name;
  int arity;
  std::string_view text;
  std::string_view header = {};
  std::string_view needs = {};
};

constexpr Row rows[] = {
    {"cuda.__activemask", 0, "__activemask()"},
    {"cuda.__shfl_sync", 4, "__shfl_sync($0, $1, $2, $3)"},
    {"cuda.__shfl_up_sync", 4, "__shfl_up_sync($0, $1, $2, $3)"},
    {"cuda.__shfl_down_sync", 4, "__shfl_down_sync($0, $1, $2, $3)"},
    {"cuda.__shfl_xor_sync", 4, "__shfl_xor_sync($0, $1, $2, $3)"},
    {"tvm_warp_activemask", 0, "__activemask()"},
    {"tvm_warp_shuffle", 5, "__shfl_sync($0, $1, $2, $3)"},
    {"tvm_warp_shuffle_up", 5, "__shfl_up_sync($0, $1, $2, $3)"},
    {"tvm_warp_shuffle_down", 5, "__shfl_down_sync($0, $1, $2, $3)"},
    {"tvm_warp_shuffle_xor", 5, "__shfl_xor_sync($0, $1, $2, $3)"},
    {"cuda.any_sync", 2, "__any_sync($0, $1)"},
    {"cuda.ballot_sync", 2, "__ballot_sync($0, $1)"},
    {"cuda.reduce_add_sync_u32", 2, "__reduce_add_sync($0, $1)"},
    {"cuda.reduce_min_sync_u32", 2, "__reduce_min_sync($0, $1)"},
    {"cuda.atomic_cas", 3, "atomicCAS($0, $1, $2)"},
    {"cuda.fdividef", 2, "__fdividef($0, $1)"},
    {"cuda.ffs_u32", 1, "__ffs($0)"},
    {"cuda.make_float2", 2, "mlc_bits<unsigned long long>(make_float2($0, $1))", {}, "mlc_bits"},
    {"cuda.float2_x", 1, "mlc_bits<float2>($0).x", {}, "mlc_bits"},
    {"cuda.float2_y", 1, "mlc_bits<float2>($0).y", {}, "mlc_bits"},
    {"cuda.fmul2_rn",
     2,
     "mlc_bits<unsigned long long>(__fmul2_rn(mlc_bits<float2>($0), mlc_bits<float2>($1)))",
     {},
     "mlc_bits"},
    {"cuda.fadd2_rn",
     2,
     "mlc_bits<unsigned long long>(__fadd2_rn(mlc_bits<float2>($0), mlc_bits<float2>($1)))",
     {},
     "mlc_bits"},
    {"cuda.float22bfloat162_rn", 2, "mlc_bits<unsigned>(__float22bfloat162_rn(make_float2($0, $1)))",
     "cuda_bf16.h", "mlc_bits"},
    {"cuda.float22bfloat162_rn_from_float2", 1,
     "mlc_bits<unsigned>(__float22bfloat162_rn(mlc_bits<float2>($0)))", "cuda_bf16.h", "mlc_bits"},
    {"cuda.bfloat1622float2", 1,
     "mlc_bits<unsigned long long>(__bfloat1622float2(mlc_bits<nv_bfloat162>($0)))", "cuda_bf16.h",
     "mlc_bits"},
    {"cuda.hmin2", 2, "mlc_bits<unsigned>(__hmin2(mlc_bits<nv_bfloat162>($0), mlc_bits<nv_bfloat162>($1)))",
     "cuda_bf16.h", "mlc_bits"},
    {"cuda.hmax2", 2, "mlc_bits<unsigned>(__hmax2(mlc_bits<nv_bfloat162>($0), mlc_bits<nv_bfloat162>($1)))",
     "cuda_bf16.h", "mlc_bits"},
    {"cuda.fp8x4_e4m3_from_float4", 4, "mlc_bits<unsigned>(__nv_fp8x4_e4m3(make_float4($0, $1, $2, $3)))",
     "cuda_fp8.h", "mlc_bits"},
    {"cuda.half2float", 1, "__half2float($0)", "cuda_fp16.h"},
    {"cuda.bfloat162float", 1, "__bfloat162float($0)", "cuda_bf16.h"},
    {"cuda.float22half2", 2, "*(half2*)$0 = __float22half2_rn(*(float2*)$1)", "cuda_fp16.h"},
    {"cuda.half8tofloat8", 2, "mlc_half8_to_float8($0, $1)", "cuda_fp16.h", "mlc_half8_to_float8"},
    {"cuda.float8tohalf8", 2, "mlc_float8_to_half8($0, $1)", "cuda_fp16.h", "mlc_float8_to_half8"},
    {"cuda.cvta_generic_to_shared", 1, "(unsigned)__cvta_generic_to_shared($0)"},
    {"cuda.smem_addr_from_uint64", 1, "(unsigned)$0"},
    {"cuda.uint_as_float", 1, "__uint_as_float($0)"},
    {"cuda.float_as_uint", 1, "__float_as_uint($0)"},
    {"cuda.thread_rank", 0, "(int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"},
    {"cuda.nano_sleep", 1, "__nanosleep((unsigned)$0)"},
    {"cuda.clock64", 0, "clock64()"},
    {"cuda.elect_sync", 0, "mlc_elect_sync()", {}, "mlc_elect_sync"},
    {"cuda.thread_fence", 0, "__threadfence()"},
    {"cuda.warp_sync", 0, "__syncwarp()"},
    {"cuda.cta_sync", 0, "__syncthreads()"},
    {"cuda.grid_sync", 0, "cooperative_groups::this_grid().sync()", "cooperative_groups.h"},
    {"cuda.syncthreads_and", 1, "__syncthreads_and($0)"},
    {"cuda.syncthreads_or", 1, "__syncthreads_or($0)"},
    {"cuda.cluster_sync", 0,
     "asm volatile(\"barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;\" ::: \"memory\")"},
    {"cuda.warpgroup_sync", 1, "asm volatile(\"bar.sync %0, 128;\" : : \"r\"($0) : \"memory\")"},
    {"cuda.mbarrier_wait_acquire_cluster",
     2,
     "mlc_mbarrier_wait_cluster((unsigned)__cvta_generic_to_shared($0), $1)",
     {},
     "mlc_mbarrier_wait_cluster"},
    {"cuda.sm100_2sm_leader_smem_addr", 1, "(unsigned)__cvta_generic_to_shared($0) & 0xfeffffffu"},
    {"cuda.get_tmem_addr", 3, "($0 + ((unsigned)($1) << 16) + (unsigned)($2))"},
    {"cuda.trap_when_assert_failed", 1, "((bool)$0 ? (void)0 : __trap())"},
    {"cuda.wgmma_encode_matrix_descriptor",
     5,
     "*(unsigned long long*)$0 = mlc_wgmma_descriptor($1, $2, $3, $4)",
     {},
     "mlc_wgmma_descriptor"},
    {"cuda.tcgen05_encode_matrix_descriptor",
     5,
     "*(unsigned long long*)$0 = mlc_tcgen05_descriptor($1, $2, $3, $4)",
     {},
     "mlc_tcgen05_descriptor"},
    {"nvshmem.my_pe", 0, "nvshmem_my_pe()", "nvshmem.h"},
    {"nvshmem.n_pes", 0, "nvshmem_n_pes()", "nvshmem.h"},
    {"nvshmem.quiet", 0, "nvshmem_quiet()", "nvshmem.h"},
    {"nvshmem.fence", 0, "nvshmem_fence()", "nvshmem.h"},
    {"nvshmem.barrier_all", 0, "nvshmem_barrier_all()", "nvshmem.h"},
    {"nvshmem.getmem_nbi", 4, "nvshmem_getmem_nbi($0, $1, $2, $3)", "nvshmem.h"},
    {"nvshmem.putmem_nbi", 4, "nvshmem_putmem_nbi($0, $1, $2, $3)", "nvshmem.h"},
    {"nvshmem.getmem_nbi_warp", 4, "nvshmemx_getmem_nbi_warp($0, $1, $2, $3)", "nvshmemx.h"},
    {"nvshmem.putmem_nbi_warp", 4, "nvshmemx_putmem_nbi_warp($0, $1, $2, $3)", "nvshmemx.h"},
    {"nvshmem.getmem_nbi_block", 4, "nvshmemx_getmem_nbi_block($0, $1, $2, $3)", "nvshmemx.h"},
    {"nvshmem.putmem_nbi_block", 4, "nvshmemx_putmem_nbi_block($0, $1, $2, $3)", "nvshmemx.h"},
    {"cuda.runtime_instr_desc", 2,
     "*(unsigned*)$0 = (*(unsigned*)$0 & ~0x60000030u) | (unsigned)($1) << 29 | (unsigned)($1) << 4"},
};

struct Prelude {
  std::string_view name, text;
};
constexpr Prelude prelude[] = {
    {"mlc_half8_to_float8", R"(
__device__ __forceinline__ void mlc_half8_to_float8(const void* from, void* to) {
  #pragma unroll
  for (int i = 0; i < 4; ++i) ((float2*)to)[i] = __half22float2(((const half2*)from)[i]);
}
)"},
    {"mlc_float8_to_half8", R"(
__device__ __forceinline__ void mlc_float8_to_half8(const void* from, void* to) {
  #pragma unroll
  for (int i = 0; i < 4; ++i) ((half2*)to)[i] = __float22half2_rn(((const float2*)from)[i]);
}
)"},
    {"mlc_elect_sync", R"(
// 1 in one thread of the warp.
__device__ __forceinline__ unsigned mlc_elect_sync() {
  unsigned elected;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(elected));
  return elected;
}
)"},
    // try_wait gives up after some time by itself: the loop goes on until the phase is over.
    {"mlc_mbarrier_wait", R"(
__device__ __forceinline__ void mlc_mbarrier_wait(unsigned barrier, int phase) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2, %3; "
                 "selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier), "r"(phase), "r"(10000000) : "memory");
  } while (!done);
}
)"},
    {"mlc_mbarrier_wait_cluster", R"(
__device__ __forceinline__ void mlc_mbarrier_wait_cluster(unsigned barrier, int phase) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                 "selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier), "r"(phase) : "memory");
  } while (!done);
}
)"},
    // Descriptors of matrices in shared memory: PTX ISA, "Matrix Descriptor Format" of wgmma and of tcgen05.
    // `swizzle`: 0 none, 1 to 3 for 32, 64 and 128 bytes.
    {"mlc_wgmma_descriptor", R"(
__device__ __forceinline__ unsigned long long mlc_wgmma_descriptor(const void* at, int leading, int stride,
                                                                   int swizzle) {
  unsigned long long start = ((unsigned)__cvta_generic_to_shared(at) >> 4) & 0x3fff;
  unsigned long long layout = (4 - swizzle) & 3;
  return start | (unsigned long long)(leading & 0x3fff) << 16 | (unsigned long long)(stride & 0x3fff) << 32 |
         layout << 62;
}
)"},
    // 4: 128 bytes in units of 32.
    {"mlc_tcgen05_descriptor", R"(
__device__ __forceinline__ unsigned long long mlc_tcgen05_descriptor(const void* at, int leading, int stride,
                                                                     int swizzle) {
  unsigned long long start = ((unsigned)__cvta_generic_to_shared(at) >> 4) & 0x3fff;
  unsigned long long layout = swizzle == 0 ? 0 : swizzle == 4 ? 1 : 8 - 2 * swizzle;
  return start | (unsigned long long)(leading & 0x3fff) << 16 | (unsigned long long)(stride & 0x3fff) << 32 |
         1ull << 46 | layout << 61;
}
)"},
};

}  // namespace

std::vector<Text> CudaEmitter::arguments(const ir::CallNode* call, size_t first) {
  std::vector<Text> made;
  for (size_t i = first; i < call->args.size(); ++i) {
    const Expr& arg = call->args[static_cast<int64_t>(i)];
    Value value = emit(arg);
    made.push_back(arg->dtype().is_vector() ? Text{whole(value, arg->span)} : value.whole);
  }
  return made;
}

std::optional<Value> CudaEmitter::device_call(const ir::CallNode* call, std::string_view name) {
  if (name.starts_with("ptx.") && name != "ptx.addr") return ptx_call(call, name);
  if (std::optional<Value> made = fragment_call(call, name)) return made;
  if (std::optional<Value> made = matrix_call(call, name)) return made;
  if (std::optional<Value> made = statement_call(call, name)) return made;
  if (std::optional<Value> made = function_call(call, name)) return made;
  const auto& args = call->args;
  for (const Row& row : rows) {
    if (row.name != name) continue;
    if (static_cast<int>(args.size()) != row.arity)
      throw Error("wrong-argument-count", "`tirx.{}` takes {} arguments, not {}", name, row.arity,
                  args.size())
          .at(call->span);
    if (!row.header.empty()) include(row.header);
    if (row.needs == "mlc_bits") need_bits();
    for (const Prelude& one : prelude) {
      if (one.name == row.needs) need(std::string(one.name), std::string(one.text));
    }
    std::vector<Text> texts = arguments(call);
    std::string text;
    for (size_t i = 0; i < row.text.size(); ++i) {
      if (row.text[i] != '$') {
        text += row.text[i];
        continue;
      }
      // Alone between brackets or commas an argument needs no more of them.
      char before = i == 0 ? '(' : row.text[i - 1];
      const Text& arg = texts[static_cast<size_t>(row.text[++i] - '0')];
      std::string_view rest = row.text.substr(i + 1);
      bool alone = (before == '(' || (before == ' ' && text.ends_with(", "))) &&
                   (rest.starts_with(')') || rest.starts_with(','));
      text += alone ? arg.text : arg.at_least(kUnary);
    }
    return of(call->dtype(), {text, text.starts_with('(') && !text.ends_with(')') ? kUnary : kPrimary});
  }
  return std::nullopt;
}

namespace {

std::string operation_of(std::string_view name, ir::Span span) {
  if (name == "sum" || name == "max" || name == "min") return std::string(name);
  throw Error("codegen-unsupported", "a reduction by `{}`: there are sum, max and min", name).at(span);
}

std::string reduction_step(std::string_view operation) {
  if (operation == "sum") return "value += other;";
  if (operation.front() == 'h') return fmt::format("value = __{}(value, other);", operation);
  return fmt::format("value = {}(value, other);", operation);
}

}  // namespace

// Operators whose text depends on more than their arguments' texts.
std::optional<Value> CudaEmitter::function_call(const ir::CallNode* call, std::string_view name) {
  const auto& args = call->args;
  auto count = static_cast<int64_t>(args.size());
  auto at_least = [&](int64_t wanted) {
    if (count < wanted)
      throw Error("wrong-argument-count", "`tirx.{}` takes {} arguments, not {}", name, wanted, count)
          .at(call->span);
  };
  if (name == "cuda.atomic_add") {
    at_least(2);
    return of(call->dtype(), atomic_add(call));
  }
  if (name == "cuda.mbarrier_wait") {
    at_least(2);
    need("mlc_mbarrier_wait",
         std::string(std::find_if(std::begin(prelude), std::end(prelude), [](const Prelude& one) {
                       return one.name == "mlc_mbarrier_wait";
                     })->text));
    // Of an address that is one of shared memory already.
    bool converted = args[0]->dtype() == DataType::UInt(32);
    std::string barrier = scalar(args[0]).text;
    if (!converted) barrier = fmt::format("(unsigned)__cvta_generic_to_shared({})", barrier);
    return of(call->dtype(), {fmt::format("mlc_mbarrier_wait({}, {})", barrier, scalar(args[1]).text)});
  }
  if (name == "cuda.mov_sreg") {
    at_least(2);
    int64_t bits = int_argument(call, 0);
    std::string reg = text_argument(call, 1);
    if (bits != 32 && bits != 64) refuse(fmt::format("a special register of {} bits", bits), call->span);
    std::string function = "mlc_sreg_" + reg;
    std::replace_if(
        function.begin(), function.end(), [](char c) { return c == '.' || c == ':'; }, '_');
    std::string as = type(DataType::UInt(static_cast<int>(bits)), call->span);
    need(function,
         fmt::format("\n__device__ __forceinline__ {} {}() {{\n  {} value;\n  asm volatile(\"mov.u{} %0, "
                     "%%{};\" : \"={}\"(value));\n  return value;\n}}\n",
                     as, function, as, bits, reg, bits == 64 ? "l" : "r"));
    return of(call->dtype(), {fmt::format("({}){}()", type(call->dtype(), call->span), function), kUnary});
  }
  if (name == "cuda.wgmma_noop_barrier") {
    at_least(1);
    bool real = args[0]->dtype().is_float();
    line(fmt::format("asm volatile(\"\" : \"+{}\"({}) :: \"memory\");", real ? "f" : "r",
                     scalar(args[0]).text));
    return of(call->dtype(), {""});
  }
  if (name == "cuda.printf") {
    at_least(1);
    std::string text = fmt::format("printf({}", c_backend::c_string(text_argument(call, 0)));
    for (const Text& one : arguments(call, 1)) text += ", " + one.text;
    return of(call->dtype(), {text + ")"});
  }
  if (name == "cuda.func_call") {
    // Name, arguments, and the text that defines the function.
    at_least(2);
    std::string function = text_argument(call, 0);
    std::string source = text_argument(call, count - 1);
    need(source, source);
    std::string text = function + "(";
    for (int64_t i = 1; i + 1 < count; ++i) {
      auto* quote = ir::as<ir::StringImmNode>(args[i]);
      Value value = quote != nullptr ? of(DataType::Handle(), {c_backend::c_string(view(quote->value))})
                                     : emit(args[i]);
      text += (i == 1 ? "" : ", ") + whole(value, args[i]->span);
    }
    return of(call->dtype(), {text + ")"});
  }
  if (name == "cuda.warp_reduce" || name == "cuda.cta_reduce") {
    at_least(name == "cuda.warp_reduce" ? 3 : 4);
    std::string operation = operation_of(text_argument(call, 1), call->span);
    int64_t wide = int_argument(call, 2);
    if (wide < 1 || wide > 32 || (wide & (wide - 1)) != 0)
      refuse(fmt::format("a reduction over {}", wide), call->span, "a power of two up to 32");
    // `max` and `min` are not those of half and bfloat16.
    DataType type = args[0]->dtype();
    bool is_half = type.bits() == 16 && (type.is_float() || type.is_bfloat16());
    if (is_half && operation != "sum") operation = "h" + operation;
    std::string warp = fmt::format("mlc_warp_{}", operation);
    need(warp,
         fmt::format(
             "\ntemplate <class T>\n__device__ __forceinline__ T {}(T value, int width) {{\n"
             "  #pragma unroll\n  for (int mask = width >> 1; mask > 0; mask >>= 1) {{\n"
             "    T other = __shfl_xor_sync(0xffffffffu, value, mask);\n    {}\n  }}\n  return value;\n}}\n",
             warp, reduction_step(operation)));
    std::string value = scalar(args[0]).text;
    if (name == "cuda.warp_reduce") return of(call->dtype(), {fmt::format("{}({}, {})", warp, value, wide)});
    std::string block = fmt::format("mlc_block_{}", operation);
    // Every warp reduces its lanes, the first one what the warps have left; lanes without a warp repeat the
    // first. Who is fast writes to the memory again only when all have read it.
    need(block,
         fmt::format(
             "\ntemplate <class T>\n__device__ __forceinline__ T {0}(T value, int warps, void* memory) {{\n"
             "  T* scratch = (T*)memory;\n  value = {1}(value, 32);\n"
             "  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
             "  if (thread % 32 == 0) scratch[thread / 32] = value;\n  __syncthreads();\n"
             "  if (thread < 32) {{\n    T part = scratch[thread < warps ? thread : 0];\n"
             "    part = {1}(part, warps);\n    if (thread == 0) scratch[0] = part;\n  }}\n"
             "  __syncthreads();\n  T made = scratch[0];\n  __syncthreads();\n  return made;\n}}\n",
             block, warp));
    return of(call->dtype(), {fmt::format("{}({}, {}, {})", block, value, wide, scalar(args[3]).text)});
  }
  if (name == "cuda.ldg" || name == "s_tir.ldg32") return read_only_load(call, name);
  return std::nullopt;
}

Value CudaEmitter::read_only_load(const ir::CallNode* call, std::string_view name) {
  const auto& args = call->args;
  auto count = static_cast<int64_t>(args.size());
  if (name == "s_tir.ldg32") {
    // Register, predicate, address of the element: 0 where the predicate does not hold.
    if (count != 4) refuse("`s_tir.ldg32` of this form", call->span);
    auto* from = ir::as<ir::TensorLoadNode>(args[2]);
    if (from == nullptr) refuse("`s_tir.ldg32` of what is no element of a buffer", call->span);
    std::string target = scalar(args[0]).at_least(kPrimary);
    std::string at = index(args[3]);
    std::string condition = scalar(args[1]).text;
    std::string source =
        element(from->source.get(), index(backend::flat_index(from->source, from->indices)), call->span);
    line(fmt::format("{}[{}] = {} ? __ldg(&{}) : 0.0f;", target, at,
                     Text{condition, c_backend::kTernary}.at_least(kUnary), source));
    return of(call->dtype(), {""});
  }
  if (count < 2) refuse(fmt::format("`tirx.{}` of this form", name), call->span);
  if (count == 2) {
    std::string as = type(DataType::parse(text_argument(call, 1)), call->span);
    return of(call->dtype(), {fmt::format("__ldg((const {}*){})", as, scalar(args[0]).at_least(kUnary))});
  }
  // Destinations, address, type, vector, how many.
  DataType dtype = DataType::parse(text_argument(call, count - 3));
  int64_t lanes_wanted = int_argument(call, count - 1);
  if (count != lanes_wanted + 4 || (lanes_wanted != 2 && lanes_wanted != 4) || dtype.bits() != 32)
    refuse("`T.cuda.ldg` of this form", call->span, "2 or 4 destinations of 32 bits");
  DataType vector = dtype.with_lanes(static_cast<int>(lanes_wanted));
  std::string as = type(vector, call->span);
  std::string loaded =
      keep({fmt::format("__ldg((const {}*){})", as, scalar(args[lanes_wanted]).at_least(kUnary))}, vector,
           "loaded", call->span);
  for (int64_t i = 0; i < lanes_wanted; ++i) {
    line(fmt::format("*({}*){} = {};", type(dtype, call->span), scalar(args[i]).at_least(kUnary),
                     lane(loaded, vector, static_cast<int>(i))));
  }
  return of(call->dtype(), {""});
}

Text CudaEmitter::atomic_add(const ir::CallNode* call) {
  if (call->args.size() < 2) refuse("`T.atomic_add` of other than a pointer and a value", call->span);
  std::vector<Text> args = arguments(call);
  return {fmt::format("atomicAdd({}, {})", args[0].text, args[1].text)};
}

}  // namespace mlc::cuda_backend
