// SPDX-License-Identifier: Apache-2.0
// Texts of unusual size and shape: deep, long, half typed, with other line ends.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "frontend/syntax/parse.h"
#include "ir/core/error.h"
#include "tests/unit/syntax_dump.h"

namespace {

using namespace mlc;
using syntax::is_complete;
using syntax::ParseStatus;

std::shared_ptr<const syntax::Tree> parse(std::string text) {
  return syntax::parse_file(ir::SourceMap::current().add("<test>", std::move(text)));
}

std::string first_name(std::string text) {
  try {
    parse(std::move(text));
    return "";
  } catch (const ir::Error& error) {
    return error.first().name;
  }
}

std::string repeat(std::string_view piece, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += piece;
  return all;
}

std::string blocks(size_t depth) {
  std::string all;
  for (size_t i = 0; i < depth; ++i) all += std::string(i, ' ') + "if x:\n";
  return all + std::string(depth, ' ') + "y\n";
}

}  // namespace

TEST_CASE("depth is limited and said to be", "[syntax]") {
  CHECK(first_name(repeat("(", 200) + "x" + repeat(")", 200)) == "");
  CHECK(first_name(repeat("(", 201) + "x" + repeat(")", 201)) == "too-deep");
  CHECK(first_name(blocks(99)) == "");
  CHECK(first_name(blocks(120)) == "too-deep");
  CHECK(first_name("x" + repeat(" + 1", 990)) == "");
  for (std::string_view endless :
       {"- ", "not ", "a**", "1+", "lambda: ", "a if b else ", "a.b.c().", "[", "f'{", "x["}) {
    CAPTURE(endless);
    CHECK(first_name(repeat(endless, 100'000) + "x") != "");
  }
  std::string branches = "if a:\n  b\n" + repeat("elif c:\n  d\n", 5000);
  CHECK(first_name(branches) == "too-deep");
}

TEST_CASE("length is not limited", "[syntax]") {
  CHECK(first_name("x = [" + repeat("1, ", 100'000) + "]") == "");
  CHECK(first_name(repeat("a and ", 100'000) + "b") == "");
  CHECK(first_name(repeat("a < ", 100'000) + "b") == "");
  CHECK(first_name(repeat("x = ", 10'000) + "1") == "");
  CHECK(first_name(repeat("'a' ", 100'000)) == "");
  CHECK(first_name("f(" + repeat("a, ", 100'000) + ")") == "");
  auto tree = parse(repeat("x = 1; ", 50'000));
  CHECK(tree->module->body.size() == 50'000);
}

TEST_CASE("line ends, marks and blank texts", "[syntax]") {
  std::string unix_lines = "if x:\n    y = '''a\nb'''\n    f(1,\n      2)\nz = 1\n";
  std::string dos_lines;
  for (char c : unix_lines) dos_lines += c == '\n' ? "\r\n" : std::string(1, c);
  std::string expected = syntax::dump(parse(unix_lines)->module);
  CHECK(syntax::dump(parse(dos_lines)->module) == expected);
  CHECK(syntax::dump(parse("\xEF\xBB\xBF" + unix_lines)->module) == expected);
  CHECK(syntax::dump(parse(unix_lines.substr(0, unix_lines.size() - 1))->module) == expected);
  for (std::string_view blank : {"", "\n", "   ", "# only a comment", "\n\n  # x\n\t\n", "\f\n"}) {
    CHECK(parse(std::string(blank))->module->body.empty());
  }
}

TEST_CASE("spans are those of the text", "[syntax]") {
  std::string text = "x = (a + b) * f(c, d=e)[0].g  # h\nif y:\n    pass\n\nz\n";
  auto tree = parse(text);
  auto spelt = [&](ir::Span span) { return ir::SourceMap::current().text(span); };
  auto body = tree->module->body;
  REQUIRE(body.size() == 3);
  CHECK(spelt(body[0]->span) == "x = (a + b) * f(c, d=e)[0].g");
  CHECK(spelt(body[1]->span) == "if y:\n    pass");
  const auto* product = syntax::as<syntax::BinOp>(syntax::as<syntax::Assign>(body[0])->value);
  REQUIRE(product != nullptr);
  CHECK(spelt(product->span) == "(a + b) * f(c, d=e)[0].g");
  CHECK(spelt(product->left->span) == "a + b");
  CHECK(spelt(product->op_span) == "*");
  const auto* attribute = syntax::as<syntax::Attribute>(product->right);
  CHECK(spelt(attribute->attr_span) == "g");
  CHECK(spelt(attribute->value->span) == "f(c, d=e)[0]");
  const auto* call = syntax::as<syntax::Call>(syntax::as<syntax::Subscript>(attribute->value)->value);
  CHECK(spelt(call->span) == "f(c, d=e)");
  CHECK(spelt(call->keywords[0]->span) == "d=e");
  CHECK(spelt(call->keywords[0]->name_span) == "d");
  auto formatted = parse("f'a{b + c:>{w}}'");
  const auto* inside =
      syntax::as<syntax::JoinedStr>(syntax::as<syntax::ExprStmt>(formatted->module->body[0])->value);
  const auto* field = syntax::as<syntax::FormattedValue>(inside->values[1]);
  CHECK(spelt(field->value->span) == "b + c");
}

TEST_CASE("an expression alone", "[syntax]") {
  auto tree = syntax::parse_expression(ir::SourceMap::current().add("<test>", "a + 1, b"));
  CHECK(syntax::dump(tree->expression) ==
        "Tuple(elts=[BinOp(left=Name(id='a', ctx=Load()), op=Add(), right=Constant(value=1)), "
        "Name(id='b', ctx=Load())], ctx=Load())");
  CHECK_THROWS_AS(syntax::parse_expression(ir::SourceMap::current().add("<test>", "a = 1")), ir::Error);
  CHECK_THROWS_AS(syntax::parse_expression(ir::SourceMap::current().add("<test>", "")), ir::Error);
}

TEST_CASE("names are interned", "[syntax]") {
  CHECK(syntax::Symbol("abc") == syntax::Symbol(std::string("a") + "bc"));
  CHECK(syntax::Symbol("abc") != syntax::Symbol("abd"));
  CHECK(syntax::Symbol("abc").str() == "abc");
  CHECK_FALSE(syntax::Symbol(""));
}

TEST_CASE("the prompt knows when to run what was typed", "[syntax]") {
  for (std::string_view text : {"", "x", "x = 1\n", "f(1,\n  2)", "if x:\n  y\n", "if x: y\n", "'''a\nb'''",
                                "@d\ndef f():\n  pass\n", "try:\n  x\nexcept:\n  y\n"}) {
    CAPTURE(text);
    CHECK(is_complete(text) == ParseStatus::kComplete);
  }
  for (std::string_view text :
       {"f(1,", "f(1,\n", "f(a=1, (", "{1: 2,", "[x for", "'''a", "f'''{x", "x = 1 + \\", "x = 1 + \\\n",
        "if x:", "if x:\n", "if x:\n  y", "if x: y", "def f():\n  # soon", "@d", "@d\n", "try:\n  x",
        "class A:\n  def f(self):", "for i in x:\n  if i:\n"}) {
    CAPTURE(text);
    CHECK(is_complete(text) == ParseStatus::kIncomplete);
  }
  for (std::string_view text :
       {"x y", "x = ", "f(]", "x = 1 1\nif x:", "  x", "'abc", "if x", "try:\n  x\n"}) {
    CAPTURE(text);
    CHECK(is_complete(text) == ParseStatus::kError);
  }
}
