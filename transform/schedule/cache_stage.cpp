// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/cache_stage.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "transform/arith/expr_equal.h"
#include "transform/schedule/buffers.h"
#include "transform/schedule/compute_location.h"
#include "transform/schedule/conditions.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "unknown-storage-scope",
         .message = "there is no memory `{}`",
         .help = "`global`, `shared`, `local`, and those of devices such as `wmma.matrix_a`",
         .meaning = "A memory is one of those that a device has.",
         .wrong = R"(sch.set_scope("double", 0, "nowhere"))",
         .right = R"(sch.set_scope("double", 0, "local"))"},
        {.name = "several-writers",
         .message = "blocks `{}` and `{}` both write `{}`",
         .help = "one block writes each buffer that is copied",
         .meaning = "The copy is filled by the one block that writes the buffer.",
         .wrong = R"(i, j, k = sch.get_loops("product")
sch.decompose_reduction("product", k)
sch.cache_read("shifted", 0, "local"))",
         .right = R"(sch.cache_read("shifted", 0, "local"))"},
    }};
MLC_REFUSALS(schedule_cache_stage, refusals);

namespace {

Expr extent_of(const CacheStage& stage, size_t d, Analyzer& analyzer) {
  if (d < stage.extents.size() && stage.extents[d]) return stage.extents[d];
  return analyzer.simplify(stage.region[d].max - stage.region[d].min + 1);
}

}  // namespace

// for ax0, ax1 in T.grid(...): to[v0, v1] = from[v0, v1]
Stmt copy_nest(const CacheStage& stage, SBlock& block_out) {
  const BufferTypeNode* type = (stage.allocated.same_as(stage.to) ? stage.from : stage.to)->buffer();
  Array<IterVar> iters;
  Array<Expr> indices, shifted, values;
  std::vector<std::pair<Var, Expr>> loops;
  Analyzer analyzer;
  for (size_t d = 0; d < type->shape.size(); ++d) {
    const Interval& dim = stage.region[d];
    Expr extent = extent_of(stage, d, analyzer);
    DataType dtype = (stage.of_region ? extent : type->shape[d])->dtype();
    Var loop_var = make_var(String(fmt::format("ax{}", d)), extent->dtype());
    Var iter = make_var(String(fmt::format("v{}", d)), dtype);
    loops.emplace_back(loop_var, extent);
    iters.push_back(
        make<IterVarNode>(make<RangeNode>(Expr(int_imm(dtype, 0)), stage.of_region ? extent : type->shape[d]),
                          iter, IterType::kDataPar));
    values.push_back(stage.of_region ? Expr(loop_var) : add(dim.min, loop_var));
    indices.push_back(iter);
    shifted.push_back(stage.of_region ? add(dim.min, iter) : Expr(iter));
  }
  auto indices_of = [&](const Buffer& buffer) { return buffer.same_as(stage.allocated) ? indices : shifted; };
  auto element_of = [&](const Buffer& buffer) {
    return Array<TensorRegion>{make<TensorRegionNode>(buffer, points(indices_of(buffer)))};
  };
  Expr value = make<TensorLoadNode>(stage.from, indices_of(stage.from));
  Stmt body = make<BufferStoreNode>(stage.to, value, indices_of(stage.to));
  block_out =
      make<SBlockNode>(iters, element_of(stage.from), element_of(stage.to), stage.allocated->name, body);
  Expr predicate = bool_imm(true);
  for (size_t d = 0; d < stage.guards.size(); ++d) {
    Expr index = add(stage.region[d].min, loops[d].first);
    if (stage.guards[d].low) predicate = logical_and(predicate, ge(index, const_like(index, 0)));
    if (stage.guards[d].high) predicate = logical_and(predicate, lt(index, type->shape[d]));
  }
  return serial_loops(loops, make<SBlockRealizeNode>(values, analyzer.simplify(predicate), block_out));
}

Buffer choose_buffer(Step& step, size_t argument, const SRefNode& block, const Array<TensorRegion>& regions,
                     std::string_view role, Naming naming) {
  Any& given = step.call.args[argument];
  if (naming == Naming::kNumbers && given.type_index() != ffi::TypeIndex::kTVMFFIInt)
    wrong_argument(step.call, argument, "the number of a buffer");
  std::vector<std::string> names;
  for (const TensorRegion& region : regions) names.emplace_back(region->source->name);
  auto chosen = [&](size_t i) {
    given = static_cast<int64_t>(i);
    return regions[i]->source;
  };
  std::string asked;
  bool named = false;  // TVM looks names and buffers up before the primitive begins
  if (auto name = given.try_cast<String>()) {
    named = true;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == std::string(*name)) return chosen(i);
    }
    asked = fmt::format("buffer `{}`", name->c_str());
  } else if (auto var = ir::try_get<Var>(given)) {
    named = true;
    for (size_t i = 0; i < regions.size(); ++i) {
      if (regions[i]->source.same_as(*var)) return chosen(i);
    }
    asked = fmt::format("buffer `{}`", (*var)->name.c_str());
  } else if (given.type_index() == ffi::TypeIndex::kTVMFFIInt) {
    int64_t i = given.cast<int64_t>();
    if (i >= 0 && i < static_cast<int64_t>(regions.size())) return regions[i]->source;
    asked = fmt::format("buffer number {}", i);
  } else {
    wrong_argument(step.call, argument, "the number or name of a buffer");
  }
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) list += fmt::format("{}{}: `{}`", i ? ", " : "", i, names[i]);
  throw refuse_as(shared_refusals["no-such-buffer"], "block `{}` {} no {}", block.name.c_str(), role, asked)
      .kind(named ? "AssertionError+ScheduleError" : "ScheduleError")
      .at(step.span(argument))
      .help(names.empty() ? fmt::format("it {} nothing", role) : fmt::format("it {} {}", role, list));
}

void require_storage_scope(Step& step, size_t argument, const String& storage_scope) {
  static constexpr std::string_view kinds[] = {
      "global",           "shared",  "warp",    "local",           "wmma.matrix_a",   "wmma.matrix_b",
      "wmma.accumulator", "texture", "amx.tmm", "m16n8k8.matrixA", "m16n8k8.matrixB", "m16n8k8.matrixC",
      "metal.simdgroup",  "trn."};
  std::string_view scope(storage_scope.data(), storage_scope.size());
  if (scope.empty()) return;
  for (std::string_view kind : kinds) {
    if (scope.starts_with(kind)) return;
  }
  std::vector<std::string> names(std::begin(kinds), std::end(kinds));
  throw refuse(refusals["unknown-storage-scope"], scope)
      .at(step.span(argument))
      .help(did_you_mean(scope, names));
}

Buffer buffer_in(const Buffer& buffer, const String& storage_scope) {
  auto type = ffi::make_object<BufferTypeNode>(*buffer->buffer());
  type->storage_scope = storage_scope;
  return make<VarNode>(String(fmt::format("{}_{}", buffer->name.c_str(), storage_scope.c_str())),
                       Type(BufferType(type)));
}

SRefNode* only_writer(const Dependences& deps, const Buffer& buffer, Span span) {
  auto found = deps.writers.find(buffer.get());
  if (found == deps.writers.end() || found->second.empty()) return nullptr;
  if (found->second.size() > 1) {
    throw refuse(refusals["several-writers"], found->second[0]->name.c_str(), found->second[1]->name.c_str(),
                 buffer->name.c_str())
        .at(span);
  }
  return found->second[0];
}

void require_read_after(Step& step, const Dependences& deps, SRefNode& writer,
                        const std::vector<SRefNode*>& readers, const Buffer& buffer, bool use_copy) {
  for (SRefNode* reader : deps.blocks) {
    if (reader == &writer) return;
    if (std::find(readers.begin(), readers.end(), reader) == readers.end()) continue;
    if (!use_copy && common_above({reader, &writer})->block()) continue;
    throw refuse_as(shared_refusals["written-after-read"],
                    "block `{}` writes `{}`, which block `{}` has read before it", writer.name.c_str(),
                    buffer->name.c_str(), reader->name.c_str())
        .at(step.span(2))
        .note("the writer is defined here", writer.stmt->span)
        .note("the reader is defined here", reader->stmt->span);
  }
}

CopyLocation location_after(const Dependences& deps, SRefNode& scope, SRefNode& writer,
                            const std::vector<SRefNode*>& related) {
  bool behind = false;
  for (SRefNode* block : deps.blocks) {
    if (behind && std::find(related.begin(), related.end(), block) != related.end()) {
      SRefNode* common = common_above({&writer, block});
      return {common, child_position(*common, *block)};
    }
    behind = behind || block == &writer;
  }
  return {&scope, statements_of(scope.block()->body).size()};
}

Interval inside_shape(const Interval& part, const Expr& size, Analyzer& analyzer) {
  Expr low = analyzer.simplify(part.min), high = analyzer.simplify(part.max);
  Expr first = const_like(size, 0), last = size - 1;
  if (!analyzer.can_prove(ge(low, first))) low = analyzer.simplify(max(low, first));
  if (!analyzer.can_prove(le(high, last))) high = analyzer.simplify(min(high, last));
  return {low, high};
}

namespace {

void take_shape_of_region(CacheStage& stage) {
  stage.of_region = true;
  Analyzer analyzer;
  auto type = ffi::make_object<BufferTypeNode>(*stage.allocated->buffer());
  type->shape = Array<Expr>();
  for (size_t d = 0; d < stage.region.size(); ++d) type->shape.push_back(extent_of(stage, d, analyzer));
  Buffer& allocated = stage.allocated.same_as(stage.from) ? stage.from : stage.to;
  allocated = stage.allocated = make<VarNode>(stage.allocated->name, Type(BufferType(type)));
}

// Accesses of one buffer, counted from the first element of a region.
Stmt counted_from(const std::vector<Interval>& region, const Buffer& buffer, const Stmt& stmt) {
  Analyzer analyzer;
  auto from = [&](const Expr& index, size_t d) {
    Expr moved = sub(index, region[d].min);
    return index.as<ir::RampNode>() ? moved : analyzer.simplify(moved);
  };
  auto all_from = [&](Array<Expr>& indices) {
    for (size_t d = 0; d < indices.size(); ++d) indices.Set(d, from(indices[d], d));
  };
  return rewrite_with(
      stmt, overloaded{[&](const Expr& e, Rewriter& on) -> Expr {
                         Expr next = on.rewrite_children(e);
                         if (auto* load = as<TensorLoadNode>(next); load && load->source.same_as(buffer))
                           return with(ref(load), [&](TensorLoadNode& copy) { all_from(copy.indices); });
                         auto* part = as<TensorRegionNode>(next);
                         if (!part || !part->source.same_as(buffer)) return next;
                         Array<Range> ranges;
                         for (size_t d = 0; d < part->region.size(); ++d)
                           ranges.push_back(
                               make<RangeNode>(from(part->region[d]->min, d), part->region[d]->extent));
                         return make<TensorRegionNode>(buffer, ranges);
                       },
                       [&](const Stmt& s, Rewriter& on) -> Stmt {
                         Stmt next = on.rewrite_children(s);
                         auto* store = as<BufferStoreNode>(next);
                         if (!store || !store->buffer.same_as(buffer)) return next;
                         return with(ref(store), [&](BufferStoreNode& copy) { all_from(copy.indices); });
                       }});
}

}  // namespace

void set_region_of_input(CacheStage& stage, const SRefNode& scope) {
  stage.region.clear();
  for (const Expr& extent : stage.from->buffer()->shape)
    stage.region.push_back({const_like(extent, 0), extent - 1});
  for (const TensorRegion& declared : scope.block()->reads) {
    if (!declared->source.same_as(stage.from)) continue;
    for (size_t d = 0; d < stage.region.size(); ++d)
      stage.region[d] = {declared->region[d]->min,
                         declared->region[d]->min + declared->region[d]->extent - 1};
  }
  stage.guards.assign(stage.region.size(), {});
  take_shape_of_region(stage);
}

namespace {

// The memory that fewer threads share.
std::string_view narrower(std::string_view a, std::string_view b) {
  auto rank = [](std::string_view memory) {
    return memory.starts_with("shared") ? 2 : memory.starts_with("warp") ? 1 : 0;
  };
  return rank(a) <= rank(b) ? a : b;
}

}  // namespace

void set_region(CacheStage& stage, ScheduleState& state, const SRefNode& block, const TensorRegion& region) {
  SRefNode& location = *stage.location;
  Analyzer analyzer;
  if (location.loop()) {
    bind_surroundings_visibly(analyzer, state, location);
  } else {
    bind_surroundings(analyzer, state, location);
    for (const IterVar& iter : location.block()->iter_vars) analyzer.bind(iter->var, iter->dom);
  }
  std::vector<Box> boxes;
  // Threads that share the memory of `region` see all of a part. A copy out of memory that they do not share
  // holds what one thread wrote.
  std::string_view memory = memory_of(region->source);
  if (!stage.from.same_as(region->source)) memory = narrower(memory, memory_of(stage.from));
  relax_below(state, block, {region}, location, memory, boxes, analyzer);
  stage.region.clear();
  std::vector<Interval>& result = stage.region;
  std::optional<decltype(analyzer.assume(Expr()))> inside;
  inside.emplace(analyzer.assume(realize_of(state, block)->predicate));
  const Array<Expr>& shape = region->source->buffer()->shape;
  stage.extents.assign(shape.size(), Expr());
  for (size_t d = 0; d < shape.size(); ++d) {
    Interval whole{const_like(shape[d], 0), shape[d] - 1};
    const Interval& part = boxes[0].dims[d];
    if (!part) {
      result.push_back(whole);
      continue;
    }
    Interval cut = inside_shape(part, shape[d], analyzer);
    Expr low = analyzer.simplify(part.min), high = analyzer.simplify(part.max);
    if (same_expr(cut.min, low) && !same_expr(cut.max, high)) {
      Analyzer plain;
      stage.extents[d] = plain.simplify(min(shape[d] - low, plain.simplify(high - low + 1)));
    }
    result.push_back(cut);
  }
  // Where the block itself does not run, there is nothing to copy.
  inside.reset();
  stage.guards.clear();
  Domain run = domain_of(ranges_of(loops_up(location)));
  for (size_t d = 0; d < shape.size(); ++d) {
    stage.guards.push_back({.low = !always_holds(ge(result[d].min, const_like(shape[d], 0)), analyzer, run),
                            .high = !always_holds(lt(result[d].max, shape[d]), analyzer, run)});
  }
  if (!location.loop()) take_shape_of_region(stage);
}

Stmt scope_with_stage(const SRefNode& scope, const CopyLocation& at, const Stmt& copy,
                      const Buffer& allocated, const std::vector<SRefNode*>& users,
                      const ChangeBlock& change) {
  std::vector<const SRefNode*> places(users.begin(), users.end());
  std::unordered_set<const StmtNode*> changed, above = all_above(places);
  for (const SRefNode* user : users) changed.insert(user->stmt.get());
  for (const SRefNode* up = at.sref; up; up = up->parent) above.insert(up->stmt.get());
  // Looks only where the copy and the changed blocks are.
  Stmt next = rewrite_with(scope.stmt, [&](const Stmt& s, Rewriter& on) {
    if (changed.contains(s.get())) return change(s);
    bool place = s->kind == StmtKind::kFor || s->kind == StmtKind::kSBlock;
    if (place && !above.contains(s.get())) return s;
    Stmt rewritten = on.rewrite_children(s);
    if (!s.same_as(at.sref->stmt)) return rewritten;
    std::vector<Stmt> all = statements_of(body_of(rewritten));
    MLC_CHECK(all.size() == statements_of(body_of(s)).size(),
              "changing blocks changed the number of statements");
    all.insert(all.begin() + static_cast<int64_t>(at.position), copy);
    return with_statements(rewritten, all);
  });
  return with(ref(as<SBlockNode>(next)), [&](SBlockNode& node) { node.alloc_buffers.push_back(allocated); });
}

SRefNode* add_cache_stage(Step& step, SRefNode& scope, const CacheStage& stage,
                          const std::vector<SRefNode*>& users) {
  SBlock block;
  Stmt copy = copy_nest(stage, block);
  const Buffer& other = stage.allocated.same_as(stage.from) ? stage.to : stage.from;
  auto use = [&](const Stmt& s) {
    return use_copy(stage.of_region ? counted_from(stage.region, other, s) : s, other, stage.allocated);
  };
  step.replace(scope,
               scope_with_stage(scope, {stage.location, stage.position}, copy, stage.allocated, users, use));
  SRefNode* sref = step.sref(block);
  sref->affine_binding = has_affine_binding(step.state, *sref);
  return sref;
}

}  // namespace mlc::transform
