// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/tir/op.h"
#include "tests/fuzz/codegen/draw_values.h"

namespace mlc::fuzz {

using ir::Any;
using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;

namespace {

ir::Buffer make_buffer(const std::string& name, DataType type, int64_t extent, const char* scope = "global",
                       int64_t columns = 0, Expr offset = ir::int32(0)) {
  ir::Array<Expr> shape = {ir::int32(extent)};
  if (columns != 0) shape = {ir::int32(extent / columns), ir::int32(columns)};
  return ir::make<ir::VarNode>(
      name, ir::make<ir::BufferTypeNode>(type, scope, shape, ir::Array<Expr>{}, std::move(offset)));
}

// How many columns a buffer of so many elements has, or 0: one dimension.
int64_t some_columns(Random& random, int64_t extent) {
  if (!random.one_in(3)) return 0;
  std::vector<int64_t> fitting;
  for (int64_t columns = 2; columns < extent; ++columns)
    if (extent % columns == 0) fitting.push_back(columns);
  return fitting.empty() ? 0 : random.of(fitting);
}

Stmt store(const Source& target, Expr value, const Expr& place) {
  return ir::make<ir::BufferStoreNode>(target.buffer, std::move(value), target.at(place));
}

// From 2^(k - 1) to 2^k for a k of 8, 16 or 32: as a signed number of k bits it is negative.
uint64_t negative_if_narrowed(uint64_t bits, DataType type) {
  int width = 8 << (bits % 3);
  while (width > type.bits()) width /= 2;
  uint64_t top = uint64_t{1} << (width - 1);
  return (bits >> 8 & (top - 1)) | top;
}

// By one off the middle of two numbers of float32, so near that it is the middle in float64: whoever rounds
// to that first rounds to the other neighbour.
uint64_t rounded_twice(Random& random) {
  int64_t fraction = int64_t{1} << 23 | random.below(int64_t{1} << 23), shift = 31 + random.below(9);
  int64_t middle = (2 * fraction + 1) << (shift - 1);
  int64_t made = fraction % 2 == 0 ? middle + 1 : middle - 1;
  return static_cast<uint64_t>(random.one_in(2) ? -made : made);
}

// One element of a tensor: all bits are possible, those at the edges of the type likely.
void fill(Random& random, char* at, DataType type) {
  size_t bytes = static_cast<size_t>(type.bytes());
  uint64_t bits = random.next();
  if (type.is_bool()) {
    bits &= 1;
  } else if (type.is_floating()) {
    int width = type.bits(), mantissa = type.is_bfloat16() ? 7 : width == 16 ? 10 : width == 32 ? 23 : 52;
    uint64_t exponent = ((uint64_t{1} << (width - 1 - mantissa)) - 1) << mantissa;
    uint64_t sign = (bits & 1) << (width - 1);
    int64_t choice = random.below(12);
    if (choice < 6) {  // near 1
      uint64_t bias = (exponent >> 1) & exponent;
      bits = sign | (bias + (static_cast<uint64_t>(random.below(9) - 4) << mantissa)) |
             (bits >> 8 & ((uint64_t{1} << mantissa) - 1));
    } else {
      const std::vector<uint64_t> special = {0, exponent,     exponent | uint64_t{1} << (mantissa - 1),
                                             1, exponent - 1, bits >> 1 & ~(exponent & ~(exponent >> 1))};
      bits = sign | special[static_cast<size_t>(choice - 6)];
    }
  } else {
    const std::vector<uint64_t> special = {0,
                                           1,
                                           ~uint64_t{0},
                                           uint64_t{1} << (type.bits() - 1),
                                           (uint64_t{1} << (type.bits() - 1)) - 1,
                                           2,
                                           uint64_t{1} << (type.bits() / 2)};
    int64_t choice = random.below(6);
    if (choice < 2) bits = random.of(special);
    if (choice < 4 && choice >= 2) bits = static_cast<uint64_t>(random.below(41) - 20);
    if (choice == 4) bits = negative_if_narrowed(bits, type);
    if (choice == 5 && type.bits() == 64) bits = rounded_twice(random);
  }
  std::memcpy(at, &bits, bytes);
}

// Where a value reads the buffer that it goes to, it may become an accumulation once it is simplified (max(x,
// x) is x), whose product need not be rounded: no product is a term of a sum there.
class NoContraction final : public ir::Rewriter {
 public:
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (!accumulates_) return e;
    Expr done = rewrite_children(e);
    bool sum = done->kind == ExprKind::kAdd || done->kind == ExprKind::kSub;
    if (!sum || !done->dtype().is_floating()) return done;
    auto* terms = ir::as_binary(done);
    return ir::binary(done->kind, without_product(terms->a), without_product(terms->b));
  }
  Stmt rewrite(const Stmt& s) override {
    const auto* store = ir::as<ir::BufferStoreNode>(s);
    if (store == nullptr) return rewrite_children(s);
    accumulates_ = false;
    ir::post_order(store->value, [&](const Expr& part) {
      const auto* load = ir::as<ir::TensorLoadNode>(part);
      accumulates_ = accumulates_ || (load != nullptr && load->source.same_as(store->buffer));
    });
    Stmt done = accumulates_ ? rewrite_children(s) : s;
    accumulates_ = false;
    return done;
  }

 private:
  static Expr without_product(const Expr& e) {
    if (const auto* choice = ir::as<ir::SelectNode>(e))
      return ir::make<ir::SelectNode>(choice->condition, without_product(choice->true_value),
                                      without_product(choice->false_value));
    if (const auto* let = ir::as<ir::LetNode>(e))
      return ir::make<ir::LetNode>(let->var, let->value, without_product(let->body));
    if (const auto* call = ir::as_call_to(e, "tirx.if_then_else"))
      return ir::make<ir::CallNode>(
          e->ty, call->op,
          ir::Array<Expr>{call->args[0], without_product(call->args[1]), without_product(call->args[2])});
    const auto* two = ir::as_binary(e);
    bool passes_on = e->kind == ExprKind::kMul || e->kind == ExprKind::kMax || e->kind == ExprKind::kMin;
    if (two == nullptr || !passes_on) return e;
    ExprKind kind = e->kind == ExprKind::kMul ? ExprKind::kMax : e->kind;
    return ir::binary(kind, without_product(two->a), without_product(two->b));
  }
  bool accumulates_ = false;
};

class Draw {
 public:
  explicit Draw(uint32_t seed) : seed_(seed), random_(seed), scope_(random_) {}

  Program program() {
    Program made;
    made.name = fmt::format("f{:08x}", seed_);
    ir::Array<ir::Var> params;
    int64_t inputs = 1 + random_.below(large_ ? 3 : 2),
            outputs = large_ || random_.one_in(5) ? 1 + random_.below(2) : 1;
    for (int64_t i = 0; i < inputs + outputs; ++i) {
      DataType type = random_type(random_);
      int64_t extent = random_.of(kExtents);
      int64_t columns = some_columns(random_, extent);
      ir::Buffer buffer =
          make_buffer(std::string(1, static_cast<char>('A' + i)), type, extent, "global", columns);
      params.push_back(buffer);
      scope_.sources.push_back({buffer, extent, i >= inputs, false, false, columns});
      std::vector<int64_t> shape = {extent};
      if (columns != 0) shape = {extent / columns, columns};
      ir::ffi::Tensor tensor = ir::make_tensor(shape, type);
      for (int64_t k = 0; k < extent; ++k)
        fill(random_, static_cast<char*>(tensor.data_ptr()) + k * type.bytes(), type);
      made.args.emplace_back(tensor);
    }
    if (random_.one_in(4)) {
      ir::Var n = ir::make_var("n", DataType::Int(32));
      params.push_back(n);
      int64_t value = random_.below(9);
      made.args.emplace_back(value);
      scope_.intervals.push_back({n, 0, 8});
      scope_.index_like.insert(n.get());
      size_ = n;
    }
    if (random_.one_in(6)) {
      DataType type = random_.one_in(2) ? DataType::Float(32) : DataType::Float(64);
      ir::Var x = ir::make_var("x", type);
      params.push_back(x);
      made.args.emplace_back(static_cast<double>(random_.below(101) - 50) / 4);
      scope_.values.push_back(x);
    }
    if (random_.one_in(6)) {
      static const std::vector<DataType> types = {DataType::Int(8),   DataType::Int(64),  DataType::UInt(8),
                                                  DataType::UInt(32), DataType::UInt(64), DataType::Bool()};
      DataType type = random_.of(types);
      ir::Var y = ir::make_var("y", type);
      params.push_back(y);
      int64_t value = ir::const_int(random_constant(random_, type)).value_or(1);
      if (type.is_bool())
        made.args.emplace_back(value != 0);
      else  // a number of a call is one of int64
        made.args.emplace_back(type.is_uint() && value < 0 ? int64_t{1} : value);
      scope_.values.push_back(y);
      // A parameter of a function without a result is index arithmetic: docs/numbers.md.
      if (type == DataType::Int(64)) scope_.index_like.insert(y.get());
    }
    if (random_.one_in(4)) scope_.helpers.push_back(make_helper());
    Stmt body = block(large_ ? 2 : 1);
    body = without_contraction(body);
    ir::Map<ir::String, Any> attrs = {{"global_symbol", ir::String(made.name)}, {"s_tir", true}};
    if (random_.one_in(2)) attrs.Set("tirx.noalias", true);
    made.functions.emplace_back(ir::make<ir::GlobalVarNode>(made.name),
                                ir::make<ir::PrimFuncNode>(params, ir::void_type(), body, attrs));
    for (const Scope::Helper& helper : scope_.helpers) made.functions.emplace_back(helper.name, helper.fn);
    return made;
  }

 private:
  inline static const std::vector<int64_t> kExtents = {1, 7, 8, 16, 16, 24, 32, 33};
  static constexpr int64_t kMostCopies = 8;  // of a body in an unrolled or a vectorised loop, mostly

  // Of what a large program has up to so many of.
  int64_t number(int64_t of_large) { return 1 + (large_ ? random_.below(of_large) : random_.one_in(3)); }
  // How deep a value is that a large program would make so deep.
  int depth_of(int of_large) const { return large_ ? of_large : of_large - 1; }

  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, names_++); }

  // It sees its parameters alone.
  Scope::Helper make_helper() {
    Scope scope(random_);
    ir::Array<ir::Var> params;
    for (int64_t i = 0, count = 1 + random_.below(2); i < count; ++i) {
      ir::Var param = ir::make_var(std::string(1, static_cast<char>('p' + i)), random_type(random_));
      params.push_back(param);
      scope.values.push_back(param);
    }
    DataType type = random_type(random_);
    Stmt body = ir::make<ir::ReturnNode>(scope.value(type, 3));
    return {ir::make<ir::GlobalVarNode>(fmt::format("g{:08x}", seed_)),
            ir::make<ir::PrimFuncNode>(params, ir::prim_type(type), body,
                                       ir::Map<ir::String, Any>{{"s_tir", true}}),
            type};
  }

  // Statements, one after another; what they define ends with them.
  Stmt block(int depth) {
    size_t sources = scope_.sources.size(), values = scope_.values.size();
    ir::Array<Stmt> all;
    for (int64_t i = 0, count = number(3); i < count; ++i) statement(all, depth);
    scope_.sources.resize(sources);
    scope_.values.resize(values);
    return ir::seq(all);
  }

  Source* writable() {
    std::vector<Source*> fitting;
    for (Source& source : scope_.sources)
      if (source.writable) fitting.push_back(&source);
    return random_.of(fitting);
  }

  void statement(ir::Array<Stmt>& all, int depth) {
    switch (random_.below(depth > 0 ? 14 : 7)) {
      case 0: {
        Source target = *writable();
        all.push_back(store(target, scope_.value(target.type(), depth_of(3)), scope_.index(target.extent)));
        return;
      }
      case 1:
        return vector_store(all);
      case 7:
        return temporary(all);
      case 8:
        all.push_back(around(depth));
        return;
      case 9:
        all.push_back(branch([&] { return block(depth - 1); }));
        return;
      case 10:
        all.push_back(repeat([&] { return block(depth - 1); }));
        return;
      case 11:
        bind(all);
        return;
      case 12:
        return view(all, depth);
      case 13:
        return sums(all);
      default:
        all.push_back(nest());
        return;
    }
  }

  void bind(ir::Array<Stmt>& all) {
    DataType type = random_type(random_);
    ir::Var var = ir::make_var(fresh("v"), type);
    Expr value = scope_.value(type, 2);
    if (const auto* product = ir::as_binary(value);
        product != nullptr && product->kind == ExprKind::kMul && type.is_floating())
      value = product->a;  // it may be contracted into a sum
    if (scope_.is_index_arithmetic(value)) scope_.index_like.insert(var.get());
    all.push_back(ir::make<ir::BindNode>(var, value));
    scope_.values.push_back(var);
  }

  // Memory, all of it written.
  void temporary(ir::Array<Stmt>& all) {
    DataType type = random_type(random_);
    int64_t extent = random_.of(kExtents);
    int64_t columns = some_columns(random_, extent);
    ir::Buffer buffer = make_buffer(fresh("T"), type, extent, "global", columns);
    Source made = {buffer, extent, true, false, false, columns};
    all.push_back(ir::make<ir::AllocBufferNode>(buffer));
    ir::Var i = ir::make_var(fresh("i"), DataType::Int(32));
    scope_.intervals.push_back({i, 0, extent - 1});
    scope_.index_like.insert(i.get());
    Expr value = scope_.value(type, depth_of(3));
    scope_.intervals.pop_back();
    ir::ForKind kind = random_.one_in(2) || extent > kMostCopies ? ir::ForKind::kSerial
                       : random_.one_in(2)                       ? ir::ForKind::kVectorized
                                                                 : ir::ForKind::kUnrolled;
    all.push_back(ir::make<ir::ForNode>(i, ir::int32(0), ir::int32(extent), kind, store(made, value, i)));
    scope_.sources.push_back(made);
  }

  // A part of a buffer under a name of its own, in a block; the buffer itself is not touched there.
  void view(ir::Array<Stmt>& all, int depth) {
    size_t which = static_cast<size_t>(random_.below(static_cast<int64_t>(scope_.sources.size())));
    Source whole = scope_.sources[which];
    auto range = [](Expr first, int64_t extent) { return ir::make<ir::RangeNode>(first, ir::int32(extent)); };
    ir::Array<ir::Range> part;
    int64_t extent = whole.columns;
    if (whole.columns == 0) {
      extent = 1 + random_.below(whole.extent);
      part = {range(scope_.start(whole.extent - extent + 1), extent)};
    } else {
      part = {range(scope_.start(whole.extent / whole.columns), 1), range(ir::int32(0), extent)};
    }
    ir::Var offset = ir::make_var(fresh("o"), DataType::Int(32));
    ir::Buffer buffer = make_buffer(fresh("V"), whole.type(), extent, "global", 0, offset);
    ir::Array<ir::TensorRegion> reads, writes;
    for (const Source& source : scope_.sources) {
      ir::Array<ir::Range> all_of_it;
      for (const Expr& size : source.buffer->buffer()->shape)
        all_of_it.push_back(range(ir::int32(0), *ir::const_int(size)));
      ir::TensorRegion region = ir::make<ir::TensorRegionNode>(source.buffer, all_of_it);
      reads.push_back(region);
      if (source.writable) writes.push_back(region);
    }
    scope_.sources[which] = {buffer, extent, whole.writable};
    Stmt body = block(depth - 1);
    scope_.sources[which] = whole;
    ir::Array<ir::MatchBufferRegion> views = {
        ir::make<ir::MatchBufferRegionNode>(buffer, ir::make<ir::TensorRegionNode>(whole.buffer, part))};
    ir::SBlock made = ir::make<ir::SBlockNode>(ir::Array<ir::IterVar>{}, reads, writes, fresh("view"), body,
                                               Stmt(nullptr), ir::Array<ir::Buffer>{}, views);
    all.push_back(ir::make<ir::SBlockRealizeNode>(ir::Array<Expr>{}, ir::bool_imm(true), made));
  }

  // What several threads add to the same elements, which nobody reads meanwhile.
  void sums(ir::Array<Stmt>& all) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < scope_.sources.size(); ++i) {
      const Source& source = scope_.sources[i];
      if (source.writable && source.type().is_integral() && !source.type().is_bool()) fitting.push_back(i);
    }
    if (fitting.empty()) return;
    std::vector<Source> kept = scope_.sources;
    Source target = kept[random_.of(fitting)];
    std::erase_if(scope_.sources, [&](const Source& each) { return each.buffer.same_as(target.buffer); });
    ir::Var i = ir::make_var(fresh("i"), loop_type());
    int64_t extent = 1 + random_.below(40);
    scope_.intervals.push_back({i, 0, extent - 1});
    scope_.index_like.insert(i.get());
    Expr element = target.load(scope_.index(target.extent));
    Expr address(ir::make<ir::CallNode>(ir::make<ir::PointerTypeNode>(ir::prim_type(target.type()), "global"),
                                        ir::op("tirx.address_of"), ir::Array<Expr>{element}));
    Expr sum = ir::call_op(target.type(), "tirx.atomic_add", {address, scope_.value(target.type(), 2)});
    scope_.intervals.pop_back();
    scope_.sources = kept;
    all.push_back(ir::make<ir::ForNode>(i, ir::int_imm(i->dtype(), 0), ir::int_imm(i->dtype(), extent),
                                        ir::ForKind::kParallel, ir::make<ir::EvaluateNode>(sum)));
  }

  void vector_store(ir::Array<Stmt>& all) {
    static const std::vector<int> sizes = {2, 3, 4, 8, 16};
    int lanes = random_.of(sizes);
    std::vector<Source> fitting;
    for (const Source& source : scope_.sources)
      if (source.writable && scope_.lanes_at(source, lanes)) fitting.push_back(source);
    if (fitting.empty()) return;
    const Source& target = random_.of(fitting);
    ir::Array<Expr> indices = *scope_.lanes_at(target, lanes);
    Expr where = indices.back(), value = scope_.vector(target.type().with_lanes(lanes), large_ ? 2 : 1);
    if (target.columns == 0 && random_.one_in(4)) {
      Expr limit = ir::make<ir::BroadcastNode>(ir::int32(random_.below(40)), ir::int32(lanes));
      Expr mask = ir::binary(ExprKind::kLT, scope_.ramp(64, lanes), limit);
      all.push_back(ir::make<ir::EvaluateNode>(
          ir::call_op(DataType::Void(), "tirx.masked_store", {target.buffer, value, where, mask})));
      return;
    }
    all.push_back(ir::make<ir::BufferStoreNode>(target.buffer, value, indices));
  }

  DataType loop_type() { return random_.one_in(6) ? DataType::Int(64) : DataType::Int(32); }

  // Out of the loop around it, or to its next iteration.
  Stmt jump() {
    Stmt leave = random_.one_in(2) ? Stmt(ir::make<ir::BreakNode>()) : Stmt(ir::make<ir::ContinueNode>());
    return ir::make<ir::IfThenElseNode>(scope_.condition(large_ ? 2 : 1), leave);
  }

  // A serial loop around statements, of a size that the program or its caller knows.
  Stmt around(int depth) {
    bool symbolic = size_ && random_.one_in(2);
    DataType type = symbolic ? DataType::Int(32) : loop_type();
    ir::Var i = ir::make_var(fresh("k"), type);
    int64_t first = random_.one_in(4) ? random_.below(5) - 2 : 0, extent = random_.below(5);
    if (symbolic) first = 0, extent = 8;
    Expr count = symbolic ? Expr(size_) : ir::int_imm(type, extent);
    scope_.intervals.push_back({i, first, first + std::max<int64_t>(extent, 1) - 1});
    scope_.index_like.insert(i.get());
    ir::Array<Stmt> inside;
    if (random_.one_in(3)) inside.push_back(jump());
    inside.push_back(block(depth - 1));
    if (random_.one_in(6)) inside.push_back(jump());
    scope_.intervals.pop_back();
    ir::ForKind kind = !symbolic && random_.one_in(3) ? ir::ForKind::kUnrolled : ir::ForKind::kSerial;
    return ir::make<ir::ForNode>(i, ir::int_imm(type, first), count, kind, ir::seq(inside));
  }

  template <class F>
  Stmt branch(F body) {
    Expr condition = scope_.condition(2);
    Stmt taken = body();
    return ir::make<ir::IfThenElseNode>(condition, taken, random_.one_in(2) ? body() : Stmt(nullptr));
  }

  // while with a counter, which may break.
  template <class F>
  Stmt repeat(F body) {
    Source counter = {make_buffer(fresh("c"), DataType::Int(32), 1), 1};
    Expr zero = ir::int32(0), count = counter.load(zero);
    ir::Array<Stmt> inside = {store(counter, ir::binary(ExprKind::kAdd, count, ir::int32(1)), zero), body()};
    if (random_.one_in(2)) inside.push_back(jump());
    Stmt loop = ir::make<ir::WhileNode>(ir::binary(ExprKind::kLT, count, ir::int32(random_.below(5))),
                                        ir::seq(inside));
    return ir::seq({ir::make<ir::AllocBufferNode>(counter.buffer), store(counter, zero, zero), loop});
  }

  // Loops around stores to elements of their own.
  Stmt nest() {
    Source target = *writable();
    int64_t left = target.extent;
    struct Loop {
      ir::Var var;
      int64_t first, extent;
      ir::ForKind kind;
      bool symbolic;
    };
    std::vector<Loop> loops;
    bool concurrent = false;
    vectorised_ = false;  // lanes cannot leave a `while` one by one
    for (int64_t i = 0, count = 1 + random_.below(3); i < count && left > 0; ++i) {
      int64_t extent = i + 1 == count ? left : 1 + random_.below(left);
      if (random_.one_in(4)) extent = 1 + random_.below(left);
      if (random_.one_in(30)) extent = 0;
      bool last = i + 1 == count;
      ir::ForKind kind = ir::ForKind::kSerial;
      if (random_.one_in(i == 0 ? 4 : 12)) kind = ir::ForKind::kParallel;
      if (last && extent > 1 && random_.one_in(extent <= kMostCopies ? 2 : 8))
        kind = ir::ForKind::kVectorized;
      if (extent <= kMostCopies && random_.one_in(5)) kind = ir::ForKind::kUnrolled;
      vectorised_ = vectorised_ || kind == ir::ForKind::kVectorized;
      concurrent = concurrent || kind == ir::ForKind::kParallel || kind == ir::ForKind::kVectorized;
      int64_t first = kind != ir::ForKind::kVectorized && random_.one_in(6) ? random_.below(7) - 3 : 0;
      bool symbolic = size_ && left >= 8 && random_.one_in(3) &&
                      (kind == ir::ForKind::kSerial || kind == ir::ForKind::kParallel);
      if (symbolic) first = 0, extent = 8;
      DataType type = symbolic ? DataType::Int(32) : loop_type();
      loops.push_back({ir::make_var(fresh("i"), type), first, extent, kind, symbolic});
      left = extent == 0 ? 0 : left / extent;
    }
    Expr own;
    for (const Loop& loop : loops) {
      scope_.intervals.push_back({loop.var, loop.first, loop.first + std::max<int64_t>(loop.extent, 1) - 1});
      scope_.index_like.insert(loop.var.get());
      Expr at = scope_.intervals.back().index();
      Expr position = loop.first == 0 ? at : ir::binary(ExprKind::kSub, at, ir::int32(loop.first));
      own = own ? ir::binary(ExprKind::kAdd,
                             ir::binary(ExprKind::kMul, own, ir::int32(std::max<int64_t>(loop.extent, 1))),
                             position)
                : position;
    }
    std::vector<bool> writable;
    for (Source& source : scope_.sources) {
      writable.push_back(source.writable);
      if (!concurrent) continue;
      source.shared = source.buffer.same_as(target.buffer);
      source.writable = source.shared;
    }
    scope_.own = own;
    Stmt body = inner(target, own, large_ ? 2 : 1);
    scope_.own = nullptr;
    for (size_t i = 0; i < writable.size(); ++i) {
      scope_.sources[i].shared = false;
      scope_.sources[i].writable = writable[i];
    }
    scope_.intervals.resize(scope_.intervals.size() - loops.size());
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      DataType type = loop->var->dtype();
      Expr count = loop->symbolic ? Expr(size_) : Expr(ir::int_imm(type, loop->extent));
      body = ir::make<ir::ForNode>(loop->var, ir::int_imm(type, loop->first), count, loop->kind, body);
    }
    return body;
  }

  // What one iteration does for its element of `target`.
  Stmt inner(const Source& target, const Expr& own, int depth) {
    size_t sources = scope_.sources.size(), values = scope_.values.size();
    ir::Array<Stmt> all;
    Expr mine = target.load(own);
    for (int64_t i = 0, count = number(2); i < count; ++i) {
      switch (random_.below(depth > 0 ? 10 : 3)) {
        case 3:
          bind(all);
          break;
        case 4:
          all.push_back(branch([&] { return inner(target, own, depth - 1); }));
          break;
        case 5:
          if (!vectorised_) all.push_back(repeat([&] { return inner(target, own, depth - 1); }));
          break;
        case 6: {
          ir::Buffer local =
              make_buffer(fresh("L"), random_type(random_), 1, random_.one_in(2) ? "local" : "global");
          Source made = {local, 1, false, true};
          all.push_back(ir::make<ir::AllocBufferNode>(local));
          all.push_back(store(made, scope_.value(made.type(), 2), ir::int32(0)));
          scope_.sources.push_back(made);
          break;
        }
        case 7:
        case 8: {  // a reduction
          ir::Var k = ir::make_var(fresh("r"), DataType::Int(32));
          int64_t extent = 1 + random_.below(6);
          bool symbolic = size_ && random_.one_in(3);
          scope_.intervals.push_back({k, 0, (symbolic ? 8 : extent) - 1});
          scope_.index_like.insert(k.get());
          Expr step = scope_.value(target.type(), 2);
          Stmt leave = !vectorised_ && random_.one_in(4) ? jump() : ir::no_op();
          scope_.intervals.pop_back();
          static const std::vector<ExprKind> kinds = {ExprKind::kAdd, ExprKind::kMul, ExprKind::kMin,
                                                      ExprKind::kMax, ExprKind::kSub};
          Expr value = target.type().is_bool() ? ir::binary(ExprKind::kOr, mine, step)
                                               : ir::binary(random_.of(kinds), mine, step);
          all.push_back(ir::make<ir::ForNode>(
              k, ir::int32(0), symbolic ? Expr(size_) : Expr(ir::int32(extent)),
              random_.one_in(4) && !symbolic ? ir::ForKind::kUnrolled : ir::ForKind::kSerial,
              ir::seq({leave, store(target, value, own)})));
          break;
        }
        default:
          all.push_back(store(
              target,
              random_.one_in(4) ? scope_.plain(target.type()) : scope_.value(target.type(), depth_of(4)),
              own));
      }
    }
    scope_.sources.resize(sources);
    scope_.values.resize(values);
    if (all.empty()) all.push_back(store(target, scope_.value(target.type(), 2), own));
    return ir::seq(all);
  }

  uint32_t seed_;
  Random random_;
  Scope scope_;
  // A few are large; most are small, of which there can be many more.
  bool large_ = random_.one_in(12);
  ir::Var size_;  // a parameter: how often some loops run
  int names_ = 0;
  bool vectorised_ = false;  // is there a vectorised loop around what is drawn?
};

}  // namespace

Stmt without_contraction(const Stmt& body) { return NoContraction().rewrite(body); }

Program draw_program(uint32_t seed) { return Draw(seed).program(); }

ir::IRModule module_of(std::span<const Program> programs) {
  ir::Map<ir::GlobalVar, ir::BaseFunc> functions;
  for (const Program& program : programs)
    for (const auto& [name, fn] : program.functions) functions.Set(name, fn);
  return ir::make<ir::IRModuleNode>(functions);
}

}  // namespace mlc::fuzz
