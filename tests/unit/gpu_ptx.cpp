// SPDX-License-Identifier: Apache-2.0
// Every form of a PTX instruction, with every modifier of each slot, as CUDA C++. With MLC_PTX_TEXTS=FOLDER
// the kernels are written there, one file per form, for tests/codegen_cuda/run.py to give to ptxas.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "backend/cuda/source.h"
#include "ir/core/error.h"
#include "ir/tir/op.h"
#include "ir/tir/ptx_forms.h"

namespace mlc::ir {
namespace {

// Modifiers that the rules allow, the one of slot `at` being `wanted`; empty where there are none.
std::optional<PtxModifiers> modifiers_with(const PtxForm& form, size_t at, std::string_view wanted) {
  PtxModifiers chosen(form.slots.size());
  int tries = 200'000;
  std::function<bool(size_t)> choose = [&](size_t slot) {
    if (--tries < 0) return false;
    if (slot == form.slots.size()) return form.refusal(chosen).empty();
    std::vector<std::string_view> options = form.slots[slot].choices;
    if (form.slots[slot].optional) options.insert(options.begin(), std::string_view());
    if (slot == at) options = {wanted};
    for (std::string_view option : options) {
      chosen[slot] = option;
      if (choose(slot + 1)) return true;
    }
    chosen[slot] = {};
    return false;
  };
  if (choose(0)) return chosen;
  return std::nullopt;
}

struct Kernel {
  std::vector<Stmt> body;
  std::map<std::string, Buffer> memory;  // of one thread, by data type

  Buffer buffer(DataType dtype) {
    Buffer& made = memory[dtype.str()];
    if (!made) {
      auto type = make<BufferTypeNode>(dtype, "local", Array<Expr>{int32(512)}, Array<Expr>{}, int32(0));
      made = make<VarNode>(String("r_" + dtype.str()), type);
      body.insert(body.begin(), make<AllocBufferNode>(made));
    }
    return made;
  }
};

Expr call_form(const PtxForm& form, const PtxModifiers& modifiers, const Var& pointer, Kernel& kernel) {
  Array<Expr> args;
  int64_t at = 0;
  for (const PtxOperand& slot : form.operands) {
    std::string_view types = slot.type.at(modifiers);
    for (int lane = 0; lane < slot.lanes_at(modifiers); ++lane) {
      if (slot.role == 'i') {
        args.push_back(int32(slot.choices.empty() ? 0 : std::atoi(std::string(slot.choices[0]).c_str())));
      } else if (slot.is_register()) {
        std::string_view first = types.substr(0, types.find('/'));
        DataType dtype = types == "pred"      ? DataType::UInt(32)
                         : first == "uint128" ? DataType::UInt(128)  // of no name in the language
                                              : DataType::parse(first);
        args.push_back(make<TensorLoadNode>(kernel.buffer(dtype), Array<Expr>{int32(at++)}));
      } else if (slot.role == 'a' && (types.starts_with("shared") || types == "tmem")) {
        args.push_back(make<TensorLoadNode>(kernel.buffer(DataType::UInt(32)), Array<Expr>{int32(at++)}));
      } else {
        args.push_back(pointer);
      }
    }
  }
  for (std::string_view one : modifiers) args.push_back(make<StringImmNode>(String(std::string(one))));
  args.push_back(make<StringImmNode>(String("")));
  return make<CallNode>(void_type(), op("tirx.ptx." + std::string(form.row->name)), args);
}

std::string text_of(const PtxForm& form, const PtxModifiers& modifiers, const std::string& name) {
  Var pointer = make<VarNode>(String("p"), make<PointerTypeNode>(prim_type(DataType::UInt(32)), "global"));
  Kernel kernel;
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
      std::set<PtxModifiers> seen;
      if (form.slots.empty()) seen.insert(PtxModifiers());
      for (size_t at = 0; at < form.slots.size(); ++at) {
        for (std::string_view choice : form.slots[at].choices) {
          if (auto made = modifiers_with(form, at, choice)) seen.insert(*made);
        }
      }
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
