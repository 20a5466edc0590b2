// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/memory_plan.h"

#include <algorithm>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/texture.h"
#include "transform/graph/calls.h"
#include "transform/graph/expr_numbers.h"
#include "transform/graph/vdevices.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "texture-of-unknown-size",
         .kind = ir::kRefusedValue,
         .message = "a tensor in a texture has a dimension of which no bound is known",
         .help = "give bounds (`tir_var_upper_bound`), or compile for a target without the key `texture`"},
    }};
MLC_REFUSALS(graph_memory_plan, refusals);

namespace {

constexpr int64_t kMatchRange = 16;
constexpr int64_t kSymbolic = -1;

// The allocations that a value may lie in: one, those of a tuple's elements, or none that is planned.
struct AllocationTree {
  int allocation = -1;
  std::vector<AllocationTree> elements;

  template <class F>
  void each(F on) const {
    if (allocation >= 0) on(static_cast<size_t>(allocation));
    for (const AllocationTree& element : elements) element.each(on);
  }
};

struct Allocation {
  const CallNode* call;
  const BindingBlockNode* block;  // where it stands
  Expr bytes;
  DataType dtype;
  std::string scope;
  Var var;
  size_t begin = 0, end = 0;  // numbers of bindings
  int uses = 0;
  bool planned = true;
  // Why it is not planned.
  PlannedTensor::Kind why = PlannedTensor::Kind::kEscapes;
  Expr keeper = nullptr;

  void unplan(PlannedTensor::Kind because, Expr by = nullptr) {
    if (!planned) return;
    planned = false;
    why = because;
    keeper = std::move(by);
  }
};

Expr bytes_of(const Array<Expr>& shape, DataType dtype) {
  int64_t constant = element_bytes(dtype);
  Expr size = dim(1);
  for (const Expr& extent : shape) {
    if (auto known = const_int(extent)) {
      constant *= *known;
    } else {
      size = ir::mul(size, extent);
    }
  }
  return ir::mul(dim(constant), size);
}

// Textures of OpenCL lie in plain memory: rows of texels, each a multiple of the alignment.
Expr texture_bytes(const Array<Expr>& shape, DataType dtype, const VDevice& device, Span span) {
  TextureAxes axes = texture_axes(shape.size(), text(device->memory_scope));
  int64_t rows = 1, row = element_bytes(dtype);
  for (size_t i = 0; i < shape.size(); ++i) {
    auto extent = const_int(shape[static_cast<int64_t>(i)]);
    if (!extent) throw ir::refuse(refusals["texture-of-unknown-size"]).at(span);
    (i < axes.rows ? rows : row) *= *extent;
  }
  int64_t alignment =
      std::max<int64_t>(ir::target_attr<int64_t>(device->target, "image_base_address_alignment", 64), 1);
  int64_t aligned = (row + alignment - 1) / alignment * alignment;
  return dim(aligned * rows * element_bytes(dtype));
}
struct Operators {
  Expr alloc_tensor = relax::op("relax.builtin.alloc_tensor");
  Expr call_tir_dyn = relax::op("relax.vm.call_tir_dyn");
  Expr reshape = relax::op("relax.reshape");
  Expr view = relax::op("relax.memory.view");
  Expr ensure_zero_offset = relax::op("relax.memory.ensure_zero_offset");

  // Does the result lie where the first operand does?
  bool same_memory(const Expr& op) const {
    auto* packed = as<ExternFuncNode>(op);  // what a program calls itself
    return op.same_as(reshape) || op.same_as(view) || op.same_as(ensure_zero_offset) ||
           (packed != nullptr && packed->global_symbol == "vm.builtin.reshape");
  }
};

// Calls that read and write their arguments and keep none of them.
bool keeps_nothing(const CallNode* call, const IRModule& mod, const Operators& operators) {
  if (as<ExternFuncNode>(call->op) || call->op.same_as(operators.call_tir_dyn)) return true;
  auto* global = as<GlobalVarNode>(call->op);
  BaseFunc known = global ? relax::function_of(mod, global) : BaseFunc(nullptr);
  return known && Any(known).as<PrimFuncNode>() != nullptr;
}

// First pass: the allocations, how often each is used, and which cannot be planned.
class AllocationUses final : public relax::Visitor {
 public:
  AllocationUses(const IRModule& mod, UpperBounds& bounds) : mod_(mod), bounds_(bounds) {}

  std::vector<Allocation> allocations;
  std::unordered_map<const CallNode*, size_t> number_of;
  std::unordered_map<const VarNode*, AllocationTree> held;

  void run(const Function& fn) { release(sequence(fn->body)); }

  AllocationTree value(const Expr& e) {
    if (auto* var = as<VarNode>(e)) {
      auto found = held.find(var);
      return found == held.end() ? AllocationTree{} : found->second;
    }
    if (auto* tuple = as<TupleNode>(e)) {
      AllocationTree all;
      for (const Expr& field : tuple->elements) all.elements.push_back(value(field));
      return all;
    }
    if (auto* item = as<TupleGetItemNode>(e)) {
      AllocationTree tuple = value(item->tuple_value);
      size_t i = static_cast<size_t>(item->index);
      return i < tuple.elements.size() ? tuple.elements[i] : AllocationTree{};
    }
    return {};
  }

 private:
  void visit_block(const BindingBlock& block) override {
    const BindingBlockNode* outer = std::exchange(block_, block.get());
    for (const Binding& binding : block->bindings) {
      ++number_;
      var_ = binding->var;
      held[binding->var.get()] = bound(binding->value);
    }
    block_ = outer;
  }

  AllocationTree bound(const Expr& e) {
    if (auto* call = as<CallNode>(e)) return called(call);
    if (auto* branches = as<IfNode>(e)) {
      release(value(branches->cond));
      release(sequence(branches->true_branch));
      release(sequence(branches->false_branch));
      return {};
    }
    if (auto* fn = as<FunctionNode>(e)) {
      release(sequence(fn->body));
      return {};
    }
    if (auto* seq = as<SeqExprNode>(e)) return sequence(ref(seq));
    return value(e);
  }

  AllocationTree sequence(const SeqExpr& seq) {
    for (const BindingBlock& block : seq->blocks) visit_block(block);
    AllocationTree result = value(seq->body);
    release(result);  // what leaves its block is not planned
    return {};
  }

  AllocationTree called(const CallNode* call) {
    if (call->op.same_as(operators_.alloc_tensor)) return allocate(call);
    if (operators_.same_memory(call->op)) return value(call->args[0]);
    bool harmless = keeps_nothing(call, mod_, operators_);
    for (const Expr& arg : call->args) {
      value(arg).each([&](size_t i) {
        Allocation& allocation = allocations[i];
        allocation.end = number_;
        if (!harmless) {
          allocation.unplan(PlannedTensor::Kind::kKept, call->op);
        } else if (allocation.block != block_) {
          allocation.unplan(PlannedTensor::Kind::kCrosses);
        } else {
          ++allocation.uses;
        }
      });
    }
    return {};
  }

  AllocationTree allocate(const CallNode* call) {
    const auto* type = as_type<TensorTypeNode>(call->ty);
    auto* shape = type ? as<ShapeExprNode>(type->shape) : nullptr;
    MLC_CHECK(shape && type->knows_dtype(), "an allocation of unknown size");
    Array<Expr> extents = bounds_.of(shape->values);
    bool texture = is_opencl_texture(type->vdevice);
    Expr bytes = texture ? texture_bytes(extents, type->data_type(), type->vdevice, call->span)
                         : bytes_of(extents, type->data_type());
    std::string scope(texture ? "global" : text(as<StringImmNode>(call->args[3])->value));
    Allocation made{call, block_, bytes, type->data_type(), scope, var_, number_, number_};
    number_of[call] = allocations.size();
    AllocationTree result;
    result.allocation = static_cast<int>(allocations.size());
    allocations.push_back(std::move(made));
    return result;
  }

  void release(const AllocationTree& value) {
    value.each([&](size_t i) {
      allocations[i].end = number_;
      allocations[i].unplan(PlannedTensor::Kind::kEscapes);
    });
  }

  const IRModule& mod_;
  UpperBounds& bounds_;
  Operators operators_;
  const BindingBlockNode* block_ = nullptr;
  size_t number_ = 0;  // of the binding in view
  Var var_;
};

// Symbolic sizes. Layers repeat the same ones: two are compared once.
class SymbolicSizes {
 public:
  explicit SymbolicSizes(Analyzer& analyzer) : analyzer_(analyzer) {}
  size_t number_of(const Expr& bytes) { return sizes_.add(bytes); }
  bool provably_equal(size_t a, size_t b) {
    if (a == b) return true;
    auto [known, added] = equal_.try_emplace({a, b}, false);
    if (added) known->second = analyzer_.can_prove_equal(sizes_[a], sizes_[b]);
    return known->second;
  }

 private:
  Analyzer& analyzer_;
  ExprNumbers sizes_;
  std::map<std::pair<size_t, size_t>, bool> equal_;
};

// Second pass: gives each planned allocation a storage, in program order.
class Assign {
 public:
  Assign(AllocationUses& uses, UpperBounds& bounds, std::vector<PlannedTensor>* tensors)
      : uses_(uses), sizes_(bounds.analyzer()), tensors_(tensors) {}
  MemoryPlan plan;

  void run(const SeqExpr& seq) {
    for (const BindingBlock& block : seq->blocks) {
      for (const Binding& binding : block->bindings) visit(binding->value);
    }
  }

 private:
  using Pool = std::multimap<int64_t, size_t>;  // constant bytes, or kSymbolic -> storage

  void visit(const Expr& e) {
    if (auto* branches = as<IfNode>(e)) {
      run_branch(branches->true_branch);
      run_branch(branches->false_branch);
    } else if (auto* fn = as<FunctionNode>(e)) {
      // Runs at another time, maybe several times: it shares nothing.
      std::map<std::string, Pool> outside = std::exchange(pools_, {});
      run(fn->body);
      pools_ = std::move(outside);
    } else if (auto* seq = as<SeqExprNode>(e)) {
      run(ref(seq));
    } else if (auto* call = as<CallNode>(e)) {
      visit_call(call);
    }
  }

  // A storage that is made in a branch is not there behind it; TVM uses it all the same.
  void run_branch(const SeqExpr& seq) {
    size_t before = plan.storages.size();
    run(seq);
    for (auto& [key, pool] : pools_)
      std::erase_if(pool, [&](const auto& free) { return free.second >= before; });
  }

  void visit_call(const CallNode* call) {
    if (auto found = uses_.number_of.find(call); found != uses_.number_of.end()) {
      Allocation& allocation = uses_.allocations[found->second];
      if (!allocation.planned) return note(allocation, allocation.why, 0, {});
      size_t storage = take(allocation);
      plan.storage_of[call] = storage;
      storage_of_[found->second] = storage;
      left_[storage] = allocation.uses;
      return;
    }
    if (operators_.same_memory(call->op)) return;
    for (const Expr& arg : call->args) {
      uses_.value(arg).each([&](size_t i) {
        if (!uses_.allocations[i].planned) return;
        size_t storage = storage_of_.at(i);
        if (--left_[storage] == 0) give_back(storage);
      });
    }
  }

  static int64_t size_of(const Expr& bytes) { return const_int(bytes).value_or(kSymbolic); }
  Pool& pool_of(const std::string& scope, DataType dtype) { return pools_[scope + "/" + dtype.str()]; }

  void give_back(size_t storage) {
    const PlannedStorage& free = plan.storages[storage];
    pool_of(free.scope, free.dtype).emplace(size_of(free.bytes), storage);
  }

  size_t take(const Allocation& allocation) {
    if (auto reused = allocation.uses == 0 ? std::nullopt : reuse(allocation)) {
      note(allocation, PlannedTensor::Kind::kReuses, *reused, {});
      return *reused;
    }
    note(allocation, PlannedTensor::Kind::kNew, plan.storages.size(),
         tensors_ ? refused(allocation) : Refusals{});
    plan.storages.push_back({allocation.bytes, allocation.dtype, allocation.scope});
    return plan.storages.size() - 1;
  }

  // ---- what is said of it ----

  using Refusals = std::vector<PlannedTensor::Refused>;
  void note(const Allocation& allocation, PlannedTensor::Kind kind, size_t storage, Refusals refused) {
    if (!tensors_) return;
    tensors_->push_back({kind, allocation.var, allocation.call, allocation.bytes, storage, allocation.begin,
                         allocation.end, allocation.keeper, allocation.planned && allocation.uses == 0,
                         std::move(refused)});
  }
  // All that is free, when nothing of it was taken.
  Refusals refused(const Allocation& allocation) const {
    using Why = PlannedTensor::Refused::Why;
    Refusals all;
    for (const auto& [key, pool] : pools_) {
      for (const auto& [size, storage] : pool) {
        const PlannedStorage& free = plan.storages[storage];
        bool symbolic = size == kSymbolic || size_of(allocation.bytes) == kSymbolic;
        Why why = free.scope != allocation.scope      ? Why::kScope
                  : !(free.dtype == allocation.dtype) ? Why::kType
                  : symbolic                          ? Why::kSymbolic
                                                      : Why::kSize;
        all.push_back({why, storage});
      }
    }
    return all;
  }

  std::optional<size_t> reuse(const Allocation& allocation) {
    Pool& pool = pool_of(allocation.scope, allocation.dtype);
    int64_t size = size_of(allocation.bytes);
    if (size == kSymbolic) {  // only what is provably of the same size
      auto [begin, end] = pool.equal_range(kSymbolic);
      if (begin == end) return std::nullopt;
      size_t wanted = sizes_.number_of(allocation.bytes);
      for (auto it = begin; it != end; ++it) {
        if (sizes_.provably_equal(wanted, sizes_.number_of(plan.storages[it->second].bytes)))
          return taken(pool, it);
      }
      return std::nullopt;
    }
    auto smallest = pool.lower_bound(size / kMatchRange);
    auto enough = pool.lower_bound(size);
    auto largest = pool.upper_bound(size * kMatchRange);
    if (enough != largest) return taken(pool, enough);
    if (enough == smallest) return std::nullopt;
    --enough;
    plan.storages[enough->second].bytes = dim(size);
    return taken(pool, enough);
  }
  static size_t taken(Pool& pool, Pool::iterator it) {
    size_t storage = it->second;
    pool.erase(it);
    return storage;
  }

  AllocationUses& uses_;
  SymbolicSizes sizes_;
  Operators operators_;
  std::unordered_map<size_t, size_t> storage_of_;  // by number of allocation
  std::unordered_map<size_t, int> left_;           // uses that are to come, by storage
  std::map<std::string, Pool> pools_;
  std::vector<PlannedTensor>* tensors_;
};

}  // namespace

MemoryPlan plan_memory(const Function& fn, const IRModule& mod, UpperBounds& bounds,
                       std::vector<PlannedTensor>* tensors) {
  AllocationUses uses(mod, bounds);
  uses.run(fn);
  Assign assign(uses, bounds, tensors);
  assign.run(fn->body);
  return std::move(assign.plan);
}

}  // namespace mlc::transform
