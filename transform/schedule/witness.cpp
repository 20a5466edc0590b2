// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/witness.h"

#include <algorithm>
#include <map>
#include <set>

namespace mlc::transform {
namespace {

constexpr int64_t kMostIterations = 2000;  // that are looked at
constexpr int64_t kMostElements = 20000;

struct Counter {
  Var var;
  int64_t min, extent;
};

std::optional<std::vector<Counter>> counters_of(const std::vector<LoopRange>& ranges) {
  std::vector<Counter> result;
  for (const LoopRange& each : ranges) {
    auto min = const_int(each.range->min), extent = const_int(each.range->extent);
    if (!min || !extent || *extent <= 0) return std::nullopt;
    result.push_back({each.var, *min, *extent});
  }
  return result;
}

std::vector<LoopRange> used_in(const Expr& e, const std::vector<LoopRange>& ranges) {
  std::vector<LoopRange> used;
  std::copy_if(ranges.begin(), ranges.end(), std::back_inserter(used), [&](const LoopRange& each) {
    return uses_var(e, [&](const VarNode* var) { return var == each.var.get(); });
  });
  return used;
}

bool counts(const std::vector<Counter>& counters, const VarNode* var) {
  return std::any_of(counters.begin(), counters.end(),
                     [&](const Counter& counter) { return counter.var.get() == var; });
}

// Few enough to look at all of them?
bool are_few(const std::vector<Counter>& counters) {
  int64_t total = 1;
  return std::all_of(counters.begin(), counters.end(), [&](const Counter& counter) {
    total *= counter.extent;
    return total <= kMostIterations;
  });
}

using Values = std::vector<int64_t>;

// Goes through iterations, the last counter fastest, until `act` returns true.
void each_iteration(const std::vector<Counter>& counters,
                    const std::function<bool(const Values&, const VarMap&)>& act) {
  Values at;
  for (const Counter& counter : counters) at.push_back(counter.min);
  for (int64_t count = 0; count < kMostIterations; ++count) {
    VarMap values;
    for (size_t i = 0; i < counters.size(); ++i)
      values[counters[i].var.get()] = const_like(counters[i].var, at[i]);
    if (act(at, values)) return;
    size_t i = counters.size();
    while (i > 0 && ++at[i - 1] == counters[i - 1].min + counters[i - 1].extent) {
      at[i - 1] = counters[i - 1].min;
      --i;
    }
    if (i == 0) return;
  }
}

// The next of the values from 0 to below these extents, the last counting fastest; false after the last.
bool advance(Values& at, const Values& extents) {
  size_t i = extents.size();
  while (i > 0 && ++at[i - 1] == extents[i - 1]) at[--i] = 0;
  return i > 0;
}

// The constants of these expressions; nullopt when one is none.
std::optional<Values> constants(const Array<Expr>& exprs, const VarMap& values) {
  Values result;
  Analyzer analyzer;
  for (const Expr& e : exprs) {
    auto value = const_int(analyzer.simplify(substitute(e, values)));
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

bool runs(const SBlockRealize& realize, const VarMap& values) {
  auto holds = constants({realize->predicate}, values);
  return holds && (*holds)[0] != 0;
}

std::string list(const Values& values) {
  return values.size() == 1 ? fmt::format("{}", values[0]) : fmt::format("({})", fmt::join(values, ", "));
}

std::string names_of(const std::vector<Counter>& counters) {
  std::string names;
  for (const Counter& counter : counters)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", counter.var->name.c_str());
  return counters.size() == 1 ? fmt::format("`{}`", names) : fmt::format("`({})`", names);
}

}  // namespace

std::string element_written_twice(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
                                  const SRefNode& loop) {
  if (realize->block->writes.empty()) return "";
  std::vector<SRefNode*> order = loops;  // the loop in question counts fastest
  auto found = std::find(order.begin(), order.end(), &loop);
  if (found == order.end()) return "";
  std::rotate(found, found + 1, order.end());
  auto counters = counters_of(ranges_of(order));
  if (!counters) return "";
  const TensorRegion& write = realize->block->writes[0];
  VarMap bindings = bindings_of(realize);
  Array<Expr> element;
  for (const Range& range : write->region) element.push_back(substitute(range->min, bindings));
  std::map<Values, Values> first;
  std::string result;
  each_iteration(*counters, [&](const Values& at, const VarMap& values) {
    if (!runs(realize, values)) return false;
    auto where = constants(element, values);
    if (!where) return true;
    auto [known, fresh] = first.try_emplace(*where, at);
    if (fresh || known->second.back() == at.back()) return false;
    result = fmt::format("with `{0}` = {1} and `{0}` = {2} block `{3}` writes the same element, `{4}[{5}]`",
                         loop.name.c_str(), std::min(known->second.back(), at.back()),
                         std::max(known->second.back(), at.back()), realize->block->name_hint.c_str(),
                         write->source->name.c_str(), fmt::join(*where, ", "));
    return true;
  });
  return result;
}

std::string instance_met_twice(const SBlockRealize& realize, const std::vector<SRefNode*>& loops) {
  auto counters = counters_of(ranges_of(loops));
  if (!counters || counters->empty()) return "";
  std::map<Values, Values> first;
  std::string result;
  // Loops around these stay where they are.
  VarMap around;
  Array<Expr> values_of_iters = realize->iter_values;
  for (const Expr& value : realize->iter_values) {
    for (const Var& var : free_vars(value)) {
      if (!counts(*counters, var.get())) around[var.get()] = const_like(var, 0);
    }
  }
  each_iteration(*counters, [&](const Values& at, const VarMap& values) {
    VarMap all = around;
    all.insert(values.begin(), values.end());
    if (!runs(realize, all)) return false;
    auto instance = constants(values_of_iters, all);
    if (!instance) return true;
    auto [known, fresh] = first.try_emplace(*instance, at);
    if (fresh) return false;
    std::string iters;
    for (const IterVar& iter : realize->block->iter_vars)
      iters += fmt::format("{}{}", iters.empty() ? "" : ", ", iter->var->name.c_str());
    result = fmt::format("iterations {} = {} and {} run one instance of block `{}`, `({})` = ({})",
                         names_of(*counters), list(known->second), list(at),
                         realize->block->name_hint.c_str(), iters, fmt::join(*instance, ", "));
    return true;
  });
  return result;
}

namespace {

// The part of a sum that these variables make; nullopt where they meet others in one term.
std::optional<Expr> part_of(const Expr& e, const std::vector<Counter>& counters) {
  if (!uses_var(e, [&](const VarNode* var) { return counts(counters, var); })) return const_like(e, 0);
  if (!uses_var(e, [&](const VarNode* var) { return !counts(counters, var); })) return e;
  auto* two = as_binary(e);
  if (two == nullptr) return std::nullopt;
  bool sum = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub;
  if (!sum && !(e->kind == ExprKind::kMul && const_int(two->b))) return std::nullopt;
  auto a = part_of(two->a, counters), b = sum ? part_of(two->b, counters) : std::optional(two->b);
  if (!a || !b) return std::nullopt;
  return e->kind == ExprKind::kAdd ? *a + *b : e->kind == ExprKind::kSub ? *a - *b : *a * *b;
}

}  // namespace

bool each_instance_once(const SBlockRealize& realize, const std::vector<SRefNode*>& loops) {
  auto counters = counters_of(ranges_of(loops));
  if (!counters || !are_few(*counters)) return false;
  Array<Expr> parts, conditions;
  for (const Expr& value : realize->iter_values) {
    auto part = part_of(value, *counters);
    if (!part) return false;
    parts.push_back(*part);
  }
  // What these variables alone decide; the rest is taken to hold.
  for (const Expr& e : conjuncts(realize->predicate))
    if (!uses_var(e, [&](const VarNode* var) { return !counts(*counters, var); })) conditions.push_back(e);
  std::set<Values> met;
  bool once = true;
  each_iteration(*counters, [&](const Values&, const VarMap& values) {
    auto holds = constants(conditions, values);
    if (holds && std::find(holds->begin(), holds->end(), 0) != holds->end()) return false;
    auto instance = constants(parts, values);
    once = holds && instance && met.insert(*instance).second;
    return !once;
  });
  return once;
}

std::string uncovered_value(const SBlockRealize& realize, const std::vector<SRefNode*>& loops) {
  auto counters = counters_of(ranges_of(loops));
  if (!counters) return "";
  if (!are_few(*counters)) return instance_met_twice(realize, loops);
  std::vector<std::map<int64_t, bool>> taken(realize->iter_values.size());
  bool known = true;
  each_iteration(*counters, [&](const Values&, const VarMap& values) {
    if (!runs(realize, values)) return false;
    auto instance = constants(realize->iter_values, values);
    known = instance.has_value();
    for (size_t i = 0; known && i < taken.size(); ++i) taken[i][(*instance)[i]] = true;
    return !known;
  });
  for (size_t i = 0; known && i < taken.size(); ++i) {
    const IterVar& iter = realize->block->iter_vars[i];
    auto min = const_int(iter->dom->min), extent = const_int(iter->dom->extent);
    for (int64_t value = min.value_or(0); value < min.value_or(0) + extent.value_or(0); ++value) {
      if (taken[i].contains(value)) continue;
      return fmt::format("no iteration gives `{}` the value {}", iter->var->name.c_str(), value);
    }
  }
  return instance_met_twice(realize, loops);
}

std::string index_outside(const SBlockNode& block, const Buffer& buffer, const Array<Expr>& indices) {
  std::vector<LoopRange> ranges = ranges_of(block.iter_vars);
  for (size_t d = 0; d < indices.size(); ++d) {
    auto size = const_int(buffer->buffer()->shape[d]);
    auto counters = counters_of(used_in(indices[d], ranges));
    if (!counters || !size) continue;
    std::string result;
    each_iteration(*counters, [&](const Values& at, const VarMap& values) {
      auto index = constants({indices[d]}, values);
      if (!index) return true;
      if ((*index)[0] >= 0 && (*index)[0] < *size) return false;
      result = fmt::format("index {} of `{}` is {} where {} is {}, outside of 0 to {}", d,
                           buffer->name.c_str(), (*index)[0], names_of(*counters), list(at), *size - 1);
      return true;
    });
    if (!result.empty()) return result;
  }
  return "";
}

namespace {

// Is each of these expressions a digit of its own that takes all values from 0 to below its extent? Without
// looking at iterations: the usual case.
bool digits_cover(const SBlockRealize& realize, const std::vector<SRefNode*>& loops, const Array<Expr>& exprs,
                  const Values& extents) {
  Analyzer analyzer;
  bind_loops(analyzer, loops);
  IterMapResult map =
      detect_iter_map(exprs, ranges_of(loops), realize->predicate, IterMapCheck::kSurjective, analyzer);
  if (map.indices.empty() || !map.exact) return false;
  for (size_t d = 0; d < extents.size(); ++d) {
    const IterSum& sum = map.indices[d];
    bool one = sum->args.empty() || (sum->args.size() == 1 && is_const_int(sum->args[0]->scale, 1));
    Expr extent = sum->args.empty() ? const_like(sum->base, 1) : sum->args[0]->extent;
    if (!one || !is_const_int(sum->base, 0) || !is_const_int(extent, extents[d])) return false;
  }
  return true;
}

// A value from 0 to below these extents that is not among `met`; nullopt when all are.
std::optional<Values> missing(const std::set<Values>& met, const Values& extents) {
  Values at(extents.size(), 0);
  while (true) {
    if (!met.contains(at)) return at;
    if (!advance(at, extents)) return std::nullopt;
  }
}

}  // namespace

std::string element_not_written(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
                                const TensorRegion& write, const std::vector<Interval>& part) {
  VarMap bindings = bindings_of(realize);
  Analyzer analyzer;
  Array<Expr> offsets;
  Values sizes, extents;  // of what one iteration writes, of the part
  for (size_t d = 0; d < part.size(); ++d) {
    const Range& range = write->region[d];
    offsets.push_back(analyzer.simplify(substitute(range->min, bindings) - part[d].min));
    auto size = const_int(analyzer.simplify(substitute(range->extent, bindings)));
    auto extent = const_int(analyzer.simplify(part[d].max - part[d].min + 1));
    if (!size || !extent || *size > *extent) return "";
    sizes.push_back(*size);
    extents.push_back(*extent);
  }
  if (digits_cover(realize, loops, offsets, extents)) return "";
  // An extent that depends on loops around becomes a condition.
  std::vector<LoopRange> all = ranges_of(loops);
  Array<Expr> conditions{realize->predicate};
  for (LoopRange& each : all) {
    ConstIntBound bound = analyzer.const_int_bound(each.range->extent);
    if (!const_int(each.range->extent) && bound.max != ConstIntBound::kPosInf) {
      conditions.push_back(lt(each.var, each.range->min + each.range->extent));
      each.range = make<RangeNode>(each.range->min, const_like(each.range->extent, bound.max));
    }
    analyzer.bind(each.var, each.range);
  }
  // Together, where iterations are few; else one dimension after the other.
  auto met_by = [&](const std::vector<LoopRange>& ranges, size_t begin, size_t end) -> std::optional<Values> {
    auto counters = counters_of(ranges);
    if (!counters || !are_few(*counters)) return std::nullopt;
    Array<Expr> where(offsets.begin() + static_cast<int64_t>(begin),
                      offsets.begin() + static_cast<int64_t>(end));
    std::set<Values> met;
    bool known = true;
    each_iteration(*counters, [&](const Values&, const VarMap& values) {
      for (const Expr& condition : conditions) {
        auto holds = constants({condition}, values);
        if (holds && (*holds)[0] == 0) return false;
      }
      auto first = constants(where, values);
      known = first.has_value() && met.size() <= kMostIterations;
      Values at(end - begin, 0);
      Values size(sizes.begin() + static_cast<int64_t>(begin), sizes.begin() + static_cast<int64_t>(end));
      for (bool more = known; more; more = advance(at, size)) {
        Values element = *first;
        for (size_t i = 0; i < at.size(); ++i) element[i] += at[i];
        met.insert(element);
      }
      return !known;
    });
    if (!known) return std::nullopt;
    return missing(met, Values(extents.begin() + static_cast<int64_t>(begin),
                               extents.begin() + static_cast<int64_t>(end)));
  };
  std::optional<Values> found = met_by(all, 0, part.size());
  for (size_t d = 0; d < part.size() && !found; ++d) {
    if (auto one = met_by(used_in(offsets[d], all), d, d + 1)) {
      found = Values(part.size(), 0);
      (*found)[d] = (*one)[0];
    }
  }
  if (!found) return "";
  bool absolute = true;
  Values element = *found;
  for (size_t d = 0; d < part.size(); ++d) {
    auto begin = const_int(analyzer.simplify(part[d].min));
    absolute = absolute && begin;
    element[d] += begin.value_or(0);
  }
  if (!absolute) return fmt::format("no iteration writes element {} of the part", list(*found));
  return fmt::format("no iteration writes `{}[{}]`", write->source->name.c_str(), fmt::join(element, ", "));
}

namespace {

// The elements of a region that iterations access, until `act` returns true. False when that is not known, or
// they are too many; the first ones are gone through all the same if `first`.
bool each_element(const SBlockRealize& realize, const std::vector<SRefNode*>& loops,
                  const TensorRegion& region,
                  const std::function<bool(const Values& at, const Values& element)>& act,
                  bool first = false) {
  auto counters = counters_of(ranges_of(loops));
  if (!counters || !(first || are_few(*counters))) return false;
  VarMap bindings = bindings_of(realize);
  Analyzer analyzer;
  Array<Expr> mins;
  Values sizes;
  for (const Range& range : region->region) {
    mins.push_back(substitute(range->min, bindings));
    auto size = const_int(analyzer.simplify(substitute(range->extent, bindings)));
    if (!size || *size <= 0) return false;
    sizes.push_back(*size);
  }
  int64_t count = 0;
  bool known = true;
  each_iteration(*counters, [&](const Values& at, const VarMap& values) {
    if (!runs(realize, values)) return false;
    auto corner = constants(mins, values);
    known = corner.has_value();
    Values offset(sizes.size(), 0);
    for (bool more = known; more; more = advance(offset, sizes)) {
      known = ++count <= kMostElements;
      Values element = *corner;
      for (size_t i = 0; i < offset.size(); ++i) element[i] += offset[i];
      if (!known || act(at, element)) return true;
    }
    return !known;
  });
  return known;
}

std::string element_of(const Buffer& buffer, const Values& element) {
  return fmt::format("`{}[{}]`", buffer->name.c_str(), fmt::join(element, ", "));
}

}  // namespace

std::string element_from_elsewhere(ScheduleState& state, const Dependences& deps, const SRefNode& reader,
                                   const TensorRegion& read, bool written) {
  std::vector<SRefNode*> writers, all;
  auto known = deps.writers.find(read->source.get());
  if (known == deps.writers.end()) return "";
  for (SRefNode* block : deps.blocks) {
    if (block == &reader) all.push_back(block);
    bool writer = std::find(known->second.begin(), known->second.end(), block) != known->second.end();
    if (block == &reader || !writer) continue;
    if (all.empty()) writers.push_back(block);
  }
  all.insert(all.end(), writers.begin(), writers.end());
  if (writers.empty() || all.size() == writers.size()) return "";
  // Iterations of the loops around all of them, and which of those write an element.
  std::vector<LoopRange> shared = ranges_of(loops_up(*common_above(all)));
  size_t depth = shared.size();
  auto shared_part = [&](const Values& at) {
    return Values(at.begin(), at.begin() + static_cast<int64_t>(depth));
  };
  std::map<Values, std::set<Values>> writes;
  for (SRefNode* writer : writers) {
    for (const TensorRegion& region : deps.writes(*writer)) {
      if (!region->source.same_as(read->source)) continue;
      bool declared = each_element(realize_of(state, *writer), loops_above(*writer), region,
                                   [&](const Values& at, const Values& element) {
                                     writes[element].insert(shared_part(at));
                                     return false;
                                   });
      if (!declared) return "";
    }
  }
  std::reverse(shared.begin(), shared.end());
  std::string result;
  each_element(
      realize_of(state, reader), loops_above(reader), read, [&](const Values& at, const Values& element) {
        Values here = shared_part(at);
        auto found = writes.find(element);
        if (found == writes.end() ? written : found->second.contains(here)) return false;
        result = fmt::format("block `{}` reads {}", reader.name.c_str(), element_of(read->source, element));
        if (found == writes.end()) {
          result += ", which no iteration writes";
          return true;
        }
        auto counters = counters_of(shared);
        std::string names = counters ? names_of(*counters) : "";
        result = fmt::format("with {} = {} {}, which is written with {} = {}", names, list(here), result,
                             names, list(*found->second.begin()));
        return true;
      });
  return result;
}

std::string instance_of_two_iterations(ScheduleState& state, const SRefNode& block, SRefNode& loop,
                                       const std::vector<SRefNode*>& producers) {
  std::vector<LoopRange> shared = ranges_of(loops_up(loop));
  std::reverse(shared.begin(), shared.end());
  auto names = counters_of(shared), instances = counters_of(ranges_of(loops_above(block)));
  if (!names || !instances) return "";
  using Element = std::pair<const VarNode*, Values>;
  std::map<Element, std::set<Values>> writes;
  for (const SRefNode* producer : producers) {
    SBlockRealize realize = realize_of(state, *producer);
    for (const TensorRegion& region : realize->block->writes) {
      each_element(
          realize, loops_above(*producer), region,
          [&](const Values& at, const Values& element) {
            writes[{region->source.get(), element}].insert(
                Values(at.begin(), at.begin() + static_cast<int64_t>(shared.size())));
            return false;
          },
          true);
    }
  }
  struct Read {
    std::string element;
    const std::set<Values>* written;
  };
  std::map<Values, Read> first;
  std::string result;
  SBlockRealize realize = realize_of(state, block);
  for (const TensorRegion& region : realize->block->reads) {
    if (!result.empty()) break;
    each_element(
        realize, loops_above(block), region,
        [&](const Values& at, const Values& element) {
          auto found = writes.find({region->source.get(), element});
          if (found == writes.end()) return false;
          std::string text = element_of(region->source, element);
          auto [known, fresh] = first.try_emplace(at, Read{text, &found->second});
          const std::set<Values>& other = *known->second.written;
          bool meets = std::any_of(other.begin(), other.end(),
                                   [&](const Values& each) { return found->second.contains(each); });
          if (fresh || meets) return false;
          result = fmt::format(
              "with {} = {} block `{}` reads {}, which is written with {} = {}, and {}, "
              "which is written with {} = {}",
              names_of(*instances), list(at), block.name.c_str(), known->second.element, names_of(*names),
              list(*other.begin()), text, names_of(*names), list(*found->second.begin()));
          return true;
        },
        true);
  }
  return result;
}

std::string element_left_unread(ScheduleState& state, const SRefNode& producer, const SRefNode& reader,
                                const Buffer& buffer) {
  std::set<Values> read;
  bool known = true;
  SBlockRealize reading = realize_of(state, reader);
  for (const TensorRegion& region : reading->block->reads) {
    if (!region->source.same_as(buffer)) continue;
    known = known &&
            each_element(reading, loops_above(reader), region, [&](const Values&, const Values& element) {
              read.insert(element);
              return false;
            });
  }
  if (!known) return "";
  std::string result;
  SBlockRealize writing = realize_of(state, producer);
  for (const TensorRegion& region : writing->block->writes) {
    if (!region->source.same_as(buffer) || !result.empty()) continue;
    each_element(
        writing, loops_above(producer), region,
        [&](const Values&, const Values& element) {
          if (read.contains(element)) return false;
          result = fmt::format("block `{}` writes {}, which block `{}` does not read", producer.name.c_str(),
                               element_of(buffer, element), reader.name.c_str());
          return true;
        },
        true);
  }
  return result;
}

std::string element_carried(ScheduleState& state, const SRefNode& block) {
  SBlockRealize realize = realize_of(state, block);
  std::vector<SRefNode*> loops = loops_above(block);
  auto counters = counters_of(ranges_of(loops));
  if (!counters || counters->empty()) return "";
  std::string result;
  for (const TensorRegion& write : realize->block->writes) {
    std::map<Values, Values> written;
    each_element(
        realize, loops, write,
        [&](const Values& at, const Values& element) {
          written.try_emplace(element, at);
          return false;
        },
        true);
    for (const TensorRegion& read : realize->block->reads) {
      if (!result.empty() || !read->source.same_as(write->source)) continue;
      each_element(
          realize, loops, read,
          [&](const Values& at, const Values& element) {
            auto found = written.find(element);
            if (found == written.end() || found->second == at) return false;
            std::string names = names_of(*counters);
            result = fmt::format("with {} = {} block `{}` reads {}, which it writes with {} = {}", names,
                                 list(at), block.name.c_str(), element_of(read->source, element), names,
                                 list(found->second));
            return true;
          },
          true);
    }
  }
  return result;
}

std::string two_in_one_place(const std::vector<LoopRange>& iters, const Array<Expr>& next,
                             const Array<Expr>& old, const Buffer& buffer) {
  auto counters = counters_of(iters);
  if (!counters) return "";
  std::map<Values, Values> first;
  std::string result;
  each_iteration(*counters, [&](const Values&, const VarMap& values) {
    auto key = constants(next, values), value = constants(old, values);
    if (!key || !value) return true;
    const Values& known = first.try_emplace(*key, *value).first->second;
    if (known == *value) return false;
    result = fmt::format("{} and {} would both be at `[{}]`", element_of(buffer, known),
                         element_of(buffer, *value), fmt::join(*key, ", "));
    return true;
  });
  return result;
}

bool equal_together(const std::vector<LoopRange>& iters, const Array<Expr>& next, const Array<Expr>& old) {
  auto counters = counters_of(iters);
  if (!counters || !are_few(*counters)) return false;
  std::map<Values, Values> known;
  bool together = true;
  each_iteration(*counters, [&](const Values&, const VarMap& values) {
    auto key = constants(next, values), value = constants(old, values);
    together = key && value && known.try_emplace(*key, *value).first->second == *value;
    return !together;
  });
  return together;
}

void add_witness(Error& error, const std::string& witness) {
  if (!witness.empty()) error.first().notes.push_back({witness, {}});
}

}  // namespace mlc::transform
