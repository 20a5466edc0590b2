// SPDX-License-Identifier: Apache-2.0
#include "frontend/fix/names.h"

namespace mlc::fix {

std::string Imports::path_of(const syntax::Expr* expr, const Binding** root) const {
  if (auto* name = syntax::as<syntax::Name>(expr)) {
    const Binding* binding = find(name->id.str());
    if (binding == nullptr) return "";
    if (root != nullptr) *root = binding;
    return binding->path;
  }
  auto* attribute = syntax::as<syntax::Attribute>(expr);
  if (attribute == nullptr) return "";
  std::string base = path_of(attribute->value, root);
  return base.empty() ? base : base + "." + std::string(attribute->attr.str());
}

std::optional<std::string> Imports::spell(std::string_view path, const Binding& preferred) const {
  auto below = [&](const Binding& binding) {
    return path == binding.current ||
           (path.starts_with(binding.current) && path[binding.current.size()] == '.');
  };
  const Binding* best = below(preferred) ? &preferred : nullptr;
  if (best == nullptr) {
    for (const auto& [name, binding] : bindings_) {
      if (below(binding) && (best == nullptr || binding.current.size() > best->current.size()))
        best = &binding;
    }
  }
  if (best == nullptr) return std::nullopt;
  return best->name + std::string(path.substr(best->current.size()));
}

}  // namespace mlc::fix
