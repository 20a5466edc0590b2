// SPDX-License-Identifier: Apache-2.0
// vm.builtin.attention_kv_cache_*: keys or values of the positions so far, of one sequence, in one block of
// memory.
#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cstring>

#include "backend/vm/builtins.h"
#include "backend/vm/executable.h"
#include "backend/vm/memory.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "kv-cache-shape",
         .message = "`{}`: a position of the cache is of shape ({}), what is given has ({})"},
        {.name = "kv-cache-dtype", .message = "`{}`: the cache holds {}, what is given is {}"},
        {.name = "kv-cache-length", .message = "`{}`: {} positions are asked for, the cache holds {}"},
        {.name = "kv-cache-fill",
         .message = "`vm.builtin.attention_kv_cache_create`: {} positions are filled, {} are given"},
        {.name = "kv-cache-pop",
         .message =
             "`vm.builtin.attention_kv_cache_array_popn`: {} positions are taken off a cache that holds {}"},
        {.name = "kv-cache-window",
         .message = "`{}`: {} positions are written into a window that has {} besides {} kept ones"},
    }};
MLC_REFUSALS(vm_builtin_kv_cache, refusals);

namespace {

// Rows of one shape, of which the first `filled` are in use. Its memory doubles when it is full, and may be
// seen through views: what they show stays theirs when the cache has moved on to a larger block.
struct KVCacheNode final : ffi::Object {
  ffi::Tensor data;
  int64_t filled = 0;
  int64_t window_at = 0;  // where a window goes on writing: appended positions do not count

  explicit KVCacheNode(ffi::Tensor data) : data(std::move(data)) {}
  static constexpr bool _type_mutable [[maybe_unused]] = true;
  MLC_NODE("mlc.vm.AttentionKVCache", KVCacheNode, ffi::Object);

  int64_t row_bytes() const {
    int64_t rows = data.shape()[0];
    return rows == 0 ? 0 : static_cast<int64_t>(ffi::GetDataSize(data)) / rows;
  }
  char* row(int64_t index) const { return static_cast<char*>(data.data_ptr()) + index * row_bytes(); }
};
using KVCache = ir::Ref<KVCacheNode>;

constexpr std::string_view kCache = "cache of keys and values";

KVCacheNode* cache_of(ffi::AnyView given, std::string_view name) {
  return const_cast<KVCacheNode*>(value_of<KVCache>(given, name, kCache).get());
}

std::string row_text(ffi::ShapeView shape) {
  return fmt::format("{}", fmt::join(shape.begin() + (shape.size() > 0 ? 1 : 0), shape.end(), ", "));
}
bool same_rows(ffi::ShapeView a, ffi::ShapeView b) {
  return a.size() == b.size() && a.size() > 0 && std::equal(a.begin() + 1, a.end(), b.begin() + 1);
}

// Rows for a cache, compact.
ffi::Tensor rows_for(const KVCacheNode* cache, ffi::AnyView given, std::string_view name) {
  auto rows = value_of<ffi::Tensor>(given, name, "tensor");
  if (!same_rows(cache->data.shape(), rows.shape()))
    throw refuse(refusals["kv-cache-shape"], name, row_text(cache->data.shape()), row_text(rows.shape()));
  if (ir::DataType(rows.dtype()) != ir::DataType(cache->data.dtype()))
    throw refuse(refusals["kv-cache-dtype"], name, ir::DataType(cache->data.dtype()).str(),
                 ir::DataType(rows.dtype()).str());
  return ir::contiguous(rows);
}

void reserve(KVCacheNode* cache, int64_t rows) {
  int64_t reserved = cache->data.shape()[0];
  if (rows <= reserved) return;
  std::vector<int64_t> shape(cache->data.shape().begin(), cache->data.shape().end());
  shape[0] = std::max(rows, 2 * reserved);
  ffi::Tensor larger = ir::make_tensor(shape, ir::DataType(cache->data.dtype()));
  size_t used = ffi::GetDataSize(cache->data);
  std::memcpy(larger.data_ptr(), cache->data.data_ptr(), used);
  // A window may be seen as a whole before all of it has been written.
  std::memset(static_cast<char*>(larger.data_ptr()) + used, 0, ffi::GetDataSize(larger) - used);
  cache->data = std::move(larger);
}

void append(KVCacheNode* cache, const ffi::Tensor& rows) {
  int64_t count = rows.shape()[0];
  reserve(cache, cache->filled + count);
  std::memcpy(cache->row(cache->filled), rows.data_ptr(), ffi::GetDataSize(rows));
  cache->filled += count;
}

// create(rows, shape of the memory, filled): a negative `filled` is all rows
Any create(ffi::AnyView given, ffi::AnyView reserved, int64_t filled) {
  constexpr std::string_view name = "vm.builtin.attention_kv_cache_create";
  auto rows = value_of<ffi::Tensor>(given, name, "tensor");
  auto shape = value_of<ffi::Shape>(reserved, name, "shape");
  ir::DataType dtype(rows.dtype());
  if (!same_rows(ffi::ShapeView(shape.data(), shape.size()), rows.shape()))
    throw refuse(refusals["kv-cache-shape"], name, row_text({shape.data(), shape.size()}),
                 row_text(rows.shape()));
  bytes_of(shape, dtype);  // refuses what cannot be a shape
  ffi::Tensor data = ir::make_tensor({shape.data(), shape.size()}, dtype);
  std::memset(data.data_ptr(), 0, ffi::GetDataSize(data));
  KVCache cache = ir::make<KVCacheNode>(std::move(data));
  auto* state = const_cast<KVCacheNode*>(cache.get());
  append(state, ir::contiguous(rows));
  if (filled > state->filled) throw refuse(refusals["kv-cache-fill"], filled, state->filled);
  if (filled >= 0) state->filled = state->window_at = filled;
  return cache;
}

// A tensor in the memory of a cache.
struct InCache {
  ffi::Tensor block;
  void AllocData(DLTensor* view) { view->data = block.data_ptr(); }
  void FreeData(DLTensor*) {}
};
ffi::Tensor view(ffi::AnyView given, ffi::AnyView wanted) {
  constexpr std::string_view name = "vm.builtin.attention_kv_cache_view";
  const KVCacheNode* cache = cache_of(given, name);
  auto shape = value_of<ffi::Shape>(wanted, name, "shape");
  ffi::ShapeView dims(shape.data(), shape.size());
  if (!same_rows(cache->data.shape(), dims))
    throw refuse(refusals["kv-cache-shape"], name, row_text(cache->data.shape()), row_text(dims));
  if (dims[0] != cache->filled) throw refuse(refusals["kv-cache-length"], name, dims[0], cache->filled);
  return ffi::Tensor::FromNDAlloc(InCache{cache->data}, shape, cache->data.dtype(), cache->data.device());
}

Any append_rows(ffi::AnyView given, ffi::AnyView rows) {
  constexpr std::string_view name = "vm.builtin.attention_kv_cache_append";
  KVCacheNode* cache = cache_of(given, name);
  append(cache, rows_for(cache, rows, name));
  return Any(given);
}

// Other rows in place of all that there are.
Any update(ffi::AnyView given, ffi::AnyView rows) {
  constexpr std::string_view name = "vm.builtin.attention_kv_cache_update";
  KVCacheNode* cache = cache_of(given, name);
  ffi::Tensor values = rows_for(cache, rows, name);
  if (values.shape()[0] != cache->filled)
    throw refuse(refusals["kv-cache-length"], name, values.shape()[0], cache->filled);
  std::memcpy(cache->data.data_ptr(), values.data_ptr(), ffi::GetDataSize(values));
  return Any(given);
}

// The rows of a window of `most` go round behind its first `kept` ones, which stay.
Any override_window(ffi::AnyView given, ffi::AnyView rows, int64_t most, int64_t kept,
                    std::string_view name) {
  KVCacheNode* cache = cache_of(given, name);
  ffi::Tensor values = rows_for(cache, rows, name);
  int64_t count = values.shape()[0];
  if (kept < 0 || count > most - kept)
    throw refuse(refusals["kv-cache-window"], name, count, most - kept, kept);
  reserve(cache, most);
  for (int64_t i = 0; i < count; ++i) {
    if (cache->window_at >= most) cache->window_at = kept;
    std::memcpy(cache->row(cache->window_at++),
                static_cast<const char*>(values.data_ptr()) + i * cache->row_bytes(),
                static_cast<size_t>(cache->row_bytes()));
  }
  cache->filled = std::min(cache->filled + count, most);
  return Any(given);
}

std::vector<KVCacheNode*> caches_of(ffi::AnyView given, std::string_view name) {
  std::vector<KVCacheNode*> caches;
  auto items = value_of<ffi::Array<Any>>(given, name, "list of caches");
  for (const Any& each : items) caches.push_back(cache_of(each, name));
  return caches;
}

void pop(ffi::AnyView given, int64_t count) {
  auto caches = caches_of(given, "vm.builtin.attention_kv_cache_array_popn");
  for (const KVCacheNode* cache : caches)
    if (count < 0 || count > cache->filled) throw refuse(refusals["kv-cache-pop"], count, cache->filled);
  for (KVCacheNode* cache : caches) cache->filled -= count;
}

void clear(ffi::AnyView given) {
  for (KVCacheNode* cache : caches_of(given, "vm.builtin.attention_kv_cache_array_clear"))
    cache->filled = cache->window_at = 0;
}

}  // namespace

void register_kv_cache_builtins() {
  ffi::reflection::GlobalDef def;
  def.def("vm.builtin.attention_kv_cache_create", create)
      .def("vm.builtin.attention_kv_cache_view", view)
      .def("vm.builtin.attention_kv_cache_append", append_rows)
      .def("vm.builtin.attention_kv_cache_update", update)
      .def("vm.builtin.attention_kv_cache_window_override",
           [](ffi::AnyView cache, ffi::AnyView rows, int64_t most) {
             return override_window(cache, rows, most, 0, "vm.builtin.attention_kv_cache_window_override");
           })
      .def("vm.builtin.attention_kv_cache_window_override_with_sinks",
           [](ffi::AnyView cache, ffi::AnyView rows, int64_t most, int64_t kept) {
             return override_window(cache, rows, most, kept,
                                    "vm.builtin.attention_kv_cache_window_override_with_sinks");
           })
      .def("vm.builtin.attention_kv_cache_array_popn", pop)
      .def("vm.builtin.attention_kv_cache_array_clear", clear);
}

}  // namespace mlc::vm
