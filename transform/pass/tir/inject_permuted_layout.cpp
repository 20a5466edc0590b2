// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "transform/pass/analyzing_rewriter.h"
#include "transform/pass/refusals.h"
#include "transform/pass/rewritten_by.h"

namespace mlc::transform::pass_inject_permuted_layout {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "row-not-permutable",
         .message = "the rows of `{}` cannot be permuted",
         .help = "the last dimension is a constant that 32 divides"},
        {.name = "pointer-not-permutable", .message = "a permuted layout needs a pointer by `access_ptr`"},
    }};
MLC_REFUSALS(tir_inject_permuted_layout, refusals);

namespace {

constexpr char doc[] =
    R"(InjectPermutedLayout(): marked blocks see the columns of shared memory in an order without bank conflicts.

    with T.sblock("copy"):
        T.sblock_attr({"permuted_layout": 1})           with T.sblock("copy"):
        S[i, j] = A[i, j]                       =>          S[i, (j // 8 ^ i % 8) * 8 + j % 8] = A[i, j]
needs: rows of a constant multiple of 32 elements (of 64: groups of eight change with each row, else with every other
one); all blocks that touch the memory are marked.
keeps: what is computed, when all accesses are permuted alike. Pointers for ldmatrix and mma_store change, others not.
Before loads and stores become vectors.)";

constexpr std::string_view mark = "permuted_layout";

bool asks(const Any& annotation) {
  if (auto name = annotation.try_cast<String>()) return !name->empty();
  if (auto flag = annotation.try_cast<int64_t>()) return *flag != 0;
  auto e = annotation.as<Expr>();
  if (auto number = e ? const_int(*e) : std::nullopt) return *number != 0;
  throw refuse(pass_refusals["wrong-annotation"], mark, type_name(annotation));
}

class Permute final : public AnalyzingRewriter {
 public:
  using Rewriter::rewrite;
  Stmt rewrite(const Stmt& s) override {
    if (auto* realize = as<SBlockRealizeNode>(s)) {
      const auto& annotations = realize->block->annotations;
      auto found = annotations.find(String(std::string(mark)));
      if (found == annotations.end() || !asks((*found).second)) return AnalyzingRewriter::rewrite(s);
      bool outer = std::exchange(permute_, true);
      Stmt next = AnalyzingRewriter::rewrite(s);
      permute_ = outer;
      return with(ref(as<SBlockRealizeNode>(next)), [&](SBlockRealizeNode& n) {
        n.block = with(n.block, [&](SBlockNode& block) {
          block.reads = realize->block->reads;
          block.writes = realize->block->writes;
          block.annotations.erase(String(std::string(mark)));
        });
      });
    }
    Stmt next = AnalyzingRewriter::rewrite(s);
    auto* store = as<BufferStoreNode>(next);
    if (!store || !permuted(store->buffer)) return next;
    return with(ref(store),
                [&](BufferStoreNode& n) { n.indices = indices(store->buffer, store->indices, s->span); });
  }
  Expr rewrite(const Expr& e) override {
    Expr next = AnalyzingRewriter::rewrite(e);
    if (auto* load = as<TensorLoadNode>(next); load && permuted(load->source))
      return make<TensorLoadNode>(load->source, indices(load->source, load->indices, e->span), e->span);
    if (!permute_) return next;
    if (as_call_to(next, "tirx.ptx_legacy.ldmatrix")) return with_pointer(next, 5, 6);
    if (as_call_to(next, "tirx.mma_store_legacy")) return with_pointer(next, 2, std::nullopt);
    return next;
  }

 private:
  bool permute_ = false;

  bool permuted(const Buffer& buffer) const {
    const BufferTypeNode* type = buffer->buffer();
    std::string_view scope = text(type->storage_scope);
    return permute_ && type->shape.size() >= 2 && (scope == "shared" || scope == "shared.dyn");
  }
  static int64_t row_of(const Buffer& buffer, Span span) {
    const Array<Expr>& shape = buffer->buffer()->shape;
    auto row = shape.empty() ? std::nullopt : const_int(shape.back());
    if (row && *row > 0 && *row % 32 == 0) return *row;
    throw refuse(refusals["row-not-permutable"], buffer->name.c_str()).at(span);
  }
  // The column for `column` of `row`.
  static Expr column_of(const Expr& row, const Expr& column, int64_t size) {
    Expr turn = floormod(row, const_like(row, 8));
    if (size % 64 != 0) turn = floordiv(turn, const_like(turn, 2));
    Expr eight = const_like(column, 8);
    return bitwise_xor(floordiv(column, eight), turn) * 8 + floormod(column, eight);
  }
  Array<Expr> indices(const Buffer& buffer, const Array<Expr>& old, Span span) {
    int64_t size = row_of(buffer, span);
    Array<Expr> next = old;
    size_t last = old.size() - 1;
    next.Set(static_cast<int64_t>(last), analyzer.simplify(column_of(old[last - 1], old[last], size)));
    return next;
  }
  // The call with the offset of its pointer permuted; what `offset` adds to it goes into the pointer.
  Expr with_pointer(const Expr& e, size_t pointer, std::optional<size_t> offset) {
    auto* call = as<CallNode>(e);
    auto* access = call->args.size() > offset.value_or(pointer)
                       ? as_call_to(call->args[pointer], "tirx.tvm_access_ptr")
                       : nullptr;
    auto* data = access ? as_call_to(access->args[1], "tirx.buffer_data") : nullptr;
    auto* memory = data ? as<VarNode>(data->args[0]) : nullptr;
    if (!memory || !memory->buffer()) {
      throw refuse(refusals["pointer-not-permutable"]).kind("ValueError").at(e->span);
    }
    Buffer buffer = ref(memory);
    int64_t size = row_of(buffer, e->span);
    Expr place = access->args[2];
    if (offset) place = place + call->args[*offset];
    Expr row = floordiv(place, const_like(place, size));
    Expr column = floormod(place, const_like(place, size));
    Expr next = analyzer.simplify(row * size + column_of(row, column, size));
    Array<Expr> access_args = access->args, args = call->args;
    access_args.Set(2, next);
    args.Set(static_cast<int64_t>(pointer), with(ref(access), [&](CallNode& n) { n.args = access_args; }));
    if (offset) args.Set(static_cast<int64_t>(*offset), Expr(const_like(call->args[*offset], 0)));
    return with(ref(call), [&](CallNode& n) { n.args = args; });
  }
};

}  // namespace

extern const Pass inject_permuted_layout{"InjectPermutedLayout", "s_tir.transform", "InjectPermutedLayout()",
                                         doc, rewritten_by<Permute>};

}  // namespace mlc::transform::pass_inject_permuted_layout
