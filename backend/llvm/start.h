// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::llvm_backend {

// Constructs the global objects of LLVM and lld and registers the architectures, at the first call;
// constructors.ld keeps the constructors from running before main(). Without it `mlc --version` takes 6.6 ms
// instead of 4.0, a script of one line 7.3 instead of 4.4 (least of 200 runs, November 2026). Every function of
// this folder that other folders call begins with it, if it comes to LLVM.
void start_llvm();

}  // namespace mlc::llvm_backend
