// SPDX-License-Identifier: Apache-2.0
// Attention of queries to keys and values, of (batch, sequence, heads, dimension of a head) each.
#include "ir/relax/operand_checks.h"
#include "ir/tir/arith_ops.h"

namespace mlc::relax::operators_attention {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "attention-operand",
         .kind = "TypeError",
         .message = "`{}` of `{}` must be a tensor, but is a {}"},
        {.name = "attention-rank",
         .message = "`{}` of `{}` must have 4 dimensions, but has {}",
         .help = "(batch, sequence, heads, dimension of a head)"},
        {.name = "attention-extents-differ", .message = "`{}`: {} of `{}` is {}, of `{}` {}"},
        {.name = "attention-heads",
         .message = "`{}`: the {} heads of `query` are not a multiple of the {} heads of `{}`"},
    }};
MLC_REFUSALS(op_attention, refusals);

namespace {

constexpr std::string_view kNames[] = {"query", "key", "value", "bias"};
constexpr std::string_view kVarLenNames[] = {"queries",    "keys",         "values",      "seqstart_q",
                                             "seqstart_k", "max_seqlen_q", "max_seqlen_k"};

Type infer_attention(const CallNode* call, const InferContext& context) {
  bool var_len = call->args.size() > 4;
  std::span<const std::string_view> names =
      var_len ? std::span<const std::string_view>(kVarLenNames) : kNames;
  std::vector<const TensorTypeNode*> types;
  for (size_t i = 0; i < call->args.size(); ++i) {
    const auto* type = type_as<TensorTypeNode>(call->args[i]);
    if (!type)
      throw ir::refuse(refusals["attention-operand"], names[i], call_name(call), kind_name(call->args[i]->ty))
          .at(operand_span(call, i));
    types.push_back(type);
  }
  size_t of_rank_4 = call->args.size() == 4 ? 4 : 3;
  bool known = true;
  std::vector<Array<Expr>> dims;
  for (size_t i = 0; i < of_rank_4; ++i) {
    if (types[i]->ndim != 4)
      throw ir::refuse(
          refusals["attention-rank"], names[i], call_name(call),
          types[i]->knows_ndim() ? fmt::format("{}", types[i]->ndim) : std::string("an unknown number"))
          .at(operand_span(call, i));
    const Array<Expr>* written = written_dims(types[i]);
    known = known && written;
    dims.push_back(written ? *written : Array<Expr>());
  }
  if (!known) return with_ndim(types[0], 4);

  auto check_equal = [&](std::string_view what, size_t i, size_t a, size_t j, size_t b) {
    if (context.proves_different(dims[i][a], dims[j][b]))
      throw ir::refuse(refusals["attention-extents-differ"], call_name(call), what, names[i],
                       dim_text(dims[i][a]), names[j], dim_text(dims[j][b]))
          .at(operand_span(call, j));
  };
  auto check_heads = [&](size_t j) {
    auto rest = ir::is_const_int(dims[j][2], 0)
                    ? std::optional<int64_t>(1)
                    : ir::const_int(context.simplify(ir::floormod(dims[0][2], dims[j][2])));
    if (rest && *rest != 0)
      throw ir::refuse(refusals["attention-heads"], call_name(call), dim_text(dims[0][2]),
                       dim_text(dims[j][2]), names[j])
          .at(operand_span(call, j));
  };
  check_equal("the batch size", 0, 0, 1, 0);
  check_equal("the batch size", 0, 0, 2, 0);
  check_heads(1);
  check_heads(2);
  check_equal("the length of the sequence", 1, 1, 2, 1);
  check_equal("the dimension of a head", 0, 3, 1, 3);
  if (of_rank_4 == 4) {
    constexpr std::string_view kWhat[] = {"the batch size", "the number of heads",
                                          "the length of the sequence"};
    constexpr size_t kAxis[] = {0, 2, 1};
    for (size_t k = 0; k < 3; ++k) {
      if (!ir::is_const_int(dims[3][k], 1)) check_equal(kWhat[k], 0, kAxis[k], 3, k);
    }
    check_equal("the length of the sequence", 1, 1, 3, 3);
  }
  return with_dims(types[0], {dims[0][0], dims[0][1], dims[0][2], dims[2][3]});
}

// The scale is kept as a float32 constant.
void complete_scale(ApiCall& call, size_t i) {
  Any& scale = call.args[i];
  if (scale == nullptr || scale.as<ir::FloatImmNode>()) return;
  double value = attr_arg(call, i, AttrKind::kFloat).cast<double>();
  scale = Any(make<ir::FloatImmNode>(DataType::Float(32), value));
}

Any build_attention(ApiCall& call) {
  complete_scale(call, 4);
  Array<Expr> args{operand_arg(call, 0), operand_arg(call, 1), operand_arg(call, 2)};
  if (call.args[3] != nullptr) args.push_back(operand_arg(call, 3));
  Call made = call_with_attrs(call, args, 4);
  return make_call(args.size() == 4 ? "relax.nn.attention_bias" : "relax.nn.attention", args, made->attrs, {},
                   call.span);
}
Any build_attention_var_len(ApiCall& call) {
  complete_scale(call, 7);
  Expr starts = operand_arg(call, 3);
  Expr longest = operand_arg(call, 4);
  Array<Expr> args{operand_arg(call, 0),
                   operand_arg(call, 1),
                   operand_arg(call, 2),
                   starts,
                   call.args[5] == nullptr ? starts : operand_arg(call, 5),
                   longest,
                   call.args[6] == nullptr ? longest : operand_arg(call, 6)};
  return call_with_attrs(call, args, 7);
}

constexpr AttrRows kAttrs{
    {{"scale", AttrKind::kAny}, {"causal_mask", AttrKind::kOptString}, {"window_size", AttrKind::kOptInt}}};

constexpr Operator kRows[] = {
    {.signature =
         "nn.attention(query, key, value, bias=None, scale=None, causal_mask=None, window_size=None)",
     .arguments = "query Tensor; key Tensor; value Tensor",
     .doc =
         "softmax(query * key * scale + bias) * value; without a scale it is 1 / sqrt(dimension of a head).",
     .infer = infer_attention,
     .attrs = kAttrs.of("AttentionAttrs"),
     .build = build_attention,
     .precision = Precision::kAlways},
    {.signature =
         "nn.attention_bias(query, key, value, bias=None, scale=None, causal_mask=None, window_size=None)",
     .doc = "As nn.attention.",
     .infer = infer_attention,
     .attrs = kAttrs.of("AttentionAttrs"),
     .build = build_attention,
     .precision = Precision::kAlways},
    {.signature = "nn.attention_var_len(queries, keys, values, seqstart_q, max_seqlen_q, seqstart_k=None, "
                  "max_seqlen_k=None, scale=None, causal_mask=None, window_size=None)",
     .arguments = "query Tensor; key Tensor; value Tensor; seqstart_q Tensor; seqstart_k Tensor; "
                  "max_seqlen_q Tensor; max_seqlen_k Tensor",
     .doc = "Attention of sequences of different lengths that lie one behind the other.",
     .infer = infer_attention,
     .attrs = kAttrs.of("AttentionAttrs"),
     .build = build_attention_var_len,
     .precision = Precision::kAlways},
};

}  // namespace

extern const Operators attention;
const Operators attention{kRows};

}  // namespace mlc::relax::operators_attention
