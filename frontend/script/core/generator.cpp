// SPDX-License-Identifier: Apache-2.0
// Generator functions. A generator has a C++ stack and a value stack of its own while it runs, and `yield`
// switches back to whoever asked for the next value.
#include "frontend/script/core/generator.h"

#include <sys/mman.h>

#include "frontend/script/modules/traceback.h"
#include "ir/core/fiber.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "generator-ignores-exit", .message = "generator ignored GeneratorExit"},
        {.name = "generator-running", .kind = "ValueError", .message = "generator already executing"},
        {.name = "out-of-memory", .kind = "MemoryError", .message = "no memory for another generator"},
        {.name = "yield-outside-function",
         .kind = "SyntaxError",
         .message = "'yield' outside function",
         .meaning = "`yield` makes a function a generator, and stands in one."},
    }};
MLC_REFUSALS(core_generator, refusals);

using State = Evaluator::State;

namespace {

constexpr size_t kStackBytes = size_t{1} << 20;
constexpr size_t kValueBytes = size_t{1} << 18;
constexpr size_t kMargin = size_t{1} << 16;

// Stacks with their fibers. Pages are committed as they are touched; a few are kept for the next generators.
class Fibers {
 public:
  std::unique_ptr<ir::Fiber> take() {
    if (!free_.empty()) {
      std::unique_ptr<ir::Fiber> fiber = std::move(free_.back());
      free_.pop_back();
      return fiber;
    }
    void* area = mmap(nullptr, kStackBytes + kValueBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) raise(refusals["out-of-memory"], {});
    return std::make_unique<ir::Fiber>(static_cast<char*>(area), kStackBytes);
  }
  void release(std::unique_ptr<ir::Fiber> fiber) {
    if (free_.size() < 64) {
      free_.push_back(std::move(fiber));
    } else {
      munmap(fiber->low(), kStackBytes + kValueBytes);
    }
  }

 private:
  std::vector<std::unique_ptr<ir::Fiber>> free_;
};
Fibers& fibers() {
  static thread_local Fibers all;
  return all;
}

}  // namespace

struct GeneratorNode final : GeneratorBase {
  Evaluator& evaluator;
  std::vector<Any> slots;
  std::unique_ptr<ir::Fiber> fiber;
  // The machine's words while the generator does not run.
  Any* stack = nullptr;
  Any* top = nullptr;
  Any* stack_end = nullptr;
  int depth_inside = 0;
  Frame* frame_inside = nullptr;
  char* limit_inside = nullptr;
  std::vector<Any> handled_inside;
  size_t handled_outside = 0;  // how many its caller handles, while it runs

  Any value;  // yielded
  Any sent;
  Any thrown;  // an exception to raise at the yield
  bool has_thrown = false;
  std::exception_ptr error;

  GeneratorNode(Evaluator& evaluator, Ref<FunctionNode> function, Any* base)
      : GeneratorBase(std::move(function)), evaluator(evaluator) {
    slots.resize(fn->info->slots);
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = std::move(base[i]);
  }
  ~GeneratorNode() override {
    if (phase == Phase::kSuspended) abandon();
    if (phase != Phase::kSuspended) release();
  }
  // Nobody holds the generator any more: its `finally` and `with` blocks run, and what they raise is only
  // reported.
  [[gnu::noinline]] void abandon() {
    try {
      thrown = evaluator.call(Any(evaluator.state().exception_class("GeneratorExit")), {});
      has_thrown = true;
      resume_fiber();
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
      if (phase == Phase::kSuspended) raise(refusals["generator-ignores-exit"], {});
    } catch (ir::Error& raised) {
      if (is_exception_of(evaluator.state().exception_of(raised), "GeneratorExit")) return;
      if (evaluator.err) {
        evaluator.err(
            fmt::format("an exception of the generator `{}` that nobody holds any more is ignored: {}\n",
                        fn->info->qualified_name, raised.first().message));
      }
    } catch (...) {  // a signal or the end of the program, which the next statement sees
    }
  }
  // A reference to this object, as words.
  RawValue give_self() {
    RawValue words;
    words.type_index = IteratorNode::RuntimeTypeIndex();
    words.zero_padding = 0;
    words.v_obj = reinterpret_cast<TVMFFIObject*>(static_cast<ffi::Object*>(this));
    keep(words);
    return words;
  }
  void release() {
    if (fiber != nullptr) fibers().release(std::move(fiber));
  }
  void forget() override {
    for (Any& slot : slots) slot.reset();
  }

  static void enter(void* argument) {
    auto* self = static_cast<GeneratorNode*>(argument);
    self->body();
    self->phase = Phase::kDone;
    self->swap_words();
  }
  void body() {
    State& state = evaluator.state();
    Frame frame;
    frame.info = fn->info;
    frame.slots = slots.data();
    frame.module = const_cast<ModuleNode*>(fn->module.get());
    frame.function = fn.get();
    frame.generator = this;
    frame.back = state.frame;
    state.frame = &frame;
    try {
      try {
        if (fn->info->expr != nullptr) {
          returned = state.eval(fn->info->expr, frame);
        } else {
          state.exec_block(fn->info->body, frame);
          returned = std::move(frame.result);
        }
      } catch (ir::Error& raised) {
        left_function(raised, evaluator, frame, {}, ir::PassedCall::How::kResumed);
        stopped_inside(state, raised);
        throw;
      }
    } catch (...) {
      error = std::current_exception();
    }
    state.frame = frame.back;
  }
  void swap_words() {
    State& state = evaluator.state();
    std::swap(state.stack, stack);
    std::swap(state.top, top);
    std::swap(state.stack_end, stack_end);
    std::swap(state.frame, frame_inside);
    std::swap(state.c_stack_limit, limit_inside);
  }

  void resume_fiber() {
    State& state = evaluator.state();
    bool fresh = phase == Phase::kNew;
    if (fresh) {
      fiber = fibers().take();
      limit_inside = fiber->low() + kMargin;
      stack = top = reinterpret_cast<Any*>(fiber->low() + kStackBytes);
      stack_end = stack + kValueBytes / sizeof(Any);
      frame_inside = state.frame;
    }
    int depth_outside = state.depth;
    phase = Phase::kRunning;
    state.depth = depth_outside + depth_inside;
    // What the caller handles is handled inside as well.
    size_t outside = handled_outside = state.handled.size();
    for (Any& each : handled_inside) state.handled.push_back(std::move(each));
    handled_inside.clear();
    swap_words();
    fresh ? fiber->start(&GeneratorNode::enter, this) : fiber->enter();
    for (size_t i = outside; i < state.handled.size(); ++i)
      handled_inside.push_back(std::move(state.handled[i]));
    state.handled.resize(outside);
    depth_inside = state.depth - depth_outside;
    state.depth = depth_outside;
    if (phase == Phase::kDone) {
      release();
      forget();
    }
  }

  // Called inside: gives a value to the caller.
  void suspend(RawValue words) {
    put(value, words);
    phase = Phase::kSuspended;
    swap_words();
    fiber->leave();
  }
  Message received() {
    has_thrown = false;
    return {std::exchange(sent, nullptr), std::exchange(thrown, nullptr)};
  }
  // What the generator itself handles, if anything, is the context of what is thrown in.
  [[noreturn]] void throw_inside(const Any& exception) {
    State& state = evaluator.state();
    if (state.handled.size() > handled_outside) state.set_context(as<InstanceNode>(exception));
    throw_given(state, exception);
  }
  // The result is what `send` brings.
  RawValue yield(RawValue words) {
    suspend(words);
    if (has_thrown) throw_inside(received().thrown);
    return script::release(std::move(sent));
  }
  // `yield from`.
  Any yield_all(Any iterator, ir::Span span) {
    Any next;
    bool more = resume_delegate(evaluator, iterator, {}, next, span);
    while (more) {
      suspend(script::release(std::move(next)));
      more = resume_delegate(evaluator, iterator, received(), next, span);
    }
    return next;
  }

  bool next(Evaluator& asking, Any& out) override {
    if (phase == Phase::kDone) {
      returned = nullptr;
      return false;
    }
    if (phase == Phase::kRunning) raise(refusals["generator-running"], {});
    State& state = evaluator.state();
    if (++state.depth > evaluator.recursion_limit) {
      --state.depth;
      state.recursion_error();
    }
    OwnedValue alive(give_self());
    resume_fiber();
    --state.depth;
    if (phase == Phase::kDone) {
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
      return false;
    }
    out = std::move(value);
    return true;
  }
  bool resume(Evaluator& asking, Message message, Any& out) override {
    sent = std::move(message.sent);
    has_thrown = !is_none(message.thrown);
    thrown = std::move(message.thrown);
    evaluator.state().check_stack();
    OwnedValue alive(give_self());
    return next(asking, out);
  }
};

Any State::start_generator(const FunctionNode& fn, Any* base) {
  return make_iterator<GeneratorNode>(self, ir::ref(&fn), base);
}

namespace {

[[noreturn]] void yield_outside(ir::Span span) { raise(refusals["yield-outside-function"], span); }

}  // namespace

RawValue State::yield_value(RawValue value, Frame& f, ir::Span span) {
  if (f.generator == nullptr) {
    drop(value);
    yield_outside(span);
  }
  return f.generator->yield(value);
}

// `yield from`: the values of another iterable; its return value if it is a generator.
Any State::yield_all(const Any& iterable, Frame& f, ir::Span span) {
  if (f.generator == nullptr) yield_outside(span);
  return f.generator->yield_all(self.iterate(iterable, span), span);
}

}  // namespace mlc::script
