// SPDX-License-Identifier: Apache-2.0
// Types of the graph language.
#include "frontend/print/printer.h"
#include "ir/relax/type.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {
using ir::view;
}  // namespace

// In a signature what is computed with the dimensions that it brings is quoted: TypeVars have no arithmetic.
void Printer::dimension(const Expr& e) {
  bool quote = quoted_ && e->kind != ExprKind::kVar && e->kind != ExprKind::kIntImm &&
               uses_var(e, [this](const VarNode* var) { return quoted_->contains(var); });
  if (quote) put("\"");
  expr(e);
  if (quote) put("\"");
}
void Printer::dimensions(const char* attr, const Array<Expr>& all) {
  At at(*this, attr);
  At values(*this, "values");
  list(all, [&](const Expr& e, int64_t i) {
    At item(*this, nullptr, i);
    dimension(e);
  });
}

// "cuda:1:global": of the devices of that kind that the module lists, -1 when it does not list this one.
std::string Printer::device_name(const VDevice& device) const {
  std::string_view kind = view(device->target->kind);
  int64_t index = -1;
  if (module_) {
    auto found = module_->global_infos.find(String("vdevice"));
    int64_t of_kind = 0;
    if (found != module_->global_infos.end()) {
      for (const Any& each : (*found).second.cast<Array<Any>>()) {
        auto* one = each.as<VDeviceNode>();
        if (one == device.get()) {
          index = of_kind;
          break;
        }
        if (one && one->target && view(one->target->kind) == kind) ++of_kind;
      }
    }
  }
  return fmt::format("{}:{}:{}", kind, index, view(device->memory_scope));
}

// In a function of a module that lists the mesh, where it stands there: "mesh[0]".
void Printer::device_mesh(const relax::DeviceMeshNode* mesh) {
  Mark mark(*this, mesh);
  if (graph_ && module_) {
    for (const auto& [key, infos] : module_->global_infos) {
      int64_t i = 0;
      for (const Any& one : infos.cast<Array<Any>>()) {
        if (one.as<relax::DeviceMeshNode>() == mesh) return put(literal(fmt::format("{}[{}]", view(key), i)));
        ++i;
      }
    }
  }
  auto numbers = [this](const Array<int64_t>& all) {
    list(all, [this](int64_t number, int64_t) { put(std::to_string(number)); });
  };
  relax_name("device_mesh");
  put("((");
  numbers(mesh->shape);
  put(mesh->shape.size() == 1 ? ",), " : "), ");
  if (!mesh->device_range) {
    put("[");
    numbers(mesh->device_ids);
    return put("])");
  }
  int64_t first = const_int(mesh->device_range->min).value();
  if (module_) {
    ir_name("Range");
  } else {
    relax_name("Range");
  }
  put(fmt::format("({}, {}))", first, first + static_cast<int64_t>(mesh->device_ids.size())));
}

void Printer::graph_type(const Type& t) {
  Mark mark(*this, t.get());
  std::string_view separator = "(";
  auto part = [&](std::string_view key) {
    put(separator, key, key.empty() ? "" : "=");
    separator = ", ";
  };
  auto shape_of = [&](const relax::TensorTypeNode* tensor) {
    if (!tensor->shape) return;
    part("");
    auto* shape = as<relax::ShapeExprNode>(tensor->shape);
    if (!shape) return expr("shape", tensor->shape);
    put("(");
    dimensions("shape", shape->values);
    put(shape->values.size() == 1 ? ",)" : ")");
  };
  if (auto* tuple = relax::as_type<TupleTypeNode>(t)) {
    relax_name("Tuple");
    if (tuple->elements.empty()) return;
    put("(");
    list(tuple->elements, [&](const Type& one, int64_t i) {
      At at(*this, "fields", i);
      type(one);
    });
    return put(")");
  }
  if (auto* tensor = relax::as_type<relax::TensorTypeNode>(t)) {
    relax_name("Tensor");
    shape_of(tensor);
    if (tensor->knows_dtype()) {
      part("dtype");
      At at(*this, "dtype");
      dtype_literal(tensor->dtype);
    }
    if (!tensor->shape && tensor->knows_ndim()) {
      part("ndim");
      put(std::to_string(tensor->ndim));
    }
    if (tensor->vdevice && tensor->vdevice->target) {
      part("vdevice");
      put(literal(device_name(tensor->vdevice)));
    }
    if (separator != "(") put(")");
    return;
  }
  if (auto* distributed = relax::as_type<relax::DTensorTypeNode>(t)) {
    const relax::TensorTypeNode* tensor = distributed->tensor_ty.get();
    relax_name("DTensor");
    // By position as long as nothing is left out.
    bool named = !tensor->shape;
    shape_of(tensor);
    if (tensor->knows_dtype()) {
      part(named ? "dtype" : "");
      At at(*this, "dtype");
      dtype_literal(tensor->dtype);
    } else {
      named = true;
    }
    part(named ? "device_mesh" : "");
    {
      At at(*this, "device_mesh");
      device_mesh(distributed->device_mesh.get());
    }
    part(named ? "placement" : "");
    {
      At at(*this, "placement");
      Mark placement(*this, distributed->placement.get());
      put(literal(relax::placement_text(distributed->placement)));
    }
    if (!tensor->shape && tensor->knows_ndim()) {
      part("ndim");
      put(std::to_string(tensor->ndim));
    }
    return put(")");
  }
  if (auto* shape = relax::as_type<relax::ShapeTypeNode>(t)) {
    relax_name("Shape");
    if (!shape->values.has_value()) return put("(ndim=", std::to_string(shape->ndim), ")");
    put("([");
    dimensions(nullptr, shape->values.value());
    return put("])");
  }
  if (auto* fn = relax::as_type<relax::FuncTypeNode>(t)) {
    relax_name("Callable");
    if (fn->is_opaque()) {
      if (fn->ret && fn->ret->kind != TypeKind::kAny) {
        part("ret");
        At at(*this, "ret");
        type(fn->ret);
      }
      if (fn->purity) {
        part("purity");
        put("True");
      }
      if (separator != "(") put(")");
      return;
    }
    Array<Type> params = fn->params.value();
    put("((");
    list(params, [&](const Type& one, int64_t i) {
      At at(*this, "params", i);
      type(one);
    });
    put(params.size() == 1 ? ",), " : "), ");
    At at(*this, "ret");
    type(fn->ret);
    return put(", ", fn->purity ? "True" : "False", ")");
  }
  switch (t->kind) {
    case TypeKind::kAny:
      return relax_name("Any");
    case TypeKind::kPackedFunc:
      return relax_name("PackedFunc");
    case TypeKind::kString:
      ir_name("StringType");
      return put("()");
    default:
      throw Error("not-printable", "a type `{}` has no text form in a graph", Any(t).GetTypeKey());
  }
}

}  // namespace mlc::print
