// SPDX-License-Identifier: Apache-2.0
// The tree as Python's `ast.dump(tree)` writes it, so that the two can be compared byte for byte.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "frontend/syntax/characters.h"
#include "frontend/syntax/parse.h"

namespace mlc::syntax {
namespace {

std::string_view class_name(BoolOperator op) { return op == BoolOperator::kAnd ? "And()" : "Or()"; }
std::string_view class_name(BinOperator op) {
  static constexpr std::string_view kNames[] = {"Add()",    "Sub()",    "Mult()",    "MatMult()", "Div()",
                                                "Mod()",    "Pow()",    "LShift()",  "RShift()",  "BitOr()",
                                                "BitXor()", "BitAnd()", "FloorDiv()"};
  return kNames[static_cast<size_t>(op)];
}
std::string_view class_name(UnaryOperator op) {
  static constexpr std::string_view kNames[] = {"Invert()", "Not()", "UAdd()", "USub()"};
  return kNames[static_cast<size_t>(op)];
}
std::string_view class_name(CmpOperator op) {
  static constexpr std::string_view kNames[] = {"Eq()",  "NotEq()", "Lt()",    "LtE()", "Gt()",
                                                "GtE()", "Is()",    "IsNot()", "In()",  "NotIn()"};
  return kNames[static_cast<size_t>(op)];
}
std::string_view class_name(Context context) {
  static constexpr std::string_view kNames[] = {"Load()", "Store()", "Del()"};
  return kNames[static_cast<size_t>(context)];
}

// Python's repr of a str (printable code points as they are, by blocks) or bytes.
std::string quoted(std::string_view text, bool bytes) {
  char quote =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out = bytes ? "b" : "";
  out += quote;
  for (size_t i = 0; i < text.size();) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c == '\\' || text[i] == quote) {
      out += '\\';
      out += text[i++];
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
      ++i;
    } else if (c >= 0x80 && !bytes) {
      CodePoint point = decode_utf8(text, i);
      if (is_invisible(point.value)) {
        out += point.value < 0x100 ? fmt::format("\\x{:02x}", point.value)
                                   : fmt::format("\\u{:04x}", point.value);
      } else {
        out += text.substr(i, point.size);
      }
      i += point.size;
    } else if (c < 0x20 || c >= 0x7F) {
      out += fmt::format("\\x{:02x}", c);
      ++i;
    } else {
      out += text[i++];
    }
  }
  out += quote;
  return out;
}

// Python's repr of a float: the shortest digits that read back, exponent form from 1e16 on and below 1e-4.
std::string real(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (std::isnan(value)) return "nan";
  double magnitude = std::fabs(value);
  bool exponent = magnitude != 0 && (magnitude >= 1e16 || magnitude < 1e-4);
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value,
                                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string out(buffer, end);
  if (!exponent && out.find('.') == std::string::npos) out += ".0";
  return out;
}

class Dumper {
 public:
  std::string out;

  void module(const Module& node) {
    open("Module");
    field("body", node.body);
    empty("type_ignores");
    close();
  }
  void write(const Expr* node) { dispatch(node, *this); }
  void write(const Stmt* node) { dispatch(node, *this); }

  void operator()(const BoolOp& n) { node("BoolOp", "op", class_name(n.op), "values", n.values); }
  void operator()(const NamedExpr& n) {
    node("NamedExpr", "target", static_cast<const Expr*>(n.target), "value", n.value);
  }
  void operator()(const BinOp& n) { node("BinOp", "left", n.left, "op", class_name(n.op), "right", n.right); }
  void operator()(const UnaryOp& n) { node("UnaryOp", "op", class_name(n.op), "operand", n.operand); }
  void operator()(const Lambda& n) { node("Lambda", "args", n.args, "body", n.body); }
  void operator()(const IfExp& n) { node("IfExp", "test", n.test, "body", n.body, "orelse", n.orelse); }
  void operator()(const Dict& n) { node("Dict", "keys", n.keys, "values", n.values); }
  void operator()(const Set& n) { node("Set", "elts", n.elts); }
  void operator()(const ListComp& n) { node("ListComp", "elt", n.elt, "generators", n.generators); }
  void operator()(const SetComp& n) { node("SetComp", "elt", n.elt, "generators", n.generators); }
  void operator()(const DictComp& n) {
    node("DictComp", "key", n.key, "value", n.value, "generators", n.generators);
  }
  void operator()(const GeneratorExp& n) { node("GeneratorExp", "elt", n.elt, "generators", n.generators); }
  void operator()(const Yield& n) { node("Yield", "value", n.value); }
  void operator()(const YieldFrom& n) { node("YieldFrom", "value", n.value); }
  void operator()(const Compare& n) {
    open("Compare");
    field("left", n.left);
    name("ops");
    out += '[';
    for (size_t i = 0; i < n.ops.size(); ++i) {
      if (i > 0) out += ", ";
      out += class_name(n.ops[i]);
    }
    out += ']';
    field("comparators", n.comparators);
    close();
  }
  void operator()(const Call& n) { node("Call", "func", n.func, "args", n.args, "keywords", n.keywords); }
  void operator()(const FormattedValue& n) {
    open("FormattedValue");
    field("value", n.value);
    field("conversion", n.conversion == 0 ? std::string("-1") : std::to_string(n.conversion));
    field("format_spec", static_cast<const Expr*>(n.format_spec));
    close();
  }
  void operator()(const JoinedStr& n) { node("JoinedStr", "values", n.values); }
  void operator()(const Constant& n) { node("Constant", "value", literal(n)); }
  void operator()(const Attribute& n) {
    node("Attribute", "value", n.value, "attr", n.attr, "ctx", class_name(n.ctx));
  }
  void operator()(const Subscript& n) {
    node("Subscript", "value", n.value, "slice", n.slice, "ctx", class_name(n.ctx));
  }
  void operator()(const Starred& n) { node("Starred", "value", n.value, "ctx", class_name(n.ctx)); }
  void operator()(const Name& n) { node("Name", "id", n.id, "ctx", class_name(n.ctx)); }
  void operator()(const List& n) { node("List", "elts", n.elts, "ctx", class_name(n.ctx)); }
  void operator()(const Tuple& n) { node("Tuple", "elts", n.elts, "ctx", class_name(n.ctx)); }
  void operator()(const Slice& n) { node("Slice", "lower", n.lower, "upper", n.upper, "step", n.step); }

  void operator()(const FunctionDef& n) {
    open("FunctionDef");
    field("name", n.name);
    field("args", n.args);
    field("body", n.body);
    field("decorator_list", n.decorators);
    field("returns", n.returns);
    if (!n.type_params.empty()) field("type_params", n.type_params);
    close();
  }
  void operator()(const ClassDef& n) {
    open("ClassDef");
    field("name", n.name);
    field("bases", n.bases);
    field("keywords", n.keywords);
    field("body", n.body);
    field("decorator_list", n.decorators);
    if (!n.type_params.empty()) field("type_params", n.type_params);
    close();
  }
  void operator()(const Return& n) { node("Return", "value", n.value); }
  void operator()(const Delete& n) { node("Delete", "targets", n.targets); }
  void operator()(const Assign& n) { node("Assign", "targets", n.targets, "value", n.value); }
  void operator()(const AugAssign& n) {
    node("AugAssign", "target", n.target, "op", class_name(n.op), "value", n.value);
  }
  void operator()(const AnnAssign& n) {
    node("AnnAssign", "target", n.target, "annotation", n.annotation, "value", n.value, "simple",
         std::string_view(n.simple ? "1" : "0"));
  }
  void operator()(const For& n) {
    node("For", "target", n.target, "iter", n.iter, "body", n.body, "orelse", n.orelse);
  }
  void operator()(const While& n) { node("While", "test", n.test, "body", n.body, "orelse", n.orelse); }
  void operator()(const If& n) { node("If", "test", n.test, "body", n.body, "orelse", n.orelse); }
  void operator()(const With& n) { node("With", "items", n.items, "body", n.body); }
  void operator()(const Raise& n) { node("Raise", "exc", n.exc, "cause", n.cause); }
  void operator()(const Try& n) {
    node("Try", "body", n.body, "handlers", n.handlers, "orelse", n.orelse, "finalbody", n.finalbody);
  }
  void operator()(const Assert& n) { node("Assert", "test", n.test, "msg", n.msg); }
  void operator()(const Import& n) { node("Import", "names", n.names); }
  void operator()(const ImportFrom& n) {
    open("ImportFrom");
    if (!n.module.empty()) field("module", quoted(n.module, false));
    field("names", n.names);
    field("level", std::to_string(n.level));
    close();
  }
  void operator()(const Global& n) { names("Global", n.names); }
  void operator()(const Nonlocal& n) { names("Nonlocal", n.names); }
  void operator()(const ExprStmt& n) { node("Expr", "value", n.value); }
  void operator()(const Pass&) { out += "Pass()"; }
  void operator()(const Break&) { out += "Break()"; }
  void operator()(const Continue&) { out += "Continue()"; }

  void write(const Arguments* n) {
    open("arguments");
    field("posonlyargs", n->posonlyargs);
    field("args", n->args);
    field("vararg", n->vararg);
    field("kwonlyargs", n->kwonlyargs);
    field("kw_defaults", n->kw_defaults);
    field("kwarg", n->kwarg);
    field("defaults", n->defaults);
    close();
  }
  void write(const Arg* n) { node("arg", "arg", n->name, "annotation", n->annotation); }
  void write(const Keyword* n) { node("keyword", "arg", n->name, "value", n->value); }
  void write(const Alias* n) { node("alias", "name", quoted(n->name, false), "asname", n->asname); }
  void write(const WithItem* n) {
    node("withitem", "context_expr", n->context_expr, "optional_vars", n->optional_vars);
  }
  void write(const Comprehension* n) {
    node("comprehension", "target", n->target, "iter", n->iter, "ifs", n->ifs, "is_async",
         std::string_view("0"));
  }
  void write(const ExceptHandler* n) {
    node("ExceptHandler", "type", n->type, "name", n->name, "body", n->body);
  }
  void write(const TypeParam* n) {
    std::string_view kind = n->type_kind == TypeParam::Kind::kTypeVar        ? "TypeVar"
                            : n->type_kind == TypeParam::Kind::kTypeVarTuple ? "TypeVarTuple"
                                                                             : "ParamSpec";
    node(kind, "name", n->name, "bound", n->bound);
  }

 private:
  bool first_ = true;

  void open(std::string_view kind) {
    out += kind;
    out += '(';
    first_ = true;
  }
  void close() {
    out += ')';
    first_ = false;
  }
  void name(std::string_view field) {
    if (!first_) out += ", ";
    first_ = false;
    out += field;
    out += '=';
  }
  void empty(std::string_view field) {
    name(field);
    out += "[]";
  }
  void field(std::string_view field_name, std::string_view text) {
    name(field_name);
    out += text;
  }
  void field(std::string_view field_name, const std::string& text) {
    field(field_name, std::string_view(text));
  }
  void field(std::string_view field_name, Symbol symbol) {  // an absent name is not written
    if (symbol) field(field_name, quoted(symbol.str(), false));
  }
  template <class T>
  void field(std::string_view field_name, const T* child) {  // nor an absent node
    if (child == nullptr) return;
    name(field_name);
    write(child);
    first_ = false;
  }
  template <class T>
  void field(std::string_view field_name, Seq<T> items) {
    name(field_name);
    out += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      if (items[i] == nullptr) {
        out += "None";
      } else {
        write(items[i]);
      }
    }
    out += ']';
    first_ = false;
  }
  void fields() {}
  template <class T, class... Rest>
  void fields(std::string_view field_name, const T& value, const Rest&... rest) {
    field(field_name, value);
    fields(rest...);
  }
  template <class... Fields>
  void node(std::string_view kind, const Fields&... all) {
    open(kind);
    fields(all...);
    close();
  }
  void names(std::string_view kind, std::span<const Symbol> symbols) {
    open(kind);
    list("names", symbols);
    close();
  }
  void list(std::string_view field_name, std::span<const Symbol> symbols) {
    name(field_name);
    out += '[';
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (i > 0) out += ", ";
      out += quoted(symbols[i].str(), false);
    }
    out += ']';
  }
  static std::string literal(const Constant& n) {
    switch (n.type) {
      case Constant::Type::kNone:
        return "None";
      case Constant::Type::kBool:
        return n.boolean ? "True" : "False";
      case Constant::Type::kInt:
        return std::to_string(n.integer);
      case Constant::Type::kFloat:
        return real(n.real);
      case Constant::Type::kStr:
        return quoted(n.text, false);
      case Constant::Type::kBytes:
        return quoted(n.text, true);
      case Constant::Type::kEllipsis:
        return "Ellipsis";
      case Constant::Type::kWideInt:
        return std::string(n.text);
    }
    __builtin_unreachable();
  }
};

}  // namespace

std::string dump(const Module* module) {
  Dumper dumper;
  dumper.module(*module);
  return std::move(dumper.out);
}
std::string dump(const Stmt* stmt) {
  Dumper dumper;
  dumper.write(stmt);
  return std::move(dumper.out);
}
std::string dump(const Expr* expr) {
  Dumper dumper;
  dumper.write(expr);
  return std::move(dumper.out);
}

}  // namespace mlc::syntax
