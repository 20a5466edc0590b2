// SPDX-License-Identifier: Apache-2.0
// What strong operations on memory order (PTX ISA, memory consistency model): a release and the acquire that
// reads what it wrote, fences in front of relaxed writes and behind relaxed reads, and how far each reaches.
// Two of them on one word do not race where both reach the other's thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "backend/interp/gpu/async.h"

namespace mlc::interp {

struct AccessPoint;
struct Block;

// The threads among which an operation is strong. All GPUs of a system are one here.
enum class Reaches : uint8_t { kBlock, kCluster, kAll };

struct Order {
  bool strong = false, acquires = false, releases = false;
  Reaches reaches = Reaches::kAll;

  // Of an instruction's modifiers (`acquire`, `cluster`); a fence has both halves unless it says one.
  static Order of(std::string_view sem, std::string_view scope);
  static Order of_fence(std::string_view sem, std::string_view scope);
  static constexpr Order relaxed() { return {true}; }
};

// What a word of memory stands for: clocks that who reads it and acquires has seen then, in the block that
// has written it and in the others; and the writes that it comes from, by thread.
struct Released {
  int rank = -1;
  Clocks of_block = {}, of_others = {}, visible = {};
  std::map<int, uint32_t> writes = {};
};

// What relaxed reads have found, for the next fence; and threads of whom a word has been read.
struct Found {
  SharedClocks of_block, of_others, visible;
  std::set<int> writers = {};
};

// A word that a thread has asked for, with what it found there.
struct Asked {
  const AccessPoint* point = nullptr;
  Block* memory = nullptr;
  char* at = nullptr;
  auto operator<=>(const Asked&) const = default;
};

}  // namespace mlc::interp
