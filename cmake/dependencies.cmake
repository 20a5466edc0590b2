# SPDX-License-Identifier: Apache-2.0
# Everything mlc is built on. Debian packages come from ./dev; apache-tvm-ffi is unpacked into MLC_TVM_FFI.
set(MLC_TVM_FFI "${CMAKE_SOURCE_DIR}/.deps/tvm_ffi" CACHE PATH "unpacked apache-tvm-ffi wheel (its tvm_ffi folder)")

find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(LLVM REQUIRED CONFIG PATHS /usr/lib/llvm-19/cmake /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
find_package(Catch2 2 REQUIRED)
find_program(ANTLR4 antlr4 REQUIRED)
find_path(ANTLR4_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
# The archives where there are any: every shared library is opened, mapped and relocated at each start.
find_library(ANTLR4_RUNTIME NAMES libantlr4-runtime.a antlr4-runtime REQUIRED)
find_library(PCRE2 NAMES libpcre2-8.a pcre2-8 REQUIRED)
find_library(ZLIB NAMES libz.a z REQUIRED)
find_library(ZSTD NAMES libzstd.a zstd REQUIRED)
find_library(UTF8PROC NAMES libutf8proc.a utf8proc REQUIRED)
# Its functions are looked up when a kernel starts (repl/jupyter/zeromq.cpp); nothing is linked.
find_path(ZMQ_INCLUDE zmq.h REQUIRED)

if(NOT EXISTS "${MLC_TVM_FFI}/include/tvm/ffi/object.h")
  message(FATAL_ERROR "apache-tvm-ffi is not at ${MLC_TVM_FFI}; run ./dev build, which puts it there")
endif()
add_library(tvm_ffi SHARED IMPORTED)
set_target_properties(tvm_ffi PROPERTIES
  IMPORTED_LOCATION "${MLC_TVM_FFI}/lib/libtvm_ffi.so"
  INTERFACE_INCLUDE_DIRECTORIES "${MLC_TVM_FFI}/include")
