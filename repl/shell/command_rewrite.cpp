// SPDX-License-Identifier: Apache-2.0
// The commands that rewrite source text: fmt and fix.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.h"
#include "frontend/fix/fix.h"
#include "frontend/format/format.h"
#include "frontend/print/highlight.h"
#include "ir/core/error.h"
#include "ir/core/span.h"
#include "repl/session/line_diff.h"
#include "repl/shell/command_line.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

// What a command makes of one text.
struct Rewritten {
  std::string text;
  std::vector<std::string> changed;  // lines of the report, `LINE: old -> new`
  std::vector<std::string> left;     // what needs a human hand, `LINE: what: why`
};

struct RewriteCommand {
  std::string_view done;   // said of a file that was written
  std::string_view would;  // said of one that --check found
  Rewritten (*rewrite)(uint32_t file);
};

std::vector<std::string> program_files(const std::vector<std::string>& paths) {
  if (paths == std::vector<std::string>{"-"}) return paths;
  if (std::find(paths.begin(), paths.end(), "-") != paths.end())
    throw CallError{"`-` stands alone: standard input has one text", ""};
  std::vector<std::string> files = collect_files(paths);
  std::erase_if(files, [](const std::string& file) { return file.ends_with(".repl"); });
  return files;
}

// `text` is there where nothing was written, and something would change.
void print_json(const std::string& path, const std::string& before, const Rewritten& result, bool written) {
  nlohmann::ordered_json one{{"file", path},
                             {"differs", result.text != before},
                             {"written", written},
                             {"changes", result.changed},
                             {"left", result.left}};
  if (result.text != before && !written) one["text"] = result.text;
  print_event("file", one);
}

// 1 when a file could not be read, needs a human hand, or --check found something to do.
int rewrite_files(const CommandLine& line, const RewriteCommand& command) {
  bool failed = false;
  for (const std::string& path : program_files(line.paths)) {
    Rewritten result;
    uint32_t file = 0;
    try {
      file = read_source(path);
      result = command.rewrite(file);
    } catch (const ir::Error& error) {
      diagnostics::RenderOptions options;
      options.color = print::wants_colour(STDERR_FILENO);
      options.links = options.color && diagnostics::shows_links(STDERR_FILENO);
      if (line.json)
        fmt::print("{}", event_text(error.all()));
      else
        fmt::print(stderr, "{}\n", diagnostics::render_all(error.all(), options));
      failed = true;
      continue;
    }
    const std::string name = visible(ir::SourceMap::current().file(file).name);
    const std::string& before = ir::SourceMap::current().file(file).text;
    bool differs = result.text != before;
    if (line.json) {
      bool writes = !line.check && !line.diff && path != "-" && differs;
      if (writes) write_file(path, result.text);
      print_json(path, before, result, writes);
      failed = failed || !result.left.empty() || (line.check && differs);
      continue;
    }
    bool to_stdout = path == "-" && !line.check && !line.diff;
    FILE* report = to_stdout ? stderr : stdout;
    for (const std::string& one : result.changed) fmt::print(report, "{}:{}\n", name, one);
    for (const std::string& one : result.left) fmt::print(report, "{}:{}\n", name, one);
    failed = failed || !result.left.empty() || (line.check && differs);
    if (line.diff && differs) {
      std::string text = unified_diff(before, result.text, name);
      fmt::print("{}", print::wants_colour(1) ? colour_diff(text) : text);
    }
    if (to_stdout) {
      fmt::print("{}", result.text);
    } else if (line.check) {
      if (differs) fmt::print("{}: {}\n", name, command.would);
    } else if (!line.diff && differs) {
      write_file(path, result.text);
      fmt::print("{}: {}\n", name, command.done);
    }
  }
  return failed ? 1 : 0;
}

}  // namespace

int run_fmt(const CommandLine& line) {
  return rewrite_files(line, {"formatted", "would be formatted", [](uint32_t file) {
                                return Rewritten{format::format(file), {}, {}};
                              }});
}

int run_fix(const CommandLine& line) {
  return rewrite_files(
      line, {"fixed", "would be fixed", [](uint32_t file) {
               fix::Fixed fixed = fix::fix(file);
               Rewritten result{std::move(fixed.text), {}, {}};
               for (const fix::Change& change : fixed.changes) {
                 result.changed.push_back(
                     change.before.empty()
                         ? fmt::format("{}: added: {}", change.line, change.after)
                         : fmt::format("{}: {} -> {}", change.line, change.before, change.after));
               }
               for (const fix::Left& left : fixed.left)
                 result.left.push_back(fmt::format("{}: `{}` is left: {}", left.line, left.what, left.why));
               return result;
             }});
}

}  // namespace mlc::repl
