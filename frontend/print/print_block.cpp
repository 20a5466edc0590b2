// SPDX-License-Identifier: Apache-2.0
// Blocks and their axes.
#include "frontend/print/printer.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

std::string_view axis_kind(IterType type) {
  switch (type) {
    case IterType::kDataPar:
      return "axis.spatial";
    case IterType::kCommReduce:
      return "axis.reduce";
    case IterType::kOrdered:
      return "axis.scan";
    case IterType::kOpaque:
      return "axis.opaque";
    default:
      throw Error("not-printable", "a block iterator of kind {} has no text form", static_cast<int>(type));
  }
}

}  // namespace

void Printer::realize(const SBlockRealizeNode* s) { block(s->block.get(), s); }

// An iterator that just takes over a loop with the same domain.
bool Printer::remaps(const IterVar& iter, const Expr& value) const {
  if (iter->iter_type != IterType::kDataPar && iter->iter_type != IterType::kCommReduce) return false;
  auto* var = as<VarNode>(value);
  const ForNode* loop = var ? names_.loop_of(var) : nullptr;
  if (!loop) return false;
  auto same = [](const Expr& a, const Expr& b) {
    auto* x = as<IntImmNode>(a);
    auto* y = as<IntImmNode>(b);
    if (x && y) return x->value == y->value && x->dtype() == y->dtype();
    return structural_equal(a, b);
  };
  return same(loop->min, iter->dom->min) && same(loop->extent, iter->dom->extent);
}

void Printer::axis(const IterVar& iter, size_t i, const Expr* value) {
  line();
  put(names_.define(iter->var.get(), view(iter->var->name)), " = ");
  tir(axis_kind(iter->iter_type));
  put("(");
  {
    At block(*this, value ? "block" : nullptr);
    // As TVM spells it.
    At at(*this, "iter_var", static_cast<int64_t>(i));
    At dom(*this, "dom");
    if (is_const_int(iter->dom->min, 0)) {
      expr("extent", iter->dom->extent);
    } else {
      put("(");
      expr("min", iter->dom->min);
      put(", ");
      expr("end", end_of(iter->dom->min, iter->dom->extent));
      put(")");
    }
  }
  if (value) {
    put(", ");
    At at(*this, "iter_values", static_cast<int64_t>(i));
    expr(*value);
  }
  put(")");
  end_line();
}

void Printer::axes(const SBlockNode* block, const SBlockRealizeNode* realize) {
  size_t count = block->iter_vars.size();
  bool sugar = realize && options_.syntax_sugar;
  for (size_t i = 0; i < count;) {
    size_t end = i;
    while (sugar && end < count && remaps(block->iter_vars[end], realize->iter_values[end])) ++end;
    if (end < i + 2) {
      const Expr value = realize ? realize->iter_values[i] : Expr();
      axis(block->iter_vars[i], i, realize ? &value : nullptr);
      ++i;
      continue;
    }
    line();
    std::string kinds;
    for (size_t k = i; k < end; ++k) {
      if (k > i) put(", ");
      const IterVar& iter = block->iter_vars[k];
      put(names_.define(iter->var.get(), view(iter->var->name)));
      kinds += iter->iter_type == IterType::kDataPar ? 'S' : 'R';
    }
    put(" = ");
    tir("axis.remap");
    put("(\"", kinds, "\", [");
    for (size_t k = i; k < end; ++k) {
      if (k > i) put(", ");
      At at(*this, "iter_values", static_cast<int64_t>(k));
      expr(realize->iter_values[k]);
    }
    put("])");
    end_line();
    i = end;
  }
}

void Printer::block(const SBlockNode* block, const SBlockRealizeNode* realize) {
  names_.innermost().insert_at = out_.size();
  if (tracking_ && realize) {
    At at(*this, "block");
    comment_above(block);
  }
  line(realize ? static_cast<const ffi::Object*>(realize) : block);
  put("with ");
  tir("sblock");
  put("(");
  {
    At block_at(*this, realize ? "block" : nullptr);
    At at(*this, "name_hint");
    Mark mark(*this, nullptr);
    put(literal(view(block->name_hint)));
  }
  put(realize ? "):" : ", no_realize=True):");
  end_line();
  ++depth_;
  names_.push(block, depth_, out_.size());
  axes(block, realize);
  if (realize && !is_const_int(realize->predicate, 1)) {
    line();
    call_of("where", {{"predicate", realize->predicate}});
    end_line();
  }
  At in_block(*this, realize ? "block" : nullptr);
  std::optional<Mark> mark;  // the text is the realization's: the block itself has none of its own
  if (realize) mark.emplace(*this, block).spread();
  auto regions = [this](const char* name, const Array<TensorRegion>& all) {
    line();
    call_of(name, [&] {
      list(all, [&](const TensorRegion& one, int64_t i) {
        At at(*this, name, i);
        region(one.get());
      });
    });
    end_line();
  };
  regions("reads", block->reads);
  regions("writes", block->writes);
  if (!block->annotations.empty()) {
    line();
    call_of("sblock_attr", [&] { dict(block->annotations); });
    end_line();
  }
  int64_t n = 0;
  for (const Buffer& buffer : block->alloc_buffers) {
    At at(*this, "alloc_buffers", n++);
    block_buffer(buffer);
  }
  n = 0;
  for (const MatchBufferRegion& match : block->match_buffers) {
    At at(*this, "match_buffers", n++);
    Mark mark(*this, match.get());
    line();
    match_buffer(match.get());
    end_line();
  }
  if (block->init) {
    line();
    put("with ");
    tir("init");
    put("():");
    end_line();
    body_of(block->init.get(), "init", block->init);
  }
  {
    At at(*this, "body");
    statements(block->body);
  }
  names_.pop();
  --depth_;
}

void Printer::match_buffer(const MatchBufferRegionNode* match) {
  put(names_.define(match->buffer.get(), view(match->buffer->name)), " = ");
  call_of("match_buffer", [&] {
    {
      At source(*this, "source");
      region(match->source.get());
    }
    put(", ");
    At at_buffer(*this, "buffer");
    buffer_arguments(match->buffer, {});
  });
}

}  // namespace mlc::print
