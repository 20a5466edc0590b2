// SPDX-License-Identifier: Apache-2.0
// What loops of the library ask now and then, so that Ctrl-C stops them within some milliseconds.
#pragma once

namespace mlc::script {

// Throws error interrupted where Ctrl-C was pressed since the last time.
void heed_interrupt();

}  // namespace mlc::script
