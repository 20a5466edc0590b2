// SPDX-License-Identifier: Apache-2.0
#include "ir/tir/verify.h"

#include <algorithm>
#include <cctype>

#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/tir/calling_convention.h"
#include "ir/tir/op.h"
#include "ir/tir/verify_scopes.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "block-after-lowering",
         .message = "block `{}` is left after blocks were lowered",
         .meaning = "A pass that works on plain loops was given a function that has blocks. Lower blocks "
                    "first: ConvertBlocksToOpaque, LowerOpaqueBlock."},
        {.name = "buffer-not-flat",
         .message = "buffer `{}` has {} dimensions after flattening",
         .meaning =
             "Generated code addresses memory by one index. FlattenBuffer brings buffers to one dimension."},
        {.name = "loop-variable-in-block",
         .message = "loop variable `{}` is used inside block `{}`, which sees only its own iterators",
         .meaning = "A block with iterators is a unit that schedules move: its body sees its own iterators, "
                    "not the loops around it.",
         .wrong = R"(for i in range(16):
    with T.sblock("b"):
        vi = T.axis.spatial(16, i)
        A[i] = 1.0)",
         .right = R"(for i in range(16):
    with T.sblock("b"):
        vi = T.axis.spatial(16, i)
        A[vi] = 1.0)"},
        {.name = "not-a-buffer", .message = "`{}` is indexed but is no buffer"},
        {.name = "redefined-variable", .message = "`{}` is defined again inside its own scope"},
        {.name = "te-in-function",
         .message = "a te reduction stands in a function: only create_prim_func removes it",
         .meaning = "A reduction of te is turned into a block by create_prim_func; functions hold loops."},
        {.name = "wrong-number-of-bindings",
         .message = "block `{}` has {} iterators but {} bindings",
         .meaning = "Each iterator of a block has one binding."},
    }};
MLC_REFUSALS(tir_verify, refusals);

namespace {

// Collects every violation of one function. Scopes: a definition is visible from its statement to the end
// of the enclosing sequence, loop, or block; leaving a scope forgets what it defined.
class Verifier final : public Walker {
 public:
  // Errors go to `found`, warnings to `warnings`.
  Verifier(Stage stage, std::vector<Diagnostic>& found, std::vector<Diagnostic>& warnings)
      : stage_(stage), found_(found), warnings_(warnings) {}

  void run(const PrimFunc& fn) {
    is_kernel_ = calling_convention(fn) == kKernelLaunch;
    for (const Var& param : fn->params) define(param, fn->span);
    for (const Var& param : fn->params) {
      if (const BufferTypeNode* type = param->buffer()) define_shape_vars(*type);
    }
    visit(fn->body);
  }

  void visit(const Expr& e) override {
    // A variable carries the span of its definition: a bad use is reported at the expression around it.
    Around around(*this, e->kind == ExprKind::kVar ? Span{} : e->span);
    dispatch(e, overloaded{
                    [&](const VarNode* var) { use(var); },
                    [&](const TensorLoadNode* load) { access(load->source, load->indices, e->span); },
                    [&](const LetNode* let) {
                      visit(let->value);
                      Scope scope(*this);
                      define(let->var, e->span);
                      visit(let->body);
                    },
                    [&](const BinaryNode* op) {
                      if (!(op->a->dtype() == op->b->dtype()) && !is_shift(op->kind)) {
                        report("type-mismatch", e->span, "the operands have types `{}` and `{}`",
                               op->a->dtype().str(), op->b->dtype().str());
                      }
                      walk_children(e);
                    },
                    [&](const ReduceNode*) { report(refusals["te-in-function"], e->span); },
                    [&](const CallNode*) {
                      // The threads that exchange are named by their loops: a block's iterators cannot.
                      bool threads = as_call_to(e, "tirx.tvm_thread_allreduce") != nullptr;
                      bool before = std::exchange(names_threads_, names_threads_ || threads);
                      walk_children(e);
                      names_threads_ = before;
                    },
                    [&](const ExprNode*) { walk_children(e); },
                });
  }

  void visit(const Stmt& s) override {
    Around around(*this, s->span);
    dispatch(s, overloaded{
                    [&](const BindNode* bind) {
                      visit(bind->value);
                      define(bind->var, s->span);
                    },
                    [&](const AllocBufferNode* alloc) { define_buffer(alloc->buffer, s->span); },
                    [&](const DeclBufferNode* decl) {
                      if (decl->data) visit(decl->data);
                      define_buffer(decl->buffer, s->span);
                      check_flat(decl->buffer, s->span);
                    },
                    [&](const BufferStoreNode* store) {
                      access(store->buffer, store->indices, s->span);
                      visit(store->value);
                      check_store(*store);
                    },
                    [&](const SeqStmtNode* sequence) {
                      Scope scope(*this);
                      for (const Stmt& one : sequence->seq) visit(one);
                    },
                    [&](const ForNode* loop) { visit_loop(*loop); },
                    [&](const SBlockRealizeNode* realize) { visit_realize(*realize); },
                    [&](const SBlockNode* block) { visit_block(*block, s->span); },
                    [&](const AttrStmtNode* attribute) {
                      // Their information on an allocation holds in it alone.
                      bool of_fragment =
                          attribute->attr_key == "fragment_shape" || attribute->attr_key == "fragment_layout";
                      std::optional<Scope> scope;
                      if (!of_fragment) scope.emplace(*this);
                      if (auto thread = attribute->node.as<IterVar>()) define((*thread)->var, s->span, true);
                      visit(attribute->value);
                      bool begins = !on_device_ && attribute->attr_key == "tirx.device_entry";
                      if (begins) verify_scope_ids(attribute->body, found_);
                      on_device_ = on_device_ || begins;
                      visit(attribute->body);
                      if (begins) on_device_ = false;
                    },
                    [&](const ScopeIdDefStmtNode* ids) {
                      for (const Expr& extent : ids->def->extents) visit(extent);
                      for (const Expr& extent : ids->def->preferred_extents) visit(extent);
                      for (const Var& id : ids->def->def_ids) define(id, s->span);
                    },
                    [&](const StmtNode*) {
                      Scope scope(*this);
                      walk_children(s);
                    },
                });
  }

  void visit_buffer(const Buffer& buffer) override { use(buffer.get()); }
  void visit_def(const Var& var) override { define(var, var->span); }  // of a lambda

 private:
  struct Scope {
    Verifier& self;
    size_t mark;
    explicit Scope(Verifier& self) : self(self), mark(self.order_.size()) {}
    ~Scope() {
      for (; self.order_.size() > mark; self.order_.pop_back()) self.defined_.erase(self.order_.back());
    }
  };
  struct Around {
    Verifier& self;
    Span outer;
    Around(Verifier& self, Span span) : self(self), outer(self.around_) {
      if (span) self.around_ = span;
    }
    ~Around() { self.around_ = outer; }
  };
  struct Definition {
    size_t block_level;  // number of blocks with iterators around the definition
    bool loop = false;
    Span span;
  };

  static bool is_shift(ExprKind kind) { return kind == ExprKind::kLShift || kind == ExprKind::kRShift; }

  template <class... Args>
  Diagnostic& report(std::string_view name, Span span, fmt::format_string<Args...> format, Args&&... args) {
    return report_to(found_, name, span, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  Diagnostic& report(std::type_identity_t<CheckedRow<const Args&...>> checked, Span span,
                     const Args&... args) {
    const Refusal& rule = *checked.row.refusal;
    return report_to(found_, rule.name, span, fmt::vformat(rule.message, fmt::make_format_args(args...)));
  }
  Diagnostic& report_to(std::vector<Diagnostic>& all, std::string_view name, Span span, std::string message) {
    constexpr size_t kMost = 20;  // a broken pass repeats one mistake at every node
    Diagnostic& diagnostic = all.size() < kMost ? all.emplace_back() : too_many_;
    diagnostic = {};
    diagnostic.name = name;
    diagnostic.message = std::move(message);
    diagnostic.span = span;
    return diagnostic;
  }

  void define(const Var& var, Span span, bool reusable = false, bool loop = false) {
    auto [at, fresh] = defined_.try_emplace(var.get(), Definition{blocks_.size(), loop, span});
    if (fresh) {
      order_.push_back(var.get());
    } else if (!reusable) {
      report(refusals["redefined-variable"], span, var->name.c_str())
          .notes.push_back({"first defined here", at->second.span});
    }
  }

  // Unless it is defined already, or no variable.
  void introduce(const VarNode* var, Definition definition) {
    if (var && defined_.try_emplace(var, definition).second) order_.push_back(var);
  }

  // A buffer of the body: its shape uses variables, while a parameter's shape defines them.
  void define_buffer(const Buffer& buffer, Span span) {
    if (const BufferTypeNode* type = buffer->buffer()) {
      // A kernel is given what it computes with: the length of a flat buffer can be of numbers that the host
      // alone has.
      if (is_kernel_ && type->shape.size() == 1)
        post_order(type->shape[0], [&](const Expr& e) { introduce(as<VarNode>(e), {0, false, {}}); });
      for (const Expr& dim : type->shape) visit(dim);
      for (const Expr& stride : type->strides) visit(stride);
    }
    define(buffer, span);
  }

  void define_shape_vars(const BufferTypeNode& type) {
    auto bind = [&](const Expr& e) {
      post_order(e, [&](const Expr& sub) { introduce(as<VarNode>(sub), {0, false, {}}); });
    };
    for (const Expr& dim : type.shape) bind(dim);
    for (const Expr& stride : type.strides) bind(stride);
    if (type.elem_offset) bind(type.elem_offset);
  }

  // Where the innermost expression or statement around writes the name: its first occurrence as a whole word.
  Span use_of(const VarNode* var) const {
    std::string_view name(var->name.data(), var->name.size());
    std::string_view text = SourceMap::current().text(around_);
    auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = text.find(name); !name.empty() && at != text.npos; at = text.find(name, at + 1)) {
      size_t end = at + name.size();
      bool begins = at == 0 || (!is_part(text[at - 1]) && text[at - 1] != '.' && text[at - 1] != '"');
      if (!begins || (end < text.size() && is_part(text[end]))) continue;
      auto begin = around_.begin + static_cast<uint32_t>(at);
      return {around_.file, begin, begin + static_cast<uint32_t>(name.size())};
    }
    return around_;
  }

  void use(const VarNode* var) {
    auto found = defined_.find(var);
    if (found == defined_.end()) {
      Diagnostic& diagnostic =
          report("undefined-variable", use_of(var), "`{}` is used but not defined here", var->name.c_str());
      if (regions_of_ != nullptr && binds(*regions_of_, var)) {
        diagnostic.notes.push_back({fmt::format("block `{}` makes it in its body, and its regions mention it",
                                                regions_of_->name_hint.c_str()),
                                    var->span});
        diagnostic.help = fmt::format("write `{} = T.meta_var(...)`: the value stands where the name is",
                                      var->name.c_str());
        return;
      }
      if (var->span) diagnostic.notes.push_back({"the variable is made here, without a value", var->span});
      return;
    }
    const Definition& definition = found->second;
    if (!definition.loop || names_threads_ || definition.block_level >= blocks_.size()) return;
    Diagnostic& diagnostic = report(refusals["loop-variable-in-block"], use_of(var), var->name.c_str(),
                                    blocks_.back()->name_hint.c_str());
    if (var->span) diagnostic.notes.push_back({"the loop is here", var->span});
    auto bound = bound_to_.find(var);
    diagnostic.help = bound == bound_to_.end()
                          ? fmt::format("bind it: `v{0} = T.axis.spatial(extent, {0})`", var->name.c_str())
                          : fmt::format("use `{}`, which is bound to it", bound->second->name.c_str());
  }

  static bool binds(const SBlockNode& block, const VarNode* var) {
    return any_below(block.body, [&](const Stmt& s) {
      auto* bind = as<BindNode>(s);
      auto* alloc = as<AllocBufferNode>(s);
      return bind != nullptr ? bind->var.get() == var : alloc != nullptr && alloc->buffer.get() == var;
    });
  }

  void access(const Buffer& buffer, const Array<Expr>& indices, Span span) {
    use(buffer.get());
    const BufferTypeNode* type = buffer->buffer();
    if (!type) {
      report(refusals["not-a-buffer"], span, buffer->name.c_str());
      return;
    }
    if (indices.size() != type->shape.size()) {
      report("wrong-number-of-indices", span, "buffer `{}` has {} dimensions but is indexed with {}",
             buffer->name.c_str(), type->shape.size(), indices.size());
    }
    for (size_t i = 0; i < indices.size(); ++i) {
      visit(indices[i]);
      if (!indices[i]->dtype().is_integral()) {
        report("index-not-integer", indices[i]->span, "an index of buffer `{}` has type `{}`",
               buffer->name.c_str(), indices[i]->dtype().str());
      }
      if (i >= type->shape.size()) continue;
      auto* index = as<IntImmNode>(indices[i]);
      auto extent = const_int(type->shape[i]);
      if (index && extent && (index->value < 0 || index->value >= *extent)) {
        Diagnostic& found =
            report_to(warnings_, "index-out-of-range", index->span ? index->span : span,
                      fmt::format("index {} is outside dimension {} of `{}`, which has extent {}",
                                  index->value, i, buffer->name.c_str(), *extent));
        found.severity = Diagnostic::Severity::kWarning;
        found.notes.push_back({"the buffer is declared here", buffer->span});
      }
    }
    check_flat(buffer, span);
  }

  void check_flat(const Buffer& buffer, Span span) {
    const BufferTypeNode* type = buffer->buffer();
    if (stage_ >= Stage::kFlat && type && type->shape.size() != 1) {
      report(refusals["buffer-not-flat"], span, buffer->name.c_str(), type->shape.size());
    }
  }

  void check_store(const BufferStoreNode& store) {
    const BufferTypeNode* type = store.buffer->buffer();
    if (!type || store.indices.empty()) return;
    DataType element = type->dtype;
    DataType value = store.value->dtype();
    int lanes = store.indices[store.indices.size() - 1]->dtype().lanes();
    DataType expected = lanes == 1 ? element : element.with_lanes(lanes * std::max(1, element.lanes()));
    if (!(value == expected)) {
      report("type-mismatch", store.span, "a value of type `{}` is stored into buffer `{}` of type `{}`",
             value.str(), store.buffer->name.c_str(), expected.str());
    }
  }

  void visit_loop(const ForNode& loop) {
    visit(loop.min);
    visit(loop.extent);
    if (loop.step) visit(loop.step);
    if (!(loop.loop_var->dtype() == loop.min->dtype()) || !(loop.loop_var->dtype() == loop.extent->dtype())) {
      report("type-mismatch", loop.span, "loop variable `{}` is `{}` but its bounds are `{}` and `{}`",
             loop.loop_var->name.c_str(), loop.loop_var->dtype().str(), loop.min->dtype().str(),
             loop.extent->dtype().str());
    }
    Scope scope(*this);
    define(loop.loop_var, loop.span, false, true);
    // The variable of a thread binding is another name of the loop variable.
    if (loop.thread_binding) introduce(loop.thread_binding->var.get(), {blocks_.size(), true, loop.span});
    visit(loop.body);
  }

  void visit_realize(const SBlockRealizeNode& realize) {
    const SBlock& block = realize.block;
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      visit(realize.iter_values[i]);
      auto* loop = as<VarNode>(realize.iter_values[i]);
      if (loop && i < block->iter_vars.size()) bound_to_[loop] = block->iter_vars[i]->var.get();
    }
    visit(realize.predicate);
    if (realize.iter_values.size() != block->iter_vars.size()) {
      report(refusals["wrong-number-of-bindings"], realize.span, block->name_hint.c_str(),
             block->iter_vars.size(), realize.iter_values.size());
    }
    visit_block(*block, realize.span);
  }

  void visit_block(const SBlockNode& block, Span span) {
    if (stage_ >= Stage::kLowered) {
      report(refusals["block-after-lowering"], span, block.name_hint.c_str());
    }
    Scope scope(*this);
    bool opaque = block.iter_vars.empty();  // sees the loops around it
    if (!opaque) blocks_.push_back(&block);
    for (const IterVar& iter : block.iter_vars) define(iter->var, block.span);
    for (const Buffer& buffer : block.alloc_buffers) define_buffer(buffer, block.span);
    for (const MatchBufferRegion& match : block.match_buffers) {
      visit(Expr(match->source));
      const BufferTypeNode* type = match->buffer->buffer();
      define_match(match->buffer, *type);
    }
    if (block.init) visit(block.init);
    size_t errors = found_.size();
    visit(block.body);
    if (found_.size() == errors) {  // regions that were found repeat the mistakes of the body
      const SBlockNode* around = std::exchange(regions_of_, &block);
      for (const TensorRegion& region : block.reads) visit(Expr(region));
      for (const TensorRegion& region : block.writes) visit(Expr(region));
      regions_of_ = around;
    }
    if (!opaque) blocks_.pop_back();
  }

  // The shape, strides and offset of a matched buffer may introduce variables: the region determines their
  // values.
  void define_match(const Buffer& buffer, const BufferTypeNode& type) {
    auto bind = [&](const Expr& e) { introduce(as<VarNode>(e), {blocks_.size(), false, {}}); };
    for (const Expr& extent : type.shape) bind(extent);
    for (const Expr& stride : type.strides) bind(stride);
    if (type.elem_offset) bind(type.elem_offset);
    define_buffer(buffer, {});
  }

  Stage stage_;
  bool on_device_ = false;  // below T.device_entry
  bool is_kernel_ = false;  // launched by a host
  std::vector<Diagnostic>& found_;
  std::vector<Diagnostic>& warnings_;
  Diagnostic too_many_;  // where those beyond the limit go
  std::unordered_map<const VarNode*, Definition> defined_;
  std::vector<const VarNode*> order_;  // definitions in force, in order
  std::vector<const SBlockNode*> blocks_;
  bool names_threads_ = false;              // below the call of an exchange
  const SBlockNode* regions_of_ = nullptr;  // whose stated regions are looked at
  std::unordered_map<const VarNode*, const VarNode*>
      bound_to_;  // loop variable -> iterator of the last block
  Span around_;
};

void fail_if_any(std::vector<Diagnostic> found, Span fallback) {
  if (found.empty()) return;
  for (Diagnostic& diagnostic : found) {
    if (!diagnostic.span) diagnostic.span = fallback;
  }
  throw Error(std::move(found));
}

}  // namespace

std::vector<Diagnostic> verify(const PrimFunc& fn, Stage stage) {
  std::vector<Diagnostic> found;
  std::vector<Diagnostic> warnings;
  Verifier(stage, found, warnings).run(fn);
  fail_if_any(std::move(found), fn->span);
  return warnings;
}

void verify(const IRModule& mod, Stage stage) {
  std::vector<Diagnostic> found;
  std::vector<Diagnostic> warnings;
  Span fallback;
  for (const auto& [name, fn] : mod->functions) {
    auto prim = fn.as<PrimFuncNode>();
    if (!prim) continue;
    if (!fallback) fallback = fn->span;
    Verifier(stage, found, warnings).run(ref(prim));
  }
  fail_if_any(std::move(found), fallback);
}

}  // namespace mlc::ir
