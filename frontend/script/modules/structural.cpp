// SPDX-License-Identifier: Apache-2.0
// tvm_ffi.structural_walk, structural_map, structural_visit and structural_mutate: callbacks of a script at
// the parts of a value; visitors and mutators as these callbacks see them.
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/function.h>

#include <exception>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/equality.h"
#include "ir/core/expr.h"
#include "ir/core/refusal.h"
#include "ir/registry/context.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "missing-return",
         .message = "the callback for a `{}` gave back nothing in its place",
         .help = "return the value itself to leave it as it is",
         .meaning = "A callback of `structural_map` gives back what stands in the place of its argument; "
                    "None cannot."},
        {.name = "structural-walk",
         .kind = "ValueError",
         .meaning = "A function that walks over an IR object has failed, or does not fit."},
    }};
MLC_REFUSALS(modules_structural, refusals);

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

// A member of an enumeration as its number; anything else as it is.
Any whole_number(const Any& value) {
  auto* member = as<InstanceNode>(value);
  return member != nullptr && is_int(member->payload) ? member->payload : value;
}

int32_t order_of(ApiCall& call, size_t argument) {
  Any order = whole_number(call.args[argument]);
  if (is_int(order) && (raw_int(order) == 0 || raw_int(order) == 1))
    return static_cast<int32_t>(raw_int(order));
  if (is_str(order) && text_of(order) == "pre") return 0;
  if (is_str(order) && text_of(order) == "post") return 1;
  raise("ValueError", call.span_of(argument), "wrong-type", "the order is \"pre\" or \"post\"");
}

// Engines of tvm-ffi carry only errors of their own kind: that of a callback goes beside them.
template <class F>
Any through_engine(ApiCall& call, F&& run) {
  try {
    return run();
  } catch (const ffi::Error& error) {
    if (auto below = std::exchange(ir::Context::current().error_below, nullptr))
      std::rethrow_exception(below);
    throw ir::refuse_as(refusals["structural-walk"], "{}", error.message()).at(call.span).kind(error.kind());
  }
}

ffi::Function engine(const char* name) {
  std::optional<ffi::Function> found = ffi::Function::GetGlobal(name);
  MLC_CHECK(found.has_value(), "tvm-ffi is linked as a whole");
  return *found;
}

Evaluator& evaluator_that_calls_back(ApiCall& call) {
  auto* evaluator = dynamic_cast<Evaluator*>(&call.host);
  if (!evaluator) throw ir::Error("unsupported", "this host cannot call back").at(call.span);
  return *evaluator;
}

// The callback for a value, or null. Numbers and names inside of nodes, and the types of values, are met only
// by who asks for them.
const Callback* callback_for(Evaluator& evaluator, const std::vector<Callback>& callbacks, const Any& value,
                             ir::Span span) {
  for (const Callback& one : callbacks) {
    auto* cls = as<ClassNode>(one.type);
    bool any = is_none(one.type) || (cls != nullptr && cls->name == "object");
    if (any && (!is_object(value) || value.as<ir::PrimTypeNode>() != nullptr)) continue;
    if (is_none(one.type) || evaluator.is_instance(value, one.type, span)) return &one;
  }
  return nullptr;
}

Any called_back(Evaluator& evaluator, const Callback& callback, std::span<const Any> args, bool replaces,
                ir::Span span) {
  try {
    Any result = settled(evaluator.call(callback.callee, args, {}, span));
    if (!replaces) result = whole_number(result);
    if (replaces && is_none(result) && !is_none(args[0])) {
      throw ir::refuse(refusals["missing-return"], ir::type_name(args[0])).at(span);
    }
    return result;
  } catch (...) {
    ir::Context::current().error_below = std::current_exception();
    TVM_FFI_THROW(RuntimeError) << "a callback failed";
  }
}

// Runs an engine of callbacks that get a value, with one callback for all kinds of values; a value without a
// callback is kept (`replaces`) or passed over.
Any run(ApiCall& call, const char* name, bool replaces) {
  Evaluator& evaluator = evaluator_that_calls_back(call);
  std::vector<Callback> callbacks;
  collect(call, 1, false, callbacks);
  collect(call, 2, true, callbacks);
  auto dispatch = [&](const Any& value, int64_t region) -> Any {
    const Callback* found = callback_for(evaluator, callbacks, value, call.span);
    if (found == nullptr) return replaces ? value : Any(nullptr);
    Any args[] = {value, region};
    return called_back(evaluator, *found, std::span<const Any>(args, found->takes_region ? 2 : 1), replaces,
                       call.span);
  };
  using Entry = ffi::Tuple<int32_t, ffi::Function>;
  ffi::Array<Entry> none;
  ffi::Array<Entry> all{Entry(static_cast<int32_t>(kTVMFFIAny), ffi::Function::FromTyped(dispatch))};
  return through_engine(call, [&] { return engine(name)(call.args[0], none, all, order_of(call, 3)); });
}

// Runs an engine of callbacks that get a value and whoever walks, and go below by themselves.
Any run_owning(ApiCall& call, const char* name, const char* by_default, bool replaces) {
  Evaluator& evaluator = evaluator_that_calls_back(call);
  std::vector<Callback> callbacks;
  collect(call, 1, false, callbacks);
  ffi::Function below = engine(by_default);
  auto dispatch = [&](const Any& value, const Any& walker) -> Any {
    const Callback* found = callback_for(evaluator, callbacks, value, call.span);
    if (found == nullptr) return below(walker, value);
    Any args[] = {value, walker, int64_t{0}};  // never in place
    std::vector<std::string> names = evaluator.parameter_names(found->callee);
    return called_back(evaluator, *found, std::span<const Any>(args, replaces && names.size() > 2 ? 3 : 2),
                       replaces, call.span);
  };
  ffi::Function callback = ffi::Function::FromTyped(dispatch);
  auto any = static_cast<int32_t>(kTVMFFIAny);
  return through_engine(call, [&]() -> Any {
    if (!replaces) {
      using Entry = ffi::Tuple<int32_t, ffi::Function>;
      return engine(name)(call.args[0], ffi::Array<Entry>{Entry(any, callback)});
    }
    using Entry = ffi::Tuple<int32_t, ffi::Function, bool>;
    return engine(name)(call.args[0], ffi::Array<Entry>{Entry(any, callback, false)});
  });
}

Any structural_visit(ApiCall& call) {
  return run_owning(call, "ffi.StructuralVisit", "ffi.StructuralVisitorDefaultVisit", false);
}
Any structural_mutate(ApiCall& call) {
  return run_owning(call, "ffi.StructuralMutate", "ffi.StructuralMutatorDefaultMutate", true);
}

// A method of a visitor or mutator: the engine's function of that name with the arguments as they are.
template <const char* kName>
Any method(ApiCall& call) {
  std::vector<ffi::AnyView> args(call.args.begin(), call.args.end());
  return through_engine(call, [&] {
    Any result;
    engine(kName).CallPacked(args.data(), static_cast<int32_t>(args.size()), &result);
    return result;
  });
}
template <const char* kName>
Any method_with_region(ApiCall& call) {
  Evaluator& evaluator = evaluator_that_calls_back(call);
  Any kind = whole_number(call.args[1]);
  if (!is_int(kind)) ir::wrong_argument(call, 1, "int");
  Callback callback{nullptr, call.args[2], false};
  auto inside = [&]() -> Any { return called_back(evaluator, callback, {}, false, call.span); };
  return through_engine(call,
                        [&] { return engine(kName)(call.args[0], kind, ffi::Function::FromTyped(inside)); });
}
Any no_walker(ApiCall& call) {
  raise("TypeError", call.span, "not-constructible", "a `{}` is what callbacks are given; it cannot be made",
        call.api.name);
}

constexpr char kVisit[] = "ffi.StructuralVisitorVisit", kDefaultVisit[] = "ffi.StructuralVisitorDefaultVisit",
               kVisitRegion[] = "ffi.StructuralVisitorDefRegionKind",
               kVisitWithRegion[] = "ffi.StructuralVisitorWithDefRegionKind",
               kMutate[] = "ffi.StructuralMutatorMutate",
               kDefaultMutate[] = "ffi.StructuralMutatorDefaultMutate",
               kGet[] = "ffi.StructuralMutatorVarRemapGet", kSet[] = "ffi.StructuralMutatorVarRemapSet",
               kMutateRegion[] = "ffi.StructuralMutatorDefRegionKind",
               kMutateWithRegion[] = "ffi.StructuralMutatorWithDefRegionKind";
constexpr std::string_view kVisitor = "ffi.StructuralVisitor", kMutator = "ffi.StructuralMutator",
                           kKey = "ffi.StructuralKey";

Any make_key(ApiCall& call) { return ffi::StructuralKey(call.args[0]); }
Any key_equal(ApiCall& call) {
  auto other = call.args[1].as<ffi::StructuralKey>();
  return other && *other == call.args[0].cast<ffi::StructuralKey>();
}

Any structural_walk(ApiCall& call) { return run(call, "ffi.StructuralWalk", false); }
Any structural_map(ApiCall& call) { return run(call, "ffi.StructuralMap", true); }

Any make_interrupt(ApiCall& call) { return ffi::VisitInterrupt(call.args[0]); }

const ApiRow structural_table[] = {
    {ApiKind::kFunction, "tvm_ffi",
     "structural_walk(root, callbacks=(), with_def_region_kind=(), order=\"post\")",
     "Calls the first function that fits the type, for every part of a value.", structural_walk},
    {ApiKind::kFunction, "tvm_ffi",
     "structural_map(root, callbacks=(), with_def_region_kind=(), order=\"post\")",
     "The value with parts replaced by what the functions return.", structural_map},
    {ApiKind::kClass, "tvm_ffi", "VisitInterrupt(value=None)", "Returned by a callback, it ends the walk.",
     make_interrupt, "ffi.VisitInterrupt", "tvm_ffi.structural.VisitInterrupt"},
    {ApiKind::kFunction, "tvm_ffi", "structural_visit(root, callbacks=())",
     "Calls the first function that fits the type with the value and the visitor; it goes below by itself.",
     structural_visit},
    {ApiKind::kFunction, "tvm_ffi", "structural_mutate(root, callbacks=())",
     "The value with parts replaced by functions of the value and the mutator, which go below by themselves.",
     structural_mutate},
    {ApiKind::kClass, "tvm_ffi", "StructuralVisitor()", "Who walks in `structural_visit`.", no_walker,
     kVisitor, "tvm_ffi.structural.StructuralVisitor"},
    {ApiKind::kMethod, kVisitor, "visit(value)", "Visits a value as the walk does.", method<kVisit>},
    {ApiKind::kMethod, kVisitor, "default_visit(value)", "Visits what is below a value.",
     method<kDefaultVisit>},
    {ApiKind::kMethod, kVisitor, "def_region_kind()", "The kind of the region of definitions.",
     method<kVisitRegion>},
    {ApiKind::kMethod, kVisitor, "with_def_region_kind(kind, callback)",
     "Calls a function with another kind of region.", method_with_region<kVisitWithRegion>},
    {ApiKind::kClass, "tvm_ffi", "StructuralMutator()", "Who walks in `structural_mutate`.", no_walker,
     kMutator, "tvm_ffi.structural.StructuralMutator"},
    {ApiKind::kMethod, kMutator, "mutate(value)", "The value as the walk replaces it.", method<kMutate>},
    {ApiKind::kMethod, kMutator, "default_mutate(value)", "The value with what is below it replaced.",
     method<kDefaultMutate>},
    {ApiKind::kMethod, kMutator, "var_remap_get(var)", "What stands for a variable; None when it does.",
     method<kGet>},
    {ApiKind::kMethod, kMutator, "var_remap_set(var, mapped_value)", "Says what stands for a variable.",
     method<kSet>},
    {ApiKind::kMethod, kMutator, "def_region_kind()", "The kind of the region of definitions.",
     method<kMutateRegion>},
    {ApiKind::kMethod, kMutator, "with_def_region_kind(kind, callback)",
     "Calls a function with another kind of region.", method_with_region<kMutateWithRegion>},
    {ApiKind::kMethod, kKey, "__repr__()", "The fields.",
     [](ApiCall& call) -> Any {
       auto key = call.args[0].cast<ffi::StructuralKey>();
       return str_value(
           fmt::format("ffi.StructuralKey(key={}, hash_i64={})", call.host.repr(key->key), key->hash_i64));
     }},
    {ApiKind::kClass, "tvm_ffi", "StructuralKey(key)", "A key that equals keys of the same structure.",
     make_key, kKey, "tvm_ffi.structural.StructuralKey"},
    {ApiKind::kMethod, kKey, "__eq__(other)", "Have both the same structure?", key_equal},
};

}  // namespace

std::span<const ApiRow> structural_rows() { return structural_table; }

}  // namespace mlc::script
