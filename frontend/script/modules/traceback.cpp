// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/modules/traceback.h"

#include <algorithm>

#include "frontend/script/core/generator.h"
#include "ir/core/ndarray.h"

namespace mlc::script {

using State = Evaluator::State;

bool stands_in_library(ir::Span span) {
  return span && ir::SourceMap::current().file(span.file).name.starts_with("<stdlib>/");
}

namespace {

constexpr size_t kMostText = 60;        // bytes of a value's text, about
constexpr size_t kMostString = 40;      // bytes of a str
constexpr size_t kMostElements = 6;     // of a container
constexpr size_t kMostParameters = 4;   // of a call
constexpr size_t kMostAttributes = 3;   // of an object
constexpr size_t kMostExpression = 30;  // bytes of an expression that is quoted beside its value

// Writes values until there is no room left.
class Writer {
 public:
  explicit Writer(Evaluator& evaluator) : evaluator_(evaluator) {}

  void write(const Any& value, int depth) {
    switch (value.type_index()) {
      case kTVMFFINone:
        out += "None";
        return;
      case kTVMFFIBool:
      case kTVMFFIInt:
      case kTVMFFIFloat:
        out += evaluator_.repr(value);
        return;
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return text(text_of(value));
      case kTVMFFIList:
        return sequence(elements(value), '[', ']', depth);
      case kTVMFFIArray:
        return sequence(elements(value), '(', ')', depth);
      case kTVMFFIDict:
        return dict(value, depth);
      default:
        if (is_object(value) || is_bytes(value)) return object(value, depth);
        out += type_name_of(evaluator_, value);
    }
  }

  std::string out;

 private:
  bool full() const { return out.size() > kMostText; }

  void text(std::string_view all) {
    if (all.size() <= kMostString) {
      out += quote(all);
      return;
    }
    size_t end = kMostString;
    while (end > 0 && (static_cast<unsigned char>(all[end]) & 0xC0) == 0x80) --end;
    out += fmt::format("{}... of {} characters", quote(all.substr(0, end)), utf8_length(all));
  }

  void sequence(std::span<const Any> all, char open, char close, int depth) {
    if (depth == 0 && !all.empty()) {
      out += fmt::format("{}...{}", open, close);
      return;
    }
    out += open;
    size_t shown = 0;
    for (; shown < all.size() && shown < kMostElements && !full(); ++shown) {
      if (shown > 0) out += ", ";
      write(all[shown], depth - 1);
    }
    if (shown < all.size()) out += ", ...";
    if (open == '(' && all.size() == 1) out += ',';
    out += close;
    if (shown < all.size()) out += fmt::format(" of {} elements", all.size());
  }

  void dict(const Any& value, int depth) {
    auto* map = static_cast<ffi::MapBaseObj*>(raw_object(value));
    if (depth == 0 && map->size() > 0) {
      out += "{...}";
      return;
    }
    out += '{';
    size_t shown = 0;
    for (const auto& [key, element] : *map) {
      if (shown == kMostElements || full()) break;
      if (shown++ > 0) out += ", ";
      write(plain_key(key), depth - 1);
      out += ": ";
      write(element, depth - 1);
    }
    out += shown < map->size() ? fmt::format(", ...}} of {} keys", map->size()) : "}";
  }

  void array(const ir::NDArrayNode& array, const Any& value) {
    Any number = plain_number(value);
    if (!is_object(number)) return write(number, 0);
    std::string shape;
    for (int i = 0; i < array.tensor.ndim(); ++i)
      shape += fmt::format("{}{}", i > 0 ? ", " : "", array.tensor.size(i));
    if (array.tensor.ndim() == 1) shape += ',';
    out += fmt::format("an array of {}, shape ({})", ir::DataType(array.tensor.dtype()).str(), shape);
  }

  void instance(const InstanceNode& instance, int depth) {
    if (!is_none(instance.payload)) return write(instance.payload, depth);
    out += "<" + instance.cls->name;
    size_t shown = 0;
    for (const auto& [name, value] : instance.attributes) {
      bool plain = !is_object(value) || is_str(value);
      if (!plain || is_unbound(value) || depth == 0) continue;
      if (shown++ == kMostAttributes || full()) break;
      out += fmt::format(" {}=", name.str());
      write(value, 0);
    }
    out += '>';
  }

  void object(const Any& value, int depth) {
    if (auto* made = as<InstanceNode>(value)) return instance(*made, depth);
    if (auto* all = as<SetNode>(value)) {
      std::vector<Any> parts = all->elements();
      if (parts.empty()) {
        out += "set()";
      } else {
        sequence(parts, '{', '}', depth);
      }
      return;
    }
    if (auto* data = as<ir::NDArrayNode>(value)) return array(*data, value);
    if (auto* fn = as<FunctionNode>(value)) {
      out += fmt::format("the function `{}`", fn->info->name);
    } else if (auto* builtin = as<BuiltinNode>(value)) {
      out += fmt::format("the builtin `{}`", builtin->row->name);
    } else if (auto* cls = as<ClassNode>(value)) {
      out += fmt::format("the class `{}`", cls->name);
    } else if (auto* module = as<ModuleNode>(value)) {
      out += fmt::format("the module `{}`", module->name);
    } else if (auto* library = as<ApiModuleNode>(value)) {
      out += fmt::format("the module `{}`", library->path);
    } else if (auto* api = as<ApiFunctionNode>(value)) {
      out += fmt::format("`{}`", api->api->path());
    } else if (as<RangeNode>(value) != nullptr) {
      out += evaluator_.repr(value);
    } else {
      std::string type = type_name_of(evaluator_, value);
      bool vowel = !type.empty() && std::string_view("AEIOUaeiou").find(type[0]) != std::string_view::npos;
      out += fmt::format("{} `{}`", vowel ? "an" : "a", type);
    }
  }

  Evaluator& evaluator_;
};

// Values that a few words say something about; of objects of the IR there would be only the type.
bool is_short(const Any& value, int depth = 2) {
  if (is_unbound(value)) return false;
  if (!is_object(value) || is_str(value)) return true;
  int32_t type = value.type_index();
  if (type == kTVMFFIList || type == kTVMFFIArray) {
    std::span<Any> all = elements(value);
    return depth > 0 &&
           std::all_of(all.begin(), all.begin() + static_cast<ptrdiff_t>(std::min(all.size(), kMostElements)),
                       [&](const Any& each) { return is_short(each, depth - 1); });
  }
  return type == kTVMFFIDict || as<SetNode>(value) != nullptr || as<InstanceNode>(value) != nullptr ||
         as<ir::NDArrayNode>(value) != nullptr || as<RangeNode>(value) != nullptr;
}
bool is_named(const Any& value) {
  return as<FunctionNode>(value) != nullptr || as<BuiltinNode>(value) != nullptr ||
         as<ClassNode>(value) != nullptr || as<ModuleNode>(value) != nullptr;
}

std::string values_of(Evaluator& evaluator, const Frame& frame) {
  const FunctionInfo& info = *frame.info;
  std::string text;
  size_t shown_parameters = 0;
  bool method = frame.function != nullptr && as<ClassNode>(frame.function->owner) != nullptr;
  for (size_t i = 0; i < info.parameters.size() && shown_parameters < kMostParameters; ++i) {
    std::string_view name = info.parameters[i].str();
    if (name.starts_with('.') || (i == 0 && method && (name == "self" || name == "cls"))) continue;
    const Any* value = &frame.slots[i];
    if (auto* cell = as<CellNode>(*value)) value = &cell->value;
    if (!is_short(*value)) continue;
    text += fmt::format("{}{} is {}", shown_parameters++ > 0 ? ", " : "", name, shown(evaluator, *value));
  }
  return text;
}

std::string name_of(const FunctionInfo& info) {
  bool local = info.qualified_name.find('<') != std::string::npos;
  return local || info.qualified_name.empty() ? info.name : info.qualified_name;
}

bool is_literal(const syntax::Expr* expr) {
  if (expr->kind == syntax::ExprKind::kConstant || expr->kind == syntax::ExprKind::kJoinedStr) return true;
  if (auto* unary = syntax::as<syntax::UnaryOp>(expr)) return is_literal(unary->operand);
  if (auto* list = syntax::as<syntax::List>(expr))
    return std::all_of(list->elts.begin(), list->elts.end(), is_literal);
  if (auto* tuple = syntax::as<syntax::Tuple>(expr))
    return std::all_of(tuple->elts.begin(), tuple->elts.end(), is_literal);
  return false;
}

}  // namespace

std::string shown(Evaluator& evaluator, const Any& value) {
  Writer writer(evaluator);
  writer.write(value, 2);
  return std::move(writer.out);
}

void left_function(ir::Error& error, Evaluator& evaluator, const Frame& frame, ir::Span span,
                   ir::PassedCall::How how) {
  ir::Diagnostic& first = error.first();
  const FunctionInfo& info = *frame.info;
  if (!first.span) {
    first.span = span;
    return;
  }
  if (info.module != nullptr && stands_in_library(info.expr != nullptr ? info.expr->span : info.span)) {
    if (!stands_in_library(span)) left_builtin(error, info.name, span);
    return;
  }
  if (stands_in_library(span)) span = {};
  if (!first.calls.empty() && first.calls.back().span && first.calls.back().span == span &&
      first.calls.back().function == name_of(info)) {
    error.passed({first.calls.back().function, how, span, "", ""});  // only counted
    return;
  }
  error.passed({name_of(info), how, span, "", values_of(evaluator, frame)});
}

void left_builtin(ir::Error& error, std::string_view name, ir::Span span) {
  ir::Diagnostic& first = error.first();
  if (!first.span) {
    first.span = span;
    return;
  }
  if (!span || stands_in_library(span)) return;
  if (stands_in_library(first.span)) first.span = span;
  if (first.calls.empty() || first.calls.back().span) return;
  first.calls.back().span = span;
  if (!name.starts_with("__")) first.calls.back().by = name;
}

void note_values(ir::Error& error, Evaluator& evaluator, ir::Span span, std::initializer_list<Part> parts) {
  ir::Diagnostic& first = error.first();
  if (first.span != span || !first.calls.empty()) return;
  std::string text;
  for (const Part& part : parts) {
    if (part.expr == nullptr || is_literal(part.expr)) continue;
    if (!is_short(part.value) && !is_named(part.value)) continue;
    std::string_view source = ir::SourceMap::current().text(part.expr->span);
    std::string value = shown(evaluator, part.value);
    if (source == value) continue;
    // `a + a`: once.
    if (!text.empty() && source == ir::SourceMap::current().text(parts.begin()->expr->span)) continue;
    if (!text.empty()) text += ", ";
    if (source.size() <= kMostExpression && source.find('\n') == std::string_view::npos) {
      text += fmt::format("`{}` is {}", source, value);
    } else {
      text += fmt::format("{} is {}", &part == parts.begin() ? "the left side" : "the right side", value);
    }
  }
  if (!text.empty()) first.notes.push_back({std::move(text), {}});
}

}  // namespace mlc::script
