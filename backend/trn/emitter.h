// SPDX-License-Identifier: Apache-2.0
// The statements and values of one kernel as Python.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/core/module.h"
#include "ir/tir/op.h"
#include "ir/tir/stmt.h"

namespace mlc::trn_backend {

using ir::Expr;
using ir::Stmt;
using ir::VarNode;

// Error: codegen-unsupported, an InternalError.
[[noreturn]] void refuse(const std::string& construct, ir::Span span, std::string help = "");
// "np.float32"
std::string type_text(ir::DataType dtype, ir::Span span);

// The levels of Python's grammar that texts have on the outside: what is not in parentheses binds so loosely.
enum class Level : uint8_t { kOr, kAnd, kProduct, kAtom };

struct Text {
  std::string text;
  Level level = Level::kAtom;

  std::string at_least(Level wanted) const { return level >= wanted ? text : "(" + text + ")"; }
};

class Emitter {
 public:
  Emitter();
  std::string add_param(const ir::Var& param);
  std::string body(const Stmt& body);  // lines, indented

 private:
  // A loop that an operation does as a whole: all its steps are one value.
  struct TensorLoop {
    const VarNode* var;
    std::string dim;  // "P", "F", "lhs_F", "rhs_F"; empty: by its place among the indices
  };
  // Which of an operation's tiles is written: those of a product have free dimensions of their own.
  enum class Tile : uint8_t { kAny, kProduct, kFactor };
  // How the text calls a buffer, or why it cannot.
  struct Name {
    std::string text;
    std::string why_not;
    const VarNode* root = nullptr;  // the parameter whose memory it is
    ir::Array<Expr> shape;
    ir::DataType dtype = ir::DataType::Void();
  };

  // ---- statements ----
  void emit(const Stmt& s);
  void block(const Stmt& s);  // one level deeper
  void emit_alloc(const ir::AllocBufferNode& alloc);
  void emit_decl(const ir::DeclBufferNode& decl);
  void emit_loop(const ir::ForNode& loop);
  void emit_tensor_loop(const ir::ForNode& loop);
  void emit_branch(const ir::IfThenElseNode& branch);
  void emit_operation(const ir::CallNode& call, std::string_view name);
  void line(const std::string& text);

  // ---- values ----
  Text value(const Expr& e);
  Text binary(const ir::BinaryNode& n);
  Text negated(const Expr& condition);
  Text cast(const ir::CastNode& n);
  std::string load(const ir::TensorLoadNode& load);
  std::string variable(const VarNode* var, ir::Span span);
  std::string element(const Expr& e);  // a load, or refused
  std::string opcode(const Expr& e);
  std::string flag(const Expr& e);
  bool is_tensor(const Expr& e) const;  // has it more than one value?

  std::vector<const VarNode*> tensor_vars(const Expr& e) const;  // in the order of the text

  std::string unique_name(std::string_view wanted);
  static std::string shape_text(const ir::Array<Expr>& shape, Emitter& on);

  std::string out_;
  int indent_ = 1;
  int loops_ = 0;  // around, that are loops of the text
  std::set<std::string> names_;
  std::unordered_map<const VarNode*, std::string> vars_;
  std::unordered_map<const VarNode*, Name> buffers_;
  std::unordered_map<const VarNode*, Name> params_;  // by the pointer; the shape is that of the first buffer
  std::map<std::pair<const VarNode*, std::string>, std::string> reshaped_;  // root and shape -> name
  bool in_operation_ = false;
  std::vector<TensorLoop> tensor_loops_;
  std::string mask_;
  bool has_mask_ = false;
  Tile tile_ = Tile::kAny;
  std::unordered_map<const VarNode*, size_t> axes_;  // of the index at hand, where loops say no dimension
  size_t axes_of_tile_ = 0;
};

}  // namespace mlc::trn_backend
