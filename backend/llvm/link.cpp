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
extern "C" const char mlc_openblas_object_begin[];
extern "C" const char mlc_openblas_object_end[];
extern "C" const char mlc_onednn_object_begin[];
extern "C" const char mlc_onednn_object_end[];
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

void add_c_library(const Code& code, std::vector<std::string>& arguments) {
  if (!code.host) return;
  arguments.emplace_back("--as-needed");
  for (const char* name : {"libm.so.6", "libc.so.6"}) {
    if (std::string file = loaded_library(name); !file.empty()) arguments.push_back(file);
  }
}

// A part of backend/runtime that code may need.
struct Part {
  const char* name;
  const char* what;  // the module has, for messages
  bool Code::*needed;
  const char *begin, *end;

  std::string_view object() const { return {begin, static_cast<size_t>(end - begin)}; }
};
const Part kParts[] = {
    {"parallel", "parallel loops", &Code::parallel, mlc_parallel_object_begin, mlc_parallel_object_end},
    {"weights", "weights in a file", &Code::weights, mlc_weights_object_begin, mlc_weights_object_end},
    {"openblas", "calls of OpenBLAS", &Code::openblas, mlc_openblas_object_begin, mlc_openblas_object_end},
    {"onednn", "calls of oneDNN", &Code::onednn, mlc_onednn_object_begin, mlc_onednn_object_end},
};

// What the codes need of the runtime.
std::vector<const Part*> parts_for(const std::vector<const Code*>& codes) {
  std::vector<const Part*> parts;
  for (const Part& part : kParts) {
    auto needs = std::ranges::find_if(codes, [&](const Code* code) { return code->*part.needed; });
    if (needs == codes.end()) continue;
    if (!(*needs)->host)
      throw ir::refuse_as(refusals["link-unsupported"],
                          "the module has {}, and the runtime for that machine is not here", part.what)
          .help(
              fmt::format("write an object file (`--emit obj`) and link it there with backend/runtime/{}.cpp",
                          part.name));
    parts.push_back(&part);
  }
  return parts;
}

// Their objects as files for the linker.
void add_runtime(const std::vector<const Code*>& codes, const TemporaryFolder& scratch,
                 std::vector<std::string>& arguments) {
  for (const Part* part : parts_for(codes))
    arguments.push_back(scratch.write(fmt::format("{}.o", part->name).c_str(), part->object()));
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
  add_runtime(codes, scratch, arguments);
  // Its worker threads outlive any dlclose.
  if (std::ranges::any_of(codes, &Code::parallel)) arguments.insert(arguments.end(), {"-z", "nodelete"});
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
  std::vector<std::pair<std::string, std::string_view>> contents{{name + ".o", code.object}};
  for (const Part* part : parts_for({&code}))
    contents.emplace_back(fmt::format("mlc_{}.o", part->name), part->object());
  std::vector<llvm::NewArchiveMember> members;
  for (const auto& [file, object] : contents) members.emplace_back(llvm::MemoryBufferRef(object, file));
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
  add_runtime({&code}, scratch, arguments);
  add_c_library(code, arguments);
  link_file(std::move(arguments), scratch, path);
}

}  // namespace mlc::llvm_backend
