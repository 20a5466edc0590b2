// SPDX-License-Identifier: Apache-2.0
// Methods of list and tuple.
#include <algorithm>

#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "not-in-list",
                                            .meaning = "The value is not among the elements.",
                                            .wrong = "[1, 2].remove(3)",
                                            .right = "[1, 2].remove(2)"},
                                       }};
MLC_REFUSALS(types_list_methods, refusals);

namespace {

List list_of(const Arguments& args) { return args[0].cast<List>(); }

// The words of a list, which tvm-ffi keeps to itself: its own growth begins with one element.
struct ListCells : ffi::SeqBaseObj {
  static void append(const Any& list, const Any& value) {
    auto* cells = static_cast<ListCells*>(raw_object(list));
    if (cells->TVMFFISeqCell::size == cells->TVMFFISeqCell::capacity)
      list.cast<List>().reserve(std::max<int64_t>(8, cells->TVMFFISeqCell::capacity * 2));
    new (static_cast<Any*>(cells->data) + cells->TVMFFISeqCell::size) Any(take(copy(value)));
    ++cells->TVMFFISeqCell::size;
  }
};
Any append(Evaluator&, const Arguments& args) {
  ListCells::append(args[0], args[1]);
  return nullptr;
}
bool quick_append(Evaluator&, std::span<const Any> args, RawValue& out) {
  if (args.size() != 2) return false;
  ListCells::append(args[0], args[1]);
  out = raw_none();
  return true;
}
Any extend(Evaluator& evaluator, const Arguments& args) {
  List list = list_of(args);
  evaluator.each_of(args[1], args.span_of(1), [&](Any& value) {
    list.push_back(value);
    return true;
  });
  return nullptr;
}
Any insert(Evaluator& evaluator, const Arguments& args) {
  List list = list_of(args);
  auto size = static_cast<int64_t>(list.size());
  int64_t at = index_value(evaluator, args[1], args.span_of(1), "index");
  if (at < 0) at = std::max<int64_t>(0, at + size);
  list.insert(list.begin() + std::min(at, size), args[2]);
  return nullptr;
}
Any pop(Evaluator& evaluator, const Arguments& args) {
  List list = list_of(args);
  auto size = static_cast<int64_t>(list.size());
  if (size == 0) raise("IndexError", args.span, "index-out-of-range", "pop from empty list");
  int64_t at = args.size() == 1 ? size - 1 : index_value(evaluator, args[1], args.span_of(1), "index");
  if (at < 0) at += size;
  if (at < 0 || at >= size) raise("IndexError", args.span, "index-out-of-range", "pop index out of range");
  Any value = elements(args[0])[static_cast<size_t>(at)];
  if (at == size - 1) {
    list.pop_back();
  } else {
    list.erase(list.begin() + at);
  }
  return value;
}
Any remove(Evaluator& evaluator, const Arguments& args) {
  for (size_t i = 0; i < elements(args[0]).size(); ++i) {
    Any element = elements(args[0])[i];
    if (element.same_as(args[1]) || evaluator.equal(element, args[1])) {
      list_of(args).erase(list_of(args).begin() + static_cast<ptrdiff_t>(i));
      return nullptr;
    }
  }
  raise_as(refusals["not-in-list"], args.span, "list.remove(x): x not in list");
}
Any clear(Evaluator&, const Arguments& args) {
  list_of(args).clear();
  return nullptr;
}
Any copy(Evaluator&, const Arguments& args) {
  std::span<Any> all = elements(args[0]);
  return List(all.begin(), all.end());
}
Any reverse(Evaluator&, const Arguments& args) {
  std::span<Any> all = elements(args[0]);
  std::reverse(all.begin(), all.end());
  return nullptr;
}
Any sort(Evaluator& evaluator, const Arguments& args) {
  // The list is empty while it is sorted, so that changes by `key` or a comparison are noticed.
  std::vector<Any> values(elements(args[0]).begin(), elements(args[0]).end());
  List list = list_of(args);
  list.clear();
  bool changed = false;
  auto give_back = [&] {
    changed = !list.empty();
    list.Assign(values.begin(), values.end());
  };
  try {
    sort_values(evaluator, values, args);
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
  if (changed) raise("ValueError", args.span, "wrong-value", "list modified during sort");
  return nullptr;
}
Any index(Evaluator& evaluator, const Arguments& args) {
  if (as<RangeNode>(args[0])) {
    if (args.size() == 2 && is_int(args[1]) && evaluator.contains(args[0], args[1])) {
      auto* range = as<RangeNode>(args[0]);
      return (raw_int(args[1]) - range->start) / range->step;
    }
    raise_as(refusals["not-in-list"], args.span, "{} is not in range", evaluator.repr(args[1]));
  }
  auto size = static_cast<int64_t>(elements(args[0]).size());
  auto bound = [&](size_t i, int64_t otherwise) {
    if (args.size() <= i) return otherwise;
    int64_t at = index_value(evaluator, args[i], args.span_of(i), "slice indices");
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  int64_t stop = bound(3, size);
  for (int64_t i = bound(2, 0); i < stop && i < static_cast<int64_t>(elements(args[0]).size()); ++i) {
    Any element = elements(args[0])[static_cast<size_t>(i)];
    if (element.same_as(args[1]) || evaluator.equal(element, args[1])) return i;
  }
  if (args[0].type_index() == kTVMFFIArray) {
    raise_as(refusals["not-in-list"], args.span, "tuple.index(x): x not in tuple");
  }
  raise_as(refusals["not-in-list"], args.span, "{} is not in list", evaluator.repr(args[1]));
}
Any count(Evaluator& evaluator, const Arguments& args) {
  int64_t n = 0;
  for (const Any& element : evaluator.elements_of(args[0]))
    n += element.same_as(args[1]) || evaluator.equal(element, args[1]);
  return n;
}

constexpr BuiltinRow list_rows[] = {
    {"append", "(value)", "Adds a value at the end.", append, 1, 1, {}, quick_append},
    {"extend", "(iterable)", "Adds all elements at the end.", extend, 1, 1},
    {"insert", "(index, value)", "Inserts a value before the index.", insert, 2, 2},
    {"pop", "(index=-1)", "Removes and returns an element.", pop, 0, 1},
    {"remove", "(value)", "Removes the first equal element.", remove, 1, 1},
    {"clear", "()", "Removes all elements.", clear, 0, 0},
    {"copy", "()", "A new list of the same elements.", copy, 0, 0},
    {"reverse", "()", "Reverses the order in place.", reverse, 0, 0},
    {"sort", "(*, key=None, reverse=False)", "Sorts in place; equal elements keep their order.", sort, 0, 0,
     "key reverse"},
    // those of tuples too
    {"index", "(value, start, stop)", "The index of the first equal element.", index, 1, 3},
    {"count", "(value)", "How many elements are equal.", count, 1, 1},
};
}  // namespace

std::span<const BuiltinRow> list_methods() { return list_rows; }
std::span<const BuiltinRow> tuple_methods() { return std::span(list_rows).last(2); }

}  // namespace mlc::script
