// SPDX-License-Identifier: Apache-2.0
// Layouts become index arithmetic: buffers of one dimension, or of those that a device's memories have.
#pragma once

#include "ir/tir/layout_algebra.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_roots.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

class LayoutLowering : public Rewriter {
 public:
  // The function on buffers without layouts. Parameters keep their shapes; views of them are declared in
  // front.
  PrimFunc lowered(const PrimFunc& fn);

  using Rewriter::rewrite;
  Buffer rewrite_buffer(const Buffer& buffer) override;
  Expr rewrite(const Expr& e) override;
  Stmt rewrite(const Stmt& s) override;

 protected:
  explicit LayoutLowering(std::string_view pass) : pass_(pass) {}

  // Needs the parameter no view?
  virtual bool is_memory(const Buffer& param) const;
  // The buffer that an allocation, a view or a parameter becomes.
  virtual Buffer flat_form(const Buffer& buffer, bool is_allocated);
  // The indices in it.
  virtual Array<Expr> place(const Buffer& buffer, const Array<Expr>& indices);

  Buffer flatten(const Buffer& buffer, bool is_allocated = false);
  // What each iterator of `tile` counts for an element: dimension by dimension where the layout divides along
  // the shape (the tile then does), else by the number of the element.
  Array<Expr> counted(TileLayout& tile, const Array<Expr>& indices, const Array<Expr>& shape, bool is_sum);
  Layout layout_of(const Buffer& buffer) const;  // null for plain row-major memory
  Error not_lowered(const std::string& what, Span span) const;
  // By axis, simplified. `tile` is the layout's, as counted() left it.
  std::vector<std::pair<String, Expr>> coordinates(const Layout& layout, const Array<Expr>& indices,
                                                   const Array<Expr>& shape);

  Analyzer analyzer;

 private:
  std::string_view pass_;
  std::unordered_map<const VarNode*, Buffer> params_;  // each under its shape, without its layout
  std::unordered_map<const VarNode*, Buffer> flat_;
  BufferRoots roots_;

  Expr size(const Buffer& buffer, bool is_allocated) const;
};

// Do threads have parts of it?
bool spreads_over_threads(const TileLayoutNode& layout);

}  // namespace mlc::transform
