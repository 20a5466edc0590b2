// SPDX-License-Identifier: Apache-2.0
// Runs the unit tests and closes with the line that ./dev sums up: `N passed, N failed`.
#define CATCH_CONFIG_RUNNER
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "backend/register_api.h"
#include "frontend/model/weights/api.h"
#include "frontend/script/core/evaluator.h"
#include "frontend/tvmscript/builder/tvmscript.h"
#include "ir/core/module.h"
#include "repl/shell/build_rows.h"
#include "transform/pass/pass.h"
#include "transform/register_api.h"

namespace {

struct ClosingLine : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testRunEnded(const Catch::TestRunStats& stats) override {
    passed = stats.totals.testCases.passed + stats.totals.testCases.failedButOk;
    failed = stats.totals.testCases.failed;
  }
  static inline size_t passed = 0;
  static inline size_t failed = 0;
};
CATCH_REGISTER_LISTENER(ClosingLine)

}  // namespace

int main(int argc, char** argv) {
  mlc::ir::register_nodes();
  mlc::script::register_api();
  mlc::tvmscript::register_api();
  mlc::model::register_api();
  mlc::transform::register_api();
  mlc::backend::register_api();  // stdlib/pipeline asks what a target has
  mlc::repl::register_build_api();
  mlc::transform::verify_after_passes() = true;
  int status = Catch::Session().run(argc, argv);
  fmt::print("{} passed, {} failed\n", ClosingLine::passed, ClosingLine::failed);
  return status;
}
