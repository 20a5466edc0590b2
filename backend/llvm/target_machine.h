// SPDX-License-Identifier: Apache-2.0
// From ir::Target to LLVM's target machine.
#pragma once

#include <memory>
#include <string>

#include "ir/target/target.h"

namespace llvm {
class TargetMachine;
}

namespace mlc::llvm_backend {

// What code generation needs of a target. One per target text, made once per process and kept.
struct Machine {
  std::unique_ptr<llvm::TargetMachine> machine;
  bool is_host = false;           // code runs in this process: same architecture and system, known features
  bool is_named = false;          // the target names a CPU, and so does the text of its functions
  bool has_half = false;          // converts float16 to and from float32 in hardware
  bool rounds_bfloat = false;     // rounds float32 to bfloat16 in hardware, as the standard has it
  bool scales_by_powers = false;  // has an instruction for x * 2^n on vectors: AVX-512
  bool has_scalable = false;      // has vectors of a length that only it knows: SVE, RISC-V's V
  unsigned vector_bits =
      0;  // of vectors that LLVM makes by itself: `vector-width`; 0: what it prefers for the CPU
  unsigned legal_bits = 0;  // up to which a vector of the program is not split; 0: as LLVM does
  int opt_level = 3;
  int64_t cores = 0;       // `num-cores`: threads of a parallel loop at most; 0: as many as there are
  unsigned fast_math = 0;  // bits of FastMath below

  enum FastMath : unsigned {
    kNoNans = 1,
    kNoInfs = 2,
    kNoSignedZeros = 4,
    kReciprocal = 8,
    kContract = 16,
    kReassociate = 32,
    kApproximate = 64
  };
};

// "llvm" without attributes is this very machine with everything its CPU has. Throws ir::Error
// unknown-target (triple without code generator, unknown CPU), unsupported-target (other kinds).
const Machine& machine_for(const ir::Target& target);
// The same as one of its own: what LLVM keeps in a machine is that of one compilation at a time.
std::unique_ptr<Machine> new_machine(const ir::Target& target);

std::string host_triple();
std::string host_cpu();

}  // namespace mlc::llvm_backend
