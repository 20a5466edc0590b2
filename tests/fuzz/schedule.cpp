// SPDX-License-Identifier: Apache-2.0
// Random schedules of the programs in schedule/kernels.mlc. Bytes choose a kernel and up to ten steps. Then:
//   - a step that is refused leaves module, trace and what is known of the blocks as they were;
//   - after an accepted one the module is well formed and computes, interpreted, what the kernel does; what
//   is
//     known of its blocks is what a fresh look finds, and the module before it is still what it was;
//   - the module prints, and the text reads back as an equal module;
//   - the trace, replayed on the kernel, gives an equal module;
//   - now and then the module is compiled, and computes what the kernel does.
// A failure prints the kernel and its steps as a program. Before the first input each of these checks must
// have reported a planted fault, and at the end the shares of accepted and of compared steps are demanded.
#include <cstdint>
#include <string>

#include "frontend/print/print.h"
#include "tests/fuzz/report.h"
#include "tests/fuzz/schedule/check.h"
#include "tests/fuzz/schedule/draw.h"
#include "transform/schedule/primitive.h"

namespace {

using namespace mlc;

fuzz::Counts& counts() {
  static fuzz::Counts all;
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool checked = (fuzz::check_the_checks(), true);
  static_cast<void>(checked);
  fuzz::Choices choices(data, size);
  const fuzz::Kernel& kernel = fuzz::kernels()[choices.below(fuzz::kernels().size())];
  std::vector<std::string> steps;
  size_t count = 2 + choices.below(8);
  while (steps.size() < count) draw_steps(choices, steps);

  fuzz::Outcome outcome = take(kernel, steps, counts(), fuzz::perform);
  std::string failure = outcome.failure;
  if (failure.empty() && !outcome.accepted.empty()) {
    ++counts().schedules;
    const ir::IRModule& mod = outcome.schedule->state->mod();
    failure = fuzz::wrong_text(mod, print::script(ir::Any(mod)));
    if (failure.empty()) {
      ++counts().read_back;
      failure = fuzz::wrong_replay(kernel, *outcome.schedule->trace, mod);
    }
    if (failure.empty()) {
      ++counts().replayed;
      std::string skipped;
      if (choices.below(50) == 0) {
        failure = fuzz::wrong_lowered(kernel, outcome.parameters, mod, skipped, counts());
        counts().compiled += skipped.empty();
      }
    }
  }
  MLC_CHECK(failure.empty(), "{}\n{}", failure, program(kernel, outcome.accepted));
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  const Counts& all = counts();
  Report report;
  std::string never, undrawn;
  auto add = [](std::string& list, std::string_view name) {
    list += (list.empty() ? "" : ", ") + std::string(name);
  };
  for (const transform::Primitive* primitive : transform::all_primitives()) {
    auto found = all.primitives.find(std::string(primitive->name()));
    Counts::Calls calls = found == all.primitives.end() ? Counts::Calls() : found->second;
    report.text += fmt::format("  {}: {} of {}\n", primitive->name(), calls.accepted, calls.all);
    if (calls.all == 0) add(undrawn, primitive->name());
    if (calls.accepted == 0) add(never, primitive->name());
  }
  for (const auto& [name, calls] : all.kernels) {
    report.text += fmt::format("  of `{}`: {} of {} steps\n", name, calls.accepted, calls.all);
    if (calls.accepted == 0) add(never, name);
  }
  for (const auto& [name, times] : all.refusals)
    report.text += fmt::format("  refused, {}: {}\n", name, times);
  for (const auto& [why, times] : all.not_compared)
    report.text += fmt::format("  not compared, {}: {}\n", why, times);
  report.text +=
      fmt::format("{} runs compared, {} accesses compared with regions, {} stages of lowering compared\n",
                  all.runs, all.confined, all.stages);
  report.text += fmt::format("accepted {} of {} steps\n", all.steps_accepted, all.steps);
  demand(report, "steps accepted", all.steps_accepted, all.steps, 0.25, 1000);
  demand(report, "changed modules compared", all.compared, all.changed, 0.9, 300);
  demand(report, "schedules read back and replayed", std::min(all.read_back, all.replayed), all.schedules, 1,
         1);
  demand(report, "schedules compiled", all.compiled, all.schedules, 0.01, 1000);
  // Rare draws need many steps; a primitive that is new has none at all.
  if (all.steps >= 5000 && !undrawn.empty()) {
    report.text += fmt::format("never drawn: {}\n", undrawn);
    report.good = false;
  }
  if (all.steps >= 20000 && !never.empty()) {
    report.text += fmt::format("never accepted: {}\n", never);
    report.good = false;
  }
  return report;
}
