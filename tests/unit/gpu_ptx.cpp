// SPDX-License-Identifier: Apache-2.0
// Every form of a PTX instruction, with every modifier of each slot, as CUDA C++. With MLC_PTX_TEXTS=FOLDER
// the kernels are written there, one file per form, for tests/codegen_cuda/run.py to give to ptxas.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "backend/cuda/source.h"
#include "tests/unit/ptx_calls.h"

namespace mlc::ir {
namespace {

std::string text_of(const PtxForm& form, const PtxModifiers& modifiers, const std::string& name) {
  Var pointer = make<VarNode>(String("p"), make<PointerTypeNode>(prim_type(DataType::UInt(32)), "global"));
  PtxKernel kernel;
  Expr call = call_form(form, modifiers, pointer, kernel);
  kernel.body.push_back(make<EvaluateNode>(call));
  // What has been written must be seen, or no instruction is left.
  for (const auto& [type, buffer] : kernel.memory) {
    kernel.body.push_back(make<EvaluateNode>(
        call_op(DataType::Void(), "tirx.cuda.func_call",
                {make<StringImmNode>(String("keep_alive")),
                 call_op(DataType::Handle(), "tirx.address_of",
                         {make<TensorLoadNode>(buffer, Array<Expr>{int32(0)})}),
                 make<StringImmNode>(String("extern \"C\" __device__ void keep_alive(const void*);\n"))})));
  }
  Map<String, Any> attrs{{"global_symbol", String(name)}, {"calling_conv", int32(2)}};
  PrimFunc fn = make<PrimFuncNode>(Array<Var>{pointer}, void_type(),
                                   seq(Array<Stmt>(kernel.body.begin(), kernel.body.end())), attrs);
  static const Target target = parse_target(Any(String("cuda")));
  return cuda_backend::cuda_source(module_of(fn), target);
}

TEST_CASE("every form of a PTX instruction is written", "[ptx-texts]") {
  const char* folder = std::getenv("MLC_PTX_TEXTS");
  int forms = 0, texts = 0;
  for (const std::string& family : ptx_families()) {
    for (const PtxForm& form : *ptx_forms(family)) {
      ++forms;
      std::set<PtxModifiers> seen = all_modifiers(form);
      INFO(form.row->name);
      CHECK(!seen.empty());
      std::string all;
      int number = 0;
      for (const PtxModifiers& modifiers : seen) {
        std::string name = fmt::format("k_{}_{}", form.row->name, number++);
        INFO(name << " " << fmt::format("{}", fmt::join(modifiers, ".")));
        std::string text;
        try {
          text = text_of(form, modifiers, name);
        } catch (const Error& error) {
          FAIL_CHECK(error.what());
        }
        CHECK(text.find("asm") != std::string::npos);
        all += fmt::format("// {} {}\n{}\n", name, fmt::join(modifiers, "."), text);
        ++texts;
      }
      if (folder != nullptr) std::ofstream(fmt::format("{}/{}.cu", folder, form.row->name)) << all;
    }
  }
  CHECK(forms > 500);
  CHECK(texts > 2000);
}

}  // namespace
}  // namespace mlc::ir
