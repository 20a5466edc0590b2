// SPDX-License-Identifier: Apache-2.0
// A pass is a row: what it is called, what it takes, what it does, and the function that does it. Each
// lives in its own file of pass/tir, which is the registry; the pipeline is a list of names (pipeline.h).
#pragma once

#include <vector>

#include "ir/core/walk_with.h"
#include "ir/registry/api.h"
#include "ir/tir/arith_ops.h"
#include "ir/tir/op.h"

namespace mlc::relax {
struct FunctionNode;
}

namespace mlc::transform {

using namespace mlc::ir;  // NOLINT: the nodes are the language of this folder

// What one run of a pass knows besides the program: its arguments, the configuration of the pass context, and
// which renders nodes for it.
struct PassOptions {
  std::span<const Any> args;       // by the signature; a pass run without any takes its defaults
  const Map<String, Any>* config;  // "tirx.disable_vectorize" -> True; never null
  Host* host;                      // whoever runs the pass; never null

  bool flag(size_t index) const { return argument<bool>(index, "bool"); }
  int64_t integer(size_t index) const { return argument<int64_t>(index, "int"); }
  // An option of the configuration that is on or off ("tirx.enable_fast_math"); nothing: not given.
  std::optional<bool> config_flag(std::string_view key) const;
  // An entry of the dictionary under `key` ("tirx.UnrollLoop" has "auto_max_step", ...).
  int64_t config_integer(std::string_view key, std::string_view entry, int64_t otherwise) const;

 private:
  template <class T>
  T argument(size_t index, std::string_view wanted) const {
    if (auto value = args[index].try_cast<T>()) return *value;
    throw Error("wrong-type", "argument {} of the pass is of type `{}`, not `{}`", index + 1,
                type_name(args[index]), wanted)
        .kind("TypeError");
  }
};

using FunctionPass = PrimFunc (*)(const PrimFunc&, const PassOptions&);
// Of a function of graphs, in its module; see transform/pass/graph_pass.h.
using GraphPass = Ref<relax::FunctionNode> (*)(const Ref<relax::FunctionNode>&, const IRModule&,
                                               const PassOptions&);
using WholePass = IRModule (*)(const IRModule&, const PassOptions&);

// One step of a pass that is a sequence: instruments see each. Without a function of its own it is the pass
// of that name.
struct PassPart {
  std::string_view info_name;  // "s_tir.InsertHoistIfThenElse"
  FunctionPass apply = nullptr;
};

// Exactly one of `apply` (on every PrimFunc), `apply_graph` (on every function of graphs), `apply_module` and
// `parts` is there.
struct Pass {
  std::string_view name;       // "FlattenBuffer", also the file: flatten_buffer.cpp
  std::string_view owner;      // "tirx.transform": reached as tvm.tirx.transform.FlattenBuffer
  std::string_view signature;  // "NarrowDataType(target_bits)"
  std::string_view doc;
  FunctionPass apply = nullptr;
  WholePass apply_module = nullptr;
  std::span<const PassPart> parts = {};
  std::string_view info_name = {};                             // where it is not "family.Name"
  const Pass& (*chosen)(std::span<const Any> args) = nullptr;  // where an argument chooses between passes
  GraphPass apply_graph = nullptr;
  int64_t level = 0;  // below which a PassContext's opt_level leaves it out of sequences
};

// Every file of pass/tir and of pass/relax, in the order of their names (generated).
const std::vector<const Pass*>& all_tir_passes();
const std::vector<const Pass*>& all_relax_passes();
const std::vector<const Pass*>& all_passes();
const Pass& find_pass(std::string_view name);  // throws Error unknown-pass with the nearest name

// The pass on every PrimFunc of the module; other functions stay. The result is verified where
// verify_after_passes() is on.
IRModule run_pass(const Pass& pass, const IRModule& mod, Host& host, std::span<const Any> args = {});
// Is what each pass leaves verified? So it is in debug builds, and where goldens and unit tests run.
bool& verify_after_passes();
// What a pass has changed is well formed, if it was before; throws what is wrong.
void verify_changed(const IRModule& before, const IRModule& after);

// The configuration in force: that of the innermost PassContext, empty outside of any.
const Map<String, Any>& current_config();

// The module with every PrimFunc replaced; other functions stay.
template <class F>
IRModule map_prim_funcs(const IRModule& mod, F&& change) {
  IRModule result = mod;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    PrimFunc next = change(*fn);
    if (!next.same_as(*fn)) result = with_function(result, name, next);
  }
  return result;
}

// The function with another body; the same function when it is the same body.
inline PrimFunc with_body(const PrimFunc& fn, const Stmt& body) {
  return body.same_as(fn->body) ? fn : with(fn, [&](PrimFuncNode& n) { n.body = body; });
}

// The function with other parameters and another body.
inline PrimFunc with_params(const PrimFunc& fn, const Array<Var>& params, const Stmt& body) {
  return with(fn, [&](PrimFuncNode& n) {
    n.params = params;
    n.body = body;
  });
}

// Whether two nodes of a kind have the same fields: their list is read by it.
template <class N>
class SameFields {
 public:
  SameFields(const N* before, const N* after) : before_(before), after_(after) { N::fields(*this); }
  explicit operator bool() const { return same_; }

  template <class Member>
  void operator()(const char*, Member member) {
    const auto &before = before_->*member, &after = after_->*member;
    if constexpr (requires { before.same_as(after); }) {
      same_ = same_ && before.same_as(after);
    } else {
      same_ = same_ && before == after;
    }
  }
  template <class Member>
  void binder(const char* name, Member member) {
    (*this)(name, member);
  }
  template <class Member>
  void pattern(const char* name, Member member) {
    (*this)(name, member);
  }
  template <class Member>
  void ignored(const char* name, Member member) {
    (*this)(name, member);
  }

 private:
  const N *before_, *after_;
  bool same_ = true;
};

// As with(), but the node itself where the change leaves every field as it was.
template <class N, class F>
Ref<N> updated(const N* node, F&& change) {
  Ref<N> next = with(ref(node), change);
  return SameFields<N>(node, next.get()) ? ref(node) : next;
}

inline std::string_view text(const String& s) { return {s.data(), s.size()}; }

// An integer as scripts and annotations hold it, a number or a constant; nothing for other values.
inline std::optional<int64_t> integer_of(const Any& value) {
  auto constant = value.as<IntImm>();
  return constant ? (*constant)->value : value.try_cast<int64_t>();
}

// The thread that the statement launches; null for other statements.
inline IterVar launched_thread(const Stmt& s) {
  auto* attr = as<AttrStmtNode>(s);
  return attr && attr->attr_key == "thread_extent" ? attr->node.as<IterVar>().value_or(nullptr) : nullptr;
}
// The same, virtual threads included.
inline IterVar opened_thread(const Stmt& s) {
  auto* attr = as<AttrStmtNode>(s);
  bool opens = attr && (attr->attr_key == "thread_extent" || attr->attr_key == "virtual_thread");
  return opens ? attr->node.as<IterVar>().value_or(nullptr) : nullptr;
}

// A buffer of its own, without strides and offset.
inline Buffer new_buffer(std::string name, DataType dtype, std::string_view scope, Array<Expr> shape) {
  BufferType type = make<BufferTypeNode>(dtype, String(std::string(scope)), std::move(shape), Array<Expr>{},
                                         Expr(int32(0)));
  return make<VarNode>(String(std::move(name)), type);
}
// The product of the extents.
inline Expr number_of_elements(const Array<Expr>& shape) {
  Expr count = int32(1);
  for (const Expr& extent : shape) count = count * extent;
  return count;
}

// `A.data`: where the elements of a buffer begin, as a pointer expression.
Expr data_of(const Buffer& buffer);

void register_pass_api();

}  // namespace mlc::transform
