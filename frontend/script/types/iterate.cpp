// SPDX-License-Identifier: Apache-2.0
// Iteration over every kind of value, zip/map/filter/enumerate/reversed, lengths and slice bounds.
#include <algorithm>

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/machine.h"
#include "frontend/script/modules/traceback.h"
#include "frontend/script/types/dict_table.h"
#include "frontend/script/types/text_points.h"
#include "frontend/script/types/wide_int.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "changed-during-iteration",
         .kind = "RuntimeError",
         .meaning = "A dict or set got or lost an element while a loop went over it. Loop over a copy.",
         .wrong = R"(d = {1: 2}
for k in d:
    d[k + 1] = 0)",
         .right = R"(d = {1: 2}
for k in list(d):
    d[k + 1] = 0)"},
        {.name = "negative-length",
         .message = "__len__() should return >= 0",
         .meaning = "`__len__` gives a count.",
         .wrong = R"(class A:
    def __len__(self):
        return -1
len(A()))",
         .right = R"(class A:
    def __len__(self):
        return 1
len(A()))"},
        {.name = "no-length",
         .kind = "TypeError",
         .meaning = "Only containers and text have a length.",
         .wrong = "len(5)",
         .right = "len([5])"},
        {.name = "not-an-iterator",
         .kind = "TypeError",
         .meaning = "`next` asks iterators; `iter` makes one of a list.",
         .wrong = "next([1])",
         .right = "next(iter([1]))"},
        {.name = "not-reversible",
         .kind = "TypeError",
         .message = "'{}' object is not reversible",
         .meaning = "Only what has an order and a length goes backwards.",
         .wrong = "reversed({1})",
         .right = "reversed([1])"},
        {.name = "zero-step",
         .message = "slice step cannot be zero",
         .meaning = "A step of 0 comes to no end.",
         .wrong = "[1, 2][::0]",
         .right = "[1, 2][::1]"},
        {.name = "zip-lengths",
         .message = "the arguments of zip() have different lengths",
         .meaning = "`zip(..., strict=True)` found one of its lists shorter.",
         .wrong = "list(zip([1], [1, 2], strict=True))",
         .right = "list(zip([1], [1, 2]))"},
    }};
MLC_REFUSALS(types_iterate, refusals);

using State = Evaluator::State;

namespace {

// The pairs that a loop walks: the last one again with other elements, if nobody has kept it.
class Pairs {
 public:
  const Any& of(Any first, Any second) {
    if (is_object(last_) && raw_object(last_)->unique()) {
      std::span<Any> pair = elements(last_);
      pair[0] = std::move(first);
      pair[1] = std::move(second);
    } else {
      Any pair[] = {std::move(first), std::move(second)};
      last_ = Tuple(std::make_move_iterator(std::begin(pair)), std::make_move_iterator(std::end(pair)));
    }
    return last_;
  }

 private:
  Any last_ = nullptr;
};

struct SequenceIterator final : IteratorNode {  // list, tuple
  Any sequence;
  size_t at = 0;
  SequenceIterator(Any sequence, std::string_view name) : IteratorNode(name), sequence(std::move(sequence)) {}
  bool next(Evaluator&, Any& out) override {
    std::span<Any> all = elements(sequence);
    if (at >= all.size()) return false;
    out = all[at++];
    return true;
  }
};
struct RangeIterator final : IteratorNode {
  int64_t value, left, step;
  explicit RangeIterator(const RangeNode& range)
      : IteratorNode("range_iterator"), value(range.start), left(range.size()), step(range.step) {}
  bool next(Evaluator&, Any& out) override {
    if (left <= 0) return false;
    --left;
    out = value;
    if (left > 0) value += step;
    return true;
  }
};
struct TextIterator final : IteratorNode {
  Any text;
  size_t at = 0;
  explicit TextIterator(Any text)
      : IteratorNode(static_cast<size_t>(text_length(text)) == text_of(text).size() ? "str_ascii_iterator"
                                                                                    : "str_iterator"),
        text(std::move(text)) {}
  bool next(Evaluator&, Any& out) override {
    std::string_view all = text_of(text);
    if (at >= all.size()) return false;
    size_t end = advanced(all, at, 1);
    out = str_value(all.substr(at, end - at));
    at = end;
    return true;
  }
};
// Over elements that were copied: sets, shapes, bytes.
struct CopyIterator final : IteratorNode {
  std::vector<Any> values;
  size_t at = 0;
  CopyIterator(std::vector<Any> values, std::string_view name)
      : IteratorNode(name), values(std::move(values)) {}
  bool next(Evaluator&, Any& out) override {
    if (at >= values.size()) return false;
    out = std::move(values[at++]);
    return true;
  }
};
struct SetIterator final : IteratorNode {
  Ref<SetNode> set;
  std::vector<Any> values;
  size_t used;
  size_t at = 0;
  explicit SetIterator(const SetNode* of)
      : IteratorNode("set_iterator"), set(ir::ref(of)), values(of->elements()), used(of->used) {}
  bool next(Evaluator&, Any& out) override {
    if (at > values.size()) return false;  // finished
    if (set->used != used) [[unlikely]] {
      used = ~size_t{0};
      raise_as(refusals["changed-during-iteration"], {}, "Set changed size during iteration");
    }
    if (at == values.size()) {
      ++at;
      return false;
    }
    out = std::move(values[at++]);
    return true;
  }
};
struct DictIterator final : IteratorNode {
  Any dict;
  DictViewNode::Kind kind;
  ffi::MapBaseObj::iterator at;
  size_t size;
  size_t given = 0;
  bool finished = false;
  Pairs pairs;
  DictIterator(Any dict, DictViewNode::Kind kind)
      : IteratorNode(kind == DictViewNode::Kind::kKeys     ? "dict_keyiterator"
                     : kind == DictViewNode::Kind::kValues ? "dict_valueiterator"
                                                           : "dict_itemiterator"),
        dict(std::move(dict)),
        kind(kind),
        at(map()->begin()),
        size(map()->size()) {}
  ffi::MapBaseObj* map() const { return static_cast<ffi::MapBaseObj*>(raw_object(dict)); }
  bool next(Evaluator&, Any& out) override {
    if (finished) return false;
    // Of the same size it may still be another table.
    if (map()->size() != size || (given < size && !DictTable::stands_at_entry(map(), at))) {
      finished = true;
      raise_as(refusals["changed-during-iteration"], {}, "dictionary changed size during iteration");
    }
    if (given == size) {
      finished = true;
      return false;
    }
    auto& [key, value] = *at;
    switch (kind) {
      case DictViewNode::Kind::kKeys:
        out = plain_key(key);
        break;
      case DictViewNode::Kind::kValues:
        out = value;
        break;
      case DictViewNode::Kind::kItems:
        out = pairs.of(plain_key(key), value);
        break;
    }
    ++at;
    if (++given < size) __builtin_prefetch(&*at);  // entries lie far apart, in the order of their hashes
    return true;
  }
};
struct ArrayIterator final : IteratorNode {  // rows of an np.ndarray
  Any array;
  int64_t at = 0;
  int64_t size;
  ArrayIterator(Any array, int64_t size)
      : IteratorNode("array_iterator"), array(std::move(array)), size(size) {}
  bool next(Evaluator& evaluator, Any& out) override {
    if (at >= size) return false;
    out = array_subscript(evaluator, array, Any(at++), {});
    return true;
  }
};
struct GetItemIterator final : IteratorNode {  // the old protocol: __getitem__ until IndexError
  Any object;
  int64_t at = 0;
  explicit GetItemIterator(Any object) : IteratorNode("iterator"), object(std::move(object)) {}
  bool next(Evaluator& evaluator, Any& out) override {
    try {
      out = evaluator.subscript(object, Any(at++));
      return true;
    } catch (ir::Error& error) {
      Any exception = evaluator.state().exception_of(error);
      auto* instance = as<InstanceNode>(exception);
      if (instance != nullptr && instance->cls->derives_from(exception_classes().at("IndexError").get()))
        return false;
      throw;
    }
  }
};
struct EnumerateIterator final : IteratorNode {
  Any inner;
  int64_t count;
  Pairs pairs;
  EnumerateIterator(Any inner, int64_t count)
      : IteratorNode("enumerate"), inner(std::move(inner)), count(count) {}
  bool next(Evaluator& evaluator, Any& out) override {
    Any value;
    if (!evaluator.next(inner, value)) return false;
    out = pairs.of(Any(count++), std::move(value));
    return true;
  }
};
struct ZipIterator final : IteratorNode {
  std::vector<Any> inner;
  bool strict;
  Pairs pairs;
  ZipIterator(std::vector<Any> inner, bool strict)
      : IteratorNode("zip"), inner(std::move(inner)), strict(strict) {}
  bool next(Evaluator& evaluator, Any& out) override {
    if (inner.empty()) return false;
    if (inner.size() == 2 && !strict) {
      Any first, second;
      if (!evaluator.next(inner[0], first) || !evaluator.next(inner[1], second)) return false;
      out = pairs.of(std::move(first), std::move(second));
      return true;
    }
    State& state = evaluator.state();
    State::Mark mark(state);
    for (size_t i = 0; i < inner.size(); ++i) {
      Any value;
      if (evaluator.next(inner[i], value)) {
        state.push(std::move(value));
        continue;
      }
      Any ignored;
      bool differ = strict && i > 0;
      for (size_t k = 1; strict && k < inner.size(); ++k)
        differ = differ || evaluator.next(inner[k], ignored);
      if (differ) raise(refusals["zip-lengths"], {});
      return false;
    }
    out = Tuple(std::make_move_iterator(mark.base), std::make_move_iterator(state.top));
    return true;
  }
};
struct MapIterator final : IteratorNode {
  Any callee;
  std::vector<Any> inner;
  MapIterator(Any callee, std::vector<Any> inner)
      : IteratorNode("map"), callee(std::move(callee)), inner(std::move(inner)) {}
  bool next(Evaluator& evaluator, Any& out) override {
    State::Mark mark(evaluator.state());
    for (Any& each : inner) {
      Any value;
      if (!evaluator.next(each, value)) return false;
      evaluator.state().push(std::move(value));
    }
    Keywords none;
    out = evaluator.state().call_on_stack(callee, mark.base, none, {}, {});
    return true;
  }
};
struct FilterIterator final : IteratorNode {
  Any callee, inner;
  FilterIterator(Any callee, Any inner)
      : IteratorNode("filter"), callee(std::move(callee)), inner(std::move(inner)) {}
  bool next(Evaluator& evaluator, Any& out) override {
    while (evaluator.next(inner, out)) {
      if (is_none(callee) ? evaluator.truth(out)
                          : evaluator.truth(evaluator.call(callee, std::span<const Any>(&out, 1)))) {
        return true;
      }
    }
    return false;
  }
};
struct ReversedIterator final : IteratorNode {
  Any sequence;
  int64_t at;
  ReversedIterator(Any sequence, int64_t size)
      : IteratorNode("reversed"), sequence(std::move(sequence)), at(size) {}
  bool next(Evaluator& evaluator, Any& out) override {
    if (at <= 0) return false;
    --at;
    out = evaluator.subscript(sequence, Any(at));
    return true;
  }
};

}  // namespace

Any call_iterator_type(Evaluator& evaluator, std::string_view name, const Arguments& args) {
  auto iterator = [&](size_t i) { return evaluator.iterate(args[i], args.span_of(i)); };
  auto expect = [&](size_t least, size_t most) {
    if (args.size() < least || args.size() > most) {
      size_t wanted = args.size() < least ? least : most;
      raise("TypeError", args.span, "wrong-argument-count", "{}() takes {} ({} given)", name,
            counted(wanted, "argument"), args.size());
    }
  };
  if (name == "enumerate") {
    expect(1, 2);
    const Any* start = args.size() == 2 ? &args[1] : args.keyword("start");
    int64_t first = start == nullptr ? 0 : index_value(evaluator, *start, args.span, "enumerate() start");
    return make_iterator<EnumerateIterator>(iterator(0), first);
  }
  if (name == "reversed") {
    expect(1, 1);
    return reversed_iterator(evaluator, args[0], args.span_of(0));
  }
  if (name == "filter") {
    expect(2, 2);
    return make_iterator<FilterIterator>(args[0], iterator(1));
  }
  size_t first = name == "map" ? 1 : 0;
  if (first == 1) expect(2, 1000);
  std::vector<Any> inner;
  for (size_t i = first; i < args.size(); ++i) inner.push_back(iterator(i));
  if (first == 1) return make_iterator<MapIterator>(args[0], std::move(inner));
  const Any* strict = args.keyword("strict");
  return make_iterator<ZipIterator>(std::move(inner), strict != nullptr && evaluator.truth(*strict));
}

namespace {
bool iterable_by_length(const Any& value) { return is_str(value) || is_bytes(value) || is_object(value); }
}  // namespace

Any reversed_iterator(Evaluator& evaluator, const Any& value, ir::Span span) {
  if (auto* range = as<RangeNode>(value)) {
    int64_t size = range->size();
    if (size == 0) return make_iterator<RangeIterator>(RangeNode(0, 0, 1));
    return make_iterator<RangeIterator>(
        RangeNode(range->at(size - 1), range->start - range->step, -range->step));
  }
  if (value.type_index() == kTVMFFIDict || value.type_index() == kTVMFFIMap || as<DictViewNode>(value)) {
    std::vector<Any> all = evaluator.elements_of(value, span);
    std::reverse(all.begin(), all.end());
    return make_iterator<CopyIterator>(std::move(all), "dict_reversekeyiterator");
  }
  Any result;
  if (evaluator.state().special(value, known().reversed, {}, result, span)) return result;
  auto* instance = as<InstanceNode>(value);
  if (instance != nullptr && instance->payload.type_index() == kTVMFFIDict)
    return reversed_iterator(evaluator, instance->payload, span);
  bool sequence =
      instance != nullptr ? instance->cls->find(known().getitem) != nullptr : iterable_by_length(value);
  if (!sequence || as<SetNode>(value) != nullptr || value.as<IteratorNode>() != nullptr) {
    raise(refusals["not-reversible"], span, type_name_of(evaluator, value));
  }
  return make_iterator<ReversedIterator>(value, evaluator.length(value, span));
}

Any Evaluator::iterate(const Any& value, ir::Span span) {
  switch (value.type_index()) {
    case kTVMFFIList:
      return make_iterator<SequenceIterator>(value, "list_iterator");
    case kTVMFFIArray:
      return make_iterator<SequenceIterator>(value, "tuple_iterator");
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return make_iterator<TextIterator>(value);
    case kTVMFFIDict:
    case kTVMFFIMap:
      return make_iterator<DictIterator>(value, DictViewNode::Kind::kKeys);
    case kTVMFFIShape:
      return make_iterator<CopyIterator>(elements_of(value, span), "tuple_iterator");
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return make_iterator<CopyIterator>(elements_of(value, span), "bytes_iterator");
    default:
      break;
  }
  if (!is_object(value)) {
    raise("TypeError", span, "not-iterable", "'{}' object is not iterable", type_name_of(*this, value));
  }
  if (value.as<IteratorNode>() != nullptr) return value;
  if (auto* range = as<RangeNode>(value)) return make_iterator<RangeIterator>(*range);
  if (auto* set = as<SetNode>(value)) return make_iterator<SetIterator>(set);
  if (auto* view = as<DictViewNode>(value)) return make_iterator<DictIterator>(view->dict, view->kind);
  if (auto* array = as<ir::NDArrayNode>(value)) {
    if (array->tensor.ndim() == 0) {
      raise("TypeError", span, "not-iterable", "iteration over a 0-d array");
    }
    return make_iterator<ArrayIterator>(value, array->tensor.size(0));
  }
  auto* cls = as<ClassNode>(value);
  if (auto* instance = as<InstanceNode>(value); instance != nullptr || (cls != nullptr && cls->metaclass)) {
    Any iterator;
    if (state_->special(value, known().iter, {}, iterator, span)) {
      if (iterator.as<IteratorNode>() != nullptr) return iterator;
      auto* inner = as<InstanceNode>(iterator);
      if (inner == nullptr || inner->cls->find(known().next) == nullptr) {
        raise_as(refusals["not-an-iterator"], span, "iter() returned non-iterator of type '{}'",
                 type_name_of(*this, iterator));
      }
      return iterator;
    }
    if (instance != nullptr && instance->cls->find(known().getitem) != nullptr)
      return make_iterator<GetItemIterator>(value);
  } else if (ir::ApiRegistry::global().method(value.type_index(), "__next__") != nullptr) {
    return value;
  } else if (const ir::Api* api = ir::ApiRegistry::global().method(value.type_index(), "__iter__")) {
    return iterate(call(Any(ir::make<BoundMethodNode>(value, state_->api_value(api))), {}, {}, span), span);
  } else if (ir::ApiRegistry::global().method(value.type_index(), "__getitem__") != nullptr &&
             ir::ApiRegistry::global().method(value.type_index(), "__len__") != nullptr) {
    return make_iterator<GetItemIterator>(value);
  } else if (auto items = ir_tuple_items(value, span)) {
    return make_iterator<CopyIterator>(std::move(*items), "iterator");
  }
  raise("TypeError", span, "not-iterable", "'{}' object is not iterable", type_name_of(*this, value));
}

bool Evaluator::next(const Any& iterator, Any& out, ir::Span span) {
  if (auto* builtin = value_as_iterator(iterator)) {
    state_->check_stack(span);
    state_->check_interrupt(span);
    try {
      return builtin->next(*this, out);
    } catch (ir::Error& error) {
      left_builtin(error, "", span);
      throw;
    }
  }
  try {
    if (state_->special(iterator, known().next, {}, out, span) ||
        state_->registered(iterator, "__next__", {}, out, span))
      return true;
  } catch (ir::Error& error) {
    Any exception = state_->exception_of(error);
    auto* instance = as<InstanceNode>(exception);
    static thread_local const ClassNode* stop = exception_classes().at("StopIteration").get();
    if (instance != nullptr && instance->cls->derives_from(stop)) return false;
    throw;
  }
  raise_as(refusals["not-an-iterator"], span, "'{}' object is not an iterator",
           type_name_of(*this, iterator));
}

std::vector<Any> Evaluator::elements_of(const Any& iterable, ir::Span span) {
  std::vector<Any> result;
  switch (iterable.type_index()) {
    case kTVMFFIList:
    case kTVMFFIArray: {
      std::span<Any> all = elements(iterable);
      return {all.begin(), all.end()};
    }
    case kTVMFFIShape:
      for (int64_t dim : iterable.cast<ffi::Shape>()) result.push_back(Any(dim));
      return result;
    case kTVMFFISmallBytes:
    case kTVMFFIBytes: {
      auto bytes = iterable.cast<ffi::Bytes>();
      for (size_t i = 0; i < bytes.size(); ++i)
        result.push_back(Any(static_cast<int64_t>(static_cast<unsigned char>(bytes.data()[i]))));
      return result;
    }
    default:
      break;
  }
  if (auto* range = as<RangeNode>(iterable)) {
    int64_t size = range->size();
    result.reserve(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      if ((i & 0xffff) == 0) state_->check_interrupt(span);
      result.push_back(Any(range->at(i)));
    }
    return result;
  }
  if (auto* set = as<SetNode>(iterable)) return set->elements();
  Any iterator = iterate(iterable, span);
  Any value;
  while (next(iterator, value, span)) {
    state_->check_interrupt(span);
    result.push_back(std::move(value));
  }
  return result;
}

void Evaluator::each_of(const Any& iterable, ir::Span span, const std::function<bool(Any&)>& visit) {
  bool made = is_object(iterable) &&
              (iterable.as<IteratorNode>() || as<InstanceNode>(iterable) || as<RangeNode>(iterable));
  if (!made) {
    for (Any& value : elements_of(iterable, span)) {
      if (!visit(value)) return;
    }
    return;
  }
  Any iterator = iterate(iterable, span);
  Any value;
  while (next(iterator, value, span)) {
    state_->check_interrupt(span);
    if (!visit(value)) return;
  }
}

int64_t Evaluator::length(const Any& value, ir::Span span) {
  switch (value.type_index()) {
    case kTVMFFIList:
    case kTVMFFIArray:
      return static_cast<int64_t>(elements(value).size());
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return text_length(value);
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return static_cast<int64_t>(value.cast<ffi::Bytes>().size());
    case kTVMFFIDict:
    case kTVMFFIMap:
      return static_cast<int64_t>(static_cast<ffi::MapBaseObj*>(raw_object(value))->size());
    case kTVMFFIShape:
      return static_cast<int64_t>(value.cast<ffi::Shape>().size());
    default:
      break;
  }
  if (auto* range = as<RangeNode>(value)) return range->size();
  if (auto* set = as<SetNode>(value)) return static_cast<int64_t>(set->used);
  if (auto* view = as<DictViewNode>(value)) return length(view->dict, span);
  if (auto* array = as<ir::NDArrayNode>(value)) {
    if (array->tensor.ndim() == 0) raise_as(refusals["no-length"], span, "len() of unsized object");
    return array->tensor.size(0);
  }
  Any result;
  if (state_->special(value, known().len, {}, result, span)) {
    if (!is_int(result)) {
      raise("TypeError", span, "wrong-type", "'{}' object cannot be interpreted as an integer",
            type_name_of(*this, result));
    }
    if (raw_int(result) < 0) raise(refusals["negative-length"], span);
    return raw_int(result);
  }
  if (state_->registered(value, "__len__", {}, result, span)) return raw_int(result);
  raise_as(refusals["no-length"], span, "object of type '{}' has no len()", type_name_of(*this, value));
}

int64_t index_value(Evaluator& evaluator, const Any& value, ir::Span span, std::string_view what) {
  Any plain = plain_number(value);
  if (is_int(plain) || is_bool(plain)) return raw_int(plain);
  if (auto* wide = as_wide(plain)) {
    if (what.starts_with("slice indices")) return wide->negative ? -INT64_MAX : INT64_MAX;
    if (what.ends_with("indices"))
      raise("IndexError", span, "index-out-of-range", "cannot fit 'int' into an index-sized integer");
    raise("OverflowError", span, "integer-overflow", "Python int too large to convert to C long");
  }
  Any result;
  if (evaluator.state().special(value, known().index, {}, result, span)) {
    if (is_int(result)) return raw_int(result);
    raise("TypeError", span, "wrong-type", "__index__ returned non-int (type {})",
          type_name_of(evaluator, result));
  }
  if (what.starts_with("slice indices")) {
    bool none = what.ends_with("None");
    raise("TypeError", span, "wrong-index", "slice indices must be integers {}or have an __index__ method",
          none ? "or None " : "");
  }
  if (what.ends_with("indices")) {
    raise("TypeError", span, "wrong-index", "{} must be integers or slices, not {}", what,
          type_name_of(evaluator, value));
  }
  raise("TypeError", span, "wrong-type", "'{}' object cannot be interpreted as an integer",
        type_name_of(evaluator, value));
}

SliceBounds slice_bounds(Evaluator& evaluator, const SliceNode& slice, int64_t size, ir::Span span) {
  auto part = [&](const Any& value, int64_t otherwise) {
    if (is_none(value)) return otherwise;
    return index_value(evaluator, value, span, "slice indices or None");
  };
  SliceBounds bounds{};
  bounds.step = part(slice.step, 1);
  if (bounds.step == 0) raise(refusals["zero-step"], span);
  auto clamp = [&](int64_t i, int64_t low, int64_t high) {
    if (i < 0) i += size;
    return std::clamp(i, low, high);
  };
  if (bounds.step > 0) {
    bounds.start = clamp(part(slice.start, 0), 0, size);
    bounds.stop = is_none(slice.stop) ? size : clamp(part(slice.stop, size), 0, size);
    bounds.count = bounds.start < bounds.stop ? (bounds.stop - bounds.start - 1) / bounds.step + 1 : 0;
  } else {
    bounds.start = is_none(slice.start) ? size - 1 : clamp(part(slice.start, 0), -1, size - 1);
    bounds.stop = is_none(slice.stop) ? -1 : clamp(part(slice.stop, 0), -1, size - 1);
    bounds.count = bounds.start > bounds.stop ? (bounds.start - bounds.stop - 1) / -bounds.step + 1 : 0;
  }
  return bounds;
}

}  // namespace mlc::script
