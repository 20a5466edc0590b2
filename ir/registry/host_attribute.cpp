// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/host_attribute.h"

namespace mlc::ir {
namespace {

AttributeLookup& answering() {
  static AttributeLookup lookup = nullptr;
  return lookup;
}

}  // namespace

void answer_attributes(AttributeLookup lookup) { answering() = lookup; }

bool find_attribute(Host& host, const Any& object, std::string_view name, Any& out) {
  return answering() != nullptr && answering()(host, object, name, out);
}

}  // namespace mlc::ir
