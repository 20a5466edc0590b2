// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/sampling.h"

namespace mlc::transform::primitive_annotate_buffer_access {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "buffer-access-ranges",
         .message = "an end of a range is `{}`, not an index",
         .help = "the function gives `begin, end` for each dimension",
         .meaning =
             "The function is asked for the range of each dimension, as two index expressions or one index.",
         .wrong =
             R"(sch.annotate_buffer_access(sch.get_sblock("double"), 0, "read", lambda i, j: (("all", "all"), (j, j + 1))))",
         .right =
             R"(sch.annotate_buffer_access(sch.get_sblock("double"), 0, "read", lambda i, j: ((i, i + 1), (j, j + 1))))"},
        {.name = "buffer-access-kind",
         .message = "`{}` is neither \"read\" nor \"write\"",
         .help = "it is \"read\" or \"write\"",
         .meaning = "A block has two lists of buffers, those it reads and those it writes.",
         .wrong =
             R"(sch.annotate_buffer_access(sch.get_sblock("double"), 0, "both", lambda i, j: ((i, i + 1), (j, j + 1))))",
         .right =
             R"(sch.annotate_buffer_access(sch.get_sblock("double"), 0, "write", lambda i, j: ((i, i + 1), (j, j + 1))))"},
    }};
MLC_REFUSALS(primitive_annotate_buffer_access, refusals);

static constexpr char doc[] = R"(
annotate_buffer_access(block, buffer_index, buf_type, gen_new_ranges)      Say what region of a buffer a block touches.

    T.reads(B[vi, vj])        =>      T.reads(B[vi - 1:vi + 1, 0:128])
                                      T.sblock_attr({"explicit_read_region": [0]})

`buf_type` is "read" or "write"; `gen_new_ranges` a function from the block's iterators to (begin, end) of each dimension, as
`lambda vi, vj: ((vi - 1, vi + 1), (0, 128))`; a single index stands for one element. The annotation keeps passes from
computing the region anew.
needs: one range for each dimension of the buffer.
keeps: what the block computes; that the region holds all it touches is on the caller.
)";

namespace {

AccessRanges ranges_argument(Step& step, const SBlockNode& block, size_t ndim) {
  const Any& given = step.call.args[4];
  if (given == nullptr) wrong_argument(step.call, 4, "a function of the block's iterators");
  if (auto ranges = given.as<AccessRanges>()) return *ranges;
  if (auto ends = ir::try_get<IndexMap>(given)) {
    if ((*ends)->final_indices.size() != 2 * ndim ||
        (*ends)->initial_indices.size() != block.iter_vars.size())
      wrong_argument(step.call, 4, fmt::format("a map from the block's iterators to {} ends", 2 * ndim));
    return make<AccessRangesNode>(*ends);
  }
  if (!step.call.host.callable(given)) wrong_argument(step.call, 4, "a function of the block's iterators");
  Array<Var> vars;
  std::vector<Any> args;
  DataType dtype = DataType::Int(32);
  for (const IterVar& iter : block.iter_vars) {
    vars.push_back(make<VarNode>(iter->var->name, iter->var->ty));
    args.push_back(Expr(vars.back()));
    dtype = iter->var->dtype();
  }
  Any result = step.call.host.call(given, args);
  Array<Expr> ends;
  auto end = [&](const Any& value) -> Expr {
    if (value.type_index() == ffi::TypeIndex::kTVMFFIInt) return int_imm(dtype, value.cast<int64_t>());
    if (auto e = value == nullptr ? std::nullopt : ir::try_get<Expr>(value); e && *e) return *e;
    throw refuse(refusals["buffer-access-ranges"], type_name(value)).at(step.span(4));
  };
  std::vector<Any> all = items_of(step.call, 4, result);
  for (const Any& one : all) {
    bool pair = one != nullptr && (one.as<Array<Any>>() || one.as<ffi::List<Any>>());
    std::vector<Any> both = pair ? items_of(step.call, 4, one) : std::vector<Any>{one};
    if (both.size() > 2) {
      throw refuse_as(refusals["buffer-access-ranges"], "a range has {} ends", both.size())
          .at(step.span(4))
          .help("a range is (begin, end), or one index");
    }
    ends.push_back(end(both[0]));
    ends.push_back(both.size() == 2 ? end(both[1]) : end(both[0]) + 1);
  }
  // TVM expects one range per iterator, and fails on a region of another rank than the buffer's.
  if (all.size() != block.iter_vars.size()) {
    throw refuse_as(refusals["buffer-access-ranges"], "{} range{} for {} iterator{}", all.size(),
                    all.size() == 1 ? "" : "s", block.iter_vars.size(),
                    block.iter_vars.size() == 1 ? "" : "s")
        .kind("ValueError+ScheduleError")
        .at(step.span(4));
  }
  if (all.size() != ndim) {
    throw refuse_as(refusals["buffer-access-ranges"], "{} range{} for {} dimension{}", all.size(),
                    all.size() == 1 ? "" : "s", ndim, ndim == 1 ? "" : "s")
        .kind("ValueError+ScheduleError")
        .at(step.span(4));
  }
  return make<AccessRangesNode>(make<IndexMapNode>(vars, ends));
}

void apply(Step& step, BlockHandleArg block, int64_t buffer_index, String buf_type, Any) {
  // check
  bool write = buf_type == "write";
  if (!write && buf_type != "read") {
    throw refuse(refusals["buffer-access-kind"], buf_type.c_str())
        .kind("ValueError+ScheduleError")
        .at(step.span(3));
  }
  const SBlockNode* old = block->block();
  const Array<TensorRegion>& regions = write ? old->writes : old->reads;
  if (buffer_index < 0 || buffer_index >= static_cast<int64_t>(regions.size())) {
    throw refuse(shared_refusals["no-such-buffer"], block->name.c_str(), write ? "writes" : "reads",
                 buffer_index)
        .at(step.span(2))
        .help(fmt::format("it {} {} buffer{}", write ? "writes" : "reads", regions.size(),
                          regions.size() == 1 ? "" : "s"));
  }
  const Buffer& buffer = regions[buffer_index]->source;
  AccessRanges ranges = ranges_argument(step, *old, buffer->buffer()->shape.size());
  step.call.args[4] = ranges;

  // apply
  VarMap values;
  for (size_t i = 0; i < old->iter_vars.size(); ++i)
    values[ranges->ends->initial_indices[i].get()] = old->iter_vars[i]->var;
  Array<Range> next_ranges;
  Analyzer analyzer;
  for (size_t i = 0; i < ranges->ends->final_indices.size(); i += 2) {
    Expr min = substitute(ranges->ends->final_indices[i], values);
    Expr end = substitute(ranges->ends->final_indices[i + 1], values);
    next_ranges.push_back(make<RangeNode>(min, analyzer.simplify(sub(end, min))));
  }
  Stmt next = with(ref(old), [&](SBlockNode& copy) {
    Array<TensorRegion>& mine = write ? copy.writes : copy.reads;
    mine.Set(buffer_index, make<TensorRegionNode>(buffer, next_ranges));
    String key = write ? "explicit_write_region" : "explicit_read_region";
    Array<Any> known;
    bool there = false;
    if (auto found = copy.annotations.find(key); found != copy.annotations.end()) {
      for (const Any& one : (*found).second.cast<Array<Any>>()) {
        known.push_back(one);
        auto number = one.as<IntImm>();
        there = there || (number ? (*number)->value : one.cast<int64_t>()) == buffer_index;
      }
    }
    if (!there) known.push_back(buffer_index);
    copy.annotations.Set(key, known);
  });
  step.replace(*block, next);
  if (SRefNode* scope = scope_of(*block)) recheck_cover(step.state, *scope, buffer);
}

}  // namespace

extern const Primitive annotate_buffer_access;
const Primitive annotate_buffer_access = primitive<&apply>(
    "AnnotateBufferAccess", "annotate_buffer_access(block, buffer_index, buf_type, gen_new_ranges)", doc, "",
    "buffer_index,role:buf_type,gen_new_ranges",
    [](std::span<const Any>) -> std::string_view { return "the given region holds all that is accessed"; });

}  // namespace mlc::transform::primitive_annotate_buffer_access
