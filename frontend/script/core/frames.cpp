// SPDX-License-Identifier: Apache-2.0
// Traceback, frame and code objects: what an exception's way through the program looks like to the program.
// Only the frames that an error has left are known, and of each its function and place; what lies in the
// library is not among them.
#include <utility>

#include "frontend/script/modules/traceback.h"
#include "frontend/script/numpy/array.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

const Ref<ClassNode>& traceback_class() {
  static thread_local const Ref<ClassNode> type = new_class("traceback");
  return type;
}
const Ref<ClassNode>& frame_class() {
  static thread_local const Ref<ClassNode> type = new_class("frame");
  return type;
}
// "Point.area" of a report is `area` here.
std::string_view last_name(std::string_view name) {
  return name.starts_with('<') ? name : name.substr(name.rfind('.') + 1);
}

Any object_of(const Ref<ClassNode>& cls, std::initializer_list<std::pair<const char*, Any>> attributes) {
  Ref<InstanceNode> made = ir::make<InstanceNode>(cls);
  auto* object = const_cast<InstanceNode*>(made.get());
  for (const auto& [name, value] : attributes) object->set(Symbol(name), value);
  return Any(made);
}

// `next`: the traceback of the frame that this one called.
Any traceback_at(std::string_view function, ir::Span span, Any next) {
  const ir::SourceMap& sources = ir::SourceMap::current();
  ir::Position begin = sources.position(span.file, span.begin), end = sources.position(span.file, span.end);
  auto line = static_cast<int64_t>(begin.line);
  Any code = object_of(code_class(), {{"co_name", str_value(last_name(function))},
                                      {"co_filename", str_value(sources.file(span.file).name)},
                                      {"co_firstlineno", line}});
  Any frame = object_of(frame_class(), {{"f_code", code},
                                        {"f_lineno", line},
                                        {"f_back", nullptr},
                                        {"_line", str_value(sources.file(span.file).line(begin.line))}});
  if (auto* inner = as<InstanceNode>(next))
    as<InstanceNode>(*inner->own(Symbol("tb_frame")))->set(Symbol("f_back"), frame);
  return object_of(traceback_class(),
                   {{"tb_frame", frame},
                    {"tb_lineno", line},
                    {"tb_lasti", int64_t{-1}},
                    {"tb_next", std::move(next)},
                    {"_end", Tuple{static_cast<int64_t>(begin.column) - 1, static_cast<int64_t>(end.line),
                                   static_cast<int64_t>(end.column) - 1}}});
}

// The text of a file that was read, by the name that tracebacks show; None when there is none.
Any source_text(ApiCall& call, const std::string& name) {
  const auto& trees = evaluator_of(call.host).state().trees;
  for (size_t i = trees.size(); i-- > 0;) {
    const ir::SourceFile& file = ir::SourceMap::current().file(trees[i]->file);
    if (file.name == name) return str_value(file.text);
  }
  return nullptr;
}

// Where a function or class of the program is defined: file, first and last line with its decorators, and the
// lines.
Any definition_of(const Any& value) {
  ir::Span span;
  if (auto* fn = as<FunctionNode>(value)) span = fn->info->text;
  if (auto* cls = as<ClassNode>(value)) span = cls->text;
  if (!span) return nullptr;
  const ir::SourceMap& sources = ir::SourceMap::current();
  ir::Position begin = sources.position(span.file, span.begin);
  ir::Position end = sources.position(span.file, span.end > span.begin ? span.end - 1 : span.end);
  List lines;
  for (uint32_t line = begin.line; line <= end.line; ++line)
    lines.push_back(str_value(std::string(sources.file(span.file).line(line)) + "\n"));
  return Tuple{str_value(sources.file(span.file).name), static_cast<int64_t>(begin.line),
               static_cast<int64_t>(end.line), lines};
}

// The parameters of a function of the library that is no program: name, kind in the order of inspect's, and the
// default in a tuple, which is empty without one. None for what has a `__code__`.
Any parameters_of(const Any& value) {
  auto* function = as<ApiFunctionNode>(value);
  if (function == nullptr) return nullptr;
  using Kind = ir::ApiParam::Kind;
  List all;
  for (const ir::ApiParam& param : function->api->params) {
    int64_t kind = param.kind == Kind::kPositional    ? 1
                   : param.kind == Kind::kVarArgs     ? 2
                   : param.kind == Kind::kKeywordOnly ? 3
                                                      : 4;
    Tuple fallback;
    if (param.has_default) fallback.push_back(param.default_value);
    all.push_back(Tuple{str_value(param.name), kind, fallback});
  }
  return all;
}

Any register_subclass(const Any& base, const Any& derived) {
  // What counts as derived from a class counts as derived from its bases.
  for (ClassNode* each : as<ClassNode>(base)->mro)
    if (each->metaclass) each->registered.push_back(ir::ref(as<ClassNode>(derived)));
  ClassNode::any_registered = true;
  return nullptr;
}

const ir::ApiRow frames_table[] = {
    {ApiKind::kFunction, "mlc", "source_text(name)", "The text of a file of the program: for inspect.",
     native(calls<source_text>)},
    {ApiKind::kFunction, "mlc", "definition_of(value)",
     "File, first and last line, and lines of a function or class of a program: for inspect.",
     native(calls<definition_of>)},
    {ApiKind::kFunction, "mlc", "parameters_of(value)",
     "Name, kind and default of each parameter of a function that is no program: for inspect.",
     native(calls<parameters_of>)},
    {ApiKind::kFunction, "mlc", "register_subclass(base, derived)",
     "Lets a class count as derived from another: for abc.", native(calls<register_subclass>)},
};

}  // namespace

std::span<const ir::ApiRow> frame_rows() { return frames_table; }

Any make_traceback(const InstanceNode& exception) {
  std::string_view outermost = exception.caught_in ? exception.caught_in.str() : "<module>";
  if (exception.passed.empty()) return traceback_at(outermost, exception.raised_at, nullptr);
  // Each call says which function was left, and where its caller stood.
  Any made = traceback_at(exception.passed.front().how == ir::PassedCall::How::kImported
                              ? "<module>"
                              : std::string_view(exception.passed.front().function),
                          exception.raised_at, nullptr);
  size_t left_out = 0;  // calls between the frame made last and the next one
  for (size_t i = 0; i < exception.passed.size(); ++i) {
    const ir::PassedCall& call = exception.passed[i];
    if (!call.span) continue;
    std::string_view around = outermost;
    if (call.left_out > 0) {
      around = "<not kept>";
    } else if (i + 1 < exception.passed.size()) {
      const ir::PassedCall& next = exception.passed[i + 1];
      around = next.how == ir::PassedCall::How::kImported ? "<module>" : std::string_view(next.function);
    }
    // Calls of one function from one place are counted, and stand here again.
    for (size_t again = 0; again <= call.again; ++again) {
      made = traceback_at(again < call.again ? std::string_view(call.function) : around, call.span,
                          std::move(made));
      if (left_out == 0) continue;
      as<InstanceNode>(*as<InstanceNode>(made)->own(Symbol("tb_frame")))
          ->set(Symbol("_left_out"), static_cast<int64_t>(std::exchange(left_out, 0)));
    }
    left_out = call.left_out;
  }
  return made;
}

const Ref<ClassNode>& code_class() {
  static thread_local const Ref<ClassNode> type = new_class("code");
  return type;
}

bool is_traceback(const InstanceNode& object) { return object.cls.get() == traceback_class().get(); }

}  // namespace mlc::script
