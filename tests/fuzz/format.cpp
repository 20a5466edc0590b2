// SPDX-License-Identifier: Apache-2.0
// Any program through the formatter and the fixer: the one keeps its meaning (format() checks that) and
// changes nothing the second time; the other's result parses (fix() checks that), and has nothing left to
// change.
#include "frontend/format/format.h"

#include <string>

#include "frontend/fix/fix.h"
#include "ir/core/error.h"
#include "ir/core/span.h"
#include "tests/fuzz/report.h"

namespace {

using namespace mlc;

size_t texts = 0, laid_out = 0, changed = 0, fixed_up = 0;

uint32_t file_of(const std::string& text) { return ir::SourceMap::current().add("<fuzz>", text); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::string once;
  ++texts;
  try {
    once = format::format(file_of(text));
  } catch (const ir::Error&) {
    return 0;  // not a program
  }
  ++laid_out;
  changed += once != text;
  std::string twice = format::format(file_of(once));
  MLC_CHECK(once == twice, "laid out otherwise the second time:\n{}\n---\n{}", once, twice);
  std::string fixed = fix::fix(file_of(text)).text;
  fixed_up += fixed != text;
  fix::Fixed again = fix::fix(file_of(fixed));
  MLC_CHECK(again.text == fixed, "fixed otherwise the second time:\n{}\n---\n{}", fixed, again.text);
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  Report report;
  demand(report, "texts laid out", laid_out, texts, 0.02, 500);
  demand(report, "of these, changed", changed, laid_out, 0.1, 100);
  demand(report, "texts that the fixer changed", fixed_up, texts, 0.0005, 5000);
  return report;
}
