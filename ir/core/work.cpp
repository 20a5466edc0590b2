// SPDX-License-Identifier: Apache-2.0
#include "ir/core/work.h"

#include <mutex>

namespace mlc::ir {

namespace {

struct Note {
  std::mutex lock;
  std::string what;
};
Note& note() {
  static Note one;
  return one;
}

}  // namespace

void note_work(std::string what) {
  std::lock_guard hold(note().lock);
  note().what = std::move(what);
}

std::string noted_work() {
  std::lock_guard hold(note().lock);
  return note().what;
}

}  // namespace mlc::ir
