// SPDX-License-Identifier: Apache-2.0
// The report of a target that libFuzzer drives, whose main() is not ours.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/report.h"

namespace {

void print_report() {
  mlc::fuzz::Report report = mlc::fuzz::report();
  std::fputs(report.text.c_str(), stderr);
  if (report.good) return;
  std::fputs("the target does not do what it is for\n", stderr);
  _exit(1);
}

[[maybe_unused]] const int registered = std::atexit(print_report);

}  // namespace
