// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/canonicalize.h"

namespace mlc::transform::pass_kill_after_last_use {
namespace {

constexpr char doc[] = R"(KillAfterLastUse(): say where tensors and storages are used for the last time.

    cls.f(x, alloc)           =>      cls.f(x, alloc)
    cls.g(alloc, out)                 cls.g(alloc, out)
                                      R.memory.kill_tensor(alloc)
needs: memory is written out (CallTIRRewrite, LowerAllocTensor).
keeps: results, parameters, constants, null values, shapes, numbers and functions; what is killed already.
From here on the virtual machine can free memory while the function runs.)";

bool is_name(const Binding& binding) {
  if (binding->value->kind != ExprKind::kVar) return false;
  return !relax::as_match_cast(binding) ||
         ir::structural_equal(Any(binding->var->ty), Any(binding->value->ty));
}

// Without names of variables that nothing uses.
struct WithoutNames final : relax::Rewriter {
  std::unordered_set<const VarNode*> used;

  explicit WithoutNames(const Function& fn) {
    for (const Var& var : all_uses(fn)) used.insert(var.get());
  }
  static std::vector<Var> all_uses(const Function& fn) {
    struct Uses final : relax::Visitor {
      std::vector<Var> all;
      void visit(const Expr& e) override {
        if (auto* var = as<VarNode>(e)) all.push_back(ref(var));
        walk_children(e);
      }
    } uses;
    uses.visit(fn);
    return uses.all;
  }
  BindingBlock rewrite_block(const BindingBlock& block) override {
    BindingBlock next = rewrite_block_children(block);
    Array<Binding> kept;
    for (const Binding& binding : next->bindings) {
      if (!is_name(binding) || used.count(binding->var.get()) != 0) kept.push_back(binding);
    }
    return kept.size() == next->bindings.size() ? next : relax::with_bindings(next, kept);
  }
};

// What is used for the last time by which binding of a sequence.
struct LastUses final : relax::Visitor {
  struct Killed {
    std::vector<const VarNode*> tensors, storages, others;
  };
  std::unordered_map<const VarNode*, Killed> by_binding;

  explicit LastUses(const Expr& seq) {
    visit(seq);
    for (const VarNode* var : order_) {
      auto found = last_.find(var);
      if (found == last_.end() || !found->second || ended_.count(var) != 0) continue;
      TypeKind kind = var->ty->kind;
      if (storages_.count(var) != 0) {
        by_binding[found->second].storages.push_back(var);
      } else if (constants_.count(var) != 0 || kind == TypeKind::kFunction || kind == TypeKind::kShape ||
                 kind == TypeKind::kPrim) {
        continue;
      } else if (kind == TypeKind::kTensor) {
        by_binding[found->second].tensors.push_back(var);
      } else {
        by_binding[found->second].others.push_back(var);
      }
    }
  }

  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) last_[var] = current_;
    walk_children(e);
  }
  void visit_binding(const Binding& binding) override {
    const VarNode* outer = std::exchange(current_, binding->var.get());
    order_.push_back(current_);
    auto* call = as<CallNode>(binding->value);
    auto calls = [&](const auto&... ops) { return call && (call->op.same_as(ops) || ...); };
    if (calls(alloc_storage_, vm_alloc_storage_)) {
      storages_.insert(current_);
    } else if (calls(kill_tensor_, kill_storage_, kill_object_)) {
      ended_.insert(as<VarNode>(call->args[0]));
    } else if (binding->value->kind == ExprKind::kGenericConst || calls(null_value_)) {
      constants_.insert(current_);
    } else {
      walk_binding(binding);
    }
    current_ = outer;
  }

 private:
  Expr alloc_storage_ = relax::op("relax.memory.alloc_storage");
  Expr vm_alloc_storage_ = relax::op("relax.vm.alloc_storage");
  Expr kill_tensor_ = relax::op("relax.memory.kill_tensor");
  Expr kill_storage_ = relax::op("relax.memory.kill_storage");
  Expr kill_object_ = relax::op("relax.vm.kill_object");
  Expr null_value_ = relax::op("relax.null_value");
  const VarNode* current_ = nullptr;
  std::vector<const VarNode*> order_;
  std::unordered_map<const VarNode*, const VarNode*> last_;  // null: a result
  std::unordered_set<const VarNode*> storages_, constants_, ended_;
};

struct Kill final : relax::Rewriter {
  std::unordered_map<const VarNode*, LastUses::Killed> killed;

  Expr rewrite(const Expr& e) override {
    if (e->kind != ExprKind::kSeqExpr) return rewrite_children(e);
    // What comes after a choice or a local function stays alive, as in TVM: they have last uses of their own.
    killed = LastUses(e).by_binding;
    Expr next = rewrite_children(e);
    killed.clear();
    return next;
  }
  BindingBlock rewrite_block(const BindingBlock& block) override {
    Array<Binding> all;
    bool changed = false, dataflow = is_dataflow(block);
    for (const Binding& binding : block->bindings) {
      Binding next = rewrite_binding(binding);
      changed = changed || !next.same_as(binding);
      all.push_back(next);
      auto found = killed.find(next->var.get());
      if (found == killed.end()) continue;
      changed = true;
      LastUses::Killed ends = found->second;
      for (const VarNode* var : ends.tensors) all.push_back(kill("relax.memory.kill_tensor", var, dataflow));
      for (const VarNode* var : ends.storages)
        all.push_back(kill("relax.memory.kill_storage", var, dataflow));
      for (const VarNode* var : ends.others) all.push_back(kill("relax.vm.kill_object", var, dataflow));
    }
    return changed ? relax::with_bindings(block, all) : block;
  }
  static Binding kill(std::string_view name, const VarNode* var, bool dataflow) {
    Type none = make<TupleTypeNode>(Array<Type>{});
    Call call = make<CallNode>(none, Expr(relax::op(name)), Array<Expr>{Expr(ref(var))});
    return make<VarBindingNode>(relax::make_var(dataflow, "_", none), call);
  }
};

Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  Function plain = canonicalize_bindings(fn, mod, *options.host);
  Expr next = WithoutNames(plain).rewrite(plain);
  return Kill().rewrite(next).as<Function>().value();
}

}  // namespace

extern const Pass kill_after_last_use = graph_pass("KillAfterLastUse", "KillAfterLastUse()", doc, apply);

}  // namespace mlc::transform::pass_kill_after_last_use
