// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/onnx/api.h"

#include <cerrno>

#include "frontend/model/onnx/wire.h"
#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "onnx-too-large",
         .message = "`{}` has {} bytes; an ONNX file has less than 2 GiB",
         .help = "larger models keep their weights in files beside it: `onnx.save(..., "
                 "save_as_external_data=True)` "
                 "of the Python package writes such",
         .meaning = "Protobuf counts bytes with 31 bits."},
        {.name = "onnx-raw-data",
         .message = "tensor `{}` has {} bytes of data, its shape needs {}",
         .meaning = "The bytes of a tensor are its elements, in row-major order."},
        {.name = "onnx-external-data",
         .message = "tensor `{}` lies in `{}` from byte {} to {}, which has {} bytes",
         .help = "is the file beside the model complete?",
         .meaning = "Weights may lie in files beside the model; the model says where in them."},
    }};
MLC_REFUSALS(onnx_api, refusals);

namespace onnx {

namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::ApiRow;
using ir::native;

Source open_source(ApiCall& call, const std::string& path) {
  std::optional<Source> source = map_file(path);
  if (!source) script::refuse_file(errno, path, call.span_of(0));
  // A program may look at what it has read; what a build reads of a model is compared by digests.
  ir::Inputs::global().beyond();
  ir::Inputs::global().opened(path);
  return *std::move(source);
}
const Message& message_named(const std::string& name) {
  const Message* message = find_message(name);
  MLC_CHECK(message != nullptr, "no message of ONNX is called {}", name);
  return *message;
}

// data: the path of a file, or bytes.
Any decode_any(ApiCall& call, const Any& data, std::string name) {
  if (script::is_bytes(data)) return decode(source_of(script::bytes_of(data)), message_named(name));
  Source source = open_source(call, std::string(script::text_of(data)));
  if (source.bytes.size() >= uint64_t{1} << 31)
    script::raise(refusals["onnx-too-large"], call.span_of(0), source.name, source.bytes.size());
  return decode(source, message_named(name));
}

// The data of tensors in a file beside the model.
RawData external(ApiCall& call, std::string path, int64_t begin, std::optional<int64_t> size,
                 std::string tensor) {
  Source source = open_source(call, path);
  auto have = static_cast<int64_t>(source.bytes.size());
  int64_t length = size.value_or(have - begin);
  if (begin < 0 || begin > have || length < 0 || length > have - begin)
    script::raise(refusals["onnx-external-data"], call.span, tensor, path, begin,
                  static_cast<__int128>(begin) + length < INT64_MAX ? begin + length : INT64_MAX, have);
  return ir::make<RawDataNode>(std::move(source), static_cast<uint64_t>(begin),
                               static_cast<uint64_t>(length));
}

// The elements as an array; `data` is a RawData or bytes.
Any raw_tensor(ApiCall& call, const Any& data, const Any& dtype, const Any& shape, std::string name) {
  script::Evaluator& evaluator = script::evaluator_of(call.host);
  ir::DataType type = script::dtype_argument(evaluator, dtype, call.span_of(1));
  script::Shape dims = script::shape_argument(evaluator, shape, call.span_of(2));
  RawData raw = script::is_bytes(data) ? [&] {
    std::string bytes = script::bytes_of(data);
    uint64_t size = bytes.size();
    return ir::make<RawDataNode>(source_of(std::move(bytes)), 0, size);
  }() : data.cast<RawData>();
  std::vector<int64_t> extents(dims.begin(), dims.end());
  std::optional<int64_t> count = element_count(extents);
  int64_t width = (type.bits() + 7) / 8, need = 0;
  if (!count || __builtin_mul_overflow(*count, width, &need) || static_cast<uint64_t>(need) != raw->size)
    script::raise(refusals["onnx-raw-data"], call.span, name, raw->size,
                  count ? fmt::to_string(need) : "more than there can be");
  return script::array_value(tensor_at(raw->source, raw->begin, raw->size, type, extents));
}

const ApiRow kRows[] = {
    {ApiKind::kFunction, "_onnx", "decode(data, message)", "The fields of a message in a file or in bytes.",
     native(script::calls<decode_any>)},
    {ApiKind::kFunction, "_onnx", "encode(fields, message)", "The bytes of a message with these fields.",
     native([](Dict fields, std::string message) {
       return ffi::Bytes(encode(fields, message_named(message)));
     })},
    {ApiKind::kFunction, "_onnx", "fields(message)",
     "For each field its name, the name of its kind, whether it is repeated, and its message.",
     native([](std::string name) {
       static constexpr std::string_view kKinds[] = {"int", "int",   "float",  "float",
                                                     "str", "bytes", "message"};
       List all;
       for (const Field& field : message_named(name).fields) {
         all.push_back(ffi::Array<Any>{script::str_value(field.name),
                                       script::str_value(kKinds[static_cast<size_t>(field.kind)]),
                                       field.repeated, script::str_value(field.message)});
       }
       return all;
     })},
    {ApiKind::kFunction, "_onnx", "external(path, begin, size, tensor)", "Bytes of a file beside the model.",
     native(script::calls<external>)},
    {ApiKind::kFunction, "_onnx", "raw_tensor(data, dtype, shape, name)",
     "Such bytes as the elements of an array.", native(script::calls<raw_tensor>)},
    {ApiKind::kFunction, "_onnx", "raw_bytes(data)", "Such bytes, copied.",
     native([](RawData data) { return ffi::Bytes(std::string(data->bytes())); })},
};

}  // namespace

std::span<const ApiRow> rows() { return kRows; }

}  // namespace onnx
}  // namespace mlc::model
