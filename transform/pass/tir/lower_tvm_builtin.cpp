// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/target/tables.h"
#include "ir/tir/tensor_map.h"
#include "transform/pass/function_target.h"
#include "transform/pass/packed_fields.h"
#include "transform/pass/pass.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_lower_tvm_builtin {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "stack-value-outside-call",
         .message = "a {} on the stack is an argument of a packed call only"},
        {.name = "device-needed",
         .message = "the device id of this memory is unknown",
         .help = "the attributes `device_id` and `device_type` around it say so; MakePackedAPI writes them"},
    }};
MLC_REFUSALS(tir_lower_tvm_builtin, refusals);

namespace {

constexpr char doc[] =
    R"(LowerTVMBuiltin(): packed calls put their arguments on a stack, big allocations of a host ask its runtime.

    T.call_packed("f", n)       =>     stack_ffi_any: T.let[T.handle] = T.tvm_stack_alloca("tvm_ffi_any", 2)
                                       T.tvm_struct_set(stack_ffi_any, 0, 13, 1)
                                       T.tvm_struct_set(stack_ffi_any, 0, 14, 0)
                                       T.tvm_struct_set(stack_ffi_any, 0, 15, T.Cast("int64", n))
                                       ... (the place of the result)
                                       T.call_packed_lowered("f", stack_ffi_any, 0, 1)
needs: what functions of a host allocate past a small array stands below the attributes `device_id` and
`device_type` (MakePackedAPI writes them), and so do tensors made on the stack.
keeps: what is computed. Functions whose target is not a CPU stay. Each parallel loop has a stack of its own. Items of
lists of the virtual machine are put on it, and results into such lists, by functions of the runtime.
After MakePackedAPI, before code is generated.)";

// Allocations of fewer bytes stay on the machine's stack.
constexpr int64_t stack_limit = 1024;

class LowerBuiltins final : public Rewriter {
 public:
  // `device` names the functions that copy: "cpu" or "hexagon".
  explicit LowerBuiltins(std::string_view device) : device_(device) {}
  Stmt run(const Stmt& body) { return with_stack(body); }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    auto* call = as<CallNode>(e);
    auto* callee = call ? as<OpNode>(call->op) : nullptr;
    if (!callee) return rewrite_children(e);
    std::string_view name = text(callee->name);
    if (name == "tirx.tvm_call_packed" || name == "tirx.call_ffi_kernel")
      return packed_call(*call, "tirx.tvm_call_packed_lowered");
    if (name == "tirx.tensormap_encode_tiled")
      return packed_call(*tensor_map_call(*call).get(), "tirx.tvm_call_packed_lowered");
    if (name == "tirx.tvm_call_cpacked") return packed_call(*call, "tirx.tvm_call_cpacked_lowered");
    if (name == "tirx.tvm_call_trace_packed") return packed_call(*call, "tirx.tvm_call_trace_packed_lowered");
    if (name == "tirx.anylist_setitem_call_packed") return set_item(*call, "tirx.tvm_call_packed_lowered");
    if (name == "tirx.anylist_setitem_call_cpacked") return set_item(*call, "tirx.tvm_call_cpacked_lowered");
    if (name == "tirx.tvm_stack_make_shape") return make_shape(e);
    if (name == "tirx.tvm_stack_make_array") return make_array(*call);
    constexpr std::string_view copies[] = {"dma_copy", "dma_wait", "dma_start_group", "dma_end_group"};
    for (std::string_view copy : copies) {
      if (name.substr(name.find('.') + 1) != copy) continue;
      Array<Expr> args{make<StringImmNode>(String(fmt::format("device_api.{}.{}", device_, copy)))};
      for (const Expr& arg : call->args) args.push_back(arg);
      Call packed = make<CallNode>(call->ty, call->op, args, Map<String, Any>{}, e->span);
      return packed_call(*packed.get(), "tirx.tvm_call_packed_lowered");
    }
    return rewrite_children(e);
  }
  Stmt rewrite(const Stmt& s) override {
    before_.emplace_back();
    Stmt next = lowered(s);
    if (stack().used.shape || stack().used.array) {
      throw refuse(refusals["stack-value-outside-call"], stack().used.array ? "tensor" : "shape").at(s->span);
    }
    Array<Stmt> all = std::move(before_.back());
    before_.pop_back();
    if (all.empty()) return next;
    all.push_back(next);
    return seq(all);
  }

 private:
  struct Sizes {
    int64_t any = 0, array = 0, shape = 0;
  };
  struct Stack {
    Var any = make<VarNode>(String("stack_ffi_any"), void_pointer_type());
    Var array = make<VarNode>(String("stack_array"), void_pointer_type());
    Buffer shape = shapes_of(0);
    Sizes used, most;
  };
  std::string_view device_;
  std::vector<Stack> stacks_;
  std::vector<Array<Stmt>> before_;  // of each statement around: what has to be done before it
  Expr device_id_, device_type_;

  Stack& stack() { return stacks_.back(); }
  void emit(const Stmt& s) { before_.back().push_back(s); }

  static Buffer shapes_of(int64_t size) {
    DataType dtype = DataType::Int(64);
    Type type = make<BufferTypeNode>(dtype, String("global"), Array<Expr>{int_imm(dtype, size)},
                                     Array<Expr>{}, Expr(int_imm(dtype, 0)));
    return make<VarNode>(String("stack_shape"), type);
  }
  static Expr alloca_of(std::string_view what, int64_t size, const Type& type) {
    return make<CallNode>(type, op("tirx.tvm_stack_alloca"),
                          Array<Expr>{make<StringImmNode>(String(std::string(what))), int32(size)});
  }

  Stmt with_stack(const Stmt& body) {
    stacks_.emplace_back();
    Stmt next = rewrite(body);
    Stack done = std::move(stacks_.back());
    stacks_.pop_back();
    Array<Stmt> all;
    if (done.most.any)
      all.push_back(make<BindNode>(done.any, alloca_of("tvm_ffi_any", done.most.any, void_pointer_type())));
    if (done.most.array)
      all.push_back(make<BindNode>(done.array, alloca_of("array", done.most.array, void_pointer_type())));
    if (done.most.shape) {
      Buffer shapes = shapes_of(done.most.shape);
      all.push_back(
          make<DeclBufferNode>(shapes, alloca_of("shape", done.most.shape, pointer_to(DataType::Int(64)))));
      next = replace_buffers(next, {{done.shape.get(), shapes}});
    }
    if (all.empty()) return next;
    all.push_back(next);
    return seq(all);
  }

  Stmt lowered(const Stmt& s) {
    if (auto* loop = as<ForNode>(s); loop && loop->for_kind == ForKind::kParallel) {
      return updated(loop, [&](ForNode& n) {
        n.min = rewrite(loop->min);
        n.extent = rewrite(loop->extent);
        if (loop->step) n.step = rewrite(loop->step);
        n.body = with_stack(loop->body);
      });
    }
    if (auto* about = as<AttrStmtNode>(s)) {
      std::string_view key = text(about->attr_key);
      if (key == "device_id" || key == "device_type") {
        Expr& known = key == "device_id" ? device_id_ : device_type_;
        Expr outer = std::exchange(known, about->value);
        Stmt body = rewrite(about->body);
        known = outer;
        return body;
      }
    }
    if (auto* all = as<SeqStmtNode>(s)) {
      Array<Stmt> next, frees;
      for (const Stmt& one : all->seq) {
        auto* alloc = as<AllocBufferNode>(one);
        if (!alloc || on_stack(alloc->buffer)) {
          next.push_back(rewrite(one));
          continue;
        }
        next.push_back(allocation(alloc->buffer));
        frees.push_back(release(alloc->buffer));
      }
      for (size_t i = frees.size(); i-- > 0;) next.push_back(frees[i]);
      return seq(next);
    }
    if (auto* alloc = as<AllocBufferNode>(s); alloc && !on_stack(alloc->buffer))
      return seq({allocation(alloc->buffer), release(alloc->buffer)});
    return rewrite_children(s);
  }

  bool on_stack(const Buffer& buffer) const {
    const BufferTypeNode* type = buffer->buffer();
    if (type->storage_scope != "global" || (device_type_ && !is_const_int(device_type_, kDLCPU)))
      return false;
    int64_t bytes = packed_bytes(type->dtype);
    for (const Expr& dim : type->shape) {
      auto size = const_int(dim);
      if (!size || *size <= 0 || *size >= stack_limit) return false;
      bytes *= *size;
      if (bytes >= stack_limit) return false;
    }
    return bytes < stack_limit;
  }
  void need_device(Span span) const {
    if (device_id_ && device_type_) return;
    throw refuse(refusals["device-needed"]).at(span);
  }
  static Stmt throw_last_error() {
    return make<EvaluateNode>(call_op(DataType::Int(32), "tirx.tvm_throw_last_error", {}));
  }
  Expr device(const Expr& value) const { return cast(DataType::Int(32), value); }

  Stmt allocation(const Buffer& buffer) const {
    need_device(buffer->span);
    const BufferTypeNode* type = buffer->buffer();
    DataType dtype = type->dtype;
    Expr bytes = int_imm(DataType::UInt(64), packed_bytes(dtype));
    for (const Expr& dim : type->shape) bytes = bytes * cast(DataType::UInt(64), dim);
    Expr data = data_of(buffer);
    Array<Expr> args{device(device_type_), device(device_id_), bytes, int32(dtype.code()),
                     int32(dtype.bits())};
    return seq({make<DeclBufferNode>(
                    buffer, Expr(make<CallNode>(data->ty, op("tirx.TVMBackendAllocWorkspace"), args))),
                make<IfThenElseNode>(is_null(data), throw_last_error())});
  }
  Stmt release(const Buffer& buffer) const {
    Array<Expr> args{device(device_type_), device(device_id_), data_of(buffer)};
    Expr failed = ne(call_op(DataType::Int(32), "tirx.TVMBackendFreeWorkspace", args), int32(0));
    return make<IfThenElseNode>(failed, throw_last_error());
  }

  // Reserves slots on one of the stacks.
  int64_t take(int64_t Sizes::*which, int64_t count) {
    int64_t at = stack().used.*which;
    stack().used.*which = at + count;
    stack().most.*which = std::max(stack().most.*which, at + count);
    return at;
  }

  // The result of a packed call goes into a list of the virtual machine.
  Expr set_item(const CallNode& call, std::string_view lowered_name) {
    Expr list = rewrite(call.args[0]), index = rewrite(call.args[1]);
    Call packed = make<CallNode>(call.ty, call.op, Array<Expr>(call.args.begin() + 2, call.args.end()),
                                 Map<String, Any>{}, call.span);
    Expr lowered = packed_call(*packed.get(), lowered_name);
    emit(make<EvaluateNode>(lowered));
    return make<CallNode>(call.ty, op("tirx.TVMBackendAnyListMoveFromPackedReturn"),
                          Array<Expr>{list, index, stack().any, as<CallNode>(lowered)->args[3]},
                          Map<String, Any>{}, call.span);
  }

  Expr packed_call(const CallNode& call, std::string_view lowered_name) {
    Sizes outer = stack().used;
    auto count = static_cast<int64_t>(call.args.size()) - 1;
    int64_t begin = take(&Sizes::any, count + 1);
    Array<Expr> args;
    for (const Expr& arg : call.args) args.push_back(args.empty() ? arg : rewrite(arg));
    Expr any = stack().any;
    auto set = [&](int64_t i, int64_t type, const Expr& value) {
      emit(packed_set(any, i, PackedField::kTypeIndex, int32(type)));
      emit(packed_set(any, i, PackedField::kPadding, int32(0)));
      emit(packed_set(any, i, PackedField::kValue, value));
    };
    for (int64_t i = 0; i < count; ++i) {
      const Expr& given = call.args[static_cast<size_t>(i + 1)];
      Expr value = args[static_cast<size_t>(i + 1)];
      if (value->ty->kind == TypeKind::kString) {
        set(begin + i, kPackedText,
            make<CallNode>(void_pointer_type(), op("tirx.reinterpret"), Array<Expr>{value}));
      } else if (auto* item = as_call_to(value, "tirx.anylist_getitem")) {
        emit(make<EvaluateNode>(call_op(DataType::Int(32), "tirx.TVMBackendAnyListSetPackedArg",
                                        {item->args[0], item->args[1], any, int32(begin + i)})));
      } else if (as_call_to(given, "tirx.tvm_stack_make_array")) {
        set(begin + i, kPackedTensorPointer, value);
      } else if (value->ty->kind == TypeKind::kPointer || value->ty->kind == TypeKind::kTensorMap) {
        auto type = [&](int64_t index) {
          return packed_set(any, begin + i, PackedField::kTypeIndex, int32(index));
        };
        emit(make<IfThenElseNode>(is_null(value), type(kPackedNone), type(kPackedPointer)));
        emit(packed_set(any, begin + i, PackedField::kPadding, int32(0)));
        emit(packed_set(any, begin + i, PackedField::kValue, value));
      } else {
        DataType stored = stored_type(value);
        bool same = value->dtype() == stored;
        set(begin + i, stored.is_float() ? kPackedFloat : kPackedInt,
            same ? value : Expr(make<CastNode>(stored, value)));
      }
    }
    // The slot of the result is counted from the start of the stack, also in a call inside a call.
    set(count, kPackedNone, int_imm(DataType::Int(64), 0));
    stack().used = outer;
    Array<Expr> lowered_args{args[0], any, int32(begin), int32(begin + count)};
    if (lowered_name == "tirx.tvm_call_trace_packed_lowered")
      lowered_args.push_back(args.back());  // what is traced
    return make<CallNode>(call.ty, op(lowered_name), lowered_args, Map<String, Any>{}, call.span);
  }
  static DataType stored_type(const Expr& value) {
    DataType dtype = value->dtype();
    if (value->ty->kind == TypeKind::kPrim && dtype.is_scalar()) {
      if (dtype.is_integral()) return DataType::Int(64);
      if (dtype.is_float()) return DataType::Float(64);
    }
    throw refuse_as(pass_refusals["packed-type"], "a value of type {} cannot be an argument of a packed call",
                    dtype.str())
        .at(value->span)
        .help("pass an integer, a float of 16, 32 or 64 bits, a bool, a pointer, a text or a buffer");
  }

  Expr make_shape(const Expr& e) {
    auto count = static_cast<int64_t>(as<CallNode>(e)->args.size());
    int64_t begin = take(&Sizes::shape, count);
    Expr next = rewrite_children(e);
    for (int64_t i = 0; i < count; ++i) {
      Expr dim = cast(DataType::Int(64), as<CallNode>(next)->args[static_cast<size_t>(i)]);
      emit(make<BufferStoreNode>(stack().shape, dim, Array<Expr>{int32(begin + i)}));
    }
    Expr first = make<TensorLoadNode>(stack().shape, Array<Expr>{int32(begin)});
    return make<CallNode>(pointer_to(DataType::Int(64)), op("tirx.address_of"), Array<Expr>{first});
  }

  // Arguments: data, shape, strides or 0, dimensions, a value of the type of an element, offset in elements.
  Expr make_array(const CallNode& call) {
    int64_t at = take(&Sizes::array, 1);
    Array<Expr> args;
    for (const Expr& arg : call.args) args.push_back(rewrite(arg));
    need_device(call.span);
    auto set = [&](PackedField field, const Expr& value) {
      emit(packed_set(stack().array, at, field, value));
    };
    DataType dtype = call.args[4]->dtype();
    set(PackedField::kData, args[0]);
    set(PackedField::kShape, args[1]);
    set(PackedField::kStrides, is_const_int(args[2], 0) ? null_pointer() : args[2]);
    set(PackedField::kDimensions, args[3]);
    set(PackedField::kTypeCode, int_imm(DataType::UInt(8), dtype.code()));
    set(PackedField::kTypeBits, int_imm(DataType::UInt(8), dtype.bits()));
    set(PackedField::kTypeLanes, int_imm(DataType::UInt(16), dtype.lanes()));
    set(PackedField::kByteOffset, cast(DataType::UInt(64), args[5] * packed_bytes(dtype)));
    set(PackedField::kDeviceId, device(device_id_));
    set(PackedField::kDeviceType, device(device_type_));
    return packed_get(stack().array, at, PackedField::kAddress, void_pointer_type());
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  auto target = bound_target(fn);
  if (!target) return fn;
  const Array<String>& keys = (*target)->keys;
  if (std::find(keys.begin(), keys.end(), String("cpu")) == keys.end()) return fn;
  bool cpu = target_kind_row(text((*target)->kind)).device == kDLCPU;
  return with_body(fn, LowerBuiltins(cpu ? "cpu" : "hexagon").run(fn->body));
}

}  // namespace

extern const Pass lower_tvm_builtin{"LowerTVMBuiltin", "tirx.transform", "LowerTVMBuiltin()", doc, apply};

}  // namespace mlc::transform::pass_lower_tvm_builtin
