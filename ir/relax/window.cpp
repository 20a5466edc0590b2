// SPDX-License-Identifier: Apache-2.0
#include "ir/relax/window.h"

#include "ir/core/refusal.h"

namespace mlc::relax {

static constexpr ir::Refusals refusals{"ValueError",
                                       {
                                           {.name = "window-length",
                                            .kind = "InternalError",
                                            .message = "`{}` of `{}` has {} numbers, but {} are needed"},
                                       }};
MLC_REFUSALS(relax_window, refusals);

size_t parameter_index(const ApiCall& call, std::string_view name) {
  for (size_t i = 0; i < call.api.params.size(); ++i) {
    if (call.api.params[i].name == name) return i;
  }
  MLC_CHECK(false, "`{}` has no parameter `{}`", call.api.path(), name);
}

namespace {

Array<Any> ints_of(const ApiCall& call, size_t i) {
  return attr_arg(call, i, AttrKind::kInts).cast<Array<Any>>();
}

}  // namespace

void complete_ints(ApiCall& call, std::string_view name, size_t count) {
  size_t i = parameter_index(call, name);
  Array<Any> values = ints_of(call, i);
  if (values.size() == 1) {
    Any one = values[0];
    while (values.size() < count) values.push_back(one);
  }
  if (values.size() != count)
    throw ir::refuse(refusals["window-length"], name, call.api.path(), values.size(), count)
        .at(call.span_of(i));
  call.args[i] = values;
}

void complete_padding(ApiCall& call, std::string_view name, size_t axes) {
  size_t i = parameter_index(call, name);
  Array<Any> given = ints_of(call, i);
  Array<Any> values;
  if (given.size() != 1 && given.size() != axes && given.size() != 2 * axes)
    throw ir::refuse(refusals["window-length"], name, call.api.path(), given.size(),
                     axes == 1 ? std::string("1 or 2") : fmt::format("1, {} or {}", axes, 2 * axes))
        .at(call.span_of(i));
  for (size_t k = 0; k < 2 * axes; ++k) values.push_back(given[k % given.size()]);
  call.args[i] = values;
}

void default_to(ApiCall& call, std::string_view name, std::string_view other) {
  Any& value = call.args[parameter_index(call, name)];
  if (value == nullptr) value = call.args[parameter_index(call, other)];
}

}  // namespace mlc::relax
