// SPDX-License-Identifier: Apache-2.0
// The interpreter of the script layer: runs a file from top to bottom, and evaluates single expressions for
// the IR builders. One thread; errors are ir::Error with the span of the failing expression and the calls
// that led to it as notes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/script/core/value.h"
#include "frontend/syntax/ast.h"
#include "ir/registry/api.h"

namespace mlc::script {

void register_api();  // all rows of this room: builtins' modules, numpy, tvm.ir.*, classic names

// Names that an IR builder defines (parameters, loop variables, buffers) while it reads a definition.
class NameScope {
 public:
  virtual ~NameScope() = default;
  virtual const Any* find(Symbol name) = 0;                      // null when it is not one of them
  virtual std::vector<std::string> names() const { return {}; }  // for did-you-mean
};

struct Frame;          // frame.h
using Scope = Frame*;  // where a definition stands: the script scopes around it

// Called instead of making a script function or class when the innermost decorator of a definition is the api
// function it was registered for (bare or called). `arguments`: Map<String, Any> of the decorator call's
// keyword arguments, or None for a bare decorator. The result is bound to the definition's name.
using DefinitionHook = Any (*)(Evaluator&, const syntax::Stmt& definition, const Any& arguments, Scope where);
void register_definition_hook(std::string api_path, DefinitionHook hook);

// An error raised by a script, or one that has passed a script's `except`: carries the exception object.
class ScriptError : public ir::Error {
 public:
  ScriptError(ir::Diagnostic diagnostic, Any exception)
      : ir::Error(std::move(diagnostic)), exception(std::move(exception)) {}
  ScriptError(std::vector<ir::Diagnostic> all, Any exception)
      : ir::Error(std::move(all)), exception(std::move(exception)) {}
  Any exception;
};

class Evaluator : public ir::Host {
 public:
  Evaluator();
  ~Evaluator() override;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Runs a registered text in the main module; argv[0] says where its imports are looked for. `sys.exit()`
  // comes out as SystemExit below; every other uncaught exception as ir::Error.
  void run_source(uint32_t file_id);
  Any evaluate_repl(uint32_t file_id);  // as run_source; the value of a last expression statement, else None
  struct SystemExit {
    int code;
  };

  // For IR builders: the value of an expression; names are looked up in `names` first, then where the
  // definition stands (the frame that runs its hook), then builtins.
  Any evaluate(const syntax::Expr& expr, NameScope& names);
  Any evaluate(const syntax::Expr& expr, NameScope& names, Scope where);
  // A name as the script sees it where the definition stands, or null.
  const Any* lookup(Symbol name, Scope where);

  Any call(const Any& callee, std::span<const Any> args) override;
  Any call(const Any& callee, std::span<const Any> args,
           std::span<const std::pair<std::string_view, Any>> keywords, ir::Span span,
           std::span<const ir::Span> arg_spans = {});
  bool callable(const Any& value) override;
  std::vector<std::string> parameter_names(const Any& callee) override;
  std::string repr(const Any& value) override;
  std::string str(const Any& value) override;
  void print(std::string_view text) override;  // to `out`
  bool find_attribute(const Any& object, std::string_view name, Any& out) override;
  Any call_method(const Any& object, std::string_view name, std::span<const Any> args,
                  std::span<const ir::Keyword> keywords) override;
  void at_end(std::function<void()> action) override;
  Any call_library(std::string_view module, std::string_view function, std::span<const Any> args) override;

  // Python's protocols on any value. `span` is what an error points at.
  bool truth(const Any& value, ir::Span span = {});
  bool equal(const Any& a, const Any& b);
  int64_t hash(const Any& value, ir::Span span = {});
  Any attribute(const Any& object, Symbol name, ir::Span span = {});
  bool find_attribute(const Any& object, Symbol name, Any& out);  // false instead of AttributeError
  void set_attribute(const Any& object, Symbol name, const Any& value, ir::Span span = {});
  Any subscript(const Any& object, const Any& index, ir::Span span = {}, ir::Span index_span = {});
  void set_subscript(const Any& object, const Any& index, const Any& value, ir::Span span = {});
  Any binary(syntax::BinOperator op, const Any& a, const Any& b, ir::Span span = {});
  Any in_place(syntax::BinOperator op, const Any& a, const Any& b, ir::Span span = {});  // `a op= b`
  Any unary(syntax::UnaryOperator op, const Any& a, ir::Span span = {});
  Any compare(syntax::CmpOperator op, const Any& a, const Any& b, ir::Span span = {});
  bool contains(const Any& container, const Any& value, ir::Span span = {});
  Any iterate(const Any& value, ir::Span span = {});             // an Iterator, or an object with __next__
  bool next(const Any& iterator, Any& out, ir::Span span = {});  // false at the end
  std::vector<Any> elements_of(const Any& iterable, ir::Span span = {});
  // Hands the elements on as the iterable makes them, while `visit` returns true. What it did stays done
  // when the iterable raises midway.
  void each_of(const Any& iterable, ir::Span span, const std::function<bool(Any& element)>& visit);
  int64_t length(const Any& value, ir::Span span = {});
  Any type_of(const Any& value);
  bool is_instance(const Any& value, const Any& type, ir::Span span = {});
  std::vector<std::string> attribute_names(const Any& value);  // sorted; for completion

  // The names of the main module (REPL completion, `:save`), builtins excluded.
  std::vector<std::pair<std::string, Any>> globals() const;
  const Any* global(std::string_view name) const;
  void set_global(std::string_view name, Any value);
  std::vector<std::string> builtin_names() const;

  // Where `print` writes; stdout and stderr of the process unless replaced.
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  // Where warnings about a definition go; to `err`, with their place, unless replaced.
  std::function<void(const ir::Diagnostic&)> warn;
  std::vector<std::string> argv;
  int recursion_limit = 1000;

  // Asks the running script to stop with KeyboardInterrupt; safe in a signal handler and from other threads.
  // False when it was asked before and has not stopped yet.
  static bool interrupt() noexcept;
  static bool is_interrupted() noexcept;  // asked, and has not stopped yet
  static void clear_interrupt() noexcept;

  // Around the evaluation of a tree that nobody else owns: the tree stays alive if functions, lambdas or
  // generators of it were made, for these point into it.
  class Keeper {
   public:
    Keeper(Evaluator& evaluator, std::shared_ptr<const syntax::Tree> tree);
    ~Keeper();
    Keeper(const Keeper&) = delete;

   private:
    Evaluator& evaluator_;
    std::shared_ptr<const syntax::Tree> tree_;
    size_t kept_;
  };

  struct State;
  State& state() { return *state_; }

 protected:
  std::exception_ptr crossed(std::exception_ptr error) override;

 private:
  std::string str_of_object(const Any& value);
  std::string str_of_plain(const Any& value);

  std::vector<const ffi::Object*> writing_;  // containers whose text is being made
  std::unique_ptr<State> state_;
};

}  // namespace mlc::script
