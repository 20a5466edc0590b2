// SPDX-License-Identifier: Apache-2.0
// A kernel that runs: clusters of blocks one after the other, the threads of all blocks of one side by side.
// Each thread has a stack of its own (ir::Fiber) and runs until it has to wait for others: at a barrier, or
// for the lanes of its warp. Then the next one runs. The order of clusters and threads follows from a seed.
#pragma once

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <unordered_set>

#include "backend/interp/gpu/async.h"
#include "backend/interp/gpu/mbarrier.h"
#include "backend/interp/gpu/ordering.h"
#include "backend/interp/gpu/shadow.h"
#include "backend/interp/gpu/tensor_memory.h"
#include "backend/interp/machine.h"
#include "ir/core/fiber.h"

namespace mlc::interp {

class Kernel;
class Traffic;
struct Cluster;
struct ThreadBlock;

constexpr int kWarp = 32;  // lanes
// blockIdx.x, y, z, threadIdx.x, y, z and clusterCtaIdx.x, y, z
constexpr int kAxes = 9;
constexpr int kOfThread = 3, kOfCluster = 6;  // where their axes begin
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

// Registers that an asynchronous instruction still reads or writes.
struct BusyRegisters {
  std::shared_ptr<Block> memory;
  char* begin;
  int64_t bytes;
  Epoch until;
  const AccessPoint* point;
};

// What a thread waits for at an mbarrier.
struct AtMbarrier {
  MBarrier* barrier = nullptr;
  int64_t parity = 0;
  bool for_ever = true;  // false: it only tries
  bool gave_up = false;
  const AccessPoint* point = nullptr;
};

struct Thread {
  ThreadBlock& block;
  int index;  // in the block, x first
  std::array<int64_t, kAxes> at{};
  Frame frame;

  enum class State : uint8_t { kReady, kPolling, kAtBarrier, kAtCluster, kAtMbarrier, kInWarp, kDone };
  State state = State::kReady;
  const Barrier* barrier = nullptr;
  int64_t barrier_id = 0, barrier_count = 0;
  const Meeting* meeting = nullptr;
  uint32_t mask = 0;
  void* brought = nullptr;
  AtMbarrier waited = {};
  std::map<std::pair<MBarrier*, const AccessPoint*>, std::pair<int64_t, int64_t>> tried = {};

  uint32_t clock = 2;        // 1: that it has begun
  SharedClocks seen = {};    // what comes before what it does now; null: nothing
  SharedClocks fenced = {};  // and what asynchronous operations see of that
  // What came before its last fence that reached other blocks, and its last one of any kind: for relaxed
  // arrivals and writes.
  SharedClocks before_fence = {}, before_fence_of_block = {};
  Found found = {};                         // by relaxed reads
  Asked asks = {};                          // while it polls
  std::map<Asked, uint64_t> asked = {};     // words that it has asked for, with what it found there
  std::optional<uint32_t> at_cluster = {};  // the phase of the cluster's barrier that it has arrived in
  const AccessPoint* arrived_at_cluster = nullptr;  // ... and where, where its warp must be whole there
  uint32_t known_blocks = 0;                        // of the cluster, by rank, that are known to have begun
  Unwritten unwritten = {};                         // of the expression in which it waits
  std::vector<std::vector<Copy>> copies = {};       // groups that are committed, the oldest first
  std::vector<Copy> issued = {};                    // and what is not committed yet
  std::pair<uint32_t, const AccessPoint*> last_bulk_copy = {};  // out of shared memory: its group
  uint32_t bulk_read = 0;                                       // groups that have been waited for
  uint32_t bulk_group = 1;                                      // of bulk copies, that is open
  uint32_t wgmma_group = 1, tensor_commit = 1;                  // likewise of tensor cores
  uint32_t tensor_loads = 1, tensor_stores = 1;                 // by waits for them
  std::vector<BusyRegisters> busy = {};
  std::unordered_set<const char*> registers_stored = {};  // since the last `wgmma.fence`
  std::exception_ptr error = {};
  bool begun = false;
  std::unique_ptr<ir::Fiber> fiber = {};

  int lane() const { return index % kWarp; }
  int warp() const { return index / kWarp; }
  int number() const;  // of the cluster
  int warp_of_cluster() const;
  bool comes_after(const Toucher& other) const;

  // `bytes` at `begin`, which is in the block of memory. Error: race, async-copy-not-arrived.
  void touch(Block& memory, char* begin, int64_t bytes, Touch touch, const AccessPoint& point,
             Reaches reaches = Reaches::kAll);
  // A write of the value that was there.
  void touch_same(Block& memory, char* begin, int64_t bytes, const AccessPoint& point);
  // A read of memory that was written in full?
  void check_written(Block& memory, char* begin, int64_t bytes, const AccessPoint& point);
  // Memory that an address points to; addresses of shared memory in 32 bits are known, too: those of the
  // windows of all blocks of the cluster, and lower halves of pointers, which the hardware takes for the
  // same. Error: address-out-of-bounds.
  std::pair<std::shared_ptr<Block>, char*> memory_at(int64_t address, int64_t bytes, Span span) const;
  // A read of an intrinsic, which needs all of it: checked, counted, noted.
  void read(Block& memory, char* begin, int64_t bytes, const AccessPoint& point, const Order& order = {});
  void write(Block& memory, char* begin, int64_t bytes, const AccessPoint& point, const Order& order = {});

  // An access by an agent, which comes after what this thread has seen. Error: race, proxy-fence-missing.
  void touch_by(const Epoch& agent, Block& memory, char* begin, int64_t bytes, Touch touch,
                const AccessPoint& point);
  // Likewise, of memory that must have been written; of memory that is written now.
  void read_by(const Epoch& agent, Block& memory, char* begin, int64_t bytes, const AccessPoint& point);
  void write_by(const Epoch& agent, Block& memory, char* begin, int64_t bytes, const AccessPoint& point);
  // Clocks (async.cpp): what others released comes before what this thread does; what it did before what they
  // do.
  void acquire(const SharedClocks& clocks, const SharedClocks& visible);
  void release(Clocks& clocks, Clocks& visible);
  // Only what came before a fence; `wide`: one that reached other blocks.
  void release_relaxed(Clocks& clocks, Clocks& visible, bool wide);
  void see(const Epoch& done);
  // Strong operations (ordering.cpp): a fence; a write that leaves behind what the thread has seen,
  // `continues` what others have left where it has read that, too; a read that finds it.
  void fence(const Order& order);
  void publish(const Block& memory, const char* at, const Order& order, bool continues);
  void observe(const char* at, const Order& order);
  void find(const SharedClocks& clocks, const SharedClocks& visible, bool in_block);  // for a fence
  // Before a word is read that this statement may read in a loop: where it is still what it was, others go
  // first.
  void poll(const AccessPoint& point, Block& memory, char* at, uint64_t value);
  void fence_proxy();
  // The end of the thread. Error: bulk-copy-unfinished.
  void check_finished() const;
  // Registers that a store or a read may not touch until their instruction is done. Error: registers-busy.
  void check_free(const Block& memory, const char* begin, int64_t bytes, bool stores, Span span) const;
  void release_registers(const Epoch& done);
  // An asynchronous instruction writes registers until then.
  void occupy(const std::shared_ptr<Block>& memory, char* begin, int64_t bytes, const Epoch& until,
              const AccessPoint& point);
  void store_registers(const Block& memory, const char* begin, int64_t bytes, Span span);
  // Where an instruction of the warp leaves 32 bits for this lane.
  char* register_to_write(int64_t address, const AccessPoint& point);

  // mbarriers (mbarrier.cpp). Error: mbarrier-not-initialized, mbarrier-used-too-early, mbarrier-not-fenced,
  // mbarrier-elsewhere where it must be one of this block.
  MBarrier& mbarrier_at(int64_t address, const AccessPoint& point) const;
  MBarrier& own_mbarrier_at(int64_t address, std::string_view what, const AccessPoint& point) const;
  MBarrier& mbarrier_of_copy(int64_t address, const AccessPoint& point) const;
  // Clusters (cluster.cpp). Another block's memory is reached by an operation that is done then. Error:
  // cluster-block-not-begun, cluster-block-ended.
  void reach(const Block& memory, const Epoch& done, Touch touch, int64_t byte, const AccessPoint& point);
  void reach_barrier(const MBarrier& barrier, const Epoch& done, const AccessPoint& point);
  void arrive_at_cluster(bool relaxed, bool aligned, const AccessPoint& point);
  void wait_for_cluster(const Barrier& barrier, const AccessPoint& point);
  // Where what is at that address of shared memory is in the block of that rank. Error: cluster-rank,
  // not-shared-memory.
  int64_t address_in(int64_t address, int64_t rank, Span span) const;
  // Has it ended? A relaxed wait orders what comes behind a fence.
  bool wait_for(MBarrier& barrier, int64_t parity, bool for_ever, bool relaxed, const AccessPoint& point);

  void wait(const Barrier& barrier, int64_t id, int64_t count);
  void arrive_at(int64_t id, int64_t count);  // `bar.arrive`: it does not wait
  void meet(const Meeting& meeting, uint32_t mask, void* brought);
  void issue(Copy copy);
  void commit() { copies.push_back(std::exchange(issued, {})); }
  // All groups but the newest `left` have arrived.
  void arrive(size_t left);
  // All that were issued arrive at the barrier, and count as an arrival.
  void arrive_copies(MBarrier& barrier, bool counts, const AccessPoint& point);

  std::string name() const;         // "thread (3, 0, 0) of block (1, 0, 0)"
  int agent(AgentKind kind) const;  // of this thread, or of its warp
  void run();                       // until it has to wait. Error: what the thread has thrown

 private:
  void leave();
  void touch_as(const Toucher& self, Block& memory, char* begin, int64_t bytes);
};

// The operands that a lane has computed for an instruction of its warp.
inline const std::vector<Lane>& operands_of(const Thread& thread) {
  return *static_cast<const std::vector<Lane>*>(thread.brought);
}

// The memory of a block by what allocates it, and its threads.
struct ThreadBlock {
  Kernel& kernel;
  Cluster& cluster;
  Agents& agents;  // of the cluster
  int rank;        // in the cluster
  std::array<int64_t, 3> at{};
  std::map<char*, MBarrier> mbarriers = {};
  // Buffers that are declared in shared memory, for what is said of it.
  struct Named {
    const VarNode* buffer;
    char *begin, *end;
  };
  std::vector<Named> names = {};
  std::set<std::pair<const VarNode*, const char*>> named = {};  // which those are
  // `bar.arrive`: what came before it, by barrier and number of threads.
  struct Arrivals {
    size_t count = 0;
    Clocks clocks, visible;
  };
  std::map<std::pair<int64_t, int64_t>, Arrivals> arrivals = {};
  std::vector<std::unique_ptr<Thread>> threads = {};
  std::unordered_map<const VarNode*, std::shared_ptr<Block>> shared = {};
  std::vector<std::unordered_map<const VarNode*, std::shared_ptr<Block>>> of_warp = {};
  // Shared memory by its place in the window of the cluster; null: not asked for yet.
  std::vector<std::shared_ptr<Block>> window = {};
  TensorMemory tensor_memory = {};
  const Barrier* last_barrier = nullptr;
  // What other blocks' threads and agents have done last to this one's memory.
  struct Reached {
    uint32_t clock = 0;
    const AccessPoint* point = nullptr;
    const char* verb = nullptr;
    const Block* memory = nullptr;  // and the byte of it, or the barrier
    int64_t byte = 0;
    const MBarrier* barrier = nullptr;
  };
  // ... by thread or agent, and what they had done before that.
  std::map<int, std::pair<Reached, Reached>> reached = {};
  bool ended = false;
  // A thread of this block has read what that write has left, so it is done.
  void forget_reached(const char* at, const Epoch& write);
  void note_reached(const Epoch& done, Reached what);

  void begin();
  // All threads are done. Error: tensor-memory-not-freed, cluster-block-ended.
  void end();
  // Memory of a scope that threads share, the same for all that ask for one buffer.
  std::shared_ptr<Block> memory(Thread& thread, const VarNode* buffer, size_t bytes, int granule);
  const std::shared_ptr<Block>& shared_at(size_t place);
  // The address of 32 bits of shared memory of the cluster; other addresses as they are.
  int64_t window_address(const char* address) const;
  std::string name() const;  // "block (1, 0, 0)"
  // What every one of the threads did until now comes before what any of them does from now on.
  void synchronise(std::span<Thread* const> threads);
  MBarrier& init_mbarrier(Thread& thread, Block& memory, char* at, int64_t count, const AccessPoint& point);
  void declare(const VarNode* buffer, char* begin, int64_t bytes);
  int first_thread() const { return rank * static_cast<int>(threads.size()); }
  std::string name_of(const Toucher& who) const;

  // Does somebody go on?
  bool release_mbarriers();
  bool release_tries();
  bool release_warps(bool whoever);
  bool release_barriers();
  // Why threads of this block wait for ever, for those that wait in such a state.
  [[noreturn]] void fail_stuck(Thread::State state);

 private:
  bool release_warp(int warp, bool whoever);
};

inline int Thread::number() const { return block.first_thread() + index; }
inline int Thread::warp_of_cluster() const {
  return block.rank * static_cast<int>(block.of_warp.size()) + warp();
}

// What a kernel is launched with.
class Kernel {
 public:
  std::array<int64_t, kAxes> extents{1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::function<Flow(Frame&)> body;
  const Frame* frame = nullptr;  // of the host
  Span span;                     // of the launch
  Program& program;
  uint64_t seed = 0;
  Traffic* traffic = nullptr;
  std::vector<int64_t> clusters;  // to run; empty: all
  int cta_group = 0;              // of the instructions of tensor cores that have run; 0: of none yet

  explicit Kernel(Program& program) : program(program) {}
  int64_t threads() const { return extents[3] * extents[4] * extents[5]; }
  int64_t grid() const { return extents[0] * extents[1] * extents[2]; }
  int64_t cluster_size() const { return extents[6] * extents[7] * extents[8]; }  // blocks
  int64_t cluster_count() const { return grid() / std::max<int64_t>(cluster_size(), 1); }
  // Where a block is in the grid.
  std::array<int64_t, 3> block_at(int64_t cluster, int64_t rank) const;
  void run();
  bool others_wait() const { return !waiting_.empty(); }  // clusters that have not begun
  // A cluster that has not begun, which is not run then. Of any seed but 0, sometimes there is none.
  std::optional<int64_t> take_over();
  std::unique_ptr<ir::Fiber> take_fiber();
  void release_fiber(std::unique_ptr<ir::Fiber> fiber) { fibers_.push_back(std::move(fiber)); }
  ~Kernel();

 private:
  std::vector<int64_t> waiting_;  // clusters that have not begun, the next one last
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<ir::Fiber>> fibers_;
  std::vector<std::pair<void*, size_t>> stacks_;
};

std::string tuple_text(std::span<const int64_t> numbers);  // "(3, 0, 0)"
std::string fate_of(const Thread& thread);                 // "has ended", "waits at `T.cuda.cta_sync()`"
// An element of memory as the program may have written it, with as many indices as the buffer has, as seen
// from a block: "`tile[3, 0]`", "`tile[3, 0]` of block (1, 0, 0)".
std::string element_text(const ThreadBlock& block, const Block& memory, int64_t byte);
// Why a thread polls for ever. Error: polls-for-ever.
[[noreturn]] void fail_polling(const Thread& thread);
// What belongs to a block, likewise.
std::string text_of_block(const ThreadBlock& block, std::string_view what, int owner);

}  // namespace mlc::interp
