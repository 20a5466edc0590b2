// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/codegen.h"

#include "backend/vm/code_generator.h"

namespace mlc::vm {

namespace {

// Instructions, one after the other.
class BytecodeGenerator final : public CodeGenerator {
 public:
  using CodeGenerator::CodeGenerator;

 private:
  FunctionKind kind_of_graphs() const final { return FunctionKind::kVM; }

  Register begin(const std::string& symbol, const relax::Function& fn,
                 const std::vector<std::string>& names) final {
    builder_.begin(symbol, static_cast<int64_t>(fn->params.size()), names);
    return static_cast<Register>(fn->params.size());
  }
  void end(const std::string& symbol, Operand result) final {
    builder_.ret(result.kind() == Operand::Kind::kRegister ? result : called("vm.builtin.copy", {result}));
    builder_.end(symbol);
  }

  void call_named(const std::string& name, const Operands& args, Register destination) final {
    builder_.call(name, args, destination);
  }
  void call_callee(const ir::Expr& callee, const ir::Array<ir::Expr>& args, Register destination) final {
    Operand called = value(callee);
    Operands given = all(args);
    if (called.kind() == Operand::Kind::kFunction) return builder_.call(called, given, destination);
    given.insert(given.begin(), {reg(kMachine), called});
    builder_.call("vm.builtin.invoke_closure", given, destination);
  }

  // A variable of its own: what is killed is one name of a value, not all.
  Operand renamed(Operand value) final { return called("vm.builtin.copy", {value}); }

  Operand branches(const relax::IfNode* both) final {
    Operand cond = called("vm.builtin.read_if_cond", {value(both->cond)});
    int64_t at_if = builder_.count();
    builder_.branch(cond, 0);
    Operand first = sequence(both->true_branch.get());
    Register merged = fresh();
    builder_.call("vm.builtin.copy", {first}, merged);
    int64_t at_goto = builder_.count();
    builder_.go(0);
    builder_.patch(at_if, 2, builder_.count() - at_if);
    Operand second = sequence(both->false_branch.get());
    builder_.call("vm.builtin.copy", {second}, merged);
    builder_.patch(at_goto, 1, builder_.count() - at_goto);
    return reg(merged);
  }
};

}  // namespace

ir::IRModule generate_code(const ir::IRModule& mod, ExecBuilder& builder) {
  BytecodeGenerator generator(mod, builder);
  return without_graphs(mod, generator);
}

ir::IRModule without_graphs(const ir::IRModule& mod, CodeGenerator& generator) {
  ir::Map<ir::GlobalVar, ir::BaseFunc> rest;
  for (const auto& [var, fn] : mod->functions) {
    if (auto* graph = fn.as<relax::FunctionNode>()) {
      generator.function(ir::ref(graph), ir::view(var->name_hint));
    } else {
      rest.Set(var, fn);
    }
  }
  return ir::make<ir::IRModuleNode>(rest, mod->attrs, mod->global_infos);
}

}  // namespace mlc::vm
