// SPDX-License-Identifier: Apache-2.0
// Lowered TIR to the text of C11. One ModuleEmitter per module, one FunctionEmitter per function.
//
// Every PrimFunc is one C function in the convention of backend/artefact/c_interface.h:
//   int f(const float* restrict A, ..., int64_t n, float* result)     0, or another number with an error
//   raised
// Those without a global_symbol are static. For tvm-ffi (Convention::kPacked) all are static, and each with a
// symbol has an entry `__tvm_ffi_SYMBOL` that checks its arguments and calls it.
//
// Vectors have no type in the text. A statement with vectors is a loop over their lanes, in which every
// expression is its value in that lane: a ramp is `base + stride * lane`, a broadcast is its value.
// C compilers make vectors of such loops, for any number of lanes and any type; who reads the text sees
// subscripts. Where lanes are picked by constants (shuffles) the loop is written out.
//
// Values: small floats (float16, bfloat16, floats of 8 bits) are bit patterns, computed with as float and
// rounded after every operation. Integers wrap: arithmetic on sizes and indices, which the compiler's own
// analysis takes for exact, is plain, all other signed arithmetic goes through functions of the prelude.
#pragma once

#include <map>
#include <set>
#include <unordered_set>

#include "backend/accumulations.h"
#include "backend/artefact/c_interface.h"
#include "backend/c/expr_text.h"
#include "backend/index_arithmetic.h"
#include "ir/core/visit.h"
#include "ir/tir/op.h"

namespace mlc::c_backend {

using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;
using ir::VarNode;

// Who calls the functions.
enum class Convention : uint8_t {
  kPlain,   // C programs
  kPacked,  // tvm-ffi
};

// The type of a value in C; Error unsupported-dtype for what has none. `dtype` counts as one of its lanes.
std::string value_type(DataType dtype, ir::Span span);
bool is_soft_float(DataType dtype);  // a bit pattern in the text
// How values of that type are called in names of the prelude's functions: "int32", "float", "float16".
std::string type_word(DataType dtype);
// A function or macro of the C library that texts use: nothing else in them can have its name.
bool is_called_by_text(const std::string& name);
// Does it begin as names of the prelude do, or as those of headers? No number at its end makes it free.
bool has_taken_prefix(std::string_view name);
// Quoted for C.
std::string c_string(std::string_view text);
// The same with `%` doubled, for formats of printf.
std::string in_format(std::string_view text);

[[noreturn]] void refuse(std::string_view construct, ir::Span span, std::string help = "");

struct Function {
  backend::CFunction c;
  bool exported = false;
  bool noalias = false;
  DataType result = DataType::Void();
  std::vector<Var> shape_vars;
};

class ModuleEmitter {
 public:
  // `print` writes sizes for the comments of functions; needed with Convention::kPlain alone.
  ModuleEmitter(Convention convention, std::function<std::string(const Expr&)> print)
      : convention(convention), print_(std::move(print)) {}

  // `library`, `prefix`: as of c_interface(). They decide the names with Convention::kPlain.
  std::string emit(const ir::IRModule& lowered, std::string_view library, std::string_view prefix);
  const backend::CInterface& interface() const { return interface_; }
  const std::vector<std::string>& symbols() const { return symbols_; }  // of the entries
  bool parallel() const { return prelude_.contains("mlc_parallel"); }

  const Function* find(const ir::GlobalVarNode* callee) const;
  // A function or macro of the prelude, which from now on is part of the text: `name` is it. Functions per
  // type are rows with `$`: prelude("mlc_min_$", Int(32)) gives "mlc_min_int32".
  std::string prelude(std::string_view row, DataType dtype = DataType::Void());
  // A function from outside of the text, under a name that nothing in the headers contradicts.
  std::string outside(const std::string& symbol, const std::string& result,
                      const std::vector<std::string>& params, ir::Span span);
  std::string unique_name(std::string wanted);
  const std::set<std::string>& function_names() const { return names_; }

  const Convention convention;

 private:
  void declare(const ir::IRModule& lowered);
  std::string entry(const Function& function);  // emit_entry.cpp

  std::function<std::string(const Expr&)> print_;
  backend::CInterface interface_;
  std::map<std::string, Function> functions_;   // by global name
  std::map<std::string, std::string> prelude_;  // name -> text
  std::vector<std::string> prelude_order_;
  std::map<std::string, std::string> outside_;  // symbol -> declaration
  std::set<std::string> names_;
  std::vector<std::string> symbols_;
};

class FunctionEmitter : private backend::IndexArithmetic {
 public:
  FunctionEmitter(ModuleEmitter& module, const Function& function);
  std::string body();  // between the braces, indented

  // For entries, which evaluate extents over variables that they have bound.
  void define(const VarNode* var, std::string name, bool is_size);
  bool defines(const VarNode* var) const { return bindings_.contains(var); }
  std::string value(const Expr& e) { return emit(e).text; }

 private:
  struct Binding {
    std::string name;
    bool is_size = false;           // a loop variable or an extent: arithmetic on it does not overflow
    bool nonnegative = false;       // integers
    bool lanes = false;             // a vector: `name` is an array with an element per lane
    bool local = false;             // buffers: memory that the function allocates
    std::string element;            // buffers: the C type of what the pointer points to
    const VarNode* root = nullptr;  // buffers: whose memory it is; null: unknown
    Expr inlined;                   // a vector of a Let: this expression
  };
  // What leaving the function, or an iteration, has to release.
  struct Scope {
    std::set<std::string> names;
    std::vector<std::string> heap;
    bool is_loop = false;  // `break` and `continue` leave it
  };
  class Block;
  friend class Block;

  // emit_stmt.cpp
  void emit(const Stmt& s);
  void emit_for(const ir::ForNode* s);
  void emit_attr(const ir::AttrStmtNode* s);
  void emit_bind(const ir::BindNode* s);
  void emit_store(const ir::BufferStoreNode* s);
  void emit_view(const ir::DeclBufferNode* s);
  void emit_masked_store(const ir::CallNode* call);
  void allocate(const ir::AllocBufferNode* s);
  void emit_return(const Expr& value, ir::Span span);
  void leave_loop(std::string_view word, ir::Span span);
  void checks();
  // Runs `each` for all lanes: in a loop, or once per lane where `e` picks lanes by constants.
  void for_lanes(int lanes, const std::vector<Expr>& used, const std::function<void()>& each);
  bool must_be_read_first(const ir::BufferStoreNode* s);
  bool may_fail(const Stmt& s) const;

  // emit_expr.cpp
  Text emit(const Expr& e);
  Text emit_binary(const ir::BinaryNode* e);
  std::optional<Text> multiply_add(const ir::BinaryNode* sum);  // of an accumulation of a product
  Text arithmetic(ir::ExprKind kind, const Text& a, const Text& b, DataType dtype, const ir::BinaryNode* e);
  Text divide(ir::ExprKind kind, const Text& a, const Text& b, DataType dtype, const ir::BinaryNode* e);
  Text compare(ir::ExprKind kind, const Text& a, const Text& b);
  Text emit_cast(const Text& value, DataType from, DataType to, ir::Span span);
  Text emit_let(const ir::LetNode* e);
  Text emit_shuffle(const ir::ShuffleNode* e);
  Text emit_constant(DataType dtype, int64_t value);
  Text emit_float(DataType dtype, double value);
  // Only one of `yes` and `no` is evaluated.
  Text choose(const Expr& condition, const Expr& yes, const Expr& no, DataType dtype);
  Text both_or_either(const ir::BinaryNode* e);
  Text load(const ir::TensorLoadNode* e);
  std::string element(const Var& buffer, const ir::Array<Expr>& indices, int lanes, ir::Span span);
  Text to_float(const Text& value, DataType soft);
  Text from_float(const Text& value, DataType soft);
  std::string index(const Expr& e);
  bool nonnegative(const Expr& e) const;
  bool is_size(const Expr& e) const;
  Text at_lane(const Expr& e, int lane);

  // emit_call.cpp
  Text emit_call(const ir::CallNode* call);
  Text emit_operator(const ir::CallNode* call, const ir::OpRow& row);
  Text math(const ir::OpRow& row, const std::vector<Text>& args, DataType dtype, ir::Span span);
  Text emit_function_call(const ir::CallNode* call, const ir::GlobalVarNode* callee);
  Text emit_extern(const ir::CallNode* call);
  Text emit_any(const Expr& mask);
  Text emit_check_index(const ir::CallNode* call);
  Text emit_reinterpret(const ir::CallNode* call);
  Text emit_address(const ir::CallNode* call);
  Text emit_multiply_shift(const ir::CallNode* call);
  Text emit_atomic_add(const ir::CallNode* call);

  // Text.
  void line(std::string_view text);
  std::string fresh(std::string_view wanted);                               // a name that nothing here has
  void fail(std::string_view kind, std::string_view format_and_arguments);  // in a block of its own
  void leave(std::string_view statement, size_t outermost);  // releases what scopes from there on hold
  std::string keep(const Text& value, DataType dtype, std::string_view name, ir::Span span);
  const Binding& binding(const VarNode* var, ir::Span span) const;

  ModuleEmitter& m_;
  const Function& function_;
  std::string text_;
  int indent_ = 1;
  std::vector<Scope> scopes_{1};
  std::unordered_map<const VarNode*, Binding> bindings_;
  std::unordered_set<const VarNode*> used_;
  std::unordered_set<const ir::BinaryNode*> accumulations_;
  std::unordered_map<const ir::ExprNode*, std::string> hoisted_;  // values with effects, once for all lanes
  std::string lane_;      // the text of the lane: a variable or a number; empty outside of vectors
  int lane_number_ = -1;  // where it is a number
  // Inside of a parallel loop: where failing goes, and what it sets; scopes from that one on are released.
  std::string failed_, next_;
  size_t parallel_scope_ = 0;
  bool next_used_ = false;
};

// The loop nest's own braces: everything that is defined inside is forgotten behind.
class FunctionEmitter::Block {
 public:
  Block(FunctionEmitter& emitter, std::string_view head, bool is_loop = false);
  ~Block() noexcept(false);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

 private:
  FunctionEmitter& emitter_;
};

}  // namespace mlc::c_backend
