// SPDX-License-Identifier: Apache-2.0
// The tables of api rows of this room, one function per subject.
#pragma once

#include <span>

#include "ir/registry/api.h"

namespace mlc::tvmscript {

inline constexpr std::string_view kT = "tvm.script.tirx";  // owner of T.*

std::span<const ir::ApiRow> dtype_rows();
std::span<const ir::ApiRow> loop_rows();
std::span<const ir::ApiRow> block_rows();
std::span<const ir::ApiRow> buffer_rows();
std::span<const ir::ApiRow> buffer_value_rows();
std::span<const ir::ApiRow> layout_rows();
std::span<const ir::ApiRow> hardware_layout_rows();
std::span<const ir::ApiRow> layout_relation_rows();
std::span<const ir::ApiRow> statement_rows();
std::span<const ir::ApiRow> arithmetic_rows();
std::span<const ir::ApiRow> call_rows();
std::span<const ir::ApiRow> module_rows();
std::span<const ir::ApiRow> global_info_rows();
std::span<const ir::ApiRow> node_method_rows();
std::span<const ir::ApiRow> op_attribute_rows();
std::span<const ir::ApiRow> span_rows();
std::span<const ir::ApiRow> module_method_rows();
std::span<const ir::ApiRow> template_rows();
void register_template_hooks();
std::span<const ir::ApiRow> ir_builder_rows();
std::span<const ir::ApiRow> node_rows();
std::span<const ir::ApiRow> node_stmt_rows();

// The second addresses of nodes and operators: tvm.prim.Add, tvm.tirx.stmt.For, tvm.tirx.call_extern.
void register_node_aliases();
std::span<const ir::ApiRow> constant_rows();
std::span<const ir::ApiRow> kernel_rows();
std::span<const ir::ApiRow> scope_rows();
std::span<const ir::ApiRow> pool_rows();
std::span<const ir::ApiRow> tile_rows();
std::span<const ir::ApiRow> device_rows();
std::span<const ir::ApiRow> device_form_rows();
std::span<const ir::ApiRow> ptx_rows();

// A member of script classes: @T.meta_class has marked them.
inline constexpr std::string_view kMetaClassMark = "_is_meta_class";

}  // namespace mlc::tvmscript
