// SPDX-License-Identifier: Apache-2.0
// Boxes of a directed graph without cycles in layers, edges downward: after K. Sugiyama, S. Tagawa, M. Toda, Methods for
// Visual Understanding of Hierarchical System Structures, IEEE Transactions on Systems, Man, and Cybernetics 11(2), 1981.
// A box stands below all that it uses; an edge over several layers passes between their boxes; within a layer the order
// is that of the middles of what boxes are joined to, which leaves few crossings.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace mlc::repl {

struct LayeredLayout {
  struct Box {
    double width, height;     // given
    double x = 0, y = 0;      // found: the upper left corner
    size_t layer = 0;
  };
  struct Point {
    double x, y;
  };
  struct Edge {
    size_t from, to;          // boxes; `from` is less than `to`
    std::vector<Point> bends = {};  // between the layers, from top to bottom; the first and the last are at the boxes
  };
  std::vector<Box> boxes;
  std::vector<Edge> edges;
  double width = 0, height = 0;

  // Places all boxes; the distance between neighbours and between layers.
  void place(double gap, double layer_gap);
};

}  // namespace mlc::repl
