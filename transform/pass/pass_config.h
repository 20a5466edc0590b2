// SPDX-License-Identifier: Apache-2.0
// The configuration that a PassContext takes: which keys there are, and the options that some of them hold.
#pragma once

#include "transform/pass/pass.h"

namespace mlc::transform {

// The options of one pass, as `LoopPartitionConfig(partition_const_loop=True)` makes them: every field is
// there.
struct PassConfigNode final : ffi::Object {
  String type;  // "s_tir.transform.LoopPartitionConfig"
  Map<String, Any> values;

  PassConfigNode(String type, Map<String, Any> values) : type(std::move(type)), values(std::move(values)) {}
  MLC_NODE("mlc.transform.PassConfig", PassConfigNode, ffi::Object);
};
using PassConfig = Ref<PassConfigNode>;

// The entries as the passes read them: dictionaries become options, numbers the type of their key. Throws
// Error unknown-config, wrong-config, config-not-available.
Map<String, Any> checked_config(const Map<String, Any>& config);
// What `PassContext.list_configs()` returns: {"type": ...} by key.
Map<String, Any> config_types();

std::span<const ApiRow> pass_config_rows();

}  // namespace mlc::transform
