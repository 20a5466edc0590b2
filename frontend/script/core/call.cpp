// SPDX-License-Identifier: Apache-2.0
// Calls: arguments are pushed on the value stack, where they become the callee's first slots.
#include <tvm/ffi/error.h>

#include "frontend/script/core/hints.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/modules/global_functions.h"
#include "frontend/script/modules/traceback.h"
#include "frontend/script/numpy/scalar.h"
#include "frontend/script/types/enum_results.h"
#include "frontend/script/types/equality.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/freeze.h"
#include "ir/core/interrupt.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"
#include "ir/registry/context.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "call-failed",
         .kind = "ValueError",
         .meaning =
             "A compiled function refused its arguments, or failed while it ran; the message is its own."},
        {.name = "duplicate-argument",
         .message = "{} got multiple values for keyword argument '{}'",
         .meaning = "One parameter got two values, by place and by name.",
         .wrong = R"(def f(a, b=0):
    return a
f(1, a=2))",
         .right = R"(def f(a, b=0):
    return a
f(1, b=2))"},
        {.name = "ffi-error",
         .kind = "ValueError",
         .meaning = "A function of a library refused its arguments; the message is its own."},
        {.name = "init-result",
         .message = "__init__() should return None, not '{}'",
         .meaning = "`__init__` fills in the object that is there; it returns nothing."},
        {.name = "keyword-not-a-string",
         .message = "keywords must be strings",
         .meaning = "The keys of a dict behind `**` become names of arguments.",
         .wrong = "dict(**{1: 2})",
         .right = R"(dict(**{"one": 2}))"},
        {.name = "no-keywords",
         .message = "compiled functions take no keyword arguments",
         .meaning = "Compiled functions take their arguments by place."},
        {.name = "no-super",
         .kind = "RuntimeError",
         .meaning = "`super()` without arguments works in methods of a class."},
        {.name = "not-a-mapping",
         .message = "{} argument after ** must be a mapping, not {}",
         .meaning = "`**` spreads a dict.",
         .wrong = "dict(**[1])",
         .right = R"(dict(**{"one": 1}))"},
    }};
MLC_REFUSALS(core_call, refusals);

ffi::Tensor exported_tensor(const ir::NDArrayNode& array, ir::Span span);  // tensor_api.cpp
std::string callee_text(Evaluator& evaluator, const Any& callee);          // hints.cpp

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

namespace {

constexpr size_t kShownArguments = 4;  // of a builtin, its object included

// Enters and leaves one level of the C++ stack.
struct Depth {
  State& state;
  Depth(State& state, const ir::Span& span) : state(state) {
    char here;
    if (++state.depth > state.self.recursion_limit || &here < state.c_stack_limit) [[unlikely]] {
      --state.depth;
      state.recursion_error(span);
    }
  }
  ~Depth() { --state.depth; }
};

// Methods of str take objects of classes derived from str for what they hold; format() asks them.
bool takes_plain_texts(const BuiltinRow& row, std::string_view owner) {
  return owner == "str" && row.name != "format";
}

RawValue finish_builtin(State& state, const BuiltinRow& row, std::string_view owner, const Call& call,
                     Any* base) {
  ir::Span spans[kShownArguments];
  size_t given = call.args.size(), at = 0;
  if (state.top != base + given) spans[at++] = static_cast<const Attribute*>(call.func)->value->span;
  for (const Expr* arg : call.args) spans[at++] = arg->span;
  if (given < static_cast<size_t>(row.least) || given > static_cast<size_t>(row.most)) [[unlikely]] {
    Keywords none;
    return release(state.call_builtin(row, owner, base, none, call.span, {spans, at}));
  }
  Arguments arguments{{base, at}, {}, call.span, {spans, at}};
  Depth depth(state, call.span);
  try {
    return release(row.body(state.self, arguments));
  } catch (ir::Error& error) {
    left_builtin(error, row.name, call.span);
    throw;
  }
}

// A builtin function, or a method of a builtin type whose object lies on the stack already.
RawValue run_builtin(State& state, const BuiltinRow& row, std::string_view owner, const Call& call, Any* base,
                  Frame& f) {
  for (const Expr* arg : call.args) {
    state.push(state.run(arg, f));
    if (state.top[-1].type_index() == state.instance_type && takes_plain_texts(row, owner) &&
        is_str(builtin_value_of(state.top[-1])))
      state.top[-1] = builtin_value_of(Any(state.top[-1]));
  }
  return finish_builtin(state, row, owner, call, base);
}

// One that has a quick answer. `object`: that of a method, else null.
constexpr size_t kQuickArguments = 2;
RawValue run_quick(State& state, const BuiltinRow& row, std::string_view owner, const Call& call, OwnedValue* object,
                Any* base, Frame& f) {
  OwnedValue first = state.fetch(call.args[0], f);
  OwnedValue second = call.args.size() == 2 ? state.fetch(call.args[1], f) : OwnedValue(raw_none());
  RawValue all[3], out;
  size_t n = 0;
  if (object != nullptr) all[n++] = object->words;
  all[n++] = first.words;
  if (call.args.size() == 2) all[n++] = second.words;
  try {
    if (row.quick(state.self, {reinterpret_cast<const Any*>(all), n}, out)) return out;
  } catch (ir::Error& error) {
    left_builtin(error, row.name, call.span);
    throw;
  }
  if (object != nullptr) state.push(object->release());
  state.push(first.release());
  if (call.args.size() == 2) state.push(second.release());
  return finish_builtin(state, row, owner, call, base);
}
bool is_quick(const BuiltinRow& row, const Call& call) {
  return row.quick != nullptr && !call.args.empty() && call.args.size() <= kQuickArguments;
}

}  // namespace

Any State::call_values(const Any& callee, std::initializer_list<Any> args, ir::Span span) {
  Mark mark(*this);
  for (const Any& arg : args) push(arg);
  Keywords none;
  return call_on_stack(callee, mark.base, none, span, {});
}

// The arguments are in the parameters' slots.
RawValue State::run_function(const FunctionNode& fn, Any* base, ir::Span span) {
  const FunctionInfo& info = *fn.info;
  if (base + info.slots >= stack_end) [[unlikely]]
    recursion_error(span);
  while (top < base + info.slots) mark_unbound(*top++);
  for (uint32_t slot : info.cells) base[slot] = Any(ir::make<CellNode>(std::move(base[slot])));
  for (size_t i = 0; i < info.free_variables.size(); ++i)
    put(base[info.free_variables[i].slot], copy(fn.cells[i]));
  if (info.yields) return release(start_generator(fn, base));
  Depth depth(*this, span);
  check_interrupt(span);
  Frame frame;
  frame.info = &info;
  frame.slots = base;
  frame.module = const_cast<ModuleNode*>(fn.module.get());
  frame.function = &fn;
  EnterFrame enter(*this, frame);
  try {
    if (info.expr != nullptr) return run(info.expr, frame);
    exec_block(info.body, frame);
    return release(std::move(frame.result));
  } catch (ir::Error& error) {
    left_function(error, self, frame, span);
    throw;
  }
}

Any State::call_function(const FunctionNode& fn, Any* base, Keywords& keywords, ir::Span span) {
  if (!fn.info->simple || static_cast<size_t>(top - base) != fn.info->positional || !keywords.empty()) {
    bind_arguments(fn, base, keywords, span);
  }
  return take(run_function(fn, base, span));
}

namespace {

bool make_plain(Any& value, int depth = 8);  // of lists in lists

// A sequence one of whose elements is to be made plain, anew.
template <class Sequence>
bool make_elements_plain(Any& value, int depth) {
  auto sequence = value.as<Sequence>();
  ir::heed_interrupt();
  if (!sequence || std::none_of(sequence->begin(), sequence->end(), is_object)) return false;
  std::vector<Any> plain(sequence->begin(), sequence->end());
  bool changed = false;
  for (Any& element : plain) changed |= make_plain(element, depth);
  if (changed) value = Any(Sequence(plain.begin(), plain.end()));
  return changed;
}

// What functions of other rooms get for a scalar or dtype of NumPy, and for an object of a class derived from
// str or a number; in lists and tuples too.
bool make_plain(Any& value, int depth) {
  if (!is_object(value) || depth == 0) return false;
  if (value.type_index() == kTVMFFIList) return make_elements_plain<List>(value, depth - 1);
  if (Tuple::is(value)) return make_elements_plain<Tuple>(value, depth - 1);
  if (value.type_index() == kTVMFFIArray) return make_elements_plain<ir::Array<Any>>(value, depth - 1);
  const void* given = raw_object(value);
  value = settled(plain_value(value));
  const Any& held = builtin_value_of(value);
  if (is_str(held) || is_int(held) || is_float(held)) value = Any(held);
  return !is_object(value) || raw_object(value) != given;
}

}  // namespace

Any State::call_api(const ir::Api& api, Any* base, Keywords& keywords, ir::Span span,
                    std::span<const ir::Span> spans) {
  std::vector<ir::Span> own_keyword_spans = std::exchange(keyword_spans, {});
  std::string_view owner = api.row.owner;
  bool numpy = owner.starts_with("numpy") || owner.starts_with("mlc.np") || owner == "tvm.runtime" ||
               owner == "ffi.Tensor";
  if (!numpy) {
    bool takes_scalars = api.name == "const";  // with their types
    for (Any* arg = base; arg != top; ++arg) {
      if (!takes_scalars || !numpy_scalar_dtype(*arg)) make_plain(*arg);
    }
    for (auto& [name, value] : keywords) make_plain(value);
  }
  Depth depth(*this, span);
  try {
    return result_of_row(*this, api,
                         ir::call_api(api, self,
                                      ir::ApiArguments{.positional = {base, static_cast<size_t>(top - base)},
                                                       .keywords = keywords,
                                                       .span = span,
                                                       .positional_spans = spans,
                                                       .keyword_spans = own_keyword_spans}));
  } catch (ir::Error& error) {
    left_builtin(error, api.name, span);
    throw;
  } catch (const ffi::Error& error) {
    throw ir::refuse_as(refusals["ffi-error"], "{}", std::string(error.message()))
        .kind(std::string(error.kind()))
        .at(span);
  }
}

// Something callable of a script, which nobody else can call as it is.
static bool is_callable_of_script(const Any& value) {
  return is_object(value) && (as<FunctionNode>(value) || as<BoundMethodNode>(value) || as<BuiltinNode>(value));
}

// Compiled functions and everything else that speaks tvm-ffi: arrays go in as their tensors, functions as functions of
// tvm-ffi.
Any State::call_packed(const ffi::Function& fn, Any* base, ir::Span span) {
  std::vector<ffi::AnyView> views;
  std::vector<Any> kept;
  kept.reserve(static_cast<size_t>(top - base));
  for (Any* arg = base; arg != top; ++arg) {
    Any value = settled(plain_number(*arg));
    if (auto* array = as<ir::NDArrayNode>(value)) value = exported_tensor(*array, span);
    if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIDict) value = ir::freeze(value);
    if (is_callable_of_script(value)) value = function_of(self, value);
    kept.push_back(std::move(value));
  }
  for (const Any& value : kept) views.emplace_back(value);
  ir::Context::current().error_below = nullptr;
  try {
    Any result;
    try {
      fn.CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
    } catch (const ffi::Error&) {
      if (auto error = std::exchange(ir::Context::current().error_below, nullptr))
        std::rethrow_exception(error);
      throw;
    }
    return result;
  } catch (ir::Error& error) {
    left_builtin(error, "", span);
    throw;
  } catch (const ffi::Error& error) {
    throw ir::refuse_as(refusals["call-failed"], "{}", std::string(error.message()))
        .kind(std::string(error.kind()))
        .at(span);
  }
}

namespace {

// `str.lower(x)`: is there an x, and is it a str?
void check_descriptor(Evaluator& evaluator, const BuiltinNode& method, const Any* base, const Any* top,
                      ir::Span span) {
  std::string_view owner = method.owner;
  if (base == top) {
    raise("TypeError", span, "wrong-argument-count", "unbound method {}.{}() needs an argument", owner,
          method.row->name);
  }
  Any value = plain_number(builtin_value_of(*base));
  int32_t type = value.type_index();
  bool fits = owner == "str"                           ? is_str(value)
              : owner == "bytes"                       ? is_bytes(value)
              : owner == "list"                        ? type == kTVMFFIList
              : owner == "dict"                        ? type == kTVMFFIDict || type == kTVMFFIMap
              : owner == "int"                         ? is_integer(value) || as_wide(value) != nullptr
              : owner == "float"                       ? is_float(value)
              : owner == "set" || owner == "frozenset" ? as<SetNode>(value) != nullptr
                                                       : true;
  if (fits) return;
  raise("TypeError", span, "wrong-type", "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
        method.row->name, owner, type_name_of(evaluator, *base));
}

}  // namespace

Any State::call_on_stack(const Any& callee, Any* base, Keywords& keywords, ir::Span span,
                         std::span<const ir::Span> spans) {
  if (auto* fn = as<FunctionNode>(callee)) return call_function(*fn, base, keywords, span);
  if (auto* builtin = as<BuiltinNode>(callee)) {
    if (!builtin->owner.empty()) check_descriptor(self, *builtin, base, top, span);
    return call_builtin(*builtin->row, builtin->owner, base, keywords, span, spans);
  }
  if (auto* bound = as<BoundMethodNode>(callee)) {
    // Make room for `self` in front.
    Ref<BoundMethodNode> keep = ir::ref(bound);
    push(Any(nullptr));
    for (Any* at = top - 1; at != base; --at) *at = std::move(at[-1]);
    *base = bound->self;
    std::vector<ir::Span> shifted;
    if (!spans.empty()) {
      shifted.reserve(spans.size() + 1);
      shifted.push_back({});
      shifted.insert(shifted.end(), spans.begin(), spans.end());
    }
    return call_on_stack(bound->callee, base, keywords, span, shifted);
  }
  if (auto* api = as<ApiFunctionNode>(callee)) return call_api(*api->api, base, keywords, span, spans);
  if (auto* cls = as<ClassNode>(callee)) return call_class(ir::ref(cls), base, keywords, span, spans);
  if (callee.type_index() == kTVMFFIFunction) {
    if (!keywords.empty())
      throw ir::refuse(refusals["no-keywords"])
          .at(span);
    return call_packed(callee.cast<ffi::Function>(), base, span);
  }
  if (auto* fixed = as<StaticMethodNode>(callee))
    return call_on_stack(fixed->callee, base, keywords, span, spans);
  Any method;
  if (auto* instance = as<InstanceNode>(callee)) {
    if (const Any* call = instance->cls->find(known().call)) {
      return call_on_stack(Any(ir::make<BoundMethodNode>(callee, *call)), base, keywords, span, spans);
    }
  } else if (is_object(callee)) {
    if (const ir::Api* api = ir::ApiRegistry::global().method(callee.type_index(), "__call__")) {
      return call_on_stack(Any(ir::make<BoundMethodNode>(callee, api_value(api))), base, keywords, span,
                           spans);
    }
  }
  throw ir::Error("not-callable", "'{}' object is not callable", type_name_of(self, callee))
      .kind("TypeError")
      .at(span)
      .help(call_hint(self, callee));
}

Any State::call_builtin(const BuiltinRow& row, std::string_view owner, Any* base, Keywords& keywords,
                        ir::Span span, std::span<const ir::Span> spans) {
  for (const auto& [name, value] : keywords) {
    std::vector<std::string> accepted;
    ir::each_word(row.keywords, [&](std::string_view word) { accepted.emplace_back(word); });
    bool known_keyword = row.keywords == "*";
    for (const std::string& each : accepted) known_keyword = known_keyword || each == name;
    if (!known_keyword) {
      std::string message = fmt::format("'{}' is an invalid keyword argument for {}()", name, row.name);
      if (row.keywords.empty()) {
        message =
            fmt::format("{}{}{}() takes no keyword arguments", owner, owner.empty() ? "" : ".", row.name);
      }
      throw ir::Error("unknown-keyword", "{}", message)
          .kind("TypeError")
          .at(span)
          .help(keyword_hint(name, accepted));
    }
  }
  size_t given = static_cast<size_t>(top - base);
  size_t least = static_cast<size_t>(row.least) + (owner.empty() ? 0 : 1);
  size_t most = static_cast<size_t>(row.most) + (owner.empty() ? 0 : 1);
  if (given < least || given > most) {
    size_t own = owner.empty() ? given : given - 1;
    std::string shown = owner.empty() ? std::string(row.name) : fmt::format("{}.{}", owner, row.name);
    std::string expected =
        row.least == row.most ? (row.most == 0   ? std::string("no arguments")
                                 : row.most == 1 ? std::string("exactly one argument")
                                                 : fmt::format("exactly {} arguments", row.most))
        : own < static_cast<size_t>(row.least)
            ? fmt::format("at least {}", counted(static_cast<size_t>(row.least), "argument"))
            : fmt::format("at most {}", counted(static_cast<size_t>(row.most), "argument"));
    throw ir::Error("wrong-argument-count", "{}() takes {} ({} given)", shown, expected, own)
        .kind("TypeError")
        .at(span)
        .help(fmt::format("the signature is `{}{}`", row.name, row.signature));
  }
  if (!owner.empty() && given > 0 && owner != "object") {
    // A method of a builtin type, of an object of a class derived from it.
    *base = builtin_value_of(*base);
    for (Any* at = base + 1; takes_plain_texts(row, owner) && at != top; ++at) {
      if (is_str(builtin_value_of(*at))) *at = Any(builtin_value_of(*at));
    }
  }
  Arguments arguments{{base, given}, keywords, span, spans};
  Depth depth(*this, span);
  try {
    return row.body(self, arguments);
  } catch (ir::Error& error) {
    left_builtin(error, row.name, span);
    throw;
  }
}

Any State::call_class(const Ref<ClassNode>& cls, Any* base, Keywords& keywords, ir::Span span,
                      std::span<const ir::Span> spans) {
  size_t given = static_cast<size_t>(top - base);
  if (cls->metaclass) {
    if (const Any* call = cls->metaclass->find(known().call))
      return call_on_stack(Any(ir::make<BoundMethodNode>(Any(cls), *call)), base, keywords, span, spans);
  }
  if (!cls->plain) return construct(cls, base, keywords, span);
  // A builtin type, or an exception class.
  if (cls->construct != nullptr && (!cls->scripted || cls->is_exception)) {
    Arguments arguments{{base, given}, keywords, span, spans};
    Any first;
    if (!keywords.empty() && !cls->is_exception) take_type_keywords(*cls, arguments, first);
    if (!cls->is_exception || cls->find(known().init) == nullptr) {
      return cls->construct(self, cls, arguments);
    }
  } else if (cls->construct == nullptr) {
    raise("TypeError", span, "not-callable", "cannot create '{}' instances", cls->name);
  }
  Ref<InstanceNode> made = ir::make<InstanceNode>(cls);
  if (cls->is_exception) {
    set_exception_args(const_cast<InstanceNode*>(made.get()), {base, given});
  }
  Any object(made);
  if (const Any* init = cls->find(known().init)) {
    push(Any(nullptr));
    for (Any* at = top - 1; at != base; --at) *at = std::move(at[-1]);
    *base = object;
    Any result = call_on_stack(*init, base, keywords, span, {});
    if (!is_none(result)) {
      raise(refusals["init-result"], span, type_name_of(self, result));
    }
  } else if (given > 0 || !keywords.empty()) {
    raise("TypeError", span, "too-many-arguments", "{}() takes no arguments", cls->short_name());
  }
  return object;
}

Any State::zero_super(Frame& f, ir::Span span) {
  if (f.function == nullptr || f.info->parameters.empty())
    raise_as(refusals["no-super"], span, "super(): no arguments");
  auto* owner = as<ClassNode>(f.function->owner);
  if (owner == nullptr) raise_as(refusals["no-super"], span, "super(): __class__ cell not found");
  Any self_value = f.slots[0];
  if (auto* cell = as<CellNode>(self_value)) self_value = Any(cell->value);
  return Any(ir::make<SuperNode>(ir::ref(owner), self_value));
}

// A call of Code::kCall. The callee is lent or held, so that it lives as long as it runs.
RawValue State::run_call(const Call& call, Frame& f) {
  if (call.func->kind == ExprKind::kAttribute)
    return run_method_call(call, static_cast<const Attribute&>(*call.func), f);
  Mark mark(*this);
  OwnedValue callee = fetch(call.func, f);
  if (callee.type() == function_type) {
    // A function that is given exactly its parameters: nothing to bind, and it wants no spans.
    auto& fn = *static_cast<const FunctionNode*>(raw_object(borrow(callee.words)));
    if (fn.info->simple && call.args.size() == fn.info->positional) {
      for (const Expr* arg : call.args) push(run(arg, f));
      return run_function(fn, mark.base, call.span);
    }
  } else if (callee.type() == builtin_type) {
    auto& builtin = *static_cast<const BuiltinNode*>(raw_object(borrow(callee.words)));
    if (is_quick(*builtin.row, call) && builtin.owner.empty())
      return run_quick(*this, *builtin.row, builtin.owner, call, nullptr, mark.base, f);
    if (builtin.owner.empty() && call.args.size() < kShownArguments)
      return run_builtin(*this, *builtin.row, builtin.owner, call, mark.base, f);
  } else if (auto* cls = as<ClassNode>(borrow(callee.words))) {
    if (cls->scripted && cls->plain && !cls->is_exception && cls->construct != nullptr) {
      // A new object, prepared by an __init__ that is given exactly its parameters.
      const Any* init = cls->find(known().init);
      if (init != nullptr && init->type_index() == function_type) {
        OwnedValue method(copy(*init));
        auto& fn = *static_cast<const FunctionNode*>(raw_object(borrow(method.words)));
        if (fn.info->simple && call.args.size() + 1 == fn.info->positional) {
          OwnedValue made(release(Any(ir::make<InstanceNode>(ir::ref(cls)))));
          push(copy(borrow(made.words)));
          for (const Expr* arg : call.args) push(run(arg, f));
          OwnedValue result(run_function(fn, mark.base, call.span));
          if (result.type() != kTVMFFINone) {
            raise(refusals["init-result"], call.span, type_name_of(self, borrow(result.words)));
          }
          return made.release();
        }
      }
    } else if (cls == types().super.get() && call.args.empty()) {
      return release(zero_super(f, call.span));
    } else if (cls->construct != nullptr && !cls->scripted && !cls->is_exception && cls->plain &&
               !cls->metaclass) {
      for (const Expr* arg : call.args) push(run(arg, f));
      Arguments arguments{{mark.base, call.args.size()}, {}, call.span};
      return release(cls->construct(self, ir::ref(cls), arguments));
    }
  }
  return release(call_with(call, borrow(callee.words), false, mark.base, f));
}

RawValue State::run_method_call(const Call& call, const Attribute& method, Frame& f) {
  Mark mark(*this);
  OwnedValue object = fetch(method.value, f);
  if (object.type() == instance_type) {
    auto* instance = static_cast<InstanceNode*>(raw_object(borrow(object.words)));
    const Any* member = instance->cls->find(method.attr);
    if (member != nullptr && member->type_index() == function_type && instance->own(method.attr) == nullptr) {
      OwnedValue callee(copy(*member));
      auto& fn = *static_cast<const FunctionNode*>(raw_object(borrow(callee.words)));
      push(object.release());
      if (fn.info->simple && call.args.size() + 1 == fn.info->positional) {
        for (const Expr* arg : call.args) push(run(arg, f));
        return run_function(fn, mark.base, call.span);
      }
      return release(call_with(call, borrow(callee.words), true, mark.base, f));
    }
  } else if (const BuiltinMethod* usual = usual_method(borrow(object.words), method.attr)) {
    if (call.args.size() < kShownArguments) {
      BuiltinMethod known = *usual;  // the arguments may ask for other methods, which take its place
      if (is_quick(*known.row, call))
        return run_quick(*this, *known.row, known.owner, call, &object, mark.base, f);
      push(object.release());
      return run_builtin(*this, *known.row, known.owner, call, mark.base, f);
    }
  }
  Any callee;
  bool bound =
      load_method(borrow(object.words), method.attr, method.attr_span ? method.attr_span : method.span, callee);
  if (bound) push(object.release());
  return release(call_with(call, callee, bound, mark.base, f));
}

// Any other call.
Any State::eval_call(const Call& call, Frame& f) {
  Mark mark(*this);
  Any callee;
  bool method = false;
  if (call.func->kind == ExprKind::kAttribute) {
    auto* attribute = static_cast<const Attribute*>(call.func);
    Any object = eval(attribute->value, f);
    method = load_method(object, attribute->attr,
                         attribute->attr_span ? attribute->attr_span : call.func->span, callee);
    if (method) push(std::move(object));
  } else {
    callee = eval(call.func, f);
    if (auto* cls = as<ClassNode>(callee); cls == types().super.get() && call.args.empty())
      return zero_super(f, call.span);
  }
  return call_with(call, callee, method, mark.base, f);
}

// The arguments in all their forms; `method`: the object lies on the stack already.
Any State::call_with(const Call& call, const Any& callee, bool method, Any* base, Frame& f) {
  size_t count = call.args.size() + (method ? 1 : 0);
  // Spans of the arguments are wanted by api functions and builtins only.
  ir::Span small[8];
  std::vector<ir::Span> large;
  ir::Span* spans = small;
  if (count > 8) {
    large.resize(count);
    spans = large.data();
  }
  size_t at = 0;
  if (method) spans[at++] = static_cast<const Attribute*>(call.func)->value->span;
  bool starred = false;
  for (const Expr* arg : call.args) {
    if (arg->kind == ExprKind::kStarred) {
      starred = true;
      auto* star = static_cast<const Starred*>(arg);
      Any more = eval(star->value, f);
      if (!iterable(more)) {
        // Where it is not the only one, CPython unpacks it into a list first.
        std::string who = call.args.size() == 1 ? callee_text(self, callee) + " argument" : "Value";
        raise("TypeError", star->value->span, "not-iterable", "{} after * must be an iterable, not {}", who,
              type_name_of(self, more));
      }
      for (Any& value : self.elements_of(more, star->value->span)) push(std::move(value));
    } else {
      push(run(arg, f));
      spans[at++] = arg->span;
    }
  }
  // The list is used again by the next call with keywords.
  struct Reused {
    State& state;
    Keywords list;
    explicit Reused(State& state) : state(state), list(std::exchange(state.spare_keywords, {})) {}
    ~Reused() {
      list.clear();
      if (list.capacity() > 0) state.spare_keywords = std::move(list);
    }
  } reused(*this);
  Keywords& keywords = reused.list;
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name) {
      keywords.emplace_back(keyword->name.str(), eval(keyword->value, f));
      continue;
    }
    Any more = eval(keyword->value, f);
    more = as_mapping(self, more);
    if (more.type_index() != kTVMFFIDict && more.type_index() != kTVMFFIMap) {
      raise(refusals["not-a-mapping"], keyword->value->span, callee_text(self, callee),
            type_name_of(self, more));
    }
    for (const auto& [key, value] : *static_cast<ffi::MapBaseObj*>(raw_object(more))) {
      if (!is_str(key))
        raise(refusals["keyword-not-a-string"], keyword->value->span);
      keywords.emplace_back(Symbol(text_of(key)).str(), value);
    }
  }
  for (size_t i = 1; i < keywords.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (keywords[i].first == keywords[j].first) {
        raise(refusals["duplicate-argument"], call.span, callee_text(self, callee), keywords[i].first);
      }
    }
  }
  std::span<const ir::Span> arg_spans;
  if (!starred) arg_spans = {spans, count};
  if (!keywords.empty() && as<ApiFunctionNode>(callee) != nullptr) {
    for (const Keyword* keyword : call.keywords) {
      if (!keyword->name) break;  // those of `**` have no place of their own
      keyword_spans.push_back(keyword->value->span);
    }
  }
  if (keywords.empty()) return call_on_stack(callee, base, keywords, call.span, arg_spans);
  try {
    return call_on_stack(callee, base, keywords, call.span, arg_spans);
  } catch (ir::Error& error) {
    // A name that nothing answers to is to blame itself, not its value.
    ir::Diagnostic& first = error.first();
    for (const Keyword* keyword : call.keywords) {
      if (first.name != "unknown-keyword" || !keyword->name) continue;
      bool named = first.span == call.span && first.calls.empty() &&
                   first.message.find(fmt::format("'{}'", keyword->name.str())) != std::string::npos;
      if (named || first.span == keyword->value->span) first.span = keyword->name_span;
    }
    throw;
  }
}

Any Evaluator::call(const Any& callee, std::span<const Any> args,
                    std::span<const std::pair<std::string_view, Any>> keywords, ir::Span span,
                    std::span<const ir::Span> arg_spans) {
  State::Mark mark(*state_);
  for (const Any& arg : args) state_->push(copy(arg));
  if (auto* fn = as<FunctionNode>(callee);
      fn != nullptr && fn->info->simple && args.size() == fn->info->positional && keywords.empty()) {
    OwnedValue alive(copy(callee));
    return take(state_->run_function(*fn, mark.base, span));
  }
  Keywords given(keywords.begin(), keywords.end());
  return state_->call_on_stack(callee, mark.base, given, span, arg_spans);
}

bool Evaluator::callable(const Any& value) {
  if (as<FunctionNode>(value) || as<BuiltinNode>(value) || as<BoundMethodNode>(value) ||
      as<ClassNode>(value) || as<ApiFunctionNode>(value) || value.type_index() == kTVMFFIFunction) {
    return true;
  }
  if (auto* instance = as<InstanceNode>(value)) return instance->cls->find(known().call) != nullptr;
  return is_object(value) && ir::ApiRegistry::global().method(value.type_index(), "__call__") != nullptr;
}

std::vector<std::string> Evaluator::parameter_names(const Any& callee) {
  std::vector<std::string> names;
  if (auto* bound = as<BoundMethodNode>(callee)) {
    names = parameter_names(bound->callee);
    if (!names.empty()) names.erase(names.begin());
  } else if (auto* fn = as<FunctionNode>(callee)) {
    for (size_t i = 0; i < fn->info->positional; ++i) names.emplace_back(fn->info->parameters[i].str());
    if (fn->info->has_vararg) {
      names.push_back("*" +
                      std::string(fn->info->parameters[fn->info->positional + fn->info->keyword_only].str()));
    }
  } else if (auto* api = as<ApiFunctionNode>(callee)) {
    for (const ir::ApiParam& p : api->api->params) {
      if (p.kind == ir::ApiParam::Kind::kPositional) names.push_back(p.name);
    }
  }
  return names;
}

}  // namespace mlc::script
