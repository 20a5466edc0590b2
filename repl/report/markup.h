// SPDX-License-Identifier: Apache-2.0
// Pieces of SVG and HTML: text that is safe in both, numbers as people read them, a drawing that grows.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/table.h"

namespace mlc::repl {

// Text for an element or a quoted attribute of HTML or XML. What XML 1.0 cannot hold (control characters,
// bytes that are no UTF-8) becomes a picture of it, or U+FFFD.
std::string escape(std::string_view text);

// Cut to so many characters, the last one an ellipsis.
std::string shortened(std::string_view text, size_t characters);

std::string seconds_text(double seconds);  // "1.2 ms"
// A coordinate, at most one digit behind the point.
std::string coordinate(double value);

// A drawing. Coordinates are pixels at its natural size, y down. All text is escaped here; `style` names
// classes of kDrawingStyle (page.cpp), never anything of the user's.
class Svg {
 public:
  double width = 0, height = 0;

  // What an element says on hover, and what it belongs to: `line` of the source beside, `group` of elements
  // that light up together.
  struct Meaning {
    std::string tip = {};
    std::optional<size_t> line = {};
    std::string group = {};
  };

  void open(std::string_view style, const Meaning& meaning);
  void open(std::string_view style);
  void close() { body_ += "</g>\n"; }
  void rect(double x, double y, double w, double h, std::string_view style, double round = 0);
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void circle(double x, double y, double r, std::string_view style);
  // `data`: of a path, made of numbers and commands alone.
  void path(std::string_view data, std::string_view style);
  enum class Anchor : uint8_t { kStart, kMiddle, kEnd };
  void text(double x, double y, std::string_view text, std::string_view style = "",
            Anchor anchor = Anchor::kStart);
  // Turned around its beginning, by degrees clockwise.
  void turned_text(double x, double y, double degrees, std::string_view text, std::string_view style);
  // A label in a rounded box that fits it; its width.
  double chip(double x, double y, std::string_view text, std::string_view style);

  size_t size() const { return body_.size(); }
  // `title` and `description` are read to those who do not see.
  std::string element(std::string_view title, std::string_view description,
                      std::string_view style = {}) const;

 private:
  std::string body_;
};

// About what the text takes in the fonts of kDrawingStyle: those are chosen for the width of their digits.
double mono_width(std::string_view text, double size = 12);
size_t characters_of(std::string_view text);

}  // namespace mlc::repl
