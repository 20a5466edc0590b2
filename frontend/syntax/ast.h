// SPDX-License-Identifier: Apache-2.0
// The syntax tree. Names, fields and shapes are those of CPython 3.11's `ast` module, so that its
// documentation is ours: https://docs.python.org/3.11/library/ast.html. Nodes are plain structs in the
// arena of their Tree, immutable once parsed (the mutable words excepted: they belong to the evaluator, which
// keeps there what it has found out) and trivially destructible.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "frontend/syntax/symbol.h"
#include "ir/core/span.h"

namespace mlc::syntax {

// clang-format off
#define MLC_SYNTAX_EXPRS(X)                                                                              \
  X(BoolOp) X(NamedExpr) X(BinOp) X(UnaryOp) X(Lambda) X(IfExp) X(Dict) X(Set) X(ListComp) X(SetComp)    \
  X(DictComp) X(GeneratorExp) X(Yield) X(YieldFrom) X(Compare) X(Call) X(FormattedValue) X(JoinedStr)    \
  X(Constant) X(Attribute) X(Subscript) X(Starred) X(Name) X(List) X(Tuple) X(Slice)
#define MLC_SYNTAX_STMTS(X)                                                                              \
  X(FunctionDef) X(ClassDef) X(Return) X(Delete) X(Assign) X(AugAssign) X(AnnAssign) X(For) X(While)     \
  X(If) X(With) X(Raise) X(Try) X(Assert) X(Import) X(ImportFrom) X(Global) X(Nonlocal) X(ExprStmt)      \
  X(Pass) X(Break) X(Continue)
// clang-format on

#define MLC_SYNTAX_KIND(name) k##name,
enum class ExprKind : uint8_t { MLC_SYNTAX_EXPRS(MLC_SYNTAX_KIND) };
enum class StmtKind : uint8_t { MLC_SYNTAX_STMTS(MLC_SYNTAX_KIND) };
#undef MLC_SYNTAX_KIND

#define MLC_SYNTAX_DECLARE(name) struct name;
MLC_SYNTAX_EXPRS(MLC_SYNTAX_DECLARE)
MLC_SYNTAX_STMTS(MLC_SYNTAX_DECLARE)
#undef MLC_SYNTAX_DECLARE

// A list in the arena. Entries are never null, except where a field says so.
template <class T>
using Seq = std::span<const T* const>;

struct Node {
  ir::Span span;
};

// No expression is deeper than this, and no program has more than a hundred blocks inside one another (or
// branches in an `elif` chain than this), so that evaluators may recurse freely.
constexpr uint16_t kMaxHeight = 1000;

struct Expr : Node {
  ExprKind kind;
  mutable uint8_t code = 0;  // the kind in more detail, for the evaluator; 0 until it has looked
  uint16_t height = 1;       // of the tree below, this node included; at most kMaxHeight
  Expr(ExprKind kind, ir::Span span) : Node{span}, kind(kind) {}
};
struct Stmt : Node {
  StmtKind kind;
  Stmt(StmtKind kind, ir::Span span) : Node{span}, kind(kind) {}
};

#define MLC_SYNTAX_EXPR(name)                          \
  static constexpr ExprKind kKind = ExprKind::k##name; \
  explicit name(ir::Span span) : Expr(kKind, span) {}
#define MLC_SYNTAX_STMT(name)                          \
  static constexpr StmtKind kKind = StmtKind::k##name; \
  explicit name(ir::Span span) : Stmt(kKind, span) {}

enum class BoolOperator : uint8_t { kAnd, kOr };
enum class BinOperator : uint8_t {
  kAdd,
  kSub,
  kMult,
  kMatMult,
  kDiv,
  kMod,
  kPow,
  kLShift,
  kRShift,
  kBitOr,
  kBitXor,
  kBitAnd,
  kFloorDiv
};
enum class UnaryOperator : uint8_t { kInvert, kNot, kUAdd, kUSub };
enum class CmpOperator : uint8_t { kEq, kNotEq, kLt, kLtE, kGt, kGtE, kIs, kIsNot, kIn, kNotIn };
enum class Context : uint8_t { kLoad, kStore, kDel };

// As in source: `+`, `//`, `not in`, `and`.
std::string_view spelling(BoolOperator op);
std::string_view spelling(BinOperator op);
std::string_view spelling(UnaryOperator op);
std::string_view spelling(CmpOperator op);

// ---- parts that are neither expressions nor statements ----

struct Arg : Node {
  Symbol name;
  const Expr* annotation = nullptr;  // may be null
  mutable uint32_t resolved = 0;
};
struct Arguments : Node {
  Seq<Arg> posonlyargs;
  Seq<Arg> args;
  const Arg* vararg = nullptr;  // may be null
  Seq<Arg> kwonlyargs;
  Seq<Expr> kw_defaults;       // as long as kwonlyargs; null where there is no default
  const Arg* kwarg = nullptr;  // may be null
  Seq<Expr> defaults;          // of the last posonlyargs + args
};
struct Keyword : Node {
  Symbol name;  // empty for `**value`
  ir::Span name_span;
  const Expr* value = nullptr;
};
struct Alias : Node {     // of an import
  std::string_view name;  // dotted, or `*`
  Symbol asname;          // may be empty
  Symbol first;           // the part of `name` before the first dot: what `import a.b` binds
  ir::Span name_span;
  mutable uint32_t resolved = 0;
};
struct WithItem : Node {
  const Expr* context_expr = nullptr;
  const Expr* optional_vars = nullptr;  // may be null
};
struct Comprehension : Node {
  const Expr* target = nullptr;
  const Expr* iter = nullptr;
  Seq<Expr> ifs;
};
struct ExceptHandler : Node {
  const Expr* type = nullptr;  // may be null
  Symbol name;                 // may be empty
  ir::Span name_span;
  Seq<Stmt> body;
  mutable uint32_t resolved = 0;
};
struct TypeParam : Node {  // PEP 695: `def f[n, *ts, **ps](...)`
  enum class Kind : uint8_t { kTypeVar, kTypeVarTuple, kParamSpec };
  Kind type_kind = Kind::kTypeVar;
  Symbol name;
  const Expr* bound = nullptr;  // may be null
  mutable uint32_t resolved = 0;
};
struct Module : Node {
  Seq<Stmt> body;
};

// ---- expressions ----

struct BoolOp : Expr {
  MLC_SYNTAX_EXPR(BoolOp)
  BoolOperator op{};
  Seq<Expr> values;  // two or more: `a and b and c` is one node
};
struct NamedExpr : Expr {
  MLC_SYNTAX_EXPR(NamedExpr)
  const Name* target = nullptr;
  const Expr* value = nullptr;
};
struct BinOp : Expr {
  MLC_SYNTAX_EXPR(BinOp)
  BinOperator op{};
  const Expr* left = nullptr;
  const Expr* right = nullptr;
  ir::Span op_span;
};
struct UnaryOp : Expr {
  MLC_SYNTAX_EXPR(UnaryOp)
  UnaryOperator op{};
  const Expr* operand = nullptr;
};
struct Lambda : Expr {
  MLC_SYNTAX_EXPR(Lambda)
  const Arguments* args = nullptr;
  const Expr* body = nullptr;
  mutable uint32_t resolved = 0;
};
struct IfExp : Expr {
  MLC_SYNTAX_EXPR(IfExp)
  const Expr* test = nullptr;
  const Expr* body = nullptr;
  const Expr* orelse = nullptr;
};
struct Dict : Expr {
  MLC_SYNTAX_EXPR(Dict)
  Seq<Expr> keys;  // null for `**value`
  Seq<Expr> values;
};
struct Set : Expr {
  MLC_SYNTAX_EXPR(Set)
  Seq<Expr> elts;
};
struct ListComp : Expr {
  MLC_SYNTAX_EXPR(ListComp)
  const Expr* elt = nullptr;
  Seq<Comprehension> generators;
  mutable uint32_t resolved = 0;
};
struct SetComp : Expr {
  MLC_SYNTAX_EXPR(SetComp)
  const Expr* elt = nullptr;
  Seq<Comprehension> generators;
  mutable uint32_t resolved = 0;
};
struct DictComp : Expr {
  MLC_SYNTAX_EXPR(DictComp)
  const Expr* key = nullptr;
  const Expr* value = nullptr;
  Seq<Comprehension> generators;
  mutable uint32_t resolved = 0;
};
struct GeneratorExp : Expr {
  MLC_SYNTAX_EXPR(GeneratorExp)
  const Expr* elt = nullptr;
  Seq<Comprehension> generators;
  mutable uint32_t resolved = 0;
};
struct Yield : Expr {
  MLC_SYNTAX_EXPR(Yield)
  const Expr* value = nullptr;  // may be null
};
struct YieldFrom : Expr {
  MLC_SYNTAX_EXPR(YieldFrom)
  const Expr* value = nullptr;
};
struct Compare : Expr {
  MLC_SYNTAX_EXPR(Compare)
  const Expr* left = nullptr;
  std::span<const CmpOperator> ops;
  Seq<Expr> comparators;  // as long as ops
};
struct Call : Expr {
  MLC_SYNTAX_EXPR(Call)
  const Expr* func = nullptr;
  Seq<Expr> args;  // positional; Starred for `*x`
  Seq<Keyword> keywords;
};
struct FormattedValue : Expr {
  MLC_SYNTAX_EXPR(FormattedValue)
  const Expr* value = nullptr;
  char conversion = 0;                     // 's', 'r', 'a' or 0
  const JoinedStr* format_spec = nullptr;  // may be null
};
struct JoinedStr : Expr {
  MLC_SYNTAX_EXPR(JoinedStr)
  Seq<Expr> values;  // string Constants and FormattedValues, in turn; `{x=}` is already spelled out
};
struct Constant : Expr {
  MLC_SYNTAX_EXPR(Constant)
  enum class Type : uint8_t { kNone, kBool, kInt, kFloat, kStr, kBytes, kEllipsis, kWideInt };
  Type type{};
  union {
    bool boolean;
    int64_t integer = 0;  // `-9223372036854775808` is one Constant
    double real;
  };
  // kStr (UTF-8), kBytes: escapes decoded, neighbours joined. kWideInt, of more than 64 bits with a sign: the
  // digits, with their prefix.
  std::string_view text;
  mutable uint32_t resolved = 0;
};
struct Attribute : Expr {
  MLC_SYNTAX_EXPR(Attribute)
  const Expr* value = nullptr;
  Symbol attr;
  ir::Span attr_span;
  Context ctx{};
  mutable uint32_t place = 0;  // where an object had the attribute last
};
struct Subscript : Expr {
  MLC_SYNTAX_EXPR(Subscript)
  const Expr* value = nullptr;
  const Expr* slice = nullptr;  // Slice, a Tuple that may hold Slices, or any expression
  Context ctx{};
};
struct Starred : Expr {
  MLC_SYNTAX_EXPR(Starred)
  const Expr* value = nullptr;
  Context ctx{};
};
struct Name : Expr {
  MLC_SYNTAX_EXPR(Name)
  Symbol id;
  Context ctx{};
  mutable uint32_t resolved = 0;
};
struct List : Expr {
  MLC_SYNTAX_EXPR(List)
  Seq<Expr> elts;
  Context ctx{};
};
struct Tuple : Expr {
  MLC_SYNTAX_EXPR(Tuple)
  Seq<Expr> elts;
  Context ctx{};
};
struct Slice : Expr {
  MLC_SYNTAX_EXPR(Slice)
  const Expr* lower = nullptr;  // each may be null
  const Expr* upper = nullptr;
  const Expr* step = nullptr;
};

// ---- statements ----

struct FunctionDef : Stmt {
  MLC_SYNTAX_STMT(FunctionDef)
  Symbol name;
  ir::Span name_span;
  const Arguments* args = nullptr;
  Seq<Stmt> body;
  Seq<Expr> decorators;
  const Expr* returns = nullptr;  // may be null
  Seq<TypeParam> type_params;
  mutable uint32_t resolved = 0;
};
struct ClassDef : Stmt {
  MLC_SYNTAX_STMT(ClassDef)
  Symbol name;
  ir::Span name_span;
  Seq<Expr> bases;
  Seq<Keyword> keywords;
  Seq<Stmt> body;
  Seq<Expr> decorators;
  Seq<TypeParam> type_params;
  mutable uint32_t resolved = 0;
};
struct Return : Stmt {
  MLC_SYNTAX_STMT(Return)
  const Expr* value = nullptr;  // may be null
};
struct Delete : Stmt {
  MLC_SYNTAX_STMT(Delete)
  Seq<Expr> targets;
};
struct Assign : Stmt {
  MLC_SYNTAX_STMT(Assign)
  Seq<Expr> targets;  // more than one in `a = b = c`
  const Expr* value = nullptr;
};
struct AugAssign : Stmt {
  MLC_SYNTAX_STMT(AugAssign)
  const Expr* target = nullptr;
  BinOperator op{};
  const Expr* value = nullptr;
  ir::Span op_span;
};
struct AnnAssign : Stmt {
  MLC_SYNTAX_STMT(AnnAssign)
  const Expr* target = nullptr;
  const Expr* annotation = nullptr;
  const Expr* value = nullptr;  // may be null
  bool simple = false;          // a bare name, not in parentheses
};
struct For : Stmt {
  MLC_SYNTAX_STMT(For)
  const Expr* target = nullptr;
  const Expr* iter = nullptr;
  Seq<Stmt> body;
  Seq<Stmt> orelse;
};
struct While : Stmt {
  MLC_SYNTAX_STMT(While)
  const Expr* test = nullptr;
  Seq<Stmt> body;
  Seq<Stmt> orelse;
};
struct If : Stmt {
  MLC_SYNTAX_STMT(If)
  const Expr* test = nullptr;
  Seq<Stmt> body;
  Seq<Stmt> orelse;  // `elif` is one If in here
};
struct With : Stmt {
  MLC_SYNTAX_STMT(With)
  Seq<WithItem> items;
  Seq<Stmt> body;
};
struct Raise : Stmt {
  MLC_SYNTAX_STMT(Raise)
  const Expr* exc = nullptr;    // may be null
  const Expr* cause = nullptr;  // may be null
};
struct Try : Stmt {
  MLC_SYNTAX_STMT(Try)
  Seq<Stmt> body;
  Seq<ExceptHandler> handlers;
  Seq<Stmt> orelse;
  Seq<Stmt> finalbody;
};
struct Assert : Stmt {
  MLC_SYNTAX_STMT(Assert)
  const Expr* test = nullptr;
  const Expr* msg = nullptr;  // may be null
};
struct Import : Stmt {
  MLC_SYNTAX_STMT(Import)
  Seq<Alias> names;
};
struct ImportFrom : Stmt {
  MLC_SYNTAX_STMT(ImportFrom)
  std::string_view module;  // dotted; empty in `from . import x`
  Seq<Alias> names;
  uint32_t level = 0;  // leading dots
  ir::Span module_span;
};
struct Global : Stmt {
  MLC_SYNTAX_STMT(Global)
  std::span<const Symbol> names;
};
struct Nonlocal : Stmt {
  MLC_SYNTAX_STMT(Nonlocal)
  std::span<const Symbol> names;
};
struct ExprStmt : Stmt {  // `ast.Expr`
  MLC_SYNTAX_STMT(ExprStmt)
  const Expr* value = nullptr;
};
struct Pass : Stmt {
  MLC_SYNTAX_STMT(Pass)
};
struct Break : Stmt {
  MLC_SYNTAX_STMT(Break)
};
struct Continue : Stmt {
  MLC_SYNTAX_STMT(Continue)
};

#undef MLC_SYNTAX_EXPR
#undef MLC_SYNTAX_STMT

// ---- access ----

// The node as a T, or null when it is of another kind (or is null itself).
template <class T, class Base>
const T* as(const Base* node) {
  static_assert(std::is_base_of_v<Base, T>);
  return node != nullptr && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}

// Calls `visitor(const T&)` with the node's own type. No default: a visitor that misses a kind does not
// compile.
#define MLC_SYNTAX_CASE(name) \
  case Kind::k##name:         \
    return std::forward<Visitor>(visitor)(static_cast<const name&>(*node));
template <class Visitor>
decltype(auto) dispatch(const Expr* node, Visitor&& visitor) {
  using Kind = ExprKind;
  switch (node->kind) { MLC_SYNTAX_EXPRS(MLC_SYNTAX_CASE) }
  __builtin_unreachable();
}
template <class Visitor>
decltype(auto) dispatch(const Stmt* node, Visitor&& visitor) {
  using Kind = StmtKind;
  switch (node->kind) { MLC_SYNTAX_STMTS(MLC_SYNTAX_CASE) }
  __builtin_unreachable();
}
#undef MLC_SYNTAX_CASE

// One parsed text and the memory of its nodes. Whoever keeps a node (a closure, a function value) keeps the
// shared_ptr<const Tree> it came from.
class Tree {
 public:
  explicit Tree(uint32_t file, size_t first_block) : file(file), arena_(first_block) {}
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  uint32_t file;
  const Module* module = nullptr;    // set by parse_file
  const Expr* expression = nullptr;  // set by parse_expression

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (arena_.allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }
  void* allocate(size_t bytes, size_t alignment) { return arena_.allocate(bytes, alignment); }

 private:
  std::pmr::monotonic_buffer_resource arena_;
};

}  // namespace mlc::syntax
