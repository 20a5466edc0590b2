// SPDX-License-Identifier: Apache-2.0
#include "ir/core/span.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_check_bounds {
namespace {

constexpr char doc[] = R"(CheckBounds(): every index of a load or store is looked at when it is used.

    B[i] = A[i + 1]         =>      B[T.check_index(i, 8, "dimension 0 of `B`")] =
                                        A[T.check_index(i + 1, 8, "dimension 0 of `A`, at shift.mlc:9:16")]
needs: buffers with the dimensions that the program gave them: it runs before FlattenBuffer.
keeps: the value of a program that stays inside of its buffers; any other stops with an IndexError.
Indices that are constants within a constant extent stay as they are. Of a vector the first lane that is outside stops
the program; of T.masked_load and T.masked_store those count that the mask has. Vector loops become serial ones, so that
the lanes before have done their work. What the right side of `and`, `or`, or an arm of Select reads is looked at only when it is evaluated.)";

struct Check final : Rewriter {
  using Rewriter::rewrite;
  bool checked = false;  // anything, since the flag was last read

  // `mask`: of the lanes that count; null for all.
  Array<Expr> indices(const Buffer& buffer, const Array<Expr>& given, Span span, const Expr& mask = nullptr) {
    const BufferTypeNode* type = buffer->buffer();
    if (type == nullptr || type->shape.size() != given.size()) return given;
    Array<Expr> out;
    for (size_t d = 0; d < given.size(); ++d) {
      auto at = static_cast<int64_t>(d);
      out.push_back(index(buffer, given[at], type->shape[at], d, span, mask));
    }
    return out;
  }

  static bool is_inside(const Expr& index, const Expr& extent) {
    auto known = const_int(index), size = const_int(extent);
    if (known && size) return *known >= 0 && *known < *size;
    auto* ramp = as<RampNode>(index);
    if (!ramp || index->dtype().is_scalable()) return false;
    auto stride = const_int(ramp->stride);
    known = const_int(ramp->base);
    if (!known || !stride || !size) return false;
    int64_t last = 0;
    bool far = __builtin_mul_overflow(*stride, index->dtype().lanes() - 1, &last) ||
               __builtin_add_overflow(last, *known, &last);
    return !far && *known >= 0 && *known < *size && last >= 0 && last < *size;
  }

  Expr index(const Buffer& buffer, const Expr& index, const Expr& extent, size_t dimension, Span span,
             const Expr& mask) {
    if (is_inside(index, extent)) return index;
    std::string where = SourceMap::current().describe(span ? span : index->span);
    std::string what = fmt::format("dimension {} of `{}`{}{}", dimension, text(buffer->name),
                                   where.empty() ? "" : ", at ", where);
    checked = true;
    Array<Expr> args{index, cast(index->dtype().element(), extent), make<StringImmNode>(String(what))};
    if (mask) args.push_back(mask);
    return call_op(index->dtype(), "tirx.check_index", args, index->span);
  }

  // A masked load, whose indices begin at argument 1, or a store, where it is argument 2.
  Expr masked(const CallNode& call, size_t first_index) {
    auto* buffer = as<VarNode>(call.args[0]);
    Array<Expr> args, given;
    for (size_t i = 0; i < call.args.size(); ++i) {
      Expr arg = rewrite(call.args[static_cast<int64_t>(i)]);
      if (i + 1 == call.args.size() && buffer && buffer->buffer()) {
        for (const Expr& one : indices(ref(buffer), given, call.span, arg)) args.push_back(one);
      }
      (i < first_index || i + 1 == call.args.size() ? args : given).push_back(arg);
    }
    return with(ref(&call), [&](CallNode& n) { n.args = args; });
  }

  // As rewrite(e); returns whether something in it is checked.
  std::pair<Expr, bool> rewrite_and_tell(const Expr& e) {
    bool before = std::exchange(checked, false);
    Expr out = rewrite(e);
    bool found = std::exchange(checked, checked || before);
    return {out, found};
  }

  Expr rewrite(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      Expr next = rewrite_children(e);
      auto* inner = as<TensorLoadNode>(next);
      auto* source = as<VarNode>(load->source);
      if (source == nullptr || source->buffer() == nullptr) return next;
      Array<Expr> all = indices(ref(source), inner->indices, e->span);
      return Expr(with(ref(inner), [&](TensorLoadNode& n) { n.indices = all; }));
    }
    if (auto* load = as_call_to(e, "tirx.masked_load")) return masked(*load, 1);
    if (auto* store = as_call_to(e, "tirx.masked_store")) return masked(*store, 2);
    auto* both = as_binary(e);
    if (both && (both->kind == ExprKind::kAnd || both->kind == ExprKind::kOr) && e->dtype().is_scalar()) {
      Expr a = rewrite(both->a);
      auto [b, found] = rewrite_and_tell(both->b);
      if (found) {
        bool is_and = both->kind == ExprKind::kAnd;
        return call_op(e->dtype(), "tirx.if_then_else",
                       {a, is_and ? b : bool_imm(true), is_and ? bool_imm(false) : b}, e->span);
      }
    }
    return rewrite_children(e);
  }

  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s); loop && loop->for_kind == ForKind::kVectorized) {
      Stmt next = rewrite_children(s);
      return Stmt(with(ref(as<ForNode>(next)), [](ForNode& n) { n.for_kind = ForKind::kSerial; }));
    }
    Stmt next = rewrite_children(s);
    auto* store = as<BufferStoreNode>(next);
    if (!store) return next;
    Array<Expr> all = indices(store->buffer, store->indices, s->span);
    return Stmt(with(ref(store), [&](BufferStoreNode& n) { n.indices = all; }));
  }
};

}  // namespace

extern const Pass check_bounds{"CheckBounds", "tirx.transform", "CheckBounds()", doc, rewritten_by<Check>};

}  // namespace mlc::transform::pass_check_bounds
