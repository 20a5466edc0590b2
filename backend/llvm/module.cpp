// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/module.h"

#include <mutex>

#include "backend/artefact/compiled_module.h"
#include "backend/artefact/write_file.h"
#include "backend/llvm/code.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{"InternalError+ValueError",
                                       {
                                           {.name = "unknown-emit-kind"},
                                           {.name = "cannot-join",
                                            .message = "a module of the kind `{}` cannot become a part of a library "
                                                       "that LLVM makes",
                                            .help = "compile graphs and their tensor functions for the target `llvm`"},
                                       }};
MLC_REFUSALS(llvm_module, refusals);

namespace {

namespace ffi = ir::ffi;

class LlvmModule final : public backend::CompiledModule {
 public:
  LlvmModule(ir::IRModule lowered, ir::Target target)
      : CompiledModule(std::move(target)), lowered_(std::move(lowered)), code_(compile(lowered_, target_)) {
    functions_ = code_.functions;
  }

  const char* kind() const final { return "llvm"; }
  const Code& code() const { return code_; }
  const ir::Target& target() const { return target_; }
  ffi::Array<ffi::String> GetWriteFormats() const final { return {"so", "o", "bc", "ll", "asm"}; }
  ffi::String InspectSource(const ffi::String& format) const final {
    std::string_view wanted(format.data(), format.size());
    if (wanted.empty() || wanted == "ll" || wanted == "llvm")
      return compile_to_text(lowered_, target_, false);
    if (wanted == "asm" || wanted == "s") return compile_to_text(lowered_, target_, true);
    throw ir::refuse_as(refusals["unknown-emit-kind"], "the source of compiled code cannot be shown as `{}`",
                        wanted)
        .help("there are ll and asm");
  }
  void WriteToFile(const ffi::String& path, const ffi::String& format) const final {
    std::string file(path);
    std::string wanted = format_of(file, format);
    ir::Inputs::global().beyond();
    auto write = [&file](std::string_view bytes) { backend::write_file(file, bytes); };
    if (wanted == "o" || wanted == "obj")
      return write(std::string_view(code_.object.data(), code_.object.size()));
    if (wanted == "bc") return write(compile_to_bitcode(lowered_, target_));
    if (wanted == "so") return link_shared_library(code_, target_, file);
    if (wanted == "ll" || wanted == "s" || wanted == "asm")
      return write(compile_to_text(lowered_, target_, wanted != "ll"));
    throw ir::refuse_as(refusals["unknown-emit-kind"], "compiled code cannot be written to `{}` as `{}`",
                        file, wanted)
        .kind("InternalError")
        .help("there are o, so, bc, ll and asm");
  }

 private:
  void* entry(const std::string& function) final {
    std::lock_guard hold(lock_);
    if (!loaded_) loaded_ = std::make_unique<Loaded>(code_, static_cast<ffi::ModuleObj*>(this));
    return loaded_->entry(function);
  }

  ir::IRModule lowered_;
  Code code_;
  std::mutex lock_;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace

namespace {

const LlvmModule& compiled_by_llvm(const ffi::Module& module) {
  auto* own = dynamic_cast<const LlvmModule*>(module.operator->());
  if (own == nullptr) throw ir::refuse(refusals["cannot-join"], module->kind());
  return *own;
}
ir::Target target_of(const std::vector<ffi::Module>& compiled) {
  return compiled.empty() ? ir::parse_target(ir::String("llvm")) : compiled_by_llvm(compiled[0]).target();
}

}  // namespace

void write_library(const std::vector<ffi::Module>& compiled, std::string_view symbol, std::string_view bytes,
                   const std::string& path) {
  std::vector<const Code*> codes;
  for (const ffi::Module& module : compiled) codes.push_back(&compiled_by_llvm(module).code());
  ir::Inputs::global().beyond();
  link_shared_library(codes, symbol, bytes, target_of(compiled), path);
}
std::string library_data(const std::vector<ffi::Module>& compiled, std::string_view symbol, std::string_view bytes) {
  return data_object(symbol, bytes, target_of(compiled));
}

ffi::Module make_module(ir::IRModule lowered, ir::Target target) {
  return ffi::Module(ffi::make_object<LlvmModule>(std::move(lowered), std::move(target)));
}

}  // namespace mlc::llvm_backend
