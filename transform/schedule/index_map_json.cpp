// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/index_map_json.h"

#include <tvm/ffi/extra/json.h>

#include <algorithm>
#include <map>

#include "ir/registry/api.h"
#include "ir/tir/op.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {
namespace {

using Json = ffi::json::Value;
using JsonObject = ffi::json::Object;
using JsonArray = ffi::json::Array;

struct KindName {
  ExprKind kind;
  std::string_view name;
};
constexpr KindName kBinaryNames[] = {
#define X(name) {ExprKind::k##name, "prim." #name},
    MLC_BINARY_KINDS(X)
#undef X
};

// Operators that TVM files under `prim.` instead of `tirx.`.
constexpr std::string_view kPrimOps[] = {"ceil", "clz", "if_then_else", "likely", "log2", "vscale"};

// The nodes in the order in which a depth-first walk leaves them. Variables, types, strings and ints appear
// once.
class Writer {
 public:
  JsonArray nodes;

  int64_t none() {
    if (none_ < 0) none_ = add("None");
    return none_;
  }
  int64_t map(const IndexMap& value) {
    if (!value) return none();
    JsonArray initial, indices;
    for (const Var& var : value->initial_indices) initial.push_back(expr(var));
    int64_t first = array(initial);
    for (const Expr& e : value->final_indices) indices.push_back(expr(e));
    int64_t last = array(indices);
    int64_t inverse = map(value->inverse_index_map);
    return add("tirx.IndexMap",
               fields({{"initial_indices", first}, {"final_indices", last}, {"inverse_index_map", inverse}}));
  }

 private:
  using Fields = std::vector<std::pair<std::string_view, Any>>;
  static JsonObject fields(const Fields& all) {
    JsonObject object;
    for (const auto& [key, value] : all) object.Set(String(std::string(key)), value);
    return object;
  }
  int64_t add(std::string_view type, const Any& data = nullptr) {
    JsonObject node;
    node.Set(String("type"), String(std::string(type)));
    if (data != nullptr) node.Set(String("data"), data);
    nodes.push_back(node);
    return static_cast<int64_t>(nodes.size()) - 1;
  }
  template <class Key, class Make>
  int64_t once(std::map<Key, int64_t>& seen, const Key& key, const Make& make) {
    if (auto found = seen.find(key); found != seen.end()) return found->second;
    int64_t index = make();
    return seen[key] = index;
  }
  int64_t array(const JsonArray& items) { return add("ffi.Array", items); }
  int64_t text(const String& value) {
    return once(strings_, std::string(value), [&] { return add("ffi.String", value); });
  }
  int64_t number(int64_t value) {
    return once(ints_, value, [&] { return add("int", value); });
  }
  int64_t type(DataType dtype) {
    return once(types_, dtype.str(), [&] {
      int64_t span = none();
      return add("ir.PrimType", fields({{"span", span}, {"dtype", String(dtype.str())}}));
    });
  }
  // A node of an expression: span and type come first.
  int64_t node(const Expr& e, std::string_view name,
               const std::vector<std::pair<std::string_view, Expr>>& parts) {
    int64_t span = none(), ty = type(e->dtype());
    Fields all{{"span", span}, {"ty", ty}};
    for (const auto& [field, part] : parts) all.emplace_back(field, expr(part));
    return add(name, fields(all));
  }
  int64_t expr(const Expr& e) {
    if (auto* imm = as<IntImmNode>(e)) {
      int64_t span = none(), ty = type(e->dtype()), value = number(imm->value);
      return add("ir.IntImm", fields({{"span", span}, {"ty", ty}, {"value", value}}));
    }
    if (auto* imm = as<FloatImmNode>(e)) {
      int64_t span = none(), ty = type(e->dtype());
      return add("ir.FloatImm", fields({{"span", span}, {"ty", ty}, {"value", imm->value}}));
    }
    if (auto found = exprs_.find(e.get()); found != exprs_.end()) return found->second;
    return exprs_[e.get()] = compound(e);
  }
  int64_t compound(const Expr& e) {
    if (auto* var = as<VarNode>(e); var && !var->buffer()) {
      int64_t span = none(), ty = type(e->dtype()), name = text(var->name);
      return add("ir.Var", fields({{"span", span}, {"ty", ty}, {"name", name}}));
    }
    if (auto* two = as_binary(e)) {
      for (const KindName& row : kBinaryNames)
        if (row.kind == e->kind) return node(e, row.name, {{"a", two->a}, {"b", two->b}});
    }
    if (auto* inverted = as<NotNode>(e)) return node(e, "prim.Not", {{"a", inverted->a}});
    if (auto* cast = as<CastNode>(e)) return node(e, "prim.Cast", {{"value", cast->value}});
    if (auto* select = as<SelectNode>(e)) {
      return node(e, "prim.Select",
                  {{"condition", select->condition},
                   {"true_value", select->true_value},
                   {"false_value", select->false_value}});
    }
    auto* call = as<CallNode>(e);
    auto* callee = call ? as<OpNode>(call->op) : nullptr;
    if (!callee) {
      throw refuse(shared_refusals["trace-json"], type_name(e)).kind("ValueError");
    }
    int64_t span = none(), ty = type(e->dtype()), op = operation(callee);
    JsonArray args;
    for (const Expr& arg : call->args) args.push_back(expr(arg));
    int64_t listed = array(args), types = array({});
    return add("ir.Call", fields({{"span", span},
                                  {"ty", ty},
                                  {"op", op},
                                  {"args", listed},
                                  {"attrs", none()},
                                  {"ty_args", types}}));
  }
  int64_t operation(const OpNode* callee) {
    return once(ops_, callee, [&] {
      std::string_view name(callee->name.data(), callee->name.size()),
          short_name = name.substr(name.find('.') + 1);
      bool prim = std::find(std::begin(kPrimOps), std::end(kPrimOps), short_name) != std::end(kPrimOps);
      return add("ir.Op", String(prim ? "prim." + std::string(short_name) : std::string(name)));
    });
  }

  int64_t none_ = -1;
  std::map<std::string, int64_t> strings_, types_;
  std::map<int64_t, int64_t> ints_;
  std::map<const OpNode*, int64_t> ops_;
  std::unordered_map<const ExprNode*, int64_t> exprs_;
};

// Nodes become values when they are asked for; each one once, so that variables keep their identity.
class Reader {
 public:
  explicit Reader(JsonArray nodes) : nodes_(std::move(nodes)), exprs_(nodes_.size()) {}

  IndexMap map(int64_t index) {
    if (type_of(index) == "None") return nullptr;
    if (type_of(index) != "tirx.IndexMap") unknown(index);
    Array<Var> initial;
    for (const Any& item : items(field(index, "initial_indices"))) {
      Expr var = expr(item.cast<int64_t>());
      if (!as<VarNode>(var)) unknown(item.cast<int64_t>());
      initial.push_back(ref(as<VarNode>(var)));
    }
    Array<Expr> indices;
    for (const Any& item : items(field(index, "final_indices")))
      indices.push_back(expr(item.cast<int64_t>()));
    return make<IndexMapNode>(initial, indices, map(field(index, "inverse_index_map")));
  }

 private:
  [[noreturn]] void unknown(int64_t index) {
    throw refuse_as(shared_refusals["trace-json"], "node {} of an index map is a `{}`, which is not read",
                    index, type_of(index))
        .kind("ValueError");
  }
  Any member(int64_t index, std::string_view name) const {
    if (index < 0 || index >= static_cast<int64_t>(nodes_.size()))
      throw refuse_as(shared_refusals["trace-json"], "an index map has no node {}", index).kind("ValueError");
    auto object = nodes_[index].cast<JsonObject>();
    auto found = object.find(String(std::string(name)));
    return found == object.end() ? Any(nullptr) : Any((*found).second);
  }
  std::string type_of(int64_t index) const { return std::string(member(index, "type").cast<String>()); }
  int64_t field(int64_t index, std::string_view name) const {
    auto data = member(index, "data").cast<JsonObject>();
    auto found = data.find(String(std::string(name)));
    if (found == data.end())
      throw refuse_as(shared_refusals["trace-json"], "a node of an index map has no `{}`", name)
          .kind("ValueError");
    return Any((*found).second).cast<int64_t>();
  }
  JsonArray items(int64_t index) const { return member(index, "data").cast<JsonArray>(); }
  DataType type(int64_t index) const {
    auto data = member(field(index, "ty"), "data").cast<JsonObject>();
    auto name = Any(data.at(String("dtype"))).cast<String>();
    return DataType::parse({name.data(), name.size()});
  }
  Expr expr(int64_t index) {
    std::string name = type_of(index);
    Expr& known = exprs_[index];
    if (!known) known = build(index, name);
    return known;
  }
  Expr build(int64_t index, const std::string& name) {
    auto part = [&](std::string_view field_name) { return expr(field(index, field_name)); };
    for (const KindName& row : kBinaryNames)
      if (row.name == name) return binary(row.kind, part("a"), part("b"));
    if (name == "ir.Var") return make_var(member(field(index, "name"), "data").cast<String>(), type(index));
    if (name == "ir.IntImm")
      return int_imm(type(index), member(field(index, "value"), "data").cast<int64_t>());
    if (name == "ir.FloatImm") {
      auto data = member(index, "data").cast<JsonObject>();
      return make<FloatImmNode>(type(index), Any(data.at(String("value"))).cast<double>());
    }
    if (name == "prim.Not") return make<NotNode>(part("a"));
    if (name == "prim.Cast") return make<CastNode>(type(index), part("value"));
    if (name == "prim.Select")
      return make<SelectNode>(part("condition"), part("true_value"), part("false_value"));
    if (name != "ir.Call") unknown(index);
    Array<Expr> args;
    for (const Any& item : items(field(index, "args"))) args.push_back(expr(item.cast<int64_t>()));
    auto op = member(field(index, "op"), "data").cast<String>();
    return call_op(type(index), {op.data(), op.size()}, args);
  }

  JsonArray nodes_;
  std::vector<Expr> exprs_;
};

}  // namespace

std::string index_map_json(const IndexMap& map, bool indented) {
  Writer writer;
  int64_t root = writer.map(map);
  JsonObject metadata, graph;
  metadata.Set(String("tvm_version"), String("0.27.0.post1"));
  graph.Set(String("root_index"), root);
  graph.Set(String("nodes"), writer.nodes);
  graph.Set(String("metadata"), metadata);
  return ffi::json::Stringify(graph, indented ? ffi::Optional<int>(2) : ffi::Optional<int>());
}

IndexMap index_map_of_json(const String& text) {
  if (text.size() == 0 || text.data()[0] != '{') return nullptr;
  String error;
  Json graph = ffi::json::Parse(text, &error);
  if (error.size() != 0)
    throw refuse_as(shared_refusals["trace-json"], "an index map is no JSON: {}", error.c_str())
        .kind("ValueError");
  auto object = graph.cast<JsonObject>();
  return Reader(Any(object.at(String("nodes"))).cast<JsonArray>())
      .map(Any(object.at(String("root_index"))).cast<int64_t>());
}

}  // namespace mlc::transform
