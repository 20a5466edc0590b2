// SPDX-License-Identifier: Apache-2.0
// Modules of stdlib/ that are part of the program: what the api registry offers, written in the language
// itself.
#pragma once

#include "frontend/script/core/value.h"
#include "ir/registry/host.h"

namespace mlc::script {

// A name that such a module ("np.random") defines. The module runs when it is first asked for. `host` must be
// the evaluator that asks.
Any library_member(ir::Host& host, const std::string& module, std::string_view member);

}  // namespace mlc::script
