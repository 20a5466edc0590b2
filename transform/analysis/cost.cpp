// SPDX-License-Identifier: Apache-2.0
#include "transform/analysis/cost.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/op.h"
#include "ir/tir/scalar_op.h"
#include "transform/arith/analyzer.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "symbolic-extent",
                                            .message = "costs are numbers, and {} depends on {}",
                                            .help = "give the values of symbols: `:cost n=1024`"},
                                       }};
MLC_REFUSALS(analysis_cost, refusals);

namespace {

struct Access {
  Buffer buffer;
  std::vector<Expr> indices;  // in variables of loops
};

// The function as loops, and what stands in them.
struct Part {
  const VarNode* var = nullptr;  // of a loop; null: its children in a row
  Var loop_var;
  int64_t begin = 0, extent = 1, step = 1;  // `extent` iterations, whose values are `step` apart
  std::vector<Part> parts;
  std::vector<Access> accesses;  // of a statement
};

// A box of elements of a buffer, and at most how many of them are meant.
struct Box {
  struct Dim {
    double low = 0, high = 0;  // both included
    double count = 0;          // of different indices between
    double extent() const { return high - low + 1; }
    bool operator==(const Dim&) const = default;
  };
  std::vector<Dim> dims;
  double points = 0;
};

class Counter {
 public:
  Counter(const std::string& name, const PrimFunc& fn, const std::vector<MemoryLevel>& levels,
          const std::vector<std::pair<std::string, int64_t>>& values)
      : levels_(levels), values_(values) {
    cost_.function = name;
    for (const Var& param : fn->params)
      if (param->buffer() != nullptr) buffer_of(param);
    Part whole;
    add(fn->body, whole);
    count_traffic(whole);
    for (auto& buffer : cost_.buffers) {
      cost_.accessed += buffer.loads + buffer.stores;
      cost_.touched += buffer.touched;
    }
    // A buffer that nothing reads or writes, such as a dead argument, has no traffic.
    for (auto& buffer : cost_.buffers) buffer.traffic.resize(levels_.size(), 0);
  }

  FunctionCost take() { return std::move(cost_); }

 private:
  // ---- numbers ----

  // The expression with the values of symbols, of block iterators, and of what `let` names.
  Expr resolved(const Expr& e) {
    Expr now = substitute(e, known_);
    VarMap symbols;
    for (const Var& var : free_vars(now)) {
      auto found =
          std::ranges::find(values_, std::string(var->name), &std::pair<std::string, int64_t>::first);
      if (found == values_.end() || loops_.contains(var.get())) continue;
      symbols[var.get()] = make<IntImmNode>(var->dtype(), found->second);
      if (std::ranges::find(cost_.symbols, found->first) == cost_.symbols.end())
        cost_.symbols.push_back(found->first);
    }
    return symbols.empty() ? now : substitute(now, symbols);
  }
  int64_t number(const Expr& e, const std::string& what) {
    Expr now = analyzer_.simplify(resolved(e));
    if (auto value = const_int(now)) return *value;
    // The most that it can be, as in the last tile of a split.
    for (const Var& var : free_vars(now))
      if (!loops_.contains(var.get())) throw symbolic(what, now);
    ConstIntBound bound = bounds_of(now);
    if (bound.max == ConstIntBound::kPosInf) throw symbolic(what, now);
    assume("extents that vary are taken at their most");
    return bound.max;
  }
  static ir::Error symbolic(const std::string& what, const Expr& e) {
    std::vector<std::string> names;
    for (const Var& var : free_vars(e)) names.push_back(fmt::format("`{}`", std::string(var->name)));
    return ir::refuse(refusals["symbolic-extent"], what,
                      names.empty() ? "memory" : fmt::format("{}", fmt::join(names, ", ")));
  }
  void assume(const std::string& sentence) {
    if (std::ranges::find(cost_.assumptions, sentence) == cost_.assumptions.end())
      cost_.assumptions.push_back(sentence);
  }

  size_t buffer_of(const Buffer& buffer) {
    auto found = std::ranges::find_if(cost_.buffers,
                                      [&](const BufferCost& each) { return each.buffer.same_as(buffer); });
    if (found != cost_.buffers.end()) return static_cast<size_t>(found - cost_.buffers.begin());
    const BufferTypeNode* type = buffer->buffer();
    BufferCost made;
    made.buffer = buffer;
    made.name = std::string(buffer->name);
    made.scope = type->storage_scope.empty() ? "global" : std::string(type->storage_scope);
    std::vector<double> shape;
    made.size = element_bytes(buffer);
    for (const Expr& extent : type->shape) {
      shape.push_back(static_cast<double>(number(extent, fmt::format("an extent of `{}`", made.name))));
      made.size *= shape.back();
    }
    cost_.buffers.push_back(std::move(made));
    shapes_.push_back(std::move(shape));
    return cost_.buffers.size() - 1;
  }
  static double element_bytes(const Buffer& buffer) {
    DataType dtype = buffer->buffer()->dtype;
    return dtype.bits() * std::max(dtype.lanes(), 1) / 8.0;
  }

  // ---- operations and accesses ----

  void add(const Stmt& stmt, Part& into) {
    switch (stmt->kind) {
      case StmtKind::kSeqStmt:
        for (const Stmt& each : as<SeqStmtNode>(stmt)->seq) add(each, into);
        return;
      case StmtKind::kFor: {
        auto* loop = as<ForNode>(stmt);
        if (loop->for_kind == ForKind::kParallel) cost_.parallel = true;
        int64_t step = loop->step ? number(loop->step, "a step") : 1;
        int64_t extent =
            number(loop->extent, fmt::format("the extent of loop `{}`", std::string(loop->loop_var->name)));
        if (step <= 0) return;  // refused where it is run
        extent = std::max<int64_t>(extent, 0);
        return add_loop(loop->loop_var, loop->min, (extent + step - 1) / step, step, loop->body, into);
      }
      case StmtKind::kAttrStmt: {
        auto* attribute = as<AttrStmtNode>(stmt);
        auto iter = attribute->node.as<IterVar>();
        bool threads = attribute->attr_key == "thread_extent" || attribute->attr_key == "virtual_thread";
        if (!threads || !iter) return add(attribute->body, into);
        int64_t extent = number(attribute->value, "a number of threads");
        return add_loop((*iter)->var, make<IntImmNode>((*iter)->var->dtype(), 0), extent, 1, attribute->body,
                        into);
      }
      case StmtKind::kSBlockRealize:
        return add_block(*as<SBlockRealizeNode>(stmt), into);
      case StmtKind::kIfThenElse: {
        auto* branch = as<IfThenElseNode>(stmt);
        add_indices(branch->condition, into);
        if (branch->else_case)
          return add_heavier(
              into, [&](Part& part) { add(branch->then_case, part); },
              [&](Part& part) { add(branch->else_case, part); });
        assume("conditions are taken to hold");
        return add(branch->then_case, into);
      }
      case StmtKind::kWhile:
        assume("a `while` loop is counted as one iteration");
        return add(as<WhileNode>(stmt)->body, into);
      case StmtKind::kBind: {
        auto* bind = as<BindNode>(stmt);
        if (!bind->var->dtype().is_integral()) return add_statement(bind->value, nullptr, into);
        add_indices(bind->value, into);
        known_[bind->var.get()] = resolved(bind->value);
        return;
      }
      case StmtKind::kBufferStore:
        return add_statement(as<BufferStoreNode>(stmt)->value, as<BufferStoreNode>(stmt), into);
      case StmtKind::kEvaluate:
        return add_statement(as<EvaluateNode>(stmt)->value, nullptr, into);
      default:
        return;
    }
  }

  void add_loop(const Var& var, const Expr& min, int64_t iterations, int64_t step, const Stmt& body,
                Part& into) {
    Part part;
    part.var = var.get();
    part.loop_var = var;
    ConstIntBound begin = bounds_of(resolved(min));
    part.begin = begin.min == ConstIntBound::kNegInf ? 0 : begin.min;
    part.extent = iterations;
    part.step = step;
    loops_.emplace(var.get(), std::pair(part.begin, iterations));
    analyzer_.bind(var, values_of(part));
    double outer = std::exchange(runs_, runs_ * static_cast<double>(iterations));
    add(body, part);
    runs_ = outer;
    into.parts.push_back(std::move(part));
  }

  // What was counted by now, to go back to.
  struct Counts {
    double flops, special, integer;
    int flop_bits;
    std::vector<std::pair<double, double>> accesses;  // of the buffers that are known by now

    double operations() const { return flops + special + integer; }
    double bytes() const {
      double sum = 0;
      for (auto [loads, stores] : accesses) sum += loads + stores;
      return sum;
    }
  };
  Counts counts() const {
    Counts made{cost_.flops, cost_.special, cost_.integer, cost_.flop_bits, {}};
    for (const BufferCost& each : cost_.buffers) made.accesses.emplace_back(each.loads, each.stores);
    return made;
  }
  void go_back(const Counts& to) {
    cost_.flops = to.flops;
    cost_.special = to.special;
    cost_.integer = to.integer;
    cost_.flop_bits = to.flop_bits;
    for (size_t i = 0; i < cost_.buffers.size(); ++i) {
      auto [loads, stores] = i < to.accesses.size() ? to.accesses[i] : std::pair(0.0, 0.0);
      cost_.buffers[i].loads = loads;
      cost_.buffers[i].stores = stores;
    }
  }

  // Of two branches of which one runs, the one that does more. An upper bound, as for a lone `if`.
  template <class A, class B>
  void add_heavier(Part& into, A&& add_one, B&& add_other) {
    assume("of the two branches of a condition the one that does more is counted");
    Counts before = counts();
    Part one, other;
    add_one(one);
    Counts first = counts();
    go_back(before);
    add_other(other);
    Counts second = counts();
    bool keeps_first =
        std::pair(first.operations(), first.bytes()) >= std::pair(second.operations(), second.bytes());
    if (keeps_first) go_back(first);
    Part& kept = keeps_first ? one : other;
    std::ranges::move(kept.parts, std::back_inserter(into.parts));
    std::ranges::move(kept.accesses, std::back_inserter(into.accesses));
  }

  void add_block(const SBlockRealizeNode& realize, Part& into) {
    const SBlockNode& block = *realize.block;
    double reductions = 1;
    for (size_t i = 0; i < block.iter_vars.size(); ++i) {
      const IterVar& iter = block.iter_vars[static_cast<int64_t>(i)];
      if (iter->iter_type == IterType::kCommReduce && block.init)
        reductions *= static_cast<double>(number(iter->dom->extent, "the extent of a reduction"));
      known_[iter->var.get()] = resolved(realize.iter_values[static_cast<int64_t>(i)]);
    }
    if (!is_const_int(realize.predicate, 1)) assume("conditions are taken to hold");
    if (block.init) {
      double outer_runs = std::exchange(runs_, runs_ / reductions);
      add(block.init, into);
      runs_ = outer_runs;
    }
    add(block.body, into);
  }

  void add_statement(const Expr& value, const BufferStoreNode* store, Part& into) {
    Part part;
    count(value, part);
    if (store != nullptr) {
      for (const Expr& index : store->indices) count_index(index, part);
      add_access(store->buffer, store->indices, std::max(store->value->dtype().lanes(), 1), true, part);
    }
    if (!part.accesses.empty()) into.parts.push_back(std::move(part));
  }

  // A condition, or a number that indices are made of.
  void add_indices(const Expr& value, Part& into) {
    Part part;
    count_index(value, part);
    if (!part.accesses.empty()) into.parts.push_back(std::move(part));
  }

  void add_access(const Buffer& buffer, const Array<Expr>& indices, int64_t lanes, bool is_store,
                  Part& part) {
    BufferCost& cost = cost_.buffers[buffer_of(buffer)];
    double bytes = runs_ * static_cast<double>(lanes) * element_bytes(buffer);
    (is_store ? cost.stores : cost.loads) += bytes;
    Access access{.buffer = buffer, .indices = {}};
    for (const Expr& index : indices) access.indices.push_back(resolved(index));
    part.accesses.push_back(std::move(access));
  }

  // Indices are no work that anybody asked for, but what they load is.
  void count_index(const Expr& index, Part& part) {
    post_order(index, [&](const Expr& e) {
      if (auto* load = as<TensorLoadNode>(e))
        add_access(load->source, load->indices, std::max(e->dtype().lanes(), 1), false, part);
    });
  }

  void count(const Expr& e, Part& part) {
    if (auto* load = as<TensorLoadNode>(e)) {
      for (const Expr& index : load->indices) count_index(index, part);
      return add_access(load->source, load->indices, std::max(e->dtype().lanes(), 1), false, part);
    }
    if (auto* binary = as_binary(e)) {
      count(binary->a, part);
      count(binary->b, part);
      bool compares = binary->kind >= ExprKind::kEQ && binary->kind <= ExprKind::kOr;
      if (!compares) count_operation(binary->a->dtype());
      return;
    }
    if (auto* cast = as<CastNode>(e)) return count(cast->value, part);
    if (auto* select = as<SelectNode>(e)) {
      for (const Expr* each : {&select->condition, &select->true_value, &select->false_value})
        count(*each, part);
      return;
    }
    if (auto* inverted = as<NotNode>(e)) return count(inverted->a, part);
    if (auto* inverted = as<BitwiseNotNode>(e)) {
      count(inverted->a, part);
      return count_operation(e->dtype());
    }
    if (auto* ramp = as<RampNode>(e)) return count(ramp->base, part);
    if (auto* broadcast = as<BroadcastNode>(e)) return count(broadcast->value, part);
    if (auto* shuffle = as<ShuffleNode>(e)) {
      for (const Expr& each : shuffle->vectors) count(each, part);
      return;
    }
    if (auto* let = as<LetNode>(e)) {
      count(let->value, part);
      if (let->var->dtype().is_integral()) known_[let->var.get()] = resolved(let->value);
      return count(let->body, part);
    }
    if (auto* call = as<CallNode>(e)) return count_call(*call, part);
  }

  void count_operation(DataType dtype) {
    double lanes = std::max(dtype.lanes(), 1);
    if (dtype.is_floating()) {
      cost_.flops += runs_ * lanes;
      cost_.flop_bits = std::max(cost_.flop_bits, dtype.bits());
    } else if (dtype.is_integral()) {
      cost_.integer += runs_ * lanes;
    }
  }

  void count_call(const CallNode& call, Part& part) {
    auto* op = as<OpNode>(call.op);
    if (op != nullptr && op->name == "tirx.if_then_else") {
      count(call.args[0], part);
      return add_heavier(
          part, [&](Part& into) { count(call.args[1], into); },
          [&](Part& into) { count(call.args[2], into); });
    }
    for (const Expr& arg : call.args) count(arg, part);
    if (op == nullptr) return assume("what called functions do is not counted");
    std::string_view name(op->name.data(), op->name.size());
    DataType dtype = call.dtype();
    double lanes = std::max(dtype.lanes(), 1);
    if (name == "tirx.fma") {
      cost_.flops += 2 * runs_ * lanes;
      cost_.flop_bits = std::max(cost_.flop_bits, dtype.bits());
    } else if (ir::scalar_op(name) != nullptr) {
      if (dtype.is_floating()) cost_.special += runs_ * lanes;
    } else if (name.starts_with("tirx.call_") || name.find("access_ptr") != std::string_view::npos) {
      assume("what called functions do is not counted");
    }
  }

  // ---- traffic ----

  ConstIntBound bounds_of(const Expr& e) { return analyzer_.const_int_bound(e); }

  static ConstIntBound values_of(const Part& loop) {
    return {loop.begin, loop.begin + (std::max<int64_t>(loop.extent, 1) - 1) * loop.step};
  }
  void range(const Part& loop) {
    analyzer_.bind(loop.loop_var, values_of(loop));
    inner_.emplace(loop.var, loop.extent);
  }
  void fix(const Part& loop) {
    analyzer_.bind(loop.loop_var, ConstIntBound{loop.begin, loop.begin});
    inner_.erase(loop.var);
  }

  // The elements that an access meets while the inner loops run.
  Box box_of(const Access& access) {
    Box box;
    const std::vector<double>& shape = shapes_[buffer_of(access.buffer)];
    std::map<const VarNode*, int64_t> used;  // loops that run, in any of the indices
    double scattered = 1;                    // what indices that are no matter of loops multiply
    for (size_t d = 0; d < access.indices.size(); ++d) {
      Expr index = access.indices[d];
      double lanes = 1, spread = 0;
      if (auto* ramp = as<RampNode>(index)) {
        auto stride = const_int(ramp->stride), count = const_int(ramp->lanes);
        lanes = count ? static_cast<double>(*count) : 1;
        spread = (lanes - 1) * std::abs(stride ? static_cast<double>(*stride) : 1);
        index = ramp->base;
      } else if (auto* broadcast = as<BroadcastNode>(index)) {
        index = broadcast->value;
      }
      ConstIntBound bound = bounds_of(index);
      Box::Dim dim;
      if (bound.min == ConstIntBound::kNegInf || bound.max == ConstIntBound::kPosInf) {
        assume("an index that memory decides may be anywhere in its dimension");
        dim.high = (d < shape.size() ? shape[d] : 1) - 1;
        dim.count = dim.extent();
        scattered *= dim.count;
      } else {
        dim.low = static_cast<double>(bound.min);
        dim.high = static_cast<double>(bound.max) + spread;
        dim.count = lanes;
        for (const Var& var : free_vars(index)) {
          auto loop = inner_.find(var.get());
          if (loop == inner_.end()) continue;
          used[var.get()] = loop->second;
          dim.count *= static_cast<double>(loop->second);
        }
        dim.count = std::min(dim.count, dim.extent());
        scattered *= lanes;
      }
      box.dims.push_back(dim);
    }
    box.points = scattered;
    for (const auto& [var, extent] : used) box.points *= static_cast<double>(extent);
    box.points = std::min(box.points, volume_of(box));
    return box;
  }
  static double volume_of(const Box& box) {
    double volume = 1;
    for (const Box::Dim& dim : box.dims) volume *= dim.count;
    return volume;
  }

  static bool overlap(const Box& a, const Box& b) {
    for (size_t d = 0; d < a.dims.size() && d < b.dims.size(); ++d)
      if (a.dims[d].high < b.dims[d].low || b.dims[d].high < a.dims[d].low) return false;
    return true;
  }

  // Boxes that overlap become one around both.
  static void add_to(std::vector<Box>& boxes, Box box) {
    for (size_t i = 0; i < boxes.size();) {
      const Box& other = boxes[i];
      if (!overlap(other, box)) {
        ++i;
        continue;
      }
      double points = other.dims == box.dims ? std::max(box.points, other.points) : box.points + other.points;
      for (size_t d = 0; d < box.dims.size(); ++d) {
        Box::Dim &mine = box.dims[d], its = other.dims[d];
        bool same = mine == its;
        mine = {std::min(mine.low, its.low), std::max(mine.high, its.high),
                same ? mine.count : mine.count + its.count};
        mine.count = std::min(mine.count, mine.extent());
      }
      box.points = std::min(points, volume_of(box));
      boxes.erase(boxes.begin() + static_cast<ptrdiff_t>(i));
    }
    boxes.push_back(std::move(box));
  }

  using Footprint = std::map<size_t, std::vector<Box>>;  // by buffer

  void add_footprint(const Part& part, Footprint& boxes) {
    if (part.var != nullptr) range(part);
    for (const Access& access : part.accesses) add_to(boxes[buffer_of(access.buffer)], box_of(access));
    for (const Part& each : part.parts) add_footprint(each, boxes);
    // Loops outside of what is looked at stand still, those inside of it run: `fix` is for who walks
    // outwards.
  }
  void fix_all(const Part& part) {
    if (part.var != nullptr) fix(part);
    for (const Part& each : part.parts) fix_all(each);
  }

  // Bytes of the lines that hold a box: its rows are contiguous as far as it takes whole dimensions.
  double bytes_of(size_t buffer, const Box& box, int64_t line) const {
    double element = element_bytes(cost_.buffers[buffer].buffer);
    if (line <= 1) return box.points * element;
    double run = element, runs = 1;
    bool contiguous = true;
    for (size_t d = box.dims.size(); d-- > 0;) {
      (contiguous ? run : runs) *= contiguous ? box.dims[d].extent() : box.dims[d].count;
      contiguous = contiguous && d < shapes_[buffer].size() && box.dims[d].extent() >= shapes_[buffer][d];
    }
    double lines = std::min(runs * std::ceil(run / static_cast<double>(line)), box.points);
    return lines * static_cast<double>(line);
  }

  using Bytes = std::map<size_t, double>;

  Bytes bytes_of(const Footprint& boxes, int64_t line) const {
    Bytes bytes;
    for (const auto& [buffer, all] : boxes)
      for (const Box& box : all) bytes[buffer] += bytes_of(buffer, box, line);
    return bytes;
  }
  static double total(const Bytes& bytes) {
    double sum = 0;
    for (const auto& [buffer, each] : bytes) sum += each;
    return sum;
  }

  Bytes footprint(const Part& part, int64_t line) {
    Footprint boxes;
    add_footprint(part, boxes);
    Bytes bytes = bytes_of(boxes, line);
    fix_all(part);
    return bytes;
  }
  // Of one iteration of a loop.
  Bytes footprint_of_body(const Part& loop, int64_t line) {
    Footprint boxes;
    for (const Part& each : loop.parts) add_footprint(each, boxes);
    Bytes bytes = bytes_of(boxes, line);
    for (const Part& each : loop.parts) fix_all(each);
    return bytes;
  }

  // What must come into a memory of that capacity, with nothing in it at first.
  Bytes misses(const Part& part, double capacity, int64_t line) {
    if (!part.accesses.empty()) return footprint(part, line);
    if (total(footprint_of_body(part, line)) <= capacity) return footprint(part, line);
    Bytes sum;
    for (const Part& each : part.parts)
      for (const auto& [buffer, bytes] : misses(each, capacity, line)) sum[buffer] += bytes;
    if (part.var != nullptr)
      for (auto& [buffer, bytes] : sum) bytes *= static_cast<double>(part.extent);
    return sum;
  }

  void count_traffic(const Part& whole) {
    fix_all(whole);
    for (const auto& [buffer, bytes] : footprint(whole, 1)) cost_.buffers[buffer].touched = bytes;
    cost_.footprint = total(footprint(whole, levels_.empty() ? 1 : levels_.front().line));
    double above = kRegisterBytes;
    int64_t line = 1;
    for (const MemoryLevel& level : levels_) {
      // What comes from this level is what the one above it misses, in lines of that one. A line that was
      // written goes back.
      double sum = 0;
      for (auto& buffer : cost_.buffers) buffer.traffic.push_back(0);
      for (const auto& [buffer, bytes] : misses(whole, above, line)) {
        BufferCost& cost = cost_.buffers[buffer];
        bool both = cost.stores > 0 && cost.loads > 0, fetched = cost.stores > 0 && line > 1;
        cost.traffic.back() = bytes * (both || fetched ? 2 : 1);
        sum += cost.traffic.back();
      }
      cost_.traffic.push_back(sum);
      above = static_cast<double>(level.capacity);
      line = level.line;
    }
  }

  const std::vector<MemoryLevel>& levels_;
  const std::vector<std::pair<std::string, int64_t>>& values_;
  FunctionCost cost_;
  std::vector<std::vector<double>> shapes_;  // of the buffers
  Analyzer analyzer_;
  VarMap known_;
  std::map<const VarNode*, std::pair<int64_t, int64_t>> loops_;
  std::map<const VarNode*, int64_t> inner_;  // loops that run, the others stand at their beginning
  double runs_ = 1;
};

}  // namespace

FunctionCost cost_of(const std::string& name, const PrimFunc& fn, const std::vector<MemoryLevel>& levels,
                     const std::vector<std::pair<std::string, int64_t>>& values) {
  return Counter(name, fn, levels, values).take();
}

Bound bound_of(const FunctionCost& cost, const Machine& machine, bool warm) {
  Bound bound;
  // A cache that holds all of it has it from the call before, and asks the levels below for nothing.
  auto has_all = [&](const MemoryLevel& cache) {
    return cost.footprint <= static_cast<double>(cache.capacity) * (cache.shared ? 1 : machine.cores);
  };
  auto take = [&](const std::string& what, double seconds) {
    if (seconds > bound.seconds) bound = {what, seconds, 0};
  };
  double peak = cost.flop_bits > 32 ? machine.flops64 : machine.flops32;
  if (peak > 0) take("compute", cost.flops / peak);
  for (size_t i = 0; i < machine.levels.size() && i < machine.bandwidth.size() && i < cost.traffic.size();
       ++i) {
    if (warm && i > 0 && has_all(machine.levels[i - 1])) break;
    if (machine.bandwidth[i] > 0) take(machine.levels[i].name, cost.traffic[i] / machine.bandwidth[i]);
  }
  if (bound.seconds > 0) bound.flops_rate = cost.flops / bound.seconds;
  return bound;
}

}  // namespace mlc::transform
