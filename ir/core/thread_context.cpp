// SPDX-License-Identifier: Apache-2.0
#include "ir/core/thread_context.h"

namespace mlc::ir {

namespace {

std::vector<Exchange>& all() {
  static std::vector<Exchange> exchanges;
  return exchanges;
}

}  // namespace

void add_own(Exchange exchange) { all().push_back(exchange); }
void exchange_own(std::vector<Any>& kept) {
  kept.resize(all().size(), nullptr);
  for (size_t i = 0; i < all().size(); ++i) all()[i](kept[i]);
}

}  // namespace mlc::ir
