// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass_context.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {
namespace {

// Passes of TVM that mlc has not.
struct Absent {
  std::string_view owner;
  std::string_view name;
  std::string_view why;
};
constexpr Absent absent[] = {
    {"backend.trn.transform", "LowerTrainiumLayout", "mlc compiles nothing for Trainium"},
};

Any refuse_pass(ApiCall& call) {
  const Absent& row = *std::ranges::find(absent, call.api.name, &Absent::name);
  throw refuse(pass_refusals["pass-not-available"], row.name, row.why).at(call.span);
}

}  // namespace

std::span<const ApiRow> absent_pass_rows() {
  static std::vector<ApiRow> rows;
  for (const Absent& row : absent) {
    rows.push_back({ApiKind::kFunction, keep("tvm." + std::string(row.owner)),
                    keep(std::string(row.name) + "(*args, **kwargs)"), row.why, refuse_pass});
  }
  return rows;
}

}  // namespace mlc::transform
