// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::backend {

void register_source_api();  // mlc.codegen.*_source

}  // namespace mlc::backend
