// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/arith/expr_equal.h"
#include "transform/graph/calls.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/reshape_pattern.h"
#include "transform/pass/buffer_types.h"

namespace mlc::transform::pass_name_symbolic_dims {
namespace {

constexpr char doc[] =
    R"(NameSymbolicDims(): dimensions of tensor functions that are expressions become variables.

    R.call_tir(cls.relu, (x,), ...)                             R.call_tir(cls.relu1, (x,), ...)
    def relu(A: T.Buffer(((h - 1) // 16 + 1,)), ...):    =>     def relu1(A: T.Buffer((m,)), ...):
        for i in range((h - 1) // 16 + 1):                          for i in range(m):
needs: calls whose shapes are inferred, as those of FuseTIR are: nobody checks the expressions behind it.
keeps: functions that use the variables elsewhere, and reshapes, which are known by how their dimensions relate.
Before schedules and all that computes with indices, which takes long for large expressions and finds more out about
a variable. Functions that differ in these expressions become one.)";

bool is_leaf(const Expr& e) { return e->kind == ir::ExprKind::kVar || e->kind == ir::ExprKind::kIntImm; }

// x + c and x - c as x and c.
std::pair<Expr, int64_t> constant_offset(const Expr& e) {
  bool sum = e->kind == ir::ExprKind::kAdd, difference = e->kind == ir::ExprKind::kSub;
  if (sum || difference) {
    auto* two = ir::as_binary(e);
    if (auto constant = ir::const_int(two->b)) return {two->a, sum ? *constant : -*constant};
  }
  return {e, 0};
}

class Names final : public BufferTypeRewriter {
 public:
  explicit Names(const PrimFunc& fn) {
    for (const Var& param : fn->params) {
      if (const auto* type = param->buffer()) {
        for (const Expr& extent : type->shape)
          if (auto* var = as<VarNode>(extent)) bound_.insert(var);
      } else {
        bound_.insert(param.get());
      }
    }
    for (const Var& param : fn->params) {
      if (const auto* type = param->buffer())
        for (const Expr& extent : type->shape) add(extent);
    }
  }

  // The function with names; null where it has no use for any, or where a name does not tell enough.
  PrimFunc run(const PrimFunc& fn) {
    if (named_.empty()) return nullptr;
    Array<Var> params;
    for (const Var& param : fn->params) params.push_back(param->buffer() ? mapped(param) : param);
    Stmt body = rewrite(fn->body);
    if (unknown_) return nullptr;
    return ir::with(fn, [&](ir::PrimFuncNode& n) {
      n.params = params;
      n.body = body;
    });
  }

  using BufferTypeRewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e))
      unknown_ = unknown_ || (replaced_.count(var) != 0 && bound_.count(var) == 0);
    if (is_leaf(e)) return BufferTypeRewriter::rewrite(e);
    if (e->dtype().is_scalar() && e->dtype().is_int()) {
      auto [base, offset] = constant_offset(e);
      for (const Named& one : named_) {
        if (same_expr(one.extent, e)) return one.var;
        if (!is_leaf(one.base) && one.base->dtype() == e->dtype() && same_expr(one.base, base)) {
          int64_t more = offset - one.offset;
          return more == 0 ? Expr(one.var) : ir::add(one.var, ir::const_like(e, more));
        }
      }
    }
    return BufferTypeRewriter::rewrite(e);
  }

 private:
  struct Named {
    Expr extent, base;
    int64_t offset;  // extent == base + offset
    Var var;
  };

  void add(const Expr& extent) {
    if (is_leaf(extent) || !extent->dtype().is_int()) return;
    bool loads = false, all_bound = true;
    size_t nodes = 0;
    ir::post_order(extent, [&](const Expr& e) {
      ++nodes;
      loads = loads || e->kind == ir::ExprKind::kTensorLoad || e->kind == ir::ExprKind::kCall;
      if (auto* var = as<VarNode>(e)) all_bound = all_bound && bound_.count(var) != 0;
    });
    constexpr size_t kSimple = 3;  // `n + 1` of a variable that is known anyway
    if (loads || (nodes <= kSimple && all_bound)) return;
    bool known = std::any_of(named_.begin(), named_.end(),
                             [&](const Named& one) { return same_expr(one.extent, extent); });
    if (known) return;
    ir::post_order(extent, [&](const Expr& e) {
      if (auto* var = as<VarNode>(e)) replaced_.insert(var);
    });
    auto [base, offset] = constant_offset(extent);
    named_.push_back({extent, base, offset, make<VarNode>(String("m"), extent->ty)});
  }

  std::vector<Named> named_;
  std::unordered_set<const VarNode*> bound_, replaced_;
  bool unknown_ = false;  // a variable is used that nothing would define
};

struct NameDims final : Mutator {
  NameDims(Host& host, const IRModule& mod) : Mutator(host, mod) {}
  Expr call_tir = relax::op("relax.call_tir");
  std::unordered_map<const ir::GlobalVarNode*, GlobalVar> named;

  GlobalVar with_names(const GlobalVar& name) {
    auto [found, added] = named.emplace(name.get(), name);
    if (!added) return found->second;
    auto fn = Any(builder_->module()->lookup(text(name->name_hint))).as<PrimFunc>();
    if (!fn || ir::attr(*fn, "global_symbol") || has_reshape_pattern(*fn)) return name;
    PrimFunc next = Names(*fn).run(*fn);
    if (next) found->second = builder_->add_function(next, text(name->name_hint));
    return found->second;
  }
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    const CallNode* call = call_of(next, call_tir);
    auto* name = call ? as<GlobalVarNode>(call->args[0]) : nullptr;
    if (!name) return next;
    GlobalVar other = with_names(ref(name));
    if (other.get() == name) return next;
    Array<Expr> args = call->args;
    args.Set(0, other);
    return make<CallNode>(call->ty, call->op, args, call->attrs, call->span, call->ty_args);
  }
  IRModule module() const { return builder_->module(); }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  IRModule result = mod;
  bool changed = false;
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<FunctionNode>();
    if (!fn) continue;
    NameDims names(*options.host, result);
    Function next = names.rewrite_function(ref(fn));
    if (next.same_as(base)) continue;
    result = ir::with_function(names.module(), name, next);
    changed = true;
  }
  return changed ? without_dead_code(result) : mod;
}

}  // namespace

extern const Pass name_symbolic_dims =
    graph_module_pass("NameSymbolicDims", "NameSymbolicDims()", doc, apply);

}  // namespace mlc::transform::pass_name_symbolic_dims
