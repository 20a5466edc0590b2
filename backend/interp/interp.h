// SPDX-License-Identifier: Apache-2.0
// The reference interpreter of TIR: runs a function of a module at any stage of lowering, slowly and
// obviously. It is the judge in tests: what it computes is what the program means.
//
// What it checks on the way, each a clear error at the source line: arguments against parameters,
// indices against shapes, addresses against the memory behind them, division by zero, assertions.
// Loops of every kind run serially in order. So do thread axes, and programs that rely on threads meeting
// at a barrier are refused then; or they are the threads of a GPU (Options::simulate, gpu/).
#pragma once

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <optional>

#include "ir/core/module.h"
#include "ir/tir/stmt.h"

namespace mlc::interp {

// One element that a run reads or writes.
struct Access {
  const ir::SBlockNode* block;  // the innermost one around; null: none
  const ir::VarNode*
      memory;      // the buffer that the memory was allocated for, or the parameter; null: a pointer's
  int64_t offset;  // of its first byte from the beginning of the memory
  int64_t bytes;
  bool stores;
};
// Told what a run does, in order. What it throws ends the run.
struct Observer {
  virtual ~Observer() = default;
  virtual void instance(const ir::SBlockNode& block) = 0;  // the body of a block begins
  virtual void access(const Access& access) = 0;
};

class Traffic;

struct Options {
  bool check_uninitialized = false;  // reading memory that was allocated and never written is an error
  // Two iterations of a parallel or vectorised loop, or two thread blocks, that touch one element are an
  // error, unless both read. What blocks allocate is left out: where that will lie is not settled yet.
  bool check_races = false;
  Observer* observer = nullptr;
  // Thread axes are threads of a GPU (gpu/kernel.h), and what they do wrong is an error; otherwise they are
  // loops. The order of blocks and threads follows from the seed; 0: by their numbers.
  bool simulate = false;
  uint64_t seed = 0;
  DLDeviceType device = kDLCPU;  // where tensors have to be; the memory of another one is the host's, too
  Traffic* traffic = nullptr;  // counts; null: nothing is counted
  int64_t most_blocks = 0;     // of a launch, spread over it; 0: all. What the others compute is missing then
};

// Runs `function` of `mod`. Buffers are ffi::Tensor or ir::NDArray and are changed in place; scalars are
// int, bool, float. Returns what the function returns (None without a return value).
// Errors: wrong-argument-count, wrong-argument, shape-mismatch, index-out-of-bounds, address-out-of-bounds,
// uninitialized-read, race, division-by-zero, assertion-failed, assumption-failed, interpret-unsupported,
// no-such-function.
ir::Any run(const ir::IRModule& mod, std::string_view function, std::span<const ir::Any> args,
            const Options& options = {});

// A callable that runs `function` with what it is called with; compiled once.
ir::ffi::Function compile(const ir::IRModule& mod, std::string_view function, const Options& options = {});

// What random values are drawn from.
struct Values {
  enum Floats : uint8_t {
    kUniform,   // [-1, 1)
    kExact,     // quarters in [-2, 2]: sums of products are the same in every order
    kBoundary,  // NaN, infinities, zeros of both signs, denormals, the largest, and uniform ones
  } floats = kUniform;
  bool boundary_integers = false;    // the least and greatest among others; otherwise -8 to 8
  std::optional<int64_t> size = {};  // of symbolic dimensions; otherwise 1 to 12
};
// Arguments that fit the parameters of `fn`: tensors of random values for buffers, random scalars for the
// rest. Free symbolic dimensions get the value `dims` has for their name. Integers that are used as indices
// stay inside what they index.
std::vector<ir::Any> random_arguments(const ir::PrimFunc& fn, uint64_t seed,
                                      const std::unordered_map<std::string, int64_t>& dims = {},
                                      const Values& values = {});

void register_api();
void register_simulator_api();  // gpu/api.cpp

}  // namespace mlc::interp
