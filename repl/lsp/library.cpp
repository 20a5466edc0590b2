// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/library.h"

#include <algorithm>

#include "frontend/script/core/stdlib.h"
#include "repl/session/session.h"
#include "repl/shell/explain.h"

namespace mlc::lsp {

using ir::Any;

namespace {

// The sentence of a documentation: its first line, without the signature that primitives begin with.
std::string first_line(std::string_view doc) {
  doc = repl::trim(doc);
  doc = doc.substr(0, doc.find('\n'));
  size_t gap = doc.find(") -> ") == doc.npos ? doc.npos : doc.rfind("  ");
  return std::string(repl::trim(gap == doc.npos ? doc : doc.substr(gap)));
}

// The rows of a type: `Schedule` of any module.
std::vector<LibraryName> methods_of(std::string_view type) {
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  std::vector<LibraryName> found;
  for (const ir::Api* api : registry.all()) {
    bool of_type = (api->row.kind == ir::ApiKind::kMethod || api->row.kind == ir::ApiKind::kProperty) &&
                   (api->row.owner == type || api->row.owner.ends_with(fmt::format(".{}", type)));
    if (of_type && !api->name.starts_with('_'))
      found.push_back({api->name, first_line(api->row.doc), std::string(api->row.signature)});
  }
  return found;
}

}  // namespace

Library::Library() {
  ir::Context::Use use(context_);
  evaluator_ = std::make_unique<repl::Interpreter>();
  evaluator_->argv = {"/dev/null/library.mlc"};  // see build_definition
  evaluator_->out = [](std::string_view) {};
  evaluator_->err = [](std::string_view) {};
  builtins_ = evaluator_->builtin_names();
}

Library::~Library() {
  ir::Context::Use use(context_);
  evaluator_.reset();
}

const std::string& Library::explain(const std::string& path) {
  auto known = docs_.find(path);
  if (known != docs_.end()) return known->second;
  ir::Context::Use use(context_);
  std::string text;
  try {
    repl::Explained found = repl::explain_name(*evaluator_, path);
    if (found.known) text = std::move(found.text);
  } catch (const ir::Error&) {  // a module of the library that needs what is not there has no documentation
  }
  return docs_.emplace(path, std::move(text)).first->second;
}

std::vector<LibraryName> Library::read_members(const std::string& path) {
  std::vector<LibraryName> found;
  if (path.find('.') == std::string::npos) found = methods_of(path);
  if (!found.empty()) return found;
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  ir::Context::Use use(context_);
  for (const std::string& name : registry.members(path)) {
    const ir::Api* api = registry.find(path + "." + name);
    found.push_back(api == nullptr
                        ? LibraryName{name, "module", ""}
                        : LibraryName{name, first_line(api->row.doc), std::string(api->row.signature)});
  }
  try {
    uint32_t file =
        ir::SourceMap::current().add("<members>", fmt::format("import {} as _module\n_module\n", path));
    Any module = evaluator_->evaluate_repl(file);
    for (std::string& name : evaluator_->attribute_names(module)) {
      if (name.starts_with('_')) continue;
      if (std::ranges::find(found, name, &LibraryName::name) != found.end()) continue;
      Any value;
      std::string doc;
      if (evaluator_->find_attribute(module, syntax::Symbol(name), value))
        doc = repl::doc_line(*evaluator_, value);
      found.push_back({std::move(name), std::move(doc), ""});
    }
  } catch (const ir::Error&) {  // no module, but perhaps a function: nothing stands behind its dot
  }
  return found;
}

const std::vector<LibraryName>& Library::members(const std::string& path) {
  auto known = members_.find(path);
  if (known != members_.end()) return known->second;
  std::vector<LibraryName> found = read_members(path);
  std::ranges::sort(found, {}, &LibraryName::name);
  return members_.emplace(path, std::move(found)).first->second;
}

std::vector<std::string> Library::parameters(const std::string& path) const {
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  const ir::Api* api = registry.find(path);
  for (const ir::Api* each : api == nullptr ? registry.all() : std::vector<const ir::Api*>()) {
    bool same = each->row.kind == ir::ApiKind::kMethod && each->path() == path;
    if (same || (each->row.kind == ir::ApiKind::kMethod && each->path().ends_with("." + path))) api = each;
  }
  std::vector<std::string> found;
  if (api == nullptr) return found;
  for (const ir::ApiParam& param : api->params) {
    bool named =
        param.kind == ir::ApiParam::Kind::kPositional || param.kind == ir::ApiParam::Kind::kKeywordOnly;
    if (named && param.name != "self") found.push_back(param.name);
  }
  return found;
}

const std::vector<std::string>& Library::intrinsics() {
  if (!intrinsics_.empty()) return intrinsics_;
  ir::Context::Use use(context_);
  for (std::string_view module : script::stdlib_modules()) {
    if (!module.starts_with("tvm.s_tir.tensor_intrin")) continue;
    try {
      evaluator_->evaluate_repl(
          ir::SourceMap::current().add("<intrinsics>", fmt::format("import {}\n", module)));
    } catch (const ir::Error&) {  // its intrinsics need what is not there
    }
  }
  for (const auto& [name, intrinsic] : context_.tensor_intrins) intrinsics_.push_back(name);
  return intrinsics_;
}

}  // namespace mlc::lsp
