// SPDX-License-Identifier: Apache-2.0
// Every error that a function's text can have is explained, and the examples do what the explanation says.
#include "frontend/diagnostics/explanations.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "frontend/script/evaluator.h"

namespace {

using namespace mlc;

// The names of the errors and warnings of a program.
std::vector<std::string> found_in(std::string_view example) {
  std::vector<std::string> names;
  script::Evaluator evaluator;
  evaluator.out = [](std::string_view) {};
  evaluator.warn = [&](const ir::Diagnostic& warning) { names.push_back(warning.name); };
  try {
    evaluator.run_source(ir::SourceMap::global().add("example", diagnostics::example_program(example)));
  } catch (const ir::Error& error) {
    for (const ir::Diagnostic& one : error.all()) names.push_back(one.name);
  }
  return names;
}

}  // namespace

TEST_CASE("examples of explanations show their error", "[explain]") {
  for (const diagnostics::Explanation& entry : diagnostics::explanations()) {
    if (entry.wrong.empty()) continue;
    INFO(entry.name);
    std::vector<std::string> wrong = found_in(entry.wrong);
    CHECK(std::find(wrong.begin(), wrong.end(), entry.name) != wrong.end());
    if (wrong.empty() || wrong[0] != entry.name) WARN((wrong.empty() ? "nothing" : wrong[0]));
    CHECK(found_in(entry.right) == std::vector<std::string>{});
  }
}

TEST_CASE("explanations are in order", "[explain]") {
  auto rows = diagnostics::explanations();
  CHECK(
      std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST_CASE("every error of a function's text is explained", "[explain]") {
  namespace fs = std::filesystem;
  static const std::regex pattern(R"re((?:\bError|\breport)\(\s*"([a-z0-9-]+)")re");
  std::string missing;
  std::vector<fs::path> files = {fs::path(MLC_SOURCE_DIR) / "ir/verify.cpp",
                                 fs::path(MLC_SOURCE_DIR) / "ir/arith_ops.cpp",
                                 fs::path(MLC_SOURCE_DIR) / "frontend/script/ir_values.cpp"};
  for (const char* room : {"frontend/tvmscript", "frontend/syntax"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(MLC_SOURCE_DIR) / room)) {
      // Constructors of nodes are for scripts that build IR by hand.
      if (entry.path().filename().string().starts_with("rows_node")) continue;
      files.push_back(entry.path());
    }
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
