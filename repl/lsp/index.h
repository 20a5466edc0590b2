// SPDX-License-Identifier: Apache-2.0
// The names of a program: what each is, where it is made and used. Found in the tree alone, nothing runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/syntax/ast.h"

namespace mlc::lsp {

enum class Kind : uint8_t {
  kImport,
  kFunction,
  kClass,
  kVariable,
  kParameter,
  kBuffer,
  kLoop,
  kIterator,  // of a block
  kBlock,
  kDimension,  // symbolic, of a function of graphs
};

constexpr uint32_t kNone = 0xFFFFFFFF;

struct Entity {
  std::string name;
  Kind kind{};
  uint32_t begin = 0, end = 0;  // of the name where it is made
  uint32_t from = 0, to = 0;    // of the whole that it names, a function, a loop
  uint32_t scope = 0;           // where it is made
  uint32_t inside = kNone;      // the function or class around it
  std::string path;             // imports: `tvm.script.tirx`
  std::string type;             // of a variable, where the text says it: `Schedule`
  uint32_t schedules = kNone;   // of a schedule: the module or function that it was made from
  uint32_t module = kNone;      // of `cls = Module`: the class
  size_t ordinal = 0;           // how many of its kind and name come before it in the function
  bool is_ir = false;           // a function or module of the IR
  bool can_rename = true;
};

// Of names that share their letters in a string: "C" where two functions have a block C.
struct Use {
  uint32_t begin = 0, end = 0;
  uint32_t entity = 0;
  bool writes = false;
  bool certain = true;  // false: one of several that it may mean
};

struct Scope {
  uint32_t begin = 0, end = 0;
  uint32_t outer = kNone;
  bool is_class = false;
  bool is_ir = false;
  std::unordered_map<syntax::Symbol, uint32_t> names;
};

// The word behind a dot.
struct Member {
  uint32_t begin = 0, end = 0;
  std::string path;  // `tvm.script.tirx.grid`, `Schedule.split`; "" where the text does not say whose it is
};

// A name that nothing in the program binds: a builtin, or a mistake.
struct FreeName {
  std::string_view name;  // of the text that was read
  uint32_t begin = 0;
  uint32_t scope = 0;  // in which it is used
};

class Index {
 public:
  Index(std::string_view text, const syntax::Module& module);

  std::vector<Entity> entities;
  std::vector<Scope> scopes;    // 0 is the file's
  std::vector<Use> uses;        // in order of place
  std::vector<Member> members;  // in order of place
  std::vector<FreeName> free_names;

  // The uses at an offset, one unless a string is ambiguous; a name is also touched at its end.
  std::vector<const Use*> uses_at(size_t offset) const;
  std::vector<const Use*> uses_of(uint32_t entity) const;
  // Where a name gets the value that it has at a use: the last place before, or null.
  const Use* write_before(const Use& use) const;
  const Member* member_at(size_t offset) const;
  uint32_t scope_at(size_t offset) const;
  // The entity that a name means there, or kNone.
  uint32_t find(std::string_view name, uint32_t scope) const;
  // The entities that can be named there, the nearest first.
  std::vector<uint32_t> visible(size_t offset) const;
  // The function of the IR around an entity, or kNone.
  uint32_t function_of(uint32_t entity) const;
};

}  // namespace mlc::lsp
