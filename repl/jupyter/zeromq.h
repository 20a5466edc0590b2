// SPDX-License-Identifier: Apache-2.0
// Sockets of libzmq. The library is loaded when a kernel starts: the program starts no slower for it, and
// runs where it is not installed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mlc::repl::jupyter {

using Frames = std::vector<std::string>;  // the parts of one message

// Closed last: waits for what is on its way, a second at most.
class Context {
 public:
  Context();  // throws CallError where libzmq cannot be loaded
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  void* handle() const { return handle_; }

 private:
  void* handle_;
};

// Used by one thread at a time.
class Socket {
 public:
  enum class Kind { kRouter, kPublish, kReply };

  // Throws CallError when the endpoint cannot be bound.
  Socket(Context& context, Kind kind, const std::string& endpoint);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // To nobody where nobody listens any more.
  void send(const Frames& frames);
  // The next message that has come, without waiting for it.
  std::optional<Frames> receive();

  // Waits for a message. False when `descriptor` can be read instead, a signal has come, or the time (-1: no
  // end) is over.
  bool wait(int descriptor, int milliseconds);

 private:
  void* handle_;
};

}  // namespace mlc::repl::jupyter
