// SPDX-License-Identifier: Apache-2.0
// The simulator for scripts.
#include "ir/registry/api.h"
#include "backend/interp/compare.h"
#include "backend/interp/gpu/simulate.h"
#include "backend/interp/interp.h"

namespace mlc::interp {

using ir::Any;

ir::IRModule with_threads_lowered(const ir::IRModule& mod, ir::Host& host, bool complete) {
  Any arguments[] = {mod, complete};
  return host.call_library("mlc.pipeline.threads", "lowered", arguments).cast<ir::IRModule>();
}

void register_simulator_api() {
  static const ir::ApiRow rows[] = {
      {ir::ApiKind::kFunction, "mlc", "simulate(mod, function='main', seed=0)",
       "A callable that runs a function of a module as a GPU would: in blocks, warps and threads, with "
       "barriers and shared\n"
       "memory. Races, barriers that not all threads reach, reads of what was never written, lanes that are "
       "absent and\n"
       "copies that have not arrived are errors. What is scheduled is lowered first. The order of blocks and "
       "threads\n"
       "follows from the seed; 0 is that of their numbers.",
       ir::native([](ir::ApiCall& call, ir::IRModule mod, std::string function, int64_t seed) -> Any {
         Options options;
         options.simulate = true;
         options.seed = static_cast<uint64_t>(seed);
         return compile(with_threads_lowered(mod, call.host), function, options);
       })},
  };
  ir::ApiRegistry::global().add(rows);
}

}  // namespace mlc::interp
