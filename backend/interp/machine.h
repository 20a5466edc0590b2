// SPDX-License-Identifier: Apache-2.0
// What runs: memory, buffers as views on it, frames, and programs as trees of closures.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "backend/interp/gpu/shadow.h"
#include "backend/interp/gpu/waiting.h"
#include "backend/interp/interp.h"
#include "backend/interp/number.h"
#include "ir/core/visit.h"

namespace mlc::interp {

using ir::Any;
using ir::Buffer;
using ir::Expr;
using ir::Span;
using ir::Stmt;
using ir::VarNode;

class Heap;
class PtxCall;
struct Site;
struct Thread;

// Iterations of loops that run side by side, and who of them touched what.
struct Races {
  struct Iteration {
    int outer;  // iteration that it is in; -1: none
    int depth;
    int64_t loop;  // each run of a loop has a number
  };
  struct Touch {
    int write = -1, read = -1, other_read = -1;  // iterations; the reads are of two that run side by side
  };
  std::vector<Iteration> iterations;
  int now = -1;
  int64_t loops = 0;

  bool side_by_side(int a, int b) const;
  bool touch(Touch& touch, bool stores);  // is it a race?
  // The body for each of the values, as iterations.
  template <class Body>
  auto in_iteration(int64_t loop, Body&& body) {
    int outer = std::exchange(now, static_cast<int>(iterations.size()));
    iterations.push_back({outer, outer < 0 ? 0 : iterations[static_cast<size_t>(outer)].depth + 1, loop});
    auto result = body();
    now = outer;
    return result;
  }
};

// A block of memory: an argument's or an allocation's. Known to the heap while it lives.
struct Block {
  Heap& heap;
  char* begin;
  char* end;
  bool owned;
  const VarNode* buffer = nullptr;                  // that it is the memory of
  bool watched = false;                             // for races
  std::unordered_map<char*, Races::Touch> touched;  // by first byte of an element
  std::vector<bool> written;                        // per byte; empty: not tracked, all counts as written
  // For threads of a kernel: who shares it, bytes of an element, and who touched what.
  enum class Scope : uint8_t { kGlobal, kShared, kTensor, kWarp, kLocal } scope = Scope::kGlobal;
  int granule = 1;
  int home = -1;  // rank in the cluster of the thread block whose shared or tensor memory it is
  std::unique_ptr<Shadow> shadow;

  Block(Heap& heap, char* begin, char* end, bool owned, bool track);
  ~Block();
  // In `written`, where that is tracked.
  void mark(const char* first, int64_t bytes, bool is_written);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
};

// Finds the memory behind an address, for pointers that come out of expressions.
class Heap {
 public:
  std::shared_ptr<Block> allocate(size_t bytes, bool track);
  std::shared_ptr<Block> adopt(char* begin, size_t bytes);
  std::shared_ptr<Block> find(char* address) const;  // null when it is in no block
  void clear_shadows();
  Races races;
  Thread* thread = nullptr;  // of a kernel, that runs; null: the host
  Unwritten unwritten;       // of the expression that the thread computes
  // The value that was computed decides something. Error: uninitialized-read.
  void use(Span span) {
    if (unwritten.point != nullptr) [[unlikely]]
      fail_unwritten(span);
  }
  [[noreturn]] void fail_unwritten(Span span);

 private:
  friend struct Block;
  std::map<char*, std::weak_ptr<Block>> blocks_;  // by begin
};

// A buffer at run time. Element [i...] is at data + (offset + sum(i * strides)) * bytes.
struct View {
  std::shared_ptr<Block> block;
  char* data = nullptr;
  int64_t offset = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

// An argument on its way into a function: a buffer, a pointer (scalar.i, with its block) or a scalar.
struct Actual {
  bool is_buffer = false;
  View view;
  ir::DataType type;  // of the elements or of the scalar
  Lane scalar{.i = 0};
};

struct Program;

struct Frame {
  Program& program;
  std::vector<Lane> slots;
  std::vector<View> views;
  Lane result{.i = 0};
};

enum class Flow : uint8_t { kNext, kBreak, kContinue, kReturn };
using Code = std::function<void(Frame&, Lane* out)>;  // writes as many lanes as the expression has
using Action = std::function<Flow(Frame&)>;

// A compiled function: closures over numbered slots and views.
struct Function {
  std::string name;
  ir::PrimFunc source;
  int slots = 0;
  int views = 0;
  std::vector<int> param_at;                                  // slot or view of each parameter
  std::function<void(Frame&, std::span<const Actual>)> bind;  // arguments into slots and views, with checks
  Action body;
};

// A module being run. Functions are compiled when first called.
struct Program {
  ir::IRModule module;
  Options options;
  Heap heap;
  std::unordered_map<std::string, std::unique_ptr<Function>> functions;
  // What threads of kernels hold on to while they run.
  std::deque<AccessPoint> points;
  std::deque<Barrier> barriers;
  std::deque<Meeting> meetings;
  bool has_wgmma = false;  // then it is kept which registers are stored

  Program(ir::IRModule module, Options options) : module(std::move(module)), options(options) {}
  // `in_kernel`: as the threads of a kernel run it.
  const Function& function(std::string_view name, Span span, bool in_kernel = false);
  Lane call(const Function& fn, std::span<const Actual> args);
};

// Space for `count` lanes without an allocation for the usual sizes.
class Lanes {
 public:
  explicit Lanes(int count) : large_(count > kSmall ? new Lane[static_cast<size_t>(count)] : nullptr) {}
  Lane* data() { return large_ ? large_.get() : small_; }
  Lane& operator[](int i) { return data()[i]; }

 private:
  static constexpr int kSmall = 16;
  Lane small_[kSmall];
  std::unique_ptr<Lane[]> large_;
};

// Applies `op` lane by lane.
template <class F>
Code map_lanes(int lanes, Code a, F op) {
  return [a = std::move(a), lanes, op](Frame& frame, Lane* out) {
    a(frame, out);
    for (int i = 0; i < lanes; ++i) out[i] = op(out[i]);
  };
}
// Applies `op` lane by lane to two operands.
template <class F>
Code zip_lanes(int lanes, Code a, Code b, F op) {
  if (lanes == 1) {
    return [a = std::move(a), b = std::move(b), op](Frame& frame, Lane* out) {
      Lane x, y;
      a(frame, &x);
      b(frame, &y);
      *out = op(x, y);
    };
  }
  return [lanes, a = std::move(a), b = std::move(b), op](Frame& frame, Lane* out) {
    Lanes y(lanes);
    a(frame, out);
    b(frame, y.data());
    for (int i = 0; i < lanes; ++i) out[i] = op(out[i], y[i]);
  };
}

// Turns one function into closures. A buffer variable is a view, every other variable a slot.
class Compiler {
 public:
  explicit Compiler(Program& program, bool in_kernel = false) : program_(program), in_kernel_(in_kernel) {}
  std::unique_ptr<Function> compile(std::string name, const ir::PrimFunc& fn);

 private:
  // Expressions (compile_expr.cpp).
  Code expr(const Expr& e);
  Code binary(const ir::BinaryNode* node);
  Code counted(Code code, double operations);
  Code cast(const ir::CastNode* node);
  Code load(const ir::TensorLoadNode* node);
  std::shared_ptr<Site> site(const Buffer& buffer, const ir::Array<Expr>& indices, Span span, bool stores);
  Code var_use(const VarNode* var, Span span);
  std::function<int64_t(Frame&)> integer(const Expr& e);  // a scalar integer

  // Calls (compile_call.cpp).
  Code call(const ir::CallNode* node);
  Code call_function(const ir::CallNode* node, const ir::GlobalVarNode* callee);
  Code call_intrinsic(const ir::CallNode* node, std::string_view name);
  Code call_extern(const ir::CallNode* node);
  Code address_of(const ir::CallNode* node);
  Code address_of_element(const ir::TensorLoadNode* load);
  Code reinterpret(const ir::CallNode* node);

  // Masks (compile_masked.cpp).
  Site masked_site(const ir::CallNode* node, size_t first_index, ir::DataType value);
  Code lane_mask(const ir::CallNode* node);
  Code masked_load(const ir::CallNode* node);
  Code masked_store(const ir::CallNode* node);
  Code atomic_add(const ir::CallNode* node);

  // Kernels (gpu/compile_kernel.cpp, gpu/compile_warp.cpp, gpu/compile_fragments.cpp).
  const AccessPoint* point(Span span, const VarNode* buffer);
  bool is_thread_binding(const ir::IterVar& thread) const;
  // `body` for the threads of an axis: a launch where it is the outermost one.
  Action thread_axis(const ir::IterVar& thread, const ir::Var& var, const Expr& extent, const Stmt& body);
  Action preferred_cluster(const ir::IterVar& cluster, std::function<int64_t(Frame&)> extent,
                           const Stmt& body);
  Action allocate_in_kernel(const Buffer& buffer);
  Action allocate_in_kernel(const Buffer& buffer, int at);
  Action branch(std::function<int64_t(Frame&)> condition, Action yes, Action no, Span span);
  Code kernel_intrinsic(const ir::CallNode* node, std::string_view name);  // null: it is none
  Code storage_sync(const ir::CallNode* node);
  Code barrier(const ir::CallNode* node, std::string text, std::function<int64_t(Frame&)> id,
               std::function<int64_t(Frame&)> count);
  const Meeting* meeting(Span span, std::string text, bool orders_memory,
                         std::function<void(std::span<Thread* const>)> together);
  using SourceLane = std::function<int64_t(int64_t lane, int64_t operand, int64_t width)>;
  Code shuffle(const ir::CallNode* node, SourceLane source_of);
  Code vote(const ir::CallNode* node, std::string_view how);
  Code warp_intrinsic(const ir::CallNode* node, std::string_view name);
  Code fragment_intrinsic(const ir::CallNode* node, std::string_view name);
  Code together(const ir::CallNode* node, std::vector<Code> operands,
                std::function<void(std::span<Thread* const>)> together);
  Code fragment_copy(const ir::CallNode* node, bool loads);
  Code fragment_multiply(const ir::CallNode* node);
  Code fragment_fill(const ir::CallNode* node);
  Code load_matrices(const ir::CallNode* node);
  Code multiply_registers(const ir::CallNode* node);
  Code fill_registers(const ir::CallNode* node);
  Code store_registers(const ir::CallNode* node);
  // The allocation that a buffer is a view of, as far as the program says.
  const VarNode* root_of(const VarNode* buffer) const;
  // What threads ask of their block, mbarriers, bulk copies, tensor cores (gpu/compile_*.cpp).
  std::function<void(Frame&, Lane)> destination(const Expr& e, Span span);  // null: the result is discarded
  Code guarded(const PtxCall& call, Code code);                             // by the predicate of the call
  Code fence_intrinsic(const ir::CallNode* node, std::string_view name);
  Code block_intrinsic(const ir::CallNode* node, std::string_view name);
  Code builtin_function(const ir::CallNode* node);
  Code cluster_intrinsic(const ir::CallNode* node, std::string_view name);
  Code cluster_barrier(const ir::CallNode* node, bool arrives, bool waits, bool relaxed, bool aligned);
  Code wait_until(const ir::CallNode* node);
  Code map_address(const PtxCall& call);
  Code convert_address(const PtxCall& call);
  Code is_in_space(const PtxCall& call);
  Code take_over_cluster(const PtxCall& call);
  Code cluster_taken_over(const PtxCall& call);
  Code store_to_cluster(const PtxCall& call, bool reduces);
  Code mbarrier_intrinsic(const ir::CallNode* node, std::string_view name);
  Code mbarrier_wait(const ir::CallNode* node);
  Code mbarrier_try(const PtxCall& call);
  Code mbarrier_init(const PtxCall& call);
  Code mbarrier_arrive(const PtxCall& call);
  Code mbarrier_bytes(const PtxCall& call);
  Code tensor_map_intrinsic(const ir::CallNode* node, std::string_view name);  // of the host
  Code encode_tensor_map(const ir::CallNode* node);
  Code bulk_intrinsic(const ir::CallNode* node, std::string_view name);
  Code bulk_copy(const PtxCall& call);
  Code bulk_tensor_load(const PtxCall& call);
  Code bulk_tensor_store(const PtxCall& call);
  Code wgmma_intrinsic(const ir::CallNode* node, std::string_view name);
  Code wgmma_multiply(const PtxCall& call);
  Code tcgen05_intrinsic(const ir::CallNode* node, std::string_view name);
  Code tcgen05_allocate(const PtxCall& call);
  Code tcgen05_multiply(const PtxCall& call);
  Code tcgen05_move(const PtxCall& call, bool loads);
  Code tcgen05_commit(const PtxCall& call);
  Code tcgen05_copy(const PtxCall& call);
  Code encode_instruction(const ir::CallNode* node, bool scaled);
  // Registers of a warp's lanes, for instructions that use many: their addresses.
  std::vector<Code> registers(std::span<const Expr> all, Span span);
  Code register_bits(const Expr& value);
  Code move_registers(const PtxCall& call);
  Code memory_intrinsic(const ir::CallNode* node, std::string_view name);
  Code load_registers(const PtxCall& call);
  Code move_wide_word(const PtxCall& call, bool loads);
  Code store_from_registers(const PtxCall& call);
  Code matrix_rows(const PtxCall& call, bool loads);
  Code multiply_in_registers(const PtxCall& call);
  Code multiply_sparse(const PtxCall& call);
  Code add_registers(const PtxCall& call);
  Code atomic_registers(const PtxCall& call);
  Code shuffle_registers(const PtxCall& call);
  Action async_attribute(const ir::AttrStmtNode* node);
  Code async_intrinsic(const ir::CallNode* node, std::string_view name);
  Code atomic_in_kernel(const ir::CallNode* node);

  // Statements (compile_stmt.cpp).
  Action stmt(const Stmt& s);
  Action store(const ir::BufferStoreNode* node);
  Action evaluate(const ir::EvaluateNode* node);
  Action loop(const ir::ForNode* node);
  // The body, as an iteration of its own where iterations of such a loop run side by side.
  std::function<Flow(Frame&, int64_t loop)> iteration(Action body, bool side_by_side);
  Action realize(const ir::SBlockRealizeNode* node);
  Action block(const ir::SBlockNode* node, std::function<bool(Frame&)> first_reduction);
  Action match_buffer(const ir::MatchBufferRegionNode* match);
  Action allocate(const Buffer& buffer, bool watched);
  Action declare(const ir::DeclBufferNode* node);
  Action thread_extent(const ir::AttrStmtNode* node);

  int define_slot(const ir::Var& var);
  int define_view(const Buffer& buffer);
  int slot_of(const VarNode* var, Span span) const;
  int view_of(const VarNode* buffer, Span span) const;
  bool is_defined(const VarNode* var) const { return at_.contains(var); }
  // Sets shape, strides and offset of a view from the buffer's type.
  std::function<void(Frame&, View&)> layout(const ir::BufferTypeNode* type);
  // The view a pointer expression points into, its data and block set.
  std::function<void(Frame&, View&)> pointer(const Expr& data);

  Program& program_;
  Function* fn_ = nullptr;
  std::unordered_map<const VarNode*, int> at_;
  std::vector<const ir::ForNode*> loops_;  // around, within the block
  const ir::SBlockNode* block_ = nullptr;  // around
  bool in_kernel_;
  std::function<int64_t(Frame&)> dynamic_bytes_;  // of shared memory, as the kernel says; null: it does not
  std::vector<std::pair<Buffer, int>> memory_of_kernels_;  // allocated in front of launches, and their views
  std::unordered_map<const VarNode*, const VarNode*> views_;  // of views: what they are views of
  std::unordered_map<const VarNode*, std::array<int, 3>>
      fragments_;  // m, n, k of what was loaded to a buffer
};

// Where a buffer is accessed: the element's address, checked dimension by dimension and against the block.
struct Site {
  Buffer buffer;
  Span span;
  const Number* number;
  int element_lanes;
  int view;
  std::vector<Code> indices;
  int lanes;  // of the last index
  bool stores;
  Observer* observer;
  const ir::SBlockNode* block;  // around
  const AccessPoint* point;     // for threads of a kernel

  // Element offsets of all lanes of the access. Lanes for which `mask` is 0 may be anywhere.
  void locate(Frame& frame, int64_t* elements, const Lane* mask = nullptr) const;
  char* address(const View& view, int64_t element) const;
  void store_by_thread(Thread& thread, const View& view, int64_t element, const Lane* values) const;
  void count(Thread& thread, const View& view, std::span<const int64_t> elements, const Lane* mask) const;
  // Error: race. To write what is there already is none.
  void touch(const View& view, int64_t element, char* begin) const;
  void store(const View& view, int64_t element, const Lane* values) const;
};

// What is said of shared memory names the buffers that are declared in it.
void name_memory(Thread& thread, const VarNode* buffer, const View& view);
std::vector<int64_t> compact_strides(std::span<const int64_t> shape);
std::string text_of(std::span<const int64_t> numbers);  // "(2, 3)"
[[noreturn]] void unsupported(Span span, std::string_view what);
// How many numbers an element of a buffer is. Error: interpret-unsupported of scalable vectors.
int lanes_in_memory(ir::DataType element, Span span);

}  // namespace mlc::interp
