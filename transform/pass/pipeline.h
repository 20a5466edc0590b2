// SPDX-License-Identifier: Apache-2.0
// How a module becomes what code generators take: by a pipeline, which is a value. Whoever lowers has one: a
// pass of a script, one of stdlib/pipeline/ by its name, or passes of this program (pass_object).
#pragma once

#include <functional>

#include "ir/target/target.h"
#include "transform/pass/pass.h"

namespace mlc::transform {

// The pipeline that `mlc.pipeline` knows by that name, as the configuration in force makes it for `target`, its
// Target.current(); a pass is one itself. Errors: unknown-pipeline, wrong-type.
Any named_pipeline(const Any& name_or_pass, const Target& target, Host& host);

// Passes, for a target.
class Pipeline {
 public:
  // `pass`: a sequence, or one alone. `host`: who runs the passes, and whose functions they are. Errors:
  // pipeline-not-available for targets that nothing is lowered for; wrong-type.
  Pipeline(const Any& pass, const Target& target, Host& host);
  // Passes of this program, which need no script.
  Pipeline(Array<Any> passes, const Target& target, Host& host);

  size_t size() const { return passes_.size(); }
  std::string pass_name(size_t i) const;  // "LowerOpaqueBlock"
  IRModule run(size_t i, const IRModule& mod) const;
  // All passes from the one with index `first` on. `after` is called with the index and the module after each.
  IRModule lower(const IRModule& mod, size_t first = 0,
                 const std::function<void(size_t, const IRModule&)>& after = nullptr) const;

  // The module after each pass that changed it, by the pass's name; the first entry is ("input", mod).
  std::vector<std::pair<std::string, IRModule>> stages(const IRModule& mod) const;

 private:
  Array<Any> passes_;
  Target target_;
  Host* host_;
};

}  // namespace mlc::transform
