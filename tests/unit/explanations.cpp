// SPDX-License-Identifier: Apache-2.0
// Every error that a program can have is explained, and the examples do what the explanation says: those of
// the tables of frontend/diagnostics, and those beside the primitives and passes.
#include "frontend/diagnostics/explanations.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "backend/register_api.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/interpreter.h"
#include "transform/refusals.h"

namespace {

using namespace mlc;

// The names of the errors and warnings of a program.
template <class Entry>
std::vector<std::string> found_in(const Entry& entry, std::string_view example) {
  std::vector<std::string> names;
  repl::Interpreter evaluator;
  evaluator.out = [](std::string_view) {};
  evaluator.warn = [&](const ir::Diagnostic& warning) { names.push_back(warning.name); };
  try {
    evaluator.run_source(
        ir::SourceMap::global().add("example", diagnostics::example_program(entry, example)));
  } catch (const ir::Error& error) {
    for (const ir::Diagnostic& one : error.all()) names.push_back(one.name);
  }
  return names;
}

}  // namespace

// What the examples of schedules and builds need beside the language.
void register_tools() {
  if (ir::ApiRegistry::global().find("tvm.build") != nullptr) return;
  backend::register_api();
  repl::register_build_api();
}

template <class Entry>
void check_examples(const Entry& entry) {
  if (entry.wrong.empty()) return;
  INFO(entry.name);
  std::vector<std::string> wrong = found_in(entry, entry.wrong);
  CHECK(std::find(wrong.begin(), wrong.end(), entry.name) != wrong.end());
  if (wrong.empty() || wrong[0] != entry.name) WARN((wrong.empty() ? "nothing" : wrong[0]));
  if (!entry.right.empty()) CHECK(found_in(entry, entry.right) == std::vector<std::string>{});
}

TEST_CASE("examples of explanations show their error", "[explain]") {
  register_tools();
  for (const diagnostics::Explanation& entry : diagnostics::explanations()) check_examples(entry);
  for (const ir::RefusalList* list : transform::refusal_lists()) {
    for (const ir::Refusal& rule : list->rows) check_examples(rule);
  }
}

TEST_CASE("the rows of primitives, checks and passes are found", "[explain]") {
  std::set<std::string_view> files;
  for (const ir::RefusalList* list : transform::refusal_lists()) files.insert(list->rows[0].name);
  CHECK(files.size() > 90);
  REQUIRE(transform::find_refusal("split-not-covering") != nullptr);
  CHECK(transform::find_refusal("split-not-covering")->help.find("None") != std::string_view::npos);
  CHECK(transform::find_refusal("no-such-rule") == nullptr);
}

TEST_CASE("explanations are in order", "[explain]") {
  auto rows = diagnostics::explanations();
  CHECK(
      std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST_CASE("every error of a program is explained", "[explain]") {
  namespace fs = std::filesystem;
  // `Error("name"`, `report("name"`, and `raise("Kind", span, "name"` of scripts.
  static const std::regex pattern(
      R"re((?:\b(?:Error|report)\(|\braise\(\s*"\w+",[^";]*,)\s*"([a-z0-9-]+)")re");
  std::string missing;
  std::vector<fs::path> files = {fs::path(MLC_SOURCE_DIR) / "ir/tir/verify.cpp",
                                 fs::path(MLC_SOURCE_DIR) / "ir/tir/arith_ops.cpp"};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(MLC_SOURCE_DIR) / "frontend")) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") files.push_back(entry.path());
  }
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      if (!diagnostics::explanation((*it)[1].str()))
        missing += (*it)[1].str() + " in " + file.string() + "\n";
    }
  }
  // New names get their entry with the golden that shows them.
  CHECK(missing == "");
}
