// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/gpu/kernel.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include "backend/interp/gpu/cluster.h"
#include "backend/interp/gpu/traffic.h"
#include "ir/core/interrupt.h"
#include "ir/core/refusal.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "barrier-not-reached",
         .message = "{} of {} threads of block {} wait at `{}`, and the others do not come",
         .meaning = "All threads of a block must reach a barrier: one in a branch that some do not take, or "
                    "in a loop "
                    "that some leave earlier, waits for ever."},
        {.name = "barrier-overrun",
         .message = "{} threads of block {} come to barrier {} of {} before one of them goes on",
         .meaning =
             "A barrier lets its threads go as soon as it has counted enough of them; which ones these are "
             "is open when more may come, and the others wait for ever."},
        {.name = "cluster-too-large",
         .message = "a cluster has {} blocks ({}), and GPUs run at most {} side by side",
         .help = "8 everywhere, 16 where the kernel is launched with non-portable sizes"},
        {.name = "cluster-not-in-grid",
         .message = "a grid of {} blocks is no multiple of clusters of {}",
         .meaning = "Every block is in a cluster: the grid is a multiple of the cluster in every dimension."},
        {.name = "kernel-too-large",
         .message = "a block has {} threads ({}), and GPUs run at most {} in one",
         .help = "bind loops with smaller extents to threads: split them first"},
        {.name = "lane-absent",
         .message = "{} uses what it got from lane {} of its warp, which does not take part in the exchange",
         .meaning = "A shuffle reads a register of another lane, which must come to the same shuffle."},
        {.name = "lane-not-in-mask",
         .message = "{} is lane {} of its warp, which is not in the mask {:#x} of `{}`"},
        {.name = "lanes-absent",
         .message = "`{}` names {} of the warp of {}, which {} not come",
         .meaning = "All lanes in the mask of an exchange within a warp must come to it."},
        {.name = "out-of-memory",
         .kind = "MemoryError",
         .message = "cannot allocate the stacks of {} threads"},
        {.name = "shared-memory-too-large",
         .message = "`{}` takes {} bytes of shared memory, and no GPU gives a block more than {}",
         .help = "cache less at a time: split the loop at which the copy is computed"},
        {.name = "uninitialized-read", .message = "{} is read before it is written"},
    }};
MLC_REFUSALS(gpu_kernel, refusals);

namespace {

constexpr size_t kStackBytes = size_t{1} << 18;
constexpr size_t kGuardBytes = size_t{1} << 12;
constexpr int64_t kMostThreads = 1024;
constexpr size_t kMostShared = size_t{227} << 10;  // of sm_90 and sm_100

// Unwinds the stacks of the other threads when one has failed.
struct Cancelled {};

void begin_thread(void* argument) {
  auto& thread = *static_cast<Thread*>(argument);
  try {
    thread.block.kernel.body(thread.frame);
    thread.check_finished();
  } catch (const Cancelled&) {  // somebody else has the error
  } catch (...) {
    thread.error = std::current_exception();
  }
  thread.state = Thread::State::kDone;
}

std::string lanes_text(uint32_t lanes) {
  std::vector<int> all;
  for (int lane = 0; lane < kWarp; ++lane)
    if ((lanes >> lane & 1U) != 0) all.push_back(lane);
  return fmt::format("lane{} {}", all.size() == 1 ? "" : "s", fmt::join(all, ", "));
}

}  // namespace

std::optional<int> axis_of(std::string_view tag) {
  constexpr std::string_view kNames[] = {"blockIdx.x",      "blockIdx.y",      "blockIdx.z",
                                         "threadIdx.x",     "threadIdx.y",     "threadIdx.z",
                                         "clusterCtaIdx.x", "clusterCtaIdx.y", "clusterCtaIdx.z"};
  auto* found = std::find(std::begin(kNames), std::end(kNames), tag);
  return found == std::end(kNames) ? std::nullopt
                                   : std::optional<int>(static_cast<int>(found - std::begin(kNames)));
}

std::string tuple_text(std::span<const int64_t> numbers) {
  return fmt::format("({})", fmt::join(numbers, ", "));
}

std::string Thread::name() const {
  return fmt::format("thread {} of {}", tuple_text(std::span(at).subspan(kOfThread, 3)), block.name());
}

void Thread::leave() {
  Heap& heap = block.kernel.program.heap;
  unwritten = std::exchange(heap.unwritten, {});
  fiber->leave();
  if (block.cluster.cancelled) throw Cancelled{};
  heap.unwritten = unwritten;
}

void Thread::wait(const Barrier& at, int64_t id, int64_t count) {
  barrier = &at;
  barrier_id = id;
  barrier_count = count;
  state = State::kAtBarrier;
  leave();
}

void Thread::arrive_at(int64_t id, int64_t count) {
  auto& arrived = block.arrivals[{id, count}];
  ++arrived.count;
  release(arrived.clocks, arrived.visible);
}

void Thread::meet(const Meeting& what, uint32_t lanes, void* with) {
  if (lanes != 0 && (lanes >> lane() & 1U) == 0)
    throw ir::refuse(refusals["lane-not-in-mask"], name(), lane(), lanes, what.text).at(what.span);
  meeting = &what;
  mask = lanes;
  brought = with;
  state = State::kInWarp;
  leave();
}

void Thread::check_written(Block& memory, char* begin, int64_t bytes, const AccessPoint& point) {
  if (memory.written.empty()) return;
  auto first = static_cast<size_t>(begin - memory.begin);
  for (size_t byte = first; byte < first + static_cast<size_t>(bytes); ++byte) {
    if (memory.written[byte]) continue;
    if (!busy.empty()) check_free(memory, begin, bytes, false, point.span);
    bool by_pointer = point.buffer == nullptr && memory.home >= 0;
    block.kernel.program.heap.unwritten = {&point, static_cast<int64_t>(first) / std::max(memory.granule, 1),
                                           by_pointer ? &memory : nullptr, &block};
    return;
  }
}

void Heap::fail_unwritten(Span span) {
  Unwritten what = std::exchange(unwritten, {});
  if (what.point->exchange)
    throw ir::refuse(refusals["lane-absent"], thread->name(), what.element).at(what.point->span);
  const VarNode* buffer = what.point->buffer;
  std::string text =
      what.memory != nullptr
          ? element_text(*what.block, *what.memory, what.element * std::max(what.memory->granule, 1))
          : fmt::format("element {} of `{}`", what.element,
                        buffer == nullptr ? "memory behind a pointer" : buffer->name.c_str());
  ir::Error error = ir::refuse(refusals["uninitialized-read"], text).at(what.point->span);
  if (thread != nullptr) std::move(error).note(fmt::format("{} reads it", thread->name()), what.point->span);
  if (span && !(span == what.point->span)) std::move(error).note("this depends on it", span);
  throw std::move(error);
}

std::shared_ptr<Block> ThreadBlock::memory(Thread& thread, const VarNode* buffer, size_t bytes, int granule) {
  std::string_view scope = ir::view(buffer->buffer()->storage_scope);
  if (scope.starts_with("shared") && bytes > kMostShared)
    throw ir::refuse(refusals["shared-memory-too-large"], buffer->name.c_str(), bytes, kMostShared)
        .at(buffer->span);
  auto made = [&](Block::Scope kind) {
    auto block = kernel.program.heap.allocate(bytes, true);
    block->buffer = buffer;
    block->scope = kind;
    block->granule = granule;
    return block;
  };
  if (scope == "local") return made(Block::Scope::kLocal);
  if (scope.starts_with("shared")) {
    if (kernel.traffic != nullptr) kernel.traffic->shared_memory(buffer, bytes);
    return shared_at(cluster.place_of(buffer, static_cast<int64_t>(bytes), granule));
  }
  bool of_one_warp = scope == "warp" || scope.starts_with("wmma.") || scope.starts_with("m16n8k8.");
  auto& known = of_one_warp ? of_warp[static_cast<size_t>(thread.warp())] : shared;
  auto& found = known[buffer];
  if (!found || found->end - found->begin < static_cast<int64_t>(bytes))
    found = made(of_one_warp ? Block::Scope::kWarp : Block::Scope::kGlobal);
  return found;
}

std::string ThreadBlock::name() const { return "block " + tuple_text(at); }

void Thread::read(Block& memory, char* begin, int64_t bytes, const AccessPoint& point, const Order& order) {
  if (Traffic* traffic = block.kernel.traffic)
    traffic->access(*this, memory, begin, bytes, Touch::kRead, point);
  Heap& heap = block.kernel.program.heap;
  reach(memory, {number(), clock}, Touch::kRead, begin - memory.begin, point);
  check_written(memory, begin, bytes, point);
  heap.use(point.span);
  touch(memory, begin, bytes, order.strong ? Touch::kStrongRead : Touch::kRead, point, order.reaches);
  if (order.strong) observe(begin, order);
}

void Thread::write(Block& memory, char* begin, int64_t bytes, const AccessPoint& point, const Order& order) {
  if (Traffic* traffic = block.kernel.traffic)
    traffic->access(*this, memory, begin, bytes, Touch::kWrite, point);
  touch(memory, begin, bytes, order.strong ? Touch::kStrongWrite : Touch::kWrite, point, order.reaches);
  memory.mark(begin, bytes, true);
  if (order.strong) publish(memory, begin, order, false);
}

void ThreadBlock::synchronise(std::span<Thread* const> who) {
  auto joined = std::make_shared<Clocks>(first_thread() + threads.size(), 0),
       visible = std::make_shared<Clocks>();
  const Clocks *last = nullptr, *last_visible = nullptr;
  for (const Thread* thread : who) {
    if (thread->seen.get() != last) join(*joined, thread->seen);
    if (thread->fenced.get() != last_visible) join(*visible, thread->fenced);
    last = thread->seen.get();
    last_visible = thread->fenced.get();
  }
  for (Thread* thread : who) advance(*joined, thread->number(), thread->clock++);
  for (Thread* thread : who) {
    thread->seen = joined;
    if (!visible->empty()) thread->fenced = visible;
  }
}

// Lanes that wait for each other and are all there; or those that wait for whoever comes. These go on when
// nobody of the warp can come any more, and all others of the cluster wait, too: first those at the earliest
// statement, for the others may still be on the way there.
bool ThreadBlock::release_warp(int warp, bool whoever) {
  std::array<Thread*, kWarp> lanes{};
  std::vector<Thread*> waiting;
  for (int lane = 0; lane < kWarp; ++lane) {
    auto i = static_cast<size_t>(warp * kWarp + lane);
    if (i >= threads.size()) break;
    lanes[static_cast<size_t>(lane)] = threads[i].get();
    if (threads[i]->state == Thread::State::kInWarp) waiting.push_back(threads[i].get());
  }
  auto go = [&](const Thread& one) {
    const Meeting& meeting = *one.meeting;
    uint32_t mask = one.mask;
    std::array<Thread*, kWarp> here{};
    std::vector<Thread*> all;
    for (Thread* thread : waiting) {
      if (thread->meeting != &meeting || thread->mask != mask) continue;
      here[static_cast<size_t>(thread->lane())] = thread;
      all.push_back(thread);
    }
    if (meeting.orders_memory) synchronise(all);
    if (meeting.together) meeting.together(here);
    for (Thread* thread : all) thread->state = Thread::State::kReady;
  };
  bool any = false;
  for (Thread* thread : waiting) {
    if (whoever || thread->state != Thread::State::kInWarp || thread->mask == 0) continue;
    bool complete = true;
    for (int lane = 0; lane < kWarp; ++lane) {
      const Thread* other = lanes[static_cast<size_t>(lane)];
      if ((thread->mask >> lane & 1U) == 0 || other == nullptr) continue;
      complete = complete && other->state == Thread::State::kInWarp && other->meeting == thread->meeting &&
                 other->mask == thread->mask;
    }
    if (!complete) continue;
    go(*thread);
    any = true;
  }
  if (!whoever) return any;
  const Thread* first = nullptr;
  for (const Thread* thread : waiting)
    if (thread->mask == 0 && (first == nullptr || thread->meeting->order < first->meeting->order))
      first = thread;
  if (first == nullptr) return false;
  go(*first);
  return true;
}

bool ThreadBlock::release_barriers() {
  std::map<std::pair<int64_t, int64_t>, std::vector<Thread*>> by_id;
  for (auto& thread : threads)
    if (thread->state == Thread::State::kAtBarrier)
      by_id[{thread->barrier_id, thread->barrier_count}].push_back(thread.get());
  bool any = false;
  for (auto& [id, waiting] : by_id) {
    size_t needed = id.second == 0 ? threads.size() : static_cast<size_t>(id.second);
    auto arrived = arrivals.find(id);
    size_t here = waiting.size() + (arrived == arrivals.end() ? 0 : arrived->second.count);
    if (here < needed) continue;
    if (here > needed)
      throw ir::refuse(refusals["barrier-overrun"], here, tuple_text(at), id.first, needed)
          .at(waiting.front()->barrier->span);
    // A barrier of all threads is one statement: two of them in the branches of one condition are two
    // barriers.
    if (id.second == 0 && std::any_of(waiting.begin(), waiting.end(), [&](Thread* thread) {
          return thread->barrier != waiting.front()->barrier;
        }))
      continue;
    synchronise(waiting);
    if (arrived != arrivals.end()) {
      auto clocks = std::make_shared<Clocks>(std::move(arrived->second.clocks));
      auto visible = std::make_shared<Clocks>(std::move(arrived->second.visible));
      for (Thread* thread : waiting) thread->acquire(clocks, visible);
      arrivals.erase(arrived);
    }
    last_barrier = waiting.front()->barrier;
    for (Thread* thread : waiting) thread->state = Thread::State::kReady;
    if (kernel.traffic != nullptr) kernel.traffic->barrier(*this, false);
    any = true;
  }
  return any;
}

bool ThreadBlock::release_warps(bool whoever) {
  bool any = false;
  for (size_t warp = 0; warp < of_warp.size(); ++warp) any |= release_warp(static_cast<int>(warp), whoever);
  return any;
}

void ThreadBlock::declare(const VarNode* buffer, char* begin, int64_t bytes) {
  if (!named.emplace(buffer, begin).second) return;
  names.push_back({buffer, begin, begin + bytes});
}

std::string fate_of(const Thread& thread) {
  switch (thread.state) {
    case Thread::State::kDone:
      return "has ended";
    case Thread::State::kAtMbarrier:
      return fmt::format("waits for phase {} of {}", thread.waited.barrier->phase,
                         thread.waited.barrier->text(thread.block));
    case Thread::State::kPolling:
      return fmt::format(
          "asks for {} again and again",
          element_text(thread.block, *thread.asks.memory, thread.asks.at - thread.asks.memory->begin));
    case Thread::State::kInWarp:
      return fmt::format("waits at this `{}`", thread.meeting->text);
    default:
      return fmt::format("waits at this `{}`", thread.barrier->text);
  }
}

void ThreadBlock::fail_stuck(Thread::State state) {
  auto found = std::find_if(threads.begin(), threads.end(), [&](auto& one) { return one->state == state; });
  MLC_CHECK(found != threads.end(), "a block is stuck without a thread that waits");
  const Thread& waiting = **found;
  if (state == Thread::State::kAtMbarrier) fail_stuck_at_mbarrier(waiting);
  auto fate = [](ir::Error error, const Thread& thread) {
    std::string text = thread.name() + " " + fate_of(thread);
    if (thread.state == Thread::State::kDone) return std::move(error).note(text);
    return std::move(error).note(text, thread.state == Thread::State::kPolling  ? thread.asks.point->span
                                       : thread.state == Thread::State::kInWarp ? thread.meeting->span
                                                                                : thread.barrier->span);
  };
  if (state == Thread::State::kInWarp) {
    uint32_t absent = 0;
    const Thread* missing = nullptr;
    for (auto& thread : threads) {
      if (thread->warp() != waiting.warp() || (waiting.mask >> thread->lane() & 1U) == 0 ||
          (thread->state == Thread::State::kInWarp && thread->meeting == waiting.meeting &&
           thread->mask == waiting.mask))
        continue;
      absent |= 1U << thread->lane();
      if (missing == nullptr) missing = thread.get();
    }
    ir::Error error = ir::refuse(refusals["lanes-absent"], waiting.meeting->text, lanes_text(absent),
                                 waiting.name(), std::has_single_bit(absent) ? "does" : "do")
                          .at(waiting.meeting->span);
    throw missing == nullptr ? std::move(error) : fate(std::move(error), *missing);
  }
  size_t here = 0;
  const Thread* missing = nullptr;
  for (auto& thread : threads) {
    bool waits = thread->state == Thread::State::kAtBarrier && thread->barrier == waiting.barrier;
    here += waits ? 1 : 0;
    if (!waits && missing == nullptr) missing = thread.get();
  }
  ir::Error error =
      ir::refuse(refusals["barrier-not-reached"], here, threads.size(), tuple_text(at), waiting.barrier->text)
          .at(waiting.barrier->span);
  throw missing == nullptr ? std::move(error) : fate(std::move(error), *missing);
}

void ThreadBlock::begin() {
  const auto& e = kernel.extents;
  of_warp.resize((static_cast<size_t>(kernel.threads()) + kWarp - 1) / kWarp);
  std::array<int64_t, 3> in_cluster{rank % e[6], rank / e[6] % e[7], rank / (e[6] * e[7])};
  for (int i = 0; i < kernel.threads(); ++i) {
    threads.push_back(std::unique_ptr<Thread>(new Thread{*this, i, {}, *kernel.frame}));
    threads.back()->at = {at[0],         at[1],           at[2],
                          i % e[3],      i / e[3] % e[4], i / (e[3] * e[4]),
                          in_cluster[0], in_cluster[1],   in_cluster[2]};
  }
}

void Thread::run() {
  ir::heed_interrupt();
  Kernel& kernel = block.kernel;
  Heap& heap = kernel.program.heap;
  heap.thread = this;
  if (begun) {
    fiber->enter();
  } else {
    begun = true;
    fiber = kernel.take_fiber();
    fiber->start(&begin_thread, this);
  }
  heap.thread = nullptr;
  heap.unwritten = {};
  if (state == State::kDone) kernel.release_fiber(std::move(fiber));
  if (error) std::rethrow_exception(std::exchange(error, nullptr));
}

std::unique_ptr<ir::Fiber> Kernel::take_fiber() {
  if (fibers_.empty()) {
    constexpr size_t kEach = kStackBytes + kGuardBytes;
    auto count = static_cast<size_t>(threads());
    void* area = mmap(nullptr, count * kEach, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) throw ir::refuse(refusals["out-of-memory"], count);
    stacks_.emplace_back(area, count * kEach);
    for (size_t i = 0; i < count; ++i) {
      char* low = static_cast<char*>(area) + i * kEach;
      mprotect(low, kGuardBytes, PROT_NONE);
      fibers_.push_back(std::make_unique<ir::Fiber>(low + kGuardBytes, kStackBytes));
    }
  }
  auto fiber = std::move(fibers_.back());
  fibers_.pop_back();
  return fiber;
}

Kernel::~Kernel() {
  fibers_.clear();
  for (auto [area, bytes] : stacks_) munmap(area, bytes);
}

std::array<int64_t, 3> Kernel::block_at(int64_t cluster, int64_t rank) const {
  std::array<int64_t, 3> at{};
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t in_cluster = extents[axis + kOfCluster], clusters = extents[axis] / in_cluster;
    at[axis] = cluster % clusters * in_cluster + rank % in_cluster;
    cluster /= clusters;
    rank /= in_cluster;
  }
  return at;
}

std::optional<int64_t> Kernel::take_over() {
  if (waiting_.empty() || (seed != 0 && random_() % 4 == 0)) return std::nullopt;
  int64_t next = waiting_.back();
  waiting_.pop_back();
  return next;
}

void Kernel::run() {
  std::span<const int64_t> all = extents;
  auto product_text = [&](int first) { return fmt::format("{}", fmt::join(all.subspan(first, 3), " x ")); };
  if (threads() > kMostThreads)
    throw ir::refuse(refusals["kernel-too-large"], threads(), product_text(kOfThread), kMostThreads).at(span);
  if (cluster_size() > Cluster::kMostBlocks)
    throw ir::refuse(refusals["cluster-too-large"], cluster_size(), product_text(kOfCluster),
                     Cluster::kMostBlocks)
        .at(span);
  for (size_t axis = 0; axis < 3; ++axis)
    if (extents[axis + kOfCluster] < 1 || extents[axis] % extents[axis + kOfCluster] != 0)
      throw ir::refuse(refusals["cluster-not-in-grid"], product_text(0), product_text(kOfCluster)).at(span);
  waiting_ = clusters;
  if (waiting_.empty()) {
    waiting_.resize(static_cast<size_t>(std::max<int64_t>(cluster_count(), 0)));
    std::iota(waiting_.begin(), waiting_.end(), 0);
  }
  random_.seed(seed);
  if (seed != 0) std::shuffle(waiting_.begin(), waiting_.end(), random_);
  std::reverse(waiting_.begin(), waiting_.end());
  auto clear = [&] { program.heap.clear_shadows(); };
  try {
    while (!waiting_.empty()) {
      auto next = static_cast<int>(waiting_.back());
      waiting_.pop_back();
      Cluster cluster(*this, next);
      if (threads() > 0) cluster.run();
    }
  } catch (...) {
    clear();
    throw;
  }
  clear();
}

}  // namespace mlc::interp
