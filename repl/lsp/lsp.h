// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlc::lsp {

// The language server on standard input and output; the exit code. See server.h.
int run_server();

}  // namespace mlc::lsp
