// SPDX-License-Identifier: Apache-2.0
// Trees as bytes: what was thawed is what was parsed, and the trees in the program are those of its texts.
#include <catch2/catch.hpp>
#include <string>

#include "frontend/script/core/stdlib.h"
#include "frontend/syntax/frozen.h"
#include "frontend/syntax/parse.h"
#include "ir/core/span.h"

namespace {

using namespace mlc;

// Every kind of node and of field, numbers at their ends, and texts that no identifier holds.
constexpr std::string_view kProgram = R"py(
import a.b as c, d
from ..e import f as g, h
from . import *
@dec(1)
def fn[n: int, *ts, **ps](a, /, b: int = 2, *args, c, d=3.5e-300, **kw) -> "r":
    global x
    def inner():
        nonlocal a
        yield
        yield from a
        return lambda p, *q: (p, *q)
    for i, (j, *k) in z:
        break
    else:
        pass
    while True:
        continue
    with a as b, c: del a[0], b.c
class K(B, metaclass=M, **kw):
    """d\x00oc \u00e9"""
    v: int
    (w): int = -9223372036854775808
try:
    raise E from None
except (A, B) as e:
    pass
try:
    assert a, "m"
except A:
    x = y = b'\xff\x00'
else:
    x += 1
finally:
    x @= 2
v = [i for i in a if b if c], {i for i in a}, {i: j for i, j in a}, (i for i in a)
w = not a and b or c < d <= e is not f, -a ** ~b, {**a, 1: 2}, {1, *b}, ... if True else None
u = f"{a!r:>{width}}{b=}", a[1:2, ::3], (y := 9223372036854775807), 1e400, -0.0
)py";

}  // namespace

TEST_CASE("a thawed tree is the one that was frozen", "[syntax]") {
  uint32_t file = ir::SourceMap::current().add("<test>", std::string(kProgram));
  auto parsed = syntax::parse_file(file);
  std::string frozen = syntax::freeze(*parsed);
  auto thawed = syntax::thaw(frozen, file);
  CHECK(syntax::freeze(*thawed) == frozen);  // every field, spans and heights with it
}

TEST_CASE("the trees of the library are those of its texts", "[syntax]") {
  REQUIRE(script::embedded_modules().size() > 50);
  for (std::string_view name : script::embedded_modules()) {
    CAPTURE(name);
    uint32_t file = ir::SourceMap::current().add("<test>", std::string(script::embedded_text(name)));
    CHECK(syntax::freeze(*syntax::parse_file(file)) == script::embedded_tree(name));
    CHECK(syntax::freeze(*syntax::thaw(script::embedded_tree(name), file)) == script::embedded_tree(name));
  }
  CHECK(script::embedded_text("no.such.module").empty());
  CHECK(script::embedded_tree("no.such.module").empty());
}
