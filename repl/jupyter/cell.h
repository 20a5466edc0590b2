// SPDX-License-Identifier: Apache-2.0
// A cell of a notebook in parts: statements, and the lines between them that are none, such as commands of
// the session and IPython's magics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlc::repl::jupyter {

struct Part {
  enum class Kind {
    kStatements,
    kCommand,    // `:diff`, `?name`, `name?`
    kMagic,      // `%time f(x)`
    kCellMagic,  // `%%time` with all lines beneath it
    kShell,      // `!pip install numpy`
  };
  Kind kind;
  std::string
      text;  // statements begin with as many ends of lines as stand above them, so that errors name the lines
};
std::vector<Part> parts_of(std::string_view cell);

// What a magic means here.
struct Magic {
  enum class Meaning {
    kTime,     // how long a statement, or the rest of the cell, takes
    kTimeIt,   // the same of many runs
    kNothing,  // nothing to do here; the rest of the cell runs
    kRefused,
  };
  std::string_view name;
  Meaning meaning;
  std::string_view reason;  // why there is nothing to do, or what does it here
};
// nullptr for a name that IPython has not either, or that nothing here stands for.
const Magic* find_magic(std::string_view name);
std::vector<std::string> magic_names();  // that are not refused

// Does this command of a shell install something that programs of Python need?
bool installs_packages(std::string_view command);

}  // namespace mlc::repl::jupyter
