// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass_config.h"

#include "ir/core/refusal.h"
#include "ir/registry/classic_names.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "wrong-config", .message = "`{}` of `{}` is {}, not `{}`"},
        {.name = "unknown-config",
         .message = "`{}` has no field `{}`",
         .meaning = "The configuration of passes has no such entry; the message names the nearest.",
         .wrong = R"(tvm.transform.PassContext(config={"tirx.disable_vectorise": True}))",
         .right = R"(tvm.transform.PassContext(config={"tirx.disable_vectorize": True}))"},
        {.name = "config-not-available",
         .message = "the pass configuration `{}` is not available",
         .help =
             "passes of your own are called before `tvm.compile`, or stand in a `tvm.transform.Sequential`"},
    }};
extern const ir::RefusalList refusals_pass_pass_config;
const ir::RefusalList refusals_pass_pass_config = refusals;

namespace {

struct ConfigField {
  std::string_view name;
  int64_t otherwise;
  bool is_bool = false;
};
struct ConfigType {
  std::string_view name;  // as it shows itself
  std::string_view owner;
  std::string_view signature;
  std::string_view doc;
  std::array<ConfigField, 5> fields;  // those with a name
};
constexpr ConfigType config_classes[] = {
    {"tirx.transform.UnrollLoopConfig",
     "tvm.tirx.transform",
     "UnrollLoopConfig(auto_max_step=0, auto_max_depth=8, auto_max_extent=0, explicit_unroll=1, "
     "unroll_local_access=0)",
     "Options of UnrollLoop, under the key `tirx.UnrollLoop`.",
     {{{"auto_max_step", 0},
       {"auto_max_depth", 8},
       {"auto_max_extent", 0},
       {"explicit_unroll", 1},
       {"unroll_local_access", 0}}}},
    {"tirx.transform.StmtSimplifyConfig",
     "tvm.tirx.transform",
     "StmtSimplifyConfig(transitively_prove_inequalities=False, convert_boolean_to_and_of_ors=False, "
     "apply_constraints_to_boolean_branches=False)",
     "Options of StmtSimplify, under the key `tirx.StmtSimplify`.",
     {{{"transitively_prove_inequalities", 0, true},
       {"convert_boolean_to_and_of_ors", 0, true},
       {"apply_constraints_to_boolean_branches", 0, true}}}},
    {"tirx.transform.RemoveNoOpConfig",
     "tvm.tirx.transform",
     "RemoveNoOpConfig(max_simplification_steps=0, ignore_profiler_call=False)",
     "Options of RemoveNoOp, under the key `tirx.RemoveNoOp`.",
     {{{"max_simplification_steps", 0}, {"ignore_profiler_call", 0, true}}}},
    {"s_tir.transform.HoistExpressionConfig",
     "tvm.tirx.transform",
     "HoistExpressionConfig(hoisted_conditionals=7, hoisted_let_bindings=7)",
     "Options of HoistExpression, under the key `s_tir.HoistExpression`.",
     {{{"hoisted_conditionals", 7}, {"hoisted_let_bindings", 7}}}},
    {"s_tir.transform.HoistIfThenElseConfig",
     "tvm.tirx.transform",
     "HoistIfThenElseConfig(support_block_scope_hoisting=False)",
     "Options of HoistIfThenElse, under the key `s_tir.HoistIfThenElse`.",
     {{{"support_block_scope_hoisting", 0, true}}}},
    {"s_tir.transform.LoopPartitionConfig",
     "tvm.s_tir.transform",
     "LoopPartitionConfig(partition_const_loop=False, no_unroll_loop_with_extent_one=False, "
     "unroll_loop_with_partition_hint_no_interval=False)",
     "Options of LoopPartition, under the key `s_tir.LoopPartition`.",
     {{{"partition_const_loop", 0, true},
       {"no_unroll_loop_with_extent_one", 0, true},
       {"unroll_loop_with_partition_hint_no_interval", 0, true}}}},
    {"s_tir.transform.InjectDoubleBufferConfig",
     "tvm.s_tir.transform",
     "InjectDoubleBufferConfig(split_loop=1)",
     "Options of InjectDoubleBuffer, under the key `s_tir.InjectDoubleBuffer`.",
     {{{"split_loop", 1}}}},
};

// The keys that a context takes and the types of their values.
struct ConfigKey {
  std::string_view name;
  std::string_view type;
};
constexpr ConfigKey config_keys[] = {
    {"mlc.check_bounds", "bool"},
    {"mlc.solver", "bool"},
    {"relax.FuseOps.max_depth", "int"},
    {"relax.backend.use_cuda_graph", "bool"},
    {"relax.fallback_device_type", "ir.IntImm"},
    {"relax.lift_transform_params.consume_params", "bool"},
    {"relax.transform.apply_legalize_ops", "bool"},
    {"s_tir.HoistExpression", "s_tir.transform.HoistExpressionConfig"},
    {"s_tir.HoistIfThenElse", "s_tir.transform.HoistIfThenElseConfig"},
    {"s_tir.InjectDoubleBuffer", "s_tir.transform.InjectDoubleBufferConfig"},
    {"s_tir.LoopPartition", "s_tir.transform.LoopPartitionConfig"},
    {"s_tir.instr_siblings", "bool"},
    {"s_tir.lwp_disable_func_prof", "bool"},
    {"s_tir.lwp_max_depth", "int"},
    {"s_tir.lwp_min_height", "int"},
    {"s_tir.reset_start_id", "bool"},
    {"testing.immutable_module", "bool"},
    {"tirx.RemoveNoOp", "tirx.transform.RemoveNoOpConfig"},
    {"tirx.StmtSimplify", "tirx.transform.StmtSimplifyConfig"},
    {"tirx.UnrollLoop", "tirx.transform.UnrollLoopConfig"},
    {"tirx.add_lower_pass", "ffi.Array"},
    {"tirx.debug_keep_trivial_loop", "bool"},  // of lowering that TVM no longer has: changes nothing
    {"tirx.disable_assert", "bool"},
    {"tirx.disable_cse_tir", "bool"},
    {"tirx.disable_storage_rewrite", "bool"},
    {"tirx.disable_vectorize", "bool"},
    {"tirx.enable_buffer_level_predication", "bool"},
    {"tirx.enable_debug", "bool"},
    {"tirx.enable_fast_math", "bool"},
    {"tirx.instrument_bound_checkers", "bool"},
    {"tirx.instrument_lwp", "bool"},
    {"tirx.is_entry_func", "bool"},
    {"tirx.merge_static_smem", "bool"},
    {"tirx.noalias", "bool"},
    {"tirx.s_tir.ldg32", "bool"},
    {"tirx.use_async_copy", "bool"},
    {"tirx.vtcm_capacity", "int"},
};

const ConfigType* find_class(std::string_view type) {
  for (const ConfigType& one : config_classes) {
    if (one.name == type) return &one;
  }
  return nullptr;
}

Any field_value(const ConfigField& field, int64_t value) {
  return field.is_bool ? Any(value != 0) : Any(value);
}

PassConfig make_config(const ConfigType& type, const Map<String, Any>& given) {
  std::vector<std::string> names;
  Map<String, Any> values;
  for (const ConfigField& field : type.fields) {
    if (field.name.empty()) continue;
    names.emplace_back(field.name);
    auto at = given.find(String(names.back()));
    if (at == given.end()) {
      values.Set(String(names.back()), field_value(field, field.otherwise));
      continue;
    }
    auto value = (*at).second.try_cast<int64_t>();
    if (!value) {
      throw refuse(refusals["wrong-config"], field.name, type.name, field.is_bool ? "a bool" : "an int",
                   type_name((*at).second))
          .kind("TypeError");
    }
    values.Set(String(names.back()), field_value(field, *value));
  }
  for (const auto& [name, value] : given) {
    if (values.count(name)) continue;
    throw refuse(refusals["unknown-config"], type.name, text(name))
        .kind("TypeError")
        .help(did_you_mean(text(name), names));
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
    if (type_name(value) != "list" && type_name(value) != "tuple") wrong_value(key, value);
    if (!as_list(value).empty()) throw refuse(refusals["config-not-available"], key.name);
    return as_list(value);
  }
  if (key.type == "ir.IntImm" && value.as<IntImmNode>()) return value;
  auto number = value.try_cast<int64_t>();
  if (!number) wrong_value(key, value);
  return key.type == "bool" ? Any(*number != 0) : Any(*number);
}

std::string shown(ApiCall& call, const PassConfig& config) {
  std::string out = std::string(config->type) + "(";
  bool first = true;
  for (const ConfigField& field : find_class(text(config->type))->fields) {
    if (field.name.empty()) continue;
    out += fmt::format("{}{}={}", first ? "" : ", ", field.name,
                       call.host.repr(config->values.at(String(std::string(field.name)))));
    first = false;
  }
  return out + ")";
}

Any construct(ApiCall& call) {
  for (const ConfigType& type : config_classes) {
    if (!type.name.ends_with(call.api.name)) continue;
    Map<String, Any> given;
    for (size_t i = 0; i < call.args.size(); ++i) given.Set(String(call.api.params[i].name), call.args[i]);
    return make_config(type, given);
  }
  throw InternalError(__FILE__, __LINE__, "configuration without a row");
}

}  // namespace

Map<String, Any> checked_config(const Map<String, Any>& config) {
  Map<String, Any> out;
  for (const auto& [given, value] : config) {
    const ClassicName* older = find_classic(ClassicName::Kind::kString, text(given));
    String name = older != nullptr ? String(std::string(older->to)) : given;
    auto* key = std::find_if(std::begin(config_keys), std::end(config_keys),
                             [&](const ConfigKey& one) { return one.name == text(name); });
    if (key == std::end(config_keys)) {
      std::vector<std::string> names;
      for (const ConfigKey& one : config_keys) names.emplace_back(one.name);
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
  for (const ConfigKey& key : config_keys)
    keys.Set(String(std::string(key.name)), Map<String, Any>{{"type", String(std::string(key.type))}});
  return keys;
}

std::span<const ApiRow> pass_config_rows() {
  static const std::vector<ApiRow>& rows = *new std::vector<ApiRow>([] {
    std::vector<ApiRow> rows;
    for (const ConfigType& type : config_classes)
      rows.push_back({ApiKind::kFunction, type.owner, type.signature, type.doc, construct});
    rows.push_back({ApiKind::kMethod, "mlc.transform.PassConfig", "__repr__()", "The options as a call.",
                    native([](ApiCall& call, PassConfig config) { return String(shown(call, config)); })});
    rows.push_back(
        {ApiKind::kMethod, "mlc.transform.PassConfig", "__getattr__(name)", "The option.",
         native([](PassConfig config, String name) -> Any {
           auto at = config->values.find(name);
           if (at != config->values.end()) return (*at).second;
           throw refuse(pass_refusals["no-attribute"], text(config->type), text(name)).kind("AttributeError");
         })});
    return rows;
  }());
  return rows;
}

}  // namespace mlc::transform
