// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform::pass_instrument_profile_intrinsics {
namespace {

constexpr char doc[] =
    R"(InstrumentProfileIntrinsics(): calls that read a profiler stand around functions and loops.

    for i in range(8):                      T.start_profile_intrinsic(1)
        for j in range(8):          =>      for i in range(8):
            S                                   for j in range(8):
                                                    S
                                            T.end_profile_intrinsic(1)
needs: nothing.
keeps: every statement; each pair of calls has a number of its own, also over several runs.
Configuration: `s_tir.lwp_disable_func_prof` leaves functions alone, `s_tir.lwp_min_height` (1) leaves loops alone that
hold fewer loops, `s_tir.instr_siblings` (True) takes only loops beside others, else `s_tir.lwp_max_depth` (0) bounds how
deep a loop may stand; `s_tir.reset_start_id` counts from 0 again. Nothing inside of parallel loops.
Where a profiler is told of the loops, after they have their final order.)";

struct LoopInfo {
  int64_t id = 0;
  int64_t depth = 0;
  int64_t height = 0;  // loops below
  bool has_siblings = false;
  bool in_parallel = false;
};

struct Options {
  int64_t max_depth, min_height;
  bool only_siblings, functions;
};

struct Count final : Walker {
  int64_t& next_id;
  std::unordered_map<const StmtNode*, LoopInfo> loops;
  explicit Count(int64_t& next_id) : next_id(next_id) {}

  void visit(const Expr&) override {}
  void visit(const Stmt& s) override {
    auto* loop = as<ForNode>(s);
    if (!loop) return walk_children(s);
    LoopInfo info{next_id++};
    info.height = height_of(loop->body, 0, false);
    loops[s.get()] = info;
  }

 private:
  int64_t loop_below(const ForNode& loop, int64_t depth, bool in_parallel) {
    LoopInfo info{next_id++, depth + 1};
    info.in_parallel = in_parallel;
    info.height = height_of(loop.body, depth + 1, in_parallel || loop.for_kind == ForKind::kParallel);
    loops[&loop] = info;
    return info.height;
  }
  // How deep loops nest in a body. Of a sequence only its loops count.
  int64_t height_of(const Stmt& s, int64_t depth, bool in_parallel) {
    if (auto* sequence = as<SeqStmtNode>(s)) {
      std::vector<const StmtNode*> found;
      int64_t height = 0;
      for (const Stmt& one : sequence->seq) {
        auto* loop = as<ForNode>(one);
        if (!loop) continue;
        height = std::max(height, loop_below(*loop, depth, in_parallel));
        loops[one.get()].height = height;
        found.push_back(one.get());
      }
      for (const StmtNode* one : found) loops[one].has_siblings = found.size() > 1;
      return found.empty() ? 0 : height + 1;
    }
    if (auto* branch = as<IfThenElseNode>(s)) {
      int64_t height = height_of(branch->then_case, depth, in_parallel);
      if (branch->else_case) height = std::max(height, height_of(branch->else_case, depth, in_parallel));
      return height;
    }
    if (auto* loop = as<ForNode>(s)) return loop_below(*loop, depth, in_parallel) + 1;
    if (auto* attr = as<AttrStmtNode>(s)) return height_of(attr->body, depth, in_parallel);
    return 0;
  }
};

Stmt between(const Stmt& body, int64_t id) {
  auto call = [&](std::string_view name) -> Stmt {
    return make<EvaluateNode>(call_op(DataType::Void(), name, {int32(id)}));
  };
  return seq({call("tirx.start_profile_intrinsic"), body, call("tirx.end_profile_intrinsic")});
}

int64_t entry(const PassOptions& options, std::string_view key, int64_t otherwise) {
  auto found = options.config->find(String(std::string(key)));
  return found == options.config->end() ? otherwise : (*found).second.cast<int64_t>();
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  // A profiler distinguishes its samples by these numbers, so they continue from module to module.
  static thread_local int64_t next_id = 0;
  if (entry(options, "s_tir.reset_start_id", 0)) next_id = 0;
  Options wanted{entry(options, "s_tir.lwp_max_depth", 0), entry(options, "s_tir.lwp_min_height", 1),
                 entry(options, "s_tir.instr_siblings", 1) != 0,
                 entry(options, "s_tir.lwp_disable_func_prof", 0) == 0};
  return map_prim_funcs(mod, [&](const PrimFunc& fn) {
    int64_t id = next_id++;
    Count count(next_id);
    count.visit(fn->body);
    Stmt body = rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) {
      Stmt next = on.rewrite_children(s);
      auto found = count.loops.find(s.get());
      if (found == count.loops.end()) return next;
      const LoopInfo& info = found->second;
      bool chosen = wanted.only_siblings ? info.has_siblings : info.depth <= wanted.max_depth;
      if (!chosen || info.in_parallel || info.height < wanted.min_height) return next;
      return between(next, info.id);
    });
    return with_body(fn, wanted.functions ? between(body, id) : body);
  });
}

}  // namespace

extern const Pass instrument_profile_intrinsics{
    "InstrumentProfileIntrinsics", "s_tir.transform", "InstrumentProfileIntrinsics()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_instrument_profile_intrinsics
