// SPDX-License-Identifier: Apache-2.0
// What a room may ask of whoever runs it. Nothing below finds a function of a room above or beside it by its
// name: its caller passes it a Host, down from a row (ApiCall::host), which it calls.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/core/node_fwd.h"

namespace mlc::ir {

using Keyword = std::pair<std::string_view, Any>;  // name=value of a call

// The script evaluator is one; NoScript (no_script.h) is one without a script. Questions that are not pure
// have an answer of their own for hosts that run no script.
class Host {
 public:
  virtual ~Host() = default;
  virtual Any call(const Any& callee, std::span<const Any> args) = 0;  // callee: any callable script value
  virtual bool callable(const Any& value) = 0;
  // Names of the positional parameters of a callable, e.g. {"i", "j"} of `lambda i, j: ...`; `*rest` comes
  // last and with its star.
  virtual std::vector<std::string> parameter_names(const Any& callee) = 0;
  virtual std::string repr(const Any& value) = 0;
  virtual void print(std::string_view text) = 0;  // the script's standard output

  // str(value): of a node its text. Without a script: by its registered `__str__`, else the name of its type.
  virtual std::string str(const Any& value);
  // False when the object has no such attribute. Without a script objects have none.
  virtual bool find_attribute(const Any& object, std::string_view name, Any& out);
  // object.name(*args, **keywords). Without a script: a registered method of the node. Error: no-attribute.
  virtual Any call_method(const Any& object, std::string_view name, std::span<const Any> args,
                          std::span<const Keyword> keywords);
  // A function of the library that is written in the language (stdlib/). Error without a script: no-library.
  virtual Any call_library(std::string_view module, std::string_view function, std::span<const Any> args);
  // The same value written simpler. Without an analyzer: by linear arithmetic.
  virtual Expr simplify(const Expr& e);
  // The text of a program, laid out as `mlc fmt` does. Error in a host without a formatter: no-formatter.
  virtual std::string format(std::string source);
  // What LLVM calls the intrinsic of that number. Error in a host without LLVM: unknown-intrinsic.
  virtual std::string llvm_intrinsic_name(int64_t number);
  // Runs `action` when this host ends, before its values do: for what others hold of it.
  virtual void at_end(std::function<void()> action);
  // In a handler: the error in flight leaves a function of a script into code that has called it through
  // tvm-ffi. What comes out at the other side of that code has a kind and a text alone; whoever called the
  // code finds this error in Context::error_below and rethrows it.
  [[noreturn]] void leave();

 protected:
  // What that error is at the other side.
  virtual std::exception_ptr crossed(std::exception_ptr error) { return error; }
};

}  // namespace mlc::ir
