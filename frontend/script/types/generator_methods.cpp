// SPDX-License-Identifier: Apache-2.0
// send, throw and close of generators, what `yield from` hands on of them, and what generators say about
// themselves.
#include "frontend/script/core/generator.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "generator-ignores-exit",
         .kind = "RuntimeError",
         .message = "generator ignored GeneratorExit",
         .meaning = "A generator that is closed gets GeneratorExit at its `yield`, and must end: it cannot "
                    "yield again."},
        {.name = "generator-not-started",
         .message = "can't send non-None value to a just-started generator",
         .meaning = "A generator takes a value only where it stands at a `yield`: call `next` first."},
        {.name = "generator-running",
         .kind = "ValueError",
         .message = "generator already executing",
         .meaning = "A generator asked itself for its next value."},
        {.name = "not-an-exception",
         .message = "exceptions must be classes or instances deriving from BaseException, not {}"},
    }};
MLC_REFUSALS(types_generator_methods, refusals);

using State = Evaluator::State;

GeneratorBase* generator_of(const Any& value) {
  return dynamic_cast<GeneratorBase*>(value_as_iterator(value));
}

bool is_exception_of(const Any& exception, std::string_view cls) {
  auto* instance = as<InstanceNode>(exception);
  return instance != nullptr && instance->cls->derives_from(exception_classes().at(std::string(cls)).get());
}

void throw_given(State& state, const Any& exception) {
  auto* instance = as<InstanceNode>(exception);
  if (instance->own(known().context) == nullptr) instance->set(known().context, nullptr);
  state.throw_exception(exception, {});
}

void stopped_inside(State& state, const ir::Error& raised) {
  Any exception = state.exception_of(raised);
  if (!is_exception_of(exception, "StopIteration")) return;
  Any text = str_value("generator raised StopIteration");
  Any made = state.self.call(Any(state.exception_class("RuntimeError")), std::span<const Any>(&text, 1));
  as<InstanceNode>(made)->set(known().cause, exception);
  as<InstanceNode>(made)->set(known().context, exception);
  as<InstanceNode>(made)->set(known().suppress_context, true);
  state.throw_exception(made, raised.first().span);
}

[[noreturn]] void stop_iteration(Evaluator& evaluator, const Any& iterator, ir::Span span) {
  std::vector<Any> args;
  GeneratorBase* generator = generator_of(iterator);
  Any result = generator == nullptr ? Any(nullptr) : std::exchange(generator->returned, nullptr);
  if (!is_none(result)) args.push_back(result);
  Any stop = evaluator.call(Any(evaluator.state().exception_class("StopIteration")), args);
  evaluator.state().set_context(as<InstanceNode>(stop));
  evaluator.state().throw_exception(stop, span);
}

namespace {

void close_generator(Evaluator& evaluator, GeneratorBase& generator, ir::Span span) {
  using Phase = GeneratorBase::Phase;
  switch (generator.phase) {
    case Phase::kRunning:
      raise(refusals["generator-running"], span);
    case Phase::kNew:
      generator.phase = Phase::kDone;
      generator.forget();
      return;
    case Phase::kDone:
      return;
    case Phase::kSuspended:
      break;
  }
  State& state = evaluator.state();
  Any exit = evaluator.call(Any(state.exception_class("GeneratorExit")), {});
  Any ignored;
  try {
    if (!generator.resume(evaluator, {nullptr, exit}, ignored)) return;
  } catch (ir::Error& error) {
    if (is_exception_of(state.exception_of(error), "GeneratorExit")) return;
    throw;
  }
  raise(refusals["generator-ignores-exit"], span);
}

bool throw_into(Evaluator& evaluator, GeneratorBase& generator, Message message, Any& out, ir::Span span) {
  using Phase = GeneratorBase::Phase;
  if (generator.phase == Phase::kRunning) raise(refusals["generator-running"], span);
  if (generator.phase == Phase::kSuspended) return generator.resume(evaluator, std::move(message), out);
  generator.phase = Phase::kDone;
  generator.forget();
  throw_given(evaluator.state(), message.thrown);
}

// `out`: what `step` gives; false and the value of the StopIteration that it raises.
template <typename Step>
bool until_stop(Evaluator::State& state, Any& out, const Step& step) {
  try {
    out = step();
    return true;
  } catch (ir::Error& error) {
    Any exception = state.exception_of(error);
    if (!is_exception_of(exception, "StopIteration")) throw;
    out = state.self.attribute(exception, Symbol("value"));
    return false;
  }
}

}  // namespace

bool resume_delegate(Evaluator& evaluator, const Any& iterator, Message message, Any& out, ir::Span span) {
  State& state = evaluator.state();
  GeneratorBase* inner = generator_of(iterator);
  bool more;
  if (!is_none(message.thrown)) {
    bool exits = is_exception_of(message.thrown, "GeneratorExit");
    if (exits && inner != nullptr) close_generator(evaluator, *inner, span);
    if (exits || inner == nullptr) throw_given(state, message.thrown);
    more = throw_into(evaluator, *inner, std::move(message), out, span);
  } else if (inner != nullptr) {
    more = inner->resume(evaluator, std::move(message), out);
  } else if (!is_none(message.sent)) {
    return until_stop(state, out, [&] {
      Any send = evaluator.attribute(iterator, Symbol("send"), span);
      return evaluator.call(send, std::span<const Any>(&message.sent, 1), {}, span);
    });
  } else if (as<InstanceNode>(iterator) != nullptr) {
    return until_stop(state, out, [&] {
      Any value;
      state.special(iterator, known().next, {}, value, span);
      return value;
    });
  } else {
    more = evaluator.next(iterator, out, span);
  }
  if (!more) out = inner == nullptr ? Any(nullptr) : std::exchange(inner->returned, nullptr);
  return more;
}

namespace {

GeneratorBase& receiver(const Arguments& args) {
  GeneratorBase* generator = generator_of(args[0]);
  if (generator == nullptr)
    raise("AttributeError", args.span, "no-attribute", "this iterator is not a generator function's");
  return *generator;
}
Any send(Evaluator& evaluator, const Arguments& args) {
  GeneratorBase& generator = receiver(args);
  if (generator.phase == GeneratorBase::Phase::kNew && !is_none(args[1])) {
    raise(refusals["generator-not-started"], args.span);
  }
  if (generator.phase == GeneratorBase::Phase::kRunning) raise(refusals["generator-running"], args.span);
  Any out;
  if (!generator.resume(evaluator, {args[1], nullptr}, out)) stop_iteration(evaluator, args[0], args.span);
  return out;
}
// The exception that `throw(value)` means: an object or a class.
Any exception_given(Evaluator& evaluator, const Arguments& args) {
  auto* cls = as<ClassNode>(args[1]);
  if (cls != nullptr && cls->is_exception) return evaluator.call(args[1], {}, {}, args.span);
  auto* instance = as<InstanceNode>(args[1]);
  if (instance == nullptr || !instance->cls->is_exception) {
    raise(refusals["not-an-exception"], args.span_of(1), type_name_of(evaluator, args[1]));
  }
  return args[1];
}
Any throw_method(Evaluator& evaluator, const Arguments& args) {
  GeneratorBase& generator = receiver(args);
  Any exception = exception_given(evaluator, args);
  Any out;
  if (!throw_into(evaluator, generator, {nullptr, exception}, out, args.span))
    stop_iteration(evaluator, args[0], args.span);
  return out;
}
Any close(Evaluator& evaluator, const Arguments& args) {
  close_generator(evaluator, receiver(args), args.span);
  return nullptr;
}

constexpr BuiltinRow generator_methods_table[] = {
    {"send", "(value)", "Resumes the generator; the yield gives this value.", send, 1, 1},
    {"throw", "(exception)", "Raises an exception at the yield.", throw_method, 1, 1},
    {"close", "()", "Ends the generator.", close, 0, 0},
};

}  // namespace

std::span<const BuiltinRow> generator_methods() { return generator_methods_table; }

std::string iterator_text(Evaluator& evaluator, const Any& value, std::string_view address) {
  if (std::string own = value_as_iterator(value)->text(evaluator); !own.empty()) return own;
  std::string text(value_as_iterator(value)->name);
  text += " object ";
  if (GeneratorBase* generator = generator_of(value)) text += generator->fn->info->qualified_name + " ";
  return "<" + text + "at " + std::string(address) + ">";
}

bool generator_attribute(State& state, const Any& object, Symbol name, Any& out, ir::Span span) {
  GeneratorBase* generator = generator_of(object);
  if (generator == nullptr) return false;
  if (name == known().name) {
    out = str_value(generator->fn->info->name);
  } else if (name == known().qualname) {
    out = str_value(generator->fn->info->qualified_name);
  } else {
    return false;
  }
  return true;
}

}  // namespace mlc::script
