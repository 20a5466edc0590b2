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

std::vector<std::string> inputs_in(const std::string& path) {
  std::vector<std::string> inputs;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    auto input = nlohmann::json::parse(line, nullptr, false);
    if (input.is_string()) inputs.push_back(input.get<std::string>());
  }
  return inputs;
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
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
}

Journal::~Journal() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());
  close(descriptor_);
}

void Journal::add(std::string_view input) {
  if (descriptor_ < 0) return;
  std::string line = nlohmann::json(input).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  // Where the disk is full there is no journal; the session goes on.
  [[maybe_unused]] auto written = write(descriptor_, line.data(), line.size());
}

std::optional<Journal::CutOff> Journal::cut_off() const {
  std::optional<CutOff> newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::string path = entry.path().string();
    struct stat about {};
    if (path == path_ || !path.ends_with(".jsonl") || is_running(path) || stat(path.c_str(), &about) != 0) continue;
    if (newest && newest->last >= about.st_mtime) continue;
    CutOff found{path, about.st_mtime, inputs_in(path)};
    if (found.inputs.empty()) {
      forget(found);
    } else {
      newest = std::move(found);
    }
  }
  return newest;
}

void Journal::forget(const CutOff& session) { unlink(session.path.c_str()); }

}  // namespace mlc::repl
