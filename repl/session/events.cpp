// SPDX-License-Identifier: Apache-2.0
#include "repl/session/events.h"

#include <fcntl.h>
#include <unistd.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.h"
#include "frontend/script/core/line_input.h"
#include "frontend/syntax/parse.h"
#include "repl/jupyter/capture.h"
#include "repl/session/repl.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"
#include "repl/terminal/completion.h"

namespace mlc::repl {

namespace {

using nlohmann::json;

// Requests come from what standard input was, and events go to what standard output was: the programs and the
// compiled code that a statement runs read nothing there, and what they write is an event.
class Events {
 public:
  Events()
      : out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)),
        in_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
        requests_(in_),
        session_(SessionOptions()) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (out_ < 0 || in_ < 0 || nothing < 0) throw CallError{"no more files can be opened", ""};
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    capture_.emplace([this](const char* stream, const std::string& text) { output(stream, text); });
    session_.options().has_editor = false;
    session_.options().out = [this](std::string_view text) { print("stdout", text); };
    session_.evaluator().err = [this](std::string_view text) { print("stderr", text); };
    session_.options().result = [this](const ir::Any& value) {
      emit("value", {{"text", trim(session_.text_of(value))}});
    };
    session_.options().error = [this](const ir::Error& error) { report(error); };
    session_.options().refusal = [this](const CallError& error) { refuse(error); };
    script::set_line_input([this](const std::string& prompt) { return answer(prompt); });
  }
  ~Events() {
    script::set_line_input({});
    capture_.reset();
    close(out_);
    close(in_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  int serve(const std::string& program, std::optional<uint32_t> file) {
    if (file) run([&] { session_.load(program, *file); });
    while (!session_.ended()) {
      auto line = requests_.next();
      if (!line && !script::Evaluator::is_interrupted()) break;
      script::Evaluator::clear_interrupt();  // nothing was running
      if (line && !trim(*line).empty()) take(*line);
    }
    if (session_.ended()) emit("ended", {{"code", *session_.ended()}});
    return session_.ended().value_or(0);
  }

 private:
  void emit(std::string_view event, json more) {
    capture_->flush();
    write_event(event, std::move(more));
  }
  void print(std::string_view stream, std::string_view text) {
    emit("output", {{"stream", stream}, {"text", text}});
  }
  // From the thread that reads what was written past the script, too.
  void output(std::string_view stream, std::string_view text) {
    write_event("output", {{"stream", stream}, {"text", text}});
  }
  void write_event(std::string_view event, json more) {
    std::lock_guard lock(mutex_);
    json made = {{"event", event}};
    if (!id_.is_null()) made["id"] = id_;
    made.update(more);
    std::string line = made.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    for (size_t at = 0; at < line.size();) {
      ssize_t count = ::write(out_, line.data() + at, line.size() - at);
      if (count < 0 && errno != EINTR) return;  // nobody reads
      if (count > 0) at += static_cast<size_t>(count);
    }
  }
  void set_id(json id) {
    capture_->flush();
    std::lock_guard lock(mutex_);
    id_ = std::move(id);
  }

  void take(const std::string& line) {
    json request = json::parse(line, nullptr, false);
    set_id(request.is_object() && request.contains("id") ? request["id"] : json());
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
      for (const Candidate& each : found.candidates)
        candidates.push_back({{"text", each.text}, {"doc", each.doc}});
      emit("completions", {{"begin", found.begin}, {"candidates", candidates}});
    } else if (auto typed = text_of("is_complete")) {
      bool whole = syntax::is_complete(*typed) != syntax::ParseStatus::kIncomplete;
      emit("is_complete", {{"complete", whole}});
    } else {
      refuse({"a request is a JSON object with a text called `run`, `complete` or `is_complete`",
              R"({"id": 1, "run": "1 + 1"})"});
    }
    set_id(json());
  }

  void run(const std::function<void()>& what) {
    script::Evaluator::clear_interrupt();
    size_t states = session_.states().size();
    session_.attempt(what);
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

  void report(const ir::Error& error) {
    json all = json::array();
    for (const ir::Diagnostic& each : error.all()) all.push_back(json::parse(diagnostics::to_json(each)));
    json event = {{"diagnostics", all}};
    if (!session_.ways_out().empty()) event["ways_out"] = session_.ways_out();
    emit("error", std::move(event));
  }
  void refuse(const CallError& error) {
    emit("error",
         {{"diagnostics", json::array({json::parse(diagnostics::to_json(call_diagnostic(error)))})}});
  }

  // The next line answers.
  std::optional<std::string> answer(const std::string& prompt) {
    emit("input", {{"prompt", prompt}});
    auto line = requests_.next();
    if (!line) return std::nullopt;
    json given = json::parse(*line, nullptr, false);
    if (!given.is_object() || !given.contains("answer") || !given["answer"].is_string()) return std::nullopt;
    return given["answer"].get<std::string>() + "\n";
  }

  int out_, in_;
  script::LineReader requests_;
  std::mutex mutex_;  // of what follows, and of writing
  json id_;
  std::optional<jupyter::Capture> capture_;
  Session session_;
};

}  // namespace

int run_events(const std::string& program) {
  catch_interrupts(WhenUnheard::kWait);
  limit_memory();
  std::optional<uint32_t> file;
  if (!program.empty()) file = read_source(program);
  return Events().serve(program, file);
}

}  // namespace mlc::repl
