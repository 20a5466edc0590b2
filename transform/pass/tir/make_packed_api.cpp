// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/target/tables.h"
#include "transform/pass/function_target.h"
#include "transform/pass/packed_arguments.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_make_packed_api {
namespace {

constexpr char doc[] =
    R"(MakePackedAPI(): exported functions take their arguments as the packed calls of a host hand them over.

    def main(A: T.Buffer((16,), "float32"),     def main(self_handle, args, num_args, result) -> T.int32:
             n: T.int32):                           assert num_args == 2, ...
        A[n] = ...                        =>        n = T.Cast("int32", T.tvm_struct_get(args, 1, 15, "int64"))
                                                    A = T.decl_buffer((16,), data=...)
                                                    with T.attr({"compute_scope": "main_compute_"}):
                                                        A[n] = ...
                                                    return 0
needs: every exported function has a target (BindTarget); the functions that change are those whose target has a
host and which have no calling convention yet.
keeps: what is computed. Types, shapes, strides, offset and device of the arguments are checked first; a value that
the function returns goes to `result`. Calls of exported functions become packed calls by their symbol.
The last thing before builtins are lowered and code is generated.)";

enum CallingConv : int64_t { kDefault = 0, kPacked = 1 };

// The exported name of a function that packed calls can reach.
std::optional<std::string> packed_symbol(const PrimFunc& fn) {
  auto convention = attr(fn, "calling_conv");
  auto number = convention ? convention->try_cast<int64_t>() : std::nullopt;
  if (convention && (!number || *number != kDefault)) return std::nullopt;
  auto symbol = attr(fn, "global_symbol");
  if (!symbol) return std::nullopt;
  return std::string(symbol->cast<String>());
}

// A value to be returned, with its type.
std::pair<int64_t, Expr> as_result(const Expr& value, Span span) {
  if (value->ty->kind == TypeKind::kPointer) return {kPackedPointer, value};
  DataType dtype = value->dtype();
  if (dtype.is_scalar()) {
    if (dtype.is_bool()) return {kPackedBool, make<CastNode>(DataType::Int(64), value)};
    if (dtype.is_integral()) return {kPackedInt, make<CastNode>(DataType::Int(64), value)};
    if (dtype.is_float()) return {kPackedFloat, make<CastNode>(DataType::Float(64), value)};
  }
  throw refuse_as(pass_refusals["packed-type"], "a packed call cannot give back a value of type {}",
                  dtype.str())
      .kind("ValueError")
      .at(value->span ? value->span : span)
      .help("return an integer, a float of 16, 32 or 64 bits, a bool or a pointer");
}
// What the function returned goes to the result that the caller reads.
Stmt with_stored_result(const Stmt& body, const Var& result) {
  return rewrite_with(body, [&](const Stmt& s, Rewriter& on) {
    auto* done = as<ReturnNode>(s);
    if (!done || done->value->ty->kind == TypeKind::kTuple) return on.rewrite_children(s);
    auto [type_index, value] = as_result(done->value, s->span);
    return seq({packed_set(result, 0, PackedField::kTypeIndex, int32(type_index)),
                packed_set(result, 0, PackedField::kPadding, int32(0)),
                packed_set(result, 0, PackedField::kValue, value), make<ReturnNode>(Expr(int32(0)))});
  });
}

PrimFunc packed(const PrimFunc& fn, const std::string& symbol, Host& host) {
  Target target = target_of(fn, "MakePackedAPI");
  int device = target_kind_row(text(target->kind)).device;
  post_order(fn->body, nullptr, [](const Stmt& s) {
    auto* block = as<SBlockNode>(s);
    if (!block || block->iter_vars.empty()) return;
    throw refuse_as(pass_refusals["block-not-lowered"],
                    "block `{}` still has iterators, which no argument gives", block->name_hint.c_str())
        .at(s->span)
        .help("run ConvertBlocksToOpaque and LowerOpaqueBlock first");
  });
  PackedArguments arguments(fn, symbol, device, host);
  Var self = make<VarNode>(String("self_handle"), void_pointer_type());
  Var result = make<VarNode>(String("result"), void_pointer_type());

  Stmt body = with_stored_result(fn->body, result);
  body = make<AttrStmtNode>(Any(int64_t{0}), String("compute_scope"),
                            make<StringImmNode>(String(symbol + "_compute_")), body);
  body = arguments.around(seq({body, make<ReturnNode>(Expr(int32(0)))}));

  PrimFunc next = with(fn, [&](PrimFuncNode& n) {
    n.params = {self, arguments.args, arguments.num_args, result};
    n.ret_type = prim_type(DataType::Int(32));
    n.body = body;
  });
  next = with_attr(next, "target", target->host);
  next = with_attr(next, "calling_conv", int64_t{kPacked});
  return with_attr(next, "global_symbol", String("__tvm_ffi_" + symbol));
}

IRModule apply(const IRModule& mod, const PassOptions& options) {
  auto packed_calls = [&](const Expr& e, Rewriter& on) -> Expr {
    Expr next = on.rewrite_children(e);
    auto* call = as<CallNode>(next);
    auto* callee = call ? as<GlobalVarNode>(call->op) : nullptr;
    if (!callee || !mod->find(text(callee->name_hint))) return next;
    auto fn = Any(mod->lookup(text(callee->name_hint))).as<PrimFunc>();
    auto symbol = fn ? packed_symbol(*fn) : std::nullopt;
    if (!symbol) return next;
    Array<Expr> args{make<StringImmNode>(String(*symbol))};
    for (const Expr& arg : call->args) args.push_back(arg);
    // Functions of this program need no resource handle.
    args.push_back(null_pointer());
    return make<CallNode>(call->ty, op("tirx.tvm_call_cpacked"), args, Map<String, Any>{}, e->span);
  };
  return map_prim_funcs(mod, [&](const PrimFunc& fn) {
    PrimFunc next = with_body(fn, rewrite_with(fn->body, packed_calls));
    auto symbol = packed_symbol(fn);
    if (!symbol || !target_of(fn, "MakePackedAPI")->host) return next;
    return packed(next, *symbol, *options.host);
  });
}

}  // namespace

extern const Pass make_packed_api{"MakePackedAPI", "tirx.transform", "MakePackedAPI()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_make_packed_api
