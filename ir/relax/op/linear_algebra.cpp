// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include <algorithm>
#include <map>

#include "ir/relax/operand_checks.h"
#include "ir/relax/origin.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_linear_algebra {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "matmul-scalar",
         .message = "{} has no dimensions; `matmul` is of vectors and matrices",
         .help = "`R.multiply` multiplies by a scalar"},
        {.name = "matmul-inner",
         .message = "`matmul`: inner dimensions differ: {} has {}, {} has {}",
         .help =
             "the last dimension of the first operand is summed with the one before the last of the second"},
        {.name = "einsum-subscripts",
         .kind = "InternalError+ValueError",
         .message = "`einsum`: the subscripts `{}` are not understood: {}"},
        {.name = "einsum-dtype-unknown",
         .kind = "TypeError",
         .message = "`einsum`: of some of its tensors the data type is known, of others not",
         .help = "say it with `R.match_cast`, or convert them with `R.astype`"},
        {.name = "einsum-lengths",
         .kind = "InternalError+ValueError",
         .message = "`einsum`: the index `{}` is of lengths {} and {}"},
    }};
MLC_REFUSALS(op_linear_algebra, refusals);

namespace {

Type infer_matmul(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  VDevice vdevice = shared_vdevice(x);
  DataType dtype = dtype_attr(call, "out_dtype");
  if (dtype.is_void()) dtype = common_dtype(call, x[0], x[1]);
  if (!x[0]->knows_ndim() || !x[1]->knows_ndim()) return tensor_type(dtype, kUnknownNDim, vdevice);
  for (size_t i = 0; i < 2; ++i) {
    if (x[i]->ndim == 0)
      throw ir::refuse(refusals["matmul-scalar"], operand_name(call, i)).at(operand_span(call, i));
  }
  // A vector is a row at the left, a column at the right.
  bool row = x[0]->ndim == 1;
  bool column = x[1]->ndim == 1;
  int64_t ndim = std::max<int64_t>({x[0]->ndim, x[1]->ndim, 2}) - row - column;
  const Array<Expr>* a = written_dims(x[0]);
  const Array<Expr>* b = written_dims(x[1]);
  if (!a || !b) return tensor_type(dtype, ndim, vdevice);
  Array<Expr> batch_a(a->begin(), a->end() - (row ? 1 : 2));
  Array<Expr> batch_b(b->begin(), b->end() - (column ? 1 : 2));
  auto out = broadcast_shape(batch_a, batch_b, call, 0, 1, context);
  if (!out) return tensor_type(dtype, ndim, vdevice);
  const Expr& inner_a = (*a)[a->size() - 1];
  const Expr& inner_b = (*b)[b->size() - (column ? 1 : 2)];
  if (context.proves_different(inner_a, inner_b)) {
    ir::Error error = ir::refuse(refusals["matmul-inner"], operand_text(call, 0), dim_text(inner_a),
                                 operand_text(call, 1), dim_text(inner_b))
                          .at(operand_span(call, 1));
    explain_dim(error, call->args[0], a->size() - 1, context);
    explain_dim(error, call->args[1], b->size() - (column ? 1 : 2), context);
    throw error;
  }
  if (!row) out->push_back((*a)[a->size() - 2]);
  if (!column) out->push_back((*b)[b->size() - 1]);
  return tensor_type(*out, dtype, vdevice);
}

// matmul(data, permute_dims(weight)) + bias: a function of scripts alone.
Any build_linear(ApiCall& call) {
  Any out_dtype = attr_arg(call, 3, AttrKind::kDtype);
  Expr weight = make_call("relax.permute_dims", {operand_arg(call, 1)}, {{String("axes"), Any(nullptr)}}, {},
                          call.span);
  Expr product = make_call("relax.matmul", {operand_arg(call, 0), weight}, {{String("out_dtype"), out_dtype}},
                           {}, call.span);
  if (call.args[2] == nullptr) return product;
  return make_call("relax.add", {product, operand_arg(call, 2)}, {}, {}, call.span);
}

Type infer_outer(const CallNode* call, const InferContext&) {
  std::vector<const TensorTypeNode*> x = tensor_operands(call);
  for (size_t i = 0; i < 2; ++i) {
    if (x[i]->ndim != 1) refuse_ndim(call, i, x[i]->ndim, "1 dimension");
  }
  const Array<Expr>* a = written_dims(x[0]);
  const Array<Expr>* b = written_dims(x[1]);
  if (!a || !b) return tensor_type(x[0]->dtype, 2);
  return tensor_type(Array<Expr>{(*a)[0], (*b)[0]}, x[0]->dtype);
}

// ---- einsum ----

// The indices of one operand as they are written; `...` as the character '.'.
using Indices = std::string;

[[noreturn]] void refuse_subscripts(const CallNode* call, std::string_view text, const std::string& why,
                                    const char* kind = nullptr) {
  ir::Error error = ir::refuse(refusals["einsum-subscripts"], text, why).at(call->span);
  if (kind) throw std::move(error).kind(kind);
  throw error;
}

Indices indices_of(const CallNode* call, std::string_view text, std::string_view part) {
  Indices all;
  for (size_t i = 0; i < part.size(); ++i) {
    char c = part[i];
    if (c == ' ') continue;
    if (c == '.') {
      if (part.substr(i, 3) != "..." || all.find('.') != all.npos)
        refuse_subscripts(call, text, "a `.` is no part of one `...`");
      all += '.';
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      all += c;
    } else {
      refuse_subscripts(call, text, fmt::format("`{}` is no letter", c));
    }
  }
  return all;
}

Array<Expr> einsum_shape(const CallNode* call, std::string_view text, const std::vector<Array<Expr>>& shapes,
                         const InferContext& context) {
  size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  std::vector<Indices> operands;
  for (size_t at = 0;;) {
    size_t comma = left.find(',', at);
    operands.push_back(indices_of(call, text, left.substr(at, comma == left.npos ? left.npos : comma - at)));
    if (comma == left.npos) break;
    at = comma + 1;
  }
  if (operands.size() != shapes.size())
    refuse_subscripts(call, text,
                      fmt::format("they are of {} operands, there are {}", operands.size(), shapes.size()));
  std::map<char, Expr> lengths;
  std::vector<Expr> batch;  // of `...`, from the right
  for (size_t n = 0; n < operands.size(); ++n) {
    const Array<Expr>& shape = shapes[n];
    bool dots = operands[n].find('.') != Indices::npos;
    size_t named = operands[n].size() - dots;
    if (named > shape.size())
      refuse_subscripts(call, text, fmt::format("operand {} has {} dimensions", n + 1, shape.size()),
                        "IndexError");
    if (!dots && named != shape.size())
      refuse_subscripts(call, text, fmt::format("operand {} has {} dimensions", n + 1, shape.size()));
    size_t wide = shape.size() - named;
    size_t axis = 0;
    auto unite = [&](const std::string& name, Expr& have, const Expr& length) {
      if (!have || ir::is_const_int(have, 1)) {
        have = length;
        return;
      }
      auto a = ir::const_int(have);
      auto b = ir::const_int(length);
      if (a && b && *a != *b && *b != 1)
        throw ir::refuse(refusals["einsum-lengths"], name, *a, *b).at(operand_span(call, 0));
      // Lengths with one index are equal but for those that are 1: a number other than 1 is the length of the
      // result, of two that are not known it is the larger one.
      if (a || (b && *b == 1)) return;
      if (b) {
        have = length;
      } else if (!context.proves_equal(have, length)) {
        have = ir::max(have, length);
      }
    };
    for (char c : operands[n]) {
      if (c != '.') {
        unite(std::string(1, c), lengths[c], shape[axis++]);
        continue;
      }
      if (batch.size() < wide) batch.resize(wide);
      for (size_t k = 0; k < wide; ++k) unite("...", batch[wide - 1 - k], shape[axis++]);
    }
  }
  Indices result;
  if (arrow != text.npos) {
    result = indices_of(call, text, text.substr(arrow + 2));
  } else {
    // Indices that stand once, in alphabetical order, behind those of `...`.
    if (!batch.empty()) result += '.';
    for (const auto& [c, length] : lengths) {
      size_t count = 0;
      for (const Indices& each : operands)
        count += static_cast<size_t>(std::count(each.begin(), each.end(), c));
      if (count == 1) result += c;
    }
  }
  Array<Expr> out;
  for (char c : result) {
    if (c == '.') {
      for (size_t k = batch.size(); k > 0; --k) out.push_back(batch[k - 1]);
      continue;
    }
    auto found = lengths.find(c);
    if (found == lengths.end())
      refuse_subscripts(call, text, fmt::format("no operand has the index `{}`", c));
    out.push_back(found->second);
  }
  return out;
}

Type infer_einsum(const CallNode* call, const InferContext& context) {
  std::vector<const TensorTypeNode*> x = tensor_tuple_operand(call, 0);
  check_not_empty(call, x);
  VDevice vdevice = shared_vdevice(x);
  shared_dtype(call, x);
  DataType dtype = x[0]->dtype;
  std::vector<Array<Expr>> shapes;
  for (const TensorTypeNode* each : x) {
    if (each->knows_dtype() != x[0]->knows_dtype())
      throw ir::refuse(refusals["einsum-dtype-unknown"]).at(operand_span(call, 0));
    const Array<Expr>* dims = written_dims(each);
    if (!dims) return tensor_type(dtype, each->ndim, vdevice);
    shapes.push_back(*dims);
  }
  return tensor_type(einsum_shape(call, string_attr(call, "subscripts"), shapes, context), dtype, vdevice);
}

constexpr Operator kRows[] = {
    {.signature = "matmul(x1, x2, out_dtype=None)",
     .doc = "The product of matrices, or of batches of them, which are broadcast.",
     .infer = infer_matmul,
     .operands = 2,
     .attrs = {{{"out_dtype", AttrKind::kDtype}}, "MatmulAttrs"},
     .precision = Precision::kAlways},
    {.signature = "linear(data, weight, bias=None, out_dtype=None)",
     .doc = "matmul(data, permute_dims(weight)) + bias.",
     .build = build_linear,
     .sugar = true},
    {.signature = "einsum(operands, subscripts)",
     .doc = "Einstein's sum over products of elements, such as \"ij,jk->ik\".",
     .infer = infer_einsum,
     .operands = 1,
     .attrs = {{{"subscripts", AttrKind::kString}}, "EinsumAttrs"}},
    {.signature = "outer(x1, x2)",
     .doc = "The products of all pairs of elements of two vectors.",
     .infer = infer_outer,
     .precision = Precision::kAlways},
};

}  // namespace

extern const Operators linear_algebra;
const Operators linear_algebra{kRows};

}  // namespace mlc::relax::operators_linear_algebra
