// SPDX-License-Identifier: Apache-2.0
// How a diagnostic looks: places, carets, notes, and lines that are hard to show.
#include <catch2/catch.hpp>
#include <string>

#include "frontend/diagnostics/render.h"
#include "ir/core/error.h"

namespace {

using namespace mlc;

// The diagnostic of the first `blamed` in `text`, rendered.
std::string rendered(std::string text, std::string_view blamed, diagnostics::RenderOptions options = {}) {
  auto begin = static_cast<uint32_t>(text.find(blamed));
  uint32_t file = ir::SourceMap::current().add("file.mlc", std::move(text));
  ir::Diagnostic diagnostic;
  diagnostic.name = "name";
  diagnostic.message = "what is wrong";
  diagnostic.span = {file, begin, begin + static_cast<uint32_t>(blamed.size())};
  return diagnostics::render(diagnostic, options);
}

}  // namespace

TEST_CASE("a diagnostic has the shape of rustc's", "[diagnostics]") {
  uint32_t file =
      ir::SourceMap::current().add("file.mlc", "a\nb\nc\nd\nfor i in x:\n  s\n\n\n\nsch.split(i, [3, 32])\n");
  ir::Error error = ir::Error("split-not-covering",
                              "factors multiply to {}, less than the extent {} of loop `{}`", 96, 128, "i")
                        .at({file, 40, 47})
                        .note("loop `i` is made here", {file, 12, 13})
                        .note("without a place")
                        .help("use `[None, 32]`");
  CHECK(diagnostics::render(error.first()) ==
        "error[split-not-covering]: factors multiply to 96, less than the extent 128 of loop `i`\n"
        "  --> file.mlc:10:14\n"
        "   |\n"
        "10 | sch.split(i, [3, 32])\n"
        "   |              ^^^^^^^\n"
        "note: loop `i` is made here\n"
        "  --> file.mlc:5:5\n"
        "   |\n"
        " 5 | for i in x:\n"
        "   |     ^\n"
        "note: without a place\n"
        "help: use `[None, 32]`\n");
}

TEST_CASE("a diagnostic without a place is its words", "[diagnostics]") {
  ir::Diagnostic diagnostic;
  diagnostic.severity = ir::Diagnostic::Severity::kWarning;
  diagnostic.message = "what is odd";
  CHECK(diagnostics::render(diagnostic) == "warning: what is odd\n");
}

TEST_CASE("carets stand under what they blame", "[diagnostics]") {
  CHECK(rendered("\tx = \ty\n", "y").ends_with("1 |     x =     y\n  |             ^\n"));
  CHECK(rendered("s = '日本' + y\n", "y").ends_with("1 | s = '日本' + y\n  |              ^\n"));
  CHECK(rendered("é = e\xCC\x81 + y\n", "y").ends_with("  |         ^\n"));
  CHECK(rendered("x = 1\n", "\n").ends_with("1 | x = 1\n  |      ^\n"));
  CHECK(rendered("f(\n  a)\n", "f(\n  a)").ends_with("1 | f(\n  | ^^\n"));
  CHECK(rendered("x \xFF y\n", "y").ends_with("1 | x \xEF\xBF\xBD y\n  |     ^\n"));
  CHECK(rendered("", "").ends_with(" --> file.mlc:1:1\n  |\n1 |\n  | ^\n"));
}

TEST_CASE("long lines are cut around the caret", "[diagnostics]") {
  std::string line = std::string(5000, 'a') + "BAD" + std::string(5000, 'c');
  std::string shown = rendered(line + "\n", "BAD", {.width = 60});
  size_t source = shown.find("1 | ") + 4;
  std::string text = shown.substr(source, shown.find('\n', source) - source);
  CHECK(text.starts_with("…aaa"));
  CHECK(text.ends_with("ccc…"));
  CHECK(text.find("BAD") != std::string::npos);
  std::string carets = shown.substr(shown.rfind("| ") + 2);
  // The ellipsis is one column and three bytes.
  CHECK(carets.find('^') + 2 == text.find("BAD"));
  std::string megabyte(1 << 20, '(');
  CHECK(rendered(megabyte, "(").size() < 2000);
}

TEST_CASE("colour is escapes and nothing else", "[diagnostics]") {
  std::string plain = rendered("x = y\n", "y");
  std::string colored = rendered("x = y\n", "y", {.color = true});
  std::string stripped;
  for (size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\033') {
      i = colored.find('m', i);
    } else {
      stripped += colored[i];
    }
  }
  CHECK(stripped == plain);
  CHECK(colored.starts_with("\033[1;31merror[name]\033[0m"));
}

TEST_CASE("a diagnostic as JSON", "[diagnostics]") {
  uint32_t file = ir::SourceMap::current().add("file.mlc", "a\nbc\n");
  ir::Diagnostic diagnostic;
  diagnostic.name = "name";
  diagnostic.message = "say \"x\"";
  diagnostic.span = {file, 2, 4};
  diagnostic.notes = {{"here", {}}};
  diagnostic.help = "do";
  CHECK(diagnostics::to_json(diagnostic) ==
        R"({"severity":"error","name":"name","kind":"ValueError","message":"say \"x\"",)"
        R"("span":{"file":"file.mlc","line":2,"column":1,"end_line":2,"end_column":3},)"
        R"("notes":[{"message":"here","span":null}],"help":"do"})");
}
