// SPDX-License-Identifier: Apache-2.0
// Pages and drawings as files of their own: nothing is loaded from anywhere, and light and dark follow the
// reader's system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/report/markup.h"

namespace mlc::repl {

// No page is larger. What would be is left out by those who draw, with a remark that says so.
inline constexpr size_t kMostBytes = 300'000;

// What the files begin with, so that one that somebody else has written is known from them.
inline constexpr std::string_view kPageMark = "<!DOCTYPE html>\n<!-- Made by mlc. -->\n";
inline constexpr std::string_view kDrawingMark = "<!-- Made by mlc. -->\n";

// A drawing with what one needs to read it.
struct Plot {
  std::string title;
  std::string caption;  // how to read it, in one or two sentences
  Svg drawing = {};
  std::string source = {};  // shown beside it; "" where there is none
};

// The drawing alone, with its style.
std::string svg_file(const Plot& plot);
// The page of one plot, its source beside it.
std::string html_file(const Plot& plot);

// A figure that can be moved and zoomed, without its source.
std::string figure(const Plot& plot);
// Program text with numbers at its lines, and colours; as many whole lines as `most` bytes of the page hold,
// and a remark where there are more. Lines of `links` are `#L3` and lead to `#target`.
struct LineLink {
  size_t line;
  std::string target;  // "step3": letters and digits
};
std::string listing(std::string_view program, size_t most, const std::vector<LineLink>& links = {});
// A whole page around `body`, which is HTML. Elements with one `data-line` in an element of class `beside`
// light up together, as do those of one `data-group`.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace mlc::repl
