// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/debug_lines.h"

#include <llvm/ADT/Hashing.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Support/CommandLine.h>

#include <filesystem>

#include "backend/llvm/pch.h"

namespace mlc::llvm_backend {

namespace {

// Line tables know no variables, but LLVM follows variables through registers all the same, and by the newer
// of its two ways that takes a twentieth of a compilation. This option is the only way to the older one.
void follow_no_variables() {
  auto& options = llvm::cl::getRegisteredOptions();
  auto found = options.find("experimental-debug-variable-locations");
  if (found != options.end())
    static_cast<llvm::cl::opt<llvm::cl::boolOrDefault>*>(found->second)->setValue(llvm::cl::BOU_FALSE);
}

}  // namespace

size_t DebugLines::Hash::operator()(const Key& key) const {
  return llvm::hash_combine(key.function, key.span.file, key.span.begin, key.span.end);
}

DebugLines::DebugLines(llvm::Module& module) : module_(module) {
  follow_no_variables();
  std::error_code ignored;
  folder_ = std::filesystem::current_path(ignored).string();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  // Version 5 has nothing that line tables need, and takes more sections for them.
  module.addModuleFlag(llvm::Module::Max, "Dwarf Version", 4);
}

DebugLines::Unit& DebugLines::unit_of(uint32_t file) {
  Unit*& known = of_file_[file];
  if (known != nullptr) return *known;
  std::string name = file == 0 ? "<generated>" : ir::SourceMap::current().file(file).name;
  known = &units_[name];
  if (known->unit != nullptr) return *known;
  known->builder = std::make_unique<llvm::DIBuilder>(module_);
  known->file = known->builder->createFile(name, folder_);
  // The language has no number of its own; C's makes debuggers read names and expressions as they are.
  known->unit = known->builder->createCompileUnit(llvm::dwarf::DW_LANG_C99, known->file, "mlc", true, "", 0,
                                                  "", llvm::DICompileUnit::LineTablesOnly);
  return *known;
}

llvm::DISubprogram* DebugLines::begin(llvm::Function& function, ir::Span place) {
  Unit& unit = unit_of(place.file);
  uint32_t line = place ? ir::SourceMap::current().position(place.file, place.begin).line : 0;
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized;
  if (function.hasLocalLinkage()) flags |= llvm::DISubprogram::SPFlagLocalToUnit;
  auto* type = unit.builder->createSubroutineType(unit.builder->getOrCreateTypeArray({}));
  llvm::DISubprogram* made = unit.builder->createFunction(unit.file, function.getName(), "", unit.file, line,
                                                          type, line, llvm::DINode::FlagPrototyped, flags);
  function.setSubprogram(made);
  return made;
}

llvm::DILocation* DebugLines::at(llvm::DISubprogram* function, ir::Span span) {
  llvm::DILocation*& made = made_[{function, span}];
  if (made != nullptr) return made;
  if (!span) return made = llvm::DILocation::get(module_.getContext(), 0, 0, function);
  llvm::DILocalScope* scope = function;
  Unit& unit = unit_of(span.file);
  if (unit.file != function->getFile()) scope = unit.builder->createLexicalBlockFile(function, unit.file, 0);
  ir::Position at = ir::SourceMap::current().position(span.file, span.begin);
  return made = llvm::DILocation::get(module_.getContext(), at.line, at.column, scope);
}

void DebugLines::finish() {
  for (auto& [name, unit] : units_) unit.builder->finalize();
}

std::vector<ir::Span> DebugLines::places() const {
  std::vector<ir::Span> all;
  for (const auto& [key, location] : made_) {
    if (key.span) all.push_back(key.span);
  }
  return all;
}

}  // namespace mlc::llvm_backend
