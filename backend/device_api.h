// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::backend {

void register_device_api();

}  // namespace mlc::backend
