// SPDX-License-Identifier: Apache-2.0
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(NarrowDataType(target_bits): index arithmetic takes target_bits where the values fit.

    for i in T.serial(T.int64(16)):     =>      for i in range(16):
        A[i * T.int64(4)] = 0                       A[i * 4] = 0
needs: target_bits 8, 16, 32 or 64.
keeps: every value. A variable is narrowed when all index expressions that use it fit, from bounds of loops;
parameters keep their types.
Before vectorization: narrow indices make better vector code.)";

// Decides which variables and expressions fit. An index expression is one tree: all of it or nothing.
struct Fit final : Walker {
  Analyzer analyzer;
  int bits;
  int64_t limit;
  std::unordered_set<const VarNode*> candidates;  // wide loop variables and names
  std::vector<Expr> trees;                        // wide index expressions
  std::vector<std::pair<Var, Expr>> definitions;  // a candidate and what it starts from or is

  explicit Fit(int bits) : bits(bits), limit((int64_t{1} << (bits - 1)) - 1) {}

  bool is_wide(const Expr& e) const {
    DataType type = e->dtype();
    return type.is_int() && type.is_scalar() && type.bits() > bits;
  }

  bool in_range(const Expr& e) {
    ConstIntBound bound = analyzer.const_int_bound(e);
    return bound.min >= -limit - 1 && bound.max <= limit;
  }
  // Everything below `e` that is wide stays in range and starts from narrow things.
  bool fits(const Expr& e) {
    if (!is_wide(e)) return !as_binary(e) || (fits(as_binary(e)->a) && fits(as_binary(e)->b));
    if (!in_range(e)) return false;
    if (auto* var = as<VarNode>(e)) return candidates.contains(var);
    if (e->kind == ExprKind::kIntImm) return true;
    if (auto* cast = as<CastNode>(e))
      return cast->value->dtype().is_int() && cast->value->dtype().bits() <= bits;
    if (auto* select = as<SelectNode>(e)) return fits(select->true_value) && fits(select->false_value);
    auto* op = as_binary(e);
    return op && fits(op->a) && fits(op->b);
  }

  void define(const Var& var, const Expr& e) {
    trees.push_back(e);
    definitions.emplace_back(var, e);
  }
  void index(const Expr& e) {
    if (is_wide(e)) {
      trees.push_back(e);
    } else if (auto* op = as_binary(e)) {
      if (is_wide(op->a)) trees.push_back(e);
    }
  }
  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      if (is_wide(loop->loop_var)) {
        candidates.insert(loop->loop_var.get());
        for (const Expr& e : {loop->min, loop->extent, Expr(loop->loop_var)}) define(loop->loop_var, e);
      }
      analyzer.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
    } else if (auto* bind = as<BindNode>(s); bind && is_wide(bind->var)) {
      candidates.insert(bind->var.get());
      define(bind->var, bind->value);
      analyzer.bind(bind->var, analyzer.const_int_bound(bind->value));
    } else if (auto* store = as<BufferStoreNode>(s)) {
      for (const Expr& e : store->indices) index(e);
    } else if (auto* branch = as<IfThenElseNode>(s)) {
      conditions(branch->condition);
    }
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      for (const Expr& i : load->indices) index(i);
    } else if (auto* call = as_call_to(e, "tirx.if_then_else")) {
      conditions(call->args[0]);
    } else if (auto* select = as<SelectNode>(e)) {
      conditions(select->condition);
    }
    walk_children(e);
  }
  void conditions(const Expr& e) {
    auto* op = as_binary(e);
    if (op && (op->kind == ExprKind::kAnd || op->kind == ExprKind::kOr)) {
      conditions(op->a);
      conditions(op->b);
    } else if (auto* call = as_call_to(e, "tirx.likely")) {
      conditions(call->args[0]);
    } else {
      index(e);
    }
  }

  // Variables of a tree that does not fit cannot be narrowed, which may spoil other trees.
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Expr& tree : trees) {
        if (fits(tree)) continue;
        for (const Var& var : free_vars(tree)) changed |= candidates.erase(var.get()) > 0;
      }
      for (const auto& [var, from] : definitions) {
        if (!fits(from)) changed |= candidates.erase(var.get()) > 0;
      }
    }
  }
};

struct Narrow final : Rewriter {
  Fit& fit;
  DataType narrow;
  std::unordered_map<const VarNode*, Var> vars;

  Narrow(Fit& fit, int bits) : fit(fit), narrow(DataType::Int(bits)) {}

  Var narrowed(const Var& var) {
    Var& next = vars[var.get()];
    if (!next) next = make_var(var->name, narrow, var->span);
    return next;
  }
  // The value of a fitting tree in narrow arithmetic.
  Expr shrink(const Expr& e) {
    if (auto* op = as_binary(e); op && fit.is_wide(op->a))
      return binary(op->kind, shrink(op->a), shrink(op->b), e->span);
    if (!fit.is_wide(e)) return rewrite(e);
    if (auto* var = as<VarNode>(e)) return narrowed(ref(var));
    if (auto value = const_int(e)) return int_imm(narrow, *value);
    if (auto* cast = as<CastNode>(e)) return ir::cast(narrow, rewrite(cast->value));
    auto* select = as<SelectNode>(e);
    return make<SelectNode>(rewrite(select->condition), shrink(select->true_value),
                            shrink(select->false_value), e->span);
  }
  using Rewriter::rewrite;
  bool is_index_tree(const Expr& e) {
    bool comparison = as_binary(e) && fit.is_wide(as_binary(e)->a) && !fit.is_wide(e);
    return (fit.is_wide(e) || comparison) && fit.fits(e);
  }
  Expr index(const Expr& e) { return is_index_tree(e) ? shrink(e) : rewrite(e); }
  Array<Expr> index(const Array<Expr>& all) {
    Array<Expr> out;
    bool changed = false;
    for (const Expr& e : all) {
      out.push_back(index(e));
      changed |= !out.back().same_as(e);
    }
    return changed ? out : all;
  }
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) {
      // Outside of index arithmetic the value is wanted in its old type.
      return fit.candidates.contains(var) ? cast(e->dtype(), narrowed(ref(var))) : e;
    }
    if (auto* widened = as<CastNode>(e); widened && fit.is_wide(widened->value) && fit.fits(widened->value))
      return make<CastNode>(e->dtype(), shrink(widened->value), e->span);
    if (auto* load = as<TensorLoadNode>(e)) {
      Array<Expr> indices = index(load->indices);
      return indices.same_as(load->indices) ? e : Expr(make<TensorLoadNode>(load->source, indices, e->span));
    }
    auto* op = as_binary(e);
    if (op && !fit.is_wide(e) && fit.is_wide(op->a) && fit.fits(e)) return shrink(e);
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s); loop && fit.candidates.contains(loop->loop_var.get())) {
      return with(ref(loop), [&](ForNode& n) {
        n.loop_var = narrowed(loop->loop_var);
        n.min = index(loop->min);
        n.extent = index(loop->extent);
        n.body = rewrite(loop->body);
      });
    }
    if (auto* bind = as<BindNode>(s); bind && fit.candidates.contains(bind->var.get())) {
      return make<BindNode>(narrowed(bind->var), index(bind->value), s->span);
    }
    if (auto* store = as<BufferStoreNode>(s)) {
      Expr value = rewrite(store->value);
      Array<Expr> indices = index(store->indices);
      if (value.same_as(store->value) && indices.same_as(store->indices)) return s;
      return make<BufferStoreNode>(store->buffer, value, indices, s->span);
    }
    return rewrite_children(s);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  int64_t bits = options.integer(0);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    throw Error("narrow-bits", "indices are narrowed to 8, 16, 32 or 64 bits, not {}", bits);
  }
  if (bits == 64) return fn;
  Fit fit(static_cast<int>(bits));
  fit.visit(fn->body);
  fit.settle();
  return with_body(fn, Narrow(fit, static_cast<int>(bits)).rewrite(fn->body));
}

}  // namespace

extern const Pass narrow_data_type{"NarrowDataType", "tirx.transform", "NarrowDataType(target_bits)", doc,
                                   apply};

}  // namespace mlc::transform
