// SPDX-License-Identifier: Apache-2.0
// The script evaluator of a fuzz target: everything is registered, what it prints is dropped.
#pragma once

#include "backend/register_api.h"
#include "frontend/model/weights/api.h"
#include "frontend/print/print.h"
#include "frontend/tvmscript/builder/tvmscript.h"
#include "transform/arith/simplify.h"
#include "transform/register_api.h"

namespace mlc::fuzz {

struct Evaluator final : script::Evaluator {
  ir::Expr simplify(const ir::Expr& e) override { return transform::simplify(e); }
};

inline script::Evaluator& evaluator() {
  static script::Evaluator* instance = [] {
    ir::register_nodes();
    script::register_api();
    tvmscript::register_api();
    print::register_api();
    model::register_api();
    transform::register_api();
    backend::register_api();
    auto* made = new Evaluator;
    made->out = made->err = [](std::string_view) {};
    return made;
  }();
  return *instance;
}

}  // namespace mlc::fuzz
