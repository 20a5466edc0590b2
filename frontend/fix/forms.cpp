// SPDX-License-Identifier: Apache-2.0
// Constructs of a function that are written otherwise today.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "frontend/fix/rewriter.h"
#include "frontend/syntax/walk.h"
#include "ir/registry/classic_names.h"

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
struct Survey {
  Survey(Seq<Stmt> body, const Imports& imports) {
    each_expr(body, [&](const Expr& e) {
      auto* attribute = as<Attribute>(&e);
      if (attribute == nullptr) return true;
      const Binding* root = nullptr;
      std::string name = name_in_t(imports, &e, &root);
      if (name.empty()) return true;
      older = older || root->path != root->current || attribute->attr.str() == "block";
      blocks = blocks || name == "sblock";
      return false;
    });
  }
  bool older = false;
  bool blocks = false;
};

bool is_scalar_type(std::string_view name) {
  size_t letters = name.find_first_of("0123456789");
  std::string_view kind = name.substr(0, letters);
  return name == "bool" || (letters != std::string_view::npos &&
                            (kind == "int" || kind == "uint" || kind == "float" || kind == "bfloat"));
}

// The names of a function that are buffers, and how often each name is assigned.
struct Locals final : Visitor {
  Locals(const FunctionDef& def, const Imports& imports) : imports_(imports) {
    walk(static_cast<const Stmt*>(&def), *this);
  }

  bool enter(const Stmt& stmt) override {
    auto* assign = as<Assign>(&stmt);
    auto* call = assign != nullptr ? as<Call>(assign->value) : nullptr;
    auto* target = call != nullptr ? as<Name>(assign->targets[0]) : nullptr;
    if (target != nullptr && makes_buffer(call->func)) buffers.insert(target->id);
    return true;
  }
  bool enter(const Expr& e) override {
    auto* name = as<Name>(&e);
    if (name != nullptr && name->ctx == Context::kStore) ++assigned[name->id];
    return true;
  }
  void parameter(const Arg& arg) override {
    auto* call = as<Call>(arg.annotation);
    auto* subscript = as<Subscript>(arg.annotation);
    const Expr* type = call != nullptr ? call->func : subscript != nullptr ? subscript->value : nullptr;
    if (type != nullptr && makes_buffer(type)) buffers.insert(arg.name);
  }
  // An expression of TVMScript that reads a buffer of the function.
  bool is_load(const Expr& value) const {
    auto* call = as<Call>(&value);
    if (call != nullptr && (name_in_t(imports_, call->func).empty() || makes_buffer(call->func) ||
                            name_in_t(imports_, call->func) == "meta_var"))
      return false;
    if (call == nullptr && as<BinOp>(&value) == nullptr && as<Subscript>(&value) == nullptr) return false;
    bool loads = false, slices = false;
    each_expr(&value, [&](const Expr& e) {
      auto* subscript = as<Subscript>(&e);
      auto* name = subscript != nullptr ? as<Name>(subscript->value) : nullptr;
      loads = loads || (name != nullptr && buffers.count(name->id) != 0);
      slices = slices || as<Slice>(&e) != nullptr;
      return true;
    });
    return loads && !slices;
  }

  std::set<Symbol> buffers;
  std::map<Symbol, int> assigned;

 private:
  bool makes_buffer(const Expr* func) const {
    std::string name = name_in_t(imports_, func);
    return name == "Buffer" || name == "match_buffer" || name == "alloc_buffer" || name == "decl_buffer" ||
           name == "sblock_alloc_buffer" || name == "buffer_decl";
  }
  const Imports& imports_;
};

class FormFixer final : public Visitor {
 public:
  FormFixer(const Imports& imports, Rewriter& rewriter, bool any_blocks)
      : imports_(imports), rewriter_(rewriter), any_blocks_(any_blocks) {}

  bool enter(const Stmt& stmt) override {
    if (auto* def = as<FunctionDef>(&stmt)) begin_function(*def);
    if (auto* loop = as<For>(&stmt)) loops_.push_back(loop);
    if (auto* with = as<With>(&stmt)) {
      scope(*with);
      block(*with);
    }
    if (auto* assign = as<Assign>(&stmt)) {
      allocation(*assign);
      view(*assign);
      value_of_name(*assign);
    }
    if (auto* annotated = as<AnnAssign>(&stmt)) pointer(*annotated);
    if (auto* expression = as<ExprStmt>(&stmt)) returned(*expression);
    return true;
  }
  bool enter(const Expr& e) override {
    auto* call = as<Call>(&e);
    std::string name = call != nullptr ? name_in_t(imports_, call->func) : "";
    // Functions of the program that a function with blocks calls allocate as it does.
    if (name == "alloc_buffer" && (function_ != nullptr ? blocks_ : any_blocks_))
      rename(call->func, "sblock_alloc_buffer");
    if (name == "func_attr" && call->args.size() == 1) attributes(*call->args[0]);
    return true;
  }
  void leave(const Stmt& stmt) override {
    if (!loops_.empty() && &stmt == loops_.back()) loops_.pop_back();
    if (&stmt == function_) {
      function_ = nullptr;
      blocks_ = false;
      locals_.reset();
    }
  }

 private:
  void begin_function(const FunctionDef& def) {
    for (const Expr* decorator : def.decorators) {
      auto* call = as<Call>(decorator);
      if (name_in_t(imports_, call != nullptr ? call->func : decorator) != "prim_func") continue;
      function_ = &def;
      Survey survey(def.body, imports_);
      blocks_ = survey.blocks && survey.older;
      if (survey.blocks) mark_schedulable(*decorator);
      if (blocks_) locals_.emplace(def, imports_);
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

  // {"tir.noalias": T.bool(True)}: what passes read is a bool.
  void attributes(const Expr& given) {
    auto* dict = as<Dict>(&given);
    if (dict == nullptr) return;
    for (size_t i = 0; i < dict->keys.size(); ++i) {
      auto* key = as<Constant>(dict->keys[i]);
      auto* value = as<Call>(dict->values[i]);
      if (key == nullptr || value == nullptr || value->args.size() != 1) continue;
      auto* constant = as<Constant>(value->args[0]);
      bool of_passes = key->text.starts_with("tir.") || key->text.starts_with("tirx.");
      if (!of_passes || constant == nullptr || constant->type != Constant::Type::kBool ||
          name_in_t(imports_, value->func) != "bool")
        continue;
      rewriter_.replace(value->span, text(*value->args[0]));
      rewriter_.claim(value->func->span);
    }
  }

  // p: T.handle("int64") = ..., x: T.int32 = ...: a pointer is bound for good, which is written `T.let`
  // today, and has the type of its value.
  void pointer(const AnnAssign& assign) {
    if (function_ == nullptr || assign.value == nullptr) return;
    auto* call = as<Call>(assign.annotation);
    const Expr* type = call != nullptr ? call->func : assign.annotation;
    const Binding* root = nullptr;
    std::string name = name_in_t(imports_, type, &root);
    // Scalars of functions with blocks were values, too; today `x: T.int32 = ...` is memory.
    if (name != "handle" && !(locals_ && call == nullptr && is_scalar_type(name))) return;
    rewriter_.replace(assign.annotation->span, *imports_.spell(std::string(kT) + "let", *root));
    rewriter_.claim(type->span);
  }

  // x = A[vi] * 2 in a function with blocks: a value, which is written `x: T.let = ...` today.
  void value_of_name(const Assign& assign) {
    auto* target = assign.targets.size() == 1 ? as<Name>(assign.targets[0]) : nullptr;
    if (!locals_ || target == nullptr || locals_->assigned.at(target->id) > 1) return;
    if (!locals_->is_load(*assign.value)) return;
    if (const Binding* root = dialect()) {
      insert(target->span.end, ": " + *imports_.spell(std::string(kT) + "let", *root));
    }
  }
  // What the decorator of the function begins with.
  const Binding* dialect() const {
    const Binding* root = nullptr;
    for (const Expr* decorator : function_->decorators) {
      auto* call = as<Call>(decorator);
      if (name_in_t(imports_, call != nullptr ? call->func : decorator, &root) == "prim_func") return root;
    }
    return nullptr;
  }

  // T.evaluate(T.ret(x)), T.ret(x)
  void returned(const ExprStmt& stmt) {
    auto* call = as<Call>(stmt.value);
    if (call == nullptr || call->args.size() != 1) return;
    std::string name = name_in_t(imports_, call->func);
    const Call* ret = call;
    if (name == "evaluate") ret = as<Call>(call->args[0]);
    if (function_ == nullptr || ret == nullptr || name_in_t(imports_, ret->func) != "ret" ||
        ret->args.size() != 1)
      return;
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

  // `with T.block([8, T.reduce_axis(0, 4)], "C") as [vi, vk]:`, the blocks of 2021: axes are statements now,
  // with the values that `T.bind` gave them, or the loops around.
  void block(const With& with) {
    if (function_ == nullptr) return;
    const WithItem* item = with.items[0];
    auto* call = as<Call>(item->context_expr);
    if (call == nullptr || name_in_t(imports_, call->func) != "sblock" || call->args.empty()) return;
    const Seq<Expr>* domains = elements(call->args[0]);
    if (domains == nullptr) return;
    std::vector<const Name*> axes;
    if (item->optional_vars != nullptr && elements(item->optional_vars) == nullptr)
      axes.push_back(as<Name>(item->optional_vars));
    if (const Seq<Expr>* names = item->optional_vars != nullptr ? elements(item->optional_vars) : nullptr) {
      for (const Expr* name : *names) axes.push_back(as<Name>(name));
    }
    const Binding* root = nullptr;
    imports_.path_of(call->func, &root);
    std::string prefix = *imports_.spell(std::string(kT) + "axis", *root) + ".";
    std::vector<std::string> kinds;
    for (const Expr* domain : *domains) kinds.push_back(axis(*domain, prefix));
    bool plain = axes.size() == domains->size() && call->args.size() <= 2 && call->keywords.empty() &&
                 std::count(axes.begin(), axes.end(), nullptr) == 0 &&
                 std::count(kinds.begin(), kinds.end(), "") == 0;
    uint32_t colon = item->optional_vars != nullptr ? item->optional_vars->span.end : call->span.end;
    while (rewriter_.at(colon) == ' ') ++colon;
    std::vector<const Expr*> values = bound_values(with.body, axes);
    bool bound = std::count(values.begin(), values.end(), nullptr) == 0;
    std::vector<const Name*> around;
    for (const For* loop : loops_) {
      if (const Seq<Expr>* names = elements(loop->target)) {
        for (const Expr* name : *names) around.push_back(as<Name>(name));
      } else {
        around.push_back(as<Name>(loop->target));
      }
    }
    bool unbound = std::count(values.begin(), values.end(), nullptr) == static_cast<long>(values.size());
    if (!plain || rewriter_.at(colon) != ':' || !(bound || (unbound && around.size() == axes.size())))
      return rewriter_.leave(call->span,
                             "write `with T.sblock(name):` and `vi = T.axis.spatial(extent, i)` in it");
    uint32_t file = with.span.file;
    std::string name = call->args.size() > 1 ? std::string(rewriter_.text(call->args[1]->span)) : "\"\"";
    rewriter_.replace({file, call->func->span.end, colon}, "(" + name + ")");
    for (size_t i = 0; i < axes.size(); ++i) {
      std::string head = std::string(axes[i]->id.str()) + " = " + kinds[i] + ", ";
      if (!bound) {
        rewriter_.insert_line(with.body[0]->span.begin, head + std::string(around[i]->id.str()) + ")");
        continue;
      }
      const Stmt* stmt = *std::find_if(with.body.begin(), with.body.end(), [&](const Stmt* one) {
        return one->span.begin < values[i]->span.begin && values[i]->span.end <= one->span.end;
      });
      rewriter_.replace({file, stmt->span.begin, values[i]->span.begin}, head);
      rewriter_.claim(stmt->span);
    }
  }
  static const Seq<Expr>* elements(const Expr* e) {
    if (auto* list = as<List>(e)) return &list->elts;
    if (auto* tuple = as<Tuple>(e)) return &tuple->elts;
    return nullptr;
  }
  // What `T.bind(vi, value)` statements bind to each axis.
  std::vector<const Expr*> bound_values(const Seq<Stmt>& body, const std::vector<const Name*>& axes) const {
    std::vector<const Expr*> values(axes.size());
    for (const Stmt* stmt : body) {
      auto* expression = as<ExprStmt>(stmt);
      auto* call = expression != nullptr ? as<Call>(expression->value) : nullptr;
      if (call == nullptr || name_in_t(imports_, call->func) != "bind" || call->args.size() != 2) continue;
      auto* name = as<Name>(call->args[0]);
      for (size_t i = 0; i < axes.size() && name != nullptr; ++i) {
        if (axes[i] != nullptr && axes[i]->id == name->id) values[i] = call->args[1];
      }
    }
    return values;
  }
  // `T.axis.reduce(4` of `T.reduce_axis(0, 4)`; "" of what has names that may need a fix of their own.
  std::string axis(const Expr& domain, const std::string& prefix) const {
    auto* call = as<Call>(&domain);
    if (call == nullptr) return has_attribute(domain) ? "" : prefix + "spatial(" + text(domain);
    std::string kind = name_in_t(imports_, call->func);
    if (call->args.size() != 2 || has_attribute(*call->args[0]) || has_attribute(*call->args[1])) return "";
    if (kind == "range") {
      kind = "spatial";
    } else if (kind == "reduce_axis" || kind == "scan_axis" || kind == "opaque_axis") {
      kind = kind.substr(0, kind.find('_'));
    } else {
      return "";
    }
    std::string from = text(*call->args[0]);
    std::string to = text(*call->args[1]);
    return prefix + kind + "(" + (from == "0" ? to : "(" + from + ", " + to + ")");
  }
  static bool has_attribute(const Expr& e) {
    bool found = false;
    each_expr(&e, [&](const Expr& inner) {
      found = found || inner.kind == ExprKind::kAttribute;
      return !found;
    });
    return found;
  }
  std::string text(const Expr& e) const { return std::string(rewriter_.text(e.span)); }

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
    each_expr(function_->body, [&](const Expr& e) {
      auto* name = as<Name>(&e);
      if (name != nullptr && name->id == target.id && name->ctx == Context::kLoad)
        insert(e.span.end, ".data");
      return true;
    });
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
  std::optional<Locals> locals_;   // of a function of the older dialect with blocks
  std::vector<const For*> loops_;  // around
  bool any_blocks_;                // in some function of the file
  bool blocks_ = false;  // and with blocks: the dialect in which T.alloc_buffer means T.sblock_alloc_buffer
};

}  // namespace

void fix_forms(const Module& module, const Imports& imports, Rewriter& rewriter) {
  Survey survey(module.body, imports);
  FormFixer forms(imports, rewriter, survey.blocks && survey.older);
  walk(module.body, forms);
}

}  // namespace mlc::fix
