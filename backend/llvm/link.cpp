// SPDX-License-Identifier: Apache-2.0
// Shared libraries and programs, made by lld inside this process. Nothing but mlc and the C library that it
// runs with is needed: no compiler, no startup files, no development packages.
#include <dlfcn.h>
#include <link.h>
#include <lld/Common/Driver.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "backend/artefact/temporary_folder.h"
#include "backend/artefact/write_file.h"
#include "backend/llvm/code.h"
#include "backend/llvm/start.h"
#include "backend/llvm/target_machine.h"
#include "ir/core/refusal.h"

LLD_HAS_DRIVER(elf)

// Object files of backend/runtime, embedded at build time.
extern "C" const char mlc_parallel_object_begin[];
extern "C" const char mlc_parallel_object_end[];
extern "C" const char mlc_weights_object_begin[];
extern "C" const char mlc_weights_object_end[];
extern "C" const char mlc_program_object_begin[];
extern "C" const char mlc_program_object_end[];

// As in lld 19's ELF/Symbols.h, which is not installed.
namespace lld::elf {
class Defined;
struct ElfSym {
  static Defined *bss, *etext1, *etext2, *edata1, *edata2, *end1, *end2, *globalOffsetTable, *mipsGp,
      *mipsGpDisp, *mipsLocalGp, *riscvGlobalPointer, *relaIpltStart, *relaIpltEnd, *tlsModuleBase;
};
}  // namespace lld::elf

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "link-failed", .meaning = "The system's linker refused the file; the message is its own."},
        {.name = "link-unsupported"},
    }};
MLC_REFUSALS(llvm_link, refusals);

namespace {

using backend::TemporaryFolder;
using ir::Error;

// The file of a library that this process runs with, such as "libm.so.6".
std::string loaded_library(const char* name) {
  void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  link_map* map = nullptr;
  std::string path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) path = map->l_name;
  dlclose(handle);
  return path;
}

// lld keeps the symbols that it defines itself in global variables, sets some of them only where a link needs
// them, and writes to what they point to: into freed memory, after the link before.
void forget_symbols_of_last_link() {
  using Symbols = lld::elf::ElfSym;
  for (lld::elf::Defined** each :
       {&Symbols::bss, &Symbols::etext1, &Symbols::etext2, &Symbols::edata1, &Symbols::edata2, &Symbols::end1,
        &Symbols::end2, &Symbols::globalOffsetTable, &Symbols::mipsGp, &Symbols::mipsGpDisp,
        &Symbols::mipsLocalGp, &Symbols::riscvGlobalPointer, &Symbols::relaIpltStart, &Symbols::relaIpltEnd,
        &Symbols::tlsModuleBase}) {
    *each = nullptr;
  }
}

// What the linker makes, in a file of its own first: whoever is killed in here leaves nothing where the
// artefact belongs. `what`: for messages.
std::unique_ptr<llvm::MemoryBuffer> run_linker(std::vector<std::string> arguments,
                                               const TemporaryFolder& scratch, const std::string& what) {
  std::string linked = scratch / "linked";
  arguments.insert(arguments.end(), {"-o", linked});
  static std::mutex lock;  // lld keeps global state
  std::lock_guard hold(lock);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  forget_symbols_of_last_link();
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    throw ir::refuse_as(refusals["link-failed"], "`{}` cannot be linked: {}", what, messages)
        .kind("RuntimeError");
  auto bytes = llvm::MemoryBuffer::getFile(linked);
  if (!bytes) throw Error("cannot-write", "`{}` cannot be read again", linked).kind("OSError");
  return std::move(*bytes);
}

void link_file(std::vector<std::string> arguments, const TemporaryFolder& scratch, const std::string& path) {
  backend::write_file(path, run_linker(std::move(arguments), scratch, path)->getBuffer(), true);
}

const Machine& elf_machine(const ir::Target& target) {
  const Machine& machine = machine_for(target);
  const llvm::Triple& triple = machine.machine->getTargetTriple();
  if (!triple.isOSBinFormatELF() || !triple.isOSLinux()) {
    throw ir::refuse_as(refusals["link-unsupported"],
                        "shared libraries and programs for {} cannot be linked here", triple.str())
        .help("write an object file (`--emit obj`) and link it with that system's tools");
  }
  return machine;
}

void need_runtime(const Code& code) {
  if (code.host || !(code.parallel || code.weights)) return;
  throw ir::refuse_as(refusals["link-unsupported"],
                      "the module has {}, and the runtime for that machine is not here",
                      code.parallel ? "parallel loops" : "weights in a file")
      .help(fmt::format("write an object file (`--emit obj`) and link it there with backend/runtime/{}.cpp",
                        code.parallel ? "parallel" : "weights"));
}

void add_c_library(const Code& code, std::vector<std::string>& arguments) {
  if (!code.host) return;
  arguments.emplace_back("--as-needed");
  for (const char* name : {"libm.so.6", "libc.so.6"}) {
    if (std::string file = loaded_library(name); !file.empty()) arguments.push_back(file);
  }
}

std::string_view parallel_object() {
  return {mlc_parallel_object_begin,
          static_cast<size_t>(mlc_parallel_object_end - mlc_parallel_object_begin)};
}
std::string_view weights_object() {
  return {mlc_weights_object_begin, static_cast<size_t>(mlc_weights_object_end - mlc_weights_object_begin)};
}
std::string_view program_object() {
  return {mlc_program_object_begin, static_cast<size_t>(mlc_program_object_end - mlc_program_object_begin)};
}

}  // namespace

namespace {

// `extra`: another object file, "" for none.
void link_library(const std::vector<const Code*>& codes, const std::string& extra, const ir::Target& target,
                  const std::string& path, const std::string& soname) {
  elf_machine(target);
  TemporaryFolder scratch("mlc-link");
  std::vector<std::string> arguments{"ld.lld",          "-shared", "--gc-sections",
                                     "--build-id=none", "-z",      "noexecstack"};
  for (size_t i = 0; i < codes.size(); ++i)
    arguments.push_back(
        scratch.write(i == 0 ? "code.o" : fmt::format("code{}.o", i).c_str(), codes[i]->object));
  if (!extra.empty()) arguments.push_back(scratch.write("data.o", extra));
  if (!soname.empty()) arguments.insert(arguments.end(), {"-soname", soname});
  for (const Code* code : codes) need_runtime(*code);
  if (std::any_of(codes.begin(), codes.end(), [](const Code* code) { return code->parallel; })) {
    arguments.push_back(scratch.write("parallel.o", parallel_object()));
    // Its worker threads outlive any dlclose.
    arguments.insert(arguments.end(), {"-z", "nodelete"});
  }
  if (std::any_of(codes.begin(), codes.end(), [](const Code* code) { return code->weights; }))
    arguments.push_back(scratch.write("weights.o", weights_object()));
  if (!codes.empty()) add_c_library(*codes[0], arguments);
  link_file(std::move(arguments), scratch, path);
}

}  // namespace

void link_shared_library(const Code& code, const ir::Target& target, const std::string& path,
                         const std::string& soname) {
  link_library({&code}, "", target, path, soname);
}
void link_shared_library(const std::vector<const Code*>& codes, std::string_view symbol,
                         std::string_view bytes, const ir::Target& target, const std::string& path) {
  link_library(codes, data_object(symbol, bytes, target), target, path, "");
}

std::string join_objects(const std::vector<std::string>& objects) {
  TemporaryFolder scratch("mlc-join");
  std::vector<std::string> arguments{"ld.lld", "-r"};
  for (size_t i = 0; i < objects.size(); ++i)
    arguments.push_back(scratch.write(fmt::format("part{}.o", i).c_str(), objects[i]));
  return run_linker(std::move(arguments), scratch, "the parts of a module")->getBuffer().str();
}

std::string static_library(const Code& code, const std::string& name) {
  start_llvm();
  need_runtime(code);
  std::string code_name = name + ".o";
  std::string parallel_name = "mlc_parallel.o";
  std::vector<llvm::NewArchiveMember> members;
  members.emplace_back(llvm::MemoryBufferRef(code.object, code_name));
  if (code.parallel) members.emplace_back(llvm::MemoryBufferRef(parallel_object(), parallel_name));
  std::string weights_name = "mlc_weights.o";
  if (code.weights) members.emplace_back(llvm::MemoryBufferRef(weights_object(), weights_name));
  for (llvm::NewArchiveMember& member : members) member.MemberName = member.Buf->getBufferIdentifier();
  auto made = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                         llvm::object::Archive::K_GNU, true, false);
  if (!made)
    throw ir::refuse_as(refusals["link-failed"], "the static library cannot be made: {}",
                        llvm::toString(made.takeError()));
  return (*made)->getBuffer().str();
}

void link_program(const Code& code, const ir::Target& target, const std::string& path) {
  elf_machine(target);
  if (!code.host) {
    throw ir::refuse_as(refusals["link-unsupported"], "programs can be linked for this machine only")
        .help(
            "write an object file (`--emit obj`) and link it there with backend/runtime/program.cpp and "
            "parallel.cpp");
  }
  std::string libc = loaded_library("libc.so.6");
  if (libc.empty())
    throw ir::refuse_as(refusals["link-unsupported"], "programs can be linked for glibc only");
#if defined(__aarch64__)
  const char* interpreter = "/lib/ld-linux-aarch64.so.1";
#else
  const char* interpreter = "/lib64/ld-linux-x86-64.so.2";
#endif
  TemporaryFolder scratch("mlc-link");
  std::vector<std::string> arguments{"ld.lld",
                                     "-pie",
                                     "--gc-sections",
                                     "--build-id=none",
                                     "-z",
                                     "noexecstack",
                                     "-dynamic-linker",
                                     interpreter,
                                     scratch.write("program.o", program_object()),
                                     scratch.write("code.o", code.object)};
  if (code.parallel) arguments.push_back(scratch.write("parallel.o", parallel_object()));
  if (code.weights) arguments.push_back(scratch.write("weights.o", weights_object()));
  add_c_library(code, arguments);
  link_file(std::move(arguments), scratch, path);
}

}  // namespace mlc::llvm_backend
