// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/kernel.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include "frontend/print/highlight.h"
#include "frontend/script/core/line_input.h"
#include "repl/jupyter/display.h"
#include "repl/shell/signals_blocked.h"

namespace mlc::repl::jupyter {

namespace {

constexpr int kParentCheck = 1000;  // milliseconds between looks at whether the front end lives

SessionOptions options_of_notebook(ir::Any& value) {
  const char* no_colour = std::getenv("NO_COLOR");
  SessionOptions options;
  options.colour = no_colour == nullptr || *no_colour == '\0';
  options.has_editor = false;
  options.result = [&value](const ir::Any& result) { value = result; };
  return options;
}

std::string reply_type(std::string_view request) {
  return std::string(request.substr(0, request.size() - std::string_view("request").size())) + "reply";
}

}  // namespace

const Kernel::Row Kernel::kShell[] = {
    {"execute_request", &Kernel::execute},     {"complete_request", &Kernel::complete_code},
    {"inspect_request", &Kernel::inspect},     {"is_complete_request", &Kernel::is_complete},
    {"history_request", &Kernel::history},     {"kernel_info_request", &Kernel::kernel_info},
    {"comm_info_request", &Kernel::comm_info}, {"connect_request", &Kernel::connect},
    {"shutdown_request", &Kernel::shutdown},   {"interrupt_request", &Kernel::interrupt},
    {"comm_open", &Kernel::refuse_comm},       {"comm_msg", &Kernel::ignore_comm},
    {"comm_close", &Kernel::ignore_comm},
};
const Kernel::Row Kernel::kControl[] = {
    {"interrupt_request", &Kernel::interrupt},
    {"shutdown_request", &Kernel::shutdown},
    {"kernel_info_request", &Kernel::kernel_info},
};

Kernel::Kernel(const Connection& connection)
    : connection_(connection),
      channels_(connection, [this](const std::string& text) { capture_.log(text); }),
      session_(options_of_notebook(value_)),
      history_(history_path()),
      stop_(eventfd(0, EFD_CLOEXEC)),
      capture_([this](const char* stream, std::string text) {
        std::lock_guard lock(parent_mutex_);
        channels_.publish("stream", {{"name", stream}, {"text", std::move(text)}}, parent_);
      }) {
  print::choose_colour(session_.options().colour ? print::Colour::kAlways : print::Colour::kNever);
  session_.options().display = [this](std::string_view type, std::string_view title,
                                      std::string_view drawing) {
    capture_.flush();
    std::lock_guard lock(parent_mutex_);
    channels_.publish("display_data",
                      {{"data", {{std::string(type), drawing}, {"text/plain", title}}},
                       {"metadata", Json::object()},
                       {"transient", Json::object()}},
                      parent_);
  };
  script::set_line_input([this](const std::string& prompt) { return ask(prompt); });
}

Kernel::~Kernel() {
  script::set_line_input({});
  close(stop_);
}

int Kernel::run() {
  std::thread control, heartbeat;
  {
    SignalsBlocked blocked;
    control = std::thread([this] { serve_control(); });
    heartbeat = std::thread([this] { serve_heartbeat(); });
  }
  channels_.publish("status", {{"execution_state", "starting"}}, Json::object());
  while (!stopping_) {
    channels_.shell.wait(stop_, -1);
    while (!stopping_) {
      auto request = channels_.receive(channels_.shell);
      if (!request) break;
      answer(kShell, channels_.shell, *request);
      if (session_.ended()) stop();
    }
  }
  served_ = true;
  control.join();
  heartbeat.join();
  return session_.ended().value_or(0);
}

void Kernel::answer(std::span<const Row> rows, Socket& socket, const Message& request) {
  auto state = [&](const char* name) {
    channels_.publish("status", {{"execution_state", name}}, request.header);
  };
  state("busy");
  std::string type = request.type();
  bool wants_reply = type.ends_with("_request");
  auto row = std::ranges::find(rows, std::string_view(type), &Row::request);
  Json reply;
  if (row == rows.end()) {
    capture_.log(fmt::format("mlc: a message was dropped: there is no `{}`\n", type));
    reply = error_content("NotImplementedError", fmt::format("there is no `{}`", type), "");
    reply["status"] = "error";
  } else {
    try {
      reply = (this->*row->handle)(request);
    } catch (const Json::exception& error) {
      reply = error_content("ValueError", fmt::format("the content of `{}` is wrong: {}", type, error.what()),
                            "");
      reply["status"] = "error";
    } catch (...) {  // a text or an attribute that a class of the program computes, and refuses
      reply = current_error(session_);
      reply["status"] = "error";
    }
  }
  if (&socket == &channels_.shell) capture_.flush();
  // What waits behind a cell that failed: all that was sent before who sent it knew.
  std::vector<Message> waiting;
  if (&socket == &channels_.shell && std::exchange(abort_, false))
    while (auto next = channels_.receive(socket)) waiting.push_back(std::move(*next));
  if (wants_reply) channels_.send(socket, request, reply_type(type), reply);
  state("idle");
  for (const Message& each : waiting)
    each.type() == "execute_request" ? refuse_cell(each) : answer(rows, socket, each);
}

void Kernel::refuse_cell(const Message& request) {
  channels_.publish("status", {{"execution_state", "busy"}}, request.header);
  channels_.send(channels_.shell, request, "execute_reply",
                 {{"status", "aborted"},
                  {"execution_count", count_},
                  {"payload", Json::array()},
                  {"user_expressions", Json::object()}});
  channels_.publish("status", {{"execution_state", "idle"}}, request.header);
}

void Kernel::serve_control() {
  // The front end names itself; between it and the kernel a program may stand that has started it.
  const char* front_end = std::getenv("JPY_PARENT_PID");
  bool has_parent = front_end != nullptr;
  pid_t parent = getppid();
  // Who started it may have ended before it looked: then it has process 1 as its parent from the beginning.
  auto is_gone = [&] {
    return getppid() != parent || (parent == 1 && kill(std::atoi(front_end), 0) != 0 && errno == ESRCH);
  };
  while (!stopping_) {
    channels_.control.wait(stop_, has_parent ? kParentCheck : -1);
    while (auto request = channels_.receive(channels_.control)) answer(kControl, channels_.control, *request);
    if (has_parent && is_gone()) {
      // Nobody is there who could ask for more.
      stop();
      break;
    }
  }
  // What runs has a second to stop.
  for (int i = 0; i < 20 && !served_; ++i) {
    pthread_kill(main_, SIGINT);
    usleep(50'000);
  }
  if (!served_) _exit(0);
}

void Kernel::serve_heartbeat() {
  while (!stopping_) {
    channels_.heartbeat.wait(stop_, -1);
    if (auto frames = channels_.heartbeat.receive()) channels_.heartbeat.send(*frames);
  }
}

void Kernel::stop() {
  stopping_ = true;
  eventfd_write(stop_, 1);
}

}  // namespace mlc::repl::jupyter
