// SPDX-License-Identifier: Apache-2.0
#include "transform/graph/fused_function.h"

#include <algorithm>

#include "ir/tir/specialize.h"
#include "transform/graph/calls.h"
#include "transform/pass/fresh_binders.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "not-fusible",
         .message = "`{}` cannot become one tensor function: {}",
         .help =
             "functions with the attribute `Primitive` hold calls of tensor functions of the module only"},
    }};
MLC_REFUSALS(graph_fused_function, refusals);

namespace {

// What a value of the group is: a buffer or a scalar, or the elements of a tuple or shape.
struct Parts {
  Expr one;
  std::vector<Parts> elements;

  void flatten(std::vector<Expr>& all) const {
    if (one) all.push_back(one);
    for (const Parts& element : elements) element.flatten(all);
  }
};

// Names of blocks are unique in the fused function: `T_add`, `T_add1`.
struct UniqueBlockNames final : ir::Rewriter {
  std::unordered_map<std::string, int> used;

  using ir::Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    auto* block = as<SBlockNode>(s);
    if (!block) return rewrite_children(s);
    std::string name = unique(std::string(text(block->name_hint)));
    Stmt next = rewrite_children(s);
    if (name == text(block->name_hint)) return next;
    return with(ref(as<SBlockNode>(next)), [&](SBlockNode& n) { n.name_hint = String(name); });
  }
  std::string unique(const std::string& hint) {
    if (used.emplace(hint, 0).second) return hint;
    size_t letters = hint.find_last_not_of("0123456789");
    std::string base = letters == hint.npos ? hint : hint.substr(0, letters + 1);
    std::string name = base;
    while (!used.emplace(name, 0).second) name = base + std::to_string(++used[base]);
    return name;
  }
};

// Two parameters may have become one buffer, which a block then reads in one region, not in two that are the
// same.
struct EachRegionOnce final : ir::Rewriter {
  using ir::Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    Stmt next = rewrite_children(s);
    auto* block = as<SBlockNode>(next);
    if (!block) return next;
    Array<TensorRegion> reads;
    for (const TensorRegion& region : block->reads) {
      bool known = std::any_of(reads.begin(), reads.end(), [&](const TensorRegion& each) {
        return each->source.same_as(region->source) && structural_equal(each, region);
      });
      if (!known) reads.push_back(region);
    }
    if (reads.size() == block->reads.size()) return next;
    return with(ref(block), [&](SBlockNode& n) { n.reads = reads; });
  }
};

class Fuse {
 public:
  Fuse(const Function& group, std::string_view name, const IRModule& mod)
      : group_(group), name_(name), mod_(mod) {}

  FusedFunction run() {
    for (const Var& param : group_->params) {
      Parts& parts = values_[param.get()];
      if (is_prim(param)) {
        parts.one = add_param(param);  // itself: types name it
      } else {
        parts = parameter(param->ty, std::string(text(param->name)));
      }
    }
    for (const BindingBlock& block : group_->body->blocks) {
      for (const Binding& binding : block->bindings) {
        if (as_match_cast(binding)) refuse_group("it casts a value", binding->value->span);
        values_[binding->var.get()] = bound(binding->value);
      }
    }
    FusedFunction fused;
    std::vector<Expr> results;
    value(group_->body->body).flatten(results);
    for (const Expr& result : results) {
      auto* buffer = as<VarNode>(result);
      if (!buffer || !buffer->buffer()) refuse_group("a result is no tensor", group_->span);
      auto input =
          std::find_if(params_.begin(), params_.end(), [&](const Var& each) { return each.get() == buffer; });
      if (input != params_.end()) {
        fused.overwritten.push_back(input - params_.begin());
        continue;
      }
      fused.overwritten.push_back(-1);
      auto made = std::find_if(allocated_.begin(), allocated_.end(),
                               [&](const Buffer& each) { return each.get() == buffer; });
      MLC_CHECK(made != allocated_.end(), "a result that was never computed");
      allocated_.erase(made);
      outputs_.push_back(ref(buffer));
    }
    Array<Var> params(params_.begin(), params_.end());
    for (const Buffer& output : outputs_) params.push_back(output);
    UniqueBlockNames names;
    names.used.emplace("root", 0);
    Array<Stmt> bodies;
    for (const Stmt& body : bodies_) bodies.push_back(names.rewrite(body));
    Stmt body = root(seq(bodies));
    Map<String, Any> attrs{{"tirx.noalias", true}, {"s_tir", true}};  // those of the group spoke of a graph
    fused.fn = make<PrimFuncNode>(params, Type(void_type()), body, attrs);
    return fused;
  }

 private:
  [[noreturn]] void refuse_group(std::string_view why, Span span) const {
    throw refuse(refusals["not-fusible"], name_, why).at(span);
  }

  Parts parameter(const Type& type, const std::string& name) {
    Parts parts;
    if (const auto* tensor = as_type<TensorTypeNode>(type)) {
      auto dims = tensor->dims();
      if (!dims || !tensor->knows_dtype())
        refuse_group(fmt::format("the shape of `{}` is not known", name), group_->span);
      parts.one = add_param(buffer_of(name, tensor->data_type(), *dims));
    } else if (const auto* tuple = as_type<TupleTypeNode>(type)) {
      for (size_t i = 0; i < tuple->elements.size(); ++i)
        parts.elements.push_back(parameter(tuple->elements[i], fmt::format("{}_{}", name, i)));
    } else if (const auto* shape = as_type<ShapeTypeNode>(type); shape && shape->values.has_value()) {
      for (const Expr& extent : shape->values.value()) {
        auto* var = as<VarNode>(extent);
        if (!var) refuse_group("a dimension that is passed is no variable", group_->span);
        Parts dimension;
        dimension.one = add_param(ref(var));
        parts.elements.push_back(dimension);
      }
    } else if (type->kind == TypeKind::kPrim) {
      parts.one = add_param(make<VarNode>(String(name), type));
    } else {
      refuse_group(fmt::format("`{}` is a {}", name, kind_name(type)), group_->span);
    }
    return parts;
  }
  Var add_param(Var var) {
    params_.push_back(var);
    return var;
  }
  static Buffer buffer_of(const std::string& name, DataType dtype, const Array<Expr>& dims) {
    DataType index = dims.empty() ? DataType::Int(64) : dims[0]->dtype();
    BufferType type = make<BufferTypeNode>(dtype, "global", dims, Array<Expr>{}, Expr(int_imm(index, 0)));
    return make<VarNode>(String(name), type);
  }

  Parts value(const Expr& e) {
    if (auto* var = as<VarNode>(e)) {
      auto found = values_.find(var);
      if (found != values_.end()) return found->second;
    }
    Parts parts;
    if (auto* tuple = as<TupleNode>(e)) {
      for (const Expr& field : tuple->elements) parts.elements.push_back(value(field));
    } else if (auto* item = as<TupleGetItemNode>(e)) {
      return value(item->tuple_value).elements.at(static_cast<size_t>(item->index));
    } else if (auto* shape = as<ShapeExprNode>(e)) {
      for (const Expr& extent : shape->values) parts.elements.push_back(Parts{extent, {}});
    } else if (is_prim(e)) {
      parts.one = e;
    } else {
      refuse_group(fmt::format("it uses a {}", kind_name(e->ty)), e->span);
    }
    return parts;
  }

  Parts bound(const Expr& e) {
    static const Expr call_tir = relax::op("relax.call_tir");
    static const Expr call_tir_inplace = relax::op("relax.call_tir_inplace");
    auto* call = as<CallNode>(e);
    if (!call) return value(e);
    if (call->op.same_as(call_tir)) return inlined(call, {});
    if (call->op.same_as(call_tir_inplace)) return inlined(call, ints_attr(call, "inplace_indices"));
    refuse_group("it calls something else", e->span);
  }

  Parts inlined(const CallNode* call, const std::vector<int64_t>& inplace) {
    auto* global = as<GlobalVarNode>(call->args[0]);
    BaseFunc named = global ? relax::function_of(mod_, global) : BaseFunc(nullptr);
    auto found = named ? Any(named).as<PrimFunc>() : std::nullopt;
    if (!found) refuse_group("it calls what is no tensor function", call->span);
    std::vector<Expr> args;
    for (const Expr& arg : tuple_elements(call->args[1])) value(arg).flatten(args);
    for (size_t i = 2; i < call->args.size(); ++i) value(call->args[i]).flatten(args);
    const PrimFunc& callee = *found;
    std::vector<std::pair<Var, Any>> given;
    for (size_t i = 0; i < args.size(); ++i) {
      if (i >= callee->params.size()) refuse_group("a call has more arguments than its function", call->span);
      given.emplace_back(callee->params[i], Any(args[i]));
    }
    add_result_sizes(call, callee, inplace, given);
    PrimFunc body = specialize(callee, given, call->span);
    // Variables that are bound in the body are new: it may be here twice.
    FreshBinders fresh;
    Stmt copy = fresh.rewrite(body->body);
    auto* realize = as<SBlockRealizeNode>(copy);
    bool has_root = realize && realize->iter_values.empty() && realize->block->iter_vars.empty();
    if (has_root) {
      for (const Buffer& buffer : realize->block->alloc_buffers) allocated_.push_back(buffer);
      copy = realize->block->body;
    }
    // Scalars are gone from the parameters; buffers of arguments are those of the group.
    std::unordered_map<const VarNode*, Buffer> buffers;
    size_t next = 0;
    for (size_t i = 0; i < args.size(); ++i) {
      if (callee->params[i]->buffer()) buffers[body->params[next++].get()] = ref(as<VarNode>(args[i]));
    }
    std::vector<Parts> results;
    size_t count = inplace.empty() ? body->params.size() - next : inplace.size();
    for (size_t i = 0; i < count; ++i) {
      if (i < inplace.size() && inplace[i] >= 0) {
        results.push_back(Parts{args.at(static_cast<size_t>(inplace[i])), {}});
        continue;
      }
      const Var& param = body->params[next++];
      Buffer output =
          make<VarNode>(String(intermediate_name(text(param->name))), type_of_result(call, i, param));
      buffers[param.get()] = output;
      allocated_.push_back(output);
      results.push_back(Parts{output, {}});
    }
    bodies_.push_back(EachRegionOnce().rewrite(replace_buffers(copy, buffers)));
    if (results.size() == 1 && !type_is_tuple(call)) return results[0];
    return Parts{nullptr, results};
  }
  // The type of the buffer of result i, in the sizes of the call's type: the graph's, 64 bits wide.
  static Type type_of_result(const CallNode* call, size_t i, const Var& param) {
    Array<Type> types = call->ty_args;
    if (const auto* tuple = types.empty() ? nullptr : as_type<TupleTypeNode>(types[0]))
      types = tuple->elements;
    const auto* own = param->buffer();
    const auto* type = i < types.size() ? as_type<TensorTypeNode>(types[i]) : nullptr;
    auto dims = type != nullptr ? type->dims() : std::nullopt;
    if (own == nullptr || !dims || own->shape.size() != dims->size()) return param->ty;
    return with(ref(own), [&](BufferTypeNode& n) { n.shape = *dims; });
  }
  // Sizes that no argument says, of a function that fills its result, are those of the call's type.
  static void add_result_sizes(const CallNode* call, const PrimFunc& callee,
                               const std::vector<int64_t>& inplace, std::vector<std::pair<Var, Any>>& given) {
    std::unordered_set<const VarNode*> said;
    for (const auto& [param, value] : given) {
      said.insert(param.get());
      if (!param->buffer()) continue;
      for (const Expr& extent : param->buffer()->shape) said.insert(as<VarNode>(extent));
    }
    Array<Type> types = call->ty_args;
    if (const auto* tuple = types.empty() ? nullptr : as_type<TupleTypeNode>(types[0]))
      types = tuple->elements;
    size_t next = given.size();
    for (size_t i = 0; i < types.size() && next < callee->params.size(); ++i) {
      if (i < inplace.size() && inplace[i] >= 0) continue;
      const Var& param = callee->params[next++];
      const auto* type = as_type<TensorTypeNode>(types[i]);
      auto dims = type ? type->dims() : std::nullopt;
      const auto* own = param->buffer();
      if (!dims || !own || own->shape.size() != dims->size()) continue;
      Array<Expr> shape;
      for (size_t j = 0; j < dims->size(); ++j) {
        auto* var = as<VarNode>(own->shape[j]);
        shape.push_back(var && said.count(var) == 0 ? (*dims)[j] : own->shape[j]);
      }
      BufferType result = with(ref(own), [&](BufferTypeNode& n) { n.shape = shape; });
      given.emplace_back(param, Any(Buffer(make<VarNode>(param->name, result))));
    }
  }
  // A third `C` is `C_intermediate_1_2`, as TVM names it.
  std::string intermediate_name(std::string_view result) {
    std::string name = fmt::format("{}_intermediate", result);
    for (int i = 1; !names_.insert(name).second; ++i) name += fmt::format("_{}", i);
    return name;
  }
  static bool type_is_tuple(const CallNode* call) { return as_type<TupleTypeNode>(call->ty) != nullptr; }

  Stmt root(const Stmt& body) const {
    SBlock block =
        make<SBlockNode>(Array<IterVar>{}, Array<TensorRegion>{}, Array<TensorRegion>{}, String("root"), body,
                         Stmt(nullptr), Array<Buffer>(allocated_.begin(), allocated_.end()));
    return make<SBlockRealizeNode>(Array<Expr>{}, bool_imm(true), block);
  }

  const Function& group_;
  std::string name_;
  IRModule mod_;
  std::unordered_map<const VarNode*, Parts> values_;
  std::vector<Var> params_;
  std::vector<Buffer> outputs_, allocated_;
  std::vector<Stmt> bodies_;
  std::unordered_set<std::string> names_;
};

}  // namespace

bool FusedFunction::overwrites() const {
  return std::any_of(overwritten.begin(), overwritten.end(), [](int64_t index) { return index >= 0; });
}

FusedFunction fuse_tensor_functions(const Function& group, std::string_view name, const IRModule& mod) {
  return Fuse(group, name, mod).run();
}

}  // namespace mlc::transform
