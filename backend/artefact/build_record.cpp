// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/build_record.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace mlc::backend {

std::string cache_folder() {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::string own = variable("MLC_CACHE_DIR"); !own.empty()) return own;
  if (std::string caches = variable("XDG_CACHE_HOME"); !caches.empty()) return caches + "/mlc";
  if (std::string home = variable("HOME"); !home.empty()) return home + "/.cache/mlc";
  return "";
}

uint64_t checksum(std::string_view bytes) {
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

void put(std::string& to, uint64_t number) { to.append(reinterpret_cast<const char*>(&number), 8); }
void put(std::string& to, std::string_view text) {
  put(to, text.size());
  to += text;
}

std::string digest(std::string_view content) {
  std::string made;
  put(made, content.size());
  put(made, checksum(content));
  return made;
}

uint64_t Reader::number() {
  uint64_t value = 0;
  if (rest.size() < 8) return whole = false, 0;
  std::memcpy(&value, rest.data(), 8);
  rest.remove_prefix(8);
  return value;
}

std::string_view Reader::text() {
  uint64_t size = number();
  if (size > rest.size()) return whole = false, std::string_view();
  std::string_view value = rest.substr(0, size);
  rest.remove_prefix(size);
  return value;
}

}  // namespace record

std::string circumstances(char* const* arguments, char* const* environment) {
  std::string all;
  struct stat own {};
  utsname machine{};
  char folder[4096];
  if (stat("/proc/self/exe", &own) != 0 || uname(&machine) != 0 || getcwd(folder, sizeof folder) == nullptr)
    return "";
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

std::string record_path(const std::string& folder, std::string_view circumstances) {
  constexpr char kDigits[] = "0123456789abcdef";
  uint64_t hash = checksum(circumstances);
  std::string name(16, '0');
  for (size_t i = 0; i < 16; ++i) name[i] = kDigits[(hash >> (4 * i)) & 15U];
  return folder + "/" + name.substr(0, 2) + "/" + name.substr(2) + ".build";
}

}  // namespace mlc::backend
