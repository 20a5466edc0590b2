// SPDX-License-Identifier: Apache-2.0
// Artefacts for C and C++: a library with its header, alone or as a package that pkg-config and CMake find.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "backend/artefact/build.h"
#include "backend/artefact/write_file.h"
#include "backend/artefact/write_whole.h"
#include "backend/llvm/code.h"
#include "ir/core/error.h"
#include "ir/core/inputs.h"

namespace mlc::backend {

namespace fs = std::filesystem;
using ir::Error;

void write_file(const std::string& path, std::string_view bytes, bool executable) {
  ir::Inputs::global().beyond();
  std::error_code failed;
  fs::path place = fs::is_symlink(path, failed) ? fs::canonical(path, failed) : fs::path(path);
  if (failed) place = path;
  int number = 0;
  if (!fs::exists(place, failed) || fs::is_regular_file(place, failed)) {
    number = write_whole(place.string(), bytes, executable);
  } else {  // `/dev/stdout`, a pipe
    int stream = open(place.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    number = stream < 0 ? errno : write_all(stream, bytes);
    if (stream >= 0 && close(stream) != 0 && number == 0) number = errno;
  }
  if (number == 0) return;
  throw Error("cannot-write", "`{}` cannot be written: {}", path, std::strerror(number)).kind("OSError");
}

namespace {

std::string replaced(std::string text, const ForC& options) {
  for (const auto& [mark, value] : {std::pair<std::string_view, std::string_view>{"@NAME@", options.library},
                                    {"@VERSION@", options.version}}) {
    for (size_t at = 0; (at = text.find(mark, at)) != text.npos; at += value.size())
      text.replace(at, mark.size(), value);
  }
  return text;
}

// pkg-config computes the prefix from where the file lies.
constexpr const char* shared_pc = R"(prefix=${pcfiledir}/../..
includedir=${prefix}/include
libdir=${prefix}/lib

Name: @NAME@
Description: functions compiled by mlc
Version: @VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -l@NAME@
)";
constexpr const char* static_pc = R"(prefix=${pcfiledir}/../..
includedir=${prefix}/include
libdir=${prefix}/lib

Name: @NAME@-static
Description: functions compiled by mlc, linked into the program
Version: @VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -l:lib@NAME@.a -pthread -lm
)";

constexpr const char* cmake_config = R"(# @NAME@::@NAME@ is the shared library, @NAME@::static the static one.
get_filename_component(_mlc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
foreach(_mlc_file include/@NAME@.h lib/lib@NAME@.so lib/lib@NAME@.a)
  if(NOT EXISTS "${_mlc_prefix}/${_mlc_file}")
    set(@NAME@_FOUND FALSE)
    set(@NAME@_NOT_FOUND_MESSAGE "`${_mlc_prefix}/${_mlc_file}` is missing")
    return()
  endif()
endforeach()
if(NOT TARGET @NAME@::@NAME@)
  add_library(@NAME@::@NAME@ SHARED IMPORTED)
  set_target_properties(@NAME@::@NAME@ PROPERTIES
    IMPORTED_LOCATION "${_mlc_prefix}/lib/lib@NAME@.so"
    IMPORTED_SONAME "lib@NAME@.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_mlc_prefix}/include")
endif()
if(NOT TARGET @NAME@::static)
  add_library(@NAME@::static STATIC IMPORTED)
  set_target_properties(@NAME@::static PROPERTIES
    IMPORTED_LOCATION "${_mlc_prefix}/lib/lib@NAME@.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_mlc_prefix}/include"
    INTERFACE_LINK_LIBRARIES "-pthread;m")
endif()
unset(_mlc_file)
unset(_mlc_prefix)
)";

// A request is met by this version or one before it of the same major number.
constexpr const char* cmake_version = R"(set(PACKAGE_VERSION "@VERSION@")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
string(REGEX MATCH "^[0-9]+" _mlc_major "${PACKAGE_VERSION}")
if(PACKAGE_FIND_VERSION_MAJOR STREQUAL _mlc_major AND NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
unset(_mlc_major)
)";

void write_package(const llvm_backend::Code& code, const ir::Target& target, const fs::path& folder,
                   const std::string& header, const ForC& options) {
  const std::string& name = options.library;
  auto write = [&](const fs::path& file, std::string_view bytes) {
    fs::path path = folder / file;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) {
      throw Error("cannot-write", "`{}` cannot be made a folder: {}", path.parent_path().string(),
                  failed.message())
          .kind("OSError");
    }
    write_file(path.string(), bytes);
  };
  write(fs::path("include") / (name + ".h"), header);
  fs::path lib = "lib";
  write(lib / ("lib" + name + ".a"), llvm_backend::static_library(code, name));
  std::string soname = "lib" + name + ".so";
  llvm_backend::link_shared_library(code, target, (folder / lib / soname).string(), soname);
  write(lib / "pkgconfig" / (name + ".pc"), replaced(shared_pc, options));
  write(lib / "pkgconfig" / (name + "-static.pc"), replaced(static_pc, options));
  fs::path cmake = lib / "cmake" / name;
  write(cmake / (name + "-config.cmake"), replaced(cmake_config, options));
  write(cmake / (name + "-config-version.cmake"), replaced(cmake_version, options));
}

}  // namespace

CInterface emit_for_c(const ir::IRModule& lowered, const ir::Target& target, Emit kind,
                      const std::string& path, const ForC& options) {
  CInterface interface = c_interface(lowered, options.library, options.prefix);
  llvm_backend::CNames names;
  for (const CFunction& function : interface.functions) names.emplace_back(function.symbol, function.name);
  auto debug = options.lines ? llvm_backend::DebugInfo::kLines : llvm_backend::DebugInfo::kNone;
  llvm_backend::Code code = llvm_backend::compile(lowered, target, debug, "", names);
  std::string header = c_header(interface, options.text);
  switch (kind) {
    case Emit::kPackage:
      write_package(code, target, path, header, options);
      return interface;
    case Emit::kObject:
      write_file(path, code.object);
      break;
    case Emit::kStaticLibrary:
      write_file(path, llvm_backend::static_library(code, options.library));
      break;
    case Emit::kSharedLibrary:
      llvm_backend::link_shared_library(code, target, path);
      break;
    default:
      MLC_CHECK(false, "this kind of artefact has no header");
  }
  write_file(options.header, header);
  return interface;
}

}  // namespace mlc::backend
