// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/interp/machine.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"
#include "ir/tir/scalar_op.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "IndexError",
    {
        {.name = "assumption-failed", .kind = "ValueError", .message = "what `T.assume` says does not hold"},
        {.name = "index-out-of-bounds", .message = "index {} is outside of extent {}: {}"},
    }};
MLC_REFUSALS(interp_compile_call, refusals);

namespace {

using ir::DataType;

using ir::view;

// Floating math named by C's library: `expf` is `exp` rounded to float32.
const ir::OpRow* libm_row(std::string_view name) {
  for (const ir::OpRow& row : ir::op_rows()) {
    if (row.libm.empty() || (!row.unary && !row.binary)) continue;
    if (name == row.libm ||
        (name.size() == row.libm.size() + 1 && name.starts_with(row.libm) && name.ends_with('f'))) {
      return &row;
    }
  }
  return nullptr;
}

Code float_math(const ir::OpRow& row, std::vector<Code> args, DataType type) {
  const Number& number = number_of(type);
  int lanes = lane_count(type);
  if (row.unary) {
    return map_lanes(lanes, args[0],
                     [fn = row.unary, &number](Lane x) { return Lane{.f = number.round(fn(x.f))}; });
  }
  return zip_lanes(lanes, args[0], args[1], [fn = row.binary, &number](Lane x, Lane y) {
    return Lane{.f = number.round(fn(x.f, y.f))};
  });
}

}  // namespace

Code Compiler::call(const ir::CallNode* node) {
  if (auto* op = ir::as<ir::OpNode>(node->op)) return call_intrinsic(node, view(op->name));
  if (auto* callee = ir::as<ir::GlobalVarNode>(node->op)) return call_function(node, callee);
  unsupported(node->span, "a call of a computed function");
}

Code Compiler::call_intrinsic(const ir::CallNode* node, std::string_view name) {
  DataType type = node->dtype();
  int lanes = lane_count(type);
  auto arg = [&](size_t i) { return expr(node->args[i]); };
  const ir::OpRow& row = ir::op_row(ir::as<ir::OpNode>(node->op));

  if (in_kernel_) {
    if (Code code = kernel_intrinsic(node, name)) return code;
  }
  if (name == "tirx.call_extern" || name == "tirx.call_pure_extern") return call_extern(node);
  if (name == "tirx.address_of") return address_of(node);
  if (name == "tirx.buffer_data") return arg(0);
  if (name == "tirx.reinterpret") return reinterpret(node);
  if (name == "tirx.if_then_else") {
    if (node->args[0]->dtype().is_vector()) unsupported(node->span, "`if_then_else` on a vector condition");
    return [condition = arg(0), yes = arg(1), no = arg(2), span = node->span](Frame& frame, Lane* out) {
      Lane chosen;
      condition(frame, &chosen);
      frame.program.heap.use(span);
      chosen.i != 0 ? yes(frame, out) : no(frame, out);
    };
  }
  if (name == "tirx.likely" || name == "tirx.ignore_loop_partition" || name == "tirx.tvm_thread_invariant") {
    return arg(0);
  }
  if (name == "tirx.check_index") {
    auto* text = ir::as<ir::StringImmNode>(node->args[2]);
    if (text == nullptr) unsupported(node->span, "`check_index` without a text");
    std::string what(text->value);
    Code mask = node->args.size() == 4 ? arg(3) : Code();
    int mask_lanes = mask ? lane_count(node->args[3]->dtype()) : 1;
    return [index = arg(0), extent = arg(1), what, lanes, mask, mask_lanes, span = node->span](Frame& frame,
                                                                                               Lane* out) {
      Lane size;
      Lanes chosen(mask_lanes);
      index(frame, out);
      extent(frame, &size);
      if (mask) mask(frame, chosen.data());
      bool any =
          !mask || std::any_of(chosen.data(), chosen.data() + mask_lanes, [](Lane x) { return x.i != 0; });
      for (int i = 0; any && i < lanes; ++i) {
        if ((out[i].i >= 0 && out[i].i < size.i) || (mask && lanes > 1 && chosen[i].i == 0)) continue;
        throw ir::refuse(refusals["index-out-of-bounds"], out[i].i, size.i, what).at(span);
      }
    };
  }
  if (name == "tirx.get_active_lane_mask") return lane_mask(node);
  if (name == "tirx.masked_load") return masked_load(node);
  if (name == "tirx.masked_store") return masked_store(node);
  if (name == "tirx.vscale") return [](Frame&, Lane* out) { out->i = kVscale; };
  if (name == "tirx.atomic_add") return atomic_add(node);
  if (name == "tirx.assume") {
    return [condition = arg(0), span = node->span](Frame& frame, Lane* out) {
      condition(frame, out);
      if (out->i == 0) throw ir::refuse(refusals["assumption-failed"]).at(span);
    };
  }
  if (Code code = tensor_map_intrinsic(node, name)) return code;
  if (name == "tirx.prefetch") return [](Frame&, Lane* out) { out->i = 0; };
  if (name == "tirx.undef" || name == "tirx.type_annotation") {
    return [lanes](Frame&, Lane* out) { std::memset(out, 0, sizeof(Lane) * static_cast<size_t>(lanes)); };
  }
  if (const ir::ScalarOp* scalar = ir::scalar_op(name); scalar != nullptr && scalar->test != nullptr) {
    if (!node->args[0]->dtype().is_floating())
      return map_lanes(lanes, arg(0), [](Lane) { return Lane{.i = 0}; });
    return map_lanes(lanes, arg(0), [test = scalar->test](Lane x) { return Lane{.i = test(x.f)}; });
  }
  if (name == "tirx.isnullptr") return map_lanes(1, arg(0), [](Lane x) { return Lane{.i = x.i == 0}; });
  if (name == "tirx.popcount" || name == "tirx.clz") {
    int bits = node->args[0]->dtype().bits();
    uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    bool count_ones = name == "tirx.popcount";
    return map_lanes(lanes, arg(0), [bits, mask, count_ones](Lane x) {
      uint64_t value = static_cast<uint64_t>(x.i) & mask;
      return Lane{.i = count_ones ? std::popcount(value) : std::countl_zero(value) - (64 - bits)};
    });
  }
  if (name == "tirx.large_uint_imm") {
    int64_t low = *ir::const_int(node->args[0]);
    int64_t high = *ir::const_int(node->args[1]);
    int64_t value =
        static_cast<int64_t>(static_cast<uint64_t>(high) << 32U | (static_cast<uint64_t>(low) & 0xFFFFFFFFU));
    return [value](Frame&, Lane* out) { out->i = value; };
  }
  if (name == "tirx.fma") {
    Code fused = [a = arg(0), b = arg(1), c = arg(2), lanes, &number = number_of(type)](Frame& frame,
                                                                                        Lane* out) {
      Lanes y(lanes), z(lanes);
      a(frame, out);
      b(frame, y.data());
      c(frame, z.data());
      for (int i = 0; i < lanes; ++i) {
        // One rounding: float32 needs the float form, narrower products and sums are exact in double.
        out[i].f =
            number.bytes == 4
                ? static_cast<double>(std::fmaf(static_cast<float>(out[i].f), static_cast<float>(y[i].f),
                                                static_cast<float>(z[i].f)))
                : number.round(std::fma(out[i].f, y[i].f, z[i].f));
      }
    };
    return in_kernel_ && program_.options.traffic != nullptr ? counted(fused, 2.0 * lanes) : fused;
  }
  if (name.starts_with("tirx.bitwise_") || name.starts_with("tirx.shift_")) {
    using ir::ExprKind;
    if (name == "tirx.bitwise_not") return expr(ir::make<ir::BitwiseNotNode>(node->args[0], node->span));
    ExprKind kind = name == "tirx.bitwise_and"   ? ExprKind::kBitwiseAnd
                    : name == "tirx.bitwise_or"  ? ExprKind::kBitwiseOr
                    : name == "tirx.bitwise_xor" ? ExprKind::kBitwiseXor
                    : name == "tirx.shift_left"  ? ExprKind::kLShift
                                                 : ExprKind::kRShift;
    return expr(ir::binary(kind, node->args[0], node->args[1], node->span));
  }
  if (name == "tirx.tvm_access_ptr") {  // (type, data, element offset, extent, rw mask)
    int bytes = number_of(node->args[0]->dtype()).bytes * std::max(1, node->args[0]->dtype().lanes());
    return [data = arg(1), offset = integer(node->args[2]), bytes](Frame& frame, Lane* out) {
      data(frame, out);
      out->i += offset(frame) * bytes;
    };
  }
  if (name == "tirx.handle_add_byte_offset" || name == "tirx.ptr_byte_offset") {
    return [data = arg(0), offset = integer(node->args[1])](Frame& frame, Lane* out) {
      data(frame, out);
      out->i += offset(frame);
    };
  }
  if (name == "tirx.vectorlow" || name == "tirx.vectorhigh") {
    int total = node->args[0]->dtype().lanes();
    int from = name == "tirx.vectorhigh" ? total - lanes : 0;
    return [value = arg(0), total, from, lanes](Frame& frame, Lane* out) {
      Lanes all(total);
      value(frame, all.data());
      for (int i = 0; i < lanes; ++i) out[i] = all[from + i];
    };
  }
  if (name == "tirx.vectorcombine") {
    return [low = arg(0), high = arg(1), half = node->args[0]->dtype().lanes()](Frame& frame, Lane* out) {
      low(frame, out);
      high(frame, out + half);
    };
  }
  if (name == "tirx.nextafter" && type.is_floating() && type.bits() < 64) {
    if (type.bits() < 32) unsupported(node->span, fmt::format("`{}` on `{}`", name, type.str()));
    return zip_lanes(lanes, arg(0), arg(1), [](Lane x, Lane y) {  // of float32, not of float64
      return Lane{.f = std::nextafterf(static_cast<float>(x.f), static_cast<float>(y.f))};
    });
  }
  if (row.unary || row.binary) {
    if (!type.is_floating()) {
      if (name == "tirx.fabs")
        return map_lanes(lanes, arg(0), [](Lane x) { return Lane{.i = x.i < 0 ? -x.i : x.i}; });
      unsupported(node->span, fmt::format("`{}` on `{}`", name, type.str()));
    }
    std::vector<Code> args;
    for (size_t i = 0; i < node->args.size(); ++i) {
      // ldexp takes its exponent as an integer.
      bool integer_arg = !node->args[i]->dtype().is_floating();
      args.push_back(integer_arg ? expr(ir::make<ir::CastNode>(DataType::Float(64, lanes), node->args[i]))
                                 : arg(i));
    }
    return float_math(row, std::move(args), type);
  }
  unsupported(node->span, fmt::format("the operator `{}`", name));
}

Code Compiler::call_extern(const ir::CallNode* node) {
  auto* name = ir::as<ir::StringImmNode>(node->args[0]);
  MLC_CHECK(name, "the first argument of an extern call is its name");
  const ir::OpRow* row = libm_row(view(name->value));
  if (!row || !node->dtype().is_floating() || node->args.size() != (row->unary ? 2U : 3U)) {
    unsupported(node->span, fmt::format("the external function `{}`", view(name->value)));
  }
  std::vector<Code> args;
  for (size_t i = 1; i < node->args.size(); ++i) args.push_back(expr(node->args[i]));
  return float_math(*row, std::move(args), node->dtype());
}

Code Compiler::address_of(const ir::CallNode* node) {
  auto* load = ir::as<ir::TensorLoadNode>(node->args[0]);
  return load ? address_of_element(load) : expr(node->args[0]);  // a variable: a buffer's data pointer
}

Code Compiler::address_of_element(const ir::TensorLoadNode* load) {
  DataType element = load->source->buffer()->dtype;
  int view = view_of(load->source.get(), load->span);
  std::vector<std::function<int64_t(Frame&)>> indices;
  for (const Expr& index : load->indices) {
    auto* ramp = ir::as<ir::RampNode>(index);  // lanes follow the first
    const Expr& first = ramp && ir::is_const_int(ramp->stride, 1) ? ramp->base : index;
    if (first->dtype().is_vector()) unsupported(load->span, "the address of a vector of elements");
    indices.push_back(integer(first));
  }
  int64_t bytes = static_cast<int64_t>(number_of(element).bytes) * element.lanes();
  return [view, indices, bytes](Frame& frame, Lane* out) {
    const View& at = frame.views[static_cast<size_t>(view)];
    int64_t element = at.offset;
    for (size_t d = 0; d < indices.size(); ++d) element += indices[d](frame) * at.strides[d];
    out->i = reinterpret_cast<int64_t>(at.data + element * bytes);
  };
}

Code Compiler::reinterpret(const ir::CallNode* node) {
  DataType from = node->args[0]->dtype();
  DataType to = node->dtype();
  const Number* source = &number_of(from);
  const Number* target = &number_of(to);
  int bytes = source->bytes * lane_count(from);
  MLC_CHECK(bytes == target->bytes * lane_count(to), "`{}` is reinterpreted as `{}`", from.str(), to.str());
  return [value = expr(node->args[0]), source, target, in = lane_count(from), out_lanes = lane_count(to),
          bytes](Frame& frame, Lane* out) {
    Lanes lanes(in);
    value(frame, lanes.data());
    std::vector<char> image(static_cast<size_t>(bytes));
    for (int i = 0; i < in; ++i) source->store(image.data() + i * source->bytes, lanes[i]);
    for (int i = 0; i < out_lanes; ++i) out[i] = target->load(image.data() + i * target->bytes);
  };
}

Code Compiler::call_function(const ir::CallNode* node, const ir::GlobalVarNode* callee) {
  struct Argument {
    int view = -1;  // a buffer
    Code code;
    DataType type;
  };
  std::vector<Argument> args;
  for (const Expr& arg : node->args) {
    auto* var = ir::as<VarNode>(arg);
    if (var && var->buffer()) {
      args.push_back({view_of(var, node->span), {}, var->buffer()->dtype});
    } else {
      args.push_back({-1, expr(arg), arg->dtype()});
    }
  }
  return [args, name = std::string(callee->name_hint), span = node->span, in_kernel = in_kernel_](
             Frame& frame, Lane* out) {
    std::vector<Actual> actuals;
    for (const Argument& arg : args) {
      Actual actual;
      actual.type = arg.type;
      if (arg.view >= 0) {
        actual.is_buffer = true;
        actual.view = frame.views[static_cast<size_t>(arg.view)];
        actual.scalar.i = reinterpret_cast<int64_t>(actual.view.data);
      } else {
        arg.code(frame, &actual.scalar);
      }
      actuals.push_back(std::move(actual));
    }
    *out = frame.program.call(frame.program.function(name, span, in_kernel), actuals);
  };
}

}  // namespace mlc::interp
