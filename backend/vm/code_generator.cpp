// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/code_generator.h"

#include <tvm/ffi/container/shape.h>

#include "ir/core/refusal.h"
#include "ir/relax/operator.h"
#include "ir/tir/texture.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "vm-no-symbol",
         .message = "the graph `{}` has no `global_symbol`",
         .help = "run `relax.transform.AttachGlobalSymbol()`, or build with a pipeline that does"},
        {.name = "vm-not-lowered",
         .message = "{} cannot be made an instruction",
         .help = "build with `relax_pipeline=\"default\"`, or run the passes of "
                 "`relax.get_pipeline(\"default_build\")`"},
    }};
MLC_REFUSALS(vm_code_generator, refusals);

using namespace relax;  // NOLINT: the nodes of graphs
using ir::Array;
using ir::Expr;
using ir::ExprKind;
using ir::GlobalVarNode;
using ir::VarNode;
using ir::view;

void CodeGenerator::function(const Function& fn, std::string_view name) {
  auto symbol = ir::attr(fn, "global_symbol");
  if (!symbol) throw refuse(refusals["vm-no-symbol"], name).at(fn->span);
  std::string symbol_name(symbol->cast<ir::String>());
  std::vector<std::string> names;
  for (const ir::Var& param : fn->params) names.emplace_back(view(param->name));
  builder_.at(fn->span);
  values_.clear();
  registers_ = 0;
  Register first_free = begin(symbol_name, fn, names);
  for (const ir::Var& param : fn->params) values_.emplace(param.get(), reg(fresh()));
  registers_ = first_free;
  end(symbol_name, sequence(fn->body.get()));
}

Operand CodeGenerator::called(const std::string& name, const Operands& args) {
  Register destination = fresh();
  call_named(name, args, destination);
  return reg(destination);
}

Operand CodeGenerator::sequence(const SeqExprNode* seq) {
  for (const BindingBlock& block : seq->blocks) {
    for (const Binding& binding : block->bindings) {
      builder_.at(binding->value->span ? binding->value->span : binding->span);
      Operand value = this->value(binding->value);
      if (ir::as<VarNode>(binding->value)) value = renamed(value);
      values_.insert_or_assign(binding->var.get(), value);
    }
  }
  return value(seq->body);
}

CodeGenerator::Operands CodeGenerator::all(const Array<Expr>& exprs) {
  std::vector<Operand> operands;
  for (const Expr& e : exprs) operands.push_back(value(e));
  return operands;
}

Operand CodeGenerator::value(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar: {
      auto found = values_.find(static_cast<const VarNode*>(e.get()));
      if (found == values_.end())
        not_lowered(fmt::format("`{}`, which has no value here,", view(ir::as<VarNode>(e)->name)), e);
      return found->second;
    }
    case ExprKind::kGenericConst:
      return builder_.constant(static_cast<const GenericConstNode*>(e.get())->value);
    case ExprKind::kStringImm:
      return builder_.constant(ir::as<ir::StringImmNode>(e)->value);
    case ExprKind::kShapeExpr: {
      std::vector<int64_t> dims;
      for (const Expr& dim : static_cast<const ShapeExprNode*>(e.get())->values) {
        auto number = ir::const_int(dim);
        if (!number) not_lowered("a shape of variables", e);
        dims.push_back(*number);
      }
      return builder_.constant(ffi::Shape(dims.begin(), dims.end()));
    }
    case ExprKind::kTuple:
      return called("vm.builtin.make_tuple", all(ir::as<TupleNode>(e)->elements));
    case ExprKind::kTupleGetItem: {
      auto* item = ir::as<TupleGetItemNode>(e);
      Operand tuple = value(item->tuple_value);
      return called("vm.builtin.tuple_getitem", {tuple, builder_.constant(int64_t{item->index})});
    }
    case ExprKind::kGlobalVar:
      return global(ir::as<GlobalVarNode>(e));
    case ExprKind::kExternFunc: {
      std::string name(view(static_cast<const ExternFuncNode*>(e.get())->global_symbol));
      builder_.declare(name, FunctionKind::kPacked);
      return builder_.function(name);
    }
    case ExprKind::kSeqExpr:
      return sequence(static_cast<const SeqExprNode*>(e.get()));
    case ExprKind::kIf:
      return branches(static_cast<const IfNode*>(e.get()));
    case ExprKind::kCall:
      return call(ir::as<CallNode>(e));
    default:
      break;
  }
  if (auto* number = ir::as<ir::IntImmNode>(e)) return builder_.constant(number->value);
  if (auto* number = ir::as<ir::FloatImmNode>(e)) return builder_.constant(number->value);
  not_lowered("this expression", e);
}

void CodeGenerator::not_lowered(std::string_view what, const Expr& e) {
  throw refuse(refusals["vm-not-lowered"], what).at(e->span);
}

ir::BaseFunc CodeGenerator::function_of(const GlobalVarNode* var) const {
  ir::GlobalVar known = mod_->find(view(var->name_hint));
  return known ? mod_->functions[known] : ir::BaseFunc(nullptr);
}

Operand CodeGenerator::global(const GlobalVarNode* var) {
  std::string name(view(var->name_hint));
  FunctionKind kind = FunctionKind::kPacked;
  if (ir::BaseFunc fn = function_of(var)) {
    if (auto* external = fn.as<ExternFuncNode>()) {
      name = std::string(view(external->global_symbol));
    } else if (fn.as<FunctionNode>()) {
      kind = kind_of_graphs();
    }
  }
  builder_.declare(name, kind);
  return builder_.function(name);
}

// The scope of the module's device of that number, where it is a texture's.
std::string CodeGenerator::texture_scope(const Expr& device) const {
  auto number = ir::const_int(device);
  auto found = mod_->global_infos.find("vdevice");
  if (!number || *number < 0 || found == mod_->global_infos.end()) return "";
  auto all = (*found).second.cast<Array<Any>>();
  if (*number >= static_cast<int64_t>(all.size())) return "";
  auto vdevice = all[*number].as<ir::VDevice>();
  std::string scope(vdevice ? view((*vdevice)->memory_scope) : "");
  return ir::is_texture(scope) ? scope : "";
}

// What has no value but may be written as one.
static bool returns_nothing(const CallNode* call) {
  const auto* tuple = as_type<TupleTypeNode>(call->ty);
  return tuple != nullptr && tuple->elements.empty();
}

Operand CodeGenerator::call(const CallNode* call) {
  const Operator* row = operator_of(call->op);
  std::string_view name = row ? row->short_name() : "";
  if (name == "null_value") return reg(kVoid);
  Register destination = returns_nothing(call) ? kVoid : fresh();
  const Array<Expr>& args = call->args;
  if (row == nullptr && !ir::as<ir::OpNode>(call->op)) {
    call_callee(call->op, args, destination);
  } else if (name == "call_builtin_with_ctx") {
    auto* builtin = ir::as<ExternFuncNode>(args[0]);
    if (builtin == nullptr) not_lowered("a builtin without a name", args[0]);
    auto* given = ir::as<TupleNode>(args[1]);
    if (given == nullptr) not_lowered("a builtin whose arguments are no tuple", args[1]);
    Operands operands = all(given->elements);
    operands.insert(operands.begin(), reg(kMachine));
    call_named(std::string(view(builtin->global_symbol)), operands, destination);
  } else if (name == "vm.alloc_storage") {
    Operands operands = all(args);
    operands.insert(operands.begin(), reg(kMachine));
    call_named("vm.builtin.alloc_storage", operands, destination);
  } else if (name == "vm.alloc_tensor") {
    Operands operands;
    for (size_t i = 0; i < 4; ++i) operands.push_back(value(args[i]));  // the storage knows its device
    if (std::string scope = texture_scope(args[4]); !scope.empty())
      operands.push_back(builder_.constant(ir::String(scope)));
    call_named("vm.builtin.alloc_tensor", operands, destination);
  } else if (name == "vm.kill_object") {
    Operand killed = value(args[0]);
    if (killed.kind() != Operand::Kind::kRegister) not_lowered("the end of what is in no register", args[0]);
    destination = killed.value();
    call_named("vm.builtin.null_value", {}, destination);
  } else {
    not_lowered(row ? fmt::format("the operator `{}`", row->short_name()) : std::string("this operation"),
                ir::ref<ir::ExprNode>(call));
  }
  return reg(destination);
}

}  // namespace mlc::vm
