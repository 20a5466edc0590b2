// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/inline_calls.h"

#include <algorithm>

#include "ir/relax/bind.h"
#include "ir/relax/numbers.h"
#include "transform/graph/canonicalize.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/signatures.h"

namespace mlc::transform {
namespace {

// The blocks of a sequence: bindings, each of a dataflow block or of a plain one.
struct Blocks {
  struct Block {
    bool dataflow;
    std::vector<Binding> bindings;
  };
  std::vector<Block> all;
  void add(bool dataflow, const Binding& binding) {
    if (all.empty() || all.back().dataflow != dataflow) all.push_back({dataflow, {}});
    all.back().bindings.push_back(binding);
  }
  void end() { all.push_back({false, {}}); }
};

// Dataflow variables that another block uses are plain variables.
struct Open final : relax::Rewriter {
  std::unordered_map<const VarNode*, Var> plain;
  Expr rewrite(const Expr& e) override {
    auto* var = as<VarNode>(e);
    auto found = plain.find(var);
    return found == plain.end() ? rewrite_children(e) : Expr(found->second);
  }
  Var rewrite_def(const Var& var) override {
    auto found = plain.find(var.get());
    return found == plain.end() ? var : found->second;
  }
};

SeqExpr open_blocks(const Blocks& blocks, const Expr& body, Span span) {
  std::unordered_map<const VarNode*, size_t> block_of;
  Open open;
  auto use = [&](const Expr& e, size_t block) {
    std::vector<Var> used = relax::free_vars(e);
    for (const Var& var : relax::vars_of_numbers(e)) used.push_back(var);
    for (const Var& var : used) {
      auto found = block_of.find(var.get());
      if (found != block_of.end() && found->second != block && is_dataflow(var) && !open.plain[var.get()])
        open.plain[var.get()] = relax::make_var(false, var->name, var->ty, var->span);
    }
  };
  Array<BindingBlock> made;
  for (size_t i = 0; i < blocks.all.size(); ++i) {
    const auto& [dataflow, bindings] = blocks.all[i];
    if (bindings.empty()) continue;
    for (const Binding& binding : bindings) {
      use(binding->value, i);
      block_of[binding->var.get()] = i;
    }
    Array<Binding> list(bindings.begin(), bindings.end());
    made.push_back(dataflow ? BindingBlock(make<DataflowBlockNode>(list))
                            : BindingBlock(make<BindingBlockNode>(list)));
  }
  use(body, blocks.all.size());
  SeqExpr seq = make<SeqExprNode>(made, body, span);
  return open.plain.empty() ? seq : open.rewrite(seq).as<SeqExpr>().value();
}

class Inline final : public relax::Rewriter {
 public:
  Inline(Host& host, const IRModule& mod, std::map<std::string, Function> inlined)
      : host_(host), mod_(mod), candidates_(std::move(inlined)) {}

  Function run(const Function& fn) { return rewrite(fn).as<Function>().value(); }

  Expr rewrite(const Expr& e) override {
    auto* seq = as<SeqExprNode>(e);
    if (!seq) return rewrite_children(e);
    bool any = false;
    Blocks blocks;
    for (const BindingBlock& block : seq->blocks) {
      for (const Binding& binding : block->bindings) {
        Binding next = rewrite_binding(binding);
        auto* call = as_match_cast(next) ? nullptr : as<CallNode>(next->value);
        const Function* callee = call ? candidate(call) : nullptr;
        any = any || callee || !next.same_as(binding);
        if (!callee) {
          blocks.add(is_dataflow(block), next);
          continue;
        }
        Expr value = splice(*callee, call, is_dataflow(block), blocks);
        blocks.add(is_dataflow(block), make<VarBindingNode>(next->var, value, next->span));
      }
      blocks.end();
    }
    return any ? Expr(open_blocks(blocks, rewrite(seq->body), seq->span)) : e;
  }

 private:
  const Function* candidate(const CallNode* call) {
    auto* global = as<GlobalVarNode>(call->op);
    auto found = global ? candidates_.find(std::string(text(global->name_hint))) : candidates_.end();
    if (found == candidates_.end()) return nullptr;
    // Without calls of others, once for all calls.
    if (done_.insert(found->first).second) found->second = run(found->second);
    return &found->second;
  }

  // The bindings of the function for this call; returns its value.
  Expr splice(const Function& fn, const CallNode* call, bool dataflow, Blocks& blocks) {
    Function callee = with_new_vars(fn);
    ir::VarMap values;
    for (size_t i = 0; i < callee->params.size(); ++i)
      match_dims(callee->params[i]->ty, call->args[i]->ty, values);
    for (size_t i = 0; i < callee->params.size(); ++i) {
      const Var& param = callee->params[i];
      values[param.get()] = call->args[i];
      std::vector<Var> dims = definable_vars(param->ty);
      bool known =
          std::all_of(dims.begin(), dims.end(), [&](const Var& dim) { return values.count(dim.get()) != 0; });
      if (known) continue;
      // A dimension that only the argument's value tells.
      InferContext context(host_, mod_);
      Type type = relax::substitute(param->ty, values, context);
      Var cast = relax::make_var(dataflow, param->name, type);
      blocks.add(dataflow, make<MatchCastNode>(cast, call->args[i], type));
      values[param.get()] = cast;
      for (const Var& dim : dims) values.emplace(dim.get(), dim);
    }
    Function body = with_values(callee, values, host_, mod_);
    for (const BindingBlock& block : body->body->blocks) {
      for (const Binding& binding : block->bindings) blocks.add(is_dataflow(block), binding);
    }
    return body->body->body;
  }

  Host& host_;
  const IRModule& mod_;
  std::map<std::string, Function> candidates_;
  std::set<std::string> done_;
};

}  // namespace

Function inline_calls(const Function& fn, const std::map<std::string, Function>& functions, Host& host,
                      const IRModule& mod) {
  Function made = Inline(host, mod, functions).run(fn);
  return without_unused_bindings(canonicalize_bindings(made, mod, host));
}

std::set<std::string> recursive_functions(const std::map<std::string, std::set<std::string>>& calls) {
  std::set<std::string> all;
  for (const auto& [start, direct] : calls) {
    std::set<std::string> reached;
    std::vector<std::string> left(direct.begin(), direct.end());
    while (!left.empty()) {
      std::string name = left.back();
      left.pop_back();
      auto found = calls.find(name);
      if (!reached.insert(name).second || found == calls.end()) continue;
      left.insert(left.end(), found->second.begin(), found->second.end());
    }
    if (reached.count(start) != 0) all.insert(start);
  }
  return all;
}

}  // namespace mlc::transform
