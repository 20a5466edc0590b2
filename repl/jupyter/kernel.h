// SPDX-License-Identifier: Apache-2.0
// A kernel of Jupyter: a session that front ends drive by messages (the protocol's version 5.3).
//
// The main thread owns the session and serves the shell channel: one request after the other. Control
// requests (interrupt, shutdown) and the heartbeat have threads of their own, and so has the output, which is
// published while a cell runs.
#pragma once

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "repl/jupyter/capture.h"
#include "repl/jupyter/cell.h"
#include "repl/jupyter/channels.h"
#include "repl/session/session.h"
#include "repl/terminal/history.h"

namespace mlc::repl::jupyter {

class Kernel {
 public:
  explicit Kernel(const Connection& connection);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Serves until a front end or the program ends it; the exit code.
  int run();

 private:
  // Takes a request's content and gives its reply's.
  using Handler = Json (Kernel::*)(const Message& request);
  struct Row {
    std::string_view request;
    Handler handle;
  };
  static const Row kShell[];
  static const Row kControl[];

  void serve_control();
  void serve_heartbeat();
  void answer(std::span<const Row> rows, Socket& socket, const Message& request);
  // Does not run a cell that waited behind one that failed.
  void refuse_cell(const Message& request);

  // ---- requests.cpp ----
  Json kernel_info(const Message& request);
  Json complete_code(const Message& request);
  Json inspect(const Message& request);
  Json is_complete(const Message& request);
  Json history(const Message& request);
  Json comm_info(const Message& request);
  Json refuse_comm(const Message& request);
  Json ignore_comm(const Message& request);
  Json connect(const Message& request);
  Json interrupt(const Message& request);
  Json shutdown(const Message& request);

  // ---- execute.cpp ----
  Json execute(const Message& request);
  // Runs the parts of a cell; `value_` is that of the last one, or None.
  void run_parts(const std::vector<Part>& parts);
  void run_magic(std::string_view line, std::string_view body);
  void run_shell(std::string_view command);
  void time_many(std::string_view options, std::string_view statement);
  Json evaluate(const std::string& expression);
  std::optional<std::string> ask(const std::string& prompt);

  void stop();

  Connection connection_;
  ir::Any value_;  // of the last statements that ran
  Channels channels_;
  Session session_;
  History history_;
  pthread_t main_ = pthread_self();
  int stop_ = -1;  // can be read once the kernel is to end
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> served_ = false;  // the main thread has stopped serving

  std::mutex parent_mutex_;
  Json parent_ = Json::object();  // the request that outputs belong to

  bool abort_ = false;                 // the cell that ran last has failed
  const Message* asks_for_ = nullptr;  // the request on whose behalf the program may ask for input

  int count_ = 0;
  struct Cell {
    int number;
    std::string input;
    std::string output;  // the text of its value, or ""
  };
  std::vector<Cell> cells_;

  Capture capture_;  // ends first: it publishes what is written
};

}  // namespace mlc::repl::jupyter
