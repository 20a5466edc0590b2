// SPDX-License-Identifier: Apache-2.0
// The exported entry of a function, in tvm-ffi's calling convention: every argument is checked against its
// parameter, symbols in shapes are bound, then the compute function is called.
//
// A check that fails jumps to a block of its own that gathers what the message needs and goes on to one
// common block, so that the way through is a straight line of compares.
#include <tvm/ffi/c_api.h>

#include "backend/artefact/entry_text.h"
#include "backend/llvm/emitter.h"
#include "backend/tensor_fields.h"
#include "ir/target/device.h"

namespace mlc::llvm_backend {

namespace {

class EntryEmitter {
 public:
  EntryEmitter(ModuleEmitter& module, const Signature& signature, llvm::Function* function)
      : m_(module),
        signature_(signature),
        function_(function),
        values_(module, function, signature.place),
        b(values_.b) {
    args_ = function->getArg(1);
    count_ = function->getArg(2);
    result_ = function->getArg(3);
    pointer_ = b.getPtrTy();
    any_type_ = llvm::StructType::get(m_.context, {b.getInt32Ty(), b.getInt32Ty(), b.getInt64Ty()});
    // DLTensor: data, device {type, id}, ndim, dtype, shape, strides, byte_offset
    tensor_type_ =
        llvm::StructType::get(m_.context, {pointer_, b.getInt32Ty(), b.getInt32Ty(), b.getInt32Ty(),
                                           b.getInt32Ty(), pointer_, pointer_, b.getInt64Ty()});
    fail_ = llvm::BasicBlock::Create(m_.context, "raise", function);
    llvm::IRBuilder<> fb(fail_);
    kind_ = fb.CreatePHI(pointer_, 8, "kind");
    format_ = fb.CreatePHI(pointer_, 8, "format");
    text_ = fb.CreatePHI(pointer_, 8, "text");
    a_ = fb.CreatePHI(b.getInt64Ty(), 8, "a");
    b_ = fb.CreatePHI(b.getInt64Ty(), 8, "b");
    fb.CreateRet(fb.CreateCall(m_.raise_function(), {kind_, format_, text_, a_, b_}));
  }

  void emit() {
    auto expected = static_cast<uint32_t>(signature_.params.size());
    require(b.CreateICmpEQ(count_, b.getInt32(expected)), "TypeError",
            fmt::format("`{}` takes {} argument{}, got %lld", signature_.name, expected,
                        expected == 1 ? "" : "s"),
            count_);
    arguments_.resize(signature_.params.size());
    for (size_t i = 0; i < signature_.params.size(); ++i) {  // scalars first: shapes may refer to them
      if (signature_.params[i]->buffer() == nullptr) scalar(i);
    }
    for (size_t i = 0; i < signature_.params.size(); ++i) {
      if (signature_.params[i]->buffer() != nullptr) open_tensor(i);
    }
    for (const Deferred& check : deferred_) compare_extent(check);
    for (size_t i = 0; i < signature_.params.size(); ++i) {
      if (signature_.params[i]->buffer() != nullptr) finish_tensor(i);
    }
    call();
  }

 private:
  // What a message shows beside what is known now.
  struct Details {
    llvm::Value* text = nullptr;
    llvm::Value* a = nullptr;
    llvm::Value* b = nullptr;
  };
  struct Opened {
    llvm::Value* value = nullptr;  // what the compute function gets
    llvm::Value* tensor = nullptr;
    std::vector<llvm::Value*> shape;
  };
  struct Deferred {  // an extent or stride that must equal an expression over bound symbols
    size_t param;
    std::string what;  // "shape[0]"
    Expr expected;
    llvm::Value* actual;
  };

  void require(llvm::Value* ok, std::string_view kind, const std::string& message) {
    require(ok, kind, message, [] { return Details{}; });
  }
  // `number` is an i32 or i64.
  void require(llvm::Value* ok, std::string_view kind, const std::string& message, llvm::Value* number) {
    require(ok, kind, message, [&] { return Details{.a = b.CreateSExt(number, b.getInt64Ty())}; });
  }
  template <std::invocable F>
  void require(llvm::Value* ok, std::string_view kind, const std::string& message, F&& details) {
    auto* bad = llvm::BasicBlock::Create(m_.context, "bad", function_, fail_);
    auto* next = llvm::BasicBlock::Create(m_.context, "ok", function_, bad);
    b.CreateCondBr(ok, next, bad, llvm::MDBuilder(m_.context).createLikelyBranchWeights());
    b.SetInsertPoint(bad);
    Details found = details();
    // The text is always the first value; formats that do not show it swallow it.
    std::string format = (message.find("%s") == std::string::npos ? "%.0s" : "") + message +
                         "\n  in a call of `" + backend::signature_text(signature_.name, signature_.params) + "`";
    kind_->addIncoming(m_.text(kind), bad);
    format_->addIncoming(m_.text(format), bad);
    text_->addIncoming(found.text != nullptr ? found.text : m_.text(""), bad);
    a_->addIncoming(found.a != nullptr ? found.a : b.getInt64(0), bad);
    b_->addIncoming(found.b != nullptr ? found.b : b.getInt64(0), bad);
    b.CreateBr(fail_);
    b.SetInsertPoint(next);
  }

  std::string subject(size_t i) const {
    return fmt::format("argument {} `{}` of `{}`", i, signature_.params[i]->name.c_str(), signature_.name);
  }

  llvm::Value* field(llvm::StructType* type, llvm::Value* base, unsigned index, llvm::Type* as) {
    return b.CreateLoad(as, b.CreateStructGEP(type, base, index));
  }
  llvm::Value* any_at(size_t i) {
    return b.CreateConstInBoundsGEP1_32(any_type_, args_, static_cast<unsigned>(i));
  }
  llvm::Value* type_index(size_t i) { return field(any_type_, any_at(i), 0, b.getInt32Ty()); }
  llvm::Value* payload(size_t i, llvm::Type* as) { return field(any_type_, any_at(i), 2, as); }
  llvm::Value* is(llvm::Value* index, int32_t wanted) {
    return b.CreateICmpEQ(index, b.getInt32(static_cast<uint32_t>(wanted)));
  }

  // The name of what was passed, for messages.
  llvm::Value* type_name(llvm::Value* index) {
    return name_from_table("mlc_type_names",
                           {"None", "int", "bool", "float", "a pointer", "a dtype", "a device", "a tensor",
                            "str", "bytes", "an object", "str", "bytes", "an object"},
                           "an object", index);
  }
  llvm::Value* dtype_code_name(llvm::Value* code) {
    return name_from_table("mlc_dtype_codes", {"int", "uint", "float", "handle", "bfloat", "complex", "bool"},
                           "dtype", code);
  }
  llvm::Value* name_from_table(const char* table_name, std::initializer_list<const char*> names,
                               const char* otherwise, llvm::Value* index) {
    auto size = static_cast<uint32_t>(names.size());
    auto* type = llvm::ArrayType::get(pointer_, size + 1);
    llvm::GlobalVariable* table = m_.module->getNamedGlobal(table_name);
    if (table == nullptr) {
      std::vector<llvm::Constant*> rows;
      for (const char* name : names) rows.push_back(m_.text(name));
      rows.push_back(m_.text(otherwise));
      table = new llvm::GlobalVariable(*m_.module, type, true, llvm::GlobalValue::InternalLinkage,
                                       llvm::ConstantArray::get(type, rows), table_name);
    }
    llvm::Value* row = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, b.getInt32(size));
    return b.CreateLoad(pointer_, b.CreateInBoundsGEP(type, table, {b.getInt32(0), row}));
  }

  void wrong_type(llvm::Value* ok, size_t i, llvm::Value* index, const char* expected) {
    require(ok, "TypeError", fmt::format("{} is %s, expected {}", subject(i), expected), [&] {
      return Details{.text = type_name(index)};
    });
  }

  void scalar(size_t i) {
    const Var& param = signature_.params[i];
    DataType dtype = param->dtype();
    llvm::Value* index = type_index(i);
    llvm::Value* integral = b.CreateOr(is(index, kTVMFFIInt), is(index, kTVMFFIBool));
    llvm::Value* value = nullptr;
    if (dtype.is_floating()) {
      llvm::Value* real = is(index, kTVMFFIFloat);
      wrong_type(b.CreateOr(real, integral), i, index, "a float");
      llvm::Value* converted = b.CreateSIToFP(payload(i, b.getInt64Ty()), b.getDoubleTy());
      value = values_.convert(b.CreateSelect(real, payload(i, b.getDoubleTy()), converted),
                              DataType::Float(64), dtype);
    } else if (dtype.is_integral()) {
      wrong_type(integral, i, index, dtype.is_bool() ? "a bool" : "an int");
      llvm::Value* wide = payload(i, b.getInt64Ty());
      value = values_.convert(wide, DataType::Int(64), dtype);
      if (!dtype.is_bool() && dtype.bits() < 64) {
        llvm::Value* back = values_.convert(value, dtype, DataType::Int(64));
        require(b.CreateICmpEQ(back, wide), "ValueError",
                fmt::format("{} is %lld, which {} cannot hold", subject(i), dtype.str()), wide);
      }
    } else {
      llvm::Value* tensor = is(index, kTVMFFITensor);
      llvm::Value* view = is(index, kTVMFFIDLTensorPtr);
      llvm::Value* plain = b.CreateOr(is(index, kTVMFFIOpaquePtr), is(index, kTVMFFINone));
      wrong_type(b.CreateOr(b.CreateOr(tensor, view), plain), i, index, "a pointer");
      llvm::Value* given = payload(i, pointer_);
      llvm::Value* header = b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), given, sizeof(TVMFFIObject));
      llvm::Value* description = b.CreateSelect(tensor, header, given);
      if (backend::reads_tensor_fields(signature_.fn, param.get())) {
        arguments_[i].value = description;
        values_.define(param, description);
        return;
      }
      auto* from_tensor = llvm::BasicBlock::Create(m_.context, "of_tensor", function_, fail_);
      auto* join = llvm::BasicBlock::Create(m_.context, "ok", function_, fail_);
      llvm::BasicBlock* here = b.GetInsertBlock();
      b.CreateCondBr(plain, join, from_tensor);
      b.SetInsertPoint(from_tensor);
      llvm::Value* data = field(tensor_type_, description, 0, pointer_);
      b.CreateBr(join);
      b.SetInsertPoint(join);
      llvm::PHINode* phi = b.CreatePHI(pointer_, 2);
      phi->addIncoming(given, here);
      phi->addIncoming(data, from_tensor);
      value = phi;
    }
    arguments_[i].value = value;
    values_.define(param, value);
  }

  // Type, device, rank, element type; then binds or notes what the shape says.
  void open_tensor(size_t i) {
    const Var& param = signature_.params[i];
    const ir::BufferTypeNode* type = param->buffer();
    DataType dtype = type->dtype;
    llvm::Value* index = type_index(i);
    llvm::Value* owned = is(index, kTVMFFITensor);
    wrong_type(b.CreateOr(owned, is(index, kTVMFFIDLTensorPtr)), i, index, "a tensor");
    llvm::Value* given = payload(i, pointer_);
    llvm::Value* header = b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), given, sizeof(TVMFFIObject));
    llvm::Value* tensor = b.CreateSelect(owned, header, given);
    arguments_[i].tensor = tensor;

    llvm::Value* device = field(tensor_type_, tensor, 1, b.getInt32Ty());
    require(is(device, signature_.device), "ValueError",
            fmt::format("{} is on a device of type %lld, expected {}", subject(i),
                        signature_.device == kDLCPU ? "the CPU"
                                                    : fmt::format("{} ({})", ir::device_name(signature_.device),
                                                                  signature_.device)),
            device);
    if (signature_.device != kDLCPU) one_device(i, field(tensor_type_, tensor, 2, b.getInt32Ty()));
    auto rank = static_cast<uint32_t>(type->shape.size());
    llvm::Value* ndim = field(tensor_type_, tensor, 3, b.getInt32Ty());
    require(b.CreateICmpEQ(ndim, b.getInt32(rank)), "ValueError",
            fmt::format("{} has %lld dimension(s), expected {}", subject(i), rank), ndim);
    llvm::Value* element = field(tensor_type_, tensor, 4, b.getInt32Ty());
    auto expected = static_cast<uint32_t>(dtype.code()) | static_cast<uint32_t>(dtype.bits()) << 8U |
                    static_cast<uint32_t>(dtype.lanes()) << 16U;
    require(b.CreateICmpEQ(element, b.getInt32(expected)), "TypeError",
            fmt::format("{}: dtype is %s%lld, expected {}", subject(i), dtype.str()), [&] {
              llvm::Value* code = b.CreateAnd(element, b.getInt32(0xff));
              llvm::Value* bits = b.CreateAnd(b.CreateLShr(element, 8), b.getInt32(0xff));
              return Details{.text = dtype_code_name(code), .a = b.CreateZExt(bits, b.getInt64Ty())};
            });

    llvm::Value* shape = field(tensor_type_, tensor, 5, pointer_);
    for (uint32_t d = 0; d < rank; ++d) {
      llvm::Value* extent =
          b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_32(b.getInt64Ty(), shape, d));
      arguments_[i].shape.push_back(extent);
      bind_or_defer(i, fmt::format("shape[{}]", d), type->shape[d], extent);
    }
  }

  // All tensors are on the device that the first of them is on.
  void one_device(size_t i, llvm::Value* id) {
    if (device_id_ == nullptr) {
      device_id_ = id;
      first_on_device_ = i;
      return;
    }
    require(b.CreateICmpEQ(id, device_id_), "ValueError",
            fmt::format("{} is on device %lld, and argument {} on device %lld", subject(i), first_on_device_), [&] {
              return Details{.a = b.CreateSExt(id, b.getInt64Ty()), .b = b.CreateSExt(device_id_, b.getInt64Ty())};
            });
  }

  // A symbol seen for the first time gets its value here; everything else is compared once all are bound.
  void bind_or_defer(size_t i, std::string what, const Expr& declared, llvm::Value* actual) {
    auto* var = ir::as<VarNode>(declared);
    if (var == nullptr || values_.defines(var)) {
      deferred_.push_back({i, std::move(what), declared, actual});
      return;
    }
    llvm::Value* value = values_.convert(actual, DataType::Int(64), var->dtype());
    if (var->dtype().bits() < 64) {
      require(b.CreateICmpEQ(values_.convert(value, var->dtype(), DataType::Int(64)), actual), "ValueError",
              fmt::format("{}: {} is %lld, which {} `{}` cannot hold", subject(i), what, var->dtype().str(),
                          var->name.c_str()),
              actual);
    }
    values_.define_extent(ir::ref(var), value);
    bound_by_[var] = {i, fmt::format("{}.{}", signature_.params[i]->name.c_str(), what)};
  }

  void compare_extent(const Deferred& check) {
    llvm::Value* expected =
        values_.convert(values_.emit(check.expected), check.expected->dtype(), DataType::Int(64));
    std::string message = fmt::format("{}: {} is %lld, expected %lld", subject(check.param), check.what);
    if (auto* var = ir::as<VarNode>(check.expected)) {
      auto by = bound_by_.find(var);
      message += by == bound_by_.end()
                     ? fmt::format(" (`{}`)", var->name.c_str())
                     : fmt::format(" (`{}`, from argument {})", var->name.c_str(), by->second.first);
    } else if (!ir::const_int(check.expected)) {
      auto named = [&](const VarNode* var) {
        auto by = bound_by_.find(var);
        return by == bound_by_.end() ? backend::own_name(var) : by->second.second;
      };
      message += fmt::format(", which is {}", backend::extent_text(check.expected, named, false));
    } else if (check.what.starts_with("shape") &&
               !signature_.params[check.param]->buffer()->strides.empty()) {
      message += " whatever the strides";
    }
    require(b.CreateICmpEQ(check.actual, expected), "ValueError", message, [&] {
      return Details{.a = check.actual, .b = expected};
    });
  }

  // Strides and data, once the shape is known to be right.
  void finish_tensor(size_t i) {
    const Var& param = signature_.params[i];
    const ir::BufferTypeNode* type = param->buffer();
    DataType dtype = type->dtype;
    Opened& opened = arguments_[i];
    size_t rank = opened.shape.size();
    llvm::Value* strides = field(tensor_type_, opened.tensor, 6, pointer_);
    std::vector<llvm::Value*> compact(rank);  // row-major strides
    llvm::Value* count = b.getInt64(1);
    for (size_t d = rank; d-- > 0;) {
      compact[d] = count;
      count = b.CreateMul(count, opened.shape[d]);
    }
    if (rank > 0 && type->strides.empty()) {
      auto* look = llvm::BasicBlock::Create(m_.context, "strides", function_, fail_);
      auto* join = llvm::BasicBlock::Create(m_.context, "ok", function_, fail_);
      b.CreateCondBr(b.CreateIsNull(strides), join, look);
      b.SetInsertPoint(look);
      llvm::Value* good = b.CreateICmpEQ(count, b.getInt64(0));
      llvm::Value* all = b.getTrue();
      for (size_t d = 0; d < rank; ++d) {  // the stride of a dimension of extent 1 means nothing
        llvm::Value* same = b.CreateICmpEQ(stride_at(strides, d), compact[d]);
        all = b.CreateAnd(all, b.CreateOr(same, b.CreateICmpEQ(opened.shape[d], b.getInt64(1))));
      }
      require(b.CreateOr(good, all), "ValueError", subject(i) + " is not compact (row-major without gaps)");
      b.CreateBr(join);
      b.SetInsertPoint(join);
    } else if (rank > 0) {
      auto* array = llvm::ArrayType::get(b.getInt64Ty(), rank);
      llvm::Value* own = values_.stack_array(array);
      for (size_t d = 0; d < rank; ++d) {
        b.CreateStore(compact[d],
                      b.CreateConstInBoundsGEP1_32(b.getInt64Ty(), own, static_cast<unsigned>(d)));
      }
      llvm::Value* at = b.CreateSelect(b.CreateIsNull(strides), own, strides);
      size_t before = deferred_.size();
      for (size_t d = 0; d < rank; ++d) {
        bind_or_defer(i, fmt::format("strides[{}]", d), type->strides[static_cast<int64_t>(d)],
                      stride_at(at, d));
      }
      for (size_t k = before; k < deferred_.size(); ++k) compare_extent(deferred_[k]);
    }
    llvm::Value* data = field(tensor_type_, opened.tensor, 0, pointer_);
    llvm::Value* offset = field(tensor_type_, opened.tensor, 7, b.getInt64Ty());
    auto bytes = static_cast<uint64_t>(dtype.bytes() * dtype.lanes());
    auto* free_offset = ir::as<VarNode>(type->elem_offset);
    if (free_offset != nullptr && !values_.defines(free_offset)) {
      llvm::Value* elements = b.CreateUDiv(offset, b.getInt64(bytes));
      values_.define_extent(ir::ref(free_offset),
                            values_.convert(elements, DataType::Int(64), free_offset->dtype()));
    } else if (signature_.device != kDLCPU && signature_.device != kDLCUDA) {
      // What the pointer is, only the device knows.
      require(b.CreateICmpEQ(offset, b.getInt64(0)), "ValueError",
              subject(i) + " begins %lld bytes into its memory, which this device cannot pass on", offset);
    } else {
      data = b.CreateGEP(b.getInt8Ty(), data, offset);
    }
    llvm::Value* empty = b.CreateICmpEQ(count, b.getInt64(0));
    require(b.CreateOr(b.CreateIsNotNull(data), empty), "ValueError", subject(i) + " has no data");
    if (dtype.bytes() > 1) {
      llvm::Value* address = b.CreatePtrToInt(data, b.getInt64Ty());
      llvm::Value* low = b.CreateAnd(address, b.getInt64(static_cast<uint64_t>(dtype.bytes()) - 1));
      require(b.CreateICmpEQ(low, b.getInt64(0)), "ValueError",
              fmt::format("{}: its data is not aligned to {} bytes", subject(i), dtype.bytes()));
    }
    opened.value = data;
  }

  llvm::Value* stride_at(llvm::Value* strides, size_t d) {
    return b.CreateLoad(b.getInt64Ty(),
                        b.CreateConstInBoundsGEP1_32(b.getInt64Ty(), strides, static_cast<unsigned>(d)));
  }

  void call() {
    std::vector<llvm::Value*> args;
    for (const Opened& opened : arguments_) args.push_back(opened.value);
    for (const Var& var : signature_.shape_vars) {
      if (!values_.defines(var.get())) {
        throw ir::Error("codegen-unsupported", "no argument of `{}` determines `{}`", signature_.name,
                        var->name.c_str())
            .at(signature_.fn->span)
            .help("use it alone as an extent of some buffer, or make it a parameter");
      }
      args.push_back(values_.emit(var));
    }
    if (signature_.device != kDLCPU) {
      if (device_id_ == nullptr) device_id_ = b.getInt32(0);
      values_.set_device(signature_.device, device_id_);
      args.push_back(device_id_);
    }
    llvm::Value* place = nullptr;
    if (!signature_.result.is_void()) {
      place = values_.stack_array(llvm::ArrayType::get(m_.memory_type(signature_.result), 1));
      args.push_back(place);
    }
    values_.check_status(b.CreateCall(signature_.compute, args));
    if (place == nullptr) return;
    DataType dtype = signature_.result;
    llvm::Value* value = values_.read(place, dtype);
    int32_t index = dtype.is_bool()       ? kTVMFFIBool
                    : dtype.is_floating() ? kTVMFFIFloat
                    : dtype.is_handle()   ? kTVMFFIOpaquePtr
                                          : kTVMFFIInt;
    if (dtype.is_floating()) {
      value = values_.convert(value, dtype, DataType::Float(64));
    } else if (!dtype.is_handle()) {
      value = values_.convert(value, dtype, DataType::Int(64));
    }
    b.CreateStore(b.getInt32(static_cast<uint32_t>(index)), b.CreateStructGEP(any_type_, result_, 0));
    b.CreateStore(b.getInt32(0), b.CreateStructGEP(any_type_, result_, 1));
    b.CreateStore(value, b.CreateStructGEP(any_type_, result_, 2));
  }

  ModuleEmitter& m_;
  const Signature& signature_;
  llvm::Function* function_;

 public:
  FunctionEmitter values_;

 private:
  llvm::IRBuilder<>& b;
  llvm::Value* args_;
  llvm::Value* count_;
  llvm::Value* result_;
  llvm::PointerType* pointer_;
  llvm::StructType* any_type_;
  llvm::StructType* tensor_type_;
  llvm::BasicBlock* fail_;
  llvm::PHINode* kind_;
  llvm::PHINode* format_;
  llvm::PHINode* text_;
  llvm::PHINode* a_;
  llvm::PHINode* b_;
  llvm::Value* device_id_ = nullptr;  // of the tensors, where they are not on the CPU
  size_t first_on_device_ = 0;
  std::vector<Opened> arguments_;
  std::vector<Deferred> deferred_;
  std::unordered_map<const VarNode*, std::pair<size_t, std::string>> bound_by_;
};

}  // namespace

void ModuleEmitter::emit_entry(const Signature& signature) {
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* type = llvm::FunctionType::get(i32, {pointer, pointer, i32, pointer}, false);
  llvm::Function* function = new_function("__tvm_ffi_" + signature.name, type, true);
  const char* names[] = {"self", "args", "count", "result"};
  for (unsigned i = 0; i < 4; ++i) function->getArg(i)->setName(names[i]);
  EntryEmitter entry(*this, signature, function);
  entry.emit();
  entry.values_.finish();
}

}  // namespace mlc::llvm_backend
