// SPDX-License-Identifier: Apache-2.0
#include "backend/runtime/tensor.h"

#include <tvm/ffi/error.h>

#include "backend/runtime/interrupt.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/context.h"

namespace mlc::runtime {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "call-failed"},
                                           {.name = "code-interrupted",
                                            .kind = "KeyboardInterrupt",
                                            .message = "interrupted in compiled code",
                                            .meaning = "Ctrl-C has ended a compiled function. Its results may be "
                                                       "written in part."},
                                       }};
MLC_REFUSALS(runtime_tensor, refusals);

using ir::Any;
using ir::Error;

void call_entry(TVMFFISafeCallType entry, ir::ffi::PackedArgs args, Any* result) {
  const auto* given = reinterpret_cast<const TVMFFIAny*>(args.data());
  ir::Context::current().error_below = nullptr;
  int status = 0;
  if (call_interruptibly(entry, given, args.size(), reinterpret_cast<TVMFFIAny*>(result), status))
    throw ir::refuse(refusals["code-interrupted"]);
  if (status == 0) return;
  ir::ffi::Error raised = ir::ffi::details::MoveFromSafeCallRaised();
  if (auto error = std::exchange(ir::Context::current().error_below, nullptr)) std::rethrow_exception(error);
  std::string kind(raised.kind());
  std::string message(raised.message());
  constexpr std::string_view where = "\n  in a call of ";
  size_t at = message.find(where);
  std::string call = at == std::string::npos ? "" : message.substr(at + where.size());
  Error error = ir::refuse_as(refusals["call-failed"], "{}", message.substr(0, at));
  std::move(error).kind(kind);
  if (!call.empty()) std::move(error).note("the call is of " + call);
  throw error;
}

}  // namespace mlc::runtime
