// SPDX-License-Identifier: Apache-2.0
// The five sockets of a kernel.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "repl/jupyter/message.h"

namespace mlc::repl::jupyter {

class Channels {
  Context context_;  // outlives the sockets

 public:
  // `log` gets what was wrong with a message that was dropped.
  Channels(const Connection& connection, std::function<void(const std::string&)> log);

  // Each is used by one thread.
  Socket shell, control, input, heartbeat;

  // The next message that has come, if any; what is none is dropped.
  std::optional<Message> receive(Socket& socket);
  void send(Socket& socket, const Message& to, std::string_view type, const Json& content);

  // To every front end, from any thread. `parent` is the header of the request that it belongs to.
  void publish(std::string_view type, const Json& content, const Json& parent,
               const Json& metadata = Json::object());

 private:
  std::function<void(const std::string&)> log_;
  Wire wire_;
  std::mutex publishing_;
  Socket iopub_;
};

}  // namespace mlc::repl::jupyter
