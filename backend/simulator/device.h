// SPDX-License-Identifier: Apache-2.0
// A GPU that is not there: its memory is memory of the host.
#pragma once

#include "ir/target/device_api.h"

namespace mlc::simulator {

class SimulatedDevice final : public ir::DeviceApi {
 public:
  int count() final { return 1; }
  std::string why_not(int) final { return "one GPU is simulated, number 0"; }
  ir::Any attribute(int id, std::string_view name) final;
  void* allocate(int id, size_t bytes) final;
  void release(int id, void* data) final;
  void copy_in(int id, const void* from, void* to, size_t to_offset, size_t bytes) final;
  void copy_out(int id, const void* from, size_t from_offset, void* to, size_t bytes) final;
  void copy_within(int id, const void* from, size_t from_offset, void* to, size_t to_offset,
                   size_t bytes) final;
  void synchronize(int) final {}  // launches return when they are done
  void make_current(int) final {}
};

}  // namespace mlc::simulator
