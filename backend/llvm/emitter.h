// SPDX-License-Identifier: Apache-2.0
// Lowered TIR to LLVM IR. One ModuleEmitter per module, one FunctionEmitter per LLVM function.
//
// Every PrimFunc `f` becomes
//   internal i32 @f_compute(params..., shape variables..., ptr result)   what it computes; 0, or -1 with an
//   error raised i32 @__tvm_ffi_f(ptr, ptr args, i32 n, ptr result)                   tvm-ffi's calling
//   convention: checks, then calls
//   i32 @f(params..., i64 shape variables..., ptr result)   only with a C interface:
//   backend/artefact/c_interface.h
// Functions without a global_symbol have only the first; a version of `f` (AddNoaliasVersion) is
// @f_compute_noalias. Buffers are passed as their data pointer; with `tirx.noalias` those pointers are
// `noalias`, from which all alias knowledge of the optimiser follows.
//
// Values in registers: bool is i1 (i8 in memory); bfloat16, floats of 8 bits, and float16 where the machine
// cannot convert it, are bit patterns, computed with as float32 and rounded after every operation.
#pragma once

#include "backend/index_arithmetic.h"
#include "backend/llvm/code.h"
#include "backend/llvm/debug_lines.h"
#include "backend/llvm/pch.h"
#include "backend/llvm/target_machine.h"
#include "ir/core/small_float.h"
#include "ir/tir/op.h"

namespace mlc::llvm_backend {

using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;
using ir::VarNode;

class FunctionEmitter;

// How the compute function of a PrimFunc is called.
struct Signature {
  ir::PrimFunc fn;
  std::string name;
  bool exported = false;
  bool noalias = false;
  std::vector<Var> params;
  std::vector<std::pair<Var, ir::Any>>
      constants;                // parameters that are part of the artefact: backend::constant_of()
  ir::Span place;               // its own, or where its text begins
  std::vector<Var> shape_vars;  // symbols in buffer types that are no parameters, in order of appearance
  DataType result = DataType::Void();
  // Where its tensors are. Of a function that launches kernels the compute function has the device's number
  // (i32) as one more parameter, before the result's.
  int device = kDLCPU;
  llvm::Function* compute = nullptr;
};

class ModuleEmitter {
 public:
  // `with_lines`: the code says which lines of the program it comes from.
  ModuleEmitter(llvm::LLVMContext& context, const Machine& machine, std::string_view name, bool with_lines);

  // `program`: the function that a stand-alone program runs, or "" for none.
  std::unique_ptr<llvm::Module> emit(const ir::IRModule& mod, std::string_view program = "",
                                     const CNames& c_names = {});

  // Data types as LLVM sees them; refused types throw Error unsupported-dtype at `span`.
  llvm::Type* register_type(DataType dtype, ir::Span span = {});
  llvm::Type* memory_type(DataType dtype, ir::Span span = {});
  bool is_soft_float(DataType dtype) const;  // a bit pattern in registers

  const Signature* find(const ir::GlobalVarNode* callee) const;
  llvm::Constant* text(std::string_view value);  // pointer to a shared C string
  llvm::GlobalVariable* weights_file(
      const ir::PrimFunc& fn);  // what is known of the file, once for the module
  llvm::Constant* elements(
      const ir::ffi::Tensor& tensor);  // pointer to the bytes of a tensor, once for each tensor
  // A function of the C library or of tvm-ffi.
  llvm::FunctionCallee outside(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> args,
                               bool varargs = false);
  // That a program calls a function by this name, which may be one of backend/runtime.
  void note_outside(std::string_view symbol);
  // i32 (ptr kind, ptr format, ptr text, i64 a, i64 b): formats and raises an error, returns -1. Formats take
  // the three values in this order (%s, %lld, %lld).
  llvm::Function* raise_function();
  llvm::FunctionCallee raise_text();  // void (ptr kind, ptr message); emit_c_entry.cpp
  llvm::Function* new_function(const std::string& name, llvm::FunctionType* type, bool exported);

  llvm::LLVMContext& context;
  const Machine& machine;
  std::unique_ptr<llvm::Module> module;
  bool parallel = false;              // some function launches a parallel loop
  bool weights = false;               // some constants lie in a file: mlc_weights_open is called
  bool openblas = false;              // some function calls that library
  bool onednn = false;
  bool packed = false;                // some function calls one of tvm-ffi's global functions
  std::unique_ptr<DebugLines> lines;  // null: not wanted
  std::unordered_set<const ir::BinaryNode*> accumulations;  // of the function that is emitted

 private:
  void declare(const ir::GlobalVar& global, const ir::PrimFunc& fn);
  void emit_compute(const Signature& signature);
  void emit_entry(const Signature& signature);                             // emit_entry.cpp
  void emit_program(const Signature& signature);                           // emit_program.cpp
  void emit_c_entry(const Signature& signature, const std::string& name);  // emit_c_entry.cpp
  void emit_error_text();

  std::unordered_map<std::string, Signature> signatures_;  // by global name
  std::unordered_map<std::string, llvm::Constant*> texts_;
  std::unordered_map<const void*, llvm::Constant*> elements_;  // by the address of a tensor's
  llvm::GlobalVariable* weights_file_ = nullptr;
  llvm::Function* raise_ = nullptr;
  llvm::Function* raise_text_ = nullptr;
  llvm::Function* error_slot_ = nullptr;  // only with a C interface
};

class FunctionEmitter : private backend::IndexArithmetic {
 public:
  // `place`: where the function begins in its source.
  FunctionEmitter(ModuleEmitter& module, llvm::Function* function, ir::Span place);

  llvm::Value* emit(const Expr& e);
  void emit(const Stmt& s);

  void define(const Var& var, llvm::Value* value);
  void define_extent(const Var& var, llvm::Value* value);  // an integer that is not negative
  void define_buffer(const Var& buffer, llvm::Value* data, bool noalias, uint64_t alignment);
  void define_constants(const Signature& signature);  // emit_weights.cpp
  bool defines(const VarNode* var) const { return values_.contains(var); }
  // Branches to the end with a status that is not zero unless `ok` holds; then an error has been raised:
  // `raise` does that and gives the status, `require` raises a text that is known now.
  void fail_unless(llvm::Value* ok, llvm::function_ref<llvm::Value*()> raise);
  void require(llvm::Value* ok, std::string_view kind, std::string_view message);
  void check_status(llvm::Value* status);
  void set_result(llvm::Value* where, DataType dtype) { result_ = where, result_type_ = dtype; }
  // Memory that the function allocates is on that device (emit_device.cpp).
  void define_device(int type, llvm::Value* id) { device_type_ = type, device_id_ = id; }
  void set_device(int type, llvm::Value* id);  // what is launched from now on runs there
  void finish();                               // the end block: releases memory, returns the status
  void refuse_returns(std::string_view why) { no_return_ = why; }
  llvm::Value* convert(llvm::Value* value, DataType from, DataType to) {
    return emit_cast(value, from, to, {});
  }
  llvm::Value* stack_array(llvm::ArrayType* type) { return stack_slot(type, 1, 8); }
  llvm::Value* read(llvm::Value* place, DataType dtype) {
    return from_memory(b.CreateLoad(m_.memory_type(dtype), place), dtype);
  }

  // What is emitted while it lives comes from `span`; from where the surroundings come from if that is not
  // known.
  class At {
   public:
    At(FunctionEmitter& emitter, ir::Span span);
    ~At();
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    FunctionEmitter* emitter_ = nullptr;  // null: nothing to go back to
    llvm::DebugLoc before_;
    ir::Span place_;
  };

  llvm::IRBuilder<> b;

 private:
  struct Binding {
    llvm::Value* value = nullptr;
    bool noalias = false;      // buffers: nobody else reaches this memory
    uint64_t alignment = 0;    // buffers: of the data pointer, in bytes
    bool nonnegative = false;  // integers
    int64_t multiple = 1;      // integers: a factor of every value
    bool local = false;        // buffers: memory that the function allocates
  };
  struct Loop {
    llvm::BasicBlock* next;
    llvm::BasicBlock* end;
  };
  enum class Division : uint8_t { kTruncate, kFloor };

  // emit_expr.cpp
  llvm::Value* emit_binary(const ir::BinaryNode* e);
  llvm::Value* emit_term(const Expr& e);  // of an accumulation: a product there need not be rounded
  void allow_contraction();               // for what is emitted next
  llvm::Value* arithmetic(ir::ExprKind kind, llvm::Value* a, llvm::Value* b, DataType dtype,
                          const ir::BinaryNode* e);
  llvm::Value* divide(ir::ExprKind kind, llvm::Value* a, llvm::Value* b, DataType dtype,
                      const ir::BinaryNode* e);
  llvm::Value* floored(llvm::Value* quotient, llvm::Value* rest, llvm::Value* right, bool wants_quotient);
  llvm::Value* compare(ir::ExprKind kind, llvm::Value* a, llvm::Value* b, DataType dtype);
  llvm::Value* emit_cast(llvm::Value* value, DataType from, DataType to, ir::Span span);
  llvm::Value* half_of_int(llvm::Value* value, DataType from, DataType to);
  llvm::Value* emit_constant(DataType dtype, const ir::FloatImmNode* imm);
  llvm::Value* emit_ramp(const ir::RampNode* e);
  llvm::Value* emit_broadcast(const ir::BroadcastNode* e);
  llvm::Value* emit_shuffle(const ir::ShuffleNode* e);
  llvm::Value* emit_shuffle_of_two(const ir::ShuffleNode* e);
  llvm::Value* steps(llvm::VectorType* type, int64_t stride);
  llvm::Value* splat_int(llvm::Type* like, uint64_t value);
  bool nonnegative(const Expr& e) const;
  int64_t multiple_of(const Expr& e) const;

  // emit_soft_float.cpp
  llvm::Value* soft_to_float(llvm::Value* value, DataType dtype);  // bit pattern -> float32
  llvm::Value* float_to_soft(llvm::Value* value, DataType dtype);  // rounds to nearest even
  llvm::Value* float_rounded_to_odd(llvm::Value* value);
  llvm::Value* narrow_to_float(llvm::Value* value, const ir::SmallFloat& format);
  llvm::Value* float_to_narrow(llvm::Value* value, const ir::SmallFloat& format);

  // emit_memory.cpp
  struct Address {
    llvm::Value* pointer = nullptr;  // of the first element
    llvm::Align alignment;
    llvm::Value* lanes = nullptr;  // element offsets of each lane when they are not consecutive
    const VarNode* buffer = nullptr;
  };
  Address address(const Var& buffer, const ir::Array<Expr>& indices, ir::Span span);
  llvm::Value* index_value(const Expr& e);
  llvm::Value* wide_index(const Expr& e);  // with sums and products in 64 bits  // as i64 (lanes: i64 vector)
  llvm::Value* load(const ir::TensorLoadNode* e);
  llvm::Value* lane_pointers(const Address& at, DataType element);
  void store(const ir::BufferStoreNode* s);
  void allocate(const ir::AllocBufferNode* s);
  llvm::Value* data_pointer(const Expr& e);
  llvm::Value* from_memory(llvm::Value* value, DataType dtype);
  llvm::Value* to_memory(llvm::Value* value, DataType dtype);
  llvm::AllocaInst* stack_slot(llvm::Type* type, uint64_t count, uint64_t alignment);

  // emit_masked.cpp
  llvm::Value* emit_lane_mask(const ir::CallNode* call);
  llvm::Value* emit_masked_load(const ir::CallNode* call);
  void emit_masked_store(const ir::CallNode* call);
  llvm::Value* emit_vscale(const ir::CallNode* call);
  llvm::Value* emit_atomic_add(const ir::CallNode* call);

  // emit_call.cpp
  llvm::Value* emit_call(const ir::CallNode* call);
  llvm::Value* emit_operator(const ir::CallNode* call, const ir::OpRow& row);
  llvm::Value* emit_function_call(const ir::CallNode* call, const ir::GlobalVarNode* callee);
  llvm::Value* emit_extern(const ir::CallNode* call);
  llvm::Value* emit_llvm_intrinsic(const ir::CallNode* call);
  bool has_hard_type(DataType dtype) const;
  llvm::Type* hard_type(DataType dtype);
  void allow_vectors(llvm::ArrayRef<llvm::Type*> types, llvm::Type* result);
  llvm::Value* emit_access_pointer(const ir::CallNode* call);
  llvm::Value* emit_check_index(const ir::CallNode* call);
  llvm::Value* emit_if_then_else(const ir::CallNode* call);
  llvm::Value* emit_multiply_shift(const ir::CallNode* call);
  // emit_struct_field.cpp
  llvm::Value* emit_field_address(const ir::CallNode* call, uint64_t size, uint64_t begin);
  llvm::Value* emit_struct_get(const ir::CallNode* call);
  llvm::Value* emit_struct_set(const ir::CallNode* call);
  llvm::Value* emit_stack_room(const ir::CallNode* call);
  // emit_packed.cpp
  llvm::Value* emit_packed(const ir::CallNode* call, bool by_symbol);
  llvm::Value* emit_packed_into_list(const ir::CallNode* call, bool by_symbol);
  std::pair<llvm::Value*, llvm::Value*> call_packed(const ir::CallNode* call, bool by_symbol, size_t first);
  void release_object(llvm::Value* type_index, llvm::Value* value);
  llvm::Value* emit_list_item(const Expr& list, const Expr& index);
  std::pair<llvm::Value*, llvm::Value*> emit_packed_argument(const Expr& e);
  llvm::Value* emit_stack_array(const ir::CallNode* call);
  llvm::Value* emit_stack_shape(const Expr& e);
  llvm::Value* global_function(std::string_view name);
  llvm::Value* looked_up(const std::string& slot_name, std::string_view name,
                         llvm::function_ref<llvm::Value*(llvm::Value* slot)> look_up);
  llvm::Value* call_function(llvm::Value* function, llvm::Value* given, uint64_t count);
  // emit_device.cpp
  void refuse_on_device(const Var& buffer, ir::Span span) const;  // memory that the host cannot reach
  llvm::Value* kernel_function(std::string_view name);
  void emit_launch(const ir::CallNode* call);
  void allocate_on_device(const ir::AllocBufferNode* s, const Expr& count);
  void free_on_device();
  llvm::Value* call_runtime(const char* symbol, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args);
  // emit_math.cpp
  llvm::Value* math(const ir::OpRow& row, llvm::ArrayRef<llvm::Value*> args, DataType dtype, ir::Span span);
  // emit_polynomials.cpp: null where there is none for the function and type.
  llvm::Value* polynomial(std::string_view name, llvm::Value* x);
  llvm::Value* wide_math(const ir::OpRow& row, llvm::ArrayRef<llvm::Value*> args, DataType dtype);
  llvm::Value* libm(const ir::OpRow& row, llvm::ArrayRef<llvm::Value*> args, DataType dtype);

  // emit_stmt.cpp
  void emit_for(const ir::ForNode* s);
  void emit_loop(const ir::ForNode* s);
  void emit_while(const ir::WhileNode* s);
  void emit_if(const ir::IfThenElseNode* s);
  void emit_attr(const ir::AttrStmtNode* s);
  void emit_return(const Expr& value, ir::Span span);
  void jump(llvm::BasicBlock* target);  // ends the block; what follows is unreachable
  // emit_loop_hints.cpp
  void allow_reassociation(const ir::ForNode* s, llvm::BasicBlock* first, llvm::BasicBlock* after);
  llvm::MDNode* loop_hints(const ir::ForNode* s);
  static int64_t bytes_ahead(const ir::ForNode* s);
  // emit_parallel.cpp
  void emit_parallel(const ir::ForNode* s);

  const Binding& binding(const VarNode* var, ir::Span span) const;

  ModuleEmitter& m_;
  llvm::Function* function_;
  llvm::DISubprogram* subprogram_ = nullptr;
  ir::Span place_;  // where what is emitted now comes from
  std::unordered_map<const VarNode*, Binding> values_;
  std::vector<Loop> loops_;
  std::vector<llvm::Value*> heap_slots_;    // stack slots that own heap memory, released at the end
  std::vector<llvm::Value*> device_slots_;  // the same of memory of the device
  int device_type_ = kDLCPU;
  llvm::Value* device_id_ = nullptr;
  llvm::BasicBlock* entry_;  // stack slots live here
  llvm::BasicBlock* end_;
  llvm::PHINode* status_;
  llvm::Value* result_ = nullptr;
  DataType result_type_ = DataType::Void();
  std::string_view no_return_;
  bool in_parallel_ = false;
  llvm::Align streaming_;  // at a store below `mlc.streaming_store`: of its address; else 1
  bool streamed_ = false;  // some store went past the caches
  // In loops of `mlc.prefetch`: how many bytes behind each vector that is loaded from there are fetched, too.
  int64_t prefetch_ = 0;
  void prefetch(llvm::Value* pointer, DataType dtype);
};

}  // namespace mlc::llvm_backend
