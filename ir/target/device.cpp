// SPDX-License-Identifier: Apache-2.0
#include "ir/target/device.h"

#include <fmt/ranges.h>

#include <vector>

#include "ir/core/error.h"
#include "ir/core/refusal.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "unknown-device",
                                            .meaning = "The text names no device.",
                                            .wrong = R"(import tvm
tvm.device("cpux"))",
                                            .right = R"(import tvm
tvm.device("cpu"))"},
                                       }};
MLC_REFUSALS(target_device, refusals);

namespace {

constexpr std::pair<std::string_view, DLDeviceType> device_names[] = {{"cpu", kDLCPU},
                                                                      {"cuda", kDLCUDA},
                                                                      {"opencl", kDLOpenCL},
                                                                      {"rocm", kDLROCM},
                                                                      {"metal", kDLMetal},
                                                                      {"vulkan", kDLVulkan},
                                                                      {"vpi", kDLVPI},
                                                                      {"ext_dev", kDLExtDev},
                                                                      {"hexagon", kDLHexagon},
                                                                      {"webgpu", kDLWebGPU},
                                                                      {"trn", kDLTrn},
                                                                      // what the code for a device is called
                                                                      {"llvm", kDLCPU},
                                                                      {"c", kDLCPU},
                                                                      {"gpu", kDLCUDA},
                                                                      {"cl", kDLOpenCL}};

}  // namespace

std::string_view device_name(int type) {
  auto named = std::ranges::find(device_names, type, [](const auto& row) -> int { return row.second; });
  return named == std::end(device_names) ? "device" : named->first;
}

std::string device_text(DLDevice device) {
  return fmt::format("{}:{}", device_name(device.device_type), device.device_id);
}

DLDevice parse_device(std::string_view text, int64_t index) {
  std::string_view name = text.substr(0, text.find_first_of(": "));
  if (size_t colon = text.find(':'); colon != std::string_view::npos) {
    index = 0;
    if (colon + 1 == text.size()) throw ir::refuse_as(refusals["unknown-device"], "`{}` is no device", text);
    for (char c : text.substr(colon + 1)) {
      if (c < '0' || c > '9' || index > 1000)
        throw ir::refuse_as(refusals["unknown-device"], "`{}` is no device", text);
      index = index * 10 + (c - '0');
    }
  }
  std::vector<std::string> known;
  for (const auto& [one, type] : device_names) {
    if (one == name) return {type, static_cast<int32_t>(index)};
    known.emplace_back(one);
  }
  throw ir::refuse_as(refusals["unknown-device"], "there is no device `{}`", text)
      .help(fmt::format("there are {}{}", fmt::join(known, ", "), did_you_mean(name, known)));
}

}  // namespace mlc::ir
