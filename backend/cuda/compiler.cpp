// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "backend/artefact/cache.h"
#include "backend/artefact/run_tool.h"
#include "backend/artefact/temporary_folder.h"
#include "ir/core/files.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::cuda_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "no-cuda-compiler",
         .message = "kernels cannot be compiled as `{}`: neither NVRTC nor nvcc is here",
         .help = "install CUDA's toolkit, or say where it is by the variable CUDA_HOME; `--emit cu` needs no "
                 "compiler",
         .meaning = "CUDA C++ is compiled by NVRTC (libnvrtc.so) or nvcc, both parts of CUDA's toolkit. No "
                    "GPU and no "
                    "driver is needed for that."},
        {.name = "cuda-compiler-failed",
         .message = "{} refuses the kernels of this module:\n{}",
         .meaning = "The text that the target `cuda` made was refused by the compiler, whose words follow: a "
                    "defect of mlc, "
                    "or a target whose `arch` has not what the kernels use."},
        {.name = "arch-not-compiled",
         .kind = "ValueError",
         .message = "{} does not compile for `{}`; it does for {}",
         .help = "name one of these: `--target '{\"kind\": \"cuda\", \"arch\": \"sm_90\"}'`",
         .meaning =
             "Each CUDA toolkit compiles for some architectures and leaves out those that have become too "
             "old. "
             "Where no "
             "GPU can be asked, a target `cuda` that names no architecture has `sm_50`, in TVM as here."},
        {.name = "wrong-arch",
         .kind = "ValueError",
         .message = "`{}` is no architecture of CUDA",
         .help = "use one such as `sm_90`"},
    }};
MLC_REFUSALS(cuda_compiler, refusals);

namespace {

namespace fs = std::filesystem;

// Where the toolkit may be: what the environment names, then where it is installed usually.
std::vector<fs::path> toolkits() {
  std::vector<fs::path> found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* named = std::getenv(variable); named != nullptr && *named != '\0')
      found.emplace_back(named);
  }
  if (found.empty()) found.emplace_back("/usr/local/cuda");
  return found;
}
std::vector<std::string> include_folders() {
  std::vector<std::string> found;
  for (const fs::path& toolkit : toolkits()) {
    for (const char* folder : {"include", "include/cccl"}) {
      std::error_code ignored;
      if (fs::is_directory(toolkit / folder, ignored)) found.push_back((toolkit / folder).string());
    }
  }
  return found;
}

struct Arch {
  std::string real, virtual_;  // "sm_90a", "compute_90a"
};
Arch arch_of(const ir::Target& target) {
  auto named = std::string(ir::target_attr<ir::String>(target, "arch", ir::String("sm_50")));
  constexpr std::string_view kPrefix = "sm_";
  if (!named.starts_with(kPrefix) || named.size() == kPrefix.size() ||
      named.find_first_not_of("0123456789af", kPrefix.size()) != named.npos)
    throw ir::refuse(refusals["wrong-arch"], named);
  return {named, "compute_" + named.substr(kPrefix.size())};
}

// ---- NVRTC ----

using Program = struct ProgramObject*;

struct Nvrtc {
  int (*Version)(int*, int*) = nullptr;
  int (*CreateProgram)(Program*, const char*, const char*, int, const char* const*,
                       const char* const*) = nullptr;
  int (*CompileProgram)(Program, int, const char* const*) = nullptr;
  int (*GetProgramLogSize)(Program, size_t*) = nullptr;
  int (*GetProgramLog)(Program, char*) = nullptr;
  int (*GetPTXSize)(Program, size_t*) = nullptr;
  int (*GetPTX)(Program, char*) = nullptr;
  int (*GetCUBINSize)(Program, size_t*) = nullptr;
  int (*GetCUBIN)(Program, char*) = nullptr;
  int (*DestroyProgram)(Program*) = nullptr;
  std::string version;
  std::vector<int> archs;  // 90 of sm_90; in order
};

std::optional<Nvrtc> load_nvrtc() {
  std::vector<std::string> names;
  if (const char* named = std::getenv("MLC_NVRTC_LIBRARY"); named != nullptr) {
    names.emplace_back(named);
  } else {
    for (const fs::path& toolkit : toolkits()) {
      for (const char* folder : {"lib64", "lib"})
        names.push_back((toolkit / folder / "libnvrtc.so").string());
    }
    for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) names.emplace_back(name);
  }
  void* handle = nullptr;
  for (const std::string& name : names) {
    if (handle == nullptr) handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) return std::nullopt;
  Nvrtc made;
  bool whole = true;
  auto find = [&]<class F>(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(handle, name));
    whole = whole && function != nullptr;
  };
  find(made.Version, "nvrtcVersion");
  find(made.CreateProgram, "nvrtcCreateProgram");
  find(made.CompileProgram, "nvrtcCompileProgram");
  find(made.GetProgramLogSize, "nvrtcGetProgramLogSize");
  find(made.GetProgramLog, "nvrtcGetProgramLog");
  find(made.GetPTXSize, "nvrtcGetPTXSize");
  find(made.GetPTX, "nvrtcGetPTX");
  find(made.GetCUBINSize, "nvrtcGetCUBINSize");
  find(made.GetCUBIN, "nvrtcGetCUBIN");
  find(made.DestroyProgram, "nvrtcDestroyProgram");
  if (!whole) return std::nullopt;  // older than CUDA 11.1
  int major = 0, minor = 0;
  made.Version(&major, &minor);
  made.version = fmt::format("NVRTC {}.{}", major, minor);
  int (*count)(int*) = nullptr;
  int (*list)(int*) = nullptr;
  find(count, "nvrtcGetNumSupportedArchs");
  find(list, "nvrtcGetSupportedArchs");
  int known = 0;
  if (count != nullptr && list != nullptr && count(&known) == 0 && known > 0) {
    made.archs.resize(static_cast<size_t>(known));
    list(made.archs.data());
  }
  return made;
}
const std::optional<Nvrtc>& nvrtc() {
  static const std::optional<Nvrtc> loaded = load_nvrtc();
  return loaded;
}

std::string read(int (*size_of)(Program, size_t*), int (*get)(Program, char*), Program program) {
  size_t size = 0;
  size_of(program, &size);
  std::string bytes(size, '\0');
  if (size > 0) get(program, bytes.data());
  return bytes;
}

void check_compiled_for(const Nvrtc& rtc, const Arch& arch) {
  int number = std::stoi(arch.real.substr(3));
  if (rtc.archs.empty() || std::find(rtc.archs.begin(), rtc.archs.end(), number) != rtc.archs.end()) return;
  throw ir::refuse(refusals["arch-not-compiled"], rtc.version, arch.real,
                   fmt::format("sm_{}", fmt::join(rtc.archs, ", sm_")));
}

std::string compile_by_nvrtc(const Nvrtc& rtc, const std::string& text, const Arch& arch, bool ptx) {
  check_compiled_for(rtc, arch);
  std::vector<std::string> options{"--gpu-architecture=" + (ptx ? arch.virtual_ : arch.real), "-std=c++17",
                                   "-default-device"};
  for (const std::string& folder : include_folders()) options.push_back("-I" + folder);
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  Program program = nullptr;
  rtc.CreateProgram(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr);
  int status = rtc.CompileProgram(program, static_cast<int>(words.size()), words.data());
  if (status != 0) {
    std::string log = read(rtc.GetProgramLogSize, rtc.GetProgramLog, program);
    rtc.DestroyProgram(&program);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    throw ir::refuse(refusals["cuda-compiler-failed"], rtc.version, log);
  }
  std::string code =
      ptx ? read(rtc.GetPTXSize, rtc.GetPTX, program) : read(rtc.GetCUBINSize, rtc.GetCUBIN, program);
  rtc.DestroyProgram(&program);
  if (ptx && !code.empty() && code.back() == '\0') code.pop_back();
  return code;
}

// ---- tools of the toolkit ----

// A program of the toolkit, or of $PATH.
std::string tool(const char* name) {
  for (const fs::path& toolkit : toolkits()) {
    std::error_code ignored;
    if (fs::exists(toolkit / "bin" / name, ignored)) return (toolkit / "bin" / name).string();
  }
  return name;
}

// Runs a tool that makes a file of another; nothing where it does not start.
std::optional<std::string> made_by_tool(
    const std::string& text, const char* source_name,
    const std::function<std::vector<std::string>(const std::string&, const std::string&)>& words_of) {
  backend::TemporaryFolder folder("mlc-cuda");
  std::string source = folder.write(source_name, text), made = folder / "made";
  std::vector<std::string> words = words_of(source, made);
  int status = backend::run_tool(words, folder / "log");
  if (status == -1 || status == 127) return std::nullopt;
  if (status != 0)
    throw ir::refuse(refusals["cuda-compiler-failed"], words.front(),
                     ir::read_file(folder / "log").value_or(""));
  return ir::read_file(made).value_or("");
}

std::optional<std::string> compile_by_nvcc(const std::string& text, const Arch& arch,
                                           std::string_view format) {
  return made_by_tool(text, "kernels.cu", [&](const std::string& source, const std::string& made) {
    return std::vector<std::string>{tool("nvcc"),
                                    fmt::format("--{}", format),
                                    "-O3",
                                    "-std=c++17",
                                    format == "ptx"
                                        ? "-arch=" + arch.virtual_
                                        : fmt::format("-gencode=arch={},code={}", arch.virtual_, arch.real),
                                    source,
                                    "-o",
                                    made};
  });
}

// A fat binary of one cubin.
std::optional<std::string> fatbin_of(const std::string& cubin, const Arch& arch) {
  return made_by_tool(cubin, "kernels.cubin", [&](const std::string& source, const std::string& made) {
    return std::vector<std::string>{
        tool("fatbinary"), "-64", "--create=" + made,
        fmt::format("--image3=kind=elf,sm={},file={}", arch.real.substr(3), source)};
  });
}

std::string compile_now(const std::string& text, const Arch& arch, std::string_view format) {
  if (nvrtc()) {
    std::string code = compile_by_nvrtc(*nvrtc(), text, arch, format == "ptx");
    if (format != "fatbin") return code;
    if (auto fat = fatbin_of(code, arch)) return *fat;
  }
  if (auto code = compile_by_nvcc(text, arch, format)) return *code;
  throw ir::refuse(refusals["no-cuda-compiler"], format);
}

}  // namespace

std::string compile(const std::string& text, const ir::Target& target, std::string_view format) {
  ir::Inputs::global().beyond();  // which compiler that is
  Arch arch = arch_of(target);
  std::optional<backend::BuildCache> cache = nvrtc() ? backend::BuildCache::of_user() : std::nullopt;
  if (!cache) return compile_now(text, arch, format);
  std::string key = backend::BuildCache::key({"cuda", nvrtc()->version, std::string(format), arch.real,
                                              fmt::format("{}", fmt::join(include_folders(), ":")), text});
  backend::TemporaryFolder folder("mlc-cuda");
  std::string file = folder / "code";
  if (cache->copy(key, file)) return ir::read_file(file).value_or("");
  std::string code = compile_now(text, arch, format);
  folder.write("code", code);
  cache->keep(key, file);
  return code;
}

}  // namespace mlc::cuda_backend
