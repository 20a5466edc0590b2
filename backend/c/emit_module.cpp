// SPDX-License-Identifier: Apache-2.0
// The text as a whole: includes, what the functions need, the functions.
#include <algorithm>

#include "backend/c/emitter.h"
#include "backend/c/prelude.h"
#include "ir/core/error.h"
#include "ir/core/small_float.h"

namespace mlc::c_backend {

using ir::Error;

namespace {

std::string text_of(const ir::String& text) { return {text.data(), text.size()}; }

std::string replaced(std::string text, std::string_view mark, std::string_view value) {
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
  return text;
}

}  // namespace

void refuse(std::string_view construct, ir::Span span, std::string help) {
  throw Error("codegen-unsupported", "{} cannot be written in C", construct).at(span).help(std::move(help));
}

bool is_soft_float(DataType dtype) {
  return dtype.is_bfloat16() || (dtype.is_float() && dtype.bits() == 16) ||
         (dtype.bits() == 8 && ir::narrow_format(dtype) != nullptr);
}

std::string value_type(DataType dtype, ir::Span span) {
  if (dtype.is_uint() && dtype.bits() == 1) return "bool";  // a lane of a mask
  std::string type = dtype.is_scalable() ? "" : backend::c_type(dtype.element());
  if (type.empty())
    throw Error("unsupported-dtype", "values of type {} cannot be written in C", dtype.str()).at(span);
  return type;
}

std::string type_word(DataType dtype) {
  DataType one = dtype.element();
  if (one.is_float() && one.bits() >= 32) return one.bits() == 32 ? "float" : "double";
  return one.str();
}

bool is_called_by_text(const std::string& name) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all{"free",     "memcpy",        "isnan",  "isinf", "signbit", "frexp",
                              "snprintf", "aligned_alloc", "signed", "stdin", "errno",   "stdout",
                              "stderr",   "bool",          "true",   "false", "assert",  "offsetof"};
    for (const ir::OpRow& row : ir::op_rows()) {
      if (row.libm.empty()) continue;
      all.insert(std::string(row.libm));
      all.insert(std::string(row.libm) + "f");
    }
    return all;
  }();
  return names.contains(name) || name == "INFINITY" || name == "NAN" || name == "HUGE_VAL" || name == "EOF" ||
         name == "BUFSIZ" || name == "FILE";
}

// What functions that take TVM's arguments (emit_entry.cpp) call their own.
bool is_local_of_entries(std::string_view name) {
  static const std::set<std::string_view> words{"self", "args", "count", "result", "value", "status"};
  if (words.contains(name)) return true;
  bool numbered = name.size() > 1 && std::string_view("atns").find(name[0]) != std::string_view::npos;
  return numbered && name.find_first_not_of("0123456789_", 1) == std::string_view::npos;
}

bool has_taken_prefix(std::string_view name) {
  return name.starts_with("mlc_") || name.starts_with("M_") || name.starts_with("FP_");
}

std::string c_string(std::string_view text) {
  std::string made = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      made += '\\', made += c;
    } else if (c == '\n') {
      made += "\\n";
    } else if (byte < ' ' || byte >= 0x7f || c == '?') {  // `?`: no trigraphs
      made += c == '?' ? "?" : fmt::format("\\{:03o}", byte);
    } else {
      made += c;
    }
  }
  return made + "\"";
}

std::string in_format(std::string_view text) { return replaced(std::string(text), "%", "%%"); }

std::string ModuleEmitter::prelude(std::string_view row_name, DataType dtype) {
  bool fails = row_name == "mlc_fail" && convention == Convention::kPacked;
  // Floats of 8 bits: two functions per format, made of the general ones.
  if (dtype.is_void() && row_name.find("float8_") != std::string_view::npos) {
    std::string name(row_name);
    if (prelude_.contains(name)) return name;
    bool decodes = name.ends_with("_to_float");
    std::string word = decodes ? name.substr(4, name.size() - 4 - 9) : name.substr(name.find("float8_"));
    const ir::SmallFloat* format = nullptr;
    for (const ir::SmallFloat& one : ir::narrow_formats()) {
      if (one.name == word) format = &one;
    }
    MLC_CHECK(format != nullptr, "no format `{}`", word);
    prelude(decodes ? "mlc_decode" : "mlc_encode");
    std::string numbers = fmt::format("{}, {}, {}, {}", format->exponent_bits, format->mantissa_bits,
                                      format->bias, static_cast<int>(format->special));
    prelude_[name] =
        decodes
            ? fmt::format("static inline float {}(uint8_t bits) {{ return (float)mlc_decode(bits, {}); }}\n",
                          name, numbers)
            : fmt::format(
                  "static inline uint8_t {}(float value) {{ return (uint8_t)mlc_encode(value, {}); }}\n",
                  name, numbers);
    prelude_order_.push_back(name);
    return name;
  }
  const PreludeRow* row = prelude_row(fails ? "mlc_fail for tvm-ffi" : row_name);
  MLC_CHECK(row != nullptr, "the prelude has no `{}`", row_name);
  std::string word = dtype.is_void() ? "" : type_word(dtype);
  std::string name = replaced(std::string(row_name), "$", word);
  if (prelude_.contains(name)) return name;
  if (!row->needs.empty()) prelude(row->needs, dtype);
  bool real = dtype.is_float() && dtype.bits() >= 32;
  std::string text(real && !row->real.empty() ? row->real : row->text);
  if (!dtype.is_void()) {
    text = replaced(text, "$T", value_type(dtype, {}));
    text = replaced(text, "$U", fmt::format("uint{}_t", dtype.bits()));
    text = replaced(text, "$W", word);
    text = replaced(text, "$F", dtype.bits() == 32 ? "f" : "");
  }
  prelude_[name] = std::move(text);
  prelude_order_.push_back(name);
  return name;
}

// The name in the text is another one, tied to the symbol: headers may declare that with C's own types.
std::string ModuleEmitter::outside(const std::string& symbol, const std::string& result,
                                   const std::vector<std::string>& params, ir::Span span) {
  std::string name = "call_" + backend::c_identifier(symbol);
  std::string declaration =
      fmt::format("extern {} {}({}) __asm__({});\n", result, name,
                  params.empty() ? "void" : fmt::format("{}", fmt::join(params, ", ")), c_string(symbol));
  auto [known, fresh] = outside_.emplace(symbol, declaration);
  if (!fresh && known->second != declaration)
    refuse(fmt::format("a call of `{}` with other types than before", symbol), span);
  return name;
}

std::string ModuleEmitter::unique_name(std::string wanted) {
  std::string base = backend::c_identifier(wanted);
  bool bad = base.empty() || (base[0] >= '0' && base[0] <= '9') || has_taken_prefix(base) || base == "main" ||
             is_local_of_entries(base) || backend::is_reserved_in_c(base);
  if (bad) base = "f_" + base;
  std::string name = base;
  for (int i = 1; names_.contains(name) || backend::in_c_library(name) || is_called_by_text(name); ++i)
    name = fmt::format("{}_{}", base, i);
  names_.insert(name);
  return name;
}

const Function* ModuleEmitter::find(const ir::GlobalVarNode* callee) const {
  auto found = functions_.find(text_of(callee->name_hint));
  return found == functions_.end() ? nullptr : &found->second;
}

void ModuleEmitter::declare(const ir::IRModule& lowered) {
  std::map<std::string, std::string> in_c;  // symbol -> name
  for (const backend::CFunction& one : interface_.functions) {
    in_c[one.symbol] = one.name;
    names_.insert(one.name);
  }
  std::map<std::string, ir::BaseFunc> by_name;  // the order of the module's map is another one in every run
  for (const auto& [global, base] : lowered->functions) by_name.emplace(text_of(global->name_hint), base);
  std::set<std::string> symbols;
  for (const auto& [global, base] : by_name) {
    auto fn = base.as<ir::PrimFunc>();
    if (!fn) {
      throw Error("codegen-unsupported", "`{}` is no tensor function and cannot be compiled", global)
          .at(base->span);
    }
    Function made;
    std::string symbol = global;
    if (auto given = ir::attr(base, "global_symbol")) {
      symbol = text_of(given->cast<ir::String>());
      made.exported = true;
    }
    if (!symbols.insert(symbol).second) {
      throw Error("duplicate-symbol", "two functions of the module have the symbol `{}`", symbol)
          .kind("InternalError+ValueError")
          .at((*fn)->span);
    }
    auto named = in_c.find(symbol);
    made.c =
        backend::c_function(symbol, named != in_c.end() ? named->second : unique_name(symbol), *fn, lowered);
    if (ir::attr(*fn, "mlc.constants")) {
      throw Error("codegen-unsupported", "the constants of the graph `{}` cannot be written in C", symbol)
          .help("build a library, `--emit a`; or leave weights parameters");
    }
    made.noalias = ir::has_flag(*fn, "tirx.noalias") || ir::has_flag(*fn, "tir.noalias");
    made.result = backend::result_type(*fn);
    made.shape_vars = backend::shape_symbols(*fn);
    if (made.result.is_void() && (*fn)->ret_type && (*fn)->ret_type->kind != ir::TypeKind::kPrim &&
        !((*fn)->ret_type->kind == ir::TypeKind::kTuple &&
          static_cast<const ir::TupleTypeNode*>((*fn)->ret_type.get())->elements.empty())) {
      throw Error("codegen-unsupported", "the return type of `{}` cannot be compiled", symbol)
          .at((*fn)->span);
    }
    functions_.emplace(global, std::move(made));
  }
  for (auto& [global, function] : functions_) {
    std::unordered_set<std::string> own;
    for (backend::CParameter& one : function.c.parameters) {
      if (has_taken_prefix(one.name)) one.name.insert(0, "v_");
      while (is_called_by_text(one.name) || names_.contains(one.name) || own.contains(one.name))
        one.name += "_";
      own.insert(one.name);
    }
  }
}

namespace {

// As c_declaration(), with what the header omits: that memory of tensors does not overlap.
std::string head(const Function& function, Convention convention) {
  std::string parameters;
  for (const backend::CParameter& one : function.c.parameters) {
    bool tensor = one.kind == backend::CParameter::Kind::kTensor;
    parameters += fmt::format("{}{} {}{}", parameters.empty() ? "" : ", ", one.type,
                              tensor && function.noalias ? "restrict " : "", one.name);
  }
  bool hidden = convention == Convention::kPacked || !function.exported;
  return fmt::format("{}int {}({})", hidden ? "static " : "", function.c.name,
                     parameters.empty() ? "void" : parameters);
}

}  // namespace

std::string ModuleEmitter::emit(const ir::IRModule& lowered, std::string_view library,
                                std::string_view prefix) {
  if (convention == Convention::kPlain) interface_ = backend::c_interface(lowered, library, prefix);
  declare(lowered);
  std::string prototypes;
  std::string bodies;
  for (const auto& [global, function] : functions_) {
    if (functions_.size() > 1) prototypes += head(function, convention) + ";\n";
    if (convention == Convention::kPlain && function.exported)
      bodies += backend::c_comment(function.c, print_);
    bodies += head(function, convention) + " {\n" + FunctionEmitter(*this, function).body() + "}\n\n";
  }
  if (convention == Convention::kPacked) {
    bodies += "/* What tvm-ffi calls: arguments are checked, then passed on. */\n\n";
    for (const auto& [global, function] : functions_) {
      if (!function.exported) continue;
      symbols_.push_back(function.c.symbol);
      bodies += entry(function);
    }
    // The only function of a module answers to `main` as well.
    if (symbols_.size() == 1 && symbols_[0] != "main") {
      bodies += fmt::format(
          "int32_t mlc_main(void* self, const MlcAny* args, int32_t count, MlcAny* result)\n"
          "    __asm__(\"__tvm_ffi_main\") __attribute__((weak));\n"
          "int32_t mlc_main(void* self, const MlcAny* args, int32_t count, MlcAny* result) {{\n"
          "  return mlc_entry_0(self, args, count, result);\n"
          "}}\n");
    }
  } else {
    prelude("mlc_fail");
    bodies +=
        "/* Why the last call that failed on this thread did so. */\n"
        "const char* mlc_last_error(void) { return mlc_error_text; }\n";
  }
  std::string text =
      "/* Written by mlc. Compile it as C11: cc -O2 -c FILE.c */\n"
      "#include <math.h>\n#include <stdarg.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include "
      "<stdio.h>\n"
      "#include <stdlib.h>\n#include <string.h>\n\n";
  for (const std::string& name : prelude_order_) text += prelude_.at(name) + "\n";
  for (const auto& [symbol, declaration] : outside_) text += declaration;
  if (!outside_.empty()) text += "\n";
  if (convention == Convention::kPlain) {
    for (const backend::CFunction& one : interface_.functions) {
      if (functions_.size() == 1) prototypes += backend::c_declaration(one) + ";\n";
    }
    prototypes += "const char* mlc_last_error(void);\n";
  }
  return text + prototypes + (prototypes.empty() ? "" : "\n") + bodies;
}

}  // namespace mlc::c_backend
