// SPDX-License-Identifier: Apache-2.0
// The cache of what was built: what comes back, what does not count, what is forgotten.
#include <unistd.h>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backend/artefact/cache.h"

namespace {

namespace fs = std::filesystem;
using mlc::backend::BuildCache;

struct Folder {
  fs::path path = fs::temp_directory_path() / fs::path("mlc_cache_" + std::to_string(getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
    setenv("MLC_CACHE_DIR", (path / "cache").c_str(), 1);
    setenv("MLC_CACHE_SIZE", "1", 1);  // 4 KiB for each folder of it
  }
  ~Folder() {
    unsetenv("MLC_CACHE_DIR");
    unsetenv("MLC_CACHE_SIZE");
    fs::remove_all(path);
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
  static std::string text(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
};

}  // namespace

TEST_CASE("the cache gives back what it was given", "[backend]") {
  Folder folder;
  auto cache = BuildCache::of_user();
  REQUIRE(cache);
  std::string key = BuildCache::key({"module", "llvm"});
  CHECK(key != BuildCache::key({"module", "c"}));
  CHECK(key != BuildCache::key({"modulel", "lvm"}));
  CHECK(key == BuildCache::key({"module", "llvm"}));
  std::string out = (folder.path / "out").string();
  CHECK_FALSE(cache->copy(key, out));
  std::string made = folder.file("made", std::string("\0code\n", 6));
  fs::permissions(made, fs::perms::owner_exec, fs::perm_options::add);
  cache->keep(key, made);
  REQUIRE(cache->copy(key, out));
  CHECK(Folder::text(out) == Folder::text(made));
  CHECK((fs::status(out).permissions() & fs::perms::owner_exec) != fs::perms::none);
  // One letter of it changed.
  fs::path entry = folder.path / "cache" / key.substr(0, 2) / key.substr(2);
  std::string bytes = Folder::text(entry);
  bytes.back() = 'x';
  std::ofstream(entry) << bytes;
  CHECK_FALSE(cache->copy(key, out));
}

TEST_CASE("the cache forgets what was not used the longest", "[backend]") {
  Folder folder;
  auto cache = BuildCache::of_user();
  std::string out = (folder.path / "out").string(), shelf = "ab" + std::string(61, '0');
  for (char name : std::string("123456789")) {
    cache->keep(shelf + name, folder.file("made", std::string(1000, name)));
    fs::path entry = folder.path / "cache" / "ab" / (shelf.substr(2) + name);
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::minutes('9' + 1 - name));
    if (name > '1') CHECK(cache->copy(shelf + "1", out));  // which is used again and again
  }
  CHECK(cache->copy(shelf + "9", out));
  CHECK(cache->copy(shelf + "1", out));
  CHECK_FALSE(cache->copy(shelf + "2", out));
  uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder.path / "cache" / "ab")) total += entry.file_size();
  CHECK(total <= 4096);
}
