// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "transform/arith/analyzer.h"
#include "transform/arith/iter_map.h"
#include "transform/arith/simplify_value.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/fold_constant_branches.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_flatten_buffer {
namespace {

constexpr char doc[] = R"(FlattenBuffer(): all buffers become one-dimensional.

    def f(A: T.Buffer((n, m))):             def f(A: T.Buffer((n, m))):
        B = T.alloc_buffer((4, 8))              A_1 = T.decl_buffer((n * m,), data=A.data)
        B[i, j] = A[p, q]           =>          B = T.alloc_buffer((32,))
                                                B[i * 8 + j] = A_1[p * m + q]
needs: no buffers that blocks declare (LowerMatchBuffer, LowerOpaqueBlock).
keeps: every access; parameters keep their shapes, which callers are checked against, and get a flat view.
Strides and offsets of buffers are part of the index afterwards.)";

struct Flatten final : Rewriter {
  Analyzer analyzer;
  Analyzer plain;  // knows nothing of the loops
  std::vector<LoopRange> iters;
  Expr predicate = bool_imm(true);  // of the branches around
  std::unordered_map<const VarNode*, Buffer> flat;

  // The buffer under one dimension that covers all its elements.
  Buffer flatten(const Buffer& buffer, bool allocates = false) {
    auto found = flat.find(buffer.get());
    if (found != flat.end()) return found->second;
    const BufferTypeNode* type = buffer->buffer();
    bool already = type->shape.size() == 1 && type->strides.empty() && !type->layout.defined() &&
                   !is_param(buffer.get());
    Buffer next = buffer;
    if (!already || offset_of(type)) {
      next = with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) {
                         n.shape = {size(type, allocates)};
                         n.strides = {};
                         n.elem_offset =
                             type->elem_offset ? Expr(const_like(type->elem_offset, 0)) : type->elem_offset;
                         n.layout = {};
                       }));
    }
    return flat[buffer.get()] = next;
  }

  // Does the condition constrain the loops? Values loaded at their indices do not.
  bool is_of_loops(const Expr& condition) {
    bool found = false;
    walk_with(condition, [&](const Expr& e, Walker& on) {
      if (as<TensorLoadNode>(e)) return;
      auto* var = as<VarNode>(e);
      found |= var && std::any_of(iters.begin(), iters.end(),
                                  [&](const LoopRange& iter) { return iter.var.get() == var; });
      on.walk_children(e);
    });
    return found;
  }
  template <class F>
  auto where(const Expr& condition, F rewritten) {
    if (!is_of_loops(condition)) return rewritten();
    Expr before =
        std::exchange(predicate, is_const_int(predicate, 1) ? condition : logical_and(predicate, condition));
    auto result = rewritten();
    predicate = before;
    return result;
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* chosen = as_call_to(e, "tirx.if_then_else")) {
      Expr condition = rewrite(chosen->args[0]);
      Expr yes = where(condition, [&] { return rewrite(chosen->args[1]); });
      Expr no = where(logical_not(condition), [&] { return rewrite(chosen->args[2]); });
      if (auto one = fold_choice(condition, yes, no)) return *one;
      return with(ref(chosen), [&](CallNode& n) { n.args = {condition, yes, no}; });
    }
    if (auto* var = param_data(e)) return data_of(flatten(ref(var)));
    if (as_call_to(e, "tirx.masked_load")) return masked(*as<CallNode>(e), 1);
    if (as_call_to(e, "tirx.masked_store")) return masked(*as<CallNode>(e), 2);
    if (auto* region = as<TensorRegionNode>(e)) {
      // Of a block: still in the dimensions that its iterators count.
      Expr next = rewrite_children(e);
      return make<TensorRegionNode>(flatten(region->source), as<TensorRegionNode>(next)->region, e->span);
    }
    if (as<SelectNode>(e)) return fold_constant_branch(rewrite_children(e));
    auto* load = as<TensorLoadNode>(e);
    if (!load) {
      auto* var = as<VarNode>(e);
      if (var && var->buffer() && flat.contains(var) && !is_param(var)) return flat[var];
      return rewrite_children(e);
    }
    Array<Expr> indices = rewrite(load->indices);
    return make<TensorLoadNode>(flatten(load->source), Array<Expr>{index(load->source, indices)}, e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) {
      Expr value = rewrite(store->value);
      Array<Expr> indices = rewrite(store->indices);
      return make<BufferStoreNode>(flatten(store->buffer), value, Array<Expr>{index(store->buffer, indices)},
                                   s->span);
    }
    if (auto* alloc = as<AllocBufferNode>(s)) {
      Buffer buffer = flatten(alloc->buffer, true);
      if (buffer.same_as(alloc->buffer)) return s;
      return with(ref(alloc), [&](AllocBufferNode& n) { n.buffer = buffer; });
    }
    if (auto* decl = as<DeclBufferNode>(s)) {
      Expr data = decl->data && !param_data(decl->data) ? rewrite(decl->data) : decl->data;
      Buffer buffer = flatten(decl->buffer);
      if (data.same_as(decl->data) && buffer.same_as(decl->buffer)) return s;
      return make<DeclBufferNode>(buffer, data, s->span);
    }
    if (auto* loop = as<ForNode>(s)) {
      Range range = make<RangeNode>(loop->min, loop->extent);
      analyzer.bind(loop->loop_var, range);
      iters.push_back({loop->loop_var, range});
      return rewrite_children(s);
    }
    if (auto* branch = as<IfThenElseNode>(s)) {
      Expr condition = rewrite(branch->condition);
      auto* likely = as_call_to(condition, "tirx.likely");
      Stmt yes = where(likely ? likely->args[0] : condition, [&] { return rewrite(branch->then_case); });
      Stmt no = branch->else_case ? rewrite(branch->else_case) : branch->else_case;
      if (auto one = fold_branch(condition, yes, no)) return *one;
      return make<IfThenElseNode>(condition, yes, no, s->span);
    }
    if (auto* attr = as<AttrStmtNode>(s)) {
      if (IterVar thread = opened_thread(s))
        iters.push_back({thread->var, make<RangeNode>(const_like(attr->value, 0), attr->value)});
      if (auto about = attr->node.as<Expr>(); about && param_data(*about)) {
        return updated(attr, [&](AttrStmtNode& n) {
          n.value = rewrite(attr->value);
          n.body = rewrite(attr->body);
        });
      }
    }
    if (auto* block = as<SBlockNode>(s)) {
      if (!block->alloc_buffers.empty() || !block->match_buffers.empty()) {
        throw refuse_as(pass_refusals["block-not-lowered"], "block `{}` still declares buffers",
                        block->name_hint.c_str())
            .at(s->span)
            .help("run LowerMatchBuffer and LowerOpaqueBlock first");
      }
      for (const IterVar& iter : block->iter_vars) analyzer.bind(iter->var, iter->dom);
    }
    return rewrite_children(s);
  }

  std::unordered_set<const VarNode*> params;

 private:
  // (buffer, value of a store, indices..., mask): the indices become one.
  Expr masked(const CallNode& call, size_t first_index) {
    auto* buffer = as<VarNode>(call.args[0]);
    if (!buffer || !buffer->buffer()) return rewrite_children(ref(&call));
    if (call.args.size() < first_index + 1) {
      throw refuse(pass_refusals["wrong-number-of-indices"], buffer->name.c_str(),
                   buffer->buffer()->shape.size(), 0)
          .at(call.span);
    }
    Array<Expr> args{flatten(ref(buffer))};
    Array<Expr> indices;
    for (size_t i = 1; i < call.args.size(); ++i) {
      Expr arg = rewrite(call.args[static_cast<int64_t>(i)]);
      bool is_mask = i + 1 == call.args.size();
      if (is_mask) args.push_back(index(ref(buffer), indices));
      (i < first_index || is_mask ? args : indices).push_back(arg);
    }
    return with(ref(&call), [&](CallNode& n) { n.args = args; });
  }
  bool is_param(const VarNode* var) const { return params.contains(var); }
  // The parameter whose memory `e` points to; null for other expressions.
  const VarNode* param_data(const Expr& e) const {
    auto* data = as_call_to(e, "tirx.buffer_data");
    auto* var = data ? as<VarNode>(data->args[0]) : nullptr;
    return var && is_param(var) ? var : nullptr;
  }
  static Expr offset_of(const BufferTypeNode* type) {
    return type->elem_offset && !is_const_int(type->elem_offset, 0) ? type->elem_offset : Expr(nullptr);
  }
  // Elements from that at the buffer's offset to behind the last one.
  Expr size(const BufferTypeNode* type, bool allocates) {
    bool wide = is_large(type);
    Expr total = nullptr;
    if (type->strides.empty()) {
      for (const Expr& dim : type->shape) total = total ? mul(total, widened(dim, wide)) : widened(dim, wide);
    } else {
      for (size_t d = 0; d < type->shape.size(); ++d) {
        Expr span = mul(widened(type->shape[d] - 1, wide), widened(type->strides[d], wide));
        total = total ? add(total, span) : span;
      }
      total = total + 1;
    }
    if (!total) total = int32(1);
    if (type->strides.empty()) return analyzer.simplify(total);
    // Rows one after the other; memory that is made here has to hold all of them.
    Expr rows = mul(widened(type->strides[0], wide), widened(type->shape[0], wide));
    Expr spare = sub(rows, total);
    bool fits = !allocates || analyzer.can_prove_ge(spare, 0) ||
                (is_const_int(type->strides.back(), 1) && !analyzer.can_prove_lt(spare, 0));
    return analyzer.simplify(fits ? rows : total);
  }

  Expr index(const Buffer& buffer, const Array<Expr>& indices) {
    const BufferTypeNode* type = buffer->buffer();
    if (indices.size() != type->shape.size()) {
      throw refuse(pass_refusals["wrong-number-of-indices"], buffer->name.c_str(), type->shape.size(),
                   indices.size());
    }
    bool wide = is_large(type);
    auto w = [&](const Expr& e) { return widened(e, wide); };
    Expr flat_index = nullptr;
    for (size_t d = 0; d < indices.size(); ++d) {
      Expr i = w(indices[d]);
      if (type->strides.empty()) {
        flat_index = flat_index ? add(mul(flat_index, w(type->shape[d])), i) : i;
      } else {
        Expr part = mul(i, w(type->strides[d]));
        flat_index = flat_index ? add(flat_index, part) : part;
      }
    }
    if (!flat_index) flat_index = int32(0);
    // Indices of rows that follow each other are of the type that the first extent has, at least.
    if (type->strides.empty() && !type->shape.empty() &&
        type->shape[0]->dtype().bits() > flat_index->dtype().bits())
      flat_index = cast(type->shape[0]->dtype().with_lanes(flat_index->dtype().lanes()), flat_index);
    if (Expr offset = offset_of(type)) flat_index = add(flat_index, offset);
    if (flat_index->dtype().is_scalable()) return simplify_index(flat_index, plain);
    return simplify_iter_map({simplify_index(flat_index, plain)}, iters, predicate, IterMapCheck::kSurjective,
                             analyzer)[0];
  }
  // More elements than 32-bit integers count are counted in 64 bits.
  static Expr widened(const Expr& e, bool wide) {
    return wide && e->dtype().bits() < 64 ? cast(DataType::Int(64, e->dtype().lanes()), e) : e;
  }
  // Does the number of elements leave the range of 32-bit integers?
  static bool is_large(const BufferTypeNode* type) {
    double count = 1;
    for (const Expr& dim : type->shape) {
      auto value = const_int(dim);
      if (!value) return false;  // symbolic dimensions carry the width they were declared with
      count *= static_cast<double>(*value);
    }
    return count > 2147483647.0;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Flatten flatten;
  for (const Var& param : fn->params) {
    if (param->buffer()) flatten.params.insert(param.get());
  }
  bind_names(fn, flatten.plain);
  Stmt body = flatten.rewrite(fn->body);
  Array<Stmt> stmts;
  for (const Var& param : fn->params) {
    if (!param->buffer()) continue;
    auto found = flatten.flat.find(param.get());
    if (found == flatten.flat.end()) continue;
    stmts.push_back(make<DeclBufferNode>(found->second, data_of(param)));
  }
  if (stmts.empty()) return with_body(fn, body);
  stmts.push_back(body);
  return with_body(fn, seq(stmts));
}

}  // namespace

extern const Pass flatten_buffer{"FlattenBuffer", "tirx.transform", "FlattenBuffer()", doc, apply};

}  // namespace mlc::transform::pass_flatten_buffer
