// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/loaded_code.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

#include "backend/llvm/pch.h"

namespace mlc::llvm_backend {
namespace {

using Row = LoadedCode::Row;

// Not on the heap, where code that writes outside of its buffers is likely to reach them.
Row first_rows[64];
std::atomic<Row*> rows;    // that were in use once
std::mutex& rows_lock() {  // of those who change the table
  static std::mutex lock;
  return lock;
}

Row* free_row() {
  for (Row* row = rows; row != nullptr; row = row->next) {
    if (row->begin == row->end) return row;
  }
  static size_t used = 0;
  Row* row = used < std::size(first_rows) ? &first_rows[used++] : new Row;
  row->next = rows;
  rows = row;
  return row;
}

const Row* row_of(uintptr_t address) {
  for (const Row* row = rows; row != nullptr; row = row->next) {
    if (row->begin <= address && address < row->end) return row;
  }
  return nullptr;
}

// As the program calls the function of a symbol: what its compute function, entry and parallel bodies are
// named after (emitter.h).
std::string function_name(std::string_view symbol) {
  constexpr std::string_view entry = "__tvm_ffi_";
  if (symbol.starts_with(entry)) return std::string(symbol.substr(entry.size()));
  return std::string(symbol.substr(0, symbol.rfind("_compute")));
}

// The source position of a row of a line table.
ir::Span span_of(const Code& code, const std::string& file, ir::Position at) {
  const ir::SourceMap& sources = ir::SourceMap::current();
  ir::Span of_line;
  for (ir::Span place : code.places) {
    if (sources.file(place.file).name != file) continue;
    ir::Position position = sources.position(place.file, place.begin);
    if (position.line != at.line) continue;
    if (position.column == at.column) return place;
    // Column 0: code of several positions in a line.
    if (!of_line || place.begin < of_line.begin) of_line = place;
  }
  return of_line;
}

}  // namespace

using llvm::object::ObjectFile;

std::unique_ptr<ObjectFile> object_of(const Code& code) {
  auto object = ObjectFile::createObjectFile(llvm::MemoryBufferRef(code.object, "mlc.o"));
  MLC_CHECK(bool(object), "an object of our own cannot be read");
  return std::move(*object);
}

void each_function(const ObjectFile& object, uint64_t section,
                   llvm::function_ref<void(std::string_view name, uint64_t offset, uint64_t size)> use) {
  for (const llvm::object::SymbolRef& symbol : object.symbols()) {
    auto type = llvm::expectedToOptional(symbol.getType());
    auto name = llvm::expectedToOptional(symbol.getName());
    auto where = llvm::expectedToOptional(symbol.getSection());
    auto offset = llvm::expectedToOptional(symbol.getValue());
    if (!type || !name || !where || !offset) continue;
    if (*type != llvm::object::SymbolRef::ST_Function || *where == object.section_end()) continue;
    if ((*where)->getIndex() != section) continue;
    use(std::string_view(*name), *offset, llvm::object::ELFSymbolRef(symbol).getSize());
  }
}

LoadedCode::LoadedCode(const Code& code, const std::string& symbol, uintptr_t address) {
  std::unique_ptr<ObjectFile> object = object_of(code);
  std::lock_guard hold(rows_lock());
  row_ = free_row();
  for (const llvm::object::SectionRef& section : object->sections()) {
    if (!section.isText()) continue;
    each_function(*object, section.getIndex(), [&](std::string_view name, uint64_t offset, uint64_t) {
      if (name != symbol) return;
      row_->code = &code;
      row_->section = section.getIndex();
      row_->begin = address - offset;
      row_->end = address - offset + section.getSize();
    });
  }
}

LoadedCode::~LoadedCode() {
  std::lock_guard hold(rows_lock());
  row_->end = row_->begin.load();
}

void LoadedCode::write_perf_map() const {
  std::string path = fmt::format("/tmp/perf-{}.map", getpid());  // perf looks there and nowhere else
  std::FILE* map = std::fopen(path.c_str(), "a");
  if (map == nullptr) throw ir::Error("cannot-write", "`{}` cannot be written", path).kind("OSError");
  std::unique_ptr<ObjectFile> object = object_of(*row_->code);
  each_function(*object, row_->section, [&](std::string_view name, uint64_t offset, uint64_t size) {
    fmt::print(map, "{:x} {:x} {}\n", row_->begin + offset, size, name);
  });
  std::fclose(map);
}

bool has_loaded() { return rows != nullptr; }
bool is_loaded(uintptr_t address) { return row_of(address) != nullptr; }

std::optional<CodeLocation> place_of(uintptr_t address) {
  const Row* row = row_of(address);
  if (row == nullptr) return std::nullopt;
  uint64_t offset = address - row->begin;
  std::unique_ptr<ObjectFile> object = object_of(*row->code);
  CodeLocation place;
  uint64_t begin = 0;
  each_function(*object, row->section, [&](std::string_view name, uint64_t at, uint64_t size) {
    if (at > offset || offset >= at + size) return;
    place.function = function_name(name);
    begin = at;
  });
  std::unique_ptr<llvm::DWARFContext> dwarf = llvm::DWARFContext::create(*object);
  for (const auto& unit : dwarf->compile_units()) {
    const llvm::DWARFDebugLine::LineTable* table = dwarf->getLineTableForUnit(unit.get());
    if (table == nullptr) continue;
    uint32_t at = table->lookupAddress({offset, row->section});
    if (at == table->UnknownRowIndex) continue;
    // Line 0 is code without a position: it belongs to the row before it.
    while (at > 0 && table->Rows[at].Line == 0 && table->Rows[at - 1].Address.Address >= begin) --at;
    const llvm::DWARFDebugLine::Row& found = table->Rows[at];
    std::string file;
    if (found.Line == 0 || !table->getFileNameByIndex(
                               found.File, "", llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, file))
      continue;
    place.span = span_of(*row->code, file, {found.Line, found.Column});
  }
  return place;
}

}  // namespace mlc::llvm_backend
