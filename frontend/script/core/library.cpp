// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/library.h"

#include "frontend/script/core/importer.h"

namespace mlc::script {

Any library_member(ir::Host& host, const std::string& module, std::string_view member) {
  auto* evaluator = dynamic_cast<Evaluator*>(&host);
  if (evaluator == nullptr) throw ir::Error("unsupported", "this host runs no programs");
  Any found = evaluator->state().importer->of_library(module);
  MLC_CHECK(!is_none(found), "`{}` is part of the program", module);
  return evaluator->attribute(found, Symbol(member));
}

ir::LibraryResult call_library(std::string_view module, std::string_view function,
                               std::span<const Any> args) {
  Evaluator* evaluator = Evaluator::newest();
  if (evaluator == nullptr) {
    static auto& own = *new Evaluator;  // lives as long as the process
    evaluator = &own;
  }
  return {evaluator->call(library_member(*evaluator, std::string(module), function), args), *evaluator};
}

}  // namespace mlc::script
