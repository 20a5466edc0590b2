// SPDX-License-Identifier: Apache-2.0
#include "repl/session/repl.h"

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "frontend/print/highlight.h"
#include "frontend/script/core/line_input.h"
#include "frontend/syntax/parse.h"
#include "ir/core/interrupt.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"
#include "repl/terminal/completion.h"
#include "repl/terminal/history.h"
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

// May the text end here? A command and a question are of one line.
bool ends_input(std::string_view text) {
  bool one_line = text.find('\n') == std::string_view::npos;
  if (one_line && (text.starts_with(':') || text.starts_with('?') || is_question(text))) return true;
  return syntax::is_complete(text) != syntax::ParseStatus::kIncomplete;
}

// With the verdict on the step that was just made: "mlc proved> ". What follows it in a verdict is in
// `:steps`.
std::string prompt_after(const Session& session, size_t before) {
  size_t now = session.position();
  const std::string& verdict = session.states()[now].verdict;
  if (now == before || verdict.empty()) return "mlc> ";
  return fmt::format("mlc {}> ", verdict.substr(0, verdict.find_first_of(": ")));
}

// What is typed is not there behind a crash: better known before.
void tell_trouble(Session& session) {
  if (std::string why = session.options().journal->trouble(); !why.empty())
    session.show(fmt::format("not kept for `:resume`: what is typed, {}\n", why));
}

void tell_cut_off(Session& session) {
  auto found = session.options().journal->cut_off();
  if (!found) return;
  char when[32] = "";
  std::strftime(when, sizeof when, "%Y-%m-%d %H:%M", std::localtime(&found->last));
  session.show(fmt::format("the session of {} was cut off; `:resume` runs its {} again\n", when,
                           counted(found->inputs.size(), "input")));
}

int read_terminal(Session& session) {
  std::cout << "mlc " MLC_VERSION "; `:help` lists the commands, Ctrl-D ends the session\n" << std::flush;
  tell_cut_off(session);
  tell_trouble(session);
  // A Ctrl-C that came when its statement had ended is none of what is typed next.
  LineEditor editor({.complete =
                         [&](std::string_view text) {
                           script::Evaluator::clear_interrupt();
                           return complete(session, text);
                         },
                     .is_complete =
                         [](std::string_view text) {
                           ir::NotNow not_now;
                           return ends_input(text);
                         }},
                    history_path());
  // input() is edited as well.
  auto ask = [&](const std::string& prompt) -> std::optional<std::string> {
    std::string answer;
    switch (editor.read_answer(prompt, session.options().colour, answer)) {
      case LineEditor::Result::kInterrupt:
        script::Evaluator::interrupt();
        return std::nullopt;
      case LineEditor::Result::kEnd:
        return std::nullopt;
      case LineEditor::Result::kInput:
        break;
    }
    return answer + "\n";
  };
  Journal& journal = *session.options().journal;
  script::set_line_input(
      [&](const std::string& prompt) { return journal.answer([&] { return ask(prompt); }); });
  std::string input, prompt = "mlc> ";
  while (!session.ended()) {
    std::string continuation = "..." + std::string(prompt.size() - 3, ' ');
    switch (editor.read(prompt, continuation, session.options().colour, input)) {
      case LineEditor::Result::kInterrupt:
        continue;
      case LineEditor::Result::kEnd:
        return 0;
      case LineEditor::Result::kInput:
        break;
    }
    script::Evaluator::clear_interrupt();
    size_t before = session.position();
    session.run(input);
    tell_trouble(session);
    prompt = prompt_after(session, before);
  }
  return session.ended().value_or(0);
}

// Lines as the terminal gives them, and nothing that moves the cursor: what a screen reader can follow.
int read_plain(Session& session) {
  InputCollector inputs(true);
  Journal& journal = *session.options().journal;
  script::set_line_input([&](const std::string& prompt) {
    return journal.answer([&] {
      session.show(prompt);
      return script::standard_input().next();
    });
  });
  size_t state = session.position();
  auto run = [&](const std::string& input) {
    script::Evaluator::clear_interrupt();
    state = session.position();
    session.run(input);
    tell_trouble(session);
  };
  tell_cut_off(session);
  tell_trouble(session);
  while (!session.ended()) {
    session.show(inputs.pending() ? "...  " : prompt_after(session, state));
    script::Evaluator::clear_interrupt();
    if (auto line = script::standard_input().next()) {
      inputs.add(*line, run);
    } else if (script::Evaluator::is_interrupted()) {
      script::Evaluator::clear_interrupt();
      inputs.drop();
      session.show("\n");
    } else {
      break;
    }
  }
  if (!session.ended()) session.show("\n");
  return session.ended().value_or(0);
}

int read_pipe(Session& session) {
  InputCollector inputs(false);
  auto run = [&](const std::string& input) {
    if (!session.ended()) session.run(input);
  };
  while (!session.ended()) {
    script::Evaluator::clear_interrupt();
    auto line = script::standard_input().next();
    if (line) {
      inputs.add(*line, run);
    } else if (script::Evaluator::is_interrupted()) {
      return 130;  // nobody types here who could go on
    } else {
      inputs.finish(run);
      break;
    }
  }
  return session.ended().value_or(0);
}

}  // namespace

// A text of thousands of lines in one bracket is not parsed at each of them: as long as something looks open
// it is parsed when it has doubled.
bool InputCollector::may_be_complete() {
  constexpr size_t kShort = 4096;
  if (scanned_ == 0) {
    brackets_ = 0;
    quotes_ = {};
    parse_at_ = kShort;
  }
  std::string_view text = text_;
  for (size_t& at = scanned_; at < text.size(); ++at) {
    char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (!quotes_.empty()) {
      if (!text.substr(at).starts_with(quotes_)) continue;
      at += 2;
      quotes_ = {};
    } else if (c == '"' || c == '\'') {
      std::string_view three = c == '"' ? R"(""")" : "'''";
      if (text.substr(at).starts_with(three)) {
        quotes_ = three;
        at += 2;
        continue;
      }
      while (++at < text.size() && text[at] != c && text[at] != '\n') at += text[at] == '\\';
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size() - 1);
    } else {
      brackets_ += c == '(' || c == '[' || c == '{';
      brackets_ -= c == ')' || c == ']' || c == '}';
    }
  }
  scanned_ = text.size();
  if (text.size() > kShort && (brackets_ > 0 || !quotes_.empty())) {
    if (text.size() < parse_at_) return false;
    parse_at_ = 2 * text.size();
  }
  return true;
}

void InputCollector::add(std::string_view line, const std::function<void(const std::string&)>& run) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  bool first_column = !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '#';
  if (!interactive_ && pending() && first_column && !continues_block(line) && may_be_complete() &&
      is_complete(text_ + "\n")) {
    run(std::exchange(text_, ""));
  }
  if (!pending()) scanned_ = 0;
  // Inside of a block that only a line in the first column or an empty one ends.
  bool inside = pending() && !line.empty() && (line[0] == ' ' || line[0] == '\t');
  if (!interactive_ && inside) {
    text_.append(line).append("\n");
    return;
  }
  bool command = !pending() && (line.starts_with(':') || line.starts_with('?') || is_question(line));
  text_.append(line).append("\n");
  if (command || (may_be_complete() && is_complete(text_))) run(std::exchange(text_, ""));
}

void InputCollector::finish(const std::function<void(const std::string&)>& run) {
  if (pending()) run(std::exchange(text_, ""));
}

std::pair<size_t, size_t> size_of_screen() {
  winsize size{};
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::pair<size_t, size_t>(size.ws_row, size.ws_col) : std::pair<size_t, size_t>(24, 80);
}

// In parts: Ctrl-C ends what is long.
void write_to_terminal(std::string_view text) {
  std::fflush(stdout);
  constexpr size_t kPart = 4096;
  while (!text.empty() && !script::Evaluator::is_interrupted()) {
    ssize_t written = ::write(STDOUT_FILENO, text.data(), std::min(text.size(), kPart));
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    if (written < 0 && errno != EINTR) return;
  }
}

// $PAGER, or less, which ends by itself where all fits on the screen.
void page(std::string_view text) {
  const char* wanted = std::getenv("PAGER");
  std::string command = wanted != nullptr && *wanted != '\0' ? wanted : "less -RFX";
  std::signal(SIGPIPE, SIG_IGN);  // who reads may stop
  FILE* pager = popen(command.c_str(), "w");
  // Ctrl-C is for the pager, as long as it runs.
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignored, &before);
  if (pager != nullptr) std::fwrite(text.data(), 1, text.size(), pager);
  int code = pager != nullptr ? pclose(pager) : 127 << 8;
  sigaction(SIGINT, &before, nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // programs that are run inherit it
  // The shell's own words for a program that it cannot run.
  bool has_run = !WIFEXITED(code) || WEXITSTATUS(code) < 126;
  if (!has_run) std::cout << text << std::flush;
}

// A program of the user's own that each session on a terminal begins with.
std::string init_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  std::string path = config != nullptr && *config != '\0' ? config
                     : home != nullptr && *home != '\0'   ? std::string(home) + "/.config"
                                                          : "";
  path += "/mlc/init.mlc";
  return access(path.c_str(), R_OK) == 0 ? path : "";
}

// Its lines `:set NAME VALUE` are settings, what else stands there is a program.
void run_init_file(Session& session, const std::string& path) {
  std::string text = ir::SourceMap::current().file(read_source(path)).text;
  std::string program;
  for (std::string_view left = text; !left.empty();) {
    size_t end = std::min(left.find('\n'), left.size() - 1) + 1;
    std::string_view line = left.substr(0, end);
    left.remove_prefix(end);
    if (!line.starts_with(":set ")) {
      program += line;
      continue;
    }
    program += "\n";
    session.run(line);
  }
  session.load(path, ir::SourceMap::current().add(path, program));
}

void limit_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  auto bytes =
      static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) / 10 * 9;
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, bytes});
  setrlimit(RLIMIT_DATA, &limit);
}

int run_repl(const std::string& program, bool plain) {
  // A session that begins without it would be taken for one that begins with it.
  std::optional<uint32_t> file;
  if (!program.empty()) file = read_source(program);
  bool terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  std::string state = terminal ? history_path() : "";
  Journal journal(state.empty() ? "" : state.substr(0, state.rfind('/')) + "/sessions");
  SessionOptions options;
  options.journal = terminal ? &journal : nullptr;
  if (terminal) {
    options.out = write_to_terminal;
    options.screen = size_of_screen;
    if (!plain) options.page = page;
  }
  options.colour = !plain && print::wants_colour(STDOUT_FILENO);
  Session session(std::move(options));
  catch_interrupts(terminal ? WhenUnheard::kEndAtThird : WhenUnheard::kWait);
  limit_memory();
  if (std::string first = terminal ? init_file() : ""; !first.empty())
    session.attempt([&] { run_init_file(session, first); });
  journal.begin(session.states().size() - 1);
  if (file && !session.ended()) {
    session.attempt([&] { session.journalled(":load " + program, [&] { session.load(program, *file); }); });
  }
  if (!terminal) return read_pipe(session);
  int code = plain ? read_plain(session) : read_terminal(session);
  journal.finish();
  return code;
}

}  // namespace mlc::repl
