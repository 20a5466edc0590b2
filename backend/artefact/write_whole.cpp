// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/write_whole.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace mlc::backend {

int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(file, bytes.data(), bytes.size());
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) return errno;
  }
  return 0;
}

namespace {

// Owner first: a change of owner takes away the bits of setuid and setgid. Who may not give files away keeps
// the new one as his own.
int hand_on(const struct stat& before, int file, bool executable) {
  struct stat now {};
  if (fstat(file, &now) != 0) return errno;
  mode_t mode = before.st_mode & 07777U;
  if (now.st_uid != before.st_uid || now.st_gid != before.st_gid) {
    if (fchown(file, before.st_uid, before.st_gid) != 0) mode &= 0777U;
  }
  if (executable) mode |= (mode & 0444U) >> 2U;  // whoever reads a program may run it
  return fchmod(file, mode) == 0 ? 0 : errno;
}

}  // namespace

int write_whole(const std::string& place, std::string_view bytes, bool executable) {
  const mode_t mode = executable ? 0777 : 0666;
  struct stat before {};
  bool replaces = stat(place.c_str(), &before) == 0;
  if (replaces && access(place.c_str(), W_OK) != 0) return errno;
  std::string beside = place + "." + std::to_string(getpid()) + ".part";
  size_t slash = place.rfind('/');
  std::string folder = slash == std::string::npos ? "." : place.substr(0, slash + 1);
  bool can_be_named = access("/proc/self/fd", X_OK) == 0;
  int file = can_be_named ? open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode) : -1;
  bool nameless = file >= 0;
  if (!nameless) file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return errno;
  // With its blocks there already, ext4 need not wait for the disk when the file replaces another.
  if (!bytes.empty()) posix_fallocate(file, 0, static_cast<off_t>(bytes.size()));
  int failed = write_all(file, bytes);
  if (failed == 0 && replaces) failed = hand_on(before, file, executable);
  bool in_place = false;
  if (nameless && failed == 0) {
    std::string now = "/proc/self/fd/" + std::to_string(file);
    auto name = [&](const std::string& as) {
      return linkat(AT_FDCWD, now.c_str(), AT_FDCWD, as.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    in_place = name(place);
    if (!in_place && errno == EEXIST) {  // only a file with a name can replace another
      unlink(beside.c_str());
      if (!name(beside)) failed = errno;
    } else if (!in_place) {
      failed = errno;
    }
  }
  if (close(file) != 0 && failed == 0) failed = errno;
  if (failed == 0 && !in_place && rename(beside.c_str(), place.c_str()) != 0) failed = errno;
  if (failed != 0 && !in_place) unlink(beside.c_str());
  return failed;
}

}  // namespace mlc::backend
