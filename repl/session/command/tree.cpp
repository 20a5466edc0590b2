// SPDX-License-Identifier: Apache-2.0
// The loop nest of each function, a line for a loop or a block, and its buffers.
#include "repl/session/commands.h"
#include "repl/session/graph_text.h"
#include "repl/session/nest_text.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"

namespace mlc::repl::commands_tree {
namespace {

void show_tree(Session& session, std::string_view arguments) {
  std::string_view word = take_word(arguments);
  bool all = word == "--all";
  if (all) word = take_word(arguments);
  if (!all && arguments == "--all") all = true, arguments = {};
  no_more("tree", arguments);
  Subject subject = subject_of(session, word);
  size_t width = width_of(session);
  bool coloured = session.options().colour;
  // Of a module with graphs the tensor functions are what these call: each has its nest when it is asked for.
  if (std::string graphs = graph_trees(subject, {.all = all, .width = width, .coloured = coloured}); !graphs.empty())
    return session.page(graphs);
  session.page(loop_nests(subject, width, coloured));
}

constexpr Command kRows[] = {
    {"tree", "[--all] [NAME]",
     "the loop nest: extents, kinds and threads, blocks with what they write and read, buffers; of a graph its bindings",
     "    :tree\n    :tree sch.main\n    :tree 3\n"
     "  `runs` is how often a loop is entered or a block runs. The letters of a block are its iterators': S "
     "spatial, R reduction,\n"
     "  C ordered (scan), O opaque. NAME: a module, a schedule, one of its functions, or a state.\n"
     "  Of a graph: each binding, what it calls, its type and who uses it; `opaque` marks packed functions and closures.\n"
     "  Layers that repeat are shown once, all with `--all`. The functions on tensors that it calls are listed; `:tree matmul`\n"
     "  shows the nest of one.\n",
     show_tree, Argument::kName},
};

}  // namespace

extern const Commands tree{kRows};

}  // namespace mlc::repl::commands_tree
