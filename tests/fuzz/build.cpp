// SPDX-License-Identifier: Apache-2.0
// Any bytes as the source of TVMScript: what builds is well-formed, prints, and what was printed builds to an
// equal value that prints the same again.
#include <cstdint>
#include <string>

#include "frontend/print/print.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/tvmscript.h"
#include "tests/fuzz/evaluator.h"
#include "tests/fuzz/report.h"

namespace {

using namespace mlc;
using fuzz::evaluator;

size_t texts = 0, built = 0, read_back = 0;

// Evaluation can reach outside of the builder; nothing found there would be about it.
bool reaches_out(std::string_view text) {
  for (std::string_view word :
       {"export_", "save(", "open(", "system", "load(", "load_module", "compile(", "tvm.build", "build("}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

ir::Any build(std::string_view text) { return tvmscript::from_source(evaluator(), text, {}, {}); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (reaches_out(text)) return 0;
  ir::Any value;
  ++texts;
  try {
    value = build(text);
  } catch (const ir::Error& error) {
    MLC_CHECK(!error.all().empty(), "an error without diagnostics");
    return 0;
  } catch (const script::Evaluator::SystemExit&) {
    return 0;
  }
  ++built;
  if (!print::printable(value)) return 0;
  std::string printed = print::script(value);
  try {
    ir::Any again = build(printed);
    MLC_CHECK(ir::structural_equal(value, again), "read back as another value:\n{}", printed);
    std::string second = print::script(again);
    MLC_CHECK(second == printed, "printed otherwise the second time:\n{}\n{}", printed, second);
    ++read_back;
  } catch (const ir::Error& error) {
    MLC_CHECK(false, "does not build again: {}\n{}", error.what(), printed);
  }
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  Report report;
  demand(report, "texts that build a value", built, texts, 0.02, 500);
  demand(report, "texts whose value was printed and read back", read_back, texts, 0.01, 500);
  return report;
}
