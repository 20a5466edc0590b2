// SPDX-License-Identifier: Apache-2.0
// Files whole, and libraries for C and C++ as packages that pkg-config and CMake find.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "backend/artefact/package.h"
#include "backend/artefact/write_file.h"
#include "backend/artefact/write_whole.h"
#include "ir/core/error.h"
#include "ir/core/inputs.h"

namespace mlc::backend {

namespace fs = std::filesystem;
using ir::Error;

namespace {

// The file at the end of a chain of links, which may be there or not.
fs::path behind_links(fs::path path) {
  std::error_code failed;
  for (int left = 40; left > 0 && fs::is_symlink(path, failed); --left) {
    fs::path to = fs::read_symlink(path, failed);
    if (failed) break;
    path = path.parent_path() / to;  // `to` alone where it is absolute
  }
  return path;
}

}  // namespace

void write_file(const std::string& path, std::string_view bytes, bool executable) {
  ir::Inputs::global().beyond();
  std::error_code failed;
  // What is there and no regular file, `/dev/stdout` or a pipe, is written itself: its link may name no path.
  bool is_file = !fs::exists(path, failed) || fs::is_regular_file(path, failed);
  fs::path place = is_file ? behind_links(path) : fs::path(path);
  int number = 0;
  if (is_file) {
    number = write_whole(place.string(), bytes, executable);
  } else {
    int stream = open(place.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    number = stream < 0 ? errno : write_all(stream, bytes);
    if (stream >= 0 && close(stream) != 0 && number == 0) number = errno;
  }
  if (number == 0) return;
  Error error("cannot-write", "`{}` cannot be written: {}", path, std::strerror(number));
  fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
  bool folder_is_closed = access(place.c_str(), W_OK) == 0 && access(folder.c_str(), W_OK) != 0;
  if (folder_is_closed) {
    error = std::move(error).help(fmt::format(
        "make its folder `{}` writable: a file is replaced by a new one, which is whole by then", folder.string()));
  }
  throw std::move(error).kind("OSError");
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

// pkg-config computes the prefix from the path of the file.
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

}  // namespace

void write_package(
    const std::string& folder, const std::string& header, const ForC& options,
    const std::string& static_library,
    const std::function<void(const std::string& path, const std::string& soname)>& write_shared) {
  const std::string& name = options.library;
  fs::path root = folder;
  auto write = [&](const fs::path& file, std::string_view bytes) {
    fs::path path = root / file;
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
  write(lib / ("lib" + name + ".a"), static_library);
  std::string soname = "lib" + name + ".so";
  write_shared((root / lib / soname).string(), soname);
  write(lib / "pkgconfig" / (name + ".pc"), replaced(shared_pc, options));
  write(lib / "pkgconfig" / (name + "-static.pc"), replaced(static_pc, options));
  fs::path cmake = lib / "cmake" / name;
  write(cmake / (name + "-config.cmake"), replaced(cmake_config, options));
  write(cmake / (name + "-config-version.cmake"), replaced(cmake_version, options));
}

}  // namespace mlc::backend
