// SPDX-License-Identifier: Apache-2.0
#include "repl/shell/stages.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "ir/core/error.h"
#include "repl/shell/source.h"

namespace mlc::repl {

namespace {

constexpr std::string_view kInput = "input";

// "LowerOpaqueBlock" -> "lower_opaque_block", as the file of a pass is named.
std::string snake_case(std::string_view name) {
  auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    bool begins = upper(name[i]) && i > 0 &&
                  (!upper(name[i - 1]) || (i + 1 < name.size() && !upper(name[i + 1]) && name[i + 1] != '_'));
    if (begins && name[i - 1] != '_') out += '_';
    out += upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return out;
}

std::string word_of(const transform::Pipeline& pipeline, size_t after) {
  return after == 0 ? std::string(kInput) : snake_case(pipeline.pass_name(after - 1));
}

std::string all_words(const transform::Pipeline& pipeline) {
  std::string words;
  for (size_t i = 0; i <= pipeline.size(); ++i) words += (i == 0 ? "" : ", ") + stage_name(pipeline, i);
  return words;
}

}  // namespace

transform::Pipeline pipeline_of(const CommandLine& line, const ir::Target& target,
                                script::Evaluator& evaluator) {
  try {
    ir::Any pipeline = transform::named_pipeline(ir::Any(ir::String(line.pipeline)), target, evaluator);
    return transform::Pipeline(pipeline, target, evaluator);
  } catch (const ir::Error& error) {
    if (error.first().name != "unknown-pipeline") throw;
    throw CallError{error.first().message, error.first().help};
  }
}

std::string stage_name(const transform::Pipeline& pipeline, size_t after) {
  return fmt::format("{:02}-{}", after, word_of(pipeline, after));
}

std::vector<size_t> stages_named(const transform::Pipeline& pipeline, std::string_view word) {
  std::vector<size_t> found;
  for (size_t i = 0; i <= pipeline.size(); ++i) {
    std::string name = i == 0 ? std::string(kInput) : pipeline.pass_name(i - 1);
    if (word == name || word == word_of(pipeline, i) || word == stage_name(pipeline, i)) found.push_back(i);
  }
  if (!found.empty()) return found;
  std::vector<std::string> names;
  for (size_t i = 0; i < pipeline.size(); ++i) names.push_back(pipeline.pass_name(i));
  std::string near = ir::closest(word, names);
  throw CallError{fmt::format("the pipeline has no pass `{}`", word),
                  near.empty() ? fmt::format("its stages are {}", all_words(pipeline))
                               : fmt::format("did you mean `{}`?", near)};
}

std::vector<bool> stages_to_dump(const transform::Pipeline& pipeline, const std::string& asked) {
  std::vector<bool> wanted(pipeline.size() + 1, asked == "all");
  if (asked == "all" || asked.empty()) return wanted;
  std::string_view rest = asked;
  while (true) {
    std::string_view word = rest.substr(0, rest.find(','));
    for (size_t stage : stages_named(pipeline, word)) wanted[stage] = true;
    if (word.size() == rest.size()) return wanted;
    rest.remove_prefix(word.size() + 1);
  }
}

size_t passes_behind(const transform::Pipeline& pipeline, const std::string& path) {
  std::string stem = std::filesystem::path(path).stem().string();
  size_t number = 0;
  auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (error != std::errc() || *end != '-') {
    throw CallError{
        fmt::format("the name of `{}` does not say which pass made it", path),
        "a stage is a file that `mlc build --dump all` wrote, such as `08-lower_opaque_block.mlc`"};
  }
  if (number > pipeline.size() || stem != stage_name(pipeline, number)) {
    throw CallError{fmt::format("`{}` is no stage of this pipeline", stem),
                    fmt::format("its stages are {}", all_words(pipeline))};
  }
  return number;
}

}  // namespace mlc::repl
