// SPDX-License-Identifier: Apache-2.0
// Values as tvm-ffi's JSON graphs: `tvm.ir.save_json` and `tvm.ir.load_json`.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/reflection/accessor.h>

#include <algorithm>
#include <unordered_set>

#include "ir/core/module.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/relax/expr.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-serialisable",
         .message = "this cannot be written as JSON: {}",
         .help = "`save_json` writes modules, functions, their parts, and numbers, texts, lists and dicts",
         .meaning = "Functions of a program and objects of its classes have no form in a graph of JSON.",
         .wrong = R"(import tvm
tvm.ir.save_json(print))",
         .right = R"(import tvm
tvm.ir.save_json(1))"},
        {.name = "unreadable-json",
         .meaning = "`tvm.ir.load_json` reads what `tvm.ir.save_json` wrote: nodes that refer to nodes "
                    "before them, each of a type that mlc has, none missing. A module that TVM saved is "
                    "better printed as a script, which mlc reads.",
         .wrong = R"(import tvm
tvm.ir.load_json("{}"))",
         .right = R"(import tvm
tvm.ir.load_json(tvm.ir.save_json(tvm.tirx.IntImm("int32", 1))))"},
    }};
MLC_REFUSALS(core_json_graph, refusals);

namespace {

namespace json = ffi::json;

// Fields that hold no node now and then; in all others the rest of mlc counts on one.
constexpr std::string_view kMayBeNone[] = {
    "mlc.tirx.BufferType.layout",
    "mlc.tirx.For.thread_binding",
    "mlc.tirx.For.step",
    "mlc.s_tir.SBlock.init",
    "mlc.tirx.IndexMap.inverse_index_map",
    "mlc.tirx.IfThenElse.else_case",
    "mlc.tirx.IterVar.dom",
    "mlc.tirx.DeclBuffer.data",
    "mlc.target.Target.host",
    "mlc.ir.VDevice.target",
    // What is not known of a graph's value.
    "mlc.relax.TensorType.shape", "mlc.relax.TensorType.vdevice", "mlc.relax.ShapeType.values",
    "mlc.relax.FuncType.params", "mlc.relax.FuncType.derive_func", "mlc.relax.FuncType.ret",
    "mlc.relax.expr.If.ty", "mlc.ir.GenericConst.value", "mlc.relax.distributed.DeviceMesh.device_range",
};

// Looks through a graph before tvm-ffi makes objects of it: that follows references as they come, round and
// round, and allows None for any node.
class GraphCheck {
 public:
  explicit GraphCheck(const json::Value& graph) {
    auto object = graph.as<json::Object>();
    if (!object) refuse("it is not an object with `root_index` and `nodes`");
    auto root = object->count("root_index") ? (*object)["root_index"].as<int64_t>() : std::nullopt;
    if (!root) refuse("`root_index` is not there, or not an integer");
    auto nodes = object->count("nodes") ? (*object)["nodes"].as<json::Array>() : std::nullopt;
    if (!nodes) refuse("`nodes` is not there, or not a list");
    nodes_ = *nodes;
    for (size_t i = 0; i < nodes_.size(); ++i) check(i);
    if (*root < 0 || *root >= static_cast<int64_t>(nodes_.size()))
      refuse(fmt::format("`root_index` is {}, and there are {} nodes", *root, nodes_.size()));
  }

 private:
  json::Array nodes_;

  [[noreturn]] static void refuse(const std::string& why) {
    throw ir::refuse_as(refusals["unreadable-json"], "this is no JSON that `tvm.ir.save_json` wrote: {}",
                        why);
  }

  std::string type_of(size_t i) const {
    auto node = nodes_[i].as<json::Object>();
    auto type = node && node->count("type") ? (*node)["type"].as<String>() : std::nullopt;
    if (!type) refuse(fmt::format("node {} has no `type`", i));
    return *type;
  }

  // A node that precedes the one that refers to it, as save_json writes them: so there are no cycles.
  size_t reference(size_t from, const json::Value& value) const {
    auto index = value.as<int64_t>();
    if (!index || *index < 0 || *index >= static_cast<int64_t>(from))
      refuse(fmt::format("node {} refers to what is no node before it", from));
    return static_cast<size_t>(*index);
  }

  void check(size_t i) const {
    std::string type = type_of(i);
    TVMFFIByteArray key{type.data(), type.size()};
    int32_t index = 0;
    if (TVMFFITypeKeyToIndex(&key, &index) != 0) {
      ffi::details::MoveFromSafeCallRaised();
      bool of_tvm = type.starts_with("ir.") || type.starts_with("tirx.") || type.starts_with("relax.");
      refuse(fmt::format(
          "node {} is of the unknown type `{}`{}", i, type,
          of_tvm ? "; it is of TVM's own: let TVM print the module as a script, which mlc reads" : ""));
    }
    json::Object node = nodes_[i].cast<json::Object>();
    bool is_sequence =
        index == kTVMFFIArray || index == kTVMFFIList || index == kTVMFFIMap || index == kTVMFFIDict;
    if (!is_sequence && index < kTVMFFIStaticObjectBegin) return;  // a plain value
    if (index == kTVMFFIStr || index == kTVMFFIBytes || index == kTVMFFIShape) return;
    if (node.count("data") == 0) refuse(fmt::format("node {} has no `data`", i));
    if (is_sequence) {
      auto items = node["data"].as<json::Array>();
      if (!items) refuse(fmt::format("the `data` of node {} is no list", i));
      for (const json::Value& item : *items) reference(i, item);
      return;
    }
    if (auto fields = node["data"].as<json::Object>()) check_fields(i, index, type, *fields);
  }

  void check_fields(size_t i, int32_t type_index, const std::string& type, const json::Object& fields) const {
    ffi::reflection::ForEachFieldInfo(TVMFFIGetTypeInfo(type_index), [&](const TVMFFIFieldInfo* field) {
      int32_t kind = field->field_static_type_index;
      bool inlined = kind == kTVMFFINone || kind == kTVMFFIBool || kind == kTVMFFIInt ||
                     kind == kTVMFFIFloat || kind == kTVMFFIDataType;
      String name(field->name);
      if (inlined || fields.count(name) == 0) return;
      size_t target = reference(i, fields[name]);
      std::string path = type + "." + std::string(name);
      if (kind == kTVMFFIAny ||
          std::find(std::begin(kMayBeNone), std::end(kMayBeNone), path) != std::end(kMayBeNone))
        return;
      bool missing = type_of(target) == "None";
      if (!missing && kind == kTVMFFIArray && type_of(target) == "ffi.Array") {
        for (const json::Value& item : nodes_[target].cast<json::Object>()["data"].cast<json::Array>())
          missing = missing || type_of(reference(target, item)) == "None";
      }
      if (missing) refuse(fmt::format("`{}` of node {} is None", path, i));
    });
  }
};

// Types that follow from the parts of an expression are not written: they are found again, inner ones first.
class DerivedTypes {
 public:
  void visit(const Any& value) {
    const auto* object = value.as<ffi::Object>();
    if (object == nullptr || !seen_.insert(object).second) return;
    if (auto items = value.as<Array<Any>>()) return visit_all(*items);
    if (auto items = value.as<ffi::List<Any>>()) return visit_all(*items);
    if (auto items = value.as<Map<Any, Any>>()) return visit_pairs(*items);
    if (auto items = value.as<ffi::Dict<Any, Any>>()) return visit_pairs(*items);
    ffi::reflection::ForEachFieldInfo(
        TVMFFIGetTypeInfo(value.type_index()),
        [&](const TVMFFIFieldInfo* field) { visit(ffi::reflection::FieldGetter(field)(object)); });
    if (auto expr = try_get<Expr>(value); expr && !(*expr)->ty) {
      // The node has no other owner yet.
      const_cast<ExprNode*>((*expr).get())->ty = type_of(*expr);
    }
  }

 private:
  template <class Items>
  void visit_all(const Items& items) {
    for (const Any& item : items) visit(item);
  }
  template <class Items>
  void visit_pairs(const Items& items) {
    for (const auto& [key, item] : items) {
      visit(key);
      visit(item);
    }
  }
  static Type type_of(const Expr& e) {
    if (auto* two = as_binary(e)) return binary(e->kind, two->a, two->b)->ty;
    switch (e->kind) {
      case ExprKind::kTensorLoad: {
        auto* load = as<TensorLoadNode>(e);
        if (!load->source->buffer())
          throw ir::refuse_as(refusals["unreadable-json"], "`{}` is loaded from but is no buffer",
                              load->source->name.c_str());
        return make<TensorLoadNode>(load->source, load->indices)->ty;
      }
      case ExprKind::kNot:
        return as<NotNode>(e)->a->ty;
      case ExprKind::kBitwiseNot:
        return as<BitwiseNotNode>(e)->a->ty;
      case ExprKind::kSelect:
        return as<SelectNode>(e)->true_value->ty;
      case ExprKind::kLet:
        return as<LetNode>(e)->body->ty;
      case ExprKind::kRamp: {
        auto* ramp = as<RampNode>(e);
        return make<RampNode>(ramp->base, ramp->stride, ramp->lanes)->ty;
      }
      case ExprKind::kBroadcast:
        return make<BroadcastNode>(as<BroadcastNode>(e)->value, as<BroadcastNode>(e)->lanes)->ty;
      case ExprKind::kShuffle: {
        auto* shuffle = as<ShuffleNode>(e);
        if (shuffle->vectors.empty())
          throw ir::refuse_as(refusals["unreadable-json"], "lanes are picked of no vectors");
        return make<ShuffleNode>(shuffle->vectors, shuffle->indices)->ty;
      }
      case ExprKind::kTuple:
        return make<TupleNode>(as<TupleNode>(e)->elements)->ty;
      case ExprKind::kTupleGetItem:
        return make<TupleGetItemNode>(as<TupleGetItemNode>(e)->tuple_value, as<TupleGetItemNode>(e)->index)
            ->ty;
      case ExprKind::kStringImm:
        return make<StringImmNode>(as<StringImmNode>(e)->value)->ty;
      case ExprKind::kTensorRegion:
        return make<TensorRegionNode>(as<TensorRegionNode>(e)->source, as<TensorRegionNode>(e)->region)->ty;
      case ExprKind::kGlobalVar:
        return make<GlobalVarNode>(as<GlobalVarNode>(e)->name_hint)->ty;
      case ExprKind::kReduce: {
        auto* reduce = as<ReduceNode>(e);
        bool inside =
            reduce->value_index >= 0 && reduce->value_index < static_cast<int64_t>(reduce->source.size());
        if (!inside)
          throw ir::refuse_as(refusals["unreadable-json"], "a reduction has no value {}",
                              reduce->value_index);
        return reduce->source[reduce->value_index]->ty;
      }
      case ExprKind::kShapeExpr:
        return make<relax::ShapeExprNode>(static_cast<const relax::ShapeExprNode*>(e.get())->values)->ty;
      case ExprKind::kSeqExpr:
        return static_cast<const relax::SeqExprNode*>(e.get())->body->ty;
      case ExprKind::kFunction: {
        const auto* fn = static_cast<const relax::FunctionNode*>(e.get());
        return relax::function_type(fn->params, fn->ret_ty, fn->is_pure);
      }
      case ExprKind::kPrimFunc:
        return opaque_type();
      default:
        return e->ty;  // written
    }
  }

  std::unordered_set<const ffi::Object*> seen_;
};

}  // namespace

std::string save_json(const Any& value) {
  try {
    return json::Stringify(ffi::ToJSONGraph(value));
  } catch (const ffi::Error& error) {
    // "Type `mlc.script.function` ...": the last word of it is what scripts call it.
    std::string why = error.message();
    size_t from = why.find('`'), to = why.find('`', from + 1);
    if (to != std::string::npos) {
      std::string type = why.substr(from + 1, to - from - 1);
      why = fmt::format("there is no form for `{}`", type.substr(type.rfind('.') + 1));
    }
    throw ir::refuse(refusals["not-serialisable"], why).kind(error.kind());
  }
}

Any load_json(std::string_view text) {
  String fault;
  json::Value graph = json::Parse(String(std::string(text)), &fault);
  if (!fault.empty()) throw ir::refuse_as(refusals["unreadable-json"], "this is no JSON: {}", fault.c_str());
  GraphCheck check(graph);
  try {
    Any value = ffi::FromJSONGraph(graph);
    DerivedTypes().visit(value);
    return value;
  } catch (const ffi::Error& error) {
    throw ir::refuse_as(refusals["unreadable-json"], "this is no JSON that `tvm.ir.save_json` wrote: {}",
                        error.message());
  }
}

}  // namespace mlc::ir
