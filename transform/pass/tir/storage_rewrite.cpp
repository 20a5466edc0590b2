// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"
#include "transform/pass/pointer_value_type.h"
#include "transform/pass/storage_plan.h"

namespace mlc::transform::pass_storage_rewrite {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "memory-not-aligned",
         .message = "memory of `{}` cannot be handed out for elements of {} bits"},
        {.name = "size-not-constant", .message = "memory of `{}` must have a constant size"},
    }};
MLC_REFUSALS(tir_storage_rewrite, refusals);

namespace {

constexpr char doc[] =
    R"(StorageRewrite(): allocate outside of loops, and share memory between buffers that are never alive together.

    for i in range(n):                      B = T.alloc_buffer((32,))
        B = T.alloc_buffer((32,))   =>      for i in range(n):
        ... B ...                               ... B ...
    C = T.alloc_buffer((32,))               C = T.decl_buffer((32,), data=B.data)
    ... C ...                               ... C ...
needs: flat buffers, no vectorized loops.
keeps: every access. An allocation rises to the function, or to the outermost thread or parallel loop around
it. Memory is given on when all uses of a buffer come before those of the other, or when a statement writes
each element of one from the same element of the other; its size may be up to sixteen times too small or too
large. Registers and arrays of up to four bytes are left alone, and so is memory for which
MergeSharedMemoryAllocations will care. Buffers that are accessed by aligned vectors of one type become
buffers of vectors (PointerValueTypeRewrite).
After vectorization, which makes allocations inside of vectorized loops larger.)";

class Share final : public Rewriter {
 public:
  explicit Share(StoragePlan& plan) : plan_(plan) {}

  Stmt run(const Stmt& body) {
    for (Storage& storage : plan_.storages) attached_[storage.attach].push_back(&storage);
    for (auto& [scope, storages] : attached_) allocate(storages);
    post_order(body, nullptr, [&](const Stmt& s) {
      auto* alloc = as<AllocBufferNode>(s);
      if (alloc && !plan_.of.contains(alloc->buffer.get())) unused_.insert(alloc->buffer.get());
    });
    return attach(nullptr, rewrite(body));
  }

  using Rewriter::rewrite;
  Buffer rewrite_buffer(const Buffer& buffer) override {
    Storage* storage = storage_of(buffer.get());
    return storage ? view(*storage, buffer) : buffer;
  }
  Var rewrite_def(const Var& var) override { return var->buffer() ? rewrite_buffer(var) : var; }
  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e); var && var->buffer()) {
      Storage* storage = storage_of(var);
      return storage ? storage->buffer : e;
    }
    if (auto* call = as_call_to(e, "tirx.buffer_data")) {
      auto* var = as<VarNode>(call->args[0]);
      Storage* storage = var ? storage_of(var) : nullptr;
      return storage ? data_of(storage->buffer) : rewrite_children(e);
    }
    if (auto* call = as_call_to(e, "tirx.tvm_access_ptr")) {
      auto* buffer = buffer_of_data(call->args[1]);
      Storage* storage = buffer ? storage_of(buffer) : nullptr;
      if (!storage) return rewrite_children(e);
      return with(ref(call), [&](CallNode& n) {
        Expr from = moved(*storage, call->args[0]->dtype(), rewrite(call->args[2]), e->span);
        n.args = {call->args[0], storage->buffer, from, rewrite(call->args[3]), call->args[4]};
      });
    }
    if (auto* call = as_call_to(e, "tirx.masked_load")) return masked(*call, 1);
    if (auto* call = as_call_to(e, "tirx.masked_store")) return masked(*call, 2);
    auto* load = as<TensorLoadNode>(e);
    Storage* storage = load ? storage_of(load->source.get()) : nullptr;
    if (!storage) return rewrite_children(e);
    return make<TensorLoadNode>(rewrite_buffer(load->source), moved(*storage, load->source, load->indices),
                                e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) {
      Storage* storage = storage_of(store->buffer.get());
      if (!storage) return rewrite_children(s);
      Array<Expr> indices = moved(*storage, store->buffer, store->indices);
      return make<BufferStoreNode>(rewrite_buffer(store->buffer), rewrite(store->value), indices, s->span);
    }
    if (auto* alloc = as<AllocBufferNode>(s)) {
      auto found = plan_.of.find(alloc->buffer.get());
      if (found == plan_.of.end() || found->second->buffer.same_as(alloc->buffer)) return no_op();
      Storage& storage = *found->second;
      return make<DeclBufferNode>(view(storage, alloc->buffer), data_of(storage.buffer), s->span);
    }
    if (auto* view = as<DeclBufferNode>(s)) {
      auto* source = buffer_of_data(view->data);
      bool unused = source && unused_.contains(plan_.roots(source));  // never read
      return unused ? no_op() : rewrite_children(s);
    }
    Stmt inside = rewrite_children(s);
    if (!attached_.contains(s.get())) return inside;
    if (auto* attr = as<AttrStmtNode>(inside))
      return with(ref(attr), [&](AttrStmtNode& n) { n.body = attach(s.get(), attr->body); });
    auto* loop = as<ForNode>(inside);
    return with(ref(loop), [&](ForNode& n) { n.body = attach(s.get(), loop->body); });
  }

 private:
  StoragePlan& plan_;
  std::map<const StmtNode*, std::vector<Storage*>> attached_;
  std::unordered_map<const StmtNode*, std::vector<Stmt>> allocations_;
  std::unordered_map<const VarNode*, Buffer> views_;
  std::unordered_set<const VarNode*> unused_;
  Analyzer analyzer_;
  Storage* storage_of(const VarNode* buffer) const {
    auto found = plan_.of.find(plan_.roots(buffer));
    return found == plan_.of.end() ? nullptr : found->second;
  }
  // (buffer, indices..., mask), where the indices begin at argument `first`.
  Expr masked(const CallNode& call, size_t first) {
    auto* buffer = as<VarNode>(call.args[0]);
    Storage* storage = buffer ? storage_of(buffer) : nullptr;
    if (!storage) return rewrite_children(ref(&call));
    Array<Expr> args{rewrite_buffer(ref(buffer))}, indices;
    size_t mask = call.args.size() - 1;
    for (size_t i = 1; i < first; ++i) args.push_back(rewrite(call.args[static_cast<int64_t>(i)]));
    for (size_t i = first; i < mask; ++i) indices.push_back(call.args[static_cast<int64_t>(i)]);
    for (const Expr& index : moved(*storage, ref(buffer), indices)) args.push_back(index);
    args.push_back(rewrite(call.args[static_cast<int64_t>(mask)]));
    return with(ref(&call), [&](CallNode& n) { n.args = args; });
  }
  // The buffer in its memory, which may have been allocated as that of another one.
  Buffer view(const Storage& storage, const Buffer& buffer) {
    if (storage.buffer.same_as(buffer)) return buffer;
    Buffer& known = views_[buffer.get()];
    if (!known) known = make<VarNode>(storage.buffer->name, buffer->ty, buffer->span);
    return known;
  }
  static Expr moved(const Storage& storage, DataType dtype, const Expr& index, Span span) {
    if (storage.bits_offset == 0) return index;
    uint64_t bits = static_cast<uint64_t>(dtype.bits()) * dtype.lanes();
    if (storage.bits_offset % bits != 0) {
      throw refuse(refusals["memory-not-aligned"], storage.scope, bits).at(span);
    }
    return const_like(index, static_cast<int64_t>(storage.bits_offset / bits)) + index;
  }
  Array<Expr> moved(const Storage& storage, const Buffer& buffer, const Array<Expr>& indices) {
    Array<Expr> next = rewrite(indices);
    if (storage.bits_offset == 0 || next.empty()) return next;
    auto last = static_cast<int64_t>(next.size()) - 1;
    next.Set(last, moved(storage, buffer->buffer()->dtype, next[last], next[last]->span));
    return next;
  }

  Stmt attach(const StmtNode* scope, const Stmt& body) {
    auto found = attached_.find(scope);
    if (found == attached_.end()) return body;
    Array<Stmt> stmts;
    for (Storage* storage : found->second) {
      if (storage->bits_offset == 0) stmts.push_back(make<AllocBufferNode>(storage->buffer));
    }
    stmts.push_back(body);
    return seq(stmts);
  }

  void allocate(std::vector<Storage*>& storages) {
    for (size_t i = 0; i < storages.size(); ++i) {
      if (!storage_rank(storages[i]->scope).special()) continue;
      if (storages[i]->bits == 0) {
        throw refuse(refusals["size-not-constant"], storages[i]->scope).at(storages[i]->allocs[0]->span);
      }
      for (size_t j = 0; j < i; ++j) {
        if (storages[i]->scope != storages[j]->scope) continue;
        storages[j]->merged.push_back(storages[i]);
        break;
      }
    }
    for (Storage* storage : storages) {
      if (storage->bits_offset != 0) continue;
      const Buffer& first = storage->allocs[0]->buffer;
      if (!storage->merged.empty()) {
        storage->buffer = hold_all(*storage);
      } else {
        storage->buffer = all_alike(*storage) ? first : large_enough(*storage);
      }
      for (Storage* child : storage->merged) child->buffer = storage->buffer;
    }
  }

  static bool all_alike(const Storage& storage) {
    const BufferTypeNode* first = storage.allocs[0]->buffer->buffer();
    return std::all_of(storage.allocs.begin() + 1, storage.allocs.end(), [&](const AllocBufferNode* alloc) {
      const BufferTypeNode* type = alloc->buffer->buffer();
      return DataType(type->dtype) == DataType(first->dtype) && structural_equal(type->shape, first->shape);
    });
  }
  static Buffer memory(const Storage& storage, DataType dtype, const Expr& size) {
    const Buffer& first = storage.allocs[0]->buffer;
    BufferType type = make<BufferTypeNode>(dtype, String(storage.scope), Array<Expr>{size}, Array<Expr>{},
                                           Expr(const_like(size, 0)));
    return make<VarNode>(first->name, type, first->span);
  }
  // Of the largest of the sizes, in bits, as elements of the widest type.
  Buffer large_enough(const Storage& storage) {
    DataType dtype = storage.allocs[0]->buffer->buffer()->dtype;
    Expr bits;
    for (const AllocBufferNode* alloc : storage.allocs) {
      const BufferTypeNode* type = alloc->buffer->buffer();
      DataType own = type->dtype;
      if (own.lanes() > dtype.lanes()) dtype = own;
      int64_t width = own.bits() * own.lanes();
      Expr size = type->shape[0];
      if (auto known = const_int(size); known && *known > INT32_MAX / width)
        size = int_imm(DataType::Int(64), *known);
      bits = bits ? max(bits, size * width) : size * width;
    }
    Expr width = const_like(bits, dtype.bits() * dtype.lanes());
    bool divides = analyzer_.can_prove(eq(floormod(bits, width), const_like(bits, 0)));
    Expr size = floordiv(bits, width);
    if (!divides) size = size + 1;
    return memory(storage, dtype, analyzer_.simplify(size));
  }
  // Special memory is one allocation, every part aligned to 32 bits.
  static Buffer hold_all(Storage& storage) {
    auto aligned = [](uint64_t bits) { return (bits + 31) / 32 * 32; };
    uint64_t total = aligned(storage.bits);
    for (Storage* child : storage.merged) {
      child->bits_offset = total;
      total += aligned(child->bits);
    }
    uint64_t width = static_cast<uint64_t>(storage.element.bits());
    const Expr& dim = storage.allocs[0]->buffer->buffer()->shape[0];
    return memory(storage, storage.element,
                  const_like(dim, static_cast<int64_t>((total + width - 1) / width)));
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  StoragePlanOptions how;
  // Shared memory is left to MergeSharedMemoryAllocations where that is to merge static one.
  how.reuse = !options.config_flag("tirx.merge_static_smem").value_or(false);
  auto target = bound_target(fn);
  how.exact_types = target && ((*target)->kind == "vulkan" || (*target)->kind == "webgpu");
  StoragePlan plan = plan_storage(fn->body, how);
  Share share(plan);
  return with_pointer_value_types(with_body(fn, share.run(fn->body)),
                                  {.params = false, .scalar_reads = false});
}

}  // namespace

extern const Pass storage_rewrite{"StorageRewrite", "tirx.transform", "StorageRewrite()", doc, apply};

}  // namespace mlc::transform::pass_storage_rewrite
