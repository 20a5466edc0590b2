// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/target/target.h"

namespace mlc::ir {

enum class AttrType : uint8_t { kString, kInt, kBool, kStrings, kTarget, kTargets, kAny };

// What TVM calls the type: "Array<str>".
std::string_view type_name_of(AttrType type);

struct TargetKindRow {
  std::string_view name;
  DLDeviceType device;  // that code of this kind runs on
  std::initializer_list<std::string_view> keys;
  std::string_view defaults = "";  // what a specification leaves out, in JSON
};
std::span<const TargetKindRow> target_kind_rows();
// Throws Error unknown-target with suggestions.
const TargetKindRow& target_kind_row(std::string_view name);

// The options that specifications of this kind may have, in TVM's order: "kind" and "keys" first.
std::vector<std::pair<std::string_view, AttrType>> target_options(std::string_view kind);
// The attributes in the order in which TVM's targets show them.
Map<String, Any> in_shown_order(std::string_view kind, const Map<String, Any>& given,
                                const Map<String, Any>& all);

// The specification, in JSON, of a tag; empty where there is no such tag.
std::string target_of_tag(std::string_view tag);
std::vector<std::string> target_tags();
// Adds what is known of Arm processors to the attributes; false for others.
bool add_arm_features(std::string_view kind, Map<String, Any>& attrs);
// Who knows which features (by LLVM's names) the processor of a target has.
using ProcessorHas = bool (*)(const Target& target, std::string_view feature);
void ask_processors(ProcessorHas has);

// Registers the tag for this specification.
void set_target_tag(std::string tag, std::string json);

}  // namespace mlc::ir
