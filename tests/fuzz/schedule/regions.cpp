// SPDX-License-Identifier: Apache-2.0
// Regions beside the accesses that are made: what a block does not declare is sent to an index that no buffer
// has, where the interpreter stops.
#include "tests/fuzz/schedule/regions.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"

namespace mlc::fuzz {

namespace {

using ir::Expr;

class ConfineAccesses final : public ir::Rewriter {
 public:
  size_t confined = 0;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    const auto* load = ir::as<ir::TensorLoadNode>(next);
    if (load == nullptr) return next;
    ir::Array<Expr> indices = confine(load->source, load->indices, false);
    return ir::with(ir::ref(load), [&](ir::TensorLoadNode& copy) { copy.indices = indices; });
  }
  ir::Stmt rewrite(const ir::Stmt& s) override {
    if (const auto* block = ir::as<ir::SBlockNode>(s)) return confine_block(s, *block);
    ir::Stmt next = rewrite_children(s);
    const auto* store = ir::as<ir::BufferStoreNode>(next);
    if (store == nullptr) return next;
    ir::Array<Expr> indices = confine(store->buffer, store->indices, true);
    return ir::with(ir::ref(store), [&](ir::BufferStoreNode& copy) { copy.indices = indices; });
  }

 private:
  // A block around: what it declares of each buffer, and buffers that are its own or matched to a part of
  // one.
  struct Declared {
    std::unordered_map<const ir::VarNode*, std::vector<ir::TensorRegion>> read, written;
    std::unordered_set<const ir::VarNode*> own;
  };
  std::vector<Declared> around_;

  ir::Stmt confine_block(const ir::Stmt& s, const ir::SBlockNode& block) {
    Declared declared;
    for (const ir::TensorRegion& region : block.writes) {
      declared.written[region->source.get()].push_back(region);
      declared.read[region->source.get()].push_back(region);  // a sum reads what it writes
    }
    for (const ir::TensorRegion& region : block.reads) declared.read[region->source.get()].push_back(region);
    for (const ir::Buffer& buffer : block.alloc_buffers) declared.own.insert(buffer.get());
    for (const ir::MatchBufferRegion& match : block.match_buffers) declared.own.insert(match->buffer.get());
    around_.push_back(std::move(declared));
    ir::Stmt body = rewrite(block.body);
    std::optional<ir::Stmt> init;
    if (block.init) init = rewrite(block.init);
    around_.pop_back();
    return ir::with(ir::ref(&block), [&](ir::SBlockNode& copy) {
      copy.body = body;
      if (init) copy.init = *init;
    });
  }

  ir::Array<Expr> confine(const ir::Buffer& buffer, const ir::Array<Expr>& indices, bool stores) {
    std::optional<Expr> inside;
    for (size_t i = around_.size(); i-- > 0 && !around_[i].own.contains(buffer.get());) {
      const auto& regions = stores ? around_[i].written : around_[i].read;
      auto found = regions.find(buffer.get());
      if (found == regions.end()) continue;  // accesses that no region tells of are known by themselves
      Expr in_one = ir::bool_imm(false);
      for (size_t r = 0; r < found->second.size(); ++r) {
        Expr in = ir::bool_imm(true);
        for (size_t d = 0; d < indices.size(); ++d) {
          const ir::Range& range = found->second[r]->region[d];
          in = ir::logical_and(in, ir::logical_and(ir::ge(indices[d], range->min),
                                                   ir::lt(indices[d], range->min + range->extent)));
        }
        in_one = ir::logical_or(in_one, in);
      }
      inside = inside ? ir::logical_and(*inside, in_one) : in_one;
    }
    if (!inside || indices.empty()) return indices;
    ++confined;
    ir::Array<Expr> result = indices;
    result.Set(0, ir::make<ir::SelectNode>(*inside, indices[0], ir::const_like(indices[0], -1)));
    return result;
  }
};

}  // namespace

ir::IRModule with_confined_accesses(const ir::IRModule& mod, const ir::GlobalVar& function,
                                    size_t& confined) {
  ConfineAccesses confine;
  ir::PrimFunc fn = ir::Any(mod->lookup(std::string(function->name_hint))).cast<ir::PrimFunc>();
  const auto* root = ir::as<ir::SBlockRealizeNode>(fn->body);
  // The root declares nothing.
  ir::Stmt body =
      root == nullptr ? confine.rewrite(fn->body) : ir::with(ir::ref(root), [&](ir::SBlockRealizeNode& copy) {
        copy.block =
            ir::with(copy.block, [&](ir::SBlockNode& block) { block.body = confine.rewrite(block.body); });
      });
  confined += confine.confined;
  return ir::module_of(ir::with(fn, [&](ir::PrimFuncNode& copy) { copy.body = body; }));
}

}  // namespace mlc::fuzz
