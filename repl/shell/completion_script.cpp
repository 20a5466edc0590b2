// SPDX-License-Identifier: Apache-2.0
// Completion of shells: each gets a script with the words of all rows in it, so that Tab starts no program.
#include <fmt/format.h>

#include "backend/backend.h"
#include "ir/target/target.h"
#include "repl/shell/command_rows.h"

namespace mlc::repl {

namespace {

std::vector<std::string> targets_with_backend() {
  std::vector<std::string> names;
  for (const std::string& name : ir::target_names()) {
    if (backend::find_backend(ir::parse_target(ir::Any(ir::String(name)))) != nullptr) names.push_back(name);
  }
  return names;
}

// What may follow an option, or stand in a position; empty where that is a file.
std::vector<std::string> values_of(const ArgumentText& argument) {
  if (!argument.choices.empty()) return argument.choices;
  if (argument.names[0] == "--target") return targets_with_backend();
  std::vector<std::string> names;
  if (argument.names[0] == "COMMAND") {
    for (const Row& row : command_rows()) names.emplace_back(row.name);
  }
  return names;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  for (char c : text) what.find(c) == what.npos ? out.append(1, c) : out.append(with).append(1, c);
  return out;
}

// Between single quotes, for bash and zsh.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char c : text) c == '\'' ? out.append("'\\''") : out.append(1, c);
  return out + "'";
}

std::string bash() {
  std::string commands;
  for (const Row& row : command_rows()) commands += fmt::format("{} ", row.name);
  std::string text = fmt::format(
      "# Completion of mlc in bash: what `mlc completion bash` has written.\n"
      "_mlc() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= i words= "
      "values=\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${{COMP_WORDS[i]}} in --color) ((i++)) ;; -*) ;; *) command=${{COMP_WORDS[i]}}; break ;; "
      "esac\n"
      "  done\n"
      "  case $command in\n"
      "    '') words='{}--help --version --color'\n"
      "        [[ $before != --color ]] || values='auto always never' ;;\n",
      commands);
  for (const Row& row : command_rows()) {
    std::string names, positions, cases;
    for (const ArgumentText& argument : arguments_of(row)) {
      std::string values = fmt::format("{}", fmt::join(values_of(argument), " "));
      if (argument.positional) {
        positions += (positions.empty() || values.empty() ? "" : " ") + values;
        continue;
      }
      for (const std::string& name : argument.names) names += (names.empty() ? "" : " ") + name;
      if (argument.is_flag) continue;
      cases += fmt::format("        {}) values={} ;;\n", fmt::join(argument.names, "|"),
                           values.empty() ? "-" : in_quotes(values));
    }
    text += fmt::format("    {}) words='{}'\n", row.name, names + (positions.empty() ? "" : " " + positions));
    if (!cases.empty()) text += "      case $before in\n" + cases + "      esac\n";
    text += "      ;;\n";
  }
  return text +
         "  esac\n"
         "  if [[ $values = - ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  elif [[ -n $values ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "    [[ $word = -* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _mlc mlc\n";
}

std::string zsh() {
  std::string text =
      "#compdef mlc\n"
      "# Completion of mlc in zsh: what `mlc completion zsh` has written.\n"
      "_mlc() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Row& row : command_rows())
    text +=
        fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", row.name, replaced(row.summary, ":", "\\"))));
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    _files\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const Row& row : command_rows()) {
    text += fmt::format("    {}) _arguments -s", row.name);
    for (const ArgumentText& argument : arguments_of(row)) {
      std::vector<std::string> values = values_of(argument);
      std::string action = values.empty() ? "_files" : fmt::format("({})", fmt::join(values, " "));
      if (argument.positional) {
        text += " \\\n      " +
                in_quotes(fmt::format("{}:{}:{}", argument.many ? "*" : "", argument.names[0], action));
        continue;
      }
      for (const std::string& name : argument.names) {
        text +=
            " \\\n      " + in_quotes(fmt::format("{}[{}]{}", name, replaced(argument.what, "[]\\:", "\\"),
                                                  argument.is_flag ? "" : fmt::format(":value:{}", action)));
      }
    }
    text += row.name == "run" ? " \\\n      '*::arguments:_files' ;;\n" : " ;;\n";
  }
  return text +
         "    *) _files ;;\n  esac\n}\n[[ $funcstack[1] = _mlc ]] && _mlc \"$@\" || compdef _mlc mlc\n";
}

std::string fish() {
  auto say = [](std::string_view text) { return "'" + replaced(text, "\\'", "\\") + "'"; };
  std::string text =
      "# Completion of mlc in fish: what `mlc completion fish` has written.\n"
      "complete -c mlc -n __fish_use_subcommand -l help -d 'the commands'\n"
      "complete -c mlc -n __fish_use_subcommand -l version -d 'the version'\n";
  for (const Row& row : command_rows())
    text += fmt::format("complete -c mlc -n __fish_use_subcommand -a {} -d {}\n", row.name, say(row.summary));
  for (const Row& row : command_rows()) {
    for (const ArgumentText& argument : arguments_of(row)) {
      std::vector<std::string> values = values_of(argument);
      std::string line = fmt::format("complete -c mlc -n '__fish_seen_subcommand_from {}'", row.name);
      if (argument.positional && values.empty()) continue;  // files, which fish offers anyway
      for (const std::string& name : argument.names) {
        if (argument.positional) break;
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!values.empty()) line += fmt::format(" -x -a '{}'", fmt::join(values, " "));
      if (values.empty() && !argument.is_flag) line += " -r";
      text += line + " -d " + say(argument.what) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  return shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish();
}

}  // namespace mlc::repl
