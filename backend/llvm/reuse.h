// SPDX-License-Identifier: Apache-2.0
// Machine code of functions that an earlier build has compiled, found by what these are before they are
// lowered: then neither passes nor LLVM run for them.
//
// The pipeline asks (stdlib/pipeline/reuse.mlc). A function with the attribute `mlc.code` stays as it is: its
// code lies in the cache under that key. One with `mlc.code_key` is lowered, and what it is compiled to goes
// there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/llvm/code.h"

namespace mlc::llvm_backend {

constexpr const char* kCode = "mlc.code";
constexpr const char* kCodeKey = "mlc.code_key";

// Has a function of the module one of these attributes?
bool has_code_keys(const ir::IRModule& mod);

// The key under which the functions of a module (a group, see partition.h) have their code; "" where the
// library that lowers them is no part of this program. `text` is the module as a program, `settings` what
// else passes depend on.
std::string code_key(const ir::IRModule& mod, std::string_view text, std::string_view settings,
                     const ir::Target& target);

// The code under a key, without the spans that it names; nothing where there is none. What was found once
// stays found as long as the process runs, or until take_code().
bool find_code(const std::string& key);
// The code of a group whose functions have the attribute `mlc.code`; nothing where they have not.
std::optional<Code> take_code(const ir::IRModule& group);
// Keeps the code of a group whose functions have the attribute `mlc.code_key`; of others nothing.
void keep_code(const ir::IRModule& group, const Code& code);

}  // namespace mlc::llvm_backend
