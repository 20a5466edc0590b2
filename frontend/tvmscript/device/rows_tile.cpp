// SPDX-License-Identifier: Apache-2.0
// Tile primitives: T.cta.copy(dst, src), T.warp.sum(...), ... The namespace says which threads work together;
// T.tile.copy is what one thread does.
#include <deque>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/builder/scope_binding.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "copy-shape-mismatch",
         .message = "the destination has the shape ({}), the source ({})",
         .help = "copy equal regions, or reshape one side with a view",
         .meaning = "A copy of tiles reads as many elements along each axis as it writes."},
        {.name = "copy-size-mismatch",
         .message = "the sides of a bulk copy differ in bytes, or may do so",
         .help = "copy regions of one size"},
        {.name = "gather-without-rows",
         .message =
             "`gather4` is for dispatch=\"tma_explicit\": four rows in place of the one that the source is"},
    }};
MLC_REFUSALS(device_rows_tile, refusals);

namespace {

struct TileRow {
  std::string_view name;
  std::string_view parameters;
  std::string_view kinds;  // one letter per parameter, in the order of the signature
};

// What an operand may be: `t` a tile (a buffer or a region of one), `s` a tile, the first operand where it is
// left out, `a` a tile or a value, `o` the same or nothing, `v` a value, `f` a bool, now or as an expression,
// `x` an axis or several, `p` a tile operator by name, `l` a function of the indices.
constexpr TileRow tile_rows_[] = {
    {"add", "dst, src1, src2", "taa"},
    {"binary_chain", "output, data, operand0, operand1, op0, op1, reverse1=False", "ttaappf"},
    {"binary_reduce",
     "binary_output, reduce_output, binary_input1, binary_input2, binary_op, reduce_op, reduce_axes=-1",
     "ttaappx"},
    {"cast", "dst, src=None", "ts"},
    {"copy", "dst, src=None", "ts"},
    {"copy_async", "dst, src=None", "ts"},
    {"exp", "dst, src=None, bias=None, scale=None", "tsoo"},
    {"exp2", "dst, src=None, bias=None, scale=None", "tsoo"},
    {"fdiv", "dst, src1, src2", "tta"},
    {"fill", "dst, value", "tv"},
    {"fma", "dst, src, scale, bias", "ttaa"},
    {"gemm", "D, A, B, C, transpose_A=False, transpose_B=False, alpha=1.0, beta=0.0", "ttttffvv"},
    {"gemm_async", "C, A, B, SFA=None, SFB=None, transA=False, transB=False, accum=False", "tttoofff"},
    {"log2", "dst, src=None, bias=None, scale=None", "tsoo"},
    {"max", "dst, src=None, axes=-1, accum=False", "tsxf"},
    {"maximum", "dst, src1, src2", "taa"},
    {"memset", "dst, value", "tv"},
    {"min", "dst, src=None, axes=-1, accum=False", "tsxf"},
    {"minimum", "dst, src1, src2", "taa"},
    {"mul", "dst, src1, src2", "taa"},
    {"permute_layout", "dst, src=None", "ts"},
    {"reciprocal", "dst, src=None", "ts"},
    {"reduce_negate", "output, input, reduce_op, reduce_axes=-1, accum=False", "ttpxf"},
    {"select", "dst, true_value, false_value, pred", "taal"},
    {"silu", "dst, src=None", "ts"},
    {"sqrt", "dst, src=None, bias=None, scale=None", "tsoo"},
    {"sub", "dst, src1, src2", "taa"},
    {"sum", "dst, src=None, axes=-1, accum=False", "tsxf"},
    {"unary_reduce",
     "unary_output, reduce_output, unary_input, unary_op, reduce_op, bias=None, scale=None, reduce_axes=-1",
     "tttppoox"},
    {"zero", "dst, src=None", "ts"},
};

const TileRow& row_of(const ApiCall& call) {
  for (const TileRow& row : tile_rows_) {
    if (row.name == call.api.name) return row;
  }
  throw ir::InternalError(__FILE__, __LINE__, "unknown tile primitive");
}

ir::ExecScope scope_of(const ApiCall& call) {
  std::string_view owner = call.api.row.owner;
  std::string_view name = owner.substr(owner.rfind('.') + 1);
  return ir::exec_scope(scope_kind_named(name == "wg" ? "warpgroup" : name));
}

bool is_tile(const Any& value) {
  if (value.as<ir::TensorRegionNode>()) return true;
  auto* var = value.as<ir::VarNode>();
  return var && var->buffer();
}

// A whole buffer is the region that covers it.
Any tile(const ApiCall& call, size_t i) {
  const Any& value = call.args[i];
  if (auto* region = value.as<ir::TensorRegionNode>()) return Expr(ir::ref(region));
  auto* var = value.as<ir::VarNode>();
  if (!var || !var->buffer()) ir::wrong_argument(call, i, "a buffer or a region of one");
  Array<ir::Range> region;
  for (const Expr& extent : var->buffer()->shape)
    region.push_back(ir::make<ir::RangeNode>(ir::const_like(extent, 0), extent));
  return Expr(ir::make<ir::TensorRegionNode>(ir::ref(var), region, call.span_of(i)));
}

Any axes(const ApiCall& call, size_t i) {
  if (script::is_object(call.args[i])) return attribute_value(call.args[i], call.span_of(i));
  return Array<Any>{call.args[i]};
}

Any tile_operator(const ApiCall& call, size_t i) {
  if (auto* given = call.args[i].as<ir::OpNode>()) return Expr(ir::ref(given));
  String name = str_arg(call, i);
  return Expr(ir::op("tirx.tile." + std::string(view(name))));
}

Any tile_predicate(const ApiCall& call, size_t i) {
  if (call.args[i].as<ir::LambdaExprNode>()) return call.args[i];
  if (!call.host.callable(call.args[i])) ir::wrong_argument(call, i, "a function of the indices");
  return lambda_arg(call, i, "a predicate");
}

Any operand(const ApiCall& call, size_t i, char kind) {
  const Any& value = call.args[i];
  switch (kind) {
    case 't':
      return tile(call, i);
    case 's':
      return script::is_none(value) ? tile(call, 0) : tile(call, i);
    case 'a':
    case 'v':
    case 'o':
      if (script::is_none(value)) {
        if (kind == 'o') return nullptr;
        ir::wrong_argument(call, i, "a value");
      }
      if (kind != 'v' && is_tile(value)) return tile(call, i);
      return expr_arg(call, i);
    case 'f':
      if (script::is_bool(value)) return value;
      return expr_arg(call, i);
    case 'x':
      return axes(call, i);
    case 'p':
      return tile_operator(call, i);
    default:
      return tile_predicate(call, i);
  }
}

// Bulk tensor copies move bytes: only the sizes of both sides agree. With `gather4` the source is one of four
// rows.
void check_bytes(const ApiCall& call, const Any& dst, const Any& src, const String& dispatch,
                 const Map<String, Any>& config) {
  auto bits = [&](const Any& side) {
    auto* region = side.as<ir::TensorRegionNode>();
    Expr total = ir::int32(DataType(region->source->buffer()->dtype).bits());
    for (const ir::Range& range : region->region) total = total * range->extent;
    return call.host.simplify(total);
  };
  auto is_zero = [&](const Expr& e) { return ir::is_const_int(call.host.simplify(e), 0); };
  Expr to = bits(dst), from = bits(src);
  if (auto rows = config.find(String("gather4")); rows != config.end()) {
    const auto& region = src.as<ir::TensorRegionNode>()->region;
    bool four = is_list((*rows).second) && script::elements((*rows).second).size() == 4;
    if (view(dispatch) != "tma_explicit" || !four || region.size() != 2 || !is_zero(region[0]->extent - 1))
      throw ir::refuse(refusals["gather-without-rows"]).at(call.span);
    from = from * 4;
  }
  if (!is_zero(to - from)) throw ir::refuse(refusals["copy-size-mismatch"]).at(call.span);
}

// A copy covers the same elements on both sides: extents other than 1 agree, in order.
void check_copy(const ApiCall& call, const Any& dst, const Any& src, const String& dispatch,
                const Map<String, Any>& config) {
  if (view(dispatch) == "tma_auto" || view(dispatch) == "tma_explicit")
    return check_bytes(call, dst, src, dispatch, config);
  auto extents = [](const Any& side) {
    std::vector<Expr> all;
    for (const ir::Range& range : side.as<ir::TensorRegionNode>()->region) {
      if (!ir::is_const_int(range->extent, 1)) all.push_back(range->extent);
    }
    return all;
  };
  auto text = [](const std::vector<Expr>& all) {
    std::string shape;
    for (const Expr& one : all) {
      auto value = ir::const_int(one);
      shape += (shape.empty() ? "" : ", ") + (value ? std::to_string(*value) : std::string("?"));
    }
    return shape;
  };
  std::vector<Expr> to = extents(dst);
  std::vector<Expr> from = extents(src);
  bool same = to.size() == from.size();
  for (size_t i = 0; same && i < to.size(); ++i) {
    auto difference = ir::constant_difference(to[i], from[i]);
    same = !difference || *difference == 0;
  }
  if (same) return;
  throw ir::refuse(refusals["copy-shape-mismatch"], text(to), text(from)).at(call.span);
}

// T.tile.exp(x) of a value is the operator on values.
std::optional<Any> as_scalar(const ApiCall& call) {
  static constexpr std::string_view both[] = {"cast", "exp", "exp2", "log2", "max", "min", "sqrt"};
  if (is_tile(call.args[0]) || std::find(std::begin(both), std::end(both), call.api.name) == std::end(both))
    return std::nullopt;
  const ir::Api* scalar = ir::ApiRegistry::global().find(std::string(kT) + "." + call.api.name);
  std::vector<Any> args{call.args[0]};
  if (!script::is_none(call.args[1])) args.push_back(call.args[1]);
  return call.host.call(Any(ir::make<script::ApiFunctionNode>(scalar)), args);
}

Any build_tile_primitive(ApiCall& call) {
  if (auto scalar = as_scalar(call)) return *scalar;
  Builder& builder = Builder::current(call);
  const TileRow& row = row_of(call);
  size_t count = row.kinds.size();
  Array<Any> args;
  std::vector<Any> given(call.args.begin(), call.args.end());
  if (row.name == "gemm_async") {
    // Scales come in pairs or not at all. What is printed without them has the flags in their place.
    bool flags_early = !script::is_none(given[3]) && !is_tile(given[3]);
    if (flags_early) {
      for (size_t i = 3; i < 6; ++i) call.args[i + 2] = given[i];
      call.args[3] = call.args[4] = Any(nullptr);
      if (script::is_none(call.args[6])) call.args[6] = false;
      if (script::is_none(call.args[7])) call.args[7] = false;
    }
    bool scale_a = !script::is_none(call.args[3]);
    if (scale_a != !script::is_none(call.args[4])) {
      throw ir::Error("wrong-arguments", "`SFA` and `SFB` are given together or not at all")
          .at(call.span)
          .kind("ValueError");
    }
    for (size_t i = 0; i < count; ++i) {
      if ((i == 3 || i == 4) && !scale_a) continue;
      args.push_back(operand(call, i, i == 3 || i == 4 ? 't' : row.kinds[i]));
    }
  } else if (row.name == "reduce_negate") {
    // The call has the operator last; so is it printed.
    bool printed_order = !script::is_str(given[2]) && !given[2].as<ir::OpNode>();
    if (printed_order) {
      call.args[3] = given[2];
      call.args[4] = given[3];
      call.args[2] = given[4];
    }
    for (size_t i : {0, 1, 3, 4, 2}) args.push_back(operand(call, i, row.kinds[i]));
  } else {
    for (size_t i = 0; i < count; ++i) {
      bool left_out = row.kinds[i] == 's' && script::is_none(call.args[i]);
      args.push_back(left_out ? args[0]
                              : operand(call, i, row.kinds[i]));  // the same region, not one like it
    }
  }
  Map<String, Any> workspace, config;
  String dispatch;
  if (row.kinds != "taal") {
    workspace = attributes_arg(call, count);
    for (const auto& [name, buffer] : workspace) {
      if (!is_tile(buffer)) ir::wrong_argument(call, count, "a dict of buffers");
    }
    if (is_given(call, count + 1)) dispatch = str_arg(call, count + 1);
    config = attributes_arg(call, count + 2);
  }
  if (row.name == "copy" || row.name == "copy_async") check_copy(call, args[0], args[1], dispatch, config);
  builder.emit(ir::make<ir::TilePrimitiveCallNode>(ir::op("tirx.tile." + std::string(row.name)), args,
                                                   workspace, config, dispatch, scope_of(call), call.span));
  builder.touch();
  return nullptr;
}

std::span<const ir::ApiRow> tile_table() {
  static std::deque<std::string> text;
  static std::vector<ir::ApiRow> rows;
  if (!rows.empty()) return rows;
  static constexpr std::string_view owners[] = {
      "tvm.script.tirx.tile",      "tvm.script.tirx.cluster", "tvm.script.tirx.cta",   "tvm.script.tirx.wg",
      "tvm.script.tirx.warpgroup", "tvm.script.tirx.warp",    "tvm.script.tirx.thread"};
  for (const TileRow& row : tile_rows_) {
    std::string_view settings = row.name == "select" ? "" : ", workspace=None, dispatch=None, **config";
    std::string_view signature =
        text.emplace_back(fmt::format("{}({}{})", row.name, row.parameters, settings));
    for (std::string_view owner : owners) {
      rows.push_back({ir::ApiKind::kFunction, owner, signature,
                      "A tile primitive: work on whole tiles by the threads of a scope.",
                      build_tile_primitive});
    }
  }
  return rows;
}

}  // namespace

std::span<const ir::ApiRow> tile_rows() { return tile_table(); }

}  // namespace mlc::tvmscript
