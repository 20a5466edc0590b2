// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/library.h"

#include "frontend/script/machine.h"

namespace mlc::script {

Any library_member(ir::Host& host, std::string_view path, std::string_view text, std::string_view member) {
  auto* evaluator = dynamic_cast<Evaluator*>(&host);
  if (evaluator == nullptr) throw ir::Error("unsupported", "this host runs no programs");
  Evaluator::State& state = evaluator->state();
  std::string key = "stdlib/" + std::string(path);
  auto found = state.files.find(key);
  if (found == state.files.end()) {
    Ref<ModuleNode> module = state.new_module(std::string(path.substr(0, path.rfind('.'))));
    uint32_t id = ir::SourceMap::global().add(key, std::string(text));
    state.run_module(id, module, false);
    found = state.files.emplace(key, Any(module)).first;
  }
  return evaluator->attribute(found->second, Symbol(member));
}

}  // namespace mlc::script
