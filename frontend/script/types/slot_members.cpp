// SPDX-License-Identifier: Apache-2.0
// __slots__: what a class may name there, and the descriptors that the class has under these names.
#include "frontend/script/types/slot_members.h"

namespace mlc::script {

using State = Evaluator::State;

namespace {

const Symbol kObjectClass("__objclass__");

std::vector<Any> names_of(Evaluator& evaluator, const Any& slots) {
  if (is_str(slots)) return {slots};
  return evaluator.elements_of(slots);
}

// The attribute that a slot names: private ones carry the name of the class.
std::string attribute_of(const ClassNode* cls, std::string_view slot) {
  if (!slot.starts_with("__") || slot.ends_with("__")) return std::string(slot);
  std::string_view owner = cls->short_name();
  owner.remove_prefix(std::min(owner.find_first_not_of('_'), owner.size()));
  return owner.empty() ? std::string(slot) : fmt::format("_{}{}", owner, slot);
}

bool is_identifier(std::string_view text) {
  auto letter = [](unsigned char c) { return std::isalpha(c) || c == '_' || c >= 0x80; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](unsigned char c) { return letter(c) || std::isdigit(c); });
}

struct Member {
  InstanceNode* descriptor;
  ClassNode* owner;
  Symbol name;
};
Member member_of(const Any& value) {
  auto* descriptor = as<InstanceNode>(value);
  return {descriptor, as<ClassNode>(*descriptor->own(kObjectClass)),
          Symbol(text_of(*descriptor->own(known().name)))};
}

InstanceNode* object_of(Evaluator& evaluator, const Member& member, const Any& object, ir::Span span) {
  auto* instance = as<InstanceNode>(object);
  if (instance == nullptr || !instance->cls->derives_from(member.owner)) {
    raise("TypeError", span, "wrong-type", "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
          member.name.str(), member.owner->short_name(), type_name_of(evaluator, object));
  }
  return instance;
}

Any get(Evaluator& evaluator, const Arguments& args) {
  Member member = member_of(args[0]);
  if (is_none(args[1])) return args[0];
  InstanceNode* instance = object_of(evaluator, member, args[1], args.span);
  if (const Any* value = instance->own(member.name)) return *value;
  raise("AttributeError", args.span, "no-attribute", "'{}' object has no attribute '{}'",
        instance->cls->short_name(), member.name.str());
}
Any set(Evaluator& evaluator, const Arguments& args) {
  Member member = member_of(args[0]);
  object_of(evaluator, member, args[1], args.span)->set(member.name, args[2]);
  return nullptr;
}
Any repr(Evaluator&, const Arguments& args) {
  Member member = member_of(args[0]);
  return str_value(
      fmt::format("<member '{}' of '{}' objects>", member.name.str(), member.owner->short_name()));
}
constexpr BuiltinRow methods[] = {
    {"__get__", "(instance, owner=None)", "The value of the attribute.", get, 1, 2},
    {"__set__", "(instance, value)", "Sets the attribute.", set, 2, 2},
    {"__repr__", "()", "<member 'x' of 'C' objects>", repr, 0, 0},
};

const Ref<ClassNode>& member_class() {
  static const Ref<ClassNode> type = [] {
    Ref<ClassNode> made = ir::make<ClassNode>("member_descriptor");
    auto* cls = const_cast<ClassNode*>(made.get());
    cls->module = "builtins";
    cls->bases = {types().object};
    cls->mro = {cls, const_cast<ClassNode*>(types().object.get())};
    for (const BuiltinRow& row : methods)
      cls->set(Symbol(row.name), builtin_value(&row, "member_descriptor"));
    return made;
  }();
  return type;
}

}  // namespace

void read_slots(Evaluator& evaluator, ClassNode* cls, ir::Span span) {
  const Any* given = cls->own(known().slots);
  if (given != nullptr) {
    cls->slots.emplace();
    for (const Any& each : names_of(evaluator, *given)) {
      const Types& t = types();
      if (cls->data == t.integer.get() || cls->data == t.tuple.get() || cls->data == t.bytes.get()) {
        raise("TypeError", span, "wrong-value", "nonempty __slots__ not supported for subtype of '{}'",
              cls->bases[0]->short_name());
      }
      if (!is_str(each)) {
        raise("TypeError", span, "wrong-type", "__slots__ items must be strings, not '{}'",
              type_name_of(evaluator, each));
      }
      if (!is_identifier(text_of(each)))
        raise("TypeError", span, "wrong-value", "__slots__ must be identifiers");
      Symbol name(attribute_of(cls, text_of(each)));
      if (cls->own(name) != nullptr) {
        raise("ValueError", span, "wrong-value", "'{}' in __slots__ conflicts with class variable",
              text_of(each));
      }
      cls->slots->push_back(name);
    }
  }
  cls->slotted = std::all_of(cls->mro.begin(), cls->mro.end(), [&](const ClassNode* each) {
    return each == types().object.get() || each == cls->data ||
           (each->slots && !each->has_slot(known().dict));
  });
}

bool slot_member(const ClassNode* cls, Symbol name, Any& out) {
  for (const ClassNode* each : cls->mro) {
    if (name == known().dict || name == known().doc || !each->has_slot(name)) continue;
    Ref<InstanceNode> made = ir::make<InstanceNode>(member_class());
    auto* member = const_cast<InstanceNode*>(made.get());
    member->set(known().name, str_value(name.str()));
    member->set(kObjectClass, Any(ir::ref(each)));
    out = Any(made);
    return true;
  }
  return false;
}

std::vector<std::string> slot_names(const ClassNode& cls) {
  std::vector<std::string> names;
  for (const ClassNode* each : cls.mro) {
    if (!each->slots) continue;
    for (Symbol name : *each->slots) names.emplace_back(name.str());
  }
  return names;
}

}  // namespace mlc::script
