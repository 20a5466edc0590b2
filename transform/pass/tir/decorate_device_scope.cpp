// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform::pass_decorate_device_scope {
namespace {

constexpr char doc[] = R"(DecorateDeviceScope(): say that the whole function runs on the device.

    S                       =>      with T.attr({"device_scope": 0}):
                                        S
needs: nothing.
keeps: every statement.
Before host and device are split, for functions without threads.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return with_body(fn, make<AttrStmtNode>(Any(int32(0)), "device_scope", int32(0), fn->body));
}

}  // namespace

extern const Pass decorate_device_scope{"DecorateDeviceScope", "s_tir.transform", "DecorateDeviceScope()",
                                        doc, apply};

}  // namespace mlc::transform::pass_decorate_device_scope
