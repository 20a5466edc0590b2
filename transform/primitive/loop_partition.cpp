// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "transform/schedule/loops.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"
#include "transform/schedule/tensor_intrin.h"

namespace mlc::transform::primitive_loop_partition {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "partition-not-inside",
         .message = "the factors' sum {} leaves nothing of the {} iterations of loop `{}`",
         .help = "the last loop takes what the factors leave",
         .meaning = "The factors are the lengths of the first loops, and each loop must have iterations.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.loop_partition(i, [8, 12]))",
         .right = R"(i, j = sch.get_loops("double")
sch.loop_partition(i, [4, 8]))"},
        {.name = "partition-symbolic-loop",
         .message = "loop `{}` has no constant bounds",
         .help = "the module must say the extent: `specialize` binds sizes",
         .meaning = "Where the parts begin is a number, which must lie inside of the loop.",
         .wrong = R"(@T.prim_func(s_tir=True)
def sized(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n,))
    for i in range(n):
        with T.sblock("set"):
            vi = T.axis.spatial(n, i)
            A[vi] = 0.0


other = tvm.s_tir.Schedule(sized)
other.loop_partition(other.get_loops("set")[0], [4, 8]))",
         .right = R"(i, j = sch.get_loops("double")
sch.loop_partition(i, [4, 8]))"},
        {.name = "partition-several-blocks",
         .message = "loop `{}` holds more than one block and its loops",
         .help = "move the others out, with `compute_at` or `reverse_compute_at`",
         .meaning = "Each part of the loop gets a block of its own, made of the one below the loop.",
         .wrong = R"(a = sch.cache_read("product", 1, "local")
i, j, k = sch.get_loops("product")
sch.compute_at(a, i)
sch.loop_partition(i, [4]))",
         .right = R"(i, j = sch.get_loops("double")
sch.loop_partition(i, [4]))"},
    }};
MLC_REFUSALS(primitive_loop_partition, refusals);

static constexpr char doc[] = R"(
loop_partition(loop, factors, preserve_unit_iters=True) -> loops      Cut a loop into consecutive loops.

    for i in range(128):      =>      with T.sblock("B_i_common"):
        with T.sblock("B"):               with T.sblock("B_i0_partition"):
            ...                               for i0 in range(2):
                                                  with T.sblock("B_i0"): ...
                                          with T.sblock("B_i1_partition"):
                                              for i1 in range(2, 128):
                                                  with T.sblock("B_i1"): ...

`factors` are the loops' numbers of iterations; the last loop takes what is left. One of them may be None: then it takes what
the others leave. Where a reduction is cut, only the first loop's block initialises it. Returns the loops.
needs: a loop of constant bounds without annotation or thread, with one block below; fewer iterations in `factors` than the loop has.
keeps: number and order of block instances.
)";

namespace {

// The ends of the parts after the first `begin`. Errors: partition-*.
std::vector<int64_t> ends_of(Step& step, const LoopArg& loop, int64_t begin, int64_t extent) {
  std::vector<int64_t> sizes;
  std::optional<size_t> inferred;
  int64_t sum = 0;
  std::vector<Any> given = items_of(step.call, 2, step.call.args[2]);
  for (size_t i = 0; i < given.size(); ++i) {
    Any factor = step.evaluate(given[i]);
    if (factor == nullptr) {
      if (inferred) {
        throw refuse(shared_refusals["split-several-inferred"], *inferred, i, loop->name.c_str())
            .at(step.span(2));
      }
      inferred = i;
      sizes.push_back(0);
      continue;
    }
    std::optional<int64_t> size;
    if (factor.type_index() == ffi::TypeIndex::kTVMFFIInt)
      size = factor.cast<int64_t>();
    else if (auto e = ir::try_get<Expr>(factor))
      size = const_int(*e);
    if (!size) wrong_argument(step.call, 2, "a list of int or None");
    if (*size <= 0) {
      throw refuse(shared_refusals["split-factor-not-positive"], i, loop->name.c_str(), *size)
          .at(step.span(2));
    }
    sizes.push_back(*size);
    sum += *size;
  }
  if (given.empty()) {
    throw refuse(shared_refusals["split-without-factors"], loop->name.c_str()).at(step.span(2));
  }
  if (sum >= extent) {
    throw refuse(refusals["partition-not-inside"], sum, extent, loop->name.c_str()).at(step.span(2));
  }
  if (inferred)
    sizes[*inferred] = extent - sum;
  else
    sizes.push_back(extent - sum);
  std::vector<int64_t> ends;
  for (int64_t size : sizes) ends.push_back(begin += size);
  return ends;
}

// The regions of buffers as the domains of the iterators of their accesses, where all of them are at the same
// plain iterators; other regions stay.
class WholeRegions final : public Walker {
 public:
  explicit WholeRegions(const std::unordered_map<const VarNode*, Range>& domains) : domains_(domains) {}
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) note(load->source, load->indices);
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) note(store->buffer, store->indices);
    walk_children(s);
  }
  Array<TensorRegion> relaxed(const Array<TensorRegion>& regions) const {
    Array<TensorRegion> result;
    for (const TensorRegion& region : regions) {
      auto found = found_.find(region->source.get());
      bool whole = found != found_.end() && !found->second.empty();
      result.push_back(whole ? make<TensorRegionNode>(region->source, found->second) : region);
    }
    return result;
  }

 private:
  void note(const Buffer& buffer, const Array<Expr>& indices) {
    Array<Range> ranges;
    for (const Expr& index : indices) {
      auto found = domains_.find(as<VarNode>(index));
      if (found == domains_.end()) return found_[buffer.get()].clear();
      ranges.push_back(found->second);
    }
    auto [at, fresh] = found_.try_emplace(buffer.get(), ranges);
    if (!fresh && !ir::structural_equal(Any(at->second), Any(ranges))) at->second.clear();
  }
  const std::unordered_map<const VarNode*, Range>& domains_;
  std::unordered_map<const VarNode*, Array<Range>> found_;
};

// A block without iterators around a statement.
SBlockRealize opaque_block(const std::string& name, const Stmt& body) {
  SBlock block =
      make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, String(name), body);
  return make<SBlockRealizeNode>(Array<Expr>{}, Expr(bool_imm(true)), block);
}

class Part {
 public:
  Part(const SRefNode& block, const SBlockRealize& realize, const LoopArg& loop)
      : block_(block), realize_(realize), loop_(loop) {}
  // The loop over [begin, end) with a block of that name; all variables are new.
  Stmt made(const std::string& loop_name, int64_t begin, int64_t end, const std::string& block_name) const {
    VarMap loop_vars;
    std::unordered_map<const VarNode*, Range> ranges;  // of the loops around, by new variable
    std::vector<const ForNode*> inner;
    for (SRefNode* sref : loops_above(block_)) {
      const ForNode* loop = sref->loop();
      const VarNode* var = loop->loop_var.get();
      Range range = make<RangeNode>(substitute(loop->min, loop_vars), substitute(loop->extent, loop_vars));
      if (sref == &*loop_) {
        range = make<RangeNode>(const_like(loop->min, begin), const_like(loop->min, end - begin));
        loop_vars[var] = make<VarNode>(String(loop_name), loop->loop_var->ty);
      } else if (is_above(*loop_, *sref)) {
        loop_vars[var] = make<VarNode>(loop->loop_var->name, loop->loop_var->ty);
      }
      if (is_above(*loop_, *sref)) inner.push_back(loop);
      auto renamed = loop_vars.find(var);
      ranges[renamed == loop_vars.end() ? var : as<VarNode>(renamed->second)] = range;
    }
    Array<Expr> values = substitute(realize_->iter_values, loop_vars);
    Stmt body = make<SBlockRealizeNode>(values, substitute(realize_->predicate, loop_vars),
                                        inner_block(values, ranges, loop_vars, loop_name, block_name));
    for (size_t i = inner.size(); i-- > 0;) {
      const ForNode* old = inner[i];
      Var var = ref(as<VarNode>(loop_vars.at(old->loop_var.get())));
      const Range& range = ranges.at(var.get());
      body = with(ref(old), [&](ForNode& copy) {
        copy.loop_var = var;
        copy.min = range->min;
        copy.extent = range->extent;
        copy.body = body;
        if (old == loop_->loop()) copy.for_kind = ForKind::kSerial;
      });
    }
    return body;
  }

 private:
  SBlock inner_block(const Array<Expr>& values, const std::unordered_map<const VarNode*, Range>& ranges,
                     const VarMap& loop_vars, const std::string& loop_name, const std::string& name) const {
    const SBlockNode* old = block_.block();
    bool goes_on = false;    // with what the parts before it have summed up
    bool takes_cut = false;  // an iterator is the cut loop itself
    const VarNode* cut = as<VarNode>(loop_vars.at(loop_->loop()->loop_var.get()));
    VarMap vars = loop_vars;  // a block without iterators uses the loops themselves
    Array<IterVar> iters;
    std::unordered_map<const VarNode*, Range> domains;
    for (size_t i = 0; i < old->iter_vars.size(); ++i) {
      const IterVar& iter = old->iter_vars[i];
      Var var = make<VarNode>(iter->var->name, iter->var->ty);
      vars[iter->var.get()] = var;
      auto found = ranges.find(as<VarNode>(values[i]));
      // A second iterator of the cut loop keeps its domain, as in TVM.
      if (as<VarNode>(values[i]) == cut && std::exchange(takes_cut, true)) found = ranges.end();
      auto of_loop = [&](const Range& range, bool old) {
        auto is = [&](const VarNode* used) {
          return std::any_of(loop_vars.begin(), loop_vars.end(), [&](const auto& each) {
            return (old ? each.first : as<VarNode>(each.second)) == used;
          });
        };
        return uses_var(range->min, is) || uses_var(range->extent, is);
      };
      // Blocks see only their own iterators: a domain that names no loop is unchanged.
      bool depends = found != ranges.end() && of_loop(found->second, false);
      if (depends && !of_loop(iter->dom, true)) found = ranges.end();
      Range domain = found == ranges.end() ? iter->dom : found->second;
      if (!of_loop(domain, false)) domains[var.get()] = domain;
      if (iter->iter_type == IterType::kCommReduce && !domain->min.same_as(iter->dom->min) &&
          const_int(domain->min) != const_int(iter->dom->min))
        goes_on = true;
      iters.push_back(make<IterVarNode>(domain, var, iter->iter_type, iter->thread_tag));
    }
    Stmt fresh = substitute(Stmt(with(ref(old),
                                      [&](SBlockNode& copy) {
                                        copy.iter_vars = {};
                                        if (goes_on) copy.init = {};
                                      })),
                            vars);
    WholeRegions whole(domains);
    whole.visit(as<SBlockNode>(fresh)->body);
    return with(ref(as<SBlockNode>(fresh)), [&](SBlockNode& copy) {
      copy.iter_vars = iters;
      copy.name_hint = String(name);
      copy.body = rewrite_with(copy.body, [&](const Stmt& s, Rewriter& on) -> Stmt {
        Stmt next = on.rewrite_children(s);
        auto* block = as<SBlockNode>(next);
        if (!block) return next;
        return with(ref(block), [&](SBlockNode& copy) {
          copy.name_hint = String(fmt::format("{}_{}", block->name_hint.c_str(), loop_name));
        });
      });
      if (!takes_cut) return;
      copy.reads = whole.relaxed(copy.reads);
      copy.writes = whole.relaxed(copy.writes);
    });
  }

  const SRefNode& block_;
  const SBlockRealize& realize_;
  const LoopArg& loop_;
};

std::vector<SRefNode*> apply(Step& step, LoopArg loop, Any, bool) {
  // check
  const ForNode* old = loop->loop();
  if (!old->annotations.empty() || old->thread_binding) {
    throw(old->thread_binding
              ? refuse_as(shared_refusals["loop-is-bound-to-thread"],
                          "`loop_partition` cannot change loop `{}`, which is bound to a thread",
                          loop->name.c_str())
              : refuse(shared_refusals["loop-has-annotation"], "loop_partition", loop->name.c_str()))
        .at(loop.span);
  }
  auto begin = const_int(old->min), extent = const_int(old->extent);
  if (!begin || !extent) {
    throw refuse(refusals["partition-symbolic-loop"], loop->name.c_str())
        .at(loop.span)
        .note("the loop is made here", old->span);
  }
  std::vector<int64_t> ends = ends_of(step, loop, *begin, *extent);
  std::vector<SRefNode*> blocks = child_blocks(step.state, *loop);
  bool chain = blocks.size() == 1;
  for (SRefNode* up = chain ? blocks[0] : nullptr; up && up != &*loop; up = up->parent)
    chain = chain && up->parent->loop() && !as<SeqStmtNode>(up->parent->loop()->body);
  if (!chain) {
    throw refuse(refusals["partition-several-blocks"], loop->name.c_str())
        .at(loop.span)
        .note("the loop is made here", old->span);
  }

  // apply
  const SRefNode& block = *blocks[0];
  SBlockRealize realize = realize_of(step.state, block);
  Part part(block, realize, loop);
  std::string stem = fmt::format("{}_{}", block.name.c_str(), loop->name.c_str());
  std::vector<Stmt> loops, parts;
  int64_t from = *begin;
  for (size_t i = 0; i < ends.size(); ++i) {
    std::string name = fmt::format("{}{}", stem, i);
    Stmt made = part.made(fmt::format("{}{}", loop->name.c_str(), i), from, ends[i], name);
    // What the block defines inside is defined once in every part.
    if (i > 0) made = renewed(make<PrimFuncNode>(Array<Var>{}, void_type(), made), 32)->body;
    loops.push_back(made);
    parts.push_back(opaque_block(name + "_partition", loops.back()));
    from = ends[i];
  }
  SRefNode& scope = *scope_of(*loop);
  step.replace(*loop, opaque_block(stem + "_common", seq(Array<Stmt>(parts.begin(), parts.end()))));
  compute_flags(step.state, scope);
  std::vector<SRefNode*> result;
  for (const Stmt& each : loops) result.push_back(step.sref(each));
  return result;
}

}  // namespace

extern const Primitive loop_partition;
const Primitive loop_partition =
    primitive<&apply>("LoopPartition", "loop_partition(loop, factors, preserve_unit_iters=True)", doc, "",
                      "*factors,int:preserve_unit_iters");

}  // namespace mlc::transform::primitive_loop_partition
