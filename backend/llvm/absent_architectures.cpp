// SPDX-License-Identifier: Apache-2.0
// lld initialises every architecture that LLVM was built with, and Polly, for link-time optimisation, which
// mlc does not use. Those that are not linked into mlc are initialised to nothing here.
#include <llvm/Passes/PassPlugin.h>

#define MLC_ABSENT_PARSER(name) \
  extern "C" void LLVMInitialize##name##AsmParser() {}
#define MLC_ABSENT(name)                                \
  extern "C" void LLVMInitialize##name##Target() {}     \
  extern "C" void LLVMInitialize##name##TargetMC() {}   \
  extern "C" void LLVMInitialize##name##TargetInfo() {} \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}

MLC_ABSENT(AMDGPU)
MLC_ABSENT(AVR)
MLC_ABSENT(BPF)
MLC_ABSENT(Hexagon)
MLC_ABSENT(Lanai)
MLC_ABSENT(LoongArch)
MLC_ABSENT(M68k)
MLC_ABSENT(MSP430)
MLC_ABSENT(Mips)
MLC_ABSENT(NVPTX)
MLC_ABSENT(PowerPC)
MLC_ABSENT(Sparc)
MLC_ABSENT(SystemZ)
MLC_ABSENT(VE)
MLC_ABSENT(XCore)
MLC_ABSENT(Xtensa)
MLC_ABSENT_PARSER(AArch64)
MLC_ABSENT_PARSER(AMDGPU)
MLC_ABSENT_PARSER(ARM)
MLC_ABSENT_PARSER(AVR)
MLC_ABSENT_PARSER(BPF)
MLC_ABSENT_PARSER(Hexagon)
MLC_ABSENT_PARSER(Lanai)
MLC_ABSENT_PARSER(LoongArch)
MLC_ABSENT_PARSER(M68k)
MLC_ABSENT_PARSER(MSP430)
MLC_ABSENT_PARSER(Mips)
MLC_ABSENT_PARSER(PowerPC)
MLC_ABSENT_PARSER(RISCV)
MLC_ABSENT_PARSER(Sparc)
MLC_ABSENT_PARSER(SystemZ)
MLC_ABSENT_PARSER(VE)
MLC_ABSENT_PARSER(WebAssembly)
MLC_ABSENT_PARSER(X86)
MLC_ABSENT_PARSER(Xtensa)

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }
