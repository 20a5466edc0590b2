// SPDX-License-Identifier: Apache-2.0
// Programs interpreted and compiled, and what differs.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <functional>
#include <map>
#include <optional>

#include "ir/target/target.h"
#include "tests/fuzz/codegen/program.h"

namespace mlc::fuzz {

// What is compiled for: a name for people, and the target.
struct Machine {
  std::string name;
  ir::Target target;
  bool is_c = false;
};
// LLVM for the levels of x86-64 that this processor has, and for it as it is.
const std::vector<Machine>& llvm_machines();
const Machine& c_machine();

struct Counts {
  size_t drawn = 0, judged = 0;                     // programs; those that the interpreter ran
  std::map<std::string, size_t> refused;            // programs that it did not: by the error's name
  std::map<std::string, size_t> compared, in_vain;  // by machine: programs, those that C cannot express
  std::map<std::string, size_t> constructs;         // programs that have them
};

// A program with what it leaves in its arguments.
struct Judged {
  Program program;
  std::vector<ir::Any> expected;
};
// By the interpreter; none, and the error's name in `refused`, where that refuses to run it.
std::optional<Judged> judge(const Program& program, std::string& refused);

// What compiles modules; the planted faults have others.
using Compile = std::function<ir::ffi::Module(const ir::IRModule&, const Machine&)>;
ir::ffi::Module compile(const ir::IRModule& mod, const Machine& machine);

// What is wrong with the program in code that `machine` runs; nothing where all is well. An error that says
// that C has no such thing goes to `in_vain`.
std::string wrong_in(const Judged& judged, const Machine& machine, const Compile& compile,
                     std::string* in_vain = nullptr);
// The same, of the program in a module compiled before.
std::string wrong_result(const Judged& judged, const ir::ffi::Module& built);

// The least program found that is wrong in the same way.
Judged reduced(Judged judged, const Machine& machine, const Compile& compile, double seconds);

// A file that runs it: module, arguments, both results; and which pass is guilty.
std::string text_of(const Judged& judged, const Machine& machine, const std::string& wrong);
std::string guilty_pass(const Judged& judged, const Machine& machine);

void check_the_checks();

}  // namespace mlc::fuzz
