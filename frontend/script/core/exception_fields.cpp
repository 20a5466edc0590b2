// SPDX-License-Identifier: Apache-2.0
// What exceptions keep beside their attributes: args, cause, context and traceback, errno of OSError, the
// name of NameError. They are properties of BaseException, so that they are checked when a program sets them.
#include <algorithm>
#include <cerrno>

#include "frontend/script/modules/paths.h"
#include "frontend/script/modules/traceback.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "not-an-exception",
         .message = "exception {} must be None or derive from BaseException"},
    }};
MLC_REFUSALS(core_exception_fields, refusals);

using State = Evaluator::State;

namespace {

InstanceNode* exception_at(const Arguments& args) {
  auto* instance = as<InstanceNode>(args[0]);
  if (instance == nullptr || !instance->cls->is_exception)
    raise("TypeError", args.span, "wrong-type", "descriptor of BaseException doesn't apply to this object");
  return instance;
}
Any own_or_none(InstanceNode* exception, Symbol name) {
  const Any* own = exception->own(name);
  return own == nullptr ? Any(nullptr) : *own;
}

Any get_args(Evaluator&, const Arguments& args) {
  const Any* own = exception_at(args)->own(known().args);
  return own == nullptr ? Any(Tuple()) : *own;
}
Any set_args(Evaluator& evaluator, const Arguments& args) {
  std::vector<Any> all = evaluator.elements_of(args[1], args.span);
  exception_at(args)->set(known().args, Tuple(all.begin(), all.end()));
  return nullptr;
}
Any get_cause(Evaluator&, const Arguments& args) { return own_or_none(exception_at(args), known().cause); }
Any get_context(Evaluator&, const Arguments& args) {
  return own_or_none(exception_at(args), known().context);
}
void check_exception(const Any& value, std::string_view what, ir::Span span) {
  auto* instance = as<InstanceNode>(value);
  if (is_none(value) || (instance != nullptr && instance->cls->is_exception)) return;
  raise(refusals["not-an-exception"], span, what);
}
Any set_cause(Evaluator&, const Arguments& args) {
  check_exception(args[1], "cause", args.span);
  exception_at(args)->set(known().cause, args[1]);
  exception_at(args)->set(known().suppress_context, true);
  return nullptr;
}
Any set_context(Evaluator&, const Arguments& args) {
  check_exception(args[1], "context", args.span);
  exception_at(args)->set(known().context, args[1]);
  return nullptr;
}
Any get_traceback(Evaluator&, const Arguments& args) {
  InstanceNode* exception = exception_at(args);
  if (const Any* own = exception->own(known().traceback)) return *own;
  if (!exception->raised_at) return nullptr;
  return make_traceback(*exception);
}
Any set_traceback(Evaluator&, const Arguments& args) {
  auto* instance = as<InstanceNode>(args[1]);
  if (!is_none(args[1]) && (instance == nullptr || !is_traceback(*instance)))
    raise("TypeError", args.span, "wrong-type", "__traceback__ must be a traceback or None");
  exception_at(args)->set(known().traceback, args[1]);
  return nullptr;
}

constexpr BuiltinRow exception_fields_table[] = {
    {"args", "(self)", "The arguments.", get_args, 1, 1},
    {"args", "(self, value)", "Sets the arguments.", set_args, 2, 2},
    {"__cause__", "(self)", "The cause.", get_cause, 1, 1},
    {"__cause__", "(self, value)", "Sets the cause.", set_cause, 2, 2},
    {"__context__", "(self)", "What was handled.", get_context, 1, 1},
    {"__context__", "(self, value)", "Sets what was handled.", set_context, 2, 2},
    {"__traceback__", "(self)", "Where it was raised.", get_traceback, 1, 1},
    {"__traceback__", "(self, value)", "Sets where it was raised.", set_traceback, 2, 2},
};

bool derives(const ClassNode& cls, std::string_view base) {
  return cls.derives_from(exception_classes().at(std::string(base)).get());
}

}  // namespace

const char* class_of_errno(int64_t number) {
  static constexpr std::pair<int, const char*> classes[] = {
      {EEXIST, "FileExistsError"},     {ENOENT, "FileNotFoundError"}, {EISDIR, "IsADirectoryError"},
      {ENOTDIR, "NotADirectoryError"}, {EACCES, "PermissionError"},   {EPERM, "PermissionError"},
      {ETIMEDOUT, "TimeoutError"},
  };
  for (const auto& [known_number, name] : classes)
    if (number == known_number) return name;
  return "OSError";
}

void add_exception_fields(ClassNode* base_exception) {
  for (size_t i = 0; i < std::size(exception_fields_table); i += 2) {
    base_exception->set(Symbol(exception_fields_table[i].name),
                        Any(ir::make<PropertyNode>(builtin_value(&exception_fields_table[i], ""),
                                                   builtin_value(&exception_fields_table[i + 1], ""), Any(nullptr))));
  }
}

void set_exception_args(InstanceNode* exception, std::span<const Any> args) {
  static thread_local const ClassNode* os_error = exception_classes().at("OSError").get();
  // A file name, behind number and text, is kept apart.
  if (args.size() >= 3 && args.size() <= 5 && exception->cls->derives_from(os_error)) {
    exception->set(known().filename, args[2]);
    args = args.first(2);
  }
  exception->set(known().args, Tuple(args.begin(), args.end()));
}

// "[Errno 2] No such file or directory: 'x'" as the number, the text and the name.
void set_os_error(InstanceNode* exception, std::string_view message) {
  constexpr std::string_view begin = "[Errno ";
  size_t close = message.find("] ");
  if (!message.starts_with(begin) || close == std::string_view::npos) return;
  int64_t number = 0;
  for (char c : message.substr(begin.size(), close - begin.size())) {
    if (c < '0' || c > '9') return;
    number = number * 10 + (c - '0');
  }
  std::string_view text = message.substr(close + 2), name;
  if (size_t colon = text.find(": '"); colon != std::string_view::npos && text.ends_with('\'')) {
    name = text.substr(colon + 3, text.size() - colon - 4);
    text = text.substr(0, colon);
  }
  exception->set(known().args, Tuple{number, str_value(text)});
  if (!name.empty()) exception->set(known().filename, str_value(name));
}

Any construct_exception(Evaluator& evaluator, const Ref<ClassNode>& cls, const Arguments& args) {
  static thread_local const ClassNode* os_error = exception_classes().at("OSError").get();
  Ref<ClassNode> made_of = cls;
  if (cls.get() == os_error && args.size() >= 2 && args.size() <= 5 && is_int(args[0])) {
    made_of = exception_classes().at(class_of_errno(raw_int(args[0])));
  }
  Ref<InstanceNode> made = ir::make<InstanceNode>(made_of);
  auto* exception = const_cast<InstanceNode*>(made.get());
  set_exception_args(exception, args.positional);
  for (const auto& [name, value] : args.keywords) {
    bool named = derives(*cls, "ImportError") || derives(*cls, "AttributeError") || derives(*cls, "NameError");
    if (!named || (name != "name" && name != "path" && name != "obj"))
      raise("TypeError", args.span, "unknown-keyword", "{}() takes no keyword argument '{}'", cls->short_name(), name);
    exception->set(Symbol(name), value);
  }
  return Any(made);
}

// "[Errno 2] No such file or directory: 'x'" of an OSError with a number; false for other exceptions.
bool os_error_text(Evaluator& evaluator, InstanceNode* exception, std::string& text) {
  static thread_local const ClassNode* os_error = exception_classes().at("OSError").get();
  std::span<Any> all = elements(*exception->own(known().args));
  if (all.size() != 2 || !exception->cls->derives_from(os_error)) return false;
  text = fmt::format("[Errno {}] {}", evaluator.str(all[0]), evaluator.str(all[1]));
  if (const Any* name = exception->own(known().filename); name != nullptr && !is_none(*name))
    text += ": " + evaluator.repr(*name);
  return true;
}

namespace {

// The last name in quotes of a message.
Any quoted_name(std::string_view message) {
  size_t end = message.rfind('\'');
  size_t begin = end == std::string_view::npos || end == 0 ? end : message.rfind('\'', end - 1);
  if (begin == std::string_view::npos) return nullptr;
  return str_value(message.substr(begin + 1, end - begin - 1));
}

}  // namespace

bool exception_field(InstanceNode* exception, Symbol name, Any& out) {
  std::string_view text = name.str();
  const ClassNode& cls = *exception->cls;
  if (name == known().suppress_context) {
    out = false;
    return true;
  }
  const Any* args = exception->own(known().args);
  if (args == nullptr || args->type_index() != kTVMFFIArray) return false;
  std::span<Any> all = elements(*args);
  if ((text == "value" && derives(cls, "StopIteration")) || (text == "code" && derives(cls, "SystemExit"))) {
    out = all.empty() ? Any(nullptr) : text == "code" && all.size() > 1 ? *args : all[0];
    return true;
  }
  if ((text == "errno" || text == "strerror" || text == "filename") &&
      derives(cls, "OSError")) {
    bool numbered = all.size() == 2;
    out = !numbered ? Any(nullptr) : text == "errno" ? all[0] : text == "strerror" ? all[1] : Any(nullptr);
    return true;
  }
  bool named = derives(cls, "AttributeError") || derives(cls, "NameError") || derives(cls, "ImportError");
  if (text == "name" && named) {
    out = exception->diagnostics.empty() ? Any(nullptr) : quoted_name(exception->diagnostics.front().message);
    return true;
  }
  return false;
}

}  // namespace mlc::script
