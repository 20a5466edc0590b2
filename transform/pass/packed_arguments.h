// SPDX-License-Identifier: Apache-2.0
// The arguments of a function as a packed call passes them: reading each from its slot, the checks that
// it is what the function was made for, and the messages of these checks.
#pragma once

#include "ir/registry/host.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/packed_fields.h"

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

class PackedArguments {
 public:
  Var args, num_args;  // parameters of the packed function

  // `symbol` is what the function is called in messages, `device` where its tensors are; `host` knows the
  // texts of expressions.
  PackedArguments(const PrimFunc& fn, std::string symbol, int device, Host& host);
  // The body with its parameters defined before it.
  Stmt around(const Stmt& body) const;

 private:
  // A value that has to be `expected`, once all variables in it are known.
  struct Later {
    Expr expected;
    Expr value;
    std::string path;  // "A.shape[0]"
    size_t argument;
  };
  String when_{" when calling:\n  `"};  // shared by all messages
  Host& host_;
  std::string symbol_, signature_;
  int device_;
  Array<Stmt> binds_;   // in order; an attribute without body covers the rest
  Array<Stmt> checks_;  // when all variables are known: that values agree
  std::vector<Later> later_;
  Array<Stmt> views_;                                      // buffers on the memory of the tensors
  std::unordered_map<const VarNode*, std::string> known_;  // variable -> where its value comes from
  Var device_id_;
  Analyzer analyzer_;

  void read(const Var& param, size_t i);
  void tensor(const Buffer& buffer, size_t i, const Var& handle);
  Expr shape_of(const Buffer& buffer, size_t i, const Var& handle);
  void strides_of(const Buffer& buffer, size_t i, const Var& handle, const Expr& shape);
  void offset_of(const Buffer& buffer, size_t i, const Var& handle);
  void data_of_tensor(const Buffer& buffer, size_t i, const Var& handle);
  // `variable or expression` has the value; a variable not seen before becomes it.
  void bind(const Expr& expected, const Expr& value, std::string path, size_t i);
  Var name(std::string name, const Expr& value);
  Stmt check(const Expr& condition, std::string_view kind, std::vector<std::string> what,
             std::vector<std::string> wanted) const;
  Stmt expect_type(const Expr& condition, size_t i, std::string_view type) const;
  std::string path_text(const Expr& e) const;
};

}  // namespace mlc::transform
