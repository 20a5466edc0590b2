// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/verify_memory.h"
#include "transform/pass/function_target.h"

#include <algorithm>

#include "ir/core/refusal.h"
#include "ir/target/target.h"

namespace mlc::transform::pass_verify_memory {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "host-accesses-device-memory",
         .message = "the function is for a device, and the host would read or write {}: no thread runs these "
                    "accesses",
         .help = "bind a loop around them to threads: `sch.bind(loop, \"threadIdx.x\")`"},
    }};
MLC_REFUSALS(tir_verify_memory, refusals);

namespace {

constexpr char doc[] =
    R"(VerifyMemory(): refuse functions for a device whose memory the host would have to read or write.

    T.func_attr({"target": T.target("cuda")})
    for i in range(n):                      =>      RuntimeError: `B` is accessed by the host
        B[i] = A[i] + 1
needs: the target as an attribute; functions without one, and those of the CPU, pass.
keeps: everything.
Stands before host and device are split: what no thread does would silently run on the host.)";

constexpr int64_t kDefaultConvention = 0;  // of the attribute "calling_conv": nothing was decided yet

bool is_gpu(const Target& target) {
  static constexpr std::string_view kinds[] = {"cuda",  "opencl", "rocm", "vulkan",
                                               "metal", "webgpu", "nvptx"};
  return std::find(std::begin(kinds), std::end(kinds), text(target->kind)) != std::end(kinds);
}

class HostAccesses final : public Walker {
 public:
  explicit HostAccesses(const PrimFunc& fn) {
    for (const Var& param : fn->params) parameters_.insert(param.get());
  }
  std::vector<Buffer> all;

  void visit(const Stmt& s) override {
    auto* attr = as<AttrStmtNode>(s);
    if (attr && text(attr->attr_key) == "thread_extent") return;  // on the device
    walk_children(s);
  }
  void visit(const Expr& e) override {
    if (!as<TensorRegionNode>(e)) walk_children(e);  // a region describes an access elsewhere
  }
  void visit_buffer(const Buffer& buffer) override {
    if (parameters_.contains(buffer.get()) && seen_.insert(buffer.get()).second) all.push_back(buffer);
  }

 private:
  std::unordered_set<const VarNode*> parameters_, seen_;
};

PrimFunc verified(const PrimFunc& fn) {
  std::vector<Buffer> wrong = accessed_by_host(fn);
  if (wrong.empty()) return fn;
  std::string names;
  for (const Buffer& buffer : wrong)
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", buffer->name.c_str());
  throw refuse(refusals["host-accesses-device-memory"], names).at(fn->span).kind("RuntimeError");
}

IRModule apply(const IRModule& mod, const PassOptions&) { return map_prim_funcs(mod, verified); }

}  // namespace

extern const Pass verify_memory{"VerifyMemory", "tirx.transform", "VerifyMemory()", doc, nullptr, apply};

}  // namespace mlc::transform::pass_verify_memory

namespace mlc::transform {

std::vector<Buffer> accessed_by_host(const PrimFunc& fn) {
  using namespace pass_verify_memory;
  auto target = bound_target(fn);
  if (!target || !is_gpu(*target)) return {};
  std::optional<Any> convention = attr(fn, "calling_conv");
  if (convention && integer_of(*convention).value_or(0) != kDefaultConvention) return {};
  HostAccesses find(fn);
  find.visit(fn->body);
  return find.all;
}

}  // namespace mlc::transform
