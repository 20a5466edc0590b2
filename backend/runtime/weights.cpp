// SPDX-License-Identifier: Apache-2.0
// Weights in a file beside the library or program that uses them. Stands alone: libc only, no C++ library.
#include "backend/runtime/weights.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr size_t kMostPath = 4096;

// Where this code lies, up to its last `/`. A program may have been found by PATH, and then has no path of
// its own.
bool folder_of_code(char* folder) {
  Dl_info info{};
  const char* file = nullptr;
  if (dladdr(reinterpret_cast<const void*>(&mlc_weights_open), &info) != 0) file = info.dli_fname;
  if (file != nullptr && strstr(file, ".so") != nullptr && strchr(file, '/') != nullptr &&
      strlen(file) < kMostPath) {
    strcpy(folder, file);
  } else {
    ssize_t length = readlink("/proc/self/exe", folder, kMostPath - 1);
    if (length < 0) return false;
    folder[length] = 0;
  }
  char* last = strrchr(folder, '/');
  if (last == nullptr) return false;
  last[1] = 0;
  return true;
}

uint32_t crc32(const unsigned char* bytes, int64_t count) {
  uint32_t crc = 0xffffffffU;
  for (int64_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

const void* mapped(MlcWeights* weights) {
  char path[2 * kMostPath] = "";
  auto fail = [&](const char* why) -> const void* {
    snprintf(weights->error, sizeof weights->error, "the weights in `%.700s` cannot be read: %.200s",
             path[0] != 0 ? path : weights->path, why);
    return nullptr;
  };
  if (strlen(weights->path) >= kMostPath) return fail("the path is too long");
  if (weights->path[0] != '/' && !folder_of_code(path)) return fail("the folder of the library is not known");
  strcat(path, weights->path);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(strerror(errno));
  struct stat about {};
  bool fits = fstat(file, &about) == 0 && about.st_size == weights->size;
  void* data =
      fits ? mmap(nullptr, static_cast<size_t>(weights->size), PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  int error = errno;
  close(file);
  if (!fits) return fail("it is not the file that was written with this library: its size is another one");
  if (data == MAP_FAILED) return fail(strerror(error));
  if (crc32(static_cast<const unsigned char*>(data), weights->header) !=
      static_cast<uint32_t>(weights->crc)) {
    munmap(data, static_cast<size_t>(weights->size));
    return fail("it is not the file that was written with this library: its tensors are others");
  }
  return data;
}

}  // namespace

extern "C" const void* mlc_weights_open(MlcWeights* weights) {
  if (const void* known = __atomic_load_n(&weights->data, __ATOMIC_ACQUIRE)) return known;
  static char busy = 0;
  while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) usleep(100);
  if (weights->data == nullptr) __atomic_store_n(&weights->data, mapped(weights), __ATOMIC_RELEASE);
  const void* found = weights->data;
  __atomic_clear(&busy, __ATOMIC_RELEASE);
  return found;
}
