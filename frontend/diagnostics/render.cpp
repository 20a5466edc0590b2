// SPDX-License-Identifier: Apache-2.0
#include "frontend/diagnostics/render.h"

#include "frontend/diagnostics/visible.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace mlc::diagnostics {
namespace {

constexpr size_t kTab = 4;  // columns; a tab is shown as spaces to the next multiple

// A code point and how wide a terminal shows it.
struct Glyph {
  size_t size;   // bytes
  size_t width;  // columns
};

Glyph glyph_at(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  uint32_t first = byte(0);
  if (first < 0x80) return {1, 1};
  size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {1, 1};  // not UTF-8: a replacement character stands for the byte
  }
  uint32_t c = size == 2 ? (first & 0x1F) << 6 | (byte(1) & 0x3F)
               : size == 3
                   ? (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F)
                   : (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  bool combining = (c >= 0x300 && c <= 0x36F) || (c >= 0x1AB0 && c <= 0x1AFF) ||
                   (c >= 0x20D0 && c <= 0x20FF) || (c >= 0x200B && c <= 0x200F) ||
                   (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF;
  bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF && c != 0x303F) ||
              (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) ||
              (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) ||
              (c >= 0x1F300 && c <= 0x1F64F) || (c >= 0x1F900 && c <= 0x1F9FF) ||
              (c >= 0x20000 && c <= 0x3FFFD);
  return {size, combining ? size_t{0} : wide ? size_t{2} : size_t{1}};
}

// One source line as shown, with the columns that its underline covers.
struct ShownLine {
  std::string text;
  size_t caret_begin = 0;
  size_t caret_end = 0;
};

// `begin` and `end` are byte offsets in `line`. Tabs become spaces, control characters and broken UTF-8
// become the replacement character, and a line wider than `width` is cut to a window around `begin`.
ShownLine show(std::string_view line, size_t begin, size_t end, size_t width) {
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  // A window on a huge line: what lies further away than this many bytes is never seen, so never measured.
  size_t reach = width * 4 + 16;
  size_t from = begin > reach ? begin - reach : 0;
  while (from > 0 && (static_cast<unsigned char>(line[from]) & 0xC0) == 0x80) --from;
  struct Cell {
    std::string text;
    size_t column;
    size_t width;
  };
  std::vector<Cell> cells;
  size_t column = 0;
  size_t caret_begin = 0;
  size_t caret_end = 0;
  size_t stop = std::min(line.size(), begin + reach);
  size_t at = from;
  while (at < stop) {
    if (at <= begin) caret_begin = column;
    Glyph glyph = glyph_at(line, at);
    auto c = static_cast<unsigned char>(line[at]);
    std::string text;
    size_t columns = glyph.width;
    if (c == '\t') {
      columns = kTab - column % kTab;
      text.assign(columns, ' ');
    } else if (c < 0x20 || c == 0x7F || (c >= 0x80 && glyph.size == 1)) {
      text = "\xEF\xBF\xBD";
      columns = 1;
    } else {
      text = line.substr(at, glyph.size);
    }
    cells.push_back({std::move(text), column, columns});
    column += columns;
    at += glyph.size;
    if (at <= end) caret_end = column;
  }
  if (begin >= at) caret_begin = column;
  if (end >= at) caret_end = column;
  caret_end = std::max(caret_end, caret_begin + 1);

  // The window [left, right) of columns.
  size_t left = 0;
  size_t right = column;
  if (column > width || from > 0 || stop < line.size()) {
    size_t lead = std::min<size_t>(caret_begin, width / 3);
    left = caret_begin + width / 2 > width || from > 0 ? caret_begin - lead : 0;
    right = left + width;
  }
  ShownLine shown;
  bool cut_left = left > 0 || from > 0;
  bool cut_right = right < column || stop < line.size();
  if (cut_left) shown.text += "…";
  size_t offset = cut_left ? 1 : 0;
  for (const Cell& cell : cells) {
    if (cell.column >= left && cell.column + cell.width <= right) shown.text += cell.text;
  }
  if (cut_right) shown.text += "…";
  while (!cut_right && shown.text.ends_with(' ')) shown.text.pop_back();
  shown.caret_begin = caret_begin - left + offset;
  shown.caret_end = std::min(caret_end, right) - left + offset;
  shown.caret_end = std::max(shown.caret_end, shown.caret_begin + 1);
  return shown;
}

class Renderer {
 public:
  explicit Renderer(const RenderOptions& options) : options_(options) {}

  std::string run(const ir::Diagnostic& diagnostic) {
    bool error = diagnostic.severity == ir::Diagnostic::Severity::kError;
    gutter_ = digits(diagnostic);
    std::string label = error ? "error" : "warning";
    if (!diagnostic.name.empty()) label += "[" + diagnostic.name + "]";
    std::string_view tint = error ? kRed : kYellow;
    out_ += paint(label, tint);
    out_ += paint(": " + visible(diagnostic.message), kBold);
    out_ += '\n';
    place(diagnostic.span, tint);
    for (const ir::Note& note : ir::all_notes(diagnostic)) {
      out_ += paint("note", kCyan) + ": " + visible(note.message) + '\n';
      place(note.span, kCyan);
    }
    if (!diagnostic.help.empty())
      out_ += paint("help", kGreen) + ": " + indented(visible(diagnostic.help)) + '\n';
    return std::move(out_);
  }

 private:
  static constexpr std::string_view kRed = "\033[1;31m";
  static constexpr std::string_view kYellow = "\033[1;33m";
  static constexpr std::string_view kCyan = "\033[1;36m";
  static constexpr std::string_view kGreen = "\033[1;32m";
  static constexpr std::string_view kBlue = "\033[1;34m";
  static constexpr std::string_view kBold = "\033[1m";

  std::string paint(std::string_view text, std::string_view tint) const {
    return options_.color ? fmt::format("{}{}\033[0m", tint, text) : std::string(text);
  }

  static uint32_t line_of(ir::Span span) {
    return span ? ir::SourceMap::current().position(span.file, span.begin).line : 0;
  }

  // The width of the widest line number, so that all places of a diagnostic are aligned.
  static size_t digits(const ir::Diagnostic& diagnostic) {
    uint32_t last = line_of(diagnostic.span);
    for (const ir::Note& note : ir::all_notes(diagnostic)) last = std::max(last, line_of(note.span));
    return std::to_string(last).size();
  }

  // The further lines of a help that is an example stand under its first.
  static std::string indented(const std::string& text) {
    std::string out;
    for (char c : text) {
      out += c;
      if (c == '\n') out += "      ";
    }
    return out;
  }

  // "file.mlc:12:14", a link to the file where that is one.
  std::string linked(ir::Span span) const {
    const auto& map = ir::SourceMap::current();
    std::string text = visible(map.describe(span));
    std::error_code failed;
    std::filesystem::path path = map.file(span.file).name;
    if (!options_.links || !std::filesystem::is_regular_file(path, failed)) return text;
    path = std::filesystem::absolute(path, failed).lexically_normal();
    if (failed) return text;
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return fmt::format("\033]8;;file://{}{}\033\\{}\033]8;;\033\\", in_address(host.data()),
                       in_address(path.string()), text);
  }
  // Bytes that have a meaning in an address, or none in ASCII, are written as %20.
  static std::string in_address(std::string_view path) {
    constexpr std::string_view kPlain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@,=";
    std::string address;
    for (char c : path) {
      if (kPlain.find(c) != kPlain.npos)
        address += c;
      else
        address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return address;
  }

  void place(ir::Span span, std::string_view tint) {
    if (!span) return;
    const auto& map = ir::SourceMap::current();
    std::string margin(gutter_, ' ');
    out_ += fmt::format("{}{} {}\n", margin, paint("-->", kBlue), linked(span));
    if (!options_.source) return;
    const ir::SourceFile& file = map.file(span.file);
    uint32_t line = line_of(span);
    std::string_view text = file.line(line);
    size_t start = file.lines[line - 1];
    ShownLine shown = show(text, span.begin - start, span.end - start, options_.width);
    out_ += fmt::format("{} {}\n", margin, paint("|", kBlue));
    out_ += fmt::format("{}{}\n", paint(fmt::format("{:>{}} |", line, gutter_), kBlue),
                        shown.text.empty() ? "" : " " + shown.text);
    out_ += fmt::format("{} {} {}{}\n", margin, paint("|", kBlue), std::string(shown.caret_begin, ' '),
                        paint(std::string(shown.caret_end - shown.caret_begin, '^'), tint));
  }

  const RenderOptions& options_;
  std::string out_;
  size_t gutter_ = 1;
};

nlohmann::ordered_json json_of(ir::Span span) {
  if (!span) return nullptr;
  const auto& map = ir::SourceMap::current();
  ir::Position begin = map.position(span.file, span.begin);
  ir::Position end = map.position(span.file, span.end);
  return {{"file", map.file(span.file).name},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

}  // namespace

bool shows_links(int descriptor) {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  std::string_view forced = variable("FORCE_HYPERLINK");
  if (!forced.empty()) return forced != "0";
  if (isatty(descriptor) == 0) return false;
  // Of GNOME's terminals by version: older ones print the address.
  if (std::string_view vte = variable("VTE_VERSION"); !vte.empty()) return vte.size() >= 4 && vte >= "5000";
  constexpr std::array kPrograms =
      std::to_array<std::string_view>({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"});
  constexpr std::array kTerms = std::to_array<std::string_view>(
      {"xterm-kitty", "alacritty", "foot", "foot-extra", "xterm-ghostty", "wezterm", "contour"});
  constexpr std::array kMarks = std::to_array<const char*>(
      {"KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "TERMINOLOGY"});
  // A multiplexer shows what it knows; tmux and screen leave links out unless they are told to.
  if (!variable("TMUX").empty() || !variable("STY").empty()) return false;
  return std::ranges::find(kPrograms, variable("TERM_PROGRAM")) != kPrograms.end() ||
         std::ranges::find(kTerms, variable("TERM")) != kTerms.end() ||
         std::ranges::any_of(kMarks, [&](const char* name) { return !variable(name).empty(); });
}

std::string render(const ir::Diagnostic& diagnostic, const RenderOptions& options) {
  return Renderer(options).run(diagnostic);
}

std::string render_all(const std::vector<ir::Diagnostic>& diagnostics, const RenderOptions& options) {
  std::string out;
  size_t shown = std::min(diagnostics.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) out += '\n';
    out += render(diagnostics[i], options);
  }
  if (shown < diagnostics.size()) out += fmt::format("\nand {} more\n", diagnostics.size() - shown);
  if (diagnostics.size() > 1) out += fmt::format("\n{}\n", count_of(diagnostics));
  return out;
}

std::string count_of(const std::vector<ir::Diagnostic>& diagnostics) {
  auto errors = static_cast<size_t>(std::count_if(
      diagnostics.begin(), diagnostics.end(),
      [](const ir::Diagnostic& one) { return one.severity == ir::Diagnostic::Severity::kError; }));
  auto counted = [](size_t n, std::string_view what) {
    return n == 0 ? "" : fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string warnings = counted(diagnostics.size() - errors, "warning");
  std::string both = counted(errors, "error");
  return both + (both.empty() || warnings.empty() ? "" : ", ") + warnings;
}

std::string to_json(const ir::Diagnostic& diagnostic) {
  nlohmann::ordered_json notes = nlohmann::ordered_json::array();
  for (const ir::Note& note : ir::all_notes(diagnostic)) {
    notes.push_back({{"message", note.message}, {"span", json_of(note.span)}});
  }
  nlohmann::ordered_json json = {
      {"severity", diagnostic.severity == ir::Diagnostic::Severity::kError ? "error" : "warning"},
      {"name", diagnostic.name},
      {"kind", diagnostic.kind},
      {"message", diagnostic.message},
      {"span", json_of(diagnostic.span)},
      {"notes", std::move(notes)},
      {"help", diagnostic.help}};
  // A message may quote bytes that are no UTF-8.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_json(const std::vector<ir::Diagnostic>& diagnostics) {
  std::string out;
  for (const ir::Diagnostic& diagnostic : diagnostics) out += to_json(diagnostic) + '\n';
  return out;
}

}  // namespace mlc::diagnostics
