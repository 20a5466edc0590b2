// SPDX-License-Identifier: Apache-2.0
// The C interface of a module: next to the tvm-ffi entry of each exported function a plain C function,
// declared and explained by a header. A tensor is a pointer to its elements, a scalar is a scalar, and every
// symbol of a shape that is no parameter follows the parameters as an int64_t; a result comes back through a
// last pointer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/core/module.h"
#include "ir/tir/result_type.h"

namespace mlc::backend {

struct CParameter {
  enum class Kind : uint8_t { kTensor, kScalar, kSymbol, kResult };
  Kind kind;
  std::string name;     // in C
  std::string type;     // in C: "const float*", "int64_t"
  ir::Var var;          // null for the result
  bool reads = false;   // tensors
  bool writes = false;  // tensors
};

struct CFunction {
  std::string symbol;  // its global_symbol
  std::string name;    // in C
  ir::PrimFunc fn;     // lowered
  std::vector<CParameter> parameters;
};

struct CInterface {
  std::string library;  // an identifier
  bool parallel = false;
  std::vector<CFunction> functions;
};

// What the attribute `mlc.constants` says of a parameter, such as a weight, which then is no argument: its
// value, a tensor that is part of the artefact; or where it lies in the file `mlc.weights_file` beside that,
// in bytes. nullopt for an argument.
std::optional<ir::Any> constant_of(const ir::PrimFunc& fn, const ir::Var& param);
// How many of the arguments are results, the last ones: `mlc.num_outputs`.
size_t num_outputs(const ir::PrimFunc& fn);

// Symbols in the types of buffer parameters that are no parameters, in order of appearance.
std::vector<ir::Var> shape_symbols(const ir::PrimFunc& fn);

// What these symbols are where the function is called with `args`: extents of the buffers that it gets.
// Error: codegen-unsupported, for one that is not the extent of a parameter but only a part of it.
std::vector<ir::Expr> shape_arguments(const ir::PrimFunc& fn, const ir::CallNode* call);

using ir::result_type;

// The function `fn` of `mod` as C sees it under that name, which is not looked at. Error: no-c-signature.
CFunction c_function(std::string symbol, std::string name, const ir::PrimFunc& fn, const ir::IRModule& mod);

// What C calls the exported functions of a lowered module. A function's C name is `prefix` and its symbol;
// without a prefix `main` has the name of the library. Characters that C does not have become `_`. Errors:
// no-c-name, no-c-signature, duplicate-symbol, no-exported-function.
CInterface c_interface(const ir::IRModule& lowered, std::string_view library, std::string_view prefix);

// The type of a value or an element in C, "" where it has none: float16 and bfloat16 travel as their bits.
std::string c_type(ir::DataType dtype);
// `text` with `_` for every character that names in C cannot have.
std::string c_identifier(std::string_view text);
// A keyword of C or C++, or a name that their headers define.
bool is_reserved_in_c(std::string_view name);
// A function of the C library has this name.
bool in_c_library(const std::string& name);

// The header, C99 and C++. `text` prints the extents that are more than numbers. `for_cpp`: with
// cpp_wrappers().
std::string c_header(const CInterface& interface, const std::function<std::string(const ir::Expr&)>& text,
                     bool for_cpp = false);
// What a C++ header has behind the declarations; "" where no function says which of its arguments are
// results.
std::string cpp_wrappers(const CInterface& interface);
// The entry of one function in the header: a comment, and the declaration without `;`.
std::string c_comment(const CFunction& function, const std::function<std::string(const ir::Expr&)>& text);
std::string c_declaration(const CFunction& function);

}  // namespace mlc::backend
