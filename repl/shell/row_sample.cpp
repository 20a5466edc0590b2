// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/row_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "backend/interp/compare.h"
#include "ir/core/walk_with.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/linear.h"

namespace mlc::repl {

namespace {

using ir::Expr;
using ir::Stmt;
using ir::VarNode;

struct Access {
  const VarNode* buffer;
  ir::Array<Expr> indices;
};

// One statement of the function's top level: the loops right below each other that it begins with, and what
// it accesses.
struct Nest final : ir::Walker {
  std::vector<ir::For> loops;
  std::vector<Access> reads, writes;
  std::unordered_map<const VarNode*, const VarNode*>
      loop_of;          // of a block's iterator that is a loop's variable
  bool opaque = false;  // it may access more than that

  explicit Nest(const Stmt& root) {
    for (Stmt at = root; auto* loop = ir::as<ir::ForNode>(at); at = loop->body)
      loops.push_back(ir::ref(loop));
    visit(root);
  }
  void visit(const Expr& e) override {
    if (auto* load = ir::as<ir::TensorLoadNode>(e)) {
      reads.push_back({load->source.get(), load->indices});
      for (const Expr& index : load->indices) visit(index);
      return;
    }
    auto* var = ir::as<VarNode>(e);
    if (var != nullptr && (var->buffer() != nullptr || var->dtype().is_handle()))
      opaque = true;  // an address
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* store = ir::as<ir::BufferStoreNode>(s)) {
      writes.push_back({store->buffer.get(), store->indices});
      for (const Expr& index : store->indices) visit(index);
      return visit(store->value);
    }
    if (auto* realize = ir::as<ir::SBlockRealizeNode>(s)) {
      const ir::SBlockNode& block = *realize->block;
      if (!block.match_buffers.empty()) opaque = true;
      for (size_t i = 0; i < block.iter_vars.size(); ++i) {
        visit(realize->iter_values[i]);
        if (auto* loop = ir::as<VarNode>(realize->iter_values[i]))
          loop_of[block.iter_vars[i]->var.get()] = loop;
      }
      visit(realize->predicate);
      if (block.init) visit(block.init);
      return visit(block.body);  // what it declares to read and write is no access
    }
    bool plain = ir::as<ir::ForNode>(s) || ir::as<ir::SeqStmtNode>(s) || ir::as<ir::IfThenElseNode>(s) ||
                 ir::as<ir::BindNode>(s);
    opaque = opaque || !plain;
    walk_children(s);
  }

  // Is the index the number of the loop's iteration?
  bool is_row(const Expr& index, const VarNode* loop) const {
    auto* var = ir::as<VarNode>(index);
    if (var == nullptr || var == loop) return var == loop;
    auto found = loop_of.find(var);
    return found != loop_of.end() && found->second == loop;
  }
  std::optional<size_t> row_dimension(const Access& access, const VarNode* loop) const {
    for (size_t d = 0; d < access.indices.size(); ++d)
      if (is_row(access.indices[d], loop)) return d;
    return std::nullopt;
  }
};

std::vector<Stmt> top_level(const ir::PrimFunc& fn) {
  Stmt body = fn->body;
  auto* root = ir::as<ir::SBlockRealizeNode>(body);
  if (root != nullptr && root->block->iter_vars.empty()) body = root->block->body;
  if (auto* seq = ir::as<ir::SeqStmtNode>(body)) return {seq->seq.begin(), seq->seq.end()};
  return {body};
}

// Which nests are cut at which loop, and which buffers along which dimension, for loops of so many
// iterations.
class Cut {
 public:
  Cut(const std::vector<Nest>& nests, int64_t rows) : nests_(nests), rows_(rows), loops_(nests.size()) {
    for (size_t i = 0; i < nests.size(); ++i) choose_loop(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < nests.size(); ++i) changed = settle(i) || changed;
    }
  }
  const std::vector<const ir::ForNode*>& loops() const { return loops_; }
  std::optional<size_t> dimension(const VarNode* buffer) const {
    auto found = dimensions_.find(buffer);
    return found == dimensions_.end() || whole_.contains(buffer) ? std::nullopt
                                                                 : std::optional(found->second);
  }

 private:
  bool has_rows(const ir::ForNode& loop) const {
    return ir::is_const_int(loop.min, 0) && ir::is_const_int(loop.extent, rows_) && !loop.step &&
           loop.for_kind != ir::ForKind::kThreadBinding;
  }
  // The outermost one that runs over a dimension of all that the nest writes.
  void choose_loop(size_t at) {
    const Nest& nest = nests_[at];
    for (const ir::For& loop : nest.loops) {
      const VarNode* var = loop->loop_var.get();
      if (nest.opaque || !has_rows(*loop)) continue;
      bool all = std::ranges::all_of(nest.writes, [&](const Access& write) {
        auto d = nest.row_dimension(write, var);
        return d && ir::is_const_int(write.buffer->buffer()->shape[*d], rows_);
      });
      if (!all || nest.writes.empty()) continue;
      loops_[at] = loop.get();
      for (const Access& write : nest.writes) {
        size_t d = *nest.row_dimension(write, var);
        if (auto [known, added] = dimensions_.emplace(write.buffer, d); !added && known->second != d)
          whole_.insert(write.buffer);
      }
      return;
    }
  }
  // True when the nest or a buffer must be whole after all.
  bool settle(size_t at) {
    const Nest& nest = nests_[at];
    bool changed = false;
    auto make_whole = [&](const VarNode* buffer) { changed = whole_.insert(buffer).second || changed; };
    auto agrees = [&](const Access& access) {
      auto d = dimension(access.buffer);
      return d && nest.is_row(access.indices[*d], loops_[at]->loop_var.get());
    };
    if (loops_[at] != nullptr && !std::ranges::all_of(nest.writes, agrees)) {
      loops_[at] = nullptr;
      changed = true;
    }
    if (loops_[at] == nullptr)
      for (const Access& write : nest.writes) make_whole(write.buffer);
    for (const Access& read : nest.reads)
      if (loops_[at] == nullptr || (dimension(read.buffer) && !agrees(read))) make_whole(read.buffer);
    return changed;
  }

  const std::vector<Nest>& nests_;
  int64_t rows_;
  std::vector<const ir::ForNode*> loops_;
  std::unordered_map<const VarNode*, size_t> dimensions_;
  std::set<const VarNode*> whole_;
};

ir::PrimFunc with_rows(const ir::PrimFunc& fn, const std::vector<const ir::ForNode*>& loops,
                       const RowSample& sample) {
  Stmt body = ir::rewrite_with(fn->body, [&](const Stmt& s, ir::Rewriter& on) -> Stmt {
    auto* loop = ir::as<ir::ForNode>(s);
    if (loop == nullptr || std::ranges::find(loops, loop) == loops.end()) return on.rewrite_children(s);
    const ir::Var& var = loop->loop_var;
    Expr row = Expr(var) * ir::const_like(var, sample.step) + ir::const_like(var, sample.first);
    return ir::make<ir::ForNode>(var, loop->min, ir::const_like(var, sample.count), loop->for_kind,
                                 ir::substitute(loop->body, {{var.get(), row}}), loop->thread_binding,
                                 loop->annotations);
  });
  return ir::make<ir::PrimFuncNode>(fn->params, fn->ret_type, body, fn->attrs, fn->span);
}

}  // namespace

std::string RowSample::text() const {
  std::string names;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (!dimensions[i]) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", fn->params[i]->name.c_str());
  }
  std::string numbers = fmt::format("{}", first);
  if (count > 1)
    numbers += fmt::format(", {}{}", count > 3 ? fmt::format("{}, ... ", first + step) : "", rows - 1);
  return fmt::format("{} of {} rows of {} ({})", count, rows, names, numbers);
}

std::optional<RowSample> sample_rows(const ir::PrimFunc& fn, double most_work) {
  constexpr int64_t kMostRows = 16;
  std::vector<Nest> nests;
  std::set<int64_t, std::greater<>> extents;
  for (const Stmt& stmt : top_level(fn)) {
    if (ir::as<ir::AllocBufferNode>(stmt)) continue;
    nests.emplace_back(stmt);
    for (const ir::For& loop : nests.back().loops)
      if (auto extent = ir::const_int(loop->extent); extent && *extent > 1) extents.insert(*extent);
  }
  for (int64_t rows : extents) {
    Cut cut(nests, rows);
    RowSample sample;
    sample.rows = rows;
    bool any = false;
    for (const ir::Var& param : fn->params) {
      sample.dimensions.push_back(cut.dimension(param.get()));
      any = any || sample.dimensions.back();
    }
    for (int64_t count = any ? std::min(kMostRows, rows / 2) : 0; count > 0; count /= 2) {
      sample.count = count;
      // An odd distance meets all positions of tiles of even sizes.
      sample.step = std::max<int64_t>((rows - 1) / count, 1);
      if (sample.step % 2 == 0) --sample.step;
      sample.first = rows - 1 - (count - 1) * sample.step;
      sample.fn = with_rows(fn, cut.loops(), sample);
      if (interp::work(sample.fn->body) <= most_work) return sample;
    }
  }
  return std::nullopt;
}

}  // namespace mlc::repl
