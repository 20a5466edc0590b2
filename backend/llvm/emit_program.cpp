// SPDX-License-Identifier: Apache-2.0
// The table that tells the stand-alone program about its function: `mlc_program` of
// backend/runtime/program.h.
#include "backend/artefact/c_interface.h"
#include "backend/llvm/emitter.h"

namespace mlc::llvm_backend {

void ModuleEmitter::emit_program(const Signature& signature) {
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto constant = [&](llvm::Constant* value, const char* name, bool exported = false) {
    auto linkage = exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::PrivateLinkage;
    return new llvm::GlobalVariable(*module, value->getType(), true, linkage, value, name);
  };
  std::vector<llvm::Constant*> symbols;
  std::unordered_map<const VarNode*, int64_t> symbol_index;
  auto* row_type = llvm::StructType::get(context, {pointer, i32, i32, i64, pointer});
  std::vector<llvm::Constant*> rows;
  size_t first_output = signature.params.size() - backend::num_outputs(signature.fn);
  for (const Var& param : signature.params) {
    const ir::BufferTypeNode* type = param->buffer();
    DataType dtype = type != nullptr ? DataType(type->dtype) : param->dtype();
    std::vector<llvm::Constant*> shape;
    for (const Expr& extent : type != nullptr ? type->shape : ir::Array<Expr>{}) {
      auto* var = ir::as<VarNode>(extent);
      auto known = ir::const_int(extent);
      if (!known && var == nullptr) {
        throw ir::Error("codegen-unsupported", "a program cannot choose `{}` so that a computed extent fits",
                        param->name.c_str())
            .at(signature.fn->span);
      }
      int64_t entry = known.value_or(0);
      if (var != nullptr) {
        auto [at, fresh] = symbol_index.emplace(var, static_cast<int64_t>(symbols.size()));
        if (fresh) symbols.push_back(text(std::string_view(var->name.data(), var->name.size())));
        entry = -(at->second + 1);
      }
      shape.push_back(llvm::ConstantInt::get(i64, static_cast<uint64_t>(entry), true));
    }
    auto bits = static_cast<uint32_t>(dtype.code()) | static_cast<uint32_t>(dtype.bits()) << 8U |
                static_cast<uint32_t>(dtype.lanes()) << 16U;
    llvm::Constant* extents = llvm::ConstantArray::get(llvm::ArrayType::get(i64, shape.size()), shape);
    rows.push_back(llvm::ConstantStruct::get(
        row_type, {text(std::string_view(param->name.data(), param->name.size())),
                   llvm::ConstantInt::get(i32, type == nullptr              ? 0
                                               : rows.size() < first_output ? 1
                                                                            : 2),
                   llvm::ConstantInt::get(i32, bits), llvm::ConstantInt::get(i64, shape.size()),
                   constant(extents, "shape")}));
  }
  llvm::Constant* row_array = llvm::ConstantArray::get(llvm::ArrayType::get(row_type, rows.size()), rows);
  llvm::Constant* symbol_array =
      llvm::ConstantArray::get(llvm::ArrayType::get(pointer, symbols.size()), symbols);
  auto* type = llvm::StructType::get(context, {pointer, pointer, i64, pointer, i64, pointer});
  constant(llvm::ConstantStruct::get(
               type, {text(signature.name), module->getFunction("__tvm_ffi_" + signature.name),
                      llvm::ConstantInt::get(i64, rows.size()), constant(row_array, "arguments"),
                      llvm::ConstantInt::get(i64, symbols.size()), constant(symbol_array, "symbols")}),
           "mlc_program", true);
}

}  // namespace mlc::llvm_backend
