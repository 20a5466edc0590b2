// SPDX-License-Identifier: Apache-2.0
// What a schedule holds at one time, so that a session can put it back: between two times only what differs
// is kept, and a step of a large module costs and keeps what it has changed. SRefs are restored in place:
// handles, references of scripts (`sch.get_sref`) and the trace stay the objects that they are.
#pragma once

#include <optional>

#include "transform/schedule/schedule.h"

namespace mlc::transform {

// Values of what differs between two times, those of one of the two.
class ScheduleChange {
 public:
  // Is the schedule as it was at the other time? Else something has changed it unseen.
  bool fits(const ScheduleNode& schedule) const { return other_.fits(schedule); }
  // Puts the values into a schedule that fits and takes those that were there, so that the same call takes
  // them back.
  void exchange(ScheduleNode& schedule);
  size_t bytes() const;

 private:
  friend class ScheduleSnapshot;

  // An SRef that is, was or will be in the index of a function. `held.stmt` null: in none.
  struct Place {
    SRef sref;
    const GlobalVarNode* function = nullptr;
    SRefNode held;
  };
  // An index; one that is not there is kept whole.
  struct Function {
    const GlobalVarNode* name = nullptr;
    bool present = false, hides = false;
    SRef root;
    std::unique_ptr<FunctionIndex> kept;
  };
  // The items of a list behind those that are the same at both times.
  template <class T>
  struct Tail {
    size_t shared = 0;
    std::vector<T> items;
    void exchange(std::vector<T>& list);
    void copy_into(std::vector<T>& list) const;
  };
  struct Scalars {
    IRModule beginning, mod;
    Trace trace;
    GlobalVar func_working_on;
    int64_t random_state = 1, debug_mask = 0;
    bool enable_check = true, traced = true;
  };
  // By which the other time is known.
  struct Mark {
    IRModule mod;
    size_t steps = 0, handles = 0, numbers = 0;
    bool fits(const ScheduleNode& schedule) const;
  };
  static Scalars scalars_of(const ScheduleNode& schedule);
  static Mark mark_of(const ScheduleNode& schedule);

  std::vector<Place> places_;
  std::vector<Function> functions_;
  std::vector<std::pair<const ffi::Object*, SRef>> handles_;                    // null: not there
  std::vector<std::pair<const ffi::Object*, std::optional<int64_t>>> numbers_;  // likewise
  Tail<Any> named_;
  Tail<Instruction> steps_;
  Scalars scalars_;
  Mark other_;
};

class ScheduleSnapshot {
 public:
  explicit ScheduleSnapshot(const ScheduleNode& now);
  // A step, even a lookup, is in the trace.
  bool is_current(const ScheduleNode& now) const { return mark_.fits(now) && same_rest(now); }
  // What the schedule holds now where that is not what it held.
  ScheduleChange difference(const ScheduleNode& now);
  // Takes the values of a difference, which gets those of the snapshot for them. Allocates nothing.
  void exchange(ScheduleChange& change) noexcept;
  // The schedule takes the values of a change, here or on a way over many: the snapshot notes where, and
  // reads them once, before it is asked anything again.
  void expect(const ScheduleChange& change);
  void catch_up(const ScheduleNode& now);
  size_t bytes() const;

 private:
  using Place = ScheduleChange::Place;
  struct Function {
    bool present = false, hides = false;
    SRef root;
  };
  bool same_rest(const ScheduleNode& now) const;
  void look_at_places(const ScheduleNode& now, ScheduleChange& change);
  void look_at_handles(const ScheduleNode& now, ScheduleChange& change);
  // Of handles and numbers: only while a difference is exchanged are there some without a value.
  void forget_absent(const ScheduleChange& change) noexcept;

  std::unordered_map<const SRefNode*, Place> places_;
  std::unordered_map<const GlobalVarNode*, Function> functions_;
  std::unordered_map<const ffi::Object*, SRef> handles_;
  std::unordered_map<const ffi::Object*, std::optional<int64_t>> numbers_;
  std::vector<Any> named_;
  std::vector<Instruction> steps_;
  ScheduleChange::Scalars scalars_;
  ScheduleChange::Mark mark_;
  // What `catch_up` is to read.
  struct Expected {
    std::vector<std::pair<SRef, const GlobalVarNode*>> places;
    std::vector<const GlobalVarNode*> functions;
    std::vector<const ffi::Object*> handles, numbers;
    size_t named, steps;  // so many at the beginning are the same
  };
  std::optional<Expected> expected_;
};

}  // namespace mlc::transform
