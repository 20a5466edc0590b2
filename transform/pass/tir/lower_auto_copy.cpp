// SPDX-License-Identifier: Apache-2.0
#include "transform/pass/pass.h"

namespace mlc::transform {
namespace {

constexpr char doc[] =
    R"(LowerAutoCopy(): copies that leave to the compiler how they are made (`auto_copy`) become loops and instructions.

    with T.sblock("A_shared"):                 refused: how such a copy is made is not decided here yet
        T.sblock_attr({"auto_copy": True})
needs: no block is annotated `auto_copy` (read_at, write_at make such blocks).
keeps: everything.
Before passes that look at how threads read shared memory.)";

PrimFunc apply(const PrimFunc& fn, const PassOptions&) {
  post_order(
      fn->body, [](const Expr&) {},
      [](const Stmt& s) {
        auto* block = as<SBlockNode>(s);
        auto found = block ? block->annotations.find("auto_copy") : Map<String, Any>().end();
        if (!block || found == block->annotations.end()) return;
        auto wanted = (*found).second.try_cast<int64_t>();
        if (auto imm = (*found).second.as<IntImm>()) wanted = (*imm)->value;
        if (wanted && *wanted == 0) return;
        throw Error("auto-copy",
                    "block `{}` leaves its copy to the compiler, which does not make such copies yet",
                    block->name_hint.c_str())
            .kind("NotImplementedError")
            .at(s->span)
            .help("copy with cache_read or cache_write in place of read_at or write_at");
      });
  return fn;
}

}  // namespace

extern const Pass lower_auto_copy{"LowerAutoCopy", "s_tir.transform", "LowerAutoCopy()", doc, apply};

}  // namespace mlc::transform
