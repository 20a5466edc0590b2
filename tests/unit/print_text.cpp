// SPDX-License-Identifier: Apache-2.0
// Printing of what scripts hardly build: statements with free variables, threads, names that repeat, carets.
#include <catch2/catch.hpp>

#include "frontend/print/highlight.h"
#include "frontend/print/print.h"

using namespace mlc;      // NOLINT
using namespace mlc::ir;  // NOLINT

namespace {

Buffer matrix(const char* name, const Expr& rows) {
  return make<VarNode>(name, make<BufferTypeNode>(DataType::Float(32), "global", Array<Expr>{rows, int32(8)},
                                                  Array<Expr>{}, int32(0)));
}

Map<String, Any> attrs_of_function() { return {{"s_tir", true}, {"global_symbol", String("f")}}; }

}  // namespace

TEST_CASE("a statement by itself declares the variables it uses", "[print]") {
  register_nodes();
  Var n = make_var("n", DataType::Int(32));
  Var i = make_var("i", DataType::Int(32));
  Buffer a = matrix("A", n);
  Stmt store =
      make<BufferStoreNode>(a, make<FloatImmNode>(DataType::Float(32), 1.0), Array<Expr>{i, int32(0)});
  CHECK(print::script(store) ==
        "n = T.int32()\n"
        "A = T.Buffer((n, 8), layout=None)\n"
        "i = T.int32()\n"
        "A[i, 0] = T.float32(1.0)");
  Stmt loop = make<ForNode>(i, int32(0), int32(10), ForKind::kSerial, store);
  CHECK(print::script(loop) ==
        "for i in range(10):\n"
        "    n = T.int32()\n"
        "    A = T.Buffer((n, 8), layout=None)\n"
        "    A[i, 0] = T.float32(1.0)");
}

TEST_CASE("expressions by themselves declare nothing unless asked", "[print]") {
  register_nodes();
  Var n = make_var("n", DataType::Int(32));
  Expr sum = make<AddNode>(n, make_var("n", DataType::Int(32)));
  CHECK(print::script(sum) == "n + n_1");
  print::PrintOptions verbose;
  verbose.verbose_expr = true;
  CHECK(print::script(sum, verbose) == "n = T.int32()\nn_1 = T.int32()\nn + n_1");
}

TEST_CASE("a thread variable is made where all its uses see it", "[print]") {
  register_nodes();
  Var x = make_var("tx", DataType::Int(32));
  IterVar thread =
      make<IterVarNode>(make<RangeNode>(int32(0), int32(8)), x, IterType::kThreadIndex, "threadIdx.x");
  auto region = [&](Stmt body) {
    return make<AttrStmtNode>(thread, "thread_extent", int32(8), std::move(body));
  };
  Stmt use = make<EvaluateNode>(x);
  auto function = [&](Stmt body) {
    return print::script(make<PrimFuncNode>(Array<Var>{}, void_type(), std::move(body), attrs_of_function()));
  };
  CHECK(function(region(use)).ends_with("    tx = T.launch_thread(\"threadIdx.x\", 8)\n    T.evaluate(tx)"));
  CHECK(function(make<SeqStmtNode>(Array<Stmt>{region(use), region(use)}))
            .ends_with("    tx = T.env_thread(\"threadIdx.x\")\n"
                       "    with T.launch_thread(tx, 8):\n"
                       "        T.evaluate(tx)\n"
                       "    with T.launch_thread(tx, 8):\n"
                       "        T.evaluate(tx)"));
}

TEST_CASE("names are unique in scope and free again after it", "[print]") {
  register_nodes();
  Array<Stmt> loops;
  for (int k = 0; k < 2; ++k) {
    Var outer = make_var("i", DataType::Int(32));
    Var inner = make_var("i", DataType::Int(32));
    Stmt body = make<EvaluateNode>(make<AddNode>(outer, inner));
    loops.push_back(make<ForNode>(outer, int32(1), int32(4), ForKind::kSerial,
                                  make<ForNode>(inner, int32(1), int32(4), ForKind::kSerial, body)));
  }
  CHECK(print::script(make<SeqStmtNode>(loops)) ==
        "for i in range(1, 5):\n    for i_1 in range(1, 5):\n        T.evaluate(i + i_1)\n"
        "for i in range(1, 5):\n    for i_1 in range(1, 5):\n        T.evaluate(i + i_1)");
}

TEST_CASE("carets stand under the node that was asked for", "[print]") {
  register_nodes();
  Var n = make_var("n", DataType::Int(32));
  Expr product = make<MulNode>(n, int32(2));
  Expr sum = make<AddNode>(n, product);
  PrimFunc fn = make<PrimFuncNode>(Array<Var>{n}, void_type(), make<EvaluateNode>(sum), attrs_of_function());
  print::PrintOptions options;
  options.underline.push_back(product);
  options.num_context_lines = 0;
  CHECK(print::script(fn, options) ==
        "Access path: <root>.body.value.b\n\n"
        "(... 5 lines skipped ...)\n"
        "    T.evaluate(n + n * 2)\n"
        "                   ^^^^^");
}

TEST_CASE("a file begins with its imports", "[print]") {
  register_nodes();
  PrimFunc fn =
      make<PrimFuncNode>(Array<Var>{}, void_type(), make<EvaluateNode>(int32(1)), attrs_of_function());
  CHECK(print::file_text(module_of(fn)) ==
        "import tvm\n"
        "from tvm.script import ir as I, tirx as T\n"
        "\n"
        "@I.ir_module\n"
        "class Module:\n"
        "    @T.prim_func(s_tir=True)\n"
        "    def f():\n"
        "        T.evaluate(1)\n");
  print::PrintOptions classic;
  classic.dialect = print::Dialect::kClassic;
  CHECK(print::script(module_of(fn), classic).find("@T.prim_func\n") != std::string::npos);
}

TEST_CASE("colours begin and end where words do", "[print]") {
  // <k..> a keyword, <t..> text, <n..> a number, <c..> a comment, <d..> a decorator
  auto marked = [](std::string_view program) {
    std::string text = print::highlight(program);
    for (auto [code, mark] : {std::pair<std::string_view, std::string_view>{"\x1b[35m", "<k"},
                              {"\x1b[32m", "<t"},
                              {"\x1b[36m", "<n"},
                              {"\x1b[90m", "<c"},
                              {"\x1b[33m", "<d"},
                              {"\x1b[0m", ">"}}) {
      for (size_t at; (at = text.find(code)) != std::string::npos;) text.replace(at, code.size(), mark);
    }
    return text;
  };
  CHECK(marked("@T.prim_func\ndef f(x: T.int32):  # if\n    return 1.5e3 if x_if else y2\n") ==
        "<d@T.prim_func>\n<kdef> f(x: T.int32):  <c# if>\n    <kreturn> <n1.5e3> <kif> x_if <kelse> y2\n");
  CHECK(marked(R"(f('a', "b'c", 'd\'e' )#)") == R"(f(<t'a'>, <t"b'c">, <t'd\'e'> )<c#>)");
  CHECK(marked(R"("""one " "" \""" two"""+'''x'''+"")") == R"(<t"""one " "" \""" two""">+<t'''x'''>+<t"">)");
  CHECK(marked("'open\nx = \"open\\") == "<t'open>\nx = <t\"open\\>");
  CHECK(marked("'''open\n7") == "<t'''open\n7>");
  CHECK(marked("").empty());
}
