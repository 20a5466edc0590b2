// SPDX-License-Identifier: Apache-2.0
// Blocks and what stands in them: axes, regions, init, predicates, attributes.
#include <optional>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-domain",
         .kind = "TypeError",
         .message = "the domain of an axis is an extent or `(begin, end)`, got {} values",
         .meaning = "The domain of a block's axis is an extent or `(begin, end)`.",
         .wrong = R"(for i in range(16):
    with T.sblock("b"):
        vi = T.axis.spatial((0, 16, 2), i)
        A[vi] = 1.0)",
         .right = R"(for i in range(16):
    with T.sblock("b"):
        vi = T.axis.spatial((0, 16), i)
        A[vi] = 1.0)"},
        {.name = "block-without-realization",
         .message = "the block `{}` has `no_realize=True`, so it has no {}",
         .help = "leave out `no_realize=True`",
         .meaning = "A block with `no_realize=True` is a definition alone: nothing runs it, so nothing is "
                    "bound to its iterators and no condition guards it.",
         .wrong = R"(with T.sblock("b", no_realize=True):
    T.where(n > 0)
    A[0] = 1.0)",
         .right = R"(with T.sblock("b"):
    T.where(n > 0)
    A[0] = 1.0)"},
        {.name = "not-a-loop-variable",
         .message = "`T.axis.remap` binds loop variables, this is `{}`",
         .help = "use `T.axis.spatial(extent, binding)` or `T.axis.reduce(extent, binding)`",
         .meaning = "`T.axis.remap` takes each axis' domain from the loop that it is bound to, so it is "
                    "bound to loop variables.",
         .wrong = R"(for i in range(16):
    with T.sblock("b"):
        vi = T.axis.remap("S", [i + 1])
        A[vi] = 1.0)",
         .right = R"(for i in range(15):
    with T.sblock("b"):
        vi = T.axis.spatial(16, i + 1)
        A[vi] = 1.0)"},
        {.name = "repeated-block-part",
         .kind = ir::kRefusedValue,
         .message = "the block `{}` has a second `T.{}`"},
        {.name = "unknown-axis-kind",
         .message = "`{}` is no axis kind",
         .help = "use `S` (spatial) and `R` (reduce)",
         .meaning = "`T.axis.remap` knows `S` (spatial) and `R` (reduce).",
         .wrong = R"(for i in range(16):
    with T.sblock("b"):
        vi = T.axis.remap("Q", [i])
        A[vi] = 1.0)",
         .right = R"(for i in range(16):
    with T.sblock("b"):
        vi = T.axis.remap("S", [i])
        A[vi] = 1.0)"},
    }};
MLC_REFUSALS(tir_rows_block, refusals);

namespace {

constexpr std::string_view kAxis = "tvm.script.tirx.axis";

ir::Range domain_from(const Any& value, Span span) {
  if (auto range = ir::try_get<ir::Range>(value)) return *range;
  if (is_list(value)) {
    auto pair = script::elements(value);
    if (pair.size() != 2) {
      throw ir::refuse(refusals["bad-domain"], pair.size()).at(span);
    }
    Expr begin = script::as_expr(pair[0], span, "the begin of a domain");
    Expr end = script::as_expr(pair[1], span, "the end of a domain");
    ir::match_types(begin, end, span);
    return ir::make<ir::RangeNode>(begin, ir::difference(end, begin));
  }
  constexpr const char* what = "the domain of an axis";
  Expr extent = integer_of(script::as_expr(value, span, what), span, what);
  return ir::make<ir::RangeNode>(ir::const_like(extent, 0), extent);
}

// One more iterator of the block; its variable gets its name by the assignment.
Var add_axis(ApiCall& call, ir::Range domain, Expr binding, ir::IterType type, Span span) {
  Builder& builder = Builder::current(call);
  DataType dtype = binding->dtype();
  if (!dtype.is_scalar() || !(dtype.is_int() || dtype.is_uint())) {
    throw ir::Error("type-mismatch", "an axis is bound to an integer, got `{}`", dtype.str())
        .at(span)
        .kind("TypeError");
  }
  DataType own = domain->extent->dtype();
  Var var = ir::make<ir::VarNode>(String(), Type(ir::prim_type(own)), span);
  builder.add_iter_var(call, ir::make<ir::IterVarNode>(domain, var, type), std::move(binding));
  return var;
}

[[noreturn]] void no_realization(const ApiCall& call, const BlockState& state) {
  throw ir::refuse(refusals["block-without-realization"], state.name.c_str(),
                   call.api.name == "where" ? "predicate" : "bindings")
      .at(call.span);
}

template <ir::IterType type>
Any axis(ApiCall& call) {
  BlockState& state = Builder::current(call).block(call);
  ir::Range domain = domain_from(call.args[0], call.span_of(0));
  if (state.no_realize && is_given(call, 1)) no_realization(call, state);
  if (state.no_realize) return Expr(add_axis(call, domain, domain->min, type, call.span));
  if (!is_given(call, 1)) {
    throw ir::Error("missing-argument", "`{}` is missing the argument `binding`", shown_name(call.api))
        .at(call.span)
        .kind("TypeError")
        .help("a block that runs says what its iterators are bound to");
  }
  Expr binding = expr_arg(call, 1);
  auto* loop = call.args[0].as<ir::VarNode>();
  std::optional<int64_t> constant = ir::const_int(binding);
  // A loop as the extent of its own axis, bound to a number: legal, and hardly meant.
  if (loop && Builder::current(call).loop_of(loop) && constant && *constant > 0) warn_swapped(call, 0, 1);
  return Expr(add_axis(call, domain, std::move(binding), type, call.span));
}

Any remap(ApiCall& call) {
  Builder& builder = Builder::current(call);
  if (BlockState& state = builder.block(call); state.no_realize) no_realization(call, state);
  if (script::is_str(call.args[1]) && !script::is_str(call.args[0])) swapped(call, 0, 1);
  String kinds = str_arg(call, 0);
  std::string_view letters(kinds.data(), kinds.size());
  std::vector<Any> bindings = items(call.args[1], call.span_of(1));
  if (letters.size() != bindings.size()) {
    throw ir::Error("wrong-arguments", "{} axis kind{} for {} binding{}", letters.size(),
                    letters.size() == 1 ? "" : "s", bindings.size(), bindings.size() == 1 ? "" : "s")
        .at(call.span_of(0))
        .help("write one letter for each binding, `S` (spatial) or `R` (reduce)");
  }
  Array<Any> vars;
  for (size_t i = 0; i < bindings.size(); ++i) {
    ir::IterType type = ir::IterType::kDataPar;
    if (letters[i] == 'R') {
      type = ir::IterType::kCommReduce;
    } else if (letters[i] != 'S') {
      throw ir::refuse(refusals["unknown-axis-kind"], letters[i]).at(call.span_of(0));
    }
    auto* var = bindings[i].as<ir::VarNode>();
    const Loop* loop = var ? builder.loop_of(var) : nullptr;
    if (!loop) {
      throw ir::refuse(refusals["not-a-loop-variable"], ir::type_name(bindings[i])).at(call.span_of(1));
    }
    ir::Range domain = ir::make<ir::RangeNode>(loop->min, loop->extent);
    vars.push_back(Expr(add_axis(call, domain, ir::ref(var), type, call.span)));
  }
  if (vars.size() == 1) return vars[0];
  return vars;
}

ir::TensorRegion region_from(const Any& value, Span span) {
  if (auto region = value.as<ir::TensorRegion>()) return *region;
  if (auto* load = value.as<ir::TensorLoadNode>()) {
    Array<ir::Range> region;
    for (const Expr& index : load->indices) {
      if (auto* ramp = ir::as<ir::RampNode>(index)) {
        region.push_back(ir::make<ir::RangeNode>(ramp->base, ramp->lanes));
      } else {
        region.push_back(ir::make<ir::RangeNode>(index, ir::const_like(index, 1)));
      }
    }
    return ir::make<ir::TensorRegionNode>(load->source, std::move(region), load->span);
  }
  throw ir::Error("wrong-type", "expected a region such as `A[vi, 0:16]`, got `{}`", ir::type_name(value))
      .at(span)
      .kind("TypeError");
}

Array<ir::TensorRegion> regions_arg(const ApiCall& call) {
  Array<ir::TensorRegion> all;
  auto add = [&](const auto& self, const Any& value) -> void {
    if (is_list(value)) {
      for (const Any& one : script::elements(value)) self(self, one);
    } else {
      all.push_back(region_from(value, call.span));
    }
  };
  add(add, call.args[0]);
  return all;
}

[[noreturn]] void repeated(const ApiCall& call, const BlockState& state) {
  throw ir::refuse(refusals["repeated-block-part"], state.name.c_str(), call.api.name).at(call.span);
}

template <auto kRegions>
Any regions(ApiCall& call) {
  BlockState& state = Builder::current(call).block(call);
  if (state.*kRegions) repeated(call, state);
  state.*kRegions = regions_arg(call);
  return nullptr;
}
Any where(ApiCall& call) {
  BlockState& state = Builder::current(call).block(call);
  if (state.predicate) repeated(call, state);
  if (state.no_realize) no_realization(call, state);
  Expr predicate = expr_arg(call, 0);
  if (auto* known = ir::as<ir::IntImmNode>(predicate)) predicate = ir::bool_imm(known->value != 0);
  if (!predicate->dtype().is_bool()) {
    throw ir::Error("type-mismatch", "`T.where` needs a bool, got `{}`", predicate->dtype().str())
        .at(call.span_of(0));
  }
  state.predicate = predicate;
  return nullptr;
}
Any block_attr(ApiCall& call) {
  BlockState& state = Builder::current(call).block(call);
  for (const auto& [key, value] : attributes_arg(call, 0)) {
    auto earlier = state.annotations.find(key);
    if (earlier != state.annotations.end() && !ir::structural_equal((*earlier).second, value)) {
      throw ir::Error("repeated-attribute", "the attribute `{}` of the block `{}` has another value already",
                      key.c_str(), state.name.c_str())
          .at(call.span_of(0));
    }
    state.annotations.Set(key, value);
  }
  return nullptr;
}

Any open_block(ApiCall& call) {
  return ir::make<BlockFrameNode>(str_arg(call, 0), call.args[1].cast<bool>());
}
Any open_init(ApiCall& call) {
  Builder::current(call).block(call);
  return ir::make<InitFrameNode>();
}

constexpr auto kSpatial = axis<ir::IterType::kDataPar>;
constexpr auto kReduce = axis<ir::IterType::kCommReduce>;
constexpr std::string_view block_doc =
    "A block: the unit that schedules move. Regions that are not written are found.";
constexpr ir::ApiRow block_table[] = {
    {ir::ApiKind::kFunction, kT, "sblock(name=\"\", no_realize=False, exec_scope=\"\")", block_doc,
     open_block},
    {ir::ApiKind::kFunction, kT, "init()", "What a block does before its first reduction step.", open_init},
    {ir::ApiKind::kFunction, kT, "reads(*buffer_slices)", "The regions a block reads.",
     regions<&BlockState::reads>},
    {ir::ApiKind::kFunction, kT, "writes(*buffer_slices)", "The regions a block writes.",
     regions<&BlockState::writes>},
    {ir::ApiKind::kFunction, kT, "where(predicate)", "The block runs only where this holds.", where},
    {ir::ApiKind::kFunction, kT, "sblock_attr(attrs)", "Annotations of a block.", block_attr},
    {ir::ApiKind::kFunction, kAxis, "spatial(dom, binding=None, dtype=\"int32\")",
     "An iterator whose steps are independent.", kSpatial},
    {ir::ApiKind::kFunction, kAxis, "S(dom, binding=None, dtype=\"int32\")",
     "An iterator whose steps are independent.", kSpatial},
    {ir::ApiKind::kFunction, kAxis, "reduce(dom, binding=None, dtype=\"int32\")",
     "An iterator that a result is accumulated over.", kReduce},
    {ir::ApiKind::kFunction, kAxis, "R(dom, binding=None, dtype=\"int32\")",
     "An iterator that a result is accumulated over.", kReduce},
    {ir::ApiKind::kFunction, kAxis, "scan(dom, binding=None, dtype=\"int32\")",
     "An iterator whose steps depend on the ones before.", axis<ir::IterType::kOrdered>},
    {ir::ApiKind::kFunction, kAxis, "opaque(dom, binding=None, dtype=\"int32\")",
     "An iterator about which nothing is promised.", axis<ir::IterType::kOpaque>},
    {ir::ApiKind::kFunction, kAxis, "remap(kinds, bindings, dtype=\"int32\")",
     "Iterators for loop variables, one letter each: `T.axis.remap(\"SSR\", [i, j, k])`.", remap},
};

}  // namespace

std::span<const ir::ApiRow> block_rows() { return block_table; }

}  // namespace mlc::tvmscript
