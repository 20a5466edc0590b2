// SPDX-License-Identifier: Apache-2.0
// The state of a session: what programs change while they run, and what is in force where they are.
#pragma once

#include <exception>
#include <map>
#include <string>
#include <vector>

#include "ir/target/target.h"

namespace mlc::ir {

// Of one thread of a script. Of several, one runs at a time: they swap these in and out.
struct Entered {
  std::vector<Target> targets;     // by `with Target(...)`, innermost last
  std::vector<Any> pass_contexts;  // by `with PassContext(...)`: those of transform/pass/pass_context.h
  const Target* lowered_for = nullptr;  // what a pipeline that runs now makes code for
  bool solver = false;                  // may the analyzer use an SMT solver?
  // The error that has left a function of a script into compiled code (Host::leave).
  std::exception_ptr error_below;
};

// A session is a program that runs, a document of an editor, a notebook. It runs in one thread at a time.
// Beside its context sessions share only what is never changed once programs run: rows, passes, targets.
struct Context : Entered {
  SourceMap sources;
  std::map<std::string, Any, std::less<>> tensor_intrins;       // TensorIntrin.register
  std::map<std::string, std::string, std::less<>> target_tags;  // Target.register_tag: their specifications

  // That of the innermost Use of this thread; outside of any one that lives as long as the thread.
  static Context& current();
  // While it lives, this thread works in `context`, and reads into its sources.
  class Use {
   public:
    explicit Use(Context& context);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Context* before_;
    SourceMap::Use sources_;
  };
};

}  // namespace mlc::ir
