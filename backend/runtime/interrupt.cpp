// SPDX-License-Identifier: Apache-2.0
#include "backend/runtime/interrupt.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "backend/runtime/parallel.h"

namespace mlc::runtime {

namespace {

constexpr int kMilliseconds = 5;  // until a thread that was not in compiled code is looked at again
constexpr int kMostWorkers = 256;

// Where a thread goes when it leaves the compiled code that it is in.
struct ReturnPoint {
  sigjmp_buf at;
  ReturnPoint* outer;
};
thread_local ReturnPoint* innermost = nullptr;

InterruptHost host;
std::atomic<bool> leaving = false;  // the launcher of an interrupted loop waits for its workers
std::atomic<pid_t> launcher = 0;    // the thread that calls compiled code
std::atomic<pid_t> workers[kMostWorkers];

// Of the calling thread; asking the system takes as long as a small function.
thread_local pid_t known_thread = 0;
pid_t this_thread() {
  static const int once = pthread_atfork(nullptr, nullptr, [] { known_thread = 0; });
  static_cast<void>(once);
  if (known_thread == 0) known_thread = gettid();
  return known_thread;
}

int worker_signal() { return SIGRTMIN + 5; }

void leave_if_inside(const void* context) {
  if (innermost == nullptr || !host.is_code(context)) return;
  siglongjmp(innermost->at, 1);
}

void look_again_soon() {
  itimerval soon{};
  soon.it_value.tv_usec = kMilliseconds * 1000;
  setitimer(ITIMER_REAL, &soon, nullptr);
}

void stop_workers() {
  for (std::atomic<pid_t>& worker : workers)
    if (pid_t id = worker.load(std::memory_order_relaxed); id != 0)
      syscall(SYS_tgkill, getpid(), id, worker_signal());
}

// On the thread that has called compiled code.
void stop(const void* context) {
  if (innermost == nullptr) return;
  leaving = true;
  stop_workers();
  look_again_soon();
  leave_if_inside(context);
}

void on_interrupt(int, siginfo_t*, void* context) {
  pid_t called = launcher.load();
  if (called != 0 && called != gettid()) {  // another thread than the one that is meant has got it
    syscall(SYS_tgkill, getpid(), called, SIGINT);
    return;
  }
  host.ask();
  stop(context);
}

void on_timer(int, siginfo_t*, void* context) {
  pid_t called = launcher.load();
  if (called == 0) return;
  if (called != gettid()) {
    syscall(SYS_tgkill, getpid(), called, SIGALRM);
  } else if (leaving || host.is_asked()) {
    stop(context);
  }
}

void on_worker(int, siginfo_t*, void* context) { leave_if_inside(context); }

// One of the slots while a worker is in compiled code.
struct Registered {
  std::atomic<pid_t>* slot = nullptr;
  Registered() {
    pid_t self = this_thread();
    if (self == launcher.load(std::memory_order_relaxed)) return;
    for (std::atomic<pid_t>& each : workers) {
      pid_t none = 0;
      if (!each.compare_exchange_strong(none, self)) continue;
      slot = &each;
      return;
    }
  }
  void end() {
    if (slot != nullptr) slot->store(0);
  }
};

}  // namespace

void install_interrupt(const InterruptHost& wanted) {
  host = wanted;
  auto handle = [](int signal, void (*handler)(int, siginfo_t*, void*)) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    // A handler that is left by a jump must not leave its signal blocked.
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    sigaction(signal, &action, nullptr);
  };
  handle(SIGINT, on_interrupt);
  handle(SIGALRM, on_timer);
  handle(worker_signal(), on_worker);
}

bool call_interruptibly(TVMFFISafeCallType entry, const TVMFFIAny* args, int32_t count, TVMFFIAny* result,
                        int& status) {
  if (host.is_code == nullptr) {
    status = entry(nullptr, args, count, result);
    return false;
  }
  ReturnPoint point;
  point.outer = innermost;
  if (point.outer == nullptr) leaving = false;  // a call before this one may have ended by itself while it was asked to
  pid_t outer_launcher = launcher.exchange(this_thread());
  bool interrupted = sigsetjmp(point.at, 0) != 0;
  if (!interrupted) {
    innermost = &point;
    status = entry(nullptr, args, count, result);
  }
  innermost = point.outer;
  launcher = outer_launcher;
  interrupted = interrupted || (leaving && status != 0);
  if (interrupted) {
    leaving = false;
    host.heeded();
  }
  return interrupted;
}

}  // namespace mlc::runtime

// A chunk of a parallel loop (parallel.cpp), which can be left like a call.
extern "C" int32_t mlc_run_task(mlc_task task, void* closure, int64_t begin, int64_t end) {
  using namespace mlc::runtime;
  if (host.is_code == nullptr) return task(closure, begin, end);
  static thread_local bool listens = false;
  if (!listens) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, worker_signal());
    pthread_sigmask(SIG_UNBLOCK, &wanted, nullptr);
    listens = true;
  }
  Registered registered;
  ReturnPoint point;
  point.outer = innermost;
  int32_t status = -1;
  if (sigsetjmp(point.at, 0) == 0) {
    innermost = &point;
    status = leaving ? -1 : task(closure, begin, end);
  }
  innermost = point.outer;
  registered.end();
  return status;
}
