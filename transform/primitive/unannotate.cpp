// SPDX-License-Identifier: Apache-2.0
#include "ir/core/refusal.h"
#include "transform/schedule/primitive.h"
#include "transform/schedule/refusals.h"

namespace mlc::transform::primitive_unannotate {

static constexpr ir::Refusals refusals{kScheduleError,
                                       {
                                           {.name = "annotation-not-found",
                                            .message = "{} `{}` has no annotation `{}`",
                                            .help = "name one of the annotations that the loop or block has",
                                            .meaning = "The loop or block has no annotation of this name.",
                                            .wrong = R"(i, j = sch.get_loops("double")
sch.unannotate(i, "pragma"))",
                                            .right = R"(i, j = sch.get_loops("double")
sch.annotate(i, "pragma", 1)
sch.unannotate(i, "pragma"))"},
                                       }};
MLC_REFUSALS(primitive_unannotate, refusals);

static constexpr char doc[] = R"(
unannotate(block_or_loop, ann_key)      Take an annotation off a loop or block.

    for i in T.serial(e, annotations={"key": 1}):      =>      for i in range(e):
        S                                                          S

needs: the annotation is there.
keeps: everything else.
)";

static void apply(Step& step, SRef sref, String key) {
  // check
  const Map<String, Any>& present = sref->loop() ? sref->loop()->annotations : sref->block()->annotations;
  if (!present.count(key)) {
    std::vector<std::string> keys;
    for (const auto& [name, value] : present) keys.emplace_back(name);
    throw refuse(refusals["annotation-not-found"], sref->loop() ? "loop" : "block", sref->name.c_str(),
                 key.c_str())
        .kind("IndexError+ScheduleError")
        .at(step.span(2))
        .help(did_you_mean(key.c_str(), keys));
  }

  // apply
  auto drop = [&](auto node) {
    return Stmt(with(ref(node), [&](auto& copy) { copy.annotations.erase(key); }));
  };
  step.replace(*sref, sref->loop() ? drop(sref->loop()) : drop(sref->block()));
}

extern const Primitive unannotate;
const Primitive unannotate = primitive<&apply>("Unannotate", "unannotate(block_or_loop, ann_key)", doc);

}  // namespace mlc::transform::primitive_unannotate
