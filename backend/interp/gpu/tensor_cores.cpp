// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/tensor_cores.h"

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/ptx_call.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "cta-groups-differ",
         .message = "`{}` is of {} block{}, and others of this kernel are of {}",
         .meaning = "All `tcgen05` instructions of a kernel have the same `cta_group`."},
        {.name = "instruction-descriptor",
         .kind = "ValueError",
         .message = "the descriptor of this `tcgen05.mma` {}",
         .meaning =
             "What an instruction multiplies is said twice, by how it is spelled and by its descriptor; the "
             "hardware does anything where the two differ."},
    }};
MLC_REFUSALS(gpu_tensor_cores, refusals);

bool is_of_pair(const PtxCall& call) { return call.modifier("cta_group") == "cta_group::2"; }

std::vector<ThreadBlock*> group_of(Thread& thread, bool pair, const std::string& text, Span span) {
  int blocks = pair ? 2 : 1, &known = thread.block.kernel.cta_group;
  if (known == 0) known = blocks;
  if (known != blocks)
    throw ir::refuse(refusals["cta-groups-differ"], text, blocks, pair ? "s" : "", known).at(span);
  if (!pair) return {&thread.block};
  auto [first, second] = pair_of(thread.block, text, span);
  return {first, second};
}

namespace {

// Elements by kind and number. Floats of 4 and 6 bits that are multiplied as bytes fill less than their 16
// bytes.
std::optional<ElementFormat> format_of(std::string_view kind, int number) {
  auto whole = [](ir::DataType type) { return ElementFormat::of(number_of(type)); };
  if (kind == "kind::f16" && number < 2)
    return whole(number == 0 ? ir::DataType::Float(16) : ir::DataType(kDLBfloat, 16));
  if (kind == "kind::tf32" && number == 2) return whole(ir::DataType::Float(32));
  if (kind == "kind::i8" && number < 2)
    return whole(number == 0 ? ir::DataType::UInt(8) : ir::DataType::Int(8));
  if (kind == "kind::mxf4" || kind == "kind::mxf4nvf4") {
    if (number != 1) return std::nullopt;
    return ElementFormat::narrow(ir::DataType(kDLFloat4_e2m1fn, 4), 32);
  }
  if (kind != "kind::f8f6f4" && kind != "kind::mxf8f6f4") return std::nullopt;
  switch (number) {
    case 0:
      return whole(ir::DataType(kDLFloat8_e4m3fn, 8));
    case 1:
      return whole(ir::DataType(kDLFloat8_e5m2, 8));
    case 3:
      return ElementFormat::narrow(ir::DataType(kDLFloat6_e2m3fn, 6), 16);
    case 4:
      return ElementFormat::narrow(ir::DataType(kDLFloat6_e3m2fn, 6), 16);
    case 5:
      return ElementFormat::narrow(ir::DataType(kDLFloat4_e2m1fn, 4), 16);
    default:
      return std::nullopt;
  }
}

}  // namespace

TensorProduct tensor_product(uint32_t descriptor, std::string_view kind, std::string_view vector, bool sparse,
                             size_t blocks, Span span) {
  auto field = [&](int at, uint32_t mask) { return static_cast<int>(descriptor >> at & mask); };
  auto absent = [&](std::string_view what) { unsupported(span, fmt::format("`tcgen05.mma` {}", what)); };
  auto wrong = [&](std::string_view what) {
    throw ir::refuse(refusals["instruction-descriptor"], what).at(span);
  };
  bool scaled = !vector.empty(), integers = kind == "kind::i8";
  if ((field(2, 1) != 0) != sparse)
    wrong(sparse ? "is one of dense matrices, and the instruction is of sparse ones"
                 : "is one of sparse matrices, and the instruction is of dense ones");
  TensorProduct made{};
  made.sparse = sparse;
  std::optional<ElementFormat> a = format_of(kind, field(7, 7)),
                               b = format_of(kind, field(10, scaled ? 3 : 7));
  if (scaled && kind == "kind::mxf8f6f4") b = format_of(kind, field(10, 7));
  if (!a || !b)
    wrong(fmt::format("has formats {} and {}, which {} has not", field(7, 7), field(10, 7), kind));
  made.in_a = *a;
  made.in_b = *b;
  made.as_tf32 = kind == "kind::tf32";
  made.accumulator = &number_of(integers ? ir::DataType::Int(32) : ir::DataType::Float(32));
  made.negates = (field(13, 1) != 0) != (field(14, 1) != 0);
  made.turned_a = field(15, 1) != 0;
  made.turned_b = field(16, 1) != 0;
  if ((made.turned_a && made.in_a.number == nullptr) || (made.turned_b && made.in_b.number == nullptr))
    wrong("transposes elements of less than 8 bits");
  made.n = field(17, 0x3F) * 8;
  made.m = field(24, 0x1F) * 16;
  made.k = (kind.starts_with("kind::mxf4") ? 64 : 256 / made.in_a.room()) * (sparse ? 2 : 1);
  if (scaled) {
    if (field(31, 1) != 0) absent("of 96 elements in a row");
    bool e8m0 = field(23, 1) != 0;
    if (!e8m0 && vector != "4X") wrong("has scales of type ue4m3, which are for 16 elements each");
    made.scale_format = ir::narrow_format(ir::DataType(e8m0 ? kDLFloat8_e8m0fnu : kDLFloat8_e4m3fn, 8));
    made.scales = vector[0] - '0';
    made.scale_a = field(29, 3);
    made.scale_b = field(4, 3);
    for (int id : {made.scale_a, made.scale_b})
      if (id % made.scales != 0)
        wrong(fmt::format("has its scales at byte {} of a column, and {} of them begin at a multiple of that",
                          id, made.scales));
  } else {
    if (field(3, 1) != 0) absent("that saturates");
    if (field(4, 3) != (integers ? 2 : 1)) absent("to accumulators of 16 bits");
    made.selector = sparse ? field(0, 3) : 0;
  }
  bool rows = blocks == 1 ? (made.m == 64 && !scaled) || made.m == 128 : made.m == 128 || made.m == 256;
  int step = scaled ? 8 * static_cast<int>(blocks) : blocks == 2 ? 32 : made.m == 64 ? 8 : 16;
  if (!rows || made.n < step || made.n > 256 || made.n % step != 0)
    wrong(fmt::format("has {} rows and {} columns, which no instruction of {} block{} has", made.m, made.n,
                      blocks, blocks == 1 ? "" : "s"));
  if (sparse &&
      (made.m != 128 * static_cast<int>(blocks) || made.as_tf32 || integers || made.in_a.number == nullptr))
    absent(fmt::format("of {} rows of sparse matrices of {} by {} block{}", made.m, kind, blocks,
                       blocks == 1 ? "" : "s"));
  return made;
}

}  // namespace mlc::interp
