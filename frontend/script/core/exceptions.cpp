// SPDX-License-Identifier: Apache-2.0
// Exceptions: Python's classes, and the way between an exception object and the ir::Error that carries it.
#include "frontend/diagnostics/render.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/core/pending_report.h"
#include "ir/core/interrupt.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "Exception",
    {
        {.name = "assertion-failed",
         .kind = "AssertionError",
         .meaning = "The condition of an `assert` is not true; the message shows the values in it.",
         .wrong = R"(n = 3
assert n > 5)",
         .right = R"(n = 7
assert n > 5)"},
        {.name = "raised",
         .meaning = "The program raised an exception that nothing caught.",
         .wrong = R"(raise ValueError("no"))",
         .right = R"(try:
    raise ValueError("no")
except ValueError:
    pass)"},
        {.name = "recursion-limit",
         .kind = "RecursionError",
         .message = "maximum recursion depth exceeded",
         .meaning = "Functions call each other too deep, perhaps without end.",
         .wrong = R"(def f(n):
    return f(n + 1)
f(0))",
         .right = R"(def f(n):
    return n if n > 9 else f(n + 1)
f(0))"},
    }};
MLC_REFUSALS(core_exceptions, refusals);

void raise_error(std::string_view kind, ir::Span span, const ir::Error::ErasedMessage& message) {
  throw ir::Error(message).kind(std::string(kind)).at(span);
}

void raise_refusal(const ir::RefusalRow& row, ir::Span span, fmt::string_view message,
                   fmt::format_args args) {
  throw ir::make_refusal(row, message, args).at(span);
}

using State = Evaluator::State;

namespace {

// Classes by what they derive from; names are separated by blanks, and bases stand above.
struct ClassRow {
  std::string_view bases;
  std::string_view names;
  std::string_view module = "builtins";
};
constexpr ClassRow exceptions_table[] = {
    {"object", "BaseException"},
    {"BaseException", "Exception SystemExit KeyboardInterrupt GeneratorExit"},
    {"Exception",
     "ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError MemoryError "
     "NameError OSError RuntimeError ReferenceError SystemError StopIteration SyntaxError TypeError "
     "ValueError "
     "Warning"},
    {"ArithmeticError", "FloatingPointError OverflowError ZeroDivisionError"},
    {"ImportError", "ModuleNotFoundError"},
    {"LookupError", "IndexError KeyError"},
    {"NameError", "UnboundLocalError"},
    {"OSError",
     "FileNotFoundError FileExistsError IsADirectoryError NotADirectoryError PermissionError TimeoutError "
     "ConnectionError ChildProcessError ProcessLookupError BlockingIOError InterruptedError"},
    {"ConnectionError", "BrokenPipeError ConnectionRefusedError"},
    {"RuntimeError", "NotImplementedError RecursionError"},
    {"SyntaxError", "IndentationError"},
    {"ValueError", "UnicodeError"},
    {"UnicodeError", "UnicodeDecodeError UnicodeEncodeError"},
    {"Warning",
     "FutureWarning PendingDeprecationWarning ResourceWarning SyntaxWarning UserWarning RuntimeWarning "
     "DeprecationWarning"},
    {"OSError ValueError", "UnsupportedOperation", "io"},
    {"TypeError", "UFuncTypeError", "numpy._core._exceptions"},
    {"TypeError", "DTypePromotionError", "numpy.exceptions"},
    {"ValueError", "LinAlgError", "numpy.linalg"},
    {"ValueError IndexError", "AxisError", "numpy.exceptions"},
    {"RuntimeError", "InternalError DiagnosticError OpError RPCError TVMError CompileError", "tvm.error"},
    {"OpError NotImplementedError", "OpNotImplemented OpAttributeUnImplemented", "tvm.error"},
    {"OpError AttributeError", "OpAttributeRequired OpAttributeInvalid", "tvm.error"},
    {"RPCError", "RPCSessionTimeoutError", "tvm.error"},
    {"RuntimeError", "ScheduleError", "tvm.s_tir.schedule.schedule"},
};

void derive(ClassNode* cls, std::vector<Ref<ClassNode>> bases) {
  cls->is_exception = true;
  cls->construct = construct_exception;
  cls->mro = {cls};
  cls->bases = std::move(bases);
  for (const Ref<ClassNode>& base : cls->bases) {
    for (ClassNode* each : base->mro) {
      // A shared ancestor comes after all that derive from it.
      auto at = std::find(cls->mro.begin(), cls->mro.end(), each);
      if (at != cls->mro.end()) cls->mro.erase(at);
      cls->mro.push_back(each);
    }
  }
}

// The kind "TypeError+ValueError": what is caught as either of them. It is called by the first name, and is
// made once.
Ref<ClassNode> joined_class(std::string_view kind) {
  static thread_local std::unordered_map<std::string, Ref<ClassNode>> all;
  Ref<ClassNode>& joined = all[std::string(kind)];
  if (joined) return joined;
  std::vector<Ref<ClassNode>> bases;
  for (size_t at = 0; at < kind.size();) {
    size_t end = std::min(kind.find('+', at), kind.size());
    auto found = exception_classes().find(std::string(kind.substr(at, end - at)));
    Ref<ClassNode> base =
        found == exception_classes().end() ? exception_classes().at("RuntimeError") : found->second;
    if (std::find(bases.begin(), bases.end(), base) == bases.end()) bases.push_back(base);
    at = end + 1;
  }
  joined = ir::make<ClassNode>(bases[0]->name);
  auto* cls = const_cast<ClassNode*>(joined.get());
  cls->module = bases[0]->module;
  derive(cls, std::move(bases));
  return joined;
}

}  // namespace

const std::unordered_map<std::string, Ref<ClassNode>>& exception_classes() {
  static thread_local const std::unordered_map<std::string, Ref<ClassNode>> classes = [] {
    std::unordered_map<std::string, Ref<ClassNode>> all;
    for (const ClassRow& row : exceptions_table) {
      std::vector<Ref<ClassNode>> bases;
      ir::each_word(row.bases, [&](std::string_view name) {
        bases.push_back(name == "object" ? types().object : all.at(std::string(name)));
      });
      ir::each_word(row.names, [&](std::string_view name) {
        Ref<ClassNode> ref = ir::make<ClassNode>(std::string(name));
        auto* cls = const_cast<ClassNode*>(ref.get());
        cls->module = std::string(row.module);
        derive(cls, bases);
        if (name == "BaseException") add_exception_fields(cls);
        all.emplace(name, ref);
      });
    }
    return all;
  }();
  return classes;
}

Ref<ClassNode> State::exception_class(std::string_view kind) {
  if (kind.find('+') != std::string_view::npos) return joined_class(kind);
  auto found = exception_classes().find(std::string(kind));
  return found == exception_classes().end() ? exception_classes().at("RuntimeError") : found->second;
}

namespace {

// What an exception says for all errors of a definition: one line each, with its place.
std::string message_of(const std::vector<ir::Diagnostic>& all) {
  if (all.size() == 1) return all.front().message;
  std::string text = fmt::format("{} errors", all.size());
  for (size_t i = 0; i < all.size() && i < diagnostics::kMostShown; ++i) {
    const ir::Diagnostic& one = all[i];
    std::string place = one.span ? ir::SourceMap::current().describe(one.span) + ": " : "";
    text += fmt::format("\n{}error[{}]: {}", place, one.name, one.message);
  }
  if (all.size() > diagnostics::kMostShown)
    text += fmt::format("\nand {} more", all.size() - diagnostics::kMostShown);
  return text;
}

}  // namespace

namespace {

// What a traceback calls the code of a frame.
Symbol name_of_frame(const Frame* frame) {
  static const Symbol module("<module>");
  while (frame != nullptr && frame->dynamic && frame->cls == nullptr) frame = frame->outer;
  if (frame == nullptr) return module;
  if (frame->cls != nullptr) return Symbol(frame->cls->short_name());
  return frame->function == nullptr || frame->info == nullptr ? module : Symbol(frame->info->name);
}

}  // namespace

Symbol pending_report() {
  static const Symbol name("<report>");
  return name;
}

void complete_report(ir::Error& error) {
  if (auto* refused = dynamic_cast<ir::RefusedError*>(&error)) return refused->complete();
  auto* script = dynamic_cast<ScriptError*>(&error);
  auto* instance = script == nullptr ? nullptr : as<InstanceNode>(script->exception);
  const Any* pending = instance == nullptr ? nullptr : instance->own(pending_report());
  if (pending == nullptr || error.first().name != instance->diagnostics.front().name) return;
  (*as<PendingReportNode>(*pending)->complete)(error.first());
}

// The object a script sees in `except ... as e`.
Any State::exception_of(const ir::Error& error) {
  if (auto* script = dynamic_cast<const ScriptError*>(&error)) {
    if (auto* raised = as<InstanceNode>(script->exception)) {
      if (!raised->raised_at) raised->raised_at = error.first().span;
      if (!raised->diagnostics.empty()) raised->diagnostics = error.all();
      raised->passed = error.first().calls;
      raised->caught_in = name_of_frame(frame);
    }
    return script->exception;
  }
  const ir::Diagnostic& first = error.first();
  Ref<InstanceNode> made = ir::make<InstanceNode>(exception_class(first.kind));
  auto* instance = const_cast<InstanceNode*>(made.get());
  instance->set(known().args, Tuple{str_value(message_of(error.all()))});
  if (auto* refused = dynamic_cast<const ir::RefusedError*>(&error); refused != nullptr && refused->pending())
    instance->set(pending_report(), Any(ir::make<PendingReportNode>(refused->pending())));
  static thread_local const ClassNode* os_error = exception_classes().at("OSError").get();
  if (instance->cls->derives_from(os_error)) set_os_error(instance, first.message);
  instance->diagnostics = error.all();
  instance->raised_at = first.span;
  instance->passed = first.calls;
  instance->caught_in = name_of_frame(frame);
  set_context(instance);
  return Any(made);
}

void State::set_context(InstanceNode* exception) {
  if (handled.empty()) return;
  auto* context = as<InstanceNode>(handled.back());
  if (context == nullptr || context == exception) return;
  // The chain must not lead back to the exception itself: it is cut there.
  for (InstanceNode* each = context;;) {
    const Any* next = each->own(known().context);
    auto* before = next == nullptr ? nullptr : as<InstanceNode>(*next);
    if (before == nullptr) break;
    if (before == exception) {
      each->set(known().context, nullptr);
      break;
    }
    each = before;
  }
  exception->set(known().context, handled.back());
}

void State::note_origin(ir::Diagnostic& diagnostic, InstanceNode* exception) {
  constexpr int kMost = 8;
  for (int i = 0; i < kMost; ++i) {
    const Any* cause = exception->own(known().cause);
    const Any* context = exception->own(known().context);
    const Any* suppressed = exception->own(known().suppress_context);
    bool caused = cause != nullptr && as<InstanceNode>(*cause) != nullptr;
    if (!caused && (context == nullptr || (suppressed != nullptr && self.truth(*suppressed)))) return;
    auto* origin = as<InstanceNode>(caused ? *cause : *context);
    if (origin == nullptr) return;
    std::string text = self.str(Any(ir::ref(origin)));
    std::string named = origin->cls->name + (text.empty() ? "" : ": " + text);
    diagnostic.origins.push_back({caused, std::move(named), origin->raised_at, origin->passed});
    exception = origin;
  }
}

ScriptError State::with_context(const ir::Error& error) {
  Any exception = exception_of(error);
  ScriptError result(error.all(), exception);
  auto* instance = as<InstanceNode>(exception);
  if (instance == nullptr || exception.same_as(handled.back())) return result;
  const Any* context = instance->own(known().context);
  bool noted = context != nullptr && !context->same_as(handled.back());
  if (dynamic_cast<const ScriptError*>(&error) != nullptr) {
    if (context != nullptr) return result;
    set_context(instance);
  }
  if (!noted) note_origin(result.first(), instance);
  return result;
}

std::string State::exception_text(const Any& exception) {
  auto* instance = as<InstanceNode>(exception);
  const Any* args = instance->own(known().args);
  if (args == nullptr || args->type_index() != kTVMFFIArray) return "";
  std::span<Any> all = elements(*args);
  if (all.empty()) return "";
  if (std::string text; all.size() == 2 && os_error_text(self, instance, text)) return text;
  if (all.size() > 1) return self.repr(*args);
  static thread_local const ClassNode* key_error_class = exception_classes().at("KeyError").get();
  return instance->cls->derives_from(key_error_class) ? self.repr(all[0]) : self.str(all[0]);
}

// What add_note() has said of the exception, once each.
static void show_notes(Evaluator& evaluator, ir::Diagnostic& diagnostic, const InstanceNode* instance) {
  const Any* notes = instance->own(known().notes);
  if (notes == nullptr || notes->type_index() != kTVMFFIList) return;
  for (const Any& note : elements(*notes)) {
    std::string text = evaluator.str(note);
    bool there = std::ranges::any_of(diagnostic.notes, [&](const ir::Note& each) { return each.message == text; });
    if (!there) diagnostic.notes.push_back({std::move(text), {}});
  }
}

void State::throw_exception(const Any& exception, ir::Span span) {
  auto* instance = as<InstanceNode>(exception);
  // with_traceback(None): from here it starts anew.
  if (const Any* own = instance->own(known().traceback); own != nullptr && is_none(*own)) {
    instance->erase(known().traceback);
    instance->raised_at = {};
    instance->passed.clear();
  }
  bool again = static_cast<bool>(instance->raised_at);  // its place stays where it was raised first
  if (!instance->diagnostics.empty()) {
    show_notes(self, instance->diagnostics.front(), instance);
    throw ScriptError(instance->diagnostics, exception);
  }
  ir::Diagnostic diagnostic;
  diagnostic.name = refusals["raised"].name();
  diagnostic.kind = instance->cls->name;
  std::string text = self.str(exception);
  diagnostic.message = text.empty() ? instance->cls->name : instance->cls->name + ": " + text;
  diagnostic.span = again ? instance->raised_at : span;
  diagnostic.calls = instance->passed;
  instance->raised_at = diagnostic.span;
  show_notes(self, diagnostic, instance);
  note_origin(diagnostic, instance);
  throw ScriptError(std::move(diagnostic), exception);
}

void State::throw_assertion(const syntax::Assert& check, Frame& f) {
  std::vector<Any> args;
  if (check.msg != nullptr) args.push_back(eval(check.msg, f));
  ir::Diagnostic diagnostic;
  diagnostic.name = refusals["assertion-failed"].name();
  diagnostic.kind = "AssertionError";
  diagnostic.message = args.empty() ? "assertion failed" : "assertion failed: " + self.str(args[0]);
  diagnostic.span = check.test->span;
  // The values of the plain variables in a failed comparison; evaluating anything else again might have
  // effects.
  if (auto* compare = syntax::as<syntax::Compare>(check.test)) {
    auto show = [&](const syntax::Expr* e) {
      const Any* value = peek(e, f);
      if (value == nullptr || is_object(*value)) return;
      diagnostic.notes.push_back(
          {fmt::format("`{}` is {}", ir::SourceMap::current().text(e->span), self.repr(*value)), {}});
    };
    show(compare->left);
    for (const syntax::Expr* e : compare->comparators) show(e);
  }
  Any exception = self.call(Any(exception_class("AssertionError")), args);
  set_context(as<InstanceNode>(exception));
  throw ScriptError(std::move(diagnostic), exception);
}

void State::recursion_error(ir::Span span) {
  raise(refusals["recursion-limit"], span);
}

volatile bool State::interrupted = false;

void State::stop(ir::Span span) {
  interrupted = false;
  ir::Error error = ir::interrupted().at(span);
  throw ScriptError(error.first(), self.call(Any(exception_class("KeyboardInterrupt")), {}));
}

bool Evaluator::interrupt() noexcept {
  bool before = State::interrupted;
  State::interrupted = true;
  return !before;
}
bool Evaluator::is_interrupted() noexcept { return State::interrupted; }
void Evaluator::clear_interrupt() noexcept { State::interrupted = false; }

}  // namespace mlc::script
