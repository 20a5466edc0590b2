// SPDX-License-Identifier: Apache-2.0
// Literals, attribute values, types, ranges, iterators, regions, targets.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/base64.h>

#include <algorithm>
#include <cmath>

#include "frontend/print/printer.h"
#include "ir/core/ndarray.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

std::string_view iter_type_name(IterType type) {
  static constexpr std::string_view names[] = {"DataPar",    "ThreadIndex",  "CommReduce",
                                               "Ordered",    "Opaque",       "Unrolled",
                                               "Vectorized", "Parallelized", "Tensorized"};
  return names[static_cast<size_t>(type)];
}

// An untyped address: `T.handle`.
bool is_opaque_pointer(const Type& t) {
  if (t->kind == TypeKind::kPrim)
    return static_cast<const PrimTypeNode*>(t.get())->dtype.code == kDLOpaqueHandle;
  if (t->kind != TypeKind::kPointer) return false;
  const Type& element = static_cast<const PointerTypeNode*>(t.get())->element_type;
  if (!element || element->kind == TypeKind::kTuple) return true;
  return element->kind == TypeKind::kPrim &&
         DataType(static_cast<const PrimTypeNode*>(element.get())->dtype).is_void();
}

}  // namespace

std::string literal(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default: {
        auto byte = static_cast<unsigned char>(c);
        // UTF-8 as it is: TVM's escapes of its bytes read back as other text.
        if (byte >= 0x20 && byte != 0x7f) {
          out += c;
        } else {
          fmt::format_to(std::back_inserter(out), "\\x{:02X}", byte);
        }
      }
    }
  }
  return out + '"';
}

std::string float_text(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "\"-nan\"" : "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  if (std::nearbyint(value) == value) return fmt::format("{:.1f}", value);
  return fmt::format("{:.17g}", value);
}

void Printer::text_literal(std::string_view name, const String& text) {
  if (view(text).find('\n') == std::string_view::npos) return put(literal(view(text)));
  auto section =
      std::find_if(metadata_.begin(), metadata_.end(), [&](const Section& s) { return s.name == name; });
  if (section == metadata_.end()) section = metadata_.insert(section, Section{name, {}, {}});
  size_t at = section->texts.size();
  // Texts below 8 bytes are held in place: they have no identity, each stands for itself.
  if (text.size() > 7) at = section->index.try_emplace(text.data(), at).first->second;
  if (at == section->texts.size()) section->texts.push_back(text);
  put("metadata[\"", name, "\"][", std::to_string(at), "]");
}

void Printer::nameless(std::string_view section, const void* value) {
  size_t at = 0;
  bool known = false;
  for (const auto& [name, one] : nameless_) {
    if (name != section) continue;
    if ((known = one == value)) break;
    ++at;
  }
  if (!known) nameless_.emplace_back(section, value);
  put("metadata[\"", section, "\"][", std::to_string(at), "]");
}

bool Printer::tensor_load(const TensorLoadNode* load) {
  if (!is_tensor_expression(load->source.get())) return false;
  call_of("te.tensor_load", [&] {
    nameless("te.Tensor", load->source.get());
    for (size_t i = 0; i < load->indices.size(); ++i) {
      put(", ");
      At at(*this, "args", static_cast<int64_t>(i) + 1);
      expr(load->indices[i]);
    }
  });
  return true;
}

std::string Printer::metadata_section() const {
  Map<String, Any> all;
  for (const Section& section : metadata_) {
    Array<Any> values;
    for (const String& text : section.texts) {
      if (section.name == "ir.StringImm") {
        values.push_back(Expr(make<StringImmNode>(text)));
      } else {
        values.push_back(text);
      }
    }
    all.Set(String(std::string(section.name)), values);
  }
  std::string quoted;
  for (char c : save_json(all)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return "metadata = tvm.ir.load_json(\"\"\"" + quoted + "\"\"\")\n";
}

void Printer::type_literal(const Type& t) {
  Mark whole(*this, t.get());
  At at(*this, "dtype");
  Mark mark(*this, nullptr);
  dtype_literal(static_cast<const PrimTypeNode*>(t.get())->dtype);
}

void Printer::dtype_literal(DataType dtype) {
  if (classic()) classic_dtype(dtype);
  put("\"", dtype.str(), "\"");
}

void Printer::types(const Array<Type>& all) {
  list(all, [&](const Type& one, int64_t) { type(one); });
}
void Printer::type(const Type& t) {
  if (!t) return put("None");
  if (t->kind >= TypeKind::kTensor || (graph_ && t->kind != TypeKind::kPrim && t->kind != TypeKind::kPointer))
    return graph_type(t);
  switch (t->kind) {
    case TypeKind::kPrim:
    case TypeKind::kPointer: {
      Mark whole(*this, t.get());
      if (is_opaque_pointer(t)) {
        const auto* address = t.as<PointerTypeNode>();
        std::string_view scope = address ? view(address->storage_scope) : "";
        if (scope.empty() || scope == "global") return tir("handle");
        return call_of("handle", [&] { put("storage_scope=", literal(scope)); });
      }
      if (t->kind == TypeKind::kPrim)
        return tir(DataType(static_cast<const PrimTypeNode*>(t.get())->dtype).str());
      const auto* pointer = static_cast<const PointerTypeNode*>(t.get());
      return call_of("handle", [&] {
        {
          At at(*this, "element_type");
          pointer->element_type->kind == TypeKind::kPrim ? type_literal(pointer->element_type)
                                                         : type(pointer->element_type);
        }
        put(", ");
        {
          At at(*this, "storage_scope");
          Mark mark(*this, nullptr);
          std::string_view scope = view(pointer->storage_scope);
          put(literal(scope.empty() ? "global" : scope));
        }
      });
    }
    case TypeKind::kTuple: {
      const auto* tuple = static_cast<const TupleTypeNode*>(t.get());
      if (tuple->elements.empty()) return put("None");
      return call_of("Tuple", [&] { types(tuple->elements); });
    }
    case TypeKind::kString:
      if (root_.as<TypeNode>() == t.get()) return put("ir.StringType(span=None)");
      ir_name("StringType");
      return put("()");
    case TypeKind::kFunc: {
      const auto* fn = static_cast<const FuncTypeNode*>(t.get());
      ir_name("FuncType");
      put("([");
      types(fn->arg_types);
      put("], ");
      type(fn->ret_type);
      return put(")");
    }
    case TypeKind::kOpaque:
      return put("ir.OpaqueType(span=None)");
    case TypeKind::kBufferRegion:
      tir("BufferRegionType");
      return put("()");
    case TypeKind::kTensorMap:
      tir("TensorMap");
      return put("()");
    case TypeKind::kBuffer: {
      tir("Buffer");
      Buffer anonymous = make<VarNode>("buffer", t);
      BufferForm form;
      form.dtype_always = true;
      put("(");
      buffer_arguments(anonymous, form);
      return put(")");
    }
    case TypeKind::kTensor:
    case TypeKind::kShape:
    case TypeKind::kFunction:
    case TypeKind::kAny:
    case TypeKind::kPackedFunc:
    case TypeKind::kDTensor:
      return graph_type(t);
  }
}

void Printer::range(const Range& r, bool in_function) {
  Mark mark(*this, r.get());
  if (in_function) {
    tir("Range");
  } else {
    ir_name("Range");
  }
  put("(");
  expr("min", r->min);
  put(", ");
  expr("extent", end_of(r->extent, r->min));
  put(")");
}

void Printer::iter_var(const IterVarNode* iv) {
  Mark mark(*this, iv);
  tir("iter_var");
  put("(", name_of(iv->var.get()), ", ");
  if (iv->dom) {
    At at(*this, "dom");
    range(iv->dom, true);
  } else {
    put("None");
  }
  put(", \"", iter_type_name(iv->iter_type), "\", ", literal(view(iv->thread_tag)), ")");
}

void Printer::region(const TensorRegionNode* r) {
  Mark mark(*this, r);
  {
    At at(*this, "source");
    Mark source(*this, r->source.get());
    put(name_of(r->source.get()));
    // The name alone means the element there.
    if (scalars_.contains(r->source.get())) put(".source");
  }
  put("[");
  if (r->region.empty()) put("()");
  list(r->region, [&](const Range& one, int64_t i) {
    At at(*this, "region", i);
    expr("min", one->min);
    if (is_const_int(one->extent, 1)) return;
    put(":");
    expr("extent", end_of(one->min, one->extent));
  });
  put("]");
}

void Printer::target_dict(const TargetNode* t) {
  auto collect = [](const TargetNode* one, const auto& self) -> Map<String, Any> {
    Map<String, Any> map = one->attrs;
    map.Set("kind", one->kind);
    map.Set("tag", one->tag);
    map.Set("keys", one->keys);
    if (one->host) map.Set("host", self(one->host.get(), self));
    return map;
  };
  dict(collect(t, collect));
}
void Printer::target(const TargetNode* t) {
  call_of("target", [&] { target_dict(t); });
}

void Printer::index_map(const IndexMapNode* map) {
  auto one_way = [this](const IndexMapNode* one) {
    lambda(one, one->initial_indices, [&] {
      put("(");
      exprs(nullptr, one->final_indices);
      put(one->final_indices.size() == 1 ? ",)" : ")");
    });
  };
  call_of("index_map", [&] {
    one_way(map);
    if (map->inverse_index_map) {
      put(", inverse_index_map=");
      one_way(map->inverse_index_map.get());
    }
  });
}

void Printer::global_info(const GlobalInfoNode* info) {
  if (info->IsInstance<relax::DeviceMeshNode>()) return device_mesh(static_cast<const relax::DeviceMeshNode*>(info));
  auto* device = info->IsInstance<VDeviceNode>() ? static_cast<const VDeviceNode*>(info) : nullptr;
  if (!device) {
    ir_name("dummy_global_info");
    return put("()");
  }
  ir_name("vdevice");
  put("(");
  if (device->target) {
    target_dict(device->target.get());
  } else {
    put("None");
  }
  put(", ", std::to_string(device->vdevice_id), ", ", literal(view(device->memory_scope)), ")");
}

void Printer::dict(const Map<String, Any>& map) {
  std::vector<std::pair<String, Any>> items;
  items.reserve(map.size());
  for (const auto& [key, item] : map) items.emplace_back(key, item);
  dict(std::move(items));
}
void Printer::dict(std::vector<std::pair<String, Any>> items) {
  std::sort(items.begin(), items.end(),
            [](const auto& a, const auto& b) { return view(a.first) < view(b.first); });
  put("{");
  list(items, [&](const auto& item, int64_t) {
    put(literal(view(item.first)), ": ");
    value(item.second);
  });
  put("}");
}

// The numbers stand in a section of their own, see metadata().
void Printer::tensor(const ffi::Tensor& t) {
  if (classic()) not_classic("the numbers of a tensor");
  size_t i = 0;
  while (i < tensors_.size() && !tensors_[i].same_as(t)) ++i;
  if (i == tensors_.size()) tensors_.push_back(t);
  put("metadata[\"ffi.Tensor\"][", std::to_string(i), "]");
}

// metadata = {
//     "ffi.String": [
//         "two\nlines",
//     ],
//     "ffi.Tensor": [
//         I.tensor("float32", (3,), "AACAPwAAAEAAAGBA"),
//     ],
// }
std::string Printer::metadata() const {
  std::string text = "metadata = {\n";
  for (const Section& section : metadata_) {
    text += fmt::format("    \"{}\": [\n", section.name);
    for (const String& one : section.texts) {
      std::string quoted = literal(view(one));
      text += section.name == "ir.StringImm" ? fmt::format("        tvm.ir.StringImm({}),\n", quoted)
                                             : fmt::format("        {},\n", quoted);
    }
    text += "    ],\n";
  }
  auto section = [&](std::string_view name, const auto& tensors) {
    if (tensors.empty()) return;
    text += fmt::format("    \"{}\": [\n", name);
    for (const ffi::Tensor& one : tensors) text += fmt::format("        {},\n", tensor_text(one));
    text += "    ],\n";
  };
  section("ffi.Tensor", tensors_);
  std::vector<ffi::Tensor> constants;
  for (const relax::GenericConstNode* one : constants_) {
    if (!one->tensor())
      throw Error("not-printable", "a constant of type `{}` has no text form", one->value.GetTypeKey());
    constants.push_back(*one->tensor());
  }
  section("ir.GenericConst", constants);
  return text + "}\n";
}

std::string Printer::tensor_text(const ffi::Tensor& t) const {
  const DLTensor* raw = t.GetDLTensorPtr();
  if (raw->device.device_type != kDLCPU)
    throw Error("not-printable", "the numbers of a tensor that lies on a device cannot be printed")
        .help("copy it to the CPU");
  ffi::Tensor compact = contiguous(t);
  std::string shape;
  for (int64_t extent : t.shape()) shape += std::to_string(extent) + ",";
  if (t.ndim() > 1) shape.pop_back();
  TVMFFIByteArray bytes{static_cast<const char*>(compact.data_ptr()), ffi::GetDataSize(compact)};
  std::string text =
      fmt::format("{}.tensor(\"{}\", ({}), \"", options_.ir_prefix, DataType(raw->dtype).str(), shape);
  String encoded = ffi::Base64Encode(bytes);
  text.append(encoded.data(), encoded.size());
  return text + "\")";
}

void Printer::value(const Any& v) {
  if (v == nullptr) return put("None");
  if (auto flag = v.as<bool>()) return put(*flag ? "True" : "False");
  if (auto number = v.as<int64_t>()) return put(std::to_string(*number));
  if (auto number = v.as<double>()) {
    // Attributes are not IR constants: the shortest notation that %g finds, `.0` for whole numbers.
    return put(float_text(*number));
  }
  if (auto s = v.as<String>()) return text_literal("ffi.String", *s);
  if (auto dtype = v.as<DLDataType>()) return dtype_literal(*dtype);
  bool function = v.as<PrimFuncNode>() || v.as<relax::FunctionNode>();  // an expression, but none of one line
  if (auto e = v.as<Expr>(); e && !function) return expr(*e);
  if (auto r = v.as<Range>()) return range(*r, true);
  if (auto iter = v.as<IterVar>()) return iter_var(iter->get());
  if (auto reducer = v.as<CommReducer>()) return comm_reducer(reducer->get());
  if (auto t = v.as<Target>()) return target(t->get());
  if (auto* map = v.as<IndexMapNode>()) return index_map(map);
  if (auto* info = v.as<GlobalInfoNode>()) return global_info(info);
  if (auto placement = v.as<relax::Placement>()) return put(literal(relax::placement_text(*placement)));
  if (auto t = v.as<Type>()) return type(*t);
  if (auto l = v.as<Layout>()) return layout(*l);
  if (auto* iter = v.as<IterNode>()) {
    tir("Iter");
    put("(");
    expr(iter->extent);
    put(", ");
    expr(iter->stride);
    return put(", ", literal(view(iter->axis->name)), ")");
  }
  if (auto* scope = v.as<ExecScopeNode>()) {
    static constexpr std::string_view names[] = {"cluster", "cta", "warpgroup", "warp", "thread"};
    tir("ExecScope");
    return put("(", literal(names[scope->scope_kind - static_cast<int32_t>(ScopeKind::kCluster)]), ")");
  }
  if (auto t = v.as<ffi::Tensor>()) return tensor(*t);
  auto sequence = [&](const auto& all) {
    put("[");
    list(all, [&](const Any& one, int64_t) { value(one); });
    put("]");
  };
  if (auto list = v.as<Array<Any>>()) return sequence(*list);
  if (auto list = v.as<ffi::List<Any>>()) return sequence(*list);
  auto mapping = [&](const auto& map) {
    std::vector<std::pair<String, Any>> items;
    for (const auto& [key, item] : map) {
      if (auto name = key.template try_cast<String>()) items.emplace_back(*name, item);
    }
    if (items.size() == map.size()) return dict(std::move(items));
    put("{");
    list(map, [&](const auto& item, int64_t) {
      value(item.first);
      put(": ");
      value(item.second);
    });
    put("}");
  };
  if (auto map = v.as<Map<Any, Any>>()) return mapping(*map);
  if (auto map = v.as<ffi::Dict<Any, Any>>()) return mapping(*map);
  throw Error("not-printable", "a value of type `{}` has no text form", v.GetTypeKey()).kind("TypeError");
}

}  // namespace mlc::print
