// SPDX-License-Identifier: Apache-2.0
// Calls the graph of mlp.mlc by its C++ header.
#include <array>
#include <cstdio>

#include "mlp.hpp"

int main() {
  std::array<float, 8> x;
  for (int i = 0; i < 8; ++i) x[i] = static_cast<float>(i) - 3;
  mlp_graphs::mlp_results results = mlp_graphs::mlp(x);
  std::printf("%zu %zu %.4f\n", results.y.size(), results.s.size(), results.y[15]);
}
