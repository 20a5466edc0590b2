// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/script/core/machine.h"

namespace mlc::script {

// The text of a path: a str, or an object with __fspath__.
std::string path_text(Evaluator& evaluator, const Any& value, ir::Span span);

const char* class_of_errno(int64_t number);  // of OSError and its subclasses

// Raises what Python raises where the system refuses a file or folder; `code` is an errno.
[[noreturn]] void refuse_file(int code, std::string_view path, ir::Span span);

}  // namespace mlc::script
