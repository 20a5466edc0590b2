// SPDX-License-Identifier: Apache-2.0
#include "backend/interp/graph.h"

#include <tvm/ffi/container/list.h>
#include <numeric>

#include <cstring>
#include <map>

#include "ir/core/ndarray.h"
#include "ir/core/refusal.h"
#include "ir/relax/infer.h"
#include "ir/relax/visit.h"

namespace mlc::interp {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "graph-argument-count", .kind = "TypeError", .message = "`{}` takes {} arguments, {} given"},
        {.name = "graph-wrong-argument", .kind = "TypeError", .message = "{} must be a {}, got a `{}`"},
        {.name = "graph-shape-mismatch", .message = "{}: {} must be {}, got {}"},
        {.name = "graph-unsupported",
         .kind = "NotImplementedError",
         .message = "the interpreter of graphs cannot run {}"},
        {.name = "graph-assertion-failed", .kind = "AssertionError", .message = "{}"},
    }};
MLC_REFUSALS(interp_graph, refusals);

namespace {

namespace ffi = ir::ffi;
using ir::Any;
using ir::Array;
using ir::DataType;
using ir::Expr;
using ir::ExprKind;
using ir::make;
using ir::ref;
using ir::Span;
using ir::Type;
using ir::TypeKind;
using ir::Var;
using ir::VarNode;
using ir::view;
using namespace relax;  // NOLINT: the nodes of graphs

// Values of variables, symbolic ones included; what a local function captures is around it.
struct Scope {
  std::shared_ptr<const Scope> outer;
  std::unordered_map<const VarNode*, Any> values;

  const Any* find(const VarNode* var) const {
    for (const Scope* scope = this; scope; scope = scope->outer.get()) {
      auto found = scope->values.find(var);
      if (found != scope->values.end()) return &found->second;
    }
    return nullptr;
  }
};

struct ClosureNode final : ffi::Object {
  relax::Function fn;
  std::shared_ptr<const Scope> around;
  Array<Any> last;  // arguments that are there already, behind those of a call
  ClosureNode(relax::Function fn, std::shared_ptr<const Scope> around, Array<Any> last)
      : fn(std::move(fn)), around(std::move(around)), last(std::move(last)) {}
  MLC_NODE("mlc.interp.Closure", ClosureNode, ffi::Object);
};

// A tensor in the memory of another one.
struct InMemoryOf {
  ffi::Tensor storage;
  int64_t offset;  // bytes
  void AllocData(DLTensor* tensor) { tensor->data = static_cast<char*>(storage.data_ptr()) + offset; }
  void FreeData(DLTensor*) {}
};
ffi::Tensor view_of(const ffi::Tensor& storage, int64_t offset, const std::vector<int64_t>& shape,
                    DataType dtype) {
  return ffi::Tensor::FromNDAlloc(InMemoryOf{storage, offset}, ffi::Shape(shape.begin(), shape.end()), dtype,
                                  DLDevice{kDLCPU, 0});
}

// As the interpreter keeps it: arrays of the script as tensors, its lists as arrays.
Any kept(const Any& value) {
  if (value == nullptr) return value;
  if (auto* array = value.as<ir::NDArrayNode>()) return ir::contiguous(array->tensor);
  auto all = [](const auto& items) {
    Array<Any> kept_items;
    for (const Any& item : items) kept_items.push_back(kept(item));
    return Any(kept_items);
  };
  if (auto items = value.as<Array<Any>>()) return all(*items);
  if (auto* list = value.as<ffi::ListObj>()) return all(*list);
  return value;
}

class Machine {
 public:
  Machine(ir::IRModule mod, ir::Host& host, TensorFunctions tensor_functions = {})
      : mod_(std::move(mod)), host_(host), tensor_functions_(std::move(tensor_functions)) {}

  Any call(std::string_view name, std::span<const Any> args) {
    ir::BaseFunc fn = mod_->lookup(name);
    auto* graph = fn.as<FunctionNode>();
    if (!graph) throw refuse(refusals["graph-unsupported"], fmt::format("`{}`, which is no graph", name));
    std::vector<Any> own;
    for (const Any& arg : args) own.push_back(kept(arg));
    return apply(ref(graph), own, nullptr, name);
  }

 private:
  [[noreturn]] static void unsupported(std::string_view what, Span span) {
    throw refuse(refusals["graph-unsupported"], what).at(span);
  }

  // ---- functions ----

  Any apply(const relax::Function& fn, std::span<const Any> args, std::shared_ptr<const Scope> around,
            std::string_view name) {
    if (args.size() != fn->params.size()) {
      throw refuse(refusals["graph-argument-count"], name, fn->params.size(), args.size()).at(fn->span);
    }
    if (depth_ == kDeepest) unsupported(fmt::format("more than {} calls in one another", kDeepest), fn->span);
    struct Deeper {
      size_t& depth;
      explicit Deeper(size_t& depth) : depth(depth) { ++depth; }
      ~Deeper() { --depth; }
    } deeper(depth_);
    auto scope = std::make_shared<Scope>();
    scope->outer = std::move(around);
    // Dimensions that are variables first: others are computed of them.
    for (bool known : {false, true}) {
      for (size_t i = 0; i < args.size(); ++i) {
        std::string what = fmt::format("`{}` of `{}`", view(fn->params[i]->name), name);
        scope->values[fn->params[i].get()] = match(fn->params[i]->ty, args[i], *scope, what, known);
      }
    }
    return run(fn->body, scope);
  }

  Any run(const SeqExpr& seq, const std::shared_ptr<Scope>& scope) {
    for (const BindingBlock& block : seq->blocks) {
      for (const Binding& binding : block->bindings) {
        Any value = eval(binding->value, scope);
        if (const MatchCastNode* cast = as_match_cast(binding)) {
          std::string what = fmt::format("the cast of `{}`", view(binding->var->name));
          for (bool known : {false, true}) value = match(cast->ty, value, *scope, what, known);
        }
        scope->values[binding->var.get()] = value;
      }
    }
    return eval(seq->body, scope);
  }

  // Is the value of that type? Symbolic variables that are new get their values. `known`: other dimensions
  // are compared, too.
  Any match(const Type& type, const Any& value, Scope& scope, const std::string& what, bool known) {
    switch (type->kind) {
      case TypeKind::kTensor: {
        auto tensor = as_tensor(value);
        if (!tensor) throw refuse(refusals["graph-wrong-argument"], what, "tensor", ir::type_name(value));
        const auto* wanted = as_type<TensorTypeNode>(type);
        if (wanted->knows_dtype() && !(wanted->data_type() == DataType(tensor->dtype()))) {
          throw refuse(refusals["graph-shape-mismatch"], what, "its data type", wanted->data_type().str(),
                       DataType(tensor->dtype()).str());
        }
        ffi::ShapeView shape = tensor->shape();
        match_rank(wanted->ndim, shape.size(), what);
        if (auto dims = wanted->dims()) match_dims(*dims, {shape.data(), shape.size()}, scope, what, known);
        if (auto* var = as<VarNode>(wanted->shape))
          scope.values[var] = ffi::Shape(shape.begin(), shape.end());
        return value;
      }
      case TypeKind::kShape: {
        std::vector<int64_t> dims = shape_of(value, what);
        const auto* wanted = as_type<ShapeTypeNode>(type);
        match_rank(wanted->ndim, dims.size(), what);
        if (wanted->values.has_value()) match_dims(wanted->values.value(), dims, scope, what, known);
        return ffi::Shape(dims.begin(), dims.end());
      }
      case TypeKind::kTuple: {
        auto items = value.as<Array<Any>>();
        const auto& fields = as_type<TupleTypeNode>(type)->elements;
        if (!items || items->size() != fields.size()) {
          throw refuse(refusals["graph-wrong-argument"], what, fmt::format("tuple of {}", fields.size()),
                       ir::type_name(value));
        }
        Array<Any> matched;
        for (size_t i = 0; i < fields.size(); ++i)
          matched.push_back(
              match(fields[i], (*items)[i], scope, fmt::format("element {} of {}", i, what), known));
        return matched;
      }
      default:
        return value;
    }
  }
  static void match_rank(int64_t wanted, size_t given, const std::string& what) {
    if (wanted == kUnknownNDim || wanted == static_cast<int64_t>(given)) return;
    throw refuse(refusals["graph-shape-mismatch"], what, "its number of dimensions", wanted, given);
  }
  void match_dims(const Array<Expr>& wanted, std::span<const int64_t> given, Scope& scope,
                  const std::string& what, bool known) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      auto* var = as<VarNode>(wanted[i]);
      if (var && !scope.find(var)) {
        scope.values[var] = given[i];
        continue;
      }
      if (!var && !known && !ir::const_int(wanted[i])) continue;
      int64_t expected = integer(wanted[i], scope);
      if (expected != given[i])
        throw refuse(refusals["graph-shape-mismatch"], what, fmt::format("dimension {}", i), expected,
                     given[i]);
    }
  }
  static std::vector<int64_t> shape_of(const Any& value, const std::string& what) {
    if (value == nullptr) throw refuse(refusals["graph-wrong-argument"], what, "shape", ir::type_name(value));
    if (auto shape = value.as<ffi::Shape>()) return {shape->begin(), shape->end()};
    if (auto items = value.as<Array<Any>>()) {
      std::vector<int64_t> dims;
      for (const Any& item : *items) {
        auto number = item.as<int64_t>();
        if (!number) throw refuse(refusals["graph-wrong-argument"], what, "shape", ir::type_name(value));
        dims.push_back(*number);
      }
      return dims;
    }
    throw refuse(refusals["graph-wrong-argument"], what, "shape", ir::type_name(value));
  }

  // ---- expressions ----

  Any primitive(const Expr& e, const Scope& scope) {
    if (auto* var = as<VarNode>(e)) {
      if (const Any* value = scope.find(var)) return *value;
      unsupported(fmt::format("`{}`, which has no value", view(var->name)), e->span);
    }
    ir::VarMap values;
    for (const Var& var : ir::free_vars(e)) {
      Any value = primitive(var, scope);
      if (auto number = value.as<int64_t>()) {
        values[var.get()] = ir::int_imm(var->dtype(), *number);
      } else if (auto real = value.as<double>()) {
        values[var.get()] = make<ir::FloatImmNode>(var->dtype(), *real);
      }
    }
    Expr folded = host_.simplify(ir::substitute(e, values));
    if (auto* imm = as<ir::IntImmNode>(folded))
      return imm->dtype().is_bool() ? Any(imm->value != 0) : Any(imm->value);
    if (auto* imm = as<ir::FloatImmNode>(folded)) return imm->value;
    unsupported("this primitive expression", e->span);
  }
  int64_t integer(const Expr& e, const Scope& scope) {
    if (auto constant = ir::const_int(e)) return *constant;
    Any value = primitive(e, scope);
    if (auto number = value.as<int64_t>()) return *number;
    unsupported("a dimension that is no integer", e->span);
  }
  std::vector<int64_t> integers(const Array<Expr>& all, const Scope& scope) {
    std::vector<int64_t> values;
    for (const Expr& e : all) values.push_back(integer(e, scope));
    return values;
  }

  Any eval(const Expr& e, const std::shared_ptr<Scope>& scope) {
    switch (e->kind) {
      case ExprKind::kVar: {
        const Any* value = scope->find(static_cast<const VarNode*>(e.get()));
        if (!value) unsupported(fmt::format("`{}`, which has no value", view(as<VarNode>(e)->name)), e->span);
        return *value;
      }
      case ExprKind::kGenericConst: {
        const Any& value = static_cast<const GenericConstNode*>(e.get())->value;
        auto tensor = as_tensor(value);
        return tensor ? Any(ir::contiguous(*tensor)) : value;
      }
      case ExprKind::kStringImm:
        return as<ir::StringImmNode>(e)->value;
      case ExprKind::kShapeExpr: {
        std::vector<int64_t> dims = integers(static_cast<const ShapeExprNode*>(e.get())->values, *scope);
        return ffi::Shape(dims.begin(), dims.end());
      }
      case ExprKind::kTuple: {
        Array<Any> items;
        for (const Expr& field : as<TupleNode>(e)->elements) items.push_back(eval(field, scope));
        return items;
      }
      case ExprKind::kTupleGetItem: {
        auto* item = as<TupleGetItemNode>(e);
        return eval(item->tuple_value, scope).cast<Array<Any>>()[item->index];
      }
      case ExprKind::kSeqExpr:
        return run(ref(static_cast<const SeqExprNode*>(e.get())), scope);
      case ExprKind::kIf: {
        auto* branches = static_cast<const IfNode*>(e.get());
        auto inner = std::make_shared<Scope>();
        inner->outer = scope;
        return run(truth(eval(branches->cond, scope)) ? branches->true_branch : branches->false_branch,
                   inner);
      }
      case ExprKind::kFunction:
        return make<ClosureNode>(ref(static_cast<const FunctionNode*>(e.get())), scope, Array<Any>{});
      case ExprKind::kGlobalVar:
      case ExprKind::kExternFunc:
        return e;
      case ExprKind::kCall: {
        auto* call = as<CallNode>(e);
        if (const Operator* row = operator_of(call->op)) return operation(*row, call, scope);
        if (!as<ir::OpNode>(call->op)) return function_call(call, scope);
        break;
      }
      default:
        break;
    }
    return primitive(e, *scope);
  }
  static bool truth(const Any& value) {
    if (auto tensor = as_tensor(value)) return *static_cast<const uint8_t*>(tensor->data_ptr()) != 0;
    if (auto flag = value.as<bool>()) return *flag;
    return value.cast<int64_t>() != 0;
  }

  std::vector<Any> evaluated(const Array<Expr>& args, const std::shared_ptr<Scope>& scope) {
    std::vector<Any> values;
    for (const Expr& arg : args) values.push_back(eval(arg, scope));
    return values;
  }

  Any function_call(const CallNode* call, const std::shared_ptr<Scope>& scope) {
    std::vector<Any> args = evaluated(call->args, scope);
    if (auto* global = as<GlobalVarNode>(call->op)) {
      std::string_view name = view(global->name_hint);
      ir::BaseFunc fn = mod_->lookup(name);
      if (auto* graph = fn.as<FunctionNode>()) return apply(ref(graph), args, nullptr, name);
      return tensor_function(name, args);
    }
    if (auto* external = as<ExternFuncNode>(call->op))
      return packed(view(external->global_symbol), args, call);
    return invoke(eval(call->op, scope), args, call->span);
  }
  Any invoke(const Any& callee, const std::vector<Any>& args, Span span) {
    if (auto global = callee.as<GlobalVar>()) {
      auto* graph = mod_->lookup(view((*global)->name_hint)).as<FunctionNode>();
      if (graph) return apply(ref(graph), args, nullptr, view((*global)->name_hint));
    }
    auto* closure = callee.as<ClosureNode>();
    if (!closure) unsupported("a call of a value that is no function of a graph", span);
    std::vector<Any> all(args.begin(), args.end());
    all.insert(all.end(), closure->last.begin(), closure->last.end());
    return apply(closure->fn, all, closure->around, "a local function");
  }

  const ffi::Function& compiled(std::string_view name) {
    std::string key(name);
    auto found = compiled_.find(key);
    if (found == compiled_.end()) {
      ffi::Function made = tensor_functions_ ? tensor_functions_(mod_, name) : compile(mod_, name);
      found = compiled_.emplace(key, std::move(made)).first;
    }
    return found->second;
  }
  Any tensor_function(std::string_view name, const std::vector<Any>& args) {
    std::vector<ir::AnyView> views(args.begin(), args.end());
    Any result;
    compiled(name).CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
    return result == nullptr ? Any(Array<Any>{}) : result;
  }

  // What a packed function is given: tensor functions, alone and in tuples, as it can call them.
  Any callable(const Any& value) {
    if (auto global = value.as<GlobalVar>()) {
      std::string_view name = view((*global)->name_hint);
      return mod_->lookup(name).as<FunctionNode>() ? value : Any(compiled(name));
    }
    auto items = value.as<Array<Any>>();
    if (!items) return value;
    Array<Any> made;
    bool changed = false;
    for (const Any& item : *items) {
      made.push_back(callable(item));
      changed = changed || !made.back().same_as(item);
    }
    return changed ? Any(made) : value;
  }

  Any packed(std::string_view name, const std::vector<Any>& args, const CallNode* call) {
    if (auto result = builtin(name, args, call->span)) return *result;
    auto function = ffi::Function::GetGlobal(ir::String(std::string(name)));
    if (!function)
      unsupported(fmt::format("the packed function `{}`, which is not registered", name), call->span);
    std::vector<Any> given;
    for (const Any& arg : args) given.push_back(callable(arg));
    std::vector<ir::AnyView> views(given.begin(), given.end());
    Any result;
    function->CallPacked(views.data(), static_cast<int32_t>(views.size()), &result);
    return result;
  }

  // ---- functions of the virtual machine ----

  // Codes of vm.builtin.match_shape and vm.builtin.make_shape: what is done with one dimension.
  enum Match : int64_t { kEqualToImm = 0, kStore = 1, kNothing = 2, kEqualToHeap = 3 };
  enum Make : int64_t { kImm = 0, kLoad = 1 };

  std::optional<Any> builtin(std::string_view name, const std::vector<Any>& args, Span span) {
    constexpr std::string_view kPrefix = "vm.builtin.";
    if (name == "runtime.TVMTensorCreateView") {
      return view_of(args[0].cast<ffi::Tensor>(), args[3].cast<int64_t>(), shape_of(args[1], "a shape"),
                     DataType(args[2].cast<DLDataType>()));
    }
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    if (name == "reshape") return reshaped(args[0], args[1]);
    if (name == "shape_of") return shape_value(args[0]);
    if (name == "null_value") return Any(nullptr);
    if (name == "ensure_zero_offset" || name == "to_device" || name == "copy") return args[0];
    if (name == "tuple_getitem") return args[0].cast<Array<Any>>()[args[1].cast<int64_t>()];
    if (name == "alloc_shape_heap") return zeroed({args[0].cast<int64_t>()}, DataType::Int(64));
    if (name == "tensor_to_shape") {
      auto tensor = args[0].cast<ffi::Tensor>();
      auto* dims = static_cast<const int64_t*>(tensor.data_ptr());
      return ffi::Shape(dims, dims + tensor.numel());
    }
    if (name == "make_closure") {
      auto* graph = mod_->lookup(view(args[0].cast<GlobalVar>()->name_hint)).as<FunctionNode>();
      if (!graph) unsupported("a closure of what is no function of the module", span);
      return make<ClosureNode>(ref(graph), nullptr, Array<Any>(args.begin() + 1, args.end()));
    }
    if (name == "invoke_closure") return invoke(args[0], {args.begin() + 1, args.end()}, span);
    if (name == "check_tensor_info") return checked_tensor(args);
    if (name == "check_shape_info") {
      match_rank(args[1].cast<int64_t>(), shape_of(args[0], "a value").size(), "a shape");
      return Any(nullptr);
    }
    if (name == "check_tuple_info") {
      auto items = args[0].as<Array<Any>>();
      if (!items || static_cast<int64_t>(items->size()) != args[1].cast<int64_t>())
        throw refuse(refusals["graph-wrong-argument"], "a value",
                     fmt::format("tuple of {}", args[1].cast<int64_t>()), ir::type_name(args[0]));
      return Any(nullptr);
    }
    if (name == "check_prim_value_info" || name == "check_func_info") return Any(nullptr);
    if (name == "match_shape") {
      auto tensor = as_tensor(args[0]);
      std::vector<int64_t> dims = shape_of(tensor ? shape_value(args[0]) : args[0], "a value");
      match_rank(args[2].cast<int64_t>(), dims.size(), "a value");
      for (size_t i = 0; i < dims.size(); ++i)
        match_slot(dims[i], i, args[1], args[3 + 2 * i], args[4 + 2 * i]);
      return Any(nullptr);
    }
    if (name == "match_prim_value") {
      match_slot(args[0].cast<int64_t>(), 0, args[1], args[2], args[3]);
      return Any(nullptr);
    }
    if (name == "make_shape") {
      std::vector<int64_t> dims;
      for (size_t i = 2; i + 1 < args.size(); i += 2)
        dims.push_back(slot_value(args[0], args[i], args[i + 1]));
      return ffi::Shape(dims.begin(), dims.end());
    }
    if (name == "make_prim_value") return Any(slot_value(args[0], args[1], args[2]));
    return std::nullopt;
  }
  static Any checked_tensor(const std::vector<Any>& args) {
    auto tensor = as_tensor(args[0]);
    if (!tensor) throw refuse(refusals["graph-wrong-argument"], "a value", "tensor", ir::type_name(args[0]));
    match_rank(args[1].cast<int64_t>(), tensor->shape().size(), "a tensor");
    if (args.size() < 4 || args[2] == nullptr) return nullptr;  // a data type that is not known
    DataType wanted(args[2].cast<DLDataType>());
    if (!wanted.is_void() && !(wanted == DataType(tensor->dtype())))
      throw refuse(refusals["graph-shape-mismatch"], "a tensor", "its data type", wanted.str(),
                   DataType(tensor->dtype()).str());
    return nullptr;
  }
  static int64_t* heap_of(const Any& heap) {
    return static_cast<int64_t*>(heap.cast<ffi::Tensor>().data_ptr());
  }
  static void match_slot(int64_t extent, size_t i, const Any& heap, const Any& code, const Any& argument) {
    int64_t expected = argument.cast<int64_t>();
    switch (code.cast<int64_t>()) {
      case kStore:
        heap_of(heap)[expected] = extent;
        return;
      case kNothing:
        return;
      case kEqualToHeap:
        expected = heap_of(heap)[expected];
        [[fallthrough]];
      case kEqualToImm:
        if (extent != expected)
          throw refuse(refusals["graph-shape-mismatch"], "a value", fmt::format("dimension {}", i), expected,
                       extent);
    }
  }
  static int64_t slot_value(const Any& heap, const Any& code, const Any& argument) {
    int64_t value = argument.cast<int64_t>();
    return code.cast<int64_t>() == kLoad ? heap_of(heap)[value] : value;
  }

  // ---- operators ----

  ffi::Tensor allocate(const Type& type, const Scope& scope, Span span) {
    const auto* tensor = as_type<TensorTypeNode>(type);
    auto dims = tensor ? tensor->dims() : std::nullopt;
    if (!dims || !tensor->knows_dtype()) unsupported("a result of unknown size", span);
    return zeroed(integers(*dims, scope), tensor->data_type());
  }
  // Memory that is not written reads as zeros: of planned graphs that is no error of the graph.
  static ffi::Tensor zeroed(const std::vector<int64_t>& shape, DataType dtype) {
    ffi::Tensor made = ir::make_tensor(shape, dtype);
    std::memset(made.data_ptr(), 0, ffi::GetDataSize(made));
    return made;
  }
  static Any shape_value(const Any& tensor) {
    ffi::ShapeView shape = tensor.cast<ffi::Tensor>().shape();
    return ffi::Shape(shape.begin(), shape.end());
  }
  static Any reshaped(const Any& value, const Any& shape) {
    auto tensor = value.cast<ffi::Tensor>();
    auto dims = shape_of(shape, "a shape");
    int64_t wanted = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
    if (wanted != tensor.numel())
      throw refuse(refusals["graph-shape-mismatch"], "a tensor that is reshaped", "its number of elements",
                   wanted, tensor.numel());
    return view_of(tensor, 0, dims, DataType(tensor.dtype()));
  }
  static void flatten(const Any& value, std::vector<Any>& all) {
    if (auto items = value.as<Array<Any>>()) {
      for (const Any& item : *items) flatten(item, all);
    } else if (auto shape = value.as<ffi::Shape>()) {
      for (int64_t extent : *shape) all.emplace_back(extent);
    } else {
      all.push_back(value);
    }
  }

  // call_tir, call_tir_inplace, call_dps_packed: the results are the last arguments.
  Any destination_call(const CallNode* call, const std::shared_ptr<Scope>& scope,
                       const std::vector<int64_t>& inplace) {
    std::vector<Any> args;
    flatten(eval(call->args[1], scope), args);
    Array<Type> types = call->ty_args;
    bool several = types.size() != 1;
    if (!several) {
      if (const auto* tuple = as_type<TupleTypeNode>(types[0])) {
        types = tuple->elements;
        several = true;
      }
    }
    std::vector<Any> all = args;
    Array<Any> results;
    for (size_t i = 0; i < types.size(); ++i) {
      if (i < inplace.size() && inplace[i] >= 0) {
        results.push_back(args.at(static_cast<size_t>(inplace[i])));
        continue;
      }
      results.push_back(allocate(types[i], *scope, call->span));
      all.push_back(results.back());
    }
    for (size_t i = 2; i < call->args.size(); ++i) flatten(eval(call->args[i], scope), all);
    if (auto* global = as<GlobalVarNode>(call->args[0])) {
      tensor_function(view(global->name_hint), all);
    } else if (auto* external = as<ExternFuncNode>(call->args[0])) {
      packed(view(external->global_symbol), all, call);
    } else {
      unsupported("a destination that is no function of the module", call->span);
    }
    return several ? Any(results) : results[0];
  }

  Any operation(const Operator& row, const CallNode* call, const std::shared_ptr<Scope>& scope) {
    std::string_view name = row.short_name();
    auto arg = [&](size_t i) { return eval(call->args[i], scope); };
    if (name == "call_tir" || name == "call_dps_packed" || name == "call_tir_with_grad")
      return destination_call(call, scope, {});
    if (name == "call_tir_inplace") return destination_call(call, scope, ints_attr(call, "inplace_indices"));
    if (name == "call_pure_packed" || name == "call_inplace_packed") {
      std::vector<Any> args = evaluated(call->args, scope);
      Any callee = args[0];
      args.erase(args.begin());
      if (auto* external = callee.as<ExternFuncNode>())
        return packed(view(external->global_symbol), args, call);
      return invoke(callee, args, call->span);
    }
    if (name == "call_builtin_with_ctx") {
      auto* external = as<ExternFuncNode>(call->args[0]);
      if (!external) unsupported("a call with a context of what is no packed function", call->span);
      auto args = arg(1).cast<Array<Any>>();
      return packed(view(external->global_symbol), {args.begin(), args.end()}, call);
    }
    if (name == "vm.call_tir_dyn") {
      auto* global = as<GlobalVarNode>(call->args[0]);
      if (!global) unsupported("a destination that is no function of the module", call->span);
      std::vector<Any> args;
      flatten(arg(1), args);
      return tensor_function(view(global->name_hint), args);
    }
    if (name == "reshape") return reshaped(arg(0), arg(1));
    if (name == "shape_of") return shape_value(arg(0));
    if (name == "null_value") return nullptr;
    if (name == "make_closure") {
      auto* global = as<GlobalVarNode>(call->args[0]);
      auto* graph = global ? mod_->lookup(view(global->name_hint)).as<FunctionNode>() : nullptr;
      if (!graph) unsupported("a closure of what is no function of the module", call->span);
      return make<ClosureNode>(ref(graph), nullptr, arg(1).cast<Array<Any>>());
    }
    if (name == "invoke_closure" || name == "invoke_pure_closure") {
      auto args = arg(1).cast<Array<Any>>();
      return invoke(arg(0), std::vector<Any>(args.begin(), args.end()), call->span);
    }
    if (name == "builtin.alloc_tensor" || name == "memory.alloc_tensor" || name == "vm.alloc_tensor")
      return allocation(name, call, scope);
    if (name == "memory.alloc_storage" || name == "vm.alloc_storage")
      return zeroed({shape_of(arg(0), "the size of a storage").at(0)}, DataType::UInt(8));
    if (name == "memory.kill_tensor" || name == "memory.kill_storage" || name == "vm.kill_object")
      return Array<Any>{};
    for (std::string_view same :
         {"to_vdevice", "hint_on_device", "wrap_param", "builtin.stop_lift_params",
          "memory.ensure_zero_offset", "grad.no_grad", "grad.start_checkpoint", "grad.end_checkpoint"}) {
      if (name == same) return arg(0);
    }
    if (name == "assert_op") {
      if (!truth(arg(0)))
        throw refuse(refusals["graph-assertion-failed"], "an assertion of the graph failed").at(call->span);
      return Array<Any>{};
    }
    unsupported(fmt::format("the operator `{}`, which has no legalisation", name), call->span);
  }

  // A tensor in new memory, or in a storage.
  Any allocation(std::string_view name, const CallNode* call, const std::shared_ptr<Scope>& scope) {
    size_t at = name == "builtin.alloc_tensor" ? 0 : 2;
    std::vector<int64_t> shape = shape_of(eval(call->args[at], scope), "a shape");
    auto dtype = eval(call->args[at + 1], scope).cast<DLDataType>();
    if (at == 0) return zeroed(shape, DataType(dtype));
    auto storage = eval(call->args[0], scope).cast<ffi::Tensor>();
    int64_t offset = eval(call->args[1], scope).cast<int64_t>();
    int64_t bytes = (static_cast<int64_t>(dtype.bits) * dtype.lanes + 7) / 8;
    for (int64_t extent : shape) bytes *= extent;
    int64_t room = storage.shape()[0];
    if (offset + bytes > room)
      throw refuse(refusals["graph-shape-mismatch"], "a tensor in a storage", "its size",
                   fmt::format("at most {} bytes", room), fmt::format("{} from byte {}", bytes, offset))
          .at(call->span);
    return view_of(storage, offset, shape, DataType(dtype));
  }

  static constexpr size_t kDeepest = 200;
  ir::IRModule mod_;
  ir::Host& host_;
  TensorFunctions tensor_functions_;
  std::map<std::string, ffi::Function> compiled_;
  size_t depth_ = 0;
};

}  // namespace

std::optional<ffi::Tensor> as_tensor(const Any& value) {
  if (value == nullptr) return std::nullopt;
  return value.as<ffi::Tensor>();
}

ir::IRModule legalized(const ir::IRModule& mod, ir::Host& host) {
  Any argument(mod);
  return host.call_library("tvm.relax", "_legalized", {&argument, 1}).cast<ir::IRModule>();
}

ffi::Function compile_graph(const ir::IRModule& mod, std::string_view function, ir::Host& host,
                            const TensorFunctions& tensor_functions) {
  auto machine = std::make_shared<Machine>(legalized(mod, host), host, tensor_functions);
  return ffi::Function::FromPacked(
      [machine, name = std::string(function)](const ir::AnyView* args, int32_t count, Any* result) {
        std::vector<Any> owned(args, args + count);
        *result = machine->call(name, owned);
      });
}

}  // namespace mlc::interp
