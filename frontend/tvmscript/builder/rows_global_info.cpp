// SPDX-License-Identifier: Apache-2.0
// What the functions of a module share: I.module_global_infos and what stands in it.
#include "ir/core/global_info.h"

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "python-function",
         .message = "`@I.pyfunc` keeps a function for CPython to run, which is not here",
         .help = "write it as `@T.prim_func`, or as a function of the script"},
    }};
MLC_REFUSALS(builder_rows_global_info, refusals);

namespace {

constexpr std::string_view kGlobalInfos = "tvm.script.ir";

Any module_global_infos(ApiCall& call) {
  ModuleState& state = ModuleState::current(call);
  if (!state.global_infos.empty()) {
    throw ir::Error("repeated-attribute", "the module has global infos already")
        .at(call.span)
        .help("write all of them in one `I.module_global_infos({...})`");
  }
  for (const auto& [key, value] : attributes_arg(call, 0)) {
    auto list = value.as<Array<Any>>();
    bool fits = list.has_value();
    for (int64_t i = 0; fits && i < static_cast<int64_t>(list->size()); ++i)
      fits = (*list)[i].as<ir::GlobalInfoNode>() != nullptr;
    if (!fits) ir::wrong_argument(call, 0, "a dict of lists of `I.vdevice(...)` or `I.dummy_global_info()`");
    state.global_infos.Set(key, value);
  }
  return nullptr;
}

Any vdevice(ApiCall& call) {
  ir::Target target = is_given(call, 0) ? ir::parse_target(call.args[0]) : ir::Target();
  return ir::make<ir::VDeviceNode>(target, call.args[1].cast<int64_t>(), str_arg(call, 2));
}

// The device_index-th of those of that kind; None when the module has no such device.
Any lookup_vdevice(ApiCall& call) {
  ModuleState& state = ModuleState::current(call);
  auto devices = state.global_infos.find("vdevice");
  if (devices == state.global_infos.end() || !is_given(call, 0)) return nullptr;
  String kind = str_arg(call, 0);
  int64_t left = call.args[1].cast<int64_t>();
  for (const Any& one : (*devices).second.cast<Array<Any>>()) {
    auto* device = one.as<ir::VDeviceNode>();
    if (device && device->target && device->target->kind == kind && left-- == 0) return one;
  }
  return nullptr;
}

Any vdevice_text(ApiCall& call) {
  auto* device = call.args[0].as<ir::VDeviceNode>();
  std::string target = device->target ? ir::target_text(device->target) : "None";
  return String(fmt::format("relax.VDevice(target={}, vdevice_id={}, memory_scope=\"{}\")", target,
                            device->vdevice_id, view(device->memory_scope)));
}

// Constants of any kind and functions in Python are parts of Relax programs.
Any generic_const(ApiCall& call) {
  throw ir::Error("unsupported", "`GenericConst` is a constant of Relax functions, which are not supported")
      .at(call.span)
      .help("a tensor function holds numbers and strings: `T.float32(1)`, `I.StringImm(\"text\")`");
}
Any pyfunc(ApiCall& call) { throw ir::refuse(refusals["python-function"]).at(call.span); }

#define FUNCTION(owner, signature, doc, body) \
  { ir::ApiKind::kFunction, owner, signature, doc, body }
constexpr ir::ApiRow global_info_table[] = {
    MLC_NODE_CLASS("ir", "global_info", "GlobalInfo", "()", "What the functions of a module share.",
                   not_constructible),
    {ir::ApiKind::kClass, kGlobalInfos, "vdevice(target=None, vdevice_id=0, memory_scope=\"global\")",
     "A device of the module.", vdevice, "mlc.ir.VDevice",
     "tvm.relax.global_info.VDevice"},
    {ir::ApiKind::kClass, kGlobalInfos, "dummy_global_info()", "A global info that says nothing.",
     +[](ApiCall&) -> Any { return ir::make<ir::DummyGlobalInfoNode>(); },
     "mlc.ir.DummyGlobalInfo", "tvm.relax.global_info.DummyGlobalInfo"},
    FUNCTION(kGlobalInfos, "module_global_infos(global_infos)", "What the functions of the module share.",
             module_global_infos),
    FUNCTION(kGlobalInfos, "lookup_vdevice(target_kind=None, device_index=-1)",
             "The device of the module of that kind and number, or None.", lookup_vdevice),
    FUNCTION(kGlobalInfos, "GenericConst(value, ty)", "A constant of Relax functions; refused.", generic_const),
    FUNCTION(kGlobalInfos, "pyfunc(func)", "A function for CPython; refused.", pyfunc),
    {ir::ApiKind::kMethod, "mlc.ir.VDevice", "__repr__()", "The device in words.", vdevice_text},
    {ir::ApiKind::kMethod, "mlc.ir.DummyGlobalInfo", "__repr__()", "Its name.",
     +[](ApiCall&) -> Any { return String("relax.DummyGlobalInfo"); }},
    {ir::ApiKind::kMethod, "mlc.ir.DummyGlobalInfo", "__eq__(other)", "All of them are the same.",
     +[](ApiCall& call) -> Any { return call.args[1].as<ir::DummyGlobalInfoNode>() != nullptr; }},
    {ir::ApiKind::kMethod, "mlc.ir.GlobalInfo", "same_as(other)", "Is it the very same object?",
     +[](ApiCall& call) -> Any { return call.args[0].same_as(call.args[1]); }},
};
#undef FUNCTION

}  // namespace

std::span<const ir::ApiRow> global_info_rows() { return global_info_table; }

}  // namespace mlc::tvmscript
