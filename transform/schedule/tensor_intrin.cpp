// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/tensor_intrin.h"

#include <algorithm>
#include <map>

#include "ir/core/refusal.h"
#include "ir/core/try_get.h"
#include "ir/registry/context.h"
#include "transform/pass/fresh_binders.h"
#include "transform/schedule/api.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/refusals.h"
#include "transform/te/create_prim_func.h"

namespace mlc::transform {

static constexpr ir::Refusals refusals{
    kScheduleError,
    {
        {.name = "intrinsic-parameters",
         .message = "the description has {} parameters, the implementation {}",
         .help = "give both functions the same buffers, in the same order",
         .meaning = "The description says what the implementation computes, parameter by parameter."},
        {.name = "intrinsic-shapes",
         .message = "parameter {} is of shape ({}) in the description and ({}) in the implementation",
         .help = "both are of the same elements; the implementation may leave out leading dimensions of 1",
         .meaning = "A parameter stands for the same region in both."},
        {.name = "intrinsic-not-a-block",
         .message = "the {} is not one block",
         .help = "put the body below `with T.sblock(\"root\"):`, with `T.reads(..)` and `T.writes(..)`",
         .meaning =
             "The block of the description is looked for, and that of the implementation put in its place."},
        {.name = "intrinsic-exists",
         .message = "there is a tensor intrinsic `{}` already",
         .help = "`override=True` replaces it",
         .meaning = "Programs name an intrinsic and count on what it is."},
        {.name = "no-such-intrinsic",
         .message = "there is no tensor intrinsic `{}`",
         .help = "`tvm.s_tir.TensorIntrin.register(name, desc, impl)` makes one",
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
    if (DataType(a->dtype) != DataType(b->dtype)) {
      throw refuse_as(refusals["intrinsic-parameters"],
                      "parameter {} is `{}` in the description and `{}` in the implementation", i,
                      DataType(a->dtype).str(), DataType(b->dtype).str())
          .kind("ValueError")
          .at(call.span_of(at + 1));
    }
    auto extent = [](const BufferTypeNode* type, size_t from_last) {
      size_t rank = type->shape.size();
      return from_last < rank ? const_int(type->shape[rank - 1 - from_last]) : std::optional<int64_t>(1);
    };
    for (size_t d = 0; d < std::max(a->shape.size(), b->shape.size()); ++d) {
      auto one = extent(a, d), other = extent(b, d);
      bool fits = b->shape.size() <= a->shape.size();
      if (fits && (one == other || !one || !other)) continue;
      throw refuse(refusals["intrinsic-shapes"], i, shape_text(a->shape), shape_text(b->shape))
          .kind("ValueError")
          .at(call.span_of(at + 1));
    }
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

Any construct_intrin(ApiCall& call) { return intrinsic_of(call, 0); }

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
     "A computation and the instructions that do it: two functions with the same parameters.",
     &construct_intrin, kIntrin, "tvm.s_tir._tensor_intrin.TensorIntrin"},
    {ApiKind::kFunction, "tvm.s_tir.TensorIntrin", "register(name, desc, impl, override=False)",
     "Give a tensor intrinsic the name that `tensorize` asks for.", &register_intrinsic},
    {ApiKind::kFunction, "tvm.s_tir.TensorIntrin", "get(name, allow_missing=False)",
     "The tensor intrinsic of that name; None when it is missing and may be.", &get_intrinsic},
    {ApiKind::kProperty, kIntrin, "desc", "The computation.", &get_desc},
    {ApiKind::kProperty, kIntrin, "impl", "What stands for it.", &get_impl},
};

// Those of the standard library are made on first use, as by a printed schedule of its rules: how
// their names begin, and the module that knows them.
constexpr std::pair<const char*, const char*> kMadeWhenAsked[] = {
    {"mlc.transpose_", "mlc.schedule.cpu_transpose"},
    {"mlc.int8_", "mlc.schedule.int8_dots"},
};

}  // namespace

std::vector<std::string> intrinsic_names() {
  std::vector<std::string> names;
  for (const auto& [known, intrin] : intrinsics()) names.push_back(known);
  return names;
}

TensorIntrin find_intrinsic(const std::string& name, Host& host, Span span) {
  auto found = intrinsics().find(name);
  for (const auto& [prefix, module] : kMadeWhenAsked) {
    if (found != intrinsics().end() || !name.starts_with(prefix)) continue;
    Any argument = String(name);
    host.call_library(module, "register_named", {&argument, 1});
    found = intrinsics().find(name);
  }
  if (found != intrinsics().end()) return found->second.cast<TensorIntrin>();
  std::vector<std::string> names = intrinsic_names();
  std::string near = did_you_mean(name, names);
  std::ranges::sort(names);
  constexpr size_t kMostListed = 8;
  throw refuse(refusals["no-such-intrinsic"], name)
      .kind("ValueError")
      .at(span)
      .help(!near.empty() ? near
            : !names.empty() && names.size() <= kMostListed
                ? fmt::format("registered are `{}`", fmt::join(names, "`, `"))
                : "`tvm.s_tir.TensorIntrin.register(name, desc, impl)` registers one, and so does the import "
                  "of a module of "
                  "`tvm.s_tir.tensor_intrin`, such as `import tvm.s_tir.tensor_intrin.x86`");
}

const SBlockRealizeNode* only_block(const PrimFunc& fn) { return as<SBlockRealizeNode>(fn->body); }

PrimFunc renewed(const PrimFunc& fn, int index_bits) {
  PrimFunc typed = index_bits > 32 ? te::with_index_type(fn, DataType::Int(index_bits)) : fn;
  FreshBinders fresh;
  // Strides and offsets that the buffer itself names.
  auto define_free = [&](const Expr& e) {
    if (!e) return;
    for (const Var& var : free_vars(e)) fresh.rewrite_def(var);
  };
  auto define = [&](const Var& buffer) {
    const BufferTypeNode* type = buffer->buffer();
    if (!type) return fresh.rewrite_def(buffer);
    for (const Expr& e : type->shape) define_free(e);
    for (const Expr& e : type->strides) define_free(e);
    define_free(type->elem_offset);
    return fresh.rewrite_def(buffer);
  };
  Array<Var> params;
  for (const Var& param : typed->params) params.push_back(define(param));
  post_order(typed->body, nullptr, [&](const Stmt& s) {
    auto* block = as<SBlockNode>(s);
    for (const MatchBufferRegion& match : block ? block->match_buffers : Array<MatchBufferRegion>{})
      define(match->buffer);
  });
  return with(typed, [&](PrimFuncNode& copy) {
    copy.params = params;
    copy.body = fresh.rewrite(typed->body);
  });
}

void register_tensor_intrin_api() { ApiRegistry::global().add(tensor_intrin_table); }

}  // namespace mlc::transform
