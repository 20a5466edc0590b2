// SPDX-License-Identifier: Apache-2.0
// The thread pool: every iteration once, from many threads at once, nested, and with failures.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "backend/runtime/parallel.h"

namespace {

struct Counter {
  std::vector<std::atomic<int>> hits;
  explicit Counter(size_t size) : hits(size) {}
};
int32_t count(void* closure, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<Counter*>(closure)->hits[static_cast<size_t>(i)].fetch_add(1);
  return 0;
}
bool all_once(const Counter& counter) {
  for (const auto& hit : counter.hits) {
    if (hit.load() != 1) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("thread pool: every iteration runs once", "[runtime]") {
  for (int64_t extent : {0, 1, 2, 3, 7, 64, 1000}) {
    for (int times = 0; times < 50; ++times) {
      Counter counter(static_cast<size_t>(extent));
      REQUIRE(mlc_parallel_launch(count, &counter, extent) == 0);
      REQUIRE(all_once(counter));
    }
  }
}

TEST_CASE("thread pool: many launching threads", "[runtime]") {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int times = 0; times < 100; ++times) {
        Counter counter(37);
        if (mlc_parallel_launch(count, &counter, 37) != 0 || !all_once(counter)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

// All are inside at the same time before any of them ends.
TEST_CASE("thread pool: more launches at a time than there are places for", "[runtime]") {
  constexpr int kLaunches = 100;
  struct Shared {
    std::atomic<int> inside{0};
    std::atomic<int> iterations{0};
  } shared;
  auto task = [](void* closure, int64_t begin, int64_t end) -> int32_t {
    auto* all = static_cast<Shared*>(closure);
    all->iterations += static_cast<int>(end - begin);
    if (begin != 0) return 0;
    ++all->inside;
    while (all->inside < kLaunches) std::this_thread::yield();
    return 0;
  };
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < kLaunches; ++t)
    threads.emplace_back([&] { failed += mlc_parallel_launch(task, &shared, 8) != 0; });
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
  CHECK(shared.iterations == 8 * kLaunches);
}

TEST_CASE("thread pool: nested launches and failures", "[runtime]") {
  Counter counter(64);
  auto outer = [](void* closure, int64_t begin, int64_t end) -> int32_t {
    for (int64_t i = begin; i < end; ++i) {
      struct Inner {
        Counter* counter;
        int64_t base;
      } inner{static_cast<Counter*>(closure), i * 8};
      auto body = [](void* c, int64_t b, int64_t e) -> int32_t {
        auto* in = static_cast<Inner*>(c);
        return count(in->counter, in->base + b, in->base + e);
      };
      if (mlc_parallel_launch(body, &inner, 8) != 0) return 1;
    }
    return 0;
  };
  REQUIRE(mlc_parallel_launch(outer, &counter, 8) == 0);
  CHECK(all_once(counter));
  auto fails = [](void*, int64_t begin, int64_t end) -> int32_t { return begin <= 5 && 5 < end ? -7 : 0; };
  for (int times = 0; times < 50; ++times) REQUIRE(mlc_parallel_launch(fails, nullptr, 64) == -7);
}

TEST_CASE("thread pool: no more threads than cores that were asked for", "[runtime]") {
  struct Inside {
    std::atomic<int> now{0};
    std::atomic<int> most{0};
    std::atomic<int> done{0};
  };
  auto task = [](void* closure, int64_t begin, int64_t end) -> int32_t {
    auto* in = static_cast<Inside*>(closure);
    int now = ++in->now;
    int most = in->most;
    while (now > most && !in->most.compare_exchange_weak(most, now)) continue;
    usleep(100);
    in->done += static_cast<int>(end - begin);
    --in->now;
    return 0;
  };
  for (int cores : {1, 2, 3}) {
    Inside inside;
    REQUIRE(mlc_parallel_launch_on(task, &inside, 50, cores) == 0);
    CHECK(inside.done == 50);
    CHECK(inside.most <= cores);
  }
}

TEST_CASE("thread pool: a forked child has a pool of its own", "[runtime]") {
  Counter before(64);
  REQUIRE(mlc_parallel_launch(count, &before, 64) == 0);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Counter counter(64);
    bool right = mlc_parallel_launch(count, &counter, 64) == 0 && all_once(counter);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("thread pool: idle workers sleep", "[runtime]") {
  auto used = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  Counter counter(64);
  REQUIRE(mlc_parallel_launch(count, &counter, 64) == 0);
  usleep(20000);
  double before = used();
  usleep(300000);
  CHECK(used() - before < 0.02);
}
