// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/loop_sequence.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform {

static constexpr char doc[] = R"(
pad_einsum(block, padding)      Round the iterators of a sum of products up to multiples, with zeros around the operands.

    C[i, j] += A[i, k] * B[k, j]          =>      A_pad[i, k] = T.if_then_else(i < 127 and k < 127, A[i, k], 0)
                                                  B_pad[k, j] = T.if_then_else(k < 127 and j < 127, B[k, j], 0)
                                                  C_pad[i, j] += A_pad[i, k] * B_pad[k, j]
                                                  C[i, j] = C_pad[i, j]

`padding` has a factor for each iterator of the block; 1 leaves it as it is. Operands and result get padded copies where they need
them.
needs: all indices the block's own iterators from 0 on, or constants (of the result: 0); of a padded reduction sums, of what
       is zero where operands are; no division of integers by operands; positive factors; loops that grow hold no other block,
       and no other block in the nest writes an operand.
keeps: the values computed.
)";

namespace {

// Is the value zero where the elements that `iter` picks are?
bool vanishes(const Expr& e, const Var& iter) {
  auto of = [&](const Expr& part) { return vanishes(part, iter); };
  if (auto* load = as<TensorLoadNode>(e)) {
    return std::any_of(load->indices.begin(), load->indices.end(),
                       [&](const Expr& index) { return index.same_as(iter); });
  }
  if (auto* cast = as<CastNode>(e)) return of(cast->value);
  if (auto* product = as<MulNode>(e)) return of(product->a) || of(product->b);
  if (auto* sum = as<AddNode>(e)) return of(sum->a) && of(sum->b);
  if (auto* difference = as<SubNode>(e)) return of(difference->a) && of(difference->b);
  if (auto* larger = as<MaxNode>(e)) return of(larger->a) && of(larger->b);
  if (auto* smaller = as<MinNode>(e)) return of(smaller->a) && of(smaller->b);
  if (auto* choice = as<SelectNode>(e)) return of(choice->true_value) && of(choice->false_value);
  if (auto* call = as_call_to(e, "tirx.if_then_else")) return of(call->args[1]) && of(call->args[2]);
  auto* number = as<FloatImmNode>(e);
  return number ? number->value == 0 : is_const_int(e, 0);
}

// Does it divide integers by what is loaded?
bool divides_by_loads(const Expr& e) {
  Expr divisor;
  switch (e->kind) {
    case ExprKind::kDiv:
    case ExprKind::kMod:
    case ExprKind::kFloorDiv:
    case ExprKind::kFloorMod:
      divisor = as_binary(e)->b;
      break;
    default:
      return false;
  }
  bool loads = false;
  if (divisor->dtype().is_integral())
    post_order(divisor, [&](const Expr& part) { loads = loads || as<TensorLoadNode>(part); });
  return loads;
}

// What an update adds to its result or takes from it; false when it does something else.
template <typename IsResult>
std::pair<Expr, bool> addend_of(const Expr& update, const IsResult& is_result) {
  auto* sum = as<AddNode>(update);
  auto* difference = as<SubNode>(update);
  if (sum && is_result(sum->a)) return {sum->b, true};
  if (sum && is_result(sum->b)) return {sum->a, true};
  if (difference && is_result(difference->a)) return {difference->b, true};
  return {update, false};
}

struct Operand {
  Buffer buffer;
  Array<Expr> indices;
};

// A copy between a buffer and its padded twin, over a nest of loops of its own.
struct PadStage {
  SBlock block;
  Stmt nest;
};
PadStage pad_stage(const Buffer& from, const Buffer& to, const Array<Expr>& shape, const Expr& fill,
                   const Array<Expr>& limits, const String& name) {
  Array<IterVar> iters;
  Array<Expr> indices, values;
  Array<Range> points;
  std::vector<std::pair<Var, Expr>> loops;
  Expr inside;
  for (size_t d = 0; d < shape.size(); ++d) {
    DataType dtype = shape[d]->dtype();
    Var loop = make_var(String(fmt::format("i{}", d)), dtype),
        iter = make_var(String(fmt::format("v{}", d)), dtype);
    loops.emplace_back(loop, shape[d]);
    values.push_back(loop);
    indices.push_back(iter);
    iters.push_back(
        make<IterVarNode>(make<RangeNode>(const_like(shape[d], 0), shape[d]), iter, IterType::kDataPar));
    points.push_back(make<RangeNode>(Expr(iter), const_like(iter, 1)));
    if (!fill || !limits[d]) continue;
    Expr below = lt(iter, limits[d]);
    inside = inside ? logical_and(inside, below) : below;
  }
  Expr value = make<TensorLoadNode>(from, indices);
  if (fill) value = if_then_else(inside, value, fill);
  PadStage stage;
  stage.block = make<SBlockNode>(iters, Array<TensorRegion>{make<TensorRegionNode>(from, points)},
                                 Array<TensorRegion>{make<TensorRegionNode>(to, points)}, name,
                                 make<BufferStoreNode>(to, value, indices));
  stage.nest = make<SBlockRealizeNode>(values, Expr(bool_imm(true)), stage.block);
  for (size_t d = loops.size(); d-- > 0;)
    stage.nest = make<ForNode>(loops[d].first, const_like(loops[d].first, 0), loops[d].second,
                               ForKind::kSerial, stage.nest);
  return stage;
}

// The nest around the block with longer loops, another block, and the padded twins in the blocks beside it.
class Lengthen final : public Rewriter {
 public:
  Lengthen(const std::unordered_map<const VarNode*, Expr>& extents, const SBlockNode* old, const SBlock& next,
           const std::unordered_map<const VarNode*, Buffer>& twins)
      : extents_(extents), old_(old), next_(next), twins_(twins) {}
  BlockReuse reuse;
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      SBlock block = realize->block.get() == old_
                         ? next_
                         : SBlock(ref(as<SBlockNode>(replace_buffers(Stmt(realize->block), twins_))));
      if (block.same_as(realize->block)) return s;
      reuse.emplace_back(realize->block.get(), block.get());
      return with(ref(realize), [&](SBlockRealizeNode& copy) { copy.block = block; });
    }
    Stmt next = rewrite_children(s);
    auto* loop = as<ForNode>(next);
    auto found = loop ? extents_.find(loop->loop_var.get()) : extents_.end();
    if (found == extents_.end()) return next;
    return with(ref(loop), [&](ForNode& copy) { copy.extent = found->second; });
  }

 private:
  const std::unordered_map<const VarNode*, Expr>& extents_;
  const SBlockNode* old_;
  const SBlock& next_;
  const std::unordered_map<const VarNode*, Buffer>& twins_;
};

void apply(Step& step, BlockArg block, Any padding) {
  // check
  Place* scope = scope_of(*block);
  if (!scope) throw refuse("root-block", "`{}` is a root block", block->name.c_str()).at(block.span);
  const SBlockNode* old = block->block();
  std::vector<int64_t> factors = integers(step, 2, padding);
  bool positive = true;
  for (int64_t factor : factors) positive = positive && factor > 0;
  if (!positive || factors.size() != old->iter_vars.size()) {
    throw refuse("bad-padding", "block `{}` has {} iterators, so it takes {} positive factors",
                 block->name.c_str(), old->iter_vars.size(), old->iter_vars.size())
        .at(step.span(2));
  }
  auto refuse_block = [&](const std::string& why) {
    return refuse("not-an-einsum", "block `{}` is no sum of products: {}", block->name.c_str(), why)
        .at(block.span)
        .note("the block is defined here", old->span);
  };
  require_complete_or_reduction(step.state, *block, *scope);
  Analyzer analyzer;
  std::unordered_map<const VarNode*, Expr> lengths;  // of iterators that grow
  std::unordered_map<const VarNode*, const IterVarNode*> iters;
  for (size_t i = 0; i < factors.size(); ++i) {
    const IterVar& iter = old->iter_vars[i];
    iters[iter->var.get()] = iter.get();
    if (!is_const_int(iter->dom->min, 0)) throw refuse_block("an iterator does not start at 0");
    Expr by = const_like(iter->dom->extent, factors[i]);
    Expr length = analyzer.simplify(mul(floordiv(iter->dom->extent + (by - 1), by), by));
    if (!analyzer.can_prove_equal(length, iter->dom->extent)) lengths[iter->var.get()] = length;
  }
  auto plain = [&](const Array<TensorRegion>& regions) {
    for (const TensorRegion& region : regions)
      for (const Range& range : region->region)
        if ((!iters.contains(as<VarNode>(range->min)) && !const_int(range->min)) ||
            !is_const_int(range->extent, 1))
          return false;
    return true;
  };
  // Nothing to pad, whatever the block computes of its elements.
  if (lengths.empty() && plain(old->reads) && plain(old->writes)) return;
  std::vector<const BufferStoreNode*> stores;
  for (const Stmt& each : statements_of(old->body)) {
    auto* store = as<BufferStoreNode>(each);
    if (!store) only_store(*block, block.span);  // refuses
    stores.push_back(store);
  }
  std::vector<Operand> operands, results;
  auto is_output = [&](const TensorLoadNode* load) {
    return std::any_of(stores.begin(), stores.end(), [&](const BufferStoreNode* each) {
      return each->buffer.same_as(load->source) &&
             std::equal(each->indices.begin(), each->indices.end(), load->indices.begin(),
                        load->indices.end(), same_expr);
    });
  };
  for (const BufferStoreNode* store : stores) {
    std::vector<const TensorLoadNode*> loads;
    bool divides = false;
    post_order(store->value, [&](const Expr& e) {
      auto* load = as<TensorLoadNode>(e);
      if (load && !is_output(load)) loads.push_back(load);
      divides = divides || divides_by_loads(e);
    });
    if (divides) throw refuse_block("it divides by elements, and the new ones are zero");
    for (const TensorLoadNode* load : loads) {
      // An element that is used twice is padded once.
      bool again = std::any_of(operands.begin(), operands.end(), [&](const Operand& known) {
        return known.buffer.same_as(load->source) &&
               std::equal(known.indices.begin(), known.indices.end(), load->indices.begin(),
                          load->indices.end(), same_expr);
      });
      if (!again) operands.push_back({load->source, load->indices});
    }
    results.push_back({store->buffer, store->indices});
    for (const Expr& index : store->indices) {
      if (const_int(index).value_or(0) > 0)
        throw refuse_block(fmt::format("it writes `{}` at constant index {}, not 0",
                                       store->buffer->name.c_str(), *const_int(index)));
    }
  }
  const size_t factor_count = operands.size();
  operands.insert(operands.end(), results.begin(), results.end());
  SBlockRealize realize = realize_of(step.state, *block);
  std::unordered_map<const VarNode*, Expr> extents;  // of loops that an iterator which grows is
  for (size_t i = 0; i < realize->iter_values.size(); ++i) {
    auto found = lengths.find(old->iter_vars[i]->var.get());
    auto* loop = as<VarNode>(realize->iter_values[i]);
    if (loop && found != lengths.end()) extents[loop] = found->second;
  }
  for (Place* up : loops_above(*block)) {
    if (!extents.contains(up->loop()->loop_var.get()) || child_blocks(step.state, *up).size() == 1) continue;
    throw refuse_block(
        fmt::format("loop `{}` holds other blocks as well, which would run more often", up->name.c_str()));
  }
  std::unordered_set<const VarNode*> seen;
  for (const Operand& operand : operands) {
    if (!seen.insert(operand.buffer.get()).second)
      throw refuse_block(fmt::format("it uses `{}` twice", operand.buffer->name.c_str()));
    for (const Expr& index : operand.indices) {
      if (!iters.contains(as<VarNode>(index)) && const_int(index).value_or(-1) < 0)
        throw refuse_block(
            fmt::format("an index of `{}` is neither iterator nor constant", operand.buffer->name.c_str()));
    }
  }
  // The copies of operands are made before all of the loops.
  size_t position = child_position(*scope, *block);
  Dependences deps = dependences(step.state, *scope);
  auto beside = [&](const std::vector<Place*>& users) {
    auto user = std::find_if(users.begin(), users.end(), [&](Place* each) {
      return each != &*block && child_position(*scope, *each) == position;
    });
    return user == users.end() ? nullptr : *user;
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    const Buffer& buffer = operands[i].buffer;
    if (Place* writer = beside(deps.writers[buffer.get()])) {
      throw refuse_block(fmt::format("block `{}` writes `{}` in the same loops", writer->name.c_str(),
                                     buffer->name.c_str()));
    }
    // Blocks beside this one use the padded copy, which must hold all of the elements.
    Place* reader = beside(deps.readers[buffer.get()]);
    for (size_t d = 0; reader && d < operands[i].indices.size(); ++d) {
      const Expr &index = operands[i].indices[d], &dim = buffer->buffer()->shape[d];
      auto at = const_int(index);
      if (at ? is_const_int(dim, *at + 1)
             : analyzer.can_prove_equal(dim, iters.at(as<VarNode>(index))->dom->extent))
        continue;
      throw refuse_block(fmt::format("block `{}` in the same loops may use other elements of `{}`",
                                     reader->name.c_str(), buffer->name.c_str()));
    }
  }
  for (const IterVar& iter : old->iter_vars) {
    if (iter->iter_type != IterType::kCommReduce || !lengths.contains(iter->var.get())) continue;
    // Without padded reductions, what is computed of the padding is cut off again, whatever it is.
    for (const BufferStoreNode* store : stores) {
      auto [addend, sums] = addend_of(store->value, [&](const Expr& e) {
        auto* load = as<TensorLoadNode>(e);
        return load && load->source.same_as(store->buffer);
      });
      if (!sums) throw refuse_block("it does not sum up");
      if (!vanishes(addend, iter->var))
        throw refuse_block(fmt::format("what it adds for new values of `{}` is not known to be zero",
                                       iter->var->name.c_str()));
    }
  }

  // apply
  std::vector<Stmt> before, after;
  std::vector<SBlock> stages;
  std::vector<Buffer> allocated;
  std::unordered_map<const VarNode*, Buffer> twins;
  // Operands in the order of the block's reads.
  std::vector<Operand> ordered;
  for (const TensorRegion& region : old->reads)
    for (size_t i = 0; i < factor_count; ++i)
      if (operands[i].buffer.same_as(region->source)) ordered.push_back(operands[i]);
  size_t first_result = ordered.size();
  ordered.insert(ordered.end(), results.begin(), results.end());
  for (size_t i = 0; i < ordered.size(); ++i) {
    const Operand& operand = ordered[i];
    const BufferTypeNode* type = operand.buffer->buffer();
    bool result = i >= first_result, grows = false;
    // Of a dimension at a constant index, what is up to there.
    Array<Expr> shape, limits, written;
    for (size_t d = 0; d < operand.indices.size(); ++d) {
      const Expr& dim = type->shape[d];
      if (auto at = const_int(operand.indices[d])) {
        shape.push_back(const_like(dim, *at + 1));
        limits.push_back(is_const_int(dim, *at + 1) ? Expr(nullptr) : dim);
        written.push_back(shape.back());
        continue;
      }
      const IterVarNode* iter = iters.at(as<VarNode>(operand.indices[d]));
      auto found = lengths.find(iter->var.get());
      grows = grows || found != lengths.end();
      shape.push_back(found == lengths.end() ? dim : found->second);
      // The operand may go on where a reduction ends.
      Expr limit = dim;
      if (iter->iter_type == IterType::kCommReduce && !analyzer.can_prove_equal(dim, iter->dom->extent))
        limit = iter->dom->extent;
      limits.push_back(found == lengths.end() ? Expr(nullptr) : limit);
      written.push_back(analyzer.can_prove_equal(dim, iter->dom->extent) ? dim : iter->dom->extent);
    }
    if (!grows) continue;
    Expr begin = shape.empty() ? Expr(int_imm(DataType::Int(32), 0)) : Expr(const_like(shape[0], 0));
    auto twin_type =
        ffi::make_object<BufferTypeNode>(type->dtype, type->storage_scope, shape, Array<Expr>{}, begin);
    String name(fmt::format("{}_pad", operand.buffer->name.c_str()));
    Buffer twin = make<VarNode>(name, Type(BufferType(twin_type)));
    twins[operand.buffer.get()] = twin;
    allocated.push_back(twin);
    PadStage stage = result
                         ? pad_stage(twin, operand.buffer, written, nullptr, {}, name)
                         : pad_stage(operand.buffer, twin, shape, make_const(type->dtype, 0), limits, name);
    (result ? after : before).push_back(stage.nest);
    stages.push_back(stage.block);
  }
  Stmt moved = replace_buffers(block->stmt, twins);
  SBlock next = with(ref(as<SBlockNode>(moved)), [&](SBlockNode& copy) {
    for (size_t i = 0; i < copy.iter_vars.size(); ++i) {
      const IterVar& iter = old->iter_vars[i];
      auto found = lengths.find(iter->var.get());
      if (found == lengths.end()) continue;
      Range dom = make<RangeNode>(iter->dom->min, found->second);
      copy.iter_vars.Set(i, make<IterVarNode>(dom, iter->var, iter->iter_type, iter->thread_tag));
    }
  });
  Place* nest = &*block;
  while (nest->parent != scope) nest = nest->parent;
  Lengthen lengthen(extents, old, next, twins);
  before.push_back(lengthen.rewrite(nest == &*block ? Stmt(realize) : nest->stmt));
  before.insert(before.end(), after.begin(), after.end());
  Stmt around = parent_with(*nest, seq(Array<Stmt>(before.begin(), before.end())));
  around = with(ref(as<SBlockNode>(around)), [&](SBlockNode& copy) {
    for (const Buffer& buffer : allocated) copy.alloc_buffers.push_back(buffer);
  });
  step.replace(*scope, around, lengthen.reuse);
  compute_flags(step.state, *scope);
}

}  // namespace

extern const Primitive pad_einsum;
const Primitive pad_einsum = primitive<&apply>("PadEinsum", "pad_einsum(block, padding)", doc);

}  // namespace mlc::transform
