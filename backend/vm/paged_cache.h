// SPDX-License-Identifier: Apache-2.0
// Keys and values of several sequences in pages on a device, and attention over them by the kernels that the
// cache was made with (tvm.relax.frontend.nn.llm.kv_cache makes them).
#pragma once

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend/vm/memory.h"
#include "backend/vm/page_table.h"
#include "backend/vm/upload.h"
#include "ir/core/dtype.h"
#include "ir/core/object.h"

namespace mlc::vm {

namespace ffi = ir::ffi;

enum class LayerKind : int64_t { kHeads = 0, kCompressed = 1, kHeadsWindow = 3 };
enum class RopeMode : int64_t { kNone = 0, kNormal = 1, kInline = 2 };

struct PagedCacheConfig {
  int64_t max_tokens = 0, chunk = 0, page_size = 0, layer_window = 0;
  bool windows = false;  // windows of sequences slide
  int64_t pages = 0;
  int64_t first_layer = 0, heads = 0, kv_heads = 0;
  int64_t dim = 0, value_dim = 0;  // of keys, or of compressed rows; of values, or of what of a row is one
  bool compressed = false;         // all layers keep compressed rows
  std::vector<LayerKind> layers;   // of this cache
  bool layers_have_windows() const {
    return std::find(layers.begin(), layers.end(), LayerKind::kHeadsWindow) != layers.end();
  }
  RopeMode rope = RopeMode::kNone;
  double rope_scale = 1, rope_theta = 1;
  std::optional<ffi::Tensor> rope_factors;
  ir::DataType dtype;
  DLDevice device{kDLCPU, 0};
};

struct PagedCacheKernels {
  ffi::Function append, append_compressed, split, copy, debug, compact;
  std::vector<ffi::Function> merge;  // of what is as wide as values; of the width before compression
  // What a cache needs only for some of what it can do may be missing.
  std::optional<ffi::Function> ragged, prefill, decode, window_prefill, window_decode, tree_paged, tree,
      compressed;
};

class PagedCacheNode final : public ffi::Object {
 public:
  PagedCacheNode(PagedCacheConfig config, PagedCacheKernels kernels);

  // A round: these sequences get that many positions each. With `parents`, they are nodes of trees (the
  // parent of each, or -1).
  void begin_forward(std::span<const int64_t> ids, std::span<const int64_t> lengths,
                     std::optional<std::span<const int64_t>> parents);
  // Attention of a layer over what is kept and what comes, which is kept. Shapes: (rows, heads of q, k and v,
  // dim), (rows, heads, dim).
  void attend(int64_t layer, double scale, const ffi::Tensor& qkv, const ffi::Tensor& out);
  void attend_shared(int64_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& k,
                     const ffi::Tensor& v, const ffi::Tensor& out);
  void attend_self(int64_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& k,
                   const ffi::Tensor& v, const ffi::Tensor& out, const ffi::Tensor& lse);
  void attend_kept(int64_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& out,
                   const ffi::Tensor& lse);
  void merge(const ffi::Tensor& out, const ffi::Tensor& lse, const ffi::Tensor& other,
             const ffi::Tensor& other_lse);
  // Keeps compressed rows (rows, dim).
  void append_compressed(int64_t layer, const ffi::Tensor& rows);
  ffi::Tensor query_positions() const;

  void clear();
  void remove(int64_t id);
  void fork(int64_t parent, int64_t child, int64_t at);
  void pop(int64_t id, int64_t count);
  void slide_window(int64_t id, int64_t window, int64_t sink);
  // Of each tree, the path to a leaf (or nothing, -1) stays.
  void commit_trees(std::span<const int64_t> ids, std::span<const int64_t> leaves);
  // Keys and values of positions, (layers, positions, heads, dim) each.
  void read(int64_t id, int64_t first, int64_t last, const ffi::Tensor& keys, const ffi::Tensor& values);
  // The same of compressed rows, (layers, positions, dim).
  void read_compressed(int64_t id, int64_t first, int64_t last, const ffi::Tensor& rows);
  PageTable& table() { return table_; }

  static constexpr int _type_child_slots [[maybe_unused]] = 0;
  static constexpr bool _type_final [[maybe_unused]] = true;
  static constexpr bool _type_mutable [[maybe_unused]] = true;
  MLC_NODE_BASE("mlc.vm.PagedAttentionKVCache", PagedCacheNode, ffi::Object);

 private:
  // What queries see of pages, as kernels take it: for each sequence (or each row) its pages, its
  // length_info, the position of the first key.
  struct View {
    ffi::Tensor indptr, values, info, first_key;
    bool empty = true;  // no keys at all
  };
  struct Forward {
    int64_t sequences = 0, rows = 0;
    bool appends_first = false;  // keys come into pages before attention, which then sees them there
    bool one_each = false;
    bool tree = false;  // and not a chain
    ffi::Tensor positions, slots, indptr, before;
    View view;      // of a sequence
    View row_view;  // of a row, in layers with windows
    ffi::Tensor tree_indptr, tree_order;
    std::vector<char> appended;  // of a layer: whether its compressed rows have come
  };
  // Memory for one layer's attention, as large as the largest round; made when it is needed first.
  struct Workspace {
    std::optional<ffi::Tensor> q, k, v, lse, kept_out, kept_lse;
  };

  void plan_trees(PageTable& table, std::span<const int64_t> ids, std::span<const int64_t> lengths,
                  std::span<const int64_t> parents, Forward& next, Upload& upload) const;
  void view_of(const std::vector<PagedSequence>& sequences, View& view, Upload& upload) const;
  void row_view_of(const std::vector<PagedSequence>& sequences, std::span<const int64_t> lengths, View& view,
                   Upload& upload) const;
  const Forward& forward() const;
  size_t layer_index(int64_t layer) const;
  void check_heads(std::string_view what) const;
  void check_compressed(std::string_view what) const;
  void check_here(const ffi::Tensor& tensor, std::string_view what) const;
  void check_rows(const ffi::Tensor& tensor, int64_t heads, int64_t dim, std::string_view what) const;
  void check_lse(const ffi::Tensor& lse) const;
  void check_range(int64_t id, int64_t first, int64_t last) const;
  void append(size_t layer, const ffi::Tensor& k, const ffi::Tensor& v);
  // Over what comes alone; over pages; over pages, where each row has a window; over what comes and pages.
  void self(double scale, const ffi::Tensor& q, const ffi::Tensor& k, const ffi::Tensor& v,
            const ffi::Tensor& out, const ffi::Tensor& lse);
  void kept(size_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& out, const ffi::Tensor& lse);
  void look_back(size_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& out,
                 const ffi::Tensor& lse);
  void both(size_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& k, const ffi::Tensor& v,
            const ffi::Tensor& out);
  void copy_page(const PageTable::Copy& copy);
  ffi::Tensor rows_workspace(std::optional<ffi::Tensor>& kept, int64_t heads);  // (rows, heads, dim)
  ffi::Tensor lse_workspace(std::optional<ffi::Tensor>& kept);                  // (rows, heads) of float32
  ffi::Tensor room_of(std::optional<ffi::Tensor>& kept, std::vector<int64_t> shape, ir::DataType dtype);
  int64_t inline_rope() const { return config_.rope == RopeMode::kInline ? 1 : 0; }

  PagedCacheConfig config_;
  PagedCacheKernels kernels_;
  PageTable table_;
  std::shared_ptr<Pool> pool_;  // for numbers of rounds
  std::vector<ffi::Tensor> pages_;
  Workspace workspace_;
  std::optional<Forward> forward_;
};
using PagedCache = ir::Ref<PagedCacheNode>;

}  // namespace mlc::vm
