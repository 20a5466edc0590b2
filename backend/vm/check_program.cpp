// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <set>

#include "backend/vm/executable.h"
#include "ir/core/refusal.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "vm-instruction-damaged", .message = "instruction {} of `{}` is damaged"},
        {.name = "vm-register-undefined",
         .message = "instruction {} of `{}` reads register {}, which nothing before it defines"},
        {.name = "vm-operand-out-of-range", .message = "instruction {} of `{}` names {} {}, but there are {}"},
        {.name = "vm-jump-out-of-function", .message = "instruction {} of `{}` jumps to {}, outside of the function"},
    }};
MLC_REFUSALS(vm_check_program, refusals);

namespace {

// Are all words of the instruction there?
bool is_whole(const Program& program, int64_t at) {
  int64_t begin = program.offsets[static_cast<size_t>(at)];
  int64_t size = static_cast<int64_t>(program.words.size());
  auto has = [&](int64_t count) { return count >= 0 && count <= size - begin; };
  if (begin < 0 || begin >= size) return false;
  switch (static_cast<Opcode>(program.words[static_cast<size_t>(begin)])) {
    case Opcode::kCall:
      return has(4) && program.words[static_cast<size_t>(begin) + 3] >= 0 &&
             program.words[static_cast<size_t>(begin) + 3] <= size - begin - 4;
    case Opcode::kReturn:
    case Opcode::kGoto:
      return has(2);
    case Opcode::kIf:
      return has(3);
  }
  return false;
}

void check_function(const Program& program, const FunctionInfo& fn) {
  // A register that another branch defines is read in neither: what is defined is found in the order of the text.
  std::set<Register> defined;
  auto refused = [&](int64_t at) { return refuse(refusals["vm-instruction-damaged"], at - fn.start, fn.name); };
  auto reads = [&](int64_t at, Register r, std::initializer_list<Register> special) {
    if (r >= 0 &&
        (r < fn.num_args || std::count(special.begin(), special.end(), r) != 0 || defined.count(r) != 0))
      return;
    throw refuse(refusals["vm-register-undefined"], at - fn.start, fn.name, r);
  };
  auto below = [&](int64_t at, std::string_view what, Word value, int64_t size) {
    if (value < 0 || value >= size)
      throw refuse(refusals["vm-operand-out-of-range"], at - fn.start, fn.name, what, value, size);
  };
  auto lands = [&](int64_t at, Word offset) {
    if (offset == 0 || offset < fn.start - at || offset >= fn.end - at)
      throw refuse(refusals["vm-jump-out-of-function"], at - fn.start, fn.name, at + offset - fn.start);
  };
  for (int64_t at = fn.start; at < fn.end; ++at) {
    if (!is_whole(program, at)) throw refused(at);
    Instruction each = program.instruction(at);
    switch (each.opcode()) {
      case Opcode::kCall:
        below(at, "function", each.function(), static_cast<int64_t>(program.functions.size()));
        for (Word i = 0; i < each.count(); ++i) {
          Operand arg = each.operand(i);
          switch (arg.kind()) {
            case Operand::Kind::kRegister:
              reads(at, arg.value(), {kVoid, kMachine});
              break;
            case Operand::Kind::kImmediate:
              break;
            case Operand::Kind::kConstant:
              below(at, "constant", arg.value(), static_cast<int64_t>(program.constants.size()));
              break;
            case Operand::Kind::kFunction:
              below(at, "function", arg.value(), static_cast<int64_t>(program.functions.size()));
              break;
            default:
              throw refused(at);
          }
        }
        if (each.destination() != kVoid) {
          below(at, "register", each.destination(), fn.register_file_size);
          defined.insert(each.destination());
        }
        break;
      case Opcode::kReturn:
        reads(at, each.source(), {kVoid});
        break;
      case Opcode::kGoto:
        lands(at, each.offset());
        break;
      case Opcode::kIf:
        reads(at, each.source(), {});
        lands(at, each.offset());
        break;
    }
  }
  // The last instruction does not run on into what follows.
  Opcode last = program.instruction(fn.end - 1).opcode();
  if (last != Opcode::kReturn && last != Opcode::kGoto) throw refused(fn.end - 1);
}

}  // namespace

void check_program(const Program& program) {
  int64_t count = static_cast<int64_t>(program.offsets.size());
  for (const FunctionInfo& fn : program.functions) {
    // Compiled, a graph leaves its result in the register behind the parameters.
    if (fn.kind == FunctionKind::kVMTIR && (fn.num_args < 0 || fn.register_file_size <= fn.num_args))
      throw refuse(refusals["vm-instruction-damaged"], 0, fn.name);
    if (fn.kind != FunctionKind::kVM) continue;
    if (fn.start < 0 || fn.end <= fn.start || fn.end > count || fn.num_args < 0 ||
        fn.register_file_size < fn.num_args)
      throw refuse(refusals["vm-instruction-damaged"], 0, fn.name);
    check_function(program, fn);
  }
}

}  // namespace mlc::vm
