// SPDX-License-Identifier: Apache-2.0
// types.GenericAlias: a class with its arguments, `list[int]`. It is called and derived from as the class is.
#include "frontend/script/core/machine.h"

namespace mlc::script {

using State = Evaluator::State;

namespace {

const Symbol& args_name() {
  static const Symbol name("__args__");
  return name;
}
const Any& origin_of(const Any& alias) { return *as<InstanceNode>(alias)->own(known().origin); }
const Any& arguments_of(const Any& alias) { return *as<InstanceNode>(alias)->own(args_name()); }

// As CPython writes a type in an alias.
std::string type_text(Evaluator& evaluator, const Any& value) {
  if (value.same_as(ellipsis())) return "...";
  if (auto* cls = as<ClassNode>(value))
    return cls->module == "builtins" ? cls->name : cls->module + "." + cls->name;
  if (auto* api = as<ApiFunctionNode>(value); api != nullptr && api->api->row.kind == ir::ApiKind::kClass)
    return api->api->path();
  return evaluator.repr(value);
}

Any alias_repr(Evaluator& evaluator, const Arguments& args) {
  std::string text;
  for (const Any& each : elements(arguments_of(args[0])))
    text += (text.empty() ? "" : ", ") + type_text(evaluator, each);
  if (text.empty()) text = "()";
  return str_value(type_text(evaluator, origin_of(args[0])) + "[" + text + "]");
}
Any call(Evaluator& evaluator, const Arguments& args) {
  std::vector<std::pair<std::string_view, Any>> keywords(args.keywords.begin(), args.keywords.end());
  return evaluator.call(origin_of(args[0]), args.positional.subspan(1), keywords, args.span);
}
Any equal(Evaluator& evaluator, const Arguments& args) {
  if (!is_generic_alias(args[1])) return not_implemented();
  return evaluator.equal(origin_of(args[0]), origin_of(args[1])) &&
         evaluator.equal(arguments_of(args[0]), arguments_of(args[1]));
}
Any alias_hash(Evaluator& evaluator, const Arguments& args) {
  return evaluator.hash(origin_of(args[0]), args.span) ^ evaluator.hash(arguments_of(args[0]), args.span);
}
constexpr BuiltinRow generic_alias_table[] = {
    {"__repr__", "()", "The text.", alias_repr, 0, 0},
    {"__call__", "(*args)", "Calls the class.", call, 0, 127, "*"},
    {"__eq__", "(other)", "The same class with equal arguments.", equal, 1, 1},
    {"__hash__", "()", "The hash.", alias_hash, 0, 0},
};

const Ref<ClassNode>& alias_class() {
  static thread_local const Ref<ClassNode> type = [] {
    Ref<ClassNode> made = new_class("GenericAlias", "types");
    for (const BuiltinRow& row : generic_alias_table)
      const_cast<ClassNode*>(made.get())->set(Symbol(row.name), builtin_value(&row, "GenericAlias"));
    return made;
  }();
  return type;
}

}  // namespace

bool is_generic_alias(const Any& value) {
  auto* instance = as<InstanceNode>(value);
  return instance != nullptr && instance->cls.get() == alias_class().get();
}

Any generic_alias(const Any& origin, const Any& index) {
  Ref<InstanceNode> made = ir::make<InstanceNode>(alias_class());
  auto* alias = const_cast<InstanceNode*>(made.get());
  alias->set(known().origin, origin);
  alias->set(args_name(), index.type_index() == kTVMFFIArray ? index : Any(Tuple{index}));
  return Any(made);
}

List State::plain_bases(const List& written, ir::Span span) {
  static const Symbol entries_name("__mro_entries__");
  List bases;
  for (const Any& each : written) {
    auto* instance = as<InstanceNode>(each);
    const Any* hook = instance == nullptr ? nullptr : instance->cls->find(entries_name);
    if (is_generic_alias(each)) {
      bases.push_back(origin_of(each));
    } else if (hook == nullptr) {
      bases.push_back(each);
    } else {  // of `typing`
      Any args[] = {each, Tuple(written.begin(), written.end())};
      for (const Any& entry : self.elements_of(self.call(*hook, args, {}, span))) bases.push_back(entry);
    }
  }
  return bases;
}

}  // namespace mlc::script
