// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass_config.h"

#include <ranges>

#include "ir/core/refusal.h"
#include "ir/registry/classic_names.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "wrong-config", .message = "`{}` of `{}` is {}, not `{}`"},
        {.name = "unknown-config",
         .message = "`{}` has no field `{}`",
         .meaning = "The configuration of passes has no such entry; the message names the nearest.",
         .wrong = R"(tvm.transform.PassContext(config={"tirx.disable_vectorise": True}))",
         .right = R"(tvm.transform.PassContext(config={"tirx.disable_vectorize": True}))"},
        {.name = "config-not-available",
         .kind = "ValueError",
         .message = "the pass configuration `{}` is not available",
         .help =
             "passes of your own are called before `tvm.compile`, or stand in a `tvm.transform.Sequential`"},
    }};
MLC_REFUSALS(pass_pass_config, refusals);

namespace {

// The options of a pass: the class in scripts, as which it shows itself, and the key in a context.
struct ConfigType {
  std::string key, name, owner, signature, doc;

  ConfigType(std::string_view key, std::string_view owner, std::string_view signature)
      : key(key),
        name(fmt::format("{}.transform.{}", key.substr(0, key.find('.')),
                         signature.substr(0, signature.find('(')))),
        owner(owner),
        signature(signature),
        doc(fmt::format("Options of {}, under the key `{}`.", key.substr(key.find('.') + 1), key)) {}
  // Numbers and truths with their defaults: the parameters of the signature.
  const std::vector<ApiParam>& fields() const {
    return ApiRegistry::global().find(owner + name.substr(name.rfind('.')))->params;
  }
};
const std::vector<ConfigType>& config_classes() {
  static const auto& all = *new std::vector<ConfigType>{
      {"tirx.UnrollLoop", "tvm.tirx.transform",
       "UnrollLoopConfig(auto_max_step=0, auto_max_depth=8, auto_max_extent=0, explicit_unroll=1, "
       "unroll_local_access=0)"},
      {"tirx.StmtSimplify", "tvm.tirx.transform",
       "StmtSimplifyConfig(transitively_prove_inequalities=False, convert_boolean_to_and_of_ors=False, "
       "apply_constraints_to_boolean_branches=False)"},
      {"tirx.RemoveNoOp", "tvm.tirx.transform",
       "RemoveNoOpConfig(max_simplification_steps=0, ignore_profiler_call=False)"},
      {"s_tir.HoistExpression", "tvm.tirx.transform",
       "HoistExpressionConfig(hoisted_conditionals=7, hoisted_let_bindings=7)"},
      {"s_tir.HoistIfThenElse", "tvm.tirx.transform",
       "HoistIfThenElseConfig(support_block_scope_hoisting=False)"},
      {"s_tir.LoopPartition", "tvm.s_tir.transform",
       "LoopPartitionConfig(partition_const_loop=False, no_unroll_loop_with_extent_one=False, "
       "unroll_loop_with_partition_hint_no_interval=False)"},
      {"s_tir.InjectDoubleBuffer", "tvm.s_tir.transform", "InjectDoubleBufferConfig(split_loop=1)"},
  };
  return all;
}

// The keys that a context takes and the types of their values.
struct ConfigKey {
  std::string name;
  std::string type;
};
const std::vector<ConfigKey>& config_keys() {
  static constexpr std::pair<std::string_view, std::string_view> by_type[] = {
      {"bool",
       "mlc.check_bounds mlc.reuse mlc.schedule mlc.solver relax.backend.use_cuda_graph "
       "relax.lift_transform_params.consume_params relax.transform.apply_legalize_ops s_tir.instr_siblings "
       "s_tir.lwp_disable_func_prof s_tir.reset_start_id testing.immutable_module tirx.disable_assert "
       "tirx.disable_cse_tir tirx.disable_storage_rewrite tirx.disable_vectorize "
       "tirx.enable_buffer_level_predication tirx.enable_debug tirx.enable_fast_math "
       "tirx.instrument_bound_checkers tirx.instrument_lwp tirx.is_entry_func tirx.merge_static_smem "
       "tirx.noalias tirx.s_tir.ldg32 tirx.use_async_copy"},
      {"bool", "tirx.debug_keep_trivial_loop"},  // of lowering that TVM no longer has: changes nothing
      {"int", "relax.FuseOps.max_depth s_tir.lwp_max_depth s_tir.lwp_min_height tirx.vtcm_capacity"},
      {"ir.IntImm", "relax.fallback_device_type"},
      {"ffi.Array", "tirx.add_lower_pass"},
      {"ffi.String", "mlc.dispatch"},
  };
  static const auto& all = *new std::vector<ConfigKey>([] {
    std::vector<ConfigKey> keys;
    for (const auto& [type, names] : by_type)
      for (auto name : std::views::split(names, ' '))
        keys.push_back({std::string(name.begin(), name.end()), std::string(type)});
    for (const ConfigType& one : config_classes()) keys.push_back({one.key, one.name});
    std::ranges::sort(keys, {}, &ConfigKey::name);
    return keys;
  }());
  return all;
}

const ConfigType* find_class(std::string_view type) {
  for (const ConfigType& one : config_classes()) {
    if (one.name == type) return &one;
  }
  return nullptr;
}

PassConfig make_config(const ConfigType& type, const Map<String, Any>& given) {
  std::vector<std::string> names;
  Map<String, Any> values;
  for (const ApiParam& field : type.fields()) {
    names.emplace_back(field.name);
    auto at = given.find(String(field.name));
    bool is_bool = type_name(field.default_value) == "bool";
    auto value = (at == given.end() ? field.default_value : (*at).second).try_cast<int64_t>();
    if (!value) {
      throw refuse(refusals["wrong-config"], field.name, type.name, is_bool ? "a bool" : "an int",
                   type_name((*at).second));
    }
    values.Set(String(field.name), is_bool ? Any(*value != 0) : Any(*value));
  }
  for (const auto& [name, value] : given) {
    if (values.count(name)) continue;
    throw refuse(refusals["unknown-config"], type.name, text(name)).help(did_you_mean(text(name), names));
  }
  return make<PassConfigNode>(String(std::string(type.name)), values);
}

[[noreturn]] void wrong_value(const ConfigKey& key, const Any& value) {
  throw refuse_as(refusals["wrong-config"], "the pass configuration `{}` takes `{}`, not `{}`", key.name,
                  key.type, type_name(value))
      .kind("AttributeError");
}

Any checked_value(const ConfigKey& key, const Any& value) {
  if (const ConfigType* type = find_class(key.type)) {
    if (auto* options = value.as<PassConfigNode>()) {
      if (text(options->type) != key.type) wrong_value(key, value);
      return value;
    }
    if (value == nullptr || !(value.try_cast<Map<String, Any>>() || type_name(value) == "dict"))
      wrong_value(key, value);
    return make_config(*type, as_string_map(value));
  }
  if (key.type == "ffi.Array") {
    if (value == nullptr || !(value.try_cast<Array<Any>>() || type_name(value) == "list"))
      wrong_value(key, value);
    if (!as_list(value).empty()) throw refuse(refusals["config-not-available"], key.name);
    return as_list(value);
  }
  if (key.type == "ffi.String") {
    if (type_name(value) != "str") wrong_value(key, value);
    return value;
  }
  if (key.type == "ir.IntImm" && value.as<IntImmNode>()) return value;
  auto number = value.try_cast<int64_t>();
  if (!number) wrong_value(key, value);
  return key.type == "bool" ? Any(*number != 0) : Any(*number);
}

std::string shown(ApiCall& call, const PassConfig& config) {
  std::vector<std::string> options;
  for (const ApiParam& field : find_class(text(config->type))->fields())
    options.push_back(
        fmt::format("{}={}", field.name, call.host.repr(config->values.at(String(field.name)))));
  return fmt::format("{}({})", text(config->type), fmt::join(options, ", "));
}

Any construct(ApiCall& call) {
  Map<String, Any> given;
  for (size_t i = 0; i < call.args.size(); ++i) given.Set(String(call.api.params[i].name), call.args[i]);
  return make_config(
      *std::ranges::find_if(config_classes(),
                            [&](const ConfigType& type) { return type.name.ends_with(call.api.name); }),
      given);
}

}  // namespace

Map<String, Any> checked_config(const Map<String, Any>& config) {
  Map<String, Any> out;
  for (const auto& [given, value] : config) {
    const ClassicName* older = find_classic(ClassicName::Kind::kString, text(given));
    String name = older != nullptr ? String(std::string(older->to)) : given;
    auto key = std::ranges::find(config_keys(), text(name), &ConfigKey::name);
    if (key == config_keys().end()) {
      std::vector<std::string> names;
      for (const ConfigKey& one : config_keys()) names.emplace_back(one.name);
      throw refuse_as(refusals["unknown-config"], "there is no pass configuration `{}`", text(name))
          .kind("AttributeError")
          .help(did_you_mean(text(name), names));
    }
    out.Set(name, checked_value(*key, value));
  }
  return out;
}

Map<String, Any> config_types() {
  Map<String, Any> keys;
  for (const ConfigKey& key : config_keys())
    keys.Set(String(std::string(key.name)), Map<String, Any>{{"type", String(std::string(key.type))}});
  return keys;
}

std::span<const ApiRow> pass_config_rows() {
  static const std::vector<ApiRow>& rows = *new std::vector<ApiRow>([] {
    std::vector<ApiRow> rows;
    for (const ConfigType& type : config_classes())
      rows.push_back({ApiKind::kFunction, type.owner, type.signature, type.doc, construct});
    rows.push_back({ApiKind::kMethod, "mlc.transform.PassConfig", "__repr__()", "The options as a call.",
                    native([](ApiCall& call, PassConfig config) { return String(shown(call, config)); })});
    rows.push_back({ApiKind::kMethod, "mlc.transform.PassConfig", "__getattr__(name)", "The option.",
                    native([](PassConfig config, String name) -> Any {
                      auto at = config->values.find(name);
                      if (at != config->values.end()) return (*at).second;
                      throw refuse(pass_refusals["no-attribute"], text(config->type), text(name));
                    })});
    return rows;
  }());
  return rows;
}

}  // namespace mlc::transform
