// SPDX-License-Identifier: Apache-2.0
// What the archives of stdlib/np/file.mlc need of zlib.
#include <zlib.h>

#include "frontend/script/numpy/array.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;

namespace {

const ApiRow file_table[] = {
    {ApiKind::kFunction, "numpy", "_crc32(data)", "The checksum of the bytes.", native([](ffi::Bytes data) {
       return static_cast<int64_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_file_rows() { return file_table; }

}  // namespace mlc::script
