// SPDX-License-Identifier: Apache-2.0
#include "repl/session/lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/script/modules/global_functions.h"
#include "repl/shell/source.h"
#include "repl/shell/stages.h"

namespace mlc::repl {

namespace {

ir::Target target_named(const std::string& name) {
  return ir::parse_target(ir::Any(ir::String(name)));
}

transform::Pipeline default_pipeline(Session& session, const std::string& target) {
  ir::Target parsed = target_named(target);
  script::Evaluator& host = session.evaluator();
  return transform::Pipeline(transform::named_pipeline(ir::Any(ir::String("default")), parsed, host), parsed, host);
}

}  // namespace

Lowering::Lowering(Session& session, const Subject& subject, const std::string& target)
    : name_(subject.name),
      target_(target),
      input_(subject.mod),
      pipeline_(default_pipeline(session, target)),
      stages_{subject.mod} {}

std::string Lowering::stage_name(size_t passes) const { return repl::stage_name(pipeline_, passes); }

void Lowering::go(size_t passes) {
  at_ = std::min(passes, stages_.size() - 1);
  for (; at_ < passes; ++at_) stages_.push_back(pipeline_.run(at_, stages_[at_]));
  draft.clear();
}

void Lowering::replace(ir::IRModule edited) {
  stages_.resize(at_ + 1);
  stages_[at_] = std::move(edited);
  std::erase_if(edited_, [&](size_t stage) { return stage >= at_; });
  edited_.push_back(at_);
  draft.clear();
}

bool Lowering::is_edited(size_t passes) const { return std::ranges::find(edited_, passes) != edited_.end(); }

std::optional<size_t> Lowering::last_edit() const {
  return edited_.empty() ? std::nullopt : std::optional(edited_.back());
}

Lowering* Lowerings::find(const ir::IRModule& mod) {
  auto found = std::ranges::find_if(all_, [&](const auto& each) { return each->is_of(mod); });
  return found == all_.end() ? nullptr : found->get();
}

Lowering& Lowerings::begin(Lowering made) {
  std::erase_if(all_, [&](const auto& each) { return each->is_of(made.stage(0)) || !each->last_edit(); });
  all_.push_back(std::make_shared<Lowering>(std::move(made)));
  return *all_.back();
}

Lowered lowered(Session& session, const Subject& subject, const std::string& target) {
  Lowered result{.mod = nullptr, .target = target_named(target), .remark = ""};
  Lowering* walk = session.lowerings().find(subject.mod);
  auto edit = walk != nullptr && walk->target() == target && subject.function.empty() ? walk->last_edit() : std::nullopt;
  if (edit) {
    Lowering on = *walk;
    on.go(on.passes());
    result.mod = on.here();
    result.remark = fmt::format("from {}, edited", walk->stage_name(*edit));
  } else {
    result.mod = default_pipeline(session, target).lower(module_of(subject));
  }
  script::define_of_library(result.mod, session.evaluator());
  return result;
}

}  // namespace mlc::repl
