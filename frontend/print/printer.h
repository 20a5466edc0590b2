// SPDX-License-Identifier: Apache-2.0
// The one printer: appends to a string, keeps the names of what is in scope.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include "frontend/print/names.h"
#include "frontend/print/print.h"
#include "ir/core/global_info.h"
#include "ir/core/visit.h"
#include "ir/relax/distributed.h"
#include "ir/target/target.h"
#include "ir/tir/index_map.h"
#include "ir/tir/layout.h"

namespace mlc::print {

// How tightly an expression binds when it stands as an operand, loosest first (Python's table).
enum class Binding : uint8_t {
  kNone,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kAtom,
};

// A stretch of the text to put carets under, or to keep free of them.
struct Span {
  size_t begin, end;
  bool kept_free = false;
};
// Something to underline: the stretches that show it, else those of its nearest parent that has any.
struct UnderlineTarget {
  AccessPath path;
  int32_t shown_depth = -1;  // length of the longest prefix that some stretch shows
  std::vector<Span> spans;
};

class Printer {
 public:
  Printer(const PrintOptions& options, ir::Any root);
  std::string run();

 private:
  // print_expr.cpp
  void expr(const ir::Expr& e);
  void operand(const ir::Expr& e, Binding at_least);
  void binary(const ir::BinaryNode* e);
  void call(const ir::CallNode* e);
  void op_call(const ir::CallNode* e, const ir::OpNode* op);
  void keyword_call(const ir::CallNode* e, std::string_view name);
  void number(ir::DataType dtype, int64_t value);
  void number(ir::DataType dtype, double value);
  void indices(const char* attr, const ir::Array<ir::Expr>& list);
  void reduce(const ir::ReduceNode* e);
  void comm_reducer(const ir::CommReducerNode* combiner);
  Binding binding(const ir::Expr& e) const;
  // min + extent, folded as far as TVM's `+` folds.
  static ir::Expr end_of(const ir::Expr& min, const ir::Expr& extent);

  // print_value.cpp: what is neither expression nor statement
  void value(const ir::Any& v);
  void dict(std::vector<std::pair<ir::String, ir::Any>> items);
  void dict(const ir::Map<ir::String, ir::Any>& map);
  void type(const ir::Type& t);
  void types(const ir::Array<ir::Type>& all);
  void dtype_literal(ir::DataType dtype);  // "float32" in quotes
  void range(const ir::Range& r, bool in_function);
  void iter_var(const ir::IterVarNode* iv);
  void region(const ir::TensorRegionNode* r);
  void target(const ir::TargetNode* t);
  void target_dict(const ir::TargetNode* t);
  void index_map(const ir::IndexMapNode* map);
  void global_info(const ir::GlobalInfoNode* info);
  void device_mesh(const relax::DeviceMeshNode* mesh);
  void tensor(const ffi::Tensor& t);
  std::string tensor_text(const ffi::Tensor& t) const;
  std::string metadata() const;

  // print_buffer.cpp
  struct BufferForm {
    bool dtype_always = false;   // parameters spell out float32
    bool with_data = false;      // `data=` follows the data type
    bool scope_implied = false;  // alloc_shared, alloc_local
    bool parameter = false;      // dims may be quoted
    ir::Expr data = nullptr;
    size_t frame = npos;  // where new dims are declared; npos: the innermost
    const ir::Map<ir::String, ir::Any>* annotations = nullptr;
  };
  // Everything between the parentheses of T.Buffer(...), T.alloc_buffer(...), ...
  void buffer_arguments(const ir::Buffer& buffer, const BufferForm& form);
  std::vector<const ir::VarNode*> shape(const ir::BufferTypeNode* type, bool parameter, size_t frame);
  // Prints `source.view(...)`, `source.local(...)` or `source.permute(...)` where that says it all.
  bool view_of(const ir::VarNode* source, const ir::BufferTypeNode* view);
  bool is_scalar(const ir::Buffer& buffer) const;
  bool shows_layout(const ir::BufferTypeNode* type) const;
  void alloc_buffer(const ir::AllocBufferNode* s, const ir::Stmt& next, bool* took_next);
  void decl_buffer(const ir::DeclBufferNode* s);
  void block_buffer(const ir::Buffer& buffer);

  // print_layout.cpp
  void layout(const ir::ObjectRef& layout);
  void tile_layout(const ir::TileLayoutNode* layout);
  void iters(std::string_view kind, const ir::Array<ir::Iter>& all);
  void on_axis(const ir::Expr& value, std::string_view axis, bool in_sum);

  // print_stmt.cpp
  void stmt(const ir::Stmt& s, bool alone);        // alone: the whole body of what encloses it
  void body(const char* attr, const ir::Stmt& s);  // in the frame just pushed, one level deeper
  void body_of(const ffi::Object* node, const char* attr, const ir::Stmt& s);  // in a frame of its own
  void scope_body(const ir::Stmt& s, bool alone);
  void statements(const ir::Stmt& s);  // at this level
  void one_of(const ir::Array<ir::Stmt>& seq, size_t& i);
  void store(const ir::BufferStoreNode* s);
  void attr_stmt(const ir::AttrStmtNode* s, bool alone);
  void launch_thread(const ir::AttrStmtNode* s, const ir::IterVarNode* thread, bool alone);
  void for_loop(const ir::ForNode* loop);
  void loop_header(const ir::ForNode* loop);
  void bind(const ir::BindNode* s);

  // print_kernel.cpp
  void scope_ids(const ir::ScopeIdDefStmtNode* s);
  void hint(const ir::Map<ir::String, ir::Any>& attrs);
  void tile_primitive(const ir::TilePrimitiveCallNode* s);
  void lambda_expr(const ir::LambdaExprNode* lambda);
  // `lambda a, b: ` and what `body` prints, in a frame of its own.
  template <class F>
  void lambda(const ffi::Object* node, const ir::Array<ir::Var>& vars, F body) {
    names_.push(node, depth_, names_.innermost().insert_at);
    put("lambda ");
    list(vars, [&](const ir::Var& var, int64_t) { put(names_.define(var.get(), ir::view(var->name))); });
    put(": ");
    body();
    names_.pop();
  }

  // print_block.cpp
  void realize(const ir::SBlockRealizeNode* s);
  void block(const ir::SBlockNode* block, const ir::SBlockRealizeNode* realize);
  void match_buffer(const ir::MatchBufferRegionNode* match);
  void axes(const ir::SBlockNode* block, const ir::SBlockRealizeNode* realize);
  void axis(const ir::IterVar& iter, size_t i, const ir::Expr* value);
  bool remaps(const ir::IterVar& iter, const ir::Expr& value) const;

  // print_function.cpp
  void module(const ir::IRModuleNode* mod);
  void prim_func(const ir::PrimFuncNode* fn, std::string_view name, const ir::GlobalVarNode* global);
  void parameters(const ir::PrimFuncNode* fn);
  void type_variables(const ir::PrimFuncNode* fn);
  void function_body(const ir::PrimFuncNode* fn);

  // print_relax.cpp: functions, blocks and bindings of the graph language
  void graph_function(const relax::FunctionNode* fn, std::string_view name, bool nested);
  void graph_type_variables(const relax::FunctionNode* fn);
  void graph_parameters(const relax::FunctionNode* fn);
  void extern_function(const relax::ExternFuncNode* fn);
  enum class SeqEnd : uint8_t { kReturn, kValue, kAssign };  // what becomes of the value of a sequence
  struct Assigned {
    const ir::VarNode* var;
    bool typed;
  };
  void sequence(const relax::SeqExprNode* seq, SeqEnd end, const Assigned* to = nullptr);
  void block(const relax::BindingBlockNode* block);
  void binding(const relax::BindingNode* binding);
  void nested_function(const ir::Expr& fn, const ir::VarNode* var);
  void branches(const relax::IfNode* n, const Assigned* to);
  void assign(const Assigned& to, const char* attr, const ir::Expr& value);
  bool shows_type(const ir::VarNode* var, const ir::Expr& value) const;
  void name_free(const ir::Expr& e);  // what `e` uses and nothing defines gets its name and declaration
  void name_free(const ir::Type& type);
  std::string import_lines() const;

  // print_relax_expr.cpp: calls and values of the graph language
  void graph_expr(const ir::Expr& e);
  void graph_call(const ir::CallNode* e);
  void type_arguments(const ir::CallNode* e, std::string_view name);
  void graph_callee(const ir::Expr& e);
  void constant(const relax::GenericConstNode* n);
  void global_var(const ir::GlobalVarNode* n);
  bool is_graph_call(const ir::CallNode* e) const;
  std::string device_name(const ir::VDevice& device) const;

  // print_relax_type.cpp
  void graph_type(const ir::Type& t);
  void dimension(const ir::Expr& e);
  void dimensions(const char* attr, const ir::Array<ir::Expr>& all);

  // printer.cpp
  void root_value();
  std::string finish();
  // A new statement of the innermost frame starts here, below the comments of that node.
  void line(const ffi::Object* commented = nullptr) {
    names_.innermost().insert_at = out_.size();
    if (tracking_ && commented) comment_above(commented);
    indent(depth_);
  }
  void begin_frame();  // the first statement of the innermost frame follows
  void indent(int depth) { out_.append(static_cast<size_t>(depth * options_.indent_spaces), ' '); }
  void end_line() { out_ += '\n'; }
  template <class... Parts>
  void put(const Parts&... parts) {
    (out_.append(parts), ...);
  }
  void tir(std::string_view name) {
    uses_tir_ = true;
    put(options_.tir_prefix, ".", classic(name));
  }
  void relax_name(std::string_view name) {
    uses_relax_ = true;
    put(options_.relax_prefix, ".", name);
  }
  void ir_name(std::string_view name) {
    uses_ir_ = true;
    put(options_.ir_prefix, ".", name);
  }
  // print_classic.cpp. A name below `T` in the dialect of the text; throws not-classic where it had none.
  std::string_view classic(std::string_view name) const;
  [[noreturn]] void not_classic(const std::string& what) const;
  void classic_dtype(ir::DataType dtype) const;
  bool is_plain_parameter(const ir::BufferTypeNode* type) const;
  bool is_classic_layout(const ir::BufferTypeNode* type) const;
  void handle_parameter(const ir::Var& param);
  void match_parameters();
  std::string_view name_of(const ir::VarNode* var);
  void declare_free(const ir::VarNode* var);
  void declare_graph_free(const ir::VarNode* var);
  void declare_all(const ir::Expr& e);
  void new_variable(const ir::VarNode* var);
  void declare_dims(const std::vector<const ir::VarNode*>& dims, size_t frame);
  void insert(size_t frame, const std::string& text);  // before that frame's current statement
  bool classic() const { return options_.dialect == Dialect::kClassic; }

  // Takes back what was printed since it was made. Declarations inserted meanwhile lie before it.
  class Capture {
   public:
    explicit Capture(Printer& p) : p_(p), from_(p.out_.size()), inserted_(p.inserted_) {}
    std::string take() {
      size_t from = from_ + (p_.inserted_ - inserted_);
      std::string tail = p_.out_.substr(from);
      p_.out_.resize(from);
      return tail;
    }

   private:
    Printer& p_;
    size_t from_;
    size_t inserted_;
  };

  static constexpr size_t npos = std::string::npos;
  // While it lives, what is printed lies below the current path at `attr` (item `index` of it); a null
  // attribute changes nothing.
  class At {
   public:
    At(Printer& p, const char* attr, int64_t index = -1) : p_(p), pushed_(p.tracking_ && attr) {
      if (!pushed_) return;
      AccessPath next = p.path_.back()->Attr(attr);
      p.path_.push_back(index < 0 ? next : next->ArrayItem(index));
    }
    At(Printer& p, const ir::Any& key) : p_(p), pushed_(p.tracking_) {
      if (pushed_) p.path_.push_back(p.path_.back()->MapItem(key));
    }
    ~At() {
      if (pushed_) p_.path_.pop_back();
    }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    Printer& p_;
    bool pushed_;
  };
  // The text made between construction and destruction shows the node at the current path (with a null node:
  // shows something that has no node of its own). Costs nothing unless somebody asked for carets or comments.
  class Mark {
   public:
    Mark(Printer& p, const ffi::Object* node)
        : p_(p), node_(node), begin_(p.out_.size()), insertions_(p.insertions_.size()) {}
    ~Mark() {
      if (p_.tracking_) p_.note(node_, begin_, insertions_);
    }
    // The node has no text as a whole: it reaches over the rest of the enclosing scope.
    void spread() { begin_ = npos; }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    Printer& p_;
    const ffi::Object* node_;
    size_t begin_;
    size_t insertions_;
  };
  void note(const ffi::Object* node, size_t begin, size_t insertions);
  // The comments that were asked for at this node and path, a line each.
  std::vector<std::string> comments(const ffi::Object* node) const;
  void comment_above(const ffi::Object* node);
  void comment_beside(const ffi::Object* node);  // at the end of the current line

  // Children and where they are.
  void expr(const char* attr, const ir::Expr& e) {
    At at(*this, attr);
    expr(e);
  }
  void operand(const char* attr, const ir::Expr& e, Binding at_least) {
    At at(*this, attr);
    operand(e, at_least);
  }
  void exprs(const char* attr, const ir::Array<ir::Expr>& all);
  // Each of them as `one(element, number)` writes it, with commas between.
  template <class List, class F>
  void list(const List& all, F one) {
    int64_t i = 0;
    for (const auto& element : all) {
      if (i) put(", ");
      one(element, i++);
    }
  }
  // `T.name(...)`: what `arguments` writes, or these fields.
  template <class F>
  void call_of(std::string_view name, F arguments) {
    tir(name);
    put("(");
    arguments();
    put(")");
  }
  void call_of(std::string_view name, std::initializer_list<std::pair<const char*, ir::Expr>> fields) {
    call_of(name, [&] {
      for (const auto& field : fields) {
        if (&field != fields.begin()) put(", ");
        expr(field.first, field.second);
      }
    });
  }
  void type_literal(const ir::Type& t);  // of a primitive type, in quotes

  const PrintOptions& options_;
  ir::Any root_;
  ir::Any scope_root_;  // the function being printed, else root_: where uses of free variables are looked for
  // Strings of several lines stand in a section of their own, in the order of their first use; one object
  // stands there once.
  void text_literal(std::string_view section, const ir::String& text);
  std::string metadata_section() const;
  void nameless(std::string_view section, const void* value);
  bool tensor_load(const ir::TensorLoadNode* load);  // of te: its tensor has a number, and no text

  struct Section {
    std::string_view name;  // "ir.StringImm"
    std::vector<ir::String> texts;
    std::unordered_map<const void*, size_t> index;
  };
  std::vector<Section> metadata_;
  // Values that only the section of metadata could tell of: tensors of te, sums of iterators; by section, in
  // the order of their first use.
  std::vector<std::pair<std::string_view, const void*>> nameless_;
  std::string out_;
  Names names_;
  int depth_ = 0;
  bool in_function_ = false;
  bool makes_variables_ =
      false;                // what is printed has free variables or T.Let: lines before statements make them
  bool declaring_ = false;  // in declare_all()
  bool lets_declared_ = false;  // inside a T.Let whose variables all have names
  bool schedulable_ = true;
  bool uses_ir_ = false;
  bool uses_tir_ = false;
  bool uses_relax_ = false;
  bool graph_ = false;  // in a graph: whole numbers print bare, functions of the module through its alias
  // Of the function of a graph that is being printed: the statements that its body begins with.
  struct Head {
    std::string text;
    size_t frame;
    bool has_alias = false;
  };
  Head* head_ = nullptr;
  bool nested_type_variables_ = false;  // some local function has declared type variables of its own
  const std::unordered_set<const ir::VarNode*>* quoted_ = nullptr;  // dims that compute with these are quoted
  std::vector<const relax::GenericConstNode*> constants_;  // what the section of metadata holds, too
  std::unordered_map<const relax::GenericConstNode*, size_t> constant_index_;
  const ir::IRModuleNode* module_ = nullptr;
  std::unordered_set<std::string_view> functions_;  // of the module
  std::string module_name_ = "Module";
  std::vector<std::string> type_variables_;  // module level, in order of appearance
  std::unordered_set<std::string> type_variable_set_;
  std::unordered_set<const ir::VarNode*> type_bound_;  // TypeVars of this function
  std::unordered_set<const ir::VarNode*> dims_bound_;  // parameters and dims seen in this signature
  std::unordered_set<const ir::VarNode*> scalars_;     // one-element buffers printed as variables
  std::vector<std::pair<ir::Var, ir::Var>> handles_;   // classic: pointers and the buffers made of them
  std::vector<ffi::Tensor> tensors_;                   // what the section of metadata holds
  bool tracking_ = false;         // paths are kept: somebody asked for carets or comments
  std::vector<AccessPath> path_;  // of what is being printed, and of what encloses it
  std::vector<UnderlineTarget> targets_;
  std::vector<Span> kept_free_;                        // comments
  std::vector<std::pair<size_t, size_t>> insertions_;  // where and how much, while tracking
  size_t inserted_ = 0;                                // total length of inserted declarations
  bool root_is_value_ = false;                         // free variables need no declaration
  friend class Mark;
  friend class At;
};

// True when TVM's operator function of that kind would fold a and b, so that the node cannot be spelled
// with the operator.
bool would_fold(const ir::BinaryNode* e);

// The text with carets beneath the spans, line numbers, and lines far from the carets left out.
std::string decorate(const std::string& text, const std::vector<Span>& spans, const PrintOptions& options);

}  // namespace mlc::print
