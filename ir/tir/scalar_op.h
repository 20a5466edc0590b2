// SPDX-License-Identifier: Apache-2.0
// Scalar intrinsics: one row says all that the builder, te, the vectoriser, the interpreter and the code
// generators know of a function on numbers. A new one is a row of op_rows_scalar.cpp and a golden; what is
// not the same for all functions of its kind (the rounding of integers, say) is code that asks for the name.
#pragma once

#include <span>
#include <string_view>

namespace mlc::ir {

struct ScalarOp {
  // How T.name and tvm.tirx.name make a call.
  enum class Kind : unsigned char {
    kFunction,  // of one or two numbers, with the type of the first
    kRounding,  // the same, of a float; an integer is its own result, and a constant is rounded
    kTest,      // a bool; False for what is no float, known for constants
    kSpecial,   // by a function of its own in the builder
  };

  std::string_view name;        // "exp": T.exp, the operator tirx.exp
  std::string_view parameters;  // "x, y"
  std::string_view doc = "Elementwise.";
  Kind kind = Kind::kFunction;
  // What the interpreter computes; one of them is there but for functions of integers and of three numbers.
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  bool (*test)(double) = nullptr;
  // LLVM's own code: an intrinsic that most processors have as an instruction ("llvm.sqrt"), or the classes
  // of a test, those of llvm.is.fpclass. Else a polynomial of backend/llvm/emit_polynomials.cpp, else the C
  // library.
  std::string_view llvm = {};
  unsigned fp_class = 0;
  std::string_view libm = {};  // "exp": `expf` for float32; C code calls it, too
  bool in_te = false;          // also tvm.te.name
  bool tvm_vectors = false;    // VectorizeLoop makes vectors of it, as TVM does; VectorizeLoopAndCalls of all

  // What LowerIntrin makes of it, as in TVM: names for each kind of target, empty where that has none.
  struct Lowering {
    enum Hexagon : unsigned char { kNone, kPlain, kCounted };  // LLVM's; some with the number of arguments
    std::string_view c = {};                                   // float64; `f` is added for float32
    std::string_view llvm = {};                                // LLVM and ROCm
    std::string_view opencl = {};                              // and Metal
    std::string_view webgpu = {};
    bool cuda = false;
    bool nvptx = false;
    Hexagon hexagon = kNone;
  };
  Lowering lowering = {};

  int arity() const;
};

std::span<const ScalarOp> scalar_ops();
const ScalarOp* scalar_op(std::string_view name);  // by "tirx.exp" or "exp"; null for other operators

}  // namespace mlc::ir
