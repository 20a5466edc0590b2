// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/exec_builder.h"

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>

#include "ir/core/refusal.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "vm-unknown-function", .message = "the executable has no function `{}`"},
        {.name = "vm-function-exists", .message = "the executable has a function `{}` already"},
        {.name = "vm-parameter-names", .message = "`{}` takes {} arguments, but {} names are given"},
        {.name = "vm-function-open", .message = "the function `{}` has no end"},
        {.name = "vm-not-a-register", .message = "{} must be a register"},
    }};
MLC_REFUSALS(vm_exec_builder, refusals);

Operand ExecBuilder::constant(const Any& value) {
  if (auto number = value.as<int64_t>(); number && *number <= Operand::kGreatest && *number >= Operand::kLeast)
    return {Operand::Kind::kImmediate, *number};
  std::vector<Any>& all = program_.constants;
  std::vector<size_t>& alike = constants_by_hash_[ffi::StructuralHash()(value)];
  for (size_t i : alike) {
    if (ffi::StructuralEqual()(all[i], value)) return {Operand::Kind::kConstant, static_cast<Word>(i)};
  }
  alike.push_back(all.size());
  all.push_back(value);
  return {Operand::Kind::kConstant, static_cast<Word>(all.size() - 1)};
}

void ExecBuilder::declare(const std::string& name, FunctionKind kind) {
  auto [found, added] = program_.index.try_emplace(name, static_cast<int64_t>(program_.functions.size()));
  if (!added) {
    if (program_.functions[static_cast<size_t>(found->second)].kind != kind)
      throw refuse(refusals["vm-function-exists"], name);
    return;
  }
  FunctionInfo fn;
  fn.kind = kind;
  fn.name = name;
  program_.functions.push_back(std::move(fn));
}
Operand ExecBuilder::function(const std::string& name) const {
  auto found = program_.index.find(name);
  if (found == program_.index.end()) throw refuse(refusals["vm-unknown-function"], name);
  return {Operand::Kind::kFunction, found->second};
}

void ExecBuilder::begin(const std::string& name, int64_t num_args,
                        const std::optional<std::vector<std::string>>& param_names, FunctionKind kind,
                        int64_t register_file_size) {
  declare(name, kind);
  FunctionInfo& fn = program_.functions[static_cast<size_t>(program_.index.at(name))];
  if (fn.num_args != FunctionInfo::kDeclared) throw refuse(refusals["vm-function-exists"], name);
  if (param_names) {
    if (static_cast<int64_t>(param_names->size()) != num_args)
      throw refuse(refusals["vm-parameter-names"], name, num_args, param_names->size());
    fn.param_names = *param_names;
  }
  fn.num_args = num_args;
  fn.register_file_size = register_file_size;
  fn.start = count();
}
void ExecBuilder::end(const std::string& name) {
  FunctionInfo& fn = program_.functions[static_cast<size_t>(function(name).value())];
  fn.end = count();
}

void ExecBuilder::emit(std::initializer_list<Word> words) {
  program_.offsets.push_back(static_cast<int64_t>(program_.words.size()));
  program_.words.insert(program_.words.end(), words);
  program_.spans.push_back(span_);
}
void ExecBuilder::call(Operand callee, const std::vector<Operand>& args, Register destination) {
  emit({static_cast<Word>(Opcode::kCall), destination, callee.value(), static_cast<Word>(args.size())});
  for (Operand arg : args) program_.words.push_back(arg.word());
}
void ExecBuilder::call(const std::string& callee, const std::vector<Operand>& args, Register destination) {
  if (program_.index.count(callee) == 0) declare(callee, FunctionKind::kPacked);
  call(function(callee), args, destination);
}
void ExecBuilder::ret(Operand result) {
  if (result.kind() != Operand::Kind::kRegister) throw refuse(refusals["vm-not-a-register"], "what is returned");
  emit({static_cast<Word>(Opcode::kReturn), result.value()});
}
void ExecBuilder::go(Word offset) { emit({static_cast<Word>(Opcode::kGoto), offset}); }
void ExecBuilder::branch(Operand cond, Word false_offset) {
  if (cond.kind() != Operand::Kind::kRegister) throw refuse(refusals["vm-not-a-register"], "a condition");
  emit({static_cast<Word>(Opcode::kIf), cond.value(), false_offset});
}

void ExecBuilder::number_registers(FunctionInfo& fn) {
  std::unordered_map<Register, Register> numbers;
  Register next = fn.num_args;
  auto renamed = [&](Word& word) {
    auto found = numbers.find(word);
    if (found != numbers.end()) word = found->second;
  };
  for (int64_t at = fn.start; at < fn.end; ++at) {
    Word* words = program_.words.data() + program_.offsets[static_cast<size_t>(at)];
    switch (static_cast<Opcode>(words[0])) {
      case Opcode::kCall:
        for (Word i = 0; i < words[3]; ++i) {
          Operand arg = Operand::of_word(words[4 + i]);
          if (arg.kind() == Operand::Kind::kRegister && arg.value() >= fn.num_args) renamed(words[4 + i]);
        }
        if (words[1] >= fn.num_args && words[1] < kBeginSpecial) {
          if (numbers.try_emplace(words[1], next).second) ++next;
          renamed(words[1]);
        }
        break;
      case Opcode::kReturn:
      case Opcode::kIf:
        renamed(words[1]);
        break;
      case Opcode::kGoto:
        break;
    }
  }
  fn.register_file_size = next;
}

Program ExecBuilder::finish() {
  for (FunctionInfo& fn : program_.functions) {
    if (fn.kind != FunctionKind::kVM) continue;
    if (fn.end <= fn.start) throw refuse(refusals["vm-function-open"], fn.name);
    fn.register_file_size = kBeginSpecial;
  }
  // With the numbers that were given: of those that follow, one that nothing defines could be another's.
  check_program(program_);
  for (FunctionInfo& fn : program_.functions)
    if (fn.kind == FunctionKind::kVM) number_registers(fn);
  return std::move(program_);
}

}  // namespace mlc::vm
