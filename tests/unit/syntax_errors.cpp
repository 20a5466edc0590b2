// SPDX-License-Identifier: Apache-2.0
// Programs that are wrong: what is said, where, and that one mistake does not hide or invent another.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/syntax/parse.h"
#include "ir/core/error.h"

namespace {

using namespace mlc;

// Each error as "line:column name: message", one per line; "" for a program that parses.
std::string errors_of(std::string_view program) {
  uint32_t file = ir::SourceMap::current().add("<test>", std::string(program));
  std::vector<std::string> all;
  try {
    syntax::parse_file(file);
  } catch (const ir::Error& error) {
    for (const ir::Diagnostic& d : error.all()) {
      ir::Position at = ir::SourceMap::current().position(file, d.span.begin);
      all.push_back(fmt::format("{}:{} {}: {}", at.line, at.column, d.name, d.message));
    }
  }
  return fmt::format("{}", fmt::join(all, "\n"));
}

ir::Diagnostic first_error(std::string_view program) {
  try {
    syntax::parse_file(ir::SourceMap::current().add("<test>", std::string(program)));
  } catch (const ir::Error& error) {
    return error.first();
  }
  return {};
}

struct Row {
  std::string_view program;
  std::string_view errors;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.program);
    CHECK(errors_of(row.program) == row.errors);
  }
}

}  // namespace

TEST_CASE("what is expected is said in words", "[syntax]") {
  check({
      {"for i in range(3)\n  i", "1:18 syntax: expected `:` after the loop header, found newline"},
      {"while x\n  i", "1:8 syntax: expected `:` after the loop header, found newline"},
      {"if x = 1: y", "1:6 syntax: expected `:` after the condition, found `=`"},
      {"def f() x", "1:9 syntax: expected `:` after the function header, found `x`"},
      {"class A\n  x", "1:8 syntax: expected `:` after the class header, found newline"},
      {"with a b: c", "1:8 syntax: expected `:` after the items of `with`, found `b`"},
      {"try\n  x", "1:4 syntax: expected `:` after `try`, found newline"},
      {"lambda x y: 3", "1:10 syntax: expected `:` after the parameters of `lambda`, found `y`"},
      {"x = ", "1:5 syntax: expected an expression after `=`, found the end of the file"},
      {"a +\n", "1:4 syntax: expected an expression after `+`, found newline"},
      {"print(x y)", "1:9 syntax: expected `,` or `)`, found `y`"},
      {"[x y]", "1:4 syntax: expected `,` or `]`, found `y`"},
      {"f(,)", "1:3 syntax: expected an expression or `)`, found `,`"},
      {"f(a,, b)", "1:5 syntax: expected an expression between the commas"},
      {"a;; b", "1:3 syntax: expected a statement between the semicolons"},
      {"y = 2 3", "1:7 syntax: expected the end of the statement, found `3`"},
      {"x = 1 if y",
       "1:11 syntax: expected `else` and what the expression is otherwise, found the end of the file"},
      {"for x on y: pass", "1:7 syntax: expected `in` after the targets of `for`, found `on`"},
      {"import", "1:7 syntax: expected a name after `import`, found the end of the file"},
      {"from x imp y", "1:8 syntax: expected `import` after the module, found `imp`"},
      {"@a\nx = 1", "2:1 syntax: expected `def` or `class` after the decorator, found `x`"},
      {"def class(): pass", "1:5 syntax: `class` is a keyword and cannot be a name"},
      {"a.if", "1:3 syntax: `if` is a keyword and cannot be a name"},
      {")", "1:1 unclosed: `)` closes nothing"},
      {"else: x", "1:1 syntax: this `else` belongs to no `if`, loop or `try` above it"},
  });
}

TEST_CASE("help for slips that have a name", "[syntax]") {
  CHECK(first_error("whlie x:\n  y").help == "did you mean `while`?");
  CHECK(first_error("esle:\n  y").help == "did you mean `else`?");
  CHECK(first_error("print \"x\"").help == "`print` is a function: `print(...)`");
  CHECK(first_error("a && b").help == "write `and`");
  CHECK(first_error("a <> b").help == "write `!=`");
  CHECK(first_error("x++").help == "to add one, write `+= 1`");
  CHECK(first_error("if x = 1: y").help == "`==` compares, `=` assigns");
  CHECK(first_error("x = 017").help == "octal numbers are written `0o17`");
  CHECK(first_error("x = \xE2\x80\x9C"
                    "a\xE2\x80\x9D")
            .help == "strings stand in plain quotes, `\"` or `'`");
  ir::Diagnostic nested = first_error("f(\n  a,\n  b c\n)");
  REQUIRE(nested.notes.size() == 1);
  CHECK(nested.notes[0].message == "inside the `(` that opens here");
  CHECK(nested.notes[0].span.begin == 1);
}

TEST_CASE("brackets and quotes are blamed where they open", "[syntax]") {
  check({
      {"x = (1, 2\ny = 3\ndef f():\n  pass\n", "1:5 unclosed: `(` is never closed"},
      {"x = [1,\n\n\n", "1:5 unclosed: `[` is never closed"},
      {"f(a]", "1:4 unclosed: `]` does not close `(`"},
      {"x = 'abc\ny = 1 1",
       "1:5 unclosed: this string is never closed\n"
       "2:7 syntax: expected the end of the statement, found `1`"},
      {"x = '''abc\ny = 1", "1:5 unclosed: this string is never closed"},
      {"f\"{a", "1:3 unclosed: `{` is never closed in this f-string"},
      {"f\"{a\"\n1 1",
       "1:3 unclosed: `{` is never closed in this f-string\n"
       "2:3 syntax: expected the end of the statement, found `1`"},
      {"f'{a:>3'", "1:3 unclosed: `{` is never closed in this f-string"},
      {"f'}'", "1:3 syntax: `}` stands alone in an f-string"},
      {"f'{}'", "1:4 syntax: expected an expression after `{`, found `}`"},
      {"f'{a!z}'", "1:6 syntax: expected `r`, `s` or `a` after `!`, found `z`"},
  });
}

TEST_CASE("layout", "[syntax]") {
  check({
      {"  x = 1", "1:1 indentation: this line is indented, but nothing above it opens a block"},
      {"x = 1\n  y = 2\nz = 3", "2:1 indentation: this line is indented, but nothing above it opens a block"},
      {"if x:\ny", "2:1 indentation: expected an indented block after `if`"},
      {"def f():\n\nx = 1", "3:1 indentation: expected an indented block after the function header"},
      {"if x:\n    a\n  b", "3:1 indentation: this line is indented like no block above it"},
      {"if x:\n        a\n\tb",
       "3:1 indentation: tabs and spaces are mixed: which line is deeper depends on the "
       "width of a tab"},
      {"x = 1 \\ \ny", "1:7 syntax: expected a newline after `\\`"},
  });
  CHECK(first_error("if x:\ny").kind == "IndentationError");
  CHECK(first_error("x y").kind == "SyntaxError");
}

TEST_CASE("what Python has and the language has not is refused by name", "[syntax]") {
  check({
      {"async def f(): pass", "1:1 left-out: `async` is not part of the language"},
      {"def f():\n  await g()", "2:3 left-out: `await` is not part of the language"},
      {"type A = int", "1:1 left-out: `type` is not part of the language"},
      {"try: x\nexcept* E: y",
       "2:7 left-out: `except*` and groups of exceptions are not part of the language"},
      {"x = 3j", "1:5 left-out: complex numbers are not part of the language"},
      {"'\\N{DOT}'", "1:2 left-out: characters by name, `\\N{...}`, are not part of the language"},
      {"match x:\n  case [1, *y]:\n    z\n  case _: w\nx = 1",
       "1:1 left-out: `match` is not part of the language"},
      {"match (x):\n  case 1: w\n", "1:1 left-out: `match` is not part of the language"},
      {"match x:\n  case 1 + 2: b\nx = = 1",
       "1:1 left-out: `match` is not part of the language\n"
       "3:5 syntax: expected an expression after `=`, found `=`"},
      {"match x\n", "1:1 left-out: `match` is not part of the language"},
      {"case 1:\n  w\n", "1:6 syntax: expected the end of the statement, found `1`"},
      {"match = case = type = 1\nmatch[0] = match(1) + match", ""},
  });
}

TEST_CASE("literals", "[syntax]") {
  check({
      {"9223372036854775807, -9223372036854775808, 0x7fffffffffffffff, 1_0, 00, 1if 1else 2", ""},
      {"9223372036854775808, -9223372036854775808 ** 2, 0xffff_ffff_ffff_ffff",
       ""},  // refused when it is used
      {"1__0", "1:1 syntax: an underscore stands between two digits"},
      {"0x", "1:1 syntax: expected digits after `0x`"},
      {"12abc", "1:1 syntax: `abc` does not belong to the number before it"},
      {"'\\x4'", "1:2 syntax: `\\x` needs 2 hexadecimal digits after it"},
      {"'\\ud800'", "1:2 syntax: U+D800 is not a character"},
      {"b'\xC3\xA9'", "1:3 syntax: a bytes literal holds ASCII characters only"},
      {"b'a' 'b'", "1:6 syntax: bytes and text cannot be joined"},
  });
}

TEST_CASE("targets and places", "[syntax]") {
  check({
      {"f() = 1", "1:1 syntax: cannot assign to a call"},
      {"a + b = 1", "1:1 syntax: cannot assign to an operation"},
      {"None = 1", "1:1 syntax: cannot assign to `None`"},
      {"(a, 1) = b", "1:5 syntax: cannot assign to a literal"},
      {"*a, *b = c", "1:5 syntax: a second `*` among these targets"},
      {"for f() in x: y", "1:5 syntax: cannot assign to a call"},
      {"(a, b) += 1", "1:1 syntax: `+=` needs a single target"},
      {"a, b: int", "1:1 syntax: only a single target can be annotated"},
      {"(a, b): int", "1:1 syntax: only a single target can be annotated"},
      {"del f()", "1:5 syntax: cannot delete a call"},
      {"x := 1", "1:3 syntax: `:=` needs parentheses here"},
      {"f(a.b := 1)", "1:3 syntax: `:=` needs a single name on its left"},
      {"*x", "1:1 syntax: `*` cannot unpack here"},
      {"a + not b", "1:5 syntax: `not` binds less strongly than the operator before it"},
      {"f(a=1, 2)", "1:8 syntax: a positional argument after a keyword argument"},
      {"f(**a, *b)", "1:8 syntax: `*` after `**` in a call"},
      {"f(a=1, a=2)", "1:8 syntax: argument `a` is given twice"},
      {"f(1=2)", "1:3 syntax: expected a single name before `=` in a call"},
      {"f(x for x in y, 1)", "1:3 syntax: a generator beside other arguments needs parentheses of its own"},
      {"{1: 2, 3}", "1:8 syntax: expected `:` and a value after this key of a dictionary"},
      {"{1, 2: 3}", "1:5 syntax: this is a set, because its first element has no `:`"},
      {"def f(a=1, b): pass", "1:12 syntax: parameter `b` needs a default, because one before it has one"},
      {"def f(a, a): pass", "1:10 syntax: two parameters are called `a`"},
      {"def f(*): pass", "1:7 syntax: expected a parameter after `*`"},
      {"def f(**a, b): pass", "1:12 syntax: no parameter can follow `**`"},
      {"def f(*, /): pass", "1:10 syntax: `/` must come before `*`"},
      {"try: x\n", "1:1 syntax: this `try` has neither `except` nor `finally`"},
      {"try: x\nexcept: y\nexcept A: z",
       "2:1 syntax: an `except` without a class catches everything and must be "
       "the last"},
      {"return 1", "1:1 syntax: `return` outside of a function"},
      {"class A:\n  yield", "2:3 syntax: `yield` outside of a function"},
      {"def f():\n  break", "2:3 syntax: `break` outside of a loop"},
      {"nonlocal x", "1:1 syntax: `nonlocal` outside of a function"},
      {"def f():\n  from a import *", "2:17 syntax: `import *` stands at the top level of a file only"},
      {"from import y", "1:1 syntax: expected a module after `from`"},
  });
}

TEST_CASE("every mistake of a file is reported, once", "[syntax]") {
  check({
      {"x = = 1\ny = 2\nz = = 3",
       "1:5 syntax: expected an expression after `=`, found `=`\n"
       "3:5 syntax: expected an expression after `=`, found `=`"},
      // A header that fails takes nothing else with it: its block and its `else` are still read.
      {"class A\n  def f(self):\n    x = 1 1\n    return x\n  def g(self: pass\n  def h(self): pass\ny = 2 2",
       "1:8 syntax: expected `:` after the class header, found newline\n"
       "3:11 syntax: expected the end of the statement, found `1`\n"
       "5:8 unclosed: `(` is never closed\n"
       "7:7 syntax: expected the end of the statement, found `2`"},
      {"if x\n  y\nelif z:\n  w\nelse:\n  v v\n",
       "1:5 syntax: expected `:` after the condition, found newline\n"
       "6:5 syntax: expected the end of the statement, found `v`"},
      {"def f():\n  return 1 1\n  f() = 2\n",
       "2:12 syntax: expected the end of the statement, found `1`\n"
       "3:3 syntax: cannot assign to a call"},
      {"def f():\n  1 = a\n  while b:\n    2 = c\n",
       "2:3 syntax: cannot assign to a literal\n"
       "4:5 syntax: cannot assign to a literal"},
  });
  std::string many;
  for (int i = 0; i < 100; ++i) many += "x = = 1\n";
  try {
    syntax::parse_file(ir::SourceMap::current().add("<test>", many));
    FAIL("it parsed");
  } catch (const ir::Error& error) {
    CHECK(error.all().size() == 20);
  }
}

TEST_CASE("what is not text is refused", "[syntax]") {
  using namespace std::string_view_literals;
  CHECK(errors_of("x = 1\n\0"sv) == "2:1 not-text: this is not text: byte 6 is NUL");
  CHECK(errors_of("x = '\xFF'") == "1:6 not-text: this is not UTF-8 text: byte 5 is 0xff");
  CHECK(errors_of("x\xC0\xAF") == "1:2 not-text: this is not UTF-8 text: byte 1 is 0xc0");
  CHECK(errors_of("x = $") == "1:5 syntax: `$` is not part of the language");
  CHECK(errors_of("x\xC2\xA0= 1") ==
        "1:2 syntax: the invisible character U+00A0 is not part of the language");
  CHECK(errors_of("x = 1 \x01") == "1:7 syntax: the invisible character U+0001 is not part of the language");
}
