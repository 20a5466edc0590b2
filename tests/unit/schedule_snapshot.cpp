// SPDX-License-Identifier: Apache-2.0
// What a session keeps of a schedule: whichever way leads to a time, the module, the index of every function,
// handles and trace are what they were, and a step keeps little of a large module.
#include <catch2/catch.hpp>

#include <random>

#include "frontend/script/core/evaluator.h"
#include "ir/core/span.h"
#include "repl/shell/interpreter.h"
#include "transform/schedule/snapshot.h"

namespace mlc::transform {
namespace {

// `blocks` blocks in loops of their own.
std::string program(size_t blocks) {
  std::string text = R"(import tvm
from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64, BLOCKS), "float32")):
)";
  text.replace(text.find("BLOCKS"), 6, std::to_string(blocks));
  for (size_t i = 0; i < blocks; ++i)
    text += fmt::format(
        "    for i{0} in range(64):\n        with T.sblock(\"b{0}\"):\n            v = T.axis.spatial(64, "
        "i{0})\n"
        "            B[v, {0}] = A[v] + T.float32(1)\n",
        i);
  return text + "sch = tvm.s_tir.Schedule(f)\n";
}

struct Script {
  ir::SourceMap sources;
  ir::SourceMap::Use use{sources};
  repl::Interpreter evaluator;

  bool run(const std::string& text) {
    try {
      evaluator.evaluate_repl(sources.add("<test>", text + "\n"));
      return true;
    } catch (const ir::Error&) {
      return false;
    }
  }
  ScheduleNode& schedule() { return mutable_schedule(evaluator.global("sch")->cast<Schedule>()); }
};

// Everything that a schedule holds, as a text.
std::string all_of(const ScheduleNode& schedule) {
  std::string text = fmt::format("{} {} {}\n", static_cast<const void*>(schedule.state->mod().get()),
                                 schedule.random_state, schedule.trace->as_python());
  std::vector<std::string> parts;
  for (const auto& [key, sref] : schedule.handles)
    parts.push_back(
        fmt::format("{} {} {} {} {} {}", static_cast<const void*>(key), static_cast<const void*>(sref.get()),
                    static_cast<const void*>(sref->stmt.get()), static_cast<const void*>(sref->parent),
                    sref->removed_by, sref->affine_binding));
  for (const auto& [key, number] : schedule.numbers)
    parts.push_back(fmt::format("{} = {}", static_cast<const void*>(key), number));
  std::ranges::sort(parts);
  return text + fmt::format("{}", fmt::join(parts, "\n"));
}

// The index of each function that has one has the loops and blocks of its body, with the parents that they
// have there.
void check_indices(ScheduleNode& schedule) {
  for (const auto& [name, function] : schedule.state->mod()->functions) {
    FunctionIndex& index = schedule.state->index(name);
    for (const auto& [stmt, sref] : index.srefs) {
      REQUIRE(sref->stmt.get() == stmt);
      REQUIRE((sref->parent == nullptr) == (sref == index.root));
      if (sref->parent != nullptr)
        REQUIRE(schedule.state->find(sref->parent->stmt.get()).get() == sref->parent);
    }
    std::unordered_map<const SRefNode*, SRef> moved;
    auto anew = std::make_unique<ScheduleState>(schedule.state->mod());
    REQUIRE(anew->index(name).srefs.size() == index.srefs.size());
  }
}

const char* const kSteps[] = {
    "l = sch.get_loops('b{}')", "a, b = sch.split(l[-1], [None, 2])",
    "l = [sch.fuse(*l[-2:])]",  "sch.vectorize(l[-1])",
    "sch.parallel(l[0])",       "sch.annotate(l[0], 'mark', {})",
    "sch.remove_rv(l[0])",      "v = sch.sample_categorical([1, 2], [0.5, 0.5])",
    "sch.reorder(b, a)",        "sch.unannotate(l[0], 'mark')",
    "sch.blockize(l[-1])",
};

}  // namespace

TEST_CASE("a schedule goes back over random steps, and forth", "[schedule][session]") {
  size_t taken = 0, gone = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Script script;
    REQUIRE(script.run(program(5)));
    ScheduleNode& schedule = script.schedule();
    ScheduleSnapshot snapshot(schedule);
    std::vector<ScheduleChange> changes;
    std::vector<std::string> known{all_of(schedule)};
    size_t at = 0;
    for (size_t count = 0; count < 80; ++count) {
      if (random() % 3 != 0) {
        script.run(fmt::format(fmt::runtime(kSteps[random() % std::size(kSteps)]), random() % 5));
        if (snapshot.is_current(schedule)) {
          REQUIRE(all_of(schedule) == known[at]);
          continue;
        }
        changes.resize(at);
        known.resize(at + 1);
        ScheduleChange change = snapshot.difference(schedule);
        snapshot.exchange(change);
        REQUIRE(snapshot.is_current(schedule));
        changes.push_back(std::move(change));
        known.push_back(all_of(schedule));
        ++at;
        ++taken;
      } else {
        size_t to = random() % known.size();
        gone += to != at;
        while (at != to) {
          ScheduleChange& change = changes[at > to ? at - 1 : at];
          REQUIRE(change.fits(schedule));
          // Known, or out of sight for a while.
          bool seen = random() % 4 != 0;
          if (seen) snapshot.expect(change);
          change.exchange(schedule);
          if (!seen) snapshot = ScheduleSnapshot(schedule);
          at = at > to ? at - 1 : at + 1;
        }
        snapshot.catch_up(schedule);
        REQUIRE(all_of(schedule) == known[at]);
        REQUIRE(snapshot.is_current(schedule));
        check_indices(schedule);
      }
    }
  }
  CHECK(taken > 200);
  CHECK(gone > 100);
}

TEST_CASE("what is kept of a step does not grow with the module", "[schedule][session]") {
  size_t kept[2] = {};
  for (size_t& bytes : kept) {
    size_t blocks = &bytes == kept ? 20 : 2000;
    Script script;
    REQUIRE(script.run(program(blocks) + "l = sch.get_loops('b3')[0]"));
    ScheduleSnapshot snapshot(script.schedule());
    REQUIRE(script.run("a, b = sch.split(l, [None, 8])"));
    ScheduleChange change = snapshot.difference(script.schedule());
    snapshot.exchange(change);
    bytes = change.bytes() - blocks * sizeof(Any);  // without the list of the statements below the root
  }
  CHECK(kept[1] < kept[0] + 512);
}

TEST_CASE("a change is not put into a schedule that has taken another step", "[schedule][session]") {
  Script script;
  REQUIRE(script.run(program(2)));
  ScheduleSnapshot snapshot(script.schedule());
  REQUIRE(script.run("l = sch.get_loops('b0')[0]"));
  ScheduleChange change = snapshot.difference(script.schedule());
  snapshot.exchange(change);
  CHECK(change.fits(script.schedule()));
  REQUIRE(script.run("sch.vectorize(l)"));
  CHECK_FALSE(change.fits(script.schedule()));
  CHECK_FALSE(snapshot.is_current(script.schedule()));
}

}  // namespace mlc::transform
