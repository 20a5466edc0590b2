// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/line_editor.h"

#include <histedit.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

constexpr int kHistoryLines = 10000;

std::string history_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (state != nullptr && *state != '\0')
    folder = state;
  else if (home != nullptr && *home != '\0')
    folder = fs::path(home) / ".local" / "state";
  else
    return "";
  folder /= "mlc";
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? "" : (folder / "history").string();
}

// The longest text that all candidates begin with.
std::string shared_prefix(const std::vector<std::string>& words) {
  std::string prefix = words.front();
  for (const std::string& word : words) {
    size_t same = 0;
    while (same < prefix.size() && same < word.size() && prefix[same] == word[same]) ++same;
    prefix.resize(same);
  }
  return prefix;
}

}  // namespace

struct LineEditor::State {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string prompt;
  std::string path;
  Completer completer;
  bool interrupted = false;

  static State* of(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return static_cast<State*>(data);
  }
  static char* show_prompt(EditLine* editor) { return of(editor)->prompt.data(); }

  static unsigned char interrupt(EditLine* editor, int) {
    of(editor)->interrupted = true;
    std::fputs("^C\n", stdout);
    return CC_NEWLINE;
  }

  // Ctrl-D: the end of the session on an empty line, else deletes the character under the cursor.
  static unsigned char end_or_delete(EditLine* editor, int) {
    const LineInfo* info = el_line(editor);
    if (info->lastchar == info->buffer) return CC_EOF;
    if (info->cursor == info->lastchar) return CC_ERROR;
    el_cursor(editor, 1);
    el_deletestr(editor, 1);
    return CC_REFRESH;
  }

  static unsigned char tab(EditLine* editor, int) {
    State* state = of(editor);
    const LineInfo* info = el_line(editor);
    std::string_view before(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
    // At the start of a line Tab indents, as in any editor of Python.
    if (before.find_first_not_of(' ') == std::string_view::npos) {
      return el_insertstr(editor, "    ") == 0 ? CC_REFRESH : CC_ERROR;
    }
    Completion completion = state->completer(before);
    if (completion.candidates.empty()) return CC_REFRESH_BEEP;
    std::string typed(before.substr(completion.begin));
    std::string prefix = shared_prefix(completion.candidates);
    if (prefix.size() > typed.size()) {
      return el_insertstr(editor, prefix.c_str() + typed.size()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    if (completion.candidates.size() == 1) return CC_NORM;
    std::putchar('\n');
    for (size_t i = 0; i < completion.candidates.size(); ++i) {
      std::printf("%-24s%s", completion.candidates[i].c_str(), i % 4 == 3 ? "\n" : "");
    }
    if (completion.candidates.size() % 4 != 0) std::putchar('\n');
    return CC_REDISPLAY;
  }
};

LineEditor::LineEditor(Completer completer) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.completer = std::move(completer);
  s.path = history_path();
  s.editor = el_init("mlc", stdin, stdout, stderr);
  s.history = history_init();
  HistEvent event;
  history(s.history, &event, H_SETSIZE, kHistoryLines);
  history(s.history, &event, H_SETUNIQUE, 1);
  if (!s.path.empty()) history(s.history, &event, H_LOAD, s.path.c_str());
  el_set(s.editor, EL_CLIENTDATA, state_.get());
  el_set(s.editor, EL_PROMPT, &State::show_prompt);
  el_set(s.editor, EL_EDITOR, "emacs");
  el_set(s.editor, EL_HIST, history, s.history);
  el_set(s.editor, EL_ADDFN, "mlc-complete", "complete the word", &State::tab);
  el_set(s.editor, EL_ADDFN, "mlc-interrupt", "drop the input", &State::interrupt);
  el_set(s.editor, EL_ADDFN, "mlc-end", "end the session or delete", &State::end_or_delete);
  // While a line is edited Ctrl-C is a key; while a program runs it is a signal again.
  el_set(s.editor, EL_SETTY, "-d", "-isig", nullptr);
  el_set(s.editor, EL_BIND, "\t", "mlc-complete", nullptr);
  el_set(s.editor, EL_BIND, "^C", "mlc-interrupt", nullptr);
  el_set(s.editor, EL_BIND, "^D", "mlc-end", nullptr);
  el_set(s.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(s.editor, nullptr);
}

LineEditor::~LineEditor() {
  HistEvent event;
  if (!state_->path.empty()) history(state_->history, &event, H_SAVE, state_->path.c_str());
  el_end(state_->editor);
  history_end(state_->history);
}

LineEditor::Result LineEditor::read(const std::string& prompt, std::string& line) {
  state_->prompt = prompt;
  state_->interrupted = false;
  int count = 0;
  const char* text = el_gets(state_->editor, &count);
  if (state_->interrupted) return Result::kInterrupt;
  if (text == nullptr || count <= 0) return Result::kEnd;
  line.assign(text, static_cast<size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Result::kLine;
}

void LineEditor::remember(const std::string& input) {
  if (input.find_first_not_of(" \t\n") == std::string::npos) return;
  HistEvent event;
  history(state_->history, &event, H_ENTER, input.c_str());
}

}  // namespace mlc::repl
