// SPDX-License-Identifier: Apache-2.0
#include "repl/report/steps.h"

#include <algorithm>
#include <cmath>

#include "repl/session/commands.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

constexpr size_t kMostDrawn = 150;

class StepsDrawing {
 public:
  StepsDrawing(Svg& svg, std::span<const StepRow> rows) : svg_(svg), rows_(rows) {}

  void draw(size_t left_out) {
    svg_.width = kWidth;
    double y = kMargin;
    y = draw_legend(y);
    if (left_out > 0) {
      svg_.text(kText, y + 12, fmt::format("{} steps before these are not drawn", left_out), "note");
      y += 22;
    }
    draw_decades(y);
    y += 24;
    for (const StepRow& row : rows_) {
      draw_row(row, y);
      y += kStep;
    }
    svg_.height = y + 10;
  }

 private:
  static constexpr double kWidth = 900, kMargin = 18, kText = 72, kFrom = 520, kTo = 800, kStep = 38;

  // Whole powers of ten around all times.
  int lowest() const {
    double least = std::ranges::min(rows_, {}, &StepRow::seconds).seconds;
    return static_cast<int>(std::floor(std::log10(std::max(least, 1e-6))));
  }
  int highest() const {
    double most = std::ranges::max(rows_, {}, &StepRow::seconds).seconds;
    return std::max(lowest() + 1, static_cast<int>(std::ceil(std::log10(std::max(most, 1e-6)))));
  }
  double x_of(double seconds) const {
    double share = (std::log10(std::max(seconds, 1e-6)) - lowest()) / (highest() - lowest());
    return kFrom + (kTo - kFrom) * std::clamp(share, 0.0, 1.0);
  }

  double draw_legend(double y) {
    static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"proved", "proved"},
        {"tested", "tested"},
        {"unchecked", "unchecked"},
        {"wrong", "wrong"},
        {"none", "no step of a schedule or pass"}};
    double x = kText;
    for (auto [style, label] : kinds) {
      svg_.open(style);
      svg_.circle(x + 5, y + 8, 5, "dot");
      svg_.close();
      svg_.text(x + 16, y + 12, label, "note");
      x += 16 + 6.6 * static_cast<double>(label.size()) + 22;
    }
    return y + 30;
  }

  void draw_decades(double y) {
    double bottom = y + 22 + kStep * static_cast<double>(rows_.size());
    for (int power = lowest(); power <= highest(); ++power) {
      double at = x_of(std::pow(10, power));
      svg_.line(at, y + 16, at, bottom, "grid");
      svg_.text(at, y + 10, seconds_text(std::pow(10, power)), "small", Svg::Anchor::kMiddle);
    }
  }

  void draw_row(const StepRow& row, double y) {
    std::string_view style = verdict_style(row.verdict);
    svg_.open(fmt::format("hit {}", style),
              {.tip = fmt::format("state {}: {}\n{}\n{}{}{}", row.state, shortened(row.source, 200),
                                  shortened(row.effect, 300), seconds_text(row.seconds),
                                  row.verdict.empty() ? "" : ", ", row.verdict),
               .line = row.line});
    svg_.rect(kMargin, y, kWidth - 2 * kMargin, kStep - 3, "bed row", 5);
    svg_.text(kText - 28, y + 21, fmt::format("{}", row.state), "small", Svg::Anchor::kEnd);
    svg_.circle(kText - 14, y + 17, 5, "dot");
    svg_.text(kText, y + 15, shortened(row.source, 60));
    svg_.text(kText, y + 30, shortened(row.effect, 66), "small");
    svg_.line(kFrom, y + 17, x_of(row.seconds), y + 17, "stem");
    svg_.circle(x_of(row.seconds), y + 17, 5, "dot");
    svg_.text(kWidth - kMargin - 8, y + 21, seconds_text(row.seconds), "", Svg::Anchor::kEnd);
    svg_.close();
  }

  Svg& svg_;
  std::span<const StepRow> rows_;
};

}  // namespace

std::string_view verdict_style(std::string_view verdict) {
  for (std::string_view known : {"proved", "tested", "unchecked"})
    if (verdict.starts_with(known)) return known;
  return verdict.empty() ? "none" : "wrong";
}

size_t lines_before(std::string_view source) {
  size_t lines = 0;
  while (source.starts_with('#') || source.starts_with('\n')) {
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
    ++lines;
  }
  return lines;
}

std::vector<StepRow> step_rows(Session& session) {
  std::vector<StepRow> rows;
  size_t line = 1;
  auto pass = [&](const std::string& text) {
    line += static_cast<size_t>(std::ranges::count(text, '\n')) + 1;
  };
  auto skip_remarks = [&](const State& state) {
    for (const Remark& remark : state.remarks) pass(remark.source);
  };
  skip_remarks(session.states()[0]);
  for (size_t number : session.path()) {
    const State& state = session.states()[number];
    rows.push_back({.state = number,
                    .source = first_line(state.source),
                    .effect = session.effect_of(number),
                    .verdict = state.verdict,
                    .seconds = state.seconds,
                    .line = line + lines_before(state.source)});
    pass(state.source);
    skip_remarks(state);
  }
  return rows;
}

Plot steps_plot(const std::vector<StepRow>& rows, std::string program) {
  if (rows.empty())
    throw CallError{"no statement has changed anything yet", "steps are statements that change something"};
  double total = 0;
  for (const StepRow& row : rows) total += row.seconds;
  Plot plot{.title = fmt::format("{} {}, {}", rows.size(), rows.size() == 1 ? "step" : "steps",
                                 seconds_text(total)),
            .caption =
                "Every statement that changed something: what it changed, how long it took (each line of the "
                "grid is ten times "
                "the one before), and what is known of it.",
            .source = std::move(program)};
  size_t left_out = rows.size() - std::min(rows.size(), kMostDrawn);
  StepsDrawing(plot.drawing, std::span(rows).subspan(left_out)).draw(left_out);
  return plot;
}

}  // namespace mlc::repl
