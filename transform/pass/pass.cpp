// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include <deque>

#include "ir/verify.h"
#include "transform/pass/pipeline.h"

namespace mlc::transform {
namespace {

// A pass with its arguments, as scripts hold it: called with a module, it gives the new module.
struct PassValueNode final : ffi::Object {
  const Pass* pass;
  Array<Any> args;
  Array<Any> sequence;  // of a Sequential: passes in order; pass is null

  PassValueNode(const Pass* pass, Array<Any> args, Array<Any> sequence)
      : pass(pass), args(std::move(args)), sequence(std::move(sequence)) {}
  MLC_NODE("mlc.transform.Pass", PassValueNode, ffi::Object);
};
using PassValue = Ref<PassValueNode>;

// `with tvm.transform.PassContext(config={...}):`
struct PassContextNode final : ffi::Object {
  int64_t opt_level;
  Map<String, Any> config;
  Array<String> disabled;

  PassContextNode(int64_t opt_level, Map<String, Any> config, Array<String> disabled)
      : opt_level(opt_level), config(std::move(config)), disabled(std::move(disabled)) {}
  MLC_NODE("mlc.transform.PassContext", PassContextNode, ffi::Object);
};
using PassContext = Ref<PassContextNode>;

std::vector<PassContext>& contexts() {
  static std::vector<PassContext> stack;
  return stack;
}

// The configuration keys that scripts may set; the ones that a pass here reads are marked.
constexpr std::string_view config_keys[] = {"tirx.disable_vectorize",
                                            "tirx.disable_storage_rewrite",
                                            "tirx.disable_cse_tir",
                                            "tirx.UnrollLoop",
                                            "tirx.StmtSimplify",
                                            "tirx.RemoveNoOp",
                                            "tirx.disable_assert",
                                            "tirx.noalias",
                                            "tirx.debug_keep_trivial_loop",
                                            "tirx.instrument_bound_checkers",
                                            "tirx.add_lower_pass",
                                            "tirx.enable_debug",
                                            "tirx.enable_fast_math",
                                            "tirx.is_entry_func",
                                            "tirx.merge_static_smem",
                                            "tirx.use_async_copy",
                                            "tirx.vtcm_capacity",
                                            "tirx.enable_buffer_level_predication",
                                            "s_tir.HoistIfThenElse",
                                            "s_tir.LoopPartition",
                                            "s_tir.HoistExpression",
                                            "s_tir.InjectDoubleBuffer",
                                            "relax.FuseOps.max_depth",
                                            "relax.backend.use_cuda_graph",
                                            "relax.fallback_device_type",
                                            "relax.transform.apply_legalize_ops"};
// Keys whose default is what happens here; any other value asks for something that is not here.
constexpr std::string_view refused_when_true[] = {"tirx.instrument_bound_checkers", "tirx.use_async_copy",
                                                  "tirx.enable_buffer_level_predication",
                                                  "tirx.debug_keep_trivial_loop"};

Map<String, Any> checked_config(const Map<String, Any>& config) {
  Map<String, Any> out;
  for (const auto& [key, value] : config) {
    std::string name(key);
    if (name.starts_with("tir.")) name = "tirx." + name.substr(4);  // the classic spelling
    bool known = std::find(std::begin(config_keys), std::end(config_keys), name) != std::end(config_keys);
    if (!known) {
      std::vector<std::string> names(std::begin(config_keys), std::end(config_keys));
      throw Error("unknown-config", "there is no pass configuration `{}`", name)
          .kind("AttributeError")
          .help(did_you_mean(name, names));
    }
    bool refused = std::find(std::begin(refused_when_true), std::end(refused_when_true), name) !=
                   std::end(refused_when_true);
    if ((refused && value.try_cast<bool>().value_or(false)) || name == "tirx.add_lower_pass") {
      throw Error("config-not-available", "the pass configuration `{}` is not available", name);
    }
    out.Set(String(name), value);
  }
  return out;
}

// Keyword dictionaries of scripts come as Map or Dict with string keys.
Map<String, Any> as_string_map(const Any& value) {
  if (value == nullptr) return {};
  if (auto map = value.try_cast<Map<String, Any>>()) return *map;
  Map<String, Any> out;
  auto dict = value.try_cast<ffi::Dict<Any, Any>>();
  if (!dict)
    throw Error("wrong-type", "`config` must be a dict, got `{}`", type_name(value)).kind("TypeError");
  for (auto [key, entry] : *dict) out.Set(key.cast<String>(), entry);
  return out;
}
Array<Any> as_list(const Any& value) {
  if (value == nullptr) return {};
  if (auto array = value.try_cast<Array<Any>>()) return *array;
  if (auto list = value.try_cast<ffi::List<Any>>()) return Array<Any>((*list).begin(), (*list).end());
  throw Error("wrong-type", "expected a list, got `{}`", type_name(value)).kind("TypeError");
}

bool is_disabled(std::string_view name) {
  if (contexts().empty()) return false;
  for (const String& one : contexts().back()->disabled) {
    std::string_view text_of = text(one);
    if (text_of == name || (text_of.ends_with(name) && text_of[text_of.size() - name.size() - 1] == '.'))
      return true;
  }
  return false;
}

IRModule run_value(const PassValue& value, const IRModule& mod) {
  if (value->pass) {
    if (is_disabled(value->pass->name)) return mod;
    return run_pass(*value->pass, mod, std::vector<Any>(value->args.begin(), value->args.end()));
  }
  IRModule result = mod;
  for (const Any& one : value->sequence) result = run_value(one.cast<PassValue>(), result);
  return result;
}

// Passes of TVM that are about GPUs, accelerators, or stages that the code generator does here.
struct Absent {
  std::string_view owner;
  std::string_view name;
  std::string_view why;
};
constexpr std::string_view gpu = "it concerns GPUs, which mlc does not lower for yet";
constexpr std::string_view codegen = "the code generator does this itself";
constexpr std::string_view later = "mlc does not have it yet";
constexpr Absent absent[] = {
    {"s_tir.transform", "LowerCrossThreadReduction", gpu},
    {"s_tir.transform", "LiftThreadBinding", gpu},
    {"s_tir.transform", "ManifestSharedMemoryLocalStage", gpu},
    {"s_tir.transform", "LowerAutoCopy", gpu},
    {"s_tir.transform", "UnifyThreadBinding", gpu},
    {"s_tir.transform", "InjectPermutedLayout", gpu},
    {"s_tir.transform", "InjectSoftwarePipeline", gpu},
    {"s_tir.transform", "TransformMmaBufferLayout", gpu},
    {"s_tir.transform", "InjectVirtualThread", gpu},
    {"s_tir.transform", "InjectDoubleBuffer", gpu},
    {"s_tir.transform", "LowerAsyncDMA", gpu},
    {"s_tir.transform", "InjectPTXLDG32", gpu},
    {"s_tir.transform", "InjectPTXAsyncCopy", gpu},
    {"s_tir.transform", "LowerVtcmAlloc", gpu},
    {"s_tir.transform", "VerifyVTCMLimit", gpu},
    {"s_tir.transform", "ThreadSync", gpu},
    {"s_tir.transform", "InferFragment", gpu},
    {"s_tir.transform", "LowerThreadAllreduce", gpu},
    {"s_tir.transform", "MergeSharedMemoryAllocations", gpu},
    {"s_tir.transform", "DefaultGPUSchedule", gpu},
    {"s_tir.transform", "DecorateDeviceScope", gpu},
    {"s_tir.transform", "AnnotateIrregularLoop", gpu},
    {"s_tir.transform", "LoopPartition", later},
    {"s_tir.transform", "RenormalizeSplitPattern", later},
    {"s_tir.transform", "HoistExpression", later},
    {"s_tir.transform", "InstrumentBoundCheckers", later},
    {"s_tir.transform", "InstrumentProfileIntrinsics", later},
    {"s_tir.transform", "RemoveWeightLayoutRewriteBlock", later},
    {"s_tir.transform", "UseAssumeToReduceBranches", later},
    {"s_tir.transform", "RemoveStoreUndef", later},
    {"tirx.transform", "MakePackedAPI", codegen},
    {"tirx.transform", "LowerTVMBuiltin", codegen},
    {"tirx.transform", "LowerIntrin", codegen},
    {"tirx.transform", "SplitHostDevice", gpu},
    {"tirx.transform", "LowerWarpMemory", gpu},
    {"tirx.transform", "VerifyMemory", gpu},
    {"tirx.transform", "FP8ComputeLegalize", codegen},
    {"tirx.transform", "FP8StorageLegalize", codegen},
    {"tirx.transform", "BF16ComputeLegalize", codegen},
    {"tirx.transform", "BF16StorageLegalize", codegen},
    {"tirx.transform", "LowerTIRx", later},
    {"tirx.transform", "LowerTIRxOpaque", later},
    {"tirx.transform", "TilePrimitiveDispatch", later},
    {"tirx.transform", "PointerValueTypeRewrite", codegen},
    {"tirx.transform", "InlinePrivateFunctions", later},
    {"tirx.transform", "ForceNarrowIndexToInt32", later},
    {"tirx.transform", "RemoveAssume", later},
    {"tirx.transform", "SkipAssert", later},
    {"tirx.transform", "ConvertSSA", later},
    {"tirx.transform", "BindTarget", later},
    {"tirx.transform", "AnnotateEntryFunc", later},
    {"tirx.transform", "CommonSubexprElim", later},
    {"tirx.transform", "Apply", later},
    {"tirx.transform", "Filter", later},
};

Any make_pass(ApiCall& call) {
  const Pass& pass = find_pass(call.api.name);
  return make<PassValueNode>(&pass, Array<Any>(call.args.begin(), call.args.end()), Array<Any>{});
}
Any refuse_pass(ApiCall& call) {
  for (const Absent& row : absent) {
    if (row.name != call.api.name) continue;
    throw Error("pass-not-available", "the pass `{}` is not available: {}", row.name, row.why)
        .kind("NotImplementedError")
        .at(call.span);
  }
  throw Error("pass-not-available", "the pass `{}` is not available", call.api.name).at(call.span);
}

// Strings that rows refer to; built once, never freed.
std::string_view keep(std::string text) {
  static auto& kept = *new std::deque<std::string>;  // reachable, so that no leak is reported
  return kept.emplace_back(std::move(text));
}

}  // namespace

int64_t PassOptions::config_integer(std::string_view key, std::string_view entry, int64_t otherwise) const {
  auto found = config->find(String(std::string(key)));
  if (found == config->end()) return otherwise;
  Map<String, Any> entries = as_string_map((*found).second);
  auto value = entries.find(String(std::string(entry)));
  return value == entries.end() ? otherwise : (*value).second.cast<int64_t>();
}

const Pass& find_pass(std::string_view name) {
  for (const Pass* pass : all_tir_passes()) {
    if (pass->name == name) return *pass;
  }
  std::vector<std::string> names;
  for (const Pass* pass : all_tir_passes()) names.emplace_back(pass->name);
  throw Error("unknown-pass", "there is no pass `{}`", name).help(did_you_mean(name, names));
}

Expr data_of(const Buffer& buffer) {
  const BufferTypeNode* type = buffer->buffer();
  Type pointer = make<PointerTypeNode>(Type(prim_type(type->dtype)), type->storage_scope);
  return make<CallNode>(pointer, op("tirx.buffer_data"), Array<Expr>{buffer});
}

const Map<String, Any>& current_config() {
  static const Map<String, Any> none;
  return contexts().empty() ? none : contexts().back()->config;
}

IRModule run_pass(const Pass& pass, const IRModule& mod, std::span<const Any> args) {
  PassOptions options{args, &current_config()};
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    PrimFunc next = pass.apply(*fn, options);
    if (next.same_as(*fn)) continue;
#ifndef NDEBUG
    verify(next, Stage::kSchedulable);
#endif
    result = with_function(result, name, next);
  }
  return result;
}

void register_pass_api() {
  std::vector<ApiRow> rows;
  for (const Pass* pass : all_tir_passes()) {
    rows.push_back(
        {ApiKind::kFunction, keep("tvm." + std::string(pass->owner)), pass->signature, pass->doc, make_pass});
  }
  for (const Absent& row : absent) {
    rows.push_back({ApiKind::kFunction, keep("tvm." + std::string(row.owner)),
                    keep(std::string(row.name) + "(*args, **kwargs)"), row.why, refuse_pass});
  }
  static const ApiRow fixed[] = {
      {ApiKind::kMethod, "mlc.transform.Pass", "__call__(mod)", "The module after the pass.",
       native([](PassValue pass, IRModule mod) { return run_value(pass, mod); })},
      {ApiKind::kMethod, "mlc.transform.Pass", "__repr__()", "The pass as a call.",
       native([](PassValue pass) {
         return String(pass->pass ? std::string(pass->pass->name)
                                  : fmt::format("Sequential of {} passes", pass->sequence.size()));
       })},
      {ApiKind::kFunction, "tvm.transform",
       "Sequential(passes, opt_level=0, name='sequential', required=None)",
       "A pass that runs passes one after the other.", native([](Any passes, int64_t, std::string, Any) {
         Array<Any> list = as_list(passes);
         for (const Any& one : list) {
           if (!one.as<PassValue>()) {
             throw Error("wrong-type", "a sequence of passes holds `{}`", type_name(one)).kind("TypeError");
           }
         }
         return make<PassValueNode>(nullptr, Array<Any>{}, list);
       })},
      {ApiKind::kClass, "tvm.transform",
       "PassContext(opt_level=2, required_pass=None, disabled_pass=None, instruments=None, config=None)",
       "The configuration of the passes run inside `with PassContext(...)`.",
       native([](int64_t opt_level, Any, Any disabled, Any instruments, Any config) {
         if (!as_list(instruments).empty()) {
           throw Error("instruments-not-available", "pass instruments are not available");
         }
         Array<String> names;
         for (const Any& one : as_list(disabled)) names.push_back(one.cast<String>());
         return make<PassContextNode>(opt_level, checked_config(as_string_map(config)), names);
       }),
       "mlc.transform.PassContext", "tvm.ir.transform.PassContext"},
      {ApiKind::kMethod, "mlc.transform.PassContext", "__enter__()", "Puts the configuration in force.",
       native([](PassContext context) {
         contexts().push_back(context);
         return context;
       })},
      {ApiKind::kMethod, "mlc.transform.PassContext", "__exit__(kind=None, value=None, traceback=None)",
       "Ends the configuration.", native([](PassContext, Any, Any, Any) { contexts().pop_back(); })},
      {ApiKind::kProperty, "mlc.transform.PassContext", "opt_level", "The optimisation level.",
       native([](PassContext context) { return context->opt_level; })},
      {ApiKind::kProperty, "mlc.transform.PassContext", "config", "The configuration.",
       native([](PassContext context) { return context->config; })},
      {ApiKind::kFunction, "mlc.transform", "lower(mod, target='llvm')",
       "The module lowered for the target: flat buffers, loops, vectors; what code generators take.",
       native([](IRModule mod, Any target) { return lower(mod, parse_target(target)); })},
      {ApiKind::kFunction, "mlc.transform", "lower_stages(mod, target='llvm')",
       "(pass name, module after it) for every pass of the pipeline that changed the module.",
       native([](IRModule mod, Any target) {
         Array<Any> stages;
         for (auto& [name, stage] : lower_stages(mod, parse_target(target))) {
           stages.push_back(Array<Any>{String(name), stage});
         }
         return stages;
       })},
  };
  ApiRegistry& registry = ApiRegistry::global();
  registry.add(rows);
  registry.add(fixed);
  registry.alias("tvm.s_tir.transform.StmtSimplify", "tvm.tirx.transform.StmtSimplify");
  registry.alias("tvm.ir.transform", "tvm.transform");
}

}  // namespace mlc::transform
