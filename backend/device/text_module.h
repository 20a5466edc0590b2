// SPDX-License-Identifier: Apache-2.0
// Kernels whose texts are written here and run elsewhere: for devices that this program has no runtime for.
#pragma once

#include <string>
#include <string_view>

#include "backend/backend.h"
#include "backend/device/module.h"

namespace mlc::device {

struct TextKind {
  std::string_view kind;       // of the module, as TVM 0.27 calls it: "metal"
  std::string_view language;   // what people call the text: "Metal"
  std::string_view format;     // what it can be had as: "metal"
  bool stores_format = true;   // its bytes begin with the format
  bool names_kernels = false;  // each text begins with the name of its kernel
  Texts (*texts)(const ir::IRModule& kernels,
                 const ir::Target& target);  // that are within the target's limits
  Kernels (*kernels)(const ir::IRModule& kernels) = kernels_of;
};

// The text of each kernel, with the functions that it calls; `source` writes a module of one kernel.
Texts texts_by_kernel(const ir::IRModule& kernels, const ir::Target& target,
                      std::string (*source)(const ir::IRModule& kernels, const ir::Target& target));

// Code of the host that imports a module of texts, which launches nothing. Its bytes in libraries are those
// of TVM 0.27's runtime for the device, which can launch what is in them.
ir::ffi::Module make_text_module(const TextKind& kind, const ir::IRModule& lowered, const ir::Target& target);
// That as a library, or the texts one after the other, each under a comment that names its kernel.
backend::CInterface emit_texts(const TextKind& kind, const backend::Artefact& artefact,
                               const backend::Order& order);
// "ffi.Module.load_from_bytes.KIND".
void register_text_loader(const TextKind& kind);

// The row of a backend that writes such texts; LLVM's code launches them.
template <const TextKind& kind>
constexpr backend::Backend text_backend(std::string_view name, std::string_view doc,
                                        std::span<const std::string_view> targets, DLDeviceType device,
                                        std::span<const backend::Artefact> artefacts) {
  return {
      .name = name,
      .doc = doc,
      .targets = targets,
      .pipeline = "gpu",
      .schedule_rules = "gpu",
      .device = device,
      .artefacts = artefacts,
      .make_module = [](const ir::IRModule& lowered,
                        const ir::Target& target) { return make_text_module(kind, lowered, target); },
      .emit = [](const backend::Artefact& artefact,
                 const backend::Order& order) { return emit_texts(kind, artefact, order); },
      .register_api = [] { register_text_loader(kind); },
  };
}

}  // namespace mlc::device
