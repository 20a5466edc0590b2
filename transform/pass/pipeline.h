// SPDX-License-Identifier: Apache-2.0
// How a module becomes what code generators take. The pipelines themselves are sequences of passes that
// stdlib/pipeline/ writes down.
#pragma once

#include <functional>

#include "ir/target/target.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

// A pipeline, as the configuration in force makes it.
class Pipeline {
 public:
  // By name, or a pass of a script (of `host`) that is used instead: a sequence, or one alone. Errors: the
  // ValueError of `mlc.pipeline.get` for a name that it does not know; pipeline-not-available for targets
  // without one; wrong-type.
  Pipeline(const Any& pipeline, const Target& target, Host* host = nullptr);

  size_t size() const { return passes_.size(); }
  std::string pass_name(size_t i) const;  // "LowerOpaqueBlock"
  IRModule run(size_t i, const IRModule& mod) const;
  // All passes from the one with index `first` on. `after`: told the index and the module after each.
  IRModule lower(const IRModule& mod, size_t first = 0,
                 const std::function<void(size_t, const IRModule&)>& after = nullptr) const;

 private:
  Array<Any> passes_;
  Target target_;
  Host* host_;
};

// The default pipeline on the whole module: the result has no blocks, flat buffers, and only the statements
// that code generators know.
IRModule lower(const IRModule& mod, const Target& target);

// The module after each pass that changed it, by the pass's name; the first entry is ("input", mod).
std::vector<std::pair<std::string, IRModule>> lower_stages(const IRModule& mod, const Target& target);

}  // namespace mlc::transform
