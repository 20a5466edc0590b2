// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/captured_scope.h"

#include "frontend/script/core/machine.h"

namespace mlc::script {
namespace {

class Captured final : public NameScope {
 public:
  explicit Captured(Frame* where) {
    if (where == nullptr) return;
    module_ = ir::ref(where->module);
    for (Frame* at = where; at != nullptr; at = at->outer) {
      for (const auto& [name, value] : at->locals) values_.emplace(name, value);
      if (at->cls != nullptr) {
        for (const auto& [name, value] : at->cls->members) values_.emplace(name, value);
      }
      if (at->dynamic || at->info == nullptr) continue;
      for (const auto& [name, place] : at->info->names) {
        if (storage_of(place) == Storage::kLocal || storage_of(place) == Storage::kCell) {
          const Any& value = at->slots[index_of(place)];
          if (!is_unbound(value)) values_.emplace(name, value);
        }
      }
    }
  }
  const Any* find(Symbol name) override {
    auto found = values_.find(name);
    if (found != values_.end()) {
      auto* cell = as<CellNode>(found->second);
      const Any* value = cell == nullptr ? &found->second : &cell->value;
      if (!is_unbound(*value)) return value;
    }
    return module_ ? module_->find(name) : nullptr;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, value] : values_) all.emplace_back(name.str());
    return all;
  }

 private:
  std::unordered_map<Symbol, Any> values_;
  Ref<ModuleNode> module_;
};

}  // namespace

std::shared_ptr<NameScope> capture(Scope where) { return std::make_shared<Captured>(where); }

std::vector<Symbol> captured_names(Evaluator::State& state, const std::vector<Symbol>& free, Frame& f) {
  std::vector<Symbol> captured;
  for (Symbol name : free) {
    const Any* found = state.find_dynamic(name, f);
    if (found != nullptr && !is_unbound(*found) && found != f.module->find(name) && !state.builtins.contains(name))
      captured.push_back(name);
  }
  return captured;
}

}  // namespace mlc::script
