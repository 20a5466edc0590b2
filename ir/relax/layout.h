// SPDX-License-Identifier: Apache-2.0
// Layouts of tensors as strings: "NCHW" names the order of the axes, "NCHW4c" splits C by 4 and puts the
// inner part last. Rules of inference compute in one order of axes, the canonical one, and convert shapes to
// and fro.
#pragma once

#include "ir/relax/infer.h"

namespace mlc::relax {

struct Layout {
  // An axis as a whole or its outer part (upper case, factor 0), or an inner part (lower case).
  struct Axis {
    char name;
    int64_t factor;
    bool is_inner() const { return factor > 0; }
    char outer() const { return is_inner() ? static_cast<char>(name - 'a' + 'A') : name; }
    bool operator==(const Axis&) const = default;
  };
  std::vector<Axis> axes;
  bool operator==(const Layout&) const = default;

  // Letters of which each occurs once, inner parts with their factors; nullopt for other text.
  static std::optional<Layout> parse(std::string_view text);
  std::string text() const;
  int64_t ndim() const { return static_cast<int64_t>(axes.size()); }
  bool has(char outer) const;
  int64_t inner_factor(char outer) const;  // the product of its inner parts; 0 without any
  bool is_split() const;                   // has an axis inner parts?
  // The same axes, however split and ordered.
  bool converts_to(const Layout& other) const;
};

// Dimensions in layout `from` as dimensions in layout `to`, simplified. The layouts convert to each other.
Array<Expr> convert_dims(const Array<Expr>& dims, const Layout& from, const Layout& to,
                         const InferContext& context);

// The layout that an attribute of a call names and the canonical order of its axes.
struct LayoutAttr {
  Layout layout;
  Layout canonical;
  int64_t ndim() const { return layout.ndim(); }
  Array<Expr> from_canonical(const Array<Expr>& dims, const InferContext& context) const {
    return convert_dims(dims, canonical, layout, context);
  }
};
// Error not-a-layout, layout-of-other-axes.
LayoutAttr layout_attr(const CallNode* call, std::string_view attr, std::string_view canonical);
// The dimensions of operand i, of that type, in canonical order; nullopt where they are not known.
// Error layout-rank, layout-factor.
std::optional<Array<Expr>> canonical_dims(const CallNode* call, size_t i, const TensorTypeNode* type,
                                          const LayoutAttr& layout, const InferContext& context);

}  // namespace mlc::relax
