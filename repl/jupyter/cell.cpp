// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/cell.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "frontend/syntax/parse.h"
#include "repl/session/session.h"

namespace mlc::repl::jupyter {

namespace {

using Meaning = Magic::Meaning;

constexpr std::string_view kNoPlots = "mlc draws by `:plot`";
constexpr std::string_view kNoModules = "`import` and `:load` read a module of this language, and there are no others";
constexpr std::string_view kNoShell = "mlc runs no shell; `subprocess.run([...])` runs a program";
constexpr Magic kMagics[] = {
    {"time", Meaning::kTime, ""},
    {"timeit", Meaning::kTimeIt, ""},
    {"matplotlib", Meaning::kNothing, kNoPlots},
    {"pylab", Meaning::kNothing, kNoPlots},
    {"config", Meaning::kNothing, "it sets what IPython does"},
    {"autoreload", Meaning::kNothing, "`:reload` runs a loaded file again from its first change"},
    {"load_ext", Meaning::kNothing, kNoModules},
    {"reload_ext", Meaning::kNothing, kNoModules},
    {"pip", Meaning::kNothing, "mlc has its library built in and needs no packages of Python"},
    {"conda", Meaning::kNothing, "mlc has its library built in and needs no packages of Python"},
    {"capture", Meaning::kNothing, "what the cell prints is shown"},
    {"run", Meaning::kRefused, "`:load FILE` runs a file"},
    {"load", Meaning::kRefused, "`:load FILE` runs a file"},
    {"writefile", Meaning::kRefused, "`open(path, 'w').write(text)` writes a file"},
    {"cd", Meaning::kRefused, "`os.chdir(path)` changes the folder"},
    {"pwd", Meaning::kRefused, "`os.getcwd()` is the folder"},
    {"ls", Meaning::kRefused, "`os.listdir()` lists the folder"},
    {"env", Meaning::kRefused, "`os.environ` is the environment"},
    {"who", Meaning::kRefused, "`:show` shows the modules, Tab the names"},
    {"whos", Meaning::kRefused, "`:show` shows the modules, Tab the names"},
    {"reset", Meaning::kRefused, "`:goto 0` goes back to the beginning"},
    {"history", Meaning::kRefused, "`:steps` lists the statements"},
    {"debug", Meaning::kRefused, "`:steps`, `:diff` and `:show` show each step"},
    {"prun", Meaning::kRefused, "`%timeit` and `%time` measure"},
    {"bash", Meaning::kRefused, kNoShell},
    {"sh", Meaning::kRefused, kNoShell},
    {"system", Meaning::kRefused, kNoShell},
    {"script", Meaning::kRefused, kNoShell},
};

// The first word of a line that is no statement; Kind::kStatements for all others.
Part::Kind kind_of(std::string_view line) {
  auto name_at = [&](size_t i) { return i < line.size() && (std::isalpha(static_cast<unsigned char>(line[i])) || line[i] == '_'); };
  if (line.starts_with("%%") && name_at(2)) return Part::Kind::kCellMagic;
  if (line.starts_with('%') && name_at(1)) return Part::Kind::kMagic;
  if (line.starts_with('!')) return Part::Kind::kShell;
  if (line.starts_with(':') && name_at(1)) return Part::Kind::kCommand;
  bool question = line.starts_with('?') || (trim(line).ends_with('?') && line.find('#') == std::string_view::npos);
  return question ? Part::Kind::kCommand : Part::Kind::kStatements;
}

// May a line that is no statement follow? Not within brackets or a string. The end of the last line ends a block.
bool is_between_statements(const std::string& text) {
  return trim(text).empty() || syntax::is_complete(text) != syntax::ParseStatus::kIncomplete;
}

}  // namespace

std::vector<Part> parts_of(std::string_view cell) {
  std::vector<Part> parts;
  std::string statements;  // and the ends of all lines above them
  auto finish = [&](size_t lines) {
    if (!trim(statements).empty()) parts.push_back({Part::Kind::kStatements, statements});
    statements.assign(lines, '\n');
  };
  size_t number = 0;
  for (size_t begin = 0; begin < cell.size(); ++number) {
    size_t end = std::min(cell.find('\n', begin), cell.size());
    std::string_view line = cell.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    Part::Kind kind = kind_of(line);
    if (kind != Part::Kind::kStatements && is_between_statements(statements)) {
      finish(number + 1);
      bool rest = kind == Part::Kind::kCellMagic;
      if (rest) {
        parts.push_back({kind, std::string(cell.substr(begin))});
        return parts;
      }
      parts.push_back({kind, std::string(trim(line))});
    } else {
      statements.append(line).append("\n");
    }
    begin = end + 1;
  }
  finish(0);
  return parts;
}

const Magic* find_magic(std::string_view name) {
  auto found = std::ranges::find(kMagics, name, &Magic::name);
  return found == std::end(kMagics) ? nullptr : found;
}

std::vector<std::string> magic_names() {
  std::vector<std::string> names;
  for (const Magic& magic : kMagics)
    if (magic.meaning != Meaning::kRefused) names.emplace_back(magic.name);
  return names;
}

bool installs_packages(std::string_view command) {
  std::vector<std::string_view> words;
  while (!(command = trim(command)).empty()) {
    size_t end = std::min(command.find_first_of(" \t"), command.size());
    words.push_back(command.substr(0, end));
    command = command.substr(end);
  }
  auto install = std::ranges::find(words, "install");
  constexpr std::array kInstallers = std::to_array<std::string_view>({"pip", "pip3", "conda", "mamba", "apt", "apt-get", "uv"});
  return std::any_of(words.begin(), install, [&](std::string_view word) {
    word = word.substr(word.rfind('/') + 1);
    return std::ranges::find(kInstallers, word) != kInstallers.end();
  }) && install != words.end();
}

}  // namespace mlc::repl::jupyter
