// SPDX-License-Identifier: Apache-2.0
#include "backend/simulator/device.h"

#include <cstdlib>
#include <cstring>

#include "ir/core/refusal.h"

namespace mlc::simulator {

static constexpr ir::Refusals refusals{
    "MemoryError",
    {
        {.name = "out-of-memory", .message = "cannot allocate {} bytes for a simulated GPU"},
    }};
MLC_REFUSALS(simulator_device, refusals);

namespace {

constexpr size_t kAlignment = 256;  // that of CUDA

char* at(const void* data, size_t offset) { return static_cast<char*>(const_cast<void*>(data)) + offset; }

}  // namespace

ir::Any SimulatedDevice::attribute(int, std::string_view name) {
  if (name == "max_threads_per_block") return int64_t{1024};
  if (name == "warp_size") return int64_t{32};
  if (name == "max_shared_memory_per_block") return int64_t{49152};
  if (name == "device_name") return ir::String("simulated GPU");
  if (name == "multi_processor_count") return int64_t{1};
  return nullptr;
}

void* SimulatedDevice::allocate(int, size_t bytes) {
  size_t rounded = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) throw ir::refuse(refusals["out-of-memory"], bytes);
  std::memset(data, 0xCB, rounded);  // what was never set is the same absurd values every time
  return data;
}
void SimulatedDevice::release(int, void* data) { std::free(data); }

void SimulatedDevice::copy_in(int, const void* from, void* to, size_t to_offset, size_t bytes) {
  std::memcpy(at(to, to_offset), from, bytes);
}
void SimulatedDevice::copy_out(int, const void* from, size_t from_offset, void* to, size_t bytes) {
  std::memcpy(to, at(from, from_offset), bytes);
}
void SimulatedDevice::copy_within(int, const void* from, size_t from_offset, void* to, size_t to_offset,
                                  size_t bytes) {
  std::memmove(at(to, to_offset), at(from, from_offset), bytes);
}

}  // namespace mlc::simulator
