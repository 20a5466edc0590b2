// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "backend/backend.h"
#include "frontend/print/highlight.h"
#include "ir/core/error.h"
#include "repl/lsp/lsp.h"
#include "repl/session/events.h"
#include "repl/session/repl.h"
#include "repl/shell/command_rows.h"
#include "repl/shell/models.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

void file_argument(CLI::App& app, CommandLine& line) {
  app.add_option("FILE", line.file, "a program; `-` reads standard input")->required();
}
void module_option(CLI::App& app, CommandLine& line) {
  app.add_option("--module", line.module,
                 "the module, function or schedule of that name instead of the last one bound");
}

void json_option(CLI::App& app, CommandLine& line, const char* what) {
  app.add_flag("--json", line.json, what);
}

void simulate_option(CLI::App& app, CommandLine& line) {
  app.add_flag("--simulate", line.simulate,
               "GPUs are simulated: kernels run thread by thread, and what is wrong with them is an error");
}

void rewrite_options(CLI::App& app, CommandLine& line) {
  app.add_option("FILE", line.paths,
                 "programs, or folders of them; `-` reads standard input and writes standard output")
      ->required();
  app.add_flag("--check", line.check, "write nothing; exit with 1 when a file would change");
  app.add_flag("--diff", line.diff, "write nothing; show what would change");
  json_option(app, line, "one JSON object per file: what changes, and what is left for a human hand");
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

void dispatch_option(CLI::App& app, CommandLine& line, const char* more = "") {
  app.add_option("--dispatch", line.dispatch,
                 fmt::format("of a graph: the library that computes its products and convolutions: openblas or onednn; or "
                             "which computes what, as matmul=openblas,conv2d=onednn,lv3=mlc (an operator or a variable of "
                             "the graph){}",
                             more));
}

void value_option(CLI::App& app, CommandLine& line) {
  app.add_option("--value", line.values,
                 "of an ONNX model: an input that always has this value, as rate=16000")
      ->allow_extra_args(false);
}

// What a model takes.
void input_options(CLI::App& app, CommandLine& line) {
  app.add_option("--input", line.inputs, "of a model: an input from a file, as x=cat.npy; others are random")
      ->allow_extra_args(false);
  app.add_option("--dim", line.dims, "of a model: a symbolic dimension, as batch=4; others are 1")
      ->allow_extra_args(false);
  value_option(app, line);
  app.add_option("--seed", line.seed, "of random inputs (default 0)");
  app.add_option("--threads", line.threads, "that parallel loops use (default: one per processor)");
}

constexpr std::array kRows = std::to_array<Row>({
    {"build", "compile the module that a program binds last",
     "mlc build matmul.mlc -o matmul.so --target x86-64-v3\n"
     "  mlc build matmul.mlc --emit package -o matmul\n"
     "  mlc build mlp.mlc --weights mlp.safetensors --dim n=1 -o libmlp.a",
     [](CLI::App& app, CommandLine& line) {
       auto* file = app.add_option("FILE", line.file,
                                   "a program, `-` reads standard input; or a model: .onnx, .pt2 of `torch.export.save`, or .gguf of llama.cpp");
       app.add_option("-o,--output", line.out,
                      "the artefact; its ending chooses --emit when that is not given. `-` is standard output");
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
       app.add_option("--weights", line.weights,
                      "of a graph: parameters become constants, bound by name to the tensors of this file (safetensors, .npz, "
                      "GGUF, ...)");
       app.add_option("--weights-file", line.weights_file,
                      "of a graph without the virtual machine: its constants go to this .safetensors file, which the artefact "
                      "reads from the same place relative to its own folder; without it they are in the artefact");
       app.add_option("--dim", line.dims, "of a graph: a symbolic dimension that is a number, as batch=4")
           ->allow_extra_args(false);
       dispatch_option(app, line);
       value_option(app, line);
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
       json_option(app, line, "one JSON object: the files written, what is in them, times");
       auto* from = app.add_option("--from", line.from, "a file that --dump wrote: go on behind its pass");
       from->excludes(file);
     },
     run_build},
    {"run", "run a program, or a model; what follows a program is its sys.argv",
     "mlc run matmul.mlc 1024\n"
     "  mlc run resnet.onnx --input x=cat.npy --output results",
     [](CLI::App& app, CommandLine& line) {
       app.add_flag("--read-only", line.sandbox.read_only,
                    "the program can write, make and remove no file (the kernel refuses it)");
       app.add_flag("--no-network", line.sandbox.no_network, "the program can open no socket");
       app.add_flag("--no-run", line.sandbox.no_run,
                    "the program can start no other program, and touch no other process");
       app.add_flag("--check-bounds", line.check_bounds,
                    "what the program compiles stops at an index outside of its buffer, and names it");
       simulate_option(app, line);
       auto* map = app.add_flag("--perf-map", line.perf_map,
                                "tell Linux perf the names of compiled functions (/tmp/perf-PID.map)");
       app.add_flag("--perf-jitdump", line.perf_jitdump,
                    "tell Linux perf the functions and their lines (jit-PID.dump, for `perf inject --jit`)")
           ->excludes(map);
       json_option(app, line, "what is written, errors and the end, one JSON object each");
       input_options(app, line);
       dispatch_option(app, line);
       app.add_option("--output", line.out, "of a model: the folder in which each output becomes a file NAME.npy");
       app.add_option("--function", line.name, "of a library: the graph that runs (default main)");
       app.add_option("FILE", line.file,
                      "a program, `-` reads standard input; or a model: .onnx, .pt2 of `torch.export.save`, or .so, which `mlc build` made of a graph")
           ->required();
     },
     run_run},
    {"print", "the module that a program binds last, as a complete program",
     "mlc print matmul.mlc --dialect classic",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       module_option(app, line);
       app.add_option("--dialect", line.dialect, "current or classic")
           ->check(CLI::IsMember({"current", "classic"}));
       json_option(app, line, "one JSON object: the module's name, its functions, the text");
     },
     run_print},
    {"import", "a model file as a program: its graph as text, its weights in a file beside it",
     "mlc import resnet.onnx -o resnet.mlc --weights resnet.npz",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("FILE", line.file, "a model: .onnx, .pt2 of `torch.export.save`, or .gguf of llama.cpp")->required();
       app.add_option("-o,--output", line.out, "the program (default: standard output)");
       app.add_option("--weights", line.weights,
                      "weights become parameters and go to this .npz or .safetensors file; without it they "
                      "are constants in the text");
       app.add_option("--shape", line.shapes, "of an input, as x=1x3x224x224, instead of what the file says")
           ->allow_extra_args(false);
       value_option(app, line);
       app.add_option("--opset", line.opset, "read the operators as those of this version");
       json_option(app, line, "one JSON object: the functions, the file written, or the text");
     },
     run_import},
    {"check", "the errors and warnings of a program that can be known without running it",
     "mlc check matmul.mlc --json",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       app.add_flag("--run", line.run_it, "run what an import would run, and report its errors as well");
       json_option(app, line, "one JSON object per line");
       app.add_flag("--strict", line.strict, "warnings too make the exit code 1");
     },
     run_check},
    {"verify", "the verdict on each step of the schedules that a program makes, and on each pass it calls",
     "mlc verify matmul.mlc",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       app.add_flag("--main", line.main_part, "run what stands under `if __name__ == \"__main__\"` as well");
       json_option(app, line, "one JSON object per schedule and per row of passes");
     },
     run_verify},
    {"bench", "how long the functions of a program or a model take, beside each other and beside an earlier time",
     "mlc bench matmul.mlc\n"
     "  mlc bench resnet.onnx --threads 2 --by-op\n"
     "  mlc bench matmul.mlc MyModule sch --size n=1024 --save before.json",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("FILE", line.file, "a program, `-` reads standard input; or a model: .onnx, or .pt2 of `torch.export.save`")->required();
       app.add_option("NAME", line.paths,
                      "modules, functions or schedules that are compared instead of the last one bound");
       app.add_option("--function", line.name, "one function of them (default: all)");
       app.add_option("--size", line.sizes, "a symbolic dimension or integer parameter, as n=1024")->allow_extra_args(false);
       line.schedule = "";
       app.add_option("--schedule", line.schedule,
                      "none: functions as the program leaves them; or auto, as `mlc build` schedules them (default: none, "
                      "and auto for graphs)")
           ->check(CLI::IsMember({"auto", "none"}));
       app.add_option("--budget", line.budget, "seconds of measuring for each function (default 1)")
           ->check([](const std::string& text) {
             return std::strtod(text.c_str(), nullptr) > 0 ? "" : fmt::format("`{}` is no number of seconds", text);
           });
       input_options(app, line);
       dispatch_option(app, line, "; measured beside the code without it");
       app.add_option("--weights", line.weights, "of a graph: parameters bound by name to the tensors of this file");
       app.add_flag("--by-op", line.by_op, "of a graph: the functions that it calls, and the operators they came from");
       json_option(app, line, "one JSON object, with every sample");
       app.add_option("--save", line.save, "write that object, as a baseline, to this file");
       app.add_option("--against", line.against, "a baseline: exit with 1 when a function has become slower");
       app.add_option("--tolerance", line.tolerance, "per cent that --against lets pass (default 5)")
           ->check([](const std::string& text) {
             return std::strtod(text.c_str(), nullptr) >= 0 ? "" : fmt::format("`{}` is less than nothing", text);
           });
     },
     run_bench},
    {"opt", "the module that a program binds last, after passes",
     "mlc opt matmul.mlc --passes 'LowerInitBlock, NarrowDataType(32)'",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       module_option(app, line);
       app.add_option("--passes", line.passes,
                      "names, with arguments where they take any; without it the default pipeline");
       json_option(app, line, "one JSON object: the module's name, its functions, the text");
     },
     run_opt},
    {"bisect", "the first step of the lowering that changes what a program computes", "mlc bisect matmul.mlc",
     [](CLI::App& app, CommandLine& line) {
       file_argument(app, line);
       target_option(app, line);
       module_option(app, line);
       lowering_options(app, line);
       json_option(app, line, "one JSON object per step, and one with the result");
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
       json_option(app, line, "one JSON object per file, and one with the sum");
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
       auto* fusion = app.add_option("--fusion", line.fusion_file,
                                     "why the calls of the graph of a program or a model are fused or not; NAME is a graph or a call of it");
       app.add_option("--memory", line.memory_file,
                      "which tensors of the graph of a program or a model share memory, how much a run holds, and why; NAME is a graph or a tensor of it")
           ->excludes(fusion)
           ->excludes(file);
       fusion->excludes(file);
       app.add_option("--dim", line.dims, "of --fusion and --memory: a symbolic dimension that is a number, as batch=4")
           ->allow_extra_args(false);
       dispatch_option(app, line, "; for --fusion and --memory");
       value_option(app, line);
       auto* gpu = app.add_option("--gpu", line.gpu_file,
                                  "what the kernels of a program cost on a GPU, by its numbers: requests, bank conflicts, a roofline; NAME is a function of it")
                       ->excludes(fusion)
                       ->excludes(file);
       app.add_option("--on", line.gpu, "of --gpu: the GPU, as nvidia-a100 (nvidia-h100)")->needs(gpu);
       module_option(app, line);
       app.add_option("--report", line.report,
                      "NAME is a program: write a page of its steps, what each changed, and what is known of it")
           ->needs(name);
       json_option(app, line, "one JSON object");
     },
     run_explain},
    {"targets", "the targets that --target takes", "mlc targets",
     [](CLI::App& app, CommandLine& line) { json_option(app, line, "one JSON object per target"); },
     run_targets},
    {"help", "what the commands do, and what each takes", "mlc help build",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("COMMAND", line.name, "one of them");
       app.add_flag("--man", line.man, "as a page for man: `mlc help --man | man -l -`");
     },
     run_help},
    {"completion", "a script with which a shell completes these commands, by Tab",
     "mlc completion bash > ~/.local/share/bash-completion/completions/mlc",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("SHELL", line.name, "bash, zsh or fish")
           ->required()
           ->check(CLI::IsMember({"bash", "zsh", "fish"}));
     },
     [](const CommandLine& line) {
       fmt::print("{}", completion_script(line.name));
       return 0;
     }},
    {"lsp", "a language server for editors, on standard input and output", "mlc lsp",
     [](CLI::App& app, CommandLine&) { app.add_flag("--stdio")->description("as editors ask for it; there is no other way"); },
     [](const CommandLine&) { return lsp::run_server(); }},
    {"repl", "an interactive session; so is `mlc` alone", "mlc repl",
     [](CLI::App& app, CommandLine& line) {
       app.add_option("FILE", line.file, "a program that the session begins with");
       app.add_flag("--plain", line.plain, "lines without editing, colours and pages: for screen readers");
       app.add_flag("--json", line.json, "requests and events, a JSON object a line: for other programs");
       simulate_option(app, line);
     },
     [](const CommandLine& line) {
       if (line.simulate) backend::simulate_gpus(backend::Simulate::kAll);
       return line.json ? run_events(line.file) : run_repl(line.file, line.plain);
     }},
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
  if (word == "-c") near = "`mlc -c TEXT` runs a program that stands on the command line";
  throw CallError{
      fmt::format("`mlc {}` takes no {} `{}`", row.name, option ? "option" : "further argument", word),
      near.empty() ? fmt::format("`mlc {} --help` lists its options", row.name) : near};
}

// What every command takes, and what can also stand before it.
void declare(const Row& row, CLI::App& app, CommandLine& line) {
  app.footer(fmt::format("example:\n  {}", row.example));
  app.allow_extras();
  row.options(app, line);
  app.add_option("--color", line.colour, "colours in what is shown: auto (on a terminal, without NO_COLOR)")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

// "so, a or obj" of "TEXT:{so,a,obj}".
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == type.npos || end == type.npos) return choices;
  for (size_t at = begin + 1; at < end;) {
    size_t comma = std::min(type.find(',', at), end);
    choices.push_back(type.substr(at, comma - at));
    at = comma + 1;
  }
  return choices;
}

// Where FILE stands in the words of `mlc run`: behind its options.
std::vector<std::string>::iterator file_of_run(const CLI::App& app, std::vector<std::string>& words) {
  auto takes_next = [&](const std::string& word) {
    const CLI::Option* option = word.find('=') == word.npos ? app.get_option_no_throw(word) : nullptr;
    return option != nullptr && option->get_items_expected_max() > 0;
  };
  auto at = words.begin();
  while (at != words.end() && at->starts_with('-') && *at != "-") {
    if (*at == "--") {
      at = words.erase(at);
      break;
    }
    at += takes_next(*at) && at + 1 != words.end() ? 2 : 1;
  }
  return at;
}

}  // namespace

std::span<const Row> command_rows() { return kRows; }
const Row* row_named(std::string_view name) {
  auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == name; });
  return row == kRows.end() ? nullptr : &*row;
}

std::vector<ArgumentText> arguments_of(const Row& row) {
  CommandLine line;
  CLI::App app;
  declare(row, app, line);
  std::vector<ArgumentText> all;
  for (const CLI::Option* option : app.get_options()) {
    ArgumentText text;
    text.positional = option->get_positional();
    if (text.positional) text.names.push_back(option->get_name());
    for (const std::string& name : option->get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) text.names.push_back("--" + name);
    text.required = option->get_required();
    text.many = option->get_items_expected_max() > 1;
    text.is_flag = option->get_items_expected_max() == 0;
    text.choices = choices_in(option->get_type_name());
    text.what = option->get_description();
    if (option->check_lname("help")) text.what = "this text";
    all.push_back(std::move(text));
  }
  return all;
}

std::string help_of(const Row& row) {
  CommandLine line;
  CLI::App app(std::string(row.summary), "mlc " + std::string(row.name));
  declare(row, app, line);
  return app.help();
}

ir::Target target_of(const CommandLine& line) {
  try {
    return ir::parse_target(ir::Any(ir::String(line.target)));
  } catch (const ir::Error& error) {
    const ir::Diagnostic& first = error.first();
    bool braces = line.target.starts_with('{');
    throw CallError{first.message, !first.help.empty() || braces ? first.help : "`mlc targets` lists them"};
  }
}

bool asks_for_json(int argc, char** argv) {
  bool runs = argc > 1 && row_named(argv[1]) == nullptr;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    runs = runs || word == "run";
    if (word == "--json") return true;
    if (word == "--" || (runs && word != "run" && !word.starts_with('-'))) return false;
  }
  return false;
}

CommandLine::CommandLine(int argc, char** argv) : typed(argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  while (!words.empty() && words[0].starts_with("--color")) {
    bool apart = words[0] == "--color";
    if (!apart && words[0].size() > 7 && words[0][7] != '=') break;
    if (apart && words.size() < 2) throw CallError{"`--color` is followed by auto, always or never", ""};
    colour = apart ? words[1] : words[0].substr(8);
    words.erase(words.begin(), words.begin() + (apart ? 2 : 1));
    choose_colour();
  }
  if (words.empty()) return;
  if (words[0] == "--help" || words[0] == "-h") {
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
  } else if (looks_like_file(words[0]) || (words[0] == "--" && words.size() > 1)) {
    row = row_named("run");
  } else if (words[0].starts_with('-')) {
    throw CallError{fmt::format("there is no option `{}`", words[0]),
                    ir::did_you_mean(words[0], {"--help", "--version", "--color"})};
  } else {
    unknown_command(words[0]);
  }
  command = row->name;
  CLI::App app(std::string(row->summary), "mlc " + command);
  declare(*row, app, *this);
  if (command == "run") {
    // Whatever follows a program belongs to it, options too.
    auto first = file_of_run(app, words);
    if (first != words.end() && !is_model_file(*first)) {
      arguments.assign(first + 1, words.end());
      words.erase(first + 1, words.end());
      words.insert(words.end() - 1, "--");  // its name may begin like an option
    }
  }

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
  std::vector<std::string> left = app.remaining();
  std::erase(left, "--");  // what follows it has its position
  if (!left.empty()) unknown_option(app, *row, left.front());
  choose_colour();
}

void CommandLine::choose_colour() const {
  constexpr std::string_view names[] = {"auto", "always", "never"};
  auto found = std::find(std::begin(names), std::end(names), colour);
  if (found == std::end(names))
    throw CallError{fmt::format("`--color` is auto, always or never, and not `{}`", colour), ""};
  print::choose_colour(static_cast<print::Colour>(found - std::begin(names)));
}

int CommandLine::run() {
  if (!help.empty()) {
    fmt::print("{}", help);
    return 0;
  }
  return row_named(command)->run(*this);
}

}  // namespace mlc::repl
