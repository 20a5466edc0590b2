// SPDX-License-Identifier: Apache-2.0
// repr() and str() of every value, as CPython writes them.
#include <charconv>
#include <cmath>

#include "frontend/script/core/machine.h"
#include "frontend/script/types/equality.h"
#include "frontend/script/types/letters.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/array_text.h"
#include "ir/core/ndarray.h"
#include "ir/target/device.h"

namespace mlc::script {

ffi::Tensor plain_tensor(const ffi::Tensor& tensor);  // tensor_api.cpp

// The shortest digits that read back as the same double, laid out by Python's rules.
std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  size_t e = text.find('e');
  std::string_view mantissa = text.substr(0, e);
  int exponent = 0;
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text[0] == '+') exponent_text.remove_prefix(1);
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  std::string sign, digits;
  for (char c : mantissa) {
    if (c == '-')
      sign = "-";
    else if (c != '.')
      digits += c;
  }
  if (exponent < -4 || exponent >= 16) {
    std::string result = sign + digits.substr(0, 1);
    if (digits.size() > 1) result += "." + digits.substr(1);
    return result + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

namespace {
// A character beyond ASCII as an escape.
std::string escaped(uint32_t point) {
  return point < 0x100     ? fmt::format("\\x{:02x}", point)
         : point < 0x10000 ? fmt::format("\\u{:04x}", point)
                           : fmt::format("\\U{:08x}", point);
}
}  // namespace

// A literal in single quotes, unless the text has some and no double ones.
static std::string literal(std::string_view text, bool bytes) {
  char mark =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, mark);
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c == '\\' || c == static_cast<unsigned char>(mark)) {
      result += '\\';
      result += static_cast<char>(c);
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c < 0x20 || c == 0x7f || (bytes && c >= 0x80)) {
      result += fmt::format("\\x{:02x}", c);
    } else if (c < 0x80) {
      result += static_cast<char>(c);
    } else {
      std::string_view rest = text.substr(i);
      uint32_t point = take_point(rest);
      size_t size = text.size() - i - rest.size();
      result += printable(point) ? std::string(text.substr(i, size)) : escaped(point);
      i += size - 1;
    }
  }
  return result + mark;
}
std::string quote(std::string_view text) { return literal(text, false); }

// With \x, \u and \U escapes for everything but ASCII.
std::string ascii_text(std::string_view whole) {
  std::string text;
  while (!whole.empty()) {
    uint32_t point = take_point(whole);
    point < 0x80 ? void(text += static_cast<char>(point)) : void(text += escaped(point));
  }
  return text;
}

namespace {

std::string address(const Any& value) {
  return fmt::format("{}", static_cast<const void*>(raw_object(value)));
}

// The containers being written now: one that contains itself is written as [...].
struct Writing {
  std::vector<const ffi::Object*>& open;
  bool again;
  Writing(std::vector<const ffi::Object*>& open, const Any& value) : open(open) {
    const ffi::Object* object = raw_object(value);
    again = std::find(open.begin(), open.end(), object) != open.end();
    open.push_back(object);
  }
  ~Writing() { open.pop_back(); }
};

std::string joined(Evaluator& evaluator, std::span<const Any> all) {
  std::string text;
  for (size_t i = 0; i < all.size(); ++i) {
    evaluator.state().check_interrupt();
    text += (i > 0 ? ", " : "") + evaluator.repr(all[i]);
  }
  return text;
}

std::string double_quoted(std::string_view whole) {
  std::string text = "\"";
  while (!whole.empty()) {
    uint32_t point = take_point(whole);
    if (point == '"' || point == '\\')
      text += std::string("\\") + static_cast<char>(point);
    else if (point == '\n' || point == '\r' || point == '\t')
      text += point == '\n' ? "\\n" : point == '\r' ? "\\r" : "\\t";
    else
      text += point >= 0x20 && point < 0x7f    ? std::string(1, static_cast<char>(point))
              : point >= 0x80 && point <= 0xff ? fmt::format("\\u{:04x}", point)
                                               : escaped(point);
  }
  return text + '"';
}

// A map or array of TVM as it shows them: strings have double quotes, floats six digits.
std::string container_text(Evaluator& evaluator, const Any& value) {
  if (is_str(value)) return double_quoted(text_of(value));
  if (is_bytes(value)) {
    std::string text = "b\"";
    for (unsigned char c : bytes_of(value)) {
      text += c < 0x20 || c >= 0x7f || c == '"' || c == '\\' ? fmt::format("\\x{:02x}", c)
                                                             : std::string(1, static_cast<char>(c));
    }
    return text + '"';
  }
  if (value.type_index() == kTVMFFIDataType) return ir::DataType(value.cast<DLDataType>()).str();
  if (value.type_index() == kTVMFFIDevice) return ir::device_text(value.cast<DLDevice>());
  if (value.type_index() == kTVMFFITensor) {
    auto tensor = value.cast<ffi::Tensor>();
    std::string shape;
    for (int64_t extent : tensor.shape()) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    return fmt::format("{}[{}]@{}", ir::DataType(tensor.dtype()).str(), shape,
                       ir::device_text(tensor.device()));
  }
  if (value.type_index() == kTVMFFIShape) {
    std::string text;
    for (const Any& extent : evaluator.elements_of(value))
      text += (text.empty() ? "" : ", ") + container_text(evaluator, extent);
    return "Shape(" + text + ")";
  }
  if (value.type_index() == kTVMFFIArray) {
    std::string text = "(";
    for (const Any& element : elements(value))
      text += (text.size() > 1 ? ", " : "") + container_text(evaluator, element);
    return text + (elements(value).size() == 1 ? ",)" : ")");
  }
  if (as<InstanceNode>(value) != nullptr && builtin_value_of(value).same_as(value))
    return "ffi.OpaquePyObject";
  if (is_float(value)) return fmt::format("{:g}", raw_float(value));
  if (value.type_index() != kTVMFFIMap) {
    const ir::Api* inside = ir::ApiRegistry::global().method(value.type_index(), "__ffi_repr__");
    if (inside == nullptr) return evaluator.repr(value);
    Any self = value;
    ir::ApiCall call{*inside, evaluator, std::span<Any>(&self, 1), {}, {}};
    return std::string(text_of(inside->row.body(call)));
  }
  std::string text = "{";
  for (const auto& [key, element] : *static_cast<ffi::MapBaseObj*>(raw_object(value))) {
    text += (text.size() > 1 ? ", " : "") + container_text(evaluator, plain_key(key)) + ": ";
    text += container_text(evaluator, element);
  }
  return text + "}";
}

}  // namespace

std::string Evaluator::repr(const Any& value) {
  switch (value.type_index()) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIBool:
      return raw_int(value) != 0 ? "True" : "False";
    case kTVMFFIInt:
      return std::to_string(raw_int(value));
    case kTVMFFIFloat:
      return float_repr(raw_float(value));
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return quote(text_of(value));
    case kTVMFFISmallBytes:
    case kTVMFFIBytes: {
      auto bytes = value.cast<ffi::Bytes>();
      return "b" + literal({bytes.data(), bytes.size()}, true);
    }
    case kTVMFFIDataType:
      return fmt::format("dtype('{}')", ir::DataType(value.cast<DLDataType>()).str());
    default:
      break;
  }
  if (!is_object(value)) return str_of_plain(value);
  if (as_wide(value) != nullptr) return whole_text(value);
  if (writing_.size() > 900) state_->recursion_error();
  switch (value.type_index()) {
    case kTVMFFIList: {
      Writing writing(writing_, value);
      return writing.again ? "[...]" : "[" + joined(*this, elements(value)) + "]";
    }
    case kTVMFFIArray: {
      if (!Tuple::is(value)) return container_text(*this, value);
      Writing writing(writing_, value);
      std::span<Any> all = elements(value);
      return writing.again ? "(...)" : "(" + joined(*this, all) + (all.size() == 1 ? ",)" : ")");
    }
    case kTVMFFIShape: {
      std::vector<Any> all = elements_of(value);
      return "(" + joined(*this, all) + (all.size() == 1 ? ",)" : ")");
    }
    case kTVMFFIMap:
      return container_text(*this, value);
    case kTVMFFIDict: {
      Writing writing(writing_, value);
      if (writing.again) return "{...}";
      std::string text = "{";
      for (const auto& [key, element] : *static_cast<ffi::MapBaseObj*>(raw_object(value))) {
        text += (text.size() > 1 ? ", " : "") + repr(plain_key(key)) + ": " + repr(element);
      }
      return text + "}";
    }
    case kTVMFFITensor:
      return ir::array_text(plain_tensor(value.cast<ffi::Tensor>()), ir::ArrayStyle::kTensorRepr);
    case kTVMFFIFunction:
      return "ffi.Function";
    default:
      break;
  }
  if (auto* instance = as<InstanceNode>(value)) {
    Any result;
    if (state_->special(value, known().repr, {}, result, {})) {
      if (!is_str(result)) {
        raise("TypeError", {}, "wrong-type", "__repr__ returned non-string (type {})",
              type_name_of(*this, result));
      }
      return std::string(text_of(result));
    }
    if (instance->cls->is_exception) {
      const Any* args = instance->own(known().args);
      std::string inner = args == nullptr ? "" : joined(*this, elements(*args));
      const std::string& qualified =
          instance->cls->name;  // `C.f.<locals>.E`; the last part is the class's own name
      return qualified.substr(qualified.rfind('.') + 1) + "(" + inner + ")";
    }
    return "<" + instance->cls->module + "." + instance->cls->name + " object at " + address(value) + ">";
  }
  if (auto* set = as<SetNode>(value)) {
    Writing writing(writing_, value);
    std::string name = set->frozen ? "frozenset" : "set";
    if (writing.again) return name + "(...)";
    if (set->used == 0) return name + "()";
    std::string inner = "{" + joined(*this, set->elements()) + "}";
    return set->frozen ? "frozenset(" + inner + ")" : inner;
  }
  if (auto* range = as<RangeNode>(value)) {
    return range->step == 1 ? fmt::format("range({}, {})", range->start, range->stop)
                            : fmt::format("range({}, {}, {})", range->start, range->stop, range->step);
  }
  if (as<FunctionNode>(value) != nullptr)
    return "<function " + str(attribute(value, known().qualname)) + " at " + address(value) + ">";
  if (auto* cls = as<ClassNode>(value)) {
    Any made;
    if (cls->metaclass && state_->special(value, known().repr, {}, made, {}) && is_str(made))
      return std::string(text_of(made));
    return cls->shown();
  }
  if (auto* api = as<ApiFunctionNode>(value)) {
    if (api->api->row.kind == ir::ApiKind::kClass) {
      return fmt::format("<class '{}'>", api->api->row.shown_as.empty() ? std::string_view(api->api->path())
                                                                        : api->api->row.shown_as);
    }
    return "<function " + api->api->name + " at " + address(value) + ">";
  }
  if (auto* builtin = as<BuiltinNode>(value)) {
    return builtin->owner.empty()
               ? fmt::format("<built-in function {}>", builtin->row->name)
               : fmt::format("<method '{}' of '{}' objects>", builtin->row->name, builtin->owner);
  }
  if (auto* bound = as<BoundMethodNode>(value)) {
    if (auto* builtin = as<BuiltinNode>(bound->callee)) {
      return fmt::format("<built-in method {} of {} object at {}>", builtin->row->name,
                         type_name_of(*this, bound->self), address(value));
    }
    auto* fn = as<FunctionNode>(bound->callee);
    std::string name = fn != nullptr                        ? fn->info->qualified_name
                       : as<ApiFunctionNode>(bound->callee) ? as<ApiFunctionNode>(bound->callee)->api->path()
                                                            : "method";
    return "<bound method " + name + " of " + repr(bound->self) + ">";
  }
  if (auto* slice = as<SliceNode>(value)) {
    return "slice(" + repr(slice->start) + ", " + repr(slice->stop) + ", " + repr(slice->step) + ")";
  }
  if (auto* module = as<ModuleNode>(value)) return "<module '" + module->name + "'>";
  if (auto* module = as<ApiModuleNode>(value)) return "<module '" + module->path + "'>";
  if (auto* singleton = as<SingletonNode>(value)) return std::string(singleton->name);
  if (auto* view = as<DictViewNode>(value)) {
    // TVM's attributes list their names.
    if (view->kind == DictViewNode::Kind::kKeys && view->dict.type_index() == kTVMFFIMap)
      return "[" + joined(*this, elements_of(value)) + "]";
    std::string_view name = view->kind == DictViewNode::Kind::kKeys     ? "dict_keys"
                            : view->kind == DictViewNode::Kind::kValues ? "dict_values"
                                                                        : "dict_items";
    return std::string(name) + "([" + joined(*this, elements_of(value)) + "])";
  }
  if (auto* array = as<ir::NDArrayNode>(value)) return ir::array_text(array->tensor, ir::ArrayStyle::kRepr);
  if (as<PropertyNode>(value)) return fmt::format("<property object at {}>", address(value));
  if (auto* fixed = as<StaticMethodNode>(value))
    return fmt::format("<{}({})>", fixed->takes_class ? "classmethod" : "staticmethod", repr(fixed->callee));
  if (auto* super = as<SuperNode>(value))
    return "<super: " + super->after->shown() + ", " + repr(super->self) + ">";
  if (value_as_iterator(value)) return iterator_text(*this, value, address(value));
  if (std::optional<std::string> scalar = numpy_scalar_text(value, true)) return *scalar;
  if (std::optional<std::string> compared = equality_text(*this, value)) return *compared;
  for (std::string_view name : {"__repr__", "__str__"}) {
    Any text;
    if (state_->registered(value, name, {}, text, {}) && is_str(text)) return std::string(text_of(text));
  }
  return str_of_object(value);
}

std::string Evaluator::str(const Any& value) {
  if (is_str(value)) return std::string(text_of(value));
  if (value.type_index() == kTVMFFIList || value.type_index() == kTVMFFIArray ||
      value.type_index() == kTVMFFIDict)
    return repr(value);
  if (value.type_index() == kTVMFFIDataType) return ir::DataType(value.cast<DLDataType>()).str();
  if (!is_object(value) && value.type_index() != kTVMFFIDevice) return repr(value);
  if (value.type_index() == kTVMFFITensor)
    return ir::array_text(plain_tensor(value.cast<ffi::Tensor>()), ir::ArrayStyle::kStr);
  if (auto* instance = as<InstanceNode>(value)) {
    Any result;
    if (state_->special(value, known().str, {}, result, {})) {
      if (!is_str(result)) {
        raise("TypeError", {}, "wrong-type", "__str__ returned non-string (type {})",
              type_name_of(*this, result));
      }
      return std::string(text_of(result));
    }
    if (instance->cls->is_exception && instance->cls->find(known().repr) == nullptr)
      return state_->exception_text(value);
    return repr(value);
  }
  if (auto* array = as<ir::NDArrayNode>(value)) return ir::array_text(array->tensor, ir::ArrayStyle::kStr);
  if (std::optional<std::string> scalar = numpy_scalar_text(value, false)) return *scalar;
  if (std::optional<std::string> compared = equality_text(*this, value)) return *compared;
  Any text;
  if (state_->registered(value, "__str__", {}, text, {}) && is_str(text)) return std::string(text_of(text));
  return repr(value);
}

// An object of another room that has registered no text: its type and fields.
std::string Evaluator::str_of_object(const Any& value) {
  std::string text = type_name_of(*this, value) + "(";
  Writing writing(writing_, value);
  if (writing.again || writing_.size() > 6) return text + "...)";
  bool first = true;
  for (const std::string& name : object_fields(value.type_index())) {
    Any field;
    if (name == "span" || !object_field(value, Symbol(name), field)) continue;
    if (!first) text += ", ";
    first = false;
    text += name + "=" + repr(field);
  }
  return text + ")";
}

std::string Evaluator::str_of_plain(const Any& value) {
  if (value.type_index() == kTVMFFIDevice) {
    auto device = value.cast<DLDevice>();
    return fmt::format("device(type='{}', index={})", ir::device_name(device.device_type), device.device_id);
  }
  return "<" + value.GetTypeKey() + ">";
}

}  // namespace mlc::script
