// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ir/core/refusal.h"
#include "ir/tir/op.h"
#include "transform/arith/index_map.h"
#include "transform/arith/index_map_api.h"
#include "transform/arith/iter_map.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/path_rewriter.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_transform_block_layout {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "block-layout-iterators",
         .message = "the map takes {} ind{}, block `{}` has {} iterator{}",
         .help = "the map takes one index for each iterator of the block",
         .meaning = "The map gives the new iterators of the block as expressions of all old ones.",
         .wrong = R"(sch.transform_block_layout("double", lambda i: (i,)))",
         .right = R"(sch.transform_block_layout("double", lambda i, j: (i * 16 + j,)))"},
        {.name = "block-layout-bindings",
         .message = "the iterators of block `{}` are not its loops, one by one and in their order",
         .help = "change the block before its loops are split, fused or reordered",
         .meaning =
             "The loops are made anew for the new iterators, which is possible where each is a loop now.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.split(i, [None, 4])
sch.transform_block_layout("double", lambda i, j: (i * 16 + j,)))",
         .right = R"(sch.transform_block_layout("double", lambda i, j: (i * 16 + j,)))"},
        {.name = "block-layout-several-blocks",
         .message = "below loop `{}` are other blocks as well",
         .help = "move the others out, with `compute_at` or `reverse_compute_at`",
         .meaning =
             "The loops of the block are made anew, and nothing else in them would know its iterations.",
         .wrong = R"(@T.prim_func(s_tir=True)
def two(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("A"):
            vi = T.axis.spatial(16, i)
            A[vi] = 0.0
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = 1.0


other = tvm.s_tir.Schedule(two)
other.transform_block_layout("A", lambda i: (i // 4, i % 4)))",
         .right = R"(sch.transform_block_layout("double", lambda i, j: (i * 16 + j,)))"},
        {.name = "block-layout-condition",
         .message = "block `{}` is not all that its loops repeat: what stands around it would be lost",
         .help = "write the condition within the block, or as `T.where`",
         .meaning = "The loops of the block are made anew around the block alone.",
         .wrong = R"(@T.prim_func(s_tir=True)
def some(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        if i < n:
            with T.sblock("A"):
                vi = T.axis.spatial(16, i)
                A[vi] = 0.0


other = tvm.s_tir.Schedule(some)
other.transform_block_layout("A", lambda i: (i // 4, i % 4)))",
         .right = R"(@T.prim_func(s_tir=True)
def some(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        with T.sblock("A"):
            vi = T.axis.spatial(16, i)
            if vi < n:
                A[vi] = 0.0


other = tvm.s_tir.Schedule(some)
other.transform_block_layout("A", lambda i: (i // 4, i % 4)))"},
        {.name = "block-layout-mixed-iterators",
         .message = "the new iterator {} of block `{}` mixes reduction and other iterators",
         .help = "a new iterator is made of spatial ones or of reductions alone",
         .meaning = "An iterator either tells which element is computed or which term is added.",
         .wrong = R"(sch.transform_block_layout("product", lambda i, j, k: (i, j * 16 + k)))",
         .right = R"(sch.transform_block_layout("product", lambda i, j, k: (i * 16 + j, k)))"},
        {.name = "block-layout-not-bijective",
         .message = "the map is not one to one on the iterators of block `{}`{}",
         .help = "each new iteration must come of exactly one old one: `i * 16 + j`, or `i // 4, i % 4`",
         .meaning = "The new loops must run each instance of the block once.",
         .wrong = R"(sch.transform_block_layout("double", lambda i, j: (i,)))",
         .right = R"(sch.transform_block_layout("double", lambda i, j: (i * 16 + j,)))"},
    }};
MLC_REFUSALS(primitive_transform_block_layout, refusals);

static constexpr char doc[] = R"(
transform_block_layout(block, index_map)      Run a block over other iterators: all instances, in another order.

    for i, j in T.grid(128, 128):          =>      for ax0, ax1, ax2 in T.grid(8, 128, 16):
        with T.sblock("B"):                            with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])            v0, v1, v2 = T.axis.remap("SSS", [ax0, ax1, ax2])
            B[vi, vj] = f(A[vi, vj])                       B[v0 * 16 + v2, v1] = f(A[v0 * 16 + v2, v1])

`index_map` is a function from old to new iterators, here `lambda i, j: (i // 16, j, i % 16)`. The loops are new ones.
needs: each iterator is one loop, in the order of the loops, with nothing else below them and no condition; the map is one to
       one on the iterators' domain; a new iterator mixes no reductions with others.
keeps: number of block instances and what each computes.
)";

// Old iterators become expressions of the new ones; what they index is put in its normal form, the rest stays
// as it was written.
class RemapIterators final : public PathRewriter {
 public:
  RemapIterators(const VarMap& values, const Array<IterVar>& iters) : values_(values) { enter(iters); }
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = values_.find(var);
      return found != values_.end() ? found->second : e;
    }
    if (auto* region = as<TensorRegionNode>(e)) return this->region(ref(region));
    if (auto* choice = as_call_to(e, "tirx.if_then_else")) return rewrite_choice(e, choice);
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    if (!load || next.same_as(e)) return next;
    return with(ref(load), [&](TensorLoadNode& copy) { copy.indices = normal(load->indices); });
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) enter(block->iter_vars);
    Stmt next = rewrite_children(s);
    auto* store = as<BufferStoreNode>(next);
    if (!store || next.same_as(s)) return next;
    return with(ref(store), [&](BufferStoreNode& copy) { copy.indices = normal(store->indices); });
  }

 private:
  void enter(const Array<IterVar>& iters) {
    for (const IterVar& iter : iters) {
      iters_.push_back({iter->var, iter->dom});
      analyzer_.bind(iter->var, iter->dom);
    }
  }
  Array<Expr> normal(const Array<Expr>& indices) {
    Array<Expr> result = simplify_iter_map(indices, iters_, predicate_, IterMapCheck::kSurjective, analyzer_);
    // An iterator of one value stays visible where it is all of an index.
    for (size_t i = 0; i < indices.size(); ++i)
      if (as<VarNode>(indices[i]) && const_int(result[i])) result.Set(i, indices[i]);
    return result;
  }
  Expr region(const TensorRegion& old) {
    Array<Expr> mins;
    for (const Range& range : old->region) mins.push_back(rewrite(range->min));
    mins = normal(mins);
    Array<Range> ranges;
    for (size_t d = 0; d < mins.size(); ++d)
      ranges.push_back(make<RangeNode>(
          mins[d], cast(mins[d]->dtype(), analyzer_.simplify(rewrite(old->region[d]->extent)))));
    return make<TensorRegionNode>(old->source, ranges);
  }

  const VarMap& values_;
  std::vector<LoopRange> iters_;
  Analyzer analyzer_;
};

static void apply(Step& step, BlockArg block, Any) {
  // check
  require_scope(block);
  const SBlockNode* old = block->block();
  IndexMap map = index_map_argument(step.call, 2, std::nullopt, index_type(*old));
  if (!map) wrong_argument(step.call, 2, "a function of indices, or an IndexMap");
  step.call.args[2] = map;
  if (map->initial_indices.size() != old->iter_vars.size()) {
    throw refuse(refusals["block-layout-iterators"], map->initial_indices.size(),
                 map->initial_indices.size() == 1 ? "ex" : "ices", block->name.c_str(), old->iter_vars.size(),
                 old->iter_vars.size() == 1 ? "" : "s")
        .at(step.span(2));
  }
  std::vector<SRefNode*> loops = loops_above(*block);
  SBlockRealize realize = realize_of(step.state, *block);
  bool plain = loops.size() == old->iter_vars.size() && !loops.empty() && is_const_int(realize->predicate, 1);
  for (size_t i = 0; plain && i < loops.size(); ++i)
    plain =
        realize->iter_values[i].same_as(loops[i]->loop()->loop_var) && is_const_int(loops[i]->loop()->min, 0);
  if (!plain) {
    throw about_block(refuse(refusals["block-layout-bindings"], block->name.c_str()), block.span,
                      block->stmt->span);
  }
  if (child_blocks(step.state, *loops[0]).size() != 1) {
    throw refuse(refusals["block-layout-several-blocks"], loops[0]->name.c_str()).at(block.span);
  }
  for (size_t i = 0; i < loops.size(); ++i) {
    const Stmt& inner = loops[i]->loop()->body;
    bool last = i + 1 == loops.size();
    if (last ? !inner.same_as(realize) : inner.get() != loops[i + 1]->loop()) {
      throw about_block(refuse(refusals["block-layout-condition"], block->name.c_str()), block.span,
                        inner->span);
    }
  }
  Analyzer analyzer;
  std::vector<LoopRange> iters;
  Array<Expr> iter_vars, shape;
  // The map computes in one type. An iterator of another one keeps it where it is all of a new one.
  for (size_t i = 0; i < old->iter_vars.size(); ++i) {
    const IterVar& iter = old->iter_vars[i];
    DataType dtype = map->initial_indices[i]->dtype();
    bool same = iter->var->dtype() == dtype;
    Var var = same ? iter->var : make_var(iter->var->name, dtype);
    iters.push_back(
        {var,
         same ? iter->dom : make<RangeNode>(cast(dtype, iter->dom->min), cast(dtype, iter->dom->extent))});
    iter_vars.push_back(var);
    shape.push_back(iters.back().range->extent);
  }
  auto type_of = [&](const Expr& mapped) {
    for (size_t i = 0; i < iters.size(); ++i)
      if (mapped.same_as(iters[i].var)) return old->iter_vars[i]->var->dtype();
    return mapped->dtype();
  };
  Array<Expr> mapped, extents;
  Array<Var> outputs;
  std::optional<Array<Expr>> back;
  {
    Analyzer inner;  // knows no range: an iterator of extent 1 stays visible
    mapped = map_indices(map, iter_vars, inner);
  }
  auto kind_of = [&](size_t i) {
    std::optional<IterType> type;
    for (size_t j = 0; j < iters.size(); ++j) {
      IterType used = old->iter_vars[j]->iter_type;
      if (!uses_var(mapped[i], [&](const VarNode* var) { return var == iters[j].var.get(); })) continue;
      if (type && *type != used)
        throw refuse(refusals["block-layout-mixed-iterators"], i, block->name.c_str()).at(step.span(2));
      type = used;
    }
    return type.value_or(IterType::kDataPar);
  };
  auto not_bijective = [&](std::string_view why) {
    // What is wrong with one new iterator is reported before what is wrong with all of them.
    for (size_t i = 0; i < mapped.size(); ++i) kind_of(i);
    return refuse(refusals["block-layout-not-bijective"], block->name.c_str(), why)
        .at(step.span(2))
        .help(
            "each digit of each iterator is used once, as in `lambda i, j: (i // 4, j, i % 4)` over a "
            "multiple of 4");
  };
  try {
    Analyzer inner;
    extents = map_shape(map, shape, inner);
  } catch (const Error&) {
    throw not_bijective("");
  }
  for (size_t i = 0; i < mapped.size(); ++i) {
    Var var = make_var(String(fmt::format("v{}", i)), type_of(mapped[i]));
    outputs.push_back(var);
    if (!is_const_int(extents[i], 1))
      analyzer.bind(var, make<RangeNode>(const_like(var, 0), cast(var->dtype(), extents[i])));
  }
  back = invert_iter_map(mapped, iters, outputs, analyzer);
  if (!back) throw not_bijective("");
  Array<IterVar> new_iters;
  for (size_t i = 0; i < mapped.size(); ++i) {
    // One value: nothing that it could reduce.
    IterType type = is_const_int(extents[i], 1) ? IterType::kDataPar : kind_of(i);
    Range dom = make<RangeNode>(const_like(outputs[i], 0), cast(outputs[i]->dtype(), extents[i]));
    new_iters.push_back(make<IterVarNode>(dom, outputs[i], type));
  }

  // apply
  VarMap values;
  for (size_t i = 0; i < iters.size(); ++i) {
    const Var& var = old->iter_vars[i]->var;
    auto* widened = as<CastNode>((*back)[i]);
    bool kept = widened != nullptr && widened->value->dtype() == var->dtype();
    values[var.get()] = kept ? widened->value : (*back)[i];
  }
  Stmt remapped =
      RemapIterators(values, new_iters).rewrite_children(Stmt(with(ref(old), [&](SBlockNode& copy) {
        copy.iter_vars = {};
      })));
  SBlock next = with(ref(as<SBlockNode>(remapped)), [&](SBlockNode& copy) { copy.iter_vars = new_iters; });
  std::vector<Var> loop_vars;
  Array<Expr> bindings;
  for (size_t i = 0; i < outputs.size(); ++i) {
    loop_vars.push_back(make_var(String(fmt::format("ax{}", i)), outputs[i]->dtype()));
    bindings.push_back(loop_vars.back());
  }
  Stmt nest = make<SBlockRealizeNode>(bindings, Expr(bool_imm(true)), next);
  for (size_t i = loop_vars.size(); i-- > 0;) {
    const Range& dom = new_iters[i]->dom;
    nest = make<ForNode>(loop_vars[i], dom->min, dom->extent, ForKind::kSerial, nest);
  }
  step.replace(*loops[0], nest, {{old, next.get()}});
  SRefNode* sref = step.sref(next);
  sref->affine_binding = has_affine_binding(step.state, *sref);
}

extern const Primitive transform_block_layout;
const Primitive transform_block_layout = primitive<&apply>(
    "TransformBlockLayout", "transform_block_layout(block, index_map)", doc, "", "map:index_map");

}  // namespace mlc::transform::primitive_transform_block_layout
