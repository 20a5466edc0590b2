// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/joint_dims.h"

#include <algorithm>

#include "ir/core/walk_with.h"

namespace mlc::transform {

bool fills_joint_dims(const SRefNode& producer, const SRefNode& loop, const TensorRegionNode& region,
                      const VarMap& values, const Box& box, Analyzer& analyzer) {
  struct Group {
    std::vector<size_t> dims;
    Expr iterations = int_imm(DataType::Int(64), 1);
    bool joint = false;
  };
  std::vector<Group> groups;
  for (const SRefNode* up = producer.parent; up && up != &loop; up = up->parent) {
    if (!up->loop() || is_const_int(up->loop()->extent, 1)) continue;
    Group group;
    for (size_t d = 0; d < region.region.size(); ++d) {
      if (uses_var(substitute(region.region[d]->min, values),
                   [&](const VarNode* var) { return var == up->loop()->loop_var.get(); }))
        group.dims.push_back(d);
    }
    if (group.dims.empty()) continue;
    group.joint = group.dims.size() > 1;
    group.iterations = cast(DataType::Int(64), up->loop()->extent);
    auto meets = [&](const Group& other) {
      return std::any_of(other.dims.begin(), other.dims.end(), [&](size_t d) {
        return std::find(group.dims.begin(), group.dims.end(), d) != group.dims.end();
      });
    };
    for (auto other = groups.begin(); other != groups.end();) {
      if (!meets(*other)) {
        ++other;
        continue;
      }
      for (size_t d : other->dims)
        if (std::find(group.dims.begin(), group.dims.end(), d) == group.dims.end()) group.dims.push_back(d);
      group.iterations = mul(group.iterations, other->iterations);
      group.joint = group.joint || other->joint;
      other = groups.erase(other);
    }
    groups.push_back(group);
  }
  return std::all_of(groups.begin(), groups.end(), [&](const Group& group) {
    if (!group.joint) return true;
    Expr elements = int_imm(DataType::Int(64), 1);
    for (size_t d : group.dims) {
      const Interval& dim = box.dims[d];
      if (dim) elements = mul(elements, cast(DataType::Int(64), analyzer.simplify(dim.max - dim.min + 1)));
    }
    return analyzer.can_prove_equal(elements, group.iterations);
  });
}

}  // namespace mlc::transform
