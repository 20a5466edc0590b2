// SPDX-License-Identifier: Apache-2.0
// Loops: T.serial, T.grid, T.parallel, T.vectorized, T.unroll, T.thread_binding.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"
#include "ir/tir/simplified.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-loop-dtype",
         .message = "the `dtype` of a loop is \"int32\" or \"uint32\", got `{}`",
         .help = "a loop of another type takes it from its bounds: `range(T.int64(n))`",
         .meaning =
             "The `dtype` of a loop chooses between int32 and uint32. Another type comes from the bounds.",
         .wrong = R"(for i in T.serial(4, dtype="int64"):
    A[i] = 1.0)",
         .right = R"(for i in range(T.int64(4)):
    A[i] = 1.0)"},
        {.name = "bad-unroll",
         .message = "`unroll` must be positive, got {}",
         .meaning = "A loop is unrolled by a positive factor, or by as much as the compiler likes (True).",
         .wrong = R"(for i in T.serial(4, unroll=0):
    A[i] = 1.0)",
         .right = R"(for i in T.serial(4, unroll=2):
    A[i] = 1.0)"},
        {.name = "unknown-thread-axis",
         .message = "there is no thread axis `{}`",
         .meaning = "Threads of a device have axes blockIdx, threadIdx and vthread, each with .x, .y and .z.",
         .wrong = R"(for i in T.thread_binding(4, thread="threadIdx.w"):
    A[i] = 1.0)",
         .right = R"(for i in T.thread_binding(4, thread="threadIdx.x"):
    A[i] = 1.0)"},
    }};
MLC_REFUSALS(tir_rows_loop, refusals);

namespace {

Loop loop_over(const ApiCall& call, Expr start, Expr stop, const Expr& step = {}) {
  return tvmscript::loop_over(std::move(start), std::move(stop), step, call.span,
                              [&](const Expr& e) { return call.host.simplify(e); });
}

ForFrameNode& change(const Ref<ForFrameNode>& frame) { return const_cast<ForFrameNode&>(*frame); }

// (start, stop=None, *, annotations=None, step=None, ...)
Ref<ForFrameNode> simple_loop(ApiCall& call, ir::ForKind kind) {
  auto frame = ir::make<ForFrameNode>();
  ForFrameNode& out = change(frame);
  out.kind = kind;
  auto given = [&](size_t i) { return is_given(call, i) ? integer_arg(call, i) : Expr(); };
  out.loops.push_back(loop_over(call, integer_arg(call, 0), given(1), given(3)));
  out.annotations = attributes_arg(call, 2);
  return frame;
}

void retype(Loop& loop, const Any& dtype, Span span) {
  if (script::is_none(dtype)) return;
  DataType wanted = dtype_from(dtype, span);
  if (!wanted.is_scalar() || wanted.bits() != 32 || !(wanted.is_int() || wanted.is_uint())) {
    throw ir::refuse(refusals["bad-loop-dtype"], wanted.str()).at(span);
  }
  loop.min = ir::cast(wanted, loop.min);
  loop.extent = ir::cast(wanted, loop.extent);
  if (loop.step) loop.step = ir::cast(wanted, loop.step);
}

Any serial(ApiCall& call) {
  Ref<ForFrameNode> frame = simple_loop(call, ir::ForKind::kSerial);
  const Any& unroll = call.args[4];
  if (script::is_bool(unroll)) {
    change(frame).annotations.Set(script::raw_int(unroll) ? "pragma_unroll" : "disable_unroll", true);
  } else if (script::is_int(unroll)) {
    if (script::raw_int(unroll) < 1) {
      throw ir::refuse(refusals["bad-unroll"], script::raw_int(unroll)).at(call.span_of(4));
    }
    change(frame).annotations.Set("pragma_unroll", unroll);
  } else if (!script::is_none(unroll)) {
    ir::wrong_argument(call, 4, "bool or int");
  }
  retype(change(frame).loops[0], call.args[5], call.span_of(5));
  return frame;
}

template <ir::ForKind kind>
Any loop(ApiCall& call) {
  Ref<ForFrameNode> frame = simple_loop(call, kind);
  retype(change(frame).loops[0], call.args[4], call.span_of(4));
  return frame;
}

bool is_thread_tag(std::string_view tag) {
  static constexpr std::string_view stems[] = {"blockIdx.", "threadIdx.", "clusterCtaIdx.",
                                               "preferredClusterCtaIdx.", "vthread."};
  if (tag == "vthread" || tag == "cthread") return true;
  for (std::string_view stem : stems) {
    if (tag.starts_with(stem) && tag.size() == stem.size() + 1 && tag.back() >= 'x' && tag.back() <= 'z')
      return true;
  }
  return false;
}

Any thread_binding(ApiCall& call) {
  // thread_binding(extent, thread) and thread_binding(start, stop, thread): the name decides.
  Any start = call.args[0];
  Any stop = call.args[1];
  Any thread = call.args[2];
  if (script::is_str(stop) && script::is_none(thread)) std::swap(stop, thread);
  if (script::is_str(start) && !script::is_none(stop) && script::is_none(thread)) swapped(call, 0, 1);
  if (!script::is_str(thread)) {
    throw ir::Error("missing-argument", "`T.thread_binding` needs the name of a thread axis")
        .at(call.span)
        .help("write `T.thread_binding(n, thread=\"threadIdx.x\")`");
  }
  std::string_view tag = script::text_of(thread);
  if (!is_thread_tag(tag)) {
    throw ir::refuse(refusals["unknown-thread-axis"], tag)
        .at(call.span_of(2))
        .help(ir::did_you_mean(tag, {"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y",
                                     "threadIdx.z", "vthread.x", "vthread.y", "vthread.z", "vthread"}));
  }
  auto frame = ir::make<ForFrameNode>();
  ForFrameNode& out = change(frame);
  out.kind = ir::ForKind::kThreadBinding;
  out.thread = thread.cast<String>();
  Expr first = script::as_expr(start, call.span_of(0), "a bound of a loop");
  Expr last = script::is_none(stop) ? Expr() : script::as_expr(stop, call.span_of(1), "a bound of a loop");
  out.loops.push_back(loop_over(call, std::move(first), std::move(last)));
  out.annotations = attributes_arg(call, 3);
  return frame;
}

Any grid(ApiCall& call) {
  auto frame = ir::make<ForFrameNode>();
  ForFrameNode& out = change(frame);
  out.is_grid = true;
  for (const Any& extent : script::elements(call.args[0])) {
    Loop loop;
    if (is_list(extent)) {
      auto pair = script::elements(extent);
      if (pair.size() != 2) {
        throw ir::Error("wrong-type", "an extent of `T.grid` is a number or `(start, extent)`")
            .at(call.span)
            .kind("TypeError");
      }
      loop.min = script::as_expr(pair[0], call.span, "a start");
      loop.extent = script::as_expr(pair[1], call.span, "an extent");
      ir::match_types(loop.min, loop.extent, call.span);
    } else {
      constexpr const char* what = "an extent of `T.grid`";
      Expr e = script::as_expr(extent, call.span, what);
      e = integer_of(e, e->span ? e->span : call.span, what);
      loop.min = ir::const_like(e, 0);
      loop.extent = std::move(e);  // as written: only bounds of single loops are simplified
    }
    retype(loop, call.args[1], call.span_of(1));
    out.loops.push_back(std::move(loop));
  }
  if (out.loops.empty())
    throw ir::Error("missing-argument", "`T.grid` needs at least one extent").at(call.span);
  return frame;
}

constexpr ir::ApiRow loop_table[] = {
    {ir::ApiKind::kFunction, kT,
     "serial(start, stop=None, *, annotations=None, step=None, unroll=None, dtype=None)",
     "A loop that runs one iteration after the other.", serial},
    {ir::ApiKind::kFunction, kT, "parallel(start, stop=None, *, annotations=None, step=None, dtype=None)",
     "A loop whose iterations may run at the same time.", loop<ir::ForKind::kParallel>},
    {ir::ApiKind::kFunction, kT, "vectorized(start, stop=None, *, annotations=None, step=None, dtype=None)",
     "A loop that becomes vector instructions.", loop<ir::ForKind::kVectorized>},
    {ir::ApiKind::kFunction, kT, "unroll(start, stop=None, *, annotations=None, step=None, dtype=None)",
     "A loop whose body is repeated in the code.", loop<ir::ForKind::kUnrolled>},
    {ir::ApiKind::kFunction, kT, "thread_binding(start, stop=None, thread=None, *, annotations=None)",
     "A loop whose iterations are threads: `T.thread_binding(n, thread=\"threadIdx.x\")`.", thread_binding},
    {ir::ApiKind::kFunction, kT, "grid(*extents, dtype=None)",
     "A nest of serial loops; an extent may be `(start, extent)`.", grid},
};

}  // namespace

std::span<const ir::ApiRow> loop_rows() { return loop_table; }

}  // namespace mlc::tvmscript
