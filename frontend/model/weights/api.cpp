// SPDX-License-Identifier: Apache-2.0
// What scripts call of the readers: the module `_weights`.
#include "frontend/model/weights/api.h"

#include "frontend/model/onnx/api.h"

#include <cerrno>
#include <cstdio>

#include "frontend/model/weights/gguf.h"
#include "frontend/model/weights/md5.h"
#include "frontend/model/weights/png.h"
#include "frontend/model/weights/safetensors.h"
#include "frontend/model/weights/torch_pickle.h"
#include "frontend/script/modules/paths.h"
#include "frontend/script/numpy/array.h"
#include "ir/core/inputs.h"
#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "weights-part",
         .message = "`{}` has {} bytes: {} from {} on, as {} of the shape {}, are not a part of it",
         .meaning = "A part of a file is asked for that the file does not have."},
        {.name = "weights-entry",
         .message = "`{}` has no entry `{}`",
         .meaning = "An archive says by its directory what it has."},
        {.name = "weights-blocks",
         .meaning = "Numbers in blocks are unpacked from rows of whole blocks of bytes."},
        {.name = "weights-blocks-unread",
         .kind = "NotImplementedError",
         .message = "blocks of {} are not unpacked",
         .meaning =
             "The types of blocks with tables of vectors (IQ1 to IQ3) and some others are listed, not read."},
    }};
MLC_REFUSALS(weights_api, refusals);

using ir::ApiCall;
using ir::ApiKind;
using ir::native;
using script::Tuple;

// A file of weights that is open, for scripts.
struct WeightsFileNode final : ffi::Object {
  Source source;
  explicit WeightsFileNode(Source source) : source(std::move(source)) {}
  MLC_NODE("mlc.model.WeightsFile", WeightsFileNode, ffi::Object);
};

namespace {

const Source& source_of_value(ApiCall& call, size_t i = 0) {
  auto* file = call.args[i].as<WeightsFileNode>();
  if (file == nullptr) ir::wrong_argument(call, i, "a file of weights");
  return file->source;
}

template <class T>
Tuple tuple_of(const std::vector<T>& values) {
  Tuple all;
  for (const T& value : values) all.push_back(value);
  return all;
}
Any text(std::string_view value) { return script::str_value(value); }

Any open_file(ApiCall& call) {
  std::string path = script::path_text(script::evaluator_of(call.host), call.args[0], call.span_of(0));
  auto source = map_file(path);
  if (!source) script::refuse_file(errno, path, call.span_of(0));
  ir::Inputs::global().beyond();
  ir::Inputs::global().opened(path);
  return ir::make<WeightsFileNode>(*std::move(source));
}
Any open_bytes(ApiCall& call) {
  Any plain = script::builtin_value_of(call.args[0]);
  if (!script::is_bytes(plain)) ir::wrong_argument(call, 0, "bytes");
  return ir::make<WeightsFileNode>(source_of(script::bytes_of(plain)));
}

Any head(ApiCall& call, const Any&, int64_t count) {
  std::span<const uint8_t> bytes = source_of_value(call).bytes;
  size_t size = std::min<size_t>(count < 0 ? 0 : static_cast<size_t>(count), bytes.size());
  return ffi::Bytes(reinterpret_cast<const char*>(bytes.data()), size);
}

Any list_safetensors(ApiCall& call) {
  Safetensors all = read_safetensors(source_of_value(call));
  Any metadata;
  if (all.metadata) {
    Tuple pairs;
    for (const auto& [name, value] : *all.metadata) pairs.push_back(Tuple{text(name), text(value)});
    metadata = pairs;
  }
  Tuple tensors;
  for (const SafetensorsEntry& one : all.tensors)
    tensors.push_back(Tuple{text(one.name), text(one.type->name),
                            one.type->dtype.is_void() ? Any(nullptr) : text(one.type->dtype.str()),
                            tuple_of(one.shape), static_cast<int64_t>(one.begin),
                            static_cast<int64_t>(one.end - one.begin)});
  return Tuple{metadata, tensors};
}

Any list_gguf(ApiCall& call) {
  Gguf all = read_gguf(source_of_value(call));
  Tuple fields, tensors;
  for (const GgufField& one : all.fields) {
    Tuple types;
    for (GgufValueType type : one.types) types.push_back(static_cast<int64_t>(type));
    fields.push_back(Tuple{text(one.name), static_cast<int64_t>(one.offset), types, one.value});
  }
  for (const GgufTensor& one : all.tensors)
    tensors.push_back(Tuple{text(one.name), static_cast<int64_t>(one.type->code), tuple_of(one.shape),
                            one.elements, static_cast<int64_t>(one.begin), static_cast<int64_t>(one.size)});
  return Tuple{static_cast<int64_t>(all.version), static_cast<int64_t>(all.alignment),
               static_cast<int64_t>(all.data), fields, tensors};
}
Any list_gguf_types() {
  Tuple all;
  for (const GgufType& type : gguf_types())
    all.push_back(Tuple{text(type.name), static_cast<int64_t>(type.code), type.elements, type.bytes,
                        type.plain() ? text(type.dtype.str()) : Any(nullptr)});
  return all;
}

Any read_part(ApiCall& call, const Any&, int64_t begin, int64_t size, const std::string& dtype,
              const Any& shape) {
  const Source& source = source_of_value(call);
  script::Evaluator& evaluator = script::evaluator_of(call.host);
  ir::DataType type = ir::DataType::parse(dtype);
  script::check_dtype(type, call.span_of(3));
  script::Shape extents = script::shape_argument(evaluator, shape, call.span_of(4));
  auto count = element_count(extents);
  int64_t needed = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(type.bytes()), &needed) ||
      needed != size || begin < 0 || static_cast<uint64_t>(begin) > source.bytes.size() ||
      static_cast<uint64_t>(size) > source.bytes.size() - static_cast<uint64_t>(begin))
    throw ir::refuse(refusals["weights-part"], source.name, source.bytes.size(), size, begin, dtype,
                     script::shape_text(extents))
        .at(call.span);
  return script::array_value(
      tensor_at(source, static_cast<uint64_t>(begin), static_cast<uint64_t>(size), type, extents));
}

// Elements of a file whose strides and whose first element are counted in elements.
Any read_strided(ApiCall& call, const Any&, const std::string& dtype, const Any& shape, const Any& strides,
                 int64_t offset) {
  const Source& source = source_of_value(call);
  script::Evaluator& evaluator = script::evaluator_of(call.host);
  ir::DataType type = ir::DataType::parse(dtype);
  script::check_dtype(type, call.span_of(1));
  script::Shape extents = script::shape_argument(evaluator, shape, call.span_of(2)),
                steps = script::shape_argument(evaluator, strides, call.span_of(3));
  auto elements = static_cast<int64_t>(source.bytes.size() / static_cast<uint64_t>(type.bytes()));
  if (!inside_storage(extents, steps, offset, elements))
    throw ir::refuse_as(
        refusals["weights-part"],
        "`{}` has {} elements of {}: the shape {} with the strides {} from element {} on does "
        "not lie in it",
        source.name, elements, dtype, script::shape_text(extents), script::shape_text(steps), offset)
        .at(call.span);
  return script::array_value(strided_tensor(source, type, extents, steps, offset));
}

Any zip_names(ApiCall& call) {
  Tuple names;
  for (const ZipEntry& one : read_zip(source_of_value(call))) names.push_back(text(one.name));
  return names;
}
// An entry of an archive as a file of its own: a part of it where it is stored.
Any zip_part(ApiCall& call, const Any&, const std::string& name) {
  const Source& source = source_of_value(call);
  for (const ZipEntry& one : read_zip(source)) {
    if (one.name == name) return ir::make<WeightsFileNode>(zip_content(source, one));
  }
  throw ir::refuse(refusals["weights-entry"], source.name, name).at(call.span_of(1));
}
Any zip_parts(ApiCall& call) {
  const Source& source = source_of_value(call);
  Tuple parts;
  for (const ZipEntry& one : read_zip(source)) {
    Source content = zip_content(source, one);
    parts.push_back(Tuple{text(one.name), ffi::Bytes(reinterpret_cast<const char*>(content.bytes.data()),
                                                     content.bytes.size())});
  }
  return parts;
}

// All tensors of a state dict, by name.
Any load_torch(ApiCall& call) {
  const Source& source = source_of_value(call);
  TorchFile file = read_torch(source);
  Tuple tensors;
  for (const TorchTensor& one : file.tensors)
    tensors.push_back(Tuple{text(one.name), script::array_value(torch_tensor(source, file, one))});
  return tensors;
}

std::string unpacked_types() {
  std::string names;
  for (const GgufType& type : gguf_types()) {
    if (type.unpack != nullptr) names += (names.empty() ? "" : ", ") + std::string(type.name);
  }
  return names;
}

// An array of bytes whose rows are blocks, as numbers.
Any unpack(ApiCall& call, const Any& data, int64_t code) {
  const GgufType* type = code < 0 ? nullptr : gguf_type(static_cast<uint32_t>(code));
  if (type == nullptr || type->plain())
    throw ir::refuse_as(refusals["weights-blocks"], "there are no blocks of the type {}", code)
        .at(call.span_of(1));
  if (type->unpack == nullptr)
    throw ir::refuse(refusals["weights-blocks-unread"], type->name)
        .at(call.span_of(1))
        .help("convert the file with llama.cpp's `llama-quantize` to one of " + unpacked_types());
  ffi::Tensor tensor = script::to_tensor(script::evaluator_of(call.host), data, call.span_of(0));
  script::Shape shape = script::shape_of(tensor);
  if (ir::DataType(tensor.dtype()) != ir::DataType::UInt(8) || shape.empty() ||
      shape.back() % type->bytes != 0)
    throw ir::refuse_as(refusals["weights-blocks"],
                        "blocks of {} are rows of whole {} bytes (uint8), not {} of the shape {}", type->name,
                        type->bytes, ir::DataType(tensor.dtype()).str(), script::shape_text(shape))
        .at(call.span_of(0));
  tensor = script::row_major(tensor, ir::DataType::UInt(8));
  auto size = static_cast<size_t>(script::product(shape));
  shape.back() = shape.back() / type->bytes * type->elements;
  ffi::Tensor numbers = script::make_array(shape, ir::DataType::Float(32));
  unpack_blocks(*type, {script::data_of<uint8_t>(tensor), size}, script::data_of<float>(numbers));
  return script::array_value(numbers);
}

// `metadata`: None, or names and values in turn; `path`: None for bytes.
Any save_safetensors(ApiCall& call, const Any& names, const Any& arrays, const Any& metadata,
                     const Any& path) {
  script::Evaluator& evaluator = script::evaluator_of(call.host);
  std::vector<Any> keys = evaluator.elements_of(names), values = evaluator.elements_of(arrays);
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < keys.size() && i < values.size(); ++i) {
    ffi::Tensor tensor = script::to_tensor(evaluator, values[i], call.span_of(1));
    tensors.push_back({std::string(script::text_of(keys[i])), script::row_major(tensor, tensor.dtype())});
  }
  std::optional<std::map<std::string, std::string>> texts;
  if (metadata != nullptr) {
    std::vector<Any> all = evaluator.elements_of(metadata);
    texts.emplace();
    for (size_t i = 0; i + 1 < all.size(); i += 2)
      (*texts)[std::string(script::text_of(all[i]))] = std::string(script::text_of(all[i + 1]));
  }
  std::string header = safetensors_header(tensors, texts);
  auto bytes_of = [](const NamedTensor& one) {
    return std::string_view(script::data_of<char>(one.tensor),
                            ffi::GetDataSize(*one.tensor.GetDLTensorPtr()));
  };
  if (path == nullptr) {
    for (const NamedTensor& one : tensors) header += bytes_of(one);
    return ffi::Bytes(std::move(header));
  }
  ir::Inputs::global().beyond();
  // Under another name first: the tensors may be parts of the very file that is written over.
  std::string target = script::path_text(evaluator, path, call.span_of(3)), fresh = target + ".part";
  std::FILE* file = std::fopen(fresh.c_str(), "wb");
  if (file == nullptr) script::refuse_file(errno, target, call.span_of(3));
  auto write = [&](std::string_view part) {
    return std::fwrite(part.data(), 1, part.size(), file) == part.size();
  };
  bool good = write(header);
  for (const NamedTensor& one : tensors) good = good && write(bytes_of(one));
  int code = good ? 0 : errno;
  if (std::fclose(file) != 0 && code == 0) code = errno;
  if (code == 0 && std::rename(fresh.c_str(), target.c_str()) != 0) code = errno;
  if (code != 0) {
    std::remove(fresh.c_str());
    script::refuse_file(code, target, call.span_of(3));
  }
  return nullptr;
}

const ir::ApiRow rows[] = {
    {ApiKind::kFunction, "_weights", "open_file(path)", "The bytes of a file, mapped.", open_file},
    {ApiKind::kFunction, "_weights", "open_bytes(data)", "Bytes as a file of weights.", open_bytes},
    {ApiKind::kFunction, "_weights", "size_of(file)", "How many bytes there are.",
     [](ApiCall& call) { return Any(static_cast<int64_t>(source_of_value(call).bytes.size())); }},
    {ApiKind::kFunction, "_weights", "head(file, count)", "The first bytes, at most so many.",
     native(script::calls<head>)},
    {ApiKind::kFunction, "_weights", "list_safetensors(file)",
     "Metadata as pairs or None, and (name, its dtype, ours, shape, begin, size) of each tensor.",
     list_safetensors},
    {ApiKind::kFunction, "_weights", "list_gguf(file)",
     "Version, alignment, begin of the data; (name, offset, types, value) of each field; (name, type, shape, "
     "elements, "
     "begin, size) of each tensor.",
     list_gguf},
    {ApiKind::kFunction, "_weights", "gguf_types()",
     "(name, code, elements, bytes, dtype or None) of the types.", native(script::calls<list_gguf_types>)},
    {ApiKind::kFunction, "_weights", "read_png(file)", "The pixels of a PNG file: rows, columns, channels of uint8.",
     [](ApiCall& call) -> Any { return script::array_value(read_png(source_of_value(call))); }},
    {ApiKind::kFunction, "_weights", "zip_names(file)", "The names of the entries of a zip archive.",
     zip_names},
    {ApiKind::kFunction, "_weights", "zip_part(file, name)", "An entry of a zip archive as a file.",
     native(script::calls<zip_part>)},
    {ApiKind::kFunction, "_weights", "zip_parts(file)", "(name, bytes) of each entry of a zip archive.",
     zip_parts},
    {ApiKind::kFunction, "_weights", "md5(data)", "The MD5 digest of bytes, in hexadecimal.",
     native([](ffi::Bytes data) {
       return text(md5_hex({reinterpret_cast<const uint8_t*>(data.data()), data.size()}));
     })},
    {ApiKind::kFunction, "_weights", "load_torch(file)",
     "(name, array) of each tensor that `torch.save` wrote.", load_torch},
    {ApiKind::kFunction, "_weights", "read_part(file, begin, size, dtype, shape)",
     "A part of the file as an array.", native(script::calls<read_part>)},
    {ApiKind::kFunction, "_weights", "read_strided(file, dtype, shape, strides, offset)",
     "Elements of the file as an array; strides and offset count elements.",
     native(script::calls<read_strided>)},
    {ApiKind::kFunction, "_weights", "unpack(data, type)", "Rows of blocks of GGUF as numbers.",
     native(script::calls<unpack>)},
    {ApiKind::kFunction, "_weights", "save_safetensors(names, arrays, metadata, path)",
     "Writes a file, or returns its bytes.", native(script::calls<save_safetensors>)},
};

}  // namespace

void register_api() {
  ir::ApiRegistry::global().add(rows);
  ir::ApiRegistry::global().add(onnx::rows());
}

}  // namespace mlc::model
