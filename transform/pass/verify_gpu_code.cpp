// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/verify_gpu_code.h"

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-constant", .message = "the number of threads must be known"},
        {.name = "unknown-limit", .message = "no limit of GPU code is named `{}`"},
    }};
MLC_REFUSALS(pass_verify_gpu_code, refusals);

namespace {

// In the order of TVM's documentation; the first five limit extents of threads by their name.
enum Limit : size_t {
  kThreadX,
  kThreadY,
  kThreadZ,
  kVThread,
  kThreadsPerBlock,
  kLocalMemory,
  kSharedMemory,
  kVectorBytes,
  kKernels,
};
constexpr std::array<std::string_view, 9> names = {
    "max_thread_x",
    "max_thread_y",
    "max_thread_z",
    "max_vthread",
    "max_threads_per_block",
    "max_local_memory_per_block",
    "max_shared_memory_per_block",
    "max_vector_bytes",
    "max_kernels",
};
constexpr std::array<std::string_view, 4> threads = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "vthread"};

class Kernels final : public Walker {
 public:
  std::array<int64_t, names.size()> most;
  bool fits = true;

  Kernels() { most.fill(INT64_MAX); }

  void visit(const Stmt& s) override {
    if (IterVar thread = opened_thread(s)) return enter(*as<AttrStmtNode>(s), thread);
    if (auto* alloc = as<AllocBufferNode>(s)) {
      count(*alloc->buffer->buffer());
    } else if (auto* store = as<BufferStoreNode>(s)) {
      access(store->value->dtype(), store->indices);
    } else if (auto* loop = as<ForNode>(s); loop && text(loop->loop_var->name) == "vthread.s") {
      limit(kVThread, extent(loop->extent, s->span));
    }
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) access(e->dtype(), load->indices);
    if (as<CastNode>(e)) vector(e->dtype());
    walk_children(e);
  }

 private:
  int depth_ = 0;
  int64_t kernels_ = 0;
  int64_t threads_ = 1, local_ = 0, shared_ = 0;
  std::array<std::optional<int64_t>, threads.size()> extents_;

  static int64_t extent(const Expr& e, Span span) {
    if (auto value = const_int(e)) return *value;
    throw refuse(refusals["not-constant"]).kind(kRefusedValue).at(span);
  }
  static int64_t bytes(DataType dtype) { return (int64_t{dtype.bits()} * dtype.lanes() + 7) / 8; }
  void limit(Limit which, int64_t used) { fits = fits && used <= most[which]; }
  void vector(DataType dtype) {
    if (dtype.is_vector() && !dtype.is_scalable()) limit(kVectorBytes, bytes(dtype));
  }
  void access(DataType dtype, const Array<Expr>& indices) {
    vector(dtype);
    if (!dtype.is_vector()) return;
    for (const Expr& index : indices) {
      if (auto* ramp = as<RampNode>(index); ramp && !is_const_int(ramp->stride, 1)) vector(index->dtype());
    }
  }
  void count(const BufferTypeNode& type) {
    int64_t elements = 1;
    for (const Expr& dim : type.shape) elements *= const_int(dim).value_or(0);
    std::string_view scope = text(type.storage_scope);
    if (scope == "local") local_ += elements * bytes(type.dtype);
    if (scope == "shared" || scope.starts_with("shared.")) shared_ += elements * bytes(type.dtype);
    vector(type.dtype);
  }
  void enter(const AttrStmtNode& attr, const IterVar& thread) {
    if (depth_ == 0) {
      ++kernels_;
      threads_ = 1;
      local_ = shared_ = 0;
      extents_ = {};
    }
    int64_t length = extent(attr.value, attr.span);
    // As in TVM, threads go by the names of their variables, which UnifyThreadBinding makes their own.
    auto at = std::ranges::find(threads, text(thread->var->name));
    if (at != threads.end()) {
      auto which = static_cast<size_t>(at - threads.begin());
      if (!extents_[which]) {
        extents_[which] = length;
        threads_ *= length;
        limit(static_cast<Limit>(which), length);
      } else if (which != kVThread && length != *extents_[which]) {
        fits = false;  // one thread of two extents
      }
    }
    ++depth_;
    walk_children(Stmt(ref(&attr)));
    if (--depth_ > 0) return;
    limit(kThreadsPerBlock, threads_);
    limit(kLocalMemory, local_);
    limit(kSharedMemory, shared_);
    limit(kKernels, kernels_);
  }
};

}  // namespace

bool fits_gpu(const PrimFunc& fn, const Map<String, Any>& limits) {
  Kernels kernels;
  for (const auto& [key, value] : limits) {
    auto at = std::ranges::find(names, text(key));
    if (at == names.end()) {
      throw refuse(refusals["unknown-limit"], text(key))
          .kind("InternalError+ValueError")
          .help(fmt::format("limits are {}", fmt::join(names, ", ")));
    }
    auto number = integer_of(value);
    if (!number)
      throw refuse_as(pass_refusals["wrong-type"], "the limit `{}` is no integer", text(key));
    kernels.most[static_cast<size_t>(at - names.begin())] = *number;
  }
  kernels.visit(fn->body);
  return kernels.fits;
}

}  // namespace mlc::transform
