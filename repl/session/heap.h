// SPDX-License-Identifier: Apache-2.0
// What the values of a session hold. Objects of scripts are changed in place and shared; to go back in time
// their contents are put back, not the objects, so that closures, aliases and handles go back with them.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "repl/session/content.h"

namespace mlc::repl {

class Heap {
 public:
  // Arrays are compared after each statement: as many bytes as a few milliseconds allow.
  static constexpr size_t kMostArrayBytes = size_t{64} << 20;

  // Contents that differ between two states next to each other.
  struct Change {
    Any object;  // None: names of the main module, or surroundings
    std::shared_ptr<Content> content;
  };
  struct Delta {
    std::vector<Change> changes;
    // About the bytes that the delta alone keeps while the later of the two states is in force, and while it
    // is not: contents that were replaced, and objects that only the other state can reach.
    size_t bytes_behind = 0, bytes_ahead = 0;
    bool empty() const { return changes.empty(); }
  };

  explicit Heap(script::Evaluator& evaluator);

  // Before a statement runs: everything that it can change is known.
  void prepare();
  // After it: what was changed, as it was before. std::bad_alloc: then everything is as it was before
  // already.
  Delta take();
  // Puts the contents of `delta` in place; it has those that were there, so that the same call takes them
  // back.
  void exchange(Delta& delta);
  // The same on a way over several states: names and surroundings are put in place where it ends.
  void pass(Delta& delta);
  void arrive();
  // The names of the main module that `take` has just found to be bound to something else or to hold it;
  // those that are gone with a `-` before them.
  std::vector<std::string> names_changed(const Delta& delta) const;
  // What `take` has found for the first time and cannot put back: iterators and files, arrays that are too
  // large.
  const std::vector<Any>& not_kept() const { return not_kept_; }
  // Schedules that `exchange` has left as they are: no name led to them when something, a generator, took
  // their steps.
  std::vector<Any> take_lost() { return std::exchange(lost_, {}); }

 private:
  struct Known {
    Any object;
    std::shared_ptr<Content> content;
  };
  // One way through all that the names lead to.
  struct Walk {
    std::unordered_set<const ir::ffi::Object*> seen;
    std::vector<Any> waiting, reached, arrays, not_kept;
    std::vector<Change> changes;  // with the contents as they are now
    size_t bytes_new = 0;
  };
  void walk(Walk& walk);
  // Compares one object with what is known of it. Null where it holds nothing that changes; what it holds now
  // otherwise.
  const Content* look_at(const Any& value, Walk& walk);
  void look_at_arrays(const std::vector<Any>& arrays, bool gone, Walk& walk);
  const Content* note(const Any& value, Known* known, Content now, Walk& walk);
  Known* find(const Any& value);
  // Forgets what the names do not lead to any more.
  void forget_unreached(Walk&& walk);
  void restore();
  // The snapshots of schedules that `pass` has changed.
  void catch_up();
  void bind(const HeldNames& names);
  HeldNames names_now() const;

  script::Evaluator& evaluator_;
  std::unordered_map<const ir::ffi::Object*, Known> known_;
  // The objects with contents that the state in force can reach: a statement may change one and let go of it.
  std::vector<Any> reached_;
  std::vector<Any> not_kept_, lost_;
  std::vector<Any> moved_;                                 // schedules whose snapshots are to catch up
  bool names_moved_ = false, surroundings_moved_ = false;  // `arrive` is to follow
  bool reached_elsewhere_ = false;                         // `exchange` has led to another state since
  std::shared_ptr<Content> names_, surroundings_;
};

}  // namespace mlc::repl
