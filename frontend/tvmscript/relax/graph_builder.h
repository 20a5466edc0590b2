// SPDX-License-Identifier: Apache-2.0
// Builds one function of graphs from the AST of a definition under `@R.function`. As for tensor functions,
// statements are handled here, every expression is evaluated by the script evaluator, and the R.* functions
// act on the builder that is at work. What is evaluated goes through relax::BlockBuilder, which keeps normal
// form, infers types and numbers the variables of nested calls.
#pragma once

#include <unordered_set>

#include "frontend/diagnostics/findings.h"
#include "frontend/tvmscript/builder/builder.h"
#include "frontend/tvmscript/builder/names.h"
#include "ir/relax/normalize.h"

namespace mlc::tvmscript {

using ir::ApiCall;

// Attributes of `@R.function(...)`.
struct GraphOptions {
  bool is_pure = true;
  bool is_private = false;
  bool check_well_formed = true;
};

// R.dataflow(): the statements below are one dataflow block.
struct DataflowFrameNode final : FrameNode {
  DataflowFrameNode() = default;
  MLC_NODE("mlc.tvmscript.DataflowFrame", DataflowFrameNode, FrameNode);
};

// R.match_cast(value, type), to be bound to a name.
struct MatchCastValueNode final : ffi::Object {
  Expr value;
  Type type;
  MatchCastValueNode(Expr value, Type type) : value(std::move(value)), type(std::move(type)) {}
  MLC_NODE("mlc.tvmscript.match_cast", MatchCastValueNode, ffi::Object);
};

class GraphBuilder {
 public:
  // `around`: the names of the function that a local function stands in.
  GraphBuilder(Evaluator& evaluator, script::Scope where, const Outside& outside = {},
               script::NameScope* around = nullptr);
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // Throws Error with everything found wrong.
  relax::Function build(const syntax::FunctionDef& definition, const GraphOptions& options);
  // Only the type, for calls between functions. Without a declared result that is `otherwise`.
  relax::FuncType signature(const syntax::FunctionDef& definition, const GraphOptions& options, Type otherwise);

  // The builder at work; throws Error outside-graph naming the function that needs one.
  static GraphBuilder& current(const ApiCall& call);
  static GraphBuilder* current_or_null();

  // ---- for the R.* functions ----
  void set_attr(const ApiCall& call, const String& key, const Any& value);
  // R.output: what is seen after the dataflow block.
  void output(const ApiCall& call, const std::vector<Var>& vars);
  // A dimension in quotes; a name alone defines a symbolic variable. Error quoted-dimension outside of
  // signatures.
  Expr quoted_dimension(std::string_view text, Span span);
  relax::BlockBuilder& block_builder() { return block_builder_; }
  // Puts the bindings of a macro here; its result.
  Expr expand(InlineNode& macro, const std::vector<std::pair<script::Symbol, Any>>& values, Span span);

 private:
  // A sequence of blocks: the body of the function or of a branch.
  using Blocks = Array<relax::BindingBlock>;
  // The dataflow block at work.
  struct Dataflow {
    std::unordered_set<const ir::VarNode*> emitted;
    std::vector<Var> outputs;
    Span output_span;  // of R.output
  };

  // graph_signature.cpp
  void bind_symbols(const syntax::FunctionDef& definition);
  void bind_parameters(const syntax::FunctionDef& definition);
  Type annotation(const syntax::Expr& written);

  // graph_statement.cpp
  void visit_all(syntax::Seq<syntax::Stmt> stmts);
  void visit(const syntax::Stmt* stmt);
  void visit_with(const syntax::With& node);
  void visit_if(const syntax::If& node);
  void visit_return(const syntax::Return& node);
  void visit_expression(const syntax::ExprStmt& node);
  void visit_definition(const syntax::FunctionDef& node);
  relax::SeqExpr branch(syntax::Seq<syntax::Stmt> stmts, std::string_view suffix, Span place, std::string& name);
  void begin_block() { block_builder_.begin_binding_block(); }
  void end_block();
  void end_dataflow(Dataflow& state);

  // graph_assign.cpp
  void visit_assign(const syntax::Assign& node);
  void visit_ann_assign(const syntax::AnnAssign& node);
  void assign(const syntax::Expr& target, const Any& value, const syntax::Expr& source, Type type, Span type_span);
  void bind(const syntax::Name& name, const Any& value, const syntax::Expr& source, Type type, Span type_span);
  void declare(const syntax::Name& name, const Var& var, Span span);
  bool is_declaration(const syntax::Expr& source) const;
  void poison(const syntax::Expr& target);
  // What `R.output` among the statements names and an error has kept from being known.
  void poison_outputs(syntax::Seq<syntax::Stmt> stmts);
  Expr graph_value(const Any& value, Span span, std::string_view wanted_for);
  Expr typed(Expr value, const Type& type, Span span, Span type_span);
  Var emit(Expr value, std::string_view name, Span span);
  void require_open(Span span) const;

  Any evaluate(const syntax::Expr& expr) { return evaluator_.evaluate(expr, names_, where_); }
  // For questions about types, with what the variables so far are bound to.
  relax::InferContext bindings() {
    relax::InferContext context = block_builder_.context();
    context.builder = &block_builder_;
    return context;
  }
  // Points an error about a variable at its use below `within`.
  void blame_use(ir::Diagnostic& found, Span within);
  void explain_branches(ir::Diagnostic& found, std::string_view name);
  template <class F>
  bool attempt(Span fallback, F&& f);  // false when f failed; the error is kept

  Evaluator& evaluator_;
  script::Scope where_;
  GraphBuilder* outer_;  // the builder that was at work before this one
  Names names_;
  relax::BlockBuilder block_builder_;
  diagnostics::Findings errors_;

  std::string function_;
  bool is_private_ = false;
  bool in_signature_ = false;
  int branches_ = 0;  // around the statement at work
  int expansions_ = 0;  // of macros, one inside the other
  Array<Var> params_;
  Type declared_result_;
  Map<String, Any> attrs_;
  std::unordered_map<std::string, Span> attr_spans_;
  Blocks* blocks_ = nullptr;
  Dataflow* dataflow_ = nullptr;
  Expr result_;       // null until `return`
  Span result_span_;
  std::vector<std::shared_ptr<const syntax::Tree>> trees_;  // of quoted expressions
};

template <class F>
bool GraphBuilder::attempt(Span fallback, F&& f) {
  try {
    f();
    return true;
  } catch (ir::Error& error) {
    blame_use(error.first(), fallback);
    errors_.add(error, fallback);
    return false;
  }
}

// What a script value is as a type: a type, `R.Tensor` for `R.Tensor()`, `T.int64`, None for no value.
// Error not-a-type.
Type type_from(ir::Host& host, const Any& value, Span span);
// Numbers as primitive values, strings, tuples and lists of these; nullopt for what is none of a graph.
std::optional<Expr> to_graph_value(const Any& value, Span span);
// `R.device_mesh(shape, device_ids)`, `relax.distributed.DeviceMesh(...)`.
Any make_device_mesh(ApiCall& call);
// A call of a function of the graph: `Module.f(x)`, `closure(x)`.
Any call_graph_function(ApiCall& call);

}  // namespace mlc::tvmscript
