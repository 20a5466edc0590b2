// SPDX-License-Identifier: Apache-2.0
// Programs and their trees. The expected text is CPython 3.11's `ast.dump(ast.parse(program))`.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "frontend/syntax/parse.h"
#include "ir/core/error.h"
#include "tests/unit/syntax_dump.h"

namespace {

using namespace mlc;

std::string dump_of(std::string_view program) {
  auto tree = syntax::parse_file(ir::SourceMap::current().add("<test>", std::string(program)));
  std::string all = syntax::dump(tree->module);
  constexpr std::string_view kHead = "Module(body=[";
  constexpr std::string_view kTail = "], type_ignores=[])";
  return all.substr(kHead.size(), all.size() - kHead.size() - kTail.size());
}

struct Row {
  std::string_view program;
  std::string_view tree;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.program);
    CHECK(dump_of(row.program) == row.tree);
  }
}

}  // namespace

// clang-format off
TEST_CASE("expressions have the trees that Python gives them", "[syntax]") {
  check({
      {R"py(x)py",
       R"py(Expr(value=Name(id='x', ctx=Load())))py"},
      {R"py(1_000 + 0xFF - 0o17 * 0b11)py",
       R"py(Expr(value=BinOp(left=BinOp(left=Constant(value=1000), op=Add(), )py"
       R"py(right=Constant(value=255)), op=Sub(), right=BinOp(left=Constant(value=15), op=Mult(), )py"
       R"py(right=Constant(value=3)))))py"},
      {R"py(1.5e-3, .5, 2., 1e400, 1e-400)py",
       R"py(Expr(value=Tuple(elts=[Constant(value=0.0015), Constant(value=0.5), )py"
       R"py(Constant(value=2.0), Constant(value=inf), Constant(value=0.0)], ctx=Load())))py"},
      {R"py(-1 ** 2)py",
       R"py(Expr(value=UnaryOp(op=USub(), operand=BinOp(left=Constant(value=1), op=Pow(), )py"
       R"py(right=Constant(value=2)))))py"},
      {R"py(2 ** -1 ** x)py",
       R"py(Expr(value=BinOp(left=Constant(value=2), op=Pow(), right=UnaryOp(op=USub(), )py"
       R"py(operand=BinOp(left=Constant(value=1), op=Pow(), right=Name(id='x', ctx=Load()))))))py"},
      {R"py(not a == b and c or d)py",
       R"py(Expr(value=BoolOp(op=Or(), values=[BoolOp(op=And(), values=[UnaryOp(op=Not(), )py"
       R"py(operand=Compare(left=Name(id='a', ctx=Load()), ops=[Eq()], comparators=[Name(id='b', )py"
       R"py(ctx=Load())])), Name(id='c', ctx=Load())]), Name(id='d', ctx=Load())])))py"},
      {R"py(a < b <= c != d is not e not in f)py",
       R"py(Expr(value=Compare(left=Name(id='a', ctx=Load()), ops=[Lt(), LtE(), NotEq(), IsNot(), )py"
       R"py(NotIn()], comparators=[Name(id='b', ctx=Load()), Name(id='c', ctx=Load()), Name(id='d', )py"
       R"py(ctx=Load()), Name(id='e', ctx=Load()), Name(id='f', ctx=Load())])))py"},
      {R"py(a | b ^ c & d << e + f * g @ h // i % ~j)py",
       R"py(Expr(value=BinOp(left=Name(id='a', ctx=Load()), op=BitOr(), )py"
       R"py(right=BinOp(left=Name(id='b', ctx=Load()), op=BitXor(), right=BinOp(left=Name(id='c', )py"
       R"py(ctx=Load()), op=BitAnd(), right=BinOp(left=Name(id='d', ctx=Load()), op=LShift(), )py"
       R"py(right=BinOp(left=Name(id='e', ctx=Load()), op=Add(), )py"
       R"py(right=BinOp(left=BinOp(left=BinOp(left=BinOp(left=Name(id='f', ctx=Load()), op=Mult(), )py"
       R"py(right=Name(id='g', ctx=Load())), op=MatMult(), right=Name(id='h', ctx=Load())), )py"
       R"py(op=FloorDiv(), right=Name(id='i', ctx=Load())), op=Mod(), right=UnaryOp(op=Invert(), )py"
       R"py(operand=Name(id='j', ctx=Load()))))))))))py"},
      {R"py((a, b), [c, *d], {*e, f}, {g: h, **i}, (), [], {})py",
       R"py(Expr(value=Tuple(elts=[Tuple(elts=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load())], )py"
       R"py(ctx=Load()), List(elts=[Name(id='c', ctx=Load()), Starred(value=Name(id='d', )py"
       R"py(ctx=Load()), ctx=Load())], ctx=Load()), Set(elts=[Starred(value=Name(id='e', )py"
       R"py(ctx=Load()), ctx=Load()), Name(id='f', ctx=Load())]), Dict(keys=[Name(id='g', )py"
       R"py(ctx=Load()), None], values=[Name(id='h', ctx=Load()), Name(id='i', ctx=Load())]), )py"
       R"py(Tuple(elts=[], ctx=Load()), List(elts=[], ctx=Load()), Dict(keys=[], values=[])], )py"
       R"py(ctx=Load())))py"},
      {R"py(a if b else c if d else e)py",
       R"py(Expr(value=IfExp(test=Name(id='b', ctx=Load()), body=Name(id='a', ctx=Load()), )py"
       R"py(orelse=IfExp(test=Name(id='d', ctx=Load()), body=Name(id='c', ctx=Load()), )py"
       R"py(orelse=Name(id='e', ctx=Load())))))py"},
      {R"py(lambda: 0)py",
       R"py(Expr(value=Lambda(args=arguments(posonlyargs=[], args=[], kwonlyargs=[], )py"
       R"py(kw_defaults=[], defaults=[]), body=Constant(value=0))))py"},
      {R"py(lambda x, /, y=1, *z, w, v=2, **u: x)py",
       R"py(Expr(value=Lambda(args=arguments(posonlyargs=[arg(arg='x')], args=[arg(arg='y')], )py"
       R"py(vararg=arg(arg='z'), kwonlyargs=[arg(arg='w'), arg(arg='v')], kw_defaults=[None, )py"
       R"py(Constant(value=2)], kwarg=arg(arg='u'), defaults=[Constant(value=1)]), )py"
       R"py(body=Name(id='x', ctx=Load()))))py"},
      {R"py(lambda *, k: k)py",
       R"py(Expr(value=Lambda(args=arguments(posonlyargs=[], args=[], kwonlyargs=[arg(arg='k')], )py"
       R"py(kw_defaults=[None], defaults=[]), body=Name(id='k', ctx=Load()))))py"},
      {R"py((y := f(x), y))py",
       R"py(Expr(value=Tuple(elts=[NamedExpr(target=Name(id='y', ctx=Store()), )py"
       R"py(value=Call(func=Name(id='f', ctx=Load()), args=[Name(id='x', ctx=Load())], )py"
       R"py(keywords=[])), Name(id='y', ctx=Load())], ctx=Load())))py"},
      {R"py(f(a, *b, c=d, **e))py",
       R"py(Expr(value=Call(func=Name(id='f', ctx=Load()), args=[Name(id='a', ctx=Load()), )py"
       R"py(Starred(value=Name(id='b', ctx=Load()), ctx=Load())], keywords=[keyword(arg='c', )py"
       R"py(value=Name(id='d', ctx=Load())), keyword(value=Name(id='e', ctx=Load()))])))py"},
      {R"py(f(x for x in y))py",
       R"py(Expr(value=Call(func=Name(id='f', ctx=Load()), args=[GeneratorExp(elt=Name(id='x', )py"
       R"py(ctx=Load()), generators=[comprehension(target=Name(id='x', ctx=Store()), )py"
       R"py(iter=Name(id='y', ctx=Load()), ifs=[], is_async=0)])], keywords=[])))py"},
      {R"py(f(*a or b))py",
       R"py(Expr(value=Call(func=Name(id='f', ctx=Load()), args=[Starred(value=BoolOp(op=Or(), )py"
       R"py(values=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load())]), ctx=Load())], )py"
       R"py(keywords=[])))py"},
      {R"py([x for x in y if x if not z for w in x])py",
       R"py(Expr(value=ListComp(elt=Name(id='x', ctx=Load()), )py"
       R"py(generators=[comprehension(target=Name(id='x', ctx=Store()), iter=Name(id='y', )py"
       R"py(ctx=Load()), ifs=[Name(id='x', ctx=Load()), UnaryOp(op=Not(), operand=Name(id='z', )py"
       R"py(ctx=Load()))], is_async=0), comprehension(target=Name(id='w', ctx=Store()), )py"
       R"py(iter=Name(id='x', ctx=Load()), ifs=[], is_async=0)])))py"},
      {R"py({x: y for x, (y, *z) in w})py",
       R"py(Expr(value=DictComp(key=Name(id='x', ctx=Load()), value=Name(id='y', ctx=Load()), )py"
       R"py(generators=[comprehension(target=Tuple(elts=[Name(id='x', ctx=Store()), )py"
       R"py(Tuple(elts=[Name(id='y', ctx=Store()), Starred(value=Name(id='z', ctx=Store()), )py"
       R"py(ctx=Store())], ctx=Store())], ctx=Store()), iter=Name(id='w', ctx=Load()), ifs=[], )py"
       R"py(is_async=0)])))py"},
      {R"py({x for x in {1, 2}})py",
       R"py(Expr(value=SetComp(elt=Name(id='x', ctx=Load()), )py"
       R"py(generators=[comprehension(target=Name(id='x', ctx=Store()), )py"
       R"py(iter=Set(elts=[Constant(value=1), Constant(value=2)]), ifs=[], is_async=0)])))py"},
      {R"py((x for x in y))py",
       R"py(Expr(value=GeneratorExp(elt=Name(id='x', ctx=Load()), )py"
       R"py(generators=[comprehension(target=Name(id='x', ctx=Store()), iter=Name(id='y', )py"
       R"py(ctx=Load()), ifs=[], is_async=0)])))py"},
      {R"py(a.b.c[d](e)[1:2, ::3, ..., *f])py",
       R"py(Expr(value=Subscript(value=Call(func=Subscript(value=Attribute(value=Attribute(value=Nam)py"
       R"py(e(id='a', ctx=Load()), attr='b', ctx=Load()), attr='c', ctx=Load()), slice=Name(id='d', )py"
       R"py(ctx=Load()), ctx=Load()), args=[Name(id='e', ctx=Load())], keywords=[]), )py"
       R"py(slice=Tuple(elts=[Slice(lower=Constant(value=1), upper=Constant(value=2)), )py"
       R"py(Slice(step=Constant(value=3)), Constant(value=Ellipsis), Starred(value=Name(id='f', )py"
       R"py(ctx=Load()), ctx=Load())], ctx=Load()), ctx=Load())))py"},
      {R"py(a[:], a[b:], a[:c], a[::d], a[b:c:d], a[1,])py",
       R"py(Expr(value=Tuple(elts=[Subscript(value=Name(id='a', ctx=Load()), slice=Slice(), )py"
       R"py(ctx=Load()), Subscript(value=Name(id='a', ctx=Load()), slice=Slice(lower=Name(id='b', )py"
       R"py(ctx=Load())), ctx=Load()), Subscript(value=Name(id='a', ctx=Load()), )py"
       R"py(slice=Slice(upper=Name(id='c', ctx=Load())), ctx=Load()), Subscript(value=Name(id='a', )py"
       R"py(ctx=Load()), slice=Slice(step=Name(id='d', ctx=Load())), ctx=Load()), )py"
       R"py(Subscript(value=Name(id='a', ctx=Load()), slice=Slice(lower=Name(id='b', ctx=Load()), )py"
       R"py(upper=Name(id='c', ctx=Load()), step=Name(id='d', ctx=Load())), ctx=Load()), )py"
       R"py(Subscript(value=Name(id='a', ctx=Load()), slice=Tuple(elts=[Constant(value=1)], )py"
       R"py(ctx=Load()), ctx=Load())], ctx=Load())))py"},
      {R"py(None, True, False, ...)py",
       R"py(Expr(value=Tuple(elts=[Constant(value=None), Constant(value=True), )py"
       R"py(Constant(value=False), Constant(value=Ellipsis)], ctx=Load())))py"},
      {R"py("a" 'b' r"\n" "\x41\u00e9\101\
z")py",
       R"py(Expr(value=Constant(value='ab\\nAéAz')))py"},
      {R"py(b"\x00a" br"\d")py",
       R"py(Expr(value=Constant(value=b'\x00a\\d')))py"},
      {R"py(f"x{a}y{b!r:>{w}.2f}{{}}" "z")py",
       R"py(Expr(value=JoinedStr(values=[Constant(value='x'), FormattedValue(value=Name(id='a', )py"
       R"py(ctx=Load()), conversion=-1), Constant(value='y'), FormattedValue(value=Name(id='b', )py"
       R"py(ctx=Load()), conversion=114, format_spec=JoinedStr(values=[Constant(value='>'), )py"
       R"py(FormattedValue(value=Name(id='w', ctx=Load()), conversion=-1), )py"
       R"py(Constant(value='.2f')])), Constant(value='{}z')])))py"},
      {R"py(f"{a = }{b=!s}{c=:x}")py",
       R"py(Expr(value=JoinedStr(values=[Constant(value='a = '), FormattedValue(value=Name(id='a', )py"
       R"py(ctx=Load()), conversion=114), Constant(value='b='), FormattedValue(value=Name(id='b', )py"
       R"py(ctx=Load()), conversion=115), Constant(value='c='), FormattedValue(value=Name(id='c', )py"
       R"py(ctx=Load()), conversion=-1, format_spec=JoinedStr(values=[Constant(value='x')]))])))py"},
      {R"py(f"{a, b}" f'{d["k"]}')py",
       R"py(Expr(value=JoinedStr(values=[FormattedValue(value=Tuple(elts=[Name(id='a', ctx=Load()), )py"
       R"py(Name(id='b', ctx=Load())], ctx=Load()), conversion=-1), )py"
       R"py(FormattedValue(value=Subscript(value=Name(id='d', ctx=Load()), )py"
       R"py(slice=Constant(value='k'), ctx=Load()), conversion=-1)])))py"},
      {R"py(f"")py",
       R"py(Expr(value=JoinedStr(values=[])))py"},
      {R"py(f"""{
  a
}""")py",
       R"py(Expr(value=JoinedStr(values=[FormattedValue(value=Name(id='a', ctx=Load()), )py"
       R"py(conversion=-1)])))py"},
      {R"py(u"text")py",
       R"py(Expr(value=Constant(value='text')))py"},
  });
}

TEST_CASE("statements have the trees that Python gives them", "[syntax]") {
  check({
      {R"py(x = y = 1)py",
       R"py(Assign(targets=[Name(id='x', ctx=Store()), Name(id='y', ctx=Store())], )py"
       R"py(value=Constant(value=1)))py"},
      {R"py(x, *y = z)py",
       R"py(Assign(targets=[Tuple(elts=[Name(id='x', ctx=Store()), Starred(value=Name(id='y', )py"
       R"py(ctx=Store()), ctx=Store())], ctx=Store())], value=Name(id='z', ctx=Load())))py"},
      {R"py([a, (b, c)] = d)py",
       R"py(Assign(targets=[List(elts=[Name(id='a', ctx=Store()), Tuple(elts=[Name(id='b', )py"
       R"py(ctx=Store()), Name(id='c', ctx=Store())], ctx=Store())], ctx=Store())], )py"
       R"py(value=Name(id='d', ctx=Load())))py"},
      {R"py(x: int = 1)py",
       R"py(AnnAssign(target=Name(id='x', ctx=Store()), annotation=Name(id='int', ctx=Load()), )py"
       R"py(value=Constant(value=1), simple=1))py"},
      {R"py((x): int)py",
       R"py(AnnAssign(target=Name(id='x', ctx=Store()), annotation=Name(id='int', ctx=Load()), )py"
       R"py(simple=0))py"},
      {R"py(a.b: int)py",
       R"py(AnnAssign(target=Attribute(value=Name(id='a', ctx=Load()), attr='b', ctx=Store()), )py"
       R"py(annotation=Name(id='int', ctx=Load()), simple=0))py"},
      {R"py(x[0] += 1; y **= 2)py",
       R"py(AugAssign(target=Subscript(value=Name(id='x', ctx=Load()), slice=Constant(value=0), )py"
       R"py(ctx=Store()), op=Add(), value=Constant(value=1)), AugAssign(target=Name(id='y', )py"
       R"py(ctx=Store()), op=Pow(), value=Constant(value=2)))py"},
      {R"py(x @= y)py",
       R"py(AugAssign(target=Name(id='x', ctx=Store()), op=MatMult(), value=Name(id='y', )py"
       R"py(ctx=Load())))py"},
      {R"py(del a, b.c, d[0], (e, f))py",
       R"py(Delete(targets=[Name(id='a', ctx=Del()), Attribute(value=Name(id='b', ctx=Load()), )py"
       R"py(attr='c', ctx=Del()), Subscript(value=Name(id='d', ctx=Load()), )py"
       R"py(slice=Constant(value=0), ctx=Del()), Tuple(elts=[Name(id='e', ctx=Del()), Name(id='f', )py"
       R"py(ctx=Del())], ctx=Del())]))py"},
      {R"py(assert x, "m")py",
       R"py(Assert(test=Name(id='x', ctx=Load()), msg=Constant(value='m')))py"},
      {R"py(raise)py",
       R"py(Raise())py"},
      {R"py(raise E from c)py",
       R"py(Raise(exc=Name(id='E', ctx=Load()), cause=Name(id='c', ctx=Load())))py"},
      {R"py(import a, b.c as d)py",
       R"py(Import(names=[alias(name='a'), alias(name='b.c', asname='d')]))py"},
      {R"py(from . import x)py",
       R"py(ImportFrom(names=[alias(name='x')], level=1))py"},
      {R"py(from ..a.b import (c as d, e,))py",
       R"py(ImportFrom(module='a.b', names=[alias(name='c', asname='d'), alias(name='e')], level=2))py"},
      {R"py(from m import *)py",
       R"py(ImportFrom(module='m', names=[alias(name='*')], level=0))py"},
      {R"py(global g, h)py",
       R"py(Global(names=['g', 'h']))py"},
      {R"py(def f(): return)py",
       R"py(FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], kwonlyargs=[], )py"
       R"py(kw_defaults=[], defaults=[]), body=[Return()], decorator_list=[]))py"},
      {R"py(def f(): yield; x = yield 1, 2; yield from z)py",
       R"py(FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], kwonlyargs=[], )py"
       R"py(kw_defaults=[], defaults=[]), body=[Expr(value=Yield()), Assign(targets=[Name(id='x', )py"
       R"py(ctx=Store())], value=Yield(value=Tuple(elts=[Constant(value=1), Constant(value=2)], )py"
       R"py(ctx=Load()))), Expr(value=YieldFrom(value=Name(id='z', ctx=Load())))], )py"
       R"py(decorator_list=[]))py"},
      {R"py(def f(a, b: int = 1, *c: T, d, e=2, **f: U) -> V: pass)py",
       R"py(FunctionDef(name='f', args=arguments(posonlyargs=[], args=[arg(arg='a'), arg(arg='b', )py"
       R"py(annotation=Name(id='int', ctx=Load()))], vararg=arg(arg='c', annotation=Name(id='T', )py"
       R"py(ctx=Load())), kwonlyargs=[arg(arg='d'), arg(arg='e')], kw_defaults=[None, )py"
       R"py(Constant(value=2)], kwarg=arg(arg='f', annotation=Name(id='U', ctx=Load())), )py"
       R"py(defaults=[Constant(value=1)]), body=[Pass()], decorator_list=[], returns=Name(id='V', )py"
       R"py(ctx=Load())))py"},
      {R"py(@a.b(c)
@d
def f(): ...)py",
       R"py(FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], kwonlyargs=[], )py"
       R"py(kw_defaults=[], defaults=[]), body=[Expr(value=Constant(value=Ellipsis))], )py"
       R"py(decorator_list=[Call(func=Attribute(value=Name(id='a', ctx=Load()), attr='b', )py"
       R"py(ctx=Load()), args=[Name(id='c', ctx=Load())], keywords=[]), Name(id='d', ctx=Load())]))py"},
      {R"py(@a
class C(B, metaclass=M, *N):
    x: int
    def m(self): nonlocal_ = 1)py",
       R"py(ClassDef(name='C', bases=[Name(id='B', ctx=Load()), Starred(value=Name(id='N', )py"
       R"py(ctx=Load()), ctx=Load())], keywords=[keyword(arg='metaclass', value=Name(id='M', )py"
       R"py(ctx=Load()))], body=[AnnAssign(target=Name(id='x', ctx=Store()), )py"
       R"py(annotation=Name(id='int', ctx=Load()), simple=1), FunctionDef(name='m', )py"
       R"py(args=arguments(posonlyargs=[], args=[arg(arg='self')], kwonlyargs=[], kw_defaults=[], )py"
       R"py(defaults=[]), body=[Assign(targets=[Name(id='nonlocal_', ctx=Store())], )py"
       R"py(value=Constant(value=1))], decorator_list=[])], decorator_list=[Name(id='a', )py"
       R"py(ctx=Load())]))py"},
      {R"py(class D: pass)py",
       R"py(ClassDef(name='D', bases=[], keywords=[], body=[Pass()], decorator_list=[]))py"},
      {R"py(if a:
    b
elif c: d
else:
    e)py",
       R"py(If(test=Name(id='a', ctx=Load()), body=[Expr(value=Name(id='b', ctx=Load()))], )py"
       R"py(orelse=[If(test=Name(id='c', ctx=Load()), body=[Expr(value=Name(id='d', ctx=Load()))], )py"
       R"py(orelse=[Expr(value=Name(id='e', ctx=Load()))])]))py"},
      {R"py(while a: break
else: b)py",
       R"py(While(test=Name(id='a', ctx=Load()), body=[Break()], orelse=[Expr(value=Name(id='b', )py"
       R"py(ctx=Load()))]))py"},
      {R"py(for i, j in a, b: continue)py",
       R"py(For(target=Tuple(elts=[Name(id='i', ctx=Store()), Name(id='j', ctx=Store())], )py"
       R"py(ctx=Store()), iter=Tuple(elts=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load())], )py"
       R"py(ctx=Load()), body=[Continue()], orelse=[]))py"},
      {R"py(for *i, in a: pass)py",
       R"py(For(target=Tuple(elts=[Starred(value=Name(id='i', ctx=Store()), ctx=Store())], )py"
       R"py(ctx=Store()), iter=Name(id='a', ctx=Load()), body=[Pass()], orelse=[]))py"},
      {R"py(with a: pass)py",
       R"py(With(items=[withitem(context_expr=Name(id='a', ctx=Load()))], body=[Pass()]))py"},
      {R"py(with a as b, c: pass)py",
       R"py(With(items=[withitem(context_expr=Name(id='a', ctx=Load()), optional_vars=Name(id='b', )py"
       R"py(ctx=Store())), withitem(context_expr=Name(id='c', ctx=Load()))], body=[Pass()]))py"},
      {R"py(with (a as b, c as d,): pass)py",
       R"py(With(items=[withitem(context_expr=Name(id='a', ctx=Load()), optional_vars=Name(id='b', )py"
       R"py(ctx=Store())), withitem(context_expr=Name(id='c', ctx=Load()), )py"
       R"py(optional_vars=Name(id='d', ctx=Store()))], body=[Pass()]))py"},
      {R"py(with (a, b): pass)py",
       R"py(With(items=[withitem(context_expr=Name(id='a', ctx=Load())), )py"
       R"py(withitem(context_expr=Name(id='b', ctx=Load()))], body=[Pass()]))py"},
      {R"py(with (a): pass)py",
       R"py(With(items=[withitem(context_expr=Name(id='a', ctx=Load()))], body=[Pass()]))py"},
      {R"py(with (a, b) as c: pass)py",
       R"py(With(items=[withitem(context_expr=Tuple(elts=[Name(id='a', ctx=Load()), Name(id='b', )py"
       R"py(ctx=Load())], ctx=Load()), optional_vars=Name(id='c', ctx=Store()))], body=[Pass()]))py"},
      {R"py(with (a).b() as c: pass)py",
       R"py(With(items=[withitem(context_expr=Call(func=Attribute(value=Name(id='a', ctx=Load()), )py"
       R"py(attr='b', ctx=Load()), args=[], keywords=[]), optional_vars=Name(id='c', )py"
       R"py(ctx=Store()))], body=[Pass()]))py"},
      {R"py(with (yield_()): pass)py",
       R"py(With(items=[withitem(context_expr=Call(func=Name(id='yield_', ctx=Load()), args=[], )py"
       R"py(keywords=[]))], body=[Pass()]))py"},
      {R"py(try:
    a
except B as e:
    c
except: d
else: f
finally: g)py",
       R"py(Try(body=[Expr(value=Name(id='a', ctx=Load()))], )py"
       R"py(handlers=[ExceptHandler(type=Name(id='B', ctx=Load()), name='e', )py"
       R"py(body=[Expr(value=Name(id='c', ctx=Load()))]), )py"
       R"py(ExceptHandler(body=[Expr(value=Name(id='d', ctx=Load()))])], )py"
       R"py(orelse=[Expr(value=Name(id='f', ctx=Load()))], finalbody=[Expr(value=Name(id='g', )py"
       R"py(ctx=Load()))]))py"},
      {R"py(try: a
finally: b)py",
       R"py(Try(body=[Expr(value=Name(id='a', ctx=Load()))], handlers=[], orelse=[], )py"
       R"py(finalbody=[Expr(value=Name(id='b', ctx=Load()))]))py"},
      {R"py(if a:
	b
	if c:
		d)py",
       R"py(If(test=Name(id='a', ctx=Load()), body=[Expr(value=Name(id='b', ctx=Load())), )py"
       R"py(If(test=Name(id='c', ctx=Load()), body=[Expr(value=Name(id='d', ctx=Load()))], )py"
       R"py(orelse=[])], orelse=[]))py"},
      {R"py(e)py",
       R"py(Expr(value=Name(id='e', ctx=Load())))py"},
      {R"py(if x: a; b;)py",
       R"py(If(test=Name(id='x', ctx=Load()), body=[Expr(value=Name(id='a', ctx=Load())), )py"
       R"py(Expr(value=Name(id='b', ctx=Load()))], orelse=[]))py"},
      {R"py(x = (1,
  2)  # comment)py",
       R"py(Assign(targets=[Name(id='x', ctx=Store())], value=Tuple(elts=[Constant(value=1), )py"
       R"py(Constant(value=2)], ctx=Load())))py"},
      {R"py(y = 1 \
  + 2)py",
       R"py(Assign(targets=[Name(id='y', ctx=Store())], value=BinOp(left=Constant(value=1), )py"
       R"py(op=Add(), right=Constant(value=2))))py"},
  });
}

TEST_CASE("what differs from Python on purpose", "[syntax]") {
  check({
      {"-9223372036854775808", "Expr(value=Constant(value=-9223372036854775808))"},
      {"def f[n, *ts, **p](): pass",
       "FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]), "
       "body=[Pass()], decorator_list=[], type_params=[TypeVar(name='n'), TypeVarTuple(name='ts'), ParamSpec(name='p')])"},
      {"f\"{d[\"k\"]}\"",  // the same quotes inside, as since Python 3.12
       "Expr(value=JoinedStr(values=[FormattedValue(value=Subscript(value=Name(id='d', ctx=Load()), "
       "slice=Constant(value='k'), ctx=Load()), conversion=-1)]))"},
  });
}
// clang-format on
