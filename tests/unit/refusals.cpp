// SPDX-License-Identifier: Apache-2.0
// Every error that a program can have has a row, and the examples of the rows do what they say.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "backend/register_api.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/explain_refusal.h"
#include "repl/shell/interpreter.h"

namespace {

using namespace mlc;

// The names of the errors and warnings of a program.
std::vector<std::string> found_in(const std::string& program) {
  std::vector<std::string> names;
  repl::Interpreter evaluator;
  evaluator.out = [](std::string_view) {};
  evaluator.warn = [&](const ir::Diagnostic& warning) { names.push_back(warning.name); };
  try {
    evaluator.run_source(ir::SourceMap::current().add("example", program));
  } catch (const ir::Error& error) {
    for (const ir::Diagnostic& one : error.all()) names.push_back(one.name);
  }
  return names;
}

// What the examples of schedules and builds need beside the language.
void register_tools() {
  if (ir::ApiRegistry::global().find("tvm.build") != nullptr) return;
  backend::register_api();
  repl::register_build_api();
}

}  // namespace

TEST_CASE("examples of refusals show their error", "[explain]") {
  register_tools();
  std::vector<repl::RefusalExample> examples = repl::refusal_examples();
  CHECK(examples.size() > 250);
  for (const repl::RefusalExample& example : examples) {
    std::string name(example.rule->name);
    INFO(name);
    std::vector<std::string> wrong = found_in(example.wrong);
    CHECK(std::find(wrong.begin(), wrong.end(), name) != wrong.end());
    if (wrong.empty() || wrong[0] != name) WARN((wrong.empty() ? "nothing" : wrong[0]));
    if (!example.right.empty()) CHECK(found_in(example.right) == std::vector<std::string>{});
  }
}

TEST_CASE("the rows of all rooms are found", "[explain]") {
  CHECK(repl::all_refusals().size() > 500);
  for (const char* name : {"split-not-covering", "bad-decision", "bad-domain", "not-iterable", "syntax",
                           "unknown-dtype", "no-main-function", "no-module"})
    CHECK(repl::find_refusal(name) != nullptr);
  CHECK(repl::find_refusal("split-not-covering")->help.find("None") != std::string_view::npos);
  CHECK(repl::find_refusal("no-such-rule") == nullptr);
}

TEST_CASE("every error of a program has a row", "[explain]") {
  namespace fs = std::filesystem;
  // `Error("name"`, `report("name"`, `warning("name"`, and `raise("Kind", span, "name"` of scripts.
  static const std::regex pattern(
      R"re((?:\b(?:Error|report|warning)\(|\braise\(\s*"\w+",[^";]*,)\s*"([a-z0-9-]+)")re");
  std::string missing;
  for (const char* room : {"ir", "frontend", "transform", "backend", "repl"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MLC_SOURCE_DIR) / room)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string text((std::istreambuf_iterator<char>(in)), {});
      for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
        std::string found = (*it)[0];
        if (std::string_view(room) == "repl" && found.starts_with("report(")) continue;  // of `mlc bisect`
        if (repl::find_refusal((*it)[1].str()) == nullptr)
          missing += (*it)[1].str() + " in " + entry.path().string() + "\n";
      }
    }
  }
  // A new name gets a row at the top of the file that raises it (ir/core/refusal.h).
  CHECK(missing == "");
}
