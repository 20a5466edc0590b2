// SPDX-License-Identifier: Apache-2.0
// Sequences: ECMA-48 control sequences as xterm, its descendants and the Linux console send them.
#include "repl/terminal/keyboard.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace mlc::repl {

namespace {

// How long after Escape the rest of a sequence may come: those of a terminal come at once.
constexpr int kEscapeMilliseconds = 50;
constexpr int kForever = -1;
constexpr std::string_view kPasteEnd = "\x1b[201~";

struct Named {
  std::string_view sequence;  // parameter and final byte
  std::string_view name;
};
constexpr std::array kSequences = std::to_array<Named>({
    {"A", "up"},      {"B", "down"},    {"C", "right"},   {"D", "left"},  {"H", "home"},   {"F", "line-end"},
    {"1~", "home"},   {"7~", "home"},   {"4~", "line-end"}, {"8~", "line-end"}, {"3~", "delete"}, {"5~", "page-up"},
    {"6~", "page-down"}, {"Z", "S-tab"}, {"M", "enter"},
});

std::string_view modifier(std::string_view number) {
  // 1 + (1 for Shift, 2 for Alt, 4 for Control)
  if (number == "2") return "S-";
  if (number == "3") return "M-";
  if (number == "5") return "C-";
  if (number == "7") return "C-M-";
  return "";
}

}  // namespace

Keyboard::Read Keyboard::read_byte(char& byte, int milliseconds) {
  if (waits()) {
    byte = read_[used_++];
    return Read::kByte;
  }
  pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
  int ready = poll(&wanted, 1, milliseconds);
  if (ready < 0) return errno == EINTR ? Read::kSignal : Read::kEnd;
  if (ready == 0) return Read::kTimeout;
  std::array<char, 4096> bytes;
  ssize_t count = read(descriptor_, bytes.data(), bytes.size());
  if (count < 0) return errno == EINTR ? Read::kSignal : Read::kEnd;
  if (count == 0) return Read::kEnd;
  read_.assign(bytes.data(), static_cast<size_t>(count));
  byte = read_[0];
  used_ = 1;
  return Read::kByte;
}

bool Keyboard::has_more() {
  if (waits()) return true;
  pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, 0) > 0;
}

Key Keyboard::next() {
  char byte = 0;
  switch (read_byte(byte, kForever)) {
    case Read::kByte: break;
    case Read::kEnd: return {"end", ""};
    default: return {"signal", ""};
  }
  switch (byte) {
    case '\x1b': return escape();
    case '\r':
    case '\n': return {"enter", ""};
    case '\t': return {"tab", ""};
    case '\x7f':
    case '\b': return {"backspace", ""};
    case '\0': return {"C-space", ""};
    case '\x1f': return {"C-_", ""};
    default: break;
  }
  auto code = static_cast<unsigned char>(byte);
  if (code < 0x20) return {std::string("C-") + static_cast<char>(code | (code < 0x1b ? 0x60 : 0x40)), ""};
  // As much as has come in one piece: an input method's words, a paste into a terminal without brackets.
  Key key{"text", rest_of_code_point(byte)};
  while (waits() && static_cast<unsigned char>(read_[used_]) >= 0x20 && read_[used_] != '\x7f')
    key.text += rest_of_code_point(read_[used_++]);
  return key;
}

std::string Keyboard::rest_of_code_point(char first) {
  auto code = static_cast<unsigned char>(first);
  size_t size = code >= 0xf0 ? 4 : code >= 0xe0 ? 3 : code >= 0xc0 ? 2 : 1;
  std::string text(1, first);
  char byte = 0;
  while (text.size() < size && read_byte(byte, kEscapeMilliseconds) == Read::kByte) {
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) {
      --used_;
      break;
    }
    text += byte;
  }
  return text;
}

Key Keyboard::escape() {
  char byte = 0;
  if (read_byte(byte, kEscapeMilliseconds) != Read::kByte) return {"escape", ""};
  if (byte == '[') return sequence();
  if (byte == 'O') {
    if (read_byte(byte, kEscapeMilliseconds) != Read::kByte) return {"M-O", ""};
    for (const Named& known : kSequences)
      if (known.sequence.size() == 1 && known.sequence[0] == byte) return {std::string(known.name), ""};
    return {"unknown", ""};
  }
  if (byte == '\r' || byte == '\n') return {"M-enter", ""};
  if (byte == '\x7f' || byte == '\b') return {"M-backspace", ""};
  if (byte == '\x1b') return {"escape", ""};
  return {"M-" + rest_of_code_point(byte), ""};
}

Key Keyboard::sequence() {
  std::string text;
  char byte = 0;
  while (text.size() < 32) {
    if (read_byte(byte, kEscapeMilliseconds) != Read::kByte) return {"unknown", ""};
    text += byte;
    if (byte >= 0x40 && byte <= 0x7e) break;
  }
  if (text == "200~") return paste();
  // `1;5C`, `3;5~`: the key with a modifier; `5C` of rxvt's relatives has none before it.
  size_t semicolon = text.find(';');
  std::string key = text;
  std::string prefix;
  if (semicolon != std::string::npos) {
    prefix = modifier(std::string_view(text).substr(semicolon + 1, text.size() - semicolon - 2));
    key = text.back() == '~' ? text.substr(0, semicolon) + "~" : std::string(1, text.back());
  }
  for (const Named& known : kSequences)
    if (known.sequence == key) return {prefix + std::string(known.name), ""};
  return {"unknown", ""};
}

Key Keyboard::paste() {
  Key key{"paste", ""};
  char byte = 0;
  while (!key.text.ends_with(kPasteEnd)) {
    Read read = read_byte(byte, kForever);
    if (read == Read::kEnd) return {"end", ""};
    if (read == Read::kByte) key.text += byte;
  }
  key.text.resize(key.text.size() - kPasteEnd.size());
  return key;
}

}  // namespace mlc::repl
