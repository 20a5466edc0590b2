// SPDX-License-Identifier: Apache-2.0
#include "ir/core/visit.h"

#include "ir/core/interrupt.h"
#include "ir/core/node.h"

namespace mlc::ir {
namespace {

// Children of a node in field order; `self` is the Walker.
struct WalkField {
  Walker& self;
  bool binder = false;

  void operator()(const Expr& e) const {
    if (e) self.visit(e);
  }
  void operator()(const Var& v) const {
    if (!v) return;
    binder ? self.visit_def(v) : self.visit_buffer(v);
  }
  void operator()(const Stmt& s) const {
    if (s) self.visit(s);
  }
  void operator()(const SBlock& s) const { self.visit(Stmt(s)); }
  void operator()(const TensorRegion& r) const { self.visit(Expr(r)); }
  void operator()(const Range& r) const {
    if (!r) return;
    self.visit(r->min);
    self.visit(r->extent);
  }
  void operator()(const IterVar& v) const {
    if (!v) return;
    (*this)(v->dom);
    self.visit_def(v->var);
  }
  void operator()(const MatchBufferRegion& m) const {
    self.visit(Expr(m->source));
    self.visit_def(m->buffer);
  }
  void operator()(const CommReducer&) const {}  // closed: binds all it uses
  void operator()(const Op&) const {}
  void operator()(const ScopeIdDef& def) const {
    (*this)(def->extents);
    (*this)(def->preferred_extents);
    for (const Var& id : def->def_ids) self.visit_def(id);
  }
  template <class T>
  void operator()(const Array<T>& all) const {
    for (const T& one : all) (*this)(one);
  }
  void operator()(const Any& value) const {
    if (auto e = value.as<Expr>()) (*this)(*e);
    if (auto v = value.as<IterVar>()) (*this)(*v);
    if (auto* lambda = value.as<LambdaExprNode>()) {
      for (const Var& var : lambda->vars) self.visit_def(var);
      (*this)(lambda->pred);
    }
  }
  template <class T>
  void operator()(const T&) const {}  // attributes: not part of the tree
};

// Settings of a tile primitive are operands: barriers, masks, buffers.
void walk_values(const Map<String, Any>& values, Walker& walker) {
  for (const auto& [key, value] : values) WalkField{walker}(value);
}

template <class N>
void walk_fields(const N* node, Walker& walker) {
  each_field<N>([&](const char*, auto member, Role role) {
    using Owner = std::remove_cvref_t<decltype(*node)>;
    if constexpr (requires(const Owner* n) { n->*member; }) {
      WalkField{walker, role == Role::kBinder || role == Role::kPattern}(node->*member);
    }
  });
  if constexpr (std::is_same_v<N, TilePrimitiveCallNode>) {
    walk_values(node->workspace, walker);
    walk_values(node->config, walker);
  }
}

// The rewritten value of one field.
struct MapField {
  Rewriter& self;
  bool binder = false;

  Expr operator()(const Expr& e) const { return e ? self.rewrite(e) : e; }
  Var operator()(const Var& v) const {
    return !v ? v : binder ? self.rewrite_def(v) : self.rewrite_buffer(v);
  }
  Stmt operator()(const Stmt& s) const { return s ? self.rewrite(s) : s; }
  SBlock operator()(const SBlock& s) const {
    Stmt next = self.rewrite(Stmt(s));
    MLC_CHECK(as<SBlockNode>(next), "the block of a realize was rewritten to something else");
    return ref(static_cast<const SBlockNode*>(next.get()));
  }
  TensorRegion operator()(const TensorRegion& r) const { return self.rewrite_region(r); }
  Range operator()(const Range& r) const { return r ? self.rewrite(r) : r; }
  IterVar operator()(const IterVar& v) const {
    if (!v) return v;
    Range dom = (*this)(v->dom);
    Var var = self.rewrite_def(v->var);
    if (dom.same_as(v->dom) && var.same_as(v->var)) return v;
    return make<IterVarNode>(dom, var, v->iter_type, v->thread_tag);
  }
  MatchBufferRegion operator()(const MatchBufferRegion& m) const {
    TensorRegion source = self.rewrite_region(m->source);
    Buffer buffer = self.rewrite_def(m->buffer);
    if (source.same_as(m->source) && buffer.same_as(m->buffer)) return m;
    return make<MatchBufferRegionNode>(buffer, source);
  }
  CommReducer operator()(const CommReducer& c) const { return c; }
  Op operator()(const Op& op) const { return op; }
  ScopeIdDef operator()(const ScopeIdDef& def) const {
    Array<Expr> extents = (*this)(def->extents);
    Array<Expr> preferred = (*this)(def->preferred_extents);
    Array<Var> ids = MapField{self, true}(def->def_ids);
    if (extents.same_as(def->extents) && preferred.same_as(def->preferred_extents) &&
        ids.same_as(def->def_ids)) {
      return def;
    }
    return make<ScopeIdDefNode>(ids, extents, static_cast<ScopeBinding>(def->scope), preferred);
  }
  template <class T>
  Array<T> operator()(const Array<T>& all) const {
    for (size_t i = 0; i < all.size(); ++i) {
      T old = all[i];
      T next = (*this)(old);
      if (next.same_as(old)) continue;
      Array<T> changed(all.begin(), all.begin() + i);
      changed.push_back(next);
      for (size_t j = i + 1; j < all.size(); ++j) changed.push_back((*this)(all[j]));
      return changed;
    }
    return all;
  }
  Array<String> operator()(const Array<String>& all) const { return all; }
  Any operator()(const Any& value) const {
    if (auto e = value.as<Expr>()) return (*this)(*e);
    if (auto v = value.as<IterVar>()) return (*this)(*v);
    if (auto* lambda = value.as<LambdaExprNode>()) {
      Array<Var> vars = MapField{self, true}(lambda->vars);
      Expr pred = (*this)(lambda->pred);
      if (vars.same_as(lambda->vars) && pred.same_as(lambda->pred)) return value;
      return make<LambdaExprNode>(vars, pred);
    }
    return value;
  }
  template <class T>
  const T& operator()(const T& value) const {
    return value;
  }
};

template <class T>
bool unchanged(const T& a, const T& b) {
  if constexpr (std::is_base_of_v<ObjectRef, T>) {
    return a.same_as(b);
  } else if constexpr (std::is_same_v<T, Any>) {
    return a.same_as(b);
  } else {
    return true;
  }
}

bool map_values(Map<String, Any>& values, Rewriter& rewriter) {
  Map<String, Any> next = values;
  bool changed = false;
  for (const auto& [key, value] : values) {
    Any mapped = MapField{rewriter}(value);
    if (mapped.same_as(value)) continue;
    next.Set(key, mapped);
    changed = true;
  }
  if (changed) values = next;
  return changed;
}

template <class N>
ffi::ObjectPtr<N> map_fields(const N* node, Rewriter& rewriter) {
  ffi::ObjectPtr<N> copy;
  each_field<N>([&](const char*, auto member, Role role) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(node->*member)>, Type>) {
      auto next = MapField{rewriter, role == Role::kBinder || role == Role::kPattern}(node->*member);
      if (unchanged(next, node->*member)) return;
      if (!copy) copy = ffi::make_object<N>(*node);
      (*copy).*member = std::move(next);
    }
  });
  if constexpr (std::is_same_v<N, TilePrimitiveCallNode>) {
    Map<String, Any> workspace = node->workspace;
    Map<String, Any> config = node->config;
    bool changed = map_values(workspace, rewriter);
    changed = map_values(config, rewriter) || changed;
    if (changed) {
      if (!copy) copy = ffi::make_object<N>(*node);
      copy->workspace = workspace;
      copy->config = config;
    }
  }
  return copy;
}

// A node whose type depends on its operands gets it recomputed: a rewrite may change operand types
// (int32 to int64, scalar to vector).
template <class N>
Expr finish(const N* old, ffi::ObjectPtr<N> copy) {
  if constexpr (std::is_base_of_v<BinaryNode, N>) {
    return make<N>(copy->a, copy->b, copy->span);
  } else if constexpr (std::is_same_v<N, TensorLoadNode>) {
    return make<N>(copy->source, copy->indices, copy->span);
  } else if constexpr (std::is_same_v<N, RampNode>) {
    return make<N>(copy->base, copy->stride, copy->lanes, copy->span);
  } else if constexpr (std::is_same_v<N, BroadcastNode>) {
    return make<N>(copy->value, copy->lanes, copy->span);
  } else if constexpr (std::is_same_v<N, SelectNode>) {
    return make<N>(copy->condition, copy->true_value, copy->false_value, copy->span);
  } else if constexpr (std::is_same_v<N, NotNode> || std::is_same_v<N, BitwiseNotNode>) {
    return make<N>(copy->a, copy->span);
  } else if constexpr (std::is_same_v<N, LetNode>) {
    return make<N>(copy->var, copy->value, copy->body, copy->span);
  } else if constexpr (std::is_same_v<N, ShuffleNode>) {
    return make<N>(copy->vectors, copy->indices, copy->span);
  } else {
    return Ref<N>(std::move(copy));
  }
}

}  // namespace

void Walker::walk_children(const Expr& e) {
  if (is_graph_kind(e->kind)) return;
  dispatch(e, [this](auto* node) { walk_fields(node, *this); });
}
void Walker::walk_children(const Stmt& s) {
  heed_interrupt();  // a function may have thirty thousand statements
  dispatch(s, [this](auto* node) { walk_fields(node, *this); });
}

Expr Rewriter::rewrite_children(const Expr& e) {
  if (is_graph_kind(e->kind)) return e;
  return dispatch(e, [&](auto* node) -> Expr {
    using N = std::remove_cvref_t<decltype(*node)>;
    if constexpr (std::is_same_v<N, VarNode>) {
      return e;
    } else {
      ffi::ObjectPtr<N> copy = map_fields(node, *this);
      return copy ? finish(node, std::move(copy)) : e;
    }
  });
}
Stmt Rewriter::rewrite_children(const Stmt& s) {
  heed_interrupt();
  return dispatch(s, [&](auto* node) -> Stmt {
    using N = std::remove_cvref_t<decltype(*node)>;
    ffi::ObjectPtr<N> copy = map_fields(node, *this);
    if (!copy) return s;
    if constexpr (std::is_same_v<N, SeqStmtNode>) {
      return seq(copy->seq, copy->span);
    } else {
      return Ref<N>(std::move(copy));
    }
  });
}
Range Rewriter::rewrite(const Range& range) {
  Expr min = rewrite(range->min);
  Expr extent = rewrite(range->extent);
  if (min.same_as(range->min) && extent.same_as(range->extent)) return range;
  return make<RangeNode>(min, extent);
}
TensorRegion Rewriter::rewrite_region(const TensorRegion& region) {
  Expr next = rewrite(Expr(region));
  MLC_CHECK(as<TensorRegionNode>(next), "a region was rewritten to something else");
  return ref(static_cast<const TensorRegionNode*>(next.get()));
}
Array<Expr> Rewriter::rewrite(const Array<Expr>& exprs) { return MapField{*this}(exprs); }

namespace {

struct PostOrder final : Walker {
  const std::function<void(const Expr&)>& on_expr;
  const std::function<void(const Stmt&)>& on_stmt;

  PostOrder(const std::function<void(const Expr&)>& on_expr, const std::function<void(const Stmt&)>& on_stmt)
      : on_expr(on_expr), on_stmt(on_stmt) {}
  void visit(const Expr& e) override {
    walk_children(e);
    if (on_expr) on_expr(e);
  }
  void visit(const Stmt& s) override {
    walk_children(s);
    if (on_stmt) on_stmt(s);
  }
};

struct Substitute final : Rewriter {
  const VarMap& values;

  explicit Substitute(const VarMap& values) : values(values) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      auto found = values.find(var);
      return found == values.end() ? e : found->second;
    }
    return rewrite_children(e);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = values.find(buffer.get());
    if (found == values.end()) return buffer;
    auto* var = as<VarNode>(found->second);
    MLC_CHECK(var && var->buffer(), "buffer `{}` is replaced by something that is no buffer",
              buffer->name.c_str());
    return ref(var);
  }
};

struct ReplaceBuffers final : Rewriter {
  const std::unordered_map<const VarNode*, Buffer>& buffers;

  explicit ReplaceBuffers(const std::unordered_map<const VarNode*, Buffer>& buffers) : buffers(buffers) {}
  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return rewrite_buffer(ref(var));
    return rewrite_children(e);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = buffers.find(buffer.get());
    return found == buffers.end() ? buffer : found->second;
  }
  Var rewrite_def(const Var& var) override { return rewrite_buffer(var); }
};

struct UsesVar final : Walker {
  const std::function<bool(const VarNode*)>& predicate;
  bool found = false;

  explicit UsesVar(const std::function<bool(const VarNode*)>& predicate) : predicate(predicate) {}
  void visit(const Expr& e) override {
    if (found) return;
    if (auto* var = as<VarNode>(e)) {
      found = predicate(var);
    } else {
      walk_children(e);
    }
  }
  void visit(const Stmt& s) override {
    if (!found) walk_children(s);
  }
  void visit_buffer(const Buffer& buffer) override { found = found || predicate(buffer.get()); }
};

struct FreeVars final : Walker {
  std::unordered_set<const VarNode*> bound;
  std::unordered_set<const VarNode*> seen;
  std::vector<Var> order;

  void use(const Var& var) {
    if (!bound.contains(var.get()) && seen.insert(var.get()).second) order.push_back(var);
  }
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      use(ref(var));
    } else if (auto* let = as<LetNode>(e)) {  // the field order of Let already is value, var, body
      walk_children(ref(let));
    } else {
      walk_children(e);
    }
  }
  void visit(const Stmt& s) override { walk_children(s); }
  void visit_buffer(const Buffer& buffer) override { use(buffer); }
  void visit_def(const Var& var) override { bound.insert(var.get()); }
};

}  // namespace

void post_order(const Stmt& root, const std::function<void(const Expr&)>& on_expr,
                const std::function<void(const Stmt&)>& on_stmt) {
  PostOrder(on_expr, on_stmt).visit(root);
}
void post_order(const Expr& root, const std::function<void(const Expr&)>& on_expr) {
  std::function<void(const Stmt&)> none;
  PostOrder(on_expr, none).visit(root);
}

Expr substitute(const Expr& e, const VarMap& values) {
  return values.empty() ? e : Substitute(values).rewrite(e);
}
Stmt substitute(const Stmt& s, const VarMap& values) {
  return values.empty() ? s : Substitute(values).rewrite(s);
}
Range substitute(const Range& range, const VarMap& values) {
  return Substitute(values).Rewriter::rewrite(range);
}
TensorRegion substitute(const TensorRegion& region, const VarMap& values) {
  return Substitute(values).rewrite_region(region);
}
Stmt replace_buffers(const Stmt& s, const std::unordered_map<const VarNode*, Buffer>& buffers) {
  return ReplaceBuffers(buffers).rewrite(s);
}

bool uses_var(const Expr& e, const std::function<bool(const VarNode*)>& predicate) {
  UsesVar walker(predicate);
  walker.visit(e);
  return walker.found;
}
bool uses_var(const Stmt& s, const std::function<bool(const VarNode*)>& predicate) {
  UsesVar walker(predicate);
  walker.visit(s);
  return walker.found;
}

std::vector<Var> free_vars(const Expr& e) {
  FreeVars walker;
  walker.visit(e);
  return walker.order;
}
std::vector<Var> free_vars(const PrimFunc& fn) {
  FreeVars walker;
  for (const Var& param : fn->params) {
    walker.bound.insert(param.get());
    if (auto* buffer = param->buffer()) {  // shape variables are defined by the signature
      auto bind = [&](const Expr& e) {
        post_order(e, [&](const Expr& sub) {
          if (auto* var = as<VarNode>(sub)) walker.bound.insert(var);
        });
      };
      for (const Expr& dim : buffer->shape) bind(dim);
      for (const Expr& stride : buffer->strides) bind(stride);
      if (buffer->elem_offset) bind(buffer->elem_offset);
    }
  }
  walker.visit(fn->body);
  return walker.order;
}

}  // namespace mlc::ir
