// SPDX-License-Identifier: Apache-2.0
// Graphs as tensor code: registers, constants and functions are lists of values of tvm-ffi (T.anylist_*).
#include "backend/vm/code_generator.h"
#include "backend/vm/codegen.h"
#include "ir/tir/op.h"
#include "ir/tir/stmt.h"

namespace mlc::vm {

namespace {

using ir::Array;
using ir::DataType;
using ir::Expr;
using ir::Stmt;

// T.handle
ir::Type pointer() {
  return ir::make<ir::PointerTypeNode>(ir::Type(ir::prim_type(DataType::Void())), ir::String("global"));
}
Expr pointer_call(std::string_view op, Array<Expr> args) {
  return ir::make<ir::CallNode>(pointer(), ir::op(op), std::move(args));
}

class TensorCodeGenerator final : public CodeGenerator {
 public:
  using CodeGenerator::CodeGenerator;

  std::vector<std::pair<ir::GlobalVar, ir::PrimFunc>> functions;

 private:
  FunctionKind kind_of_graphs() const final { return FunctionKind::kVMTIR; }

  Register begin(const std::string& symbol, const relax::Function& fn,
                 const std::vector<std::string>& names) final {
    builder_.declare(symbol, FunctionKind::kVMTIR);
    auto handle = [](const char* name) { return ir::make<ir::VarNode>(ir::String(name), pointer()); };
    context_ = handle("ctx_ptr");
    lists_ = {handle("r"), handle("c"), handle("f")};
    statements_.clear();
    names_ = names;
    span_ = fn->span;
    result_ = static_cast<Register>(fn->params.size());
    return result_ + 1;
  }

  void end(const std::string& symbol, Operand result) final {
    call_named("vm.builtin.copy", {result}, result_);
    builder_.begin(symbol, result_, names_, FunctionKind::kVMTIR, registers_);
    builder_.end(symbol);
    std::string name = "__vmtir__" + symbol;
    ir::Map<ir::String, Any> attrs{{"global_symbol", ir::String(name)}, {"s_tir", true}};
    Array<ir::Var> params{context_, lists_[0], lists_[1], lists_[2]};
    functions.emplace_back(ir::make<ir::GlobalVarNode>(ir::String(name)),
                           ir::make<ir::PrimFuncNode>(params, ir::void_type(), body(), attrs, span_));
  }

  // ---- operands ----

  Expr item(size_t list, Word index) const {
    return pointer_call("tirx.anylist_getitem",
                       {lists_[list], ir::int_imm(DataType::Int(32), index)});
  }
  Expr operand(Operand operand) const {
    switch (operand.kind()) {
      case Operand::Kind::kRegister:
        if (operand.value() == kMachine) return context_;
        if (operand.value() == kVoid)
          return pointer_call("tirx.reinterpret", {ir::int_imm(DataType::Int(64), 0)});
        return item(0, operand.value());
      case Operand::Kind::kConstant:
        return item(1, operand.value());
      case Operand::Kind::kFunction:
        return item(2, operand.value());
      case Operand::Kind::kImmediate:
        return ir::int_imm(DataType::Int(64), operand.value());
    }
    MLC_CHECK(false, "an operand of no kind");
  }

  // ---- statements ----

  Stmt body() {
    return statements_.size() == 1
               ? statements_[0]
               : ir::make<ir::SeqStmtNode>(Array<Stmt>(statements_.begin(), statements_.end()));
  }

  Expr call_of(DataType dtype, const std::string& name, const Operands& args) const {
    Array<Expr> given{ir::make<ir::StringImmNode>(ir::String(name))};
    for (const Operand& arg : args) given.push_back(operand(arg));
    return ir::call_op(dtype, "tirx.tvm_call_packed", given);
  }
  // `by_symbol`: a tensor function of the module.
  void emit(const std::string& name, const Operands& args, Register destination, bool by_symbol) {
    Array<Expr> given;
    if (destination != kVoid) {
      given.push_back(lists_[0]);
      given.push_back(ir::int_imm(DataType::Int(32), destination));
    }
    given.push_back(ir::make<ir::StringImmNode>(ir::String(name)));
    for (const Operand& arg : args) given.push_back(operand(arg));
    std::string op = by_symbol ? "tirx.tvm_call_cpacked" : "tirx.tvm_call_packed";
    if (destination != kVoid) {
      op = by_symbol ? "tirx.anylist_setitem_call_cpacked" : "tirx.anylist_setitem_call_packed";
    }
    statements_.push_back(ir::make<ir::EvaluateNode>(ir::call_op(DataType::Int(32), op, given)));
  }

  void call_named(const std::string& name, const Operands& args, Register destination) final {
    emit(name, args, destination, false);
  }
  void call_callee(const Expr& callee, const Array<Expr>& args, Register destination) final {
    Operands given = all(args);
    if (auto* external = ir::as<relax::ExternFuncNode>(callee))
      return emit(std::string(ir::view(external->global_symbol)), given, destination, false);
    if (auto* var = ir::as<ir::GlobalVarNode>(callee)) {
      ir::BaseFunc fn = function_of(var);
      if (!fn || fn.as<ir::PrimFuncNode>()) {
        auto symbol = fn ? ir::attr(fn, "global_symbol") : std::nullopt;
        std::string name(symbol ? ir::view(symbol->cast<ir::String>()) : ir::view(var->name_hint));
        return emit(name, given, destination, static_cast<bool>(fn));
      }
      if (auto* external = fn.as<relax::ExternFuncNode>())
        return emit(std::string(ir::view(external->global_symbol)), given, destination, false);
    }
    given.insert(given.begin(), {reg(kMachine), value(callee)});
    emit("vm.builtin.invoke_closure", given, destination, false);
  }

  // Nothing kills a register that is not written again.
  Operand renamed(Operand value) final { return value; }

  Operand branches(const relax::IfNode* both) final {
    Expr condition = call_of(DataType::Bool(), "vm.builtin.read_if_cond", {value(both->cond)});
    Register merged = fresh();
    std::vector<Stmt> before = std::move(statements_);
    auto branch = [&](const relax::SeqExpr& seq) {
      statements_.clear();
      emit("vm.builtin.copy", {sequence(seq.get())}, merged, false);
      return body();
    };
    Stmt then_case = branch(both->true_branch);
    Stmt else_case = branch(both->false_branch);
    statements_ = std::move(before);
    statements_.push_back(ir::make<ir::IfThenElseNode>(condition, then_case, else_case));
    return reg(merged);
  }

  ir::Var context_;
  std::array<ir::Var, 3> lists_;  // registers, constants, functions
  std::vector<Stmt> statements_;
  std::vector<std::string> names_;  // of the parameters
  Register result_ = 0;
  ir::Span span_;
};

}  // namespace

ir::IRModule generate_tensor_code(const ir::IRModule& mod, ExecBuilder& builder) {
  TensorCodeGenerator generator(mod, builder);
  ir::IRModule rest = without_graphs(mod, generator);
  ir::Map<ir::GlobalVar, ir::BaseFunc> all;
  for (const auto& [var, fn] : generator.functions) all.Set(var, fn);
  for (const auto& [var, fn] : rest->functions) all.Set(var, fn);
  return ir::make<ir::IRModuleNode>(all, rest->attrs, rest->global_infos);
}

}  // namespace mlc::vm
