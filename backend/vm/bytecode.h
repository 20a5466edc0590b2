// SPDX-License-Identifier: Apache-2.0
// The instructions of the virtual machine: four kinds, in words of 64 bits, as TVM 0.27 numbers them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mlc::vm {

using Word = int64_t;

enum class Opcode : Word {
  kCall = 1,    // destination, function, number of arguments, arguments
  kReturn = 2,  // register
  kGoto = 3,    // offset from this instruction
  kIf = 4,      // register, offset from this instruction where it is false
};

using Register = Word;
inline constexpr Register kBeginSpecial = Word{1} << 54;
inline constexpr Register kVoid = kBeginSpecial;         // no value
inline constexpr Register kMachine = kBeginSpecial + 1;  // the machine that runs, for builtins

// An operand: 8 bits of kind, 56 bits of value.
class Operand {
 public:
  enum class Kind : uint8_t { kRegister = 0, kImmediate = 1, kConstant = 2, kFunction = 3 };
  static constexpr Word kGreatest = (Word{1} << 55) - 1, kLeast = -(Word{1} << 55);

  Operand(Kind kind, Word value)
      : word_(static_cast<Word>((static_cast<uint64_t>(kind) << 56) | (static_cast<uint64_t>(value) & kValueBits))) {}
  static Operand of_word(Word word) { return Operand(word); }

  Kind kind() const { return static_cast<Kind>(static_cast<uint64_t>(word_) >> 56); }
  Word value() const { return static_cast<Word>(static_cast<uint64_t>(word_) << 8) >> 8; }
  Word word() const { return word_; }

 private:
  static constexpr uint64_t kValueBits = (uint64_t{1} << 56) - 1;
  explicit Operand(Word word) : word_(word) {}
  Word word_;
};

enum class FunctionKind : int32_t {
  kPacked = 0,  // found by name when a machine is made: tensor functions, builtins
  kVM = 1,      // instructions
  kVMTIR = 2,   // a tensor function over the registers (exec_mode="compiled")
};

struct FunctionInfo {
  static constexpr int64_t kDeclared = -2;  // num_args of a function that has no body yet

  FunctionKind kind = FunctionKind::kPacked;
  std::string name;
  int64_t start = 0, end = 0;  // its instructions
  int64_t num_args = kDeclared;
  int64_t register_file_size = 0;
  std::vector<std::string> param_names;
};

// One instruction among the words of a program.
struct Instruction {
  const Word* words;
  Opcode opcode() const { return static_cast<Opcode>(words[0]); }
  // of kCall
  Register destination() const { return words[1]; }
  Word function() const { return words[2]; }
  Word count() const { return words[3]; }
  Operand operand(Word index) const { return Operand::of_word(words[4 + index]); }
  // of kReturn and kIf
  Register source() const { return words[1]; }
  // of kGoto and kIf
  Word offset() const { return opcode() == Opcode::kGoto ? words[1] : words[2]; }
};

}  // namespace mlc::vm
