// SPDX-License-Identifier: Apache-2.0
// Why a graph is fused and planned as it is, and the documentation of names.
#include <fmt/format.h>

#include "ir/relax/expr.h"
#include "repl/session/commands.h"
#include "repl/session/graph_reasons.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"
#include "repl/shell/explain.h"
#include "repl/shell/source.h"

namespace mlc::repl::commands_explain {
namespace {

// The module that the words name first, if they do; the others are calls and tensors.
Subject subject_in(Session& session, std::string_view& arguments) {
  std::string_view rest = arguments;
  std::string_view word = take_word(rest);
  try {
    Subject subject = subject_of(session, word);
    bool graph = subject.function.empty() || subject.mod->lookup(subject.function).as<relax::FunctionNode>() != nullptr;
    if (graph) {
      arguments = rest;
      return subject;
    }
  } catch (const CallError&) {
    // It is a call, then: what is none of the graph's is said there.
  }
  return subject_of(session, "");
}

void explain_this(Session& session, std::string_view arguments) {
  std::string_view topic = take_word(arguments);
  bool fusion = topic == "fusion";
  if (!fusion && topic != "memory") {
    no_more("explain", arguments);
    if (topic.empty()) throw CallError{"what shall be explained?", "`:explain fusion`, `:explain memory`, or a name"};
    return session.show(explain_name(session.evaluator(), topic).text);
  }
  Subject subject = subject_in(session, arguments);
  ReasonOptions options;
  options.function = subject.function;
  options.width = width_of(session);
  options.coloured = session.options().colour;
  while (!arguments.empty()) options.about.emplace_back(take_word(arguments));
  session.page(fusion ? fusion_reasons(subject.mod, session.evaluator(), options)
                      : memory_reasons(subject.mod, session.evaluator(), options));
}

constexpr Command kRows[] = {
    {"explain", "fusion|memory [NAME] [CALL ...]",
     "why calls of a graph are fused or not, which tensors share memory and why not; or what a name is",
     "    :explain fusion\n    :explain fusion main matmul add\n    :explain memory Module\n    :explain split\n"
     "  The module runs through the default pipeline of graphs as far as FuseOps, or StaticPlanBlockMemory, and these say how\n"
     "  they have decided. NAME: a module, a graph of it, a state. CALL: a variable, or a function that is called.\n"
     "  The pattern of a call is how its function reads what it is given: elementwise, broadcast, injective, reduction,\n"
     "  out-elementwise-fusable (products of matrices, convolutions), opaque. Of tensors stand the bindings from which to\n"
     "  which they are alive.\n",
     explain_this, Argument::kName},
};

}  // namespace

extern const Commands explain{kRows};

}  // namespace mlc::repl::commands_explain
