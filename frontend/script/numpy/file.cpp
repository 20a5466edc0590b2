// SPDX-License-Identifier: Apache-2.0
// Arrays in files: .npy (version 1 of NumPy's format), .npz (a zip archive of them), raw bytes.
#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "frontend/script/numpy/array.h"
#include "ir/core/inputs.h"

namespace mlc::script {

using ir::ApiKind;
using ir::ApiRow;
using ir::native;
using ir::NDArray;

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// ---- bytes ----

void put(std::string& to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}
uint64_t get(std::string_view from, size_t at, int bytes) {
  if (at + static_cast<size_t>(bytes) > from.size())
    throw ir::Error("wrong-value", "the file ends too early").kind("ValueError");
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(from[at + static_cast<size_t>(i)])) << (8 * i);
  return value;
}
std::string_view part(std::string_view from, size_t at, size_t size) {
  if (at > from.size() || size > from.size() - at)
    throw ir::Error("wrong-value", "the file ends too early").kind("ValueError");
  return from.substr(at, size);
}

uint32_t checksum(std::string_view bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int k = 0; k < 8; ++k) value = value >> 1 ^ ((value & 1) != 0 ? 0xedb88320U : 0);
      made[i] = value;
    }
    return made;
  }();
  uint32_t sum = ~0U;
  for (char c : bytes) sum = sum >> 8 ^ table[(sum ^ static_cast<unsigned char>(c)) & 0xff];
  return ~sum;
}

std::string path_of(ApiCall& call, const Any& value, std::string_view ending = {}) {
  Any text = value;
  if (!is_str(text)) {
    Any method;
    if (!is_object(text) || !evaluator_of(call.host).find_attribute(text, Symbol("__fspath__"), method)) {
      raise("TypeError", call.span_of(0), "wrong-type", "a file is named by a str, not by {}",
            type_name_of(evaluator_of(call.host), value));
    }
    text = evaluator_of(call.host).call(method, {}, {}, call.span);
  }
  std::string path(text_of(text));
  if (!ending.empty() && !path.ends_with(ending)) path += ending;
  return path;
}
std::string read_all(const std::string& path, ir::Span span) {
  ir::Inputs::global().beyond();
  std::ifstream in(path, std::ios::binary);
  if (!in)
    raise("FileNotFoundError", span, "file-not-found", "[Errno 2] No such file or directory: '{}'", path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void write_all(const std::string& path, std::string_view bytes, ir::Span span) {
  ir::Inputs::global().beyond();
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) raise("PermissionError", span, "not-writable", "cannot write '{}'", path);
}

// An object that is written to and read from, such as io.BytesIO.
bool file_method(ApiCall& call, const Any& file, std::string_view name, Any& out) {
  return is_object(file) && !is_str(file) && evaluator_of(call.host).find_attribute(file, Symbol(name), out);
}
std::string read_part(ApiCall& call, const Any& read, int64_t count) {
  Any size(count);
  Any made = evaluator_of(call.host).call(read, std::span<const Any>(&size, 1), {}, call.span);
  if (!is_bytes(made)) {
    raise("TypeError", call.span_of(0), "wrong-type", "read() gave {} where bytes are expected",
          type_name_of(evaluator_of(call.host), made));
  }
  return bytes_of(made);
}
// What save() and savez() write.
void write_file(ApiCall& call, const Any& file, std::string_view ending, std::string_view bytes) {
  Any write;
  if (!file_method(call, file, "write", write))
    return write_all(path_of(call, file, ending), bytes, call.span);
  Any data(ffi::Bytes{std::string(bytes)});
  evaluator_of(call.host).call(write, std::span<const Any>(&data, 1), {}, call.span);
}

// ---- .npy ----

std::string raw_bytes(const ffi::Tensor& tensor) {
  ffi::Tensor dense = row_major(tensor, tensor.dtype());
  return {data_of<char>(dense), static_cast<size_t>(dense.numel() * DataType(dense.dtype()).bytes())};
}
ffi::Tensor reversed(const ffi::Tensor& tensor) {
  Shape order;
  for (int64_t d = tensor.ndim(); d-- > 0;) order.push_back(d);
  return transposed(tensor, order);
}

std::string npy_bytes(const ffi::Tensor& tensor) {
  DataType dtype = tensor.dtype();
  char letter = dtype.is_bool()         ? 'b'
                : dtype.is_int()        ? 'i'
                : dtype.is_uint()       ? 'u'
                : is_added_float(dtype) ? 'V'
                                        : 'f';
  bool first_fastest = tensor.ndim() > 1 && !tensor.IsContiguous() && reversed(tensor).IsContiguous();
  std::string shape = "(";
  for (int64_t d = 0; d < tensor.ndim(); ++d) shape += (d > 0 ? ", " : "") + std::to_string(tensor.size(d));
  shape += tensor.ndim() == 1 ? ",)" : ")";
  std::string header =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': {}, 'shape': {}, }}", dtype.bits() == 8 ? '|' : '<',
                  letter, dtype.bytes(), first_fastest ? "True" : "False", shape);
  // Magic, version, length and header together are a multiple of 64, with room for the shape to grow.
  if (tensor.ndim() > 0) {
    size_t digits = std::to_string(tensor.size(first_fastest ? tensor.ndim() - 1 : 0)).size();
    header.append(21 - std::min<size_t>(digits, 21), ' ');
  }
  size_t used = 10 + header.size() + 1;
  header.append((64 - used % 64) % 64, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\0';
  put(bytes, header.size(), 2);
  return bytes + header + raw_bytes(first_fastest ? reversed(tensor) : tensor);
}

struct NpyHeader {
  DataType dtype;
  bool first_fastest;  // the first index, in memory
  Shape shape;         // the last index fastest
  size_t bytes() const {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return static_cast<size_t>(count * dtype.bytes());
  }
};

NpyHeader npy_header(ApiCall& call, std::string_view header) {
  auto field = [&](std::string_view name) {
    size_t at = header.find("'" + std::string(name) + "'");
    if (at == std::string_view::npos)
      raise("ValueError", call.span, "wrong-value", "Header does not contain the correct keys: {}", name);
    at = header.find(':', at) + 1;
    while (at < header.size() && header[at] == ' ') ++at;
    return header.substr(at);
  };
  std::string_view descr = field("descr");
  descr = descr.substr(1, descr.find('\'', 1) - 1);
  if (descr.starts_with(">"))
    raise("NotImplementedError", call.span, "not-supported",
          "arrays of the other byte order ('{}') are not supported", descr);
  NpyHeader made{descr == "<V2" ? DataType::BFloat16()
                                : dtype_argument(evaluator_of(call.host), str_value(descr), call.span),
                 field("fortran_order").starts_with("True"),
                 {}};
  std::string_view extents = field("shape");
  extents = extents.substr(1, extents.find(')') - 1);
  while (!extents.empty()) {
    size_t comma = std::min(extents.find(','), extents.size());
    std::string word(extents.substr(0, comma));
    if (word.find_first_of("0123456789") != std::string::npos) made.shape.push_back(std::stoll(word));
    extents.remove_prefix(std::min(comma + 1, extents.size()));
  }
  if (made.first_fastest) std::reverse(made.shape.begin(), made.shape.end());
  return made;
}

Any npy_array(ApiCall& call, std::string_view bytes) {
  if (bytes.size() < 10 || !bytes.starts_with(kMagic))
    raise("ValueError", call.span, "wrong-value", "the magic string is not correct; expected b'\\x93NUMPY'");
  int version = bytes[6];
  size_t begin = version == 1 ? 10 : 12;
  auto length = static_cast<size_t>(get(bytes, 8, version == 1 ? 2 : 4));
  NpyHeader header = npy_header(call, part(bytes, begin, length));
  ffi::Tensor tensor = make_array(header.shape, header.dtype);
  std::string_view data = part(bytes, begin + length, header.bytes());
  std::copy(data.begin(), data.end(), data_of<char>(tensor));
  return array_value(header.first_fastest ? reversed(tensor) : tensor);
}

// The bytes of one array of a stream, which stands behind it afterwards; of an archive all.
std::string read_array(ApiCall& call, const Any& read) {
  std::string bytes = read_part(call, read, 6);
  if (bytes.starts_with("PK")) return bytes + read_part(call, read, -1);
  if (bytes.empty()) raise("EOFError", call.span, "no-more-data", "No data left in file");
  if (bytes != kMagic) return bytes;
  bytes += read_part(call, read, 2);
  int digits = bytes.size() > 6 && bytes[6] == 1 ? 2 : 4;
  bytes += read_part(call, read, digits);
  std::string header = read_part(call, read, static_cast<int64_t>(get(bytes, 8, digits)));
  size_t rest = npy_header(call, header).bytes();
  return bytes + header + read_part(call, read, static_cast<int64_t>(rest));
}

// ---- .npz ----

// Compressed without zlib's own header, as in archives.
std::string deflated(const std::string& bytes) {
  z_stream stream{};
  MLC_CHECK(
      deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "zlib does not start");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  int status = deflate(&stream, Z_FINISH);
  MLC_CHECK(status == Z_STREAM_END, "zlib stops with {}", status);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}
std::string inflated(std::string_view packed, size_t size, ir::Span span) {
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
  return bytes;
}

std::string npz_bytes(const std::vector<std::pair<std::string, ffi::Tensor>>& arrays, bool compressed) {
  std::string archive, directory;
  for (const auto& [name, tensor] : arrays) {
    std::string bytes = npy_bytes(tensor), entry = name + ".npy";
    if (bytes.size() >> 32 != 0)
      raise("NotImplementedError", {}, "not-supported", "an array of 4 GiB or more in an archive");
    const std::string& kept = compressed ? deflated(bytes) : bytes;
    size_t offset = archive.size();
    auto common = [&](std::string& to) {
      put(to, 20, 2);  // the version that can read it
      put(to, 0, 2);   // flags
      put(to, compressed ? 8 : 0, 2);
      put(to, 0, 2);     // time
      put(to, 0x21, 2);  // 1980-01-01
      put(to, checksum(bytes), 4);
      put(to, kept.size(), 4);
      put(to, bytes.size(), 4);
      put(to, entry.size(), 2);
      put(to, 0, 2);
    };
    put(archive, 0x04034b50, 4);
    common(archive);
    archive += entry + kept;
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    common(directory);
    put(directory, 0, 2);            // comment
    put(directory, 0, 2);            // disk
    put(directory, 0, 2);            // internal attributes
    put(directory, 0600U << 16, 4);  // permissions
    put(directory, offset, 4);
    directory += entry;
  }
  size_t begin = archive.size();
  archive += directory;
  put(archive, 0x06054b50, 4);
  put(archive, 0, 4);
  put(archive, arrays.size(), 2);
  put(archive, arrays.size(), 2);
  put(archive, directory.size(), 4);
  put(archive, begin, 4);
  put(archive, 0, 2);
  return archive;
}

Any npz_arrays(ApiCall& call, std::string_view bytes) {
  size_t end = bytes.rfind(std::string_view("PK\x05\x06", 4));
  if (end == std::string_view::npos)
    raise("ValueError", call.span, "wrong-value", "the archive has no directory");
  auto count = get(bytes, end + 10, 2);
  auto at = static_cast<size_t>(get(bytes, end + 16, 4));
  Dict arrays;
  for (uint64_t i = 0; i < count; ++i) {
    auto method = get(bytes, at + 10, 2);
    auto packed = static_cast<size_t>(get(bytes, at + 20, 4));
    auto size = static_cast<size_t>(get(bytes, at + 24, 4));
    auto name_size = static_cast<size_t>(get(bytes, at + 28, 2));
    auto offset = static_cast<size_t>(get(bytes, at + 42, 4));
    std::string name(part(bytes, at + 46, name_size));
    if (method != 0 && method != 8) {
      raise("NotImplementedError", call.span, "not-supported",
            "`{}` is compressed by method {}; archives are stored or deflated", name, method);
    }
    size_t data = offset + 30 + static_cast<size_t>(get(bytes, offset + 26, 2) + get(bytes, offset + 28, 2));
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    std::string_view raw = part(bytes, data, packed);
    arrays.Set(str_value(name), npy_array(call, method == 0 ? raw : inflated(raw, size, call.span)));
    at += 46 + name_size + static_cast<size_t>(get(bytes, at + 30, 2) + get(bytes, at + 32, 2));
  }
  return arrays;
}

Any save_npz(ApiCall& call, const Any& file, const Tuple& args, const ffi::Map<String, Any>& named,
             bool compressed) {
  std::vector<std::pair<std::string, ffi::Tensor>> arrays;
  Evaluator& evaluator = evaluator_of(call.host);
  for (const auto& [name, value] : named)
    arrays.emplace_back(std::string(name.data(), name.size()), to_tensor(evaluator, value, call.span));
  for (size_t i = 0; i < args.size(); ++i) {
    std::string name = fmt::format("arr_{}", i);
    if (named.count(String(name)) != 0)
      raise("ValueError", call.span, "wrong-value", "Cannot use un-named variables and keyword {}", name);
    arrays.emplace_back(name, to_tensor(evaluator, args[i], call.span));
  }
  write_file(call, file, ".npz", npz_bytes(arrays, compressed));
  return nullptr;
}

const ApiRow rows[] = {
    {ApiKind::kFunction, "numpy", "save(file, arr, allow_pickle=True)", "Writes an array as .npy.",
     native([](ApiCall& call, Any file, Any array, bool) {
       write_file(call, file, ".npy", npy_bytes(to_tensor(evaluator_of(call.host), array, call.span_of(1))));
     })},
    {ApiKind::kFunction, "numpy", "_load(file)", "The array of a .npy file, or those of a .npz file by name.",
     native([](ApiCall& call, Any file) {
       Any read;
       std::string bytes = file_method(call, file, "read", read) ? read_array(call, read)
                                                                 : read_all(path_of(call, file), call.span);
       if (bytes.starts_with("PK")) return npz_arrays(call, bytes);
       return npy_array(call, bytes);
     })},
    {ApiKind::kFunction, "numpy", "savez(file, *args, **kwds)", "Writes arrays as .npz, stored.",
     native([](ApiCall& call, Any file, Tuple args, ffi::Map<String, Any> named) {
       return save_npz(call, file, args, named, false);
     })},
    {ApiKind::kFunction, "numpy", "savez_compressed(file, *args, **kwds)", "Writes arrays as .npz, deflated.",
     native([](ApiCall& call, Any file, Tuple args, ffi::Map<String, Any> named) {
       return save_npz(call, file, args, named, true);
     })},
    {ApiKind::kFunction, "numpy", "fromfile(file, dtype=None, count=-1, sep='', offset=0)",
     "The bytes of a file as an array.",
     native([](ApiCall& call, Any file, Any dtype, int64_t count, std::string sep, int64_t offset) {
       if (!sep.empty())
         raise("NotImplementedError", call.span, "not-supported", "fromfile reads bytes, not text");
       std::string bytes = read_all(path_of(call, file), call.span);
       DataType type = dtype_or(call, dtype, 1, DataType::Float(64));
       std::string_view rest =
           part(bytes, static_cast<size_t>(offset), bytes.size() - static_cast<size_t>(offset));
       int64_t all = static_cast<int64_t>(rest.size()) / type.bytes();
       int64_t dims[] = {count < 0 ? all : std::min(count, all)};
       ffi::Tensor tensor = make_array(dims, type);
       std::copy_n(rest.data(), dims[0] * type.bytes(), data_of<char>(tensor));
       return array_value(tensor);
     })},
    {ApiKind::kMethod, "mlc.np.ndarray", "tofile(fid, sep='', format='%s')",
     "Writes the bytes of the elements.",
     native([](ApiCall& call, NDArray self, Any file, std::string sep, Any) {
       if (!sep.empty())
         raise("NotImplementedError", call.span, "not-supported", "tofile writes bytes, not text");
       write_all(path_of(call, file), raw_bytes(self->tensor), call.span);
     })},
};

}  // namespace

std::span<const ir::ApiRow> np_file_rows() { return rows; }

}  // namespace mlc::script
