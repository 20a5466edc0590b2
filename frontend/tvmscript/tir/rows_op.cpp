// SPDX-License-Identifier: Apache-2.0
// What is known of operators, and what scripts add to it: tvm.ir.Op.
#include <algorithm>
#include <map>
#include <optional>

#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"
#include "ir/relax/operator.h"
#include "ir/tir/op.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "unknown-attribute",
         .message = "no operator has an attribute `{}`",
         .meaning = "Nothing is known under this name of any operator; `has_attr` asks.",
         .wrong = R"(import tvm
tvm.ir.Op.get("tirx.exp").get_attr("TNothing"))",
         .right = R"(import tvm
tvm.ir.Op.get("tirx.exp").get_attr("TCallEffectKind"))"},
    }};
MLC_REFUSALS(tir_rows_op, refusals);

namespace {

// By attribute, then by operator: what scripts have set.
std::map<std::string, std::map<std::string, Any>>& attributes() {
  static thread_local auto& all = *new std::map<std::string, std::map<std::string, Any>>;
  return all;
}

const ir::OpNode* op_self(const ApiCall& call) { return call.args[0].as<ir::OpNode>(); }
// Of an operator of graphs; null for those of tensor code.
const relax::Operator* graph_row(const ApiCall& call) {
  return relax::find_operator(view(op_self(call)->name));
}

// The parameters of an operator of graphs that are arguments of its calls: those that are no attributes.
std::vector<std::string_view> argument_names(const relax::Operator& graph) {
  std::vector<std::string_view> names;
  std::string_view signature = graph.signature;
  auto attrs = graph.attrs.span();
  int depth = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    char c = signature[i];
    bool begins = depth == (c == '(' ? 0 : 1) && (c == '(' || c == ',');
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (!begins) continue;
    size_t first = signature.find_first_not_of(" *", i + 1);
    std::string_view name = signature.substr(first, signature.find_first_of(",=)", first) - first);
    bool attribute =
        std::any_of(attrs.begin(), attrs.end(), [&](const auto& attr) { return attr.name == name; });
    if (!name.empty() && !attribute) names.push_back(name);
  }
  if (graph.operands >= 0) names.resize(std::min(names.size(), static_cast<size_t>(graph.operands)));
  return names;
}

// ---- arguments ----

struct ArgumentInfoNode final : ffi::Object {
  String name, type_info;
  ArgumentInfoNode(std::string_view name, std::string_view type_info)
      : name(std::string(name)), type_info(std::string(type_info)) {}
  MLC_NODE("mlc.ir.ArgumentInfo", ArgumentInfoNode, ffi::Object);
};

// What an argument is by its name, where it is no tensor and its operator's row does not say.
constexpr std::pair<std::string_view, std::string_view> kArgumentTypes[] = {
    {"alpha", "PrimExpr"},
    {"args", "Tuple"},
    {"axis", "Prim(int64)"},
    {"closure", "Expr"},
    {"dtype", "GenericConst"},
    {"end", "PrimExpr"},
    {"func", "Expr"},
    {"func_name", "StringImm"},
    {"k", "PrimExpr"},
    {"m", "PrimExpr"},
    {"max", "PrimExpr"},
    {"min", "PrimExpr"},
    {"n", "PrimExpr"},
    {"obj", "Expr"},
    {"off_value", "PrimExpr"},
    {"on_value", "PrimExpr"},
    {"periodic", "PrimExpr"},
    {"runtime_device_index", "PrimExpr"},
    {"shape", "Shape"},
    {"size", "Shape"},
    {"start", "PrimExpr"},
    {"step", "PrimExpr"},
    {"storage", "Expr"},
    {"storage_scope", "StringImm"},
    {"tensors", "Tuple of Tensors"},
    {"weights", "ffi::Optional<Tensor>"},
    {"window_size", "PrimExpr"},
};
std::string_view argument_type(std::string_view name) {
  for (const auto& [key, value] : kArgumentTypes) {
    if (key == name) return value;
  }
  return "Tensor";
}

Array<Any> arguments(const ApiCall& call) {
  Array<Any> all;
  const relax::Operator* graph = graph_row(call);
  if (graph == nullptr) return all;
  if (graph->arguments.empty()) {
    for (std::string_view name : argument_names(*graph))
      all.push_back(ir::make<ArgumentInfoNode>(name, argument_type(name)));
    return all;
  }
  for (std::string_view rest = graph->arguments; !rest.empty();) {
    std::string_view one = rest.substr(0, rest.find("; "));
    size_t space = one.find(' ');
    all.push_back(ir::make<ArgumentInfoNode>(one.substr(0, space), one.substr(space + 1)));
    rest.remove_prefix(std::min(rest.size(), one.size() + 2));
  }
  return all;
}
// The number of arguments, -1 for any.
int64_t arity(const ApiCall& call) {
  const relax::Operator* graph = graph_row(call);
  if (graph == nullptr) return ir::op_row(op_self(call)).arity;
  if (graph->signature.find('*') != std::string_view::npos && graph->operands < 0) return -1;
  return static_cast<int64_t>(arguments(call).size());
}
std::string shown_argument(const ArgumentInfoNode* argument) {
  std::string type;
  for (char c : std::string_view(argument->type_info.c_str()))
    type += c == '"' ? std::string("\\\"") : std::string(1, c);
  return fmt::format("ir.ArgumentInfo(name=\"{}\", type_info=\"{}\", description=\"\")",
                     argument->name.c_str(), type);
}

// What the table of operators says under TVM's names; None where it says nothing.
Any known(const ApiCall& call, std::string_view name) {
  if (const relax::Operator* graph = graph_row(call)) return name == "FPurity" ? Any(graph->pure) : Any();
  const ir::OpRow& row = ir::op_row(op_self(call));
  // TVM has one number for both of the last.
  if (name == "TCallEffectKind") return std::min<int64_t>(static_cast<int64_t>(row.effect), 3);
  if (name == "TVectorizable" && (row.unary != nullptr || row.binary != nullptr)) return true;
  if (name == "TScriptPrinterName" && !row.spelling.empty()) return String(std::string(row.spelling));
  return nullptr;
}

Any get_attr(ApiCall& call) {
  String name = str_arg(call, 1);
  if (auto all = attributes().find(std::string(name)); all != attributes().end()) {
    auto own = all->second.find(std::string(op_self(call)->name));
    if (own != all->second.end()) return own->second;
  }
  return known(call, view(name));
}
// A name that no operator has anything under is a mistake, which has_attr does not make of it.
Any get_known_attr(ApiCall& call) {
  String name = str_arg(call, 1);
  static constexpr std::string_view own[] = {"TCallEffectKind",    "TVectorizable",
                                             "TScriptPrinterName", "TScriptDtypePrintLocation",
                                             "FLowerIntrinsic",    "FPurity"};
  bool is_own = std::find(std::begin(own), std::end(own), view(name)) != std::end(own) ||
                view(name).ends_with(".FLowerIntrinsic") || view(name).ends_with(".FLegalize");
  if (!is_own && attributes().count(std::string(name)) == 0) {
    throw ir::refuse(refusals["unknown-attribute"], name.c_str()).at(call.span_of(1));
  }
  return get_attr(call);
}
Any has_attr(ApiCall& call) { return !script::is_none(get_attr(call)); }
Any set_attr(ApiCall& call) {
  attributes()[std::string(str_arg(call, 1))][std::string(op_self(call)->name)] = call.args[2];
  return nullptr;
}
Any reset_attr(ApiCall& call) {
  auto all = attributes().find(std::string(str_arg(call, 1)));
  if (all != attributes().end()) all->second.erase(std::string(op_self(call)->name));
  return nullptr;
}
Any list_op_names(ApiCall&) {
  Array<Any> names;
  for (const ir::OpRow& row : ir::op_rows()) names.push_back(String(std::string(row.name)));
  for (const relax::Operators* file : relax::all_operators()) {
    for (const relax::Operator& row : file->rows) {
      if (!row.sugar) names.push_back(String(relax::operator_name(row)));
    }
  }
  return names;
}

// What a program said of the operator in place of what the table says; kept among the attributes, under names
// that no attribute has.
constexpr char kInputs[] = " inputs", kLevel[] = " level", kTypeKey[] = " type key";
Any said(const ApiCall& call, const char* what, Any otherwise) {
  auto all = attributes().find(what);
  if (all == attributes().end()) return otherwise;
  auto own = all->second.find(std::string(op_self(call)->name));
  return own == all->second.end() ? otherwise : own->second;
}
template <const char* what>
Any set_said(ApiCall& call) {
  attributes()[what][std::string(op_self(call)->name)] = call.args[1];
  return nullptr;
}
Any attrs_type(ApiCall& call) {
  const relax::Operator* row = graph_row(call);
  return said(call, kTypeKey, String(row == nullptr ? std::string() : attrs_type_key(*row)));
}
Any shown_op(ApiCall& call) {
  std::vector<std::string> shown;
  for (const Any& each : arguments(call)) shown.push_back(shown_argument(each.as<ArgumentInfoNode>()));
  std::string_view comma = shown.size() == 1 ? "," : "";
  return String(fmt::format(
      "ir.Op(span=None, ty=ir.Type(span=None), name=\"{}\", description=\"\", arguments=({}{}), "
      "attrs_type_key=\"{}\", num_inputs={}, support_level={})",
      op_self(call)->name.c_str(), fmt::join(shown, ", "), comma, attrs_type(call).cast<String>().c_str(),
      call.host.repr(said(call, kInputs, arity(call))), call.host.repr(said(call, kLevel, int64_t{10}))));
}

constexpr std::string_view kOp = "mlc.ir.Op", kArgument = "mlc.ir.ArgumentInfo";
#define METHOD(signature, doc, body) \
  { ir::ApiKind::kMethod, kOp, signature, doc, body }
#define PROPERTY(name, doc, value)                                                      \
  {                                                                                     \
    ir::ApiKind::kProperty, kOp, name, doc, +[](ApiCall& call) -> Any { return value; } \
  }
constexpr ir::ApiRow op_table[] = {
    METHOD("get_attr(attr_name)", "What is known of the operator under a name, or None.", get_known_attr),
    METHOD("has_attr(attr_name)", "Is something known under that name?", has_attr),
    METHOD("set_attr(attr_name, value, plevel=10)", "Adds to what is known of the operator.", set_attr),
    METHOD("reset_attr(attr_name)", "Forgets what was added.", reset_attr),
    METHOD("set_num_inputs(n)", "Says how many arguments there are.", set_said<kInputs>),
    METHOD("set_support_level(level)", "Says how well it is supported.", set_said<kLevel>),
    METHOD("set_attrs_type_key(key)", "Says what kind of attributes it has.", set_said<kTypeKey>),
    METHOD("__repr__()", "The fields.", shown_op),
    METHOD("__str__()", "The fields.", shown_op),
    PROPERTY("num_inputs", "The number of arguments; -1: any.", said(call, kInputs, arity(call))),
    PROPERTY("support_level", "10: everything else.", said(call, kLevel, int64_t{10})),
    PROPERTY("description", "None is kept.", (static_cast<void>(call), String(""))),
    PROPERTY("attrs_type_key",
             "The type of the attributes of its calls; \"\" for operators without attributes.",
             attrs_type(call)),
    PROPERTY("arguments", "What the arguments of an operator of graphs are called, and what they are.",
             arguments(call)),
    {ir::ApiKind::kProperty, kArgument, "name", "What the argument is called.",
     [](ApiCall& call) -> Any { return call.args[0].as<ArgumentInfoNode>()->name; }},
    {ir::ApiKind::kProperty, kArgument, "type_info", "What it is: \"Tensor\", \"Shape\" and the like.",
     [](ApiCall& call) -> Any { return call.args[0].as<ArgumentInfoNode>()->type_info; }},
    {ir::ApiKind::kProperty, kArgument, "description", "None is kept.",
     [](ApiCall&) -> Any { return String(""); }},
    {ir::ApiKind::kMethod, kArgument, "__repr__()", "The fields.",
     [](ApiCall& call) -> Any { return String(shown_argument(call.args[0].as<ArgumentInfoNode>())); }},
    {ir::ApiKind::kFunction, "tvm.ir.Op", "list_op_names()", "The names of all operators.", list_op_names},
};
#undef METHOD
#undef PROPERTY

}  // namespace

std::span<const ir::ApiRow> op_attribute_rows() { return op_table; }

}  // namespace mlc::tvmscript
