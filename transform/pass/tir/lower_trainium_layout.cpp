// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/pass/layout_lowering.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_lower_trainium_layout {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "no-such-dimension",
         .message = "the layout of `{}` counts `{}`, which memory in `{}` does not have",
         .help = "SBUF has partitions (P) and places along them (F), the accumulator (trn.psum) banks (Bank) "
                 "too"},
        {.name = "primitive-not-lowered",
         .message = "a tile primitive is lowered before the layouts of its buffers",
         .help = "run TilePrimitiveDispatch first, as LowerTIRx does"},
    }};
MLC_REFUSALS(tir_lower_trainium_layout, refusals);

namespace {

constexpr char doc[] =
    R"(LowerTrainiumLayout(): layouts become indices of partitions, places along them and banks.

    X = T.alloc_buffer((256, 512),                    X = T.alloc_buffer((128, 1024),
        scope="trn.sbuf", layout="PF")                    scope="trn.sbuf", layout=None)
    T.nki.load(X[i, j], A[i, j])              =>      T.nki.load(X[i % 128, i // 128 * 512 + j],
                                                          A_1[i * 512 + j])
needs: no tile primitives, no strides; axes of layouts that the memory has.
keeps: every access, in order; buffers without a layout, schedulable functions; parameters keep their shapes.
Behind TilePrimitiveDispatch: the text of kernels says places, not layouts.)";

class Lower final : public LayoutLowering {
 public:
  Lower() : LayoutLowering("LowerTrainiumLayout") {}

  using LayoutLowering::rewrite;
  // Bytes hold truth values; what an operation reads or writes stays an element of memory.
  Expr rewrite(const Expr& e) override {
    if (auto* call = as<CallNode>(e)) {
      bool is_place = as_call_to(e, "tirx.address_of") != nullptr;
      if (auto* op = as<OpNode>(call->op)) is_place |= text(op->name).starts_with("tirx.nki.");
      if (is_place) {
        return updated(call, [&](CallNode& n) {
          n.args = call->args.Map([&](const Expr& arg) {
            return as<TensorLoadNode>(arg) ? LayoutLowering::rewrite(arg) : rewrite(arg);
          });
        });
      }
    }
    Expr done = LayoutLowering::rewrite(e);
    bool is_byte = as<TensorLoadNode>(e) && done->dtype() != e->dtype();
    return is_byte ? cast(e->dtype(), done) : done;
  }
  Stmt rewrite(const Stmt& s) override {
    if (s->kind == StmtKind::kTilePrimitiveCall) throw refuse(refusals["primitive-not-lowered"]).at(s->span);
    Stmt done = LayoutLowering::rewrite(s);
    auto* store = as<BufferStoreNode>(done);
    if (!store || store->value->dtype() == DataType(store->buffer->buffer()->dtype)) return done;
    return with(ref(store), [&](BufferStoreNode& n) {
      n.value = cast(DataType(store->buffer->buffer()->dtype), store->value);
    });
  }

 protected:
  bool is_memory(const Buffer& param) const override { return !param->buffer()->layout.defined(); }

  Buffer flat_form(const Buffer& buffer, bool is_allocated) override {
    const BufferTypeNode* type = buffer->buffer();
    if (!type->layout.defined()) return buffer;
    Buffer flat = buffer;
    if (TileLayout layout = device_layout(buffer)) {
      Array<Expr> shape;
      for (std::string_view axis : axes_of(buffer))
        shape.push_back(analyzer.simplify(span_of(layout, String(std::string(axis)))));
      flat = with_type(buffer, with(type_of(buffer), [&](BufferTypeNode& n) {
                         n.shape = shape;
                         n.layout = {};
                       }));
    } else {
      flat = LayoutLowering::flat_form(buffer, is_allocated);
    }
    if (!DataType(type->dtype).is_bool()) return flat;
    return with_type(flat, with(type_of(flat), [](BufferTypeNode& n) { n.dtype = DataType::Int(8); }));
  }

  Array<Expr> place(const Buffer& buffer, const Array<Expr>& indices) override {
    const BufferTypeNode* type = buffer->buffer();
    if (!type->layout.defined()) return indices;
    TileLayout layout = device_layout(buffer);
    if (!layout || indices.size() != type->shape.size()) return LayoutLowering::place(buffer, indices);
    auto found = coordinates(Layout(layout), indices, type->shape);
    Array<Expr> places;
    for (std::string_view axis : axes_of(buffer)) {
      auto at =
          std::find_if(found.begin(), found.end(), [&](const auto& one) { return text(one.first) == axis; });
      places.push_back(at == found.end() ? int32(0) : at->second);
    }
    return places;
  }

 private:
  static std::span<const std::string_view> axes_of(const Buffer& buffer) {
    static constexpr std::string_view axes[] = {"Bank", "P", "F"};
    bool has_banks = text(buffer->buffer()->storage_scope) == "trn.psum";
    return std::span(axes).subspan(has_banks ? 0 : 1);
  }
  // The layout of memory that the device has; null for that of others.
  static TileLayout device_layout(const Buffer& buffer) {
    auto* tile = buffer->buffer()->layout.as<TileLayoutNode>();
    if (!tile) return nullptr;
    bool is_here = false;
    for (const Iter& iter : tile->shard) {
      std::string_view name = text(iter->axis->name);
      is_here |= name == "P" || name == "F" || name == "Bank";
    }
    if (!is_here) return nullptr;
    auto axes = axes_of(buffer);
    for (const Iter& iter : tile->shard) {
      if (std::find(axes.begin(), axes.end(), text(iter->axis->name)) == axes.end() &&
          !is_const_int(iter->extent, 1)) {
        throw refuse(refusals["no-such-dimension"], buffer->name.c_str(), iter->axis->name.c_str(),
                     buffer->buffer()->storage_scope.c_str());
      }
    }
    return ref(tile);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  return fn->attrs.count(String("s_tir")) != 0 ? fn : Lower().lowered(fn);
}

}  // namespace

extern const Pass lower_trainium_layout{"LowerTrainiumLayout",
                                        "backend.trn.transform",
                                        "LowerTrainiumLayout()",
                                        doc,
                                        apply,
                                        nullptr,
                                        {},
                                        "tirx.backend.trn.LowerTrainiumLayout"};

}  // namespace mlc::transform::pass_lower_trainium_layout
