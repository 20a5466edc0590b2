// SPDX-License-Identifier: Apache-2.0
// The module in force on its way through the pipeline of a build: stage by stage, forwards and back, each of which can be
// replaced by a text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "repl/session/subject.h"
#include "transform/pass/pipeline.h"

namespace mlc::repl {

class Lowering {
 public:
  // By the default pipeline for that target ("llvm").
  Lowering(Session& session, const Subject& subject, const std::string& target);

  const std::string& name() const { return name_; }      // of what is lowered
  const std::string& target() const { return target_; }  // as it was given
  bool is_of(const ir::IRModule& mod) const { return mod.same_as(input_); }
  const transform::Pipeline& pipeline() const { return pipeline_; }
  size_t passes() const { return pipeline_.size(); }

  // How many passes the module in view has behind it.
  size_t at() const { return at_; }
  const ir::IRModule& stage(size_t passes) const { return stages_[passes]; }
  const ir::IRModule& here() const { return stages_[at_]; }
  size_t known() const { return stages_.size(); }  // stages that have been made so far
  std::string stage_name(size_t passes) const;

  // Runs the passes between, or takes what they have made before. What a pass refuses is thrown; then the stage before
  // it is in view.
  void go(size_t passes);
  // `edited` instead of the stage in view: what was made from that is forgotten.
  void replace(ir::IRModule edited);
  bool is_edited(size_t passes) const;
  // The last stage that was edited.
  std::optional<size_t> last_edit() const;

  // A text of the stage in view that could not be read, with which the next `:edit` begins.
  std::string draft;

 private:
  std::string name_, target_;
  ir::IRModule input_;
  transform::Pipeline pipeline_;
  std::vector<ir::IRModule> stages_;
  std::vector<size_t> edited_;
  size_t at_ = 0;
};

// Those of a session: of each module that was edited on its way, and of the one that is lowered now.
class Lowerings {
 public:
  // That of the module; null where there is none.
  Lowering* find(const ir::IRModule& mod);
  // A new one instead of that of the same module. Those of other modules stay where they have an edited stage.
  Lowering& begin(Lowering made);

 private:
  std::vector<std::shared_ptr<Lowering>> all_;
};

// The module behind the last pass for that target, by the edited stages where the module has any and the target is theirs.
struct Lowered {
  ir::IRModule mod;
  ir::Target target;
  std::string remark;  // "from 08-lower_opaque_block, edited", or ""
};
Lowered lowered(Session& session, const Subject& subject, const std::string& target);

}  // namespace mlc::repl
