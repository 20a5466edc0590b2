// SPDX-License-Identifier: Apache-2.0
// The tree as Python's `ast.dump(tree)` writes it, so that the two can be compared byte for byte.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "frontend/syntax/characters.h"
#include "frontend/syntax/fields.h"
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
std::string_view class_name(TypeParam::Kind kind) {
  static constexpr std::string_view kNames[] = {"TypeVar", "TypeVarTuple", "ParamSpec"};
  return kNames[static_cast<size_t>(kind)];
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

// A node is its class and its fields; a name or node that is absent is not written.
class Dumper {
 public:
  std::string out;

  void write(const Expr* node) { dispatch(node, *this); }
  void write(const Stmt* node) { dispatch(node, *this); }
  template <class T>
  void write(const T* node) {
    (*this)(*node);
  }

#define MLC_SYNTAX_DUMP(name) \
  void operator()(const name& n) { whole(#name, n); }
  MLC_SYNTAX_EXPRS(MLC_SYNTAX_DUMP)
  MLC_SYNTAX_STMTS(MLC_SYNTAX_DUMP)
#undef MLC_SYNTAX_DUMP
  void operator()(const Module& n) { whole("Module", n, "type_ignores=[]"); }
  void operator()(const Arguments& n) { whole("arguments", n); }
  void operator()(const Arg& n) { whole("arg", n); }
  void operator()(const Keyword& n) { whole("keyword", n); }
  void operator()(const Alias& n) { whole("alias", n); }
  void operator()(const WithItem& n) { whole("withitem", n); }
  void operator()(const Comprehension& n) { whole("comprehension", n, "is_async=0"); }
  void operator()(const ExceptHandler& n) { whole("ExceptHandler", n); }
  void operator()(const TypeParam& n) { whole(class_name(n.type_kind), n); }

  // A field of the node that is written.
  Dumper& operator()(std::string_view name, const auto& value) {
    if (name.empty() || is_absent(value)) return *this;
    begin(name);
    field(value);
    first_ = false;
    return *this;
  }

 private:
  bool first_ = true;

  template <class T>
  void whole(std::string_view kind, const T& node, std::string_view last = "") {
    if (std::is_same_v<T, ExprStmt>) kind = "Expr";
    out += kind;
    out += '(';
    first_ = true;
    if constexpr (std::is_same_v<T, Constant>) {
      out += "value=" + literal(node);
    } else {
      read_fields(*this, node);
    }
    if (!last.empty()) {
      if (!first_) out += ", ";
      out += last;
    }
    out += ')';
    first_ = false;
  }
  void begin(std::string_view name) {
    if (!first_) out += ", ";
    first_ = false;
    out += name;
    out += '=';
  }

  template <class T>
  static bool is_absent(const T* node) {
    return node == nullptr;
  }
  static bool is_absent(Symbol name) { return !name; }
  static bool is_absent(std::string_view text) { return text.empty(); }
  static bool is_absent(Seq<TypeParam> list) { return list.empty(); }
  static bool is_absent(const auto&) { return false; }

  template <class T>
  void field(const T* node) {
    write(node);
  }
  void field(ir::Span) {}  // has no name in `ast`, so that it is not written
  void field(Symbol name) { out += quoted(name.str(), false); }
  void field(std::string_view text) { out += quoted(text, false); }
  void field(uint32_t number) { out += std::to_string(number); }
  void field(bool flag) { out += flag ? '1' : '0'; }
  void field(char conversion) { out += std::to_string(conversion == 0 ? -1 : conversion); }
  template <class T>
  requires std::is_enum_v<T>
  void field(T op) { out += class_name(op); }
  template <class T>
  void field(std::span<T> items) {
    out += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      if constexpr (std::is_pointer_v<std::remove_const_t<T>>) {
        if (items[i] == nullptr) {
          out += "None";
          continue;
        }
      }
      field(items[i]);
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

template <class T>
std::string dump(const T* node) {
  Dumper dumper;
  dumper.write(node);
  return std::move(dumper.out);
}

}  // namespace mlc::syntax
