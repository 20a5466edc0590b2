// SPDX-License-Identifier: Apache-2.0
// The classes of IR nodes by name (tvm.tirx.For, tvm.ir.Range, tvm.s_tir.SBlock, ...): what scripts build
// trees with, and what isinstance knows.
#include "frontend/tvmscript/arguments.h"
#include "frontend/tvmscript/frame.h"
#include "frontend/tvmscript/rows.h"
#include "ir/arith_ops.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace mlc::tvmscript {
namespace {

constexpr std::string_view kTirx = "tvm.tirx";
constexpr std::string_view kIr = "tvm.ir";
constexpr std::string_view kSTir = "tvm.s_tir";

// A type, or the name of a data type.
Type type_from(const Any& value, Span span) {
  if (auto type = value.as<Type>()) return *type;
  if (auto* wrapped = frame<TypeValueNode>(value)) return wrapped->type;
  DataType dtype = dtype_from(value, span);
  return dtype.is_handle() ? Type(void_pointer()) : Type(ir::prim_type(dtype));
}
Type type_arg(const ApiCall& call, size_t i) { return type_from(call.args[i], call.span_of(i)); }
Array<Type> types_arg(const ApiCall& call, size_t i) {
  Array<Type> types;
  for (const Any& one : items(call.args[i], call.span_of(i)))
    types.push_back(type_from(one, call.span_of(i)));
  return types;
}

ir::Stmt stmt_from(const Any& value, const ApiCall& call, size_t i) {
  if (auto s = value.as<ir::Stmt>()) return *s;
  ir::wrong_argument(call, i, "statement");
}
ir::Stmt stmt_arg(const ApiCall& call, size_t i) { return stmt_from(call.args[i], call, i); }
ir::Stmt stmt_or_null(const ApiCall& call, size_t i) {
  return is_given(call, i) ? stmt_arg(call, i) : nullptr;
}
Var var_arg(const ApiCall& call, size_t i) {
  if (auto* var = call.args[i].as<ir::VarNode>()) return ir::ref(var);
  ir::wrong_argument(call, i, "variable");
}
Array<Var> vars_arg(const ApiCall& call, size_t i) {
  Array<Var> vars;
  for (const Any& one : items(call.args[i], call.span_of(i))) {
    auto* var = one.as<ir::VarNode>();
    if (!var) ir::wrong_argument(call, i, "list of variables");
    vars.push_back(ir::ref(var));
  }
  return vars;
}
int64_t int_arg(const ApiCall& call, size_t i) {
  if (script::is_int(call.args[i])) return script::raw_int(call.args[i]);
  if (auto* e = call.args[i].as<ir::IntImmNode>()) return e->value;
  ir::wrong_argument(call, i, "int");
}
// A range, or the pair (begin, end).
ir::Range range_from(const Any& value, const ApiCall& call, size_t i) {
  if (auto range = value.as<ir::Range>()) return *range;
  std::vector<Any> ends = items(value, call.span_of(i));
  if (ends.size() != 2) ir::wrong_argument(call, i, "range, or a pair of begin and end");
  Expr begin = script::as_expr(ends[0], call.span_of(i), "the begin of a range");
  Expr end = script::as_expr(ends[1], call.span_of(i), "the end of a range");
  return ir::make<ir::RangeNode>(begin, ir::sub(end, begin));
}
template <class N>
Array<ir::Ref<N>> nodes_arg(const ApiCall& call, size_t i, std::string_view expected) {
  Array<ir::Ref<N>> nodes;
  if (!is_given(call, i)) return nodes;
  for (const Any& one : items(call.args[i], call.span_of(i))) {
    auto* node = one.as<N>();
    if (!node) ir::wrong_argument(call, i, expected);
    nodes.push_back(ir::ref(node));
  }
  return nodes;
}
Array<ir::Range> ranges_arg(const ApiCall& call, size_t i) {
  Array<ir::Range> ranges;
  for (const Any& one : items(call.args[i], call.span_of(i))) ranges.push_back(range_from(one, call, i));
  return ranges;
}

// ---- expressions ----

Any var(ApiCall& call) { return Expr(ir::make<ir::VarNode>(str_arg(call, 0), type_arg(call, 1), call.span)); }
Any string_imm(ApiCall& call) { return Expr(ir::make<ir::StringImmNode>(str_arg(call, 0), call.span)); }
Any global_var(ApiCall& call) {
  return Expr(ir::make<ir::GlobalVarNode>(str_arg(call, 0), ir::opaque_type(), call.span));
}
Any op_get(ApiCall& call) {
  String name = str_arg(call, 0);
  return Expr(ir::op(view(name)));
}
Any tuple(ApiCall& call) { return Expr(ir::make<ir::TupleNode>(exprs_arg(call, 0), call.span)); }
Any tuple_get_item(ApiCall& call) {
  return Expr(ir::make<ir::TupleGetItemNode>(expr_arg(call, 0), int_arg(call, 1), call.span));
}
Any call_node(ApiCall& call) {  // Call(ty, op, args, attrs)
  Array<Expr> args;
  for (const Any& one : items(call.args[2], call.span_of(2))) {
    args.push_back(script::is_str(one) ? Expr(ir::make<ir::StringImmNode>(one.cast<String>()))
                                       : script::as_expr(one, call.span_of(2), "an argument"));
  }
  return Expr(
      ir::make<ir::CallNode>(type_arg(call, 0), expr_arg(call, 1), args, attributes_arg(call, 3), call.span));
}
Any buffer_load(ApiCall& call) {
  return Expr(ir::make<ir::TensorLoadNode>(buffer_arg(call, 0), exprs_arg(call, 1), call.span));
}
Any buffer_region(ApiCall& call) {
  return Expr(ir::make<ir::TensorRegionNode>(buffer_arg(call, 0), ranges_arg(call, 1), call.span));
}
Any let(ApiCall& call) {
  return Expr(ir::make<ir::LetNode>(var_arg(call, 0), expr_arg(call, 1), expr_arg(call, 2), call.span));
}
Any range(ApiCall& call) {
  Expr begin = expr_arg(call, 0);
  if (!is_given(call, 1)) return ir::make<ir::RangeNode>(ir::const_like(begin, 0), begin);
  return ir::make<ir::RangeNode>(begin, ir::sub(expr_arg(call, 1), begin));
}
Any range_from_min_extent(ApiCall& call) {
  return ir::make<ir::RangeNode>(expr_arg(call, 0), expr_arg(call, 1));
}
Any iter_var(ApiCall& call) {  // IterVar(dom, var, iter_type, thread_tag)
  ir::Range dom = is_given(call, 0) ? range_from(call.args[0], call, 0) : ir::Range(nullptr);
  Type type = dom ? dom->extent->ty : Type(ir::prim_type(DataType::Int(32)));
  Var var = script::is_str(call.args[1])
                ? ir::make<ir::VarNode>(call.args[1].cast<String>(), type, call.span_of(1))
                : var_arg(call, 1);
  int64_t kind = int_arg(call, 2);
  if (kind < 0 || kind > static_cast<int64_t>(ir::IterType::kTensorized))
    ir::wrong_argument(call, 2, "kind of iterator, 0 to 8");
  return ir::make<ir::IterVarNode>(dom, var, static_cast<ir::IterType>(kind), str_arg(call, 3));
}
Any thread_axis(ApiCall& call) {  // thread_axis(dom, tag, name); a string alone is the tag
  Any dom = call.args[0];
  String tag = str_arg(call, 1);
  if (script::is_str(dom)) {
    tag = dom.cast<String>();
    dom = nullptr;
  }
  if (tag.empty()) {
    throw ir::Error("missing-argument", "`thread_axis` needs the tag of a thread")
        .at(call.span)
        .kind("ValueError");
  }
  String name = is_given(call, 2) ? str_arg(call, 2) : tag;
  ir::Range range = script::is_none(dom) ? ir::Range(nullptr) : range_from(dom, call, 0);
  Type type = range ? range->extent->ty : Type(ir::prim_type(DataType::Int(32)));
  Var var = ir::make<ir::VarNode>(name, type, call.span);
  return ir::make<ir::IterVarNode>(range, var, ir::IterType::kThreadIndex, tag);
}
// Lists become arrays, dicts become maps, all the way down.
Any convert(ApiCall& call) { return attribute_value(call.args[0], call.span_of(0)); }
Any comm_reducer(ApiCall& call) {
  return ir::make<ir::CommReducerNode>(vars_arg(call, 0), vars_arg(call, 1), exprs_arg(call, 2),
                                       exprs_arg(call, 3));
}
Any reduce(ApiCall& call) {  // Reduce(combiner, src, rdom, condition, value_index, init)
  auto combiner = call.args[0].as<ir::CommReducer>();
  if (!combiner) ir::wrong_argument(call, 0, "CommReducer");
  Array<Expr> init = is_given(call, 5) ? exprs_arg(call, 5) : Array<Expr>();
  return Expr(ir::make<ir::ReduceNode>(*combiner, exprs_arg(call, 1), init,
                                       nodes_arg<ir::IterVarNode>(call, 2, "list of iterators"),
                                       expr_arg(call, 3), int_arg(call, 4), call.span));
}

// ---- types ----

Any prim_type(ApiCall& call) {
  DataType dtype = dtype_arg(call, 0);
  if (dtype.is_handle()) {
    throw ir::Error("type-mismatch", "`PrimType` cannot be a pointer")
        .at(call.span_of(0))
        .kind("TypeError")
        .help("use `PointerType(PrimType(\"void\"))`");
  }
  return Type(ir::prim_type(dtype));
}
Any pointer_type(ApiCall& call) {
  return Type(ir::make<ir::PointerTypeNode>(type_arg(call, 0), str_arg(call, 1)));
}
Any tuple_type(ApiCall& call) { return Type(ir::make<ir::TupleTypeNode>(types_arg(call, 0))); }
Any func_type(ApiCall& call) {
  return Type(ir::make<ir::FuncTypeNode>(types_arg(call, 0), type_arg(call, 1)));
}
Any string_type(ApiCall&) { return ir::string_type(); }
Any opaque_type(ApiCall&) { return ir::opaque_type(); }
Any buffer_region_type(ApiCall&) { return ir::buffer_region_type(); }

// ---- statements ----

Any bind(ApiCall& call) { return ir::make<ir::BindNode>(var_arg(call, 0), expr_arg(call, 1), call.span); }
String text_of(const Any& value, const ApiCall& call, size_t i) {
  if (auto* text = value.as<ir::StringImmNode>()) return text->value;
  if (script::is_str(value)) return value.cast<String>();
  ir::wrong_argument(call, i, "str");
}
Any assert_stmt(ApiCall& call) {  // AssertStmt(kind, condition, message_parts)
  Array<String> parts;
  if (is_given(call, 2)) {
    for (const Any& one : items(call.args[2], call.span_of(2))) parts.push_back(text_of(one, call, 2));
  }
  return ir::make<ir::AssertStmtNode>(expr_arg(call, 1), text_of(call.args[0], call, 0), parts, call.span);
}
Any for_loop(ApiCall& call) {  // For(loop_var, min, extent, kind, body, thread_binding, annotations, step)
  int64_t kind = int_arg(call, 3);
  if (kind < 0 || kind > static_cast<int64_t>(ir::ForKind::kThreadBinding))
    ir::wrong_argument(call, 3, "kind of loop, 0 to 4");
  Var loop_var = var_arg(call, 0);
  auto like = [&](size_t i) { return ir::cast(loop_var->dtype(), expr_arg(call, i), call.span_of(i)); };
  ir::IterVar thread;
  if (is_given(call, 5)) {
    auto given = call.args[5].as<ir::IterVar>();
    if (!given) ir::wrong_argument(call, 5, "IterVar");
    thread = *given;
  }
  return ir::make<ir::ForNode>(loop_var, like(1), like(2), static_cast<ir::ForKind>(kind), stmt_arg(call, 4),
                               thread, attributes_arg(call, 6), is_given(call, 7) ? like(7) : Expr(),
                               call.span);
}
Any while_loop(ApiCall& call) {
  return ir::make<ir::WhileNode>(expr_arg(call, 0), stmt_arg(call, 1), call.span);
}
Any buffer_store(ApiCall& call) {
  Buffer buffer = buffer_arg(call, 0);
  DataType dtype = buffer->buffer()->dtype;
  Expr value = expr_arg(call, 1);
  if (!script::is_object(call.args[1])) value = ir::cast(dtype, value, call.span_of(1));
  return ir::make<ir::BufferStoreNode>(buffer, value, exprs_arg(call, 2), call.span);
}
Any alloc_buffer(ApiCall& call) {
  return ir::make<ir::AllocBufferNode>(buffer_arg(call, 0), attributes_arg(call, 1), call.span);
}
Any decl_buffer_stmt(ApiCall& call) {
  return ir::make<ir::DeclBufferNode>(buffer_arg(call, 0), expr_arg(call, 1), call.span);
}
Any attr_stmt(ApiCall& call) {
  Expr value =
      script::is_str(call.args[2]) ? Expr(ir::make<ir::StringImmNode>(str_arg(call, 2))) : expr_arg(call, 2);
  return ir::make<ir::AttrStmtNode>(attribute_value(call.args[0], call.span_of(0)), str_arg(call, 1), value,
                                    stmt_arg(call, 3), call.span);
}
Any seq_stmt(ApiCall& call) {
  Array<ir::Stmt> all;
  for (const Any& one : items(call.args[0], call.span_of(0))) {
    ir::Stmt s = stmt_from(one, call, 0);
    if (auto* inner = ir::as<ir::SeqStmtNode>(s)) {
      for (const ir::Stmt& each : inner->seq) all.push_back(each);
    } else {
      all.push_back(s);
    }
  }
  if (all.size() < 2) {
    throw ir::Error("wrong-arguments", "`SeqStmt` is for two statements or more, got {}", all.size())
        .at(call.span_of(0))
        .kind("ValueError");
  }
  return ir::make<ir::SeqStmtNode>(all, call.span);
}
Any stmt_seq(ApiCall& call) {
  Array<ir::Stmt> all;
  for (const Any& one : script::elements(call.args[0])) {
    if (auto s = one.as<ir::Stmt>()) {
      all.push_back(*s);
    } else {
      all.push_back(ir::make<ir::EvaluateNode>(script::as_expr(one, call.span, "a statement"), call.span));
    }
  }
  return all.size() == 1 ? all[0] : ir::Stmt(ir::make<ir::SeqStmtNode>(all, call.span));
}
Any if_then_else(ApiCall& call) {
  return ir::make<ir::IfThenElseNode>(expr_arg(call, 0), stmt_arg(call, 1), stmt_or_null(call, 2), call.span);
}
Any evaluate(ApiCall& call) { return ir::make<ir::EvaluateNode>(expr_arg(call, 0), call.span); }
Any return_stmt(ApiCall& call) { return ir::make<ir::ReturnNode>(expr_arg(call, 0), call.span); }
Any break_stmt(ApiCall& call) { return ir::make<ir::BreakNode>(call.span); }
Any continue_stmt(ApiCall& call) { return ir::make<ir::ContinueNode>(call.span); }

Any match_buffer_region(ApiCall& call) {
  auto source = call.args[1].as<ir::TensorRegion>();
  if (!source) ir::wrong_argument(call, 1, "region of a buffer");
  return ir::make<ir::MatchBufferRegionNode>(buffer_arg(call, 0), *source);
}
// SBlock(iter_vars, reads, writes, name_hint, body, init, alloc_buffers, match_buffers, annotations)
Any sblock(ApiCall& call) {
  Array<Buffer> buffers = nodes_arg<ir::VarNode>(call, 6, "list of buffers");
  return ir::make<ir::SBlockNode>(nodes_arg<ir::IterVarNode>(call, 0, "list of iterators"),
                                  nodes_arg<ir::TensorRegionNode>(call, 1, "list of regions"),
                                  nodes_arg<ir::TensorRegionNode>(call, 2, "list of regions"),
                                  str_arg(call, 3), stmt_arg(call, 4), stmt_or_null(call, 5), buffers,
                                  nodes_arg<ir::MatchBufferRegionNode>(call, 7, "list of matched regions"),
                                  attributes_arg(call, 8), call.span);
}
Any sblock_realize(ApiCall& call) {
  auto block = call.args[2].as<ir::SBlock>();
  if (!block) ir::wrong_argument(call, 2, "SBlock");
  return ir::make<ir::SBlockRealizeNode>(exprs_arg(call, 0), expr_arg(call, 1), *block, call.span);
}

// ---- functions, buffers ----

Any prim_func(ApiCall& call) {  // PrimFunc(params, body, ret_type, attrs)
  Type ret = is_given(call, 2) ? type_arg(call, 2) : Type(ir::void_type());
  return ir::make<ir::PrimFuncNode>(vars_arg(call, 0), ret, stmt_arg(call, 1), attributes_arg(call, 3),
                                    call.span);
}
Any for_kind(ApiCall& call) {
  throw ir::Error("wrong-arguments", "`ForKind` is a set of names, such as `ForKind.SERIAL`").at(call.span);
}

Any seq_item(ApiCall& call) {
  auto* seq = call.args[0].as<ir::SeqStmtNode>();
  auto size = static_cast<int64_t>(seq->seq.size());
  int64_t i = int_arg(call, 1);
  if (i < 0) i += size;
  if (i < 0 || i >= size) {
    throw ir::Error("index-out-of-range", "index {} is outside a sequence of {} statements", int_arg(call, 1),
                    size)
        .at(call.span)
        .kind("IndexError");
  }
  return seq->seq[i];
}
Any seq_size(ApiCall& call) { return static_cast<int64_t>(call.args[0].as<ir::SeqStmtNode>()->seq.size()); }

#define CLASS(owner, signature, doc, body, key, shown) \
  { ir::ApiKind::kClass, owner, signature, doc, body, key, shown }
#define ITER_KIND(name, number)                                           \
  {                                                                       \
    ir::ApiKind::kValue, "tvm.tirx.IterVar", name, "A kind of iterator.", \
        +[](ApiCall&) -> Any { return static_cast<int64_t>(number); }     \
  }
#define FOR_KIND(name, number)                                        \
  {                                                                   \
    ir::ApiKind::kValue, "tvm.tirx.ForKind", name, "A kind of loop.", \
        +[](ApiCall&) -> Any { return static_cast<int64_t>(number); } \
  }
constexpr ir::ApiRow rows[] = {
    CLASS(kIr, "Var(name, ty)", "A variable of a type or data type.", var, "mlc.ir.Var", "tvm.ir.expr.Var"),
    CLASS(kIr, "GlobalVar(name_hint)", "The name of a function of a module.", global_var, "mlc.ir.GlobalVar",
          "tvm.ir.expr.GlobalVar"),
    CLASS(kIr, "StringImm(value, span=None)", "A string as an expression.", string_imm, "mlc.ir.StringImm",
          "tvm.ir.expr.StringImm"),
    CLASS(kIr, "Tuple(fields, span=None)", "Several values as one.", tuple, "mlc.ir.Tuple",
          "tvm.ir.expr.Tuple"),
    CLASS(kIr, "TupleGetItem(tuple_value, index, span=None)", "An element of a tuple.", tuple_get_item,
          "mlc.ir.TupleGetItem", "tvm.ir.expr.TupleGetItem"),
    CLASS(kIr, "Call(ty, op, args, attrs=None, span=None)", "A call with its result type.", call_node,
          "mlc.ir.Call", "tvm.ir.expr.Call"),
    CLASS(kIr, "Range(begin, end=None, span=None)", "The interval [begin, end), or [0, begin).", range,
          "mlc.ir.Range", "tvm.ir.expr.Range"),
    {ir::ApiKind::kFunction, "tvm.ir.Range", "from_min_extent(min_value, extent, span=None)",
     "The interval [min_value, min_value + extent).", range_from_min_extent},
    CLASS(kIr, "PrimType(dtype)", "The type of numbers.", prim_type, "mlc.ir.PrimType",
          "tvm.ir.type.PrimType"),
    CLASS(kIr, "PointerType(element_type, storage_scope=\"\")", "The type of addresses.", pointer_type,
          "mlc.ir.PointerType", "tvm.ir.type.PointerType"),
    CLASS(kIr, "TupleType(fields, span=None)", "The type of tuples.", tuple_type, "mlc.ir.TupleType",
          "tvm.ir.type.TupleType"),
    CLASS(kIr, "FuncType(arg_types, ret_type)", "The type of functions.", func_type, "mlc.ir.FuncType",
          "tvm.ir.type.FuncType"),
    CLASS(kIr, "StringType()", "The type of strings.", string_type, "mlc.ir.StringType",
          "tvm.ir.type.StringType"),
    CLASS(kIr, "OpaqueType()", "The type of what has none.", opaque_type, "mlc.ir.OpaqueType",
          "tvm.ir.type.OpaqueType"),
    CLASS(kIr, "Op(name)", "A primitive operator.", op_get, "mlc.ir.Op", "tvm.ir.op.Op"),
    {ir::ApiKind::kFunction, "tvm.ir.Op", "get(op_name)", "The operator of that name.", op_get},
    {ir::ApiKind::kFunction, kTirx, "BufferLoad(buffer, indices, span=None)", "An element of a buffer.",
     buffer_load},
    {ir::ApiKind::kFunction, kTirx, "BufferRegion(buffer, region)", "A box of a buffer.", buffer_region},
    CLASS(kTirx, "BufferRegionType()", "The type of regions.", buffer_region_type,
          "mlc.tirx.BufferRegionType", "tvm.tirx.stmt.BufferRegionType"),
    CLASS(kTirx, "Let(var, value, body, span=None)", "An expression in which a variable has a value.", let,
          "mlc.prim.Let", "tvm.ir.prim.expr.Let"),
    CLASS(kTirx, "IterVar(dom, var, iter_type, thread_tag=\"\", span=None)",
          "An iterator: a variable, its domain and its meaning.", iter_var, "mlc.tirx.IterVar",
          "tvm.tirx.expr.IterVar"),
    ITER_KIND("DataPar", 0),
    ITER_KIND("ThreadIndex", 1),
    ITER_KIND("CommReduce", 2),
    ITER_KIND("Ordered", 3),
    ITER_KIND("Opaque", 4),
    ITER_KIND("Unrolled", 5),
    ITER_KIND("Vectorized", 6),
    ITER_KIND("Parallelized", 7),
    ITER_KIND("Tensorized", 8),
    CLASS(kTirx, "CommReducer(lhs, rhs, result, identity_element, span=None)",
          "A commutative combination and its identity.", comm_reducer, "mlc.tirx.CommReducer",
          "tvm.tirx.expr.CommReducer"),
    CLASS(kTirx, "Reduce(combiner, src, rdom, condition, value_index, init=None, span=None)",
          "A reduction of te expressions.", reduce, "mlc.te.Reduce", "tvm.tirx.expr.Reduce"),
    {ir::ApiKind::kFunction, "tvm.te", "thread_axis(dom=None, tag=\"\", name=None)",
     "An iterator of threads.", thread_axis},
    {ir::ApiKind::kFunction, "tvm.runtime", "convert(value)", "The value as TVM keeps it: arrays, maps.",
     convert},
    CLASS(kTirx, "Bind(var, value, span=None)", "An immutable name for a value.", bind, "mlc.tirx.Bind",
          "tvm.tirx.stmt.Bind"),
    CLASS(kTirx, "AssertStmt(kind, condition, message_parts=None, span=None)", "A condition that must hold.",
          assert_stmt, "mlc.tirx.AssertStmt", "tvm.tirx.stmt.AssertStmt"),
    CLASS(kTirx, "ForKind()", "Kinds of loops.", for_kind, "", "tvm.tirx.stmt.ForKind"),
    FOR_KIND("SERIAL", 0),
    FOR_KIND("PARALLEL", 1),
    FOR_KIND("VECTORIZED", 2),
    FOR_KIND("UNROLLED", 3),
    FOR_KIND("THREAD_BINDING", 4),
    CLASS(
        kTirx,
        "For(loop_var, min, extent, kind, body, thread_binding=None, annotations=None, step=None, span=None)",
        "A loop.", for_loop, "mlc.tirx.For", "tvm.tirx.stmt.For"),
    CLASS(kTirx, "While(condition, body, span=None)", "A loop while a condition holds.", while_loop,
          "mlc.tirx.While", "tvm.tirx.stmt.While"),
    CLASS(kTirx, "BufferStore(buffer, value, indices, span=None)", "`buffer[indices] = value`.", buffer_store,
          "mlc.tirx.BufferStore", "tvm.tirx.stmt.BufferStore"),
    CLASS(kTirx, "AllocBuffer(buffer, annotations=None, span=None)", "Memory for a buffer.", alloc_buffer,
          "mlc.tirx.AllocBuffer", "tvm.tirx.stmt.AllocBuffer"),
    CLASS(kTirx, "DeclBuffer(buffer, data, span=None)", "A view of memory that exists.", decl_buffer_stmt,
          "mlc.tirx.DeclBuffer", "tvm.tirx.stmt.DeclBuffer"),
    CLASS(kTirx, "AttrStmt(node, attr_key, value, body, span=None)", "An attribute around a statement.",
          attr_stmt, "mlc.tirx.AttrStmt", "tvm.tirx.stmt.AttrStmt"),
    CLASS(kTirx, "SeqStmt(seq, span=None)", "Statements in order.", seq_stmt, "mlc.tirx.SeqStmt",
          "tvm.tirx.stmt.SeqStmt"),
    {ir::ApiKind::kMethod, "mlc.tirx.SeqStmt", "__getitem__(index)", "The statement at an index.", seq_item},
    {ir::ApiKind::kMethod, "mlc.tirx.SeqStmt", "__len__()", "How many statements there are.", seq_size},
    {ir::ApiKind::kFunction, kTirx, "stmt_seq(*args)", "Statements in order.", stmt_seq},
    CLASS(kTirx, "IfThenElse(condition, then_case, else_case=None, span=None)", "A choice of statements.",
          if_then_else, "mlc.tirx.IfThenElse", "tvm.tirx.stmt.IfThenElse"),
    CLASS(kTirx, "Evaluate(value, span=None)", "A call for its effect.", evaluate, "mlc.tirx.Evaluate",
          "tvm.tirx.stmt.Evaluate"),
    CLASS(kTirx, "Return(value, span=None)", "The result of a function.", return_stmt, "mlc.tirx.Return",
          "tvm.tirx.stmt.Return"),
    CLASS(kTirx, "Break(span=None)", "Leaves the loop.", break_stmt, "mlc.tirx.Break", "tvm.tirx.stmt.Break"),
    CLASS(kTirx, "Continue(span=None)", "Goes on with the next iteration.", continue_stmt,
          "mlc.tirx.Continue", "tvm.tirx.stmt.Continue"),
    CLASS(kTirx, "PrimFunc(params, body, ret_type=None, attrs=None, span=None)", "A tensor program.",
          prim_func, "mlc.tirx.PrimFunc", "tvm.tirx.function.PrimFunc"),
    CLASS(kSTir, "MatchBufferRegion(buffer, source)", "A region of a buffer under another name.",
          match_buffer_region, "mlc.s_tir.MatchBufferRegion", "tvm.s_tir.stmt.MatchBufferRegion"),
    CLASS(kSTir,
          "SBlock(iter_vars, reads, writes, name_hint, body, init=None, alloc_buffers=None, "
          "match_buffers=None, annotations=None, span=None)",
          "A schedulable unit of computation.", sblock, "mlc.s_tir.SBlock", "tvm.s_tir.stmt.SBlock"),
    CLASS(kSTir, "SBlockRealize(iter_values, predicate, block, span=None)", "The instances of a block.",
          sblock_realize, "mlc.s_tir.SBlockRealize", "tvm.s_tir.stmt.SBlockRealize"),
};
#undef CLASS
#undef ITER_KIND
#undef FOR_KIND

}  // namespace

std::span<const ir::ApiRow> node_rows() { return rows; }

}  // namespace mlc::tvmscript
