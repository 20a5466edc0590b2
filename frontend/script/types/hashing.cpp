// SPDX-License-Identifier: Apache-2.0
// Hashes and equality of dictionary keys and set elements. Numbers and tuples of numbers hash as in CPython,
// so that sets iterate in CPython's order.
//
// A tvm-ffi Dict compares keys by type and bits. Python wants 1 == 1.0 == True: a look-up tries each spelling
// of the number. Tuples of plain values have Python's hash and equality in every tvm-ffi map; other tuples,
// frozen sets and objects with __eq__ are stored behind a KeyNode, which has them.
#include <tvm/ffi/extra/structural_key.h>

#include <cmath>

#include "frontend/script/core/hints.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/types/dict_table.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/expr.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/core/type.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "bad-hash",
         .message = "__hash__ method should return an integer",
         .meaning = "`__hash__` gives an int.",
         .wrong = R"(class Key:
    def __hash__(self):
        return "k"
hash(Key()))",
         .right = R"(class Key:
    def __hash__(self):
        return 7
hash(Key()))"},
        {.name = "unhashable",
         .meaning =
             "The keys of a dict and the elements of a set do not change; a tuple can be one, a list cannot.",
         .wrong = "{[1]: 2}",
         .right = "{(1,): 2}"},
    }};
MLC_REFUSALS(types_hashing, refusals);

namespace refl = ffi::reflection;

// A key that is compared by Python's rules.
struct KeyNode final : ffi::Object {
  Any value;
  int64_t hash;
  Evaluator* evaluator;
  KeyNode(Any value, int64_t hash, Evaluator* evaluator)
      : value(std::move(value)), hash(hash), evaluator(evaluator) {}
  MLC_NODE("mlc.script.key", KeyNode, ffi::Object);
};

namespace {

constexpr int64_t kModulus = (int64_t{1} << 61) - 1;

int64_t hash_int(int64_t value) {
  if (value > -kModulus && value < kModulus) [[likely]]
    return value == -1 ? -2 : value;
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  int64_t h = static_cast<int64_t>(magnitude % static_cast<uint64_t>(kModulus));
  if (value < 0) h = -h;
  return h == -1 ? -2 : h;
}

// CPython's hash of a float: the value modulo 2^61 - 1.
int64_t hash_float(double value) {
  if (std::isinf(value)) return value > 0 ? 314159 : -314159;
  if (std::isnan(value)) return 0;
  int exponent;
  double mantissa = std::frexp(value, &exponent);
  bool negative = mantissa < 0;
  if (negative) mantissa = -mantissa;
  uint64_t x = 0;
  while (mantissa != 0) {
    x = ((x << 28) & static_cast<uint64_t>(kModulus)) | x >> (61 - 28);
    mantissa *= 268435456.0;
    exponent -= 28;
    auto y = static_cast<uint64_t>(mantissa);
    mantissa -= static_cast<double>(y);
    x += y;
    if (x >= static_cast<uint64_t>(kModulus)) x -= static_cast<uint64_t>(kModulus);
  }
  exponent = exponent >= 0 ? exponent % 61 : 61 - 1 - ((-1 - exponent) % 61);
  x = ((x << exponent) & static_cast<uint64_t>(kModulus)) | x >> (61 - exponent);
  auto h = static_cast<int64_t>(x);
  if (negative) h = -h;
  return h == -1 ? -2 : h;
}

uint64_t rotate(uint64_t x) { return (x << 31) | (x >> 33); }

// Of a tuple, from the hashes of its elements; as CPython.
struct TupleHash {
  uint64_t acc = 2870177450012600261ULL;
  void add(int64_t hash) {
    acc += static_cast<uint64_t>(hash) * 14029467366897019727ULL;
    acc = rotate(acc) * 11400714785074694791ULL;
  }
  int64_t of(size_t size) const {
    uint64_t h = acc + (size ^ (2870177450012600261ULL ^ 3527539ULL));
    return h == ~0ULL ? 1546275796 : static_cast<int64_t>(h);
  }
};
constexpr int64_t kHashOfNone = 0xfca86420;
int64_t hash_text(std::string_view text) { return static_cast<int64_t>(std::hash<std::string_view>()(text)); }

// The hash of None, a number, a str, or a (not deeply nested) tuple of such; false for other values. No code
// of a program runs for it.
bool plain_hash(const Any& value, int64_t& hash, int depth = 0) {
  switch (value.type_index()) {
    case kTVMFFINone:
      hash = kHashOfNone;
      return true;
    case kTVMFFIBool:
    case kTVMFFIInt:
      hash = hash_int(raw_int(value));
      return true;
    case kTVMFFIFloat:
      hash = hash_float(raw_float(value));
      return true;
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      hash = hash_text(text_of(value));
      return true;
    case kTVMFFIArray: {
      if (depth == 8) return false;
      TupleHash tuple;
      for (const Any& element : elements(value)) {
        int64_t h;
        if (!plain_hash(element, h, depth + 1)) return false;
        tuple.add(h);
      }
      hash = tuple.of(elements(value).size());
      return true;
    }
    default:
      return false;
  }
}

bool same_text(const Any& a, const Any& b) {
  if (a.type_index() != b.type_index()) return is_str(b) && text_of(a) == text_of(b);
  if (raw_int(a) == raw_int(b)) return raw_of(a).small_str_len == raw_of(b).small_str_len;
  return a.type_index() == kTVMFFIStr && text_of(a) == text_of(b);
}

// a == b (or both one NaN) of values that have a plain hash.
bool same_plain(const Any& a, const Any& b) {
  if (is_integer(a) && is_integer(b)) return raw_int(a) == raw_int(b);
  if (is_str(a)) return is_str(b) && same_text(a, b);
  if (is_number(a) && is_number(b)) {
    if (is_float(a) && is_float(b)) return raw_float(a) == raw_float(b) || raw_int(a) == raw_int(b);
    double real = raw_float(is_float(a) ? a : b);
    return real >= -0x1p63 && real < 0x1p63 && real == std::floor(real) &&
           static_cast<int64_t>(real) == raw_int(is_float(a) ? b : a);
  }
  if (a.type_index() != kTVMFFIArray || b.type_index() != kTVMFFIArray) return is_none(a) && is_none(b);
  std::span<Any> left = elements(a), right = elements(b);
  return left.data() == right.data() ||
         std::equal(left.begin(), left.end(), right.begin(), right.end(), same_plain);
}

}  // namespace

void register_key_type() {
  refl::EnsureTypeAttrColumn("__any_hash__");
  refl::EnsureTypeAttrColumn("__any_equal__");
  using Hash = int64_t (*)(const Any&);
  using Equal = bool (*)(const Any&, const Any&);
  Hash hash = [](const Any& key) { return as<KeyNode>(key)->hash; };
  Equal equal = [](const Any& a, const Any& b) {
    auto* x = as<KeyNode>(a);
    auto* y = as<KeyNode>(b);
    return x->hash == y->hash && x->evaluator->equal(x->value, y->value);
  };
  // Other tuples are themselves only: scripts never store them so.
  Hash hash_tuple = [](const Any& key) {
    int64_t hash;
    return plain_hash(key, hash) ? hash : static_cast<int64_t>(reinterpret_cast<uintptr_t>(raw_object(key)));
  };
  Equal equal_tuples = [](const Any& a, const Any& b) {
    int64_t hash;
    return plain_hash(a, hash) && plain_hash(b, hash) && same_plain(a, b);
  };
  refl::TypeAttrDef<ffi::ArrayObj>()
      .attr("__any_hash__", reinterpret_cast<void*>(hash_tuple))
      .attr("__any_equal__", reinterpret_cast<void*>(equal_tuples));
  refl::TypeAttrDef<KeyNode>()
      .attr("__any_hash__", reinterpret_cast<void*>(hash))
      .attr("__any_equal__", reinterpret_cast<void*>(equal));
}

namespace {

// Whether a KeyNode was ever stored: a plain tuple may be equal to it.
thread_local bool key_nodes_are_keys = false;
// The row that says what a type's values hash as; null for most types.
const ir::Api* hash_row(const Any& value) {
  static thread_local std::vector<std::pair<bool, const ir::Api*>> known;
  auto type = static_cast<size_t>(value.type_index());
  if (type >= known.size()) known.resize(type + 1);
  if (!known[type].first)
    known[type] = {true, ir::ApiRegistry::global().method(value.type_index(), "__hash__")};
  return known[type].second;
}

bool needs_key(const Any& key) {
  if (as_wide(key) != nullptr) return true;
  if (hash_row(key) != nullptr) return true;
  if (key.type_index() == kTVMFFIArray) return true;
  if (auto* instance = as<InstanceNode>(key))
    return !is_none(instance->payload) || instance->cls->find(known().eq) != nullptr;
  return as<SetNode>(key) != nullptr || as<RangeNode>(key) != nullptr || as<BoundMethodNode>(key) != nullptr;
}

// A tuple, or what is stored behind a KeyNode. A str or number of a derived class is the same key as the
// plain one, unless the class says what is equal.
bool has_own_equality(const Any& key) {
  if (!is_object(key)) return false;
  if (auto* instance = as<InstanceNode>(key); instance != nullptr && !is_none(instance->payload) &&
                                              instance->cls->find(known().eq) == nullptr &&
                                              (is_str(instance->payload) || !is_object(instance->payload))) {
    return false;
  }
  return needs_key(key);
}

// A KeyNode made for a look-up serves the next one, unless the dict has kept it.
Any& spare_key() {
  static thread_local Any spare;
  return spare;
}
Any key_node(Evaluator& evaluator, const Any& key, int64_t hash) {
  Any spare = std::exchange(spare_key(), Any(nullptr));
  if (auto* node = as<KeyNode>(spare)) {
    node->value = key;
    node->hash = hash;
    node->evaluator = &evaluator;
    return spare;
  }
  return Any(ir::make<KeyNode>(key, hash, &evaluator));
}
void give_back(Any& stored) {
  if (!is_object(stored)) return;
  auto* node = as<KeyNode>(stored);
  if (node == nullptr || !node->unique()) return;
  node->value = nullptr;
  spare_key() = std::move(stored);
}

// Of a key without.
Any stored_key(Evaluator& evaluator, const Any& key, ir::Span span) {
  switch (key.type_index()) {
    case kTVMFFIInt:
    case kTVMFFISmallStr:
    case kTVMFFIStr:
    case kTVMFFIBool:
    case kTVMFFINone:
      return key;
    case kTVMFFIFloat:
      return key;
    default:
      break;
  }
  Any plain = plain_number(key);
  if (!is_object(plain)) return plain;
  if (auto* instance = as<InstanceNode>(key); instance != nullptr && !is_none(instance->payload))
    return stored_key(evaluator, instance->payload, span);
  evaluator.hash(key, span);  // or an error
  return key;
}

Any* find_text(ffi::MapBaseObj* map, const Any& key, uint64_t hash) {
  return DictTable::find(map, hash, [&](const Any& other) { return same_text(key, other); });
}
Any* find_exact(ffi::MapBaseObj* map, const Any& key) {
  if (is_str(key)) return find_text(map, key, ffi::AnyHash()(key));
  if (is_int(key)) {
    int64_t value = raw_int(key);
    return DictTable::find(map, DictTable::hash_of(kTVMFFIInt, static_cast<uint64_t>(value)),
                           [&](const Any& other) { return is_int(other) && raw_int(other) == value; });
  }
  auto found = map->find(key);
  return found == map->end() ? nullptr : &(*found).second;
}

// A key that would be stored as a KeyNode.
Any* find_by_hash(Evaluator& evaluator, ffi::MapBaseObj* map, const Any& key, int64_t hash) {
  static const int32_t type = KeyNode::RuntimeTypeIndex();
  return DictTable::find(map, DictTable::hash_of(type, static_cast<uint64_t>(hash)), [&](const Any& other) {
    if (other.type_index() != type) return false;
    auto* node = static_cast<const KeyNode*>(raw_object(other));
    return node->hash == hash && (node->value.same_as(key) || evaluator.equal(node->value, key));
  });
}

// Whether a bool or a float was ever stored as a key. Else nobody looks for an int under its other spellings.
thread_local bool other_numbers_are_keys = false;

// The spelling under which the dict already has this key, if any.
Any* find_spelling(ffi::MapBaseObj* map, const Any& key, Any* spelling) {
  auto look = [&](const Any& candidate) {
    Any* found = find_exact(map, candidate);
    if (found != nullptr && spelling != nullptr) *spelling = candidate;
    return found;
  };
  if (Any* found = look(key)) return found;
  if (is_int(key) && !other_numbers_are_keys) return nullptr;
  double number;
  if (is_int(key) || is_bool(key)) {
    number = static_cast<double>(raw_int(key));
  } else if (is_float(key)) {
    number = raw_float(key);
  } else {
    return nullptr;
  }
  if (!is_float(key)) {
    if (raw_int(key) == 0 || raw_int(key) == 1) {
      if (Any* found = look(is_int(key) ? Any(raw_int(key) != 0) : Any(raw_int(key)))) return found;
    }
    if (number == 0) {
      if (Any* found = look(Any(-0.0))) return found;
    }
    if (std::abs(number) <= 9007199254740992.0) return look(Any(number));
    return nullptr;
  }
  if (number == 0) {
    if (Any* found = look(Any(-number))) return found;
  }
  if (number == std::floor(number) && std::abs(number) < 9.2e18) {
    auto whole = static_cast<int64_t>(number);
    if (Any* found = look(Any(whole))) return found;
    if (whole == 0 || whole == 1) return look(Any(whole != 0));
  }
  return nullptr;
}

Any* find_plain_tuple(ffi::MapBaseObj* map, const Any& key, int64_t hash) {
  return DictTable::find(
      map, DictTable::hash_of(kTVMFFIArray, static_cast<uint64_t>(hash)),
      [&](const Any& other) { return other.type_index() == kTVMFFIArray && same_plain(other, key); });
}

// The place of a key with Python's equality, and the key under which it stands there or would: a plain tuple,
// or a KeyNode.
struct KeyPlace {
  Any* value;
  Any key;
  uint64_t hash;  // of that key
};
KeyPlace find_equal(Evaluator& evaluator, ffi::MapBaseObj* map, const Any& key, ir::Span span) {
  static const int32_t type = KeyNode::RuntimeTypeIndex();
  KeyPlace place;
  int64_t hash;
  bool plain = plain_hash(key, hash);
  if (plain) {
    place.hash = DictTable::hash_of(kTVMFFIArray, static_cast<uint64_t>(hash));
    place.value = find_plain_tuple(map, key, hash);
    if (place.value != nullptr || !key_nodes_are_keys) {
      place.key = key;
      return place;
    }
  } else {
    hash = evaluator.hash(key, span);
  }
  place.value = find_by_hash(evaluator, map, key, hash);
  if (place.value == nullptr && plain) {
    place.key = key;
    return place;
  }
  place.hash = DictTable::hash_of(type, static_cast<uint64_t>(hash));
  place.key = key_node(evaluator, key, hash);
  if (plain || place.value != nullptr) return place;
  if (key.type_index() != kTVMFFIArray && as<InstanceNode>(key) == nullptr) return place;
  // `(np.int64(1), 2)` and a named tuple of 1 and 2 are the key `(1, 2)`.
  place.value = DictTable::find(map, DictTable::hash_of(kTVMFFIArray, static_cast<uint64_t>(hash)),
                                [&](const Any& other) {
                                  int64_t other_hash;
                                  if (other.type_index() != kTVMFFIArray || !plain_hash(other, other_hash) ||
                                      other_hash != hash || !evaluator.equal(other, key)) {
                                    return false;
                                  }
                                  place.key = other;
                                  return true;
                                });
  return place;
}

// What ffi::AnyHash says of a key.
uint64_t hash_of_stored(const Any& key) {
  static const int32_t type = KeyNode::RuntimeTypeIndex();
  int64_t hash;
  if (key.type_index() == kTVMFFIArray && plain_hash(key, hash))
    return DictTable::hash_of(kTVMFFIArray, static_cast<uint64_t>(hash));
  if (key.type_index() == type) {
    return DictTable::hash_of(type,
                              static_cast<uint64_t>(static_cast<const KeyNode*>(raw_object(key))->hash));
  }
  return ffi::AnyHash()(key);
}

int64_t hash_of_elements(Evaluator& evaluator, const SetNode& set, ir::Span span) {
  uint64_t acc = 0;
  for (const Any& element : set.elements()) {
    auto h = static_cast<uint64_t>(evaluator.hash(element, span));
    acc ^= ((h ^ 89869747UL) ^ (h << 16)) * 3644798167UL;
  }
  acc ^= (set.used + 1) * 1927868237UL;
  acc ^= (acc >> 11) ^ (acc >> 25);
  return static_cast<int64_t>(acc * 69069U + 907133923UL);
}

// The hash for looking a value up in a set, where a set stands for the frozenset of its elements.
int64_t hash_sought(Evaluator& evaluator, const Any& value) {
  if (is_int(value)) return hash_int(raw_int(value));
  auto* set = as<SetNode>(value);
  return set != nullptr ? hash_of_elements(evaluator, *set, {}) : evaluator.hash(value);
}

}  // namespace

int64_t Evaluator::hash(const Any& value, ir::Span span) {
  switch (value.type_index()) {
    case kTVMFFINone:
      return kHashOfNone;
    case kTVMFFIBool:
    case kTVMFFIInt:
      return hash_int(raw_int(value));
    case kTVMFFIFloat:
      return hash_float(raw_float(value));
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return hash_text(text_of(value));
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return static_cast<int64_t>(std::hash<std::string>()(bytes_of(value)));
    case kTVMFFIArray: {
      int64_t plain;
      if (plain_hash(value, plain)) return plain;
      state_->check_stack(span);
      TupleHash tuple;
      for (const Any& element : elements(value)) tuple.add(hash(element, span));
      return tuple.of(elements(value).size());
    }
    case kTVMFFIList:
    case kTVMFFIDict:
      raise_as(refusals["unhashable"], span, "unhashable type: '{}'", type_name_of(*this, value));
    default:
      break;
  }
  if (!is_object(value)) return hash_int(raw_int(value));  // a device: its type and number
  if (auto* wide = as_wide(value)) {
    auto h = static_cast<int64_t>(wide->magnitude() % static_cast<uint64_t>(kModulus));
    return hash_int(wide->negative ? -h : h);
  }
  if (auto* set = as<SetNode>(value)) {
    if (!set->frozen) raise_as(refusals["unhashable"], span, "unhashable type: 'set'");
    return hash_of_elements(*this, *set, span);
  }
  if (as<SliceNode>(value)) raise_as(refusals["unhashable"], span, "unhashable type: 'slice'");
  if (auto* range = as<RangeNode>(value))
    return hash_int(range->size() * 31 + range->start * 7 + range->step);
  if (auto* method = as<BoundMethodNode>(value)) return hash(method->self, span) ^ hash(method->callee, span);
  if (auto* instance = as<InstanceNode>(value)) {
    const Any* method = instance->cls->find(known().hash);
    if (method != nullptr) {
      if (is_none(*method))
        raise_as(refusals["unhashable"], span, "unhashable type: '{}'", instance->cls->short_name());
      Any result;
      state_->special(value, known().hash, {}, result, span);
      if (is_int(result)) return raw_int(result);
      raise(refusals["bad-hash"], span);
    }
    if (!is_none(instance->payload)) return hash(instance->payload, span);
  }
  Any plain = plain_number(value);
  if (!is_object(plain)) return hash(plain, span);
  if (as<ir::NDArrayNode>(value)) raise_as(refusals["unhashable"], span, "unhashable type: 'numpy.ndarray'");
  if (auto* key = as<ffi::StructuralKeyObj>(value)) return key->hash_i64;
  if (const ir::Api* row = hash_row(value)) {
    Any argument = value;
    ir::Span spans[] = {span};
    ir::ApiCall call{*row, *this, std::span<Any>(&argument, 1), span, spans};
    return raw_int(row->row.body(call));
  }
  // Classes of TVM that say what is equal, and not how to hash it.
  bool is_type = value.as<ir::TypeNode>() != nullptr && value.as<ir::PrimTypeNode>() == nullptr;
  if (is_type || value.as<ir::RangeNode>() != nullptr)
    raise_as(refusals["unhashable"], span, "unhashable type: '{}'", type_name_of(*this, value));
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(raw_object(value)) >> 4);
}

Any* dict_find(Evaluator& evaluator, const Any& dict, const Any& key, ir::Span span) {
  auto* map = static_cast<ffi::MapBaseObj*>(raw_object(dict));
  if (is_str(key)) return find_exact(map, key);
  if (has_own_equality(key)) {
    int64_t hash;
    if (!key_nodes_are_keys && plain_hash(key, hash)) return find_plain_tuple(map, key, hash);
    KeyPlace place = find_equal(evaluator, map, key, span);
    give_back(place.key);
    return place.value;
  }
  return find_spelling(map, stored_key(evaluator, key, span), nullptr);
}

void dict_set(Evaluator& evaluator, const Any& dict, const Any& key, const Any& value, ir::Span span) {
  auto* map = static_cast<ffi::MapBaseObj*>(raw_object(dict));
  Any stored;
  Any* found;
  uint64_t hash;
  if (is_str(key)) {
    stored = key;
    hash = ffi::AnyHash()(key);
    found = find_text(map, key, hash);
  } else if (has_own_equality(key)) {
    KeyPlace place = find_equal(evaluator, map, key, span);
    stored = std::move(place.key);
    hash = place.hash;
    found = place.value;
    if (found == nullptr && stored.type_index() != kTVMFFIArray) key_nodes_are_keys = true;
  } else {
    stored = stored_key(evaluator, key, span);
    hash = hash_of_stored(stored);
    found = find_spelling(map, stored, nullptr);
    if (is_bool(stored) || is_float(stored)) other_numbers_are_keys = true;
  }
  if (found != nullptr) {
    Any old = std::exchange(*found, value);  // goes last: what it leads to may look at the dict
    give_back(stored);
    return;
  }
  if (DictTable::add(map, stored, value, hash, hash_of_stored)) return;
  Dict handle(ffi::details::ObjectUnsafe::ObjectPtrFromUnowned<ffi::Object>(map));
  handle.Set(stored, value);
}

bool dict_remove(Evaluator& evaluator, const Any& dict, const Any& key, ir::Span span) {
  auto* map = static_cast<ffi::MapBaseObj*>(raw_object(dict));
  Any spelling;
  if (has_own_equality(key)) {
    KeyPlace place = find_equal(evaluator, map, key, span);
    if (place.value == nullptr) return false;
    spelling = std::move(place.key);
  } else if (find_spelling(map, stored_key(evaluator, key, span), &spelling) == nullptr) {
    return false;
  }
  map->erase(spelling);
  return true;
}

Any plain_key(const Any& stored) {
  if (auto* key = as<KeyNode>(stored)) return key->value;
  return stored;
}

void key_error(Evaluator& evaluator, const Any& key, ir::Span span, const Any& dict) {
  Any exception =
      evaluator.call(Any(evaluator.state().exception_class("KeyError")), std::span<const Any>(&key, 1));
  ir::Diagnostic diagnostic;
  diagnostic.name = "missing-key";
  diagnostic.kind = "KeyError";
  diagnostic.message = "there is no key " + evaluator.repr(key);
  diagnostic.span = span;
  if (dict.type_index() == kTVMFFIDict || dict.type_index() == kTVMFFIMap)
    diagnostic.help = key_hint(evaluator, dict, key);
  throw ScriptError(std::move(diagnostic), std::move(exception));
}

// ---- sets: CPython's table (open addressing, ten linear probes, then perturbation), so that the order is
// the same ----

namespace {
constexpr size_t kLinearProbes = 9;

}  // namespace

SetNode::SetNode(bool frozen) : frozen(frozen) { clear(); }

void SetNode::clear() {
  table.assign(8, Entry{unbound(), 0, false});
  used = filled = 0;
}

SetNode::Entry* SetNode::look(Evaluator& evaluator, const Any& value, int64_t hash) const {
  size_t mask = table.size() - 1;
  auto perturb = static_cast<uint64_t>(hash);
  size_t i = static_cast<uint64_t>(hash) & mask;
  auto* entries = const_cast<Entry*>(table.data());
  Entry* removed = nullptr;  // the last one on the way: what is added takes its place
  for (;;) {
    size_t probes = i + kLinearProbes <= mask ? kLinearProbes : 0;
    for (size_t j = i; j <= i + probes; ++j) {
      Entry& entry = entries[j];
      if (is_unbound(entry.value)) {
        if (!entry.removed) return removed != nullptr ? removed : &entry;
        removed = &entry;
      } else if (entry.hash == hash) {
        if (is_int(value) && is_int(entry.value)) {
          if (raw_int(value) == raw_int(entry.value)) return &entry;
        } else if (entry.value.same_as(value) || evaluator.equal(entry.value, value)) {
          return &entry;
        }
      }
    }
    perturb >>= 5;
    i = (i * 5 + 1 + perturb) & mask;
  }
}

void SetNode::insert_clean(Entry entry) {
  size_t mask = table.size() - 1;
  auto perturb = static_cast<uint64_t>(entry.hash);
  size_t i = static_cast<uint64_t>(entry.hash) & mask;
  for (;;) {
    size_t probes = i + kLinearProbes <= mask ? kLinearProbes : 0;
    for (size_t j = i; j <= i + probes; ++j) {
      if (is_unbound(table[j].value)) {
        table[j] = std::move(entry);
        return;
      }
    }
    perturb >>= 5;
    i = (i * 5 + 1 + perturb) & mask;
  }
}

void SetNode::resize(size_t at_least) {
  size_t size = 8;
  while (size <= at_least) size <<= 1;
  std::vector<Entry> old(size, Entry{unbound(), 0, false});
  old.swap(table);
  filled = used;
  for (Entry& entry : old) {
    if (!is_unbound(entry.value)) insert_clean(std::move(entry));
  }
}

bool SetNode::add(Evaluator& evaluator, const Any& value) {
  int64_t hash = is_int(value) ? hash_int(raw_int(value)) : evaluator.hash(value);
  Entry* entry = look(evaluator, value, hash);
  if (!is_unbound(entry->value)) return false;
  bool again = entry->removed;
  entry->value = value;
  entry->hash = hash;
  entry->removed = false;
  ++used;
  if (again) return true;
  ++filled;
  if (filled * 5 >= (table.size() - 1) * 3) resize(used > 50000 ? used * 2 : used * 4);
  return true;
}
void SetNode::merge(Evaluator& evaluator, const SetNode& other) {
  if (this == &other || other.used == 0) return;
  if ((filled + other.used) * 5 >= (table.size() - 1) * 3) resize((used + other.used) * 2);
  if (filled == 0 && table.size() == other.table.size() && other.filled == other.used) {
    table = other.table;
    used = filled = other.used;
    return;
  }
  bool empty = filled == 0;
  std::vector<Entry> entries = other.table;
  for (Entry& entry : entries) {
    if (is_unbound(entry.value)) continue;
    if (empty) {
      insert_clean(std::move(entry));
      ++used;
      ++filled;
    } else {
      add(evaluator, entry.value);
    }
  }
}
bool SetNode::contains(Evaluator& evaluator, const Any& value) const {
  return !is_unbound(look(evaluator, value, hash_sought(evaluator, value))->value);
}
bool SetNode::remove(Evaluator& evaluator, const Any& value) {
  Entry* entry = look(evaluator, value, hash_sought(evaluator, value));
  if (is_unbound(entry->value)) return false;
  Any old = std::move(entry->value);  // dropped when the table is whole again
  mark_unbound(entry->value);
  entry->hash = 0;
  entry->removed = true;
  --used;
  return true;
}
std::vector<Any> SetNode::elements() const {
  std::vector<Any> all;
  all.reserve(used);
  for (const Entry& entry : table) {
    if (!is_unbound(entry.value)) all.push_back(entry.value);
  }
  return all;
}

}  // namespace mlc::script
