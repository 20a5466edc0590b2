// SPDX-License-Identifier: Apache-2.0
// The exported entry of a function, in tvm-ffi's calling convention: every argument is checked against its
// parameter, symbols in shapes are bound, then the function is called. The checks and their messages are those
// of backend/llvm/emit_entry.cpp.
#include <tvm/ffi/c_api.h>

#include "backend/artefact/entry_text.h"
#include "backend/c/emitter.h"
#include "backend/tensor_fields.h"
#include "ir/core/error.h"

namespace mlc::c_backend {

namespace {

// The prelude's declarations of tvm-ffi's types.
static_assert(kTVMFFITensor == 70 && kTVMFFIDLTensorPtr == 7 && kTVMFFIOpaquePtr == 4 && kTVMFFIFloat == 3 &&
              sizeof(TVMFFIObject) == 24 && sizeof(TVMFFIAny) == 16 && sizeof(DLTensor) == 48);

class Entry {
 public:
  Entry(ModuleEmitter& module, const Function& function)
      : m_(module), function_(function), values_(module, function), params_(function.c.fn->params) {
    std::vector<Var> params(params_.begin(), params_.end());
    signature_ = backend::signature_text(function.c.symbol, params);
    m_.prelude("mlc_entry");
    m_.prelude("mlc_fail");
  }

  std::string body() {
    auto expected = params_.size();
    require(fmt::format("count == {}", expected), "TypeError",
            fmt::format("`{}` takes {} argument{}, got ", function_.c.symbol, expected,
                        expected == 1 ? "" : "s") +
                "%d",
            "count");
    for (size_t i = 0; i < params_.size(); ++i) {  // scalars first: shapes may refer to them
      if (param(i)->buffer() == nullptr) scalar(i);
    }
    for (size_t i = 0; i < params_.size(); ++i) {
      if (param(i)->buffer() != nullptr) open_tensor(i);
    }
    for (const Deferred& check : deferred_) compare_extent(check);
    for (size_t i = 0; i < params_.size(); ++i) {
      if (param(i)->buffer() != nullptr) finish_tensor(i);
    }
    call();
    return std::move(text_);
  }

 private:
  struct Deferred {  // an extent or stride that must equal an expression over bound symbols
    size_t param;
    std::string what;  // "shape[0]"
    Expr expected;
    std::string actual;
  };

  Var param(size_t i) const { return params_[static_cast<int64_t>(i)]; }
  void line(std::string_view text) { text_ += fmt::format("  {}\n", text); }
  // `format` is one of printf, but for its `%` of names, which are doubled by then.
  void require(const std::string& holds, std::string_view kind, const std::string& format,
               const std::string& values = "") {
    line(fmt::format("if (!({}))", holds));
    line(fmt::format("  return mlc_fail({}, {}{}{});", c_string(kind),
                     c_string(format + in_format("\n  in a call of `" + signature_ + "`")),
                     values.empty() ? "" : ", ", values));
  }
  std::string subject(size_t i) const {
    return in_format(
        fmt::format("argument {} `{}` of `{}`", i, std::string(param(i)->name), function_.c.symbol));
  }
  void wrong_type(const std::string& holds, size_t i, std::string_view expected) {
    require(holds, "TypeError", fmt::format("{} is %s, expected {}", subject(i), expected),
            fmt::format("mlc_type_name(args[{}].type_index)", i));
  }
  std::string local(size_t i) const { return fmt::format("a{}", i); }

  void scalar(size_t i) {
    DataType dtype = param(i)->dtype();
    std::string type = value_type(dtype, param(i)->span);
    std::string given = fmt::format("args[{}]", i);
    std::string integral = fmt::format("{0}.type_index == kInt || {0}.type_index == kBool", given);
    if (dtype.is_floating()) {
      wrong_type(fmt::format("{0}.type_index == kFloat || {1}", given, integral), i, "a float");
      std::string value =
          fmt::format("({0}.type_index == kFloat ? {0}.as_float : (double){0}.as_int)", given);
      if (is_soft_float(dtype)) {
        bool half = dtype.is_float();
        std::string convert = m_.prelude(half ? "mlc_double_to_float16" : "mlc_float_to_" + type_word(dtype));
        value = fmt::format("{}({}{})", convert, half ? "" : "(float)", value);
      } else {
        value = fmt::format("({}){}", type, value);
      }
      line(fmt::format("const {} {} = {};", type, local(i), value));
    } else if (dtype.is_integral()) {
      wrong_type(integral, i, dtype.is_bool() ? "a bool" : "an int");
      std::string convert =
          dtype.is_bool() ? given + ".as_int != 0" : fmt::format("({}){}.as_int", type, given);
      line(fmt::format("const {} {} = {};", type, local(i), convert));
      if (!dtype.is_bool() && dtype.bits() < 64) {
        require(fmt::format("(int64_t){} == {}.as_int", local(i), given), "ValueError",
                fmt::format("{} is %lld, which {} cannot hold", subject(i), dtype.str()),
                fmt::format("(long long){}.as_int", given));
      }
    } else {
      m_.prelude("mlc_tensor_of");
      wrong_type(fmt::format("{0}.type_index == kTensor || {0}.type_index == kTensorView || "
                             "{0}.type_index == kPointer || {0}.type_index == kNone",
                             given),
                 i, "a pointer");
      bool asks = backend::reads_tensor_fields(function_.c.fn, param(i).get());
      line(fmt::format(
          "void* const {} = {}.type_index == kTensor || {}.type_index == kTensorView "
          "? {} : {}.as_pointer;",
          local(i), given, given,
          fmt::format("{}mlc_tensor_of(&{}){}", asks ? "(void*)" : "", given, asks ? "" : "->data"), given));
    }
    values_.define(param(i).get(), local(i), false);
  }

  void open_tensor(size_t i) {
    const ir::BufferTypeNode* type = param(i)->buffer();
    DataType dtype = type->dtype;
    std::string given = fmt::format("args[{}]", i);
    std::string tensor = fmt::format("t{}", i);
    m_.prelude("mlc_tensor_of");
    m_.prelude("mlc_dtype_code");
    wrong_type(fmt::format("{0}.type_index == kTensor || {0}.type_index == kTensorView", given), i,
               "a tensor");
    line(fmt::format("const MlcTensor* const {} = mlc_tensor_of(&{});", tensor, given));
    require(tensor + "->device_type == 1", "ValueError",
            subject(i) + " is on a device of type %d, expected the CPU", tensor + "->device_type");
    size_t rank = type->shape.size();
    require(fmt::format("{}->ndim == {}", tensor, rank), "ValueError",
            fmt::format("{} has %d dimension(s), expected {}", subject(i), rank), tensor + "->ndim");
    require(fmt::format("{0}->code == {1} && {0}->bits == {2} && {0}->lanes == {3}", tensor, dtype.code(),
                        dtype.bits(), static_cast<uint16_t>(dtype.lanes())),
            "TypeError", fmt::format("{}: dtype is %s%d, expected {}", subject(i), dtype.str()),
            fmt::format("mlc_dtype_code({0}->code), {0}->bits", tensor));
    for (size_t d = 0; d < rank; ++d)
      bind_or_defer(i, fmt::format("shape[{}]", d), type->shape[static_cast<int64_t>(d)],
                    fmt::format("{}->shape[{}]", tensor, d));
  }

  // A symbol seen for the first time gets its value here; everything else is compared once all are bound.
  void bind_or_defer(size_t i, const std::string& what, const Expr& declared, const std::string& actual) {
    auto* var = ir::as<VarNode>(declared);
    if (var == nullptr || values_.defines(var)) {
      deferred_.push_back({i, what, declared, actual});
      return;
    }
    std::string type = value_type(var->dtype(), var->span);
    std::string name = fmt::format("n{}", symbols_++);
    line(fmt::format("const {} {} = ({}){};", type, name, type, actual));
    if (var->dtype().bits() < 64) {
      require(fmt::format("(int64_t){} == {}", name, actual), "ValueError",
              fmt::format("{}: {} is %lld, which {} `{}` cannot hold", subject(i), what, var->dtype().str(),
                          in_format(std::string(var->name))),
              "(long long)" + actual);
    }
    values_.define(var, name, true);
    bound_by_[var] = {i, fmt::format("{}.{}", std::string(param(i)->name), what)};
  }

  void compare_extent(const Deferred& check) {
    std::string expected = values_.value(check.expected);
    std::string message = fmt::format("{}: {} is %lld, expected %lld", subject(check.param), check.what);
    if (auto* var = ir::as<VarNode>(check.expected)) {
      auto by = bound_by_.find(var);
      message += in_format(by == bound_by_.end() ? fmt::format(" (`{}`)", std::string(var->name))
                                                 : fmt::format(" (`{}`, from argument {})",
                                                               std::string(var->name), by->second.first));
    } else if (!ir::const_int(check.expected)) {
      auto named = [&](const VarNode* var) {
        auto by = bound_by_.find(var);
        return by == bound_by_.end() ? backend::own_name(var) : by->second.second;
      };
      message += in_format(fmt::format(", which is {}", backend::extent_text(check.expected, named, false)));
    } else if (check.what.starts_with("shape") && !param(check.param)->buffer()->strides.empty()) {
      message += " whatever the strides";
    }
    require(fmt::format("{} == ({})", check.actual, expected), "ValueError", message,
            fmt::format("(long long){}, (long long)({})", check.actual, expected));
  }

  // Strides and data, once the shape is known to be right.
  void finish_tensor(size_t i) {
    const ir::BufferTypeNode* type = param(i)->buffer();
    DataType dtype = type->dtype;
    std::string tensor = fmt::format("t{}", i);
    size_t rank = type->shape.size();
    m_.prelude("mlc_count");
    if (rank > 0 && type->strides.empty()) {
      m_.prelude("mlc_is_compact");
      require(fmt::format("mlc_is_compact({})", tensor), "ValueError",
              subject(i) + " is not compact (row-major without gaps)");
    } else if (rank > 0) {
      size_t before = deferred_.size();
      for (size_t d = 0; d < rank; ++d) {
        std::string compact = "1";
        for (size_t k = d + 1; k < rank; ++k) compact += fmt::format(" * {}->shape[{}]", tensor, k);
        std::string stride = fmt::format("s{}_{}", i, d);
        line(fmt::format("const int64_t {0} = {1}->strides != NULL ? {1}->strides[{2}] : {3};", stride,
                         tensor, d, compact));
        bind_or_defer(i, fmt::format("strides[{}]", d), type->strides[static_cast<int64_t>(d)], stride);
      }
      for (size_t k = before; k < deferred_.size(); ++k) compare_extent(deferred_[k]);
    }
    auto bytes = static_cast<int64_t>(dtype.bytes() * dtype.lanes());
    auto* free_offset = ir::as<VarNode>(type->elem_offset);
    std::string data = fmt::format("(char*){}->data", tensor);
    if (free_offset != nullptr && !values_.defines(free_offset)) {
      std::string name = fmt::format("n{}", symbols_++);
      line(fmt::format("const {0} {1} = ({0})({2}->byte_offset / {3});",
                       value_type(free_offset->dtype(), free_offset->span), name, tensor, bytes));
      values_.define(free_offset, name, true);
    } else {
      data += fmt::format(" + {}->byte_offset", tensor);
    }
    line(fmt::format("char* const {} = {};", local(i), data));
    require(fmt::format("{} != NULL || mlc_count({}) == 0", local(i), tensor), "ValueError",
            subject(i) + " has no data");
    if (dtype.bytes() > 1) {
      require(fmt::format("(uintptr_t){} % {} == 0", local(i), dtype.bytes()), "ValueError",
              fmt::format("{}: its data is not aligned to {} bytes", subject(i), dtype.bytes()));
    }
  }

  void call() {
    std::string args;
    auto add = [&](const std::string& one) { args += (args.empty() ? "" : ", ") + one; };
    for (size_t i = 0; i < params_.size(); ++i) {
      bool tensor = param(i)->buffer() != nullptr;
      add(tensor ? fmt::format("({})(void*){}", function_.c.parameters[i].type, local(i)) : local(i));
    }
    for (const Var& var : function_.shape_vars) {
      if (!values_.defines(var.get())) {
        throw ir::Error("codegen-unsupported", "no argument of `{}` determines `{}`", function_.c.symbol,
                        var->name.c_str())
            .at(function_.c.fn->span)
            .help("use it alone as an extent of some buffer, or make it a parameter");
      }
      add(values_.value(var));
    }
    DataType dtype = function_.result;
    if (dtype.is_void()) {
      line(fmt::format("return {}({});", function_.c.name, args));
      return;
    }
    line(fmt::format("{} value = 0;", value_type(dtype, {})));
    add("&value");
    line(fmt::format("const int status = {}({});", function_.c.name, args));
    line("if (status != 0) return status;");
    std::string_view index = dtype.is_bool()       ? "kBool"
                             : dtype.is_floating() ? "kFloat"
                             : dtype.is_handle()   ? "kPointer"
                                                   : "kInt";
    line(fmt::format("result->type_index = {};", index));
    line("result->zero_padding = 0;");
    if (dtype.is_handle()) {
      line("result->as_pointer = value;");
    } else if (dtype.is_floating()) {
      line(fmt::format("result->as_float = {};",
                       is_soft_float(dtype)
                           ? fmt::format("{}(value)", m_.prelude("mlc_" + type_word(dtype) + "_to_float"))
                           : "value"));
    } else {
      line("result->as_int = (int64_t)value;");
    }
    line("return 0;");
  }

  ModuleEmitter& m_;
  const Function& function_;
  FunctionEmitter values_;
  ir::Array<Var> params_;
  std::string signature_;
  std::string text_;
  std::vector<Deferred> deferred_;
  std::unordered_map<const VarNode*, std::pair<size_t, std::string>> bound_by_;
  int symbols_ = 0;
};

}  // namespace

std::string ModuleEmitter::entry(const Function& function) {
  std::string name = fmt::format("mlc_entry_{}", symbols_.size() - 1);
  std::string head =
      fmt::format("int32_t {}(void* self, const MlcAny* args, int32_t count, MlcAny* result)", name);
  std::string body = Entry(*this, function).body();
  return fmt::format("{0}\n    __asm__({1});\n{0} {{\n{2}}}\n\n", head,
                     c_string("__tvm_ffi_" + function.c.symbol), body);
}

}  // namespace mlc::c_backend
