// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(RenormalizeSplitPattern(): divisions move inward, so that indices of split loops are seen again.

    (i * 64 + j) // 16      =>      i * 4 + j // 16
    (i * 16 + j) // 32      =>      (i + j // 16) // 2
    i % 32 // 4             =>      i // 4 % 8
    i * 4 + j < 64          =>      (i + j // 4) // 16 < 1
needs: nothing.
keeps: every value; all constants involved are positive, and divide each other as written.
After unrolling, before the last simplification, which compares such terms.)";

// The algebra, with c1, c2 > 0:
//   (x * c1 + y) // c2 = x * (c1 / c2) + y // c2             when c2 divides c1
//   (x * c1 + y) // c2 = (x + y // c1) // (c2 / c1)          when c1 divides c2
//   x % c1 // c2       = x // c2 % (c1 / c2)                 when c2 divides c1
//   (x * c1 + y) * c2  = x * (c1 * c2) + y * c2
//   x < c              = x // c < 1
struct Renormalize final : Rewriter {
  // x * c + rest, with a product in the first place.
  struct Split {
    Expr x;
    int64_t scale;
    Expr rest;
  };
  static std::optional<Split> split(const Expr& e) {
    auto* sum = as<AddNode>(e);
    if (!sum) return std::nullopt;
    if (auto* product = as<MulNode>(sum->a)) {
      auto scale = const_int(product->b);
      if (scale && *scale > 0) return Split{product->a, *scale, sum->b};
    }
    auto* inner = as<AddNode>(sum->a);
    auto* product = inner ? as<MulNode>(inner->a) : nullptr;
    auto scale = product ? const_int(product->b) : std::nullopt;
    if (scale && *scale > 0) return Split{product->a, *scale, add(inner->b, sum->b)};
    return std::nullopt;
  }
  static Expr times(const Expr& e, int64_t c) { return mul(e, const_like(e, c)); }
  static Expr divided(const Expr& e, int64_t c) { return divide(floordiv(e, const_like(e, c))); }

  // One level of a division; its operands are in order.
  static Expr divide(const Expr& e) {
    auto* division = as<FloorDivNode>(e);
    auto divisor = division ? const_int(division->b) : std::nullopt;
    if (!divisor || *divisor <= 0 || !e->dtype().is_int() || e->dtype().is_vector()) return e;
    if (auto* remainder = as<FloorModNode>(division->a)) {
      auto modulus = const_int(remainder->b);
      if (!modulus || *modulus <= 0 || *modulus % *divisor != 0) return e;
      return floormod(divided(remainder->a, *divisor), const_like(e, *modulus / *divisor));
    }
    auto parts = split(division->a);
    if (!parts) return e;
    if (parts->scale % *divisor == 0)
      return add(times(parts->x, parts->scale / *divisor), divided(parts->rest, *divisor));
    if (*divisor % parts->scale == 0)
      return divided(add(parts->x, divided(parts->rest, parts->scale)), *divisor / parts->scale);
    return e;
  }
  static Expr multiply(const Expr& e) {
    auto* product = as<MulNode>(e);
    auto factor = product ? const_int(product->b) : std::nullopt;
    auto* sum = factor && *factor > 0 && !e->dtype().is_vector() ? as<AddNode>(product->a) : nullptr;
    auto* inner = sum ? as<MulNode>(sum->a) : nullptr;
    auto scale = inner ? const_int(inner->b) : std::nullopt;
    if (!scale) return e;
    return add(times(inner->a, *scale * *factor), times(sum->b, *factor));
  }
  static Expr less(const Expr& e) {
    auto* comparison = as<LTNode>(e);
    auto bound = comparison ? const_int(comparison->b) : std::nullopt;
    if (!bound || *bound <= 1 || !comparison->a->dtype().is_int() || comparison->a->dtype().is_vector())
      return e;
    return lt(divided(comparison->a, *bound), const_like(comparison->a, 1));
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* greater = as<GTNode>(e)) {
      return less(lt(rewrite(greater->b), rewrite(greater->a)));
    }
    if (auto* at_least = as<GENode>(e)) {
      Expr a = rewrite(at_least->a), b = rewrite(at_least->b);
      Expr below = less(lt(a, b));
      if (auto* op = as<LTNode>(below)) return le(op->b, op->a);
      return logical_not(below);
    }
    Expr next = rewrite_children(e);
    switch (next->kind) {
      case ExprKind::kFloorDiv:
        return divide(next);
      case ExprKind::kMul:
        return multiply(next);
      case ExprKind::kLT:
        return less(next);
      default:
        return next;
    }
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, Renormalize().rewrite(fn->body));
}

}  // namespace

extern const Pass renormalize_split_pattern{"RenormalizeSplitPattern", "s_tir.transform",
                                            "RenormalizeSplitPattern()", doc, apply};

}  // namespace mlc::transform
