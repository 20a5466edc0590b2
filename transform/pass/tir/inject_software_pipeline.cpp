// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ir/core/error_kinds.h"
#include "ir/tir/region.h"
#include "transform/arith/simplify.h"
#include "transform/pass/async_stages.h"
#include "transform/pass/buffer_roots.h"
#include "transform/pass/buffer_types.h"
#include "transform/pass/convert_ssa.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_inject_software_pipeline {
namespace {

constexpr char doc[] =
    R"(InjectSoftwarePipeline(): the statements of an annotated loop from different iterations at a time.

    # software_pipeline_stage [0, 1], order [0, 1]      B = T.sblock_alloc_buffer((2, ...))
    for i in range(n):                                  B[0] = load(0)
        B = T.sblock_alloc_buffer(...)          =>      for i in range(n - 1):
        B[..] = load(i)                                     B[(i + 1) % 2] = load(i + 1)
        use(B, i)                                           use(B[i % 2], i)
                                                        use(B[(n - 1) % 2], n - 1)
needs: a body of several statements (one inner block of statements counts as them), a stage and a place in
the order for each; what depends on another statement is in no earlier stage, in the same one later.
keeps: what each statement computes. Buffers that the body allocates get as many versions as are alive at a
time. Stages of software_pipeline_async_stages are committed as groups, and their readers wait for as many
as must have arrived (async_scope, async_commit_queue_scope, async_wait_queue_scope).
On blocks, before they are lowered.)";

Error pipeline_error(Span span, std::string why, const char* kind = "ValueError") {
  return Error(
      refuse_as(pass_refusals["software-pipeline-not-possible"], "the loop cannot be pipelined: {}", why)
          .kind(kind)
          .at(span));
}

// What a loop says of its pipeline, and says no more afterwards.
constexpr std::string_view kAnnotations[] = {"software_pipeline_stage", "software_pipeline_order",
                                             "software_pipeline_async_stages"};

// The buffers whose accesses are looked at: parameters and what blocks around allocate.
using Known = std::unordered_set<const VarNode*>;

SBlock block_of(const Stmt& body, const Known& known) {
  if (auto* realize = as<SBlockRealizeNode>(body); realize && is_const_int(realize->predicate, 1))
    return realize->block;
  SBlock block =
      make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, String(""), body);
  AccessRegions found = detect_access_regions(block, transform::simplify);
  std::unordered_map<const VarNode*, int> reads, writes;
  auto expression = [&](const Expr& e, Walker& on) {
    if (auto* load = as<TensorLoadNode>(e)) ++reads[load->source.get()];
    on.walk_children(e);
  };
  auto statement = [&](const Stmt& s, Walker& on) {
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      for (const TensorRegion& region : realize->block->reads) ++reads[region->source.get()];
      for (const TensorRegion& region : realize->block->writes) ++writes[region->source.get()];
      return;
    }
    if (auto* store = as<BufferStoreNode>(s)) ++writes[store->buffer.get()];
    on.walk_children(s);
  };
  walk_with(body, overloaded{expression, statement});
  Analyzer analyzer;
  auto kept = [&](const Array<TensorRegion>& regions, std::unordered_map<const VarNode*, int>& count) {
    Array<TensorRegion> kept;
    for (const TensorRegion& region : regions) {
      if (!known.contains(region->source.get())) continue;
      // One access stays as it is written, the box of several is simplified.
      bool several = count[region->source.get()] > 1;
      Array<Range> box;
      for (const Range& range : region->region)
        box.push_back(make<RangeNode>(several ? analyzer.simplify(range->min) : range->min,
                                      analyzer.simplify(range->extent)));
      kept.push_back(make<TensorRegionNode>(region->source, box));
    }
    for (const Buffer& buffer : found.opaque) {
      if (!known.contains(buffer.get())) continue;
      Array<Range> all;
      for (const Expr& dim : buffer->buffer()->shape) all.push_back(make<RangeNode>(const_like(dim, 0), dim));
      kept.push_back(make<TensorRegionNode>(buffer, all));
    }
    return kept;
  };
  return with(block, [&](SBlockNode& n) {
    n.reads = kept(found.reads, reads);
    n.writes = kept(found.writes, writes);
  });
}
Stmt realize(const SBlock& block, Expr predicate = bool_imm(true)) {
  return make<SBlockRealizeNode>(Array<Expr>{}, std::move(predicate), block);
}

TensorRegion region_of(const Array<TensorRegion>& regions, const Buffer& buffer) {
  for (const TensorRegion& region : regions) {
    if (region->source.same_as(buffer)) return region;
  }
  return nullptr;
}

bool may_overlap(const TensorRegion& a, const TensorRegion& b) {
  Analyzer analyzer;
  for (size_t d = 0; d < a->region.size(); ++d) {
    const Range &x = a->region[d], &y = b->region[d];
    if (analyzer.can_prove(le(x->min + x->extent, y->min)) ||
        analyzer.can_prove(le(y->min + y->extent, x->min)))
      return false;
  }
  return true;
}

// One statement of the pipeline.
struct Part {
  SBlock block;
  int stage = 0;
  int order = 0;
  bool async = false;
};

// Accesses of buffers with versions: the version of the iteration.
class Versions final : public BufferTypeRewriter {
 public:
  Versions(const std::unordered_map<const VarNode*, Buffer>& remap, const ForNode& loop, bool all)
      : remap_(remap), loop_(loop), all_(all) {}
  using BufferTypeRewriter::rewrite;
  Buffer rewrite_buffer(const Buffer& buffer) override {
    auto found = remap_.find(buffer.get());
    return found == remap_.end() ? buffer : found->second;
  }
  Var rewrite_def(const Var& var) override { return var; }
  Expr rewrite(const Expr& e) override {
    if (auto* call = as<CallNode>(e); call && call->op.as<Op>()) return rewrite_call(ref(call));
    auto* load = as<TensorLoadNode>(e);
    if (!load || !remap_.contains(load->source.get())) return BufferTypeRewriter::rewrite(e);
    return make<TensorLoadNode>(rewrite_buffer(load->source), versioned(load->source, load->indices),
                                e->span);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s); store && remap_.contains(store->buffer.get())) {
      return make<BufferStoreNode>(rewrite_buffer(store->buffer), rewrite(store->value),
                                   versioned(store->buffer, store->indices), s->span);
    }
    auto* block = as<SBlockNode>(s);
    if (!block) return rewrite_children(s);
    auto regions = [&](const Array<TensorRegion>& old) {
      Array<TensorRegion> next;
      for (const TensorRegion& region : old) next.push_back(versioned(region));
      return next;
    };
    SBlock next = with(ref(block), [&](SBlockNode& n) {
      n.reads = {};
      n.writes = {};
    });
    next = ref(as<SBlockNode>(rewrite_children(Stmt(next))));
    return with(next, [&](SBlockNode& n) {
      n.reads = regions(block->reads);
      n.writes = regions(block->writes);
    });
  }

 private:
  const std::unordered_map<const VarNode*, Buffer>& remap_;
  const ForNode& loop_;
  bool all_;  // blocks may access all versions
  std::unordered_map<const VarNode*, int64_t> fragment_sizes_;

  Expr version(const Buffer& buffer) const {
    return floormod(loop_.loop_var - loop_.min, buffer->buffer()->shape[0]);
  }
  Array<Expr> versioned(const Buffer& old, const Array<Expr>& indices) {
    Array<Expr> next{version(rewrite_buffer(old))};
    for (const Expr& index : indices) next.push_back(rewrite(index));
    return next;
  }
  TensorRegion versioned(const TensorRegion& region) {
    auto found = remap_.find(region->source.get());
    if (found == remap_.end()) return region;
    const Buffer& buffer = found->second;
    Array<Range> ranges{all_ ? make<RangeNode>(int32(0), buffer->buffer()->shape[0])
                             : make<RangeNode>(version(buffer), Expr(int32(1)))};
    for (const Range& range : region->region) ranges.push_back(range);
    return make<TensorRegionNode>(buffer, ranges);
  }
  // Operators that name memory by a pointer and an offset into it, or a fragment by its array and its place
  // there.
  Expr rewrite_call(const Call& call) {
    std::string_view name = text(call->op.as<Op>().value()->name);
    struct Operand {
      int64_t pointer, offset;
    };
    std::vector<Operand> operands;
    bool fragments = false;
    if (name == "tirx.tvm_access_ptr") {
      operands = {{1, 2}};
    } else if (name == "tirx.ptx_mma") {
      operands = {{6, 7}, {8, 9}, {10, 11}};
    } else if (names_own_fragment(name)) {
      fragments = true;
      operands = {{0, 4}};
    } else if (name == "tirx.tvm_mma_sync" || name == "tirx.tvm_bmma_sync") {
      fragments = true;
      operands = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
    }
    Expr next = BufferTypeRewriter::rewrite(Expr(call));
    for (auto [pointer, offset] : operands) {
      if (offset >= static_cast<int64_t>(call->args.size())) continue;
      const VarNode* old = buffer_of_data(call->args[pointer]);
      auto found = old ? remap_.find(old) : remap_.end();
      if (found == remap_.end()) continue;
      const BufferTypeNode* type = found->second->buffer();
      Expr size = type->strides.empty() ? number_of_elements(old->buffer()->shape) : type->strides[0];
      if (fragments) size = floordiv(size, const_like(size, fragment_size(old)));
      Expr which = version(found->second);
      next = with(ref(as<CallNode>(next)),
                  [&](CallNode& n) { n.args.Set(offset, n.args[offset] + which * size); });
    }
    return next;
  }
  // With its shape m, n, k behind its array: the product has none.
  static bool names_own_fragment(std::string_view name) {
    return name == "tirx.tvm_load_matrix_sync" || name == "tirx.tvm_store_matrix_sync" ||
           name == "tirx.tvm_fill_fragment";
  }
  // Elements of one fragment of the buffer.
  int64_t fragment_size(const VarNode* buffer) {
    int64_t& size = fragment_sizes_[buffer];
    if (size != 0) return size;
    size = 256;
    std::string_view scope = text(buffer->buffer()->storage_scope);
    any_below(loop_.body, [&](const Expr& e) {
      auto* call = as<CallNode>(e);
      auto op = call ? call->op.as<Op>() : std::nullopt;
      if (!op || !names_own_fragment(text((*op)->name)) || buffer_of_data(call->args[0]) != buffer)
        return false;
      auto m = const_int(call->args[1]), n = const_int(call->args[2]), k = const_int(call->args[3]);
      if (m && n && k)
        size = scope == "wmma.matrix_a" ? *m * *k : scope == "wmma.matrix_b" ? *n * *k : *m * *n;
      return true;
    });
    return size;
  }
};

class Pipeline {
 public:
  Pipeline(const ForNode& loop, std::vector<Part> parts, Array<Buffer> allocs, Known& known,
           const std::unordered_set<const VarNode*>& doubled, Map<String, Any> annotations)
      : loop_(loop),
        parts_(std::move(parts)),
        allocs_(std::move(allocs)),
        known_(known),
        doubled_(doubled),
        annotations_(std::move(annotations)) {}

  Stmt build() {
    for (const Part& part : parts_) last_stage_ = std::max(last_stage_, part.stage);
    for (const Buffer& buffer : allocs_) {
      int versions = versions_of(buffer);
      if (versions <= 1) continue;
      remap_[buffer.get()] = with_versions(buffer, versions);
      known_.insert(remap_[buffer.get()].get());
    }
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.order < b.order; });
    for (const Part& part : parts_) {
      if (!part.async) continue;
      AsyncStages::Stage& stage = async_.stages[part.stage];
      for (const TensorRegion& write : part.block->writes) {
        stage.written.insert(write->source.get());
        auto found = remap_.find(write->source.get());
        if (found != remap_.end()) stage.written.insert(found->second.get());
      }
    }
    Expr end = loop_.min + loop_.extent;
    Expr fill = loop_.min + last_stage_;
    Stmt prologue = emit(loop_.min, fill, true, nullptr);
    Stmt body = emit(fill, end, false, nullptr);
    // Where the loop may be shorter than the pipeline, what the prologue has done is not done again.
    Expr start = end, at_least;
    if (last_stage_ > 1 && !analyzer_.can_prove(ge(loop_.extent, const_like(loop_.extent, last_stage_)))) {
      if (const_int(end)) {
        start = max(end, fill);
      } else {
        at_least = fill;
      }
    }
    Stmt epilogue = emit(start, end + last_stage_, true, at_least);
    Array<Buffer> allocated;
    for (const Buffer& buffer : allocs_) {
      auto found = remap_.find(buffer.get());
      allocated.push_back(found == remap_.end() ? buffer : found->second);
      known_.erase(buffer.get());
      known_.erase(allocated.back().get());
    }
    Array<Stmt> all{prologue, body, epilogue};
    SBlock block = block_of(make<SeqStmtNode>(all), known_);
    return realize(with(block, [&](SBlockNode& n) { n.alloc_buffers = allocated; }));
  }

 private:
  const ForNode& loop_;
  std::vector<Part> parts_;
  Array<Buffer> allocs_;
  Known& known_;
  const std::unordered_set<const VarNode*>& doubled_;
  Map<String, Any> annotations_;
  int last_stage_ = 0;
  std::unordered_map<const VarNode*, Buffer> remap_;
  Analyzer analyzer_;
  AsyncStages async_;

  // How many iterations' contents of the buffer are alive at a time.
  int versions_of(const Buffer& buffer) const {
    int defined = -1, used = -1;
    for (const Part& part : parts_) {
      if (region_of(part.block->writes, buffer))
        defined = defined < 0 ? part.stage : std::min(defined, part.stage);
      if (region_of(part.block->reads, buffer)) used = std::max(used, part.stage);
    }
    if (defined < 0) return 1;
    int versions = used - defined + 1;
    if (versions == 2 && !overwritten_before_read(buffer)) versions = 1;
    return versions == 1 && doubled_.contains(buffer.get()) ? 2 : versions;
  }
  // Is there a write of a later iteration before the read of an earlier one?
  bool overwritten_before_read(const Buffer& buffer) const {
    for (const Part& writer : parts_) {
      TensorRegion write = region_of(writer.block->writes, buffer);
      if (!write) continue;
      for (const Part& reader : parts_) {
        TensorRegion read = region_of(reader.block->reads, buffer);
        if (read && writer.order < reader.order && writer.stage < reader.stage && may_overlap(write, read))
          return true;
      }
    }
    return false;
  }
  static Buffer with_versions(const Buffer& buffer, int versions) {
    return with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) {
                       auto front = [](const Expr& first, const Array<Expr>& rest) {
                         Array<Expr> all{first};
                         for (const Expr& e : rest) all.push_back(e);
                         return all;
                       };
                       if (!n.strides.empty()) n.strides = front(n.strides[0] * n.shape[0], n.strides);
                       n.shape = front(int32(versions), n.shape);
                     }));
  }

  Stmt nothing() { return realize(block_of(make<EvaluateNode>(Expr(int32(0))), {})); }

  // The statements of all stages for the iterations from `start` to `end` of the first stage.
  Stmt emit(const Expr& start, const Expr& end, bool unroll, const Expr& at_least) {
    Expr extent = end - start;
    if (analyzer_.can_prove(le(extent, const_like(extent, 0)))) return nothing();
    bool unit = analyzer_.can_prove_equal(extent, const_like(extent, 1));
    Var var = make<VarNode>(loop_.loop_var->name, loop_.loop_var->ty, loop_.loop_var->span);
    Expr now = unit ? start : Expr(var);
    Analyzer normalized;  // knows the loop as it is emitted, from loop_.min on
    if (!unit) {
      analyzer_.bind(var, make<RangeNode>(start, extent));
      normalized.bind(var, make<RangeNode>(loop_.min, extent));
    }
    Expr shift = start - loop_.min;
    std::vector<EmittedBlock> blocks;
    async_.begin();
    for (const Part& part : parts_) {
      Expr skewed = now - part.stage;
      Expr within =
          logical_and(analyzer_.simplify(le(loop_.min, skewed)), lt(skewed, loop_.min + loop_.extent));
      if (at_least) within = analyzer_.simplify(logical_and(within, ge(now, at_least)));
      if (analyzer_.can_prove(logical_not(within))) continue;
      Stmt body = Versions(remap_, loop_, last_stage_ != 1).rewrite(Stmt(part.block));
      Expr iteration = unit ? skewed : skewed + shift;
      if (!unit) within = substitute(within, VarMap{{var.get(), var + shift}});
      Substituter at(VarMap{{loop_.loop_var.get(), iteration}});
      SBlock block = ref(as<SBlockNode>(at.rewrite(body)));
      if (part.async) {
        async_.produced(part.stage, block, blocks.size(), iteration, within, normalized);
        block = with(block, [&](SBlockNode& n) { n.body = async_attr("async_scope", int32(1), n.body); });
      }
      async_.consumed_by(part.stage, block);
      blocks.push_back({part.stage, within, block, iteration, part.async});
    }
    async_.wait(blocks, normalized, analyzer_);
    Array<Stmt> stmts;
    for (const EmittedGroup& group : async_.grouped(blocks)) {
      SBlock block = group.block ? group.block : block_of(group.body, known_);
      stmts.push_back(realize(block, group.predicate));
    }
    if (stmts.empty()) return nothing();
    Stmt body = stmts.size() == 1 ? stmts[0] : Stmt(make<SeqStmtNode>(stmts));
    if (!unit) {
      body = make<ForNode>(var, loop_.min, extent, unroll ? ForKind::kUnrolled : loop_.for_kind, body,
                           IterVar(nullptr), annotations_);
    }
    async_.end(extent, normalized);
    return realize(block_of(body, known_));
  }
};

class Inject final : public Rewriter {
 public:
  Known known;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    if (auto* block = as<SBlockNode>(s)) {
      for (const Buffer& buffer : block->alloc_buffers) known.insert(buffer.get());
      if (auto at = annotation(block->annotations, "double_buffer_scope")) {
        auto index = integers(Array<Any>{*at}, s->span)[0];
        if (index < 0 || index >= static_cast<int>(block->writes.size()))
          throw pipeline_error(
              s->span,
              fmt::format("`double_buffer_scope` {} is none of the buffers that are written", index));
        doubled_.insert(block->writes[index]->source.get());
      }
      Stmt next = rewrite_children(s);
      for (const Buffer& buffer : block->alloc_buffers) known.erase(buffer.get());
      return next;
    }
    Stmt next = rewrite_children(s);
    auto* loop = as<ForNode>(next);
    if (!loop) return next;
    auto stages = annotation(loop->annotations, "software_pipeline_stage");
    auto order = annotation(loop->annotations, "software_pipeline_order");
    if (!stages && !order) return next;
    if (!stages)
      throw pipeline_error(s->span,
                           "the stage of the software pipeline is not defined (`software_pipeline_stage`)");
    if (!order)
      throw pipeline_error(s->span,
                           "the order of the software pipeline is not defined (`software_pipeline_order`)");
    return pipelined(*loop, integers(*stages, s->span), integers(*order, s->span));
  }

 private:
  std::unordered_set<const VarNode*> doubled_;

  static std::optional<Any> annotation(const Map<String, Any>& annotations, std::string_view key) {
    auto found = annotations.find(String(std::string(key)));
    return found == annotations.end() ? std::nullopt : std::optional<Any>((*found).second);
  }
  static std::vector<int> integers(const Any& value, Span span) {
    auto list = value.try_cast<Array<Any>>();
    if (!list) throw pipeline_error(span, "an annotation is no list of integers");
    std::vector<int> result;
    for (const Any& one : *list) {
      auto number = integer_of(one);
      if (!number) throw pipeline_error(span, "an annotation is no list of integers");
      result.push_back(static_cast<int>(*number));
    }
    return result;
  }

  Stmt pipelined(const ForNode& loop, const std::vector<int>& stages, const std::vector<int>& order) {
    Stmt body = loop.body;
    Array<Buffer> allocs;
    if (auto* realize = as<SBlockRealizeNode>(body)) {
      allocs = realize->block->alloc_buffers;
      body = realize->block->body;
    }
    auto* sequence = as<SeqStmtNode>(body);
    if (!sequence) throw pipeline_error(loop.span, "its body is a single statement");
    for (const Buffer& buffer : allocs) known.insert(buffer.get());
    std::vector<Part> parts;
    for (const Stmt& s : sequence->seq) {
      auto* realize = as<SBlockRealizeNode>(s);
      auto* inner =
          realize && is_const_int(realize->predicate, 1) ? as<SeqStmtNode>(realize->block->body) : nullptr;
      if (!inner) {
        parts.push_back({block_of(s, known)});
        continue;
      }
      for (const Buffer& buffer : realize->block->alloc_buffers) {
        allocs.push_back(buffer);
        known.insert(buffer.get());
      }
      for (const Stmt& one : inner->seq) parts.push_back({block_of(one, known)});
    }
    if (parts.size() != stages.size() || parts.size() != order.size()) {
      throw pipeline_error(loop.span,
                           fmt::format("it has {} statements, but {} stages and {} places in the order",
                                       parts.size(), stages.size(), order.size()),
                           kRefusedValue);
    }
    std::vector<int> async;
    if (auto given = annotation(loop.annotations, "software_pipeline_async_stages"))
      async = integers(*given, loop.span);
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i].stage = stages[i];
      parts[i].order = order[i];
      parts[i].async = std::find(async.begin(), async.end(), stages[i]) != async.end();
    }
    check(loop, parts);
    Map<String, Any> kept;
    for (const auto& [key, value] : loop.annotations) {
      bool of_pipeline = std::ranges::find(kAnnotations, text(key)) != std::end(kAnnotations);
      if (!of_pipeline) kept.Set(key, value);
    }
    return Pipeline(loop, parts, allocs, known, doubled_, kept).build();
  }

  static void check(const ForNode& loop, const std::vector<Part>& parts) {
    std::unordered_set<int> orders;
    for (const Part& part : parts) {
      if (part.stage < 0)  // its first iterations would be before the loop begins
        throw pipeline_error(loop.span, fmt::format("there is no stage {}", part.stage));
      if (part.order < 0 || part.order >= static_cast<int>(parts.size()))
        throw pipeline_error(loop.span, fmt::format("there is no place {} in its order", part.order),
                             "IndexError+ValueError");
      if (!orders.insert(part.order).second)
        throw pipeline_error(loop.span, fmt::format("two statements have the same order {}", part.order));
    }
    std::unordered_map<const VarNode*, std::vector<const Part*>> writers;
    for (const Part& part : parts) {
      for (const TensorRegion& read : part.block->reads) {
        for (const Part* writer : writers[read->source.get()]) {
          if (writer->stage > part.stage) {
            throw pipeline_error(loop.span,
                                 fmt::format("what stage {} reads of `{}` is written in stage {}", part.stage,
                                             read->source->name.c_str(), writer->stage));
          }
          if (writer->stage == part.stage && writer->order >= part.order) {
            throw pipeline_error(loop.span, fmt::format("a read of `{}` stands before its write in stage {}",
                                                        read->source->name.c_str(), part.stage));
          }
        }
      }
      for (const TensorRegion& write : part.block->writes) writers[write->source.get()].push_back(&part);
    }
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Inject inject;
  for (const Var& param : fn->params) {
    if (param->buffer()) inject.known.insert(param.get());
  }
  PrimFunc next = with_body(fn, inject.rewrite(fn->body));
  return next.same_as(fn) ? fn : with_unique_definitions(next);
}

}  // namespace

extern const Pass inject_software_pipeline{"InjectSoftwarePipeline", "s_tir.transform",
                                           "InjectSoftwarePipeline()", doc, apply};

}  // namespace mlc::transform::pass_inject_software_pipeline
