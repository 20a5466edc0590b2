// SPDX-License-Identifier: Apache-2.0
// Any bytes into the parser: they end as a tree or as errors that lie inside the text and can be rendered.
#include <cstdint>
#include <string>

#include "frontend/diagnostics/render.h"
#include "frontend/syntax/parse.h"
#include "ir/core/error.h"
#include "tests/fuzz/report.h"
#include "tests/unit/syntax_dump.h"

namespace {

using namespace mlc;

size_t texts = 0, trees = 0, refused = 0;

void check(const std::string& text, const ir::Error& error) {
  MLC_CHECK(error.all().size() <= 20, "{} diagnostics for one text", error.all().size());
  for (const ir::Diagnostic& diagnostic : error.all()) {
    MLC_CHECK(!diagnostic.message.empty() && !diagnostic.name.empty(), "a diagnostic without words");
    MLC_CHECK(diagnostic.span.begin <= diagnostic.span.end && diagnostic.span.end <= text.size(),
              "a diagnostic outside of the text");
  }
  MLC_CHECK(!diagnostics::render_all(error.all()).empty(), "errors rendered as nothing");
  MLC_CHECK(!diagnostics::to_json(error.all()).empty(), "errors written as nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  ++texts;
  uint32_t file = ir::SourceMap::current().add("<fuzz>", text);
  try {
    auto tree = syntax::parse_file(file);
    MLC_CHECK(!syntax::dump(tree->module).empty(), "a tree dumped as nothing");
    ++trees;
  } catch (const ir::Error& error) {
    check(text, error);
    ++refused;
  }
  syntax::is_complete(text);
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  Report report;
  demand(report, "texts that are programs", trees, texts, 0.02, 500);
  demand(report, "texts refused, and their errors rendered", refused, texts, 0.2, 500);
  return report;
}
