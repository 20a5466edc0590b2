// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/install.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "repl/jupyter/kernel.h"
#include "repl/shell/command_line.h"
#include "repl/shell/interpreter.h"
#include "repl/shell/source.h"

namespace mlc::repl::jupyter {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kLogo = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="10" fill="#1f3a5f"/>
<g fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round">
<path d="M12 16h40"/><path d="M22 27h30" opacity=".8"/><path d="M32 38h20" opacity=".6"/><path d="M12 49h40"/>
</g>
</svg>
)";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path folder_of_user() {
  if (std::string folder = variable("JUPYTER_DATA_DIR"); !folder.empty()) return folder;
  if (std::string folder = variable("XDG_DATA_HOME"); !folder.empty()) return fs::path(folder) / "jupyter";
  std::string home = variable("HOME");
  if (home.empty())
    throw CallError{"there is no home folder to install into", "`mlc jupyter install --prefix DIR`"};
  return fs::path(home) / ".local/share/jupyter";
}

}  // namespace

std::string install(const std::string& prefix) {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw CallError{"the path of this program is not known: " + error.message(), ""};
  fs::path folder = (prefix.empty() ? folder_of_user() : fs::path(prefix) / "share/jupyter") / "kernels/mlc";
  fs::create_directories(folder, error);
  if (error)
    throw CallError{fmt::format("the folder `{}` cannot be made: {}", folder.string(), error.message()),
                    "`mlc jupyter install --user` needs no rights but yours"};
  Json description = {{"argv", {program.string(), "jupyter", "kernel", "{connection_file}"}},
                      {"display_name", "mlc"},
                      {"language", "mlc"},
                      {"interrupt_mode", "message"},
                      {"metadata", {{"debugger", false}}}};
  write_file((folder / "kernel.json").string(), description.dump(2) + "\n");
  write_file((folder / "logo-svg.svg").string(), kLogo);
  return folder.string();
}

int serve(const std::string& connection_file) {
  Connection connection = Connection::read(connection_file);
  catch_interrupts(WhenUnheard::kWait);
  Kernel kernel(connection);
  return kernel.run();
}

}  // namespace mlc::repl::jupyter

namespace mlc::repl {

int run_jupyter(const CommandLine& line) {
  bool installs = line.name == "install";
  if (!installs && (line.user || !line.prefix.empty()))
    throw CallError{"`mlc jupyter kernel` is not installed anywhere", "`mlc jupyter install --user`"};
  if (installs && !line.paths.empty())
    throw CallError{fmt::format("`mlc jupyter install` takes no `{}`", line.paths.front()),
                    "`mlc jupyter install --prefix DIR`"};
  if (!installs) {
    if (line.paths.size() != 1)
      throw CallError{"`mlc jupyter kernel` takes the connection file of a front end",
                      "`mlc jupyter install`, then choose mlc in Jupyter"};
    return jupyter::serve(line.paths.front());
  }
  jupyter::Context();  // CallError where the kernel could not run
  fmt::print("the kernel mlc is in {}; choose it in Jupyter, or `jupyter console --kernel mlc`\n",
             jupyter::install(line.prefix));
  return 0;
}

}  // namespace mlc::repl
