// SPDX-License-Identifier: Apache-2.0
// vm.builtin.sample_*, apply_*: the next token of a language model, from what the model says of each.
#include <fmt/format.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "backend/vm/builtins.h"
#include "backend/vm/memory.h"
#include "ir/core/dtype.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "sampling-dtype", .message = "`{}`: {} is a tensor of {}, it must be one of {}"},
        {.name = "sampling-batch", .message = "`{}`: {} has {} rows, it must have one"},
        {.name = "sampling-strides", .message = "`{}` changes {} in its memory, which must be compact"},
        {.name = "sampling-number", .message = "`{}`: {} is {}, it must {}"},
        {.name = "sampling-token", .kind = "IndexError", .message = "`{}`: there is no token {} among {}"},
        {.name = "sampling-counts", .message = "`{}`: {} tokens have {} counts"},
    }};
MLC_REFUSALS(vm_builtin_sampling, refusals);

namespace {

ffi::Tensor tensor_of(ffi::AnyView given, std::string_view name, std::string_view what, ir::DataType dtype) {
  auto tensor = value_of<ffi::Tensor>(given, name, "tensor");
  if (ir::DataType(tensor.dtype()) != dtype)
    throw refuse(refusals["sampling-dtype"], name, what, ir::DataType(tensor.dtype()).str(), dtype.str());
  return tensor;
}

// The values of one token each: all dimensions but the last one are 1.
std::span<float> one_row(const ffi::Tensor& tensor, std::string_view name, std::string_view what) {
  int64_t rows = 1, last = 1;
  for (int64_t extent : tensor.shape()) {
    rows *= last;
    last = extent;
  }
  if (rows != 1) throw refuse(refusals["sampling-batch"], name, what, rows);
  return {static_cast<float*>(tensor.data_ptr()), static_cast<size_t>(last)};
}
// The same where they are changed. A copy would be changed and forgotten.
std::span<float> own_row(ffi::AnyView given, std::string_view name) {
  ffi::Tensor tensor = tensor_of(given, name, "the tensor of logits", ir::DataType::Float(32));
  if (!tensor.IsContiguous()) throw refuse(refusals["sampling-strides"], name, "the tensor of logits");
  return one_row(tensor, name, "the tensor of logits");
}
std::span<const int32_t> integers(const ffi::Tensor& tensor) {
  int64_t count = 1;
  for (int64_t extent : tensor.shape()) count *= extent;
  return {static_cast<const int32_t*>(tensor.data_ptr()), static_cast<size_t>(count)};
}

int64_t largest(std::span<const float> values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

// exp((x - max) / temperature), as parts of their sum.
std::vector<float> softmax(std::span<const float> logits, float temperature) {
  float most = *std::max_element(logits.begin(), logits.end());
  std::vector<float> powers(logits.size());
  double sum = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    powers[i] = std::exp((logits[i] - most) / temperature);
    sum += powers[i];
  }
  for (float& power : powers) power = static_cast<float>(power / sum);
  return powers;
}

// The token in which `uniform` falls when the most probable ones, up to the first with which their sum
// reaches `top_p`, share [0, 1). Of equal ones the first is the more probable.
int64_t sampled(std::span<const float> probabilities, double top_p, double uniform) {
  std::vector<int64_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  auto before = [&](int64_t a, int64_t b) {
    float left = probabilities[static_cast<size_t>(a)], right = probabilities[static_cast<size_t>(b)];
    return left != right ? left > right : a < b;
  };
  // Tens of thousands of tokens, of which tens are asked for: sorted as far as needed.
  size_t sorted = 0, kept = 0;
  float total = 0;
  while (kept < order.size() && (kept == 0 || total < static_cast<float>(top_p))) {
    if (kept == sorted) {
      size_t upto = std::min(order.size(), std::max<size_t>(64, 4 * sorted));
      std::partial_sort(order.begin() + static_cast<int64_t>(sorted),
                        order.begin() + static_cast<int64_t>(upto), order.end(), before);
      sorted = upto;
    }
    total += probabilities[static_cast<size_t>(order[kept++])];
  }
  float sum = 0;
  for (size_t i = 0; i < kept; ++i) {
    sum += probabilities[static_cast<size_t>(order[i])];
    if (uniform < sum / total) return order[i];
  }
  return order[kept - 1];
}

void check_row(std::span<const float> values, double top_p, double uniform, std::string_view name,
               std::string_view what) {
  if (values.empty()) throw refuse(refusals["sampling-token"], name, 0, 0);
  if (std::isnan(top_p)) throw refuse(refusals["sampling-number"], name, "`top_p`", top_p, "be a number");
  if (!(uniform >= 0 && uniform <= 1))
    throw refuse(refusals["sampling-number"], name, "the random number", uniform, "be from 0 to 1");
  auto bad = std::find_if(values.begin(), values.end(), [](float value) { return std::isnan(value); });
  if (bad != values.end())
    throw refuse(refusals["sampling-number"], name, fmt::format("{}[{}]", what, bad - values.begin()), *bad,
                 "be a number");
}

// sample_top_p_from_logits(logits, temperature, top_p, uniform): with almost no temperature the largest
int64_t sample_from_logits(ffi::AnyView given, double temperature, double top_p, double uniform) {
  constexpr std::string_view name = "vm.builtin.sample_top_p_from_logits";
  ffi::Tensor tensor =
      ir::contiguous(tensor_of(given, name, "the tensor of logits", ir::DataType::Float(32)));
  std::span<const float> logits = one_row(tensor, name, "the tensor of logits");
  check_row(logits, top_p, uniform, name, "logits");
  if (temperature < 1e-6) return largest(logits);
  return sampled(softmax(logits, static_cast<float>(temperature)), top_p, uniform);
}

int64_t sample_from_prob(ffi::AnyView given, double top_p, double uniform) {
  constexpr std::string_view name = "vm.builtin.sample_top_p_from_prob";
  ffi::Tensor tensor =
      ir::contiguous(tensor_of(given, name, "the tensor of probabilities", ir::DataType::Float(32)));
  std::span<const float> values = one_row(tensor, name, "the tensor of probabilities");
  check_row(values, top_p, uniform, name, "probabilities");
  // As TVM has it: the first may take more than its share of what is kept.
  int64_t first = largest(values);
  if (uniform < values[static_cast<size_t>(first)] / static_cast<float>(top_p)) return first;
  return sampled(values, top_p, uniform);
}

float& logit_of(std::span<float> logits, int32_t token, std::string_view name) {
  if (token < 0 || static_cast<size_t>(token) >= logits.size())
    throw refuse(refusals["sampling-token"], name, token, logits.size());
  return logits[static_cast<size_t>(token)];
}

// Tokens that have been said are made less likely, each time that they are given.
void repetition_penalty(ffi::AnyView given, ffi::AnyView tokens, double penalty) {
  constexpr std::string_view name = "vm.builtin.apply_repetition_penalty";
  std::span<float> logits = own_row(given, name);
  ffi::Tensor ids = ir::contiguous(tensor_of(tokens, name, "the tensor of tokens", ir::DataType::Int(32)));
  for (int32_t token : integers(ids)) logit_of(logits, token, name);
  for (int32_t token : integers(ids)) {
    float& logit = logit_of(logits, token, name);
    logit = logit > 0 ? static_cast<float>(logit / penalty) : static_cast<float>(logit * penalty);
  }
}

// Less by `presence` once and by `frequency` for each time.
void presence_and_frequency_penalty(ffi::AnyView given, ffi::AnyView tokens, ffi::AnyView times,
                                    double presence, double frequency) {
  constexpr std::string_view name = "vm.builtin.apply_presence_and_frequency_penalty";
  std::span<float> logits = own_row(given, name);
  ffi::Tensor ids = ir::contiguous(tensor_of(tokens, name, "the tensor of tokens", ir::DataType::Int(32)));
  ffi::Tensor counts = ir::contiguous(tensor_of(times, name, "the tensor of counts", ir::DataType::Int(32)));
  if (integers(ids).size() != integers(counts).size())
    throw refuse(refusals["sampling-counts"], name, integers(ids).size(), integers(counts).size());
  for (int32_t token : integers(ids)) logit_of(logits, token, name);
  for (size_t i = 0; i < integers(ids).size(); ++i)
    logit_of(logits, integers(ids)[i], name) -=
        static_cast<float>(integers(counts)[i] * frequency + presence);
}

void softmax_with_temperature(ffi::AnyView given, double temperature) {
  constexpr std::string_view name = "vm.builtin.apply_softmax_with_temperature";
  std::span<float> logits = own_row(given, name);
  if (logits.empty()) return;
  if (!(temperature > 0))
    throw refuse(refusals["sampling-number"], name, "the temperature", temperature, "be positive");
  std::vector<float> powers = softmax(logits, static_cast<float>(temperature));
  std::copy(powers.begin(), powers.end(), logits.begin());
}

}  // namespace

void register_sampling_builtins() {
  ffi::reflection::GlobalDef()
      .def("vm.builtin.sample_top_p_from_logits", sample_from_logits)
      .def("vm.builtin.sample_top_p_from_prob", sample_from_prob)
      .def("vm.builtin.apply_repetition_penalty", repetition_penalty)
      .def("vm.builtin.apply_presence_and_frequency_penalty", presence_and_frequency_penalty)
      .def("vm.builtin.apply_softmax_with_temperature", softmax_with_temperature);
}

}  // namespace mlc::vm
