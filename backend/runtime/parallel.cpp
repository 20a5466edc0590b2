// SPDX-License-Identifier: Apache-2.0
// A pool of parked workers. A launch puts its job into one of a few static slots and wakes
// workers; all of them, the launcher too, take chunks from the job's counter until none is left. Workers only
// ever help: the launcher alone finishes the job when none arrives, and does so when no slot is free, so
// launches cannot deadlock, whatever else runs. There is no lock: how many may enter, and how many are in, is
// one atomic word of each slot.
//
// Waiting spins for some tens of microseconds and then sleeps in the kernel: an idle pool costs nothing.
#include "backend/runtime/parallel.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

// Errors live in thread-local storage, of tvm-ffi and of the C interface: a failed worker's is carried to the
// launcher. Weak, because a program may be without either; one that has neither reports errors where they
// happen.
extern "C" {
__attribute__((weak)) char* mlc_error_slot(void);
__attribute__((weak)) void TVMFFIErrorMoveFromRaised(void** result);
__attribute__((weak)) void TVMFFIErrorSetRaised(void* error);
__attribute__((weak)) int TVMFFIObjectDecRef(void* object);
// In mlc itself, where Ctrl-C ends a task: calls it.
__attribute__((weak)) int32_t mlc_run_task(mlc_task task, void* closure, int64_t begin, int64_t end);
}

namespace {

constexpr int kMaxThreads = 256;
constexpr int kSpins = 2000;  // a pause takes ten to fifty nanoseconds
constexpr int64_t kPiecesPerThread = 4;

void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void sleep_while(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake(std::atomic<uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

// The state word of a slot: how many workers are in, how many may be, and
constexpr uint32_t kInside = 0xFF;
constexpr int kMostShift = 8;
constexpr uint32_t kMost = 0xFF;
constexpr uint32_t kTaken = 1U << 16;    // it has a job
constexpr uint32_t kOpen = 1U << 17;     // which may have chunks left
constexpr uint32_t kAwaited = 1U << 18;  // and whose launcher sleeps until the last worker is out

// A line of the cache for what workers change all the time, and one for what they only read.
struct Job {
  alignas(64) std::atomic<uint32_t> state{0};
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) mlc_task task = nullptr;
  void* closure = nullptr;
  int64_t extent = 0;
  int64_t piece = 0;
  std::atomic<int32_t> status{0};
  void* error = nullptr;       // of the first failure, when it happened on a worker
  char* error_text = nullptr;  // the same for C, allocated
};

constexpr int kJobs = 64;

struct Pool {
  alignas(64) std::atomic<uint32_t> epoch{0};  // counts launches: what idle workers wait on
  std::atomic<uint64_t> open{0};               // a bit for each job that may want help
  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<int> threads{0};  // that take part
  int started = 0;              // and that there are, the caller included
  // The process that has started it, 0 when none has: a forked child has no workers and starts its own.
  std::atomic<pid_t> owner{0};
  Job jobs[kJobs];
};
Pool pool;
// The process that is starting the pool, or 0. A forked child may find its parent here, whose thread is not
// with it.
std::atomic<uint32_t> starting{0};
thread_local bool inside = false;

// Takes chunks until none is left. The first failure ends the job early.
void work_on(Job& job, bool worker) {
  for (;;) {
    int64_t begin = job.next.fetch_add(job.piece, std::memory_order_relaxed);
    if (begin >= job.extent) return;
    int64_t end = begin + job.piece < job.extent ? begin + job.piece : job.extent;
    int32_t status = mlc_run_task != nullptr ? mlc_run_task(job.task, job.closure, begin, end)
                                             : job.task(job.closure, begin, end);
    if (status == 0) continue;
    job.next.store(job.extent, std::memory_order_relaxed);
    int32_t none = 0;
    bool first = job.status.compare_exchange_strong(none, status, std::memory_order_relaxed);
    if (!worker) return;
    if (first && mlc_error_slot != nullptr) {
      job.error_text = static_cast<char*>(malloc(kMlcErrorBytes));
      if (job.error_text != nullptr) memcpy(job.error_text, mlc_error_slot(), kMlcErrorBytes);
    }
    if (TVMFFIErrorMoveFromRaised == nullptr) return;
    void* error = nullptr;
    TVMFFIErrorMoveFromRaised(&error);
    if (first) {
      job.error = error;
    } else if (error != nullptr) {
      TVMFFIObjectDecRef(error);
    }
    return;
  }
}

// Comes in, if there is a job that is open and not full.
bool enter(Job& job) {
  uint32_t state = job.state.load(std::memory_order_relaxed);
  while ((state & kOpen) != 0 && (state & kInside) < (state >> kMostShift & kMost))
    if (job.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) return true;
  return false;
}

void leave(Job& job) {
  uint32_t before = job.state.fetch_sub(1, std::memory_order_release);
  // The job may be over by now and its slot reused: then a worker is woken for nothing.
  if ((before & kInside) == 1 && (before & kAwaited) != 0) wake(job.state, 1);
}

// Sends those away who have not come in yet.
void close_to_others(Job& job) {
  if ((job.state.load(std::memory_order_relaxed) & kOpen) != 0)
    job.state.fetch_and(~kOpen, std::memory_order_relaxed);
}

// Works on whatever is open; false when nothing was.
bool help() {
  bool found = false;
  for (uint64_t open = pool.open.load(std::memory_order_acquire); open != 0; open &= open - 1) {
    Job& job = pool.jobs[__builtin_ctzll(open)];
    if (!enter(job)) continue;
    found = true;
    work_on(job, true);
    close_to_others(job);
    leave(job);
  }
  return found;
}

void* worker_main(void*) {
  inside = true;
  for (;;) {
    uint32_t seen = pool.epoch.load(std::memory_order_acquire);
    if (help()) continue;
    for (int i = 0; i < kSpins && pool.epoch.load(std::memory_order_acquire) == seen; ++i) pause_cpu();
    if (pool.epoch.load(std::memory_order_acquire) != seen) continue;
    pool.sleepers.fetch_add(1);
    while (pool.epoch.load() == seen) sleep_while(pool.epoch, seen);
    pool.sleepers.fetch_sub(1);
  }
  return nullptr;
}

int threads_wanted() {
  for (const char* name : {"MLC_NUM_THREADS", "TVM_NUM_THREADS"}) {
    const char* text = getenv(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    long count = strtol(text, &end, 10);
    if (end != text && *end == 0 && count >= 1)
      return count < kMaxThreads ? static_cast<int>(count) : kMaxThreads;
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  int count = CPU_COUNT(&allowed);
  return count < 1 ? 1 : count < kMaxThreads ? count : kMaxThreads;
}

void start() {
  const auto self = static_cast<uint32_t>(getpid());
  for (;;) {
    uint32_t seen = starting.load(std::memory_order_acquire);
    if (seen == self) {
      sleep_while(starting, self);
    } else if (starting.compare_exchange_strong(seen, self, std::memory_order_acquire)) {
      break;
    }
  }
  if (pool.owner.load(std::memory_order_relaxed) != getpid()) {
    for (Job& job : pool.jobs) job.state.store(0);
    pool.open.store(0);
    pool.sleepers.store(0);
    int started = 1;
    int wanted = threads_wanted();
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the host program's business
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (; started < wanted; ++started) {
      pthread_t thread;
      if (pthread_create(&thread, &attr, worker_main, nullptr) != 0) break;
    }
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pool.started = started;
    pool.threads.store(started, std::memory_order_relaxed);
    pool.owner.store(getpid(), std::memory_order_release);
  }
  starting.store(0, std::memory_order_release);
  wake(starting, INT_MAX);
}

// A free slot, null when all are taken.
Job* take_place() {
  for (Job& job : pool.jobs) {
    uint32_t free = 0;
    if (job.state.load(std::memory_order_relaxed) == 0 &&
        job.state.compare_exchange_strong(free, kTaken, std::memory_order_acquire))
      return &job;
  }
  return nullptr;
}

// Returns when no worker is in.
void await_workers(Job& job) {
  for (int i = 0; i < kSpins; ++i) {
    if ((job.state.load(std::memory_order_acquire) & kInside) == 0) return;
    pause_cpu();
  }
  uint32_t state = job.state.fetch_or(kAwaited, std::memory_order_acquire) | kAwaited;
  while ((state & kInside) != 0) {
    sleep_while(job.state, state);
    state = job.state.load(std::memory_order_acquire);
  }
}

}  // namespace

extern "C" int32_t mlc_num_threads(void) {
  if (pool.owner.load(std::memory_order_acquire) != getpid()) start();
  return pool.threads.load(std::memory_order_relaxed);
}

extern "C" void mlc_limit_threads(int32_t most) {
  mlc_num_threads();
  pool.threads.store(most > 0 && most < pool.started ? most : pool.started, std::memory_order_relaxed);
}

extern "C" int32_t mlc_parallel_launch(mlc_task task, void* closure, int64_t extent) {
  return mlc_parallel_launch_on(task, closure, extent, kMaxThreads);
}

extern "C" int32_t mlc_parallel_launch_on(mlc_task task, void* closure, int64_t extent, int32_t cores) {
  if (extent <= 0) return 0;
  if (inside || extent == 1 || cores <= 1) return task(closure, 0, extent);
  const int present = mlc_num_threads();
  if (present == 1) return task(closure, 0, extent);

  const int threads = cores < present ? cores : present;
  Job* place = take_place();
  if (place == nullptr) return task(closure, 0, extent);
  Job& job = *place;
  job.task = task;
  job.closure = closure;
  job.extent = extent;
  job.piece = extent / (threads * kPiecesPerThread);
  if (job.piece < 1) job.piece = 1;
  job.next.store(0, std::memory_order_relaxed);
  job.status.store(0, std::memory_order_relaxed);
  auto most = static_cast<uint32_t>(extent < threads ? extent - 1 : threads - 1);
  job.state.store(kTaken | kOpen | most << kMostShift, std::memory_order_release);
  const uint64_t bit = uint64_t{1} << (place - pool.jobs);
  pool.open.fetch_or(bit, std::memory_order_release);
  pool.epoch.fetch_add(1);
  if (pool.sleepers.load() != 0) wake(pool.epoch, static_cast<int>(most));

  inside = true;
  work_on(job, false);
  inside = false;
  pool.open.fetch_and(~bit, std::memory_order_relaxed);
  close_to_others(job);
  await_workers(job);
  char* text = job.error_text;
  void* error = job.error;
  int32_t status = job.status.load(std::memory_order_relaxed);
  job.error_text = nullptr;
  job.error = nullptr;
  job.state.store(0, std::memory_order_release);

  if (text != nullptr) {
    memcpy(mlc_error_slot(), text, kMlcErrorBytes);
    free(text);
  }
  if (error != nullptr) TVMFFIErrorSetRaised(error);
  if (error != nullptr) TVMFFIObjectDecRef(error);
  return status;
}
