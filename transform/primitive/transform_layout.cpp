// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "ir/tir/op.h"
#include "ir/tir/region.h"
#include "transform/arith/expr_equal.h"
#include "transform/arith/index_map.h"
#include "transform/arith/index_map_api.h"
#include "transform/arith/iter_map.h"
#include "transform/arith/simplify.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/layout_padding.h"
#include "transform/schedule/non_block_stmts.h"
#include "transform/schedule/path_rewriter.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/reindex.h"

namespace mlc::transform::primitive_transform_layout {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "transform-layout-dimensions",
         .message = "the padding is a function of {} ind{}, the map gives {}",
         .help = "give the map one index for each dimension of the buffer",
         .meaning = "The map takes one index for each dimension of the buffer.",
         .wrong = R"(sch.transform_layout("double", ("write", 0), lambda i: (i,)))",
         .right = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (j, i)))"},
        {.name = "transform-layout-padding-type",
         .message = "buffer `{}` gets padding of type {} for elements of type {}",
         .help = "the padding has the type of the buffer's elements",
         .meaning = "The padding is stored in the buffer beside its elements.",
         .wrong =
             R"(sch.transform_layout("double", ("write", 0), lambda i, j: (i // 5, j, i % 5), pad_value=1))",
         .right =
             R"(sch.transform_layout("double", ("write", 0), lambda i, j: (i // 5, j, i % 5), pad_value=0.0))"},
        {.name = "buffer-is-view",
         .message = "`{}` is a view on `{}`",
         .help = "transform the buffer that it shows",
         .meaning = "A view has no memory of its own that could be laid out in another way.",
         .wrong = R"(@T.prim_func(s_tir=True)
def viewed(A: T.Buffer((16, 16), "float32")):
    for i in range(16):
        with T.sblock("row"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(A[vi, 0:16])
            row = T.match_buffer(A[vi, 0:16], (1, 16), offset_factor=1)
            for j in range(16):
                with T.sblock("set"):
                    vj = T.axis.spatial(16, j)
                    row[0, vj] = 0.0


other = tvm.s_tir.Schedule(viewed)
other.transform_layout("set", ("write", 0), lambda i, j: (j, i)))",
         .right = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (j, i)))"},
        {.name = "transform-layout-opaque",
         .message = "buffer `{}` is used {}, not only element by element",
         .help = "only buffers that are loaded and stored element by element get another layout",
         .meaning = "The indices of loads and stores are rewritten; what goes through a view or an address "
                    "is not seen.",
         .wrong = R"(@T.prim_func(s_tir=True)
def viewed(A: T.Buffer((16, 16), "float32")):
    for i in range(16):
        with T.sblock("row"):
            vi = T.axis.spatial(16, i)
            T.reads()
            T.writes(A[vi, 0:16])
            row = T.match_buffer(A[vi, 0:16], (1, 16), offset_factor=1)
            for j in range(16):
                with T.sblock("set"):
                    vj = T.axis.spatial(16, j)
                    row[0, vj] = 0.0


other = tvm.s_tir.Schedule(viewed)
other.transform_layout("row", ("write", 0), lambda i, j: (j, i)))",
         .right = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (j, i)))"},
        {.name = "transform-layout-size-lost",
         .message = "no parameter would say what `{}` is when `{}` is of shape ({})",
         .help = "let the function take the size, `specialize` it, or leave that dimension whole",
         .meaning = "Sizes are read from the shapes of buffers; of `n` rounded up `n` itself cannot be told.",
         .wrong = R"(@T.prim_func(s_tir=True)
def firsts(a: T.handle, C: T.Buffer((16,), "float32")):
    m = T.int32()
    A = T.match_buffer(a, (16, m), "float32")
    for i in range(16):
        with T.sblock("first"):
            vi = T.axis.spatial(16, i)
            C[vi] = A[vi, 0]


other = tvm.s_tir.Schedule(firsts)
other.transform_layout("first", ("read", 0), lambda i, j: (i, j // 4, j % 4), pad_value=0.0))",
         .right = R"(@T.prim_func(s_tir=True)
def firsts(a: T.handle, C: T.Buffer((16,), "float32")):
    m = T.int32()
    A = T.match_buffer(a, (16, m), "float32")
    for i in range(16):
        with T.sblock("first"):
            vi = T.axis.spatial(16, i)
            C[vi] = A[vi, 0]


other = tvm.s_tir.Schedule(firsts)
other.transform_layout("first", ("read", 0), lambda i, j: (i // 4, j, i % 4)))"},
        {.name = "transform-layout-padding",
         .message = "the new shape ({}) of `{}` has more elements than the old one ({}): those where {}",
         .help = "say what they are with `pad_value`, or cut dimensions by factors that divide them; "
                 "`assume_injective_transform=True` leaves the elements between unset",
         .meaning = "Elements of the new shape that are none of the old one need a value, or a word that "
                    "they need none.",
         .wrong = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (i // 5, j, i % 5)))",
         .right = R"(sch.transform_layout("double", ("write", 0), lambda i, j: (i // 4, j, i % 4)))"},
    }};
MLC_REFUSALS(primitive_transform_layout, refusals);

static constexpr char doc[] = R"(
transform_layout(block, buffer, index_map, pad_value=None, *, assume_injective_transform=False)      Store a buffer's elements in another order.

    B = T.sblock_alloc_buffer((128, 128))        =>      B = T.sblock_alloc_buffer((8, 128, 16))
    B[vi, vj] = A[vi, vj]                                B[vj // 16, vi, vj % 16] = A[vi, vj]

`buffer` is ("read", number), ("write", number) or a name; `index_map` a function from old to new indices, as
`lambda i, j: (j // 16, i, j % 16)`. All accesses change with the buffer; where it is a parameter, so does the function's
signature.
Elements that only the new shape has are `pad_value`: a number, or a function of the new indices. The block that writes the
buffer writes them as well, or one behind it, before all that read it, does; of a parameter that nobody writes they are assumed to be that.
needs: the map is one to one on the buffer's shape, and leaves no room in the new one unless `pad_value` says what is there; the
       buffer is a parameter or allocated by a block, with no view on it. `assume_injective_transform` takes the first on trust.
keeps: loops, iterators and the values computed.
)";

namespace {

// Accesses to one buffer become accesses to another, and so do every block's regions on it.
class MoveElements final : public PathRewriter {
 public:
  MoveElements(const Buffer& from, const Buffer& to, const IndexMap& map) : from_(from), to_(to), map_(map) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* choice = as_call_to(e, "tirx.if_then_else")) return rewrite_choice(e, choice);
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    if (!load || !load->source.same_as(from_)) return next;
    return make<TensorLoadNode>(to_, mapped(load->indices));
  }
  Stmt rewrite(const Stmt& s) override {
    size_t known = iters_.size();
    if (auto* loop = as<ForNode>(s)) bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    if (auto* test = as<IfThenElseNode>(s)) return this->test(test);
    if (auto* block = as<SBlockNode>(s)) return this->block(ref(block));
    Stmt next = rewrite_children(s);
    iters_.resize(known);
    if (auto* alloc = as<AllocBufferNode>(next); alloc && alloc->buffer.same_as(from_))
      return make<AllocBufferNode>(to_, alloc->annotations, alloc->span);
    auto* store = as<BufferStoreNode>(next);
    if (!store || !store->buffer.same_as(from_)) return next;
    return make<BufferStoreNode>(to_, store->value, mapped(store->indices), store->span);
  }

 private:
  // The new indices in the form of a sum of digits of the iterators, where they are one. Iterators of one
  // value stay visible where they are all of an index.
  Array<Expr> mapped(const Array<Expr>& indices) {
    Array<Expr> result = map_indices(map_, indices, plain_);
    Array<Expr> sums = simplify_iter_map(result, iters_, predicate_, IterMapCheck::kSurjective, analyzer_);
    for (size_t d = 0; d < result.size(); ++d)
      if (!as<VarNode>(result[d]) || !const_int(sums[d])) result.Set(d, sums[d]);
    return result;
  }
  Stmt test(const IfThenElseNode* old) {
    Expr condition = rewrite(old->condition);
    Stmt then_case = under(condition, old->then_case);
    Stmt else_case = old->else_case ? under(logical_not(condition), old->else_case) : Stmt();
    if (condition.same_as(old->condition) && then_case.same_as(old->then_case) &&
        else_case.same_as(old->else_case))
      return ref(old);
    return with(ref(old), [&](IfThenElseNode& copy) {
      copy.condition = condition;
      copy.then_case = then_case;
      copy.else_case = else_case;
    });
  }
  Stmt block(const SBlock& old) {
    size_t known = iters_.size();
    for (const IterVar& iter : old->iter_vars) bind(iter->var, iter->dom);
    Stmt body = rewrite(old->body), init = old->init ? rewrite(old->init) : Stmt();
    iters_.resize(known);
    Array<Buffer> allocated;
    for (const Buffer& buffer : old->alloc_buffers) allocated.push_back(buffer.same_as(from_) ? to_ : buffer);
    if (body.same_as(old->body) && init.same_as(old->init)) {
      bool same =
          !mentions(old->reads) && !mentions(old->writes);  // regions may cover more than the body does
      for (size_t i = 0; i < allocated.size(); ++i)
        same = same && allocated[i].same_as(old->alloc_buffers[i]);
      if (same) return old;
    }
    // As where the text is read back.
    SBlock alone = make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, "", body);
    AccessRegions touched = detect_access_regions(alone, transform::simplify);
    auto renewed = [&](const Array<TensorRegion>& regions, const Array<TensorRegion>& found) {
      Array<TensorRegion> result;
      for (const TensorRegion& region : regions) {
        TensorRegion next = region;
        if (region->source.same_as(from_)) {
          next = whole();
          for (const TensorRegion& one : found)
            if (one->source.same_as(to_)) next = one;
          if (TensorRegion point = only_element(body)) next = point;
        } else {
          next = rewrite_region(region);  // another buffer may be indexed by elements of this one
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
  bool mentions(const Array<TensorRegion>& regions) const {
    auto is_it = [&](const VarNode* var) { return var == from_.get(); };
    return std::any_of(regions.begin(), regions.end(), [&](const TensorRegion& region) {
      return region->source.same_as(from_) ||
             std::any_of(region->region.begin(), region->region.end(), [&](const Range& range) {
               return uses_var(range->min, is_it) || uses_var(range->extent, is_it);
             });
    });
  }
  void bind(const Var& var, const Range& range) {
    iters_.push_back({var, range});
    bind_visibly(analyzer_, iters_.back());
  }
  // Where all accesses of the body have the same indices: that element.
  TensorRegion only_element(const Stmt& body) const {
    std::optional<Array<Expr>> indices;
    bool one = true;
    auto note = [&](const Array<Expr>& at) {
      if (!indices) indices = at;
      one = one && same_exprs(*indices, at);
    };
    post_order(
        body,
        [&](const Expr& e) {
          if (auto* load = as<TensorLoadNode>(e); load && load->source.same_as(to_)) note(load->indices);
        },
        [&](const Stmt& s) {
          if (auto* store = as<BufferStoreNode>(s); store && store->buffer.same_as(to_)) note(store->indices);
          one = one && (s->kind == StmtKind::kBufferStore || s->kind == StmtKind::kSeqStmt);
        });
    return one && indices ? TensorRegion(make<TensorRegionNode>(to_, points(*indices))) : nullptr;
  }
  TensorRegion whole() const {
    Array<Range> ranges;
    for (const Expr& dim : to_->buffer()->shape) ranges.push_back(make<RangeNode>(const_like(dim, 0), dim));
    return make<TensorRegionNode>(to_, ranges);
  }

  Buffer from_, to_;
  IndexMap map_;
  Analyzer analyzer_, plain_;  // with and without what the iterators go through
  std::vector<LoopRange> iters_;
};

// The blocks below that store to the buffer themselves, in program order.
std::vector<SRefNode*> writers_below(ScheduleState& state, const SRefNode& block, const Buffer& buffer) {
  std::vector<SRefNode*> result;
  for (SRefNode* child : child_blocks(state, block)) {
    std::vector<SRefNode*> inner = writers_below(state, *child, buffer);
    result.insert(result.end(), inner.begin(), inner.end());
    if (!inner.empty()) continue;
    for (const TensorRegion& write : child->block()->writes)
      if (write->source.same_as(buffer)) result.push_back(child);
  }
  return result;
}

// The value of elements between as a function of the new indices.
IndexMap padding_map(Step& step, size_t ndim, DataType dtype, const Buffer& buffer) {
  DataType element = buffer->buffer()->dtype;
  Any value = step.call.args[4];
  bool number = value.type_index() == ffi::TypeIndex::kTVMFFIInt ||
                value.type_index() == ffi::TypeIndex::kTVMFFIFloat || ir::try_get<Expr>(value);
  if (!number) {
    IndexMap map = index_map_argument(step.call, 4, ndim, dtype);
    if (!map) return map;
    if (map->initial_indices.size() != ndim) {
      throw refuse(refusals["transform-layout-dimensions"], map->initial_indices.size(),
                   map->initial_indices.size() == 1 ? "ex" : "ices", ndim)
          .kind("InternalError+ScheduleError")
          .at(step.span(4));
    }
    for (const Expr& padding : map->final_indices) {
      bool whole = !padding->dtype().is_floating() && !element.is_floating();
      if (padding->dtype() == element || whole) continue;
      step.call.args[4] = map;
      throw refuse(refusals["transform-layout-padding-type"], buffer->name.c_str(), padding->dtype().str(),
                   element.str())
          .at(step.span(4));
    }
    return map;
  }
  Array<Var> indices;
  for (size_t i = 0; i < ndim; ++i) indices.push_back(make_var(String(fmt::format("indices_{}", i)), dtype));
  // A number is of the elements' type where that is of its kind.
  bool whole = value.type_index() == ffi::TypeIndex::kTVMFFIInt;
  DataType own = whole == element.is_floating() ? (whole ? DataType::Int(32) : DataType::Float(32)) : element;
  Expr constant =
      ir::try_get<Expr>(value) ? *ir::try_get<Expr>(value) : make_const(own, value.cast<double>());
  auto map = make<IndexMapNode>(indices, Array<Expr>{constant});
  if (constant->dtype() != element) {
    step.call.args[4] = map;
    throw refuse(refusals["transform-layout-padding-type"], buffer->name.c_str(), constant->dtype().str(),
                 element.str())
        .at(step.span(4));
  }
  return map;
}

// Does the map only drop indices, and is it one to one on the others? TVM looks for the dropped ones in vain
// then.
bool drops_indices(const IndexMap& map, const std::vector<Range>& box) {
  Array<Var> used;
  std::vector<Range> ranges;
  for (size_t i = 0; i < map->initial_indices.size(); ++i) {
    const Var& index = map->initial_indices[static_cast<int64_t>(i)];
    bool found = std::any_of(map->final_indices.begin(), map->final_indices.end(), [&](const Expr& e) {
      return uses_var(e, [&](const VarNode* var) { return var == index.get(); });
    });
    if (!found) continue;
    used.push_back(index);
    ranges.push_back(box[i]);
  }
  if (used.empty() || used.size() == map->initial_indices.size()) return false;
  try {
    Analyzer analyzer;
    non_surjective_inverse(make<IndexMapNode>(used, map->final_indices), ranges, analyzer);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void apply(Step& step, BlockArg block, Any, Any, Any pad_value, bool assume_injective_transform) {
  // check
  Buffer buffer = buffer_at_position(step, 2, *block);
  const BufferTypeNode* type = buffer->buffer();
  DataType dtype = index_type(*block->block());
  IndexMap map = index_map_argument(step.call, 3, type->shape.size(), dtype);
  if (!map) wrong_argument(step.call, 3, "a function of indices, or an IndexMap");
  if (map->initial_indices.size() != type->shape.size()) {
    throw refuse_as(refusals["transform-layout-dimensions"],
                    "the map takes {} ind{}, buffer `{}` has {} dimension{}", map->initial_indices.size(),
                    map->initial_indices.size() == 1 ? "ex" : "ices", buffer->name.c_str(),
                    type->shape.size(), type->shape.size() == 1 ? "" : "s")
        .kind("InternalError+ScheduleError")
        .at(step.span(3));
  }
  step.call.args[3] = map;
  map = with_samples(map, [&](const Var& var) -> std::optional<Expr> {
    Any value = step.evaluate(var);
    auto number = value.try_cast<int64_t>();
    return number ? std::optional<Expr>(int_imm(var->dtype(), *number)) : std::nullopt;
  });
  if (pad_value != nullptr) step.call.args[4] = padding_map(step, map->final_indices.size(), dtype, buffer);
  SRefNode* owner = &*block;  // the block that allocates it, or the root block
  bool allocated = false;
  for (SRefNode* up = owner; up && !allocated; up = scope_of(*up)) {
    owner = up;
    for (const MatchBufferRegion& match : up->block()->match_buffers) {
      if (!match->buffer.same_as(buffer)) continue;
      throw refuse(refusals["buffer-is-view"], buffer->name.c_str(), match->source->source->name.c_str())
          .at(step.span(2));
    }
    for (const Buffer& each : up->block()->alloc_buffers) allocated = allocated || each.same_as(buffer);
  }
  const SBlockNode* view = nullptr;
  bool pointer = false;
  walk_with(owner->stmt, overloaded{[&](const Expr& e, Walker& on) {
                                      pointer |= e.same_as(buffer);
                                      on.walk_children(e);
                                    },
                                    [&](const Stmt& s, Walker& on) {
                                      if (auto* block = as<SBlockNode>(s)) {
                                        for (const MatchBufferRegion& match : block->match_buffers)
                                          if (match->source->source.same_as(buffer)) view = block;
                                      }
                                      if (auto* alloc = as<AllocBufferNode>(s))
                                        allocated |= alloc->buffer.same_as(buffer);
                                      on.walk_children(s);
                                    }});
  if (view || pointer) {
    Error error = refuse(refusals["transform-layout-opaque"], buffer->name.c_str(),
                         view ? "through a view" : "through its address")
                      .at(step.span(2));
    if (!view) throw error;
    throw Error(error).note("the view is made here", view->span);
  }
  Analyzer analyzer;
  std::vector<Range> box;
  for (const Expr& dim : type->shape) {
    box.push_back(make<RangeNode>(const_like(dim, 0), dim));
    for (const Var& var : free_vars(dim)) analyzer.bind(var, ConstIntBound{0, ConstIntBound::kPosInf});
  }
  Array<Expr> shape;
  PaddedInverse back;
  bool grows = false;
  try {
    shape = map_shape(map, type->shape, analyzer);
    if (!assume_injective_transform) {
      Analyzer fresh;
      back = non_surjective_inverse(map, box, fresh);
      grows = !is_const_int(back.padding, 0);
    }
  } catch (Error& error) {
    if (assume_injective_transform || !drops_indices(map, box)) throw std::move(error).at(step.span(3));
    throw std::move(error).at(step.span(3)).kind("KeyError+ScheduleError");
  }
  if (grows && pad_value == nullptr) {
    throw refuse(refusals["transform-layout-padding"], shape_text(shape), buffer->name.c_str(),
                 shape_text(type->shape), expr_text(back.padding))
        .at(step.span(3));
  }
  // A call learns a size where it is a parameter, or a dimension of one.
  PrimFunc fn = step.state.function(step.state.index_of(*owner).name);
  std::unordered_set<const ExprNode*> known;
  for (const Var& param : fn->params) {
    known.insert(param.get());
    if (!param->buffer()) continue;
    for (const Expr& dim : param.same_as(buffer) ? shape : param->buffer()->shape) known.insert(dim.get());
  }
  for (const Expr& dim : type->shape) {
    auto* size = as<VarNode>(dim);
    if (allocated || !size || known.contains(size)) continue;
    throw refuse(refusals["transform-layout-size-lost"], size->name.c_str(), buffer->name.c_str(),
                 shape_text(shape))
        .at(step.span(3));
  }

  // apply
  auto next_type = ffi::make_object<BufferTypeNode>(*type);
  next_type->shape = shape;
  next_type->strides = kept_strides(*type, shape, allocated);
  Buffer next = make<VarNode>(buffer->name, Type(BufferType(next_type)), buffer->span);
  BlockReuse reuse;
  Stmt before = owner->stmt;
  std::optional<size_t> behind;  // the statements that the padding follows: the writers, but no reader
  Relayout layout;
  bool assumed = false;
  if (grows) {
    layout = {buffer, next, map, back, ir::try_get<IndexMap>(step.call.args[4]).value()};
    std::vector<SRefNode*> writers = writers_below(step.state, *owner, buffer);
    // All that write the whole buffer write the padding; where none does, it is written behind them.
    for (const SRefNode* writer : writers) {
      auto rewritten = writer_with_padding(step.state, *writer, layout);
      if (!rewritten) continue;
      reuse.emplace_back(rewritten->old_block.get(), rewritten->block.get());
      before = replaced(before, rewritten->old_nest, rewritten->nest);
    }
    if (!reuse.empty()) {
      // the padding is there
    } else if (writers.empty()) {
      assumed = true;
    } else {
      auto reads = [&](const Stmt& s) {
        const auto* reader = as<SBlockNode>(s);
        return reader != nullptr &&
               std::none_of(writers.begin(), writers.end(),
                            [&](const SRefNode* writer) { return writer->stmt.get() == reader; }) &&
               std::any_of(reader->reads.begin(), reader->reads.end(),
                           [&](const TensorRegion& region) { return region->source.same_as(buffer); });
      };
      std::vector<Stmt> body = statements_of(as<SBlockNode>(before)->body);
      for (behind = 0; *behind <= child_position(*owner, *writers.back()); ++*behind) {
        if (any_below(body[*behind], reads)) break;
      }
    }
  }
  Stmt changed = MoveElements(buffer, next, map).rewrite(before);
  if (assumed || behind) {
    std::vector<Stmt> body = statements_of(as<SBlockNode>(changed)->body);
    if (assumed) {
      size_t place = place_behind_made(as<SBlockNode>(changed)->body, next, "transform_layout");
      body.insert(body.begin() + static_cast<int64_t>(place), assumption_nest(layout));
    } else {
      body.insert(body.begin() + static_cast<int64_t>(*behind), padding_nest(layout));
    }
    changed = with(ref(as<SBlockNode>(changed)),
                   [&](SBlockNode& copy) { copy.body = seq(Array<Stmt>(body.begin(), body.end())); });
  }
  step.replace(*owner, changed, reuse);
  if (!allocated) step.state.replace_param(*owner, buffer, next);
  if (grows) compute_flags(step.state, *owner);
}

}  // namespace

extern const Primitive transform_layout;
const Primitive transform_layout = primitive<&apply>(
    "TransformLayout",
    "transform_layout(block, buffer, index_map, pad_value=None, *, assume_injective_transform=False)", doc,
    "", "index_map,position:buffer,map:pad_value,imm:assume_injective_transform",
    [](std::span<const Any> args) -> std::string_view {
      if (args.size() > 4 && args[4].try_cast<bool>().value_or(false))
        return "the map puts each element elsewhere";
      return args.size() > 3 && args[3] != nullptr ? "nobody depends on what the padding holds" : "";
    });

}  // namespace mlc::transform::primitive_transform_layout
