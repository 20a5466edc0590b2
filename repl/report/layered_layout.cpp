// SPDX-License-Identifier: Apache-2.0
#include "repl/report/layered_layout.h"

#include <algorithm>
#include <numeric>

namespace mlc::repl {
namespace layered_layout {
namespace {

// A box, or where an edge passes a layer.
struct Slot {
  double width, height;
  size_t layer;
  double middle = 0;                // x
  std::vector<size_t> above, below;  // slots that it is joined to
};

constexpr double kPassage = 10;  // wide
constexpr int kSweeps = 6;

class Placing {
 public:
  explicit Placing(double gap) : gap_(gap) {}
  std::vector<Slot> slots;
  std::vector<std::vector<size_t>> layers;

  size_t add(double width, double height, size_t layer) {
    slots.push_back({width, height, layer, 0, {}, {}});
    if (layers.size() <= layer) layers.resize(layer + 1);
    layers[layer].push_back(slots.size() - 1);
    return slots.size() - 1;
  }
  void join(size_t upper, size_t lower) {
    slots[upper].below.push_back(lower);
    slots[lower].above.push_back(upper);
  }

  void run() {
    for (auto& layer : layers) spread(layer);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      bool down = sweep % 2 == 0;
      for (size_t i = 0; i < layers.size(); ++i) order(layers[down ? i : layers.size() - 1 - i], down);
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      bool down = sweep % 2 == 1;
      for (size_t i = 0; i < layers.size(); ++i) settle(layers[down ? i : layers.size() - 1 - i], down);
    }
  }

 private:
  // Side by side, the middle of all at 0.
  void spread(const std::vector<size_t>& layer) {
    double all = -gap_;
    for (size_t slot : layer) all += slots[slot].width + gap_;
    double x = -all / 2;
    for (size_t slot : layer) {
      slots[slot].middle = x + slots[slot].width / 2;
      x += slots[slot].width + gap_;
    }
  }
  double wanted(size_t slot, bool down) const {
    const std::vector<size_t>& joined = down ? slots[slot].above : slots[slot].below;
    if (joined.empty()) return slots[slot].middle;
    double sum = 0;
    for (size_t other : joined) sum += slots[other].middle;
    return sum / static_cast<double>(joined.size());
  }
  void order(std::vector<size_t>& layer, bool down) {
    std::vector<std::pair<double, size_t>> by_middle;
    for (size_t slot : layer) by_middle.emplace_back(wanted(slot, down), slot);
    std::ranges::stable_sort(by_middle, {}, &std::pair<double, size_t>::first);
    for (size_t i = 0; i < layer.size(); ++i) layer[i] = by_middle[i].second;
    spread(layer);
  }
  // Each where it wants to be, or next to its neighbours: slots that push each other become a row, which stands where
  // they want to be on average.
  void settle(const std::vector<size_t>& layer, bool down) {
    struct Row {
      double wish;    // where its first slot's middle would be, on average
      size_t count;
      double length;  // from the middle of its first slot to that of its last
    };
    std::vector<Row> rows;
    std::vector<double> distance(layer.size(), 0);  // to the slot before
    for (size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) distance[i] = slots[layer[i - 1]].width / 2 + gap_ + slots[layer[i]].width / 2;
      rows.push_back({wanted(layer[i], down), 1, 0});
      size_t first = i;
      while (rows.size() > 1) {
        Row& left = rows[rows.size() - 2];
        Row& right = rows.back();
        double between = left.length + distance[first];
        if (left.wish + between <= right.wish) break;
        double total = static_cast<double>(left.count + right.count);
        left.wish = (left.wish * static_cast<double>(left.count) + (right.wish - between) * static_cast<double>(right.count)) / total;
        left.length = between + right.length;
        first -= left.count;
        left.count += right.count;
        rows.pop_back();
      }
    }
    size_t at = 0;
    for (const Row& row : rows) {
      double x = row.wish;
      for (size_t i = 0; i < row.count; ++i, ++at) {
        if (i > 0) x += distance[at];
        slots[layer[at]].middle = x;
      }
    }
  }

  double gap_;
};

}  // namespace
}  // namespace layered_layout

void LayeredLayout::place(double gap, double layer_gap) {
  layered_layout::Placing placing(gap);
  std::vector<std::vector<size_t>> edges_to(boxes.size());
  for (size_t i = 0; i < edges.size(); ++i) edges_to[edges[i].to].push_back(i);
  for (size_t i = 0; i < boxes.size(); ++i) {
    boxes[i].layer = 0;
    for (size_t edge : edges_to[i]) boxes[i].layer = std::max(boxes[i].layer, boxes[edges[edge].from].layer + 1);
  }
  // What is used in one place only stands right above it.
  std::vector<size_t> lowest(boxes.size(), static_cast<size_t>(-1));
  for (const Edge& edge : edges) lowest[edge.from] = std::min(lowest[edge.from], boxes[edge.to].layer - 1);
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (edges_to[i].empty() && lowest[i] != static_cast<size_t>(-1)) boxes[i].layer = lowest[i];
  }
  std::vector<size_t> slot_of;
  for (const Box& box : boxes) slot_of.push_back(placing.add(box.width, box.height, box.layer));
  std::vector<std::vector<size_t>> passages(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    size_t last = slot_of[edges[i].from];
    for (size_t layer = boxes[edges[i].from].layer + 1; layer < boxes[edges[i].to].layer; ++layer) {
      passages[i].push_back(placing.add(layered_layout::kPassage, 0, layer));
      placing.join(last, passages[i].back());
      last = passages[i].back();
    }
    placing.join(last, slot_of[edges[i].to]);
  }
  placing.run();
  std::vector<double> top, tall;
  double y = 0;
  for (const auto& layer : placing.layers) {
    double height = 0;
    for (size_t slot : layer) height = std::max(height, placing.slots[slot].height);
    top.push_back(y);
    tall.push_back(height);
    y += height + layer_gap;
  }
  height = std::max(0.0, y - layer_gap);
  double left = 0, right = 0;
  for (const auto& slot : placing.slots) {
    left = std::min(left, slot.middle - slot.width / 2);
    right = std::max(right, slot.middle + slot.width / 2);
  }
  width = right - left;
  for (size_t i = 0; i < boxes.size(); ++i) {
    boxes[i].x = placing.slots[slot_of[i]].middle - boxes[i].width / 2 - left;
    boxes[i].y = top[boxes[i].layer];
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    const Box &from = boxes[edges[i].from], &to = boxes[edges[i].to];
    edges[i].bends = {{from.x + from.width / 2, from.y + from.height}};
    for (size_t slot : passages[i]) {
      double x = placing.slots[slot].middle - left;
      size_t layer = placing.slots[slot].layer;
      edges[i].bends.push_back({x, top[layer]});
      edges[i].bends.push_back({x, top[layer] + tall[layer]});
    }
    edges[i].bends.push_back({to.x + to.width / 2, to.y});
  }
}

}  // namespace mlc::repl
