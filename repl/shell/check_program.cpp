// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/check_program.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "frontend/review/review.h"
#include "frontend/review/static_names.h"
#include "frontend/script/core/run_statements.h"
#include "frontend/syntax/parse.h"
#include "repl/shell/deadline.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/program.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

namespace {

// What evaluates without running may take that long, each statement; it is left open then.
constexpr double kMostSeconds = 5;

bool same_position(ir::Span a, ir::Span b) {
  if (!a || !b) return false;
  return a.file == b.file && a.begin == b.begin;
}

class Checker {
 public:
  Checker(const std::string& path, bool run) : run_(run) {
    // Where imports are looked for: nowhere, unless the program runs.
    evaluator_.argv = {run ? path : "/dev/null/program"};
    if (!run) unsetenv("MLCPATH");
    if (run) path_.reset();
    evaluator_.set_global("__name__", ir::Any(ir::String("check")));
    evaluator_.out = [](std::string_view) {};
    evaluator_.warn = [this](const ir::Diagnostic& warning) { checked_.found.push_back(warning); };
  }

  ~Checker() {
    if (path_) setenv("MLCPATH", path_->c_str(), 1);
  }
  Checker(const Checker&) = delete;

  CheckedProgram check(const std::shared_ptr<const syntax::Tree>& tree) {
    const syntax::Module& module = *tree->module;
    review::StaticNames names(module, evaluator_.builtin_names(), is_library_module);
    auto stmt = module.body.begin();
    for (const Chunk& chunk : chunks_of(&module)) {
      // The statements of the chunk: those that end on its last line.
      auto first = stmt;
      while (stmt != module.body.end() && last_line(**stmt) <= chunk.last_line) ++stmt;
      syntax::Seq<syntax::Stmt> statements(first, stmt);
      if (!run_ && !is_static(names, statements)) continue;
      Ending ending = run_chunk(tree, statements, chunk);
      if (ending == Ending::kOver) return std::move(checked_);
      if (ending == Ending::kLate) {
        leave_open(names, statements, fmt::format("what takes more than {} s to compute", kMostSeconds));
        continue;
      }
      for (const syntax::Stmt* each : statements) {
        bool failed = std::ranges::any_of(chunk.names,
                                          [&](const std::string& name) { return missing_.contains(name); });
        failed ? names.pass(*each) : names.take(*each);
      }
    }
    find_indices_out_of_range();
    return std::move(checked_);
  }

  std::vector<std::string> builtin_names() const { return evaluator_.builtin_names(); }

 private:
  static size_t last_line(const syntax::Stmt& stmt) {
    uint32_t end = stmt.span.end > stmt.span.begin ? stmt.span.end - 1 : stmt.span.end;
    return ir::SourceMap::current().position(stmt.span.file, end).line;
  }

  bool is_static(review::StaticNames& names, syntax::Seq<syntax::Stmt> statements) {
    std::string why;
    if (std::ranges::all_of(statements,
                            [&](const syntax::Stmt* each) { return names.is_static(*each, why); }))
      return true;
    leave_open(names, statements, why);
    return false;
  }

  void leave_open(review::StaticNames& names, syntax::Seq<syntax::Stmt> statements, const std::string& why) {
    for (const syntax::Stmt* each : statements) {
      names.pass(*each);
      checked_.not_run += !review::StaticNames::does_nothing(*each);
      auto* function = syntax::as<syntax::FunctionDef>(each);
      auto* type = syntax::as<syntax::ClassDef>(each);
      if (function != nullptr && review::defines_ir(function->decorators))
        checked_.unchecked.push_back({std::string(function->name.str()), function->name_span, why});
      if (type != nullptr && review::defines_ir(type->decorators))
        checked_.unchecked.push_back({std::string(type->name.str()), type->name_span, why});
    }
  }

  // A name whose definition failed is missing afterwards; what fails only because of that is not reported
  // again.
  enum class Ending : uint8_t { kNext, kOver, kLate };
  Ending run_chunk(const std::shared_ptr<const syntax::Tree>& tree, syntax::Seq<syntax::Stmt> statements,
                   const Chunk& chunk) {
    std::optional<Deadline> deadline;
    if (!run_) deadline.emplace(kMostSeconds);
    try {
      script::run_statements(evaluator_, tree, statements);
    } catch (const ir::Error& error) {
      if (error.first().kind == "KeyboardInterrupt") {
        if (deadline && deadline->passed()) return Ending::kLate;
        throw;
      }
      missing_.insert(chunk.names.begin(), chunk.names.end());
      for (const ir::Diagnostic& diagnostic : error.all()) {
        bool follows = diagnostic.name == "undefined-name" &&
                       std::ranges::any_of(missing_, [&](const std::string& name) {
                         return diagnostic.message.find("'" + name + "'") != std::string::npos;
                       });
        if (!follows) checked_.found.push_back(diagnostic);
      }
    } catch (const script::Evaluator::SystemExit&) {
      return Ending::kOver;
    }
    return Ending::kNext;
  }

  void find_indices_out_of_range() {
    std::vector<ir::PrimFunc> seen;
    for (const auto& [name, value] : evaluator_.globals()) {
      // What a schedule or a pass made is as good as what they were given.
      if (!script::is_object(value) || !(value.as<ir::IRModule>() || value.as<ir::PrimFunc>())) continue;
      auto mod = module_in(evaluator_, value);
      if (!mod) continue;
      for (const auto& [var, function] : (*mod)->functions) {
        auto fn = ir::Any(function).as<ir::PrimFunc>();
        auto same = [&](const ir::PrimFunc& other) { return other->body.same_as((*fn)->body); };
        if (!fn || std::ranges::any_of(seen, same)) continue;
        seen.push_back(*fn);
        for (const transform::OutOfRange& one : transform::accesses_out_of_range(*fn))
          checked_.found.push_back(warning_of(one));
      }
    }
  }

  static std::optional<std::string> folders() {
    const char* path = std::getenv("MLCPATH");
    return path == nullptr ? std::nullopt : std::optional<std::string>(path);
  }

  std::optional<std::string> path_ = folders();  // of the environment, while it is without
  Interpreter evaluator_;
  bool run_;
  CheckedProgram checked_;
  std::set<std::string> missing_;
};

}  // namespace

ir::Diagnostic warning_of(const transform::OutOfRange& one) {
  ir::Diagnostic warning;
  warning.severity = ir::Diagnostic::Severity::kWarning;
  warning.name = "out-of-bounds";
  warning.kind = "UserWarning";
  std::string when;
  for (const auto& [loop, value] : one.when)
    when += fmt::format("{}`{}` is {}", when.empty() ? ", when " : ", ", loop, value);
  warning.message =
      fmt::format("index {} is outside of dimension {} of `{}`, which has {} element{}{}", one.index,
                  one.dimension, std::string(one.buffer->name), one.extent, one.extent == 1 ? "" : "s", when);
  warning.span = one.span;
  return warning;
}

CheckedProgram check_program(uint32_t file, const std::string& path, bool run) {
  std::shared_ptr<const syntax::Tree> tree;
  try {
    tree = syntax::parse_file(file);
  } catch (const ir::Error& error) {
    return {error.all(), {}, 0};
  }
  Checker checker(path, run);
  std::vector<std::string> builtins = checker.builtin_names();
  CheckedProgram checked = checker.check(tree);
  for (ir::Diagnostic& warning : review::warnings_of(*tree->module, builtins, transform::handle_makers())) {
    // What has failed when it ran is no warning any more.
    bool failed = std::ranges::any_of(checked.found, [&](const ir::Diagnostic& error) {
      return error.name == warning.name && same_position(error.span, warning.span);
    });
    if (!failed) checked.found.push_back(std::move(warning));
  }
  if (!run) {
    auto position = [](const ir::Diagnostic& one) {
      if (!one.span) return std::pair<uint32_t, uint32_t>{0, 0};
      ir::Position begin = ir::SourceMap::current().position(one.span.file, one.span.begin);
      return std::pair<uint32_t, uint32_t>{begin.line, begin.column};
    };
    std::ranges::stable_sort(checked.found, {}, position);
  }
  return checked;
}

}  // namespace mlc::repl
