// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ir/tir/op.h"
#include "repl/report/access.h"
#include "repl/report/nest.h"

namespace mlc::repl {

namespace {

std::string percent(double share) {
  if (share > 0 && share < 0.001) return "<0.1 %";
  if (share > 0.999 && share < 1) return ">99.9 %";
  return fmt::format("{} %", share == 0 || share == 1 ? fmt::format("{:.0f}", share * 100)
                                                      : fmt::format("{:.1f}", share * 100));
}

// Where the element is in the buffer: "[3, 0]"; its number where the shape is not known.
std::string index_text(const ir::Buffer& buffer, int64_t element) {
  std::vector<int64_t> index;
  const auto& shape = buffer->buffer()->shape;
  bool compact = buffer->buffer()->strides.empty();
  for (size_t d = shape.size(); d-- > 0;) {
    auto extent = ir::const_int(shape[static_cast<int64_t>(d)]);
    if (!extent || *extent <= 0 || !compact) return fmt::format("#{}", element);
    index.insert(index.begin(), d == 0 ? element : element % *extent);
    element /= *extent;
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

// How far it is from one access of the window to the next, where most agree.
std::string stride_text(const BufferAccesses& buffer) {
  std::map<int64_t, size_t> strides;
  size_t count = 0;
  for (bool stores : {false, true}) {
    const BufferAccesses::Touch* before = nullptr;
    for (const BufferAccesses::Touch& touch : buffer.window) {
      if (touch.stores != stores) continue;
      if (before != nullptr) ++strides[touch.element - before->element], ++count;
      before = &touch;
    }
  }
  if (count == 0) return "";
  auto most = std::ranges::max_element(strides, {}, [](const auto& each) { return each.second; });
  double share = static_cast<double>(most->second) / static_cast<double>(count);
  if (share < 0.3) return "no stride prevails";
  std::string what = most->first == 0 ? "same element" : fmt::format("stride {:+}", most->first);
  return fmt::format("{} in {}", what, percent(share));
}

class AccessDrawing {
 public:
  AccessDrawing(Svg& svg, const AccessRecord& record) : svg_(svg), record_(record) {}

  void draw() {
    svg_.width = kWidth;
    double y = kMargin;
    svg_.text(kLeft, y + 13,
              fmt::format("The first {} instances of block {}",
                          count_text(static_cast<double>(record_.window)), shortened(record_.block, 40)),
              "h2");
    y += 28;
    size_t shown = std::min<size_t>(record_.buffers.size(), kMostStrips);
    double top = y;
    double below = top + static_cast<double>(shown) * kStrip;
    double spacing = draw_steps(top, below - 12);
    for (size_t i = 0; i < shown; ++i, y += kStrip) draw_strip(i, y);
    y = draw_loops(below, spacing);
    if (shown < record_.buffers.size()) {
      svg_.text(
          kLeft, y + 12,
          fmt::format("{} more buffers are counted below and not drawn", record_.buffers.size() - shown),
          "note");
      y += 22;
    }
    draw_reuse(y + 20);
  }

 private:
  static constexpr double kWidth = 900, kMargin = 18, kLeft = 112, kRight = 874, kStrip = 128, kPlot = 84;
  static constexpr size_t kMostStrips = 6;

  std::string hue(size_t buffer) const { return fmt::format("b{}", record_.buffers[buffer].hue % 6); }
  double x_of(double instance) const {
    return kLeft + (kRight - kLeft) * instance / static_cast<double>(std::max<size_t>(record_.window, 1));
  }

  // Lines at which an outer loop takes its next step; the number of instances between two.
  double draw_steps(double top, double bottom) {
    size_t period = 1;
    for (size_t i = record_.loops.size(); i-- > 0;) {
      period *= static_cast<size_t>(record_.loops[i].second);
      if (period > 1 && record_.window / period <= 64) break;
    }
    if (record_.loops.empty() || period <= 1 || period >= record_.window) return 0;
    for (size_t at = period; at < record_.window; at += period)
      svg_.line(x_of(static_cast<double>(at)), top + 22, x_of(static_cast<double>(at)), bottom, "grid");
    return static_cast<double>(period);
  }

  void draw_strip(size_t number, double y) {
    const BufferAccesses& buffer = record_.buffers[number];
    std::string name(buffer.buffer->name);
    double top = y + 22;
    auto [low, high] = std::ranges::minmax(buffer.window, {}, &BufferAccesses::Touch::element);
    int64_t from = buffer.window.empty() ? 0 : low.element, to = buffer.window.empty() ? 0 : high.element;
    std::set<int64_t> lines;
    for (const BufferAccesses::Touch& touch : buffer.window)
      lines.insert(touch.element * buffer.element_bytes / kLineBytes);
    std::string stats =
        fmt::format("{}{}{} in view", stride_text(buffer), stride_text(buffer).empty() ? "" : " \xc2\xb7 ",
                    lines.size() == 1 ? "1 line" : count_text(static_cast<double>(lines.size())) + " lines");
    svg_.open(
        "hit " + hue(number),
        {.tip = fmt::format(
             "{} {}\n{} loads and {} stores watched\n{} of its lines were touched for the first time\n{}",
             name, shape_text(buffer.buffer), count_text(static_cast<double>(buffer.loads)),
             count_text(static_cast<double>(buffer.stores)), count_text(static_cast<double>(buffer.first)),
             stats),
         .group = fmt::format("{}", number)});
    svg_.rect(kLeft, y + 2, 10, 10, "tinted", 2);
    svg_.text(kLeft + 17, y + 12, shortened(name, 24), "strong");
    svg_.text(kLeft + 17 + mono_width(shortened(name, 24)) + 10, y + 12,
              shortened(shape_text(buffer.buffer), 32), "soft");
    svg_.text(kRight, y + 12, stats, "small", Svg::Anchor::kEnd);
    svg_.rect(kLeft, top, kRight - kLeft, kPlot, "frame", 3);
    double span = static_cast<double>(std::max<int64_t>(to - from, 1));
    for (bool stores : {false, true}) {
      std::string path = dots(buffer, stores, top, from, span, to == from);
      if (!path.empty()) svg_.path(path, stores ? "dots ink" : "dots");
    }
    auto label = [&](double at, int64_t element) {
      svg_.text(kLeft - 8, at, shortened(index_text(buffer.buffer, element), 15), "small", Svg::Anchor::kEnd);
    };
    if (to == from) {
      label(top + kPlot / 2 + 4, from);
    } else {
      label(top + kPlot - 3, from);
      label(top + 11, to);
    }
    svg_.close();
  }

  // Of half a pixel each, those that coincide once.
  std::string dots(const BufferAccesses& buffer, bool stores, double top, int64_t from, double span,
                   bool flat) const {
    std::set<std::pair<int, int>> points;
    double shift = stores ? 1.5 : 0;  // what is loaded and stored shows as both
    for (const BufferAccesses::Touch& touch : buffer.window) {
      if (touch.stores != stores) continue;
      double height = flat ? 0.5 : static_cast<double>(touch.element - from) / span;
      points.emplace(static_cast<int>(std::lround(2 * x_of(touch.instance))),
                     static_cast<int>(std::lround(2 * (top + 5 + shift + (kPlot - 10) * (1 - height)))));
    }
    std::string path;
    int px = 0, py = 0;
    for (auto [x, y] : points) {
      path += fmt::format("{}{} {}h1", path.empty() ? "M" : "m", coordinate((x - px) / 2.0),
                          coordinate((y - py) / 2.0));
      px = x + 2;
      py = y;
    }
    return path;
  }

  double draw_loops(double y, double spacing) {
    for (int i = 0; i <= 2; ++i) {
      double instance = static_cast<double>(record_.window) * i / 2;
      svg_.text(x_of(instance), y + 4, count_text(std::floor(instance)), "small",
                i == 0   ? Svg::Anchor::kStart
                : i == 2 ? Svg::Anchor::kEnd
                         : Svg::Anchor::kMiddle);
    }
    std::string loops;
    size_t period = 1, steps = 0;
    for (size_t i = record_.loops.size(); i-- > 0;) {
      loops += fmt::format("{}{} ({})", loops.empty() ? "" : ", ", record_.loops[i].first,
                           record_.loops[i].second);
      if (static_cast<double>(period) < spacing)
        period *= static_cast<size_t>(record_.loops[i].second), steps = i;
    }
    std::string text = loops.empty() ? "instances of the block" : "loops from the innermost out: " + loops;
    if (spacing > 0 && steps > 0)
      text += fmt::format("; a line wherever {} steps", record_.loops[steps - 1].first);
    svg_.text(kLeft, y + 22, shortened(text, 118), "note");
    svg_.open("ink");
    svg_.rect(kLeft, y + 33, 10, 3, "tinted", 1);
    svg_.close();
    svg_.text(kLeft + 17, y + 39, "stored", "note");
    svg_.open(hue(0));
    svg_.rect(kLeft + 76, y + 33, 10, 3, "tinted", 1);
    svg_.close();
    svg_.text(kLeft + 93, y + 39, "loaded, in the buffer\xe2\x80\x99s colour", "note");
    return y + 48;
  }

  void draw_reuse(double y) {
    constexpr double kHeight = 190;
    svg_.text(kLeft, y + 13, "Reuse distance", "h2");
    svg_.text(
        kRight, y + 13,
        fmt::format("{}{} accesses{}", record_.whole ? "all " : "the first ",
                    count_text(static_cast<double>(record_.accesses)),
                    record_.whole ? ""
                    : record_.all_instances > 0
                        ? fmt::format(", {} of the instances",
                                      percent(static_cast<double>(record_.instances) / record_.all_instances))
                        : ""),
        "note", Svg::Anchor::kEnd);
    double total = static_cast<double>(record_.accesses);
    size_t bins = 10;  // at least up to 32 KiB
    for (const BufferAccesses& each : record_.buffers) {
      for (size_t i = 0; i < kReuseBins; ++i)
        if (each.reuse[i] > 0) bins = std::max(bins, i + 2);
    }
    for (const AccessRecord::Cache& cache : record_.caches)
      bins =
          std::max(bins, static_cast<size_t>(std::log2(static_cast<double>(cache.bytes) / kLineBytes)) + 2);
    bins = std::min(bins, kReuseBins);
    std::vector<double> sums(bins + 1, 0);
    for (const BufferAccesses& each : record_.buffers) {
      for (size_t i = 0; i < bins; ++i) sums[i] += static_cast<double>(each.reuse[i]);
      sums[bins] += static_cast<double>(each.first);
    }
    double highest = *std::ranges::max_element(sums) / total;
    double scale = highest > 0.5 ? 1 : highest > 0.25 ? 0.5 : highest > 0.1 ? 0.25 : 0.1;
    double top = y + 46, bottom = top + kHeight;
    double width = (kRight - kLeft - 50) / static_cast<double>(bins);
    auto x_of_bin = [&](size_t bin) {
      return bin == bins ? kRight - width - 4 : kLeft + width * static_cast<double>(bin);
    };
    for (int i = 0; i <= 4; ++i) {
      double at = bottom - kHeight * i / 4;
      svg_.line(kLeft, at, kRight, at, i == 0 ? "axis" : "grid");
      svg_.text(kLeft - 8, at + 4, fmt::format("{:g} %", scale * 100 * i / 4), "small", Svg::Anchor::kEnd);
    }
    for (size_t bin = 0; bin <= bins; ++bin) {
      double at = bottom;
      for (size_t i = 0; i < record_.buffers.size(); ++i) {
        const BufferAccesses& buffer = record_.buffers[i];
        double share = static_cast<double>(bin == bins ? buffer.first : buffer.reuse[bin]) / total;
        if (share == 0) continue;
        double height = kHeight * share / scale;
        svg_.open("hit " + hue(i),
                  {.tip = fmt::format("{}: {} of all accesses\n{}", std::string(buffer.buffer->name),
                                      percent(share), distance_text(bin, bins)),
                   .group = fmt::format("{}", i)});
        svg_.rect(x_of_bin(bin) + 1.5, at - height, std::max(width - 3, 2.0), std::max(height, 0.8), "bar");
        svg_.close();
        at -= height;
      }
    }
    // Below the axis, the bytes at the left edges of bins, as many as there is room for.
    svg_.text(kLeft + width / 2, bottom + 17, "0", "small", Svg::Anchor::kMiddle);
    size_t every = static_cast<size_t>(std::ceil(58 / width));
    for (size_t bin = every; bin < bins && x_of_bin(bin) < kRight - 110; bin += every)
      svg_.text(x_of_bin(bin), bottom + 17, bytes_text(kLineBytes * std::exp2(static_cast<double>(bin) - 1)),
                "small", Svg::Anchor::kMiddle);
    svg_.text(kRight, bottom + 17, "first touch", "small", Svg::Anchor::kEnd);
    svg_.text(kLeft, bottom + 37,
              "bytes of other lines between two touches of a line; dashed: the caches of this machine, and "
              "the share of accesses that hit",
              "note");
    double label = top - 8;
    double last = 0;
    for (const AccessRecord::Cache& cache : record_.caches) {
      double at = kLeft + width * (std::log2(static_cast<double>(cache.bytes) / kLineBytes) + 1);
      std::string text = fmt::format("{} {}: {}", cache.name, bytes_text(static_cast<double>(cache.bytes)),
                                     percent(static_cast<double>(cache.hits) / total));
      double x = std::min(at, kRight) - mono_width(text, 11) / 2;
      x = std::min(std::max(x, last), kRight - mono_width(text, 11));
      svg_.line(at, top - 4, at, bottom, "cut");
      svg_.text(x, label, text, "small");
      last = x + mono_width(text, 11) + 14;
    }
    svg_.height = bottom + 52;
  }

  static std::string distance_text(size_t bin, size_t bins) {
    if (bin == bins) return "their line had not been touched before";
    if (bin == 0) return "of the line that was touched just before";
    double from = kLineBytes * std::exp2(static_cast<double>(bin) - 1);
    return fmt::format("of a line touched {} to {} ago", bytes_text(from), bytes_text(2 * from));
  }

  Svg& svg_;
  const AccessRecord& record_;
};

}  // namespace

Plot access_plot(const AccessRecord& record, std::string program) {
  Plot plot{.title = fmt::format("Accesses of block {} in {}", record.block, record.function),
            .caption =
                "Each dot is an element at the time when the interpreter reads or writes it, as the program "
                "says: what a "
                "compiler keeps in registers is there too. A cache with LRU replacement hits all accesses "
                "whose reuse "
                "distance is less than its size.",
            .source = std::move(program)};
  AccessDrawing(plot.drawing, record).draw();
  return plot;
}

}  // namespace mlc::repl
