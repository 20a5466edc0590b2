// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/tir/op.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/refusals.h"
#include "transform/pass/rewritten_by.h"
#include "transform/schedule/layout.h"

namespace mlc::transform::pass_lower_match_buffer {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "match-buffer-mismatch",
         .message = "`{}` begins at a multiple of {} elements, the region of `{}` may not"},
    }};
MLC_REFUSALS(tir_lower_match_buffer, refusals);

namespace {

constexpr char doc[] =
    R"(LowerMatchBuffer(): accesses to a view of a region become accesses to the buffer itself.

    with T.sblock("b"):                                 with T.sblock("b"):
        V = T.match_buffer(A[i:i+4, j:j+4], (4, 4))
        V[p, q] = 0                             =>          A[i + p, j + q] = 0
needs: regions have as many trailing dimensions as the view, the leading ones of extent 1.
keeps: every access. Strides and offset that the view leaves open become those of the source.
After compaction (the region has its final place), before blocks go.)";

struct View {
  Buffer source;
  Array<Range> region;
  size_t dropped = 0;  // leading dimensions of the source that the view does not have

  Array<Expr> indices(const Array<Expr>& of_view) const {
    Array<Expr> out;
    for (size_t d = 0; d < region.size(); ++d) {
      out.push_back(d < dropped ? region[d]->min : add(region[d]->min, of_view[d - dropped]));
    }
    return out;
  }
};

std::vector<Expr> strides_of(const BufferTypeNode* type) {
  if (!type->strides.empty()) return {type->strides.begin(), type->strides.end()};
  std::vector<Expr> strides(type->shape.size());
  Expr stride = type->shape.empty() ? Expr(int32(1)) : const_like(type->shape[0], 1);
  for (size_t d = type->shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride = stride * type->shape[d];
  }
  return strides;
}

struct LowerMatch final : Substituter {  // of extents, strides and offsets that views bind
  std::unordered_map<const VarNode*, View> views;
  // What parameters name is no view's to bind.
  explicit LowerMatch(const PrimFunc& fn) {
    auto known = [&](const Expr& e) {
      if (auto* var = e ? as<VarNode>(e) : nullptr) values.emplace(var, e);
    };
    for (const Var& param : fn->params) {
      known(param);
      const BufferTypeNode* type = param->buffer();
      if (!type) continue;
      for (const Expr& dim : type->shape) known(dim);
      for (const Expr& stride : type->strides) known(stride);
      known(type->elem_offset);
    }
  }
  using Substituter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      auto view = views.find(load->source.get());
      if (view != views.end()) {
        return make<TensorLoadNode>(view->second.source, view->second.indices(rewrite(load->indices)),
                                    e->span);
      }
    } else if (auto* region = as<TensorRegionNode>(e)) {
      auto view = views.find(region->source.get());
      if (view != views.end()) {
        Array<Range> ranges;
        for (size_t d = 0; d < view->second.region.size(); ++d) {
          const Range& outer = view->second.region[d];
          if (d < view->second.dropped) {
            ranges.push_back(outer);
            continue;
          }
          Range inner = Rewriter::rewrite(region->region[d - view->second.dropped]);
          ranges.push_back(make<RangeNode>(add(outer->min, inner->min), inner->extent));
        }
        return make<TensorRegionNode>(view->second.source, ranges, e->span);
      }
    } else if (auto* masked_load = as_call_to(e, "tirx.masked_load")) {
      return masked(*masked_load, 1);
    } else if (auto* masked_store = as_call_to(e, "tirx.masked_store")) {
      return masked(*masked_store, 2);
    } else if (auto* var = as<VarNode>(e)) {
      auto view = views.find(var);
      if (view != views.end()) return view->second.source;  // the same data pointer
    }
    return Substituter::rewrite(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) {
      auto view = views.find(store->buffer.get());
      if (view != views.end()) {
        return make<BufferStoreNode>(view->second.source, rewrite(store->value),
                                     view->second.indices(rewrite(store->indices)), s->span);
      }
    }
    auto* block = as<SBlockNode>(s);
    if (!block || block->match_buffers.empty()) return rewrite_children(s);
    for (const MatchBufferRegion& match : block->match_buffers) add_view(match);
    Stmt rest = with(ref(block), [](SBlockNode& n) { n.match_buffers = {}; });
    return rewrite_children(rest);
  }

 private:
  // An access of some lanes: the buffer, what stands before the indices, these, and the mask.
  Expr masked(const CallNode& call, size_t first) {
    Expr made = rewrite_children(ref(&call));
    auto* buffer = as<VarNode>(call.args[0]);
    auto view = buffer ? views.find(buffer) : views.end();
    if (view == views.end()) return made;
    size_t dims = view->second.region.size() - view->second.dropped;
    if (call.args.size() != first + dims + 1) {
      throw refuse(pass_refusals["wrong-number-of-indices"], buffer->name.c_str(), dims,
                   std::max(call.args.size(), first + 1) - first - 1)
          .at(call.span);
    }
    const Array<Expr>& args = as<CallNode>(made)->args;
    Array<Expr> all{view->second.source}, of_view(args.begin() + static_cast<int64_t>(first), args.end() - 1);
    all.insert(all.end(), args.begin() + 1, args.begin() + static_cast<int64_t>(first));
    Array<Expr> indices = view->second.indices(of_view);
    all.insert(all.end(), indices.begin(), indices.end());
    all.push_back(args.back());
    return with(ref(&call), [&](CallNode& n) { n.args = all; });
  }
  void add_view(const MatchBufferRegion& match) {
    // The source may be a view of an outer block itself.
    TensorRegion source = rewrite_region(match->source);
    const BufferTypeNode* type = match->buffer->buffer();
    const BufferTypeNode* whole = source->source->buffer();
    size_t dropped = source->region.size() - type->shape.size();
    std::vector<Expr> strides = strides_of(whole);
    for (size_t d = 0; d < type->shape.size(); ++d)
      bind(match, "extent", type->shape[d], source->region[d + dropped]->extent);
    for (size_t d = 0; d < type->strides.size(); ++d)
      bind(match, "stride", type->strides[d], strides[d + dropped]);
    if (type->elem_offset) {
      Expr offset = analyzer.simplify(offset_of(source->region, whole));
      bind(match, "offset", type->elem_offset, offset);
      if (!offset_is_multiple(offset, type->offset_factor)) {
        throw refuse(refusals["match-buffer-mismatch"], match->buffer->name.c_str(), type->offset_factor,
                     source->source->name.c_str())
            .at(match->source->span);
      }
    }
    views[match->buffer.get()] = {source->source, source->region, dropped};
  }
  // Of the first element of the region.
  static Expr offset_of(const Array<Range>& region, const BufferTypeNode* whole) {
    Expr offset = nullptr;
    for (size_t d = 0; d < region.size(); ++d) {
      const Expr& begin = region[d]->min;
      if (whole->strides.empty()) {
        offset = offset ? add(mul(offset, whole->shape[d]), begin) : begin;
      } else {
        Expr part = mul(begin, whole->strides[d]);
        offset = offset ? add(offset, part) : part;
      }
    }
    const Expr& first = whole->elem_offset;
    if (!offset) return first ? first : Expr(int32(0));
    return first && !is_const_int(first, 0) ? add(offset, first) : offset;
  }
  bool offset_is_multiple(const Expr& offset, int64_t factor) {
    if (factor <= 1) return true;
    ModularSet known = analyzer.modular_set(offset);
    return known.coeff % factor == 0 && known.base % factor == 0;
  }
  // What the view names takes its value from the source; what it fixes, or has named before, must agree.
  void bind(const MatchBufferRegion& match, const char* what, const Expr& pattern, const Expr& value) {
    auto* var = as<VarNode>(pattern);
    if (!var) return agree(match, what, pattern, value);
    auto [place, fresh] = values.emplace(var, cast(var->dtype(), value));
    if (!fresh) agree(match, what, place->second, value);
  }
  void agree(const MatchBufferRegion& match, const char* what, const Expr& wanted, const Expr& value) {
    if (analyzer.can_prove_equal(wanted, value)) return;
    throw refuse_as(refusals["match-buffer-mismatch"], "`{}` has {} {}, the region of `{}` has {}",
                    match->buffer->name.c_str(), what, expr_text(wanted), match->source->source->name.c_str(),
                    expr_text(value))
        .at(match->source->span);
  }
  Analyzer analyzer;
};

}  // namespace

extern const Pass lower_match_buffer{"LowerMatchBuffer", "s_tir.transform", "LowerMatchBuffer()", doc,
                                     rewritten_by<LowerMatch>};

}  // namespace mlc::transform::pass_lower_match_buffer
