// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "frontend/print/print.h"
#include "ir/core/walk_with.h"
#include "ir/registry/context.h"
#include "ir/relax/visit.h"
#include "repl/lsp/definitions.h"
#include "repl/shell/check_program.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "transform/analysis/out_of_range.h"

namespace mlc::lsp {

using ir::Any;

namespace {

std::string size_text(double bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

std::string tuple_text(const ir::Array<ir::Expr>& elements) {
  std::string text;
  for (const ir::Expr& each : elements) text += (text.empty() ? "" : ", ") + print::script(Any(each));
  return fmt::format("({}{})", text, elements.size() == 1 ? "," : "");
}

std::optional<int64_t> number(const ir::Expr& expr) {
  auto* constant = ir::as<ir::IntImmNode>(expr);
  if (constant == nullptr) return std::nullopt;
  return constant->value;
}

class FactReader {
 public:
  FactReader(std::string function, std::vector<Fact>& facts)
      : function_(std::move(function)), facts_(facts) {}

  void buffer(const ir::Var& var) {
    const ir::BufferTypeNode* type = var->buffer();
    if (type == nullptr) return;
    std::string shape = tuple_text(type->shape), dtype = ir::DataType(type->dtype).str();
    std::string text = fmt::format("buffer {} {}", shape, dtype);
    if (!type->storage_scope.empty() && type->storage_scope != "global")
      text += fmt::format(" in {}", std::string(type->storage_scope));
    double bytes = (type->dtype.bits * type->dtype.lanes + 7) / 8;
    bool known = true;
    for (const ir::Expr& extent : type->shape) {
      std::optional<int64_t> value = number(extent);
      known = known && value.has_value();
      bytes *= static_cast<double>(value.value_or(0));
    }
    if (known) text += ", " + size_text(bytes);
    add(Fact::About::kBuffer, var, std::move(text), shape + " " + dtype);
  }
  void loop(const ir::ForNode& loop) {
    constexpr std::array kKinds = {"", "parallel ", "vectorized ", "unrolled ", "thread-bound "};
    std::string extent = print::script(Any(loop.extent));
    std::string text = fmt::format("{}loop of {}", kKinds.at(static_cast<size_t>(loop.for_kind)), extent);
    if (number(loop.min) != 0) text += fmt::format(" from {}", print::script(Any(loop.min)));
    if (loop.thread_binding) text += fmt::format(" on {}", std::string(loop.thread_binding->thread_tag));
    add(Fact::About::kLoop, loop.loop_var, std::move(text), extent);
  }
  void iterator(const ir::IterVar& each) {
    std::string_view kind = each->iter_type == ir::IterType::kDataPar      ? "spatial"
                            : each->iter_type == ir::IterType::kCommReduce ? "reduction"
                            : each->iter_type == ir::IterType::kOrdered    ? "scan"
                                                                           : "opaque";
    std::string extent = each->dom ? print::script(Any(each->dom->extent)) : "?";
    add(Fact::About::kIterator, each->var, fmt::format("{} iterator of {}", kind, extent),
        fmt::format("{} {}", kind, extent));
  }
  void read(const ir::PrimFunc& fn) {
    for (const ir::Var& param : fn->params) buffer(param);
    ir::walk_with(fn->body, [&](const ir::Stmt& s, ir::Walker& on) {
      if (auto* block = ir::as<ir::SBlockNode>(s)) {
        for (const ir::IterVar& each : block->iter_vars) iterator(each);
        for (const auto& each : block->match_buffers) buffer(each->buffer);
        for (const ir::Buffer& each : block->alloc_buffers) buffer(each);
      } else if (auto* each = ir::as<ir::ForNode>(s)) {
        loop(*each);
      } else if (auto* alloc = ir::as<ir::AllocBufferNode>(s)) {
        buffer(alloc->buffer);
      } else if (auto* view = ir::as<ir::DeclBufferNode>(s)) {
        buffer(view->buffer);
      }
      on.walk_children(s);
    });
  }

 private:
  void add(Fact::About about, const ir::Var& var, std::string text, std::string hint) {
    facts_.push_back({function_, about, std::string(var->name), std::move(text), std::move(hint)});
  }
  std::string function_;
  std::vector<Fact>& facts_;
};

// The types of parameters and bindings of a graph, found again by their place: a name may be bound several
// times.
class ValueReader final : public relax::Visitor {
 public:
  ValueReader(std::string function, uint32_t file, std::vector<Fact>& values)
      : function_(std::move(function)), file_(file), values_(values) {}

  void visit_def(const ir::Var& var) override {
    if (var->span.file != file_ || !var->ty) return;
    std::string type = print::script(Any(var->ty));
    values_.push_back({function_, Fact::About::kValue, std::string(var->name), type, type, var->span.begin});
  }

 private:
  std::string function_;
  uint32_t file_;
  std::vector<Fact>& values_;
};

// Spans that count from the beginning of the definition; those of other texts have no place here.
ir::Span local(ir::Span span, uint32_t file) {
  return span.file == file ? ir::Span{1, span.begin, span.end} : ir::Span{};
}

void keep(const ir::Diagnostic& found, uint32_t file, Built& built) {
  ir::Diagnostic kept = found;
  kept.span = local(found.span, file);
  kept.notes.clear();
  for (const ir::Note& note : ir::all_notes(found)) {
    if (ir::Span place = local(note.span, file); place || !note.span)
      kept.notes.push_back({note.message, place});
  }
  kept.calls.clear();
  kept.origins.clear();
  built.problems.push_back(std::move(kept));
}

void gather(script::Evaluator& evaluator, const std::string& name, uint32_t file, Built& built) {
  const Any* value = evaluator.global(name);
  if (value == nullptr) return;
  std::optional<ir::IRModule> mod = repl::module_in(evaluator, *value);
  if (!mod) return;
  for (const auto& [global, base] : (*mod)->functions) {
    if (auto graph = Any(base).as<relax::Function>())
      ValueReader(std::string(global->name_hint), file, built.values).visit(*graph);
    auto fn = Any(base).as<ir::PrimFunc>();
    bool alone = value->as<ir::PrimFunc>().has_value();
    if (!fn) continue;
    FactReader(alone ? name : std::string(global->name_hint), built.facts).read(*fn);
    for (const transform::OutOfRange& one : transform::accesses_out_of_range(*fn))
      keep(repl::warning_of(one), file, built);
  }
  std::ranges::stable_sort(built.values, {}, &Fact::begin);
}

}  // namespace

ir::Diagnostic own_failure(std::string_view what) {
  ir::Diagnostic failure;
  failure.name = "internal";
  failure.message = fmt::format("mlc itself fails on this definition: {}", what);
  return failure;
}

Built build_definition(const std::vector<std::string>& sources, const std::string& name) {
  Built built;
  ir::Context context;
  ir::Context::Use use(context);
  repl::Interpreter evaluator;
  // Nothing that lies beside the program is imported: a folder that cannot be one has no modules.
  evaluator.argv = {"/dev/null/document.mlc"};
  evaluator.set_global("__name__", Any(ir::String("check")));
  evaluator.out = [](std::string_view) {};
  evaluator.err = [](std::string_view) {};
  uint32_t file = 0;
  evaluator.warn = [&](const ir::Diagnostic& warning) { keep(warning, file, built); };
  try {
    for (size_t i = 0; i < sources.size(); ++i) {
      uint32_t source = ir::SourceMap::current().add("document", sources[i]);
      if (i + 1 == sources.size()) file = source;
      evaluator.evaluate_repl(source);
    }
    gather(evaluator, name, file, built);
  } catch (const ir::Error& error) {
    // What it captures has failed: that is said where it stands.
    for (const ir::Diagnostic& each : error.all())
      if (file != 0) keep(each, file, built);
  } catch (const script::Evaluator::SystemExit&) {
  } catch (const std::exception& error) {
    built.problems.push_back(own_failure(error.what()));
  }
  return built;
}

}  // namespace mlc::lsp
