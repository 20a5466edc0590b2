// SPDX-License-Identifier: Apache-2.0
#include "repl/report/markup.h"

#include <algorithm>

namespace mlc::repl {

namespace {

// The bytes of the character that `text` begins with; 0 where they are no UTF-8, or none that XML may hold.
size_t character(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  uint32_t code = first & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  static constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool valid = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
               (code & 0xfffe) != 0xfffe;
  return valid ? length : 0;
}

constexpr std::string_view kUnknown = "\xef\xbf\xbd";  // U+FFFD

// With so many digits that three are significant, and no zeros at the end.
std::string three_digits(double value) {
  std::string text = fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
  if (text.find('.') != std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    size_t length = character(text);
    if (length != 1) {
      out += length == 0 ? kUnknown : text.substr(0, length);
      text.remove_prefix(std::max<size_t>(length, 1));
      continue;
    }
    char c = text.front();
    text.remove_prefix(1);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
      case '\t':
        out += c;
        break;
      case '\x7f':
        out += "\xe2\x90\xa1";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\xe2\x90";  // U+2400 and on: pictures of control characters
          out += static_cast<char>(0x80 + c);
        } else {
          out += c;
        }
    }
  }
  return out;
}

size_t characters_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shortened(std::string_view text, size_t characters) {
  if (characters_of(text) <= characters) return std::string(text);
  size_t end = 0, seen = 0;
  while (end < text.size()) {
    if ((text[end] & 0xc0) != 0x80 && ++seen == std::max<size_t>(characters, 1)) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + "\xe2\x80\xa6";
}

std::string seconds_text(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds * 1e6) + " \xc2\xb5s";
}

std::string coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

double mono_width(std::string_view text, double size) {
  return 0.603 * size * static_cast<double>(characters_of(text));
}

void Svg::open(std::string_view style) { body_ += fmt::format("<g class=\"{}\">", style); }

void Svg::open(std::string_view style, const Meaning& meaning) {
  body_ += fmt::format("<g class=\"{}\"", style);
  if (meaning.line) body_ += fmt::format(" data-line=\"{}\"", *meaning.line);
  if (!meaning.group.empty()) body_ += fmt::format(" data-group=\"{}\"", escape(meaning.group));
  body_ += '>';
  if (!meaning.tip.empty()) body_ += fmt::format("<title>{}</title>", escape(meaning.tip));
}

void Svg::rect(double x, double y, double w, double h, std::string_view style, double round) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(x), coordinate(y),
                       coordinate(w), coordinate(h));
  if (round > 0) body_ += fmt::format(" rx=\"{}\"", coordinate(round));
  body_ += fmt::format(" class=\"{}\"/>", style);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ += fmt::format("<path d=\"M{} {}L{} {}\" class=\"{}\"/>", coordinate(x1), coordinate(y1),
                       coordinate(x2), coordinate(y2), style);
}

void Svg::circle(double x, double y, double r, std::string_view style) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>", coordinate(x), coordinate(y),
                       coordinate(r), style);
}

void Svg::path(std::string_view data, std::string_view style) {
  body_ += fmt::format("<path d=\"{}\" class=\"{}\"/>", data, style);
}

void Svg::text(double x, double y, std::string_view text, std::string_view style, Anchor anchor) {
  static constexpr std::string_view anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}", coordinate(x), coordinate(y),
                       anchors[static_cast<size_t>(anchor)]);
  if (!style.empty()) body_ += fmt::format(" class=\"{}\"", style);
  body_ += fmt::format(">{}</text>\n", escape(text));
}

void Svg::turned_text(double x, double y, double degrees, std::string_view text, std::string_view style) {
  body_ += fmt::format("<text transform=\"translate({} {}) rotate({})\" class=\"{}\">{}</text>\n",
                       coordinate(x), coordinate(y), coordinate(degrees), style, escape(text));
}

double Svg::chip(double x, double y, std::string_view label, std::string_view style) {
  double w = mono_width(label, 11) + 12;
  open(style);
  rect(x, y - 12, w, 17, "chip", 8.5);
  text(x + w / 2, y, label, "chip-text", Anchor::kMiddle);
  close();
  return w;
}

std::string Svg::element(std::string_view title, std::string_view description, std::string_view style) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">"
      "<title>{2}</title><desc>{3}</desc>{4}{5}{6}{7}</svg>",
      coordinate(width), coordinate(height), escape(title), escape(description),
      style.empty() ? "" : "<style>", style, style.empty() ? "" : "</style>", body_);
}

}  // namespace mlc::repl
