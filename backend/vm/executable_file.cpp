// SPDX-License-Identifier: Apache-2.0
// Executables as bytes, in the format of TVM 0.27. The second magic number names the version that has memory
// scopes.
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>

#include <cstring>

#include "backend/artefact/byte_stream.h"
#include "backend/vm/executable.h"
#include "backend/vm/memory.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/registry/api_row.h"
#include "ir/target/device_api.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "vm-file-damaged", .message = "the bytes are no executable of graphs: {} at byte {}"},
        {.name = "vm-constant-not-saved", .message = "a constant of type `{}` cannot be written to a file"},
    }};
MLC_REFUSALS(vm_executable_file, refusals);

namespace {

constexpr uint64_t kMagicWithoutScopes = 0xD225DE2F4214151D;
constexpr uint64_t kMagic = 0xD225DE2F4214151E;
constexpr uint64_t kTensorMagic = 0xDD5E40F096B4A13F;
constexpr std::string_view kVersion = "0.14";  // of the format, as TVM 0.27 writes it

using Writer = backend::ByteWriter;
using Reader = backend::ByteReader;

void write_constant(Writer& out, const Any& value) {
  bool is_text = value.as<ffi::String>().has_value();  // short ones have a type of their own in memory
  out.number<int32_t>(is_text ? ffi::TypeIndex::kTVMFFIStr : value.type_index());
  if (auto tensor = value.as<ffi::Tensor>()) {
    ffi::Tensor compact = ir::contiguous(ir::on_cpu(*tensor));
    out.number(kTensorMagic);
    out.number<uint64_t>(0);
    out.number(DLDevice{kDLCPU, 0});
    out.number<int32_t>(compact.ndim());
    out.number(compact.dtype());
    for (int64_t extent : compact.shape()) out.number(extent);
    size_t size = ffi::GetDataSize(compact);
    out.number<int64_t>(static_cast<int64_t>(size));
    out.bytes(compact.data_ptr(), size);
  } else if (auto dtype = value.as<DLDataType>()) {
    out.number(*dtype);
  } else if (auto shape = value.as<ffi::Shape>()) {
    out.numbers({shape->begin(), shape->end()});
  } else if (auto text = value.as<ffi::String>()) {
    out.text(ir::view(*text));
  } else if (auto number = value.as<int64_t>()) {
    out.number(*number);
  } else if (auto real = value.as<double>()) {
    out.number(*real);
  } else {
    throw refuse(refusals["vm-constant-not-saved"], ir::type_name(value));
  }
}

using Copied = void (*)(const char* data, size_t size);

ffi::Tensor read_tensor(Reader& in, Copied copied) {
  if (in.number<uint64_t>("a tensor") != kTensorMagic) in.damaged("a tensor");
  in.number<uint64_t>("a tensor");
  in.number<DLDevice>("a tensor");
  auto ndim = in.number<int32_t>("a tensor");
  auto dtype = in.number<DLDataType>("a tensor");
  if (ndim < 0 || dtype.bits == 0 || dtype.lanes == 0) in.damaged("a tensor");
  std::vector<int64_t> shape;
  for (int32_t i = 0; i < ndim; ++i) shape.push_back(in.number<int64_t>("a tensor"));
  auto size = in.number<int64_t>("a tensor");
  int64_t wanted = bytes_of(ffi::Shape(shape.begin(), shape.end()), ir::DataType(dtype));
  if (size != wanted) in.damaged("the size of a tensor");
  const char* data = in.raw(static_cast<size_t>(size), "the numbers of a tensor");
  ffi::Tensor tensor = ir::make_tensor(shape, ir::DataType(dtype));
  if (size > 0) std::memcpy(tensor.data_ptr(), data, static_cast<size_t>(size));
  if (copied != nullptr) copied(data, static_cast<size_t>(size));
  return tensor;
}

Any read_constant(Reader& in, Copied copied) {
  switch (in.number<int32_t>("a constant")) {
    case ffi::TypeIndex::kTVMFFITensor:
      return read_tensor(in, copied);
    case ffi::TypeIndex::kTVMFFIDataType:
      return in.number<DLDataType>("a data type");
    case ffi::TypeIndex::kTVMFFIShape: {
      std::vector<int64_t> dims = in.numbers("a shape");
      return ffi::Shape(dims.begin(), dims.end());
    }
    case ffi::TypeIndex::kTVMFFIStr:
    case ffi::TypeIndex::kTVMFFISmallStr:
      return ffi::String(in.text("a string"));
    case ffi::TypeIndex::kTVMFFIInt:
      return in.number<int64_t>("a number");
    case ffi::TypeIndex::kTVMFFIFloat:
      return in.number<double>("a number");
    default:
      in.damaged("a constant of an unknown kind");
  }
}

}  // namespace

std::string save_program(const Program& program) {
  Writer out;
  out.number(kMagic);
  out.text(kVersion);
  out.number<uint64_t>(program.functions.size());
  for (const FunctionInfo& fn : program.functions) {
    out.number(static_cast<int32_t>(fn.kind));
    out.text(fn.name);
    for (int64_t number : {fn.start, fn.end, fn.num_args, fn.register_file_size}) out.number(number);
    out.number<uint64_t>(fn.param_names.size());
    for (const std::string& name : fn.param_names) out.text(name);
  }
  out.number<uint64_t>(program.memory_scopes.size());
  for (const auto& [constant, scope] : program.memory_scopes) {
    out.number(constant);
    out.text(scope);
  }
  out.number<uint64_t>(program.constants.size());
  for (const Any& constant : program.constants) write_constant(out, constant);
  out.numbers(program.offsets);
  out.numbers(program.words);
  return out.take();
}

Program load_program(std::string_view bytes, Copied copied) {
  Reader in(bytes,
            [](std::string_view what, size_t at) { return refuse(refusals["vm-file-damaged"], what, at); });
  Program program;
  auto magic = in.number<uint64_t>("the magic number");
  if (magic != kMagic && magic != kMagicWithoutScopes) in.damaged("another magic number");
  in.text("the version");
  size_t functions = in.count(sizeof(int32_t) + 6 * sizeof(int64_t), "the functions");
  for (size_t i = 0; i < functions; ++i) {
    FunctionInfo fn;
    auto kind = in.number<int32_t>("a function");
    if (kind < 0 || kind > static_cast<int32_t>(FunctionKind::kVMTIR))
      in.damaged("a function of an unknown kind");
    fn.kind = static_cast<FunctionKind>(kind);
    fn.name = in.text("the name of a function");
    for (int64_t* number : {&fn.start, &fn.end, &fn.num_args, &fn.register_file_size})
      *number = in.number<int64_t>("a function");
    size_t names = in.count(sizeof(uint64_t), "the parameters of a function");
    for (size_t k = 0; k < names; ++k) fn.param_names.push_back(in.text("the name of a parameter"));
    if (fn.register_file_size < 0 || fn.register_file_size > static_cast<int64_t>(bytes.size()))
      in.damaged("the registers of a function");
    if (!program.index.emplace(fn.name, static_cast<int64_t>(i)).second)
      in.damaged("two functions of one name");
    program.functions.push_back(std::move(fn));
  }
  if (magic == kMagic) {
    size_t scopes = in.count(2 * sizeof(int64_t), "the memory scopes");
    for (size_t i = 0; i < scopes; ++i) {
      auto constant = in.number<int64_t>("a memory scope");
      program.memory_scopes[constant] = in.text("a memory scope");
    }
  }
  size_t constants = in.count(sizeof(int32_t), "the constants");
  for (size_t i = 0; i < constants; ++i) program.constants.push_back(read_constant(in, copied));
  program.offsets = in.numbers("the instructions");
  program.words = in.numbers("the instructions");
  if (in.left() != 0) in.damaged("more bytes than instructions");
  check_program(program);
  return program;
}

}  // namespace mlc::vm
