// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"
#include "transform/pass/pass_context.h"
#include "transform/pass/refusals.h"

namespace mlc::transform {
namespace {

constexpr char doc[] = R"(RemapThreadAxis(axis_map): threads become those of other axes.

    x = T.launch_thread("threadIdx.x", 4)           y = T.launch_thread("threadIdx.y", 4)
    A[x] = 0                                    =>  A[y] = 0
needs: a dictionary from names of axes to iterators, {"threadIdx.x": te.thread_axis("threadIdx.y")}.
keeps: extents and statements.
For a schedule that is to run on other axes than it was written for.)";

struct Remap final : Rewriter {
  std::unordered_map<std::string_view, IterVar> axes;
  VarMap vars;

  using Rewriter::rewrite;
  Expr rewrite(const Expr& e) override {
    auto* var = as<VarNode>(e);
    auto found = var ? vars.find(var) : vars.end();
    return found == vars.end() ? rewrite_children(e) : found->second;
  }
  Stmt rewrite(const Stmt& s) override {
    auto* attr = as<AttrStmtNode>(s);
    auto iter = attr && text(attr->attr_key) == "thread_extent" ? attr->node.as<IterVar>() : std::nullopt;
    auto found = iter ? axes.find(text((*iter)->thread_tag)) : axes.end();
    if (found == axes.end() || found->second.same_as(*iter)) return rewrite_children(s);
    vars[(*iter)->var.get()] = found->second->var;
    return make<AttrStmtNode>(Any(found->second), attr->attr_key, attr->value, rewrite(attr->body), s->span);
  }
};

PrimFunc apply(const PrimFunc& fn, const PassOptions& options) {
  Map<String, Any> given = as_string_map(options.args[0]);
  Remap remap;
  for (const auto& [name, iter] : given) {
    auto axis = iter.as<IterVar>();
    if (!axis)
      throw refuse_as(pass_refusals["wrong-type"], "`{}` is mapped to `{}`, not to an iterator", text(name),
                      type_name(iter))
          .kind("TypeError");
    remap.axes.emplace(text(name), *axis);
  }
  return with_body(fn, remap.rewrite(fn->body));
}

}  // namespace

extern const Pass remap_thread_axis{"RemapThreadAxis", "tirx.transform", "RemapThreadAxis(axis_map)", doc,
                                    apply};

}  // namespace mlc::transform
