// SPDX-License-Identifier: Apache-2.0
// What a kernel answers beside running cells.
#include <fmt/format.h>
#include <fnmatch.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>

#include "frontend/syntax/parse.h"
#include "repl/jupyter/display.h"
#include "repl/jupyter/kernel.h"
#include "repl/shell/explain.h"
#include "repl/terminal/completion.h"
#include "repl/terminal/edit_buffer.h"

namespace mlc::repl::jupyter {

namespace {

constexpr size_t kMostHistory = 10'000;

// The dotted name at a position: up to the end of the word there. Among the arguments of a call that of its
// function.
std::string_view name_at(std::string_view code, size_t at) {
  size_t end = at;
  bool at_name = (end < code.size() && name_char(code[end])) || (end > 0 && name_char(code[end - 1]));
  for (size_t i = end, depth = 0; !at_name && i > 0; --i) {
    char c = code[i - 1];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth > 0) {
      --depth;
    } else if (i > 1 && name_char(code[i - 2])) {
      end = i - 1;
      at_name = true;
    }
  }
  while (end < code.size() && name_char(code[end])) ++end;
  size_t begin = end;
  while (begin > 0 && (name_char(code[begin - 1]) || code[begin - 1] == '.')) --begin;
  return code.substr(begin, end - begin);
}

Json ok() { return {{"status", "ok"}}; }

}  // namespace

Json Kernel::kernel_info(const Message&) {
  return {{"status", "ok"},
          {"protocol_version", "5.3"},
          {"implementation", "mlc"},
          {"implementation_version", MLC_VERSION},
          {"language_info",
           {{"name", "mlc"},
            {"version", MLC_VERSION},
            {"mimetype", "text/x-python"},
            {"file_extension", ".mlc"},
            {"pygments_lexer", "python3"},
            {"codemirror_mode", {{"name", "python"}, {"version", 3}}},
            {"nbconvert_exporter", "script"}}},
          {"banner", "mlc " MLC_VERSION "; `:help` lists the commands"},
          {"debugger", false},
          {"supported_features", Json::array()},
          {"help_links", Json::array({{{"text", "TVM"}, {"url", "https://tvm.apache.org/docs"}}})}};
}

Json Kernel::complete_code(const Message& request) {
  auto code = request.content.at("code").get<std::string>();
  auto cursor = request.content.value("cursor_pos", static_cast<int64_t>(code_points_in(code)));
  std::string_view before = std::string_view(code).substr(0, byte_of(code, cursor));
  // Commands stand on a line of their own; what is above it does not matter to them.
  size_t line = before.rfind('\n') + 1;
  size_t skipped = line < before.size() && before[line] == ':' ? line : 0;
  Completion found;
  if (line < before.size() && before[line] == '%' && before.find(' ', line) == std::string_view::npos) {
    found.begin = before.find_first_not_of('%', line);
    if (found.begin == std::string_view::npos) found.begin = before.size();
    for (std::string& name : magic_names())
      if (name.starts_with(before.substr(found.begin))) found.candidates.push_back({std::move(name), ""});
  } else {
    found = complete(session_, before.substr(skipped));
    found.begin += skipped;
  }
  Json matches = Json::array();
  for (Candidate& each : found.candidates) matches.push_back(std::move(each.text));
  return {{"status", "ok"},
          {"matches", std::move(matches)},
          {"cursor_start", code_points_in(before.substr(0, found.begin))},
          {"cursor_end", code_points_in(before)},
          {"metadata", Json::object()}};
}

Json Kernel::inspect(const Message& request) {
  auto code = request.content.at("code").get<std::string>();
  auto cursor = request.content.value("cursor_pos", static_cast<int64_t>(code_points_in(code)));
  std::string name(name_at(code, byte_of(code, cursor)));
  std::string text;
  if (!name.empty()) {
    script::Evaluator& evaluator = session_.evaluator();
    auto value = dotted_value(evaluator, name);
    if (auto builtins = evaluator.builtin_names(); !value && std::ranges::find(builtins, name) != builtins.end())
      value = evaluator.evaluate_repl(ir::SourceMap::current().add("<question>", name + "\n"));
    if (value) {
      text = explain_value(evaluator, *value).value_or("");
      if (text.empty())
        text = evaluator.str(evaluator.type_of(*value)) + "\n\n" + evaluator.repr(*value) + "\n";
    } else if (Explained found = explain_name(evaluator, name); found.known) {
      text = found.text;
    }
  }
  Json data = Json::object();
  if (!text.empty()) data["text/plain"] = text;
  return {
      {"status", "ok"}, {"found", !text.empty()}, {"data", std::move(data)}, {"metadata", Json::object()}};
}

Json Kernel::is_complete(const Message& request) {
  auto code = request.content.at("code").get<std::string>();
  std::vector<Part> parts = parts_of(code);
  if (parts.empty() ||
      (parts.back().kind != Part::Kind::kStatements && parts.back().kind != Part::Kind::kCellMagic))
    return {{"status", "complete"}};
  if (parts.back().kind == Part::Kind::kCellMagic)
    return {{"status", code.ends_with("\n\n") ? "complete" : "incomplete"}, {"indent", ""}};
  // The end of its last line was added; an empty line has what indents it.
  std::string text = parts.back().text;
  if (!code.ends_with('\n')) text.pop_back();
  while (text.ends_with(' ')) text.pop_back();
  switch (syntax::is_complete(text)) {
    case syntax::ParseStatus::kComplete:
      return {{"status", "complete"}};
    case syntax::ParseStatus::kError:
      return {{"status", "invalid"}};
    case syntax::ParseStatus::kIncomplete:
      break;
  }
  while (code.ends_with('\n')) code.pop_back();
  return {{"status", "incomplete"}, {"indent", indentation_after(code)}};
}

Json Kernel::history(const Message& request) {
  const Json& wanted = request.content;
  auto how = wanted.at("hist_access_type").get<std::string>();
  bool with_output = wanted.value("output", false);
  auto most =
      static_cast<size_t>(std::max<int64_t>(wanted.value("n", static_cast<int64_t>(kMostHistory)), 0));
  Json entries = Json::array();
  if (how == "range") {
    // Of this session alone: the file of all inputs does not say when they were made.
    int start = wanted.value("start", 0), stop = wanted.value("stop", count_ + 1);
    for (const Cell& cell : cells_) {
      if (wanted.value("session", 0) != 0 || cell.number < start || cell.number >= stop) continue;
      Json input = with_output ? Json::array({cell.input, cell.output.empty() ? Json() : Json(cell.output)})
                               : Json(cell.input);
      entries.push_back({0, cell.number, std::move(input)});
    }
  } else if (how == "tail" || how == "search") {
    history_.refresh();
    std::string pattern = how == "search" ? wanted.value("pattern", "*") : "*";
    bool unique = wanted.value("unique", false);
    std::vector<size_t> found;  // the newest first
    for (size_t i = history_.size(); i > 0 && found.size() < most; --i) {
      const std::string& input = history_.at(i - 1);
      if (pattern != "*" && fnmatch(pattern.c_str(), input.c_str(), 0) != 0) continue;
      if (unique && std::ranges::any_of(found, [&](size_t each) { return history_.at(each) == input; }))
        continue;
      found.push_back(i - 1);
    }
    for (auto each = found.rbegin(); each != found.rend(); ++each) {
      const std::string& input = history_.at(*each);
      entries.push_back({0, *each, with_output ? Json::array({input, Json()}) : Json(input)});
    }
  } else {
    Json refused = error_content("ValueError",
                                 fmt::format("hist_access_type is range, tail or search, not `{}`", how), "");
    refused["status"] = "error";
    return refused;
  }
  return {{"status", "ok"}, {"history", std::move(entries)}};
}

// There are no comms: widgets are programs of Python.
Json Kernel::comm_info(const Message&) { return {{"status", "ok"}, {"comms", Json::object()}}; }

Json Kernel::refuse_comm(const Message& request) {
  channels_.publish("comm_close", {{"comm_id", request.content.at("comm_id")}, {"data", Json::object()}},
                    request.header);
  return {};
}

Json Kernel::ignore_comm(const Message&) { return {}; }

Json Kernel::connect(const Message&) {
  return {{"status", "ok"},
          {"shell_port", connection_.shell_port},
          {"iopub_port", connection_.iopub_port},
          {"stdin_port", connection_.stdin_port},
          {"hb_port", connection_.hb_port},
          {"control_port", connection_.control_port}};
}

Json Kernel::interrupt(const Message&) {
  pthread_kill(main_, SIGINT);
  return ok();
}

Json Kernel::shutdown(const Message& request) {
  Json reply = {{"status", "ok"}, {"restart", request.content.value("restart", false)}};
  channels_.publish("shutdown_reply", reply, request.header);
  stop();
  return reply;
}

}  // namespace mlc::repl::jupyter
