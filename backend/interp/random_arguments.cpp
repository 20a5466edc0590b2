// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>

#include "backend/interp/machine.h"
#include "ir/core/interrupt.h"
#include "ir/core/ndarray.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::interp {
namespace {

using ir::DataType;

// The smallest dimension that values of each integer buffer are used to index, where it is known.
struct IndexUses final : ir::Walker {
  std::unordered_map<const VarNode*, int64_t> bound;

  void note(const Buffer& indexed, const ir::Array<Expr>& indices) {
    for (size_t d = 0; d < indices.size(); ++d) {
      int64_t size = ir::const_int(indexed->buffer()->shape[d]).value_or(1);
      ir::post_order(indices[d], [&](const Expr& e) {
        auto* load = ir::as<ir::TensorLoadNode>(e);
        if (!load) return;
        auto [at, added] = bound.emplace(load->source.get(), size);
        if (!added) at->second = std::min(at->second, size);
      });
    }
  }
  void visit(const Expr& e) override {
    if (auto* load = ir::as<ir::TensorLoadNode>(e)) note(load->source, load->indices);
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* store = ir::as<ir::BufferStoreNode>(s)) note(store->buffer, store->indices);
    walk_children(s);
  }
};

// Values of shape expressions from the dimensions chosen so far.
class Dims {
 public:
  Dims(std::mt19937_64& random, const std::unordered_map<std::string, int64_t>& given,
       std::optional<int64_t> size)
      : random_(random), given_(given), size_(size) {}

  int64_t value(const Expr& e) {
    if (auto constant = ir::const_int(e)) return *constant;
    if (auto* var = ir::as<VarNode>(e)) return of(var);
    if (auto* op = ir::as_binary(e)) {
      int64_t a = value(op->a), b = value(op->b);
      bool divides = op->kind >= ir::ExprKind::kDiv && op->kind <= ir::ExprKind::kFloorMod;
      if (divides && b == 0) return 0;
      if (auto known = ir::reckoned(op->kind, a, b)) return *known;
    }
    if (auto* cast = ir::as<ir::CastNode>(e)) return value(cast->value);
    unsupported(e->span, "random arguments for a shape like this");
  }
  bool chosen(const VarNode* var) const { return values_.contains(var); }
  int64_t of(const VarNode* var) {
    auto found = values_.find(var);
    if (found != values_.end()) return found->second;
    auto given = given_.find(std::string(var->name));
    int64_t value = std::uniform_int_distribution<int64_t>(1, 12)(random_);
    return values_[var] = given != given_.end() ? given->second : size_.value_or(value);
  }
  void set(const VarNode* var, int64_t value) { values_.emplace(var, value); }

 private:
  std::mt19937_64& random_;
  const std::unordered_map<std::string, int64_t>& given_;
  std::optional<int64_t> size_;
  std::unordered_map<const VarNode*, int64_t> values_;
};

double random_float(std::mt19937_64& random, const Number& number, Values::Floats floats) {
  auto integer = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(-n, n)(random); };
  if (floats == Values::kExact) return static_cast<double>(integer(8)) / 4;
  double uniform = std::uniform_real_distribution<double>(-1, 1)(random);
  if (floats == Values::kUniform) return uniform;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double magnitudes[] = {
      0,     1,       kInfinity,        ir::as<ir::FloatImmNode>(ir::max_value(number.type))->value,
      1e-40, 1.5e-45, std::abs(uniform)};
  int64_t which = integer(9);
  if (std::abs(which) > 6) return which > 0 ? uniform : std::numeric_limits<double>::quiet_NaN();
  return std::copysign(magnitudes[std::abs(which)], uniform);
}

Lane random_lane(std::mt19937_64& random, const Number& number, std::optional<int64_t> below,
                 const Values& values) {
  if (number.floating) return {.f = number.round(random_float(random, number, values.floats))};
  if (number.type.is_bool()) return {.i = static_cast<int64_t>(random() & 1U)};
  if (below)
    return {.i = std::uniform_int_distribution<int64_t>(0, std::max<int64_t>(*below, 1) - 1)(random)};
  int64_t small = std::uniform_int_distribution<int64_t>(number.is_unsigned ? 0 : -8, 8)(random);
  if (!values.boundary_integers || random() % 2 == 0) return {.i = small};
  // Near the least or the greatest of the type, or of a narrower one.
  unsigned bits = static_cast<unsigned>(number.type.bits()) >> (random() % 4 == 0);
  return {.i = number.wrap(static_cast<int64_t>((uint64_t{1} << (bits - random() % 2) % 64) +
                                                static_cast<uint64_t>((small + 8) % 4 - 2)))};
}

ir::ffi::Tensor random_tensor(std::mt19937_64& random, DataType type, std::span<const int64_t> shape,
                              std::span<const int64_t> strides, std::optional<int64_t> below,
                              const Values& values) {
  int64_t elements = 1;
  for (size_t d = 0; d < shape.size(); ++d) elements += (shape[d] - 1) * strides[d];
  for (int64_t dim : shape) elements = dim <= 0 ? 0 : elements;
  std::vector<int64_t> compact = compact_strides(shape);
  bool strided = !std::equal(compact.begin(), compact.end(), strides.begin());
  std::vector<int64_t> flat = {elements};
  ir::ffi::Tensor tensor = ir::make_tensor(strided ? std::span<const int64_t>(flat) : shape, type);
  const Number& number = number_of(type);
  auto* at = static_cast<char*>(tensor.data_ptr());
  for (int64_t i = 0; i < elements * type.lanes(); ++i, at += number.bytes) {
    if ((i & 0xffff) == 0xffff) ir::heed_interrupt();
    number.store(at, random_lane(random, number, below, values));
  }
  return strided ? tensor.as_strided(ir::ffi::ShapeView(shape.data(), shape.size()),
                                     ir::ffi::ShapeView(strides.data(), strides.size()))
                 : tensor;
}

}  // namespace

std::vector<Any> random_arguments(const ir::PrimFunc& fn, uint64_t seed,
                                  const std::unordered_map<std::string, int64_t>& given,
                                  const Values& values) {
  std::mt19937_64 random(seed);
  Dims dims(random, given, values.size);
  IndexUses uses;
  uses.visit(fn->body);
  std::vector<Any> args;
  for (const ir::Var& param : fn->params) {
    const ir::BufferTypeNode* type = param->buffer();
    DataType dtype = type ? DataType(type->dtype) : param->dtype();
    if (!type) {
      if (dtype.is_handle()) unsupported(param->span, "random arguments for a pointer parameter");
      const Number& number = number_of(dtype);
      if (number.floating) {
        args.emplace_back(random_lane(random, number, std::nullopt, values).f);
      } else if (dtype.is_bool()) {
        args.emplace_back((random() & 1U) != 0);
      } else {
        args.emplace_back(dims.of(param.get()));  // may be the size of a buffer that follows
      }
      continue;
    }
    std::vector<int64_t> shape;
    for (const Expr& dim : type->shape) shape.push_back(dims.value(dim));
    std::vector<int64_t> strides = compact_strides(shape);
    for (size_t d = 0; d < type->strides.size(); ++d) {
      auto* var = ir::as<VarNode>(type->strides[d]);
      if (var && !dims.chosen(var)) dims.set(var, strides[d]);
      strides[d] = dims.value(type->strides[d]);
    }
    auto below = uses.bound.find(param.get());
    args.emplace_back(random_tensor(random, dtype, shape, strides,
                                    below == uses.bound.end() ? std::nullopt : std::optional(below->second),
                                    values));
  }
  return args;
}

}  // namespace mlc::interp
