// SPDX-License-Identifier: Apache-2.0
// Statements that are calls: attributes, threads, bindings, and what is for the builder itself.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "buffer-as-value",
         .message = "the buffer `{}` cannot be evaluated, only its elements",
         .meaning = "A buffer is memory, not a number: name one of its elements, or its address `A.data`.",
         .wrong = "A[0] = A + 1.0",
         .right = "A[0] = A[1] + 1.0"},
        {.name = "not-constant",
         .message = "the condition of `T.static_assert` must be known now",
         .meaning = "The value must be known while the function is read.",
         .wrong = R"(T.static_assert(n > 0, "n"))",
         .right = R"(assert n > 0, "n")"},
        {.name = "static-assert",
         .kind = "AssertionError",
         .meaning = "A condition that the function's author demands does not hold.",
         .wrong = R"(T.static_assert(1 == 2, "sizes differ"))",
         .right = "T.static_assert(1 == 1)"},
        {.name = "unknown-iter-type",
         .message = "there is no iterator type `{}`",
         .meaning = "No kind of iterator has this name.",
         .wrong = R"(T.iter_var("v", None, "Spatial", ""))",
         .right = R"(v = T.iter_var("v", T.Range(0, 4), "DataPar", "")
A[0] = 1.0)"},
    }};
MLC_REFUSALS(tir_rows_statement, refusals);

namespace {

Any func_attr(ApiCall& call) {
  Builder& builder = Builder::current(call);
  for (const auto& [key, value] : attributes_arg(call, 0)) builder.set_attr(call, key, value);
  builder.touch();
  return nullptr;
}

Any evaluate(ApiCall& call) {
  Builder& builder = Builder::current(call);
  Expr e = expr_or_text(call, 0);
  if (auto* region = ir::as<ir::TensorRegionNode>(e)) {
    throw ir::Error("region-as-value", "a region of `{}` cannot be evaluated", region->source->name.c_str())
        .at(call.span_of(0))
        .kind("TypeError");
  }
  if (auto* var = ir::as<ir::VarNode>(e); var && var->buffer()) {
    throw ir::refuse(refusals["buffer-as-value"], var->name.c_str())
        .at(call.span_of(0))
        .note("the buffer is declared here", var->span)
        .help(fmt::format("write `{0}[...]`, or `{0}.data` for its address", var->name.c_str()));
  }
  if (auto* ret = ir::as_call_to(e, "tirx.ret"); ret && ret->args.size() == 1) {
    builder.emit(ir::make<ir::ReturnNode>(ret->args[0], call.span));
    return nullptr;
  }
  builder.emit(ir::make<ir::EvaluateNode>(std::move(e), call.span));
  return nullptr;
}

Expr attribute_expr(const Any& value, Span span) {
  if (script::is_str(value)) return ir::make<ir::StringImmNode>(value.cast<String>(), span);
  return script::as_expr(value, span, "the value of an attribute");
}

// T.attr(node, key, value) and T.attr({key: value}).
Any attr(ApiCall& call) {
  auto made = ir::make<AttrFrameNode>();
  auto& out = const_cast<AttrFrameNode&>(*made);
  if (!is_given(call, 1)) {
    for (const auto& [key, value] : attributes_arg(call, 0)) {
      out.entries.push_back({Expr(ir::int32(0)), key, attribute_expr(value, call.span_of(0))});
    }
    return made;
  }
  Any node = call.args[0];
  if (script::is_str(node)) {
    node = Expr(ir::make<ir::StringImmNode>(call.args[0].cast<String>(), call.span));
  } else if (!script::is_object(node)) {
    node = script::as_expr(node, call.span_of(0), "`node`");
  }
  out.entries.push_back({node, str_arg(call, 1), attribute_expr(call.args[2], call.span_of(2))});
  return made;
}

Any env_thread(ApiCall& call) {
  return Expr(Builder::current(call).env_thread(str_arg(call, 0), dtype_arg(call, 1), call.span));
}

// T.launch_thread("blockIdx.x", 8) and T.launch_thread(T.env_thread(...), 8)
// A thread that an attribute names above its launch prints as a variable, its axis only in the variable's
// name:
//   blockIdx_x = T.int32()
//   T.attr(blockIdx_x, "pragma_unroll_explicit", 1)
//   T.launch_thread(blockIdx_x, 16)
// The axis that such a name spells, or "".
std::string_view spelled_axis(const ir::VarNode* var) {
  static constexpr std::string_view axes[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                              "threadIdx.x", "threadIdx.y", "threadIdx.z"};
  std::string_view name = view(var->name);
  for (std::string_view axis : axes) {
    size_t dot = axis.find('.');
    if (!name.starts_with(axis.substr(0, dot)) || name.size() < axis.size()) continue;
    if (name[dot] == '_' && name[dot + 1] == axis[dot + 1] &&
        (name.size() == axis.size() || name[axis.size()] == '_'))
      return axis;
  }
  return "";
}

Any launch_thread(ApiCall& call) {
  Builder& builder = Builder::current(call);
  if (script::is_str(call.args[1]) && !script::is_str(call.args[0])) swapped(call, 0, 1);
  Expr extent = integer_arg(call, 1);
  Var var;
  String tag;
  if (script::is_str(call.args[0])) {
    tag = call.args[0].cast<String>();
    var = builder.env_thread(tag, extent->dtype(), call.span);
  } else {
    auto* given = call.args[0].as<ir::VarNode>();
    const ir::IterVarNode* thread = given ? builder.env_thread_of(given) : nullptr;
    std::string_view axis = given && !thread ? spelled_axis(given) : std::string_view();
    if (!thread && axis.empty())
      ir::wrong_argument(call, 0, "a thread axis such as \"blockIdx.x\", or the result of `T.env_thread`");
    tag = thread ? thread->thread_tag : String(std::string(axis));
    var = ir::ref(given);
  }
  builder.launch(var.get(), extent, call.span);
  auto made = ir::make<AttrFrameNode>();
  auto& out = const_cast<AttrFrameNode&>(*made);
  ir::Range domain = ir::make<ir::RangeNode>(ir::const_like(extent, 0), extent);
  IterVar iter = ir::make<ir::IterVarNode>(domain, var, ir::IterType::kThreadIndex, tag);
  std::string_view name(tag.data(), tag.size());
  out.entries.push_back({iter, name.starts_with("vthread") ? "virtual_thread" : "thread_extent", extent});
  out.bound = var;
  return made;
}

Any bind(ApiCall& call) {
  Builder& builder = Builder::current(call);
  Expr value = expr_or_text(call, 0);
  Var var;
  if (is_given(call, 2)) {
    auto* given = call.args[2].as<ir::VarNode>();
    if (!given) ir::wrong_argument(call, 2, "a variable");
    var = ir::ref(given);
  } else {
    var = ir::make<ir::VarNode>(String(), value->ty, call.span);
  }
  builder.emit(ir::make<ir::BindNode>(var, value, call.span));
  return Expr(var);
}

Any make_return(ApiCall& call) {
  Builder::current(call).emit(ir::make<ir::ReturnNode>(expr_arg(call, 0), call.span));
  return nullptr;
}

Any static_assert_(ApiCall& call) {
  const Any& condition = call.args[0];
  if (script::is_ir_value(condition)) {
    throw ir::refuse(refusals["not-constant"]).at(call.span_of(0));
  }
  if (Builder* builder = Builder::current_or_null()) builder->touch();
  bool holds = script::is_bool(condition) || script::is_int(condition) ? script::raw_int(condition) != 0
                                                                       : !script::is_none(condition);
  if (holds) return nullptr;
  String message = str_arg(call, 1);
  throw ir::refuse_as(refusals["static-assert"], "{}",
                      message.empty() ? "the assertion does not hold" : message.c_str())
      .at(call.span);
}

Any assert_(ApiCall& call) {
  Array<String> parts;
  if (script::is_str(call.args[1])) {
    parts.push_back(str_arg(call, 1));
  } else {
    for (const Any& part : items(call.args[1], call.span_of(1))) {
      if (!script::is_str(part)) ir::wrong_argument(call, 1, "str or list of str");
      parts.push_back(part.cast<String>());
    }
  }
  Builder::current(call).emit(
      ir::make<ir::AssertStmtNode>(expr_arg(call, 0), str_arg(call, 2), parts, call.span));
  return ir::make<AssertFrameNode>();
}

ir::IterType iter_type_named(const ApiCall& call, size_t i) {
  static constexpr std::pair<std::string_view, ir::IterType> types[] = {
      {"DataPar", ir::IterType::kDataPar},       {"ThreadIndex", ir::IterType::kThreadIndex},
      {"CommReduce", ir::IterType::kCommReduce}, {"Ordered", ir::IterType::kOrdered},
      {"Opaque", ir::IterType::kOpaque},         {"Unrolled", ir::IterType::kUnrolled},
      {"Vectorized", ir::IterType::kVectorized}, {"Parallelized", ir::IterType::kParallelized},
      {"Tensorized", ir::IterType::kTensorized}};
  String name = str_arg(call, i);
  std::vector<std::string> names;
  for (const auto& [known, type] : types) {
    if (known == view(name)) return type;
    names.emplace_back(known);
  }
  throw ir::refuse(refusals["unknown-iter-type"], name.c_str())
      .at(call.span_of(i))
      .help(ir::did_you_mean(view(name), names));
}

Any iter_var(ApiCall& call) {
  Var var;
  if (script::is_str(call.args[0])) {
    var = ir::make<ir::VarNode>(str_arg(call, 0), Type(ir::prim_type(DataType::Int(32))), call.span);
  } else if (auto* given = call.args[0].as<ir::VarNode>()) {
    var = ir::ref(given);
  } else {
    ir::wrong_argument(call, 0, "a variable or a name");
  }
  ir::Range domain;
  if (is_given(call, 1)) {
    if (auto range = ir::try_get<ir::Range>(call.args[1])) {
      domain = *range;
    } else if (Array<Expr> ends = exprs_arg(call, 1); ends.size() == 2) {
      domain = ir::make<ir::RangeNode>(ends[0], ir::sub(ends[1], ends[0]));
    } else {
      ir::wrong_argument(call, 1, "T.Range(begin, end) or a pair");
    }
  }
  return ir::make<ir::IterVarNode>(domain, var, iter_type_named(call, 2), str_arg(call, 3));
}

Any range(ApiCall& call) {
  Expr begin = expr_arg(call, 0);
  if (!is_given(call, 1)) return ir::make<ir::RangeNode>(ir::const_like(begin, 0), begin);
  Expr end = expr_arg(call, 1);
  ir::match_types(begin, end, call.span);
  return ir::make<ir::RangeNode>(begin, ir::sub(end, begin));
}

// T.comm_reducer(lambda x, y: x + y, [identity])
Any comm_reducer(ApiCall& call) {
  Array<Expr> identity = exprs_arg(call, 1);
  std::vector<std::string> names = call.host.parameter_names(call.args[0]);
  if (names.size() != 2 * identity.size()) {
    throw ir::Error("wrong-arguments", "a reducer over {} value{} takes {} parameters, this has {}",
                    identity.size(), identity.size() == 1 ? "" : "s", 2 * identity.size(), names.size())
        .at(call.span_of(0));
  }
  std::vector<Any> vars;
  Array<Var> lhs, rhs;
  for (size_t i = 0; i < names.size(); ++i) {
    Type type = identity[static_cast<int64_t>(i % identity.size())]->ty;
    Var var = ir::make<ir::VarNode>(String(names[i]), type, call.span);
    (i < identity.size() ? lhs : rhs).push_back(var);
    vars.push_back(Expr(var));
  }
  Any result = call.host.call(call.args[0], vars);
  Array<Expr> results;
  for (const Any& one : one_or_all(result)) results.push_back(script::as_expr(one, call.span, "a result"));
  return ir::make<ir::CommReducerNode>(lhs, rhs, results, identity);
}

Any meta_var(ApiCall& call) { return ir::make<MetaVarNode>(call.args[0]); }

constexpr ir::ApiRow statement_table[] = {
    {ir::ApiKind::kFunction, kT, "func_attr(attrs)", "Attributes of the function.", func_attr},
    {ir::ApiKind::kFunction, kT, "evaluate(value)", "An expression as a statement.", evaluate},
    {ir::ApiKind::kFunction, kT, "attr(node_or_dict, attr_key=None, value=None)",
     "An attribute around statements.", attr},
    {ir::ApiKind::kFunction, kT, "env_thread(thread_tag, dtype=\"int32\")", "A thread axis, launched later.",
     env_thread},
    {ir::ApiKind::kFunction, kT, "launch_thread(thread, extent)",
     "Runs what follows on `extent` threads of an axis.", launch_thread},
    {ir::ApiKind::kFunction, kT, "Bind(value, type_annotation=None, var=None)",
     "An immutable name for a value.", bind},
    {ir::ApiKind::kFunction, kT, "bind(value, type_annotation=None, var=None)",
     "An immutable name for a value.", bind},
    {ir::ApiKind::kFunction, kT, "Return(value)", "`return value`.", make_return},
    {ir::ApiKind::kFunction, kT, "Assert(condition, message, error_kind=\"RuntimeError\")",
     "`assert condition, message`.", assert_},
    {ir::ApiKind::kFunction, kT, "meta_var(value)", "Keeps a script value as it is.", meta_var},
    {ir::ApiKind::kFunction, kT, "static_assert(x, message=\"\")", "Fails now unless the condition holds.",
     static_assert_},
    {ir::ApiKind::kFunction, kT, "iter_var(v, dom, iter_type, thread_tag)", "An iterator as a value.",
     iter_var},
    {ir::ApiKind::kFunction, kT, "Range(begin, end=None)", "The integers from `begin` below `end`.", range},
    {ir::ApiKind::kFunction, kT, "comm_reducer(combiner, identity)",
     "A commutative combination with its identity.", comm_reducer},
};

}  // namespace

std::span<const ir::ApiRow> statement_rows() { return statement_table; }

}  // namespace mlc::tvmscript
