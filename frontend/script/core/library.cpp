// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/library.h"

#include "frontend/script/core/importer.h"
#include "frontend/script/types/equality.h"

namespace mlc::script {

Any library_member(ir::Host& host, const std::string& module, std::string_view member) {
  auto* evaluator = dynamic_cast<Evaluator*>(&host);
  if (evaluator == nullptr) throw ir::Error("unsupported", "this host runs no programs");
  Any found = evaluator->state().importer->of_library(module);
  MLC_CHECK(!is_none(found), "`{}` is part of the program", module);
  return evaluator->attribute(found, Symbol(member));
}

Any Evaluator::call_library(std::string_view module, std::string_view function, std::span<const Any> args) {
  return call(library_member(*this, std::string(module), function), args);
}

void Evaluator::at_end(std::function<void()> action) { state_->at_end.push_back(std::move(action)); }

bool Evaluator::find_attribute(const Any& object, std::string_view name, Any& out) {
  return find_attribute(object, Symbol(name), out);
}

Any Evaluator::call_method(const Any& object, std::string_view name, std::span<const Any> args,
                           std::span<const ir::Keyword> keywords) {
  return settled(call(attribute(object, Symbol(name)), args, keywords, {}));
}

}  // namespace mlc::script
