// SPDX-License-Identifier: Apache-2.0
#include "backend/c/compile.h"

#include <cstdlib>

#include "backend/artefact/run_tool.h"
#include "backend/artefact/temporary_folder.h"
#include "backend/artefact/write_file.h"
#include "ir/core/error.h"
#include "ir/core/files.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::c_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "c-compiler-failed",
         .message = "`{}` ended with {}:\n{}",
         .meaning = "The text that the target `c` made was refused by the compiler, whose words follow: a "
                    "defect of mlc, or options of the target that the compiler does not take."},
        {.name = "no-c-compiler",
         .message = "the target `c` needs a C compiler, and `{}` cannot be started",
         .help = "install one as `cc`, name one by the variable CC, or compile for the target `llvm`",
         .meaning = "The target `c` compiles its text by `cc`, or by what the variable CC names."},
    }};
MLC_REFUSALS(c_compile, refusals);

void compile(const std::string& text, const ir::Target& target, Output output, bool parallel,
             const std::string& path) {
  ir::Inputs::global().beyond();  // which compiler that is
  const char* named = std::getenv("CC");
  std::string compiler = named != nullptr && *named != '\0' ? named : "cc";
  backend::TemporaryFolder folder("mlc-c");
  std::string source = folder.write("module.c", text), made = folder / "made";
  // Sums of reductions are written as multiply-adds; other products are rounded.
  std::vector<std::string> words{compiler, "-std=c11",          "-O3",
                                 "-fPIC",  "-ffp-contract=off", "-fno-math-errno"};
  auto architecture = ir::target_attr<ir::String>(target, "march", ir::String());
  auto processor = ir::target_attr<ir::String>(target, "mcpu", ir::String());
  bool says = !architecture.empty() || !processor.empty();
  if (!architecture.empty()) words.push_back("-march=" + std::string(architecture));
  if (!processor.empty()) words.push_back("-mcpu=" + std::string(processor));
#ifdef __x86_64__
  // GCC 12 counts other bits in vectors of popcounts than in single ones.
  if (!says) words.insert(words.end(), {"-march=native", "-mno-avx512vpopcntdq"});
#else
  if (!says) words.emplace_back("-mcpu=native");
#endif
  if (parallel) words.emplace_back("-fopenmp");
  // OpenMP's threads wait in its library for more to do. They must not lose their code when ours is unloaded.
  if (parallel && output == Output::kSharedLibrary) words.emplace_back("-Wl,-z,nodelete");
  words.emplace_back(output == Output::kObject ? "-c" : "-shared");
  words.insert(words.end(), {source, "-o", made});
  if (output == Output::kSharedLibrary) words.emplace_back("-lm");
  int status = backend::run_tool(words, folder / "log");
  if (status == -1 || status == 127) {
    throw ir::refuse(refusals["no-c-compiler"], compiler);
  }
  if (status != 0) {
    throw ir::refuse(refusals["c-compiler-failed"], fmt::format("{}", fmt::join(words, " ")), status,
                     ir::read_file(folder / "log").value_or(""));
  }
  backend::write_file(path, ir::read_file(made).value_or(""), output == Output::kSharedLibrary);
}

}  // namespace mlc::c_backend
