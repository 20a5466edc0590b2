// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/hints.h"

#include <algorithm>

#include "frontend/script/modules/traceback.h"
#include "frontend/syntax/walk.h"
#include "ir/core/ndarray.h"

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree

namespace {

// Methods that change their object and return None.
constexpr std::string_view kInPlace[] = {"add",    "append",  "clear",   "discard", "extend", "insert",
                                         "remove", "reverse", "shuffle", "sort",    "update"};

std::string_view in_place_method(const Expr* expr) {
  auto* call = syntax::as<Call>(expr);
  auto* method = call == nullptr ? nullptr : syntax::as<Attribute>(call->func);
  if (method == nullptr) return "";
  std::string_view name = method->attr.str();
  return std::find(std::begin(kInPlace), std::end(kInPlace), name) != std::end(kInPlace) ? name
                                                                                         : std::string_view();
}

// An expression as it may be quoted, or "" where it is long.
std::string source_of(const Expr* expr) {
  std::string_view text = ir::SourceMap::current().text(expr->span);
  return text.size() > 30 || text.find('\n') != std::string_view::npos ? "" : std::string(text);
}

bool is_call_away(const Any& value) {
  return as<FunctionNode>(value) != nullptr || as<BoundMethodNode>(value) != nullptr;
}

bool looks_like_int(std::string_view text) {
  return !text.empty() && text.size() < 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string operand_hint(const BinOp& op, const Any& left, const Any& right) {
  for (bool of_left : {true, false}) {
    const Any& value = of_left ? left : right;
    const Expr* expr = of_left ? op.left : op.right;
    std::string source = source_of(expr);
    if (is_none(value)) {
      if (std::string_view method = in_place_method(expr); !method.empty())
        return fmt::format("`{}` changes its object and returns None", method);
    }
    if (is_call_away(value) && !source.empty()) return fmt::format("call the function: `{}()`", source);
  }
  bool adds = op.op == BinOperator::kAdd;
  if (is_str(left) != is_str(right)) {
    const Any& text = is_str(left) ? left : right;
    const Any& other = is_str(left) ? right : left;
    std::string text_source = source_of(is_str(left) ? op.left : op.right);
    std::string other_source = source_of(is_str(left) ? op.right : op.left);
    if (!is_number(other)) return "";
    if (!is_str(left) && looks_like_int(text_of(text)) && !text_source.empty())
      return fmt::format("`int({})` makes a number of it", text_source);
    if (!adds && looks_like_int(text_of(text)) && !text_source.empty())
      return fmt::format("`int({})` makes a number of it", text_source);
    if (adds && !other_source.empty()) return fmt::format("`str({})` makes a str of it", other_source);
  }
  bool lists = left.type_index() == kTVMFFIList && right.type_index() == kTVMFFIArray;
  bool tuples = left.type_index() == kTVMFFIArray && right.type_index() == kTVMFFIList;
  if (adds && (lists || tuples)) {
    std::string source = source_of(op.right);
    if (!source.empty()) return fmt::format("`{}({})`", lists ? "list" : "tuple", source);
  }
  if (adds && left.type_index() == kTVMFFIList && is_number(right)) {
    std::string source = source_of(op.right);
    if (!source.empty()) return fmt::format("a list is added: `[{}]`, or `.append({})`", source, source);
  }
  if (adds && left.type_index() == kTVMFFIDict && right.type_index() == kTVMFFIDict)
    return "`|` joins two dicts";
  return "";
}

struct Rename {
  std::string_view type;  // "" for any of several
  std::string_view wrong;
  std::string_view hint;
};
constexpr Rename kRenames[] = {
    {"list", "add", "`.append(value)` adds one element"},
    {"list", "push", "`.append(value)` adds one element"},
    {"list", "update", "`.extend(values)` adds several elements"},
    {"list", "union", "`set(a) | set(b)`, or `a + b`"},
    {"list", "join", "`separator.join(texts)`: it is a method of str"},
    {"list", "split", "`split` is a method of str"},
    {"list", "strip", "`strip` is a method of str: `[text.strip() for text in ...]`"},
    {"list", "contains", "`value in sequence`"},
    {"list", "find", "`.index(value)`, or `value in sequence`"},
    {"list", "get", "`sequence[index]`"},
    {"list", "shape", "lists have no shape: `np.array(values).shape`, or `len(values)`"},
    {"list", "keys", "lists have no keys: `range(len(values))`, or `enumerate(values)`"},
    {"list", "items", "lists have no keys: `enumerate(values)` gives index and value"},
    {"tuple", "append", "a tuple stays as it is: `list(values)` can grow, `values + (value,)` is a new one"},
    {"tuple", "sort", "a tuple stays as it is: `sorted(values)` gives a list"},
    {"tuple", "shape", "tuples have no shape: `np.array(values).shape`, or `len(values)`"},
    {"dict", "has_key", "`key in dict`"},
    {"dict", "contains", "`key in dict`"},
    {"dict", "iteritems", "`.items()`"},
    {"dict", "set", "`dict[key] = value`"},
    {"dict", "add", "`dict[key] = value`"},
    {"dict", "append", "`dict[key] = value`"},
    {"dict", "remove", "`del dict[key]`, or `.pop(key)`"},
    {"dict", "sort", "`sorted(dict)` gives the keys in order"},
    {"set", "append", "`.add(value)`"},
    {"set", "insert", "`.add(value)`"},
    {"set", "contains", "`value in set`"},
    {"set", "sort", "`sorted(set)` gives a list"},
    {"str", "append", "a str stays as it is: `text + more`"},
    {"str", "contains", "`part in text`"},
    {"str", "trim", "`.strip()`"},
    {"str", "reverse", "`text[::-1]`"},
    {"str", "sort", "`\"\".join(sorted(text))`"},
    {"str", "decode", "this is a str already; `decode` is a method of bytes"},
    {"bytes", "encode", "these are bytes already; `encode` is a method of str"},
    {"int", "length", "`len(str(number))` counts its digits"},
    {"numpy.ndarray", "append", "`np.append(array, values)`, or collect in a list first"},
    {"numpy.ndarray", "length", "`array.size`, or `len(array)` for the first axis"},
    {"numpy.ndarray", "concatenate", "`np.concatenate([a, b])`"},
    {"numpy.ndarray", "abs", "`np.abs(array)`"},
    {"numpy.ndarray", "exp", "`np.exp(array)`"},
    {"numpy.ndarray", "numpy", "this is an array already"},
};

// The name that the object at `span` was assigned under, found in the text.
struct Attributes final : Visitor {
  ir::Span wanted;
  const Attribute* found = nullptr;
  explicit Attributes(ir::Span wanted) : wanted(wanted) {}
  bool enter(const Expr& expr) override {
    auto* attribute = syntax::as<Attribute>(&expr);
    if (attribute != nullptr && (attribute->attr_span == wanted || attribute->span == wanted))
      found = attribute;
    return found == nullptr;
  }
};

// The last assignment to a name before a place.
struct Assignments final : Visitor {
  Symbol name;
  uint32_t before;
  const Assign* found = nullptr;
  Assignments(Symbol name, uint32_t before) : name(name), before(before) {}
  bool enter(const Stmt& stmt) override {
    auto* assign = syntax::as<Assign>(&stmt);
    if (assign == nullptr || assign->span.begin >= before) return true;
    for (const Expr* target : assign->targets) {
      auto* bound = syntax::as<Name>(target);
      if (bound != nullptr && bound->id == name) found = assign;
    }
    return true;
  }
};

}  // namespace

void operator_failed(ir::Error& error, Evaluator& evaluator, const BinOp& op, const Any& left,
                     const Any& right) {
  ir::Diagnostic& first = error.first();
  if (first.span != op.span || !first.calls.empty()) return;
  note_values(error, evaluator, op.span, {{op.left, left}, {op.right, right}});
  if (first.help.empty() && first.name == "unsupported-operand") first.help = operand_hint(op, left, right);
}

void subscript_failed(ir::Error& error, Evaluator& evaluator, const Subscript& subscript, const Any& object,
                      const Any& index) {
  ir::Diagnostic& first = error.first();
  bool here = first.span == subscript.span || first.span == subscript.slice->span;
  if (!here || !first.calls.empty() || !first.notes.empty()) return;
  note_values(error, evaluator, first.span, {{subscript.value, object}, {subscript.slice, index}});
  std::string source = source_of(subscript.value);
  if (is_none(object)) note_none(error, evaluator, subscript.value);
  if (first.help.empty() && first.name == "not-subscriptable" && is_call_away(object) && !source.empty())
    first.help = fmt::format("a function is called with parentheses: `{}(...)`", source);
  if (first.help.empty() && first.name == "wrong-index" && is_str(index) && looks_like_int(text_of(index)))
    first.help = fmt::format("`int({})` makes a number of it", ir::SourceMap::current().text(first.span));
}

std::string attribute_hint(Evaluator& evaluator, const Any& object, std::string_view name) {
  if (is_call_away(object)) {
    auto* bound = as<BoundMethodNode>(object);
    const Any& callee = bound == nullptr ? object : bound->callee;
    auto* fn = as<FunctionNode>(callee);
    if (fn == nullptr || name.starts_with("__")) return "";
    return fmt::format("`{0}` is a function; its result has attributes: `{0}(...).{1}`", fn->info->name,
                       name);
  }
  std::string type = type_name_of(evaluator, object);
  for (const Rename& row : kRenames) {
    if (row.wrong == name && (row.type == type || (row.type == "set" && type == "frozenset")))
      return std::string(row.hint);
  }
  bool sized = is_str(object) || is_bytes(object) || object.type_index() == kTVMFFIList ||
               object.type_index() == kTVMFFIArray || object.type_index() == kTVMFFIDict ||
               as<SetNode>(object) != nullptr;
  if (sized && (name == "length" || name == "size" || name == "len" || name == "count_elements"))
    return "`len(...)` gives the number of elements";
  return "";
}

// What is called, as errors of `*` and `**` name it: "__main__.f()".
std::string callee_text(Evaluator& evaluator, const Any& callee);
std::string callee_text(Evaluator& evaluator, const Any& callee) {
  Any name, module;
  if (!evaluator.find_attribute(callee, known().qualname, name) || !is_str(name))
    return evaluator.str(callee);
  bool placed = evaluator.find_attribute(callee, known().module, module) && is_str(module) &&
                text_of(module) != "builtins";
  return fmt::format("{}{}{}()", placed ? text_of(module) : "", placed ? "." : "", text_of(name));
}

void note_none(ir::Error& error, Evaluator& evaluator, const Expr* object) {
  ir::Diagnostic& first = error.first();
  if (std::string_view method = in_place_method(object); !method.empty()) {
    first.help = fmt::format("`{}` changes its object and returns None", method);
    return;
  }
  auto* name = syntax::as<Name>(object);
  if (name == nullptr) return;
  for (const auto& tree : evaluator.state().trees) {
    if (tree->module->span.file != object->span.file) continue;
    Assignments assignments(name->id, object->span.begin);
    walk(tree->module->body, assignments);
    if (assignments.found == nullptr) continue;
    std::string_view method = in_place_method(assignments.found->value);
    if (method.empty()) return;
    first.notes.push_back(
        {fmt::format("`{}` is None since this statement", name->id.str()), assignments.found->span});
    first.help = fmt::format("`{}` changes its object and returns None", method);
    return;
  }
}

void note_origin_of_none(ir::Error& error, Evaluator& evaluator, ir::Span span) {
  if (!span || stands_in_library(span)) return;
  for (const auto& tree : evaluator.state().trees) {
    if (tree->module->span.file != span.file) continue;
    Attributes attributes(span);
    walk(tree->module->body, attributes);
    if (attributes.found != nullptr) return note_none(error, evaluator, attributes.found->value);
  }
}

std::string call_hint(Evaluator& evaluator, const Any& callee) {
  if (auto* module = as<ModuleNode>(callee)) {
    std::string_view name = std::string_view(module->name).substr(module->name.rfind('.') + 1);
    const Any* same = module->find(Symbol(name));
    if (same != nullptr && evaluator.callable(*same))
      return fmt::format("the module has a class or function of its name: `{0}.{0}(...)`", name);
    return "";
  }
  if (callee.type_index() == kTVMFFIList || callee.type_index() == kTVMFFIArray ||
      callee.type_index() == kTVMFFIDict || as<ir::NDArrayNode>(callee) != nullptr)
    return "elements are read with brackets: `values[index]`";
  return "";
}

std::string keyword_hint(std::string_view name, const std::vector<std::string>& accepted) {
  if (std::string near = ir::did_you_mean(name, accepted); !near.empty()) return near;
  std::string all;
  for (const std::string& each : accepted)
    if (!each.empty()) all += fmt::format("{}`{}`", all.empty() ? "" : ", ", each);
  return all.empty() ? "" : fmt::format("it takes {} by name", all);
}

std::string key_hint(Evaluator& evaluator, const Any& dict, const Any& key) {
  auto* map = static_cast<ffi::MapBaseObj*>(raw_object(dict));
  constexpr size_t kMostKeys = 1000;
  if (map->size() > kMostKeys) return "";
  std::vector<std::string> names;
  for (const auto& [each, value] : *map) {
    Any other = plain_key(each);
    if (is_str(key) && is_str(other)) names.emplace_back(text_of(other));
    // A number as text, or a text as number.
    if (is_int(key) && is_str(other) && text_of(other) == std::to_string(raw_int(key)))
      return fmt::format("there is the str {}", evaluator.repr(other));
    if (is_str(key) && is_int(other) && text_of(key) == std::to_string(raw_int(other)))
      return fmt::format("there is the int {}", raw_int(other));
  }
  if (!is_str(key)) return "";
  std::string near = ir::closest(text_of(key), names);
  return near.empty() ? "" : fmt::format("did you mean {}?", quote(near));
}

}  // namespace mlc::script
