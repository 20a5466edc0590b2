// SPDX-License-Identifier: Apache-2.0
// How long functions take, as they are now or were in other states, beside each other.
#include <fmt/format.h>

#include "repl/measure/report.h"
#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"
#include "repl/shell/progress.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_bench {
namespace {

void bench(Session& session, std::string_view arguments) {
  MeasureOptions options;
  std::vector<std::string_view> words;
  while (!arguments.empty()) {
    std::string_view word = take_word(arguments);
    if (word == "--size") {
      add_size(options.sizes, std::string(take_word(arguments)));
    } else if (word == "--budget") {
      options.seconds = seconds_of(take_word(arguments));
    } else if (word.starts_with("--")) {
      throw CallError{fmt::format("`:bench` takes no option `{}`", word), "`--size n=1024`, `--budget 10`"};
    } else {
      words.push_back(word);
    }
  }
  if (words.empty()) words.emplace_back();
  std::vector<NamedFunctions> modules;
  for (std::string_view word : words) {
    Subject subject = subject_of(session, word);
    // A state is called by its number: its modules have the names of those of other states.
    std::string name(subject.function.empty() && !word.empty() ? word : std::string_view(subject.name));
    modules.push_back({name, subject.mod, functions_of(subject)});
  }
  Progress progress;
  options.progress = [&](std::string_view what) { progress.at(std::string(what)); };
  std::vector<std::vector<Runnable>> groups = groups_of(modules);
  require_sizes(groups, options.sizes);
  for (const std::vector<Runnable>& group : groups) {
    std::vector<Measured> found = measure(group, options, session.evaluator());
    progress.clear();
    session.show(bench_text(found, width_of(session), session.options().colour));
  }
}

constexpr Command kRows[] = {
    {"bench", "[NAME or STATE...]", "how long functions take; of several, beside each other",
     "    :bench\n    :bench Module sch\n    :bench 3 5 --size n=1024 --budget 10\n"
     "  Of the module or schedule that was changed last, or of those named: modules, schedules, their "
     "functions\n"
     "  (`sch.main`), states. Each round runs all of them in turn on fresh buffers, with warm and with cold "
     "caches.\n"
     "  `--size`: a symbolic dimension or integer parameter. `--budget`: seconds for each function, 1 by "
     "default.\n",
     bench, Argument::kName},
};

}  // namespace

extern const Commands bench{kRows};

}  // namespace mlc::repl::commands_bench
