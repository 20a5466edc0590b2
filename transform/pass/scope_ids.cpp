// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/scope_ids.h"

#include "ir/tir/layout_algebra.h"
#include "ir/tir/verify_scopes.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "scope-extent-unknown",
         .message = "nothing says how many ids `T.{}` has",
         .help = "give the extent, or those of the scopes around and below, whose quotient it is"},
        {.name = "no-threads-launched",
         .message = "the kernel does not say how many threads a block has",
         .help = "declare them: `T.thread_id([128])`"},
    }};
MLC_REFUSALS(pass_scope_ids, refusals);

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kWarpsOfGroup = 4;

void check(const Stmt& body) {
  std::vector<Diagnostic> found;
  verify_scope_ids(body, found);
  if (!found.empty()) throw Error(std::move(found)).kind("InternalError");
}

}  // namespace

ScopeIds::ScopeIds(const Stmt& body) {
  check(body);
  gather(body);
  close();
  // As in TVM: clusters first, then the first dimensions, then the others.
  for (bool preferred : {false, true})
    launch_dimensions(ScopeBinding::kClusterCta, preferred ? "preferredClusterCtaIdx" : "clusterCtaIdx",
                      preferred, 0, 3);
  launch_dimensions(ScopeBinding::kKernelCta, "blockIdx", false, 0, 1);
  launch_dimensions(ScopeBinding::kCtaThread, "threadIdx", false, 0, 1);
  launch_dimensions(ScopeBinding::kKernelCta, "blockIdx", false, 1, 3);
  launch_dimensions(ScopeBinding::kCtaThread, "threadIdx", false, 1, 3);
  if (!find("threadIdx.x")) throw refuse(refusals["no-threads-launched"]).at(body->span);
  warp_ = make_var("warp_id_in_cta", DataType::Int(32));
}

void ScopeIds::learn_from(const Stmt& body) {
  check(body);
  gather(body);
  close();
}

void ScopeIds::gather(const Stmt& body) {
  post_order(body, nullptr, [&](const Stmt& s) {
    auto* ids = as<ScopeIdDefStmtNode>(s);
    if (!ids) return;
    auto binding = static_cast<ScopeBinding>(ids->def->scope);
    if (ids->def->extents.empty()) return;
    learn(binding, product(ids->def->extents));
    Known& known = known_[binding];
    if (known.extents.empty()) known.extents = ids->def->extents;
    if (known.preferred.empty()) known.preferred = ids->def->preferred_extents;
  });
}

bool ScopeIds::learn(ScopeBinding binding, const Expr& fused) {
  auto [at, added] = known_.try_emplace(binding);
  if (added) at->second.fused = fused;
  return added;
}

void ScopeIds::close() {
  auto quotient = [&](ScopeBinding part, const Expr& whole, const Expr& by) {
    return !extent(part) && learn(part, analyzer_.simplify(floordiv(whole, by)));
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (const ScopeProduct& rule : scope_products()) {
      Expr whole = extent(rule.whole), outer = extent(rule.outer), inner = extent(rule.inner);
      if (outer && inner && !whole) grows |= learn(rule.whole, analyzer_.simplify(mul(outer, inner)));
      if (whole && outer) grows |= quotient(rule.inner, whole, outer);
      if (whole && inner) grows |= quotient(rule.outer, whole, inner);
    }
  }
}

Expr ScopeIds::extent(ScopeBinding binding) const {
  auto found = known_.find(binding);
  return found == known_.end() ? Expr(nullptr) : found->second.fused;
}

IterVar ScopeIds::find(std::string_view tag) const {
  for (const IterVar& one : launched_) {
    if (text(one->thread_tag) == tag) return one;
  }
  return nullptr;
}

IterVar ScopeIds::warp() const {
  Expr count = extent(ScopeBinding::kCtaWarp);
  if (!count) count = floordiv(extent(ScopeBinding::kCtaThread), int32(kWarpSize));
  return make<IterVarNode>(make<RangeNode>(int32(0), count), warp_, IterType::kThreadIndex,
                           String("warp_id_in_cta"));
}

void ScopeIds::launch_dimensions(ScopeBinding binding, std::string_view tag, bool preferred, size_t from,
                                 size_t to) {
  auto found = known_.find(binding);
  if (found == known_.end()) return;
  const Known& known = found->second;
  Array<Expr> extents = preferred ? known.preferred : known.extents;
  if (extents.empty() && !preferred) extents = {known.fused};
  for (size_t d = from; d < std::min(to, extents.size()); ++d) {
    std::string axis = fmt::format("{}.{}", tag, "xyz"[d]);
    Var var = make_var(String(fmt::format("{}_{}", tag, "xyz"[d])), extents[d]->dtype());
    Range range = make<RangeNode>(const_like(extents[d], 0), extents[d]);
    launched_.push_back(make<IterVarNode>(range, var, IterType::kThreadIndex, String(axis)));
  }
}

// The number of the thread in its block.
Expr ScopeIds::thread() const {
  Expr number = find("threadIdx.x")->var;
  Expr before;
  for (char d : {'x', 'y', 'z'}) {
    IterVar axis = find(fmt::format("threadIdx.{}", d));
    if (!axis) break;
    if (before) {
      Expr part = axis->var;
      for (char inner = 'x'; inner < d; ++inner)
        part = mul(part, find(fmt::format("threadIdx.{}", inner))->dom->extent);
      number = add(number, part);
    }
    before = axis->dom->extent;
  }
  return number;
}

Expr ScopeIds::coordinate(ScopeBinding binding, size_t dimension) const {
  auto launched = [&](std::string_view tag) -> Expr {
    IterVar axis = find(fmt::format("{}.{}", tag, "xyz"[dimension]));
    return axis ? Expr(axis->var) : Expr(nullptr);
  };
  switch (binding) {
    case ScopeBinding::kKernelCluster:
      return call_op(DataType::Int(32), "tirx.cuda.mov_sreg",
                     {int32(32), make<StringImmNode>(String(fmt::format("clusterid.{}", "xyz"[dimension])))});
    case ScopeBinding::kKernelCta:
      return launched("blockIdx");
    case ScopeBinding::kClusterCta:
      return launched("clusterCtaIdx");
    case ScopeBinding::kCtaWarpgroup:
      return floordiv(warp_, int32(kWarpsOfGroup));
    case ScopeBinding::kCtaWarp:
      return warp_;
    case ScopeBinding::kWarpgroupWarp:
      return floormod(warp_, int32(kWarpsOfGroup));
    case ScopeBinding::kWarpThread:
      return floormod(thread(), int32(kWarpSize));
    case ScopeBinding::kCtaThread:
      return launched("threadIdx");
    case ScopeBinding::kWarpgroupThread:
      return floormod(thread(), int32(kWarpsOfGroup * kWarpSize));
    case ScopeBinding::kClusterCtaPair:
      return floormod(launched("clusterCtaIdx"), int32(2));
  }
  return nullptr;
}

Stmt ScopeIds::launch(const Stmt& body) const {
  Array<Stmt> stmts{nullptr};
  Array<Stmt> unnamed;  // an id without a name is a statement of its own
  Stmt rest = rewrite_with(body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* ids = as<ScopeIdDefStmtNode>(s);
    if (!ids) return on.rewrite_children(s);
    auto binding = static_cast<ScopeBinding>(ids->def->scope);
    if (!extent(binding) && binding != ScopeBinding::kClusterCtaPair)
      throw refuse(refusals["scope-extent-unknown"], name_of(binding)).at(s->span);
    for (size_t d = 0; d < ids->def->def_ids.size(); ++d) {
      const Var& var = ids->def->def_ids[d];
      stmts.push_back(make<BindNode>(var, cast(var->dtype(), coordinate(binding, d)), s->span));
      if (var->name.empty()) unnamed.push_back(make<EvaluateNode>(Expr(var), s->span));
    }
    return no_op();
  });
  // One value for the whole warp, which the compiler then knows to be uniform.
  Expr warp = call_op(DataType::Int(32), "tirx.tvm_warp_shuffle",
                      {int_imm(DataType::UInt(32), 0xffffffff), floordiv(thread(), int32(kWarpSize)),
                       int32(0), int32(kWarpSize), int32(kWarpSize)});
  stmts.Set(0, make<BindNode>(warp_, warp));
  for (const Stmt& one : unnamed) stmts.push_back(one);
  stmts.push_back(rest);
  Stmt result = seq(stmts);
  for (auto at = launched_.rbegin(); at != launched_.rend(); ++at)
    result = make<AttrStmtNode>(Any(*at), String("thread_extent"), (*at)->dom->extent, result);
  return result;
}

}  // namespace mlc::transform
