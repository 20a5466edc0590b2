// SPDX-License-Identifier: Apache-2.0
// The tables of api rows of this room, one function per subject.
#pragma once

#include <span>

#include "ir/registry/api.h"

namespace mlc::tvmscript {

inline constexpr std::string_view kT = "tvm.script.tirx";  // owner of T.*

// The tables: `name_rows()` of each.
#define MLC_TVMSCRIPT_TABLES(X)                                                                   \
  X(dtype) X(loop) X(block) X(buffer) X(buffer_value) X(layout) X(hardware_layout) X(statement)   \
  X(arithmetic) X(call) X(module) X(module_method) X(node) X(node_stmt) X(constant)               \
  X(ir_builder) X(kernel) X(scope) X(tile) X(device) X(device_form) X(ptx) X(global_info)         \
  X(node_method) X(op_attribute) X(op_attrs) X(span) X(layout_relation) X(pool) X(graph)          \
  X(graph_type) X(graph_dist)
#define X(name) std::span<const ir::ApiRow> name##_rows();
MLC_TVMSCRIPT_TABLES(X)
X(template)  // behind the aliases
#undef X
void register_template_hooks();
void register_graph_hooks();  // @R.function

// The second addresses of nodes and operators: tvm.prim.Add, tvm.tirx.stmt.For, tvm.tirx.call_extern.
void register_node_aliases();

// A member of script classes: @T.meta_class has marked them.
inline constexpr std::string_view kMetaClassMark = "_is_meta_class";

}  // namespace mlc::tvmscript
