// SPDX-License-Identifier: Apache-2.0
#include "frontend/diagnostics/findings.h"

#include <algorithm>
#include <tuple>

namespace mlc::diagnostics {

void Findings::add(const ir::Error& error, ir::Span fallback) {
  if (error.first().kind == "KeyboardInterrupt" || error.first().kind == "SystemExit") throw;
  for (ir::Diagnostic one : error.all()) {
    if (one.name == kCascade) continue;
    if (!one.span) one.span = fallback;
    one.kind = "DiagnosticError";
    all_.push_back(std::move(one));
  }
}

void Findings::raise() {
  auto place = [](const ir::Diagnostic& one) {
    return std::tuple(one.span.file, one.span.begin, one.span.end);
  };
  std::stable_sort(all_.begin(), all_.end(), [&](const ir::Diagnostic& a, const ir::Diagnostic& b) {
    return std::tuple(a.span.file, a.span.begin) < std::tuple(b.span.file, b.span.begin);
  });
  // A statement that is built several times (an inlined function, a signature) is wrong every time.
  auto same = [&](const ir::Diagnostic& a, const ir::Diagnostic& b) {
    return place(a) == place(b) && a.name == b.name && a.message == b.message;
  };
  all_.erase(std::unique(all_.begin(), all_.end(), same), all_.end());
  throw ir::Error(std::move(all_));
}

}  // namespace mlc::diagnostics
