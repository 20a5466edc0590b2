// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <map>

#include "ir/core/error_kinds.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/linear_accesses.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_merge_shared_memory_allocations {
namespace {

constexpr char doc[] =
    R"(MergeSharedMemoryAllocations(): one allocation for all shared memory of a kernel.

    B = T.alloc_buffer((64,), "float32", scope="shared.dyn")        buf = T.alloc_buffer((384,), "uint8", scope="shared.dyn")
    C = T.alloc_buffer((64,), "float16", scope="shared.dyn")  =>    B = T.decl_buffer((64,), "float32", data=buf.data)
    ... B[i] ... C[i] ...                                           C = T.decl_buffer((64,), "float16", data=buf.data)
                                                                    ... B[i] ... C[i + 128] ...
needs: flat buffers. Static shared memory is merged only where the PassContext has "tirx.merge_static_smem".
keeps: every access. Buffers that are never alive together share bytes; in one statement the last use of a
buffer may make room for the first of another one.
After barriers are placed, before host and device are split: a launch gives one size.)";

// Bytes that several layers of buffers share, one layer after the other in time.
struct Piece {
  uint64_t bits = 0;  // 0: not constant
  std::vector<std::vector<const VarNode*>> layers;
};

class Plan {
 public:
  Plan(const Stmt& body, std::string_view scope)
      : accesses_("MergeSharedMemoryAllocations", [scope](const AllocBufferNode& alloc) {
          return text(alloc.buffer->buffer()->storage_scope) == scope;
        }) {
    accesses_.visit(body);
    auto events = life_events(accesses_.seq);
    for (const LinearEntry& entry : accesses_.seq) {
      auto at = events.find(entry.stmt);
      if (at == events.end()) continue;
      const auto& [gen, kill] = at->second;
      // A buffer that only this statement touches is there before it goes.
      auto fresh = [&](const VarNode* buffer) {
        return entry.pair == 0 && std::find(gen.begin(), gen.end(), buffer) != gen.end();
      };
      for (const VarNode* buffer : kill) {
        if (entry.pair <= 0 && !fresh(buffer)) release(*piece_of_.at(buffer));
      }
      if (entry.pair >= 0) {
        for (const VarNode* buffer : gen) piece_of_[buffer] = find(buffer);
      }
      for (const VarNode* buffer : kill) {
        if (fresh(buffer)) release(*piece_of_.at(buffer));
      }
    }
    place();
  }

  BufferRoots& roots() { return accesses_.roots; }
  bool contains(const VarNode* buffer) const { return offsets_.contains(accesses_.roots(buffer)); }
  const Expr& offset(const VarNode* buffer) const { return offsets_.at(accesses_.roots(buffer)); }
  const Expr& size() const { return size_; }  // in bytes

 private:
  LinearAccesses accesses_;
  std::deque<Piece> pieces_;
  std::vector<Piece*> small_;
  std::unordered_map<const VarNode*, Piece*> piece_of_;
  std::multimap<uint64_t, Piece*> free_;
  std::vector<Piece*> free_symbolic_;
  std::unordered_map<const VarNode*, Expr> offsets_;
  Expr size_ = int32(0);

  Piece* create(const VarNode* buffer, uint64_t bits) {
    pieces_.push_back({bits, {{buffer}}});
    return &pieces_.back();
  }

  Piece* find(const VarNode* buffer) {
    constexpr uint64_t range = 16;
    uint64_t bits = constant_bits(buffer->buffer());
    if (bits == 0) {
      if (free_symbolic_.empty()) return create(buffer, bits);
      Piece* piece = free_symbolic_.front();
      free_symbolic_.erase(free_symbolic_.begin());
      piece->layers.push_back({buffer});
      return piece;
    }
    if (bits <= 32) {
      small_.push_back(create(buffer, bits));
      return small_.back();
    }
    auto larger = free_.lower_bound(bits);
    if (larger != free_.upper_bound(bits * range)) {
      Piece* piece = larger->second;
      free_.erase(larger);
      piece->layers.push_back({buffer});
      return piece;
    }
    // Smaller ones side by side, until they are large enough.
    Piece all;
    std::vector<std::multimap<uint64_t, Piece*>::iterator> taken;
    for (auto at = larger; at != free_.begin() && all.bits < bits;) {
      --at;
      taken.push_back(at);
      all.bits += at->second->bits;
      const auto& layers = at->second->layers;
      if (layers.size() > all.layers.size()) all.layers.resize(layers.size());
      for (size_t i = 0; i < layers.size(); ++i)
        all.layers[i].insert(all.layers[i].end(), layers[i].begin(), layers[i].end());
    }
    if (taken.empty()) return create(buffer, bits);
    for (auto at : taken) free_.erase(at);
    all.bits = std::max(all.bits, bits);
    all.layers.push_back({buffer});
    pieces_.push_back(all);
    return &pieces_.back();
  }

  void release(Piece& piece) {
    if (piece.bits == 0) {
      free_symbolic_.push_back(&piece);
    } else if (piece.bits > 32) {
      free_.emplace(piece.bits, &piece);
    }
  }

  // In the end all regions are free.
  void place() {
    std::vector<Piece*> all;
    for (const auto& [bits, piece] : free_) all.push_back(piece);
    all.insert(all.end(), free_symbolic_.begin(), free_symbolic_.end());
    all.insert(all.end(), small_.begin(), small_.end());
    auto width = [](const VarNode* buffer) {
      DataType dtype = buffer->buffer()->dtype;
      return static_cast<int64_t>(dtype.bytes()) * dtype.lanes();
    };
    for (const Piece* piece : all) {
      Expr largest = int32(0);
      for (const std::vector<const VarNode*>& layer : piece->layers) {
        Expr inner = int32(0);
        for (const VarNode* buffer : layer) {
          Expr unit = const_like(inner, std::max(width(buffer), buffer->buffer()->data_alignment));
          inner = inner + floormod(unit - floormod(size_ + inner, unit), unit);
          offsets_[buffer] = size_ + inner;
          inner = inner + number_of_elements(buffer->buffer()->shape) * width(buffer);
        }
        largest = max(largest, inner);
      }
      size_ = size_ + largest;
    }
  }
};

class Merge final : public Rewriter {
 public:
  explicit Merge(std::string_view scope) : scope_(scope) {}

  using Rewriter::rewrite;
  Buffer rewrite_buffer(const Buffer& buffer) override {
    if (plan_ && plan_->contains(buffer.get()) && seen_.insert(buffer.get()).second) used_.push_back(buffer);
    return buffer;
  }
  Expr rewrite(const Expr& e) override {
    if (!plan_) return e;
    if (auto* call = as_call_to(e, "tirx.tvm_access_ptr")) {
      auto* buffer = buffer_of_data(call->args[1]);
      if (!buffer || !plan_->contains(buffer)) return rewrite_children(e);
      rewrite_buffer(ref(buffer));
      return with(ref(call), [&](CallNode& n) {
        n.args.Set(1, data_of(ref(buffer)));
        n.args.Set(2, elements(buffer, call->args[0]->dtype()) + rewrite(call->args[2]));
        n.args.Set(3, rewrite(call->args[3]));
      });
    }
    if (auto* call = as_call_to(e, "tirx.s_tir.cp_async_raw")) {
      // The offset is an operand of its own.
      auto* buffer = buffer_of_data(call->args[0]);
      if (!buffer || !plan_->contains(buffer)) return rewrite_children(e);
      rewrite_buffer(ref(buffer));
      return with(ref(call), [&](CallNode& n) {
        n.args = {call->args[0], elements(buffer, call->dtype()) + rewrite(call->args[1])};
        for (size_t i = 2; i < call->args.size(); ++i) n.args.push_back(rewrite(call->args[i]));
      });
    }
    if (auto* call = as_call_to(e, "tirx.buffer_data")) {
      // A pointer to the buffer's own bytes.
      auto* buffer = as<VarNode>(call->args[0]);
      if (!buffer || !plan_->contains(buffer)) return e;
      Expr at = elements(buffer, buffer->buffer()->dtype);
      rewrite_buffer(ref(buffer));
      if (is_const_int(at, 0)) return e;
      return make<CallNode>(e->ty, op("tirx.address_of"),
                            Array<Expr>{make<TensorLoadNode>(ref(buffer), Array<Expr>{at})});
    }
    auto* load = as<TensorLoadNode>(e);
    if (!load || !plan_->contains(load->source.get())) return rewrite_children(e);
    Buffer buffer = rewrite_buffer(load->source);
    return make<TensorLoadNode>(buffer, moved(buffer, load->indices, e->span), e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    auto* attr = as<AttrStmtNode>(s);
    if (!plan_ && attr && text(attr->attr_key) == "thread_extent") return kernel(*attr);
    if (!plan_) return rewrite_children(s);
    if (auto* alloc = as<AllocBufferNode>(s)) {
      return text(alloc->buffer->buffer()->storage_scope) == scope_ ? no_op() : s;
    }
    if (auto* view = as<DeclBufferNode>(s))
      return plan_->contains(view->buffer.get()) ? no_op() : rewrite_children(s);
    auto* store = as<BufferStoreNode>(s);
    if (!store || !plan_->contains(store->buffer.get())) return rewrite_children(s);
    Expr value = rewrite(store->value);
    Buffer buffer = rewrite_buffer(store->buffer);
    return make<BufferStoreNode>(buffer, value, moved(buffer, store->indices, s->span), s->span);
  }

 private:
  std::string_view scope_;
  std::unique_ptr<Plan> plan_;  // of the kernel around
  std::vector<Buffer> used_;    // in the order of first accesses
  std::unordered_set<const VarNode*> seen_;
  Analyzer analyzer_;

  Expr elements(const VarNode* buffer, DataType dtype) {
    const Expr& bytes = plan_->offset(buffer);
    return floordiv(bytes, const_like(bytes, static_cast<int64_t>(dtype.bytes()) * dtype.lanes()));
  }
  Array<Expr> moved(const Buffer& buffer, const Array<Expr>& indices, Span span) {
    if (indices.size() != 1) {
      throw refuse(pass_refusals["buffer-not-flat"], buffer->name.c_str(), indices.size())
          .at(span)
          .help("run FlattenBuffer before MergeSharedMemoryAllocations");
    }
    Expr index = rewrite(indices[0]);
    Expr by = elements(buffer.get(), buffer->buffer()->dtype);
    if (index->dtype().is_scalar()) return {index + by};
    return {make<AddNode>(index, cast(index->dtype(), by), index->span)};
  }

  Stmt kernel(const AttrStmtNode& attr) {
    plan_ = std::make_unique<Plan>(ref(&attr), scope_);
    Stmt inside = rewrite(attr.body);

    if (!used_.empty()) {
      Expr size = plan_->size();
      BufferType type = make<BufferTypeNode>(DataType::UInt(8), String(std::string(scope_)),
                                             Array<Expr>{size}, Array<Expr>{}, Expr(const_like(size, 0)));
      Buffer memory = make<VarNode>(String(scope_ == "shared.dyn" ? "buf_dyn_shmem" : "buf_shmem"), type);
      Array<Stmt> stmts{make<AllocBufferNode>(memory)};
      for (size_t i = used_.size(); i-- > 0;)
        stmts.push_back(make<DeclBufferNode>(used_[i], data_of(memory)));
      stmts.push_back(inside);
      inside = seq(stmts);
    }
    Stmt result = with(ref(&attr), [&](AttrStmtNode& n) { n.body = inside; });
    plan_.reset();
    used_.clear();
    seen_.clear();
    return result;
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  bool merge_static = options.config_flag("tirx.merge_static_smem").value_or(false);
  PrimFunc result = fn;
  for (std::string_view scope : {"shared.dyn", "shared"}) {
    if (scope == "shared" && !merge_static) continue;
    int count = 0;
    post_order(fn->body, nullptr, [&](const Stmt& s) {
      auto* alloc = as<AllocBufferNode>(s);
      count += alloc && text(alloc->buffer->buffer()->storage_scope) == scope;
    });
    if (count > 1) result = with_body(result, Merge(scope).rewrite(result->body));
  }
  return result;
}

}  // namespace

extern const Pass merge_shared_memory_allocations{"MergeSharedMemoryAllocations", "s_tir.transform",
                                                  "MergeSharedMemoryAllocations()", doc, apply};

}  // namespace mlc::transform::pass_merge_shared_memory_allocations
