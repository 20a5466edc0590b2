// SPDX-License-Identifier: Apache-2.0
// Generator functions. Most are walked by a Stepper. Where a yield stands inside an expression, `try` or
// `with`, the generator has a C++ stack and a value stack of its own while it runs, and `yield` switches back
// to whoever asked for the next value.
#include <sys/mman.h>

#include "frontend/script/fiber.h"
#include "frontend/script/machine.h"
#include "frontend/script/stepper.h"

namespace mlc::script {

using State = Evaluator::State;

namespace {

constexpr size_t kStackBytes = size_t{1} << 20;
constexpr size_t kValueBytes = size_t{1} << 18;
constexpr size_t kMargin = size_t{1} << 16;

// Pages are committed as they are touched; a few areas are kept for the next generator.
class Areas {
 public:
  char* take() {
    if (!free_.empty()) {
      char* area = free_.back();
      free_.pop_back();
      return area;
    }
    void* area = mmap(nullptr, kStackBytes + kValueBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) raise("MemoryError", {}, "out-of-memory", "no memory for another generator");
    return static_cast<char*>(area);
  }
  void give(char* area) {
    if (free_.size() < 64) {
      free_.push_back(area);
    } else {
      munmap(area, kStackBytes + kValueBytes);
    }
  }

 private:
  std::vector<char*> free_;
};
Areas& areas() {
  static Areas all;
  return all;
}

struct Closed {};  // thrown into a generator that is not wanted any more

}  // namespace

struct GeneratorNode final : IteratorNode {
  Evaluator& evaluator;
  Ref<FunctionNode> fn;
  std::vector<Any> slots;
  std::optional<Stepper> stepper;
  Frame frame;  // with the stepper
  char* area = nullptr;
  Fiber fiber;
  // The machine's words while the generator does not run.
  Any* stack = nullptr;
  Any* top = nullptr;
  Any* stack_end = nullptr;
  int depth_inside = 0;
  Frame* frame_inside = nullptr;
  std::vector<Any> handled_inside;

  enum class Phase : uint8_t { kNew, kSuspended, kRunning, kDone } phase = Phase::kNew;
  Any value;  // yielded, or returned
  Any sent;
  Any thrown;  // an exception to raise at the yield
  bool has_thrown = false;
  bool closing = false;
  std::exception_ptr error;
  Any returned;

  GeneratorNode(Evaluator& evaluator, Ref<FunctionNode> fn, Any* base)
      : IteratorNode("generator"), evaluator(evaluator), fn(std::move(fn)) {
    slots.resize(this->fn->info->slots);
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = std::move(base[i]);
    if (!this->fn->info->stepwise) return;
    stepper.emplace(*this->fn->info);
    set_up(frame);
  }
  void set_up(Frame& f) {
    f.info = fn->info;
    f.slots = slots.data();
    f.module = const_cast<ModuleNode*>(fn->module.get());
    f.function = fn.get();
    f.generator = this;
  }
  ~GeneratorNode() override {
    if (phase == Phase::kSuspended && !stepper) {
      closing = true;
      resume();
    }
    release();
  }
  // A reference to this object, as words.
  Words give_self() {
    Words words;
    words.type_index = IteratorNode::RuntimeTypeIndex();
    words.zero_padding = 0;
    words.v_obj = reinterpret_cast<TVMFFIObject*>(static_cast<ffi::Object*>(this));
    keep(words);
    return words;
  }
  void release() {
    if (area != nullptr) areas().give(area);
    area = nullptr;
  }

  static void enter(void* argument) {
    auto* self = static_cast<GeneratorNode*>(argument);
    self->body();
    self->phase = Phase::kDone;
    self->swap_words();
    self->fiber.leave();
  }
  void body() {
    State& state = evaluator.state();
    Frame frame;
    set_up(frame);
    frame.back = state.frame;
    state.frame = &frame;
    try {
      if (fn->info->expr != nullptr) {
        returned = state.eval(fn->info->expr, frame);
      } else {
        state.exec_block(fn->info->body, frame);
        returned = std::move(frame.result);
      }
    } catch (Closed&) {
    } catch (ir::Error& raised) {
      error = std::current_exception();
      stopped(state, raised);
    } catch (...) {
      error = std::current_exception();
    }
    state.frame = frame.back;
  }
  // StopIteration that a generator lets out would end a loop elsewhere: it becomes the cause of a
  // RuntimeError.
  void stopped(State& state, const ir::Error& raised) {
    Any exception = state.exception_of(raised);
    auto* instance = as<InstanceNode>(exception);
    if (instance == nullptr || !instance->cls->derives_from(exception_classes().at("StopIteration").get()))
      return;
    Any text = str_value("generator raised StopIteration");
    Any made = evaluator.call(Any(state.exception_class("RuntimeError")), std::span<const Any>(&text, 1));
    as<InstanceNode>(made)->set(known().cause, exception);
    as<InstanceNode>(made)->set(known().context, exception);
    as<InstanceNode>(made)->set(known().suppress_context, true);
    try {
      state.throw_exception(made, raised.first().span);
    } catch (ir::Error&) {
      error = std::current_exception();
    }
  }
  void swap_words() {
    State& state = evaluator.state();
    std::swap(state.stack, stack);
    std::swap(state.top, top);
    std::swap(state.stack_end, stack_end);
    std::swap(state.frame, frame_inside);
    if (!state.handled.empty() || !handled_inside.empty()) std::swap(state.handled, handled_inside);
    std::swap(state.c_stack_limit, limit_inside);
  }
  char* limit_inside = nullptr;

  void resume() {
    State& state = evaluator.state();
    if (phase == Phase::kNew) {
      area = areas().take();
      limit_inside = area + kMargin;
      stack = top = reinterpret_cast<Any*>(area + kStackBytes);
      stack_end = stack + kValueBytes / sizeof(Any);
      fiber.prepare(area, kStackBytes, &GeneratorNode::enter, this);
    }
    int depth_outside = state.depth;
    Frame* caller = state.frame;
    if (phase == Phase::kNew) frame_inside = caller;
    phase = Phase::kRunning;
    state.depth = depth_outside + depth_inside;
    swap_words();
    fiber.enter();
    depth_inside = state.depth - depth_outside;
    state.depth = depth_outside;
    if (phase == Phase::kDone) release();
  }

  // Called inside: gives a value to the caller; the result is what `send` brings.
  Words yield(Words given) {
    put(value, given);
    phase = Phase::kSuspended;
    swap_words();
    fiber.leave();
    if (closing) throw Closed{};
    if (has_thrown) {
      has_thrown = false;
      evaluator.state().throw_exception(std::exchange(thrown, Any(nullptr)), {});
    }
    return give(std::move(sent));
  }

  // The same with the stepper; the depth has been counted.
  bool step(State& state, Any& out) {
    struct Run {
      State& state;
      GeneratorNode& self;
      Run(State& state, GeneratorNode& self) : state(state), self(self) {
        self.phase = Phase::kRunning;
        self.frame.back = std::exchange(state.frame, &self.frame);
      }
      ~Run() {
        --state.depth;
        state.frame = self.frame.back;
        if (self.phase == Phase::kRunning) self.phase = Phase::kDone;
      }
    } run(state, *this);
    try {
      char here;
      if (&here < state.c_stack_limit) [[unlikely]]
        state.recursion_error();
      if (closing) return false;
      if (has_thrown) {
        has_thrown = false;
        state.throw_exception(std::exchange(thrown, Any(nullptr)), {});
      }
      Words given;
      if (stepper->step(state, frame, sent, given)) {
        phase = Phase::kSuspended;
        put(out, given);
        return true;
      }
      returned = std::move(frame.result);
      return false;
    } catch (ir::Error& raised) {
      stopped(state, raised);
      if (!error) throw;
    }
    std::rethrow_exception(std::exchange(error, nullptr));
  }

  bool next(Evaluator& asking, Any& out) override {
    if (phase == Phase::kDone) return false;
    if (phase == Phase::kRunning) raise("ValueError", {}, "generator-running", "generator already executing");
    State& state = evaluator.state();
    if (++state.depth > evaluator.recursion_limit) {
      --state.depth;
      state.recursion_error();
    }
    Held alive(give_self());
    if (stepper) return step(state, out);
    resume();
    --state.depth;
    if (phase == Phase::kDone) {
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
      return false;
    }
    out = std::move(value);
    return true;
  }
};

Any State::start_generator(const FunctionNode& fn, Any* base) {
  return make_iterator<GeneratorNode>(self, ir::ref(&fn), base);
}

Words State::yield_value(Words value, Frame& f, ir::Span span) {
  if (f.generator == nullptr) {
    drop(value);
    raise("SyntaxError", span, "yield-outside-function", "'yield' outside function");
  }
  return f.generator->yield(value);
}

// `yield from`: the values of another iterable; its return value if it is a generator.
Any State::yield_all(const Any& iterable, Frame& f, ir::Span span) {
  Any iterator = self.iterate(iterable, span);
  Any value;
  while (self.next(iterator, value, span)) drop(yield_value(give(std::move(value)), f, span));
  return generator_result(iterator);
}

[[noreturn]] void stop_iteration(Evaluator& evaluator, const Any& iterator, ir::Span span) {
  std::vector<Any> args;
  Any result = generator_result(iterator);
  if (!is_none(result)) args.push_back(result);
  evaluator.state().throw_exception(
      evaluator.call(Any(evaluator.state().exception_class("StopIteration")), args), span);
}
Any generator_result(const Any& iterator) {
  auto* generator = dynamic_cast<GeneratorNode*>(value_as_iterator(iterator));
  return generator == nullptr ? Any(nullptr) : generator->returned;
}

namespace {

GeneratorNode* generator_of(const Arguments& args) {
  auto* generator = dynamic_cast<GeneratorNode*>(value_as_iterator(args[0]));
  if (generator == nullptr)
    raise("AttributeError", args.span, "no-attribute", "this iterator is not a generator function's");
  return generator;
}
Any send(Evaluator& evaluator, const Arguments& args) {
  GeneratorNode* generator = generator_of(args);
  if (generator->phase == GeneratorNode::Phase::kNew && !is_none(args[1])) {
    raise("TypeError", args.span, "generator-not-started",
          "can't send non-None value to a just-started generator");
  }
  generator->sent = args[1];
  Any out;
  if (!generator->next(evaluator, out)) stop_iteration(evaluator, args[0], args.span);
  return out;
}
Any throw_into(Evaluator& evaluator, const Arguments& args) {
  GeneratorNode* generator = generator_of(args);
  generator->thrown = as<ClassNode>(args[1]) ? evaluator.call(args[1], {}) : args[1];
  if (generator->phase != GeneratorNode::Phase::kSuspended) {
    generator->phase = GeneratorNode::Phase::kDone;
    evaluator.state().throw_exception(generator->thrown, args.span);
  }
  generator->has_thrown = true;
  Any out;
  if (!generator->next(evaluator, out)) stop_iteration(evaluator, args[0], args.span);
  return out;
}
Any close(Evaluator& evaluator, const Arguments& args) {
  GeneratorNode* generator = generator_of(args);
  if (generator->phase == GeneratorNode::Phase::kSuspended) {
    generator->closing = true;
    Any ignored;
    generator->next(evaluator, ignored);
  }
  generator->phase = GeneratorNode::Phase::kDone;
  return nullptr;
}

constexpr BuiltinRow rows[] = {
    {"send", "(value)", "Resumes the generator; the yield gives this value.", send, 1, 1},
    {"throw", "(exception)", "Raises an exception at the yield.", throw_into, 1, 1},
    {"close", "()", "Ends the generator.", close, 0, 0},
};

}  // namespace

std::span<const BuiltinRow> generator_methods() { return rows; }

}  // namespace mlc::script
