// SPDX-License-Identifier: Apache-2.0
// stdlib_tables OUTPUT ROOT FILE...: texts and trees of the modules of stdlib/ as C++ tables
// (frontend/script/core/stdlib.h).
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "frontend/script/core/stdlib.h"
#include "frontend/syntax/frozen.h"
#include "frontend/syntax/parse.h"
#include "ir/core/error.h"
#include "ir/core/files.h"
#include "ir/core/span.h"

namespace {

namespace fs = std::filesystem;
using namespace mlc;

struct Entry {
  std::string text, tree;
};

// As the inside of a C++ string; three octal digits end by themselves.
std::string escaped(const std::string& bytes) {
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<uint8_t>(c);
    bool plain = byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '?';
    if (plain) {
      text += c;
    } else {
      text += fmt::format("\\{:03o}", byte);
    }
  }
  return text;
}

Entry read(const std::string& path) {
  Entry entry;
  entry.text = ir::read_file(path).value_or("");
  entry.tree = syntax::freeze(*syntax::parse_file(ir::SourceMap::current().add(path, entry.text)));
  return entry;
}

void write(const std::map<std::string, Entry>& modules, std::ostream& out) {
  out << "// SPDX-License-Identifier: Apache-2.0\n#include \"frontend/script/core/stdlib.h\"\n\n#include "
         "<algorithm>\n#include "
         "<iterator>\n\nnamespace mlc::script {\nnamespace {\n\nconstexpr std::string_view kNames[] = {\n";
  for (const auto& [name, entry] : modules) out << "    \"" << name << "\",\n";
  out << "};\n\nconstexpr std::string_view kTexts[] = {\n";
  for (const auto& [name, entry] : modules)
    out << "    {R\"~mlc~(" << entry.text << ")~mlc~\", " << entry.text.size() << "},\n";
  out << "};\n\nconstexpr std::string_view kTrees[] = {\n";
  for (const auto& [name, entry] : modules)
    out << "    {\"" << escaped(entry.tree) << "\", " << entry.tree.size() << "},\n";
  out << R"(};

std::string_view of(std::string_view module, const std::string_view* column) {
  auto* found = std::lower_bound(std::begin(kNames), std::end(kNames), module);
  return found != std::end(kNames) && *found == module ? column[found - kNames] : std::string_view();
}

}  // namespace

std::string_view embedded_text(std::string_view module) { return of(module, kTexts); }
std::string_view embedded_tree(std::string_view module) { return of(module, kTrees); }
std::span<const std::string_view> embedded_modules() { return kNames; }

}  // namespace mlc::script
)";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: stdlib_tables OUTPUT ROOT FILE...\n");
    return 2;
  }
  std::map<std::string, Entry> modules;
  for (int i = 3; i < argc; ++i) {
    try {
      std::string file = fs::path(argv[i]).lexically_relative(argv[2]).generic_string();
      modules[script::stdlib_module_name(file)] = read(argv[i]);
    } catch (const ir::Error& error) {
      for (const ir::Diagnostic& found : error.all())
        fmt::print(stderr, "{}: {}\n", ir::SourceMap::current().describe(found.span), found.message);
      return 1;
    }
  }
  std::ofstream out(argv[1], std::ios::binary);
  write(modules, out);
  return out.flush() ? 0 : 1;
}
