// SPDX-License-Identifier: Apache-2.0
// Pictures: the loop nest, accesses and their reuse, a roofline, the steps of the session.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "repl/measure/machine.h"
#include "repl/report/access.h"
#include "repl/report/graph_plot.h"
#include "repl/report/nest.h"
#include "repl/report/roofline.h"
#include "repl/report/steps.h"
#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"
#include "repl/shell/kept_files.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_plot {
namespace {

std::string title_of(const Subject& subject) {
  return subject.function.empty() ? subject.name : fmt::format("{}.{}", subject.name, subject.function);
}

Plot plot_nest(Session& session, std::string_view arguments) {
  Subject subject = subject_of(session, take_word(arguments));
  no_more("plot", arguments);
  ir::IRModule mod = module_of(subject);
  return nest_plot(mod, title_of(subject), script_of(session.evaluator(), ir::Any(mod)));
}

Plot plot_graph(Session& session, std::string_view arguments) {
  Subject subject = subject_of(session, take_word(arguments));
  no_more("plot", arguments);
  return graph_plot(subject, title_of(subject), script_of(session.evaluator(), ir::Any(subject.mod)), session.evaluator());
}

// `block`: in the module in force; `sch block` in another one.
Plot plot_access(Session& session, std::string_view arguments) {
  std::string first(take_word(arguments)), second(take_word(arguments));
  no_more("plot", arguments);
  Subject subject = subject_of(session, second.empty() ? "" : first);
  ir::IRModule mod = module_of(subject);
  return access_plot(record_accesses(mod, second.empty() ? first : second),
                     script_of(session.evaluator(), ir::Any(mod)));
}

Plot plot_steps(Session& session, std::string_view arguments) {
  no_more("plot", arguments);
  return steps_plot(step_rows(session), session.program());
}

// Of all functions of the subject; this machine with as many cores as they use, or another one by its name.
Plot plot_roofline(Session& session, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  std::string_view name = word == "--target" ? "" : word;
  if (word != "--target") word = take_word(arguments);
  std::optional<transform::Machine> machine;
  if (word == "--target") {
    std::string target(take_word(arguments));
    machine = named_machine(target);
    if (!machine) {
      std::string near = ir::did_you_mean(target, machine_names());
      throw CallError{
          target.empty() ? "on which machine?" : fmt::format("nothing is known of a machine `{}`", target),
          near.empty() ? fmt::format("there are {}; without `--target` it is this one",
                                     fmt::join(machine_names(), ", "))
                       : near};
    }
    word = "";
  }
  no_more("plot", word.empty() ? arguments : word);
  Subject subject = subject_of(session, name);
  std::vector<transform::FunctionCost> costs;
  bool parallel = false;
  for (const auto& [function, fn] : functions_of(subject)) {
    costs.push_back(transform::cost_of(function, fn, machine ? machine->levels : memory_levels()));
    parallel = parallel || costs.back().parallel;
  }
  if (!machine)
    machine = this_machine(session.evaluator(), parallel, false,
                           [&](std::string_view what) { session.show(fmt::format("{}\n", what)); });
  return roofline_plot(costs, *machine, script_of(session.evaluator(), ir::Any(module_of(subject))));
}

struct Kind {
  std::string_view name;
  Plot (*plot)(Session& session, std::string_view arguments);
};
constexpr Kind kKinds[] = {
    {"nest", plot_nest}, {"graph", plot_graph}, {"access", plot_access}, {"roofline", plot_roofline}, {"steps", plot_steps}};

// "plot-nest.html", or the first of plot-nest-2.html, ... that is not there.
std::string free_name(std::string_view kind) {
  std::string path = fmt::format("plot-{}.html", kind);
  std::error_code ignored;
  for (size_t i = 2; std::filesystem::exists(path, ignored); ++i)
    path = fmt::format("plot-{}-{}.html", kind, i);
  return path;
}

void draw(Session& session, std::string_view arguments) {
  std::string path;
  std::string padded = fmt::format(" {}", arguments);
  if (size_t option = padded.find(" -o"); option != std::string::npos) {
    std::string_view rest = std::string_view(padded).substr(option + 3);
    path = trim(rest);
    if (path.empty() || !rest.starts_with(' '))
      throw CallError{"`-o` is followed by a file", "`:plot nest -o nest.svg`"};
    padded.resize(option);
  }
  std::string_view words = padded;
  std::string_view name = take_word(words);
  auto kind = std::ranges::find(kKinds, name, &Kind::name);
  if (kind == std::end(kKinds)) {
    std::vector<std::string> names;
    for (const Kind& each : kKinds) names.emplace_back(each.name);
    if (name.empty()) throw CallError{"plot what?", fmt::format("one of {}", fmt::join(names, ", "))};
    std::string near = ir::did_you_mean(name, names);
    throw CallError{fmt::format("there is no plot `{}`", name),
                    near.empty() ? fmt::format("there are: {}", fmt::join(names, ", ")) : near};
  }
  bool drawing = path.ends_with(".svg");
  if (!path.empty() && !drawing && !path.ends_with(".html"))
    throw CallError{fmt::format("`{}` is no name for a plot", path),
                    "its end says what is written: `.svg` or `.html`"};
  if (!path.empty()) refuse_other_page(path);
  Plot plot = kind->plot(session, words);
  if (path.empty() && session.options().display)
    return session.options().display("image/svg+xml", plot.title, svg_file(plot));
  if (path.empty()) path = free_name(name);
  std::string text = drawing ? svg_file(plot) : html_file(plot);
  if (text.size() > kMostBytes)
    throw CallError{fmt::format("the plot would take {}, and the most is {}",
                                bytes_text(static_cast<double>(text.size())),
                                bytes_text(static_cast<double>(kMostBytes))),
                    "name one function: `:plot nest sch.main`"};
  write_file(path, text);
  session.show(fmt::format("{}: {}\n", path, plot.title));
}

constexpr Command kRows[] = {
    {"plot", "nest|graph|access|roofline|steps [NAME] [-o FILE]",
     "a picture of loops, a graph, accesses, a roofline or steps, as a page or a drawing",
     "    :plot nest              the loops, blocks and buffers of the module in force, or of NAME\n"
     "    :plot graph             calls of a graph, what uses what, and what is computed together\n"
     "    :plot access C          what block C touches in order, and its reuse distances; without a name, of "
     "the\n"
     "                            block that runs most often; `:plot access sch C` in another module\n"
     "    :plot roofline          what this machine allows the functions of the module in force, or of "
     "NAME;\n"
     "                            `--target nvidia-a100`: another one\n"
     "    :plot steps             how long each step took, and what is known of it\n"
     "    :plot nest -o nest.svg  the drawing alone; without `-o` a page, whose name is said, and in\n"
     "                            a notebook the drawing\n"
     "  How to read them: docs/report.md.\n",
     draw, Argument::kName},
};

}  // namespace

extern const Commands plot{kRows};

}  // namespace mlc::repl::commands_plot
