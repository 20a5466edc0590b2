// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>

#include "transform/graph/fusion_groups.h"
#include "transform/graph/group_function.h"
#include "transform/pass/pass_context.h"

namespace mlc::transform::pass_fuse_ops {
namespace {

constexpr char doc[] =
    R"(FuseOps(fuse_opt_level=-1): put calls of tensor functions that are computed together into functions of their own.

    with R.dataflow():                              with R.dataflow():
        a = R.call_tir(cls.matmul, (x, w), ...)         gv = cls.fused_matmul_relu(x, w)
        gv = R.call_tir(cls.relu, (a,), ...)    =>      R.output(gv)
        R.output(gv)
needs: patterns of the tensor functions (AnnotateTIROpPattern). Level 0 fuses nothing; `relax.FuseOps.max_depth` of
the pass context bounds the size of a group (256). What is taken out of a tuple of weights (parameters behind the first
`num_input`) is fused with nothing.
keeps: values; blocks that are no dataflow blocks.
After LegalizeOps; FuseTIR makes one tensor function of each group. Method: transform/graph/fusion_groups.h.)";

constexpr int64_t kMaxGroup = 256;

class MakeGroups final : public Mutator {
 public:
  MakeGroups(Host& host, const IRModule& mod, const FusionGroups& groups)
      : Mutator(host, mod), host_(host), groups_(groups) {}

  IRModule module() const { return builder_->module(); }
  void update(const GlobalVar& name, const Function& fn) { builder_->update_function(name, fn); }

  BindingBlock rewrite_block(const BindingBlock& block) override {
    // Blocks in branches and local functions are in no group.
    bool grouped =
        is_dataflow(block) && !block->bindings.empty() && groups_.group_of(block->bindings[0]->var.get());
    if (!grouped) return Mutator::rewrite_block(block);
    functions_.clear();
    order_.clear();
    needs_.clear();
    index_of_.clear();
    for (const Binding& binding : block->bindings) collect(binding);
    for (const Binding& binding : block->bindings) find_boundary(binding);
    for (size_t group : order_) made_[group] = functions_.at(group).build(host_, builder_->module(), {});
    builder_->begin_dataflow_block();
    for (const Binding& binding : in_order_of_groups(block)) emit(binding);
    return builder_->end_block();
  }

 private:
  size_t group_of(const Var& var) const {
    auto group = groups_.group_of(var.get());
    MLC_CHECK(group, "variable `{}` is in no group", text(var->name));
    return *group;
  }
  bool is_single(size_t group) const { return groups_.size(group) == 1; }

  void collect(const Binding& binding) {
    size_t group = group_of(binding->var);
    if (is_single(group)) return;
    auto [found, added] = functions_.try_emplace(group, true);
    if (added) order_.push_back(group);
    found->second.add(binding);
  }

  // What a group uses of another is a result of that.
  void find_boundary(const Binding& binding) {
    size_t group = group_of(binding->var);
    relax::post_order(binding->value, [&](const Expr& e) {
      auto* used = as<VarNode>(e);
      if (!used) return;
      auto producer = groups_.group_of(used);
      if (!producer || *producer == group) return;
      std::vector<size_t>& needs = needs_[group];
      if (std::find(needs.begin(), needs.end(), *producer) == needs.end()) needs.push_back(*producer);
      auto function = functions_.find(*producer);
      if (function != functions_.end()) index_of_[used] = function->second.add_output(ref(used));
    });
  }

  // Groups after those that they use, else in the order of the program.
  std::vector<Binding> in_order_of_groups(const BindingBlock& block) const {
    std::map<size_t, std::vector<Binding>> of;
    for (const Binding& binding : block->bindings) of[group_of(binding->var)].push_back(binding);
    std::vector<Binding> sorted;
    std::unordered_set<size_t> done;
    std::function<void(size_t)> place = [&](size_t group) {
      if (!done.insert(group).second) return;
      if (auto needs = needs_.find(group); needs != needs_.end()) {
        for (size_t before : needs->second) place(before);
      }
      auto found = of.find(group);
      if (found != of.end()) sorted.insert(sorted.end(), found->second.begin(), found->second.end());
    };
    for (const Binding& binding : block->bindings) place(group_of(binding->var));
    return sorted;
  }

  void emit(const Binding& binding) {
    size_t group = group_of(binding->var);
    if (is_single(group)) return rewrite_binding(binding);
    GroupFunction& function = functions_.at(group);
    const Function& made = made_.at(group);
    if (!made) return;  // nobody uses it
    const auto* results = as_type<TupleTypeNode>(made->ret_ty);
    if (results && index_of_.count(binding->var.get()) != 0 && !type_as<TupleTypeNode>(binding->var))
      waiting_[group].push_back(binding->var);
    if (!function.last().same_as(binding)) return;
    GlobalVar name = builder_->add_function(made, function.name());
    Array<Expr> args;
    for (const Expr& arg : function.arguments()) args.push_back(rewrite(arg));
    Expr call = make<CallNode>(Type(nullptr), Expr(name), args);
    // One result need not be the last binding, behind which others may be dead.
    const Var& last = function.outputs().size() == 1 ? function.outputs()[0] : binding->var;
    Var result = is_dataflow(last) ? builder_->emit(call) : builder_->emit_output(call);
    std::vector<Var> waiting = std::move(waiting_[group]);
    if (results && !waiting.empty()) {
      for (const Var& var : waiting) {
        Expr item = make<TupleGetItemNode>(result, static_cast<int64_t>(index_of_.at(var.get())));
        map_var(var, is_dataflow(var) ? builder_->emit(item) : builder_->emit_output(item));
      }
    } else {
      map_var(last, result);
    }
  }

  Host& host_;
  const FusionGroups& groups_;
  std::unordered_map<size_t, GroupFunction> functions_;
  std::vector<size_t> order_;
  std::unordered_map<size_t, Function> made_;
  std::unordered_map<size_t, std::vector<size_t>> needs_;
  std::unordered_map<const VarNode*, size_t> index_of_;
  std::unordered_map<size_t, std::vector<Var>> waiting_;
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  int64_t level = options.integer(0);
  if (level == -1) level = current_context()->opt_level;
  if (level == 0) return mod;
  int64_t most = kMaxGroup;
  if (auto found = options.config->find("relax.FuseOps.max_depth"); found != options.config->end())
    most = integer_of((*found).second).value_or(kMaxGroup);
  FusionGroups groups(mod, static_cast<size_t>(most));
  MakeGroups maker(*options.host, mod, groups);
  for (const auto& [name, fn] : mod->functions) {
    auto* graph = Any(fn).as<FunctionNode>();
    if (!graph || ir::has_flag(fn, "Primitive")) continue;
    Function next = maker.rewrite_function(ref(graph));
    if (!next.same_as(fn)) maker.update(name, next);
  }
  return maker.module();
}

}  // namespace

extern const Pass fuse_ops = graph_module_pass("FuseOps", "FuseOps(fuse_opt_level=-1)", doc, apply);

}  // namespace mlc::transform::pass_fuse_ops
