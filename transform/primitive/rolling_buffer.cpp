// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/tir/region.h"
#include "transform/arith/simplify.h"
#include "transform/schedule/buffers.h"
#include "transform/schedule/cache_stage.h"
#include "transform/schedule/compute_location.h"
#include "transform/schedule/conditions.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_rolling_buffer {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "rolling-read-before",
         .message = "block `{}` reads `{}` before block `{}` writes it",
         .help = "the buffer rolls along the loop that its consumer stands in: `compute_at` first",
         .meaning =
             "What stands before the block reads elements of earlier iterations, which would be overwritten.",
         .wrong = R"(@T.prim_func(s_tir=True)
def late(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + 1.0
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] * 2.0


other = tvm.s_tir.Schedule(late)
other.rolling_buffer("B", 0))",
         .right = R"(@T.prim_func(s_tir=True)
def window(A: T.Buffer((18,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((18,))
    for i in range(18):
        with T.sblock("B"):
            vi = T.axis.spatial(18, i)
            B[vi] = A[vi] * 2.0
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = B[vi] + B[vi + 2]


other = tvm.s_tir.Schedule(window)
other.compute_at("B", other.get_loops("C")[0])
other.rolling_buffer("B", 0))"},
        {.name = "rolling-no-loop",
         .message = "writers and readers of `{}` have no loop around all of them",
         .help = "`compute_at` moves the writer into a loop of its readers first",
         .meaning =
             "A rolling buffer keeps rows from one iteration to the next, so it takes a loop around both.",
         .wrong = R"(sch.rolling_buffer("double", 0))",
         .right = R"(@T.prim_func(s_tir=True)
def window(A: T.Buffer((18, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.sblock_alloc_buffer((18, 16))
    for i, j in T.grid(18, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2.0
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + B[vi + 2, vj]


other = tvm.s_tir.Schedule(window)
other.compute_at("B", other.get_loops("C")[0])
other.rolling_buffer("B", 0))"},
        {.name = "rolling-no-overlap",
         .message = "no dimension of `{}` is written row after row with rows in common",
         .help = "one dimension must begin at a loop times a step, and reach over more than the step",
         .meaning = "A buffer rolls where iterations share rows; where they do not there is nothing to keep.",
         .wrong = R"(sch.compute_at("double", sch.get_loops("product")[0])
sch.rolling_buffer("double", 0))",
         .right = R"(@T.prim_func(s_tir=True)
def window(A: T.Buffer((18, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.sblock_alloc_buffer((18, 16))
    for i, j in T.grid(18, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2.0
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + B[vi + 2, vj]


other = tvm.s_tir.Schedule(window)
other.compute_at("B", other.get_loops("C")[0])
other.rolling_buffer("B", 0))"},
        {.name = "rolling-rows-missing",
         .message =
             "one iteration of loop `{}` does not write all of the {} rows of `{}` from its first to its "
             "last",
         .help = "rows that the next iteration needs as well must have been written",
         .meaning =
             "An iteration writes only rows that are new, so those before it must have written all others.",
         .wrong = R"(@T.prim_func(s_tir=True)
def window(A: T.Buffer((10,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.sblock_alloc_buffer((10,))
    for i in range(8):
        for ax in range(2):
            with T.sblock("B"):
                vi = T.axis.spatial(10, i + ax * 2)
                B[vi] = A[vi] * 2.0
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + B[vi + 2]


other = tvm.s_tir.Schedule(window)
other.rolling_buffer("B", 0))",
         .right = R"(@T.prim_func(s_tir=True)
def window(A: T.Buffer((10,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.sblock_alloc_buffer((10,))
    for i in range(8):
        for ax in range(3):
            with T.sblock("B"):
                vi = T.axis.spatial(10, i + ax)
                B[vi] = A[vi] * 2.0
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + B[vi + 2]


other = tvm.s_tir.Schedule(window)
other.rolling_buffer("B", 0))"},
    }};
MLC_REFUSALS(primitive_rolling_buffer, refusals);

static constexpr char doc[] = R"(
rolling_buffer(block, write_buffer_index)      Keep only the rows that the next iteration needs as well, in a circle.

    for i in range(8):                               =>      for i in range(8):
        for ax0 in range(3):                                     for ax0 in range(3):
            vi = i + ax0                                             T.where(i < 1 or 2 <= ax0)
            B[vi] = f(A[vi])                                         B[vi % 3] = f(A[vi])
        for k in range(3):                                       for k in range(3):
            C[i] += B[i + k]                                         C[i] += B[(i + k) % 3]

Rows that an iteration before has written are not computed again.
needs: a buffer that a block allocates, written and read below one loop; what one iteration writes overlaps with what the next
       one writes, along one dimension at least.
keeps: the values of all other buffers.
)";

namespace {

// How one dimension of the written region moves with a loop: by `stride` per iteration.
struct Roll {
  const VarNode* loop = nullptr;
  int64_t overlap = 0;
};

// How many rows one iteration writes, when these follow each other without a gap: `row` counts from where the
// iteration begins. The condition of the block may leave out some of the loops' iterations.
std::optional<Expr> rows_of(const Expr& row, const std::vector<LoopRange>& inner, const Expr& predicate,
                            Analyzer& analyzer) {
  IterMapResult map = detect_iter_map({row}, inner, predicate, IterMapCheck::kSurjective, analyzer, false);
  if (map.indices.empty()) return std::nullopt;
  const Array<IterSplit>& digits = map.indices[0]->args;
  if (!is_const_int(analyzer.simplify(map.indices[0]->base), 0) || digits.size() > 1) return std::nullopt;
  if (digits.empty()) return const_like(row, 1);
  if (!is_const_int(digits[0]->scale, 1)) return std::nullopt;
  return analyzer.simplify(digits[0]->extent);
}

// loop * stride, or loop * stride // divisor; nullopt when it is another expression of loops.
std::optional<Roll> roll_of(const Expr& min, const Expr& extent) {
  Roll roll;
  int64_t stride = 1, divisor = 1;
  Expr e = min;
  if (const_int(e)) return roll;
  if (auto* two = as_binary(e); two && e->kind == ExprKind::kFloorDiv && const_int(two->b)) {
    divisor = *const_int(two->b);
    e = two->a;
    if (e->kind != ExprKind::kMul) return std::nullopt;
  }
  if (auto* two = as_binary(e); two && e->kind == ExprKind::kMul && const_int(two->b)) {
    stride = *const_int(two->b);
    e = two->a;
  }
  auto* var = as<VarNode>(e);
  auto size = const_int(extent);
  if (!var || !size || divisor <= 0) return std::nullopt;
  roll.overlap = *size - (stride + divisor - 1) / divisor;
  if (roll.overlap > 0) roll.loop = var;
  return roll;
}

class Roller final : public Rewriter {
 public:
  Roller(const Buffer& from, const Buffer& to, size_t axis, int64_t rows, const SBlockNode* scope)
      : from_(from), to_(to), axis_(axis), rows_(rows), scope_(scope) {}
  // The writer's realize, and its condition from then on.
  const SBlockNode* writer = nullptr;
  Expr condition;
  BlockReuse reuse;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* load = as<TensorLoadNode>(next);
    if (!load || !load->source.same_as(from_)) return next;
    return make<TensorLoadNode>(to_, rolled(load->indices));
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* realize = as<SBlockRealizeNode>(s); realize && realize->block.get() == writer) {
      Stmt next = rewrite_children(s);
      return with(ref(as<SBlockRealizeNode>(next)),
                  [&](SBlockRealizeNode& copy) { copy.predicate = condition; });
    }
    Stmt next = rewrite_children(s);
    if (auto* store = as<BufferStoreNode>(next); store && store->buffer.same_as(from_))
      return make<BufferStoreNode>(to_, store->value, rolled(store->indices), store->span);
    auto* old = as<SBlockNode>(s);
    if (!old || old == scope_) return next;
    SBlock block = ref(as<SBlockNode>(next));
    AccessRegions found = detect_access_regions(block, transform::simplify);
    SBlock changed = with(block, [&](SBlockNode& copy) {
      copy.reads = renewed(copy.reads, found.reads);
      copy.writes = renewed(copy.writes, found.writes);
      if (axis_ < copy.iter_vars.size()) {
        const IterVar& iter = copy.iter_vars[axis_];
        IterVar opaque = make<IterVarNode>(iter->dom, iter->var, IterType::kOpaque, iter->thread_tag);
        copy.iter_vars.Set(axis_, opaque);
      }
    });
    reuse.emplace_back(old, changed.get());
    return changed;
  }

 private:
  Array<Expr> rolled(const Array<Expr>& indices) const {
    Array<Expr> result = indices;
    result.Set(axis_, floormod(indices[axis_], const_like(indices[axis_], rows_)));
    return result;
  }
  Array<TensorRegion> renewed(const Array<TensorRegion>& regions, const Array<TensorRegion>& found) const {
    Array<TensorRegion> result;
    for (const TensorRegion& region : regions) {
      TensorRegion next = region;
      for (const TensorRegion& one : found)
        if (region->source.same_as(from_) && one->source.same_as(to_)) next = one;
      result.push_back(next);
    }
    return result;
  }

  const Buffer &from_, &to_;
  size_t axis_;
  int64_t rows_;
  const SBlockNode* scope_;
};

void apply(Step& step, BlockArg block, Any) {
  // check
  SRefNode* scope = require_scope(block);
  Buffer buffer = choose_buffer(step, 2, *block, block->block()->writes, "writes", Naming::kNumbers);
  bool inside = false;
  for (const Buffer& each : scope->block()->alloc_buffers) inside = inside || each.same_as(buffer);
  if (!inside) {
    throw about_block(refuse(shared_refusals["output-block"], block->name.c_str(), buffer->name.c_str()),
                      block.span, block->stmt->span);
  }
  Dependences deps = dependences(step.state, *scope);
  only_writer(deps, buffer, step.span(2));
  std::vector<SRefNode*> users = deps.readers[buffer.get()];
  users.push_back(&*block);
  for (const SRefNode* reader : deps.readers[buffer.get()]) {
    if (reader == &*block) continue;
    std::vector<SRefNode*> after = deps.consumers(*block);
    if (std::find(after.begin(), after.end(), reader) == after.end()) {
      throw refuse(refusals["rolling-read-before"], reader->name.c_str(), buffer->name.c_str(),
                   block->name.c_str())
          .at(block.span);
    }
  }
  SRefNode* top = common_above(users);
  if (!top || !top->loop() || users.size() < 2) {
    throw refuse(refusals["rolling-no-loop"], buffer->name.c_str())
        .at(block.span)
        .help(
            fmt::format("first `sch.compute_at` block `{}` below a loop of its reader", block->name.c_str()));
  }
  Analyzer analyzer;
  bind_surroundings(analyzer, step.state, *top);
  std::vector<Box> boxes;
  TensorRegion written;
  for (const TensorRegion& region : block->block()->writes)
    if (region->source.same_as(buffer)) written = region;
  relax_below(step.state, *block, {written}, *top, false, boxes, analyzer);
  std::vector<Roll> rolls;
  std::vector<Expr> extents;
  bool known = true;
  for (const Interval& dim : boxes[0].dims) {
    if (!dim) {
      known = false;
      break;
    }
    extents.push_back(analyzer.simplify(dim.max - dim.min + 1));
    auto roll = roll_of(analyzer.simplify(dim.min), extents.back());
    known = known && roll;
    if (!known) break;
    rolls.push_back(*roll);
  }
  std::optional<size_t> axis;
  for (SRefNode* loop : loops_above(*block)) {
    for (size_t d = 0; known && !axis && d < rolls.size(); ++d)
      if (rolls[d].loop == loop->loop()->loop_var.get()) axis = d;
  }
  if (!axis) {
    throw about_block(refuse(refusals["rolling-no-overlap"], buffer->name.c_str()), block.span,
                      block->stmt->span);
  }

  SBlockRealize realize = realize_of(step.state, *block);
  std::vector<SRefNode*> loops = loops_above(*block);
  VarMap first_iteration;
  std::vector<LoopRange> inner;
  for (const LoopRange& each : ranges_of(loops)) {
    bool shared = std::any_of(loops.begin(), loops.end(), [&](const SRefNode* loop) {
      return loop->loop()->loop_var.same_as(each.var) && is_above(*loop, *top);
    });
    if (shared)
      first_iteration[each.var.get()] = const_like(each.var, 0);
    else
      inner.push_back(each);
  }
  Expr left_out = bool_imm(true);  // what the loops' iterations must pass besides naming rows that there are
  for (const Expr& condition : conditions_beyond_domains(realize, loops, analyzer))
    left_out = logical_and(left_out, condition);
  std::vector<Expr> rows;  // of the block along each dimension, counted from where the iteration begins
  for (size_t d = 0; d < rolls.size(); ++d) {
    Expr start = substitute(written->region[d]->min, bindings_of(realize));
    rows.push_back(analyzer.simplify(substitute(start, first_iteration)));
    if (!rolls[d].loop) continue;
    auto count = rows_of(rows[d], inner, left_out, analyzer);
    if (count) count = analyzer.simplify(add(*count, written->region[d]->extent - 1));
    if (count && analyzer.can_prove_equal(*count, extents[d])) continue;
    throw about_block(refuse(refusals["rolling-rows-missing"], top->name.c_str(), *const_int(extents[d]),
                             buffer->name.c_str()),
                      block.span, block->stmt->span);
  }

  // apply
  Expr condition = realize->predicate;
  for (size_t d = 0; d < rolls.size(); ++d) {
    if (!rolls[d].loop) continue;
    Var loop = ref(rolls[d].loop);
    // A block may write several rows at once: it runs when the last of them is new.
    Expr last = add(rows[d], written->region[d]->extent - 1);
    condition = Analyzer().simplify(logical_and(
        condition, logical_or(lt(loop, const_like(loop, 1)), ge(last, const_like(last, rolls[d].overlap)))));
  }
  auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
  type->shape.Set(*axis, extents[*axis]);
  Buffer next = make<VarNode>(buffer->name, Type(BufferType(type)), buffer->span);
  Roller roller(buffer, next, *axis, *const_int(extents[*axis]), scope->block());
  roller.writer = block->block();
  roller.condition = condition;
  Stmt body = roller.rewrite(scope->block()->body);
  Stmt changed = with(ref(scope->block()), [&](SBlockNode& copy) {
    copy.body = body;
    for (size_t i = 0; i < copy.alloc_buffers.size(); ++i)
      if (copy.alloc_buffers[i].same_as(buffer)) copy.alloc_buffers.Set(i, next);
  });
  step.replace(*scope, changed, roller.reuse);
  compute_flags(step.state, *scope);
}

}  // namespace

extern const Primitive rolling_buffer;
const Primitive rolling_buffer =
    primitive<&apply>("RollingBuffer", "rolling_buffer(block, write_buffer_index)", doc);

}  // namespace mlc::transform::primitive_rolling_buffer
