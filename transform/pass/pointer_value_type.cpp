// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pointer_value_type.h"

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_roots.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "access-type-differs",
         .message = "`{}` is accessed as `{}` at an index of {} lanes, which its elements do not make"},
    }};
MLC_REFUSALS(pass_pointer_value_type, refusals);

namespace {

void insert(std::vector<DataType>& types, DataType type) {
  if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
}

// The base and the lanes of a vector of neighbours, as an index.
const RampNode* as_dense_ramp(const Expr& index) {
  auto* ramp = as<RampNode>(index);
  return ramp && is_const_int(ramp->stride, 1) && const_int(ramp->lanes) ? ramp : nullptr;
}

// How the memory of one buffer is accessed, through the buffer itself and through its views.
struct PointerAccesses {
  Buffer buffer;
  bool param = false;
  bool fixed = false;
  DataType element;
  Expr extent;  // of the last dimension
  std::vector<DataType> types;
  std::vector<std::pair<DataType, int64_t>> scalar_reads;  // the index is a multiple of this, plus a constant

  DataType preferred() const {
    if (fixed) return element;
    std::vector<DataType> bases;
    for (DataType type : types) insert(bases, type.element());
    for (const auto& [type, multiple] : scalar_reads) insert(bases, type.element());
    if (bases.size() != 1) return element;
    int lanes = element.lanes();
    if (lanes == 1 && types.size() == 1) {
      int wanted = types[0].lanes();
      for (const auto& [type, multiple] : scalar_reads) {
        if (multiple % wanted != 0) return element;
      }
      Analyzer analyzer;
      ModularSet size = analyzer.modular_set(extent);
      if (size.coeff % wanted == 0 && size.base % wanted == 0) lanes = wanted;
    }
    return bases[0].with_lanes(lanes);
  }
};

class AccessTypes final : public Walker {
 public:
  explicit AccessTypes(bool scalar_reads) : scalar_reads_(scalar_reads) {}
  std::vector<PointerAccesses> found;
  BufferRoots roots;

  void declare(const Buffer& buffer, bool param) {
    const BufferTypeNode* type = buffer->buffer();
    Expr extent = type->shape.empty() ? Expr(int32(0)) : type->shape[type->shape.size() - 1];
    at_[buffer.get()] = found.size();
    found.push_back({buffer, param, false, type->dtype, extent, {}, {}});
  }
  void visit(const Stmt& s) override {
    if (auto* alloc = as<AllocBufferNode>(s)) declare(alloc->buffer, false);
    if (auto* view = as<DeclBufferNode>(s)) roots.declare(*view);
    if (auto* block = as<SBlockNode>(s)) {
      for (const Buffer& buffer : block->alloc_buffers) of_blocks_.insert(buffer.get());
      for (const MatchBufferRegion& match : block->match_buffers) of_blocks_.insert(match->buffer.get());
    }
    if (auto* store = as<BufferStoreNode>(s))
      access(store->value->dtype(), store->buffer.get(), store->indices, false, s->span);
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e))
      access(e->dtype(), load->source.get(), load->indices, scalar_reads_, e->span);
    if (auto* call = as_call_to(e, "tirx.tvm_access_ptr")) {
      if (auto* buffer = buffer_of_data(call->args[1]))
        access(call->args[0]->dtype(), buffer, {call->args[2]}, false, e->span);
    }
    for (const char* masked : {"tirx.masked_load", "tirx.masked_store"}) {  // masks count elements
      auto* call = as_call_to(e, masked);
      auto* buffer = call ? as<VarNode>(call->args[0]) : nullptr;
      auto known = buffer ? at_.find(roots(buffer)) : at_.end();
      if (known != at_.end()) found[known->second].fixed = true;
    }
    if (auto* call = as_call_to(e, "tirx.address_of")) {
      if (auto* load = as<TensorLoadNode>(call->args[0])) {
        access(load->dtype(), load->source.get(), load->indices, false, e->span);
        for (const Expr& index : load->indices) visit(index);
        return;
      }
    }
    walk_children(e);
  }

 private:
  std::unordered_map<const VarNode*, size_t> at_;
  std::unordered_set<const VarNode*> of_blocks_;
  bool scalar_reads_;
  Analyzer analyzer_;

  void access(DataType value, const VarNode* buffer, const Array<Expr>& indices, bool scalar_read,
              Span span) {
    auto known = at_.find(roots(buffer));
    if (known == at_.end()) {  // memory that others declare
      if (!of_blocks_.contains(buffer)) return;
      throw refuse(pass_refusals["block-not-lowered"], buffer->name.c_str())
          .at(span)
          .help("run LowerMatchBuffer and LowerOpaqueBlock first");
    }
    PointerAccesses& memory = found[known->second];
    memory.fixed |= value.is_bool();  // vectors of bool have no layout in memory of their own
    int index_lanes = indices.empty() ? 1 : indices[indices.size() - 1]->dtype().lanes();
    int lanes = memory.element.lanes();
    if (index_lanes * lanes != value.lanes()) {
      if (index_lanes != value.lanes()) {
        throw refuse(refusals["access-type-differs"], memory.buffer->name.c_str(), value.str(), index_lanes)
            .at(span);
      }
      lanes = 1;
      memory.element = memory.element.element();
    }
    if (!indices.empty()) {
      const Expr& last = indices[indices.size() - 1];
      if (auto* ramp = as_dense_ramp(last)) {
        int wanted = static_cast<int>(*const_int(ramp->lanes));
        ModularSet base = analyzer_.modular_set(ramp->base);
        if (base.coeff % wanted == 0 && base.base % wanted == 0) lanes = wanted;
      } else if (scalar_read && index_lanes == 1) {
        memory.scalar_reads.emplace_back(value, analyzer_.modular_set(last).coeff);
        return;
      }
    }
    insert(memory.types, value.with_lanes(lanes));
  }
};

class Retype final : public Rewriter {
 public:
  struct Change {
    Buffer buffer;
    DataType from;
    DataType to;
    int factor() const { return to.lanes() / from.lanes(); }
  };
  BufferRoots roots;
  std::unordered_map<const VarNode*, Change> changes;

  void change(const PointerAccesses& memory, DataType to) {
    changes[memory.buffer.get()] = {nullptr, memory.element, to};
    changes[memory.buffer.get()].buffer = rewrite_buffer(memory.buffer);
  }

  using Rewriter::rewrite;
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto change = changes.find(roots(buffer.get()));
    if (change == changes.end()) return buffer;
    Buffer& next = retyped_[buffer.get()];
    if (!next) {
      const Change& to = change->second;
      next = with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) {
                         n.dtype = to.to;
                         n.layout = ObjectRef();  // of elements
                         if (n.shape.empty() || to.factor() == 1) return;
                         size_t last = n.shape.size() - 1;
                         n.shape.Set(static_cast<int64_t>(last), divided(n.shape[last], to.factor()));
                       }));
    }
    return next;
  }
  Var rewrite_def(const Var& var) override { return var->buffer() ? rewrite_buffer(var) : var; }

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e); var && var->buffer()) return rewrite_buffer(ref(var));
    if (auto* call = as_call_to(e, "tirx.buffer_data")) {
      Expr buffer = rewrite(call->args[0]);
      return buffer.same_as(call->args[0]) ? e : data_of(ref(as<VarNode>(buffer)));
    }
    if (auto* call = as_call_to(e, "tirx.tvm_access_ptr")) {
      auto* buffer = buffer_of_data(call->args[1]);
      auto change = buffer ? changes.find(roots(buffer)) : changes.end();
      if (change == changes.end()) return rewrite_children(e);
      int factor = change->second.factor();
      return with(ref(call), [&](CallNode& n) {
        n.args = {call_op(change->second.to, "tirx.type_annotation", {}),
                  data_of(rewrite_buffer(ref(buffer))), divided(rewrite(call->args[2]), factor),
                  divided(rewrite(call->args[3]), factor), call->args[4]};
      });
    }
    auto* load = as<TensorLoadNode>(e);
    if (!load) return rewrite_children(e);
    Array<Expr> indices = rewrite(load->indices);
    Buffer buffer = rewrite_buffer(load->source);
    if (buffer.same_as(load->source)) {
      return indices.same_as(load->indices) ? e : Expr(make<TensorLoadNode>(buffer, indices, e->span));
    }
    int factor = changes.at(roots(load->source.get())).factor();
    std::optional<int64_t> lane = change_last(indices, factor);
    Expr vector = make<TensorLoadNode>(buffer, indices, e->span);
    same_element(vector->dtype(), e->dtype(), buffer, e->span);
    if (!lane) return vector;
    return make<ShuffleNode>(Array<Expr>{vector}, Array<Expr>{int32(*lane)}, e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    auto* store = as<BufferStoreNode>(s);
    if (!store) return rewrite_children(s);
    Buffer buffer = rewrite_buffer(store->buffer);
    if (buffer.same_as(store->buffer)) return rewrite_children(s);
    Array<Expr> indices = rewrite(store->indices);
    change_last(indices, changes.at(roots(store->buffer.get())).factor());
    Expr value = rewrite(store->value);
    same_element(buffer->buffer()->dtype, value->dtype(), buffer, s->span);
    return make<BufferStoreNode>(buffer, value, indices, s->span);
  }

 private:
  std::unordered_map<const VarNode*, Buffer> retyped_;
  Analyzer analyzer_;

  static void same_element(DataType now, DataType before, const Buffer& buffer, Span span) {
    if (now.element() == before.element()) return;
    throw refuse_as(refusals["access-type-differs"],
                    "`{}` is accessed as `{}`, but its elements would be `{}`", buffer->name.c_str(),
                    before.str(), now.str())
        .kind("TypeError")
        .at(span);
  }
  static Expr divided(const Expr& e, int by) { return truncdiv(e, const_like(e, by)); }

  // The last index counts vectors from here on; what it picks of one, where it picked one element.
  std::optional<int64_t> change_last(Array<Expr>& indices, int factor) {
    if (indices.empty()) return std::nullopt;
    auto last = static_cast<int64_t>(indices.size()) - 1;
    Expr index = indices[last];
    if (auto* ramp = as_dense_ramp(index)) {
      auto lanes = static_cast<int>(*const_int(ramp->lanes));
      Expr next = divided(ramp->base, lanes);
      if (lanes != factor) {
        int left = lanes / factor;
        next = make<RampNode>(next * left, ramp->stride, int32(left), index->span);
      }
      indices.Set(last, next);
    } else if (index->dtype().is_scalar() && factor > 1) {
      int64_t lane = analyzer_.modular_set(index).base % factor;
      indices.Set(last, divided(index, factor));
      return lane;
    }
    return std::nullopt;
  }
};

}  // namespace

PrimFunc with_pointer_value_types(const PrimFunc& fn, PointerValueTypes options) {
  AccessTypes accesses(options.scalar_reads);
  for (const Var& param : fn->params) {
    if (param->buffer()) accesses.declare(param, true);
  }
  accesses.visit(fn->body);
  Retype retype;
  retype.roots = accesses.roots;
  for (const PointerAccesses& memory : accesses.found) {
    if (memory.param && !options.params) continue;
    DataType preferred = memory.preferred();
    if (!(preferred == memory.element)) retype.change(memory, preferred);
  }
  if (retype.changes.empty()) return fn;
  Stmt body = retype.rewrite(fn->body);
  Array<Var> params;
  for (const Var& param : fn->params) params.push_back(retype.rewrite_def(param));
  return with_params(fn, params, body);
}

}  // namespace mlc::transform
