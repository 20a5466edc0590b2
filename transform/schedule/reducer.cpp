// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/reducer.h"

#include <algorithm>
#include <limits>

#include "ir/core/refusal.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "reduction-not-stores",
         .message = "the reduction in block `{}` cannot be taken apart: {}",
         .help = "write it as one store `C[..] = C[..] + x`, or with several buffers as a name for each new "
                 "value, then a store of each name; the init stores the same buffers at the same indices",
         .meaning = "The reduction is written anew from its parts: what it starts with, and what is added.",
         .wrong = R"(@T.prim_func(s_tir=True)
def guarded(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 16):
        with T.sblock("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0.0
            if vk > 3:
                B[vi] = B[vi] + A[vi, vk]


other = tvm.s_tir.Schedule(guarded)
other.rfactor(other.get_loops("sums")[1], 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
        {.name = "reduction-without-reducer",
         .message =
             "the init and the update of block `{}` are no known associative and commutative reduction",
         .help = "sums start at 0, products at 1, `T.min` at `T.max_value`, `T.max` at `T.min_value`; the "
                 "buffer stands left: `C[i] = C[i] + x`; pairs may be sums, argmax or argmin",
         .meaning =
             "Partial results are combined in another order, which gives the same for such operations only.",
         .wrong = R"(@T.prim_func(s_tir=True)
def differences(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 16):
        with T.sblock("differences"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] - A[vi, vk]


other = tvm.s_tir.Schedule(differences)
other.rfactor(other.get_loops("differences")[1], 0))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.rfactor(k, 0))"},
    }};
MLC_REFUSALS(schedule_reducer, refusals);

namespace {

using Exprs = std::vector<Expr>;
using Types = std::vector<DataType>;

// (index, value) of the better value; `better(x, y)` says that x's value stays.
template <Expr (*kBetter)(Expr, Expr, Span)>
Exprs arg_best(const Exprs& x, const Exprs& y) {
  Expr stays = kBetter(x[1], y[1], {});
  return {select(stays, x[0], y[0]), select(stays, x[1], y[1])};
}
// The same, and of equal values the one with the lower (kBefore: lt) or higher (gt) index.
template <Expr (*kBetter)(Expr, Expr, Span), Expr (*kBefore)(Expr, Expr, Span) = &lt>
Exprs arg_best_tie(const Exprs& x, const Exprs& y) {
  Expr stays = kBetter(x[1], y[1], {});
  Expr earlier = logical_and(eq(x[1], y[1]), kBefore(x[0], y[0], {}));
  return {select(logical_or(stays, earlier), x[0], y[0]), select(stays, x[1], y[1])};
}
template <Expr (*kWorst)(DataType, Span)>
Exprs no_index(const Types& t) {
  return {make_const(t[0], -1), kWorst(t[1], {})};
}
// The worst value, of floats an infinity, and an index that loses ties with every element.
template <Expr (*kWorst)(DataType, Span), int kSign, bool kFirst>
Exprs neutral(const Types& t) {
  double infinity = kSign * std::numeric_limits<double>::infinity();
  return {kFirst ? max_value(t[0]) : make_const(t[0], -1),
          t[1].is_floating() ? Expr(make<FloatImmNode>(t[1], infinity)) : kWorst(t[1], {})};
}

const Reducer kReducers[] = {
    {1, [](const Exprs& x, const Exprs& y) { return Exprs{x[0] + y[0]}; },
     [](const Types& t) { return Exprs{make_const(t[0], 0)}; }},
    {1, [](const Exprs& x, const Exprs& y) { return Exprs{x[0] * y[0]}; },
     [](const Types& t) { return Exprs{make_const(t[0], 1)}; }},
    {1, [](const Exprs& x, const Exprs& y) { return Exprs{min(x[0], y[0])}; },
     [](const Types& t) { return Exprs{max_value(t[0])}; }},
    {1, [](const Exprs& x, const Exprs& y) { return Exprs{max(x[0], y[0])}; },
     [](const Types& t) { return Exprs{min_value(t[0])}; }},
    {2,
     [](const Exprs& x, const Exprs& y) {
       return Exprs{x[0] + y[0], x[1] + y[1]};
     },
     [](const Types& t) {
       return Exprs{make_const(t[0], 0), make_const(t[1], 0)};
     }},
    {2, &arg_best<&ge>, &no_index<&min_value>},
    {2, &arg_best_tie<&gt>, &no_index<&min_value>},
    {2, &arg_best_tie<&gt>, &neutral<&min_value, -1, true>},
    {2, &arg_best_tie<&gt, &gt>, &no_index<&min_value>},
    {2, &arg_best_tie<&gt, &gt>, &neutral<&min_value, -1, false>},
    {2, &arg_best<&le>, &no_index<&max_value>},
    {2, &arg_best_tie<&lt>, &no_index<&max_value>},
    {2, &arg_best_tie<&lt>, &neutral<&max_value, 1, true>},
    {2, &arg_best_tie<&lt, &gt>, &no_index<&max_value>},
    {2, &arg_best_tie<&lt, &gt>, &neutral<&max_value, 1, false>},
};

// Is `e` the pattern with some expression for each variable of `holes`? Fills them.
bool matches(const Expr& pattern, const Expr& e, const std::vector<Var>& holes, Exprs& filled) {
  for (size_t i = 0; i < holes.size(); ++i) {
    if (pattern.get() != holes[i].get()) continue;
    if (filled[i]) return same_expr(filled[i], e);
    if (e->dtype() != holes[i]->dtype()) return false;
    filled[i] = e;
    return true;
  }
  if (pattern->kind != e->kind) return false;
  if (auto* two = as_binary(pattern)) {
    return matches(two->a, as_binary(e)->a, holes, filled) && matches(two->b, as_binary(e)->b, holes, filled);
  }
  if (auto* choice = as<SelectNode>(pattern)) {
    auto* other = as<SelectNode>(e);
    return matches(choice->condition, other->condition, holes, filled) &&
           matches(choice->true_value, other->true_value, holes, filled) &&
           matches(choice->false_value, other->false_value, holes, filled);
  }
  return same_expr(pattern, e);
}

[[noreturn]] void not_stores(const SRefNode& block, const std::string& why, Span span) {
  throw about_block(refuse(refusals["reduction-not-stores"], block.name.c_str(), why), span,
                    block.stmt->span);
}

// The stores of a sequence with the values of names substituted, in the order of the names.
std::vector<const BufferStoreNode*> stores_of(const SRefNode& block, const Stmt& body, Exprs& values,
                                              Span span) {
  std::vector<const BindNode*> binds;
  std::vector<const BufferStoreNode*> stores;
  for (const Stmt& s : statements_of(body)) {
    if (auto* bind = as<BindNode>(s)) {
      if (!stores.empty()) not_stores(block, "a name is defined after a store", span);
      binds.push_back(bind);
    } else if (auto* store = as<BufferStoreNode>(s)) {
      stores.push_back(store);
    } else {
      not_stores(block, "its body is more than stores", span);
    }
  }
  if (binds.empty()) {
    for (const BufferStoreNode* store : stores) values.push_back(store->value);
    return stores;
  }
  std::vector<const BufferStoreNode*> ordered;
  for (const BindNode* bind : binds) {
    values.push_back(bind->value);
    const BufferStoreNode* found = nullptr;
    for (const BufferStoreNode* store : stores) {
      if (store->value.get() != bind->var.get()) continue;
      if (found) not_stores(block, fmt::format("`{}` is stored twice", bind->var->name.c_str()), span);
      found = store;
    }
    if (!found) not_stores(block, fmt::format("`{}` is not stored", bind->var->name.c_str()), span);
    ordered.push_back(found);
  }
  if (ordered.size() != stores.size()) {
    not_stores(block, "a store's value is not one of the names defined before it", span);
  }
  return ordered;
}

}  // namespace

Reduction reduction_of(const SRefNode& sref, Span span) {
  const SBlockNode* block = sref.block();
  Reduction result{};
  Exprs updates, inits, loads;
  std::vector<const BufferStoreNode*> stores = stores_of(sref, block->body, updates, span);
  if (stores.size() > 1 && !as<BindNode>(statements_of(block->body)[0])) {
    not_stores(sref, "a later store would read what an earlier one has written", span);
  }
  std::vector<const BufferStoreNode*> initial = stores_of(sref, block->init, inits, span);
  if (initial.size() != stores.size()) not_stores(sref, "the init stores other buffers than the body", span);
  result.indices = stores[0]->indices;
  Types types;
  for (const BufferStoreNode* store : stores) {
    const Buffer& buffer = store->buffer;
    if (!same_exprs(store->indices, result.indices))
      not_stores(sref, "its buffers are stored at different indices", span);
    if (std::find(result.buffers.begin(), result.buffers.end(), buffer) != result.buffers.end())
      not_stores(sref, fmt::format("`{}` is stored twice", buffer->name.c_str()), span);
    const Array<Expr>&shape = buffer->buffer()->shape, &first = stores[0]->buffer->buffer()->shape;
    if (!same_exprs(shape, first)) not_stores(sref, "its buffers have different shapes", span);
    auto init = std::find_if(initial.begin(), initial.end(), [&](const BufferStoreNode* candidate) {
      return candidate->buffer.same_as(buffer) && same_exprs(candidate->indices, store->indices);
    });
    if (init == initial.end()) {
      not_stores(sref, fmt::format("the init does not store `{}` where the body does", buffer->name.c_str()),
                 span);
    }
    result.buffers.push_back(buffer);
    result.identity.push_back(inits[init - initial.begin()]);
    loads.push_back(make<TensorLoadNode>(buffer, store->indices));
    types.push_back(loads.back()->dtype());
  }
  for (const Reducer& reducer : kReducers) {
    if (reducer.arity != stores.size()) continue;
    bool arithmetic = std::none_of(types.begin(), types.end(), [](DataType t) { return t.is_bool(); });
    if (!arithmetic) continue;
    Exprs identity = reducer.identity(types);
    if (!std::equal(identity.begin(), identity.end(), result.identity.begin(), same_expr)) continue;
    std::vector<Var> holes;
    for (DataType type : types) holes.push_back(make_var("rhs", type));
    Exprs pattern = reducer.combine(loads, Exprs(holes.begin(), holes.end()));
    Exprs filled(holes.size());
    bool all = true;
    for (size_t i = 0; i < pattern.size(); ++i) all = all && matches(pattern[i], updates[i], holes, filled);
    if (!all || std::any_of(filled.begin(), filled.end(), [](const Expr& e) { return !e; })) continue;
    result.reducer = &reducer;
    result.rhs = filled;
    return result;
  }
  throw about_block(refuse(refusals["reduction-without-reducer"], sref.name.c_str()), span, sref.stmt->span);
}

}  // namespace mlc::transform
