// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <numeric>

#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_memory.h"
#include "transform/pass/definitions.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_streaming_store {
namespace {

constexpr char doc[] =
    R"(StreamingStore(): vectors below `pragma_nontemporal_store`, which no cache will hold, bypass the caches.

    with T.attr(0, "pragma_nontemporal_store", 1):
        C[i * 16:i * 16 + 16] = x
=>
    if T.reinterpret("uint64", C.data) % T.uint64(64) == T.uint64(0):
        with T.attr(0, "mlc.streaming_store", 64):      # at an address that is a multiple of 64
            C[i * 16:i * 16 + 16] = x
    else:
        C[i * 16:i * 16 + 16] = x
needs: a vector whose address is a multiple of its size, or of a line of 64 bytes, in memory that the function does
not allocate.
keeps: the result. `mlc.streaming_store` is a hint to whoever generates code, whose function ends with the fence that
its processor needs; the interpreter stores.
The value of the pragma is 1, or from how many bytes on a result is so large: then the size is asked for when it runs,
and whether what strides are made of are whole lines.
Behind vectorization, which makes the vectors, and last, because it makes two statements of one. A store that misses
the caches reads the line first: without that, a copy takes two thirds of the traffic, and nothing is displaced that is
still needed.)";

constexpr int64_t kLine = 64;  // bytes

// The variables in the indices of what is stored to a buffer.
std::vector<Var> index_vars(const Stmt& body, const VarNode* buffer) {
  std::vector<Var> found;
  post_order(body, nullptr, [&](const Stmt& s) {
    auto* store = as<BufferStoreNode>(s);
    if (store == nullptr || store->buffer.get() != buffer) return;
    for (const Expr& index : store->indices) {
      for (const Var& var : free_vars(index)) {
        bool seen = std::ranges::any_of(found, [&](const Var& each) { return each.same_as(var); });
        if (var->buffer() == nullptr && var->dtype().is_int() && !seen) found.push_back(var);
      }
    }
  });
  return found;
}

// The buffer outside of a statement whose memory one in it shows; null where there is none.
const VarNode* outer_buffer(const VarNode* buffer, const BufferMemory& memory,
                            const std::unordered_set<const VarNode*>& inner) {
  const VarNode* outer = inner.contains(buffer) ? memory.root(buffer) : buffer;
  return outer == nullptr || inner.contains(outer) || memory.is_local(outer) ? nullptr : outer;
}

// The buffers outside of a statement that it stores to, in order of appearance.
std::vector<const VarNode*> outer_stores(const Stmt& body, BufferMemory memory,
                                         const std::unordered_set<const VarNode*>& inner) {
  std::vector<const VarNode*> order;
  walk_with(body, [&](const Stmt& s, Walker& on) {
    memory.declare(s);
    auto* store = as<BufferStoreNode>(s);
    auto* buffer = store == nullptr ? nullptr : outer_buffer(store->buffer.get(), memory, inner);
    if (buffer != nullptr && std::ranges::find(order, buffer) == order.end()) order.push_back(buffer);
    on.walk_children(s);
  });
  return order;
}

// What is known of variables: loops count from a constant by a constant, names have a value.
void learn(Analyzer& analyzer, const Stmt& s) {
  if (auto* loop = as<ForNode>(s)) {
    auto first = const_int(loop->min);
    auto step = loop->step ? const_int(loop->step) : std::optional<int64_t>(1);
    if (first && step && *step > 1)
      analyzer.bind(loop->loop_var, ModularSet{*step, (*first % *step + *step) % *step});
  } else if (auto* name = as<BindNode>(s);
             name && name->value->dtype().is_int() && name->value->dtype().is_scalar()) {
    analyzer.bind(name->var, analyzer.modular_set(name->value));
  }
}

// A power of two, at most a line, that divides `index` * `bytes`.
int64_t alignment_of(Analyzer& analyzer, const Expr& index, int64_t bytes) {
  ModularSet residues = analyzer.modular_set(index);
  int64_t elements = std::gcd(std::gcd(residues.coeff, residues.base), kLine);
  return std::gcd(elements * bytes, kLine);
}

// The alignment of a store that can go past the caches, to memory outside that begins with a line; else 0.
int64_t streams(const BufferStoreNode& store, Analyzer& analyzer) {
  DataType dtype = store.value->dtype();
  const BufferTypeNode* type = store.buffer->buffer();
  DataType element = type->dtype;
  if (dtype.lanes() <= 1 || store.indices.size() != 1 || !type->strides.empty()) return 0;
  Expr first = store.indices[0];
  if (!first->dtype().is_scalar()) {
    auto* ramp = as<RampNode>(first);
    if (ramp == nullptr || !is_const_int(ramp->stride, 1) || !ramp->base->dtype().is_scalar()) return 0;
    first = ramp->base;
  }
  int64_t element_bytes = static_cast<int64_t>(element.bytes()) * element.lanes();
  int64_t alignment = alignment_of(analyzer, first, element_bytes);
  if (type->elem_offset)
    alignment = std::gcd(alignment, alignment_of(analyzer, type->elem_offset, element_bytes));
  int64_t bytes = static_cast<int64_t>(dtype.bytes()) * dtype.lanes();
  return alignment >= std::min(bytes, kLine) ? alignment : 0;
}

struct Stream final : MemoryRewriter {
  Analyzer analyzer;
  using MemoryRewriter::MemoryRewriter;
  Stmt rewrite_declared(const Stmt& s) override {
    learn(analyzer, s);
    auto* attr = as<AttrStmtNode>(s);
    if (attr == nullptr || text(attr->attr_key) != "pragma_nontemporal_store") return rewrite_children(s);
    return streamed(attr->body, const_int(attr->value).value_or(1));
  }

 private:
  Stmt streamed(const Stmt& body, int64_t least) {
    auto inside = analyzer.clone();
    auto inner = defined_in(body);
    Expr worth = bool_imm(true);
    auto expect = [&](const Expr& condition) { worth = logical_and(worth, condition); };
    std::unordered_set<const VarNode*> asked;
    for (const VarNode* buffer : outer_stores(body, memory, inner)) {
      const BufferTypeNode* type = buffer->buffer();
      DataType element = type->dtype;
      if (least > 1) {
        DataType wide = DataType::Int(64);
        Expr bytes = int_imm(wide, static_cast<int64_t>(element.bytes()) * element.lanes());
        for (const Expr& extent : type->shape) bytes = mul(bytes, cast(wide, extent));
        expect(ge(bytes, int_imm(wide, least)));
        int64_t line = std::max<int64_t>(1, kLine / element.bytes());
        for (const Var& var : index_vars(body, buffer)) {
          ModularSet residues = analyzer.modular_set(var);
          bool known = residues.coeff % line == 0 && residues.base % line == 0;
          if (known || inner.contains(var.get()) || !asked.insert(var.get()).second) continue;
          expect(eq(floormod(var, const_like(var, line)), const_like(var, 0)));
          inside->bind(var, ModularSet{line, 0});
        }
      }
      DataType address = DataType::UInt(64);
      Expr begin = call_op(address, "tirx.reinterpret", {data_of(ref(buffer))});
      expect(eq(floormod(begin, make_const(address, kLine)), make_const(address, 0)));
    }
    // The stores whose vectors are whole.
    Stmt plain = without_pragmas(body);
    bool found = false;
    Stmt marked = rewrite_with(plain, [&, memory = memory](const Stmt& s, Rewriter& on) mutable -> Stmt {
      memory.declare(s);
      learn(*inside, s);
      auto* store = as<BufferStoreNode>(s);
      if (store == nullptr) return on.rewrite_children(s);
      bool outside = outer_buffer(store->buffer.get(), memory, inner) != nullptr;
      int64_t alignment = outside ? streams(*store, *inside) : 0;
      if (alignment == 0) return s;
      found = true;
      return make<AttrStmtNode>(Expr(int32(0)), String("mlc.streaming_store"), Expr(int32(alignment)), s,
                                s->span);
    });
    if (!found || is_const_int(worth, 0)) return plain;
    return make<IfThenElseNode>(worth, marked, FreshBinders().rewrite(plain), body->span);
  }

  static Stmt without_pragmas(const Stmt& body) {
    return rewrite_with(body, [](const Stmt& s, Rewriter& on) {
      auto* attr = as<AttrStmtNode>(s);
      bool pragma = attr && text(attr->attr_key) == "pragma_nontemporal_store";
      return pragma ? on.rewrite(attr->body) : on.rewrite_children(s);
    });
  }
};

}  // namespace

extern const Pass streaming_store{"StreamingStore", "tirx.transform", "StreamingStore()", doc,
                                  rewritten_by<Stream>};

}  // namespace mlc::transform::pass_streaming_store
