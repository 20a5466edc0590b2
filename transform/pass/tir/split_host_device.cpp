// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/target/tables.h"
#include "ir/tir/calling_convention.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/convert_ssa.h"
#include "transform/pass/function_target.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_split_host_device {

static constexpr ir::Refusals refusals{
    kRefusedValue,
    {
        {.name = "several-dynamic-allocations",
         .message = "only one dynamic shared memory allocation is allowed in a kernel, `{}` is another one",
         .help = "run MergeSharedMemoryAllocations first"},
        {.name = "kernel-returns-value",
         .message = "the kernel `{}` returns a value: a kernel may return 0 alone",
         .meaning =
             "Nobody takes what the threads of a kernel return; 0 says that they have come to an end."},
    }};
MLC_REFUSALS(tir_split_host_device, refusals);

namespace {

constexpr char doc[] =
    R"(SplitHostDevice(): what runs on a device becomes functions of their own, which the host launches.

    def main(A: ..., n: T.int32):                       def main_kernel(A_ptr: T.handle(..), n: T.int32):
        bx = T.launch_thread("blockIdx.x", n)               A = T.decl_buffer((16,), data=A_ptr)
        A[bx] = ...                             =>          bx = T.launch_thread("blockIdx.x", n)
                                                            A[bx] = ...
                                                        def main(A: ..., n: T.int32):
                                                            T.call_ffi_kernel("main_kernel", A.data, n, n, launch_params=["blockIdx.x"])
needs: every function has a target (BindTarget). Regions of a device are those with a `target` attribute, and in
functions whose target has a host the launches of threads and what stands in `device_scope`.
keeps: what is computed. A call to a function for the same target stays one, to another one on the same kind of
device becomes `call_extern`, to one on another device or with threads a launch with the extents of its threads.
After memory is planned, before functions get their calling convention.)";

// What a region uses of its surroundings.
struct Captured final : Walker {
  std::vector<Buffer> buffers;
  std::vector<Var> vars;

  void visit_buffer(const Buffer& buffer) override { use(buffer); }
  void visit_def(const Var& var) override { defined_.insert(var.get()); }
  void visit(const Expr& e) override {
    if (auto* var = as<VarNode>(e)) use(ref(var));
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* attr = as<AttrStmtNode>(s)) {
      // A thread: the value is the extent, whatever the domain is. What another attribute is about is not
      // used by it; the memory of a fragment is allocated below.
      if (auto iter = attr->node.as<IterVar>()) defined_.insert((*iter)->var.get());
      visit(attr->value);
      return visit(attr->body);
    }
    if (auto* alloc = as<AllocBufferNode>(s))
      for (const Expr& dim : alloc->buffer->buffer()->shape) visit(dim);
    walk_children(s);
  }

 private:
  std::unordered_set<const VarNode*> defined_, used_;
  void use(const Var& var) {
    if (defined_.contains(var.get()) || !used_.insert(var.get()).second) return;
    (var->buffer() ? buffers : vars).push_back(var);
  }
};

// What T.SMEMPool says of the dynamic shared memory that it needs.
bool is_pool_size(const Stmt& s) {
  auto* attr = as<AttrStmtNode>(s);
  return attr && text(attr->attr_key) == "tirx.dyn_smem_bytes";
}

// How a kernel is launched.
struct Launch {
  Array<String> tags;
  std::vector<Expr> values;
};
Launch launch_of(const PrimFunc& fn) {
  Launch launch;
  auto& [tags, values] = launch;
  Expr dynamic_memory;  // in bytes
  // What is bound between two threads and used in an extent is computed by the host, too.
  VarMap bound;
  walk_with(fn->body, [&](const Stmt& s, Walker& on) {
    if (auto* bind = as<BindNode>(s); bind && side_effect(bind->value) <= Effect::kPure)
      bound[bind->var.get()] = substitute(bind->value, bound);
    IterVar thread = launched_thread(s);
    if (thread && std::find(tags.begin(), tags.end(), thread->thread_tag) == tags.end()) {
      tags.push_back(thread->thread_tag);
      values.push_back(substitute(as<AttrStmtNode>(s)->value, bound));
    }
    if (auto* alloc = as<AllocBufferNode>(s);
        alloc && alloc->buffer->buffer()->storage_scope == "shared.dyn") {
      if (dynamic_memory) {
        throw refuse(refusals["several-dynamic-allocations"], alloc->buffer->name.c_str()).at(s->span);
      }
      const BufferTypeNode* type = alloc->buffer->buffer();
      DataType dtype = type->dtype;
      dynamic_memory = cast(DataType::Int(64), number_of_elements(type->shape)) *
                       static_cast<int64_t>(dtype.bytes() * dtype.lanes());
    }
    if (is_pool_size(s)) dynamic_memory = as<AttrStmtNode>(s)->value;  // of a pool, whose buffer has no size
    on.walk_children(s);
  });
  if (dynamic_memory) {
    tags.push_back("tirx.use_dyn_shared_memory");
    values.push_back(dynamic_memory);
  }
  return launch;
}

Target without_host(const Target& target) {
  return with(target, [](TargetNode& n) { n.host = nullptr; });
}
int device_type(const Target& target) { return target_kind_row(text(target->kind)).device; }
// The statement without the `return 0` at its end.
Stmt without_last_return(const Stmt& s) {
  if (as<ReturnNode>(s)) return no_op();
  if (auto* attr = as<AttrStmtNode>(s))
    return updated(attr, [&](AttrStmtNode& n) { n.body = without_last_return(attr->body); });
  auto* all = as<SeqStmtNode>(s);
  if (!all || all->seq.empty()) return s;
  Array<Stmt> rest = all->seq;
  while (!rest.empty()) {
    Stmt last = without_last_return(rest.back());
    rest.pop_back();
    if (is_no_op(last)) continue;
    rest.push_back(last);
    break;
  }
  return seq(rest);
}

// A kernel gives nothing back. A `return 0` before its end is the end of a thread.
PrimFunc without_result(const PrimFunc& fn, std::string_view name) {
  if (fn->ret_type->kind != TypeKind::kPrim) return fn;
  walk_with(fn->body, [&](const Stmt& s, Walker& on) {
    auto* result = as<ReturnNode>(s);
    if (result && !is_const_int(result->value, 0))
      throw refuse(refusals["kernel-returns-value"], name).at(s->span);
    on.walk_children(s);
  });
  return with(fn, [&](PrimFuncNode& n) {
    n.body = without_last_return(fn->body);
    n.ret_type = void_type();
  });
}

// Functions for these devices return an error code.
bool gives_status(const Target& target) {
  int type = device_type(target);
  return type == kDLCPU || type == kDLExtDev || type == kDLHexagon;
}

// Takes the device regions out of one function.
class Split final : public Rewriter {
 public:
  Split(IRModule& mod, const PrimFunc& fn, std::string name) : mod_(mod), fn_(fn), name_(std::move(name)) {
    Target target = target_of(fn, "SplitHostDevice");
    if (target->host) device_ = without_host(target);
  }

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override { return e; }
  Stmt rewrite(const Stmt& s) override {
    auto* attr = as<AttrStmtNode>(s);
    if (!attr) return rewrite_children(s);
    std::string_view key = text(attr->attr_key);
    if (key == "target") {
      if (auto target = attr->node.as<Target>()) return split(attr->body, *target);
    }
    bool device = key == "thread_extent" || key == "device_scope";
    return device && device_ ? split(s, device_) : rewrite_children(s);
  }

 private:
  IRModule& mod_;
  const PrimFunc& fn_;
  std::string name_;
  Target device_;  // null: only regions with a target of their own

  GlobalVar fresh_name() const {
    std::string base = name_ + "_kernel";
    std::string name = base;
    for (int i = 1; mod_->find(name); ++i) name = fmt::format("{}_{}", base, i);
    return make<GlobalVarNode>(String(name));
  }

  Stmt split(const Stmt& region, const Target& target) {
    Captured captured;
    captured.visit(region);
    struct Param {
      Var var;
      Expr arg;
      bool pointer;
      std::string_view name;  // a buffer's own, by which its pointer is called
    };
    std::vector<Param> params;
    Stmt body = region;
    bool status = gives_status(target);
    if (status) body = seq({body, make<ReturnNode>(Expr(int32(0)))});
    for (const Buffer& buffer : captured.buffers) {
      Expr data = data_of(buffer);
      Var pointer =
          make<VarNode>(String(fmt::format("{}_ptr", buffer->name.c_str())), data->ty, buffer->span);
      params.push_back({pointer, data, true, text(buffer->name)});
      body = seq({make<DeclBufferNode>(buffer, Expr(pointer)), body});
    }
    for (const Var& var : captured.vars)
      params.push_back({var, var, var->dtype().is_handle(), text(var->name)});
    std::stable_sort(params.begin(), params.end(), [](const Param& a, const Param& b) {
      if (a.pointer != b.pointer) return a.pointer;
      return a.name < b.name;
    });
    Array<Var> vars;
    Array<Expr> args;
    for (const Param& param : params) {
      vars.push_back(param.var);
      args.push_back(param.arg);
    }
    Type result = status ? Type(prim_type(DataType::Int(32))) : Type(void_type());
    Map<String, Any> attrs{{"target", target}, {"tirx.noalias", true}, {"tirx.is_global_func", true}};
    for (const char* kept : {"s_tir", "num_inputs"}) {
      if (auto value = attr(fn_, kept)) attrs.Set(kept, *value);
    }
    PrimFunc kernel = make<PrimFuncNode>(vars, result, body, attrs, fn_->span);
    GlobalVar name = fresh_name();
    mod_ = with_function(mod_, name, kernel);
    Expr call = make<CallNode>(result, Expr(name), args, Map<String, Any>{}, region->span);
    if (!status) return make<EvaluateNode>(call);
    Var code = make_var("kernel_error_code", DataType::Int(32));
    return seq(
        {make<BindNode>(code, call), make<AssertStmtNode>(eq(code, int32(0)), String("RuntimeError"),
                                                          Array<String>{"Error executing compute kernel"})});
  }
};

// Calls of functions for other targets, as the launches or external calls that they are.
struct LoweredLaunches {
  std::unordered_set<std::string> launched, external;
};
Stmt lower_launches(const PrimFunc& caller, const IRModule& mod, LoweredLaunches& lower) {
  Target own = target_of(caller, "SplitHostDevice");
  if (own->host) own = own->host;
  return rewrite_with(caller->body, [&](const Expr& e, Rewriter& on) -> Expr {
    Expr next = on.rewrite_children(e);
    auto* call = as<CallNode>(next);
    auto* callee = call ? as<GlobalVarNode>(call->op) : nullptr;
    GlobalVar known = callee ? mod->find(text(callee->name_hint)) : GlobalVar();
    auto fn = known ? Any(mod->lookup(text(callee->name_hint))).as<PrimFunc>() : std::nullopt;
    if (!fn) return next;
    Target target = target_of(*fn, "SplitHostDevice");
    Launch launch = launch_of(*fn);
    bool threads = !launch.tags.empty();
    if (!threads && structural_equal(without_host(target), without_host(own))) return next;
    std::string name(callee->name_hint);
    if (auto symbol = attr(*fn, "global_symbol")) name = std::string(symbol->cast<String>());
    Array<Expr> args{make<StringImmNode>(String(name))};
    for (const Expr& arg : call->args) args.push_back(arg);
    if (!threads && device_type(target) == device_type(own)) {
      lower.external.insert(std::string(callee->name_hint));
      return make<CallNode>(call->ty, op("tirx.call_extern"), args, Map<String, Any>{}, e->span);
    }
    lower.launched.insert(std::string(callee->name_hint));
    VarMap values;
    for (size_t i = 0; i < call->args.size() && i < (*fn)->params.size(); ++i)
      values[(*fn)->params[i].get()] = call->args[i];
    for (const Expr& value : launch.values) args.push_back(substitute(value, values));
    Type result = call->ty->kind == TypeKind::kPrim ? call->ty : Type(prim_type(DataType::Int(32)));
    return make<CallNode>(result, op("tirx.call_ffi_kernel"), args,
                          Map<String, Any>{{"launch_params", launch.tags}}, e->span);
  });
}

IRModule apply(const IRModule& mod, const PassOptions&) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    auto symbol = attr(*fn, "global_symbol");
    Split split(result, *fn, std::string(symbol ? symbol->cast<String>() : name->name_hint));
    PrimFunc next = with_body(*fn, split.rewrite((*fn)->body));
    if (!next.same_as(*fn)) result = with_function(result, name, next);
  }
  LoweredLaunches lower;
  IRModule lowered = map_prim_funcs(
      result, [&](const PrimFunc& fn) { return with_body(fn, lower_launches(fn, result, lower)); });
  IRModule called = lowered;
  for (const auto& [name, base] : called->functions) {
    std::string key(name->name_hint);
    bool launched = lower.launched.contains(key);
    if (!launched && !lower.external.contains(key)) continue;
    auto fn = Any(base).cast<PrimFunc>();
    if (launched) {
      Array<String> tags = launch_of(fn).tags;
      fn = without_result(fn, key);
      fn =
          with_body(fn, rewrite_with(fn->body, [](const Stmt& s, Rewriter& on) {
                      return is_pool_size(s) ? on.rewrite(as<AttrStmtNode>(s)->body) : on.rewrite_children(s);
                    }));
      fn = with_attr(fn, "calling_conv", ir::kKernelLaunch);
      fn = with_attr(fn, "tirx.kernel_launch_params", tags);
    }
    fn = with_attr(fn, "tirx.is_global_func", true);
    if (!attr(fn, "global_symbol")) fn = with_attr(fn, "global_symbol", name->name_hint);
    lowered = with_function(lowered, name, fn);
  }
  // A kernel and its host have named the same buffers.
  return result.same_as(mod) ? lowered : with_unique_definitions(lowered);
}

}  // namespace

extern const Pass split_host_device{
    "SplitHostDevice", "tirx.transform", "SplitHostDevice()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_split_host_device
