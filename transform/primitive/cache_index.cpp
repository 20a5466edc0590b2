// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

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

class Candidates final : public Walker {
 public:
  explicit Candidates(const SBlockNode& block) {
    for (const IterVar& iter : block.iter_vars) iters_.insert(iter->var.get());
  }
  std::vector<Expr> found;
  void visit(const Expr& e) override {
    if (eligible(e))
      found.push_back(e);
    else
      walk_children(e);
  }

 private:
  bool eligible(const Expr& e) const {
    if (e->kind == ExprKind::kRamp || e->kind == ExprKind::kBroadcast) return false;
    if (operations(e) == 0 || side_effect(e) > Effect::kPure) return false;
    std::vector<Var> vars = free_vars(e);
    return !vars.empty() &&
           std::all_of(vars.begin(), vars.end(), [&](const Var& var) { return iters_.contains(var.get()); });
  }
  std::unordered_set<const VarNode*> iters_;
};

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
  Candidates largest(block);
  largest.visit(value);
  for (const Expr& e : largest.found) {
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
    Candidates below(block);
    below.walk_children(parts[i].e);
    for (const Expr& e : below.found) {
      int64_t count = parts[i].count;
      if (auto it = known(e); it != parts.end()) {
        it->count += count;
        continue;
      }
      Part next{e, count, operations(e)};
      auto at = std::find_if(parts.begin() + static_cast<ptrdiff_t>(i) + 1, parts.end(),
                             [&](const Part& part) { return part.size <= next.size; });
      parts.insert(at, next);
    }
  }
  return chosen;
}

// Parts of stored values replaced by loads of what was computed before.
class ReplaceParts final : public Rewriter {
 public:
  explicit ReplaceParts(const std::vector<std::pair<Expr, Expr>>& loads) : loads_(loads) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    for (const auto& [part, load] : loads_)
      if (same_expr(part, e)) return load;
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    auto* store = as<BufferStoreNode>(s);
    if (!store) return rewrite_children(s);
    return with(ref(store), [&](BufferStoreNode& copy) { copy.value = rewrite(store->value); });
  }

 private:
  const std::vector<std::pair<Expr, Expr>>& loads_;
};

// Loops and a block that store `part` at its iterators; `load` is the element in the block it was taken from.
Stmt index_stage(const SRefNode& block, const SBlockRealize& realize, const Expr& part, size_t number,
                 const String& storage_scope, SBlock& stage, Expr& load) {
  VarMap bindings = bindings_of(realize), renamed, loop_map;
  std::vector<SRefNode*> around = loops_above(block);
  std::vector<std::pair<Var, Expr>> loops;
  Array<IterVar> iters;
  Array<Expr> values, shape, here, there;
  Array<Range> points;
  Analyzer analyzer;
  Domain domain;
  for (const SRefNode* sref : around) {
    const ForNode* loop = sref->loop();
    domain[loop->loop_var.get()] = {loop->min, loop->min + loop->extent - 1};
  }
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
    points.push_back(make<RangeNode>(Expr(own), const_like(own, 1)));
  }
  // One stride, as TVM has it; TVM gives buffers of several dimensions one too, which is no buffer type.
  Array<Expr> strides;
  if (shape.size() == 1) strides.push_back(int_imm(DataType::Int(32), 1));
  auto type = ffi::make_object<BufferTypeNode>(part->dtype(), storage_scope, shape, strides,
                                               int_imm(DataType::Int(32), 0));
  Buffer buffer = make<VarNode>(String(fmt::format("index_var_{}", number)), Type(BufferType(type)));
  Stmt body = make<BufferStoreNode>(buffer, substitute(part, renamed), here);
  stage = make<SBlockNode>(iters, Array<TensorRegion>{},
                           Array<TensorRegion>{make<TensorRegionNode>(buffer, points)},
                           String(fmt::format("index_{}", number)), body);
  load = make<TensorLoadNode>(buffer, there);
  Stmt nest = make<SBlockRealizeNode>(values, Expr(bool_imm(true)), stage);
  for (size_t d = loops.size(); d-- > 0;)
    nest =
        make<ForNode>(loops[d].first, const_like(loops[d].first, 0), loops[d].second, ForKind::kSerial, nest);
  return nest;
}

std::vector<SRefNode*> apply(Step& step, BlockArg block, String storage_scope, int64_t cse_thresh) {
  // check
  SRefNode* scope = scope_of(*block);
  if (!scope) throw refuse(shared_refusals["root-block"], block->name.c_str()).at(block.span);
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
  struct ReplaceBlock final : Rewriter {
    const SBlockNode* old;
    SBlock next;
    using Rewriter::rewrite;
    Expr rewrite(const Expr& e) override { return e; }
    Stmt rewrite(const Stmt& s) override { return s.get() == old ? Stmt(next) : rewrite_children(s); }
  } replace;
  replace.old = block->block();
  replace.next = with(ref(block->block()), [&](SBlockNode& copy) {
    ReplaceParts parts_to_loads(loads);
    if (copy.init) copy.init = parts_to_loads.rewrite(copy.init);
    copy.body = parts_to_loads.rewrite(copy.body);
  });
  body[position] = replace.rewrite(body[position]);
  body.insert(body.begin() + static_cast<ptrdiff_t>(position), nests.begin(), nests.end());
  Stmt next = with(ref(scope->block()), [&](SBlockNode& copy) {
    copy.body = seq(Array<Stmt>(body.begin(), body.end()));
    for (const SBlock& stage : stages) copy.alloc_buffers.push_back(stage->writes[0]->source);
  });
  step.replace(*scope, next, {{block->block(), replace.next.get()}});
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

}  // namespace mlc::transform
