// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/buffer_axes.h"

#include "transform/arith/int_set.h"
#include "transform/graph/calls.h"

namespace mlc::transform {

const VarNode* sharding_var(const Expr& index, const std::vector<LoopRange>& ranges, Analyzer& analyzer) {
  if (auto* var = as<VarNode>(index)) return var;
  IterSum sum = normalize_to_iter_sum(index, ranges, analyzer);
  if (sum->args.empty() || ir::const_int(sum->base) != 0) return nullptr;
  const IterSplit& highest = sum->args[0];
  const VarNode* source = highest->source->var();
  if (!source) return nullptr;
  // Its remainder must be of no effect.
  for (const LoopRange& each : ranges) {
    if (each.var.get() != source) continue;
    bool whole = analyzer.can_prove(ir::le(ir::floordiv(each.range->extent, highest->lower_factor), highest->extent));
    return whole ? source : nullptr;
  }
  return nullptr;
}

// Within each block accesses of two buffers tie two axes when one is indexed by an iterator, over the whole axis, and
// that iterator is what shards the index of the other.
struct BufferAxesBuilder final : Walker {
  BufferAxes& axes;
  struct Access {
    Buffer buffer;
    Array<Expr> indices;
  };
  std::vector<Access> accesses;

  explicit BufferAxesBuilder(BufferAxes& axes) : axes(axes) {}
  using Walker::visit;
  void visit(const Expr& e) override {
    walk_children(e);
    if (auto* load = as<TensorLoadNode>(e)) accesses.push_back({load->source, load->indices});
  }
  void visit(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) {
      visit(store->value);
      for (const Expr& index : store->indices) visit(index);
      accesses.push_back({store->buffer, store->indices});
      return;
    }
    auto* block = as<SBlockNode>(s);
    if (!block) return walk_children(s);
    bool root = text(block->name_hint) == "root";
    if (!root) accesses.clear();
    if (block->init) visit(block->init);
    visit(block->body);
    if (!root) tie(block);
  }

  void tie(const SBlockNode* block) {
    Analyzer analyzer;
    std::vector<LoopRange> ranges;
    Domains domains;
    for (const IterVar& iter : block->iter_vars) {
      ranges.push_back({iter->var, iter->dom});
      analyzer.bind(iter->var, iter->dom);
    }
    for (const LoopRange& each : ranges) domains[each.var.get()] = interval_of(each.range, analyzer);
    for (const Access& one : accesses) {
      for (size_t i = 0; i < one.indices.size(); ++i) {
        for (const Access& other : accesses) {
          if (other.buffer.same_as(one.buffer)) continue;
          for (size_t j = 0; j < other.indices.size(); ++j) {
            if (!tied(one.indices[i], extent(one, i), other.indices[j], extent(other, j), ranges, domains, analyzer))
              continue;
            BufferAxis a{one.buffer.get(), static_cast<int64_t>(i)};
            BufferAxis b{other.buffer.get(), static_cast<int64_t>(j)};
            axes.neighbours_[a].push_back(b);
            axes.neighbours_[b].push_back(a);
          }
        }
      }
    }
  }
  static Expr extent(const Access& access, size_t axis) { return access.buffer->buffer()->shape[axis]; }

  static bool tied(Expr a, Expr extent_a, Expr b, Expr extent_b, const std::vector<LoopRange>& ranges,
                   const Domains& domains, Analyzer& analyzer) {
    if (b->kind == ExprKind::kVar) {
      std::swap(a, b);
      std::swap(extent_a, extent_b);
    }
    auto* var = as<VarNode>(a);
    if (!var) return false;
    auto range = std::find_if(ranges.begin(), ranges.end(), [&](const LoopRange& each) { return each.var.get() == var; });
    if (range == ranges.end() || !analyzer.can_prove_equal(extent_a, range->range->extent)) return false;
    b = analyzer.simplify(b);
    IntervalSet values = interval_of(b, domains, analyzer);
    if (!values->has_lower() || !values->has_upper()) return false;
    if (!analyzer.can_prove_equal(values->min_value, ir::int_imm(b->dtype(), 0))) return false;
    Expr last = ir::sub(extent_b, ir::int_imm(extent_b->dtype(), 1));
    if (!analyzer.can_prove_equal(values->max_value, last)) return false;
    return sharding_var(b, ranges, analyzer) == var;
  }
};

BufferAxes::BufferAxes(const Stmt& body) { BufferAxesBuilder(*this).visit(body); }

void BufferAxes::reach(const BufferAxis& from, std::set<BufferAxis>& visited, std::vector<BufferAxis>& group) const {
  if (!visited.insert(from).second) return;
  group.push_back(from);
  auto found = neighbours_.find(from);
  if (found == neighbours_.end()) return;
  for (const BufferAxis& next : found->second) reach(next, visited, group);
}

void join_tensor_function(AxisGroups& groups, const Var& output, const CallNode* call, const PrimFunc& fn) {
  using Edge = AxisGroups::Edge;
  Array<Expr> operands = tuple_elements(call->args[1]);
  const auto* several = as_type<TupleTypeNode>(call->ty_args[0]);
  size_t results = several ? several->elements.size() : 1;
  if (operands.size() + results != fn->params.size()) return;  // ill-formed
  std::unordered_map<const VarNode*, size_t> number;
  for (size_t i = 0; i < fn->params.size(); ++i) {
    if (fn->params[i]->buffer()) number[fn->params[i].get()] = i;
  }
  struct ParamAxis {
    size_t param;
    int64_t axis;
  };
  BufferAxes axes(fn->body);
  std::set<BufferAxis> visited;
  for (const Var& param : fn->params) {
    if (!param->buffer()) continue;
    for (size_t i = 0; i < param->buffer()->shape.size(); ++i) {
      BufferAxis start{param.get(), static_cast<int64_t>(i)};
      if (!axes.is_tied(start)) continue;
      std::vector<BufferAxis> reached;
      axes.reach(start, visited, reached);
      std::vector<ParamAxis> inputs, outputs;
      for (const BufferAxis& each : reached) {
        auto found = number.find(each.buffer);
        if (found == number.end()) continue;
        bool is_output = found->second >= operands.size();
        (is_output ? outputs : inputs).push_back({found->second, each.axis});
      }
      auto tensor_axis = [&](const ParamAxis& one) { return TensorAxis{operands[one.param].get(), one.axis}; };
      if (outputs.empty()) {
        for (size_t k = 1; k < inputs.size(); ++k)
          groups.join(tensor_axis(inputs[k]), tensor_axis(inputs[0]), Edge::kSibling);
      }
      for (const ParamAxis& to : outputs) {
        TensorAxis result{output.get(), to.axis, static_cast<int64_t>(to.param - operands.size())};
        for (const ParamAxis& from : inputs) groups.join(tensor_axis(from), result, Edge::kToConsumer);
      }
    }
  }
}

PrimFunc called_tensor_function(const CallNode* call, const IRModule& mod) {
  auto* callee = as<GlobalVarNode>(call->args[0]);
  BaseFunc named = callee ? relax::function_of(mod, callee) : BaseFunc(nullptr);
  if (!named) return {};
  auto* fn = named.as<PrimFuncNode>();
  return fn ? ref(fn) : PrimFunc();
}

}  // namespace mlc::transform
