// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "repl/lsp/diagnostics.h"
#include "repl/lsp/lsp.h"

namespace mlc::lsp {

namespace {

constexpr std::string_view kLater = "$later";

json nothing(Server&, const json&) { return nullptr; }

json shutdown(Server& server, const json&) {
  server.phase = Server::Phase::kShutDown;
  return nullptr;
}

json did_open(Server& server, const json& params) {
  const json& item = params.at("textDocument");
  auto uri = item.at("uri").get<std::string>();
  server.documents().erase(uri);
  server.documents().try_emplace(uri, uri, item.at("text").get<std::string>(), item.value("version", 0),
                                 server.library().builtins());
  return nullptr;
}

json did_change(Server& server, const json& params) {
  Document& document = server.document(params);
  for (const json& change : params.at("contentChanges")) {
    std::optional<std::pair<Position, Position>> range;
    if (change.contains("range"))
      range = std::pair(place_of(change["range"].at("start")), place_of(change["range"].at("end")));
    document.replace(range, change.at("text").get_ref<const std::string&>());
  }
  document.version = params.at("textDocument").value("version", document.version);
  return nullptr;
}

json did_close(Server& server, const json& params) {
  auto uri = params.at("textDocument").at("uri").get<std::string>();
  server.documents().erase(uri);
  server.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", json::array()}});
  return nullptr;
}

// A program that runs for a request that is taken back is ended; the others are answered before they can be.
json cancel(Server& server, const json& params) {
  for (Child& child : server.children()) {
    if (child.id != params.at("id")) continue;
    kill(-child.process, SIGKILL);
    server.fail(child.id, {kRequestCancelled, "cancelled"});
    child.id = nullptr;
  }
  return nullptr;
}

constexpr auto kMethods = std::to_array<Method>({
    {"initialize", initialize},
    {"initialized", nothing},
    {"shutdown", shutdown},
    {"$/cancelRequest", cancel},
    {"$/setTrace", nothing},
    {"workspace/didChangeConfiguration", nothing},
    {"workspace/executeCommand", execute_command},
    {"textDocument/didOpen", did_open},
    {"textDocument/didChange", did_change},
    {"textDocument/didClose", did_close},
    {"textDocument/didSave", nothing},
    {"textDocument/hover", hover},
    {"textDocument/inlayHint", inlay_hint},
    {"textDocument/definition", definition},
    {"textDocument/references", references},
    {"textDocument/documentHighlight", document_highlight},
    {"textDocument/prepareRename", prepare_rename},
    {"textDocument/rename", rename_symbol},
    {"textDocument/documentSymbol", document_symbol},
    {"textDocument/foldingRange", folding_range},
    {"textDocument/semanticTokens/full", semantic_tokens},
    {"textDocument/completion", completion},
    {"textDocument/formatting", formatting},
    {"textDocument/codeAction", code_action},
});

}  // namespace

json later() { return kLater; }
bool is_later(const json& result) {
  return result.is_string() && result.get_ref<const std::string&>() == kLater;
}

Document& Server::document(const json& params) {
  auto found = documents_.find(params.at("textDocument").at("uri").get<std::string>());
  if (found == documents_.end()) throw ResponseError{kInvalidParams, "the document is not open"};
  return found->second;
}

void Server::notify(std::string_view method, json params) {
  json message{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
  transport_.write(message.dump(-1, ' ', false, json::error_handler_t::replace));
}
void Server::respond(const json& id, json result) {
  json message{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
  transport_.write(message.dump(-1, ' ', false, json::error_handler_t::replace));
}
void Server::fail(const json& id, const ResponseError& error) {
  json message{{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", error.code}, {"message", error.message}}}};
  transport_.write(message.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Server::answer(const json& id, const std::string& method, const json& params) {
  bool request = !id.is_null();
  try {
    if (method == "exit") {
      exit_code_ = phase == Phase::kShutDown ? 0 : 1;
      phase = Phase::kOver;
      return;
    }
    if (phase == Phase::kNew && method != "initialize")
      throw ResponseError{kNotInitialized, "`initialize` comes first"};
    if (phase == Phase::kRunning && method == "initialize")
      throw ResponseError{kInvalidRequest, "`initialize` comes once"};
    if (phase == Phase::kShutDown) throw ResponseError{kInvalidRequest, "the server is shut down"};
    auto row = std::ranges::find(kMethods, method, &Method::name);
    if (row == kMethods.end())
      throw ResponseError{kMethodNotFound, fmt::format("there is no method `{}`", method)};
    id_ = id;
    workspace_.begin();
    json result = row->handle(*this, params);
    if (request && !is_later(result)) respond(id, std::move(result));
  } catch (const ResponseError& error) {
    if (request) fail(id, error);
  } catch (const json::exception& error) {
    if (request) fail(id, {kInvalidParams, error.what()});
  } catch (const ir::Error& error) {
    if (request) fail(id, {kRequestFailed, error.first().message});
  } catch (const std::exception& error) {
    if (request) fail(id, {kInternalError, error.what()});
  }
}

void Server::handle(const std::string& text) {
  json message = json::parse(text, nullptr, false);
  if (message.is_discarded()) return fail(nullptr, {kParseError, "the message is not JSON"});
  if (!message.is_object()) return fail(nullptr, {kInvalidRequest, "the message is no object"});
  json id = message.value("id", json());
  if (!message.contains("method")) return;  // an answer; nothing is asked of the editor that needs one
  if (!message["method"].is_string()) return fail(id, {kInvalidRequest, "`method` is no string"});
  answer(id, message["method"].get<std::string>(), message.value("params", json::object()));
}

// What the editor has not been told yet, unless it has something to say itself.
void Server::publish() {
  for (auto& [uri, document] : documents_) {
    if (document.published) continue;
    if (transport_.pending() || !document.check(transport_.input())) return;
    notify("textDocument/publishDiagnostics",
           {{"uri", uri}, {"version", document.version}, {"diagnostics", diagnostics_of(document)}});
    document.published = true;
  }
}

int Server::run() {
  while (!transport_.closed() && phase != Phase::kOver) {
    std::optional<std::string> message = transport_.next();
    if (message) {
      handle(*message);
      continue;
    }
    if (phase == Phase::kRunning && !transport_.pending()) publish();
    bool open = phase == Phase::kRunning &&
                std::ranges::any_of(documents_, [](const auto& each) { return !each.second.published; });
    std::vector<int> pipes;
    for (const Child& child : children_)
      for (int pipe : {child.out, child.err})
        if (pipe >= 0) pipes.push_back(pipe);
    // While a program runs its deadline is looked at; so it is when both of its pipes are closed.
    if (!transport_.pending())
      transport_.wait(open ? 0 : children_.empty() ? -1 : pipes.empty() ? 10 : 200, pipes);
    attend(*this);
  }
  for (Child& child : children_) kill(-child.process, SIGKILL);
  return exit_code_;
}

int run_server() {
  std::signal(SIGPIPE, SIG_IGN);
  // Nothing else may write where the answers go.
  int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);  // programs that run have none of it
  dup2(STDERR_FILENO, STDOUT_FILENO);
  // What is imported while a text is looked at comes from the library alone.
  const char* folders = std::getenv("MLCPATH");
  std::string mlcpath = folders == nullptr ? "" : folders;
  unsetenv("MLCPATH");
  Transport transport(STDIN_FILENO, out);
  return Server(transport, std::move(mlcpath)).run();
}

}  // namespace mlc::lsp
