// SPDX-License-Identifier: Apache-2.0
// What a refusal says would work is tried: the goldens of primitives are run as sessions, and where the help
// of a refused step names another step, one of its ways out must have been accepted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <regex>
#include <set>

#include "frontend/syntax/parse.h"
#include "repl/session/session.h"
#include "repl/session/ways_out.h"
#include "repl/shell/explain_refusal.h"
#include "repl/shell/program.h"
#include "repl/shell/source.h"
#include "transform/schedule/primitive.h"

namespace {

using namespace mlc;  // NOLINT

struct Refused {
  std::string where, statement, rule, help;
  std::vector<std::string> ways;
};

std::string found_in(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

// The steps of a program that were refused.
std::vector<Refused> refused_in(const std::filesystem::path& file) {
  std::vector<Refused> all;
  std::string shown;
  repl::SessionOptions options;
  options.compact_errors = true;
  options.out = [&](std::string_view text) { shown += text; };
  repl::Session session(std::move(options));
  uint32_t source = repl::read_source(file.string());
  for (const repl::Chunk& chunk : repl::chunks_of(syntax::parse_file(source)->module)) {
    shown.clear();
    std::string statement = repl::text_of_chunk(source, chunk);
    session.run(statement);
    if (!shown.starts_with("error[")) continue;
    all.push_back({file.filename().string(), std::string(repl::trim(statement)),
                   found_in(shown, "^error\\[([a-z0-9-]*)\\]"), found_in(shown, "\nhelp: ([^\n]*)"),
                   session.ways_out()});
  }
  return all;
}

// Without the comments before it.
std::string code_of(const std::string& statement) {
  size_t at = 0;
  while (at < statement.size() && statement[at] == '#') at = statement.find('\n', at) + 1;
  return statement.substr(at);
}

// The primitives that a help names, those aside that only look something up.
std::set<std::string> steps_in(const std::string& help) {
  std::set<std::string> names;
  std::regex quoted("`(?:sch\\.)?([a-z_]+)[(`]");
  for (std::sregex_iterator at(help.begin(), help.end(), quoted), end; at != end; ++at) {
    const transform::Primitive* primitive = transform::find_primitive((*at)[1].str());
    if (primitive != nullptr && !transform::is_pure(*primitive)) names.insert((*at)[1].str());
  }
  return names;
}

}  // namespace

TEST_CASE("rows of ways out are of rules that exist, in order", "[ways-out]") {
  auto rows = repl::way_out_rows();
  REQUIRE(std::ranges::is_sorted(rows, {}, &repl::WayOutRow::rule));
  for (const repl::WayOutRow& row : rows) {
    INFO(row.rule);
    REQUIRE(repl::find_refusal(row.rule) != nullptr);
  }
}

// Where the help names a step that cannot be tried in the place of the one that was refused.
struct Untried {
  std::string_view rule, reason;
};
constexpr Untried kUntried[] = {
    {"blockize-outer-reduction",
     "decomposed, the block has two parts, and which of them was meant is not known"},
    {"blockize-several-blocks",
     "what is to become one block with the others is not told by a loop; `tensorize` takes no list"},
    {"inline-has-init", "in one golden the block stands in the loop of its reader already"},
    {"location-is-no-loop", "what was sampled is no loop of the program: which one is meant cannot be told"},
    {"loop-is-bound-to-thread", "no step takes a binding off: it belongs before the one that bound the loop"},
    {"merge-different-depths", "in one golden the loop is made in the refused call itself"},
    {"not-compact-dataflow", "the step that it names was taken before, and belongs behind this one"},
    {"reindex-inner-index", "the block that it would be made of is not known"},
    {"sums-may-not-start", "it says in which order two steps go, and the first was taken"},
};

TEST_CASE("a help that names a step leads to one that is accepted", "[ways-out]") {
  size_t refused = 0, offered = 0, named = 0;
  std::set<std::string> untried;
  std::vector<std::string> misleading;
  bool listing = std::getenv("MLC_LIST_WAYS_OUT") != nullptr;
  for (const auto& entry : std::filesystem::directory_iterator(MLC_SOURCE_DIR "/tests/primitive")) {
    if (entry.path().extension() != ".mlc") continue;
    for (const Refused& each : refused_in(entry.path())) {
      ++refused;
      offered += each.ways.empty() ? 0 : 1;
      std::string code = code_of(each.statement);
      if (listing) {
        std::cout << each.where << " " << each.rule << ": " << code << "\n    help: " << each.help << "\n";
        for (const std::string& way : each.ways) std::cout << "      " << way << "\n";
      }
      bool compound = code.starts_with("for ") || code.starts_with("def ") || code.starts_with("with ");
      if (steps_in(each.help).empty() || compound) continue;
      ++named;
      if (!each.ways.empty()) continue;
      if (std::ranges::find(kUntried, each.rule, &Untried::rule) != std::end(kUntried)) {
        untried.insert(each.rule);
      } else {
        misleading.push_back(each.where + " " + each.rule + ": " + code + "\n    help: " + each.help);
      }
    }
  }
  std::cout << refused << " refused steps of goldens, " << offered << " with ways out; the help of " << named
            << " names a step\n";
  for (const std::string& each : misleading) UNSCOPED_INFO(each);
  CHECK(misleading.empty());
  CHECK(untried.size() == std::size(kUntried));  // a row that stands for nothing goes
  // What is walked is not less than there was when this was written.
  CHECK(refused > 400);
  CHECK(named > 40);
  CHECK(offered > 60);
}
