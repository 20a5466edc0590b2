// SPDX-License-Identifier: Apache-2.0
// Reflection of every node. Runs once at start; compiled without optimisation, which here only costs
// build time (see CMakeLists.txt).
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/json.h>

#include <cstring>
#include <mutex>

#include "ir/core/global_info.h"
#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/core/register_node.h"
#include "ir/core/visit.h"
#include "ir/relax/expr.h"
#include "ir/tir/index_map.h"
#include "ir/tir/layout.h"
#include "ir/tir/op.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "not-serialisable",
         .message = "a tensor that lies on a device cannot be written as JSON",
         .help = "copy it to the CPU"},
        {.name = "unreadable-json",
         .kind = "ValueError",
         .message = "a tensor is its `dtype`, `shape` and `data` of as many bytes"},
    }};
MLC_REFUSALS(core_register_nodes, refusals);

namespace {

namespace json = ffi::json;

// A tensor in JSON: its type, its extents, and the base64 of its elements, row-major, lowest byte first.
json::Value tensor_to_json(const ffi::TensorObj* tensor) {
  if (tensor->device.device_type != kDLCPU) throw ir::refuse(refusals["not-serialisable"]);
  ffi::Tensor compact = contiguous(ffi::GetRef<ffi::Tensor>(tensor));
  json::Array shape;
  for (int64_t extent : compact.shape()) shape.push_back(extent);
  TVMFFIByteArray bytes{static_cast<const char*>(compact.data_ptr()), ffi::GetDataSize(compact)};
  json::Object out;
  out.Set("dtype", String(DataType(tensor->dtype).str()));
  out.Set("shape", shape);
  out.Set("data", ffi::Base64Encode(bytes));
  return out;
}

ffi::Tensor tensor_from_json(const json::Object& object) {
  auto refuse = []() -> Error { return ir::refuse(refusals["unreadable-json"]); };
  for (const char* key : {"dtype", "shape", "data"}) {
    if (object.count(key) == 0) throw refuse();
  }
  auto dtype = object["dtype"].as<String>();
  auto extents = object["shape"].as<json::Array>();
  auto text = object["data"].as<String>();
  if (!dtype || !extents || !text) throw refuse();
  std::vector<int64_t> shape;
  for (const json::Value& extent : *extents) {
    auto number = extent.as<int64_t>();
    if (!number || *number < 0 || *number > (int64_t{1} << 40)) throw refuse();
    shape.push_back(*number);
  }
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  std::string_view encoded(text->data(), text->size());
  if (encoded.size() % 4 != 0 || encoded.find_first_not_of(digits) != std::string_view::npos) throw refuse();
  ffi::Bytes bytes = ffi::Base64Decode(*text);
  DataType type = DataType::parse({dtype->data(), dtype->size()});
  if (type.lanes() <= 0) throw refuse();  // void, scalable vectors
  size_t bits = static_cast<size_t>(type.bits()) * static_cast<size_t>(type.lanes());
  for (int64_t extent : shape) {
    if (extent != 0 && bits > 8 * bytes.size() / static_cast<size_t>(extent)) throw refuse();
    bits *= static_cast<size_t>(extent);
  }
  if ((bits + 7) / 8 != bytes.size()) throw refuse();
  ffi::Tensor made = make_tensor(shape, type);
  if (bytes.size() > 0) std::memcpy(made.data_ptr(), bytes.data(), bytes.size());
  return made;
}

}  // namespace

// For `structural_map`, which changes copies.
void detail::register_copy(int32_t type_index, CopyNode copy) {
  ffi::Function function = ffi::Function::FromPacked(
      [copy](ffi::PackedArgs args, ffi::Any* result) { *result = copy(args[0].cast<const ffi::Object*>()); });
  TVMFFIByteArray name = ffi::reflection::AsByteArray(ffi::reflection::type_attr::kShallowCopy);
  TVMFFIAny value = ffi::AnyView(function).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(type_index, &name, &value));
}

void register_nodes() {
  static std::once_flag once;
  std::call_once(once, [] {
    namespace refl = ffi::reflection;
    register_base<TypeNode>();
    register_base<ExprNode>();
    register_base<StmtNode>();
    register_base<BaseFuncNode>();
    register_base<BinaryNode>();
    register_node<PrimTypeNode>();
    register_node<PointerTypeNode>();
    register_node<TupleTypeNode>();
    register_node<FuncTypeNode>();
    register_node<StringTypeNode>();
    register_node<OpaqueTypeNode>();
    register_node<BufferTypeNode>();
    register_node<BufferRegionTypeNode>();
    register_node<TensorMapTypeNode>();
    register_base<LayoutNode>();
    register_node<AxisNode>();
    register_node<IterNode>();
    register_node<TileLayoutNode>();
    register_node<ComposeLayoutNode>();
#define X(name) register_node<name##Node>();
    MLC_EXPR_KINDS(X)
    MLC_STMT_KINDS(X)
#undef X
    register_node<RangeNode>();
    register_node<IterVarNode>();
    register_node<CommReducerNode>();
    register_node<MatchBufferRegionNode>();
    register_node<ExecScopeNode>();
    register_node<ScopeIdDefNode>();
    register_node<LambdaExprNode>();
    register_base<GlobalInfoNode>();
    register_node<IndexMapNode>();
    register_node<VDeviceNode>();
    register_node<DummyGlobalInfoNode>();
    register_node<PrimFuncNode>();
    register_node<IRModuleNode>();
    relax::register_nodes();
    refl::TypeAttrDef<IRModuleNode>()
        .def(refl::type_attr::kSEqual, &module_equal)
        .def(refl::type_attr::kSHash, &module_hash);
    // Where the buffer of a region is free, the region defines it, with the variables of its type.
    refl::TypeAttrDef<TensorRegionNode>()
        .def(refl::type_attr::kSEqual,
             [](const TensorRegion& a, const TensorRegion& b, const ffi::Function& equal) {
               return equal(a->source, b->source, int{kTVMFFIDefRegionKindPattern}, String("source"))
                          .cast<bool>() &&
                      equal(a->region, b->region, int{kTVMFFIDefRegionKindNone}, String("region"))
                          .cast<bool>();
             })
        .def(refl::type_attr::kSHash,
             [](const TensorRegion& region, int64_t seed, const ffi::Function& hash) {
               int64_t source = hash(region->source, seed, int{kTVMFFIDefRegionKindPattern}).cast<int64_t>();
               return hash(region->region, source, int{kTVMFFIDefRegionKindNone}).cast<int64_t>();
             });
    refl::TypeAttrDef<ffi::TensorObj>()
        .def(refl::type_attr::kDataToJson, &tensor_to_json)
        .def(refl::type_attr::kDataFromJson, &tensor_from_json);
    // There is one object per operator: JSON has its name.
    refl::TypeAttrDef<OpNode>()
        .def(refl::type_attr::kDataToJson, [](const OpNode* op) { return op->name; })
        .def(refl::type_attr::kDataFromJson, [](const String& name) { return op(name.c_str()); });
  });
}

}  // namespace mlc::ir
