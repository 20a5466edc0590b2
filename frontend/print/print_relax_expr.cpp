// SPDX-License-Identifier: Apache-2.0
// Calls and values of the graph language.
#include <algorithm>

#include "frontend/print/printer.h"
#include "ir/core/small_float.h"
#include "ir/relax/operator.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

std::string_view operator_name(const CallNode* e) {
  auto* op = as<OpNode>(e->op);
  std::string_view name = op ? view(op->name) : std::string_view();
  return name.starts_with("relax.") ? name.substr(6) : std::string_view();
}

template <class T>
T scalar(const ffi::Tensor& t) {
  T value;
  std::memcpy(&value, static_cast<const char*>(t.data_ptr()), sizeof(T));
  return value;
}

// The number as TVM writes it in R.const; nullopt where it stands in the section of metadata.
std::optional<std::string> scalar_text(const ffi::Tensor& t) {
  if (t.ndim() != 0 || t.device().device_type != kDLCPU) return std::nullopt;
  DataType dtype = t.dtype();
  if (dtype == DataType::Int(8)) return std::to_string(scalar<int8_t>(t));
  if (dtype == DataType::Int(16)) return std::to_string(scalar<int16_t>(t));
  if (dtype == DataType::Int(32)) return std::to_string(scalar<int32_t>(t));
  if (dtype == DataType::Int(64)) return std::to_string(scalar<int64_t>(t));
  if (dtype == DataType::Float(16)) return float_text(decode(half_format, scalar<uint16_t>(t)));
  if (dtype == DataType::Float(32)) return float_text(scalar<float>(t));
  if (dtype == DataType::Float(64)) return float_text(scalar<double>(t));
  if (dtype == DataType::Bool()) return scalar<uint8_t>(t) ? "True" : "False";
  return std::nullopt;
}

}  // namespace

bool Printer::is_graph_call(const CallNode* e) const {
  if (!operator_name(e).empty() || e->op->kind == ExprKind::kExternFunc) return true;
  bool function = e->op->kind == ExprKind::kVar && e->op->ty && e->op->ty->kind == TypeKind::kFunction;
  return function || (graph_ && (e->op->kind == ExprKind::kVar || e->op->kind == ExprKind::kGlobalVar));
}

// A function of the module: through its alias, which the first use in a function defines. One that the module
// does not have is a name alone.
void Printer::global_var(const GlobalVarNode* n) {
  if (functions_.count(view(n->name_hint)) == 0) return put(view(n->name_hint));
  if (options_.module_alias.empty() || !head_) return put(module_name_, ".", view(n->name_hint));
  if (!head_->has_alias) {
    head_->has_alias = true;
    head_->text.append(static_cast<size_t>(names_.frames()[head_->frame].depth * options_.indent_spaces),
                       ' ');
    head_->text += fmt::format("{} = {}\n", options_.module_alias, module_name_);
  }
  put(options_.module_alias, ".", view(n->name_hint));
}

void Printer::constant(const relax::GenericConstNode* n) {
  if (auto dtype = n->value.as<DLDataType>()) {
    relax_name("dtype");
    put("(");
    dtype_literal(*dtype);
    return put(")");
  }
  if (auto tensor = n->tensor()) {
    if (auto text = scalar_text(*tensor)) {
      bool on_mesh = n->ty->kind == TypeKind::kDTensor;
      relax_name(on_mesh ? "dist.const" : "const");
      put("(", *text, ", ");
      if (on_mesh) {
        At at(*this, "ty");
        type(n->ty);
      } else {
        dtype_literal(tensor->dtype());
      }
      return put(")");
    }
  }
  auto [at, added] = constant_index_.try_emplace(n, constants_.size());
  if (added) {
    constants_.push_back(n);
    if (options_.show_meta) uses_ir_ = true;
  }
  put("metadata[\"ir.GenericConst\"][", std::to_string(at->second), "]");
}

void Printer::graph_expr(const Expr& e) {
  if (auto* n = as<relax::GenericConstNode>(e)) return constant(n);
  if (auto* n = as<relax::ExternFuncNode>(e)) return extern_function(n);
  if (auto* shape = as<relax::ShapeExprNode>(e)) {
    relax_name("shape");
    put("([");
    list(shape->values, [&](const Expr& dim, int64_t i) {
      At at(*this, "values", i);
      dimension(dim);
    });
    return put("])");
  }
  throw Error("not-printable", "a value of type `{}` has no text form as an operand", Any(e).GetTypeKey())
      .help(
          "bring the function into normal form (`relax.transform.Normalize`), which binds it to a variable");
}

// The first operand of a call: external functions by their name alone.
void Printer::graph_callee(const Expr& e) {
  auto* external = as<relax::ExternFuncNode>(e);
  if (!external) return expr(e);
  Mark mark(*this, external);
  put(literal(view(external->global_symbol)));
}

void Printer::type_arguments(const CallNode* e, std::string_view name) {
  At at(*this, "ty_args");
  put(name, "=(");
  types(e->ty_args);
  put(e->ty_args.size() == 1 ? ",)" : ")");
}

void Printer::graph_call(const CallNode* e) {
  std::string_view name = operator_name(e);
  bool first = true;
  auto separate = [&] {
    if (!first) put(", ");
    first = false;
  };
  auto argument = [&](size_t i) {
    separate();
    At at(*this, "args", static_cast<int64_t>(i));
    if (i == 0) {
      graph_callee(e->args[i]);
    } else {
      expr(e->args[i]);
    }
  };
  auto arguments = [&](size_t from) {
    for (size_t i = from; i < e->args.size(); ++i) argument(i);
  };
  auto keyword = [&](std::string_view key) {
    separate();
    put(key, "=");
  };
  auto attribute = [&](std::string_view key) -> const Any {
    auto found = e->attrs.find(String(std::string(key)));
    return found == e->attrs.end() ? Any() : (*found).second;
  };
  auto keyword_attribute = [&](std::string_view key, const Any& item) {
    keyword(key);
    At at(*this, "attrs");
    value(item);
  };

  bool local_view = name == "dist.call_tir_local_view";
  bool packed = name == "call_dps_packed";
  bool yields = name == "call_tir" || packed || local_view || name == "call_tir_inplace" ||
                name == "call_tir_with_grad";
  if (yields && e->args.size() == 2 && e->ty_args.size() == 1) {
    const Type& out = e->ty_args[0];
    auto distributed = [](const Type& t) { return t && t->kind == TypeKind::kDTensor; };
    auto* tuple = relax::as_type<TupleTypeNode>(out);
    bool on_mesh = distributed(out) ||
                   (tuple && std::any_of(tuple->elements.begin(), tuple->elements.end(), distributed));
    relax_name(on_mesh && name == "call_tir" ? "dist.call_tir" : name);
    put("(");
    arguments(0);
    keyword("out_ty");
    {
      At at(*this, "ty_args", 0);
      if (tuple) {
        put("[");
        types(tuple->elements);
        put("]");
      } else {
        type(out);
      }
    }
    if (name == "call_tir_inplace") keyword_attribute("inplace_indices", attribute("inplace_indices"));
    if (name == "call_tir_with_grad") {
      keyword_attribute("te_grad_name", attribute("te_grad_name"));
      Any more = attribute("te_grad_kwargs");
      if (auto map = more.as<Map<Any, Any>>(); map && !map->empty())
        keyword_attribute("te_grad_kwargs", more);
    }
    return put(")");
  }
  if (name == "print" && !e->args.empty()) {
    relax_name("print");
    put("(");
    arguments(1);
    keyword("format");
    expr(e->args[0]);
    return put(")");
  }
  if (name == "assert_op" && e->args.size() >= 2) {
    relax_name("assert_op");
    put("(");
    argument(0);
    arguments(2);
    keyword("format");
    expr(e->args[1]);
    return put(")");
  }
  if (name == "hint_on_device" && e->args.size() == 1) {
    relax_name("hint_on_device");
    put("(");
    argument(0);
    put(", ");
    relax_name("device");
    put("(device_type=");
    value(attribute("device_type"));
    put(", index=");
    value(attribute("index"));
    put("), ");
    value(attribute("memory_scope"));
    return put(")");
  }
  if (name == "to_vdevice" && e->args.size() == 1) {
    if (auto device = attribute("dst_vdevice").as<VDevice>(); device && *device && (*device)->target) {
      relax_name("to_vdevice");
      put("(");
      argument(0);
      keyword("dst_vdevice");
      put(literal(device_name(*device)));
      return put(")");
    }
  }

  auto* external = as<relax::ExternFuncNode>(e->op);
  {
    At at(*this, "op");
    Mark mark(*this, e->op.get());
    if (external) {
      relax_name("call_packed");
    } else if (!name.empty()) {
      relax_name(name);
    } else {
      expr(e->op);
    }
  }
  put("(");
  if (external) {
    separate();
    put(literal(view(external->global_symbol)));
  }
  arguments(0);
  if (!e->attrs.empty() && external) {
    keyword("attrs_type_key");
    bool copies = external->global_symbol == "vm.builtin.to_device";  // with what R.to_vdevice says
    put(copies ? "\"relax.attrs.ToVDeviceAttrs\"" : "\"ir.DictAttrs\"");
  }
  std::vector<std::pair<String, Any>> attrs(e->attrs.begin(), e->attrs.end());
  // What a caller of a function gives along has no order of its own.
  if (name.empty())
    std::sort(attrs.begin(), attrs.end(),
              [](const auto& a, const auto& b) { return view(a.first) < view(b.first); });
  for (const auto& [key, item] : attrs) keyword_attribute(view(key), item);
  if (!e->ty_args.empty()) {
    separate();
    type_arguments(e, "ty_args");
  }
  put(")");
}

}  // namespace mlc::print
