// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/refusals.h"

namespace mlc::transform::pass_remap_thread_axis {
namespace {

constexpr char doc[] = R"(RemapThreadAxis(axis_map): threads become those of other axes.

    x = T.launch_thread("threadIdx.x", 4)           y = T.launch_thread("threadIdx.y", 4)
    A[x] = 0                                    =>  A[y] = 0
needs: a dictionary from names of axes to iterators, {"threadIdx.x": te.thread_axis("threadIdx.y")}.
keeps: extents and statements.
For a schedule that is to run on other axes than it was written for.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  Map<String, Any> given = as_string_map(options.args[0]);
  std::unordered_map<std::string_view, IterVar> axes;
  for (const auto& [name, iter] : given) {
    auto axis = iter.as<IterVar>();
    if (!axis)
      throw refuse_as(pass_refusals["wrong-type"], "`{}` is mapped to `{}`, not to an iterator", text(name),
                      type_name(iter));
    axes.emplace(text(name), *axis);
  }
  VarMap vars;
  auto expression = [&](const Expr& e, Rewriter& on) {
    auto* var = as<VarNode>(e);
    auto found = var ? vars.find(var) : vars.end();
    return found == vars.end() ? on.rewrite_children(e) : found->second;
  };
  auto statement = [&](const Stmt& s, Rewriter& on) -> Stmt {
    auto* attr = as<AttrStmtNode>(s);
    IterVar thread = launched_thread(s);
    auto found = thread ? axes.find(text(thread->thread_tag)) : axes.end();
    if (found == axes.end() || found->second.same_as(thread)) return on.rewrite_children(s);
    vars[thread->var.get()] = found->second->var;
    return make<AttrStmtNode>(Any(found->second), attr->attr_key, attr->value, on.rewrite(attr->body),
                              s->span);
  };
  return with_body(fn, rewrite_with(fn->body, overloaded{expression, statement}));
}

}  // namespace

extern const Pass remap_thread_axis{"RemapThreadAxis", "tirx.transform", "RemapThreadAxis(axis_map)", doc,
                                    apply};

}  // namespace mlc::transform::pass_remap_thread_axis
