// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "backend/interp/graph.h"
#include "backend/interp/number.h"
#include "ir/core/ndarray.h"
#include "ir/relax/infer.h"
#include "ir/relax/visit.h"

namespace mlc::interp {
namespace {

namespace ffi = ir::ffi;
using ir::Any;
using ir::Array;
using ir::DataType;
using ir::Expr;
using ir::Type;
using ir::Var;
using ir::VarNode;
using ir::view;
using namespace relax;  // NOLINT: the nodes of graphs

bool is_random_type(DataType dtype) {
  return dtype.is_scalar() && dtype.bits() >= 8 && (dtype.is_bool() || dtype.is_int() || dtype.is_uint() || dtype.is_floating());
}

ffi::Tensor random_tensor(const std::vector<int64_t>& shape, DataType dtype, const GraphValues& values,
                          std::mt19937_64& random) {
  ffi::Tensor tensor = ir::make_tensor(shape, dtype);
  const Number& number = number_of(dtype);
  char* at = static_cast<char*>(tensor.data_ptr());
  auto among = static_cast<uint64_t>(values.greatest_integer - values.least_integer + 1);
  for (int64_t left = tensor.numel(); left > 0; --left, at += number.bytes) {
    Lane lane;
    int64_t quarters = static_cast<int64_t>(random() % 17) - 8;
    if (number.floating) {
      lane.f = static_cast<double>(quarters) / 4;
    } else if (dtype.is_bool()) {
      lane.i = quarters > 0;
    } else {
      int64_t least = number.is_unsigned ? std::max<int64_t>(values.least_integer, 0) : values.least_integer;
      lane.i = least + static_cast<int64_t>(random() % among);
    }
    number.store(at, lane);
  }
  return tensor;
}

// Random arguments; what cannot be drawn is said once.
class RandomArguments {
 public:
  RandomArguments(uint64_t seed, ir::Host& host, const GraphValues& values)
      : random_(seed), host_(host), values_(values) {}
  std::string why;

  std::vector<Any> of(const Function& fn) {
    // Dimensions that are variables first: others are computed of them.
    for (const Var& param : fn->params) {
      if (is_prim(param) && !param->dtype().is_floating()) size_of(param.get());
      for_each_dim(param->ty, [&](const Expr& e) {
        if (auto* var = as<VarNode>(e)) size_of(var);
      });
    }
    std::vector<Any> args;
    for (const Var& param : fn->params) {
      param_ = view(param->name);
      if (is_prim(param)) {
        args.push_back(param->dtype().is_floating() ? Any(0.5) : Any(sizes_.at(param.get())));
      } else {
        args.push_back(value(param->ty));
      }
    }
    return args;
  }

 private:
  template <class F>
  static void for_each_dim(const Type& type, const F& on) {
    if (const auto* tensor = as_type<TensorTypeNode>(type)) {
      if (auto dims = tensor->dims()) {
        for (const Expr& e : *dims) on(e);
      }
    } else if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      for (const Type& field : tuple->elements) for_each_dim(field, on);
    } else if (const auto* shape = as_type<ShapeTypeNode>(type); shape && shape->values.has_value()) {
      for (const Expr& e : shape->values.value()) on(e);
    }
  }
  int64_t size_of(const VarNode* var) {
    auto [found, added] = sizes_.try_emplace(var, 0);
    if (added) found->second = values_.size.value_or(static_cast<int64_t>(1 + random_() % 5));
    return found->second;
  }
  void unknown(std::string_view what) {
    if (why.empty()) why = fmt::format("parameter `{}` {}", param_, what);
  }

  int64_t extent(const Expr& e) {
    if (auto constant = ir::const_int(e)) return *constant;
    ir::VarMap known;
    for (const Var& var : ir::free_vars(e)) {
      auto found = sizes_.find(var.get());
      if (found != sizes_.end()) known[var.get()] = ir::int_imm(var->dtype(), found->second);
    }
    auto folded = ir::const_int(host_.simplify(ir::substitute(e, known)));
    if (folded && *folded >= 0) return *folded;
    unknown("has a dimension that its variables do not tell");
    return 1;
  }
  std::vector<int64_t> extents(const Array<Expr>& dims) {
    std::vector<int64_t> all;
    for (const Expr& e : dims) all.push_back(extent(e));
    return all;
  }

  Any value(const Type& type) {
    if (const auto* tensor = as_type<TensorTypeNode>(type)) {
      auto dims = tensor->dims();
      if (!dims || !tensor->knows_dtype()) {
        unknown("is a tensor of unknown shape or data type");
        return nullptr;
      }
      if (!is_random_type(tensor->data_type())) {
        unknown(fmt::format("is of `{}`, of which nothing is drawn", tensor->data_type().str()));
        return nullptr;
      }
      return random_tensor(extents(*dims), tensor->data_type(), values_, random_);
    }
    if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      Array<Any> items;
      for (const Type& field : tuple->elements) items.push_back(value(field));
      return items;
    }
    if (const auto* shape = as_type<ShapeTypeNode>(type); shape && shape->values.has_value()) {
      std::vector<int64_t> dims = extents(shape->values.value());
      return ffi::Shape(dims.begin(), dims.end());
    }
    unknown("is no tensor, shape, number or tuple of these of known size");
    return nullptr;
  }

  std::mt19937_64 random_;
  ir::Host& host_;
  GraphValues values_;
  std::string_view param_;
  std::unordered_map<const VarNode*, int64_t> sizes_;
};

}  // namespace

std::optional<std::vector<Any>> random_graph_arguments(const relax::Function& fn, uint64_t seed, ir::Host& host,
                                                       const GraphValues& values, std::string* why) {
  RandomArguments draw(seed, host, values);
  std::vector<Any> args = draw.of(fn);
  if (draw.why.empty()) return args;
  if (why) *why = draw.why;
  return std::nullopt;
}

}  // namespace mlc::interp
