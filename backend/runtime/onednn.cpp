// SPDX-License-Identifier: Apache-2.0
// Stands alone: libc only, no C++ library, because it is linked into what is built with `--dispatch onednn`.
//
// What oneDNN makes of a call (a primitive: code for its shapes) is kept for the next call of these shapes.
// oneDNN chooses the order of weights; those in another one are brought into it at each call.
#include "backend/runtime/onednn.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/runtime/dynamic_library.h"
#include "backend/runtime/openblas.h"
#include "backend/runtime/parallel.h"

namespace {

using mlc::runtime::find;
using mlc::runtime::open_library;

// Of oneDNN 2's dnnl_types.h; structures whose fields nobody reads here are bytes.
constexpr int kF32 = 3, kAny = 1, kInference = 96, kDirect = 1, kRelu = 31, kCpu = 1, kInOrder = 1;
constexpr int kSource = 1, kResult = 17, kWeights = 33, kBias = 41;
constexpr int kImplementation = 8, kWeightsOf = 131;  // queries
constexpr int kMostDims = 12;
constexpr size_t kLayout = 696;  // bytes of a dnnl_memory_desc_t
using Dims = int64_t[kMostDims];
struct alignas(16) MemoryDesc {
  char bytes[kMlcOneDnnLayoutBytes];
};
struct alignas(16) OpDesc {
  char bytes[16384];
};
struct ExecArg {
  int arg;
  void* memory;
};
struct Version {
  int major, minor, patch;
};

struct Library {
  int (*layout_by_strides)(MemoryDesc*, int, const int64_t*, int, const int64_t*);
  int (*layout_by_tag)(MemoryDesc*, int, const int64_t*, int, int);
  int (*same_layout)(const void*, const void*);
  size_t (*layout_size)(const void*);
  int (*matmul)(OpDesc*, const MemoryDesc*, const MemoryDesc*, const MemoryDesc*, const MemoryDesc*);
  int (*convolution)(OpDesc*, int, int, const MemoryDesc*, const MemoryDesc*, const MemoryDesc*,
                     const MemoryDesc*, const int64_t*, const int64_t*, const int64_t*, const int64_t*);
  int (*create_primitive_desc)(void**, const OpDesc*, const void*, void*, const void*);
  int (*create_reorder_desc)(void**, const void*, void*, const void*, void*, const void*);
  const void* (*query)(const void*, int, int);
  int (*query_text)(const void*, int, int, const char**);
  int (*destroy_primitive_desc)(void*);
  int (*create)(void**, const void*);
  int (*destroy)(void*);
  int (*execute)(const void*, void*, int, const ExecArg*);
  int (*memory)(void**, const void*, void*, void*);
  int (*destroy_memory)(void*);
  int (*set_data)(void*, void*);
  int (*attributes)(void**);
  int (*destroy_attributes)(void*);
  int (*post_ops)(void**);
  int (*destroy_post_ops)(void*);
  int (*append_eltwise)(void*, float, int, float, float);
  int (*set_post_ops)(void*, const void*);
  int (*engine)(void**, int, size_t);
  int (*stream)(void**, void*, unsigned);
  int (*destroy_stream)(void*);
  int (*wait)(void*);
  const Version* (*version)();
  void (*set_threads)(int);  // of OpenMP; null where oneDNN is built without
  int (*threads)();
  void* cpu;
  bool here;
};
Library library;
pthread_once_t once = PTHREAD_ONCE_INIT;

void load_library() {
  // Threads of OpenMP that wait for more work would keep ours from the processors.
  bool usual = getenv("OMP_WAIT_POLICY") == nullptr && setenv("OMP_WAIT_POLICY", "passive", 0) == 0;
  void* handle = open_library("MLC_ONEDNN_LIBRARY", "libdnnl.so.2");
  if (usual) unsetenv("OMP_WAIT_POLICY");
  if (handle == nullptr) return;
  Library& l = library;
  bool found =
      find(handle, "dnnl_memory_desc_init_by_strides", l.layout_by_strides) &&
      find(handle, "dnnl_memory_desc_init_by_tag", l.layout_by_tag) &&
      find(handle, "dnnl_memory_desc_equal", l.same_layout) &&
      find(handle, "dnnl_memory_desc_get_size", l.layout_size) &&
      find(handle, "dnnl_matmul_desc_init", l.matmul) &&
      find(handle, "dnnl_dilated_convolution_forward_desc_init", l.convolution) &&
      find(handle, "dnnl_primitive_desc_create", l.create_primitive_desc) &&
      find(handle, "dnnl_reorder_primitive_desc_create", l.create_reorder_desc) &&
      find(handle, "dnnl_primitive_desc_query_md", l.query) &&
      find(handle, "dnnl_primitive_desc_query", l.query_text) &&
      find(handle, "dnnl_primitive_desc_destroy", l.destroy_primitive_desc) &&
      find(handle, "dnnl_primitive_create", l.create) && find(handle, "dnnl_primitive_destroy", l.destroy) &&
      find(handle, "dnnl_primitive_execute", l.execute) && find(handle, "dnnl_memory_create", l.memory) &&
      find(handle, "dnnl_memory_destroy", l.destroy_memory) &&
      find(handle, "dnnl_memory_set_data_handle", l.set_data) &&
      find(handle, "dnnl_primitive_attr_create", l.attributes) &&
      find(handle, "dnnl_primitive_attr_destroy", l.destroy_attributes) &&
      find(handle, "dnnl_post_ops_create", l.post_ops) &&
      find(handle, "dnnl_post_ops_destroy", l.destroy_post_ops) &&
      find(handle, "dnnl_post_ops_append_eltwise", l.append_eltwise) &&
      find(handle, "dnnl_primitive_attr_set_post_ops", l.set_post_ops) &&
      find(handle, "dnnl_engine_create", l.engine) && find(handle, "dnnl_stream_create", l.stream) &&
      find(handle, "dnnl_stream_destroy", l.destroy_stream) && find(handle, "dnnl_stream_wait", l.wait) &&
      find(handle, "dnnl_version", l.version);
  if (!found || l.version()->major != 2 || l.engine(&l.cpu, kCpu, 0) != 0) return;
  if (!find(handle, "omp_set_num_threads", l.set_threads) || !find(handle, "omp_get_max_threads", l.threads))
    l.set_threads = nullptr;
  l.here = true;
}

bool is_here() {
  pthread_once(&once, load_library);
  return library.here;
}

// A product or a convolution, but for where its data lie. Compared byte by byte.
struct Problem {
  int64_t matmul;  // else a convolution
  int64_t flags;
  int64_t number[16];
  int64_t threads = mlc_num_threads();  // primitives are made for so many
  int64_t unused = 0;                   // no padding, whose bytes would be anything
  MemoryDesc weights = {};              // as they are given

  bool has(int64_t flag) const { return (flags & flag) != 0; }
};

static_assert(sizeof(Problem) == 20 * sizeof(int64_t) + sizeof(MemoryDesc));

struct ConvParam {  // of the numbers of a convolution
  enum {
    n,
    channels,
    height,
    width,
    filters,
    kernel_h,
    kernel_w,
    stride_h,
    stride_w,
    dilation_h,
    dilation_w,
    top,
    left,
    bottom,
    right,
    groups
  };
};
struct MatmulParam {  // and of a product
  enum { batch, m, n, k, a_step, b_step, transa, transb };
};

// The extent of the result of a convolution along one axis.
int64_t out(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation, int64_t before,
            int64_t behind) {
  return (extent + before + behind - (kernel - 1) * dilation - 1) / stride + 1;
}
int64_t out_height(const Problem& p) {
  const int64_t* v = p.number;
  return out(v[ConvParam::height], v[ConvParam::kernel_h], v[ConvParam::stride_h], v[ConvParam::dilation_h],
             v[ConvParam::top], v[ConvParam::bottom]);
}
int64_t out_width(const Problem& p) {
  const int64_t* v = p.number;
  return out(v[ConvParam::width], v[ConvParam::kernel_w], v[ConvParam::stride_w], v[ConvParam::dilation_w],
             v[ConvParam::left], v[ConvParam::right]);
}

int plain(MemoryDesc& layout, int rank, const Dims& dims, const Dims& strides) {
  return library.layout_by_strides(&layout, rank, dims, kF32, strides);
}
int any(MemoryDesc& layout, int rank, const Dims& dims) {
  return library.layout_by_tag(&layout, rank, dims, kF32, kAny);
}

int weights_of_convolution(const Problem& p, Dims& dims) {
  const int64_t* v = p.number;
  int64_t groups = v[ConvParam::groups], outside = v[ConvParam::filters] / groups,
          inside = v[ConvParam::channels] / groups;
  Dims grouped = {groups, outside, inside, v[ConvParam::kernel_h], v[ConvParam::kernel_w]};
  Dims single = {outside, inside, v[ConvParam::kernel_h], v[ConvParam::kernel_w]};
  memcpy(dims, groups > 1 ? grouped : single, sizeof dims);
  return groups > 1 ? 5 : 4;
}

// As they are in the graph.
int plain_weights(const Problem& p, MemoryDesc& layout) {
  const int64_t* v = p.number;
  if (p.matmul != 0) {
    int64_t n = v[MatmulParam::n], k = v[MatmulParam::k];
    bool turned = v[MatmulParam::transb] != 0;
    Dims two = {k, n}, two_steps = {turned ? 1 : n, turned ? k : 1};
    Dims three = {v[MatmulParam::b_step] == 0 ? 1 : v[MatmulParam::batch], k, n};
    Dims three_steps = {v[MatmulParam::b_step] == 0 ? n * k : v[MatmulParam::b_step], two_steps[0],
                        two_steps[1]};
    return v[MatmulParam::batch] > 1 ? plain(layout, 3, three, three_steps)
                                     : plain(layout, 2, two, two_steps);
  }
  Dims dims{}, steps{};
  int rank = weights_of_convolution(p, dims);
  const int64_t* last = dims + rank - 4;  // output channels of a group, input channels, rows, columns
  int64_t* step = steps + rank - 4;
  if (p.has(kMlcOneDnnNhwc)) {
    int64_t all = v[ConvParam::filters];
    step[0] = 1, step[1] = all, step[3] = all * last[1], step[2] = step[3] * last[3];
    if (rank == 5) steps[0] = last[0];
  } else {
    step[3] = 1, step[2] = last[3], step[1] = last[2] * last[3], step[0] = step[1] * last[1];
    if (rank == 5) steps[0] = step[0] * last[0];
  }
  return plain(layout, rank, dims, steps);
}

int init_matmul_desc(const Problem& p, const MemoryDesc& weights, MemoryDesc& source, MemoryDesc& bias,
                     MemoryDesc& result, OpDesc& operation) {
  const int64_t* v = p.number;
  int64_t batch = v[MatmulParam::batch], m = v[MatmulParam::m], n = v[MatmulParam::n], k = v[MatmulParam::k];
  bool turned = v[MatmulParam::transa] != 0;
  Dims rows = {m, k}, row_steps = {turned ? 1 : k, turned ? m : 1};
  Dims matrices = {v[MatmulParam::a_step] == 0 ? 1 : batch, m, k};
  Dims matrix_steps = {v[MatmulParam::a_step] == 0 ? m * k : v[MatmulParam::a_step], row_steps[0],
                       row_steps[1]};
  Dims results = {m, n}, result_steps = {n, 1}, all = {batch, m, n}, all_steps = {m * n, n, 1};
  Dims biases = {1, n}, bias_steps = {n, 1}, biases3 = {1, 1, n}, bias_steps3 = {n, n, 1};
  bool single = batch == 1;
  int failed = single ? plain(source, 2, rows, row_steps) : plain(source, 3, matrices, matrix_steps);
  failed |= single ? plain(result, 2, results, result_steps) : plain(result, 3, all, all_steps);
  if (p.has(kMlcOneDnnBias))
    failed |= single ? plain(bias, 2, biases, bias_steps) : plain(bias, 3, biases3, bias_steps3);
  return failed |
         library.matmul(&operation, &source, &weights, p.has(kMlcOneDnnBias) ? &bias : nullptr, &result);
}

int data(const Problem& p, MemoryDesc& layout, int64_t channels, int64_t height, int64_t width) {
  Dims dims = {p.number[ConvParam::n], channels, height, width};
  Dims side_by_side = {height * width * channels, 1, width * channels, channels};
  Dims planes = {height * width * channels, height * width, width, 1};
  return plain(layout, 4, dims, p.has(kMlcOneDnnNhwc) ? side_by_side : planes);
}

int init_convolution_desc(const Problem& p, const MemoryDesc& weights, MemoryDesc& source, MemoryDesc& bias,
                          MemoryDesc& result, OpDesc& operation) {
  const int64_t* v = p.number;
  int failed = data(p, source, v[ConvParam::channels], v[ConvParam::height], v[ConvParam::width]);
  failed |= data(p, result, v[ConvParam::filters], out_height(p), out_width(p));
  Dims filters = {v[ConvParam::filters]}, one = {1};
  if (p.has(kMlcOneDnnBias)) failed |= plain(bias, 1, filters, one);
  int64_t strides[] = {v[ConvParam::stride_h], v[ConvParam::stride_w]};
  int64_t dilations[] = {v[ConvParam::dilation_h] - 1, v[ConvParam::dilation_w] - 1};
  int64_t before[] = {v[ConvParam::top], v[ConvParam::left]},
          behind[] = {v[ConvParam::bottom], v[ConvParam::right]};
  return failed | library.convolution(&operation, kInference, kDirect, &source, &weights,
                                      p.has(kMlcOneDnnBias) ? &bias : nullptr, &result, strides, dilations,
                                      before, behind);
}

// A primitive with the memories that it works on, null where there is none.
struct Call {
  void *primitive, *stream, *source, *weights, *bias, *result;
};

void destroy(Call& call) {
  if (call.primitive != nullptr) library.destroy(call.primitive);
  void* memories[] = {call.source, call.weights, call.bias, call.result};
  for (void* memory : memories)
    if (memory != nullptr) library.destroy_memory(memory);
}

bool run(const Call& call, void* stream) {
  ExecArg arguments[] = {
      {kSource, call.source}, {kWeights, call.weights}, {kResult, call.result}, {kBias, call.bias}};
  return library.execute(call.primitive, stream, call.bias != nullptr ? 4 : 3, arguments) == 0;
}
bool run_copy(const Call& call, void* stream) {
  ExecArg arguments[] = {{kSource, call.source}, {kResult, call.result}};
  return library.execute(call.primitive, stream, 2, arguments) == 0;
}

// The description of a problem with weights in the order that is given, or, for null, in the one that oneDNN
// likes best; null where it refuses.
void* primitive_desc(const Problem& p, const MemoryDesc* given, MemoryDesc& source, MemoryDesc& bias,
                     MemoryDesc& result) {
  Dims dims{};
  MemoryDesc weights{};
  OpDesc operation{};
  int failed = 0;
  const int64_t* v = p.number;
  if (given != nullptr) {
    weights = *given;
  } else if (p.matmul == 0) {
    int rank = weights_of_convolution(p, dims);
    failed |= any(weights, rank, dims);
  } else if (v[MatmulParam::batch] > 1) {  // whose weights are no constants that could lie otherwise
    failed |= plain_weights(p, weights);
  } else {
    Dims two = {v[MatmulParam::k], v[MatmulParam::n]};
    failed |= any(weights, 2, two);
  }
  if (p.matmul != 0) {
    failed |= init_matmul_desc(p, weights, source, bias, result, operation);
  } else {
    failed |= init_convolution_desc(p, weights, source, bias, result, operation);
  }
  void *attributes = nullptr, *post_ops = nullptr, *made = nullptr;
  if (failed != 0 || library.attributes(&attributes) != 0) return nullptr;
  if (p.has(kMlcOneDnnRelu)) {
    failed |= library.post_ops(&post_ops);
    if (failed == 0) {
      failed |= library.append_eltwise(post_ops, 1, kRelu, 0, 0);
      failed |= library.set_post_ops(attributes, post_ops);
      library.destroy_post_ops(post_ops);
    }
  }
  if (failed == 0) library.create_primitive_desc(&made, &operation, attributes, library.cpu, nullptr);
  library.destroy_attributes(attributes);
  return made;
}

// Is it computed by code that oneDNN has for any layout, which is many times slower?
bool is_reference(const void* about) {
  const char* name = nullptr;
  return library.query_text(about, kImplementation, 0, &name) != 0 || name == nullptr ||
         strstr(name, "ref") != nullptr;
}

bool make_copy(Call& call, const void* from, const void* to) {
  void* about = nullptr;
  if (library.create_reorder_desc(&about, from, library.cpu, to, library.cpu, nullptr) != 0) return false;
  bool made = library.create(&call.primitive, about) == 0 &&
              library.memory(&call.source, from, library.cpu, nullptr) == 0 &&
              library.memory(&call.result, to, library.cpu, nullptr) == 0;
  library.destroy_primitive_desc(about);
  return made;
}

// What was made of a problem. Problems that are used now stay; of the others, at most kMost.
struct Entry {
  Problem problem;
  Call call, copy;  // copy: of weights into the order that the primitive takes, where they are in another one
  void *stream, *packed;
  pthread_mutex_t busy;
  Entry* next;
  int users;
  bool made;
};
constexpr int kMost = 1024, kLists = 256;
Entry* lists[kLists];
int count = 0;
pthread_mutex_t lists_lock = PTHREAD_MUTEX_INITIALIZER;

bool make(Entry& entry) {
  MemoryDesc source{}, bias{}, result{};
  // The best order depends on the number of threads, too; that of packed weights serves as well.
  bool packed = entry.problem.has(kMlcOneDnnPacked);
  void* about =
      packed ? primitive_desc(entry.problem, &entry.problem.weights, source, bias, result) : nullptr;
  if (about != nullptr && is_reference(about)) {
    library.destroy_primitive_desc(about);
    about = nullptr;
  }
  if (about == nullptr) about = primitive_desc(entry.problem, nullptr, source, bias, result);
  if (about == nullptr) return false;
  const void* wanted = library.query(about, kWeightsOf, 0);
  Call& call = entry.call;
  bool made = library.create(&call.primitive, about) == 0 &&
              library.memory(&call.source, &source, library.cpu, nullptr) == 0 &&
              library.memory(&call.weights, wanted, library.cpu, nullptr) == 0 &&
              library.memory(&call.result, &result, library.cpu, nullptr) == 0 &&
              library.stream(&entry.stream, library.cpu, kInOrder) == 0;
  if (made && entry.problem.has(kMlcOneDnnBias))
    made = library.memory(&call.bias, &bias, library.cpu, nullptr) == 0;
  if (made && library.same_layout(wanted, &entry.problem.weights) == 0) {
    size_t bytes = library.layout_size(wanted);
    entry.packed = aligned_alloc(64, (bytes + 63) / 64 * 64);
    made = entry.packed != nullptr && make_copy(entry.copy, &entry.problem.weights, wanted);
  }
  library.destroy_primitive_desc(about);
  return made;
}

void destroy(Entry* entry) {
  destroy(entry->call);
  destroy(entry->copy);
  if (entry->stream != nullptr) library.destroy_stream(entry->stream);
  free(entry->packed);
  pthread_mutex_destroy(&entry->busy);
  free(entry);
}

void drop_unused() {
  for (Entry*& head : lists) {
    for (Entry** at = &head; *at != nullptr;) {
      Entry* entry = *at;
      if (entry->users > 0) {
        at = &entry->next;
        continue;
      }
      *at = entry->next;
      destroy(entry);
      --count;
    }
  }
}

uint64_t hash_of(const Problem& p) {
  uint64_t hash = 1469598103934665603ULL;
  const auto* words = reinterpret_cast<const uint64_t*>(&p);
  for (size_t i = 0; i < sizeof p / sizeof *words; ++i) hash = (hash ^ words[i]) * 1099511628211ULL;
  return hash ^ hash >> 32;
}

Entry* entry_of(const Problem& p) {
  pthread_mutex_lock(&lists_lock);
  Entry*& head = lists[hash_of(p) % kLists];
  Entry* found = head;
  while (found != nullptr && memcmp(&found->problem, &p, sizeof p) != 0) found = found->next;
  if (found == nullptr) {
    if (count >= kMost) drop_unused();
    found = static_cast<Entry*>(aligned_alloc(64, (sizeof(Entry) + 63) / 64 * 64));
    if (found != nullptr) {
      memset(static_cast<void*>(found), 0, sizeof *found);
      memcpy(&found->problem, &p, sizeof p);
      pthread_mutex_init(&found->busy, nullptr);
      found->made = make(*found);
      found->next = head;
      head = found;
      ++count;
    }
  }
  if (found != nullptr) ++found->users;
  pthread_mutex_unlock(&lists_lock);
  return found;
}

// As many threads of OpenMP as compiled code uses, for the calls of this thread.
class Threads {
 public:
  Threads() : before_(library.set_threads != nullptr ? library.threads() : 0) {
    if (before_ != 0) library.set_threads(mlc_num_threads());
  }
  ~Threads() {
    if (before_ != 0) library.set_threads(before_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

int32_t compute(const Problem& p, const void* source, const void* weights, const void* bias, void* result) {
  Threads threads;
  Entry* entry = entry_of(p);
  if (entry == nullptr) return kMlcLibraryRefused;
  pthread_mutex_lock(&entry->busy);
  bool done = entry->made;
  if (done) {
    const Call& call = entry->call;
    const void* used = weights;
    if (entry->packed != nullptr) {
      library.set_data(entry->copy.source, const_cast<void*>(weights));
      library.set_data(entry->copy.result, entry->packed);
      done = run_copy(entry->copy, entry->stream);
      used = entry->packed;
    }
    library.set_data(call.source, const_cast<void*>(source));
    library.set_data(call.weights, const_cast<void*>(used));
    library.set_data(call.result, result);
    if (call.bias != nullptr) library.set_data(call.bias, const_cast<void*>(bias));
    done = done && run(call, entry->stream) && library.wait(entry->stream) == 0;
  }
  pthread_mutex_unlock(&entry->busy);
  pthread_mutex_lock(&lists_lock);
  --entry->users;
  pthread_mutex_unlock(&lists_lock);
  return done ? kMlcCalled : kMlcLibraryRefused;
}

// What a product without anything to sum is.
void fill(float* c, const float* bias, int64_t rows, int64_t n, const Problem& p) {
  for (int64_t i = 0; i < rows * n; ++i) {
    float value = p.has(kMlcOneDnnBias) ? bias[i % n] : 0;
    c[i] = p.has(kMlcOneDnnRelu) && value < 0 ? 0 : value;
  }
}

bool set_weights(Problem& p, const void* layout) {
  if (!p.has(kMlcOneDnnPacked)) return plain_weights(p, p.weights) == 0;
  memcpy(&p.weights, layout, kLayout);
  return true;
}

int64_t pack(Problem& p, const void* weights, void* packed, void* layout) {
  MemoryDesc source{}, bias{}, result{}, given{};
  Threads threads;
  void* about = primitive_desc(p, nullptr, source, bias, result);
  if (about == nullptr) return -1;
  const void* wanted = library.query(about, kWeightsOf, 0);
  bool known = plain_weights(p, given) == 0;
  bool as_given = known && library.same_layout(&given, wanted) != 0;
  int64_t bytes = !known ? -1 : as_given ? 0 : static_cast<int64_t>(library.layout_size(wanted));
  if (packed != nullptr && bytes > 0) {
    memset(layout, 0, kMlcOneDnnLayoutBytes);
    memcpy(layout, wanted, kLayout);
    Call copy{};
    void* stream = nullptr;
    bool made = make_copy(copy, &given, wanted) && library.stream(&stream, library.cpu, kInOrder) == 0;
    if (made) {
      library.set_data(copy.source, const_cast<void*>(weights));
      library.set_data(copy.result, packed);
      made = run_copy(copy, stream) && library.wait(stream) == 0;
    }
    destroy(copy);
    if (stream != nullptr) library.destroy_stream(stream);
    if (!made) bytes = -1;
  }
  library.destroy_primitive_desc(about);
  return bytes;
}

}  // namespace

extern "C" int32_t mlc_onednn_text(char* text, int64_t size) {
  if (!is_here()) return 0;
  const Version* version = library.version();
  snprintf(text, static_cast<size_t>(size), "oneDNN %d.%d.%d", version->major, version->minor,
           version->patch);
  return 1;
}

extern "C" int32_t mlc_onednn_matmul(const void* a, const void* b, const void* bias, void* c,
                                     const void* layout, int64_t batch, int64_t m, int64_t n, int64_t k,
                                     int64_t a_step, int64_t b_step, int32_t transa, int32_t transb,
                                     int32_t flags) {
  if (!is_here()) return kMlcLibraryMissing;
  if (batch <= 0 || m <= 0 || n <= 0) return kMlcCalled;
  Problem p{.matmul = 1, .flags = flags, .number = {batch, m, n, k, a_step, b_step, transa, transb}};
  if (k == 0) {
    fill(static_cast<float*>(c), static_cast<const float*>(bias), batch * m, n, p);
    return kMlcCalled;
  }
  return set_weights(p, layout) ? compute(p, a, b, bias, c) : kMlcLibraryRefused;
}

extern "C" int32_t mlc_onednn_conv2d(const void* x, const void* w, const void* bias, void* y,
                                     const void* layout, int64_t n, int64_t channels, int64_t height,
                                     int64_t width, int64_t filters, int64_t kernel_h, int64_t kernel_w,
                                     int64_t stride_h, int64_t stride_w, int64_t dilation_h,
                                     int64_t dilation_w, int64_t top, int64_t left, int64_t bottom,
                                     int64_t right, int64_t groups, int32_t flags) {
  if (!is_here()) return kMlcLibraryMissing;
  Problem p{.matmul = 0,
            .flags = flags,
            .number = {n, channels, height, width, filters, kernel_h, kernel_w, stride_h, stride_w,
                       dilation_h, dilation_w, top, left, bottom, right, groups}};
  if (n <= 0 || out_height(p) <= 0 || out_width(p) <= 0) return kMlcCalled;
  return set_weights(p, layout) ? compute(p, x, w, bias, y) : kMlcLibraryRefused;
}

extern "C" int64_t mlc_onednn_pack_matmul(const void* b, void* packed, void* layout, int64_t m, int64_t n,
                                          int64_t k, int32_t transb, int32_t flags) {
  if (!is_here()) return -1;
  Problem p{.matmul = 1, .flags = flags, .number = {1, m, n, k, 0, 0, 0, transb}};
  return pack(p, b, packed, layout);
}

extern "C" int64_t mlc_onednn_pack_conv2d(const void* w, void* packed, void* layout, int64_t n,
                                          int64_t channels, int64_t height, int64_t width, int64_t filters,
                                          int64_t kernel_h, int64_t kernel_w, int64_t stride_h,
                                          int64_t stride_w, int64_t dilation_h, int64_t dilation_w,
                                          int64_t top, int64_t left, int64_t bottom, int64_t right,
                                          int64_t groups, int32_t flags) {
  if (!is_here()) return -1;
  Problem p{.matmul = 0,
            .flags = flags,
            .number = {n, channels, height, width, filters, kernel_h, kernel_w, stride_h, stride_w,
                       dilation_h, dilation_w, top, left, bottom, right, groups}};
  return pack(p, w, packed, layout);
}
