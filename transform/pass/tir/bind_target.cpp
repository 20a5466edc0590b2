// SPDX-License-Identifier: Apache-2.0
#include "ir/target/target.h"
#include "transform/pass/pass.h"

namespace mlc::transform::pass_bind_target {
namespace {

constexpr char doc[] = R"(BindTarget(target): write into every function what it is compiled for.

    def main(...):      =>      def main(...):
                                    T.func_attr({"target": T.target(...)})
needs: nothing.
keeps: every body. Functions that others can call get the target with its host; a target that is there gets
the host where it has none. A private function gets the host where functions that others can call do so
outside of any thread, and the device otherwise; one that both call is there twice, as `NAME_host` for the host.
First of all: what is lowered how depends on the target.)";

// The function of the module that is called; null for other expressions.
const GlobalVarNode* callee_of(const Expr& e) {
  auto* call = as<CallNode>(e);
  return call ? as<GlobalVarNode>(call->op) : nullptr;
}
// Does the statement begin what threads do?
bool begins_threads(const Stmt& s) {
  auto* loop = as<ForNode>(s);
  auto* attr = as<AttrStmtNode>(s);
  return (loop && loop->for_kind == ForKind::kThreadBinding) || (attr && attr->attr_key == "thread_extent");
}
// Which private functions the host calls, and which the threads of a device.
struct Callers final : Walker {
  std::unordered_set<std::string> host, device;
  int inside = 0;
  void visit(const Expr& e) override {
    if (auto* callee = callee_of(e)) (inside > 0 ? device : host).insert(std::string(callee->name_hint));
    walk_children(e);
  }
  void visit(const Stmt& s) override {
    bool threads = begins_threads(s);
    inside += threads;
    walk_children(s);
    inside -= threads;
  }
};

Target with_host(const Target& target, const Target& host) {
  return with(target, [&](TargetNode& n) { n.host = host; });
}
bool is_exposed(const PrimFunc& fn) { return attr(fn, "global_symbol").has_value(); }

IRModule apply(const IRModule& mod, const PassOptions& options) {
  Target target = parse_target(options.args[0]);
  Target device = with_host(target, nullptr);
  Target host = target->host ? target->host : parse_target(Any(String("llvm")));

  Callers callers;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (fn && is_exposed(*fn)) callers.visit((*fn)->body);
  }
  IRModule result = mod;
  std::unordered_map<std::string, GlobalVar> copies;
  for (const auto& [name, base] : mod->functions) {
    auto fn = Any(base).as<PrimFunc>();
    if (!fn) continue;
    std::string key(name->name_hint);
    auto bound = [&](const Target& to) { return with_attr(*fn, "target", to); };
    PrimFunc next = *fn;
    if (auto own = attr(*fn, "target"); own && own->as<TargetNode>()) {
      auto there = own->cast<Target>();
      if (target->host && !there->host && is_exposed(*fn)) next = bound(with_host(there, target->host));
    } else if (has_flag(*fn, "tirx.is_host_func")) {
      next = without_attr(bound(with_host(host, host)), "tirx.is_host_func");
    } else if (is_exposed(*fn)) {
      next = bound(target);
    } else if (callers.host.contains(key) && callers.device.contains(key)) {
      GlobalVar copy = make<GlobalVarNode>(String(key + "_host"));
      copies[key] = copy;
      result = with_function(result, copy, bound(host));
      next = bound(device);
    } else {
      next = bound(callers.host.contains(key) ? host : device);
    }
    if (!next.same_as(*fn)) result = with_function(result, name, next);
  }
  if (copies.empty()) return result;
  int inside = 0;
  // The host's calls of functions that are there twice.
  auto on_host = [&](const Expr& e, Rewriter& on) -> Expr {
    Expr next = on.rewrite_children(e);
    auto* callee = inside == 0 ? callee_of(next) : nullptr;
    auto copy = callee ? copies.find(std::string(callee->name_hint)) : copies.end();
    if (copy == copies.end()) return next;
    return with(ref(as<CallNode>(next)), [&](CallNode& n) { n.op = copy->second; });
  };
  auto statement = [&](const Stmt& s, Rewriter& on) -> Stmt {
    bool threads = begins_threads(s);
    inside += threads;
    Stmt next = on.rewrite_children(s);
    inside -= threads;
    return next;
  };
  return map_prim_funcs(result, [&](const PrimFunc& fn) {
    return is_exposed(fn) ? with_body(fn, rewrite_with(fn->body, overloaded{on_host, statement})) : fn;
  });
}

}  // namespace

extern const Pass bind_target{"BindTarget", "tirx.transform", "BindTarget(target)", doc, nullptr, apply};

}  // namespace mlc::transform::pass_bind_target
