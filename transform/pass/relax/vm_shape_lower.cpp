// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "transform/graph/calls.h"
#include "transform/graph/shape_heap.h"

namespace mlc::transform::pass_vm_shape_lower {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "local-function-left",
         .kind = "InternalError",
         .message = "`{}` holds a local function, whose shapes cannot be lowered",
         .help = "run `relax.transform.LambdaLift()` before"},
        {.name = "shape-variable-left",
         .message = "`{}`: a shape that is a variable as a whole cannot be checked",
         .help = "write its dimensions"},
        {.name = "dimension-not-computed",
         .kind = "InternalError",
         .message = "`{}`: nothing gives a value to the variables of the dimension `{}`",
         .help = "a parameter or `R.match_cast` with a dimension that is a variable alone defines it"},
        {.name = "tuple-sizes-differ",
         .kind = "TypeError",
         .message = "a tuple of {} elements is cast to one of {}"},
    }};
MLC_REFUSALS(relax_vm_shape_lower, refusals);

namespace {

constexpr char doc[] =
    R"(VMShapeLower(*, emit_err_ctx=True): compute symbolic shapes in a heap, and check what a function is given.

    def main(x: R.Tensor((n,), ...)):       shape_heap = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (2,))
        ...                                 R.call_packed("vm.builtin.check_tensor_info", x, 1, R.dtype("float32"), ...)
                                    =>      R.call_packed("vm.builtin.match_shape", x, shape_heap, 1, 1, 0, ...)
        R.shape([n * 4])                    cls.shape_func(shape_heap)          # H[1] = H[0] * 4
                                            R.call_packed("vm.builtin.make_shape", shape_heap, 1, 1, 1)
needs: no dataflow blocks and no local functions (ToNonDataflow, LambdaLift).
keeps: values. Parameters from `num_input` on are checked where their shapes are symbolic only.
Last but for AttachGlobalSymbol: after it dimensions are no longer expressions.)";

// What vm.builtin.match_shape does with one dimension, and vm.builtin.make_shape.
enum Match : int64_t { kEqualToImm = 0, kStore = 1, kNothing = 2, kEqualToHeap = 3 };
enum MakeShape : int64_t { kImm = 0, kLoad = 1 };

struct Pattern {
  Expr value;
  Array<Expr> dims;
  std::string context;
};

class LowerShapes final : public Mutator {
 public:
  LowerShapes(Host& host, const IRModule& mod, bool contexts)
      : Mutator(host, mod), host_(host), contexts_(contexts) {}

  IRModule module() const { return builder_->module(); }

  void run(const GlobalVar& name, const Function& fn) {
    ShapeHeap heap(fn);
    heap_ = &heap;
    name_ = text(name->name_hint);
    mapped_.clear();
    heap_var_ = make<VarNode>("shape_heap", heap_type());
    Array<BindingBlock> blocks;
    builder_->begin_scope(fn->params);
    builder_->begin_binding_block();
    allocate_heap();
    check_parameters(fn);
    blocks.push_back(builder_->end_block());
    SeqExpr body = rewrite_body(fn->body);
    for (const BindingBlock& block : body->blocks) blocks.push_back(block);
    builder_->begin_binding_block();
    std::vector<Pattern> left;
    check(fn->ret_ty, body->body, false, false,
          fmt::format("ErrorContext(fn={}, loc=return, annotation={}) ", name_, type_text(fn->ret_ty)), left);
    match(left, true);
    blocks.push_back(builder_->end_block());
    builder_->end_scope();
    Expr next = builder_->normalize(make<FunctionNode>(fn->params, make<SeqExprNode>(blocks, body->body),
                                                       fn->ret_ty, fn->is_pure, fn->attrs, fn->span));
    builder_->update_function(name, ref(static_cast<const FunctionNode*>(next.get())));
  }

 private:
  Type heap_type() const {
    return heap_->size() == 0 ? any_type() : Type(make<TensorTypeNode>(DataType::Int(64), int64_t{1}));
  }
  ir::Error not_computed(const Expr& extent) {
    return refuse(refusals["dimension-not-computed"], name_, host_.str(extent)).at(extent->span);
  }
  void emit_check(std::string_view function, Array<Expr> args) {
    builder_->emit(call_packed(function, std::move(args), {Type(void_type())}, checked_at_), "_");
  }
  Expr context(const std::string& words) const { return string_imm(contexts_ ? words : std::string()); }

  void allocate_heap() {
    Expr value =
        heap_->size() == 0
            ? Expr(make_call("relax.null_value", {}))
            : Expr(make_call("relax.call_builtin_with_ctx",
                             {Expr(make<ExternFuncNode>(String("vm.builtin.alloc_shape_heap"))),
                              Expr(make<TupleNode>(Array<Expr>{dim(static_cast<int64_t>(heap_->size()))}))},
                             {}, {heap_type()}));
    builder_->emit_normalized(make<VarBindingNode>(heap_var_, builder_->normalize(value)));
  }

  void check_parameters(const Function& fn) {
    size_t inputs = fn->params.size();
    if (auto given = ir::attr(fn, "num_input")) inputs = static_cast<size_t>(integer_of(*given).value_or(0));
    std::vector<Pattern> left;
    for (size_t i = 0; i < fn->params.size(); ++i) {
      const Var& param = fn->params[i];
      check(param->ty, param, true, i >= inputs,
            fmt::format("ErrorContext(fn={}, loc=param[{}], param={}, annotation={}) ", name_, i,
                        text(param->name), type_text(param->ty)),
            left);
    }
    match_all(left);
  }

  // Symbolic variables first, then what is computed of them, then checks of that.
  void match_all(const std::vector<Pattern>& patterns) {
    std::vector<Pattern> left = match(patterns, false);
    compute();
    match(left, true);
  }

  std::vector<Pattern> match(const std::vector<Pattern>& patterns, bool all_known) {
    std::vector<Pattern> left;
    for (const Pattern& pattern : patterns) {
      bool primitive = is_prim(pattern.value);
      Array<Expr> args{pattern.value, heap_var_};
      if (!primitive) args.push_back(dim(static_cast<int64_t>(pattern.dims.size())));
      bool nothing = true;
      bool waits = false;
      for (const Expr& extent : pattern.dims) {
        auto [code, argument] = match_argument(extent, all_known);
        nothing = nothing && code == kNothing;
        waits = waits || code == kNothing;
        args.push_back(dim(code));
        args.push_back(dim(argument));
      }
      if (waits) left.push_back(pattern);
      args.push_back(context(pattern.context));
      if (!nothing) emit_check(primitive ? "vm.builtin.match_prim_value" : "vm.builtin.match_shape", args);
    }
    return left;
  }

  std::pair<Match, int64_t> match_argument(const Expr& extent, bool all_known) {
    if (auto constant = const_int(extent)) return {kEqualToImm, *constant};
    size_t slot = heap_->index_of(extent);
    if ((*heap_)[slot].computed) return {kEqualToHeap, static_cast<int64_t>(slot)};
    if (all_known) throw not_computed(extent);
    if (extent->kind != ExprKind::kVar) return {kNothing, 0};
    heap_->define(slot);
    return {kStore, static_cast<int64_t>(slot)};
  }

  // A tensor function that computes, from the variables in the heap, all that can be.
  void compute() {
    std::vector<size_t> ready = heap_->take_ready();
    if (ready.empty()) return;
    BufferType type =
        make<BufferTypeNode>(DataType::Int(64), "global",
                             Array<Expr>{dim(static_cast<int64_t>(heap_->size()))}, Array<Expr>{}, dim(0));
    Buffer heap = make<VarNode>("H", type);
    ir::VarMap loads;
    for (size_t i = 0; i < heap_->size(); ++i) {
      if (auto* var = as<VarNode>((*heap_)[i].expr))
        loads[var] = make<TensorLoadNode>(heap, Array<Expr>{dim(static_cast<int64_t>(i))});
    }
    Array<Stmt> stores;
    for (size_t slot : ready) {
      stores.push_back(make<BufferStoreNode>(heap, ir::substitute((*heap_)[slot].expr, loads),
                                             Array<Expr>{dim(static_cast<int64_t>(slot))}));
    }
    Map<String, Any> attrs{{"s_tir", true}, {"tirx.is_host_func", true}};
    PrimFunc fn = make<PrimFuncNode>(Array<Var>{heap}, Type(void_type()), seq(stores), attrs);
    GlobalVar name = builder_->add_function(fn, "shape_func");
    builder_->emit(make<CallNode>(Type(nullptr), Expr(name), Array<Expr>{heap_var_}), "_");
  }

  // ---- checks of values against types ----

  void check(const Type& type, const Expr& value, bool always, bool symbolic_only, const std::string& words,
             std::vector<Pattern>& patterns) {
    auto fits_already = [&](const Type& wanted) {
      return !always && fits(wanted, value->ty, builder_->context()) == Fit::kAlways;
    };
    if (fits_already(type)) return;
    switch (type->kind) {
      case TypeKind::kTensor: {
        const auto* tensor = as_type<TensorTypeNode>(type);
        auto* shape = as<ShapeExprNode>(tensor->shape);
        if (tensor->shape && !shape) throw refuse(refusals["shape-variable-left"], name_).at(value->span);
        if (symbolic_only && shape && is_constant(shape->values)) return;
        if (!fits_already(make<TensorTypeNode>(tensor->data_type(), tensor->ndim))) {
          emit_check("vm.builtin.check_tensor_info",
                     {value, dim(tensor->ndim),
                      tensor->knows_dtype() ? dtype_const(tensor->data_type())
                                            : Expr(make_call("relax.null_value", {})),
                      context(words)});
        }
        if (shape) patterns.push_back({value, shape->values, words});
        return;
      }
      case TypeKind::kShape: {
        const auto* shape = as_type<ShapeTypeNode>(type);
        if (!fits_already(make<ShapeTypeNode>(shape->ndim)))
          emit_check("vm.builtin.check_shape_info", {value, dim(shape->ndim), context(words)});
        if (shape->values.has_value()) patterns.push_back({value, shape->values.value(), words});
        return;
      }
      case TypeKind::kPrim:
        emit_check("vm.builtin.check_prim_value_info",
                   {value, dtype_const(DataType(static_cast<const PrimTypeNode*>(type.get())->dtype)),
                    context(words)});
        if (as<VarNode>(value) && heap_->holds(value)) patterns.push_back({value, {value}, words});
        return;
      case TypeKind::kTuple: {
        const auto& fields = as_type<TupleTypeNode>(type)->elements;
        const auto* given = type_as<TupleTypeNode>(value);
        if (given && given->elements.size() != fields.size()) {
          throw refuse(refusals["tuple-sizes-differ"], given->elements.size(), fields.size()).at(value->span);
        }
        if (always || !given) {
          emit_check("vm.builtin.check_tuple_info",
                     {value, dim(static_cast<int64_t>(fields.size())), context(words)});
        }
        for (size_t i = 0; i < fields.size(); ++i) {
          if (fields[i]->kind == TypeKind::kAny) continue;
          // Taken where it is checked, so that what needs no check is not taken.
          check(fields[i], element(value, static_cast<int64_t>(i)), always, symbolic_only, words, patterns);
        }
        return;
      }
      case TypeKind::kFunction:
        if (always || value->ty->kind != TypeKind::kFunction)
          emit_check("vm.builtin.check_func_info", {value, context(words)});
        return;
      default:
        return;
    }
  }

  static bool is_constant(const Array<Expr>& dims) {
    return std::all_of(dims.begin(), dims.end(), [](const Expr& e) { return const_int(e).has_value(); });
  }
  // As the text of a program has it.
  std::string type_text(const Type& type) {
    const auto* number = as_type<ir::PrimTypeNode>(type);
    return number != nullptr ? fmt::format("T.{}", DataType(number->dtype).str()) : host_.str(type);
  }
  Expr element(const Expr& tuple, int64_t index) {
    if (auto* known = as<TupleNode>(tuple)) return known->elements[static_cast<size_t>(index)];
    if (type_as<TupleTypeNode>(tuple)) return make<TupleGetItemNode>(tuple, index);
    return builder_->normalize(call_packed("vm.builtin.tuple_getitem", {tuple, dim(index)}, {any_type()}));
  }

  // ---- values ----

  Expr rewrite(const Expr& e) override {
    if (as<FunctionNode>(e)) throw refuse(refusals["local-function-left"], name_).at(e->span);
    if (auto* shape = as<ShapeExprNode>(e)) {
      if (is_constant(shape->values)) return e;
      Array<Expr> args{heap_var_, dim(static_cast<int64_t>(shape->values.size()))};
      for (const Expr& value : shape->values) add_argument(value, args);
      return call_packed("vm.builtin.make_shape", args,
                         {Type(make<ShapeTypeNode>(static_cast<int64_t>(shape->values.size())))}, e->span);
    }
    auto* call = as<CallNode>(e);
    bool primitive = is_prim(e) && !is_graph_kind(e->kind) && e->kind != ExprKind::kTupleGetItem &&
                     !(call && (call->op->kind != ExprKind::kOp || operator_of(call->op)));
    if (e->kind == ExprKind::kVar && !heap_->holds(e)) return rewrite_children(e);
    if (primitive && e->kind != ExprKind::kIntImm && e->kind != ExprKind::kFloatImm) {
      Array<Expr> args{heap_var_};
      add_argument(e, args);
      return call_packed("vm.builtin.make_prim_value", args, {e->ty}, e->span);
    }
    return rewrite_children(e);
  }
  void add_argument(const Expr& value, Array<Expr>& args) {
    if (auto constant = const_int(value)) {
      args.push_back(dim(kImm));
      args.push_back(dim(*constant));
      return;
    }
    size_t slot = heap_->index_of(value);
    if (!(*heap_)[slot].computed) throw not_computed(value);
    args.push_back(dim(kLoad));
    args.push_back(dim(static_cast<int64_t>(slot)));
  }

  void rewrite_binding(const Binding& binding) override {
    std::string words;
    if (const MatchCastNode* cast = as_match_cast(binding)) {
      words = fmt::format("ErrorContext(match_cast, ty={}) ", type_text(cast->ty));
      Expr value = builder_->normalize_operand(rewrite(binding->value));
      std::vector<Pattern> patterns;
      checked_at_ = binding->var->span ? binding->var->span : binding->span;
      check(cast->ty, value, false, false, words, patterns);
      match_all(patterns);
      checked_at_ = {};
    }
    Mutator::rewrite_binding(binding);
    // A number that is used goes through the heap, as what is computed of it does.
    if (heap_->holds(binding->var)) match_all({{binding->var, {binding->var}, words}});
  }

  Host& host_;
  bool contexts_;
  ShapeHeap* heap_ = nullptr;
  Var heap_var_;
  std::string name_;
  Span checked_at_;  // the match_cast that is checked; parameters are blamed on their caller
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  LowerShapes lower(*options.host, mod, options.flag(0));
  for (const auto& [name, fn] : mod->functions) {
    if (auto* graph = Any(fn).as<FunctionNode>()) lower.run(name, ref(graph));
  }
  return lower.module();
}

}  // namespace

extern const Pass vm_shape_lower =
    graph_module_pass("VMShapeLower", "VMShapeLower(*, emit_err_ctx=True)", doc, apply);

}  // namespace mlc::transform::pass_vm_shape_lower
