// SPDX-License-Identifier: Apache-2.0
// Functions and modules.
#pragma once

#include <tvm/ffi/reflection/access_path.h>

#include "ir/tir/stmt.h"

namespace mlc::ir {

// A function is a value of the graph language, where functions are nested and passed on.
struct BaseFuncNode : ExprNode {
  Map<String, Any> attrs;

  explicit BaseFuncNode(ExprKind kind) : ExprNode(kind) {}
  BaseFuncNode(ExprKind kind, Map<String, Any> attrs, Span span)
      : ExprNode(kind, opaque_type(), span), attrs(std::move(attrs)) {}
  MLC_NODE_BASE("mlc.ir.BaseFunc", BaseFuncNode, ExprNode);
};
using BaseFunc = Ref<BaseFuncNode>;

// A tensor-level function: parameters are scalars, pointers, and buffers (Vars with a BufferType).
// Attributes with meaning: "global_symbol" (exported name), "s_tir" (schedulable dialect),
// "tirx.noalias", "target", "tirx.is_entry_func", "calling_conv".
struct PrimFuncNode final : BaseFuncNode {
  static constexpr ExprKind kKind = ExprKind::kPrimFunc;
  Array<Var> params;
  Type ret_type;  // void_type() for none
  Stmt body;

  PrimFuncNode(Array<Var> params, Type ret_type, Stmt body, Map<String, Any> attrs = {}, Span span = {})
      : BaseFuncNode(kKind, std::move(attrs), span),
        params(std::move(params)),
        ret_type(std::move(ret_type)),
        body(std::move(body)) {}
  template <class F>
  static void fields(F& f) {
    f("attrs", &PrimFuncNode::attrs);  // the first thing in which two functions can differ
    f.pattern("params", &PrimFuncNode::params);
    f("ret_type", &PrimFuncNode::ret_type);
    f("body", &PrimFuncNode::body);
  }
  MLC_NODE("mlc.tirx.PrimFunc", PrimFuncNode, BaseFuncNode);
};

// An attribute of the function, or nullopt.
std::optional<Any> attr(const BaseFunc& fn, std::string_view key);
bool has_flag(const BaseFunc& fn, std::string_view key);  // attribute present and true (bool, int or IntImm)
PrimFunc with_attr(const PrimFunc& fn, String key, Any value);
PrimFunc without_attr(const PrimFunc& fn, String key);

// Functions by global name, in insertion order.
struct IRModuleNode final : ffi::Object {
  Map<GlobalVar, BaseFunc> functions;
  Map<String, Any> attrs;
  Map<String, Any> global_infos;

  explicit IRModuleNode(Map<GlobalVar, BaseFunc> functions = {}, Map<String, Any> attrs = {},
                        Map<String, Any> global_infos = {})
      : functions(std::move(functions)), attrs(std::move(attrs)), global_infos(std::move(global_infos)) {}
  // The global variable of that name; null when there is none.
  GlobalVar find(std::string_view name) const;
  // The function of that name; throws Error no-such-function with the nearest name.
  BaseFunc lookup(std::string_view name) const;
  template <class F>
  static void fields(F& f) {
    f("functions", &IRModuleNode::functions);
    f("attrs", &IRModuleNode::attrs);
    f("global_infos", &IRModuleNode::global_infos);
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  MLC_NODE("mlc.ir.IRModule", IRModuleNode, ffi::Object);
};

// What register_nodes() installs as the module's structural equality and hash.
bool module_equal(const IRModule& a, const IRModule& b, const ffi::Function& equal);
int64_t module_hash(const IRModule& mod, int64_t seed, const ffi::Function& hash);

IRModule module_of(const PrimFunc& fn);  // under its global_symbol, or "main"
IRModule with_function(const IRModule& mod, const GlobalVar& name, BaseFunc fn);  // replaced or added

// Structural equality up to renaming of bound variables; `map_free_vars` also lets free ones correspond.
bool structural_equal(const Any& a, const Any& b, bool map_free_vars = false);
uint64_t structural_hash(const Any& value, bool map_free_vars = false);
// Where two values first differ, below each of them; nullopt when they are equal. The steps are those of
// TVM's nodes: `<root>.functions[I.GlobalVar("main")].attrs.__dict__["global_symbol"]`.
using AccessPath = ffi::reflection::AccessPath;
std::optional<std::pair<AccessPath, AccessPath>> first_mismatch(const Any& a, const Any& b,
                                                                bool map_free_vars = false);
// The graph of a value as JSON and back (tvm-ffi's format with mlc's type keys).
std::string save_json(const Any& value);
Any load_json(std::string_view text);

// Registers every node's reflection; call once before anything else (idempotent).
void register_nodes();

}  // namespace mlc::ir
