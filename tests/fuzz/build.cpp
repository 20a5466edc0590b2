// SPDX-License-Identifier: Apache-2.0
// Any bytes as the source of TVMScript: what builds is well-formed, prints, and what was printed builds to an
// equal value that prints the same again.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// The decorated definitions of a file, each with the lines that belong to it; the whole text where there are
// none. A golden is a script around them, and from_source() takes a definition.
std::vector<std::string> definitions_in(const std::string& text) {
  std::vector<std::string> found;
  bool inside = false, named = false;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    bool outer = !line.empty() && line[0] != ' ' && line[0] != ')' && line[0] != '#';
    bool decorator = line.starts_with("@T.prim_func") || line.starts_with("@I.ir_module") ||
                     line.starts_with("@tvm.script.ir_module");
    if (decorator && (!inside || named)) {
      found.emplace_back();
      inside = true;
      named = false;
    } else if (outer && named) {
      inside = false;
    }
    named = inside && (named || line.starts_with("def ") || line.starts_with("class "));
    if (inside) found.back() += std::string(line) + "\n";
  }
  if (found.empty()) found.push_back(text);
  return found;
}

ir::Any build(std::string_view text) { return tvmscript::from_source(evaluator(), text, {}, {}); }

// A function whose symbol is no name, "" or "+": printed as TVM prints it.
bool has_unreadable_name(std::string_view printed) {
  for (size_t at = printed.find("def "); at != printed.npos; at = printed.find("def ", at + 4)) {
    auto first = static_cast<unsigned char>(printed[std::min(at + 4, printed.size() - 1)]);
    if (std::isalpha(first) == 0 && first != '_' && first < 0x80) return true;
  }
  return false;
}

void try_text(const std::string& text) {
  if (reaches_out(text)) return;
  if (text.find("check_well_formed") != text.npos) return;  // what is printed is checked when it is read
  if (text.find("virtual_thread") != text.npos)
    return;  // prints as `launch_thread`, as in TVM: another attribute
  ir::Any value;
  ++texts;
  try {
    value = build(text);
  } catch (const ir::Error& error) {
    MLC_CHECK(!error.all().empty(), "an error without diagnostics");
    return;
  } catch (const script::Evaluator::SystemExit&) {
    return;
  }
  ++built;
  if (!print::printable(value)) return;
  print::PrintOptions whole;
  whole.show_meta = true;  // else the numbers of tensors are left out
  std::string printed;
  try {
    printed = print::script(value, whole);
  } catch (const ir::Error& error) {
    // Attributes may hold values of the script, a set for one.
    MLC_CHECK(error.all().at(0).name == "not-printable", "{}", error.what());
    return;
  }
  if (has_unreadable_name(printed)) return;
  // As in TVM, a buffer with the usual layout prints as a view of another, which has that one's layout.
  if (printed.find(".view(") != printed.npos) return;
  try {
    ir::Any again = build(printed);
    MLC_CHECK(ir::structural_equal(value, again), "read back as another value:\n{}", printed);
    std::string second = print::script(again, whole);
    MLC_CHECK(second == printed, "printed otherwise the second time:\n{}\n{}", printed, second);
    ++read_back;
  } catch (const ir::Error& error) {
    MLC_CHECK(false, "does not build again: {}\n{}", error.what(), printed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  if (file.find("no-round-trip") != file.npos) return 0;  // a golden that says so, and why
  for (const std::string& text : definitions_in(file)) try_text(text);
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  Report report;
  demand(report, "texts that build a value", built, texts, 0.1, 500);
  demand(report, "texts whose value was printed and read back", read_back, texts, 0.1, 500);
  return report;
}
