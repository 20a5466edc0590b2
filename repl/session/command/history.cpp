// SPDX-License-Identifier: Apache-2.0
// The graph of a session's states, and the ways through it.
#include <fmt/format.h>

#include <algorithm>

#include "ir/core/error.h"
#include "ir/core/interrupt.h"
#include "repl/session/commands.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"
#include "repl/terminal/glyphs.h"

namespace mlc::repl::commands_history {
namespace {

// As `:steps` is asked for.
struct Listing {
  bool all = false, details = false;
  size_t width = 0;  // of the screen; 0: lines may be of any length
};

// What stands behind `head`, in lines that keep within the screen, each below the first.
std::string beside(const std::string& head, std::string_view text, size_t width) {
  size_t indent = columns_of(head), room = width > indent ? width - indent : 1;
  std::string lines = head;
  for (size_t column = 0; !text.empty();) {
    size_t end = std::min(text.find(' ', 1), text.size());
    std::string_view word = text.substr(0, end);
    if (column > 0 && column + columns_of(word) > room) {
      lines += "\n" + std::string(indent, ' ');
      column = 0;
      word = trim(word);
    }
    lines += word;
    column += columns_of(word);
    text.remove_prefix(end);
  }
  return lines + "\n";
}

std::string row_of(Session& session, size_t number, std::string_view mark, std::string_view indent,
                   const Listing& listing) {
  ir::heed_interrupt();  // what large modules have changed takes a while
  const State& state = session.states()[number];
  std::string names;
  for (const Branch& branch : session.branches())
    if (branch.tip == number && session.branches().size() > 1) names += fmt::format(" [{}]", branch.name);
  if (state.let_go) names += " (let go)";
  std::string source = first_line(state.source);
  std::string effect = fmt::format("{}{}{}{}", session.effect_of(number), state.verdict.empty() ? "" : ", ",
                                   state.verdict, names);
  std::string head = fmt::format("{}{} {:>2}  ", indent, mark, number);
  if (listing.details) head += fmt::format("{}  {:>9}  ", session.hash_of(number), time_text(state.seconds));
  if (listing.width == 0) return fmt::format("{}{:<50}  {}\n", head, source, effect);
  size_t room = listing.width > columns_of(head) ? listing.width - columns_of(head) : 0;
  // Beneath the statement where there is no room beside it.
  constexpr size_t kNarrow = 50;
  if (room < kNarrow)
    return head + cut_to(source, std::max<size_t>(room, 8)) + "\n" +
           beside(std::string(columns_of(head) + 2, ' '), effect, listing.width);
  size_t wide = std::min<size_t>(50, room * 2 / 5);
  source = cut_to(source, wide);
  return beside(head + source + std::string(wide + 2 - columns_of(source), ' '), effect, listing.width);
}

// The children of a state in the order in which they were made.
std::vector<size_t> children_of(const Session& session, size_t parent) {
  std::vector<size_t> children;
  for (size_t i = parent + 1; i < session.states().size(); ++i)
    if (session.states()[i].parent == parent && !session.states()[i].dropped) children.push_back(i);
  return children;
}

// One column of `|` for each branch that is still to come.
std::string graph(Session& session, const Listing& listing) {
  std::string text;
  auto add = [&](auto& self, size_t number, const std::string& indent) -> void {
    for (;;) {
      std::vector<size_t> children = children_of(session, number);
      if (number != 0)
        text += row_of(session, number, number == session.position() ? "*" : " ", indent, listing);
      if (children.empty()) return;
      for (size_t i = children.size(); i > 1; --i) self(self, children[i - 1], indent + "| ");
      number = children.front();
    }
  };
  add(add, 0, "");
  return text;
}

void list_states(Session& session, std::string_view arguments) {
  Listing listing{.width = width_of(session)};
  for (std::string_view word = take_word(arguments); !word.empty(); word = take_word(arguments)) {
    if (word != "all" && word != "--long")
      throw CallError{fmt::format("`:steps` does not take `{}`", word),
                      "`:steps`, `:steps all`, `:steps --long`"};
    (word == "all" ? listing.all : listing.details) = true;
  }
  if (session.states().size() == 1) return session.show("no steps yet: no statement has changed anything\n");
  if (listing.all) return session.page(graph(session, listing));
  std::string text;
  for (size_t each : session.path())
    text += row_of(session, each, each == session.position() ? "*" : " ", "", listing);
  // What `:redo` leads to.
  for (size_t each = session.states()[session.position()].next; each != 0; each = session.states()[each].next)
    text += row_of(session, each, "-", "", listing);
  session.page(text);
}

size_t count_of(std::string_view command, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  no_more(command, arguments);
  if (word.empty()) return 1;
  auto count = number_of(word);
  if (!count || *count == 0)
    throw CallError{fmt::format("`{}` is not a number of steps", word),
                    fmt::format("`:{0}` or `:{0} 2`", command)};
  return *count;
}

void say_where(Session& session) {
  size_t at = session.position();
  session.show(at == 0 ? "state 0: the beginning\n"
                       : fmt::format("state {}: {}\n", at, first_line(session.states()[at].source)));
}

void undo(Session& session, std::string_view arguments) {
  size_t wanted = count_of("undo", arguments), steps = session.path().size();
  if (steps == 0) throw CallError{"there is no step to undo", ""};
  if (wanted > steps)
    throw CallError{fmt::format("there {} to undo, not {}",
                                steps == 1 ? "is one step" : fmt::format("are {} steps", steps), wanted),
                    "`:goto 0` is the beginning"};
  for (size_t count = wanted; count > 0; --count) {
    size_t at = session.position();
    session.go(session.states()[at].parent);
    session.show(fmt::format("undone: {}\n", first_line(session.states()[at].source)));
  }
}

void redo(Session& session, std::string_view arguments) {
  for (size_t count = count_of("redo", arguments); count > 0; --count) {
    size_t next = session.states()[session.position()].next;
    if (next == 0) throw CallError{"there is no step to redo", ""};
    session.go(next);
    session.show(fmt::format("done again: {}\n", first_line(session.states()[next].source)));
  }
}

size_t branch_of(Session& session, std::string_view name) {
  const auto& branches = session.branches();
  auto found = std::ranges::find(branches, name, &Branch::name);
  if (found != branches.end()) return static_cast<size_t>(found - branches.begin());
  std::vector<std::string> names;
  for (const Branch& each : branches) names.push_back(each.name);
  std::string near = ir::closest(name, names);
  throw CallError{fmt::format("there is no branch `{}`", name),
                  near.empty() ? fmt::format("the branches are: {}", fmt::join(names, ", "))
                               : fmt::format("did you mean `{}`?", near)};
}

void require_free(Session& session, std::string_view name) {
  bool is_name = !name.empty() && !number_of(name);
  bool is_free = std::ranges::find(session.branches(), name, &Branch::name) == session.branches().end();
  if (!is_name) throw CallError{fmt::format("`{}` is no name for a branch", name), "numbers are states"};
  if (!is_free) throw CallError{fmt::format("there is a branch `{}` already", name), ""};
}

void go_to(Session& session, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  no_more("goto", arguments);
  if (word.empty()) throw CallError{"go to which state?", "`:goto 3`, `:goto main`"};
  const auto& branches = session.branches();
  auto branch = std::ranges::find(branches, word, &Branch::name);
  if (branch != branches.end()) {
    session.switch_to(static_cast<size_t>(branch - branches.begin()));
  } else {
    // At the tip of a branch new steps belong to that branch.
    size_t state = state_of(session, word);
    auto at_tip = std::ranges::find(branches, state, &Branch::tip);
    if (at_tip == branches.end() || session.branch().tip == state) {
      session.go(state);
    } else {
      session.switch_to(static_cast<size_t>(at_tip - branches.begin()));
    }
  }
  say_where(session);
}

void list_or_open(Session& session, std::string_view arguments) {
  std::string_view name = take_word(arguments);
  no_more("branch", arguments);
  if (!name.empty()) {
    require_free(session, name);
    session.open_branch(std::string(name));
    return session.show(fmt::format("branch {}, from state {}\n", name, session.position()));
  }
  std::string text;
  for (const Branch& each : session.branches())
    text +=
        fmt::format("{} {:<16} state {}, {}, {}\n", &each == &session.branch() ? "*" : " ", each.name,
                    each.tip, counted(session.path_to(each.tip).size(), "step"), session.hash_of(each.tip));
  session.show(text);
}

// The other branch's statements since the two parted, one by one on top of this one.
void merge(Session& session, std::string_view arguments) {
  std::string_view name = take_word(arguments);
  no_more("merge", arguments);
  if (name.empty()) throw CallError{"merge which branch?", "`:merge main~2`"};
  size_t tip = session.branches()[branch_of(session, name)].tip;
  std::vector<size_t> here = session.path(), there = session.path_to(tip);
  size_t shared = 0;
  while (shared < here.size() && shared < there.size() && here[shared] == there[shared]) ++shared;
  if (shared == there.size())
    return session.show(fmt::format("all of `{}` is in this branch already\n", name));
  size_t done = 0;
  for (size_t i = shared; i < there.size(); ++i) {
    if (!session.replay(there[i])) {
      throw CallError{
          fmt::format("`{}` is merged as far as it goes: {} of {} steps; refused was state {}, {}", name,
                      done, there.size() - shared, there[i], first_line(session.states()[there[i]].source)),
          done == 0 ? "" : fmt::format("`:undo {}` takes back what was merged", done)};
    }
    ++done;
  }
  session.show(fmt::format("merged {}: {}\n", name, counted(done, "step")));
}

void rename(Session& session, std::string_view arguments) {
  std::string_view from = take_word(arguments);
  std::string_view to = take_word(arguments);
  no_more("rename", arguments);
  if (to.empty()) throw CallError{"rename which branch, and to what?", "`:rename main~2 tiled`"};
  size_t branch = branch_of(session, from);
  require_free(session, to);
  session.rename(branch, std::string(to));
}

void drop(Session& session, std::string_view arguments) {
  std::string_view name = take_word(arguments);
  no_more("drop", arguments);
  if (name.empty()) throw CallError{"drop which branch?", "`:drop main~2`"};
  size_t branch = branch_of(session, name);
  if (&session.branches()[branch] == &session.branch())
    throw CallError{fmt::format("`{}` is the current branch", name), "`:goto` another one first"};
  size_t before = 0, after = 0;
  for (const State& each : session.states()) before += each.dropped ? 1 : 0;
  session.drop(branch);
  for (const State& each : session.states()) after += each.dropped ? 1 : 0;
  session.show(fmt::format("dropped {}, and {} {} that no other branch has\n", name, after - before,
                           after - before == 1 ? "state" : "states"));
}

constexpr Command kRows[] = {
    {"steps", "[all] [--long]",
     "the statements that changed something, what they changed, and what is known of it",
     "  `*` marks the state in force, `-` what `:redo` leads to. `:steps all` shows every branch,\n"
     "  `--long` the hash of each state's modules and how long its statement took.\n",
     list_states},
    {"undo", "[N]", "back to the state before the last step, or the last N",
     "  Nothing is lost: `:redo`, `:goto`.\n", undo, Argument::kNothing, true},
    {"redo", "[N]", "the step that was undone last, again, or the last N", "", redo, Argument::kNothing,
     true},
    {"goto", "STATE", "to a state, by its number or by the branch whose tip it is",
     "    :goto 3\n    :goto main\n  A new step behind a state that has others behind it opens a branch.\n",
     go_to, Argument::kBranch, true},
    {"branch", "[NAME]", "the branches, or a new one from here",
     "    :branch\n    :branch tiled\n  `:goto NAME` changes to one.\n", list_or_open, Argument::kNothing,
     true},
    {"merge", "BRANCH", "the steps of another branch, since the two parted, on top of this one",
     "    :merge tiled\n  Stops at the first that is refused, and says why.\n", merge, Argument::kBranch,
     true},
    {"rename", "BRANCH NAME", "another name for a branch", "    :rename main~2 tiled\n", rename,
     Argument::kBranch, true},
    {"drop", "BRANCH", "forget a branch, and the states that no other has", "    :drop main~2\n", drop,
     Argument::kBranch, true},
};

}  // namespace

extern const Commands history{kRows};

}  // namespace mlc::repl::commands_history
