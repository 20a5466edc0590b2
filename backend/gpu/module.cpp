// SPDX-License-Identifier: Apache-2.0
// The text as a whole: functions, their parameters, what they need.
#include <algorithm>
#include <utility>

#include "backend/artefact/c_interface.h"
#include "backend/gpu/emitter.h"
#include "ir/core/error.h"
#include "ir/core/split_words.h"
#include "ir/core/try_get.h"
#include "ir/core/walk_with.h"
#include "ir/tir/calling_convention.h"
#include "ir/tir/texture.h"

namespace mlc::gpu_backend {

using ir::Error;
using ir::view;

namespace {

// What statements and instructions may write: all that is named elsewhere than as the source of a load.
std::unordered_set<const VarNode*> written_pointers(const Stmt& body) {
  std::unordered_set<const VarNode*> written;
  std::vector<std::pair<const VarNode*, Expr>> views;
  ir::walk_with(body, ir::overloaded{
                          [&](const Expr& e, ir::Walker& on) {
                            if (auto* load = ir::as<ir::TensorLoadNode>(e)) {
                              for (const Expr& index : load->indices) on.visit(index);
                              return;
                            }
                            if (auto* texel = ir::as_call_to(e, "tirx.texture2d_load")) {
                              for (size_t i = 1; i < texel->args.size(); ++i)
                                on.visit(texel->args[static_cast<int64_t>(i)]);
                              return;
                            }
                            if (ir::as_call_to(e, "tirx.address_of") != nullptr ||
                                ir::as_call_to(e, "tirx.tvm_access_ptr") != nullptr) {
                              ir::post_order(e, [&](const Expr& part) {
                                if (auto* load = ir::as<ir::TensorLoadNode>(part))
                                  written.insert(load->source.get());
                              });
                            }
                            if (auto* var = ir::as<VarNode>(e)) written.insert(var);
                            on.walk_children(e);
                          },
                          [&](const Stmt& s, ir::Walker& on) {
                            if (auto* store = ir::as<ir::BufferStoreNode>(s))
                              written.insert(store->buffer.get());
                            if (auto* view = ir::as<ir::DeclBufferNode>(s)) {
                              if (view->data) views.emplace_back(view->buffer.get(), view->data);
                              return;
                            }
                            on.walk_children(s);
                          },
                      });
  // A pointer is written where a view of it is; views come after what they look at.
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    if (!written.contains(view->first)) continue;
    ir::post_order(view->second, [&](const Expr& e) {
      if (auto* var = ir::as<VarNode>(e)) written.insert(var);
    });
  }
  return written;
}

std::unordered_set<const VarNode*> used_variables(const Stmt& root) {
  struct Uses final : ir::Walker {
    std::unordered_set<const VarNode*> found;
    void visit(const Expr& e) override {
      if (auto* var = ir::as<VarNode>(e)) found.insert(var);
      if (auto* load = ir::as<ir::TensorLoadNode>(e)) found.insert(load->source.get());
      walk_children(e);
    }
    void visit(const Stmt& s) override { walk_children(s); }
    void visit_buffer(const ir::Buffer& buffer) override {
      found.insert(buffer.get());
      for (const Expr& e : buffer->buffer()->strides) visit(e);
      if (buffer->buffer()->elem_offset) visit(buffer->buffer()->elem_offset);
    }
  } uses;
  uses.visit(root);
  return std::move(uses.found);
}

}  // namespace

std::vector<bool> written_memory(const ir::PrimFunc& fn) {
  auto written = written_pointers(fn->body);
  std::vector<bool> made;
  for (const Var& param : fn->params) {
    if (param->buffer() != nullptr || param->ty->kind == ir::TypeKind::kPointer)
      made.push_back(written.contains(param.get()));
  }
  return made;
}

bool is_kernel(const ir::BaseFunc& fn) {
  if (auto convention = ir::calling_convention(fn)) return *convention == ir::kKernelLaunch;
  return ir::attr(fn, "global_symbol").has_value();
}

namespace {

std::map<std::string, std::optional<int64_t>> thread_extents(const ir::PrimFunc& fn) {
  std::map<std::string, std::optional<int64_t>> extents;
  ir::walk_with(fn->body, [&](const Stmt& s, ir::Walker& on) {
    if (auto* attr = ir::as<ir::AttrStmtNode>(s);
        attr != nullptr && view(attr->attr_key) == "thread_extent") {
      auto iter = ir::try_get<ir::IterVar>(attr->node);
      if (iter && *iter && view((*iter)->thread_tag).starts_with("threadIdx."))
        extents[std::string((*iter)->thread_tag)] = ir::const_int(attr->value);
    }
    on.walk_children(s);
  });
  return extents;
}

}  // namespace

std::optional<std::array<int64_t, 3>> block_extents(const ir::PrimFunc& fn) {
  std::array<int64_t, 3> all{1, 1, 1};
  for (const auto& [tag, extent] : thread_extents(fn)) {
    if (!extent) return std::nullopt;
    if (auto axis = static_cast<size_t>(tag.back() - 'x'); axis < all.size()) all[axis] = *extent;
  }
  return all;
}

std::optional<int64_t> block_threads(const ir::PrimFunc& fn) {
  auto extents = block_extents(fn);
  if (!extents || thread_extents(fn).empty()) return std::nullopt;
  return (*extents)[0] * (*extents)[1] * (*extents)[2];
}

KernelEmitter::KernelEmitter(const ir::IRModule& module, ir::Target target, const Keywords& words)
    : module_(module), target_(std::move(target)), words_(words) {}

void KernelEmitter::refuse(std::string_view construct, ir::Span span, std::string help) const {
  throw Error("codegen-unsupported", "{} cannot be written in {}", construct, words_.language)
      .at(span)
      .help(std::move(help));
}

void KernelEmitter::undefined(std::string_view function, DataType dtype, ir::Span span) {
  throw Error("codegen-unsupported", "`{}` is not defined on {}", function, dtype.str()).at(span);
}

std::string KernelEmitter::trap(ir::Span span) {
  refuse("an assertion", span, "check it before the kernel is launched");
}

std::string KernelEmitter::need(const std::string& name, const std::string& text) {
  if (prelude_.insert(name).second) prelude_text_ += text + "\n";
  return name;
}

std::string KernelEmitter::pointer_type(DataType element, std::string_view scope, bool is_const,
                                        ir::Span span) {
  std::string_view space = scope.starts_with("global") || scope.empty() ? words_.global
                           : scope.starts_with("shared")                ? words_.shared_pointer
                                                                        : words_.local_pointer;
  std::string_view constant = is_const ? "const " : "";
  if (element.is_void() || element.is_handle()) return fmt::format("{}{}void*", space, constant);
  return fmt::format("{}{}{}*", space, constant, memory_type(element, span));
}

namespace {

// What a parameter points to, and where that is; void for scalars.
std::pair<DataType, std::string> pointee(const Var& param) {
  if (const ir::BufferTypeNode* buffer = param->buffer())
    return {buffer->dtype, std::string(buffer->storage_scope)};
  if (param->ty->kind != ir::TypeKind::kPointer) return {DataType::Void(), ""};
  auto* pointer = static_cast<const ir::PointerTypeNode*>(param->ty.get());
  if (pointer->element_type->kind != ir::TypeKind::kPrim)
    return {DataType::Void(), std::string(pointer->storage_scope)};
  return {static_cast<const ir::PrimTypeNode*>(pointer->element_type.get())->dtype,
          std::string(pointer->storage_scope)};
}

}  // namespace

std::string KernelEmitter::parameter_type(const Var& param, bool is_const) {
  if (param->ty->kind == ir::TypeKind::kPrim && !param->dtype().is_handle())
    return type(param->dtype(), param->span);
  auto [element, scope] = pointee(param);
  return pointer_type(element, scope, is_const, param->span);
}

std::string KernelEmitter::function(const std::string& global, const ir::PrimFunc& fn, bool is_kernel) {
  bindings_.clear();
  scopes_.assign(1, {});
  for (const auto& [other, name] : functions_) scopes_[0].insert(name);
  used_ = used_variables(fn->body);
  text_.clear();
  shared_text_.clear();
  indent_ = 1;
  auto written = written_pointers(fn->body);
  std::vector<Parameter> params;
  for (const Var& param : fn->params) {
    Binding made;
    std::tie(made.element, made.scope) = pointee(param);
    bool is_value = param->ty->kind == ir::TypeKind::kPrim && !param->dtype().is_handle();
    bool is_pointer = !is_value && param->ty->kind != ir::TypeKind::kTensorMap &&
                      !(param->ty->kind == ir::TypeKind::kPointer &&
                        static_cast<const ir::PointerTypeNode*>(param->ty.get())->element_type->kind ==
                            ir::TypeKind::kTensorMap);
    made.is_const = is_pointer && !written.contains(param.get());
    made.is_size = is_value;
    std::string name = fresh(view(param->name));
    made.text = {name};
    params.push_back({param.get(), parameter_type(param, made.is_const), name,
                      is_pointer && !ir::is_texture(made.scope), made.is_const});
    bindings_[param.get()] = std::move(made);
  }
  std::string result = "void";
  returns_value_ = !is_kernel && fn->ret_type && fn->ret_type->kind == ir::TypeKind::kPrim;
  if (returns_value_)
    result = type(static_cast<const ir::PrimTypeNode*>(fn->ret_type.get())->dtype, fn->span);
  std::string start = head(fn, is_kernel, functions_.at(global), result, params);
  emit(fn->body);
  if (words_.shared_outside) return fmt::format("{}{} {{\n{}}}\n", shared_text_, start, text_);
  return fmt::format("{} {{\n{}{}}}\n", start, shared_text_, text_);
}

std::string KernelEmitter::head(const ir::PrimFunc& fn, bool is_kernel, const std::string& name,
                                const std::string& result, const std::vector<Parameter>& params) {
  bool noalias = ir::has_flag(fn, "tirx.noalias") || ir::has_flag(fn, "tir.noalias");
  std::string all;
  for (const Parameter& param : params) {
    bool alone = param.is_pointer && noalias && !words_.restrict_word.empty();
    all += fmt::format("{}{} {}{}", all.empty() ? "" : ", ", param.type,
                       alone ? std::string(words_.restrict_word) + " " : "", param.name);
  }
  std::string start = is_kernel ? fmt::format("{}{}", words_.kernel, launch_bounds(fn))
                                : fmt::format("{}{} ", words_.function, result);
  return fmt::format("{}{}({})", start, name, all);
}

std::string KernelEmitter::source() {
  // By name: the order of the module's map is another one in every run. Functions come before who calls them.
  std::map<std::string, ir::PrimFunc> by_name;
  for (const auto& [global, base] : module_->functions) {
    auto fn = base.as<ir::PrimFunc>();
    if (!fn)
      throw Error("codegen-unsupported", "`{}` is no tensor function and cannot be compiled",
                  view(global->name_hint))
          .at(base->span);
    std::string symbol(view(global->name_hint));
    if (auto given = ir::attr(base, "global_symbol")) symbol = std::string(given->cast<ir::String>());
    std::string name = backend::c_identifier(symbol);
    if (name != symbol || backend::is_reserved_in_c(name) || ir::has_word(words_.reserved, name))
      throw Error("no-c-name", "a kernel cannot be called `{}` in {}", symbol, words_.language)
          .at((*fn)->span);
    for (const auto& [other, taken] : functions_) {
      if (taken == name)
        throw Error("duplicate-symbol", "two functions of the module have the symbol `{}`", name)
            .kind("InternalError+ValueError")
            .at((*fn)->span);
    }
    functions_[std::string(view(global->name_hint))] = name;
    by_name.emplace(view(global->name_hint), *fn);
  }
  std::string callees;
  std::string kernels;
  for (const auto& [global, fn] : by_name) {
    bool kernel = is_kernel(fn);
    (kernel ? kernels : callees) += (kernel ? "\n" : "") + function(global, fn, kernel);
  }
  return preamble() + prelude_text_ + callees + kernels;
}

}  // namespace mlc::gpu_backend
