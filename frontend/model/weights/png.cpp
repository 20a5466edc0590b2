// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/weights/png.h"

#include <zlib.h>

#include <cstdlib>
#include <cstring>

#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "png-damaged",
         .message = "`{}`: {}",
         .meaning = "A PNG file is a signature and parts with checksums, the header first, then pixels, then "
                    "an end."},
        {.name = "png-transparent-colour",
         .kind = "NotImplementedError",
         .message = "`{}` says which of its colours are transparent, and pictures with a channel for that are read",
         .meaning = "Such a picture has a palette, or one colour, that is transparent. Programs that write PNG "
                    "make a fourth channel of it when told to write RGBA."},
        {.name = "png-interlaced",
         .kind = "NotImplementedError",
         .message = "`{}` is interlaced, and pictures whose rows stand in order are read",
         .meaning = "Interlaced pictures hold their pixels in seven passes. Programs that write PNG leave it "
                    "out when told to."},
    }};
MLC_REFUSALS(weights_png, refusals);

namespace {

constexpr uint8_t kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr uint64_t kMostRatio = 1032;  // of deflate
enum Colour : uint8_t { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgba = 6 };

struct Png {
  const Source& source;
  uint32_t width = 0, height = 0;
  uint8_t depth = 0, colour = 0;
  std::span<const uint8_t> palette = {};
  std::string packed = {};

  [[noreturn]] void damaged(const std::string& why) const {
    throw ir::refuse(refusals["png-damaged"], source.name, why);
  }
  uint32_t number(uint64_t at) const {
    const uint8_t* p = source.bytes.data() + at;
    return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
  }
  uint64_t samples() const { return colour == kRgb ? 3 : colour == kRgba ? 4 : colour == kGreyAlpha ? 2 : 1; }
  uint64_t row_bytes() const { return (width * samples() * depth + 7) / 8; }

  void read_header(uint64_t at, uint64_t size) {
    if (size != 13) damaged("its header is not of 13 bytes");
    width = number(at), height = number(at + 4);
    depth = source.bytes[at + 8], colour = source.bytes[at + 9];
    bool packs = depth == 1 || depth == 2 || depth == 4;
    bool known = (colour == kGrey && (packs || depth == 8 || depth == 16)) ||
                 (colour == kPalette && (packs || depth == 8)) ||
                 ((colour == kRgb || colour == kGreyAlpha || colour == kRgba) && (depth == 8 || depth == 16));
    if (!known) damaged(fmt::format("there are no pictures of colour type {} with {} bits", colour, depth));
    if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX)
      damaged(fmt::format("a picture of {} by {} pixels", width, height));
    if (source.bytes[at + 10] != 0 || source.bytes[at + 11] != 0 || source.bytes[at + 12] > 1)
      damaged("its header names a method that there is not");
    if (source.bytes[at + 12] == 1) throw ir::refuse(refusals["png-interlaced"], source.name);
  }

  void read_parts() {
    std::span<const uint8_t> bytes = source.bytes;
    if (bytes.size() < 8 || std::memcmp(bytes.data(), kSignature, 8) != 0)
      damaged("it does not begin as a PNG file does");
    uint64_t at = 8;
    while (true) {
      if (bytes.size() - at < 12)
        damaged(fmt::format("it ends at byte {} without its last part", bytes.size()));
      uint64_t size = number(at);
      std::string_view type(reinterpret_cast<const char*>(bytes.data() + at + 4), 4);
      if (size > bytes.size() - at - 12)
        damaged(fmt::format("a part at byte {} has {} bytes, of which {} are there", at, size,
                            bytes.size() - at - 12));
      if (crc32(0, bytes.data() + at + 4, static_cast<uInt>(size + 4)) != number(at + 8 + size))
        damaged(fmt::format("the part at byte {} has not its checksum", at));
      if ((width == 0) != (type == "IHDR")) damaged("its header is not its first part, and the only one");
      std::span<const uint8_t> data = bytes.subspan(at + 8, size);
      if (type == "IHDR") read_header(at + 8, size);
      if (type == "PLTE") palette = data;
      if (type == "tRNS") throw ir::refuse(refusals["png-transparent-colour"], source.name);
      if (type == "IDAT") packed.append(reinterpret_cast<const char*>(data.data()), size);
      if (type == "IEND") break;
      at += size + 12;
    }
    if (colour == kPalette && (palette.empty() || palette.size() % 3 != 0))
      damaged("its palette is not there");
  }

  // Rows with the number of their filter in front.
  std::vector<uint8_t> rows() const {
    uint64_t size = 0;
    if (__builtin_mul_overflow(uint64_t{height}, row_bytes() + 1, &size) ||
        size / kMostRatio > packed.size())
      damaged(fmt::format("{} bytes of it cannot become {} by {} pixels", packed.size(), width, height));
    std::vector<uint8_t> to(size);
    auto made = static_cast<uLongf>(size);
    int status = uncompress(to.data(), &made, reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (status != Z_OK || made != size) damaged(fmt::format("its pixels are {} bytes, not {}", made, size));
    return to;
  }

  static int paeth(int left, int up, int corner) {
    int base = left + up - corner, a = std::abs(base - left), b = std::abs(base - up),
        c = std::abs(base - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
  }
  // Each byte becomes itself and what its filter foretells of those before it.
  void unfilter(std::vector<uint8_t>& all) const {
    uint64_t size = row_bytes(), step = std::max<uint64_t>(1, samples() * depth / 8);
    for (uint64_t y = 0; y < height; ++y) {
      uint8_t* row = all.data() + y * (size + 1) + 1;
      const uint8_t* before = row - (size + 1);
      uint8_t filter = row[-1];
      if (filter > 4) damaged(fmt::format("row {} has the filter {}, and there are 0 to 4", y, filter));
      for (uint64_t x = 0; filter != 0 && x < size; ++x) {
        int left = x < step ? 0 : row[x - step], up = y == 0 ? 0 : before[x];
        int corner = x < step || y == 0 ? 0 : before[x - step];
        int guess = filter == 1   ? left
                    : filter == 2 ? up
                    : filter == 3 ? (left + up) / 2
                                  : paeth(left, up, corner);
        row[x] = static_cast<uint8_t>(row[x] + guess);
      }
    }
  }

  std::string pixels(const std::vector<uint8_t>& all) const {
    std::string to;
    to.reserve(uint64_t{width} * height * (colour == kPalette ? 3 : samples()));
    for (uint64_t y = 0; y < height; ++y) {
      const uint8_t* row = all.data() + y * (row_bytes() + 1) + 1;
      for (uint64_t i = 0; i < width * samples(); ++i) {
        uint64_t bit = i * depth;
        unsigned value = row[bit / 8];
        if (depth < 8) value = (value >> (8 - depth - bit % 8)) & ((1U << depth) - 1);
        if (colour != kPalette) {
          to.push_back(static_cast<char>(depth < 8 ? value * 255 / ((1U << depth) - 1) : value));
        } else if (3 * uint64_t{value} < palette.size()) {
          to.append(reinterpret_cast<const char*>(palette.data()) + 3 * value, 3);
        } else {
          damaged(fmt::format("colour {} is not in its palette", value));
        }
      }
    }
    return to;
  }
};

}  // namespace

ffi::Tensor read_png(const Source& source) {
  Png png{source};
  png.read_parts();
  std::vector<uint8_t> rows = png.rows();
  png.unfilter(rows);
  std::string pixels = png.pixels(rows);
  int64_t shape[] = {png.height, png.width, png.colour == kPalette ? 3 : static_cast<int64_t>(png.samples())};
  uint64_t size = pixels.size();
  return tensor_at(source_of(std::move(pixels)), 0, size, ir::DataType::UInt(8), shape);
}

}  // namespace mlc::model
