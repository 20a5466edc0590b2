// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/zeromq.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <zmq.h>

#include <cerrno>

#include "repl/shell/source.h"

namespace mlc::repl::jupyter {

namespace {

constexpr int kLinger = 1000;  // milliseconds that a closed socket goes on sending

// The functions of libzmq that sockets need.
struct ZeroMq {
#define MLC_ZMQ_FUNCTIONS(X)                                                                                \
  X(ctx_new)                                                                                                \
  X(ctx_term) X(socket) X(close) X(bind) X(setsockopt) X(send) X(poll) X(msg_init) X(msg_recv) X(msg_close) \
      X(msg_data) X(msg_size) X(msg_more) X(errno) X(strerror)
#define MLC_ZMQ_MEMBER(name) decltype(&zmq_##name) name##_ = nullptr;
  MLC_ZMQ_FUNCTIONS(MLC_ZMQ_MEMBER)
#undef MLC_ZMQ_MEMBER

  ZeroMq() {
    void* library = dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw CallError{
          fmt::format("the kernel talks to Jupyter by ZeroMQ, whose library cannot be loaded: {}", dlerror()),
          "Debian has it in the package libzmq5"};
    auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) throw CallError{fmt::format("libzmq.so.5 has no function `{}`", name), ""};
    };
#define MLC_ZMQ_FIND(name) find(name##_, "zmq_" #name);
    MLC_ZMQ_FUNCTIONS(MLC_ZMQ_FIND)
#undef MLC_ZMQ_FIND
#undef MLC_ZMQ_FUNCTIONS
  }
};

const ZeroMq& zmq() {
  static const ZeroMq library;
  return library;
}

}  // namespace

Context::Context() : handle_(zmq().ctx_new_()) {}
Context::~Context() {
  while (zmq().ctx_term_(handle_) != 0 && zmq().errno_() == EINTR) {
  }
}

Socket::Socket(Context& context, Kind kind, const std::string& endpoint) {
  int type = kind == Kind::kRouter ? ZMQ_ROUTER : kind == Kind::kPublish ? ZMQ_PUB : ZMQ_REP;
  handle_ = zmq().socket_(context.handle(), type);
  if (handle_ == nullptr)
    throw CallError{fmt::format("no socket can be made: {}", zmq().strerror_(zmq().errno_())), ""};
  auto set = [&](int option, int value) { zmq().setsockopt_(handle_, option, &value, sizeof value); };
  set(ZMQ_LINGER, kLinger);
  // Outputs wait for a front end that is slower than the program; none is dropped.
  set(ZMQ_SNDHWM, 0);
  set(ZMQ_RCVHWM, 0);
  // A front end that comes back takes the place of its old connection.
  if (kind == Kind::kRouter) set(ZMQ_ROUTER_HANDOVER, 1);
  if (zmq().bind_(handle_, endpoint.c_str()) == 0) return;
  std::string why = zmq().strerror_(zmq().errno_());
  zmq().close_(handle_);
  throw CallError{fmt::format("{} cannot be bound: {}", endpoint, why),
                  "another kernel may have it; start one anew"};
}

Socket::~Socket() { zmq().close_(handle_); }

void Socket::send(const Frames& frames) {
  for (size_t i = 0; i < frames.size(); ++i) {
    int more = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
    while (zmq().send_(handle_, frames[i].data(), frames[i].size(), more) < 0)
      if (zmq().errno_() != EINTR) return;
  }
}

std::optional<Frames> Socket::receive() {
  Frames frames;
  for (bool more = true; more;) {
    zmq_msg_t part;
    zmq().msg_init_(&part);
    int got;
    do {
      got = zmq().msg_recv_(&part, handle_, ZMQ_DONTWAIT);
    } while (got < 0 && zmq().errno_() == EINTR);
    if (got < 0) {
      zmq().msg_close_(&part);
      return std::nullopt;
    }
    frames.emplace_back(static_cast<const char*>(zmq().msg_data_(&part)), zmq().msg_size_(&part));
    more = zmq().msg_more_(&part) != 0;
    zmq().msg_close_(&part);
  }
  return frames;
}

bool Socket::wait(int descriptor, int milliseconds) {
  zmq_pollitem_t items[] = {{handle_, 0, ZMQ_POLLIN, 0}, {nullptr, descriptor, ZMQ_POLLIN, 0}};
  int found = zmq().poll_(items, descriptor < 0 ? 1 : 2, milliseconds);
  return found > 0 && (items[0].revents & ZMQ_POLLIN) != 0;
}

}  // namespace mlc::repl::jupyter
