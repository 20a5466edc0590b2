// SPDX-License-Identifier: Apache-2.0
#include "frontend/fix/fix.h"

#include <algorithm>
#include <set>

#include "frontend/fix/names.h"
#include "frontend/fix/rewriter.h"
#include "frontend/fix/targets.h"
#include "frontend/syntax/parse.h"
#include "frontend/syntax/walk.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/registry/classic_names.h"

namespace mlc::fix {

using namespace syntax;  // NOLINT: the subject of this file
using Row = ir::ClassicName;

namespace {

std::string parent_of(std::string_view path) {
  size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? "" : std::string(path.substr(0, dot));
}
std::string last_of(std::string_view path) { return std::string(path.substr(path.rfind('.') + 1)); }

constexpr std::string_view kIrDialect = "tvm.script.ir";

// Names that are bound by something else than an import may mean that.
class Bound final : public Visitor {
 public:
  explicit Bound(Imports& imports) : imports_(imports) {}
  bool enter(const Expr& e) override {
    auto* name = as<Name>(&e);
    if (name != nullptr && name->ctx == Context::kStore) imports_.forget(name->id.str());
    return true;
  }
  void parameter(const Arg& arg) override { imports_.forget(arg.name.str()); }

 private:
  Imports& imports_;
};

// Reads the imports of a file and brings them up to date.
class ImportFixer final : public Visitor {
 public:
  ImportFixer(Rewriter& rewriter, Imports& imports) : rewriter_(rewriter), imports_(imports) {}

  bool enter(const Stmt& stmt) override {
    if (auto* import = as<Import>(&stmt)) plain(*import);
    if (auto* import = as<ImportFrom>(&stmt)) from(*import);
    return true;
  }

 private:
  void plain(const Import& stmt) {
    for (const Alias* alias : stmt.names) {
      std::string path(alias->name);
      std::string current = ir::current_path(path);
      if (current != path) rewriter_.replace(alias->name_span, current);
      rewriter_.report_removed(path, alias->name_span);
      if (alias->asname) {
        imports_.add(std::string(alias->asname.str()),
                     {path, current, std::string(alias->asname.str()), &stmt});
      } else {
        std::string first(alias->first.str());
        imports_.add(first, {first, first, first, &stmt});
      }
    }
  }

  void from(const ImportFrom& stmt) {
    if (stmt.level > 0) return;
    std::string module(stmt.module);
    std::string module_now = ir::current_path(module);
    if (std::string shared = shared_module(stmt); !shared.empty()) module_now = shared;
    std::set<const Alias*> moved;  // to another module than the rest
    bool stays = false;            // some name is still found in the module that is written
    for (const Alias* alias : stmt.names) {
      std::string name(alias->name);
      if (name == "*") {
        stays = true;
        continue;
      }
      std::string path = module + "." + name;
      std::string current = ir::current_path(path);
      rewriter_.report_removed(path, alias->name_span);
      if (parent_of(current) == kIrDialect && module_now == parent_of(kIrDialect)) {
        // A dialect is no module that Python could import from.
        rewriter_.replace(alias->span, "ir as I");
        imports_.add(std::string(alias->asname ? alias->asname.str() : Symbol(name).str()),
                     {path, current, "I." + last_of(current), &stmt});
        stays = true;
        continue;
      }
      std::string bound(alias->asname ? alias->asname.str() : Symbol(name).str());
      std::string bound_now = alias->asname ? bound : last_of(current);
      imports_.add(bound, {path, current, bound_now, &stmt});
      if (parent_of(current) == module_now) {
        stays = true;
        if (last_of(current) != name) rewriter_.replace(alias->name_span, last_of(current));
      } else {
        moved.insert(alias);
        rewriter_.insert_line(stmt.span.begin, "from " + parent_of(current) + " import " + last_of(current) +
                                                   (alias->asname ? " as " + bound : ""));
      }
    }
    if (stays && module_now != module) rewriter_.replace(stmt.module_span, module_now);
    if (moved.empty()) return;
    if (stays) return rewriter_.remove_from_list(stmt.names, moved);
    rewriter_.leave(stmt.span, "its names live in several modules now, imported above; delete this line");
  }

  // The module that all names of an import live in today; "" when there are several.
  static std::string shared_module(const ImportFrom& stmt) {
    std::string shared;
    for (const Alias* alias : stmt.names) {
      std::string name(alias->name);
      if (name == "*") return "";
      std::string parent = parent_of(ir::current_path(std::string(stmt.module) + "." + name));
      if (parent == kIrDialect || (!shared.empty() && parent != shared)) return "";
      shared = parent;
    }
    return shared;
  }

  Rewriter& rewriter_;
  Imports& imports_;
};

// Paths, methods, keywords and strings that have another name today.
class NameFixer final : public Visitor {
 public:
  NameFixer(Rewriter& rewriter, Imports& imports) : rewriter_(rewriter), imports_(imports) {}

  bool enter(const Expr& e) override {
    if (auto* call = as<Call>(&e)) in_call(*call);
    if (auto* subscript = as<Subscript>(&e)) in_subscript(*subscript);
    if (auto* constant = as<Constant>(&e)) in_string(*constant);
    if (auto* dict = as<Dict>(&e)) in_dict(*dict);
    if (e.kind == ExprKind::kAttribute || e.kind == ExprKind::kName) return !chain(e);
    return true;
  }

 private:
  // True when `e` was a path that an import begins, all of which is dealt with.
  bool chain(const Expr& e) {
    const Binding* root = nullptr;
    std::string path = imports_.path_of(&e, &root);
    if (path.empty()) {
      auto* attribute = as<Attribute>(&e);
      if (attribute == nullptr) return false;
      std::string_view name = attribute->attr.str();
      const Row* row = ir::find_classic(Row::Kind::kAttribute, name);
      if (row == nullptr && methods_.count(&e) != 0) row = ir::find_classic(Row::Kind::kMethod, name);
      if (row != nullptr) rewriter_.replace(attribute->attr_span, std::string(row->to));
      row = ir::find_classic(Row::Kind::kRemovedMethod, name);
      if (row != nullptr && methods_.count(&e) != 0)
        rewriter_.leave(attribute->attr_span, std::string(row->to));
      return false;
    }
    std::string current = ir::current_path(path);
    if (rewriter_.is_claimed(e.span)) return true;
    rewriter_.report_removed(current, e.span);
    if (current == path && root->name == root_name(e)) return true;
    std::optional<std::string> spelled = imports_.spell(current, *root);
    if (!spelled) {
      // The part of the path that holds the module, bound by an import of its own.
      size_t first = current.find('.');
      size_t second = first == std::string::npos ? first : current.find('.', first + 1);
      std::string module = current.substr(0, second);
      std::string name = last_of(module);
      if (imports_.find(name) != nullptr || first == std::string::npos) {
        rewriter_.leave(
            e.span, "its name of today is `" + current + "`, and `" + name + "` means something else here");
        return true;
      }
      rewriter_.insert_line(root->import->span.begin, "from " + parent_of(module) + " import " + name);
      imports_.add(name, {module, module, name, root->import});
      spelled = imports_.spell(current, *imports_.find(name));
    }
    if (*spelled != rewriter_.text(e.span)) rewriter_.replace(e.span, *spelled);
    return true;
  }

  static std::string_view root_name(const Expr& e) {
    const Expr* at = &e;
    while (auto* attribute = as<Attribute>(at)) at = attribute->value;
    return static_cast<const Name*>(at)->id.str();
  }

  void in_call(const Call& call) {
    if (call.func->kind == ExprKind::kAttribute) methods_.insert(call.func);
    for (const Keyword* keyword : call.keywords) {
      const Row* row = ir::find_classic(Row::Kind::kKeyword, keyword->name.str());
      if (row != nullptr) rewriter_.replace(keyword->name_span, std::string(row->to));
      row = ir::find_classic(Row::Kind::kRemovedKeyword, keyword->name.str());
      if (row != nullptr) rewriter_.leave(keyword->name_span, std::string(row->to));
      if (keyword->name.str() == "target" || keyword->name.str() == "host") target_text(keyword->value);
    }
    // constant.data.numpy(): `data` of buffers and tensors has no such method, but that of torch's has.
    bool of_torch = imports_.find("torch") != nullptr;
    if (auto* method = as<Attribute>(call.func);
        method != nullptr && !of_torch && method->attr.str() == "numpy") {
      auto* held = as<Attribute>(method->value);
      if (held != nullptr && held->attr.str() == "data") rewriter_.replace(held->attr_span, "value");
    }
    std::string path = ir::current_path(imports_.path_of(call.func));
    if (call.args.size() > 0 && path == "tvm.target.Target") target_text(call.args[0]);
    if (call.args.size() > 1 && (path == "tvm.compile" || path == "tvm.relax.build"))
      target_text(call.args[1]);
    if (call.args.size() == 1 && path == "tvm.ir.Op.get") operator_name(*call.args[0]);
  }

  // tvm.ir.Op.get("tir.exp")
  void operator_name(const Expr& e) {
    auto* name = as<Constant>(&e);
    if (name == nullptr || name->type != Constant::Type::kStr || !name->text.starts_with("tir.")) return;
    rewriter_.replace({e.span.file, e.span.begin + 1, e.span.begin + 4}, "tirx");
  }

  // "cuda -arch=sm_80": the options of a target are a dict now.
  void target_text(const Expr* e) {
    auto* target = as<Constant>(e);
    if (target == nullptr || target->type != Constant::Type::kStr) return;
    targets_.insert(e);
    if (target->text == "stackvm" || target->text == "hybrid")
      return rewriter_.leave(e->span, "this kind of target was removed in 2025");
    if (target->text.find(" -") == std::string_view::npos) return;
    if (std::string dict = target_dict(target->text); !dict.empty()) return rewriter_.replace(e->span, dict);
    rewriter_.leave(e->span,
                    "options of a target are a dict now: `{\"kind\": \"cuda\", \"arch\": \"sm_80\"}`");
  }

  // {"target": "llvm -num-cores=1"}
  void in_dict(const Dict& dict) {
    for (size_t i = 0; i < dict.keys.size(); ++i) {
      auto* key = as<Constant>(dict.keys[i]);
      if (key != nullptr && key->type == Constant::Type::kStr && key->text == "target")
        target_text(dict.values[i]);
    }
  }

  // A target with options that stands elsewhere: the name it is bound to may be asked for a device, too.
  void target_elsewhere(const Constant& constant) {
    size_t blank = constant.text.find(" -");
    if (blank == std::string_view::npos || targets_.count(&constant) != 0) return;
    static constexpr std::string_view kinds = "llvm c cuda nvptx rocm opencl vulkan metal webgpu hexagon";
    if (!ir::has_word(kinds, constant.text.substr(0, blank))) return;
    if (std::string dict = target_dict(constant.text); !dict.empty())
      rewriter_.leave(constant.span, "options of a target are a dict now: `" + dict + "`");
  }

  static bool has_slice(const Expr& index) {
    if (as<Slice>(&index)) return true;
    auto* tuple = as<Tuple>(&index);
    return tuple != nullptr && std::any_of(tuple->elts.begin(), tuple->elts.end(),
                                           [](const Expr* one) { return as<Slice>(one) != nullptr; });
  }

  // T.Buffer[(128, 128), "float32"]
  void in_subscript(const Subscript& subscript) {
    if (ir::current_path(imports_.path_of(subscript.value)) != "tvm.script.tirx.Buffer") return;
    if (has_slice(*subscript.slice)) return;  // no arguments of a call
    uint32_t open = subscript.value->span.end;
    while (rewriter_.at(open) != '[') ++open;
    uint32_t file = subscript.span.file;
    rewriter_.replace({file, open, open + 1}, "(");
    rewriter_.replace({file, subscript.span.end - 1, subscript.span.end}, ")");
  }

  void in_string(const Constant& constant) {
    if (constant.type != Constant::Type::kStr) return;
    target_elsewhere(constant);
    const Row* row = ir::find_classic(Row::Kind::kString, constant.text);
    if (row == nullptr || constant.span.end - constant.span.begin != row->from.size() + 2) return;
    rewriter_.replace({constant.span.file, constant.span.begin + 1, constant.span.end - 1},
                      std::string(row->to));
  }

  Rewriter& rewriter_;
  Imports& imports_;
  std::set<const Expr*> methods_, targets_;
};

}  // namespace

Fixed fix(uint32_t file) {
  std::shared_ptr<const Tree> tree = parse_file(file);
  Rewriter rewriter(file);
  Imports imports;
  ImportFixer first(rewriter, imports);
  walk(tree->module->body, first);
  Bound bound(imports);
  walk(tree->module->body, bound);
  fix_forms(*tree->module, imports, rewriter);
  fix_calls(*tree->module, imports, rewriter);
  NameFixer names(rewriter, imports);
  walk(tree->module->body, names);
  Fixed fixed = rewriter.finish();
  try {
    parse_file(ir::SourceMap::current().add("<fixed>", fixed.text));
  } catch (const ir::Error& error) {
    MLC_CHECK(false, "the fixed text does not parse: {}", error.what());
  }
  return fixed;
}

}  // namespace mlc::fix
