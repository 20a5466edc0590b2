// SPDX-License-Identifier: Apache-2.0
// An error that tells a script something else than its report says: TVM's words.
#pragma once

#include <string>
#include <utility>

#include "ir/core/error.h"

namespace mlc::ir {

class SaidError final : public Error {
 public:
  // `said`: what `str(error)` is; the report stays that of `error`.
  SaidError(Error error, std::string said) : Error(std::move(error)), said(std::move(said)) {}
  std::string said;
};

}  // namespace mlc::ir
