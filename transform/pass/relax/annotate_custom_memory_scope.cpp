// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/target/tables.h"
#include "transform/graph/calls.h"
#include "transform/graph/op_pattern.h"
#include "transform/graph/vdevices.h"

namespace mlc::transform::pass_annotate_custom_memory_scope {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "no-target-of-textures",
         .message = "AnnotateCustomMemoryScope has no target",
         .help = "give one: AnnotateCustomMemoryScope(tvm.target.Target(\"qcom/adreno-opencl-texture\"))"},
        {.name = "pattern-not-known",
         .kind = "RuntimeError",
         .message = "function `{}` has no attribute `op_pattern`",
         .help = "run tvm.relax.transform.AnnotateTIROpPattern() before"},
        {.name = "operand-without-shape",
         .kind = ir::kRefusedValue,
         .message = "an operand of `{}` has no shape, so that it is not known whether it fits a texture",
         .help = "say it: R.match_cast(x, R.Tensor((2, 4, 28, 28, 4), \"float32\"))"},
        {.name = "call-of-a-graph",
         .kind = ir::kRefusedValue,
         .message = "a call of the function `{}`: memory is chosen in functions that call no others",
         .help = "run tvm.relax.transform.InlinePrivateFunctions() or FuseTIR() before"},
    }};
MLC_REFUSALS(annotate_custom_memory_scope, refusals);

namespace {

constexpr char doc[] =
    R"(AnnotateCustomMemoryScope(target=None): put tensors into textures where what reads them can.

    lv = R.call_tir(cls.pad, (x,), out_ty=R.Tensor((1, 4, 28, 28, 4), "float32"))
    y = R.nn.conv2d(lv, w, data_layout="NCHW4c", kernel_layout="OIHW4o")
    =>
    lv = R.call_tir(.., out_ty=R.Tensor((1, 4, 28, 28, 4), "float32", "opencl:0:global.texture-weight"))
needs: the attribute `op_pattern` of functions, shapes, a target with the limits `texture_spatial_limit` and
`texture_depth_limit`.
keeps: values. Copies (R.to_vdevice) stand where a tensor is read from other memory than it is written to.
Elementwise, broadcasting and injective functions read textures, and so do convolutions and pooling of NCHW4c, but their
weights: tensors of five dimensions of which the last is 4, as far as the limits allow. A result is written where what
reads it asks for; where they differ, as the last demand that differs from those before it. What only tuples hold is
in plain memory.
After AnnotateTIROpPattern; SpecializePrimFuncBasedOnCallSite tells functions.)";

constexpr std::string_view kGlobal = "global";

// The memory that tensors of a shape are in where their readers can read textures.
class Layouts {
 public:
  explicit Layouts(const ir::Target& target)
      : width_(ir::target_attr<int64_t>(target, "texture_spatial_limit", 16384)),
        planes_(ir::target_attr<int64_t>(target, "texture_depth_limit", 2048)) {}

  std::string_view scope(const Array<Expr>& shape) const {
    if (shape.size() != 5 || !is_const_int(shape[4], 4)) return kGlobal;
    double n[4];
    for (int64_t i = 0; i < 4; ++i) {
      auto extent = const_int(shape[i]);
      if (!extent) return "global.texture-nchw";
      n[i] = static_cast<double>(*extent);
    }
    if (n[0] < width_ && n[1] * n[2] * n[3] < width_) return "global.texture-weight";
    if (n[0] < planes_ && n[1] < width_ && n[2] * n[3] < width_) return "global.texture-nhwc";
    if (n[0] * n[1] < planes_ && n[2] < width_ && n[3] < width_) return "global.texture";
    return kGlobal;
  }

 private:
  double width_, planes_;  // less than these
};

std::string op_name_of(const CallNode* call) {
  const Operator* row = operator_of(call->op);
  return row ? operator_name(*row) : "";
}

// Does a call read textures?
bool reads_textures(const CallNode* call, const IRModule& mod) {
  std::string name = op_name_of(call);
  if (name == "relax.call_tir") {
    auto* callee = as<GlobalVarNode>(call->args[0]);
    BaseFunc fn = relax::function_of(mod, callee);
    auto pattern = fn ? ir::attr(fn, "op_pattern") : std::nullopt;
    auto number = pattern ? integer_of(*pattern) : std::nullopt;
    if (!number) throw refuse(refusals["pattern-not-known"], callee->name_hint.c_str()).at(call->span);
    return *number < static_cast<int64_t>(OpPattern::kCommReduce);
  }
  if (name == "relax.nn.conv2d")
    return string_attr(call, "data_layout") == "NCHW4c" && string_attr(call, "kernel_layout") == "OIHW4o";
  if (name == "relax.nn.max_pool2d" || name == "relax.nn.avg_pool2d" ||
      name == "relax.nn.adaptive_avg_pool2d")
    return string_attr(call, "layout") == "NCHW4c";
  return false;
}

// The operands that a call reads: those in the tuple of a call_tir.
Array<Expr> operands(const CallNode* call) {
  if (op_name_of(call) != "relax.call_tir") return call->args;
  auto* tuple = as<TupleNode>(call->args[1]);
  return tuple ? tuple->elements : Array<Expr>{};
}

using Scopes = std::vector<std::string_view>;  // of the operands that are tensors

// What calls ask for.
struct Demands final : Visitor {
  const IRModule& mod;
  const Layouts& layouts;
  std::unordered_map<const CallNode*, Scopes> of_call;
  // Of a variable, each call once, in the order of the calls.
  std::unordered_map<const VarNode*, Scopes> of_var;

  // Variables that are elements of tuples, and what these are.
  std::unordered_map<const VarNode*, const TupleNode*> tuples;
  std::vector<std::pair<const VarNode*, const VarNode*>> elements;

  Demands(const IRModule& mod, const Layouts& layouts) : mod(mod), layouts(layouts) {}
  void collect(const Function& fn) {
    visit(fn);
    // What is asked of an element is asked of its value, behind what is asked of that by itself.
    for (const auto& [var, value] : elements) {
      Scopes asked = of_var[var];
      of_var[value].insert(of_var[value].end(), asked.begin(), asked.end());
    }
  }
  void visit_binding(const Binding& binding) override {
    if (auto* tuple = as<TupleNode>(binding->value)) tuples[binding->var.get()] = tuple;
    auto* item = as<TupleGetItemNode>(binding->value);
    auto found = item ? tuples.find(as<VarNode>(item->tuple_value)) : tuples.end();
    if (found != tuples.end()) {
      if (auto* value = as<VarNode>(found->second->elements[item->index]))
        elements.emplace_back(binding->var.get(), value);
    }
    walk_binding(binding);
  }
  void visit(const Expr& e) override {
    auto* call = as<CallNode>(e);
    if (!call || is_tensor_code(call)) return walk_children(e);
    if (auto* callee = as<GlobalVarNode>(call->op))
      throw refuse(refusals["call-of-a-graph"], callee->name_hint.c_str()).at(call->span);
    bool textures = reads_textures(call, mod);
    bool is_conv = op_name_of(call) == "relax.nn.conv2d";
    Scopes& scopes = of_call[call];
    std::unordered_map<const VarNode*, std::string_view> asked;
    std::vector<const VarNode*> order;
    Array<Expr> read = operands(call);
    for (size_t i = 0; i < read.size(); ++i) {
      const Expr& operand = read[static_cast<int64_t>(i)];
      const auto* tensor = type_as<TensorTypeNode>(operand);
      if (!tensor) continue;
      auto dims = tensor->dims();
      if (!dims) throw refuse(refusals["operand-without-shape"], op_name_of(call)).at(call->span);
      scopes.push_back(textures && !(is_conv && i == 1) ? layouts.scope(*dims) : kGlobal);
      auto* var = as<VarNode>(operand);
      if (!var) continue;
      if (asked.emplace(var, scopes.back()).second) order.push_back(var);
      asked[var] = scopes.back();
    }
    for (const VarNode* var : order) of_var[var].push_back(asked[var]);
    walk_children(e);
  }
  // Where the value of a variable is written: the demand whose first appearance comes last.
  std::string_view result(const VarNode* var) const {
    auto found = of_var.find(var);
    if (found == of_var.end()) return kGlobal;
    std::string_view last = kGlobal;
    Scopes seen;
    for (std::string_view scope : found->second) {
      if (std::find(seen.begin(), seen.end(), scope) != seen.end()) continue;
      seen.push_back(scope);
      last = scope;
    }
    return last;
  }
};

// The devices of the module, one for each memory, in the order in which they are asked for.
struct Devices {
  ir::Target target;
  std::vector<VDevice> all;

  VDevice in(std::string_view scope) {
    for (const VDevice& device : all)
      if (text(device->memory_scope) == scope) return device;
    all.push_back(make<ir::VDeviceNode>(target, 0, String(std::string(scope))));
    return all.back();
  }
};

Type placed(const Type& type, const VDevice& device) {
  if (const auto* tensor = as_type<TensorTypeNode>(type)) return on_vdevice(tensor, device);
  const auto* tuple = as_type<TupleTypeNode>(type);
  if (!tuple) return type;
  Array<Type> elements;
  for (const Type& element : tuple->elements) elements.push_back(placed(element, device));
  return make<TupleTypeNode>(elements);
}

// The types of what calls return.
struct Results final : Visitor {
  const Demands& demands;
  Devices& devices;
  std::unordered_map<const CallNode*, Type> types;

  Results(const Demands& demands, Devices& devices) : demands(demands), devices(devices) {}
  void visit_binding(const Binding& binding) override {
    auto* call = as<CallNode>(binding->value);
    if (call && demands.of_call.contains(call)) {
      bool tir = op_name_of(call) == "relax.call_tir";
      types[call] = placed(tir ? call->ty_args[0] : call->ty, devices.in(demands.result(binding->var.get())));
    }
    walk_binding(binding);
  }
};

// Hints at operands, and the types of results.
struct Place final : Mutator {
  const Demands& demands;
  const Results& results;
  Devices& devices;
  std::unordered_map<const ExprNode*, Expr> constants;

  Place(Host& host, const IRModule& mod, const Demands& demands, const Results& results, Devices& devices)
      : Mutator(host, mod), demands(demands), results(results), devices(devices) {}

  Expr rewrite(const Expr& e) override {
    // Elements of a tuple that stands here are taken of it later, when what is not used is gone: as in TVM.
    auto* item = as<TupleGetItemNode>(e);
    if (item && as<TupleNode>(item->tuple_value))
      return make<TupleGetItemNode>(rewrite(item->tuple_value), item->index, e->span);
    auto* call = as<CallNode>(e);
    auto type = results.types.find(call);
    if (!call || type == results.types.end()) return rewrite_children(e);
    const Scopes& scopes = demands.of_call.at(call);
    size_t tensors = 0;
    Array<Expr> args;
    for (const Expr& operand : operands(call)) {
      bool is_tensor = type_as<TensorTypeNode>(operand) != nullptr;
      args.push_back(is_tensor ? hinted(operand, scopes[tensors++]) : rewrite(operand));
    }
    if (op_name_of(call) == "relax.call_tir") {
      Array<Expr> all = call->args;
      if (as<TupleNode>(call->args[1])) all.Set(1, make<TupleNode>(args, call->args[1]->span));
      args = all;
    }
    return make<CallNode>(Type(nullptr), call->op, args, call->attrs, call->span, Array<Type>{type->second});
  }

 private:
  Expr hinted(const Expr& operand, std::string_view scope) {
    VDevice device = devices.in(scope);
    if (auto* constant = as<GenericConstNode>(operand)) {
      // The first that reads a constant says where it is.
      auto [known, is_new] = constants.emplace(constant, operand);
      const auto* tensor = type_as<TensorTypeNode>(known->second);
      if (is_new && !tensor->vdevice)
        known->second = make<GenericConstNode>(constant->value, on_vdevice(tensor, device), constant->span);
      if (is_new) return known->second;
    }
    auto found = constants.find(operand.get());
    int64_t type = ir::target_kind_row(text(device->target->kind)).device;
    Map<String, Any> attrs{{String("device_type"), type},
                           {String("index"), device->vdevice_id},
                           {String("memory_scope"), device->memory_scope}};
    Expr value = found == constants.end() ? rewrite(operand) : found->second;
    return make_call("relax.hint_on_device", {value}, attrs, {}, operand->span);
  }
};

IRModule apply(const IRModule& given, const PassOptions& options) {
  if (options.args[0] == nullptr) throw refuse(refusals["no-target-of-textures"]);
  Devices devices{ir::parse_target(options.args[0]), {}};
  Layouts layouts(devices.target);
  IRModule mod = map_functions(given, [&](const GlobalVar&, const Function& fn) {
    if (ir::has_flag(fn, "Primitive")) return fn;
    Demands demands(given, layouts);
    demands.collect(fn);
    Results results(demands, devices);
    results.visit(fn);
    return Place(*options.host, given, demands, results, devices).rewrite_function(fn);
  });
  if (!devices.all.empty()) {
    Array<Any> all(devices.all.begin(), devices.all.end());
    mod = with(mod, [&](IRModuleNode& n) { n.global_infos.Set("vdevice", all); });
  }
  const Any defaults[] = {nullptr};
  for (std::string_view next : {"DeadCodeElimination", "RealizeVDevice", "CanonicalizeBindings"})
    mod = run_pass(find_pass(next), mod, *options.host, defaults);
  return mod;
}

}  // namespace

extern const Pass annotate_custom_memory_scope{"AnnotateCustomMemoryScope",
                                               "relax.backend.adreno.transform",
                                               "AnnotateCustomMemoryScope(target=None)",
                                               doc,
                                               nullptr,
                                               apply};

}  // namespace mlc::transform::pass_annotate_custom_memory_scope
