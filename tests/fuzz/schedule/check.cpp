// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/schedule/check.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "backend/artefact/build.h"
#include "backend/interp/compare.h"
#include "frontend/print/print.h"
#include "frontend/tvmscript/builder/module.h"
#include "frontend/tvmscript/builder/tvmscript.h"
#include "ir/core/ndarray.h"
#include "ir/core/visit.h"
#include "ir/tir/index_map.h"
#include "ir/tir/simplified.h"
#include "ir/tir/verify.h"
#include "tests/fuzz/evaluator.h"
#include "tests/fuzz/schedule/regions.h"
#include "transform/arith/index_map.h"
#include "transform/arith/simplify.h"
#include "transform/pass/pipeline.h"
#include "transform/schedule/primitive.h"

namespace mlc::fuzz {

using ir::Any;
using transform::Schedule;

namespace {

Any run_text(const std::string& text) {
  return evaluator().evaluate_repl(ir::SourceMap::current().add("<schedule>", text + "\n"));
}

constexpr std::string_view kPrelude = R"(
def blk(n):
    blocks = sch.get_child_blocks(sch.get_sblock("root"))
    return blocks[n % len(blocks)]


def loop(b, n):
    loops = sch.get_loops(b)
    return loops[n % len(loops)]


kept = [None]


def keep(x):
    kept[0] = x
)";

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

// "sch.split(loop(b, 0), ...)": split, and what `loop` calls.
std::set<std::string> primitives_of(const std::string& step) {
  std::set<std::string> names;
  for (size_t at = 0; (at = step.find("sch.", at)) != step.npos;) {
    at += 4;
    names.insert(step.substr(at, step.find('(', at) - at));
  }
  if (step.find("blk(") != step.npos) names.insert({"get_child_blocks", "get_sblock"});
  if (step.find("loop(") != step.npos) names.insert("get_loops");
  return names;
}

// One number for what is kept of the loops and blocks: where they stand, and what is known of them.
size_t fingerprint(const Schedule& schedule, const ir::GlobalVar& function) {
  size_t sum = 0;
  for (const auto& [stmt, sref] : schedule->state->index(function).srefs) {
    size_t one = std::hash<const void*>()(stmt);
    for (const void* part : {static_cast<const void*>(sref.get()), static_cast<const void*>(sref->parent),
                             static_cast<const void*>(sref->stmt.get())})
      one = one * 1000003 + std::hash<const void*>()(part);
    sum += one * 8 + (sref->affine_binding ? 4U : 0U) + (sref->region_cover ? 2U : 0U) +
           (sref->stage_pipeline ? 1U : 0U);
  }
  return sum;
}

std::vector<int64_t> shape_of(const ir::ffi::Tensor& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

// The layout after one `transform_layout` more.
Layout mapped(const Layout& layout, const ir::IndexMap& map) {
  ir::DataType type = map->initial_indices[0]->dtype();
  transform::Analyzer analyzer;
  auto numbers = [](const ir::Array<ir::Expr>& exprs) {
    std::vector<int64_t> values;
    for (const ir::Expr& e : exprs) values.push_back(ir::const_int(e).value());
    return values;
  };
  auto constants = [&](const std::vector<int64_t>& values) {
    ir::Array<ir::Expr> exprs;
    for (int64_t value : values) exprs.push_back(ir::int_imm(type, value));
    return exprs;
  };
  Layout next{numbers(transform::map_shape(map, constants(layout.shape), analyzer)), {}};
  for (int64_t position : layout.positions) {
    std::vector<int64_t> index(layout.shape.size());
    for (size_t d = index.size(); d-- > 0; position /= layout.shape[d]) index[d] = position % layout.shape[d];
    int64_t at = 0;
    std::vector<int64_t> to = numbers(transform::map_indices(map, constants(index), analyzer));
    for (size_t d = 0; d < to.size(); ++d) at = at * next.shape[d] + to[d];
    next.positions.push_back(at);
  }
  return next;
}

void follow(Parameters& parameters, const Kernel& kernel, const Schedule& schedule) {
  if (!parameters.unknown.empty()) return;
  // A change of layout on trust is about padding, which is followed below.
  if (const auto& steps = schedule->trace->instructions;
      !steps.empty() && steps.back().primitive->kind != "TransformLayout") {
    std::string_view assumed = transform::assumption_of(steps.back(), *schedule);
    if (!assumed.empty()) {
      parameters.unknown = fmt::format("on trust: {}", assumed);
      return;
    }
  }
  ir::PrimFunc fn = Any(schedule->state->mod()->lookup(kernel.name)).cast<ir::PrimFunc>();
  for (size_t i = 0; i < parameters.vars.size(); ++i) {
    if (fn->params[static_cast<int64_t>(i)].same_as(parameters.vars[i])) continue;
    const transform::Instruction& last = schedule->trace->instructions.back();
    std::optional<ir::IndexMap> map;
    for (const Any& arg : last.args) {
      if (!map && last.primitive->kind == "TransformLayout") map = arg.as<ir::IndexMap>();
    }
    if (!map || !*map) {
      parameters.unknown = fmt::format("{} changes a parameter", last.primitive->name());
      return;
    }
    parameters.vars[i] = fn->params[static_cast<int64_t>(i)];
    parameters.layouts[i] = mapped(parameters.layouts[i], *map);
  }
}

// The kernel's arguments in the layouts that the parameters have now; zero where these have room for more.
std::vector<Any> laid_out(const Kernel& kernel, const Parameters& parameters) {
  std::vector<Any> args;
  for (size_t i = 0; i < kernel.runs[0].args.size(); ++i) {
    auto tensor = kernel.runs[0].args[i].as<ir::ffi::Tensor>();
    const Layout& layout = parameters.layouts[i];
    if (!tensor || parameters.vars[i].same_as(kernel.fn->params[static_cast<int64_t>(i)])) {
      args.push_back(kernel.runs[0].args[i]);
      continue;
    }
    ir::ffi::Tensor moved = ir::make_tensor(layout.shape, ir::DataType(tensor->dtype()));
    size_t bytes = ir::ffi::GetDataSize(*tensor) / static_cast<size_t>(std::max<int64_t>(tensor->numel(), 1));
    std::memset(moved.data_ptr(), 0, ir::ffi::GetDataSize(moved));
    for (size_t k = 0; k < layout.positions.size(); ++k)
      std::memcpy(static_cast<char*>(moved.data_ptr()) + static_cast<size_t>(layout.positions[k]) * bytes,
                  static_cast<const char*>(tensor->data_ptr()) + k * bytes, bytes);
    args.emplace_back(moved);
  }
  return args;
}

// The elements of the kernel in what a run has left.
std::vector<Any> laid_back(const Kernel& kernel, const Parameters& parameters, std::vector<Any> left) {
  for (size_t i = 0; i < left.size(); ++i) {
    auto tensor = left[i].as<ir::ffi::Tensor>();
    if (!tensor || parameters.vars[i].same_as(kernel.fn->params[static_cast<int64_t>(i)])) continue;
    auto like = kernel.runs[0].args[i].cast<ir::ffi::Tensor>();
    ir::ffi::Tensor moved = ir::make_tensor(shape_of(like), ir::DataType(like.dtype()));
    size_t bytes = ir::ffi::GetDataSize(like) / static_cast<size_t>(std::max<int64_t>(like.numel(), 1));
    const Layout& layout = parameters.layouts[i];
    for (size_t k = 0; k < layout.positions.size(); ++k)
      std::memcpy(
          static_cast<char*>(moved.data_ptr()) + k * bytes,
          static_cast<const char*>(tensor->data_ptr()) + static_cast<size_t>(layout.positions[k]) * bytes,
          bytes);
    left[i] = moved;
  }
  return left;
}

}  // namespace

namespace {

std::vector<Run> runs_of(const ir::IRModule& mod, const std::string& name, const ir::PrimFunc& fn) {
  using interp::Agreement;
  using Floats = interp::Values;
  interp::Rounding rounding = interp::rounding_of(fn->body);
  Agreement floats = !rounding.accumulates ? Agreement::kBits
                     : rounding.inexact    ? Agreement::kRounded
                                           : Agreement::kValues;
  std::vector<interp::Values> values = {{.floats = rounding.chooses ? Floats::kUniform : Floats::kExact}};
  values.push_back(values[0]);
  values.back().boundary_integers = true;
  if (!rounding.accumulates) values.back().floats = Floats::kBoundary;
  bool symbolic = std::any_of(fn->params.begin(), fn->params.end(), [](const ir::Var& param) {
    return param->buffer() != nullptr &&
           std::any_of(param->buffer()->shape.begin(), param->buffer()->shape.end(),
                       [](const ir::Expr& dim) { return !ir::const_int(dim); });
  });
  for (int64_t size : {0, 1, 17}) {
    if (!symbolic) break;
    values.push_back(values[0]);
    values.back().size = size;
  }
  std::vector<Run> runs;
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<Any> args = interp::random_arguments(fn, 7 + i, {}, values[i]);
    std::vector<Any> expected = interp::interpret(mod, name, args);
    runs.push_back({std::move(args), std::move(expected), floats});
  }
  return runs;
}

std::string read_kernels(const char* file) {
  std::ifstream in(fmt::format(MLC_SOURCE_DIR "/tests/fuzz/schedule/{}", file));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  MLC_CHECK(!text.empty(), "tests/fuzz/schedule/{} cannot be read", file);
  return text;
}

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    run_text(read_kernels("kernels.mlc"));
    run_text(read_kernels("written_kernels.mlc"));
    run_text(read_kernels("edge_kernels.mlc") + std::string(kPrelude));
    std::vector<Kernel> made;
    for (const auto& [name, value] : evaluator().globals()) {
      auto fn = value.as<ir::PrimFunc>();
      if (!fn || script::is_none(value) || name.starts_with("intrinsic_")) continue;
      ir::IRModule mod = ir::module_of(*fn);
      made.push_back({name, mod, *fn, runs_of(mod, name, *fn)});
    }
    MLC_CHECK(made.size() >= 55, "{} kernels were found", made.size());
    return made;
  }();
  return all;
}

Parameters parameters_of(const Kernel& kernel) {
  Parameters parameters;
  for (size_t i = 0; i < kernel.fn->params.size(); ++i) {
    parameters.vars.push_back(kernel.fn->params[static_cast<int64_t>(i)]);
    Layout layout;
    if (auto tensor = kernel.runs[0].args[i].as<ir::ffi::Tensor>()) {
      layout.shape = shape_of(*tensor);
      for (int64_t k = 0; k < tensor->numel(); ++k) layout.positions.push_back(k);
    }
    parameters.layouts.push_back(std::move(layout));
  }
  return parameters;
}

std::string program(const Kernel& kernel, const std::vector<std::string>& steps) {
  std::string text =
      "import tvm\n" + print::file_text(kernel.mod, {}) + "\nsch = tvm.s_tir.Schedule(Module)\n";
  text += fmt::format("sch.work_on(\"{}\")\n{}\n", kernel.name, kPrelude);
  for (const std::string& step : steps) text += step + "\n";
  return text;
}

namespace {

// What a run of the module on the first arguments leaves, and on the others where no parameter has changed.
using Runner = std::function<std::vector<Any>(const std::vector<Any>& args)>;
std::string wrong_runs(const Kernel& kernel, const Parameters& parameters, const Runner& run, bool rounds,
                       std::string& skipped, Counts& counts) {
  skipped = parameters.unknown;
  if (!skipped.empty()) return "";
  bool same = std::equal(parameters.vars.begin(), parameters.vars.end(), kernel.fn->params.begin(),
                         [](const ir::Var& a, const ir::Var& b) { return a.same_as(b); });
  try {
    for (const Run& one : kernel.runs) {
      bool first = &one == kernel.runs.data();
      if (!first && !same) break;
      std::vector<Any> left = run(first ? laid_out(kernel, parameters) : one.args);
      if (first) left = laid_back(kernel, parameters, std::move(left));
      ++counts.runs;
      auto found =
          interp::first_difference(one.expected, left, rounds ? interp::Agreement::kRounded : one.floats);
      if (found) return found->text(kernel.fn);
    }
    return "";
  } catch (const ir::Error& error) {
    if (error.first().name != "interpret-unsupported")
      return fmt::format("{}: {}", error.first().name, error.what());
    skipped = error.first().message;
    return "";
  }
}

}  // namespace

std::string wrong_result(const Kernel& kernel, const Parameters& parameters, const ir::IRModule& mod,
                         std::string& skipped, Counts& counts) {
  ir::IRModule confined = with_confined_accesses(mod, mod->find(kernel.name), counts.confined);
  auto run = [&](const std::vector<Any>& args) {
    return interp::interpret(confined, kernel.name, args, false);
  };
  return wrong_runs(kernel, parameters, run, false, skipped, counts);
}

// Does the function take its arguments in an array of values?
static bool is_packed(const Kernel& kernel, const ir::IRModule& mod) {
  for (const auto& [name, function] : mod->functions) {
    auto fn = Any(function).as<ir::PrimFunc>();
    if (fn && std::string(name->name_hint) == kernel.name)
      return (*fn)->params.size() != kernel.fn->params.size() ||
             !std::equal((*fn)->params.begin(), (*fn)->params.end(), kernel.fn->params.begin(),
                         [](const ir::Var& a, const ir::Var& b) {
                           return (a->buffer() == nullptr) == (b->buffer() == nullptr);
                         });
  }
  return true;
}

std::string wrong_lowered(const Kernel& kernel, const Parameters& parameters, const ir::IRModule& mod,
                          std::string& skipped, Counts& counts) {
  if (interp::has_threads(Any(mod->lookup(kernel.name)).cast<ir::PrimFunc>()->body)) {
    skipped = "threads";
    return "";
  }
  ir::Target target = ir::parse_target(ir::String("llvm"));
  Any named = transform::named_pipeline(ir::String("default"), target, evaluator());
  transform::Pipeline pipeline(named, target, evaluator());
  try {
    for (const auto& [pass, stage] : pipeline.stages(mod)) {
      if (is_packed(kernel, stage)) break;
      auto run = [&](const std::vector<Any>& args) {
        return interp::interpret(stage, kernel.name, args, false);
      };
      std::string unknown;
      std::string wrong = wrong_runs(kernel, parameters, run, false, unknown, counts);
      if (!wrong.empty()) return fmt::format("after {}: {}", pass, wrong);
      counts.stages += unknown.empty();
    }
    ir::IRModule lowered = pipeline.lower(mod);
    auto run = [&](const std::vector<Any>& args) {
      return backend::run_compiled(lowered, kernel.name, args);
    };
    std::string wrong =
        wrong_runs(kernel, parameters, run, interp::rounding_of(kernel.fn->body).inexact, skipped, counts);
    return wrong.empty() ? "" : "compiled: " + wrong;
  } catch (const ir::Error& error) {
    // `sch.unroll` of a symbolic loop, as in TVM.
    if (error.first().name != "unroll-extent")
      return fmt::format("it does not compile: {}: {}", error.first().name, error.what());
    skipped = error.first().name;
    return "";
  }
}

std::string stale_flags(const Schedule& schedule, const std::string& function) {
  transform::ScheduleState fresh(schedule->state->mod());
  ir::GlobalVar name = fresh.mod()->find(function);
  auto& now = schedule->state->index(name).srefs;
  // A fresh look does not see what predicates leave out, nor that a copy of what an index in memory names
  // covers it, nor which tile an element is in, nor what loops without a step do, nor that writes of loops
  // whose extents change leave no gap.
  bool everywhere = true, tiles = false;
  std::unordered_set<const ir::VarNode*> sums;
  auto is_load = [](const ir::Expr& e) { return ir::as<ir::TensorLoadNode>(e) != nullptr; };
  ir::post_order(
      fresh.function(name)->body,
      [&](const ir::Expr& e) {
        const auto* load = ir::as<ir::TensorLoadNode>(e);
        if (load == nullptr) return;
        for (const ir::Expr& index : load->indices)
          ir::post_order(index, [&](const ir::Expr& part) { everywhere = everywhere && !is_load(part); });
      },
      [&](const ir::Stmt& s) {
        auto* realize = ir::as<ir::SBlockRealizeNode>(s);
        auto* loop = ir::as<ir::ForNode>(s);
        everywhere =
            everywhere && (realize == nullptr || ir::is_const_int(realize->predicate, 1)) &&
            (loop == nullptr || (!ir::is_const_int(loop->extent, 0) &&
                                 (ir::const_int(loop->extent) || ir::as<ir::VarNode>(loop->extent))));
        if (realize == nullptr) return;
        for (const ir::TensorRegion& region : realize->block->writes)
          for (const ir::Range& range : region->region) tiles = tiles || !ir::is_const_int(range->extent, 1);
        // Of a read between two indices, `[min(v, 11 - v), max(v, 11 - v)]`, less is known when the loops are
        // fused.
        for (const ir::TensorRegion& region : realize->block->reads)
          for (const ir::Range& range : region->region) tiles = tiles || !ir::const_int(range->extent);
        // A sum is whole after the last of its iterations: who reads it in each of them has the whole in the
        // end.
        bool sum =
            std::any_of(realize->block->iter_vars.begin(), realize->block->iter_vars.end(),
                        [](const ir::IterVar& iter) { return iter->iter_type == ir::IterType::kCommReduce; });
        for (const ir::TensorRegion& region : realize->block->writes)
          if (sum) sums.insert(region->source.get());
      });
  auto& index = fresh.index(name).srefs;
  if (index.size() != now.size())
    return fmt::format("{} loops and blocks are kept, the module has {}", now.size(), index.size());
  for (const auto& [stmt, sref] : index) {
    auto kept = now.find(stmt);
    if (kept == now.end()) return fmt::format("`{}` is not kept", sref->name.c_str());
    const transform::SRefNode& old = *kept->second;
    if (old.stmt.get() != stmt)
      return fmt::format("the reference to `{}` is that of another", sref->name.c_str());
    const ir::StmtNode* parent = sref->parent == nullptr ? nullptr : sref->parent->stmt.get();
    const ir::StmtNode* kept_parent = old.parent == nullptr ? nullptr : old.parent->stmt.get();
    if (parent != kept_parent) return fmt::format("`{}` is kept below another parent", sref->name.c_str());
    if (sref->block() == nullptr || !everywhere) continue;
    if (old.affine_binding && !sref->affine_binding)
      return fmt::format("`{}` is said to be bound affinely", sref->name.c_str());
    const auto& reads = sref->block()->reads;
    bool of_sum = std::any_of(reads.begin(), reads.end(), [&](const ir::TensorRegion& region) {
      return sums.count(region->source.get()) != 0;
    });
    if (old.region_cover && !sref->region_cover && !tiles && !of_sum)
      return fmt::format("what `{}` reads is said to be covered", sref->name.c_str());
    if (old.stage_pipeline && !sref->stage_pipeline && !tiles && sums.empty())
      return fmt::format("`{}` is said to be a stage pipeline", sref->name.c_str());
  }
  return "";
}

void perform(const Schedule&, const std::string& step) { evaluator().call(step_function(step), {}); }

namespace {

// Is the error about the call rather than the schedule? Steps like that are drawn in vain: a block without
// loops, a loop with itself.
bool about_the_call(const ir::Error& error) {
  std::string_view name = error.first().name;
  return name == "wrong-type" || name.find("argument") != std::string_view::npos;
}

std::string refused(const Schedule& schedule, const ir::IRModule& before, size_t changes, size_t kept,
                    const ir::GlobalVar& function) {
  if (!schedule->state->mod().same_as(before)) return "it was refused and has changed the module";
  if (changes_in(schedule) != changes) return "it was refused and stands in the trace";
  if (fingerprint(schedule, function) != kept)
    return "it was refused and has changed what is known of the blocks";
  return "";
}

std::string accepted(const Kernel& kernel, Outcome& result, bool same, Counts& counts) {
  const Schedule& schedule = result.schedule;
  try {
    ir::verify(schedule->state->mod());
  } catch (const ir::Error& error) {
    return fmt::format("it makes {}: {}", error.first().name, error.what());
  }
  if (std::string stale = stale_flags(schedule, kernel.name); !stale.empty()) return stale;
  follow(result.parameters, kernel, schedule);
  if (same) return "";
  ++counts.changed;
  std::string skipped;
  std::string wrong = wrong_result(kernel, result.parameters, schedule->state->mod(), skipped, counts);
  if (skipped.empty())
    ++counts.compared;
  else
    ++counts.not_compared[skipped];
  return wrong;
}

}  // namespace

Outcome take(const Kernel& kernel, const std::vector<std::string>& steps, Counts& counts,
             const Perform& perform) {
  Outcome result;
  result.schedule = transform::make_schedule(kernel.mod, 1, true);
  result.parameters = parameters_of(kernel);
  const Schedule& schedule = result.schedule;
  ir::GlobalVar function = kernel.mod->find(kernel.name);
  transform::mutable_schedule(schedule).func_working_on = function;
  evaluator().set_global("sch", Any(schedule));
  uint64_t hash = ir::structural_hash(Any(kernel.mod));
  for (const std::string& step : steps) {
    ir::IRModule before = schedule->state->mod();
    size_t changes = changes_in(schedule);
    size_t known = fingerprint(schedule, function);
    std::set<std::string> names = primitives_of(step);
    for (const std::string& name : names) ++counts.primitives[name].all;
    ++counts.steps;
    ++counts.kernels[kernel.name].all;
    std::string failure;
    try {
      perform(schedule, step);
      for (const std::string& name : names) ++counts.primitives[name].accepted;
      ++counts.steps_accepted;
      ++counts.kernels[kernel.name].accepted;
      result.accepted.push_back(step);
    } catch (const ir::Error& error) {
      MLC_CHECK(!error.all().empty(), "an error without diagnostics");
      ++counts.refusals[error.first().name];
      bool kept = step.find("kept") != step.npos;  // what was to be kept was refused before
      failure = about_the_call(error) && !kept ? fmt::format("the step is no call of it: {}", error.what())
                                               : refused(schedule, before, changes, known, function);
      if (failure.empty()) continue;
    } catch (const ir::InternalError& error) {
      result.accepted.push_back(step);
      failure = error.what();
    }
    const ir::IRModule& after = schedule->state->mod();
    try {
      if (failure.empty() && ir::structural_hash(Any(before)) != hash)
        failure = "the module before it was changed";
      if (failure.empty()) failure = accepted(kernel, result, after.same_as(before), counts);
    } catch (const ir::InternalError& error) {
      failure = error.what();
    }
    if (!failure.empty()) {
      result.failure = fmt::format("after {}: {}", step, failure);
      return result;
    }
    if (!after.same_as(before)) hash = ir::structural_hash(Any(after));
  }
  return result;
}

std::string wrong_text(const ir::IRModule& mod, const std::string& printed) {
  try {
    Any again = tvmscript::from_source(evaluator(), printed, {}, {});
    auto paths = ir::first_mismatch(Any(mod), again);
    if (paths) {
      paths = ir::first_mismatch(
          Any(ir::with_simplified_bounds(mod, transform::simplify)),
          Any(ir::with_simplified_bounds(again.cast<ir::IRModule>(), transform::simplify)));
    }
    if (!paths) return "";
    return fmt::format("the text reads back as another module at {}\n{}", print::path_text(paths->first),
                       printed);
  } catch (const ir::Error& error) {
    return fmt::format("the text is not read back: {}\n{}", error.what(), printed);
  }
}

std::string wrong_replay(const Kernel& kernel, const transform::TraceNode& trace, const ir::IRModule& mod) {
  Schedule again = transform::make_schedule(kernel.mod, 1, true);
  try {
    transform::apply_trace(trace, transform::mutable_schedule(again), evaluator());
  } catch (const ir::Error& error) {
    return fmt::format("the trace is refused: {}\n{}", error.what(), trace.as_python());
  }
  if (ir::structural_equal(Any(again->state->mod()), Any(mod))) return "";
  return "the trace gives another module\n" + trace.as_python();
}

}  // namespace mlc::fuzz
