// SPDX-License-Identifier: Apache-2.0
// Constructs of a function that are written otherwise today.
#include "frontend/fix/rewriter.h"
#include "frontend/syntax/walk.h"
#include "ir/classic_names.h"

namespace mlc::fix {

using namespace syntax;  // NOLINT: the subject of this file
using ir::Span;

namespace {

constexpr std::string_view kT = "tvm.script.tirx.";

// What a path is called under T today, or "".
std::string name_in_t(const Imports& imports, const Expr* expr, const Binding** root = nullptr) {
  std::string path = ir::current_path(imports.path_of(expr, root));
  return path.starts_with(kT) ? path.substr(kT.size()) : "";
}

// What decides the dialect of a function.
class Survey final : public Visitor {
 public:
  explicit Survey(const Imports& imports) : imports_(imports) {}
  bool enter(const Expr& e) override {
    auto* attribute = as<Attribute>(&e);
    if (attribute == nullptr) return true;
    const Binding* root = nullptr;
    std::string name = name_in_t(imports_, &e, &root);
    if (name.empty()) return true;
    older = older || root->path != root->current || attribute->attr.str() == "block";
    blocks = blocks || name == "sblock";
    return false;
  }
  bool older = false;
  bool blocks = false;

 private:
  const Imports& imports_;
};

// Loads of one name.
class Uses final : public Visitor {
 public:
  explicit Uses(Symbol name) : name_(name) {}
  bool enter(const Expr& e) override {
    auto* name = as<Name>(&e);
    if (name != nullptr && name->id == name_ && name->ctx == Context::kLoad) found.push_back(name);
    return true;
  }
  std::vector<const Name*> found;

 private:
  Symbol name_;
};

class FormFixer final : public Visitor {
 public:
  FormFixer(const Imports& imports, Rewriter& rewriter) : imports_(imports), rewriter_(rewriter) {}

  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) begin_function(*def);
    if (auto* with = as<With>(&stmt)) scope(*with);
    if (auto* assign = as<Assign>(&stmt)) {
      allocation(*assign);
      view(*assign);
    }
    if (auto* expression = as<ExprStmt>(&stmt)) returned(*expression);
    return true;
  }
  bool enter(const Expr& e) override {
    auto* call = as<Call>(&e);
    if (call != nullptr && blocks_ && name_in_t(imports_, call->func) == "alloc_buffer")
      rename(call->func, "sblock_alloc_buffer");
    return true;
  }
  void leave(const Stmt& stmt) override {
    if (&stmt == function_) {
      function_ = nullptr;
      blocks_ = false;
    }
  }

 private:
  void begin_function(const FunctionDef& def) {
    for (const Expr* decorator : def.decorators) {
      auto* call = as<Call>(decorator);
      if (name_in_t(imports_, call != nullptr ? call->func : decorator) != "prim_func") continue;
      function_ = &def;
      Survey survey(imports_);
      walk(def.body, survey);
      blocks_ = survey.blocks && survey.older;
      if (blocks_) mark_schedulable(*decorator);
    }
  }

  // A function with blocks says that it is one.
  void mark_schedulable(const Expr& decorator) {
    uint32_t end = decorator.span.end;
    auto* call = as<Call>(&decorator);
    if (call == nullptr) return insert(end, "(s_tir=True)");
    for (const Keyword* keyword : call->keywords) {
      if (keyword->name.str() == "s_tir") return;
    }
    uint32_t close = end - 1;
    uint32_t last = close;
    while (rewriter_.at(last - 1) == ' ' || rewriter_.at(last - 1) == '\n') --last;
    bool empty = call->args.empty() && call->keywords.empty();
    insert(last, empty || rewriter_.at(last - 1) == ',' ? "s_tir=True" : ", s_tir=True");
  }

  // T.evaluate(T.ret(x)), T.ret(x)
  void returned(const ExprStmt& stmt) {
    auto* call = as<Call>(stmt.value);
    if (call == nullptr || call->args.size() != 1) return;
    std::string name = name_in_t(imports_, call->func);
    const Call* ret = call;
    if (name == "evaluate") ret = as<Call>(call->args[0]);
    if (ret == nullptr || name_in_t(imports_, ret->func) != "ret" || ret->args.size() != 1) return;
    Span value = ret->args[0]->span;
    Span before{value.file, stmt.span.begin, value.begin};
    Span after{value.file, value.end, call->span.end};
    bool parenthesized = rewriter_.text(before).ends_with("((");
    if (has_comment(before) || has_comment(after) || parenthesized)
      return rewriter_.leave(stmt.span, "write `return` and the value");
    rewriter_.replace(before, "return ");
    rewriter_.replace(after, "");
    rewriter_.claim(call->func->span);
    rewriter_.claim(ret->func->span);
  }

  // `with T.LetStmt(value, var=x):` and its kin are statements of their own today.
  void scope(const With& with) {
    if (function_ == nullptr) return;
    const WithItem* item = with.items[0];
    auto* call = as<Call>(item->context_expr);
    std::string name = call != nullptr ? name_in_t(imports_, call->func) : "";
    bool let = name == "bind" || name == "let";
    if (!let && name != "allocate" && name != "decl_buffer") return;
    auto* target = as<Name>(item->optional_vars);
    Span head{with.span.file, with.span.begin, call->span.begin};
    uint32_t colon = item->optional_vars != nullptr ? item->optional_vars->span.end : call->span.end;
    while (rewriter_.at(colon) == ' ') ++colon;
    uint32_t indent = column(with.span.begin);
    uint32_t inner = column(with.body[0]->span.begin);
    bool swapped = name == "let" && call->args.size() == 2 && as<Name>(call->args[0]) != nullptr;
    const char* refused = nullptr;
    if (with.items.size() > 1) refused = "one `with` opens several scopes";
    if (rewriter_.at(colon) != ':' || rewriter_.text(head).find('(') != std::string_view::npos ||
        inner <= indent)
      refused = "the scope is laid out in a way that cannot be taken apart";
    if (name == "allocate" && (target == nullptr || call->args.size() > 3))
      refused = "conditional allocations were removed";
    if (name == "decl_buffer" && target == nullptr) refused = "it binds no name";
    if (name == "let" && !swapped) refused = "write `x = T.bind(value)`";
    if (refused != nullptr) return rewriter_.leave(call->span, refused);
    rewriter_.replace(head, target != nullptr ? std::string(target->id.str()) + " = " : "");
    if (let) rename(call->func, "bind");
    if (swapped) {
      std::string variable(rewriter_.text(call->args[0]->span));
      rewriter_.replace({head.file, call->args[0]->span.begin, call->args[1]->span.begin}, "");
      insert(call->args[1]->span.end, ", var=" + variable);
    }
    if (name == "allocate") allocate(*call, *target);
    rewriter_.replace({head.file, call->span.end, colon + 1}, "");
    rewriter_.dedent(with.body, inner - indent);
  }

  // A = T.allocate([128], "float32", "global")
  void allocation(const Assign& assign) {
    auto* call = as<Call>(assign.value);
    if (function_ == nullptr || call == nullptr || name_in_t(imports_, call->func) != "allocate") return;
    auto* target = assign.targets.size() == 1 ? as<Name>(assign.targets[0]) : nullptr;
    if (target == nullptr || call->args.size() > 3)
      return rewriter_.leave(assign.value->span, "conditional allocations were removed");
    allocate(*call, *target);
  }

  // B = T.Buffer((8,), "int32", data=A), T.buffer_decl: what names memory is declared today.
  void view(const Assign& assign) {
    auto* call = as<Call>(assign.value);
    if (function_ == nullptr || call == nullptr) return;
    std::string name = name_in_t(imports_, call->func);
    if (name != "Buffer" && name != "buffer_decl") return;
    for (const Keyword* keyword : call->keywords) {
      if (keyword->name.str() == "data") return rename(call->func, "decl_buffer");
    }
    if (name == "buffer_decl") rename(call->func, "Buffer");
  }

  // What was the pointer is the buffer now; the pointer is its `.data`.
  void allocate(const Call& call, const Name& target) {
    rename(call.func, "alloc_buffer");
    if (call.args.size() == 3) insert(call.args[2]->span.begin, "scope=");
    Uses uses(target.id);
    walk(function_->body, uses);
    for (const Name* use : uses.found) insert(use->span.end, ".data");
  }

  void rename(const Expr* path, std::string_view name) {
    const Binding* root = nullptr;
    imports_.path_of(path, &root);
    rewriter_.replace(path->span, *imports_.spell(std::string(kT) + std::string(name), *root));
    rewriter_.claim(path->span);
  }
  void insert(uint32_t at, std::string text) {
    rewriter_.replace({function_->span.file, at, at}, std::move(text));
  }
  bool has_comment(Span span) const { return rewriter_.text(span).find('#') != std::string_view::npos; }
  // 0 for what does not begin its line, and for lines indented with tabs.
  uint32_t column(uint32_t offset) const {
    uint32_t at = offset;
    while (at > 0 && rewriter_.at(at - 1) == ' ') --at;
    return at == 0 || rewriter_.at(at - 1) == '\n' ? offset - at : 0;
  }

  const Imports& imports_;
  Rewriter& rewriter_;
  const FunctionDef* function_ = nullptr;
  bool blocks_ = false;  // of the older dialect, in which T.alloc_buffer means T.sblock_alloc_buffer
};

}  // namespace

void fix_forms(const Module& module, const Imports& imports, Rewriter& rewriter) {
  FormFixer forms(imports, rewriter);
  walk(module.body, forms);
}

}  // namespace mlc::fix
