// SPDX-License-Identifier: Apache-2.0
// What books, courses and older programs call things, and what they are called now. The one table of it: the
// registry finds functions by it, the printer's classic dialect and `mlc fix` spell by it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mlc::ir {

struct ClassicName {
  enum class Kind : uint8_t {
    kPath,       // a module, function or class, and everything below it
    kSynonym,    // likewise, of what was known by its name of today too: the classic dialect prints that
    kMethod,     // of objects: `sch.get_block`
    kAttribute,  // a property of objects: `x.struct_info`
    kKeyword,    // of a call: `out_sinfo=`
    kString,     // a name within quotes: "tir.noalias"
    kRemoved,    // a path that has no successor; `to` says why or what to do
    kRemovedMethod,
    kRemovedKeyword,
  };
  Kind kind;
  std::string_view from;
  std::string_view to;
};

std::span<const ClassicName> classic_names();

// The path of today of a dotted path: the row with the longest prefix, again until none applies. Paths that
// no row knows are returned as they are.
std::string current_path(std::string_view path);
// The row of that kind and name, or null.
const ClassicName* find_classic(ClassicName::Kind kind, std::string_view from);
// Of a method that objects had: why it is gone, or what to do; "" for others.
std::string_view removed_method(std::string_view name);

}  // namespace mlc::ir
