// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/tensor_intrin.h"

#include <map>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/context.h"
#include "transform/schedule/api.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "intrinsic-parameters",
         .message = "the description has {} parameters, the implementation {}"},
        {.name = "intrinsic-not-a-block",
         .message = "the {} is not one block",
         .help = "put the body below `with T.sblock(\"root\"):`, with `T.reads(..)` and `T.writes(..)`"},
        {.name = "intrinsic-exists",
         .message = "there is a tensor intrinsic `{}` already",
         .help = "`override=True` replaces it"},
        {.name = "no-such-intrinsic",
         .message = "there is no tensor intrinsic `{}`",
         .meaning = "No tensor intrinsic of this name is registered.",
         .wrong = R"(i, j = sch.get_loops("double")
sch.tensorize(i, "my_intrin"))"},
    }};
MLC_REFUSALS(schedule_tensor_intrin, refusals);

namespace {

std::map<std::string, Any, std::less<>>& intrinsics() { return Context::current().tensor_intrins; }

void check_pair(ApiCall& call, size_t at, const PrimFunc& desc, const PrimFunc& impl) {
  if (desc->params.size() != impl->params.size()) {
    throw refuse(refusals["intrinsic-parameters"], desc->params.size(), impl->params.size())
        .kind("ValueError")
        .at(call.span_of(at + 1));
  }
  for (const auto& [fn, role, index] :
       {std::tuple(desc, "description", at), {impl, "implementation", at + 1}}) {
    for (const Var& param : fn->params) {
      if (param->buffer()) continue;
      throw refuse_as(refusals["intrinsic-parameters"], "parameter `{}` of the {} is no buffer",
                      param->name.c_str(), role)
          .kind("ValueError")
          .at(call.span_of(index));
    }
    if (!only_block(fn)) {
      throw refuse(refusals["intrinsic-not-a-block"], role).kind("ValueError").at(call.span_of(index));
    }
  }
  for (size_t i = 0; i < desc->params.size(); ++i) {
    const BufferTypeNode *a = desc->params[i]->buffer(), *b = impl->params[i]->buffer();
    if (DataType(a->dtype) == DataType(b->dtype)) continue;
    throw refuse_as(refusals["intrinsic-parameters"],
                    "parameter {} is `{}` in the description and `{}` in the implementation", i,
                    DataType(a->dtype).str(), DataType(b->dtype).str())
        .kind("ValueError")
        .at(call.span_of(at + 1));
  }
}

TensorIntrin intrinsic_of(ApiCall& call, size_t at) {
  auto desc = ir::try_get<PrimFunc>(call.args[at]);
  auto impl = ir::try_get<PrimFunc>(call.args[at + 1]);
  if (!desc || !*desc) wrong_argument(call, at, "a prim_func");
  if (!impl || !*impl) wrong_argument(call, at + 1, "a prim_func");
  check_pair(call, at, *desc, *impl);
  return make<TensorIntrinNode>(*desc, *impl);
}

Any construct(ApiCall& call) { return intrinsic_of(call, 0); }

Any register_intrinsic(ApiCall& call) {
  auto name = call.args[0].try_cast<String>();
  if (!name) wrong_argument(call, 0, "str");
  TensorIntrin intrin = intrinsic_of(call, 1);
  auto [slot, fresh] = intrinsics().try_emplace(std::string(*name), intrin);
  if (!fresh && !call.args[3].cast<bool>()) {
    throw refuse(refusals["intrinsic-exists"], name->c_str()).kind("ValueError").at(call.span_of(0));
  }
  slot->second = intrin;
  return nullptr;
}

Any get_intrinsic(ApiCall& call) {
  auto name = call.args[0].try_cast<String>();
  if (!name) wrong_argument(call, 0, "str");
  if (call.args[1].cast<bool>() && !intrinsics().contains(std::string(*name))) return nullptr;
  return find_intrinsic(std::string(*name), call.host, call.span_of(0));
}

Any get_desc(ApiCall& call) { return call.args[0].cast<TensorIntrin>()->desc; }
Any get_impl(ApiCall& call) { return call.args[0].cast<TensorIntrin>()->impl; }

constexpr std::string_view kIntrin = "mlc.s_tir.TensorIntrin";
const ApiRow tensor_intrin_table[] = {
    {ApiKind::kClass, "tvm.s_tir", "TensorIntrin(desc, impl)",
     "A computation and the instructions that do it: two functions with the same parameters.", &construct,
     kIntrin, "tvm.s_tir._tensor_intrin.TensorIntrin"},
    {ApiKind::kFunction, "tvm.s_tir.TensorIntrin", "register(name, desc, impl, override=False)",
     "Give a tensor intrinsic the name that `tensorize` asks for.", &register_intrinsic},
    {ApiKind::kFunction, "tvm.s_tir.TensorIntrin", "get(name, allow_missing=False)",
     "The tensor intrinsic of that name; None when it is missing and may be.", &get_intrinsic},
    {ApiKind::kProperty, kIntrin, "desc", "The computation.", &get_desc},
    {ApiKind::kProperty, kIntrin, "impl", "What stands for it.", &get_impl},
};

// Gives every definition a variable of its own, and indices their width.
class Renew final : public Rewriter {
 public:
  explicit Renew(int bits) : index_(DataType::Int(bits)) {}

  PrimFunc fn(const PrimFunc& old) {
    Array<Var> params;
    for (const Var& param : old->params) params.push_back(rewrite_def(param));
    Stmt body = rewrite(old->body);
    return with(old, [&](PrimFuncNode& copy) {
      copy.params = params;
      copy.body = body;
    });
  }

  Expr rewrite(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) return renamed(ref(var));
    if (auto* two = as_binary(e)) {
      Expr a = rewrite(two->a), b = rewrite(two->b);
      if (a.same_as(two->a) && b.same_as(two->b)) return e;
      return a->dtype() == two->a->dtype() && b->dtype() == two->b->dtype() ? binary(e->kind, a, b)
                                                                            : build(e->kind, a, b);
    }
    if (auto* load = as<TensorLoadNode>(e))
      return make<TensorLoadNode>(rewrite_buffer(load->source), indices(load->indices));
    if (as<TensorRegionNode>(e)) return region(ref(as<TensorRegionNode>(e)));
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    if (auto* store = as<BufferStoreNode>(s)) {
      Expr value = rewrite(store->value);
      return make<BufferStoreNode>(rewrite_buffer(store->buffer), value, indices(store->indices));
    }
    if (auto* loop = as<ForNode>(s)) {
      Expr min = index(loop->min), extent = index(loop->extent);
      Var var = rewrite_def(loop->loop_var);
      Stmt body = rewrite(loop->body);
      return with(ref(loop), [&](ForNode& copy) {
        copy.min = min;
        copy.extent = extent;
        copy.loop_var = var;
        copy.thread_binding = thread_again(copy.thread_binding);
        copy.body = body;
      });
    }
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      Array<Expr> values = indices(realize->iter_values);
      Stmt block = rewrite(Stmt(realize->block));
      Expr predicate = rewrite(realize->predicate);
      return make<SBlockRealizeNode>(values, predicate, SBlock(ref(as<SBlockNode>(block))), realize->span);
    }
    if (auto* block = as<SBlockNode>(s)) return this->block(ref(block));
    return rewrite_children(s);
  }
  Buffer rewrite_buffer(const Buffer& buffer) override { return renamed(buffer); }
  Var rewrite_def(const Var& var) override {
    auto known = renamed_.find(var.get());
    if (known != renamed_.end()) return known->second;
    Type type = var->ty;
    if (auto* old = var->buffer()) {
      for (const Expr& e : old->shape) define_free(e);
      for (const Expr& e : old->strides) define_free(e);
      define_free(old->elem_offset);
      auto next = ffi::make_object<BufferTypeNode>(*old);
      next->shape = indices(old->shape);
      next->strides = indices(old->strides);
      if (next->elem_offset) next->elem_offset = index(old->elem_offset);
      type = BufferType(next);
    } else if (is_index(var->dtype())) {
      type = make_var(var->name, index_)->ty;
    }
    return renamed_[var.get()] = make<VarNode>(var->name, type, var->span);
  }

 private:
  bool is_index(DataType type) const { return type.is_int() && type.bits() == 32 && index_.bits() > 32; }
  Var renamed(const Var& var) {
    auto known = renamed_.find(var.get());
    return known != renamed_.end() ? known->second : var;
  }
  // Strides and offsets that the buffer itself names.
  void define_free(const Expr& e) {
    if (!e) return;
    for (const Var& var : free_vars(e)) rewrite_def(var);
  }
  Expr index(const Expr& e) {
    Expr next = rewrite(e);
    auto constant = const_int(next);
    return constant && is_index(next->dtype()) ? Expr(int_imm(index_, *constant)) : next;
  }
  Array<Expr> indices(const Array<Expr>& all) {
    Array<Expr> result;
    for (const Expr& e : all) result.push_back(index(e));
    return result;
  }
  TensorRegion region(const TensorRegion& old) {
    Array<Range> ranges;
    for (const Range& range : old->region)
      ranges.push_back(make<RangeNode>(index(range->min), index(range->extent)));
    return make<TensorRegionNode>(rewrite_buffer(old->source), ranges);
  }
  Stmt block(const SBlock& old) {
    Array<IterVar> iters;
    for (const IterVar& iter : old->iter_vars) {
      Range dom = make<RangeNode>(index(iter->dom->min), index(iter->dom->extent));
      iters.push_back(make<IterVarNode>(dom, rewrite_def(iter->var), iter->iter_type, iter->thread_tag));
    }
    Array<Buffer> allocated;
    for (const Buffer& buffer : old->alloc_buffers) allocated.push_back(rewrite_def(buffer));
    Array<MatchBufferRegion> matches;
    for (const MatchBufferRegion& match : old->match_buffers) {
      TensorRegion source = region(match->source);
      matches.push_back(make<MatchBufferRegionNode>(rewrite_def(match->buffer), source));
    }
    Array<TensorRegion> reads, writes;
    for (const TensorRegion& read : old->reads) reads.push_back(region(read));
    for (const TensorRegion& write : old->writes) writes.push_back(region(write));
    Stmt init = old->init ? rewrite(old->init) : Stmt(), body = rewrite(old->body);
    return with(old, [&](SBlockNode& copy) {
      copy.iter_vars = iters;
      copy.alloc_buffers = allocated;
      copy.match_buffers = matches;
      copy.reads = reads;
      copy.writes = writes;
      copy.init = init;
      copy.body = body;
    });
  }

  DataType index_;
  std::unordered_map<const VarNode*, Var> renamed_;
};

// Those of the standard library are made on first use, as by a printed schedule of its rules: how
// their names begin, and the module that knows them.
constexpr std::pair<const char*, const char*> kMadeWhenAsked[] = {
    {"mlc.transpose_", "mlc.schedule.cpu_transpose"},
    {"mlc.int8_", "mlc.schedule.int8_dots"},
};

}  // namespace

TensorIntrin find_intrinsic(const std::string& name, Host& host, Span span) {
  auto found = intrinsics().find(name);
  for (const auto& [prefix, module] : kMadeWhenAsked) {
    if (found != intrinsics().end() || !name.starts_with(prefix)) continue;
    Any argument = String(name);
    host.call_library(module, "register_named", {&argument, 1});
    found = intrinsics().find(name);
  }
  if (found != intrinsics().end()) return found->second.cast<TensorIntrin>();
  std::vector<std::string> names;
  for (const auto& [known, intrin] : intrinsics()) names.push_back(known);
  std::string near = did_you_mean(name, names);
  throw refuse(refusals["no-such-intrinsic"], name)
      .kind("ValueError")
      .at(span)
      .help(!near.empty() ? near
                          : "register it: `tvm.s_tir.TensorIntrin.register(name, desc, impl)`, or import a "
                            "module of `tvm.s_tir.tensor_intrin`");
}

const SBlockRealizeNode* only_block(const PrimFunc& fn) { return as<SBlockRealizeNode>(fn->body); }

PrimFunc renewed(const PrimFunc& fn, int index_bits) { return Renew(index_bits).fn(fn); }

void register_tensor_intrin_api() { ApiRegistry::global().add(tensor_intrin_table); }

}  // namespace mlc::transform
