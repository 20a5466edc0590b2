// SPDX-License-Identifier: Apache-2.0
// Which loops copy a part of a buffer contiguously.
#include "ir/registry/api.h"
#include "ir/tir/arith_ops.h"
#include "transform/arith/int_set.h"
#include "transform/arith/iter_map.h"
#include "transform/pass/analyzing_rewriter.h"
#include "transform/register_api.h"

namespace mlc::transform {

using namespace ir;  // NOLINT: questions about nodes

namespace {

// The offset of an element, in elements from the start of the buffer's memory.
Expr place_in_memory(const Buffer& buffer, const Array<Expr>& indices, Analyzer& analyzer) {
  const BufferTypeNode* type = buffer->buffer();
  Expr place = const_like(indices[0], 0);
  if (type->strides.empty()) {
    for (size_t i = 0; i < indices.size(); ++i) place = place * type->shape[i] + indices[i];
  } else {
    for (size_t i = 0; i < indices.size(); ++i) place = place + indices[i] * type->strides[i];
  }
  return analyzer.simplify(place + type->elem_offset);
}

// One side of a copy.
struct Side {
  const char* name;  // "src"
  Expr place;
  IterMapResult map;
  IntervalSet values;
};

class MemoryCopies final : public AnalyzingRewriter {
 public:
  explicit MemoryCopies(const ApiCall& call) : call_(call) {}
  Array<Any> found;
  using AnalyzingRewriter::rewrite;

  Stmt rewrite(const Stmt& s) override {
    if (auto* loop = as<ForNode>(s)) found.push_back(of(*loop));
    return AnalyzingRewriter::rewrite(s);
  }

 private:
  const ApiCall& call_;

  template <class... Args>
  Any no(fmt::format_string<Args...> message, Args&&... args) const {
    return make<StringImmNode>(String(fmt::format(message, std::forward<Args>(args)...)));
  }
  std::string text(const Any& value) const { return call_.host.repr(value); }
  std::string text(const IterMapError& error) const {
    std::string result;
    size_t next = 0, from = 0;
    for (size_t at; (at = error.message.find("{}", from)) != std::string::npos; from = at + 2) {
      result += error.message.substr(from, at - from);
      result += next < error.exprs.size() ? text(Any(error.exprs[next++])) : "";
    }
    return result + error.message.substr(from);
  }

  // The buffers' regions, or why the nest of loops copies none.
  Any of(const ForNode& outermost) {
    std::vector<LoopRange> ranges;
    Domains domains;
    Expr iterations = const_like(outermost.extent, 1);
    Stmt body = ref(&outermost);
    while (auto* loop = as<ForNode>(body)) {
      Range range = make<RangeNode>(loop->min, loop->extent);
      ranges.push_back({loop->loop_var, range});
      domains.emplace(loop->loop_var.get(), interval_of(range, analyzer));
      iterations = iterations * loop->extent;
      body = loop->body;
    }
    auto* store = as<BufferStoreNode>(body);
    if (!store)
      return no("Expected innermost loop to have BufferStore body, but instead found {}", text(body));
    auto* load = as<TensorLoadNode>(store->value);
    if (!load)
      return no("Expected BufferStore's value to be BufferLoad, but instead found {}", text(store->value));

    Side sides[] = {{"src", place_in_memory(load->source, load->indices, analyzer), {}, {}},
                    {"dst", place_in_memory(store->buffer, store->indices, analyzer), {}, {}}};
    for (Side& side : sides) {
      side.map =
          detect_iter_map({side.place}, ranges, Expr(bool_imm(true)), IterMapCheck::kBijective, analyzer);
      if (side.map.errors.empty()) continue;
      std::string errors;
      for (const IterMapError& error : side.map.errors)
        errors += fmt::format("{}\"{}\"", errors.empty() ? "" : ", ", text(error));
      size_t n = side.map.errors.size();
      return no("sym::DetectIterMap({}) returned {} errors: [({}{})] for {}_index = {}", side.name, n, errors,
                n == 1 ? "," : "", side.name, text(side.place));
    }
    for (Side& side : sides) {
      side.values = interval_of(side.place, domains, analyzer);
      if (!side.values->has_lower() || !side.values->has_upper())
        return no("Expected known bounds for {}, but found {}", side.name, text(Any(side.values)));
    }
    for (const Side& side : sides) {
      Expr same = eq(iterations, side.values->max_value - side.values->min_value + 1);
      Expr simplified = analyzer.simplify(same);
      if (!analyzer.can_prove(simplified))
        return no(
            "Mismatch between loop iterations ({}) and number of {} indices touched ({}.  Equality to prove "
            "simplified to {}",
            text(iterations), side.name, text(Any(side.values)), text(simplified));
    }
    if (Any reason = difference(sides[0].map.indices[0], sides[1].map.indices[0]); reason != nullptr)
      return reason;
    return Array<Any>{Any(touched(load->source, load->indices, domains)),
                      Any(touched(store->buffer, store->indices, domains))};
  }

  // Do the sums run through their values in the same order?
  Any difference(const IterSum& src, const IterSum& dst) {
    if (src->args.size() != dst->args.size())
      return no(
          "IterMap for src/dst unpacked to different number of IterSumExpr: {} for src, {} for dst.  "
          "IterMaps "
          "were detected as src = {}, dst = {}",
          src->args.size(), dst->args.size(), text(Any(src)), text(Any(dst)));
    for (size_t i = 0; i < src->args.size(); ++i) {
      const IterSplit& a = src->args[i];
      const IterSplit& b = dst->args[i];
      auto differ = [&](const char* field, const Expr& x, const Expr& y) {
        return no("Term {} had different {}, src_term->{} = {}, dst_term->{} = {}", i, field, field, text(x),
                  field, text(y));
      };
      if (!structural_equal(a->source, b->source))
        return no("Term {} had different source, src_term->source = {}, dst_term->source = {}", i,
                  text(Any(a->source)), text(Any(b->source)));
      if (!analyzer.can_prove_equal(a->lower_factor, b->lower_factor))
        return differ("lower_factor", a->lower_factor, b->lower_factor);
      if (!analyzer.can_prove_equal(a->extent, b->extent)) return differ("extent", a->extent, b->extent);
      if (!analyzer.can_prove_equal(a->scale, b->scale)) return differ("scale", a->scale, b->scale);
    }
    return nullptr;
  }

  TensorRegion touched(const Buffer& buffer, const Array<Expr>& indices, const Domains& domains) {
    Array<Range> region;
    for (const Expr& index : indices) {
      IntervalSet values = interval_of(index, domains, analyzer);
      region.push_back(make<RangeNode>(analyzer.simplify(values->min_value),
                                       analyzer.simplify(values->max_value - values->min_value + 1)));
    }
    return make<TensorRegionNode>(buffer, region);
  }
};

Any identify_memcpy(ApiCall& call) {
  MemoryCopies copies(call);
  copies.rewrite(detail::argument<Stmt>(call, 0));
  return copies.found;
}

constexpr ApiRow copy_api_table[] = {
    {ApiKind::kFunction, "tvm.s_tir.analysis", "_identify_memcpy(stmt)",
     "For each loop, from the outside: what it copies and where to, `[source, target]`, or why it is no copy "
     "of memory as it lies.",
     identify_memcpy},
};

}  // namespace

void register_copy_api() { ApiRegistry::global().add(copy_api_table); }

}  // namespace mlc::transform
