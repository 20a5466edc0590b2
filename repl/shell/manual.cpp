// SPDX-License-Identifier: Apache-2.0
// Help, and the pages of man(1): the same rows, laid out for a terminal and in roff.
#include <fmt/format.h>

#include <array>

#include "ir/core/error.h"
#include "repl/shell/command_rows.h"
#include "repl/shell/source.h"

namespace mlc::repl {

std::span<const Meaning> exit_codes() {
  static constexpr auto codes = std::to_array<Meaning>({
      {"0", "done"},
      {"1", "the program is wrong, or what was asked about it is not so"},
      {"2", "the call is wrong, or its output cannot be written"},
      {"3", "out of memory, or a defect of mlc"},
      {"130", "stopped by Ctrl-C"},
  });
  return codes;
}

std::span<const Meaning> environment_variables() {
  static constexpr auto variables = std::to_array<Meaning>({
      {"MLCPATH", "folders in which imports are looked for, separated by colons"},
      {"MLC_STDLIB", "a folder that is read in place of the library inside of the program"},
      {"MLC_CACHE_DIR", "where `mlc build` keeps what it has built (~/.cache/mlc)"},
      {"MLC_CACHE_SIZE", "how much of it, in MiB (512); 0 for nothing"},
      {"NO_COLOR", "not empty: no colours, where --color does not say otherwise"},
      {"MLC_THEME", "the colours of a terminal: terminal, light, dark or mono"},
      {"CC", "the C compiler for the target `c`"},
  });
  return variables;
}

std::string general_help() {
  std::string text =
      "mlc: TVM's language as one native program\n\n"
      "usage: mlc                    an interactive session\n"
      "       mlc FILE.mlc [args]    run a program; `mlc -- FILE` whatever its name\n"
      "       mlc -c TEXT [args]     run a program that stands here\n"
      "       mlc COMMAND ...\n\ncommands:\n";
  for (const Row& row : command_rows()) text += fmt::format("  {:<10} {}\n", row.name, row.summary);
  text +=
      "\n  --help     this text, or that of a command: mlc help build\n"
      "  --version  the version\n"
      "  --color    auto, always or never\n\nexit codes: ";
  for (const Meaning& code : exit_codes().first(4))
    text += fmt::format("{}{} {}", code.name == "0" ? "" : "; ", code.name, code.what);
  text += "\n\nexamples:\n";
  for (const Row& row : command_rows()) text += fmt::format("  {}\n", row.example);
  return text;
}

namespace {

// Text in roff: no letter of it is a command, and hyphens stay hyphens.
std::string roff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (out.empty() && (c == '.' || c == '\''))
      out.append("\\&").append(1, c);
    else
      out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

// What stands for the value of an option: "so|a|obj", or VALUE.
std::string value_of(const ArgumentText& argument) {
  if (argument.choices.empty()) return italic("VALUE");
  std::string text;
  for (const std::string& choice : argument.choices) text += (text.empty() ? "" : "|") + roff(choice);
  return text;
}

std::string synopsis(const Row& row) {
  std::string text = bold("mlc " + std::string(row.name)) + " [" + italic("OPTIONS") + "]";
  for (const ArgumentText& argument : arguments_of(row)) {
    if (!argument.positional) continue;
    std::string name = italic(argument.names[0]) + (argument.many ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  if (row.name == "run") text += " [" + italic("ARGUMENTS") + "...]";
  return text + "\n";
}

std::string arguments(const Row& row) {
  std::string text;
  for (const ArgumentText& argument : arguments_of(row)) {
    text += ".TP\n";
    for (size_t i = 0; i < argument.names.size(); ++i) {
      text += i == 0 ? "" : ", ";
      text += argument.positional ? italic(argument.names[i]) : bold(argument.names[i]);
    }
    if (!argument.positional && !argument.is_flag) text += " " + value_of(argument);
    text += "\n" + roff(argument.what) + "\n";
  }
  return text;
}

// The lines of an example, which stand two blanks in from the second on.
std::string example(std::string_view text) {
  std::string out = ".PP\n.nf\n.RS\n";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    out += roff(line) + "\n";
  }
  return out + ".RE\n.fi\n";
}

std::string meanings(std::string_view section, std::span<const Meaning> all) {
  std::string text = fmt::format(".SH {}\n", section);
  for (const Meaning& one : all) text += fmt::format(".TP\n{}\n{}\n", bold(one.name), roff(one.what));
  return text;
}

std::string page_head(std::string_view name, std::string_view what) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"mlc {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(upper),
                     MLC_VERSION, roff(name), roff(what));
}

}  // namespace

std::string manual_page(const Row* row) {
  if (row != nullptr) {
    std::string text = page_head("mlc-" + std::string(row->name), row->summary);
    text += ".SH SYNOPSIS\n" + synopsis(*row) + ".SH OPTIONS\n" + arguments(*row);
    text += ".SH EXAMPLES\n" + example(row->example);
    return text + meanings("EXIT STATUS", exit_codes()) + ".SH SEE ALSO\n" + bold("mlc") + "(1)\n";
  }
  std::string text = page_head("mlc", "TVM's language as one native program");
  text += ".SH SYNOPSIS\n" + bold("mlc") + "\n.br\n" + bold("mlc") + " " + italic("FILE.mlc") + " [" +
          italic("ARGUMENTS") + "...]\n.br\n" + bold("mlc -c") + " " + italic("TEXT") + " [" +
          italic("ARGUMENTS") + "...]\n.br\n" + bold("mlc") + " " + italic("COMMAND") + " ...\n";
  text +=
      ".SH DESCRIPTION\n" +
      roff(
          "Reads TVMScript (.mlc files), transforms it by a script of schedule primitives and passes, "
          "compiles "
          "it, and lets you look at and run every step. Alone it is an interactive session; a file is run.") +
      "\n.SH COMMANDS\n";
  for (const Row& each : command_rows()) {
    text += fmt::format(".SS mlc {}\n{}\n.PP\n{}{}{}", roff(each.name), roff(each.summary), synopsis(each),
                        arguments(each), example(each.example));
  }
  text += meanings("EXIT STATUS", exit_codes()) + meanings("ENVIRONMENT", environment_variables());
  return text + ".SH FILES\n.TP\n" + bold("~/.cache/mlc") + "\n" + roff("what was built, to be had again") +
         "\n";
}

int run_help(const CommandLine& line) {
  const Row* row = line.name.empty() ? nullptr : row_named(line.name);
  if (row == nullptr && !line.name.empty()) {
    std::vector<std::string> names;
    for (const Row& each : command_rows()) names.emplace_back(each.name);
    std::string near = ir::did_you_mean(line.name, names);
    throw CallError{
        fmt::format("there is no command `{}`", line.name),
        near.empty() ? fmt::format("`mlc explain {}` for what is not a command", line.name) : near};
  }
  if (line.man) {
    fmt::print("{}", manual_page(row));
  } else {
    fmt::print("{}", row == nullptr ? general_help() : help_of(*row));
  }
  return 0;
}

}  // namespace mlc::repl
