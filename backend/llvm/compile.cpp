// SPDX-License-Identifier: Apache-2.0
// LLVM IR to optimised code.
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "backend/artefact/cache.h"
#include "backend/llvm/code.h"
#include "backend/llvm/emitter.h"
#include "backend/llvm/listing_parts.h"
#include "backend/llvm/optimize.h"
#include "backend/llvm/partition.h"
#include "backend/llvm/reuse.h"
#include "backend/llvm/start.h"
#include "ir/core/interrupt.h"
#include "ir/core/refusal.h"
#include "ir/core/work.h"

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "codegen-failed",
         .message = "LLVM cannot compile this for the target: {}",
         .help = "`call_llvm_intrin` takes what the target's `mcpu` and `mattr` have instructions for"},
        {.name = "no-c-interface",
         .kind = "ValueError",
         .meaning = "C functions are compiled for systems with ELF files, such as Linux."},
    }};
MLC_REFUSALS(llvm_compile, refusals);

namespace {

// LLVM reports a fatal error where it cannot select an instruction, such as an intrinsic of an
// extension that the CPU does not have: it has no table of which needs which. Its own frames are left without
// clean-up, which loses memory, and the machine's state is that of one compilation.
[[noreturn]] void give_up(void*, const char* reason, bool) {
  throw ir::refuse(refusals["codegen-failed"], llvm::StringRef(reason).rtrim("!\n").str());
}

// `heed` is called now and then, and may throw. Fatal errors are the caller's.
std::string write_part(llvm::Module& module, const Machine& machine, llvm::CodeGenFileType kind,
                       const std::function<void()>& heed) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.machine->addPassesToEmitFile(passes, stream, nullptr, kind, true)) {
    throw ir::Error("codegen-unsupported", "the target {} cannot write this kind of file",
                    module.getTargetTriple());
  }
  auto yield = [](llvm::LLVMContext*, void* heed) { (*static_cast<const std::function<void()>*>(heed))(); };
  module.getContext().setYieldCallback(yield, const_cast<std::function<void()>*>(&heed));
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

// Of the process, for as long as it lives: a compilation that was left behind may end in one as well.
void catch_fatal_errors() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(give_up); });
}

std::string write(llvm::Module& module, const Machine& machine, llvm::CodeGenFileType kind) {
  catch_fatal_errors();
  return write_part(module, machine, kind, ir::heed_interrupt);
}

// A target machine is used by one compilation at a time.
std::mutex& compile_lock() {
  static std::mutex lock;
  return lock;
}

constexpr std::string_view kEntryPrefix = "__tvm_ffi_";
bool is_entry(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasLocalLinkage() &&
         std::string_view(function.getName()).starts_with(kEntryPrefix);
}

// The only function of a module answers to `main` as well. Weak: several modules may come into one library.
void name_entry(llvm::Module& module) {
  llvm::Function* only = nullptr;
  for (llvm::Function& function : module) {
    if (!is_entry(function)) continue;
    if (only != nullptr) return;
    only = &function;
  }
  std::string main = std::string(kEntryPrefix) + "main";
  if (only != nullptr && only->getName() != main)
    llvm::GlobalAlias::create(llvm::GlobalValue::WeakAnyLinkage, main, only);
}

// In debug builds.
void verify([[maybe_unused]] const llvm::Module& module) {
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  MLC_CHECK(!llvm::verifyModule(module, &stream), "generated LLVM IR is malformed: {}", problems);
#endif
}

// What LLVM says of hints that it could not follow is for those who ask.
struct NoRemarks final : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    return llvm::isa<llvm::DiagnosticInfoOptimizationBase>(info);
  }
};

// `remarks`: gets what the vectorisers say; null: nobody asks.
template <class F>
auto with_module(const ir::IRModule& lowered, const ir::Target& target, DebugInfo debug,
                 std::string_view program, const CNames& c_names, F&& use,
                 std::vector<Remark>* remarks = nullptr) {
  const Machine& machine = machine_for(target);
  llvm::LLVMContext context;
  context.setDiagnosticHandler(remarks != nullptr ? remark_handler(*remarks) : std::make_unique<NoRemarks>());
  ModuleEmitter emitter(context, machine, "mlc", debug == DebugInfo::kLines);
  if (!c_names.empty() && !machine.machine->getTargetTriple().isOSBinFormatELF()) {
    throw ir::refuse_as(refusals["no-c-interface"],
                        "C functions are compiled for systems with ELF files, and {} is none",
                        machine.machine->getTargetTriple().str())
        .help("build without a header; the functions have tvm-ffi's calling convention");
  }
  std::unique_ptr<llvm::Module> module = emitter.emit(lowered, program, c_names);
  if (emitter.packed && !(program.empty() && c_names.empty())) {
    throw ir::refuse_as(refusals["no-c-interface"],
                        "`call_packed` needs tvm-ffi, which C programs do not have")
        .help("build a shared library without a header");
  }
  verify(*module);
  name_entry(*module);
  optimize(*module, machine, ir::heed_interrupt, ir::interrupt_asked);
  return use(*module, machine, emitter);
}

// Assembly with comments, while it lives.
struct WithComments {
  explicit WithComments(llvm::TargetMachine& machine)
      : options(machine.Options.MCOptions), before(options.AsmVerbose) {
    options.AsmVerbose = true;
  }
  ~WithComments() { options.AsmVerbose = before; }
  WithComments(const WithComments&) = delete;
  llvm::MCTargetOptions& options;
  bool before;
};

}  // namespace

std::string data_object(std::string_view symbol, std::string_view bytes, const ir::Target& target) {
  start_llvm();
  std::lock_guard hold(compile_lock());
  const Machine& machine = machine_for(target);
  llvm::LLVMContext context;
  llvm::Module module("data", context);
  module.setTargetTriple(machine.machine->getTargetTriple().str());
  module.setDataLayout(machine.machine->createDataLayout());
  llvm::Constant* content = llvm::ConstantDataArray::getString(context, {bytes.data(), bytes.size()}, false);
  auto* data = new llvm::GlobalVariable(module, content->getType(), true, llvm::GlobalValue::ExternalLinkage,
                                        content, llvm::StringRef(symbol));
  data->setAlignment(llvm::Align(64));
  return write(module, machine, llvm::CodeGenFileType::ObjectFile);
}

namespace {

// Adds what is to be known of a module, or of a part of one, beside its machine code.
void describe(Code& code, const llvm::Module& module, const Machine& machine, const ModuleEmitter& emitter) {
  code.parallel = code.parallel || emitter.parallel;
  code.weights = code.weights || emitter.weights;
  code.openblas = code.openblas || emitter.openblas;
  code.onednn = code.onednn || emitter.onednn;
  code.host = machine.is_host;
  if (emitter.lines != nullptr) {
    std::vector<ir::Span> places = emitter.lines->places();
    code.places.insert(code.places.end(), places.begin(), places.end());
  }
  for (const llvm::Function& function : module) {
    if (is_entry(function))
      code.functions.emplace_back(std::string_view(function.getName()).substr(kEntryPrefix.size()));
  }
}

// A part of a module, with all that LLVM changes while it compiles it.
struct Part {
  llvm::LLVMContext context;
  std::unique_ptr<Machine> machine;
  std::unique_ptr<llvm::Module> module;
  std::string object, name;  // that of a function in it
};

// What an object is made of: the module before it is optimised, and the machine.
std::string key_of(const llvm::Module& module, const ir::Target& target, const Machine& machine) {
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return backend::BuildCache::key({"part", bitcode, std::string(ir::target_text(target)),
                                   machine.machine->getTargetCPU().str(),
                                   machine.machine->getTargetFeatureString().str()});
}

// Parts that are compiled on all cores, by threads that keep all this.
struct Compilation {
  std::vector<std::unique_ptr<Part>> parts;
  std::atomic<size_t> next = 0;
  std::atomic<bool> stop = false;
  std::mutex lock;
  std::condition_variable ended;
  std::exception_ptr error;
  size_t running = 0;
};

void compile_some(Compilation& all) {
  struct Stopped {};
  std::function<bool()> asked = [&all] { return all.stop.load(); };
  std::function<void()> heed = [&all] {
    if (all.stop) throw Stopped();
  };
  std::exception_ptr own;
  try {
    for (size_t i = all.next++; i < all.parts.size(); i = all.next++) {
      heed();
      Part& part = *all.parts[i];
      ir::note_work(fmt::format("`{}`, {} of {}", part.name, i + 1, all.parts.size()));
      optimize(*part.module, *part.machine, heed, asked);
      heed();
      part.object = write_part(*part.module, *part.machine, llvm::CodeGenFileType::ObjectFile, heed);
      part.module.reset();
    }
  } catch (const Stopped&) {
  } catch (...) {
    own = std::current_exception();
    all.stop = true;
  }
  std::lock_guard hold(all.lock);
  if (own && !all.error) all.error = own;
  --all.running;
  all.ended.notify_all();
}

// Nobody but this thread hears of an interrupt; the others are told to stop. LLVM asks between passes, and
// one of them may take a minute for a function of thirty thousand statements: threads that do not end at once
// are left behind, and end when they ask next.
void compile_side_by_side(const std::shared_ptr<Compilation>& all) {
  catch_fatal_errors();
  size_t count = std::min<size_t>(std::max(1U, std::thread::hardware_concurrency()), all->parts.size());
  all->running = count;
  std::vector<std::thread> threads;
  for (size_t i = count; i > 0; --i) threads.emplace_back([all] { compile_some(*all); });
  constexpr auto kAsk = std::chrono::milliseconds(20), kPatience = std::chrono::milliseconds(30);
  auto over = [&] { return all->running == 0; };
  try {
    std::unique_lock hold(all->lock);
    while (!all->ended.wait_for(hold, kAsk, over)) ir::heed_interrupt();
  } catch (...) {
    all->stop = true;
    std::unique_lock hold(all->lock);
    bool ended = all->ended.wait_for(hold, kPatience, over);
    hold.unlock();
    for (std::thread& thread : threads) ended ? thread.join() : thread.detach();
    throw;
  }
  for (std::thread& thread : threads) thread.join();
  if (all->error) std::rethrow_exception(all->error);
}

// Adds the code of a part, but for its object.
void add(Code& code, const Code& part) {
  code.functions.insert(code.functions.end(), part.functions.begin(), part.functions.end());
  code.parallel = code.parallel || part.parallel;
  code.weights = code.weights || part.weights;
  code.openblas = code.openblas || part.openblas;
  code.onednn = code.onednn || part.onednn;
  code.host = part.host;
  code.places.insert(code.places.end(), part.places.begin(), part.places.end());
}

// Parts that were compiled before come from the cache: whoever edits one layer of a model waits for that
// layer.
Code compile_parts(const std::vector<ir::IRModule>& modules, const ir::Target& target, DebugInfo debug) {
  std::optional<backend::BuildCache> cache = backend::BuildCache::of_user();
  const Machine& machine = machine_for(target);
  bool with_keys = std::any_of(modules.begin(), modules.end(), has_code_keys);
  std::vector<Code> codes(modules.size());
  std::vector<std::string> keys(modules.size());
  auto all = std::make_shared<Compilation>();  // of those that are left to compile
  std::vector<size_t> numbers;                 // which ones they are
  for (size_t i = 0; i < modules.size(); ++i) {
    if (std::optional<Code> known = take_code(modules[i])) {
      codes[i] = std::move(*known);
      continue;
    }
    auto part = std::make_unique<Part>();
    ModuleEmitter emitter(part->context, machine, "mlc", debug == DebugInfo::kLines);
    part->module = emitter.emit(modules[i], "", {});
    verify(*part->module);
    // Not where the code may become part of another module.
    if (modules.size() == 1 && !with_keys) name_entry(*part->module);
    describe(codes[i], *part->module, machine, emitter);
    if (cache) keys[i] = key_of(*part->module, target, machine);
    std::optional<std::string> object = cache ? cache->find(keys[i]) : std::nullopt;
    if (object) {
      codes[i].object = std::move(*object);
      keep_code(modules[i], codes[i]);
    } else {
      part->machine = new_machine(target);
      if (!codes[i].functions.empty()) part->name = std::ranges::min(codes[i].functions);
      all->parts.push_back(std::move(part));
      numbers.push_back(i);
    }
    ir::heed_interrupt();
  }
  if (!all->parts.empty()) compile_side_by_side(all);
  for (size_t i = 0; i < numbers.size(); ++i) {
    size_t number = numbers[i];
    codes[number].object = std::move(all->parts[i]->object);
    if (cache) cache->keep_bytes(keys[number], codes[number].object);
    keep_code(modules[number], codes[number]);
  }
  // In an order that does not depend on what was left to lower, so that the artefact does not either.
  std::vector<std::pair<std::string, size_t>> order;
  for (size_t i = 0; i < codes.size(); ++i)
    order.emplace_back(codes[i].functions.empty() ? "" : std::ranges::min(codes[i].functions), i);
  std::sort(order.begin(), order.end());
  Code code;
  std::vector<std::string> objects;
  for (const auto& [name, i] : order) {
    add(code, codes[i]);
    objects.push_back(std::move(codes[i].object));
  }
  std::sort(code.functions.begin(), code.functions.end());
  code.object = objects.size() == 1 ? std::move(objects[0]) : join_objects(objects);
  return code;
}

}  // namespace

Code compile(const ir::IRModule& lowered, const ir::Target& target, DebugInfo debug, std::string_view program,
             const CNames& c_names) {
  start_llvm();
  std::lock_guard hold(compile_lock());
  if (program.empty() && c_names.empty() &&
      machine_for(target).machine->getTargetTriple().isOSBinFormatELF()) {
    std::vector<ir::IRModule> parts = partition(lowered);
    if (parts.size() > 1 || is_large(lowered) || has_code_keys(lowered))
      return compile_parts(parts, target, debug);
  }
  return with_module(lowered, target, debug, program, c_names,
                     [&](llvm::Module& module, const Machine& machine, ModuleEmitter& emitter) {
                       Code code;
                       describe(code, module, machine, emitter);
                       code.object = write(module, machine, llvm::CodeGenFileType::ObjectFile);
                       return code;
                     });
}

std::string compile_to_text(const ir::IRModule& lowered, const ir::Target& target, bool assembly,
                            DebugInfo debug) {
  start_llvm();
  std::lock_guard hold(compile_lock());
  return with_module(lowered, target, debug, "", {},
                     [&](llvm::Module& module, const Machine& machine, ModuleEmitter&) {
                       if (assembly) return write(module, machine, llvm::CodeGenFileType::AssemblyFile);
                       std::string text;
                       llvm::raw_string_ostream stream(text);
                       module.print(stream, nullptr);
                       return text;
                     });
}

Listing list_code(const ir::IRModule& lowered, const ir::Target& target, Language language) {
  start_llvm();
  std::lock_guard hold(compile_lock());
  Listing listing;
  with_module(
      lowered, target, DebugInfo::kLines, "", {},
      [&](llvm::Module& module, const Machine& machine, ModuleEmitter&) {
        listing.triple = machine.machine->getTargetTriple().str();
        listing.cpu = machine.machine->getTargetCPU().str();
        if (language == Language::kIr) {
          listing.functions = list_ir(module);
          return;
        }
        WithComments comments(*machine.machine);
        listing.functions = list_assembly(write(module, machine, llvm::CodeGenFileType::AssemblyFile));
      },
      &listing.remarks);
  return listing;
}

std::string compile_to_bitcode(const ir::IRModule& lowered, const ir::Target& target) {
  start_llvm();
  std::lock_guard hold(compile_lock());
  return with_module(lowered, target, DebugInfo::kNone, "", {},
                     [&](llvm::Module& module, const Machine&, ModuleEmitter&) {
                       llvm::SmallVector<char, 0> bytes;
                       llvm::raw_svector_ostream stream(bytes);
                       llvm::WriteBitcodeToFile(module, stream);
                       return std::string(bytes.data(), bytes.size());
                     });
}

}  // namespace mlc::llvm_backend
