// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/build.h"

#include "backend/interp/compare.h"
#include "ir/registry/api.h"

namespace mlc::backend {
ir::ffi::Module build_lowered(const ir::IRModule& lowered, const ir::Target& target) {
  return backend_of(target).make_module(lowered, target);
}

std::vector<ir::Any> run_built(const ir::ffi::Module& built, const std::string& function,
                               const std::vector<ir::Any>& args) {
  auto callee = built->GetFunction(function);
  if (!callee) throw ir::Error("no-such-function", "the compiled module has no function `{}`", function);
  std::vector<ir::Any> own = interp::copies(args);
  std::vector<ir::ffi::AnyView> views(own.begin(), own.end());
  ir::Any result;
  (*callee).CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
  return own;
}
std::vector<ir::Any> run_compiled(const ir::IRModule& lowered, const std::string& function,
                                  const std::vector<ir::Any>& args) {
  static const ir::Target target = ir::parse_target(ir::Any(ir::String(default_target_kind())));
  return run_built(build_lowered(lowered, target), function, args);
}

}  // namespace mlc::backend
