// SPDX-License-Identifier: Apache-2.0
// Methods of dict (and of the maps in IR objects, which have the reading ones).
#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "immutable",
         .message = "a map of an IR object cannot be changed",
         .meaning = "Objects of the IR are values: a changed one is a new one."},
    }};
MLC_REFUSALS(types_dict_methods, refusals);

namespace {

ffi::MapBaseObj* map_of(const Any& dict) { return static_cast<ffi::MapBaseObj*>(raw_object(dict)); }

template <DictViewNode::Kind kind>
Any view(Evaluator&, const Arguments& args) {
  return Any(ir::make<DictViewNode>(args[0], kind));
}
Any get(Evaluator& evaluator, const Arguments& args) {
  if (Any* found = dict_find(evaluator, args[0], args[1], args.span_of(1))) return *found;
  return args.size() == 3 ? args[2] : Any(nullptr);
}
bool quick_get(Evaluator& evaluator, std::span<const Any> args, RawValue& out) {
  if (args.size() < 2 || !(is_int(args[1]) || is_str(args[1]))) return false;
  OwnedValue alive(script::copy(args[0]));  // while keys are compared
  Any* found = dict_find(evaluator, args[0], args[1]);
  out = found != nullptr ? script::copy(*found) : args.size() == 3 ? script::copy(args[2]) : raw_none();
  return true;
}
void check_mutable(const Arguments& args) {
  if (args[0].type_index() != kTVMFFIDict) {
    raise(refusals["immutable"], args.span);
  }
}
Any pop(Evaluator& evaluator, const Arguments& args) {
  check_mutable(args);
  bool empty = map_of(args[0])->size() == 0;  // then the key need not be hashable
  if (Any* found = empty ? nullptr : dict_find(evaluator, args[0], args[1], args.span_of(1))) {
    Any value = *found;
    dict_remove(evaluator, args[0], args[1], args.span_of(1));
    return value;
  }
  if (args.size() == 3) return args[2];
  key_error(evaluator, args[1], args.span_of(1));
}
Any popitem(Evaluator& evaluator, const Arguments& args) {
  check_mutable(args);
  ffi::MapBaseObj* map = map_of(args[0]);
  if (map->size() == 0) {
    Any text = str_value("popitem(): dictionary is empty");
    key_error(evaluator, text, args.span);
  }
  auto last = map->end();
  --last;
  Any key = (*last).first, value = (*last).second;
  map->erase(last);
  return Tuple{plain_key(key), value};
}
Any setdefault(Evaluator& evaluator, const Arguments& args) {
  check_mutable(args);
  if (Any* found = dict_find(evaluator, args[0], args[1], args.span_of(1))) return *found;
  Any value = args.size() == 3 ? args[2] : Any(nullptr);
  dict_set(evaluator, args[0], args[1], value, args.span_of(1));
  return value;
}
Any update(Evaluator& evaluator, const Arguments& args) {
  check_mutable(args);
  if (args.size() == 2) {
    Any other = as_mapping(evaluator, args[1]);
    if (other.type_index() == kTVMFFIDict || other.type_index() == kTVMFFIMap) {
      if (raw_object(other) != raw_object(args[0])) {
        for (const auto& [key, value] : *map_of(other))
          dict_set(evaluator, args[0], plain_key(key), value, args.span);
      }
    } else {
      dict_pairs(evaluator, args[0], args[1], args.span_of(1));
    }
  }
  for (const auto& [name, value] : args.keywords) dict_set(evaluator, args[0], str_value(name), value);
  return nullptr;
}
Any clear(Evaluator&, const Arguments& args) {
  check_mutable(args);
  args[0].cast<Dict>().clear();
  return nullptr;
}
Any copy(Evaluator&, const Arguments& args) {
  Dict result;
  for (const auto& [key, value] : *map_of(args[0])) result.Set(key, value);
  return result;
}
Any fromkeys(Evaluator& evaluator, const Arguments& args) {
  Dict result;
  Any value = args.size() == 2 ? args[1] : Any(nullptr);
  for (const Any& key : evaluator.elements_of(args[0], args.span_of(0)))
    dict_set(evaluator, result, key, value, args.span);
  return result;
}

constexpr BuiltinRow dict_methods_table[] = {
    {"keys", "()", "The keys, as a view.", view<DictViewNode::Kind::kKeys>, 0, 0},
    {"values", "()", "The values, as a view.", view<DictViewNode::Kind::kValues>, 0, 0},
    {"items", "()", "The pairs (key, value), as a view.", view<DictViewNode::Kind::kItems>, 0, 0},
    {"get", "(key, default=None)", "The value of the key, or the default.", get, 1, 2, {}, quick_get},
    {"pop", "(key, default)", "Removes the key and returns its value.", pop, 1, 2},
    {"popitem", "()", "Removes and returns the last pair.", popitem, 0, 0},
    {"setdefault", "(key, default=None)", "The value of the key, which is added if missing.", setdefault, 1,
     2},
    {"update", "(other, **more)", "Adds all pairs of another dict.", update, 0, 1, "*"},
    {"clear", "()", "Removes everything.", clear, 0, 0},
    {"copy", "()", "A new dict of the same pairs.", copy, 0, 0},
};
constexpr BuiltinRow from_keys_row = {
    "fromkeys", "(iterable, value=None)", "A dict with these keys.", fromkeys, 1, 2};

}  // namespace

std::span<const BuiltinRow> dict_methods() { return dict_methods_table; }

bool class_builtin(Evaluator&, const ClassNode* cls, Symbol name, Any& out) {
  const Types& t = types();
  const BuiltinRow* row = nullptr;
  if (cls == t.dict.get()) row = &from_keys_row;
  if (cls == t.bytes.get()) row = &bytes_fromhex();
  if (cls == t.integer.get()) row = &int_from_bytes();
  if (row == nullptr || row->name != name.str()) return false;
  out = builtin_value(row, "");
  return true;
}

}  // namespace mlc::script
