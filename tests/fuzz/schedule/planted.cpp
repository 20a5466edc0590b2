// SPDX-License-Identifier: Apache-2.0
// A check that has never reported anything may be unable to: each is tried with a fault of the kind it is
// there for, in every run, before the first random schedule.
#include "frontend/print/print.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "tests/fuzz/schedule/check.h"

namespace mlc::fuzz {

using ir::Any;
using transform::Schedule;

namespace {

// Rewrites the n-th statement that it can change: a store by one that adds 1 to the value, a loop of known
// extent by one that ends an iteration earlier.
class WrongRewrite final : public ir::Rewriter {
 public:
  explicit WrongRewrite(size_t which) : left_(which) {}
  std::string changed;  // what; empty: there are not that many

  using Rewriter::rewrite;
  ir::Expr rewrite(const ir::Expr& e) override { return e; }
  ir::Stmt rewrite(const ir::Stmt& s) override {
    if (const auto* block = ir::as<ir::SBlockNode>(s)) {  // what `init` writes may be written over
      ir::Stmt body = rewrite(block->body);
      if (body.same_as(block->body)) return s;
      return ir::with(ir::ref(block), [&](ir::SBlockNode& copy) { copy.body = body; });
    }
    if (const auto* store = ir::as<ir::BufferStoreNode>(s); store != nullptr && is_next()) {
      changed = fmt::format("the store to `{}`", store->buffer->name.c_str());
      return ir::with(ir::ref(store), [&](ir::BufferStoreNode& copy) { copy.value = copy.value + 1; });
    }
    const auto* loop = ir::as<ir::ForNode>(s);
    auto extent = loop == nullptr ? std::nullopt : ir::const_int(loop->extent);
    if (extent && *extent > 1 && is_next()) {
      changed = fmt::format("the loop `{}`", loop->loop_var->name.c_str());
      return ir::with(ir::ref(loop), [&](ir::ForNode& copy) {
        copy.extent = ir::int_imm(copy.extent->dtype(), *extent - 1);
      });
    }
    return rewrite_children(s);
  }

 private:
  bool is_next() { return changed.empty() && left_-- == 0; }
  size_t left_;
};

// Binds the first iterator of each block to the square of what it was bound to.
class SquaredBinding final : public ir::Rewriter {
 public:
  using Rewriter::rewrite;
  ir::Stmt rewrite(const ir::Stmt& s) override {
    ir::Stmt made = rewrite_children(s);
    const auto* realize = ir::as<ir::SBlockRealizeNode>(made);
    if (realize == nullptr || realize->iter_values.empty()) return made;
    return ir::with(ir::ref(realize), [](ir::SBlockRealizeNode& copy) {
      copy.iter_values.Set(0, copy.iter_values[0] * copy.iter_values[0]);
    });
  }
};

void rewrite_wrongly(const Schedule& schedule, const std::string& function, ir::Rewriter& rewrite) {
  transform::ScheduleState& state = *transform::mutable_schedule(schedule).state;
  transform::SRefNode& root = *state.index(state.mod()->find(function)).root;
  state.replace(root, rewrite.rewrite(root.stmt), {}, "planted");
}

ir::IRModule wrong_module(const Kernel& kernel, WrongRewrite& rewrite) {
  Schedule schedule = transform::make_schedule(kernel.mod, 1, true);
  rewrite_wrongly(schedule, kernel.name, rewrite);
  return schedule->state->mod();
}

const Kernel& kernel_named(std::string_view name) {
  for (const Kernel& kernel : kernels())
    if (kernel.name == name) return kernel;
  throw ir::InternalError(__FILE__, __LINE__, fmt::format("there is no kernel `{}`", name));
}

void must_report(const std::string& report, std::string_view part, std::string_view fault) {
  MLC_CHECK(report.find(part) != report.npos && !report.empty(), "{} is not noticed; what is said: {}", fault,
            report.empty() ? "nothing" : report);
}

// What take() says of a schedule of matmul whose only step is `planted`.
std::string said_of(const Perform& planted, const char* name = "matmul") {
  Counts counts;
  return take(kernel_named(name), {"sch.planted()"}, counts, planted).failure;
}

// Results: all that is stored and all that is run through must show, but for what the program itself leaves
// out: softmax is the same for any maximum, a maximum for most of what it is taken of, and loops without a
// step.
void check_results() {
  size_t all = 0, noticed = 0;
  for (const Kernel& kernel : kernels()) {
    for (size_t which = 0;; ++which) {
      WrongRewrite rewrite(which);
      ir::IRModule mod = wrong_module(kernel, rewrite);
      if (rewrite.changed.empty()) break;
      std::string skipped;
      Counts counts;
      bool wrong = !wrong_result(kernel, parameters_of(kernel), mod, skipped, counts).empty();
      ++all;
      noticed += wrong;
      bool lost_on_purpose = kernel.name == "no_rows" ||
                             (kernel.name == "softmax" && rewrite.changed == "the store to `M`") ||
                             (kernel.name == "no_terms" && rewrite.changed == "the store to `C`");
      bool store = rewrite.changed.starts_with("the store");
      MLC_CHECK(wrong || !store || lost_on_purpose, "`{}`: {} writes another value, and nobody notices",
                kernel.name, rewrite.changed);
    }
  }
  MLC_CHECK(noticed * 10 >= all * 9, "of {} wrong rewrites of kernels, {} are noticed", all, noticed);
}

void check_steps() {
  must_report(said_of([](const Schedule& schedule, const std::string&) {
                WrongRewrite rewrite(3);  // behind three loops, the store
                rewrite_wrongly(schedule, "matmul", rewrite);
              }),
              "not", "a step that computes something else");
  must_report(said_of([](const Schedule& schedule, const std::string&) {
                perform(schedule, "sch.split(loop(blk(0), 0), [None, 2])");
                throw ir::Error("planted", "refused after the change");
              }),
              "refused and has changed the module", "a refused step that has changed the module");
  must_report(said_of([](const Schedule& schedule, const std::string&) {
                perform(schedule, "sch.annotate(blk(0), \"key\", 1)");
                auto& state = *transform::mutable_schedule(schedule).state;
                const_cast<ir::IRModule&>(state.mod()) = schedule->beginning;
                throw ir::Error("planted", "refused after the instruction");
              }),
              "stands in the trace", "a refused step that stands in the trace");
  must_report(said_of([](const Schedule& schedule, const std::string&) {
                auto& index = transform::mutable_schedule(schedule).state->index(schedule->func_working_on);
                for (auto& [stmt, sref] : index.srefs) sref->stage_pipeline = !sref->stage_pipeline;
                throw ir::Error("planted", "refused after forgetting");
              }),
              "what is known of the blocks", "a refused step that has changed what is known");
  must_report(said_of([](const Schedule& schedule, const std::string&) {
                auto& state = *transform::mutable_schedule(schedule).state;
                transform::SRefNode& root = *state.index(schedule->func_working_on).root;
                const auto* block = root.block();
                ir::Stmt stray = ir::make<ir::EvaluateNode>(ir::make_var("stray", ir::DataType::Int(32)));
                state.replace(root,
                              ir::with(ir::ref(block), [&](ir::SBlockNode& copy) { copy.body = stray; }), {},
                              "planted");
              }),
              "it makes", "a module that is not well formed");
  // In place, and back again: the kernel is that of all schedules.
  const ir::ForNode* loop = nullptr;
  ir::post_order(
      kernel_named("matmul").fn->body, [](const ir::Expr&) {},
      [&](const ir::Stmt& s) {
        if (const auto* one = ir::as<ir::ForNode>(s)) loop = one;
      });
  ir::Expr extent = loop->extent;
  std::string said = said_of([&](const Schedule& schedule, const std::string&) {
    perform(schedule, "sch.annotate(blk(0), \"key\", 1)");
    const_cast<ir::ForNode*>(loop)->extent = ir::int_imm(extent->dtype(), 1);
  });
  const_cast<ir::ForNode*>(loop)->extent = extent;
  must_report(said, "the module before it was changed", "a step that changes nodes in place");
}

// The flags of a schedule whose module was put behind its back: what was known stays.
void check_flags() {
  struct Case {
    const char *kernel, *what;
    bool transform::SRefNode::*flag;
    bool squared = false;
  };
  for (const Case& one :
       {Case{"reshape", "is said to be covered", &transform::SRefNode::region_cover},
        Case{"reshape", "is said to be a stage pipeline", &transform::SRefNode::stage_pipeline},
        Case{"matmul", "is said to be bound affinely", &transform::SRefNode::affine_binding, true}}) {
    const Kernel& kernel = kernel_named(one.kernel);
    Schedule schedule = transform::make_schedule(kernel.mod, 1, true);
    WrongRewrite wrong(0);
    SquaredBinding squared;
    rewrite_wrongly(schedule, kernel.name, one.squared ? static_cast<ir::Rewriter&>(squared) : wrong);
    transform::ScheduleState fresh(schedule->state->mod());
    ir::GlobalVar name = fresh.mod()->find(kernel.name);
    auto& now = transform::mutable_schedule(schedule).state->index(name).srefs;
    bool found = false;
    for (const auto& [stmt, sref] : fresh.index(name).srefs) {
      transform::SRefNode& kept = *now.at(stmt);
      kept.affine_binding = sref->affine_binding;
      kept.region_cover = sref->region_cover;
      kept.stage_pipeline = sref->stage_pipeline;
      bool holds = (*sref).*(one.flag);
      found = found || (sref->block() != nullptr && !holds);
      kept.*(one.flag) = true;
    }
    MLC_CHECK(found, "planted.cpp: no block of `{}` lacks what `{}`", kernel.name, one.what);
    must_report(stale_flags(schedule, kernel.name), one.what, "a flag that is out of date");
  }
}

// A block that declares less than it accesses; a loop whose iterations touch one element, said to run side by
// side.
class WrongDeclaration final : public ir::Rewriter {
 public:
  explicit WrongDeclaration(bool parallel) : parallel_(parallel) {}
  using Rewriter::rewrite;
  ir::Expr rewrite(const ir::Expr& e) override { return e; }
  ir::Stmt rewrite(const ir::Stmt& s) override {
    const auto* block = ir::as<ir::SBlockNode>(s);
    if (block != nullptr && !block->reads.empty() && !parallel_)
      return ir::with(ir::ref(block), [&](ir::SBlockNode& copy) {
        ir::Array<ir::Range> none;
        for (const ir::Range& range : copy.reads[0]->region)
          none.push_back(ir::make<ir::RangeNode>(range->min, range->extent - 1));
        copy.reads = {ir::make<ir::TensorRegionNode>(copy.reads[0]->source, none)};
      });
    ir::Stmt next = rewrite_children(s);
    const auto* loop = ir::as<ir::ForNode>(next);
    if (loop == nullptr || !parallel_) return next;
    return ir::with(ir::ref(loop), [&](ir::ForNode& copy) { copy.for_kind = ir::ForKind::kParallel; });
  }

 private:
  bool parallel_;
};

void check_declarations() {
  for (bool parallel : {false, true}) {
    const Kernel& kernel = kernel_named(parallel ? "matmul" : "gather");
    Schedule schedule = transform::make_schedule(kernel.mod, 1, true);
    WrongDeclaration wrong(parallel);
    rewrite_wrongly(schedule, kernel.name, wrong);
    std::string skipped;
    Counts counts;
    must_report(wrong_result(kernel, parameters_of(kernel), schedule->state->mod(), skipped, counts),
                parallel ? "race" : "index-out-of-bounds",
                parallel ? "a race" : "an access that is not declared");
  }
}

void check_ends() {
  const Kernel& kernel = kernel_named("matmul");
  WrongRewrite rewrite(0);
  ir::IRModule wrong = wrong_module(kernel, rewrite);
  must_report(wrong_text(kernel.mod, print::script(Any(wrong))), "reads back as another module",
              "a text that says something else");
  must_report(wrong_text(kernel.mod, "def"), "is not read back", "a text that is no program");
  Counts counts;
  Outcome outcome = take(kernel, {"sch.split(loop(blk(0), 0), [None, 2])"}, counts, perform);
  MLC_CHECK(outcome.failure.empty() && outcome.accepted.size() == 1, "a plain split: {}", outcome.failure);
  must_report(wrong_replay(kernel, *outcome.schedule->trace, wrong), "gives another module",
              "a trace that does something else");
  must_report(wrong_replay(kernel_named("elementwise"), *outcome.schedule->trace, wrong),
              "the trace is refused", "a trace of another kernel");
  std::string skipped;
  must_report(wrong_lowered(kernel, parameters_of(kernel), wrong, skipped, counts),
              "after input: ", "a stage that computes something else");
}

}  // namespace

void check_the_checks() {
  check_results();
  check_steps();
  check_flags();
  check_declarations();
  check_ends();
}

}  // namespace mlc::fuzz
