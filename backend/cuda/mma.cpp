// SPDX-License-Identifier: Apache-2.0
// What tensor intrinsics of tvm.s_tir call: matrix instructions on registers that arrays of a thread hold, in
// the layouts of the PTX ISA, and copies that InjectPTXAsyncCopy and InjectPTXLDG32 make.
#include <cstdio>

#include "backend/cuda/emitter.h"
#include "ir/core/error.h"

namespace mlc::cuda_backend {

using c_backend::kPrimary;
using c_backend::kSum;
using c_backend::kUnary;

namespace {

// An element type of mma: what T.ptx_legacy.mma calls it, PTX's name, bits.
struct Element {
  std::string_view names, ptx;
  int bits;
};
constexpr Element elements[] = {
    {"fp16 float16 .f16", "f16", 16},
    {"bf16 bfloat16 .bf16", "bf16", 16},
    {"tf32 .tf32", "tf32", 32},
    {"fp32 float32 .f32", "f32", 32},
    {"fp64 float64 .f64", "f64", 64},
    {"int8 .s8", "s8", 8},
    {"uint8 .u8", "u8", 8},
    {"int4 .s4", "s4", 4},
    {"uint4 .u4", "u4", 4},
    {"int32 .s32", "s32", 32},
    {"int1 uint1 .b1", "b1", 1},
    {"e4m3 float8_e4m3fn .e4m3", "e4m3", 8},
    {"e5m2 float8_e5m2 .e5m2", "e5m2", 8},
};

bool has(std::string_view names, std::string_view wanted) {
  while (!names.empty()) {
    size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == wanted) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

// ptr + offset, both arguments.
Text CudaEmitter::moved(const ir::CallNode* call, int64_t pointer_at, int64_t offset_at) {
  Text base = scalar(call->args[pointer_at]);
  if (ir::is_const_int(call->args[offset_at], 0)) return base;
  return {fmt::format("{} + {}", base.at_least(kSum), index(call->args[offset_at])), kSum};
}

std::optional<Value> CudaEmitter::matrix_call(const ir::CallNode* call, std::string_view name) {
  const auto& args = call->args;
  auto count = static_cast<int64_t>(args.size());
  auto none = [&] { return of(call->dtype(), {""}); };
  auto takes = [&](int64_t wanted) {
    if (count < wanted)
      throw ir::Error("wrong-argument-count", "`tirx.{}` takes {} arguments, not {}", name, wanted, count)
          .at(call->span);
  };
  if (name == "mma_fill_legacy" || name == "mma_fill") {
    takes(3);
    std::string target = moved(call, 1, 2).at_least(kPrimary);
    line("#pragma unroll");
    line(fmt::format("for (int i = 0; i < {}; ++i) {}[i] = 0;", int_argument(call, 0), target));
    return none();
  }
  if (name == "mma_store_legacy" || name == "mma_store") {
    takes(6);
    if (int_argument(call, 0) != 16 || int_argument(call, 1) != 16)
      refuse("`mma_store` of a tile that is not 16x16", call->span);
    std::string target = scalar(args[2]).at_least(kPrimary), source = moved(call, 3, 4).at_least(kPrimary);
    line("#pragma unroll");
    Block block(*this, "for (int i = 0; i < 8; ++i)");
    line(fmt::format(
        "{}[(i % 4 / 2 * 8 + (int)threadIdx.x / 4) * ({}) + i / 4 * 8 + (int)threadIdx.x % 4 * 2 + i % 2] = "
        "{}[i];",
        target, index(args[5]), source));
    return none();
  }
  if (name == "ptx_legacy.ldmatrix") {
    takes(7);
    bool transposed = int_argument(call, 0) != 0;
    int64_t number = int_argument(call, 1);
    auto* data = ir::as<ir::VarNode>(args[3]);
    if (auto* inner = ir::as_call_to(args[3], "tirx.buffer_data")) data = ir::as<ir::VarNode>(inner->args[0]);
    bool bytes = data != nullptr && binding(data, call->span).element.bits() == 8;
    std::string target = moved(call, 3, 4).at_least(kUnary);
    if (transposed && bytes) {
      // No instruction transposes bytes; the last argument is the distance of rows then.
      std::string source = scalar(args[5]).at_least(kPrimary), stride = index(args[6]);
      line("#pragma unroll");
      Block block(*this, "for (int i = 0; i < 16; ++i)");
      line(fmt::format(
          "({})[i] = {}[(i % 8 / 4 * 16 + (int)threadIdx.x % 4 * 4 + i % 4) * ({}) + (int)threadIdx.x / 4 + "
          "i / 8 * 8];",
          target, source, stride));
      return none();
    }
    std::string outputs, holes;
    for (int64_t i = 0; i < number; ++i) {
      outputs += fmt::format("{}\"=r\"(((unsigned*){})[{}])", i == 0 ? "" : ", ", target, i);
      holes += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
    }
    line(
        fmt::format("asm volatile(\"ldmatrix.sync.aligned.m8n8.x{}{}.shared{} {{{}}}, [%{}];\" : {} : "
                    "\"r\"((unsigned)__cvta_generic_to_shared({})) : \"memory\");",
                    number, transposed ? ".trans" : "", text_argument(call, 2), holes, number, outputs,
                    moved(call, 5, 6).text));
    return none();
  }
  if (name == "ptx_legacy.mma") {
    takes(13);
    emit_mma(call);
    return none();
  }
  if (name == "s_tir.cp_async_raw") {
    takes(5);
    std::string target = moved(call, 0, 1).text, source = moved(call, 2, 3).text;
    int64_t bytes = int_argument(call, 4);
    if (bytes != 4 && bytes != 8 && bytes != 16) refuse(fmt::format("a copy of {} bytes", bytes), call->span);
    // 16 bytes go past the first cache. Where the predicate does not hold, zeros are written.
    std::string inputs =
        fmt::format("\"r\"((unsigned)__cvta_generic_to_shared({})), \"l\"({})", target, source);
    std::string size;
    if (count > 5) {
      inputs += fmt::format(", \"r\"({} ? {} : 0)", scalar(args[5]).at_least(kPrimary), bytes);
      size = ", %2";
    }
    line(fmt::format("asm volatile(\"cp.async.{}.shared.global [%0], [%1], {}{};\" :: {} : \"memory\");",
                     bytes == 16 ? "cg" : "ca", bytes, size, inputs));
    return none();
  }
  return std::nullopt;
}

void CudaEmitter::emit_mma(const ir::CallNode* call) {
  std::string shape = text_argument(call, 0);
  int m = 0, n = 0, k = 0;
  if (std::sscanf(shape.c_str(), "m%dn%dk%d", &m, &n, &k) != 3)
    refuse(fmt::format("`mma` of shape `{}`", shape), call->span);
  const Element* types[3] = {nullptr, nullptr, nullptr};
  for (int64_t i = 0; i < 3; ++i) {
    std::string wanted = text_argument(call, 3 + i);
    for (const Element& one : elements) {
      if (has(one.names, wanted)) types[i] = &one;
    }
    if (types[i] == nullptr) refuse(fmt::format("`mma` of `{}`", wanted), call->span);
  }
  std::string bit_operator = call->args.size() > 13 ? "." + text_argument(call, 13) + ".popc" : "";
  bool saturate = ir::const_int(call->args[12]).value_or(0) != 0;
  // Registers of a thread: 32 bits each, but for float64.
  bool wide = types[0]->bits == 64;
  // m8n8k4 of float16 is done by each quarter of a warp for itself.
  int copies = shape == "m8n8k4" && types[0]->bits == 16 ? 4 : 1;
  auto registers = [&](int rows, int columns, int bits) {
    return copies * rows * columns * bits / 32 / (wide ? 64 : 32);
  };
  int of_a = registers(m, k, types[0]->bits), of_b = registers(k, n, types[1]->bits),
      of_c = registers(m, n, types[2]->bits);
  char letter_ab = wide ? 'd' : 'r';
  std::string_view type_ab = wide ? "double" : "unsigned";
  char letter_c = types[2]->ptx == "f32" ? 'f' : wide ? 'd' : 'r';
  std::string_view type_c = types[2]->ptx == "f32"   ? "float"
                            : wide                   ? "double"
                            : types[2]->ptx == "s32" ? "int"
                                                     : "unsigned";
  std::string a = moved(call, 6, 7).at_least(kUnary), b = moved(call, 8, 9).at_least(kUnary),
              c = moved(call, 10, 11).at_least(kUnary);
  std::string outputs, inputs;
  std::string holes[3];  // c a b
  int number = 0;
  auto list = [&](std::string& into, std::string& group, std::string_view constraint, std::string_view type,
                  const std::string& pointer, int size) {
    for (int i = 0; i < size; ++i, ++number) {
      into += fmt::format("{}\"{}\"((({}*){})[{}])", into.empty() ? "" : ", ", constraint, type, pointer, i);
      group += fmt::format("{}%{}", i == 0 ? "" : ", ", number);
    }
  };
  list(outputs, holes[0], fmt::format("+{}", letter_c), type_c, c, of_c);
  list(inputs, holes[1], fmt::format("{}", letter_ab), type_ab, a, of_a);
  list(inputs, holes[2], fmt::format("{}", letter_ab), type_ab, b, of_b);
  line(
      fmt::format("asm volatile(\"mma.sync.aligned.{}.{}.{}{}.{}.{}.{}.{}{} {{{}}}, {{{}}}, {{{}}}, "
                  "{{{}}};\" : {} : {});",
                  shape, text_argument(call, 1), text_argument(call, 2), saturate ? ".satfinite" : "",
                  types[2]->ptx, types[0]->ptx, types[1]->ptx, types[2]->ptx, bit_operator, holes[0],
                  holes[1], holes[2], holes[0], outputs, inputs));
}

}  // namespace mlc::cuda_backend
