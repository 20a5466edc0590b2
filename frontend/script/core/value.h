// SPDX-License-Identifier: Apache-2.0
// The objects scripts are made of, beside the plain values: None, bool, int (64 bits; wide_int.h beyond),
// float, str (ffi::String), list (ffi::List), tuple (ffi::Array), dict (ffi::Dict), np.ndarray (ir::NDArray),
// tvm tensors (ffi::Tensor). All of them are mutable and shared by reference, as in Python.
#pragma once

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/script/types/tuple.h"
#include "frontend/syntax/ast.h"
#include "ir/core/object.h"
#include "ir/registry/api.h"

namespace mlc::script {

namespace ffi = ::tvm::ffi;
using ffi::Any;
using ffi::String;
using syntax::Symbol;
using List = ffi::List<Any>;
using Dict = ffi::Dict<Any, Any>;
template <class N>
using Ref = ir::Ref<N>;

class Evaluator;
struct FunctionInfo;  // resolve.h

// A script object of type N, or null: exact type (all object types here but iterators are final).
template <class N>
N* as(const Any& value) {
  return const_cast<N*>(value.as<N>());
}

// "Nothing is bound here": the content of a name before its assignment. Never visible to scripts.
constexpr int32_t kUnbound = kTVMFFIAny;
Any unbound();
inline bool is_unbound(const Any& value) { return value.type_index() == kUnbound; }
// A slot that holds None becomes unbound; only its type word changes.
inline void mark_unbound(Any& none) { reinterpret_cast<TVMFFIAny&>(none).type_index = kUnbound; }

// A variable that closures share.
struct CellNode final : ffi::Object {
  Any value;
  explicit CellNode(Any value) : value(std::move(value)) {}
  MLC_NODE("mlc.script.cell", CellNode, ffi::Object);
};

// The names of one file (or of the REPL). A name gets its slot on first sight and keeps it, at the same
// address.
struct ModuleNode final : ffi::Object {
  struct Slot {
    Symbol name;
    Any value;
    Any builtin;  // what the name means while it is unbound; unbound itself for most names
  };
  class Slots {
   public:
    Slot& operator[](size_t i) const { return i < kChunk ? first_[i] : chunks_[i / kChunk][i % kChunk]; }
    size_t size() const { return size_; }
    void add(Slot slot);

   private:
    static constexpr size_t kChunk = 64;
    std::vector<std::unique_ptr<Slot[]>> chunks_;
    Slot* first_ = nullptr;  // the first of them: most programs need no other
    size_t size_ = 0;
  };
  std::string name;
  Slots slots;
  std::function<Any(Symbol)> builtin_of;  // what a new name means before the program binds it
  std::unordered_map<Symbol, uint32_t> index;
  bool postponed = false;  // `from __future__ import annotations`: annotations are kept as text

  explicit ModuleNode(std::string name) : name(std::move(name)) {}
  uint32_t slot_of(Symbol symbol);       // makes it when it is new
  const Any* find(Symbol symbol) const;  // bound by the program (not a builtin), or null
  void set(Symbol symbol, Any value);
  std::vector<const Slot*> bound() const;  // the slots with a value, in order of first sight
  MLC_NODE("mlc.script.module", ModuleNode, ffi::Object);
};

// A namespace of the api registry: `tvm`, `tvm.s_tir`, `numpy`. Members are found by path.
struct ApiModuleNode final : ffi::Object {
  std::string path;
  explicit ApiModuleNode(std::string path) : path(std::move(path)) {}
  MLC_NODE("mlc.script.api_module", ApiModuleNode, ffi::Object);
};

// A row of the api registry as a value; classes too (`tvm.s_tir.Schedule`). One object per row.
struct ApiFunctionNode final : ffi::Object {
  const ir::Api* api;
  explicit ApiFunctionNode(const ir::Api* api) : api(api) {}
  MLC_NODE("mlc.script.builtin_function_or_method", ApiFunctionNode, ffi::Object);
};

struct FunctionNode final : ffi::Object {
  const FunctionInfo* info;
  Ref<ModuleNode> module;
  std::vector<Any> defaults;     // of the last positional parameters
  std::vector<Any> kw_defaults;  // one per keyword-only parameter; unbound where there is none
  std::vector<Any> cells;        // captured variables, in the order of info->free_variables
  Any owner;                     // the class whose body defines it (for `super()`), or None
  std::vector<std::pair<Symbol, Any>> attributes;
  FunctionNode(const FunctionInfo* info, Ref<ModuleNode> module) : info(info), module(std::move(module)) {}
  MLC_NODE("mlc.script.function", FunctionNode, ffi::Object);
};

// A callable with its first argument: `obj.method`.
struct BoundMethodNode final : ffi::Object {
  Any self;
  Any callee;
  BoundMethodNode(Any self, Any callee) : self(std::move(self)), callee(std::move(callee)) {}
  MLC_NODE("mlc.script.method", BoundMethodNode, ffi::Object);
};

// The arguments of a call of a builtin.
struct Arguments {
  std::span<Any> positional;
  std::span<std::pair<std::string_view, Any>> keywords;
  ir::Span span;                         // of the whole call
  std::span<const ir::Span> spans = {};  // of the positional ones; may be empty
  size_t size() const { return positional.size(); }
  const Any& operator[](size_t i) const { return positional[i]; }
  ir::Span span_of(size_t i) const { return i < spans.size() && spans[i] ? spans[i] : span; }
  // The value of a keyword, taken out of the list; null when it is not given.
  const Any* keyword(std::string_view name) const;
};
// A function or method that the evaluator itself provides. Checks its own arguments.
struct BuiltinRow {
  std::string_view name;
  std::string_view signature;  // "(iterable, *, key=None, reverse=False)": shown by help
  std::string_view doc;
  Any (*body)(Evaluator&, const Arguments&);
  int8_t least = 0;  // number of positional arguments
  int8_t most = 127;
  std::string_view keywords = {};  // accepted keyword names, separated by blanks
  // Answers what is usual at once: positional arguments (after the object of a method) that lie where they
  // are, a result that the caller owns. False, with nothing done, for all else: `body` answers that.
  bool (*quick)(Evaluator&, std::span<const Any> args, TVMFFIAny& out) = nullptr;
};
struct BuiltinNode final : ffi::Object {
  const BuiltinRow* row;
  std::string_view owner;  // "" for functions, "str" for methods of str
  BuiltinNode(const BuiltinRow* row, std::string_view owner) : row(row), owner(owner) {}
  MLC_NODE("mlc.script.builtin", BuiltinNode, ffi::Object);
};

// A class: written in a script, or one of the builtin types (`int`, `ValueError`).
struct ClassNode final : ffi::Object {
  std::string name;                 // `__qualname__`: with the scopes around it
  std::string renamed;              // what was assigned to `__name__` or kept from it; else empty
  std::string module = "__main__";  // "builtins" for those of Python
  std::vector<Ref<ClassNode>> bases;
  std::vector<ClassNode*> mro;  // this class first; owned through `bases`
  std::vector<std::pair<Symbol, Any>> members;
  Any (*construct)(Evaluator&, const Ref<ClassNode>&, const Arguments&) = nullptr;  // builtin types
  bool is_exception = false;
  bool scripted = false;            // made by a class statement
  bool has_getattr = false;         // some class of the mro defines __getattr__
  mutable uint32_t attributes = 0;  // how many its instances had at the most: room for new ones
  bool plain = true;  // instances are made by `__init__` alone: no __new__, no builtin type below
  std::optional<std::vector<Symbol>> slots;  // the attributes that __slots__ named when the class was made
  bool slotted = false;                      // every class of the mro names its attributes in __slots__
  const ClassNode* data = nullptr;         // the builtin type (dict, str, ...) whose values the instances are
  Ref<ClassNode> metaclass;                // null: `type`
  std::vector<Ref<ClassNode>> registered;  // ABCMeta.register: classes that count as derived from this one
  static inline thread_local bool any_registered = false;
  ir::Span text;  // the class statement with its decorators

  explicit ClassNode(std::string name) : name(std::move(name)) {}
  const Any* own(Symbol member) const;
  // Along the mro; null when there is none. The pointer is good until any class changes.
  const Any* find(Symbol member) const {
    const Found& found = found_[member.id() % kFound];
    return found.name == member && found.version == version ? found.member : search(member);
  }
  void set(Symbol member, Any value);
  bool erase(Symbol member);  // false when it was not there
  static void changed() {
    ++version;
  }  // to be called after members or the mro of a class were changed by hand
  bool has_slot(Symbol attribute) const {  // is it this class that names it in __slots__?
    return slots && std::find(slots->begin(), slots->end(), attribute) != slots->end();
  }
  bool derives_from(const ClassNode* base) const;
  // The same, or by ABCMeta.register: what issubclass() answers.
  bool counts_as(const ClassNode* base) const;
  std::string_view short_name() const {  // `__name__`
    return !renamed.empty() ? std::string_view(renamed) : std::string_view(name).substr(name.rfind('.') + 1);
  }
  std::string shown() const;  // "<class '__main__.Point'>"
  MLC_NODE("mlc.script.type", ClassNode, ffi::Object);

 private:
  struct Found {
    Symbol name;
    uint32_t version = 0;
    const Any* member = nullptr;
  };
  static constexpr size_t kFound = 32;
  static inline thread_local uint32_t version = 1;  // of all classes together
  const Any* search(Symbol member) const;
  mutable Found found_[kFound];  // answers, each good for one version
};

// An object of a script class; exceptions too, whose `args` are an attribute.
struct InstanceNode final : ffi::Object {
  Ref<ClassNode> cls;
  std::vector<std::pair<Symbol, Any>> attributes;
  Any dict;  // where further attributes are once `__dict__` was asked for: a dict that is theirs; else None
  Any payload;  // the dict, str, ... that an object of a class derived from a builtin type is; else None
  std::vector<ir::Diagnostic> diagnostics;  // of an exception that mlc itself raised
  ir::Span raised_at;                       // of an exception: where it was raised first
  Symbol caught_in;                         // ... the function whose `except` or `with` saw it last
  std::vector<ir::PassedCall> passed;       // ... and the calls it has left before it was caught last
  explicit InstanceNode(Ref<ClassNode> cls) : cls(std::move(cls)) {}
  // A long list of objects, each the attribute of another, is not taken apart by recursion.
  ~InstanceNode() {
    if (++ending == kMostEnding) [[unlikely]] {
      put_off(std::move(attributes));
    } else {
      attributes.clear();
    }
    if (--ending == 0 && any_put_off) [[unlikely]]
      end_put_off();
  }
  const Any* own(Symbol name) const;
  // The same, looked for first where it was `last`; that is updated.
  Any* own(Symbol name, uint32_t& last) {
    if (last < attributes.size() && attributes[last].first == name) [[likely]]
      return &attributes[last].second;
    return search(name, last);
  }
  void set(Symbol name, Any value);
  // One that is not there yet, while there is no `dict`.
  void add(Symbol name, Any value) {
    if (attributes.empty()) attributes.reserve(cls->attributes);
    attributes.emplace_back(name, std::move(value));
    if (attributes.size() > cls->attributes) cls->attributes = static_cast<uint32_t>(attributes.size());
  }
  bool erase(Symbol name);
  // `__dict__`: from now on the attributes are in it, whoever changes it.
  const Any& own_dict();
  void each_name(const std::function<void(std::string_view)>& visit) const;
  MLC_NODE("mlc.script.object", InstanceNode, ffi::Object);

 private:
  Any* search(Symbol name, uint32_t& last);

  static constexpr int kMostEnding = 200;
  static inline thread_local int ending = 0;  // destructors that run, one inside the other
  static inline thread_local bool any_put_off = false;
  static void put_off(std::vector<std::pair<Symbol, Any>>&& attributes);
  static void end_put_off();
};

struct PropertyNode final : ffi::Object {
  Any getter, setter, deleter;
  Any doc;  // None: the getter's
  PropertyNode(Any getter, Any setter, Any deleter, Any doc = nullptr)
      : getter(std::move(getter)),
        setter(std::move(setter)),
        deleter(std::move(deleter)),
        doc(std::move(doc)) {}
  MLC_NODE("mlc.script.property", PropertyNode, ffi::Object);
};
struct StaticMethodNode final : ffi::Object {
  Any callee;
  bool takes_class;  // @classmethod
  StaticMethodNode(Any callee, bool takes_class) : callee(std::move(callee)), takes_class(takes_class) {}
  MLC_NODE("mlc.script.staticmethod", StaticMethodNode, ffi::Object);
};
struct SuperNode final : ffi::Object {
  Ref<ClassNode> after;  // the search begins behind this class
  Any self;
  SuperNode(Ref<ClassNode> after, Any self) : after(std::move(after)), self(std::move(self)) {}
  MLC_NODE("mlc.script.super", SuperNode, ffi::Object);
};

struct SliceNode final : ffi::Object {
  Any start, stop, step;  // None where left out
  SliceNode(Any start, Any stop, Any step)
      : start(std::move(start)), stop(std::move(stop)), step(std::move(step)) {}
  MLC_NODE("mlc.script.slice", SliceNode, ffi::Object);
};
using Slice = Ref<SliceNode>;

struct RangeNode final : ffi::Object {
  int64_t start, stop, step;
  RangeNode(int64_t start, int64_t stop, int64_t step) : start(start), stop(stop), step(step) {}
  int64_t size() const;
  int64_t at(int64_t i) const { return start + i * step; }
  MLC_NODE("mlc.script.range", RangeNode, ffi::Object);
};

// A set; elements in CPython's order for the hashes that are the same as CPython's (numbers, tuples of them).
struct SetNode final : ffi::Object {
  struct Entry {
    Any value;  // unbound: free
    int64_t hash = 0;
    bool removed = false;
  };
  bool frozen;
  std::vector<Entry> table;
  size_t used = 0;    // elements
  size_t filled = 0;  // elements and removed entries
  explicit SetNode(bool frozen = false);
  bool add(Evaluator& evaluator, const Any& value);        // false when it was there
  void merge(Evaluator& evaluator, const SetNode& other);  // adds all, in CPython's order
  bool contains(Evaluator& evaluator, const Any& value) const;
  bool remove(Evaluator& evaluator, const Any& value);
  void clear();
  void take(const SetNode& other) {  // the elements of another for its own
    table = other.table;
    used = other.used;
    filled = other.filled;
  }
  std::vector<Any> elements() const;
  MLC_NODE("mlc.script.set", SetNode, ffi::Object);

 private:
  Entry* look(Evaluator& evaluator, const Any& value, int64_t hash) const;
  void insert_clean(Entry entry);
  void resize(size_t at_least);
};

// dict.keys(), .values(), .items(): live views.
struct DictViewNode final : ffi::Object {
  enum class Kind : uint8_t { kKeys, kValues, kItems };
  Any dict;  // a Dict, or a Map of an IR object
  Kind kind;
  DictViewNode(Any dict, Kind kind) : dict(std::move(dict)), kind(kind) {}
  MLC_NODE("mlc.script.dict_view", DictViewNode, ffi::Object);
};

// `...` and NotImplemented.
struct SingletonNode final : ffi::Object {
  std::string_view name;
  explicit SingletonNode(std::string_view name) : name(name) {}
  MLC_NODE("mlc.script.singleton", SingletonNode, ffi::Object);
};
Any ellipsis();
Any not_implemented();

// What `iter()` gives and `for` consumes. One type; the kinds differ in `next`.
struct IteratorNode : ffi::Object {
  std::string_view name;  // "list_iterator", "zip", "generator", ...
  explicit IteratorNode(std::string_view name) : name(name) {}
  virtual ~IteratorNode() = default;
  virtual bool next(Evaluator& evaluator, Any& out) = 0;     // false at the end
  virtual std::string text(Evaluator&) const { return ""; }  // its repr, when that shows more than an address
  static constexpr bool _type_mutable = true;
  MLC_NODE("mlc.script.iterator", IteratorNode, ffi::Object);
};
using Iterator = Ref<IteratorNode>;
inline IteratorNode* value_as_iterator(const Any& value) {
  // All iterators share one type index.
  return value.type_index() == IteratorNode::RuntimeTypeIndex()
             ? static_cast<IteratorNode*>(
                   reinterpret_cast<ffi::Object*>(reinterpret_cast<const TVMFFIAny&>(value).v_obj))
             : nullptr;
}
// Makes an iterator of its C++ type; all share the type key of IteratorNode.
template <class N, class... Args>
Any make_iterator(Args&&... args) {
  return Any(
      ir::Ref<IteratorNode>(ffi::ObjectPtr<IteratorNode>(ffi::make_object<N>(std::forward<Args>(args)...))));
}

inline bool is_str(const Any& value) {
  return value.type_index() == kTVMFFISmallStr || value.type_index() == kTVMFFIStr;
}
// The text of a str without a copy; valid as long as `value` is.
std::string_view text_of(const Any& value);
Any str_value(std::string_view text);
inline bool is_int(const Any& value) { return value.type_index() == kTVMFFIInt; }
inline bool is_bool(const Any& value) { return value.type_index() == kTVMFFIBool; }
inline bool is_float(const Any& value) { return value.type_index() == kTVMFFIFloat; }
inline bool is_none(const Any& value) { return value.type_index() == kTVMFFINone; }
inline bool is_object(const Any& value) { return value.type_index() >= kTVMFFIStaticObjectBegin; }
// The builtin value an object of a class derived from a builtin type stands for; anything else as it is.
inline const Any& builtin_value_of(const Any& value) {
  auto* instance = as<InstanceNode>(value);
  return instance == nullptr || is_none(instance->payload) ? value : instance->payload;
}
// The words of a value whose type index has been looked at.
inline int64_t raw_int(const Any& value) { return reinterpret_cast<const TVMFFIAny&>(value).v_int64; }
inline double raw_float(const Any& value) { return reinterpret_cast<const TVMFFIAny&>(value).v_float64; }
inline ffi::Object* raw_object(const Any& value) {
  return reinterpret_cast<ffi::Object*>(reinterpret_cast<const TVMFFIAny&>(value).v_obj);
}
// The elements of a list or tuple, in place.
inline std::span<Any> elements(const Any& sequence) {
  auto* object = static_cast<ffi::SeqBaseObj*>(raw_object(sequence));
  return {const_cast<Any*>(object->begin()), object->size()};
}

}  // namespace mlc::script
