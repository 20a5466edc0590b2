// SPDX-License-Identifier: Apache-2.0
#include "repl/jupyter/message.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>

#include "backend/llvm/digest.h"
#include "ir/core/files.h"
#include "repl/shell/source.h"

namespace mlc::repl::jupyter {

namespace {

constexpr std::string_view kDelimiter = "<IDS|MSG>";
constexpr const char* kProtocol = "5.3";

// As long as the strings, whatever they hold: how much of a signature was guessed cannot be timed.
bool same_signature(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

std::string now() {
  auto time = std::chrono::system_clock::now();
  auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(time);
  auto micro = std::chrono::duration_cast<std::chrono::microseconds>(time - seconds).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), micro);
}

}  // namespace

Connection Connection::read(const std::string& path) {
  std::optional<std::string> text = ir::read_file(path);
  if (!text)
    throw CallError{fmt::format("the connection file `{}` cannot be read", path), "a front end writes it"};
  Connection made;
  try {
    Json json = Json::parse(*text);
    made.transport = json.value("transport", "tcp");
    made.ip = json.at("ip").get<std::string>();
    made.key = json.at("key").get<std::string>();
    std::string scheme = json.value("signature_scheme", "hmac-sha256");
    if (!made.key.empty() && scheme != "hmac-sha256")
      throw CallError{fmt::format("`{}` asks for signatures by {}", path, scheme),
                      "mlc signs by hmac-sha256"};
    for (auto [name, port] : {std::pair("shell_port", &made.shell_port),
                              {"control_port", &made.control_port},
                              {"stdin_port", &made.stdin_port},
                              {"iopub_port", &made.iopub_port},
                              {"hb_port", &made.hb_port}})
      *port = json.at(name).get<int>();
  } catch (const Json::exception& error) {
    throw CallError{fmt::format("`{}` is no connection file: {}", path, error.what()),
                    "`mlc jupyter install` tells Jupyter of the kernel, whose front ends start it"};
  }
  if (made.transport != "tcp" && made.transport != "ipc")
    throw CallError{fmt::format("`{}` asks for the transport `{}`", path, made.transport),
                    "there are tcp and ipc"};
  return made;
}

std::string Connection::endpoint(int port) const {
  return fmt::format("{}://{}{}{}", transport, ip, transport == "ipc" ? "-" : ":", port);
}

Wire::Wire(std::string key) : key_(std::move(key)), session_(random_name()) {}

std::optional<Message> Wire::read(const Frames& frames, std::string& why) const {
  auto delimiter = std::ranges::find(frames, kDelimiter);
  if (frames.end() - delimiter < 6) {
    why = "it lacks parts";
    return std::nullopt;
  }
  Message message;
  message.identities.assign(frames.begin(), delimiter);
  const std::string* part = &*delimiter + 1;
  if (!key_.empty() &&
      !same_signature(*part, llvm_backend::hmac_sha256(key_, {part[1], part[2], part[3], part[4]}))) {
    why = "its signature is wrong";
    return std::nullopt;
  }
  for (Json* json : {&message.header, &message.parent, &message.metadata, &message.content}) {
    *json = Json::parse(*++part, nullptr, false);
    if (!json->is_object()) {
      why = "a part of it is no JSON object";
      return std::nullopt;
    }
  }
  auto type = message.header.find("msg_type");
  if (type == message.header.end() || !type->is_string()) {
    why = "it does not say what it is";
    return std::nullopt;
  }
  return message;
}

Frames Wire::write(const Frames& identities, std::string_view type, const Json& parent, const Json& content,
                   const Json& metadata) const {
  static std::atomic<uint64_t> count = 0;
  Json header = {{"msg_id", fmt::format("{}_{}", session_, ++count)},
                 {"session", session_},
                 {"username", "mlc"},
                 {"date", now()},
                 {"msg_type", type},
                 {"version", kProtocol}};
  std::string parts[] = {dump(header), dump(parent), dump(metadata), dump(content)};
  Frames frames = identities;
  frames.emplace_back(kDelimiter);
  frames.push_back(key_.empty() ? ""
                                : llvm_backend::hmac_sha256(key_, {parts[0], parts[1], parts[2], parts[3]}));
  for (std::string& part : parts) frames.push_back(std::move(part));
  return frames;
}

std::string random_name() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw CallError{"the system gives no random numbers", ""};
  std::string text;
  for (unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

size_t byte_of(std::string_view text, int64_t code_point) {
  size_t byte = 0;
  for (; byte < text.size(); ++byte)
    if ((text[byte] & 0xc0) != 0x80 && code_point-- <= 0) break;
  return byte;
}

size_t code_points_in(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace mlc::repl::jupyter
