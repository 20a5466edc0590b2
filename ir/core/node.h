// SPDX-License-Identifier: Apache-2.0
// How the fields of an IR node are read. A node is a struct of plain fields plus one list, `fields`, that
// names each and says what it means: f(...) for a use, f.binder(...), f.pattern(...), f.ignored(...).
// Structural equality, hash, JSON, script attributes, walking and rewriting all follow from that list.
// Headers of nodes do not need this file.
#pragma once

#include <cstdint>
#include <utility>

namespace mlc::ir {

// What a field means to equality, hashing, and renaming.
enum class Role : uint8_t {
  kUse,      // compared; variables in it refer to definitions elsewhere
  kBinder,   // defines the variable(s) in it; their types are uses
  kPattern,  // defines the variable(s) in it and the free variables of their types (parameters)
  kIgnore,   // not part of the meaning: names, spans
};

// What `fields` of a node is given: hands each field to `read` as (name, pointer to member, role).
template <class F>
class Fields {
 public:
  explicit Fields(F read) : read_(std::move(read)) {}
  template <class Member>
  void operator()(const char* name, Member member) {
    read_(name, member, Role::kUse);
  }
  template <class Member>
  void binder(const char* name, Member member) {
    read_(name, member, Role::kBinder);
  }
  template <class Member>
  void pattern(const char* name, Member member) {
    read_(name, member, Role::kPattern);
  }
  template <class Member>
  void ignored(const char* name, Member member) {
    read_(name, member, Role::kIgnore);
  }

 private:
  F read_;
};

template <class N, class F>
void each_field(F read) {
  Fields<F> fields(std::move(read));
  N::fields(fields);
}

}  // namespace mlc::ir
