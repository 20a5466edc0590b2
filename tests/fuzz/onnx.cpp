// SPDX-License-Identifier: Apache-2.0
// Any bytes into the reader of ONNX files: they end as a message, which written and read again is the same,
// or as an error with a message. Most inputs are a model with some bytes changed, left out, doubled or cut:
// what the file's lengths say is then wrong in one place.
#include <cstdint>
#include <random>
#include <string>

#include "frontend/model/onnx/wire.h"
#include "ir/core/error.h"
#include "tests/fuzz/report.h"

namespace {

using namespace mlc;
using namespace mlc::model;
using ffi::Any;
using Dict = onnx::Dict;
using List = onnx::List;

size_t inputs = 0, models = 0, refused = 0, tensors = 0;

Dict message(std::initializer_list<std::pair<const char*, Any>> fields) {
  Dict result;
  for (const auto& [name, value] : fields) result.Set(ffi::String(name), value);
  return result;
}
template <class... Values>
List list(Values... values) {
  List result;
  (result.push_back(Any(values)), ...);
  return result;
}

// A model that has each kind of field: nodes, attributes of all types, weights in all places, a graph in a
// node.
const std::string& model_bytes() {
  static const std::string bytes = [] {
    Dict dim = message({{"dim_param", ffi::String("batch")}});
    Dict shape = message({{"dim", list(dim, message({{"dim_value", 3}}))}});
    Dict type = message({{"tensor_type", message({{"elem_type", 1}, {"shape", shape}})}});
    Dict info = message({{"name", ffi::String("x")}, {"type", type}});
    Dict raw = message({{"name", ffi::String("w")},
                        {"data_type", 1},
                        {"dims", list(2, 3)},
                        {"raw_data", ffi::Bytes(std::string(24, '\1'))}});
    Dict typed = message({{"name", ffi::String("v")},
                          {"data_type", 7},
                          {"dims", list(3)},
                          {"int64_data", list(1, -1, int64_t{1} << 40)},
                          {"float_data", list(0.5, -2.0)},
                          {"double_data", list(1e300)}});
    Dict inner = message({{"name", ffi::String("inner")}, {"initializer", list(typed)}});
    List attributes =
        list(message({{"name", ffi::String("f")}, {"f", 0.25}, {"type", 1}}),
             message({{"name", ffi::String("i")}, {"i", -7}, {"type", 2}}),
             message({{"name", ffi::String("s")}, {"s", ffi::Bytes("SAME_UPPER")}, {"type", 3}}),
             message({{"name", ffi::String("ints")}, {"ints", list(1, 2, 3)}, {"type", 7}}),
             message({{"name", ffi::String("g")}, {"g", inner}, {"type", 5}}));
    Dict node = message({{"op_type", ffi::String("Conv")},
                         {"input", list(ffi::String("x"), ffi::String("w"))},
                         {"output", list(ffi::String("y"))},
                         {"attribute", attributes}});
    Dict graph = message({{"name", ffi::String("graph")},
                          {"node", list(node)},
                          {"initializer", list(raw, typed)},
                          {"input", list(info)},
                          {"output", list(info)}});
    return onnx::encode(
        message({{"ir_version", 10}, {"opset_import", list(message({{"version", 17}}))}, {"graph", graph}}),
        *onnx::find_message("ModelProto"));
  }();
  return bytes;
}

std::string changed(const uint8_t* data, size_t size) {
  std::string text = model_bytes();
  std::seed_seq seed(data, data + size);
  std::mt19937 random(seed);
  auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  for (size_t i = below(3); i > 0 && !text.empty(); --i) {
    size_t at = below(text.size()), length = std::min(below(8) + 1, text.size() - at);
    switch (below(8)) {
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text.replace(at, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f");  // a length beyond all bytes
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text[at] = static_cast<char>(below(256));
    }
  }
  return text;
}

// Touches each byte that a tensor says it has.
void visit(const Any& value) {
  if (auto* raw = value.as<onnx::RawDataNode>()) {
    size_t sum = 0;
    for (char byte : raw->bytes()) sum += static_cast<uint8_t>(byte);
    MLC_CHECK(sum <= 255 * raw->size, "bytes that are no bytes");
    ++tensors;
  } else if (auto all = value.try_cast<List>()) {
    for (const Any& each : *all) visit(each);
  } else if (auto fields = value.try_cast<Dict>()) {
    for (const auto& [name, each] : *fields) visit(each);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ++inputs;
  bool as_it_is = size > 0 && data[0] % 8 == 0;
  std::string bytes = as_it_is ? std::string(reinterpret_cast<const char*>(data), size) : changed(data, size);
  const onnx::Message& model = *onnx::find_message("ModelProto");
  try {
    Dict fields = onnx::decode(source_of(bytes), model);
    ++models;
    visit(fields);
    std::string written = onnx::encode(fields, model);
    MLC_CHECK(onnx::encode(onnx::decode(source_of(written), model), model) == written,
              "a model written, read and written again is another");
  } catch (const ir::Error& error) {
    MLC_CHECK(!error.first().message.empty() && error.first().name == "onnx-wire", "refused by `{}`",
              error.first().name);
    ++refused;
  }
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  Report report;
  demand(report, "files that are models", models, inputs, 0.05, 500);
  demand(report, "tensors whose bytes were read", tensors, inputs, 0.02, 500);
  demand(report, "files refused with a reason", refused, inputs, 0.2, 500);
  return report;
}
