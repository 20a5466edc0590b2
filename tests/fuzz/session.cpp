// SPDX-License-Identifier: Apache-2.0
// Random walks through the states of a session: statements, `:undo`, `:redo`, `:goto`, branches, `:merge`, `:drop`.
// Whichever way leads to a state, everything that is bound there is as it was when the state was made; a saved session
// and one that was killed come back to the same.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "frontend/script/core/evaluator.h"
#include "ir/core/error.h"
#include "repl/session/session.h"
#include "repl/shell/build_rows.h"
#include "tests/fuzz/evaluator.h"
#include "tests/fuzz/report.h"

namespace {

using namespace mlc;

size_t walks = 0, statements = 0, states = 0, scheduled = 0, moves = 0, moved = 0, merges = 0, merged = 0, saved = 0,
       resumed = 0;

constexpr std::string_view kPrelude = R"(import tvm
from tvm.script import tirx as T
import numpy as np
@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16, 32), "float32")):
    B = T.sblock_alloc_buffer((16, 32), "float32")
    for i, j in T.grid(16, 32):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(16, 32):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
class Counter:
    total = 0
    def __init__(self):
        self.n = 0
    def add(self, n):
        self.n += n
        Counter.total += n
def outer():
    kept = []
    def grow(x):
        nonlocal kept
        kept.append(x)
        if len(kept) > 3:
            kept = kept[2:]
        return list(kept)
    return grow, lambda: list(kept)
x, rows, seen, grid, marks = 1, [1, 2], {"a": 1}, np.zeros(3), {7}
alias = rows
counter = Counter()
grow, grown = outer()
sch = tvm.s_tir.Schedule(f)
other = sch
i, j = sch.get_loops("C")
mod = tvm.IRModule({"f": f})
stream, view = np.random.default_rng(3), np.arange(12.0).reshape(3, 4)[:, 1]
import os
tvm.register_global_func("fuzz.session", lambda: 0, override=True)
os.environ["MLC_FUZZ"] = "0"
)";

// Everything that the statements change.
constexpr std::string_view kBound =
    "(x, rows, alias is rows, alias, seen, grid.tolist(), sorted(marks), counter.n, Counter.total, grown(), "
    "sch.mod.script(), len(sch.trace.insts), other is sch, other.mod.script(), mod.script(), view.tolist(), "
    "tvm.get_global_func('fuzz.session')(), os.environ['MLC_FUZZ'], tvm.transform.PassContext.current().opt_level)";

constexpr std::string_view kStatements[] = {
    "x = x * 3 % 1001",
    "rows.append(x)",
    "rows = rows[-6:] + [x]",
    "alias = rows",
    "del rows[0]",
    "rows.sort(); alias.append(len(rows))",
    "seen[str(x % 5)] = rows",
    "seen.pop('a')",
    "seen = {k: v for k, v in seen.items() if k != '3'}",
    "grid += x % 7",
    "grid[x % 4] = 5",
    "grid = np.arange(3.0)",
    "marks.add(x % 9)",
    "marks -= {7}",
    "counter.add(2)",
    "counter = Counter()",
    "Counter.total = x % 100",
    "grow(x)",
    "grow, grown = outer()",
    "print(x)",
    "x",
    "for k in range(3): rows.append(k); grow(k)",
    "rows.append(1); undefined",
    "sch = tvm.s_tir.Schedule(f)",
    "i, j = sch.get_loops('C')",
    "i, j = sch.get_loops('B')[:2]",
    "j0, j1 = sch.split(j, [None, 4])",
    "i0, i1 = sch.split(i, [None, 2])",
    "sch.vectorize(j1)",
    "sch.parallel(i)",
    "sch.reorder(j, i)",
    "sch.compute_inline('B')",
    "sch.compute_at('B', i)",
    "ij = sch.fuse(i, j)",
    "other = sch.copy()",
    "other.unroll(other.get_loops('C')[0])",
    "sch.annotate(i, 'mark', x)",
    "mod['g'] = f",
    "mod.update_func(mod.get_global_var('f'), other.mod['main'])",
    "mod = sch.mod",
    "del mod['g']",
    "mod.update_global_info('x', [x])",
    "view[x % 3] = x",
    "x = int(stream.integers(100))",
    "tvm.register_global_func('fuzz.session', lambda k=x: k, override=True)",
    "os.environ['MLC_FUZZ'] = str(x)",
    "tvm.transform.PassContext(opt_level=x % 3).__enter__()",
    "rows += [[x] * 2]; rows[-1].append(x)",
    "len(rows)",
};

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool left() const { return at_ < size_; }
  size_t below(size_t bound) { return at_ < size_ ? data_[at_++] % bound : 0; }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

std::string folder() {
  static const std::string made = [] {
    std::string path = (std::filesystem::temp_directory_path() / "mlc-fuzz-session-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) std::abort();
    static std::string kept = path;
    std::atexit([] { std::filesystem::remove_all(kept); });
    return path;
  }();
  return made;
}

class Walk {
 public:
  explicit Walk(repl::Journal* journal = nullptr) : session_({.out = [this](std::string_view text) { shown_ += text; },
                                                              .journal = journal}) {}

  repl::Session& session() { return session_; }
  std::string run(std::string_view input) {
    shown_.clear();
    if (input != kPrelude) taken_.append(input).append("\n");
    session_.run(input);
    return shown_;
  }
  std::string bound() {
    uint32_t file = ir::SourceMap::current().add("<bound>", std::string(kBound) + "\n");
    return session_.evaluator().repr(session_.evaluator().evaluate_repl(file)) + session_.hash_of(session_.position());
  }
  void begin() {
    std::string text = run(kPrelude);
    MLC_CHECK(text.empty(), "the prelude says {}", text);
    beginning_ = session_.position();
    remember();
  }

  void step(Bytes& bytes) {
    size_t before = session_.position();
    size_t kind = bytes.below(16);
    std::string text;
    if (kind < 9) {
      ++statements;
      size_t steps = session_.states().size();
      text = run(kStatements[bytes.below(std::size(kStatements))]);
      states += session_.states().size() > steps;
      scheduled += session_.states().size() > steps && !session_.states().back().primitives.empty();
      if (session_.states().size() == steps) check(before, "a statement that makes no state");
    } else {
      ++moves;
      text = run(move(kind, bytes));
      moved += session_.position() != before;
    }
    if (known_.contains(session_.position())) {
      check(session_.position(), text);
    } else {
      remember();
    }
  }

  // Not back into the prelude, where names are missing.
  std::string move(size_t kind, Bytes& bytes) {
    const auto& branches = session_.branches();
    const std::string& branch = branches[bytes.below(branches.size())].name;
    switch (kind) {
      case 9: {
        size_t most = session_.path().size() - session_.path_to(beginning_).size();
        return most == 0 ? ":redo" : fmt::format(":undo {}", 1 + bytes.below(most));
      }
      case 10: return fmt::format(":redo {}", 1 + bytes.below(2));
      case 11: {
        size_t state = beginning_ + bytes.below(session_.states().size() - beginning_);
        return session_.states()[state].dropped ? ":redo" : fmt::format(":goto {}", state);
      }
      case 12: return ":goto " + branch;
      case 13: return fmt::format(":branch b{}", bytes.below(6));
      case 14: {
        ++merges;
        size_t before = session_.position();
        run(":merge " + branch);
        merged += session_.position() != before;
        return ":steps all";
      }
      default: return bytes.below(2) == 0 ? ":drop " + branch : fmt::format(":rename {} r{}", branch, bytes.below(4));
    }
  }

  // As a program in a session of its own.
  void save() {
    std::string path = folder() + "/saved.mlc";
    run(":save " + path);
    Walk again;
    std::string text = again.run(":load " + path);
    MLC_CHECK(again.bound() == bound(), "saved and loaded again, {}\n{}\nis\n{}\n{}", session_.program(), bound(),
              again.bound(), text);
    ++saved;
  }

 private:
  void remember() { known_[session_.position()] = bound(); }
  void check(size_t state, std::string_view after) {
    std::string now = bound();
    MLC_CHECK(now == known_.at(state), "state {} was\n{}\nand is\n{}\nafter {}\n{}\n{}", state, known_.at(state), now, after,
              taken_, run(":steps all"));
  }

  std::string shown_, taken_;
  repl::Session session_;
  size_t beginning_ = 0;
  std::map<size_t, std::string> known_;
};

// A process that walks and is killed; the next session takes its inputs up again.
void kill_and_resume(const uint8_t* data, size_t size) {
  std::string sessions = folder() + "/sessions";
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  pid_t child = fork();
  if (child == 0) {
    repl::Journal journal(sessions);
    Walk walk(&journal);
    walk.begin();
    Bytes bytes(data, size);
    for (size_t count = 0; bytes.left() && count < 24; ++count) walk.step(bytes);
    std::string text = walk.bound();
    [[maybe_unused]] auto written = write(ends[1], text.data(), text.size());
    kill(getpid(), SIGKILL);
  }
  close(ends[1]);
  std::string there;
  char part[4096];
  for (ssize_t count; (count = read(ends[0], part, sizeof part)) > 0;) there.append(part, count);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  MLC_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the session that was to be killed ended with {}", status);
  repl::Journal journal(sessions);
  Walk walk(&journal);
  std::string text = walk.run(":resume");
  MLC_CHECK(walk.bound() == there, "taken up again:\n{}\nis\n{}\n{}", there, walk.bound(), text);
  journal.finish();
  ++resumed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static bool ready = [] {
    fuzz::evaluator();
    repl::register_build_api();
    return true;
  }();
  ir::SourceMap sources;
  ir::SourceMap::Use use(sources);
  ++walks;
  Bytes bytes(data, size);
  Walk walk;
  walk.begin();
  for (size_t count = 0; bytes.left() && count < 60; ++count) walk.step(bytes);
  if (walks % 4 == 0) walk.save();
  if (walks % 8 == 0) kill_and_resume(data, size);
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  Report report;
  demand(report, "statements that made a state", states, statements, 0.3, 200);
  demand(report, "of these, steps of a schedule", scheduled, states, 0.05, 200);
  demand(report, "moves that led to another state", moved, moves, 0.2, 200);
  demand(report, "merges that brought steps", merged, merges, 0.02, 200);
  demand(report, "walks saved and loaded", saved, walks, 0.2, 20);
  demand(report, "walks killed and taken up again", resumed, walks, 0.1, 20);
  return report;
}
