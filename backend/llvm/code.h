// SPDX-License-Identifier: Apache-2.0
// Machine code of a module: compiled once, run in process or written to files. No LLVM types here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/core/module.h"
#include "ir/core/span.h"
#include "ir/target/target.h"

namespace mlc::llvm_backend {

// What generated code records about its source.
enum class DebugInfo : uint8_t {
  kNone,
  kLines,  // DWARF line tables; the machine code is the same with them and without
};

struct Code {
  std::string object;                  // a relocatable object file in the target's format
  std::vector<std::string> functions;  // exported names, without the tvm-ffi prefix
  bool parallel = false;               // needs mlc_parallel_launch
  bool weights = false;                // needs mlc_weights_open
  bool openblas = false;               // needs mlc_openblas_*
  bool onednn = false;                 // needs mlc_onednn_*
  bool host = false;                   // can run in this process
  std::vector<ir::Span> places;        // of the lines that the object names
};

// Of each function that has a plain C entry too: its symbol and its name in C.
using CNames = std::vector<std::pair<std::string, std::string>>;

// Compiles lowered functions. Throws ir::Error codegen-unsupported, unsupported-dtype, ...
// `program` names the function that link_program() will run; "" when no program is wanted.
Code compile(const ir::IRModule& lowered, const ir::Target& target, DebugInfo debug = DebugInfo::kLines,
             std::string_view program = "", const CNames& c_names = {});
// The optimised module as LLVM assembly ("ll"), or as the target's assembly ("asm").
std::string compile_to_text(const ir::IRModule& lowered, const ir::Target& target, bool assembly,
                            DebugInfo debug = DebugInfo::kNone);
// The same as LLVM's bitcode.
std::string compile_to_bitcode(const ir::IRModule& lowered, const ir::Target& target);

// Code loaded into this process. Functions live as long as it does; `code` must live longer.
class Loaded {
 public:
  // `module`: the tvm-ffi module that the code is of, whose imports have the kernels that it launches.
  explicit Loaded(const Code& code, void* module = nullptr);
  ~Loaded();
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  // The tvm-ffi entry of a function (TVMFFISafeCallType), or null.
  void* entry(const std::string& function) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Where an instruction of loaded code comes from.
struct CodeLocation {
  std::string function;  // "" when not even that is known
  ir::Span span;
};
// Takes no lock, so that a signal handler may call it.
bool is_loaded(uintptr_t address);
bool has_loaded();  // anything, by now
// Reads the line table of the object now, and allocates: a handler may call it only when what it
// interrupted is loaded code, which holds no lock. Null for an address in other code.
std::optional<CodeLocation> place_of(uintptr_t address);

// Links the object into a shared library or a program with the linker inside mlc; needs no compiler or
// development files. Programs run `entry` on random inputs (backend/runtime/program.cpp).
// `soname`: what programs that link it load at run time, or "" for the path they were linked with.
void link_shared_library(const Code& code, const ir::Target& target, const std::string& path,
                         const std::string& soname = "");
// The same of several modules' code, and of bytes that `symbol` of the library names.
void link_shared_library(const std::vector<const Code*>& codes, std::string_view symbol,
                         std::string_view bytes, const ir::Target& target, const std::string& path);
// Relocatable object files as one.
std::string join_objects(const std::vector<std::string>& objects);
// An object file that holds nothing but bytes under a symbol.
std::string data_object(std::string_view symbol, std::string_view bytes, const ir::Target& target);
// The bytes of a static library of ELF files that has all it needs but libc and libm; written by LLVM, not by
// `ar`. `name` is that of the member with the code.
std::string static_library(const Code& code, const std::string& name);
void link_program(const Code& code, const ir::Target& target, const std::string& path);

}  // namespace mlc::llvm_backend
