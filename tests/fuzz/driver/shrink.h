// SPDX-License-Identifier: Apache-2.0
// The least part of an input that still fails.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace mlc::fuzz {

// Delta debugging: leaves out ever smaller parts as long as what is left still fails, for a bounded time.
inline std::string shrunk(std::string input, const std::function<bool(const std::string&)>& fails,
                          double seconds) {
  auto start = std::chrono::steady_clock::now();
  for (size_t part = input.size() / 2; part > 0;) {
    bool smaller = false;
    for (size_t at = 0; at < input.size();) {
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds)
        return input;
      std::string without = input;
      without.erase(at, part);
      if (fails(without)) {
        input = std::move(without);
        smaller = true;
      } else {
        at += part;
      }
    }
    if (!smaller) part /= 2;
  }
  return input;
}

}  // namespace mlc::fuzz
