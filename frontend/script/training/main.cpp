// SPDX-License-Identifier: Apache-2.0
// mlc_training FILE...: runs scripts with the interpreter alone; what it counts is written as it ends.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "frontend/script/evaluator.h"
#include "ir/error.h"
#include "ir/module.h"
#include "ir/span.h"

int main(int argc, char** argv) {
  using namespace mlc;
  ir::register_nodes();
  script::register_api();
  for (int i = 1; i < argc; ++i) {
    std::ostringstream text;
    text << std::ifstream(argv[i]).rdbuf();
    script::Evaluator evaluator;
    evaluator.out = [](std::string_view) {};
    try {
      evaluator.run_source(ir::SourceMap::global().add(argv[i], text.str()));
    } catch (const ir::Error& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
      return 1;
    }
  }
}
