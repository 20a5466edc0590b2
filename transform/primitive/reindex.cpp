// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/reindex.h"

namespace mlc::transform::primitive_reindex {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "reindex-inside-nest",
         .message = "block `{}` {} `{}` in the same loops as block `{}`",
         .help = "give the two blocks loops of their own first, or copy with `cache_read` or `cache_write`",
         .meaning = "The copy stands before or behind the loops of the block, where the other block has not "
                    "run yet.",
         .wrong = R"(sch.compute_at("double", sch.get_loops("product")[0])
sch.reindex("product", ("read", 0)))",
         .right = R"(sch.reindex("product", ("read", 0)))"},
    }};
MLC_REFUSALS(primitive_reindex, refusals);

static constexpr char doc[] = R"(
reindex(block, buffer) -> block      Let a block use a copy of a buffer that its iterators index one by one.

    C[vi, vj] += A[vk, vi] * B[vk, vj]        =>      A_reindex[v0, v1] = A[v1, v0]
                                                      C[vi, vj] += A_reindex[vi, vk] * B[vk, vj]

`buffer` is ("read", number), ("write", number) or a name. The copy has a dimension for each iterator in the old indices, in the
iterators' order; it is made before the block, or written back after it. Returns the copying block.
needs: a scope that is a stage pipeline; all accesses to the buffer in the block have the same indices, made of its iterators;
       a buffer written is written by no other block in these loops, and all of its elements in the iterators' domain are
       computed.
keeps: the values computed.
)";

namespace {

// The indices without the iterators that decide nothing; what would be left as a constant stays as it is.
Array<Expr> simpler(const Array<Expr>& indices, const SBlockNode& block) {
  auto compound = [](const Expr& index) { return !as<VarNode>(index) && !const_int(index); };
  if (std::none_of(indices.begin(), indices.end(), compound)) return indices;
  Analyzer analyzer;
  for (const IterVar& iter : block.iter_vars) analyzer.bind(iter->var, iter->dom);
  Array<Expr> result;
  for (const Expr& index : indices) {
    Expr simple = compound(index) ? analyzer.simplify(index) : index;
    result.push_back(const_int(simple) ? index : simple);
  }
  return result;
}

// A constant bound has the type of the loop's variable.
Expr of_type(const Var& var, const Expr& bound) {
  auto value = const_int(bound);
  return value ? const_like(var, *value) : bound;
}

SRefNode* apply(Step& step, BlockArg block, Any) {
  // check
  SRefNode* scope = require_scope(block);
  require_stage_pipeline(step.state, *scope, "reindex");
  Buffer buffer = buffer_at_position(step, 2, *block);
  bool write = step.call.args[2].cast<BufferPosition>()->write;
  require_copy_straight(step.state, *scope, *block, buffer, write, "reindex");
  const SBlockNode* old = block->block();
  Array<Expr> indices = simpler(only_indices(*block, buffer, step.span(2)), *old);
  std::vector<IterVar> used;
  for (const IterVar& iter : old->iter_vars) {
    bool there = std::any_of(indices.begin(), indices.end(), [&](const Expr& index) {
      return uses_var(index, [&](const VarNode* var) { return var == iter->var.get(); });
    });
    if (there) used.push_back(iter);
  }
  require_outer_indices(step, *block, buffer, indices, true);
  require_inside(step, *block, buffer, indices);
  write ? require_full_write(step, *block, buffer) : require_only_read(step, *block, buffer);
  // The copy is of the whole buffer, before or after the block's nest.
  size_t position = child_position(*scope, *block);
  Dependences deps = dependences(step.state, *scope);
  std::vector<SRefNode*> partners = deps.writers[buffer.get()];
  if (write) {
    const std::vector<SRefNode*>& readers = deps.readers[buffer.get()];
    partners.insert(partners.end(), readers.begin(), readers.end());
  }
  for (SRefNode* partner : partners) {
    if (partner == &*block || child_position(*scope, *partner) != position) continue;
    const std::vector<SRefNode*>& writers = deps.writers[buffer.get()];
    bool writes = std::find(writers.begin(), writers.end(), partner) != writers.end();
    throw about_block(refuse(refusals["reindex-inside-nest"], partner->name.c_str(),
                             writes ? "writes" : "reads", buffer->name.c_str(), block->name.c_str()),
                      step.span(2), partner->stmt->span);
  }

  // apply
  auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
  type->shape = {};
  type->strides = {};
  Array<Expr> mine;
  for (const IterVar& iter : used) {
    // The copy is indexed by the iterators as they are, wherever they begin.
    type->shape.push_back(is_const_int(iter->dom->min, 0)
                              ? iter->dom->extent
                              : Analyzer().simplify(iter->dom->min + iter->dom->extent));
    mine.push_back(iter->var);
  }
  Buffer copy =
      make<VarNode>(String(fmt::format("{}_reindex", buffer->name.c_str())), Type(BufferType(type)));
  std::vector<Var> loops;
  Array<IterVar> iters;
  Array<Expr> values, at;
  VarMap renamed;
  for (size_t i = 0; i < used.size(); ++i) {
    DataType dtype = used[i]->var->dtype();
    loops.push_back(make_var(String(fmt::format("ax{}", i)), dtype));
    Var var = make_var(String(fmt::format("v{}", i)), dtype);
    iters.push_back(make<IterVarNode>(used[i]->dom, var, IterType::kDataPar));
    values.push_back(loops.back());
    at.push_back(var);
    renamed[used[i]->var.get()] = var;
  }
  Array<Expr> original = substitute(indices, renamed);
  const Buffer &from = write ? copy : buffer, &to = write ? buffer : copy;
  const Array<Expr>&from_at = write ? at : original, &to_at = write ? original : at;
  Stmt store = make<BufferStoreNode>(to, Expr(make<TensorLoadNode>(from, from_at)), to_at);
  SBlock stage = make<SBlockNode>(
      iters, Array<TensorRegion>{make<TensorRegionNode>(from, points(from_at))},
      Array<TensorRegion>{make<TensorRegionNode>(to, points(to_at))},
      String(fmt::format("{}{}", buffer->name.c_str(), write ? "_reindex" : "_reindex_reindex")), store);
  Stmt nest = make<SBlockRealizeNode>(values, Expr(bool_imm(true)), stage);
  for (size_t i = loops.size(); i-- > 0;)
    nest = make<ForNode>(loops[i], of_type(loops[i], used[i]->dom->min),
                         of_type(loops[i], used[i]->dom->extent), ForKind::kSerial, nest);
  return add_reindex_stage(step, block, {buffer, copy, mine, stage, nest, scope, position + (write ? 1 : 0)});
}

}  // namespace

extern const Primitive reindex;
const Primitive reindex = primitive<&apply>("ReIndex", "reindex(block, buffer)", doc, "", "position:buffer");

}  // namespace mlc::transform::primitive_reindex
