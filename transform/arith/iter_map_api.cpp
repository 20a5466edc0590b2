// SPDX-License-Identifier: Apache-2.0
// tvm.sym: iterator maps.
#include "ir/core/register_node.h"
#include "ir/core/try_get.h"
#include "transform/arith/iter_map.h"
#include "transform/arith/sym.h"

namespace mlc::transform::sym {

std::vector<LoopRange> iters_argument(const ApiCall& call, size_t i) {
  auto ranges = call.args[i].try_cast<Map<Any, Any>>();
  if (!ranges) wrong_argument(call, i, "dict of variables and their ranges");
  std::vector<LoopRange> iters;
  for (const auto& [key, value] : *ranges) {
    auto range = ir::try_get<Range>(value);
    if (!range) wrong_argument(call, i, "dict of variables and their ranges");
    iters.push_back({var_of(call, key, i, "dict of variables and their ranges"), *range});
  }
  return iters;
}

namespace {

struct IterMapResultNode final : ffi::Object {
  Array<IterSum> indices;
  Array<String> errors;
  Expr padding_predicate;
  MLC_NODE_BASE("mlc.sym.IterMapResult", IterMapResultNode, ffi::Object);
};
using IterMapResultValue = Ref<IterMapResultNode>;

IterMapCheck level_argument(const ApiCall& call, size_t i) {
  if (call.args[i] == nullptr) return IterMapCheck::kNone;
  if (auto name = call.args[i].as<String>()) {
    std::string lower = *name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (lower == "bijective") return IterMapCheck::kBijective;
    if (lower == "surjective") return IterMapCheck::kSurjective;
    if (lower == "nocheck") return IterMapCheck::kNone;
  }
  if (auto level = call.args[i].as<int64_t>()) {
    if (*level == 0) return IterMapCheck::kBijective;
    if (*level == 1) return IterMapCheck::kSurjective;
    if (*level == 3) return IterMapCheck::kNone;
  }
  throw Error(
      "wrong-type", "the check level must be \"surjective\", \"bijective\" or \"nocheck\", not `{}`",
      call.args[i].as<String>() ? std::string(call.args[i].cast<String>()) : call.host.repr(call.args[i]))
      .kind("ValueError")
      .at(call.span_of(i));
}

std::string text(ApiCall& call, const IterMapError& error) {
  std::string result;
  size_t next = 0;
  for (size_t i = 0; i < error.message.size(); ++i) {
    if (error.message.compare(i, 2, "{}") == 0) {
      result += call.host.repr(error.exprs[next++]);
      ++i;
    } else {
      result += error.message[i];
    }
  }
  return result;
}

Any detect(ApiCall& call) {
  AnalyzerValue analyzer = analyzer_argument(call, 5);
  IterMapResult found =
      detect_iter_map(exprs_argument(call, 0), iters_argument(call, 1), expr_argument(call, 2),
                      level_argument(call, 3), *analyzer->analyzer, detail::argument<bool>(call, 4), true);
  auto result = ffi::make_object<IterMapResultNode>();
  for (const IterSum& sum : found.indices) result->indices.push_back(sum);
  for (const IterMapError& error : found.errors) result->errors.push_back(String(text(call, error)));
  result->padding_predicate = found.padding_predicate;
  return IterMapResultValue(result);
}

Any simplified(ApiCall& call) {
  AnalyzerValue analyzer = analyzer_argument(call, 5);
  return simplify_iter_map(exprs_argument(call, 0), iters_argument(call, 1), expr_argument(call, 2),
                           level_argument(call, 3), *analyzer->analyzer, detail::argument<bool>(call, 4));
}

Any normalized(ApiCall& call) {
  AnalyzerValue analyzer = analyzer_argument(call, 2);
  return normalize_to_iter_sum(expr_argument(call, 0), iters_argument(call, 1), *analyzer->analyzer);
}

Any to_expr(ApiCall& call) {
  Analyzer analyzer;
  if (auto sum = ir::try_get<IterMap>(call.args[0])) return iter_map_to_expr(*sum, analyzer);
  return iter_map_to_expr(expr_argument(call, 0), analyzer);
}

Any divide(ApiCall& call) {
  auto listed = elements(call.args[2]);
  if (!listed) wrong_argument(call, 2, "list of variables");
  std::unordered_set<const VarNode*> inner;
  for (const Var& var : vars_argument(call, 2)) inner.insert(var.get());
  AnalyzerValue analyzer = analyzer_argument(call, 6);
  Array<Any> result;
  for (const MarkPair& pair :
       subspace_divide(exprs_argument(call, 0), iters_argument(call, 1), inner, expr_argument(call, 3),
                       level_argument(call, 4), *analyzer->analyzer, detail::argument<bool>(call, 5))) {
    result.push_back(Array<Any>{pair.outer, pair.inner});
  }
  return result;
}

Any inverse(ApiCall& call) {
  Array<IterSum> listed = list_argument<IterSum>(call, 0, "list of IterSumExpr");
  std::vector<IterSum> sums(listed.begin(), listed.end());
  Array<Expr> outputs = exprs_argument(call, 1);
  if (outputs.size() != sums.size()) {
    throw Error("wrong-arguments", "{} indices need as many outputs, got {}", sums.size(), outputs.size())
        .kind("InternalError")
        .at(call.span);
  }
  Analyzer analyzer;
  Map<Var, Expr> result;
  for (const auto& [var, value] : inverse_affine_iter_map(sums, outputs, analyzer)) result.Set(var, value);
  return result;
}

Any make_mark(ApiCall& call) {
  Expr extent = expr_argument(call, 1);
  if (auto sum = ir::try_get<IterMap>(call.args[0])) return make<IterMarkNode>(nullptr, *sum, extent);
  return make<IterMarkNode>(expr_argument(call, 0), nullptr, extent);
}
Any make_split_expr(ApiCall& call) {
  auto mark = ir::try_get<IterMark>(call.args[0]);
  if (!mark) wrong_argument(call, 0, "IterMark");
  return make<IterSplitNode>(*mark, expr_argument(call, 1), expr_argument(call, 2), expr_argument(call, 3));
}
Any make_sum(ApiCall& call) {
  return make<IterSumNode>(list_argument<IterSplit>(call, 0, "list of IterSplitExpr"),
                           expr_argument(call, 1));
}

const IterMarkNode* mark_of(const ApiCall& call) { return call.args[0].cast<IterMark>().get(); }
const IterSplitNode* split_of(const ApiCall& call) { return call.args[0].cast<IterSplit>().get(); }
const IterSumNode* sum_of(const ApiCall& call) { return call.args[0].cast<IterSum>().get(); }
const IterMapResultNode* result_of(const ApiCall& call) {
  return call.args[0].cast<IterMapResultValue>().get();
}

Any source_of(const IterMarkNode* mark) { return mark->source ? Any(mark->source) : Any(mark->sum); }

// A tuple as Python writes it.
template <class T>
std::string tuple_text(ApiCall& call, const Array<T>& all) {
  std::string result = "(";
  for (int64_t i = 0; i < static_cast<int64_t>(all.size()); ++i) {
    if (i > 0) result += ", ";
    result += call.host.repr(all[i]);
  }
  return result + (all.size() == 1 ? ",)" : ")");
}

Any mark_text(ApiCall& call) {
  return String(fmt::format("sym.IterMark(source={}, extent={})", call.host.repr(source_of(mark_of(call))),
                            call.host.repr(mark_of(call)->extent)));
}
Any split_text(ApiCall& call) {
  auto* split = split_of(call);
  return String(fmt::format(
      "sym.IterSplitExpr(span=None, ty={}, source={}, lower_factor={}, extent={}, scale={})",
      call.host.repr(split->extent->ty), call.host.repr(split->source), call.host.repr(split->lower_factor),
      call.host.repr(split->extent), call.host.repr(split->scale)));
}
Any sum_text(ApiCall& call) {
  auto* sum = sum_of(call);
  return String(fmt::format("sym.IterSumExpr(span=None, ty={}, args={}, base={})",
                            call.host.repr(sum->base->ty), tuple_text(call, sum->args),
                            call.host.repr(sum->base)));
}
Any result_text(ApiCall& call) {
  auto* result = result_of(call);
  std::string errors = "(";
  for (int64_t i = 0; i < static_cast<int64_t>(result->errors.size()); ++i) {
    errors += fmt::format("{}\"{}\"", i > 0 ? ", " : "", std::string(result->errors[i]));
  }
  errors += result->errors.size() == 1 ? ",)" : ")";
  return String(fmt::format(
      "sym.IterMapResult(indices={}, errors={}, padding_predicate={})", tuple_text(call, result->indices),
      errors, result->padding_predicate ? call.host.repr(result->padding_predicate) : std::string("None")));
}

constexpr std::string_view kMap = "mlc.sym.IterMapExpr";
constexpr std::string_view kMark = "mlc.sym.IterMark";
constexpr std::string_view kSplit = "mlc.sym.IterSplitExpr";
constexpr std::string_view kSum = "mlc.sym.IterSumExpr";
constexpr std::string_view kResult = "mlc.sym.IterMapResult";

constexpr ApiRow iter_map_api_table[] = {
    {ApiKind::kFunction, kSym,
     "detect_iter_map(indices, input_iters, predicate=True, check_level=1, simplify_trivial_iterators=True, "
     "analyzer=None)",
     "Indices as sums of digits of the iterators; the result's `indices` are () when they are no such sums, "
     "its `errors` say why.\n\n    tvm.sym.detect_iter_map([i // 4, i % 4], {i: tvm.ir.Range(0, 16)})",
     detect},
    {ApiKind::kFunction, kSym,
     "iter_map_simplify(indices, input_iters, predicate=True, check_level=1, "
     "simplify_trivial_iterators=True, analyzer=None)",
     "Indices written as sums of digits of the iterators; as they are when they are no such sums.",
     simplified},
    {ApiKind::kFunction, kSym, "normalize_to_iter_sum(index, input_iters, analyzer=None)",
     "One index as a sum of digits, the largest scales first; what is no digit goes to its base.",
     normalized},
    {ApiKind::kFunction, kSym, "normalize_iter_map_to_expr(expr)", "A sum of digits as arithmetic.", to_expr},
    {ApiKind::kFunction, kSym,
     "subspace_divide(bindings, input_iters, sub_iters, predicate=True, check_level=1, "
     "simplify_trivial_iterators=True, analyzer=None)",
     "Each binding as (outer, inner) of the iterators around `sub_iters` and of those; last the predicates "
     "of both. () when a binding mixes them.",
     divide},
    {ApiKind::kFunction, kSym, "inverse_affine_iter_map(iter_map, outputs)",
     "The iterators in terms of the values of a bijective map's indices.", inverse},

    {ApiKind::kClass, kSym, "IterMapExpr()", "A sum of digits of iterators, or one digit.",
     +[](ApiCall& call) -> Any {
       throw Error("not-constructible", "an iterator map is made by `IterSplitExpr` or `IterSumExpr`")
           .at(call.span);
     },
     kMap, "tvm.sym.iter_affine_map.IterMapExpr"},
    {ApiKind::kClass, kSym, "IterMark(source, extent)", "`source` counts from 0 to extent - 1.", make_mark,
     kMark, "tvm.sym.iter_affine_map.IterMark"},
    {ApiKind::kProperty, kMark, "source", "An expression, or a sum of digits.",
     +[](ApiCall& call) -> Any { return source_of(mark_of(call)); }},
    {ApiKind::kProperty, kMark, "extent", "How many values it takes.",
     +[](ApiCall& call) -> Any { return mark_of(call)->extent; }},
    {ApiKind::kMethod, kMark, "__repr__()", "The mark in full.", mark_text},

    {ApiKind::kClass, kSym, "IterSplitExpr(source, lower_factor, extent, scale)",
     "source // lower_factor % extent * scale", make_split_expr, kSplit,
     "tvm.sym.iter_affine_map.IterSplitExpr"},
    {ApiKind::kProperty, kSplit, "source", "The mark.",
     +[](ApiCall& call) -> Any { return split_of(call)->source; }},
    {ApiKind::kProperty, kSplit, "lower_factor", "What the digit is divided by.",
     +[](ApiCall& call) -> Any { return split_of(call)->lower_factor; }},
    {ApiKind::kProperty, kSplit, "extent", "How many values the digit takes.",
     +[](ApiCall& call) -> Any { return split_of(call)->extent; }},
    {ApiKind::kProperty, kSplit, "scale", "What the digit is multiplied by.",
     +[](ApiCall& call) -> Any { return split_of(call)->scale; }},
    {ApiKind::kProperty, kSplit, "ty", "The type of the digit.",
     +[](ApiCall& call) -> Any { return split_of(call)->extent->ty; }},
    {ApiKind::kMethod, kSplit, "__repr__()", "The digit in full.", split_text},

    {ApiKind::kClass, kSym, "IterSumExpr(args, base)", "The sum of the digits and a base.", make_sum, kSum,
     "tvm.sym.iter_affine_map.IterSumExpr"},
    {ApiKind::kProperty, kSum, "args", "The digits.",
     +[](ApiCall& call) -> Any { return sum_of(call)->args; }},
    {ApiKind::kProperty, kSum, "base", "What is added to them.",
     +[](ApiCall& call) -> Any { return sum_of(call)->base; }},
    {ApiKind::kProperty, kSum, "ty", "The type of the sum.",
     +[](ApiCall& call) -> Any { return sum_of(call)->base->ty; }},
    {ApiKind::kMethod, kSum, "__repr__()", "The sum in full.", sum_text},

    {ApiKind::kClass, kSym, "IterMapResult()", "What detect_iter_map found.",
     +[](ApiCall& call) -> Any {
       throw Error("not-constructible", "`IterMapResult` is made by `detect_iter_map`").at(call.span);
     },
     kResult, "tvm.sym.iter_affine_map.IterMapResult"},
    {ApiKind::kProperty, kResult, "indices", "One sum for each index, or ().",
     +[](ApiCall& call) -> Any { return result_of(call)->indices; }},
    {ApiKind::kProperty, kResult, "errors", "Why there is none.",
     +[](ApiCall& call) -> Any { return result_of(call)->errors; }},
    {ApiKind::kProperty, kResult, "padding_predicate", "Holds for the values that padding added.",
     +[](ApiCall& call) -> Any {
       const Expr& e = result_of(call)->padding_predicate;
       return e ? Any(e) : Any(nullptr);
     }},
    {ApiKind::kMethod, kResult, "__repr__()", "The result in full.", result_text},

};

}  // namespace

void register_iter_map_api() {
  ir::register_node<IterMarkNode>();
  ir::register_node<IterSplitNode>();
  ir::register_node<IterSumNode>();
  ApiRegistry::global().add(iter_map_api_table);
}

}  // namespace mlc::transform::sym
