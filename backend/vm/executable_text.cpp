// SPDX-License-Identifier: Apache-2.0
// Executables as text.
#include <fmt/format.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>

#include "backend/vm/executable.h"
#include "ir/core/dtype.h"

namespace mlc::vm {

namespace {

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string register_text(Register r) {
  if (r == kVoid) return "%void";
  if (r == kMachine) return "%vm";
  return fmt::format("%{}", r);
}
std::string operand_text(const Program& program, Operand operand) {
  switch (operand.kind()) {
    case Operand::Kind::kRegister:
      return register_text(operand.value());
    case Operand::Kind::kImmediate:
      return fmt::format("i{}", operand.value());
    case Operand::Kind::kConstant:
      return fmt::format("c[{}]", operand.value());
    case Operand::Kind::kFunction:
      return fmt::format("f[{}]", program.functions[static_cast<size_t>(operand.value())].name);
  }
  return "";
}
std::string builder_text(const Program& program, Operand operand) {
  switch (operand.kind()) {
    case Operand::Kind::kRegister:
      return operand.value() == kMachine ? "ib.r(vm)" : fmt::format("ib.r({})", operand.value());
    case Operand::Kind::kImmediate:
      return fmt::format("ib.imm({})", operand.value());
    case Operand::Kind::kConstant:
      return fmt::format("ib.c({})", operand.value());
    case Operand::Kind::kFunction:
      return fmt::format("ib.f(\"{}\")", program.functions[static_cast<size_t>(operand.value())].name);
  }
  return "";
}
std::vector<std::string> operands(const Program& program, const Instruction& call,
                                  std::string (*text)(const Program&, Operand)) {
  std::vector<std::string> all;
  for (Word i = 0; i < call.count(); ++i) all.push_back(text(program, call.operand(i)));
  return all;
}

std::string constant_text(const Any& value) {
  auto numbers = [](ffi::ShapeView shape) { return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", ")); };
  if (auto tensor = value.as<ffi::Tensor>()) return tensor->ndim() == 0 ? "scalar" : numbers(tensor->shape());
  if (auto shape = value.as<ffi::Shape>()) return "shapetuple" + numbers(*shape);
  if (auto text = value.as<ffi::String>()) return fmt::format("\"{}\"", std::string(*text));
  if (auto dtype = value.as<DLDataType>()) return ir::DataType(*dtype).str();
  if (auto number = value.as<int64_t>()) return fmt::format("{}", *number);
  return fmt::format("{}", value.cast<double>());
}

}  // namespace

std::string as_text(const Program& program) {
  std::string out;
  auto to = std::back_inserter(out);
  for (const FunctionInfo& fn : program.functions) {
    if (fn.kind != FunctionKind::kVM) {
      if (fn.kind == FunctionKind::kPacked)
        fmt::format_to(to, "@{} packed_func;\n\n", fn.name);
      else
        fmt::format_to(to, "@{} num_inputs={} vm_tir_func;\n\n", fn.name, fn.num_args);
      continue;
    }
    fmt::format_to(to, "@{}:\n", fn.name);
    for (int64_t at = fn.start; at < fn.end; ++at) {
      Instruction each = program.instruction(at);
      switch (each.opcode()) {
        case Opcode::kCall:
          fmt::format_to(to, "  {:<6}{:<16} in: {:<12} dst: {}\n", "call",
                         program.functions[static_cast<size_t>(each.function())].name,
                         joined(operands(program, each, operand_text)), register_text(each.destination()));
          break;
        case Opcode::kReturn:
          fmt::format_to(to, "  {:<6}{}\n", "ret", register_text(each.source()));
          break;
        case Opcode::kGoto:
          fmt::format_to(to, "  {:<6}{}\n", "goto", each.offset());
          break;
        case Opcode::kIf:
          fmt::format_to(to, "  {:<6}{}, {}\n", "If", register_text(each.source()), each.offset());
          break;
      }
    }
    out += '\n';
  }
  return out;
}

std::string as_python(const Program& program) {
  std::string out = "ib = rx.Builder()\n";
  auto to = std::back_inserter(out);
  for (const FunctionInfo& fn : program.functions) {
    if (fn.kind != FunctionKind::kVM) continue;
    fmt::format_to(to, "with ib.function(\"{}\", num_inputs={}):\n", fn.name, fn.num_args);
    for (int64_t at = fn.start; at < fn.end; ++at) {
      Instruction each = program.instruction(at);
      switch (each.opcode()) {
        case Opcode::kCall:
          fmt::format_to(to, "    ib.emit_call(\"{}\", args=[{}]",
                         program.functions[static_cast<size_t>(each.function())].name,
                         joined(operands(program, each, builder_text)));
          if (each.destination() != kVoid) fmt::format_to(to, ", dst=ib.r({})", each.destination());
          out += ")\n";
          break;
        case Opcode::kReturn:
          fmt::format_to(to, "    ib.emit_ret(ib.r({}))\n", each.source());
          break;
        case Opcode::kGoto:
          fmt::format_to(to, "    ib.emit_goto({})\n", each.offset());
          break;
        case Opcode::kIf:
          fmt::format_to(to, "    ib.emit_if(ib.r({}), {})\n", each.source(), each.offset());
          break;
      }
    }
  }
  return out;
}

std::string stats(const Program& program) {
  std::vector<std::string> constants, names;
  for (const Any& each : program.constants) constants.push_back(constant_text(each));
  for (const FunctionInfo& fn : program.functions) names.push_back(fn.name);
  return fmt::format("Relax VM executable statistics:\n  Constant pool (# {}): [{}]\n  Globals (#{}): [{}]\n",
                     constants.size(), joined(constants), names.size(), joined(names));
}

}  // namespace mlc::vm
