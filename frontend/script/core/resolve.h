// SPDX-License-Identifier: Apache-2.0
// Where each name of a program lives, found once per function: a local slot of the frame, a cell shared with
// closures, or a slot of the module. The answer is cached in the `resolved` word of the tree.
//
// Two kinds of code are not resolved and look names up as they run: class bodies, and expressions that an IR
// builder evaluates (their names belong to the builder first). Their `resolved` words stay 0.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "frontend/script/core/value.h"
#include "frontend/syntax/ast.h"

namespace mlc::script {

enum class Storage : uint32_t { kDynamic = 0, kLocal = 1, kCell = 2, kGlobal = 3 };
constexpr uint32_t storage_bits = 2;
constexpr uint32_t place(Storage storage, uint32_t index) {
  return index << storage_bits | static_cast<uint32_t>(storage);
}
constexpr Storage storage_of(uint32_t resolved) { return static_cast<Storage>(resolved & 3); }
constexpr uint32_t index_of(uint32_t resolved) { return resolved >> storage_bits; }

constexpr uint32_t kByName = ~0u;

// The `code` of a resolved expression: its kind, and what about its parts the evaluator need not look at
// again. kByKind stands for all other expressions, and for code that is not resolved.
enum class Code : uint8_t {
  kByKind,
  kLocal,  // a variable of the frame, which nothing changes while an expression runs: it may be lent
  kName,   // any other variable with a place
  kInt,
  kPlain,  // None, bool, float
  kText,   // a string; the resolver keeps its value
  kAdd,    // the operators of two values
  kSub,
  kMult,
  kDiv,
  kFloorDiv,
  kMod,
  kBinary,
  kEq,  // one comparison of two values, in the order of CmpOperator
  kNotEq,
  kLt,
  kLtE,
  kGt,
  kGtE,
  kCompare,    // `is`, `in` and their opposites
  kSubscript,  // no slice among the indices
  kAttribute,
  kCall,   // positional arguments only, no stars
  kTuple,  // no stars
  kYield,
};
inline Code code_of(const syntax::Expr* expr) { return static_cast<Code>(expr->code); }

// What the evaluator must know about a function, a lambda, a generator expression, or the top of a file.
struct FunctionInfo {
  std::string name;
  std::string qualified_name;  // "outer.<locals>.inner"
  std::string doc;
  const FunctionInfo* parent = nullptr;  // the function around it (classes do not count)
  ModuleNode* module = nullptr;
  const syntax::Arguments* args = nullptr;
  syntax::Seq<syntax::Stmt> body;      // of a def
  const syntax::Expr* expr = nullptr;  // of a lambda
  const syntax::GeneratorExp* generator = nullptr;
  const syntax::Expr* returns = nullptr;  // the annotation of the result; may be null
  ir::Span span;                          // of the name
  ir::Span text;                          // of the whole definition with its decorators

  // Parameters take the first slots: positional, keyword-only, *args, **kwargs.
  std::vector<Symbol> parameters;
  std::vector<std::string_view> parameter_texts;  // the same as interned text
  uint32_t positional_only = 0;
  uint32_t positional = 0;  // those included
  uint32_t keyword_only = 0;
  bool has_vararg = false;
  bool has_kwarg = false;
  bool simple = false;  // positional parameters only, none of them in a cell

  uint32_t slots = 0;
  std::vector<uint32_t> cells;  // slots that start as fresh cells (parameters move into theirs)
  struct Free {
    Symbol name;
    uint32_t slot;
    uint32_t outer;  // where the frame around it keeps the cell, or kByName: taken when the function is made
  };
  std::vector<Free> free_variables;
  std::unordered_map<Symbol, uint32_t> names;  // every name of the function -> its `resolved` word
  bool yields = false;
  // A lambda or generator in an expression for an IR builder: there `and`, `or`, `not` and conditions of IR
  // values build IR, as in the expression around it.
  bool builds_ir = false;
};

// Names used by a definition that it does not bind itself.
using NameList = std::vector<Symbol>;

class Resolver {
 public:
  // Resolves statements at the top of a file; slots are for comprehension variables only.
  std::unique_ptr<FunctionInfo> module(syntax::Seq<syntax::Stmt> body, ModuleNode* module);
  // Resolves the body of a definition when it is first executed (never, if a hook takes it). `parent` is null
  // at the top of a file; `scope_name` begins the qualified name: "Point", "outer.<locals>", or "".
  const FunctionInfo* function(const syntax::FunctionDef& def, const FunctionInfo* parent, ModuleNode* module,
                               std::string_view scope_name);
  // Lambdas and generator expressions are resolved with the code around them; where that is not resolved,
  // here: names in `by_name` are then taken by name when the function is made.
  const FunctionInfo* lambda(const syntax::Lambda& lambda, ModuleNode* module, const NameList& by_name,
                             bool builds_ir);
  const FunctionInfo* generator(const syntax::GeneratorExp& expr, ModuleNode* module,
                                const NameList& by_name);
  // Lambdas and comprehensions in a class body, which do not see its names: functions of their own in the
  // function around the class (`parent`, null at the top of a file).
  const FunctionInfo* lambda_of_class(const syntax::Lambda& lambda, const FunctionInfo* parent,
                                      ModuleNode* module, std::string_view scope_name);
  const FunctionInfo* generator_of_class(const syntax::GeneratorExp& expr, const FunctionInfo* parent,
                                         ModuleNode* module, std::string_view scope_name);
  const FunctionInfo* comprehension_of_class(syntax::Seq<syntax::Comprehension> generators,
                                             const syntax::Expr* a, const syntax::Expr* b,
                                             const FunctionInfo* parent, ModuleNode* module);
  const FunctionInfo* info(uint32_t resolved) const { return functions_[resolved - 1].get(); }
  // The names a lambda or generator expression takes from around it.
  const NameList& free_names(const syntax::Lambda& lambda);
  const NameList& free_names(const syntax::GeneratorExp& generator);
  const Any& text(const syntax::Constant& constant) const { return texts_[constant.resolved]; }
  // Grows whenever something is kept that points into a tree.
  size_t kept() const { return functions_.size() + free_.size(); }

 private:
  struct Work;
  using Outer = std::function<uint32_t(Symbol)>;  // the place of a name around a function; 0: global
  uint32_t lambda_in(const syntax::Lambda& lambda, const FunctionInfo* parent, ModuleNode* module,
                     const Outer& outer);
  uint32_t generator_in(const syntax::GeneratorExp& expr, const FunctionInfo* parent, ModuleNode* module,
                        const Outer& outer);
  void resolve_comprehension(FunctionInfo& info, syntax::Seq<syntax::Comprehension> generators,
                             const syntax::Expr* a, const syntax::Expr* b, const Outer& outer);
  uint32_t keep(std::unique_ptr<FunctionInfo> info);

  std::vector<std::unique_ptr<FunctionInfo>> functions_;
  std::vector<Any> texts_;                              // string constants
  std::unordered_map<const void*, NameList> free_;      // by FunctionDef, Lambda, GeneratorExp
  std::unordered_map<const void*, NameList> rebound_;   // by GeneratorExp: what `:=` in it binds around it
  std::unordered_map<const void*, uint32_t> of_class_;  // functions of comprehensions, by their element
  friend class Collector;
};

}  // namespace mlc::script
