// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/kept_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "ir/core/inputs.h"
#include "repl/report/page.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace fs = std::filesystem;

namespace {

// The first bytes of a regular file; nothing where there is none.
std::optional<std::string> beginning_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::string text(4096, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

[[noreturn]] void not_ours(const fs::path& path, std::string_view what, std::string_view help) {
  throw CallError{
      fmt::format("`{}` is there already, and {}, so nothing is written there", path.string(), what),
      std::string(help)};
}

// Does the file have something in it, and does that not begin as it should?
bool begins_otherwise(const fs::path& path, std::initializer_list<std::string_view> marks) {
  std::optional<std::string> there = beginning_of(path);
  return there && !there->empty() &&
         std::ranges::none_of(marks, [&](std::string_view mark) { return there->starts_with(mark); });
}

}  // namespace

bool is_built_text(std::string_view text) {
  if (text.starts_with("/* Written by mlc.")) return true;  // C
  constexpr int kFirstLines = 12;
  for (int i = 0; i < kFirstLines && !text.empty(); ++i) {
    std::string_view line = text.substr(0, text.find('\n'));
    if (line == "; ModuleID = 'mlc'" || line == "\t.file\t\"mlc\"") return true;  // LLVM's, assembly
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

void refuse_input(const fs::path& out, const char* help) {
  if (!ir::Inputs::global().has_read(out.string())) return;
  throw CallError{
      fmt::format("`{}` is a file that the program is made from, so nothing is written there", out.string()),
      help};
}

void refuse_source(const fs::path& out, const backend::Artefact& artefact) {
  constexpr std::string_view kKept[] = {".mlc", ".py",   ".repl", ".ipynb", ".md",         ".npy",
                                        ".npz", ".onnx", ".pt2",  ".gguf",  ".safetensors"};
  std::optional<std::string> there = artefact.is_folder ? std::nullopt : beginning_of(out);
  if (!there || there->empty()) return;
  if (std::ranges::find(kKept, out.extension().string()) != std::end(kKept))
    not_ours(out, "it ends like a program or like data", "name the artefact with `-o FILE`");
  bool named_like_it =
      !artefact.is_text && !artefact.ending.empty() && out.extension().string() == artefact.ending;
  if (named_like_it) return;  // nobody writes a `.so` by hand, whatever is in it
  bool is_text = there->find('\0') == std::string::npos && !there->starts_with("!<arch>");
  if (is_text && !is_built_text(*there))
    not_ours(out, "nothing in it says that mlc made it",
             "name the artefact with `-o FILE`, or remove that one");
}

void refuse_other_header(const fs::path& header) {
  if (begins_otherwise(header, {"/* What `mlc build` made"}))
    not_ours(header, "nothing in it says that mlc made it",
             "name the header with `--header FILE.h`, or remove that one");
}

void refuse_other_program(const fs::path& stage) {
  if (begins_otherwise(stage, {"# before the first of the ", "# after "}))
    not_ours(stage, "it is no stage of a build", "name another folder with `--dump-folder FOLDER`");
}

void refuse_other_page(const fs::path& page) {
  if (begins_otherwise(page, {kPageMark, kDrawingMark}))
    not_ours(page, "nothing in it says that mlc made it", "name another file, or remove that one");
}

void refuse_other_baseline(const fs::path& baseline, std::string_view mark) {
  if (begins_otherwise(baseline, {mark}))
    not_ours(baseline, "it is nothing that `mlc bench` saved", "name another file, or remove that one");
}

}  // namespace mlc::repl
