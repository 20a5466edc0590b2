// SPDX-License-Identifier: Apache-2.0
// types.GenericAlias: a class with its arguments, `list[int]`. It is called, derived from and asked for
// attributes as the class is.
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

Any repr(Evaluator& evaluator, const Arguments& args) {
  std::string text;
  for (const Any& each : elements(arguments_of(args[0])))
    text += (text.empty() ? "" : ", ") + type_text(evaluator, each);
  if (text.empty()) text = "()";
  return str_value(type_text(evaluator, origin_of(args[0])) + "[" + text + "]");
}
Any call(Evaluator& evaluator, const Arguments& args) {
  std::vector<std::pair<std::string_view, Any>> keywords(args.keywords.begin(), args.keywords.end());
  Any made = evaluator.call(origin_of(args[0]), args.positional.subspan(1), keywords, args.span);
  // What was made knows how, if it has room for that.
  auto* instance = as<InstanceNode>(made);
  if (instance != nullptr && !instance->cls->slotted && instance->cls->scripted)
    instance->set(Symbol("__orig_class__"), args[0]);
  return made;
}
Any equal(Evaluator& evaluator, const Arguments& args) {
  if (!is_generic_alias(args[1])) return not_implemented();
  return evaluator.equal(origin_of(args[0]), origin_of(args[1])) &&
         evaluator.equal(arguments_of(args[0]), arguments_of(args[1]));
}
Any hash(Evaluator& evaluator, const Arguments& args) {
  return evaluator.hash(origin_of(args[0]), args.span) ^ evaluator.hash(arguments_of(args[0]), args.span);
}
Any attribute(Evaluator& evaluator, const Arguments& args) {
  return evaluator.attribute(origin_of(args[0]), Symbol(text_of(args[1])), args.span);
}
Any item(Evaluator& evaluator, const Arguments& args) {
  raise("TypeError", args.span, "not-subscriptable", "{} is not a generic class", evaluator.repr(args[0]));
}
Any entries(Evaluator&, const Arguments& args) { return Tuple{origin_of(args[0])}; }

constexpr BuiltinRow rows[] = {
    {"__repr__", "()", "The text.", repr, 0, 0},
    {"__call__", "(*args)", "Calls the class.", call, 0, 127, "*"},
    {"__eq__", "(other)", "The same class with equal arguments.", equal, 1, 1},
    {"__hash__", "()", "The hash.", hash, 0, 0},
    {"__getattr__", "(name)", "An attribute of the class.", attribute, 1, 1},
    {"__getitem__", "(index)", "Refused: nothing is left open.", item, 1, 1},
    {"__mro_entries__", "(bases)", "The class, where one derives from this.", entries, 1, 1},
};

// types.GenericAlias(origin, args)
Any construct(Evaluator&, const Ref<ClassNode>& cls, const Arguments& args) {
  if (args.size() != 2) {
    raise("TypeError", args.span, "wrong-argument-count", "GenericAlias expected 2 arguments, got {}",
          args.size());
  }
  Ref<InstanceNode> made = ir::make<InstanceNode>(cls);
  auto* alias = const_cast<InstanceNode*>(made.get());
  alias->set(known().origin, args[0]);
  alias->set(args_name(), args[1].type_index() == kTVMFFIArray ? args[1] : Any(Tuple{args[1]}));
  alias->set(Symbol("__parameters__"), Any(Tuple{}));
  return Any(made);
}

const Ref<ClassNode>& alias_class() {
  static const Ref<ClassNode> type = [] {
    Ref<ClassNode> made = ir::make<ClassNode>("GenericAlias");
    auto* cls = const_cast<ClassNode*>(made.get());
    cls->module = "types";
    cls->bases = {types().object};
    cls->mro = {cls, const_cast<ClassNode*>(types().object.get())};
    cls->construct = construct;
    for (const BuiltinRow& row : rows) cls->set(Symbol(row.name), builtin_value(&row, "GenericAlias"));
    cls->has_getattr = true;
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
  alias->set(Symbol("__parameters__"), Any(Tuple{}));
  return Any(made);
}

bool State::replace_bases(const List& written, List& bases, ir::Span span) {
  bool replaced = false;
  for (const Any& each : written) {
    auto* instance = as<InstanceNode>(each);
    const Any* hook = instance == nullptr ? nullptr : instance->cls->find(Symbol("__mro_entries__"));
    if (hook == nullptr) {
      bases.push_back(each);
      continue;
    }
    replaced = true;
    Any args[] = {each, Tuple(written.begin(), written.end())};
    Any entries = self.call(*hook, args, {}, span);
    if (entries.type_index() != kTVMFFIArray)
      raise("TypeError", span, "wrong-type", "__mro_entries__ must return a tuple");
    for (const Any& entry : elements(entries)) bases.push_back(entry);
  }
  return replaced;
}

}  // namespace mlc::script
