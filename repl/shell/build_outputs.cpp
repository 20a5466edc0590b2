// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/build_outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "ir/core/files.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

constexpr std::array<std::string_view, 4> kHeaderEndings = {".h", ".hh", ".hpp", ".hxx"};

// Every ending that says what an artefact is: ".so, .a, .o, .ll, .s or .c".
std::string known_endings() {
  std::vector<std::string> endings;
  for (const backend::Backend* maker : backend::all_backends()) {
    for (const backend::Artefact& one : maker->artefacts) {
      std::string ending(one.ending);
      if (!ending.empty() && std::ranges::find(endings, ending) == endings.end()) endings.push_back(ending);
    }
  }
  std::string last = endings.back();
  endings.pop_back();
  return endings.empty() ? last : fmt::format("{} or {}", fmt::join(endings, ", "), last);
}

[[noreturn]] void unknown_ending(const std::string& out, const std::string& ending) {
  std::string what = ending.empty()
                         ? fmt::format("`{}` has no ending", out)
                         : fmt::format("the ending `{}` of `{}` is that of no artefact", ending, out);
  throw CallError{what + ", so it does not say what is to be built",
                  fmt::format("end it in {}, or say what it is: `--emit {}`", known_endings(),
                              fmt::join(backend::artefact_names(), "|"))};
}

// What --emit says, else what the ending of -o says, else the first artefact of the target's backend.
backend::Choice chosen_artefact(const CommandLine& line, const backend::Backend& preferred) {
  if (!line.emit.empty()) return backend::choose_artefact(line.emit, preferred);
  std::string ending = fs::path(line.out).extension().string();
  if (ending == ".") ending.clear();
  auto named = [&](const backend::Backend& maker) -> const backend::Artefact* {
    auto found = std::ranges::find(maker.artefacts, ending, &backend::Artefact::ending);
    return ending.empty() || found == maker.artefacts.end() ? nullptr : &*found;
  };
  if (const backend::Artefact* own = named(preferred)) return {&preferred, own};
  const backend::Backend& usual = backend::default_backend();
  if (const backend::Artefact* found = named(usual)) return {&usual, found};
  for (const backend::Backend* maker : backend::all_backends()) {
    if (const backend::Artefact* found = named(*maker)) return {maker, found};
  }
  bool says_nothing = line.out.empty() || line.out == "-" || is_stream(line.out);
  if (!says_nothing) unknown_ending(line.out, ending);
  return {&preferred, &preferred.artefacts.front()};
}

}  // namespace

Plan plan_of(const CommandLine& line) {
  ir::Target target = target_of(line);
  const backend::Backend& preferred = backend::backend_of(target);
  backend::Choice choice = chosen_artefact(line, preferred);
  if (choice.backend == &preferred) return {choice, target, line.target};
  std::string kind(choice.backend->targets.front());
  if (line.target != backend::default_target_kind()) {
    throw CallError{fmt::format("`{}` is made for the target `{}`, and not for `{}`", choice.artefact->name,
                                kind, std::string(target->kind)),
                    fmt::format("build with `--target {}`", kind)};
  }
  return {choice, ir::parse_target(ir::Any(ir::String(kind))), kind};
}

fs::path output_path(const CommandLine& line, const backend::Artefact& kind) {
  fs::path out = line.out;
  if (out.empty()) {
    out = line.file == "-" ? "stdin" : fs::path(line.from.empty() ? line.file : line.from).stem();
    out += kind.ending;
  }
  std::error_code ignored;
  if (kind.is_folder) {
    if (!out.has_filename()) out = out.parent_path();  // `folder/`
    if (fs::exists(out, ignored) && !fs::is_directory(out, ignored)) {
      throw CallError{fmt::format("`{}` is a file, and a package is a folder", out.string()),
                      "name the folder with `-o FOLDER`"};
    }
  } else if (fs::is_directory(out, ignored)) {
    throw CallError{fmt::format("`{}` is a directory", out.string()),
                    "name the artefact with `-o FOLDER/NAME`"};
  }
  if (out.has_parent_path() && !fs::is_directory(out.parent_path(), ignored)) {
    throw CallError{fmt::format("there is no folder `{}`", out.parent_path().string()), ""};
  }
  return out;
}

namespace {

// "so, a or obj": what may have a header beside it.
std::string artefacts_with_header() {
  std::vector<std::string> names;
  auto add = [&](const backend::Backend& maker) {
    for (const backend::Artefact& one : maker.artefacts) {
      bool beside = one.header != backend::Artefact::Header::kNever && !one.is_folder;
      if (beside && std::ranges::find(names, one.name) == names.end()) names.emplace_back(one.name);
    }
  };
  add(backend::default_backend());
  for (const backend::Backend* maker : backend::all_backends()) add(*maker);
  std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} or {}", fmt::join(names, ", "), last);
}

}  // namespace

std::optional<backend::ForC> for_c(const CommandLine& line, const backend::Artefact& kind,
                                   const fs::path& out) {
  using Header = backend::Artefact::Header;
  bool package = kind.is_folder;
  if (!line.header.empty() && (package || kind.header == Header::kNever)) {
    throw CallError{fmt::format("`--header` belongs to {}{}", artefacts_with_header(),
                                package ? "; a package has its header in include/" : ""),
                    ""};
  }
  bool wanted = kind.header == Header::kAlways || !line.header.empty();
  if (!wanted && !line.c_prefix.empty())
    throw CallError{"`--c-prefix` is for the functions of a header", "add `--header FILE.h`"};
  if (!wanted) return std::nullopt;
  backend::ForC options;
  fs::path name = package ? out.filename() : out.stem();
  options.library = name.string();
  if (!package && options.library.starts_with("lib") && options.library.size() > 3)
    options.library.erase(0, 3);
  bool plain = !options.library.empty() &&
               options.library.find_first_not_of(
                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_-+.") == std::string::npos &&
               options.library[0] != '-' && options.library[0] != '.';
  if (package && !plain) {
    throw CallError{fmt::format("a package cannot be called `{}`: files of its name must be found by "
                                "compilers, pkg-config and CMake",
                                options.library),
                    "use letters, digits, `_`, `-`, `+` and `.`"};
  }
  const std::string& version = line.package_version;
  bool digits = !version.empty() && version.find_first_not_of("0123456789.") == std::string::npos &&
                version.front() != '.' && version.back() != '.' && version.find("..") == std::string::npos;
  if (!digits)
    throw CallError{fmt::format("`{}` is no version of a package", version), "a version is 1.2 or 1.2.3"};
  options.version = version;
  options.prefix = line.c_prefix;
  if (line.out == "-" && line.header.empty() && !package)
    throw CallError{"standard output holds the code alone", "name the header with `--header FILE.h`"};
  fs::path header =
      line.header.empty() ? out.parent_path() / (options.library + ".h") : fs::path(line.header);
  bool ends_so = kHeaderEndings.end() != std::ranges::find(kHeaderEndings, header.extension().string());
  if (!ends_so && !is_stream(header)) {
    throw CallError{fmt::format("`{}` does not end like a C header", header.string()),
                    "name the header with `--header FILE.h`"};
  }
  std::error_code ignored;
  if (fs::is_directory(header, ignored))
    throw CallError{fmt::format("`{}` is a directory", header.string()),
                    "name the header with `--header FILE.h`"};
  if (header.has_parent_path() && !package && !fs::is_directory(header.parent_path(), ignored))
    throw CallError{fmt::format("there is no folder `{}`", header.parent_path().string()), ""};
  if (!package &&
      (header.lexically_normal() == out.lexically_normal() || fs::equivalent(header, out, ignored)))
    throw CallError{fmt::format("the header would be `{}` as well", header.string()),
                    "give the artefact or the header another name"};
  options.header = header.string();
  return options;
}

// `/dev/stdout`, a pipe: what comes out stands alone there.
bool is_stream(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed) && !fs::is_regular_file(path, failed) && !fs::is_directory(path, failed);
}

StandardOutput::StandardOutput(const CommandLine& line, const backend::Artefact& artefact) {
  if (line.out != "-") return;
  if (artefact.is_folder)
    throw CallError{"a package is a folder, and standard output holds one file", "name it: `-o FOLDER`"};
  if (!artefact.is_text && isatty(STDOUT_FILENO) != 0) {
    throw CallError{fmt::format("`{}` is no text, and standard output is a terminal", artefact.name),
                    "name a file with `-o FILE`, or redirect: `> FILE`"};
  }
  std::string folder = (fs::temp_directory_path() / "mlc-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw CallError{fmt::format("no folder can be made in `{}`: {}", fs::temp_directory_path().string(),
                                std::strerror(errno)),
                    ""};
  folder_ = folder;
  std::string name =
      line.file == "-" ? "stdin" : fs::path(line.from.empty() ? line.file : line.from).stem().string();
  file_ = folder_ / (name + std::string(artefact.ending));
}

StandardOutput::~StandardOutput() {
  std::error_code ignored;
  if (wanted()) fs::remove_all(folder_, ignored);
}

void StandardOutput::write() const {
  if (!wanted()) return;
  std::string bytes = ir::read_file(file_).value_or("");
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

}  // namespace mlc::repl
