// SPDX-License-Identifier: Apache-2.0
// Running a cell.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "repl/jupyter/display.h"
#include "repl/jupyter/kernel.h"
#include "repl/session/commands.h"
#include "repl/session/table.h"
#include "repl/shell/source.h"

namespace mlc::repl::jupyter {

namespace {

// The words with a dash that a line begins with, and their numbers.
std::string_view options_of(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && line[end] == '-') {
    size_t number = std::min(line.find_first_of(' ', end), line.size());
    if (number - end == 2) number = std::min(line.find_first_not_of(' ', number), line.size());
    number = std::min(line.find_first_of(' ', number), line.size());
    end = std::min(line.find_first_not_of(' ', number), line.size());
  }
  return line.substr(0, end);
}

// What stands in a cell and does nothing here, said where warnings go.
void pass_over(std::string_view line, std::string_view reason) {
  std::string text = fmt::format("note: `{}` is passed over: {}\n", line, reason);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

Json Kernel::execute(const Message& request) {
  auto code = request.content.at("code").get<std::string>();
  bool silent = request.content.value("silent", false);
  bool store = !silent && request.content.value("store_history", true);
  bool stop_on_error = request.content.value("stop_on_error", true);
  auto expressions = request.content.value("user_expressions", std::map<std::string, std::string>());
  bool asks = request.content.value("allow_stdin", true);
  capture_.flush();
  {
    std::lock_guard lock(parent_mutex_);
    parent_ = request.header;
  }
  if (store) {
    ++count_;
    history_.add(code);
  }
  if (!silent)
    channels_.publish("execute_input", {{"code", code}, {"execution_count", count_}}, request.header);

  session_.options().input_name = fmt::format("<cell>[{}]", count_);
  asks_for_ = asks ? &request : nullptr;
  script::Evaluator::clear_interrupt();
  value_ = nullptr;
  Json reply;
  std::string output;
  try {
    run_parts(parts_of(code));
    Json forms;
    if (!silent && !script::is_none(value_)) forms = forms_of(session_, value_);
    capture_.flush();
    if (!forms.is_null()) {
      output = forms["text/plain"].get<std::string>();
      channels_.publish(
          "execute_result",
          {{"execution_count", count_}, {"data", std::move(forms)}, {"metadata", Json::object()}},
          request.header);
    }
    Json values = Json::object();
    for (const auto& [name, expression] : expressions) values[name] = evaluate(expression);
    reply = {{"status", "ok"}, {"user_expressions", std::move(values)}};
  } catch (...) {
    reply = current_error(session_, WaysOut::kTried);
    capture_.flush();
    if (!silent) channels_.publish("error", reply, request.header);
    reply["status"] = "error";
    abort_ = stop_on_error;
  }
  asks_for_ = nullptr;
  value_ = nullptr;
  reply["execution_count"] = count_;
  reply["payload"] = Json::array();
  if (session_.ended()) reply["payload"].push_back({{"source", "ask_exit"}, {"keepkernel", false}});
  if (store) cells_.push_back({count_, std::move(code), std::move(output)});
  return reply;
}

void Kernel::run_parts(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    value_ = nullptr;
    if (session_.ended()) return;
    switch (part.kind) {
      case Part::Kind::kStatements:
        session_.run_input(part.text);
        break;
      case Part::Kind::kCommand: {
        std::string_view line = part.text;
        if (line.ends_with("??")) line.remove_suffix(1);
        session_.run_input(line);
        break;
      }
      case Part::Kind::kMagic:
        run_magic(std::string_view(part.text).substr(1), "");
        break;
      case Part::Kind::kCellMagic: {
        std::string_view text = std::string_view(part.text).substr(2);
        size_t end = std::min(text.find('\n'), text.size());
        run_magic(trim(text.substr(0, end)), text.substr(end));
        break;
      }
      case Part::Kind::kShell:
        run_shell(trim(std::string_view(part.text).substr(1)));
        break;
    }
  }
}

// `body` is the rest of the cell where the magic is one of a cell, and begins with the end of its line then.
void Kernel::run_magic(std::string_view line, std::string_view body) {
  std::string_view arguments = line;
  std::string_view name = take_word(arguments);
  std::string_view percent = body.empty() ? "%" : "%%";
  const Magic* magic = find_magic(name);
  if (magic == nullptr)
    throw CallError{fmt::format("there is no `{}{}`", percent, name),
                    "of IPython's magics there are %time and %timeit; `:help` lists the commands of mlc"};
  switch (magic->meaning) {
    case Magic::Meaning::kRefused:
      throw CallError{fmt::format("there is no `{}{}`", percent, name), std::string(magic->reason)};
    case Magic::Meaning::kNothing:
      pass_over(fmt::format("{}{}", percent, line), magic->reason);
      run_parts(parts_of(body));
      return;
    case Magic::Meaning::kTime: {
      auto start = std::chrono::steady_clock::now();
      run_parts(parts_of(body.empty() ? arguments : body));
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      session_.show(fmt::format("Wall time: {}\n", time_text(seconds)));
      return;
    }
    case Magic::Meaning::kTimeIt: {
      std::string_view options = options_of(arguments);
      arguments.remove_prefix(options.size());
      if (!body.empty() && !trim(arguments).empty()) session_.run_input(arguments);  // what it needs
      time_many(trim(options), trim(body.empty() ? arguments : body));
      value_ = nullptr;
      return;
    }
  }
}

// A run that is not counted, then as many as `-n` and `-r` say, or as there is time for.
void Kernel::time_many(std::string_view options, std::string_view statement) {
  constexpr double kSeconds = 0.5;
  constexpr size_t kMost = 1000;
  size_t runs = 0;
  while (!options.empty()) {
    std::string_view option = take_word(options);
    std::string_view number = option.substr(std::min<size_t>(2, option.size()));
    if (number.empty()) number = take_word(options);
    auto count = number_of(number);
    if ((!option.starts_with("-n") && !option.starts_with("-r")) || !count || *count == 0 ||
        *count > 1'000'000)
      throw CallError{fmt::format("`%timeit` does not take `{}`", option), "`%timeit -n 100 lib(a, b, c)`"};
    runs = std::max<size_t>(runs, 1) * *count;
  }
  if (trim(statement).empty()) throw CallError{"what shall be timed?", "`%timeit lib(a, b, c)`"};
  session_.run_timed(statement);
  std::vector<double> times;
  for (double total = 0; runs > 0 ? times.size() < runs : total < kSeconds && times.size() < kMost;) {
    times.push_back(session_.run_timed(statement));
    total += times.back();
  }
  std::ranges::sort(times);
  session_.show(fmt::format("{} a run (median of {}; fastest {}, slowest {})\n",
                            time_text(times[times.size() / 2]), times.size(), time_text(times.front()),
                            time_text(times.back())));
}

void Kernel::run_shell(std::string_view command) {
  if (!installs_packages(command))
    throw CallError{fmt::format("`!{}` is not run: mlc has no shell", command),
                    "`subprocess.run([...])` runs a program"};
  pass_over(fmt::format("!{}", command), "mlc has its library built in and needs no packages of Python");
}

Json Kernel::evaluate(const std::string& expression) {
  try {
    uint32_t file = ir::SourceMap::current().add("<user expression>", expression + "\n");
    ir::Any value = session_.evaluator().evaluate_repl(file);
    return {{"status", "ok"}, {"data", forms_of(session_, value)}, {"metadata", Json::object()}};
  } catch (...) {
    Json error = current_error(session_);
    error["status"] = "error";
    return error;
  }
}

std::optional<std::string> Kernel::ask(const std::string& prompt) {
  capture_.flush();
  if (asks_for_ == nullptr) {
    std::fputs("note: this front end cannot be asked for input\n", stderr);
    return std::nullopt;
  }
  while (channels_.receive(channels_.input)) {
  }  // answers to what was interrupted
  channels_.send(channels_.input, *asks_for_, "input_request", {{"prompt", prompt}, {"password", false}});
  while (!stopping_ && !script::Evaluator::is_interrupted()) {
    channels_.input.wait(stop_, -1);
    auto answer = channels_.receive(channels_.input);
    if (!answer || answer->type() != "input_reply") continue;
    auto value = answer->content.find("value");
    return (value != answer->content.end() && value->is_string() ? value->get<std::string>() : "") + "\n";
  }
  return std::nullopt;
}

}  // namespace mlc::repl::jupyter
