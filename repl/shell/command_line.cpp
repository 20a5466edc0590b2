// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "ir/core/error.h"
#include "repl/session/repl.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

struct Row {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  void (*options)(CLI::App& app, CommandLine& line);  // declares its arguments
  int (*run)(const CommandLine& line);
};

void file_argument(CLI::App& app, CommandLine& line) {
  app.add_option("FILE", line.file, "a program; `-` reads standard input")->required();
}
void module_option(CLI::App& app, CommandLine& line) {
  app.add_option("--module", line.module,
                 "the module, function or schedule of that name instead of the last one bound");
}

void rewrite_options(CLI::App& app, CommandLine& line) {
  app.add_option("FILE", line.paths,
                 "programs, or folders of them; `-` reads standard input and writes standard output")
      ->required();
  app.add_flag("--check", line.check, "write nothing; exit with 1 when a file would change");
  app.add_flag("--diff", line.diff, "write nothing; show what would change");
}

void target_option(CLI::App& app, CommandLine& line) {
  app.add_option(
      "--target", line.target,
      fmt::format("a name of `mlc targets`, or a JSON object (default {})", backend::default_target_kind()));
}
void lowering_options(CLI::App& app, CommandLine& line) {
  app.add_option("--schedule", line.schedule,
                 "auto: functions that nobody has scheduled, by the rules of mlc.schedule; or none")
      ->check(CLI::IsMember({"auto", "none"}));
  app.add_flag("--check-bounds", line.check_bounds,
               "compiled code stops at an index outside of its buffer, and names it");
  app.add_option("--pipeline", line.pipeline, "the passes: `default`, or what the program has registered");
}

constexpr std::array kRows = std::to_array<Row>({
    {"build", "compile the module that a program binds last",
     "mlc build matmul.mlc -o matmul.so --target x86-64-v3\n"
     "  mlc build matmul.mlc --emit package -o matmul",
     [](CLI::App& app, CommandLine& line) {
       auto* file = app.add_option("FILE", line.file, "a program; `-` reads standard input");
       app.add_option("-o,--output", line.out,
                      "the artefact; its ending chooses --emit when that is not given");
       target_option(app, line);
       module_option(app, line);
       app.add_option("--emit", line.emit, backend::artefact_help())
           ->check(CLI::IsMember(backend::artefact_names()));
       app.add_option(
           "--header", line.header,
           "the C header of the artefact, where it can have one (of an `a` beside it unless given); each "
           "function can then be called from C");
       app.add_option("--c-prefix", line.c_prefix, "what the functions' names in C begin with");
       app.add_option("--package-version", line.package_version,
                      "of --emit package, as 1.2 or 1.2.3 (default 0.1.0)");
       lowering_options(app, line);
       app.add_option("--debug-info", line.debug_info,
                      "lines: code names the lines it comes from, for debuggers and profilers; or none "
                      "(default lines, in text none)")
           ->check(CLI::IsMember({"lines", "none"}));
       app.add_flag("--no-cache", line.no_cache, "compile, whether or not the same was built before");
       app.add_option(
           "--dump", line.dump,
           "write the module after each pass, or after the passes named: `all`, `input,FlattenBuffer`");
       app.add_option("--dump-folder", line.dump_folder, "where (default stages)");
       auto* from = app.add_option("--from", line.from, "a file that --dump wrote: go on behind its pass");
       from->excludes(file);
     },
     run_build},
    {"run", "run a program; what follows FILE is its sys.argv", "mlc run matmul.mlc 1024",
     [](CLI::App& app, CommandLine& line) {
       app.add_flag("--check-bounds", line.check_bounds,
                    "what the program compiles stops at an index outside of its buffer, and names it");
       auto* map = app.add_flag("--perf-map", line.perf_map,
                                "tell Linux perf the names of compiled functions (/tmp/perf-PID.map)");
       app.add_flag("--perf-jitdump", line.perf_jitdump,
                    "tell Linux perf the functions and their lines (jit-PID.dump, for `perf inject --jit`)")
           ->excludes(map);
       file_argument(app, line);
     },
     run_run},
    {"print", "the module that a program binds last, as a complete program",
     "mlc print matmul.mlc --dialect classic",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       module_option(app, line);
       app.add_option("--dialect", line.dialect, "current or classic")
           ->check(CLI::IsMember({"current", "classic"}));
     },
     run_print},
    {"check", "all errors and warnings of a program; runs what an import would run",
     "mlc check matmul.mlc --json",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       app.add_flag("--json", line.json, "one JSON object per line");
       app.add_flag("--strict", line.strict, "warnings too make the exit code 1");
     },
     run_check},
    {"verify", "the verdict on each step of the schedules that a program makes, and on each pass it calls",
     "mlc verify matmul.mlc",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       app.add_flag("--json", line.json, "one JSON object per schedule and per row of passes");
     },
     run_verify},
    {"opt", "the module that a program binds last, after passes",
     "mlc opt matmul.mlc --passes 'LowerInitBlock, NarrowDataType(32)'",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       module_option(app, line);
       app.add_option("--passes", line.passes,
                      "names, with arguments where they take any; without it the default pipeline");
     },
     run_opt},
    {"bisect", "the first step of the lowering that changes what a program computes", "mlc bisect matmul.mlc",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       target_option(app, line);
       module_option(app, line);
       lowering_options(app, line);
     },
     run_bisect},
    {"fmt", "lay out the source of programs in one style", "mlc fmt --check matmul.mlc", rewrite_options,
     run_fmt},
    {"fix", "rewrite programs that use names of older versions", "mlc fix --diff old.mlc", rewrite_options,
     run_fix},
    {"test", "run golden programs and compare what they print", "mlc test --update tests/split.mlc",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("PATH", line.paths, "files (.mlc, .repl, .md) or folders")->required();
       app.add_flag("--update", line.update, "write what was printed into the files");
       app.add_flag("--quiet", line.quiet, "name only files that fail");
       app.add_option("-j,--jobs", line.jobs, "files at a time (default: one per processor)");
     },
     run_test},
    {"explain", "what a function, method, module, command or target is", "mlc explain Schedule.split",
     [](CLI::App& app, CommandLine& line) {
       auto* name = app.add_option("NAME", line.name, "of anything");
       auto* file = app.add_option("--schedule", line.schedule_file,
                                   "the steps that `mlc build` takes for a program, as a program");
       app.add_option("--target", line.target, "of --schedule")->needs(file);
       name->excludes(file);
       app.add_option("--report", line.report,
                      "NAME is a program: write a page of its steps, what each changed, and what is known of it")
           ->needs(name);
       app.require_option(1, 2);
     },
     run_explain},
    {"targets", "the targets that --target takes", "mlc targets", [](CLI::App&, CommandLine&) {},
     run_targets},
    {"repl", "an interactive session; so is `mlc` alone", "mlc repl",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("FILE", line.file, "a program that the session begins with");
     },
     [](const CommandLine& line) { return run_repl(line.file); }},
    {"jupyter", "the kernel of notebooks: `install` tells Jupyter of it, `kernel` is what Jupyter starts",
     "mlc jupyter install",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("ACTION", line.name, "install or kernel")
           ->required()
           ->check(CLI::IsMember({"install", "kernel"}));
       app.add_option("CONNECTION", line.paths, "kernel: the file in which a front end says how it is reached");
       auto* user = app.add_flag("--user", line.user, "install: for you alone, as without options");
       app.add_option("--prefix", line.prefix, "install: into DIR/share/jupyter, as /usr/local or sys.prefix of Python")
           ->excludes(user);
     },
     run_jupyter},
});

const Row* row_named(std::string_view name) {
  auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == name; });
  return row == kRows.end() ? nullptr : &*row;
}

std::string general_help() {
  std::string text =
      "mlc: TVM's language as one native program\n\n"
      "usage: mlc                    an interactive session\n"
      "       mlc FILE.mlc [args]    run a program\n"
      "       mlc -c TEXT [args]     run a program that stands here\n"
      "       mlc COMMAND ...\n\ncommands:\n";
  for (const Row& row : kRows) text += fmt::format("  {:<10} {}\n", row.name, row.summary);
  text +=
      "\n  --help     this text, or that of a command: mlc build --help\n"
      "  --version  the version\n\n"
      "exit codes: 0, 1 the program is wrong, 2 the call is wrong, 3 an internal error\n\nexamples:\n";
  for (const Row& row : kRows) text += fmt::format("  {}\n", row.example);
  return text;
}

bool looks_like_file(std::string_view word) {
  return word == "-" || word.find('.') != word.npos || word.find('/') != word.npos;
}

[[noreturn]] void unknown_command(std::string_view word) {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  std::string near = ir::did_you_mean(word, names);
  throw CallError{fmt::format("there is no command `{}`, and no program of that name ends in .mlc", word),
                  near.empty() ? "`mlc --help` lists the commands" : near};
}

[[noreturn]] void unknown_option(const CLI::App& app, const Row& row, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  bool option = word.starts_with('-');
  std::string near = option ? ir::did_you_mean(word.substr(0, word.find('=')), names) : "";
  throw CallError{
      fmt::format("`mlc {}` takes no {} `{}`", row.name, option ? "option" : "further argument", word),
      near.empty() ? fmt::format("`mlc {} --help` lists its options", row.name) : near};
}

}  // namespace

ir::Target target_of(const CommandLine& line) {
  try {
    return ir::parse_target(ir::Any(ir::String(line.target)));
  } catch (const ir::Error& error) {
    const ir::Diagnostic& first = error.first();
    bool braces = line.target.starts_with('{');
    throw CallError{first.message, !first.help.empty() || braces ? first.help : "`mlc targets` lists them"};
  }
}

CommandLine::CommandLine(int argc, char** argv) : typed(argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return;
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    help = general_help();
    return;
  }
  if (words[0] == "--version" || words[0] == "-V") {
    help = "mlc " MLC_VERSION "\n";
    return;
  }
  if (words[0] == "-c") {
    if (words.size() < 2) throw CallError{"`-c` is followed by the text of a program", ""};
    command = "run";
    file = "-c";
    text = words[1];
    arguments.assign(words.begin() + 2, words.end());
    return;
  }
  const Row* row = row_named(words[0]);
  if (row != nullptr) {
    words.erase(words.begin());
  } else if (looks_like_file(words[0])) {
    row = row_named("run");
  } else if (words[0].starts_with('-')) {
    throw CallError{fmt::format("there is no option `{}`", words[0]),
                    ir::did_you_mean(words[0], {"--help", "--version"})};
  } else {
    unknown_command(words[0]);
  }
  command = row->name;
  if (command == "run") {
    // Whatever follows FILE belongs to the program, options too.
    auto first = std::find_if(words.begin(), words.end(),
                              [](const std::string& w) { return w == "-" || !w.starts_with('-'); });
    if (first != words.end()) {
      arguments.assign(first + 1, words.end());
      words.erase(first + 1, words.end());
    }
  }

  CLI::App app(std::string(row->summary), "mlc " + command);
  app.footer(fmt::format("example:\n  {}", row->example));
  app.allow_extras();
  row->options(app, *this);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    help = app.help();
    return;
  } catch (const CLI::ParseError& error) {
    throw CallError{fmt::format("`mlc {}`: {}", command, error.what()),
                    fmt::format("`mlc {} --help` shows how it is called", command)};
  }
  if (!app.remaining().empty()) unknown_option(app, *row, app.remaining().front());
}

int CommandLine::run() {
  if (!help.empty()) {
    fmt::print("{}", help);
    return 0;
  }
  return row_named(command)->run(*this);
}

}  // namespace mlc::repl
