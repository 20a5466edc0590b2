// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/channels.h"

#include <fmt/format.h>

namespace mlc::repl::jupyter {

Channels::Channels(const Connection& connection, std::function<void(const std::string&)> log)
    : shell(context_, Socket::Kind::kRouter, connection.endpoint(connection.shell_port)),
      control(context_, Socket::Kind::kRouter, connection.endpoint(connection.control_port)),
      input(context_, Socket::Kind::kRouter, connection.endpoint(connection.stdin_port)),
      heartbeat(context_, Socket::Kind::kReply, connection.endpoint(connection.hb_port)),
      log_(std::move(log)),
      wire_(connection.key),
      iopub_(context_, Socket::Kind::kPublish, connection.endpoint(connection.iopub_port)) {}

std::optional<Message> Channels::receive(Socket& socket) {
  while (auto frames = socket.receive()) {
    std::string why;
    if (auto message = wire_.read(*frames, why)) return message;
    log_(fmt::format("mlc: a message was dropped: {}\n", why));
  }
  return std::nullopt;
}

void Channels::send(Socket& socket, const Message& to, std::string_view type, const Json& content) {
  socket.send(wire_.write(to.identities, type, to.header, content));
}

void Channels::publish(std::string_view type, const Json& content, const Json& parent, const Json& metadata) {
  Frames frames = wire_.write({std::string(type)}, type, parent, content,
                              metadata);  // the topic, for who subscribes to one
  std::lock_guard lock(publishing_);
  iopub_.send(frames);
}

}  // namespace mlc::repl::jupyter
