// SPDX-License-Identifier: Apache-2.0
// Layouts that hardware dictates: tensor memory of tcgen05 (PTX ISA 9.7.16.10.5), the registers of its loads
// and stores, and the partitions of Trainium.
#include <algorithm>
#include <map>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/device/hardware_layout.h"
#include "frontend/tvmscript/device/layout_arguments.h"
#include "frontend/tvmscript/tir/buffer_view.h"
#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-hardware-layout",
         .meaning = "Registers and special memories of a GPU or NPU hold tiles of fixed shapes; the message "
                    "names those that fit."},
    }};
MLC_REFUSALS(device_rows_hardware_layout, refusals);

namespace {

using ir::Iter;
using ir::TileLayout;

struct Step {
  int64_t extent, stride;
  std::string_view axis;
};

TileLayout layout_from(const std::vector<Step>& steps, const Map<String, Expr>& offset = {}) {
  Array<Iter> shard;
  for (const Step& step : steps) {
    shard.push_back(ir::make<ir::IterNode>(ir::int32(static_cast<int>(step.extent)),
                                           ir::int32(static_cast<int>(step.stride)), ir::axis(step.axis)));
  }
  return ir::make<ir::TileLayoutNode>(shard, Array<Iter>{}, offset);
}

template <class... Args>
[[noreturn]] void refuse_layout(Span span, fmt::format_string<Args...> message, Args&&... args) {
  throw ir::refuse_as(refusals["bad-hardware-layout"], "{}",
                      fmt::format(message, std::forward<Args>(args)...))
      .at(span);
}
// Of Trainium's memories, as TVM checks them.
template <class... Args>
[[noreturn]] void refuse_partitions(Span span, fmt::format_string<Args...> message, Args&&... args) {
  throw ir::refuse_as(refusals["bad-hardware-layout"], "{}",
                      fmt::format(message, std::forward<Args>(args)...))
      .kind("AssertionError")
      .at(span);
}

int64_t int_from(const Any& value, Span span) {
  if (script::is_int(value)) return script::raw_int(value);
  auto e = script::to_expr(value);
  if (auto known = e ? ir::const_int(*e) : std::nullopt) return *known;
  throw ir::Error("wrong-type", "expected a constant int, got `{}`", ir::type_name(value))
      .at(span)
      .kind("TypeError");
}

// Which rows of a matrix lie in which lanes of tensor memory, by the letter of the data path.
Any tmem_datapath_layout(ApiCall& call) {
  std::string letter(str_arg(call, 0));
  int64_t rows = int_from(call.args[1], call.span_of(1));
  int64_t columns = int_from(call.args[2], call.span_of(2));
  int64_t slab = int_from(call.args[3], call.span_of(3));
  static const std::map<std::string, int64_t> rows_of = {{"A", 128}, {"B", 64}, {"C", 64}, {"D", 128},
                                                         {"E", 64},  {"F", 64}, {"G", 32}};
  auto known = rows_of.find(letter);
  if (known == rows_of.end())
    refuse_layout(call.span_of(0), "there is no data path `{}`, only A to G", letter);
  if (rows != known->second)
    refuse_layout(call.span_of(1), "data path {} has {} rows, not {}", letter, known->second, rows);
  if (slab != 0 && slab != 1) refuse_layout(call.span_of(3), "`sub_slab` is 0 or 1, not {}", slab);
  bool scattered = letter == "C" || letter == "F";
  if (slab != 0 && !scattered)
    refuse_layout(call.span_of(3), "data path {} covers both halves of a slab", letter);
  if (letter == "A" || letter == "D") return layout_from({{rows, 1, "TLane"}, {columns, 1, "TCol"}});
  int64_t folds = letter == "G" ? 4 : scattered ? 1 : 2;
  if (columns % folds != 0)
    refuse_layout(call.span_of(2), "data path {} folds its columns {} times, {} is no multiple", letter,
                  folds, columns);
  if (!scattered) {
    return layout_from(
        {{rows, 1, "TLane"}, {folds, folds == 4 ? 32 : 64, "TLane"}, {columns / folds, 1, "TCol"}});
  }
  Map<String, Expr> offset;
  if (slab != 0) offset.Set(String("TLane"), ir::int32(16));
  return layout_from({{4, 32, "TLane"}, {16, 1, "TLane"}, {columns, 1, "TCol"}}, offset);
}

// The registers of tcgen05.ld and tcgen05.st of one shape: rows over warps and lanes, columns over registers.
TileLayout atom_layout(std::string_view shape, int64_t rows, int64_t columns, DataType dtype, Span span) {
  struct Atom {
    std::string_view shape;
    int64_t columns;  // of 32 bits, for each repetition
    int64_t most;     // repetitions
  };
  static constexpr Atom atoms[] = {
      {"32x32b", 1, 128}, {"16x64b", 2, 128}, {"16x128b", 4, 64}, {"16x256b", 8, 32}};
  auto* atom =
      std::find_if(std::begin(atoms), std::end(atoms), [&](const Atom& a) { return a.shape == shape; });
  if (atom == std::end(atoms))
    refuse_layout(span, "there is no shape `{}`: 32x32b, 16x64b, 16x128b or 16x256b", shape);
  int bits = dtype.bits() * dtype.lanes();
  if (bits != 16 && bits != 32) refuse_layout(span, "elements have 16 or 32 bits, not {}", bits);
  if (rows != 64 && rows != 128) refuse_layout(span, "a fragment has 64 or 128 rows, not {}", rows);
  auto check_repetitions = [&](int64_t n) {
    if (n < 1 || n > atom->most || (n & (n - 1)) != 0)
      refuse_layout(span, "{} columns repeat {} {} times: a power of two up to {}", columns, shape, n,
                    atom->most);
  };
  if (shape == "32x32b" && rows == 64) {
    if (bits != 32) refuse_layout(span, "64 rows of 32x32b hold 32-bit elements only");
    if (columns % 2 != 0)
      refuse_layout(span, "64 rows of 32x32b need an even number of columns, not {}", columns);
    check_repetitions(columns / 2);
    return layout_from({{64, 1, "tid_in_wg"}, {2, 64, "tid_in_wg"}, {columns / 2, 1, "m"}});
  }
  int64_t packed = 32 / bits;
  int64_t unit = atom->columns * packed;
  if (columns % unit != 0) refuse_layout(span, "{} columns are no multiple of {}", columns, unit);
  int64_t n = columns / unit;
  check_repetitions(n);
  if (shape == "32x32b") return layout_from({{rows, 1, "tid_in_wg"}, {columns, 1, "m"}});
  // Strides on `m` count registers of 32 bits here.
  std::vector<Step> steps{{4, 1, "wid_in_wg"}};
  int64_t registers = shape == "16x64b" ? n : shape == "16x128b" ? 2 * n : 4 * n;
  if (rows == 128) steps.push_back({2, registers, "m"});
  if (shape == "16x64b") {
    steps.insert(steps.end(), {{2, 1, "laneid"}, {8, 4, "laneid"}, {n, 1, "m"}, {2, 2, "laneid"}});
  } else if (shape == "16x128b") {
    steps.insert(steps.end(), {{2, 1, "m"}, {8, 4, "laneid"}, {n, 2, "m"}, {4, 1, "laneid"}});
  } else {
    steps.insert(steps.end(), {{2, 2, "m"}, {8, 4, "laneid"}, {n, 4, "m"}, {4, 1, "laneid"}, {2, 1, "m"}});
  }
  for (Step& step : steps) {
    if (step.axis == "m") step.stride *= packed;
  }
  if (packed > 1) steps.push_back({packed, 1, "m"});
  return layout_from(steps);
}

std::pair<int64_t, int64_t> matrix_shape(ApiCall& call, size_t i) {
  std::vector<Any> shape = items(call.args[i], call.span_of(i));
  if (shape.size() != 2)
    refuse_layout(call.span_of(i), "a fragment has two dimensions, not {}", shape.size());
  return {int_from(shape[0], call.span_of(i)), int_from(shape[1], call.span_of(i))};
}

Any tcgen05_atom_layout(ApiCall& call) {
  auto [rows, columns] = matrix_shape(call, 1);
  String shape = str_arg(call, 0);
  return atom_layout(view(shape), rows, columns, dtype_arg(call, 2), call.span);
}

// Registers of one thread, seen as the fragment of the warpgroup.
Any fragment(ApiCall& call, const Array<Expr>& shape, DataType dtype, const ir::ObjectRef& layout) {
  Builder& builder = Builder::current(call);
  Array<Expr> own{ir::floordiv(ir::product(shape), ir::int32(128))};
  ir::ObjectRef own_layout;
  if (!builder.schedulable()) own_layout = ir::default_layout(own);
  auto type = ir::make<ir::BufferTypeNode>(dtype, String("local"), own, Array<Expr>{}, ir::int32(0), 64, 1,
                                           own_layout);
  Buffer flat = builder.allocate(type, {}, call.span);
  return declare_view(builder, flat, {shape, layout}, call.span);
}

Any alloc_tcgen05_ldst_frag(ApiCall& call) {
  auto [rows, columns] = matrix_shape(call, 1);
  DataType dtype = dtype_arg(call, 2);
  if (rows * columns % 128 != 0)
    refuse_layout(call.span_of(1), "{} elements do not divide among 128 threads", rows * columns);
  String shape = str_arg(call, 0);
  TileLayout layout = atom_layout(view(shape), rows, columns, dtype, call.span);
  return fragment(call, {ir::int32(static_cast<int>(rows)), ir::int32(static_cast<int>(columns))}, dtype,
                  layout);
}

Any alloc_cast_frag(ApiCall& call) {
  const ir::BufferTypeNode* source = buffer_arg(call, 0)->buffer();
  if (source->shape.size() != 2)
    refuse_layout(call.span_of(0), "a fragment has two dimensions, not {}", source->shape.size());
  return fragment(call, source->shape, dtype_arg(call, 1), source->layout);
}

Any trainium(ApiCall& call) {
  bool psum = bool_arg(call, 2);
  String annotation = str_arg(call, 0);
  return trainium_layout(view(annotation), exprs_arg(call, 1), psum, call.span);
}

Any to_psum(ApiCall& call) {
  auto* tile = call.args[0].as<ir::TileLayoutNode>();
  return psum_layout(ir::ref(tile), call.span);
}

constexpr ir::ApiRow hardware_layout_table[] = {
    {ir::ApiKind::kFunction, kLayoutModule, "tmem_datapath_layout(datapath, rows, cols, sub_slab=0)",
     "Where a data path of tcgen05.mma puts the rows of its result.", tmem_datapath_layout},
    {ir::ApiKind::kFunction, kLayoutModule, "tcgen05_atom_layout(instr_shape, tensor_shape, dtype)",
     "The registers of a load or store of tensor memory.", tcgen05_atom_layout},
    {ir::ApiKind::kFunction, kT, "alloc_tcgen05_ldst_frag(instr_shape, tensor_shape, dtype)",
     "Registers for a load or store of tensor memory.", alloc_tcgen05_ldst_frag},
    {ir::ApiKind::kFunction, kT, "alloc_cast_frag(src, dtype)",
     "Registers for the elements of a fragment in another type.", alloc_cast_frag},
    {ir::ApiKind::kFunction, "tvm.tirx.layout.TileLayout", "trainium(annotation, shape, is_psum=False)",
     "Dimensions over partitions (P) and along them (F).", trainium},
    {ir::ApiKind::kFunction, "tvm.script.tirx.TileLayout", "trainium(annotation, shape, is_psum=False)",
     "Dimensions over partitions (P) and along them (F).", trainium},
    {ir::ApiKind::kMethod, "mlc.tirx.TileLayout", "to_psum()", "The same in banks of the accumulator.",
     to_psum},
};

}  // namespace

TileLayout trainium_layout(std::string_view annotation, const Array<Expr>& shape, bool psum, Span span) {
  if (annotation.find_first_not_of("PF") != std::string_view::npos || annotation.size() != shape.size())
    refuse_partitions(span, "\"{}\" must say P or F for each of {} dimensions", annotation, shape.size());
  struct Dim {
    char kind;
    Expr extent;
    size_t at;  // where it stands in the result
  };
  std::vector<Dim> dims;
  for (size_t i = 0; i < shape.size(); ++i)
    dims.push_back({annotation[i], shape[static_cast<int64_t>(i)], 2 * i + 1});
  auto partitions = std::count(annotation.begin(), annotation.end(), 'P');
  if (partitions == 1) {
    size_t p = annotation.find('P');
    auto extent = ir::const_int(dims[p].extent);
    if (!extent || (*extent > 128 && *extent % 128 != 0))
      refuse_partitions(span, "the one partition dimension has at most 128 elements or a multiple of 128");
    if (*extent > 128) {
      // The rest of a long partition dimension lies along the others, outermost.
      dims[p].extent = ir::int32(128);
      dims.insert(dims.begin(), {'F', ir::int32(static_cast<int>(*extent / 128)), 2 * p});
    }
  } else if (partitions > 1) {
    int64_t all = 1;
    for (const Dim& dim : dims) all *= dim.kind == 'P' ? ir::const_int(dim.extent).value_or(1 << 20) : 1;
    if (all > 128)
      refuse_partitions(span, "{} partition dimensions have at most 128 elements together", partitions);
  }
  std::vector<std::pair<size_t, Iter>> placed;
  for (char kind : {'F', 'P'}) {
    Expr stride = ir::int32(1);
    for (size_t i = dims.size(); i-- > 0;) {
      if (dims[i].kind != kind) continue;
      placed.emplace_back(
          dims[i].at, ir::make<ir::IterNode>(dims[i].extent, stride, ir::axis(std::string_view(&kind, 1))));
      stride = ir::mul(stride, dims[i].extent);
    }
  }
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Array<Iter> shard;
  for (const auto& [at, iter] : placed) shard.push_back(iter);
  TileLayout layout = ir::make<ir::TileLayoutNode>(shard);
  return psum ? psum_layout(layout, span) : layout;
}

TileLayout psum_layout(const TileLayout& layout, Span span) {
  constexpr int64_t bank = 512;  // elements of a bank
  Array<Iter> shard;
  for (const Iter& iter : layout->shard) {
    if (view(iter->axis->name) != "F") {
      shard.push_back(iter);
      continue;
    }
    auto extent = ir::const_int(iter->extent);
    auto stride = ir::const_int(iter->stride);
    auto number = [](int64_t value) { return ir::int32(static_cast<int>(value)); };
    if (stride && *stride > 0 && *stride % bank == 0) {
      shard.push_back(ir::make<ir::IterNode>(iter->extent, number(*stride / bank), ir::axis("Bank")));
    } else if (extent && stride && *stride > 0 && bank % *stride == 0 && *extent < bank / *stride) {
      shard.push_back(iter);
    } else if (extent && stride && *stride > 0 && bank % *stride == 0 && *extent % (bank / *stride) == 0) {
      int64_t inside = bank / *stride;
      shard.push_back(ir::make<ir::IterNode>(number(*extent / inside), number(1), ir::axis("Bank")));
      shard.push_back(ir::make<ir::IterNode>(number(inside), iter->stride, ir::axis("F")));
    } else {
      refuse_partitions(span, "a layout that does not divide into banks of {} elements", bank);
    }
  }
  return ir::make<ir::TileLayoutNode>(shard);
}

std::span<const ir::ApiRow> hardware_layout_rows() { return hardware_layout_table; }

}  // namespace mlc::tvmscript
