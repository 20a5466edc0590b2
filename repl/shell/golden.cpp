// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/golden.h"

#include <algorithm>

#include "frontend/syntax/parse.h"
#include "ir/core/refusal.h"
#include "repl/session/line_diff.h"
#include "repl/session/repl.h"
#include "repl/shell/golden_checks.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/report.h"

namespace mlc::repl {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "stale-expectation",
         .message = "the program has errors only in the lines that say what it must show"},
    }};
MLC_REFUSALS(shell_golden, refusals);

namespace {

bool is_expectation(std::string_view line) {
  size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return false;
  line = line.substr(begin);
  return line.starts_with("#|") || line.starts_with("#!");
}

void append_marked(std::string& out, std::string_view mark, std::string_view text) {
  for (const std::string& line : lines_of(text)) {
    out.append(mark);
    if (!line.empty()) out.append(" ").append(line);
    out += '\n';
  }
}

// What each line of the source is followed by in the updated file; index 0 is before the first line.
using Shown = std::vector<std::string>;

// The errors of the text with empty lines for expectations, which a string that is never closed would
// swallow.
ir::Error syntax_errors_without_expectations(const std::string& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (is_expectation(line) ? "" : line) + "\n";
  try {
    syntax::parse_file(ir::SourceMap::current().add(path, text));
  } catch (const ir::Error& error) {
    return error;
  }
  return ir::refuse(refusals["stale-expectation"]);
}

Shown show_syntax_errors(const ir::Error& error, size_t line_count) {
  Shown shown(line_count + 1);
  for (const ir::Diagnostic& diagnostic : error.all()) {
    size_t line = diagnostic.span
                      ? ir::SourceMap::current().position(diagnostic.span.file, diagnostic.span.begin).line
                      : line_count;
    append_marked(shown[std::min(line, line_count)], "#!", compact_report(diagnostic));
  }
  return shown;
}

void run_chunk(script::Evaluator& evaluator, const std::shared_ptr<const syntax::Tree>& tree,
               const Chunk& chunk, std::string& shown, GoldenChecks& checks) {
  std::string printed;
  evaluator.out = [&](std::string_view text) { printed += text; };
  std::string failure;
  evaluator.warn = [&](const ir::Diagnostic& warning) { failure += compact_report(warning); };
  try {
    transform::PassNotes notes(&checks.passes);
    run_chunk_of(evaluator, tree, chunk);
  } catch (const ir::Error& error) {
    failure += compact_report(error);
  }
  evaluator.warn = [](const ir::Diagnostic&) {};  // checks read the program again
  append_marked(shown, "#|", printed);
  append_marked(shown, "#!", failure);
  checks.after_statement(printed);
}

}  // namespace

void GoldenOutcome::add(const GoldenOutcome& part) {
  failures.insert(failures.end(), part.failures.begin(), part.failures.end());
  checks += part.checks;
  compared += part.compared;
  for (const auto& [reason, count] : part.not_run) not_run[reason] += count;
}

GoldenOutcome run_golden_program(const std::string& path, const std::string& text) {
  GoldenOutcome outcome;
  std::vector<std::string> lines = lines_of(text);
  uint32_t file = ir::SourceMap::current().add(path, text);
  Shown shown(lines.size() + 1);
  std::shared_ptr<const syntax::Tree> tree;
  try {
    tree = syntax::parse_file(file);
  } catch (const ir::Error&) {
    shown = show_syntax_errors(syntax_errors_without_expectations(path, lines), lines.size());
  }
  std::vector<Chunk> chunks;
  if (tree) {
    chunks = chunks_of(tree->module);
    Interpreter evaluator;
    evaluator.argv = {path};
    GoldenChecks checks(evaluator, text, outcome);
    try {
      for (const Chunk& chunk : chunks) run_chunk(evaluator, tree, chunk, shown[chunk.last_line], checks);
    } catch (const script::Evaluator::SystemExit&) {
      // The program ends itself here, as it may.
    }
    checks.at_end();
  }
  // Expectations stand between statements only: `#|` inside one is its own comment or string.
  size_t chunk = 0;
  outcome.updated = shown[0];
  for (size_t line = 1; line <= lines.size(); ++line) {
    while (chunk < chunks.size() && chunks[chunk].last_line < line) ++chunk;
    bool inside = false;
    if (chunk < chunks.size()) {
      // Between the end of one chunk and the first line of the next that is code, all lines are comments.
      size_t code = chunks[chunk].first_line;
      while (code < chunks[chunk].last_line) {
        size_t begin = lines[code - 1].find_first_not_of(" \t");
        if (begin != std::string::npos && lines[code - 1][begin] != '#') break;
        ++code;
      }
      inside = line >= code;
    }
    if (inside || !is_expectation(lines[line - 1])) outcome.updated += lines[line - 1] + "\n";
    outcome.updated += shown[line];
  }
  return outcome;
}

GoldenOutcome run_golden_markdown(const std::string& path, const std::string& text) {
  GoldenOutcome outcome;
  std::string block;
  bool inside = false;
  bool program = false;
  for (const std::string& line : lines_of(text)) {
    bool fence = line.starts_with("```");
    if (fence && !inside) {
      inside = true;
      program = line.starts_with("```python") || line.starts_with("```mlc");
      block.clear();
      outcome.updated += line + "\n";
    } else if (fence) {
      if (program) {
        GoldenOutcome part = run_golden_program(path, block);
        outcome.updated += part.updated;
        outcome.add(part);
        ++outcome.checks;
      }
      inside = program = false;
      outcome.updated += line + "\n";
    } else if (program) {
      block += line + "\n";
    } else {
      outcome.updated += line + "\n";
    }
  }
  outcome.updated += block.empty() || !inside ? "" : block;
  return outcome;
}

GoldenOutcome run_golden_transcript(const std::string& text) {
  GoldenOutcome outcome;
  SessionOptions options;
  options.compact_errors = true;
  options.out = [&](std::string_view shown) { outcome.updated += shown; };
  Session session(std::move(options));
  InputCollector inputs(true);
  auto run = [&](const std::string& input) {
    session.run(input);
    if (!outcome.updated.empty() && outcome.updated.back() != '\n') outcome.updated += '\n';
    ++outcome.checks;
  };
  bool begun = false;
  for (const std::string& line : lines_of(text)) {
    bool first = line.starts_with(">>>");
    bool more = line.starts_with("...") && begun;
    if (!first && !more) {
      // Lines before the first input are the file's own comments; later ones are what was shown.
      if (!begun) outcome.updated += line + "\n";
      continue;
    }
    begun = true;
    if (first && inputs.pending()) inputs.finish(run);
    if (session.ended()) break;
    outcome.updated += line + "\n";
    inputs.add(line.size() > 4 ? line.substr(4) : "", run);
  }
  inputs.finish(run);
  return outcome;
}

}  // namespace mlc::repl
