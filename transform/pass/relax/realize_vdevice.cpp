// SPDX-License-Identifier: Apache-2.0
#include "ir/target/tables.h"
#include "transform/graph/vdevices.h"

namespace mlc::transform::pass_realize_vdevice {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "undeclared-device",
         .message = "`R.hint_on_device` names the device {} of type {} with memory `{}`, which the module "
                    "does not declare",
         .help = "declare it: `I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\")]})`"},
    }};
MLC_REFUSALS(realize_vdevice, refusals);

namespace {

constexpr char doc[] =
    R"(RealizeVDevice(): say of tensors on which device they are; hints become copies where it changes.

    def main(x: R.Tensor((4,), "float32")):              def main(x: R.Tensor((4,), "float32", "llvm:0")):
        y = R.hint_on_device(x, R.cpu(0))         =>         y = x
        z = R.hint_on_device(y, R.cpu(1))                    z = R.to_vdevice(y, "llvm:1")
needs: the module declares the devices that hints name.
keeps: values. What a call takes and returns is on one device, so devices spread from hints, `R.to_vdevice`, types of
variables, and types of results to parameters; where several would fit, what a hint returns comes first.)";

// The device that a hint names.
VDevice hinted(const CallNode* call, const std::vector<VDevice>& devices) {
  int64_t type = int_attr(call, "device_type"), index = int_attr(call, "index");
  std::string scope = string_attr(call, "memory_scope");
  for (const VDevice& device : devices) {
    if (!device->target || device->vdevice_id != index || text(device->memory_scope) != scope) continue;
    if (ir::target_kind_row(text(device->target->kind)).device == type) return device;
  }
  throw ir::refuse(refusals["undeclared-device"], index, type, scope).at(call->span);
}

// Which variables are where, and which are together.
struct Places final : Visitor {
  const std::vector<VDevice>& devices;
  const Expr hint = relax::op("relax.hint_on_device");
  const Expr copy = relax::op("relax.to_vdevice");
  using Seeds = std::vector<std::pair<Var, VDevice>>;
  Seeds known, before_hints;
  std::unordered_map<const VarNode*, std::vector<Var>> together;
  std::unordered_map<const VarNode*, Expr> bound;
  Var binding_var;

  explicit Places(const std::vector<VDevice>& devices) : devices(devices) {}

  void visit_def(const Var& var) override {
    const auto* tensor = type_as<TensorTypeNode>(var);
    if (tensor && tensor->vdevice) known.emplace_back(var, tensor->vdevice);
  }
  void visit_binding(const Binding& binding) override {
    if (const CallNode* call = call_of(binding->value, hint)) {
      VDevice device = hinted(call, devices);
      known.emplace_back(binding->var, device);  // first: the type of the result is still that of the operand
      // Of several hints at one variable the last holds.
      auto* var = as<VarNode>(call->args[0]);
      auto hinted_before = std::find_if(before_hints.begin(), before_hints.end(),
                                        [&](const auto& seed) { return seed.first.get() == var; });
      if (hinted_before != before_hints.end()) {
        hinted_before->second = device;
      } else if (var) {
        before_hints.emplace_back(ref(var), device);
      }
    }
    Var outer = binding_var;
    binding_var = binding->var;
    walk_binding(binding);
    binding_var = outer;
    bound[binding->var.get()] = binding->value;
  }
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e); var && binding_var) {
      together[var].push_back(binding_var);
      together[binding_var.get()].push_back(ref(var));
    }
    if (call_of(e, hint) || call_of(e, copy)) return;
    walk_children(e);
    if (auto* fn = as<FunctionNode>(e)) result_is(fn->body->body, fn->ret_ty);
  }
  // What the type of a result says of the variable that is returned.
  void result_is(Expr e, const Type& type) {
    if (const auto* tensor = as_type<TensorTypeNode>(type)) {
      auto* var = as<VarNode>(e);
      if (var && tensor->vdevice) known.emplace_back(ref(var), tensor->vdevice);
    }
    const auto* types = as_type<TupleTypeNode>(type);
    if (!types) return;
    for (auto found = bound.find(as<VarNode>(e)); found != bound.end(); found = bound.find(as<VarNode>(e)))
      e = found->second;
    auto* tuple = as<TupleNode>(e);
    for (size_t i = 0; tuple && i < tuple->elements.size() && i < types->elements.size(); ++i)
      result_is(tuple->elements[i], types->elements[i]);
  }

  // The first that is known of a variable holds.
  std::unordered_map<const VarNode*, VDevice> all() const {
    std::unordered_map<const VarNode*, VDevice> device_of;
    std::vector<const VarNode*> left;
    auto spread = [&](const Seeds& seeds) {
      for (const auto& [var, device] : seeds) {
        if (device_of.emplace(var.get(), device).second) left.push_back(var.get());
      }
      while (!left.empty()) {
        const VarNode* var = left.back();
        left.pop_back();
        auto found = together.find(var);
        if (found == together.end()) continue;
        for (const Var& other : found->second) {
          if (device_of.emplace(other.get(), device_of.at(var)).second) left.push_back(other.get());
        }
      }
    };
    spread(known);
    spread(before_hints);
    return device_of;
  }
};

// Parameters with their devices; what they flow into is inferred.
struct Realize final : Mutator {
  const std::vector<VDevice>& devices;
  std::unordered_map<const VarNode*, VDevice> device_of;
  Realize(Host& host, const IRModule& mod, const std::vector<VDevice>& devices,
          std::unordered_map<const VarNode*, VDevice> device_of)
      : Mutator(host, mod), devices(devices), device_of(std::move(device_of)) {}

  Expr rewrite(const Expr& e) override {
    static const Expr hint = relax::op("relax.hint_on_device");
    if (auto* fn = as<FunctionNode>(e)) {
      Array<Var> params;
      for (const Var& param : fn->params) params.push_back(placed(param));
      Function open = make<FunctionNode>(params, fn->body, fn->ret_ty, fn->is_pure, fn->attrs, fn->span);
      bool same = std::equal(params.begin(), params.end(), fn->params.begin(),
                             [](const Var& a, const Var& b) { return a.same_as(b); });
      Expr next = rewrite_children(same ? e : Expr(open));
      if (next.same_as(e)) return e;
      auto* placed = as<FunctionNode>(next);
      Type result = as_placed(placed->ret_ty, placed->body->body->ty);
      return make<FunctionNode>(placed->params, placed->body, result, placed->is_pure, placed->attrs,
                                placed->span);
    }
    Expr next = rewrite_children(e);
    const CallNode* call = call_of(next, hint);
    if (!call) return next;
    VDevice device = hinted(call, devices);
    const auto* tensor = type_as<TensorTypeNode>(call->args[0]);
    if (tensor && tensor->vdevice && same_vdevice(tensor->vdevice, device)) return call->args[0];
    return make_call("relax.to_vdevice", call->args, {{String("dst_vdevice"), device}}, {}, call->span);
  }
  // The type with the devices that values of it turned out to be on.
  static Type as_placed(const Type& type, const Type& found) {
    const auto* tensor = as_type<TensorTypeNode>(type);
    const auto* found_tensor = as_type<TensorTypeNode>(found);
    // Also where it named one: the type of what a hint returns was that of its operand.
    if (tensor && found_tensor && found_tensor->vdevice) return on_vdevice(tensor, found_tensor->vdevice);
    const auto* tuple = as_type<TupleTypeNode>(type);
    const auto* found_tuple = as_type<TupleTypeNode>(found);
    if (!tuple || !found_tuple || tuple->elements.size() != found_tuple->elements.size()) return type;
    Array<Type> elements;
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      elements.push_back(as_placed(tuple->elements[i], found_tuple->elements[i]));
    return make<TupleTypeNode>(elements);
  }
  Var placed(const Var& param) {
    auto found = device_of.find(param.get());
    const auto* tensor = type_as<TensorTypeNode>(param);
    if (found == device_of.end() || !tensor ||
        (tensor->vdevice && same_vdevice(tensor->vdevice, found->second)))
      return param;
    Var next = copy_var(param, on_vdevice(tensor, found->second));
    map_var(param, next);
    return next;
  }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  std::vector<VDevice> devices = vdevices_of(mod);
  Places places(devices);
  for (const auto& [name, fn] : mod->functions) {
    if (auto* graph = Any(fn).as<FunctionNode>()) places.visit(ref(graph));
  }
  Realize realize(*options.host, mod, devices, places.all());
  return map_functions(mod,
                       [&](const GlobalVar&, const Function& fn) { return realize.rewrite_function(fn); });
}

}  // namespace

extern const Pass realize_vdevice = graph_module_pass("RealizeVDevice", "RealizeVDevice()", doc, apply);

}  // namespace mlc::transform::pass_realize_vdevice
