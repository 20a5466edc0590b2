// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/graph/canonicalize.h"
#include "transform/graph/dead_code.h"
#include "transform/graph/signatures.h"

namespace mlc::transform::pass_expand_tuple_arguments {
namespace {

constexpr char doc[] = R"(ExpandTupleArguments(): pass the elements of tuples one by one to private functions.

    @R.function(private=True)                    @R.function(private=True)
    def f(t):                                    def f(t_0, t_1):
        y = R.add(t[0], t[1])            =>          y = R.add(t_0, t_1)
    gv = cls.f((a, b))                           gv = cls.f(a, b)
needs: nothing. Functions that are exported, or that are values, keep their parameters.
keeps: what functions compute. Dead code and functions that nothing reaches go.
What a function does not use of a tuple shows then, and RemoveUnusedParameters removes it.)";

struct Expand {
  Array<Var> params;
  Array<Binding> tuples;

  void add(const Var& param) {
    const auto* type = type_as<TupleTypeNode>(param);
    if (!type) {
      params.push_back(param);
      return;
    }
    Array<Expr> elements;
    for (size_t i = 0; i < type->elements.size(); ++i) {
      Var element =
          make<VarNode>(String(fmt::format("{}_{}", text(param->name), i)), type->elements[i], param->span);
      elements.push_back(element);
      add(element);
    }
    tuples.push_back(make<VarBindingNode>(param, make<TupleNode>(elements)));
  }
};

Function expanded(const Function& fn) {
  Expand expand;
  for (const Var& param : fn->params) expand.add(param);
  Array<BindingBlock> blocks{make<BindingBlockNode>(expand.tuples)};
  for (const BindingBlock& block : fn->body->blocks) blocks.push_back(block);
  Expr value = fn->body->body;
  if (!as<VarNode>(value)) {  // as TVM: what is returned has a name
    Var result = make<VarNode>(String("gv"), value->ty);
    blocks.push_back(make<BindingBlockNode>(Array<Binding>{make<VarBindingNode>(result, value)}));
    value = result;
  }
  SeqExpr body = make<SeqExprNode>(blocks, value, fn->body->span);
  return make<FunctionNode>(expand.params, body, fn->ret_ty, fn->is_pure, fn->attrs, fn->span);
}

void elements_of(const Expr& arg, const Type& type, Array<Expr>& all) {
  const auto* tuple_type = as_type<TupleTypeNode>(type);
  if (!tuple_type) {
    all.push_back(arg);
    return;
  }
  auto* tuple = as<TupleNode>(arg);
  for (size_t i = 0; i < tuple_type->elements.size(); ++i) {
    Expr element = tuple ? tuple->elements[i] : Expr(make<TupleGetItemNode>(arg, static_cast<int64_t>(i)));
    elements_of(element, tuple_type->elements[i], all);
  }
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  FunctionUses uses(mod);
  std::map<std::string, ChangedSignature> changed;
  for (const auto& [name, fn] : internal_functions(mod, uses)) {
    bool any = std::any_of(fn->params.begin(), fn->params.end(),
                           [](const Var& param) { return type_as<TupleTypeNode>(param) != nullptr; });
    if (!any) continue;
    auto arguments = [params = fn->params](const CallNode* call) {
      Array<Expr> all;
      for (size_t i = 0; i < call->args.size(); ++i) elements_of(call->args[i], params[i]->ty, all);
      return all;
    };
    changed.emplace(std::string(text(name->name_hint)), ChangedSignature{expanded(fn), arguments});
  }
  IRModule next = changed.empty() ? mod : change_signatures(mod, changed, *options.host);
  return without_dead_code(canonicalize_bindings(next, *options.host));
}

}  // namespace

extern const Pass expand_tuple_arguments =
    graph_module_pass("ExpandTupleArguments", "ExpandTupleArguments()", doc, apply);

}  // namespace mlc::transform::pass_expand_tuple_arguments
