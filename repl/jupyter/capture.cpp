// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <iostream>

#include "repl/shell/signals_blocked.h"
#include "repl/shell/source.h"

namespace mlc::repl::jupyter {

namespace {

std::atomic<int> active = 0;

constexpr int kPipe = 1 << 20;          // bytes that are written before who writes has to wait
constexpr useconds_t kCollect = 5'000;  // microseconds in which small outputs become one message

// How much of `text` is whole characters: what follows begins one that goes on.
size_t whole_characters(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && text.size() - begin < 3 && (text[begin - 1] & 0xc0) == 0x80) --begin;
  if (begin == 0) return text.size();
  auto lead = static_cast<unsigned char>(text[begin - 1]);
  size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return text.size() - begin + 1 < length ? begin - 1 : text.size();
}

}  // namespace

Capture::Capture(std::function<void(const char*, std::string)> sink) : sink_(std::move(sink)) {
  std::fflush(stdout);
  std::fflush(stderr);
  // What compiled code prints is seen line by line, not when it ends.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  for (Stream& stream : streams_) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw CallError{"no pipe can be made for the output", ""};
    fcntl(ends[1], F_SETPIPE_SZ, kPipe);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    stream.saved = fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 3);
    dup2(ends[1], stream.descriptor);
    close(ends[1]);
    stream.read_end = ends[0];
  }
  stop_ = eventfd(0, EFD_CLOEXEC);
  SignalsBlocked blocked;
  thread_ = std::thread([this] { watch(); });
  ++active;
}

bool Capture::is_active() { return active > 0; }

Capture::~Capture() {
  --active;
  flush();
  eventfd_write(stop_, 1);
  thread_.join();
  for (Stream& stream : streams_) {
    if (stream.saved >= 0) dup2(stream.saved, stream.descriptor);
    close(stream.saved);
    close(stream.read_end);
  }
  close(stop_);
}

void Capture::flush() {
  std::cout.flush();
  std::fflush(stdout);
  std::fflush(stderr);
  drain();
}

void Capture::log(const std::string& text) const {
  if (write(streams_[1].saved, text.data(), text.size()) < 0) return;  // nobody reads it
}

void Capture::drain() {
  std::lock_guard lock(mutex_);
  for (Stream& stream : streams_) {
    char bytes[1 << 16];
    for (ssize_t got; (got = read(stream.read_end, bytes, sizeof bytes)) > 0;) {
      std::string text = std::move(stream.tail);
      text.append(bytes, static_cast<size_t>(got));
      size_t whole = whole_characters(text);
      stream.tail = text.substr(whole);
      text.resize(whole);
      if (!text.empty()) sink_(stream.name, std::move(text));
    }
  }
}

void Capture::watch() {
  for (;;) {
    pollfd polled[] = {
        {streams_[0].read_end, POLLIN, 0}, {streams_[1].read_end, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(polled, 3, -1) < 0) continue;
    if (polled[2].revents != 0) return;
    usleep(kCollect);
    drain();
  }
}

}  // namespace mlc::repl::jupyter
