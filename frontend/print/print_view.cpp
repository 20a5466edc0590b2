// SPDX-License-Identifier: Apache-2.0
// Views of buffers as methods of what they look at.
#include "frontend/print/printer.h"
#include "ir/tir/layout_algebra.h"
#include "ir/tir/linear.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

int64_t size(const Array<Expr>& all) { return static_cast<int64_t>(all.size()); }

bool same_place(const BufferTypeNode* a, const BufferTypeNode* b) {
  return a->storage_scope == b->storage_scope && a->data_alignment == b->data_alignment &&
         a->offset_factor == b->offset_factor && structural_equal(a->strides, b->strides) &&
         structural_equal(a->elem_offset, b->elem_offset) && a->allocated_addr.empty() &&
         b->allocated_addr.empty();
}

// The same rows of as many bits.
bool same_bits(const BufferTypeNode* a, const BufferTypeNode* b) {
  if (a->shape.empty() || a->shape.size() != b->shape.size()) return false;
  for (int64_t i = 0; i + 1 < size(a->shape); ++i) {
    if (!structural_equal(a->shape[i], b->shape[i])) return false;
  }
  auto bits = [](const BufferTypeNode* type) {
    return static_cast<int64_t>(DataType(type->dtype).bits()) * DataType(type->dtype).lanes();
  };
  LinearForm difference = LinearForm::of(a->shape.back());
  difference.scale(bits(a));
  difference.add(LinearForm::of(b->shape.back()), -bits(b));
  return difference.is_constant() && difference.constant == 0;
}

bool has_threads(const TileLayoutNode* layout) {
  for (const Iter& iter : layout->shard) {
    if (is_thread_axis(iter->axis)) return true;
  }
  return false;
}

// The order in which the dimensions of `source` make those of `view`, by their extents; empty if they do not.
std::vector<int64_t> order_of(const BufferTypeNode* view, const BufferTypeNode* source) {
  auto* from = source->layout.as<TileLayoutNode>();
  auto* to = view->layout.as<TileLayoutNode>();
  if (!from || !to || view->shape.size() != source->shape.size() ||
      from->shard.size() != source->shape.size() || to->shard.size() != view->shape.size()) {
    return {};
  }
  std::vector<int64_t> order;
  std::vector<bool> used(source->shape.size());
  for (const Expr& dim : view->shape) {
    size_t at = 0;
    while (at < used.size() && (used[at] || !structural_equal(dim, source->shape[static_cast<int64_t>(at)])))
      ++at;
    if (at == used.size()) return {};
    used[at] = true;
    order.push_back(static_cast<int64_t>(at));
  }
  return structural_equal(permute_iters(ref(from), order), ref(to)) ? order : std::vector<int64_t>();
}

}  // namespace

bool Printer::view_of(const VarNode* source_var, const BufferTypeNode* view) {
  const BufferTypeNode* source = source_var->buffer();
  if (!same_place(view, source) || view->shape.empty()) return false;
  // The name of a scalar alone is its value, which has no views.
  std::string_view memory = scalars_.contains(source_var) ? ".source" : "";
  auto method = [&](std::string_view name) { put(name_of(source_var), memory, ".", name, "("); };
  if (!(DataType(view->dtype) == DataType(source->dtype))) {
    if (!same_bits(view, source)) return false;
    method("view");
    dtype_literal(view->dtype);
    put(")");
    return true;
  }
  auto* from = source->layout.as<TileLayoutNode>();
  auto* to = view->layout.as<TileLayoutNode>();
  if (from && to && has_threads(from) && !has_threads(to)) {
    Layout storage = storage_of(ref(from));
    bool plain = is_default_layout(view->layout, view->shape) &&
                 constant_difference(product(view->shape), span_of(storage)) == 0;
    Expr implied = plain ? span_of(storage) : size_of(storage);
    bool says_shape = view->shape.size() != 1 || constant_difference(view->shape[0], implied) != 0;
    method("local");
    if (says_shape) exprs("shape", view->shape);
    if (!plain) {
      put(says_shape ? ", layout=" : "layout=");
      layout(view->layout);
    }
    put(")");
    return true;
  }
  if (structural_equal(view->shape, source->shape)) return false;
  if (std::vector<int64_t> order = order_of(view, source); !order.empty()) {
    method("permute");
    list(order, [&](int64_t dim, int64_t) { put(std::to_string(dim)); });
    put(")");
    return true;
  }
  if (source->layout.defined() && !view->layout.defined()) return false;
  bool same =
      (!source->layout.defined() && !view->layout.defined()) ||
      (source->layout.defined() && structural_equal(view->layout, source->layout)) ||
      (is_default_layout(view->layout, view->shape) && is_default_layout(source->layout, source->shape));
  method("view");
  exprs("shape", view->shape);
  if (!same) {
    put(", layout=");
    layout(view->layout);
  }
  put(")");
  return true;
}

}  // namespace mlc::print
