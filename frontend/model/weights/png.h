// SPDX-License-Identifier: Apache-2.0
// Pictures in PNG files, as models take them: bytes, row by row.
#pragma once

#include "frontend/model/weights/source.h"

namespace mlc::model {

// Rows, columns, channels (1: grey, 2: grey and alpha, 3: RGB, 4: RGB and alpha) of uint8. Palettes become
// RGB, of 16 bits the upper 8 stay. All of a file is checked before pixels are made. Raises ValueError, of
// interlaced pictures NotImplementedError.
ffi::Tensor read_png(const Source& source);

}  // namespace mlc::model
