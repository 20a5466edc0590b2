// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/verify_scopes.h"

#include <array>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout_algebra.h"
#include "ir/tir/linear.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "scope-extent-mismatch",
                                            .meaning = "The ids of a device region agree on how many there "
                                                       "are: warps times lanes make the threads of a block."},
                                       }};
MLC_REFUSALS(tir_verify_scopes, refusals);

namespace {

constexpr size_t kBindings = 10;
constexpr std::array<std::string_view, kBindings> names = {
    "cluster_id",    "cta_id",  "cta_id_in_cluster", "warpgroup_id",    "warp_id",
    "warp_id_in_wg", "lane_id", "thread_id",         "thread_id_in_wg", "cta_id_in_pair"};

constexpr ScopeProduct products[] = {
    {ScopeBinding::kKernelCta, ScopeBinding::kKernelCluster, ScopeBinding::kClusterCta},
    {ScopeBinding::kCtaWarp, ScopeBinding::kCtaWarpgroup, ScopeBinding::kWarpgroupWarp},
    {ScopeBinding::kWarpgroupThread, ScopeBinding::kWarpgroupWarp, ScopeBinding::kWarpThread},
    {ScopeBinding::kCtaThread, ScopeBinding::kCtaWarp, ScopeBinding::kWarpThread},
    {ScopeBinding::kCtaThread, ScopeBinding::kCtaWarpgroup, ScopeBinding::kWarpgroupThread},
};

size_t at(ScopeBinding binding) { return static_cast<size_t>(binding); }

std::string shown(const Expr& extent) {
  if (auto value = const_int(extent)) return std::to_string(*value);
  std::string_view text = SourceMap::current().text(extent->span);
  if (auto* var = as<VarNode>(extent)) text = {var->name.data(), var->name.size()};
  return text.empty() ? std::string("another number") : fmt::format("`{}`", text);
}

class ScopeIds final : public Walker {
 public:
  explicit ScopeIds(std::vector<Diagnostic>& found) : found_(found) {}

  void check(const Stmt& region) {
    visit(region);
    if (failed_) return;
    if (has_pair_ && !in_cluster_) {
      report(pair_, "`T.cta_id_in_pair` counts within a cluster, and no id counts the cluster's blocks")
          .help = "add `T.cta_id_in_cluster(...)`";
    }
    derive();
    auto threads = const_int(known_[at(ScopeBinding::kCtaThread)].extent);
    if (!failed_ && threads && *threads <= 0)
      report(known_[at(ScopeBinding::kCtaThread)].span,
             fmt::format("a block of {} threads does nothing", *threads));
  }

  void visit(const Stmt& s) override {
    auto* ids = as<ScopeIdDefStmtNode>(s);
    if (!ids) return walk_children(s);
    auto binding = static_cast<ScopeBinding>(ids->def->scope);
    if (binding == ScopeBinding::kClusterCtaPair) {
      pair_ = s->span;
      has_pair_ = true;
      return;
    }
    if (binding == ScopeBinding::kClusterCta) in_cluster_ = true;
    if (failed_ || ids->def->extents.empty()) return;
    Expr extent = simplify_linear(product(ids->def->extents));
    Known& known = known_[at(binding)];
    if (!known.extent.defined()) {
      known = {extent, s->span};
    } else if (!equal(known.extent, extent)) {
      report(s->span, fmt::format("`T.{}` has {} ids here and {} before", names[at(binding)], shown(extent),
                                  shown(known.extent)))
          .notes.push_back({"the other definition is here", known.span});
    }
  }
  using Walker::visit;
  void visit(const Expr&) override {}

 private:
  struct Known {
    Expr extent;
    Span span;
    bool derived = false;  // from two others
  };

  static bool equal(const Expr& a, const Expr& b) { return a.same_as(b) || constant_difference(a, b) == 0; }

  Diagnostic& report(Span span, std::string message) {
    failed_ = true;
    Diagnostic diagnostic = ir::refuse_as(refusals["scope-extent-mismatch"], "{}", message).at(span).first();
    found_.push_back(std::move(diagnostic));
    return found_.back();
  }

  void derive() {
    for (bool changed = true; changed && !failed_;) {
      changed = false;
      for (const ScopeProduct& rule : products) {
        if (failed_) return;
        changed = apply(rule) || changed;
      }
    }
  }

  // True if the rule made a number known.
  bool apply(const ScopeProduct& rule) {
    Known& whole = known_[at(rule.whole)];
    Known& outer = known_[at(rule.outer)];
    Known& inner = known_[at(rule.inner)];
    if (outer.extent.defined() && inner.extent.defined()) {
      Expr made = simplify_linear(mul(outer.extent, inner.extent));
      if (!whole.extent.defined()) {
        whole = {made, inner.span, true};
        return true;
      }
      if (!equal(whole.extent, made)) {
        Diagnostic& wrong =
            report(whole.span, fmt::format("`T.{}` has {} ids, `T.{}` and `T.{}` make {}",
                                           names[at(rule.whole)], shown(whole.extent), names[at(rule.outer)],
                                           names[at(rule.inner)], shown(made)));
        for (ScopeBinding part : {rule.outer, rule.inner}) {
          const Known& one = known_[at(part)];
          wrong.notes.push_back(
              {fmt::format("{}`T.{}` has {} ids{}", one.derived ? "from this it follows that " : "",
                           names[at(part)], shown(one.extent), one.derived ? "" : " here"),
               one.span});
        }
      }
      return false;
    }
    if (!whole.extent.defined() || (!outer.extent.defined() && !inner.extent.defined())) return false;
    bool has_outer = outer.extent.defined();
    const Known& part = has_outer ? outer : inner;
    Known& rest = has_outer ? inner : outer;
    auto number = const_int(whole.extent);
    auto divisor = const_int(part.extent);
    if (divisor && *divisor <= 0) return false;
    Expr quotient = exact_quotient(whole.extent, part.extent);
    if (quotient) {
      rest = {quotient, part.span, true};
      return true;
    }
    if (number && divisor) {
      report(whole.span,
             fmt::format("`T.{}` has {} ids, which is no multiple of the {} of `T.{}`", names[at(rule.whole)],
                         *number, *divisor, names[at(has_outer ? rule.outer : rule.inner)]))
          .notes.push_back({"these are defined here", part.span});
    }
    return false;
  }

  std::vector<Diagnostic>& found_;
  std::array<Known, kBindings> known_;
  Span pair_;
  bool has_pair_ = false;
  bool in_cluster_ = false;
  bool failed_ = false;
};

}  // namespace

std::span<const ScopeProduct> scope_products() { return products; }
std::string_view name_of(ScopeBinding binding) { return names[at(binding)]; }

void verify_scope_ids(const Stmt& region, std::vector<Diagnostic>& found) { ScopeIds(found).check(region); }

}  // namespace mlc::ir
