// SPDX-License-Identifier: Apache-2.0
// What the archives of stdlib/np/file.mlc need of zlib.
#include <zlib.h>

#include "frontend/script/numpy/array.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

// Without zlib's own header, as in archives.
ffi::Bytes inflated(const ffi::Bytes& packed, size_t size, ir::Span span) {
  z_stream stream{};
  MLC_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "zlib does not start");
  std::string bytes(size, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(size);
  int status = inflate(&stream, Z_FINISH);
  size_t made = stream.total_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END || made != size)
    raise("ValueError", span, "wrong-value", "the compressed data of the archive is damaged");
  return ffi::Bytes(std::move(bytes));
}

const ApiRow file_table[] = {
    {ApiKind::kFunction, "numpy", "_crc32(data)", "The checksum of the bytes.", native([](ffi::Bytes data) {
       return static_cast<int64_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
     })},
    {ApiKind::kFunction, "numpy", "_inflate(data, size)", "So many bytes that were compressed.",
     native([](ApiCall& call, ffi::Bytes data, int64_t size) {
       return inflated(data, static_cast<size_t>(size), call.span);
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_file_rows() { return file_table; }

}  // namespace mlc::script
