// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/context.h"

#include <utility>

namespace mlc::ir {
namespace {

thread_local Context* in_use = nullptr;

}  // namespace

Context& Context::current() {
  if (in_use != nullptr) return *in_use;
  static thread_local Context own;
  return own;
}

Context::Use::Use(Context& context)
    : before_(std::exchange(in_use, &context)), sources_(context.sources) {}
Context::Use::~Use() { in_use = before_; }

}  // namespace mlc::ir
