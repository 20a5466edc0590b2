// SPDX-License-Identifier: Apache-2.0
// Every program of the tree through the formatter: the result means the same (format() checks that), and
// formatting it again changes nothing.
#include "frontend/format/format.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontend/syntax/lexemes.h"
#include "ir/core/error.h"
#include "ir/core/span.h"

namespace {

using namespace mlc;
namespace fs = std::filesystem;

std::string formatted(const std::string& text) {
  return format::format(ir::SourceMap::current().add("<test>", text));
}

}  // namespace

TEST_CASE("formatting any program twice is formatting it once") {
  size_t seen = 0;
  for (const char* folder : {"tests", "examples", "bench", "stdlib"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MLC_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".mlc") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string text((std::istreambuf_iterator<char>(in)), {});
      CAPTURE(entry.path().string());
      std::string once;
      try {
        once = formatted(text);
      } catch (const ir::Error&) {
        continue;  // goldens of syntax errors
      }
      REQUIRE(formatted(once) == once);
      ++seen;
    }
  }
  REQUIRE(seen > 60);
}

TEST_CASE("a comment after any word stays where it is put") {
  const std::string program =
      "@T.prim_func(s_tir=True)\n"
      "def f(A: T.Buffer((4, n), \"int32\"), *, k: int = 2) -> None:\n"
      "    for i, j in T.grid(4, n - 1):\n"
      "        with T.sblock(\"b\"):\n"
      "            A[i, 0:j, -k], = (A[i] + g(x)(y)[z]).max() if not i and j in (1,) else -x ** -y\n"
      "table = {\"a\": [v for v, w in pairs if w], **rest, \"b\" \"c\": lambda p, q=1: (p, q)}\n"
      "from m import (a, b as c)\n"
      "print(mod[\"main\"].script(), first.second().third[1:, ::2].fourth(*args, key=value))\n";
  size_t seen = 0;
  for (const char* comment : {"  # c\n", "\n# c\n", "  # c\n  # d\n"}) {
    for (const syntax::Lexeme& word : syntax::lexemes(ir::SourceMap::current().add("<test>", program))) {
      std::string text = program;
      text.insert(std::min<size_t>(word.end, text.size()), comment);
      CAPTURE(text);
      std::string once;
      try {
        once = formatted(text);
      } catch (const ir::Error&) {
        continue;  // outside of brackets
      }
      REQUIRE(formatted(once) == once);
      ++seen;
    }
  }
  REQUIRE(seen > 400);
}

TEST_CASE("a line that cannot be made short is laid out the same the second time") {
  std::string once = formatted(
      "M.aaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbb * cccccccccccccccccccccccc - "
      "ddddddddddddddddddddd // {\n\"k\": v, **w}(\"zz\")\n");
  REQUIRE(formatted(once) == once);
}

TEST_CASE("formatting keeps the newlines of the file and ends it with one") {
  REQUIRE(formatted("a=1\r\nb = 2") == "a = 1\r\nb = 2\r\n");
  REQUIRE(formatted("") == "");
  REQUIRE(formatted("# only a comment") == "# only a comment\n");
  REQUIRE(formatted("\n\n\n") == "");
}

TEST_CASE("a region between fmt: off and fmt: on is left as it stands") {
  std::string text = "# fmt: off\nm = [1,0,\n     0,1]   # kept\n# fmt: on\nn=1\n";
  REQUIRE(formatted(text) == "# fmt: off\nm = [1,0,\n     0,1]   # kept\n# fmt: on\nn = 1\n");
  REQUIRE(formatted("x   = 1  # fmt: skip\n") == "x   = 1  # fmt: skip\n");
}
