// SPDX-License-Identifier: Apache-2.0
// The rules of the house that a reader of the tree can check: who may include whom, sizes, names, licences,
// and that every primitive and pass is shown by a golden.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;  // from the root, with slashes
  std::string text;

  std::string name() const { return fs::path(path).filename().string(); }
  std::string stem() const { return fs::path(path).stem().string(); }
  std::string extension() const { return fs::path(path).extension().string(); }
  bool below(std::string_view folder) const { return path.starts_with(std::string(folder) + "/"); }
  bool is_cpp() const { return extension() == ".cpp" || extension() == ".h"; }
  std::vector<std::string_view> lines() const {
    std::vector<std::string_view> all;
    for (size_t begin = 0; begin < text.size();) {
      size_t end = std::min(text.find('\n', begin), text.size());
      all.push_back(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    return all;
  }
};

// Every source file of the project; build folders, dependencies and dot folders aside.
const std::vector<File>& tree() {
  static const std::vector<File> files = [] {
    std::vector<File> found;
    const fs::path root = MLC_SOURCE_DIR;
    for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
      std::string name = it->path().filename().string();
      bool built = it.depth() == 0 && name.starts_with("build");
      if (it->is_directory() && (name.starts_with(".") || built)) {
        it.disable_recursion_pending();
        continue;
      }
      static const std::set<std::string> kinds = {".cpp",   ".h",   ".mlc", ".g4",
                                                  ".cmake", ".txt", ".sh",  ".py"};
      if (!it->is_regular_file() || !kinds.contains(it->path().extension().string())) continue;
      std::ifstream in(it->path(), std::ios::binary);
      found.push_back({fs::relative(it->path(), root).generic_string(),
                       std::string((std::istreambuf_iterator<char>(in)), {})});
    }
    return found;
  }();
  return files;
}

// One complaint per line, so that a failure names every place.
std::string joined(const std::vector<std::string>& complaints) {
  std::string all;
  for (const std::string& complaint : complaints) all += complaint + "\n";
  return all;
}

std::vector<std::string> quoted_includes(const File& file) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  std::vector<std::string> found;
  for (std::string_view line : file.lines()) {
    std::cmatch match;
    if (line.find("include") == line.npos) continue;
    if (std::regex_search(line.data(), line.data() + line.size(), match, pattern)) found.push_back(match[1]);
  }
  return found;
}

}  // namespace

TEST_CASE("rooms include only what they may see", "[style]") {
  // Longest folder first; each may include the folders named, and itself.
  const std::vector<std::pair<std::string, std::vector<std::string>>> rules = {
      {"frontend/syntax", {"ir"}},
      {"frontend/diagnostics", {"ir", "frontend/syntax"}},
      {"frontend/print", {"ir"}},
      {"frontend", {"ir", "frontend"}},
      {"transform", {"ir"}},
      {"backend", {"ir"}},
      {"ir", {}},
      {"repl", {"ir", "frontend", "transform", "backend", "stdlib"}},
  };
  const std::vector<std::string> rooms = {"ir",      "grammar", "frontend", "transform",
                                          "backend", "repl",    "stdlib"};
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    if (!file.is_cpp()) continue;
    auto rule = std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return file.below(r.first); });
    if (rule == rules.end()) continue;
    for (const std::string& include : quoted_includes(file)) {
      auto in = [&](const std::string& folder) { return include.starts_with(folder + "/"); };
      if (std::none_of(rooms.begin(), rooms.end(), in)) continue;
      if (in(rule->first) || std::any_of(rule->second.begin(), rule->second.end(), in)) continue;
      complaints.push_back(file.path + " includes " + include);
    }
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("rooms find nothing of another room by its name", "[style]") {
  // A literal that a look-up is given: `find("tvm.te.sum")`, `find(fmt::format("tvm.te.{}", ...))`,
  // `method(type, "show")`, `class_of("mlc.ir.Expr")`. The row it names must be one of the same room.
  // Protocols of the language (`__str__`) belong to nobody, and the interpreter looks up what programs name.
  static const std::regex lookup(R"re(\b(?:global\(\)|registry|Registry)\.(find|method|class_of)\()re"
                                 R"re(((?:[^()";]|\([^()";]*\))*)(fmt::format\()?"([^"]*)")re");
  static const std::regex by_ffi(R"re(\bGetGlobal(?:Required)?\("([^"]*)")re");
  static const std::regex library(R"re(\bcall_library\("([^"]*)", "([^"]*)")re");
  const std::vector<std::string> rooms = {"ir", "frontend", "transform", "backend"};
  auto room_of = [&](const File& file) {
    auto room = std::find_if(rooms.begin(), rooms.end(), [&](const auto& each) { return file.below(each); });
    return room == rooms.end() ? std::string() : *room;
  };
  std::map<std::string, std::string> text;  // of a room
  std::set<std::string> modules;            // of the library
  for (const File& file : tree()) {
    if (file.is_cpp()) text[room_of(file)] += file.text;
    if (file.below("stdlib") && file.extension() == ".mlc") modules.insert(file.path);
  }
  auto in_library = [&](std::string module) {
    std::replace(module.begin(), module.end(), '.', '/');
    if (module.starts_with("mlc/")) module = module.substr(4);
    std::string path = "stdlib/" + module;
    return modules.contains(path + ".mlc") || modules.contains(path + "/__init__.mlc");
  };
  // Names that are put together: of rows of the same room, or of what a program names.
  const std::set<std::string> own_families = {"transform/pass/pass_object.cpp",           // its passes
                                              "frontend/tvmscript/device/rows_tile.cpp",  // T.tile.x, by T.x
                                              "ir/relax/operator_build.cpp",              // its operators
                                              "frontend/script/core/attributes.cpp",  // a module's members
                                              "frontend/script/modules/global_functions.cpp",
                                              "frontend/review/shadowed_names.cpp"};
  std::vector<std::string> complaints;
  size_t looked_at = 0;
  for (const File& file : tree()) {
    std::string room = room_of(file);
    if (!file.is_cpp() || room.empty()) continue;
    auto matches = [&](const std::regex& pattern, const std::function<void(const std::smatch&)>& visit) {
      for (std::sregex_iterator it(file.text.begin(), file.text.end(), pattern), end; it != end; ++it) {
        ++looked_at;
        visit(*it);
      }
    };
    matches(lookup, [&](const std::smatch& found) {
      std::string path = found[4];
      std::string name = path.substr(path.rfind('.') + 1);
      bool computed = name.empty() || name.find('{') != name.npos;
      if (name.starts_with("__") || (computed && own_families.contains(file.path))) return;
      bool own = !computed && (text[room].find("\"" + name + "(") != std::string::npos ||
                               text[room].find("\"" + name + "\", \"") != std::string::npos);
      if (!own) complaints.push_back(file.path + " looks up `" + path + "`");
    });
    matches(by_ffi, [&](const std::smatch& found) {
      std::string name = found[1];
      if (!name.starts_with("ffi.")) complaints.push_back(file.path + " looks up `" + name + "`");
    });
    matches(library, [&](const std::smatch& found) {
      std::string module = found[1];
      if (!in_library(module)) complaints.push_back(file.path + " calls `" + module + "`, no library");
    });
  }
  CHECK(joined(complaints) == "");
  CHECK(looked_at > 10);
}

TEST_CASE("only one room sees ANTLR, and only one sees LLVM", "[style]") {
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    if (!file.is_cpp()) continue;
    for (const std::string& include : quoted_includes(file)) {
      bool antlr = include.starts_with("antlr4") || include.starts_with("MlcParser");
      bool llvm = include.starts_with("llvm/") || include.starts_with("lld/");
      if (antlr && !file.below("frontend/syntax")) complaints.push_back(file.path + " includes " + include);
      if (llvm && !file.below("backend/llvm")) complaints.push_back(file.path + " includes " + include);
    }
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("no file is longer than 800 lines", "[style]") {
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    size_t lines = file.lines().size();
    if (lines > 800) complaints.push_back(file.path + " has " + std::to_string(lines) + " lines");
  }
  CHECK(joined(complaints) == "");
}

// Two of one name in one namespace are one to the linker, which keeps the functions of either.
TEST_CASE("a class is defined once", "[style]") {
  const std::regex opens("namespace ([\\w:]*) ?\\{"), closes("\\}\\s*//\\s*namespace.*");
  const std::regex defines(
      "(?:template <[^>]*>\\s*)?(?:struct|class|enum class|union) (\\w+)(?: final)?(?: : .*)? ?\\{.*");
  std::map<std::string, std::set<std::string>> all;
  for (const File& file : tree()) {
    if (!file.is_cpp() || file.below("tests")) continue;
    std::vector<std::string> spaces;
    for (std::string_view each : file.lines()) {
      std::match_results<std::string_view::const_iterator> found;
      if (std::regex_match(each.begin(), each.end(), found, opens)) {
        spaces.push_back(found.str(1));
      } else if (std::regex_match(each.begin(), each.end(), closes)) {
        if (!spaces.empty()) spaces.pop_back();
      } else if (std::ranges::find(spaces, "") == spaces.end() &&
                 std::regex_match(each.begin(), each.end(), found, defines)) {
        std::string name;
        for (const std::string& space : spaces) name += space + "::";
        all[name + found.str(1)].insert(file.path);
      }
    }
  }
  CHECK(all.size() > 500);
  std::vector<std::string> complaints;
  for (const auto& [name, files] : all) {
    if (files.size() > 1) complaints.push_back(name + ": " + joined({files.begin(), files.end()}));
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("no file or folder has a name that says nothing", "[style]") {
  const std::set<std::string> banned = {"util", "utils", "helper", "helpers", "common", "misc"};
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    // What TVM and packages of Python call their modules.
    if (file.path.starts_with("stdlib/tvm/") || file.path.starts_with("stdlib/python/")) continue;
    for (const fs::path& part : fs::path(file.path)) {
      std::string stem = part.stem().string();
      if (stem.find("common_subexpr") != stem.npos) continue;  // what TVM calls the passes
      for (size_t begin = 0; begin <= stem.size();) {
        size_t end = std::min(stem.find('_', begin), stem.size());
        if (banned.contains(stem.substr(begin, end - begin))) complaints.push_back(file.path);
        begin = end + 1;
      }
    }
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("every file begins with its licence", "[style]") {
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    // Shell sessions and lists of text have no comments of that kind; an empty file is a test of its own.
    if ((file.extension() == ".txt" && file.name() != "CMakeLists.txt") || file.text.empty()) continue;
    std::vector<std::string_view> lines = file.lines();
    size_t first = !lines.empty() && lines[0].starts_with("#!") ? 1 : 0;
    bool licensed = lines.size() > first &&
                    lines[first].find("SPDX-License-Identifier: Apache-2.0") != std::string_view::npos;
    if (!licensed) complaints.push_back(file.path);
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("nothing is left for later in comments", "[style]") {
  // Spelled in two parts, so that this file passes.
  const std::vector<std::string> words = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    for (const std::string& word : words) {
      if (file.text.find(word) != std::string::npos) complaints.push_back(file.path + ": " + word);
    }
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("every primitive and every pass is shown by a golden", "[style]") {
  std::set<std::string> goldens;
  for (const File& file : tree()) {
    if (file.below("tests") && file.extension() == ".mlc") goldens.insert(file.path);
  }
  // `name.mlc`, or `name_*.mlc` for one subject of several.
  auto shown = [&](const std::string& folder, const std::string& name) {
    return std::any_of(goldens.begin(), goldens.end(), [&](const std::string& path) {
      return path == folder + name + ".mlc" || path.starts_with(folder + name + "_");
    });
  };
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    if (file.extension() != ".cpp") continue;
    if (file.below("transform/primitive") && !shown("tests/primitive/", file.stem()))
      complaints.push_back(file.path);
    if (file.below("transform/pass/tir") && !shown("tests/pass/", file.stem()))
      complaints.push_back(file.path);
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("every error name is kebab-case and belongs to one meaning", "[style]") {
  // `Error("name", ...)` and rows of refusals: the same name may be thrown in several places, but is spelled
  // one way.
  static const std::regex pattern(R"re((?:\bError\(\s*|\{\.name = )"([^"]*)")re");
  static const std::regex kebab("[a-z0-9]+(-[a-z0-9]+)*");
  std::vector<std::string> complaints;
  for (const File& file : tree()) {
    if (!file.is_cpp() || file.below("tests")) continue;
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), pattern), end; it != end; ++it) {
      std::string name = (*it)[1];
      if (!std::regex_match(name, kebab)) complaints.push_back(file.path + ": \"" + name + "\"");
    }
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("every row of refusals is raised by the file that has it", "[style]") {
  // A table of its own, *refusals.cpp or refusals.h, is for rows that several files raise.
  static const std::regex row(R"re(\{\.name = "([^"]*)")re");
  static const std::regex use(
      R"re((?:refusals\[|\bError\(\s*|\breport(?:_to)?\((?:\w+, )?|\braise\([^";]*"\w+",[^";]*|\w\.name = )"([^"]*)")re");
  std::map<std::string, std::set<std::string>> raised;  // by file
  std::set<std::string> anywhere;
  for (const File& file : tree()) {
    if (!file.is_cpp() || file.below("tests")) continue;
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), use), end; it != end; ++it) {
      raised[file.path].insert((*it)[1]);
      anywhere.insert((*it)[1]);
    }
  }
  std::vector<std::string> complaints;
  size_t rows = 0;
  for (const File& file : tree()) {
    if (!file.is_cpp() || file.text.find("ir::Refusals ") == std::string::npos) continue;
    bool shared = file.stem().ends_with("refusals");
    size_t begin = file.text.find("ir::Refusals ");
    std::string table = file.text.substr(begin, file.text.find("}};", begin) - begin);
    for (std::sregex_iterator it(table.begin(), table.end(), row), end; it != end; ++it, ++rows) {
      if (!(shared ? anywhere : raised[file.path]).contains((*it)[1]))
        complaints.push_back(file.path + ": \"" + (*it)[1].str() + "\" is refused nowhere");
    }
  }
  CHECK(rows > 600);
  CHECK(joined(complaints) == "");
}

TEST_CASE("every refusal of a primitive says what would work and why", "[style]") {
  static const std::regex row(R"re(\{\s*\.name = "([^"]*)")re");
  std::vector<std::string> complaints;
  size_t rows = 0;
  for (const File& file : tree()) {
    if (!file.is_cpp() || !file.below("transform/primitive")) continue;
    size_t begin = file.text.find("ir::Refusals ");
    if (begin == std::string::npos) continue;
    std::string table = file.text.substr(begin, file.text.find("MLC_REFUSALS(", begin) - begin);
    for (std::sregex_iterator it(table.begin(), table.end(), row), none; it != none; ++it, ++rows) {
      std::string name = (*it)[1];
      auto next = std::next(it);
      size_t from = it->position();
      std::string text = table.substr(from, next == none ? std::string::npos : next->position() - from);
      if (text.find(".help =") == std::string::npos)
        complaints.push_back(file.path + ": \"" + name + "\" has no help");
      if (text.find(".meaning =") == std::string::npos)
        complaints.push_back(file.path + ": \"" + name + "\" has no meaning");
    }
  }
  CHECK(rows > 80);
  CHECK(joined(complaints) == "");
}

TEST_CASE("every annotation of mlc is in docs/annotations.md", "[style]") {
  std::ifstream in(fs::path(MLC_SOURCE_DIR) / "docs/annotations.md", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  // Modules of the library, and the name of an object file in memory.
  const std::set<std::string> others = {"te",       "np",      "transform",  "schedule", "pipeline",
                                        "roofline", "codegen", "statements", "o"};
  static const std::regex name(R"re(["']mlc\.([a-z0-9_]+)["'])re");
  std::vector<std::string> complaints;
  std::string sources;
  for (const File& file : tree()) {
    if (file.below("tests") || file.below("examples") || file.below("bench")) continue;
    sources += file.text;
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), name), end; it != end; ++it) {
      std::string key = (*it)[1];
      std::string shown = "`mlc." + key + (key.ends_with('_') ? "*`" : "`");
      if (!others.contains(key) && text.find("| " + shown) == std::string::npos)
        complaints.push_back(file.path + ": " + shown);
    }
  }
  static const std::regex documented(R"re(\| `(mlc\.[a-z0-9_]+)\*?`)re");
  for (std::sregex_iterator it(text.begin(), text.end(), documented), end; it != end; ++it) {
    if (sources.find("\"" + (*it)[1].str()) == std::string::npos)
      complaints.push_back("docs/annotations.md: nothing writes or reads " + (*it)[1].str());
  }
  CHECK(joined(complaints) == "");
}

TEST_CASE("files that the documentation names exist", "[style]") {
  std::set<std::string> endings;  // each path, and each of its ends: `schedule/trace.cpp`
  std::vector<fs::path> pages;
  for (const char* folder : {"docs", "grammar", "frontend", "ir", "transform", "backend", "repl", "stdlib",
                             "tests", "examples", "bench", "cmake", "editors"}) {
    endings.insert(std::string(folder) + "/");
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MLC_SOURCE_DIR) / folder)) {
      std::string path = fs::relative(entry.path(), MLC_SOURCE_DIR).generic_string();
      if (entry.path().extension() == ".md" && path != "grammar/script.md") pages.push_back(entry.path());
      if (entry.is_directory()) path += '/';
      for (size_t at = 0; at != std::string::npos && at < path.size();) {
        endings.insert(path.substr(at));
        at = path.find('/', at);
        if (at != std::string::npos) ++at;
      }
    }
  }
  pages.emplace_back(fs::path(MLC_SOURCE_DIR) / "README.md");
  static const std::regex named(R"re(`([A-Za-z0-9_./-]+(?:\.(?:cpp|h|g4|cmake|mlc|md|py)|/))`)re");
  std::vector<std::string> complaints;
  for (const fs::path& page : pages) {
    std::ifstream in(page, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it) {
      std::string path = (*it)[1];
      // `NAME.cpp` of a recipe, and what stands outside of the sources.
      bool elsewhere = path.find("NAME") != path.npos || path.find("FOLDER") != path.npos ||
                       path.starts_with('.') || path.starts_with('/') || path.starts_with("share/") ||
                       path.starts_with("lib/");
      if (!elsewhere && !endings.contains(path)) complaints.push_back(page.string() + ": " + path);
    }
  }
  CHECK(joined(complaints) == "");
}
