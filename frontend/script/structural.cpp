// SPDX-License-Identifier: Apache-2.0
// tvm_ffi.structural_walk and structural_map: callbacks of a script at every part of a value.
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/function.h>

#include <exception>

#include "frontend/script/machine.h"
#include "ir/expr.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;

namespace {

struct Callback {
  Any type;  // a class or a tuple of them; None: every value
  Any callee;
  bool takes_region;  // also the kind of the region of definitions
};

bool is_pair_with_callable(ApiCall& call, const Any& value) {
  return value.type_index() == kTVMFFIArray && elements(value).size() == 2 &&
         call.host.callable(elements(value)[1]);
}

// A function, `(type, function)`, `((type, type), function)`, or a sequence of such pairs.
void collect(ApiCall& call, size_t argument, bool takes_region, std::vector<Callback>& out) {
  const Any& value = call.args[argument];
  if (call.host.callable(value)) {
    out.push_back({nullptr, value, takes_region});
  } else if (is_pair_with_callable(call, value)) {
    out.push_back({elements(value)[0], elements(value)[1], takes_region});
  } else if (value.type_index() == kTVMFFIArray || value.type_index() == kTVMFFIList) {
    for (const Any& pair : elements(value)) {
      if (!is_pair_with_callable(call, pair))
        ir::wrong_argument(call, argument, "pairs of a type and a function");
      out.push_back({elements(pair)[0], elements(pair)[1], takes_region});
    }
  } else {
    ir::wrong_argument(call, argument, "a function, or a type and a function");
  }
}

int32_t order_of(ApiCall& call, size_t argument) {
  const Any& order = call.args[argument];
  if (is_int(order) && (raw_int(order) == 0 || raw_int(order) == 1))
    return static_cast<int32_t>(raw_int(order));
  if (is_str(order) && text_of(order) == "pre") return 0;
  if (is_str(order) && text_of(order) == "post") return 1;
  throw ir::Error("wrong-type", "the order is \"pre\" or \"post\"")
      .at(call.span_of(argument))
      .kind("ValueError");
}

// Runs `engine` with one callback for all kinds of values; `unmatched` is what a value without a callback
// gives. Errors of the script pass through the engine unharmed.
Any run(ApiCall& call, const char* engine, bool keeps_unmatched) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  if (!evaluator) throw ir::Error("unsupported", "this host cannot call back").at(call.span);
  std::vector<Callback> callbacks;
  collect(call, 1, false, callbacks);
  collect(call, 2, true, callbacks);
  std::exception_ptr failure;
  // Numbers and names inside of nodes, and the types of values, are met only by who asks for them.
  auto inner = [](const Any& value) { return !is_object(value) || value.as<ir::PrimTypeNode>() != nullptr; };
  auto dispatch = [&](const Any& value, int64_t region) -> Any {
    for (const Callback& one : callbacks) {
      auto* cls = as<ClassNode>(one.type);
      if ((is_none(one.type) || (cls != nullptr && cls->name == "object")) && inner(value)) continue;
      if (!is_none(one.type) && !evaluator->is_instance(value, one.type, call.span)) continue;
      Any args[] = {value, region};
      try {
        Any result =
            evaluator->call(one.callee, std::span<const Any>(args, one.takes_region ? 2 : 1), {}, call.span);
        if (keeps_unmatched && is_none(result) && !is_none(value)) {
          throw ir::Error("missing-return", "the callback for a `{}` gave back nothing in its place",
                          ir::type_name(value))
              .kind("TypeError")
              .at(call.span)
              .help("return the value itself to leave it as it is");
        }
        return result;
      } catch (...) {
        failure = std::current_exception();
        TVM_FFI_THROW(RuntimeError) << "a callback failed";
      }
    }
    return keeps_unmatched ? value : Any(nullptr);
  };
  ffi::Function callback = ffi::Function::FromTyped(dispatch);
  using Entry = ffi::Tuple<int32_t, ffi::Function>;
  ffi::Array<Entry> none;
  ffi::Array<Entry> all{Entry(static_cast<int32_t>(kTVMFFIAny), callback)};
  std::optional<ffi::Function> walk = ffi::Function::GetGlobal(engine);
  MLC_CHECK(walk.has_value(), "tvm-ffi is linked as a whole");
  try {
    return (*walk)(call.args[0], none, all, order_of(call, 3));
  } catch (const ffi::Error& error) {
    if (failure) std::rethrow_exception(failure);
    throw ir::Error("structural-walk", "{}", error.message()).at(call.span).kind("TypeError");
  }
}

Any structural_walk(ApiCall& call) { return run(call, "ffi.StructuralWalk", false); }
Any structural_map(ApiCall& call) { return run(call, "ffi.StructuralMap", true); }

Any make_interrupt(ApiCall& call) { return ffi::VisitInterrupt(call.args[0]); }

#define VALUE(owner, name, number, doc)                                                 \
  {                                                                                     \
    ApiKind::kValue, owner, name, doc, +[](ApiCall&) -> Any { return int64_t{number}; } \
  }
const ApiRow rows[] = {
    {ApiKind::kFunction, "tvm_ffi",
     "structural_walk(root, callbacks=(), with_def_region_kind=(), order=\"post\")",
     "Calls the first function that fits the type, for every part of a value.", structural_walk},
    {ApiKind::kFunction, "tvm_ffi",
     "structural_map(root, callbacks=(), with_def_region_kind=(), order=\"post\")",
     "The value with parts replaced by what the functions return.", structural_map},
    {ApiKind::kClass, "tvm_ffi", "VisitInterrupt(value=None)", "Returned by a callback, it ends the walk.",
     make_interrupt, "ffi.VisitInterrupt", "tvm_ffi.structural.VisitInterrupt"},
    VALUE("tvm_ffi.WalkResult", "ADVANCE", 0, "Go on with the parts of this value."),
    VALUE("tvm_ffi.WalkResult", "SKIP", 1, "Leave out the parts of this value."),
    VALUE("tvm_ffi.WalkOrder", "PREORDER", 0, "A value comes before its parts."),
    VALUE("tvm_ffi.WalkOrder", "POSTORDER", 1, "A value comes after its parts."),
    VALUE("tvm_ffi.DefRegionKind", "NONE", 0, "Uses, no definitions."),
    VALUE("tvm_ffi.DefRegionKind", "DEF_PATTERN", 1, "Defines the variables in it and in their types."),
    VALUE("tvm_ffi.DefRegionKind", "DEF_SIMPLE", 2, "Defines the variables in it."),
};
#undef VALUE

}  // namespace

std::span<const ApiRow> structural_rows() { return rows; }

}  // namespace mlc::script
