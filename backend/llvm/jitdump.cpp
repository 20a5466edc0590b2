// SPDX-License-Identifier: Apache-2.0
// The file from which `perf inject --jit` learns of code that was made while a program ran: for each function
// its lines, then its name and bytes (tools/perf/Documentation/jitdump-specification.txt of Linux). perf
// finds the file because the process maps a page of it as code.
#include <elf.h>
#include <fcntl.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <mutex>

#include "backend/llvm/loaded_code.h"
#include "backend/llvm/pch.h"

namespace mlc::llvm_backend {
namespace {

enum RecordKind : uint32_t { kCodeLoad = 0, kDebugInfo = 2 };

// perf makes an ELF file of each function, and its lines count from the beginning of that file.
constexpr uint64_t kElfHeader = 0x40;

uint64_t now() {  // of the clock that `perf record -k 1` uses
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

class Bytes {
 public:
  template <class T>
  Bytes& add(T value) {
    data_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& add_text(std::string_view text) {
    data_.append(text).push_back(0);
    return *this;
  }
  Bytes& add_bytes(const void* begin, size_t count) {
    data_.append(static_cast<const char*>(begin), count);
    return *this;
  }
  const std::string& data() const { return data_; }

 private:
  std::string data_;
};

class Dump {
 public:
  static Dump& global() {
    static Dump dump;
    return dump;
  }

  void add_record(RecordKind kind, const Bytes& body) {
    auto size = static_cast<uint32_t>(16 + body.data().size());
    write_all(Bytes().add<uint32_t>(kind).add(size).add(now()).data() + body.data());
  }
  std::mutex lock;
  uint64_t functions = 0;  // that were added

 private:
  Dump() {
    path_ = fmt::format("jit-{}.dump", getpid());
    file_ = open(path_.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
#if defined(__aarch64__)
    constexpr uint32_t machine = EM_AARCH64;
#else
    constexpr uint32_t machine = EM_X86_64;
#endif
    write_all(Bytes()
                  .add<uint32_t>(0x4a695444)
                  .add<uint32_t>(1)   // the version
                  .add<uint32_t>(40)  // bytes of this header
                  .add(machine)
                  .add<uint32_t>(0)
                  .add(static_cast<uint32_t>(getpid()))
                  .add(now())
                  .add<uint64_t>(0)
                  .data());
    void* marker = mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC,
                        MAP_PRIVATE, file_, 0);
    if (marker == MAP_FAILED) fail();
  }
  void write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t written = write(file_, bytes.data(), bytes.size());
      if (written <= 0) fail();
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }
  [[noreturn]] void fail() {
    throw ir::Error("cannot-write", "`{}` cannot be written: {}", path_, std::strerror(errno))
        .kind("OSError");
  }

  std::string path_;
  int file_ = -1;
};

// The lines of a function at `begin` of its section, which has been loaded at `base`.
void add_lines(Dump& dump, llvm::DWARFContext& dwarf, uint64_t section, uint64_t base, uint64_t begin,
               uint64_t size) {
  for (const auto& unit : dwarf.compile_units()) {
    const llvm::DWARFDebugLine::LineTable* table = dwarf.getLineTableForUnit(unit.get());
    std::vector<uint32_t> rows;
    if (table == nullptr || !table->lookupAddressRange({begin, section}, size, rows)) continue;
    Bytes entries;
    uint64_t count = 0;
    for (uint32_t at : rows) {
      const llvm::DWARFDebugLine::Row& row = table->Rows[at];
      std::string file;
      if (row.Line == 0 || row.EndSequence ||
          !table->getFileNameByIndex(row.File, unit->getCompilationDir(),
                                     llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, file))
        continue;
      entries.add(base + row.Address.Address + kElfHeader)
          .add<uint32_t>(row.Line)
          .add<uint32_t>(0)
          .add_text(file);
      ++count;
    }
    if (count == 0) continue;
    dump.add_record(
        kDebugInfo,
        Bytes().add(base + begin).add(count).add_bytes(entries.data().data(), entries.data().size()));
  }
}

}  // namespace

void LoadedCode::write_jitdump() const {
  Dump& dump = Dump::global();
  std::lock_guard hold(dump.lock);
  std::unique_ptr<llvm::object::ObjectFile> object = object_of(*row_->code);
  std::unique_ptr<llvm::DWARFContext> dwarf = llvm::DWARFContext::create(*object);
  each_function(*object, row_->section, [&](std::string_view name, uint64_t offset, uint64_t size) {
    uint64_t base = row_->begin;
    add_lines(dump, *dwarf, row_->section, base, offset, size);
    auto process = static_cast<uint32_t>(getpid());
    dump.add_record(kCodeLoad, Bytes()
                                   .add(process)
                                   .add(static_cast<uint32_t>(gettid()))
                                   .add(base + offset)
                                   .add(base + offset)
                                   .add(size)
                                   .add(dump.functions++)
                                   .add_text(name)
                                   .add_bytes(reinterpret_cast<const void*>(base + offset), size));
  });
}

}  // namespace mlc::llvm_backend
