// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/evaluator.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "frontend/diagnostics/render.h"
#include "frontend/script/core/importer.h"
#include "frontend/script/core/library.h"
#include "frontend/script/core/pending_report.h"
#include "frontend/script/core/run_statements.h"
#include "frontend/script/types/equality.h"
#include "frontend/syntax/parse.h"
#include "ir/core/interrupt.h"
#include "ir/core/refusal.h"

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): glibc's, of the main thread

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "SyntaxError",
    {
        {.name = "misplaced-jump",
         .message = "'return', 'break' or 'continue' outside of its place",
         .meaning = "`return` belongs into a function, `break` and `continue` into a loop."},
    }};
MLC_REFUSALS(core_evaluator, refusals);

using State = Evaluator::State;

namespace {

constexpr size_t kValueStackBytes = size_t{64} << 20;  // committed as it is touched
constexpr size_t kWantedCStack = size_t{100} << 20;
constexpr size_t kCStackMargin = size_t{192} << 10;  // for native functions below the last script call

// Where a thread's stack begins, and its size. The main thread's grows up to the resource limit, which is
// raised here where the system allows it; pthread_getattr_np() would read a file of /proc for it, at every
// start.
std::pair<char*, size_t> stack_extent() {
  if (getpid() == gettid()) {
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return {};
    size_t size = std::min<rlim_t>(limit.rlim_cur, kWantedCStack);
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < kWantedCStack) {
      limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kWantedCStack);
      if (setrlimit(RLIMIT_STACK, &limit) == 0) size = limit.rlim_cur;
    }
    return {static_cast<char*>(__libc_stack_end), size};
  }
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {static_cast<char*>(low) + size, size};
}

// The lowest address the C++ stack may reach.
char* find_stack_limit() {
  auto [high, size] = stack_extent();
  if (high == nullptr) return nullptr;
  char here;
  char* lowest = high - size + kCStackMargin;
  return lowest < &here ? lowest : nullptr;
}

// What a printed program is headed by, in comments: `# from tvm.script import tirx as T`. Its file runs as it
// is. The values are looked up when one of the names is first asked for.
constexpr std::string_view kDefaultNames[] = {"tvm", "I",     "ir",   "T",      "tir", "tirx", "Tx",
                                              "R",   "relax", "Axis", "TypeVar"};

}  // namespace

State::State(Evaluator& evaluator) : self(evaluator) {
  ir::set_interrupt_source({.asked = Evaluator::is_interrupted, .clear = Evaluator::clear_interrupt});
  void* memory = mmap(nullptr, kValueStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stack = top = static_cast<Any*>(memory);
  stack_end = stack + kValueStackBytes / sizeof(Any);
  c_stack_limit = find_stack_limit();
  add_builtins(builtins);
  for (std::string_view name : kDefaultNames) builtins.emplace(Symbol(name), unbound());
  importer = std::make_unique<Importer>(*this);
  main = new_module("__main__");
  importer->add("__main__", Any(main));
  nowhere = new_module("<text>");
}

void State::add_default_names() const {
  constexpr std::pair<std::string_view, std::string_view> modules[] = {
      {"tvm", "tvm"},           {"I", "tvm.script.ir"},     {"ir", "tvm.script.ir"},
      {"T", "tvm.script.tirx"}, {"tir", "tvm.script.tirx"}, {"tirx", "tvm.script.tirx"},
      {"R", "tvm.script.relax"}, {"relax", "tvm.script.relax"}, {"Tx", "tvm.script.tirx.tile"},
  };
  const ir::ApiRegistry& registry = ir::ApiRegistry::global();
  for (std::string_view name : kDefaultNames) {
    auto found = builtins.find(Symbol(name));
    if (found != builtins.end() && is_unbound(found->second)) builtins.erase(found);
  }
  for (const auto& [name, path] : modules) {
    if (registry.is_module(path))
      builtins.insert_or_assign(Symbol(name), Any(ir::make<ApiModuleNode>(std::string(path))));
  }
  Any axis;
  State& state = self.state();
  if (registry.is_module("tvm.tirx.layout") && state.module_member("tvm.tirx.layout", Symbol("Axis"), axis))
    builtins.insert_or_assign(Symbol("Axis"), axis);
  if (const ir::Api* type_var = registry.find("typing.TypeVar"))
    builtins.insert_or_assign(Symbol("TypeVar"), state.api_value(type_var));
}

const Any* State::find_builtin(Symbol name) const {
  auto found = builtins.find(name);
  if (found != builtins.end() && is_unbound(found->second)) {
    add_default_names();
    found = builtins.find(name);
  }
  return found == builtins.end() ? nullptr : &found->second;
}

State::~State() {
  while (top != stack) (--top)->reset();
  importer->clear();
  main = nullptr;
  nowhere = nullptr;
  munmap(stack, kValueStackBytes);
}

Ref<ModuleNode> State::new_module(std::string name) {
  Ref<ModuleNode> module = ir::make<ModuleNode>(name);
  auto* node = const_cast<ModuleNode*>(module.get());
  node->builtin_of = [this](Symbol symbol) {
    const Any* found = find_builtin(symbol);
    return found == nullptr ? unbound() : *found;
  };
  node->set(known().name, str_value(name));
  return module;
}

Evaluator::Keeper::Keeper(Evaluator& evaluator, std::shared_ptr<const syntax::Tree> tree)
    : evaluator_(evaluator), tree_(std::move(tree)), kept_(evaluator.state().resolver.kept()) {}
Evaluator::Keeper::~Keeper() {
  if (evaluator_.state().resolver.kept() != kept_) evaluator_.state().trees.push_back(std::move(tree_));
}

Any State::run_module(std::shared_ptr<const syntax::Tree> tree, const Ref<ModuleNode>& module,
                      bool value_of_last) {
  trees.push_back(tree);
  auto* node = const_cast<ModuleNode*>(module.get());
  module_infos.push_back(resolver.module(tree->module->body, node));
  const FunctionInfo& info = *module_infos.back();
  Mark mark(*this);
  for (uint32_t i = 0; i < info.slots; ++i) push(unbound());
  Frame f;
  f.info = &info;
  f.slots = mark.base;
  f.module = node;
  EnterFrame enter(*this, f);
  syntax::Seq<syntax::Stmt> body = tree->module->body;
  if (node->find(known().doc) == nullptr) {
    auto* first = body.empty() ? nullptr : syntax::as<syntax::ExprStmt>(body[0]);
    auto* doc = first == nullptr ? nullptr : syntax::as<syntax::Constant>(first->value);
    bool is_doc = doc != nullptr && doc->type == syntax::Constant::Type::kStr;
    node->set(known().doc, is_doc ? str_value(doc->text) : Any());
  }
  Any last;
  for (size_t i = 0; i < body.size(); ++i) {
    auto* expression =
        i + 1 == body.size() && value_of_last ? syntax::as<syntax::ExprStmt>(body[i]) : nullptr;
    try {
      if (expression != nullptr) {
        last = eval(expression->value, f);
      } else if (exec(body[i], f) != Flow::kNext) {
        raise(refusals["misplaced-jump"], body[i]->span);
      }
    } catch (ir::Error& error) {
      if (!error.first().span) error.first().span = body[i]->span;
      throw;
    }
  }
  return last;
}

Evaluator::Evaluator() {
  out = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  err = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  warn = [this](const ir::Diagnostic& warning) { err(diagnostics::render(warning) + "\n"); };
  state_ = std::make_unique<State>(*this);
}
Evaluator::~Evaluator() {
  for (const auto& action : state_->at_end) action();
}

namespace {

// SystemExit leaves as its own type, whatever raised it; other errors with all that their reports show.
template <class F>
auto with_exit(Evaluator& evaluator, F&& run) {
  try {
    return run();
  } catch (ScriptError& error) {
    auto* instance = as<InstanceNode>(error.exception);
    if (instance == nullptr || !instance->cls->derives_from(exception_classes().at("SystemExit").get())) {
      complete_report(error);
      throw;
    }
    const Any* args = instance->own(known().args);
    if (args == nullptr || elements(*args).empty() || is_none(elements(*args)[0]))
      throw Evaluator::SystemExit{0};
    Any code = elements(*args)[0];
    if (is_int(code) || is_bool(code)) throw Evaluator::SystemExit{static_cast<int>(raw_int(code))};
    evaluator.err(evaluator.str(code) + "\n");
    throw Evaluator::SystemExit{1};
  } catch (ir::Error& error) {
    complete_report(error);
    throw;
  }
}

}  // namespace

namespace {

// Of the program itself; nothing for what is typed or comes from a pipe.
void set_file_of(ModuleNode& main, uint32_t file_id) {
  const std::string& name = ir::SourceMap::current().file(file_id).name;
  if (name.starts_with('<') || main.find(known().file) != nullptr) return;
  std::error_code ignored;
  main.set(known().file, str_value(std::filesystem::absolute(name, ignored).lexically_normal().string()));
}

}  // namespace

void Evaluator::run_source(uint32_t file_id) {
  set_file_of(*const_cast<ModuleNode*>(state_->main.get()), file_id);
  with_exit(*this, [&] { state_->run_module(syntax::parse_file(file_id), state_->main, false); });
}
Any run_statements(Evaluator& evaluator, const std::shared_ptr<const syntax::Tree>& tree,
                   syntax::Seq<syntax::Stmt> statements, bool typed) {
  struct Part {
    std::shared_ptr<const syntax::Tree> whole;  // whose statements they are
    syntax::Tree tree;
  };
  constexpr size_t kBlock = sizeof(syntax::Module) + alignof(syntax::Module);
  auto part = std::shared_ptr<Part>(new Part{tree, syntax::Tree(tree->file, kBlock)});
  auto* module = part->tree.make<syntax::Module>();
  module->span = tree->module->span;
  module->body = statements;
  part->tree.module = module;
  Evaluator::State& state = evaluator.state();
  if (!typed) set_file_of(*const_cast<ModuleNode*>(state.main.get()), tree->file);
  return with_exit(evaluator, [&] {
    return state.run_module(std::shared_ptr<const syntax::Tree>(part, &part->tree), state.main, typed);
  });
}
Any Evaluator::evaluate_repl(uint32_t file_id) {
  return with_exit(*this,
                   [&] { return state_->run_module(syntax::parse_file(file_id), state_->main, true); });
}

Any Evaluator::evaluate(const syntax::Expr& expr, NameScope& names) {
  if (state_->frame != nullptr) return evaluate(expr, names, state_->frame);
  Frame top;
  top.module = const_cast<ModuleNode*>(state_->main.get());
  return evaluate(expr, names, &top);
}

Any Evaluator::evaluate(const syntax::Expr& expr, NameScope& names, Scope where) {
  Frame f;
  f.dynamic = true;
  f.names = &names;
  f.outer = where;
  f.module = const_cast<ModuleNode*>(where != nullptr ? where->module : state_->nowhere.get());
  State::EnterFrame enter(*state_, f);
  return state_->eval_slice(&expr, f);
}

const Any* Evaluator::lookup(Symbol name, Scope where) {
  if (where != nullptr) {
    const Any* found = state_->find_dynamic(name, *where);
    return found != nullptr && is_unbound(*found) ? nullptr : found;
  }
  return state_->find_builtin(name);
}

void Evaluator::print(std::string_view text) { out(text); }

// What other rooms call: a comparison that they are given is a node like all others.
Any Evaluator::call(const Any& callee, std::span<const Any> args) {
  return settled(call(callee, args, {}, {}));
}

std::vector<std::pair<std::string, Any>> Evaluator::globals() const {
  std::vector<std::pair<std::string, Any>> all;
  for (const ModuleNode::Slot* slot : state_->main->bound())
    all.emplace_back(std::string(slot->name.str()), slot->value);
  return all;
}
const Any* Evaluator::global(std::string_view name) const { return state_->main->find(Symbol(name)); }
void Evaluator::set_global(std::string_view name, Any value) {
  const_cast<ModuleNode*>(state_->main.get())->set(Symbol(name), std::move(value));
}
std::vector<std::string> Evaluator::builtin_names() const {
  std::vector<std::string> names;
  state_->find_builtin(Symbol("tvm"));  // those that are looked up when they are asked for stand here too
  for (const auto& [name, value] : state_->builtins) names.emplace_back(name.str());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace mlc::script
