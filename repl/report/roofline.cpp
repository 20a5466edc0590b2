// SPDX-License-Identifier: Apache-2.0
#include "repl/report/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

using transform::FunctionCost;
using transform::Machine;

// "12.5 G".
std::string prefixed(double per_second) {
  static constexpr std::array units{"", " k", " M", " G", " T", " P"};
  size_t unit = 0;
  while (per_second >= 999.5 && unit + 1 < units.size()) per_second /= 1e3, ++unit;
  return fmt::format("{:.3g}{}", per_second, units[unit]);
}

class RooflineDrawing {
 public:
  RooflineDrawing(Svg& svg, std::vector<const FunctionCost*> costs, const Machine& machine)
      : svg_(svg), costs_(std::move(costs)), machine_(machine) {
    bool wide = std::ranges::any_of(costs_, [](const FunctionCost* each) { return each->flop_bits > 32; });
    peak_ = wide ? machine.flops64 : machine.flops32;
    name_ = wide ? "float64" : "float32";
    double least = 1, most = 1;
    for (size_t i = 0; i < machine.levels.size(); ++i) {
      if (machine.bandwidth[i] > 0) {
        least = std::min(least, peak_ / machine.bandwidth[i]);
        most = std::max(most, peak_ / machine.bandwidth[i]);
      }
      for (const FunctionCost* cost : costs_) {
        double x = intensity(*cost, i);
        if (x > 0) least = std::min(least, x), most = std::max(most, x);
      }
    }
    x_from_ = std::floor(std::log2(least)) - 1;
    x_to_ = std::ceil(std::log2(most)) + 1;
    y_to_ = std::ceil(std::log2(peak_ / kGiga) + 0.4);
    y_from_ = std::floor(std::log2(lowest_rate() / kGiga)) - 1;
  }

  void draw() {
    svg_.width = kWidth;
    svg_.height = kHeight;
    draw_axes();
    draw_roofs();
    for (size_t i = 0; i < costs_.size(); ++i) draw_function(i);
  }

 private:
  static constexpr double kWidth = 900, kHeight = 560, kLeft = 84, kRight = 876, kTop = 30, kBottom = 490;
  static constexpr double kGiga = 1e9;  // the axis upward counts in these

  static double intensity(const FunctionCost& cost, size_t level) {
    return level < cost.traffic.size() && cost.traffic[level] > 0 ? cost.flops / cost.traffic[level] : 0;
  }
  double allowed(const FunctionCost& cost) const { return transform::bound_of(cost, machine_).flops_rate; }
  double lowest_rate() const {
    double least = peak_ / 64;
    for (const FunctionCost* cost : costs_)
      if (double rate = allowed(*cost); rate > 0) least = std::min(least, rate);
    return least;
  }
  double x_of(double intensity) const {
    return kLeft + (kRight - kLeft) * (std::log2(intensity) - x_from_) / (x_to_ - x_from_);
  }
  double y_of(double rate) const {
    return kBottom - (kBottom - kTop) * (std::log2(rate / kGiga) - y_from_) / (y_to_ - y_from_);
  }

  void draw_axes() {
    int step = x_to_ - x_from_ > 12 ? 2 : 1;
    for (int power = static_cast<int>(x_from_); power <= x_to_; power += step) {
      double at = x_of(std::exp2(power));
      svg_.line(at, kTop, at, kBottom, "grid");
      svg_.text(at, kBottom + 18,
                power < 0 ? fmt::format("1/{}", int64_t{1} << -power) : fmt::format("{}", int64_t{1} << power),
                "small", Svg::Anchor::kMiddle);
    }
    for (int power = static_cast<int>(y_from_); power <= y_to_; ++power) {
      double at = y_of(kGiga * std::exp2(power));
      svg_.line(kLeft, at, kRight, at, "grid");
      svg_.text(kLeft - 8, at + 4, prefixed(kGiga * std::exp2(power)), "small", Svg::Anchor::kEnd);
    }
    svg_.line(kLeft, kBottom, kRight, kBottom, "axis");
    svg_.line(kLeft, kTop, kLeft, kBottom, "axis");
    svg_.text((kLeft + kRight) / 2, kBottom + 40, "operations per byte that the level moves", "note",
              Svg::Anchor::kMiddle);
    svg_.text(kLeft - 64, kTop - 12, fmt::format("operations per second, {}", name_), "note");
  }

  void draw_roofs() {
    svg_.open("hit ink",
              {.tip = fmt::format("compute: {} operations on {} per second", prefixed(peak_), name_)});
    svg_.line(x_of(ridge(highest_bandwidth())), y_of(peak_), kRight, y_of(peak_), "curve");
    svg_.close();
    svg_.text(kRight - 4, y_of(peak_) - 8, fmt::format("compute {}", prefixed(peak_)), "small",
              Svg::Anchor::kEnd);
    for (size_t i = 0; i < machine_.levels.size(); ++i) {
      double bandwidth = machine_.bandwidth[i];
      if (bandwidth <= 0) continue;
      double from = std::max(std::exp2(x_from_), kGiga * std::exp2(y_from_) / bandwidth),
             to = ridge(bandwidth);
      std::string label = fmt::format("{} {}B/s", machine_.levels[i].name, prefixed(bandwidth));
      svg_.open(
          fmt::format("hit b{}", i % 6),
          {.tip = label + (machine_.levels[i].capacity > 0
                               ? fmt::format("\nholds {}",
                                             bytes_text(static_cast<double>(machine_.levels[i].capacity)))
                               : "")});
      svg_.line(x_of(from), y_of(from * bandwidth), x_of(to), y_of(peak_), "curve");
      // Along its roof, which rises by one power of two in the other's.
      double slope = std::atan2((kBottom - kTop) / (y_to_ - y_from_), (kRight - kLeft) / (x_to_ - x_from_)) *
                     180 / std::numbers::pi;
      double share = 0.12 + 0.1 * static_cast<double>(i);
      double x = x_of(from) + (x_of(to) - x_of(from)) * share,
             y = y_of(from * bandwidth) + (y_of(peak_) - y_of(from * bandwidth)) * share;
      svg_.turned_text(x, y - 7, -slope, label, "small tinted");
      svg_.close();
    }
  }
  double ridge(double bandwidth) const { return peak_ / bandwidth; }
  double highest_bandwidth() const { return *std::ranges::max_element(machine_.bandwidth); }

  // A dot on each roof; the large one is what bounds it.
  void draw_function(size_t number) {
    const FunctionCost& cost = *costs_[number];
    transform::Bound bound = transform::bound_of(cost, machine_);
    std::string tip = fmt::format("{}: {} operations\nat most {} per second, bound by {}", cost.function,
                                  count_text(cost.flops), prefixed(bound.flops_rate), bound.what);
    for (size_t i = 0; i < cost.traffic.size() && i < machine_.levels.size(); ++i)
      tip += fmt::format("\n{}: {} moved, {} operations per byte", machine_.levels[i].name,
                         bytes_text(cost.traffic[i]), count_text(std::round(intensity(cost, i) * 100) / 100));
    svg_.open("hit ink", {.tip = tip});
    double x_bound = 0;
    for (size_t i = 0; i < machine_.levels.size(); ++i) {
      double x = intensity(cost, i);
      if (x <= 0 || machine_.bandwidth[i] <= 0) continue;
      bool is_bound = machine_.levels[i].name == bound.what ||
                      (bound.what == "compute" && i + 1 == machine_.levels.size());
      if (is_bound) x_bound = x;
      svg_.open(fmt::format("b{}", i % 6));
      svg_.circle(x_of(x),
                  y_of(std::max(std::min(peak_, x * machine_.bandwidth[i]), kGiga * std::exp2(y_from_))),
                  is_bound ? 8 : 4.5, "dot");
      svg_.close();
    }
    if (x_bound > 0) {
      double at = x_of(x_bound), y = y_of(bound.flops_rate);
      svg_.line(at, y, at, kBottom, "cut");
      svg_.text(at + 10, y + 22 + 16 * static_cast<double>(number % 4), shortened(cost.function, 28),
                "strong", at > kRight - 200 ? Svg::Anchor::kEnd : Svg::Anchor::kStart);
    }
    svg_.close();
  }

  Svg& svg_;
  std::vector<const FunctionCost*> costs_;
  const Machine& machine_;
  double peak_ = 0;
  std::string name_;
  double x_from_ = 0, x_to_ = 0, y_from_ = 0, y_to_ = 0;
};

}  // namespace

Plot roofline_plot(const std::vector<FunctionCost>& costs, const Machine& machine, std::string program) {
  std::vector<const FunctionCost*> floating;
  for (const FunctionCost& cost : costs)
    if (cost.flops > 0 && floating.size() < 12) floating.push_back(&cost);
  if (floating.empty())
    throw CallError{"no function computes with floats", "a roofline is about operations on floats"};
  bool known = machine.flops32 > 0 && machine.flops64 > 0 &&
               machine.bandwidth.size() == machine.levels.size() && !machine.levels.empty() &&
               *std::ranges::max_element(machine.bandwidth) > 0;
  if (!known) throw CallError{fmt::format("the peaks of {} are not known", machine.name), ""};
  Plot plot{.title = fmt::format("Roofline of {}", machine.name),
            .caption =
                "Lines are what the machine allows: the sloping ones by the bytes per second of each level "
                "of memory, the level one "
                "by its arithmetic. A function has a dot for each level; the large one is what bounds it. "
                "Counted, not measured: "
                "docs/report.md.",
            .source = std::move(program)};
  RooflineDrawing(plot.drawing, floating, machine).draw();
  return plot;
}

}  // namespace mlc::repl
