// SPDX-License-Identifier: Apache-2.0
// The evaluator as C++ sees it: name scopes of IR builders, hooks, calls, the REPL's entry points,
// interruption.
#include <catch2/catch.hpp>

#include <unordered_map>

#include "frontend/script/core/evaluator.h"
#include "frontend/syntax/parse.h"
#include "ir/core/interrupt.h"
#include "ir/core/module.h"
#include "ir/core/visit.h"

namespace mlc::script {
namespace {

struct Script {
  Script() {
    evaluator.out = [this](std::string_view text) { output += text; };
  }
  void run(std::string text) {
    evaluator.run_source(ir::SourceMap::current().add("<test>", std::move(text)));
  }
  Any value(std::string text) {
    return evaluator.evaluate_repl(ir::SourceMap::current().add("<test>", std::move(text)));
  }

  Evaluator evaluator;
  std::string output;
};

struct Names final : NameScope {
  std::unordered_map<Symbol, Any> all;
  const Any* find(Symbol name) override {
    auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
  }
};

ir::Diagnostic failure(Script& script, std::string text) {
  try {
    script.run(std::move(text));
  } catch (ir::Error& error) {
    return error.first();
  }
  FAIL("no error");
  return {};
}

TEST_CASE("the value of the last expression, and names that persist", "[script]") {
  Script script;
  REQUIRE(is_none(script.value("x = 20\ny = 22\n")));
  REQUIRE(script.value("x + y\n").cast<int64_t>() == 42);
  REQUIRE(script.value("print(x)\nx\n").cast<int64_t>() == 20);
  REQUIRE(script.output == "20\n");
  REQUIRE(script.evaluator.global("x")->cast<int64_t>() == 20);
  script.evaluator.set_global("z", int64_t{5});
  REQUIRE(script.value("z * 2\n").cast<int64_t>() == 10);
}

TEST_CASE("an error leaves the session usable", "[script]") {
  Script script;
  REQUIRE(failure(script, "a = 1\nb = missing\n").name == "undefined-name");
  REQUIRE(script.value("a\n").cast<int64_t>() == 1);
}

TEST_CASE("a builder's names come before those of the script", "[script]") {
  Script script;
  script.run("n = 3\nk = 10\n");
  Names names;
  names.all[Symbol("n")] = int64_t{7};
  auto evaluate = [&](std::string text) {
    static std::vector<std::shared_ptr<const syntax::Tree>> trees;
    trees.push_back(syntax::parse_expression(ir::SourceMap::current().add("<test>", std::move(text))));
    return script.evaluator.evaluate(*trees.back()->expression, names);
  };
  REQUIRE(evaluate("n + k").cast<int64_t>() == 17);
  REQUIRE(script.evaluator.repr(evaluate("[i * n for i in range(3) if i < n]")) == "[0, 7, 14]");
  REQUIRE(script.evaluator.repr(evaluate("{i: [j + n for j in range(i)] for i in range(3)}")) ==
          "{0: [], 1: [7], 2: [7, 8]}");
  REQUIRE(script.evaluator.repr(evaluate("sum(i * n for i in range(4))")) == "42");
  Any fn = evaluate("lambda i, j=k: (i, j, n)");
  names.all[Symbol("n")] = int64_t{8};
  Any args[] = {Any(int64_t{1})};
  REQUIRE(script.evaluator.repr(script.evaluator.call(fn, args)) == "(1, 10, 7)");
  REQUIRE(script.evaluator.parameter_names(fn) == std::vector<std::string>{"i", "j"});
  REQUIRE_THROWS_AS(evaluate("nn"), ir::Error);
}

TEST_CASE("errors point at the failing part and tell how it was reached", "[script]") {
  Script script;
  ir::Diagnostic d =
      failure(script, "def inner(v):\n  return v + 'a'\ndef outer():\n  return inner(3)\nouter()\n");
  REQUIRE(d.kind == "TypeError");
  REQUIRE(ir::SourceMap::current().text(d.span) == "v + 'a'");
  REQUIRE(d.notes.size() == 1);
  REQUIRE(d.notes[0].message == "`v` is 3");
  REQUIRE(d.calls.size() == 2);
  REQUIRE(ir::SourceMap::current().text(d.calls[0].span) == "inner(3)");
  REQUIRE(d.calls[0].values == "v is 3");
  REQUIRE(failure(script, "lenght = 3\nprint(lengt)\n").help == "did you mean `lenght`?");
  REQUIRE(failure(script, "'a'.uper()\n").help == "did you mean `upper`?");
  REQUIRE(failure(script, "import mathh\n").help == "did you mean `math`?");
}

TEST_CASE("exit, interruption and endless recursion are controlled", "[script]") {
  Script script;
  try {
    script.run("import sys\nsys.exit(3)\n");
    FAIL("no exit");
  } catch (Evaluator::SystemExit& exit) {
    REQUIRE(exit.code == 3);
  }
  Evaluator::interrupt();
  REQUIRE(failure(script, "while True: pass\n").kind == "KeyboardInterrupt");
  // Passes ask at every statement; a step of a schedule that has begun ends.
  struct Pass : ir::Rewriter {
  } pass;
  ir::Stmt statement = ir::make<ir::EvaluateNode>(ir::int32(0));
  Evaluator::interrupt();
  {
    ir::NotNow step;
    REQUIRE(pass.rewrite(statement).same_as(statement));
  }
  REQUIRE_THROWS_AS(pass.rewrite(statement), ir::Error);
  REQUIRE(pass.rewrite(statement).same_as(statement));
  REQUIRE(failure(script, "def f(): return f()\nf()\n").kind == "RecursionError");
  REQUIRE(failure(script, "x = []\nfor i in range(100000): x = [x]\nrepr(x)\n").kind == "RecursionError");
}

TEST_CASE("containers keep to Python's equality of keys", "[script]") {
  Script script;
  script.run(
      "d = {1: 'a', (1, 2): 'b', 'k': 'c'}\nd[1.0] = 'x'\nd[True] = 'y'\nprint(d, d[(1.0, 2)], len({1, 1.0, "
      "True}))\n");
  REQUIRE(script.output == "{1: 'y', (1, 2): 'b', 'k': 'c'} b 1\n");
}

}  // namespace
}  // namespace mlc::script
