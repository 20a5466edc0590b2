// SPDX-License-Identifier: Apache-2.0
// What is counted on loop nests beside what their accesses are when they are walked one by one, through
// caches that are played.
#include "transform/analysis/cost.h"

#include <catch2/catch.hpp>
#include <list>
#include <map>
#include <set>

#include "ir/tir/linear.h"
#include "pass_kernels.h"

namespace {

using namespace kernels;
using mlc::transform::FunctionCost;
using mlc::transform::MemoryLevel;

// One access: a buffer's number and an element's.
struct Touch {
  size_t buffer;
  int64_t element;
  bool stores;
};

// Every access of a function without blocks, in order.
class Walk {
 public:
  explicit Walk(const PrimFunc& fn) {
    for (const Var& param : fn->params) numbers_[param.get()] = numbers_.size();
    run(fn->body);
  }
  std::vector<Touch> touches;

 private:
  int64_t value(const Expr& e) {
    auto number = const_int(simplify_linear(substitute(e, values_)));
    REQUIRE(number);
    return *number;
  }
  void touch(const Buffer& buffer, const Array<Expr>& indices, bool stores) {
    int64_t element = 0;
    for (size_t d = 0; d < indices.size(); ++d)
      element = element * *const_int(buffer->buffer()->shape[static_cast<int64_t>(d)]) +
                value(indices[static_cast<int64_t>(d)]);
    touches.push_back({numbers_.at(buffer.get()), element, stores});
  }
  void run(const Stmt& s) {
    if (auto* all = as<SeqStmtNode>(s)) {
      for (const Stmt& each : all->seq) run(each);
    } else if (auto* loop = as<ForNode>(s)) {
      int64_t step = loop->step ? *const_int(loop->step) : 1;
      for (int64_t i = 0, extent = *const_int(loop->extent); i < extent; i += step) {
        values_[loop->loop_var.get()] = int32(i);
        run(loop->body);
      }
    } else if (auto* store = as<BufferStoreNode>(s)) {
      post_order(store->value, [&](const Expr& e) {
        if (auto* load = as<TensorLoadNode>(e)) touch(load->source, load->indices, false);
      });
      touch(store->buffer, store->indices, true);
    }
  }
  std::map<const VarNode*, size_t> numbers_;
  VarMap values_;
};

// Lines that a cache of that capacity does not have when they are asked for, by buffer.
std::vector<double> misses(const std::vector<Touch>& touches, size_t buffers, int64_t capacity,
                           int64_t line) {
  std::list<std::pair<size_t, int64_t>> kept;  // the least recently used last
  std::map<std::pair<size_t, int64_t>, std::list<std::pair<size_t, int64_t>>::iterator> where;
  std::vector<double> missed(buffers);
  for (const Touch& each : touches) {
    std::pair key(each.buffer, each.element * 4 / line);
    if (auto found = where.find(key); found != where.end()) {
      kept.erase(found->second);
    } else {
      missed[each.buffer] += static_cast<double>(line);
      if (static_cast<int64_t>(kept.size()) * line >= capacity) {
        where.erase(kept.back());
        kept.pop_back();
      }
    }
    kept.push_front(key);
    where[key] = kept.begin();
  }
  return missed;
}

PrimFunc plain_function(std::vector<Buffer> params, Stmt body) {
  return make<PrimFuncNode>(Array<Var>(params.begin(), params.end()), void_type(), body);
}

// C[i, j] += A[i, k] * B[k, j], loops in the order of the letters; `tile`: j and k in pieces.
PrimFunc product(int64_t n, const std::string& order) {
  Buffer a = buffer("A", {int32(n), int32(n)}), b = buffer("B", {int32(n), int32(n)}),
         c = buffer("C", {int32(n), int32(n)});
  std::map<char, Var> var;
  for (char letter : order) var[letter] = index(std::string(1, letter).c_str());
  auto whole = [&](char outer, char inner) {
    return var.count(outer) ? Expr(var.at(outer) * 8 + var.at(inner)) : Expr(var.at(inner));
  };
  Expr i = whole('I', 'i'), j = whole('J', 'j'), k = whole('K', 'k');
  Stmt body = set(c, {i, j}, at(c, {i, j}) + at(a, {i, k}) * at(b, {k, j}));
  for (auto letter = order.rbegin(); letter != order.rend(); ++letter) {
    bool outer = *letter<'a', has_outer = var.count(static_cast<char>(*letter - 'a' + 'A'))> 0;
    body = loop(var.at(*letter), int32(outer ? n / 8 : has_outer ? 8 : n), body);
  }
  return plain_function({a, b, c}, body);
}

void compare(const PrimFunc& fn, double slack) {
  constexpr int64_t kLine = 16;
  std::vector<Touch> touches = Walk(fn).touches;
  size_t buffers = fn->params.size();
  // None that one iteration of a loop just fits in, or not.
  for (int64_t capacity : {400, 1500, 6000, 24000}) {
    std::vector<MemoryLevel> levels{{"cache", capacity, kLine}, {"memory", 0, kLine}};
    FunctionCost cost = mlc::transform::cost_of("main", fn, levels);
    std::vector<double> played = misses(touches, buffers, capacity, kLine);
    REQUIRE(cost.buffers.size() == buffers);
    double counted = 0, right = 0;
    for (size_t i = 0; i < buffers; ++i) {
      const auto& each = cost.buffers[i];
      std::set<int64_t> different;
      double loads = 0, stores = 0;
      for (const Touch& touch : touches) {
        if (touch.buffer != i) continue;
        different.insert(touch.element);
        (touch.stores ? stores : loads) += 4;
      }
      INFO(each.name << " with " << capacity);
      CHECK(each.loads == loads);
      CHECK(each.stores == stores);
      CHECK(each.touched == 4.0 * static_cast<double>(different.size()));
      counted += each.stores > 0 ? each.traffic[1] / 2 : each.traffic[1];
      right += played[i];
    }
    INFO("capacity " << capacity << ": counted " << counted << ", played " << right);
    CHECK(counted <= right * slack);
    CHECK(right <= counted * slack);
  }
}

}  // namespace

TEST_CASE("costs of products: accesses exact, traffic near that of an LRU cache", "[analysis]") {
  for (const char* order : {"ijk", "ikj", "jki", "kij", "IJKijk", "JKijk", "iJKjk"}) {
    INFO(order);
    compare(product(32, order), 1.6);
  }
}

TEST_CASE("costs of walks: rows, columns, strides and neighbours", "[analysis]") {
  Buffer a = buffer("A", {int32(64), int32(64)}), b = buffer("B", {int32(64), int32(64)});
  auto nest = [&](const std::function<Stmt(Var, Var)>& body) {
    return plain_function(
        {a, b}, loop("i", 32, [&](Var i) { return loop("j", 32, [&](Var j) { return body(i, j); }); }));
  };
  compare(nest([&](Var i, Var j) { return set(b, {i, j}, at(a, {i, j})); }), 1.01);
  compare(nest([&](Var i, Var j) { return set(b, {i, j}, at(a, {j, i})); }), 1.6);
  compare(nest([&](Var i, Var j) { return set(b, {i, j}, at(a, {i * 2, j * 2})); }), 1.01);
  compare(nest([&](Var i, Var j) {
            return set(b, {i, j}, at(a, {i, j}) + at(a, {i + 1, j}) + at(a, {i + 2, j}));
          }),
          1.6);
}

TEST_CASE("costs of loops with a step: what lies between is not touched, and how far they go is", "[analysis]") {
  Buffer a = buffer("A", {int32(64), int32(64)}), b = buffer("B", {int32(64), int32(64)});
  auto stepped = [&](int64_t step, const std::function<Stmt(Var, Var)>& body) {
    Var j = index("j");
    return plain_function({a, b}, loop("i", 32, [&](Var i) {
                            return make<ForNode>(j, int32(0), int32(60), ForKind::kSerial, body(i, j),
                                                 IterVar(nullptr), Map<String, Any>{}, int32(step));
                          }));
  };
  for (int64_t step : {1, 2, 5, 16}) {
    INFO(step);
    compare(stepped(step, [&](Var i, Var j) { return set(b, {i, j}, at(a, {i, j})); }), 1.01);
    compare(stepped(step, [&](Var i, Var j) { return set(b, {i, j}, at(a, {j, i})); }), 1.6);
  }
}

TEST_CASE("of two branches the one that does more is counted", "[analysis]") {
  Buffer a = buffer("A", {int32(64)}), b = buffer("B", {int32(64)});
  auto cost = [&](bool heavy_first) {
    Stmt body = loop("i", 64, [&](Var i) {
      Stmt light = set(b, {i}, at(a, {i}));
      Stmt heavy = set(b, {i}, at(a, {i}) * at(a, {i}) + at(a, {i}));
      return make<IfThenElseNode>(make<LTNode>(Expr(i), int32(32)), heavy_first ? heavy : light,
                                  heavy_first ? light : heavy);
    });
    std::vector<MemoryLevel> levels{{"cache", 1500, 64}, {"memory", 0, 64}};
    return mlc::transform::cost_of("main", plain_function({a, b}, body), levels);
  };
  for (bool heavy_first : {true, false}) {
    FunctionCost counted = cost(heavy_first);
    CHECK(counted.flops == 2 * 64);
    CHECK(counted.buffers[0].loads == 3 * 4 * 64);
    CHECK(counted.buffers[1].stores == 4 * 64);
    CHECK(counted.traffic[1] == 4 * 64 + 2 * 4 * 64);
    REQUIRE(counted.assumptions.size() == 1);
  }
}

TEST_CASE("operations are counted by lane and type", "[analysis]") {
  FunctionCost cost = mlc::transform::cost_of("main", product(32, "ijk"), {});
  CHECK(cost.flops == 2.0 * 32 * 32 * 32);
  CHECK(cost.flop_bits == 32);
  CHECK(cost.integer == 0);
  CHECK(cost.special == 0);
}

TEST_CASE("a roofline is bound by what takes longest", "[analysis]") {
  FunctionCost cost;
  cost.flops = 1000;
  cost.traffic = {4000, 100};
  mlc::transform::Machine machine;
  machine.flops32 = 1000;
  machine.levels = {{"L1", 100, 64}, {"memory", 0, 64}};
  machine.bandwidth = {1000, 1000};
  CHECK(bound_of(cost, machine).what == "L1");
  CHECK(bound_of(cost, machine).seconds == 4);
  CHECK(bound_of(cost, machine).flops_rate == 250);
  machine.bandwidth = {8000, 50};
  CHECK(bound_of(cost, machine).what == "memory");
  machine.bandwidth = {0, 1000};
  CHECK(bound_of(cost, machine).what == "compute");
  // What a cache holds since the last call does not come from memory again.
  machine.bandwidth = {8000, 50};
  cost.footprint = 100;
  CHECK(bound_of(cost, machine, true).what == "compute");
  CHECK(bound_of(cost, machine, true).seconds == 1);
  cost.footprint = 101;
  CHECK(bound_of(cost, machine, true).what == "memory");
  machine.cores = 2;
  CHECK(bound_of(cost, machine, true).what == "compute");
  machine.levels[0].shared = true;
  CHECK(bound_of(cost, machine, true).what == "memory");
}
