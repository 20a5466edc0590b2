// SPDX-License-Identifier: Apache-2.0
// Reading a text again after a change gives the tree, or the mistakes, that reading it from the beginning
// gives.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "frontend/syntax/frozen.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/reuse.h"
#include "ir/core/error.h"
#include "ir/core/span.h"
#include "ir/registry/context.h"

namespace {

using namespace mlc;

constexpr std::string_view kProgram = R"py(# a comment
import a.b as c, d
from ..e import f as g
N = 64; M = N // 2; text = "a" "b"

@T.prim_func(s_tir=True)
def scale(A: T.Buffer((N, N), "float32"), *rest, key=3, **more) -> None:
    for i, j in T.grid(N, N):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = A[vi, vj] * 2.5

if N > 3:
    x = [i for i in range(N) if i]
elif N:
    x = (
        1,
        2)
else:
    x = f"{N!r:>{M}} and {N=}"
try:
    y = {1: 2, **z}
except (A, B) as e:
    raise
finally:
    pass
class K(B, metaclass=M):
    """doc"""
    v: int = -1

while x: x -= 1

sch = Schedule(scale)
sch.split(i, factors=[None, 8])
)py";

// The tree as bytes, or the first mistake.
std::string read(const std::string& text, syntax::LastReading* last) {
  uint32_t file = ir::SourceMap::current().add("<test>", text);
  try {
    auto tree = last == nullptr ? syntax::parse_file(file) : syntax::parse_file(file, *last);
    return syntax::freeze(*tree);
  } catch (const ir::Error& error) {
    std::string said = "refused";
    for (const ir::Diagnostic& each : error.all())
      said += fmt::format("\n{} {}-{} {}", each.message, each.span.begin, each.span.end, each.help);
    return said;
  }
}

}  // namespace

TEST_CASE("a text that is read again after a change has the tree of one that is new", "[syntax]") {
  ir::Context context;
  ir::Context::Use use(context);
  std::mt19937 random(7);
  auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  const std::vector<std::string> pieces{"a", " ",       "\n",         "    ",    "(",  ")",       "\"",
                                        "#", "else:\n", ":",          "x = 1\n", "\\", ",",       "@d\n",
                                        ";", "'''",     "    pass\n", "{",       "=",  "if x:\n", "."};
  syntax::LastReading last;
  std::string text(kProgram);
  size_t read_well = 0;
  for (int round = 0; round < 1500; ++round) {
    // Now and then on from the beginning: what is broken stays broken.
    if (round % 5 == 0) text = kProgram;
    size_t at = below(text.size() + 1);
    if (below(3) == 0)
      text.erase(at, below(6) + 1);
    else
      text.insert(at, pieces[below(pieces.size())]);
    std::string fresh = read(text, nullptr);
    REQUIRE(read(text, &last) == fresh);
    read_well += fresh.starts_with("refused") ? 0 : 1;
  }
  CHECK(read_well > 80);
}

TEST_CASE("what did not change is not parsed again", "[syntax]") {
  ir::Context context;
  ir::Context::Use use(context);
  syntax::LastReading last;
  std::string text(kProgram);
  read(text, &last);
  CHECK(last.reused == 0);
  size_t all = last.statements.size();
  read(text, &last);
  CHECK(last.reused == all);
  text.insert(text.find("N > 3"), "not ");  // one statement is another one, those behind it are moved
  read(text, &last);
  CHECK(last.reused == all - 1);
  CHECK(last.tree->module->body.back()->span.end == text.size() - 1);
  text.insert(text.find("while x"), "else: pass\n");  // behind a class: a mistake
  CHECK(read(text, &last).starts_with("refused"));
  CHECK(last.statements.size() == all);
}
