// SPDX-License-Identifier: Apache-2.0
// Reflection of every node. Runs once at start; compiled without optimisation, which here only costs
// build time (see CMakeLists.txt).
#include <mutex>

#include "ir/global_info.h"
#include "ir/index_map.h"
#include "ir/layout.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace mlc::ir {

void register_nodes() {
  static std::once_flag once;
  std::call_once(once, [] {
    namespace refl = ffi::reflection;
    refl::ObjectDef<TypeNode>(refl::init(false));
    refl::ObjectDef<ExprNode>(refl::init(false));
    refl::ObjectDef<StmtNode>(refl::init(false));
    refl::ObjectDef<BaseFuncNode>(refl::init(false));
    refl::ObjectDef<BinaryNode>(refl::init(false));
    register_node<PrimTypeNode>();
    register_node<PointerTypeNode>();
    register_node<TupleTypeNode>();
    register_node<FuncTypeNode>();
    register_node<StringTypeNode>();
    register_node<OpaqueTypeNode>();
    register_node<BufferTypeNode>();
    register_node<BufferRegionTypeNode>();
    register_node<TensorMapTypeNode>();
    refl::ObjectDef<LayoutNode>(refl::init(false));
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
    refl::ObjectDef<GlobalInfoNode>(refl::init(false));
    register_node<IndexMapNode>();
    register_node<VDeviceNode>();
    register_node<DummyGlobalInfoNode>();
    register_node<PrimFuncNode>();
    register_node<IRModuleNode>();
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
    // There is one object per operator: JSON has its name.
    refl::TypeAttrDef<OpNode>()
        .def(refl::type_attr::kDataToJson, [](const OpNode* op) { return op->name; })
        .def(refl::type_attr::kDataFromJson, [](const String& name) { return op(name.c_str()); });
  });
}

}  // namespace mlc::ir
