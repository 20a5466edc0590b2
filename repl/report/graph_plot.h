// SPDX-License-Identifier: Apache-2.0
// Graphs as boxes in layers: calls with their results, what uses what, groups that are computed together.
#pragma once

#include <string>

#include "ir/registry/host.h"
#include "repl/report/page.h"
#include "repl/session/subject.h"

namespace mlc::repl {

// Of the graphs that a subject is about. `program`: its text as it is shown beside, in which boxes find their lines.
// `host`: whose library legalises operators, which tells their patterns. CallError where there is no graph.
Plot graph_plot(const Subject& subject, const std::string& title, std::string program, ir::Host& host);

}  // namespace mlc::repl
