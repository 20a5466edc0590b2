// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/vdevices.h"

namespace mlc::transform::pass_update_vdevice {

static constexpr ir::Refusals refusals{
    "IndexError+KeyError",
    {
        {.name = "no-such-vdevice",
         .message = "there is no device {}: the module has {}",
         .help = "devices are declared by `I.module_global_infos({\"vdevice\": [...]})` and count from 0"},
    }};
MLC_REFUSALS(update_vdevice, refusals);

namespace {

constexpr char doc[] =
    R"(UpdateVDevice(new_vdevice, index): put another device in the place of device `index`.

    x: R.Tensor((4,), "float32", "llvm:0")      =>      x: R.Tensor((4,), "float32", "cuda:0")
needs: the module declares that many devices.
keeps: everything else. The list of devices, types and copies between devices change.)";

struct Replace final : Mutator {
  Replace(Host& host, const IRModule& mod, VDevice before, VDevice after)
      : Mutator(host, mod), before(std::move(before)), after(std::move(after)) {}
  VDevice before, after;

  Type rewrite_type(const Type& type) override {
    if (const auto* tensor = as_type<TensorTypeNode>(type))
      return tensor->vdevice && same_vdevice(tensor->vdevice, before) ? on_vdevice(tensor, after) : type;
    if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      auto fields = rewrite_types(tuple->elements);
      return fields ? Type(make<TupleTypeNode>(*fields)) : type;
    }
    if (const auto* fn = as_type<FuncTypeNode>(type)) {
      auto params = fn->params.has_value() ? rewrite_types(fn->params.value()) : std::nullopt;
      Type ret = rewrite_type(fn->ret);
      if (!params && ret.same_as(fn->ret)) return type;
      return with(ref(fn), [&](FuncTypeNode& n) {
        if (params) n.params = *params;
        n.ret = ret;
      });
    }
    return type;
  }
  std::optional<Array<Type>> rewrite_types(const Array<Type>& types) {
    Array<Type> next;
    bool changed = false;
    for (const Type& type : types) {
      next.push_back(rewrite_type(type));
      changed = changed || !next.back().same_as(type);
    }
    return changed ? std::optional(next) : std::nullopt;
  }
  Var rewrite_def(const Var& var) override {
    Type type = rewrite_type(var->ty);
    return type.same_as(var->ty) ? var : copy_var(var, type);
  }
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    static const Expr to_vdevice = relax::op("relax.to_vdevice");
    const CallNode* call = call_of(next, to_vdevice);
    if (!call || !same_vdevice(attr(call, "dst_vdevice").cast<VDevice>(), before)) return next;
    return make_call("relax.to_vdevice", call->args, {{String("dst_vdevice"), after}}, {}, call->span);
  }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  auto after = options.args[0].as<VDevice>();
  if (!after) {
    throw Error("wrong-type", "`new_vdevice` is of type `{}`, not a device", type_name(options.args[0]))
        .kind("TypeError");
  }
  int64_t index = options.integer(1);
  std::vector<VDevice> devices = vdevices_of(mod);
  if (index < 0 || index >= static_cast<int64_t>(devices.size()))
    throw ir::refuse(refusals["no-such-vdevice"], index, devices.size());
  VDevice before = devices[static_cast<size_t>(index)];
  IRModule next = map_functions(mod, [&](const GlobalVar&, const Function& fn) {
    return Replace(*options.host, mod, before, *after).rewrite_function(fn);
  });
  Array<Any> all;
  for (const VDevice& device : devices) all.push_back(device.same_as(before) ? *after : device);
  return with(next, [&](IRModuleNode& n) { n.global_infos.Set("vdevice", all); });
}

}  // namespace

extern const Pass update_vdevice =
    graph_module_pass("UpdateVDevice", "UpdateVDevice(new_vdevice, index)", doc, apply);

}  // namespace mlc::transform::pass_update_vdevice
