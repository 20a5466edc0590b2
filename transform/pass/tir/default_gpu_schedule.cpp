// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"
#include "transform/pass/schedule_steps.h"

namespace mlc::transform::pass_default_gpu_schedule {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "loops-are-not-iterators", .message = "block `{}` has {} loops for its {} iterators"},
        {.name = "block-name-taken", .message = "two blocks of `{}` are called `{}`"},
    }};
MLC_REFUSALS(tir_default_gpu_schedule, refusals);

namespace {

constexpr char doc[] =
    R"(DefaultGPUSchedule(): every block on threads, so that a module runs on a GPU at all.

    for i, j in T.grid(128, 128):               for i_j_fused_0 in T.thread_binding(16, thread="blockIdx.x"):
        with T.sblock("B"): ...         =>          for i_j_fused_1 in T.thread_binding(1024, thread="threadIdx.x"):
                                                        with T.sblock("B"): ...
needs: the function's attribute `target`, or a target around the call (functions for targets without
`max_num_threads` stay); each innermost block has one loop for each
iterator.
keeps: what the blocks compute. Data-parallel loops are fused, split by the threads a block may have (past 256 blocks
a loop stays inside) and bound. Blocks with loops on threads stay, and so do functions with `tirx.is_scheduled`;
all functions have that attribute afterwards.)";

constexpr int64_t kMaxBlocks = 256;

void bind_to_threads(ScheduleSteps& steps, const Any& block, int64_t max_threads) {
  std::vector<Any> loops = steps.run("get_loops", {block});
  for (const Any& loop : loops) {
    if (steps.loop(loop)->thread_binding) return;
  }
  const SBlockNode* node = steps.block(block);
  if (loops.size() != node->iter_vars.size() && !(loops.empty() && node->iter_vars.size() <= 1)) {
    throw refuse(refusals["loops-are-not-iterators"], node->name_hint.c_str(), loops.size(),
                 node->iter_vars.size())
        .kind(kRefusedValue)
        .at(node->span);
  }
  Array<Any> parallel;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (node->iter_vars[static_cast<int64_t>(i)]->iter_type == IterType::kDataPar)
      parallel.push_back(loops[i]);
  }
  if (parallel.empty()) parallel.push_back(steps.run("add_unit_loop", {loops.empty() ? block : loops[0]})[0]);
  Any fused = steps.run("fuse", {parallel, false})[0];
  auto extent = const_int(steps.loop(fused)->extent);
  bool fits = extent && *extent <= max_threads * kMaxBlocks;
  Array<Any> factors = fits ? Array<Any>{nullptr, std::min(*extent, max_threads)}
                            : Array<Any>{nullptr, kMaxBlocks, max_threads};
  std::vector<Any> split = steps.run("split", {fused, factors});
  if (!fits) steps.run("reorder", {Array<Any>{split[1], split[2], split[0]}});
  steps.run("bind", {split[fits ? 0 : 1], String("blockIdx.x")});
  steps.run("bind", {split.back(), String("threadIdx.x")});
}

// A block that is the whole function is no scope yet: it is put into one, with one instance.
PrimFunc with_scope(const PrimFunc& fn) {
  auto* realize = as<SBlockRealizeNode>(fn->body);
  if (!realize || has_flag(fn, "tirx.is_scheduled")) return fn;
  bool leaf = true;
  post_order(realize->block->body, nullptr,
             [&](const Stmt& s) { leaf &= !as<SBlockNode>(s) && !as<ForNode>(s); });
  if (!leaf || text(realize->block->name_hint) == "root") return fn;
  IterVar once = make<IterVarNode>(make<RangeNode>(int32(0), int32(1)), make_var("vu", DataType::Int(32)),
                                   IterType::kDataPar);
  SBlock block = with(realize->block, [&](SBlockNode& n) { n.iter_vars = {once}; });
  Stmt inner = with(ref(realize), [&](SBlockRealizeNode& n) {
    n.iter_values = {int32(0)};
    n.block = block;
  });
  SBlock root =
      make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, String("root"), inner);
  return with_body(fn, make<SBlockRealizeNode>(Array<Expr>{}, Expr(bool_imm(true)), root));
}

IRModule apply(const IRModule& given, const PassOptions& options) {
  IRModule mod = map_prim_funcs(given, with_scope);
  ScheduleSteps steps(mod, *options.host);
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn || has_flag(*fn, "tirx.is_scheduled") || !as<SBlockRealizeNode>((*fn)->body)) continue;
    auto around = target_around(*fn);
    Target target = around ? *around : target_of(*fn, "DefaultGPUSchedule");
    int64_t max_threads = target_attr<int64_t>(target, "max_num_threads", 0);
    if (max_threads <= 0) continue;  // no GPU
    std::vector<String> blocks;
    std::unordered_set<std::string> names;
    post_order((*fn)->body, nullptr, [&](const Stmt& s) {
      auto* named = as<SBlockNode>(s);
      if (named && !names.insert(std::string(text(named->name_hint))).second) {
        throw refuse(refusals["block-name-taken"], name->name_hint.c_str(), named->name_hint.c_str())
            .kind("InternalError")
            .at(s->span);
      }
      if (auto* block = as<SBlockNode>(s);
          block && s.get() != as<SBlockRealizeNode>((*fn)->body)->block.get())
        blocks.push_back(block->name_hint);
    });
    for (const String& block : blocks) {
      Any handle = steps.run("get_sblock", {block, name->name_hint})[0];
      if (steps.run("get_child_blocks", {handle}).empty()) bind_to_threads(steps, handle, max_threads);
    }
  }
  return map_prim_funcs(steps.mod(),
                        [](const PrimFunc& fn) { return with_attr(fn, "tirx.is_scheduled", true); });
}

}  // namespace

extern const Pass default_gpu_schedule{
    "DefaultGPUSchedule", "s_tir.transform", "DefaultGPUSchedule()", doc, nullptr, apply, {},
    "DefaultGPUSchedule"};

}  // namespace mlc::transform::pass_default_gpu_schedule
