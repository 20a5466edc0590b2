// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/codegen/check.h"

#include <pthread.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstring>

#include "backend/artefact/build.h"
#include "backend/interp/compare.h"
#include "frontend/print/print.h"
#include "tests/fuzz/evaluator.h"
#include "transform/pass/pipeline.h"

namespace mlc::fuzz {

using ir::Any;

namespace {

Machine machine(const std::string& name, const std::string& json, bool is_c = false) {
  evaluator();
  return {name, ir::parse_target(Any(ir::String(json))), is_c};
}

transform::Pipeline pipeline_for(const Machine& machine) {
  Any passes = transform::named_pipeline(ir::String("default"), machine.target, evaluator());
  return {passes, machine.target, evaluator()};
}

// Compiled code that divides by zero or reads where nothing is: found out here, so that the program is
// reduced like any other. On other threads, and elsewhere, the tests' driver takes these signals.
class Traps {
 public:
  Traps() {
    caller = pthread_self();
    struct sigaction action {};
    action.sa_handler = on_trap;
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals.at(i), &action, &outer.at(i));
  }
  ~Traps() { restore(); }
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;

  inline static sigjmp_buf before_call;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGFPE, SIGSEGV, SIGILL};
  inline static pthread_t caller;
  inline static std::array<struct sigaction, kSignals.size()> outer;

  static void restore() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals.at(i), &outer.at(i), nullptr);
  }
  static void on_trap(int signal) {
    if (pthread_equal(pthread_self(), caller) != 0) siglongjmp(before_call, signal);
    restore();  // comes again
  }
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The array as a script makes it, bit by bit.
std::string array_text(const ir::ffi::Tensor& tensor) {
  ir::DataType type(tensor.dtype());
  std::string numbers;
  const char* at = static_cast<const char*>(tensor.data_ptr());
  for (int64_t i = 0; i < tensor.numel(); ++i, at += type.bytes()) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<size_t>(type.bytes()));
    numbers += fmt::format("{}{}", i == 0 ? "" : ", ", bits);
  }
  return fmt::format("np.array([{}], \"uint{}\").view(\"{}\").reshape({})", numbers, type.bytes() * 8,
                     type.str(), fmt::join(tensor.shape(), ", "));
}

}  // namespace

const std::vector<Machine>& llvm_machines() {
  static const std::vector<Machine> all = [] {
    std::vector<Machine> made = {machine("host", "llvm"), machine("x86-64-v2", "llvm -mcpu=x86-64-v2")};
#ifdef __x86_64__
    if (__builtin_cpu_supports("x86-64-v3")) made.push_back(machine("x86-64-v3", "llvm -mcpu=x86-64-v3"));
    if (__builtin_cpu_supports("x86-64-v4")) made.push_back(machine("x86-64-v4", "llvm -mcpu=x86-64-v4"));
#else
    made.pop_back();
#endif
    return made;
  }();
  return all;
}

const Machine& c_machine() {
  static const Machine made = machine("c", "c", true);
  return made;
}

std::optional<Judged> judge(const Program& program, std::string& refused) {
  try {
    return Judged{program, interp::interpret(module_of({&program, 1}), program.name, program.args)};
  } catch (const ir::Error& error) {
    refused = std::string(error.first().name);
    return std::nullopt;
  }
}

ir::ffi::Module compile(const ir::IRModule& mod, const Machine& machine) {
  return backend::build_lowered(pipeline_for(machine).lower(mod), machine.target);
}

std::string wrong_result(const Judged& judged, const ir::ffi::Module& built) {
  std::vector<Any> left;
  {
    Traps traps;
    if (int signal = sigsetjmp(Traps::before_call, 1)) return fmt::format("ends with signal {}", signal);
    left = backend::run_built(built, judged.program.name, judged.program.args);
  }
  auto found = interp::first_difference(judged.expected, left, interp::Agreement::kBits);
  return found ? found->text(judged.program.functions[0].second) : "";
}

std::string wrong_in(const Judged& judged, const Machine& machine, const Compile& compile,
                     std::string* in_vain) {
  try {
    return wrong_result(judged, compile(module_of({&judged.program, 1}), machine));
  } catch (const ir::Error& error) {
    std::string name(error.first().name);
    if (in_vain != nullptr && machine.is_c && name == "codegen-unsupported") {
      *in_vain = name;
      return "";
    }
    return fmt::format("error {}: {}", name, first_line(error.what()));
  } catch (const std::exception& error) {
    return fmt::format("exception: {}", first_line(error.what()));
  }
}

std::string guilty_pass(const Judged& judged, const Machine& machine) {
  ir::IRModule mod = module_of({&judged.program, 1});
  std::string guilty;
  try {
    pipeline_for(machine).lower(mod, 0, [&](size_t i, const ir::IRModule& after) {
      if (!guilty.empty() || !after->find(judged.program.name)) return;
      try {
        auto left = interp::interpret(after, judged.program.name, judged.program.args, false);
        if (interp::first_difference(judged.expected, left, interp::Agreement::kBits))
          guilty = pipeline_for(machine).pass_name(i);
      } catch (const ir::Error& error) {
        // Mostly it has another signature from here on, or is code for a machine.
        if (error.first().name == "division-by-zero") guilty = pipeline_for(machine).pass_name(i);
      }
    });
  } catch (const std::exception& error) {
    return fmt::format("the pipeline ends with {}", first_line(error.what()));
  }
  return guilty.empty() ? "the code generator" : "the pass " + guilty;
}

std::string text_of(const Judged& judged, const Machine& machine, const std::string& wrong) {
  const Program& program = judged.program;
  std::string target = machine.is_c ? "\"c\""
                       : machine.name == "host"
                           ? "\"llvm\""
                           : fmt::format("{{\"kind\": \"llvm\", \"mcpu\": \"{}\"}}", machine.name);
  std::string text = fmt::format("# {}: {}\n# Guilty: {}.\nimport mlc\nimport numpy as np\nimport tvm\n",
                                 machine.name, wrong, guilty_pass(judged, machine));
  text += print::file_text(module_of({&program, 1})) + "\n\n\ndef arguments():\n    return [\n";
  for (const Any& arg : program.args) {
    auto tensor = arg.as<ir::ffi::Tensor>();
    text += "        " +
            (tensor ? fmt::format("tvm.runtime.tensor({})", array_text(*tensor)) : print::script(arg)) +
            ",\n";
  }
  text += fmt::format(
      "    ]\n\n\nfor run in [mlc.interpret(Module, \"{0}\"), tvm.compile(Module, target={1})[\"{0}\"]]:\n",
      program.name, target);
  text +=
      "    args = arguments()\n    run(*args)\n    print([each.numpy() for each in args if hasattr(each, "
      "\"numpy\")])\n";
  return text;
}

}  // namespace mlc::fuzz
