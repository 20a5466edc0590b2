// SPDX-License-Identifier: Apache-2.0
// Messages of Jupyter's wire protocol: what they are made of, and their signatures.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "repl/jupyter/zeromq.h"

namespace mlc::repl::jupyter {

using Json = nlohmann::json;

// What a front end has written for the kernel that it starts.
struct Connection {
  std::string transport = "tcp", ip = "127.0.0.1", key;
  int shell_port = 0, control_port = 0, stdin_port = 0, iopub_port = 0, hb_port = 0;

  // Throws CallError for a file that is none.
  static Connection read(const std::string& path);
  std::string endpoint(int port) const;
};

struct Message {
  Frames identities;  // whom the reply goes to
  Json header = Json::object(), parent = Json::object(), metadata = Json::object(), content = Json::object();

  std::string type() const { return header.value("msg_type", ""); }
};

// Reads and writes messages under the key of a connection; used by several threads.
class Wire {
 public:
  explicit Wire(std::string key);

  // nullopt, and why, for what is no message or has another signature.
  std::optional<Message> read(const Frames& frames, std::string& why) const;
  Frames write(const Frames& identities, std::string_view type, const Json& parent, const Json& content,
               const Json& metadata = Json::object()) const;

 private:
  std::string key_;
  std::string session_;  // of this process
};

// Random hexadecimal digits, as a UUID has them.
std::string random_name();

// Bytes that are no UTF-8 become the sign for them.
std::string dump(const Json& value);

// Positions in a text: front ends count code points.
size_t byte_of(std::string_view text, int64_t code_point);  // within the text
size_t code_points_in(std::string_view text);

}  // namespace mlc::repl::jupyter
