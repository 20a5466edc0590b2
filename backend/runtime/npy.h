// SPDX-License-Identifier: Apache-2.0
// Arrays in .npy files, for the stand-alone program: libc only. What does not fit is said on standard error.
#pragma once

#include <dlpack/dlpack.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace npy {

constexpr int kMostHeader = 1 << 16;

// As the header of a file says it: "<f4", "|b1".
inline void descr_of(DLDataType dtype, char* text, size_t size) {
  char kind = dtype.code == kDLFloat ? 'f' : dtype.code == kDLInt ? 'i' : dtype.code == kDLBool ? 'b' : 'u';
  if (dtype.code != kDLFloat && dtype.code != kDLInt && dtype.code != kDLUInt && dtype.code != kDLBool)
    kind = 'V';
  snprintf(text, size, "%c%c%d", dtype.bits == 8 ? '|' : '<', kind, dtype.bits / 8);
}

inline void print_shape(FILE* to, const int64_t* shape, int64_t rank) {
  fprintf(to, "(");
  for (int64_t d = 0; d < rank; ++d)
    fprintf(to, "%s%lld", d == 0 ? "" : ", ", static_cast<long long>(shape[d]));
  fprintf(to, rank == 1 ? ",)" : ")");
}

// The text behind `key` in a header, or null.
inline const char* value_of(const char* header, const char* key) {
  const char* at = strstr(header, key);
  if (at == nullptr) return nullptr;
  at += strlen(key);
  while (*at == ' ' || *at == ':') ++at;
  return at;
}

// Does "(2, 3)" say this shape?
inline bool same_shape(const char* text, const int64_t* shape, int64_t rank) {
  if (*text++ != '(') return false;
  for (int64_t d = 0; d < rank; ++d) {
    char* end = nullptr;
    if (strtoll(text, &end, 10) != shape[d] || end == text) return false;
    text = end;
    while (*text == ' ' || *text == ',') ++text;
  }
  return *text == ')';
}

// The header of a file as text; false, and said why, where there is none.
inline bool read_header(FILE* file, const char* path, char* header) {
  unsigned char start[12];
  if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0) {
    fprintf(stderr, "error: `%s` is no .npy file\n", path);
    return false;
  }
  size_t length = start[8] | static_cast<size_t>(start[9]) << 8;
  if (start[6] >= 2) {
    if (fread(start + 10, 1, 2, file) != 2) length = kMostHeader;
    length |= static_cast<size_t>(start[10]) << 16 | static_cast<size_t>(start[11]) << 24;
  }
  if (start[6] > 3 || length >= kMostHeader || fread(header, 1, length, file) != length) {
    fprintf(stderr, "error: `%s` has a header that cannot be read\n", path);
    return false;
  }
  header[length] = 0;
  return true;
}

// The elements of a file of this type and shape into `data`.
inline bool read(const char* path, const char* name, DLDataType dtype, const int64_t* shape, int64_t rank,
                 void* data, size_t bytes) {
  FILE* file = fopen(path, "rb");
  if (file == nullptr) {
    fprintf(stderr, "error: `%s`, for `%s`, cannot be read\n", path, name);
    return false;
  }
  auto* header = static_cast<char*>(malloc(kMostHeader + 1));
  bool fine = header != nullptr && read_header(file, path, header);
  if (fine) {
    char wanted[16];
    descr_of(dtype, wanted + 1, sizeof wanted - 2);
    wanted[0] = '\'';
    strcat(wanted, "'");
    const char* descr = value_of(header, "'descr'");
    const char* order = value_of(header, "'fortran_order'");
    const char* extents = value_of(header, "'shape'");
    if (descr == nullptr || order == nullptr || extents == nullptr) {
      fprintf(stderr, "error: the header of `%s` says neither type nor shape\n", path);
      fine = false;
    } else if (strncmp(descr, wanted, strlen(wanted)) != 0) {
      const char* end = strpbrk(descr, ",}");
      fprintf(stderr, "error: `%s` takes %s, and `%s` holds %.*s\n", name, wanted, path,
              end == nullptr ? 8 : static_cast<int>(end - descr), descr);
      fine = false;
    } else if (!same_shape(extents, shape, rank)) {
      const char* end = strchr(extents, ')');
      fprintf(stderr, "error: `%s` takes ", name);
      print_shape(stderr, shape, rank);
      fprintf(stderr, ", and `%s` holds %.*s\n", path,
              end == nullptr ? 1 : static_cast<int>(end - extents + 1), extents);
      fine = false;
    } else if (*order == 'T' && rank > 1) {
      fprintf(stderr, "error: `%s` has its first dimension innermost; np.ascontiguousarray turns it\n", path);
      fine = false;
    } else if (fread(data, 1, bytes, file) != bytes) {
      fprintf(stderr, "error: `%s` ends inside of its array\n", path);
      fine = false;
    }
  }
  free(header);
  fclose(file);
  return fine;
}

inline bool write(const char* path, DLDataType dtype, const int64_t* shape, int64_t rank, const void* data,
                  size_t bytes) {
  char header[1024], descr[16];
  descr_of(dtype, descr, sizeof descr);
  int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int64_t d = 0; d < rank; ++d)
    length += snprintf(header + length, sizeof header - static_cast<size_t>(length), "%s%lld",
                       d == 0 ? "" : ", ", static_cast<long long>(shape[d]));
  length +=
      snprintf(header + length, sizeof header - static_cast<size_t>(length), "%s), }", rank == 1 ? "," : "");
  while ((length + 11) % 64 != 0) header[length++] = ' ';
  header[length++] = '\n';
  FILE* file = fopen(path, "wb");
  unsigned char size[2] = {static_cast<unsigned char>(length & 255), static_cast<unsigned char>(length >> 8)};
  bool fine = file != nullptr && fwrite("\x93NUMPY\1\0", 1, 8, file) == 8 && fwrite(size, 1, 2, file) == 2 &&
              fwrite(header, 1, static_cast<size_t>(length), file) == static_cast<size_t>(length) &&
              fwrite(data, 1, bytes, file) == bytes;
  fine = file != nullptr && fclose(file) == 0 && fine;
  if (!fine) fprintf(stderr, "error: `%s` cannot be written\n", path);
  return fine;
}

}  // namespace npy
