// SPDX-License-Identifier: Apache-2.0
// One walk over a program that fills an Index. Functions are entered once the scope around them is known:
// they run later than what stands below them.
#pragma once

#include <functional>
#include <map>

#include "frontend/syntax/walk.h"
#include "repl/lsp/index.h"

namespace mlc::lsp {

class IndexBuilder final : public syntax::Visitor {
 public:
  IndexBuilder(Index& index, std::string_view text) : index_(index), text_(text) {}
  void run(const syntax::Module& module);

  bool enter(const syntax::Stmt& stmt) override;
  bool enter(const syntax::Expr& expr) override;

 private:
  struct Making {
    syntax::Symbol name;
    Kind kind;
    ir::Span name_span;
    ir::Span whole;
  };
  // A call that takes the names of blocks, buffers and functions as strings.
  struct StringUse {
    const syntax::Call* call;
    uint32_t schedule;  // the entity of the schedule, or kNone
  };

  // index_builder.cpp
  bool definition(const syntax::FunctionDef& def);
  bool definition(const syntax::ClassDef& def);
  void body_of(const syntax::FunctionDef& def, uint32_t scope, uint32_t self, bool is_graph);
  void parameters(const syntax::Arguments& args);
  void imports(const syntax::Stmt& stmt);
  void comprehension(const syntax::Expr& expr, syntax::Seq<syntax::Comprehension> generators,
                     std::initializer_list<const syntax::Expr*> parts);
  bool ir_statement(const syntax::Stmt& stmt);
  bool with_block(const syntax::With& with);
  void frame(ir::Span span, const std::function<void()>& inside);
  void bind_target(const syntax::Expr* target, const syntax::Expr* value, Kind kind, bool fresh);
  uint32_t make(const Making& making, bool fresh);
  void use(ir::Span span, uint32_t entity, bool writes, bool certain = true);
  void read(const syntax::Name& name);
  void member(const syntax::Attribute& attribute);
  uint32_t open_scope(ir::Span span, bool is_class, bool is_ir);
  ir::Span name_in(ir::Span span, std::string_view name) const;
  std::string path_of(const syntax::Expr* expr) const;
  uint32_t entity_of(const syntax::Expr* expr) const;  // of a name, or kNone
  std::string type_made_by(const syntax::Expr* value) const;
  void block_of_compute(const syntax::Call& call);

  // graph_names.cpp: what functions of graphs name in their own way.
  void dimensions(const syntax::FunctionDef& def);
  void mentions_in_shape(const syntax::Constant& text, bool defines);
  uint32_t module_of(const syntax::Expr* value) const;

  // string_names.cpp: names in strings, once all blocks and functions are known.
  ir::Span inside_quotes(const syntax::Expr* literal) const;  // empty where it is not written as it reads
  void resolve_strings();
  void resolve_keywords();
  void resolve(const StringUse& use);
  void mention(const syntax::Expr* literal, const std::vector<uint32_t>& candidates);
  std::vector<uint32_t> named(std::string_view name, Kind kind, uint32_t inside) const;

  Index& index_;
  std::string_view text_;
  uint32_t scope_ = 0;
  uint32_t function_scope_ = 0;  // the scope of the function of the IR that is walked
  uint32_t inside_ = kNone;      // the function or class that is walked
  bool in_ir_ = false;
  bool in_graph_ = false;  // a function of graphs: branches and `with` make no scopes
  std::vector<std::function<void()>> later_;
  std::vector<StringUse> string_uses_;
  std::vector<std::pair<const syntax::Call*, uint32_t>> calls_;  // of the program's own functions
  std::map<std::tuple<uint32_t, Kind, std::string>, size_t> ordinals_;
  std::unordered_map<syntax::Symbol, std::vector<uint32_t>> by_name_;
};

// The last word of a dotted name: `grid` of `T.grid`.
std::string_view last_word(const syntax::Expr* expr);

}  // namespace mlc::lsp
