// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/jumps.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_unroll_loop {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unroll-extent",
         .message = "cannot unroll the non-constant loop `{}`: its extent is not a constant",
         .meaning = "A loop is written out as often as it runs, which must be known."},
    }};
MLC_REFUSALS(tir_unroll_loop, refusals);

namespace {

constexpr char doc[] =
    R"(UnrollLoop(): loops marked `unrolled`, and small ones under `pragma_auto_unroll_max_step`, are written out.

    for i in T.unroll(2):       =>      A[0] = 0
        A[i] = 0                        A[1] = 0
needs: constant extents of the loops that are marked.
keeps: the order of statements.
Configuration `tirx.UnrollLoop`: auto_max_step (0), auto_max_depth (8), auto_max_extent (0), explicit_unroll (1),
unroll_local_access (0: loops whose variables index local memory are written out); auto_max_extent 1 takes all loops
of one iteration away; a loop counts extent times the stores in it against the first. `pragma_unroll_explicit` 0 leaves the writing
out to the code generator. After vectorization, before the last simplification, which folds the constants.)";

struct Unroll final : Rewriter {
  int64_t max_step, max_depth, max_extent;
  bool explicit_unroll, local_access;
  std::unordered_set<const VarNode*> in_local_indices;
  // Of the statement just rewritten: stores in it, and how deep its loops nest.
  int64_t steps = 0;
  int64_t normal_depth = 0;
  int64_t unrolled_depth = 0;

  explicit Unroll(const PassOptions& options)
      : max_step(options.config_integer("tirx.UnrollLoop", "auto_max_step", 0)),
        max_depth(options.config_integer("tirx.UnrollLoop", "auto_max_depth", 8)),
        max_extent(options.config_integer("tirx.UnrollLoop", "auto_max_extent", 0)),
        explicit_unroll(options.config_integer("tirx.UnrollLoop", "explicit_unroll", 1) != 0),
        local_access(options.config_integer("tirx.UnrollLoop", "unroll_local_access", 0) != 0) {}

  // Registers have no addresses: loops over them have to be written out.
  void note_local_indices(const Stmt& body) {
    if (!local_access) return;
    auto note = [&](const Buffer& buffer, const Array<Expr>& indices) {
      std::string_view scope = text(buffer->buffer()->storage_scope);
      if (scope != "local" && scope != "warp") return;
      for (const Expr& index : indices) {
        for (const Var& var : free_vars(index)) in_local_indices.insert(var.get());
      }
    };
    post_order(
        body,
        [&](const Expr& e) {
          if (auto* load = as<TensorLoadNode>(e)) note(load->source, load->indices);
        },
        [&](const Stmt& s) {
          if (auto* store = as<BufferStoreNode>(s)) note(store->buffer, store->indices);
        });
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* attr = as<AttrStmtNode>(s)) {
      auto value = const_int(attr->value);
      bool sets_step = value && text(attr->attr_key) == "pragma_auto_unroll_max_step";
      bool sets_explicit = value && text(attr->attr_key) == "pragma_unroll_explicit";
      if (!sets_step && !sets_explicit) return rewrite_children(s);
      auto outside = std::pair(max_step, explicit_unroll);
      if (sets_step) max_step = *value;
      if (sets_explicit) explicit_unroll = *value != 0;
      Stmt body = rewrite(attr->body);
      std::tie(max_step, explicit_unroll) = outside;
      return body;
    }
    if (auto* sequence = as<SeqStmtNode>(s)) return unroll_sequence(*sequence);
    if (auto* loop = as<ForNode>(s)) return unroll_loop(*loop);
    if (as<BufferStoreNode>(s) || as<EvaluateNode>(s)) {
      ++steps;
      return s;
    }
    return rewrite_children(s);
  }

 private:
  // Each statement of a sequence is counted alone. Those in the arms of a branch are added up.
  Stmt unroll_sequence(const SeqStmtNode& sequence) {
    Array<Stmt> stmts;
    bool changed = false;
    for (const Stmt& one : sequence.seq) {
      auto [more, deep, unrolled] = std::tuple(steps, normal_depth, unrolled_depth);
      steps = normal_depth = unrolled_depth = 0;
      stmts.push_back(rewrite(one));
      changed |= !stmts.back().same_as(one);
      steps += more;
      normal_depth = std::max(normal_depth, deep);
      unrolled_depth = std::max(unrolled_depth, unrolled);
    }
    return changed ? seq(stmts) : Stmt(ref(&sequence));
  }
  Stmt unroll_loop(const ForNode& loop) {
    Stmt body = rewrite(loop.body);
    auto extent = const_int(loop.extent);
    bool marked = loop.for_kind == ForKind::kUnrolled;
    if (marked && !extent) {
      throw refuse(refusals["unroll-extent"], loop.loop_var->name.c_str()).kind(kRefusedValue).at(loop.span);
    }
    bool small = extent && loop.for_kind == ForKind::kSerial && normal_depth == 0 &&
                 unrolled_depth <= max_depth && (*extent * steps <= max_step || *extent <= max_extent);
    bool trivial = max_extent == 1 && extent && *extent <= 1;  // of any kind and however deep
    bool unroll = marked || trivial || small || (extent && in_local_indices.contains(loop.loop_var.get()));
    if (unroll) {
      steps *= *extent;
      ++unrolled_depth;
    } else {
      ++normal_depth;
    }
    if (unroll && (explicit_unroll || trivial) && !has_own_jump(body)) return write_out(loop, body, *extent);
    return updated(&loop, [&](ForNode& n) {
      n.body = body;
      if (unroll) n.for_kind = ForKind::kUnrolled;
    });
  }
  static Stmt write_out(const ForNode& loop, const Stmt& body, int64_t extent) {
    Array<Stmt> stmts;
    for (int64_t i = 0; i < extent; ++i) {
      Substituter one({{loop.loop_var.get(), add(loop.min, const_like(loop.loop_var, i))}});
      // Every copy after the first binds variables of its own.
      stmts.push_back(i == 0 ? one.rewrite(body) : FreshBinders().rewrite(one.rewrite(body)));
    }
    return seq(stmts);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  Unroll unroll(options);
  unroll.note_local_indices(fn->body);
  return with_body(fn, unroll.rewrite(fn->body));
}

}  // namespace

extern const Pass unroll_loop{"UnrollLoop", "tirx.transform", "UnrollLoop()", doc, apply};

}  // namespace mlc::transform::pass_unroll_loop
