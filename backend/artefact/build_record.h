// SPDX-License-Identifier: Apache-2.0
// The record of a build: under which circumstances the very same command makes the very same file. cache.cpp
// writes it, repl/shell/repeat_build.cpp reads it, first thing in main(), before anything of mlc is set up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mlc::backend {

// Where builds are kept: $MLC_CACHE_DIR, else $XDG_CACHE_HOME/mlc, else ~/.cache/mlc; empty where none is
// known.
std::string cache_folder();

// FNV-1a over 8-byte words: it detects corrupted files, and names files.
uint64_t checksum(std::string_view bytes);

namespace record {

constexpr std::string_view kMark = "mlc build 1\n";

void put(std::string& to, uint64_t number);
void put(std::string& to, std::string_view text);
// What stands for the content of a large file: its size and its checksum.
std::string digest(std::string_view content);

// Takes the parts of a record out of it again; what is not there is empty, and `whole` false then.
struct Reader {
  std::string_view rest;
  bool whole = true;

  uint64_t number();
  std::string_view text();
};

}  // namespace record

// Everything outside of files that a build depends on: the command, the current folder, the variables that
// mlc reads, the machine, and the program itself, as the file that runs. Empty where one of them is unknown.
std::string circumstances(char* const* arguments, char* const* environment);

// The path of the record of these circumstances, in the same folders as the artefacts.
std::string record_path(const std::string& folder, std::string_view circumstances);

}  // namespace mlc::backend
