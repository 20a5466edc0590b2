// SPDX-License-Identifier: Apache-2.0
// What is wrong with a document, as the protocol has it.
#pragma once

#include "repl/lsp/server.h"

namespace mlc::lsp {

json diagnostics_of(Document& document);
json to_json(const Document& document, const ir::Diagnostic& diagnostic);

}  // namespace mlc::lsp
