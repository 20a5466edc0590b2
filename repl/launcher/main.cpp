// SPDX-License-Identifier: Apache-2.0
// mlc, as it is typed. A build whose circumstances and inputs are those of a recorded one is repeated here,
// without a look at the program; whatever else is wanted, or is the least unusual, mlc-main does.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "backend/artefact/build_record.h"
#include "backend/artefact/write_whole.h"
#include "ir/core/file_kind.h"

namespace {

using mlc::backend::record::Reader;

double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

bool read_file(const std::string& path, std::string& bytes) {
  if (mlc::ir::kind_of_file(path.c_str()) != 'f') return false;  // what is in a pipe can be read once
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

// Are all files that the recorded build has looked for and read as they were?
bool same_inputs(Reader& reader) {
  std::string now;
  for (uint64_t left = reader.number(); left > 0 && reader.whole; --left) {
    char kind = static_cast<char>(reader.number());
    std::string path(reader.text());
    std::string_view content = reader.text();
    if (kind == 'r' ? !read_file(path, now) || now != content : mlc::ir::kind_of_file(path.c_str()) != kind)
      return false;
  }
  return reader.whole;
}

// False where the build is not known, or nothing was written.
bool repeat_build(char** arguments, const char* program) {
  double start = milliseconds();
  std::string folder = mlc::backend::cache_folder();
  std::string now = mlc::backend::circumstances(arguments, environ, program);
  if (folder.empty() || now.empty()) return false;
  std::string path = mlc::backend::record_path(folder, now), bytes;
  constexpr std::string_view kMark = mlc::backend::record::kMark;
  if (!read_file(path, bytes) || !std::string_view(bytes).starts_with(kMark)) return false;
  Reader reader{std::string_view(bytes).substr(kMark.size())};
  if (reader.number() != mlc::backend::checksum(reader.rest) || reader.text() != now || !same_inputs(reader))
    return false;
  std::string out(reader.text());
  bool executable = reader.number() == 1;
  std::string_view artefact = reader.text(), message = reader.text();
  struct stat there {};
  bool plain = lstat(out.c_str(), &there) == 0 ? S_ISREG(there.st_mode) : errno == ENOENT;
  if (!reader.whole || !plain || mlc::backend::write_whole(out, artefact, executable) != 0) return false;
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // it was used: others are forgotten first
  std::printf("%.*s%.1f ms (cache)\n", static_cast<int>(message.size()), message.data(),
              milliseconds() - start);
  return std::fflush(stdout) == 0;
}

// mlc-main beside this file; empty where the system does not say which file this is.
std::string program_path() {
  char own[4096];
  ssize_t size = readlink("/proc/self/exe", own, sizeof own);
  if (size <= 0 || size == static_cast<ssize_t>(sizeof own)) return "";
  std::string_view path(own, static_cast<size_t>(size));
  return std::string(path.substr(0, path.rfind('/') + 1)) + "mlc-main";
}

}  // namespace

int main(int argc, char** argv) {
  std::string program = program_path();
  if (argc > 2 && std::string_view(argv[1]) == "build" && repeat_build(argv + 1, program.c_str())) return 0;
  execv(program.c_str(), argv);
  std::fprintf(stderr, "error: the program of mlc cannot be started: `%s`: %s\n", program.c_str(),
               std::strerror(errno));
  return 3;
}
