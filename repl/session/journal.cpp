// SPDX-License-Identifier: Apache-2.0
#include "repl/session/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

using Handler = nlohmann::json::error_handler_t;

std::string json_line(const nlohmann::json& value) { return value.dump(-1, ' ', false, Handler::replace); }
nlohmann::json answer_entry(const std::optional<std::string>& answer) {
  return {{"answer", answer ? nlohmann::json(*answer) : nlohmann::json()}};
}

void read_inputs(Journal::CutOff& session) {
  std::ifstream file(session.path, std::ios::binary);
  JournalledInput input;
  for (std::string line; std::getline(file, line);) {
    auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_string()) {
      input = {.text = entry.get<std::string>()};
    } else if (entry.is_boolean() && !input.text.empty()) {
      session.inputs.push_back(std::exchange(input, {}));
    } else if (entry.is_object()) {
      auto is = [&](const char* name, auto of_type) {
        return entry.contains(name) && (entry[name].*of_type)();
      };
      if (is("answer", &nlohmann::json::is_string))
        input.answers.emplace_back(entry["answer"].get<std::string>());
      if (is("answer", &nlohmann::json::is_null)) input.answers.emplace_back();
      if (is("file", &nlohmann::json::is_string)) input.files.push_back(entry["file"].get<std::string>());
      if (is("begins", &nlohmann::json::is_number_unsigned)) session.states = entry["begins"].get<size_t>();
      if (is("shifts", &nlohmann::json::is_array)) {
        try {
          session.shifts = entry["shifts"].get<Journal::Shifts>();
        } catch (const nlohmann::json::exception&) {  // not ours
        }
      }
      if (is("stopped", &nlohmann::json::is_number_unsigned)) input.stopped = entry["stopped"].get<size_t>();
    }
  }
  session.unfinished = input.text;
}

std::string entry_text(const JournalledInput& input) {
  std::string lines = json_line(input.text) + "\n";
  for (const auto& answer : input.answers) lines += json_line(answer_entry(answer)) + "\n";
  for (const std::string& file : input.files) lines += json_line({{"file", file}}) + "\n";
  if (input.stopped) lines += json_line({{"stopped", *input.stopped}}) + "\n";
  return lines;
}

// Does the session that writes this file still run?
bool is_running(const std::string& path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return true;  // not ours
  bool locked = flock(descriptor, LOCK_EX | LOCK_NB) != 0;
  close(descriptor);
  return locked;
}

}  // namespace

Journal::Journal(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  if (fs::create_directories(folder_, error); error) {
    trouble_ = fmt::format("`{}`: {}", folder_, error.message());
    return;
  }
  path_ = fmt::format("{}/{}-{}.jsonl", folder_, std::time(nullptr), getpid());
  // It has its name when it is locked: another session that begins would take it for one that was cut off.
  std::string beside = path_ + ".new";
  descriptor_ = open(beside.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) == 0 && rename(beside.c_str(), path_.c_str()) == 0)
    return;
  trouble_ = fmt::format("`{}`: {}", path_, std::strerror(errno));
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

Journal::~Journal() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Journal::finish() {
  if (descriptor_ >= 0) unlink(path_.c_str());
}

// Where the disk is full the session goes on, says so, and writes the rest when there is room again.
void Journal::write_line(std::string line) {
  if (descriptor_ < 0) return;
  behind_ += line + "\n";
  ssize_t written = ::write(descriptor_, behind_.data(), behind_.size());
  int why = written < 0 ? errno : ENOSPC;
  if (written > 0) behind_.erase(0, static_cast<size_t>(written));
  if (!behind_.empty()) trouble_ = fmt::format("`{}`: {}", path_, std::strerror(why));
}

std::string Journal::trouble() {
  if (trouble_ == told_of_) return "";
  return told_of_ = trouble_;
}

void Journal::begin(size_t states) { write_line(json_line({{"begins", states}})); }

size_t Journal::state_now(size_t number) const {
  std::ptrdiff_t shift = 0;
  for (auto [behind, by] : shifts_)
    if (again_ != nullptr && number > behind) shift = by;
  return static_cast<size_t>(static_cast<std::ptrdiff_t>(number) + shift);
}

Journal::Entry::Entry(Journal* journal, std::string_view input, const std::optional<size_t>* stopped)
    : journal_(journal), stopped_(stopped) {
  if (journal_ != nullptr) journal_->write_line(json_line(input));
}

Journal::Entry::~Entry() {
  if (journal_ == nullptr) return;
  if (stopped_ != nullptr && *stopped_) journal_->write_line(json_line({{"stopped", **stopped_}}));
  journal_->write_line("true");
}

std::optional<std::string> Journal::answer(const std::function<std::optional<std::string>()>& ask) {
  bool known = again_ != nullptr && told_.answers < again_->answers.size();
  std::optional<std::string> answer = known ? again_->answers[told_.answers++] : ask();
  write_line(json_line(answer_entry(answer)));
  return answer;
}

std::optional<std::string> Journal::file_again() {
  if (again_ == nullptr || told_.files == again_->files.size()) return std::nullopt;
  return again_->files[told_.files++];
}

void Journal::note_file(std::string_view text) { write_line(json_line({{"file", text}})); }

std::optional<Journal::CutOff> Journal::cut_off() const {
  std::optional<CutOff> newest;
  timespec newest_time{};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::string path = entry.path().string();
    struct stat about {};
    if (path == path_ || !path.ends_with(".jsonl") || is_running(path) || stat(path.c_str(), &about) != 0)
      continue;
    auto is_later = [](const timespec& a, const timespec& b) {
      return std::pair(a.tv_sec, a.tv_nsec) > std::pair(b.tv_sec, b.tv_nsec);
    };
    if (newest && !is_later(about.st_mtim, newest_time)) continue;
    CutOff found;
    found.path = path;
    found.last = about.st_mtime;
    read_inputs(found);
    if (found.inputs.empty() && found.unfinished.empty()) {
      forget(found);
    } else {
      newest = std::move(found);
      newest_time = about.st_mtim;
    }
  }
  return newest;
}

void Journal::forget(const CutOff& session) { unlink(session.path.c_str()); }

void Journal::forget(const CutOff& left, size_t inputs) {
  std::string lines = json_line({{"begins", left.states}, {"shifts", left.shifts}}) + "\n";
  for (const JournalledInput& input : std::span(left.inputs).subspan(inputs))
    lines += entry_text(input) + "true\n";
  if (!left.unfinished.empty()) lines += entry_text({.text = left.unfinished});
  std::string beside = left.path + ".new";
  std::ofstream file(beside, std::ios::binary);
  file << lines;
  file.close();
  // Better all of them again than none.
  if (!file || rename(beside.c_str(), left.path.c_str()) != 0) unlink(beside.c_str());
}

}  // namespace mlc::repl
