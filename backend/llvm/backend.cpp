// SPDX-License-Identifier: Apache-2.0
// Machine code by LLVM, for CPUs: the default. Needs no compiler or linker on the machine.
#include "backend/backend.h"

#include "backend/artefact/package.h"
#include "backend/artefact/write_file.h"
#include "backend/llvm/code.h"
#include "backend/llvm/codegen_api.h"
#include "backend/llvm/module.h"
#include "ir/core/refusal.h"

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-main-function",
         .message = "a program needs a function `main`, or only one function; the module has {}",
         .meaning = "`mlc build --emit exe` makes a program of the function `main`, or of the only one."},
    }};
MLC_REFUSALS(llvm_backend, refusals);

}  // namespace mlc::llvm_backend

namespace mlc::backend {

extern const Backend backend_llvm;

namespace {

using ir::Error;
using Header = Artefact::Header;

constexpr std::string_view targets[] = {"llvm"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library", Header::kOnRequest},
    {"a", ".a", "a static library with its C header", Header::kAlways},
    {"obj", ".o", "an object file", Header::kOnRequest},
    {"exe", "", "a program that runs one function and times it"},
    {"ll", ".ll", "LLVM's assembly", Header::kNever, true},
    {"asm", ".s", "the target's assembly", Header::kNever, true},
    {"package", "", "a folder with header, libraries, pkg-config and CMake files", Header::kAlways, false,
     true},
};

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
  throw ir::refuse(llvm_backend::refusals["no-main-function"],
                   exported.empty() ? "none" : fmt::format("{}", fmt::join(exported, ", ")));
}

void write(const Artefact& artefact, const llvm_backend::Code& code, const Order& order) {
  std::string_view name = artefact.name;
  if (name == "obj") return write_file(order.path, code.object);
  if (name == "exe") return llvm_backend::link_program(code, order.target, order.path);
  if (name == "a") return write_file(order.path, llvm_backend::static_library(code, order.for_c->library));
  MLC_CHECK(name == "so", "`{}` is an artefact that nobody writes", name);
  llvm_backend::link_shared_library(code, order.target, order.path);
}

CInterface emit(const Artefact& artefact, const Order& order) {
  auto debug = order.lines ? llvm_backend::DebugInfo::kLines : llvm_backend::DebugInfo::kNone;
  if (artefact.is_text) {
    write_file(order.path,
               llvm_backend::compile_to_text(order.lowered, order.target, artefact.name == "asm", debug));
    return {};
  }
  if (order.for_c == nullptr) {
    std::string program = artefact.name == "exe" ? program_function(order.lowered) : "";
    write(artefact, llvm_backend::compile(order.lowered, order.target, debug, program), order);
    return {};
  }
  const ForC& options = *order.for_c;
  CInterface interface = c_interface(order.lowered, options.library, options.prefix);
  llvm_backend::CNames names;
  for (const CFunction& function : interface.functions) names.emplace_back(function.symbol, function.name);
  llvm_backend::Code code = llvm_backend::compile(order.lowered, order.target, debug, "", names);
  bool for_cpp = !artefact.is_folder && !options.header.ends_with(".h");
  std::string header = c_header(interface, order.print, for_cpp);
  if (artefact.is_folder) {
    write_package(order.path, header, options, llvm_backend::static_library(code, options.library),
                  [&](const std::string& path, const std::string& soname) {
                    llvm_backend::link_shared_library(code, order.target, path, soname);
                  });
    return interface;
  }
  write(artefact, code, order);
  write_file(options.header, header);
  return interface;
}

}  // namespace

const Backend backend_llvm = {
    .name = "llvm",
    .doc = "Machine code for x86-64, AArch64, Arm, RISC-V and WebAssembly, made inside of mlc.",
    .targets = targets,
    .pipeline = "default",
    .schedule_rules = "cpu",
    .device = kDLCPU,
    .is_default = true,
    .artefacts = artefacts,
    .make_module = [](const ir::IRModule& lowered,
                      const ir::Target& target) { return llvm_backend::make_module(lowered, target); },
    .emit = emit,
    .write_library = llvm_backend::write_library,
    .library_data = llvm_backend::library_data,
    .register_api = llvm_backend::register_codegen_api,
};

}  // namespace mlc::backend
