// SPDX-License-Identifier: Apache-2.0
// Printing of graphs that scripts hardly build: lone bindings and types, free variables, long functions. The
// texts are those of TVM 0.27.
#include <catch2/catch.hpp>

#include "frontend/print/print.h"
#include "ir/relax/operator.h"

using namespace mlc;         // NOLINT
using namespace mlc::relax;  // NOLINT

namespace {

Expr dim(int64_t extent) { return ir::int_imm(DataType::Int(64), extent); }
Type tensor(Array<Expr> dims) {
  return make<TensorTypeNode>(Expr(make<ShapeExprNode>(dims)), DataType::Float(32));
}
Var symbol(const char* name) { return ir::make_var(name, DataType::Int(64)); }
Expr call(const char* name, Array<Expr> args, const Type& type) {
  return make<CallNode>(type, Expr(op(name)), std::move(args));
}
Function function(Array<Var> params, Array<BindingBlock> blocks, const Expr& value, const Type& ret = {}) {
  return make<FunctionNode>(params, make<SeqExprNode>(blocks, value), ret ? ret : value->ty, true);
}

}  // namespace

TEST_CASE("a lone binding declares what it uses", "[print]") {
  ir::register_nodes();
  Var n = symbol("n");
  Type type = tensor({n, dim(4)});
  Var x = make_var(false, "x", type);
  Var v = make_var(false, "v", type);
  Binding binding = make<VarBindingNode>(v, call("relax.add", {x, x}, type));
  std::string declared = "n = T.int64()\nx: R.Tensor((n, 4), dtype=\"float32\")\n";
  std::string line = "v: R.Tensor((n, 4), dtype=\"float32\") = R.add(x, x)";
  CHECK(print::script(binding) == declared + line);
  CHECK(print::script(make<BindingBlockNode>(Array<Binding>{binding})) == declared + line);
  CHECK(print::script(make<SeqExprNode>(Array<BindingBlock>{make<BindingBlockNode>(Array<Binding>{binding})},
                                        v)) == declared + line + "\nv");

  Var lv = make_var(true, "lv", type);
  Binding first = make<VarBindingNode>(lv, call("relax.add", {x, x}, type));
  Binding second = make<VarBindingNode>(v, call("relax.exp", {lv}, type));
  CHECK(print::script(make<DataflowBlockNode>(Array<Binding>{first, second})) ==
        declared +
            "with R.dataflow():\n"
            "    lv: R.Tensor((n, 4), dtype=\"float32\") = R.add(x, x)\n"
            "    v: R.Tensor((n, 4), dtype=\"float32\") = R.exp(lv)\n"
            "    R.output(v)");

  Var y = make_var(false, "x", tensor({dim(4), dim(4)}));
  Var m = symbol("m");
  CHECK(print::script(make<MatchCastNode>(v, y, tensor({n, m}))) ==
        "n = T.int64()\n"
        "x: R.Tensor((4, 4), dtype=\"float32\")\n"
        "m = T.int64()\n"
        "v: R.Tensor((n, 4), dtype=\"float32\") = R.match_cast(x, R.Tensor((n, m), dtype=\"float32\"))");

  print::PrintOptions verbose;
  verbose.verbose_expr = true;
  Expr sum = call("relax.add", {x, x}, type);
  CHECK(print::script(sum) == "R.add(x, x)");
  CHECK(print::script(sum, verbose) == declared + "R.add(x, x)");
  CHECK(print::script(x, verbose) == declared + "x");
}

TEST_CASE("lone types and values", "[print]") {
  ir::register_nodes();
  Var n = symbol("n");
  Type type = tensor({n, dim(4)});
  CHECK(print::script(type) == "R.Tensor((n, 4), dtype=\"float32\")");
  // TVM prints a lone tuple in the other dialect.
  CHECK(print::script(make<TupleTypeNode>(Array<Type>{tensor({dim(4)})})) ==
        "T.Tuple(R.Tensor((T.int64(4),), dtype=\"float32\"))");
  CHECK(print::script(Type(opaque_function(type, true))) ==
        "R.Callable(ret=R.Tensor((n, 4), dtype=\"float32\"), purity=True)");
  CHECK(print::script(Type(make<FuncTypeNode>(ffi::Optional<Array<Type>>(Array<Type>{type}), type, true))) ==
        "R.Callable((R.Tensor((n, 4), dtype=\"float32\"),), R.Tensor((n, 4), dtype=\"float32\"), True)");
  CHECK(print::script(make<ShapeTypeNode>(int64_t{2})) == "R.Shape(ndim=2)");
  CHECK(print::script(make<PackedFuncTypeNode>()) == "R.PackedFunc");
  CHECK(print::script(make<ShapeExprNode>(Array<Expr>{n, dim(4)})) == "R.shape([n, 4])");
  CHECK(print::script(make<TupleNode>(Array<Expr>{})) == "R.tuple()");
  CHECK(print::script(make<ExternFuncNode>("a.b")) == "R.ExternFunc(\"a.b\")");
  CHECK(print::script(make<CallNode>(type, make<GlobalVarNode>("foo"), Array<Expr>{n})) == "foo(n)");
}

TEST_CASE("signatures, and variables that nothing defines", "[print]") {
  ir::register_nodes();
  Var n = symbol("n");
  Var other = symbol("n");
  Var x = make_var(false, "x", tensor({n, dim(4)}));
  Var y = make_var(false, "y", tensor({other, dim(4)}));
  std::string two =
      "# from typing import TypeVar\n"
      "# from tvm.script import relax as R\n"
      "\n"
      "n = TypeVar(\"n\")\n"
      "n_1 = TypeVar(\"n_1\")\n"
      "@R.function(private=True)\n"
      "def main(x: R.Tensor((n, 4), dtype=\"float32\"), y: R.Tensor((n_1, 4), dtype=\"float32\")) -> "
      "R.Tensor((n, 4), dtype=\"float32\"):\n"
      "    return x";
  CHECK(print::script(function({x, y}, {}, x)) == two);

  Var derived = make_var(false, "x", tensor({ir::binary(ir::ExprKind::kAdd, n, dim(1)), dim(4)}));
  CHECK(print::script(function({derived}, {}, derived)) ==
        "# from typing import TypeVar\n"
        "# from tvm.script import relax as R\n"
        "\n"
        "n = TypeVar(\"n\")\n"
        "@R.function(private=True)\n"
        "def main(x: R.Tensor((\"n + 1\", 4), dtype=\"float32\")) -> R.Tensor((\"n + 1\", 4), "
        "dtype=\"float32\"):\n"
        "    return x");

  Var loose = make_var(false, "x", tensor({dim(4), dim(4)}));
  CHECK(print::script(function({x}, {}, make<TupleNode>(Array<Expr>{loose, y}))) ==
        "# from typing import TypeVar\n"
        "# from tvm.script import relax as R\n"
        "\n"
        "n = TypeVar(\"n\")\n"
        "n_1 = TypeVar(\"n_1\")\n"
        "@R.function(private=True)\n"
        "def main(x: R.Tensor((n, 4), dtype=\"float32\")) -> R.Tuple(R.Tensor((4, 4), dtype=\"float32\"), "
        "R.Tensor((n_1, 4), dtype=\"float32\")):\n"
        "    x_1: R.Tensor((4, 4), dtype=\"float32\")\n"
        "    y: R.Tensor((n_1, 4), dtype=\"float32\")\n"
        "    return (x_1, y)");
}

TEST_CASE("a function of many bindings prints in linear time", "[print]") {
  ir::register_nodes();
  Type type = tensor({dim(4)});
  Var x = make_var(false, "x", type);
  Var last = x;
  Array<Binding> bindings;
  constexpr int kBindings = 100000;
  for (int i = 0; i < kBindings; ++i) {
    Var next = make_var(true, "lv", type);
    bindings.push_back(make<VarBindingNode>(next, call("relax.exp", {last}, type)));
    last = next;
  }
  Var out = make_var(false, "gv", type);
  bindings.push_back(make<VarBindingNode>(out, call("relax.exp", {last}, type)));
  std::string text = print::script(function({x}, {make<DataflowBlockNode>(bindings)}, out));
  CHECK(std::count(text.begin(), text.end(), '\n') == kBindings + 7);
  CHECK(text.find("lv_99999: R.Tensor((4,), dtype=\"float32\") = R.exp(lv_99998)") != std::string::npos);
}
