// SPDX-License-Identifier: Apache-2.0
#include "ir/given.h"
#include "transform/arith/index_map.h"
#include "transform/arith/index_map_api.h"
#include "transform/pass/regions.h"
#include "transform/schedule/layout.h"

namespace mlc::transform {

static constexpr char doc[] = R"(
transform_layout(block, buffer, index_map, pad_value=None, *, assume_injective_transform=False)      Store a buffer's elements in another order.

    B = T.sblock_alloc_buffer((128, 128))        =>      B = T.sblock_alloc_buffer((8, 128, 16))
    B[vi, vj] = A[vi, vj]                                B[vj // 16, vi, vj % 16] = A[vi, vj]

`buffer` is ("read", number), ("write", number) or a name; `index_map` a function from old to new indices, as
`lambda i, j: (j // 16, i, j % 16)`. All accesses change with the buffer; where it is a parameter, so does the function's
signature.
needs: the map is one to one on the buffer's shape and leaves no room in the new one; the buffer is a parameter or allocated
       by a block, with no view on it. `assume_injective_transform` takes the first on trust.
keeps: loops, iterators and the values computed.
)";

namespace {

// Accesses to one buffer become accesses to another, in place of every block's regions on it.
class MoveElements final : public Rewriter {
 public:
  MoveElements(const Buffer& from, const Buffer& to, const IndexMap& map) : from_(from), to_(to), map_(map) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    if (!load || !load->source.same_as(from_)) return next;
    return make<TensorLoadNode>(to_, map_indices(map_, load->indices, analyzer_));
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    if (auto* block = as<SBlockNode>(s)) return this->block(ref(block));
    Stmt next = rewrite_children(s);
    auto* store = as<BufferStoreNode>(next);
    if (!store || !store->buffer.same_as(from_)) return next;
    return make<BufferStoreNode>(to_, store->value, map_indices(map_, store->indices, analyzer_),
                                 store->span);
  }

 private:
  Stmt block(const SBlock& old) {
    for (const IterVar& iter : old->iter_vars) bind(iter->var, iter->dom);
    Stmt body = rewrite(old->body), init = old->init ? rewrite(old->init) : Stmt();
    Array<Buffer> allocated;
    for (const Buffer& buffer : old->alloc_buffers) allocated.push_back(buffer.same_as(from_) ? to_ : buffer);
    if (body.same_as(old->body) && init.same_as(old->init)) {
      bool same = true;
      for (size_t i = 0; i < allocated.size(); ++i)
        same = same && allocated[i].same_as(old->alloc_buffers[i]);
      if (same) return old;
    }
    Regions touched = regions_of(body, analyzer_);
    auto renewed = [&](const Array<TensorRegion>& regions, const Array<TensorRegion>& found) {
      Array<TensorRegion> result;
      for (const TensorRegion& region : regions) {
        TensorRegion next = region;
        if (region->source.same_as(from_)) {
          next = whole();
          for (const TensorRegion& one : found)
            if (one->source.same_as(to_)) next = one;
        }
        result.push_back(next);
      }
      return result;
    };
    return with(old, [&](SBlockNode& copy) {
      copy.body = body;
      copy.init = init;
      copy.alloc_buffers = allocated;
      copy.reads = renewed(old->reads, touched.reads);
      copy.writes = renewed(old->writes, touched.writes);
    });
  }
  // A unit range would turn the variable into a constant; as a bound it stays a variable.
  void bind(const Var& var, const Range& range) {
    auto min = const_int(range->min);
    if (min && is_const_int(range->extent, 1)) {
      analyzer_.bind(var, ConstIntBound{*min, *min});
    } else {
      analyzer_.bind(var, range);
    }
  }
  TensorRegion whole() const {
    Array<Range> ranges;
    for (const Expr& dim : to_->buffer()->shape) ranges.push_back(make<RangeNode>(const_like(dim, 0), dim));
    return make<TensorRegionNode>(to_, ranges);
  }

  Buffer from_, to_;
  IndexMap map_;
  Analyzer analyzer_;
};

// Uses of the buffer that are no element: views, pointers.
class OtherUses final : public Walker {
 public:
  explicit OtherUses(const Buffer& buffer) : buffer_(buffer) {}
  const SBlockNode* view = nullptr;
  bool pointer = false;
  void visit(const Expr& e) override {
    if (e.get() == buffer_.get()) pointer = true;
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) {
      for (const MatchBufferRegion& match : block->match_buffers)
        if (match->source->source.same_as(buffer_)) view = block;
    }
    walk_children(s);
  }

 private:
  const Buffer& buffer_;
};

// The value of elements between as a function of the new indices.
IndexMap padding_map(Step& step, size_t ndim, DataType dtype, DataType element) {
  const Any& value = step.call.args[4];
  bool number = value.type_index() == ffi::TypeIndex::kTVMFFIInt ||
                value.type_index() == ffi::TypeIndex::kTVMFFIFloat || ir::given<Expr>(value);
  if (!number) return index_map_argument(step.call, 4, ndim, dtype);
  Array<Var> indices;
  for (size_t i = 0; i < ndim; ++i) indices.push_back(make_var(String(fmt::format("indices_{}", i)), dtype));
  Expr constant =
      ir::given<Expr>(value) ? *ir::given<Expr>(value) : make_const(element, value.cast<double>());
  if (constant->dtype() != element) {
    throw refuse("transform-layout-padding-type", "padding of type {} for elements of type {}",
                 constant->dtype().str(), element.str())
        .at(step.span(4));
  }
  return make<IndexMapNode>(indices, Array<Expr>{constant});
}

void apply(Step& step, BlockArg block, Any, Any, Any pad_value, bool assume_injective_transform) {
  // check
  Buffer buffer = buffer_at_position(step, 2, *block);
  const BufferTypeNode* type = buffer->buffer();
  DataType dtype = index_type(*block->block());
  IndexMap map = index_map_argument(step.call, 3, type->shape.size(), dtype);
  if (!map) wrong_argument(step.call, 3, "a function of indices, or an IndexMap");
  if (map->initial_indices.size() != type->shape.size()) {
    throw refuse("transform-layout-dimensions", "the map takes {} ind{}, buffer `{}` has {} dimension{}",
                 map->initial_indices.size(), map->initial_indices.size() == 1 ? "ex" : "ices",
                 buffer->name.c_str(), type->shape.size(), type->shape.size() == 1 ? "" : "s")
        .at(step.span(3));
  }
  step.call.args[3] = map;
  if (pad_value != nullptr)
    step.call.args[4] = padding_map(step, map->final_indices.size(), dtype, type->dtype);
  Place* owner = &*block;  // the block that allocates it, or the root block
  bool allocated = false;
  for (Place* up = owner; up && !allocated; up = scope_of(*up)) {
    owner = up;
    for (const MatchBufferRegion& match : up->block()->match_buffers) {
      if (!match->buffer.same_as(buffer)) continue;
      throw refuse("buffer-is-view", "`{}` is a view on `{}`", buffer->name.c_str(),
                   match->source->source->name.c_str())
          .at(step.span(2))
          .help("transform the buffer that it shows");
    }
    for (const Buffer& each : up->block()->alloc_buffers) allocated = allocated || each.same_as(buffer);
  }
  OtherUses uses(buffer);
  uses.visit(owner->stmt);
  if (uses.view || uses.pointer) {
    Error error = refuse("transform-layout-opaque", "buffer `{}` is used {}, not only element by element",
                         buffer->name.c_str(), uses.view ? "through a view" : "through its address")
                      .at(step.span(2));
    if (!uses.view) throw error;
    throw Error(error).note("the view is made here", uses.view->span);
  }
  Analyzer analyzer;
  std::vector<Range> box;
  for (const Expr& dim : type->shape) {
    box.push_back(make<RangeNode>(const_like(dim, 0), dim));
    for (const Var& var : free_vars(dim)) analyzer.bind(var, ConstIntBound{0, ConstIntBound::kPosInf});
  }
  Array<Expr> shape;
  try {
    shape = map_shape(map, type->shape, analyzer);
    if (!assume_injective_transform) {
      Analyzer fresh;
      PaddedInverse back = non_surjective_inverse(map, box, fresh);
      if (!is_const_int(back.padding, 0)) {
        std::string old_shape, new_shape;
        for (const Expr& dim : type->shape) {
          auto n = const_int(dim);
          old_shape += fmt::format("{}{}", old_shape.empty() ? "" : ", ", n ? std::to_string(*n) : "?");
        }
        for (const Expr& dim : shape) {
          auto n = const_int(dim);
          new_shape += fmt::format("{}{}", new_shape.empty() ? "" : ", ", n ? std::to_string(*n) : "?");
        }
        throw refuse("transform-layout-padding",
                     "the new shape ({}) of `{}` has more elements than the old one ({}){}", new_shape,
                     buffer->name.c_str(), old_shape,
                     pad_value == nullptr ? "" : ", and filling them is not supported")
            .at(step.span(3))
            .help(
                "cut dimensions by factors that divide them; `assume_injective_transform=True` leaves the "
                "elements between unset");
      }
    }
  } catch (Error& error) {
    throw std::move(error).at(step.span(3));
  }

  // apply
  auto next_type = ffi::make_object<BufferTypeNode>(*type);
  next_type->shape = shape;
  next_type->strides = {};
  Buffer next = make<VarNode>(buffer->name, Type(BufferType(next_type)), buffer->span);
  Stmt changed = MoveElements(buffer, next, map).rewrite(owner->stmt);
  BlockReuse reuse;
  step.replace(*owner, changed, reuse);
  if (!allocated) step.state.replace_param(*owner, buffer, next);
}

}  // namespace

extern const Primitive transform_layout;
const Primitive transform_layout = primitive<&apply>(
    "TransformLayout",
    "transform_layout(block, buffer, index_map, pad_value=None, *, assume_injective_transform=False)", doc,
    "", "index_map");

}  // namespace mlc::transform
