// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/onnx/schema.h"

#include <algorithm>

namespace mlc::model::onnx {
namespace {

constexpr Field kModelProto[] = {
    {1, "ir_version", Kind::kInt},
    {2, "producer_name", Kind::kText},
    {3, "producer_version", Kind::kText},
    {4, "domain", Kind::kText},
    {5, "model_version", Kind::kInt},
    {6, "doc_string", Kind::kText},
    {7, "graph", Kind::kMessage, false, "GraphProto"},
    {8, "opset_import", Kind::kMessage, true, "OperatorSetIdProto"},
    {14, "metadata_props", Kind::kMessage, true, "StringStringEntryProto"},
    {20, "training_info", Kind::kMessage, true, "TrainingInfoProto"},
    {25, "functions", Kind::kMessage, true, "FunctionProto"},
};
constexpr Field kOperatorSetIdProto[] = {
    {1, "domain", Kind::kText},
    {2, "version", Kind::kInt},
};
constexpr Field kStringStringEntryProto[] = {
    {1, "key", Kind::kText},
    {2, "value", Kind::kText},
};
constexpr Field kFunctionProto[] = {
    {1, "name", Kind::kText},
    {4, "input", Kind::kText, true},
    {5, "output", Kind::kText, true},
    {6, "attribute", Kind::kText, true},
    {7, "node", Kind::kMessage, true, "NodeProto"},
    {8, "doc_string", Kind::kText},
    {9, "opset_import", Kind::kMessage, true, "OperatorSetIdProto"},
    {10, "domain", Kind::kText},
    {11, "attribute_proto", Kind::kMessage, true, "AttributeProto"},
    {12, "value_info", Kind::kMessage, true, "ValueInfoProto"},
    {13, "overload", Kind::kText},
    {14, "metadata_props", Kind::kMessage, true, "StringStringEntryProto"},
};
constexpr Field kGraphProto[] = {
    {1, "node", Kind::kMessage, true, "NodeProto"},
    {2, "name", Kind::kText},
    {5, "initializer", Kind::kMessage, true, "TensorProto"},
    {10, "doc_string", Kind::kText},
    {11, "input", Kind::kMessage, true, "ValueInfoProto"},
    {12, "output", Kind::kMessage, true, "ValueInfoProto"},
    {13, "value_info", Kind::kMessage, true, "ValueInfoProto"},
    {14, "quantization_annotation", Kind::kMessage, true, "TensorAnnotation"},
    {15, "sparse_initializer", Kind::kMessage, true, "SparseTensorProto"},
    {16, "metadata_props", Kind::kMessage, true, "StringStringEntryProto"},
};
constexpr Field kNodeProto[] = {
    {1, "input", Kind::kText, true},
    {2, "output", Kind::kText, true},
    {3, "name", Kind::kText},
    {4, "op_type", Kind::kText},
    {5, "attribute", Kind::kMessage, true, "AttributeProto"},
    {6, "doc_string", Kind::kText},
    {7, "domain", Kind::kText},
    {8, "overload", Kind::kText},
    {9, "metadata_props", Kind::kMessage, true, "StringStringEntryProto"},
};
constexpr Field kAttributeProto[] = {
    {1, "name", Kind::kText},
    {2, "f", Kind::kFloat},
    {3, "i", Kind::kInt},
    {4, "s", Kind::kBytes},
    {5, "t", Kind::kMessage, false, "TensorProto"},
    {6, "g", Kind::kMessage, false, "GraphProto"},
    {7, "floats", Kind::kFloat, true},
    {8, "ints", Kind::kInt, true},
    {9, "strings", Kind::kBytes, true},
    {10, "tensors", Kind::kMessage, true, "TensorProto"},
    {11, "graphs", Kind::kMessage, true, "GraphProto"},
    {13, "doc_string", Kind::kText},
    {14, "tp", Kind::kMessage, false, "TypeProto"},
    {15, "type_protos", Kind::kMessage, true, "TypeProto"},
    {20, "type", Kind::kInt},
    {21, "ref_attr_name", Kind::kText},
    {22, "sparse_tensor", Kind::kMessage, false, "SparseTensorProto"},
    {23, "sparse_tensors", Kind::kMessage, true, "SparseTensorProto"},
};
constexpr Field kTensorProto[] = {
    {1, "dims", Kind::kInt, true},
    {2, "data_type", Kind::kInt},
    {3, "segment", Kind::kMessage, false, "TensorProto.Segment"},
    {4, "float_data", Kind::kFloat, true},
    {5, "int32_data", Kind::kInt, true},
    {6, "string_data", Kind::kBytes, true},
    {7, "int64_data", Kind::kInt, true},
    {8, "name", Kind::kText},
    {9, "raw_data", Kind::kBytes},
    {10, "double_data", Kind::kDouble, true},
    {11, "uint64_data", Kind::kUnsigned, true},
    {12, "doc_string", Kind::kText},
    {13, "external_data", Kind::kMessage, true, "StringStringEntryProto"},
    {14, "data_location", Kind::kInt},
    {16, "metadata_props", Kind::kMessage, true, "StringStringEntryProto"},
};
constexpr Field kTensorProtoSegment[] = {
    {1, "begin", Kind::kInt},
    {2, "end", Kind::kInt},
};
constexpr Field kSparseTensorProto[] = {
    {1, "values", Kind::kMessage, false, "TensorProto"},
    {2, "indices", Kind::kMessage, false, "TensorProto"},
    {3, "dims", Kind::kInt, true},
};
constexpr Field kValueInfoProto[] = {
    {1, "name", Kind::kText},
    {2, "type", Kind::kMessage, false, "TypeProto"},
    {3, "doc_string", Kind::kText},
    {4, "metadata_props", Kind::kMessage, true, "StringStringEntryProto"},
};
constexpr Field kTypeProto[] = {
    {1, "tensor_type", Kind::kMessage, false, "TypeProto.Tensor"},
    {4, "sequence_type", Kind::kMessage, false, "TypeProto.Sequence"},
    {5, "map_type", Kind::kMessage, false, "TypeProto.Map"},
    {6, "denotation", Kind::kText},
    {7, "opaque_type", Kind::kMessage, false, "TypeProto.Opaque"},
    {8, "sparse_tensor_type", Kind::kMessage, false, "TypeProto.SparseTensor"},
    {9, "optional_type", Kind::kMessage, false, "TypeProto.Optional"},
};
constexpr Field kTypeProtoTensor[] = {
    {1, "elem_type", Kind::kInt},
    {2, "shape", Kind::kMessage, false, "TensorShapeProto"},
};
constexpr Field kTypeProtoSequence[] = {
    {1, "elem_type", Kind::kMessage, false, "TypeProto"},
};
constexpr Field kTypeProtoMap[] = {
    {1, "key_type", Kind::kInt},
    {2, "value_type", Kind::kMessage, false, "TypeProto"},
};
constexpr Field kTypeProtoOptional[] = {
    {1, "elem_type", Kind::kMessage, false, "TypeProto"},
};
constexpr Field kTypeProtoSparseTensor[] = {
    {1, "elem_type", Kind::kInt},
    {2, "shape", Kind::kMessage, false, "TensorShapeProto"},
};
constexpr Field kTypeProtoOpaque[] = {
    {1, "domain", Kind::kText},
    {2, "name", Kind::kText},
};
constexpr Field kTensorShapeProto[] = {
    {1, "dim", Kind::kMessage, true, "TensorShapeProto.Dimension"},
};
constexpr Field kTensorShapeProtoDimension[] = {
    {1, "dim_value", Kind::kInt},
    {2, "dim_param", Kind::kText},
    {3, "denotation", Kind::kText},
};
constexpr Field kTensorAnnotation[] = {
    {1, "tensor_name", Kind::kText},
    {2, "quant_parameter_tensor_names", Kind::kMessage, true, "StringStringEntryProto"},
};
constexpr Field kTrainingInfoProto[] = {
    {1, "initialization", Kind::kMessage, false, "GraphProto"},
    {2, "algorithm", Kind::kMessage, false, "GraphProto"},
    {3, "initialization_binding", Kind::kMessage, true, "StringStringEntryProto"},
    {4, "update_binding", Kind::kMessage, true, "StringStringEntryProto"},
};

constexpr Message kMessages[] = {
    {"ModelProto", kModelProto},
    {"OperatorSetIdProto", kOperatorSetIdProto},
    {"StringStringEntryProto", kStringStringEntryProto},
    {"FunctionProto", kFunctionProto},
    {"GraphProto", kGraphProto},
    {"NodeProto", kNodeProto},
    {"AttributeProto", kAttributeProto},
    {"TensorProto", kTensorProto},
    {"TensorProto.Segment", kTensorProtoSegment},
    {"SparseTensorProto", kSparseTensorProto},
    {"ValueInfoProto", kValueInfoProto},
    {"TypeProto", kTypeProto},
    {"TypeProto.Tensor", kTypeProtoTensor},
    {"TypeProto.Sequence", kTypeProtoSequence},
    {"TypeProto.Map", kTypeProtoMap},
    {"TypeProto.Optional", kTypeProtoOptional},
    {"TypeProto.SparseTensor", kTypeProtoSparseTensor},
    {"TypeProto.Opaque", kTypeProtoOpaque},
    {"TensorShapeProto", kTensorShapeProto},
    {"TensorShapeProto.Dimension", kTensorShapeProtoDimension},
    {"TensorAnnotation", kTensorAnnotation},
    {"TrainingInfoProto", kTrainingInfoProto},
};

}  // namespace

const Message* find_message(std::string_view name) {
  const Message* found = std::ranges::find(kMessages, name, &Message::name);
  return found == std::end(kMessages) ? nullptr : found;
}
const Field* find_field(const Message& message, uint32_t number) {
  auto found = std::ranges::find(message.fields, number, &Field::number);
  return found == message.fields.end() ? nullptr : &*found;
}
const Field* find_field(const Message& message, std::string_view name) {
  auto found = std::ranges::find(message.fields, name, &Field::name);
  return found == message.fields.end() ? nullptr : &*found;
}

}  // namespace mlc::model::onnx
