// SPDX-License-Identifier: Apache-2.0
// A round of a paged cache. Where each sequence gets one position, keys come into pages first and attention
// sees them there. Else attention is computed over what comes and over what is kept, each with the logarithms
// of its sums, and merged: windows may have slid over keys that the first queries still see, and pages are
// written when all of them have been read.
#include "backend/vm/paged_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/target/device.h"
#include "ir/target/device_api.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "paged-cache-no-forward",
         .message = "the cache is in no round",
         .help = "`vm.builtin.kv_state_begin_forward` says which sequences get how many positions"},
        {.name = "paged-cache-round", .message = "{} sequences get {} lengths"},
        {.name = "paged-cache-twice", .message = "sequence {} is twice in a round"},
        {.name = "paged-cache-chunk",
         .message = "a round of {} positions, where the cache was made for {} (`prefill_chunk_size`)"},
        {.name = "paged-cache-layer", .message = "layer {} is not one of {} to {}"},
        {.name = "paged-cache-rows", .message = "`{}` has the shape ({}); this round takes ({}, {}, {})"},
        {.name = "paged-cache-dtype", .message = "`{}` is {}, the cache holds {}"},
        {.name = "paged-cache-device", .message = "`{}` is on `{}`, the cache on `{}`"},
        {.name = "paged-cache-sums",
         .message = "`lse` has the shape ({}); this round takes ({}, {}) of float32"},
        {.name = "paged-cache-compressed",
         .kind = "NotImplementedError",
         .message = "{}, where the cache keeps compressed rows (`mla`)"},
        {.name = "paged-cache-heads",
         .message = "{}, where the cache keeps keys and values of heads (`mha`)"},
        {.name = "paged-cache-not-appended",
         .message = "in a round of one position each, what comes is kept before attention over what is kept: "
                    "nothing has come to layer {}",
         .help = "call `append_mla_kv` of the layer first"},
        {.name = "paged-cache-compressed-rows", .message = "`{}` has the shape ({}), not ({}, {}) of {}"},
        {.name = "paged-cache-kernel",
         .kind = "NotImplementedError",
         .message = "the cache was made without the kernel for {}"},
        {.name = "paged-cache-tree-parent",
         .message = "the parent of node {} of the tree of sequence {} is {}"},
        {.name = "paged-cache-tree-nodes", .message = "{} nodes of trees have {} parents"},
        {.name = "paged-cache-tree-refused",
         .kind = "NotImplementedError",
         .message = "trees of tokens, where {}"},
        {.name = "paged-cache-no-tree", .message = "sequence {} has no tree of tokens"},
        {.name = "paged-cache-leaf", .message = "node {} is not one of the {} of the tree of sequence {}"},
        {.name = "paged-cache-range", .message = "positions {} to {} of sequence {}, which has {}"},
        {.name = "paged-cache-no-windows",
         .message = "the cache was made without sliding windows (`support_sliding_window`)"},
    }};
MLC_REFUSALS(vm_paged_cache, refusals);

namespace {

// The first rows of a tensor, in its memory.
struct FirstRows {
  ffi::Tensor tensor;
  void AllocData(DLTensor* view) {
    view->data = tensor.GetDLTensorPtr()->data;
    view->byte_offset = tensor.GetDLTensorPtr()->byte_offset;
  }
  void FreeData(DLTensor*) {}
};
ffi::Tensor first_rows(const ffi::Tensor& tensor, int64_t rows) {
  if (tensor.shape()[0] == rows) return tensor;
  std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  shape[0] = rows;
  return ffi::Tensor::FromNDAlloc(FirstRows{tensor}, ffi::Shape(shape.begin(), shape.end()), tensor.dtype(),
                                  tensor.device());
}

const ffi::Function& needed(const std::optional<ffi::Function>& kernel, std::string_view what) {
  if (!kernel) throw refuse(refusals["paged-cache-kernel"], what);
  return *kernel;
}

int64_t depth_of(const std::vector<int64_t>& parents, int64_t node) {
  int64_t depth = 0;
  for (; parents[static_cast<size_t>(node)] != -1; node = parents[static_cast<size_t>(node)]) ++depth;
  return depth;
}

// Of each node its number, depth first, and the number behind its last descendant. Children come after their
// parents, in the order of their indices.
std::vector<int32_t> tree_order(const std::vector<int64_t>& parents) {
  size_t count = parents.size();
  std::vector<int32_t> size(count, 1), order(2 * count), next(count + 1, 0);
  for (size_t node = count; node-- > 0;)
    if (parents[node] != -1) size[static_cast<size_t>(parents[node])] += size[node];
  // next[p + 1]: the number of the next child of p; next[0] that of the next root
  for (size_t node = 0; node < count; ++node) {
    int32_t& number = next[static_cast<size_t>(parents[node] + 1)];
    order[2 * node] = number;
    order[2 * node + 1] = number + size[node];
    next[node + 1] = number + 1;
    number += size[node];
  }
  return order;
}

bool is_chain(const std::vector<int64_t>& parents) {
  for (size_t node = 0; node < parents.size(); ++node)
    if (parents[node] != static_cast<int64_t>(node) - 1) return false;
  return true;
}

}  // namespace

PagedCacheNode::PagedCacheNode(PagedCacheConfig config, PagedCacheKernels kernels)
    : config_(std::move(config)),
      kernels_(std::move(kernels)),
      table_(config_.pages, config_.page_size, config_.windows),
      pool_(std::make_shared<Pool>(false, config_.device)) {
  ffi::Shape shape = config_.compressed
                         ? ffi::Shape{config_.pages, config_.page_size, config_.dim}
                         : ffi::Shape{config_.pages, 2, config_.kv_heads, config_.page_size, config_.dim};
  bytes_of(shape, config_.dtype);  // refuses what cannot be a shape
  for (size_t layer = 0; layer < config_.layers.size(); ++layer)
    pages_.push_back(ir::make_tensor_on(config_.device, {shape.data(), shape.size()}, config_.dtype));
}

void PagedCacheNode::view_of(const std::vector<PagedSequence>& sequences, View& view, Upload& upload) const {
  std::vector<int32_t> indptr{0}, values, last, offset, pinned;
  for (const PagedSequence& each : sequences) {
    int64_t slots = each.used_slots();
    int64_t pages = (slots + config_.page_size - 1) / config_.page_size;
    values.insert(values.end(), each.pages.begin(), each.pages.begin() + pages);
    indptr.push_back(static_cast<int32_t>(values.size()));
    last.push_back(slots == 0 ? 0 : static_cast<int32_t>((slots - 1) % config_.page_size + 1));
    offset.push_back(static_cast<int32_t>(each.offset));
    pinned.push_back(static_cast<int32_t>(each.pinned));
    view.empty = view.empty && slots == 0;
  }
  auto count = static_cast<int64_t>(sequences.size());
  upload.add(view.first_key, std::vector<int32_t>(sequences.size(), 0));
  upload.add(view.indptr, indptr);
  upload.add(view.values, values);
  if (!config_.windows) return upload.add(view.info, last);
  last.insert(last.end(), offset.begin(), offset.end());
  last.insert(last.end(), pinned.begin(), pinned.end());
  upload.add(view.info, last, {3, count});
}

// A row sees the last positions up to its own: its pages begin with the one in which its window begins.
void PagedCacheNode::row_view_of(const std::vector<PagedSequence>& sequences,
                                 std::span<const int64_t> lengths, View& view, Upload& upload) const {
  std::vector<int32_t> indptr{0}, values, last, offset, first;
  for (size_t i = 0; i < sequences.size(); ++i) {
    for (int64_t position = sequences[i].length - lengths[i]; position < sequences[i].length; ++position) {
      int64_t begin = std::max<int64_t>(0, position - config_.layer_window + 1);
      auto pages = sequences[i].pages.begin();
      values.insert(values.end(), pages + begin / config_.page_size,
                    pages + position / config_.page_size + 1);
      indptr.push_back(static_cast<int32_t>(values.size()));
      last.push_back(static_cast<int32_t>(position % config_.page_size + 1));
      offset.push_back(static_cast<int32_t>(begin % config_.page_size));
      first.push_back(static_cast<int32_t>(begin));
    }
  }
  view.empty = false;
  upload.add(view.indptr, indptr);
  upload.add(view.values, values);
  upload.add(view.first_key, first);
  auto count = static_cast<int64_t>(first.size());
  last.insert(last.end(), offset.begin(), offset.end());
  last.resize(static_cast<size_t>(3 * count), 0);  // no sinks
  upload.add(view.info, last, {3, count});
}

void PagedCacheNode::plan_trees(PageTable& table, std::span<const int64_t> ids,
                                std::span<const int64_t> lengths, std::span<const int64_t> parents,
                                Forward& next, Upload& upload) const {
  if (config_.compressed) throw refuse(refusals["paged-cache-compressed"], "trees of tokens");
  if (config_.windows) throw refuse(refusals["paged-cache-tree-refused"], "windows of sequences slide");
  if (config_.rope == RopeMode::kInline)
    throw refuse(refusals["paged-cache-tree-refused"],
                 "kernels turn positions themselves (`RopeMode.INLINE`)");
  if (config_.layers_have_windows())
    throw refuse(refusals["paged-cache-tree-refused"], "layers have windows");
  if (static_cast<int64_t>(parents.size()) != next.rows)
    throw refuse(refusals["paged-cache-tree-nodes"], next.rows, parents.size());
  std::vector<int32_t> indptr{0}, order;
  size_t at = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    std::vector<int64_t>& tree = table.at(ids[i]).tree_parents;
    for (int64_t n = 0; n < lengths[i]; ++n, ++at) {
      auto node = static_cast<int64_t>(tree.size());
      if (parents[at] < -1 || parents[at] >= node)
        throw refuse(refusals["paged-cache-tree-parent"], node, ids[i], parents[at]);
      tree.push_back(parents[at]);
    }
    next.tree = next.tree || !is_chain(tree);
    std::vector<int32_t> numbers = tree_order(tree);
    order.insert(order.end(), numbers.begin(), numbers.end());
    indptr.push_back(static_cast<int32_t>(order.size() / 2));
  }
  upload.add(next.tree_indptr, indptr);
  upload.add(next.tree_order, order, {static_cast<int64_t>(order.size() / 2), 2});
}

void PagedCacheNode::begin_forward(std::span<const int64_t> ids, std::span<const int64_t> lengths,
                                   std::optional<std::span<const int64_t>> parents) {
  if (ids.size() != lengths.size()) throw refuse(refusals["paged-cache-round"], ids.size(), lengths.size());
  for (size_t i = 0; i < ids.size(); ++i)
    if (std::find(ids.begin() + static_cast<int64_t>(i) + 1, ids.end(), ids[i]) != ids.end())
      throw refuse(refusals["paged-cache-twice"], ids[i]);
  int64_t rows = 0;
  for (int64_t length : lengths) rows += std::max<int64_t>(length, 0);
  if (rows > config_.chunk) throw refuse(refusals["paged-cache-chunk"], rows, config_.chunk);
  PageTable table = table_;  // a round that is refused leaves nothing behind
  Upload upload;
  Forward next;
  next.sequences = static_cast<int64_t>(ids.size());
  next.one_each = true;
  bool grows_tree = false;
  std::vector<PagedSequence> old, grown;
  std::vector<int32_t> slots, before, indptr{0};
  for (size_t i = 0; i < ids.size(); ++i) {
    const PagedSequence& sequence = table.at(ids[i]);
    if (!parents) table.check_no_tree(ids[i]);
    grows_tree = grows_tree || !sequence.tree_parents.empty();
    old.push_back(sequence);
    before.push_back(
        static_cast<int32_t>(sequence.length - static_cast<int64_t>(sequence.tree_parents.size())));
    std::vector<int32_t> where = table.append(ids[i], lengths[i]);
    slots.insert(slots.end(), where.begin(), where.end());
    indptr.push_back(static_cast<int32_t>(slots.size()));
    grown.push_back(table.at(ids[i]));
    next.one_each = next.one_each && lengths[i] == 1;
  }
  next.rows = rows;
  if (parents) plan_trees(table, ids, lengths, *parents, next, upload);
  next.appends_first = (next.one_each && !config_.windows) || grows_tree;

  std::vector<int32_t> positions;
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::vector<int64_t>& tree = table.at(ids[i]).tree_parents;
    auto nodes = static_cast<int64_t>(tree.size());
    for (int64_t n = 0; n < lengths[i]; ++n)
      positions.push_back(before[i] +
                          static_cast<int32_t>(tree.empty() ? n : depth_of(tree, nodes - lengths[i] + n)));
  }
  upload.add(next.positions, positions);
  upload.add(next.slots, slots);
  upload.add(next.indptr, indptr);
  upload.add(next.before, before);
  view_of(next.appends_first ? grown : old, next.view, upload);
  if (config_.layers_have_windows()) row_view_of(grown, lengths, next.row_view, upload);
  next.appended.resize(config_.layers.size(), 0);
  upload.send(pool_);
  table_ = std::move(table);
  forward_ = std::move(next);
}

const PagedCacheNode::Forward& PagedCacheNode::forward() const {
  if (!forward_) throw refuse(refusals["paged-cache-no-forward"]);
  return *forward_;
}

size_t PagedCacheNode::layer_index(int64_t layer) const {
  int64_t index = layer - config_.first_layer, count = static_cast<int64_t>(config_.layers.size());
  if (index < 0 || index >= count)
    throw refuse(refusals["paged-cache-layer"], layer, config_.first_layer, config_.first_layer + count - 1);
  return static_cast<size_t>(index);
}

void PagedCacheNode::check_heads(std::string_view what) const {
  if (config_.compressed) throw refuse(refusals["paged-cache-compressed"], what);
}

void PagedCacheNode::check_compressed(std::string_view what) const {
  if (!config_.compressed) throw refuse(refusals["paged-cache-heads"], what);
}

void PagedCacheNode::check_here(const ffi::Tensor& tensor, std::string_view what) const {
  DLDevice device = tensor.device();
  if (device.device_type != config_.device.device_type || device.device_id != config_.device.device_id)
    throw refuse(refusals["paged-cache-device"], what, ir::device_text(device),
                 ir::device_text(config_.device));
}

void PagedCacheNode::check_rows(const ffi::Tensor& tensor, int64_t heads, int64_t dim,
                                std::string_view what) const {
  auto shape = tensor.shape();
  if (shape.size() != 3 || shape[0] < forward().rows || shape[1] != heads || shape[2] != dim)
    throw refuse(refusals["paged-cache-rows"], what,
                 fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", ")), forward().rows, heads, dim);
  if (ir::DataType(tensor.dtype()) != config_.dtype)
    throw refuse(refusals["paged-cache-dtype"], what, ir::DataType(tensor.dtype()).str(),
                 config_.dtype.str());
  check_here(tensor, what);
}

void PagedCacheNode::check_lse(const ffi::Tensor& lse) const {
  auto shape = lse.shape();
  if (shape.size() != 2 || shape[0] < forward().rows || shape[1] != config_.heads ||
      ir::DataType(lse.dtype()) != ir::DataType::Float(32))
    throw refuse(refusals["paged-cache-sums"], fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", ")),
                 forward().rows, config_.heads);
  check_here(lse, "lse");
}

ffi::Tensor PagedCacheNode::room_of(std::optional<ffi::Tensor>& kept, std::vector<int64_t> shape,
                                    ir::DataType dtype) {
  if (!kept) kept = ir::make_tensor_on(config_.device, shape, dtype);
  return first_rows(*kept, forward().rows);
}
ffi::Tensor PagedCacheNode::rows_workspace(std::optional<ffi::Tensor>& kept, int64_t heads) {
  return room_of(kept, {config_.chunk, heads, config_.dim}, config_.dtype);
}
ffi::Tensor PagedCacheNode::lse_workspace(std::optional<ffi::Tensor>& kept) {
  return room_of(kept, {config_.chunk, config_.heads}, ir::DataType::Float(32));
}

void PagedCacheNode::append(size_t layer, const ffi::Tensor& k, const ffi::Tensor& v) {
  kernels_.append(pages_[layer], k, v, forward().slots);
}

void PagedCacheNode::self(double scale, const ffi::Tensor& q, const ffi::Tensor& k, const ffi::Tensor& v,
                          const ffi::Tensor& out, const ffi::Tensor& lse) {
  const Forward& now = forward();
  if (now.tree) {
    needed(kernels_.tree, "trees of what comes")(q, now.indptr, k, v, now.indptr, now.positions,
                                                 now.tree_indptr, now.tree_order, out, lse, inline_rope(),
                                                 config_.rope_scale, config_.rope_theta, scale);
    return;
  }
  constexpr int64_t causal = 1;
  // Of compressed rows, who calls turns the positions.
  int64_t turns = config_.compressed ? 0 : inline_rope();
  needed(kernels_.ragged, "prefill over what comes")(q, now.indptr, k, v, now.indptr, now.positions,
                                                     now.before, out, lse, causal, turns, config_.rope_scale,
                                                     config_.rope_theta, scale);
}

void PagedCacheNode::kept(size_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& out,
                          const ffi::Tensor& lse) {
  const Forward& now = forward();
  const View& view = now.view;
  const ffi::Tensor& pages = pages_[layer];
  int64_t causal = now.appends_first ? 1 : 0;  // else what is kept comes before all queries
  if (config_.compressed) {
    if (now.appends_first && !now.appended[layer])
      throw refuse(refusals["paged-cache-not-appended"], config_.first_layer + static_cast<int64_t>(layer));
    needed(kernels_.compressed, "compressed rows")(q, now.indptr, pages, view.indptr, view.values, view.info,
                                                   out, lse, causal, scale);
    return;
  }
  if (now.tree && now.appends_first) {
    needed(kernels_.tree_paged, "trees in pages")(
        q, now.indptr, pages, view.indptr, view.values, view.info, view.first_key, now.positions, out, lse,
        inline_rope(), config_.rope_scale, config_.rope_theta, scale, now.tree_indptr, now.tree_order);
    return;
  }
  if (now.one_each) {
    const auto& decode = config_.windows ? kernels_.window_decode : kernels_.decode;
    needed(decode, "decode")(q, pages, view.indptr, view.values, view.info, view.first_key, now.positions,
                             out, lse, inline_rope(), config_.rope_scale, config_.rope_theta, scale);
    return;
  }
  const auto& prefill = config_.windows ? kernels_.window_prefill : kernels_.prefill;
  needed(prefill, "prefill over pages")(q, now.indptr, pages, view.indptr, view.values, view.info,
                                        view.first_key, now.positions, out, lse, causal, inline_rope(),
                                        config_.rope_scale, config_.rope_theta, scale);
}

// In a layer with a window, each row is a sequence of its own to the kernel for decode.
void PagedCacheNode::look_back(size_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& out,
                               const ffi::Tensor& lse) {
  const Forward& now = forward();
  const View& view = now.row_view;
  needed(kernels_.window_decode, "decode with windows")(
      q, pages_[layer], view.indptr, view.values, view.info, view.first_key, now.positions, out, lse,
      inline_rope(), config_.rope_scale, config_.rope_theta, scale);
}

void PagedCacheNode::both(size_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& k,
                          const ffi::Tensor& v, const ffi::Tensor& out) {
  ffi::Tensor lse = lse_workspace(workspace_.lse);
  self(scale, q, k, v, out, lse);
  if (forward().view.empty) return;
  ffi::Tensor kept_out = rows_workspace(workspace_.kept_out, config_.heads);
  ffi::Tensor kept_lse = lse_workspace(workspace_.kept_lse);
  kept(layer, scale, q, kept_out, kept_lse);
  kernels_.merge[0](out, lse, kept_out, kept_lse);
}

void PagedCacheNode::attend(int64_t layer_id, double scale, const ffi::Tensor& given,
                            const ffi::Tensor& result) {
  const Forward& now = forward();
  size_t layer = layer_index(layer_id);
  check_heads("attention over queries, keys and values of heads");
  check_rows(given, config_.heads + 2 * config_.kv_heads, config_.dim, "qkv");
  check_rows(result, config_.heads, config_.dim, "output");
  ffi::Tensor qkv = first_rows(given, now.rows), out = first_rows(result, now.rows);
  ffi::Tensor q = rows_workspace(workspace_.q, config_.heads);
  ffi::Tensor k = rows_workspace(workspace_.k, config_.kv_heads),
              v = rows_workspace(workspace_.v, config_.kv_heads);
  if (config_.rope_factors)
    kernels_.split(qkv, now.positions, q, k, v, *config_.rope_factors);
  else
    kernels_.split(qkv, now.positions, q, k, v, int64_t{config_.rope == RopeMode::kNormal});
  bool windowed = config_.layers[layer] == LayerKind::kHeadsWindow;
  if (windowed || now.appends_first) {
    append(layer, k, v);
    if (windowed)
      look_back(layer, scale, q, out, lse_workspace(workspace_.lse));
    else
      kept(layer, scale, q, out, lse_workspace(workspace_.lse));
    return;
  }
  both(layer, scale, q, k, v, out);
  append(layer, k, v);
}

void PagedCacheNode::attend_shared(int64_t layer_id, double scale, const ffi::Tensor& q, const ffi::Tensor& k,
                                   const ffi::Tensor& v, const ffi::Tensor& result) {
  const Forward& now = forward();
  size_t layer = layer_index(layer_id);
  check_heads("keys and values of another layer");
  check_rows(q, config_.heads, config_.dim, "q");
  check_rows(k, config_.kv_heads, config_.dim, "k");
  check_rows(v, config_.kv_heads, config_.dim, "v");
  check_rows(result, config_.heads, config_.dim, "output");
  ffi::Tensor queries = first_rows(q, now.rows), out = first_rows(result, now.rows);
  if (config_.layers[layer] == LayerKind::kHeadsWindow)
    look_back(layer, scale, queries, out, lse_workspace(workspace_.lse));
  else if (now.appends_first)
    kept(layer, scale, queries, out, lse_workspace(workspace_.lse));
  else
    both(layer, scale, queries, first_rows(k, now.rows), first_rows(v, now.rows), out);
}

void PagedCacheNode::attend_self(int64_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& k,
                                 const ffi::Tensor& v, const ffi::Tensor& out, const ffi::Tensor& lse) {
  layer_index(layer);
  // Before compression each head has a key and a value of its own; the kernel knows how wide they are.
  int64_t kv_heads = config_.compressed ? config_.heads : config_.kv_heads;
  auto width = [&](const ffi::Tensor& tensor) {
    return config_.compressed && tensor.shape().size() == 3 ? tensor.shape()[2] : config_.dim;
  };
  check_rows(q, config_.heads, width(q), "q");
  check_rows(k, kv_heads, width(q), "k");
  check_rows(v, kv_heads, width(v), "v");
  check_rows(out, config_.heads, width(v), "output");
  check_lse(lse);
  int64_t rows = forward().rows;
  self(scale, first_rows(q, rows), first_rows(k, rows), first_rows(v, rows), first_rows(out, rows),
       first_rows(lse, rows));
}

void PagedCacheNode::attend_kept(int64_t layer, double scale, const ffi::Tensor& q, const ffi::Tensor& out,
                                 const ffi::Tensor& lse) {
  size_t index = layer_index(layer);
  check_rows(q, config_.heads, config_.dim, "q");
  check_rows(out, config_.heads, config_.value_dim, "output");
  check_lse(lse);
  int64_t rows = forward().rows;
  kept(index, scale, first_rows(q, rows), first_rows(out, rows), first_rows(lse, rows));
}

void PagedCacheNode::merge(const ffi::Tensor& out, const ffi::Tensor& lse, const ffi::Tensor& other,
                           const ffi::Tensor& other_lse) {
  for (const ffi::Tensor& each : {out, lse, other, other_lse}) check_here(each, "result");
  bool as_values = out.shape().size() == 3 && out.shape()[2] == config_.value_dim;
  (as_values ? kernels_.merge.front() : kernels_.merge.back())(out, lse, other, other_lse);
}

void PagedCacheNode::append_compressed(int64_t layer_id, const ffi::Tensor& given) {
  const Forward& now = forward();
  size_t layer = layer_index(layer_id);
  check_compressed("compressed rows");
  auto shape = given.shape();
  if (shape.size() != 2 || shape[0] < now.rows || shape[1] != config_.dim)
    throw refuse(refusals["paged-cache-compressed-rows"], "rows",
                 fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", ")), now.rows, config_.dim,
                 config_.dtype.str());
  if (ir::DataType(given.dtype()) != config_.dtype)
    throw refuse(refusals["paged-cache-dtype"], "rows", ir::DataType(given.dtype()).str(),
                 config_.dtype.str());
  check_here(given, "rows");
  kernels_.append_compressed(pages_[layer], first_rows(given, now.rows), now.slots);
  forward_->appended[layer] = 1;
}

ffi::Tensor PagedCacheNode::query_positions() const { return forward().positions; }

void PagedCacheNode::clear() {
  table_.clear();
  forward_.reset();
}

void PagedCacheNode::remove(int64_t id) {
  table_.remove(id);
  forward_.reset();
}

void PagedCacheNode::copy_page(const PageTable::Copy& copy) {
  if (copy.positions == 0) return;
  for (const ffi::Tensor& pages : pages_)
    kernels_.copy(pages, int64_t{copy.from}, int64_t{copy.to}, copy.positions);
}

void PagedCacheNode::fork(int64_t parent, int64_t child, int64_t at) {
  copy_page(table_.fork(parent, child, at));
  forward_.reset();
}

void PagedCacheNode::pop(int64_t id, int64_t count) {
  copy_page(table_.pop(id, count));
  forward_.reset();
}

void PagedCacheNode::slide_window(int64_t id, int64_t window, int64_t sink) {
  if (!config_.windows && !config_.layers_have_windows()) throw refuse(refusals["paged-cache-no-windows"]);
  table_.slide_window(id, window, sink);
  forward_.reset();
}

void PagedCacheNode::commit_trees(std::span<const int64_t> ids, std::span<const int64_t> leaves) {
  if (ids.size() != leaves.size()) throw refuse(refusals["paged-cache-round"], ids.size(), leaves.size());
  std::vector<int32_t> indptr{0}, from, to;
  std::vector<int64_t> accepted;
  for (size_t i = 0; i < ids.size(); ++i) {
    const PagedSequence& sequence = table_.at(ids[i]);
    auto nodes = static_cast<int64_t>(sequence.tree_parents.size());
    if (nodes == 0) throw refuse(refusals["paged-cache-no-tree"], ids[i]);
    if (leaves[i] < -1 || leaves[i] >= nodes)
      throw refuse(refusals["paged-cache-leaf"], leaves[i], nodes, ids[i]);
    std::vector<int64_t> path;
    for (int64_t node = leaves[i]; node != -1; node = sequence.tree_parents[static_cast<size_t>(node)])
      path.push_back(node);
    std::reverse(path.begin(), path.end());
    // The path moves to the beginning of the tree, each node to where it is or nearer.
    std::vector<int32_t> slots = table_.slots(ids[i], sequence.length - nodes, sequence.length);
    for (size_t n = 0; n < path.size(); ++n) {
      if (path[n] == static_cast<int64_t>(n)) continue;
      from.push_back(slots[static_cast<size_t>(path[n])]);
      to.push_back(slots[n]);
    }
    indptr.push_back(static_cast<int32_t>(from.size()));
    accepted.push_back(static_cast<int64_t>(path.size()));
  }
  if (!from.empty()) {
    auto count = static_cast<int64_t>(from.size());
    from.insert(from.end(), to.begin(), to.end());
    ffi::Tensor moves, starts;
    Upload upload;
    upload.add(moves, from, {2, count});
    upload.add(starts, indptr);
    upload.send(pool_);
    for (const ffi::Tensor& pages : pages_)
      kernels_.compact(pages, starts, moves, static_cast<int64_t>(ids.size()));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    PagedSequence& sequence = table_.at(ids[i]);
    int64_t left_over = static_cast<int64_t>(sequence.tree_parents.size()) - accepted[i];
    sequence.tree_parents.clear();
    pop(ids[i], left_over);
  }
  forward_.reset();
}

void PagedCacheNode::check_range(int64_t id, int64_t first, int64_t last) const {
  int64_t length = table_.at(id).length;
  if (first < 0 || last > length || first >= last)
    throw refuse(refusals["paged-cache-range"], first, last, id, length);
}

void PagedCacheNode::read(int64_t id, int64_t first, int64_t last, const ffi::Tensor& keys,
                          const ffi::Tensor& values) {
  check_heads("keys and values are read");
  check_range(id, first, last);
  check_here(keys, "keys");
  check_here(values, "values");
  ffi::Tensor slots;
  Upload upload;
  upload.add(slots, table_.slots(id, first, last));
  upload.send(pool_);
  for (size_t layer = 0; layer < pages_.size(); ++layer)
    kernels_.debug(pages_[layer], slots, keys, values, static_cast<int64_t>(layer));
}

void PagedCacheNode::read_compressed(int64_t id, int64_t first, int64_t last, const ffi::Tensor& rows) {
  check_compressed("compressed rows are read");
  check_range(id, first, last);
  check_here(rows, "rows");
  auto shape = rows.shape();
  auto layers = static_cast<int64_t>(pages_.size());
  if (shape.size() != 3 || shape[0] != layers || shape[1] != last - first || shape[2] != config_.dim ||
      ir::DataType(rows.dtype()) != config_.dtype)
    throw refuse(refusals["paged-cache-compressed-rows"], "rows",
                 fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", ")),
                 fmt::format("{}, {}", layers, last - first), config_.dim, config_.dtype.str());
  std::vector<int32_t> slots = table_.slots(id, first, last);
  auto row = static_cast<size_t>(bytes_of(ffi::Shape{config_.dim}, config_.dtype));
  ffi::Tensor made = ir::make_tensor({shape.data(), shape.size()}, config_.dtype);
  char* to = static_cast<char*>(made.data_ptr());
  for (const ffi::Tensor& pages : pages_) {
    ffi::Tensor here = ir::on_cpu(pages);
    for (int32_t slot : slots) {
      std::memcpy(to, static_cast<const char*>(here.data_ptr()) + static_cast<size_t>(slot) * row, row);
      to += row;
    }
  }
  ir::copy_tensor(*made.GetDLTensorPtr(), *rows.GetDLTensorPtr());
}

}  // namespace mlc::vm
