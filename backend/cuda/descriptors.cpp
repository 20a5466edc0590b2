// SPDX-License-Identifier: Apache-2.0
// What needs more than a row: instruction descriptors of tcgen05.mma, which are numbers of constants (PTX
// ISA, "Instruction descriptor"), waits for a word of memory, and events of the profiler.
#include <algorithm>

#include "backend/cuda/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"

namespace mlc::cuda_backend {

using c_backend::kPrimary;
using c_backend::kUnary;
using ir::Error;

namespace {

// A data type of a multiplicand, and its number in the descriptor.
struct Format {
  std::string_view names;
  int number;
  std::string_view kind;  // of the instruction
};
constexpr Format formats[] = {
    {"float16 fp16 f16", 0, "f16"},
    {"bfloat16 bf16", 1, "f16"},
    {"tf32 tensor_float32", 2, "tf32"},
    {"float8_e4m3fn e4m3 float8_e4m3fnuz", 0, "f8f6f4"},
    {"float8_e5m2 e5m2", 1, "f8f6f4"},
    {"float6_e2m3fn e2m3", 3, "f8f6f4"},
    {"float6_e3m2fn e3m2", 4, "f8f6f4"},
    {"float4_e2m1fn e2m1", 5, "f8f6f4"},
    {"uint8 u8", 0, "i8"},
    {"int8 s8", 1, "i8"},
};
const Format* format_of(std::string_view name) {
  for (const Format& one : formats) {
    if (ir::has_word(one.names, name)) return &one;
  }
  return nullptr;
}

// Sizes of a tile by kind, and by how many blocks work on it: M with the step of N, up to 256; K.
bool has_shape(std::string_view kind, int64_t blocks, int64_t m, int64_t n, int64_t k, bool sparse) {
  int64_t step = 0;
  bool scaled = kind.starts_with("mx");
  if (scaled) {
    if (blocks == 1 && m == 128) step = 8;
    if (blocks == 2 && (m == 256 || (m == 128 && !sparse))) step = 16;
  } else if (blocks == 1) {
    if (m == 64) step = kind == "i8" ? 16 : 8;
    if (m == 128) step = 16;
  } else if (m == 128 || m == 256) {
    step = 32;
  }
  bool odd = kind == "i8" && blocks == 1 && step != 0 && (n == 8 || n == 24);
  if (step == 0 || (!odd && (n < step || n > 256 || n % step != 0))) return false;
  int64_t dense = kind == "f16" ? 16 : kind == "tf32" ? 8 : kind == "mxf4" || kind == "mxf4nvf4" ? 64 : 32;
  if (k == 96 && dense == 64 && !sparse) return (blocks == 1 && m == 128) || (blocks == 2 && m == 256);
  return k == (sparse ? 2 * dense : dense);
}

constexpr std::string_view event_function = R"(
__device__ __forceinline__ unsigned mlc_timestamp() {
  unsigned now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
  return now;
}
// An event: when, where and what it is, in the next slot of the buffer.
__device__ __forceinline__ void mlc_timer_event(unsigned event, void* buffer, const void* tag, void* offset, int stride,
                                                bool writes) {
  if (!writes) return;
  unsigned* at = (unsigned*)offset;
  ((unsigned long long*)buffer)[*at] =
      (unsigned long long)mlc_timestamp() << 32 | (*(const unsigned long long*)tag | event);
  *at += stride;
}
)";
constexpr std::string_view init_function = R"(
__device__ __forceinline__ void mlc_timer_init(void* buffer, void* tag, void* offset, int groups, int group) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned slot = block * groups + group;
  if (block == 0 && threadIdx.x == 0)
    ((unsigned long long*)buffer)[0] =
        (unsigned long long)groups << 32 | (unsigned)(gridDim.x * gridDim.y * gridDim.z);
  *(unsigned*)offset = 1 + slot;
  *(unsigned long long*)tag = (unsigned long long)slot << 12;
}
)";

}  // namespace

// desc, d, a, b [, scales of a and b, where they lie], M, N, K, a and b transposed, blocks, a and b negated
// [, saturates], sparse
void CudaEmitter::instruction_descriptor(const ir::CallNode* call, bool scaled) {
  auto count = static_cast<int64_t>(call->args.size());
  int64_t wanted = scaled ? 17 : 14;
  if (count != wanted)
    throw Error("wrong-argument-count", "an instruction descriptor takes {} arguments, not {}", wanted, count)
        .at(call->span);
  std::string result = text_argument(call, 1), a = text_argument(call, 2), b = text_argument(call, 3);
  const Format *of_a = format_of(a), *of_b = format_of(b);
  if (of_a == nullptr || of_b == nullptr || of_a->kind != of_b->kind)
    refuse(fmt::format("`tcgen05.mma` of {} and {}", a, b), call->span);
  int64_t at = scaled ? 8 : 4;
  auto next = [&] { return int_argument(call, at++); };
  int64_t m = next(), n = next(), k = next(), transpose_a = next(), transpose_b = next(), blocks = next(),
          negate_a = next(), negate_b = next();
  int64_t saturates = scaled ? 0 : next();
  int64_t sparse = next();
  std::string kind(of_a->kind);
  int result_format = result == "float32" || result == "fp32" || result == "f32" ? 1
                      : result == "int32"                                        ? 2
                                                                                 : 0;
  uint32_t number = 0;
  int a_format = of_a->number, b_format = of_b->number;
  if (scaled) {
    std::string scale = text_argument(call, 4);
    bool e8m0 = scale.find("e8m0") != std::string::npos;
    bool four = of_a->number == 5 && of_b->number == 5 && kind == "f8f6f4";
    kind = four ? (e8m0 ? "mxf4" : "mxf4nvf4") : "mxf8f6f4";
    if (of_a->kind != "f8f6f4" || (!e8m0 && !four) || text_argument(call, 5) != scale || result_format != 1)
      refuse(fmt::format("`tcgen05.mma` of {} and {} with scales of {}", a, b, scale), call->span);
    if (four) a_format = b_format = 1;
    number |= static_cast<uint32_t>(e8m0 ? 1 : 0) << 23 | static_cast<uint32_t>(k == 96 ? 1 : 0) << 31;
  } else {
    bool fits = kind == "i8" ? result_format == 2 : kind == "tf32" ? result_format == 1 : result_format != 2;
    if (!fits || (a_format == 1 && kind == "f16" && result_format != 1) ||
        (kind == "f16" && result_format == 0 && b_format != 0))
      refuse(fmt::format("`tcgen05.mma` of {} and {} to {}", a, b, result), call->span);
    if (saturates != 0 && kind != "i8")
      refuse(fmt::format("a saturating `tcgen05.mma` of {}", a), call->span);
    if ((negate_a != 0 || negate_b != 0) && kind == "i8")
      refuse(fmt::format("a negated tile of {}", a), call->span);
    number |= static_cast<uint32_t>(saturates & 1) << 3 | static_cast<uint32_t>(result_format) << 4;
  }
  if (!has_shape(kind, blocks, m, n, k, sparse != 0))
    refuse(fmt::format("`tcgen05.mma` of kind {} with M {}, N {}, K {} by {} blocks", kind, m, n, k, blocks),
           call->span);
  if ((transpose_a != 0 && (a_format > 2 || (scaled && kind != "mxf8f6f4"))) ||
      (transpose_b != 0 && (b_format > 2 || (scaled && kind != "mxf8f6f4"))))
    refuse("a transposed tile of floats below 8 bits", call->span);
  number |= static_cast<uint32_t>(sparse & 1) << 2 | static_cast<uint32_t>(a_format) << 7 |
            static_cast<uint32_t>(b_format) << 10 | static_cast<uint32_t>(negate_a & 1) << 13 |
            static_cast<uint32_t>(negate_b & 1) << 14 | static_cast<uint32_t>(transpose_a & 1) << 15 |
            static_cast<uint32_t>(transpose_b & 1) << 16 | static_cast<uint32_t>(n >> 3) << 17 |
            static_cast<uint32_t>(m >> 4) << 24;
  line(fmt::format("*(unsigned*){} = 0x{:08x}u;", scalar(call->args[0]).at_least(kUnary), number));
}

// Reads until the condition, which names what was read, holds; the last read is the one that others' writes
// are seen by.
void CudaEmitter::wait_until(const ir::CallNode* call) {
  if (call->args.size() != 7) refuse("`T.cuda.wait_until` of this form", call->span);
  const Expr& target = call->args[0];
  DataType dtype = target->dtype();
  if (!dtype.is_scalar() || !(dtype.is_int() || dtype.is_uint()) ||
      (dtype.bits() != 32 && dtype.bits() != 64))
    refuse(fmt::format("a wait for a word of type {}", dtype.str()), call->span);
  std::string suffix = text_argument(call, 5);
  if (suffix.empty()) suffix = fmt::format("{}{}", dtype.is_int() ? "s" : "u", dtype.bits());
  std::string place = fmt::format("{}.{}", text_argument(call, 3), text_argument(call, 4));
  bool shared = text_argument(call, 4).starts_with("shared");
  std::string word = scalar(target).text, pointer = scalar(call->args[1]).text;
  if (shared) pointer = fmt::format("(unsigned)__cvta_generic_to_shared({})", pointer);
  std::string letter = dtype.bits() == 64 ? "l" : "r";
  auto load = [&](std::string_view order, const std::string& into) {
    line(fmt::format("asm volatile(\"ld.{}.{}.{} %0, [%1];\" : \"={}\"({}) : \"{}\"({}) : \"memory\");",
                     order, place, suffix, letter, into, shared ? "r" : "l", pointer));
  };
  int64_t pause = int_argument(call, 6);
  line("#pragma unroll 1");
  {
    Block block(*this, "while (true)");
    load("relaxed", word);
    line(fmt::format("if ({}) break;", scalar(call->args[2]).text));
    if (pause > 0) line(fmt::format("__nanosleep({});", pause));
  }
  std::string last = fresh("last_read");
  line(fmt::format("{} {};", type(dtype, call->span), last));
  load("acquire", last);
}

std::optional<Value> CudaEmitter::statement_call(const ir::CallNode* call, std::string_view name) {
  auto none = [&] { return of(call->dtype(), {""}); };
  if (name == "cuda.tcgen05_encode_instr_descriptor" ||
      name == "cuda.tcgen05_encode_instr_descriptor_block_scaled") {
    instruction_descriptor(call, name.ends_with("block_scaled"));
    return none();
  }
  if (name == "cuda.wait_until") {
    wait_until(call);
    return none();
  }
  if (!name.starts_with("timer_")) return std::nullopt;
  std::vector<Text> args = arguments(call);
  std::string all;
  auto takes = [&](size_t wanted) {
    if (args.size() != wanted)
      throw Error("wrong-argument-count", "`tirx.{}` takes {} arguments, not {}", name, wanted, args.size())
          .at(call->span);
  };
  need("mlc_timer_event", std::string(event_function));
  if (name == "timer_init_cuda") {
    takes(5);
    need("mlc_timer_init", std::string(init_function));
    line(fmt::format("mlc_timer_init({}, {}, {}, {}, {});", args[0].text, args[1].text, args[2].text,
                     args[3].text, args[4].text));
    return none();
  }
  bool finishes = name == "timer_finalize_cuda";
  takes(finishes ? 5 : 6);
  std::string event = finishes ? "3u"
                               : fmt::format("((unsigned){} << 2 | {}u)", args[0].at_least(kUnary),
                                             name == "timer_end_cuda" ? 1 : 0);
  for (size_t i = finishes ? 0 : 1; i < args.size(); ++i) all += ", " + args[i].text;
  if (name != "timer_start_cuda") line("__threadfence_block();");
  line(fmt::format("mlc_timer_event({}{});", event, all));
  if (name == "timer_start_cuda") line("__threadfence_block();");
  return none();
}

}  // namespace mlc::cuda_backend
