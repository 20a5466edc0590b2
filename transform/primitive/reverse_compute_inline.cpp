// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/inline.h"

namespace mlc::transform {

static constexpr char doc[] = R"(
reverse_compute_inline(block)      Let the only producer of a block compute what the block would make of it, and drop the block.

    B[i, j] = f(i, j)           =>      C[j, i] = g(f(i, j))
    C[j, i] = g(B[i, j])

needs: a complete block whose body is one store; it reads one buffer written in its scope, at distinct iterators as indices;
       that buffer has one writer, a complete block with one store, and no other reader.
keeps: the values of all other buffers.
)";

static void apply(Step& step, BlockArg block) {
  // check
  Place* scope = scope_of(*block);
  if (!scope) throw refuse("root-block", "`{}` is a root block", block->name.c_str()).at(block.span);
  require_stage_pipeline(*scope, "reverse_compute_inline");
  require_complete(step.state, *block, *scope);
  const BufferStoreNode* store = only_store(*block, block.span);
  Dependences deps = dependences(step.state, *scope);
  std::vector<Place*> producers = deps.producers(*block);
  if (producers.size() != 1) {
    throw refuse("several-producers", "block `{}` has {} producers; it needs exactly one",
                 block->name.c_str(), producers.size())
        .at(block.span);
  }
  Place& producer = *producers[0];
  if (deps.consumers(producer).size() != 1) {
    throw refuse("several-consumers", "what block `{}` writes is read by other blocks too",
                 producer.name.c_str())
        .at(block.span);
  }
  if (producer.block()->init) {
    throw refuse(
        "inline-into-reduction",
        "block `{}`, the producer of `{}`, is a reduction: its values are not final until the last update",
        producer.name.c_str(), block->name.c_str())
        .at(block.span)
        .note("the producer is defined here", producer.stmt->span);
  }
  require_complete(step.state, producer, *scope);
  const BufferStoreNode* produced = only_store(producer, block.span);
  const Buffer& buffer = produced->buffer;
  require_inner_buffer(buffer, producer, *scope, block.span);
  if (block->block()->reads.size() != 1) {
    throw refuse("inline-reads-several", "block `{}` reads {} buffers; it may read only `{}`",
                 block->name.c_str(), block->block()->reads.size(), buffer->name.c_str())
        .at(block.span);
  }
  // All loads of the buffer at the same indices, which are iterators of the block.
  Array<Expr> indices = only_load_indices(*block, store->value, buffer, block.span);
  std::unordered_map<const VarNode*, size_t> axis = index_axes(*block, indices, block.span);
  if (axis.size() != block->block()->iter_vars.size()) {
    throw refuse("inline-free-iterator", "an iterator of block `{}` does not occur in its index of `{}`",
                 block->name.c_str(), buffer->name.c_str())
        .at(block.span);
  }
  if (!is_const_int(realize_of(step.state, *block)->predicate, 1)) {
    throw refuse("inline-has-predicate",
                 "block `{}` has a condition, so it cannot be inlined into its producer", block->name.c_str())
        .at(block.span);
  }

  // apply
  VarMap at;
  for (const auto& [var, dimension] : axis) at[var] = produced->indices[dimension];
  LoadReplacement load = [&](const Array<Expr>&) { return produced->value; };
  Array<Expr> target;
  for (const Expr& index : store->indices) target.push_back(substitute(index, at));
  Stmt body = make<BufferStoreNode>(store->buffer, replace_loads(substitute(store->value, at), buffer, load),
                                    target, store->span);
  inline_into_producer(step, *scope, *block, producer, buffer, body);
}

extern const Primitive reverse_compute_inline;
const Primitive reverse_compute_inline =
    primitive<&apply>("ReverseComputeInline", "reverse_compute_inline(block)", doc);

}  // namespace mlc::transform
