// SPDX-License-Identifier: Apache-2.0
// The thread pool under ThreadSanitizer: many threads launch at once what reads and writes plain memory.
// Whatever the pool does not order is reported as a race.
//
//   pool            everything at once, for a while
//   pool unordered  a task that does race; must be reported, or this test finds nothing
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backend/runtime/parallel.h"

// What tvm-ffi and the C interface bring: the error of the calling thread.
namespace {
struct Error {
  std::string text;
  int references = 1;
};
thread_local Error* raised = nullptr;
thread_local char error_text[kMlcErrorBytes];
std::atomic<int> errors{0};  // alive
}  // namespace

extern "C" {
char* mlc_error_slot(void) { return error_text; }
void TVMFFIErrorMoveFromRaised(void** result) {
  *result = raised;
  raised = nullptr;
}
int TVMFFIObjectDecRef(void* object) {
  auto* error = static_cast<Error*>(object);
  if (--error->references == 0) {
    delete error;
    --errors;
  }
  return 0;
}
void TVMFFIErrorSetRaised(void* error) {
  ++static_cast<Error*>(error)->references;
  if (raised != nullptr) TVMFFIObjectDecRef(raised);
  raised = static_cast<Error*>(error);
}
}

namespace {

std::atomic<int> failed{0};
void expect(bool holds, const char* what) {
  if (holds) return;
  ++failed;
  std::fprintf(stderr, "FAILED %s\n", what);
}

struct Sum {
  const std::vector<int>* from;
  std::vector<int>* to;
};
int32_t twice(void* closure, int64_t begin, int64_t end) {
  auto* sum = static_cast<Sum*>(closure);
  for (int64_t i = begin; i < end; ++i) {
    auto at = static_cast<size_t>(i);
    (*sum->to)[at] += 2 * (*sum->from)[at];
  }
  return 0;
}

// Writes before the launch, in tasks, and after it, all to memory that nothing but the pool guards.
void plain_memory(int seed) {
  auto size = static_cast<size_t>(1 + seed * 37 % 211);
  std::vector<int> from(size);
  std::vector<int> to(size, 1);
  for (size_t i = 0; i < size; ++i) from[i] = seed + static_cast<int>(i);
  Sum sum{&from, &to};
  mlc_parallel_launch(twice, &sum, static_cast<int64_t>(size));
  bool right = true;
  for (size_t i = 0; i < size; ++i) right = right && to[i] == 1 + 2 * from[i];
  expect(right, "every iteration runs once");
  sum.to = nullptr;
}

void nested(int seed) {
  std::vector<int> from(24, seed);
  std::vector<int> to(24, 0);
  Sum sum{&from, &to};
  auto outer = [](void* closure, int64_t begin, int64_t end) -> int32_t {
    for (int64_t i = begin; i < end; ++i) {
      auto* all = static_cast<Sum*>(closure);
      std::vector<int> from_part(all->from->begin() + i * 6, all->from->begin() + i * 6 + 6);
      std::vector<int> to_part(6, 0);
      Sum part{&from_part, &to_part};
      if (mlc_parallel_launch(twice, &part, 6) != 0) return 1;
      for (int64_t k = 0; k < 6; ++k)
        (*all->to)[static_cast<size_t>(i * 6 + k)] = to_part[static_cast<size_t>(k)];
    }
    return 0;
  };
  expect(mlc_parallel_launch(outer, &sum, 4) == 0 && to == std::vector<int>(24, 2 * seed), "launches nest");
}

// The error of a task, wherever it ran, is that of the launching thread.
void failures(int seed) {
  auto task = [](void* closure, int64_t begin, int64_t end) -> int32_t {
    int seed = *static_cast<int*>(closure);
    if (begin > 40 || end <= 3) return 0;
    std::snprintf(error_text, sizeof error_text, "task %d", seed);
    if (raised != nullptr) TVMFFIObjectDecRef(raised);
    raised = new Error{"task " + std::to_string(seed)};
    ++errors;
    return -seed;
  };
  std::string expected = "task " + std::to_string(seed);
  expect(mlc_parallel_launch(task, &seed, 64) == -seed, "the status of a failed task comes back");
  expect(expected == error_text, "the text of a failed task comes back");
  expect(raised != nullptr && raised->text == expected, "the error of a failed task comes back");
  if (raised != nullptr) TVMFFIObjectDecRef(raised);
  raised = nullptr;
}

// No more threads than asked for are in a launch at once.
void limited(int cores) {
  struct Inside {
    std::atomic<int> now{0};
    std::atomic<int> most{0};
  } inside;
  auto task = [](void* closure, int64_t, int64_t) -> int32_t {
    auto* in = static_cast<Inside*>(closure);
    int now = ++in->now;
    int most = in->most;
    while (now > most && !in->most.compare_exchange_weak(most, now)) continue;
    usleep(20);
    --in->now;
    return 0;
  };
  mlc_parallel_launch_on(task, &inside, 32, cores);
  expect(inside.most >= 1 && inside.most <= cores, "a launch keeps to its number of cores");
}

void stress(int thread, int rounds) {
  for (int i = 1; i <= rounds; ++i) {
    int seed = thread * 1000 + i;
    plain_memory(seed);
    if (i % 4 == thread % 4) nested(seed);
    if (i % 4 == 1) failures(seed);
    if (i % 8 == 2) limited(1 + seed % 3);
    if (i % 16 == 3) usleep(500);  // long enough for workers to go to sleep
  }
}

int64_t unguarded = 0;

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "unordered") == 0) {
    auto task = [](void*, int64_t, int64_t) -> int32_t {
      ++unguarded;
      usleep(100);
      return 0;
    };
    mlc_parallel_launch(task, nullptr, 64);
    return 0;
  }
  // The pool starts in the middle of their first launches.
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(stress, t, 2000);
  for (std::thread& thread : threads) thread.join();
  expect(errors == 0, "no error is left behind");
  return failed == 0 ? 0 : 1;
}
