// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/buffer_roots.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/convert_ssa.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_inject_double_buffer {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "double-buffer-unsupported", .message = "the buffer cannot be doubled: {}"},
    }};
MLC_REFUSALS(tir_inject_double_buffer, refusals);

namespace {

constexpr char doc[] =
    R"(InjectDoubleBuffer(): what one iteration needs is fetched while the one before it works.

    B = T.alloc_buffer((4,))                            B = T.alloc_buffer((8,))
    for i in range(n):                                  fetch 0 into B[0:4]
        with T.attr(B, "double_buffer_scope", 1):       for i in range(n):
            fetch i into B[0:4]             =>              if i + 1 < n:
        use B[0:4]                                              fetch i + 1 into B[(i + 1) % 2 * 4:]
                                                            use B[i % 2 * 4:]
needs: flat buffers (FlattenBuffer); the scope stands in a loop that starts at 0, and all stores to the buffer
in it; no pointer to the buffer is taken.
keeps: every value that is read. Option `s_tir.InjectDoubleBuffer` split_loop (1): the loop is cut into so many
iterations at a time (1 or an even number) and the rest, 0 leaves it whole.
Where memory is slow to fetch and the hardware does not do this by itself.)";

constexpr std::string_view kScope = "double_buffer_scope";

// The buffer that the attribute is about: itself or its data.
Buffer buffer_of(const AttrStmtNode& attr) {
  auto e = attr.node.as<Expr>();
  auto* buffer = e ? buffer_of_data(*e) : nullptr;
  return buffer ? ref(buffer) : Buffer(nullptr);
}

struct Doubled {
  Expr stride;  // elements of one half
  const ForNode* loop = nullptr;
  Var half_to_write;  // 0 or 1, until the fetch is placed
  Expr half_to_read;
  Buffer buffer;    // with room for both
  Stmt allocation;  // not yet placed
};

// Buffers with a scope that are used as buffers only.
std::unordered_set<const VarNode*> buffers_to_double(const Stmt& body) {
  std::unordered_set<const VarNode*> found;
  auto statement = [&](const Stmt& s, Walker& on) {
    auto* attr = as<AttrStmtNode>(s);
    if (!attr || text(attr->attr_key) != kScope) return on.walk_children(s);
    if (Buffer buffer = buffer_of(*attr)) found.insert(buffer.get());
    on.visit(attr->value);
    on.visit(attr->body);  // the attribute itself is no use
  };
  auto expression = [&](const Expr& e, Walker& on) {
    if (auto* var = as<VarNode>(e)) found.erase(var);
    on.walk_children(e);
  };
  walk_with(body, overloaded{statement, expression});
  return found;
}

[[noreturn]] void refuse(std::string_view why, Span span) {
  throw refuse(refusals["double-buffer-unsupported"], why).kind(kRefusedValue).at(span);
}

class Inject final : public Rewriter {
 public:
  Inject(const std::unordered_set<const VarNode*>& buffers, int64_t split) : split_(split) {
    for (const VarNode* buffer : buffers) doubled_[buffer];
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    auto* load = as<TensorLoadNode>(e);
    auto found = load ? doubled_.find(load->source.get()) : doubled_.end();
    if (found == doubled_.end()) return rewrite_children(e);
    const Doubled& one = found->second;
    if (!one.half_to_read) refuse("it is read before the loop that fetches it", e->span);
    Array<Expr> indices = rewrite(load->indices);
    return make<TensorLoadNode>(one.buffer, Array<Expr>{place(one, one.half_to_read, indices, e->span)},
                                e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* attr = as<AttrStmtNode>(s); attr && text(attr->attr_key) == kScope) return producer(*attr);
    if (auto* alloc = as<AllocBufferNode>(s)) return allocation(*alloc);
    if (auto* loop = as<ForNode>(s)) return loop_of(*loop);
    auto* store = as<BufferStoreNode>(s);
    auto found = store ? doubled_.find(store->buffer.get()) : doubled_.end();
    if (found == doubled_.end()) return rewrite_children(s);
    const Doubled& one = found->second;
    if (!in_scope_ || !one.half_to_write) refuse("it is stored to outside of its scope", s->span);
    Expr value = rewrite(store->value);
    Array<Expr> indices = rewrite(store->indices);
    return make<BufferStoreNode>(one.buffer, value,
                                 Array<Expr>{place(one, one.half_to_write, indices, s->span)}, s->span);
  }

 private:
  static Expr place(const Doubled& one, const Expr& half, const Array<Expr>& indices, Span span) {
    if (indices.size() != 1) refuse("it has more than one dimension", span);
    return add(mul(half, one.stride), indices[0]);
  }
  Stmt allocation(const AllocBufferNode& alloc) {
    auto found = doubled_.find(alloc.buffer.get());
    if (found == doubled_.end()) return rewrite_children(ref(&alloc));
    const Array<Expr>& shape = alloc.buffer->buffer()->shape;
    if (shape.size() != 1) refuse("it has more than one dimension", alloc.span);
    Doubled& one = found->second;
    one.stride = shape[0];
    one.buffer = with_type(alloc.buffer, with(type_of(alloc.buffer), [&](BufferTypeNode& n) {
                             n.shape = {add(shape[0], shape[0])};
                           }));
    one.allocation = make<AllocBufferNode>(one.buffer, alloc.annotations, alloc.span);
    return no_op();
  }
  // The fetch of the next iteration; that of the first one goes before the loop.
  Stmt producer(const AttrStmtNode& attr) {
    Buffer buffer = buffer_of(attr);
    auto found = doubled_.find(buffer.get());
    if (!buffer || found == doubled_.end()) return rewrite(attr.body);
    Doubled& one = found->second;
    if (loops_.empty()) refuse("a double buffer scope must be inside a loop", attr.span);
    if (!one.buffer) refuse("it is not allocated in the function", attr.span);
    one.loop = loops_.back();
    const Var& var = one.loop->loop_var;
    Expr zero = const_like(var, 0), two = const_like(var, 2), next = add(var, const_like(var, 1));
    one.half_to_write = make_var(var->name + "_db", var->dtype());
    one.half_to_read = floormod(var, two);
    bool before = std::exchange(in_scope_, true);
    Stmt body = rewrite(attr.body);
    in_scope_ = before;
    before_[one.loop].push_back(substitute(body, {{one.half_to_write.get(), zero}, {var.get(), zero}}));
    body = substitute(body, {{var.get(), next}, {one.half_to_write.get(), floormod(next, two)}});
    body = make<AttrStmtNode>(Any(data_of(one.buffer)), "double_buffer_write", int32(1), body);
    return make<IfThenElseNode>(lt(next, one.loop->extent), body);
  }
  Stmt loop_of(const ForNode& loop) {
    loops_.push_back(&loop);
    Stmt next = rewrite_children(ref(&loop));
    loops_.pop_back();
    Array<Stmt> stmts;
    for (auto& [buffer, one] : doubled_) {
      if (one.loop == &loop && one.allocation) stmts.push_back(std::exchange(one.allocation, nullptr));
    }
    auto found = before_.find(&loop);
    if (found != before_.end()) {
      // A loop without iterations fetches nothing.
      for (const Stmt& one : found->second)
        stmts.push_back(has_iterations(loop)
                            ? one
                            : make<IfThenElseNode>(lt(const_like(loop.extent, 0), loop.extent), one));
      stmts.push_back(split_ == 0 ? next : split(*as<ForNode>(next)));
    } else {
      stmts.push_back(next);
    }
    return seq(stmts);
  }
  static bool has_iterations(const ForNode& loop) { return const_int(loop.extent).value_or(0) > 0; }
  // So many iterations at a time; the last ones, which fetch nothing, by themselves.
  Stmt split(const ForNode& loop) const {
    if (split_ != 1 && split_ % 2 != 0)
      refuse(fmt::format("split_loop is {}, neither 1 nor even", split_), loop.span);
    if (!is_const_int(loop.min, 0)) refuse("its loop does not start at 0", loop.span);
    const Var& var = loop.loop_var;
    Expr factor = const_like(var, split_);
    Expr one = const_like(var, 1), but_one = sub(loop.extent, one);
    if (!has_iterations(loop))  // of unsigned numbers 0 - 1 is the greatest
      but_one =
          loop.extent->dtype().is_uint() ? sub(max(loop.extent, one), one) : max(but_one, const_like(var, 0));
    Expr outer_extent = truncdiv(but_one, factor);
    Expr tail = mul(outer_extent, factor);
    Var outer = make_var(var->name + "_outer", var->dtype());
    Array<Stmt> body;
    for (int64_t i = 0; i < split_; ++i)
      body.push_back(substitute(loop.body, {{var.get(), add(mul(outer, factor), const_like(var, i))}}));
    Array<Stmt> stmts{make<ForNode>(outer, loop.min, outer_extent, loop.for_kind, seq(body))};
    Stmt last = rewrite_with(loop.body, [](const Stmt& s, Rewriter& on) {
      auto* attr = as<AttrStmtNode>(s);
      bool write = attr && text(attr->attr_key) == "double_buffer_write";
      return write ? on.rewrite(attr->body) : on.rewrite_children(s);
    });
    for (int64_t i = 0; i < split_; ++i) {
      Expr index = add(tail, const_like(var, i));
      stmts.push_back(make<IfThenElseNode>(lt(index, loop.extent), substitute(last, {{var.get(), index}})));
    }
    return seq(stmts);
  }

  int64_t split_;
  bool in_scope_ = false;
  std::vector<const ForNode*> loops_;
  std::unordered_map<const VarNode*, Doubled> doubled_;
  std::unordered_map<const ForNode*, std::vector<Stmt>> before_;
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  auto buffers = buffers_to_double(fn->body);
  if (buffers.empty()) return fn;
  Inject inject(buffers, options.config_integer("s_tir.InjectDoubleBuffer", "split_loop", 1));
  return with_unique_definitions(with_body(fn, inject.rewrite(fn->body)));
}

}  // namespace

extern const Pass inject_double_buffer{"InjectDoubleBuffer", "s_tir.transform", "InjectDoubleBuffer()", doc,
                                       apply};

}  // namespace mlc::transform::pass_inject_double_buffer
