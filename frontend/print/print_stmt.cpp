// SPDX-License-Identifier: Apache-2.0
// Statements other than blocks.
#include "frontend/print/printer.h"
#include "ir/tir/arith_ops.h"

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {

using ir::view;

// The node of `T.attr({"key": value})`: a plain int32 zero.
bool is_attr_of_nothing(const Any& node) {
  if (auto number = node.as<int64_t>()) return *number == 0;
  auto e = node.as<Expr>();
  if (!e) return false;
  auto* imm = as<IntImmNode>(*e);
  return imm && imm->value == 0 && imm->dtype() == DataType::Int(32);
}

// A value printed as a call can stand as a statement by itself.
bool prints_as_call(const Expr& e) {
  auto* call = as<CallNode>(e);
  if (!call) return false;
  auto* op = as<OpNode>(call->op);
  return !op || view(op->name) != "tirx.buffer_data";
}

bool is_trivial_step(const Expr& step) { return !step || is_const_int(step, 1); }

}  // namespace

void Printer::statements(const Stmt& s) {
  if (auto* seq = as<SeqStmtNode>(s)) {
    for (size_t i = 0; i < seq->seq.size();) {
      Mark mark(*this, nullptr);  // each statement shows the sequence
      one_of(seq->seq, i);
    }
    return;
  }
  stmt(s, true);
}
void Printer::one_of(const Array<Stmt>& seq, size_t& i) {
  const Stmt s = seq[i];
  At at(*this, "seq", static_cast<int64_t>(i));
  ++i;
  if (auto* alloc = as<AllocBufferNode>(s)) {
    Mark mark(*this, s.get());
    bool took_next = false;
    bool more = i < seq.size();
    alloc_buffer(alloc, more ? seq[i] : Stmt(), more ? &took_next : nullptr);
    if (took_next) ++i;
    return;
  }
  // The last statement of a scope reached over the rest of it.
  stmt(s, classic() && i == seq.size());
}
void Printer::body(const char* attr, const Stmt& s) {
  At at(*this, attr);
  ++depth_;
  begin_frame();
  statements(s);
  --depth_;
}

void Printer::body_of(const ffi::Object* node, const char* attr, const Stmt& s) {
  names_.push(node, depth_ + 1, out_.size());
  body(attr, s);
  names_.pop();
}

void Printer::stmt(const Stmt& s, bool alone) {
  Mark mark(*this, s.get());
  auto leave = [&](std::string_view how) {
    if (classic()) not_classic(fmt::format("`{}`", how));
    line();
    put(how);
    end_line();
  };
  dispatch(s, overloaded{
                  [&](const BindNode* n) {
                    bind(n);
                    comment_beside(n);
                  },
                  [&](const AttrStmtNode* n) {
                    if (alone) mark.spread();
                    attr_stmt(n, alone);
                  },
                  [&](const AssertStmtNode* n) {
                    line();
                    if (classic() && (view(n->error_kind) != "RuntimeError" || n->message_parts.size() != 1))
                      not_classic("an assertion with a kind of error or a message in parts");
                    put("assert ");
                    expr("condition", n->condition);
                    put(classic() ? ", " : ", (");
                    auto text = [this](const char* attr, int64_t i, const String& s) {
                      At at(*this, attr, i);
                      Mark mark(*this, nullptr);
                      text_literal("ir.StringImm", s);
                    };
                    if (!classic()) {
                      text("error_kind", -1, n->error_kind);
                      put(", [");
                    }
                    list(n->message_parts,
                         [&](const String& part, int64_t i) { text("message_parts", i, part); });
                    if (!classic()) put("])");
                    end_line();
                    comment_beside(n);
                  },
                  [&](const BufferStoreNode* n) {
                    store(n);
                    comment_beside(n);
                  },
                  [&](const AllocBufferNode* n) { alloc_buffer(n, nullptr, nullptr); },
                  [&](const DeclBufferNode* n) {
                    decl_buffer(n);
                    comment_beside(n);
                  },
                  [&](const SeqStmtNode*) { statements(s); },
                  [&](const EvaluateNode* n) {
                    line();
                    if (prints_as_call(n->value)) {
                      expr("value", n->value);
                    } else {
                      call_of("evaluate", {{"value", n->value}});
                    }
                    end_line();
                    comment_beside(n);
                  },
                  [&](const IfThenElseNode* n) {
                    line(n);
                    put("if ");
                    expr("condition", n->condition);
                    put(":");
                    end_line();
                    body_of(n->then_case.get(), "then_case", n->then_case);
                    if (!n->else_case) return;
                    indent(depth_);
                    put("else:");
                    end_line();
                    body_of(n->else_case.get(), "else_case", n->else_case);
                  },
                  [&](const ForNode* n) { for_loop(n); },
                  [&](const WhileNode* n) {
                    line(n);
                    put("while ");
                    expr("condition", n->condition);
                    put(":");
                    end_line();
                    body_of(n, "body", n->body);
                  },
                  [&](const ReturnNode* n) {
                    line();
                    if (classic()) {
                      call_of("ret", {{"value", n->value}});
                      return end_line();
                    }
                    put("return ");
                    expr("value", n->value);
                    end_line();
                    comment_beside(n);
                  },
                  [&](const BreakNode*) { leave("break"); },
                  [&](const ContinueNode*) { leave("continue"); },
                  [&](const SBlockNode* n) { block(n, nullptr); },
                  [&](const SBlockRealizeNode* n) { realize(n); },
                  [&](const ScopeIdDefStmtNode* n) { scope_ids(n); },
                  [&](const TilePrimitiveCallNode* n) { tile_primitive(n); },
              });
}

void Printer::bind(const BindNode* s) {
  line();
  declare_all(s->value);
  const std::string* known = names_.find(s->var.get());
  if (classic()) {
    if (!known) put(names_.define(s->var.get(), view(s->var->name)), " = ");
    tir("bind");
    put("(");
    expr("value", s->value);
    put(known ? ", var=" + *known + ")" : ")");
    return end_line();
  }
  if (known) {
    put(*known, " = ");
  } else {
    put(names_.define(s->var.get(), view(s->var->name)), ": ");
    tir("let");
    auto* tuple = s->var->ty.as<TupleTypeNode>();
    if (!tuple || !tuple->elements.empty()) {  // nothing has no type to name
      put("[");
      type(s->var->ty);
      put("]");
    }
    put(" = ");
  }
  // A tuple on the right of `=` needs no parentheses.
  At at(*this, "value");
  if (auto* tuple = as<TupleNode>(s->value); tuple && tuple->elements.size() > 1) {
    Mark mark(*this, tuple);
    exprs("fields", tuple->elements);
  } else {
    expr(s->value);
  }
  end_line();
}

// A store to consecutive or strided elements shows its vector index as a slice.
void Printer::store(const BufferStoreNode* s) {
  line();
  name_of(s->buffer.get());
  declare_all(s->value);  // before what the indices need
  {
    At at(*this, "buffer");
    Mark mark(*this, s->buffer.get());
    put(name_of(s->buffer.get()));
  }
  size_t before = targets_.size();
  if (!scalars_.contains(s->buffer.get())) {
    put("[");
    if (s->indices.empty()) put("()");
    At at(*this, "indices");
    list(s->indices, [&](const Expr& index, int64_t i) {
      At item(*this, "indices", i);
      auto* ramp = as<RampNode>(index);
      auto* stride = ramp ? as<IntImmNode>(ramp->stride) : nullptr;
      if (!stride) return expr(index);
      // The end is reckoned with the number of lanes, an int32: narrower indices become one.
      DataType type = ramp->base->dtype();
      if (type.bits() < 32) type = DataType::Int(32);
      auto* from = as<IntImmNode>(ramp->base);
      Expr base = from ? Expr(int_imm(type, from->value)) : ir::cast(type, ramp->base);
      auto* lanes = as<IntImmNode>(ramp->lanes);
      Expr length = lanes                ? Expr(int_imm(type, stride->value * lanes->value))
                    : stride->value == 1 ? ramp->lanes
                                         : Expr(make<MulNode>(ramp->lanes, ramp->stride));
      expr("base", ramp->base);
      put(":");
      expr("end", end_of(base, length));
      if (stride->value != 1) {
        put(":");
        expr("stride", ramp->stride);
      }
    });
    put("]");
  }
  put(" = ");
  size_t behind = targets_.size();
  expr("value", s->value);
  // TVM meets what is looked for in the value first.
  auto at = [this](size_t i) { return targets_.begin() + static_cast<ptrdiff_t>(i); };
  std::rotate(at(before), at(behind), targets_.end());
  end_line();
}

void Printer::attr_stmt(const AttrStmtNode* s, bool alone) {
  if (view(s->attr_key) == "thread_extent" || view(s->attr_key) == "virtual_thread") {
    if (auto thread = s->node.as<IterVar>()) return launch_thread(s, thread->get(), alone);
  }
  line(alone ? nullptr : s);
  if (!alone) put("with ");
  const AttrStmtNode* innermost = s;
  size_t deep = path_.size();
  if (auto hints = s->node.as<Map<String, Any>>(); hints && view(s->attr_key) == "tirx_hint") {
    hint(*hints);
    put(alone ? "" : ":");
  } else if (classic() && is_attr_of_nothing(s->node)) {
    tir("attr");
    put("(0, ", literal(view(s->attr_key)), ", ");
    expr("value", s->value);
    put(alone ? ")" : "):");
  } else if (is_attr_of_nothing(s->node)) {
    tir("attr");
    put("({");
    for (;;) {
      put(literal(view(innermost->attr_key)), ": ");
      expr("value", innermost->value);
      auto* inner = as<AttrStmtNode>(innermost->body);
      if (!inner || !is_attr_of_nothing(inner->node)) break;
      put(", ");
      innermost = inner;
      if (tracking_) path_.push_back(path_.back()->Attr("body"));
    }
    put(alone ? "})" : "}):");
  } else {
    tir("attr");
    put("(");
    {
      At at(*this, "node");
      value(s->node);
      auto* buffer = s->node.as<VarNode>();
      if (buffer && scalars_.contains(buffer)) put(".source");  // not the value in it
    }
    put(", ", literal(view(s->attr_key)), ", ");
    expr("value", s->value);
    put(alone ? ")" : "):");
  }
  end_line();
  names_.push(s, depth_ + (alone ? 0 : 1), out_.size());
  scope_body(innermost->body, alone);
  names_.pop();
  path_.erase(path_.begin() + static_cast<ptrdiff_t>(deep), path_.end());
}

// What an attribute or thread reaches over: indented below `with`, or the rest of the enclosing scope.
void Printer::scope_body(const Stmt& s, bool alone) {
  if (!alone) return body("body", s);
  At at(*this, "body");
  statements(s);
}

// `bx = T.launch_thread("blockIdx.x", 8)` where the variable lives only below this statement, else the
// variable is made by T.env_thread before everything that uses it.
void Printer::launch_thread(const AttrStmtNode* s, const IterVarNode* thread, bool alone) {
  const VarNode* var = thread->var.get();
  names_.innermost().insert_at = out_.size();
  bool defines = false;
  if (!names_.find(var)) {
    if (!names_.used_outside(var, s, scope_root_)) {
      defines = true;
    } else {
      size_t frame = names_.frame_of_uses(var, scope_root_);
      std::string name = names_.define_in(frame, var, view(var->name));
      Capture text(*this);
      indent(names_.frames()[frame].depth);
      put(name, " = ");
      tir("env_thread");
      put("(", literal(view(thread->thread_tag)), ")\n");
      insert(frame, text.take());
    }
  }
  line(alone ? nullptr : s);
  if (defines) {
    names_.push(s, depth_ + (alone ? 0 : 1), out_.size());
    std::string name = names_.define(var, view(var->name));
    names_.innermost().insert_at = out_.size();
    if (alone) put(name, " = ");
    if (!alone) put("with ");
    tir("launch_thread");
    put("(", literal(view(thread->thread_tag)), ", ");
    expr("value", s->value);
    put(")");
    if (!alone) put(" as ", name, ":");
  } else {
    if (!alone) put("with ");
    tir("launch_thread");
    put("(", *names_.find(var), ", ");
    expr("value", s->value);
    put(alone ? ")" : "):");
    names_.push(s, depth_ + (alone ? 0 : 1), out_.size());
  }
  end_line();
  scope_body(s->body, alone);
  names_.pop();
}

// `for i in range(...)`, `for i in T.parallel(...)`, ... after the loop variable is named.
void Printer::loop_header(const ForNode* loop) {
  if (classic() && !is_trivial_step(loop->step)) not_classic("a loop with a step");
  bool from_zero = is_const_int(loop->min, 0) && is_trivial_step(loop->step);
  const Any* unroll = nullptr;
  bool unroll_off = false;
  if (loop->annotations.size() == 1 && !classic()) {
    for (const auto& [key, item] : loop->annotations) {
      if (view(key) == "pragma_unroll") unroll = &item;
      unroll_off = view(key) == "disable_unroll";
    }
  }
  bool plain = loop->for_kind == ForKind::kSerial && loop->annotations.empty();
  if (plain) {
    put("range");
  } else {
    static constexpr const char* kinds[] = {"serial", "parallel", "vectorized", "unroll", "thread_binding"};
    tir(kinds[static_cast<size_t>(loop->for_kind)]);
  }
  put("(");
  if (!from_zero) {
    expr("min", loop->min);
    put(", ");
  }
  {
    // The end of a loop that does not begin at zero is no node: nothing stands for it.
    bool shown = from_zero;
    At at(*this, shown ? "extent" : "end");
    expr(from_zero ? loop->extent : end_of(loop->min, loop->extent));
  }
  if (loop->for_kind == ForKind::kThreadBinding) {
    put(", thread=",
        literal(loop->thread_binding ? view(loop->thread_binding->thread_tag) : std::string_view()));
  }
  if (unroll_off) {
    put(", unroll=False");
  } else if (unroll) {
    for (const auto& [key, item] : loop->annotations) {
      put(", unroll=");
      value(item);
    }
  } else if (!loop->annotations.empty()) {
    put(", annotations=");
    dict(loop->annotations);
  }
  if (!is_trivial_step(loop->step)) {
    put(plain ? ", " : ", step=");
    expr("step", loop->step);
  }
  put(")");
}

void Printer::for_loop(const ForNode* loop) {
  // Perfect nests of plain loops whose extents do not depend on each other become one T.grid.
  std::vector<const ForNode*> grid;
  if (options_.syntax_sugar) {
    for (const ForNode* l = loop; l; l = as<ForNode>(l->body)) {
      if (l->for_kind != ForKind::kSerial || !is_const_int(l->min, 0) || !l->annotations.empty() ||
          !is_trivial_step(l->step)) {
        break;
      }
      bool depends = l->extent->kind != ExprKind::kIntImm && !grid.empty() &&
                     uses_var(l->extent, [&grid](const VarNode* var) {
                       for (const ForNode* outer : grid) {
                         if (outer->loop_var.get() == var) return true;
                       }
                       return false;
                     });
      if (depends) break;
      grid.push_back(l);
    }
  }
  line(loop);
  put("for ");
  // What only the loop needs is declared at the begin of its body, also what its bounds need.
  names_.push(loop, depth_ + 1, std::string::npos);
  size_t deep = path_.size();
  const ForNode* innermost = loop;
  if (grid.size() > 1) {
    innermost = grid.back();
    list(grid, [&](const ForNode* each, int64_t) {
      names_.define_loop(each);
      put(*names_.find(each->loop_var.get()));
    });
    put(" in ");
    call_of("grid", [&] {
      list(grid, [&](const ForNode* each, int64_t i) {
        if (i && tracking_) path_.push_back(path_.back()->Attr("body"));
        expr("extent", each->extent);
      });
    });
  } else {
    names_.define_loop(loop);
    put(*names_.find(loop->loop_var.get()), " in ");
    loop_header(loop);
  }
  put(":");
  end_line();
  body("body", innermost->body);
  path_.erase(path_.begin() + static_cast<ptrdiff_t>(deep), path_.end());
  names_.pop();
}

}  // namespace mlc::print
