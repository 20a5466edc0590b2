// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_inject_ptx_async_copy {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "async-scope-nested", .message = "an asynchronous scope stands in another one"},
    }};
MLC_REFUSALS(tir_inject_ptx_async_copy, refusals);

namespace {

constexpr char doc[] =
    R"(InjectPTXAsyncCopy(): copies from global to shared memory that NVIDIA's GPUs do by themselves.

    with T.attr({"async_scope": 1}):
        S[i] = A[j]                     =>      T.s_tir.cp_async_raw("float32", S.data, i, A.data, j, 4)
needs: flat buffers. Copied are 4, 8 or 16 bytes, an element or dense vectors; with a condition, what is not copied is
zero. Other statements of the scope stay as they are.
keeps: what is in shared memory once the copies have arrived.
After vectorization and the planning of memory.)";

// The first of the neighbouring elements that an index names; null for any other vector.
Expr first_of(const Expr& index) {
  if (index->dtype().is_scalar()) return index;
  if (auto* ramp = as<RampNode>(index)) return is_const_int(ramp->stride, 1) ? ramp->base : Expr(nullptr);
  auto* sum = index->kind == ExprKind::kAdd ? as_binary(index) : nullptr;
  auto* ramp = sum ? as<RampNode>(sum->a) : nullptr;
  auto* shift = sum ? as<BroadcastNode>(sum->b) : nullptr;
  if (!ramp || !shift || !is_const_int(ramp->stride, 1)) return nullptr;
  return make<AddNode>(ramp->base, shift->value);
}

bool is_zero(const Expr& e) {
  auto* broadcast = as<BroadcastNode>(e);
  auto* value = as<FloatImmNode>(broadcast ? broadcast->value : e);
  return value && value->value == 0;
}

// Null where it is no copy that the hardware can do.
Stmt copied(const BufferStoreNode& store) {
  std::string_view to_scope = text(store.buffer->buffer()->storage_scope);
  if (to_scope != "shared" && to_scope != "shared.dyn") return nullptr;
  Expr value = store.value, condition;
  if (auto* choice = as_call_to(value, "tirx.if_then_else"); choice && is_zero(choice->args[2])) {
    condition = choice->args[0];
    value = choice->args[1];
  }
  auto* load = as<TensorLoadNode>(value);
  if (!load) return nullptr;
  const BufferTypeNode* source = load->source->buffer();
  std::string_view scope = text(source->storage_scope);
  if (!scope.empty() && scope != "global") return nullptr;
  if (load->indices.size() != 1 || store.indices.size() != 1) {
    throw refuse(pass_refusals["buffer-not-flat"], load->source->name.c_str(), load->indices.size())
        .kind("ValueError")
        .at(store.span)
        .help("run FlattenBuffer before InjectPTXAsyncCopy");
  }
  int lanes = load->indices[0]->dtype().lanes();
  int bytes = lanes * DataType(source->dtype).bytes() * DataType(source->dtype).lanes();
  if (lanes != store.indices[0]->dtype().lanes() || (bytes != 4 && bytes != 8 && bytes != 16)) return nullptr;
  Expr from = first_of(load->indices[0]);
  Expr to = first_of(store.indices[0]);
  if (!from || !to) return nullptr;
  Array<Expr> args{data_of(store.buffer), to, data_of(load->source), from, int32(bytes)};
  if (condition) args.push_back(condition);
  Type type = prim_type(store.buffer->buffer()->dtype);
  return make<EvaluateNode>(make<CallNode>(type, op("tirx.s_tir.cp_async_raw"), args), store.span);
}
PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  bool async = false;
  return with_body(fn, rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) {
                     if (auto* attr = as<AttrStmtNode>(s); attr && attr->attr_key == "async_scope") {
                       if (std::exchange(async, true))
                         throw refuse(refusals["async-scope-nested"]).kind("ValueError").at(s->span);
                       Stmt body = on.rewrite(attr->body);
                       async = false;
                       return body;
                     }
                     auto* store = async ? as<BufferStoreNode>(s) : nullptr;
                     Stmt copy = store ? copied(*store) : Stmt();
                     return copy ? copy : on.rewrite_children(s);
                   }));
}

}  // namespace

extern const Pass inject_ptx_async_copy{"InjectPTXAsyncCopy", "s_tir.transform", "InjectPTXAsyncCopy()", doc,
                                        apply};

}  // namespace mlc::transform::pass_inject_ptx_async_copy
