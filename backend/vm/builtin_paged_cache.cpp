// SPDX-License-Identifier: Apache-2.0
// vm.builtin.paged_attention_kv_cache_create, kv_state_*, attention_kv_cache_*: paged caches, with TVM 0.27's
// names and arguments.
#include <fmt/format.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cstdint>

#include "backend/vm/builtins.h"
#include "backend/vm/paged_cache.h"
#include "ir/core/refusal.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "paged-cache-arguments",
         .message = "`vm.builtin.paged_attention_kv_cache_create` takes 28 arguments, got {}",
         .help = "`tvm.relax.frontend.nn.llm.kv_cache.TIRPagedKVCache` writes the call"},
        {.name = "paged-cache-config", .message = "a paged cache cannot have {}"},
        {.name = "paged-cache-refused",
         .kind = "NotImplementedError",
         .message = "`vm.builtin.paged_attention_kv_cache_create`: {}"},
        {.name = "paged-cache-missing",
         .kind = "NotImplementedError",
         .message = "`{}` is not there: caches are neither sent to other machines nor saved"},
        {.name = "paged-cache-buffers",
         .message = "`vm.builtin.attention_kv_cache_debug_get_kv` writes tensors of shape (layers, {}, "
                    "heads, head_dim), got ({})"},
    }};
MLC_REFUSALS(vm_builtin_paged_cache, refusals);

namespace {

constexpr const char* kCreate = "vm.builtin.paged_attention_kv_cache_create";
constexpr std::string_view kPagedCache = "paged cache";

PagedCacheNode& paged(ffi::AnyView given, std::string_view name) {
  return *const_cast<PagedCacheNode*>(value_of<PagedCache>(given, name, kPagedCache).get());
}

std::vector<int64_t> numbers(ffi::AnyView given, std::string_view name) {
  auto shape = value_of<ffi::Shape>(given, name, "shape");
  return {shape.begin(), shape.end()};
}

// On any device: the cache says what is not on its own.
ffi::Tensor tensor_of(ffi::AnyView given, std::string_view name) {
  std::optional<ffi::Tensor> tensor = value_as<ffi::Tensor>(given);
  if (!tensor) refuse_argument(given, name, "tensor");
  if (!tensor->IsContiguous())
    throw refuse(refusals["paged-cache-config"], "tensors whose rows do not stand side by side");
  return *tensor;
}

ffi::Function function_of(ffi::AnyView given) { return value_of<ffi::Function>(given, kCreate, "function"); }

// A kernel with what made it, `("tirx", function)`, or nothing.
std::optional<ffi::Function> kernel_of(ffi::AnyView given) {
  auto parts = value_of<ffi::Array<ffi::Any>>(given, kCreate, "kernel and its kind");
  if (parts.empty()) return std::nullopt;
  auto name = value_of<ffi::String>(parts[0], kCreate, "name of a kind of kernels");
  std::string_view kind = ir::view(name);
  if (kind != "tirx" && kind != "tir")
    throw refuse(refusals["paged-cache-refused"],
                 fmt::format("kernels of the kind `{}`, where there are those of `tirx`", kind));
  if (parts.size() != 2)
    throw refuse(refusals["paged-cache-config"], "a kernel of tensor code with plans of its own");
  return function_of(parts[1]);
}

void check_positive(int64_t value, std::string_view what) {
  if (value <= 0) throw refuse(refusals["paged-cache-config"], fmt::format("a {} of {}", what, value));
}

PagedCacheConfig config_of(ffi::PackedArgs args) {
  PagedCacheConfig config;
  std::vector<int64_t> limits = numbers(args[0], kCreate), stages = numbers(args[1], kCreate);
  if (limits.size() != 5 && limits.size() != 6)
    throw refuse(refusals["paged-cache-config"],
                 fmt::format("{} limits, where there are five or six", limits.size()));
  if (stages.size() != 2)
    throw refuse(refusals["paged-cache-refused"],
                 fmt::format("{} stages of a pipeline, where there is one machine", stages.size() - 1));
  int64_t max_sequences = limits[0];
  config.max_tokens = limits[1];
  config.chunk = limits[2];
  config.page_size = limits[3];
  config.layer_window = limits.size() == 6 ? limits[5] : 1024;
  config.first_layer = stages[0];
  config.heads = args[2].cast<int64_t>();
  config.kv_heads = args[3].cast<int64_t>();
  config.dim = args[4].cast<int64_t>();
  check_positive(max_sequences, "number of sequences");
  check_positive(config.max_tokens, "number of positions");
  check_positive(config.chunk, "number of positions in a round");
  check_positive(config.page_size, "page size");
  check_positive(config.layer_window, "window of layers");
  check_positive(config.heads, "number of heads");
  check_positive(config.kv_heads, "number of heads of keys");
  config.value_dim = args[5].cast<int64_t>();
  check_positive(config.dim, "width of heads");
  check_positive(config.value_dim, "width of values");
  std::vector<int64_t> kinds = numbers(args[6], kCreate);
  int64_t last = stages[1];
  if (config.first_layer < 0 || last < config.first_layer || last > static_cast<int64_t>(kinds.size()))
    throw refuse(refusals["paged-cache-config"],
                 fmt::format("layers {} to {} of {}", config.first_layer, last, kinds.size()));
  for (int64_t layer = config.first_layer; layer < last; ++layer) {
    auto kind = static_cast<LayerKind>(kinds[static_cast<size_t>(layer)]);
    if (kind != LayerKind::kHeads && kind != LayerKind::kHeadsWindow && kind != LayerKind::kCompressed)
      throw refuse(refusals["paged-cache-config"],
                   fmt::format("a layer of kind {}", kinds[static_cast<size_t>(layer)]));
    config.layers.push_back(kind);
  }
  auto compressed = std::count(config.layers.begin(), config.layers.end(), LayerKind::kCompressed);
  config.compressed = compressed != 0;
  if (config.compressed && compressed != std::ssize(config.layers))
    throw refuse(refusals["paged-cache-refused"],
                 "layers of compressed rows (`mla`) beside layers of heads: pages have one form");
  if (config.compressed && limits[4] != 0)
    throw refuse(refusals["paged-cache-refused"],
                 "windows of sequences over compressed rows (`mla`), which have their positions in them");
  if (config.compressed ? config.value_dim > config.dim : config.value_dim != config.dim)
    throw refuse(refusals["paged-cache-refused"],
                 fmt::format("values {} wide where keys are {}", config.value_dim, config.dim));
  // Where layers look back by themselves, sequences keep all.
  config.windows = limits[4] != 0 && !config.layers_have_windows();
  if (args[7].cast<bool>())
    throw refuse(refusals["paged-cache-refused"], "`enable_disaggregation`: there is one machine");
  auto mode = args[8].cast<int64_t>();
  if (mode < 0 || mode > 2)
    throw refuse(refusals["paged-cache-config"], fmt::format("a RopeMode of {}", mode));
  config.rope = static_cast<RopeMode>(mode);
  // Positions change when a window slides: keys are kept as they came.
  if (config.windows && config.rope == RopeMode::kNormal) config.rope = RopeMode::kInline;
  config.rope_scale = args[9].cast<double>();
  config.rope_theta = args[10].cast<double>();
  config.rope_factors = value_as<ffi::Tensor>(args[11]);
  auto one = tensor_of(args[12], kCreate);  // of the cache's data type, where the cache is to be
  config.dtype = ir::DataType(one.dtype());
  config.device = one.device();
  if (config.rope_factors && config.rope != RopeMode::kNormal)
    throw refuse(refusals["paged-cache-config"],
                 "factors of rotary positions with another mode than `RopeMode.NORMAL`");
  // Kernels count slots of pages in 32 bits.
  constexpr int64_t kMost = INT32_MAX;
  if (max_sequences > kMost || config.max_tokens > kMost || config.page_size > kMost)
    throw refuse(refusals["paged-cache-config"], fmt::format("more than {} positions", kMost));
  config.pages = (config.max_tokens + config.page_size - 1) / config.page_size + 1;
  if (config.windows) config.pages += 2 * max_sequences;  // a window begins and ends within pages
  if (config.pages > kMost / config.page_size)
    throw refuse(refusals["paged-cache-config"], fmt::format("more than {} positions", kMost));
  return config;
}

void create_paged(ffi::PackedArgs args, ffi::Any* result) {
  if (args.size() != 28) throw refuse(refusals["paged-cache-arguments"], args.size());
  PagedCacheConfig config = config_of(args);
  PagedCacheKernels kernels;
  kernels.append = function_of(args[13]);
  if (config.compressed) {
    kernels.append_compressed = function_of(args[14]);
    kernels.compressed = kernel_of(args[22]);
  }
  kernels.ragged = kernel_of(args[15]);
  kernels.prefill = kernel_of(args[16]);
  kernels.decode = kernel_of(args[17]);
  kernels.window_prefill = kernel_of(args[18]);
  kernels.window_decode = kernel_of(args[19]);
  kernels.tree_paged = kernel_of(args[20]);
  kernels.tree = kernel_of(args[21]);
  auto merges = value_of<ffi::Array<ffi::Any>>(args[23], kCreate, "list of functions that merge");
  if (merges.empty()) throw refuse(refusals["paged-cache-config"], "no function that merges");
  for (const ffi::Any& merge : merges) kernels.merge.push_back(function_of(merge));
  kernels.split = function_of(args[24]);
  kernels.copy = function_of(args[25]);
  kernels.debug = function_of(args[26]);
  kernels.compact = function_of(args[27]);
  *result = ir::make<PagedCacheNode>(std::move(config), std::move(kernels));
}

void begin_round(ffi::PackedArgs args, ffi::Any*) {
  constexpr std::string_view name = "vm.builtin.kv_state_begin_forward";
  if (args.size() != 3 && args.size() != 4)
    throw refuse(refusals["paged-cache-config"],
                 fmt::format("a round of {} arguments, where there are three or four", args.size()));
  PagedCacheNode& cache = paged(args[0], name);
  std::vector<int64_t> ids = numbers(args[1], name), lengths = numbers(args[2], name), parents;
  bool trees = args.size() == 4 && args[3].type_index() != ffi::TypeIndex::kTVMFFINone;
  if (trees) parents = numbers(args[3], name);
  cache.begin_forward(ids, lengths, trees ? std::optional<std::span<const int64_t>>(parents) : std::nullopt);
}

void read_positions(ffi::AnyView cache, int64_t id, int64_t first, int64_t last, ffi::AnyView k,
                    ffi::AnyView v) {
  constexpr std::string_view name = "vm.builtin.attention_kv_cache_debug_get_kv";
  ffi::Tensor keys = tensor_of(k, name), values = tensor_of(v, name);
  for (const ffi::Tensor& each : {keys, values}) {
    auto shape = each.shape();
    if (shape.size() != 4 || shape[1] != last - first)
      throw refuse(refusals["paged-cache-buffers"], last - first,
                   fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", ")));
  }
  paged(cache, name).read(id, first, last, keys, values);
}

void read_rows(ffi::AnyView cache, int64_t id, int64_t first, int64_t last, ffi::AnyView rows) {
  constexpr std::string_view name = "vm.builtin.attention_kv_cache_debug_get_kv_mla";
  paged(cache, name).read_compressed(id, first, last, tensor_of(rows, name));
}

void register_states(ffi::reflection::GlobalDef& def) {
  def.def("vm.builtin.kv_state_clear",
          [](ffi::AnyView cache) { paged(cache, "vm.builtin.kv_state_clear").clear(); })
      .def("vm.builtin.kv_state_add_sequence",
           [](ffi::AnyView cache, int64_t id) {
             paged(cache, "vm.builtin.kv_state_add_sequence").table().add(id);
           })
      .def("vm.builtin.kv_state_remove_sequence",
           [](ffi::AnyView cache, int64_t id) {
             paged(cache, "vm.builtin.kv_state_remove_sequence").remove(id);
           })
      .def("vm.builtin.kv_state_fork_sequence",
           [](ffi::AnyView cache, int64_t parent, int64_t child, int64_t at) {
             paged(cache, "vm.builtin.kv_state_fork_sequence").fork(parent, child, at);
           })
      .def("vm.builtin.kv_state_popn",
           [](ffi::AnyView cache, int64_t id, int64_t count) {
             paged(cache, "vm.builtin.kv_state_popn").pop(id, count);
           })
      .def_packed("vm.builtin.kv_state_begin_forward", begin_round)
      .def("vm.builtin.kv_state_end_forward",
           [](ffi::AnyView cache) { paged(cache, "vm.builtin.kv_state_end_forward"); })
      .def("vm.builtin.attention_kv_cache_enable_sliding_window_for_seq",
           [](ffi::AnyView cache, int64_t id, int64_t window, int64_t sink) {
             paged(cache, "vm.builtin.attention_kv_cache_enable_sliding_window_for_seq")
                 .slide_window(id, window, sink);
           })
      .def("vm.builtin.attention_kv_cache_commit_accepted_token_tree_nodes",
           [](ffi::AnyView cache, ffi::AnyView ids, ffi::AnyView leaves) {
             constexpr std::string_view name =
                 "vm.builtin.attention_kv_cache_commit_accepted_token_tree_nodes";
             paged(cache, name).commit_trees(numbers(ids, name), numbers(leaves, name));
           })
      .def("vm.builtin.attention_kv_cache_empty",
           [](ffi::AnyView cache) {
             return paged(cache, "vm.builtin.attention_kv_cache_empty").table().empty();
           })
      .def(
          "vm.builtin.attention_kv_cache_get_num_available_pages",
          [](ffi::AnyView cache) {
            return paged(cache, "vm.builtin.attention_kv_cache_get_num_available_pages").table().free_pages();
          })
      .def("vm.builtin.attention_kv_cache_get_sequence_length",
           [](ffi::AnyView cache, int64_t id) {
             return paged(cache, "vm.builtin.attention_kv_cache_get_sequence_length").table().at(id).length;
           })
      .def("vm.builtin.attention_kv_cache_get_total_sequence_length",
           [](ffi::AnyView cache) {
             return paged(cache, "vm.builtin.attention_kv_cache_get_total_sequence_length")
                 .table()
                 .total_length();
           })
      .def("vm.builtin.attention_kv_cache_debug_get_kv", read_positions)
      .def("vm.builtin.attention_kv_cache_debug_get_kv_mla", read_rows);
}

void register_attention(ffi::reflection::GlobalDef& def) {
  def.def("vm.builtin.attention_kv_cache_get_query_positions",
          [](ffi::AnyView cache) {
            return paged(cache, "vm.builtin.attention_kv_cache_get_query_positions").query_positions();
          })
      .def("vm.builtin.attention_kv_cache_attention_with_fused_qkv",
           [](ffi::AnyView cache, int64_t layer, double scale, ffi::AnyView qkv, ffi::AnyView out) {
             constexpr std::string_view name = "vm.builtin.attention_kv_cache_attention_with_fused_qkv";
             paged(cache, name).attend(layer, scale, tensor_of(qkv, name), tensor_of(out, name));
           })
      .def("vm.builtin.attention_kv_cache_attention_with_shared_kv",
           [](ffi::AnyView cache, int64_t layer, double scale, ffi::AnyView q, ffi::AnyView k, ffi::AnyView v,
              ffi::AnyView out) {
             constexpr std::string_view name = "vm.builtin.attention_kv_cache_attention_with_shared_kv";
             paged(cache, name)
                 .attend_shared(layer, scale, tensor_of(q, name), tensor_of(k, name), tensor_of(v, name),
                                tensor_of(out, name));
           })
      .def("vm.builtin.attention_kv_cache_self_attention",
           [](ffi::AnyView cache, int64_t layer, double scale, ffi::AnyView q, ffi::AnyView k, ffi::AnyView v,
              ffi::AnyView out, ffi::AnyView lse) {
             constexpr std::string_view name = "vm.builtin.attention_kv_cache_self_attention";
             paged(cache, name)
                 .attend_self(layer, scale, tensor_of(q, name), tensor_of(k, name), tensor_of(v, name),
                              tensor_of(out, name), tensor_of(lse, name));
           })
      .def("vm.builtin.attention_kv_cache_cross_attention",
           [](ffi::AnyView cache, int64_t layer, double scale, ffi::AnyView q, ffi::AnyView out,
              ffi::AnyView lse) {
             constexpr std::string_view name = "vm.builtin.attention_kv_cache_cross_attention";
             paged(cache, name)
                 .attend_kept(layer, scale, tensor_of(q, name), tensor_of(out, name), tensor_of(lse, name));
           })
      .def("vm.builtin.attention_kv_cache_append_mla_kv",
           [](ffi::AnyView cache, int64_t layer, ffi::AnyView rows) {
             constexpr std::string_view name = "vm.builtin.attention_kv_cache_append_mla_kv";
             paged(cache, name).append_compressed(layer, tensor_of(rows, name));
             return ffi::Any(cache);
           })
      .def("vm.builtin.attention_kv_cache_merge_attn_output_inplace",
           [](ffi::AnyView cache, ffi::AnyView out, ffi::AnyView lse, ffi::AnyView other,
              ffi::AnyView other_lse) {
             constexpr std::string_view name = "vm.builtin.attention_kv_cache_merge_attn_output_inplace";
             ffi::Tensor kept = tensor_of(out, name), kept_lse = tensor_of(lse, name);
             paged(cache, name).merge(kept, kept_lse, tensor_of(other, name), tensor_of(other_lse, name));
             return ffi::Array<ffi::Any>{kept, kept_lse};
           });
}

// What a program calls is found, so that it says why it cannot run.
constexpr std::string_view kMissing[] = {
    "vm.builtin.attention_kv_cache_export_page_group",
    "vm.builtin.attention_kv_cache_finish_import",
    "vm.builtin.attention_kv_cache_get_checkpoint_metadata",
    "vm.builtin.attention_kv_cache_get_layout_hash",
    "vm.builtin.attention_kv_cache_import_page_group",
    "vm.builtin.attention_kv_cache_prepare_import",
    "vm.builtin.kv_cache_disagg_mark_send",
    "vm.builtin.kv_cache_disagg_prepare_recv",
};

}  // namespace

void register_paged_cache_builtins() {
  ffi::reflection::GlobalDef def;
  def.def_packed(kCreate, create_paged);
  register_states(def);
  register_attention(def);
  for (std::string_view name : kMissing)
    ffi::Function::SetGlobal(name, ffi::Function::FromPacked([name](ffi::PackedArgs, ffi::Any*) {
                               throw refuse(refusals["paged-cache-missing"], name);
                             }),
                             true);
}

}  // namespace mlc::vm
