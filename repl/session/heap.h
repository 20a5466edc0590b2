// SPDX-License-Identifier: Apache-2.0
// What the values of a session hold. Objects of scripts are changed in place and shared; to go back in time their
// contents are put back, not the objects, so that closures, aliases and handles go back with them.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "frontend/script/core/evaluator.h"
#include "frontend/script/core/value.h"
#include "transform/schedule/schedule.h"

namespace mlc::repl {

using ir::Any;

class Heap {
 public:
  // What one object holds, shared between the states in which it is the same.
  struct Names {
    std::vector<std::pair<std::string, Any>> bound;
  };
  struct Items {
    std::vector<Any> items;
  };
  struct Entries {
    std::vector<std::pair<Any, Any>> entries;
  };
  struct Attributes {
    std::vector<std::pair<syntax::Symbol, Any>> attributes;
    Any dict, payload;  // of instances
  };
  struct Table {
    std::vector<script::SetNode::Entry> entries;
    size_t used, filled;
  };
  struct Bytes {
    std::vector<char> bytes;
  };
  struct Cell {
    Any value;
  };
  struct Scheduled {
    transform::Schedule copy;
  };
  using Content = std::variant<Names, Items, Entries, Attributes, Table, Bytes, Cell, Scheduled>;
  // Contents that differ between two states next to each other.
  struct Change {
    Any object;  // None: the names of the main module
    std::shared_ptr<Content> content;
  };
  using Delta = std::vector<Change>;

  explicit Heap(script::Evaluator& evaluator) : evaluator_(evaluator) {}

  // Before a statement runs: everything that it can change is known.
  void prepare();
  // After it: what was changed, as it was before.
  Delta take();
  // Puts the contents of `delta` in place; it has those that were there, so that the same call takes them back.
  void exchange(Delta& delta);
  // The names of the main module that `take` has just found to be bound to something else or to hold it; those that
  // are gone with a `-` before them.
  std::vector<std::string> names_changed(const Delta& delta) const;

  // Bytes of arrays that are too large to be kept, and stay as they are when a session goes back.
  size_t not_kept() const { return not_kept_; }

 private:
  struct Known {
    Any object;
    std::shared_ptr<Content> content;  // null: a schedule that is to be copied before the next statement
  };
  void walk(Delta* changes);
  // Compares one object with what is known of it; what it holds now is in `known_` afterwards. Null where it holds nothing
  // that changes.
  const Content* look_at(const Any& value, size_t& bytes, Delta* changes);

  script::Evaluator& evaluator_;
  std::unordered_map<const ir::ffi::Object*, Known> known_;
  // The objects with contents that the state in force can reach: a statement may change one and let go of it.
  std::vector<Any> reached_;
  bool reached_elsewhere_ = false;  // `exchange` has led to another state since
  std::shared_ptr<Content> names_ = std::make_shared<Content>(Names{});
  size_t not_kept_ = 0;
};

}  // namespace mlc::repl
