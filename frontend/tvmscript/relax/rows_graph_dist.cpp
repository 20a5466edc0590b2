// SPDX-License-Identifier: Apache-2.0
// Tensors on meshes in scripts: R.DTensor, R.device_mesh, and what R.dist has beside operators.
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/node_arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "frontend/tvmscript/relax/graph_builder.h"
#include "ir/core/refusal.h"
#include "ir/registry/registry.h"
#include "ir/relax/distributed.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-mesh",
         .message = "the module has no mesh `{}`",
         .help = "declare it: `I.module_global_infos({\"mesh\": [R.device_mesh((2,), I.Range(0, 2))]})`, and write "
                 "\"mesh[0]\""},
        {.name = "mesh-wanted",
         .kind = "TypeError",
         .message = "argument `{}` of `{}` must be a mesh or its name, as \"mesh[0]\", not `{}`"},
        {.name = "placement-wanted",
         .kind = "TypeError",
         .message = "argument `{}` of `{}` must be a placement such as \"S[0], R\", not `{}`"},
        {.name = "devices-wanted",
         .kind = "TypeError",
         .message = "argument `{}` of `{}` must be {}, not `{}`"},
        {.name = "type-on-mesh-wanted",
         .kind = "TypeError",
         .message = "argument `ty` of `{}` must be an `R.DTensor`, not a {}"},
    }};
MLC_REFUSALS(relax_rows_graph_dist, refusals);

namespace {

// What `make` refuses is refused at `span`.
template <class F>
auto blamed(Span span, F make) {
  try {
    return make();
  } catch (ir::Error& error) {
    throw std::move(error).at(span);
  }
}

// "mesh[0]": the list of the module's global infos, and which one of it.
relax::DeviceMesh module_mesh(const ApiCall& call, std::string_view text, Span span) {
  size_t open = text.find('[');
  bool well_formed = open != text.npos && text.ends_with(']') && open + 2 < text.size();
  int64_t index = 0;
  for (size_t i = open + 1; well_formed && i + 1 < text.size(); ++i) {
    well_formed = text[i] >= '0' && text[i] <= '9' && i - open < 10;
    index = index * 10 + (text[i] - '0');
  }
  if (well_formed) {
    const ModuleState& state = ModuleState::current(call);
    auto found = state.global_infos.find(String(std::string(text.substr(0, open))));
    if (found != state.global_infos.end()) {
      auto infos = (*found).second.cast<Array<Any>>();
      if (index < static_cast<int64_t>(infos.size())) {
        if (auto* mesh = infos[index].as<relax::DeviceMeshNode>()) return ir::ref(mesh);
      }
    }
  }
  throw ir::refuse(refusals["unknown-mesh"], text).at(span);
}

relax::DeviceMesh mesh_arg(const ApiCall& call, size_t i) {
  if (auto* mesh = call.args[i].as<relax::DeviceMeshNode>()) return ir::ref(mesh);
  if (script::is_str(call.args[i])) return module_mesh(call, ir::view(str_arg(call, i)), call.span_of(i));
  throw ir::refuse(refusals["mesh-wanted"], call.api.params[i].name, call.api.name, ir::type_name(call.args[i]))
      .at(call.span_of(i));
}

relax::Placement placement_arg(const ApiCall& call, size_t i) {
  if (auto* placement = call.args[i].as<relax::PlacementNode>()) return ir::ref(placement);
  if (script::is_str(call.args[i]))
    return blamed(call.span_of(i), [&] { return relax::parse_placement(ir::view(str_arg(call, i))); });
  throw ir::refuse(refusals["placement-wanted"], call.api.params[i].name, call.api.name, ir::type_name(call.args[i]))
      .at(call.span_of(i));
}

// One device, for tensors whose type says nothing of a mesh.
relax::DeviceMesh single_device() {
  auto one = [](int64_t value) -> Expr { return ir::int_imm(DataType::Int(32), value); };
  return relax::device_mesh({}, ir::make<ir::RangeNode>(one(0), one(1)));
}

Any make_dtensor(ApiCall& call) {
  const ir::Api* tensor = ir::ApiRegistry::global().find("tvm.script.relax.Tensor");
  MLC_CHECK(tensor, "no R.Tensor");
  std::vector<Any> args{call.args[0], call.args[1], Any(nullptr), call.args[4]};
  std::vector<Span> spans{call.span_of(0), call.span_of(1), call.span, call.span_of(4)};
  Any whole = ir::call_api(*tensor, call.host, {args, {}, call.span, spans, {}});
  relax::DeviceMesh mesh = is_given(call, 2) ? mesh_arg(call, 2) : single_device();
  relax::Placement placement = placement_arg(call, 3);
  return Type(blamed(call.span_of(3), [&] {
    return relax::dtensor_type(ir::ref(whole.as<relax::TensorTypeNode>()), mesh, placement);
  }));
}

Array<int64_t> integers_arg(const ApiCall& call, size_t i, std::string_view wanted) {
  auto refuse = [&] {
    return ir::refuse(refusals["devices-wanted"], call.api.params[i].name, call.api.name, wanted,
                      ir::type_name(call.args[i]))
        .at(call.span_of(i));
  };
  if (!is_list(call.args[i])) throw refuse();
  Array<int64_t> all;
  for (const Any& each : script::elements(call.args[i])) {
    if (!script::is_int(each)) throw refuse();
    all.push_back(script::raw_int(each));
  }
  return all;
}

Any annotate(ApiCall& call) {
  std::vector<Any> args{call.args[0], mesh_arg(call, 1), placement_arg(call, 2)};
  std::vector<Span> spans{call.span_of(0), call.span_of(1), call.span_of(2)};
  return relax::call_operator("dist.annotate_sharding", call.host, args, call.span, spans);
}
Any redistribute(ApiCall& call) {
  std::vector<Any> args{call.args[0], mesh_arg(call, 1), placement_arg(call, 2)};
  std::vector<Span> spans{call.span_of(0), call.span_of(1), call.span_of(2)};
  return relax::call_operator("dist.redistribute", call.host, args, call.span, spans);
}

// A constant of which each device has a copy, or its part.
Any constant_on_mesh(ApiCall& call) {
  Type type = type_from(call.host, call.args[1], call.span_of(1));
  const auto* on_mesh = relax::as_type<relax::DTensorTypeNode>(type);
  if (!on_mesh)
    throw ir::refuse(refusals["type-on-mesh-wanted"], call.api.name, relax::kind_name(type)).at(call.span_of(1));
  const ir::Api* plain = ir::ApiRegistry::global().find("tvm.script.relax.const");
  MLC_CHECK(plain, "no R.const");
  std::vector<Any> args{call.args[0]};
  if (on_mesh->tensor_ty->knows_dtype()) args.push_back(String(on_mesh->tensor_ty->data_type().str()));
  std::vector<Span> spans{call.span_of(0), call.span_of(1)};
  spans.resize(args.size());
  Any made = ir::call_api(*plain, call.host, {args, {}, call.span, spans, {}});
  return Expr(ir::make<relax::GenericConstNode>(made.as<relax::GenericConstNode>()->value, type, call.span));
}

constexpr std::string_view kRoot = "tvm.script.relax";
constexpr std::string_view kDist = "tvm.script.relax.dist";
#define FUNCTION(owner, signature, doc, body) \
  { ir::ApiKind::kFunction, owner, signature, doc, body }
constexpr std::string_view kDTensorDoc = "The type of a tensor on a mesh of devices, and how it is placed there.";
constexpr std::string_view kMeshDoc = "A grid of devices of that shape.";
constexpr ir::ApiRow graph_dist_table[] = {
    FUNCTION(kRoot, "DTensor(shape=None, dtype=None, device_mesh=None, placement=\"\", *, ndim=-1)", kDTensorDoc, make_dtensor),
    FUNCTION(kDist, "DTensor(shape=None, dtype=None, device_mesh=None, placement=\"\", *, ndim=-1)", kDTensorDoc, make_dtensor),
    FUNCTION(kRoot, "device_mesh(shape, device_ids)", kMeshDoc, make_device_mesh),
    FUNCTION(kDist, "device_mesh(shape, device_ids)", kMeshDoc, make_device_mesh),
    FUNCTION(kDist, "annotate_sharding(value, device_mesh, placement)",
             "The tensor; says how it is to lie on a mesh.", annotate),
    FUNCTION(kDist, "redistribute(value, device_mesh, placement)",
             "The tensor as it lies on another mesh or with another placement.", redistribute),
    FUNCTION(kDist, "const(value, ty)", "A constant tensor on a mesh.", constant_on_mesh),
};
#undef FUNCTION

}  // namespace

Any make_device_mesh(ApiCall& call) {
  Array<int64_t> shape = integers_arg(call, 0, "a tuple of integers");
  if (auto range = call.args[1].as<ir::Range>())
    return blamed(call.span_of(1), [&] { return relax::device_mesh(shape, *range); });
  Array<int64_t> ids = integers_arg(call, 1, "a list of device ids or `I.Range(begin, end)`");
  return blamed(call.span_of(1), [&] { return relax::device_mesh(shape, ids); });
}

std::span<const ir::ApiRow> graph_dist_rows() { return graph_dist_table; }

}  // namespace mlc::tvmscript
