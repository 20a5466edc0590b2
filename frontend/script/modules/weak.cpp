// SPDX-License-Identifier: Apache-2.0
// References that do not keep their object alive, for the module weakref (stdlib/python/weakref.mlc).
#include "frontend/script/numpy/array.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

struct WeakNode final : ffi::Object {
  ffi::WeakObjectPtr<ffi::Object> object;
  explicit WeakNode(const ffi::ObjectPtr<ffi::Object>& object) : object(object) {}
  MLC_NODE("mlc.script.weak", WeakNode, ffi::Object);
};

// Numbers, texts, tuples, lists and dicts are values here as in CPython: nobody else may hold them.
bool can_be_weak(Evaluator& evaluator, const Any& value) {
  if (auto* instance = as<InstanceNode>(value)) {
    bool slots = instance->cls->slotted && instance->cls->find(Symbol("__weakref__")) == nullptr;
    return !slots && !instance->cls->is_exception;
  }
  return as<FunctionNode>(value) != nullptr || as<ClassNode>(value) != nullptr ||
         as<SetNode>(value) != nullptr || as<ModuleNode>(value) != nullptr ||
         type_name_of(evaluator, value) == "generator";
}

Any weak(ApiCall& call) {
  if (!can_be_weak(evaluator_of(call.host), call.args[0])) {
    raise("TypeError", call.span_of(0), "wrong-type", "cannot create weak reference to '{}' object",
          type_name_of(evaluator_of(call.host), call.args[0]));
  }
  auto object = ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::Object>(raw_object(call.args[0]));
  return Any(ir::make<WeakNode>(object));
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "mlc", "weak(object)",
     "A reference that does not keep its object alive: for weakref.", weak},
    {ApiKind::kMethod, "mlc.script.weak", "get()", "The object, or None once it is gone.",
     native([](Any self) -> Any {
       ffi::ObjectPtr<ffi::Object> object = as<WeakNode>(self)->object.lock();
       return object == nullptr ? Any(nullptr) : Any(ffi::ObjectRef(object));
     })},
};

}  // namespace

std::span<const ir::ApiRow> weak_rows() { return rows; }

}  // namespace mlc::script
