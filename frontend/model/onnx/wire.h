// SPDX-License-Identifier: Apache-2.0
// Protobuf's wire format, for the messages of schema.h. Every length is compared with what is left of the
// enclosing message before a byte of it is read.
#pragma once

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include "frontend/model/onnx/schema.h"
#include "frontend/model/weights/source.h"
#include "ir/core/object.h"

namespace mlc::model::onnx {

using ffi::Any;
using Dict = ffi::Dict<Any, Any>;
using List = ffi::List<Any>;

// The bytes of a tensor, still in the file that holds them.
struct RawDataNode final : ffi::Object {
  Source source;
  uint64_t begin = 0, size = 0;
  RawDataNode(Source source, uint64_t begin, uint64_t size)
      : source(std::move(source)), begin(begin), size(size) {}
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(source.bytes.data()) + begin, size};
  }
  MLC_NODE("mlc.onnx.RawData", RawDataNode, ffi::Object);
};
using RawData = ir::Ref<RawDataNode>;

// The fields that are there, by name: int, float, str and bytes, messages as dicts, repeated fields as lists.
// `raw_data` of tensors is a RawData. Error onnx-wire where the bytes are no such message: at which byte, in
// which field.
Dict decode(const Source& source, const Message& message);

// The bytes of such a dict, fields by number. Error onnx-field where a value does not fit its field.
std::string encode(const Dict& fields, const Message& message);

}  // namespace mlc::model::onnx
