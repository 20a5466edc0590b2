// SPDX-License-Identifier: Apache-2.0
// The inputs of a session on disk as they are typed, so that one that was cut off can be taken up again.
#pragma once

#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl {

// What happened around an input, for it to be run again as it ran.
struct JournalledInput {
  std::string text;
  // What it was told: lines of `input()`, nullopt behind the last one, and the files that it loaded.
  std::vector<std::optional<std::string>> answers;
  std::vector<std::string> files;
  std::optional<size_t> stopped;  // Ctrl-C has stopped this one of its statements, counted from 0
};

// A folder holds one file per session that runs, locked as long as it does: a file without a lock is what a
// session that was killed has left. A line of JSON each: a string is an input that begins, objects are what
// it is told, `true` is its end.
class Journal {
 public:
  // "" keeps no journal, as does a folder that cannot be written.
  explicit Journal(std::string folder);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // So many states are there before anything is typed: those of the user's init file.
  void begin(size_t states);

  // The session has come to its regular end: its file goes.
  void finish();

  // Why inputs are not kept, where they are not; each reason once.
  std::string trouble();

  // While one lives an input runs.
  class Entry {
   public:
    // Null: nothing is written. `stopped` is read at the end.
    Entry(Journal* journal, std::string_view input, const std::optional<size_t>* stopped = nullptr);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    Journal* journal_;
    const std::optional<size_t>* stopped_;
  };

  // What the input that runs is told: as it was the first time while one is run again, else what `ask`
  // returns.
  std::optional<std::string> answer(const std::function<std::optional<std::string>()>& ask);
  std::optional<std::string> file_again();
  void note_file(std::string_view text);

  // While one lives an input is run again.
  class Again {
   public:
    Again(Journal& journal, const JournalledInput& input) : journal_(journal) {
      journal.again_ = &input, journal.told_ = {};
    }
    ~Again() { journal_.again_ = nullptr; }
    Again(const Again&) = delete;
    Again& operator=(const Again&) = delete;

   private:
    Journal& journal_;
  };
  // Of a state in the session that was cut off: how far its number lies from that here. Each pair is for the
  // numbers behind its first.
  using Shifts = std::vector<std::pair<size_t, std::ptrdiff_t>>;
  void set_shifts(Shifts shifts) { shifts_ = std::move(shifts); }
  // The state that an input means, by its number.
  size_t state_now(size_t number) const;
  // Was this statement of it stopped the first time?
  bool was_stopped(size_t statement) const { return again_ != nullptr && again_->stopped == statement; }

  struct CutOff {
    std::string path;
    std::time_t last = 0;  // when its last input was written
    size_t states = 0;     // that were there before the inputs
    Shifts shifts;         // of the inputs that are taken up already
    std::vector<JournalledInput> inputs;
    std::string unfinished;  // the input that ran when the session was cut off; "" where none did
  };
  // The newest session that was cut off.
  std::optional<CutOff> cut_off() const;
  // It is taken up, or not wanted.
  static void forget(const CutOff& session);
  // The first ones of its inputs are taken up; `left.states` are behind them.
  static void forget(const CutOff& left, size_t inputs);

 private:
  void write_line(std::string line);

  std::string folder_, path_, trouble_, told_of_;
  int descriptor_ = -1;
  std::string behind_;  // what could not be written yet
  const JournalledInput* again_ = nullptr;
  Shifts shifts_;
  struct {
    size_t answers = 0, files = 0;
  } told_;  // of `again_`
};

}  // namespace mlc::repl
