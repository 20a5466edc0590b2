// SPDX-License-Identifier: Apache-2.0
// Where code comes from, as DWARF line tables: debuggers, profilers and the report of a crash name the lines
// of the program. Line tables and nothing else: the machine code is the same with them and without.
//
// Every source file is a compile unit. A function that was written in one file may hold statements of another
// (a library's expression in a program's loop); their locations name their own file.
#pragma once

#include <llvm/IR/DIBuilder.h>

#include <map>
#include <unordered_map>

#include "ir/core/span.h"

namespace mlc::llvm_backend {

class DebugLines {
 public:
  explicit DebugLines(llvm::Module& module);

  // Adds the entry of a function; `place` is where it begins, and may be unknown (line 0).
  llvm::DISubprogram* begin(llvm::Function& function, ir::Span place);
  // Nothing known of a place is line 0 of its function.
  llvm::DILocation* at(llvm::DISubprogram* function, ir::Span span);
  void finish();
  // Every span that code was given.
  std::vector<ir::Span> places() const;

 private:
  struct Unit {
    std::unique_ptr<llvm::DIBuilder> builder;
    llvm::DIFile* file = nullptr;
    llvm::DICompileUnit* unit = nullptr;
  };
  struct Key {
    const llvm::DISubprogram* function;
    ir::Span span;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };

  Unit& unit_of(uint32_t file);

  llvm::Module& module_;
  std::string folder_;
  std::map<std::string, Unit> units_;            // by file name: a text read twice is one file
  std::unordered_map<uint32_t, Unit*> of_file_;  // by number in the source map
  std::unordered_map<Key, llvm::DILocation*, Hash> made_;
};

}  // namespace mlc::llvm_backend
