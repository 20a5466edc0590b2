// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_infer_fragment {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "fragment-mismatch", .message = "{}"},
                                       }};
MLC_REFUSALS(tir_infer_fragment, refusals);

namespace {

constexpr char doc[] =
    R"(InferFragment(): allocations of matrix fragments say their shape and layout.

    B = T.alloc_buffer((256,), ..., scope="wmma.matrix_b")      with T.attr(B, "fragment_layout", "col_major"):
    T.tvm_load_matrix_sync(B.data, 16, 16, 16, 0, ..,      =>       with T.attr(B, "fragment_shape", "16, 16, 16"):
                           16, "col_major")                             B = T.alloc_buffer(...)
needs: fragments lie in `wmma` memory; all that loads, fills and stores one names the same shape, and the operands of
a product of matrices have one shape.
keeps: what is computed; only allocations of fragments change.
Before code is generated for tensor cores.)";

struct Fragment {
  std::array<int64_t, 3> shape{};
  std::string layout;  // empty: of an accumulator that is not filled
};
using Fragments = std::unordered_map<const VarNode*, Fragment>;

// The memory that an operand points to.
const VarNode* memory(const Expr& pointer) {
  auto* data = as_call_to(pointer, "tirx.buffer_data");
  return as<VarNode>(data ? data->args[0] : pointer);
}
std::string_view scope_of(const VarNode* var) {
  if (auto* buffer = var->buffer()) return text(buffer->storage_scope);
  if (var->ty->kind != TypeKind::kPointer) return {};
  return text(static_cast<const PointerTypeNode*>(var->ty.get())->storage_scope);
}

[[noreturn]] void refuse(Span span, std::string message) {
  throw refuse(refusals["fragment-mismatch"], message).kind(kRefusedValue).at(span);
}

Fragments fragments_of(const Stmt& body) {
  Fragments found;
  post_order(body, [&](const Expr& e) {
    bool fill = as_call_to(e, "tirx.tvm_fill_fragment");
    bool moves = as_call_to(e, "tirx.tvm_load_matrix_sync") || as_call_to(e, "tirx.tvm_store_matrix_sync");
    if (!fill && !moves) return;
    auto* call = as<CallNode>(e);
    if (call->args.size() != (fill ? 6u : 8u))
      refuse(e->span, "a fragment is not named with all that it needs");
    const VarNode* var = memory(call->args[0]);
    if (!var) refuse(e->span, "the fragment is no buffer");
    Fragment fragment;
    for (size_t i = 0; i < 3; ++i) {
      auto value = const_int(call->args[i + 1]);
      if (!value)
        refuse(e->span, fmt::format("the shape of the fragment `{}` is not constant", var->name.c_str()));
      fragment.shape[i] = *value;
    }
    std::string_view scope = scope_of(var);
    bool matrix = scope == "wmma.matrix_a" || scope == "wmma.matrix_b";
    if (moves) {
      auto* layout = as<StringImmNode>(call->args[7]);
      if (!layout) refuse(e->span, "the layout of a fragment is a text");
      if (matrix) fragment.layout = text(layout->value);
    } else {
      fragment.layout = "row_major";
    }
    if (fill ? scope != "wmma.accumulator" : !matrix && scope != "wmma.accumulator")
      refuse(e->span, fmt::format("the fragment `{}` lies in `{}`", var->name.c_str(), scope));
    auto [known, fresh] = found.try_emplace(var, fragment);
    if (fresh) return;
    if (known->second.shape != fragment.shape || (matrix && known->second.layout != fragment.layout))
      refuse(e->span,
             fmt::format("the fragment `{}` has another shape or layout elsewhere", var->name.c_str()));
  });
  return found;
}

void check_products(const Stmt& body, const Fragments& found) {
  post_order(body, [&](const Expr& e) {
    if (!as_call_to(e, "tirx.tvm_mma_sync") && !as_call_to(e, "tirx.tvm_bmma_sync")) return;
    auto* call = as<CallNode>(e);
    if (call->args.size() != 8)
      refuse(e->span, "a product of fragments has four of them, each with its index");
    const Fragment* result = nullptr;
    for (size_t i = 0; i < 8; i += 2) {
      const VarNode* var = memory(call->args[i]);
      auto fragment = var ? found.find(var) : found.end();
      if (fragment == found.end()) {
        refuse(e->span, fmt::format("the fragment `{}` is neither filled nor loaded",
                                    var ? var->name.c_str() : "of the product"));
      }
      if (!result) result = &fragment->second;
      if (fragment->second.shape != result->shape)
        refuse(e->span,
               fmt::format("the fragment `{}` has another shape than the result", var->name.c_str()));
    }
  });
}

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  Fragments found = fragments_of(fn->body);
  check_products(fn->body, found);
  if (found.empty()) return fn;
  Stmt body = rewrite_with(fn->body, [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* alloc = as<AllocBufferNode>(s);
    auto fragment = alloc ? found.find(alloc->buffer.get()) : found.end();
    if (fragment == found.end()) return on.rewrite_children(s);
    const auto& [shape, layout] = fragment->second;
    auto say = [&](std::string_view key, std::string value, const Stmt& body) -> Stmt {
      return make<AttrStmtNode>(Any(alloc->buffer), String(std::string(key)),
                                make<StringImmNode>(String(std::move(value))), body);
    };
    Stmt next = say("fragment_shape", fmt::format("{}, {}, {}", shape[0], shape[1], shape[2]), s);
    return layout.empty() ? next : say("fragment_layout", layout, next);
  });
  return with_body(fn, body);
}

}  // namespace

extern const Pass infer_fragment{"InferFragment", "s_tir.transform", "InferFragment()", doc, apply};

}  // namespace mlc::transform::pass_infer_fragment
