// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/library.h"

#include "frontend/script/importer.h"

namespace mlc::script {

Any library_member(ir::Host& host, const std::string& module, std::string_view member) {
  auto* evaluator = dynamic_cast<Evaluator*>(&host);
  if (evaluator == nullptr) throw ir::Error("unsupported", "this host runs no programs");
  Any found = evaluator->state().importer->of_library(module);
  MLC_CHECK(!is_none(found), "`{}` is part of the program", module);
  return evaluator->attribute(found, Symbol(member));
}

}  // namespace mlc::script
