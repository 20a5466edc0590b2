// SPDX-License-Identifier: Apache-2.0
// The record of a build: under which circumstances the very same command makes the very same file. The
// program writes it (cache.cpp), the launcher reads it (repl/launcher), which therefore needs nothing
// but the C library here.
#pragma once

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace mlc::backend {

// Where builds are kept: $MLC_CACHE_DIR, else $XDG_CACHE_HOME/mlc, else ~/.cache/mlc; empty where none is
// known.
inline std::string cache_folder() {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::string own = variable("MLC_CACHE_DIR"); !own.empty()) return own;
  if (std::string caches = variable("XDG_CACHE_HOME"); !caches.empty()) return caches + "/mlc";
  if (std::string home = variable("HOME"); !home.empty()) return home + "/.cache/mlc";
  return "";
}

// FNV-1a in words of eight bytes: it finds what a disk or a crash has spoilt, and names files.
inline uint64_t checksum(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](uint64_t word) { hash = (hash ^ word) * 0x100000001b3, hash ^= hash >> 29U; };
  add(bytes.size());
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    add(word);
  }
  for (char byte : bytes) add(static_cast<unsigned char>(byte));
  return hash;
}

namespace record {

constexpr std::string_view kMark = "mlc build 1\n";

inline void put(std::string& to, uint64_t number) { to.append(reinterpret_cast<const char*>(&number), 8); }
inline void put(std::string& to, std::string_view text) {
  put(to, text.size());
  to += text;
}

// Takes the parts of a record out of it again; what is not there is empty, and `whole` false then.
struct Reader {
  std::string_view rest;
  bool whole = true;

  uint64_t number() {
    uint64_t value = 0;
    if (rest.size() < 8) return whole = false, 0;
    std::memcpy(&value, rest.data(), 8);
    rest.remove_prefix(8);
    return value;
  }
  std::string_view text() {
    uint64_t size = number();
    if (size > rest.size()) return whole = false, std::string_view();
    std::string_view value = rest.substr(0, size);
    rest.remove_prefix(size);
    return value;
  }
};

}  // namespace record

// Everything outside of files that a build depends on: the command, the current folder, the variables that
// mlc reads, the machine, and the program `mlc` itself, as the file of that path. Empty where one of them
// cannot be told.
inline std::string circumstances(char* const* arguments, char* const* environment, const char* program) {
  std::string all;
  struct stat own {};
  utsname machine{};
  char folder[4096];
  if (stat(program, &own) != 0 || uname(&machine) != 0 || getcwd(folder, sizeof folder) == nullptr) return "";
  for (uint64_t number : {static_cast<uint64_t>(own.st_dev), static_cast<uint64_t>(own.st_ino),
                          static_cast<uint64_t>(own.st_size), static_cast<uint64_t>(own.st_mtim.tv_sec),
                          static_cast<uint64_t>(own.st_mtim.tv_nsec)})
    record::put(all, number);
  record::put(all, std::string_view(machine.nodename));
  record::put(all, std::string_view(folder));
  for (; *arguments != nullptr; ++arguments) record::put(all, std::string_view(*arguments));
  record::put(all, "");
  for (; *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, "MLC", 3) == 0 || std::strncmp(*environment, "TVM", 3) == 0)
      record::put(all, std::string_view(*environment));
  }
#ifdef __x86_64__
  for (unsigned leaf : {1U, 7U, 0x80000001U, 0x80000002U, 0x80000003U, 0x80000004U}) {
    unsigned words[4] = {};
    __get_cpuid_count(leaf, 0, &words[0], &words[1], &words[2], &words[3]);
    if (leaf == 1) words[1] = 0;  // which core asks
    all.append(reinterpret_cast<const char*>(words), sizeof words);
  }
#endif
  return all;
}

// Where the record of these circumstances lies, in the same folders as the artefacts.
inline std::string record_path(const std::string& folder, std::string_view circumstances) {
  constexpr char kDigits[] = "0123456789abcdef";
  uint64_t hash = checksum(circumstances);
  std::string name(16, '0');
  for (size_t i = 0; i < 16; ++i) name[i] = kDigits[(hash >> (4 * i)) & 15U];
  return folder + "/" + name.substr(0, 2) + "/" + name.substr(2) + ".build";
}

}  // namespace mlc::backend
