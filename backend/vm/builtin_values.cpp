// SPDX-License-Identifier: Apache-2.0
// vm.builtin.*: memory, closures, tuples, conversions between tensors and shapes.
#include <fmt/format.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstring>

#include "backend/vm/builtins.h"
#include "backend/vm/machine.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/registry/api_row.h"
#include "ir/registry/context.h"
#include "ir/target/device.h"
#include "ir/target/device_api.h"
#include "ir/tir/texture.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "vm-wrong-value", .kind = "TypeError", .message = "`{}` takes a {}, got a `{}`"},
        {.name = "vm-wrong-device",
         .kind = "NotImplementedError",
         .message = "`{}` works on the CPU, and its tensor is on `{}`",
         .help = "move the tensor there by `R.to_vdevice`"},
        {.name = "vm-reshape-size", .message = "a tensor of shape ({}) cannot be reshaped to ({})"},
        {.name = "vm-no-element", .kind = "IndexError", .message = "a tuple of {} has no element {}"},
        {.name = "vm-not-integers", .kind = "TypeError", .message = "`{}` takes a tensor of integers, got one of {}"},
        {.name = "vm-no-debug-function", .message = "no function `{}` is registered", .help = "`tvm.register_global_func(NAME, FUNCTION)` does"},
    }};
MLC_REFUSALS(vm_builtin_values, refusals);

void refuse_argument(ffi::AnyView given, std::string_view builtin, std::string_view wanted) {
  throw refuse(refusals["vm-wrong-value"], builtin, wanted, ir::type_name(Any(given)));
}

ffi::Tensor host_tensor(const ffi::Tensor& tensor, std::string_view builtin) {
  if (tensor.device().device_type == kDLCPU) return tensor;
  throw refuse(refusals["vm-wrong-device"], builtin, ir::device_text(tensor.device()));
}

namespace {

std::string joined(ffi::ShapeView shape) { return fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", ")); }

// An integer of any width.
int64_t integer_at(const ffi::Tensor& given, int64_t index, std::string_view builtin) {
  ffi::Tensor tensor = ir::on_cpu(given);
  const char* data = static_cast<const char*>(tensor.data_ptr());
  auto read = [&](auto zero) {
    decltype(zero) value;
    std::memcpy(&value, data + static_cast<size_t>(index) * sizeof value, sizeof value);
    return static_cast<int64_t>(value);
  };
  ir::DataType dtype(tensor.dtype());
  if (dtype.is_floating() || dtype.lanes() != 1) throw refuse(refusals["vm-not-integers"], builtin, dtype.str());
  bool is_signed = dtype.is_int();
  switch (dtype.bits()) {
    case 1:
    case 8:
      return is_signed ? read(int8_t{0}) : read(uint8_t{0});
    case 16:
      return is_signed ? read(int16_t{0}) : read(uint16_t{0});
    case 32:
      return is_signed ? read(int32_t{0}) : read(uint32_t{0});
    case 64:
      return read(int64_t{0});
    default:
      throw refuse(refusals["vm-not-integers"], builtin, dtype.str());
  }
}

// alloc_storage(machine, shape, device, dtype, scope): the bytes of that shape
void alloc_storage(ffi::PackedArgs args, Any* result) {
  auto shape = value_of<ffi::Shape>(args[1], "vm.builtin.alloc_storage", "shape");
  int64_t bytes = bytes_of(shape, ir::DataType(args[3].cast<DLDataType>()));
  *result = Machine::of(args[0]).allocate(static_cast<size_t>(bytes), args[2].cast<int64_t>());
}
// alloc_tensor(storage, offset, shape, dtype, scope): with a scope, memory of its own beside the storage
void alloc_tensor(ffi::PackedArgs args, Any* result) {
  auto storage = value_of<Storage>(args[0], "vm.builtin.alloc_tensor", "storage");
  auto shape = value_of<ffi::Shape>(args[2], "vm.builtin.alloc_tensor", "shape");
  if (args.size() > 4) {
    *result = ir::make_tensor_on(storage->pool->device(), {shape.data(), shape.size()},
                                 ir::DataType(args[3].cast<DLDataType>()),
                                 ir::view(args[4].cast<ir::String>()));
    return;
  }
  *result = tensor_in(storage, args[1].cast<int64_t>(), shape, ir::DataType(args[3].cast<DLDataType>()));
}

// A tensor in the memory of another one.
struct SameMemory {
  ffi::Tensor tensor;
  void AllocData(DLTensor* view) {
    view->data = tensor.GetDLTensorPtr()->data;
    view->byte_offset = tensor.GetDLTensorPtr()->byte_offset;
  }
  void FreeData(DLTensor*) {}
};
void reshape(ffi::PackedArgs args, Any* result) {
  auto tensor = value_as<ffi::Tensor>(args[0]);  // on any device
  if (!tensor) refuse_argument(args[0], "vm.builtin.reshape", "tensor");
  auto shape = value_of<ffi::Shape>(args[1], "vm.builtin.reshape", "shape");
  ffi::Tensor compact = tensor->IsContiguous() ? *tensor : ir::contiguous(host_tensor(*tensor, "vm.builtin.reshape"));
  if (bytes_of(shape, ir::DataType(compact.dtype())) != static_cast<int64_t>(ffi::GetDataSize(compact)))
    throw refuse(refusals["vm-reshape-size"], joined(tensor->shape()), joined({shape.data(), shape.size()}));
  *result = ffi::Tensor::FromNDAlloc(SameMemory{compact}, shape, compact.dtype(), compact.device());
}

// call_tir_dyn(function, tensors..., shape): the dimensions are arguments behind the tensors
void call_tir_dyn(ffi::PackedArgs args, Any* result) {
  auto function = value_of<ffi::Function>(args[0], "vm.builtin.call_tir_dyn", "function");
  auto dims = value_of<ffi::Shape>(args[args.size() - 1], "vm.builtin.call_tir_dyn", "shape");
  std::vector<ffi::AnyView> all(args.data() + 1, args.data() + args.size() - 1);
  for (int64_t dim : dims) all.emplace_back(dim);
  function.CallPacked(ffi::PackedArgs(all.data(), static_cast<int32_t>(all.size())), result);
}

bool read_if_cond(ffi::AnyView cond) {
  if (auto flag = cond.as<bool>()) return *flag;
  if (auto number = cond.as<int64_t>()) return *number != 0;
  auto tensor = value_as<ffi::Tensor>(cond);  // on any device
  if (!tensor) refuse_argument(cond, "vm.builtin.read_if_cond", "bool or a tensor of one");
  return integer_at(*tensor, 0, "vm.builtin.read_if_cond") != 0;
}

ffi::Shape tensor_to_shape(ffi::AnyView given) {
  auto tensor = value_of<ffi::Tensor>(given, "vm.builtin.tensor_to_shape", "tensor");
  if (tensor.ndim() != 1) throw refuse(refusals["vm-not-integers"], "vm.builtin.tensor_to_shape", fmt::format("{} dimensions", tensor.ndim()));
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < tensor.shape()[0]; ++i) dims.push_back(integer_at(tensor, i, "vm.builtin.tensor_to_shape"));
  return {dims.begin(), dims.end()};
}

Any tuple_getitem(ffi::AnyView tuple, int64_t index) {
  auto items = value_of<ffi::Array<Any>>(tuple, "vm.builtin.tuple_getitem", "tuple");
  if (index < 0 || index >= static_cast<int64_t>(items.size())) throw refuse(refusals["vm-no-element"], items.size(), index);
  return items[static_cast<size_t>(index)];
}

// invoke_debug_func(effect, name, line, arguments...)
void invoke_debug_func(ffi::PackedArgs args, Any* result) {
  std::string name(args[1].cast<ffi::String>());
  auto function = ffi::Function::GetGlobal(name);
  if (!function) throw refuse(refusals["vm-no-debug-function"], name);
  std::vector<ffi::AnyView> told(args.data() + 2, args.data() + args.size());
  Any ignored;
  function->CallPacked(ffi::PackedArgs(told.data(), static_cast<int32_t>(told.size())), &ignored);
  *result = Any(args[0]);
}

}  // namespace

void register_value_builtins() {
  ffi::reflection::GlobalDef()
      .def_packed("vm.builtin.alloc_storage", alloc_storage)
      .def_packed("vm.builtin.alloc_tensor", alloc_tensor)
      .def_packed("vm.builtin.make_closure",
                  [](ffi::PackedArgs args, Any* result) {
                    auto closure = value_of<Closure>(args[0], "vm.builtin.make_closure", "function of a graph");
                    std::vector<Any> last;
                    for (int i = 1; i < args.size(); ++i) last.emplace_back(args[i]);
                    *result = bind_last(closure, std::move(last));
                  })
      .def_packed("vm.builtin.invoke_closure",
                  [](ffi::PackedArgs args, Any* result) { Machine::of(args[0]).call_value(Any(args[1]), args.Slice(2), result); })
      .def_packed("vm.builtin.call_tir_dyn", call_tir_dyn)
      .def("vm.builtin.shape_of",
           [](ffi::AnyView value) {
             auto tensor = value_as<ffi::Tensor>(value);  // on any device
             if (!tensor) refuse_argument(value, "vm.builtin.shape_of", "tensor");
             ffi::ShapeView shape = tensor->shape();
             return ffi::Shape(shape.begin(), shape.end());
           })
      .def_packed("vm.builtin.copy", [](ffi::PackedArgs args, Any* result) { *result = args[0]; })
      .def_packed("vm.builtin.null_value", [](ffi::PackedArgs, Any*) {})
      .def_packed("vm.builtin.reshape", reshape)
      .def_packed("vm.builtin.to_device",
                  [](ffi::PackedArgs args, Any* result) {
                    // The tensor itself where it is there already.
                    auto tensor = value_as<ffi::Tensor>(args[0]);
                    if (!tensor) refuse_argument(args[0], "vm.builtin.to_device", "tensor");
                    const DLTensor* from = tensor->GetDLTensorPtr();
                    DLDevice device{static_cast<DLDeviceType>(args[1].cast<int64_t>()), static_cast<int32_t>(args[2].cast<int64_t>())};
                    bool there = from->device.device_type == device.device_type && from->device.device_id == device.device_id;
                    auto named = args.size() > 3 ? value_as<ir::String>(args[3]) : std::nullopt;
                    std::string_view scope = named && ir::is_texture(ir::view(*named)) ? ir::view(*named) : "";
                    if (there && device.device_type != kDLCPU)
                      there = ir::device_api(device).scope_of(from->data) == scope;
                    if (there || (device.device_type == kDLCPU && from->device.device_type == kDLCPU)) {
                      *result = args[0];
                      return;
                    }
                    std::span<const int64_t> shape(from->shape, static_cast<size_t>(from->ndim));
                    ffi::Tensor made = ir::make_tensor_on(device, shape, ir::DataType(from->dtype), scope);
                    ir::copy_tensor(*from, *made.GetDLTensorPtr());
                    *result = made;
                  })
      .def("vm.builtin.read_if_cond", read_if_cond)
      .def("vm.builtin.tuple_getitem", tuple_getitem)
      .def("vm.builtin.tuple_reset_item",
           [](ffi::AnyView tuple, int64_t index) {
             auto* items = const_cast<ffi::ArrayObj*>(value_of<ffi::Array<Any>>(tuple, "vm.builtin.tuple_reset_item", "tuple").as<ffi::ArrayObj>());
             if (index < 0 || index >= static_cast<int64_t>(items->size())) throw refuse(refusals["vm-no-element"], items->size(), index);
             items->SetItem(index, nullptr);
           })
      .def_packed("vm.builtin.make_tuple",
                  [](ffi::PackedArgs args, Any* result) {
                    ffi::Array<Any> items;
                    for (int i = 0; i < args.size(); ++i) items.push_back(args[i]);
                    *result = std::move(items);
                  })
      .def("vm.builtin.tensor_to_shape", tensor_to_shape)
      .def_packed("vm.builtin.ensure_zero_offset",
                  [](ffi::PackedArgs args, Any* result) {
                    auto tensor = value_of<ffi::Tensor>(args[0], "vm.builtin.ensure_zero_offset", "tensor");
                    *result = tensor.byte_offset() == 0 ? tensor : ir::contiguous(tensor);
                  })
      .def_packed("vm.builtin.invoke_debug_func", invoke_debug_func);
}

namespace {

// As compiled code can call it: what it refuses goes through that code as an error of tvm-ffi, and whoever has called the
// code finds the refusal itself below it.
ffi::Function guarded(const ffi::Function& builtin) {
  return ffi::Function::FromPacked([builtin](ffi::PackedArgs args, Any* result) {
    try {
      builtin.CallPacked(args, result);
    } catch (const ir::Error& error) {
      ir::Context::current().error_below = std::current_exception();
      std::string_view kind = error.first().kind;
      throw ffi::Error(std::string(kind.substr(0, kind.find('+'))), error.first().message, "");
    }
  });
}

}  // namespace

void register_builtins() {
  static const bool once = [] {
    register_shape_builtins();
    register_value_builtins();
    register_search_builtins();
    register_kv_cache_builtins();
    register_paged_cache_builtins();
    register_sampling_builtins();
    for (const ffi::String& name : ffi::Function::ListGlobalNames()) {
      std::string_view text = ir::view(name);
      if (text.starts_with("vm.builtin.") || text.starts_with("relax.run."))
        ffi::Function::SetGlobal(text, guarded(ffi::Function::GetGlobalRequired(text)), true);
    }
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace mlc::vm
