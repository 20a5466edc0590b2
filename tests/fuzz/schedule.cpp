// SPDX-License-Identifier: Apache-2.0
// Random schedules of the programs in schedule/kernels.mlc. Bytes choose a kernel and up to ten steps. Then:
//   - a step that is refused leaves module and trace as they were;
//   - after an accepted one the module is well formed, what is known of its blocks is what a fresh look
//     finds, and the module before it is still what it was;
//   - at the end the module computes what the kernel does, interpreted and now and then compiled;
//   - the module prints, and the text reads back as an equal module;
//   - the trace, replayed on the kernel, gives an equal module.
// A failure prints the kernel and its steps as a program, and the first step after which it shows.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "backend/artefact/build.h"
#include "backend/interp/compare.h"
#include "frontend/print/print.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/tvmscript.h"
#include "ir/tir/simplified.h"
#include "ir/tir/verify.h"
#include "tests/fuzz/evaluator.h"
#include "transform/schedule/analysis.h"
#include "transform/schedule/primitive.h"

namespace {

using namespace mlc;
using fuzz::evaluator;
using ir::Any;
using transform::Schedule;

struct Kernel {
  std::string name;
  ir::IRModule mod;
  ir::PrimFunc fn;
  std::vector<Any> args, expected;
};

Any run_text(const std::string& text) {
  return evaluator().evaluate_repl(ir::SourceMap::global().add("<schedule>", text + "\n"));
}

constexpr std::string_view kPrelude = R"(
def blk(n):
    blocks = sch.get_child_blocks(sch.get_sblock("root"))
    return blocks[n % len(blocks)]

def loop(b, n):
    loops = sch.get_loops(b)
    return loops[n % len(loops)]
)";

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    std::ifstream in(MLC_SOURCE_DIR "/tests/fuzz/schedule/kernels.mlc");
    std::string text((std::istreambuf_iterator<char>(in)), {});
    MLC_CHECK(!text.empty(), "tests/fuzz/schedule/kernels.mlc cannot be read");
    run_text(text + std::string(kPrelude));
    std::vector<Kernel> made;
    for (const auto& [name, value] : evaluator().globals()) {
      auto fn = value.as<ir::PrimFunc>();
      if (!fn || script::is_none(value)) continue;
      Kernel kernel{name, ir::module_of(*fn), *fn, {}, {}};
      kernel.args = interp::random_arguments(*fn, 7);
      kernel.expected = interp::interpret(kernel.mod, name, kernel.args);
      made.push_back(std::move(kernel));
    }
    MLC_CHECK(made.size() >= 20, "{} kernels were found", made.size());
    return made;
  }();
  return all;
}

// Choices drawn from the input, one byte each; mixed with their place, so that texts are as good as noise.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool done() const { return at_ >= size_; }
  size_t below(size_t n) {
    uint64_t x = (at_ < size_ ? data_[at_] : 0u) + 0x9e3779b97f4a7c15ull * (at_ + 1) + 0x632be5ab * size_;
    ++at_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return static_cast<size_t>((x ^ (x >> 31)) % n);
  }
  template <class T, size_t N>
  T one_of(const T (&list)[N]) {
    return list[below(N)];
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

std::string draw_step(Choices& c) {
  using fmt::format;
  std::string b = format("blk({})", c.below(5));
  std::string other = format("blk({})", c.below(5));
  size_t m = c.below(7);
  std::string l = format("loop({}, {})", b, m);
  static constexpr std::string_view kScopes[] = {"global", "shared", "local"};
  static constexpr int kFactors[] = {1, 2, 3, 4, 5, 8};
  static constexpr std::string_view kMaps[] = {"lambda i: (i // 4, i % 4)",
                                               "lambda i, j: (j, i)",
                                               "lambda i, j: (i // 4, j, i % 4)",
                                               "lambda i, j: (i * 8 + j,)",
                                               "lambda *i: i",
                                               "lambda i, j: (i // 3, j, i % 3)",
                                               "lambda i, j, k: (k, i, j)",
                                               "lambda i, j: (i, j + 1)",
                                               "lambda i, j: (j // 2, i, j % 2)",
                                               "lambda i, j, k: (i, k // 2, j, k % 2)"};
  std::string_view scope = c.one_of(kScopes);
  int factor = c.one_of(kFactors);
  static constexpr std::string_view kSides[] = {"read", "write"};
  std::string buffer = format("(\"{}\", {})", c.one_of(kSides), c.below(2));
  switch (c.below(48)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return format("sch.split({}, [None, {}])", l, factor);
    case 4:
    case 5:
      return format("sch.split({}, [{}, None])", l, factor);
    case 6:
      return format("sch.split({}, [None, 2, {}])", l, factor);
    case 7:
    case 8:
    case 9:
      return format("sch.fuse(*sch.get_loops({})[{}:{}])", b, m % 3, m % 3 + 2 + c.below(2));
    case 10:
    case 11:
    case 12:
    case 13:
      return format("sch.reorder({}, loop({}, {}))", l, b, c.below(7));
    case 14:
      return format("sch.{}({})", c.one_of((const std::string_view[]){"vectorize", "parallel", "unroll"}), l);
    case 15:
      return format("sch.bind({}, \"{}\")", l,
                    c.one_of((const std::string_view[]){"blockIdx.x", "threadIdx.x", "threadIdx.y"}));
    case 16:
    case 17:
      return format("sch.cache_read({}, {}, \"{}\")", b, c.below(3), scope);
    case 18:
    case 19:
      return format("sch.cache_write({}, 0, \"{}\")", b, scope);
    case 20:
    case 21:
    case 22:
    case 23:
      return format("sch.compute_at({}, loop({}, {}), {}, {})", b, other, m,
                    c.below(3) == 0 ? "True" : "False", c.one_of((const int[]){-1, -1, -2}));
    case 24:
    case 25:
    case 26:
    case 27:
      return format("sch.reverse_compute_at({}, loop({}, {}), {})", b, other, m,
                    c.below(3) == 0 ? "True" : "False");
    case 28:
    case 29:
      return format("sch.compute_inline({})", b);
    case 30:
    case 31:
      return format("sch.reverse_compute_inline({})", b);
    case 32:
    case 33:
      return format("sch.decompose_reduction({}, {})", b, l);
    case 34:
    case 35:
      return format("sch.rfactor({}, {})", l, c.one_of((const int[]){0, 0, 1, -1}));
    case 36:
      return format("sch.blockize({})", l);
    case 37:
      return format("sch.add_unit_loop({})", c.below(2) ? b : l);
    case 38:
      return format("sch.storage_align({}, 0, {}, 8, 2)", b, static_cast<int>(m) - 3);
    case 39:
      return format("sch.set_scope({}, 0, \"{}\")", b, scope);
    case 40:
      return format("sch.reindex({}, {})", b, buffer);
    case 41:
    case 42:
      return format("sch.transform_layout({}, {}, {}, {})", b, buffer, c.one_of(kMaps),
                    c.one_of((const std::string_view[]){"None", "None", "0"}));
    case 43:
      return format("sch.transform_block_layout({}, {})", b, c.one_of(kMaps));
    case 44:
      return c.below(2) ? format("sch.decompose_padding({}, {})", b, l)
                        : format("sch.pad_einsum({}, [{}, {}, {}])", b, factor, c.one_of(kFactors),
                                 c.one_of(kFactors));
    case 45:
      return c.below(2) ? format("sch.rolling_buffer({}, 0)", b)
                        : format("sch.loop_partition({}, [{}])", l, factor);
    case 46:
      return c.below(2) ? format("sch.merge(loop({}, 0), loop({}, 0))", b, other)
                        : format("sch.reorder_block_iter_var({}, [{}, {}, {}])", b, c.below(3), c.below(3),
                                 c.below(3));
    default:
      return format("sch.reindex_cache_{}({}, 0, \"{}\", lambda i, j: (j, i))", c.below(2) ? "read" : "write",
                    b, scope);
  }
}

// A step is evaluated once for every text: `lambda: ...`.
const Any& step_function(const std::string& text) {
  static std::unordered_map<std::string, Any> known;
  auto [at, fresh] = known.try_emplace(text);
  if (fresh) at->second = run_text("lambda: " + text);
  return at->second;
}

size_t changes_in(const Schedule& schedule) {
  size_t count = 0;
  for (const auto& instruction : schedule->trace->instructions) count += !is_pure(*instruction.primitive);
  return count;
}

std::string program(const Kernel& kernel, const std::vector<std::string>& steps) {
  std::string text = print::script(Any(kernel.mod)) + "\nsch = tvm.s_tir.Schedule(Module)\n";
  for (const std::string& step : steps) text += step + "\n";
  return text;
}

// Takes it the arguments of the kernel? A parameter whose layout was changed is another one.
bool same_parameters(const ir::PrimFunc& a, const ir::PrimFunc& b) {
  if (a->params.size() != b->params.size()) return false;
  for (size_t i = 0; i < a->params.size(); ++i) {
    if (!a->params[i].same_as(b->params[i])) return false;
  }
  return true;
}

// Why the module does not compute what the kernel does; empty when it does or cannot be run.
std::string wrong_result(const Kernel& kernel, const ir::IRModule& mod) {
  ir::PrimFunc fn = Any(mod->lookup(kernel.name)).cast<ir::PrimFunc>();
  if (!same_parameters(kernel.fn, fn)) return "";
  try {
    auto found =
        interp::first_difference(kernel.expected, interp::interpret(mod, kernel.name, kernel.args, false));
    return found ? found->text(kernel.fn) : "";
  } catch (const ir::Error& error) {
    if (error.first().name == "interpret-unsupported") return "";
    return fmt::format("{}: {}", error.first().name, error.what());
  }
}

// Where what is kept of the blocks differs from what a fresh look at the module finds.
std::string stale_flags(const Schedule& schedule, const std::string& function) {
  transform::ScheduleState fresh(schedule->state->mod());
  ir::GlobalVar name = fresh.mod()->find(function);
  auto& now = schedule->state->index(name).srefs;
  bool everywhere = true;  // a fresh look does not see what predicates leave out
  ir::post_order(
      fresh.function(name)->body, [](const ir::Expr&) {},
      [&](const ir::Stmt& s) {
        auto* realize = ir::as<ir::SBlockRealizeNode>(s);
        everywhere = everywhere && (realize == nullptr || ir::is_const_int(realize->predicate, 1));
      });
  for (const auto& [stmt, sref] : fresh.index(name).srefs) {
    if (sref->block() == nullptr) continue;
    auto kept = now.find(stmt);
    if (kept == now.end()) return fmt::format("block `{}` has no place", sref->name.c_str());
    const transform::SRefNode& old = *kept->second;
    if (old.affine_binding && !sref->affine_binding && everywhere)
      return fmt::format("`{}` is said to be bound affinely", sref->name.c_str());
    if (old.region_cover && !sref->region_cover && everywhere)
      return fmt::format("what `{}` reads is said to be covered", sref->name.c_str());
    if (old.stage_pipeline && !sref->stage_pipeline && everywhere)
      return fmt::format("`{}` is said to be a stage pipeline", sref->name.c_str());
  }
  return "";
}

struct Outcome {
  Schedule schedule;
  std::vector<std::string> accepted;
  std::string failure;
};

Outcome take(const Kernel& kernel, const std::vector<std::string>& steps, bool run_each) {
  Outcome result;
  result.schedule = transform::make_schedule(kernel.mod, 1, true);
  const Schedule& schedule = result.schedule;
  evaluator().set_global("sch", Any(schedule));
  for (const std::string& step : steps) {
    ir::IRModule before = schedule->state->mod();
    uint64_t hash = ir::structural_hash(Any(before));
    size_t changes = changes_in(schedule);
    bool refused = false;
    try {
      evaluator().call(step_function(step), {});
    } catch (const ir::Error& error) {
      MLC_CHECK(!error.all().empty(), "an error without diagnostics");
      refused = true;
    } catch (const ir::InternalError& error) {
      result.accepted.push_back(step);
      result.failure = fmt::format("{}: {}", step, error.what());
      return result;
    }
    if (refused) {
      if (!schedule->state->mod().same_as(before) || changes_in(schedule) != changes)
        result.failure = "it was refused and has changed something: " + step;
    } else {
      result.accepted.push_back(step);
      try {
        ir::verify(schedule->state->mod());
      } catch (const ir::Error& error) {
        result.failure = fmt::format("{} makes {}: {}", step, error.first().name, error.what());
      }
      try {
        if (result.failure.empty()) result.failure = stale_flags(schedule, kernel.name);
      } catch (const ir::InternalError& error) {
        result.failure = error.what();
      }
      if (result.failure.empty() && run_each) result.failure = wrong_result(kernel, schedule->state->mod());
    }
    if (result.failure.empty() && ir::structural_hash(Any(before)) != hash)
      result.failure = "the module before it was changed: " + step;
    if (!result.failure.empty()) {
      result.failure = fmt::format("after {}: {}", step, result.failure);
      return result;
    }
  }
  return result;
}

std::string round_trip(const ir::IRModule& mod) {
  std::string printed = print::script(Any(mod));
  try {
    Any again = tvmscript::from_source(evaluator(), printed, {}, {});
    auto paths = ir::first_mismatch(Any(mod), again);
    if (paths) {
      paths = ir::first_mismatch(Any(ir::with_simplified_bounds(mod)),
                                 Any(ir::with_simplified_bounds(again.cast<ir::IRModule>())));
    }
    if (!paths) return "";
    return fmt::format("the text reads back as another module at {}\n{}", print::path_text(paths->first),
                       printed);
  } catch (const ir::Error& error) {
    return fmt::format("the text is not read back: {}\n{}", error.what(), printed);
  }
}

std::string replay(const Kernel& kernel, const Schedule& schedule) {
  Schedule again = transform::make_schedule(kernel.mod, 1, true);
  try {
    transform::apply_trace(*schedule->trace, transform::mutable_schedule(again), evaluator());
  } catch (const ir::Error& error) {
    return fmt::format("the trace is refused: {}\n{}", error.what(), schedule->trace->as_python());
  }
  if (ir::structural_equal(Any(again->state->mod()), Any(schedule->state->mod()))) return "";
  return "the trace gives another module\n" + schedule->trace->as_python();
}

std::string compiled(const Kernel& kernel, const ir::IRModule& mod) {
  ir::PrimFunc fn = Any(mod->lookup(kernel.name)).cast<ir::PrimFunc>();
  if (interp::has_threads(fn->body) || !same_parameters(kernel.fn, fn)) return "";
  try {
    auto found =
        interp::first_difference(kernel.expected, backend::run_compiled(mod, kernel.name, kernel.args));
    return found ? "compiled: " + found->text(kernel.fn) : "";
  } catch (const ir::Error& error) {
    if (error.first().name == "unroll-extent") return "";  // `sch.unroll` of a symbolic loop, as in TVM
    return fmt::format("it does not compile: {}: {}", error.first().name, error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choices choices(data, size);
  const Kernel& kernel = kernels()[choices.below(kernels().size())];
  std::vector<std::string> steps;
  size_t count = 2 + choices.below(8);
  while (steps.size() < count) steps.push_back(draw_step(choices));

  Outcome outcome = take(kernel, steps, false);
  std::string failure = outcome.failure;
  const ir::IRModule& mod = outcome.schedule->state->mod();
  if (failure.empty()) failure = wrong_result(kernel, mod);
  if (failure.empty()) failure = round_trip(mod);
  if (failure.empty()) failure = replay(kernel, outcome.schedule);
  if (failure.empty() && choices.below(50) == 0) failure = compiled(kernel, mod);
  if (failure.empty()) return 0;
  // Again, with a run after each step.
  std::string first = take(kernel, outcome.accepted, true).failure;
  MLC_CHECK(false, "{}\n{}\n{}", failure, first, program(kernel, outcome.accepted));
  return 0;
}
