// SPDX-License-Identifier: Apache-2.0
#include "ir/core/dtype.h"

#include <charconv>

#include "ir/core/error.h"
#include "ir/core/refusal.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "unknown-dtype",
                                            .meaning = "No data type has this name.",
                                            .wrong = R"(A[0] = T.Cast("flot32", n))",
                                            .right = R"(A[0] = T.Cast("float32", n))"},
                                       }};
MLC_REFUSALS(core_dtype, refusals);

namespace {

struct Named {
  std::string_view name;
  DataType type;
};

// Every element type that has a name of its own; int, uint and float widths are spelled by rule. Without a
// width it is 32.
constexpr Named named[] = {
    {"bool", DataType::Bool()},
    {"handle", DataType::Handle()},
    {"void", DataType::Void()},
    {"bfloat16", DataType::BFloat16()},
    {"int32", DataType::Int(32)},
    {"uint32", DataType::UInt(32)},
    {"float32", DataType::Float(32)},
    {"int", DataType::Int(32)},
    {"uint", DataType::UInt(32)},
    {"float", DataType::Float(32)},
    {"bfloat", DataType::BFloat16()},
    {"float8_e3m4", {kDLFloat8_e3m4, 8}},
    {"float8_e4m3", {kDLFloat8_e4m3, 8}},
    {"float8_e4m3b11fnuz", {kDLFloat8_e4m3b11fnuz, 8}},
    {"float8_e4m3fn", {kDLFloat8_e4m3fn, 8}},
    {"float8_e4m3fnuz", {kDLFloat8_e4m3fnuz, 8}},
    {"float8_e5m2", {kDLFloat8_e5m2, 8}},
    {"float8_e5m2fnuz", {kDLFloat8_e5m2fnuz, 8}},
    {"float8_e8m0fnu", {kDLFloat8_e8m0fnu, 8}},
    {"float6_e2m3fn", {kDLFloat6_e2m3fn, 6}},
    {"float6_e3m2fn", {kDLFloat6_e3m2fn, 6}},
    {"float4_e2m1fn", {kDLFloat4_e2m1fn, 4}},
};

bool read_number(std::string_view text, int& out) {
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  return status == std::errc{} && end == text.data() + text.size();
}

bool parse_element(std::string_view text, DataType& out) {
  for (const Named& row : named) {
    if (row.name == text) return out = row.type, true;
  }
  struct Family {
    std::string_view prefix;
    int code;
  };
  for (Family family : {Family{"int", kDLInt}, Family{"uint", kDLUInt}, Family{"float", kDLFloat}}) {
    int bits = 0;
    if (!text.starts_with(family.prefix) || !read_number(text.substr(family.prefix.size()), bits)) continue;
    // 128 bits are registers of GPUs: loaded, stored and handed to instructions, no numbers.
    bool fits = family.code == kDLFloat ? bits == 16 || bits == 32 || bits == 64
                                        : (bits >= 1 && bits <= 64) || bits == 128;
    if (!fits) return false;
    return out = DataType(family.code, bits), true;
  }
  return false;
}

}  // namespace

DataType DataType::parse(std::string_view text) {
  DataType element;
  if (parse_element(text, element)) return element;
  size_t x = text.rfind('x');
  int lanes = 0;
  if (x != std::string_view::npos && read_number(text.substr(x + 1), lanes) && lanes >= 1 && lanes <= 32767) {
    std::string_view base = text.substr(0, x);
    bool scalable = base.ends_with("xvscale");
    if (scalable) base.remove_suffix(7);
    if (parse_element(base, element)) return element.with_lanes(scalable ? -lanes : lanes);
  }
  if (x != std::string_view::npos && parse_element(text.substr(0, x), element))
    throw ir::refuse_as(refusals["unknown-dtype"], "data type `{}` has no number of lanes", text);
  std::vector<std::string> known = {"int8",   "int16",  "int32",   "int64",   "uint8",   "uint16",
                                    "uint32", "uint64", "float16", "float32", "float64", "float8_e4m3fn"};
  for (const Named& row : named) known.emplace_back(row.name);
  throw ir::refuse_as(refusals["unknown-dtype"], "unknown data type `{}`", text)
      .help(did_you_mean(text, known));
}

std::string DataType::str() const {
  std::string text;
  bool plain = is_int() || is_uint() || is_float();  // int32, float64: no name of their own
  for (const Named& row : named) {
    if (plain || !text.empty()) break;
    if (row.type.code() == code() && row.type.bits() == bits()) text = row.name;
  }
  if (text.empty()) {
    text = is_int() ? "int" : is_uint() ? "uint" : is_float() ? "float" : is_bool() ? "bool" : "custom";
    text += std::to_string(bits());
  }
  if (is_void() || lanes() == 1) return text;
  if (is_scalable()) return text + "xvscalex" + std::to_string(-lanes());
  return text + "x" + std::to_string(lanes());
}

}  // namespace mlc::ir
