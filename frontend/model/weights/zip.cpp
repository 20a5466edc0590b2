// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/weights/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "zip-directory",
         .meaning =
             "A zip archive ends with a directory that says where its entries are; without it, or with one "
             "that is not true, nothing of it is read."},
        {.name = "zip-bomb",
         .meaning =
             "The archive would become far larger than any weights are compressed: such archives are made to "
             "fill memories."},
        {.name = "zip-damaged",
         .message = "`{}`: the bytes of `{}` are damaged: {}",
         .meaning = "The archive holds a checksum of each entry, and what is read must have it."},
    }};
MLC_REFUSALS(weights_zip, refusals);

namespace {

constexpr uint64_t kEnd = 22, kEnd64 = 56, kLocator = 20, kDirectoryEntry = 46, kLocal = 30;
// A bit of deflate makes at most 258 bytes of two codes: 1032 times as many bytes.
constexpr uint64_t kMostRatio = 1032;
// Weights compress by half at best; arrays of zeros further. What becomes this much, and more than a hundred
// times the file, is a bomb.
constexpr uint64_t kMostUnpacked = uint64_t{1} << 30;

class Directory {
 public:
  explicit Directory(const Source& source) : source_(source), bytes_(source.bytes) {}

  std::vector<ZipEntry> entries() {
    find();
    std::vector<ZipEntry> all;
    for (uint64_t i = 0; i < count_; ++i) all.push_back(entry());
    check_apart(all);
    check_size(all);
    return all;
  }

 private:
  const Source& source_;
  std::span<const uint8_t> bytes_;
  uint64_t at_ = 0, end_ = 0, count_ = 0;  // of the directory

  template <class T>
  T number(uint64_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  bool inside(uint64_t at, uint64_t size) const { return at <= bytes_.size() && size <= bytes_.size() - at; }
  ir::Error wrong(const std::string& what) const {
    return ir::refuse_as(refusals["zip-directory"], "`{}`: {}", source_.name, what);
  }

  void find() {
    uint64_t size = bytes_.size();
    if (size < kEnd) throw wrong("the file is too short for a zip archive");
    uint64_t at = size - kEnd,
             first = size > kEnd + 0xffff ? size - kEnd - 0xffff : 0;  // behind it: a comment
    while (number<uint32_t>(at) != 0x06054b50) {
      if (at-- == first) throw wrong("the archive has no directory: it ends too early");
    }
    count_ = number<uint16_t>(at + 10);
    uint64_t directory = number<uint32_t>(at + 12);
    at_ = number<uint32_t>(at + 16);
    if (count_ == 0xffff || directory == 0xffffffff || at_ == 0xffffffff) {
      if (at < kLocator || number<uint32_t>(at - kLocator) != 0x07064b50)
        throw wrong("the directory of a large archive is not where it should be");
      uint64_t large = number<uint64_t>(at - kLocator + 8);
      if (!inside(large, kEnd64) || number<uint32_t>(large) != 0x06064b50)
        throw wrong("the directory of a large archive is not where it should be");
      count_ = number<uint64_t>(large + 32);
      directory = number<uint64_t>(large + 40);
      at_ = number<uint64_t>(large + 48);
    }
    if (!inside(at_, directory))
      throw wrong(fmt::format("the directory is said to be at byte {}, outside of the file", at_));
    end_ = at_ + directory;
  }

  ZipEntry entry() {
    if (end_ - at_ < kDirectoryEntry || number<uint32_t>(at_) != 0x02014b50)
      throw wrong(fmt::format("the directory breaks off, of {} entries", count_));
    uint64_t start = at_;
    auto flags = number<uint16_t>(start + 8), method = number<uint16_t>(start + 10);
    uint64_t name = number<uint16_t>(start + 28), extra = number<uint16_t>(start + 30),
             comment = number<uint16_t>(start + 32);
    if (end_ - at_ - kDirectoryEntry < name + extra + comment)
      throw wrong("the directory breaks off inside a name");
    ZipEntry one;
    one.name.assign(reinterpret_cast<const char*>(bytes_.data()) + start + kDirectoryEntry, name);
    if (!is_utf8(one.name)) throw wrong("the name of an entry is no UTF-8");
    if ((flags & 1) != 0) throw wrong(fmt::format("`{}` is encrypted", one.name));
    if (method != 0 && method != 8)
      throw wrong(fmt::format("`{}` is compressed by method {}; stored and deflated entries are read",
                              one.name, method));
    one.deflated = method == 8;
    one.checksum = number<uint32_t>(start + 16);
    one.packed = number<uint32_t>(start + 20);
    one.size = number<uint32_t>(start + 24);
    uint64_t local = number<uint32_t>(start + 42);
    large_numbers(one, local, start + kDirectoryEntry + name, extra);
    at_ = start + kDirectoryEntry + name + extra + comment;
    // What stands before the bytes says again what the directory says; its names have lengths of their own.
    if (!inside(local, kLocal) || number<uint32_t>(local) != 0x04034b50)
      throw wrong(fmt::format("`{}` is said to be at byte {}, where none begins", one.name, local));
    one.begin = local + kLocal + number<uint16_t>(local + 26) + number<uint16_t>(local + 28);
    if (!inside(one.begin, one.packed))
      throw wrong(fmt::format("`{}` has {} bytes from {} on, behind the end of the file at {}", one.name,
                              one.packed, one.begin, bytes_.size()));
    if (!one.deflated && one.packed != one.size)
      throw wrong(
          fmt::format("`{}` is stored in {} bytes and is to have {}", one.name, one.packed, one.size));
    if (one.deflated && one.size / kMostRatio > one.packed)
      throw ir::refuse_as(refusals["zip-bomb"],
                          "`{}`: `{}` is to become {} bytes from {}, more than deflate can make",
                          source_.name, one.name, one.size, one.packed);
    return one;
  }
  // 64-bit numbers in the place of those that are all ones.
  void large_numbers(ZipEntry& one, uint64_t& local, uint64_t at, uint64_t size) const {
    for (uint64_t end = at + size; end - at >= 4;) {
      auto kind = number<uint16_t>(at);
      uint64_t length = number<uint16_t>(at + 2);
      at += 4;
      if (length > end - at) throw wrong(fmt::format("`{}` has a field that breaks off", one.name));
      if (kind == 1) {
        uint64_t next = at, last = at + length;
        for (uint64_t* value : {&one.size, &one.packed, &local}) {
          if (*value != 0xffffffff) continue;
          if (last - next < 8) throw wrong(fmt::format("`{}` has a field that breaks off", one.name));
          *value = number<uint64_t>(next);
          next += 8;
        }
      }
      at += length;
    }
  }

  void check_apart(const std::vector<ZipEntry>& all) const {
    std::vector<const ZipEntry*> order;
    for (const ZipEntry& one : all) {
      if (one.packed > 0) order.push_back(&one);
    }
    std::sort(order.begin(), order.end(),
              [](const ZipEntry* a, const ZipEntry* b) { return a->begin < b->begin; });
    for (size_t i = 1; i < order.size(); ++i) {
      if (order[i]->begin < order[i - 1]->begin + order[i - 1]->packed)
        throw wrong(fmt::format("`{}` overlaps with `{}`", order[i]->name, order[i - 1]->name));
    }
  }
  void check_size(const std::vector<ZipEntry>& all) const {
    uint64_t unpacked = 0;
    for (const ZipEntry& one : all)
      unpacked += one.deflated ? one.size : 0;  // of at most 1032 times the file
    if (unpacked > kMostUnpacked && unpacked / 100 > bytes_.size())
      throw ir::refuse_as(refusals["zip-bomb"],
                          "`{}`: {} bytes are to become {}: more than a hundred times as many", source_.name,
                          bytes_.size(), unpacked);
  }
};

std::string inflated(const Source& source, const ZipEntry& entry) {
  std::string to(entry.size, '\0');
  z_stream stream{};
  MLC_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "zlib does not start");
  // zlib counts in 32 bits.
  constexpr uint64_t kMost = 1U << 30;
  uint64_t read = 0, made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    auto in = static_cast<uInt>(std::min(kMost, entry.packed - read));
    auto out = static_cast<uInt>(std::min(kMost, entry.size - made));
    stream.next_in = const_cast<Bytef*>(source.bytes.data() + entry.begin + read);
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(to.data() + made);
    stream.avail_out = out;
    status = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    made += out - stream.avail_out;
    if (in == stream.avail_in && out == stream.avail_out) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || made != entry.size)
    throw ir::refuse(refusals["zip-damaged"], source.name, entry.name,
                     fmt::format("they make {} bytes, not {}", made, entry.size));
  return to;
}

}  // namespace

std::vector<ZipEntry> read_zip(const Source& source) { return Directory(source).entries(); }

Source zip_content(const Source& source, const ZipEntry& entry) {
  Source content = source;
  content.name = source.name + ":" + entry.name;
  if (entry.deflated) {
    content = source_of(inflated(source, entry), content.name);
  } else {
    content.bytes = source.bytes.subspan(entry.begin, entry.size);
  }
  auto checksum = static_cast<uint32_t>(crc32_z(0, content.bytes.data(), content.bytes.size()));
  if (checksum != entry.checksum)
    throw ir::refuse(refusals["zip-damaged"], source.name, entry.name,
                     fmt::format("their checksum is {:08x}, not {:08x}", checksum, entry.checksum));
  return content;
}

}  // namespace mlc::model
