// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/weights/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ir/core/mapped_files.h"

namespace mlc::model {

namespace {

// Hands out memory that a source owns.
struct PartOfSource {
  std::shared_ptr<uint8_t> owner;
  uint8_t* data;

  void AllocData(DLTensor* tensor) { tensor->data = data; }
  void FreeData(DLTensor*) { owner.reset(); }
};

std::optional<Source> refused(int file, int code) {
  if (file >= 0) close(file);
  errno = code;
  return std::nullopt;
}

}  // namespace

std::optional<Source> map_file(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat status;
  if (fstat(file, &status) != 0) return refused(file, errno);
  if (S_ISDIR(status.st_mode)) return refused(file, EISDIR);
  if (!S_ISREG(status.st_mode)) return refused(file, ENODEV);
  auto size = static_cast<size_t>(status.st_size);
  Source source{path, nullptr, {}, true};
  if (size == 0) {
    close(file);
    return source;
  }
  // Without a reserve, or a file larger than the memory could not be mapped.
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) return refused(file, errno);
  close(file);
  auto* bytes = static_cast<uint8_t*>(memory);
  auto known = std::make_shared<ir::MappedFile>(status);
  source.owner = std::shared_ptr<uint8_t>(bytes, [size, known](uint8_t* all) { munmap(all, size); });
  source.bytes = {bytes, size};
  return source;
}

Source source_of(std::string bytes, std::string name) {
  auto held = std::make_shared<std::string>(std::move(bytes));
  auto* first = reinterpret_cast<uint8_t*>(held->data());
  size_t size = held->size();
  return Source{std::move(name), std::shared_ptr<uint8_t>(std::move(held), first), {first, size}, false};
}

ffi::Tensor tensor_at(const Source& source, uint64_t begin, uint64_t size, ir::DataType dtype,
                      std::span<const int64_t> shape) {
  MLC_CHECK(begin <= source.bytes.size() && size <= source.bytes.size() - begin,
            "a tensor of `{}` lies outside of the file", source.name);
  auto count = element_count(shape);
  MLC_CHECK(count && static_cast<uint64_t>(*count) * static_cast<uint64_t>((dtype.bits() + 7) / 8) == size,
            "a tensor of `{}` has {} bytes for its shape", source.name, size);
  uint8_t* data = source.bytes.data() + begin;
  auto alignment = static_cast<uintptr_t>((dtype.bits() + 7) / 8);
  if (source.mapped && size > 0 && reinterpret_cast<uintptr_t>(data) % alignment == 0)
    return ffi::Tensor::FromNDAlloc(PartOfSource{source.owner, data}, ffi::Shape(shape.begin(), shape.end()),
                                    dtype, DLDevice{kDLCPU, 0});
  ffi::Tensor copy = ir::make_tensor(shape, dtype);
  if (size > 0) std::memcpy(copy.data_ptr(), data, size);
  return copy;
}

std::optional<int64_t> element_count(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    empty |= extent == 0;
  }
  if (empty) return 0;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    auto first = static_cast<uint8_t>(text[i]);
    size_t more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : 9;
    if (more == 9 || more > text.size() - i - 1) return false;  // 9: no character begins so
    uint32_t code = more == 0 ? first : first & (0x3fU >> more);
    for (size_t k = 1; k <= more; ++k) {
      auto next = static_cast<uint8_t>(text[i + k]);
      if (next >> 6 != 2) return false;
      code = code << 6 | (next & 0x3fU);
    }
    static constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (code < kLeast[more] || code > 0x10ffff || (code >> 11) == 0x1b) return false;
    i += more + 1;
  }
  return true;
}

}  // namespace mlc::model
