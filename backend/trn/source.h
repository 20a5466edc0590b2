// SPDX-License-Identifier: Apache-2.0
// Lowered kernels as functions of Python that call NKI, the kernel interface of AWS Trainium.
#pragma once

#include <string>

#include "ir/core/module.h"
#include "ir/target/target.h"

namespace mlc::trn_backend {

// Each kernel is a module of Python with one function. Its attribute "num_inputs" says how many of the
// parameters are read alone; the others are tensors that it writes and returns. Errors: codegen-unsupported
// and those of this folder.
std::string trn_source(const ir::IRModule& device_functions, const ir::Target& target);

}  // namespace mlc::trn_backend
