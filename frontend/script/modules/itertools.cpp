// SPDX-License-Identifier: Apache-2.0
// The module itertools.
#include <algorithm>
#include <deque>

#include "frontend/script/numpy/array.h"

namespace mlc::script {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using syntax::BinOperator;

namespace {

Any tuple_of(std::vector<Any> values) {
  return Tuple(std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
}
Any call_one(Evaluator& e, const Any& callee, const Any& value) {
  return e.call(callee, std::span<const Any>(&value, 1));
}

struct Count final : IteratorNode {
  Any value, step;
  Count(Any value, Any step)
      : IteratorNode("itertools.count"), value(std::move(value)), step(std::move(step)) {}
  bool next(Evaluator& e, Any& out) override {
    out = value;
    value = e.binary(BinOperator::kAdd, value, step);
    return true;
  }
  std::string text(Evaluator& e) const override {
    bool by_one = is_int(step) && raw_int(step) == 1;
    return "count(" + e.repr(value) + (by_one ? ")" : ", " + e.repr(step) + ")");
  }
};
struct Cycle final : IteratorNode {
  Any inner;
  std::vector<Any> seen;
  size_t at = 0;
  explicit Cycle(Any inner) : IteratorNode("itertools.cycle"), inner(std::move(inner)) {}
  bool next(Evaluator& e, Any& out) override {
    if (!is_none(inner)) {
      if (e.next(inner, out)) {
        seen.push_back(out);
        return true;
      }
      inner = nullptr;
    }
    if (seen.empty()) return false;
    out = seen[at];
    at = at + 1 == seen.size() ? 0 : at + 1;
    return true;
  }
};
struct Repeat final : IteratorNode {
  Any value;
  int64_t left;  // negative: without end
  Repeat(Any value, int64_t left) : IteratorNode("itertools.repeat"), value(std::move(value)), left(left) {}
  bool next(Evaluator&, Any& out) override {
    if (left == 0) return false;
    if (left > 0) --left;
    out = value;
    return true;
  }
  std::string text(Evaluator& e) const override {
    return "repeat(" + e.repr(value) + (left < 0 ? ")" : fmt::format(", {})", left));
  }
};
struct Accumulate final : IteratorNode {
  Any inner, callee, total;
  bool started, pending;
  Accumulate(Any inner, Any callee, Any initial)
      : IteratorNode("itertools.accumulate"),
        inner(std::move(inner)),
        callee(std::move(callee)),
        total(std::move(initial)),
        started(!is_none(total)),
        pending(started) {}
  bool next(Evaluator& e, Any& out) override {
    if (std::exchange(pending, false)) {
      out = total;
      return true;
    }
    Any value;
    if (!e.next(inner, value)) return false;
    if (!std::exchange(started, true)) {
      total = value;
    } else if (is_none(callee)) {
      total = e.binary(BinOperator::kAdd, total, value);
    } else {
      Any args[] = {total, value};
      total = e.call(callee, args);
    }
    out = total;
    return true;
  }
};
struct Chain final : IteratorNode {
  Any outer, inner;
  explicit Chain(Any outer) : IteratorNode("itertools.chain"), outer(std::move(outer)) {}
  bool next(Evaluator& e, Any& out) override {
    for (;;) {
      if (!is_none(inner) && e.next(inner, out)) return true;
      inner = nullptr;
      if (is_none(outer)) return false;
      Any iterable;
      if (!e.next(outer, iterable)) {
        outer = nullptr;
        return false;
      }
      inner = e.iterate(iterable);
    }
  }
};
struct Compress final : IteratorNode {
  Any data, selectors;
  Compress(Any data, Any selectors)
      : IteratorNode("itertools.compress"), data(std::move(data)), selectors(std::move(selectors)) {}
  bool next(Evaluator& e, Any& out) override {
    Any selector;
    while (e.next(data, out) && e.next(selectors, selector)) {
      if (e.truth(selector)) return true;
    }
    return false;
  }
};
struct DropWhile final : IteratorNode {
  Any callee, inner;
  bool dropping = true;
  DropWhile(Any callee, Any inner)
      : IteratorNode("itertools.dropwhile"), callee(std::move(callee)), inner(std::move(inner)) {}
  bool next(Evaluator& e, Any& out) override {
    while (e.next(inner, out)) {
      if (dropping && e.truth(call_one(e, callee, out))) continue;
      dropping = false;
      return true;
    }
    return false;
  }
};
struct TakeWhile final : IteratorNode {
  Any callee, inner;
  bool done = false;
  TakeWhile(Any callee, Any inner)
      : IteratorNode("itertools.takewhile"), callee(std::move(callee)), inner(std::move(inner)) {}
  bool next(Evaluator& e, Any& out) override {
    if (done || !e.next(inner, out)) return false;
    done = !e.truth(call_one(e, callee, out));
    return !done;
  }
};
struct FilterFalse final : IteratorNode {
  Any callee, inner;
  FilterFalse(Any callee, Any inner)
      : IteratorNode("itertools.filterfalse"), callee(std::move(callee)), inner(std::move(inner)) {}
  bool next(Evaluator& e, Any& out) override {
    while (e.next(inner, out)) {
      if (!e.truth(is_none(callee) ? out : call_one(e, callee, out))) return true;
    }
    return false;
  }
};
struct Starmap final : IteratorNode {
  Any callee, inner;
  Starmap(Any callee, Any inner)
      : IteratorNode("itertools.starmap"), callee(std::move(callee)), inner(std::move(inner)) {}
  bool next(Evaluator& e, Any& out) override {
    Any values;
    if (!e.next(inner, values)) return false;
    std::vector<Any> args = e.elements_of(values);
    out = e.call(callee, args);
    return true;
  }
};
struct Slice final : IteratorNode {
  Any inner;
  int64_t at = 0, wanted, stop, step;  // `stop` < 0: none
  Slice(Any inner, int64_t start, int64_t stop, int64_t step)
      : IteratorNode("itertools.islice"), inner(std::move(inner)), wanted(start), stop(stop), step(step) {}
  bool next(Evaluator& e, Any& out) override {
    if (is_none(inner)) return false;
    while (stop < 0 || at < stop) {
      // Behind the last element that is wanted, nothing more is taken than CPython takes.
      if (stop >= 0 && wanted >= stop && at >= stop) break;
      if (!e.next(inner, out)) break;
      if (at++ == wanted) {
        wanted += step;
        return true;
      }
    }
    inner = nullptr;
    return false;
  }
};
struct Pairwise final : IteratorNode {
  Any inner, last;
  bool started = false;
  explicit Pairwise(Any inner) : IteratorNode("itertools.pairwise"), inner(std::move(inner)) {}
  bool next(Evaluator& e, Any& out) override {
    if (!started && !e.next(inner, last)) return false;
    started = true;
    Any value;
    if (!e.next(inner, value)) return false;
    out = Tuple{last, value};
    last = value;
    return true;
  }
};
struct ZipLongest final : IteratorNode {
  std::vector<Any> inner;  // None where one has ended
  Any fill;
  size_t alive;
  ZipLongest(std::vector<Any> inner, Any fill)
      : IteratorNode("itertools.zip_longest"),
        inner(std::move(inner)),
        fill(std::move(fill)),
        alive(this->inner.size()) {}
  bool next(Evaluator& e, Any& out) override {
    if (alive == 0) return false;
    std::vector<Any> values(inner.size(), fill);
    for (size_t i = 0; i < inner.size(); ++i) {
      Any value;
      if (is_none(inner[i])) continue;
      if (e.next(inner[i], value)) {
        values[i] = std::move(value);
        continue;
      }
      inner[i] = nullptr;
      if (--alive == 0) return false;
    }
    out = tuple_of(std::move(values));
    return true;
  }
};

// One source read by several iterators: each keeps what the others have taken and it has not.
struct TeeSource final : ffi::Object {
  Any inner;
  std::deque<Any> kept;
  size_t first = 0;  // the position of kept[0]
  std::vector<size_t*> readers;
  explicit TeeSource(Any inner) : inner(std::move(inner)) {}
  MLC_NODE("mlc.script.tee_source", TeeSource, ffi::Object);
};
struct Tee final : IteratorNode {
  Ref<TeeSource> source;
  size_t at;
  explicit Tee(Ref<TeeSource> from) : IteratorNode("itertools._tee"), source(std::move(from)), at(0) {
    shared()->readers.push_back(&at);
  }
  ~Tee() override { std::erase(shared()->readers, &at); }
  TeeSource* shared() const { return const_cast<TeeSource*>(source.get()); }
  bool next(Evaluator& e, Any& out) override {
    TeeSource* all = shared();
    if (at - all->first == all->kept.size()) {
      Any value;
      if (!e.next(all->inner, value)) return false;
      all->kept.push_back(std::move(value));
    }
    out = all->kept[at - all->first];
    ++at;
    size_t least = at;
    for (size_t* reader : all->readers) least = std::min(least, *reader);
    while (all->first < least) {
      all->kept.pop_front();
      ++all->first;
    }
    return true;
  }
};

// The groups of one source share what has been read of it.
struct GroupSource final : ffi::Object {
  Any inner, key;
  Any value, value_key;
  bool has_value = false;
  int64_t group = 0;
  GroupSource(Any inner, Any key) : inner(std::move(inner)), key(std::move(key)) {}
  bool read(Evaluator& e) {
    has_value = e.next(inner, value);
    if (has_value) value_key = is_none(key) ? value : call_one(e, key, value);
    return has_value;
  }
  MLC_NODE("mlc.script.group_source", GroupSource, ffi::Object);
};
struct Group final : IteratorNode {
  Ref<GroupSource> source;
  int64_t group;
  Any key;
  Group(Ref<GroupSource> source, int64_t group, Any key)
      : IteratorNode("itertools._grouper"), source(std::move(source)), group(group), key(std::move(key)) {}
  bool next(Evaluator& e, Any& out) override {
    auto* all = const_cast<GroupSource*>(source.get());
    if (all->group != group || !all->has_value || !e.equal(all->value_key, key)) return false;
    out = all->value;
    all->read(e);
    return true;
  }
};
struct GroupBy final : IteratorNode {
  Ref<GroupSource> source;
  bool started = false;
  Any key;
  GroupBy(Any inner, Any by)
      : IteratorNode("itertools.groupby"), source(ir::make<GroupSource>(std::move(inner), std::move(by))) {}
  bool next(Evaluator& e, Any& out) override {
    auto* all = const_cast<GroupSource*>(source.get());
    if (!started) all->read(e);
    while (started && all->has_value && e.equal(all->value_key, key)) all->read(e);
    started = true;
    if (!all->has_value) return false;
    key = all->value_key;
    out = Tuple{key, make_iterator<Group>(source, ++all->group, key)};
    return true;
  }
};

// product, permutations, combinations: positions into pools, advanced like an odometer.
struct Product final : IteratorNode {
  std::vector<std::vector<Any>> pools;
  std::vector<size_t> at;
  bool done;
  explicit Product(std::vector<std::vector<Any>> all)
      : IteratorNode("itertools.product"), pools(std::move(all)), at(pools.size(), 0), done(false) {
    for (const auto& pool : pools) done = done || pool.empty();
  }
  bool next(Evaluator&, Any& out) override {
    if (done) return false;
    std::vector<Any> values;
    values.reserve(pools.size());
    for (size_t i = 0; i < pools.size(); ++i) values.push_back(pools[i][at[i]]);
    out = tuple_of(std::move(values));
    size_t i = pools.size();
    while (i > 0 && ++at[i - 1] == pools[i - 1].size()) at[--i] = 0;
    done = i == 0;
    return true;
  }
};
struct Permutations final : IteratorNode {
  std::vector<Any> pool;
  std::vector<size_t> order, cycles;
  size_t length;
  bool done;
  Permutations(std::vector<Any> all, size_t length)
      : IteratorNode("itertools.permutations"), pool(std::move(all)), length(length) {
    done = length > pool.size();
    for (size_t i = 0; i < pool.size(); ++i) order.push_back(i);
    for (size_t i = 0; i < length && !done; ++i) cycles.push_back(pool.size() - i);
  }
  bool next(Evaluator&, Any& out) override {
    if (done) return false;
    std::vector<Any> values;
    for (size_t i = 0; i < length; ++i) values.push_back(pool[order[i]]);
    out = tuple_of(std::move(values));
    for (size_t i = length; i-- > 0;) {
      if (--cycles[i] != 0) {
        std::swap(order[i], order[pool.size() - cycles[i]]);
        return true;
      }
      std::rotate(order.begin() + static_cast<ptrdiff_t>(i), order.begin() + static_cast<ptrdiff_t>(i) + 1,
                  order.end());
      cycles[i] = pool.size() - i;
    }
    done = true;
    return true;
  }
};
struct Combinations final : IteratorNode {
  std::vector<Any> pool;
  std::vector<size_t> at;
  bool again, done;
  Combinations(std::vector<Any> all, size_t length, bool again)
      : IteratorNode(again ? "itertools.combinations_with_replacement" : "itertools.combinations"),
        pool(std::move(all)),
        again(again),
        done(again ? pool.empty() && length > 0 : length > pool.size()) {
    for (size_t i = 0; i < length; ++i) at.push_back(again ? 0 : i);
  }
  bool next(Evaluator&, Any& out) override {
    if (done) return false;
    std::vector<Any> values;
    for (size_t i : at) values.push_back(pool[i]);
    out = tuple_of(std::move(values));
    size_t i = at.size();
    auto last = [&](size_t k) { return again ? pool.size() - 1 : k + pool.size() - at.size(); };
    while (i > 0 && at[i - 1] == last(i - 1)) --i;
    if (i == 0) {
      done = true;
      return true;
    }
    ++at[i - 1];
    for (size_t k = i; k < at.size(); ++k) at[k] = again ? at[k - 1] : at[k - 1] + 1;
    return true;
  }
};

Any iterator_of(ApiCall& call, const Any& value, size_t i = 0) {
  return evaluator_of(call.host).iterate(value, call.span_of(i));
}
std::vector<Any> pool_of(ApiCall& call, const Any& value, size_t i = 0) {
  return evaluator_of(call.host).elements_of(value, call.span_of(i));
}
size_t length_of(ApiCall& call, const Any& r, size_t otherwise) {
  if (is_none(r)) return otherwise;
  int64_t length = index_value(evaluator_of(call.host), r, call.span_of(1), "r");
  if (length < 0) raise("ValueError", call.span_of(1), "out-of-range", "r must be non-negative");
  return static_cast<size_t>(length);
}

Any islice(ApiCall& call, const Any& iterable, const Tuple& bounds) {
  if (bounds.empty() || bounds.size() > 3) {
    raise("TypeError", call.span, "wrong-argument-count", "islice expected 2 to 4 arguments, got {}",
          bounds.size() + 1);
  }
  auto part = [&](size_t i, int64_t otherwise, bool last) {
    const Any value = bounds[static_cast<int64_t>(i)];
    if (is_none(value)) return otherwise;
    if (!is_int(value) || raw_int(value) < (last ? 1 : 0)) {
      raise("ValueError", call.span_of(i + 1), "out-of-range", "{}",
            last ? "Step for islice() must be a positive integer or None."
            : bounds.size() == 1
                ? "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
                : "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
    }
    return raw_int(value);
  };
  Any inner = iterator_of(call, iterable);
  if (bounds.size() == 1) return make_iterator<Slice>(inner, 0, part(0, -1, false), 1);
  return make_iterator<Slice>(inner, part(0, 0, false), part(1, -1, false),
                              bounds.size() == 3 ? part(2, 1, true) : 1);
}

const ApiRow rows[] = {
    {ApiKind::kFunction, "itertools", "count(start=0, step=1)", "start, start + step, ...",
     native([](ApiCall& call, Any start, Any step) {
       for (const Any* each : {&start, &step}) {
         Ref<ClassNode> type = builtin_type_of(*each);
         if (type && !is_number(*each))
           raise("TypeError", call.span_of(0), "wrong-type", "a number is required");
       }
       return make_iterator<Count>(start, step);
     })},
    {ApiKind::kFunction, "itertools", "cycle(iterable)", "The elements, over and over.",
     native([](ApiCall& call, Any iterable) { return make_iterator<Cycle>(iterator_of(call, iterable)); })},
    {ApiKind::kFunction, "itertools", "repeat(object, times=None)", "The object, over and over.",
     native([](ApiCall& call, Any object, Any times) {
       if (is_none(times)) return make_iterator<Repeat>(object, -1);
       int64_t count = index_value(evaluator_of(call.host), times, call.span_of(1), "times");
       return make_iterator<Repeat>(object, std::max<int64_t>(count, 0));
     })},
    {ApiKind::kFunction, "itertools", "accumulate(iterable, func=None, *, initial=None)", "Running totals.",
     native([](ApiCall& call, Any iterable, Any func, Any initial) {
       return make_iterator<Accumulate>(iterator_of(call, iterable), func, initial);
     })},
    {ApiKind::kFunction, "itertools", "chain(*iterables)", "The elements of one iterable after the other.",
     native([](ApiCall& call, Tuple iterables) {
       return make_iterator<Chain>(evaluator_of(call.host).iterate(Any(iterables)));
     })},
    {ApiKind::kFunction, "itertools.chain", "from_iterable(iterable)", "The elements of all its elements.",
     native([](ApiCall& call, Any iterable) { return make_iterator<Chain>(iterator_of(call, iterable)); })},
    {ApiKind::kFunction, "itertools", "compress(data, selectors)", "The elements whose selector is true.",
     native([](ApiCall& call, Any data, Any selectors) {
       return make_iterator<Compress>(iterator_of(call, data), iterator_of(call, selectors, 1));
     })},
    {ApiKind::kFunction, "itertools", "dropwhile(predicate, iterable)", "What is left behind the first no.",
     native([](ApiCall& call, Any predicate, Any iterable) {
       return make_iterator<DropWhile>(predicate, iterator_of(call, iterable, 1));
     })},
    {ApiKind::kFunction, "itertools", "takewhile(predicate, iterable)", "What stands before the first no.",
     native([](ApiCall& call, Any predicate, Any iterable) {
       return make_iterator<TakeWhile>(predicate, iterator_of(call, iterable, 1));
     })},
    {ApiKind::kFunction, "itertools", "filterfalse(predicate, iterable)", "The elements that do not fit.",
     native([](ApiCall& call, Any predicate, Any iterable) {
       return make_iterator<FilterFalse>(predicate, iterator_of(call, iterable, 1));
     })},
    {ApiKind::kFunction, "itertools", "starmap(function, iterable)",
     "The function of each tuple of arguments.", native([](ApiCall& call, Any function, Any iterable) {
       return make_iterator<Starmap>(function, iterator_of(call, iterable, 1));
     })},
    {ApiKind::kFunction, "itertools", "islice(iterable, *bounds)", "A slice of what an iterator gives.",
     native([](ApiCall& call, Any iterable, Tuple bounds) { return islice(call, iterable, bounds); })},
    {ApiKind::kFunction, "itertools", "pairwise(iterable)", "Each element with the one behind it.",
     native(
         [](ApiCall& call, Any iterable) { return make_iterator<Pairwise>(iterator_of(call, iterable)); })},
    {ApiKind::kFunction, "itertools", "zip_longest(*iterables, fillvalue=None)",
     "As zip, to the longest one's end.", native([](ApiCall& call, Tuple iterables, Any fill) {
       std::vector<Any> inner;
       for (const Any& each : iterables) inner.push_back(iterator_of(call, each));
       return make_iterator<ZipLongest>(std::move(inner), fill);
     })},
    {ApiKind::kFunction, "itertools", "tee(iterable, n=2)", "Independent iterators over one.",
     native([](ApiCall& call, Any iterable, int64_t n) {
       if (n < 0) raise("ValueError", call.span_of(1), "out-of-range", "n must be >= 0");
       Ref<TeeSource> source = ir::make<TeeSource>(iterator_of(call, iterable));
       std::vector<Any> all;
       for (int64_t i = 0; i < n; ++i) all.push_back(make_iterator<Tee>(source));
       return tuple_of(std::move(all));
     })},
    {ApiKind::kFunction, "itertools", "groupby(iterable, key=None)", "Runs of elements with one key.",
     native([](ApiCall& call, Any iterable, Any key) {
       return make_iterator<GroupBy>(iterator_of(call, iterable), key);
     })},
    {ApiKind::kFunction, "itertools", "product(*iterables, repeat=1)", "All tuples of one element of each.",
     native([](ApiCall& call, Tuple iterables, int64_t repeat) {
       if (repeat < 0) raise("ValueError", call.span, "out-of-range", "repeat argument cannot be negative");
       std::vector<std::vector<Any>> once, pools;
       for (const Any& each : iterables) once.push_back(pool_of(call, each));
       for (int64_t i = 0; i < repeat; ++i) pools.insert(pools.end(), once.begin(), once.end());
       return make_iterator<Product>(std::move(pools));
     })},
    {ApiKind::kFunction, "itertools", "permutations(iterable, r=None)", "All orders of r elements.",
     native([](ApiCall& call, Any iterable, Any r) {
       std::vector<Any> pool = pool_of(call, iterable);
       size_t length = length_of(call, r, pool.size());
       return make_iterator<Permutations>(std::move(pool), length);
     })},
    {ApiKind::kFunction, "itertools", "combinations(iterable, r)", "All choices of r elements.",
     native([](ApiCall& call, Any iterable, Any r) {
       return make_iterator<Combinations>(pool_of(call, iterable), length_of(call, r, 0), false);
     })},
    {ApiKind::kFunction, "itertools", "combinations_with_replacement(iterable, r)",
     "All choices of r, with repetition.", native([](ApiCall& call, Any iterable, Any r) {
       return make_iterator<Combinations>(pool_of(call, iterable), length_of(call, r, 0), true);
     })},
};

}  // namespace

std::span<const ApiRow> itertools_rows() { return rows; }

}  // namespace mlc::script
