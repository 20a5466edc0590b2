// SPDX-License-Identifier: Apache-2.0
#include "ir/core/try_get.h"
#include "transform/schedule/primitive.h"

namespace mlc::transform::primitive_annotate {

static constexpr char doc[] = R"(
annotate(block_or_loop, ann_key, ann_val)      Attach a value to a loop or block for later passes.

    for i in range(e):      =>      for i in T.serial(e, annotations={"pragma_unroll": 1}):
        S                               S

An annotation of the same key that is there already stays as it is.
keeps: everything else.
)";

// Script values as what IR attributes hold; sampled numbers are those that were sampled. `item`: of a list or
// dict; `entry`: of a dict.
static Any attribute_value(const Step& step, const Any& given, bool item = false, bool entry = false) {
  bool several = given.as<ffi::List<Any>>() || given.as<Array<Any>>();
  bool named = given.as<ffi::Dict<Any, Any>>() || given.as<Map<String, Any>>();
  if (given == nullptr || (item && (named || (several && !entry))))
    wrong_argument(step.call, 3, "a number, a text, a list of these, or a dict of these and such lists");
  if (several || named) {
    Array<Any> items;
    Map<String, Any> entries;
    each_item(given, [&](const Any& key, const Any& each) {
      Any value = attribute_value(step, each, true, named);
      named ? entries.Set(key.cast<String>(), value) : items.push_back(value);
    });
    return named ? Any(entries) : Any(items);
  }
  Any value = step.evaluate(given);
  if (auto constant = value.as<IntImm>()) return (*constant)->value;
  if (auto constant = ir::try_get<FloatImm>(value)) return (*constant)->value;
  bool plain = value.type_index() < ffi::TypeIndex::kTVMFFIStaticObjectBegin || value.try_cast<String>();
  if (!plain) wrong_argument(step.call, 3, "a value that attributes hold");
  return value;
}

static void apply(Step& step, SRef sref, String key, Any value) {
  attribute_value(step, value);  // may refuse
  const Map<String, Any>& present = sref->loop() ? sref->loop()->annotations : sref->block()->annotations;
  if (present.count(key)) return;
  auto put = [&](auto node) {
    return Stmt(
        with(ref(node), [&](auto& copy) { copy.annotations.Set(key, attribute_value(step, value)); }));
  };
  step.replace(*sref, sref->loop() ? put(sref->loop()) : put(sref->block()));
}

extern const Primitive annotate;
const Primitive annotate =
    primitive<&apply>("Annotate", "annotate(block_or_loop, ann_key, ann_val)", doc, "", "ann_val");

}  // namespace mlc::transform::primitive_annotate
