// SPDX-License-Identifier: Apache-2.0
// Modules: types, declarations, one compute function and one entry per PrimFunc.
#include <algorithm>

#include "backend/accumulations.h"
#include "backend/artefact/c_interface.h"
#include "backend/llvm/emitter.h"
#include "ir/target/tables.h"

namespace mlc::llvm_backend {

using ir::Error;

namespace {

std::string name_of(const ir::String& text) { return {text.data(), text.size()}; }

// Where a function begins; one that no text defines begins where the first of its expressions stands.
ir::Span place_of(const ir::PrimFunc& fn) {
  struct First final : ir::Walker {
    ir::Span place;
    void visit(const Expr& e) override {
      if (!place && e->span) place = e->span;
      if (!place) walk_children(e);
    }
    void visit(const Stmt& s) override {
      if (!place && s->span) place = s->span;
      if (!place) walk_children(s);
    }
  } first;
  if (fn->span) return fn->span;
  first.visit(fn->body);
  return first.place;
}

// Where the tensors of a function are: on the device of a target whose host it runs on.
int device_of(const ir::PrimFunc& fn) {
  auto value = ir::attr(fn, "target");
  auto target = value ? value->as<ir::Target>() : std::nullopt;
  if (!target || !*target || !(*target)->host) return kDLCPU;
  return ir::target_kind_row(name_of((*target)->kind)).device;
}

}  // namespace

ModuleEmitter::ModuleEmitter(llvm::LLVMContext& context, const Machine& machine, std::string_view name,
                             bool with_lines)
    : context(context),
      machine(machine),
      module(std::make_unique<llvm::Module>(llvm::StringRef(name), context)) {
  module->setTargetTriple(machine.machine->getTargetTriple().str());
  module->setDataLayout(machine.machine->createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  if (with_lines) lines = std::make_unique<DebugLines>(*module);
}

bool ModuleEmitter::is_soft_float(DataType dtype) const {
  if (dtype.bits() == 8) return ir::narrow_format(dtype) != nullptr;
  return dtype.is_bfloat16() || (dtype.is_float() && dtype.bits() == 16 && !machine.has_half);
}

llvm::Type* ModuleEmitter::register_type(DataType dtype, ir::Span span) {
  auto scalar = [&]() -> llvm::Type* {
    if (dtype.is_bool()) return llvm::Type::getInt1Ty(context);
    if (dtype.is_handle()) return llvm::PointerType::get(context, 0);
    if (dtype.is_int() || dtype.is_uint()) {
      switch (dtype.bits()) {
        case 1:  // a lane of a mask
          return dtype.is_uint() ? llvm::Type::getInt1Ty(context) : nullptr;
        case 8:
        case 16:
        case 32:
        case 64:
          return llvm::IntegerType::get(context, static_cast<unsigned>(dtype.bits()));
        default:
          return nullptr;
      }
    }
    if (is_soft_float(dtype)) return llvm::Type::getIntNTy(context, static_cast<unsigned>(dtype.bits()));
    if (dtype.is_float()) {
      switch (dtype.bits()) {
        case 16:
          return llvm::Type::getHalfTy(context);
        case 32:
          return llvm::Type::getFloatTy(context);
        case 64:
          return llvm::Type::getDoubleTy(context);
        default:
          return nullptr;
      }
    }
    return nullptr;
  };
  llvm::Type* type = scalar();
  if (type == nullptr) {
    throw Error("unsupported-dtype", "values of type {} cannot be compiled for the CPU", dtype.str())
        .at(span);
  }
  if (dtype.is_scalable()) {
    if (!machine.has_scalable) {
      throw Error("unsupported-dtype",
                  "values of type {} cannot be compiled for the CPU: it has no vectors of that kind",
                  dtype.str())
          .at(span)
          .help("name a target that has them, such as aarch64 with `\"mattr\": [\"+sve\"]`");
    }
    return llvm::ScalableVectorType::get(type, static_cast<unsigned>(-dtype.lanes()));
  }
  return dtype.is_scalar() ? type : llvm::FixedVectorType::get(type, static_cast<unsigned>(dtype.lanes()));
}

llvm::Type* ModuleEmitter::memory_type(DataType dtype, ir::Span span) {
  return register_type(dtype.is_bool() ? DataType::UInt(8, dtype.lanes()) : dtype, span);
}

llvm::Constant* ModuleEmitter::text(std::string_view value) {
  llvm::Constant*& made = texts_[std::string(value)];
  if (made != nullptr) return made;
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(context, llvm::StringRef(value), true);
  auto* global = new llvm::GlobalVariable(*module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                          bytes, "text");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(1));
  return made = global;
}

llvm::FunctionCallee ModuleEmitter::outside(const char* name, llvm::Type* result,
                                            llvm::ArrayRef<llvm::Type*> args, bool varargs) {
  return module->getOrInsertFunction(name, llvm::FunctionType::get(result, args, varargs));
}

void ModuleEmitter::note_outside(std::string_view symbol) {
  openblas = openblas || symbol.starts_with("mlc_openblas_");
  onednn = onednn || symbol.starts_with("mlc_onednn_");
  parallel = parallel || openblas || onednn;  // they use as many threads
}

llvm::Function* ModuleEmitter::new_function(const std::string& name, llvm::FunctionType* type,
                                            bool exported) {
  auto linkage = exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
  // The code that calls it by its symbol may have been before it.
  llvm::Function* function = exported ? module->getFunction(name) : nullptr;
  if (function == nullptr || !function->isDeclaration() || function->getFunctionType() != type)
    function = llvm::Function::Create(type, linkage, name, module.get());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (machine.is_named) {
    llvm::StringRef cpu = machine.machine->getTargetCPU();
    function->addFnAttr("target-cpu", cpu.empty() ? "generic" : cpu);
    if (!machine.machine->getTargetFeatureString().empty())
      function->addFnAttr("target-features", machine.machine->getTargetFeatureString());
  }
  if (machine.has_scalable && machine.machine->getTargetTriple().isAArch64()) {
    constexpr unsigned kMostPieces = 16;  // of 128 bits, as the architecture has it
    function->addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(context, 1, kMostPieces));
  }
  if (machine.vector_bits != 0) {
    function->addFnAttr("prefer-vector-width", std::to_string(machine.vector_bits));
    // no signature of ours has a vector in it
    function->addFnAttr("min-legal-vector-width", std::to_string(machine.legal_bits));
  }
  return function;
}

llvm::Function* ModuleEmitter::raise_function() {
  if (raise_ != nullptr) return raise_;
  constexpr uint64_t kMessageBytes = 2048;
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* i64 = llvm::Type::getInt64Ty(context);
  raise_ = new_function("mlc_raise",
                        llvm::FunctionType::get(i32, {pointer, pointer, pointer, i64, i64}, false), false);
  raise_->addFnAttr(llvm::Attribute::Cold);
  raise_->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", raise_));
  llvm::Value* message = b.CreateAlloca(b.getInt8Ty(), b.getInt64(kMessageBytes));
  llvm::Type* size_type = module->getDataLayout().getIntPtrType(context);
  b.CreateCall(outside("snprintf", i32, {pointer, size_type, pointer}, true),
               {message, llvm::ConstantInt::get(size_type, kMessageBytes), raise_->getArg(1),
                raise_->getArg(2), raise_->getArg(3), raise_->getArg(4)});
  b.CreateCall(raise_text(), {raise_->getArg(0), message});
  b.CreateRet(b.getInt32(static_cast<uint32_t>(-1)));
  return raise_;
}

const Signature* ModuleEmitter::find(const ir::GlobalVarNode* callee) const {
  auto found = signatures_.find(name_of(callee->name_hint));
  return found == signatures_.end() ? nullptr : &found->second;
}

void ModuleEmitter::declare(const ir::GlobalVar& global, const ir::PrimFunc& fn) {
  Signature made;
  made.fn = fn;
  made.name = name_of(global->name_hint);
  made.place = place_of(fn);
  if (auto symbol = ir::attr(fn, "global_symbol")) {
    made.name = name_of(symbol->cast<ir::String>());
    made.exported = true;
  }
  for (const auto& [other, signature] : signatures_) {
    if (signature.name != made.name) continue;
    throw Error("duplicate-symbol", "two functions of the module have the symbol `{}`", made.name)
        .kind("InternalError+ValueError")
        .at(fn->span);
  }
  made.noalias = ir::has_flag(fn, "tirx.noalias") || ir::has_flag(fn, "tir.noalias");
  std::vector<llvm::Type*> types;
  for (const Var& param : fn->params) {
    if (auto constant = backend::constant_of(fn, param)) {
      made.constants.emplace_back(param, *constant);
      continue;
    }
    made.params.push_back(param);
    types.push_back(param->buffer() != nullptr ? llvm::PointerType::get(context, 0)
                                               : register_type(param->dtype(), param->span));
  }
  made.shape_vars = backend::shape_symbols(fn);
  for (const Var& var : made.shape_vars) types.push_back(register_type(var->dtype(), var->span));
  made.result = backend::result_type(fn);
  made.device = device_of(fn);
  if (made.device != kDLCPU) types.push_back(llvm::Type::getInt32Ty(context));
  if (!made.result.is_void()) {
    types.push_back(llvm::PointerType::get(context, 0));
  } else if (fn->ret_type && fn->ret_type->kind != ir::TypeKind::kPrim &&
             !(fn->ret_type->kind == ir::TypeKind::kTuple &&
               static_cast<const ir::TupleTypeNode*>(fn->ret_type.get())->elements.empty())) {
    throw Error("codegen-unsupported", "the return type of `{}` cannot be compiled", made.name).at(fn->span);
  }
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), types, false);
  auto original = ir::attr(fn, "mlc.version_of");
  made.compute = new_function(
      original ? name_of(original->cast<ir::String>()) + "_compute_noalias" : made.name + "_compute", type,
      false);
  signatures_.emplace(name_of(global->name_hint), std::move(made));
}

void ModuleEmitter::emit_compute(const Signature& signature) {
  FunctionEmitter emitter(*this, signature.compute, signature.place);
  unsigned position = 0;
  for (const Var& param : signature.params) {
    llvm::Argument* argument = signature.compute->getArg(position++);
    argument->setName(name_of(param->name));
    if (const ir::BufferTypeNode* type = param->buffer()) {
      if (signature.noalias) argument->addAttr(llvm::Attribute::NoAlias);
      emitter.define_buffer(param, argument, signature.noalias,
                            static_cast<uint64_t>(DataType(type->dtype).bytes()));
    } else {
      emitter.define(param, argument);
    }
  }
  for (const Var& var : signature.shape_vars)
    emitter.define_extent(var, signature.compute->getArg(position++));
  if (signature.device != kDLCPU)
    emitter.define_device(signature.device, signature.compute->getArg(position++));
  if (!signature.result.is_void()) emitter.set_result(signature.compute->getArg(position), signature.result);
  emitter.define_constants(signature);
  accumulations = backend::accumulations(signature.fn->body);
  emitter.emit(signature.fn->body);
  emitter.finish();
}

std::unique_ptr<llvm::Module> ModuleEmitter::emit(const ir::IRModule& mod, std::string_view program,
                                                  const CNames& c_names) {
  if (!c_names.empty()) emit_error_text();
  // By name: the order of the map is another one in every run once it is large.
  using Named = std::pair<std::string, std::pair<ir::GlobalVar, ir::BaseFunc>>;
  std::vector<Named> functions;
  for (const auto& [global, base] : mod->functions)
    functions.push_back({name_of(global->name_hint), {global, base}});
  std::sort(functions.begin(), functions.end(),
            [](const Named& a, const Named& b) { return a.first < b.first; });
  for (const auto& [name, function] : functions) {
    const auto& [global, base] = function;
    auto fn = base.as<ir::PrimFunc>();
    if (!fn) {
      throw Error("codegen-unsupported", "`{}` is no tensor function and cannot be compiled",
                  global->name_hint.c_str())
          .at(base->span);
    }
    declare(global, *fn);
  }
  for (const auto& [name, function] : functions) {
    const Signature& signature = signatures_.at(name);
    emit_compute(signature);
    if (signature.exported) emit_entry(signature);
    if (signature.exported && signature.name == program) emit_program(signature);
  }
  // Last: by now the module has declared what it calls.
  for (const auto& [name, function] : functions) {
    const Signature& signature = signatures_.at(name);
    auto in_c = std::find_if(c_names.begin(), c_names.end(),
                             [&](const auto& one) { return one.first == signature.name; });
    if (in_c == c_names.end()) continue;
    emit_c_entry(signature, in_c->second);
    // Weak: a program links any number of libraries, and calls these through a module, if at all.
    module->getFunction("__tvm_ffi_" + signature.name)->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
  }
  if (lines != nullptr) lines->finish();
  return std::move(module);
}

}  // namespace mlc::llvm_backend
