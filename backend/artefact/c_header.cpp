// SPDX-License-Identifier: Apache-2.0
// The text of the header: for each function what every argument must be.
#include <algorithm>

#include "backend/artefact/c_interface.h"
#include "ir/core/walk_with.h"

namespace mlc::backend {
namespace {

using ir::DataType;
using ir::Expr;
using Kind = CParameter::Kind;

// Symbols as the header calls their parameters, without the casts that only a compiler needs.
Expr in_c(const Expr& e, const CFunction& function) {
  return ir::rewrite_with(e, [&](const Expr& part, ir::Rewriter& on) -> Expr {
    auto* cast = ir::as<ir::CastNode>(part);
    if (cast && cast->dtype().is_int() && cast->value->dtype().is_int()) return on.rewrite(cast->value);
    for (const CParameter& one : function.parameters) {
      if (one.var && one.var.same_as(part)) return ir::make<ir::VarNode>(ir::String(one.name), one.var->ty);
    }
    return on.rewrite_children(part);
  });
}

// Text inside a comment: one line that does not end it.
std::string in_comment(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  for (size_t at = 0; (at = text.find("*/", at)) != text.npos; at += 3) text.insert(at + 1, " ");
  return text;
}

class Comment {
 public:
  Comment(const CFunction& function, const std::function<std::string(const Expr&)>& text)
      : function_(function), text_(text) {}

  std::string all() {
    std::string out = fmt::format("/* `{}` of the module.\n *\n", in_comment(function_.symbol));
    size_t width = 0;
    for (const CParameter& one : function_.parameters) width = std::max(width, one.name.size());
    for (const CParameter& one : function_.parameters)
      out += fmt::format(" *   {:<{}}  {}\n", one.name, width, in_comment(renamed(one) + about(one)));
    if (function_.parameters.empty()) out += " *   no arguments\n";
    bool noalias = ir::has_flag(function_.fn, "tirx.noalias") || ir::has_flag(function_.fn, "tir.noalias");
    if (noalias && tensors() > 1)
      out += " *\n * The memory of one tensor must not overlap that of another.\n";
    return out + " */\n";
  }

 private:
  std::string extent(const Expr& e) {
    if (auto known = ir::const_int(e)) return std::to_string(*known);
    return text_(in_c(e, function_));
  }
  std::string list(const ir::Array<Expr>& extents) {
    std::string out;
    for (const Expr& e : extents) out += (out.empty() ? "" : ", ") + extent(e);
    return "[" + out + "]";
  }
  size_t tensors() const {
    size_t count = 0;
    for (const CParameter& one : function_.parameters) count += one.kind == Kind::kTensor;
    return count;
  }

  // What the program calls a parameter whose name C cannot take.
  static std::string renamed(const CParameter& one) {
    if (!one.var || std::string(one.var->name) == one.name) return "";
    return fmt::format("(`{}`) ", std::string(one.var->name));
  }

  std::string about(const CParameter& one) {
    switch (one.kind) {
      case Kind::kTensor:
        return about_tensor(one);
      case Kind::kScalar:
        return one.var->dtype().is_handle() ? "any pointer" : "a value: " + element(one.var->dtype(), false);
      case Kind::kSymbol:
        return about_symbol(one);
      case Kind::kResult:
        return "out: where the value that the function returns is stored";
    }
    return "";
  }

  static std::string element(DataType dtype, bool many) {
    bool pattern = dtype.is_floating() && dtype.bits() <= 16;
    std::string name = dtype.str();
    if (pattern) name += fmt::format(" ({}{} bits{})", many ? "" : "its ", dtype.bits(), many ? " each" : "");
    if (!dtype.is_scalar()) name += fmt::format(" ({} packed values per element)", dtype.lanes());
    return name;
  }

  std::string about_tensor(const CParameter& one) {
    const ir::BufferTypeNode* type = one.var->buffer();
    const char* use = one.reads && one.writes ? "in, out" : one.writes ? "out" : one.reads ? "in" : "unused";
    std::string out = fmt::format("{}: {} {}", use, element(DataType(type->dtype), true), list(type->shape));
    if (!type->strides.empty()) out += fmt::format(", strides {} in elements", list(type->strides));
    if (type->elem_offset && !ir::is_const_int(type->elem_offset, 0))
      out += fmt::format(", the first element is at [{}]", extent(type->elem_offset));
    return out;
  }

  std::string about_symbol(const CParameter& one) {
    std::vector<std::string> users;
    bool extent = false;
    bool stride = false;
    for (const CParameter& other : function_.parameters) {
      if (other.kind != Kind::kTensor) continue;
      const ir::BufferTypeNode* type = other.var->buffer();
      auto used = [&](const Expr& e) {
        return e && ir::uses_var(e, [&](const ir::VarNode* v) { return v == one.var.get(); });
      };
      bool shape = std::any_of(type->shape.begin(), type->shape.end(), used);
      bool strides = std::any_of(type->strides.begin(), type->strides.end(), used);
      if (shape || strides || used(type->elem_offset)) users.push_back(other.name);
      extent = extent || shape;
      stride = stride || strides;
    }
    int bits = one.var->dtype().bits() - (one.var->dtype().is_int() ? 1 : 0);
    std::string most = bits >= 63 ? "" : fmt::format(", at most {}", (int64_t{1} << bits) - 1);
    return fmt::format("{} of {}: at least 0{}",
                       extent   ? "a size"
                       : stride ? "a stride"
                                : "the offset",
                       fmt::join(users, ", "), most);
  }

  const CFunction& function_;
  const std::function<std::string(const Expr&)>& text_;
};

}  // namespace

std::string c_comment(const CFunction& function, const std::function<std::string(const Expr&)>& text) {
  return Comment(function, text).all();
}

std::string c_declaration(const CFunction& function) {
  std::string parameters;
  for (const CParameter& one : function.parameters) {
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", one.type, one.name);
  }
  return fmt::format("int {}({})", function.name, parameters.empty() ? "void" : parameters);
}

std::string c_header(const CInterface& interface, const std::function<std::string(const Expr&)>& text,
                     bool for_cpp) {
  std::string guard = "MLC_LIBRARY_";
  for (char c : interface.library) guard += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  std::string out = fmt::format(
      "/* What `mlc build` made, for C and C++.\n"
      " *\n"
      " * A function returns 0, or another number when it refuses its arguments or cannot finish; then\n"
      " * mlc_last_error() says why. Any number of threads may call functions at the same time.\n"
      " *\n"
      " * A tensor is a pointer to its elements in the memory of the CPU. They lie in row-major order "
      "without gaps\n"
      " * unless strides are given, and the pointer is aligned to the size of an element; only a tensor "
      "without\n"
      " * elements may be NULL. How much memory is there cannot be checked.\n"
      "{}"
      " */\n"
      "#ifndef {}_H\n#define {}_H\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      interface.parallel ? " *\n * Work is shared by as many threads as the process may use processors; "
                           "MLC_NUM_THREADS in the\n"
                           " * environment sets another number.\n"
                         : "",
      guard, guard);
  for (const CFunction& function : interface.functions)
    out += c_comment(function, text) + c_declaration(function) + ";\n\n";
  out +=
      "/* Why the last call that failed on this thread did so, such as \"ValueError: ...\"; \"\" when none "
      "has.\n"
      " * The text stays until the next failure on the thread. */\n"
      "const char* mlc_last_error(void);\n\n"
      "#ifdef __cplusplus\n}\n#endif\n";
  return out + (for_cpp ? cpp_wrappers(interface) : "") + "\n#endif\n";
}

}  // namespace mlc::backend
