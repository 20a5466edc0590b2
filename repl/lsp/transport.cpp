// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/transport.h"

#include <fmt/format.h>
#include <poll.h>
#include <strings.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace mlc::lsp {

namespace {

// No editor sends more in one message; a length beyond it is a mistake of whoever wrote the header.
constexpr size_t kLongest = size_t{1} << 30;

std::optional<size_t> content_length(std::string_view header) {
  constexpr std::string_view kField = "content-length:";
  while (!header.empty()) {
    std::string_view line = header.substr(0, header.find("\r\n"));
    header.remove_prefix(std::min(header.size(), line.size() + 2));
    if (line.size() < kField.size() || strncasecmp(line.data(), kField.data(), kField.size()) != 0) continue;
    line.remove_prefix(kField.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    size_t length = 0;
    auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), length);
    if (failed == std::errc() && length <= kLongest) return length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Transport::next() {
  looked_ = buffer_.size();
  while (true) {
    std::string_view rest = std::string_view(buffer_).substr(begin_);
    size_t header = rest.find("\r\n\r\n");
    if (header == std::string_view::npos) return std::nullopt;
    std::optional<size_t> length = content_length(rest.substr(0, header));
    if (!length) {
      ++garbled;
      begin_ += header + 4;
      continue;
    }
    if (rest.size() < header + 4 + *length) return std::nullopt;
    std::string message(rest.substr(header + 4, *length));
    begin_ += header + 4 + *length;
    if (begin_ == buffer_.size() || begin_ > (size_t{1} << 20)) {
      buffer_.erase(0, begin_);
      begin_ = 0;
    }
    looked_ = 0;
    return message;
  }
}

void Transport::wait(int milliseconds, const std::vector<int>& others) {
  std::vector<pollfd> watched;
  watched.push_back({in_, POLLIN, 0});
  for (int other : others) watched.push_back({other, POLLIN, 0});
  if (poll(watched.data(), watched.size(), milliseconds) <= 0 || watched[0].revents == 0) return;
  std::array<char, 65536> block;
  ssize_t count = ::read(in_, block.data(), block.size());
  if (count > 0) buffer_.append(block.data(), static_cast<size_t>(count));
  if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) closed_ = true;
}

bool Transport::pending() {
  wait(0);
  return closed_ || (begin_ < buffer_.size() && looked_ < buffer_.size());
}

void Transport::write(std::string_view message) {
  std::string whole = fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
  for (std::string_view rest = whole; !rest.empty();) {
    ssize_t count = ::write(out_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      closed_ = true;
      return;
    }
    rest.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace mlc::lsp
