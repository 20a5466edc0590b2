// SPDX-License-Identifier: Apache-2.0
#include "backend/artefact/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "backend/artefact/build_record.h"
#include "backend/artefact/write_file.h"
#include "backend/artefact/write_whole.h"
#include "backend/llvm/digest.h"
#include "ir/core/files.h"
#include "ir/core/refusal.h"

namespace mlc::backend {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "bad-cache-size",
                                            .message = "MLC_CACHE_SIZE is `{}`, which is no number of MiB",
                                            .help = "0 turns the cache off"},
                                       }};
MLC_REFUSALS(artefact_cache, refusals);

namespace {

namespace fs = std::filesystem;
using llvm_backend::digest;

constexpr uint64_t kMebibytes = 512, kShelves = 256;
constexpr std::string_view kMark = "mlc cache 1\n";
constexpr size_t kDigest = 64;  // hexadecimal digits

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_executable(const std::string& path) {
  std::error_code failed;
  return (fs::status(path, failed).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

fs::path place(const std::string& folder, const std::string& key) {
  return fs::path(folder) / key.substr(0, 2) / key.substr(2);
}

}  // namespace

std::optional<BuildCache> BuildCache::of_user() {
  uint64_t size = kMebibytes;
  if (std::string text = variable("MLC_CACHE_SIZE"); !text.empty()) {
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (failed != std::errc() || end != text.data() + text.size() || size > (uint64_t{1} << 30U)) {
      throw ir::refuse(refusals["bad-cache-size"], text);
    }
  }
  if (size == 0) return std::nullopt;
  std::string folder = cache_folder();
  if (folder.empty()) return std::nullopt;
  return BuildCache(folder, (size << 20U) / kShelves);
}

std::string BuildCache::key(const std::vector<std::string>& parts) {
  std::string all;
  // Another build of mlc may compile to other code.
  struct stat own {};
  if (stat("/proc/self/exe", &own) == 0)
    all = fmt::format("{} {}.{}\n", own.st_size, own.st_mtim.tv_sec, own.st_mtim.tv_nsec);
  for (const std::string& part : parts) all += fmt::format("{}\n{}", part.size(), part);
  return digest(all);
}

namespace {

// What an entry holds, and whether it is a program; its time of use becomes now. None where it is not whole.
struct Kept {
  std::string bytes;
  bool executable = false;
};
std::optional<Kept> read_entry(const fs::path& entry) {
  std::optional<std::string> bytes = ir::read_file(entry);
  if (!bytes || bytes->size() < kMark.size() + kDigest + 2 || !bytes->starts_with(kMark)) return std::nullopt;
  std::string_view all = *bytes;
  std::string_view body = all.substr(kMark.size() + kDigest + 2);
  if (all.substr(kMark.size(), kDigest) != digest(body)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);
  return Kept{std::string(body), all[kMark.size() + kDigest] == 'x'};
}
std::string head_of(std::string_view body, bool executable) {
  return fmt::format("{}{}{}\n", kMark, digest(body), executable ? 'x' : '-');
}

}  // namespace

bool BuildCache::copy(const std::string& key, const std::string& path) const {
  std::optional<Kept> kept = read_entry(place(folder_, key));
  if (kept) write_file(path, kept->bytes, kept->executable);
  return kept.has_value();
}

std::optional<std::string> BuildCache::find(const std::string& key) const {
  std::optional<Kept> kept = read_entry(place(folder_, key));
  return kept ? std::optional(std::move(kept->bytes)) : std::nullopt;
}

void BuildCache::keep_bytes(const std::string& key, std::string_view bytes) const {
  keep_entry(place(folder_, key), head_of(bytes, false), bytes);
}

void BuildCache::keep(const std::string& key, const std::string& path) const {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return;  // `/dev/stdout` has nothing to read
  std::optional<std::string> body = ir::read_file(path);
  if (!body) return;
  keep_entry(place(folder_, key), head_of(*body, is_executable(path)), *body);
}

void BuildCache::keep_record(const std::string& circumstances, const std::vector<ir::Input>& inputs,
                             const std::string& path, std::string_view message) const {
  std::error_code failed;
  std::optional<std::string> artefact = ir::read_file(path);
  if (circumstances.empty() || !artefact || !fs::is_regular_file(path, failed)) return;
  std::string body;
  record::put(body, circumstances);
  record::put(body, inputs.size());
  for (const ir::Input& input : inputs) {
    record::put(body, static_cast<uint64_t>(input.kind));
    record::put(body, input.path);
    record::put(body, input.content);
  }
  record::put(body, path);
  record::put(body, is_executable(path) ? 1 : 0);
  record::put(body, *artefact);
  record::put(body, message);
  std::string head(record::kMark);
  record::put(head, checksum(body));
  keep_entry(record_path(folder_, circumstances), head, body);
}

// Silently where that fails.
void BuildCache::keep_entry(const std::string& entry, std::string_view head, std::string_view body) const {
  std::error_code failed;
  fs::path shelf = fs::path(entry).parent_path();
  fs::create_directories(shelf, failed);
  if (write_whole(entry, fmt::format("{}{}", head, body), false) == 0) forget_oldest(shelf);
}

// Also what killed processes left.
void BuildCache::forget_oldest(const std::string& shelf) const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    uint64_t bytes;
  };
  std::error_code ended, failed;
  std::vector<Entry> entries;
  uint64_t total = 0;
  auto an_hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator one(shelf, ended); !ended && one != fs::directory_iterator();
       one.increment(ended)) {
    Entry entry{one->path(), one->last_write_time(failed), 0};
    if (!failed) entry.bytes = one->file_size(failed);
    if (failed) continue;  // another process has forgotten it
    if (entry.path.extension() == ".part") {
      if (entry.used < an_hour_ago) fs::remove(entry.path, failed);
      continue;
    }
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (total <= share_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (size_t i = 0; i + 1 < entries.size() && total > share_; ++i) {
    if (fs::remove(entries[i].path, failed)) total -= entries[i].bytes;
  }
}

}  // namespace mlc::backend
