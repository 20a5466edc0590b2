// SPDX-License-Identifier: Apache-2.0
// Every error that a program can have is explained, and the examples do what the explanation says.
#include "frontend/diagnostics/explanations.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "backend/register_api.h"
#include "frontend/script/core/evaluator.h"

namespace {

using namespace mlc;

// The names of the errors and warnings of a program.
std::vector<std::string> found_in(const diagnostics::Explanation& entry, std::string_view example) {
  std::vector<std::string> names;
  script::Evaluator evaluator;
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
  if (ir::ApiRegistry::global().find("tvm.build") == nullptr) backend::register_api();
}

TEST_CASE("examples of explanations show their error", "[explain]") {
  register_tools();
  for (const diagnostics::Explanation& entry : diagnostics::explanations()) {
    if (entry.wrong.empty()) continue;
    INFO(entry.name);
    std::vector<std::string> wrong = found_in(entry, entry.wrong);
    CHECK(std::find(wrong.begin(), wrong.end(), entry.name) != wrong.end());
    if (wrong.empty() || wrong[0] != entry.name) WARN((wrong.empty() ? "nothing" : wrong[0]));
    if (!entry.right.empty()) CHECK(found_in(entry, entry.right) == std::vector<std::string>{});
  }
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
