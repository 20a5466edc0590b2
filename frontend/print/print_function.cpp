// SPDX-License-Identifier: Apache-2.0
// Functions and modules.
#include <algorithm>

#include "frontend/print/printer.h"

#include "ir/core/walk_with.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

bool contains_block(const Stmt& s) {
  bool found = false;
  walk_with(s, [&](const Stmt& s, Walker& on) {
    found = found || as<SBlockRealizeNode>(s);
    if (!found) on.walk_children(s);
  });
  return found;
}

// The block that the parser puts around a body by itself: nothing in it needs to be said.
const SBlockNode* implicit_root(const Stmt& body) {
  auto* realize = as<SBlockRealizeNode>(body);
  if (!realize || !realize->iter_values.empty() || !is_const_int(realize->predicate, 1)) return nullptr;
  const SBlockNode* block = realize->block.get();
  if (!block->annotations.empty() || !block->match_buffers.empty() || !block->reads.empty() ||
      !block->writes.empty() || block->init) {
    return nullptr;
  }
  if (!block->alloc_buffers.empty()) return block;
  if (auto* inner = as<SBlockRealizeNode>(block->body))
    return inner->block->iter_vars.empty() ? nullptr : block;
  return contains_block(block->body) ? block : nullptr;
}

}  // namespace

void Printer::module(const IRModuleNode* mod) {
  Mark mark(*this, mod);
  module_ = mod;
  for (const auto& [var, fn] : mod->functions) functions_.insert(view(var->name_hint));
  if (!options_.name.empty()) module_name_ = options_.name;
  if (options_.show_object_address) module_name_ = with_address(module_name_, mod);
  put("@", options_.ir_prefix, ".ir_module\nclass ", module_name_, ":\n");
  names_.push(mod, 1, out_.size());
  ++depth_;
  if (mod->functions.empty() && mod->attrs.empty() && mod->global_infos.empty()) {
    line();
    put("pass\n");
  }
  if (!mod->attrs.empty()) {
    line();
    ir_name("module_attrs");
    put("(");
    dict(mod->attrs);
    put(")\n");
  }
  if (!mod->global_infos.empty()) {
    line();
    ir_name("module_global_infos");
    put("(");
    dict(mod->global_infos);
    put(")\n");
  }
  std::vector<std::pair<GlobalVar, BaseFunc>> functions(mod->functions.begin(), mod->functions.end());
  // Tensor functions, external ones, graphs; `main` comes last.
  auto rank = [](const std::pair<GlobalVar, BaseFunc>& one) {
    if (view(one.first->name_hint) == "main") return 3;
    return one.second->kind == ExprKind::kPrimFunc ? 0 : one.second->kind == ExprKind::kExternFunc ? 1 : 2;
  };
  std::sort(functions.begin(), functions.end(), [&](const auto& a, const auto& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return view(a.first->name_hint) < view(b.first->name_hint);
  });
  bool first = true;
  for (const auto& [global, fn] : functions) {
    if (!first) put("\n");
    At functions_at(*this, "functions");
    At at(*this, Any(global));
    std::string_view name = view(global->name_hint);
    first = fn->kind == ExprKind::kExternFunc;
    if (auto* graph = as<relax::FunctionNode>(fn)) {
      graph_function(graph, name, false);
    } else if (auto* external = as<relax::ExternFuncNode>(fn)) {
      line();
      put(name, " = ");
      extern_function(external);
      end_line();
    } else {
      prim_func(as<PrimFuncNode>(fn), name, global.get());
    }
  }
  uses_ir_ = true;  // headers inside do not say it
  --depth_;
  names_.pop();
}

// Variables of 64-bit dimensions belong to the whole text: `n = TypeVar("n")` above the function.
void Printer::type_variables(const PrimFuncNode* fn) {
  if (classic()) return;
  std::unordered_set<const VarNode*> seen;
  std::vector<const VarNode*> found;
  for (const Var& param : fn->params) {
    if (!param->buffer()) seen.insert(param.get());
  }
  for (const Var& param : fn->params) {
    const BufferTypeNode* type = param->buffer();
    if (!type) continue;
    auto collect = [&](const Expr& e) {
      if (!e || e->kind == ExprKind::kIntImm) return;
      for (const Var& var : free_vars(e)) {
        if (var->dtype() == DataType::Int(64) && seen.insert(var.get()).second) found.push_back(var.get());
      }
    };
    for (const Expr& e : type->shape) collect(e);
    for (const Expr& e : type->strides) collect(e);
    collect(type->elem_offset);
  }
  // By name; of equal names the last one seen comes first.
  std::reverse(found.begin(), found.end());
  std::stable_sort(found.begin(), found.end(),
                   [](auto* a, auto* b) { return view(a->name) < view(b->name); });
  for (const VarNode* var : found) {
    const std::string& name = names_.define(var, view(var->name));
    type_bound_.insert(var);
    if (type_variable_set_.insert(name).second) type_variables_.push_back(name);
  }
  if (!options_.use_pep695 || found.empty()) return;
  put("[");
  list(found, [&](const VarNode* var, int64_t) { put(*names_.find(var)); });
  put("]");
}

void Printer::parameters(const PrimFuncNode* fn) {
  // Scalars come first in naming: dimensions may refer to any of them.
  for (const Var& param : fn->params) {
    if (!param->buffer()) names_.define(param.get(), view(param->name));
  }
  list(fn->params, [&](const Var& param, int64_t i) {
    At at(*this, "params", i);
    At type_at(*this, "ty");
    if (!param->buffer()) {
      dims_bound_.insert(param.get());
      put(*names_.find(param.get()), ": ");
      return type(param->ty);
    }
    if (classic() && !is_plain_parameter(param->buffer())) return handle_parameter(param);
    put(names_.define(param.get(), view(param->name)), ": ");
    call_of("Buffer", [&] {
      BufferForm form;
      form.dtype_always = true;
      form.parameter = true;
      buffer_arguments(param, form);
    });
  });
}

void Printer::prim_func(const PrimFuncNode* fn, std::string_view name, const GlobalVarNode* global) {
  Mark mark(*this, fn);
  in_function_ = true;
  scope_root_ = ref(fn);
  schedulable_ = fn->attrs.count("s_tir") > 0;
  makes_variables_ = !free_vars(scope_root_.cast<PrimFunc>()).empty();
  if (!makes_variables_)
    post_order(fn->body, [this](const Expr& e) { makes_variables_ |= as<LetNode>(e) != nullptr; });
  type_bound_.clear();
  dims_bound_.clear();
  std::vector<std::pair<String, Any>> attrs;
  bool has_symbol = false;
  bool persistent = false;
  for (const auto& [key, item] : fn->attrs) {
    if (view(key) == "s_tir") continue;
    if (classic() && view(key) == "tirx.persistent_kernel") not_classic("a persistent kernel");
    if (view(key) == "tirx.persistent_kernel" && !classic() && item.as<bool>() == true) {
      persistent = true;
      continue;
    }
    if (view(key) == "global_symbol") {
      has_symbol = true;
      auto symbol = item.try_cast<String>();
      if (symbol && view(*symbol) == name) continue;
    }
    if (classic() && view(key).starts_with("tirx.")) {
      attrs.emplace_back(String("tir." + std::string(view(key).substr(5))), item);
    } else {
      attrs.emplace_back(key, item);
    }
  }

  // Blocks make a function schedulable; one without them has to say so.
  const SBlockNode* root = options_.syntax_sugar ? implicit_root(fn->body) : nullptr;
  if (classic() && schedulable_ && !contains_block(root ? root->body : fn->body))
    attrs.emplace_back(String("s_tir"), true);

  line();
  put("@");
  tir("prim_func");
  std::string arguments;
  auto argument = [&](std::string_view said) {
    arguments += fmt::format("{}{}=True", arguments.empty() ? "" : ", ", said);
  };
  if (!has_symbol) argument("private");
  if (schedulable_ && !classic()) argument("s_tir");
  if (persistent) argument("persistent");
  if (!arguments.empty()) put("(", arguments, ")");
  end_line();
  line();
  put("def ", name);
  names_.push(fn, depth_ + 1, std::string::npos);  // declarations wait until the body begins
  type_variables(fn);
  put("(");
  parameters(fn);
  put(")");
  if (fn->ret_type && !(fn->ret_type->kind == TypeKind::kTuple &&
                        static_cast<const TupleTypeNode*>(fn->ret_type.get())->elements.empty())) {
    put(" -> ");
    At at(*this, "ret_type");
    type(fn->ret_type);
  }
  put(":");
  end_line();
  ++depth_;
  begin_frame();
  if (!attrs.empty()) {
    line();
    call_of("func_attr", [&] {
      {
        At at(*this, "attrs");
        Mark mark(*this, nullptr);
        dict(std::move(attrs));
      }
    });
    end_line();
  }
  match_parameters();
  function_body(fn);
  --depth_;
  names_.pop();
  in_function_ = false;
}

void Printer::function_body(const PrimFuncNode* fn) {
  const SBlockNode* root = options_.syntax_sugar ? implicit_root(fn->body) : nullptr;
  At at(*this, "body");
  if (!root) return statements(fn->body);
  At block(*this, "block");
  line();
  size_t begin = out_.size();
  put("# with T.", classic("sblock"), "(\"root\"):");
  end_line();
  kept_free_.push_back(Span{begin, out_.size(), true});
  int64_t i = 0;
  for (const Buffer& buffer : root->alloc_buffers) {
    At item(*this, "alloc_buffers", i++);
    block_buffer(buffer);
  }
  At root_body(*this, "body");
  statements(root->body);
}

}  // namespace mlc::print
