// SPDX-License-Identifier: Apache-2.0
// The state of a schedule as scripts see it: references to loops and blocks, the dependences of a scope, and
// replacing one statement by another.
#include "ir/core/error_kinds.h"
#include "ir/core/module.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "transform/schedule/analysis.h"
#include "transform/schedule/api.h"
#include "transform/schedule/refusals.h"
#include "transform/schedule/schedule.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "replace-kinds",
         .message = "a {} is replaced by a {}, not by this statement",
         .help = "a loop is replaced by a loop or a realized block, a block by a block",
         .meaning = "What stands for the statement must have its place in the tree of loops and blocks."},
        {.name = "not-in-schedule",
         .message = "the statement is not in the schedule",
         .help = "take it from the schedule: `sch.get(sch.get_sblock(name))`",
         .meaning = "A schedule knows the loops and blocks of its own module, as they are now."},
        {.name = "not-constructible",
         .message = "a `{}` is what a schedule gives; it cannot be made",
         .help = "`sch.get_sref(block)` gives one",
         .meaning = "It stands for a place in the module of a schedule.",
         .wrong = "tvm.s_tir.schedule.StmtSRef()",
         .right = R"(sch.get_sref(sch.get_sblock("double")))"},
        {.name = "debug-mask",
         .message = "there is no `debug_mask` `{}`",
         .help = "`\"all\"` or `\"none\"`",
         .meaning = "The mask says which of the schedule's own checks run behind each step.",
         .wrong = R"(tvm.s_tir.Schedule(main, debug_mask="some"))",
         .right = R"(tvm.s_tir.Schedule(main, debug_mask="all"))"},
    }};
MLC_REFUSALS(schedule_state_api, refusals);

namespace {

// The module of a schedule with what is known of its loops and blocks.
struct ScheduleStateNode final : ffi::Object {
  Schedule schedule;
  explicit ScheduleStateNode(Schedule schedule) : schedule(std::move(schedule)) {}
  MLC_NODE("mlc.s_tir.ScheduleState", ScheduleStateNode, ffi::Object);
};

// A loop or block in the program; it follows the SRef through rewrites. A mark refers to nothing.
struct StmtSRefNode final : ffi::Object {
  Schedule schedule;  // keeps the SRef's parents alive; null for marks
  SRef sref;
  bool blocks_only;  // parents are blocks
  StmtSRefNode(Schedule schedule, SRef sref, bool blocks_only)
      : schedule(std::move(schedule)), sref(std::move(sref)), blocks_only(blocks_only) {}
  MLC_NODE("mlc.s_tir.StmtSRef", StmtSRefNode, ffi::Object);
};
using StmtSRef = Ref<StmtSRefNode>;

struct SBlockScopeNode final : ffi::Object {
  StmtSRef root;
  explicit SBlockScopeNode(StmtSRef root) : root(std::move(root)) {}
  MLC_NODE("mlc.s_tir.SBlockScope", SBlockScopeNode, ffi::Object);
};

enum class DepKind : uint8_t { kRAW, kWAW, kWAR, kOpaque };
struct DependencyNode final : ffi::Object {
  StmtSRef src, dst;
  DepKind kind;
  DependencyNode(StmtSRef src, StmtSRef dst, DepKind kind)
      : src(std::move(src)), dst(std::move(dst)), kind(kind) {}
  MLC_NODE("mlc.s_tir.Dependency", DependencyNode, ffi::Object);
};

struct CachedFlagsNode final : ffi::Object {
  bool affine_binding, region_cover, stage_pipeline;
  CachedFlagsNode(bool affine_binding, bool region_cover, bool stage_pipeline)
      : affine_binding(affine_binding), region_cover(region_cover), stage_pipeline(stage_pipeline) {}
  MLC_NODE("mlc.s_tir.CachedFlags", CachedFlagsNode, ffi::Object);
};

struct SBlockDependenceInfoNode final : ffi::Object {
  Schedule schedule;
  explicit SBlockDependenceInfoNode(Schedule schedule) : schedule(std::move(schedule)) {}
  MLC_NODE("mlc.s_tir.SBlockDependenceInfo", SBlockDependenceInfoNode, ffi::Object);
};

// ---- references ----

StmtSRef sref_of(const Schedule& schedule, const SRef& sref, bool blocks_only = false) {
  return make<StmtSRefNode>(schedule, sref, blocks_only);
}

// The reference to a statement of the module; null when it has none.
Any find_sref(const Schedule& schedule, const Stmt& stmt, bool blocks_only = false) {
  ScheduleState& state = *schedule->state;
  for (const auto& [name, fn] : state.mod()->functions) {
    auto function = ir::try_get<PrimFunc>(fn);
    if (function && as<SBlockRealizeNode>((*function)->body)) state.index(name);
  }
  SRef sref = state.find(stmt.get());
  if (!sref || (blocks_only && !sref->block())) return nullptr;
  return sref_of(schedule, sref, blocks_only);
}

const StmtSRefNode& sref(ApiCall& call, size_t i) {
  auto* found = call.args[i].as<StmtSRefNode>();
  if (!found) wrong_argument(call, i, "StmtSRef");
  return *found;
}
const SRefNode& block_place(ApiCall& call, size_t i) {
  const StmtSRefNode& given = sref(call, i);
  if (given.sref && given.sref->block()) return *given.sref;
  throw Error("wrong-type", "expected a reference to a block, got {}",
              given.sref && given.sref->loop() ? "one to a loop" : "one that refers to nothing")
      .kind("TypeError")
      .at(call.span_of(i));
}

Any sref_stmt(ApiCall& call) {
  const StmtSRefNode& self = sref(call, 0);
  return self.sref && self.sref->alive() ? Any(self.sref->stmt) : Any(nullptr);
}
Any sref_parent(ApiCall& call) {
  const StmtSRefNode& self = sref(call, 0);
  if (!self.sref || !self.sref->alive()) return nullptr;
  SRefNode* parent = self.sref->parent;
  while (self.blocks_only && parent && !parent->block()) parent = parent->parent;
  return parent ? Any(sref_of(self.schedule, self.schedule->state->owner(parent), self.blocks_only))
                : nullptr;
}
// The position in the sequence that it stands in itself; -1 outside of sequences.
int64_t seq_index(const StmtSRefNode& self) {
  if (!self.sref || !self.sref->alive() || !self.sref->parent) return -1;
  int64_t found = -1;
  walk_with(body_of(self.sref->parent->stmt), [&](const Stmt& s, Walker& on) {
    if (s->kind == StmtKind::kFor || s->kind == StmtKind::kSBlockRealize) return;
    if (auto* all = as<SeqStmtNode>(s)) {
      for (size_t i = 0; i < all->seq.size(); ++i) {
        auto* realize = as<SBlockRealizeNode>(all->seq[i]);
        if ((realize ? realize->block.get() : all->seq[i].get()) == self.sref->stmt.get())
          found = static_cast<int64_t>(i);
      }
    }
    on.walk_children(s);
  });
  return found;
}
Any sref_seq_index(ApiCall& call) { return seq_index(sref(call, 0)); }
Any sref_repr(ApiCall& call) {
  return String(fmt::format("s_tir.StmtSRef(seq_index={})", seq_index(sref(call, 0))));
}
Any sref_equal(ApiCall& call) {
  auto* other = call.args[1].as<StmtSRefNode>();
  if (other == nullptr) return false;
  const StmtSRefNode& self = sref(call, 0);
  return self.sref ? self.sref == other->sref : &self == other;
}
template <int kWhich>
Any mark(ApiCall&) {
  static const StmtSRef made = make<StmtSRefNode>(Schedule(), SRef(), false);
  return made;
}

// ---- dependences ----

// The dependences between the blocks of a scope, in program order: what is read was written, what is written
// was written or read before.
std::vector<Ref<DependencyNode>> dependencies(const StmtSRef& root) {
  ScheduleState& state = *root->schedule->state;
  std::vector<Ref<DependencyNode>> found;
  std::unordered_map<const VarNode*, std::vector<SRef>> writers, readers;
  for (SRefNode* child : child_blocks(state, *root->sref)) {
    SRef block = state.owner(child);
    auto depend = [&](const auto& before, const TensorRegion& region, DepKind kind) {
      auto at = before.find(region->source.get());
      if (at == before.end()) return;
      for (const SRef& from : at->second) {
        auto ref = [&](const SRef& sref) { return sref_of(root->schedule, sref, root->blocks_only); };
        found.push_back(make<DependencyNode>(ref(from), ref(block), kind));
      }
    };
    for (const TensorRegion& region : block->block()->reads) depend(writers, region, DepKind::kRAW);
    for (const TensorRegion& region : block->block()->writes) depend(writers, region, DepKind::kWAW);
    for (const TensorRegion& region : block->block()->writes) depend(readers, region, DepKind::kWAR);
    for (const TensorRegion& region : block->block()->reads) readers[region->source.get()].push_back(block);
    for (const TensorRegion& region : block->block()->writes) writers[region->source.get()].push_back(block);
  }
  return found;
}

template <auto kEnd>
Any deps_by(ApiCall& call) {
  auto scope = call.args[0].cast<Ref<SBlockScopeNode>>();
  const StmtSRefNode& block = sref(call, 1);
  Array<Any> out;
  for (const auto& each : dependencies(scope->root)) {
    if ((each.get()->*kEnd)->sref == block.sref) out.push_back(each);
  }
  return out;
}
Any dependency_repr(ApiCall& call) {
  auto* self = call.args[0].as<DependencyNode>();
  return String(fmt::format("s_tir.Dependency(src={}, dst={}, kind={})", call.host.repr(Any(self->src)),
                            call.host.repr(Any(self->dst)), static_cast<int>(self->kind)));
}
Any scope_repr(ApiCall&) { return String("s_tir.SBlockScope"); }

// ---- the state ----

IRModule module_of(ApiCall& call, size_t i) {
  if (auto fn = ir::try_get<PrimFunc>(call.args[i]))
    return with_function(make<IRModuleNode>(), make<GlobalVarNode>("main"), *fn);
  if (auto mod = ir::try_get<IRModule>(call.args[i])) return *mod;
  throw Error("wrong-type", "the state of a schedule is that of a module or a prim_func, not of {}",
              call.host.repr(call.args[i]))
      .kind("TypeError")
      .at(call.span_of(i));
}

Any make_state(ApiCall& call) {
  if (!call.args[2].as<bool>() || call.args[2].type_index() == ffi::TypeIndex::kTVMFFIInt) {
    throw Error("wrong-type", "`enable_checks` is a bool, not {}", type_name(call.args[2]))
        .kind("TypeError")
        .at(call.span_of(2));
  }
  Schedule schedule = make_schedule(module_of(call, 0), 1, call.args[2].cast<bool>());
  mutable_schedule(schedule).debug_mask = parse_debug_mask(call, 1);
  return make<ScheduleStateNode>(schedule);
}
const Schedule& schedule_of(ApiCall& call) { return call.args[0].as<ScheduleStateNode>()->schedule; }
Any state_mod(ApiCall& call) { return schedule_of(call)->state->mod(); }
Any state_debug_mask(ApiCall& call) { return schedule_of(call)->debug_mask; }
Any state_enable_check(ApiCall& call) { return schedule_of(call)->enable_check; }
Any state_repr(ApiCall& call) {
  const Schedule& schedule = schedule_of(call);
  return String(fmt::format("s_tir.ScheduleState(mod={}, debug_mask={}, enable_check={})",
                            call.host.repr(Any(schedule->state->mod())), schedule->debug_mask,
                            schedule->enable_check ? "True" : "False"));
}
Any state_get_sref(ApiCall& call) {
  auto stmt = ir::try_get<Stmt>(call.args[1]);
  if (!stmt) wrong_argument(call, 1, "a statement");
  return find_sref(schedule_of(call), *stmt);
}
Any state_scope(ApiCall& call) {
  block_place(call, 1);
  return make<SBlockScopeNode>(ref(&sref(call, 1)));
}
Any state_flags(ApiCall& call) {
  const SRefNode& block = block_place(call, 1);
  return make<CachedFlagsNode>(block.affine_binding, block.region_cover, block.stage_pipeline);
}

Any state_replace(ApiCall& call) {
  const StmtSRefNode& at = sref(call, 1);
  auto next = ir::try_get<Stmt>(call.args[2]);
  if (!next) wrong_argument(call, 2, "a statement");
  if (!at.sref || !at.sref->alive())
    throw refuse_as(shared_refusals["loop-handle-gone"], "the reference refers to nothing")
        .at(call.span_of(1));
  StmtKind from = at.sref->stmt->kind, to = (*next)->kind;
  bool known = from == to || (from == StmtKind::kFor && to == StmtKind::kSBlockRealize);
  if (!known) {
    throw refuse(refusals["replace-kinds"], from == StmtKind::kFor ? "loop" : "block",
                 from == StmtKind::kFor ? "loop or a realized block" : "block")
        .kind("TypeError")
        .at(call.span_of(2));
  }
  BlockReuse reuse;
  if (call.args[3] != nullptr) {
    for (const auto& [before, after] : ir::detail::argument<Map<Any, Any>>(call, 3)) {
      auto *old_block = before.as<SBlockNode>(), *new_block = after.as<SBlockNode>();
      if (!old_block || !new_block) wrong_argument(call, 3, "a dict of blocks");
      reuse.emplace_back(old_block, new_block);
    }
  }
  mutable_schedule(schedule_of(call)).state->replace(*at.sref, *next, reuse, "replace");
  return nullptr;
}

Any flags_construct(ApiCall& call) {
  return make<CachedFlagsNode>(ir::detail::argument<bool>(call, 0), ir::detail::argument<bool>(call, 1),
                               ir::detail::argument<bool>(call, 2));
}
Any flags_repr(ApiCall& call) {
  auto* self = call.args[0].as<CachedFlagsNode>();
  auto text = [](bool flag) { return flag ? "True" : "False"; };
  return String(fmt::format("CachedFlags(affine_binding={}, region_cover={}, stage_pipeline={})",
                            text(self->affine_binding), text(self->region_cover),
                            text(self->stage_pipeline)));
}
Any flags_equal(ApiCall& call) {
  auto *a = call.args[0].as<CachedFlagsNode>(), *b = call.args[1].as<CachedFlagsNode>();
  return b != nullptr && a->affine_binding == b->affine_binding && a->region_cover == b->region_cover &&
         a->stage_pipeline == b->stage_pipeline;
}

Any schedule_state(ApiCall& call) { return make<ScheduleStateNode>(call.args[0].cast<Schedule>()); }
Any schedule_get_sref(ApiCall& call) {
  auto schedule = call.args[0].cast<Schedule>();
  if (auto stmt = ir::try_get<Stmt>(call.args[1])) {
    Any found = find_sref(schedule, *stmt);
    if (found != nullptr) return found;
    throw refuse(refusals["not-in-schedule"]).kind("IndexError").at(call.span_of(1));
  }
  if (!ir::try_get<LoopRV>(call.args[1]) && !ir::try_get<SBlockRV>(call.args[1]))
    wrong_argument(call, 1, "a loop or block of this schedule");
  auto found = schedule->handles.find(call.args[1].as<ffi::Object>());
  if (found == schedule->handles.end())
    throw refuse_as(shared_refusals["unknown-handle"], "this handle belongs to another schedule")
        .kind(kNoHandle)
        .at(call.span_of(1));
  return sref_of(schedule, found->second);
}

// ---- dependences between blocks alone ----

Any make_info(ApiCall& call) {
  return make<SBlockDependenceInfoNode>(make_schedule(module_of(call, 0), 1, true));
}
Any info_get_sref(ApiCall& call) {
  auto block = ir::try_get<Stmt>(call.args[1]);
  if (!block || (*block)->kind != StmtKind::kSBlock) wrong_argument(call, 1, "a block");
  return find_sref(call.args[0].as<SBlockDependenceInfoNode>()->schedule, *block, true);
}

Any no_constructor(ApiCall& call) {
  throw refuse(refusals["not-constructible"], call.api.name).kind("TypeError").at(call.span);
}

constexpr std::string_view kTirs = "tvm.s_tir", kSchedules = "tvm.s_tir.schedule",
                           kSchedule = "mlc.s_tir.Schedule", kState = "mlc.s_tir.ScheduleState",
                           kSRef = "mlc.s_tir.StmtSRef", kScope = "mlc.s_tir.SBlockScope",
                           kDependency = "mlc.s_tir.Dependency", kFlags = "mlc.s_tir.CachedFlags",
                           kInfo = "mlc.s_tir.SBlockDependenceInfo";

#define FIELD(Node, key, name, doc)                                                                          \
  {                                                                                                          \
    ApiKind::kProperty, key, #name, doc, +[](ApiCall& call) -> Any { return call.args[0].as<Node>()->name; } \
  }
const ApiRow state_api_table[] = {
    {ApiKind::kClass, kTirs, "ScheduleState(mod, *, debug_mask=\"none\", enable_check=True)",
     "A module with what is known of its loops and blocks.", make_state, kState,
     "tvm.s_tir.schedule.state.ScheduleState"},
    {ApiKind::kProperty, kState, "mod", "The module as it is now.", state_mod},
    {ApiKind::kProperty, kState, "debug_mask", "What is verified: every step is, whatever it says.",
     state_debug_mask},
    {ApiKind::kProperty, kState, "enable_check", "Are the preconditions of steps checked?",
     state_enable_check},
    {ApiKind::kMethod, kState, "__repr__()", "The fields.", state_repr},
    {ApiKind::kMethod, kState, "get_sref(stmt)", "The reference to a loop or block; None when it is neither.",
     state_get_sref},
    {ApiKind::kMethod, kState, "get_sblock_scope(block_sref)",
     "The dependences between the blocks of a block.", state_scope},
    {ApiKind::kMethod, kState, "_get_cached_flags(block_sref)", "What is known of a block.", state_flags},
    {ApiKind::kMethod, kState, "replace(src_sref, tgt_stmt, block_sref_reuse=None)",
     "Puts a statement where a loop or block stands.", state_replace},
    {ApiKind::kClass, kTirs, "StmtSRef()", "A loop or block where it stands.", no_constructor, kSRef,
     "tvm.s_tir.sblock_scope.StmtSRef"},
    {ApiKind::kProperty, kSRef, "stmt", "The loop or block; None when it is gone.", sref_stmt},
    {ApiKind::kProperty, kSRef, "parent", "The loop or block around; None for a root block.", sref_parent},
    {ApiKind::kProperty, kSRef, "seq_index", "The position in the sequence around it; -1 outside of one.",
     sref_seq_index},
    {ApiKind::kMethod, kSRef, "same_as(other)", "Do both refer to one place?", sref_equal},
    {ApiKind::kMethod, kSRef, "__eq__(other)", "Do both refer to one place?", sref_equal},
    {ApiKind::kMethod, kSRef, "__repr__()", "The position.", sref_repr},
    {ApiKind::kFunction, "tvm.s_tir.StmtSRef", "inline_mark()", "Stands for computing a block inline.",
     mark<0>},
    {ApiKind::kFunction, "tvm.s_tir.StmtSRef", "root_mark()", "Stands for leaving a block at the root.",
     mark<1>},
    {ApiKind::kClass, kTirs, "SBlockScope()", "The dependences between the blocks of a block.",
     no_constructor, kScope, "tvm.s_tir.sblock_scope.SBlockScope"},
    {ApiKind::kMethod, kScope, "get_deps_by_src(block)", "The dependences on a block.",
     deps_by<&DependencyNode::src>},
    {ApiKind::kMethod, kScope, "get_deps_by_dst(block)", "What a block depends on.",
     deps_by<&DependencyNode::dst>},
    {ApiKind::kMethod, kScope, "__repr__()", "The kind of the object.", scope_repr},
    {ApiKind::kClass, kTirs, "Dependency()", "That one block depends on another.", no_constructor,
     kDependency, "tvm.s_tir.sblock_scope.Dependency"},
    FIELD(DependencyNode, kDependency, src, "What is depended on."),
    FIELD(DependencyNode, kDependency, dst, "What depends."),
    {ApiKind::kProperty, kDependency, "kind", "The number of a DepKind.",
     +[](ApiCall& call) -> Any { return static_cast<int64_t>(call.args[0].as<DependencyNode>()->kind); }},
    {ApiKind::kMethod, kDependency, "__repr__()", "The fields.", dependency_repr},
    {ApiKind::kClass, kSchedules, "CachedFlags(affine_binding, region_cover, stage_pipeline)",
     "What is known of a block.", flags_construct, kFlags, "tvm.s_tir.schedule.state.CachedFlags"},
    FIELD(CachedFlagsNode, kFlags, affine_binding, "Are the iterators an affine map of the loops?"),
    FIELD(CachedFlagsNode, kFlags, region_cover, "Is all that is read written before?"),
    FIELD(CachedFlagsNode, kFlags, stage_pipeline, "Are its blocks the stages of a pipeline?"),
    {ApiKind::kMethod, kFlags, "__repr__()", "The fields.", flags_repr},
    {ApiKind::kMethod, kFlags, "__eq__(other)", "Are the fields equal?", flags_equal},
    {ApiKind::kProperty, kSchedule, "state", "What is known of the loops and blocks.", schedule_state},
    {ApiKind::kMethod, kSchedule, "get_sref(rand_var_or_stmt)", "The reference to a loop or block.",
     schedule_get_sref},
    {ApiKind::kClass, kTirs, "SBlockDependenceInfo(mod)", "The dependences between the blocks of a module.",
     make_info, kInfo, "tvm.s_tir.sblock_dependence_info.SBlockDependenceInfo"},
    {ApiKind::kMethod, kInfo, "get_sref(block)", "The reference to a block.", info_get_sref},
    {ApiKind::kMethod, kInfo, "get_sblock_scope(block_sref)",
     "The dependences between the blocks of a block.", state_scope},
};
#undef FIELD

}  // namespace

std::optional<Any> stmt_of_sref(const Any& value) {
  auto* sref = value.as<StmtSRefNode>();
  if (sref == nullptr) return std::nullopt;
  return sref->sref && sref->sref->alive() ? Any(sref->sref->stmt) : Any(nullptr);
}

int64_t parse_debug_mask(ApiCall& call, size_t argument) {
  const Any& mask = call.args[argument];
  if (auto text = mask.try_cast<String>()) {
    if (*text == "all") return 3;
    if (*text == "none") return 0;
    throw refuse(refusals["debug-mask"], text->c_str()).kind("ValueError").at(call.span_of(argument));
  }
  if (auto number = mask.as<int64_t>()) return *number;
  if (auto flag = mask.as<bool>()) return *flag ? 1 : 0;
  throw Error("wrong-type", "`debug_mask` is an integer or a bool, not {}", call.host.repr(mask))
      .kind("TypeError")
      .at(call.span_of(argument));
}

void register_state_api() { ApiRegistry::global().add(state_api_table); }

}  // namespace mlc::transform
