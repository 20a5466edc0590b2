// SPDX-License-Identifier: Apache-2.0
// Is a block the computation that an intrinsic describes? The same loops, blocks and expressions in the same
// order, over regions anywhere in buffers that may have more dimensions.
#include <algorithm>

#include "ir/core/refusal.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/tensor_intrin.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "tensorize-mismatch",
         .message = "block `{}` does not compute what intrinsic `{}` describes: {}",
         .help = "bring the block to the form of the description, by `split`, `reorder` or `blockize`",
         .meaning = "The implementation computes what the description does, and nothing else."},
    }};
MLC_REFUSALS(schedule_tensor_intrin_match, refusals);

namespace {

class Matcher {
 public:
  IntrinMatch match;
  std::string why;   // the first difference
  Span here, there;  // where it is: in the program, in the description

  bool realize(const SBlockRealizeNode* a, const SBlockRealizeNode* b, bool outermost) {
    if (!outermost && !iterators(a, b)) return false;
    if (!expr(a->predicate, b->predicate)) return differ(a->block, b->block, "the conditions differ");
    return block(a->block.get(), b->block.get(), outermost);
  }

 private:
  bool differ(const Stmt& a, const Stmt& b, std::string text) {
    if (why.empty()) {
      why = std::move(text);
      here = a->span;
      there = b->span;
    }
    return false;
  }

  // Those of one value may be missing on one side: what is cut into blocks loses them.
  bool iterators(const SBlockRealizeNode* a, const SBlockRealizeNode* b) {
    auto not_same = [&](std::string text) { return differ(a->block, b->block, std::move(text)); };
    const Array<IterVar>&mine = a->block->iter_vars, &theirs = b->block->iter_vars;
    auto skipped = [&](const Array<IterVar>& iters, size_t& i) {
      if (i == iters.size() || !is_const_int(iters[i]->dom->extent, 1)) return false;
      analyzer_.bind(iters[i]->var, iters[i]->dom);
      ++i;
      return true;
    };
    for (size_t i = 0, j = 0; i < mine.size() || j < theirs.size();) {
      bool both = i < mine.size() && j < theirs.size();
      if (both && expr(a->iter_values[i], b->iter_values[j])) {
        if (mine[i]->iter_type != theirs[j]->iter_type) {
          return not_same(fmt::format("iterators `{}` and `{}` are of different kinds",
                                      mine[i]->var->name.c_str(), theirs[j]->var->name.c_str()));
        }
        define(mine[i++]->var, theirs[j]->var, theirs[j]->dom);
        ++j;
      } else if (!skipped(theirs, j) && !skipped(mine, i)) {
        return not_same(both ? fmt::format("iterator `{}` is bound to another loop than `{}`",
                                           mine[i]->var->name.c_str(), theirs[j]->var->name.c_str())
                             : "the numbers of block iterators differ");
      }
    }
    return true;
  }

  bool block(const SBlockNode* a, const SBlockNode* b, bool outermost) {
    auto not_same = [&](std::string text) { return differ(ref(a), ref(b), std::move(text)); };
    if (outermost) {
      for (const IterVar& iter : a->iter_vars) analyzer_.bind(iter->var, iter->dom);
    } else {
      if (a->alloc_buffers.size() != b->alloc_buffers.size())
        return not_same("the numbers of allocated buffers differ");
      for (size_t i = 0; i < a->alloc_buffers.size(); ++i)
        if (!buffer(a->alloc_buffers[i], b->alloc_buffers[i])) return not_same(why_buffer_);
    }
    for (auto [mine, theirs, verb] :
         {std::tuple(&a->writes, &b->writes, "writes"), {&a->reads, &b->reads, "reads"}}) {
      if (mine->size() != theirs->size()) {
        return not_same(fmt::format("the block {} {} buffer{}, the description {}: {} and {}", verb,
                                    mine->size(), mine->size() == 1 ? "" : "s", theirs->size(), names(*mine),
                                    names(*theirs)));
      }
      for (size_t i = 0; i < mine->size(); ++i) {
        if (!region((*mine)[i], (*theirs)[i]))
          return not_same(fmt::format("what the block {} differs: {}", verb, why_buffer_));
      }
    }
    return stmt(a->body, b->body);
  }

  static std::string names(const Array<TensorRegion>& regions) {
    std::string list;
    for (const TensorRegion& region : regions)
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", region->source->name.c_str());
    return list.empty() ? "nothing" : list;
  }

  // What a loop of one iteration holds, unless the other side has it too.
  Stmt without_unit_loop(const Stmt& s, const Stmt& other) {
    auto *loop = as<ForNode>(s), *peer = as<ForNode>(other);
    bool plain = loop && is_const_int(loop->extent, 1) && loop->for_kind == ForKind::kSerial &&
                 loop->annotations.empty();
    if (!plain || (peer && is_const_int(peer->extent, 1))) return s;
    analyzer_.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    return loop->body;
  }

  bool stmt(const Stmt& a, const Stmt& b) {
    if (Stmt inner = without_unit_loop(b, a); !inner.same_as(b)) return stmt(a, inner);
    if (Stmt inner = without_unit_loop(a, b); !inner.same_as(a)) return stmt(inner, b);
    if (a->kind != b->kind) return differ(a, b, "the statements are of different kinds");
    switch (a->kind) {
      case StmtKind::kFor: {
        auto *x = as<ForNode>(a), *y = as<ForNode>(b);
        define(x->loop_var, y->loop_var, make<RangeNode>(y->min, y->extent));
        auto loops = [&](const char* what) {
          return differ(a, b,
                        fmt::format("loops `{}` and `{}` have different {}", x->loop_var->name.c_str(),
                                    y->loop_var->name.c_str(), what));
        };
        if (!expr(x->min, y->min) || !expr(x->extent, y->extent)) return loops("ranges");
        if (x->for_kind != y->for_kind) return loops("kinds");
        if (static_cast<bool>(x->thread_binding) != static_cast<bool>(y->thread_binding) ||
            (x->thread_binding && x->thread_binding->thread_tag != y->thread_binding->thread_tag)) {
          return loops("threads");
        }
        if (!structural_equal(x->annotations, y->annotations)) return loops("annotations");
        return stmt(x->body, y->body);
      }
      case StmtKind::kSeqStmt: {
        auto *x = as<SeqStmtNode>(a), *y = as<SeqStmtNode>(b);
        if (x->seq.size() != y->seq.size()) return differ(a, b, "the numbers of statements differ");
        for (size_t i = 0; i < x->seq.size(); ++i)
          if (!stmt(x->seq[i], y->seq[i])) return false;
        return true;
      }
      case StmtKind::kBufferStore: {
        auto *x = as<BufferStoreNode>(a), *y = as<BufferStoreNode>(b);
        if (!access(x->buffer, x->indices, y->buffer, y->indices)) return differ(a, b, why_buffer_);
        return expr(x->value, y->value) || differ(a, b, "the values stored differ");
      }
      case StmtKind::kSBlockRealize:
        return realize(as<SBlockRealizeNode>(a), as<SBlockRealizeNode>(b), false);
      case StmtKind::kEvaluate:
        return expr(as<EvaluateNode>(a)->value, as<EvaluateNode>(b)->value) ||
               differ(a, b, "the expressions differ");
      default:
        return structural_equal(a, b) || differ(a, b, "the statements differ");
    }
  }

  bool expr(const Expr& a, const Expr& b) {
    if (a.same_as(b)) return true;
    if (a->kind != b->kind) return false;
    if (auto* two = as_binary(a)) return expr(two->a, as_binary(b)->a) && expr(two->b, as_binary(b)->b);
    switch (a->kind) {
      case ExprKind::kVar: {
        auto found = same_.find(as<VarNode>(a));
        return found != same_.end() && found->second == as<VarNode>(b);
      }
      case ExprKind::kIntImm:
        return a->dtype().code() == b->dtype().code() && const_int(a) == const_int(b);
      case ExprKind::kCast:
        return a->dtype() == b->dtype() && expr(as<CastNode>(a)->value, as<CastNode>(b)->value);
      case ExprKind::kSelect: {
        auto *x = as<SelectNode>(a), *y = as<SelectNode>(b);
        return expr(x->condition, y->condition) && expr(x->true_value, y->true_value) &&
               expr(x->false_value, y->false_value);
      }
      case ExprKind::kTensorLoad: {
        auto *x = as<TensorLoadNode>(a), *y = as<TensorLoadNode>(b);
        return access(x->source, x->indices, y->source, y->indices);
      }
      case ExprKind::kCall: {
        auto *x = as<CallNode>(a), *y = as<CallNode>(b);
        if (!structural_equal(x->op, y->op) || x->args.size() != y->args.size()) return false;
        for (size_t i = 0; i < x->args.size(); ++i)
          if (!expr(x->args[i], y->args[i])) return false;
        return true;
      }
      default:
        return structural_equal(a, b);
    }
  }

  void define(const Var& a, const Var& b, const Range& values) {
    same_[a.get()] = b.get();
    // So that differences of indices lose their loop variables, also where one has `v` and the other `v %
    // 8`.
    analyzer_.bind(b, values);
    analyzer_.bind(a, cast(a->dtype(), Expr(b)));
  }

  bool buffer(const Buffer& a, const Buffer& b) {
    auto [known, fresh] = match.buffers.try_emplace(b.get(), a);
    const BufferTypeNode *x = a->buffer(), *y = b->buffer();
    if (!fresh) {
      if (known->second.same_as(a)) return true;
      why_buffer_ = fmt::format("`{}` is `{}` elsewhere, not `{}`", b->name.c_str(),
                                known->second->name.c_str(), a->name.c_str());
      return false;
    }
    if (DataType(x->dtype) != DataType(y->dtype)) {
      why_buffer_ = fmt::format("`{}` holds {}, `{}` holds {}", a->name.c_str(), DataType(x->dtype).str(),
                                b->name.c_str(), DataType(y->dtype).str());
      return false;
    }
    if (scope_of(x) != scope_of(y)) {
      why_buffer_ = fmt::format("`{}` is in `{}` memory, `{}` in `{}`", a->name.c_str(), scope_of(x),
                                b->name.c_str(), scope_of(y));
      return false;
    }
    return true;
  }
  static std::string scope_of(const BufferTypeNode* type) {
    return type->storage_scope.empty() ? "global" : std::string(type->storage_scope);
  }

  // Leading dimensions that the description does not have are points.
  bool points(const Buffer& a, const std::vector<Expr>& mine, const std::vector<Expr>& theirs,
              bool first_is_min) {
    std::vector<Expr>& base = match.first_points[a.get()];
    size_t offset = mine.size() - theirs.size();
    bool fresh = base.empty();
    for (size_t i = 0; i < mine.size(); ++i) {
      Expr point = i < offset || (fresh && first_is_min)
                       ? mine[i]
                       : analyzer_.simplify(sub(mine[i], cast(mine[i]->dtype(), theirs[i - offset])));
      if (fresh) {
        base.push_back(point);
      } else if (!analyzer_.can_prove_equal(base[i], point)) {
        why_buffer_ = fmt::format("index {} of `{}` runs differently", i, a->name.c_str());
        return false;
      }
    }
    return true;
  }
  bool fewer_dimensions(const Buffer& a, size_t mine, size_t theirs) {
    if (mine >= theirs) return true;
    why_buffer_ = fmt::format("`{}` has {} dimensions, the description {}", a->name.c_str(), mine, theirs);
    return false;
  }

  bool access(const Buffer& a, const Array<Expr>& mine, const Buffer& b, const Array<Expr>& theirs) {
    if (!buffer(a, b) || !fewer_dimensions(a, mine.size(), theirs.size())) return false;
    return points(a, {mine.begin(), mine.end()}, {theirs.begin(), theirs.end()}, false);
  }

  bool region(const TensorRegion& a, const TensorRegion& b) {
    if (!buffer(a->source, b->source)) return false;
    if (!fewer_dimensions(a->source, a->region.size(), b->region.size())) return false;
    size_t offset = a->region.size() - b->region.size();
    std::vector<Expr> mine, theirs;
    for (size_t i = 0; i < a->region.size(); ++i) {
      mine.push_back(a->region[i]->min);
      Expr wanted = i < offset ? Expr(const_like(a->region[i]->extent, 1)) : b->region[i - offset]->extent;
      if (i >= offset) theirs.push_back(b->region[i - offset]->min);
      if (analyzer_.can_prove_equal(a->region[i]->extent, cast(a->region[i]->extent->dtype(), wanted)))
        continue;
      why_buffer_ =
          fmt::format("dimension {} of the part of `{}` has another extent", i, a->source->name.c_str());
      return false;
    }
    return points(a->source, mine, theirs, true);
  }

  std::unordered_map<const VarNode*, const VarNode*> same_;
  Analyzer analyzer_;
  std::string why_buffer_;
};

}  // namespace

IntrinMatch match_intrinsic(const SBlockRealize& realize, const TensorIntrin& intrin, const std::string& name,
                            Span span) {
  Matcher matcher;
  if (matcher.realize(realize.get(), only_block(intrin->desc), true)) return matcher.match;
  Error error =
      refuse(refusals["tensorize-mismatch"], realize->block->name_hint.c_str(), name, matcher.why).at(span);
  auto with_notes = [&]() -> Error {
    if (!matcher.there) return error;
    return Error(error)
        .note("this in the program", matcher.here)
        .note("does not match this of the description", matcher.there);
  };
  throw with_notes().help(
      "loops, iterators, regions and their order must be the same; blockize and print the block to compare");
}

}  // namespace mlc::transform
