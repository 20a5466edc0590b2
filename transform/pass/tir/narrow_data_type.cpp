// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/index_rewriter.h"

namespace mlc::transform::pass_narrow_data_type {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "narrow-bits", .message = "indices are narrowed to 2 to 64 bits, not {}"},
    }};
MLC_REFUSALS(tir_narrow_data_type, refusals);

namespace {

constexpr char doc[] =
    R"(NarrowDataType(target_bits): index arithmetic takes target_bits where the values fit.

    for i in T.serial(T.int64(16)):     =>      for i in range(16):
        A[i * T.int64(4)] = 0                       A[i * 4] = 0
needs: target_bits from 2 to 64.
keeps: every value. The variable of a loop, a thread or a block is narrowed when all integers that it is a part of
fit, from bounds of loops; constants and casts beside it are narrowed with it. Parameters keep their types.
Before vectorization: narrow indices make better vector code.)";

// How many bits the current expression may have: the target's where every integer around it, up to the
// statement or the index, fits; 64 otherwise.
class Place {
 public:
  const int target;
  int bits;
  Analyzer analyzer;

  explicit Place(int target) : target(target), bits(target) {}

  // For what is below `e`.
  int below(const Expr& e) {
    if (!e->dtype().is_int()) return bits;
    return std::max(bits, fits(e) ? target : 64);
  }

 private:
  std::unordered_map<const ExprNode*, bool> fits_;

  bool fits(const Expr& e) {
    if (e->dtype().bits() <= target) return true;
    auto [found, is_new] = fits_.try_emplace(e.get(), false);
    if (is_new) {
      ConstIntBound bound = analyzer.const_int_bound(e);
      int64_t limit = (int64_t{1} << (target - 1)) - 1;
      found->second = bound.min >= -limit - 1 && bound.max <= limit;
      // The narrow type has fewer bits to shift by.
      if (e->kind == ExprKind::kLShift || e->kind == ExprKind::kRShift)
        found->second = found->second && analyzer.const_int_bound(as_binary(e)->b).max < target;
    }
    return found->second;
  }
};

// The bits of every variable: the most that one of its uses needs.
struct Widths final : Walker {
  Place& place;
  std::unordered_map<const VarNode*, int> declared;  // variables with a range: the bits of its extent
  std::unordered_map<const VarNode*, int> bits;

  explicit Widths(Place& place) : place(place) {}

  void define(const Var& var, const Expr& min, const Expr& extent) {
    place.analyzer.bind(var, make<RangeNode>(min, extent));
    declared[var.get()] = extent->dtype().bits();
  }
  void type(const Buffer& buffer) {
    const BufferTypeNode* type = buffer->buffer();
    for (const Expr& e : type->shape) visit(e);
    for (const Expr& e : type->strides) visit(e);
    if (type->elem_offset) visit(type->elem_offset);
  }
  void visit(const Expr& e) override {
    int outside = std::exchange(place.bits, place.below(e));
    if (auto* var = as<VarNode>(e)) {
      auto found = declared.find(var);
      if (found != declared.end()) {
        int& most = bits[var];
        most = std::max(most, std::min(found->second, place.bits));
      }
    }
    if (as<TensorLoadNode>(e)) place.bits = place.target;
    walk_children(e);
    place.bits = outside;
  }
  void visit(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) {
      define(loop->loop_var, loop->min, loop->extent);
    } else if (IterVar thread = opened_thread(s)) {
      auto* attr = as<AttrStmtNode>(s);
      define(thread->var, const_like(attr->value, 0), attr->value);
      visit(attr->value);
      visit(attr->body);
      return;
    } else if (auto* block = as<SBlockNode>(s)) {
      for (const IterVar& iter : block->iter_vars) define(iter->var, iter->dom->min, iter->dom->extent);
      for (const Buffer& buffer : block->alloc_buffers) type(buffer);
      for (const MatchBufferRegion& match : block->match_buffers) type(match->buffer);
    } else if (auto* alloc = as<AllocBufferNode>(s)) {
      type(alloc->buffer);
    } else if (auto* decl = as<DeclBufferNode>(s)) {
      type(decl->buffer);
    }
    walk_children(s);
  }
};

class Narrow final : public IndexRewriter {
 public:
  Narrow(Place& place, const Widths& widths) : place_(place), widths_(widths) {}
  using IndexRewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    int outside = std::exchange(place_.bits, place_.below(e));
    Expr result = narrowed(e);
    place_.bits = outside;
    return result;
  }

 protected:
  Buffer map_buffer(const Buffer& buffer) override {
    return at_target([&] { return IndexRewriter::map_buffer(buffer); });
  }
  Array<Expr> rewrite_indices(const Array<Expr>& indices) override {
    return at_target([&] { return index(indices); });
  }
  Var narrowed(const Var& var) override {
    auto found = vars_.find(var.get());
    if (found != vars_.end()) return found->second;
    auto width = widths_.bits.find(var.get());
    if (width == widths_.bits.end() || width->second == var->dtype().bits()) return var;
    return retyped(var, var->dtype().with_bits(width->second));
  }

 private:
  Place& place_;
  const Widths& widths_;

  // At the root of an expression nothing around it needs more.
  template <class F>
  std::invoke_result_t<F> at_target(F rewritten) {
    int outside = std::exchange(place_.bits, place_.target);
    auto result = rewritten();
    place_.bits = outside;
    return result;
  }

  Expr narrowed(const Expr& e) {
    if (auto* var = as<VarNode>(e))
      return var->buffer() ? Expr(rewrite_buffer(ref(var))) : narrowed(ref(var));
    bool narrows = is_index_ && e->dtype().is_int() && e->dtype().bits() > place_.bits;
    if (auto* imm = as<IntImmNode>(e))
      return narrows ? Expr(int_imm(e->dtype().with_bits(place_.bits), imm->value, e->span)) : e;
    if (auto* widened = as<CastNode>(e); widened && narrows) {
      Expr value = rewrite(widened->value);
      DataType type = e->dtype().with_bits(place_.bits);
      return value->dtype() == type ? value : make<CastNode>(type, value, e->span);
    }
    if (auto* op = as_binary(e); op && op->kind != ExprKind::kAnd && op->kind != ExprKind::kOr)
      return rewrite_binary(*op);
    if (auto* call = as<CallNode>(e)) return rewrite_call(*call);
    return rewrite_other(e);
  }
  // Operands of two types: constants of the wider one may be narrowed too.
  Expr rewrite_binary(const BinaryNode& op) {
    Expr a = rewrite(op.a), b = rewrite(op.b);
    if (a.same_as(op.a) && b.same_as(op.b)) return ref(&op);
    bool is_bits = op.kind >= ExprKind::kBitwiseAnd && op.kind <= ExprKind::kRShift;
    if (a->dtype() != b->dtype() && !is_bits) {
      a = index(op.a);
      b = index(op.b);
    }
    if (a->dtype().is_floating()) return binary(op.kind, a, b, op.span);  // -0.0 + 0.0 is 0.0
    return build(op.kind, a, b, op.span);
  }
  Expr rewrite_call(const CallNode& call) {
    if (as_call_to(ref(&call), "tirx.if_then_else")) return rewrite_choice(call);
    Expr next = rewrite_children(ref(&call));
    auto* after = as<CallNode>(next);
    if (after && as_call_to(next, "tirx.clz")) {  // counts from the top of the type
      Expr from_below = next - static_cast<int64_t>(after->args[0]->dtype().bits());
      return from_below + static_cast<int64_t>(call.args[0]->dtype().bits());
    }
    if (next.get() == &call || !after) return next;
    // What is called takes the types it took, and what looks at bits all of them.
    static const std::vector<std::string_view> exact = {"tirx.call_extern",      "tirx.call_pure_extern",
                                                        "tirx.call_llvm_intrin", "tirx.call_llvm_pure_intrin",
                                                        "tirx.reinterpret",      "tirx.popcount"};
    bool keeps = as<GlobalVarNode>(after->op) != nullptr ||
                 std::ranges::any_of(exact, [&](auto name) { return as_call_to(next, name) != nullptr; });
    if (!keeps) return next;
    Array<Expr> args;
    for (size_t i = 0; i < call.args.size(); ++i) {
      bool is_int = call.args[i]->dtype().is_int();
      args.push_back(is_int ? cast(call.args[i]->dtype(), after->args[i]) : after->args[i]);
    }
    return with(ref(after), [&](CallNode& n) { n.args = args; });
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  int64_t bits = options.integer(0);
  if (bits < 2 || bits > 64) throw refuse(refusals["narrow-bits"], bits).kind(kRefusedValue);
  Place place(static_cast<int>(bits));
  Widths widths(place);
  widths.visit(fn->body);
  Narrow narrow(place, widths);
  narrow.keep_params(fn);
  return with_body(fn, narrow.rewrite(fn->body));
}

}  // namespace

extern const Pass narrow_data_type{"NarrowDataType", "tirx.transform", "NarrowDataType(target_bits)", doc,
                                   apply};

}  // namespace mlc::transform::pass_narrow_data_type
