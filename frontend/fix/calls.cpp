// SPDX-License-Identifier: Apache-2.0
// Calls whose arguments are given otherwise today, and members of what `tvm.build` gave.
#include <algorithm>
#include <set>

#include "frontend/fix/rewriter.h"
#include "frontend/syntax/walk.h"
#include "ir/registry/classic_names.h"
#include "ir/registry/older_arguments.h"

namespace mlc::fix {

using namespace syntax;  // NOLINT: the subject of this file
using ir::Span;

namespace {

// Members of a module of compiled functions that the Executable of `tvm.compile` does not have itself.
constexpr std::string_view module_members[] = {"time_evaluator", "get_source",   "inspect_source",
                                               "imports",        "entry_name",   "imported_modules",
                                               "get_function",   "import_module"};

const Constant* text_constant(const Expr* e) {
  auto* constant = as<Constant>(e);
  return constant != nullptr && constant->type == Constant::Type::kStr ? constant : nullptr;
}
bool is_side(const Expr* e) {
  const Constant* constant = text_constant(e);
  return constant != nullptr && (constant->text == "read" || constant->text == "write");
}

// The names of one variable of a graph.
class NamesOfVariable final : public Visitor {
 public:
  NamesOfVariable(Symbol variable, Rewriter& rewriter) : variable_(variable), rewriter_(rewriter) {}

  bool enter(const Expr& e) override {
    auto* attribute = as<Attribute>(&e);
    auto* name = attribute == nullptr ? nullptr : as<Name>(attribute->value);
    if (name != nullptr && name->id == variable_ && attribute->attr.str() == "name_hint")
      rewriter_.replace(attribute->attr_span, "name");
    return true;
  }

 private:
  Symbol variable_;
  Rewriter& rewriter_;
};

class CallFixer final : public Visitor {
 public:
  CallFixer(const Imports& imports, Rewriter& rewriter) : imports_(imports), rewriter_(rewriter) {}

  bool enter(const Stmt& stmt) override {
    if (auto* function = as<FunctionDef>(&stmt)) visited_variable(*function);
    auto* assign = as<Assign>(&stmt);
    if (assign == nullptr || !is_compilation(assign->value)) return true;
    for (const Expr* target : assign->targets) {
      if (auto* name = as<Name>(target)) compiled_.insert(name->id);
    }
    return true;
  }
  bool enter(const Expr& e) override {
    if (auto* call = as<Call>(&e)) {
      idle_keywords(*call);
      buffer_in_two(*call);
      wrapped_constant(*call);
      key_of_variable(*call);
    }
    if (auto* attribute = as<Attribute>(&e)) {
      member(*attribute);
      buffer_of_region(*attribute);
      array_of_constant(*attribute);
      name_of_variable(*attribute);
      map_of_buffers(*attribute);
    }
    if (auto* subscript = as<Subscript>(&e)) buffer_of_parameter(*subscript);
    return true;
  }

 private:
  bool is_compilation(const Expr* e) const {
    auto* call = as<Call>(e);
    return call != nullptr && ir::current_path(imports_.path_of(call->func)) == "tvm.compile";
  }

  // lib.time_evaluator("main", dev): it is the module's, `lib.mod`.
  void member(const Attribute& attribute) {
    auto* name = as<Name>(attribute.value);
    bool compiled = name != nullptr ? compiled_.count(name->id) != 0 : is_compilation(attribute.value);
    auto* begin = std::begin(module_members);
    auto* end = std::end(module_members);
    if (!compiled || std::find(begin, end, attribute.attr.str()) == end) return;
    uint32_t at = attribute.value->span.end;
    rewriter_.replace({attribute.span.file, at, at}, ".mod");
  }

  // relax.PrimValue(n) is relax.prim_value(n), relax.Constant(array) is relax.const(array),
  // relax.DataTypeImm("float16") the name alone.
  void wrapped_constant(const Call& call) {
    auto* name = as<Attribute>(call.func);
    if (name == nullptr || call.args.size() != 1 || !call.keywords.empty()) return;
    const Binding* root = nullptr;
    std::string older = imports_.path_of(call.func, &root);
    if (older == "tvm.relax.Constant" || older == "tvm.relax.expr.Constant") {
      std::optional<std::string> spelled = imports_.spell("tvm.relax.const", *root);
      if (!spelled) return;
      rewriter_.replace(call.func->span, *spelled);
      return rewriter_.claim(call.func->span);
    }
    std::string path = ir::current_path(older);
    if (path == "tvm.relax.PrimValue") {
      rewriter_.replace(name->attr_span, "prim_value");
    } else if (path == "tvm.relax.DataTypeImm") {
      rewriter_.replace({call.span.file, call.span.begin, call.args[0]->span.begin}, "");
      rewriter_.replace({call.span.file, call.args[0]->span.end, call.span.end}, "");
    } else {
      return;
    }
    rewriter_.claim(call.func->span);
  }

  // self.set_var_remap(var.vid, new): the variable is its own key.
  void key_of_variable(const Call& call) {
    auto* method = as<Attribute>(call.func);
    auto* key = call.args.empty() ? nullptr : as<Attribute>(call.args[0]);
    if (method == nullptr || key == nullptr || key->attr.str() != "vid") return;
    if (method->attr.str() != "set_var_remap" && method->attr.str() != "get_var_remap") return;
    rewriter_.replace({key->span.file, key->value->span.end, key->span.end}, "");
  }

  // block.writes[0].buffer: a region's buffer is its source.
  void buffer_of_region(const Attribute& attribute) {
    if (attribute.attr.str() != "buffer") return;
    auto* one = as<Subscript>(attribute.value);
    auto* list = one == nullptr ? nullptr : as<Attribute>(one->value);
    if (list == nullptr || (list->attr.str() != "reads" && list->attr.str() != "writes")) return;
    rewriter_.replace({attribute.span.file, attribute.span.end - 6, attribute.span.end}, "source");
  }

  // def visit_var_(self, var): what the argument is.
  void visited_variable(const FunctionDef& function) {
    std::string_view name = function.name.str();
    bool visits = name.starts_with("visit_var_") || name.starts_with("visit_dataflow_var_");
    if (!visits || function.args == nullptr || function.args->args.size() != 2) return;
    Symbol argument = function.args->args[1]->name;
    NamesOfVariable names(argument, rewriter_);
    walk(function.body, names);
  }
  // binding.var.name_hint, func.params[0].name_hint: a variable has a name.
  void name_of_variable(const Attribute& attribute) {
    if (attribute.attr.str() != "name_hint") return;
    auto* var = as<Attribute>(attribute.value);
    auto* one = as<Subscript>(attribute.value);
    auto* list = one == nullptr ? nullptr : as<Attribute>(one->value);
    if ((var != nullptr && var->attr.str() == "var") || (list != nullptr && list->attr.str() == "params"))
      rewriter_.replace(attribute.attr_span, "name");
  }

  // call.args[1].data: of an argument, the array of a constant, its value.
  void array_of_constant(const Attribute& attribute) {
    if (attribute.attr.str() != "data") return;
    auto* one = as<Subscript>(attribute.value);
    auto* list = one == nullptr ? nullptr : as<Attribute>(one->value);
    if (list != nullptr && list->attr.str() == "args") rewriter_.replace(attribute.attr_span, "value");
  }

  // func.buffer_map[func.params[0]]: a parameter is its buffer.
  void buffer_of_parameter(const Subscript& subscript) {
    auto* map = as<Attribute>(subscript.value);
    if (map == nullptr || map->attr.str() != "buffer_map") return;
    auto* inner = as<Subscript>(subscript.slice);
    bool plain =
        as<Name>(subscript.slice) != nullptr || (inner != nullptr && as<Attribute>(inner->value) != nullptr);
    if (!plain || subscript.ctx != Context::kLoad) return;
    rewriter_.replace({subscript.span.file, subscript.span.begin, subscript.slice->span.begin}, "");
    rewriter_.replace({subscript.span.file, subscript.slice->span.end, subscript.span.end}, "");
    read_.insert(map);
  }
  void map_of_buffers(const Attribute& attribute) {
    if (attribute.attr.str() != "buffer_map" || read_.count(&attribute) != 0) return;
    rewriter_.leave(
        attribute.attr_span,
        "parameters are the buffers themselves now: those of `params` whose `ty` is a `BufferType`");
  }

  // T.int64(is_size_var=True), tvm.build(mod, target, name="f")
  void idle_keywords(const Call& call) {
    std::string path = ir::current_path(imports_.path_of(call.func));
    size_t dot = path.rfind('.');
    if (dot == std::string::npos) return;
    std::string_view module = std::string_view(path).substr(0, dot);
    std::string_view name = std::string_view(path).substr(dot + 1);
    for (const Keyword* keyword : call.keywords) {
      if (ir::is_idle_keyword(module, name, keyword->name.str())) drop(call, keyword->span);
      std::string_view now = ir::renamed_keyword(module, name, keyword->name.str());
      if (!now.empty()) rewriter_.replace(keyword->name_span, std::string(now));
    }
  }

  // sch.transform_layout(block, 0, "write", f): the buffer is one argument, ("write", 0).
  void buffer_in_two(const Call& call) {
    auto* method = as<Attribute>(call.func);
    if (method == nullptr || method->attr.str() != "transform_layout") return;
    auto* number = call.args.size() > 1 ? call.args[1] : nullptr;
    if (number != nullptr && call.args.size() > 2 && is_side(call.args[2])) {
      const Expr* side = call.args[2];
      rewriter_.replace({number->span.file, number->span.begin, side->span.end}, both(side, number));
      return;
    }
    const Keyword* number_word = nullptr;
    const Keyword* side_word = nullptr;
    for (const Keyword* keyword : call.keywords) {
      if (keyword->name.str() == "buffer_index") number_word = keyword;
      if (keyword->name.str() == "buffer_index_type") side_word = keyword;
    }
    if (side_word == nullptr || (number == nullptr && number_word == nullptr)) return;
    if (number != nullptr) {
      rewriter_.replace(number->span, both(side_word->value, number));
    } else {
      rewriter_.replace(number_word->span, "buffer=" + both(side_word->value, number_word->value));
    }
    drop(call, side_word->span);
  }
  std::string both(const Expr* side, const Expr* number) const {
    return "(" + std::string(rewriter_.text(side->span)) + ", " + std::string(rewriter_.text(number->span)) +
           ")";
  }

  // One argument goes, with the comma before it or, where it is the first, behind it.
  void drop(const Call& call, Span argument) {
    std::vector<Span> all;
    for (const Expr* one : call.args) all.push_back(one->span);
    for (const Keyword* one : call.keywords) all.push_back(one->span);
    std::sort(all.begin(), all.end(), [](Span a, Span b) { return a.begin < b.begin; });
    size_t at = 0;
    while (all[at].begin != argument.begin) ++at;
    Span gone = argument;
    if (at > 0) {
      gone.begin = all[at - 1].end;
    } else if (all.size() > 1) {
      gone.end = all[1].begin;
    }
    if (rewriter_.text(gone).find('#') != std::string_view::npos) gone = argument;
    rewriter_.replace(gone, "");
  }

  const Imports& imports_;
  Rewriter& rewriter_;
  std::set<Symbol> compiled_;
  std::set<const Attribute*> read_;  // maps of buffers whose reading has been dealt with
};

}  // namespace

void fix_calls(const Module& module, const Imports& imports, Rewriter& rewriter) {
  CallFixer calls(imports, rewriter);
  walk(module.body, calls);
}

}  // namespace mlc::fix
