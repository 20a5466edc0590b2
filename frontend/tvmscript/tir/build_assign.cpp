// SPDX-License-Identifier: Apache-2.0
// Assignments: stores into buffers, mutable scalars, immutable bindings, and names for things.
#include <algorithm>

#include "frontend/script/core/ir_values.h"
#include "frontend/script/core/value.h"
#include "frontend/tvmscript/builder/arguments.h"
#include "frontend/tvmscript/builder/rows.h"
#include "ir/core/refusal.h"
#include "ir/core/visit.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/layout.h"
#include "ir/tir/linear.h"
#include "ir/tir/op.h"
#include "ir/tir/region.h"

namespace mlc::tvmscript {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "bad-annotation",
         .meaning = "What stands after the colon of a variable must be a type of numbers, or `T.let`.",
         .wrong = "x: T.handle = h",
         .right = R"(x: T.let = h
T.evaluate(x))"},
        {.name = "bad-target",
         .meaning = "A function assigns to names, to tuples of names and to elements of buffers.",
         .wrong = "A[0].x, y = 1, 2",
         .right = R"(x, y = 1, 2
A[0] = T.float32(x + y))"},
        {.name = "cannot-bind",
         .kind = "TypeError",
         .message = "`{}` cannot become a variable of a prim_func",
         .help = "keep a script value with `T.meta_var(...)`",
         .meaning = "Plain assignment makes a variable of the compiled function, which holds a number. A "
                    "value of the script stays one under `T.meta_var`.",
         .wrong = R"(x = T.float32
T.evaluate(x(1)))",
         .right = R"(x = T.meta_var(T.float32)
T.evaluate(x(1)))"},
        {.name = "lanes-not-constant",
         .meaning = "A slice that is stored into becomes a vector, whose length is part of its type and must "
                    "be known now.",
         .wrong = "A[0:n] = T.Broadcast(T.float32(1), 4)",
         .right = "A[n:n + 4] = T.Broadcast(T.float32(1), 4)"},
        {.name = "let-without-value",
         .message = "`T.let` needs a value",
         .meaning = "`T.let` names a value once and for all, so the value stands beside it.",
         .wrong = "x: T.let",
         .right = R"(x: T.let = n + 1
T.evaluate(x))"},
        {.name = "no-effect", .message = "a loop, a block or an attribute cannot be given the name `{}`"},
        {.name = "not-a-buffer",
         .message = "only elements of buffers can be stored to, this is `{}`",
         .meaning = "Only buffers have elements.",
         .wrong = "n[0] = 1",
         .right = "A[0] = 1.0"},
        {.name = "not-assignable",
         .meaning = "Only mutable scalars and elements of buffers can change.",
         .wrong = R"(for i in range(4):
    i += 1)",
         .right = R"(i: T.int32 = 0
i += 1)"},
        {.name = "open-slice",
         .message = "a slice to store into needs both ends",
         .help = "write `A[begin:end]`",
         .meaning =
             "The length of a vector is part of its type, so a slice that is stored into has both ends.",
         .wrong = "A[0:] = T.Broadcast(T.float32(1), 16)",
         .right = "A[0:16] = T.Broadcast(T.float32(1), 16)"},
        {.name = "redefined-variable",
         .message = "`{}` is defined in this scope already",
         .help = "use another name; only mutable scalars can be assigned again",
         .meaning = "A name means one thing in its scope. Mutable scalars can be assigned again, with the "
                    "same type.",
         .wrong = R"(x: T.let = n
x: T.let = n + 1)",
         .right = R"(x: T.let = n
y: T.let = x + 1
A[y] = 1.0)"},
        {.name = "unpack-mismatch",
         .message = "`T.axis.remap` makes {} axes, `{}` is one name",
         .meaning = "What is taken apart needs as many names as it has parts.",
         .wrong = R"(for i, j in T.grid(4, 4):
    with T.sblock("b"):
        vi = T.axis.remap("SS", [i, j])
        A[0] = 1.0)",
         .right = R"(for i, j in T.grid(4, 4):
    with T.sblock("b"):
        vi, vj = T.axis.remap("SS", [i, j])
        A[vi * 4 + vj] = 1.0)"},
        {.name = "wrong-number-of-targets",
         .message = "{} value{} for {}{} name{}",
         .meaning = "As many names as values.",
         .wrong = R"(for i, j in T.grid(4):
    A[i] = 1.0)",
         .right = R"(for i, j in T.grid(4, 4):
    A[i] = 1.0)"},
    }};
MLC_REFUSALS(tir_build_assign, refusals);

namespace {

syntax::Symbol meta_class_mark() {
  static const syntax::Symbol mark(kMetaClassMark);
  return mark;
}

// The one-element buffer behind a mutable scalar, or null: `x` is bound to the load `x[0]`.
const ir::VarNode* scalar_buffer(const Any& value) {
  const ir::VarNode* buffer = nullptr;
  if (auto* load = value.as<ir::TensorLoadNode>()) buffer = load->source.get();
  if (auto* var = value.as<ir::VarNode>(); var && var->buffer()) buffer = var;
  if (!buffer) return nullptr;
  const auto& shape = buffer->buffer()->shape;
  return shape.size() == 1 && ir::is_const_int(shape[0], 1) ? buffer : nullptr;
}

bool is_storable(const Any& value) {
  if (script::is_int(value) || script::is_float(value) || script::is_bool(value)) return true;
  auto* expr = value.as<ir::ExprNode>();
  return expr && expr->ty->kind == ir::TypeKind::kPrim;
}

bool is_meta_object(const Any& value) {
  auto* instance = script::as<script::InstanceNode>(value);
  return instance && instance->cls->find(meta_class_mark());
}

// What an object under @T.meta_class owns is named after the object and the field; what has a name keeps it.
// An object has one name: the first. Fields may refer to each other in circles. `owned`: the buffers that the
// constructor of the object around has made; null outside of objects.
void name_owned(const Any& value, const std::string& name, const Any* owned) {
  const ir::VarNode* buffer = nullptr;
  if (auto* var = value.as<ir::VarNode>(); var && var->buffer()) buffer = var;
  if (auto* load = value.as<ir::TensorLoadNode>()) buffer = load->source.get();
  if (buffer) {
    auto mine = [&](const Any& one) { return one.as<ir::VarNode>() == buffer; };
    if (owned) {
      auto made = script::elements(*owned);
      if (std::none_of(made.begin(), made.end(), mine)) return;
    }
    if (buffer->name.empty()) name_once(buffer, name);
  } else if (is_meta_object(value)) {
    static const syntax::Symbol known("_tirx_meta_name"), resources("_tirx_meta_owned_resources");
    auto* instance = script::as<script::InstanceNode>(value);
    if (instance->own(known)) return;
    instance->set(known, script::str_value(name));
    const Any* made = instance->own(resources);
    Any kept = made ? *made : Any(Array<Any>());  // a view of another is made without the constructor
    std::vector<std::string> fields;
    instance->each_name([&](std::string_view field) { fields.emplace_back(field); });
    for (const std::string& field : fields) {
      Any one = *instance->own(syntax::Symbol(field));
      if (!field.starts_with("_tirx_")) name_owned(one, fmt::format("{}_{}", name, field), &kept);
    }
  } else if (is_list(value)) {
    size_t i = 0;
    for (const Any& one : script::elements(value)) name_owned(one, fmt::format("{}_{}", name, i++), owned);
  } else if (auto dict = value.as<script::Dict>()) {
    size_t i = 0;
    for (const auto& [key, one] : *dict) {
      std::string part = script::is_str(key) ? std::string(script::text_of(key)) : fmt::format("item{}", i);
      name_owned(one, fmt::format("{}_{}", name, part), owned);
      ++i;
    }
  }
}

// The name of a plain, starred or parenthesised target.
const syntax::Name* target_name(const syntax::Expr& target) {
  if (auto* starred = syntax::as<syntax::Starred>(&target)) return syntax::as<syntax::Name>(starred->value);
  return syntax::as<syntax::Name>(&target);
}

syntax::Seq<syntax::Expr> target_elements(const syntax::Expr& target) {
  if (auto* tuple = syntax::as<syntax::Tuple>(&target)) return tuple->elts;
  if (auto* list = syntax::as<syntax::List>(&target)) return list->elts;
  return {};
}

std::string shown(const Type& type) {
  if (auto* prim = type.as<ir::PrimTypeNode>()) return DataType(prim->dtype).str();
  if (auto* pointer = type.as<ir::PointerTypeNode>()) {
    auto* element = pointer->element_type.as<ir::PrimTypeNode>();
    bool open = !element || DataType(element->dtype).is_void();
    return open ? "handle" : fmt::format("handle(\"{}\")", DataType(element->dtype).str());
  }
  return type->kind == ir::TypeKind::kTuple ? "Tuple" : "another type";
}

[[noreturn]] void let_mismatch(const Expr& bound, const Type& type, const syntax::Expr& value,
                               const syntax::Expr& annotation) {
  ir::Error error("type-mismatch", "the value is `{}`, the annotation says `{}`", shown(bound->ty),
                  shown(type));
  bool number = type->kind == ir::TypeKind::kPrim && bound->ty->kind == ir::TypeKind::kPrim;
  throw std::move(error)
      .at(value.span)
      .note("the annotation is here", annotation.span)
      .help(number ? fmt::format("convert it: `T.{}({})`", shown(type),
                                 ir::SourceMap::current().text(value.span))
                   : "leave the type out: `T.let` alone takes that of the value");
}

Expr tuple_from(const Any& value, Span span) {
  if (is_list(value)) {
    Array<Expr> elements;
    for (const Any& element : script::elements(value)) elements.push_back(tuple_from(element, span));
    return ir::make<ir::TupleNode>(elements, span);
  }
  if (script::is_str(value)) return ir::make<ir::StringImmNode>(value.cast<String>(), span);
  return script::as_expr(value, span, "an element of a tuple");
}

// (end - begin) / stride where that is `vscale() * n`; null otherwise.
Expr scalable_lanes(const Expr& end, const Expr& begin, int64_t stride) {
  ir::LinearForm form = ir::LinearForm::of(end);
  form.add(ir::LinearForm::of(begin), -1);
  if (form.constant != 0 || form.terms.size() != 1 || stride <= 0) return nullptr;
  const auto& [atom, factor] = form.terms[0];
  auto* call = ir::as<ir::CallNode>(atom);
  if (!call || !call->op.same_as(ir::op("tirx.vscale")) || factor % stride != 0 || factor <= 0)
    return nullptr;
  return ir::make<ir::MulNode>(atom, ir::int32(static_cast<int>(factor / stride)));
}

}  // namespace

void Builder::poison(const syntax::Expr& target) {
  if (auto* name = target_name(target)) {
    // What has a meaning keeps it.
    if (!names_.peek(name->id)) names_.bind(name->id, Any(ir::make<PoisonNode>()), target.span);
    return;
  }
  for (const syntax::Expr* element : target_elements(target)) poison(*element);
}

Array<Expr> Builder::store_indices(const Buffer& buffer, const syntax::Expr& slice) {
  Array<Expr> indices;
  auto add_value = [&](const Any& value, Span span) {
    Expr index = script::as_expr(value, span, "an index");
    DataType dtype = index->dtype();
    if (index->ty->kind != ir::TypeKind::kPrim || !(dtype.is_int() || dtype.is_uint() || dtype.is_bool())) {
      throw ir::Error("index-not-integer", "an index must be an integer, this one is `{}`", dtype.str())
          .at(span)
          .kind("TypeError");
    }
    indices.push_back(std::move(index));
  };
  auto add = [&](const syntax::Expr* e) {
    if (auto* range = syntax::as<syntax::Slice>(e)) {
      // A[begin:end:step] = vector: the lanes must be known.
      if (!range->lower || !range->upper) {
        throw ir::refuse(refusals["open-slice"]).at(e->span);
      }
      Expr begin = script::as_expr(evaluate(*range->lower), range->lower->span, "an index");
      Expr end = script::as_expr(evaluate(*range->upper), range->upper->span, "an index");
      Expr step = range->step ? script::as_expr(evaluate(*range->step), range->step->span, "a step")
                              : Expr(ir::const_like(begin, 1));
      std::optional<int64_t> distance = ir::constant_difference(end, begin);
      std::optional<int64_t> stride = ir::const_int(step);
      if (Expr lanes = stride ? scalable_lanes(end, begin, *stride) : Expr()) {
        indices.push_back(ir::make<ir::RampNode>(begin, ir::cast(begin->dtype(), step), lanes, e->span));
        return;
      }
      if (!distance || !stride || *stride == 0) {
        throw ir::refuse_as(refusals["lanes-not-constant"],
                            "the length of a slice to store into must be a constant")
            .at(e->span);
      }
      int64_t lanes = (*distance + *stride - (*stride > 0 ? 1 : -1)) / *stride;
      if (lanes < 1)
        throw ir::refuse_as(refusals["lanes-not-constant"], "a slice of {} elements holds no vector", lanes)
            .at(e->span);
      if (lanes == 1) {
        add_value(begin, e->span);
      } else {
        indices.push_back(
            ir::make<ir::RampNode>(begin, ir::cast(begin->dtype(), step), ir::int32(lanes), e->span));
      }
      return;
    }
    if (auto* starred = syntax::as<syntax::Starred>(e)) {
      for (const Any& one : evaluator_.elements_of(evaluate(*starred->value), e->span))
        add_value(one, e->span);
      return;
    }
    Any value = evaluate(*e);
    for (const Any& one : one_or_all(value)) add_value(one, e->span);
  };
  if (auto* tuple = syntax::as<syntax::Tuple>(&slice)) {
    for (const syntax::Expr* element : tuple->elts) add(element);
  } else {
    add(&slice);
  }
  return indices;
}

void Builder::store_subscript(const syntax::Subscript& target, const Any& value, Span span) {
  Any base = evaluate(*target.value);
  auto* buffer = base.as<ir::VarNode>();
  if (!buffer || !buffer->buffer()) {
    ir::Error error =
        ir::refuse(refusals["not-a-buffer"], buffer ? buffer->dtype().str() : ir::type_name(base));
    std::move(error).at(target.value->span).kind("TypeError");
    if (buffer && buffer->dtype().is_handle()) {
      error.first().help =
          fmt::format("give the memory a shape: `{0}_buffer = T.match_buffer({0}, shape, dtype)`",
                      ir::SourceMap::current().text(target.value->span));
    }
    throw error;
  }
  Any stored = value;
  if (auto region = value.as<ir::TensorRegion>()) {
    stored = script::region_value(*region);
    if (stored.as<ir::TensorRegionNode>()) {
      throw ir::Error("region-as-value", "a region of `{}` cannot be stored", (*region)->source->name.c_str())
          .at(span)
          .kind("TypeError")
          .help("load a vector: `A[T.Ramp(begin, 1, lanes)]`");
    }
  }
  Array<Expr> indices = store_indices(ir::ref(buffer), *target.slice);
  store(ir::ref(buffer), script::as_expr(stored, span, "the value of a store"), std::move(indices),
        target.span, span);
}

// `x = value` where x names a mutable scalar (or a buffer of one element).
bool Builder::store_scalar(const syntax::Expr& target, const Any& value, Span span) {
  const Any* current = nullptr;
  Any evaluated;
  if (auto* name = syntax::as<syntax::Name>(&target)) {
    current = names_.peek(name->id);
  } else if (auto* attribute = syntax::as<syntax::Attribute>(&target)) {
    evaluated = evaluate(*attribute->value);
    evaluated = evaluator_.attribute(evaluated, attribute->attr, attribute->span);
    current = &evaluated;
  }
  if (!current) return false;
  const ir::VarNode* buffer = scalar_buffer(*current);
  if (!buffer || !is_storable(value)) return false;
  store(ir::ref(buffer), script::as_expr(value, span, "the value of a store"), {ir::int32(0)}, target.span,
        span);
  return true;
}

Any Builder::named(const std::string& name, const Any& value, Span span) {
  if (auto* meta = frame<MetaVarNode>(value)) return meta->value;
  if (is_list(value)) {
    // A starred target, or one name for several things: name_0, name_1, ... The name stands for the things.
    size_t i = 0;
    for (const Any& element : script::elements(value)) named(fmt::format("{}_{}", name, i++), element, span);
    return value;
  }
  if (value.as<ir::TensorRegionNode>()) return value;
  if (auto* attrs = frame<AttrFrameNode>(value)) {
    enter_flat(*attrs, span);
    if (!attrs->bound)
      throw ir::refuse(refusals["no-effect"], name).at(span).help("let it stand alone, or write `with ...:`");
    name_once(attrs->bound.get(), name);
    return Expr(attrs->bound);
  }
  if (auto* var = value.as<ir::VarNode>()) {
    bool fresh = var->name.empty();
    if (fresh) {
      name_once(var, name);
      if (!var->span) const_cast<ir::VarNode*>(var)->span = span;
    }
    bool elsewhere = !names_.holds(value);
    // A variable from outside of the function gets the name that the function gives it.
    if (!fresh && elsewhere && !var->buffer()) const_cast<ir::VarNode*>(var)->name = String(name);
    if (fresh || elsewhere || var->buffer()) return value;
  }
  if (auto* iter = value.as<ir::IterVarNode>()) {
    name_once(iter->var.get(), name);
    return value;
  }
  if (auto* load = value.as<ir::TensorLoadNode>(); load && load->source->name.empty()) {
    name_once(load->source.get(), name);  // T.local_scalar and the like
    return value;
  }
  if (is_meta_object(value)) {
    name_owned(value, name, nullptr);
    return value;
  }
  if (frame<ForFrameNode>(value) || frame<BlockFrameNode>(value) || frame<InitFrameNode>(value)) {
    throw ir::refuse(refusals["no-effect"], name)
        .at(span)
        .help(frame<ForFrameNode>(value) ? "write `for i in ...:`" : "write `with ...:`");
  }
  auto expr = script::to_expr(value, span);
  if (!expr) {
    throw ir::refuse(refusals["cannot-bind"], ir::type_name(value)).at(span);
  }
  const Expr& e = *expr;
  if (e->ty->kind != ir::TypeKind::kPrim) {
    Var var = ir::make<ir::VarNode>(String(name), e->ty, span);
    emit(ir::make<ir::BindNode>(var, e, span));
    return Expr(var);
  }
  Expr scalar = new_scalar(name, e->dtype(), "local", span);
  store(ir::as<ir::TensorLoadNode>(scalar)->source, e, {ir::int32(0)}, span, span);
  return scalar;
}

// A name is bound once in a scope, unless its first definition failed or is the same variable.
void Builder::check_fresh(const syntax::Name& name, const Any& value) {
  if (!names_.in_innermost(name.id)) return;
  const Any* current = names_.peek(name.id);
  if (frame<PoisonNode>(*current)) return;
  if (auto* var = current->as<ir::VarNode>(); var && var == value.as<ir::VarNode>()) return;
  throw ir::refuse(refusals["redefined-variable"], name.id.str())
      .at(name.span)
      .note("the first definition is here", names_.span_of(name.id));
}

// The buffer or block iterator that this name has just been given is the variable that a line above
// announced:
//   A = T.Buffer((4,))
//   with T.attr(A, "storage_alignment", 64):
//       A = T.decl_buffer((4,), data=p)
bool Builder::declare_announced(const syntax::Name& name, const Any& value) {
  auto* var = value.as<ir::VarNode>();
  if (announced_.empty() || !var || !var->name.empty() || announced_.contains(var) || !body_) return false;
  auto defined = [&]() -> std::function<void(const Var&)> {
    if (!body_->stmts.empty()) {
      Stmt& last = body_->stmts.back();
      if (auto* decl = ir::as<ir::DeclBufferNode>(last); decl && decl->buffer.get() == var)
        return
            [decl, &last](const Var& v) { last = ir::make<ir::DeclBufferNode>(v, decl->data, decl->span); };
      if (auto* alloc = ir::as<ir::AllocBufferNode>(last); alloc && alloc->buffer.get() == var) {
        return [alloc, &last](const Var& v) {
          last = ir::make<ir::AllocBufferNode>(v, alloc->annotations, alloc->span);
        };
      }
    }
    BlockState* block = block_or_root();
    if (!block) return nullptr;
    if (!block->alloc_buffers.empty() && block->alloc_buffers.back().get() == var) {
      return [block](const Var& v) {
        block->alloc_buffers.Set(static_cast<int64_t>(block->alloc_buffers.size()) - 1, v);
      };
    }
    for (auto i = static_cast<int64_t>(block->iter_vars.size()); i-- > 0;) {
      IterVar iter = block->iter_vars[i];
      if (iter->var.get() != var) continue;
      return [block, i, iter](const Var& v) {
        block->iter_vars.Set(i, ir::make<ir::IterVarNode>(iter->dom, v, iter->iter_type, iter->thread_tag));
      };
    }
    return nullptr;
  }();
  if (!defined) return false;
  Var earlier = announced(name.id, var->ty);
  if (!earlier) return false;
  defined(earlier);
  names_.bind(name.id, Expr(earlier), name.span);
  return true;
}

void Builder::bind_name(const syntax::Name& name, const Any& value, Span span) {
  // `n = T.int32()` after a shape that mentions "n": the same variable.
  auto match = match_vars_.find(name.id);
  if (match != match_vars_.end()) {
    auto* var = value.as<ir::VarNode>();
    const Any* current = names_.peek(name.id);
    if (var && var->name.empty() && current && current->as<ir::VarNode>() == match->second.get()) {
      if (!(var->dtype() == match->second->dtype())) {
        throw ir::Error("type-mismatch", "`{}` is `{}` here and `{}` in the signature", name.id.str(),
                        var->dtype().str(), match->second->dtype().str())
            .at(span)
            .note("the signature uses it here", match->second->span);
      }
      touched_ = true;
      return;
    }
  }
  if (declare_announced(name, value)) return;
  check_fresh(name, value);
  names_.bind(name.id, named(std::string(name.id.str()), value, span), name.span);
}

void Builder::assign(const syntax::Expr& target, const Any& value, const syntax::Expr* source, Span span) {
  if (auto* name = syntax::as<syntax::Name>(&target)) return bind_name(*name, value, span);
  if (auto* subscript = syntax::as<syntax::Subscript>(&target))
    return store_subscript(*subscript, value, span);
  syntax::Seq<syntax::Expr> targets = target_elements(target);
  if (targets.empty()) {
    throw ir::refuse_as(refusals["bad-target"],
                        "a prim_func assigns to names, tuples of names and elements of buffers")
        .at(target.span);
  }
  // T.meta_var around a tuple keeps its elements as they are.
  bool keep = false;
  Any sequence = value;
  if (auto* meta = frame<MetaVarNode>(value)) {
    keep = true;
    sequence = meta->value;
  }
  if (auto* tuple = sequence.as<ir::ExprNode>(); tuple && tuple->ty->kind == ir::TypeKind::kTuple) {
    Array<Any> elements;
    auto count =
        static_cast<int64_t>(static_cast<const ir::TupleTypeNode*>(tuple->ty.get())->elements.size());
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(script::ir_subscript(sequence, std::vector<Any>{Any(i)}, span, ir::simplify_linear));
    sequence = elements;
  }
  std::vector<Any> values;
  if (!sequence.as<ir::ExprNode>() && script::is_object(sequence)) {
    values = evaluator_.elements_of(sequence, span);
  } else {
    values = {sequence};
  }
  size_t starred = targets.size();
  for (size_t i = 0; i < targets.size(); ++i) {
    if (syntax::as<syntax::Starred>(targets[i])) starred = i;
  }
  bool has_star = starred < targets.size();
  if (has_star ? values.size() + 1 < targets.size() : values.size() != targets.size()) {
    throw ir::refuse(refusals["wrong-number-of-targets"], values.size(), values.size() == 1 ? "" : "s",
                     has_star ? "at least " : "", has_star ? targets.size() - 1 : targets.size(),
                     targets.size() == 1 ? "" : "s")
        .at(target.span);
  }
  size_t next = 0;
  auto keep_value = [&](const Any& one) { return keep ? Any(ir::make<MetaVarNode>(one)) : one; };
  for (size_t i = 0; i < targets.size(); ++i) {
    if (i != starred) {
      if (syntax::as<syntax::Subscript>(targets[i]))
        throw ir::refuse_as(refusals["bad-target"], "elements of buffers are stored one by one")
            .at(targets[i]->span);
      assign(*targets[i], keep_value(values[next++]), nullptr, targets[i]->span);
      continue;
    }
    size_t count = values.size() - (targets.size() - 1);
    Array<Any> rest;
    for (size_t k = 0; k < count; ++k) rest.push_back(values[next++]);
    auto* name = target_name(*targets[i]);
    if (!name) throw ir::refuse_as(refusals["bad-target"], "`*` needs a name").at(targets[i]->span);
    bind_name(*name, keep_value(rest), targets[i]->span);
  }
}

namespace {

// vi = T.axis.remap("SS", [i, j])
void check_axes_named(const syntax::Name& target, const syntax::Expr& source, const Any& value) {
  auto* call = syntax::as<syntax::Call>(&source);
  auto* function = call ? syntax::as<syntax::Attribute>(call->func) : nullptr;
  static const Symbol remap("remap");
  if (!function || function->attr != remap || !script::as<ffi::ArrayObj>(value)) return;
  size_t count = script::elements(value).size();
  std::string names;
  for (size_t i = 0; i < count; ++i) names += fmt::format("{}{}{}", i ? ", " : "", target.id.str(), i);
  throw ir::refuse(refusals["unpack-mismatch"], count, target.id.str())
      .at(target.span)
      .help(fmt::format("name each of them: `{} = ...`", names));
}

}  // namespace

void Builder::visit_assign(const syntax::Assign& node) {
  if (node.targets.size() != 1) {
    for (const syntax::Expr* each : node.targets) poison(*each);
    throw ir::Error("unsupported-statement", "a prim_func has no `a = b = c`").at(node.span);
  }
  const syntax::Expr& target = *node.targets[0];
  Any value;
  if (!attempt(node.value->span, [&] { value = evaluate(*node.value); })) {
    poison(target);
    return;
  }
  if (!attempt(node.span, [&] {
        if (auto* name = syntax::as<syntax::Name>(&target)) check_axes_named(*name, *node.value, value);
        if (!syntax::as<syntax::Subscript>(&target) && store_scalar(target, value, node.value->span)) return;
        assign(target, value, node.value, node.value->span);
      })) {
    poison(target);
  }
}

void Builder::visit_aug_assign(const syntax::AugAssign& node) {
  Any current = evaluate(*node.target);
  Any operand = evaluate(*node.value);
  Any value = evaluator_.binary(node.op, current, operand, node.span);
  if (auto* subscript = syntax::as<syntax::Subscript>(node.target))
    return store_subscript(*subscript, value, node.span);
  if (store_scalar(*node.target, value, node.span)) return;
  auto* name = syntax::as<syntax::Name>(node.target);
  if (!name)
    throw ir::refuse_as(refusals["not-assignable"], "this is no element of a buffer").at(node.target->span);
  throw ir::refuse_as(refusals["not-assignable"], "`{}` is no mutable scalar", name->id.str())
      .at(node.target->span)
      .note("it is defined here", names_.span_of(name->id));
}

// `T.handle("int64")` where T is `tvm.script.tir`, the name of the dialect until 2026.
bool Builder::is_of_older_dialect(const syntax::Expr& annotation) {
  const syntax::Expr* at = &annotation;
  if (auto* call = syntax::as<syntax::Call>(at)) at = call->func;
  auto* attribute = syntax::as<syntax::Attribute>(at);
  if (!attribute) return false;
  Any module = evaluate(*attribute->value);
  auto* dialect = script::as<script::ApiModuleNode>(module);
  return dialect && dialect->path == "tvm.script.tir";
}

void Builder::visit_ann_assign(const syntax::AnnAssign& node) {
  auto* name = syntax::as<syntax::Name>(node.target);
  if (!name) throw ir::refuse_as(refusals["bad-target"], "only a name can have a type").at(node.target->span);
  bool ok = attempt(node.span, [&] {
    check_fresh(*name, Any(nullptr));
    Any value;
    if (node.value) value = evaluate(*node.value);
    auto bind_to = [&](const Type& type, const Expr& bound) {
      Var var = ir::make<ir::VarNode>(String(std::string(name->id.str())), type, name->span);
      emit(ir::make<ir::BindNode>(var, bound, node.span));
      names_.bind(name->id, Expr(var), name->span);
    };
    // `T.let[T.int32]`, `T.float32[4]`: subscripts of names that are no buffers.
    const syntax::Expr* annotation = node.annotation;
    auto* subscript = syntax::as<syntax::Subscript>(annotation);
    Any base = evaluate(subscript ? *subscript->value : *annotation);
    if (frame<LetAnnotationNode>(base)) {
      if (!node.value) {
        throw ir::refuse(refusals["let-without-value"])
            .at(node.span)
            .help(fmt::format("write `{}: T.let = ...`", name->id.str()));
      }
      bool is_tuple =
          node.value->kind == syntax::ExprKind::kTuple || node.value->kind == syntax::ExprKind::kList;
      Expr bound = is_tuple || script::is_str(value)
                       ? tuple_from(value, node.value->span)
                       : script::as_expr(value, node.value->span, "the value of `T.let`");
      Type type = bound->ty;
      if (subscript) {
        type = return_type_from(*subscript->slice);
        bool names_map = type->kind == ir::TypeKind::kTensorMap && shown(bound->ty) == "handle";
        if (!names_map && !ir::structural_equal(type, bound->ty))
          let_mismatch(bound, type, *node.value, *subscript->slice);
      }
      return bind_to(type, bound);
    }
    Any made = base;
    if (script::as<script::ApiFunctionNode>(base)) made = evaluator_.call(base, {}, {}, annotation->span);
    auto* var = made.as<ir::VarNode>();
    if (!var || !var->name.empty()) {
      throw ir::refuse_as(refusals["bad-annotation"], "`{}` is no type", ir::type_name(made))
          .at(annotation->span)
          .kind("TypeError");
    }
    if (var->ty->kind == ir::TypeKind::kPointer && node.value && !subscript &&
        is_of_older_dialect(*annotation)) {
      // `p: T.handle("int64") = ...`, as texts of 2023 to 2025 have it: pointers are bound for good, and are
      // what their value is.
      Expr bound = script::as_expr(value, node.value->span, "the value of the pointer");
      if (bound->ty->kind == ir::TypeKind::kPointer || bound->dtype().is_handle())
        return bind_to(bound->ty, bound);
    }
    if (var->ty->kind != ir::TypeKind::kPrim) {
      throw ir::refuse_as(refusals["bad-annotation"],
                          "a mutable variable holds a number, not a pointer or a buffer")
          .at(annotation->span)
          .help("use `T.let[...]` for a pointer");
    }
    if (subscript) {
      if (node.value)
        throw ir::refuse_as(refusals["bad-annotation"], "a local array has no initial value")
            .at(node.value->span);
      Array<Expr> shape;
      Any extents = evaluate(*subscript->slice);
      for (const Any& one : one_or_all(extents))
        shape.push_back(script::as_expr(one, subscript->slice->span, "a dimension"));
      auto type = ir::make<ir::BufferTypeNode>(var->dtype(), "local", shape, Array<Expr>{}, ir::int32(0), 64,
                                               1, schedulable_ ? ir::ObjectRef() : ir::default_layout(shape));
      Buffer buffer = allocate(type, {}, node.span);
      name_once(buffer.get(), name->id.str());
      names_.bind(name->id, Expr(buffer), name->span);
      return;
    }
    Expr scalar = new_scalar(name->id.str(), var->dtype(), "local", name->span);
    names_.bind(name->id, scalar, name->span);
    if (node.value) {
      store(ir::as<ir::TensorLoadNode>(scalar)->source,
            script::as_expr(value, node.value->span, "the value of a variable"), {ir::int32(0)}, node.span,
            node.value->span);
    }
  });
  if (!ok) poison(*node.target);
}

}  // namespace mlc::tvmscript
