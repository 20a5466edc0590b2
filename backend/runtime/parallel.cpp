// SPDX-License-Identifier: Apache-2.0
// A pool of sleeping workers. A launch puts a job on its own stack, hangs it into the list of open jobs and
// wakes workers; everybody, the launcher too, takes pieces from the job's counter until none is left. Workers
// only ever help: the launcher alone finishes the job when nobody comes, so launches cannot deadlock,
// whatever else runs.
//
// Waiting spins for some microseconds and then sleeps in the kernel: an idle pool costs nothing.
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
}

namespace {

constexpr int kMaxThreads = 256;
constexpr int kSpins = 2000;  // about ten microseconds
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
// Returns when word is no longer `value`.
void wait_for_change(std::atomic<uint32_t>& word, uint32_t value) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != value) return;
    pause_cpu();
  }
  while (word.load(std::memory_order_acquire) == value) sleep_while(word, value);
}

// 0 free, 1 held, 2 held and somebody sleeps.
struct Lock {
  std::atomic<uint32_t> state{0};
  void acquire() {
    uint32_t seen = 0;
    if (state.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    if (seen != 2) seen = state.exchange(2, std::memory_order_acquire);
    while (seen != 0) {
      sleep_while(state, 2);
      seen = state.exchange(2, std::memory_order_acquire);
    }
  }
  void release() {
    if (state.exchange(0, std::memory_order_release) == 2) wake(state, 1);
  }
};

struct Job {
  mlc_task task;
  void* closure;
  int64_t extent;
  int64_t piece;
  uint32_t most;  // workers that may help
  std::atomic<int64_t> next{0};
  std::atomic<int32_t> status{0};
  std::atomic<uint32_t> helpers{0};  // workers inside; changed under the pool's lock
  void* error = nullptr;             // of the first failure, when it happened on a worker
  char* error_text = nullptr;        // the same for C, allocated
  Job* below = nullptr;              // in the list of open jobs
};

struct Pool {
  Lock lock;
  Job* open = nullptr;             // jobs that may still have pieces
  std::atomic<uint32_t> epoch{0};  // counts launches: what idle workers wait on
  std::atomic<uint32_t> sleepers{0};
  int threads = 0;
  // The process that has started it, 0 when none has: a forked child has no workers and starts its own.
  std::atomic<pid_t> owner{0};
};
Pool pool;
// The process that is starting the pool, or 0. A forked child may find its parent here, whose thread is not
// with it.
std::atomic<uint32_t> starting{0};
thread_local bool inside = false;

// Takes pieces until none is left. The first failure ends the job early.
void work_on(Job& job, bool worker) {
  for (;;) {
    int64_t begin = job.next.fetch_add(job.piece, std::memory_order_relaxed);
    if (begin >= job.extent) return;
    int64_t end = begin + job.piece < job.extent ? begin + job.piece : job.extent;
    int32_t status = job.task(job.closure, begin, end);
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

// Under the pool's lock. A job that is full stays so until it has no pieces left.
bool wants_help(const Job& job) {
  return job.next.load(std::memory_order_relaxed) < job.extent &&
         job.helpers.load(std::memory_order_relaxed) < job.most;
}

void* worker_main(void*) {
  inside = true;
  uint32_t seen = 0;
  for (;;) {
    pool.lock.acquire();
    Job* job = pool.open;
    while (job != nullptr && !wants_help(*job)) job = job->below;
    if (job != nullptr) job->helpers.fetch_add(1, std::memory_order_relaxed);
    seen = pool.epoch.load(std::memory_order_relaxed);
    pool.lock.release();
    if (job == nullptr) {
      for (int i = 0; i < kSpins && pool.epoch.load(std::memory_order_acquire) == seen; ++i) pause_cpu();
      if (pool.epoch.load(std::memory_order_acquire) != seen) continue;
      pool.sleepers.fetch_add(1);
      while (pool.epoch.load() == seen) sleep_while(pool.epoch, seen);
      pool.sleepers.fetch_sub(1);
      continue;
    }
    work_on(*job, true);
    // The launcher may return, and the job vanish, as soon as helpers is 0; it takes the lock first, so the
    // wake below still finds the word.
    pool.lock.acquire();
    if (job->helpers.fetch_sub(1, std::memory_order_release) == 1) wake(job->helpers, 1);
    pool.lock.release();
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
    pool.lock.state.store(0);
    pool.open = nullptr;
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
    pool.threads = started;
    pool.owner.store(getpid(), std::memory_order_release);
  }
  starting.store(0, std::memory_order_release);
  wake(starting, INT_MAX);
}

void close_job(Job& job) {
  pool.lock.acquire();
  Job** at = &pool.open;
  while (*at != &job) at = &(*at)->below;
  *at = job.below;
  pool.lock.release();
  for (;;) {
    uint32_t helpers = job.helpers.load(std::memory_order_acquire);
    if (helpers == 0) break;
    wait_for_change(job.helpers, helpers);
  }
  pool.lock.acquire();  // the last helper is past its wake
  pool.lock.release();
}

}  // namespace

extern "C" int32_t mlc_num_threads(void) {
  if (pool.owner.load(std::memory_order_acquire) != getpid()) start();
  return pool.threads;
}

extern "C" int32_t mlc_parallel_launch(mlc_task task, void* closure, int64_t extent) {
  return mlc_parallel_launch_on(task, closure, extent, kMaxThreads);
}

extern "C" int32_t mlc_parallel_launch_on(mlc_task task, void* closure, int64_t extent, int32_t cores) {
  if (extent <= 0) return 0;
  if (inside || extent == 1 || cores <= 1 || mlc_num_threads() == 1) return task(closure, 0, extent);

  const int threads = cores < pool.threads ? cores : pool.threads;
  Job job{task, closure, extent, extent / (threads * kPiecesPerThread), static_cast<uint32_t>(threads - 1)};
  if (job.piece < 1) job.piece = 1;
  pool.lock.acquire();
  job.below = pool.open;
  pool.open = &job;
  pool.epoch.fetch_add(1);
  pool.lock.release();
  if (pool.sleepers.load() != 0)
    wake(pool.epoch, extent < threads ? static_cast<int>(extent - 1) : threads - 1);

  inside = true;
  work_on(job, false);
  inside = false;
  close_job(job);
  if (job.error_text != nullptr) {
    memcpy(mlc_error_slot(), job.error_text, kMlcErrorBytes);
    free(job.error_text);
  }
  if (job.error != nullptr) TVMFFIErrorSetRaised(job.error);
  if (job.error != nullptr) TVMFFIObjectDecRef(job.error);
  return job.status.load(std::memory_order_relaxed);
}
