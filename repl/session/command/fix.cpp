// SPDX-License-Identifier: Apache-2.0
// The ways out of the step that was refused last.
#include <fmt/format.h>

#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_fix {
namespace {

void fix(Session& session, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  no_more("fix", arguments);
  const std::vector<std::string>& ways = session.ways_out();
  if (ways.empty())
    throw CallError{
        "there is nothing to fix: no step of a schedule was just refused with a way out that could be tried",
        ""};
  if (word.empty()) return session.show(session.ways_out_text());
  auto number = number_of(word);
  if (!number || *number == 0 || *number > ways.size())
    throw CallError{fmt::format("there is no way out `{}`", word),
                    ways.size() == 1 ? "there is one: `:fix 1`"
                                     : fmt::format("they are 1 to {}: `:fix` lists them", ways.size())};
  std::string way = ways[*number - 1];
  session.show(way + "\n");
  session.run(way);
}

constexpr Command kRows[] = {
    {"fix", "[N]", "take a way out of the step that was just refused, or list them",
     "    :fix 1\n  What is offered below a refusal has been tried, and taken back.\n", fix},
};

}  // namespace

extern const Commands fix{kRows};

}  // namespace mlc::repl::commands_fix
