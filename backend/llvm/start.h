// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::llvm_backend {

// Constructs the global objects of LLVM and lld, at the first call; constructors.ld keeps their constructors
// from running before main(), where they are a third of the start of a process that generates no code. Every
// function of this folder that other folders call begins with it, if it comes to LLVM.
void start_llvm();

}  // namespace mlc::llvm_backend
