// SPDX-License-Identifier: Apache-2.0
// Some rows of what a function computes, where all of them would take too long.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/core/module.h"

namespace mlc::repl {

// The rows `first + i * step` of one dimension of what is written; the last row is one of them.
struct RowSample {
  ir::PrimFunc fn;  // computes them as the whole function does, and leaves the others as they were
  int64_t rows = 0, first = 0, step = 1, count = 0;
  // Of each parameter the dimension along which it has rows; nothing where all of it is computed, or nothing
  // is written.
  std::vector<std::optional<size_t>> dimensions;

  bool has(int64_t row) const { return row >= first && (row - first) % step == 0; }
  // "16 of 1024 rows of `C` (18, 85, ... 1023)".
  std::string text() const;
};

// A loop nest is cut where one of its loops runs over the rows of all that it writes, and each row uses those
// of the same number alone of what other cut nests have written: then the rows that are computed are exactly
// those of the whole function. Nothing where no cut of that kind brings the function's work (interp::work)
// below `most_work`.
std::optional<RowSample> sample_rows(const ir::PrimFunc& fn, double most_work);

}  // namespace mlc::repl
