// SPDX-License-Identifier: Apache-2.0
// Every form of a PTX instruction, with every modifier of each slot, in the simulator: it runs, or its error
// is one of the simulator's own; what does not run is named.
#include <catch2/catch.hpp>

#include "backend/interp/interp.h"
#include "tests/unit/ptx_calls.h"

namespace mlc::ir {
namespace {

Stmt threads(std::string_view tag, int64_t extent, Stmt body) {
  Expr count = int32(extent);
  IterVar axis = make<IterVarNode>(make<RangeNode>(int32(0), count), make_var("t", DataType::Int(32)),
                                   IterType::kThreadIndex, String(std::string(tag)));
  return make<AttrStmtNode>(Any(axis), String("thread_extent"), count, std::move(body));
}

// A warp of each of two blocks of a cluster runs it, on shared memory.
PrimFunc kernel_of(const PtxForm& form, const PtxModifiers& modifiers) {
  auto type =
      make<BufferTypeNode>(DataType::UInt(32), "shared", Array<Expr>{int32(4096)}, Array<Expr>{}, int32(0));
  Buffer shared = make<VarNode>(String("S"), type);
  Expr pointer =
      call_op(DataType::Handle(), "tirx.address_of", {make<TensorLoadNode>(shared, Array<Expr>{int32(0)})});
  PtxKernel kernel;
  Expr call = call_form(form, modifiers, pointer, kernel);
  // Registers and the first words of shared memory hold zeros.
  int64_t registers = as<CallNode>(call)->args.size();
  auto clear = [&](const Buffer& buffer, DataType dtype, int64_t count) {
    Var i = make_var("i", DataType::Int(32));
    if (!dtype.is_scalar() || dtype.bits() > 64 || !(dtype.is_float() || dtype.is_int() || dtype.is_uint()))
      return;
    Expr zero = dtype.is_float() ? Expr(make<FloatImmNode>(dtype, 0.0)) : Expr(int_imm(dtype, 0));
    Stmt store = make<BufferStoreNode>(buffer, zero, Array<Expr>{i});
    kernel.body.push_back(make<ForNode>(i, int32(0), int32(count), ForKind::kSerial, store));
  };
  for (const auto& [name, buffer] : kernel.memory) clear(buffer, DataType::parse(name), registers);
  clear(shared, DataType::UInt(32), 64);
  kernel.body.push_back(make<EvaluateNode>(call));
  kernel.body.insert(kernel.body.begin(), make<AllocBufferNode>(shared));
  Stmt body = seq(Array<Stmt>(kernel.body.begin(), kernel.body.end()));
  body = threads("blockIdx.x", 2, threads("clusterCtaIdx.x", 2, threads("threadIdx.x", 32, body)));
  return make<PrimFuncNode>(Array<Var>{}, void_type(), body,
                            Map<String, Any>{{"global_symbol", String("main")}});
}

TEST_CASE("every form of a PTX instruction is simulated or refused by name", "[ptx-simulated]") {
  int ran = 0, stopped = 0, refused = 0;
  for (const std::string& family : ptx_families()) {
    for (const PtxForm& form : *ptx_forms(family)) {
      for (const PtxModifiers& modifiers : all_modifiers(form)) {
        INFO(form.row->name << " " << fmt::format("{}", fmt::join(modifiers, ".")));
        try {
          interp::Options options;
          options.simulate = true;
          interp::run(module_of(kernel_of(form, modifiers)), "main", {}, options);
          ++ran;
        } catch (const Error& error) {
          const Diagnostic& first = error.first();
          bool unknown = first.name == "interpret-unsupported";
          (unknown ? refused : stopped) += 1;
          CHECK(first.name != "internal");
          CHECK(!first.message.empty());
          if (std::getenv("MLC_SHOW_SIMULATED") != nullptr)
            fmt::print("{} {}: {}: {}\n", form.row->name, fmt::join(modifiers, "."), first.name,
                       first.message);
        }
      }
    }
  }
  fmt::print("{} ran, {} stopped with an error, {} refused\n", ran, stopped, refused);
  CHECK(ran > 100);
}

}  // namespace
}  // namespace mlc::ir
