// SPDX-License-Identifier: Apache-2.0
// The language server: `mlc lsp`. Reads requests of an editor from a pipe and answers them in order.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "repl/lsp/document.h"
#include "repl/lsp/library.h"
#include "repl/lsp/transport.h"
#include "repl/lsp/workspace.h"

namespace mlc::lsp {

using nlohmann::json;

// What a request is answered with when it cannot be carried out.
struct ResponseError {
  int code;
  std::string message;
};
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kNotInitialized = -32002;
constexpr int kRequestFailed = -32803;
constexpr int kRequestCancelled = -32800;

class Server;

// A program that runs beside the server because the user has asked for it.
struct Child {
  json id;          // of the request
  std::string uri;  // of the document that it is the beginning of, and which one that was
  int64_t version = 0;
  json (*result)(Server& server, const Child& child,
                 int status) = nullptr;  // what the request is answered with
  int process = 0;
  int out = -1, err = -1;  // its pipes, -1 once closed
  std::string shown, said;
  double deadline = 0;  // seconds of the steady clock
  bool late = false;
};

class Server {
 public:
  Server(Transport& transport, std::string mlcpath)
      : transport_(transport),
        mlcpath_(std::move(mlcpath)),
        workspace_(documents_, mlcpath_, library_.builtins()) {}

  int run();  // until the editor leaves; the exit code

  // For what answers requests.
  Document& document(const json& params);  // of `textDocument.uri`. ResponseError when it is not open
  Library& library() { return library_; }
  std::map<std::string, Document>& documents() { return documents_; }
  Workspace& workspace() { return workspace_; }
  std::vector<Child>& children() { return children_; }
  const std::string& mlcpath() const {
    return mlcpath_;
  }                                       // the folders of the user's modules, for programs that run
  const json& id() const { return id_; }  // of the request that is being answered
  void notify(std::string_view method, json params);
  void respond(const json& id, json result);
  void fail(const json& id, const ResponseError& error);

  // Its state, which `initialize`, `shutdown` and `exit` change.
  enum class Phase : uint8_t { kNew, kRunning, kShutDown, kOver };
  Phase phase = Phase::kNew;
  bool markdown = true;  // does the editor show it?

 private:
  void handle(const std::string& message);
  void answer(const json& id, const std::string& method, const json& params);
  void publish();

  Transport& transport_;
  std::string mlcpath_;
  Library library_;
  std::map<std::string, Document> documents_;
  Workspace workspace_;
  std::vector<Child> children_;
  json id_;
  int exit_code_ = 1;  // unless `shutdown` and `exit` come
};

// One row per method: requests return their result, notifications nothing.
struct Method {
  std::string_view name;
  json (*handle)(Server& server, const json& params);
};
// Requests whose answer comes later return this.
json later();
bool is_later(const json& result);

// Each family in a file of its own.
json initialize(Server& server, const json& params);
json hover(Server& server, const json& params);
json inlay_hint(Server& server, const json& params);
json definition(Server& server, const json& params);
json references(Server& server, const json& params);
json document_highlight(Server& server, const json& params);
json prepare_rename(Server& server, const json& params);
json rename_symbol(Server& server, const json& params);
json document_symbol(Server& server, const json& params);
json folding_range(Server& server, const json& params);
json semantic_tokens(Server& server, const json& params);
json completion(Server& server, const json& params);
json formatting(Server& server, const json& params);
json code_action(Server& server, const json& params);
json execute_command(Server& server, const json& params);
// What `mlc.waysOut` is answered with: the step that the program was refused, which the document then knows,
// and what could stand in its place.
json result_of_ways_out(Server& server, const Child& child, int status);
// Why a program that was run gave no result, "" where it has ended by itself.
std::string end_of(const Child& child, int status);
// Reads what the programs that run have said, ends those that are late, and answers for those that are over.
void attend(Server& server);

// Places and ranges of the protocol.
Position place_of(const json& position);
json to_json(Position place);
json range_of(const Text& text, size_t begin, size_t end);
// The offset of a request's `position`.
size_t offset_of(const Document& document, const json& params);
// An edit that makes the first text of the second, with what they share left out.
json edit_between(const Text& before, std::string_view after);
// The names of the kinds of semantic tokens, in the order of their numbers.
std::vector<std::string> token_types();
}  // namespace mlc::lsp
