// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/graph/calls.h"
#include "transform/graph/dead_code.h"

namespace mlc::transform::pass_split_layout_rewrite_preproc {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "layout-rewrite-mixed",
         .message = "block `{}` stands in a loop nest with blocks that {} rewrites of layouts",
         .help = "each loop nest below the root block rewrites layouts "
                 "(`meta_schedule.layout_rewrite_preproc`), or "
                 "none of it does"},
        {.name = "layout-rewrite-not-of-a-parameter",
         .message = "block `{}` rewrites the layout of what is no parameter of the function"},
        {.name = "layout-rewrite-of-unknown-size",
         .message = "block `{}` rewrites a weight into a buffer whose shape is not known"},
        {.name = "nothing-but-layout-rewrites", .message = "function `{}` does nothing but rewrite layouts"},
    }};
MLC_REFUSALS(relax_split_layout_rewrite_preproc, refusals);

namespace {

constexpr char doc[] =
    R"(SplitLayoutRewritePreproc(): rewrite layouts of weights in functions of their own.

    a = R.call_tir(cls.mul, (x, w), ...)    =>    lv = R.call_tir(cls.mul_weight_prepack, (w,), ...)
                                                  a = R.call_tir(cls.mul_prepacked, (x, lv), ...)
needs: blocks with the annotation `meta_schedule.layout_rewrite_preproc`, each in a loop nest of its own below the root
block, each from a parameter into a buffer of known shape.
keeps: functions without such blocks. What nothing uses is taken out.
After schedules that rewrite layouts; LiftTransformParams then runs the new functions once.)";

constexpr std::string_view kAnnotation = "meta_schedule.layout_rewrite_preproc";

struct Rewritten {
  size_t param;
  Buffer before, after;
};
struct Parts {
  PrimFunc prepack, compute;
  std::vector<Rewritten> weights;  // by parameter
};

bool is_rewrite(const SBlockNode* block) {
  auto found = block->annotations.find(String(std::string(kAnnotation)));
  return found != block->annotations.end() && integer_of((*found).second) == 1;
}

class Split {
 public:
  explicit Split(const PrimFunc& fn) : fn_(fn) {}

  // nullopt: the function rewrites nothing.
  std::optional<Parts> run(std::string_view name) {
    auto* root = as<SBlockRealizeNode>(fn_->body);
    if (!root) return std::nullopt;
    Array<Stmt> nests, prepack, compute;
    if (auto* many = as<SeqStmtNode>(root->block->body)) {
      nests = many->seq;
    } else {
      nests.push_back(root->block->body);
    }
    for (const Stmt& nest : nests) {
      rewrites_.reset();
      Stmt next = visit(nest);
      (rewrites_.value_or(false) ? prepack : compute).push_back(next);
    }
    if (prepack.empty()) return std::nullopt;
    if (compute.empty()) throw ir::refuse(refusals["nothing-but-layout-rewrites"], name).at(fn_->span);
    std::sort(weights_.begin(), weights_.end(),
              [](const Rewritten& a, const Rewritten& b) { return a.param < b.param; });
    Array<Var> packed, params = fn_->params;
    std::unordered_set<const VarNode*> given;
    for (const Rewritten& weight : weights_) packed.push_back(weight.before);
    for (const Rewritten& weight : weights_) {
      packed.push_back(weight.after);
      params.Set(static_cast<int64_t>(weight.param), weight.after);
      given.insert(weight.after.get());
    }
    Array<Buffer> allocated;
    for (const Buffer& buffer : root->block->alloc_buffers) {
      if (given.count(buffer.get()) == 0) allocated.push_back(buffer);
    }
    return Parts{function(packed, root, prepack, {}, "_weight_prepack"),
                 function(params, root, compute, allocated, "_prepacked"), weights_};
  }

 private:
  Stmt visit(const Stmt& nest) {
    return rewrite_with(nest, [&](const Stmt& s, ir::Rewriter& on) -> Stmt {
      Stmt next = on.rewrite_children(s);
      auto* block = as<SBlockNode>(next);
      return block ? Stmt(visit_block(block)) : next;
    });
  }

  SBlock visit_block(const SBlockNode* block) {
    bool rewrites = is_rewrite(block);
    if (rewrites_.value_or(rewrites) != rewrites) {
      throw ir::refuse(refusals["layout-rewrite-mixed"], text(block->name_hint), rewrites ? "are no" : "are")
          .at(block->span);
    }
    rewrites_ = rewrites;
    if (!rewrites) return ref(block);
    bool plain = block->reads.size() == 1 && block->writes.size() == 1;
    size_t param = 0;
    while (plain && param < fn_->params.size() && !fn_->params[param].same_as(block->reads[0]->source))
      ++param;
    if (!plain || param == fn_->params.size())
      throw ir::refuse(refusals["layout-rewrite-not-of-a-parameter"], text(block->name_hint)).at(block->span);
    Buffer after = block->writes[0]->source;
    for (const Expr& extent : after->buffer()->shape) {
      if (!const_int(extent))
        throw ir::refuse(refusals["layout-rewrite-of-unknown-size"], text(block->name_hint)).at(block->span);
    }
    weights_.push_back({param, block->reads[0]->source, after});
    return with(ref(block), [](SBlockNode& n) {
      Map<String, Any> left;
      for (const auto& [key, value] : n.annotations) {
        if (text(key) != kAnnotation) left.Set(key, value);
      }
      n.annotations = left;
    });
  }

  PrimFunc function(const Array<Var>& params, const SBlockRealizeNode* root, const Array<Stmt>& body,
                    const Array<Buffer>& allocated, const char* suffix) const {
    SBlock block = with(root->block, [&](SBlockNode& n) {
      n.body = seq(body);
      n.alloc_buffers = allocated;
      n.annotations = {};
    });
    Map<String, Any> attrs;
    for (const auto& [key, value] : fn_->attrs) {
      if (text(key) == "layout_free_buffers") continue;
      bool name = text(key) == "global_symbol";
      attrs.Set(key, name ? Any(String(std::string(text(value.cast<String>())) + suffix)) : value);
    }
    Stmt realized = make<SBlockRealizeNode>(root->iter_values, root->predicate, block, root->span);
    return make<PrimFuncNode>(params, fn_->ret_type, realized, attrs, fn_->span);
  }

  PrimFunc fn_;
  std::optional<bool> rewrites_;  // of the loop nest at work
  std::vector<Rewritten> weights_;
};

struct UseParts final : Mutator {
  UseParts(Host& host, const IRModule& mod, const std::unordered_map<std::string, Parts>& parts)
      : Mutator(host, mod), parts(parts) {}
  const std::unordered_map<std::string, Parts>& parts;
  Expr call_tir = relax::op("relax.call_tir");

  Expr rewrite(const Expr& e) override {
    Expr next = rewrite_children(e);
    const CallNode* call = call_of(next, call_tir);
    if (!call) return next;
    std::string name(text(as<GlobalVarNode>(call->args[0])->name_hint));
    auto found = parts.find(name);
    if (found == parts.end()) return next;
    const Parts& made = found->second;
    GlobalVar prepack = builder_->add_function(made.prepack, name + "_weight_prepack");
    GlobalVar compute = builder_->add_function(made.compute, name + "_prepacked");
    Array<Expr> args = tuple_elements(call->args[1]), weights;
    Array<Type> types;
    for (const Rewritten& weight : made.weights) {
      weights.push_back(args[static_cast<int64_t>(weight.param)]);
      const BufferTypeNode* type = weight.after->buffer();
      Array<Expr> dims;
      for (const Expr& extent : type->shape) dims.push_back(dim(const_int(extent).value()));
      types.push_back(tensor_type(dims, type->dtype));
    }
    bool one = types.size() == 1;
    Type packed_type = one ? types[0] : Type(make<TupleTypeNode>(types));
    Var packed = builder_->emit(
        make_call("relax.call_tir", {Expr(prepack), Expr(make<TupleNode>(weights))}, {}, {packed_type}));
    for (size_t i = 0; i < made.weights.size(); ++i) {
      args.Set(static_cast<int64_t>(made.weights[i].param),
               one ? Expr(packed) : Expr(make<TupleGetItemNode>(packed, static_cast<int64_t>(i))));
    }
    Array<Expr> operands{Expr(compute), Expr(make<TupleNode>(args))};
    for (size_t i = 2; i < call->args.size(); ++i) operands.push_back(call->args[i]);
    return builder_->emit(make_call("relax.call_tir", operands, {}, call->ty_args));
  }
  IRModule module() const { return builder_->module(); }
};

IRModule apply(const IRModule& mod, const PassOptions& options) {
  std::unordered_map<std::string, Parts> parts;
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<PrimFuncNode>();
    if (!fn || !fn->body) continue;
    std::string key(text(name->name_hint));
    if (auto made = Split(ref(fn)).run(key)) parts.emplace(key, *made);
  }
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto* fn = base.as<FunctionNode>();
    if (!fn || parts.empty()) continue;
    UseParts use(*options.host, result, parts);
    Function next = use.rewrite_function(ref(fn));
    if (!next.same_as(base)) result = ir::with_function(use.module(), name, next);
  }
  return without_dead_code(result);
}

}  // namespace

extern const Pass split_layout_rewrite_preproc =
    graph_module_pass("SplitLayoutRewritePreproc", "SplitLayoutRewritePreproc()", doc, apply);

}  // namespace mlc::transform::pass_split_layout_rewrite_preproc
