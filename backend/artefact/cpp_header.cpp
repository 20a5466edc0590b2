// SPDX-License-Identifier: Apache-2.0
// What a C++ header has beside the C declarations: graphs as functions that return their results.
#include <fmt/format.h>

#include "backend/artefact/c_interface.h"
#include "ir/core/expr.h"

namespace mlc::backend {

namespace {

struct Tensor {
  std::string name, element;  // in C++
  int64_t elements = 1;
  bool is_bool = false;  // a vector of bool has no elements of its own
};

// nullopt where an extent is no number.
std::optional<Tensor> tensor_of(const CParameter& parameter) {
  if (parameter.kind != CParameter::Kind::kTensor) return std::nullopt;
  const ir::BufferTypeNode* type = parameter.var->buffer();
  ir::DataType dtype(type->dtype);
  Tensor made{.name = parameter.name, .element = c_type(dtype), .is_bool = dtype.is_bool()};
  for (const ir::Expr& extent : type->shape) {
    auto known = ir::const_int(extent);
    if (!known) return std::nullopt;
    made.elements *= *known;
  }
  if (made.element.empty()) return std::nullopt;
  return made;
}

std::string wrapper(const CFunction& function) {
  size_t results = num_outputs(function.fn);
  if (results == 0) return "";
  size_t inputs = function.parameters.size() - results;
  std::string fields, parameters, made, given;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    auto tensor = tensor_of(function.parameters[i]);
    if (!tensor) return "";
    const auto& [name, element, elements, is_bool] = *tensor;
    std::string_view comma = i == 0 ? "" : ", ";
    if (i < inputs) {
      parameters += fmt::format("{}std::span<const {}, {}> {}", comma, element, elements, name);
      given += fmt::format("{}{}.data()", comma, name);
      continue;
    }
    std::string owned = is_bool ? "unsigned char" : element;
    fields += fmt::format("  std::vector<{}> {};\n", owned, name);
    made += fmt::format("{}std::vector<{}>({})", i == inputs ? "" : ", ", owned, elements);
    given += is_bool ? fmt::format("{}reinterpret_cast<bool*>(results_of_call.{}.data())", comma, name)
                     : fmt::format("{}results_of_call.{}.data()", comma, name);
  }
  return fmt::format(
      "struct {0}_results {{\n{1}}};\n"
      "inline {0}_results {0}({2}) {{\n"
      "  {0}_results results_of_call{{{3}}};\n"
      "  if (::{0}({4}) != 0) throw std::runtime_error(mlc_last_error());\n"
      "  return results_of_call;\n}}\n\n",
      function.name, fields, parameters, made, given);
}

}  // namespace

std::string cpp_wrappers(const CInterface& interface) {
  std::string functions;
  for (const CFunction& function : interface.functions) functions += wrapper(function);
  if (functions.empty()) return "";
  return fmt::format(
      "\n// For C++20: functions that return their results, and throw std::runtime_error where the C "
      "function fails.\n"
      "#ifdef __cplusplus\n#include <span>\n#include <stdexcept>\n#include <vector>\n\n"
      "namespace {0}_graphs {{\n\n{1}}}  // namespace {0}_graphs\n#endif\n",
      c_identifier(interface.library), functions);
}

}  // namespace mlc::backend
