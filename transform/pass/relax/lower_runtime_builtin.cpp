// SPDX-License-Identifier: Apache-2.0
#include "ir/target/device.h"
#include "transform/graph/calls.h"

namespace mlc::transform::pass_lower_runtime_builtin {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "not-yet-lowered",
         .message = "`LowerRuntimeBuiltin` has no call of the virtual machine for `R.builtin.alloc_tensor`",
         .help = "run `relax.transform.LowerAllocTensor()` before it"},
    }};
MLC_REFUSALS(pass_lower_runtime_builtin, refusals);

namespace {

constexpr char doc[] = R"(LowerRuntimeBuiltin(): operators that the virtual machine has become calls of it.

    R.memory.alloc_storage(s, i, "global", "uint8")   =>   R.vm.alloc_storage(s, i, "uint8", "global")
    R.memory.kill_tensor(t), R.memory.kill_storage(s) =>   R.vm.kill_object(t)
    R.reshape(x, shape)                               =>   R.call_packed("vm.builtin.reshape", x, shape)
    R.shape_of(x), R.to_vdevice(x), R.make_closure(f) =>   vm.builtin.shape_of, to_device, make_closure
needs: memory is planned and written out (LowerAllocTensor, KillAfterLastUse).
keeps: everything else.
Before shapes are lowered (VMShapeLower): what is called here takes shapes as arguments.)";

struct ToMachine final : Mutator {
  using Mutator::Mutator;
  Expr builtin_alloc_tensor = relax::op("relax.builtin.alloc_tensor");
  Expr alloc_storage = relax::op("relax.memory.alloc_storage");
  Expr alloc_tensor = relax::op("relax.memory.alloc_tensor");
  Expr kill_storage = relax::op("relax.memory.kill_storage");
  Expr kill_tensor = relax::op("relax.memory.kill_tensor");
  Expr ensure_zero_offset = relax::op("relax.memory.ensure_zero_offset");
  Expr reshape = relax::op("relax.reshape");
  Expr shape_of = relax::op("relax.shape_of");
  Expr tensor_to_shape = relax::op("relax.tensor_to_shape");
  Expr to_vdevice = relax::op("relax.to_vdevice");
  Expr make_closure = relax::op("relax.make_closure");
  Expr invoke_closure = relax::op("relax.invoke_closure");
  Expr call_py_func = relax::op("relax.call_py_func");
  Expr view = relax::op("relax.memory.view");

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    auto* call = as<CallNode>(next);
    if (!call) return next;
    auto is = [&](const Expr& op) { return call->op.same_as(op); };
    auto packed = [&](std::string_view name, Array<Expr> args) {
      return call_packed(name, std::move(args), {e->ty}, call->span);
    };
    if (is(builtin_alloc_tensor)) throw ir::refuse(refusals["not-yet-lowered"]).at(call->span);
    if (is(alloc_storage)) {
      return make_call("relax.vm.alloc_storage",
                       {call->args[0], call->args[1], dtype_const(DataType::UInt(8)), call->args[2]});
    }
    if (is(alloc_tensor)) return make_call("relax.vm.alloc_tensor", call->args, call->attrs);
    if (is(kill_storage) || is(kill_tensor)) return make_call("relax.vm.kill_object", call->args);
    // Memory that is allocated says nothing of its device any more.
    if (is(reshape))
      return call_packed("vm.builtin.reshape", call->args, {builder_->normalize(next)->ty}, call->span);
    if (is(shape_of)) return packed("vm.builtin.shape_of", call->args);
    if (is(tensor_to_shape)) return packed("vm.builtin.tensor_to_shape", call->args);
    if (is(ensure_zero_offset)) return packed("vm.builtin.ensure_zero_offset", call->args);
    if (is(call_py_func)) {
      return call_packed("vm.builtin.call_py_func", {Expr(make<TupleNode>(call->args))}, call->ty_args,
                         call->span);
    }
    if (is(make_closure)) {
      Array<Expr> args{call->args[0]};
      for (const Expr& captured : tuple_elements(call->args[1])) args.push_back(captured);
      return call_packed("vm.builtin.make_closure", args, {any_type()}, call->span);
    }
    if (is(invoke_closure)) {
      Array<Expr> args{call->args[0]};
      for (const Expr& arg : tuple_elements(call->args[1])) args.push_back(arg);
      return make_call(
          "relax.call_builtin_with_ctx",
          {Expr(make<ExternFuncNode>(String("vm.builtin.invoke_closure"))), Expr(make<TupleNode>(args))}, {},
          {any_type()}, call->span);
    }
    if (is(view)) return create_view(call, e->ty);
    if (is(to_vdevice)) return to_device(call, e->ty);
    return next;
  }

  // A view without a data type has that of its tensor; without an offset it begins where its tensor does.
  Expr create_view(const CallNode* call, const Type& type) {
    const auto* tensor = type_as<TensorTypeNode>(call->args[0]);
    auto is_absent = [](const Expr& e) {
      auto* tuple = as<TupleNode>(e);
      return tuple && tuple->elements.empty();
    };
    auto* dtype = as<GenericConstNode>(call->args[2]);
    bool own = dtype == nullptr;
    MLC_CHECK(!own || tensor, "a view of what is no tensor");
    Array<Expr> args{call->args[0], call->args[1], own ? dtype_const(tensor->data_type()) : call->args[2],
                     is_absent(call->args[3]) ? int64_imm(0) : call->args[3]};
    return make<CallNode>(type, Expr(make<ExternFuncNode>(String("runtime.TVMTensorCreateView"))), args,
                          Map<String, Any>{}, call->span);
  }

  Expr to_device(const CallNode* call, const Type& type) {
    auto device = relax::attr(call, "dst_vdevice").cast<VDevice>();
    Array<Expr> args{call->args[0], int64_imm(ir::parse_device(text(device->target->kind)).device_type),
                     int64_imm(device->vdevice_id), string_imm(text(device->memory_scope))};
    return make<CallNode>(type, Expr(make<ExternFuncNode>(String("vm.builtin.to_device"))), args, call->attrs,
                          call->span, Array<Type>{type});
  }
};

// Functions alone: the types of allocations no longer name the vdevices of the module.
Function apply(const Function& fn, const IRModule& mod, const PassOptions& options) {
  return ToMachine(*options.host, make<ir::IRModuleNode>(mod->functions)).rewrite_function(fn);
}

}  // namespace

extern const Pass lower_runtime_builtin =
    graph_pass("LowerRuntimeBuiltin", "LowerRuntimeBuiltin()", doc, apply);

}  // namespace mlc::transform::pass_lower_runtime_builtin
