// SPDX-License-Identifier: Apache-2.0
// What one object of a script holds, as a value of its own: taken from the object, compared, and put back
// into it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/script/core/value.h"
#include "ir/core/module.h"
#include "repl/session/surroundings.h"
#include "transform/schedule/snapshot.h"

namespace mlc::repl {

using ir::Any;

struct HeldNames {  // of the main module, without `_`
  std::vector<std::pair<std::string, Any>> bound;
};
struct HeldSlots {  // of a module that the program has imported from a file
  std::vector<std::pair<syntax::Symbol, Any>> bound;
};
struct HeldItems {
  std::vector<Any> items;
};
struct HeldEntries {
  std::vector<std::pair<Any, Any>> entries;
};
struct HeldAttributes {
  std::vector<std::pair<syntax::Symbol, Any>> attributes;
  Any dict, payload;  // of instances
};
struct HeldTable {
  std::vector<script::SetNode::Entry> entries;
  size_t used, filled;
};
struct HeldBytes {  // the elements of an array in row-major order, or the state of a random stream
  std::vector<char> bytes;
};
struct HeldCell {
  Any value;
};
struct HeldFunctions {  // of an IRModule, which scripts change in place
  ir::Map<ir::GlobalVar, ir::BaseFunc> functions;
  ir::Map<ir::String, Any> attrs, infos;
};
struct HeldSchedule {
  transform::ScheduleSnapshot snapshot;
};
struct HeldScheduleChange {  // from one state to the next
  transform::ScheduleChange change;
};
// Of what does not change, or changes without being kept: only its size counts.
struct HeldSize {
  size_t bytes = 0;
};

using Content =
    std::variant<HeldNames, HeldSlots, HeldItems, HeldEntries, HeldAttributes, HeldTable, HeldBytes, HeldCell,
                 HeldFunctions, HeldSchedule, HeldScheduleChange, HeldSize, Surroundings>;

bool same(const Content& a, const Content& b);
bool same(const HeldNames& a, const HeldNames& b);

// What the object holds now; nullopt for what neither changes nor is large. Not for arrays and schedules,
// which are compared where they are.
std::optional<Content> content_of(const Any& value);
// Is what such an object holds still `known`?
bool is_unchanged(const Any& value, const Content& known);
// Puts the contents back into the object they are of. Not for names, surroundings and schedules.
void put_back(const Any& object, const Content& content);

// The bytes that the contents take, without those of the objects that they refer to.
size_t bytes_of(const Content& content);

// ObjectMemory whose bytes are an object's contents: of a random stream, and of an array on the CPU.
struct ObjectMemory {
  char* compact = nullptr;                // null where it does not lie in one piece
  size_t size = 0;                        // of the elements
  bool kept = true;                       // false: it cannot be read, being another device's
  std::optional<ir::ffi::Tensor> tensor;  // of an array
};
std::optional<ObjectMemory> memory_of(const Any& value);
bool has_elements(const ObjectMemory& memory, const std::vector<char>& bytes);
std::vector<char> elements_of(const ObjectMemory& memory);

// What kind of thing the value is whose progress cannot be put back: "generator", "file"; "" for others.
std::string_view stream_kind(const Any& value);

// Calls `visit` on every value that the object refers to and that never changes, then on those of its
// contents.
void each_part(const Any& value, const std::function<void(const Any&)>& visit);
void each_part(const Content& content, const std::function<void(const Any&)>& visit);

}  // namespace mlc::repl
