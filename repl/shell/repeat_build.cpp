// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/repeat_build.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "backend/artefact/build_record.h"
#include "backend/artefact/write_whole.h"
#include "ir/core/files.h"
#include "repl/shell/kept_files.h"

namespace mlc::repl {

namespace {

using backend::record::Reader;

double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

bool read_file(const std::string& path, std::string& bytes) {
  if (ir::kind_of_file(path.c_str()) != 'f') return false;  // what is in a pipe can be read once
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat about {};
  bool whole = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  bytes.resize(whole ? static_cast<size_t>(about.st_size) : 0);
  size_t done = 0;
  while (whole && done < bytes.size()) {
    ssize_t n = read(file, bytes.data() + done, bytes.size() - done);
    if (n <= 0 && errno == EINTR) continue;
    whole = n > 0;
    done += whole ? static_cast<size_t>(n) : 0;
  }
  close(file);
  return whole;
}

// A text that mlc writes says so; one that somebody has written there since does not (refuse_source() then
// says that).
bool is_another_text(const std::string& path) {
  for (std::string_view binary : {".so", ".a", ".o"})
    if (path.ends_with(binary)) return false;
  std::string now;
  if (!read_file(path, now) || now.empty()) return false;
  std::string_view beginning = std::string_view(now).substr(0, 4096);
  return beginning.find('\0') == beginning.npos && !beginning.starts_with("!<arch>") &&
         !is_built_text(beginning);
}

// Are all files that the recorded build has looked for and read as they were?
bool same_inputs(Reader& reader) {
  std::string now;
  for (uint64_t left = reader.number(); left > 0 && reader.whole; --left) {
    char kind = static_cast<char>(reader.number());
    std::string path(reader.text());
    std::string_view content = reader.text();
    bool is_read = kind == 'r' || kind == 'd';
    if (is_read && !read_file(path, now)) return false;
    bool same = kind == 'r'   ? now == content
                : kind == 'd' ? backend::record::digest(now) == content
                              : ir::kind_of_file(path.c_str()) == kind;
    if (!same) return false;
  }
  return reader.whole;
}

}  // namespace

bool repeat_build(char** arguments) {
  double start = milliseconds();
  std::string folder = backend::cache_folder();
  std::string now = backend::circumstances(arguments, environ);
  if (folder.empty() || now.empty()) return false;
  std::string path = backend::record_path(folder, now), bytes;
  constexpr std::string_view kMark = backend::record::kMark;
  if (!read_file(path, bytes) || !std::string_view(bytes).starts_with(kMark)) return false;
  Reader reader{std::string_view(bytes).substr(kMark.size())};
  if (reader.number() != backend::checksum(reader.rest) || reader.text() != now || !same_inputs(reader))
    return false;
  std::string out(reader.text());
  bool executable = reader.number() == 1;
  std::string_view artefact = reader.text(), message = reader.text();
  struct stat there {};
  bool plain = lstat(out.c_str(), &there) == 0 ? S_ISREG(there.st_mode) : errno == ENOENT;
  if (!reader.whole || !plain || is_another_text(out)) return false;
  if (backend::write_whole(out, artefact, executable) != 0) return false;
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // it was used: others are forgotten first
  std::printf("%.*s%.1f ms (cache)\n", static_cast<int>(message.size()), message.data(),
              milliseconds() - start);
  return std::fflush(stdout) == 0;
}

}  // namespace mlc::repl
