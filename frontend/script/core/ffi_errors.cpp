// SPDX-License-Identifier: Apache-2.0
// Errors that leave a function of a script through tvm-ffi. What comes out at the other side has a kind and a
// text: an exception of the class that is registered under the kind's name, with the text alone; RuntimeError
// where none is.
#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/array.h"

namespace mlc::script {

namespace {

using ir::ApiCall;
using ir::ApiKind;

// By class: the name that it crosses under; and the class that a name comes back as.
struct Registered {
  std::unordered_map<const ClassNode*, std::string> names;
  std::unordered_map<std::string, Any> classes;
};
Registered& registered() {
  static thread_local auto& all = *new Registered;
  return all;
}
void add(std::string name, const Any& cls) {
  registered().names[as<ClassNode>(cls)] = name;
  registered().classes[std::move(name)] = cls;
}
void add_known(Evaluator::State& state) {
  if (!registered().names.empty()) return;
  for (const char* name : {"RuntimeError", "ValueError", "TypeError", "AttributeError", "KeyError",
                           "IndexError", "AssertionError", "MemoryError", "InternalError", "DiagnosticError",
                           "OpError", "OpNotImplemented", "OpAttributeRequired", "OpAttributeInvalid",
                           "OpAttributeUnImplemented", "RPCError", "ScheduleError"}) {
    add(name, Any(state.exception_class(name)));
  }
}

}  // namespace

std::exception_ptr Evaluator::crossed(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (ir::Error& raised) {
    add_known(*state_);
    Any exception = state_->exception_of(raised);
    auto* instance = as<InstanceNode>(exception);
    const ClassNode* ordinary = state_->exception_class("Exception").get();
    if (instance == nullptr || !instance->cls->derives_from(ordinary)) return error;
    auto known = registered().names.find(instance->cls.get());
    std::string kind = known == registered().names.end() ? "RuntimeError" : known->second;
    Any text = str_value(str(exception));
    Any made = call(registered().classes.at(kind), std::span<const Any>(&text, 1));
    std::vector<ir::Diagnostic> all = raised.all();
    all.front().kind = kind;
    return std::make_exception_ptr(ScriptError(std::move(all), made));
  } catch (...) {
    return error;
  }
}

namespace {

// register_error(cls), register_error("Name", cls), and both as decorators.
Any register_error(ApiCall& call) {
  add_known(evaluator_of(call.host).state());
  auto* named = as<ClassNode>(call.args[0]);
  const Any& cls = named != nullptr ? call.args[0] : call.args[1];
  std::string name = named != nullptr       ? std::string(named->short_name())
                     : is_str(call.args[0]) ? std::string(text_of(call.args[0]))
                                            : "";
  if (as<ClassNode>(cls) != nullptr) {
    if (name.empty()) name = std::string(as<ClassNode>(cls)->short_name());
    add(name, cls);
    return cls;
  }
  if (!is_none(cls)) ir::wrong_argument(call, 1, "a class");
  return ffi::Function::FromPacked([name](ffi::PackedArgs args, ffi::Any* result) {
    Any given(args[0]);
    auto* decorated = as<ClassNode>(given);
    if (decorated == nullptr) raise("TypeError", {}, "wrong-type", "`register_error` is put before a class");
    add(name.empty() ? std::string(decorated->short_name()) : name, given);
    *result = given;
  });
}

const ir::ApiRow ffi_errors_table[] = {
    {ApiKind::kFunction, "tvm_ffi", "register_error(name_or_cls=None, cls=None)",
     "Errors of the class keep it where they cross tvm-ffi; a decorator without `cls`.", register_error},
};

}  // namespace

std::span<const ir::ApiRow> crossing_rows() { return ffi_errors_table; }
void alias_crossings() {
  for (std::string_view root : {"tvm", "tvm_ffi"})
    ir::ApiRegistry::global().alias(fmt::format("{}.error.register_error", root), "tvm_ffi.register_error");
}

}  // namespace mlc::script
