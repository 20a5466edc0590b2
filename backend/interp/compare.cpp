// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/compare.h"

#include <cmath>
#include <cstring>
#include <set>

#include "backend/interp/graph.h"
#include "backend/interp/machine.h"
#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/target/device_api.h"

namespace mlc::interp {

using ir::Any;

namespace {

// Of two values of a type, relative to the larger of them and 1: 256 units in the last place, which is what
// goldens add up; 8 of narrow types, whose sums are wider.
double tolerance(ir::DataType type) {
  if (type.bits() >= 32) return type.bits() >= 64 ? 0x1p-44 : 0x1p-15;
  return type.is_bfloat16() ? 0x1p-5 : 0x1p-8;
}

bool agree(const Number& number, Lane a, Lane b, Agreement floats) {
  if (!number.floating) return a.i == b.i;
  if (std::isnan(a.f) && std::isnan(b.f)) return true;
  if (a.f == b.f) return floats != Agreement::kBits || std::signbit(a.f) == std::signbit(b.f);
  return floats == Agreement::kRounded &&
         std::abs(a.f - b.f) <= tolerance(number.type) * std::max({1.0, std::abs(a.f), std::abs(b.f)});
}

std::string shown(const Number& number, Lane value) {
  if (number.floating) return fmt::format("{:.9g}", value.f);
  if (number.type.is_bool()) return value.i != 0 ? "True" : "False";
  return number.is_unsigned ? fmt::format("{}", static_cast<uint64_t>(value.i)) : fmt::format("{}", value.i);
}

}  // namespace

std::string Difference::text(const ir::PrimFunc& fn) const {
  std::string name = argument < fn->params.size() ? std::string(fn->params[argument]->name)
                                                  : fmt::format("argument {}", argument);
  std::string at;
  for (int64_t i : index) at += fmt::format("{}{}", at.empty() ? "" : ", ", i);
  return fmt::format("`{}[{}]` is {}, not {}", name, at, actual, expected);
}

std::vector<Any> copies(std::span<const Any> args) {
  std::vector<Any> all;
  for (const Any& arg : args) {
    auto tensor = as_tensor(arg);
    if (!tensor) {
      all.push_back(arg);
      continue;
    }
    std::vector<int64_t> shape(tensor->shape().begin(), tensor->shape().end());
    ir::ffi::Tensor copy = ir::make_tensor(shape, ir::DataType(tensor->dtype()));
    std::memcpy(copy.data_ptr(), ir::contiguous(ir::on_cpu(*tensor)).data_ptr(),
                ir::ffi::GetDataSize(*tensor));
    all.emplace_back(copy);
  }
  return all;
}

std::vector<Any> interpret(const ir::IRModule& mod, std::string_view function, std::span<const Any> args,
                           bool check_uninitialized) {
  std::vector<Any> own = copies(args);
  Options options;
  options.check_uninitialized = check_uninitialized;
  options.check_races = true;
  run(mod, function, own, options);
  return own;
}

std::vector<Any> simulate(const ir::IRModule& mod, std::string_view function, std::span<const Any> args,
                          uint64_t seed) {
  std::vector<Any> own = copies(args);
  run(mod, function, own, {.check_uninitialized = true, .check_races = true, .simulate = true, .seed = seed});
  return own;
}

Rounding rounding_of(const ir::Stmt& stmt) {
  Rounding found;
  std::unordered_map<const VarNode*, std::set<const VarNode*>>
      read_by;  // by variable: the buffers of its value
  auto reads_of = [&](const Expr& value) {
    std::set<const VarNode*> buffers;  // null: a choice
    ir::post_order(value, [&](const Expr& e) {
      if (const auto* load = ir::as<ir::TensorLoadNode>(e)) buffers.insert(load->source.get());
      if (auto known = read_by.find(ir::as<VarNode>(e)); known != read_by.end())
        buffers.insert(known->second.begin(), known->second.end());
      if (e->kind == ir::ExprKind::kSelect) buffers.insert(nullptr);
    });
    return buffers;
  };
  ir::post_order(
      stmt,
      [&](const Expr& e) {
        if (const auto* let = ir::as<ir::LetNode>(e)) read_by[let->var.get()] = reads_of(let->value);
        if (!e->dtype().is_floating()) return;
        const auto* op = ir::as_binary(e);
        const auto* call = ir::as<ir::CallNode>(e);
        const auto* callee = call == nullptr ? nullptr : ir::as<ir::OpNode>(call->op);
        found.inexact =
            found.inexact || e->dtype().bits() < 32 ||
            (callee != nullptr && callee->name != "tirx.if_then_else") ||
            (op != nullptr && op->kind >= ir::ExprKind::kDiv && op->kind <= ir::ExprKind::kFloorMod);
      },
      [&](const Stmt& s) {
        if (const auto* bind = ir::as<ir::BindNode>(s)) read_by[bind->var.get()] = reads_of(bind->value);
        const auto* store = ir::as<ir::BufferStoreNode>(s);
        if (store == nullptr) return;
        std::set<const VarNode*> buffers = reads_of(store->value);
        if (!buffers.contains(store->buffer.get())) return;
        found.accumulates = found.accumulates || store->value->dtype().is_floating();
        found.chooses = found.chooses || buffers.contains(nullptr);
      });
  return found;
}

std::optional<Difference> first_difference(std::span<const Any> expected, std::span<const Any> actual,
                                           Agreement floats) {
  for (size_t i = 0; i < expected.size() && i < actual.size(); ++i) {
    auto x = as_tensor(expected[i]);
    auto y = as_tensor(actual[i]);
    if (!x || !y || std::memcmp(x->data_ptr(), y->data_ptr(), ir::ffi::GetDataSize(*x)) == 0) continue;
    const Number& number = number_of(ir::DataType(x->dtype()));
    const char* p = static_cast<const char*>(x->data_ptr());
    const char* q = static_cast<const char*>(y->data_ptr());
    for (int64_t at = 0; at < x->numel(); ++at, p += number.bytes, q += number.bytes) {
      Lane a = number.load(p), b = number.load(q);
      if (agree(number, a, b, floats)) continue;
      Difference found{.argument = i, .index = {}, .expected = shown(number, a), .actual = shown(number, b)};
      std::vector<int64_t> shape(x->shape().begin(), x->shape().end());
      found.index.resize(shape.size());
      int64_t left = at;
      for (size_t d = shape.size(); d-- > 0; left /= shape[d]) found.index[d] = left % shape[d];
      return found;
    }
  }
  return std::nullopt;
}

double work(const ir::Stmt& stmt) {
  double total = 0, factor = 1;
  ir::walk_with(stmt, [&](const ir::Stmt& s, ir::Walker& on) {
    total += factor;
    const auto* loop = ir::as<ir::ForNode>(s);
    if (loop == nullptr) return on.walk_children(s);
    const auto* extent = ir::as<ir::IntImmNode>(loop->extent);
    double saved = factor;
    factor *= extent != nullptr ? static_cast<double>(extent->value) : 64;
    on.walk_children(s);
    factor = saved;
  });
  return total;
}

bool has_threads(const ir::Stmt& stmt) {
  return ir::any_below(stmt, [](const ir::Stmt& s) {
    if (const auto* loop = ir::as<ir::ForNode>(s)) return loop->for_kind == ir::ForKind::kThreadBinding;
    const auto* attr = ir::as<ir::AttrStmtNode>(s);
    return attr != nullptr && (attr->attr_key == "thread_extent" || attr->attr_key == "virtual_thread");
  });
}

bool is_kernel(const ir::Stmt& stmt) {
  return has_threads(stmt) || ir::any_below(stmt, [](const ir::Stmt& s) {
           const auto* attr = ir::as<ir::AttrStmtNode>(s);
           return attr != nullptr && attr->attr_key == "tirx.device_entry";
         });
}

}  // namespace mlc::interp
