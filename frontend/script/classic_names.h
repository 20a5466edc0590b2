// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::script {

void register_classic_names();  // aliases in the api registry

}  // namespace mlc::script
