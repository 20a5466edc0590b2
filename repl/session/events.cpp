// SPDX-License-Identifier: Apache-2.0
#include "repl/session/events.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.h"
#include "frontend/script/core/line_input.h"
#include "frontend/syntax/parse.h"
#include "repl/session/repl.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"
#include "repl/terminal/completion.h"

namespace mlc::repl {

namespace {

using nlohmann::json;

class Events {
 public:
  Events() : session_(SessionOptions()) {
    session_.options().out = [this](std::string_view text) { output("stdout", text); };
    session_.options().result = [this](const ir::Any& value) { emit("value", {{"text", trim(session_.text_of(value))}}); };
    session_.evaluator().err = [this](std::string_view text) { output("stderr", text); };
    script::set_line_input([this](const std::string& prompt) { return answer(prompt); });
  }
  ~Events() { script::set_line_input({}); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  int serve(const std::string& program) {
    if (!program.empty()) run([&] { session_.load(program); });
    std::string line;
    while (!session_.ended() && std::getline(std::cin, line))
      if (!trim(line).empty()) take(line);
    if (session_.ended()) emit("ended", {{"code", *session_.ended()}});
    return session_.ended().value_or(0);
  }

 private:
  void emit(std::string_view event, json more) {
    json made = {{"event", event}};
    if (!id_.is_null()) made["id"] = id_;
    made.update(more);
    std::cout << made.dump(-1, ' ', false, json::error_handler_t::replace) << "\n" << std::flush;
  }
  void output(std::string_view stream, std::string_view text) { emit("output", {{"stream", stream}, {"text", text}}); }

  void take(const std::string& line) {
    json request = json::parse(line, nullptr, false);
    id_ = request.is_object() && request.contains("id") ? request["id"] : json();
    auto text_of = [&](const char* key) {
      return request.is_object() && request.contains(key) && request[key].is_string()
                 ? std::optional(request[key].get<std::string>())
                 : std::nullopt;
    };
    if (auto text = text_of("run")) {
      run([&] { session_.run_input(*text); });
    } else if (auto before = text_of("complete")) {
      Completion found = complete(session_, *before);
      json candidates = json::array();
      for (const Candidate& each : found.candidates) candidates.push_back({{"text", each.text}, {"doc", each.doc}});
      emit("completions", {{"begin", found.begin}, {"candidates", candidates}});
    } else if (auto typed = text_of("is_complete")) {
      bool whole = syntax::is_complete(*typed) != syntax::ParseStatus::kIncomplete;
      emit("is_complete", {{"complete", whole}});
    } else {
      refuse({"a request is a JSON object with a text called `run`, `complete` or `is_complete`",
              R"({"id": 1, "run": "1 + 1"})"});
    }
    id_ = json();
  }

  void run(const std::function<void()>& what) {
    script::Evaluator::clear_interrupt();
    size_t states = session_.states().size();
    try {
      what();
    } catch (const script::Evaluator::SystemExit& exit) {
      session_.end(exit.code);
    } catch (const ir::Error& error) {
      json all = json::array();
      for (const ir::Diagnostic& each : error.all()) all.push_back(json::parse(diagnostics::to_json(each)));
      emit("error", {{"diagnostics", all}});
    } catch (const CallError& error) {
      refuse(error);
    }
    for (; states < session_.states().size(); ++states) {
      const State& state = session_.states()[states];
      emit("state", {{"state", states},
                     {"parent", state.parent},
                     {"source", state.source},
                     {"effect", session_.effect_of(states)},
                     {"verdict", state.verdict},
                     {"seconds", state.seconds},
                     {"hash", session_.hash_of(states)}});
    }
    emit("done", {{"state", session_.position()}, {"branch", session_.branch().name}});
  }

  void refuse(const CallError& error) { emit("error", {{"diagnostics", json::array({json::parse(call_json(error))})}}); }

  // The next line answers.
  std::optional<std::string> answer(const std::string& prompt) {
    emit("input", {{"prompt", prompt}});
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    json given = json::parse(line, nullptr, false);
    if (!given.is_object() || !given.contains("answer") || !given["answer"].is_string()) return std::nullopt;
    return given["answer"].get<std::string>() + "\n";
  }

  Session session_;
  json id_;
};

}  // namespace

int run_events(const std::string& program) {
  catch_interrupts(false);
  limit_memory();
  return Events().serve(program);
}

}  // namespace mlc::repl
