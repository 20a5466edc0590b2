// SPDX-License-Identifier: Apache-2.0
// tvm.tirx.IndexMap: what scripts make of it and do with it; T.index_map in functions.
#include <cstring>

#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/api.h"
#include "transform/arith/index_map.h"
#include "transform/arith/index_map_api.h"
#include "transform/arith/sym.h"
#include "transform/register_api.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "not-constant", .message = "the map does not give numbers"},
    }};
MLC_REFUSALS(arith_index_map_api, refusals);

namespace {

using sym::elements, sym::exprs_argument;

constexpr std::string_view kIndexMap = "mlc.tirx.IndexMap";

IndexMap from_callable(ApiCall& call, const Any& callee, std::optional<int64_t> ndim, DataType dtype) {
  Array<Var> initial;
  Array<Any> arguments;
  auto add = [&](const std::string& name) {
    initial.push_back(make<VarNode>(String(name), Type(prim_type(dtype))));
    arguments.push_back(Expr(initial.back()));
  };
  for (const std::string& name : call.host.parameter_names(callee)) {
    if (!name.starts_with('*')) {
      add(name);
      continue;
    }
    if (!ndim) {
      throw Error("missing-argument", "`ndim` says how many indices `{}` stands for", name)
          .at(call.span)
          .kind("AssertionError");
    }
    auto rest = *ndim - static_cast<int64_t>(initial.size());
    for (int64_t i = 0; i < rest; ++i) add(fmt::format("{}_{}", name.substr(1), i));
  }
  std::vector<Any> given(arguments.begin(), arguments.end());
  Any result = call.host.call(callee, given);
  Array<Expr> final_indices;
  auto take = [&](const Any& value) {
    Expr index;
    if (auto e = ir::try_get<Expr>(value)) index = *e;
    if (auto iter = ir::try_get<IterVar>(value)) index = (*iter)->var;
    if (!index || index->ty->kind != TypeKind::kPrim) {
      throw Error("wrong-type", "the map must return an expression or a list of expressions, got `{}`",
                  type_name(value))
          .at(call.span)
          .kind("TypeError");
    }
    final_indices.push_back(index);
  };
  if (auto list = elements(result)) {
    for (const Any& one : *list) take(one);
  } else if (auto number = result.as<int64_t>()) {
    final_indices.push_back(int_imm(DataType::Int(32), *number));
  } else {
    take(result);
  }
  return make<IndexMapNode>(initial, final_indices);
}

IndexMap map_argument(ApiCall& call, size_t i, DataType dtype) {
  const Any& value = call.args[i];
  if (value == nullptr) return nullptr;
  if (auto map = ir::try_get<IndexMap>(value)) return *map;
  if (call.host.callable(value)) return from_callable(call, value, std::nullopt, dtype);
  wrong_argument(call, i, "a function of indices, or an IndexMap");
}

// A map over 32-bit integers as one over 64-bit integers, which indices of graphs are.
IndexMap widened(const IndexMap& map) {
  DataType narrow = DataType::Int(32), wide = DataType::Int(64);
  bool is_narrow = std::all_of(map->initial_indices.begin(), map->initial_indices.end(),
                               [&](const Var& var) { return var->dtype() == narrow; });
  if (!is_narrow || map->initial_indices.empty()) return map;
  struct Widen final : Rewriter {
    std::unordered_map<const VarNode*, Var> vars;
    using Rewriter::rewrite;
    Expr rewrite(const Expr& e) override {
      if (auto* var = as<VarNode>(e)) {
        auto found = vars.find(var);
        return found == vars.end() ? e : Expr(found->second);
      }
      auto* constant = as<IntImmNode>(e);
      if (constant && e->dtype() == DataType::Int(32)) return int_imm(DataType::Int(64), constant->value);
      auto* op = as_binary(e);
      return op ? binary(op->kind, rewrite(op->a), rewrite(op->b), e->span) : rewrite_children(e);
    }
  } widen;
  Array<Var> initial;
  for (const Var& var : map->initial_indices) {
    initial.push_back(make_var(var->name, wide, var->span));
    widen.vars[var.get()] = initial.back();
  }
  Array<Expr> final_indices;
  for (const Expr& index : map->final_indices) final_indices.push_back(widen.rewrite(index));
  return make<IndexMapNode>(
      initial, final_indices,
      map->inverse_index_map ? widened(map->inverse_index_map) : map->inverse_index_map);
}

DataType dtype_argument(ApiCall& call, size_t i) {
  std::string name = detail::argument<std::string>(call, i);
  DataType dtype = DataType::parse(name);
  if (!dtype.is_int() && !dtype.is_uint()) wrong_argument(call, i, "an integer type");
  return dtype;
}

// from_func(mapping_function, ndim, inverse_index_map, index_dtype)
Any from_func(ApiCall& call) {
  if (!call.host.callable(call.args[0])) wrong_argument(call, 0, "a function of indices");
  DataType dtype = dtype_argument(call, 3);
  auto ndim = detail::argument<std::optional<int64_t>>(call, 1);
  IndexMap map = from_callable(call, call.args[0], ndim, dtype);
  return make<IndexMapNode>(map->initial_indices, map->final_indices,
                            map_argument(call, 2, DataType::Int(64)));
}
// index_map(mapping, inverse_index_map, index_dtype)
Any index_map(ApiCall& call) {
  DataType dtype = dtype_argument(call, 2);
  IndexMap map = map_argument(call, 0, dtype);
  if (!map) wrong_argument(call, 0, "a function of indices");
  return make<IndexMapNode>(map->initial_indices, map->final_indices,
                            map_argument(call, 1, DataType::Int(64)));
}

Any make_index_map(ApiCall& call) {
  return make<IndexMapNode>(sym::vars_argument(call, 0, "a list of variables"), exprs_argument(call, 1),
                            map_argument(call, 2, DataType::Int(64)));
}

std::vector<Range> box_argument(ApiCall& call, size_t i) {
  auto list = elements(call.args[i]);
  if (!list) wrong_argument(call, i, "a list of extents or ranges");
  std::vector<Range> box;
  for (const Any& one : *list) {
    if (auto range = ir::try_get<Range>(one)) {
      box.push_back(*range);
    } else if (auto extent = ir::try_get<Expr>(one)) {
      box.push_back(make<RangeNode>(const_like(*extent, 0), *extent));
    } else if (auto number = one.as<int64_t>()) {
      box.push_back(make<RangeNode>(int_imm(DataType::Int(64), 0), int_imm(DataType::Int(64), *number)));
    } else {
      wrong_argument(call, i, "a list of extents or ranges");
    }
  }
  return box;
}

IndexMap self(const ApiCall& call) { return call.args[0].cast<IndexMap>(); }

// The work below knows nothing of scripts: its errors are those of the call.
template <class F>
auto at_call(const ApiCall& call, F&& work) {
  try {
    return work();
  } catch (Error& error) {
    throw std::move(error).at(call.span);
  }
}

Any map_indices_method(ApiCall& call) {
  sym::AnalyzerValue given = sym::analyzer_argument(call, 2);
  Analyzer& analyzer = *given->analyzer;
  Array<Expr> indices = exprs_argument(call, 1);
  return at_call(call, [&] { return Any(map_indices(self(call), indices, analyzer)); });
}
Any map_shape_method(ApiCall& call) {
  sym::AnalyzerValue given = sym::analyzer_argument(call, 2);
  Analyzer& analyzer = *given->analyzer;
  Array<Expr> shape = exprs_argument(call, 1);
  return at_call(call, [&] { return Any(map_shape(self(call), shape, analyzer)); });
}
Any inverse_method(ApiCall& call) {
  sym::AnalyzerValue given = sym::analyzer_argument(call, 2);
  Analyzer& analyzer = *given->analyzer;
  std::vector<Range> box = box_argument(call, 1);
  return at_call(call, [&] { return Any(inverse(self(call), box, analyzer)); });
}
Any non_surjective_inverse_method(ApiCall& call) {
  sym::AnalyzerValue given = sym::analyzer_argument(call, 2);
  Analyzer& analyzer = *given->analyzer;
  std::vector<Range> box = box_argument(call, 1);
  return at_call(call, [&] {
    PaddedInverse found = non_surjective_inverse(self(call), box, analyzer);
    return Any(Array<Any>{found.map, found.padding});
  });
}
// Every element at its new position; positions that none maps to hold zeros.
Any map_tensor_method(ApiCall& call) {
  auto given = call.args[1].as<ffi::Tensor>();
  if (!given) wrong_argument(call, 1, "Tensor");
  ffi::Tensor source = contiguous(*given);
  IndexMap map = self(call);
  auto rank = static_cast<int64_t>(source.ndim());
  if (rank != static_cast<int64_t>(map->initial_indices.size())) {
    throw Error("wrong-number-of-indices", "the map takes {} indices, the tensor has {} dimensions",
                map->initial_indices.size(), rank)
        .at(call.span)
        .kind("InternalError");
  }
  Analyzer analyzer;
  auto numbers = [&](const Array<Expr>& exprs) {
    std::vector<int64_t> all;
    for (const Expr& e : exprs) {
      auto number = const_int(analyzer.simplify(e));
      if (!number) throw refuse(refusals["not-constant"]).at(call.span);
      all.push_back(*number);
    }
    return all;
  };
  Array<Expr> extents;
  int64_t count = 1;
  for (int64_t extent : source.shape()) {
    extents.push_back(int_imm(DataType::Int(64), extent));
    count *= extent;
  }
  return at_call(call, [&] {
    std::vector<int64_t> shape = numbers(map_shape(map, extents, analyzer));
    ffi::Tensor result = make_tensor(shape, source.dtype());
    size_t element = (static_cast<size_t>(source.dtype().bits) * source.dtype().lanes + 7) / 8;
    auto* target = static_cast<char*>(result.data_ptr());
    const auto* from = static_cast<const char*>(source.data_ptr());
    std::memset(target, 0, ffi::GetDataSize(result));
    std::vector<int64_t> at(static_cast<size_t>(rank), 0);
    for (int64_t i = 0; i < count; ++i) {
      Array<Expr> indices;
      for (int64_t one : at) indices.push_back(int_imm(DataType::Int(64), one));
      std::vector<int64_t> place = numbers(map_indices(map, indices, analyzer));
      int64_t offset = 0;
      for (size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + place[d];
      std::memcpy(target + static_cast<size_t>(offset) * element, from + static_cast<size_t>(i) * element,
                  element);
      for (size_t d = at.size(); d-- > 0;) {
        if (++at[d] < source.shape()[d]) break;
        at[d] = 0;
      }
    }
    return Any(result);
  });
}
Any is_equivalent_to(ApiCall& call) {
  IndexMap a = self(call);
  auto b = ir::try_get<IndexMap>(call.args[1]);
  if (!b) wrong_argument(call, 1, "IndexMap");
  if (a->initial_indices.size() != (*b)->initial_indices.size()) return false;
  if (a->final_indices.size() != (*b)->final_indices.size()) return false;
  sym::AnalyzerValue given = sym::analyzer_argument(call, 2);
  Analyzer& analyzer = *given->analyzer;
  Array<Expr> indices;
  for (const Var& var : a->initial_indices) indices.push_back(var);
  Array<Expr> other = map_indices(*b, indices, analyzer);
  for (int64_t i = 0; i < static_cast<int64_t>(other.size()); ++i) {
    if (!analyzer.can_prove_equal_numbers(a->final_indices[i], other[i])) return false;
  }
  return true;
}

constexpr ApiRow index_map_api_table[] = {
    {ApiKind::kClass, "tvm.tirx", "IndexMap(initial_indices, final_indices, inverse_index_map)",
     "A map of indices.", make_index_map, kIndexMap, "tvm.tirx.function.IndexMap"},
    {ApiKind::kFunction, "tvm.tirx.IndexMap",
     "from_func(mapping_function, ndim=None, inverse_index_map=None, *, index_dtype=\"int64\")",
     "The map that a function of indices describes.", from_func},
    {ApiKind::kFunction, "tvm.script.tirx",
     "index_map(mapping, *, inverse_index_map=None, index_dtype=\"int64\")", "A map of indices.", index_map},
    {ApiKind::kMethod, kIndexMap, "map_indices(indices, analyzer=None)", "The map at these indices.",
     map_indices_method},
    {ApiKind::kMethod, kIndexMap, "map_shape(shape, analyzer=None)",
     "The shape of what a buffer of this shape becomes.", map_shape_method},
    {ApiKind::kMethod, kIndexMap, "inverse(shape, analyzer=None)",
     "The map back; refused when it is not one to one.", inverse_method},
    {ApiKind::kMethod, kIndexMap, "non_surjective_inverse(shape, analyzer=None)",
     "The map back and where it leaves the shape, for maps with padding.", non_surjective_inverse_method},
    {ApiKind::kMethod, kIndexMap, "map_tensor(arr_src)", "The tensor with its elements at their new places.",
     map_tensor_method},
    {ApiKind::kMethod, kIndexMap, "map_ndarray(arr_src)", "map_tensor by its name until 2025.",
     map_tensor_method},
    {ApiKind::kMethod, kIndexMap, "is_equivalent_to(other_map, analyzer=None)",
     "Do both maps give equal indices?", is_equivalent_to},
};

}  // namespace

IndexMap index_map_argument(ApiCall& call, size_t i, std::optional<int64_t> ndim, DataType dtype) {
  const Any& value = call.args[i];
  if (call.host.callable(value)) return from_callable(call, value, ndim, dtype);
  IndexMap map = map_argument(call, i, dtype);
  return dtype == DataType::Int(64) ? widened(map) : map;
}

void register_index_map_api() {
  ApiRegistry::global().add(index_map_api_table);
  ApiRegistry::global().alias("tvm.tirx.function.IndexMap", "tvm.tirx.IndexMap");
}

}  // namespace mlc::transform
