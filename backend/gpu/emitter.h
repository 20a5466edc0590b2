// SPDX-License-Identifier: Apache-2.0
// Lowered kernels as text: what languages with C's grammar for GPUs share. A dialect derives from
// KernelEmitter and says its words (a row), its types, its vectors, and its operators.
//
// One KernelEmitter makes the text of one module. Every function with calling convention 2 or a global_symbol
// is a kernel: its parameters are those of the function in order, and threads are what the language says of
// them
// (`(int)threadIdx.x`), wherever a statement binds them.
//
// Vectors: a value is either one text of the language's vector type (`*(float4*)(A + i)`), or a text per
// lane. Lanes are computed one by one where the language has no arithmetic on vectors; memory is read and
// written by whole vectors where the index is known to be a multiple of the lanes, else lane by lane. Loads
// become statements before the one that uses them, in the arm of the choice that they belong to.
//
// Integers wrap. Sizes, loop variables and thread numbers, which do not overflow, are computed with plainly;
// all other signed arithmetic goes through unsigned numbers. Whether `a * b + c` is rounded once is up to the
// compiler.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backend/c/expr_text.h"
#include "backend/index_arithmetic.h"
#include "ir/core/visit.h"
#include "ir/target/target.h"
#include "ir/tir/op.h"

namespace mlc::gpu_backend {

using c_backend::Precedence;
using c_backend::Text;
using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;
using ir::VarNode;

struct Value {
  DataType dtype;
  Text whole;               // a scalar, or a vector of the language
  std::vector<Text> lanes;  // where not empty: a vector, by its lanes
};

// What a language spells its own way; each thread coordinate has its own text (KernelEmitter::thread).
struct Keywords {
  std::string_view language;  // in errors: "CUDA C++"
  std::string_view kernel;    // what is in front of a kernel's name
  std::string_view function;  // of a function that kernels call, without its result
  std::string_view shared;    // in front of memory of a block
  std::string_view global;    // of pointers to global memory, with a space behind; may be empty
  std::string_view shared_pointer;
  std::string_view local_pointer;
  std::string_view restrict_word;
  std::string_view infinity, nan;  // of float32
  std::string_view long_suffix;    // of constants of 64 bits
  std::string_view aligned;        // "alignas(64) ": in front of what is allocated
  bool vector_arithmetic;          // operators take vectors
  std::string_view reserved;       // names that variables cannot have, separated by spaces
  std::string_view local = "";     // in front of memory of a thread
  bool pointers = true;            // else memory is arrays, of which only elements are read and written
  bool wraps = false;              // signed arithmetic is defined to
  bool bool_is_number = true;      // in sums and operators on bits
  bool shared_outside = false;     // memory of a block is declared outside of functions
  bool unroll = true;              // knows `#pragma unroll`
  bool aligned_first = false;      // `aligned` is in front of `shared`
};

class KernelEmitter : protected backend::IndexArithmetic {
 public:
  KernelEmitter(const ir::IRModule& module, ir::Target target, const Keywords& words);
  virtual ~KernelEmitter() = default;
  std::string source();

 protected:
  struct Binding {
    Text text;
    bool is_size = false;      // arithmetic on it does not overflow
    bool nonnegative = false;  // integers
    int64_t divisor = 1;       // integers: it is a multiple of this
    // Pointers and buffers:
    DataType element = DataType::Void();  // of what the text points to; void where unknown
    std::string scope;
    bool is_const = false;
    bool is_volatile = false;
  };

  // A parameter with its name in the text; scalars of kernels may come in another way (`bindings_`).
  struct Parameter {
    const VarNode* var;
    std::string type, name;
    bool is_pointer, is_const;  // memory; only read
  };

  // ---- the grammar, where it is not C's ----
  virtual Text converted(const std::string& type, const Text& value) {
    return c_backend::casted(type, value);
  }
  virtual Text choice(const Text& condition, const Text& yes, const Text& no);  // yes and no have no effects
  virtual Text shifted(const Text& value, std::string_view op, const Text& by);
  virtual std::string constant(const std::string& type, const std::string& name, const std::string& value);
  virtual std::string variable(const std::string& type, const std::string& name, const std::string& value);
  virtual std::string array(const std::string& type, const std::string& name, int64_t size);
  virtual std::string guarded(const std::string& condition, const std::string& statement);
  virtual std::string loop(const std::string& type, const std::string& name, const Text& begin,
                           const Text& limit, const std::string& step);  // step: "" is 1
  // All of a function in front of its brace, once the parameters are bound and before its body.
  virtual std::string head(const ir::PrimFunc& fn, bool is_kernel, const std::string& name,
                           const std::string& result, const std::vector<Parameter>& params);

  // ---- what a dialect says ----
  // The type of values; Error unsupported-dtype. Vectors: only those that memory and variables can have.
  virtual std::string type(DataType dtype, ir::Span span) = 0;
  // The type of an element in memory, where it is another one.
  virtual std::string memory_type(DataType dtype, ir::Span span) { return type(dtype, span); }
  // A lane of a vector, and a vector of its lanes: `v.x`, `float4(a, b, c, d)`.
  virtual std::string lane(const std::string& vector, DataType dtype, int index);
  virtual std::string pack(DataType dtype, const std::vector<Text>& lanes, ir::Span span);
  // Of consecutive elements at a pointer, which is aligned to the vector.
  virtual Text load_vector(DataType dtype, const Text& pointer, const Binding& memory, ir::Span span) = 0;
  virtual std::string store_vector(DataType dtype, const Text& pointer, const std::string& value,
                                   const Binding& memory, ir::Span span) = 0;
  virtual Text thread(std::string_view tag, DataType dtype, ir::Span span) = 0;
  // In front of the kernel's name, behind the words: bounds of its launch.
  virtual std::string launch_bounds(const ir::PrimFunc& fn) { return ""; }
  virtual std::string barrier(std::string_view scope, ir::Span span) = 0;
  virtual Text float_constant(DataType dtype, double value, ir::Span span);
  virtual Text int_constant(DataType dtype, int64_t value, ir::Span span);
  virtual Text cast(const Text& value, DataType from, DataType to, ir::Span span) = 0;
  virtual Text reinterpret(const Text& value, DataType from, DataType to, ir::Span span) = 0;
  virtual Text extremum(bool is_max, const Text& a, const Text& b, DataType dtype) = 0;
  virtual Text float_mod(const Text& a, const Text& b, DataType dtype) = 0;
  // A function on numbers that no pass has given a name of the target: of scalars, or of vectors where the
  // language's functions take them.
  virtual Text math(std::string_view name, const std::vector<Text>& args, DataType dtype, DataType from,
                    ir::Span span) = 0;
  // An operator that only this language has; nullopt: it has none of that name.
  virtual std::optional<Value> device_call(const ir::CallNode* call, std::string_view name) {
    return std::nullopt;
  }
  // An attribute of a statement that this language has a word for: true when it and its body are done.
  virtual bool device_attr(const ir::AttrStmtNode* s) { return false; }
  // Memory of a scope of its own; true when done.
  virtual bool device_alloc(const ir::AllocBufferNode* s) { return false; }
  virtual std::string pointer_type(DataType element, std::string_view scope, bool is_const, ir::Span span);
  virtual std::string parameter_type(const Var& param, bool is_const);
  // What a function that a pass has named is called in the text.
  virtual std::string function_name(const std::string& name) { return name; }
  // A function whose lanes are called one by one is called with a vector at once.
  virtual bool takes_vectors(std::string_view function) const { return false; }
  virtual std::string preamble() = 0;  // in front of everything, when all bodies are written
  virtual std::string trap(
      ir::Span span);  // where an assertion fails; refused where the language has nothing
  // The declaration of memory whose size the launch says.
  virtual void dynamic_shared(const ir::AllocBufferNode* s);
  virtual Text atomic_add(const ir::CallNode* call);

  // ---- shared ----
  [[noreturn]] void refuse(std::string_view construct, ir::Span span, std::string help = "") const;
  [[noreturn]] static void undefined(std::string_view function, DataType dtype, ir::Span span);
  // A call of an overloaded function: scalars are cast to one type, or it would fit several.
  Text called_on(std::string_view function, const Text& a, const Text& b, DataType dtype);

  // emit_stmt.cpp
  void emit(const Stmt& s);
  void emit_for(const ir::ForNode* s);
  void emit_attr(const ir::AttrStmtNode* s);
  void emit_bind(const ir::BindNode* s);
  void emit_store(const ir::BufferStoreNode* s);
  void emit_return(const Expr& value);
  void emit_view(const ir::DeclBufferNode* s);
  void allocate(const ir::AllocBufferNode* s);
  void declare_shared(const std::string& declaration, const std::string& name);

  // emit_expr.cpp
  Value emit(const Expr& e);
  Text scalar(const Expr& e);
  Value binary(const ir::BinaryNode* e);
  Text arithmetic(ir::ExprKind kind, const Text& a, const Text& b, DataType dtype, const ir::BinaryNode* e);
  Text divide(ir::ExprKind kind, const Text& a, const Text& b, DataType dtype, const ir::BinaryNode* e);
  Value choose(const Expr& condition, const Expr& yes, const Expr& no, DataType dtype);
  Text both_or_either(const ir::BinaryNode* e);
  std::string index(const Expr& e);
  bool nonnegative(const Expr& e) const;
  bool is_size(const Expr& e) const;
  int64_t divisor(const Expr& e) const;  // known to divide it

  // emit_vector.cpp
  std::vector<Text> lanes(Value& value);
  std::string whole(Value& value, ir::Span span);
  Value of(DataType dtype, Text text) const { return {dtype, std::move(text), {}}; }
  Value broadcast(const Expr& scalar, int lanes);
  Value shuffle(const ir::ShuffleNode* e);
  Value load(const Var& buffer, const ir::Array<Expr>& indices, DataType dtype, const Expr& mask,
             ir::Span span);
  void store(const Var& buffer, const ir::Array<Expr>& indices, const Expr& value, const Expr& mask,
             ir::Span span);
  // One per lane of scalar texts.
  Value each_lane(DataType dtype, std::vector<Value> args,
                  const std::function<Text(const std::vector<Text>&)>& one);

  // emit_call.cpp
  Value emit_call(const ir::CallNode* call);
  Value emit_operator(const ir::CallNode* call, const ir::OpRow& row);
  Value emit_extern(const ir::CallNode* call);
  Text address(const ir::CallNode* call);
  std::string text_argument(const ir::CallNode* call, int64_t i) const;
  int64_t int_argument(const ir::CallNode* call, int64_t i) const;

  // Memory.
  const Binding& binding(const VarNode* var, ir::Span span) const;
  // A pointer to elements of the buffer's type.
  Text pointer(const VarNode* buffer, ir::Span span);
  std::string element(const VarNode* buffer, const std::string& index, ir::Span span);

  // Text.
  void line(std::string_view text);
  std::string fresh(std::string_view wanted);
  std::string keep(Text value, DataType dtype, std::string_view name, ir::Span span);
  std::string need(const std::string& name, const std::string& text);  // of the prelude, once
  static bool is_simple(const Text& text);
  static std::string zero(DataType dtype) { return dtype.is_bool() ? "false" : "0"; }

  class Block;
  friend class Block;

  ir::IRModule module_;
  ir::Target target_;
  const Keywords& words_;
  std::string text_;
  std::string shared_text_;  // declarations at the top of the function
  int indent_ = 1;
  bool returns_value_ = false;  // of the function that is written
  std::vector<std::set<std::string>> scopes_{1};
  std::unordered_map<const VarNode*, Binding> bindings_;
  std::unordered_set<const VarNode*> used_;
  std::map<std::string, std::string> functions_;  // global name -> name in the text

 private:
  std::string function(const std::string& global, const ir::PrimFunc& fn, bool is_kernel);

  std::set<std::string> prelude_;
  std::string prelude_text_;
};

// Braces; what is named inside is forgotten behind.
class KernelEmitter::Block {
 public:
  Block(KernelEmitter& emitter, std::string_view head);
  ~Block() noexcept(false);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

 private:
  KernelEmitter& emitter_;
};

// Extents of the threads of a block; nullopt where one is no constant.
std::optional<std::array<int64_t, 3>> block_extents(const ir::PrimFunc& fn);
// Their product; nullopt also where the function has no threads.
std::optional<int64_t> block_threads(const ir::PrimFunc& fn);
// Of each parameter that is memory whether the function may write to it.
std::vector<bool> written_memory(const ir::PrimFunc& fn);
// Is it one of the functions that the host launches?
bool is_kernel(const ir::BaseFunc& fn);

}  // namespace mlc::gpu_backend
