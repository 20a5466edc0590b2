// SPDX-License-Identifier: Apache-2.0
#include "repl/session/repl.h"

#include <unistd.h>

#include <csignal>
#include <iostream>

#include "frontend/print/highlight.h"
#include "frontend/syntax/parse.h"
#include "repl/terminal/completion.h"
#include "repl/terminal/line_editor.h"

namespace mlc::repl {

namespace {

// Does this line, in the first column, belong to the compound statement before it?
bool continues_block(std::string_view line) {
  for (std::string_view word : {"else", "elif", "except", "finally"}) {
    if (line.starts_with(word)) return true;
  }
  return line.starts_with(')') || line.starts_with(']') || line.starts_with('}');
}

// `text` ends with a newline, which is that of its last line and not an empty line of its own.
bool is_complete(std::string_view text) {
  return syntax::is_complete(text.substr(0, text.size() - 1)) != syntax::ParseStatus::kIncomplete;
}

void on_interrupt(int) { script::Evaluator::interrupt(); }

int read_terminal(Session& session) {
  std::cout << "mlc " MLC_VERSION "; `:help` lists the commands, Ctrl-D ends the session\n" << std::flush;
  LineEditor editor([&](std::string_view line) { return complete(session.evaluator(), line); });
  InputCollector inputs(true);
  auto run = [&](const std::string& input) {
    script::Evaluator::clear_interrupt();
    session.run(input);
  };
  std::string line;
  while (!session.ended()) {
    LineEditor::Result result = editor.read(inputs.pending() ? "... " : "mlc> ", line);
    if (result == LineEditor::Result::kInterrupt) {
      inputs.drop();
      continue;
    }
    if (result == LineEditor::Result::kEnd) {
      std::cout << "\n";
      break;
    }
    editor.remember(line);
    inputs.add(line, run);
  }
  return session.ended().value_or(0);
}

int read_pipe(Session& session) {
  InputCollector inputs(false);
  auto run = [&](const std::string& input) {
    if (!session.ended()) session.run(input);
  };
  std::string line;
  while (!session.ended() && std::getline(std::cin, line)) inputs.add(line, run);
  if (!session.ended()) inputs.finish(run);
  return session.ended().value_or(0);
}

}  // namespace

void InputCollector::add(std::string_view line, const std::function<void(const std::string&)>& run) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  bool first_column = !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '#';
  if (!interactive_ && pending() && first_column && !continues_block(line) && is_complete(text_ + "\n")) {
    run(std::exchange(text_, ""));
  }
  bool command = !pending() && (line.starts_with(':') || line.starts_with('?') || line.ends_with('?'));
  text_.append(line).append("\n");
  if (command || is_complete(text_)) run(std::exchange(text_, ""));
}

void InputCollector::finish(const std::function<void(const std::string&)>& run) {
  if (pending()) run(std::exchange(text_, ""));
}

int run_repl() {
  bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  SessionOptions options;
  options.colour = print::wants_colour(STDOUT_FILENO);
  Session session(std::move(options));
  std::signal(SIGINT, on_interrupt);
  return terminal ? read_terminal(session) : read_pipe(session);
}

}  // namespace mlc::repl
