// SPDX-License-Identifier: Apache-2.0
// Any bytes into the readers of weights: what they accept lies inside the file, down to the last element, and
// what they refuse is refused with a message. Half of the inputs are whole files of each format with a few
// mistakes.
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "frontend/model/weights/gguf.h"
#include "frontend/model/weights/png.h"
#include "frontend/model/weights/safetensors.h"
#include "frontend/model/weights/torch_pickle.h"
#include "tests/fuzz/report.h"

namespace {

using namespace mlc;
using namespace mlc::model;

size_t files = 0, refused = 0, read_safe = 0, read_gguf_files = 0, read_torch_files = 0, read_pictures = 0,
       views = 0, views_read = 0;
volatile uint8_t sink;

// Touches every byte: out-of-bounds reads are what the sanitizer sees.
void touch(const ffi::Tensor& tensor) {
  const auto* bytes = static_cast<const uint8_t*>(tensor.data_ptr());
  size_t size = ffi::GetDataSize(*tensor.GetDLTensorPtr());
  for (size_t i = 0; i < size; ++i) sink = bytes[i];
}

void safetensors(const Source& source) {
  for (const SafetensorsEntry& one : read_safetensors(source).tensors) {
    MLC_CHECK(one.begin <= one.end && one.end <= source.bytes.size(), "`{}` is outside of the file",
              one.name);
    if (!one.type->dtype.is_void())
      touch(tensor_at(source, one.begin, one.end - one.begin, one.type->dtype, one.shape));
  }
  ++read_safe;
}

void gguf(const Source& source) {
  for (const GgufTensor& one : read_gguf(source).tensors) {
    if (one.size == 0) continue;
    MLC_CHECK(one.begin <= source.bytes.size() && one.size <= source.bytes.size() - one.begin,
              "`{}` is outside of the file", one.name);
    if (one.type->plain()) {
      touch(tensor_at(source, one.begin, one.size, one.type->dtype, one.shape));
    } else if (one.type->unpack != nullptr) {
      std::vector<float> numbers(static_cast<size_t>(one.elements));
      unpack_blocks(*one.type, source.bytes.subspan(one.begin, one.size), numbers.data());
      sink = static_cast<uint8_t>(numbers[0] > 0);
    }
  }
  ++read_gguf_files;
}

void torch(const Source& source) {
  TorchFile file = read_torch(source);
  for (const TorchTensor& one : file.tensors) touch(torch_tensor(source, file, one));
  ++read_torch_files;
}

void png(const Source& source) {
  touch(read_png(source));
  ++read_pictures;
}

// A view of twelve numbers, as lists of weights in programs of torch describe them: some lie inside.
void view(std::mt19937& random) {
  static constexpr int64_t kNumbers[] = {0,         1,        2, 3, 4, 6, 12, 13, -1, int64_t{1} << 31,
                                         INT64_MAX, INT64_MIN};
  auto number = [&] { return kNumbers[random() % (random() % 4 == 0 ? 12 : 5)]; };
  Source storage = source_of(std::string(12 * sizeof(float), '\2'));
  std::vector<int64_t> shape, strides;
  for (uint32_t n = random() % 4; n > 0; --n) {
    shape.push_back(number());
    strides.push_back(number());
  }
  int64_t offset = number();
  ++views;
  if (!inside_storage(shape, strides, offset, 12)) return;
  touch(strided_tensor(storage, ir::DataType::Float(32), shape, strides, offset));
  ++views_read;
}

// ---- files to make mistakes in ----

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_text(std::string& to, std::string_view text) {
  put<uint64_t>(to, text.size());
  to += text;
}

std::string safetensors_file() {
  std::string header =
      R"({"__metadata__":{"a":"b"},"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("y":{"dtype":"BF16","shape":[3],"data_offsets":[24,30]},"z":{"dtype":"I64","shape":[0,4],"data_offsets":[30,30]}})";
  std::string file;
  put_text(file, header);
  return file + std::string(30, '\1');
}

std::string gguf_file() {
  std::string file = "GGUF";
  put<uint32_t>(file, 3);
  put<uint64_t>(file, 2);
  put<uint64_t>(file, 3);
  put_text(file, "general.name");
  put<uint32_t>(file, 8);
  put_text(file, "small");
  put_text(file, "tokens");
  put<uint32_t>(file, 9);
  put<uint32_t>(file, 8);
  put<uint64_t>(file, 2);
  put_text(file, "a");
  put_text(file, "b");
  put_text(file, "scale");
  put<uint32_t>(file, 6);
  put<float>(file, 0.5F);
  put_text(file, "w");
  put<uint32_t>(file, 2);
  put<uint64_t>(file, 64);
  put<uint64_t>(file, 2);
  put<uint32_t>(file, 3);
  put<uint64_t>(file, 0);
  put_text(file, "b");
  put<uint32_t>(file, 1);
  put<uint64_t>(file, 4);
  put<uint32_t>(file, 0);
  put<uint64_t>(file, 96);
  file.resize((file.size() + 31) / 32 * 32);
  return file + std::string(96 + 16, '\7');
}

// {"w": a tensor of two by two numbers}, as `torch.save` writes it; the checksums are those of the bytes.
std::string pickle() {
  std::string text = std::string("\x80\2}q", 4) + '\0' + "X" + std::string("\1\0\0\0", 4) + "w";
  text += "ctorch._utils\n_rebuild_tensor_v2\n((X" + std::string("\7\0\0\0", 4) + "storage";
  text += "ctorch\nFloatStorage\nX" + std::string("\1\0\0\0", 4) + "0X" + std::string("\3\0\0\0", 4) + "cpu";
  text += std::string("K\4tQK\0K\2K\2\x86K\2K\1\x86\x89", 17) + "ccollections\nOrderedDict\n)RtRs.";
  return text;
}
uint32_t checksum(std::string_view bytes) {
  uint32_t sum = ~0U;
  for (char c : bytes) {
    sum ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~sum;
}
std::string zip_file(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string file, directory;
  for (const auto& [name, bytes] : parts) {
    std::string entry;
    for (uint16_t field : {20, 0, 0, 0, 0x21}) put<uint16_t>(entry, field);
    put<uint32_t>(entry, checksum(bytes));
    put<uint32_t>(entry, static_cast<uint32_t>(bytes.size()));
    put<uint32_t>(entry, static_cast<uint32_t>(bytes.size()));
    put<uint16_t>(entry, static_cast<uint16_t>(name.size()));
    put<uint16_t>(entry, 0);
    directory += std::string("PK\1\2\24\0", 6) + entry;
    for (int i = 0; i < 5; ++i) put<uint16_t>(directory, 0);
    put<uint32_t>(directory, static_cast<uint32_t>(file.size()));
    directory += name;
    file += "PK\3\4" + entry + name + bytes;
  }
  std::string end("PK\5\6\0\0\0\0", 8);
  put<uint16_t>(end, static_cast<uint16_t>(parts.size()));
  put<uint16_t>(end, static_cast<uint16_t>(parts.size()));
  put<uint32_t>(end, static_cast<uint32_t>(directory.size()));
  put<uint32_t>(end, static_cast<uint32_t>(file.size()));
  put<uint16_t>(end, 0);
  return file + directory + end;
}

void put_big(std::string& to, uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to.push_back(static_cast<char>(value >> 8 * i));
}
// A picture whose checksums are right, whatever its header and its pixels are.
std::string png_file(std::mt19937& random) {
  static constexpr struct {
    int colour, depth, samples;
  } kKinds[] = {{0, 1, 1}, {0, 8, 1}, {0, 16, 1}, {2, 8, 3}, {3, 2, 1}, {3, 8, 1}, {4, 8, 2}, {6, 16, 4}};
  auto kind = kKinds[random() % 8];
  uint32_t width = 1 + random() % 5, height = 1 + random() % 4;
  std::string header, pixels;
  put_big(header, width, 4);
  put_big(header, height, 4);
  header += {static_cast<char>(kind.depth), static_cast<char>(kind.colour), 0, 0, 0};
  for (uint32_t y = 0; y < height; ++y) {
    pixels.push_back(static_cast<char>(random() % 5));
    for (uint32_t i = (width * kind.samples * kind.depth + 7) / 8; i > 0; --i)
      pixels.push_back(static_cast<char>(random()));
  }
  for (uint32_t n = random() % 3; n > 1; --n) header[random() % header.size()] = static_cast<char>(random());
  if (random() % 8 == 0)  // more pixels than there is memory for, or than 64 bits count
    for (size_t i = 0; i < 8; ++i) header[i] = static_cast<char>(random() & 0x7f);
  for (uint32_t n = random() % 3; n > 1; --n) pixels[random() % pixels.size()] = static_cast<char>(random());
  // One stored block of deflate.
  std::string stream("\x78\1\1", 3);
  put<uint16_t>(stream, static_cast<uint16_t>(pixels.size()));
  put<uint16_t>(stream, static_cast<uint16_t>(~pixels.size()));
  stream += pixels;
  uint32_t a = 1, b = 0;
  for (char c : pixels) a = (a + static_cast<uint8_t>(c)) % 65521, b = (b + a) % 65521;
  put_big(stream, b << 16 | a, 4);
  std::string file("\x89PNG\r\n\x1a\n");
  auto part = [&](const std::string& type, const std::string& data) {
    put_big(file, data.size(), 4);
    file += type + data;
    put_big(file, checksum(type + data), 4);
  };
  part("IHDR", header);
  part("PLTE", std::string(3 * (1 + random() % 4), '\5'));
  part("IDAT", stream);
  part("IEND", "");
  return file;
}

std::string whole_file(uint32_t kind, std::mt19937& random) {
  if (kind == 0) return safetensors_file();
  if (kind == 1) return gguf_file();
  if (kind == 3) return png_file(random);
  std::string program = pickle();
  // Mistakes of the pickle stand behind a checksum that is right, or none would ever be read.
  for (uint32_t n = random() % 4; n > 0; --n)
    program[random() % program.size()] = static_cast<char>(random());
  return zip_file({{"archive/data.pkl", program}, {"archive/data/0", std::string(16, '\3')}});
}

void change(std::string& file, std::mt19937& random) {
  size_t at = random() % file.size();
  switch (random() % 5) {
    case 0:
      file[at] = static_cast<char>(random());
      break;
    case 1:
      file[at] = static_cast<char>(file[at] + 1 - static_cast<int>(random() % 3));
      break;
    case 2:
      file.resize(at);
      break;
    case 3: {  // a number that is far too large, or too small
      static constexpr uint64_t kNumbers[] = {0,        ~uint64_t{0}, uint64_t{1} << 63,
                                              1U << 31, 0xffffffff,   0x7fffffff};
      uint64_t number = kNumbers[random() % 6];
      size_t size = std::min<size_t>(random() % 2 == 0 ? 4 : 8, file.size() - at);
      std::memcpy(file.data() + at, &number, size);
      break;
    }
    default:
      file.insert(at, file.substr(random() % file.size(), random() % 16));
  }
}

void offer(void (*reader)(const Source&), const std::string& file) {
  ++files;
  try {
    reader(source_of(file));
  } catch (const ir::Error& error) {
    MLC_CHECK(!error.first().message.empty() && !error.first().name.empty(), "a refusal without words");
    ++refused;
  }
}

constexpr void (*kReaders[])(const Source&) = {safetensors, gguf, torch, png};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (auto* reader : kReaders) offer(reader, bytes);
  // The bytes draw the mistakes of a whole file.
  std::seed_seq seeds(bytes.begin(), bytes.end());
  std::mt19937 random(seeds);
  for (uint32_t kind = 0; kind < 4; ++kind) {
    std::string file = whole_file(kind, random);
    for (uint32_t n = random() % 4; n > 0 && !file.empty(); --n) change(file, random);
    offer(kReaders[kind], file);
  }
  for (int i = 0; i < 4; ++i) view(random);
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  Report report;
  demand(report, "files refused", refused, files, 0.5, 500);
  demand(report, "safetensors files read", read_safe, files, 0.01, 500);
  demand(report, "GGUF files read", read_gguf_files, files, 0.01, 500);
  demand(report, "torch files read", read_torch_files, files, 0.007, 500);
  demand(report, "pictures read", read_pictures, files, 0.01, 500);
  demand(report, "views inside", views_read, views, 0.1, 500);
  return report;
}
