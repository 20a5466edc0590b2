// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/display.h"

#include <utility>

#include "frontend/print/highlight.h"
#include "repl/report/markup.h"
#include "repl/shell/report.h"

namespace mlc::repl::jupyter {

namespace {

// JupyterLab's variables, which follow its theme; others show the colours behind them.
std::string_view style_of(std::string_view piece) {
  char c = piece[0];
  if (c == '#') return "color: var(--jp-mirror-editor-comment-color, #3d7b7b)";
  if (c == '"' || c == '\'') return "color: var(--jp-mirror-editor-string-color, #ba2121)";
  if (c == '@') return "color: var(--jp-mirror-editor-meta-color, #7c2bd9)";
  if (c >= '0' && c <= '9') return "color: var(--jp-mirror-editor-number-color, #087f23)";
  return "color: var(--jp-mirror-editor-keyword-color, #008000); font-weight: bold";
}

struct Offer {
  const char* method;
  const char* type;
};
constexpr Offer kOffers[] = {{"_repr_html_", "text/html"},
                             {"_repr_svg_", "image/svg+xml"},
                             {"_repr_markdown_", "text/markdown"},
                             {"_repr_latex_", "text/latex"}};

}  // namespace

std::string html_of(std::string_view program) {
  // Front ends set what is in <pre> in the font of their text.
  std::string html =
      "<pre style=\"font-family: var(--jp-code-font-family, monospace); font-size: var(--jp-code-font-size, "
      "inherit); "
      "line-height: var(--jp-code-line-height, 1.3)\">";
  size_t shown = 0;
  for (const print::Piece& piece : print::highlighted(program)) {
    std::string_view text = program.substr(piece.begin, piece.end - piece.begin);
    html += escape(program.substr(shown, piece.begin - shown));
    html.append("<span style=\"").append(style_of(text)).append("\">");
    html += escape(text);
    html += "</span>";
    shown = piece.end;
  }
  html += escape(program.substr(shown));
  return html + "</pre>";
}

Json forms_of(Session& session, const ir::Any& value) {
  script::Evaluator& evaluator = session.evaluator();
  bool colour = std::exchange(session.options().colour, false);
  std::string text = session.text_of(value);
  session.options().colour = colour;
  if (text.ends_with('\n')) text.pop_back();
  Json forms = {{"text/plain", text}};
  bool is_nest = value.as<transform::Schedule>().has_value();
  if (!is_nest && module_in(evaluator, value)) forms["text/html"] = html_of(text);
  if (script::as<script::InstanceNode>(value) == nullptr) return forms;
  for (const Offer& offer : kOffers) {
    ir::Any method;
    if (!evaluator.find_attribute(value, std::string_view(offer.method), method)) continue;
    ir::Any form = evaluator.call(method, std::span<const ir::Any>());
    if (script::is_str(form)) forms[offer.type] = std::string(script::text_of(form));
  }
  return forms;
}

Json error_content(std::string name, std::string message, const std::string& report) {
  Json lines = Json::array();
  for (size_t begin = 0; begin < report.size();) {
    size_t end = std::min(report.find('\n', begin), report.size());
    lines.push_back(report.substr(begin, end - begin));
    begin = end + 1;
  }
  return {{"ename", std::move(name)}, {"evalue", std::move(message)}, {"traceback", std::move(lines)}};
}

Json current_error(Session& session, WaysOut ways) {
  bool colour = session.options().colour;
  try {
    throw;
  } catch (const ir::Error& error) {
    const ir::Diagnostic& first = error.first();
    if (first.kind == "KeyboardInterrupt")
      return error_content(first.kind, first.message, interrupt_report(error));
    std::string report = full_report(error, colour);
    if (ways == WaysOut::kTried) {
      session.find_ways_out(error);
      report += session.ways_out_text();
    }
    return error_content(first.kind, first.message, report);
  } catch (const CallError& error) {
    return error_content("UsageError", error.message, call_report(error, colour));
  } catch (const script::Evaluator::SystemExit& exit) {
    return error_content("SystemExit", std::to_string(exit.code),
                         fmt::format("SystemExit: {}\n`quit()` ends the kernel\n", exit.code));
  } catch (const std::bad_alloc&) {
    return error_content("MemoryError", "out of memory", "error: out of memory\n");
  } catch (const std::exception& error) {
    return error_content("InternalError", error.what(), internal_report(error.what(), ""));
  }
}

}  // namespace mlc::repl::jupyter
