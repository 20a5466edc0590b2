// SPDX-License-Identifier: Apache-2.0
// The documentation of anything that has a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/script/core/evaluator.h"

namespace mlc::repl {

// What a function, method, class, module, command or target of that name is, all of them when several share
// it. A dotted name is looked for in the modules of the library as well, which are imported into `evaluator`.
// A name nobody has is answered with suggestions, and is not `known`.
struct Explained {
  std::string text;
  bool known = true;
};
Explained explain_name(script::Evaluator& evaluator, std::string_view name);

// The documentation that a value carries: functions, classes, methods, modules. Others: type, and text.
std::optional<std::string> explain_value(script::Evaluator& evaluator, const ir::Any& value);

// The first line of that documentation, "" where there is none.
std::string doc_line(script::Evaluator& evaluator, const ir::Any& value);

}  // namespace mlc::repl
