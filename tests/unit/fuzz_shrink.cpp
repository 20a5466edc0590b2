// SPDX-License-Identifier: Apache-2.0
// Inputs that fail are shrunk to what makes them fail.
#include <catch2/catch.hpp>

#include "tests/fuzz/driver/shrink.h"

TEST_CASE("an input that fails is shrunk to the parts that make it fail", "[fuzz]") {
  std::string text = "def f(a):\n    first = 1\n    x = a // 0\n    last = 2\n    return x\n";
  size_t tries = 0;
  auto fails = [&](const std::string& each) {
    ++tries;
    size_t divides = each.find("//");
    return divides != std::string::npos && each.find("return", divides) != std::string::npos;
  };
  CHECK(mlc::fuzz::shrunk(text, fails, 10) == "//return");
  CHECK(tries < 500);
  CHECK(mlc::fuzz::shrunk(text, fails, 0) == text);
}
