// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_roots.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_lower_thread_allreduce {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "allreduce-not-lowered", .message = "the reduction over threads cannot be lowered: {}"},
    }};
MLC_REFUSALS(tir_lower_thread_allreduce, refusals);

namespace {

constexpr char doc[] =
    R"(LowerThreadAllreduce(): the exchange of a reduction over threads, as shuffles and shared memory.

    T.tvm_thread_allreduce(1, v, True, B[0], tx)    =>      red_buf0[0] = v
    C[i] = B[0]                                             t0[0] = T.tvm_warp_shuffle_down(mask[0], red_buf0[0], 16, 32, 32)
                                                            red_buf0[0] = red_buf0[0] + t0[0]
                                                            ...
                                                            C[i] = red_buf0[0]
needs: a target; constant extents of threadIdx; the threads that reduce are launched around it.
keeps: what every thread reads of the result. A reduction within a warp, or over whole warps with their results in
shared memory, is done by shuffles where the target has them; any other in a tree in shared memory.
Before barriers are placed is too early: this places its own.)";

struct Thread {
  int dim;
  Var var;
  int64_t extent;
  bool reduces;
};

Stmt barrier(std::string_view scope) {
  return make<EvaluateNode>(
      call_op(DataType::Int(32), "tirx.tvm_storage_sync", {make<StringImmNode>(String(std::string(scope)))}));
}
Buffer buffer_of(const std::string& name, DataType dtype, std::string_view scope, const Expr& size) {
  return make<VarNode>(
      String(name), make<BufferTypeNode>(dtype, String(std::string(scope)), Array<Expr>{size}, Array<Expr>{},
                                         const_like(size, 0)));
}
Buffer local_of(const std::string& name, DataType dtype) { return buffer_of(name, dtype, "local", int32(1)); }
Expr load(const Buffer& buffer, const Expr& index = int32(0)) {
  return make<TensorLoadNode>(buffer, Array<Expr>{index});
}
Stmt store(const Buffer& buffer, const Expr& value, const Expr& index = int32(0)) {
  return make<BufferStoreNode>(buffer, value, Array<Expr>{index});
}
Stmt when(const Expr& condition, const Array<Stmt>& stmts) {
  return make<IfThenElseNode>(condition, seq(stmts));
}

using Exprs = std::vector<Expr>;
using Buffers = std::vector<Buffer>;

Exprs combine(const CommReducerNode& reducer, const Exprs& x, const Exprs& y) {
  VarMap values;
  for (size_t i = 0; i < x.size(); ++i) {
    values[reducer.lhs[i].get()] = x[i];
    values[reducer.rhs[i].get()] = y[i];
  }
  Exprs result;
  for (const Expr& e : reducer.result) result.push_back(substitute(e, values));
  return result;
}

// The threads around, by what they do in the reduction, as one index of each kind.
struct Shape {
  Expr reduce_index, group_index;
  int64_t reduce_extent = 1, group_extent = 1;
  int64_t contiguous = 1;  // threads that reduce, from the fastest dimension on
};
Shape shape_of(std::vector<Thread> threads) {
  std::stable_sort(threads.begin(), threads.end(),
                   [](const Thread& a, const Thread& b) { return a.dim < b.dim; });
  Shape shape;
  bool contiguous = true;
  for (const Thread& thread : threads) {
    Expr& index = thread.reduces ? shape.reduce_index : shape.group_index;
    int64_t& extent = thread.reduces ? shape.reduce_extent : shape.group_extent;
    index = index ? index + thread.var * extent : Expr(thread.var);
    extent *= thread.extent;
    contiguous &= thread.reduces;
    if (contiguous) shape.contiguous *= thread.extent;
  }
  if (!shape.reduce_index) shape.reduce_index = int32(0);
  if (!shape.group_index) shape.group_index = int32(0);
  return shape;
}

class Exchange {
 public:
  Exchange(const Target& target, const CommReducerNode& reducer, Shape shape)
      : kind_(text(target->kind)),
        warp_(target_attr<int64_t>(target, "thread_warp_size", 1)),
        max_threads_(target_attr<int64_t>(target, "max_num_threads", -1)),
        reducer_(reducer),
        shape_(std::move(shape)) {}

  Buffers temporaries;  // allocated around the statements
  Exprs results;        // loads of the buffers that replace the destinations
  Array<Stmt> stmts;

  void run(Exprs values) {
    for (const Expr& value : values) types_.push_back(value->dtype());
    if (!by_shuffles()) {
      tree(values);
    } else if (shape_.reduce_extent <= warp_) {
      within_warp(values);
    } else {
      over_warps(values);
    }
  }

 private:
  std::string_view kind_;
  int64_t warp_, max_threads_;
  const CommReducerNode& reducer_;
  Shape shape_;
  std::vector<DataType> types_;
  Analyzer analyzer_;

  bool by_shuffles() const {
    if (kind_ != "cuda" && kind_ != "rocm" && kind_ != "metal") return false;
    for (DataType type : types_) {
      if (type.is_float() && type.bits() == 16) {
        if (type.lanes() > 2) return false;
      } else if (type.is_vector() || type.bytes() < 4 || type.bytes() > 8) {
        return false;
      }
      if (kind_ == "rocm" && type.bits() * type.lanes() != 32) return false;
    }
    if (shape_.contiguous != shape_.reduce_extent || shape_.reduce_extent == 1) return false;
    if (kind_ == "rocm") return shape_.reduce_extent == warp_;
    bool part_of_warp = warp_ % shape_.reduce_extent == 0;
    bool whole_warps =
        max_threads_ != -1 && max_threads_ <= warp_ * warp_ && shape_.reduce_extent % warp_ == 0;
    return part_of_warp || whole_warps || (shape_.group_extent == 1 && shape_.reduce_extent <= warp_);
  }

  // What shuffles of one round work on.
  struct Round {
    Buffers buffers;
    Buffers local;  // temporaries, the mask last
    Buffer mask;    // null: the target needs none
  };
  Expr shuffle(std::string_view name, const Round& round, const Expr& value, const Expr& lane) const {
    return shuffle(name, round.mask ? load(round.mask) : Expr(int32(0)), value, lane);
  }
  Expr shuffle(std::string_view name, const Expr& mask, const Expr& value, const Expr& lane) const {
    Array<Expr> args{mask, value, lane, int32(warp_), int32(warp_)};
    return make<CallNode>(value->ty, op(name), args);
  }
  void append(const Expr& condition, const Array<Stmt>& all) {
    if (condition) return stmts.push_back(when(condition, all));
    stmts.insert(stmts.end(), all.begin(), all.end());
  }
  // The sum over `extent` neighbours, in the first of them.
  Round reduce_lanes(const Exprs& values, int64_t extent, const Expr& predicate) {
    Round round;
    Array<Stmt> first;
    for (size_t i = 0; i < values.size(); ++i) {
      round.buffers.push_back(local_of(fmt::format("red_buf{}", i), types_[i]));
      round.local.push_back(local_of(fmt::format("t{}", i), types_[i]));
      first.push_back(store(round.buffers[i], values[i]));
    }
    append(predicate, first);
    if (kind_ != "metal") {
      round.mask = local_of("mask", DataType::UInt(32));
      round.local.push_back(round.mask);
      stmts.push_back(store(round.mask, call_op(DataType::UInt(32), "tirx.tvm_warp_activemask", {})));
    }
    int64_t start = 1;
    while (start * 2 < extent) start *= 2;
    for (int64_t offset = start; offset > 0; offset /= 2) {
      Exprs a, b;
      for (size_t i = 0; i < values.size(); ++i) {
        a.push_back(load(round.buffers[i]));
        stmts.push_back(
            store(round.local[i], shuffle("tirx.tvm_warp_shuffle_down", round, a[i], int32(offset))));
        b.push_back(load(round.local[i]));
      }
      Exprs next = combine(reducer_, a, b);
      Array<Stmt> stores;
      for (size_t i = 0; i < values.size(); ++i) stores.push_back(store(round.buffers[i], next[i]));
      // Lanes past the end have no value.
      Expr has_value = lt(shape_.reduce_index + offset, const_like(shape_.reduce_index, extent));
      append(offset * 2 > extent ? has_value : Expr(), stores);
    }
    return round;
  }

  void within_warp(const Exprs& values) {
    Round round = reduce_lanes(values, shape_.reduce_extent, nullptr);
    temporaries = round.local;
    Expr first = const_like(shape_.reduce_index, 0);
    Expr mask = load(round.local.back());  // as TVM has it: a temporary where the target needs no mask
    for (const Buffer& buffer : round.buffers) {
      Expr lane = int32(shape_.reduce_extent) * shape_.group_index;
      stmts.push_back(
          store(buffer, shuffle("tirx.tvm_warp_shuffle", mask, load(buffer, first), lane), first));
      results.push_back(load(buffer));
    }
  }

  void over_warps(Exprs values) {
    int64_t warps = shape_.reduce_extent / warp_;
    const Expr& index = shape_.reduce_index;
    Expr group = shape_.group_index * warps;
    Buffers staging;
    for (DataType type : types_)
      staging.push_back(
          buffer_of("red_buf_staging", type, "shared", const_like(index, warps * shape_.group_extent)));
    temporaries = staging;
    auto keep = [&](const Round& round) {
      temporaries.insert(temporaries.end(), round.local.begin(), round.local.end());
      temporaries.insert(temporaries.end(), round.buffers.begin(), round.buffers.end());
    };
    Round first = reduce_lanes(values, warp_, nullptr);
    keep(first);
    Array<Stmt> stores;
    for (size_t i = 0; i < values.size(); ++i)
      stores.push_back(
          store(staging[i], load(first.buffers[i]), group + floordiv(index, const_like(index, warp_))));
    stmts.push_back(when(eq(floormod(index, const_like(index, warp_)), const_like(index, 0)), stores));
    stmts.push_back(barrier("shared"));
    for (size_t i = 0; i < values.size(); ++i) values[i] = load(staging[i], group + index);
    Round second = reduce_lanes(values, warps, lt(index, const_like(index, warps)));
    keep(second);
    Array<Stmt> last;
    for (size_t i = 0; i < values.size(); ++i) {
      Buffer shared = buffer_of("red_result", types_[i], "shared", const_like(index, shape_.group_extent));
      last.push_back(store(shared, load(second.buffers[i]), shape_.group_index));
      results.push_back(load(shared, shape_.group_index));
    }
    stmts.push_back(when(eq(index, const_like(index, 0)), last));
    stmts.push_back(barrier("shared"));
  }

  Expr place(const Expr& reduce_index) {
    if (is_const_int(shape_.group_index, 0)) return reduce_index;
    return analyzer_.simplify(shape_.group_index * shape_.reduce_extent + reduce_index);
  }

  // Halves the number of threads that add in shared memory, with barriers in between.
  void tree(const Exprs& values) {
    Buffers shared;
    const Expr& index = shape_.reduce_index;
    int64_t extent = shape_.reduce_extent;
    Expr here = place(index);
    stmts.push_back(barrier("shared"));  // other threads may still read those of the previous iteration
    for (size_t i = 0; i < values.size(); ++i) {
      shared.push_back(buffer_of(fmt::format("red_buf{}", i), types_[i], "shared",
                                 const_like(shape_.group_index, shape_.group_extent * extent)));
      stmts.push_back(store(shared[i], values[i], here));
      results.push_back(load(shared[i], place(const_like(index, 0))));
    }
    stmts.push_back(barrier("shared"));
    auto sums = [&](int64_t offset) {
      Exprs a, b;
      for (const Buffer& buffer : shared) {
        a.push_back(load(buffer, here));
        b.push_back(load(buffer, place(index + offset)));
      }
      return combine(reducer_, a, b);
    };
    auto stores = [&](const Exprs& sums) {
      Array<Stmt> all;
      for (size_t i = 0; i < sums.size(); ++i) all.push_back(store(shared[i], sums[i], here));
      return all;
    };
    auto step = [&](int64_t threads, int64_t offset) {
      stmts.push_back(when(lt(index, const_like(index, threads)), stores(sums(offset))));
      stmts.push_back(barrier("shared"));
    };
    int64_t align = 1;
    while (align < extent) align *= 2;
    if (align > extent) {
      align /= 2;
      step(extent - align, align);
    }
    bool warp_aligned = shape_.group_extent == 1 || shape_.contiguous % warp_ == 0;
    while (align > 1 && (align > shape_.contiguous || align > warp_ || !warp_aligned)) {
      align /= 2;
      step(align, align);
    }
    if (align <= 1) return;
    Expr first_half = lt(index, const_like(index, align / 2));
    Array<Stmt> in_warp;
    while (align > 1) {
      align /= 2;
      // What a thread reads another one writes in this step: all read first.
      Exprs next = sums(align), names;
      for (size_t i = 0; i < next.size(); ++i) {
        Var name = make_var(String(fmt::format("w_{}_{}", align, i)), next[i]->dtype());
        names.emplace_back(name);
        in_warp.push_back(make<BindNode>(name, next[i]));
      }
      in_warp.push_back(barrier("warp"));
      for (const Stmt& s : stores(names)) in_warp.push_back(s);
      in_warp.push_back(barrier("warp"));
    }
    stmts.push_back(when(first_half, in_warp));
    stmts.push_back(barrier("shared"));
  }
};

class Lower final : public Rewriter {
 public:
  explicit Lower(Target target) : target_(std::move(target)) {}

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    auto* load = as<TensorLoadNode>(e);
    auto found = load ? results_.find(roots_(load->source.get())) : results_.end();
    return found == results_.end() ? rewrite_children(e) : found->second;
  }
  Stmt rewrite(const Stmt& s) override {
    // Memory that is planned may have the destination and what it is copied to in one place.
    if (auto* view = as<DeclBufferNode>(s)) roots_.declare(*view);
    if (auto* kept = as<BufferStoreNode>(s)) {
      auto found = results_.find(roots_(kept->buffer.get()));
      if (found == results_.end()) return rewrite_children(s);
      const TensorLoadNode& result = *as<TensorLoadNode>(found->second);
      return make<BufferStoreNode>(result.source, rewrite(kept->value), result.indices, s->span);
    }
    if (auto* attr = as<AttrStmtNode>(s)) {
      std::string_view key = text(attr->attr_key);
      if (key == "thread_extent") {
        threads_.push_back(attr);
        Stmt next = rewrite_children(s);
        threads_.pop_back();
        return next;
      }
      auto reducer = key == "reduce_scope" ? attr->node.as<CommReducer>() : std::nullopt;
      if (!reducer) return rewrite_children(s);
      reducers_.push_back(*reducer);
      Stmt body = rewrite(attr->body);
      reducers_.pop_back();
      return with(ref(attr), [&](AttrStmtNode& n) { n.body = body; });
    }
    if (auto* evaluate = as<EvaluateNode>(s)) {
      if (auto* call = as_call_to(evaluate->value, "tirx.tvm_thread_allreduce"))
        return exchange(*call, s->span);
    }
    return rewrite_children(s);
  }

  // Afterwards: what replaces the allocation of a destination.
  Stmt place_results(const Stmt& s) const {
    return rewrite_with(s, [&](const Stmt& s, Rewriter& on) -> Stmt {
      auto* view = as<DeclBufferNode>(s);
      if (view != nullptr && replaced_.contains(roots_(view->buffer.get()))) return no_op();
      auto* alloc = as<AllocBufferNode>(s);
      auto found = alloc ? replaced_.find(alloc->buffer.get()) : replaced_.end();
      if (found == replaced_.end()) return on.rewrite_children(s);
      Map<String, Any> annotations = alloc->annotations;
      if (text(found->second->buffer()->storage_scope) == "shared") annotations.Set("tirx.volatile", true);
      return make<AllocBufferNode>(found->second, annotations, s->span);
    });
  }

 private:
  Target target_;
  std::vector<const AttrStmtNode*> threads_;
  std::vector<CommReducer> reducers_;
  std::unordered_map<const VarNode*, Expr> results_;
  std::unordered_map<const VarNode*, Buffer> replaced_;
  BufferRoots roots_;

  [[noreturn]] static void refuse(Span span, const std::string& why) {
    throw ir::refuse(refusals["allreduce-not-lowered"], why).kind(kRefusedValue).at(span);
  }

  std::vector<Thread> threads(std::unordered_set<const VarNode*> reduced, Span span) const {
    std::vector<Thread> found;
    for (const AttrStmtNode* attr : threads_) {
      auto iter = attr->node.as<IterVar>();
      std::string_view tag = iter ? text((*iter)->thread_tag) : std::string_view();
      if (!tag.starts_with("threadIdx.")) continue;
      auto extent = const_int(attr->value);
      if (!extent) refuse(span, fmt::format("the extent of {} is not constant", tag));
      bool reduces = reduced.erase((*iter)->var.get()) > 0;
      if (*extent > 1) found.push_back({tag.back() - 'x', (*iter)->var, *extent, reduces});
    }
    if (!reduced.empty())
      refuse(span, fmt::format("`{}` is no threadIdx that is launched around it",
                               (*reduced.begin())->name.c_str()));
    return found;
  }

  Stmt exchange(const CallNode& call, Span span) {
    if (reducers_.empty()) refuse(span, "it stands in no `reduce_scope`");
    const CommReducerNode& reducer = *reducers_.back().get();
    auto size = const_int(call.args[0]);
    size_t count = reducer.result.size();
    if (!size || static_cast<size_t>(*size) != count || call.args.size() < 2 + 2 * count)
      refuse(span, fmt::format("its reducer is for {} values", count));
    Expr condition = rewrite(call.args[static_cast<int64_t>(count) + 1]);
    Exprs values;
    Buffers targets;
    for (size_t i = 0; i < count; ++i) {
      auto at = static_cast<int64_t>(i);
      Expr value = rewrite(call.args[1 + at]);
      if (!is_const_int(condition, 1))
        value = make<SelectNode>(condition, value, reducer.identity_element[at]);
      values.push_back(value);
      auto* to = as<TensorLoadNode>(call.args[2 + static_cast<int64_t>(count) + at]);
      if (!to) refuse(span, "a destination is no element of a buffer");
      targets.push_back(to->source);
    }
    std::unordered_set<const VarNode*> reduced;
    for (size_t i = 2 + 2 * count; i < call.args.size(); ++i) {
      const Expr& thread = call.args[static_cast<int64_t>(i)];
      if (auto* var = as<VarNode>(thread)) {
        reduced.insert(var);
      } else if (!is_const_int(thread, 0)) {
        refuse(span, "what it reduces over is no thread");
      }
    }
    Shape shape = shape_of(threads(reduced, span));
    if (shape.reduce_extent == 1) {
      Array<Stmt> stores;
      for (size_t i = 0; i < count; ++i) stores.push_back(store(targets[i], values[i]));
      return seq(stores);
    }
    Exchange exchange(target_, reducer, shape);
    exchange.run(values);
    for (size_t i = 0; i < count; ++i) {
      const VarNode* target = roots_(targets[i].get());
      results_[target] = exchange.results[i];
      replaced_[target] = as<TensorLoadNode>(exchange.results[i])->source;
    }
    Array<Stmt> all;
    for (const Buffer& buffer : exchange.temporaries) all.push_back(make<AllocBufferNode>(buffer));
    for (const Stmt& s : exchange.stmts) all.push_back(s);
    return seq(all);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Lower lower(target_of(fn, "LowerThreadAllreduce"));
  return with_body(fn, lower.place_results(lower.rewrite(fn->body)));
}

}  // namespace

extern const Pass lower_thread_allreduce{"LowerThreadAllreduce", "s_tir.transform", "LowerThreadAllreduce()",
                                         doc, apply};

}  // namespace mlc::transform::pass_lower_thread_allreduce
