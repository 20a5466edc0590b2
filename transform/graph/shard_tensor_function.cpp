// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/shard_tensor_function.h"

#include "ir/core/refusal.h"
#include "transform/graph/buffer_axes.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "InternalError+ValueError",
    {
        {.name = "partition-unclear",
         .message = "axis {} of buffer `{}` is sharded, and block `{}` indexes it by `{}`",
         .help = "an axis can be sharded where one iterator of the block runs over all of it"},
        {.name = "partition-conflict",
         .message = "iterator `{}` of block `{}` would be divided by {} and by {}"},
        {.name = "partition-uneven",
         .message = "`{}` of extent {} does not divide among {} workers"},
        {.name = "partition-not-a-loop",
         .message = "iterator `{}` of block `{}` is to be divided, and is bound to `{}`",
         .help = "it must be bound to a loop from 0 that nothing else uses, without a condition"},
        {.name = "reduction-unclear",
         .message = "block `{}` reduces a sharded axis by no sum, product, minimum or maximum"},
        {.name = "reduction-used",
         .message = "block `{}` reduces a sharded axis, and `{}` computes with what each worker found",
         .help = "only the last thing that the function computes may be reduced among workers"},
        {.name = "reductions-twice", .message = "`{}` reduces sharded axes in several blocks"},
    }};
MLC_REFUSALS(graph_shard_tensor_function, refusals);

namespace {

std::string_view name_of(const VarNode* var) { return text(var->name); }

class Shard final : public ir::Rewriter {
 public:
  Shard(const PrimFunc& fn, const std::vector<DTensorType>& types) : fn_(fn), axes_(fn->body) {
    std::set<BufferAxis> visited;
    size_t next = 0;
    for (const Var& param : fn->params) {
      if (!param->buffer()) continue;
      const DTensorType& type = types[next++];
      for (size_t d = 0; d < type->placement->dim_specs.size(); ++d) {
        const PlacementSpec& spec = type->placement->dim_specs[d];
        if (!spec->shards()) continue;
        std::vector<BufferAxis> group;
        axes_.reach({param.get(), spec->axis}, visited, group);
        for (const BufferAxis& each : group)
          shards_[each.buffer][each.axis] = type->device_mesh->shape[static_cast<int64_t>(d)];
      }
    }
  }

  LocalView run() {
    std::unordered_map<const VarNode*, Buffer> parts;
    Array<Var> params;
    for (const Var& param : fn_->params) {
      params.push_back(part(param));
      if (!params.back().same_as(param)) parts[param.get()] = params.back();
    }
    Stmt body = rewrite(fn_->body);
    for (const auto& [buffer, made] : allocated_) parts[buffer] = made;
    if (!reduction_.empty()) check_reduced();
    PrimFunc fn = parts.empty() && body.same_as(fn_->body) ? fn_ : with_params(fn_, params, replace_buffers(body, parts));
    return {fn, reduction_};
  }

  using Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) {
      Stmt next = rewrite_children(s);
      return shard_block(as<SBlockNode>(next), block);
    }
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      Stmt next = rewrite_children(s);
      bind_loops(realize);
      return next;
    }
    if (auto* loop = as<ForNode>(s)) {
      Stmt next = rewrite_children(s);
      auto found = loops_.find(loop->loop_var.get());
      if (found == loops_.end() || found->second <= 1) return next;
      return ir::with(ref(as<ForNode>(next)), [&](ForNode& n) {
        n.extent = divided(n.extent, found->second, name_of(loop->loop_var.get()), loop->span);
      });
    }
    return rewrite_children(s);
  }

 private:
  static Expr divided(const Expr& extent, int64_t workers, std::string_view name, Span span) {
    Analyzer analyzer;
    Expr count = ir::int_imm(extent->dtype(), workers);
    if (!analyzer.can_prove_equal(ir::floormod(extent, count), ir::int_imm(extent->dtype(), 0)))
      throw ir::refuse(refusals["partition-uneven"], name, dim_text(extent), workers).at(span);
    return analyzer.simplify(ir::floordiv(extent, count));
  }
  // The buffer with the shape of a worker's part.
  Buffer part(const Buffer& buffer) const {
    auto found = shards_.find(buffer.get());
    if (found == shards_.end()) return buffer;
    const BufferTypeNode* type = buffer->buffer();
    Array<Expr> shape = type->shape;
    for (const auto& [axis, workers] : found->second)
      shape.Set(axis, divided(shape[axis], workers, name_of(buffer.get()), buffer->span));
    BufferType next = ir::with(ref(type), [&](BufferTypeNode& n) { n.shape = shape; });
    return make<VarNode>(buffer->name, Type(next), buffer->span);
  }

  // The iterators of a block that index sharded axes run over a worker's part.
  Stmt shard_block(const SBlockNode* block, const SBlockNode* before) {
    for (const Buffer& buffer : before->alloc_buffers) {
      Buffer made = part(buffer);
      if (!made.same_as(buffer)) allocated_[buffer.get()] = made;
    }
    if (block->iter_vars.empty()) return ref(block);
    std::vector<LoopRange> ranges;
    std::unordered_map<const VarNode*, const IterVarNode*> iters;
    for (const IterVar& iter : block->iter_vars) {
      ranges.push_back({iter->var, iter->dom});
      iters[iter->var.get()] = iter.get();
    }
    std::map<const VarNode*, int64_t> divided_by;
    Analyzer analyzer;
    for (const IterVar& iter : block->iter_vars) analyzer.bind(iter->var, iter->dom);
    auto access = [&](const Buffer& buffer, const Array<Expr>& indices) {
      auto found = shards_.find(buffer.get());
      if (found == shards_.end()) return;
      for (const auto& [axis, workers] : found->second) {
        const VarNode* var = sharding_var(analyzer.simplify(indices[axis]), ranges, analyzer);
        if (!var || iters.count(var) == 0) {
          throw ir::refuse(refusals["partition-unclear"], axis, name_of(buffer.get()), text(block->name_hint),
                           dim_text(indices[axis]))
              .at(block->span);
        }
        auto [at, added] = divided_by.try_emplace(var, workers);
        if (!added && at->second != workers) {
          throw ir::refuse(refusals["partition-conflict"], name_of(var), text(block->name_hint), at->second, workers)
              .at(block->span);
        }
      }
    };
    auto on_expr = [&](const Expr& e) {
      if (auto* load = as<TensorLoadNode>(e)) access(load->source, load->indices);
    };
    auto on_stmt = [&](const Stmt& s) {
      if (auto* store = as<BufferStoreNode>(s)) access(store->buffer, store->indices);
    };
    if (block->init) ir::post_order(block->init, on_expr, on_stmt);
    ir::post_order(block->body, on_expr, on_stmt);
    if (divided_by.empty()) return ref(block);
    Array<IterVar> next;
    for (const IterVar& iter : block->iter_vars) {
      auto found = divided_by.find(iter->var.get());
      if (found == divided_by.end()) {
        next.push_back(iter);
        continue;
      }
      iters_[iter->var.get()] = found->second;
      if (iter->iter_type == IterType::kCommReduce) reduce(block);
      Expr extent = divided(iter->dom->extent, found->second, name_of(iter->var.get()), block->span);
      next.push_back(make<IterVarNode>(make<RangeNode>(iter->dom->min, extent), iter->var, iter->iter_type, iter->thread_tag));
    }
    return ir::with(ref(block), [&](SBlockNode& n) { n.iter_vars = next; });
  }

  void bind_loops(const SBlockRealizeNode* realize) {
    for (size_t i = 0; i < realize->iter_values.size(); ++i) {
      const IterVar& iter = realize->block->iter_vars[i];
      auto found = iters_.find(iter->var.get());
      if (found == iters_.end()) continue;
      auto* loop = as<VarNode>(realize->iter_values[i]);
      auto condition = ir::const_int(realize->predicate);
      if (!loop || condition != 1) {
        throw ir::refuse(refusals["partition-not-a-loop"], name_of(iter->var.get()), text(realize->block->name_hint),
                         dim_text(realize->iter_values[i]))
            .at(realize->span);
      }
      loops_[loop] = found->second;
    }
  }

  // ---- sums over parts ----

  void reduce(const SBlockNode* block) {
    if (!reduction_.empty()) {
      if (reduced_in_ == block) return;
      throw ir::refuse(refusals["reductions-twice"], text(fn_name())).at(block->span);
    }
    reduced_in_ = block;
    const VarNode* written = block->writes.size() == 1 ? block->writes[0]->source.get() : nullptr;
    auto is_result = [&](const Expr& e) {
      auto* load = as<TensorLoadNode>(e);
      return load && load->source.get() == written;
    };
    ir::post_order(block->body, [&](const Expr& e) {
      const BinaryNode* two = ir::as_binary(e);
      if (!two || (!is_result(two->a) && !is_result(two->b))) return;
      if (e->kind == ExprKind::kAdd) reduction_ = "sum";
      if (e->kind == ExprKind::kMul) reduction_ = "prod";
      if (e->kind == ExprKind::kMin) reduction_ = "min";
      if (e->kind == ExprKind::kMax) reduction_ = "max";
    });
    if (reduction_.empty()) throw ir::refuse(refusals["reduction-unclear"], text(block->name_hint)).at(block->span);
    reduced_ = written;
    reduction_block_ = text(block->name_hint);
  }
  String fn_name() const {
    auto symbol = ir::attr(fn_, "global_symbol");
    return symbol ? symbol->cast<String>() : String("the function");
  }
  // What each worker found is partial until it is reduced among them: it is stored as it is, or, where it is a sum,
  // times or divided by what does not depend on it.
  void check_reduced() {
    std::set<const VarNode*> partial{reduced_};
    auto partial_load = [&](const Expr& e) {
      auto* load = as<TensorLoadNode>(e);
      return load && partial.count(load->source.get()) != 0;
    };
    auto uses_partial = [&](const Expr& e) {
      bool found = false;
      ir::post_order(e, [&](const Expr& sub) { found = found || partial_load(sub); });
      return found;
    };
    ir::post_order(fn_->body, [](const Expr&) {}, [&](const Stmt& s) {
      auto* store = as<BufferStoreNode>(s);
      if (!store || store->buffer.get() == reduced_ || !uses_partial(store->value)) return;
      auto* mul = as<MulNode>(store->value);
      auto* div = as<DivNode>(store->value);
      bool scaled = reduction_ == "sum" && ((mul && partial_load(mul->a) && !uses_partial(mul->b)) ||
                                            (mul && partial_load(mul->b) && !uses_partial(mul->a)) ||
                                            (div && partial_load(div->a) && !uses_partial(div->b)));
      if (!partial_load(store->value) && !scaled)
        throw ir::refuse(refusals["reduction-used"], reduction_block_, name_of(store->buffer.get())).at(store->span);
      partial.insert(store->buffer.get());
    });
  }

  PrimFunc fn_;
  BufferAxes axes_;
  std::unordered_map<const VarNode*, std::map<int64_t, int64_t>> shards_;  // axis -> workers
  std::unordered_map<const VarNode*, Buffer> allocated_;
  std::unordered_map<const VarNode*, int64_t> iters_;  // of blocks
  std::unordered_map<const VarNode*, int64_t> loops_;
  std::string reduction_;
  std::string reduction_block_;
  const SBlockNode* reduced_in_ = nullptr;
  const VarNode* reduced_ = nullptr;
};

}  // namespace

LocalView local_view(const PrimFunc& fn, const std::vector<DTensorType>& types) { return Shard(fn, types).run(); }

}  // namespace mlc::transform
