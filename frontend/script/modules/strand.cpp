// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/modules/strand.h"

#include "frontend/script/core/machine.h"
#include "frontend/script/numpy/array.h"
#include "ir/registry/api.h"

namespace mlc::script {

namespace {

using ir::ApiCall;
using ir::ApiKind;

// What the module `threading` of a program has asked to be told of.
struct Asked {
  Any sleep, end;
};
std::unordered_map<const Evaluator*, Asked>& asked() {
  static auto& all = *new std::unordered_map<const Evaluator*, Asked>;
  return all;
}

Any strand(ApiCall& call) {
  make_strand(call.args[0]);
  return call.args[0];
}
Any pause(ApiCall& call) {
  if (!pause_strand())
    raise("RuntimeError", call.span, "not-supported", "only threads that were started pause");
  return nullptr;
}
Any told(ApiCall& call) {
  asked()[&evaluator_of(call.host)] = {call.args[0], call.args[1]};
  return nullptr;
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "mlc", "strand(generator)", "A generator with a stack of its own: a thread.",
     strand},
    {ApiKind::kFunction, "mlc", "pause()", "Goes back to whoever went on with this thread.", pause},
    {ApiKind::kFunction, "mlc", "tell_threads(sleep, end)",
     "Functions to call instead of `time.sleep`, and when the program is over.", told},
};

}  // namespace

std::span<const ir::ApiRow> strand_rows() { return rows; }

bool sleep_together(Evaluator& evaluator, double seconds) {
  auto found = asked().find(&evaluator);
  if (found == asked().end()) return false;
  Any given(seconds);
  return evaluator.truth(evaluator.call(found->second.sleep, std::span<const Any>(&given, 1)));
}

void run_at_end(Evaluator& evaluator) {
  auto found = asked().find(&evaluator);
  if (found == asked().end()) return;
  Any end = found->second.end;
  evaluator.call(end, {});
}

void forget_strands(const Evaluator& evaluator) { asked().erase(&evaluator); }

}  // namespace mlc::script
