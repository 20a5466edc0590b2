// SPDX-License-Identifier: Apache-2.0
#include "repl/session/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

void read_inputs(Journal::CutOff& session) {
  std::ifstream file(session.path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_string()) {
      session.unfinished = entry.get<std::string>();
    } else if (entry.is_boolean() && !session.unfinished.empty()) {
      session.inputs.push_back(std::exchange(session.unfinished, ""));
    }
  }
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
  std::error_code error;
  if (folder_.empty() || (fs::create_directories(folder_, error), error)) return;
  path_ = fmt::format("{}/{}-{}.jsonl", folder_, std::time(nullptr), getpid());
  // It has its name when it is locked: another session that begins would take it for one that was cut off.
  std::string beside = path_ + ".new";
  descriptor_ = open(beside.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ >= 0 && (flock(descriptor_, LOCK_EX) != 0 || rename(beside.c_str(), path_.c_str()) != 0)) {
    close(descriptor_);
    descriptor_ = -1;
  }
}

Journal::~Journal() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Journal::finish() {
  if (descriptor_ >= 0) unlink(path_.c_str());
}

void Journal::write_line(std::string line) {
  line += '\n';
  // Where the disk is full there is no journal; the session goes on.
  if (descriptor_ >= 0) [[maybe_unused]] auto written = ::write(descriptor_, line.data(), line.size());
}

Journal::Entry::Entry(Journal* journal, std::string_view input) : journal_(journal) {
  if (journal_ == nullptr) return;
  journal_->write_line(nlohmann::json(input).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Journal::Entry::~Entry() {
  if (journal_ != nullptr) journal_->write_line("true");
}

std::optional<Journal::CutOff> Journal::cut_off() const {
  std::optional<CutOff> newest;
  timespec newest_time{};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::string path = entry.path().string();
    struct stat about {};
    if (path == path_ || !path.ends_with(".jsonl") || is_running(path) || stat(path.c_str(), &about) != 0) continue;
    auto is_later = [](const timespec& a, const timespec& b) {
      return std::pair(a.tv_sec, a.tv_nsec) > std::pair(b.tv_sec, b.tv_nsec);
    };
    if (newest && !is_later(about.st_mtim, newest_time)) continue;
    CutOff found{path, about.st_mtime, {}, ""};
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

}  // namespace mlc::repl
