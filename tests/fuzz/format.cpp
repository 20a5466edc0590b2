// SPDX-License-Identifier: Apache-2.0
// Any program through the formatter and the fixer: the one keeps its meaning (format() checks that) and
// changes nothing the second time; the other's result parses (fix() checks that), and has nothing left to
// change.
#include "frontend/format/format.h"

#include <string>

#include "frontend/fix/fix.h"
#include "ir/core/error.h"
#include "ir/core/span.h"

namespace {

using namespace mlc;

uint32_t file_of(const std::string& text) { return ir::SourceMap::global().add("<fuzz>", text); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::string once;
  try {
    once = format::format(file_of(text));
  } catch (const ir::Error&) {
    return 0;  // not a program
  }
  std::string twice = format::format(file_of(once));
  MLC_CHECK(once == twice, "laid out otherwise the second time:\n{}\n---\n{}", once, twice);
  std::string fixed = fix::fix(file_of(text)).text;
  fix::Fixed again = fix::fix(file_of(fixed));
  MLC_CHECK(again.text == fixed, "fixed otherwise the second time:\n{}\n---\n{}", fixed, again.text);
  return 0;
}
