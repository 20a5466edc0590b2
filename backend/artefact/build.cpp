// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/build.h"

#include "backend/artefact/write_file.h"
#include "backend/interp/compare.h"
#include "backend/llvm/code.h"
#include "backend/llvm/module.h"
#include "ir/registry/api.h"
#include "ir/registry/no_script.h"

namespace mlc::backend {
namespace {

using ir::Error;

// The function a program runs: `main`, or the only exported one.
std::string program_function(const ir::IRModule& lowered) {
  std::vector<std::string> exported;
  for (const auto& [global, fn] : lowered->functions) {
    if (auto symbol = ir::attr(fn, "global_symbol")) exported.emplace_back(symbol->cast<ir::String>());
  }
  for (const std::string& name : exported) {
    if (name == "main") return name;
  }
  if (exported.size() == 1) return exported[0];
  throw Error("no-main-function",
              "a program needs a function `main`, or only one function; the module has {}",
              exported.empty() ? "none" : fmt::format("{}", fmt::join(exported, ", ")));
}

constexpr std::pair<std::string_view, std::string_view> kinds[] = {
    {"so", ".so"}, {"a", ".a"},   {"obj", ".o"},  {"exe", ""},
    {"ll", ".ll"}, {"asm", ".s"}, {"package", ""}};  // in the order of Emit

ir::IRModule lower(const ir::IRModule& mod, const ir::Target& target) {
  ir::NoScript host;  // lowering belongs to the transform room, which registers it
  return backend::lower(mod, target, ir::Any(ir::String("default")), host);
}

}  // namespace

ir::IRModule lower(const ir::IRModule& mod, const ir::Target& target, const ir::Any& pipeline,
                   ir::Host& host) {
  const ir::Api* api = ir::ApiRegistry::global().find("mlc.transform.lower");
  MLC_CHECK(api != nullptr, "mlc.transform.lower is not registered");
  ir::Any args[] = {mod, target, pipeline};
  return ir::call_api(*api, host, {args, {}, {}, {}, {}}).cast<ir::IRModule>();
}

ir::ffi::Module build(const ir::IRModule& mod, const ir::Target& target) {
  return build_lowered(lower(mod, target), target);
}
ir::ffi::Module build_lowered(const ir::IRModule& lowered, const ir::Target& target) {
  return llvm_backend::make_module(lowered, target);
}

Emit emit_kind(std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::size(kinds); ++i) {
    if (kinds[i].first == name) return static_cast<Emit>(i);
    names.emplace_back(kinds[i].first);
  }
  throw Error("unknown-emit-kind", "nothing can be emitted as `{}`", name)
      .help(fmt::format("there are {}", fmt::join(names, ", ")));
}

std::string_view file_ending(Emit kind) { return kinds[static_cast<size_t>(kind)].second; }

std::string emit_text(const ir::IRModule& mod, const ir::Target& target, Emit kind) {
  MLC_CHECK(kind == Emit::kLlvmAssembly || kind == Emit::kAssembly, "only ll and asm are text");
  return llvm_backend::compile_to_text(lower(mod, target), target, kind == Emit::kAssembly);
}

void emit(const ir::IRModule& lowered, const ir::Target& target, Emit kind, const std::string& path,
          bool lines) {
  auto debug = lines ? llvm_backend::DebugInfo::kLines : llvm_backend::DebugInfo::kNone;
  if (kind == Emit::kLlvmAssembly || kind == Emit::kAssembly) {
    write_file(path, llvm_backend::compile_to_text(lowered, target, kind == Emit::kAssembly, debug));
    return;
  }
  MLC_CHECK(kind != Emit::kStaticLibrary && kind != Emit::kPackage, "emit_for_c() makes these");
  std::string program = kind == Emit::kProgram ? program_function(lowered) : "";
  llvm_backend::Code code = llvm_backend::compile(lowered, target, debug, program);
  switch (kind) {
    case Emit::kObject:
      write_file(path, code.object);
      break;
    case Emit::kProgram:
      llvm_backend::link_program(code, target, path);
      break;
    default:
      llvm_backend::link_shared_library(code, target, path);
      break;
  }
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
std::vector<ir::Any> run_compiled(const ir::IRModule& mod, const std::string& function,
                                  const std::vector<ir::Any>& args) {
  static const ir::Target target = ir::parse_target(ir::Any(ir::String("llvm")));
  return run_built(build(mod, target), function, args);
}

}  // namespace mlc::backend
