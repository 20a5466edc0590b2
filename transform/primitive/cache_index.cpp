// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_cache_index {

static constexpr char doc[] = R"(
cache_index(block, storage_scope, cse_thresh=0) -> blocks      Compute what a block's indices are made of once, in front of its loops.

    for i, j in T.grid(n, m):            =>      for ax0 in range(n):
        O[i, j] = A[i // 4, j]                       index_var_0[ax0] = ax0 // 4
                                                 for i, j in T.grid(n, m):
                                                     O[i, j] = A[index_var_0[i], j]

Taken are the largest parts of a stored value that depend on the block's iterators only and read no memory. With a
`cse_thresh` of two and more, those that occur so often; of the others, their parts are looked at. The block's regions stay
as they are. Returns the blocks that compute them; nothing is changed where there are none.
needs: the memory is one that targets have.
keeps: the values computed.
)";

namespace {

size_t operations(const Expr& e) {
  size_t count = 0;
  post_order(e, [&](const Expr& sub) {
    bool leaf = sub->kind == ExprKind::kVar || sub->kind == ExprKind::kIntImm ||
                sub->kind == ExprKind::kFloatImm || sub->kind == ExprKind::kStringImm;
    count += !leaf;
  });
  return count;
}

// The parts of one stored value that occur at least `often` times, largest first.
std::vector<Expr> repeated_parts(const SBlockNode& block, const Expr& value, int64_t often) {
  struct Part {
    Expr e;
    int64_t count;
    size_t size;
  };
  std::vector<Part> parts;
  auto known = [&](const Expr& e) {
    return std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return same_expr(part.e, e); });
  };
  std::unordered_set<const VarNode*> iters;
  for (const IterVar& iter : block.iter_vars) iters.insert(iter->var.get());
  auto eligible = [&](const Expr& e) {
    if (e->kind == ExprKind::kRamp || e->kind == ExprKind::kBroadcast) return false;
    if (operations(e) == 0 || side_effect(e) > Effect::kPure) return false;
    std::vector<Var> vars = free_vars(e);
    return !vars.empty() &&
           std::all_of(vars.begin(), vars.end(), [&](const Var& var) { return iters.contains(var.get()); });
  };
  std::vector<Expr> largest;
  auto candidates = [&](const Expr& e, Walker& on) {
    eligible(e) ? largest.push_back(e) : on.walk_children(e);
  };
  walk_with(value, candidates);
  for (const Expr& e : largest) {
    auto it = known(e);
    if (it == parts.end())
      parts.push_back({e, 1, operations(e)});
    else
      ++it->count;
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.size > b.size; });
  std::vector<Expr> chosen;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].count >= often) {
      chosen.push_back(parts[i].e);
      continue;
    }
    largest.clear();
    WalkWith(candidates).walk_children(parts[i].e);
    for (const Expr& e : largest) {
      int64_t count = parts[i].count;
      if (auto it = known(e); it != parts.end()) {
        it->count += count;
        continue;
      }
      Part next{e, count, operations(e)};
      auto at =
          std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.size <= next.size; });
      parts.insert(at, next);
    }
  }
  return chosen;
}

// Loops and a block that store `part` at its iterators; `load` is the element in the block it was taken from.
Stmt index_stage(const SRefNode& block, const SBlockRealize& realize, const Expr& part, size_t number,
                 const String& storage_scope, SBlock& stage, Expr& load) {
  VarMap bindings = bindings_of(realize), renamed, loop_map;
  std::vector<SRefNode*> around = loops_above(block);
  std::vector<std::pair<Var, Expr>> loops;
  Array<IterVar> iters;
  Array<Expr> values, shape, here, there;
  Analyzer analyzer;
  Domain domain = domain_of(ranges_of(around));
  for (const Var& iter : free_vars(part)) {
    const Expr& binding = bindings.at(iter.get());
    for (const Var& var : free_vars(binding)) {
      auto sref = std::find_if(around.begin(), around.end(),
                               [&](const SRefNode* each) { return each->loop()->loop_var.same_as(var); });
      if (sref == around.end() || loop_map.contains(var.get())) continue;
      const ForNode* loop = (*sref)->loop();
      Var next = make_var(String(fmt::format("ax{}", loops.size())), var->dtype());
      loops.emplace_back(next, loop->extent);
      loop_map[var.get()] = is_const_int(loop->min, 0) ? Expr(next) : add(loop->min, next);
    }
    Expr extent = analyzer.simplify(interval_of(binding, domain, analyzer).max + 1);
    Var own = make_var(String(fmt::format("v{}", iters.size())), iter->dtype());
    renamed[iter.get()] = own;
    shape.push_back(extent);
    iters.push_back(
        make<IterVarNode>(make<RangeNode>(const_like(extent, 0), extent), own, IterType::kDataPar));
    values.push_back(substitute(binding, loop_map));
    here.push_back(own);
    there.push_back(iter);
  }
  // One stride, as in TVM, which has one for buffers of several dimensions, too: no valid buffer type.
  Array<Expr> strides;
  if (shape.size() == 1) strides.push_back(int_imm(DataType::Int(32), 1));
  auto type = ffi::make_object<BufferTypeNode>(part->dtype(), storage_scope, shape, strides,
                                               int_imm(DataType::Int(32), 0));
  Buffer buffer = make<VarNode>(String(fmt::format("index_var_{}", number)), Type(BufferType(type)));
  Stmt body = make<BufferStoreNode>(buffer, substitute(part, renamed), here);
  stage = make<SBlockNode>(iters, Array<TensorRegion>{},
                           Array<TensorRegion>{make<TensorRegionNode>(buffer, points(here))},
                           String(fmt::format("index_{}", number)), body);
  load = make<TensorLoadNode>(buffer, there);
  return serial_loops(loops, make<SBlockRealizeNode>(values, Expr(bool_imm(true)), stage));
}

std::vector<SRefNode*> apply(Step& step, BlockArg block, String storage_scope, int64_t cse_thresh) {
  // check
  SRefNode* scope = require_scope(block);
  require_storage_scope(step, 2, storage_scope);
  SBlockRealize realize = realize_of(step.state, *block);
  std::vector<Expr> parts;
  auto collect = [&](const Stmt& s) {
    if (!s) return;
    post_order(
        s, [](const Expr&) {},
        [&](const Stmt& below) {
          if (auto* store = as<BufferStoreNode>(below))
            for (const Expr& part : repeated_parts(*block->block(), store->value, cse_thresh))
              parts.push_back(part);
        });
  };
  collect(block->block()->init);
  collect(block->block()->body);
  if (parts.empty()) return {};

  // apply
  std::vector<std::pair<Expr, Expr>> loads;
  std::vector<SBlock> stages;
  std::vector<Stmt> nests;
  for (const Expr& part : parts) {
    SBlock stage;
    Expr load;
    nests.push_back(index_stage(*block, realize, part, nests.size(), storage_scope, stage, load));
    stages.push_back(stage);
    loads.emplace_back(part, load);
  }
  std::vector<Stmt> body = statements_of(scope->block()->body);
  size_t position = child_position(*scope, *block);
  Stmt changed = with(ref(block->block()), [&](SBlockNode& copy) {
    auto parts_to_loads = overloaded{
        [&](const Expr& e, Rewriter& on) {
          for (const auto& [part, load] : loads)
            if (same_expr(part, e)) return load;
          return on.rewrite_children(e);
        },
        [](const Stmt& s, Rewriter& on) -> Stmt {
          auto* store = as<BufferStoreNode>(s);
          if (!store) return on.rewrite_children(s);
          return with(ref(store), [&](BufferStoreNode& copy) { copy.value = on.rewrite(store->value); });
        }};
    if (copy.init) copy.init = rewrite_with(copy.init, parts_to_loads);
    copy.body = rewrite_with(copy.body, parts_to_loads);
    for (const auto& [part, load] : loads) {  // TVM leaves them out, and moves the block away from what it reads
      const auto* read = as<TensorLoadNode>(load);
      copy.reads.push_back(make<TensorRegionNode>(read->source, points(read->indices)));
    }
  });
  body[position] = replaced(body[position], block->stmt, changed);
  body.insert(body.begin() + static_cast<ptrdiff_t>(position), nests.begin(), nests.end());
  Stmt next = with(ref(scope->block()), [&](SBlockNode& copy) {
    copy.body = seq(Array<Stmt>(body.begin(), body.end()));
    for (const SBlock& stage : stages) copy.alloc_buffers.push_back(stage->writes[0]->source);
  });
  step.replace(*scope, next, {{block->block(), as<SBlockNode>(changed)}});
  std::vector<SRefNode*> srefs;
  for (const SBlock& stage : stages) {
    srefs.push_back(step.sref(stage));
    srefs.back()->affine_binding = has_affine_binding(step.state, *srefs.back());
  }
  return srefs;
}

}  // namespace

extern const Primitive cache_index;
const Primitive cache_index =
    primitive<&apply>("CacheIndex", "cache_index(block, storage_scope, cse_thresh=0)", doc);

}  // namespace mlc::transform::primitive_cache_index
