// SPDX-License-Identifier: Apache-2.0
// Emits instructions into an executable, function by function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/vm/executable.h"

namespace mlc::vm {

class ExecBuilder {
 public:
  // Integers that fit are immediates; other constants are kept once each.
  Operand constant(const Any& value);

  void declare(const std::string& name, FunctionKind kind);
  // Error: vm-unknown-function.
  Operand function(const std::string& name) const;
  // Errors: vm-function-exists, vm-parameter-names.
  void begin(const std::string& name, int64_t num_args, const std::optional<std::vector<std::string>>& param_names,
             FunctionKind kind = FunctionKind::kVM, int64_t register_file_size = 0);
  void end(const std::string& name);

  void call(Operand callee, const std::vector<Operand>& args, Register destination);
  void call(const std::string& callee, const std::vector<Operand>& args, Register destination);
  void ret(Operand result);
  void go(Word offset);
  void branch(Operand cond, Word false_offset);

  // How many instructions there are; a word of one that was emitted before its value was known.
  int64_t count() const { return static_cast<int64_t>(program_.offsets.size()); }
  void patch(int64_t instruction, int64_t word, Word value) {
    program_.words[static_cast<size_t>(program_.offsets[static_cast<size_t>(instruction)] + word)] = value;
  }
  // Where instructions from now on come from.
  void at(ir::Span span) { span_ = span; }

  // Numbers registers in the order of their use, checks, and gives the program. Errors: vm-function-open, those of
  // check_program.
  Program finish();

 private:
  void emit(std::initializer_list<Word> words);
  void number_registers(FunctionInfo& fn);

  Program program_;
  std::unordered_map<uint64_t, std::vector<size_t>> constants_by_hash_;
  ir::Span span_;
};

}  // namespace mlc::vm
