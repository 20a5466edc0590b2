// SPDX-License-Identifier: Apache-2.0
#include "repl/terminal/line_editor.h"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <span>

#include "repl/terminal/edit_buffer.h"
#include "repl/terminal/glyphs.h"
#include "repl/terminal/history.h"
#include "repl/terminal/keyboard.h"
#include "repl/terminal/paste.h"
#include "repl/terminal/screen.h"

namespace mlc::repl {

namespace {

constexpr size_t kMenuRows = 8;
constexpr std::string_view kPasteOn = "\x1b[?2004h";
constexpr std::string_view kPasteOff = "\x1b[?2004l";
constexpr size_t kNone = std::string::npos;

volatile sig_atomic_t resized = 0;
void on_resize(int) { resized = 1; }

void put(std::string_view bytes) { [[maybe_unused]] auto sent = write(STDOUT_FILENO, bytes.data(), bytes.size()); }

std::string shared_prefix(const std::vector<Candidate>& words) {
  std::string prefix = words.front().text;
  for (const Candidate& word : words) {
    size_t same = 0;
    while (same < prefix.size() && same < word.text.size() && prefix[same] == word.text[same]) ++same;
    prefix.resize(same);
  }
  return prefix;
}

}  // namespace

// The terminal without its own editing and signals, as long as this lives.
class RawMode {
 public:
  RawMode() { enter(); }
  ~RawMode() { leave(); }
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

  void enter() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    put(kPasteOn);
    struct sigaction action {};
    action.sa_handler = on_resize;
    sigaction(SIGWINCH, &action, &resize_before_);
  }
  void leave() {
    put(kPasteOff);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    sigaction(SIGWINCH, &resize_before_, nullptr);
  }

 private:
  termios before_{};
  struct sigaction resize_before_ {};
};

struct LineEditor::State {
  Hooks hooks;
  EditBuffer buffer;
  History history;
  Keyboard keyboard{STDIN_FILENO};
  Screen screen{STDOUT_FILENO, false};
  RawMode* raw = nullptr;
  std::string prompt, continuation;
  bool colour = false;
  bool is_answer = false;  // what is read is a line that a program asks for
  std::optional<Result> result;

  State(Hooks given, std::string path) : hooks(std::move(given)), history(std::move(path)) {}

  // ---- the menu of completions ----
  std::vector<Candidate> menu;
  size_t menu_begin = 0;  // what its words replace begins there
  size_t selected = kNone;

  void close_menu() {
    menu.clear();
    selected = kNone;
  }

  void select(size_t candidate) {
    selected = candidate;
    buffer.replace(menu_begin, menu[selected].text);
  }

  void tab() {
    if (!menu.empty()) return select(selected == kNone ? 0 : (selected + 1) % menu.size());
    std::string_view before = buffer.before_cursor();
    size_t line = before.rfind('\n');
    std::string_view on_line = line == std::string_view::npos ? before : before.substr(line + 1);
    if (is_answer || on_line.find_first_not_of(" \t") == std::string_view::npos) return buffer.indent();
    Completion found = hooks.complete(before);
    if (found.candidates.empty()) return screen.beep();
    std::string prefix = shared_prefix(found.candidates);
    if (prefix.size() > before.size() - found.begin || found.candidates.size() == 1)
      buffer.replace(found.begin, prefix);
    if (found.candidates.size() == 1) return;
    menu = std::move(found.candidates);
    menu_begin = found.begin;
  }

  void back_tab() {
    if (menu.empty()) return buffer.dedent();
    select(selected == kNone || selected == 0 ? menu.size() - 1 : selected - 1);
  }

  std::vector<std::string> menu_rows() const {
    std::vector<std::string> rows;
    size_t columns = screen.columns();
    size_t width = 0;
    for (const Candidate& each : menu) width = std::max(width, columns_of(each.text));
    width = std::min(width, columns / 2);
    size_t first = selected == kNone ? 0 : selected - std::min(selected, kMenuRows / 2);
    first = std::min(first, menu.size() - std::min(menu.size(), kMenuRows));
    for (size_t i = first; i < std::min(menu.size(), first + kMenuRows); ++i) {
      std::string word = cut_to(menu[i].text, width);
      word += std::string(width - columns_of(word), ' ');
      std::string doc = cut_to(menu[i].doc, columns - std::min(columns, width + 5));
      std::string mark = i == selected ? "> " : "  ";
      if (colour) word = i == selected ? fmt::format("\x1b[7m{}\x1b[0m", word) : fmt::format("\x1b[1m{}\x1b[0m", word);
      rows.push_back(fmt::format("{}{}  {}", mark, word, doc));
    }
    if (menu.size() > kMenuRows) rows.push_back(cut_to(fmt::format("  {} in all", menu.size()), columns - 1));
    return rows;
  }

  // ---- the history ----
  size_t entry = kNone;  // which is shown; kNone: what was typed
  std::string draft;     // what was typed

  void show_entry(std::optional<size_t> found) {
    if (!found) return screen.beep();
    entry = *found;
    buffer.set(history.at(entry));
  }

  void up() {
    if (!menu.empty()) return back_tab();
    if (buffer.up()) return;
    if (is_answer) return screen.beep();
    if (entry == kNone) {
      history.refresh();
      draft = buffer.text();
    }
    show_entry(history.older(entry == kNone ? history.size() : entry, draft, buffer.text()));
  }

  void down() {
    if (!menu.empty()) return tab();
    if (buffer.down()) return;
    if (entry == kNone) return screen.beep();
    if (auto found = history.newer(entry, draft, buffer.text())) return show_entry(found);
    entry = kNone;
    buffer.set(draft);
  }

  // Ctrl-R: what is typed is looked for in the inputs before; Enter runs what was found, other keys edit it.
  void search() {
    if (is_answer) return screen.beep();
    history.refresh();
    std::string before = buffer.text();
    std::string wanted;
    std::optional<size_t> found;
    bool failed = false;
    auto look = [&](std::optional<size_t> next) {
      failed = !next && !wanted.empty();
      if (!next) return;
      found = next;
      size_t at = history.at(*next).find(wanted);
      buffer.set(history.at(*next), at == std::string::npos ? kNone : at);
    };
    for (;;) {
      paint({fmt::format("{}search: {}", failed ? "no more, " : "", wanted)});
      Key key = keyboard.next();
      if (key.name == "text") {
        wanted += key.text;
        look(history.search(found ? *found + 1 : history.size(), wanted));
      } else if (key.name == "backspace") {
        if (!wanted.empty()) wanted.resize(previous_boundary(wanted, wanted.size()));
        found.reset();
        look(wanted.empty() ? std::nullopt : history.search(history.size(), wanted));
        if (wanted.empty()) buffer.set(before);
      } else if (key.name == "C-r") {
        look(history.search(found.value_or(history.size()), wanted));
      } else if (key.name == "C-s") {
        look(history.search_newer(found.value_or(history.size()), wanted));
      } else if (key.name == "C-g" || key.name == "escape" || key.name == "C-c") {
        return buffer.set(before);
      } else if (key.name == "signal") {
        resize();
      } else {
        if (found) entry = *found;
        draft = "";
        return take(key);
      }
    }
  }

  // ---- the input ----
  std::string cell;  // what was pasted as a whole

  void enter() {
    if (selected != kNone) return close_menu();
    close_menu();
    if (is_answer) {
      buffer.text_end();
      result = Result::kInput;
      return;
    }
    std::string text = buffer.text();
    // The empty line that ends a block may have kept its indentation.
    size_t last = text.rfind('\n');
    if (last != std::string::npos && text.find_first_not_of(" \t", last + 1) == std::string::npos) text.resize(last + 1);
    bool again = entry != kNone && text == history.at(entry);  // it was complete when it was run
    // A pasted cell brings all of its lines.
    bool whole = text == cell && hooks.is_complete(text + "\n");
    if (!again && !whole && (!buffer.on_last_line() || !hooks.is_complete(text))) return buffer.new_line();
    result = Result::kInput;
  }

  void paste(const std::string& pasted) {
    bool whole = buffer.text().find_first_not_of(" \t\n") == std::string::npos;
    std::string text = cell_of_paste(pasted);
    if (!whole || text.find('\n') == std::string::npos) return buffer.insert(text);
    cell = text;
    buffer.set(std::move(text));
  }

  void interrupt() {
    buffer.text_end();
    result = Result::kInterrupt;
  }

  void end_or_erase() {
    if (!buffer.empty()) return buffer.erase();
    result = Result::kEnd;
  }

  void suspend() {
    screen.leave("");
    raw->leave();
    raise(SIGTSTP);
    raw->enter();
  }

  void resize() {
    if (resized == 0) return;
    resized = 0;
    screen.resized();
  }

  void new_line() { buffer.new_line(); }
  void clear() { screen.clear(); }

  template <auto Method>
  void edit() {
    if constexpr (std::is_same_v<decltype((buffer.*Method)()), bool>) {
      if (!(buffer.*Method)()) screen.beep();
    } else {
      (buffer.*Method)();
    }
  }

  struct Row {
    Binding binding;
    void (State::*run)();
    bool keeps_menu = false;  // the others close it
  };
  static std::span<const Row> rows() {
    using B = EditBuffer;
    static constexpr Row kRows[] = {
        {{"enter", "run the input where it is complete, else a new line"}, &State::enter, true},
        {{"M-enter", "a new line"}, &State::new_line},
        {{"tab", "complete the word, go on in the list of completions, indent"}, &State::tab, true},
        {{"S-tab", "back in the list of completions, indent less"}, &State::back_tab, true},
        {{"up C-p", "a line up; on the first line, the input before that begins with what was typed"},
         &State::up, true},
        {{"down C-n", "a line down; on the last line, the input after"}, &State::down, true},
        {{"C-r", "search the inputs before"}, &State::search},
        {{"left C-b", "a character to the left"}, &State::edit<&B::left>},
        {{"right C-f", "a character to the right"}, &State::edit<&B::right>},
        {{"C-left M-left M-b", "a word to the left"}, &State::edit<&B::word_left>},
        {{"C-right M-right M-f", "a word to the right"}, &State::edit<&B::word_right>},
        {{"home C-a", "to the beginning of the line"}, &State::edit<&B::line_begin>},
        {{"line-end C-e", "to the end of the line"}, &State::edit<&B::line_end>},
        {{"C-home M-<", "to the beginning of the input"}, &State::edit<&B::text_begin>},
        {{"C-line-end M->", "to the end of the input"}, &State::edit<&B::text_end>},
        {{"backspace", "delete to the left; a step of indentation"}, &State::edit<&B::backspace>},
        {{"delete", "delete to the right"}, &State::edit<&B::erase>},
        {{"C-w M-backspace", "cut the word to the left"}, &State::edit<&B::cut_word_left>},
        {{"M-d C-delete", "cut the word to the right"}, &State::edit<&B::cut_word_right>},
        {{"C-k", "cut to the end of the line"}, &State::edit<&B::cut_to_line_end>},
        {{"C-u", "cut to the beginning of the line"}, &State::edit<&B::cut_to_line_begin>},
        {{"C-y", "put back what was cut"}, &State::edit<&B::yank>},
        {{"C-t", "exchange two characters"}, &State::edit<&B::transpose>},
        {{"C-_ M-u", "undo"}, &State::edit<&B::undo>},
        {{"M-_ M-r", "redo"}, &State::edit<&B::redo>},
        {{"C-l", "clear the screen"}, &State::clear},
        {{"C-c", "drop the input; while a program runs, stop it"}, &State::interrupt},
        {{"C-d", "end the session where nothing is typed, else delete to the right"}, &State::end_or_erase},
        {{"C-z", "stop the program, back to the shell"}, &State::suspend},
        {{"escape C-g", "close the list of completions"}, &State::close_menu},
    };
    return kRows;
  }

  void take(const Key& key);

  void paint(std::vector<std::string> below) {
    View view{.prompt = prompt, .continuation = continuation, .text = buffer.text(), .cursor = buffer.cursor()};
    view.brackets = buffer.matching_brackets();
    view.below = std::move(below);
    screen.paint(view);
  }

  Result read(std::string& input) {
    RawMode mode;
    raw = &mode;
    buffer.clear();
    close_menu();
    entry = kNone;
    cell.clear();
    result.reset();
    screen.forget();
    screen.set_colour(colour);
    while (!result) {
      // What was typed ahead is shown once.
      if (!keyboard.has_more()) paint(menu.empty() ? std::vector<std::string>() : menu_rows());
      Key key = keyboard.next();
      if (key.name == "signal") {
        resize();
      } else if (key.name == "end") {
        result = Result::kEnd;
      } else {
        take(key);
      }
    }
    paint({});
    screen.leave(*result == Result::kInterrupt ? "^C" : "");
    input = buffer.text();
    if (*result == Result::kInput && !is_answer) history.add(input);
    return *result;
  }
};

void LineEditor::State::take(const Key& key) {
  if (key.name == "text") {
    close_menu();
    return buffer.insert(key.text);
  }
  if (key.name == "paste") {
    close_menu();
    return paste(key.text);
  }
  for (const Row& row : rows()) {
    for (std::string_view keys = row.binding.keys; !keys.empty();) {
      size_t end = std::min(keys.find(' '), keys.size());
      std::string_view name = keys.substr(0, end);
      keys.remove_prefix(std::min(end + 1, keys.size()));
      if (name != key.name) continue;
      if (!row.keeps_menu) close_menu();
      return (this->*row.run)();
    }
  }
  screen.beep();
}

LineEditor::LineEditor(Hooks hooks, std::string history)
    : state_(std::make_unique<State>(std::move(hooks), std::move(history))) {}
LineEditor::~LineEditor() = default;

LineEditor::Result LineEditor::read(const std::string& prompt, const std::string& continuation, bool colour,
                                    std::string& input) {
  state_->prompt = prompt;
  state_->continuation = continuation;
  state_->colour = colour;
  state_->is_answer = false;
  return state_->read(input);
}

LineEditor::Result LineEditor::read_answer(const std::string& prompt, bool colour, std::string& answer) {
  // Only the last line of a prompt is painted again at each key.
  size_t last = prompt.rfind('\n') + 1;
  put(prompt.substr(0, last));
  state_->prompt = prompt.substr(last);
  state_->continuation = "";
  state_->colour = colour;
  state_->is_answer = true;
  return state_->read(answer);
}

std::vector<LineEditor::Binding> LineEditor::bindings() {
  std::vector<Binding> all;
  for (const State::Row& row : State::rows()) all.push_back(row.binding);
  return all;
}

}  // namespace mlc::repl
