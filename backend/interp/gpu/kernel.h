// SPDX-License-Identifier: Apache-2.0
// A kernel that runs: blocks one after the other, the threads of a block side by side. Each thread has a
// stack of its own (ir::Fiber) and runs until it has to wait for others: at a barrier, or for the lanes of
// its warp. Then the next one runs. The order of blocks and threads follows from a seed.
#pragma once

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "backend/interp/gpu/shadow.h"
#include "backend/interp/machine.h"
#include "ir/core/fiber.h"

namespace mlc::interp {

class Kernel;
class Traffic;
struct ThreadBlock;

constexpr int kWarp = 32;  // lanes
// blockIdx.x, y, z and threadIdx.x, y, z
constexpr int kAxes = 6;
// Of a tag of threads; nothing of virtual ones.
std::optional<int> axis_of(std::string_view tag);

// An asynchronous copy, from when it is issued until its thread waits for it.
struct Copy {
  std::shared_ptr<Block> to_block, from_block;
  char* to;
  char* from;
  int64_t bytes;  // that arrive
  int64_t zeros;  // behind them
  const AccessPoint* point;
};

struct Thread {
  ThreadBlock& block;
  int index;  // in the block, x first
  std::array<int64_t, kAxes> at{};
  Frame frame;

  enum class State : uint8_t { kReady, kAtBarrier, kInWarp, kDone } state = State::kReady;
  const Barrier* barrier = nullptr;
  int64_t barrier_id = 0, barrier_count = 0;
  const Meeting* meeting = nullptr;
  uint32_t mask = 0;
  void* brought = nullptr;

  uint32_t clock = 1;
  std::shared_ptr<const std::vector<uint32_t>> seen = {};  // clocks of the threads of the block; null: none
  Unwritten unwritten = {};                                // of the expression in which it waits
  std::vector<std::vector<Copy>> copies = {};              // groups that are committed, the oldest first
  std::vector<Copy> issued = {};                           // and what is not committed yet
  std::exception_ptr error = {};
  bool begun = false;
  std::unique_ptr<ir::Fiber> fiber = {};

  int lane() const { return index % kWarp; }
  int warp() const { return index / kWarp; }
  bool comes_after(const Toucher& other) const;

  // `bytes` at `begin`, which is in the block of memory. Error: race, async-copy-not-arrived.
  void touch(Block& memory, char* begin, int64_t bytes, Touch touch, const AccessPoint& point);
  // A write of the value that was there.
  void touch_same(Block& memory, char* begin, int64_t bytes, const AccessPoint& point);
  // A read of memory that was written in full?
  void check_written(Block& memory, char* begin, int64_t bytes, const AccessPoint& point);
  // Memory that an address points to; addresses of shared memory in 32 bits are known, too. Error:
  // address-out-of-bounds.
  std::pair<std::shared_ptr<Block>, char*> memory_at(int64_t address, int64_t bytes, Span span) const;
  // A read of an intrinsic, which needs all of it: checked, counted, noted.
  void read(Block& memory, char* begin, int64_t bytes, const AccessPoint& point);
  void write(Block& memory, char* begin, int64_t bytes, const AccessPoint& point);

  void wait(const Barrier& barrier, int64_t id, int64_t count);
  void meet(const Meeting& meeting, uint32_t mask, void* brought);
  void issue(Copy copy);
  void commit() { copies.push_back(std::exchange(issued, {})); }
  // All groups but the newest `left` have arrived.
  void arrive(size_t left);

  std::string name() const;  // "thread (3, 0, 0) of block (1, 0, 0)"

 private:
  void leave();
};

// The memory of a block by what allocates it, and its threads.
struct ThreadBlock {
  Kernel& kernel;
  int index;  // in the launch
  std::array<int64_t, 3> at{};
  std::vector<std::unique_ptr<Thread>> threads = {};
  std::unordered_map<const VarNode*, std::shared_ptr<Block>> shared = {};
  std::vector<std::unordered_map<const VarNode*, std::shared_ptr<Block>>> of_warp = {};
  // Shared memory in the window of 32 bits that instructions of PTX use.
  std::vector<std::pair<int64_t, std::shared_ptr<Block>>> window = {};
  const Barrier* last_barrier = nullptr;
  bool cancelled = false;  // threads unwind

  void run();
  // Memory of a scope that threads share, the same for all that ask for one buffer.
  std::shared_ptr<Block> memory(Thread& thread, const VarNode* buffer, size_t bytes, int granule);
  int64_t window_address(const char* address) const;
  // What every one of the threads did until now comes before what any of them does from now on.
  void synchronise(std::span<Thread* const> threads);

 private:
  bool release();  // somebody goes on?
  bool release_warp(int warp);
  bool release_barriers();
  [[noreturn]] void stuck();
  void cancel();
};

// What a kernel is launched with.
class Kernel {
 public:
  std::array<int64_t, kAxes> extents{1, 1, 1, 1, 1, 1};
  std::function<Flow(Frame&)> body;
  const Frame* frame = nullptr;  // of the host
  Span span;                     // of the launch
  Program& program;
  uint64_t seed = 0;
  Traffic* traffic = nullptr;
  std::vector<int64_t> blocks;  // to run; empty: all

  explicit Kernel(Program& program) : program(program) {}
  int64_t threads() const { return extents[3] * extents[4] * extents[5]; }
  int64_t grid() const { return extents[0] * extents[1] * extents[2]; }
  void run();
  std::unique_ptr<ir::Fiber> take_fiber();
  void release_fiber(std::unique_ptr<ir::Fiber> fiber) { fibers_.push_back(std::move(fiber)); }
  ~Kernel();

 private:
  std::vector<std::unique_ptr<ir::Fiber>> fibers_;
  std::vector<std::pair<void*, size_t>> stacks_;
};

std::string tuple_text(std::span<const int64_t> numbers);  // "(3, 0, 0)"

}  // namespace mlc::interp
