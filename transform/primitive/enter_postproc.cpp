// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/primitive.h"

namespace mlc::transform::primitive_enter_postproc {

static constexpr char doc[] = R"(
enter_postproc()      Mark where the post-processing of a schedule begins.

    sch.enter_postproc()

Changes nothing; traces can be cut here.
)";

static void apply(Step&) {}

extern const Primitive enter_postproc;
const Primitive enter_postproc = primitive<&apply>("EnterPostproc", "enter_postproc()", doc);

}  // namespace mlc::transform::primitive_enter_postproc
