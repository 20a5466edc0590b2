// SPDX-License-Identifier: Apache-2.0
// Builds one PrimFunc from the AST of a decorated function. Statements are handled here; every expression is
// evaluated by the script evaluator, and the T.* functions it calls act on the builder that is at work.
#pragma once

#include <deque>
#include <unordered_set>

#include "frontend/diagnostics/findings.h"
#include "frontend/tvmscript/builder/frame.h"
#include "frontend/tvmscript/builder/names.h"
#include "frontend/tvmscript/builder/tvmscript.h"

namespace mlc::tvmscript {

namespace syntax = ::mlc::syntax;
using script::Evaluator;
using syntax::Symbol;

// Attributes of `@T.prim_func(...)`.
struct FunctionOptions {
  bool is_private = false;
  bool s_tir = false;  // asked for by the decorator
  bool check_well_formed = true;
  bool persistent = false;  // attribute tirx.persistent_kernel
};

using Outside = std::vector<std::pair<Symbol, Any>>;

// A block while its body is read.
struct BlockState {
  String name;
  bool no_realize = false;
  Array<IterVar> iter_vars;
  Array<Expr> iter_values;
  std::optional<Array<ir::TensorRegion>> reads;
  std::optional<Array<ir::TensorRegion>> writes;
  Expr predicate;
  Stmt init;
  Array<Buffer> alloc_buffers;
  Array<ir::MatchBufferRegion> match_buffers;
  Map<String, Any> annotations;
  Span span;
  size_t depth = 0;  // bodies around its statements
};

// Puts a variable back to what it was, also when an error passes.
template <class T>
class Restore {
 public:
  Restore(T& place, T value) : place_(place), old_(std::move(place)) { place_ = std::move(value); }
  ~Restore() { place_ = std::move(old_); }
  Restore(const Restore&) = delete;

 private:
  T& place_;
  T old_;
};

struct InlineNode;  // template.h

class Builder {
 public:
  // `outside`: names around the definition that the script does not know: the class of its module.
  Builder(Evaluator& evaluator, script::Scope where, const Outside& outside = {});
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // Throws Error with everything found wrong.
  ir::PrimFunc build(const syntax::FunctionDef& definition, const FunctionOptions& options);
  // ---- for IRBuilder: a function that is built by calls, without a definition ----
  void open_function(const FunctionOptions& options);
  ir::PrimFunc close_function(Span span);
  void open_loose();             // statements outside any function; there may be one
  Stmt loose_statement() const;  // null when there is none yet
  bool is_loose() const { return loose_; }
  void set_name(const ir::ApiCall& call, const String& name);
  void add_parameter(const ir::ApiCall& call, const String& name, const Var& var);
  // Throws Error not-at-top-of-function.
  void require_top(const ir::ApiCall& call) const;
  const std::string& function_name() const { return function_; }
  // Frames that are entered and left one by one: loops, branches, blocks, attributes. `enter` returns what
  // `as` binds; `leave` puts the statement made into what is around; `abandon` forgets it.
  static bool is_opening(const Any& frame);
  Any enter(const Any& frame, Span span);
  void leave(Span span);
  void abandon();
  bool is_innermost(const Any& frame) const;

  // Only the types of the parameters and the result, for calls between functions of one module.
  ir::FuncType signature(const syntax::FunctionDef& definition);

  // The builder at work; throws Error outside-prim-func naming the function that needs one.
  static Builder& current(const ir::ApiCall& call);
  static Builder* current_or_null();

  // ---- for the T.* functions ----
  void emit(Stmt stmt);
  // The innermost block, whose statements stand here and not in a loop or branch of it; Errors outside-block,
  // not-at-top-of-block.
  BlockState& block(const ir::ApiCall& call);
  BlockState* block_or_root();  // the innermost block, or the root block
  // The loop that defines `var` and is being built, or null.
  const Loop* loop_of(const ir::VarNode* var) const;
  // Names a buffer parameter after T.match_buffer: the handle's place is taken by the buffer.
  void match_parameter(const ir::VarNode* handle, const Buffer& buffer, Span span);
  // A quoted expression in a buffer's shape: its free names become int32 variables of the signature.
  Expr match_expression(std::string_view text, Span span);
  bool block_allocates() const { return classic_; }  // T.alloc_buffer means T.sblock_alloc_buffer
  bool in_signature() const { return in_signature_; }
  bool schedulable() const { return schedulable_; }  // buffers have no layout unless they say so
  void set_attr(const ir::ApiCall& call, const String& key, const Any& value);
  // What opens all of the rest of the function is no part of one branch; Error region-in-branch.
  void require_no_branch(const ir::ApiCall& call) const;
  void set_return_type(Type type) { ret_type_ = std::move(type); }
  // A mutable scalar: a buffer of one element. Its value is the load that is returned.
  Expr new_scalar(std::string_view name, DataType dtype, const String& scope, Span span);
  // A buffer allocated by a statement here.
  Buffer allocate(const ir::BufferType& type, Map<String, Any> annotations, Span span);
  // A buffer declared by a statement here: a view of `data`, or memory with an address of its own.
  Buffer declare(const Type& type, Expr data, Span span);
  // `value_span`: where the value is written, to blame it.
  void store(const Buffer& buffer, Expr value, Array<Expr> indices, Span span, Span value_span);
  void add_iter_var(const ir::ApiCall& call, ir::IterVar iter_var, Expr binding);
  Var env_thread(const String& tag, DataType dtype, Span span);
  const ir::IterVarNode* env_thread_of(const ir::VarNode* var) const;
  // A thread axis is launched with one extent; Error thread-extent-mismatch.
  void launch(const ir::VarNode* thread, const Expr& extent, Span span);
  // Puts the statements of an inlined function here.
  void expand(InlineNode& inlined, std::span<const Any> given,
              std::span<const std::pair<std::string, Any>> keywords, Span span);
  // Before build: parameters that are known (and no parameters of the result), and what the definition sees.
  void fix(const Outside& values, script::NameScope* around);
  // A variable that a function names above its definition: see announced().
  void announce(const ir::VarNode* var) { announced_.insert(var); }
  // The buffers that calls have made since this was asked last.
  std::vector<Buffer> take_made() { return std::exchange(made_, {}); }
  // Marks that the statement at work did something, even though its value is None.
  void touch() { touched_ = true; }

 private:
  struct Body {
    std::vector<Stmt> stmts;
    struct Wrapper {
      size_t begin;  // statements from here on are inside
      AttrFrameNode::Entry entry;
      Span span;
    };
    std::vector<Wrapper> wrappers;
    bool is_branch = false;  // of an if
  };

  // A frame that is entered and not left yet.
  struct Open {
    Any frame;
    Span span;
    Body body;
    Body* around;
    size_t loops;           // those open around it
    std::vector<Var> vars;  // of a loop
    BlockState block;       // of a block
    Stmt then_case;         // of an if, as soon as they are complete
    Stmt else_case;
  };

  // The first statement of the body at work that encloses all below it.
  std::optional<Span> opened() const;

  // build_frame.cpp
  void close_if(const Open& open, Span span);

  // build_function.cpp
  void bind_parameters(const syntax::FunctionDef& definition);
  Any evaluate_annotation(const syntax::Expr& annotation);
  Var parameter_from(const Any& annotation, const syntax::Arg& arg);
  Type return_type_from(const syntax::Expr& annotation);
  Stmt finish_body(Stmt body);

  // build_statement.cpp
  Stmt build_body(syntax::Seq<syntax::Stmt> stmts, bool is_branch = false);
  void visit_all(syntax::Seq<syntax::Stmt> stmts);
  void visit(const syntax::Stmt* stmt);
  void visit_definition(const syntax::FunctionDef& node);  // template.cpp
  void visit_for(const syntax::For& node);
  void visit_while(const syntax::While& node);
  void visit_if(const syntax::If& node);
  void visit_with(const syntax::With& node, size_t item);
  void visit_return(const syntax::Return& node);
  void visit_assert(const syntax::Assert& node);
  void visit_expression(const syntax::ExprStmt& node);
  // The value of a condition that is not known yet; Error not-a-condition.
  Expr condition(const Any& value, Span span, std::string_view where);
  Var announced(Symbol name, const Type& type);
  Ref<ForFrameNode> range_loop(const syntax::Call& call);
  static Stmt close_loops(const ForFrameNode& frame, const std::vector<Var>& vars, Stmt body, Span span);
  void close_block(BlockState& state, Stmt body, Span span);
  void enter_flat(const AttrFrameNode& frame, Span span);
  Stmt close_body(Body& body);
  Stmt wrap(std::vector<Stmt> inner, const AttrFrameNode::Entry& entry, Span span);

  // build_assign.cpp
  void visit_assign(const syntax::Assign& node);
  void visit_aug_assign(const syntax::AugAssign& node);
  bool is_of_older_dialect(const syntax::Expr& annotation);
  void visit_ann_assign(const syntax::AnnAssign& node);
  void store_subscript(const syntax::Subscript& target, const Any& value, Span span);
  bool store_scalar(const syntax::Expr& target, const Any& value, Span span);
  void assign(const syntax::Expr& target, const Any& value, const syntax::Expr* source, Span span);
  void check_fresh(const syntax::Name& name, const Any& value);
  void bind_name(const syntax::Name& name, const Any& value, Span span);
  bool declare_announced(const syntax::Name& name, const Any& value);
  Any named(const std::string& name, const Any& value, Span span);
  Array<Expr> store_indices(const Buffer& buffer, const syntax::Expr& slice);
  void poison(const syntax::Expr& target);

  Any evaluate(const syntax::Expr& expr) { return evaluator_.evaluate(expr, names_, where_); }
  void note_ended_scope(
      ir::Diagnostic& found) const;  // of a name that was defined in a loop, branch or block
  template <class F>
  bool attempt(Span fallback, F&& f);  // false when f failed; the error is kept

  Evaluator& evaluator_;
  script::Scope where_;
  Builder* outer_;  // the builder that was at work before this one
  Names names_;
  diagnostics::Findings errors_;

  Body* body_ = nullptr;
  std::vector<BlockState*> blocks_;  // innermost last
  struct Detected {                  // a block whose regions were found, not written
    const ir::SBlockNode* block;
    bool reads, writes;
  };
  std::vector<Detected> detected_;
  std::vector<std::pair<const ir::VarNode*, Loop>> loops_;  // being built
  std::vector<IterVar> env_threads_;
  std::vector<Buffer> made_;
  // `i = T.int32()` and `A = T.Buffer(...)` in a body: nothing defines them so far.
  std::unordered_set<const ir::VarNode*> announced_;
  std::unordered_map<const ir::VarNode*, std::pair<Expr, Span>> launched_;
  std::unordered_map<std::string, Span> attr_spans_;  // where T.func_attr sets them
  std::vector<std::unique_ptr<Open>> open_;           // innermost last
  Body top_;                                          // of a function that is built by calls
  bool loose_ = false;
  bool by_calls_ = false;
  size_t depth_ = 0;  // bodies around the statement at work
  BlockState root_;
  bool has_blocks_ = false;
  bool classic_ = false;  // blocks under a bare @T.prim_func: the older dialect
  bool in_signature_ = false;
  std::string block_suffix_;             // of the expansion at work
  int expansions_ = 0;                   // that are at work
  std::vector<const Names*> suspended_;  // of what is around them, outermost first
  std::unordered_set<Symbol> fixed_;     // parameters with a value
  bool schedulable_ = false;
  bool touched_ = false;
  std::string function_;
  Array<Var> params_;
  Type ret_type_;
  Map<String, Any> attrs_;
  bool is_private_ = false;
  std::unordered_map<Symbol, Var> match_vars_;              // made by quoted shapes
  std::unordered_map<Symbol, DataType> declared_;           // scalar parameters, by their annotation
  std::unordered_map<Symbol, Var> early_;                   // those made before their turn, for shapes
  std::vector<std::shared_ptr<const syntax::Tree>> trees_;  // of quoted expressions
};

template <class F>
bool Builder::attempt(Span fallback, F&& f) {
  try {
    f();
    return true;
  } catch (ir::Error& error) {
    note_ended_scope(error.first());
    errors_.add(error, fallback);
    return false;
  }
}

// Gives a variable that was made without a name its name. Only its maker may still hold it.
void name_once(const ir::VarNode* var, std::string_view name);
// As the user writes it: `T.axis.spatial`.
std::string shown_name(const ir::Api& api);

}  // namespace mlc::tvmscript
