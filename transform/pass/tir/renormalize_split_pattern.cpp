// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "transform/arith/analyzer.h"
#include "transform/pass/fold_constant_branches.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_renormalize_split_pattern {
namespace {

constexpr char doc[] =
    R"(RenormalizeSplitPattern(): divisions move inward, so that indices of split loops are seen again.

    (i * 64 + j) // 16      =>      i * 4 + j // 16
    (i * 16 + j) // 100     =>      (i * 4 + j // 4) // 25
    i % 32 // 4             =>      i // 4 % 8
    i * 4 + j < 64          =>      (i + j // 4) // 16 < 1
needs: nothing.
keeps: every value; all constants involved are positive.
After unrolling, before the last simplification, which compares such terms.)";

// The algebra, with c1, c2, c3 > 0:
//   (x * (c1 * c3) + y) // (c2 * c3) = (x * c1 + y // c3) // c2
//   x % (c1 * c2) // c2              = x // c2 % c1
//   x < c                            = x // c < 1
//   x <= y                           = not y < x, where that becomes a comparison again
struct Renormalize final : Rewriter {
  // What a rule makes is rewritten again, to this depth.
  static constexpr int kMaxDepth = 5;
  int depth = 0;

  Expr again(const Expr& e) {
    if (depth >= kMaxDepth) return e;
    ++depth;
    Expr result = rewrite(e);
    --depth;
    return result;
  }

  // x * scale + rest, with the product first.
  struct Split {
    Expr x;
    int64_t scale;
    Expr rest;
  };
  static std::optional<Split> product_first(const Expr& sum, const Expr& rest) {
    auto* product = as<MulNode>(sum);
    auto scale = product ? const_int(product->b) : std::nullopt;
    if (!scale || *scale <= 0) return std::nullopt;
    return Split{product->a, *scale, rest};
  }
  static std::optional<Split> shared_factor(const Expr& e, int64_t divisor) {
    auto* sum = as<AddNode>(e);
    if (!sum) return std::nullopt;
    auto parts = product_first(sum->a, sum->b);
    if (parts && std::gcd(parts->scale, divisor) > 1) return parts;
    auto* inner = as<AddNode>(sum->a);
    if (!inner) return std::nullopt;
    parts = product_first(inner->a, add(inner->b, sum->b));
    return parts && std::gcd(parts->scale, divisor) > 1 ? parts : std::nullopt;
  }

  // A division whose operands are in order. Others than of 32 and 64 bits with a sign stay, as in TVM.
  Expr divide(const Expr& e) {
    DataType type = e->dtype();
    if (!type.is_int() || (type.bits() != 32 && type.bits() != 64)) return e;
    auto* division = as<FloorDivNode>(e);
    auto divisor = division ? const_int(division->b) : std::nullopt;
    if (!divisor || *divisor <= 0) return e;
    if (auto* remainder = as<FloorModNode>(division->a)) {
      auto modulus = const_int(remainder->b);
      if (modulus && *modulus > 0 && *modulus % *divisor == 0)
        return again(floormod(floordiv(remainder->a, division->b), const_like(e, *modulus / *divisor)));
    }
    auto parts = shared_factor(division->a, *divisor);
    if (!parts) return e;
    int64_t factor = std::gcd(parts->scale, *divisor);
    Expr whole = mul(parts->x, const_like(parts->x, parts->scale / factor));
    Expr rest = floordiv(parts->rest, const_like(parts->rest, factor));
    return again(floordiv(add(whole, rest), const_like(e, *divisor / factor)));
  }
  Expr less(const Expr& a, const Expr& b) {
    auto bound = as<IntImmNode>(b) ? const_int(b) : std::nullopt;
    if (!bound || *bound <= 0) return lt(a, b);
    return again(lt(floordiv(a, b), const_like(a, 1)));
  }
  static Expr negated(const Expr& e) {
    if (auto* inner = as<NotNode>(e)) return inner->a;
    auto* op = as_binary(e);
    switch (e->kind) {
      case ExprKind::kLE:
      case ExprKind::kGT:
        return e->kind == ExprKind::kLE ? lt(op->b, op->a) : le(op->a, op->b);
      case ExprKind::kGE:
        return lt(op->a, op->b);
      case ExprKind::kLT:
        return le(op->b, op->a);
      default:
        return logical_not(e);
    }
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    switch (e->kind) {
      case ExprKind::kFloorDiv: {
        auto* op = as_binary(e);
        return divide(floordiv(rewrite(op->a), rewrite(op->b)));
      }
      case ExprKind::kLT:
        return less(rewrite(as_binary(e)->a), rewrite(as_binary(e)->b));
      case ExprKind::kGT:
        return rewrite(lt(as_binary(e)->b, as_binary(e)->a));
      case ExprKind::kLE:
        return rewrite(logical_not(lt(as_binary(e)->b, as_binary(e)->a)));
      case ExprKind::kGE:
        return rewrite(logical_not(lt(as_binary(e)->a, as_binary(e)->b)));
      case ExprKind::kNot: {
        Expr inside = rewrite(as<NotNode>(e)->a);
        return as<IntImmNode>(inside) ? rewrite_children(e) : negated(inside);  // folded by what comes after
      }
      default:
        break;
    }
    return fold_constant_branch(rewrite_children(e));
  }
  Stmt rewrite(const Stmt& s) override { return fold_constant_branch(rewrite_children(s)); }
};

}  // namespace

extern const Pass renormalize_split_pattern{"RenormalizeSplitPattern", "s_tir.transform",
                                            "RenormalizeSplitPattern()", doc, rewritten_by<Renormalize>};

}  // namespace mlc::transform::pass_renormalize_split_pattern
