// SPDX-License-Identifier: Apache-2.0
// tvm.tirx.analysis and tvm.s_tir.analysis: questions about functions that change nothing.
#include <tvm/ffi/container/list.h>

#include <algorithm>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/core/visit.h"
#include "ir/core/walk_with.h"
#include "ir/registry/api.h"
#include "ir/tir/op.h"
#include "ir/tir/region.h"
#include "ir/tir/verify.h"
#include "transform/arith/simplify.h"
#include "transform/graph/reshape_pattern.h"
#include "transform/pass/allocated_bytes.h"
#include "transform/pass/buffer_scopes.h"
#include "transform/pass/definitions.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/pass_object.h"
#include "transform/pass/verify_gpu_code.h"
#include "transform/pass/verify_memory.h"
#include "transform/register_api.h"
#include "transform/schedule/tensor_intrin.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "block-not-lowered",
         .message = "the verifier of TIR does not take blocks: block `{}`",
         .help = "blocks are checked by `tvm.s_tir.analysis.verify_well_formed`"},
        {.name = "impure-function", .kind = "AssertionError", .message = "the function is not pure: {}"},
        {.name = "redefined-variable", .kind = "ValueError"},
    }};
MLC_REFUSALS(transform_analysis_api, refusals);

using namespace ir;  // NOLINT: questions about nodes

namespace {

// ---- variables ----

// Variables that are used and not defined before, in order of first use. A store names its buffer first. The
// iterators of blocks and virtual threads are nobody's variables below schedulable TIR.
class Undefined final : public Walker {
 public:
  void define(const VarNode* var) { defined_.insert(var); }
  Array<Var> found() const { return found_; }

  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return use(ref(var));
    if (auto* let = as<LetNode>(e)) {
      visit(let->value);
      auto [known, fresh] = let_values_.try_emplace(let->var.get(), let->value);
      if (fresh) {
        define_once(let->var);
      } else if (!structural_equal(known->second, let->value)) {
        throw refuse_as(refusals["redefined-variable"], "`{}` is the name of two different values",
                        text(let->var->name))
            .kind(kRefusedValue)
            .at(e->span);
      }
      return visit(let->body);
    }
    if (auto* region = as<TensorRegionNode>(e)) {
      for (const Range& range : region->region) {
        visit(range->min);
        visit(range->extent);
      }
      return use(region->source);
    }
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) use(store->buffer);
    if (auto* loop = as<ForNode>(s)) {
      visit(loop->min);
      visit(loop->extent);
      define_once(loop->loop_var);
      return visit(loop->body);
    }
    if (auto* bind = as<BindNode>(s)) {
      visit(bind->value);
      return define_once(bind->var);
    }
    auto* attr = as<AttrStmtNode>(s);
    if (attr && (text(attr->attr_key) == "virtual_thread" || !attr->node.as<IterVar>())) {
      visit(attr->value);
      return visit(attr->body);
    }
    if (auto* block = as<SBlockNode>(s)) {
      // Their variables count as used here, in TVM's order: domain, then variable.
      for (const IterVar& iter : block->iter_vars) {
        block_iters_.insert(iter->var.get());
        visit(iter->dom->min);
        visit(iter->dom->extent);
        use(iter->var);
      }
      for (const TensorRegion& region : block->reads) visit(Expr(region));
      for (const TensorRegion& region : block->writes) visit(Expr(region));
    }
    walk_children(s);
  }
  void visit_buffer(const Buffer& buffer) override { use(buffer); }
  void visit_def(const Var& var) override {
    if (!block_iters_.contains(var.get())) define(var.get());
  }

 private:
  // Loops, lets and bindings define what nothing before them defines or uses.
  void define_once(const Var& var) {
    bool defined = defined_.contains(var.get());
    if (defined || seen_.contains(var.get())) {
      throw refuse_as(refusals["redefined-variable"], "`{}` is {} before it is defined here", text(var->name),
                      defined ? "defined" : "used")
          .kind(kRefusedValue)
          .at(var->span);
    }
    define(var.get());
  }
  std::unordered_set<const VarNode*> block_iters_;
  std::unordered_map<const VarNode*, Expr> let_values_;
  void use(const Var& var) {
    if (!defined_.contains(var.get()) && seen_.insert(var.get()).second) found_.push_back(var);
  }
  std::unordered_set<const VarNode*> defined_, seen_;
  Array<Var> found_;
};

Any undefined_vars(ApiCall& call) {
  Undefined walker;
  if (call.args[1] != nullptr) {
    auto define = [&](const auto& list) {
      for (const Any& one : list) {
        auto* var = one.template as<VarNode>();
        if (!var) wrong_argument(call, 1, "a list of variables");
        walker.define(var);
      }
    };
    if (auto list = call.args[1].as<ffi::List<Any>>()) {
      define(*list);
    } else if (auto tuple = call.args[1].as<Array<Any>>()) {
      define(*tuple);
    } else {
      wrong_argument(call, 1, "a list of variables");
    }
  }
  if (auto stmt = ir::try_get<Stmt>(call.args[0])) {
    walker.visit(*stmt);
  } else if (auto expr = ir::try_get<Expr>(call.args[0]); expr && !is_graph_kind((*expr)->kind)) {
    walker.visit(*expr);
  } else if (call.args[0] == nullptr) {
    wrong_argument(call, 0, "a statement or an expression");
  } else {
    throw Error("wrong-type", "the variables of a statement or an expression can be found, not of `{}`",
                type_name(call.args[0]))
        .kind(kRefusedValue)
        .at(call.span);
  }
  return walker.found();
}

Any verify_ssa(ApiCall& call) {
  Definitions definitions(true);
  definitions.add(ir::detail::argument<PrimFunc>(call, 0));
  return !definitions.repeated.defined();
}

// Below schedulable TIR there are no blocks.
void need_no_blocks(const PrimFunc& fn) {
  post_order(fn->body, nullptr, [&](const Stmt& s) {
    auto* block = as<SBlockNode>(s);
    if (block == nullptr) return;
    throw refuse(refusals["block-not-lowered"], text(block->name_hint)).at(s->span);
  });
}

template <bool below_blocks>
Any verify_well_formed(ApiCall& call) {
  bool raises = ir::detail::argument<bool>(call, 1);
  std::vector<PrimFunc> functions;
  auto mod = ir::try_get<IRModule>(call.args[0]);
  if (mod) {
    for (const auto& [name, fn] : (*mod)->functions) {
      if (auto prim = ir::try_get<PrimFunc>(Any(fn))) functions.push_back(*prim);
    }
  } else {
    functions.push_back(ir::detail::argument<PrimFunc>(call, 0));
  }
  try {
    if (below_blocks) {
      for (const PrimFunc& fn : functions) need_no_blocks(fn);
    }
    if (mod) {
      verify(*mod);
    } else {
      verify(functions[0]);
    }
    Definitions definitions(false);
    for (const PrimFunc& fn : functions) definitions.add(fn);
    if (definitions.repeated) {
      throw refuse_as(refusals["redefined-variable"], "`{}` is defined more than once",
                      text(definitions.repeated->name))
          .at(definitions.repeated->span);
    }
  } catch (Error& error) {
    if (raises) throw std::move(error).kind(kRefusedValue).at(call.span);
    return false;
  }
  return true;
}

// ---- blocks ----

SBlock block_argument(ApiCall& call) {
  if (auto realize = call.args[0].as<SBlockRealizeNode>()) return realize->block;
  return ir::detail::argument<SBlock>(call, 0);
}

// Only regions of buffers that the map knows, as (reads, writes, opaque).
std::array<Array<TensorRegion>, 3> regions_of(ApiCall& call) {
  AccessRegions found = detect_access_regions(block_argument(call), transform::simplify);
  std::unordered_set<const VarNode*> known;
  for (const auto& [key, buffer] : ir::detail::argument<Map<Any, Any>>(call, 1)) {
    if (auto* var = buffer.as<VarNode>()) known.insert(var);
  }
  std::array<Array<TensorRegion>, 3> regions;
  auto take = [&](const Array<TensorRegion>& from, Array<TensorRegion>& to) {
    for (const TensorRegion& region : from) {
      if (known.contains(region->source.get())) to.push_back(region);
    }
  };
  take(found.reads, regions[0]);
  take(found.writes, regions[1]);
  for (const Buffer& buffer : found.opaque) {
    if (!known.contains(buffer.get())) continue;
    Array<Range> whole;
    for (const Expr& extent : buffer->buffer()->shape)
      whole.push_back(make<RangeNode>(const_like(extent, 0), extent));
    regions[2].push_back(make<TensorRegionNode>(buffer, whole));
  }
  return regions;
}
Any get_sblock_access_region(ApiCall& call) {
  auto regions = regions_of(call);
  return Array<Any>{regions[0], regions[1], regions[2]};
}
Any get_sblock_read_write_region(ApiCall& call) {
  auto regions = regions_of(call);
  for (const TensorRegion& region : regions[2]) {
    regions[0].push_back(region);
    regions[1].push_back(region);
  }
  return Array<Any>{regions[0], regions[1]};
}

// ---- effects ----

template <bool raises>
Any is_pure_function(ApiCall& call) {
  std::string found;
  std::unordered_set<const VarNode*> own;
  auto calls = [&](const Expr& e, Walker& on) {
    if (auto* call = as<CallNode>(e); call && found.empty()) {
      auto* op = as<OpNode>(call->op);
      if (!op || op_row(op).effect > Effect::kReadState)
        found = fmt::format("it calls `{}`", op ? std::string(view(op->name)) : "a function");
    }
    on.walk_children(e);
  };
  auto stores = [&](const Stmt& s, Walker& on) {
    if (auto* alloc = as<AllocBufferNode>(s)) own.insert(alloc->buffer.get());
    auto* store = as<BufferStoreNode>(s);
    if (store && found.empty() && !own.contains(store->buffer.get()))
      found = fmt::format("it writes to the buffer `{}`", view(store->buffer->name));
    on.walk_children(s);
  };
  walk_with(ir::detail::argument<PrimFunc>(call, 0)->body, overloaded{calls, stores});
  if (raises && !found.empty()) throw refuse(refusals["impure-function"], found).at(call.span);
  return found.empty();
}

// ---- sizes ----

Any calculate_allocated_bytes(ApiCall& call) {
  Map<String, Any> all;
  auto add = [&](const String& name, const PrimFunc& fn) {
    Map<String, Any> scopes;
    for (const auto& [scope, bytes] : allocated_bytes(fn)) scopes.Set(String(scope), bytes);
    all.Set(name, scopes);
  };
  if (auto mod = ir::try_get<IRModule>(call.args[0])) {
    for (const auto& [name, fn] : (*mod)->functions) {
      if (auto prim = ir::try_get<PrimFunc>(Any(fn))) add(name->name_hint, *prim);
    }
  } else {
    add("main", ir::detail::argument<PrimFunc>(call, 0));
  }
  return all;
}

// Arithmetic on values; that of indices does not count. A loop multiplies by the most iterations it can have,
// of two branches the costlier counts.
class Flops {
 public:
  explicit Flops(const ApiCall& call) : call_(call) {}
  double of(const Stmt& s) {
    if (auto* store = as<BufferStoreNode>(s)) return of(store->value);
    if (auto* loop = as<ForNode>(s)) {
      double iterations = most(loop->extent);
      analyzer_.bind(loop->loop_var, make<RangeNode>(loop->min, loop->extent));
      return iterations * of(loop->body);
    }
    if (auto* seq = as<SeqStmtNode>(s)) {
      double sum = 0;
      for (const Stmt& one : seq->seq) sum += of(one);
      return sum;
    }
    if (auto* branch = as<IfThenElseNode>(s)) {
      double otherwise = branch->else_case ? of(branch->else_case) : 0;
      return of(branch->condition) + std::max(of(branch->then_case), otherwise);
    }
    if (auto* realize = as<SBlockRealizeNode>(s)) return of(Stmt(realize->block));
    if (auto* block = as<SBlockNode>(s)) return of(block->body) + (block->init ? of(block->init) : 0);
    if (auto* bind = as<BindNode>(s)) return of(bind->value);
    if (auto* attr = as<AttrStmtNode>(s)) return of(attr->body);
    if (auto* loop = as<WhileNode>(s)) return of(loop->body);  // as often as once
    if (as<AllocBufferNode>(s) || as<DeclBufferNode>(s) || as<EvaluateNode>(s) || as<AssertStmtNode>(s))
      return 0;
    throw Error("unsupported", "the operations of this statement cannot be counted")
        .at(call_.span)
        .kind(kRefusedValue);
  }

 private:
  Analyzer analyzer_;

  // The most iterations that a loop can have; one where nothing bounds them.
  double most(const Expr& extent) {
    int64_t bound = analyzer_.const_int_bound(extent).max;
    return bound == ConstIntBound::kPosInf ? 1 : static_cast<double>(bound);
  }
  static bool is_arithmetic(ExprKind kind) {
    return (kind >= ExprKind::kAdd && kind <= ExprKind::kFloorMod) || kind == ExprKind::kMin ||
           kind == ExprKind::kMax;
  }
  double of(const Expr& e) {
    if (auto* two = as_binary(e)) {
      if (e->dtype().is_bool()) return 0;  // what decides is not counted, nor what it takes to decide
      return (is_arithmetic(e->kind) ? 1 : 0) + of(two->a) + of(two->b);
    }
    if (as<RampNode>(e) || as<BroadcastNode>(e) || as<ShuffleNode>(e)) {
      throw Error("unsupported", "operations on vectors cannot be counted")
          .at(call_.span)
          .kind(kRefusedValue);
    }
    if (auto* inverse = as<BitwiseNotNode>(e)) return of(inverse->a);
    if (auto* cast = as<CastNode>(e)) return of(cast->value);
    if (auto* choice = as<SelectNode>(e))
      return of(choice->condition) + std::max(of(choice->true_value), of(choice->false_value));
    if (auto* call = as<CallNode>(e)) {
      double sum = 0;
      for (const Expr& arg : call->args) sum += of(arg);
      return sum;
    }
    return 0;
  }
  const ApiCall& call_;
};
Any estimate_tir_flops(ApiCall& call) {
  Flops flops(call);
  if (auto mod = ir::try_get<IRModule>(call.args[0])) {
    double sum = 0;
    for (const auto& [name, fn] : (*mod)->functions) {
      auto prim = ir::try_get<PrimFunc>(Any(fn));
      if (!prim) continue;
      auto said = attr(*prim, "estimated_flops");
      if (!said) {
        sum += flops.of((*prim)->body);
      } else if (auto count = said->try_cast<int64_t>()) {
        sum += static_cast<double>(*count);
      } else {
        throw Error("wrong-type", "the attribute `estimated_flops` is an int, not `{}`", type_name(*said))
            .kind("TypeError")
            .at(call.span);
      }
    }
    return sum;
  }
  return flops.of(ir::detail::argument<Stmt>(call, 0));
}

// ---- where buffers are used, which block counts ----

Any verify_memory(ApiCall& call) { return accessed_by_host(ir::detail::argument<PrimFunc>(call, 0)).empty(); }

Any verify_gpu_code(ApiCall& call) {
  return fits_gpu(ir::detail::argument<PrimFunc>(call, 0), as_string_map(call.args[1]));
}

Any detect_buffer_access_lca(ApiCall& call) {
  BufferScopes scopes;
  scopes.visit(ir::detail::argument<PrimFunc>(call, 0)->body);
  scopes.raise_to_block_indices();
  Map<Any, Any> lowest;
  for (const Buffer& buffer : scopes.found) {
    const StmtNode* stmt = scopes.scopes[static_cast<size_t>(scopes.lowest.at(buffer.get()))].stmt;
    lowest.Set(buffer, stmt == nullptr ? Any(nullptr) : Any(ref(stmt)));
  }
  return lowest;
}

// Reductions, each with the loop nest around it.
struct Reductions final : Walker {
  std::vector<std::pair<const SBlockNode*, Stmt>> all;
  Stmt nest;

  void visit(const Expr&) override {}
  void visit(const Stmt& s) override {
    bool outermost = !nest && as<ForNode>(s);
    if (outermost) nest = s;
    auto* block = as<SBlockNode>(s);
    if (block == nullptr) {
      walk_children(s);
    } else {
      if (block->init) all.emplace_back(block, nest);
      Stmt around = std::exchange(nest, nullptr);  // the loops of a block are those up to the block around it
      visit(block->body);
      nest = around;
    }
    if (outermost) nest = nullptr;
  }
};
Any find_anchor_sblock(ApiCall& call) {
  auto mod = ir::detail::argument<IRModule>(call, 0);
  Reductions reductions;
  std::optional<PrimFunc> entry;
  for (const auto& [name, fn] : mod->functions) {
    auto prim = ir::try_get<PrimFunc>(Any(fn));
    if (!prim) continue;
    if (view(name->name_hint) == "main" || attr(*prim, "tirx.is_entry_func") || !entry) entry = prim;
    if (view(name->name_hint) == "main") break;
  }
  if (!entry) return nullptr;
  reductions.visit((*entry)->body);
  const SBlockNode* best = nullptr;
  double most = -1;
  for (const auto& [block, nest] : reductions.all) {
    double flops = reductions.all.size() == 1 || !nest ? 0 : Flops(call).of(nest);
    if (flops <= most) continue;
    most = flops;
    best = block;
  }
  return best == nullptr ? Any(nullptr) : Any(ref(best));
}

// Variables have 32 bits or more already: none is widened.
Any renew_defs(ApiCall& call) { return renewed(ir::detail::argument<PrimFunc>(call, 0), 32); }

constexpr std::string_view kTirx = "tvm.tirx.analysis";
constexpr std::string_view kSTir = "tvm.s_tir.analysis";
#define FUNCTION(owner, signature, doc, body) \
  { ApiKind::kFunction, owner, signature, doc, body }
constexpr ApiRow analysis_api_table[] = {
    FUNCTION(kTirx, "undefined_vars(node, defs=None)", "Variables that are used and not defined.",
             undefined_vars),
    FUNCTION(kTirx, "verify_ssa(func)", "Is every variable defined once at most?", verify_ssa),
    FUNCTION(kTirx, "verify_well_formed(obj, assert_mode=True)", "Is the function well formed?",
             verify_well_formed<true>),
    FUNCTION(kTirx, "verify_tirx_well_formed(obj, assert_mode=True, device_func=False)",
             "Is the function well formed?", verify_well_formed<true>),
    FUNCTION(kSTir, "verify_well_formed(obj, assert_mode=True)", "Is the function well formed?",
             verify_well_formed<false>),
    FUNCTION(kSTir, "get_sblock_access_region(block, buffer_var_map)",
             "What a block reads, writes, and passes on.", get_sblock_access_region),
    FUNCTION(kSTir, "get_sblock_read_write_region(block, buffer_var_map)", "What a block reads and writes.",
             get_sblock_read_write_region),
    FUNCTION(kSTir, "is_pure_function(func)", "Has the function no effects?", is_pure_function<false>),
    FUNCTION(kSTir, "assert_pure_function(func)", "Raises unless the function has no effects.",
             is_pure_function<true>),
    FUNCTION(kSTir, "calculate_allocated_bytes(func_or_mod)", "Bytes that functions allocate, by scope.",
             calculate_allocated_bytes),
    FUNCTION(kTirx, "verify_memory(func)", "Does no host code access memory of the device?", verify_memory),
    FUNCTION(kSTir, "verify_gpu_code(func, constraints)",
             "Do all kernels keep to the limits of threads and memory that the dictionary names?",
             verify_gpu_code),
    FUNCTION(kSTir, "detect_buffer_access_lca(func)",
             "The innermost loop or block around all accesses of a buffer.", detect_buffer_access_lca),
    FUNCTION(kSTir, "find_anchor_sblock(mod)", "The reduction that does most of the work, or None.",
             find_anchor_sblock),
    FUNCTION("tvm.s_tir", "renew_defs(func)", "The same function with variables and buffers of its own.",
             renew_defs),
    FUNCTION(kSTir, "estimate_tir_flops(stmt_or_mod)", "How many operations on values are done.",
             estimate_tir_flops),
    FUNCTION(kSTir, "get_vtcm_compaction_passes()",
             "The passes after which a function allocates what it keeps in VTCM and no more.",
             native([]() { return vtcm_compaction_passes(); })),
    FUNCTION("tvm.relax.analysis", "has_reshape_pattern(func)",
             "Does the tensor function copy its first buffer to its last one in row-major order?",
             native([](PrimFunc func) { return has_reshape_pattern(func); })),
};
#undef FUNCTION

}  // namespace

void register_analysis_api() { ApiRegistry::global().add(analysis_api_table); }

}  // namespace mlc::transform
