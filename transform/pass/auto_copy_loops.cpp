// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/iter_map.h"
#include "transform/pass/auto_copy.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {
namespace {

[[noreturn]] void not_constant(const For& loop) {
  throw refuse(pass_refusals["auto-copy"], loop->loop_var->name.c_str()).at(loop->span);
}

// One loop over all iterations: the loops' variables are the digits of its variable.
For fused(const CopyLoops& nest) {
  std::string suffix;
  for (size_t i = 1; i < nest.loops.size(); ++i) suffix += "_" + std::string(nest.loops[i]->loop_var->name);
  Var all = with_suffix(nest.loops[0]->loop_var, suffix + "_fused");
  Expr rest = all;
  int64_t count = 1;
  VarMap digits;
  for (size_t i = nest.loops.size(); i-- > 0;) {
    const For& loop = nest.loops[i];
    auto extent = const_int(loop->extent);
    if (!extent) not_constant(loop);
    count *= *extent;
    digits.emplace(loop->loop_var.get(), floormod(rest, loop->extent));
    rest = floordiv(rest, loop->extent);
  }
  return make<ForNode>(all, Expr(const_like(rest, 0)), Expr(const_like(rest, count)), ForKind::kSerial,
                       substitute(nest.guarded(nest.store), digits));
}

// A loop for what is left, one for each axis of threads, and one for a vector.
Stmt shared_by_threads(const For& loop, const AutoCopy& copy) {
  const Var& all = loop->loop_var;
  int64_t count = *const_int(loop->extent);
  int64_t vector = std::max<int64_t>(1, copy.vector_bytes * 8 / copy.read->source->buffer()->dtype.bits);
  std::vector<std::pair<int64_t, std::string>> parts{{0, ""}};
  int64_t at_once = vector;
  for (const char* tag : {"threadIdx.z", "threadIdx.y", "threadIdx.x"}) {
    auto found = copy.threads.find(tag);
    if (found == copy.threads.end()) continue;
    parts.push_back({found->second, tag});
    at_once *= found->second;
  }
  parts.push_back({vector, ""});
  parts[0].first = (count + at_once - 1) / at_once;

  std::vector<Var> vars;
  Expr value;
  for (size_t i = 0; i < parts.size(); ++i) {
    vars.push_back(with_suffix(all, "_" + std::to_string(i)));
    value = value ? value * parts[i].first + Expr(vars[i]) : Expr(vars[i]);
  }
  Stmt body = substitute(loop->body, {{all.get(), value}});
  if (count % at_once != 0) body = make<IfThenElseNode>(lt(value, loop->extent), body);
  for (size_t i = parts.size(); i-- > 0;) {
    const auto& [extent, tag] = parts[i];
    ForKind kind = !tag.empty() ? ForKind::kThreadBinding : i ? ForKind::kVectorized : ForKind::kSerial;
    IterVar thread;
    if (!tag.empty())
      thread = make<IterVarNode>(Range(), make_var(String(tag), all->dtype()), IterType::kThreadIndex,
                                 String(tag));
    body = make<ForNode>(vars[i], Expr(const_like(value, 0)), Expr(const_like(value, extent)), kind, body,
                         thread);
  }
  return body;
}

// The same copy in the order of what is written.
Stmt in_order_of_writes(const Stmt& body, const AutoCopy& copy) {
  CopyLoops nest = copy_loops(body);
  Analyzer analyzer;
  Array<Expr> pattern;
  for (size_t i = 0; i < copy.write->region.size(); ++i) {
    Expr offset = analyzer.simplify(nest.store->indices[i] - copy.write->region[i]->min);
    if (!is_const_int(offset, 0)) pattern.push_back(offset);
  }
  std::vector<LoopRange> ranges;
  for (const For& loop : nest.loops)
    ranges.push_back({loop->loop_var, make<RangeNode>(loop->min, loop->extent)});
  IterMapResult map =
      detect_iter_map(pattern, ranges, Expr(bool_imm(true)), IterMapCheck::kBijective, analyzer);
  if (map.indices.size() != nest.loops.size())
    throw refuse_as(pass_refusals["auto-copy"],
                    "the loops of a copy to global memory are not the digits of where it writes")
        .kind("InternalError")
        .at(nest.store->span)
        .note(fmt::format("{} digits, {} loops", map.indices.size(), nest.loops.size()));
  Array<Expr> outputs;
  for (const For& loop : nest.loops) outputs.push_back(Expr(loop->loop_var));
  std::unordered_map<const VarNode*, Expr> inverse;
  for (const auto& [var, value] : inverse_affine_iter_map(map.indices, outputs, analyzer))
    inverse.emplace(var.get(), value);

  std::vector<Var> vars;
  VarMap renamed;
  // Each dimension of more than one element has a loop.
  auto indices = [&](const Array<Range>& region, auto at) {
    Array<Expr> all;
    size_t next = 0;
    for (const Range& range : region) {
      bool single = is_const_int(range->extent, 1);
      all.push_back(single ? range->min : range->min + at(nest.loops.at(next++)->loop_var));
    }
    return all;
  };
  Array<Expr> written = indices(copy.write->region, [&](const Var& loop_var) {
    vars.push_back(with_suffix(loop_var, "_inverse"));
    renamed.emplace(loop_var.get(), Expr(vars.back()));
    return Expr(vars.back());
  });
  Array<Expr> read = indices(copy.read->region, [&](const Var& loop_var) {
    return substitute(inverse.at(loop_var.get()), renamed);
  });
  const Buffer& target = copy.write->source;
  Expr value = make<TensorLoadNode>(copy.read->source, read);
  if (value->dtype() != DataType(target->buffer()->dtype))
    throw refuse_as(pass_refusals["auto-copy"], "a copy from shared to global memory changes no types")
        .at(nest.store->span);
  Stmt result = make<BufferStoreNode>(target, value, written);
  // TVM takes the extents of the first indices, whether these are single elements or not.
  for (size_t i = vars.size(); i-- > 0;) {
    const Expr& extent = copy.write->region[i]->extent;
    result = make<ForNode>(vars[i], Expr(const_like(extent, 0)), extent, ForKind::kSerial, result);
  }
  return result;
}

}  // namespace

Var with_suffix(const Var& var, const std::string& suffix) {
  return make_var(String(std::string(var->name) + suffix), var->dtype());
}

Stmt in_loops(const std::vector<For>& loops, size_t from, Stmt body) {
  for (size_t i = loops.size(); i-- > from;) body = with(loops[i], [&](ForNode& n) { n.body = body; });
  return body;
}

CopyLoops copy_loops(const Stmt& body, bool may_have_guard) {
  CopyLoops nest;
  Stmt inside = body;
  while (auto* loop = as<ForNode>(inside)) {
    nest.loops.push_back(ref(loop));
    inside = loop->body;
  }
  if (auto* branch = as<IfThenElseNode>(inside); may_have_guard && branch && !branch->else_case) {
    nest.guard = branch->condition;
    inside = branch->then_case;
  }
  auto* store = as<BufferStoreNode>(inside);
  if (!store || nest.loops.empty())
    throw refuse_as(pass_refusals["auto-copy"],
                    "a copy that the compiler makes is one store in loops of its own")
        .at(body->span);
  nest.store = ref(store);
  return nest;
}

Stmt coalesced(const Stmt& body, const AutoCopy& copy) {
  return shared_by_threads(fused(copy_loops(body, true)), copy);
}

MadeCopy make_copy(const Stmt& body, const AutoCopy& copy) {
  std::string_view from = text(copy.read->source->buffer()->storage_scope);
  std::string_view to = text(copy.write->source->buffer()->storage_scope);
  if (from.empty()) from = "global";
  if (to.empty()) to = "global";
  auto is_shared = [](std::string_view scope) { return scope == "shared" || scope == "shared.dyn"; };
  if (is_shared(from) && to == "global") return {coalesced(in_order_of_writes(body, copy), copy), {}};
  if (from == "global" && is_shared(to)) {
    Stmt made = coalesced(body, copy);
    return copy.local_stage ? through_registers(made) : MadeCopy{made, {}};
  }
  if (is_shared(from) && (to == "wmma.matrix_a" || to == "wmma.matrix_b")) return {load_fragments(body), {}};
  if (from == "wmma.accumulator" && is_shared(to)) return {store_fragments(body), {}};
  if (from == "wmma.accumulator" && to == "global") return through_shared(body, 16, copy);
  if (from == "m16n8k8.matrixC" && to == "global") return through_shared(body, 8, copy);
  return {body, {}};
}

}  // namespace mlc::transform
