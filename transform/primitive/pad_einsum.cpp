// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "ir/tir/division.h"
#include "ir/tir/op.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/inline.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_pad_einsum {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "not-an-einsum",
         .message = "block `{}` is no sum of products: {}",
         .help = "the block reads and writes single elements at iterators of its own: `C[vi, vj] + A[vi, vk] "
                 "* B[vk, vj]`",
         .meaning =
             "Padding by zeros leaves sums of products as they are, and is known to do so for nothing else.",
         .wrong = R"(@T.prim_func(s_tir=True)
def folded(A: T.Buffer((8,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("folded"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi // 2] * 2.0


other = tvm.s_tir.Schedule(folded)
other.pad_einsum("folded", [3]))",
         .right = R"(sch.pad_einsum("double", [3, 5]))"},
        {.name = "bad-padding",
         .message = "block `{}` has {} iterators, so it takes {} positive factors",
         .help = "1 leaves an iterator as it is",
         .meaning = "Each iterator is padded to a multiple of its factor.",
         .wrong = R"(sch.pad_einsum("product", [8, 8]))",
         .right = R"(sch.pad_einsum("product", [16, 16, 16]))"},
    }};
MLC_REFUSALS(primitive_pad_einsum, refusals);

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
  const BinaryNode* division = as_integer_division(e);
  bool loads = false;
  if (division) post_order(division->b, [&](const Expr& part) { loads = loads || as<TensorLoadNode>(part); });
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
Stmt pad_stage(const Buffer& from, const Buffer& to, const Array<Expr>& shape, const Expr& fill,
               const Array<Expr>& limits, const String& name) {
  Array<IterVar> iters;
  Array<Expr> indices, values;
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
    if (!fill || !limits[d]) continue;
    Expr below = lt(iter, limits[d]);
    inside = inside ? logical_and(inside, below) : below;
  }
  Expr value = make<TensorLoadNode>(from, indices);
  if (fill) value = if_then_else(inside, value, fill);
  SBlock block = make<SBlockNode>(iters, Array<TensorRegion>{make<TensorRegionNode>(from, points(indices))},
                                  Array<TensorRegion>{make<TensorRegionNode>(to, points(indices))}, name,
                                  make<BufferStoreNode>(to, value, indices));
  return serial_loops(loops, make<SBlockRealizeNode>(values, Expr(bool_imm(true)), block));
}

// A block whose iterators are to grow.
class Padding {
 public:
  Padding(Step& step, const BlockArg& block, SRefNode& scope)
      : step_(step), block_(block), scope_(scope), old_(block->block()) {}

  void set_lengths(const std::vector<int64_t>& factors);
  // Nothing grows, whatever the block computes of its elements.
  bool is_done() const { return lengths_.empty() && all_plain(old_->reads) && all_plain(old_->writes); }
  void take_operands();
  void require_usable_operands() const;
  void require_loops_alone() const;
  void require_no_others_in_the_way();
  void require_zero_sums() const;
  void apply();

 private:
  Error refuse_block(const std::string& why) const {
    return about_block(refuse(refusals["not-an-einsum"], block_->name.c_str(), why), block_.span, old_->span);
  }
  const IterVarNode* iter_of(const Expr& index) const {
    auto found = iters_.find(as<VarNode>(index));
    return found == iters_.end() ? nullptr : found->second;
  }
  bool all_plain(const Array<TensorRegion>& regions) const;
  bool is_output(const TensorLoadNode* load) const;
  bool holds_all(const Operand& operand, size_t d);
  void add_twin(const Operand& operand, bool result);
  SBlock longer_block() const;

  Step& step_;
  const BlockArg& block_;
  SRefNode& scope_;
  const SBlockNode* old_;
  Analyzer analyzer_;
  std::unordered_map<const VarNode*, const IterVarNode*> iters_;
  std::unordered_map<const VarNode*, Expr> lengths_;  // of iterators that grow
  std::unordered_map<const VarNode*, Expr> extents_;  // of loops that these are
  std::vector<const BufferStoreNode*> stores_;
  std::vector<Operand> factors_, results_;
  std::unordered_map<const VarNode*, Buffer> twins_;
  std::vector<Buffer> allocated_;
  std::vector<Stmt> before_, after_;  // copies to operands' twins, and back from results'
};

void Padding::set_lengths(const std::vector<int64_t>& factors) {
  SBlockRealize realize = realize_of(step_.state, *block_);
  for (size_t i = 0; i < factors.size(); ++i) {
    const IterVar& iter = old_->iter_vars[i];
    iters_[iter->var.get()] = iter.get();
    if (!is_const_int(iter->dom->min, 0)) throw refuse_block("an iterator does not start at 0");
    Expr by = const_like(iter->dom->extent, factors[i]);
    Expr length = analyzer_.simplify(mul(floordiv(iter->dom->extent + (by - 1), by), by));
    if (analyzer_.can_prove_equal(length, iter->dom->extent)) continue;
    lengths_[iter->var.get()] = length;
    if (auto* loop = as<VarNode>(realize->iter_values[i])) extents_[loop] = length;
  }
}

// Single elements at iterators of the block and constants.
bool Padding::all_plain(const Array<TensorRegion>& regions) const {
  for (const TensorRegion& region : regions) {
    for (const Range& range : region->region) {
      if ((!iter_of(range->min) && !const_int(range->min)) || !is_const_int(range->extent, 1)) return false;
    }
  }
  return true;
}

bool Padding::is_output(const TensorLoadNode* load) const {
  return std::any_of(stores_.begin(), stores_.end(), [&](const BufferStoreNode* each) {
    return each->buffer.same_as(load->source) && same_exprs(each->indices, load->indices);
  });
}

void Padding::take_operands() {
  for (const Stmt& each : statements_of(old_->body)) {
    auto* store = as<BufferStoreNode>(each);
    if (!store) only_store(*block_, block_.span);  // refuses
    stores_.push_back(store);
  }
  for (const BufferStoreNode* store : stores_) {
    bool divides = false;
    post_order(store->value, [&](const Expr& e) {
      divides = divides || divides_by_loads(e);
      auto* load = as<TensorLoadNode>(e);
      if (!load || is_output(load)) return;
      // An element that is used twice is padded once.
      bool again = std::any_of(factors_.begin(), factors_.end(), [&](const Operand& known) {
        return known.buffer.same_as(load->source) && same_exprs(known.indices, load->indices);
      });
      if (!again) factors_.push_back({load->source, load->indices});
    });
    if (divides) throw refuse_block("it divides by elements, and the new ones are zero");
    results_.push_back({store->buffer, store->indices});
    for (const Expr& index : store->indices) {
      if (const_int(index).value_or(0) > 0)
        throw refuse_block(fmt::format("it writes `{}` at constant index {}, not 0",
                                       store->buffer->name.c_str(), *const_int(index)));
    }
  }
}

void Padding::require_loops_alone() const {
  for (SRefNode* up : loops_above(*block_)) {
    if (!extents_.contains(up->loop()->loop_var.get()) || child_blocks(step_.state, *up).size() == 1)
      continue;
    throw refuse_block(
        fmt::format("loop `{}` holds other blocks as well, which would run more often", up->name.c_str()));
  }
}

void Padding::require_usable_operands() const {
  std::unordered_set<const VarNode*> seen;
  for (const auto* operands : {&factors_, &results_}) {
    for (const Operand& operand : *operands) {
      if (!seen.insert(operand.buffer.get()).second)
        throw refuse_block(fmt::format("it uses `{}` twice", operand.buffer->name.c_str()));
      for (const Expr& index : operand.indices) {
        if (!iter_of(index) && const_int(index).value_or(-1) < 0)
          throw refuse_block(
              fmt::format("an index of `{}` is neither iterator nor constant", operand.buffer->name.c_str()));
      }
    }
  }
}

// Does the operand's twin hold all of its dimension `d`?
bool Padding::holds_all(const Operand& operand, size_t d) {
  const Expr &index = operand.indices[d], &dim = operand.buffer->buffer()->shape[d];
  if (auto at = const_int(index)) return is_const_int(dim, *at + 1);
  return analyzer_.can_prove_equal(dim, iter_of(index)->dom->extent);
}

// The copies of operands are made before all of the loops, and neighbouring blocks use them.
void Padding::require_no_others_in_the_way() {
  size_t position = child_position(scope_, *block_);
  Dependences deps = dependences(step_.state, scope_);
  auto beside = [&](const std::vector<SRefNode*>& users) {
    auto user = std::find_if(users.begin(), users.end(), [&](SRefNode* each) {
      return each != &*block_ && child_position(scope_, *each) == position;
    });
    return user == users.end() ? nullptr : *user;
  };
  for (const auto* operands : {&factors_, &results_}) {
    for (const Operand& operand : *operands) {
      const Buffer& buffer = operand.buffer;
      if (SRefNode* writer = beside(deps.writers[buffer.get()])) {
        throw refuse_block(fmt::format("block `{}` writes `{}` in the same loops", writer->name.c_str(),
                                       buffer->name.c_str()));
      }
      SRefNode* reader = beside(deps.readers[buffer.get()]);
      for (size_t d = 0; reader && d < operand.indices.size(); ++d) {
        if (holds_all(operand, d)) continue;
        throw refuse_block(fmt::format("block `{}` in the same loops may use other elements of `{}`",
                                       reader->name.c_str(), buffer->name.c_str()));
      }
    }
  }
}

// Without padded reductions, what is computed of the padding is cut off again, whatever it is.
void Padding::require_zero_sums() const {
  for (const IterVar& iter : old_->iter_vars) {
    if (iter->iter_type != IterType::kCommReduce || !lengths_.contains(iter->var.get())) continue;
    for (const BufferStoreNode* store : stores_) {
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
}

// The padded copy of an operand, if it has an iterator that grows.
void Padding::add_twin(const Operand& operand, bool result) {
  const BufferTypeNode* type = operand.buffer->buffer();
  bool grows = false;
  Array<Expr> shape, limits, written;
  for (size_t d = 0; d < operand.indices.size(); ++d) {
    const Expr& dim = type->shape[d];
    // Of a dimension at a constant index, what is up to there.
    if (auto at = const_int(operand.indices[d])) {
      shape.push_back(const_like(dim, *at + 1));
      limits.push_back(is_const_int(dim, *at + 1) ? Expr(nullptr) : dim);
      written.push_back(shape.back());
      continue;
    }
    const IterVarNode* iter = iter_of(operand.indices[d]);
    const Expr& length = iter->dom->extent;
    bool whole = holds_all(operand, d);
    written.push_back(whole ? dim : length);
    auto found = lengths_.find(iter->var.get());
    if (found == lengths_.end()) {
      shape.push_back(dim);
      limits.push_back(Expr(nullptr));
      continue;
    }
    grows = true;
    shape.push_back(found->second);
    // The operand may go on where a reduction ends.
    limits.push_back(iter->iter_type == IterType::kCommReduce && !whole ? length : dim);
  }
  if (!grows) return;
  Expr begin = shape.empty() ? Expr(int_imm(DataType::Int(32), 0)) : Expr(const_like(shape[0], 0));
  auto twin_type =
      ffi::make_object<BufferTypeNode>(type->dtype, type->storage_scope, shape, Array<Expr>{}, begin);
  String name(fmt::format("{}_pad", operand.buffer->name.c_str()));
  Buffer twin = make<VarNode>(name, Type(BufferType(twin_type)));
  twins_[operand.buffer.get()] = twin;
  allocated_.push_back(twin);
  if (result)
    after_.push_back(pad_stage(twin, operand.buffer, written, nullptr, {}, name));
  else
    before_.push_back(pad_stage(operand.buffer, twin, shape, make_const(type->dtype, 0), limits, name));
}

SBlock Padding::longer_block() const {
  Stmt moved = replace_buffers(block_->stmt, twins_);
  return with(ref(as<SBlockNode>(moved)), [&](SBlockNode& copy) {
    for (size_t i = 0; i < copy.iter_vars.size(); ++i) {
      const IterVar& iter = old_->iter_vars[i];
      auto found = lengths_.find(iter->var.get());
      if (found == lengths_.end()) continue;
      Range dom = make<RangeNode>(iter->dom->min, found->second);
      copy.iter_vars.Set(i, make<IterVarNode>(dom, iter->var, iter->iter_type, iter->thread_tag));
    }
  });
}

void Padding::apply() {
  // Operands in the order of the block's reads.
  for (const TensorRegion& region : old_->reads)
    for (const Operand& operand : factors_)
      if (operand.buffer.same_as(region->source)) add_twin(operand, false);
  for (const Operand& operand : results_) add_twin(operand, true);
  SRefNode* nest = &*block_;
  while (nest->parent != &scope_) nest = nest->parent;
  SBlock next_block = longer_block();
  BlockReuse reuse;
  auto lengthen = [&](const Stmt& s, Rewriter& on) -> Stmt {
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      SBlock block = realize->block.get() == old_
                         ? next_block
                         : SBlock(ref(as<SBlockNode>(replace_buffers(Stmt(realize->block), twins_))));
      if (block.same_as(realize->block)) return s;
      reuse.emplace_back(realize->block.get(), block.get());
      return with(ref(realize), [&](SBlockRealizeNode& copy) { copy.block = block; });
    }
    Stmt next = on.rewrite_children(s);
    auto* loop = as<ForNode>(next);
    auto found = loop ? extents_.find(loop->loop_var.get()) : extents_.end();
    if (found == extents_.end()) return next;
    return with(ref(loop), [&](ForNode& copy) { copy.extent = found->second; });
  };
  before_.push_back(
      rewrite_with(nest == &*block_ ? Stmt(realize_of(step_.state, *block_)) : nest->stmt, lengthen));
  before_.insert(before_.end(), after_.begin(), after_.end());
  Stmt around = parent_with(*nest, seq(Array<Stmt>(before_.begin(), before_.end())));
  around = with(ref(as<SBlockNode>(around)), [&](SBlockNode& copy) {
    for (const Buffer& buffer : allocated_) copy.alloc_buffers.push_back(buffer);
  });
  step_.replace(scope_, around, reuse);
  compute_flags(step_.state, scope_);
}

void apply(Step& step, BlockArg block, Any given) {
  // check
  SRefNode* scope = require_scope(block);
  size_t count = block->block()->iter_vars.size();
  std::vector<int64_t> factors = integers(step, 2, given);
  bool positive = std::all_of(factors.begin(), factors.end(), [](int64_t factor) { return factor > 0; });
  if (!positive || factors.size() != count) {
    throw refuse(refusals["bad-padding"], block->name.c_str(), count, count).at(step.span(2));
  }
  require_complete_or_reduction(step.state, *block, *scope);
  Padding padding(step, block, *scope);
  padding.set_lengths(factors);
  if (padding.is_done()) return;
  padding.take_operands();
  padding.require_loops_alone();
  padding.require_usable_operands();
  padding.require_no_others_in_the_way();
  padding.require_zero_sums();

  // apply
  padding.apply();
}

}  // namespace

extern const Primitive pad_einsum;
const Primitive pad_einsum = primitive<&apply>("PadEinsum", "pad_einsum(block, padding)", doc);

}  // namespace mlc::transform::primitive_pad_einsum
