// SPDX-License-Identifier: Apache-2.0
// AWS Trainium: the text of kernels; host code by LLVM.
#include "backend/backend.h"

#include "backend/device/text_module.h"
#include "backend/trn/source.h"

namespace mlc::backend {

extern const Backend backend_trn;

namespace {

constexpr std::string_view targets[] = {"trn"};

constexpr Artefact artefacts[] = {
    {"so", ".so", "a shared library"},
    {"nki", ".py", "kernels as functions of Python that call NKI", Artefact::Header::kNever, true},
};

device::Texts texts_of(const ir::IRModule& kernels, const ir::Target& target) {
  return device::texts_by_kernel(kernels, target, trn_backend::trn_source);
}

constexpr device::TextKind kind{
    .kind = "nki", .language = "NKI", .format = "Trainium", .names_kernels = true, .texts = texts_of};

constexpr Backend with_own_pipeline(Backend row) {
  row.pipeline = "default";  // "trn" for kernels of Trainium
  row.schedule_rules = "";  // kernels say what the engines do
  return row;
}

}  // namespace

const Backend backend_trn = with_own_pipeline(device::text_backend<kind>(
    "trn", "The text of kernels for AWS Trainium, which runs elsewhere; LLVM's code launches it.", targets,
    kDLTrn, artefacts));

}  // namespace mlc::backend
