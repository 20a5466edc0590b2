// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/layout_lowering.h"

#include "ir/core/refusal.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "element-of-another-thread",
                                            .kind = "InternalError",
                                            .message = "an element of `{}` may be another thread's",
                                            .help = "access the thread's own elements: `.local()`"},
                                       }};
MLC_REFUSALS(pass_layout_lowering, refusals);

namespace {

std::string_view name_of(const Buffer& buffer) { return text(buffer->name); }

// Has a thread no dimension of its own? Like a buffer without dimensions it is flattened to two.
bool is_point_of(const Layout& layout, const Buffer& buffer) {
  if (!layout || text(buffer->buffer()->storage_scope) == "tmem") return false;
  TileLayout tile = tile_of(layout);
  auto memory = [](const Iter& iter) { return !is_thread_axis(iter->axis); };
  return tile->offset.empty() && std::none_of(tile->shard.begin(), tile->shard.end(), memory);
}

}  // namespace

bool spreads_over_threads(const TileLayoutNode& layout) {
  auto thread = [](const Iter& iter) { return is_thread_axis(iter->axis); };
  return std::any_of(layout.shard.begin(), layout.shard.end(), thread);
}

Error LayoutLowering::not_lowered(const std::string& what, Span span) const {
  return refuse(pass_refusals["pass-not-available"], pass_, what).at(span);
}

// The layout; null for plain row-major memory.
Layout LayoutLowering::layout_of(const Buffer& buffer) const {
  const BufferTypeNode* type = buffer->buffer();
  if (!type->layout.defined() || is_default_layout(type->layout, type->shape)) return nullptr;
  if (auto* tile = type->layout.as<TileLayoutNode>()) {
    bool rows = !spreads_over_threads(*tile) && is_trivial(canonicalize(Layout(ref(tile))));
    return rows ? Layout(nullptr) : Layout(ref(tile));
  }
  auto* compose = type->layout.as<ComposeLayoutNode>();
  if (!compose) throw not_lowered(fmt::format("the layout of `{}`", name_of(buffer)), {});
  return Layout(ref(compose));
}

bool LayoutLowering::is_memory(const Buffer& param) const {
  const BufferTypeNode* type = param->buffer();
  return !type->layout.defined() && type->shape.size() == 1 && type->strides.empty();
}

Buffer LayoutLowering::flat_form(const Buffer& buffer, bool is_allocated) {
  const BufferTypeNode* type = buffer->buffer();
  if (!type->strides.empty()) throw not_lowered(fmt::format("strides, which `{}` has", name_of(buffer)), {});
  Array<Expr> shape{analyzer.simplify(size(buffer, is_allocated))};
  if (type->shape.empty() || is_point_of(layout_of(buffer), buffer)) shape = {int32(1), int32(1)};
  return with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) {
                     n.shape = shape;
                     n.layout = {};
                   }));
}

Buffer LayoutLowering::flatten(const Buffer& buffer, bool is_allocated) {
  if (auto found = flat_.find(buffer.get()); found != flat_.end()) return found->second;
  return flat_[buffer.get()] = flat_form(buffer, is_allocated);
}

Buffer LayoutLowering::rewrite_buffer(const Buffer& buffer) {
  auto param = params_.find(buffer.get());
  return param != params_.end() ? param->second : flatten(buffer);
}

Expr LayoutLowering::rewrite(const Expr& e) {
  if (auto* load = as<TensorLoadNode>(e)) {
    Array<Expr> indices = rewrite(load->indices);
    return make<TensorLoadNode>(flatten(load->source), place(load->source, indices), e->span);
  }
  // A view's memory is that of the buffer below.
  if (auto* data = as_call_to(e, "tirx.buffer_data")) {
    if (auto* var = as<VarNode>(data->args[0]); var && var->buffer())
      return data_of(flatten(ref(roots_(var))));
  }
  if (auto* var = as<VarNode>(e); var && var->buffer()) return rewrite_buffer(ref(var));
  return rewrite_children(e);
}

Stmt LayoutLowering::rewrite(const Stmt& s) {
  if (auto* store = as<BufferStoreNode>(s)) {
    Expr value = rewrite(store->value);
    Array<Expr> indices = rewrite(store->indices);
    return make<BufferStoreNode>(flatten(store->buffer), value, place(store->buffer, indices), s->span);
  }
  if (auto* alloc = as<AllocBufferNode>(s))
    return with(ref(alloc), [&](AllocBufferNode& n) { n.buffer = flatten(alloc->buffer, true); });
  if (auto* decl = as<DeclBufferNode>(s)) {
    roots_.declare(*decl);
    return make<DeclBufferNode>(flatten(decl->buffer), decl->data ? rewrite(decl->data) : decl->data,
                                s->span);
  }
  if (auto* loop = as<ForNode>(s)) analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
  if (IterVar thread = launched_thread(s)) {
    const Expr& extent = as<AttrStmtNode>(s)->value;
    analyzer.bind(thread->var, make<RangeNode>(const_like(extent, 0), extent));
  }
  // Names of pure values are looked through in indices.
  if (auto* bind = as<BindNode>(s)) {
    Stmt next = rewrite_children(s);
    const Expr& value = as<BindNode>(next)->value;
    if (bind->var->dtype().is_int() && bind->var->dtype().is_scalar() && side_effect(value) <= Effect::kPure)
      analyzer.bind(bind->var, value);
    return next;
  }
  if (s->kind == StmtKind::kTilePrimitiveCall) throw not_lowered("tile primitives", s->span);
  return rewrite_children(s);
}

// What is spread over threads is as long as one thread's part; all else has the size of its shape. Memory
// that is allocated is as long as its layout reaches: TVM forgets the gaps, and writes past the end.
Expr LayoutLowering::size(const Buffer& buffer, bool is_allocated) const {
  const BufferTypeNode* type = buffer->buffer();
  Layout layout = layout_of(buffer);
  Expr elements = type->shape.empty() ? int32(1) : product(type->shape);
  if (!layout || text(type->storage_scope) == "tmem") return elements;
  Expr span = span_of(layout, memory_axis()->name);
  if (spreads_over_threads(*tile_of(layout).get())) return span;
  auto reach = const_int(span), count = const_int(elements);
  bool gaps = is_allocated && (!reach || !count || *reach > *count);
  return gaps ? span : elements;
}

Array<Expr> LayoutLowering::counted(TileLayout& tile, const Array<Expr>& indices, const Array<Expr>& shape,
                                    bool is_sum) {
  // Of a sum the parts are simplified together.
  auto simplified = [&](const Expr& part) { return is_sum ? part : analyzer.simplify(part); };
  std::optional<Grouped> grouped;
  try {
    grouped = group(tile, shape);
  } catch (const Error&) {
    return split_coordinate(tile, linear_coordinate(indices, shape)).Map(simplified);
  }
  tile = grouped->layout;
  std::vector<Expr> parts(tile->shard.size());
  for (size_t d = 0; d < indices.size(); ++d) {
    Expr rest = indices[static_cast<int64_t>(d)];
    for (int64_t i = grouped->separators[d + 1]; i-- > grouped->separators[d];) {
      bool first = i == grouped->separators[d];
      const Expr& extent = tile->shard[i]->extent;
      parts[static_cast<size_t>(i)] = simplified(first ? rest : floormod(rest, extent));
      if (!first) rest = floordiv(rest, extent);
    }
  }
  return Array<Expr>(parts.begin(), parts.end());
}

std::vector<std::pair<String, Expr>> LayoutLowering::coordinates(const Layout& layout,
                                                                 const Array<Expr>& indices,
                                                                 const Array<Expr>& shape) {
  TileLayout tile = tile_of(layout);
  Array<Expr> parts = counted(tile, indices, shape, !layout.as<ComposeLayoutNode>());
  auto simplify = [&](const Expr& e) { return analyzer.simplify(e); };
  auto found = apply(with_tile(layout, tile), parts, simplify);
  for (auto& [axis, coordinate] : found) coordinate = analyzer.simplify(coordinate);
  return found;
}

Array<Expr> LayoutLowering::place(const Buffer& buffer, const Array<Expr>& indices) {
  const BufferTypeNode* type = buffer->buffer();
  if (indices.size() != type->shape.size()) {
    throw refuse(pass_refusals["wrong-number-of-indices"], name_of(buffer), type->shape.size(),
                 indices.size());
  }
  Layout layout = layout_of(buffer);
  if (indices.empty() || is_point_of(layout, buffer)) return {int32(0), int32(0)};
  if (layout) {
    if (spreads_over_threads(*tile_of(layout).get()))
      throw refuse(refusals["element-of-another-thread"], name_of(buffer));
    for (const auto& [axis, coordinate] : coordinates(layout, indices, type->shape)) {
      if (text(axis) == "m") return {coordinate};
    }
    return {int32(0)};
  }
  Expr index = nullptr;
  for (size_t d = 0; d < indices.size(); ++d)
    index = index ? add(mul(index, type->shape[d]), indices[d]) : indices[d];
  return {analyzer.simplify(index)};
}

PrimFunc LayoutLowering::lowered(const PrimFunc& fn) {
  Array<Var> params;
  Array<Stmt> stmts;
  std::vector<std::pair<Buffer, Buffer>> views;
  for (const Var& param : fn->params) {
    if (!param->buffer()) {
      params.push_back(param);
    } else if (is_memory(param)) {
      flat_[param.get()] = param;
      params.push_back(param);
    } else {
      Buffer plain = with_type(param, with(type_of(param), [](BufferTypeNode& n) { n.layout = {}; }));
      views.emplace_back(flatten(param), plain);
      params_[param.get()] = plain;
      params.push_back(plain);
    }
  }
  // The last parameter first, as TVM has them.
  for (size_t i = views.size(); i-- > 0;)
    stmts.push_back(make<DeclBufferNode>(views[i].first, data_of(views[i].second)));
  Stmt body = rewrite(fn->body);
  if (!stmts.empty()) {
    stmts.push_back(body);
    body = seq(stmts);
  }
  return with_params(fn, params, body);
}

}  // namespace mlc::transform
