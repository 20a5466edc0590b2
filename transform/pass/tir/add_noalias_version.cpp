// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/tir/result_type.h"
#include "transform/pass/buffer_roots.h"
#include "transform/pass/fresh_binders.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_add_noalias_version {
namespace {

constexpr char doc[] =
    R"(AddNoaliasVersion(): a second version of functions that do not promise `tirx.noalias`, for arguments that do not overlap.

    @T.prim_func                        @T.prim_func(private=True)
    def main(A: T.Buffer((n,), ...),    def main_noalias(A: ..., C: ...):
             C: T.Buffer((n,), ...)):       T.func_attr({"mlc.version_of": "main", "tirx.noalias": True})
        for i in range(n):                  for i in range(n):
            C[i] = A[i] + x     =>              C[i] = A[i] + x
                                        @T.prim_func
                                        def main(A: ..., C: ...):
                                            A_begin: T.let = T.reinterpret("uint64", A.data)
                                            A_end: T.let = A_begin + <bytes of A>
                                            ...
                                            if T.likely(C_end <= A_begin or A_end <= C_begin):
                                                Module.main_noalias(A, C)
                                            else:
                                                for i in range(n):
                                                    C[i] = A[i] + x
needs: an exported function with a loop, and two to twelve buffers without strides of which one is written, itself,
through a view, or by somebody who gets its address; no threads of a GPU. Other functions stay as they are.
keeps: the result. What a buffer that is only read shares with another one of that kind does not matter.
Before the passes that ask which buffers share memory (UnrollAndJam and those behind it), which find the promise in one
version and not in the other; behind all others, so that these see each function once. A caller may pass the same memory
twice, and code that allows for that reads again after every store what it could keep in registers: a tiled product takes
twice the time. TVM's code never allows for it. A few comparisons per call, and twice the code of functions that do not
promise.)";

// The parameters that a function may write.
struct Writes final : Walker {
  std::unordered_set<const VarNode*> roots;
  bool loops = false;
  bool threads = false;                // of a GPU
  const ReturnNode* result = nullptr;  // a statement that returns a value

  using Walker::visit;
  void visit(const Expr& e) override {
    if (auto* load = as<TensorLoadNode>(e)) {
      for (const Expr& index : load->indices) visit(index);
      return;
    }
    if (auto* var = as<VarNode>(e); var != nullptr && var->buffer() != nullptr) roots.insert(root_(var));
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    if (auto* view = as<DeclBufferNode>(s); view != nullptr && view->data && buffer_of_data(view->data)) {
      root_.declare(*view);
      return;
    }
    if (auto* store = as<BufferStoreNode>(s)) {
      roots.insert(root_(store->buffer.get()));
      visit(store->value);
      for (const Expr& index : store->indices) visit(index);
      return;
    }
    auto* loop = as<ForNode>(s);
    auto* attr = as<AttrStmtNode>(s);
    loops = loops || loop != nullptr || as<WhileNode>(s) != nullptr;
    threads = threads || (loop != nullptr && loop->for_kind == ForKind::kThreadBinding) ||
              (attr != nullptr && attr->attr_key == "thread_extent");
    if (auto* returned = as<ReturnNode>(s); returned != nullptr && returned->value) result = returned;
    walk_children(s);
  }

 private:
  BufferRoots root_;
};

// Do the elements lie within the bytes of the shape, from the pointer on?
bool is_compact(const BufferTypeNode* type) {
  return type->strides.empty() && (!type->elem_offset || is_const_int(type->elem_offset, 0));
}

// Empty: a second version is not worth its code, or not known to be right.
std::vector<Var> written_of_versioned(const PrimFunc& fn, const Writes& writes) {
  constexpr size_t kMostBuffers = 12;  // each written one is compared with all others
  bool promised = has_flag(fn, "tirx.noalias") || has_flag(fn, "tir.noalias");
  if (promised || !attr(fn, "global_symbol") || !writes.loops || writes.threads) return {};
  size_t buffers = 0;
  std::vector<Var> written;
  for (const Var& param : fn->params) {
    if (param->buffer() == nullptr) continue;
    if (++buffers > kMostBuffers || !is_compact(param->buffer())) return {};
    if (writes.roots.contains(param.get())) written.push_back(param);
  }
  return buffers < 2 ? std::vector<Var>{} : written;
}

// Named after the symbol, as debuggers and profilers show it; no other function's name or symbol.
GlobalVar fresh_name(const IRModule& mod, const PrimFunc& fn) {
  auto symbol = [](const BaseFunc& of) {
    auto given = attr(of, "global_symbol");
    return given ? std::string(given->cast<String>()) : std::string();
  };
  std::string base = symbol(fn) + "_noalias";
  std::string name = base;
  auto is_taken = [&] {
    return mod->find(name) ||
           std::ranges::any_of(mod->functions, [&](const auto& each) { return symbol(each.second) == name; });
  };
  for (int i = 1; is_taken(); ++i) name = fmt::format("{}_{}", base, i);
  return make<GlobalVarNode>(String(name));
}

// The body that calls `version` where none of what is written overlaps another argument.
Stmt chosen(const PrimFunc& fn, const GlobalVar& version, const std::vector<Var>& written,
            const Writes& writes) {
  DataType address = DataType::UInt(64);
  struct Range {
    Var buffer, begin, end;
  };
  std::vector<Range> ranges;
  Array<Stmt> parts;
  Array<Expr> args;
  for (const Var& param : fn->params) {
    args.push_back(param);
    const BufferTypeNode* type = param->buffer();
    if (type == nullptr) continue;
    std::string name(param->name);
    Range range{param, make_var(name + "_begin", address), make_var(name + "_end", address)};
    DataType element = type->dtype;
    Expr bytes = make_const(address, element.bytes() * element.lanes());
    for (const Expr& extent : type->shape) bytes = mul(cast(address, extent), bytes);
    parts.push_back(make<BindNode>(range.begin, call_op(address, "tirx.reinterpret", {data_of(param)})));
    parts.push_back(make<BindNode>(range.end, add(range.begin, bytes)));
    ranges.push_back(range);
  }
  auto is_written = [&](const Var& param) {
    return std::ranges::any_of(written, [&](const Var& one) { return one.same_as(param); });
  };
  Expr apart;
  for (size_t a = 0; a < ranges.size(); ++a) {
    for (size_t b = a + 1; b < ranges.size(); ++b) {
      if (!is_written(ranges[a].buffer) && !is_written(ranges[b].buffer)) continue;
      Expr pair = logical_or(le(ranges[a].end, ranges[b].begin), le(ranges[b].end, ranges[a].begin));
      apart = apart ? logical_and(apart, pair) : pair;
    }
  }
  Expr condition = call_op(DataType::Bool(), "tirx.likely", {apart});
  // A value that the function drops is dropped here.
  bool gives = writes.result != nullptr && !result_type(fn).is_void();
  Type type = gives ? writes.result->value->ty : void_type();
  Expr call = make<CallNode>(type, Expr(version), args, Map<String, Any>{}, fn->span);
  if (!gives) {
    parts.push_back(make<IfThenElseNode>(condition, make<EvaluateNode>(call), fn->body));
  } else {
    parts.push_back(make<IfThenElseNode>(condition, make<ReturnNode>(call), nullptr));
    parts.push_back(fn->body);
  }
  return seq(parts);
}

// The function with variables of its own, for callers inside of the module. It says whose version it is, so
// that reports name what the program calls.
PrimFunc promising(const PrimFunc& fn) {
  FreshBinders fresh;
  for (const Var& param : fn->params) {
    const BufferTypeNode* type = param->buffer();
    if (type == nullptr) continue;
    for (const Expr& extent : type->shape) {
      for (const Var& symbol : free_vars(extent)) fresh.rewrite_def(symbol);
    }
  }
  PrimFunc made = with(fn, [&](PrimFuncNode& n) {
    n.params.clear();
    for (const Var& param : fn->params) n.params.push_back(fresh.rewrite_def(param));
    n.body = fresh.rewrite(fn->body);
    n.attrs.Set("mlc.version_of", *attr(fn, "global_symbol"));
    for (const char* of_export : {"global_symbol", "tirx.is_entry_func"}) n.attrs.erase(of_export);
  });
  return with_attr(made, "tirx.noalias", true);
}

IRModule apply(const IRModule& mod, const PassOptions&) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    Writes writes;
    writes.visit((*fn)->body);
    std::vector<Var> written = written_of_versioned(*fn, writes);
    if (written.empty()) continue;
    GlobalVar version = fresh_name(result, *fn);
    result = with_function(result, name, with_body(*fn, chosen(*fn, version, written, writes)));
    result = with_function(result, version, promising(*fn));
  }
  return result;
}

}  // namespace

extern const Pass add_noalias_version{
    "AddNoaliasVersion", "tirx.transform", "AddNoaliasVersion()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_add_noalias_version
