// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/walk_with.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_fuse {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "fuse-without-loops",
         .message = "no loops to fuse",
         .help = "`sch.fuse(i, j)` takes loops that are nested in one another",
         .meaning = "There must be a loop to fuse.",
         .wrong = "sch.fuse()",
         .right = R"(i, j, k = sch.get_loops("product")
sch.fuse(i, j))"},
        {.name = "fuse-not-nested",
         .message = "loop `{}` is not directly inside loop `{}`",
         .help = "`reorder` the loops first, and name them from the outside in",
         .meaning =
             "Loops are fused from the outer to the inner one, each directly inside of the one before.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.fuse(i, k))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.fuse(i, j))"},
        {.name = "fuse-not-only-child",
         .message = "loop `{}` is not all there is in loop `{}`",
         .help = "move what else stands in the outer loop out of it, or fuse the loops within",
         .meaning = "What stands beside the inner loop would run once for each of its iterations.",
         .wrong = R"(a = sch.cache_read("product", 1, "local")
i, j, k = sch.get_loops("product")
sch.compute_at(a, i)
sch.fuse(i, sch.get_loops("product")[1]))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.fuse(i, j))"},
        {.name = "fuse-empty-loop",
         .message = "loop `{}` has no iterations: none of the fused loop would tell that of loop `{}`",
         .help = "fuse the loops around it",
         .meaning =
             "The outer loop sets what the sums begin with, even where the inner one has nothing to add.",
         .wrong = R"(@T.prim_func(s_tir=True)
def sums(C: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 0):
        with T.sblock("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0.0
            C[vi] = C[vi] + 1.0


other = tvm.s_tir.Schedule(sums)
other.fuse(*other.get_loops("sums")))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.fuse(i, j))"},
        {.name = "fuse-too-many-iterations",
         .message = "the fused loop would have more iterations than 64 bits can count",
         .help = "fuse fewer loops",
         .meaning = "The variable of a loop has 64 bits at most.",
         .wrong = R"(@T.prim_func(s_tir=True)
def endless(A: T.Buffer((1,), "float32")):
    for i, j, k in T.grid(2147483647, 2147483647, 2147483647):
        with T.sblock("set"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            A[0] = 1.0


other = tvm.s_tir.Schedule(endless)
other.fuse(*other.get_loops("set")))",
         .right = R"(i, j, k = sch.get_loops("product")
sch.fuse(i, j))"},
        {.name = "fuse-dependent-extent",
         .message = "the extent of loop `{}` depends on loop `{}`",
         .help = "fuse the loops whose extents are the same in each iteration",
         .meaning = "The outer index follows from the fused one by division, which takes an extent that "
                    "stays the same.",
         .wrong = R"(@T.prim_func(s_tir=True)
def triangle(A: T.Buffer((16, 16), "float32")):
    for i in range(16):
        for j in range(i + 1):
            with T.sblock("set"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = 0.0


other = tvm.s_tir.Schedule(triangle)
other.fuse(*other.get_loops("set")))",
         .right = R"(i, j = sch.get_loops("double")
sch.fuse(i, j))"},
    }};
MLC_REFUSALS(primitive_fuse, refusals);

static constexpr char doc[] = R"(
fuse(*loops, preserve_unit_iters=True) -> loop      Make one loop of a perfect nest.

    for i, j in T.grid(e0, e1):      =>      for i_j_fused in range(e0 * e1):
        S                                        S[i := i_j_fused // e1, j := i_j_fused % e1]

needs: each loop is all there is in the one before it; all start at 0, have no annotation, no thread, and extents that
       do not depend on each other.
keeps: number and order of block instances.
)";

// Does a block below reduce over the loop, and begin with something?
static bool starts_sums(const ForNode& loop) {
  bool found = false;
  walk_with(loop.body, [&](const Stmt& s, Walker& on) {
    auto* realize = as<SBlockRealizeNode>(s);
    found = found ||
            (realize != nullptr && realize->block->init && ir::used_by(*realize, loop.loop_var.get(), true));
    on.walk_children(s);
  });
  return found;
}

static SRefNode* apply(Step& step, Array<Any> args, bool preserve_unit_iters) {
  // check
  if (args.empty())
    throw refuse(refusals["fuse-without-loops"]).kind("ValueError+ScheduleError").at(step.call.span);
  std::vector<LoopArg> loops;
  for (const Any& arg : args) loops.push_back(step.loop_of(arg, step.span(1), 1));
  for (size_t i = 0; i < loops.size(); ++i) {
    require_plain_loop(loops[i], "fuse");
    if (i == 0) continue;
    const SRefNode& above = *loops[i - 1];
    if (loops[i]->parent != &above) {
      bool nested = is_above(above, *loops[i]) || is_above(*loops[i], above);
      Error error =
          refuse(refusals["fuse-not-nested"], loops[i]->name.c_str(), above.name.c_str()).at(loops[i].span);
      if (!nested) std::move(error).help("loops of one nest can be fused, and these are of two");
      throw error;
    }
    if (!above.loop()->body.same_as(loops[i]->stmt)) {
      throw refuse(refusals["fuse-not-only-child"], loops[i]->name.c_str(), above.name.c_str())
          .at(loops[i].span)
          .note("the outer loop is made here", above.stmt->span);
    }
    if (is_const_int(loops[i]->loop()->extent, 0) && starts_sums(*loops[i]->loop()))
      throw refuse(refusals["fuse-empty-loop"], loops[i]->name.c_str(), above.name.c_str()).at(loops[i].span);
    for (size_t j = 0; j < i; ++j) {
      const VarNode* outer = loops[j]->loop()->loop_var.get();
      if (uses_var(loops[i]->loop()->extent, [&](const VarNode* var) { return var == outer; })) {
        throw refuse(refusals["fuse-dependent-extent"], loops[i]->name.c_str(), loops[j]->name.c_str())
            .at(loops[i].span);
      }
    }
  }

  // apply
  DataType dtype = loops[0]->loop()->loop_var->dtype();
  std::string name;
  int64_t steps = 1;
  for (const LoopArg& loop : loops) {
    name += std::string(loop->name) + "_";
    if (loop->loop()->loop_var->dtype().bits() > dtype.bits()) dtype = loop->loop()->loop_var->dtype();
    if (__builtin_mul_overflow(steps, const_int(loop->loop()->extent).value_or(1), &steps))
      throw refuse(refusals["fuse-too-many-iterations"]).at(loop.span);
  }
  bool widens = dtype.bits() < 64 && steps > *const_int(max_value(dtype));
  if (widens) dtype = DataType::Int(64);
  auto extent_of = [&](const ForNode* loop) { return widens ? cast(dtype, loop->extent) : loop->extent; };
  Expr extent;
  for (const LoopArg& loop : loops)
    extent = extent ? mul(extent, extent_of(loop->loop())) : extent_of(loop->loop());
  Var fused = make_var(String(name + "fused"), dtype);
  Analyzer analyzer;
  extent = analyzer.simplify(extent);
  VarMap values;
  Expr lower = int_imm(dtype, 1);  // the product of the extents inside
  for (size_t i = loops.size(); i-- > 0;) {
    const ForNode* loop = loops[i]->loop();
    bool empty = i > 0 && is_const_int(loop->extent, 0);  // what is inside never runs: it has any index
    Expr upper = empty ? lower : mul(extent_of(loop), lower);
    if (!const_int(upper)) upper = analyzer.simplify(upper);
    Expr digit = empty || is_const_int(loop->extent, 1) ? const_like(fused, 0)
                 : i == 0                               ? Expr(fused)
                                                        : floormod(fused, upper);
    // Loops of different types count in the widest one.
    values[loop->loop_var.get()] = cast(loop->loop_var->dtype(), floordiv(digit, lower));
    lower = upper;
  }
  Stmt body = substitute(loops.back()->loop()->body, values);
  Stmt next = make<ForNode>(fused, Expr(int_imm(dtype, 0)), extent, ForKind::kSerial, body);
  next = with(ref(as<ForNode>(next)), [&](ForNode& copy) { copy.span = loops[0]->stmt->span; });
  next = simplify_bindings(next, loops_above(*loops[0]), preserve_unit_iters);
  step.replace(*loops[0], next);
  return step.sref(next);
}

extern const Primitive fuse;
const Primitive fuse =
    primitive<&apply>("Fuse", "fuse(*loops, preserve_unit_iters=True)", doc, "", "int:preserve_unit_iters");

}  // namespace mlc::transform::primitive_fuse
