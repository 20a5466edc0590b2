// SPDX-License-Identifier: Apache-2.0
// Messages of JSON-RPC over a pair of pipes, each behind its `Content-Length` (the base protocol of LSP).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::lsp {

class Transport {
 public:
  Transport(int in, int out) : in_(in), out_(out) {}

  // The next message that has arrived whole, none when there is none yet. What has no length in its header is
  // dropped up to the next header, and counted in `garbled`.
  std::optional<std::string> next();
  // Waits until something can be read from the pipe or from one of `others`; -1 waits for ever. Reads what
  // has arrived.
  void wait(int milliseconds, const std::vector<int>& others = {});
  bool closed() const { return closed_; }  // the other side is gone
  // Has it sent anything that `next` has not looked at?
  bool pending();

  int input() const { return in_; }

  void write(std::string_view message);
  size_t garbled = 0;

 private:
  int in_, out_;
  std::string buffer_;
  size_t begin_ = 0;   // of what `next` has not returned
  size_t looked_ = 0;  // up to there `next` has looked for a whole message in vain
  bool closed_ = false;
};

}  // namespace mlc::lsp
